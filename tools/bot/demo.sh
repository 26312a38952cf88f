#!/usr/bin/env bash
# make demo: starts the server on a map and lets 16 bots play on it, with a status line every second.
# usage: [PORT=PORT] tools/bot/demo.sh BUILD_DIR MAP SECONDS
set -u
build=$1 map=$2 seconds=$3
work=$(mktemp -d)
server=
cleanup() {
    [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server"
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

"$build/edictd" -p "${PORT:-0}" +set sv_mappath "$build/maps:maps" +set g_weaponstay 1 +map "$map" >"$work/out" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
    grep -q 'listening on' "$work/out" && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
port=$(sed -n 's/.*listening on [^ ]*:\([0-9]*\),.*/\1/p' "$work/out")
if [ -z "$port" ]; then
    cat "$work/out" "$work/log" >&2
    server=
    exit 1
fi
cat "$work/out"
"$build/edict-bot" -c "127.0.0.1:$port" -n 16 -t "$((seconds * 4 / 3))" -m "$build/maps" --status "examples/fighter.lua"
status=$?
kill -TERM "$server"
wait "$server" || status=1
server=
tail -n 2 "$work/log"
exit $status
