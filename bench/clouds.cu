/* Batches of point clouds on a CUDA device: bench_clouds [-n points of a cloud -c clouds] [-k neighbours] [-R radius]
 * [-s shape]. Beside the k nearest and the samples is brute force (a thread a query, a block a sampled cloud), written
 * here after the method of torch_cluster, and their ids are compared. Points of the shape are on the device, the handle
 * is warm and assumes valid input; times are of single calls, between events, and of replayed graphs. */
#include <cmath>
#include <cstring>

#include "harness/cuda.cuh"
#include "harness/shapes.h"

enum { WARM_UPS = 3, THREADS = 256, MOST_K = 64 };

/* The points of a batch on the device, whose clouds have equal sizes. */
struct batch {
    const float *points;
    int64_t n;
};

/* The k nearest within r2 of each point of its cloud: lists in local memory, ascending. */
static __global__ void find_nearest(batch b, int each, int k, float r2, int64_t *ids)
{
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    float dist2[MOST_K];
    int64_t near[MOST_K];
    if (i >= b.n) return;
    const int64_t begin = i / each * each;
    const float x = b.points[3 * i], y = b.points[3 * i + 1], z = b.points[3 * i + 2];
    for (int j = 0; j < k; j++) dist2[j] = INFINITY, near[j] = -1;
    for (int64_t p = begin; p < begin + each; p++) {
        const float dx = x - b.points[3 * p], dy = y - b.points[3 * p + 1], dz = z - b.points[3 * p + 2];
        const float d = dx * dx + dy * dy + dz * dz;
        if (!(d <= r2) || !(d < dist2[k - 1])) continue;
        int at = k - 1;
        for (; at > 0 && dist2[at - 1] > d; at--) dist2[at] = dist2[at - 1], near[at] = near[at - 1];
        dist2[at] = d, near[at] = p;
    }
    for (int j = 0; j < k; j++) ids[i * k + j] = near[j];
}

/* m farthest points of each cloud, from its first one on: a block measures all points again for each. */
static __global__ void sample_farthest(batch b, int each, int m, float *dist2, int64_t *ids)
{
    __shared__ float best_d[THREADS];
    __shared__ int64_t best_p[THREADS];
    const int64_t begin = blockIdx.x * (int64_t)each;
    int64_t last = begin;
    /* Of each sample: 1. own points; 2. the farthest of the block. */
    for (int64_t p = begin + threadIdx.x; p < begin + each; p += THREADS) dist2[p] = INFINITY;
    for (int j = 0; j < m; j++) {
        float d_max = -1;
        int64_t p_max = begin + each;
        if (threadIdx.x == 0) ids[blockIdx.x * (int64_t)m + j] = last;
        for (int64_t p = begin + threadIdx.x; p < begin + each; p += THREADS) {
            const float dx = b.points[3 * last] - b.points[3 * p], dy = b.points[3 * last + 1] - b.points[3 * p + 1];
            const float dz = b.points[3 * last + 2] - b.points[3 * p + 2];
            const float d = fminf(dist2[p], p == last ? -1 : dx * dx + dy * dy + dz * dz);
            dist2[p] = d;
            if (d > d_max) d_max = d, p_max = p;
        }
        best_d[threadIdx.x] = d_max;
        best_p[threadIdx.x] = p_max;
        for (int u = THREADS / 2; u > 0; u /= 2) {
            __syncthreads();
            if ((int)threadIdx.x >= u) continue;
            const float d = best_d[threadIdx.x + u];
            const int64_t p = best_p[threadIdx.x + u];
            if (d > best_d[threadIdx.x] || (d == best_d[threadIdx.x] && p < best_p[threadIdx.x]))
                best_d[threadIdx.x] = d, best_p[threadIdx.x] = p;
        }
        __syncthreads();
        last = best_p[0];
        __syncthreads();
    }
}

static void print_row(const char *name, int64_t n, bench_times ours, bench_times theirs, bool right)
{
    print_row_beside("brute force", name, n, ours, theirs, right);
}

