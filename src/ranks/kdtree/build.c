/* The build of a k-d tree over ranks. 1. Duplicates are removed, if requested. 2. The medians above the subtrees of the
 * partition, the cuts, are selected. 3. Every point moves to the rank of its part of the in-order array, and becomes a
 * row of that rank's shard. */
#include "base/bits.h"
#include "base/clock.h"
#include "ranks/exchange/route.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* ---- removal of duplicates ----
 *
 * Equal points go to the rank of their hash, which answers each with the id of its representative. */

static bosc_status hash_points(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                               uint32_t **bucket)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **bucket, bucket));
    const struct bi_ranks_kdtree_hash_owner hash = {points->rows, tree->opts.dtype, tree->opts.dim,
                                                    (uint32_t)tree->comm->rank_count, *bucket};
    return points->rows.n ? ctx->ops->ranks->steps->kdtree_hash_owner(ctx, points->rows.n, &hash) : BOSC_OK;
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
    return ctx->ops->ranks->steps->kdtree_representative_ids(ctx, n, &step);
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
    BI_IF_OK(status, ctx->backend->sync(ctx)); /* before the tree is freed */
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
    BI_IF_OK(local_status, bi_scratch_of(ctx, received, sizeof *received_ids, &received_ids));
    BI_IF_OK(local_status, bi_scratch_of(ctx, received, sizeof *representative_ids, &representative_ids));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, local_status, scatter, &points->rows, tree->opts.dim, size,
                                        rows));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, BOSC_OK, scatter, &id_rows, 1, sizeof *ids, received_ids));
    local_status = find_representatives_by_tree(ctx, tree, rows, received_ids, received, representative_ids);
    return bi_exchange_replies(ctx, tree->comm, local_status, &scatter->x, sizeof *representative_ids,
                               representative_ids, answers);
}

/* *ids = scratch: the ids of rows that ascend by one. */
static bosc_status number_rows(bosc_ctx *ctx, const struct bi_ranks_points *points, int64_t **ids)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **ids, ids));
    const struct bi_ranks_global_ids number = {points->first, *ids};
    return points->rows.n ? ctx->ops->ranks->steps->global_ids(ctx, points->rows.n, &number) : BOSC_OK;
}

/* Fills points->representative_ids; is_kept[i] = 1 for rows that represent themselves. */
static bosc_status mark_kept(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                             const struct bi_ranks_points *points, uint8_t *is_kept)
{
    struct bi_ranks_scatter scatter;
    uint32_t *bucket = NULL;
    int64_t *answers = NULL, *ids = NULL;
    BI_IF_OK(local_status, bi_scratch_of(ctx, points->rows.n, sizeof *answers, &answers));
    BI_IF_OK(local_status, number_rows(ctx, points, &ids));
    BI_IF_OK(local_status, hash_points(ctx, tree, points, &bucket));
    bosc_status status =
        bi_ranks_kdtree_begin_scatter(ctx, tree->comm, local_status, bucket, NULL, points->rows.n, &scatter);
    BI_IF_OK(status, answer_rows(ctx, tree, &scatter, points, ids, answers));
    /* Write the answers to their rows. */
    const struct bi_ranks_kdtree_mark_representatives mark = {answers, scatter.order, points->first,
                                                              points->representative_ids, is_kept};
    local_status = BOSC_OK;
    if (status == BOSC_OK && scatter.x.sent)
        local_status = ctx->ops->ranks->steps->kdtree_mark_representatives(ctx, scatter.x.sent, &mark);
    bi_exchange_end(ctx, &scatter.x);
    return status == BOSC_OK ? bi_comm_agree(ctx, tree->comm, local_status) : status;
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
    BI_TRY(number_rows(ctx, points, &ids));
    BI_TRY(bi_ranks_kdtree_make_dense(ctx, tree, &rows));
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
    kept.has_ids = true;
    *points = kept;
    return BOSC_OK;
}

/* Replaces *points by the representatives, the rows of the smallest ids; allocates representative_ids. *nodes: number
 * of representatives on all ranks. */
static bosc_status remove_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                     struct bi_ranks_points *points, int64_t *nodes)
{
    uint8_t *is_kept = NULL;
    BI_IF_OK(local_status, bi_scratch_of(ctx, points->rows.n, 1, &is_kept));
    BI_IF_OK(local_status,
             bi_scratch_of(ctx, points->rows.n, sizeof *points->representative_ids, &points->representative_ids));
    /* 1. Find the representatives of all rows. 2. Keep each row that represents itself. */
    BI_TRY_WITH_SCRATCH(ctx, mark_kept(ctx, tree, local_status, points, is_kept));
    local_status = pack_kept(ctx, tree, is_kept, points);
    return bi_comm_offset(ctx, tree->comm, local_status, points->rows.n, NULL, nodes);
}

