#!/bin/sh
# The same bits from every compiler and CPU: compiles movement, collision and maths with the test
# hall for gcc and clang, -O0 and -O3, arm64 (under qemu) and WebAssembly, and compares each output with
# tests/golden/move*.txt, brush.txt and mesh.txt. Run from the root of the repository. Names and skips
# each compiler that is not installed. Prints a line for each; exit status 1 when one differs.
# Without EDICTD_LONG=1, half of them: the unit tests check gcc -O1 and -O2 and clang -O0 as well.
set -u
out=${BUILD:-build}/across
mkdir -p "$out"
base=$(ls common/base/*.c | grep -v unpack) # needs zstd
sources="common/move/*.c common/math/*.c common/collide/*.c common/collide/*/*.c common/bsp/*.c common/model/*.c $base
         tests/lib/scene_fixture.c tests/lib/ibsp_fixture.c tests/lib/map_fixture.c tests/lib/golden_fixture.c
         tests/lib/brush_runs_fixture.c tests/lib/mesh_fixture.c tests/lib/mesh_runs_fixture.c
         tests/golden/move_main.c tests/golden/strlcpy.c"
flags="-std=c17 -ffp-contract=off -fno-strict-aliasing -D_GNU_SOURCE -DLIBBSD_OVERLAY -DVALIDATE=0
       -DXXH_INLINE_ALL -Iinclude -Icommon -Itests -w"

# check NAME RUNNER COMPILER FLAGS...
check() {
    name=$1
    runner=$2
    shift 2
    if ! command -v "$1" >/dev/null || { [ -n "$runner" ] && ! command -v "$runner" >/dev/null; }; then
        echo "across: $name: SKIPPED: $1 $runner is not installed"
        return
    fi
    kernel8= # x86-64 compiles the mesh kernels a second time, as the Makefile does
    # shellcheck disable=SC2086
    if [ -z "$runner" ]; then
        kernel8=$out/$name.kernel8.o
        "$@" $flags -DLANES=8 -mavx2 -mbmi2 -mfma -c common/collide/mesh/mesh_kernel.c -o "$kernel8"
    fi
    # shellcheck disable=SC2086
    if ! "$@" $flags $sources $kernel8 -o "$out/$name" -lm; then
        echo "across: $name: does not compile"
        touch "$out/failed"
        return
    fi
    compare "$name" "$runner" "$out/$name"
}

# compare NAME RUNNER PROGRAM
compare() {
    name=$1
    for golden in move move_quake move_quake2 move_halflife move_sweep move_drop move_types brush mesh; do
        if $2 "$3" $golden >"$out/$name.$golden.txt" &&
            cmp "$out/$name.$golden.txt" tests/golden/$golden.txt; then
            echo "across: $name: $golden: same bits"
        else
            echo "across: $name: $golden: differs from tests/golden/$golden.txt"
            touch "$out/failed"
        fi
    done
}

# Two at once, one after the other in each: compiling is most of the time.
x86_64() {
    check gcc-O0 "" gcc -O0 -isystem /usr/include/bsd
    check clang-O3 "" clang -O3 -isystem /usr/include/bsd
    [ -n "${EDICTD_LONG:-}" ] || return
    check gcc-O3 "" gcc -O3 -isystem /usr/include/bsd
    check clang-O0 "" clang -O0 -isystem /usr/include/bsd
    check x86-64-v3 "" gcc -O3 -march=x86-64-v3 -isystem /usr/include/bsd
}

arm64() {
    for level in ${EDICTD_LONG:+0} 3; do
        check "arm64-O$level" qemu-aarch64-static aarch64-linux-gnu-gcc "-O$level" -static \
            -isystem /usr/include/bsd -idirafter /usr/include
    done
}

# The objects of `make wasm`, under Node.js.
wasm32() {
    if ! command -v node >/dev/null || ! command -v wasm-ld >/dev/null || [ ! -d /usr/include/wasm32-wasi ]; then
        echo "across: wasm32: SKIPPED: Node.js, lld or wasi-libc is not installed"
    elif make -s -j2 BUILD="${BUILD:-build}" wasm-golden; then
        compare wasm32 "node tests/wasm/run.mjs" "${BUILD:-build}/wasm/golden.wasm"
    else
        echo "across: wasm32: does not compile"
        touch "$out/failed"
    fi
}

rm -f "$out/failed"
arm64 >"$out/arm64.log" 2>&1 &
x86_64
wasm32
wait
cat "$out/arm64.log"
[ ! -e "$out/failed" ]
