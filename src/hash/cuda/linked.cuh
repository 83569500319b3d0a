/* Fills partitions of a fused build whose hashes and payload take turns in shared memory, so that several blocks run at
 * once. Keys take the slots of their first bucket in the order in which they come by; those that find it full propose
 * (fill.cuh). A code tells the other bucket of its key, so that a proposal needs nothing but the bucket that it is made
 * to. When few keys are left, one warp goes on with them, as all that counts then is how long a proposal takes. Since
 * the matching does not depend on the order of the proposals, the result is the same. */
#ifndef BI_HASH_CUDA_LINKED_CUH
#define BI_HASH_CUDA_LINKED_CUH

#include "core/cuda/shared.cuh"
#include "hash/cuda/gather.cuh"
#include "hash/cuda/write.cuh"

/* A code, from its low bits: the slot that it is in, so that the least code of a bucket tells where it is; the key's
 * other bucket; whether this bucket is its second one; a number that falls as the key's position rises; the priority.
 * An empty slot has its number alone. */
enum : uint32_t {
    LINKED_SLOT = BOSC_HASH_WIDTH - 1,
    LINKED_OTHER_SHIFT = 2,
    LINKED_OTHER_BITS = 12,
    LINKED_BUCKETS = 1 << LINKED_OTHER_BITS, /* at most */
    LINKED_OTHER = (LINKED_BUCKETS - 1) << LINKED_OTHER_SHIFT,
    LINKED_SECOND = 1 << (LINKED_OTHER_SHIFT + LINKED_OTHER_BITS),
    LINKED_PAIR = LINKED_OTHER | LINKED_SECOND, /* the same for two keys of a bucket with the same two */
    LINKED_POSITION_SHIFT = LINKED_OTHER_SHIFT + LINKED_OTHER_BITS + 1,
    LINKED_POSITION_BITS = 14,
    LINKED_POSITIONS = (1 << LINKED_POSITION_BITS) - 1,
    LINKED_STEP = 1u << (LINKED_POSITION_SHIFT + LINKED_POSITION_BITS), /* from a priority to the next one */
    LINKED_PRIORITIES = 4,                                              /* no key has more */
    LINKED_END = LINKED_PRIORITIES * LINKED_STEP,                       /* codes are less */
    LINKED_WALKERS = 128,                                               /* keys that one warp goes on with */
    LINKED_STEPS = 4, /* proposals that it makes before it looks at what is left */
    LINKED_MANY = 128 /* keys with the same first bucket; only where keys repeat */
};

static_assert(BI_HASH_PARTITION_KEYS_32 + 8 * 91 < LINKED_POSITIONS,
              "a position of each key that a partition may have");
static_assert(LINKED_PRIORITIES + LINKED_STEPS <= 1ull << (32 - LINKED_POSITION_SHIFT - LINKED_POSITION_BITS),
              "a key whose buckets are the same has its next priority with each proposal");

template <class K, class P, int THREADS_> struct bi_hash_linked {
    typedef K key;
    typedef P value;
    static constexpr bool KEEPS_ORDER = true;
    static constexpr int THREADS = THREADS_;
    K *hashes;
    const P *payload;
    uint32_t *codes;               /* (buckets x 4) */
    uint32_t *spilled, *ascending; /* as of bi_hash_matching */
    uint32_t *counts;              /* (buckets) keys that came to each first, of 8 bits; until they are matched */
    uint16_t *waiting;             /* (most_waiting) positions of those that found their bucket full */
    uint2 *walkers;                /* (LINKED_WALKERS) codes that are not placed, and buckets; in place of counts */
    uint32_t most_waiting;
    uint32_t number, first, keys, buckets, seed;

    static __device__ __forceinline__ uint32_t first_code(uint32_t position, uint32_t other)
    {
        return (LINKED_POSITIONS - position) << LINKED_POSITION_SHIFT | other << LINKED_OTHER_SHIFT;
    }
    static __device__ __forceinline__ uint32_t position(uint32_t code)
    {
        return LINKED_POSITIONS - (code >> LINKED_POSITION_SHIFT & LINKED_POSITIONS);
    }
    static __device__ __forceinline__ uint32_t other(uint32_t code)
    {
        return (code & LINKED_OTHER) >> LINKED_OTHER_SHIFT;
    }
    __device__ __forceinline__ uint32_t *codes_of(uint32_t bucket) const { return codes + bucket * BOSC_HASH_WIDTH; }
    __device__ __forceinline__ const uint4 *words_of(uint32_t bucket) const
    {
        return reinterpret_cast<const uint4 *>(codes_of(bucket));
    }

    /* Codes at rest, without their slots: 0 where there is none. */
    __device__ __forceinline__ uint4 load(uint32_t bucket) const
    {
        const uint4 c = *words_of(bucket);
        return {c.x & ~LINKED_SLOT, c.y & ~LINKED_SLOT, c.z & ~LINKED_SLOT, c.w & ~LINKED_SLOT};
    }
    __device__ __forceinline__ void buckets_of(uint32_t position, uint32_t pair[2]) const
    {
        bosc_hash_buckets(bi_hash_key_fold(hashes[position]), seed, buckets, pair);
    }
};

