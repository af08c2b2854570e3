#!/bin/sh
# check-sizes.sh: no file in src/ is over 1000 lines; shows the ten longest functions.
#
#   tools/check-sizes.sh [TREE]
set -eu
cd "${1:-$(dirname "$0")/..}"

echo 'longest functions (lines, place):'
# A function's braces stand alone in the first column.
find src -name '*.c' | sort | xargs awk '
    FNR == 1 { start = 0 }
    /^\{/ { start = FNR }
    /^\}/ && start { print FNR - start - 1, FILENAME ":" start; start = 0 }
' | sort -rn | head -n 10 | sed 's/^/  /'

find src include -name '*.[ch]' | sort | xargs awk '
    { lines[FILENAME] = FNR }
    END {
        for (f in lines)
            if (lines[f] > 1000) {
                print f ":1001: has " lines[f] " lines; the limit is 1000"
                bad = 1
            }
        exit bad
    }'
