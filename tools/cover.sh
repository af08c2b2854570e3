#!/bin/sh
# cover.sh: how much of the source the tests reached, by file, with a floor for the two folders
# that hold other people's data.
#
#   tools/cover.sh BUILDDIR        (built with -Db_coverage=true and already tested)
set -eu

build=${1:?usage: tools/cover.sh BUILDDIR}
floor=90
cd "$(dirname "$0")/.."
command -v gcovr >/dev/null || {
    echo 'cover.sh: gcovr is missing; run: apt-get install -y gcovr' >&2
    exit 1
}
gcovr --root . --filter src/ "$build" --print-summary
status=0
for folder in engine store; do
    if gcovr --root . --filter "src/$folder/" "$build" --fail-under-line $floor >/dev/null 2>&1; then
        echo "src/$folder: at least $floor % of the lines"
    else
        echo "src/$folder: under $floor % of the lines" >&2
        status=1
    fi
done
exit $status