/* The most keys of a partition that may find their first bucket full: at a load of 0.96 18 of 100 do. */
static __host__ __device__ __forceinline__ uint32_t linked_most_waiting(uint32_t keys, uint32_t threads)
{
    return max(keys / 5 + 64, threads * 2);
}

/* Begins; a barrier follows. All threads call it. */
template <class M>
static __device__ void linked_begin(const M &partition, uint32_t most_buckets, bi_hash_block_words<M::THREADS> &state)
{
    for (uint32_t b = threadIdx.x; b < most_buckets; b += M::THREADS)
        *reinterpret_cast<uint4 *>(partition.codes_of(b)) = {0, 1, 2, 3};
    for (uint32_t w = threadIdx.x; w < (most_buckets + 3) / 4; w += M::THREADS) partition.counts[w] = 0;
    for (uint32_t w = threadIdx.x; w < (most_buckets + 31) / 32; w += M::THREADS) partition.spilled[w] = 0;
    if (threadIdx.x == 0) state.repeats = state.second = state.failed = state.next = state.left = 0;
}

template <int THREADS>
static __device__ __forceinline__ void linked_gather(const segment_list &, const bi_hash_no_value *, bi_hash_no_value *)
{
}

/* Copies what a partition has in an array of tiles to shared memory; a barrier follows. All threads call it. */
template <int THREADS, class T>
static __device__ __forceinline__ void linked_gather(const segment_list &segments, const T *array, T *to)
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
static __device__ __forceinline__ void linked_place(const M &partition, uint32_t position,
                                                    bi_hash_block_words<M::THREADS> &state)
{
    uint32_t pair[2];
    partition.buckets_of(position, pair);
    const uint32_t shift = 8 * (pair[0] % 4);
    const uint32_t slot = atomicAdd(&partition.counts[pair[0] / 4], 1u << shift) >> shift & 0xff;
    if (slot < BOSC_HASH_WIDTH) {
        partition.codes_of(pair[0])[slot] = partition.first_code(position, pair[1]) | slot;
        return;
    }
    const uint32_t at = atomicAdd(&state.next, 1u);
    if (at < partition.most_waiting) partition.waiting[at] = (uint16_t)position;
    if (slot >= LINKED_MANY) bi_store_shared(&state.failed, 1u);
}

static __device__ __forceinline__ uint32_t linked_least(uint4 c) { return min(min(c.x, c.y), min(c.z, c.w)); }

/* The proposal that the key of a code makes next, which `bucket` has rejected; 0 after an empty slot. */
static __device__ __forceinline__ void linked_advance(uint32_t rejected, uint32_t &code, uint32_t &bucket)
{
    const uint32_t other = (rejected & LINKED_OTHER) >> LINKED_OTHER_SHIFT;
    const bool second = !(rejected & LINKED_SECOND) && other != bucket;
    const uint32_t kept = (rejected & ~(LINKED_OTHER | LINKED_SLOT)) | bucket << LINKED_OTHER_SHIFT;
    const uint32_t next = kept + (second ? LINKED_SECOND : LINKED_STEP - (rejected & LINKED_SECOND));
    code = rejected > LINKED_SLOT ? next : 0;
    bucket = other;
}

