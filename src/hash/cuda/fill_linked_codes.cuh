/* Fills partitions of a fused build whose hashes and payload take turns in shared memory, so that several blocks run
 * at once. Keys claim the slots of their first bucket by counters; keys that find it full make proposals
 * (matching.cuh). The code of a key links to its other bucket, so that a proposal reads only the bucket that it goes
 * to. When few keys are left, one warp matches them, since then only the latency of a proposal counts. The matching
 * does not depend on the order of the proposals, so the result is the same. */
#ifndef BI_HASH_CUDA_FILL_LINKED_CODES_CUH
#define BI_HASH_CUDA_FILL_LINKED_CODES_CUH

#include "core/cuda/shared.cuh"
#include "hash/cuda/gather_segments.cuh"
#include "hash/cuda/write_buckets.cuh"

/* A code, from its low bits: its slot, so that the least code of a bucket gives its own position; the key's other
 * bucket; a bit: this bucket is the key's second one; a number that falls as the key's position rises; the priority.
 * The code of an empty slot is the slot's number. */
enum : uint32_t {
    LINKED_SLOT = BOSC_HASH_WIDTH - 1,
    LINKED_OTHER_SHIFT = 2,
    LINKED_OTHER_BITS = 12,
    LINKED_BUCKETS = 1 << LINKED_OTHER_BITS, /* limit of the buckets of a partition */
    LINKED_OTHER = (LINKED_BUCKETS - 1) << LINKED_OTHER_SHIFT,
    LINKED_SECOND = 1 << (LINKED_OTHER_SHIFT + LINKED_OTHER_BITS),
    LINKED_PAIR = LINKED_OTHER | LINKED_SECOND, /* equal for two keys of a bucket with the same pair of buckets */
    LINKED_POSITION_SHIFT = LINKED_OTHER_SHIFT + LINKED_OTHER_BITS + 1,
    LINKED_POSITION_BITS = 14,
    LINKED_POSITIONS = (1 << LINKED_POSITION_BITS) - 1,
    LINKED_STEP = 1u << (LINKED_POSITION_SHIFT + LINKED_POSITION_BITS), /* difference of two successive priorities */
    LINKED_PRIORITIES = 4, /* limit: a key with a higher priority makes the partition fail */
    LINKED_CODE_LIMIT = LINKED_PRIORITIES * LINKED_STEP, /* codes are below it */
    LINKED_WALKERS = 128,  /* limit of the keys left to one warp; measured, 5 M pairs: 183 us, 64 keys 187 */
    LINKED_STEPS = 4,      /* proposals of the warp between two checks for idle lanes; not measured */
    LINKED_MAX_COUNT = 128 /* limit of keys with one first bucket, whose counter has 8 bits; only repeats reach it */
};

/* 91: the standard deviation of BI_HASH_PARTITION_KEYS_32 keys. */
static_assert(BI_HASH_PARTITION_KEYS_32 + 8 * 91 < LINKED_POSITIONS,
              "a position of each key that a partition may have");
static_assert(LINKED_PRIORITIES + LINKED_STEPS <= 1ull << (32 - LINKED_POSITION_SHIFT - LINKED_POSITION_BITS),
              "a key whose buckets are the same has its next priority with each proposal");

