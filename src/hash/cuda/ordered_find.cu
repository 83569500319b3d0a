/* Look-ups in ordered tables on CUDA, of pairs that have no gaps: one, two or four lanes compare the slots from the
 * home on, each those of 32 bytes, and go on as long as they must. Few queries take as long as the one that waits most
 * often, and as it takes to fetch the code, which is kept short: they have more lanes. Many have fewer, and read less.
 */
#include "hash/cuda/ordered.cuh"
#include "hash/cuda/slots.cuh"

enum { FIND_THREADS = 128, SECTOR = 32 /* bytes that the cache reads at once */ };
/* The most queries that have four lanes each, or two. */
#ifdef BOSC_EMULATOR /* so that the sizes of tests take these ways too */
enum { FOUR_LANES = 1 << 8, TWO_LANES = 1 << 11 };
#else
enum { FOUR_LANES = 1 << 15, TWO_LANES = 1 << 20 };
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

/* What a lane knows of its group's key. */
template <class K, class P, int LANES> struct ordered_search {
    enum { PAIR = sizeof(ordered_pair<K, P>), SLOTS = SECTOR / PAIR /* of a lane */, WINDOW = LANES * SLOTS };
    K hash;
    P value;
    uint32_t first;    /* slot of the group's window */
    bool found, ended; /* found: in this lane's slots */

    __device__ __forceinline__ void begin(const ordered_find_args<K, P> &a, K key)
    {
        hash = bi_hash_key_hash(key, a.seed);
        first = ordered_home(hash, a.homes) & ~(uint32_t)(SLOTS - 1);
        value = P();
        found = ended = false;
    }
    /* The window has the home or slots behind it, and not the last slot. */
    __device__ __forceinline__ bool goes_on(const ordered_find_args<K, P> &a) const
    {
        return !ended && first + WINDOW < a.slot_count;
    }
    /* If the hash of a lane's last slot is less, so are those of all slots from the home to there: a search that ends
     * before it ends at an empty slot or a greater hash, and behind those are no lesser ones. */
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
    /* What windows do not tell: near the last slot, and of the hash that empty slots have, whose pair has that slot. */
    __device__ __forceinline__ void finish(const ordered_find_args<K, P> &a)
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

template <class K, class P, int LANES>
static __global__ void __launch_bounds__(FIND_THREADS) bi_hash_find_ordered(const ordered_find_args<K, P> a)
{
    const uint32_t i = (blockIdx.x * (uint32_t)FIND_THREADS + threadIdx.x) / LANES, lane = threadIdx.x % 32;
    const uint32_t group = ((1u << LANES) - 1) << lane / LANES * LANES;
    ordered_search<K, P, LANES> search;
    search.begin(a, a.queries[i < a.query_count ? i : a.query_count - 1]);
    do {
        if (search.goes_on(a)) search.compare(a);
        search.ended = __ballot_sync(~0u, search.ended) & group;
    } while (__any_sync(~0u, search.goes_on(a)));
    const uint32_t finders = __ballot_sync(~0u, search.found) & group, writers = finders ? finders : group;
    search.finish(a);
    if (i >= a.query_count || (writers & (0 - writers)) != 1u << lane) return; /* the first of them writes */
    if constexpr (bi_hash_has_value<P>)
        if (a.values) __stcs(&a.values[i], search.value);
    if (a.found) a.found[i] = search.found;
}

template <int LANES, class K, class P> static bosc_status run_lanes(bosc_ctx *ctx, const ordered_find_args<K, P> &a)
{
    const auto kernel = bi_hash_find_ordered<K, P, LANES>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(a.query_count, FIND_THREADS / LANES), FIND_THREADS, 0, a);
}

template <class K, class P> static bosc_status run(bosc_ctx *ctx, const bi_hash_slots_find *find, int64_t query_count)
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
    if (query_count <= FOUR_LANES) return run_lanes<4>(ctx, a);
    return query_count <= TWO_LANES ? run_lanes<2>(ctx, a) : run_lanes<1>(ctx, a);
}

bosc_status bi_hash_find_ordered_cuda(bosc_ctx *ctx, const bi_hash_slots_find *find, int64_t query_count, bool *done)
{
    const int32_t key = find->view.key_bits / 8, value = find->view.value_size;
    *done = find->view.homes && query_count && key <= 8 && (value == 0 || value == key) && query_count <= INT32_MAX &&
            find->slots < UINT32_MAX - 4 * SECTOR; /* and the slot behind a window */
    if (!*done) return BOSC_OK;
    if (key == 4 && value) return run<uint32_t, uint32_t>(ctx, find, query_count);
    if (key == 4) return run<uint32_t, bi_hash_no_value>(ctx, find, query_count);
    if (value) return run<uint64_t, uint64_t>(ctx, find, query_count);
    return run<uint64_t, bi_hash_no_value>(ctx, find, query_count);
}
