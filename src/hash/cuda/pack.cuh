/* Fills partitions of a fused build in little shared memory, so that many blocks run at once: the codes of a bucket are
 * one word. Keys take the slots of their first bucket in the order in which they come by; those that find it full
 * propose (fill.cuh), and when few still do, few warps go on with them, as all that counts then is how long a proposal
 * takes. Since the matching does not depend on the order of the proposals, the result is the same. */
#ifndef BI_HASH_CUDA_PACK_CUH
#define BI_HASH_CUDA_PACK_CUH

#include "core/cuda/shared.cuh"
#include "hash/cuda/gather.cuh"
#include "hash/cuda/write.cuh"

enum : uint32_t {
    PACKED_POSITION_BITS = 14,
    PACKED_POSITIONS = (1 << PACKED_POSITION_BITS) - 1,
    PACKED_STEP = 1 << PACKED_POSITION_BITS, /* from a priority to the next one */
    PACKED_END = 1 << 16,                    /* codes are less: no key has more than 4 priorities */
    PACKED_WALKERS = 128,                    /* keys that few warps go on with */
    PACKED_MANY = 128                        /* keys with the same first bucket; only where keys repeat */
};

static_assert(BI_HASH_PARTITION_KEYS_32 + 8 * 91 < PACKED_POSITIONS,
              "a position of each key that a partition may have");

/* A partition whose buckets have a word each: four codes of 16 bits, ascending, each priority << PACKED_POSITION_BITS |
 * a number that falls as the key's position rises; 0: none. */
template <class K, class P, int THREADS_> struct bi_hash_packed {
    typedef K key;
    typedef P value;
    static constexpr bool SHARED = true, KEEPS_ORDER = false;
    static constexpr int THREADS = THREADS_;
    K *hashes;
    const P *payload;
    unsigned long long *words;
    uint32_t *spilled, *ascending; /* as of bi_hash_matching */
    uint32_t *counts;              /* (buckets) keys that came to each first, of 8 bits */
    uint16_t *waiting;             /* (most_waiting) positions of those that found their bucket full */
    uint32_t *walkers;             /* (PACKED_WALKERS) codes that are not placed, and buckets << 16 */
    uint32_t most_waiting;
    uint32_t number, first, keys, buckets, seed;

    static __device__ __forceinline__ uint32_t first_code(uint32_t position) { return PACKED_POSITIONS - position; }
    static __device__ __forceinline__ uint32_t position(uint32_t code)
    {
        return PACKED_POSITIONS - (code & PACKED_POSITIONS);
    }
    __device__ __forceinline__ uint4 load(uint32_t bucket) const
    {
        const unsigned long long word = words[bucket];
        const uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 32);
        return {high >> 16, high & 0xffff, low >> 16, low & 0xffff};
    }
    __device__ __forceinline__ void buckets_of(K hash, uint32_t pair[2]) const
    {
        bosc_hash_buckets(bi_hash_key_fold(hash), 0, buckets, pair);
    }
    __device__ __forceinline__ bool is_second(uint32_t, K hash, uint32_t bucket) const
    {
        uint32_t pair[2];
        buckets_of(hash, pair);
        return pair[0] != bucket;
    }
};

static __device__ __forceinline__ unsigned long long packed_word(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (unsigned long long)(c | d << 16) << 32 | (a | b << 16);
}

/* The word with a code in place of its least one. */
static __device__ __forceinline__ unsigned long long packed_replace(unsigned long long word, uint32_t code)
{
    const uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 32);
    const uint32_t b = low >> 16, c = high & 0xffff, d = high >> 16;
    return packed_word(min(code, b), min(max(code, b), c), min(max(code, c), d), max(code, d));
}

/* The most keys of a partition that may find their first bucket full: at a load of 0.96 18 of 100 do. */
static __host__ __device__ __forceinline__ uint32_t packed_most_waiting(uint32_t keys, uint32_t threads)
{
    return max(keys / 5 + 64, threads * 2);
}

