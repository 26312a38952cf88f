#!/bin/sh
# Installs or uninstalls edictd. `make install` and `make uninstall` call it with their variables.
# usage: tools/install.sh install|uninstall
set -eu
cd "$(dirname "$0")/.."
action=$1

# file MODE SOURCE FOLDER [NAME]: installs one file, or removes it.
file() {
    to=$DESTDIR$3/${4:-$(basename "$2")}
    if [ "$action" = install ]; then
        mkdir -p "$DESTDIR$3"
        $INSTALL -m "$1" "$2" "$to"
        echo "${to#"$DESTDIR"}" >>"$work/manifest"
    else
        rm -f "$to"
    fi
}

# files MODE FOLDER SOURCE...
files() {
    mode=$1 folder=$2
    shift 2
    for source; do
        file "$mode" "$source" "$folder"
    done
}

# alias_of TARGET NAME: a symbolic link in libdir.
alias_of() {
    if [ "$action" = install ]; then
        ln -sf "$1" "$DESTDIR$libdir/$2"
        echo "$libdir/$2" >>"$work/manifest"
    else
        rm -f "$DESTDIR$libdir/$2"
    fi
}

# Public headers include each other relative to their own folder, so that -I$includedir is enough.
header() { # SOURCE, FOLDER below edict/, PATH from there to edict/
    sed "s|#include \"edict/|#include \"${3:-}|; t; s|#include \"\([a-z]*/\)|#include \"$3\1|" "$1" >"$work/$(basename "$1")"
    file 644 "$work/$(basename "$1")" "$includedir/edict$2"
}

# Pages are installed side by side: tools/bot/README.md becomes tools-bot.md. Links follow.
page() { # SOURCE, NAME, FOLDER if it is not $docdir
    sed -e "s|](\(\.\./\)*docs/|](${3:+$docdir/}|g" -e 's|](\(\.\./\)*maps/\([a-z-]*\.png\))|](\2)|g' \
        -e "s|](\(\.\./\)*maps/trenchbroom/|]($datadir/edictd/trenchbroom/|g" \
        -e "s|](\(\.\./\)*examples/|]($datadir/edictd/examples/|g" \
        -e "s|](\(\.\./\)*server/game/koth/|]($datadir/edictd/examples/|g" \
        -e 's|](\(\.\./\)*\([a-z]*\)/\([a-z]*\)/README\.md)|](\2-\3.md)|g' "$1" >"$work/$2"
    file 644 "$work/$2" "${3:-$docdir}"
}

# pkg-config files; $1: name, $2: description, $3: further lines.
pc_file() {
    cat >"$work/$1.pc" <<END
prefix=$PREFIX
libdir=$(below_prefix "$libdir")
includedir=$(below_prefix "$includedir")
moduledir=$(below_prefix "$moduledir")

Name: $1
Description: $2
Version: $VERSION
Cflags: -I"\${includedir}"
$3
END
    file 644 "$work/$1.pc" "$libdir/pkgconfig"
}

below_prefix() {
    case $1 in
    "$PREFIX"/*) echo "\${prefix}/${1#"$PREFIX"/}" ;;
    *) echo "$1" ;;
    esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2086
files 755 "$bindir" $PROGRAMS
# shellcheck disable=SC2086
files 755 "$moduledir" $MODULES
# shellcheck disable=SC2086
files 644 "$datadir/edictd/maps" $MAPS maps/arena.map maps/foundry.map
files 644 "$datadir/edictd/maps/models" $MESHES
files 644 "$datadir/edictd/examples" examples/*.* server/game/koth/koth.c
files 644 "$datadir/edictd/trenchbroom" maps/trenchbroom/*.*
page maps/trenchbroom/README.md README.md "$datadir/edictd/trenchbroom"
files 644 "$docdir" LICENSE maps/*.png docs/*.svg
for path in README.md docs/*.md; do
    page "$path" "$(basename "$path")"
done
for path in server/game tools/bot tools/mesh common/net common/proto; do # docs/*.md link to these
    page "$path/README.md" "$(echo "$path" | tr / -).md"
done

file 644 "$BUILD/libedict_client.a" "$libdir"
file 755 "$BUILD/libedict_client.so.$VERSION" "$libdir"
alias_of "libedict_client.so.$VERSION" "$SONAME"
alias_of "$SONAME" libedict_client.so
pc_file edict_client "client library of the edictd game server" \
    "Libs: -L\"\${libdir}\" -ledict_client
Libs.private: -lm
Requires.private: libenet, libbsd, libsodium, libxxhash, libzstd"
pc_file edict_game "interface between edictd and game modules" ""

file 644 "$BUILD/edict/client.h" "$includedir/edict"
files 644 "$datadir/edictd/python/edict" tools/python/edict/__init__.py "$BUILD/edict/client.h"
for path in include/edict/game_api.h include/edict/types.h; do
    header "$path" "" ""
done
for path in $HEADERS; do
    below=${path#*/}
    folder=$(dirname "$below")
    header "$path" "/$folder" "$(echo "$folder" | sed 's|[^/]*|..|g')/"
done

sed "s|@bindir@|$bindir|" mk/edictd.service >"$work/edictd.service"
file 644 "$work/edictd.service" "$unitdir"

for page in $MAN; do
    file 644 "$page" "$mandir/man${page##*.}"
done

# The manifest lists all files ever installed, also by older versions or with other libraries.
manifest=$DESTDIR$datadir/edictd/manifest
if [ "$action" = install ]; then
    touch "$manifest"
    sort -u -o "$manifest" "$manifest" "$work/manifest"
    chmod 644 "$manifest"
elif [ -e "$manifest" ]; then
    while IFS= read -r path; do
        rm -f "$DESTDIR$path"
    done <"$manifest"
    rm "$manifest"
fi

# The loader's cache, unless a packager stages the files.
[ -n "$DESTDIR" ] || [ "$(id -u)" -ne 0 ] || ldconfig

if [ "$action" = uninstall ]; then # its own folders, where nothing else is left in them
    for folder in "$moduledir" "$docdir" "$datadir/edictd" "$includedir/edict"; do
        [ ! -d "$DESTDIR$folder" ] || find "$DESTDIR$folder" -depth -type d -empty -delete
    done
fi
