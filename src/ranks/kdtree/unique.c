/* Duplicates removed: equal points meet on the rank that their hash names, which tells each of them which
 * one stays. */
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

static bosc_status hash_points(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                               uint32_t **bucket)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **bucket, bucket));
    const struct bi_ranks_kdtree_hash hash = {points->rows, tree->opts.dtype, tree->opts.dim,
                                              (uint32_t)tree->comm->rank_count, *bucket};
    return points->rows.n ? ctx->ops->dist->steps->kdtree_hash(ctx, points->rows.n, &hash) : BOSC_OK;
}

/* firsts[i] = the id of the first of the rows that equal row i. They come in the order of their ids. */
static bosc_status find_firsts(bosc_ctx *ctx, bosc_kdtree *unique, const void *rows, const int64_t *ids, int64_t n,
                               int64_t *firsts)
{
    bosc_kdtree_info info = {.size = sizeof info};
    uint32_t *inverse, *first_rows;
    BI_TRY(bosc_kdtree_build(ctx, unique, rows, n, 0));
    BI_TRY(bosc_kdtree_get_info(ctx, unique, &info));
    BI_TRY(bi_scratch_of(ctx, info.nodes, sizeof *first_rows, &first_rows));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *inverse, &inverse));
    BI_TRY(bosc_kdtree_get_nodes(ctx, unique, NULL, first_rows));
    BI_TRY(bosc_kdtree_get_duplicates(ctx, unique, inverse, NULL));
    const struct bi_ranks_kdtree_first_ids step = {inverse, first_rows, ids, firsts};
    return ctx->ops->dist->steps->kdtree_first_ids(ctx, n, &step);
}

static bosc_status find_firsts_by_tree(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows,
                                       const int64_t *ids, int64_t n, int64_t *firsts)
{
    bosc_kdtree_opts opts = tree->opts;
    bosc_kdtree *unique;
    bosc_status status;
    if (n == 0) return BOSC_OK;
    opts.id_bits = 32;
    opts.assume_valid = 1;
    BI_TRY(bosc_kdtree_create(ctx, &opts, &unique));
    BI_WITH_SCRATCH(ctx, status = find_firsts(ctx, unique, rows, ids, n, firsts));
    if (status == BOSC_OK) status = ctx->backend->sync(ctx); /* before the tree goes */
    bosc_kdtree_free(unique);
    return status;
}

/* Answers for the rows that came here, to those who sent them. */
static bosc_status answer(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_deal *deal,
                          const struct bi_ranks_points *points, const int64_t *ids, int64_t *answers)
{
    const int64_t received = deal->x.received;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    const struct bi_kdtree_rows id_rows = {ids, points->rows.n, 1};
    void *rows = NULL;
    int64_t *came = NULL, *firsts = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received * tree->opts.dim, size, &rows);
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, received, sizeof *came, &came);
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, received, sizeof *firsts, &firsts);
    BI_TRY(bi_ranks_kdtree_send(ctx, tree->comm, local_status, deal, &points->rows, tree->opts.dim, size, rows));
    BI_TRY(bi_ranks_kdtree_send(ctx, tree->comm, BOSC_OK, deal, &id_rows, 1, sizeof *ids, came));
    local_status = find_firsts_by_tree(ctx, tree, rows, came, received, firsts);
    return bi_exchange_answers(ctx, tree->comm, local_status, &deal->x, sizeof *firsts, firsts, answers);
}

static bosc_status number_rows(bosc_ctx *ctx, const struct bi_ranks_points *points, int64_t **ids)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **ids, ids));
    const struct bi_ranks_global_ids number = {points->first, *ids};
    return points->rows.n ? ctx->ops->dist->steps->global_ids(ctx, points->rows.n, &number) : BOSC_OK;
}

