#include "kdtree/inside.h"

#include "core/call.h"
#include "kdtree/nearest.h"

/* Below 64 queries the passes cost more than they save: an estimate. */
enum { LEAST_QUERIES = 64 };

bool bi_kdtree_can_search_inside(const bosc_kdtree *tree, const struct bi_kdtree_metric_search *search,
                                 int64_t query_count)
{
    const bosc_dtype dtype = tree->opts.dtype;
    return search->metric.kind == BI_KDTREE_SQUARES && search->metric.periods && search->metric.shrink == 1 &&
           !search->bounds && (dtype == BOSC_F32 || dtype == BOSC_F64) && search->k <= BI_KDTREE_INSIDE_NEIGHBOURS &&
           tree->opts.dim <= BI_KDTREE_INSIDE_DIM && query_count >= LEAST_QUERIES && query_count < (int64_t)UINT32_MAX;
}

/* Makes the queries: the caller's, wrapped into the box, or the points by id. Sets inside->points if they are used. */
static bosc_status place_queries(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows, bool self,
                                 struct bi_kdtree_inside *inside)
{
    struct bi_kdtree_rows points = {NULL, tree->n, tree->opts.dim};
    if (self || tree->opts.dtype == BOSC_F32) BI_TRY(bi_kdtree_own_rows(ctx, tree, &points));
    inside->points = points.data;
    return bi_kdtree_place_rows(ctx, tree, self ? &points : rows, &inside->search.metric, &inside->search.queries);
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

/* Searches around all images at once. */
static bosc_status search_images(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t image_count,
                                 struct bi_kdtree_images *images)
{
    const bool single = tree->opts.dtype == BOSC_F32;
    const int64_t entries = image_count * images->inside.found;
    struct bi_kdtree_query query = {.rows = {images->rows, image_count, tree->opts.dim},
                                    .k = images->inside.found,
                                    .limits = tree->ops->searches_limits ? images->limits : NULL,
                                    .r2 = INFINITY};
    BI_TRY(bi_scratch_of(ctx, entries, images->inside.search.wide_ids ? 8 : 4, &query.ids));
    BI_TRY(bi_scratch_of(ctx, entries, single ? sizeof(float) : sizeof(double), &query.dist2));
    images->ids = query.ids;
    images->squares = query.dist2;
    return bi_kdtree_nearest(ctx, tree, &query);
}

/* Answers remaining queries near borders by plain searches around their images, and reduces the search once more. */
static bosc_status search_around_images(bosc_ctx *ctx, const bosc_kdtree *tree, const double *periods,
                                        struct bi_kdtree_inside *inside, struct bi_kdtree_metric_search *search,
                                        int64_t *query_count)
{
    const struct bi_kdtree_steps *steps = tree->ops->steps;
    const bool single = tree->opts.dtype == BOSC_F32;
    struct bi_kdtree_images images = {.inside = *inside};
    int64_t image_count, n = *query_count;
    images.inside.search = *search;
    /* The sum of the periods of an image is rounded, by half a unit of floats or doubles, and differences are. */
    for (int32_t c = 0; c < tree->opts.dim; c++) images.shift_error += (single ? 0x1p-22 : 0x1p-50) * periods[c];
    /* 1. The number of images of each query. */
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *images.starts, &images.starts));
    BI_TRY(steps->count_images(ctx, n, &images));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, images.starts, n + 1, images.starts));
    BI_TRY(bi_read_back(ctx, &image_count, images.starts + n, sizeof image_count));
    if (image_count == 0) return BOSC_OK;
    /* 2. Images, and the points around them. */
    BI_TRY(bi_scratch_of(ctx, image_count * tree->opts.dim, single ? sizeof(float) : sizeof(double), &images.rows));
    BI_TRY(bi_scratch_of(ctx, image_count, sizeof *images.limits, &images.limits));
    BI_TRY(steps->make_images(ctx, n, &images));
    BI_TRY(search_images(ctx, tree, image_count, &images));
    /* 3. The k nearest of them. */
    if (!inside->points) {
        struct bi_kdtree_rows points;
        BI_TRY(bi_kdtree_own_rows(ctx, tree, &points));
        images.inside.points = points.data;
    }
    BI_TRY(steps->merge_images(ctx, n, &images));
    return compact_queries(ctx, tree, images.inside.rest, search, query_count);
}

bosc_status bi_kdtree_search_inside(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                    bool self, const double *periods, struct bi_kdtree_metric_search *search,
                                    int64_t *query_count)
{
    const bool single = tree->opts.dtype == BOSC_F32;
    /* A square of floats has the error of one difference twice, of the product, and of each sum; twice that. */
    struct bi_kdtree_inside inside = {.search = *search,
                                      .query_count = *query_count,
                                      .found = search->k + search->exclude_self + single,
                                      .error = single ? (tree->opts.dim + 4) * 0x1p-23 : 0};
    BI_TRY(place_queries(ctx, tree, rows, self, &inside));
    BI_TRY(search_plainly(ctx, tree, rows, self, &inside));
    BI_TRY(tree->ops->steps->inside(ctx, *query_count, &inside));
    search->queries = inside.search.queries;
    search->limits_in_rows = true;
    BI_TRY(compact_queries(ctx, tree, inside.rest, search, query_count));
    if (*query_count < LEAST_QUERIES) return BOSC_OK;
    return search_around_images(ctx, tree, periods, &inside, search, query_count);
}
