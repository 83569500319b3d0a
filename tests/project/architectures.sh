#!/bin/sh
# The project in $1, configured with the CUDA compiler $2 in new folders, compiles kernels for the devices that CUDAARCHS or
# CMake's variable names, and else for all generations, with PTX for later ones.
set -eu
source=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the architectures of a kernel's compilation in a new configuration; arguments go to cmake.
list_architectures()
{
    rm -rf "$work/build"
    cmake -S "$source" -B "$work/build" -DCMAKE_CUDA_COMPILER="$compiler" -DBOSC_CUDA=ON -DBOSC_MPI=OFF -DBOSC_TOOL=OFF \
        -DBOSC_TESTS=OFF -DBOSC_BENCH=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    grep '"command".*core/cuda/scan\.cu' "$work/build/compile_commands.json" | grep -o 'code=\[[^]]*' | tr -d '\n' | sed 's/code=\[/ /g'
}

expect()
{
    [ "$2" = "$3" ] || { echo "$1: kernels are compiled for$2, not$3"; exit 1; }
}

expect default "$(unset CUDAARCHS; list_architectures)" " sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 compute_120,sm_120"
expect CUDAARCHS "$(CUDAARCHS=86-real; export CUDAARCHS; list_architectures)" " sm_86"
expect variable "$(CUDAARCHS=86; export CUDAARCHS; list_architectures -DCMAKE_CUDA_ARCHITECTURES=80-real)" " sm_80"
