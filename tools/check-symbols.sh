#!/bin/sh
# check-symbols.sh: what the libraries of a build show to the linker.
#
#   tools/check-symbols.sh BUILDDIR
#
# Every global of libskein.a begins with skein_ or skn_, libskein.so exports only skein_, and no
# object of ours is writable for the length of the process: two engines must be able to live in
# one. Names that begin with two underscores are the compiler's.
set -eu
build=${1:?usage: tools/check-symbols.sh BUILDDIR}
archive=$(find "$build" -name libskein.a | head -n 1)
shared=$(find "$build" -name 'libskein.so*' -type f ! -name '*.symbols' | head -n 1)
status=0

report() {
    if [ -n "$2" ]; then
        printf '%s\n' "$2" | sed "s|^|$1: |"
        status=1
    fi
}

[ -n "$archive" ] || { echo "$build: there is no libskein.a" && exit 1; }
[ -n "$shared" ] || { echo "$build: there is no libskein.so" && exit 1; }

report "$archive: global without skein_ or skn_" "$(nm -g --defined-only "$archive" |
    awk 'NF == 3 && $3 !~ /^(skein_|skn_|__)/ { print $3 }' | sort -u)"

# Sanitizers and coverage add names and counters of their own to what they touch.
if ! nm "$archive" 2>/dev/null | grep -qE '__(asan|tsan|ubsan|gcov|sanitizer)_'; then
    report "$shared: exported without skein_" "$(nm -D --defined-only "$shared" |
        awk 'NF >= 2 && $NF !~ /^(skein_|__|_init$|_fini$|_edata$|_end$)/ { print $NF }' | sort -u)"
    report "$archive: mutable global" "$(objdump -t "$archive" |
        awk '/file format/ { sub(/:$/, "", $1); member = $1 }
             $0 ~ / O \.(data|bss|tdata|tbss)[ \t]/ && $NF !~ /^__/ { print member ": " $NF }')"
fi
exit $status
