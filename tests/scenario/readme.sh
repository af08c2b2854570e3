#!/bin/sh
# readme.sh: the README, typed in order: its console lines, but for those that need a key of a provider or the port of the API.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/server.sh"
source=$(cd "$(dirname "$0")/../.." && pwd)

start_server
mkdir "$dir/bin" "$dir/work"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$SKEIN" "$store" >"$dir/bin/skein"
chmod +x "$dir/bin/skein"
awk '/^```console/ { inside = 1; next } /^```/ { inside = 0 }
     inside && sub(/^\$ /, "")' "$source/README.md" | grep -v '^skein provider\|^skein model\|monthlyTokens\|^curl\|^ .*http:' >"$dir/readme"

# typed LINE: what a person gets who types it.
typed() {
    rc=0
    (cd "$dir/work" && PATH=$dir/bin:$PATH && eval "$1") </dev/null >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
}
while IFS= read -r line; do
    case $line in
    *--follow*)
        (cd "$dir/work" && exec "$dir/bin/skein" log --follow >"$dir/follow" 2>&1) &
        watch=$!
        t "the README: $line" until_true file_has "$dir/follow" hello
        kill "$watch"
        wait "$watch" 2>/dev/null
        continue
        ;;
    esac
    typed "$line"
    t "the README: $line" gave 0
done <"$dir/readme"
s status
t 'the world that the README made is current after it' prints 'current  launch, conversation launch plan  (default)'
t 'and its lines were found' test "$(grep -c . "$dir/readme")" -ge 15

stop_server
finish
