#!/usr/bin/env bash
# The real daemon with 32 moving clients on a real map: tick times, CPU, bytes per client and second.
# Prints CSV lines bench,case,value,unit,peer,peer_value. Peers' figures: measured with other servers on
# a machine of this kind, 32 clients (ioquake3: 16) that walk, turn and jump.
set -eu
build=${BUILD:-build}
export EDICTD_USER=${EDICTD_USER:-root} # as root: the folders of the tests are private
clients=${CLIENTS:-32}
seconds=${SECONDS_MEASURED:-20}
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

measure() { # map file
    local map=$1 name
    name=$(basename "$map" .bsp)
    "$build/edictd" -p 0 +set net_control "$work/control" +set sv_maxclients "$clients" +map "$map" \
        >"$work/out" 2>"$work/log" &
    server=$!
    until grep -qs listening "$work/out"; do sleep 0.05; done
    local port
    port=$(sed -n 's/.*listening on [^ ]*:\([0-9]*\),.*/\1/p' "$work/out")
    "$build/edict-bot" -q -c "127.0.0.1:$port" -n "$clients" -t $((seconds + 10)) -m "$(dirname "$map")" \
        tests/bench/fight.lua >"$work/bots" 2>&1 &
    local bots=$!
    sleep 5
    snapshot a
    sleep "$seconds"
    snapshot b
    report "$name"
    kill "$bots" 2>/dev/null || true
    wait "$bots" 2>/dev/null || true
    kill -TERM "$server"
    wait "$server"
    server=
    rm "$work/out"
}

snapshot() { # a or b: CPU ticks, switches, the server's own counters
    awk '{print $14 + $15}' "/proc/$server/stat" >"$work/cpu.$1"
    awk '/^voluntary_ctxt/ {print $2}' "/proc/$server/status" >"$work/wake.$1"
    "$build/edict-ctl" -s "$work/control" "status; counters" >"$work/state.$1"
}

number() { # file, sed expression with one group
    sed -n "s/.*$2.*/\1/p" "$work/state.$1" | head -1
}

row() { echo "server,$1,$2,$3,$4,$5"; }

report() { # map name
    local hz cpu bytes snaps events out_a out_b in_a in_b
    hz=$(getconf CLK_TCK)
    row "$1 $clients clients tick p50" "$(number b 'p50 \([0-9.]*\)')" ms "" ""
    row "$1 $clients clients tick p99" "$(number b 'p99 \([0-9.]*\)')" ms "" ""
    cpu=$(awk -v b="$(cat "$work/cpu.b")" -v a="$(cat "$work/cpu.a")" -v hz="$hz" -v s="$seconds" \
        'BEGIN {printf "%.1f", (b - a) * 100 / hz / s}')
    row "$1 $clients clients CPU" "$cpu" "% of a core" "mvdsv 32" 10.9
    row "$1 $clients clients CPU" "$cpu" "% of a core" "DarkPlaces 32" 9.1
    row "$1 $clients clients wake-ups" $((($(cat "$work/wake.b") - $(cat "$work/wake.a")) / seconds)) 1/s "mvdsv 32" 1761
    snaps=$(($(number b 'snapshots \([0-9]*\) (snap') - $(number a 'snapshots \([0-9]*\) (snap')))
    bytes=$(($(number b 'snapshot_bytes \([0-9]*\) ') - $(number a 'snapshot_bytes \([0-9]*\) ')))
    row "$1 $clients clients snapshot payload" $((bytes / seconds / clients)) "B/s per client" "mvdsv 32" 13350
    row "$1 $clients clients snapshot payload" $((bytes / seconds / clients)) "B/s per client" "ioquake3 64 at 20 Hz" 14190
    row "$1 $clients clients snapshot payload" $((bytes / seconds / clients)) "B/s per client" "DarkPlaces 32" 18620
    events=$(($(number b 'event_bytes \([0-9]*\) ') - $(number a 'event_bytes \([0-9]*\) ')))
    row "$1 $clients clients sounds and effects of it" $((events / seconds / clients)) "B/s per client" "" ""
    row "$1 $clients clients snapshots" $((snaps / seconds / clients)) "1/s per client" "" ""
    out_a=$(number a 'sent [0-9]* packets (\([0-9]*\) bytes') out_b=$(number b 'sent [0-9]* packets (\([0-9]*\) bytes')
    in_a=$(number a 'received \([0-9]*\) packets') in_b=$(number b 'received \([0-9]*\) packets')
    row "$1 $clients clients sent in all" $(((out_b - out_a) / seconds / clients)) "B/s per client" "" ""
    row "$1 $clients clients received" $(((in_b - in_a) / seconds / clients)) "packets/s per client" "" ""
}

found=
for map in ../shared/data/bsp/lqdm12.bsp ../shared/data/bsp/lqdm2.bsp; do
    [ -f "$map" ] && measure "$map" && found=1
done
[ -n "$found" ] || measure "$build/maps/arena.bsp"