/* ---- points to their shards ---- */

static bosc_status store_representatives(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct bi_ranks_points *points)
{
    const size_t bytes = (size_t)points->input_count * sizeof *points->representative_ids;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->representative_ids, bytes));
    return bytes ? ctx->backend->copy(ctx, tree->representative_ids.data, points->representative_ids, bytes) : BOSC_OK;
}

/* Points on their way to the shards. */
struct distribution {
    bosc_ranks_kdtree *tree;
    const struct bi_ranks_points *points; /* dense rows */
    int64_t nodes;
    struct bi_ranks_kdtree_partition partition;
    int64_t *offsets; /* host: the first row of each rank among all */
    uint64_t *cuts;   /* scratch */
};

/* Writes the ids of the received points, which have ids or row numbers of their senders. */
static bosc_status store_ids(bosc_ctx *ctx, const struct distribution *d, const struct bi_exchange *x,
                             const void *received)
{
    if (d->points->has_ids) return bi_ranks_kdtree_store_ids(ctx, d->tree, received, x->received);
    for (int32_t r = 0; r < x->rank_count; r++) {
        const int64_t begin = x->received_offsets[r], n = x->received_offsets[r + 1] - begin;
        const struct bi_ranks_kdtree_sent_ids step = {(const uint32_t *)received + begin, d->offsets[r],
                                                      (char *)d->tree->ids.data +
                                                          (size_t)begin * bi_ranks_kdtree_id_size(&d->tree->opts),
                                                      d->tree->opts.id_bits == 64};
        if (n) BI_TRY(ctx->ops->ranks->steps->kdtree_sent_ids(ctx, n, &step));
    }
    return BOSC_OK;
}

/* Empties the tree, and stores all but the shard. */
static bosc_status store_points(bosc_ctx *ctx, const struct distribution *d, const struct bi_exchange *x,
                                const void *ids)
{
    BI_TRY(bi_ranks_kdtree_reserve_shard(ctx, d->tree, x->received, &d->partition));
    BI_TRY(store_ids(ctx, d, x, ids));
    BI_TRY(bi_ranks_kdtree_store_cuts(ctx, d->tree, d->cuts, x->received, &d->partition));
    return d->points->representative_ids ? store_representatives(ctx, d->tree, d->points) : BOSC_OK;
}

/* Sends points with their ids, or row numbers if they have none, to the owners, and builds the shards. */
static bosc_status route_points(bosc_ctx *ctx, const struct distribution *d, const struct bi_ranks_route *route)
{
    const bosc_kdtree_opts *o = &d->tree->opts;
    struct bi_ranks_column columns[2] = {
        {.item_size = (size_t)o->dim * bosc_dtype_size(o->dtype), .rows = (void *)(uintptr_t)d->points->rows.data},
        {.item_size = d->points->has_ids ? sizeof(int64_t) : sizeof(uint32_t),
         .rows = (void *)(uintptr_t)d->points->ids}};
    BI_TRY(bi_ranks_route_columns(ctx, d->tree->comm, BOSC_OK, route, columns, 2));
    const bosc_status local_status = store_points(ctx, d, &route->x, columns[1].received);
    return bi_ranks_kdtree_build_shard(ctx, d->tree, local_status, columns[0].received, d->points, d->nodes);
}

/* One rank has all points, and no cuts. The build of its shard looks for a NaN, before anything of the tree changes. */
static bosc_status build_alone(bosc_ctx *ctx, const struct distribution *d, bosc_status local_status)
{
    const struct bi_ranks_points *points = d->points;
    const int64_t n = points->rows.n;
    const bool is_ready = local_status == BOSC_OK;
    BI_IF_OK(local_status, bosc_kdtree_build(ctx, d->tree->shard, points->rows.data, n, 0));
    if (!is_ready || local_status == BOSC_ERR_DATA) return bi_comm_agree(ctx, d->tree->comm, local_status);
    const bosc_status reserved = bi_ranks_kdtree_reserve_shard(ctx, d->tree, n, &d->partition);
    BI_IF_OK(local_status, reserved);
    if (points->has_ids) BI_IF_OK(local_status, bi_ranks_kdtree_store_ids(ctx, d->tree, points->ids, n));
    if (!points->has_ids && n > 0)
        BI_IF_OK(local_status, ctx->backend->core->iota(ctx, bi_ranks_kdtree_id_size(&d->tree->opts), d->tree->ids.data,
                                                        n)); /* from 0 on: there are no other ranks */
    if (points->representative_ids) BI_IF_OK(local_status, store_representatives(ctx, d->tree, points));
    return bi_ranks_kdtree_finish_shard(ctx, d->tree, local_status, points->rows.data, points, d->nodes);
}

