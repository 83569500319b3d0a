/* Partitions edges by ranges of vertices: counts, a scan, and a scatter, by all threads. */
#include "cellgraph/cpu/edge_partition.h"

#include <string.h>

#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/radix_partition.h"

enum {
    RANGE_BITS = 8, /* ranges whose write positions fit the caches; chosen */
    MIN_BITS = 12,  /* vertices of a range; chosen */
    MAX_BITS = 16,  /* a packed edge has 64 bits: 16 of its vertex, 32 of the other, 16 of the position */
    THREAD_EDGES = BI_THREAD_ITEMS / 4 /* edges worth a thread */
};

/* The edge with the vertex by which it is partitioned in the upper bits. */
static uint64_t order_ends(const struct bi_cellgraph_edge_partition *r, uint64_t edge)
{
    const uint64_t low = edge >> r->vertex_bits, high = edge ^ low << r->vertex_bits;
    return r->by_higher ? high << r->vertex_bits | low : edge;
}

static uint32_t range_of(const struct bi_cellgraph_edge_partition *r, uint64_t edge)
{
    return (uint32_t)(edge >> r->vertex_bits >> r->range_bits);
}

static void count_edges(const struct bi_cellgraph_edge_partition *r, int32_t thread, struct bi_span part)
{
    uint32_t *counts = r->slots + (size_t)thread * r->ranges;
    for (int64_t e = part.begin; e < part.end; e++) counts[range_of(r, order_ends(r, r->edges[e]))]++;
}

static void scatter_edges(const struct bi_cellgraph_edge_partition *r, int32_t thread, struct bi_span part)
{
    uint32_t *slots = r->slots + (size_t)thread * r->ranges;
    const uint64_t mask = ((uint64_t)1 << (r->vertex_bits + r->range_bits)) - 1;
    for (int64_t e = part.begin; e < part.end; e++) {
        const uint64_t edge = order_ends(r, r->edges[e]);
        r->packed[slots[range_of(r, edge)]++] = (edge & mask) << r->position_bits | r->positions[e];
    }
}

bosc_status bi_cellgraph_edge_partition_open(bosc_ctx *ctx, struct bi_cellgraph_edge_partition *r, int64_t vertices,
                                             int32_t length)
{
    r->threads = bi_thread_count(ctx, r->count, THREAD_EDGES);
    r->position_bits = bi_bit_length((uint64_t)length - 1);
    r->range_bits = r->vertex_bits - RANGE_BITS;
    if (r->range_bits < MIN_BITS) r->range_bits = r->vertex_bits < MIN_BITS ? r->vertex_bits : MIN_BITS;
    if (r->range_bits > MAX_BITS) r->range_bits = MAX_BITS;
    r->ranges = (uint32_t)bi_div_up(vertices, (int64_t)1 << r->range_bits);
    BI_TRY(bi_scratch_of(ctx, r->count, 8, &r->packed));
    BI_TRY(bi_scratch_of(ctx, (int64_t)r->ranges * r->threads, 4, &r->slots));
    return bi_scratch_of(ctx, (int64_t)r->ranges + 1, 4, &r->starts);
}

/* Calls `edges` for the edges of each thread. */
static bosc_status pass_over_edges(bosc_ctx *ctx, const struct bi_cellgraph_edge_partition *r,
                                   void (*edges)(const struct bi_cellgraph_edge_partition *, int32_t thread,
                                                 struct bi_span))
{
    struct bi_batches p = bi_chunk_batches(ctx, r->count, r->threads, 2);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static, 1) num_threads(r->threads) if (r->threads > 1)
        for (int32_t t = 0; t < r->threads; t++) edges(r, t, bi_batch_of_chunk(r->count, r->threads, t, &p));
    }
    return p.status;
}

bosc_status bi_cellgraph_partition_edges(bosc_ctx *ctx, const struct bi_cellgraph_edge_partition *r)
{
    memset(r->slots, 0, (size_t)r->threads * r->ranges * sizeof *r->slots);
    BI_TRY(pass_over_edges(ctx, r, count_edges));
    bi_cellgraph_scan_counts(r->slots, r->ranges, r->threads, r->ranges, r->starts);
    return pass_over_edges(ctx, r, scatter_edges);
}
