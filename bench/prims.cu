/* The primitives on a CUDA device beside CUB's own calls: bench_prims_cuda [-n items]. Arrays are on the device; times
 * are of single calls, between events; answers are compared, those of sums of floats with the CPU's, bit for bit.
 * `floor` is the time of the least number of bytes at the copy speed of an H200. */
#include <cub/cub.cuh>

#include <cstring>

#include "harness/cuda.cuh"

static const double COPY_BYTES_PER_S = 4.3e12; /* measured on an H200 */
enum { WARM_UPS = 3, BUCKETS = 16, DIM = 3 };

/* Times f(scratch, bytes). A first call, with NULL, returns the size of CUB's scratch memory. */
template <class F> static bench_times cub_time(const F &f)
{
    size_t bytes = 0;
    CUDA(f(nullptr, bytes));
    device_array<char> scratch((int64_t)bytes);
    return device_time(WARM_UPS, [&] { CUDA(f((void *)scratch.p, bytes)); });
}

static __global__ void count_differences(const unsigned char *a, const unsigned char *b, int64_t n,
                                         unsigned long long *count)
{
    unsigned long long own = 0;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        own += a[i] != b[i];
    if (own) atomicAdd(count, own);
}

static bool has_same_bytes(const void *a, const void *b, int64_t bytes)
{
    device_array<unsigned long long> count(1);
    unsigned long long differences = 0;
    CUDA(cudaMemset(count.p, 0, sizeof differences));
    count_differences<<<1024, 256>>>((const unsigned char *)a, (const unsigned char *)b, bytes, count.p);
    CUDA(cudaMemcpy(&differences, count.p, sizeof differences, cudaMemcpyDeviceToHost));
    return differences == 0;
}

/* A row beside CUB's; cubs of zero time: CUB has no such call. */
static void print_row(const char *name, int64_t n, bench_times ours, bench_times cubs, double bytes, bool ok)
{
    const double floor = bytes / COPY_BYTES_PER_S;
    struct bench_row row = {};
    row.name = name;
    row.n = n;
    row.bytes = bytes;
    row.ours = ours;
    row.peer = cubs.median > 0 ? "CUB" : NULL;
    row.theirs = cubs;
    row.note = bench_text("floor %.4f ms, %.0f%% of it", 1e3 * floor, 100 * floor / ours.median);
    bench_print(&row);
    bench_check(ok, "%s of %lld", name, (long long)n);
}

