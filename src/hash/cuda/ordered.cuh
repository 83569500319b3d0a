/* ORDERED tables on CUDA, in shared memory: a block lays out a range of homes.
 * 1. Count the pairs of each home; a scan of the counts gives the first slot of each.
 * 2. Move the pairs to slots of their home, then rank those of one home by their hashes.
 * Pairs of earlier ranges may occupy the first homes of a range. The reach of a range is a function
 * x -> max(reach, x + pairs); these functions compose, and blocks publish theirs for a decoupled look-back (Merrill and
 * Garland, Single-pass Parallel Prefix Scan (2016)). The result does not depend on the order of threads. Sources:
 * Gonnet and Munro, The Analysis of Linear Probing Sort (1984); Blelloch and Golovin, Strongly History-Independent
 * Hashing with Applications (2007). */
#ifndef BI_HASH_CUDA_ORDERED_CUH
#define BI_HASH_CUDA_ORDERED_CUH

#include "hash/cuda/bucketed.cuh"
#include "hash/steps/slot_store.h"

/* A hash and its payload. */
template <class K, class P> struct alignas(sizeof(K) == sizeof(P) ? 2 * sizeof(K) : 8) ordered_pair {
    K hash;
    P payload;
};
template <class K> struct ordered_pair<K, bi_hash_no_value> {
    K hash;
};

template <class K, class P> struct ordered_args {
    const K *keys;               /* (n) */
    const P *payload;            /* (n) the values; NULL: the payload is row numbers */
    const unsigned char *values; /* (rows) values that the payload names; NULL: the payload is the values */
    uint32_t n;
    uint64_t seed;
    unsigned char *table;
    uint64_t *descriptors;
    int32_t stride, value_bytes;
    uint32_t homes, slots;
    uint32_t share;              /* pairs that a block scatters */
    uint32_t range_homes;        /* homes that a block lays out, at most */
    uint32_t range_bits;         /* not 0: ranges are 2^range_bits equal parts of all hashes; 0: of range_homes homes */
    uint32_t beyond;             /* slots behind its homes that a block may fill */
    uint32_t reciprocal;         /* for ordered_range */
    uint32_t cell_lanes;         /* threads that read a cell: a power of two, 32 at most */
    uint32_t cell_pairs;         /* capacity of a cell */
    ordered_pair<K, P> *cells;   /* (ranges x blocks x cell_pairs) pairs of a range, by the block that scattered them */
    unsigned *cell_counts;       /* (ranges x blocks) 1 + pairs of a cell; 0 before and after a build */
    unsigned long long *reached; /* (ranges) 1 << 63 | reach of the range; 0: not published yet */
    unsigned long long *host_words;

    /* Returns the first home of a range. Where ranges are parts of all hashes, that is the home of its least hash, and
     * may have pairs of the range before too. */
    __device__ __forceinline__ uint32_t first_home(uint32_t range) const
    {
        return range_bits ? (uint32_t)((uint64_t)range * homes >> range_bits) : range * range_homes;
    }
};

/* Returns the arguments that do not depend on the number of keys. rows: the payload is row numbers. */
template <class K, class P>
static ordered_args<K, P> ordered_args_of(const bosc_hash *h, const void *keys, const void *values, bool rows,
                                          int64_t n)
{
    const bosc_hash_slots_view view = bi_hash_slots_view_of(h, n);
    ordered_args<K, P> a = {};
    a.keys = (const K *)keys;
    a.payload = rows ? NULL : (const P *)values;
    a.values = rows ? (const unsigned char *)values : NULL;
    a.n = (uint32_t)n;
    a.seed = view.seed;
    a.table = (unsigned char *)h->blocks[BI_HASH_TABLE].data;
    a.descriptors = (uint64_t *)h->blocks[BI_HASH_DESCRIPTORS].data;
    a.stride = view.stride;
    a.value_bytes = view.value_size;
    return a;
}

/* The function x -> max(reach, x + pairs): the first slot behind a range of homes, if the pairs before it end at x.
 * Stored as reach << 16 | pairs, since a block has less than 2^16 slots; 0 is the identity, of no pairs.
 * compose_reach applies a, then b. */
static __device__ __forceinline__ uint32_t compose_reach(uint32_t a, uint32_t b)
{
    const uint32_t behind_a = (a & 0xffff0000u) + (b << 16);
    return max(b & 0xffff0000u, behind_a) | ((a + b) & 0xffff);
}
static __device__ __forceinline__ uint32_t apply_reach(uint32_t x, uint32_t reach)
{
    return max(reach >> 16, x + (reach & 0xffff));
}

