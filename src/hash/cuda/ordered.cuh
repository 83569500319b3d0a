/* Ordered tables on CUDA, in shared memory: a block lays out a range of homes. It counts the pairs of each home, finds
 * by a scan where the pairs of each begin, places them, and puts those of one home in order. Homes at which a range
 * begins may be taken by the pairs of ranges before it: how far those reach is a composition of functions
 * x -> max(reach, x + pairs), one of each range, which the blocks tell each other (as in decoupled look-back: Merrill
 * and Garland, Single-pass Parallel Prefix Scan (2016)). The order in which threads come by does not show. Sources:
 * Gonnet and Munro, The Analysis of Linear Probing Sort (1984); Blelloch and Golovin, Strongly History-Independent
 * Hashing with Applications (2007). */
#ifndef BI_HASH_CUDA_ORDERED_CUH
#define BI_HASH_CUDA_ORDERED_CUH

#include "hash/cuda/bucketed.cuh"
#include "hash/steps/slot_store.h"

/* A pair on its way. */
template <class K, class P> struct alignas(sizeof(K) == sizeof(P) ? 2 * sizeof(K) : 8) ordered_pair {
    K hash;
    P payload;
};
template <class K> struct ordered_pair<K, bi_hash_no_value> {
    K hash;
};

/* Words between counts that many blocks add to: in sectors of their own the cache serves them at once. */
static constexpr uint32_t ORDERED_APART = 8;

template <class K, class P> struct ordered_args {
    const K *keys;               /* (n) */
    const P *payload;            /* (n) the values; NULL: the payload is row numbers */
    const unsigned char *values; /* then, those that the rows name; else NULL */
    uint32_t n;
    uint64_t seed;
    unsigned char *table;
    uint64_t *descriptors;
    int32_t stride, value_bytes;
    uint32_t homes, slots;
    uint32_t blocks, block_homes; /* that lay out homes, and how many of them each */
    uint32_t beyond;              /* slots behind its homes that a block may fill */
    uint32_t block_pairs;         /* that a block may have */
    ordered_pair<K, P> *pairs;    /* (blocks x block_pairs) by block */
    unsigned long long *reached;  /* (blocks) how far each one's pairs reach; 0: not known yet */
    unsigned long long *done;     /* counts of the blocks so far; 0 before and after a build */
    unsigned *counts;             /* (blocks, ORDERED_APART apart) pairs dealt to each; 0 before and after */
    unsigned *arrived;            /* at the grid's barrier, or blocks that have begun; 0 before and after */
    unsigned long long *told;
};

/* x -> max(reach, x + pairs): where the pairs behind a range of homes begin at least, if those of the range begin at x
 * at least. */
struct ordered_reach {
    int reach, pairs;
};
static constexpr int ORDERED_NOWHERE = -(1 << 28); /* the reach of no pairs */

static __device__ __forceinline__ ordered_reach ordered_then(ordered_reach a, ordered_reach b)
{
    return {max(b.reach, a.reach + b.pairs), a.pairs + b.pairs};
}

/* The reach of the lanes up to this one, and of those before it. */
static __device__ __forceinline__ ordered_reach ordered_warp_scan(ordered_reach mine, ordered_reach *before)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const ordered_reach left = {__shfl_up_sync(~0u, mine.reach, d), __shfl_up_sync(~0u, mine.pairs, d)};
        if (lane >= d) mine = ordered_then(left, mine);
    }
    *before = {__shfl_up_sync(~0u, mine.reach, 1), __shfl_up_sync(~0u, mine.pairs, 1)};
    if (lane == 0) *before = {ORDERED_NOWHERE, 0};
    return mine;
}

template <int THREADS> struct ordered_shared {
    ordered_reach warps[THREADS / 32];
    uint32_t extra, failed; /* sums over the block */
    uint32_t greatest;      /* how many pairs have the greatest hash */
    uint32_t range;         /* of homes, that the block lays out */
};

