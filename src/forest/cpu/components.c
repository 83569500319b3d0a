/* Connected components on the CPU. Graphs go by the stages of the CUDA version (cuda/components.cu). Of an edge list
 * without a graph about one entry a vertex unites its ends first. Then most vertices are in one component, and most
 * remaining entries cost two bit tests. Source of the sample: Sutton, Ben-Nun, Barak, Optimizing Parallel Graph
 * Connectivity Computation via Subgraph Sampling (2018). */
#include "core/cpu/collectives.h"
#include "forest/cpu/msf_state.h"
#include "forest/steps/steps.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 4, /* least vertices or entries of a thread */
    GIANT_SAMPLES = 512,         /* vertices sampled for the largest component, compared in pairs: 2^18 comparisons */
    PREFETCH_DISTANCE = 8, /* entries between the prefetch of parents and their use; other distances not measured */
    BLOCK = 1024,          /* entries tested by bits before the survivors are united: a list of 2 KB */
    BITS = 64
};

/* *count = the number of components: vertices that equal their label and that the mask leaves (NULL: all). */
static bosc_status count_components(bosc_ctx *ctx, int64_t n, const uint8_t *mask, const uint32_t *labels,
                                    int64_t *count)
{
    int64_t roots = 0;
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p)) {
        const int threads = bi_thread_count(ctx, p.end - p.begin, GRAIN);
#pragma omp parallel for schedule(static) reduction(+ : roots) num_threads(threads)
        for (int64_t v = p.begin; v < p.end; v++) roots += labels[v] == v && (!mask || mask[v]);
    }
    *count = roots;
    return p.status;
}

/* ---- graphs ---- */

/* Initialises each vertex's parent to its first (smallest) neighbour if that is smaller. */
static void join_first(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        int64_t arc = (int64_t)bi_word(r->offsets, r->is_64bit, v),
                end = (int64_t)bi_word(r->offsets, r->is_64bit, v + 1);
        bool joins = arc < end && r->neighbours[arc] < v && bi_msf_arc_is_edge(r, (uint32_t)v, arc);
        parent[v] = joins ? r->neighbours[arc] : (uint32_t)v;
    }
}

static void flatten_trees(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent)
{
    struct bi_flatten a = {parent};
    (void)r;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) bi_step_flatten(&a, v);
}

/* Unites each vertex with its last neighbour. */
static void join_last(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        int64_t arc = (int64_t)bi_word(r->offsets, r->is_64bit, v + 1) - 1;
        if (arc < (int64_t)bi_word(r->offsets, r->is_64bit, v) || !bi_msf_arc_is_edge(r, (uint32_t)v, arc)) continue;
        bi_uf_union(parent, (uint32_t)v, r->neighbours[arc]);
    }
}

/* Vertices outside the largest component unite with their neighbours until they are in it: the remaining edges are
 * read from their other ends. Rows differ in length, hence the dynamic schedule. */
static void join_outsiders(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t giant,
                           uint32_t *parent)
{
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        int64_t end = (int64_t)bi_word(r->offsets, r->is_64bit, v + 1);
        for (int64_t arc = (int64_t)bi_word(r->offsets, r->is_64bit, v); arc < end; arc++) {
            if (bi_atomic_load_u32(&parent[v]) == giant) break;
            if (bi_msf_arc_is_edge(r, (uint32_t)v, arc)) bi_uf_union(parent, (uint32_t)v, r->neighbours[arc]);
        }
    }
}

typedef void (*pass_fn)(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent);

/* Runs a pass over all vertices, in parts that report progress. */
static bosc_status run_pass(bosc_ctx *ctx, pass_fn pass, const struct bi_msf_rows *r, uint32_t *parent)
{
    struct bi_batches p = bi_batches_of(ctx, r->n, 1);
    while (bi_next_batch(ctx, &p))
        pass(r, bi_thread_count(ctx, p.end - p.begin, GRAIN), (struct bi_span){p.begin, p.end}, parent);
    return p.status;
}

bosc_status bi_components_cpu(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count)
{
    int threads = bi_thread_count(ctx, rows->n, GRAIN);
    /* 1. Trees of first neighbours; 2. unions with last ones; 3. the rest of the vertices outside the largest
     * component. */
    BI_TRY(run_pass(ctx, join_first, rows, labels));
    if (rows->arcs > 0) {
        BI_TRY(run_pass(ctx, flatten_trees, rows, labels));
        BI_TRY(run_pass(ctx, join_last, rows, labels));
        BI_TRY(run_pass(ctx, flatten_trees, rows, labels));
        uint32_t giant = bi_forest_cpu_sampled_majority(labels, rows->n, GIANT_SAMPLES);
        struct bi_batches p = bi_batches_of(ctx, rows->n, 2);
        while (bi_next_batch(ctx, &p)) join_outsiders(rows, threads, (struct bi_span){p.begin, p.end}, giant, labels);
        BI_TRY(p.status);
        BI_TRY(run_pass(ctx, flatten_trees, rows, labels));
    }
    return count_components(ctx, rows->n, rows->order.vertex_mask, labels, count);
}

