/* Fills partitions on CUDA: the stable matching of hash.h by atomics, in shared memory or, for partitions that are too
 * large for it, in the table. */
#ifndef BI_HASH_CUDA_FILL_CUH
#define BI_HASH_CUDA_FILL_CUH

#include "hash/cuda/bucketed.cuh"

/* Threads of a block that fills partitions too large for shared memory. */
enum { BI_HASH_LARGE_THREADS = 384 };
/* Keys that a warp takes at once where the keys are not assigned to warps beforehand. */
enum { BI_HASH_KEYS_TAKEN = 64 };
/* Proposals of this priority and above are few, unless a partition fails: only then do other threads check whether it
 * did. */
enum { BI_HASH_UNUSUAL_PRIORITY = 6 };
/* Without hashes at hand a key that repeats is not seen by how it fails, so no more seeds are tried. */
enum { BI_HASH_BLIND_SEEDS = 2 };
#define BI_HASH_MAX_POSITION ((1u << BI_HASH_POSITION_BITS) - 1)

/* The arguments of the kernels: the lists, the table, and what fits in a block's shared memory. */
template <class K, class P> struct bi_hash_fill_args {
    const K *hashes;
    const P *payload;
    const unsigned char *values; /* NULL: the payload is the values */
    const uint32_t *starts;
    bosc_hash_partition *partitions;
    unsigned char *table;
    struct bi_hash_report *report;
    int32_t partition_bits, stride, value_bytes;
    uint32_t max_keys; /* partitions with more are left out, unless `distinct` */
    bool distinct, in_place;
    bool lay_out; /* each block finds where its partition lies; else that was done before */
    double load;
    uint32_t block_keys, block_buckets; /* larger partitions are in the list of large ones */
    uint32_t *large;                    /* report->large numbers of partitions */
    uint32_t *marks;                    /* for those */
};

/* The code of a proposal: priority << BI_HASH_POSITION_BITS | a number that falls as the key's position rises; 0: none.
 * With SHARED, where positions are few, the last bit tells that it is made to the key's second bucket. */
