/* Voxel grids beside a plain cell list on a CUDA device: bench_voxelgrid_cuda [-n points] [-k neighbours of a point, on
 * average] [-s shape]. Points are of a shape (harness/shapes.h), scaled to a unit cube, voxels and cells as wide as the
 * radius; cells are at most 1,024 a side. The cell list is given its box:
 * one radix sort by cell (CUB), an array of cell starts, a thread a point for searches. Its pairs are unordered, those
 * of the grid ascend. Arrays are on the device, handles are warm, times are of single calls, between events; counts and
 * pairs are compared. */
#include <cub/cub.cuh>

#include <cmath>
#include <cstring>

#include "harness/cuda.cuh"
#include "harness/shapes.h"

enum { WARM_UPS = 3, THREADS = 256, SIDE_MAX = 1024 };

static unsigned grid_of(int64_t n) { return (unsigned)((n + THREADS - 1) / THREADS); }
static __device__ int64_t item_of_thread() { return blockIdx.x * (int64_t)THREADS + threadIdx.x; }

/* A cube of side^3 cells. */
struct cells {
    float per_cell, r2;
    int side;
    const uint32_t *starts;
    const float4 *points; /* by cell; w: the id */

    __device__ int along(float x) const { return min(max((int)(x * per_cell), 0), side - 1); }
    __device__ uint32_t row(int x, int y) const { return (uint32_t)((x * side + y) * side); }
};

static __global__ void find_cells(cells c, const float *points, int64_t n, uint32_t *keys, uint32_t *ids)
{
    const int64_t i = item_of_thread();
    if (i >= n) return;
    keys[i] = c.row(c.along(points[3 * i]), c.along(points[3 * i + 1])) + (uint32_t)c.along(points[3 * i + 2]);
    ids[i] = (uint32_t)i;
}

/* Writes the start of each cell, and the points by cell. */
static __global__ void gather_points(const uint32_t *keys, const uint32_t *ids, const float *points, int64_t n,
                                     uint32_t count, uint32_t *starts, float4 *out)
{
    const int64_t i = item_of_thread();
    if (i >= n) return;
    const uint32_t key = keys[i], id = ids[i];
    for (uint32_t k = i ? keys[i - 1] + 1 : 0; k <= key; k++) starts[k] = (uint32_t)i;
    for (uint32_t k = key + 1; i == n - 1 && k <= count; k++) starts[k] = (uint32_t)n;
    out[i] = make_float4(points[3 * (int64_t)id], points[3 * (int64_t)id + 1], points[3 * (int64_t)id + 2],
                         __uint_as_float(id));
}

/* Calls found(position) for the points within the radius of the one at position i: 9 rows of 3 adjacent cells. */
template <class F> static __device__ void visit_near(const cells &c, int64_t i, const F &found)
{
    const float4 p = c.points[i];
    const int x = c.along(p.x), y = c.along(p.y), z = c.along(p.z), z0 = max(z - 1, 0), z1 = min(z + 1, c.side - 1);
    for (int a = max(x - 1, 0); a <= min(x + 1, c.side - 1); a++)
        for (int b = max(y - 1, 0); b <= min(y + 1, c.side - 1); b++) {
            const uint32_t end = c.starts[c.row(a, b) + z1 + 1];
            for (uint32_t k = c.starts[c.row(a, b) + z0]; k < end; k++) {
                const float4 q = c.points[k];
                const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
                const float square =
                    __fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy)); /* not fused: the same bits as ours */
                if (__fadd_rn(square, __fmul_rn(dz, dz)) <= c.r2) found(k);
            }
        }
}

static __global__ void count_near(cells c, int64_t n, int64_t *counts)
{
    const int64_t i = item_of_thread();
    uint32_t count = 0;
    if (i >= n) return;
    visit_near(c, i, [&](uint32_t) { count++; });
    counts[__float_as_uint(c.points[i].w)] = count;
}

static __global__ void total_pairs(cells c, int64_t n, unsigned long long *total)
{
    const int64_t i = item_of_thread();
    uint32_t count = 0;
    if (i < n) visit_near(c, i, [&](uint32_t k) { count += k > i; });
    for (int d = 16; d > 0; d /= 2) count += __shfl_xor_sync(~0u, count, d);
    if (threadIdx.x % 32 == 0) atomicAdd(total, (unsigned long long)count);
}

static __global__ void count_pairs(cells c, int64_t n, int64_t *counts)
{
    const int64_t i = item_of_thread();
    uint32_t count = 0;
    if (i >= n) return;
    visit_near(c, i, [&](uint32_t k) { count += k > i; });
    counts[i] = count;
}

