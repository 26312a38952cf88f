#!/bin/sh
# ci.sh: runs bot scripts against a server on this machine, through prove, with a JUnit file each.
# usage: sh examples/ci.sh MAP BOTS SCRIPT...      e.g.  sh examples/ci.sh lift 4 examples/lift.lua
# Environment: BIN, the folder of edictd and edict-bot (default: build, else PATH); OUT, the folder for
# logs and results (default: ci-results).
set -eu
if [ $# -lt 3 ]; then
    echo "usage: sh examples/ci.sh MAP BOTS SCRIPT..." >&2
    exit 2
fi
map=$1 bots=$2
shift 2
if [ -n "${BIN:-}" ]; then bin=$BIN/; elif [ -x build/edictd ]; then bin=build/; else bin=; fi
out=${OUT:-ci-results}
mkdir -p "$out"
: >"$out/server.out" # the loop below may read it before the server starts

"${bin}edictd" -p 0 +set sv_cheats 1 +set sv_maxclients "$bots" +map "$map" >"$out/server.out" 2>"$out/server.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
tries=0
until grep -q 'listening on' "$out/server.out"; do # port 0: the server takes a free one and prints it
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
        cat "$out/server.out" "$out/server.log" >&2
        exit 1
    fi
    sleep 0.1
done
port=$(sed -n 's/.*listening on [^ ]*:\([0-9]*\),.*/\1/p' "$out/server.out")

status=0
for script in "$@"; do
    name=$(basename "$script" .lua)
    prove -e "${bin}edict-bot -c 127.0.0.1:$port -n $bots -t 60 -j $out/$name.xml" "$script" || status=1
done
kill -TERM "$server"
wait "$server" || status=1 # a server that does not end with 0 is a failure, too
trap - EXIT
exit "$status"
