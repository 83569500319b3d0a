/* Look-ups in ordered tables on CUDA, of pairs that have no gaps: a thread reads the 64 bytes around a home at once,
 * which hold most of what a search reads, so that it waits once. */
#include "hash/cuda/ordered.cuh"
#include "hash/cuda/slots.cuh"

enum { WINDOW_BYTES = 64, FIND_THREADS = 256, FIND_EACH = 2, FEW_THREADS = 128, FEW_QUERIES = 1 << 15 };

template <class K, class P> struct ordered_find_args {
    bosc_hash_slots_view view; /* homes is not 0 */
    uint32_t slots;            /* WINDOW or more */
    const K *queries;
    int64_t query_count;
    P *values;      /* may be NULL */
    uint8_t *found; /* may be NULL */
};

/* A key that is looked up, and the slots around its home. */
template <class K, class P> struct ordered_window {
    enum { SLOTS = WINDOW_BYTES / sizeof(ordered_pair<K, P>) };
    union {
        ordered_pair<K, P> pairs[SLOTS];
        uint4 pieces[WINDOW_BYTES / 16];
    };
    K hash;
    P value;
    uint32_t home, first;
    bool found;

    __device__ __forceinline__ void load(const ordered_find_args<K, P> &a, K key)
    {
        hash = bi_hash_key_hash(key, a.view.seed);
        home = ordered_home(hash, a.view.homes);
        first = min(home, a.slots - SLOTS) & ~(uint32_t)(SLOTS / 2 - 1); /* in sectors of the cache */
        const unsigned char *from = a.view.slots + (size_t)first * sizeof(ordered_pair<K, P>);
#pragma unroll
        for (int i = 0; i < WINDOW_BYTES / 16; i++) pieces[i] = __ldg(reinterpret_cast<const uint4 *>(from) + i);
    }

    /* Searches the window, and beyond it where it does not end there. */
    __device__ __forceinline__ void search(const ordered_find_args<K, P> &a)
    {
        bool ended = false;
        found = false;
        value = P();
#pragma unroll
        for (int i = 0; i < SLOTS; i++) {
            const bool same = bi_hash_key_same(pairs[i].hash, hash);
            ended |= first + i >= home && !bi_hash_key_less(pairs[i].hash, hash);
            found |= same;
            if constexpr (bi_hash_has_value<P>)
                if (same) value = pairs[i].payload;
        }
        if (ordered_is_greatest(hash) || !ended) search_on(a);
    }
    __device__ __forceinline__ void search_on(const ordered_find_args<K, P> &a)
    {
        const int64_t slot = bosc_hash_search_ordered(&a.view, bi_hash_key_word(hash));
        found = slot >= 0;
        value = P();
        if constexpr (bi_hash_has_value<P>)
            if (found) value = *static_cast<const P *>(bosc_hash_slots_value_at(&a.view, slot));
    }
};

template <class K, class P, int THREADS, int EACH>
static __global__ void __launch_bounds__(THREADS) bi_hash_find_ordered(const ordered_find_args<K, P> a)
{
    const int64_t begin = blockIdx.x * (int64_t)(THREADS * EACH) + threadIdx.x;
    ordered_window<K, P> window[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = begin + k * THREADS;
        window[k].load(a, a.queries[i < a.query_count ? i : a.query_count - 1]);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = begin + k * THREADS;
        window[k].search(a);
        if (i >= a.query_count) continue;
        if constexpr (bi_hash_has_value<P>)
            if (a.values) __stcs(&a.values[i], window[k].value);
        if (a.found) a.found[i] = window[k].found;
    }
}

template <class K, class P> static bosc_status run(bosc_ctx *ctx, const bi_hash_slots_find *find, int64_t query_count)
{
    const ordered_find_args<K, P> a = {find->view,  (uint32_t)find->slots, (const K *)find->queries,
                                       query_count, (P *)find->values,     find->found};
    if (query_count <= FEW_QUERIES) {
        const auto few = bi_hash_find_ordered<K, P, FEW_THREADS, 1>;
        return BI_RUN(ctx, few, (unsigned)bi_div_up(query_count, FEW_THREADS), FEW_THREADS, 0, a);
    }
    const auto kernel = bi_hash_find_ordered<K, P, FIND_THREADS, FIND_EACH>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(query_count, FIND_THREADS * FIND_EACH), FIND_THREADS, 0, a);
}

bosc_status bi_hash_find_ordered_cuda(bosc_ctx *ctx, const bi_hash_slots_find *find, int64_t query_count, bool *done)
{
    const bosc_hash_slots_view *v = &find->view;
    const int32_t key = v->key_bits / 8, value = v->value_size;
    *done = v->homes && query_count && key <= 8 && (value == 0 || value == key) &&
            find->slots * (uint64_t)(key + value) >= 2 * WINDOW_BYTES && query_count <= INT32_MAX;
    if (!*done) return BOSC_OK;
    if (key == 4 && value) return run<uint32_t, uint32_t>(ctx, find, query_count);
    if (key == 4) return run<uint32_t, bi_hash_no_value>(ctx, find, query_count);
    if (value) return run<uint64_t, uint64_t>(ctx, find, query_count);
    return run<uint64_t, bi_hash_no_value>(ctx, find, query_count);
}