/* The reach of the threads before this one, and of all. One barrier. */
template <int THREADS>
static __device__ __forceinline__ ordered_reach ordered_block_scan(ordered_reach mine, ordered_shared<THREADS> &sh,
                                                                   ordered_reach *all)
{
    constexpr unsigned WARPS = THREADS / 32;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const ordered_reach none = {ORDERED_NOWHERE, 0};
    ordered_reach before, warps_before;
    const ordered_reach upto = ordered_warp_scan(mine, &before);
    if (lane == 31) sh.warps[warp] = upto;
    __syncthreads();
    const ordered_reach warps = ordered_warp_scan(lane < WARPS ? sh.warps[lane] : none, &warps_before);
    *all = {__shfl_sync(~0u, warps.reach, WARPS - 1), __shfl_sync(~0u, warps.pairs, WARPS - 1)};
    return ordered_then({__shfl_sync(~0u, warps_before.reach, warp), __shfl_sync(~0u, warps_before.pairs, warp)},
                        before);
}

/* What blocks tell each other: bit 63, the pairs, and the reach from the block's first home on. */
static __device__ __forceinline__ unsigned long long ordered_word(ordered_reach r)
{
    return 1ull << 63 | (unsigned long long)r.pairs << 32 | (uint32_t)r.reach;
}

/* How far the ranges before this one reach, from its first home on: each thread waits for one of them at a time. All
 * threads call it; a barrier comes last. */
template <int THREADS, class A> static __device__ int ordered_reached(const A &a, ordered_shared<THREADS> &sh)
{
    ordered_reach all = {ORDERED_NOWHERE, 0};
    for (uint32_t from = 0; from < sh.range; from += THREADS) {
        ordered_reach mine = {ORDERED_NOWHERE, 0}, some;
        const uint32_t range = from + threadIdx.x;
        if (range < sh.range) {
            unsigned long long word;
            while (!(word = bi_load_relaxed(&a.reached[range]))) __nanosleep(20);
            mine = {(int)(uint32_t)word - (int)((sh.range - range) * a.block_homes), (int)(word >> 32 & INT32_MAX)};
        }
        ordered_block_scan(mine, sh, &some);
        all = ordered_then(all, some);
        __syncthreads();
    }
    return all.reach;
}

/* Where the parts of a block's shared memory begin; the pairs in their slots are at 0. */
template <class K, class P> struct ordered_memory {
    ordered_pair<K, P> *pairs; /* (block_homes + beyond) by slot, from the first home on */
    uint32_t *counts, *begins; /* (block_homes) of each home: its pairs, and their first slot */
    uint16_t *homes;           /* (block_homes + beyond) 1 + the home of the pair in the slot; 0: it is empty */

    __device__ __forceinline__ ordered_memory(const ordered_args<K, P> &a, unsigned char *memory)
    {
        const uint32_t slots = a.block_homes + a.beyond;
        pairs = reinterpret_cast<ordered_pair<K, P> *>(memory);
        counts = reinterpret_cast<uint32_t *>(pairs + slots);
        begins = counts + a.block_homes;
        homes = reinterpret_cast<uint16_t *>(begins + a.block_homes);
    }
    static size_t bytes(const ordered_args<K, P> &a)
    {
        const size_t slots = (size_t)a.block_homes + a.beyond;
        return slots * (sizeof(ordered_pair<K, P>) + 2) + (size_t)a.block_homes * 8;
    }
};

template <class K> static __device__ __forceinline__ uint32_t ordered_home(K hash, uint32_t homes)
{
    return bosc_hash_home(bi_hash_key_word(hash), bi_hash_key_bits<K>, homes);
}
template <class K> static __device__ __forceinline__ bool ordered_is_greatest(K hash)
{
    return bi_hash_same(bi_hash_key_word(hash), bosc_hash_greatest(bi_hash_key_bits<K>));
}

