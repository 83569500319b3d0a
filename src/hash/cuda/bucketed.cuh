/* Hash tables on CUDA: words of any width in kernels, and the kernels' launches. */
#ifndef BI_HASH_CUDA_BUCKETED_CUH
#define BI_HASH_CUDA_BUCKETED_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "hash/hash.h"

/* Keys and hashes by width: uint32_t, uint64_t, and bosc_hash_word for 128 bits (which may be aligned to 8 only). */
template <class K> constexpr int hash_bits = 8 * sizeof(K);

__device__ __forceinline__ bosc_hash_word hash_word(uint32_t k) { return {k, 0}; }
__device__ __forceinline__ bosc_hash_word hash_word(uint64_t k) { return {k, 0}; }
__device__ __forceinline__ bosc_hash_word hash_word(bosc_hash_word k) { return k; }

template <class K> struct hash_from;
template <> struct hash_from<uint32_t> {
    static __device__ __forceinline__ uint32_t word(bosc_hash_word w) { return (uint32_t)w.low; }
};
template <> struct hash_from<uint64_t> {
    static __device__ __forceinline__ uint64_t word(bosc_hash_word w) { return w.low; }
};
template <> struct hash_from<bosc_hash_word> {
    static __device__ __forceinline__ bosc_hash_word word(bosc_hash_word w) { return w; }
};

template <class K> __device__ __forceinline__ K hash_of_key(K key, uint64_t seed)
{
    return hash_from<K>::word(bosc_hash_of(hash_word(key), hash_bits<K>, seed));
}
template <class K> __device__ __forceinline__ bool hash_same(K a, K b)
{
    return bi_hash_same(hash_word(a), hash_word(b));
}
template <class K> __device__ __forceinline__ bool hash_less(K a, K b)
{
    return bosc_hash_less(hash_word(a), hash_word(b)) != 0;
}
template <class K> __device__ __forceinline__ uint32_t hash_part(K hash, int part_bits)
{
    return bosc_hash_part_of(hash_word(hash), hash_bits<K>, part_bits);
}
template <class K> __device__ __forceinline__ uint32_t hash_fold(K hash)
{
    return bosc_hash_fold(hash_word(hash), hash_bits<K>);
}
template <class K> __device__ __forceinline__ K hash_filler(uint32_t part, int part_bits)
{
    return hash_from<K>::word(bi_hash_filler(part, hash_bits<K>, part_bits, false));
}

/* The payload of a set. */
struct hash_nothing {
};
template <class P> inline constexpr int hash_payload_bytes = sizeof(P);
template <> inline constexpr int hash_payload_bytes<hash_nothing> = 0;
template <class P> inline constexpr bool hash_valued = hash_payload_bytes<P> != 0;

/* Calls f(K(), P()) with the types of a table. */
template <class K, class F> static bosc_status hash_with_payload(int32_t payload_bytes, const F &f)
{
    if (payload_bytes == 0) return f(K(), hash_nothing());
    if (payload_bytes == 4) return f(K(), uint32_t());
    return f(K(), uint64_t());
}
template <class F> static bosc_status hash_with_types(int32_t key_bits, int32_t payload_bytes, const F &f)
{
    if (key_bits == 32) return hash_with_payload<uint32_t>(payload_bytes, f);
    if (key_bits == 64) return hash_with_payload<uint64_t>(payload_bytes, f);
    return hash_with_payload<bosc_hash_word>(payload_bytes, f);
}

static inline size_t hash_attribute(const bosc_ctx *ctx, cudaDeviceAttr attribute, size_t otherwise)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, ctx->memory.device) == cudaSuccess) return (size_t)value;
    (void)cudaGetLastError();
    return otherwise;
}

/* The shared memory that a block may have, and what those that run at once on a multiprocessor have together. */
static inline size_t hash_shared_room(const bosc_ctx *ctx)
{
    return hash_attribute(ctx, cudaDevAttrMaxSharedMemoryPerBlockOptin, 48 * 1024);
}
static inline size_t hash_shared_of_multiprocessor(const bosc_ctx *ctx)
{
    return hash_attribute(ctx, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 48 * 1024);
}

/* Entries of bi_hash_ops_cuda. */
bosc_status hash_partition(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values, int64_t n,
                           struct bi_hash_lists *lists);
bosc_status hash_fill(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool any,
                      struct bi_hash_report *report);
bosc_status hash_find(bosc_ctx *, const bosc_hash *, const void *queries, int64_t m, void *values, uint8_t *found);
size_t hash_partition_bytes(const bosc_ctx *, const struct bi_hash_shape *, int64_t n);
size_t hash_fill_bytes(const struct bi_hash_shape *, int64_t n);

#endif