/* Selects the cuts, and sends the points to their ranks. */
static bosc_status distribute_points(bosc_ctx *ctx, struct distribution *d, bosc_status local_status)
{
    bosc_comm *comm = d->tree->comm;
    const int64_t n = d->points->rows.n;
    struct bi_ranks_route route;
    uint32_t *owners = NULL;
    BI_IF_OK(local_status,
             bi_scratch(ctx, bi_ranks_kdtree_cut_bytes(&d->tree->opts, &d->partition), (void **)&d->cuts));
    BI_IF_OK(local_status, bi_scratch_of(ctx, n, sizeof *owners, &owners));
    BI_TRY(bi_ranks_kdtree_select_cuts(ctx, d->tree, local_status, d->points, d->nodes, d->cuts, owners, d->offsets));
    bosc_status status = bi_ranks_route_to_owners(ctx, comm, BOSC_OK, owners, n, &route);
    BI_IF_OK(status, route_points(ctx, d, &route));
    bi_ranks_route_end(ctx, &route);
    return status;
}

/* ---- the call ---- */

bosc_status bi_ranks_kdtree_build_distinct(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                           const struct bi_ranks_points *points, int64_t nodes)
{
    const size_t bytes = (size_t)(tree->comm->rank_count + 1) * sizeof(int64_t);
    struct bi_ranks_points dense = *points;
    struct distribution d = {.tree = tree,
                             .points = &dense,
                             .nodes = nodes,
                             .partition = bi_ranks_kdtree_make_partition(nodes, tree->comm->rank_count)};
    if (local_status == BOSC_OK && !(d.offsets = bi_host_alloc(ctx, bytes))) local_status = BOSC_ERR_NOMEM;
    BI_IF_OK(local_status, bi_ranks_kdtree_make_dense(ctx, tree, &dense.rows));
    const bosc_status status =
        tree->comm->rank_count == 1 ? build_alone(ctx, &d, local_status) : distribute_points(ctx, &d, local_status);
    bi_memory_release(&ctx->host, d.offsets, bytes);
    return status;
}

static bosc_status build_tree(bosc_ctx *ctx, bosc_ranks_kdtree *tree, struct bi_ranks_points *points,
                              bosc_status local_status)
{
    int64_t nodes = points->total;
    if (tree->side) return bi_ranks_kdtree_build_published(ctx, tree, local_status, points);
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(remove_duplicates(ctx, tree, local_status, points, &nodes));
        local_status = BOSC_OK;
    }
    return bi_ranks_kdtree_build_distinct(ctx, tree, local_status, points, nodes);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_ranks_kdtree *tree, struct bi_ranks_points *points,
                                bosc_status local_status)
{
    const int64_t n = local_status == BOSC_OK ? points->rows.n : 0;
    BI_TRY(bi_comm_offset(ctx, tree->comm, local_status, n, &points->first, &points->total));
    BI_TRY(bi_ranks_kdtree_check_total(ctx, &tree->opts, "n", points->total));
    points->input_count = n;
    /* The selection looks for a NaN, or the build of the only rank, unless the points are needed before. */
    const bool may_have_nan = bi_ranks_kdtree_may_have_nan(tree),
               is_first = tree->side || tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    points->checks_nan = may_have_nan && !is_first && tree->comm->rank_count > 1;
    local_status = bi_ranks_kdtree_stage(ctx, tree, "points", points->first, may_have_nan && is_first, &points->rows);
    return build_tree(ctx, tree, points, local_status);
}

static bosc_status check_build(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *points, int64_t n,
                               int64_t stride, struct bi_kdtree_rows *rows)
{
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    BI_TRY(bi_kdtree_check_size(ctx, n));
    return bi_kdtree_check_rows(ctx, tree->shard, "points", points, "n", n, stride, rows);
}

bosc_status bosc_ranks_kdtree_build(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const void *points, int64_t n,
                                    int64_t stride)
{
    struct bi_ranks_points input = {.since = bi_now()};
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    bosc_status local_status = check_build(ctx, tree, points, n, stride, &input.rows);
    bi_progress_set_total(ctx, 80 * (double)input.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, tree, &input, local_status));
}