/* Makes the proposal of a code to a bucket, and finds that of the key which was rejected: code 0 if none was. With code
 * 0 nothing changes. */
template <class M>
static __device__ __forceinline__ void linked_propose(const M &partition, uint32_t &code, uint32_t &bucket,
                                                      bi_hash_block_words<M::THREADS> &state)
{
    const uint32_t least = linked_least(bi_load_hint_shared(partition.words_of(bucket)));
    const uint32_t slot = least & LINKED_SLOT, own = code | slot;
    const uint32_t there = least < code ? atomicMax(&partition.codes_of(bucket)[slot], own) : least;
    if (there != least) { /* others came first: once more */
        code = min(own, there) & ~LINKED_SLOT;
        return;
    }
    if (code) linked_advance(min(least, code), code, bucket);
    if (code < LINKED_END) return;
    bi_store_shared(&state.failed, 1u);
    code = 0;
}

/* Matches the keys that wait until no more than LINKED_WALKERS are left, which become walkers. */
template <class M>
static __device__ __forceinline__ void linked_match_many(const M &partition, uint32_t count,
                                                         bi_hash_block_words<M::THREADS> &state)
{
    constexpr uint32_t WARPS = M::THREADS / 32, LEFT = LINKED_WALKERS / WARPS;
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t next = threadIdx.x / 32, code = 0, bucket = 0;
    for (;;) {
        const unsigned idle = __ballot_sync(~0u, code == 0);
        if (next < count) {
            const uint32_t own = next + WARPS * (uint32_t)__popc(idle & below);
            if (!code && own < count) {
                uint32_t pair[2];
                const uint32_t position = partition.waiting[own];
                partition.buckets_of(position, pair);
                code = partition.first_code(position, pair[1]);
                bucket = pair[0];
            }
            next += WARPS * (uint32_t)__popc(idle);
        } else if ((uint32_t)__popc(~idle) <= LEFT) {
            if (code) partition.walkers[atomicAdd(&state.left, 1u)] = {code, bucket};
            return;
        }
        linked_propose(partition, code, bucket, state);
    }
}

/* A proposal of each lane of a warp, to a bucket whose codes are c, after which c is that of the next proposal. All
 * lanes write, then all see whose code is there. The next bucket is read before it is known whether the proposal
 * stands, as it nearly always does. */
template <class M>
static __device__ __forceinline__ void linked_walk_step(const M &partition, uint32_t &code, uint32_t &bucket, uint4 &c)
{
    const uint32_t least = linked_least(c), own = code | (least & LINKED_SLOT);
    uint32_t *const at = &partition.codes_of(bucket)[least & LINKED_SLOT];
    const bool wins = least < code;
    uint32_t next, to = bucket;
    if (wins) atomicMax(at, own);
    __syncwarp();
    linked_advance(min(least, code), next, to);
    c = bi_load_hint_shared(partition.words_of(to));
    const bool lost = (bi_load_shared(at) != own) & wins;
    if (lost) c = bi_load_hint_shared(partition.words_of(bucket));
    code = lost ? code : next;
    bucket = lost ? bucket : to;
    __syncwarp();
}

/* One warp goes on with the walkers; all its threads call it. */
template <class M> static __device__ void linked_walk(const M &partition, bi_hash_block_words<M::THREADS> &state)
{
    const uint32_t below = (1u << threadIdx.x) - 1, count = state.left;
    uint32_t next = 0, code = 0, bucket = 0;
    bool failed = false;
    uint4 c = *partition.words_of(0);
    for (unsigned idle; (idle = __ballot_sync(~0u, code == 0)) != ~0u || next < count;) {
        if (next < count) {
            const uint32_t own = next + (uint32_t)__popc(idle & below);
            if (!code && own < count) {
                const uint2 walker = partition.walkers[own];
                code = walker.x;
                bucket = walker.y;
                c = *partition.words_of(bucket);
            }
            next += (uint32_t)__popc(idle);
            __syncwarp();
        }
        failed |= code >= LINKED_END;
        if (code >= LINKED_END) code = 0;
#pragma unroll
        for (uint32_t k = 0; k < LINKED_STEPS; k++) linked_walk_step(partition, code, bucket, c);
    }
    if (failed) bi_store_shared(&state.failed, 1u);
}

