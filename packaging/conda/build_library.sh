#!/bin/sh
set -eu
# shellcheck disable=SC2086 # CMAKE_ARGS is a list
cmake -G Ninja -S . -B build-library $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DBOSC_TESTS=OFF -DBOSC_BENCH=OFF \
    -DBOSC_CUDA=OFF -DBOSC_MPI=OFF -DBOSC_STATIC=OFF
cmake --build build-library
cmake --install build-library
