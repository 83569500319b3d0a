/* Hash tables of sizes that tests have no memory for, on a CUDA device:
 *   bench_hash_large [-n keys] [-l load factor]
 *       keys (2^31 + 16) of 64 bits with values of 32, load 0.9: built twice, looked up all in one call, then as many
 *       absent ones
 *   bench_hash_large -c [-n keys] [-l load factor]
 *       keys (2^27 - 2, load 0.5) that all share one partition of the table, which may have 2^26 - 1 buckets; a build
 *       of more must fail with BOSC_ERR_LIMIT (exit code 3)
 * Every answer is checked. The first needs 107 GB of device memory: keys, values, the table, and scratch for two
 * copies of the pairs. Times are of single calls. */
#include <boscage/device/hash.h>

#include "harness/cuda.cuh"

enum { THREADS = 256, BLOCKS = 4096 };
enum which { SPREAD, CROWDED };

/* The key whose hash (with seed 0) is h. */
static __device__ uint64_t key_of_hash(uint64_t h)
{
    h = (h ^ h >> 31 ^ h >> 62) * 0x319642b2d24d8ec3ull;
    h = (h ^ h >> 27 ^ h >> 54) * 0x96de1b173f119089ull;
    return h ^ h >> 30 ^ h >> 60;
}

/* Distinct i give distinct keys. */
static __device__ uint64_t key_of(uint64_t i, enum which which)
{
    if (which == CROWDED) return key_of_hash(i);
    i = (i ^ i >> 33) * 0xff51afd7ed558ccdull;
    i = (i ^ i >> 33) * 0xc4ceb9fe1a85ec53ull;
    return i ^ i >> 33;
}
static __device__ uint32_t value_of(uint64_t i) { return (uint32_t)i * 3 + 7; }

static __global__ void make_keys(uint64_t *keys, uint64_t from, uint64_t n, enum which which)
{
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < n; i += (uint64_t)BLOCKS * THREADS)
        keys[i] = key_of(from + i, which);
}
static __global__ void make_values(uint32_t *values, uint64_t n)
{
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < n; i += (uint64_t)BLOCKS * THREADS)
        values[i] = value_of(i);
}
static __global__ void count_wrong(const uint32_t *values, const uint8_t *found, uint64_t n, bool present,
                                   unsigned long long *bad)
{
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < n; i += (uint64_t)BLOCKS * THREADS)
        if (values[i] != (present ? value_of(i) : 0) || found[i] != present) atomicAdd(bad, 1ull);
}

template <class F> static bench_times once(const F &f)
{
    const double seconds = between_events(1, f);
    return {seconds, seconds};
}

/* Looks up n keys from number `from` on, and checks the answers. */
static void check_lookups(const bosc_hash *table, uint64_t *keys, uint64_t from, uint64_t n, enum which which,
                          bool present)
{
    device_array<uint32_t> values((int64_t)n);
    device_array<uint8_t> found((int64_t)n);
    device_array<unsigned long long> bad(1);
    unsigned long long count = 0;
    make_keys<<<BLOCKS, THREADS, 0, stream>>>(keys, from, n, which);
    CUDA(cudaMemsetAsync(values.p, 0x55, n * sizeof(uint32_t), stream));
    CUDA(cudaMemsetAsync(found.p, 0x55, n, stream));
    CUDA(cudaMemsetAsync(bad.p, 0, sizeof count, stream));
    const bench_times times =
        once([&] { BENCH(bosc_hash_find(bench.ctx, table, keys, (int64_t)n, values.p, found.p)); });
    count_wrong<<<BLOCKS, THREADS, 0, stream>>>(values.p, found.p, n, present, bad.p);
    CUDA(cudaMemcpyAsync(&count, bad.p, sizeof count, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    device_row(present ? "hits, in one call" : "misses, in one call", NULL, (int64_t)n, times, NULL);
    bench_check(count == 0, "%llu answers", count);
}

static bosc_status build_twice(bosc_hash *table, const uint64_t *keys, uint64_t n)
{
    device_array<uint32_t> values((int64_t)n);
    bosc_status status = BOSC_OK;
    make_values<<<BLOCKS, THREADS, 0, stream>>>(values.p, n);
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        const bench_times times = once([&] { status = bosc_hash_build(bench.ctx, table, keys, values.p, (int64_t)n); });
        device_row(bench_text("build %d", i + 1), bosc_status_name(status), (int64_t)n, times,
                   status == BOSC_OK ? NULL : bench_message());
    }
    CUDA(cudaStreamSynchronize(stream));
    return status;
}

static int time_table(uint64_t n, double load, enum which which)
{
    bosc_hash *table = nullptr;
    bosc_hash_opts o = {};
    bosc_hash_info info = {};
    o.size = sizeof o;
    o.layout = BOSC_HASH_BUCKETED;
    o.key_bits = 64;
    o.value_size = 4;
    o.load_factor = load;
    info.size = sizeof info;
    BENCH(bosc_hash_create(bench.ctx, &o, &table));
    device_array<uint64_t> keys((int64_t)n);
    make_keys<<<BLOCKS, THREADS, 0, stream>>>(keys.p, 0, n, which);
    const bosc_status status = build_twice(table, keys.p, n);
    if (status == BOSC_ERR_LIMIT) {
        bosc_hash_free(table);
        return 3;
    }
    BENCH(status);
    BENCH(bosc_hash_get_info(bench.ctx, table, &info));
    bench_say("keys %lld, load %.4f, %.3f GB, %d partitions, %d reseeded, %d linear, %.4f buckets a hit",
              (long long)info.keys, info.load_factor, (double)info.bytes / 1e9, info.partitions, info.reseeded,
              info.linear, info.mean_probes);
    /* a linear partition is read from end to end: its first keys alone are looked up */
    const uint64_t hits = info.linear ? 32 : n, misses = info.linear ? 1 : n;
    bench_check(info.keys == (int64_t)n, "%lld keys", (long long)info.keys);
    check_lookups(table, keys.p, 0, hits, which, true);
    check_lookups(table, keys.p, n, misses, which, false);
    bosc_hash_free(table);
    return 0;
}

int main(int argc, char **argv)
{
    bool crowded = false;
    double load = 0;
    const bench_option own[] = {{'l', BENCH_NUMBER, &load, "load factor"},
                                {'c', BENCH_FLAG, &crowded, "all keys in one partition"}};
    bench.repeats = 1;
    bench_options(argc, argv, "keys", own, 2);
    if (bench.n == 0) bench.n = crowded ? (1ll << 27) - 2 : (1ll << 31) + 16;
    if (load == 0) load = crowded ? 0.5 : 0.9;
    if (bench.n < 1 || bench.n >= UINT32_MAX) bench_fail("-n: from 1 to 2^32 - 2");
    open_device();
    const int limit = time_table((uint64_t)bench.n, load, crowded ? CROWDED : SPREAD);
    const int wrong = close_device();
    return limit ? limit : wrong;
}
