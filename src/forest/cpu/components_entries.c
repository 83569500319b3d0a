/* Connected components of entries that are in no graph, on the CPU. About an entry a vertex joins its ends first; after
 * that most vertices are in one component, and of most other entries a bit of each end is all that is read. Source of
 * the sample: Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (2018).
 */
#include "forest/cpu/components.h"
#include "forest/cpu/msf.h"
#include "forest/steps/steps.h"

enum {
    AHEAD = 8,    /* entries whose ends' parents are asked for before they are needed */
    BLOCK = 1024, /* entries of which those that may be apart are listed at once */
    BITS = 64
};

struct state {
    const struct bi_msf_entries *entries;
    bool weighed; /* weights matter */
    uint32_t *parent;
    uint64_t *in_giant; /* bits of the vertices in the largest component of those found so far */
};

BI_FN uint32_t end_u(const struct state *s, int64_t i)
{
    return (uint32_t)bi_word(s->entries->of.u, s->entries->of.wide_u, i);
}
BI_FN uint32_t end_v(const struct state *s, int64_t i)
{
    return (uint32_t)bi_word(s->entries->of.v, s->entries->of.wide_v, i);
}

/* The ends of entry i join, if it is there. */
BI_FN void join(const struct state *s, int64_t i)
{
    const uint32_t u = end_u(s, i), v = end_v(s, i);
    const uint64_t key = s->weighed ? bi_graph_entry_weight(&s->entries->of, i) : 0;
    if (bi_msf_entry_there(s->entries, i, key, u, v)) bi_uf_union(s->parent, u, v);
}

/* Lists those of n entries whose ends are not both in the largest component. */
BI_FN int list_apart(const struct bi_graph_entries *e, bool wide, const uint64_t *in_giant, int64_t first, int n,
                     uint16_t *apart)
{
    const void *const us = e->u, *const vs = e->v;
    int count = 0;
    for (int k = 0; k < n; k++) {
        const uint64_t u = bi_word(us, wide, first + k), v = bi_word(vs, wide, first + k);
        apart[count] = (uint16_t)k;
        count += !(in_giant[u / BITS] >> u % BITS & in_giant[v / BITS] >> v % BITS & 1);
    }
    return count;
}

static void prefetch(const struct state *s, int64_t i)
{
    __builtin_prefetch(&s->parent[end_u(s, i)]);
    __builtin_prefetch(&s->parent[end_v(s, i)]);
}

/* The ends of entries join, unless both are in the largest component. */
static void join_span(const struct state *s, int64_t begin, int64_t end)
{
    const struct bi_graph_entries *e = &s->entries->of;
    uint16_t apart[BLOCK];
    for (int64_t first = begin; first < end; first += BLOCK) {
        const int n = end - first < BLOCK ? (int)(end - first) : BLOCK;
        const int count = e->wide_u ? list_apart(e, true, s->in_giant, first, n, apart)
                                    : list_apart(e, false, s->in_giant, first, n, apart);
        for (int k = 0; k < count && k < AHEAD; k++) prefetch(s, first + apart[k]);
        for (int k = 0; k < count; k++) {
            if (k + AHEAD < count) prefetch(s, first + apart[k + AHEAD]);
            join(s, first + apart[k]);
        }
    }
}

/* Entries [begin, end), by all threads. */
static bosc_status join_entries(bosc_ctx *ctx, const struct state *s, int64_t begin, int64_t end)
{
    struct bi_parts p = bi_parts_of(ctx, end - begin, 1);
    while (bi_next_part(ctx, &p)) {
        const int64_t n = p.end - p.begin, from = begin + p.begin;
        const int threads = bi_thread_count(ctx, n, BI_COMPONENTS_GRAIN);
        BI_PARALLEL_FOR(
            threads, (static), t, 0, threads,
            join_span(s, from + bi_chunk_begin(n, threads, (int)t), from + bi_chunk_begin(n, threads, (int)t + 1)));
    }
    return p.status;
}

static uint64_t giant_word(const struct state *s, uint32_t giant, int64_t w)
{
    const int64_t first = w * BITS, n = s->entries->of.n - first < BITS ? s->entries->of.n - first : BITS;
    uint64_t bits = 0;
    for (int64_t k = 0; k < n; k++) bits |= (uint64_t)(s->parent[first + k] == giant) << k;
    return bits;
}

/* Vertices point at their roots; then the largest component gets its bits. */
static bosc_status settle(bosc_ctx *ctx, const struct state *s)
{
    const int64_t n = s->entries->of.n;
    struct bi_flatten flatten = {s->parent};
    BI_TRY(ctx->ops->forest->steps->flatten(ctx, n, &flatten));
    const uint32_t giant = bi_components_cpu_giant(s->parent, n);
    struct bi_parts p = bi_parts_of(ctx, bi_div_up(n, BITS), BITS);
    while (bi_next_part(ctx, &p)) {
        const int threads = bi_thread_count(ctx, (p.end - p.begin) * BITS, BI_COMPONENTS_GRAIN);
        BI_PARALLEL_FOR(threads, (static), w, p.begin, p.end, s->in_giant[w] = giant_word(s, giant, w));
    }
    return p.status;
}

bosc_status bi_components_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                      uint32_t *labels, int64_t *count)
{
    const int64_t n = entries->of.n, m = entries->of.m;
    struct state s = {.entries = entries, .weighed = weighed, .parent = labels};
    struct bi_msf_iota iota = {labels};
    struct bi_flatten flatten = {labels};
    BI_TRY(bi_scratch_of(ctx, bi_div_up(n, BITS), sizeof *s.in_giant, (void **)&s.in_giant));
    BI_TRY(ctx->ops->forest->steps->msf_iota(ctx, n, &iota));
    if (n > 0) memset(s.in_giant, 0, (size_t)bi_div_up(n, BITS) * sizeof *s.in_giant);
    /* After n entries at random four of five vertices are in one component, after 2 n all but one of fifty. */
    for (int64_t begin = 0, end = n; begin < m; begin = end, end = end < 2 * n ? 2 * n : m) {
        if (begin > 0) BI_TRY(settle(ctx, &s));
        if (end > m) end = m;
        BI_TRY(join_entries(ctx, &s, begin, end));
    }
    BI_TRY(ctx->ops->forest->steps->flatten(ctx, n, &flatten));
    return bi_components_cpu_count(ctx, n, entries->order.vertex_mask, labels, count);
}