template <class K, class P, int THREADS_> struct linked_partition {
    typedef K key;
    typedef P value;
    static constexpr bool KEEPS_ORDER = true;
    static constexpr int THREADS = THREADS_;
    K *hashes;
    const P *payload;
    uint32_t *codes;               /* (buckets x 4) */
    uint32_t *spilled, *ascending; /* as in bi_hash_matching */
    uint32_t *counts;  /* (buckets) counters of 8 bits of the keys that claimed a slot; used until keys are matched */
    uint16_t *waiting; /* (max_waiting) positions of keys whose first bucket was full */
    uint2 *walkers;    /* (LINKED_WALKERS) codes without a slot and the buckets they go to; in the memory of counts */
    uint32_t max_waiting;
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

    /* Loads the codes of a bucket that no thread is changing, without slots: 0 if empty. */
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

/* Returns a bound of the keys that find their first bucket full: at a load factor of 0.96 18 of 100 do (measured). */
static __host__ __device__ __forceinline__ uint32_t max_waiting_keys(uint32_t keys, uint32_t threads)
{
    return max(keys / 5 + 64, threads * 2);
}

/* Clears the state: slots hold their numbers, and a word of counts four counters. The caller adds a barrier. All
 * threads call it. */
template <class M>
static __device__ void clear_linked(const M &partition, uint32_t max_buckets, bi_hash_block_words<M::THREADS> &state)
{
    for (uint32_t b = threadIdx.x; b < max_buckets; b += M::THREADS)
        *reinterpret_cast<uint4 *>(partition.codes_of(b)) = {0, 1, 2, 3};
    for (uint32_t w = threadIdx.x; w < (max_buckets + 3) / 4; w += M::THREADS) partition.counts[w] = 0;
    for (uint32_t w = threadIdx.x; w < (max_buckets + 31) / 32; w += M::THREADS) partition.spilled[w] = 0;
    if (threadIdx.x == 0) state.repeats = state.second = state.failed = state.next = state.left = 0;
}

/* A set has no payload to copy. */
template <int THREADS>
static __device__ __forceinline__ void copy_segments_to_shared(const segment_list &, const bi_hash_no_value *,
                                                               bi_hash_no_value *)
{
}

/* Copies the items of a partition from an array of the tiles to shared memory; the caller adds a barrier. All
 * threads call it. */
template <int THREADS, class T>
static __device__ __forceinline__ void copy_segments_to_shared(const segment_list &segments, const T *array, T *to)
{
    const uint32_t lane = threadIdx.x & (segments.lanes - 1), groups = THREADS / segments.lanes;
#pragma unroll 2
    for (uint32_t s = threadIdx.x / segments.lanes; s < segments.count; s += groups) {
        const uint32_t word = segments.words[s], at = segments.position(word);
        const uint32_t length = segments.position(segments.words[s + 1]) - at;
        const T *from = array + (size_t)s * segments.pairs + (word >> BI_HASH_SEGMENT_BITS);
        for (uint32_t i = lane; i < length; i += segments.lanes) bi_copy_async(&to[at + i], &from[i]);
    }
    bi_wait_copies();
}

/* Assigns a slot to the key at a position, or lists it as waiting. */
template <class M>
static __device__ __forceinline__ void assign_linked_slot(const M &partition, uint32_t position,
                                                          bi_hash_block_words<M::THREADS> &state)
{
    uint32_t pair[2];
    partition.buckets_of(position, pair);
    const uint32_t shift = 8 * (pair[0] % 4); /* of the bucket's counter in its word */
    const uint32_t slot = atomicAdd(&partition.counts[pair[0] / 4], 1u << shift) >> shift & 0xff;
    if (slot < BOSC_HASH_WIDTH) {
        partition.codes_of(pair[0])[slot] = partition.first_code(position, pair[1]) | slot;
        return;
    }
    const uint32_t at = atomicAdd(&state.next, 1u);
    if (at < partition.max_waiting) partition.waiting[at] = (uint16_t)position;
    if (slot >= LINKED_MAX_COUNT) bi_store_shared_relaxed(&state.failed, 1u);
}

static __device__ __forceinline__ uint32_t least_code(uint4 c) { return min(min(c.x, c.y), min(c.z, c.w)); }

/* Computes the next proposal of the key of a code that `bucket` has rejected: from its first bucket to its second one,
 * from there to the first with the next priority. code 0 if the rejected code is that of an empty slot. */
static __device__ __forceinline__ void advance_rejected(uint32_t rejected, uint32_t &code, uint32_t &bucket)
{
    const uint32_t other = (rejected & LINKED_OTHER) >> LINKED_OTHER_SHIFT;
    const bool second = !(rejected & LINKED_SECOND) && other != bucket;
    /* the code's link is to be the bucket that it leaves */
    const uint32_t relinked = (rejected & ~(LINKED_OTHER | LINKED_SLOT)) | bucket << LINKED_OTHER_SHIFT;
    const uint32_t next = relinked + (second ? LINKED_SECOND : LINKED_STEP - (rejected & LINKED_SECOND));
    code = rejected > LINKED_SLOT ? next : 0; /* else an empty slot, whose code is its number */
    bucket = other;
}

/* Proposes a code to a bucket, and computes the next proposal of the rejected key: code 0 if there is none. A code
 * of 0 changes nothing. */
template <class M>
static __device__ __forceinline__ void propose_linked(const M &partition, uint32_t &code, uint32_t &bucket,
                                                      bi_hash_block_words<M::THREADS> &state)
{
    const uint32_t least = least_code(bi_load_hint_shared(partition.words_of(bucket)));
    const uint32_t slot = least & LINKED_SLOT, own = code | slot;
    const uint32_t previous = least < code ? atomicMax(&partition.codes_of(bucket)[slot], own) : least;
    if (previous != least) { /* another thread changed the slot: the lesser code proposes to this bucket again */
        code = min(own, previous) & ~LINKED_SLOT;
        return;
    }
    if (code) advance_rejected(min(least, code), code, bucket);
    if (code < LINKED_CODE_LIMIT) return;
    bi_store_shared_relaxed(&state.failed, 1u);
    code = 0;
}

/* Matches waiting keys until no more than LINKED_WALKERS are left, an equal share of each warp, and writes those to
 * `walkers`. All threads call it. */
template <class M>
static __device__ __forceinline__ void match_until_few(const M &partition, uint32_t count,
                                                       bi_hash_block_words<M::THREADS> &state)
{
    constexpr uint32_t WARPS = M::THREADS / 32, LEFT = LINKED_WALKERS / WARPS;
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t next = threadIdx.x / 32, code = 0, bucket = 0;
    for (;;) {
        /* Idle lanes take waiting keys; when none are left and few lanes are busy, the warp stops. */
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
        propose_linked(partition, code, bucket, state);
    }
}

/* Makes a proposal of each lane of a warp to a bucket with the codes c; afterwards c holds those of the next
 * proposal. All lanes write, then each reads whether its code is there. The next bucket is loaded before that is
 * known, as a proposal nearly always stands. */
template <class M>
static __device__ __forceinline__ void propose_in_lockstep(const M &partition, uint32_t &code, uint32_t &bucket,
                                                           uint4 &c)
{
    const uint32_t least = least_code(c), own = code | (least & LINKED_SLOT);
    uint32_t *const at = &partition.codes_of(bucket)[least & LINKED_SLOT];
    const bool competes = least < code; /* else the bucket rejects the code at once */
    uint32_t next, to = bucket;
    if (competes) atomicMax(at, own);
    __syncwarp(); /* all lanes have proposed */
    advance_rejected(min(least, code), next, to);
    c = bi_load_hint_shared(partition.words_of(to));
    const bool lost = (bi_load_shared_relaxed(at) != own) & competes; /* to a greater code */
    if (lost) c = bi_load_hint_shared(partition.words_of(bucket));
    code = lost ? code : next;
    bucket = lost ? bucket : to;
    __syncwarp(); /* all lanes have read, before the next proposals */
}

/* Matches the remaining keys; all threads of one warp call it. */
template <class M> static __device__ void match_rest_in_warp(const M &partition, bi_hash_block_words<M::THREADS> &state)
{
    const uint32_t below = (1u << threadIdx.x) - 1, count = state.left;
    uint32_t next = 0, code = 0, bucket = 0;
    bool failed = false;
    uint4 c = *partition.words_of(0); /* any bucket: the codes of idle lanes are not used */
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
            __syncwarp(); /* the buckets are read before any lane proposes */
        }
        /* A priority that is too high fails the partition; then make some proposals. */
        failed |= code >= LINKED_CODE_LIMIT;
        if (code >= LINKED_CODE_LIMIT) code = 0;
#pragma unroll
        for (uint32_t k = 0; k < LINKED_STEPS; k++) propose_in_lockstep(partition, code, bucket, c);
    }
    if (failed) bi_store_shared_relaxed(&state.failed, 1u);
}

