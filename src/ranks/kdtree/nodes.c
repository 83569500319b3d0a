/* Computes a rank's range of the in-order array on demand. Each part of the shard is a subtree, if only of one node.
 * Its in-order array is that of a tree of its points, with coordinates rotated to begin with the one that splits the
 * subtree's root. After the published build the subtree exists already. */
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* State of a shard's ordering. All arrays are in backend memory. */
struct ordering {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    const struct bi_ranks_steps *steps;
    struct bi_ranks_kdtree_partition partition;
    int64_t n, dim;
    size_t size;        /* of an element */
    void *rows;         /* (n x dim), in the order of ids */
    uint32_t *order;    /* rows grouped by part */
    void *points, *ids; /* (n), in order */
    bool is_64bit;
};

/* Gathers rows of `from`, by `order` (NULL: all), rotated, to `to`. */
static bosc_status gather_rows(const struct ordering *o, const void *from, const uint32_t *order, int64_t rotate,
                               int64_t n, void *to)
{
    const struct bi_ranks_kdtree_rows step = {from, to, order, o->dim, o->dim, rotate, o->size == 8};
    return o->steps->kdtree_gather(o->ctx, n * o->dim, &step);
}

/* Writes the nodes of the shard to the rows that they were built from, which are in the order of ids. */
static bosc_status order_by_id(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *rows)
{
    const int64_t n = tree->end - tree->begin, dim = tree->opts.dim;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    void *nodes;
    uint32_t *order;
    BI_TRY(bi_scratch_of(ctx, n * dim, size, &nodes));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *order, &order));
    BI_TRY(bosc_kdtree_get_nodes(ctx, tree->shard, nodes, order));
    const struct bi_ranks_kdtree_rows scatter = {nodes, rows, order, dim, dim, 0, size == 8};
    return ctx->ops->ranks->steps->kdtree_scatter(ctx, n * dim, &scatter);
}

bosc_status bi_ranks_kdtree_fetch_rows(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *rows)
{
    if (tree->end == tree->begin) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, order_by_id(ctx, tree, rows));
}

/* Fills o->order: rows grouped by part, in the order of ids within each. */
static bosc_status order_by_part(const struct ordering *o)
{
    bosc_ctx *ctx = o->ctx;
    const int64_t first = 2 * bi_ranks_kdtree_first_subtree(&o->partition, o->tree->comm->rank),
                  next = 2 * bi_ranks_kdtree_first_subtree(&o->partition, o->tree->comm->rank + 1);
    uint32_t *rows, *bucket, *bad;
    int64_t *offsets;
    BI_TRY(bi_scratch_of(ctx, o->n, sizeof *rows, &rows));
    BI_TRY(bi_scratch_of(ctx, o->n, sizeof *bucket, &bucket));
    BI_TRY(bi_scratch_of(ctx, next - first + 1, sizeof *offsets, &offsets));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bad, &bad));
    BI_TRY(ctx->backend->fill(ctx, bad, 0, sizeof *bad));
    BI_TRY(ctx->backend->core->iota(ctx, 4, rows, o->n));
    const struct bi_ranks_kdtree_local_parts from = {bi_ranks_kdtree_shard_points(o->tree, o->rows, o->n),
                                                     o->partition.level, (uint32_t)first, bucket};
    BI_TRY(o->steps->kdtree_local_parts(ctx, o->n, &from));
    return ctx->backend->core->split(ctx, sizeof *rows, rows, bucket, o->n, next - first, o->order, offsets, bad);
}

/* ids[begin + i] = the id of entry rows[i] of the part that begins there. */
static bosc_status write_ids(const struct ordering *o, const uint32_t *rows, int64_t begin, int64_t n)
{
    const struct bi_ranks_kdtree_row_ids row_ids = {rows,
                                                    o->order + begin,
                                                    o->tree->ids.data,
                                                    o->tree->opts.id_bits == 64,
                                                    (char *)o->ids + (size_t)begin * (o->is_64bit ? 8 : 4),
                                                    o->is_64bit};
    return o->steps->kdtree_row_ids(o->ctx, n, &row_ids);
}

static char *point_at(const struct ordering *o, int64_t begin)
{
    return (char *)o->points + (size_t)(begin * o->dim) * o->size;
}

/* Writes the nodes of a part's tree, whose coordinates are rotated. */
static bosc_status write_subtree_nodes(const struct ordering *o, const bosc_kdtree *subtree, int64_t rotate,
                                       void *rotated, int64_t begin, int64_t n)
{
    uint32_t *rows;
    BI_TRY(bi_scratch_of(o->ctx, n, sizeof *rows, &rows));
    BI_TRY(bosc_kdtree_get_nodes(o->ctx, subtree, rotated, rows));
    BI_TRY(gather_rows(o, rotated, NULL, rotate ? o->dim - rotate : 0, n, point_at(o, begin))); /* rotates back */
    return write_ids(o, rows, begin, n);
}

