#!/bin/sh
# deps.sh: installs what is missing from Debian's packages.
#
#   tools/deps.sh [build|static|deb|test|check]
#
# Says nothing and needs no rights when nothing is missing. When it cannot install, it prints the
# line that somebody who can should run.
set -eu

build='gcc libc6-dev make meson ninja-build pkg-config libsqlite3-dev libpq-dev
       libevent-dev libyaml-dev libedit-dev libcurl4-openssl-dev libmd4c-dev libcmocka-dev'
# Other sources of Node bring npm with it, and then Debian's package of that name cannot be installed.
command -v node >/dev/null || build="$build nodejs"
command -v npm >/dev/null || build="$build npm"
static="$build zlib1g-dev"
deb="$build dpkg-dev"
test="$static dpkg-dev locales postgresql-15 g++ clang libclang-rt-14-dev clang-format-14
      curl mandoc slowhttptest chromium-headless-shell fonts-dejavu-core"
check="$test clang-tidy-14"

case ${1:-build} in
build) wanted=$build ;;
static) wanted=$static ;;
deb) wanted=$deb ;;
test) wanted=$test ;;
check) wanted=$check ;;
*) echo 'usage: tools/deps.sh [build|static|deb|test|check]' >&2 && exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
    # shellcheck disable=SC2086  # joins the lines
    echo "deps.sh: not a Debian system; see yourself to what these packages hold:" $wanted >&2
    exit 0
fi

missing=
for package in $wanted; do
    case $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) in
    installed) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
    [ -t 0 ] || as_root='sudo -n'
fi

cannot() {
    echo "deps.sh: $1; run this as root, then try again:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 1
}

# apt-get talks at length; that is worth reading only when it fails.
quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2 && return 1; }; }
# shellcheck disable=SC2086  # words on purpose, here and below
known() { apt-cache show --no-all-versions $missing >/dev/null 2>&1; }
refresh() { quietly $as_root apt-get -q update || cannot 'apt-get update failed'; }
# shellcheck disable=SC2086
install() {
    quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 \
        install -y --no-install-recommends $missing
}

[ -z "$as_root" ] || command -v sudo >/dev/null || cannot 'packages are missing and there is no sudo'
echo "deps.sh: installing$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! known; then
    refresh
    install || cannot 'apt-get install failed'
elif ! install; then # an old list of packages names files that are gone
    refresh
    install || cannot 'apt-get install failed'
fi
