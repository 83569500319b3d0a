/* Hash tables of sizes that tests have no memory for, on a CUDA device:
 *   bench_hash_large [n [load]]        n keys (2^31 + 16) of 64 bits with values of 32, load 0.9: built twice, asked
 * for all keys in one call, then for as many absent ones bench_hash_large crowd [n [load]]  n keys (2^27 - 2, load 0.5)
 * that all share one part of the table, which may have 2^26 - 1 buckets; a build of more must fail with BOSC_ERR_LIMIT
 * Every answer is compared. The first takes 107 GB of device memory: keys, values, the table, and scratch for two
 * copies of the pairs. Times are of single calls. */
#include <cstring>

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
static __global__ void judge(const uint32_t *values, const uint8_t *found, uint64_t n, bool present,
                             unsigned long long *bad)
{
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < n; i += (uint64_t)BLOCKS * THREADS)
        if (values[i] != (present ? value_of(i) : 0) || found[i] != present) atomicAdd(bad, 1ull);
}

template <class F> static double once_ms(const F &f) { return median_ms(0, 1, f); }

/* Looks up n keys from number `from` on; returns how many answers are wrong. */
static unsigned long long ask(const bosc_hash *table, uint64_t *keys, uint64_t from, uint64_t n, enum which which,
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
    const double ms = once_ms([&] { BOSC(bosc_hash_find(ctx, table, keys, (int64_t)n, values.p, found.p)); });
    judge<<<BLOCKS, THREADS, 0, stream>>>(values.p, found.p, n, present, bad.p);
    CUDA(cudaMemcpyAsync(&count, bad.p, sizeof count, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    printf("%llu %s in one call: %.3f ms, %llu wrong\n", (unsigned long long)n, present ? "hits" : "misses", ms, count);
    fflush(stdout);
    return count;
}

static bosc_status build(bosc_hash *table, const uint64_t *keys, uint64_t n)
{
    device_array<uint32_t> values((int64_t)n);
    bosc_status status = BOSC_OK;
    make_values<<<BLOCKS, THREADS, 0, stream>>>(values.p, n);
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        const double ms = once_ms([&] { status = bosc_hash_build(ctx, table, keys, values.p, (int64_t)n); });
        printf("build %d of %llu keys: %.3f ms, %s %s\n", i + 1, (unsigned long long)n, ms, bosc_status_name(status),
               bosc_message(ctx));
        fflush(stdout);
    }
    CUDA(cudaStreamSynchronize(stream));
    return status;
}

static int run(uint64_t n, double load, enum which which)
{
    bosc_hash *table = nullptr;
    bosc_hash_opts o = {};
    bosc_hash_info info = {};
    o.size = sizeof o;
    o.key_bits = 64;
    o.value_size = 4;
    o.load = load;
    info.size = sizeof info;
    BOSC(bosc_hash_create(ctx, &o, &table));
    device_array<uint64_t> keys((int64_t)n);
    make_keys<<<BLOCKS, THREADS, 0, stream>>>(keys.p, 0, n, which);
    const bosc_status status = build(table, keys.p, n);
    if (status == BOSC_ERR_LIMIT) {
        bosc_hash_free(table);
        return 3;
    }
    check_bosc(status, "bosc_hash_build");
    BOSC(bosc_hash_get_info(ctx, table, &info));
    printf("keys %lld, load %.4f, %.3f GB, %d parts, %d reseeded, %d linear, %.4f buckets a hit\n",
           (long long)info.keys, info.load, (double)info.bytes / 1e9, info.parts, info.reseeded, info.linear,
           info.probes_hit);
    /* a linear part is read from end to end: its first keys alone are asked for */
    const uint64_t hits = info.linear ? 32 : n, misses = info.linear ? 1 : n;
    unsigned long long wrong = info.keys != (int64_t)n;
    wrong += ask(table, keys.p, 0, hits, which, true);
    wrong += ask(table, keys.p, n, misses, which, false);
    bosc_hash_free(table);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    const enum which which = argc > 1 && strcmp(argv[1], "crowd") == 0 ? CROWDED : SPREAD;
    const int first = which == CROWDED ? 2 : 1;
    const uint64_t n = argc > first       ? strtoull(argv[first], nullptr, 10)
                       : which == CROWDED ? (1ull << 27) - 2
                                          : (1ull << 31) + 16;
    const double load = argc > first + 1 ? atof(argv[first + 1]) : which == CROWDED ? 0.5 : 0.9;
    if (n < 1 || n >= UINT32_MAX) {
        fprintf(stderr, "usage: bench_hash_large [crowd] [n from 1 to 2^32 - 2 [load]]\n");
        return 2;
    }
    open_device();
    const int status = run(n, load, which);
    close_device();
    return status;
}
