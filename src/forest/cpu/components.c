/* Connected components on the CPU, by the stages of the CUDA version (cuda/components.cu). */
#include "forest/cpu/components.h"
#include "forest/cpu/msf_state.h"
#include "forest/steps/labels.h"

enum { SAMPLES = 512 /* vertices sampled for the largest component; chosen */ };

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

uint32_t bi_components_cpu_giant(const uint32_t *parent, int64_t n)
{
    uint32_t sample[SAMPLES], giant = 0;
    int most = 0;
    for (int64_t i = 0; i < SAMPLES; i++) sample[i] = parent[(uint64_t)i * (uint64_t)n / SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        int count = 0;
        for (int k = 0; k < SAMPLES; k++) count += sample[k] == sample[i];
        if (count <= most) continue;
        most = count;
        giant = sample[i];
    }
    return giant;
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

bosc_status bi_components_cpu_count(bosc_ctx *ctx, int64_t n, const uint8_t *mask, const uint32_t *labels,
                                    int64_t *count)
{
    int64_t roots = 0;
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p)) {
        const int threads = bi_thread_count(ctx, p.end - p.begin, BI_COMPONENTS_GRAIN);
#pragma omp parallel for schedule(static) reduction(+ : roots) num_threads(threads)
        for (int64_t v = p.begin; v < p.end; v++) roots += labels[v] == v && (!mask || mask[v]);
    }
    *count = roots;
    return p.status;
}

typedef void (*pass_fn)(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent);

/* Runs a pass over all vertices, in parts that report progress. */
static bosc_status run_pass(bosc_ctx *ctx, pass_fn pass, const struct bi_msf_rows *r, uint32_t *parent)
{
    struct bi_batches p = bi_batches_of(ctx, r->n, 1);
    while (bi_next_batch(ctx, &p))
        pass(r, bi_thread_count(ctx, p.end - p.begin, BI_COMPONENTS_GRAIN), (struct bi_span){p.begin, p.end}, parent);
    return p.status;
}

bosc_status bi_components_cpu(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count)
{
    int threads = bi_thread_count(ctx, rows->n, BI_COMPONENTS_GRAIN);
    /* 1. Trees of first neighbours; 2. unions with last ones; 3. the rest of the vertices outside the largest
     * component. */
    BI_TRY(run_pass(ctx, join_first, rows, labels));
    if (rows->arcs > 0) {
        BI_TRY(run_pass(ctx, flatten_trees, rows, labels));
        BI_TRY(run_pass(ctx, join_last, rows, labels));
        BI_TRY(run_pass(ctx, flatten_trees, rows, labels));
        uint32_t giant = bi_components_cpu_giant(labels, rows->n);
        struct bi_batches p = bi_batches_of(ctx, rows->n, 2);
        while (bi_next_batch(ctx, &p)) join_outsiders(rows, threads, (struct bi_span){p.begin, p.end}, giant, labels);
        BI_TRY(p.status);
        BI_TRY(run_pass(ctx, flatten_trees, rows, labels));
    }
    return bi_components_cpu_count(ctx, rows->n, rows->order.vertex_mask, labels, count);
}
