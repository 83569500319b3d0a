/* The filling of parts on CUDA: the matching of hash.h by atomics, for parts in shared memory and for those that are
 * too large for it. */
#ifndef BI_HASH_CUDA_FILL_CUH
#define BI_HASH_CUDA_FILL_CUH

#include "hash/cuda/bucketed.cuh"

/* Of a block that fills parts too large for shared memory. */
enum { FILL_THREADS_LARGE = 384 };
/* Keys that a warp takes at once where the rest of its part is not dealt out before. */
enum { FILL_TAKEN = 64 };
/* Offers of so high a priority are few, unless a part fails: then others look whether it did. */
enum { FILL_UNUSUAL = 6 };
#define FILL_POSITIONS ((1u << BI_HASH_POSITION_BITS) - 1)

/* What the kernels get: arrays of the lists and of the table, and what a block has room for in shared memory. */
template <class K, class P> struct fill_args {
    const K *hashes;
    const P *payload;
    const unsigned char *values; /* NULL: the payload is the values */
    const uint32_t *starts;
    bosc_hash_part *parts;
    unsigned char *table;
    struct bi_hash_report *report;
    int32_t part_bits, stride, value_bytes;
    uint32_t crowd; /* parts of more keys are left, unless any */
    bool any, in_place;
    uint32_t most_keys, most_buckets; /* larger parts are in the list of large ones */
    const uint32_t *large;            /* report->large numbers of parts */
    uint32_t *marks;                  /* for those */
};

/* An offer: priority << BI_HASH_POSITION_BITS | what is the less the later the key's position; 0: none. With SHARED,
 * where positions are few, the last bit tells that it is made to the key's second bucket. */
template <bool SHARED> struct fill_codes_of {
    static constexpr uint32_t STEP = 1u << BI_HASH_POSITION_BITS; /* from a priority to the next one */

    /* The first offer of a key. */
    static __device__ __forceinline__ uint32_t first_code(uint32_t position)
    {
        return SHARED ? FILL_POSITIONS - 1 - 2 * position : FILL_POSITIONS - position;
    }
    static __device__ __forceinline__ uint32_t position(uint32_t code)
    {
        const uint32_t rest = FILL_POSITIONS - (code & FILL_POSITIONS);
        return SHARED ? rest / 2 : rest;
    }
};

/* A part that one block fills. With SHARED, codes and hashes are in shared memory and the codes of a bucket are a
 * uint4; else the codes are in the table, in the first words of each bucket. With PICKS, for long walks, the buckets of
 * each key, which are less than 2^16, are computed once and take the place of the hashes until all keys are served. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS> struct fill_part : fill_codes_of<SHARED> {
    const K *hashes;
    const P *payload;
    uint32_t *picks; /* with PICKS: of each key the first bucket, and the second one << 16 */
    uint32_t *codes;
    uint32_t step;  /* words from a bucket's codes to the next one's */
    uint32_t *over; /* a bit for each bucket: it is overflowed */
    uint32_t *less; /* it is full, and its first hash is less than its second */
    uint32_t number, first, keys, buckets, seed;

    __device__ __forceinline__ uint32_t *codes_of(uint32_t bucket) const
    {
        return codes + (size_t)bucket * (SHARED ? (uint32_t)BOSC_HASH_WIDTH : step);
    }

    /* Codes that others may be changing: each is there, or was. */
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
        bosc_hash_buckets(hash_fold(hash), seed, buckets, pair);
    }

    /* Those of the key at a position, while keys are served. */
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
__device__ __forceinline__ uint4 fill_sorted(uint4 c)
{
    const uint32_t a = max(c.x, c.y), b = min(c.x, c.y), d = max(c.z, c.w), e = min(c.z, c.w);
    const uint32_t f = min(a, d), g = max(b, e);
    return {max(a, d), max(f, g), min(f, g), min(b, e)};
}

