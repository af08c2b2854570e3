#!/bin/sh
# npm.sh: installs what a folder takes from the npm registry, as its package.json and lock file pin it.
#
#   tools/npm.sh FOLDER [NPM…]     such as web, or tests/peers; with another npm than the system's
#
# Says nothing when it is there already. Several may run at once: one installs, the others wait.
set -eu
folder=${1:?usage: tools/npm.sh FOLDER [NPM…]}
shift
[ $# -gt 0 ] || set -- npm
cd "$(dirname "$0")/../$folder"

# `npm ci` of npm 11.19 refuses lock files that name the packages of one platform only; `npm
# install` obeys the lock file as well, and with --no-save every version of it leaves it as it is.
mark=node_modules/.installed
is_there() { [ -f "$mark" ] && cmp -s package-lock.json "$mark"; }
is_there && exit 0

command -v "$1" >/dev/null || {
    echo 'npm.sh: npm is missing; run: tools/deps.sh build' >&2
    exit 1
}
mkdir -p node_modules
exec 9>node_modules/.lock
flock 9
is_there && exit 0
echo "npm.sh: installing the packages of $folder" >&2
"$@" install --no-save --no-audit --no-fund --no-progress --ignore-scripts --loglevel=error >&2
cp package-lock.json "$mark"
