#!/bin/sh
# peers.sh: installs what the tests take from the npm registry; see npm.sh.
#
#   tools/peers.sh
exec "$(dirname "$0")/npm.sh" tests/peers
