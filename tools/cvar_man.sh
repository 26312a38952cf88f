#!/bin/sh
# Prints edictd.cfg.5 with an entry for every cvar of `edictd +cvarlist`.
# usage: tools/cvar_man.sh EDICTD MAP <docs/man/edictd.cfg.5
set -eu
list=$("$1" -n +map "$2" +cvarlist 2>/dev/null) # its own status counts: no pipe here
list=$(printf '%s\n' "$list" | grep ' = "')
# name = "value" (default "value") [range], note: help; range and note may be missing.
entries=$(printf '%s\n' "$list" | sed -nE \
    -e 's/^([a-z0-9_]+) = ".*" \(default "(.*)"\)( \[[^]]*\])?: (.*)/.It Cm \1 Pq default "\2"\3\n\4/p' \
    -e 's/^([a-z0-9_]+) = ".*" \(default "(.*)"\)( \[[^]]*\])?, ([^:]+): (.*)/.It Cm \1 Pq default "\2"\3\n.Em \4 ;\n\5/p')
[ "$(printf '%s\n' "$list" | wc -l)" -eq "$(printf '%s\n' "$entries" | grep -c '^\.It')" ] || {
    echo "cvar_man.sh: a line of +cvarlist has a format that is not known here" >&2
    exit 1
}
while IFS= read -r line; do
    case $line in
    '.\" CVARS'*) printf '%s\n' "$entries" ;;
    *) printf '%s\n' "$line" ;;
    esac
done
