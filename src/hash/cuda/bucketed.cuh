/* The bucketed layout on CUDA: keys and hashes of any width in kernels, and the entries of its table. */
#ifndef BI_HASH_CUDA_BUCKETED_CUH
#define BI_HASH_CUDA_BUCKETED_CUH

#include "core/call.h"
#include "core/cuda/launch.cuh"
#include "core/cuda/shared.cuh"
#include "core/cuda/warp.cuh"
#include "hash/hash.h"

/* Keys and hashes by width: uint32_t, uint64_t, and bosc_hash_word for 128 bits (which may be aligned to 8 only). */
template <class K> constexpr int bi_hash_key_bits = 8 * sizeof(K);

__device__ __forceinline__ bosc_hash_word bi_hash_key_word(uint32_t k) { return {k, 0}; }
__device__ __forceinline__ bosc_hash_word bi_hash_key_word(uint64_t k) { return {k, 0}; }
__device__ __forceinline__ bosc_hash_word bi_hash_key_word(bosc_hash_word k) { return k; }

template <class K> struct bi_hash_key_from;
template <> struct bi_hash_key_from<uint32_t> {
    static __device__ __forceinline__ uint32_t word(bosc_hash_word w) { return (uint32_t)w.low; }
};
template <> struct bi_hash_key_from<uint64_t> {
    static __device__ __forceinline__ uint64_t word(bosc_hash_word w) { return w.low; }
};
template <> struct bi_hash_key_from<bosc_hash_word> {
    static __device__ __forceinline__ bosc_hash_word word(bosc_hash_word w) { return w; }
};

template <class K> __device__ __forceinline__ K bi_hash_key_hash(K key, uint64_t seed)
{
    return bi_hash_key_from<K>::word(bosc_hash_of(bi_hash_key_word(key), bi_hash_key_bits<K>, seed));
}
template <class K> __device__ __forceinline__ bool bi_hash_key_same(K a, K b)
{
    return bi_hash_same(bi_hash_key_word(a), bi_hash_key_word(b));
}
template <class K> __device__ __forceinline__ bool bi_hash_key_less(K a, K b)
{
    return bosc_hash_less(bi_hash_key_word(a), bi_hash_key_word(b)) != 0;
}
template <class K> __device__ __forceinline__ uint32_t bi_hash_key_partition(K hash, int partition_bits)
{
    return bosc_hash_partition_of(bi_hash_key_word(hash), bi_hash_key_bits<K>, partition_bits);
}
template <class K> __device__ __forceinline__ uint32_t bi_hash_key_fold(K hash)
{
    return bosc_hash_fold(bi_hash_key_word(hash), bi_hash_key_bits<K>);
}
template <class K> __device__ __forceinline__ K bi_hash_key_filler(uint32_t partition, int partition_bits)
{
    return bi_hash_key_from<K>::word(bi_hash_filler(partition, bi_hash_key_bits<K>, partition_bits, false));
}

/* The payload of a set. */
struct bi_hash_no_value {
};
template <class P> inline constexpr int bi_hash_payload_bytes = sizeof(P);
template <> inline constexpr int bi_hash_payload_bytes<bi_hash_no_value> = 0;
template <class P> inline constexpr bool bi_hash_has_value = bi_hash_payload_bytes<P> != 0;

/* The payload of a multimap as spans (bi_hash_lists): the position of a key's first value. Another follows the last. */
struct bi_hash_span_begin {
    uint32_t begin;
};
template <class P> inline constexpr bool bi_hash_is_span = false;
template <> inline constexpr bool bi_hash_is_span<bi_hash_span_begin> = true;
/* Bytes of a value in buckets: of a span, its position and its length. */
template <class P> inline constexpr int bi_hash_stored_bytes = bi_hash_is_span<P> ? 8 : bi_hash_payload_bytes<P>;
__device__ __forceinline__ uint2 bi_hash_span_of(const bi_hash_span_begin *begins)
{
    return make_uint2(begins[0].begin, begins[1].begin - begins[0].begin);
}

/* Calls f(K(), P()) with the types of a table. */
template <class K, class F> static bosc_status bi_hash_with_payload(int32_t payload_bytes, const F &f)
{
    if (payload_bytes == 0) return f(K(), bi_hash_no_value());
    if (payload_bytes == 4) return f(K(), uint32_t());
    return f(K(), uint64_t());
}
template <class F> static bosc_status bi_hash_with_types(int32_t key_bits, int32_t payload_bytes, const F &f)
{
    if (key_bits == 32) return bi_hash_with_payload<uint32_t>(payload_bytes, f);
    if (key_bits == 64) return bi_hash_with_payload<uint64_t>(payload_bytes, f);
    return bi_hash_with_payload<bosc_hash_word>(payload_bytes, f);
}

