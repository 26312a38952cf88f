#!/usr/bin/env bash
# A session of the WebAssembly client library in Node.js (session.mjs). Skipped without the tools.
set -u
build=${BUILD:-build}
cd "$(dirname "$0")/../.." || exit 1
if ! command -v node >/dev/null || ! command -v wasm-ld >/dev/null || [ ! -d /usr/include/wasm32-wasi ]; then
    echo "session.sh: SKIPPED: Node.js, lld or wasi-libc is not installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
make -s BUILD="$build" wasm "$build"/tests/wasm/{bridge,replay} "$build/edictd" "$build/maps/walk1.bsp" >/dev/null && exec node tests/wasm/session.mjs "$build"
echo "0 passed, 1 failed"
exit 1