static __global__ void list_pairs(cells c, int64_t n, const int64_t *offsets, int64_t *pairs)
{
    const int64_t i = item_of_thread();
    if (i >= n) return;
    int64_t at = offsets[i];
    visit_near(c, i, [&](uint32_t k) {
        if (k <= i) return;
        pairs[2 * at] = __float_as_uint(c.points[i].w);
        pairs[2 * at++ + 1] = __float_as_uint(c.points[k].w);
    });
}

/* The greatest float whose square root, rounded, is at most r: the library counts a distance that rounds to r. */
static float square_limit(float r)
{
    float limit = r * r;
    while (std::sqrt(std::nextafter(limit, HUGE_VALF)) <= r) limit = std::nextafter(limit, HUGE_VALF);
    return limit;
}

struct cell_list {
    int64_t n, count;
    int bits = 1;
    size_t bytes = 0, scan_bytes = 0;
    device_array<uint32_t> keys, ids, sorted_keys, sorted_ids, starts;
    device_array<float4> points;
    device_array<int64_t> counts; /* n + 1 */
    device_array<unsigned long long> total;
    char *scratch;
    cells c;

    cell_list(int64_t n_, float r, int side)
        : n(n_), count((int64_t)side * side * side), keys(n), ids(n), sorted_keys(n), sorted_ids(n), starts(count + 1),
          points(n), counts(n + 1),
          total(1), c{std::min(1 / r, (float)SIDE_MAX), square_limit(r), side, starts.p, points.p}
    {
        while (count > (int64_t)1 << bits) bits++;
        CUDA(sort(nullptr));
        CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, counts.p, counts.p, n + 1, stream));
        bytes = std::max(bytes, scan_bytes);
        CUDA(cudaMalloc((void **)&scratch, bytes));
    }
    ~cell_list() { cudaFree(scratch); }

    cudaError_t sort(void *memory)
    {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys.p, sorted_keys.p, ids.p, sorted_ids.p, n, 0, bits,
                                               stream);
    }

    void build(const float *p)
    {
        find_cells<<<grid_of(n), THREADS, 0, stream>>>(c, p, n, keys.p, ids.p);
        CUDA(sort(scratch));
        gather_points<<<grid_of(n), THREADS, 0, stream>>>(sorted_keys.p, sorted_ids.p, p, n, (uint32_t)count, starts.p,
                                                          points.p);
    }
    void count_all(int64_t *out) { count_near<<<grid_of(n), THREADS, 0, stream>>>(c, n, out); }
    int64_t read(const void *from)
    {
        int64_t value;
        CUDA(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        return value;
    }
    int64_t pairs()
    {
        CUDA(cudaMemsetAsync(total.p, 0, sizeof *total.p, stream));
        total_pairs<<<grid_of(n), THREADS, 0, stream>>>(c, n, total.p);
        return read(total.p);
    }
    int64_t list(int64_t *out)
    {
        count_pairs<<<grid_of(n), THREADS, 0, stream>>>(c, n, counts.p);
        CUDA(cub::DeviceScan::ExclusiveSum(scratch, scan_bytes, counts.p, counts.p, n + 1, stream));
        list_pairs<<<grid_of(n), THREADS, 0, stream>>>(c, n, counts.p, out);
        return read(counts.p + n);
    }
};

static void print_row(const char *name, int64_t n, bench_times ours, bench_times theirs, bool right)
{
    print_row_beside("cell list, CUB", name, n, ours, theirs, right);
}

