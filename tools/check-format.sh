#!/bin/sh
# check-format.sh: says where the source is not formatted as .clang-format has it.
#
#   tools/check-format.sh [--fix] [TREE]        --fix formats in place
set -eu
mode='--dry-run -Werror'
if [ "${1:-}" = --fix ]; then
    mode=-i
    shift
fi
cd "${1:-$(dirname "$0")/..}"
command -v clang-format-14 >/dev/null || {
    echo 'check-format.sh: clang-format-14 is missing; run: tools/deps.sh test' >&2
    exit 1
}
# shellcheck disable=SC2086  # the mode may be two words
find src include tests examples -name node_modules -prune -o -name '*.[ch]' -print | sort | xargs clang-format-14 --style=file $mode
