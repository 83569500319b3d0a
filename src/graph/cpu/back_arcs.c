/* The back arcs of a graph by counting, on the CPU: each chunk of the list counts its arcs for every vertex; sums over
 * the vertices and, within each, over the chunks tell where every chunk puts them. So arcs of a vertex stay in the
 * order of the list. Counting jumps about in memory where the edges do: then radix passes are faster. */
#include <string.h>

#include "base/fault.h"
#include "core/cpu/collectives.h"
#include "graph/graph.h"
#include "graph/steps/build.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 2, /* least edges of a chunk */
    CACHED = 1 << 18,            /* vertices whose counters stay in a core's cache */
    NEAR = 1 << 13,              /* vertices from one edge to the next, likewise */
    SAMPLES = 512
};

struct back {
    const struct bi_graph_back_list *list;
    int64_t count;
    int chunks;
    uint32_t *counts; /* n for each chunk */
    uint32_t *ends;   /* n + 1 */
    int64_t *sums;    /* arcs of the vertices of each chunk */
};

static uint32_t larger_vertex(const struct bi_graph_back_list *list, int64_t k)
{
    return (uint32_t)(list->keys[k] & (((uint64_t)1 << list->bits) - 1));
}

static bool is_loop(const struct bi_graph_back_list *list, int64_t k)
{
    return (uint32_t)(list->keys[k] >> list->bits) == larger_vertex(list, k);
}

static bool is_local(const struct bi_graph_back_list *list, int64_t count)
{
    int near = 0;
    if (list->n <= CACHED) return true;
    for (int64_t s = 0; s < SAMPLES; s++) {
        int64_t k = s * (count - 1) / SAMPLES;
        uint32_t a = larger_vertex(list, k), b = larger_vertex(list, k + 1);
        near += (a < b ? b - a : a - b) < NEAR;
    }
    return near > SAMPLES * 3 / 4;
}

static void count_part(const struct back *b, int p, struct bi_span part)
{
    uint32_t *counts = b->counts + (size_t)p * b->list->n;
    for (int64_t k = part.begin; k < part.end; k++) counts[larger_vertex(b->list, k)] += !is_loop(b->list, k);
}

/* Counts of the vertices of a range become places: from `base` on. Without `write`, only their sum is wanted. */
static int64_t sum_range(const struct back *b, int p, int64_t base, bool write)
{
    int64_t end = bi_chunk_begin(b->list->n, b->chunks, p + 1);
    for (int64_t v = bi_chunk_begin(b->list->n, b->chunks, p); v < end; v++) {
        for (int q = 0; q < b->chunks; q++) {
            uint32_t *at = &b->counts[(size_t)q * b->list->n + (size_t)v], here = *at;
            if (write) *at = (uint32_t)base;
            base += here;
        }
        if (write) b->ends[v + 1] = (uint32_t)base;
    }
    return base;
}

static void place_part(const struct back *b, int p, struct bi_span part)
{
    uint32_t *at = b->counts + (size_t)p * b->list->n, *places = b->list->places;
    for (int64_t k = part.begin; k < part.end; k++) {
        if (is_loop(b->list, k)) continue;
        uint32_t v = larger_vertex(b->list, k), to = at[v]++;
        b->list->from[to] = v;
        places[to] = (uint32_t)k;
    }
}

/* A pass of each chunk over its edges. */
static bosc_status pass(bosc_ctx *ctx, const struct back *b, void (*over)(const struct back *, int, struct bi_span))
{
    struct bi_parts parts = bi_chunk_parts(ctx, b->count, b->chunks, 1);
    while (bi_next_part(ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(b->chunks)
        for (int p = 0; p < b->chunks; p++) over(b, p, bi_chunk_part(b->count, b->chunks, p, &parts));
    }
    return parts.status;
}

bosc_status bi_graph_cpu_back_arcs(bosc_ctx *ctx, const struct bi_graph_back_list *list, int64_t count, void *ends,
                                   bool *served)
{
    struct back b = {.list = list, .count = count, .chunks = bi_thread_count(ctx, count, GRAIN), .ends = ends};
    int64_t most = list->n ? 4 * count / list->n : 0; /* chunks whose counters take no more than a sort */
    *served = !list->wide && count > 1 && most > 0 && 4 * most >= b.chunks && is_local(list, count);
    if (!*served) return BOSC_OK;
    if (b.chunks > most) b.chunks = (int)most;
    BI_TRY(bi_scratch_of(ctx, (int64_t)list->n * b.chunks, sizeof *b.counts, (void **)&b.counts));
    BI_TRY(bi_scratch_of(ctx, b.chunks, sizeof *b.sums, (void **)&b.sums));
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "graph_back: injected fault");
#pragma omp parallel for schedule(static) num_threads(b.chunks)
    for (int p = 0; p < b.chunks; p++) memset(b.counts + (size_t)p * list->n, 0, (size_t)list->n * sizeof *b.counts);
    BI_TRY(pass(ctx, &b, count_part));
#pragma omp parallel for schedule(static) num_threads(b.chunks)
    for (int p = 0; p < b.chunks; p++) b.sums[p] = sum_range(&b, p, 0, false);
    for (int64_t p = 0, before = 0, sum; p < b.chunks; p++, before += sum) {
        sum = b.sums[p];
        b.sums[p] = before;
    }
#pragma omp parallel for schedule(static) num_threads(b.chunks)
    for (int p = 0; p < b.chunks; p++) sum_range(&b, p, b.sums[p], true);
    BI_TRY(bi_progress_advance(ctx, (double)count));
    return pass(ctx, &b, place_part);
}
