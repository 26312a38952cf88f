#!/usr/bin/env bash
# Tests `make install`: programs compile with the installed headers, link and load; `make uninstall` removes all files.
# usage: tests/e2e/install.sh
# Environment: BUILD (default build). Ends with `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
export EDICTD_USER=${EDICTD_USER:-root} # as root: the folders of the tests are private
prefix=/usr/local
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
warnings="-Wall -Wextra -Wpedantic -Werror"
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$root$prefix/lib/pkgconfig
passed=0 failed=0

check() { # NAME COMMAND...: passes if the command succeeds and prints nothing
    local name=$1
    shift
    if "$@" >"$work/out" 2>&1 && [ ! -s "$work/out" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok $name"
        head -80 "$work/out" # a program that fails to play prints why at the end
    fi
}

c_compilers=("gcc -std=c17 -x c" "clang -std=c17 -x c")
cxx_compilers=("g++ -std=c++17 -x c++" "clang++ -std=c++17 -x c++")

compile_header() { # HEADER: alone, with each compiler
    for compiler in "${c_compilers[@]}" "${cxx_compilers[@]}"; do
        # shellcheck disable=SC2086
        printf '#include <edict/%s>\nextern int not_empty;\n' "$1" | $compiler $warnings -I"$root$prefix/include" -fsyntax-only - || return 1
    done
}

link_example() { # pkg-config flags...
    # shellcheck disable=SC2046,SC2086
    gcc -std=gnu17 $warnings "$root$prefix/share/edictd/examples/example_client.c" -o "$work/example" \
        $(pkg-config --cflags --libs "$@" edict_client)
}

static_example() {
    local flags
    flags=$(pkg-config --static --libs edict_client | sed 's/-ledict_client/-l:libedict_client.a/')
    # shellcheck disable=SC2046,SC2086
    gcc -std=gnu17 $warnings "$root$prefix/share/edictd/examples/example_client.c" -o "$work/example-static" \
        $(pkg-config --cflags edict_client) $flags
}

alone() { # client.h needs no other header of ours: it compiles in a folder of its own
    mkdir -p "$work/alone" && cp "$root$prefix/include/edict/client.h" "$work/alone" || return 1
    for compiler in "${c_compilers[@]}" "${cxx_compilers[@]}"; do
        # shellcheck disable=SC2086
        printf '#include "client.h"\nextern int not_empty;\n' |
            $compiler $warnings -Wconversion -I"$work/alone" -fsyntax-only - || return 1
    done
}

start_server() { # sets server and port
    local log=$work/server.out
    : >"$log" # otherwise the port of the last server may be read before this one opens the file
    "$build/edictd" -p 0 +map "$build/maps/walk1.bsp" </dev/null >"$log" 2>&1 &
    server=$! port=''
    for _ in $(seq 1200); do
        port=$(sed -nE 's/.*listening on [0-9.]+:([0-9]+),.*/\1/p' "$log")
        [ -n "$port" ] && break
        sleep 0.05
    done
}

with_server() { # PROGRAM..., with HOST:PORT for %: runs it against a server
    local server port status
    start_server
    LD_LIBRARY_PATH=$root$prefix/lib timeout 90 "${@/\%/127.0.0.1:$port}" >"$work/client.out" 2>&1
    status=$?
    kill $server
    wait $server
    [ $status -eq 0 ] || cat "$work/server.out" "$work/client.out"
    return $status
}

joins() { # STANDARD COMPILER...: a program of the installed header and library joins a server and predicts
    # shellcheck disable=SC2046,SC2086
    "${@:2}" -std=$1 -D_GNU_SOURCE $warnings tests/e2e/join_alone.c -o "$work/join" $(pkg-config --cflags --libs edict_client) -lm &&
        with_server "$work/join" % "$build/maps"
}

python_with_cffi() { # the system's Python, where another one comes first
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import cffi, pycparser' 2>/dev/null && echo "$python" && return
    done
}

silent() { # the library prints nothing and ends no program: only a failed ASSERT aborts
    nm -D --undefined-only "$root$prefix/lib/libedict_client.so" | awk '{print $2}' | sed 's/@.*//' |
        grep -xE 'printf|vprintf|puts|putchar|fputs|fputc|fwrite|perror|stdout|exit|_exit|_Exit|quick_exit|pthread_create|thrd_create|signal|sigaction|__(v)?printf_chk'
    for object in "$build"/obj/common/*/*.o "$build"/obj/common/*/*/*.o; do
        case ${object##*/} in
        assert.o) continue ;;                                     # prints before it aborts
        option.o) nm "$build/client.o" | grep Option_; continue ;; # not in the library
        esac
        nm "$object" | awk '$1 == "U" {print $2}' |
            grep -xE 'abort|stderr|__(v)?fprintf_chk|v?fprintf' | sed "s|^|${object##*/}: |"
    done
    [ "$(nm -D --undefined-only "$root$prefix/lib/libedict_client.so" | grep -c ' abort\(@\|$\)')" = 1 ]
}

