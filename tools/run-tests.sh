#!/bin/sh
# run-tests.sh: every test of one build directory, with a PostgreSQL of its own.
#
#   tools/run-tests.sh [-t TIMES] [--suite NAME]... [BUILDDIR]
#
# Builds what these tests need and no more. Without --suite: all suites but "soak". -t lengthens
# every time limit, for sanitizer builds. The last line says "N passed, N failed", counting each
# test inside a TAP program; what was skipped counts as failed. With SKEIN_TALLY set, the two
# numbers are also added to that file; with SKEIN_FAILED set, what failed is added to that one.
set -eu

times=1 suites= build=build
while [ $# -gt 0 ]; do
    case $1 in
    -t) times=$2 && shift 2 ;;
    --suite) suites="$suites --suite $2" && shift 2 ;;
    *) build=$1 && shift ;;
    esac
done
browsers=
case $suites in
'') suites='--no-suite soak' browsers=yes ;;
*' web'*) browsers=yes ;;
esac
tools=$(cd "$(dirname "$0")" && pwd)
log=$build/meson-logs/testlog

# Meson leaves the logs of an earlier run in place when it cannot start.
rm -f "$log.json" "$log.junit.xml" "$log-browser.json" "$log-browser.junit.xml"
export CMOCKA_MESSAGE_OUTPUT=TAP
# No test here asks whether a disk keeps its word, so none has to wait for one.
export SKEIN_PG_FAST="${SKEIN_PG_FAST:-1}"
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
export ASAN_OPTIONS="${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1:allocator_may_return_null=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0:second_deadlock_stack=1:allocator_may_return_null=1}"

# Most tests wait for another program most of the time: for a server, a database, a child. A browser
# keeps a processor to itself, so those come last, one for each, and need no PostgreSQL.
processors=$(nproc)
status=0
set -- meson test -C "$build" --print-errorlogs -t "$times"
# shellcheck disable=SC2086  # the suites are several words on purpose
"$tools/pg.sh" run "$@" --num-processes $((processors * 2)) $suites --no-suite browser || status=$?
if [ -n "$browsers" ]; then
    "$@" --num-processes "$processors" --logbase testlog-browser --suite browser || status=$?
fi
for kind in json junit.xml; do # both runs are counted as one
    more=$log-browser.$kind
    [ ! -f "$log.$kind" ] || [ ! -f "$more" ] || cat "$more" >>"$log.$kind"
done

said=$(mktemp)
if [ -f "$log.json" ] && [ -f "$log.junit.xml" ]; then
    counts=$(awk -f "$tools/count-tests.awk" "$log.json" "$log.junit.xml" 2>"$said")
else
    counts='0 1'
fi
cat "$said" >&2
[ -z "${SKEIN_FAILED:-}" ] || sed "s|^|$build: |" "$said" >>"$SKEIN_FAILED"
rm -f "$said"
passed=${counts% *} failed=${counts#* }
# A run that did not end well, or tested nothing, is no success whatever the log says.
if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$passed" -eq 0 ]; }; then
    failed=1
fi
[ -z "${SKEIN_TALLY:-}" ] || echo "$passed $failed" >>"$SKEIN_TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