/* Begins; a barrier follows. All threads call it. */
template <class M>
static __device__ void packed_begin(const M &partition, uint32_t most_buckets, bi_hash_block_words<M::THREADS> &state)
{
    for (uint32_t b = threadIdx.x; b < most_buckets; b += M::THREADS) partition.words[b] = 0;
    for (uint32_t w = threadIdx.x; w < (most_buckets + 3) / 4; w += M::THREADS) partition.counts[w] = 0;
    for (uint32_t w = threadIdx.x; w < (most_buckets + 31) / 32; w += M::THREADS)
        partition.spilled[w] = partition.ascending[w] = 0;
    if (threadIdx.x < PACKED_WALKERS) partition.walkers[threadIdx.x] = 0;
    if (threadIdx.x == 0) state.repeats = state.second = state.failed = state.next = 0;
}

template <int THREADS>
static __device__ __forceinline__ void packed_gather(const segment_list &, const bi_hash_no_value *, bi_hash_no_value *)
{
}

/* Copies what a partition has in an array of tiles to shared memory; a barrier follows. All threads call it. */
template <int THREADS, class T>
static __device__ __forceinline__ void packed_gather(const segment_list &segments, const T *array, T *to)
{
    const uint32_t lane = threadIdx.x & (segments.lanes - 1), groups = THREADS / segments.lanes;
#pragma unroll 2
    for (uint32_t s = threadIdx.x / segments.lanes; s < segments.count; s += groups) {
        const uint32_t word = segments.words[s], at = segments.position(word);
        const uint32_t length = segments.position(segments.words[s + 1]) - at;
        const T *from = array + (size_t)s * segments.pairs + (word >> BI_HASH_SEGMENT_BITS);
        for (uint32_t i = lane; i < length; i += segments.lanes) bi_copy_async(&to[at + i], &from[i]);
    }
    bi_await_copies();
}

/* Takes the key at a position. */
template <class M>
static __device__ __forceinline__ void packed_place(const M &partition, uint32_t position,
                                                    bi_hash_block_words<M::THREADS> &state)
{
    uint32_t pair[2];
    partition.buckets_of(partition.hashes[position], pair);
    const uint32_t shift = 8 * (pair[0] % 4);
    const uint32_t slot = atomicAdd(&partition.counts[pair[0] / 4], 1u << shift) >> shift & 0xff;
    if (slot < BOSC_HASH_WIDTH) {
        reinterpret_cast<uint16_t *>(partition.words)[pair[0] * BOSC_HASH_WIDTH + slot] =
            (uint16_t)partition.first_code(position);
        return;
    }
    const uint32_t at = atomicAdd(&state.next, 1u);
    if (at < partition.most_waiting) partition.waiting[at] = (uint16_t)position;
    if (slot >= PACKED_MANY) bi_store_shared(&state.failed, 1u);
}

/* Orders the codes of each bucket. All threads call it, between two barriers. */
template <class M> static __device__ void packed_sort(const M &partition)
{
    for (uint32_t b = threadIdx.x; b < partition.buckets; b += M::THREADS) {
        const uint4 c = bi_hash_sort_codes(partition.load(b));
        partition.words[b] = packed_word(c.w, c.z, c.y, c.x);
    }
}

/* After a failure: sees whether keys repeat in a bucket, as they do if many keys are the same. All threads call it. */
template <class M>
static __device__ void packed_find_repeats(const M &partition, bi_hash_block_words<M::THREADS> &state)
{
    bool repeats = false, ascending;
    for (uint32_t b = threadIdx.x; b < partition.buckets; b += M::THREADS)
        bi_hash_scan_bucket(partition, b, partition.load(b), &repeats, &ascending);
    if (repeats) bi_store_shared(&state.repeats, 1u);
    __syncthreads();
}

