/* The primitives on a CUDA device beside CUB's own calls: bench_prims_cuda [n...]. Arrays are on the device; times are
 * medians of events around single calls after a warm-up; answers are compared. `floor` is the time of the bytes that a
 * perfect implementation moves, at the copy speed of an H200. */
#include <cub/cub.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <boscage/boscage.h>

#include "harness/cuda.cuh"

static const double COPY_BYTES_PER_MS = 4.3e9;
enum { WARM_UPS = 3, RUNS = 15, BUCKETS = 16, DIM = 3 };

/* CUB asks for its room in a first call. */
template <class F> static double cub_ms(const F &f)
{
    size_t bytes = 0;
    CUDA(f(nullptr, bytes));
    device_array<char> room((int64_t)bytes);
    return median_ms(WARM_UPS, RUNS, [&] { CUDA(f((void *)room.p, bytes)); });
}

static __global__ void count_differences(const unsigned char *a, const unsigned char *b, int64_t n,
                                         unsigned long long *count)
{
    unsigned long long mine = 0;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        mine += a[i] != b[i];
    if (mine) atomicAdd(count, mine);
}

static bool same(const void *a, const void *b, int64_t bytes)
{
    device_array<unsigned long long> count(1);
    unsigned long long differences = 0;
    CUDA(cudaMemset(count.p, 0, sizeof differences));
    count_differences<<<1024, 256>>>((const unsigned char *)a, (const unsigned char *)b, bytes, count.p);
    CUDA(cudaMemcpy(&differences, count.p, sizeof differences, cudaMemcpyDeviceToHost));
    return differences == 0;
}

static bool wrong;
static void report(const char *name, int64_t n, double ours, double cubs, double bytes, bool ok)
{
    double least = bytes / COPY_BYTES_PER_MS;
    printf("%-26s %10lld  ours %8.4f ms  cub %8.4f ms  ours/cub %5.2f  floor %7.4f ms  %3.0f%% of it  %s\n", name,
           (long long)n, ours, cubs, cubs > 0 ? ours / cubs : 0.0, least, 100 * least / ours, ok ? "equal" : "WRONG");
    fflush(stdout);
    wrong |= !ok;
}

template <class T> static void to_numbers(const device_array<uint32_t> &bits, int64_t n, device_array<T> *out)
{
    std::vector<uint32_t> h((size_t)n);
    std::vector<T> v((size_t)n);
    CUDA(cudaMemcpy(h.data(), bits.p, (size_t)n * 4, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < n; i++) v[(size_t)i] = (T)((double)h[(size_t)i] / 4294967296.0 - 0.5);
    CUDA(cudaMemcpy(out->p, v.data(), (size_t)n * sizeof(T), cudaMemcpyHostToDevice));
}

/* cub_scan(room, bytes, out) is the same by CUB. */
template <class T, class F>
static void scan_sums(const char *kind_name, bosc_scan_kind kind, const char *type, bosc_dtype dtype, const T *in,
                      int64_t n, bool exact, const F &cub_scan)
{
    char name[64];
    device_array<T> ours(n), cubs(n);
    double a = median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_scan(ctx, BOSC_SUM, kind, dtype, in, n, ours.p)); });
    double b = cub_ms([&](void *room, size_t &bytes) { return cub_scan(room, bytes, cubs.p); });
    T x, y;
    CUDA(cudaMemcpy(&x, ours.p + n - 1, sizeof x, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&y, cubs.p + n - 1, sizeof y, cudaMemcpyDeviceToHost));
    snprintf(name, sizeof name, "scan %s %s", kind_name, type);
    report(name, n, a, b, 2.0 * (double)n * sizeof(T),
           exact ? same(ours.p, cubs.p, n * (int64_t)sizeof(T)) : fabs((double)(x - y)) < 1.0 + 1e-6 * (double)n);
}

template <class T> static void sums(const char *type, bosc_dtype dtype, const T *in, int64_t n, bool exact)
{
    char name[64];
    device_array<T> ours(1), cubs(1);
    double a = median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_reduce(ctx, BOSC_SUM, dtype, in, n, ours.p)); });
    double b =
        cub_ms([&](void *room, size_t &bytes) { return cub::DeviceReduce::Sum(room, bytes, in, cubs.p, n, stream); });
    T x, y;
    CUDA(cudaMemcpy(&x, ours.p, sizeof x, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&y, cubs.p, sizeof y, cudaMemcpyDeviceToHost));
    snprintf(name, sizeof name, "reduce sum %s", type);
    report(name, n, a, b, (double)n * sizeof(T), exact ? x == y : fabs((double)(x - y)) < 1.0 + 1e-6 * (double)n);
    scan_sums("inclusive", BOSC_INCLUSIVE, type, dtype, in, n, exact, [&](void *room, size_t &bytes, T *out) {
        return cub::DeviceScan::InclusiveSum(room, bytes, in, out, n, stream);
    });
    scan_sums("exclusive", BOSC_EXCLUSIVE, type, dtype, in, n, exact, [&](void *room, size_t &bytes, T *out) {
        return cub::DeviceScan::ExclusiveSum(room, bytes, in, out, n, stream);
    });
}

