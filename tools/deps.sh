#!/bin/sh
# Installs the Debian packages of tools/deps.list that are missing. Needs root or sudo.
# usage: tools/deps.sh [all|build|long|engines|peers|maps]
# "all" (the default) installs what make test needs; the others install the packages of one job.
set -eu
cd "$(dirname "$0")"
what=${1:-all}
missing=""
for package in $(awk -v what="$what" '!/^#/ && NF && (what == "all" ? $2 == "" || $2 == "build" : $2 == what) {print $1}' deps.list); do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
run=""
[ "$(id -u)" -eq 0 ] || run=sudo
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -q
# shellcheck disable=SC2086
$run apt-get install -y -q --no-install-recommends $missing
