#!/bin/sh
# What "make install" brings, and what the packages of "make deb" bring into an empty root, is enough to build and run the
# examples through pkg-config alone, and to type what the README says.
#
#   tests/install.sh BUILDDIR TREE [STATIC-PROGRAM]
set -eu
build=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
quietly() { "$@" >"$dir/log" 2>&1 || { cat "$dir/log" && exit 1; }; }

# look PREFIX: all that is in it is there and works.
look() {
    prefix=$1 pc=$(find "$1" -name skein.pc)
    export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$root"
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 # its /usr is not ours
    libdir=$(dirname "${pc%/*}")
    test "$(pkg-config --variable=prefix skein)" = "$prefix"
    # shellcheck disable=SC2046  # flags are several words
    cc ${CFLAGS:-} "$source/examples/hello.c" -o "$root/shared" $(pkg-config --cflags --libs skein)
    LD_LIBRARY_PATH=$libdir "$root/shared" "sqlite:$root/one.db" | grep -q '^undone: \[human\] Hello?'
    # shellcheck disable=SC2046
    cc ${CFLAGS:-} "$source/examples/hello.c" -o "$root/static" $(pkg-config --cflags skein) "$libdir/libskein.a" \
        $(unset PKG_CONFIG_SYSROOT_DIR && pkg-config --static --libs skein | tr ' ' '\n' | grep -v -e '^-lskein$' -e '^-L')
    "$root/static" "sqlite:$root/two.db" | grep -q '^undone: \[human\] Hello?'
    PYTHONPATH="$prefix/lib/python3/dist-packages" SKEIN_LIBRARY="$libdir/libskein.so" python3 -B "$source/examples/talk.py" \
        "sqlite:$root/three.db" | grep '^undone: Hello?' >/dev/null
    (cd "$prefix/share/nodejs" && node -e 'import("./skein-client/skein.mjs").then(m => process.exit(m.Skein ? 0 : 1))')
    "$prefix/bin/skein" version | grep -q "^skein $version"
    for page in man1/skein.1 man1/skein-send.1 man3/libskein.3 man3/skein_open.3 man5/skein.yaml.5 man7/skein-tutorial.7; do
        mandoc "$prefix/share/man/$page"* >/dev/null
    done
    grep -q _skein "$prefix/share/bash-completion/completions/skein"
    grep -q skein "$prefix/share/fish/vendor_completions.d/skein.fish"
    grep -q '#compdef skein' "$prefix/share/zsh/"*/_skein
    test -f "$prefix/lib/systemd/system/skein.socket"
    grep -q "^ExecStart=${prefix#"$root"}/bin/skein serve " "$prefix/lib/systemd/system/skein.service"
}

version=$(sed -n 's/^#define SKEIN_VERSION  *"\(.*\)"/\1/p' "$build/include/skein/version.h")
root=$dir/root
quietly meson install -C "$build" --no-rebuild --destdir "$root"
pc=$(find "$root" -name skein.pc)
look "$root$(sed -n 's/^prefix=//p' "$pc")"

root=$dir/packages
quietly env DPKG_DEB_COMPRESSOR_TYPE=none "$source/tools/deb.sh" "$build" "$dir"
for package in skein libskein-dev; do
    dpkg-deb --fsys-tarfile "$dir/${package}_${version}_"*.deb | tar -t | grep -v '/$' >>"$dir/files"
    dpkg-deb -x "$dir/${package}_${version}_"*.deb "$root"
done
test -z "$(sort "$dir/files" | uniq -d)" # a file is in one of them
look "$root/usr"
test -f "$root/usr/share/doc/libskein-dev/examples/hello.c"
readelf -S "$root/usr/bin/skein" >"$dir/sections"
test "$(grep -c '\.text\|\.debug_\|\.symtab' "$dir/sections")" = 1 # it is stripped
field() { dpkg-deb -f "$dir/${1}_${version}_"*.deb "$2"; }
field skein Depends | grep -q 'libc6 .*libsqlite3-0' # computed from what it is linked with
field skein Recommends | grep -q 'libcurl.*libpq'    # and from what it loads
test "$(field libskein-dev Depends)" = "skein (= $version), libsqlite3-dev"
dpkg-deb -e "$dir/skein_${version}_"*.deb "$dir/control"
for script in postinst prerm; do
    sh -n "$dir/control/$script"
done
quietly env SKEIN="$root/usr/bin/skein" sh "$source/tests/scenario/readme.sh" sqlite

# Linked statically it needs no library, and says what it cannot do without.
if [ -n "${3:-}" ]; then
    readelf -l "$3" >"$dir/segments"
    test "$(grep -c 'LOAD\|INTERP' "$dir/segments")" = "$(grep -c LOAD "$dir/segments")"
    "$3" --data "$dir/data" world new launch >/dev/null
    "$3" --data "$dir/data" send hello 2>/dev/null | grep -q '^you'
    if "$3" --db postgresql://127.0.0.1/skein log 2>"$dir/refused"; then
        exit 1
    fi
    grep -q 'linked statically' "$dir/refused"
fi
