#!/usr/bin/env bash
# Tests that the code in docs/game.md and king of the hill compile, and that the server loads the first.
# usage: tests/e2e/game_page.sh
# Environment: BUILD (default build). Ends with `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
export EDICTD_USER=${EDICTD_USER:-root} # as root: the folders of the tests are private
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-std=c17 -O2 -ffp-contract=off -fPIC -fvisibility=hidden -Wall -Wextra -Wpedantic -Werror"
passed=0 failed=0

check() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok $name"
        head -20 "$work/out"
    fi
}

block() { # NUMBER: that block of C of the page
    awk -v wanted="$1" '/^```c$/ { n++; inside = n == wanted; next } /^```$/ { inside = 0 } inside' docs/game.md
}
block 1 >"$work/coins.c"
{ echo '#include <edict/game_api.h>' && block 2; } >"$work/cart.c"

describe() { # MODULE CLASS: the server reads the tables of the module
    "$build/edictd" -g "$1" --fgd | grep -q "$2"
}

is_small() { # a game includes neither collision nor SIMD headers
    ! gcc -std=c17 -Icommon -Iserver -M server/core/game_api.h | grep -E 'collide/|immintrin'
}

for compiler in gcc clang; do
    # shellcheck disable=SC2086
    check "docs/game.md with $compiler" $compiler $flags -Iinclude -Icommon -Iserver -shared "$work/coins.c" common/math/*.c \
        common/base/assert.c -lm -o "$work/coins.so"
    # shellcheck disable=SC2086
    check "the cart of docs/game.md with $compiler" $compiler $flags -Wno-unused-function -Iinclude -Icommon -Iserver \
        -c "$work/cart.c" -o "$work/cart.o"
    # shellcheck disable=SC2086
    check "koth.c with $compiler" $compiler $flags -Icommon -Iserver -Iinclude -c server/game/koth/koth.c -o "$work/koth.o"
done
check "the server loads the game of docs/game.md" describe "$work/coins.so" item_coin
check "game_api.h includes no collision headers" is_small
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