static __global__ void make_flags(const uint32_t *bits, int64_t n, uint32_t below, uint8_t *flags)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        flags[i] = bits[i] < below;
}

static __global__ void make_buckets(const uint32_t *bits, int64_t n, uint32_t buckets, uint32_t *out)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        out[i] = bits[i] % buckets;
}

static void compactions(const uint32_t *in, const float *f, int64_t n)
{
    device_array<uint32_t> ours(n), cubs(n);
    device_array<uint8_t> flags(n);
    device_array<int64_t> counts(2);
    int64_t count[2];
    make_flags<<<1024, 256>>>(in, n, 1u << 31, flags.p);
    double a = median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_compact(ctx, 4, in, flags.p, n, ours.p, counts.p)); });
    double b = cub_ms([&](void *room, size_t &bytes) {
        return cub::DeviceSelect::Flagged(room, bytes, in, flags.p, cubs.p, counts.p + 1, n, stream);
    });
    CUDA(cudaMemcpy(count, counts.p, sizeof count, cudaMemcpyDeviceToHost));
    report("compact half, 4 bytes", n, a, b, (double)n * 7, count[0] == count[1] && same(ours.p, cubs.p, count[0] * 4));
    device_array<float> scanned(n);
    make_flags<<<1024, 256>>>(in, n, 1u << 26, flags.p);
    a = median_ms(WARM_UPS, RUNS, [&] {
        BOSC(bosc_scan_segmented(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F32, f, flags.p, n, scanned.p));
    });
    report("segmented scan f32", n, a, 0, (double)n * 9, true);
}

static void histograms(const uint32_t *in, int64_t n, uint32_t n_bins)
{
    char name[64];
    device_array<uint32_t> bins(n), out(n), cub_out(n), cub_keys(n);
    device_array<int64_t> ours(n_bins + 1);
    device_array<unsigned long long> cubs(n_bins);
    make_buckets<<<1024, 256>>>(in, n, n_bins, bins.p);
    double a = median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_histogram(ctx, bins.p, n, n_bins, ours.p)); });
    double b = cub_ms([&](void *room, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(room, bytes, bins.p, cubs.p, (int)n_bins + 1, 0u, n_bins, n, stream);
    });
    snprintf(name, sizeof name, "histogram %u (waits)", n_bins);
    report(name, n, a, b, (double)n * 4, same(ours.p, cubs.p, (int64_t)n_bins * 8));
    int bits = 0;
    while ((1u << bits) < n_bins) bits++;
    a = median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_split(ctx, 4, in, bins.p, n, n_bins, out.p, ours.p)); });
    b = cub_ms([&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, bins.p, cub_keys.p, in, cub_out.p, n, 0, bits, stream);
    });
    snprintf(name, sizeof name, "split %u, 4 bytes (waits)", n_bins);
    report(name, n, a, b, (double)n * 16, same(out.p, cub_out.p, n * 4));
}

