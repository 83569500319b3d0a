/* Options of searches by any metric: checks them, and converts them for the steps. */
#include "kdtree/metric.h"

#include <math.h>

#include "core/call.h"

static bosc_status check_periods(bosc_ctx *ctx, int32_t dim, bosc_kdtree_query_opts *o)
{
    bool periodic = false;
    for (int32_t c = 0; o->periods && c < dim; c++) {
        if (!(o->periods[c] >= 0 && o->periods[c] < INFINITY))
            return bi_fail(ctx, BOSC_ERR_ARG, "opts: periods: %g, of coordinate %d, is not 0 or more and finite",
                           o->periods[c], (int)c);
        periodic |= o->periods[c] > 0;
    }
    if (!periodic) o->periods = NULL;
    return BOSC_OK;
}

bosc_status bi_kdtree_check_query_opts(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                       bosc_kdtree_query_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_kdtree_query_opts", opts, full, sizeof *full));
    if (full->p == 0) full->p = 2;
    if (!(full->p >= 1)) return bi_fail(ctx, BOSC_ERR_ARG, "opts: p: %g is less than 1", full->p);
    if (!(full->epsilon >= 0 && full->epsilon < INFINITY))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: epsilon: %g is not 0 or more and finite", full->epsilon);
    BI_TRY(bi_check_aligned(ctx, "opts: periods", full->periods, sizeof *full->periods));
    return check_periods(ctx, tree->opts.dim, full);
}

bosc_status bi_kdtree_check_bounds(bosc_ctx *ctx, const char *name, const double *bounds, const char *count_name,
                                   int64_t count, int64_t query_count)
{
    if (count != 1 && count != query_count)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is neither 1 nor query_count, %lld", count_name, (long long)count,
                       (long long)query_count);
    if (!bounds) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, bounds, sizeof *bounds);
}

bosc_status bi_kdtree_check_pair_opts(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                      bosc_kdtree_query_opts *full)
{
    BI_TRY(bi_kdtree_check_query_opts(ctx, tree, opts, full));
    if (full->bounds) return bi_fail(ctx, BOSC_ERR_ARG, "opts: bounds: not for pairs");
    if (full->self || full->exclude_self)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: %s: not for pairs", full->self ? "self" : "exclude_self");
    return BOSC_OK;
}

bosc_status bi_kdtree_check_other(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other)
{
    BI_TRY(bi_check_handle(ctx, "other", other ? &other->memory : NULL));
    if (other->opts.dtype != tree->opts.dtype)
        return bi_fail(ctx, BOSC_ERR_ARG, "other: its points are %s, those of tree %s",
                       bosc_dtype_name(other->opts.dtype), bosc_dtype_name(tree->opts.dtype));
    if (other->opts.dim != tree->opts.dim)
        return bi_fail(ctx, BOSC_ERR_ARG, "other: its dim is %d, that of tree %d", (int)other->opts.dim,
                       (int)tree->opts.dim);
    return BOSC_OK;
}

/* Measures `extents` by two reductions for each coordinate. */
static bosc_status measure_extents(bosc_ctx *ctx, const bosc_kdtree *tree, double *extents)
{
    static const bosc_op ends[2] = {BOSC_MIN, BOSC_MAX};
    const int32_t dim = tree->opts.dim;
    struct bi_kdtree_coordinates column = {.view = tree->ops->view(tree)};
    double *reduced;
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *column.to, &column.to));
    BI_TRY(bi_scratch_of(ctx, 2 * (int64_t)dim, sizeof *reduced, &reduced));
    for (column.c = 0; column.c < dim; column.c++) {
        BI_TRY(tree->ops->steps->coordinates(ctx, tree->nodes, &column));
        for (int32_t e = 0; e < 2; e++)
            BI_TRY_WITH_SCRATCH(ctx, ctx->backend->core->reduce(ctx, ends[e], BOSC_F64, column.to, tree->nodes,
                                                                reduced + e * dim + column.c));
    }
    BI_TRY(ctx->backend->copy(ctx, extents, reduced, 2 * (size_t)dim * sizeof *extents));
    return ctx->backend->sync(ctx);
}

static size_t extents_size(const bosc_kdtree *tree)
{
    return 2 * (size_t)tree->opts.dim * sizeof *tree->query_cache.extents;
}

