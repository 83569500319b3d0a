/* Writes the buckets of a matched partition to the table. */
#ifndef BI_HASH_CUDA_WRITE_BUCKETS_CUH
#define BI_HASH_CUDA_WRITE_BUCKETS_CUH

#include "hash/cuda/matching.cuh"

/* Returns the positions of a bucket's pairs, plus 1, in the order in which they are written; 0: none. */
template <class M> __device__ __forceinline__ uint4 bi_hash_bucket_order(const M &partition, uint32_t bucket)
{
    if (partition.seed == BOSC_HASH_LINEAR) {
        const uint32_t i = bucket * BOSC_HASH_WIDTH, n = partition.keys;
        return {i < n ? i + 1 : 0, i + 1 < n ? i + 2 : 0, i + 2 < n ? i + 3 : 0, i + 3 < n ? i + 4 : 0};
    }
    const uint4 c = bi_hash_sort_codes(partition.load(bucket));
    /* A full bucket is spilled if its first hash is less than its second: exchange the two where that is wrong. */
    const bool exchange = (partition.spilled[bucket / 32] ^ partition.ascending[bucket / 32]) >> bucket % 32 & 1;
    const uint32_t x = exchange ? c.y : c.x, y = exchange ? c.x : c.y;
    return {x ? partition.position(x) + 1 : 0, y ? partition.position(y) + 1 : 0, c.z ? partition.position(c.z) + 1 : 0,
            c.w ? partition.position(c.w) + 1 : 0};
}

/* Writes a bucket of any stride, by one thread, of a partition that is scanned or linear. With a.values the payload is
 * row numbers; else it is the values. The codes of a large partition lie in the very bucket that is written, so the
 * order is read first. */
template <class M>
static __device__ void bi_hash_write_bucket(const M &partition,
                                            const bi_hash_fill_args<typename M::key, typename M::value> &a,
                                            uint32_t bucket)
{
    typedef typename M::key K;
    typedef typename M::value P;
    /* 1. Write the hashes, with fillers in empty slots. */
    const uint4 order = bi_hash_bucket_order(partition, bucket);
    const uint32_t at[4] = {order.x, order.y, order.z, order.w};
    unsigned char *to = a.table + (size_t)(partition.first + bucket) * (uint32_t)a.stride;
    K *hashes = reinterpret_cast<K *>(to);
#pragma unroll
    for (int i = 0; i < BOSC_HASH_WIDTH; i++)
        hashes[i] = at[i] ? partition.hashes[at[i] - 1] : bi_hash_key_filler<K>(partition.number, a.partition_bits);
    if constexpr (bi_hash_has_value<typename M::value>) {
        /* 2. Write the values byte by byte, zeros for empty slots and up to the stride. */
        const uint32_t size = (uint32_t)a.value_bytes;
        to += BOSC_HASH_WIDTH * sizeof(K);
        for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
            const unsigned char *from = nullptr;
            [[maybe_unused]] uint2 span;
            if (at[i]) {
                const P *payload = &partition.payload[at[i] - 1];
                if constexpr (bi_hash_is_span<P>) {
                    span = bi_hash_span_of(payload);
                    from = reinterpret_cast<const unsigned char *>(&span);
                } else {
                    from = reinterpret_cast<const unsigned char *>(payload);
                    if (a.values) from = a.values + (size_t)*payload * size;
                }
            }
            for (uint32_t b = 0; b < size; b++) to[(uint32_t)i * size + b] = from ? from[b] : 0;
        }
        const uint32_t used = BOSC_HASH_WIDTH * size, all = (uint32_t)a.stride - BOSC_HASH_WIDTH * (uint32_t)sizeof(K);
        for (uint32_t b = used; b < all; b++) to[b] = 0;
    }
}

/* Returns 16 bytes of a bucket: of its pairs' hashes or values, from byte `from` on. */
template <class T> __device__ __forceinline__ uint4 bucket_piece(const T *array, uint4 order, uint32_t from, T filler)
{
    union {
        T items[16 / sizeof(T)];
        uint4 bytes;
    } piece;
#pragma unroll
    for (uint32_t i = 0; i < 16 / sizeof(T); i++) {
        const uint32_t slot = from / (uint32_t)sizeof(T) + i; /* selected by ?:, as an indexed array is in memory */
        const uint32_t at = slot == 0 ? order.x : slot == 1 ? order.y : slot == 2 ? order.z : order.w;
        piece.items[i] = at ? array[at - 1] : filler;
    }
    return piece.bytes;
}