template <class K, class P>
static __device__ __forceinline__ ordered_pair<K, P> ordered_read(const ordered_args<K, P> &a, uint32_t i)
{
    ordered_pair<K, P> pair;
    pair.hash = bi_hash_key_hash(a.keys[i], a.seed);
    if constexpr (bi_hash_has_value<P>) pair.payload = a.payload ? a.payload[i] : (P)i;
    return pair;
}

/* Writes a slot of the table, without a value if it is empty. */
template <class K, class P>
static __device__ __forceinline__ void ordered_write(const ordered_args<K, P> &a, uint32_t slot,
                                                     const ordered_pair<K, P> &pair, bool empty)
{
    unsigned char *to = a.table + (size_t)slot * (uint32_t)a.stride;
    if constexpr (bi_hash_has_value<P> && sizeof(K) == sizeof(P)) { /* the table's slots are pairs */
        if (!a.values) {
            ordered_pair<K, P> out = pair;
            if (empty) out.payload = 0;
            *reinterpret_cast<ordered_pair<K, P> *>(to) = out;
            return;
        }
    }
    const void *value = nullptr;
    if constexpr (bi_hash_has_value<P>) {
        if (!empty) value = &pair.payload;
        if (!empty && a.values) value = a.values + (size_t)pair.payload * (uint32_t)a.value_bytes;
    }
    bi_hash_store(to, bi_hash_key_bits<K>, 0, bi_hash_key_word(pair.hash));
    bi_hash_copy_value(to + sizeof(K), value, a.value_bytes);
    for (int32_t i = (int32_t)sizeof(K) + a.value_bytes; i < a.stride; i++) to[i] = 0;
}

/* An empty slot. */
template <class K, class P>
static __device__ __forceinline__ void ordered_clear(const ordered_args<K, P> &a, uint32_t slot)
{
    ordered_pair<K, P> pair = {};
    if (slot != a.slots - 1) pair.hash = bi_hash_key_from<K>::word(bosc_hash_greatest(bi_hash_key_bits<K>));
    ordered_write(a, slot, pair, true);
}

/* Clears what a block counts in. A barrier follows. */
template <class K, class P, int THREADS>
static __device__ void ordered_prepare(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                       ordered_shared<THREADS> &sh)
{
    for (uint32_t i = threadIdx.x; i < a.block_homes; i += THREADS) m.counts[i] = 0;
    for (uint32_t i = threadIdx.x; i < a.block_homes + a.beyond; i += THREADS) m.homes[i] = 0;
    if (threadIdx.x == 0) sh.extra = sh.failed = sh.greatest = 0;
}

/* From counts to the first slot of each home, once it is known how far earlier ranges reach. *begin gets the first slot
 * that those leave, from the range's first home on; the result is the one behind the pairs of this one. A barrier comes
 * first, one last. */
template <class K, class P, int THREADS>
static __device__ int ordered_find_begins(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                          ordered_shared<THREADS> &sh, int *begin)
{
    const uint32_t each = (a.block_homes + THREADS - 1) / THREADS;
    const uint32_t from = min(threadIdx.x * each, a.block_homes), to = min(from + each, a.block_homes);
    ordered_reach mine = {ORDERED_NOWHERE, 0}, all;
    __syncthreads();
    for (uint32_t i = from; i < to; i++)
        if (m.counts[i]) mine = ordered_then(mine, {(int)(i + m.counts[i]), (int)m.counts[i]});
    const ordered_reach before = ordered_block_scan(mine, sh, &all);
    if (threadIdx.x == 0) bi_store_relaxed(&a.reached[sh.range], ordered_word(all));
    __syncthreads();
    *begin = max(ordered_reached(a, sh), 0);
    int next = max(before.reach, *begin + before.pairs);
    for (uint32_t i = from; i < to; i++) {
        next = max(next, (int)i);
        m.begins[i] = (uint32_t)next;
        next += (int)m.counts[i];
    }
    __syncthreads();
    return max(all.reach, *begin + all.pairs);
}

