/* Connected components on the CPU. Graphs go by the stages of the CUDA version (cuda/components.cu); source: Sutton,
 * Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (2018). The entries of an
 * edge list without a graph unite their ends in order. */
#include "core/cpu/collectives.h"
#include "forest/cpu/msf_state.h"
#include "forest/steps/steps.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 4, /* least vertices or entries of a thread */
    GIANT_SAMPLES = 512,         /* vertices sampled for the largest component */
    CACHED = 1 << 15,            /* vertices whose parents, 128 KB, stay in a core's L2 cache */
    PREFETCH_DISTANCE = 16 /* entries or vertices from the prefetch of parents to their use; others not measured */
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

/* Rows of the parts of a graph. */
struct part_rows {
    const struct bi_msf_rows *of;
    int count;
    int64_t n, arcs;
};

/* The arcs of vertex v in a part. */
static inline struct bi_span row_of(const struct bi_msf_rows *r, int64_t v)
{
    return (struct bi_span){(int64_t)bi_word(r->offsets, r->is_64bit, v),
                            (int64_t)bi_word(r->offsets, r->is_64bit, v + 1)};
}

/* Initialises each vertex's parent to its first (smallest) neighbour if that is smaller: the least of all parts. */
static void join_first(const struct part_rows *rows, int threads, struct bi_span part, uint32_t *parent)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        uint32_t least = (uint32_t)v;
        for (int p = 0; p < rows->count; p++) {
            const struct bi_msf_rows *r = &rows->of[p];
            const struct bi_span row = row_of(r, v);
            if (row.begin < row.end && r->neighbours[row.begin] < least &&
                bi_msf_arc_is_edge(r, (uint32_t)v, row.begin))
                least = r->neighbours[row.begin];
        }
        parent[v] = least;
    }
}

static void flatten_trees(const struct part_rows *rows, int threads, struct bi_span part, uint32_t *parent)
{
    struct bi_flatten a = {parent};
    (void)rows;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        const int64_t ahead = v + PREFETCH_DISTANCE < part.end ? v + PREFETCH_DISTANCE : v;
        __builtin_prefetch(&parent[bi_atomic_load_u32(&parent[ahead])]);
        bi_step_flatten(&a, v);
    }
}

/* Prefetches the last neighbour of a vertex, and the parent of the last neighbour of a nearer one. */
static inline void prefetch_last(const struct bi_msf_rows *r, int64_t far, int64_t near, const uint32_t *parent)
{
    const int64_t far_end = row_of(r, far).end, near_end = row_of(r, near).end;
    if (far_end > 0) __builtin_prefetch(&r->neighbours[far_end - 1]);
    if (near_end > 0) __builtin_prefetch(&parent[r->neighbours[near_end - 1]]);
}

/* Unites each vertex with its last neighbour: the first part's with one, as each union follows paths. */
static void join_last(const struct part_rows *rows, int threads, struct bi_span part, uint32_t *parent)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        bool joined = false;
        const int64_t last = part.end - 1, far = v + 2 * PREFETCH_DISTANCE, near = v + PREFETCH_DISTANCE;
        prefetch_last(&rows->of[0], far < last ? far : last, near < last ? near : last, parent);
        for (int p = 0; p < rows->count && !joined; p++) {
            const struct bi_msf_rows *r = &rows->of[p];
            const struct bi_span row = row_of(r, v);
            joined = row.begin < row.end && bi_msf_arc_is_edge(r, (uint32_t)v, row.end - 1);
            if (joined) bi_uf_union(parent, (uint32_t)v, r->neighbours[row.end - 1]);
        }
    }
}

/* Unites v with its neighbours in a part until it is in the largest component. */
static inline void join_row(const struct bi_msf_rows *r, int64_t v, uint32_t giant, uint32_t *parent)
{
    const struct bi_span row = row_of(r, v);
    for (int64_t arc = row.begin; arc < row.end; arc++) {
        if (bi_atomic_load_u32(&parent[v]) == giant) break;
        if (bi_msf_arc_is_edge(r, (uint32_t)v, arc)) bi_uf_union(parent, (uint32_t)v, r->neighbours[arc]);
    }
}

/* Vertices outside the largest component unite with their neighbours until they are in it: the remaining edges are
 * read from their other ends. Rows differ in length, hence the dynamic schedule. */
static void join_outsiders(const struct part_rows *rows, int threads, struct bi_span part, uint32_t giant,
                           uint32_t *parent)
{
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        if (bi_atomic_load_u32(&parent[v]) == giant) continue; /* most vertices: their rows are not read */
        for (int p = 0; p < rows->count; p++) join_row(&rows->of[p], v, giant, parent);
    }
}

typedef void (*pass_fn)(const struct part_rows *rows, int threads, struct bi_span part, uint32_t *parent);

/* Runs a pass over all vertices, in batches that report progress. */
static bosc_status run_pass(bosc_ctx *ctx, pass_fn pass, const struct part_rows *rows, uint32_t *parent)
{
    struct bi_batches p = bi_batches_of(ctx, rows->n, 1);
    while (bi_next_batch(ctx, &p))
        pass(rows, bi_thread_count(ctx, p.end - p.begin, GRAIN), (struct bi_span){p.begin, p.end}, parent);
    return p.status;
}

