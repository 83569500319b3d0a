/* Reads a graph: the row of every arc, one arc of every edge, and copies of rows, edges and degrees to the caller's
 * arrays. */
#include "base/bits.h"
#include "core/call.h"
#include "graph/drivers.h"
#include "graph/view.h"

bosc_status bi_graph_expand_rows(bosc_ctx *ctx, const void *offsets, bool is_64bit, int64_t n, int64_t m,
                                 uint32_t *rows)
{
    if (m == 0) return BOSC_OK;
    struct bi_graph_mark_rows mark = {offsets, is_64bit, rows};
    BI_TRY(ctx->backend->fill(ctx, rows, 0, (size_t)m * sizeof *rows));
    BI_TRY(ctx->ops->graph->steps->graph_mark_rows(ctx, n, &mark));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, rows, m, rows);
}

bosc_status bi_graph_list_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_edges *edges)
{
    const struct bi_graph_steps *steps = ctx->ops->graph->steps;
    size_t word = graph->is_64bit ? 8 : 4;
    void *flags, *all, *count;
    BI_TRY(bi_scratch_of(ctx, graph->arcs, sizeof(uint32_t), (void **)&edges->row_of));
    BI_TRY(bi_scratch_of(ctx, graph->arcs, word, &edges->arcs));
    BI_TRY(bi_scratch_of(ctx, graph->arcs, word, &edges->ids));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_scratch_of(ctx, graph->arcs, word, &all));
    BI_TRY(bi_scratch_of(ctx, graph->arcs, 1, &flags));
    BI_TRY(bi_scratch(ctx, sizeof edges->count, &count));
    /* Arcs u -> v with u <= v, selected from all arcs. */
    struct bi_graph_mark_forward forward = {edges->row_of, graph->neighbours.data, flags};
    struct bi_graph_gather_words gather = {graph->edge_ids.data, edges->arcs, graph->is_64bit, edges->ids};
    BI_TRY(bi_graph_expand_rows(ctx, graph->offsets.data, graph->is_64bit, graph->n, graph->arcs, edges->row_of));
    BI_TRY(steps->graph_mark_forward(ctx, graph->arcs, &forward));
    BI_TRY(ctx->backend->core->iota(ctx, word, all, graph->arcs));
    BI_TRY(ctx->backend->core->compact(ctx, word, all, flags, graph->arcs, edges->arcs, count));
    BI_TRY(bi_read_back(ctx, &edges->count, count, sizeof edges->count));
    BI_TRY(steps->graph_gather_words(ctx, edges->count, &gather));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

/* ---- copies to the caller ---- */

/* Output arrays of a call, staged if the backend cannot reach them. */
struct outputs {
    struct bi_out list[4];
    int count;
    bool staged;
};

/* Stages an output; *array = the memory to write to. NULL stays. */
static bosc_status add_output(bosc_ctx *ctx, struct outputs *outs, int64_t n, size_t size, void **array)
{
    struct bi_out *out = &outs->list[outs->count];
    BI_TRY(bi_stage_out(ctx, *array, *array ? (size_t)n * size : 0, out, &outs->staged));
    *array = out->reachable;
    outs->count++;
    return BOSC_OK;
}

static bosc_status copy_back(bosc_ctx *ctx, const struct outputs *outs)
{
    for (int i = 0; i < outs->count; i++) BI_TRY(bi_stage_back(ctx, &outs->list[i]));
    return outs->staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bi_graph_scan_offsets(bosc_ctx *ctx, const void *offsets, bool is_64bit, int64_t n, int64_t *found,
                                  struct bi_graph_offsets_scan *scan)
{
    const size_t word = is_64bit ? 8 : 4;
    const struct bi_graph_check_offsets check = {offsets, is_64bit, n, found};
    *scan = (struct bi_graph_offsets_scan){.bad = INT64_MAX};
    BI_TRY(ctx->backend->copy(ctx, found, &scan->bad, sizeof scan->bad));
    if (n > 0) BI_TRY(ctx->ops->graph->steps->graph_check_offsets(ctx, n, &check));
    BI_TRY(bi_read_back(ctx, &scan->bad, found, sizeof scan->bad));
    BI_TRY(bi_read_back(ctx, &scan->first, offsets, word));
    return bi_read_back(ctx, &scan->last, (const char *)offsets + (size_t)n * word, word);
}

bosc_status bi_graph_convert_words(bosc_ctx *ctx, const void *from, bool from_64bit, void *to, bool to_64bit, int64_t n)
{
    struct bi_graph_copy_words copy = {from, to, from_64bit, to_64bit};
    return to ? ctx->ops->graph->steps->graph_copy_words(ctx, n, &copy) : BOSC_OK;
}

static bosc_status get_rows(bosc_ctx *ctx, const bosc_graph *graph, void *offsets, void *neighbours, void *weights,
                            void *edges)
{
    struct outputs outs = {0};
    const bosc_graph_opts *o = &graph->opts;
    bool is_64bit = o->id_bits == 64;
    BI_TRY(add_output(ctx, &outs, graph->n + 1, sizeof(int64_t), &offsets));
    BI_TRY(add_output(ctx, &outs, graph->arcs, (size_t)o->id_bits / 8, &neighbours));
    BI_TRY(add_output(ctx, &outs, graph->arcs, bosc_dtype_size(o->weight), &weights));
    BI_TRY(add_output(ctx, &outs, graph->arcs, (size_t)o->id_bits / 8, &edges));
    if (offsets && graph->n == 0) BI_TRY(ctx->backend->fill(ctx, offsets, 0, sizeof(int64_t)));
    if (graph->n > 0)
        BI_TRY(bi_graph_convert_words(ctx, graph->offsets.data, graph->is_64bit, offsets, true, graph->n + 1));
    BI_TRY(bi_graph_convert_words(ctx, graph->neighbours.data, false, neighbours, is_64bit, graph->arcs));
    BI_TRY(bi_graph_convert_words(ctx, graph->edge_ids.data, graph->is_64bit, edges, is_64bit, graph->arcs));
    struct bi_graph_copy_weights copy = {graph->keys.data, o->weight, weights};
    if (weights) BI_TRY(ctx->ops->graph->steps->graph_copy_weights(ctx, graph->arcs, &copy));
    return copy_back(ctx, &outs);
}

bosc_status bosc_graph_get_rows(bosc_ctx *ctx, const bosc_graph *graph, int64_t *offsets, void *neighbours,
                                void *weights, void *edges)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    BI_TRY(bi_graph_check_array(ctx, "offsets", offsets, 0, sizeof *offsets));
    BI_TRY(bi_graph_check_array(ctx, "neighbours", neighbours, 0, (size_t)graph->opts.id_bits / 8));
    BI_TRY(bi_graph_check_array(ctx, "weights", weights, 0, bosc_dtype_size(graph->opts.weight)));
    BI_TRY(bi_graph_check_array(ctx, "edges", edges, 0, (size_t)graph->opts.id_bits / 8));
    bi_progress_set_total(ctx, 3 * (double)graph->arcs);
    BI_RETURN_WITH_SCRATCH(ctx, get_rows(ctx, graph, offsets, neighbours, weights, edges));
}