static inline size_t bi_hash_device_attribute(const bosc_ctx *ctx, cudaDeviceAttr attribute, size_t otherwise)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, ctx->memory.device) == cudaSuccess) return (size_t)value;
    (void)cudaGetLastError();
    return otherwise;
}

/* Returns the shared memory available to all blocks of a multiprocessor together. */
static inline size_t bi_hash_multiprocessor_shared_bytes(const bosc_ctx *ctx)
{
    return bi_hash_device_attribute(ctx, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 48 * 1024);
}

/* Launch the fused build and partition pairs. Instances for each width of keys are in build_WIDTH.cu and
 * partition_WIDTH.cu, as their kernels take long to compile. */
template <class K, class P>
bosc_status bi_hash_launch_fused(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, bool rows,
                                 int64_t n, struct bi_hash_completion *completion, enum bi_hash_outcome *outcome);
template <class K, class P>
bosc_status bi_hash_partition_pairs(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
                                    int64_t n, struct bi_hash_lists *lists);

/* Entries of bi_hash_ops_cuda. */
bosc_status bi_hash_partition_cuda(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values,
                                   int64_t n, struct bi_hash_lists *lists);
bosc_status bi_hash_fill_cuda(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool distinct,
                              struct bi_hash_report *report);
bosc_status bi_hash_find_cuda(bosc_ctx *, const bosc_hash *, const void *queries, int64_t query_count, void *values,
                              uint8_t *found);
bosc_status bi_hash_build_cuda(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                               struct bi_hash_report *found, enum bi_hash_outcome *outcome);
bosc_status bi_hash_launch_build_cuda(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                      struct bi_hash_completion *completion, enum bi_hash_outcome *outcome);
bosc_status bi_hash_launch_ordered_cuda(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                        struct bi_hash_completion *completion, enum bi_hash_outcome *outcome);
bosc_status bi_hash_await_build_cuda(bosc_ctx *, const struct bi_hash_completion *completion,
                                     struct bi_hash_report *found, enum bi_hash_outcome *outcome);
bosc_status bi_hash_open_completion_cuda(bosc_ctx *, struct bi_hash_completion *completion);
void bi_hash_close_completion_cuda(const bosc_hash *);
bosc_status bi_hash_fill_slots_cuda(bosc_ctx *, const bi_hash_slots_fill *);
bosc_status bi_hash_find_slots_cuda(bosc_ctx *, const bi_hash_slots_find *, int64_t query_count);
/* Looks keys up in an ordered table. *outcome: UNSUPPORTED, with nothing launched, for pairs of other sizes than these
 * kernels take. */
enum bi_hash_find_outcome { BI_HASH_FIND_UNSUPPORTED, BI_HASH_FIND_LAUNCHED };
bosc_status bi_hash_find_ordered_cuda(bosc_ctx *, const bi_hash_slots_find *, int64_t query_count,
                                      enum bi_hash_find_outcome *outcome);
bosc_status bi_hash_reduce_repeats_cuda(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                        struct bi_hash_reduction *, bool *fits);
/* Launches a reduction to an ORDERED table whose block of slots has room for a key a row. *launched: false if the rows
 * are too many, or the table has no words for it; its words are those of build.cu, as after a reduction. */
bosc_status bi_hash_launch_cells_cuda(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                      struct bi_hash_completion *completion, bool *launched);
bosc_status bi_hash_group_pairs_cuda(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values,
                                     int32_t value_size, int64_t n, struct bi_hash_groups *, bool *grouped);
size_t bi_hash_words_bytes_cuda(const bosc_hash_opts *);
/* Returns the part of the table's words that reductions use; NULL: it has none. */
struct reduction_words *bi_hash_reduction_words(const bosc_hash *);
size_t bi_hash_cells_bytes_cuda(const bosc_ctx *, const struct bi_hash_shape *, int64_t n);
size_t bi_hash_build_bytes_cuda(const struct bi_hash_shape *, int64_t n);
size_t bi_hash_partition_bytes_cuda(const bosc_ctx *, const struct bi_hash_shape *, int64_t n);
size_t bi_hash_fill_bytes_cuda(const struct bi_hash_shape *, int64_t n);

#endif
