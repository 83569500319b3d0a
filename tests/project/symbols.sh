#!/bin/sh
# A shared library exports exactly the bosc_* functions that its headers declare, and needs only known libraries.
# usage: symbols.sh LIBRARY "NEEDED..." HEADER...
set -eu
library=$1
known="$2 libc.so.6 libm.so.6 libgomp.so.1 libomp.so.5 ld-linux-x86-64.so.2"
shift 2
code=0

exported=$(nm -D --defined-only "$library" | sed -n 's/^[0-9a-f]* [TDBRVWi] //p' | sed 's/@.*//')
for name in $exported; do
    case $name in bosc_*) ;; *) echo "exports $name"; code=1 ;; esac
done
declared=$(sed -n 's/^BOSC_API [^(]*\(bosc_[a-z0-9_]*\)(.*/\1/p' "$@")
[ -n "$declared" ]
for name in $declared; do
    echo "$exported" | grep -qx "$name" || { echo "declared but not exported: $name"; code=1; }
done
for needed in $(objdump -p "$library" | sed -n 's/^ *NEEDED *//p'); do
    case " $known " in *" $needed "*) ;; *) echo "needs $needed"; code=1 ;; esac
done
objdump -p "$library" | grep -q 'SONAME *libboscage[_a-z]*\.so\.[0-9]' || { echo "has no SONAME"; code=1; }
echo "$(echo "$exported" | wc -l) exported, $(echo "$declared" | wc -l) declared"
exit $code
