/* Look-ups in ordered tables on CUDA, of pairs that have no gaps: a thread reads windows of 32 bytes or four slots, as
 * long as it must. All keys of a thread go on to their next windows together, so that it waits once for all. */
#include "hash/cuda/ordered.cuh"
#include "hash/cuda/slots.cuh"

enum { FIND_THREADS = 128, SECTOR = 32 /* bytes that the cache reads at once */ };
enum { MOST_WINDOW = SECTOR / 4 /* slots */ };
enum { ONE_EACH = 1 << 15, TWO_EACH = 1 << 17 /* the most queries of which a thread has one, or two */ };

template <class K, class P> struct ordered_find_args {
    bosc_hash_slots_view view; /* homes is not 0 */
    uint32_t slots;            /* MOST_WINDOW + 2 or more behind the homes */
    const K *queries;
    int64_t query_count;
    P *values;      /* may be NULL */
    uint8_t *found; /* may be NULL */
};

/* A key that is looked up, and the slots that it is compared with. */
template <class K, class P> struct ordered_search {
    enum { PAIR = sizeof(ordered_pair<K, P>), SLOTS = SECTOR / PAIR < 4 ? 4 : SECTOR / PAIR };
    union {
        ordered_pair<K, P> pairs[SLOTS];
        uint4 pieces[SLOTS * PAIR / 16];
    };
    K hash;
    P value;
    uint32_t first; /* slot of the window */
    bool found, ended;

    __device__ __forceinline__ void begin(const ordered_find_args<K, P> &a, K key)
    {
        hash = bi_hash_key_hash(key, a.view.seed);
        first = ordered_home(hash, a.view.homes) & ~(uint32_t)(SECTOR / PAIR - 1);
        value = P();
        found = ended = false;
    }
    /* The window has the home or slots behind it, and not the last slot. */
    __device__ __forceinline__ bool goes_on(const ordered_find_args<K, P> &a) const
    {
        return !ended && first + SLOTS < a.slots;
    }
    __device__ __forceinline__ void load(const ordered_find_args<K, P> &a)
    {
        const unsigned char *from = a.view.slots + (size_t)first * PAIR;
#pragma unroll
        for (int i = 0; i < SLOTS * PAIR / 16; i++) pieces[i] = __ldg(reinterpret_cast<const uint4 *>(from) + i);
    }
    /* If the hash of the window's last slot is less, so are those of all slots from the home on: a search that ends
     * before it ends at an empty slot or a greater hash, and behind those are no lesser ones. */
    __device__ __forceinline__ void compare()
    {
#pragma unroll
        for (int i = 0; i < SLOTS; i++) {
            if (!bi_hash_key_same(pairs[i].hash, hash)) continue;
            found = true;
            if constexpr (bi_hash_has_value<P>) value = pairs[i].payload;
        }
        ended = !bi_hash_key_less(pairs[SLOTS - 1].hash, hash);
        first += SLOTS;
    }
    /* What windows do not tell: near the last slot, and of the hash that empty slots have. */
    __device__ __forceinline__ void finish(const ordered_find_args<K, P> &a)
    {
        if (ended && !ordered_is_greatest(hash)) return;
        const int64_t slot = bosc_hash_search_ordered(&a.view, bi_hash_key_word(hash));
        found = slot >= 0;
        value = P();
        if constexpr (bi_hash_has_value<P>)
            if (found) value = *static_cast<const P *>(bosc_hash_slots_value_at(&a.view, slot));
    }
};

template <class K, class P, int EACH>
static __global__ void __launch_bounds__(FIND_THREADS) bi_hash_find_ordered(const ordered_find_args<K, P> a)
{
    const int64_t begin = blockIdx.x * (int64_t)(FIND_THREADS * EACH) + threadIdx.x;
    ordered_search<K, P> search[EACH];
    bool more;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = begin + k * FIND_THREADS;
        search[k].begin(a, a.queries[i < a.query_count ? i : a.query_count - 1]);
    }
    do {
        more = false;
        bool on[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            on[k] = search[k].goes_on(a);
            if (on[k]) search[k].load(a);
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (on[k]) search[k].compare();
            more |= search[k].goes_on(a);
        }
    } while (more);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = begin + k * FIND_THREADS;
        search[k].finish(a);
        if (i >= a.query_count) continue;
        if constexpr (bi_hash_has_value<P>)
            if (a.values) __stcs(&a.values[i], search[k].value);
        if (a.found) a.found[i] = search[k].found;
    }
}

template <int EACH, class K, class P> static bosc_status run_each(bosc_ctx *ctx, const ordered_find_args<K, P> &a)
{
    const auto kernel = bi_hash_find_ordered<K, P, EACH>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(a.query_count, FIND_THREADS * EACH), FIND_THREADS, 0, a);
}

template <class K, class P> static bosc_status run(bosc_ctx *ctx, const bi_hash_slots_find *find, int64_t query_count)
{
    const ordered_find_args<K, P> a = {find->view,  (uint32_t)find->slots, (const K *)find->queries,
                                       query_count, (P *)find->values,     find->found};
    if (query_count <= ONE_EACH) return run_each<1>(ctx, a);
    return query_count <= TWO_EACH ? run_each<2>(ctx, a) : run_each<4>(ctx, a);
}

bosc_status bi_hash_find_ordered_cuda(bosc_ctx *ctx, const bi_hash_slots_find *find, int64_t query_count, bool *done)
{
    const bosc_hash_slots_view *v = &find->view;
    const int32_t key = v->key_bits / 8, value = v->value_size;
    *done = v->homes && query_count && key <= 8 && (value == 0 || value == key) &&
            find->slots - v->homes >= MOST_WINDOW + 2 && query_count <= INT32_MAX;
    if (!*done) return BOSC_OK;
    if (key == 4 && value) return run<uint32_t, uint32_t>(ctx, find, query_count);
    if (key == 4) return run<uint32_t, bi_hash_no_value>(ctx, find, query_count);
    if (value) return run<uint64_t, uint64_t>(ctx, find, query_count);
    return run<uint64_t, bi_hash_no_value>(ctx, find, query_count);
}
