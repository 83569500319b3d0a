/* The caller's entries: checks and stages their arrays, and checks that each entry is an edge. */
#include "core/call.h"
#include "graph/drivers.h"
#include "graph/view.h"

static bosc_status read_vertex(bosc_ctx *ctx, const void *array, bool is_64bit, int64_t i, int64_t *vertex)
{
    uint32_t narrow;
    if (is_64bit) return bi_read_back(ctx, vertex, (const int64_t *)array + i, sizeof *vertex);
    BI_TRY(bi_read_back(ctx, &narrow, (const uint32_t *)array + i, sizeof narrow));
    *vertex = narrow;
    return BOSC_OK;
}

bosc_status bi_graph_bad_entry(bosc_ctx *ctx, const struct bi_graph_entries *e, int64_t i)
{
    int64_t u, v;
    BI_TRY(read_vertex(ctx, e->u, e->u_is_64bit, i, &u));
    BI_TRY(read_vertex(ctx, e->v, e->v_is_64bit, i, &v));
    if (u < 0 || u >= e->n)
        return bi_fail(ctx, BOSC_ERR_DATA, "u: entry %lld is %lld, which is no vertex of %lld", (long long)i,
                       (long long)u, (long long)e->n);
    if (v < 0 || v >= e->n)
        return bi_fail(ctx, BOSC_ERR_DATA, "v: entry %lld is %lld, which is no vertex of %lld", (long long)i,
                       (long long)v, (long long)e->n);
    return bi_fail(ctx, BOSC_ERR_DATA, "weights: entry %lld is NaN", (long long)i);
}

/* With assume_valid entries are not checked, except those of a graph without vertices. */
bool bi_graph_checks_entries(const bosc_graph_opts *opts, const struct bi_graph_entries *e)
{
    return e->m > 0 && !(opts->assume_valid && e->n > 0);
}

/* Integer weights need no check. */
bool bi_graph_refuses_nan(const bosc_graph_opts *opts, const struct bi_graph_entries *e)
{
    return opts->nan == BOSC_GRAPH_NAN_REFUSE && e->weights && (e->dtype == BOSC_F32 || e->dtype == BOSC_F64);
}

bosc_status bi_graph_check_entries(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *e)
{
    struct bi_graph_check_entry check = {.entries = *e, .refuse_nan = bi_graph_refuses_nan(opts, e)};
    int64_t bad = INT64_MAX;
    if (!bi_graph_checks_entries(opts, e)) return BOSC_OK;
    BI_TRY(bi_scratch(ctx, sizeof bad, (void **)&check.bad));
    BI_TRY(ctx->backend->copy(ctx, check.bad, &bad, sizeof bad));
    if (ctx->ops->graph->check_entries)
        BI_TRY(ctx->ops->graph->check_entries(ctx, &check));
    else
        BI_TRY(ctx->ops->graph->steps->graph_check_entry(ctx, e->m, &check));
    BI_TRY(bi_read_back(ctx, &bad, check.bad, sizeof bad));
    return bad == INT64_MAX ? BOSC_OK : bi_graph_bad_entry(ctx, e, bad);
}

bosc_status bi_graph_check_arrays(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *e)
{
    size_t id_bytes = (size_t)opts->id_bits / 8;
    BI_TRY(bi_graph_check_sizes(ctx, opts, e->n, e->m));
    BI_TRY(bi_graph_check_array(ctx, "u", e->u, e->m, id_bytes));
    BI_TRY(bi_graph_check_array(ctx, "v", e->v, e->m, id_bytes));
    return bi_graph_check_array(ctx, "weights", e->weights, 0, bosc_dtype_size(opts->weight));
}

bosc_status bi_graph_stage_weights(bosc_ctx *ctx, struct bi_graph_entries *e)
{
    bool staged = false;
    if (!e->weights) return BOSC_OK;
    return bi_stage_in(ctx, e->weights, (size_t)e->m * bosc_dtype_size(e->dtype), &e->weights, &staged);
}

bosc_status bi_graph_stage_entries(bosc_ctx *ctx, struct bi_graph_entries *e)
{
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, e->u, (size_t)e->m * (e->u_is_64bit ? 8 : 4), &e->u, &staged));
    BI_TRY(bi_stage_in(ctx, e->v, (size_t)e->m * (e->v_is_64bit ? 8 : 4), &e->v, &staged));
    return bi_graph_stage_weights(ctx, e);
}

bosc_status bi_graph_entries_of(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *given,
                                bosc_graph_opts *full, struct bi_graph_entries *entries)
{
    BI_TRY(bi_graph_check_opts(ctx, opts, full));
    *entries = *given;
    entries->dtype = full->weight;
    entries->u_is_64bit = entries->v_is_64bit = full->id_bits == 64;
    BI_TRY(bi_graph_check_arrays(ctx, full, entries));
    return bi_graph_stage_entries(ctx, entries);
}
