#!/bin/sh
# manual.sh: the manual has a page for everything, the pages are well made, and the tutorial works as it is printed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/server.sh"
source=$(cd "$(dirname "$0")/../.." && pwd)

t 'the pages of commands can be made' "$source/tools/man.sh" "$source/docs" "$dir/man"
if ! command -v mandoc >/dev/null; then
    echo 'Bail out! there is no mandoc'
    exit 1
fi
well_made() { mandoc -Tlint -Wwarning "$@" >"$dir/lint" || { sed 's/^/# /' "$dir/lint" && return 1; }; }
t 'they are well made' well_made "$dir/man"/*.1 "$source/docs/skein.1" "$source/docs/man"/*.[1-9]

# Every command has a page, every page is a command, and all of them are installed.
s
words=$(printf '%s\n' "$out" | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p' | LC_ALL=C sort)
pages=$(find "$dir/man" -name 'skein-*.1' | sed 's/.*skein-\(.*\)\.1/\1/' | LC_ALL=C sort)
t 'every command has a page' is "$pages" "$words"
t 'every page is installed' is "$(sed -n "/^man_pages = /,/^]/s/^ *'\(.*\)',\$/\1/p" "$source/docs/meson.build" | LC_ALL=C sort)" "$words"

# The library's: every public function has a page, made of what the header says of it.
t 'the pages of the library can be made' "$source/tools/man3.sh" "$dir/man3" "$source/docs/skein.1" \
    "$source"/include/skein/*.h "$source/include/skein/codes.def"
t 'they are well made too' well_made "$dir/man3"/*.3
words=$(cat "$source"/include/skein/*.h | tr '\n' ' ' | grep -o 'SKEIN_API [^(]*(' | sed -n 's/.*[ *]\(skein_[a-z_0-9]*\)($/\1/p' | LC_ALL=C sort)
pages=$(find "$dir/man3" -name 'skein_*.3' | sed 's/.*\/\(.*\)\.3/\1/' | LC_ALL=C sort)
t 'every public function has a page' is "$pages" "$words"
out=$(mandoc -Tutf8 "$dir/man3/skein_world_list.3" | sed "s/.$(printf '\b')//g")
t 'with what it does' prints 'lists the worlds, without removed ones'
t 'and the types that it names' prints '} skein_world;'
out=$(mandoc -Tutf8 "$dir/man3/libskein.3" | sed "s/.$(printf '\b')//g")
t 'and libskein(3) has them all' is "$(printf '%s\n' "$out" | grep -c '^     skein_[a-z_]*(3)$')" "$(printf '%s\n' "$words" | wc -l)"
t 'and every code' prints 'SKEIN_VERSION_CHANGED'

# page COMMAND: its text, without bold and underlined.
page() { mandoc -Tutf8 "$dir/man/skein-$1.1" | sed "s/.$(printf '\b')//g"; }
out=$(page send)
t 'a page begins with examples' sh -c 'printf "%s\n" "$1" | sed -n "/^DESCRIPTION/{n;p;}" | grep -q "skein send \"@lead plan"' - "$out"
t 'has the options' prints '--expect-reply AGENT'
for section in ENVIRONMENT FILES 'EXIT STATUS'; do
    t "and $section" prints "$section"
done
out=$(page world)
t 'a noun has one page for its verbs' prints 'skein world rm [option ...] NAME'
t 'with their arguments' prints '     world rm [option ...] NAME'
out=$(page token)
t 'and brackets that are named' prints 'skein token revoke [--all] [ID]'

# A bracket ends with what can be left out: an argument that is needed is not in it.
out=$(mandoc -Tutf8 "$source/docs/skein.1" "$dir/man"/*.1 | sed "s/.$(printf '\b')//g")
t 'options stand in a bracket of their own' lacks '[option ... '
t 'and arguments behind it' prints '     show [option ...] ID'

# skein.yaml(5) has every setting with the value that is built in.
s config list --json=key,value --config /dev/null
missing=
for key in $(printf '%s\n' "$out" | grep -o '"key":"[a-z]*\.[A-Za-z]*"' | cut -d '"' -f 4); do
    grep -q "^\.It Cm $key : " "$source/docs/man/skein.yaml.5" || missing="$missing $key"
done
t 'skein.yaml(5) has every setting' is "$missing" ''
keys=$(printf '%s\n' "$out" | grep -o '"key":"[a-z]*\.[A-Za-z]*"' | wc -l)
t 'and no other' is "$(grep -c '^\.It Cm [a-z]*\.[A-Za-z]* : ' "$source/docs/man/skein.yaml.5")" "$keys"
t 'there are settings' [ "$keys" -gt 0 ]

# skein-api(7): the requests that it shows are answered.
start_server --no-delay
awk '/^\.Bd/ { inside = 1; next } /^\.Ed/ { exit } inside { sub(/\\e$/, "\\"); print }' "$source/docs/man/skein-api.7" \
    | sed -e "s|http://127.0.0.1:7534/|$url|" -e 's/^curl/curl -s -m 2/' >"$dir/api"
rc=0
out=$(sh "$dir/api") || rc=$?
t 'skein-api(7) shows requests that are answered' prints '"role":"user"'
t 'and streams' prints 'event: world.idle'

# skein-tutorial(7): each command in its order.
awk '/^\.Bd/ { inside = 1; next } /^\.Ed/ { inside = 0 } inside' "$source/docs/man/skein-tutorial.7" | grep -v '^skein serve' >"$dir/steps"
idle() { "$SKEIN" "$store" world show tour --json | grep -q '"isProcessing":false'; }
cd "$dir"
while IFS= read -r step; do
    rc=0
    words=${step#skein }
    case $words in *' -w '*|world\ *|'chat '*) ;; *) words="-w tour $words" ;; esac
    eval "set -- $words"
    "$SKEIN" "$store" "$@" </dev/null >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
    t "the tutorial: $step" gave 0
    until_true idle # a person is not faster than the agents
done <"$dir/steps"
t 'all of them were done' test -s "$dir/tour.skein"
stop_server
finish