run_example() { # PROGRAM: it runs as far as its usage text
    LD_LIBRARY_PATH=$root$prefix/lib "$1" 2>&1 | grep -q "expected a server"
}

plug_in() { # the static library inside a shared object, as a game engine loads it
    printf '#include <edict/client.h>\nvoid *make_client(void);\nvoid *make_client(void) { return CL_Create(0); }\n' \
        >"$work/plug_in.c"
    # shellcheck disable=SC2046
    gcc -std=gnu17 -fPIC -shared -Wl,-z,defs "$work/plug_in.c" -o "$work/plug_in.so" \
        $(pkg-config --cflags edict_client) \
        $(pkg-config --static --libs edict_client | sed 's/-ledict_client/-l:libedict_client.a/')
}

public_symbols() { # both libraries export the header's functions only, the shared one with a version
    local lib=$root$prefix/lib so=$root$prefix/lib/libedict_client.so version
    version=EDICT_CLIENT_$(sed -nE 's/^Version: ([0-9]+\.[0-9]+)\..*/\1/p' "$lib/pkgconfig/edict_client.pc")
    nm -D --defined-only "$so" | awk '$2 != "A" {print $3}' | sort >"$work/shared"
    nm -g --defined-only "$lib/libedict_client.a" | awk 'NF == 3 {print $3}' | sort >"$work/static"
    {
        grep -oE '\bCL_[A-Za-z0-9]+\(' "$root$prefix/include/edict/client.h" | tr -d '('
        printf '%s\n' enet_socket_send enet_socket_receive enet_time_get enet_time_set # ENet's, replaced
    } | sort -u >"$work/public"
    diff "$work/public" "$work/static" && sed "s/\$/@@$version/" "$work/public" | diff - "$work/shared"
}

own_functions() { # a function of the program with the name of one of the library's does not replace it
    cat >"$work/host.c" <<'END'
#include <edict/client.h>
#include <stdlib.h>
bool Err_Set(cl_err_t *err, const char *format, ...) { (void)err; (void)format; abort(); }
int main(void) {
    cl_address_t address;
    cl_err_t err;
    return CL_Resolve("not an address!", 1, &address, &err);
}
END
    # shellcheck disable=SC2046
    gcc -std=gnu17 "$work/host.c" -o "$work/host" $(pkg-config --cflags --libs edict_client) &&
        LD_LIBRARY_PATH=$root$prefix/lib "$work/host"
}

open_transport() { # OUTPUT EXPECTED LIBRARY...: a program that opens a transport
    local out=$work/$1 expected=$2
    shift 2
    cat >"$work/opens.c" <<'END'
#include <edict/client.h>
#include <stdio.h>
int main(void) {
    cl_net_config_t config = {.local = {.host = 0x7f000001u}};
    cl_err_t err = {""};
    puts(CL_NetCreate(&config, &err) ? "opened" : err.text);
    return 0;
}
END
    # shellcheck disable=SC2046
    gcc -std=gnu17 "$work/opens.c" -o "$out" $(pkg-config --cflags edict_client) -L"$root$prefix/lib" -Wl,--no-as-needed "$@" &&
        LD_LIBRARY_PATH=$root$prefix/lib "$out" | grep -q "$expected"
}

soname() {
    readelf -d "$root$prefix/lib/libedict_client.so" | grep -q "SONAME.*\[libedict_client\.so\.[0-9]*\]"
}

game_module() { # king of the hill, against the installed headers alone
    # shellcheck disable=SC2046,SC2086
    gcc -std=gnu17 $warnings -fPIC -shared "$root$prefix/share/edictd/examples/koth.c" -o "$work/koth.so" \
        $(pkg-config --cflags edict_game) &&
        "$build/edictd" -n -g "$work/koth.so" +map "$build/maps/arena.bsp" +koth_limit 2>&1 |
        grep -q 'koth_limit = '
}