/* Builds and writes the part whose n rows begin at `begin` of o->order. */
static bosc_status write_part(const struct ordering *o, bosc_kdtree *subtree, int64_t begin, int64_t n)
{
    const int64_t rotate = o->partition.level % o->dim;
    void *rotated;
    BI_TRY(bi_scratch_of(o->ctx, n * o->dim, o->size, &rotated));
    BI_TRY(gather_rows(o, o->rows, o->order + begin, rotate, n, rotated));
    BI_TRY(bosc_kdtree_build(o->ctx, subtree, rotated, n, 0));
    return write_subtree_nodes(o, subtree, rotate, rotated, begin, n);
}

static bosc_status write_parts(const struct ordering *o, bosc_kdtree *subtree)
{
    const int32_t rank = o->tree->comm->rank;
    const int64_t next = 2 * bi_ranks_kdtree_first_subtree(&o->partition, rank + 1);
    for (int64_t p = 2 * bi_ranks_kdtree_first_subtree(&o->partition, rank); p < next; p++) {
        const struct bi_kdtree_range r = bi_ranks_kdtree_part_range(&o->partition, p);
        if (r.begin == r.end) continue;
        BI_TRY_WITH_SCRATCH(o->ctx, write_part(o, subtree, r.begin - o->tree->begin, r.end - r.begin));
    }
    return o->ctx->backend->sync(o->ctx); /* before the tree is freed */
}

static bosc_status build_subtrees(const struct ordering *o)
{
    const bosc_kdtree_opts opts = bi_ranks_kdtree_shard_opts(&o->tree->opts);
    bosc_kdtree *subtree;
    BI_TRY(bosc_kdtree_create(o->ctx, &opts, &subtree));
    bosc_status status = write_parts(o, subtree);
    bosc_kdtree_free(subtree);
    return status;
}

/* ---- the published build: the subtree and the node above it are trees already ---- */

/* The node above the subtree is the last one of the shard. */
static bosc_status write_side(const struct ordering *o)
{
    const struct bi_kdtree_range root = bi_ranks_kdtree_part_range(&o->partition, 2 * (int64_t)o->tree->comm->rank + 1);
    const bool has_root = root.end > root.begin;
    const int64_t n = o->n - has_root;
    void *rotated;
    BI_TRY(bi_scratch_of(o->ctx, o->n * o->dim, o->size, &rotated));
    if (has_root) BI_TRY(write_subtree_nodes(o, o->tree->root, 0, rotated, n, 1));
    return n ? write_subtree_nodes(o, o->tree->side, o->partition.level % o->dim, rotated, 0, n) : BOSC_OK;
}

static bosc_status write_in_order(struct ordering *o)
{
    BI_TRY(bi_scratch_of(o->ctx, o->n * o->dim, o->size, &o->rows));
    BI_TRY(bi_scratch_of(o->ctx, o->n, sizeof *o->order, &o->order));
    BI_TRY(bi_ranks_kdtree_fetch_rows(o->ctx, o->tree, o->rows));
    BI_TRY_WITH_SCRATCH(o->ctx, order_by_part(o));
    return o->tree->side ? write_side(o) : build_subtrees(o);
}

bosc_status bi_ranks_kdtree_write_nodes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *points, void *ids,
                                        bool is_64bit)
{
    struct ordering o = {.ctx = ctx,
                         .tree = tree,
                         .steps = ctx->ops->ranks->steps,
                         .partition = bi_ranks_kdtree_make_partition(tree->nodes, tree->comm->rank_count),
                         .n = tree->end - tree->begin,
                         .dim = tree->opts.dim,
                         .size = bosc_dtype_size(tree->opts.dtype),
                         .points = points,
                         .ids = ids,
                         .is_64bit = is_64bit};
    if (o.n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, write_in_order(&o));
}

/* Goes through scratch, so that the caller's arrays stay unchanged on failure. */
static bosc_status copy_nodes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *points, void *ids)
{
    const size_t n = (size_t)(tree->end - tree->begin), id_size = (size_t)tree->opts.id_bits / 8,
                 row = (size_t)tree->opts.dim * bosc_dtype_size(tree->opts.dtype);
    void *all_points, *all_ids;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch(ctx, n * row, &all_points));
    BI_TRY(bi_scratch(ctx, n * id_size, &all_ids));
    BI_TRY(bi_ranks_kdtree_write_nodes(ctx, tree, all_points, all_ids, id_size == 8));
    if (points) BI_TRY(ctx->backend->copy(ctx, points, all_points, n * row));
    if (ids) BI_TRY(ctx->backend->copy(ctx, ids, all_ids, n * id_size));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_ranks_kdtree_get_nodes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *points, void *ids)
{
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    BI_TRY(bi_check_aligned(ctx, "points", points, bosc_dtype_size(tree->opts.dtype)));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)tree->opts.id_bits / 8));
    bi_progress_set_total(ctx, 60 * (double)(tree->end - tree->begin));
    BI_RETURN_WITH_SCRATCH(ctx, copy_nodes(ctx, tree, points, ids));
}
