/* Look-ups on CUDA: a thread has two keys in flight; of few queries one, as then fetching the code takes longer than
 * the look-ups and shorter code is faster. The partitions' descriptors stay in the L1 cache; buckets bypass it. */
#include "hash/cuda/bucketed.cuh"

enum { FIND_THREADS = 256, FIND_EACH = 2 /* keys; measured: 1, 2 and 4 differ by 3 % on an H200 */ };
/* Up to 2^15 queries have a thread each: 256 blocks, about two for each multiprocessor of an H200, where two keys a
 * thread make 64. Other limits are not measured. */
enum { ONE_KEY_THREADS = 128, MAX_ONE_KEY_QUERIES = 1 << 15 };

/* V: type of values, of 4 or 8 bytes; bi_hash_no_value without values. */
template <class K, class V> struct find_args {
    const K *queries;
    int64_t query_count;
    const bosc_hash_partition *partitions;
    const unsigned char *table;
    int32_t partition_bits, stride;
    uint64_t seed;
    V *values;
    uint8_t *found; /* may be NULL */
};

/* The hashes or values of a bucket. */
template <class T> struct find_four {
    union {
        T items[BOSC_HASH_WIDTH];
        uint4 pieces[BOSC_HASH_WIDTH * sizeof(T) / 16];
    };
    __device__ __forceinline__ void load(const unsigned char *from)
    {
#pragma unroll
        for (unsigned i = 0; i < BOSC_HASH_WIDTH * sizeof(T) / 16; i++)
            pieces[i] = __ldg(reinterpret_cast<const uint4 *>(from) + i);
    }
};
template <> struct find_four<bi_hash_no_value> {
    __device__ __forceinline__ void load(const unsigned char *) {}
};

/* State of the look-up of a key. */
template <class K, class V> struct find_key {
    K hash;
    uint32_t partition, first, buckets, seed, picks[2];
    find_four<K> hashes;
    find_four<V> values;
    V value;
    bool found;

    __device__ __forceinline__ void locate(const find_args<K, V> &a, K key)
    {
        hash = bi_hash_key_hash(key, a.seed);
        partition = bi_hash_key_partition(hash, a.partition_bits);
        const uint2 d = __ldg(reinterpret_cast<const uint2 *>(a.partitions) + partition);
        first = d.x;
        buckets = d.y >> BOSC_HASH_SEED_BITS;
        seed = d.y & ((1u << BOSC_HASH_SEED_BITS) - 1);
        bosc_hash_buckets(bi_hash_key_fold(hash), seed, buckets, picks);
        found = false;
        value = V();
    }
    __device__ __forceinline__ void load(const find_args<K, V> &a, uint32_t bucket)
    {
        const unsigned char *from = a.table + (size_t)(first + bucket) * (uint32_t)a.stride;
        hashes.load(from);
        values.load(from + BOSC_HASH_WIDTH * sizeof(K));
    }
    __device__ __forceinline__ void compare()
    {
#pragma unroll
        for (int i = 0; i < BOSC_HASH_WIDTH; i++)
            if (bi_hash_key_same(hashes.items[i], hash)) {
                found = true;
                if constexpr (bi_hash_has_value<V>) value = values.items[i];
            }
    }
    __device__ __forceinline__ bool spilled(int partition_bits) const
    {
        const K last = hashes.items[BOSC_HASH_WIDTH - 1];
        if (bi_hash_key_partition(last, partition_bits) != partition) return bi_hash_key_word(last).low & 1;
        return bi_hash_key_less(hashes.items[0], hashes.items[1]);
    }
    /* Probes the remaining buckets, after load and compare of the first one. */
    __device__ __forceinline__ void probe_rest(const find_args<K, V> &a)
    {
        if (seed == BOSC_HASH_LINEAR) {
            for (uint32_t b = 0; b < buckets && !found; b++) {
                load(a, b);
                compare();
            }
        } else if (!found && spilled(a.partition_bits)) {
            load(a, picks[1]);
            compare();
        }
    }
};

/* A thread looks EACH keys up; each phase runs over all of them, so that their reads overlap. */
template <class K, class V, int THREADS, int EACH>
static __global__ void __launch_bounds__(THREADS) bi_hash_find_keys(const find_args<K, V> a)
{
    /* 1. Hash, find the partition, read and compare the first bucket. */
    const int64_t begin = blockIdx.x * (int64_t)(THREADS * EACH) + threadIdx.x;
    find_key<K, V> key[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = begin + k * THREADS;
        key[k].locate(a, a.queries[i < a.query_count ? i : a.query_count - 1]);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) key[k].load(a, key[k].picks[0]);
#pragma unroll
    for (int k = 0; k < EACH; k++) key[k].compare();
#pragma unroll
    for (int k = 0; k < EACH; k++) key[k].probe_rest(a);
        /* 2. Write the answers. */
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = begin + k * THREADS;
        if (i >= a.query_count) continue;
        if constexpr (bi_hash_has_value<V>) __stcs(&a.values[i], key[k].value);
        if (a.found) a.found[i] = key[k].found;
    }
}

