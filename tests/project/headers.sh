#!/bin/sh
# Each public header compiles alone, as C11 and C++11 by gcc; and all of them together, also as C17 and by clang: without
# a warning.
# usage: headers.sh INCLUDE_DIR
set -eu
include=$1
code=0
count=0
compile() # headers, language, standard, compiler
{
    count=$((count + 1))
    # shellcheck disable=SC2086 # a list
    printf '#include <%s>\n' $1 |
        "$4" -x "$2" -std="$3" -pedantic -Wall -Wextra -Wshadow -Werror -fsyntax-only -I "$include" - || {
        echo "$1 does not compile as $3 with $4"
        code=1
    }
}

cd "$include"
headers=$(find boscage -name '*.h' | sort)
for cc in gcc clang; do
    command -v "$cc" >/dev/null || continue
    compile "$headers" c c11 "$cc"
    compile "$headers" c c17 "$cc"
done
for cxx in g++ clang++; do
    command -v "$cxx" >/dev/null || continue
    compile "$headers" c++ c++11 "$cxx"
done
for header in $headers; do
    if command -v gcc >/dev/null; then compile "$header" c c11 gcc; fi
    if command -v g++ >/dev/null; then compile "$header" c++ c++11 g++; fi
done
echo "$count compilations"
[ "$count" -gt 0 ] || code=1
exit $code
