/* Voxelisation on a CUDA device: bench_voxels [-n points] [-s shape] [-m points of a voxel]. Beside builds with padded
 * voxels is a hash table with atomics, written here after the method of spconv. It has ids and rows in the order of
 * threads, so only numbers of voxels are compared. It clears as many padded rows as ours write, though their number is
 * not known before it ends. Points of four floats are on the device; the handle is warm and assumes valid input. Times
 * are of single calls, between events, and of replayed graphs. */
#include <cmath>

#include "harness/cuda.cuh"
#include "harness/shapes.h"

enum { WARM_UPS = 3, THREADS = 256, WIDTH = 4 };

/* A grid of side^3 voxels in the unit cube. */
struct grid {
    const float *points; /* (n x WIDTH) */
    int64_t n;
    float cell;
    int side;
};

/* An open hash table and its outputs. */
struct table {
    unsigned *keys, *ids; /* (slots) */
    int64_t slots;
    unsigned *count, *sizes; /* sizes (voxels) */
    float *padded;           /* (voxels x most x WIDTH) */
    int most;
};

/* The voxel of point i; all ones outside the cube. */
static __device__ unsigned key_of(const grid &g, int64_t i)
{
    unsigned key = 0;
    for (int c = 0; c < 3; c++) {
        const int at = (int)floorf(g.points[WIDTH * i + c] / g.cell);
        if (at < 0 || at >= g.side) return ~0u;
        key = key * (unsigned)g.side + (unsigned)at;
    }
    return key;
}

/* The slot of a key; inserts it, with the next free id. */
static __device__ int64_t find_slot(const table &t, unsigned key)
{
    int64_t slot = (int64_t)((key * 0x9e3779b9u) % (unsigned)t.slots);
    for (;; slot = slot + 1 < t.slots ? slot + 1 : 0) {
        const unsigned seen = atomicCAS(&t.keys[slot], ~0u, key);
        if (seen == ~0u) t.ids[slot] = atomicAdd(t.count, 1u);
        if (seen == ~0u || seen == key) return slot;
    }
}

static __global__ void insert_points(grid g, table t)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < g.n; i += (int64_t)gridDim.x * THREADS)
        if (key_of(g, i) != ~0u) find_slot(t, key_of(g, i));
}

/* Copies the first rows of each voxel, in the order of threads. */
static __global__ void copy_points(grid g, table t)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < g.n; i += (int64_t)gridDim.x * THREADS) {
        const unsigned key = key_of(g, i);
        if (key == ~0u) continue;
        const unsigned id = t.ids[find_slot(t, key)], k = atomicAdd(&t.sizes[id], 1u);
        if ((int)k >= t.most) continue;
        for (int c = 0; c < WIDTH; c++) t.padded[((int64_t)id * t.most + k) * WIDTH + c] = g.points[WIDTH * i + c];
    }
}

static void print_row(const char *name, int64_t n, bench_times ours, bench_times theirs, bool right)
{
    print_row_beside("hash table with atomics", name, n, ours, theirs, right);
}

