#!/bin/bash -eu
# Builds the fuzz targets with the engine and sanitizer of OSS-Fuzz (CC, CFLAGS, LIB_FUZZING_ENGINE, OUT), and packs their seeds and
# dictionaries. Locally: CC=clang CXX=clang++ CFLAGS=-fsanitize=address,fuzzer-no-link CXXFLAGS=$CFLAGS \
#   LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=/tmp/out WORK=/tmp/work tests/fuzz/oss_fuzz_build.sh
if [ -d "${SRC:-/nonexistent}/boscage" ]; then cd "$SRC/boscage"; else cd "$(dirname "$(readlink -f "$0")")/../.."; fi
mkdir -p "$OUT"

# 1. The targets. The engine brings main(), so the project's own -fsanitize flags stay out.
cmake -S . -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBOSC_CUDA=OFF -DBOSC_MPI=OFF -DBOSC_BENCH=OFF \
    -DBOSC_FUZZ=ON -DBOSC_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON
cmake --build "$WORK/build" --target fuzz

# 2. Seeds that the tool makes, and dictionaries.
python3 tests/fuzz/seeds.py "$WORK/build/boscage" "$WORK/seeds"
for target in "$WORK"/build/tests/fuzz/fuzz_*; do
    if [ -d "$target" ] || [ ! -x "$target" ]; then continue; fi
    name=$(basename "$target")
    cp "$target" "$OUT/"
    [ ! -d "$WORK/seeds/${name#fuzz_}" ] || (cd "$WORK/seeds/${name#fuzz_}" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
    [ ! -f "tests/fuzz/${name#fuzz_}.dict" ] || cp "tests/fuzz/${name#fuzz_}.dict" "$OUT/$name.dict"
done
