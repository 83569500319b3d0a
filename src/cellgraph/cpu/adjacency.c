/* Adjacency on the CPU. Edges are sorted by lower vertex; they are partitioned by ranges of the higher one, keeping
 * that order. So the rows of a range are written entry by entry: first the lower neighbours of its vertices, then
 * the higher ones. */
#include <string.h>

#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/edge_partition.h"

/* The first edge whose lower vertex is at least `vertex`. */
static int64_t find_first_edge(const struct bi_cellgraph_edges *edges, uint64_t vertex)
{
    int64_t low = 0, high = edges->count; /* edges below low are before it, edges from high on are not */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (edges->edges[middle] >> edges->vertex_bits < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void write_neighbour(const struct bi_cellgraph_arcs *a, int64_t *slot, uint32_t neighbour, uint32_t position)
{
    const int64_t at = (*slot)++;
    if (a->neighbours) bi_cellgraph_write_id(a->neighbours, a->is_64bit, at, neighbour);
    if (a->positions) a->positions[at] = position;
}

/* Writes the rows of a range. ends[k]: next slot of the row of vertex `first` + k, at last its end. */
static void write_range(const struct bi_cellgraph_arcs *a, const struct bi_cellgraph_edge_partition *r, uint32_t range,
                        int64_t vertices)
{
    const int64_t first = (int64_t)range << r->range_bits, left = vertices - first, whole = (int64_t)1 << r->range_bits;
    const int64_t count = left < whole ? left : whole;
    const int64_t begin = find_first_edge(&a->edges, (uint64_t)first);
    const int64_t end = find_first_edge(&a->edges, (uint64_t)(first + count));
    const uint64_t *edges = a->edges.edges, mask = (1ull << r->vertex_bits) - 1;
    /* 1. Count the neighbours of each vertex, and scan the counts. */
    /* Arcs of earlier vertices: their edges as the lower end, and as the higher one. */
    int64_t sum = begin + r->starts[range], *ends = a->offsets + first + 1;
    memset(ends, 0, (size_t)count * sizeof *ends);
    for (uint32_t i = r->starts[range]; i < r->starts[range + 1]; i++) ends[bi_cellgraph_edge_local(r, r->packed[i])]++;
    for (int64_t e = begin; e < end; e++) ends[(int64_t)(edges[e] >> r->vertex_bits) - first]++;
    for (int64_t k = 0; k < count; k++) {
        const int64_t here = ends[k];
        ends[k] = sum;
        sum += here;
    }
    /* 2. Write lower neighbours, then higher ones. */
    for (uint32_t i = r->starts[range]; i < r->starts[range + 1]; i++)
        write_neighbour(a, &ends[bi_cellgraph_edge_local(r, r->packed[i])], bi_cellgraph_edge_other(r, r->packed[i]),
                        bi_cellgraph_edge_position(r, r->packed[i]));
    for (int64_t e = begin; e < end; e++)
        write_neighbour(a, &ends[(int64_t)(edges[e] >> r->vertex_bits) - first], (uint32_t)(edges[e] & mask),
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
    BI_TRY(bi_cellgraph_partition_edges(ctx, &r));
    a->offsets[0] = 0;
    struct bi_batches p = bi_batches_of(ctx, r.ranges, 8 * (double)r.count / (double)r.ranges);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(r.threads) if (r.threads > 1)
        for (int64_t k = p.begin; k < p.end; k++) write_range(a, &r, (uint32_t)k, vertices);
    }
    return p.status;
}