static void time_all(const char *shape, int64_t clouds, int64_t each, int k, double radius, int64_t samples)
{
    /* 0. Points of all clouds in one cube, and offsets. */
    const int64_t n = clouds * each;
    float *host = bench_points(shape, n, 3, 5);
    std::vector<int64_t> offsets, sample_offsets;
    for (int64_t c = 0; c <= clouds; c++) offsets.push_back(c * each), sample_offsets.push_back(c * samples);
    device_array<float> points(3 * n), dist2(n);
    device_array<int64_t> starts(clouds + 1), sample_starts(clouds + 1), ids(n * k), theirs(n * k), counts(n);
    CUDA(cudaMemcpy(points.p, host, (size_t)n * 12, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(starts.p, offsets.data(), (size_t)(clouds + 1) * 8, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(sample_starts.p, sample_offsets.data(), (size_t)(clouds + 1) * 8, cudaMemcpyHostToDevice));
    free(host);
    const batch b = {points.p, n};
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    bosc_clouds_opts o = {};
    o.size = sizeof o;
    o.dim = 3;
    o.assume_valid = 1;
    o.max_points = each;
    bosc_clouds *handle;
    BENCH(bosc_clouds_create(bench.ctx, &o, &handle));
    bench_say("%lld clouds of %lld %s points, k = %d, radius %g, %lld samples", (long long)clouds, (long long)each,
              shape, k, radius, (long long)samples);
    /* 1. Builds and searches. */
    bosc_clouds_queries others = {};
    others.size = sizeof others;
    others.points = points.p;
    others.count = n;
    others.offsets = starts.p;
    const auto build = [&] { BENCH(bosc_clouds_build(bench.ctx, handle, points.p, n, 0, starts.p, clouds)); };
    const auto nearest = [&](double r) { BENCH(bosc_clouds_knn(bench.ctx, handle, nullptr, k, r, ids.p, nullptr)); };
    const auto brute = [&](float r2) { find_nearest<<<blocks, THREADS, 0, stream>>>(b, (int)each, k, r2, theirs.p); };
    const bool slow = each > 100000; /* brute force would take minutes */
    /* Clears the ids, so that those compared are of the timed calls. */
    const auto timed_afresh = [&](const auto &time) {
        CUDA(cudaMemset(ids.p, 0xff, (size_t)(n * k) * 8));
        return time();
    };
    print_row("build", n, device_time(WARM_UPS, build), bench_times(), true);
    bench_times ours = device_time(WARM_UPS, [&] { nearest(INFINITY); }), peer = {};
    if (!slow) peer = device_time(1, [&] { brute(INFINITY); });
    print_row("k nearest", n, ours, peer, slow || same_items(ids, theirs, n * k));
    ours = timed_afresh([&] { return device_time(WARM_UPS, [&] { build(), nearest(INFINITY); }); });
    print_row("build and k nearest", n, ours, peer, slow || same_items(ids, theirs, n * k));
    ours = timed_afresh([&] { return graph_time([&] { build(), nearest(INFINITY); }); });
    print_row("  as a graph", n, ours, peer, slow || same_items(ids, theirs, n * k));
    ours = timed_afresh([&] {
        return device_time(WARM_UPS,
                           [&] { BENCH(bosc_clouds_knn(bench.ctx, handle, &others, k, INFINITY, ids.p, nullptr)); });
    });
    print_row("k nearest of separate queries", n, ours, peer, slow || same_items(ids, theirs, n * k));
    if (!slow) peer = device_time(1, [&] { brute((float)(radius * radius)); });
    ours = device_time(WARM_UPS, [&] { nearest(radius); });
    print_row("k nearest within the radius", n, ours, peer, slow || same_items(ids, theirs, n * k));
    ours = timed_afresh([&] { return graph_time([&] { build(), nearest(radius); }); });
    print_row("  with build, as a graph", n, ours, peer, slow || same_items(ids, theirs, n * k));
    ours =
        device_time(WARM_UPS, [&] { BENCH(bosc_clouds_radius_count(bench.ctx, handle, nullptr, radius, counts.p)); });
    print_row("counts within the radius", n, ours, bench_times(), true);
    device_array<int64_t> rows(n + 1);
    int64_t total = 0;
    const auto count_rows = [&] {
        BENCH(bosc_clouds_radius(bench.ctx, handle, nullptr, radius, rows.p, nullptr, nullptr, 0));
        BENCH(bosc_ctx_copy(bench.ctx, &total, rows.p + n, sizeof total));
        BENCH(bosc_ctx_sync(bench.ctx));
    };
    count_rows();
    device_array<int64_t> entries(total);
    ours = device_time(WARM_UPS, [&] {
        count_rows();
        BENCH(bosc_clouds_radius(bench.ctx, handle, nullptr, radius, rows.p, entries.p, nullptr, total));
    });
    bench_say("%.1f neighbours within the radius", (double)total / (double)n);
    print_row("CSR rows within the radius, two calls", n, ours, bench_times(), true);
    /* 2. Samples. */
    const auto sample = [&] {
        BENCH(bosc_clouds_sample_farthest(bench.ctx, handle, sample_starts.p, clouds * samples, nullptr, ids.p));
    };
    peer = bench_times();
    if (!slow)
        peer = device_time(1, [&] {
            sample_farthest<<<(unsigned)clouds, THREADS, 0, stream>>>(b, (int)each, (int)samples, dist2.p, theirs.p);
        });
    ours = device_time(1, sample);
    print_row("farthest points", n, ours, peer, slow || same_items(ids, theirs, clouds * samples));
    bosc_clouds_free(handle);
}

int main(int argc, char **argv)
{
    int64_t clouds = 24, k = 16;
    double radius = 0.05;
    const char *shape = "uniform";
    const struct bench_option own[] = {{'c', BENCH_INTEGER, &clouds, "clouds"},
                                       {'k', BENCH_INTEGER, &k, "neighbours, up to 64"},
                                       {'R', BENCH_NUMBER, &radius, "radius"},
                                       {'s', BENCH_TEXT, &shape, SHAPE_TEXT(POINT_SHAPES)}};
    bench.repeats = 15;
    bench_options(argc, argv, "points of a cloud", own, 4);
    if (k < 1 || k > MOST_K) bench_fail("-k: %lld is not in 1 to %d", (long long)k, (int)MOST_K);
    open_device();
    if (bench.n) {
        time_all(shape, clouds, bench.n, (int)k, radius, bench.n / 4);
    } else {
        time_all(shape, 512, 64, 16, 0.3, 16);
        time_all(shape, 512, 64, 32, 0.5, 32);
        time_all(shape, 24, 8192, 16, 0.05, 2048);
        time_all(shape, 24, 1024, 16, 0.1, 512);
        time_all(shape, 1, 1 << 20, 16, 0.02, 2048);
        time_all(shape, 1, 1 << 20, 8, 0.02, 128);
    }
    return close_device();
}