bosc_status bi_kdtree_extents(bosc_ctx *ctx, const bosc_kdtree *tree, const double **extents)
{
    double **cached = &((bosc_kdtree *)tree)->query_cache.extents, *found = __atomic_load_n(cached, __ATOMIC_ACQUIRE),
           *none = NULL;
    *extents = found;
    if (found) return BOSC_OK;
    double *fresh = bi_memory_alloc(&tree->host, extents_size(tree));
    if (!fresh) return bi_fail(ctx, BOSC_ERR_NOMEM, "out of host memory: %zu bytes were refused", extents_size(tree));
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = measure_extents(ctx, tree, fresh));
    if (status == BOSC_OK &&
        __atomic_compare_exchange_n(cached, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        *extents = fresh;
    else {
        bi_memory_release(&tree->host, fresh, extents_size(tree));
        *extents = none; /* the failed exchange stored those of another thread in it; NULL if measuring failed */
    }
    return status;
}

void bi_kdtree_forget_extents(bosc_kdtree *tree)
{
    bi_memory_release(&tree->host, tree->query_cache.extents, extents_size(tree));
    tree->query_cache.extents = NULL;
}

/* Fails with the first row outside the periods, if any. */
static bosc_status check_inside(bosc_ctx *ctx, const char *name, const bosc_kdtree *tree, const double *periods,
                                const double *reachable)
{
    const int32_t dim = tree->opts.dim;
    const double *extents;
    bool inside = true;
    if (tree->nodes == 0) return BOSC_OK;
    BI_TRY(bi_kdtree_extents(ctx, tree, &extents));
    for (int32_t c = 0; c < dim; c++)
        inside &= !(periods[c] > 0) || (extents[c] >= 0 && extents[dim + c] <= periods[c]);
    if (inside) return BOSC_OK;
    const int64_t none = INT64_MAX;
    struct bi_kdtree_outside outside = {tree->ops->view(tree), reachable, NULL};
    int64_t row;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof none, &outside.id));
    BI_TRY(ctx->backend->copy(ctx, outside.id, &none, sizeof none));
    BI_TRY(tree->ops->steps->outside(ctx, tree->nodes, &outside));
    BI_TRY(bi_read_back(ctx, &row, outside.id, sizeof row));
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld is outside the periodic box", name, (long long)row);
}

bosc_status bi_kdtree_stage_metric(bosc_ctx *ctx, const char *name, const bosc_kdtree *tree,
                                   const bosc_kdtree_query_opts *opts, struct bi_kdtree_metric *metric)
{
    const double p = opts->p, slack = 1 + opts->epsilon;
    bool staged = false;
    *metric = (struct bi_kdtree_metric){.kind = p == 1          ? BI_KDTREE_SUM
                                                : p == 2        ? BI_KDTREE_SQUARES
                                                : p == INFINITY ? BI_KDTREE_LARGEST
                                                                : BI_KDTREE_POWER,
                                        .p = p,
                                        .inverse = 1 / p,
                                        .shrink = p == 2 ? slack * slack : slack,
                                        .grow = 1};
    if (metric->kind == BI_KDTREE_POWER) {
        metric->shrink *= 1 - BI_KDTREE_POWER_ERROR;
        metric->grow = 1 + BI_KDTREE_POWER_ERROR;
    }
    if (!opts->periods) return BOSC_OK;
    const void *reachable;
    BI_TRY(bi_stage_in(ctx, opts->periods, (size_t)tree->opts.dim * sizeof *opts->periods, &reachable, &staged));
    metric->periods = reachable;
    return check_inside(ctx, name, tree, opts->periods, metric->periods);
}

bosc_status bi_kdtree_place_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const struct bi_kdtree_metric *metric, const double **queries)
{
    const int32_t dim = tree->opts.dim;
    struct bi_kdtree_place_queries place = {*rows, tree->opts.dtype, dim, metric->periods, NULL};
    BI_TRY(bi_scratch_of(ctx, rows->n * dim, sizeof *place.to, &place.to));
    *queries = place.to;
    return tree->ops->steps->place_queries(ctx, rows->n * dim, &place);
}

bosc_status bi_kdtree_place_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_metric *metric,
                                  const double **queries, const uint32_t **numbers)
{
    const int32_t dim = tree->opts.dim;
    struct bi_kdtree_rows rows = {NULL, tree->nodes, dim};
    void *points;
    uint32_t *ids;
    BI_TRY(bi_scratch_of(ctx, tree->nodes * dim, bosc_dtype_size(tree->opts.dtype), &points));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *ids, &ids));
    BI_TRY(tree->ops->fetch(ctx, tree, points, ids));
    rows.data = points;
    *numbers = ids;
    return bi_kdtree_place_rows(ctx, tree, &rows, metric, queries);
}