template <class T> static void to_numbers(const device_array<uint32_t> &bits, int64_t n, device_array<T> *out)
{
    std::vector<uint32_t> h((size_t)n);
    std::vector<T> v((size_t)n);
    CUDA(cudaMemcpy(h.data(), bits.p, (size_t)n * 4, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < n; i++) v[(size_t)i] = (T)((double)h[(size_t)i] / 4294967296.0 - 0.5);
    CUDA(cudaMemcpy(out->p, v.data(), (size_t)n * sizeof(T), cudaMemcpyHostToDevice));
}

/* Returns a host copy of n items on the device. */
template <class T> static std::vector<T> read_items(const T *from, int64_t n)
{
    std::vector<T> to((size_t)n);
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(to.data(), from, (size_t)n * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

/* True if `count` items have the bits that compute(ctx, in, out) gives on the CPU for the n elements of `in`. */
template <class T, class F>
static bool has_cpu_bits(const T *in, int64_t n, const T *items, int64_t count, const F &compute)
{
    bosc_ctx_opts opts = {};
    bosc_ctx *cpu = NULL;
    opts.size = sizeof opts;
    opts.backend = BOSC_BACKEND_CPU;
    const std::vector<T> from = read_items(in, n), ours = read_items(items, count);
    std::vector<T> want((size_t)count);
    const bool computed = bosc_ctx_create(&opts, &cpu) == BOSC_OK && compute(cpu, from.data(), want.data()) == BOSC_OK;
    bosc_ctx_free(cpu);
    return computed && memcmp(ours.data(), want.data(), (size_t)count * sizeof(T)) == 0;
}

/* cub_scan(scratch, bytes, out): the same scan by CUB. */
template <class T, class F>
static void time_scan(const char *kind_name, bosc_scan_kind kind, const char *type, bosc_dtype dtype, const T *in,
                      int64_t n, bool exact, const F &cub_scan)
{
    char name[64];
    device_array<T> ours(n), cubs(n);
    bench_times a = device_time(WARM_UPS, [&] { BENCH(bosc_scan(bench.ctx, BOSC_SUM, kind, dtype, in, n, ours.p)); });
    bench_times b = cub_time([&](void *scratch, size_t &bytes) { return cub_scan(scratch, bytes, cubs.p); });
    snprintf(name, sizeof name, "scan %s %s", kind_name, type);
    print_row(name, n, a, b, 2.0 * (double)n * sizeof(T),
              exact ? has_same_bytes(ours.p, cubs.p, n * (int64_t)sizeof(T))
                    : has_cpu_bits(in, n, ours.p, n, [&](bosc_ctx *cpu, const T *from, T *to) {
                          return bosc_scan(cpu, BOSC_SUM, kind, dtype, from, n, to);
                      }));
}

template <class T> static void time_sums(const char *type, bosc_dtype dtype, const T *in, int64_t n, bool exact)
{
    char name[64];
    device_array<T> ours(1), cubs(1);
    bench_times a = device_time(WARM_UPS, [&] { BENCH(bosc_reduce(bench.ctx, BOSC_SUM, dtype, in, n, ours.p)); });
    bench_times b = cub_time(
        [&](void *scratch, size_t &bytes) { return cub::DeviceReduce::Sum(scratch, bytes, in, cubs.p, n, stream); });
    snprintf(name, sizeof name, "reduce sum %s", type);
    print_row(name, n, a, b, (double)n * sizeof(T),
              exact ? has_same_bytes(ours.p, cubs.p, sizeof(T))
                    : has_cpu_bits(in, n, ours.p, 1, [&](bosc_ctx *cpu, const T *from, T *to) {
                          return bosc_reduce(cpu, BOSC_SUM, dtype, from, n, to);
                      }));
    time_scan("inclusive", BOSC_INCLUSIVE, type, dtype, in, n, exact, [&](void *scratch, size_t &bytes, T *out) {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n, stream);
    });
    time_scan("exclusive", BOSC_EXCLUSIVE, type, dtype, in, n, exact, [&](void *scratch, size_t &bytes, T *out) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, n, stream);
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

static void time_compactions(const uint32_t *in, const float *f, int64_t n)
{
    device_array<uint32_t> ours(n), cubs(n);
    device_array<uint8_t> flags(n);
    device_array<int64_t> counts(2);
    int64_t count[2];
    make_flags<<<1024, 256>>>(in, n, 1u << 31, flags.p);
    bench_times a = device_time(WARM_UPS, [&] { BENCH(bosc_compact(bench.ctx, 4, in, flags.p, n, ours.p, counts.p)); });
    bench_times b = cub_time([&](void *scratch, size_t &bytes) {
        return cub::DeviceSelect::Flagged(scratch, bytes, in, flags.p, cubs.p, counts.p + 1, n, stream);
    });
    CUDA(cudaMemcpy(count, counts.p, sizeof count, cudaMemcpyDeviceToHost));
    print_row("compact half, 4 bytes", n, a, b, (double)n * 7,
              count[0] == count[1] && has_same_bytes(ours.p, cubs.p, count[0] * 4));
    device_array<float> scanned(n);
    make_flags<<<1024, 256>>>(in, n, 1u << 26, flags.p);
    a = device_time(WARM_UPS, [&] {
        BENCH(bosc_scan_segmented(bench.ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F32, f, flags.p, n, scanned.p));
    });
    print_row("segmented scan f32", n, a, bench_times(), (double)n * 9, true);
}

static void time_histograms(const uint32_t *in, int64_t n, uint32_t n_bins)
{
    char name[64];
    device_array<uint32_t> bins(n), out(n), cub_out(n), cub_keys(n);
    device_array<int64_t> ours(n_bins + 1);
    device_array<unsigned long long> cubs(n_bins);
    make_buckets<<<1024, 256>>>(in, n, n_bins, bins.p);
    bench_times a = device_time(WARM_UPS, [&] { BENCH(bosc_histogram(bench.ctx, bins.p, n, n_bins, ours.p)); });
    bench_times b = cub_time([&](void *scratch, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, bins.p, cubs.p, (int)n_bins + 1, 0u, n_bins, n,
                                                   stream);
    });
    snprintf(name, sizeof name, "histogram %u (waits)", n_bins);
    print_row(name, n, a, b, (double)n * 4, has_same_bytes(ours.p, cubs.p, (int64_t)n_bins * 8));
    int bits = 0;
    while ((1u << bits) < n_bins) bits++;
    a = device_time(WARM_UPS, [&] { BENCH(bosc_split(bench.ctx, 4, in, bins.p, n, n_bins, out.p, ours.p)); });
    b = cub_time([&](void *scratch, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, bins.p, cub_keys.p, in, cub_out.p, n, 0, bits, stream);
    });
    snprintf(name, sizeof name, "split %u, 4 bytes (waits)", n_bins);
    print_row(name, n, a, b, (double)n * 16, has_same_bytes(out.p, cub_out.p, n * 4));
}

static void time_sorts(const uint32_t *in, int64_t n)
{
    device_array<uint32_t> ours(n), cubs(n), our_values(n), cub_values(n);
    /* 1. Keys and pairs. */
    bench_times a = device_time(WARM_UPS, [&] { BENCH(bosc_sort_keys(bench.ctx, BOSC_U32, in, n, ours.p)); });
    bench_times b = cub_time([&](void *scratch, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, cubs.p, n, 0, 32, stream);
    });
    print_row("sort keys u32", n, a, b, (double)n * 36, has_same_bytes(ours.p, cubs.p, n * 4));
    a = device_time(WARM_UPS, [&] { BENCH(bosc_sort_pairs(bench.ctx, BOSC_U32, in, 4, in, n, ours.p, our_values.p)); });
    b = cub_time([&](void *scratch, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, in, cubs.p, in, cub_values.p, n, 0, 32, stream);
    });
    print_row("sort pairs u32, u32", n, a, b, (double)n * 68, has_same_bytes(our_values.p, cub_values.p, n * 4));
    /* 2. Merges of two sorted halves. */
    int64_t half = n / 2;
    device_array<uint32_t> halves(n);
    BENCH(bosc_sort_keys(bench.ctx, BOSC_U32, in, half, halves.p));
    BENCH(bosc_sort_keys(bench.ctx, BOSC_U32, in + half, n - half, halves.p + half));
    a = device_time(WARM_UPS,
                    [&] { BENCH(bosc_merge(bench.ctx, BOSC_U32, halves.p, half, halves.p + half, n - half, ours.p)); });
    b = cub_time([&](void *scratch, size_t &bytes) {
        return cub::DeviceMerge::MergeKeys(scratch, bytes, halves.p, half, halves.p + half, n - half, cubs.p,
                                           cuda::std::less<>{}, stream);
    });
    print_row("merge u32", n, a, b, (double)n * 8, has_same_bytes(ours.p, cubs.p, n * 4));
    a = device_time(WARM_UPS, [&] {
        BENCH(bosc_merge_pairs(bench.ctx, BOSC_U32, 4, halves.p, in, half, halves.p + half, in + half, n - half, ours.p,
                               our_values.p));
    });
    b = cub_time([&](void *scratch, size_t &bytes) {
        return cub::DeviceMerge::MergePairs(scratch, bytes, halves.p, in, half, halves.p + half, in + half, n - half,
                                            cubs.p, cub_values.p, cuda::std::less<>{}, stream);
    });
    print_row("merge pairs u32, u32", n, a, b, (double)n * 16, has_same_bytes(our_values.p, cub_values.p, n * 4));
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
static void time_superkeys(int64_t n)
{
    device_array<float> points(n * DIM);
    device_array<uint32_t> ours(n), cubs(n);
    BENCH(bosc_random_points(bench.ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, n, DIM, BOSC_F32, points.p));
    bench_times a =
        device_time(WARM_UPS, [&] { BENCH(bosc_sort_superkey(bench.ctx, BOSC_F32, points.p, n, DIM, 0, ours.p)); });
    bench_times b = cub_time([&](void *scratch, size_t &bytes) {
        if (scratch) make_rows<<<1024, 256, 0, stream>>>(cubs.p, n);
        return cub::DeviceMergeSort::SortKeys(scratch, bytes, cubs.p, n, by_superkey{points.p}, stream);
    });
    double passes = 1 + ceil(log2((double)n / 2048)); /* merge passes above sorted tiles of 2,048 (assumed) */
    print_row("sort superkey f32 x 3", n, a, b, (double)n * 16 * passes, has_same_bytes(ours.p, cubs.p, n * 4));
}

