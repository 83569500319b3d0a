/* Hash tables on a CUDA device beside a sort and binary searches by CUB: bench_hash_cuda [key bits [n [load...]]].
 * Values are as wide as keys. Arrays are on the device; times are medians of events around single calls after warm-ups;
 * every answer is compared with what the keys say. Queries are the keys in another order, then as many absent ones. */
#include <cub/cub.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <boscage/context.h>
#include <boscage/device/hash.h>

#include "harness/cuda.cuh"

enum { WARM_UPS = 2, RUNS = 9, THREADS = 256 };

static bool wrong;

/* Distinct i give distinct keys, by other mixers than the table's. */
static __device__ uint32_t key_of(uint64_t i, uint32_t)
{
    uint32_t x = (uint32_t)i;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}
static __device__ uint64_t key_of(uint64_t i, uint64_t)
{
    i = (i ^ i >> 33) * 0xff51afd7ed558ccdull;
    i = (i ^ i >> 33) * 0xc4ceb9fe1a85ec53ull;
    return i ^ i >> 33;
}
template <class K> static __device__ K value_of(K key) { return key * (K)0xd1342543de82ef95ull + 12345; }

template <class K> static __global__ void make(K *keys, K *values, K *present, K *absent, uint64_t n)
{
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= n) return;
    keys[i] = key_of(i, K());
    values[i] = value_of(keys[i]);
    present[i] = key_of((i + 1) * 2654435761ull % n, K());
    absent[i] = key_of(n + i, K());
}

template <class K>
static __global__ void judge(const K *queries, const K *values, uint64_t n, bool present, unsigned long long *bad)
{
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i < n && values[i] != (present ? value_of(queries[i]) : (K)0)) atomicAdd(bad, 1ull);
}

template <class K> static __global__ void search(const K *keys, const K *values, uint64_t n, const K *queries, K *out)
{
    const uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
    if (i >= n) return;
    const K q = queries[i];
    uint64_t low = 0;
    for (uint64_t count = n; count > 1; count -= count / 2)
        if (keys[low + count / 2] <= q) low += count / 2;
    out[i] = keys[low] == q ? values[low] : 0;
}

template <class K> struct data {
    int64_t n;
    unsigned blocks;
    device_array<K> keys, values, present, absent, out;
    device_array<unsigned long long> bad;

    explicit data(int64_t count)
        : n(count), blocks((unsigned)((count + THREADS - 1) / THREADS)), keys(n), values(n), present(n), absent(n),
          out(n), bad(1)
    {
        make<<<blocks, THREADS, 0, stream>>>(keys.p, values.p, present.p, absent.p, (uint64_t)n);
        CUDA(cudaGetLastError());
    }

    /* The median time of find(queries, out), whose answers are compared. */
    template <class F> double time_find(bool hits, const F &find)
    {
        unsigned long long found = 0;
        const K *queries = hits ? present.p : absent.p;
        CUDA(cudaMemsetAsync(out.p, 0x55, (size_t)n * sizeof(K), stream));
        CUDA(cudaMemsetAsync(bad.p, 0, sizeof found, stream));
        const double ms = median_ms(WARM_UPS, RUNS, [&] { find(queries, out.p); });
        judge<<<blocks, THREADS, 0, stream>>>(queries, out.p, (uint64_t)n, hits, bad.p);
        CUDA(cudaMemcpyAsync(&found, bad.p, sizeof found, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        wrong |= found != 0;
        return ms;
    }
};

static void report(const char *name, int bits, int64_t n, double load, double build, double hit, double miss)
{
    printf("%-24s %2d bits  n %10lld  load %.2f  build %8.4f ms  hit %8.4f ms  miss %8.4f ms  %s\n", name, bits,
           (long long)n, load, build, hit, miss, wrong ? "WRONG" : "right");
    fflush(stdout);
}

template <class K> static void run_table(data<K> &d, double load)
{
    bosc_hash_opts o = {};
    bosc_hash *table = nullptr;
    o.size = sizeof o;
    o.key_bits = (int32_t)sizeof(K) * 8;
    o.value_size = (int32_t)sizeof(K);
    o.load = load;
    BOSC(bosc_hash_create(ctx, &o, &table));
    const double build =
        median_ms(WARM_UPS, RUNS, [&] { BOSC(bosc_hash_build(ctx, table, d.keys.p, d.values.p, d.n)); });
    const auto find = [&](const K *queries, K *out) { BOSC(bosc_hash_find(ctx, table, queries, d.n, out, nullptr)); };
    const double hit = d.time_find(true, find), miss = d.time_find(false, find);
    report("boscage", o.key_bits, d.n, load, build, hit, miss);
    bosc_hash_free(table);
}

template <class K> static void run_sort(data<K> &d)
{
    device_array<K> keys(d.n), values(d.n);
    size_t bytes = 0;
    const int bits = (int)sizeof(K) * 8;
    CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, d.keys.p, keys.p, d.values.p, values.p, d.n, 0, bits, stream));
    device_array<char> room((int64_t)bytes);
    const double build = median_ms(WARM_UPS, RUNS, [&] {
        CUDA(cub::DeviceRadixSort::SortPairs(room.p, bytes, d.keys.p, keys.p, d.values.p, values.p, d.n, 0, bits,
                                             stream));
    });
    const auto find = [&](const K *queries, K *out) {
        search<<<d.blocks, THREADS, 0, stream>>>(keys.p, values.p, (uint64_t)d.n, queries, out);
    };
    const double hit = d.time_find(true, find), miss = d.time_find(false, find);
    report("CUB sort, binary search", bits, d.n, 1, build, hit, miss);
}

template <class K> static void run(int64_t n, const std::vector<double> &loads)
{
    data<K> d(n);
    for (double load : loads) run_table(d, load);
    run_sort(d);
}

int main(int argc, char **argv)
{
    const int bits = argc > 1 ? atoi(argv[1]) : 32;
    const int64_t n = argc > 2 ? atoll(argv[2]) : 5000000;
    std::vector<double> loads;
    for (int i = 3; i < argc; i++) loads.push_back(atof(argv[i]));
    if (loads.empty()) loads = {0.7, 0.8, 0.9, 0.95};
    if ((bits != 32 && bits != 64) || n < 1 || n > INT32_MAX) {
        fprintf(stderr, "usage: bench_hash_cuda [32 or 64 [n below 2^31 [load...]]]\n");
        return 2;
    }
    open_device();
    if (bits == 32)
        run<uint32_t>(n, loads);
    else
        run<uint64_t>(n, loads);
    close_device();
    return wrong;
}
