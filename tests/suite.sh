#!/usr/bin/env bash
# make test: builds and runs everything, adds up the counts, ends with "N passed, N failed".
# Environment: BUILD (default build), EDICTD_LONG=1 for the big counts.
set -u
cd "$(dirname "$0")/.."
build=${BUILD:-build}
export BUILD=$build
tally=$(mktemp)
export EDICTD_TALLY=$tally
export EDICTD_USER=root # as root: the folders of the tests are private
# Servers that tests killed leave control sockets, which edict-ctl finds without a server: status 2.
others=
tidy() {
    [ -z "$others" ] || kill -- "-$others" 2>/dev/null
    for socket in $(find /run/edictd -name '*.sock' -newer "$tally.begin" 2>/dev/null); do
        "$build/edict-ctl" -s "$socket" echo >/dev/null 2>&1
        [ $? -ne 2 ] || rm -f "$socket"
    done
    rm -f "$tally" "$tally.scripts" "$tally.others" "$tally.begin"
}
touch "$tally.begin"
trap tidy EXIT
started=$SECONDS

note() { # passed failed skipped: what a step that does not count by itself counts as
    echo "$1 $2 $3" >>"$tally"
}

step() { echo; echo "== $* ($((SECONDS - started)) s)"; }

build_tests() { # BUILD=DIR, make variables...: false if they do not compile
    nice make -s -j2 "$@" tests || { note 0 1 0; false; }
}

run_tests() { # label, BUILD=DIR, make variables...: the scripts of the daemon beside them go first
    local label=$1 programs
    shift
    programs=$(make -s "$@" list-tests)
    [ -n "$programs" ] || note 0 1 0
    # Each program finds the compiled maps of the plain build.
    # shellcheck disable=SC2086
    nice tests/run.py --label "$label" $programs
}

build_and_run() { # label, BUILD=DIR, make variables...
    step "unit and simulation tests: $1"
    build_tests "${@:2}" && run_tests "$@"
}

drive_daemon() { # mostly waits, so it runs while the cores compile and test; two at once, the long ones first
    tests/run.py --jobs 2 --label e2e tests/e2e/run.sh tests/e2e/readme.py tests/e2e/daemon.py tests/e2e/install.sh \
        tests/e2e/control.py tests/e2e/sandbox.py tests/e2e/service.py tests/e2e/tokens.py tests/e2e/ctl.py \
        tests/e2e/game_page.sh tests/e2e/client_page.py tests/protocol/seal.py tests/protocol/join.py tests/wasm/session.sh
    [ $? -lt 128 ] || return # interrupted
    [ -n "${EDICTD_LONG:-}" ] || attack_daemon
    echo "ended after $((SECONDS - started)) s"
}

attack_daemon() {
    EDICTD_TEST_LIMIT_S=3000 tests/run.py --jobs 1 --label attack tests/attack/attack.py
}

fuzz_opt=-O0 # short runs: compiling takes longer than running
[ -z "${EDICTD_LONG:-}" ] || fuzz_opt=-O1

check_others() { # JOBS: all that compiles in folders of its own
    step "same bits from other compilers and CPUs"
    if BUILD="$build" nice tests/golden/across.sh; then note 1 0 0; else note 0 1 0; fi

    step "fuzz targets, a short fixed run each"
    if nice make -s -j"$1" BUILD="$build" CFLAGS=-g1 fuzz FUZZ_OPT=$fuzz_opt FUZZ_JOBS="$1" \
        FUZZ_RUNS="${FUZZ_RUNS:-3000}"; then
        note 1 0 0
    else
        note 0 1 0
    fi

    step "golden runs of the whole server with clang (objects of the fuzz targets)"
    local clang golden
    clang="BUILD=$build/fuzz CC=clang OPT=$fuzz_opt CFLAGS=-g1 SAN=fuzzer-no-link,address,undefined"
    golden=$(printf "$build/fuzz/tests/%s " unit/common/move/test_random_golden unit/server/core/test_frame \
        unit/server/physics/test_{golden,push_golden} \
        ${EDICTD_LONG:+sim/test_match unit/server/physics/test_crowd_golden}) # a minute each with -O0
    # shellcheck disable=SC2086
    if nice make -s -j"$1" $clang $golden; then
        nice tests/run.py --jobs "$1" --label "clang golden" $golden
    else
        note 0 1 0
    fi

    step "house rules"
    if nice tools/lint/lint.py --build "$build" --no-tidy; then note 1 0 0; else note 0 1 0; fi
    echo "ended after $((SECONDS - started)) s"
}

step "programs and maps"
if make -s -j2 BUILD="$build" all; then note 1 0 0; else note 0 1 0; fi
step "unit and simulation tests: gcc -O2"
build_tests BUILD="$build" CC=gcc
if command -v node >/dev/null && command -v wasm-ld >/dev/null && [ -d /usr/include/wasm32-wasi ]; then
    nice make -s -j2 BUILD="$build" wasm wasm-golden || note 0 1 0 # two of the tests below need them
fi
daemon_s=$((SECONDS - started))
drive_daemon >"$tally.scripts" 2>&1 &
# Beside the unit tests: no core is idle while those link, or wait for their last program.
if [ -z "${EDICTD_LONG:-}" ]; then
    set -m # a process group of its own, which tidy ends
    check_others 1 >"$tally.others" 2>&1 &
    others=$!
    set +m
fi
run_tests "gcc -O2" BUILD="$build" CC=gcc
if [ -n "${EDICTD_LONG:-}" ]; then
    build_and_run "clang -O3" BUILD="$build/clang" CC=clang OPT=-O3 CFLAGS=-g1
fi
build_and_run "gcc -O1, address and undefined sanitizers, VALIDATE" BUILD="$build/san" CC=gcc OPT=-O1 \
    CFLAGS=-g1 SAN=address,undefined VALIDATE=${EDICTD_LONG:-16} TEST_OPT=-O0

if [ -n "${EDICTD_LONG:-}" ]; then
    check_others 2

    step "maps in other engines"
    tests/run.py --jobs 1 --label engines tests/engines/engines.py

    step "make run and make test in a bare Debian 12"
    EDICTD_TEST_LIMIT_S=7200 tests/run.py --label bare tests/bare.sh
fi

if [ -n "$others" ]; then
    wait "$others"
    others=
    cat "$tally.others"
fi

step "the real daemon, driven by scripts and attacked: begun $daemon_s s after the start"
wait
cat "$tally.scripts"
if [ -n "${EDICTD_LONG:-}" ]; then # 256 players
    step "attacks on the real daemon"
    attack_daemon
fi

echo
awk -v took=$((SECONDS - started)) '{p += $1; f += $2; s += $3} END {
    printf "took %d s, %d skipped\n%d passed, %d failed\n", took, s, p, f
    exit f > 0 || p == 0
}' "$tally"
