#!/bin/sh
# deb.sh: makes Debian packages of what a build installs: skein, and libskein-dev for those who build on it.
#
#   tools/deb.sh BUILDDIR [OUTDIR]        OUTDIR: BUILDDIR/deb
#
# Nothing is compiled. Whatever prefix the build has, the packages have /usr. What they need is computed from the program:
# the libraries that it is linked with are its dependencies, and those that it loads when they are wanted are recommended.
set -eu
umask 022
tree=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?usage: tools/deb.sh BUILDDIR [OUTDIR]}" && pwd)
mkdir -p "${2:-$build/deb}"
out=$(cd "${2:-$build/deb}" && pwd)
rm -f "$out"/skein_*.deb "$out"/libskein-dev_*.deb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$(sed -n 's/^#define SKEIN_VERSION  *"\(.*\)"/\1/p' "$build/include/skein/version.h")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$tree" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

# What the tools say is worth reading only when one of them fails.
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && return 1; }; }

# The tools of dpkg want a folder "debian", with a changelog for the version.
cp -R "$tree/packaging/debian" "$work/debian"
cd "$work"
printf 'skein (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' "$version" \
    "$(sed -n 's/^Maintainer: //p' debian/control)" "$(date -uR -d "@$SOURCE_DATE_EPOCH")" >debian/changelog

# What is installed under the prefix of the build, as it is under /usr.
quietly meson install -C "$build" --no-rebuild --destdir "$work/root"
mkdir debian/skein debian/libskein-dev
pc=$(find root -name skein.pc)
mv "root$(sed -n 's/^prefix=//p' "$pc")" debian/skein/usr
sed -i 's|^prefix=.*|prefix=/usr|' debian/skein/usr/lib/*/pkgconfig/skein.pc
cp "$tree"/packaging/systemd/* debian/skein/usr/lib/systemd/system/ # they say /usr/bin
mv debian/skein/usr/share/zsh/site-functions debian/skein/usr/share/zsh/vendor-completions # where Debian's zsh looks

strip --remove-section=.comment debian/skein/usr/bin/skein
strip --strip-unneeded debian/skein/usr/lib/*/libskein.so
strip --strip-debug debian/skein/usr/lib/*/libskein.a
find debian/skein/usr/share/man -type f -exec gzip -9n {} +

# shellcheck disable=SC2046  # several patterns
(cd debian/skein && ls -d $(cat ../libskein-dev.install)) | while IFS= read -r path; do
    mkdir -p "debian/libskein-dev/${path%/*}"
    mv "debian/skein/$path" "debian/libskein-dev/$path"
done
find debian/skein -type d -empty -delete
mkdir -p debian/libskein-dev/usr/share/doc/libskein-dev
cp -R "$tree/examples" debian/libskein-dev/usr/share/doc/libskein-dev/

mkdir debian/skein/DEBIAN debian/libskein-dev/DEBIAN
for script in postinst prerm; do
    cp "debian/skein.$script" "debian/skein/DEBIAN/$script"
done
library=$(cd debian/skein && ls usr/lib/*/libskein.so.*.*)
soname=$(objdump -p "debian/skein/$library" | sed -n 's/^ *SONAME *libskein\.so\.//p')
echo "libskein $soname skein (>= $version)" >debian/skein/DEBIAN/shlibs
echo 'activate-noawait ldconfig' >debian/skein/DEBIAN/triggers

# A library that names those which the program loads when they are wanted, so that dpkg can say which packages have them.
late=$(readelf -p .rodata debian/skein/usr/bin/skein | grep -o 'lib[a-z0-9]*\.so\.[0-9]*$' | sort -u)
# shellcheck disable=SC2046,SC2086  # several names
cc -shared -nostdlib -Wl,--no-as-needed -o late.so $(printf -- '-l:%s ' $late)
quietly dpkg-shlibdeps -dDepends debian/skein/usr/bin/skein "debian/skein/$library" -dRecommends late.so

for package in skein libskein-dev; do
    root=debian/$package
    mkdir -p "$root/usr/share/doc/$package"
    cp "$tree/LICENSE" "$root/usr/share/doc/$package/copyright"
    gzip -9nc "$tree/CHANGELOG.md" >"$root/usr/share/doc/$package/changelog.gz"
    (cd "$root" && find usr -type f -exec md5sum {} + >DEBIAN/md5sums)
    quietly dpkg-gencontrol -p$package -P"$root"
    quietly dpkg-deb --root-owner-group --build "$root" "$out"
    ls "$out/${package}_${version}_"*.deb
done