/* Look-ups with values of other sizes, copied in units of their alignment. */
template <class K, class U>
static __global__ void __launch_bounds__(FIND_THREADS)
    bi_hash_find_any(const K *queries, int64_t query_count, const bosc_hash_view view, U *values, uint8_t *found)
{
    const int64_t i = blockIdx.x * (int64_t)FIND_THREADS + threadIdx.x;
    if (i >= query_count) return;
    /* Look the key up, then copy its value, or zeros. */
    const int64_t slot = bosc_hash_look_up(&view, bi_hash_key_word(queries[i]));
    const U *from = slot < 0 ? nullptr : static_cast<const U *>(bosc_hash_value_at(&view, slot));
    const int64_t units = values ? view.value_size / (int32_t)sizeof(U) : 0;
    for (int64_t u = 0; u < units; u++) values[i * units + u] = from ? from[u] : (U)0;
    if (found) found[i] = slot >= 0;
}

template <class K, class U>
static bosc_status launch_any(bosc_ctx *ctx, const bosc_hash *h, const K *queries, int64_t query_count, void *values,
                              uint8_t *found)
{
    const bosc_hash_view view = bi_hash_view_of(h);
    auto kernel = bi_hash_find_any<K, U>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(query_count, FIND_THREADS), FIND_THREADS, 0, queries, query_count,
                  view, (U *)values, found);
}

template <class K, class V>
static bosc_status launch_find(bosc_ctx *ctx, const bosc_hash *h, const K *queries, int64_t query_count, void *values,
                               uint8_t *found)
{
    find_args<K, V> a = {};
    a.queries = queries;
    a.query_count = query_count;
    a.partitions = (const bosc_hash_partition *)h->blocks[BI_HASH_DESCRIPTORS].data;
    a.table = (const unsigned char *)h->blocks[BI_HASH_TABLE].data;
    a.partition_bits = h->shape.partition_bits;
    a.stride = h->shape.stride;
    a.seed = h->shape.seed;
    a.values = (V *)values;
    a.found = found;
    if (query_count <= MAX_ONE_KEY_QUERIES) {
        auto few = bi_hash_find_keys<K, V, ONE_KEY_THREADS, 1>;
        return BI_RUN(ctx, few, (unsigned)bi_div_up(query_count, ONE_KEY_THREADS), ONE_KEY_THREADS, 0, a);
    }
    auto kernel = bi_hash_find_keys<K, V, FIND_THREADS, FIND_EACH>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(query_count, FIND_THREADS * FIND_EACH), FIND_THREADS, 0, a);
}

/* Dispatches on the size of values. Buckets of a multiple of 16 bytes are read in pieces of 16. */
template <class K>
static bosc_status find_by_value_size(bosc_ctx *ctx, const bosc_hash *h, const void *queries, int64_t query_count,
                                      void *values, uint8_t *found)
{
    const K *keys = (const K *)queries;
    const int32_t size = h->shape.value_bytes;
    const bool pieces = h->shape.stride % 16 == 0;
    if (pieces && (!values || size == 0))
        return launch_find<K, bi_hash_no_value>(ctx, h, keys, query_count, NULL, found);
    if (pieces && size == 4) return launch_find<K, uint32_t>(ctx, h, keys, query_count, values, found);
    if (pieces && size == 8) return launch_find<K, uint64_t>(ctx, h, keys, query_count, values, found);
    if (!values || size % 8 == 0) return launch_any<K, uint64_t>(ctx, h, keys, query_count, values, found);
    if (size % 4 == 0) return launch_any<K, uint32_t>(ctx, h, keys, query_count, values, found);
    if (size % 2 == 0) return launch_any<K, uint16_t>(ctx, h, keys, query_count, values, found);
    return launch_any<K, uint8_t>(ctx, h, keys, query_count, values, found);
}

bosc_status bi_hash_find_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *queries, int64_t query_count, void *values,
                              uint8_t *found)
{
    if (query_count == 0) return BOSC_OK;
    if (h->shape.key_bits == 32) return find_by_value_size<uint32_t>(ctx, h, queries, query_count, values, found);
    if (h->shape.key_bits == 64) return find_by_value_size<uint64_t>(ctx, h, queries, query_count, values, found);
    return find_by_value_size<bosc_hash_word>(ctx, h, queries, query_count, values, found);
}
