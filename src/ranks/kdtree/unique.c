/* Removes duplicates. Equal points go to the rank of their hash, which answers each with the id of its representative.
 * */
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

static bosc_status hash_points(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                               uint32_t **bucket)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **bucket, bucket));
    const struct bi_ranks_kdtree_hash_owner hash = {points->rows, tree->opts.dtype, tree->opts.dim,
                                                    (uint32_t)tree->comm->rank_count, *bucket};
    return points->rows.n ? ctx->ops->dist->steps->kdtree_hash_owner(ctx, points->rows.n, &hash) : BOSC_OK;
}

/* representative_ids[i] = the id of the first row equal to row i. Rows are in the order of their ids. */
static bosc_status find_representatives(bosc_ctx *ctx, bosc_kdtree *unique, const void *rows, const int64_t *ids,
                                        int64_t n, int64_t *representative_ids)
{
    bosc_kdtree_info info = {.size = sizeof info};
    uint32_t *inverse, *first_rows;
    BI_TRY(bosc_kdtree_build(ctx, unique, rows, n, 0));
    BI_TRY(bosc_kdtree_get_info(ctx, unique, &info));
    BI_TRY(bi_scratch_of(ctx, info.nodes, sizeof *first_rows, &first_rows));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *inverse, &inverse));
    BI_TRY(bosc_kdtree_get_nodes(ctx, unique, NULL, first_rows));
    BI_TRY(bosc_kdtree_get_duplicates(ctx, unique, inverse, NULL));
    const struct bi_ranks_kdtree_representative_ids step = {inverse, first_rows, ids, representative_ids};
    return ctx->ops->dist->steps->kdtree_representative_ids(ctx, n, &step);
}

static bosc_status find_representatives_by_tree(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows,
                                                const int64_t *ids, int64_t n, int64_t *representative_ids)
{
    bosc_kdtree_opts opts = tree->opts;
    bosc_kdtree *unique;
    bosc_status status;
    if (n == 0) return BOSC_OK;
    opts.id_bits = 32;
    opts.assume_valid = 1;
    BI_TRY(bosc_kdtree_create(ctx, &opts, &unique));
    BI_WITH_SCRATCH(ctx, status = find_representatives(ctx, unique, rows, ids, n, representative_ids));
    if (status == BOSC_OK) status = ctx->backend->sync(ctx); /* before the tree is freed */
    bosc_kdtree_free(unique);
    return status;
}

/* Receives rows, and returns the id of each row's representative to its sender. */
static bosc_status answer_rows(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_scatter *scatter,
                               const struct bi_ranks_points *points, const int64_t *ids, int64_t *answers)
{
    const int64_t received = scatter->x.received;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    const struct bi_kdtree_rows id_rows = {ids, points->rows.n, 1};
    void *rows = NULL;
    int64_t *received_ids = NULL, *representative_ids = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received * tree->opts.dim, size, &rows);
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, received, sizeof *received_ids, &received_ids);
    if (local_status == BOSC_OK)
        local_status = bi_scratch_of(ctx, received, sizeof *representative_ids, &representative_ids);
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, local_status, scatter, &points->rows, tree->opts.dim, size,
                                        rows));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, BOSC_OK, scatter, &id_rows, 1, sizeof *ids, received_ids));
    local_status = find_representatives_by_tree(ctx, tree, rows, received_ids, received, representative_ids);
    return bi_exchange_replies(ctx, tree->comm, local_status, &scatter->x, sizeof *representative_ids,
                               representative_ids, answers);
}

static bosc_status number_rows(bosc_ctx *ctx, const struct bi_ranks_points *points, int64_t **ids)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **ids, ids));
    const struct bi_ranks_global_ids number = {points->first, *ids};
    return points->rows.n ? ctx->ops->dist->steps->global_ids(ctx, points->rows.n, &number) : BOSC_OK;
}

/* Fills points->representative_ids; is_kept[i] = 1 for rows that represent themselves. */
static bosc_status mark_kept(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                             const struct bi_ranks_points *points, uint8_t *is_kept)
{
    struct bi_ranks_scatter scatter;
    uint32_t *bucket = NULL;
    int64_t *answers = NULL, *ids = NULL;
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, points->rows.n, sizeof *answers, &answers);
    if (local_status == BOSC_OK) local_status = number_rows(ctx, points, &ids);
    if (local_status == BOSC_OK) local_status = hash_points(ctx, tree, points, &bucket);
    bosc_status status =
        bi_ranks_kdtree_begin_scatter(ctx, tree->comm, local_status, bucket, NULL, points->rows.n, &scatter);
    if (status == BOSC_OK) status = answer_rows(ctx, tree, &scatter, points, ids, answers);
    /* Write the answers to their rows. */
    const struct bi_ranks_kdtree_mark_representatives mark = {answers, scatter.order, points->first,
                                                              points->representative_ids, is_kept};
    local_status = BOSC_OK;
    if (status == BOSC_OK && scatter.x.sent)
        local_status = ctx->ops->dist->steps->kdtree_mark_representatives(ctx, scatter.x.sent, &mark);
    bi_exchange_end(ctx, &scatter.x);
    return status == BOSC_OK ? bi_comm_agree(ctx, tree->comm, local_status) : status;
}

/* Makes rows dense, of `dim` elements each. */
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

static bosc_status compact_points(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                                  const uint8_t *is_kept, struct bi_ranks_points *kept, void *data, int64_t *kept_ids)
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
    BI_TRY(core->compact(ctx, row, rows.data, is_kept, rows.n, data, count));
    BI_TRY(core->compact(ctx, sizeof *ids, ids, is_kept, rows.n, kept_ids, count));
    return bi_read_back(ctx, &kept->rows.n, count, sizeof *count);
}

static bosc_status pack_kept(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const uint8_t *is_kept,
                             struct bi_ranks_points *points)
{
    const int64_t n = points->rows.n, dim = tree->opts.dim;
    struct bi_ranks_points kept = *points;
    void *data;
    int64_t *ids;
    BI_TRY(bi_scratch_of(ctx, n * dim, bosc_dtype_size(tree->opts.dtype), &data));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *ids, &ids));
    BI_TRY_WITH_SCRATCH(ctx, compact_points(ctx, tree, points, is_kept, &kept, data, ids));
    kept.rows.data = data;
    kept.rows.stride = dim;
    kept.ids = ids;
    *points = kept;
    return BOSC_OK;
}

bosc_status bi_ranks_kdtree_remove_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                              struct bi_ranks_points *points, int64_t *nodes)
{
    uint8_t *is_kept = NULL;
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, points->rows.n, 1, &is_kept);
    if (local_status == BOSC_OK)
        local_status =
            bi_scratch_of(ctx, points->rows.n, sizeof *points->representative_ids, &points->representative_ids);
    BI_TRY_WITH_SCRATCH(ctx, mark_kept(ctx, tree, local_status, points, is_kept));
    local_status = pack_kept(ctx, tree, is_kept, points);
    return bi_comm_offset(ctx, tree->comm, local_status, points->rows.n, NULL, nodes);
}