/* True if two codes are of equal keys. */
template <class M> static __device__ __forceinline__ bool are_same_key(const M &partition, uint32_t a, uint32_t b)
{
    return bi_hash_key_same(partition.hashes[partition.position(a)], partition.hashes[partition.position(b)]);
}

/* True if a key of a bucket is in it twice, or in its first bucket too where this is its second one. */
template <class M> static __device__ bool bucket_repeats_key(const M &partition, const uint32_t codes[4])
{
    bool repeats = false;
    for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
        for (int j = 0; j < i; j++) repeats |= codes[i] && are_same_key(partition, codes[i], codes[j]);
        if (!(codes[i] & LINKED_SECOND)) continue;
        const uint32_t *first = partition.codes_of(partition.other(codes[i]));
        for (int j = 0; j < BOSC_HASH_WIDTH; j++)
            repeats |= first[j] > LINKED_SLOT && are_same_key(partition, codes[i], first[j]);
    }
    return repeats;
}

/* True if the first bucket of a key, whose codes are c, may hold the key too: one of its codes has the same two
 * buckets. */
static __device__ __forceinline__ bool may_hold_key(uint4 c, uint32_t bucket)
{
    const uint32_t like = bucket << LINKED_OTHER_SHIFT;
    return !((c.x ^ like) & LINKED_PAIR) | !((c.y ^ like) & LINKED_PAIR) | !((c.z ^ like) & LINKED_PAIR) |
           !((c.w ^ like) & LINKED_PAIR);
}

