/* The stable matching of hash.h on CUDA, by atomics: in shared memory, or in the table for partitions too large for
 * it. */
#ifndef BI_HASH_CUDA_MATCHING_CUH
#define BI_HASH_CUDA_MATCHING_CUH

#include "hash/cuda/bucketed.cuh"

/* Threads of a block that fills partitions too large for shared memory: five blocks have 1,920 of the 2,048 threads of
 * a multiprocessor. Not measured. */
enum { BI_HASH_LARGE_THREADS = 384 };
/* Keys that a warp claims at once where keys are not assigned to warps beforehand. Measured, 100 M at a load factor of
 * 0.95: 4.27 ms, fixed shares 4.59. 64 are two for each lane; other numbers are not measured. */
enum { BI_HASH_KEYS_CLAIMED = 64 };
/* Proposals of this priority and above are rare unless a partition fails; only then do other threads check whether
 * it failed. Less: more checks; more: later ends of failed partitions. Not measured. */
enum { BI_HASH_UNUSUAL_PRIORITY = 6 };
/* Without hashes in shared memory a repeated key is not detected when it fails, so no seed above this one is tried.
 * More: more attempts in vain with repeated keys; less: more tables that are built again. Not measured. */
enum { BI_HASH_BLIND_SEEDS = 2 };
#define BI_HASH_MAX_POSITION ((1u << BI_HASH_POSITION_BITS) - 1)

/* The arguments of the kernels: the lists, the table, and what fits in a block's shared memory. */
template <class K, class P> struct bi_hash_fill_args {
    const K *hashes;
    const P *payload;
    const unsigned char *values;                 /* NULL: the payload is the values */
    const uint32_t *piece_begins, *piece_starts; /* of spans: as those of bi_hash_lists */
    int32_t piece_shift;                         /* of spans: a partition has 2^piece_shift pieces */
    const uint32_t *carried;                     /* words that the blocks copy; NULL: none */
    uint32_t *carried_to;
    size_t carried_words;
    const uint32_t *starts;
    bosc_hash_partition *partitions;
    unsigned char *table;
    struct bi_hash_report *report;
    int32_t partition_bits, stride, value_bytes;
    uint32_t max_keys; /* partitions with more keys are skipped, unless `distinct` */
    bool distinct, in_place;
    bool lay_out; /* each block computes the first bucket of its partition; else a kernel before has done so */
    double load_factor;
    uint32_t block_keys, block_buckets; /* limits of a block; larger partitions are listed in `large` */
    uint32_t *large;                    /* (report->large) partitions */
    uint32_t *marks;                    /* (words) marks of large partitions */
};

/* The code of a proposal: priority << BI_HASH_POSITION_BITS | a number that falls as the key's position rises; 0:
 * none. With SHARED, where positions are small, the last bit is set if the proposal goes to the key's second bucket. */
template <bool SHARED> struct bi_hash_codes {
    static constexpr uint32_t STEP = 1u << BI_HASH_POSITION_BITS; /* difference of two successive priorities */

    /* Returns the code of a key's first proposal; with SHARED an even number, so that its last bit is free. */
    static __device__ __forceinline__ uint32_t first_code(uint32_t position)
    {
        return SHARED ? BI_HASH_MAX_POSITION - 1 - 2 * position : BI_HASH_MAX_POSITION - position;
    }
    static __device__ __forceinline__ uint32_t position(uint32_t code)
    {
        const uint32_t rest = BI_HASH_MAX_POSITION - (code & BI_HASH_MAX_POSITION);
        return SHARED ? rest / 2 : rest;
    }
};

/* A partition that one block fills. SOURCE has each_hash(keys, f), which calls f(position, hash) for all keys, and
 * hashes_in_shared(keys, memory), which returns the hashes in shared memory, possibly after it has copied them to
 * `memory`. With SHARED, codes and hashes are in shared memory and the codes of a bucket are a uint4; else the codes
 * are in the table, in the first words of each bucket. With PICKS, for long walks, the two buckets of each key
 * (below 2^16) are computed once and occupy the memory of the hashes until all keys are matched. */
