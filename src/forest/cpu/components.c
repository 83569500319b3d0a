/* Connected components on the CPU, in the same stages as on CUDA (cuda/components.cu). */
#include "forest/cpu/msf.h"
#include "forest/steps/labels.h"

enum { GRAIN = 1 << 13, SAMPLES = 512 };

/* Every vertex begins below its first neighbour, the smallest, if that is smaller. */
static void join_first(const struct bi_msf_rows *r, int parts, uint32_t *parent)
{
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int64_t v = 0; v < r->n; v++) {
        int64_t place = (int64_t)bi_word(r->offsets, r->wide, v), end = (int64_t)bi_word(r->offsets, r->wide, v + 1);
        bool joins = place < end && r->neighbours[place] < v && bi_msf_there(r, (uint32_t)v, place);
        parent[v] = joins ? r->neighbours[place] : (uint32_t)v;
    }
}

static void flatten(int64_t n, int parts, uint32_t *parent)
{
    struct bi_flatten a = {parent};
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int64_t v = 0; v < n; v++) bi_step_flatten(&a, v);
}

static void join_last(const struct bi_msf_rows *r, int parts, uint32_t *parent)
{
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int64_t v = 0; v < r->n; v++) {
        int64_t place = (int64_t)bi_word(r->offsets, r->wide, v + 1) - 1;
        if (place < (int64_t)bi_word(r->offsets, r->wide, v) || !bi_msf_there(r, (uint32_t)v, place)) continue;
        bi_uf_union(parent, (uint32_t)v, r->neighbours[place]);
    }
}

/* The component of most of the sampled vertices. */
static uint32_t find_giant(const uint32_t *parent, int64_t n)
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
static void join_rest(const struct bi_msf_rows *r, int parts, uint32_t giant, uint32_t *parent)
{
#pragma omp parallel for schedule(dynamic, 1024) num_threads(parts)
    for (int64_t v = 0; v < r->n; v++) {
        int64_t end = (int64_t)bi_word(r->offsets, r->wide, v + 1);
        for (int64_t place = (int64_t)bi_word(r->offsets, r->wide, v); place < end; place++) {
            if (bi_atomic_load_u32(&parent[v]) == giant) break;
            if (bi_msf_there(r, (uint32_t)v, place)) bi_uf_union(parent, (uint32_t)v, r->neighbours[place]);
        }
    }
}

static int64_t count_roots(const struct bi_msf_rows *r, int parts, const uint32_t *labels)
{
    const uint8_t *mask = r->order.vertex_mask;
    int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count) num_threads(parts)
    for (int64_t v = 0; v < r->n; v++) count += labels[v] == v && (!mask || mask[v]);
    return count;
}

bosc_status bi_components_cpu(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count)
{
    int parts = bi_thread_count(ctx, rows->n, GRAIN);
    join_first(rows, parts, labels);
    BI_TRY(bi_advance(ctx, 2 * (double)rows->n));
    if (rows->arcs > 0) {
        flatten(rows->n, parts, labels);
        join_last(rows, parts, labels);
        flatten(rows->n, parts, labels);
        BI_TRY(bi_advance(ctx, 3 * (double)rows->n));
        join_rest(rows, parts, find_giant(labels, rows->n), labels);
        flatten(rows->n, parts, labels);
    }
    *count = count_roots(rows, parts, labels);
    return bi_advance(ctx, 3 * (double)rows->n);
}