/* Whether a bucket has the key of `hash` at another position. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
__device__ __forceinline__ bool fill_has(const fill_part<K, P, SHARED, THREADS, PICKS> &part, uint4 c, K hash,
                                         uint32_t position)
{
    const uint32_t codes[4] = {c.x, c.y, c.z, c.w};
    bool has = false;
#pragma unroll
    for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
        const uint32_t other = part.position(codes[i]);
        if (codes[i] && other != position) has |= hash_same(part.hashes[other], hash);
    }
    return has;
}

/* What the threads of a block tell each other. */
template <int THREADS> struct fill_talk {
    uint32_t skip, failed, repeats, second;
    uint32_t next;                  /* with PICKS: the first key that no warp has taken */
    uint16_t far[THREADS / 32][64]; /* of each warp: positions of keys in their second bucket */
};

/* An offer that is not made yet. `code` is that of the key's offer before it, so that a turn makes it the next one; of
 * a key that made none, what would be before its first. Without SHARED codes do not tell the bucket: `bucket` is where
 * the offer before was made, or FILL_FRESH, or with FILL_AGAIN where the same one is to be made once more. */
struct fill_offer {
    uint32_t code, bucket;
};
enum : uint32_t { FILL_AGAIN = 1u << 31, FILL_FRESH = ~0u };

/* Makes a turn give the offer itself. */
template <bool SHARED> __device__ __forceinline__ void fill_again(fill_offer &o)
{
    if (SHARED)
        o.code -= o.code & 1 ? 1 : fill_codes_of<SHARED>::STEP - 1;
    else
        o.bucket |= FILL_AGAIN;
}

template <bool SHARED> __device__ __forceinline__ fill_offer fill_fresh(uint32_t position)
{
    fill_offer o = {fill_codes_of<SHARED>::first_code(position), FILL_FRESH};
    if (SHARED) fill_again<SHARED>(o);
    return o;
}

/* Goes on to the offer that a key makes next, to its other bucket. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
__device__ __forceinline__ void fill_turn(const fill_part<K, P, SHARED, THREADS, PICKS> &part, fill_offer &o)
{
    if (!SHARED && o.bucket != FILL_FRESH && o.bucket & FILL_AGAIN) {
        o.bucket ^= FILL_AGAIN;
        return;
    }
    uint32_t picks[2];
    part.pick(part.position(o.code), picks);
    const bool fresh = !SHARED && o.bucket == FILL_FRESH, at_first = SHARED ? !(o.code & 1) : o.bucket == picks[0];
    const bool second = at_first && picks[1] != picks[0];
    if (SHARED)
        o.code += second ? 1 : part.STEP - (o.code & 1);
    else if (!fresh && !second)
        o.code += part.STEP;
    o.bucket = second ? picks[1] : picks[0]; /* an array with an index would lie in memory */
}

/* Puts a code in lieu of the least one of its bucket, which falls out; or the code itself does, if it is less. Codes of
 * a bucket only grow, so one that is less than all four, each at some time, is not among the largest in the end. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
__device__ __forceinline__ void fill_try(const fill_part<K, P, SHARED, THREADS, PICKS> &part, fill_offer &o)
{
    const uint4 c = part.hint(o.bucket);
    const uint32_t least = min(min(c.x, c.y), min(c.z, c.w));
    if (least > o.code) return;
    const uint32_t place = least == c.x ? 0 : least == c.y ? 1 : least == c.z ? 2 : 3;
    const uint32_t there = atomicMax(&part.codes_of(o.bucket)[place], o.code);
    o.code = min(o.code, there);
    if (there != least) fill_again<SHARED>(o); /* others came first */
}

