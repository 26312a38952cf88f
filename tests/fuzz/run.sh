#!/bin/sh
# run.sh FUZZER RUNS SECONDS: one libFuzzer target from its corpus, fixed seed, bounded. A finding is
# kept under the build folder and printed.
set -eu
fuzzer=$1
name=$(basename "$fuzzer")
name=${name#fuzz_}
work=$(dirname "$fuzzer")/work/$name
mkdir -p "$work"
corpus=tests/fuzz/corpus/$name
[ -d "$corpus" ] || corpus=""
# shellcheck disable=SC2086
if "$fuzzer" -seed=1 -runs="$2" -max_total_time="$3" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 \
    -verbosity=0 -artifact_prefix="$work/" "$work" $corpus >"$work.log" 2>&1; then
    echo "ok     fuzz $name"
else
    echo "FAILED fuzz $name"
    tail -40 "$work.log"
    exit 1
fi