static void sorts(const uint32_t *in, int64_t n)
{
    device_array<uint32_t> ours(n), cubs(n), our_values(n), cub_values(n);
    double a = median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_sort_keys(ctx, BOSC_U32, in, n, ours.p)); });
    double b = cub_ms([&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(room, bytes, in, cubs.p, n, 0, 32, stream);
    });
    report("sort keys u32", n, a, b, (double)n * 36, same(ours.p, cubs.p, n * 4));
    a = median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_sort_pairs(ctx, BOSC_U32, in, 4, in, n, ours.p, our_values.p)); });
    b = cub_ms([&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, in, cubs.p, in, cub_values.p, n, 0, 32, stream);
    });
    report("sort pairs u32, u32", n, a, b, (double)n * 68, same(our_values.p, cub_values.p, n * 4));
    int64_t half = n / 2;
    device_array<uint32_t> halves(n);
    BOSC(bosc_sort_keys(ctx, BOSC_U32, in, half, halves.p));
    BOSC(bosc_sort_keys(ctx, BOSC_U32, in + half, n - half, halves.p + half));
    a = median_ms(WARM_UPS, RUNS,
                  [&] { BOSC(bosc_merge(ctx, BOSC_U32, halves.p, half, halves.p + half, n - half, ours.p)); });
    b = cub_ms([&](void *room, size_t &bytes) {
        return cub::DeviceMerge::MergeKeys(room, bytes, halves.p, half, halves.p + half, n - half, cubs.p,
                                           cuda::std::less<>{}, stream);
    });
    report("merge u32", n, a, b, (double)n * 8, same(ours.p, cubs.p, n * 4));
    a = median_ms(WARM_UPS, RUNS, [&] {
        BOSC(bosc_merge_pairs(ctx, BOSC_U32, 4, halves.p, in, half, halves.p + half, in + half, n - half, ours.p,
                              our_values.p));
    });
    b = cub_ms([&](void *room, size_t &bytes) {
        return cub::DeviceMerge::MergePairs(room, bytes, halves.p, in, half, halves.p + half, in + half, n - half,
                                            cubs.p, cub_values.p, cuda::std::less<>{}, stream);
    });
    report("merge pairs u32, u32", n, a, b, (double)n * 16, same(our_values.p, cub_values.p, n * 4));
}

struct by_superkey {
    const float *points;
    __device__ bool operator()(uint32_t r, uint32_t s) const
    {
        for (int c = 0; c < DIM; c++) {
            float x = points[(size_t)r * DIM + c], y = points[(size_t)s * DIM + c];
            if (x != y) return x < y;
        }
        return r < s;
    }
};

static __global__ void make_rows(uint32_t *rows, int64_t n)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        rows[i] = (uint32_t)i;
}

/* CUB sorts row numbers through the points; one run, since it takes long. */
static void superkeys(int64_t n)
{
    device_array<float> points(n * DIM);
    device_array<uint32_t> ours(n), cubs(n);
    BOSC(bosc_random_points(ctx, BOSC_POINTS_UNIFORM, 1, n, DIM, BOSC_F32, points.p));
    double a = median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_sort_superkey(ctx, BOSC_F32, points.p, n, DIM, 0, ours.p)); });
    double b = cub_ms([&](void *room, size_t &bytes) {
        if (room) make_rows<<<1024, 256, 0, stream>>>(cubs.p, n);
        return cub::DeviceMergeSort::SortKeys(room, bytes, cubs.p, n, by_superkey{points.p}, stream);
    });
    double passes = 1 + ceil(log2((double)n / 2048));
    report("sort superkey f32 x 3", n, a, b, (double)n * 16 * passes, same(ours.p, cubs.p, n * 4));
}

static void run_all(int64_t n)
{
    device_array<uint32_t> bits(n), wide(2 * n);
    device_array<float> f(n);
    device_array<double> d(n);
    BOSC(bosc_random_bits(ctx, 1, 0, n, bits.p));
    BOSC(bosc_random_bits(ctx, 1, 1, 2 * n, wide.p));
    BOSC(bosc_sync(ctx));
    to_numbers(bits, n, &f);
    to_numbers(bits, n, &d);
    sums("u32", BOSC_U32, bits.p, n, true);
    sums("u64", BOSC_U64, (uint64_t *)wide.p, n, true);
    sums("f32", BOSC_F32, f.p, n, false);
    sums("f64", BOSC_F64, d.p, n, false);
    compactions(bits.p, f.p, n);
    histograms(bits.p, n, BUCKETS);
    histograms(bits.p, n, 256);
    histograms(bits.p, n, 65536);
    sorts(bits.p, n);
    superkeys(n);
}

int main(int argc, char **argv)
{
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    bosc_ctx_opts o = {};
    o.size = sizeof o;
    o.backend = BOSC_BACKEND_CUDA;
    o.stream = stream;
    if (bosc_ctx_create(&o, &ctx) != BOSC_OK) {
        fprintf(stderr, "no CUDA: %s\n", bosc_backend_reason(BOSC_BACKEND_CUDA));
        return 1;
    }
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    printf("# %s, median of %d runs after %d\n", properties.name, RUNS, WARM_UPS);
    if (argc < 2) {
        run_all(1 << 24);
        run_all(100000000);
    }
    for (int i = 1; i < argc; i++) run_all(atoll(argv[i]));
    bosc_ctx_free(ctx);
    cudaStreamDestroy(stream);
    return wrong;
}