static void time_all(const char *shape, int64_t n, int most)
{
    /* 0. Points, the handle, and the table. */
    const float cell = 1 / cbrtf((float)n / 4);
    float *host = bench_points(shape, n, WIDTH, 5);
    device_array<float> points(WIDTH * n), means(WIDTH * n), padded(WIDTH * most * n), theirs(WIDTH * most * n);
    device_array<int32_t> coords(3 * n);
    device_array<int64_t> counts(n);
    device_array<uint32_t> ids(n), map(27 * n);
    device_array<unsigned> keys(2 * n), slot_ids(2 * n), count(1), sizes(n);
    CUDA(cudaMemcpy(points.p, host, (size_t)n * WIDTH * sizeof(float), cudaMemcpyHostToDevice));
    free(host);
    const grid g = {points.p, n, cell, (int)(1 / cell) + 1};
    const table t = {keys.p, slot_ids.p, 2 * n, count.p, sizes.p, theirs.p, most};
    bosc_voxels_opts o = {};
    o.size = sizeof o;
    o.dim = 3;
    o.assume_valid = 1;
    o.id_bits = 32;
    o.max_points = most;
    for (int c = 0; c < 3; c++) o.cell[c] = (double)cell, o.shape[c] = g.side;
    bosc_voxels *handle;
    BENCH(bosc_voxels_create(bench.ctx, &o, &handle));
    /* 1. Voxels with padded rows, beside the table. */
    const auto build = [&] { BENCH(bosc_voxels_build(bench.ctx, handle, points.p, n, WIDTH, nullptr, 1)); };
    const auto list = [&] { BENCH(bosc_voxels_list(bench.ctx, handle, coords.p, counts.p, nullptr, nullptr, n)); };
    const auto pad = [&] {
        BENCH(bosc_voxels_pad(bench.ctx, handle, BOSC_F32, points.p, WIDTH, WIDTH, most, padded.p, n));
    };
    int64_t voxels = 0;
    const auto hashed = [&] {
        CUDA(cudaMemsetAsync(keys.p, 0xff, (size_t)(2 * n) * sizeof(unsigned), stream));
        CUDA(cudaMemsetAsync(count.p, 0, sizeof(unsigned), stream));
        CUDA(cudaMemsetAsync(sizes.p, 0, (size_t)voxels * sizeof(unsigned), stream));
        CUDA(cudaMemsetAsync(theirs.p, 0, (size_t)(WIDTH * most * voxels) * sizeof(float), stream));
        insert_points<<<1024, THREADS, 0, stream>>>(g, t);
        copy_points<<<1024, THREADS, 0, stream>>>(g, t);
    };
    const bench_times built = device_time(WARM_UPS, build);
    BENCH(bosc_voxels_count(bench.ctx, handle, &voxels));
    const bench_times peer = device_time(WARM_UPS, hashed);
    unsigned voxels_there = 0;
    CUDA(cudaMemcpy(&voxels_there, count.p, sizeof voxels_there, cudaMemcpyDeviceToHost));
    bench_say("%lld %s points in %lld voxels, %d rows of a voxel", (long long)n, shape, (long long)voxels, most);
    print_row("build", n, built, bench_times(), voxels == (int64_t)voxels_there);
    print_row("build, coordinates, padded rows", n, device_time(WARM_UPS, [&] { build(), list(), pad(); }), peer, true);
    print_row("  as graphs", n, graph_time([&] { build(), list(), pad(); }), graph_time(hashed), true);
    /* 2. Reductions and maps of the built voxels. */
    const bench_times none = bench_times();
    const auto mean = [&] { BENCH(bosc_voxels_mean(bench.ctx, handle, BOSC_F32, points.p, WIDTH, WIDTH, means.p, n)); };
    const auto nearest = [&] { BENCH(bosc_voxels_nearest(bench.ctx, handle, points.p, WIDTH, ids.p, n)); };
    const auto inverse = [&] { BENCH(bosc_voxels_inverse(bench.ctx, handle, ids.p)); };
    const auto maps = [&] { BENCH(bosc_voxels_kernel_map(bench.ctx, handle, handle, nullptr, map.p, n)); };
    print_row("means", n, device_time(WARM_UPS, mean), none, true);
    print_row("nearest rows", n, device_time(WARM_UPS, nearest), none, true);
    print_row("voxel of each row", n, device_time(WARM_UPS, inverse), none, true);
    print_row("map of 3 x 3 x 3", voxels, device_time(WARM_UPS, maps), none, true);
    bosc_voxels_free(handle);
}

int main(int argc, char **argv)
{
    int64_t most = 5;
    const char *shape = "uniform";
    const struct bench_option own[] = {{'m', BENCH_INTEGER, &most, "rows of a voxel, up to 64"},
                                       {'s', BENCH_TEXT, &shape, SHAPE_TEXT(POINT_SHAPES)}};
    bench.repeats = 15;
    bench_options(argc, argv, "points", own, 2);
    if (most < 1 || most > 64) bench_fail("-m: %lld is not in 1 to 64", (long long)most);
    open_device();
    if (bench.n) {
        time_all(shape, bench.n, (int)most);
    } else {
        time_all(shape, 250000, (int)most);
        time_all(shape, 1 << 20, (int)most);
        time_all(shape, 10000000, (int)most);
    }
    return close_device();
}
