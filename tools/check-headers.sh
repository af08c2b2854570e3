#!/bin/sh
# check-headers.sh: every public header compiles alone, twice over, in C11 and C++17, under
# stricter warnings than the code itself.
#
#   tools/check-headers.sh [TREE]
set -eu
cd "${1:-$(dirname "$0")/..}"

warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wcast-qual
      -Wcast-align -Wwrite-strings -Wredundant-decls -Wformat=2 -Werror -Iinclude -fsyntax-only'
c="$warn -Wstrict-prototypes -Wmissing-prototypes -Wc++-compat -Wvla"
cxx="$warn -Wold-style-cast -Wzero-as-null-pointer-constant"
status=0

# A program that includes nothing else; standard input keeps the warnings on, and the name.
try() { # COMPILER LANGUAGE STANDARD FLAGS...
    compiler=$1 language=$2 standard=$3
    shift 3
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
        "$compiler" -x "$language" -std="$standard" "$@" - || {
        echo "include/$header:1: does not compile alone as $standard with $compiler"
        status=1
    }
}

for path in include/skein/*.h; do
    header=${path#include/}
    # shellcheck disable=SC2086  # several flags
    {
        try gcc c c11 $c
        try clang c c11 $c
        try g++ c++ c++17 $cxx
        try clang++ c++ c++17 $cxx
    }
done
exit $status