/* Writes the edges in the order of their ids to the outputs of *out. */
static bosc_status edges_by_id(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_fetch_edges *out)
{
    struct bi_graph_edges edges;
    if (graph->m == 0) return BOSC_OK;
    BI_TRY(bi_graph_list_edges(ctx, graph, &edges));
    if (!graph->ids_in_order)
        BI_TRY(ctx->backend->core->sort_pairs(ctx, graph->is_64bit ? BOSC_U64 : BOSC_U32, edges.ids,
                                              graph->is_64bit ? 8 : 4, edges.arcs, edges.count, edges.ids, edges.arcs,
                                              0, bi_bit_length((uint64_t)graph->entries)));
    out->rows = bi_graph_csr_of(graph);
    out->row_of = edges.row_of;
    out->arcs = edges.arcs;
    return ctx->ops->graph->steps->graph_fetch_edges(ctx, graph->m, out);
}

static bosc_status get_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_fetch_edges *out)
{
    struct outputs outs = {0};
    const bosc_graph_opts *o = &graph->opts;
    BI_TRY(add_output(ctx, &outs, graph->m, (size_t)o->id_bits / 8, &out->ids));
    BI_TRY(add_output(ctx, &outs, graph->m, (size_t)o->id_bits / 8, &out->u));
    BI_TRY(add_output(ctx, &outs, graph->m, (size_t)o->id_bits / 8, &out->v));
    BI_TRY(add_output(ctx, &outs, graph->m, bosc_dtype_size(o->weight), &out->weights));
    BI_TRY(edges_by_id(ctx, graph, out));
    return copy_back(ctx, &outs);
}

bosc_status bosc_graph_get_edges(bosc_ctx *ctx, const bosc_graph *graph, void *ids, void *u, void *v, void *weights)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    size_t id_bytes = (size_t)graph->opts.id_bits / 8;
    BI_TRY(bi_graph_check_array(ctx, "ids", ids, 0, id_bytes));
    BI_TRY(bi_graph_check_array(ctx, "u", u, 0, id_bytes));
    BI_TRY(bi_graph_check_array(ctx, "v", v, 0, id_bytes));
    BI_TRY(bi_graph_check_array(ctx, "weights", weights, 0, bosc_dtype_size(graph->opts.weight)));
    struct bi_graph_fetch_edges out = {.out_64bit = id_bytes == 8, .ids = ids, .u = u, .v = v, .weights = weights};
    BI_RETURN_WITH_SCRATCH(ctx, get_edges(ctx, graph, &out));
}

static bosc_status get_degrees(bosc_ctx *ctx, const bosc_graph *graph, void *degrees)
{
    struct outputs outs = {0};
    BI_TRY(add_output(ctx, &outs, graph->n, sizeof(int64_t), &degrees));
    struct bi_graph_row_degrees step = {bi_graph_csr_of(graph), degrees};
    BI_TRY(ctx->ops->graph->steps->graph_row_degrees(ctx, graph->n, &step));
    return copy_back(ctx, &outs);
}

bosc_status bosc_graph_get_degrees(bosc_ctx *ctx, const bosc_graph *graph, int64_t *degrees)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    if (graph->n > 0 && !degrees) return bi_fail(ctx, BOSC_ERR_ARG, "degrees: NULL");
    BI_TRY(bi_graph_check_array(ctx, "degrees", degrees, 0, sizeof *degrees));
    if (graph->n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, get_degrees(ctx, graph, degrees));
}