/* Offers of unusual priority, if there are any: whether the part fails, by this one or by others. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
static __device__ bool fill_fails(const fill_part<K, P, SHARED, THREADS, PICKS> &part, fill_offer o,
                                  fill_talk<THREADS> &talk)
{
    const uint32_t priority = o.code >> BI_HASH_POSITION_BITS;
    if (priority < FILL_UNUSUAL) return false;
    const bool last = priority >= BI_HASH_PRIORITIES;
    if (!atomicOr(&talk.failed, last ? 1u : 0u) && !last) return false;
    const uint32_t position = part.position(o.code);
    if (fill_has(part, part.hint(o.bucket), part.hashes[position], position)) atomicOr(&talk.repeats, 1u);
    return true;
}

/* Serves the keys of a part until each has a place; all threads call it. The lanes of a warp keep together, and each
 * takes another of the warp's keys when it has none; with PICKS warps take keys as they come to need them. On failure
 * sets talk.failed, and talk.repeats where a key is seen to repeat. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
static __device__ void fill_match(const fill_part<K, P, SHARED, THREADS, PICKS> &part, fill_talk<THREADS> &talk)
{
    const uint32_t each = (part.keys + THREADS / 32 - 1) / (THREADS / 32);
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t next = PICKS ? 0 : min(threadIdx.x / 32 * each, part.keys);
    uint32_t end = PICKS ? 0 : min(next + each, part.keys);
    fill_offer o = {0, 0};
    for (;;) {
        const unsigned idle = __ballot_sync(~0u, o.code == 0);
        if (PICKS && idle && next >= end && end < part.keys) {
            if (lane == 0) next = atomicAdd(&talk.next, (uint32_t)FILL_TAKEN);
            next = __shfl_sync(~0u, next, 0);
            end = min(next + FILL_TAKEN, part.keys);
        }
        if (idle == ~0u && next >= end) return;
        const uint32_t mine = next + (uint32_t)__popc(idle & below);
        if (o.code == 0 && mine < end) o = fill_fresh<SHARED>(mine);
        next += (uint32_t)__popc(idle);
        if (PICKS) next = min(next, end);
        if (o.code) fill_turn(part, o);
        const bool unusual = __any_sync(~0u, o.code >> BI_HASH_POSITION_BITS >= FILL_UNUSUAL);
        if (unusual && __any_sync(~0u, fill_fails(part, o, talk))) return;
        if (o.code) fill_try(part, o);
    }
}

/* A key in its second bucket: its first one is overflowed. Whether that has the key, too. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
__device__ __forceinline__ bool fill_far(const fill_part<K, P, SHARED, THREADS, PICKS> &part, uint32_t position)
{
    const K hash = part.hashes[position];
    uint32_t picks[2];
    part.buckets_of(hash, picks);
    atomicOr(&part.over[picks[0] / 32], 1u << picks[0] % 32);
    return fill_has(part, part.load(picks[0]), hash, position);
}

/* Which of a bucket's codes, in descending order, are of keys in their second bucket, a bit for each; *repeats: whether
 * a key is there twice, *less: whether the bucket is full and its first hash less than its second. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
__device__ __forceinline__ uint32_t fill_look(const fill_part<K, P, SHARED, THREADS, PICKS> &part, uint32_t bucket,
                                              uint4 c, bool *repeats, bool *less)
{
    const uint32_t codes[4] = {c.x, c.y, c.z, c.w};
    uint32_t far = 0;
    K hash[4];
#pragma unroll
    for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
        const bool in = codes[i] != 0;
        hash[i] = part.hashes[in ? part.position(codes[i]) : 0];
#pragma unroll
        for (int j = 0; j < i; j++) *repeats |= in && hash_same(hash[i], hash[j]);
        if (SHARED) {
            far |= (codes[i] & 1) << i;
        } else if (in) {
            uint32_t picks[2];
            part.buckets_of(hash[i], picks);
            far |= (uint32_t)(picks[0] != bucket) << i;
        }
    }
    *less = codes[3] && hash_less(hash[0], hash[1]);
    return far;
}

/* Looks over the filled buckets: marks, and what is to be reported. All threads call it. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
static __device__ void fill_review(const fill_part<K, P, SHARED, THREADS, PICKS> &part, fill_talk<THREADS> &talk)
{
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint16_t *list = talk.far[threadIdx.x / 32]; /* few keys of a row are far: they are looked at by 32 */
    uint32_t second = 0, listed = 0;
    bool repeats = false;
    for (uint32_t row = threadIdx.x - lane; row < part.buckets; row += THREADS) {
        const uint32_t bucket = row + lane;
        uint4 c = {0, 0, 0, 0};
        if (bucket < part.buckets) c = fill_sorted(part.load(bucket));
        bool is_less;
        uint32_t far = fill_look(part, bucket, c, &repeats, &is_less);
        const unsigned less = __ballot_sync(~0u, is_less);
        if (lane == 0) part.less[row / 32] = less;
        second += (uint32_t)__popc(far);
        for (unsigned votes; (votes = __ballot_sync(~0u, far != 0)) != 0; far &= far - 1) {
            const uint32_t position = part.position(far & 1 ? c.x : far & 2 ? c.y : far & 4 ? c.z : c.w);
            if (!SHARED) { /* where positions are too large for the list */
                if (far) repeats |= fill_far(part, position);
                continue;
            }
            if (far) list[listed + (uint32_t)__popc(votes & below)] = (uint16_t)position;
            listed += (uint32_t)__popc(votes);
            __syncwarp();
            if (listed < 32) continue;
            listed -= 32;
            repeats |= fill_far(part, list[listed + lane]);
            __syncwarp();
        }
    }
    if (lane < listed) repeats |= fill_far(part, list[lane]);
    second = bi_warp_inclusive_sum(second);
    if (lane == 31 && second) atomicAdd(&talk.second, second);
    if (repeats) atomicOr(&talk.repeats, 1u);
}

