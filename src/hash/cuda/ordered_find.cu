/* Look-ups in ORDERED tables on CUDA, for pairs without padding: a group of one, two or four lanes compares the
 * slots from the home on, 32 bytes a lane, window by window. Few queries get more lanes: their time is that of the
 * query with most windows, and of fetching the code, which is kept short. Many queries get fewer lanes, and read
 * less. */
#include "hash/cuda/ordered.cuh"
#include "hash/cuda/bucketed.cuh"
#include "hash/slots.h"

enum {
    FIND_THREADS = 128 /* measured: 32, 64 and 256 differ by 3 % */,
    SECTOR = 32 /* bytes that a cache reads at once */
};
/* Maximum of queries with four lanes each, and with two; measured: of 2^23 queries one lane takes 182 us, two 197. */
#ifdef BI_EMULATE /* so that the sizes of tests run these forms too */
enum { MAX_FOUR_LANES = 1 << 8, MAX_TWO_LANES = 1 << 11 };
#else
enum { MAX_FOUR_LANES = 1 << 15, MAX_TWO_LANES = 1 << 20 };
#endif

template <class K, class P> struct ordered_find_args {
    const ordered_pair<K, P> *slots;
    const K *queries;
    P *values;      /* may be NULL */
    uint8_t *found; /* may be NULL */
    uint64_t seed;
    uint32_t homes, slot_count; /* homes is not 0 */
    uint32_t query_count;
};

/* State of a lane in the search of its group for a key. */
template <class K, class P, int LANES> struct ordered_search {
    enum { PAIR = sizeof(ordered_pair<K, P>), SLOTS = SECTOR / PAIR /* slots of a lane */, WINDOW = LANES * SLOTS };
    K hash;
    P value;
    uint32_t first;    /* first slot of the group's window */
    bool found, ended; /* found: in this lane's slots; ended: no later slot can hold the key */

    __device__ __forceinline__ void start(const ordered_find_args<K, P> &a, K key)
    {
        hash = bi_hash_key_hash(key, a.seed);
        first = ordered_home(hash, a.homes) & ~(uint32_t)(SLOTS - 1);
        value = P();
        found = ended = false;
    }
    /* True if the search continues: the window has the home or slots behind it, and not the last slot. */
    __device__ __forceinline__ bool has_next_window(const ordered_find_args<K, P> &a) const
    {
        return !ended && first + WINDOW < a.slot_count;
    }
    /* Compares the lane's slots, and moves the window on. If the last slot's hash is less, so are those of all slots
     * from the home up to it: behind an empty slot or a greater hash there are no lesser ones. So the last slot
     * alone decides whether the search ends. */
    __device__ __forceinline__ void compare(const ordered_find_args<K, P> &a)
    {
        union {
            ordered_pair<K, P> pairs[SLOTS];
            uint4 pieces[SECTOR / 16];
        };
        const uint4 *from = reinterpret_cast<const uint4 *>(a.slots + first + threadIdx.x % LANES * SLOTS);
#pragma unroll
        for (int i = 0; i < SECTOR / 16; i++) pieces[i] = __ldg(from + i);
#pragma unroll
        for (int i = 0; i < SLOTS; i++) {
            if (!bi_hash_key_same(pairs[i].hash, hash)) continue;
            found = true;
            if constexpr (bi_hash_has_value<P>) value = pairs[i].payload;
        }
        ended = !bi_hash_key_less(pairs[SLOTS - 1].hash, hash);
        first += WINDOW;
    }
    /* Handles the cases that windows leave: near the last slot, and the greatest hash, which empty slots hold and
     * whose pair has the last slot. */
    __device__ __forceinline__ void resolve_rest(const ordered_find_args<K, P> &a)
    {
        const bool greatest = ordered_is_greatest(hash);
        if (ended && !greatest) return;
        uint32_t slot = greatest ? a.slot_count - 1 : max(first, ordered_home(hash, a.homes));
        while (bi_hash_key_less(a.slots[slot].hash, hash) && !greatest) slot++;
        const ordered_pair<K, P> pair = a.slots[slot];
        found = bi_hash_key_same(pair.hash, hash);
        value = P();
        if constexpr (bi_hash_has_value<P>)
            if (found) value = pair.payload;
    }
};

