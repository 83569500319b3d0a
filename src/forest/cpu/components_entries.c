/* Connected components of an edge list without a graph, on the CPU. About one entry a vertex unites its ends first.
 * Then most vertices are in one component, and most remaining entries cost two bit tests. Source of the sample:
 * Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (2018). */
#include "forest/cpu/components.h"
#include "forest/cpu/msf_state.h"
#include "forest/steps/steps.h"

enum {
    PREFETCH_DISTANCE = 8, /* entries between the prefetch of parents and their use; chosen */
    BLOCK = 1024,          /* entries tested by bits before the survivors are united; chosen */
    BITS = 64
};

struct state {
    const struct bi_msf_entries *entries;
    bool weighed; /* weights matter */
    uint32_t *parent;
    uint64_t *in_giant; /* a bit per vertex: it was in the largest component when last computed */
};

BI_FN uint32_t end_u(const struct state *s, int64_t i)
{
    return (uint32_t)bi_word(s->entries->list.u, s->entries->list.u_is_64bit, i);
}
BI_FN uint32_t end_v(const struct state *s, int64_t i)
{
    return (uint32_t)bi_word(s->entries->list.v, s->entries->list.v_is_64bit, i);
}

/* Unites the ends of entry i if it counts. */
BI_FN void join_entry(const struct state *s, int64_t i)
{
    const uint32_t u = end_u(s, i), v = end_v(s, i);
    const uint64_t key = s->weighed ? bi_graph_entry_weight(&s->entries->list, i) : 0;
    if (bi_msf_entry_is_edge(s->entries, i, key, u, v)) bi_uf_union(s->parent, u, v);
}

/* Lists the entries of a block of n whose ends are not both in the largest component. Branch-free. */
BI_FN int list_outside(const struct bi_graph_entries *e, bool is_64bit, const uint64_t *in_giant, int64_t first, int n,
                       uint16_t *outside)
{
    const void *const us = e->u, *const vs = e->v;
    int count = 0;
    for (int k = 0; k < n; k++) {
        const uint64_t u = bi_word(us, is_64bit, first + k), v = bi_word(vs, is_64bit, first + k);
        outside[count] = (uint16_t)k;
        count += !(in_giant[u / BITS] >> u % BITS & in_giant[v / BITS] >> v % BITS & 1);
    }
    return count;
}

static void prefetch_parents(const struct state *s, int64_t i)
{
    __builtin_prefetch(&s->parent[end_u(s, i)]);
    __builtin_prefetch(&s->parent[end_v(s, i)]);
}

/* Unites the ends of entries [begin, end), except inside the largest component. Parents are prefetched ahead. */
static void join_span(const struct state *s, int64_t begin, int64_t end)
{
    const struct bi_graph_entries *e = &s->entries->list;
    uint16_t outside[BLOCK];
    for (int64_t first = begin; first < end; first += BLOCK) {
        const int n = end - first < BLOCK ? (int)(end - first) : BLOCK;
        const int count = e->u_is_64bit ? list_outside(e, true, s->in_giant, first, n, outside)
                                        : list_outside(e, false, s->in_giant, first, n, outside);
        for (int k = 0; k < count && k < PREFETCH_DISTANCE; k++) prefetch_parents(s, first + outside[k]);
        for (int k = 0; k < count; k++) {
            if (k + PREFETCH_DISTANCE < count) prefetch_parents(s, first + outside[k + PREFETCH_DISTANCE]);
            join_entry(s, first + outside[k]);
        }
    }
}

/* The same by all threads. */
static bosc_status join_entries(bosc_ctx *ctx, const struct state *s, int64_t begin, int64_t end)
{
    struct bi_batches p = bi_batches_of(ctx, end - begin, 1);
    while (bi_next_batch(ctx, &p)) {
        const int64_t n = p.end - p.begin, from = begin + p.begin;
        const int threads = bi_thread_count(ctx, n, BI_COMPONENTS_GRAIN);
        BI_PARALLEL_FOR(
            threads, (static), t, 0, threads,
            join_span(s, from + bi_chunk_begin(n, threads, (int)t), from + bi_chunk_begin(n, threads, (int)t + 1)));
    }
    return p.status;
}

/* Bits of 64 vertices: in the component of root `giant`. */
static uint64_t giant_word(const struct state *s, uint32_t giant, int64_t w)
{
    const int64_t first = w * BITS, n = s->entries->list.n - first < BITS ? s->entries->list.n - first : BITS;
    uint64_t bits = 0;
    for (int64_t k = 0; k < n; k++) bits |= (uint64_t)(s->parent[first + k] == giant) << k;
    return bits;
}

/* Flattens the trees and sets the bits of the largest component. */
static bosc_status mark_giant(bosc_ctx *ctx, const struct state *s)
{
    const int64_t n = s->entries->list.n;
    struct bi_flatten flatten = {s->parent};
    BI_TRY(ctx->ops->forest->steps->flatten(ctx, n, &flatten));
    const uint32_t giant = bi_components_cpu_giant(s->parent, n);
    struct bi_batches p = bi_batches_of(ctx, bi_div_up(n, BITS), BITS);
    while (bi_next_batch(ctx, &p)) {
        const int threads = bi_thread_count(ctx, (p.end - p.begin) * BITS, BI_COMPONENTS_GRAIN);
        BI_PARALLEL_FOR(threads, (static), w, p.begin, p.end, s->in_giant[w] = giant_word(s, giant, w));
    }
    return p.status;
}

bosc_status bi_components_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                      uint32_t *labels, int64_t *count)
{
    const int64_t n = entries->list.n, m = entries->list.m;
    struct state s = {.entries = entries, .weighed = weighed, .parent = labels};
    struct bi_msf_iota iota = {labels};
    struct bi_flatten flatten = {labels};
    BI_TRY(bi_scratch_of(ctx, bi_div_up(n, BITS), sizeof *s.in_giant, (void **)&s.in_giant));
    BI_TRY(ctx->ops->forest->steps->msf_iota(ctx, n, &iota));
    if (n > 0) memset(s.in_giant, 0, (size_t)bi_div_up(n, BITS) * sizeof *s.in_giant);
    /* Three spans: n entries, n more, the rest. Of random entries, n put four of five vertices into one component, 2 n
     * all but one of fifty. */
    for (int64_t begin = 0, end = n; begin < m; begin = end, end = end < 2 * n ? 2 * n : m) {
        if (begin > 0) BI_TRY(mark_giant(ctx, &s));
        if (end > m) end = m;
        BI_TRY(join_entries(ctx, &s, begin, end));
    }
    BI_TRY(ctx->ops->forest->steps->flatten(ctx, n, &flatten));
    return bi_components_cpu_count(ctx, n, entries->order.vertex_mask, labels, count);
}