/* Calls f(i, list[i]) for all i below count; with PICKS several are read at once. All threads call it. */
template <int THREADS, bool PICKS, class T, class F>
__device__ __forceinline__ void fill_each(const T *list, uint32_t count, const F &f)
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

/* Begins with a part, or begins again: no key has a place. All threads call it. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
static __device__ void fill_begin(fill_part<K, P, SHARED, THREADS, PICKS> &part, fill_talk<THREADS> &talk,
                                  uint32_t seed)
{
    part.seed = seed;
    if constexpr (PICKS)
        fill_each<THREADS, PICKS>(part.hashes, part.keys, [&](uint32_t i, K hash) {
            uint32_t pair[2];
            part.buckets_of(hash, pair);
            part.picks[i] = pair[0] | pair[1] << 16;
        });
    for (uint32_t b = threadIdx.x; b < part.buckets; b += THREADS) {
        uint32_t *c = part.codes_of(b);
        if (SHARED)
            *reinterpret_cast<uint4 *>(c) = {0, 0, 0, 0};
        else
            c[0] = c[1] = c[2] = c[3] = 0;
    }
    for (uint32_t w = threadIdx.x; w < (part.buckets + 31) / 32; w += THREADS) part.over[w] = part.less[w] = 0;
    if (threadIdx.x == 0) talk.failed = talk.next = 0;
}

/* Gives every key of the part, which has begun, its code in a bucket, and marks; false if the part is to be left. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
static __device__ bool fill_codes(fill_part<K, P, SHARED, THREADS, PICKS> &part, fill_talk<THREADS> &talk, bool any,
                                  const struct bi_hash_report *report)
{
    if (part.keys >= FILL_POSITIONS) part.seed = BOSC_HASH_LINEAR;
    while (part.seed < BOSC_HASH_LINEAR) {
        fill_match(part, talk);
        __syncthreads();
        if (!talk.failed) break;
        if (threadIdx.x == 0) talk.skip = !any && (talk.repeats || bi_load_relaxed(&report->repeats));
        __syncthreads();
        if (talk.skip) return false;
        fill_begin(part, talk, part.seed + 1);
        __syncthreads();
    }
    if constexpr (PICKS) {
        K *hashes = reinterpret_cast<K *>(part.picks);
        fill_each<THREADS, PICKS>(part.hashes, part.keys, [&](uint32_t i, K hash) { hashes[i] = hash; });
        part.hashes = hashes;
        __syncthreads();
    }
    if (part.seed < BOSC_HASH_LINEAR)
        fill_review(part, talk);
    else if (!any && threadIdx.x == 0)
        talk.repeats = 1;
    __syncthreads();
    return !talk.repeats;
}

/* The positions of a bucket's pairs in the order in which they are written, plus 1; 0: none. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
__device__ __forceinline__ uint4 fill_order(const fill_part<K, P, SHARED, THREADS, PICKS> &part, uint32_t bucket)
{
    if (part.seed == BOSC_HASH_LINEAR) {
        const uint32_t i = bucket * BOSC_HASH_WIDTH, n = part.keys;
        return {i < n ? i + 1 : 0, i + 1 < n ? i + 2 : 0, i + 2 < n ? i + 3 : 0, i + 3 < n ? i + 4 : 0};
    }
    const uint4 c = fill_sorted(part.load(bucket));
    const bool exchange = (part.over[bucket / 32] ^ part.less[bucket / 32]) >> bucket % 32 & 1;
    const uint32_t x = exchange ? c.y : c.x, y = exchange ? c.x : c.y;
    return {x ? part.position(x) + 1 : 0, y ? part.position(y) + 1 : 0, c.z ? part.position(c.z) + 1 : 0,
            c.w ? part.position(c.w) + 1 : 0};
}

/* Writes a bucket of any stride, by one thread. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
static __device__ void fill_write(const fill_part<K, P, SHARED, THREADS, PICKS> &part, const fill_args<K, P> &a,
                                  uint32_t bucket)
{
    const uint4 order = fill_order(part, bucket);
    const uint32_t at[4] = {order.x, order.y, order.z, order.w};
    unsigned char *to = a.table + (size_t)(part.first + bucket) * (uint32_t)a.stride;
    K *hashes = reinterpret_cast<K *>(to);
#pragma unroll
    for (int i = 0; i < BOSC_HASH_WIDTH; i++)
        hashes[i] = at[i] ? part.hashes[at[i] - 1] : hash_filler<K>(part.number, a.part_bits);
    if constexpr (hash_valued<P>) {
        const uint32_t size = (uint32_t)a.value_bytes;
        to += BOSC_HASH_WIDTH * sizeof(K);
        for (int i = 0; i < BOSC_HASH_WIDTH; i++) {
            const unsigned char *from = nullptr;
            if (at[i]) {
                const P *payload = &part.payload[at[i] - 1];
                from = a.values ? a.values + (size_t)*payload * size : reinterpret_cast<const unsigned char *>(payload);
            }
            for (uint32_t b = 0; b < size; b++) to[(uint32_t)i * size + b] = from ? from[b] : 0;
        }
        const uint32_t used = BOSC_HASH_WIDTH * size, room = (uint32_t)a.stride - BOSC_HASH_WIDTH * (uint32_t)sizeof(K);
        for (uint32_t b = used; b < room; b++) to[b] = 0;
    }
}

/* Tells the report of a part. Thread 0 calls it. */
template <class K, class P, bool SHARED, int THREADS, bool PICKS>
static __device__ void fill_tell(const fill_part<K, P, SHARED, THREADS, PICKS> &part, const fill_talk<THREADS> &talk,
                                 const fill_args<K, P> &a, bool filled)
{
    if (!filled) {
        if (talk.repeats) bi_store_relaxed(&a.report->repeats, 1u);
        return;
    }
    a.parts[part.number].buckets_seed = part.buckets << BOSC_HASH_SEED_BITS | part.seed;
    if (part.seed == BOSC_HASH_LINEAR)
        atomicAdd(&a.report->linear, 1u);
    else if (part.seed > 0)
        atomicAdd(&a.report->reseeded, 1u);
    if (talk.second) atomicAdd(reinterpret_cast<unsigned long long *>(&a.report->second), talk.second);
}

#endif