/* ---- edge lists ---- */

struct list_state {
    const struct bi_msf_entries *entries;
    bool weighed; /* weights matter */
    uint32_t *parent;
    uint64_t *in_giant; /* a bit per vertex: it was in the largest component when last computed */
};

BI_FN uint32_t end_u(const struct list_state *s, int64_t i)
{
    return (uint32_t)bi_word(s->entries->list.u, s->entries->list.u_is_64bit, i);
}
BI_FN uint32_t end_v(const struct list_state *s, int64_t i)
{
    return (uint32_t)bi_word(s->entries->list.v, s->entries->list.v_is_64bit, i);
}

/* Unites the ends of entry i if it counts. */
BI_FN void join_entry(const struct list_state *s, int64_t i)
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

static void prefetch_parents(const struct list_state *s, int64_t i)
{
    __builtin_prefetch(&s->parent[end_u(s, i)]);
    __builtin_prefetch(&s->parent[end_v(s, i)]);
}

/* Unites the ends of entries [begin, end), except inside the largest component. Parents are prefetched ahead. */
static void join_span(const struct list_state *s, int64_t begin, int64_t end)
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
static bosc_status join_entries(bosc_ctx *ctx, const struct list_state *s, int64_t begin, int64_t end)
{
    struct bi_batches p = bi_batches_of(ctx, end - begin, 1);
    while (bi_next_batch(ctx, &p)) {
        const int64_t n = p.end - p.begin, from = begin + p.begin;
        const int threads = bi_thread_count(ctx, n, GRAIN);
        BI_PARALLEL_FOR(
            threads, (static), t, 0, threads,
            join_span(s, from + bi_chunk_begin(n, threads, (int)t), from + bi_chunk_begin(n, threads, (int)t + 1)));
    }
    return p.status;
}

/* Bits of 64 vertices: in the component of root `giant`. */
static uint64_t giant_word(const struct list_state *s, uint32_t giant, int64_t w)
{
    const int64_t first = w * BITS, n = s->entries->list.n - first < BITS ? s->entries->list.n - first : BITS;
    uint64_t bits = 0;
    for (int64_t k = 0; k < n; k++) bits |= (uint64_t)(s->parent[first + k] == giant) << k;
    return bits;
}

/* Flattens the trees and sets the bits of the largest component. */
static bosc_status mark_giant(bosc_ctx *ctx, const struct list_state *s)
{
    const int64_t n = s->entries->list.n;
    struct bi_flatten flatten = {s->parent};
    BI_TRY(ctx->ops->forest->steps->flatten(ctx, n, &flatten));
    const uint32_t giant = bi_forest_cpu_sampled_majority(s->parent, n, GIANT_SAMPLES);
    struct bi_batches p = bi_batches_of(ctx, bi_div_up(n, BITS), BITS);
    while (bi_next_batch(ctx, &p)) {
        const int threads = bi_thread_count(ctx, (p.end - p.begin) * BITS, GRAIN);
        BI_PARALLEL_FOR(threads, (static), w, p.begin, p.end, s->in_giant[w] = giant_word(s, giant, w));
    }
    return p.status;
}

bosc_status bi_components_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                      uint32_t *labels, int64_t *count)
{
    const int64_t n = entries->list.n, m = entries->list.m;
    struct list_state s = {.entries = entries, .weighed = weighed, .parent = labels};
    struct bi_flatten flatten = {labels};
    BI_TRY(bi_scratch_of(ctx, bi_div_up(n, BITS), sizeof *s.in_giant, (void **)&s.in_giant));
    BI_TRY(ctx->backend->core->iota(ctx, 4, labels, n));
    if (n > 0) memset(s.in_giant, 0, (size_t)bi_div_up(n, BITS) * sizeof *s.in_giant);
    /* Three spans: n entries, n more, the rest. Of random entries, n put four of five vertices into one component, 2 n
     * all but one of fifty. */
    for (int64_t begin = 0, end = n; begin < m; begin = end, end = end < 2 * n ? 2 * n : m) {
        if (begin > 0) BI_TRY(mark_giant(ctx, &s));
        if (end > m) end = m;
        BI_TRY(join_entries(ctx, &s, begin, end));
    }
    BI_TRY(ctx->ops->forest->steps->flatten(ctx, n, &flatten));
    return count_components(ctx, n, entries->order.vertex_mask, labels, count);
}
