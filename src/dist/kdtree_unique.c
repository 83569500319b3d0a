/* Duplicates removed: equal points meet on the rank that their hash names, which tells each of them whether it
 * stays. */
#include "dist/kdtree.h"
#include "dist/steps/steps.h"

static bosc_status hash_points(bosc_ctx *ctx, const bosc_dist_kdtree *tree, const struct bi_dist_points *points,
                               uint32_t **bucket)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **bucket, bucket));
    const struct bi_dist_kdtree_hash hash = {points->rows, tree->opts.dtype, tree->opts.dim,
                                             (uint32_t)tree->comm->rank_count, *bucket};
    return points->rows.n ? ctx->ops->dist->steps->kdtree_hash(ctx, points->rows.n, &hash) : BOSC_OK;
}

/* keep[i] = 1 for the first row of each run of equal ones. They come in the order of their ids. */
static bosc_status find_first(bosc_ctx *ctx, bosc_kdtree *unique, const void *rows, int64_t n, uint8_t *keep)
{
    bosc_kdtree_info info = {.size = sizeof info};
    uint32_t *ids;
    BI_TRY(ctx->backend->fill(ctx, keep, 0, (size_t)n));
    BI_TRY(bosc_kdtree_build(ctx, unique, rows, n, 0));
    BI_TRY(bosc_kdtree_get_info(ctx, unique, &info));
    BI_TRY(bi_scratch_of(ctx, info.nodes, sizeof *ids, &ids));
    BI_TRY(bosc_kdtree_get_nodes(ctx, unique, NULL, ids));
    const struct bi_dist_kdtree_keep step = {ids, keep};
    return ctx->ops->dist->steps->kdtree_keep(ctx, info.nodes, &step);
}

static bosc_status find_first_in_tree(bosc_ctx *ctx, const bosc_dist_kdtree *tree, const void *rows, int64_t n,
                                      uint8_t *keep)
{
    bosc_kdtree_opts opts = tree->opts;
    bosc_kdtree *unique;
    bosc_status status;
    if (n == 0) return BOSC_OK;
    opts.id_bits = 32;
    opts.assume_valid = 1;
    BI_TRY(bosc_kdtree_create(ctx, &opts, &unique));
    BI_WITH_SCRATCH(ctx, status = find_first(ctx, unique, rows, n, keep));
    if (status == BOSC_OK) status = ctx->backend->sync(ctx); /* before the tree goes */
    bosc_kdtree_free(unique);
    return status;
}

/* Answers for the rows that came here, to those who sent them. */
static bosc_status answer(bosc_ctx *ctx, const bosc_dist_kdtree *tree, const struct bi_dist_deal *deal,
                          const struct bi_dist_points *points, uint8_t *answers)
{
    const int64_t received = deal->x.received;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    void *rows = NULL;
    uint8_t *keep = NULL;
    bosc_status mine = bi_scratch_of(ctx, received * tree->opts.dim, size, &rows);
    if (mine == BOSC_OK) mine = bi_scratch_of(ctx, received, 1, &keep);
    BI_TRY(bi_dist_kdtree_send(ctx, tree->comm, mine, deal, &points->rows, tree->opts.dim, size, rows));
    mine = find_first_in_tree(ctx, tree, rows, received, keep);
    return bi_exchange_answers(ctx, tree->comm, mine, &deal->x, 1, keep, answers);
}

static bosc_status mark_kept(bosc_ctx *ctx, const bosc_dist_kdtree *tree, bosc_status mine,
                             const struct bi_dist_points *points, uint8_t *keep)
{
    struct bi_dist_deal deal;
    uint32_t *bucket = NULL;
    uint8_t *answers = NULL;
    if (mine == BOSC_OK) mine = bi_scratch_of(ctx, points->rows.n, 1, &answers);
    if (mine == BOSC_OK) mine = hash_points(ctx, tree, points, &bucket);
    bosc_status status = bi_dist_kdtree_deal(ctx, tree->comm, mine, bucket, NULL, points->rows.n, &deal);
    if (status == BOSC_OK) status = answer(ctx, tree, &deal, points, answers);
    const struct bi_dist_kdtree_scatter_bytes scatter = {answers, deal.order, keep};
    mine = BOSC_OK;
    if (status == BOSC_OK && deal.x.sent)
        mine = ctx->ops->dist->steps->kdtree_scatter_bytes(ctx, deal.x.sent, &scatter);
    bi_exchange_end(ctx, &deal.x);
    return status == BOSC_OK ? bi_comm_agree(ctx, tree->comm, mine) : status;
}

/* Rows as `dim` elements each, next to each other. */
static bosc_status make_dense(bosc_ctx *ctx, const bosc_dist_kdtree *tree, struct bi_kdtree_rows *rows)
{
    const int64_t dim = tree->opts.dim;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    void *dense;
    if (rows->stride == dim) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rows->n * dim, size, &dense));
    const struct bi_dist_kdtree_rows gather = {rows->data, dense, NULL, dim, rows->stride, 0, size == 8};
    *rows = (struct bi_kdtree_rows){dense, rows->n, dim};
    return ctx->ops->dist->steps->kdtree_gather(ctx, rows->n * dim, &gather);
}

static bosc_status compact(bosc_ctx *ctx, const bosc_dist_kdtree *tree, const struct bi_dist_points *points,
                           const uint8_t *keep, struct bi_dist_points *kept, void *data, int64_t *kept_ids)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const size_t row = (size_t)tree->opts.dim * bosc_dtype_size(tree->opts.dtype);
    struct bi_kdtree_rows rows = points->rows;
    int64_t *ids, *count;
    if (rows.n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(bi_scratch_of(ctx, rows.n, sizeof *ids, &ids));
    BI_TRY(make_dense(ctx, tree, &rows));
    const struct bi_dist_global_ids number = {points->first, ids};
    BI_TRY(ctx->ops->dist->steps->global_ids(ctx, rows.n, &number));
    BI_TRY(core->compact(ctx, row, rows.data, keep, rows.n, data, count));
    BI_TRY(core->compact(ctx, sizeof *ids, ids, keep, rows.n, kept_ids, count));
    return bi_read_back(ctx, &kept->rows.n, count, sizeof *count);
}

static bosc_status pack_kept(bosc_ctx *ctx, const bosc_dist_kdtree *tree, const uint8_t *keep,
                             struct bi_dist_points *points)
{
    const int64_t n = points->rows.n, dim = tree->opts.dim;
    struct bi_dist_points kept = {.rows = {.stride = dim}, .total = points->total};
    void *data;
    int64_t *ids;
    BI_TRY(bi_scratch_of(ctx, n * dim, bosc_dtype_size(tree->opts.dtype), &data));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *ids, &ids));
    BI_TRY_WITH_SCRATCH(ctx, compact(ctx, tree, points, keep, &kept, data, ids));
    kept.rows.data = data;
    kept.ids = ids;
    *points = kept;
    return BOSC_OK;
}

bosc_status bi_dist_kdtree_unique(bosc_ctx *ctx, const bosc_dist_kdtree *tree, bosc_status mine,
                                  struct bi_dist_points *points, int64_t *nodes)
{
    uint8_t *keep = NULL;
    if (mine == BOSC_OK) mine = bi_scratch_of(ctx, points->rows.n, 1, &keep);
    BI_TRY_WITH_SCRATCH(ctx, mark_kept(ctx, tree, mine, points, keep));
    mine = pack_kept(ctx, tree, keep, points);
    return bi_comm_offset(ctx, tree->comm, mine, points->rows.n, NULL, nodes);
}