template <bool SHARED> struct bi_hash_codes {
    static constexpr uint32_t STEP = 1u << BI_HASH_POSITION_BITS; /* from a priority to the next one */

    /* The first proposal of a key. */
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

/* A partition that one block fills. SOURCE has each_hash(keys, f), which calls f(position, hash) for all of them,
 * and hashes_in_shared(keys, memory), which brings the hashes to shared memory, maybe to this, and tells where. With
 * SHARED, codes and hashes are in shared memory and the codes of a bucket are a uint4; else the codes are in the
 * table, in the first words of each bucket. With PICKS, for long walks, the buckets of each key, which are less than
 * 2^16, are computed once and stand in the memory of the hashes until all keys are matched. */
template <class K, class P, class SOURCE, bool SHARED_, int THREADS_, bool PICKS_>
struct bi_hash_matching : bi_hash_codes<SHARED_> {
    typedef K key;
    typedef P value;
    static constexpr bool SHARED = SHARED_, PICKS = PICKS_, KEEPS_ORDER = true;
    static constexpr int THREADS = THREADS_;
    SOURCE source;
    const K *hashes; /* with PICKS, until all keys are matched, NULL where the source's hashes are not in one place */
    const P *payload;
    uint32_t *picks; /* with PICKS: of each key the first bucket, and the second one << 16 */
    uint32_t *codes;
    uint32_t step;       /* words from a bucket's codes to the next one's */
    uint32_t *spilled;   /* a bit for each bucket */
    uint32_t *ascending; /* a bit for each bucket: it is full, and its first hash is less than its second */
    uint32_t number, first, keys, buckets, seed;

    __device__ __forceinline__ uint32_t *codes_of(uint32_t bucket) const
    {
        return codes + (size_t)bucket * (SHARED ? (uint32_t)BOSC_HASH_WIDTH : step);
    }

    /* Codes that other threads may be changing: each is there, or was. */
    __device__ __forceinline__ uint4 hint(uint32_t bucket) const
    {
        const uint32_t *c = codes_of(bucket);
        if (SHARED) return bi_load_hint_shared(reinterpret_cast<const uint4 *>(c));
        return {bi_load_hint(c), bi_load_hint(c + 1), bi_load_hint(c + 2), bi_load_hint(c + 3)};
    }

    /* Codes at rest. */
    __device__ __forceinline__ uint4 load(uint32_t bucket) const
    {
        const uint32_t *c = codes_of(bucket);
        if (SHARED) return *reinterpret_cast<const uint4 *>(c);
        return {c[0], c[1], c[2], c[3]};
    }

    /* The first and the second bucket of a key. */
    __device__ __forceinline__ void buckets_of(K hash, uint32_t pair[2]) const
    {
        bosc_hash_buckets(bi_hash_key_fold(hash), seed, buckets, pair);
    }

    /* Whether the key of this code and hash is in its second bucket, when it is in this one. */
    __device__ __forceinline__ bool is_second(uint32_t code, K hash, uint32_t bucket) const
    {
        if (SHARED) return code & 1;
        uint32_t pair[2];
        buckets_of(hash, pair);
        return pair[0] != bucket;
    }

    /* Those of the key at a position, while keys are being matched. */
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

/* Codes in descending order. */
__device__ __forceinline__ uint4 bi_hash_sort_codes(uint4 c)
{
    const uint32_t a = max(c.x, c.y), b = min(c.x, c.y), d = max(c.z, c.w), e = min(c.z, c.w);
    const uint32_t f = min(a, d), g = max(b, e);
    return {max(a, d), max(f, g), min(f, g), min(b, e)};
}

/* Whether a bucket has the key of `hash` at another position. */
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

/* Calls f(i, list[i]) for all i below count; with PICKS several are read at once. All threads call it. */
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

/* Hashes in a list, from which the kernel copies those without PICKS to shared memory before. */
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

/* State that the threads of a block share. */
template <int THREADS> struct bi_hash_block_words {
    uint32_t skip, failed, repeats, second;
    uint32_t next;                            /* with PICKS: the first key that no warp has taken */
    uint32_t left;                            /* of linked partitions: keys that one warp goes on with */
    alignas(16) uint32_t warps[THREADS / 32]; /* read by vectors, which shall have nothing of `next` */
};
template <int THREADS> struct bi_hash_block_state : bi_hash_block_words<THREADS> {
    uint16_t second_positions[THREADS / 32][64]; /* of each warp: positions of keys in their second bucket */
};

/* A proposal that is not made yet. `code` is that of the key's proposal before it, which bi_hash_next_proposal
 * advances; of a key that made none, the one that would precede its first. Without SHARED codes do not tell the
 * bucket: `bucket` is that of the proposal before, or BI_HASH_NO_PROPOSAL; with BI_HASH_PROPOSE_AGAIN the same one
 * is made once more. */
struct bi_hash_proposal {
    uint32_t code, bucket;
};
enum : uint32_t { BI_HASH_PROPOSE_AGAIN = 1u << 31, BI_HASH_NO_PROPOSAL = ~0u };

/* Takes a proposal back by one, so that bi_hash_next_proposal gives it again. */
template <bool SHARED> __device__ __forceinline__ void bi_hash_hold_proposal(bi_hash_proposal &o)
{
    if (SHARED)
        o.code -= o.code & 1 ? 1 : bi_hash_codes<SHARED>::STEP - 1;
    else
        o.bucket |= BI_HASH_PROPOSE_AGAIN;
}

template <bool SHARED> __device__ __forceinline__ bi_hash_proposal bi_hash_first_proposal(uint32_t position)
{
    bi_hash_proposal o = {bi_hash_codes<SHARED>::first_code(position), BI_HASH_NO_PROPOSAL};
    if (SHARED) bi_hash_hold_proposal<SHARED>(o);
    return o;
}

/* Advances to the proposal that the key makes next, to its other bucket. */
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
    o.bucket = second ? picks[1] : picks[0]; /* an indexed array would lie in memory */
}

/* Makes a proposal: its bucket accepts the code and rejects its least one, or rejects the code if that is less.
 * Codes of a bucket only grow, so one that is less than all four, each at some time, is not among the largest in the
 * end. */
template <class M> __device__ __forceinline__ void bi_hash_propose(const M &partition, bi_hash_proposal &o)
{
    const uint4 c = partition.hint(o.bucket);
    const uint32_t least = min(min(c.x, c.y), min(c.z, c.w));
    if (least > o.code) return;
    const uint32_t slot = least == c.x ? 0 : least == c.y ? 1 : least == c.z ? 2 : 3;
    const uint32_t there = atomicMax(&partition.codes_of(o.bucket)[slot], o.code);
    o.code = min(o.code, there);
    if (there != least) bi_hash_hold_proposal<M::SHARED>(o); /* others came first */
}

/* For proposals of unusual priority: whether the partition fails, by this one or by others. */
template <class M>
static __device__ bool bi_hash_proposal_fails(const M &partition, bi_hash_proposal o,
                                              bi_hash_block_state<M::THREADS> &state)
{
    const uint32_t priority = o.code >> BI_HASH_POSITION_BITS;
    if (priority < BI_HASH_UNUSUAL_PRIORITY) return false;
    const bool last = priority >= BI_HASH_PRIORITIES;
    if (!atomicOr(&state.failed, last ? 1u : 0u) && !last) return false;
    const uint32_t position = partition.position(o.code);
    if (partition.hashes &&
        bi_hash_bucket_has(partition, partition.hint(o.bucket), partition.hashes[position], position))
        atomicOr(&state.repeats, 1u);
    return true;
}

/* Matches the keys of a partition until a bucket has accepted each; all threads call it. The lanes of a warp keep
 * together, and each takes another of the warp's keys when it has none; with PICKS warps take keys on demand. On
 * failure sets state.failed, and state.repeats where a key is seen to repeat. */
template <class M> static __device__ void bi_hash_match(const M &partition, bi_hash_block_state<M::THREADS> &state)
{
    const uint32_t each = (partition.keys + M::THREADS / 32 - 1) / (M::THREADS / 32);
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t next = M::PICKS ? 0 : min(threadIdx.x / 32 * each, partition.keys);
    uint32_t end = M::PICKS ? 0 : min(next + each, partition.keys);
    bi_hash_proposal o = {0, 0};
    for (;;) {
        const unsigned idle = __ballot_sync(~0u, o.code == 0);
        if (M::PICKS && idle && next >= end && end < partition.keys) {
            if (lane == 0) next = atomicAdd(&state.next, (uint32_t)BI_HASH_KEYS_TAKEN);
            next = __shfl_sync(~0u, next, 0);
            end = min(next + BI_HASH_KEYS_TAKEN, partition.keys);
        }
        if (idle == ~0u && next >= end) return;
        const uint32_t own = next + (uint32_t)__popc(idle & below);
        if (o.code == 0 && own < end) o = bi_hash_first_proposal<M::SHARED>(own);
        next += (uint32_t)__popc(idle);
        if (M::PICKS) next = min(next, end);
        if (o.code) bi_hash_next_proposal(partition, o);
        const bool unusual = __any_sync(~0u, o.code >> BI_HASH_POSITION_BITS >= BI_HASH_UNUSUAL_PRIORITY);
        if (unusual && __any_sync(~0u, bi_hash_proposal_fails(partition, o, state))) return;
        if (o.code) bi_hash_propose(partition, o);
    }
}

/* Marks the first bucket of a key in its second one as spilled. Returns whether the first one holds the key too. */
template <class M> __device__ __forceinline__ bool bi_hash_mark_spilled(const M &partition, uint32_t position)
{
    typedef typename M::key K;
    const K hash = partition.hashes[position];
    uint32_t picks[2];
    partition.buckets_of(hash, picks);
    atomicOr(&partition.spilled[picks[0] / 32], 1u << picks[0] % 32);
    return bi_hash_bucket_has(partition, partition.load(picks[0]), hash, position);
}

/* A bit for each of a bucket's codes, in descending order: its key is in its second bucket. *repeats: a key is there
 * twice; *ascending: the bucket is full and its first hash is less than its second. */
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

/* Scans the filled buckets for their marks and the figures of the report. list (64), in shared memory, of each warp:
 * few keys of a row are in their second bucket, and wait there until they are 32. All threads call it. */
template <class M>
static __device__ void bi_hash_scan_partition(const M &partition, bi_hash_block_words<M::THREADS> &state,
                                              uint16_t *list)
{
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t second = 0, listed = 0;
    bool repeats = false;
    for (uint32_t row = threadIdx.x - lane; row < partition.buckets; row += M::THREADS) {
        const uint32_t bucket = row + lane;
        uint4 c = {0, 0, 0, 0};
        if (bucket < partition.buckets) c = bi_hash_sort_codes(partition.load(bucket));
        bool is_ascending;
        uint32_t in_second = bi_hash_scan_bucket(partition, bucket, c, &repeats, &is_ascending);
        const unsigned ascending = __ballot_sync(~0u, is_ascending);
        if (lane == 0) partition.ascending[row / 32] = ascending;
        second += (uint32_t)__popc(in_second);
        for (unsigned votes; (votes = __ballot_sync(~0u, in_second != 0)) != 0; in_second &= in_second - 1) {
            const uint32_t position = partition.position(in_second & 1   ? c.x
                                                         : in_second & 2 ? c.y
                                                         : in_second & 4 ? c.z
                                                                         : c.w);
            if (!M::SHARED) { /* positions are too large for the list */
                if (in_second) repeats |= bi_hash_mark_spilled(partition, position);
                continue;
            }
            if (in_second) list[listed + (uint32_t)__popc(votes & below)] = (uint16_t)position;
            listed += (uint32_t)__popc(votes);
            __syncwarp();
            if (listed < 32) continue;
            listed -= 32;
            repeats |= bi_hash_mark_spilled(partition, list[listed + lane]);
            __syncwarp();
        }
    }
    if (lane < listed) repeats |= bi_hash_mark_spilled(partition, list[lane]);
    second = bi_warp_inclusive_sum(second);
    if (lane == 31 && second) atomicAdd(&state.second, second);
    if (repeats) atomicOr(&state.repeats, 1u);
}

/* Begins, or begins again with another seed: no bucket has accepted a key. All threads call it. */
template <class M>
static __device__ void bi_hash_begin_matching(M &partition, bi_hash_block_state<M::THREADS> &state, uint32_t seed)
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

/* Matches a partition that has begun, and marks its buckets; false if the partition must stay unfinished. All threads
 * call it. */
template <class M>
static __device__ bool bi_hash_match_partition(M &partition, bi_hash_block_state<M::THREADS> &state, bool distinct,
                                               const uint32_t *repeats)
{
    if (partition.keys >= BI_HASH_MAX_POSITION) partition.seed = BOSC_HASH_LINEAR;
    while (partition.seed < BOSC_HASH_LINEAR) {
        bi_hash_match(partition, state);
        __syncthreads();
        if (!state.failed) break;
        if (threadIdx.x == 0)
            state.skip = (!partition.hashes && partition.seed >= BI_HASH_BLIND_SEEDS) ||
                         (!distinct && (state.repeats || (repeats && bi_load_relaxed(repeats))));
        __syncthreads();
        if (state.skip) return false;
        bi_hash_begin_matching(partition, state, partition.seed + 1);
        __syncthreads();
    }
    if constexpr (M::PICKS) {
        partition.hashes = partition.source.hashes_in_shared(partition.keys, partition.picks);
        __syncthreads();
    }
    if (partition.seed < BOSC_HASH_LINEAR)
        bi_hash_scan_partition(partition, state, state.second_positions[threadIdx.x / 32]);
    else if (!distinct && threadIdx.x == 0)
        state.repeats = 1;
    __syncthreads();
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
