/* Rows of neighbours on the CPU. Edges are in order of their lower vertices; they are partitioned by ranges of the
 * higher ones, in that order, so that a range's rows are written one entry after the other: first the lower neighbours
 * of its vertices, and then the higher ones. */
#include <string.h>

#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/edge_partition.h"

/* The first edge whose lower vertex is not below `vertex`. */
static int64_t edges_before(const struct bi_cellgraph_edges *edges, uint64_t vertex)
{
    int64_t low = 0, high = edges->count; /* edges before low are before it, those from high on are not */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (edges->edges[middle] >> edges->vertex_bits < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put(const struct bi_cellgraph_arcs *a, int64_t *place, uint32_t neighbour, uint32_t position)
{
    const int64_t at = (*place)++;
    if (a->neighbours) bi_cellgraph_put_id(a->neighbours, a->wide, at, neighbour);
    if (a->positions) a->positions[at] = position;
}

/* ends[k]: of the row of vertex `first` + k; until then the place of its next neighbour. */
static void write_range(const struct bi_cellgraph_arcs *a, const struct bi_cellgraph_edge_partition *r, uint32_t range,
                        int64_t vertices)
{
    const int64_t first = (int64_t)range << r->range_bits, left = vertices - first, whole = (int64_t)1 << r->range_bits;
    const int64_t count = left < whole ? left : whole;
    const int64_t begin = edges_before(&a->edges, (uint64_t)first);
    const int64_t end = edges_before(&a->edges, (uint64_t)(first + count));
    const uint64_t *edges = a->edges.edges, mask = (1ull << r->vertex_bits) - 1;
    int64_t sum = begin + r->starts[range], *ends = a->offsets + first + 1;
    memset(ends, 0, (size_t)count * sizeof *ends);
    for (uint32_t i = r->starts[range]; i < r->starts[range + 1]; i++) ends[bi_cellgraph_edge_local(r, r->packed[i])]++;
    for (int64_t e = begin; e < end; e++) ends[(int64_t)(edges[e] >> r->vertex_bits) - first]++;
    for (int64_t k = 0; k < count; k++) {
        const int64_t here = ends[k];
        ends[k] = sum;
        sum += here;
    }
    for (uint32_t i = r->starts[range]; i < r->starts[range + 1]; i++)
        put(a, &ends[bi_cellgraph_edge_local(r, r->packed[i])], bi_cellgraph_edge_other(r, r->packed[i]),
            bi_cellgraph_edge_position(r, r->packed[i]));
    for (int64_t e = begin; e < end; e++)
        put(a, &ends[(int64_t)(edges[e] >> r->vertex_bits) - first], (uint32_t)(edges[e] & mask),
            a->edges.positions[e]);
}

bosc_status bi_cellgraph_cpu_rows(bosc_ctx *ctx, const struct bi_cellgraph_arcs *a, int64_t vertices, int32_t length)
{
    struct bi_cellgraph_edge_partition r = {.edges = a->edges.edges,
                                            .positions = a->edges.positions,
                                            .count = a->edges.count,
                                            .vertex_bits = a->edges.vertex_bits,
                                            .by_higher = true};
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "rows: injected fault");
    BI_TRY(bi_cellgraph_edge_partition_open(ctx, &r, vertices, length));
    BI_TRY(bi_cellgraph_edge_partition_run(ctx, &r));
    a->offsets[0] = 0;
    struct bi_parts p = bi_parts_of(ctx, r.ranges, 8 * (double)r.count / (double)r.ranges);
    while (bi_next_part(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(r.threads) if (r.threads > 1)
        for (int64_t k = p.begin; k < p.end; k++) write_range(a, &r, (uint32_t)k, vertices);
    }
    return p.status;
}