/* Scans the buckets: sets their marks, and counts for the report in `state`. Keys without a slot, after a failed
 * matching, are not compared. All threads call it, after a barrier that completes codes, hashes and the zeroed
 * `spilled`; the caller adds one. */
template <class M>
static __device__ void scan_linked_partition(const M &partition, bi_hash_block_words<M::THREADS> &state)
{
    uint32_t second = 0;
    bool repeats = false;
    for (uint32_t row = threadIdx.x / 32 * 32; row < partition.buckets; row += M::THREADS) {
        const uint32_t bucket = row + threadIdx.x % 32;
        /* 1. Load a bucket a lane, and the first buckets of keys in their second one. */
        uint4 c = {0, 0, 0, 0}, first[4];
        if (bucket < partition.buckets) c = bi_hash_sort_codes(partition.load(bucket));
        const uint32_t codes[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
        for (int i = 0; i < BOSC_HASH_WIDTH; i++) /* loads of all four overlap */
            first[i] = partition.load(codes[i] & LINKED_SECOND ? partition.other(codes[i]) : 0);
        const bool is_ascending = c.w && bi_hash_key_less(partition.hashes[partition.position(c.x)],
                                                          partition.hashes[partition.position(c.y)]);
        const unsigned ascending = __ballot_sync(~0u, is_ascending);
        if (threadIdx.x % 32 == 0) partition.ascending[row / 32] = ascending;
        /* 2. Mark spilled buckets; compare keys only where codes allow that they are equal. */
        bool may_repeat = false;
#pragma unroll
        for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
#pragma unroll
            for (int j = 0; j < i; j++) may_repeat |= codes[i] && !((codes[i] ^ codes[j]) & LINKED_PAIR);
            if (!(codes[i] & LINKED_SECOND)) continue;
            const uint32_t first_bucket = partition.other(codes[i]);
            atomicOr(&partition.spilled[first_bucket / 32], 1u << first_bucket % 32);
            second++;
            may_repeat |= may_hold_key(first[i], bucket);
        }
        if (may_repeat) repeats |= bucket_repeats_key(partition, codes);
    }
    second = bi_warp_sum(second);
    if (threadIdx.x % 32 == 0 && second) atomicAdd(&state.second, second);
    if (repeats) bi_store_shared_relaxed(&state.repeats, 1u);
}

/* Fills a partition whose hashes are in shared memory; returns false if it must stay unfinished. All threads call
 * it, after a barrier. */
template <class M>
static __device__ bool fill_linked_partition(const M &partition, bi_hash_block_words<M::THREADS> &state)
{
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < partition.keys; i += M::THREADS) assign_linked_slot(partition, i, state);
    __syncthreads(); /* all keys have claimed a slot or are listed; counts are free for walkers */
    const uint32_t count = state.next;
    const bool fits = !state.failed && count <= partition.max_waiting;
    if (fits) {
        match_until_few(partition, count, state);
        __syncthreads(); /* the walkers of all warps are there */
        if (threadIdx.x < 32) match_rest_in_warp(partition, state);
        __syncthreads(); /* the matching is complete */
    }
    scan_linked_partition(partition, state); /* also after a failure, to detect keys that repeat */
    __syncthreads();                         /* marks and state are complete */
    return fits && !state.failed && !state.repeats;
}

#endif
