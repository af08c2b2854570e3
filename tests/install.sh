#!/bin/sh
# What "make install" brings is enough to build and run the example, with the shared and the static
# library, through pkg-config alone.
set -eu
build=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
meson install -C "$build" --no-rebuild --destdir "$dir/root" >"$dir/log" 2>&1 || { cat "$dir/log" && exit 1; }

pc=$(find "$dir/root" -name skein.pc)
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$dir/root"
libdir=$(dirname "${pc%/*}")
prefix=$(pkg-config --variable=prefix skein)
# shellcheck disable=SC2046  # flags are several words
cc ${CFLAGS:-} "$source/examples/hello.c" -o "$dir/shared" $(pkg-config --cflags --libs skein)
LD_LIBRARY_PATH=$libdir "$dir/shared" "sqlite:$dir/one.db" | grep -q '^undone: \[human\] Hello?'
# shellcheck disable=SC2046
cc ${CFLAGS:-} "$source/examples/hello.c" -o "$dir/static" $(pkg-config --cflags skein) "$libdir/libskein.a" \
    $(unset PKG_CONFIG_SYSROOT_DIR && pkg-config --static --libs skein | tr ' ' '\n' | grep -v -e '^-lskein$' -e '^-L')
"$dir/static" "sqlite:$dir/two.db" | grep -q '^undone: \[human\] Hello?'
PYTHONPATH="$prefix/lib/python3/dist-packages" SKEIN_LIBRARY="$libdir/libskein.so" python3 -B "$source/examples/talk.py" \
    "sqlite:$dir/three.db" | grep -q '^undone: Hello?'
(cd "$prefix/share/nodejs" && node -e 'import("./skein-client/skein.mjs").then(m => process.exit(m.Skein ? 0 : 1))')
"$prefix/bin/skein" version | grep -q '^skein 0'
test -f "$prefix/share/man/man1/skein.1"
test -f "$prefix/share/man/man1/skein-send.1"
test -f "$prefix/share/man/man3/libskein.3"
test -f "$prefix/share/man/man3/skein_open.3"
test -f "$prefix/share/man/man5/skein.yaml.5"
test -f "$prefix/share/man/man7/skein-tutorial.7"
grep -q _skein "$prefix/share/bash-completion/completions/skein"
for unit in skein.service skein.socket; do
    test -f "$prefix/lib/systemd/system/$unit"
done
grep -q "^ExecStart=${prefix#"$dir/root"}/bin/skein serve " "$prefix/lib/systemd/system/skein.service"
