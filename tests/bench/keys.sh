#!/usr/bin/env bash
# What protection costs: CPU of a server with 32 moving players, with everything off, with hardened code,
# sandbox and a follower of the log, and with sealed sessions too. The three take turns; medians.
# Prints CSV lines bench,case,value,unit,peer,peer_value. "off" is built without HARDEN, in BUILD/bare.
set -eu
export EDICTD_USER=${EDICTD_USER:-root} # as root: the folder of the socket is private
build=${BUILD:-build}
clients=${CLIENTS:-32}
seconds=${SECONDS_MEASURED:-10}
rounds=${ROUNDS:-5}
work=$(mktemp -d)
server='' bots='' follower=''
trap '[ -z "${KEEP:-}" ] || tail "$work"/*.cpu; kill $server $bots $follower 2>/dev/null || true; rm -rf "$work"' EXIT

cpu_ns() { cut -d ' ' -f 1 "/proc/$server/schedstat"; }

measure() { # CASE PROGRAM SETTINGS...: appends the share of a core to a file
    local case=$1 program=$2 before began
    shift 2
    : >"$work/out" # of the server before
    "$program" -p 0 +set sv_maxclients "$clients" "$@" +map "$build/maps/arena.bsp" >"$work/out" 2>"$work/log" &
    server=$!
    until grep -q listening "$work/out"; do
        kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
        sleep 0.05
    done
    if [ "$case" != off ]; then
        "$build/edict-ctl" -s "$work/control" follow >"$work/followed" 2>&1 &
        follower=$!
    fi
    "$build/edict-bot" -q -c "127.0.0.1:$(sed -n 's/.*listening on [^ ]*:\([0-9]*\),.*/\1/p' "$work/out")" \
        -n "$clients" -t $((seconds + 10)) -m "$build/maps" tests/bench/fight.lua >"$work/bots" 2>&1 &
    bots=$!
    local tries=0
    until tr '\0' ' ' <"/proc/$server/cmdline" | grep -q "$clients/$clients"; do # all play
        [ $((tries += 1)) -lt 600 ] || { cat "$work/log" "$work/bots" >&2; exit 1; }
        sleep 0.05
    done
    sleep 3
    before=$(cpu_ns) began=$(date +%s%N)
    sleep "$seconds"
    awk -v cpu=$(($(cpu_ns) - before)) -v time=$(($(date +%s%N) - began)) 'BEGIN {print 100 * cpu / time}' \
        >>"$work/$case.cpu"
    kill "$bots" "$server" 2>/dev/null || true
    wait $server $bots $follower 2>/dev/null || true
    server='' bots='' follower=''
}

median() { sort -n "$work/$1.cpu" | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

make -s -j2 BUILD="$build/bare" HARDEN= "$build/bare/edictd" >/dev/null
ln -sfn ../maps "$build/bare/maps"
for _ in $(seq "$rounds"); do
    measure off "$build/bare/edictd" +set sv_sandbox 0 +set net_control off +set sv_seal off
    measure on "$build/edictd" +set net_control "$work/control" +set sv_seal off
    measure sealed "$build/edictd" +set net_control "$work/control"
done
for case in off on sealed; do
    echo "keys,$clients clients $case CPU,$(median $case),% of a core,off,$(median off)"
done