template <class K, class P, class SOURCE, bool SHARED_, int THREADS_, bool PICKS_>
struct bi_hash_matching : bi_hash_codes<SHARED_> {
    typedef K key;
    typedef P value;
    static constexpr bool SHARED = SHARED_, PICKS = PICKS_, KEEPS_ORDER = true;
    static constexpr int THREADS = THREADS_;
    SOURCE source;
    const K *hashes; /* with PICKS, until all keys are matched, NULL unless the source's hashes are in one array */
    const P *payload;
    uint32_t *picks; /* with PICKS: a key's first bucket | its second one << 16 */
    uint32_t *codes;
    uint32_t step;       /* words between the codes of two buckets */
    uint32_t *spilled;   /* a bit for each bucket */
    uint32_t *ascending; /* a bit for each bucket: it is full, and its first hash is less than its second */
    uint32_t number, first, keys, buckets, seed;

    __device__ __forceinline__ uint32_t *codes_of(uint32_t bucket) const
    {
        return codes + (size_t)bucket * (SHARED ? (uint32_t)BOSC_HASH_WIDTH : step);
    }

    /* Loads codes that other threads may be changing: each value is current or older. */
    __device__ __forceinline__ uint4 hint(uint32_t bucket) const
    {
        const uint32_t *c = codes_of(bucket);
        if (SHARED) return bi_load_hint_shared(reinterpret_cast<const uint4 *>(c));
        return {bi_load_hint(c), bi_load_hint(c + 1), bi_load_hint(c + 2), bi_load_hint(c + 3)};
    }

    /* Loads codes that no thread is changing. */
    __device__ __forceinline__ uint4 load(uint32_t bucket) const
    {
        const uint32_t *c = codes_of(bucket);
        if (SHARED) return *reinterpret_cast<const uint4 *>(c);
        return {c[0], c[1], c[2], c[3]};
    }

    /* Computes the first and the second bucket of a key. */
    __device__ __forceinline__ void buckets_of(K hash, uint32_t pair[2]) const
    {
        bosc_hash_buckets(bi_hash_key_fold(hash), seed, buckets, pair);
    }

    /* True if this bucket is the second one of the key with this code and hash. */
    __device__ __forceinline__ bool is_second(uint32_t code, K hash, uint32_t bucket) const
    {
        if (SHARED) return code & 1;
        uint32_t pair[2];
        buckets_of(hash, pair);
        return pair[0] != bucket;
    }

    /* Computes or reads the buckets of the key at a position, during the matching. */
    __device__ __forceinline__ void pick(uint32_t position, uint32_t pair[2]) const
    {
        if constexpr (PICKS) {
            const uint32_t both = picks[position];
            pair[0] = both & 0xffff;
            pair[1] = both >> 16;
        } else {
            buckets_of(hashes[position], pair);
        }
    }
};

/* Sorts four codes in descending order, by a network of five exchanges. */
__device__ __forceinline__ uint4 bi_hash_sort_codes(uint4 c)
{
    const uint32_t a = max(c.x, c.y), b = min(c.x, c.y), d = max(c.z, c.w), e = min(c.z, c.w);
    const uint32_t f = min(a, d), g = max(b, e);
    return {max(a, d), max(f, g), min(f, g), min(b, e)};
}

/* True if a bucket holds the key of `hash` at another position. */
template <class M>
__device__ __forceinline__ bool bi_hash_bucket_has(const M &partition, uint4 c, typename M::key hash, uint32_t position)
{
    const uint32_t codes[4] = {c.x, c.y, c.z, c.w};
    bool has = false;
#pragma unroll
    for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
        const uint32_t other = partition.position(codes[i]);
        if (codes[i] && other != position) has |= bi_hash_key_same(partition.hashes[other], hash);
    }
    return has;
}

/* Calls f(i, list[i]) for all i below count; with PICKS the reads of 32 bytes (a sector) overlap. All threads call
 * it. */