/* Whether the keys of two codes are the same. */
template <class M> static __device__ __forceinline__ bool linked_same(const M &partition, uint32_t a, uint32_t b)
{
    return bi_hash_key_same(partition.hashes[partition.position(a)], partition.hashes[partition.position(b)]);
}

/* Whether a key of a bucket is there twice, or is in its first bucket too where this is its second one. */
template <class M> static __device__ bool linked_repeats(const M &partition, const uint32_t codes[4])
{
    bool repeats = false;
    for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
        for (int j = 0; j < i; j++) repeats |= codes[i] && linked_same(partition, codes[i], codes[j]);
        if (!(codes[i] & LINKED_SECOND)) continue;
        const uint32_t *first = partition.codes_of(partition.other(codes[i]));
        for (int j = 0; j < BOSC_HASH_WIDTH; j++)
            repeats |= first[j] > LINKED_SLOT && linked_same(partition, codes[i], first[j]);
    }
    return repeats;
}

/* Whether a key of a bucket may be in its first bucket, whose codes are c, too: one has the same two buckets there. */
static __device__ __forceinline__ bool linked_may_be(uint4 c, uint32_t bucket)
{
    const uint32_t like = bucket << LINKED_OTHER_SHIFT;
    return !((c.x ^ like) & LINKED_PAIR) | !((c.y ^ like) & LINKED_PAIR) | !((c.z ^ like) & LINKED_PAIR) |
           !((c.w ^ like) & LINKED_PAIR);
}

/* Scans the buckets for their marks and the figures of the report. All threads call it. */
template <class M> static __device__ void linked_scan(const M &partition, bi_hash_block_words<M::THREADS> &state)
{
    uint32_t second = 0;
    bool repeats = false;
    for (uint32_t row = threadIdx.x / 32 * 32; row < partition.buckets; row += M::THREADS) {
        const uint32_t bucket = row + threadIdx.x % 32;
        uint4 c = {0, 0, 0, 0}, first[4];
        if (bucket < partition.buckets) c = bi_hash_sort_codes(partition.load(bucket));
        const uint32_t codes[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
        for (int i = 0; i < BOSC_HASH_WIDTH; i++) /* all at once */
            first[i] = partition.load(codes[i] & LINKED_SECOND ? partition.other(codes[i]) : 0);
        const bool is_ascending = c.w && bi_hash_key_less(partition.hashes[partition.position(c.x)],
                                                          partition.hashes[partition.position(c.y)]);
        const unsigned ascending = __ballot_sync(~0u, is_ascending);
        if (threadIdx.x % 32 == 0) partition.ascending[row / 32] = ascending;
        bool perhaps = false;
#pragma unroll
        for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
#pragma unroll
            for (int j = 0; j < i; j++) perhaps |= codes[i] && !((codes[i] ^ codes[j]) & LINKED_PAIR);
            if (!(codes[i] & LINKED_SECOND)) continue;
            const uint32_t spilled = partition.other(codes[i]);
            atomicOr(&partition.spilled[spilled / 32], 1u << spilled % 32);
            second++;
            perhaps |= linked_may_be(first[i], bucket);
        }
        if (perhaps) repeats |= linked_repeats(partition, codes);
    }
    second = bi_warp_sum(second);
    if (threadIdx.x % 32 == 0 && second) atomicAdd(&state.second, second);
    if (repeats) bi_store_shared(&state.repeats, 1u);
}

/* Fills a partition whose hashes are there; false if it must stay unfinished. All threads call it, after a barrier. */
template <class M> static __device__ bool linked_fill(const M &partition, bi_hash_block_words<M::THREADS> &state)
{
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < partition.keys; i += M::THREADS) linked_place(partition, i, state);
    __syncthreads();
    const uint32_t count = state.next;
    const bool fits = !state.failed && count <= partition.most_waiting;
    if (fits) {
        linked_match_many(partition, count, state);
        __syncthreads();
        if (threadIdx.x < 32) linked_walk(partition, state);
        __syncthreads();
    }
    linked_scan(partition, state); /* after a failure, for keys that repeat */
    __syncthreads();
    return fits && !state.failed && !state.repeats;
}

#endif
