#!/bin/sh
# check.sh: every static check, one after the other; the last line says "N passed, N failed".
#
#   tools/check.sh [BUILDDIR]
set -u
build=${1:-build}
tools=$(dirname "$0")
passed=0 failed=0

for check in layers words format "headers $build" sizes sql "symbols $build" "tidy $build"; do
    # shellcheck disable=SC2086  # a check and its argument
    set -- $check
    name=check-$1
    shift
    echo "== $name"
    if "$tools/$name.sh" "$@"; then
        passed=$((passed + 1))
    else
        echo "== $name FAILED"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