/* True if both have the same pairs; ours must ascend. */
static bool same_pairs(const device_array<int64_t> &ours, const device_array<int64_t> &theirs, int64_t count)
{
    typedef std::pair<int64_t, int64_t> pair;
    std::vector<pair> x((size_t)count), y((size_t)count);
    CUDA(cudaMemcpy(x.data(), ours.p, (size_t)count * 16, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(y.data(), theirs.p, (size_t)count * 16, cudaMemcpyDeviceToHost));
    for (pair &p : y) p = {std::min(p.first, p.second), std::max(p.first, p.second)};
    std::sort(y.begin(), y.end());
    return x == y;
}

/* Moves the points to [0, 1)^3; uniform ones are there. */
static void fit_cube(float *points, int64_t n)
{
    float least[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, extent = 0;
    for (int64_t i = 0; i < 3 * n; i++) least[i % 3] = std::min(least[i % 3], points[i]);
    for (int64_t i = 0; i < 3 * n; i++) extent = std::max(extent, points[i] - least[i % 3]);
    for (int64_t i = 0; i < 3 * n; i++) points[i] = (points[i] - least[i % 3]) / (1.0001f * extent);
}

static void time_all(const char *shape, int64_t n, double neighbours)
{
    /* 0. Points, and a radius for the average of neighbours. */
    const bool is_uniform = strcmp(shape, "uniform") == 0;
    float *host = bench_points(shape, n, 3, 5);
    if (!is_uniform) fit_cube(host, n);
    const float r =
        (float)(is_uniform ? cbrt(neighbours / ((double)n * 4.18879)) : bench_radius(host, n, 3, neighbours));
    if (!(r > 0)) bench_fail("-s: %s has more equal points than neighbours", shape);
    device_array<float> points(3 * n), elsewhere(3 * n);
    device_array<int64_t> counts(n), theirs(n);
    CUDA(cudaMemcpy(points.p, host, (size_t)n * 12, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(elsewhere.p, host, (size_t)n * 12, cudaMemcpyHostToDevice));
    free(host);
    /* 1. Handles, voxels as wide as the radius. */
    bosc_voxelgrid_opts o = {};
    o.size = sizeof o;
    o.dim = 3;
    o.cell = (double)r;
    o.assume_valid = 1;
    bosc_voxelgrid *grid;
    BENCH(bosc_voxelgrid_create(bench.ctx, &o, &grid));
    cell_list list(n, r, (int)std::min(1 / r, (float)(SIDE_MAX - 1)) + 1);
    const auto build = [&] { BENCH(bosc_voxelgrid_build(bench.ctx, grid, points.p, n, 0)); };
    const auto count = [&](const float *queries) {
        BENCH(bosc_voxelgrid_radius_count(bench.ctx, grid, queries, n, 0, (double)r, counts.p));
    };
    /* 2. Builds and counts of neighbours. */
    bench_times ours = device_time(WARM_UPS, build), peer = device_time(WARM_UPS, [&] { list.build(points.p); });
    print_row("build", n, ours, peer, true);
    ours = device_time(WARM_UPS, [&] { count(nullptr); });
    peer = device_time(WARM_UPS, [&] { list.count_all(theirs.p); });
    print_row("neighbours of all points counted", n, ours, peer, same_items(counts, theirs, n));
    ours = device_time(WARM_UPS, [&] { count(points.p); });
    print_row("  of queries in the array of the build", n, ours, bench_times(), same_items(counts, theirs, n));
    ours = device_time(WARM_UPS, [&] { count(elsewhere.p); });
    print_row("  of queries that a build has not seen", n, ours, bench_times(), same_items(counts, theirs, n));
    ours = device_time(WARM_UPS, [&] { build(), count(nullptr); });
    peer = device_time(WARM_UPS, [&] { list.build(points.p), list.count_all(theirs.p); });
    print_row("build and count", n, ours, peer, true);
    /* 3. Pairs: counted, then listed. */
    int64_t found = 0, pairs = list.pairs();
    ours = device_time(WARM_UPS,
                       [&] { BENCH(bosc_voxelgrid_pairs(bench.ctx, grid, (double)r, nullptr, nullptr, 0, &found)); });
    print_row("pairs counted", n, ours, device_time(WARM_UPS, [&] { list.pairs(); }), found == pairs);
    device_array<int64_t> ids(2 * pairs), their_ids(2 * pairs);
    ours = device_time(WARM_UPS,
                       [&] { BENCH(bosc_voxelgrid_pairs(bench.ctx, grid, (double)r, ids.p, nullptr, pairs, &found)); });
    peer = device_time(WARM_UPS, [&] { list.list(their_ids.p); });
    print_row("pairs listed", n, ours, peer, found == pairs && same_pairs(ids, their_ids, pairs));
    bosc_voxelgrid_free(grid);
}

int main(int argc, char **argv)
{
    double neighbours = 8;
    const char *shape = "uniform";
    const struct bench_option own[] = {{'k', BENCH_NUMBER, &neighbours, "neighbours of a point, on average"},
                                       {'s', BENCH_TEXT, &shape, SHAPE_TEXT(POINT_SHAPES)}};
    bench.repeats = 15;
    bench_options(argc, argv, "points", own, 2);
    open_device();
    if (bench.n) {
        time_all(shape, bench.n, neighbours);
    } else {
        for (int64_t n = 1 << 14; n <= 1 << 23; n *= 8) time_all(shape, n, neighbours);
        time_all(shape, 1 << 20, neighbours);
    }
    return close_device();
}
