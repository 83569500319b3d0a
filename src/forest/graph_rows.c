/* What a graph holds, copied out: rows, edges, degrees. */
#include "base/bits.h"
#include "core/call.h"
#include "forest/graph_front.h"

bosc_status bi_graph_expand_rows(bosc_ctx *ctx, const void *offsets, bool wide, int64_t n, int64_t m, uint32_t *rows)
{
    if (m == 0) return BOSC_OK;
    struct bi_mark_rows mark = {offsets, wide, rows};
    BI_TRY(ctx->backend->fill(ctx, rows, 0, (size_t)m * sizeof *rows));
    BI_TRY(ctx->ops->forest_steps->mark_rows(ctx, n, &mark));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, rows, m, rows);
}

struct bi_rows bi_graph_rows(const bosc_graph *graph)
{
    return (struct bi_rows){.offsets = graph->offsets.data,
                            .neighbours = graph->neighbours.data,
                            .keys = graph->keys.data,
                            .ids = graph->edge_ids.data,
                            .wide = graph->wide,
                            .dtype = graph->opts.weight};
}

/* Outputs of a call, staged where the caller's array is out of reach. */
struct outputs {
    struct bi_out list[4];
    int count;
    bool staged;
};

/* *array becomes the place to write to; NULL stays. */
static bosc_status add_output(bosc_ctx *ctx, struct outputs *outs, int64_t n, size_t size, void **array)
{
    struct bi_out *out = &outs->list[outs->count];
    BI_TRY(bi_stage_out(ctx, *array, *array ? (size_t)n * size : 0, out, &outs->staged));
    *array = out->reachable;
    outs->count++;
    return BOSC_OK;
}

static bosc_status hand_over(bosc_ctx *ctx, const struct outputs *outs)
{
    for (int i = 0; i < outs->count; i++) BI_TRY(bi_stage_back(ctx, &outs->list[i]));
    return outs->staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status check_array(bosc_ctx *ctx, const char *name, const void *array, size_t size)
{
    if ((uintptr_t)array % size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %p is not aligned to %zu bytes", name, array, size);
    return BOSC_OK;
}

static bosc_status copy_words(bosc_ctx *ctx, const void *from, bool from_wide, void *to, bool to_wide, int64_t n)
{
    struct bi_copy_words copy = {from, to, from_wide, to_wide};
    return to ? ctx->ops->forest_steps->copy_words(ctx, n, &copy) : BOSC_OK;
}

static bosc_status get_rows(bosc_ctx *ctx, const bosc_graph *graph, void *offsets, void *neighbours, void *weights,
                            void *edges)
{
    struct outputs outs = {0};
    const bosc_graph_opts *o = &graph->opts;
    bool wide = o->id_bits == 64;
    BI_TRY(add_output(ctx, &outs, graph->n + 1, sizeof(int64_t), &offsets));
    BI_TRY(add_output(ctx, &outs, graph->arcs, (size_t)o->id_bits / 8, &neighbours));
    BI_TRY(add_output(ctx, &outs, graph->arcs, bosc_dtype_size(o->weight), &weights));
    BI_TRY(add_output(ctx, &outs, graph->arcs, (size_t)o->id_bits / 8, &edges));
    if (offsets && graph->n == 0) BI_TRY(ctx->backend->fill(ctx, offsets, 0, sizeof(int64_t)));
    if (graph->n > 0) BI_TRY(copy_words(ctx, graph->offsets.data, graph->wide, offsets, true, graph->n + 1));
    BI_TRY(copy_words(ctx, graph->neighbours.data, false, neighbours, wide, graph->arcs));
    BI_TRY(copy_words(ctx, graph->edge_ids.data, graph->wide, edges, wide, graph->arcs));
    struct bi_copy_weights copy = {graph->keys.data, o->weight, weights};
    if (weights) BI_TRY(ctx->ops->forest_steps->copy_weights(ctx, graph->arcs, &copy));
    return hand_over(ctx, &outs);
}

bosc_status bosc_graph_get_rows(bosc_ctx *ctx, const bosc_graph *graph, int64_t *offsets, void *neighbours,
                                void *weights, void *edges)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    BI_TRY(check_array(ctx, "offsets", offsets, sizeof *offsets));
    BI_TRY(check_array(ctx, "neighbours", neighbours, (size_t)graph->opts.id_bits / 8));
    BI_TRY(check_array(ctx, "weights", weights, bosc_dtype_size(graph->opts.weight)));
    BI_TRY(check_array(ctx, "edges", edges, (size_t)graph->opts.id_bits / 8));
    BI_RETURN_WITH_SCRATCH(ctx, get_rows(ctx, graph, offsets, neighbours, weights, edges));
}

bosc_status bi_graph_list_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_edges *edges)
{
    const struct bi_forest_steps *steps = ctx->ops->forest_steps;
    size_t word = graph->wide ? 8 : 4;
    void *is, *all, *count;
    BI_TRY(bi_forest_scratch(ctx, graph->arcs, sizeof(uint32_t), (void **)&edges->row_of));
    BI_TRY(bi_forest_scratch(ctx, graph->arcs, word, &edges->arcs));
    BI_TRY(bi_forest_scratch(ctx, graph->arcs, word, &edges->ids));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_forest_scratch(ctx, graph->arcs, word, &all));
    BI_TRY(bi_forest_scratch(ctx, graph->arcs, 1, &is));
    BI_TRY(bi_scratch(ctx, sizeof edges->count, &count));
    struct bi_mark_forward forward = {edges->row_of, graph->neighbours.data, is};
    struct bi_iota iota = {all, graph->wide};
    struct bi_gather_words gather = {graph->edge_ids.data, edges->arcs, graph->wide, edges->ids};
    BI_TRY(bi_graph_expand_rows(ctx, graph->offsets.data, graph->wide, graph->n, graph->arcs, edges->row_of));
    BI_TRY(steps->mark_forward(ctx, graph->arcs, &forward));
    BI_TRY(steps->iota(ctx, graph->arcs, &iota));
    BI_TRY(ctx->backend->core->compact(ctx, word, all, is, graph->arcs, edges->arcs, count));
    BI_TRY(bi_read_back(ctx, &edges->count, count, sizeof edges->count));
    BI_TRY(steps->gather_words(ctx, edges->count, &gather));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

