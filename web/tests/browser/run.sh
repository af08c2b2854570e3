#!/bin/sh
# run.sh: runs one of the browser tests, once the packages that they use are there.
#
#   SKEIN=build/skein web/tests/browser/run.sh web/tests/browser/store.mjs
set -eu
tools=$(cd "$(dirname "$0")/../../../tools" && pwd)
"$tools/peers.sh" >&2 || {
    echo 'Bail out! the packages of tests/peers could not be installed'
    exit 1
}
exec "$tools/web.sh" node "$@"
