#!/bin/sh
# The example prints the three states that its comment promises, on a new store and on the same one again.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for run in first second; do
    "$1" "sqlite:$dir/hello.db" >"$dir/$run"
    printf '%s\n' 'said  : [human] Hello? [assistant] Hi!' 'edited: [human] Anybody? [assistant] Hi!' \
        'undone: [human] Hello? [assistant] Hi!' | diff - "$dir/$run"
done