prints_version() { # PROGRAM
    local version name=${1##*/}
    version=$(sed -n 's/^Version: //p' "$root$prefix/lib/pkgconfig/edict_client.pc")
    [ "$("$1" --version)" = "$name $version" ] && [ "$("$1" -V)" = "$name $version" ] &&
        "$1" --help | grep -q usage
}

cvars_in_page() { # every cvar of the server is in the man page
    "$build/edictd" -n +map "$build/maps/arena.bsp" +cvarlist 2>/dev/null | sed -n 's/ = ".*//p' | sort >"$work/cvars"
    sed -n 's/^\.It Cm \([a-z0-9_]*\) Pq default.*/\1/p' "$root$prefix/share/man/man5/edictd.cfg.5" | sort >"$work/page"
    [ -s "$work/cvars" ] && diff "$work/cvars" "$work/page"
}

calls_in_page() { # every call of bot scripts is in the man page
    sed -n '/luaL_Reg methods/,/};/s/.*{"\([a-z_]*\)", .*/\1/p' tools/bot/api.c >"$work/calls"
    [ -s "$work/calls" ] && while IFS= read -r call; do
        grep -qE "^\.It .*Ic bot:$call[({]" "$root$prefix/share/man/man1/edict-bot.1" || echo "no bot:$call"
    done <"$work/calls"
}

links() { # every link of an installed page leads to an installed file
    local docs=$root$prefix/share/doc/edictd page link count=0
    for page in "$docs"/*.md "$root$prefix/share/edictd/trenchbroom/README.md"; do
        while IFS= read -r link; do
            count=$((count + 1))
            case $link in
            /*) [ -e "$root$link" ] ;;
            *) [ -e "$(dirname "$page")/$link" ] ;;
            esac || echo "$(basename "$page"): no $link"
        done < <(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:')
    done
    [ "$count" -gt 30 ] && [ -f "$docs/tools-bot.md" ]
}

install_to() { # DESTDIR VARIABLE...
    local to=$1
    shift
    make -s install BUILD="$build" DESTDIR="$to" "$@"
}

other_folders() { # PREFIX and the folders of a packager are honoured
    install_to "$work/other" PREFIX=/usr libdir=/usr/lib/x86_64-linux-gnu mandir=/usr/man >/dev/null &&
        [ -x "$work/other/usr/bin/edictd" ] && [ -f "$work/other/usr/man/man8/edictd.8" ] &&
        [ -f "$work/other/usr/lib/x86_64-linux-gnu/pkgconfig/edict_client.pc" ] &&
        [ ! -e "$work/other/usr/local" ] && [ ! -e "$work/other/usr/share/man" ] &&
        grep -q '^prefix=/usr$' "$work/other/usr/lib/x86_64-linux-gnu/pkgconfig/edict_client.pc"
}

blank_in_prefix() { # pkg-config's flags stay one word each
    install_to "$work/blank" PREFIX="/opt/my games" >/dev/null &&
        PKG_CONFIG_SYSROOT_DIR='' PKG_CONFIG_PATH="$work/blank/opt/my games/lib/pkgconfig" \
            pkg-config --cflags --libs edict_client >"$work/flags" &&
        (eval "set -- $(cat "$work/flags")" && [ "$1" = "-I/opt/my games/include" ] && [ "$2" = "-L/opt/my games/lib" ])
}

unit_names_program() {
    grep -q "^ExecStart=$prefix/bin/edictd -c " "$root$prefix/lib/systemd/system/edictd.service"
}

uninstalled() { # no file and no folder of ours is left, even when another version without edict-mesh uninstalls
    make -s uninstall BUILD="$build" DESTDIR="$root" VERSION=99.0.0 INSTALLED="$build/edictd" &&
        [ -z "$(find "$root" ! -type d)" ] && [ -z "$(find "$root" -name '*edict*')" ]
}

install_to "$root" >/dev/null || { echo "make install failed"; echo "0 passed, 1 failed"; exit 1; }
while IFS= read -r header; do
    check "header $header" compile_header "$header"
done < <(cd "$root$prefix/include/edict" && find . -name '*.h' | sed 's|^\./||' | sort)
check "example, shared library" link_example
check "example runs, shared library" run_example "$work/example"
check "client.h alone" alone
check "a program in C17 joins" joins c17 gcc
check "a program in C++17 joins" joins c++17 g++ -U_GNU_SOURCE -x c++
skipped=0 python=$(python_with_cffi)
if [ -n "$python" ]; then
    export PYTHONPATH=$root$prefix/share/edictd/python PYTHONDONTWRITEBYTECODE=1
    check "Python" with_server "$python" tests/e2e/python_client.py % "$build/maps" "$root$prefix/share/edictd/examples/bot.py"
    check "Python, a map by URL" env LD_LIBRARY_PATH="$root$prefix/lib" timeout 90 "$python" tests/e2e/python_url.py
else
    skipped=1
    echo "SKIPPED: Python: needs python3-cffi (make deps)"
fi
check "silent library" silent
check "example, static library" static_example
check "example runs, static library" run_example "$work/example-static"
check "static library in a plug-in" plug_in
check "public symbols" public_symbols
check "own functions" own_functions
check "ENet calls the library" open_transport bound "^opened$" -ledict_client
check "ENet calls the library, linked by the program as well" open_transport both "^opened$" -ledict_client -lenet
check "ENet before the library" open_transport unbound "link it before libenet" -lenet -ledict_client
check "ENet before the static library" open_transport static "^opened$" -lenet -l:libedict_client.a -lbsd -lsodium -lxxhash -lzstd -lm
check "soname" soname
check "game module" game_module
for program in edictd edict-bot edict-ctl edict-mapc edict-mesh edict-probe edict-relay; do
    [ -e "$root$prefix/bin/$program" ] || [ $program != edict-mesh ] || continue # needs libassimp-dev
    check "$program --version" prints_version "$root$prefix/bin/$program"
done
check "cvars in edictd.cfg(5)" cvars_in_page
check "calls in edict-bot(1)" calls_in_page
check "links of the pages" links
if command -v mandoc >/dev/null; then
    check "man pages" mandoc -T lint -W warning "$root$prefix"/share/man/man*/*
fi
check "systemd unit" unit_names_program
check "other folders" other_folders
check "blank in PREFIX" blank_in_prefix
check "uninstall" uninstalled
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