/* The slot of a pair that stands in slot i, once those of its home are in order. Two of one hash fail. */
template <class K, class P>
static __device__ __forceinline__ uint32_t ordered_slot_of(const ordered_memory<K, P> &m, uint32_t i, bool *failed)
{
    const uint32_t home = m.homes[i] - 1u, count = m.counts[home];
    if (count == 1) return i;
    uint32_t slot = m.begins[home];
    const K hash = m.pairs[i].hash;
    for (uint32_t j = m.begins[home], end = j + count; j < end; j++) {
        const bool same = j != i && bi_hash_key_same(m.pairs[j].hash, hash);
        slot += bi_hash_key_less(m.pairs[j].hash, hash) || (same && j < i);
        *failed |= same;
    }
    return slot;
}

/* Writes the block's slots of the table, from the first one that earlier blocks leave to where its pairs or its homes
 * end. Returns whether two pairs have one hash. */
template <class K, class P, int THREADS>
static __device__ bool ordered_write_slots(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                           const ordered_shared<THREADS> &sh, int begin, int end)
{
    const uint32_t first = sh.range * a.block_homes;
    const bool last = sh.range == a.blocks - 1;
    const uint32_t stop = last ? a.slots - first : (uint32_t)max((int)a.block_homes, end);
    bool failed = false;
    for (uint32_t i = (uint32_t)begin + threadIdx.x; i < stop; i += THREADS) {
        if (i < a.block_homes + a.beyond && m.homes[i])
            ordered_write(a, first + ordered_slot_of(m, i, &failed), m.pairs[i], false);
        else if (first + i < a.slots - 1 || !sh.greatest)
            ordered_clear(a, first + i);
    }
    return failed;
}

/* Lays out the block's homes and writes their slots. read(k, pair): this thread's pair k of PAIRS, if there is one.
 * sh.extra gets the sum of the slots between pairs and their homes; sh.failed: not 0 if it could not be done, or the
 * block had failed before. All threads call it, after a barrier; a barrier comes last. */
template <int PAIRS, class K, class P, int THREADS, class R>
static __device__ void ordered_lay_out(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                       ordered_shared<THREADS> &sh, const R &read, bool failed)
{
    const uint32_t first = sh.range * a.block_homes;
    ordered_pair<K, P> pair[PAIRS];
    uint32_t home[PAIRS], rank[PAIRS], extra = 0;
    bool here[PAIRS];
#pragma unroll
    for (int k = 0; k < PAIRS; k++) here[k] = read(k, pair[k]);
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        if (!here[k]) continue;
        if (ordered_is_greatest(pair[k].hash)) { /* it has the last slot */
            here[k] = false;
            if (atomicAdd(&sh.greatest, 1u) == 0)
                ordered_write(a, a.slots - 1, pair[k], false);
            else
                failed = true;
            continue;
        }
        home[k] = ordered_home(pair[k].hash, a.homes) - first;
        rank[k] = atomicAdd(&m.counts[home[k]], 1u);
    }
    int begin;
    const int end = ordered_find_begins(a, m, sh, &begin);
    const uint32_t room = min(a.block_homes + a.beyond, a.slots - 2 - first);
    failed |= sh.greatest && (uint32_t)end >= a.slots - 2 - first; /* it counts among those pushed on */
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        if (!here[k]) continue;
        const uint32_t slot = m.begins[home[k]] + rank[k];
        failed |= slot >= room;
        if (slot >= room) continue;
        m.pairs[slot] = pair[k];
        m.homes[slot] = (uint16_t)(home[k] + 1);
        extra += slot - home[k];
    }
    extra = bi_warp_sum(extra);
    if (threadIdx.x % 32 == 0) atomicAdd(&sh.extra, extra);
    const bool full = __syncthreads_or(failed) != 0; /* then homes may lack pairs that were counted */
    failed = full || ordered_write_slots(a, m, sh, begin, end);
    if (failed) atomicOr(&sh.failed, 1u);
    __syncthreads();
}

#endif