template <int THREADS, bool PICKS, class T, class F>
__device__ __forceinline__ void bi_hash_for_each(const T *list, uint32_t count, const F &f)
{
    constexpr uint32_t BATCH = PICKS ? 32 / sizeof(T) : 1;
    for (uint32_t begin = threadIdx.x; begin < count; begin += BATCH * THREADS) {
        T x[BATCH];
#pragma unroll
        for (uint32_t k = 0; k < BATCH; k++)
            if (begin + k * THREADS < count) x[k] = list[begin + k * THREADS];
#pragma unroll
        for (uint32_t k = 0; k < BATCH; k++)
            if (begin + k * THREADS < count) f(begin + k * THREADS, x[k]);
    }
}

/* Hashes in a list of the input; without PICKS the kernel has copied them to shared memory already. */
template <class K, int THREADS, bool PICKS> struct bi_hash_list {
    const K *hashes;

    template <class F> __device__ __forceinline__ void each_hash(uint32_t keys, const F &f) const
    {
        bi_hash_for_each<THREADS, PICKS>(hashes, keys, f);
    }
    __device__ __forceinline__ const K *hashes_in_shared(uint32_t keys, uint32_t *memory) const
    {
        K *there = reinterpret_cast<K *>(memory);
        each_hash(keys, [&](uint32_t i, K hash) { there[i] = hash; });
        return there;
    }
};

/* The same of lists in pieces. */
template <class K, int THREADS> struct bi_hash_pieces {
    const K *hashes;        /* of all partitions */
    const uint32_t *begins; /* (pieces + 1) index of a piece of the partition in the lists */
    const uint32_t *starts; /* (pieces + 1) number of keys before it, and before the partition */
    uint32_t pieces;

    /* Calls f(i, index in the lists) for key i of the partition. A warp handles a slice of a piece at a time. */
    template <class F> __device__ __forceinline__ void for_each(const F &f) const
    {
        enum { SLICES = 8 }; /* of a piece, so that few pieces occupy all warps */
        const uint32_t lane = threadIdx.x % 32, before = starts[0];
        for (uint32_t group = 0; group < pieces; group += 32) { /* a lane loads the bounds of a piece */
            const uint32_t own = min(group + lane, pieces), begin = begins[own], start = starts[own],
                           end = starts[min(own + 1, pieces)];
            for (uint32_t slice = threadIdx.x / 32; slice < min(pieces - group, 32u) * SLICES; slice += THREADS / 32) {
                const int piece = (int)(slice / SLICES);
                const uint32_t first = __shfl_sync(~0u, start, piece), count = __shfl_sync(~0u, end, piece) - first,
                               from = __shfl_sync(~0u, begin, piece);
                for (uint32_t i = slice % SLICES * 32 + lane; i < count; i += SLICES * 32)
                    f(first - before + i, from + i);
                __syncwarp(); /* lanes left their loops at different times */
            }
        }
    }
    template <class F> __device__ __forceinline__ void each_hash(uint32_t, const F &f) const
    {
        for_each([&](uint32_t i, uint32_t from) { f(i, hashes[from]); });
    }
    /* Copies the partition's part of a list to shared memory. The caller adds a barrier. */
    template <class T> __device__ __forceinline__ void copy(const T *list, T *to) const
    {
        for_each([&](uint32_t i, uint32_t from) { bi_copy_async(&to[i], &list[from]); });
        bi_wait_copies();
    }
    __device__ __forceinline__ const K *hashes_in_shared(uint32_t, uint32_t *memory) const
    {
        K *there = reinterpret_cast<K *>(memory);
        copy(hashes, there);
        return there;
    }
    /* Moves the partition's part of a list to its begin, so that it is contiguous. All threads call it; the caller adds
     * a barrier. */
    template <class T> __device__ void close_gaps(T *list) const
    {
        uint32_t to = begins[0];
        for (uint32_t piece = 0; piece < pieces; piece++) {
            const uint32_t from = begins[piece], count = starts[piece + 1] - starts[piece];
            for (uint32_t done = 0; from != to && done < count; done += THREADS) {
                const uint32_t i = done + threadIdx.x;
                T item = {};
                if (i < count) item = list[from + i];
                __syncthreads(); /* all threads have read */
                if (i < count) list[to + i] = item;
            }
            to += count;
        }
    }
};

