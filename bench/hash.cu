/* Hash tables on a CUDA device beside a sort and binary searches by CUB: bench_hash_cuda [-n keys] [-k key bits] [-l
 * load factors, such as 0.7,0.95] [-s shape] [-a]. Keys are of a shape (harness/shapes.h); the value of a key follows
 * from it, so repeated keys have one value. BUCKETED at each load factor, and ORDERED too if the table is small. -a:
 * all layouts, which but for these two have their default load. Values are as wide as keys. Arrays are on the device;
 * times are of single calls, between events; rows "launch" are of builds with opts.no_wait.
 * Every answer is checked. Queries are the keys in another order, then as many absent ones. */
#include <cub/cub.cuh>

#include <boscage/device/hash.h>

#include "harness/cuda.cuh"
#include "harness/shapes.h"

enum { WARM_UPS = 2, THREADS = 256, SMALL = 1 << 18 };

template <class K> static __device__ K value_of(K key) { return key * (K)0xd1342543de82ef95ull + 12345; }

/* The values of the keys, and the keys in another order. */
template <class K> static __global__ void make_input(const K *keys, K *values, K *present, uint64_t n)
{
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= n) return;
    values[i] = value_of(keys[i]);
    present[i] = keys[(i + 1) * 2654435761ull % n];
}

template <class K>
static __global__ void count_wrong(const K *queries, const K *values, uint64_t n, bool present, unsigned long long *bad)
{
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i < n && values[i] != (present ? value_of(queries[i]) : (K)0)) atomicAdd(bad, 1ull);
}

template <class K>
static __global__ void binary_search(const K *keys, const K *values, uint64_t n, const K *queries, K *out)
{
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= n) return;
    const K q = queries[i];
    uint64_t low = 0;
    for (uint64_t count = n; count > 1; count -= count / 2)
        if (keys[low + count / 2] <= q) low += count / 2;
    out[i] = keys[low] == q ? values[low] : 0;
}

/* The least work of a look-up: reads the query and one random word of the pairs, and writes an answer. */
template <class K> static __global__ void read_one(const K *keys, const K *values, uint64_t n, const K *queries, K *out)
{
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= n) return;
    const uint64_t at = __umul64hi((uint64_t)queries[i] * 0x9e3779b97f4a7c15ull, n);
    out[i] = (at & 1 ? keys : values)[at];
}

template <class K> struct data {
    int64_t n;
    unsigned blocks;
    device_array<K> keys, values, present, absent, out;
    device_array<unsigned long long> bad;
    double read_seconds; /* of read_one */

    data(const char *shape, int64_t count)
        : n(count), blocks((unsigned)((count + THREADS - 1) / THREADS)), keys(n), values(n), present(n), absent(n),
          out(n), bad(1)
    {
        void *others, *host = bench_keys(shape, n, (int)sizeof(K) * 8, &others);
        CUDA(cudaMemcpy(keys.p, host, (size_t)n * sizeof(K), cudaMemcpyHostToDevice));
        CUDA(cudaMemcpy(absent.p, others, (size_t)n * sizeof(K), cudaMemcpyHostToDevice));
        free(host);
        free(others);
        make_input<<<blocks, THREADS, 0, stream>>>(keys.p, values.p, present.p, (uint64_t)n);
        CUDA(cudaGetLastError());
        const auto read = [&] {
            read_one<<<blocks, THREADS, 0, stream>>>(keys.p, values.p, (uint64_t)n, present.p, out.p);
        };
        read_seconds = device_time(WARM_UPS, read).median;
    }

    /* Times find(queries, out) and checks its answers. */
    template <class F> bench_times time_find(bool hits, const F &find)
    {
        unsigned long long found = 0;
        const K *queries = hits ? present.p : absent.p;
        CUDA(cudaMemsetAsync(out.p, 0x55, (size_t)n * sizeof(K), stream));
        CUDA(cudaMemsetAsync(bad.p, 0, sizeof found, stream));
        const bench_times times = device_time(WARM_UPS, [&] { find(queries, out.p); });
        count_wrong<<<blocks, THREADS, 0, stream>>>(queries, out.p, (uint64_t)n, hits, bad.p);
        CUDA(cudaMemcpyAsync(&found, bad.p, sizeof found, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        bench_check(found == 0, "%llu answers", found);
        return times;
    }
};

/* A row of a layout of ours (about), or of another library. */
template <class K>
static void print_row(const char *library, const char *about, const data<K> &d, const char *name, bool builds,
                      bench_times times)
{
    const double pairs = 2.0 * sizeof(K) * (double)d.n;
    struct bench_row row = {};
    row.name = name;
    row.library = library;
    row.data = about;
    row.n = d.n;
    row.bytes = library ? 0 : builds ? 2 * pairs : pairs;
    row.floor = library || builds ? 0 : d.read_seconds;
    row.ours = times;
    bench_print(&row);
}

template <class K, class F>
static void report(const char *library, const char *about, data<K> &d, bench_times build, const F &find)
{
    print_row(library, about, d, "build", true, build);
    print_row(library, about, d, "hits", false, d.time_find(true, find));
    print_row(library, about, d, "misses", false, d.time_find(false, find));
}

/* A table of ours, and the times of its builds. */
template <class K> struct our_table {
    bosc_hash *table = nullptr;
    bosc_hash_info info = {};
    bench_times build;

    our_table(data<K> &d, const bosc_hash_opts &o)
    {
        info.size = sizeof info;
        BENCH(bosc_hash_create(bench.ctx, &o, &table));
        build = device_time(WARM_UPS, [&] { BENCH(bosc_hash_build(bench.ctx, table, d.keys.p, d.values.p, d.n)); });
        BENCH(bosc_hash_get_info(bench.ctx, table, &info));
    }
    ~our_table() { bosc_hash_free(table); }
};

/* functions: of CUCKOO, else 0. */
template <class K>
static void time_layout(data<K> &d, const char *name, bosc_hash_layout layout, int32_t functions, double load)
{
    bosc_hash_opts o = {};
    o.size = sizeof o;
    o.layout = layout;
    o.functions = functions;
    o.key_bits = (int32_t)sizeof(K) * 8;
    o.value_size = (int32_t)sizeof(K);
    o.load_factor = load;
    our_table<K> waited(d, o);
    const auto find_in = [&](const our_table<K> &t) {
        return [&](const K *queries, K *out) { BENCH(bosc_hash_find(bench.ctx, t.table, queries, d.n, out, nullptr)); };
    };
    const char *about = bench_text("%s, %d bits, load %.2f", name, (int)sizeof(K) * 8, waited.info.load_factor);
    report(nullptr, about, d, waited.build, find_in(waited));
    if (layout != BOSC_HASH_BUCKETED && layout != BOSC_HASH_ORDERED) return;
    o.no_wait = 1;
    our_table<K> launched(d, o);
    print_row(nullptr, about, d, "launch", true, launched.build);
    (void)d.time_find(true, find_in(launched)); /* checks its answers */
}

template <class K> static void time_sort(data<K> &d)
{
    device_array<K> keys(d.n), values(d.n);
    size_t bytes = 0;
    const int bits = (int)sizeof(K) * 8;
    CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, d.keys.p, keys.p, d.values.p, values.p, d.n, 0, bits, stream));
    device_array<char> scratch((int64_t)bytes);
    const bench_times build = device_time(WARM_UPS, [&] {
        CUDA(cub::DeviceRadixSort::SortPairs(scratch.p, bytes, d.keys.p, keys.p, d.values.p, values.p, d.n, 0, bits,
                                             stream));
    });
    const auto find = [&](const K *queries, K *out) {
        binary_search<<<d.blocks, THREADS, 0, stream>>>(keys.p, values.p, (uint64_t)d.n, queries, out);
    };
    report("CUB sort, binary search", nullptr, d, build, find);
}

