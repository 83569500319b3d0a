/* Edges in order on the CPU. They are dealt to ranges of lower vertices, as one word each, whose tables fit into a
 * cache; there they are put beside those of the same vertex, and sorted. */
#include <string.h>

#include "base/fault.h"
#include "cellgraph/cpu.h"
#include "cellgraph/cpu_deal.h"

enum {
    RANGE_BITS = 8,        /* so many ranges are written to at once without leaving the caches */
    LEAST_BITS = 12,       /* of the vertices of a range */
    MOST_BITS = 16,        /* so that an edge fits into a word: 32 for the higher vertex, 16 for the position */
    FEW = 24,              /* edges of a vertex that are put into order one by one */
    WORTH_A_THREAD = 8192, /* edges */
};

struct order {
    const struct bi_cell_found *found;
    int64_t count;
    int32_t threads;
    uint32_t ranges;
    int32_t range_bits;    /* of the vertices of a range */
    int32_t position_bits; /* of a position */
    uint32_t *places;      /* (threads x ranges) counts, then where a thread's edges of a range go */
    uint32_t *starts;      /* (ranges + 1) of each range's edges */
    uint32_t *of_vertices; /* (threads x vertices of a range) where a vertex's next edge goes */
    uint64_t *packed;      /* (count) lower vertex in its range, higher vertex, position */
    uint64_t *edges;       /* out */
    uint32_t *positions;   /* out */
};

static uint32_t range_of(const struct order *o, uint64_t edge)
{
    return (uint32_t)(edge >> o->found->vertex_bits >> o->range_bits);
}

static void count(const struct order *o, int32_t thread)
{
    uint32_t *counts = o->places + (size_t)thread * o->ranges;
    memset(counts, 0, o->ranges * sizeof *counts);
    for (int64_t e = bi_cell_share(o->count, thread, o->threads), end = bi_cell_share(o->count, thread + 1, o->threads);
         e < end; e++)
        counts[range_of(o, o->found->edges[e])]++;
}

static void deal(const struct order *o, int32_t thread)
{
    uint32_t *places = o->places + (size_t)thread * o->ranges;
    const uint64_t mask = ((uint64_t)1 << (o->found->vertex_bits + o->range_bits)) - 1;
    for (int64_t e = bi_cell_share(o->count, thread, o->threads), end = bi_cell_share(o->count, thread + 1, o->threads);
         e < end; e++) {
        const uint64_t edge = o->found->edges[e];
        o->packed[places[range_of(o, edge)]++] = (edge & mask) << o->position_bits | o->found->positions[e];
    }
}

/* Puts the edges of a range beside those of the same lower vertex; the most that one has. */
static uint32_t gather(const struct order *o, uint32_t range, uint32_t *places)
{
    const int shift = o->found->vertex_bits + o->position_bits;
    uint32_t sum = o->starts[range], most = 0;
    memset(places, 0, sizeof *places << o->range_bits);
    for (uint32_t i = o->starts[range]; i < o->starts[range + 1]; i++) places[o->packed[i] >> shift]++;
    for (uint32_t v = 0; v >> o->range_bits == 0; v++) {
        const uint32_t here = places[v];
        if (here > most) most = here;
        places[v] = sum;
        sum += here;
    }
    for (uint32_t i = o->starts[range]; i < o->starts[range + 1]; i++)
        o->edges[places[o->packed[i] >> shift]++] = o->packed[i];
    return most;
}

static void tidy(const struct order *o, uint32_t range, int32_t thread)
{
    const uint32_t begin = o->starts[range], end = o->starts[range + 1];
    uint32_t *places = o->of_vertices + ((size_t)thread << o->range_bits);
    const uint64_t first = (uint64_t)range << o->range_bits << o->found->vertex_bits;
    if (gather(o, range, places) <= FEW) {
        bi_cell_insertion_sort(o->edges + begin, end - begin); /* none goes further than to its vertex's first */
    } else {
        for (uint32_t v = 0, from = begin; v >> o->range_bits == 0; from = places[v++])
            if (places[v] > from) bi_cell_heapsort(o->edges + from, places[v] - from);
    }
    for (uint32_t i = begin; i < end; i++) {
        const uint64_t packed = o->edges[i];
        o->edges[i] = first + (packed >> o->position_bits);
        o->positions[i] = (uint32_t)packed & ((1u << o->position_bits) - 1);
    }
}

static void tidy_ranges(const struct order *o, int32_t thread, uint32_t *next)
{
    uint32_t r;
    while ((r = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < o->ranges) tidy(o, r, thread);
}

static bosc_status open(bosc_ctx *ctx, const bosc_cellgraph *graph, struct order *o)
{
    const int32_t bits = o->found->vertex_bits;
    o->threads = o->count > WORTH_A_THREAD ? ctx->threads : 1;
    o->position_bits = bi_bit_length((uint64_t)graph->shape.length - 1);
    o->range_bits = bits < LEAST_BITS ? bits : bits < LEAST_BITS + RANGE_BITS ? LEAST_BITS : bits - RANGE_BITS;
    if (o->range_bits > MOST_BITS) o->range_bits = MOST_BITS;
    o->ranges = (uint32_t)bi_div_up(graph->vertices, (int64_t)1 << o->range_bits);
    BI_TRY(bi_cell_scratch(ctx, o->count, 8, &o->packed));
    BI_TRY(bi_cell_scratch(ctx, (int64_t)o->ranges * o->threads, 4, &o->places));
    BI_TRY(bi_cell_scratch(ctx, (int64_t)o->ranges + 1, 4, &o->starts));
    return bi_cell_scratch(ctx, (int64_t)o->threads << o->range_bits, 4, &o->of_vertices);
}

bosc_status bi_cell_cpu_order(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_found *found, int64_t edges)
{
    struct order o = {.found = found,
                      .count = edges,
                      .edges = graph->blocks[BI_CELL_EDGES].data,
                      .positions = graph->blocks[BI_CELL_POSITIONS].data};
    uint32_t next = 0;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "order: injected fault");
    BI_TRY(open(ctx, graph, &o));
    const int32_t threads = o.threads;
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (int32_t t = 0; t < threads; t++) count(&o, t);
    bi_cell_sum_places(o.places, o.ranges, threads, o.ranges, o.starts);
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (int32_t t = 0; t < threads; t++) deal(&o, t);
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (int32_t t = 0; t < threads; t++) tidy_ranges(&o, t, &next);
    return BOSC_OK;
}
