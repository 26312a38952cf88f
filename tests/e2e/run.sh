#!/usr/bin/env bash
# Starts the real daemon and plays on it with the scripts of this folder; see README.md.
# usage: tests/e2e/run.sh [NAME...]      (script or case names; all when none is given)
# Environment: BUILD (default build), JOBS (default 6) scripts at once, SEED (default 1), KEEP=1 keeps the logs.
# Prints a line per test, the output of a failed test, and at the end "N passed, N failed, N skipped".
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
export EDICTD_USER=${EDICTD_USER:-root} # as root: the folders of the tests are private
jobs=${JOBS:-6}
seed=${SEED:-1}
data=../shared/data/bsp
work=$(mktemp -d -t edictd-e2e.XXXXXX)

cleanup() { # ends the daemons this run started that are still there
    local pid
    for pid in "$work"/*/pid; do
        [ -f "$pid" ] && kill -KILL "$(cat "$pid")" 2>/dev/null
    done
    if [ -n "${KEEP:-}" ]; then echo "logs: $work"; else rm -rf "$work"; fi
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# ---- the daemon ----

start_server() { # dir, arguments...: starts it; sets $port. False when it did not come up.
    local dir=$1 tries=0
    shift
    : >"$dir/server.out" # there to be read before the daemon writes
    "$build/edictd" -p 0 "$@" >"$dir/server.out" 2>"$dir/server.log" &
    server=$!
    echo "$server" >"$dir/pid"
    while ! grep -q 'listening on' "$dir/server.out"; do
        if ! kill -0 "$server" 2>/dev/null || [ $((tries += 1)) -gt 1200 ]; then
            fail "$dir" "the server did not come up"
            return 1
        fi
        sleep 0.05
    done
    port=$(sed -n 's/.*listening on [^ ]*:\([0-9]*\),.*/\1/p' "$dir/server.out")
    [ -n "$port" ] || fail "$dir" "the server did not say its port"
}

stop_server() { # dir: it must still be there, and end by itself with status 0 when asked to
    local dir=$1 status tries=0
    kill -TERM "$server" 2>/dev/null || fail "$dir" "the server was gone"
    while kill -0 "$server" 2>/dev/null && [ $((tries += 1)) -le 600 ]; do
        sleep 0.05
    done
    kill -KILL "$server" 2>/dev/null && fail "$dir" "the server was still there 30 s after SIGTERM"
    wait "$server"
    status=$?
    rm -f "$dir/pid"
    [ "$status" -eq 0 ] || fail "$dir" "the server ended with status $status"
}

# ---- results ----

fail() { # dir, reason: the test of that folder has failed
    echo "$2" >>"$1/failed"
}

expect_text() { # dir, file, text: the file must contain the text
    grep -qF -e "$3" "$1/$2" || fail "$1" "$2: expected \"$3\", not found"
}

expect_status() { # dir, what, wanted, found
    [ "$3" -eq "$4" ] || fail "$1" "$2: expected exit status $3, found $4"
}

wait_for_text() { # dir, file, count, text: waits until that many lines of the file contain the text
    local tries=0
    : >>"$1/$2" # the program that writes it may not have started
    while [ "$(grep -cF -e "$4" "$1/$2")" -lt "$3" ]; do
        if [ $((tries += 1)) -gt 1200 ]; then
            fail "$1" "$2: expected $3 lines with \"$4\" within 60 s"
            return
        fi
        sleep 0.05
    done
}

# ---- one script ----

field() { # name: its value in the header line $header, up to the next two blanks
    sed -n "s/.*[- ]$1: *\(.*\)/\1/p" <<<"$header" | sed 's/  [a-z]*:.*//; s/ *$//'
}

run_script() { # dir, script, header
    local dir=$1 script=$2 header=$3 map bots seconds wanted server_args status text
    map=$(field map) bots=$(field bots) seconds=$(field seconds) wanted=$(field status)
    local path=$build/maps/$map.bsp
    [ "$(field data)" = yes ] && path=$data/$map.bsp
    if [ ! -f "$path" ]; then
        if [ "$(field data)" = yes ]; then
            echo "$path is not there" >"$dir/skipped"
        else
            fail "$dir" "$path: not compiled (make maps)"
        fi
        return
    fi
    read -ra server_args <<<"$(field server)"
    # With this timeout, the server does not stop the player of a bot that a busy machine delays for a moment.
    start_server "$dir" +set sv_input_timeout_ms 1000 "${server_args[@]}" +map "$path" || return
    timeout $((seconds + 20)) "$build/edict-bot" -c "127.0.0.1:$port" -n "$bots" -t "$seconds" \
        -S "$seed" -m "$build/maps:$data" "$script" >"$dir/bot.out" 2>"$dir/bot.err"
    status=$?
    expect_status "$dir" edict-bot "${wanted:-0}" "$status"
    while IFS= read -r text; do
        expect_text "$dir" bot.out "$text"
    done < <(sed -n 's/^-- says: //p' "$script")
    [ -s "$dir/bot.err" ] && fail "$dir" "edict-bot wrote to standard error"
    stop_server "$dir"
    while IFS= read -r text; do
        expect_text "$dir" server.log "$text"
    done < <(sed -n 's/^-- log: //p' "$script")
}

# ---- all of them ----

# shellcheck source=tests/e2e/cases.sh
. tests/e2e/cases.sh

wanted_name() { # name, the names asked for...
    local name=$1 one
    shift
    [ $# -eq 0 ] && return 0
    for one in "$@"; do
        [ "$(basename "$one" .lua)" = "$name" ] && return 0
    done
    return 1
}

number=0
start_test() { # label, function, arguments...: runs it in the background, in a folder of its own
    local dir label=$1
    shift
    number=$((number + 1))
    dir=$work/$(printf %03d "$number")
    mkdir "$dir"
    echo "$label" >"$dir/label"
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    "$1" "$dir" "${@:2}" &
}

for script in tests/e2e/*.lua; do
    name=$(basename "$script" .lua)
    wanted_name "$name" "$@" || continue
    while IFS= read -r header; do
        start_test "$name: ${header#-- }" run_script "$script" "$header"
    done < <(grep '^-- map: ' "$script")
done
for name in $(declare -F | sed -n 's/^declare -f case_//p'); do
    wanted_name "$name" "$@" && start_test "$name" "case_$name"
done
wait

passed=0 failed=0 skipped=0
echo "TAP version 13"
echo "1..$number"
for dir in "$work"/[0-9]*; do
    label="$((10#$(basename "$dir"))) - $(cat "$dir/label")"
    if [ -f "$dir/failed" ]; then
        failed=$((failed + 1))
        echo "not ok $label"
        sed 's/^/#   /' "$dir/failed"
        for log in "$dir"/*.out "$dir"/*.err "$dir"/*.log; do
            [ -s "$log" ] && echo "# $(basename "$log"):" && grep -v '^ok ' "$log" | tail -n 40 | sed 's/^/#     /'
        done
    elif [ -f "$dir/skipped" ]; then
        skipped=$((skipped + 1))
        echo "ok $label # SKIP $(cat "$dir/skipped")"
        echo "skipped: $(cat "$dir/label"): $(cat "$dir/skipped")"
    else
        passed=$((passed + 1))
        echo "ok $label"
    fi
done
[ "$number" -gt 0 ] || { echo "no such test: $*" && failed=1; }
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
