#!/usr/bin/env bash
# The two commands of the README, `make run` and `make test`, in a bare Debian 12: a new root file
# system with the minimal packages and make. `make test-long` runs it.
# usage: tests/bare.sh [run|test]...     (default: both)
# Environment: BARE_STOP=TEXT ends `make test` with success when its output contains TEXT, for a
# shorter run; BARE_ROOT=DIR keeps the root file system in DIR and uses it again.
# Needs root, mmdebstrap or debootstrap, and the package sources of this machine's apt.
# Prints a line per check and ends with `N passed, N failed`, or with `SKIPPED: reason`.
set -u
cd "$(dirname "$0")/.."
passed=0 failed=0
arguments=("$@")
[ $# -gt 0 ] || arguments=(run test)

skip() {
    echo "SKIPPED: bare.sh: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

result() { # STATUS NAME
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok $2"
    else
        failed=$((failed + 1))
        echo "not ok $2"
    fi
}

[ "$(id -u)" -eq 0 ] || skip "needs root for chroot"
command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null || skip "needs mmdebstrap or debootstrap"
# The sources of this machine's apt, as one-line entries.
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    grep -E ' bookworm(-security|-updates)? ' | sort -u)
mirror=$(echo "$sources" | awk '$3 == "bookworm" && $4 == "main" {print $2; exit}')
[ -n "$mirror" ] || skip "apt has no source of Debian 12 (bookworm); run apt-get update"

work=$(mktemp -d -t edictd-bare.XXXXXX)
root=${BARE_ROOT:-$work/root}
inside=   # the process group of the command in the chroot

cleanup() {
    [ -z "$inside" ] || kill -KILL -- "-$inside" 2>/dev/null
    for folder in proc dev; do
        mountpoint -q "$root/$folder" && umount -l "$root/$folder"
    done
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

make_root() {
    if command -v mmdebstrap >/dev/null; then
        echo "$sources" | mmdebstrap --quiet --variant=minbase --mode=root bookworm "$root" -
    else
        debootstrap --variant=minbase bookworm "$root" "$mirror" && echo "$sources" >"$root/etc/apt/sources.list"
    fi
}

# Copies the commit that is checked out, and the data beside it. Only root can read it.
copy_checkout() {
    rm -rf "$root/src" "$root/shared"
    mkdir -p "$root/src" && git archive HEAD | tar -x -C "$root/src" || return 1
    chmod 700 "$root/src"
    [ ! -d ../shared ] || cp -a ../shared/. "$root/shared"
}

# Settings of this machine: name resolution, and how apt reaches its sources.
copy_settings() {
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    local file
    for file in /etc/apt/apt.conf.d/*; do
        if grep -qE '^Acquire::' "$file"; then cp "$file" "$root/etc/apt/apt.conf.d/"; fi
    done
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
    mountpoint -q "$root/dev" || mount --rbind --make-rslave /dev "$root/dev"
}

install_make() { # make itself is the only package that the user needs beforehand
    [ -x "$root/usr/bin/make" ] ||
        (in_root "apt-get update -q && apt-get install -y -q --no-install-recommends make") \
            >"$work/root.log" 2>&1 || { tail "$work/root.log"; return 1; }
}

in_root() { # COMMAND: replaces this (sub)shell by it, in the chroot, in a session of its own
    exec setsid env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LANG=C.UTF-8 PORT="$port" chroot "$root" /bin/sh -c "cd /src && $1"
}

wait_for() { # TEXT FILE SECONDS: true when the file contains the text before the process ends
    local n
    for ((n = 0; n < $3; n++)); do
        grep -qF "$1" "$2" && return 0
        kill -0 "$inside" 2>/dev/null || { grep -qF "$1" "$2"; return; }
        sleep 1
    done
    return 1
}

check_run() {
    in_root "make run" >"$work/run.log" 2>&1 &
    inside=$!
    wait_for "listening on" "$work/run.log" 1800
    result $? "make run starts a server"
    local join
    join=$(sed -n 's/.*join with: //p' "$work/run.log" | sed 's/ -c / -t 20 -c /')
    [ -n "$join" ] && (in_root "$join") >"$work/join.log" 2>&1
    result $? "the command that it prints joins"
    # Send the signal to the server, as systemd does: make would end with a status of its own.
    local server
    server=$(pgrep -s "$inside" -x edictd)
    [ -n "$server" ] && [ "$(stat -c %u "/proc/$server")" -ne 0 ]
    result $? "the server runs as a user without rights"
    [ -n "$server" ] && kill -TERM "$server"
    wait "$inside"
    result $? "SIGTERM ends it with status 0"
    inside=
    [ $failed -eq 0 ] || tail -n 30 "$work/run.log" "$work/join.log"
}

check_test() {
    in_root "make test" >"$work/test.log" 2>&1 &
    inside=$!
    if [ -n "${BARE_STOP:-}" ]; then
        wait_for "$BARE_STOP" "$work/test.log" 5400 && ! grep -qE '^(FAILED|make.*Error)' "$work/test.log"
        result $? "make test as far as \"$BARE_STOP\""
    else
        wait "$inside"
        result $? "make test"
        inside=
    fi
    grep -E '^(ok|FAILED|== )' "$work/test.log" | tail -n 15
    [ $failed -eq 0 ] || tail -n 60 "$work/test.log"
}

port=$((20000 + RANDOM % 10000)) # so that two runs on one machine do not use the same port
if [ ! -d "$root/usr" ]; then
    make_root >"$work/root.log" 2>&1 || { tail "$work/root.log"; result 1 "bare root file system"; }
fi
if [ $failed -eq 0 ] && copy_checkout && copy_settings && install_make; then
    for argument in "${arguments[@]}"; do
        "check_$argument"
    done
else
    result 1 "checkout in the root file system"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
