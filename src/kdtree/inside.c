#include "kdtree/inside.h"

#include "core/call.h"
#include "kdtree/nearest.h"

/* Limits of the plain search: CUDA's kernels for few neighbours, and rows that bosc_compact moves. Below 64 queries the
 * passes cost more than they save: an estimate. */
enum { MOST_NEIGHBOURS = 30, MOST_COORDINATES = 16, LEAST_QUERIES = 64 };

bool bi_kdtree_can_search_inside(const bosc_kdtree *tree, const struct bi_kdtree_metric_search *search,
                                 int64_t query_count)
{
    const bosc_dtype dtype = tree->opts.dtype;
    return search->metric.kind == BI_KDTREE_SQUARES && search->metric.periods && search->metric.shrink == 1 &&
           !search->bounds && (dtype == BOSC_F32 || dtype == BOSC_F64) && search->k <= MOST_NEIGHBOURS &&
           tree->opts.dim <= MOST_COORDINATES && query_count >= LEAST_QUERIES && query_count < (int64_t)UINT32_MAX;
}

/* Runs the plain search, and allocates the marks. F64: around the queries inside the box. */
static bosc_status search_plainly(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows, bool self,
                                  struct bi_kdtree_inside *inside)
{
    const bool single = tree->opts.dtype == BOSC_F32;
    const int64_t n = rows->n, entries = n * inside->found;
    struct bi_kdtree_query query = {.rows = *rows, .k = inside->found, .self = self};
    if (!self && !single) query.rows = (struct bi_kdtree_rows){inside->search.queries, n, tree->opts.dim};
    BI_TRY(bi_scratch_of(ctx, entries, inside->search.wide_ids ? 8 : 4, &query.ids));
    BI_TRY(bi_scratch_of(ctx, entries, single ? sizeof(float) : sizeof(double), &query.dist2));
    BI_TRY(bi_scratch_of(ctx, n, 1, &inside->rest));
    if (!self && single) inside->rows = *rows;
    BI_TRY(bi_kdtree_nearest(ctx, tree, &query));
    inside->ids = query.ids;
    inside->squares = query.dist2;
    return BOSC_OK;
}

/* Sets inside->nodes: the nodes of ids. */
static bosc_status map_ids(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_inside *inside)
{
    uint32_t *nodes;
    BI_TRY(bi_scratch_of(ctx, tree->n, sizeof *nodes, &nodes));
    struct bi_kdtree_place_ids place = {inside->search.view.ids, inside->search.view.id_stride, nodes};
    inside->nodes = nodes;
    return tree->ops->steps->place_ids(ctx, tree->nodes, &place);
}

/* Moves the marked queries and their numbers to the front of new arrays. */
static bosc_status compact_queries(bosc_ctx *ctx, const bosc_kdtree *tree, const uint8_t *rest,
                                   struct bi_kdtree_metric_search *search, int64_t *query_count)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const size_t row = sizeof(double) * (size_t)tree->opts.dim;
    const int64_t n = *query_count;
    uint32_t *numbers, *kept;
    double *queries;
    int64_t *count;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *kept, &kept));
    BI_TRY(bi_scratch_of(ctx, n, row, &queries));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    if (!search->numbers) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof *numbers, &numbers));
        BI_TRY(core->iota(ctx, sizeof *numbers, numbers, n));
        search->numbers = numbers;
    }
    BI_TRY(core->compact(ctx, sizeof *kept, search->numbers, rest, n, kept, count));
    BI_TRY(core->compact(ctx, row, search->queries, rest, n, queries, count));
    search->numbers = kept;
    search->queries = queries;
    return bi_read_back(ctx, query_count, count, sizeof *query_count);
}

bosc_status bi_kdtree_search_inside(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                    bool self, struct bi_kdtree_metric_search *search, int64_t *query_count)
{
    const bool single = tree->opts.dtype == BOSC_F32;
    /* A square of floats has the error of one difference twice, of the product, and of each sum; twice that. */
    struct bi_kdtree_inside inside = {.search = *search,
                                      .found = search->k + search->exclude_self + single,
                                      .error = single ? (tree->opts.dim + 4) * 0x1p-23 : 0};
    BI_TRY(search_plainly(ctx, tree, rows, self, &inside));
    if (single) BI_TRY(map_ids(ctx, tree, &inside));
    BI_TRY(tree->ops->steps->inside(ctx, *query_count, &inside));
    search->limits_in_rows = true;
    return compact_queries(ctx, tree, inside.rest, search, query_count);
}