static bosc_status label_parts(bosc_ctx *ctx, const struct part_rows *rows, uint32_t *labels, int64_t *count)
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
    return count_components(ctx, rows->n, rows->of[0].order.vertex_mask, labels, count);
}

bosc_status bi_components_cpu(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count)
{
    const struct part_rows all = {rows, 1, rows->n, rows->arcs};
    return label_parts(ctx, &all, labels, count);
}

bosc_status bi_components_cpu_parts(bosc_ctx *ctx, const struct bi_msf_parts *parts, uint32_t *labels, int64_t *count)
{
    struct bi_msf_rows *rows;
    struct part_rows all = {.count = parts->count, .n = parts->of[0].view.n};
    BI_TRY(bi_scratch_of(ctx, parts->count, sizeof *rows, (void **)&rows));
    for (int32_t p = 0; p < parts->count; p++) {
        rows[p] = bi_msf_rows_in(&parts->of[p].view, &parts->of[p].order);
        all.arcs += rows[p].arcs;
    }
    all.of = rows;
    return label_parts(ctx, &all, labels, count);
}

/* ---- edge lists ---- */

struct list_state {
    const struct bi_msf_entries *entries;
    bool weighed; /* weights matter */
    uint32_t *parent;
};

/* Unites the ends of entries [begin, end). all: no option excludes entries; self loops have no effect. far: parents are
 * prefetched, since they exceed a core's cache; calls for some small graphs set it too, not measured. The flags are
 * constants where no option excludes entries; each such combination compiles to a loop without tests of them. */
BI_FN void join_span(const struct list_state *s, int64_t begin, int64_t end, bool is_64bit, bool all, bool far)
{
    const struct bi_graph_entries *e = &s->entries->list;
    for (int64_t i = begin; i < end; i++) {
        const uint32_t u = (uint32_t)bi_word(e->u, is_64bit, i), v = (uint32_t)bi_word(e->v, is_64bit, i);
        const int64_t ahead = i + PREFETCH_DISTANCE < end ? i + PREFETCH_DISTANCE : i;
        if (far) __builtin_prefetch(&s->parent[bi_word(e->u, is_64bit, ahead)]);
        if (far) __builtin_prefetch(&s->parent[bi_word(e->v, is_64bit, ahead)]);
        const uint64_t key = !all && s->weighed ? bi_graph_entry_weight(e, i) : 0;
        if (all || bi_msf_entry_is_edge(s->entries, i, key, u, v)) bi_uf_union_interleaved(s->parent, u, v);
    }
}

static void join_any_span(const struct list_state *s, int64_t begin, int64_t end)
{
    const struct bi_msf_order *order = &s->entries->order;
    const bool all = !s->weighed && !order->vertex_mask && !order->edge_mask, is_64bit = s->entries->list.u_is_64bit;
    const bool far = s->entries->list.n > CACHED;
    if (!all)
        join_span(s, begin, end, is_64bit, false, true);
    else if (is_64bit)
        join_span(s, begin, end, true, true, true);
    else if (far)
        join_span(s, begin, end, false, true, true);
    else
        join_span(s, begin, end, false, true, false);
}

/* Unites the ends of entries [begin, end) by all threads. */
static bosc_status join_entries(bosc_ctx *ctx, const struct list_state *s, int64_t begin, int64_t end)
{
    struct bi_batches p = bi_batches_of(ctx, end - begin, 1);
    while (bi_next_batch(ctx, &p)) {
        const int64_t n = p.end - p.begin, from = begin + p.begin;
        const int threads = bi_thread_count(ctx, n, GRAIN);
        BI_PARALLEL_FOR(
            threads, (static), t, 0, threads,
            join_any_span(s, from + bi_chunk_begin(n, threads, (int)t), from + bi_chunk_begin(n, threads, (int)t + 1)));
    }
    return p.status;
}

bosc_status bi_components_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                      uint32_t *labels, int64_t *count)
{
    const int64_t n = entries->list.n, m = entries->list.m;
    const struct list_state s = {entries, weighed, labels};
    struct bi_flatten flatten = {labels};
    BI_TRY(ctx->backend->core->iota(ctx, 4, labels, n));
    /* Three spans: n entries, n more, the rest. Flat trees between them shorten the searches of the next span. Measured
     * on one thread, 131,072 vertices and 8 random entries each: 5.1 ms in one span, 3.1 in three. Not measured with
     * several threads. */
    for (int64_t begin = 0, end = n; begin < m; begin = end, end = end < 2 * n ? 2 * n : m) {
        if (begin > 0) BI_TRY(ctx->ops->forest->steps->flatten(ctx, n, &flatten));
        if (end > m) end = m;
        BI_TRY(join_entries(ctx, &s, begin, end));
    }
    BI_TRY(ctx->ops->forest->steps->flatten(ctx, n, &flatten));
    return count_components(ctx, n, entries->order.vertex_mask, labels, count);
}