/* Returns the composed reach of the lanes up to this one. */
static __device__ __forceinline__ uint32_t ordered_warp_scan(uint32_t own)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const uint32_t left = __shfl_up_sync(~0u, own, d);
        if (lane >= d) own = compose_reach(left, own);
    }
    return own;
}

template <int THREADS> struct ordered_shared {
    uint32_t warps[THREADS / 32];
    uint32_t begin;    /* slots at the range's first homes that earlier ranges occupy */
    uint32_t extra;    /* sum of the distances of pairs from their homes */
    uint32_t greatest; /* number of pairs with the greatest hash */
};

/* Returns the composed reach of the threads before this one; *all: of all threads. One barrier. */
template <int THREADS>
static __device__ __forceinline__ uint32_t ordered_block_scan(uint32_t own, ordered_shared<THREADS> &sh, uint32_t *all)
{
    constexpr unsigned WARPS = THREADS / 32;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t upto = ordered_warp_scan(own);
    if (lane == 31) sh.warps[warp] = upto;
    const uint32_t left = __shfl_up_sync(~0u, upto, 1);
    __syncthreads(); /* the reaches of all warps are there */
    const uint32_t warps = ordered_warp_scan(lane < WARPS ? sh.warps[lane] : 0);
    const uint32_t lower_warps = __shfl_sync(~0u, warps, warp ? warp - 1 : 0);
    *all = __shfl_sync(~0u, warps, WARPS - 1);
    return compose_reach(warp ? lower_warps : 0, lane ? left : 0);
}

/* Returns the reach of the ranges before this one, counted from its first home. Stops at a range with enough empty
 * slots: pairs from before it reach at most `beyond` slots into it, or the build fails, and change nothing. */
template <class A> static __device__ uint32_t ordered_look_back(const A &a, unsigned own)
{
    const uint32_t first = a.first_home(own);
    int reach = 0, pairs = 0;
    for (unsigned range = own; range > 0;) {
        range--;
        const int home = -(int)(first - a.first_home(range));
        unsigned long long word;
        while (!(word = bi_load_relaxed(&a.reached[range]))) __nanosleep(20);
        reach = max(reach, home + (int)((uint32_t)word >> 16) + pairs);
        pairs += (int)(word & 0xffff);
        if (home + (int)a.beyond + pairs <= reach) break;
    }
    return (uint32_t)reach;
}

/* The parts of a block's shared memory; the pairs in their slots are at 0. */
template <class K, class P> struct ordered_memory {
    ordered_pair<K, P>
        *pairs;             /* (range_homes + beyond) by slot, from the first home on; before, the pairs to scatter */
    uint32_t *homes;        /* (range_homes) number of pairs of each home; later first slot | number << 16 */
    unsigned range, ranges; /* the number of the range that the block lays out, and of all ranges */
    uint32_t first;         /* its first home */
    uint32_t own_homes;     /* homes up to the first one of the next range */
    uint32_t used_homes;    /* homes that its pairs may have: that one too if ranges are parts of all hashes */

    __device__ __forceinline__ ordered_memory(const ordered_args<K, P> &a, unsigned char *memory,
                                              unsigned own = blockIdx.x, unsigned all = gridDim.x)
    {
        range = own;
        ranges = all;
        first = a.first_home(own);
        own_homes = a.range_bits ? a.first_home(own + 1) - first : a.range_homes;
        used_homes = a.range_bits ? own_homes + (own + 1 < all) : min(a.range_homes, a.homes - first);
        pairs = reinterpret_cast<ordered_pair<K, P> *>(memory);
        homes = reinterpret_cast<uint32_t *>(pairs + a.range_homes + a.beyond);
    }
    static size_t bytes(const ordered_args<K, P> &a)
    {
        return ((size_t)a.range_homes + a.beyond) * sizeof(ordered_pair<K, P>) + (size_t)a.range_homes * 4;
    }
};

template <class K> static __device__ __forceinline__ uint32_t ordered_home(K hash, uint32_t homes)
{
    return bosc_hash_home(bi_hash_key_word(hash), bi_hash_key_bits<K>, homes);
}
template <class K> static __device__ __forceinline__ K ordered_greatest()
{
    return bi_hash_key_from<K>::word(bosc_hash_greatest(bi_hash_key_bits<K>));
}
template <class K> static __device__ __forceinline__ bool ordered_is_greatest(K hash)
{
    return bi_hash_key_same(hash, ordered_greatest<K>());
}

template <class K, class P>
static __device__ __forceinline__ ordered_pair<K, P> ordered_read(const ordered_args<K, P> &a, uint32_t i)
{
    ordered_pair<K, P> pair;
    pair.hash = bi_hash_key_hash(a.keys[i], a.seed);
    if constexpr (bi_hash_has_value<P>) pair.payload = a.payload ? a.payload[i] : (P)i;
    return pair;
}

