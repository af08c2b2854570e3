#!/bin/sh
# run.sh: runs one of the server tests, once the packages that they use are there.
#
#   SKEIN=build/skein tests/server/run.sh tests/server/edits.mjs sqlite|pg
set -eu
"$(dirname "$0")/../../tools/peers.sh" >&2 || {
    echo 'Bail out! the packages of tests/peers could not be installed'
    exit 1
}
exec node "$@"