/* State shared by the threads of a block. */
template <int THREADS> struct bi_hash_block_words {
    uint32_t skip;    /* the block leaves the partition unfinished */
    uint32_t failed;  /* the matching fails with this seed */
    uint32_t repeats; /* a key repeats, or may repeat */
    uint32_t second;  /* number of keys in their second bucket */
    /* With PICKS: the first key that no warp has claimed. Linked partitions: number of waiting keys. */
    uint32_t next;
    uint32_t left;                            /* linked partitions: number of keys left to one warp */
    alignas(16) uint32_t warps[THREADS / 32]; /* aligned, as it is read by vectors */
};
template <int THREADS> struct bi_hash_block_state : bi_hash_block_words<THREADS> {
    uint16_t second_positions[THREADS / 32][64]; /* of each warp: positions of keys in their second bucket */
};

/* A proposal before it is made. code: that of the key's previous proposal, which bi_hash_next_proposal advances; of
 * a key without one, the code that would precede its first. Without SHARED codes do not identify the bucket;
 * `bucket` is that of the previous proposal, or BI_HASH_NO_PROPOSAL. BI_HASH_PROPOSE_AGAIN repeats the same
 * proposal. */
struct bi_hash_proposal {
    uint32_t code, bucket;
};
enum : uint32_t { BI_HASH_PROPOSE_AGAIN = 1u << 31, BI_HASH_NO_PROPOSAL = ~0u };

/* Steps a proposal back by one, so that bi_hash_next_proposal returns it again. */
template <bool SHARED> __device__ __forceinline__ void bi_hash_repeat_proposal(bi_hash_proposal &o)
{
    if (SHARED) /* to the first bucket, or to the second one a priority lower; a code below 0 wraps, and back */
        o.code -= o.code & 1 ? 1 : bi_hash_codes<SHARED>::STEP - 1;
    else
        o.bucket |= BI_HASH_PROPOSE_AGAIN;
}

/* Returns the state before a key's first proposal. */
template <bool SHARED> __device__ __forceinline__ bi_hash_proposal bi_hash_first_proposal(uint32_t position)
{
    bi_hash_proposal o = {bi_hash_codes<SHARED>::first_code(position), BI_HASH_NO_PROPOSAL};
    if (SHARED) bi_hash_repeat_proposal<SHARED>(o);
    return o;
}

/* Advances to the key's next proposal, to its other bucket. */
template <class M> __device__ __forceinline__ void bi_hash_next_proposal(const M &partition, bi_hash_proposal &o)
{
    if (!M::SHARED && o.bucket != BI_HASH_NO_PROPOSAL && o.bucket & BI_HASH_PROPOSE_AGAIN) {
        o.bucket ^= BI_HASH_PROPOSE_AGAIN;
        return;
    }
    uint32_t picks[2];
    partition.pick(partition.position(o.code), picks);
    const bool fresh = !M::SHARED && o.bucket == BI_HASH_NO_PROPOSAL,
               at_first = M::SHARED ? !(o.code & 1) : o.bucket == picks[0];
    const bool second = at_first && picks[1] != picks[0];
    if (M::SHARED)
        o.code += second ? 1 : partition.STEP - (o.code & 1);
    else if (!fresh && !second)
        o.code += partition.STEP;
    o.bucket = second ? picks[1] : picks[0]; /* by ?:, as an indexed array would be in local memory */
}

/* Makes a proposal: its bucket accepts the code and rejects its least one, or rejects the code if that is less.
 * Codes of a bucket only grow; so a code that was less than each of the four at some time is not among the largest
 * in the end. */
