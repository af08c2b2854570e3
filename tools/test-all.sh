#!/bin/sh
# test-all.sh: what `make test` stands for: the whole suite in a plain build, under ASan and UBSan
# and under TSan, then a minute of fuzzing. At the end stands once more what failed, then the sum:
# "N passed, N failed"; with SKEIN_SUMMARY set, both also go to that file.
set -u

make=${MAKE:-make}
cd "$(dirname "$0")/.." || exit 1
SKEIN_TALLY=$(mktemp) || exit 1
SKEIN_FAILED=$(mktemp) || exit 1
export SKEIN_TALLY SKEIN_FAILED
trap 'rm -f "$SKEIN_TALLY" "$SKEIN_FAILED"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for stage in quick asan tsan fuzz; do
    begun=$(date +%s)
    before=$(wc -l <"$SKEIN_TALLY")
    printf '\n== %s\n' "$stage"
    "$make" --no-print-directory "$stage"
    status=$?
    echo "== $stage took $(($(date +%s) - begun)) s"
    # A stage that ended before its tests, as when it does not compile, ends the run.
    if [ "$(wc -l <"$SKEIN_TALLY")" -eq "$before" ]; then
        echo "== $stage: make ended with status $status before any test ran" >&2
        echo '0 1' >>"$SKEIN_TALLY"
        break
    fi
done

line=$(awk '{ passed += $1; failed += $2 }
            END { print passed + 0 " passed, " failed + 0 " failed" }' "$SKEIN_TALLY")
summary=$(grep ': not ok' "$SKEIN_FAILED"; echo "$line")
[ -z "${SKEIN_SUMMARY:-}" ] || printf '%s\n' "$summary" >"$SKEIN_SUMMARY"
printf '\n%s\n' "$summary"
case $line in
*' passed, 0 failed') exit 0 ;;
*) exit 1 ;;
esac
