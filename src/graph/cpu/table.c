/* The table of graphs on the CPU, its check of entries, and its sort of back arcs: a counting sort. Each chunk of the
 * list counts its arcs per vertex; prefix sums over the vertices and, within each, over the chunks are the output
 * positions. The sort is stable. Counters are accessed at random unless the edges are local in memory; without locality
 * radix passes are faster. */
#include <string.h>

#include "base/fault.h"
#include "core/cpu/collectives.h"
#include "core/steps.h"
#include "graph/graph.h"

/* ---- back arcs ---- */

enum {
    GRAIN = BI_THREAD_ITEMS / 2, /* least edges of a chunk; an edge costs two items or more */
    CACHED = 1 << 18,            /* vertices whose counters stay in a core's cache (1 MB) */
    NEAR = 1 << 13,              /* distance of consecutive larger vertices that counts as local: 32 KB of counters */
    SAMPLES = 512                /* the share of local ones has an error of 1 / (2 sqrt(512)) = 2 % at most */
};

struct back_pass {
    const struct bi_graph_back_list *list;
    int64_t count;
    int chunks;
    uint32_t *counts; /* n for each chunk */
    uint32_t *ends;   /* n + 1 */
    int64_t *sums;    /* arcs of each chunk of vertices */
};

static uint32_t larger_vertex(const struct bi_graph_back_list *list, int64_t k)
{
    return (uint32_t)(list->keys[k] & (((uint64_t)1 << list->bits) - 1));
}

static bool is_loop(const struct bi_graph_back_list *list, int64_t k)
{
    return (uint32_t)(list->keys[k] >> list->bits) == larger_vertex(list, k);
}

/* True if the counters fit a cache, or three of four sampled steps between edges are short. */
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

static void count_part(const struct back_pass *b, int p, struct bi_span part)
{
    uint32_t *counts = b->counts + (size_t)p * b->list->n;
    for (int64_t k = part.begin; k < part.end; k++) counts[larger_vertex(b->list, k)] += !is_loop(b->list, k);
}

/* Turns the counts of a range of vertices into output positions, from `base` on; returns the next one. Without `write`
 * only computes it. */
static int64_t sum_range(const struct back_pass *b, int p, int64_t base, bool write)
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

static void scatter_part(const struct back_pass *b, int p, struct bi_span part)
{
    uint32_t *at = b->counts + (size_t)p * b->list->n, *positions = b->list->positions;
    for (int64_t k = part.begin; k < part.end; k++) {
        if (is_loop(b->list, k)) continue;
        uint32_t v = larger_vertex(b->list, k), to = at[v]++;
        b->list->from[to] = v;
        positions[to] = (uint32_t)k;
    }
}

/* Runs a pass of each chunk over its edges. */
static bosc_status run_pass(bosc_ctx *ctx, const struct back_pass *b,
                            void (*over)(const struct back_pass *, int, struct bi_span))
{
    struct bi_batches parts = bi_chunk_batches(ctx, b->count, b->chunks, 1);
    while (bi_next_batch(ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(b->chunks)
        for (int p = 0; p < b->chunks; p++) over(b, p, bi_batch_of_chunk(b->count, b->chunks, p, &parts));
    }
    return parts.status;
}

/* The most chunks whose counters need no more memory than a sort. */
static int64_t max_chunks(const struct bi_graph_back_list *list, int64_t count)
{
    return list->n ? 4 * count / list->n : 0;
}

/* Counting pays if the memory suffices for a quarter of the threads and the counters are near. */
static bool counts_back_arcs(const bosc_ctx *ctx, const struct bi_graph_back_list *list, int64_t count)
{
    const int64_t chunks = max_chunks(list, count);
    return !list->is_64bit && count > 1 && chunks > 0 && 4 * chunks >= bi_thread_count(ctx, count, GRAIN) &&
           is_local(list, count);
}

static bosc_status count_and_scatter(bosc_ctx *ctx, const struct bi_graph_back_list *list, int64_t count, void *ends)
{
    struct back_pass b = {.list = list, .count = count, .chunks = bi_thread_count(ctx, count, GRAIN), .ends = ends};
    if (b.chunks > max_chunks(list, count)) b.chunks = (int)max_chunks(list, count);
    BI_TRY(bi_scratch_of(ctx, (int64_t)list->n * b.chunks, sizeof *b.counts, (void **)&b.counts));
    BI_TRY(bi_scratch_of(ctx, b.chunks, sizeof *b.sums, (void **)&b.sums));
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "graph_back: injected fault");
/* 1. Count the arcs of each vertex and chunk. */
#pragma omp parallel for schedule(static) num_threads(b.chunks)
    for (int p = 0; p < b.chunks; p++) memset(b.counts + (size_t)p * list->n, 0, (size_t)list->n * sizeof *b.counts);
    BI_TRY(run_pass(ctx, &b, count_part));
    /* 2. Prefix sums over vertices: per range, over ranges, then within ranges. */
#pragma omp parallel for schedule(static) num_threads(b.chunks)
    for (int p = 0; p < b.chunks; p++) b.sums[p] = sum_range(&b, p, 0, false);
    for (int64_t p = 0, before = 0, sum; p < b.chunks; p++, before += sum) {
        sum = b.sums[p];
        b.sums[p] = before;
    }
#pragma omp parallel for schedule(static) num_threads(b.chunks)
    for (int p = 0; p < b.chunks; p++) sum_range(&b, p, b.sums[p], true);
    /* 3. Scatter the arcs. */
    BI_TRY(bi_progress_advance(ctx, (double)count));
    return run_pass(ctx, &b, scatter_part);
}

