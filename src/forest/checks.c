/* Argument checks shared by the calls, and the order of a graph's edges under the caller's options. */
#include "core/check.h"
#include "forest/drivers.h"

bosc_status bi_msf_check_opts(bosc_ctx *ctx, const struct bi_graph_view *graph, const bosc_msf_opts *opts,
                              bosc_msf_opts *full)
{
    bosc_dtype t = graph->weight;
    BI_TRY(bi_read_opts(ctx, "bosc_msf_opts", opts, full, sizeof *full));
    if ((int)full->algorithm < BOSC_MSF_AUTO || full->algorithm > BOSC_MSF_ATOMIC)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: algorithm %d is none of AUTO, PRIMITIVES, ATOMIC",
                       (int)full->algorithm);
    if (full->trees < 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: trees %lld is less than 0", (long long)full->trees);
    if (full->replicated_bytes < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: replicated_bytes %lld is less than 0",
                       (long long)full->replicated_bytes);
    if (!full->limit) return BOSC_OK;
    if ((uintptr_t)full->limit % bosc_dtype_size(t))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: limit is not aligned to a weight of %zu bytes", bosc_dtype_size(t));
    if (bi_graph_is_nan_key(t, bi_graph_weight_key(full->limit, t, 0)))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: limit is NaN");
    return BOSC_OK;
}

/* The order of edges under the options, masks left out. Without a limit, the limit is the greatest rank. */
static struct bi_msf_order order_of(const struct bi_graph_view *graph, const bosc_msf_opts *opts)
{
    bosc_dtype t = graph->weight;
    uint64_t ones = bi_graph_has_64bit_keys(t) ? UINT64_MAX : UINT32_MAX;
    struct bi_msf_order order = {.flip = opts->maximum ? ones : 0, .number = ones, .limit = ones};
    if (t == BOSC_F32) order.number = bi_key_u32_of_f32(bi_f32_from_bits(0x7f800000u)); /* of infinity */
    if (t == BOSC_F64) order.number = bi_key_u64_of_f64(bi_f64_from_bits(0x7ff0000000000000ull));
    if (opts->limit) order.limit = bi_msf_rank(&order, bi_graph_weight_key(opts->limit, t, 0));
    return order;
}

bosc_status bi_msf_rows_of(bosc_ctx *ctx, const struct bi_graph_view *graph, const bosc_msf_opts *opts,
                           struct bi_msf_rows *rows)
{
    struct bi_msf_order order = order_of(graph, opts);
    const void *vertices = NULL, *edges = NULL;
    bool staged = false;
    if (opts->vertex_mask) BI_TRY(bi_stage_in(ctx, opts->vertex_mask, (size_t)graph->n, &vertices, &staged));
    if (opts->edge_mask) BI_TRY(bi_stage_in(ctx, opts->edge_mask, (size_t)graph->entries, &edges, &staged));
    order.vertex_mask = vertices;
    order.edge_mask = edges;
    *rows = bi_msf_rows_in(graph, &order);
    return BOSC_OK;
}

bosc_status bi_forest_check_ids(bosc_ctx *ctx, const struct bi_graph_view *graph, const char *name, const void *array)
{
    if ((uintptr_t)array % (uintptr_t)(graph->id_bits / 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: not aligned to elements of %d bits", name, (int)graph->id_bits);
    return BOSC_OK;
}

bosc_status bi_forest_check_id_bits(bosc_ctx *ctx, int32_t id_bits)
{
    if (id_bits == 32 || id_bits == 64) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)id_bits);
}

bosc_status bi_forest_check_tree(bosc_ctx *ctx, const void *pairs, int64_t n, int32_t id_bits)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > (int64_t)1 << 31)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld vertices; a tree has at most 2^31", (long long)n);
    if (n > 1 && !pairs) return bi_fail(ctx, BOSC_ERR_ARG, "pairs: NULL");
    if ((uintptr_t)pairs % (uintptr_t)(id_bits / 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "pairs: not aligned to elements of %d bits", (int)id_bits);
    return BOSC_OK;
}
