#!/usr/bin/env bash
# Runs a command of the build as `make run` and `make demo` do. As root, makes the user _edictd for
# the server, and runs in a copy of the programs and maps if that user cannot read the checkout.
# usage: tools/run.sh BUILD COMMAND...      (in the checkout; COMMAND is a path in it)
set -u
build=$1
shift
[ "$(id -u)" -eq 0 ] && [ -z "${EDICTD_USER:-}" ] || exec "$@"

if ! getent passwd _edictd >/dev/null &&
    ! useradd --system --no-create-home --shell /usr/sbin/nologin _edictd; then
    echo "run.sh: cannot make the user _edictd; the server stays root's" >&2
    EDICTD_USER=root exec "$@"
fi
can_read() {
    setpriv --reuid=_edictd --regid=_edictd --clear-groups test -r "$PWD/$build/maps" -a \
        -x "$PWD/$build/edict-bot" -a -r "$PWD/examples/fighter.lua" 2>/dev/null
}
! can_read || exec "$@"

folder=$(mktemp -d /tmp/edictd-run.XXXXXX) # not below a TMPDIR that only root can read
server=
trap 'rm -rf "$folder"' EXIT
trap '[ -z "$server" ] || kill "$server" 2>/dev/null' INT TERM HUP
cp -a --parents "$build"/edict{d,-bot} "$build"/game_*.so "$build/maps" examples tools/bot/demo.sh "$folder" &&
    chmod -R a+rX "$folder" && cd "$folder" || exit 1
"$@" &
server=$!
while kill -0 "$server" 2>/dev/null; do wait "$server"; done # a signal ends wait, too
wait "$server"
