/* The CPU's table of cell graphs, with its costs, and the lookups of its steps. A thread queues the vectors that pass
 * the filter, and prefetches all index entries, then all hashes, then all vertices, before it reads any. */
#include "cellgraph/cellgraph.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/steps/sample.h"
#include "core/steps.h"

/* ---- lookups ---- */

/* Vertices with the hashes of lookups. */
struct matches {
    int32_t count;
    uint8_t probes[BI_CELLGRAPH_PROBE_QUEUE];
    uint32_t vertices[BI_CELLGRAPH_PROBE_QUEUE];
};

/* Compares the vertices with the vectors looked up. */
static void compare_matches(const struct bi_cellgraph_probe *a, struct matches *matches)
{
    const struct bi_cellgraph_view *v = &a->view;
    uint64_t edges[BI_CELLGRAPH_PROBE_QUEUE];
    uint32_t positions[BI_CELLGRAPH_PROBE_QUEUE], found = 0;
    for (int32_t k = 0; k < matches->count; k++) {
        const int32_t s = a->pending->probes[matches->probes[k]].s;
        const uint64_t x = (uint64_t)a->pending->probes[matches->probes[k]].vertex, y = matches->vertices[k];
        const uint64_t *of_x = bi_cellgraph_row(v, (int64_t)x), *of_y = bi_cellgraph_row(v, (int64_t)y);
        const bool joined = of_y[s] == a->pending->probes[matches->probes[k]].word &&
                            bi_cellgraph_is_one_letter(of_x[s] ^ of_y[s], v->shape.letter_bits) &&
                            bi_cellgraph_equal_except(of_x, of_y, v->shape.words, s);
        if (!joined) continue;
        edges[found] = (x < y ? x : y) << a->found.vertex_bits | (x < y ? y : x);
        positions[found++] = bi_cellgraph_position(&v->shape, s, of_x[s] ^ of_y[s]);
    }
    bi_cellgraph_cpu_append(&a->found, edges, positions, found);
    matches->count = 0;
}

/* Looks up the vectors in a thread's queue, and appends the edges. */
static void flush_probes(const struct bi_cellgraph_probe *a)
{
    const struct bi_cellgraph_dictionary *d = &a->dictionary;
    const int shift = 64 - d->index_bits;
    struct bi_cellgraph_probe_queue *w = a->pending;
    struct matches matches = {.count = 0};
    for (int32_t k = 0; k < w->count; k++) __builtin_prefetch(&d->starts[w->probes[k].hash >> shift]);
    for (int32_t k = 0; k < w->count; k++) {
        const uint32_t at = d->starts[w->probes[k].hash >> shift];
        __builtin_prefetch(&d->hashes[at]);
        __builtin_prefetch(&d->order[at]);
    }
    for (int32_t k = 0; k < w->count; k++) {
        const uint64_t hash = w->probes[k].hash, entry = hash >> shift;
        for (uint32_t q = d->starts[entry]; q < d->starts[entry + 1]; q++) {
            if (d->hashes[q] != hash || (int64_t)d->order[q] >= w->probes[k].limit) continue;
            __builtin_prefetch(bi_cellgraph_row(&a->view, d->order[q]));
            __builtin_prefetch(bi_cellgraph_row(&a->view, d->order[q]) + w->probes[k].s);
            matches.probes[matches.count] = (uint8_t)k;
            matches.vertices[matches.count++] = d->order[q];
            if (matches.count == BI_CELLGRAPH_PROBE_QUEUE) compare_matches(a, &matches);
        }
    }
    compare_matches(a, &matches);
    w->count = 0;
}

/* ---- costs ---- */

