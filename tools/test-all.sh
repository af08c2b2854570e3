#!/bin/sh
# test-all.sh: what `make test` stands for: the whole suite in a plain build, under ASan and UBSan
# and under TSan, then a minute of fuzzing. The last line sums up: "N passed, N failed"; with
# SKEIN_SUMMARY set, it also goes to that file.
set -u

make=${MAKE:-make}
cd "$(dirname "$0")/.." || exit 1
SKEIN_TALLY=$(mktemp) || exit 1
export SKEIN_TALLY
trap 'rm -f "$SKEIN_TALLY"' EXIT
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
[ -z "${SKEIN_SUMMARY:-}" ] || echo "$line" >"$SKEIN_SUMMARY"
printf '\n%s\n' "$line"
case $line in
*' passed, 0 failed') exit 0 ;;
*) exit 1 ;;
esac
