#!/bin/sh
# fuzz.sh: runs every fuzz target of a build, sharing the seconds among them; as many at a time as
# there are processors, since a target uses one.
#
#   tools/fuzz.sh BUILDDIR [SECONDS]
#
# Starts from tests/fuzz/corpus/NAME for the target fuzz_NAME, and leaves that folder as it is. An
# input that breaks a target is kept in BUILDDIR/crashes. Each target counts as one test.
set -eu

build=${1:?usage: tools/fuzz.sh BUILDDIR [SECONDS]} seconds=${2:-60}
tools=$(cd "$(dirname "$0")" && pwd)
corpus=$tools/../tests/fuzz/corpus
targets=$(find "$build" -type f -name 'fuzz_*' -perm -u+x ! -path '*.p/*' | sort)
count=$(printf '%s' "$targets" | grep -c . || true)
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir -p "$build/crashes"
[ "$count" -gt 0 ] || { echo "fuzz.sh: there is no fuzz target in $build" >&2 && failed=1; }
each=$((count > 0 ? (seconds + count - 1) / count : 0))

fuzz() {
    name=${1##*/}
    seeds=$corpus/${name#fuzz_}
    mkdir -p "$work/$name"
    [ -d "$seeds" ] || { echo "$name: there is no corpus in $seeds" >&2 && seeds=; }
    if [ -n "$seeds" ] && "$1" -max_total_time="$each" -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$build/crashes/$name-" \
        "$work/$name" "$seeds" >"$work/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log")
        echo "$name: $runs runs in $each s"
        : >"$work/$name.passed"
    else
        tail -n 60 "$work/$name.log" >&2 2>/dev/null || true
        echo "$name: FAILED" >&2
    fi
}

started=0
for target in $targets; do
    fuzz "$target" &
    started=$((started + 1))
    [ $((started % $(nproc))) -ne 0 ] || wait
done
wait
passed=$(find "$work" -maxdepth 1 -name '*.passed' | wc -l)
failed=$((failed + count - passed))

[ -z "${SKEIN_TALLY:-}" ] || echo "$passed $failed" >>"$SKEIN_TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
