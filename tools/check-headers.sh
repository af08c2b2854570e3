#!/bin/sh
# check-headers.sh: every public header compiles alone, twice over, in C11 and C++17, under
# stricter warnings than the code itself.
#
#   tools/check-headers.sh BUILDDIR [TREE]
set -eu
build=$(cd "${1:?usage: tools/check-headers.sh BUILDDIR [TREE]}" && pwd)
cd "${2:-$(dirname "$0")/..}"

warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wcast-qual
      -Wcast-align -Wwrite-strings -Wredundant-decls -Wformat=2 -Werror -fsyntax-only -Iinclude -I$build/include"
c="$warn -Wstrict-prototypes -Wmissing-prototypes -Wc++-compat -Wvla"
cxx="$warn -Wold-style-cast -Wzero-as-null-pointer-constant"
status=0

# A program that includes nothing else, and makes one of each struct that has a size. Standard input keeps the warnings
# on, and the name.
program() {
    printf '#include <%s>\n#include <%s>\ntypedef int something;\n' "$header" "$header"
    sed -n 's/^#define \(SKEIN_[A-Z_]*_INIT\) SKEIN_INIT(\(.*\))$/size_t \2_made(void);\nsize_t \2_made(void)\n{\n    \2 made = \1;\n    return made.size;\n}/p' "$path"
}

try() { # COMPILER LANGUAGE STANDARD FLAGS...
    compiler=$1 language=$2 standard=$3
    shift 3
    program |
        "$compiler" -x "$language" -std="$standard" "$@" - || {
        echo "$path:1: does not compile alone as $standard with $compiler"
        status=1
    }
}

for path in include/skein/*.h "$build"/include/skein/*.h; do
    header=skein/${path##*/}
    # shellcheck disable=SC2086  # several flags
    {
        try gcc c c11 $c
        try clang c c11 $c
        try g++ c++ c++17 $cxx
        try clang++ c++ c++17 $cxx
    }
done
exit $status