/* ---- entries ---- */

enum { CHECK_BLOCK = 1024 }; /* entries: 4 KB of 32-bit ids each way, which the second pass finds in the cache */

/* True if one of the ids [part.begin, part.end) is not in 0 to n - 1. n is at least 1, and at most 2^32 for 32-bit
 * ids. The loops have no branch on data, so that they vectorise. */
static bool has_bad_id(const void *ids, bool is_64bit, struct bi_span part, uint64_t n)
{
    const uint64_t *ids64 = ids;
    const uint32_t *ids32 = ids, most = (uint32_t)(n - 1);
    uint32_t bad = 0;
    if (is_64bit)
        for (int64_t i = part.begin; i < part.end; i++) bad |= ids64[i] >= n;
    else
        for (int64_t i = part.begin; i < part.end; i++) bad |= ids32[i] > most;
    return bad != 0;
}

/* True if one of the weights is a NaN, the only value that differs from itself. Integers are not read. */
static bool has_nan(const void *weights, bosc_dtype dtype, struct bi_span part)
{
    const float *floats = weights;
    const double *doubles = weights;
    uint32_t bad = 0;
    if (dtype == BOSC_F32)
        for (int64_t i = part.begin; i < part.end; i++) bad |= floats[i] != floats[i];
    if (dtype == BOSC_F64)
        for (int64_t i = part.begin; i < part.end; i++) bad |= doubles[i] != doubles[i];
    return bad != 0;
}

/* Checks a block of entries, and again one by one if it has a bad one. */
static void check_block(const struct bi_graph_check_entry *a, struct bi_span part)
{
    const struct bi_graph_entries *e = &a->entries;
    const uint64_t n = (uint64_t)e->n;
    const bool bad = n == 0 || has_bad_id(e->u, e->u_is_64bit, part, n) || has_bad_id(e->v, e->v_is_64bit, part, n) ||
                     (a->refuse_nan && has_nan(e->weights, e->dtype, part));
    for (int64_t i = part.begin; i < part.end && bad; i++) bi_step_graph_check_entry(a, i);
}

static bosc_status check_entries(bosc_ctx *ctx, const struct bi_graph_check_entry *check)
{
    const int64_t m = check->entries.m;
    struct bi_batches p = bi_batches_of(ctx, bi_div_up(m, CHECK_BLOCK), CHECK_BLOCK);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "graph_check_entry: injected fault");
    while (bi_next_batch(ctx, &p)) {
        const int threads = bi_thread_count(ctx, (p.end - p.begin) * CHECK_BLOCK, BI_THREAD_ITEMS);
        BI_PARALLEL_FOR(threads, (static), b, p.begin, p.end, {
            const int64_t begin = b * CHECK_BLOCK;
            check_block(check, (struct bi_span){begin, begin + CHECK_BLOCK < m ? begin + CHECK_BLOCK : m});
        });
    }
    return p.status;
}

/* ---- the table ---- */

#define STEP_LIST "graph/steps/steps.def"
#define STEP_TABLE static const struct bi_graph_steps steps
#include "core/step_table.inc"

const struct bi_graph_ops bi_graph_ops_cpu = {.steps = &steps,
                                              .counts_back_arcs = counts_back_arcs,
                                              .back_arcs = count_and_scatter,
                                              .check_entries = check_entries};