/* Answers queries, by a group of LANES lanes each. */
template <class K, class P, int LANES>
static __global__ void __launch_bounds__(FIND_THREADS) bi_hash_find_ordered(const ordered_find_args<K, P> a)
{
    const uint32_t i = (blockIdx.x * (uint32_t)FIND_THREADS + threadIdx.x) / LANES, lane = threadIdx.x % 32;
    const uint32_t group = ((1u << LANES) - 1) << lane / LANES * LANES;
    ordered_search<K, P, LANES> search;
    /* 1. Search window by window; the lanes of a group agree on the end, and all lanes of a warp stay together. */
    search.start(a, a.queries[i < a.query_count ? i : a.query_count - 1]);
    do {
        if (search.has_next_window(a)) search.compare(a);
        search.ended = __ballot_sync(~0u, search.ended) & group;
    } while (__any_sync(~0u, search.has_next_window(a)));
    /* 2. One lane of the group writes the answer: one that has found the key, else the first. */
    const uint32_t finders = __ballot_sync(~0u, search.found) & group, writers = finders ? finders : group;
    search.resolve_rest(a);
    if (i >= a.query_count || (writers & (0 - writers)) != 1u << lane) return; /* the first writer */
    if constexpr (bi_hash_has_value<P>)
        if (a.values) __stcs(&a.values[i], search.value);
    if (a.found) a.found[i] = search.found;
}

template <int LANES, class K, class P> static bosc_status launch_lanes(bosc_ctx *ctx, const ordered_find_args<K, P> &a)
{
    const auto kernel = bi_hash_find_ordered<K, P, LANES>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(a.query_count, FIND_THREADS / LANES), FIND_THREADS, 0, a);
}

template <class K, class P>
static bosc_status launch_find(bosc_ctx *ctx, const bi_hash_slots_find *find, int64_t query_count)
{
    const bosc_hash_slots_view *v = &find->view;
    const ordered_find_args<K, P> a = {(const ordered_pair<K, P> *)v->slots,
                                       (const K *)find->queries,
                                       (P *)find->values,
                                       find->found,
                                       v->seed,
                                       v->homes,
                                       (uint32_t)find->slots,
                                       (uint32_t)query_count};
    if (query_count <= MAX_FOUR_LANES) return launch_lanes<4>(ctx, a);
    return query_count <= MAX_TWO_LANES ? launch_lanes<2>(ctx, a) : launch_lanes<1>(ctx, a);
}

bosc_status bi_hash_find_ordered_cuda(bosc_ctx *ctx, const bi_hash_slots_find *find, int64_t query_count,
                                      enum bi_hash_find_outcome *outcome)
{
    const int32_t key = find->view.key_bits / 8, value = find->view.value_size;
    const bool supported = find->view.homes && query_count && key <= 8 && (value == 0 || value == key) &&
                           query_count <= INT32_MAX &&
                           find->slots < UINT32_MAX - 4 * SECTOR; /* and the slot behind a window */
    *outcome = supported ? BI_HASH_FIND_LAUNCHED : BI_HASH_FIND_UNSUPPORTED;
    if (!supported) return BOSC_OK;
    if (key == 4 && value) return launch_find<uint32_t, uint32_t>(ctx, find, query_count);
    if (key == 4) return launch_find<uint32_t, bi_hash_no_value>(ctx, find, query_count);
    if (value) return launch_find<uint64_t, uint64_t>(ctx, find, query_count);
    return launch_find<uint64_t, bi_hash_no_value>(ctx, find, query_count);
}
