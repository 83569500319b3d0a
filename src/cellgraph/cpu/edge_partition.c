#include "cellgraph/cpu/edge_partition.h"

#include <string.h>

#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/radix_partition.h"

enum {
    RANGE_BITS = 8,  /* this many ranges are written to at once without leaving the caches */
    LEAST_BITS = 12, /* of the vertices of a range */
    MOST_BITS = 16,  /* so that an edge fits into a word: 32 for the other vertex, 16 for the position */
    WORTH_A_THREAD = BI_THREAD_ITEMS / 4 /* edges */
};

/* The vertex by which an edge is partitioned, above the other one. */
static uint64_t by_chosen_end(const struct bi_cellgraph_edge_partition *r, uint64_t edge)
{
    const uint64_t low = edge >> r->vertex_bits, high = edge ^ low << r->vertex_bits;
    return r->by_higher ? high << r->vertex_bits | low : edge;
}

static uint32_t range_of(const struct bi_cellgraph_edge_partition *r, uint64_t edge)
{
    return (uint32_t)(edge >> r->vertex_bits >> r->range_bits);
}

static void count(const struct bi_cellgraph_edge_partition *r, int32_t thread, struct bi_span part)
{
    uint32_t *counts = r->places + (size_t)thread * r->ranges;
    for (int64_t e = part.begin; e < part.end; e++) counts[range_of(r, by_chosen_end(r, r->edges[e]))]++;
}

static void scatter(const struct bi_cellgraph_edge_partition *r, int32_t thread, struct bi_span part)
{
    uint32_t *places = r->places + (size_t)thread * r->ranges;
    const uint64_t mask = ((uint64_t)1 << (r->vertex_bits + r->range_bits)) - 1;
    for (int64_t e = part.begin; e < part.end; e++) {
        const uint64_t edge = by_chosen_end(r, r->edges[e]);
        r->packed[places[range_of(r, edge)]++] = (edge & mask) << r->position_bits | r->positions[e];
    }
}

bosc_status bi_cellgraph_edge_partition_open(bosc_ctx *ctx, struct bi_cellgraph_edge_partition *r, int64_t vertices,
                                             int32_t length)
{
    r->threads = bi_thread_count(ctx, r->count, WORTH_A_THREAD);
    r->position_bits = bi_bit_length((uint64_t)length - 1);
    r->range_bits = r->vertex_bits - RANGE_BITS;
    if (r->range_bits < LEAST_BITS) r->range_bits = r->vertex_bits < LEAST_BITS ? r->vertex_bits : LEAST_BITS;
    if (r->range_bits > MOST_BITS) r->range_bits = MOST_BITS;
    r->ranges = (uint32_t)bi_div_up(vertices, (int64_t)1 << r->range_bits);
    BI_TRY(bi_scratch_of(ctx, r->count, 8, &r->packed));
    BI_TRY(bi_scratch_of(ctx, (int64_t)r->ranges * r->threads, 4, &r->places));
    return bi_scratch_of(ctx, (int64_t)r->ranges + 1, 4, &r->starts);
}

/* Each thread passes over its edges. */
static bosc_status pass(bosc_ctx *ctx, const struct bi_cellgraph_edge_partition *r,
                        void (*edges)(const struct bi_cellgraph_edge_partition *, int32_t thread, struct bi_span))
{
    struct bi_parts p = bi_chunk_parts(ctx, r->count, r->threads, 2);
    while (bi_next_part(ctx, &p)) {
#pragma omp parallel for schedule(static, 1) num_threads(r->threads) if (r->threads > 1)
        for (int32_t t = 0; t < r->threads; t++) edges(r, t, bi_chunk_part(r->count, r->threads, t, &p));
    }
    return p.status;
}

bosc_status bi_cellgraph_edge_partition_run(bosc_ctx *ctx, const struct bi_cellgraph_edge_partition *r)
{
    memset(r->places, 0, (size_t)r->threads * r->ranges * sizeof *r->places);
    BI_TRY(pass(ctx, r, count));
    bi_cellgraph_sum_counts(r->places, r->ranges, r->threads, r->ranges, r->starts);
    return pass(ctx, r, scatter);
}