template <class M> __device__ __forceinline__ void bi_hash_propose(const M &partition, bi_hash_proposal &o)
{
    const uint4 c = partition.hint(o.bucket);
    const uint32_t least = min(min(c.x, c.y), min(c.z, c.w));
    if (least > o.code) return;
    const uint32_t slot = least == c.x ? 0 : least == c.y ? 1 : least == c.z ? 2 : 3;
    const uint32_t previous = atomicMax(&partition.codes_of(o.bucket)[slot], o.code);
    o.code = min(o.code, previous);
    if (previous != least) bi_hash_repeat_proposal<M::SHARED>(o); /* another thread changed the slot */
}

/* Checks a proposal of unusual priority: true if the partition fails, by this one or by others. */
template <class M>
static __device__ bool bi_hash_proposal_fails(const M &partition, bi_hash_proposal o,
                                              bi_hash_block_state<M::THREADS> &state)
{
    const uint32_t priority = o.code >> BI_HASH_POSITION_BITS;
    if (priority < BI_HASH_UNUSUAL_PRIORITY) return false;
    const bool exhausted = priority >= BI_HASH_PRIORITIES;
    /* One atomic sets the flag, or reads whether another thread has set it. */
    if (!atomicOr(&state.failed, exhausted ? 1u : 0u) && !exhausted) return false;
    const uint32_t position = partition.position(o.code);
    if (partition.hashes &&
        bi_hash_bucket_has(partition, partition.hint(o.bucket), partition.hashes[position], position))
        atomicOr(&state.repeats, 1u);
    return true;
}

/* Matches the keys of a partition until each is accepted; all threads call it. The lanes of a warp stay together; an
 * idle lane starts another of the warp's keys; with PICKS warps claim keys on demand. The caller has cleared codes and
 * state, and has less than BI_HASH_MAX_POSITION keys, so that no code is 0. On failure sets state.failed, and
 * state.repeats where a repeated key is detected; the caller then tries the next seed. It ends without a barrier. */
template <class M> static __device__ void bi_hash_match(const M &partition, bi_hash_block_state<M::THREADS> &state)
{
    const uint32_t share = (partition.keys + M::THREADS / 32 - 1) / (M::THREADS / 32);
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    /* next, limit: keys that the warp has yet to start. */
    uint32_t next = M::PICKS ? 0 : min(threadIdx.x / 32 * share, partition.keys);
    uint32_t limit = M::PICKS ? 0 : min(next + share, partition.keys);
    bi_hash_proposal o = {0, 0};
    for (;;) {
        /* 1. Idle lanes start further keys. */
        const unsigned idle = __ballot_sync(~0u, o.code == 0);
        if (M::PICKS && idle && next >= limit && limit < partition.keys) {
            if (lane == 0) next = atomicAdd(&state.next, (uint32_t)BI_HASH_KEYS_CLAIMED);
            next = __shfl_sync(~0u, next, 0);
            limit = min(next + BI_HASH_KEYS_CLAIMED, partition.keys);
        }
        if (idle == ~0u && next >= limit) return;
        const uint32_t own = next + (uint32_t)__popc(idle & below);
        if (o.code == 0 && own < limit) o = bi_hash_first_proposal<M::SHARED>(own);
        next += (uint32_t)__popc(idle);
        if (M::PICKS) next = min(next, limit);
        /* 2. Each lane makes its next proposal, unless the partition has failed. */
        if (o.code) bi_hash_next_proposal(partition, o);
        const bool unusual = __any_sync(~0u, o.code >> BI_HASH_POSITION_BITS >= BI_HASH_UNUSUAL_PRIORITY);
        if (unusual && __any_sync(~0u, bi_hash_proposal_fails(partition, o, state))) return;
        if (o.code) bi_hash_propose(partition, o);
    }
}

/* Marks the first bucket of a key in its second one as spilled. Returns true if the first one holds the key too. */
template <class M> __device__ __forceinline__ bool bi_hash_mark_spilled(const M &partition, uint32_t position)
{
    typedef typename M::key K;
    const K hash = partition.hashes[position];
    uint32_t picks[2];
    partition.buckets_of(hash, picks);
    atomicOr(&partition.spilled[picks[0] / 32], 1u << picks[0] % 32);
    return bi_hash_bucket_has(partition, partition.load(picks[0]), hash, position);
}

