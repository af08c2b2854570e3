#!/bin/sh
# The example prints the three states that its comment promises, and a second run says why it cannot.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$1" "sqlite:$dir/hello.db" >"$dir/out"
printf '%s\n' 'said  : [human] Hello? [assistant] Hi!' 'edited: [human] Anybody? [assistant] Hi!' \
    'undone: [human] Hello? [assistant] Hi!' | diff - "$dir/out"
status=0
"$1" "sqlite:$dir/hello.db" 2>"$dir/err" || status=$?
[ "$status" -eq 5 ] || { echo "second run: exit $status, not 5" && exit 1; }
grep -q 'there is already a world "hello"' "$dir/err"
