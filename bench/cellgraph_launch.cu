/* The heuristic by blocks and threads, as in its paper: bench_cellgraph_launch [-n vectors] [-l letters] [-p pivots].
 * Two ways, with a row of each for each number of blocks and threads of a block: the library's HEURISTIC_PUBLISHED,
 * from rows to sorted edges, with one block a pair; and a kernel of this program, which counts pairs with one thread a
 * vector: it compares the vectors after its own, except where distances from the pivots rule them out. All must
 * find the same number of pairs. Source: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell
 * Graph (2015). */
#include <string>
#include <unordered_set>

#include <boscage/cellgraph.h>

#include "harness/cuda.cuh"
#include "harness/scene.h"

struct launch_args {
    const uint64_t *rows;
    const int32_t *distances; /* (n x pivots) */
    int32_t n, words, pivots;
    unsigned long long *pairs;
};

/* Hamming distances of each vector from the pivots, which are vectors at equal steps. */
static __global__ void pivot_distances_kernel(const launch_args a, int32_t *distances)
{
    for (int32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * blockDim.x)
        for (int32_t k = 0; k < a.pivots; k++) {
            int32_t distance = 0;
            for (int32_t s = 0; s < a.words; s++)
                distance +=
                    __popcll(a.rows[(int64_t)i * a.words + s] ^ a.rows[(int64_t)(a.n / a.pivots) * k * a.words + s]);
            distances[(int64_t)i * a.pivots + k] = distance;
        }
}

/* A thread a vector. Distances from a pivot that differ by more than 1 rule a pair out (triangle inequality). */
static __global__ void count_pairs_kernel(const launch_args a)
{
    unsigned long long found = 0;
    for (int32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * blockDim.x)
        for (int32_t j = i + 1; j < a.n; j++) {
            bool close = true;
            for (int32_t k = 0; k < a.pivots && close; k++)
                close = abs(a.distances[(int64_t)i * a.pivots + k] - a.distances[(int64_t)j * a.pivots + k]) <= 1;
            int32_t differ = close ? 0 : 2;
            for (int32_t s = 0; s < a.words && differ <= 1; s++)
                differ += __popcll(a.rows[(int64_t)i * a.words + s] ^ a.rows[(int64_t)j * a.words + s]);
            found += differ == 1;
        }
    if (found) atomicAdd(a.pairs, found);
}

/* The distinct rows. */
static std::vector<uint64_t> remove_duplicates(const uint64_t *rows, int64_t n, int32_t words)
{
    std::unordered_set<std::string> seen;
    std::vector<uint64_t> kept;
    for (int64_t i = 0; i < n; i++)
        if (seen.insert(std::string((const char *)(rows + i * words), (size_t)words * 8)).second)
            kept.insert(kept.end(), rows + i * words, rows + (i + 1) * words);
    return kept;
}

/* Times the library's build with these blocks and threads; returns its number of edges. */
static unsigned long long time_library(const launch_args &a, int64_t length, int blocks, int threads)
{
    bosc_cellgraph_opts o = {};
    bosc_cellgraph_info info = {};
    bosc_cellgraph *graph;
    o.size = sizeof o;
    info.size = sizeof info;
    o.length = (int32_t)length;
    o.method = BOSC_CELLGRAPH_HEURISTIC;
    o.heuristic_search = BOSC_CELLGRAPH_HEURISTIC_PUBLISHED;
    o.pivots = a.pivots;
    o.blocks = blocks;
    o.threads = threads;
    BENCH(bosc_cellgraph_create(bench.ctx, &o, &graph));
    const bench_times times = device_time(1, [&] { BENCH(bosc_cellgraph_build(bench.ctx, graph, a.rows, a.n, 0)); });
    device_row("library, a block a pair", bench_text("%d x %d", blocks, threads), a.n, times, NULL);
    BENCH(bosc_cellgraph_get_info(bench.ctx, graph, &info));
    bosc_cellgraph_free(graph);
    return (unsigned long long)info.edges;
}

int main(int argc, char **argv)
{
    static const int blocks[] = {64, 256, 1024, 4096, 16384}, threads[] = {32, 64, 128, 256, 512, 1024};
    int64_t length = 256, pivots = 5;
    const bench_option own[] = {{'l', BENCH_INTEGER, &length, "letters of a vector"},
                                {'p', BENCH_INTEGER, &pivots, "pivots"}};
    bench.n = 20000;
    bench.repeats = 3;
    bench_options(argc, argv, "vectors", own, 2);
    if (bench.n < 1 || pivots < 1 || pivots > 16 || length < 1)
        bench_fail("-n, -l and -p are at least 1, -p 16 at most");
    /* 1. Copy the distinct vectors to the device. */
    open_device();
    const int32_t words = (int32_t)(length + 63) / 64;
    uint64_t *all = bench_scene_vectors(1, (int)length, bench.n);
    const std::vector<uint64_t> rows = remove_duplicates(all, bench.n, words);
    launch_args a = {nullptr, nullptr, (int32_t)(rows.size() / (size_t)words), words, (int32_t)pivots, nullptr};
    device_array<uint64_t> on_device((int64_t)rows.size());
    device_array<int32_t> distances((int64_t)a.n * pivots);
    device_array<unsigned long long> pairs(1);
    CUDA(cudaMemcpy(on_device.p, rows.data(), rows.size() * 8, cudaMemcpyHostToDevice));
    a.rows = on_device.p;
    a.distances = distances.p;
    a.pairs = pairs.p;
    /* 2. Time the kernels and the library by each number of blocks and threads. */
    unsigned long long expected = 0, got = 0;
    for (int b : blocks)
        for (int t : threads) {
            const bench_times times = device_time(1, [&] {
                CUDA(cudaMemsetAsync(a.pairs, 0, 8, stream));
                pivot_distances_kernel<<<b, t, 0, stream>>>(a, distances.p);
                count_pairs_kernel<<<b, t, 0, stream>>>(a);
            });
            CUDA(cudaMemcpy(&got, a.pairs, 8, cudaMemcpyDeviceToHost));
            if (!expected) expected = got;
            bench_check(got == expected, "%llu pairs, not %llu", got, expected);
            device_row("a thread a vector", bench_text("%d x %d", b, t), a.n, times, NULL);
            bench_check(time_library(a, length, b, t) == expected, "the library's pairs are not %llu", expected);
        }
    bench_say("distinct vectors of %d letters, %d pivots; blocks x threads of a block; %llu pairs", (int)length,
              (int)pivots, expected);
    free(all);
    return close_device();
}