/* Returns a bit for each of a bucket's codes, in descending order: the key is in its second bucket. *repeats: a key
 * is there twice; *ascending: the bucket is full and its first hash is less than its second. */
template <class M>
__device__ __forceinline__ uint32_t bi_hash_scan_bucket(const M &partition, uint32_t bucket, uint4 c, bool *repeats,
                                                        bool *ascending)
{
    typedef typename M::key K;
    const uint32_t codes[4] = {c.x, c.y, c.z, c.w};
    uint32_t in_second = 0;
    K hash[4];
#pragma unroll
    for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
        const bool in = codes[i] != 0;
        hash[i] = partition.hashes[in ? partition.position(codes[i]) : 0];
#pragma unroll
        for (int j = 0; j < i; j++) *repeats |= in && bi_hash_key_same(hash[i], hash[j]);
        in_second |= (uint32_t)(in && partition.is_second(codes[i], hash[i], bucket)) << i;
    }
    *ascending = codes[3] && bi_hash_key_less(hash[0], hash[1]);
    return in_second;
}

/* Scans the filled buckets: sets their marks, and counts for the report. In the table the order of a full bucket's
 * first two hashes stores the spilled mark; `ascending` shows if they must be exchanged. list (64): shared memory of
 * each warp; few keys of a row are in their second bucket, and are collected until 32 can be processed together. All
 * threads call it, after a barrier that completes the codes, the hashes and the zeroed `spilled`. hashes[0] is read for
 * empty slots, but not used. */
template <class M>
static __device__ void bi_hash_scan_partition(const M &partition, bi_hash_block_words<M::THREADS> &state,
                                              uint16_t *list)
{
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t second = 0, listed = 0;
    bool repeats = false;
    for (uint32_t row = threadIdx.x - lane; row < partition.buckets; row += M::THREADS) {
        /* 1. Scan a bucket a lane. */
        const uint32_t bucket = row + lane;
        uint4 c = {0, 0, 0, 0};
        if (bucket < partition.buckets) c = bi_hash_sort_codes(partition.load(bucket));
        bool is_ascending;
        uint32_t in_second = bi_hash_scan_bucket(partition, bucket, c, &repeats, &is_ascending);
        const unsigned ascending = __ballot_sync(~0u, is_ascending);
        if (lane == 0) partition.ascending[row / 32] = ascending;
        second += (uint32_t)__popc(in_second);
        /* 2. Collect keys in their second bucket; process 32 at a time. */
        for (unsigned votes; (votes = __ballot_sync(~0u, in_second != 0)) != 0; in_second &= in_second - 1) {
            const uint32_t position = partition.position(in_second & 1   ? c.x
                                                         : in_second & 2 ? c.y
                                                         : in_second & 4 ? c.z
                                                                         : c.w);
            if (!M::SHARED) { /* positions do not fit in the list */
                if (in_second) repeats |= bi_hash_mark_spilled(partition, position);
                continue;
            }
            if (in_second) list[listed + (uint32_t)__popc(votes & below)] = (uint16_t)position;
            listed += (uint32_t)__popc(votes);
            __syncwarp(); /* the list is written */
            if (listed < 32) continue;
            listed -= 32;
            repeats |= bi_hash_mark_spilled(partition, list[listed + lane]);
            __syncwarp(); /* the list is read, before it is overwritten */
        }
    }
    if (lane < listed) repeats |= bi_hash_mark_spilled(partition, list[lane]);
    second = bi_warp_inclusive_sum(second);
    if (lane == 31 && second) atomicAdd(&state.second, second);
    if (repeats) atomicOr(&state.repeats, 1u);
}

