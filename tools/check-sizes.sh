#!/bin/sh
# check-sizes.sh: no file in src/ is over 1000 lines, no folder has over 60 files, and no two C files have the same
# name; shows the ten longest functions.
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

failed=0
find src include -name '*.[ch]' | sort | xargs awk '
    { lines[FILENAME] = FNR }
    END {
        for (f in lines)
            if (lines[f] > 1000) {
                print f ":1001: has " lines[f] " lines; the limit is 1000"
                bad = 1
            }
        exit bad
    }' || failed=1

find src include web/src -type f | sed 's|/[^/]*$||' | sort | uniq -c |
    awk '$1 > 60 { print $2 ": has " $1 " files; the limit is 60"; bad = 1 } END { exit bad }' || failed=1

twice=$(find src -name '*.[ch]' | sed 's|.*/||' | sort | uniq -d)
if [ -n "$twice" ]; then
    echo "check-sizes: more than one file has the name: $twice"
    failed=1
fi
exit $failed
