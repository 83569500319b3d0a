/* Connected components on the CPU, in the same stages as on CUDA (cuda/components.cu). */
#include "forest/cpu/components.h"
#include "forest/cpu/msf.h"
#include "forest/steps/labels.h"

enum { SAMPLES = 512 };

/* Every vertex begins below its first neighbour, the smallest, if that is smaller. */
static void join_first(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        int64_t place = (int64_t)bi_word(r->offsets, r->wide, v), end = (int64_t)bi_word(r->offsets, r->wide, v + 1);
        bool joins = place < end && r->neighbours[place] < v && bi_msf_there(r, (uint32_t)v, place);
        parent[v] = joins ? r->neighbours[place] : (uint32_t)v;
    }
}

static void flatten(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent)
{
    struct bi_flatten a = {parent};
    (void)r;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) bi_step_flatten(&a, v);
}

static void join_last(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        int64_t place = (int64_t)bi_word(r->offsets, r->wide, v + 1) - 1;
        if (place < (int64_t)bi_word(r->offsets, r->wide, v) || !bi_msf_there(r, (uint32_t)v, place)) continue;
        bi_uf_union(parent, (uint32_t)v, r->neighbours[place]);
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

/* Vertices outside the largest component join all their neighbours, until they are in it. */
static void join_rest(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t giant, uint32_t *parent)
{
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
    for (int64_t v = part.begin; v < part.end; v++) {
        int64_t end = (int64_t)bi_word(r->offsets, r->wide, v + 1);
        for (int64_t place = (int64_t)bi_word(r->offsets, r->wide, v); place < end; place++) {
            if (bi_atomic_load_u32(&parent[v]) == giant) break;
            if (bi_msf_there(r, (uint32_t)v, place)) bi_uf_union(parent, (uint32_t)v, r->neighbours[place]);
        }
    }
}

bosc_status bi_components_cpu_count(bosc_ctx *ctx, int64_t n, const uint8_t *mask, const uint32_t *labels,
                                    int64_t *count)
{
    int64_t roots = 0;
    struct bi_parts p = bi_parts_of(ctx, n, 1);
    while (bi_next_part(ctx, &p)) {
        const int threads = bi_thread_count(ctx, p.end - p.begin, BI_COMPONENTS_GRAIN);
#pragma omp parallel for schedule(static) reduction(+ : roots) num_threads(threads)
        for (int64_t v = p.begin; v < p.end; v++) roots += labels[v] == v && (!mask || mask[v]);
    }
    *count = roots;
    return p.status;
}

typedef void (*pass_fn)(const struct bi_msf_rows *r, int threads, struct bi_span part, uint32_t *parent);

/* A pass over all vertices. */
static bosc_status run(bosc_ctx *ctx, pass_fn pass, const struct bi_msf_rows *r, uint32_t *parent)
{
    struct bi_parts p = bi_parts_of(ctx, r->n, 1);
    while (bi_next_part(ctx, &p))
        pass(r, bi_thread_count(ctx, p.end - p.begin, BI_COMPONENTS_GRAIN), (struct bi_span){p.begin, p.end}, parent);
    return p.status;
}

bosc_status bi_components_cpu(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count)
{
    int threads = bi_thread_count(ctx, rows->n, BI_COMPONENTS_GRAIN);
    BI_TRY(run(ctx, join_first, rows, labels));
    if (rows->arcs > 0) {
        BI_TRY(run(ctx, flatten, rows, labels));
        BI_TRY(run(ctx, join_last, rows, labels));
        BI_TRY(run(ctx, flatten, rows, labels));
        uint32_t giant = bi_components_cpu_giant(labels, rows->n);
        struct bi_parts p = bi_parts_of(ctx, rows->n, 2);
        while (bi_next_part(ctx, &p)) join_rest(rows, threads, (struct bi_span){p.begin, p.end}, giant, labels);
        BI_TRY(p.status);
        BI_TRY(run(ctx, flatten, rows, labels));
    }
    return bi_components_cpu_count(ctx, rows->n, rows->order.vertex_mask, labels, count);
}