/* Clears the state for a seed: no bucket has accepted a key. All threads call it. */
template <class M>
static __device__ void bi_hash_clear_matching(M &partition, bi_hash_block_state<M::THREADS> &state, uint32_t seed)
{
    partition.seed = seed;
    if constexpr (M::PICKS)
        partition.source.each_hash(partition.keys, [&](uint32_t i, typename M::key hash) {
            uint32_t pair[2];
            partition.buckets_of(hash, pair);
            partition.picks[i] = pair[0] | pair[1] << 16;
        });
    for (uint32_t b = threadIdx.x; b < partition.buckets; b += M::THREADS) {
        uint32_t *c = partition.codes_of(b);
        if (M::SHARED)
            *reinterpret_cast<uint4 *>(c) = {0, 0, 0, 0};
        else
            c[0] = c[1] = c[2] = c[3] = 0;
    }
    for (uint32_t w = threadIdx.x; w < (partition.buckets + 31) / 32; w += M::THREADS)
        partition.spilled[w] = partition.ascending[w] = 0;
    if (threadIdx.x == 0) state.failed = state.next = 0;
}

/* Matches a cleared partition and marks its buckets; returns false if the partition must stay unfinished. *repeats, or
 * NULL: set if a key repeats in any partition. partition.seed rises to the first that works; BOSC_HASH_LINEAR if none
 * does: then nothing is matched or marked, and the result is true only if `distinct`. All threads call it, after a
 * barrier that completes the cleared state; a barrier comes last. */
template <class M>
static __device__ bool bi_hash_match_partition(M &partition, bi_hash_block_state<M::THREADS> &state, bool distinct,
                                               const uint32_t *repeats)
{
    if (partition.keys >= BI_HASH_MAX_POSITION) partition.seed = BOSC_HASH_LINEAR; /* codes cannot number its keys */
    /* 1. Match, with further seeds if one fails. */
    while (partition.seed < BOSC_HASH_LINEAR) {
        bi_hash_match(partition, state);
        __syncthreads(); /* the matching is complete, or state.failed is set */
        if (!state.failed) break;
        /* Give up if repeated keys made it fail: in this partition, in another, or unknown after some seeds. */
        if (threadIdx.x == 0)
            state.skip = !distinct && ((!partition.hashes && partition.seed >= BI_HASH_BLIND_SEEDS) || state.repeats ||
                                       (repeats && bi_load_relaxed(repeats)));
        __syncthreads(); /* state.skip is set */
        if (state.skip) return false;
        bi_hash_clear_matching(partition, state, partition.seed + 1);
        __syncthreads(); /* the state is clear */
    }
    if constexpr (M::PICKS) {
        partition.hashes = partition.source.hashes_in_shared(partition.keys, partition.picks);
        __syncthreads(); /* the hashes are in shared memory */
    }
    /* 2. Mark the buckets, and detect repeats. */
    if (partition.seed < BOSC_HASH_LINEAR)
        bi_hash_scan_partition(partition, state, state.second_positions[threadIdx.x / 32]);
    else if (!distinct && threadIdx.x == 0)
        state.repeats = 1;
    __syncthreads(); /* marks and state are complete */
    return !state.repeats;
}

/* Adds a partition to the report and writes its descriptor. Thread 0 calls it. */
template <class M>
static __device__ void bi_hash_report_partition(const M &partition, const bi_hash_block_state<M::THREADS> &state,
                                                const bi_hash_fill_args<typename M::key, typename M::value> &a,
                                                bool filled)
{
    if (!filled) {
        if (state.repeats) bi_store_relaxed(&a.report->repeats, 1u);
        return;
    }
    a.partitions[partition.number].buckets_seed = partition.buckets << BOSC_HASH_SEED_BITS | partition.seed;
    if (partition.seed == BOSC_HASH_LINEAR)
        atomicAdd(&a.report->linear, 1u);
    else if (partition.seed > 0)
        atomicAdd(&a.report->reseeded, 1u);
    if (state.second) atomicAdd(reinterpret_cast<unsigned long long *>(&a.report->extra_probes), state.second);
}

#endif
