#!/bin/sh
# run.sh FUZZER RUNS SECONDS: one libFuzzer target from its corpus, fixed seed, bounded; targets whose
# every input is a whole compile or a running server get a share of RUNS. A finding is kept under the
# build folder and printed.
set -eu
fuzzer=$1
name=$(basename "$fuzzer")
name=${name#fuzz_}
options=
case $name in
gate) runs=$(($2 / 64)) options=-detect_leaks=0 ;; # it keeps its server: otherwise each input runs twice
client) runs=$(($2 / 20)) ;; # each input is a session of many datagrams
keep | mapc) runs=$(($2 / 40)) ;;
bsp | play | world) runs=$(($2 / 8)) ;;
console | operator | session) runs=$(($2 / 40)) ;; # a whole server or two sockets each time
*) runs=$2 ;;
esac
work=$(dirname "$fuzzer")/work/$name
mkdir -p "$work"
corpus=tests/fuzz/corpus/$name
[ -d "$corpus" ] || corpus=""
# shellcheck disable=SC2086
if "$fuzzer" -seed=1 -runs="$runs" -max_total_time="$3" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 $options \
    -verbosity=0 -artifact_prefix="$work/" "$work" $corpus >"$work.log" 2>&1; then
    echo "ok     fuzz $name"
else
    echo "FAILED fuzz $name"
    tail -40 "$work.log"
    exit 1
fi
