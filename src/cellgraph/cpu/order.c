/* Sorts edges on the CPU: partitioned by ranges of lower vertices, grouped by vertex, and sorted. */
#include <string.h>

#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/edge_partition.h"

enum { INSERTION_LIMIT = 24 }; /* largest group sorted by insertion; chosen */

struct order {
    struct bi_cellgraph_edge_partition ranges;
    uint32_t *vertex_slots; /* (threads x vertices of a range) next slot of a vertex */
    uint64_t *edges;        /* out */
    uint32_t *positions;    /* out */
};

/* Groups the edges of a range by lower vertex; returns the largest group. */
static uint32_t group_by_vertex(const struct order *o, uint32_t range, uint32_t *slots)
{
    const struct bi_cellgraph_edge_partition *r = &o->ranges;
    const uint32_t begin = r->starts[range], end = r->starts[range + 1];
    uint32_t sum = begin, most = 0;
    memset(slots, 0, sizeof *slots << r->range_bits);
    for (uint32_t i = begin; i < end; i++) slots[bi_cellgraph_edge_local(r, r->packed[i])]++;
    for (uint32_t v = 0; v >> r->range_bits == 0; v++) {
        const uint32_t here = slots[v];
        if (here > most) most = here;
        slots[v] = sum;
        sum += here;
    }
    for (uint32_t i = begin; i < end; i++) o->edges[slots[bi_cellgraph_edge_local(r, r->packed[i])]++] = r->packed[i];
    return most;
}

/* Sorts and unpacks the edges of a range. */
static void sort_range(const struct order *o, uint32_t range, uint32_t *slots)
{
    const struct bi_cellgraph_edge_partition *r = &o->ranges;
    const uint32_t begin = r->starts[range], end = r->starts[range + 1];
    const uint64_t first = (uint64_t)range << r->range_bits << r->vertex_bits;
    if (group_by_vertex(o, range, slots) <= INSERTION_LIMIT) {
        bi_cellgraph_insertion_sort(o->edges + begin, end - begin); /* grouped: an edge moves within its group only */
    } else {
        for (uint32_t v = 0, from = begin; v >> r->range_bits == 0; from = slots[v++])
            if (slots[v] > from) bi_cellgraph_heapsort(o->edges + from, slots[v] - from);
    }
    for (uint32_t i = begin; i < end; i++) {
        o->positions[i] = bi_cellgraph_edge_position(r, o->edges[i]);
        o->edges[i] = first + (o->edges[i] >> r->position_bits);
    }
}

bosc_status bi_cellgraph_cpu_order(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_edge_list *found,
                                   int64_t count)
{
    struct order o = {.edges = graph->blocks[BI_CELLGRAPH_EDGES].data,
                      .positions = graph->blocks[BI_CELLGRAPH_POSITIONS].data};
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "order: injected fault");
    o.ranges = (struct bi_cellgraph_edge_partition){
        .edges = found->edges, .positions = found->positions, .count = count, .vertex_bits = found->vertex_bits};
    BI_TRY(bi_cellgraph_edge_partition_open(ctx, &o.ranges, graph->vertices, graph->shape.length));
    const int32_t threads = o.ranges.threads;
    BI_TRY(bi_scratch_of(ctx, (int64_t)threads << o.ranges.range_bits, 4, &o.vertex_slots));
    BI_TRY(bi_cellgraph_partition_edges(ctx, &o.ranges));
    struct bi_batches p = bi_batches_of(ctx, o.ranges.ranges, 8 * (double)count / (double)o.ranges.ranges);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
        for (int64_t r = p.begin; r < p.end; r++)
            sort_range(&o, (uint32_t)r, o.vertex_slots + ((size_t)bi_thread_number() << o.ranges.range_bits));
    }
    return p.status;
}