/* points->firsts; keep[i] = 1 for rows that are the first of those that equal them. */
static bosc_status mark_kept(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                             const struct bi_ranks_points *points, uint8_t *keep)
{
    struct bi_ranks_deal deal;
    uint32_t *bucket = NULL;
    int64_t *answers = NULL, *ids = NULL;
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, points->rows.n, sizeof *answers, &answers);
    if (local_status == BOSC_OK) local_status = number_rows(ctx, points, &ids);
    if (local_status == BOSC_OK) local_status = hash_points(ctx, tree, points, &bucket);
    bosc_status status = bi_ranks_kdtree_deal(ctx, tree->comm, local_status, bucket, NULL, points->rows.n, &deal);
    if (status == BOSC_OK) status = answer(ctx, tree, &deal, points, ids, answers);
    const struct bi_ranks_kdtree_take_firsts take = {answers, deal.order, points->first, points->firsts, keep};
    local_status = BOSC_OK;
    if (status == BOSC_OK && deal.x.sent)
        local_status = ctx->ops->dist->steps->kdtree_take_firsts(ctx, deal.x.sent, &take);
    bi_exchange_end(ctx, &deal.x);
    return status == BOSC_OK ? bi_comm_agree(ctx, tree->comm, local_status) : status;
}

/* Rows as `dim` elements each, next to each other. */
static bosc_status make_dense(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, struct bi_kdtree_rows *rows)
{
    const int64_t dim = tree->opts.dim;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    void *dense;
    if (rows->stride == dim) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rows->n * dim, size, &dense));
    const struct bi_ranks_kdtree_rows gather = {rows->data, dense, NULL, dim, rows->stride, 0, size == 8};
    *rows = (struct bi_kdtree_rows){dense, rows->n, dim};
    return ctx->ops->dist->steps->kdtree_gather(ctx, rows->n * dim, &gather);
}

static bosc_status compact(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                           const uint8_t *keep, struct bi_ranks_points *kept, void *data, int64_t *kept_ids)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const size_t row = (size_t)tree->opts.dim * bosc_dtype_size(tree->opts.dtype);
    struct bi_kdtree_rows rows = points->rows;
    int64_t *ids, *count;
    if (rows.n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(bi_scratch_of(ctx, rows.n, sizeof *ids, &ids));
    BI_TRY(make_dense(ctx, tree, &rows));
    const struct bi_ranks_global_ids number = {points->first, ids};
    BI_TRY(ctx->ops->dist->steps->global_ids(ctx, rows.n, &number));
    BI_TRY(core->compact(ctx, row, rows.data, keep, rows.n, data, count));
    BI_TRY(core->compact(ctx, sizeof *ids, ids, keep, rows.n, kept_ids, count));
    return bi_read_back(ctx, &kept->rows.n, count, sizeof *count);
}

static bosc_status pack_kept(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const uint8_t *keep,
                             struct bi_ranks_points *points)
{
    const int64_t n = points->rows.n, dim = tree->opts.dim;
    struct bi_ranks_points kept = *points;
    void *data;
    int64_t *ids;
    BI_TRY(bi_scratch_of(ctx, n * dim, bosc_dtype_size(tree->opts.dtype), &data));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *ids, &ids));
    BI_TRY_WITH_SCRATCH(ctx, compact(ctx, tree, points, keep, &kept, data, ids));
    kept.rows.data = data;
    kept.rows.stride = dim;
    kept.ids = ids;
    *points = kept;
    return BOSC_OK;
}

bosc_status bi_ranks_kdtree_unique(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                   struct bi_ranks_points *points, int64_t *nodes)
{
    uint8_t *keep = NULL;
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, points->rows.n, 1, &keep);
    if (local_status == BOSC_OK)
        local_status = bi_scratch_of(ctx, points->rows.n, sizeof *points->firsts, &points->firsts);
    BI_TRY_WITH_SCRATCH(ctx, mark_kept(ctx, tree, local_status, points, keep));
    local_status = pack_kept(ctx, tree, keep, points);
    return bi_comm_offset(ctx, tree->comm, local_status, points->rows.n, NULL, nodes);
}
