/* TABLE on the CPU: the higher neighbours of each vertex are counted, then written and sorted. */
#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/table_edges.h"

/* Calls `ranks` for the ranks of each thread. */
static bosc_status pass_over_ranks(bosc_ctx *ctx, const struct bi_cellgraph_table_edges *a, int64_t vertices,
                                   bi_cellgraph_rank_pass ranks)
{
    enum { NEIGHBOUR_ITEMS = 4 /* cost of a neighbour for the number of threads, in simple items; estimated */ };
    const int32_t neighbours = bi_cellgraph_neighbour_count(&a->table->shape);
    struct bi_batches p = bi_batches_of(ctx, vertices, 1 + neighbours);
    while (bi_next_batch(ctx, &p)) {
        const int32_t threads = bi_thread_count_by_cost(ctx, p.end - p.begin, NEIGHBOUR_ITEMS * (1 + neighbours));
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
        for (int32_t t = 0; t < threads; t++)
            ranks(a, p.begin + bi_chunk_begin(p.end - p.begin, threads, t),
                  p.begin + bi_chunk_begin(p.end - p.begin, threads, t + 1));
    }
    return p.status;
}

bosc_status bi_cellgraph_cpu_table_edges(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_table *table)
{
    struct bi_cellgraph_table_edges all = {.table = table, .vertex_bits = graph->vertex_bits};
    const int64_t vertices = graph->vertices;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "table_edges: injected fault");
    /* 1. Count the edges of each vertex. */
    BI_TRY(bi_scratch_of(ctx, vertices + 1, 8, &all.starts));
    all.starts[vertices] = 0;
    table->ids[vertices] = 0;
    BI_TRY(pass_over_ranks(ctx, &all, vertices, BI_LEVEL_PICK(ctx->level, bi_cellgraph_count_edges)));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U64, all.starts, vertices + 1, all.starts));
    table->edges = (int64_t)all.starts[vertices];
    if (table->edges == 0) return BOSC_OK;
    /* 2. Write them. */
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_EDGES, table->edges, 8));
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_POSITIONS, table->edges, 4));
    all.edges = graph->blocks[BI_CELLGRAPH_EDGES].data;
    all.positions = graph->blocks[BI_CELLGRAPH_POSITIONS].data;
    BI_TRY(pass_over_ranks(ctx, &all, vertices, BI_LEVEL_PICK(ctx->level, bi_cellgraph_write_edges)));
    graph->edges = table->edges;
    return BOSC_OK;
}