/* Costs of AUTO, for one thread. */
static const struct bi_cellgraph_costs costs = {
    .pair = 1.5,
    .pair_word = 1.0,
    .row = 12,
    .dictionary = 1000,
    .dictionary_vertex = 25,
    .probe = 2.6,
    .vote = 1.0,
    .hit = 45,
    .hit_word = 3.7,
    .cached_vertices = 8192,
    .join = 800,
    .join_vertex = 4.5,
    .join_word = 1.6,
    .join_pair = 3.5,
    .join_pair_word = 0.4,
    .halves = 10000,
    .halves_vertex = 200,
    .halves_probe = 4,
    .max_group = 1e30,
    .max_pairs = 24,
    .plain_pairs = 3,
    /* Measured on one thread of a busy AMD EPYC, random rows: with 1 to 2 words a row TABLE takes as long as ZOBRIST or
     * less, down to a third where most words repeat; with 16 words a row up to twice as long. */
    .table_words = 2,
    .table_free = 1 << 10,
    .table_rows = 1e30,
    .compare_all = 32,
    .max_sample = BI_CELLGRAPH_CPU_SAMPLE,
};

/* ---- the table ---- */

#define BI_CELLGRAPH_WITHOUT_PROBES
#define BI_STEP BI_STEP_CPU
#define BI_QUICK_STEP BI_QUICK_STEP_CPU
#include "cellgraph/steps/steps.def"
#undef BI_STEP
#undef BI_CELLGRAPH_WITHOUT_PROBES

/* A step whose lookups a thread queues; `probe` of its arguments, a copy named local_args. */
#define PROBE_STEP(name, args_t, probe)                                                                \
    static void probe_part_##name(bosc_ctx *ctx, int64_t begin, int64_t end, const void *args)         \
    {                                                                                                  \
        _Pragma("omp parallel num_threads(bi_thread_count_by_cost(ctx, end - begin, BI_STEP_COST))")   \
        {                                                                                              \
            args_t local_args = *(const args_t *)args;                                                 \
            struct bi_cellgraph_probe_queue pending;                                                   \
            pending.count = 0;                                                                         \
            pending.flush = flush_probes;                                                              \
            probe.pending = &pending;                                                                  \
            _Pragma("omp for schedule(static) nowait") for (int64_t i = begin; i < end; i++)           \
                bi_step_##name(&local_args, i);                                                        \
            flush_probes(&probe);                                                                      \
        }                                                                                              \
        (void)ctx;                                                                                     \
    }                                                                                                  \
    static bosc_status cpu_step_##name(bosc_ctx *ctx, int64_t n, const void *args)                     \
    {                                                                                                  \
        if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, #name ": injected fault"); \
        struct bi_batches p = bi_batches_of(ctx, n, 8);                                                \
        while (bi_next_batch(ctx, &p)) probe_part_##name(ctx, p.begin, p.end, args);                   \
        return p.status;                                                                               \
    }
PROBE_STEP(cellgraph_probe_neighbours, struct bi_cellgraph_probe, local_args)
PROBE_STEP(cellgraph_probe_new, struct bi_cellgraph_probe, local_args)
PROBE_STEP(cellgraph_probe_long_run, struct bi_cellgraph_join, local_args.probe)

static const struct bi_cellgraph_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "cellgraph/steps/steps.def"
#undef BI_STEP
};

static struct bi_cellgraph_sizes sizes(const bosc_ctx *ctx, const struct bi_letters *shape, int64_t n,
                                       int64_t max_bytes)
{
    (void)shape, (void)max_bytes;
    return (struct bi_cellgraph_sizes){bi_cellgraph_cpu_unique_bytes(n, ctx->threads),
                                       bi_cellgraph_cpu_join_bytes(n, BI_CELLGRAPH_SEGMENTS, ctx->threads)};
}

const struct bi_cellgraph_ops bi_cellgraph_ops_cpu = {.steps = &steps,
                                                      .costs = &costs,
                                                      .sizes = sizes,
                                                      .unique = bi_cellgraph_cpu_unique,
                                                      .join = bi_cellgraph_cpu_join,
                                                      .search = bi_cellgraph_cpu_search,
                                                      .order = bi_cellgraph_cpu_order,
                                                      .dobrowolski = bi_cellgraph_cpu_dobrowolski,
                                                      .rows = bi_cellgraph_cpu_rows,
                                                      .table_edges = bi_cellgraph_cpu_table_edges};
