/* Trees from presorted lists of references. The published method (Brown 2015): one merge sort by each superkey, then
 * level by level the median of one list becomes the node and the other lists are partitioned around it. Where radix
 * sorts stand in for merge sorts, list p comes from list p + 1 by one stable sort on coordinate p, so that all lists
 * take dim + used - 1 sorts. A tree of depth d needs min(dim, d) lists. */
#include "kdtree/driver.h"

bosc_status bi_kd_take_lists(bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, struct bi_kd_lists *lists)
{
    int depth = bi_kd_depth(n);
    *lists = (struct bi_kd_lists){.n = n, .used = opts->dim < depth ? opts->dim : depth};
    for (int32_t p = 0; p < lists->used; p++) {
        BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&lists->in[p]));
        BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&lists->out[p]));
    }
    return BOSC_OK;
}

bosc_status bi_kd_merge_sort_lists(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const struct bi_kd_rows *rows,
                                   struct bi_kd_lists *lists)
{
    for (int32_t p = 0; p < lists->used; p++)
        BI_TRY(ctx->backend->core->sort_superkey(ctx, opts->dtype, rows->data, rows->n, opts->dim, rows->stride, p,
                                                 lists->in[p]));
    return BOSC_OK;
}

/* Keys of coordinate c in the order of perm, and room for them. */
struct column {
    const struct bi_kdtree_ops *ops;
    const bosc_kdtree_opts *opts;
    const struct bi_kd_rows *rows;
    void *keys;
};

/* Sorts perm stably by coordinate c. */
static bosc_status sort_by(bosc_ctx *ctx, const struct column *by, int32_t c, uint32_t *perm)
{
    bool narrow = bosc_dtype_size(by->opts->dtype) == 4;
    struct bi_kd_column column = {*by->rows, by->opts->dtype, c, perm, by->keys};
    BI_TRY(by->ops->steps->column(ctx, by->rows->n, &column));
    return ctx->backend->core->sort_pairs(ctx, narrow ? BOSC_U32 : BOSC_U64, by->keys, sizeof *perm, perm, by->rows->n,
                                          by->keys, perm, 0, narrow ? 32 : 64);
}

/* perm = rows by the superkey that begins at `first`: sorts by its coordinates from the last to the first. */
static bosc_status sort_superkey(bosc_ctx *ctx, const struct column *by, int32_t first, uint32_t *perm)
{
    struct bi_kd_iota iota = {perm};
    BI_TRY(by->ops->steps->iota(ctx, by->rows->n, &iota));
    for (int32_t t = by->opts->dim - 1; t >= 0; t--) BI_TRY(sort_by(ctx, by, (first + t) % by->opts->dim, perm));
    return BOSC_OK;
}

bosc_status bi_kd_radix_superkey(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                 const struct bi_kd_rows *rows, int32_t first, uint32_t *perm)
{
    struct column by = {ops, opts, rows, NULL};
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_kd_scratch(ctx, rows->n, bosc_dtype_size(opts->dtype), &by.keys));
    BI_TRY(sort_superkey(ctx, &by, first, perm));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

bosc_status bi_kd_radix_sort_lists(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                   const struct bi_kd_rows *rows, struct bi_kd_lists *lists)
{
    struct column by = {ops, opts, rows, NULL};
    struct bi_mark mark = bi_arena_mark(ctx);
    int32_t last = lists->used - 1;
    BI_TRY(bi_kd_scratch(ctx, rows->n, bosc_dtype_size(opts->dtype), &by.keys));
    BI_TRY(sort_superkey(ctx, &by, last, lists->in[last]));
    for (int32_t p = last - 1; p >= 0; p--) {
        BI_TRY(ctx->backend->copy(ctx, lists->in[p], lists->in[p + 1], (size_t)rows->n * sizeof(uint32_t)));
        BI_TRY(sort_by(ctx, &by, p, lists->in[p]));
    }
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

/* The level after `level` that splits by coordinate p. */
static int next_use(int32_t p, int level, int32_t dim) { return level + 1 + (p + dim - (level + 1) % dim) % dim; }

bosc_status bi_kd_partition_lists(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kd_rows *rows,
                                  struct bi_kd_lists *lists)
{
    int depth = bi_kd_depth(lists->n);
    int32_t dim = next->opts.dim;
    uint32_t *order;
    BI_TRY(bi_kd_scratch(ctx, lists->n, sizeof *order, (void **)&order));
    for (int level = 0; level < depth; level++) {
        for (int32_t p = 0; p < lists->used; p++)
            if (next_use(p, level, dim) >= depth) lists->out[p] = NULL;
        BI_TRY(next->ops->partition(ctx, next, rows, level, lists->in, lists->out, order));
        for (int32_t p = 0; p < lists->used; p++) {
            uint32_t *in = lists->in[p];
            lists->in[p] = lists->out[p];
            lists->out[p] = in;
        }
    }
    return next->ops->store(ctx, next, rows, order, NULL);
}
