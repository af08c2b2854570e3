#!/bin/sh
# The example prints what docs/embedding.md says, and leaves nobody who has to answer.
set -eu
page=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$1" "sqlite:$dir/agent.db" >"$dir/out"
# The block that begins with what ada reads.
awk '/^```/ { if (on) exit; next } /^ada, who/ { on = 1 } on' "$page" | diff - "$dir/out"
status=0
"$1" "sqlite:$dir/agent.db" 2>"$dir/err" || status=$?
[ "$status" -eq 5 ] || { echo "second run: exit $status, not 5" && exit 1; }
grep -q 'there is already a world "office"' "$dir/err"
