#!/bin/sh
# No library or program runs a parallel region on libgomp: none needs GOMP_*, nor the two functions of the pool's own.
# usage: pool_calls.sh FILE...
set -eu
code=0
for file in "$@"; do
    needed=$(nm -D --undefined-only "$file" | sed -n 's/^ *U //p' | sed 's/@.*//')
    echo "$needed" | grep -q '^omp_get_max_threads$' || { echo "$file: has no parallel region"; code=1; }
    for name in $(echo "$needed" | grep -E '^(GOMP_.*|omp_get_num_threads|omp_get_thread_num)$'); do
        echo "$file: calls $name of libgomp (bosc_use_pool of cmake/bosc_compile.cmake)"
        code=1
    done
done
exit $code