/* The same of spans, of 8 bytes each. */
__device__ __forceinline__ uint4 bucket_piece(const bi_hash_span_begin *array, uint4 order, uint32_t from,
                                              bi_hash_span_begin)
{
    const uint32_t first = from == 0 ? order.x : order.z, second = from == 0 ? order.y : order.w;
    const uint2 none = make_uint2(0, 0), a = first ? bi_hash_span_of(array + first - 1) : none,
                b = second ? bi_hash_span_of(array + second - 1) : none;
    return make_uint4(a.x, a.y, b.x, b.y);
}

/* Writes a bucket of the pairs at these positions, plus 1, by one thread; the payload is the values. */
template <class M>
static __device__ __forceinline__ void
bi_hash_write_slots(const M &partition, const bi_hash_fill_args<typename M::key, typename M::value> &a, uint32_t bucket,
                    uint4 slots)
{
    typedef typename M::key K;
    typedef typename M::value P;
    constexpr int HASHES = BOSC_HASH_WIDTH * sizeof(K) / 16, VALUES = BOSC_HASH_WIDTH * bi_hash_stored_bytes<P> / 16;
    uint4 *to = reinterpret_cast<uint4 *>(a.table) + (size_t)(partition.first + bucket) * (HASHES + VALUES);
    const K filler = bi_hash_key_filler<K>(partition.number, a.partition_bits);
#pragma unroll
    for (uint32_t piece = 0; piece < HASHES; piece++)
        to[piece] = bucket_piece(partition.hashes, slots, piece * 16, filler);
    if constexpr (bi_hash_has_value<P>)
#pragma unroll
        for (uint32_t piece = 0; piece < VALUES; piece++)
            to[HASHES + piece] = bucket_piece(partition.payload, slots, piece * 16, P());
}

/* Handling of a bucket's order: computed; computed and stored in place of its codes; or read from there. */
enum ordering { ORDER, ORDER_KEEP, ORDER_KEPT };

/* Writes the first PIECES of the ALL pieces of 16 bytes of each bucket, from `to` on, in the order of memory, from
 * an array in shared memory. */
template <int PIECES, int ALL, ordering ORDERING, class M, class T>
static __device__ __forceinline__ void write_pieces(const M &partition, uint4 *to, const T *array, T filler)
{
    for (uint32_t i = threadIdx.x; i < partition.buckets * PIECES; i += M::THREADS) {
        const uint32_t bucket = i / PIECES, piece = i % PIECES;
        uint4 order;
        if constexpr (ORDERING == ORDER_KEPT)
            order = *reinterpret_cast<uint4 *>(partition.codes_of(bucket));
        else
            order = bi_hash_bucket_order(partition, bucket);
        if constexpr (ORDERING == ORDER_KEEP) *reinterpret_cast<uint4 *>(partition.codes_of(bucket)) = order;
        to[(size_t)bucket * ALL + piece] = bucket_piece(array, order, piece * 16, filler);
    }
}

/* Writes the buckets of a partition whose payload is the values. The hashes are in shared memory;
 * payload_in_shared() loads the payload there, possibly in their place, and returns its address. All threads call
 * it. */
template <class M, class F>
static __device__ void write_partition(const M &partition,
                                       const bi_hash_fill_args<typename M::key, typename M::value> &a,
                                       const F &payload_in_shared)
{
    typedef typename M::key K;
    typedef typename M::value P;
    constexpr int HASHES = BOSC_HASH_WIDTH * sizeof(K) / 16, VALUES = BOSC_HASH_WIDTH * bi_hash_stored_bytes<P> / 16;
    constexpr bool ALONE =
        HASHES == 1 && M::KEEPS_ORDER; /* a bucket has one piece of hashes, so that one thread computes its order */
    uint4 *to = reinterpret_cast<uint4 *>(a.table) + (size_t)partition.first * (HASHES + VALUES);
    write_pieces<HASHES, HASHES + VALUES, ALONE ? ORDER_KEEP : ORDER>(
        partition, to, partition.hashes, bi_hash_key_filler<K>(partition.number, a.partition_bits));
    if constexpr (bi_hash_has_value<P>) {
        __syncthreads(); /* all hashes are written, so that the payload may replace them */
        const P *payload = payload_in_shared();
        write_pieces<VALUES, HASHES + VALUES, ALONE ? ORDER_KEPT : ORDER>(partition, to + HASHES, payload, P());
    }
}

#endif
