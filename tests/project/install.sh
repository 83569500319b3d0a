#!/bin/sh
# Installs the build in $1 to a new prefix, and uses it from there as another project would: find_package and
# pkg-config, C and C++, shared and static. $2 is the generator to build with.
set -eu
build=$1
generator=$2
consumer=$(cd "$(dirname "$0")/.." && pwd)/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv "$prefix" "$work/moved" # an installed tree may be moved
prefix=$work/moved

cmake -G "$generator" -S "$consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/build"
"$work/build/consumer_c"
"$work/build/consumer_cxx"
"$work/build/consumer_static"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name boscage.pc)")
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libboscage.so)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
# shellcheck disable=SC2046 # flags
gcc -o "$work/by_pkg_config" "$consumer/consumer.c" $(pkg-config --cflags --libs boscage)
"$work/by_pkg_config"
[ "$(pkg-config --modversion boscage)" = "$("$work/by_pkg_config" | sed 's/boscage \([^;]*\);.*/\1/')" ]

if [ -e "$PKG_CONFIG_PATH/boscage-mpi.pc" ]; then
    # shellcheck disable=SC2046
    gcc -o "$work/processes" "$consumer/processes.c" $(pkg-config --cflags --libs boscage-mpi boscage)
    for program in "$work/build/processes" "$work/processes"; do
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$program" | grep -q '^rank 0 of 1$'
    done
fi

if [ -e "$PKG_CONFIG_PATH/boscage-io.pc" ]; then
    "$work/build/files" "$work/by_find_package.npy"
    # shellcheck disable=SC2046
    gcc -o "$work/files" "$consumer/files.c" $(pkg-config --cflags --libs boscage-io)
    "$work/files" "$work/by_pkg_config.npy"
    cmp "$work/by_find_package.npy" "$work/by_pkg_config.npy"
    "$prefix/bin/boscage" --version
    grep -q '^\.SH EXIT STATUS' "$prefix/share/man/man1/boscage.1"
    grep -q '^complete ' "$prefix/share/bash-completion/completions/boscage"
    [ -s "$prefix/share/zsh/site-functions/_boscage" ] && [ -s "$prefix/share/fish/vendor_completions.d/boscage.fish" ]
    if [ -d "$build/bench" ]; then # an installed tool finds the installed benchmarks
        "$prefix/bin/boscage" bench cbt --threads 1 >"$work/bench.txt"
        grep -q '^decode ' "$work/bench.txt"
        "$prefix/bin/boscage" bench paper cbt --threads 1 --scale 1e-6 >"$work/bench.txt"
        grep -q '^decode: ' "$work/bench.txt"
    fi
fi