/* Makes the proposal of a code to a bucket, and finds that of the key which was rejected, if one was: else code 0, with
 * which nothing changes. Walks of many proposals wait for each other, so no branch is taken in one. */
template <class M>
static __device__ __forceinline__ void packed_propose(const M &partition, uint32_t &code, uint32_t &bucket,
                                                      bi_hash_block_words<M::THREADS> &state)
{
    unsigned long long *const at = &partition.words[bucket];
    const unsigned long long word = bi_load_shared(at);
    const uint32_t least = (uint32_t)word & 0xffff, rejected = min(least, code);
    const typename M::key hash = partition.hashes[rejected ? partition.position(rejected) : 0];
    const unsigned long long then = least < code ? atomicCAS(at, word, packed_replace(word, code)) : word;
    uint32_t pair[2];
    partition.buckets_of(hash, pair);
    const bool second = bucket == pair[0] && pair[1] != pair[0];
    const uint32_t next = second ? rejected : rejected + PACKED_STEP;
    if (then != word) return; /* others came first: once more */
    code = rejected ? next : 0;
    bucket = second ? pair[1] : pair[0];
    if (code < PACKED_END) return;
    bi_store_shared(&state.failed, 1u);
    code = 0;
}

/* Matches the keys that wait until no more than PACKED_WALKERS are left, which become walkers. */
template <class M>
static __device__ __forceinline__ void packed_match_many(const M &partition, uint32_t count,
                                                         bi_hash_block_words<M::THREADS> &state)
{
    constexpr uint32_t WARPS = M::THREADS / 32, LEFT = PACKED_WALKERS / WARPS;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, below = (1u << lane) - 1;
    uint32_t next = warp, code = 0, bucket = 0;
    for (;;) {
        const unsigned idle = __ballot_sync(~0u, code == 0);
        if (next < count) {
            const uint32_t mine = next + WARPS * (uint32_t)__popc(idle & below);
            if (!code && mine < count) {
                uint32_t pair[2];
                const uint32_t position = partition.waiting[mine];
                partition.buckets_of(partition.hashes[position], pair);
                code = partition.first_code(position);
                bucket = pair[0];
            }
            next += WARPS * (uint32_t)__popc(idle);
        } else if ((uint32_t)__popc(~idle) <= LEFT) {
            if (code) partition.walkers[warp * LEFT + (uint32_t)__popc(~idle & below)] = code | bucket << 16;
            return;
        }
        packed_propose(partition, code, bucket, state);
    }
}

/* Matches the keys that wait, after they were placed. Sets state.failed if not all can be. All threads call it, after
 * a barrier; another comes last. */
template <class M>
static __device__ void packed_match(const M &partition, uint32_t count, bi_hash_block_words<M::THREADS> &state)
{
    packed_sort(partition);
    __syncthreads();
    packed_match_many(partition, count, state);
    __syncthreads();
    if (threadIdx.x < PACKED_WALKERS) {
        const uint32_t walker = partition.walkers[threadIdx.x];
        uint32_t code = walker & 0xffff, bucket = walker >> 16;
        while (__any_sync(~0u, code != 0)) {
            packed_propose(partition, code, bucket, state);
            packed_propose(partition, code, bucket, state);
        }
    }
    __syncthreads();
}

/* Fills a partition whose hashes are there; false if it must stay unfinished. All threads call it, after a barrier. */
template <class M> static __device__ bool packed_fill(const M &partition, bi_hash_block_words<M::THREADS> &state)
{
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < partition.keys; i += M::THREADS) packed_place(partition, i, state);
    __syncthreads();
    const uint32_t count = state.next;
    const bool fits = !state.failed && count <= partition.most_waiting;
    if (fits) packed_match(partition, count, state);
    if (!fits || state.failed) {
        packed_find_repeats(partition, state);
        return false;
    }
    bi_hash_scan_partition(partition, state, partition.waiting + threadIdx.x / 32 * 64);
    __syncthreads();
    return !state.repeats;
}

#endif