template <class K> static void time_layouts(data<K> &d)
{
    time_layout(d, "perfect", BOSC_HASH_PERFECT, 0, 0);
    time_layout(d, "hybrid", BOSC_HASH_HYBRID, 0, 0);
    time_layout(d, "FKS", BOSC_HASH_FKS, 0, 0);
    time_layout(d, "cuckoo, 2 functions", BOSC_HASH_CUCKOO, 2, 0);
    time_layout(d, "cuckoo, 3 functions", BOSC_HASH_CUCKOO, 3, 0);
    time_layout(d, "cuckoo, 4 functions", BOSC_HASH_CUCKOO, 4, 0);
    time_layout(d, "chained", BOSC_HASH_CHAINED, 0, 0);
}

template <class K> static void time_all(const char *shape, int64_t n, const std::vector<double> &loads, bool all)
{
    data<K> d(shape, n);
    for (double load : loads) time_layout(d, "bucketed", BOSC_HASH_BUCKETED, 0, load);
    for (double load : loads)
        if (all || n <= SMALL) time_layout(d, "ordered", BOSC_HASH_ORDERED, 0, load);
    if (all) time_layouts(d);
    time_sort(d);
}

int main(int argc, char **argv)
{
    int64_t bits = 32;
    const char *list = "0.7,0.8,0.9,0.95", *shape = "distinct";
    bool all = false;
    const bench_option own[] = {{'k', BENCH_INTEGER, &bits, "bits of a key: 32 or 64"},
                                {'l', BENCH_TEXT, &list, "load factors, with commas between them"},
                                {'s', BENCH_TEXT, &shape, SHAPE_TEXT(KEY_SHAPES)},
                                {'a', BENCH_FLAG, &all, "all layouts"}};
    bench.n = 5000000;
    bench.repeats = 9;
    bench_options(argc, argv, "keys", own, 4);
    if ((bits != 32 && bits != 64) || bench.n < 1 || bench.n > INT32_MAX)
        bench_fail("-k is 32 or 64, -n from 1 to 2^31 - 1");
    std::vector<double> loads;
    for (char *end; *list; list = *end ? end + 1 : end) {
        loads.push_back(strtod(list, &end));
        if (end == list) bench_fail("-l: '%s' is no number", list);
    }
    open_device();
    if (bits == 32)
        time_all<uint32_t>(shape, bench.n, loads, all);
    else
        time_all<uint64_t>(shape, bench.n, loads, all);
    return close_device();
}