bosc_status bi_graph_fetch_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_fetch_edges *out)
{
    struct bi_graph_edges edges;
    if (graph->m == 0) return BOSC_OK;
    BI_TRY(bi_graph_list_edges(ctx, graph, &edges));
    if (!graph->ids_in_order)
        BI_TRY(ctx->backend->core->sort_pairs(ctx, graph->wide ? BOSC_U64 : BOSC_U32, edges.ids, graph->wide ? 8 : 4,
                                              edges.arcs, edges.count, edges.ids, edges.arcs, 0,
                                              bi_bit_length((uint64_t)graph->entries)));
    out->rows = bi_graph_rows(graph);
    out->row_of = edges.row_of;
    out->arcs = edges.arcs;
    return ctx->ops->forest_steps->fetch_edges(ctx, graph->m, out);
}

static bosc_status get_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_fetch_edges *out)
{
    struct outputs outs = {0};
    const bosc_graph_opts *o = &graph->opts;
    BI_TRY(add_output(ctx, &outs, graph->m, (size_t)o->id_bits / 8, &out->ids));
    BI_TRY(add_output(ctx, &outs, graph->m, (size_t)o->id_bits / 8, &out->u));
    BI_TRY(add_output(ctx, &outs, graph->m, (size_t)o->id_bits / 8, &out->v));
    BI_TRY(add_output(ctx, &outs, graph->m, bosc_dtype_size(o->weight), &out->weights));
    BI_TRY(bi_graph_fetch_edges(ctx, graph, out));
    return hand_over(ctx, &outs);
}

bosc_status bosc_graph_get_edges(bosc_ctx *ctx, const bosc_graph *graph, void *ids, void *u, void *v, void *weights)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    size_t id_bytes = (size_t)graph->opts.id_bits / 8;
    BI_TRY(check_array(ctx, "ids", ids, id_bytes));
    BI_TRY(check_array(ctx, "u", u, id_bytes));
    BI_TRY(check_array(ctx, "v", v, id_bytes));
    BI_TRY(check_array(ctx, "weights", weights, bosc_dtype_size(graph->opts.weight)));
    struct bi_fetch_edges out = {.wide_out = id_bytes == 8, .ids = ids, .u = u, .v = v, .weights = weights};
    BI_RETURN_WITH_SCRATCH(ctx, get_edges(ctx, graph, &out));
}

static bosc_status get_degrees(bosc_ctx *ctx, const bosc_graph *graph, void *degrees)
{
    struct outputs outs = {0};
    BI_TRY(add_output(ctx, &outs, graph->n, sizeof(int64_t), &degrees));
    struct bi_row_degrees step = {bi_graph_rows(graph), degrees};
    BI_TRY(ctx->ops->forest_steps->row_degrees(ctx, graph->n, &step));
    return hand_over(ctx, &outs);
}

bosc_status bosc_graph_get_degrees(bosc_ctx *ctx, const bosc_graph *graph, int64_t *degrees)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    if (graph->n > 0 && !degrees) return bi_fail(ctx, BOSC_ERR_ARG, "degrees: NULL");
    BI_TRY(check_array(ctx, "degrees", degrees, sizeof *degrees));
    if (graph->n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, get_degrees(ctx, graph, degrees));
}