static void time_all(int64_t n)
{
    device_array<uint32_t> bits(n), bits64(2 * n);
    device_array<float> f(n);
    device_array<double> d(n);
    BENCH(bosc_random_bits(bench.ctx, 1, 0, n, bits.p));
    BENCH(bosc_random_bits(bench.ctx, 1, 1, 2 * n, bits64.p));
    BENCH(bosc_ctx_sync(bench.ctx));
    to_numbers(bits, n, &f);
    to_numbers(bits, n, &d);
    time_sums("u32", BOSC_U32, bits.p, n, true);
    time_sums("u64", BOSC_U64, (uint64_t *)bits64.p, n, true);
    time_sums("f32", BOSC_F32, f.p, n, false);
    time_sums("f64", BOSC_F64, d.p, n, false);
    time_compactions(bits.p, f.p, n);
    time_histograms(bits.p, n, BUCKETS);
    time_histograms(bits.p, n, 256);
    time_histograms(bits.p, n, 65536);
    time_sorts(bits.p, n);
    time_superkeys(n);
}

int main(int argc, char **argv)
{
    bench.repeats = 15;
    bench_options(argc, argv, "items", NULL, 0);
    open_device();
    time_all(bench.n ? bench.n : 1 << 24);
    if (bench.n == 0) time_all(100000000);
    return close_device();
}
