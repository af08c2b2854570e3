#!/bin/sh
# peers.sh: installs what the tests take from the npm registry, as tests/peers/package.json pins it.
#
#   tools/peers.sh
#
# Says nothing when it is there already. Several may run at once: one installs, the others wait.
set -eu
cd "$(dirname "$0")/../tests/peers"

# `npm ci` of npm 11.19 refuses lock files that name the packages of one platform only; `npm
# install` obeys the lock file as well, and leaves it as it is.
mark=node_modules/.installed
is_there() { [ -f "$mark" ] && cmp -s package-lock.json "$mark"; }
is_there && exit 0

command -v npm >/dev/null || {
    echo 'peers.sh: npm is missing; run: tools/deps.sh test' >&2
    exit 1
}
mkdir -p node_modules
exec 9>node_modules/.lock
flock 9
is_there && exit 0
echo 'peers.sh: installing the packages of tests/peers' >&2
npm install --no-audit --no-fund --no-progress --ignore-scripts --loglevel=error >&2
cp package-lock.json "$mark"
