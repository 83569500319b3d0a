/* Edges in order on the CPU: partitioned by ranges of lower vertices, put there beside those of the same vertex, and
 * sorted. */
#include <string.h>

#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/edge_partition.h"

enum { FEW = 24 /* edges of a vertex that are put into order one by one */ };

struct order {
    struct bi_cellgraph_edge_partition ranges;
    uint32_t *of_vertices; /* (threads x vertices of a range) where a vertex's next edge goes */
    uint64_t *edges;       /* out */
    uint32_t *positions;   /* out */
};

/* Puts the edges of a range beside those of the same lower vertex; the most that one has. */
static uint32_t gather(const struct order *o, uint32_t range, uint32_t *places)
{
    const struct bi_cellgraph_edge_partition *r = &o->ranges;
    const uint32_t begin = r->starts[range], end = r->starts[range + 1];
    uint32_t sum = begin, most = 0;
    memset(places, 0, sizeof *places << r->range_bits);
    for (uint32_t i = begin; i < end; i++) places[bi_cellgraph_edge_local(r, r->packed[i])]++;
    for (uint32_t v = 0; v >> r->range_bits == 0; v++) {
        const uint32_t here = places[v];
        if (here > most) most = here;
        places[v] = sum;
        sum += here;
    }
    for (uint32_t i = begin; i < end; i++) o->edges[places[bi_cellgraph_edge_local(r, r->packed[i])]++] = r->packed[i];
    return most;
}

static void sort_range(const struct order *o, uint32_t range, uint32_t *places)
{
    const struct bi_cellgraph_edge_partition *r = &o->ranges;
    const uint32_t begin = r->starts[range], end = r->starts[range + 1];
    const uint64_t first = (uint64_t)range << r->range_bits << r->vertex_bits;
    if (gather(o, range, places) <= FEW) {
        bi_cellgraph_insertion_sort(o->edges + begin, end - begin); /* none goes further than to its vertex's first */
    } else {
        for (uint32_t v = 0, from = begin; v >> r->range_bits == 0; from = places[v++])
            if (places[v] > from) bi_cellgraph_heapsort(o->edges + from, places[v] - from);
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
    BI_TRY(bi_scratch_of(ctx, (int64_t)threads << o.ranges.range_bits, 4, &o.of_vertices));
    BI_TRY(bi_cellgraph_edge_partition_run(ctx, &o.ranges));
    struct bi_parts p = bi_parts_of(ctx, o.ranges.ranges, 8 * (double)count / (double)o.ranges.ranges);
    while (bi_next_part(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
        for (int64_t r = p.begin; r < p.end; r++)
            sort_range(&o, (uint32_t)r, o.of_vertices + ((size_t)bi_thread_number() << o.ranges.range_bits));
    }
    return p.status;
}