/* Writes a slot of the table; the value of an empty one is zeros. */
template <class K, class P>
static __device__ __forceinline__ void ordered_write(const ordered_args<K, P> &a, uint32_t slot,
                                                     ordered_pair<K, P> pair, bool empty)
{
    unsigned char *to = a.table + (size_t)slot * (uint32_t)a.stride;
    if constexpr (bi_hash_has_value<P> && sizeof(K) == sizeof(P)) { /* the table's slots are pairs */
        if (!a.values) {
            *reinterpret_cast<ordered_pair<K, P> *>(to) = pair;
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

/* Empties all slots and homes of a block. The caller adds a barrier. */
template <class K, class P, int THREADS>
static __device__ void ordered_clear(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                     ordered_shared<THREADS> &sh)
{
    ordered_pair<K, P> empty = {};
    empty.hash = ordered_greatest<K>();
    for (uint32_t i = threadIdx.x; i < a.range_homes + a.beyond; i += THREADS) m.pairs[i] = empty;
    for (uint32_t i = threadIdx.x; i < a.range_homes; i += THREADS) m.homes[i] = 0;
    if (threadIdx.x == 0) sh.extra = sh.greatest = 0;
}

/* A thread's pairs. at: NO_PAIR, or the pair's home | its rank among the pairs of the home << 16. */
template <class K, class P, int PAIRS> struct ordered_pairs {
    enum { NO_PAIR = ~0u };
    ordered_pair<K, P> pair[PAIRS];
    uint32_t at[PAIRS];
};

/* Counts the pairs of each home, and gets each pair's rank in it. A pair with the greatest hash goes to the last
 * slot. Returns true if there is more than one such pair. */
template <class K, class P, int PAIRS, int THREADS>
static __device__ __forceinline__ bool ordered_count(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                                     ordered_shared<THREADS> &sh, ordered_pairs<K, P, PAIRS> &own)
{
    bool failed = false;
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        if (own.at[k] == own.NO_PAIR) continue;
        if (ordered_is_greatest(own.pair[k].hash)) {
            own.at[k] = own.NO_PAIR;
            if (atomicAdd(&sh.greatest, 1u) == 0)
                ordered_write(a, a.slots - 1, own.pair[k], false);
            else
                failed = true;
            continue;
        }
        const uint32_t home = ordered_home(own.pair[k].hash, a.homes) - m.first;
        own.at[k] = home | atomicAdd(&m.homes[home], 1u) << 16;
    }
    return failed;
}

/* Turns counts into the first slot of each home, given the reach of earlier ranges. Returns the slot behind the
 * range's pairs, from its first home on; the caller compares it with the slots that the range may fill. A range that
 * exceeds them is published too, so that no later block waits forever. A barrier before the call completes the counts.
 * Several blocks all run at once, and each has zeroed its word of `reached`. A barrier comes last. */
template <class K, class P, int THREADS>
static __device__ __forceinline__ uint32_t ordered_find_begins(const ordered_args<K, P> &a,
                                                               const ordered_memory<K, P> &m,
                                                               ordered_shared<THREADS> &sh)
{
    const uint32_t homes = m.used_homes;
    const uint32_t each =
        (a.range_homes + THREADS - 1) / THREADS | 1; /* odd, so that lanes read from different banks */
    const uint32_t from = min(threadIdx.x * each, homes), to = min(from + each, homes);
    /* 1. Compute the reach of the thread's homes, and scan over the threads. */
    uint32_t next = 0, pairs = 0, all;
    for (uint32_t i = from; i < to; i++) {
        next = max(next, i) + m.homes[i];
        pairs += m.homes[i];
    }
    const uint32_t preceding = ordered_block_scan(next << 16 | pairs, sh, &all);
    /* 2. Publish the reach of the range, and look back for that of earlier ranges. */
    if (threadIdx.x == 0) {
        bi_store_relaxed(&a.reached[m.range], 1ull << 63 | all);
        sh.begin = ordered_look_back(a, m.range);
    }
    __syncthreads(); /* sh.begin is there */
    /* 3. Assign the first slot of each home. */
    next = apply_reach(sh.begin, preceding);
    for (uint32_t i = from; i < to; i++) {
        const uint32_t count = m.homes[i];
        next = max(next, i);
        m.homes[i] = next | count << 16;
        next += count;
    }
    __syncthreads(); /* all homes have their first slot */
    return apply_reach(sh.begin, all);
}

/* Writes the pairs to slots of their homes. */
template <class K, class P, int PAIRS, int THREADS>
static __device__ __forceinline__ void write_pairs_to_slots(const ordered_memory<K, P> &m, ordered_shared<THREADS> &sh,
                                                            const ordered_pairs<K, P, PAIRS> &own)
{
    uint32_t extra = 0;
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        if (own.at[k] == own.NO_PAIR) continue;
        const uint32_t home = own.at[k] & 0xffff, slot = (m.homes[home] & 0xffff) + (own.at[k] >> 16);
        m.pairs[slot] = own.pair[k];
        extra += slot - home;
    }
    extra = bi_warp_sum(extra);
    if (threadIdx.x % 32 == 0) atomicAdd(&sh.extra, extra);
}

/* Returns the final slot of the pair in slot i: its rank by hash among the pairs of its home. *failed: two have one
 * hash. */
template <class K, class P>
static __device__ __forceinline__ uint32_t ordered_slot_of(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                                           uint32_t i, K hash, bool *failed)
{
    const uint32_t home = m.homes[ordered_home(hash, a.homes) - m.first];
    const uint32_t count = home >> 16, begin = home & 0xffff;
    if (count == 1) return i;
    uint32_t slot = begin;
    for (uint32_t j = begin; j < begin + count; j++) {
        const K other = m.pairs[j].hash;
        const bool same = j != i && bi_hash_key_same(other, hash);
        slot += bi_hash_key_less(other, hash) || (same && j < i);
        *failed |= same;
    }
    return slot;
}

/* Writes the block's slots of the table, from the first one that earlier ranges leave to the end of its pairs or
 * homes. Returns true if two pairs have one hash. */
template <class K, class P, int THREADS>
static __device__ __forceinline__ bool ordered_write_slots(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                                           const ordered_shared<THREADS> &sh, uint32_t end)
{
    const uint32_t first = m.first;
    const bool last = m.range == m.ranges - 1;
    const uint32_t stop = last ? a.slots - 1 - first : max(m.own_homes, end);
    bool failed = false;
    for (uint32_t i = sh.begin + threadIdx.x; i < stop; i += THREADS) {
        const ordered_pair<K, P> pair = m.pairs[i];
        const bool empty = ordered_is_greatest(pair.hash);
        const uint32_t slot = empty ? i : ordered_slot_of(a, m, i, pair.hash, &failed);
        ordered_write(a, first + slot, pair, empty);
    }
    const ordered_pair<K, P> zero = {};
    if (last && threadIdx.x == 0 && !sh.greatest) ordered_write(a, a.slots - 1, zero, true);
    return failed;
}

/* Lays out the block's homes and writes their slots. sh.extra: sum of the distances of pairs from their homes.
 * Returns true if that failed, or the block had failed before. All threads call it, after a barrier; a barrier comes
 * last. */
template <class K, class P, int PAIRS, int THREADS>
static __device__ __forceinline__ bool ordered_lay_out(const ordered_args<K, P> &a, const ordered_memory<K, P> &m,
                                                       ordered_shared<THREADS> &sh, ordered_pairs<K, P, PAIRS> &own,
                                                       bool failed)
{
    failed |= ordered_count(a, m, sh, own);
    __syncthreads(); /* the counts of all homes are complete */
    const uint32_t end = ordered_find_begins(a, m, sh);
    /* The last slot is for the greatest hash, and the one before it stays empty. */
    const uint32_t room = min(a.range_homes + a.beyond, a.slots - 2 - m.first);
    /* A pair with the greatest hash counts as pushed on. If earlier ranges reach beyond their slots, the build fails:
     * this block then writes nothing, as later ones do not count its slots (ordered_look_back). */
    const bool fits = sh.begin <= a.beyond && end + (sh.greatest != 0) <= room;
    if (fits) write_pairs_to_slots(m, sh, own);
    const bool full = __syncthreads_or(failed || !fits) != 0; /* in that case homes may lack pairs that were counted */
    failed = full || ordered_write_slots(a, m, sh, end);
    return __syncthreads_or(failed) != 0;
}

enum { ORDERED_STATIC_SHARED = 2048 }; /* bound of the static shared memory of the kernels */

/* Allows a kernel the dynamic shared memory that it is launched with. *allowed: false if the device has less. */
template <class F> static bosc_status ordered_allow_shared(bosc_ctx *ctx, F kernel, size_t bytes, bool *allowed)
{
    const size_t most = bi_shared_bytes(ctx) - ORDERED_STATIC_SHARED;
    *allowed = bytes <= most;
    if (!*allowed || bytes + ORDERED_STATIC_SHARED <= BI_SHARED_PLAIN) return BOSC_OK;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
    return BOSC_OK;
}

#endif
