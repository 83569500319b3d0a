/* The published build on two devices (Robinson, KdTreeGPU). Each rank sorts its points by superkey 0. A binary search
 * over the two sorted halves finds the pivot, the median of both. Points on the wrong side of it are exchanged. Each
 * rank merges its two sorted runs and removes duplicates. It then owns a side of the root, which it sorts by the other
 * superkeys and partitions, without communication. Rank 0 has the root too.
 *
 * Once merged, points are numbered in the order of (superkey 0, id). Equal points then ascend by id, and the list of
 * superkey 0 is 0, 1, 2, ... */
#include <string.h>

#include "base/clock.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* Points and their ids, in scratch of `capacity` tuples. */
struct tuples {
    void *rows;
    int64_t *ids;
};

struct published_build {
    bosc_ctx *ctx;
    bosc_ranks_kdtree *tree;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    int64_t dim;
    size_t size, row;             /* bytes of an element, and of a point */
    int64_t total, n, nodes;      /* points of both ranks, and of this one; nodes of the tree: `total` at first */
    int64_t received_from_rank_0; /* number of tuples received from rank 0 in the last exchange */
    int64_t capacity;
    struct tuples held, other; /* each step reads one and fills the other */
    uint32_t *order, *spare;   /* scratch (capacity) */
    char *row_buffer;          /* host: a point of this rank, then one of each rank */
    double since;
};

/* Adds the time since the last stage to *stage. */
static void end_stage(struct published_build *h, bosc_status *local_status, double *stage)
{
    BI_IF_OK(*local_status, bi_kdtree_end_stage(h->ctx, &h->since, stage));
}

static void swap_tuples(struct published_build *h)
{
    const struct tuples held = h->held;
    h->held = h->other;
    h->other = held;
}

static struct bi_kdtree_rows held_rows(const struct published_build *h)
{
    return (struct bi_kdtree_rows){h->held.rows, h->n, h->dim};
}

/* Replaces the tuples by the n that `order` lists. */
static bosc_status gather_tuples(struct published_build *h, const uint32_t *order, int64_t n)
{
    const struct bi_ranks_kdtree_rows rows = {h->held.rows, h->other.rows, order, h->dim, h->dim, 0, h->size == 8},
                                      ids = {h->held.ids, h->other.ids, order, 1, 1, 0, true};
    h->n = n;
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n * h->dim, &rows));
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n, &ids));
    swap_tuples(h);
    return BOSC_OK;
}

static bosc_status allocate_tuples(struct published_build *h, struct tuples *t)
{
    BI_TRY(bi_scratch_of(h->ctx, h->capacity * h->dim, h->size, &t->rows));
    return bi_scratch_of(h->ctx, h->capacity, sizeof *t->ids, &t->ids);
}

static bosc_status allocate_arrays(struct published_build *h, const struct bi_ranks_points *points)
{
    h->n = points->rows.n;
    h->capacity = h->total / 2 + 1 > h->n ? h->total / 2 + 1 : h->n;
    BI_TRY(allocate_tuples(h, &h->held));
    BI_TRY(allocate_tuples(h, &h->other));
    BI_TRY(bi_scratch_of(h->ctx, h->capacity, sizeof *h->order, &h->order));
    return bi_scratch_of(h->ctx, h->capacity, sizeof *h->spare, &h->spare);
}

/* ---- sort ---- */

static bosc_status sort_half(struct published_build *h, const struct bi_ranks_points *points)
{
    const struct bi_kdtree_rows *from = &points->rows;
    if (from->n == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(h->ctx, h->ctx->backend->core->sort_superkey(h->ctx, h->tree->opts.dtype, from->data, from->n,
                                                                     (int32_t)h->dim, from->stride, 0, h->order, NULL));
    const struct bi_ranks_kdtree_rows rows = {from->data, h->held.rows, h->order, h->dim, from->stride,
                                              0,          h->size == 8};
    const struct bi_ranks_offset_ids number = {h->order, points->first, h->held.ids};
    BI_TRY(h->steps->kdtree_gather(h->ctx, from->n * h->dim, &rows));
    return h->steps->offset_ids(h->ctx, from->n, &number);
}

/* ---- pivot and swap ---- */

/* Exchanges held tuple i of this rank for one of the other. *order: -1, 0 or 1, the comparison of rank 1's with rank
 * 0's. A local failure does not end the search, since the other rank continues. */
static bosc_status compare_rows_of_ranks(struct published_build *h, bosc_status *local_status, int64_t i, int *order)
{
    char *both = h->row_buffer + h->row;
    if (*local_status == BOSC_OK && i >= 0 && i < h->n)
        *local_status = bi_read_back(h->ctx, h->row_buffer, (const char *)h->held.rows + (size_t)i * h->row, h->row);
    BI_TRY(bi_comm_all_gather(h->ctx, h->comm, h->row_buffer, h->row, both));
    const struct bi_kdtree_rows rows = {both, 2, h->dim};
    *order = bi_kdtree_compare_rows(&rows, h->tree->opts.dtype, (int32_t)h->dim, 1, 0, 0);
    return BOSC_OK;
}

/* *split: number of held tuples up to the median of both ranks, inclusive. Binary search on a diagonal of their merge
 * matrix; each rank has one side. */
static bosc_status find_pivot(struct published_build *h, bosc_status *local_status, int64_t *split)
{
    /* The lower part has `diagonal` tuples: `low` of rank 0, the others of rank 1. */
    const int64_t diagonal = h->total / 2 + 1, own = h->n, other = h->total - own;
    const int64_t na = h->comm->rank == 0 ? own : other, nb = h->total - na;
    int64_t low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (low < high) {
        const int64_t a = low + (high - low) / 2, b = diagonal - 1 - a;
        int order;
        BI_TRY(compare_rows_of_ranks(h, local_status, h->comm->rank == 0 ? a : b, &order));
        if (order < 0)
            high = a;
        else
            low = a + 1;
    }
    *split = h->comm->rank == 0 ? low : diagonal - low;
    return BOSC_OK;
}

/* Sends the first `split` tuples to rank 0, the others to rank 1. */
static bosc_status exchange_tuples(struct published_build *h, bosc_status local_status, int64_t split)
{
    const int64_t counts[2] = {split, h->n - split};
    struct bi_exchange x;
    bosc_status status = bi_exchange_begin(h->ctx, h->comm, local_status, counts, &x);
    BI_IF_OK(status, bi_exchange_items(h->ctx, h->comm, BOSC_OK, &x, h->row, h->held.rows, h->other.rows));
    BI_IF_OK(status, bi_exchange_items(h->ctx, h->comm, BOSC_OK, &x, sizeof *h->held.ids, h->held.ids, h->other.ids));
    if (status == BOSC_OK) {
        h->n = x.received;
        h->received_from_rank_0 = x.received_offsets[1];
        swap_tuples(h);
    }
    bi_exchange_end(h->ctx, &x);
    return status;
}

static bosc_status split_at_pivot(struct published_build *h, bosc_status local_status)
{
    int64_t split;
    BI_TRY(find_pivot(h, &local_status, &split));
    return exchange_tuples(h, local_status, split);
}

/* ---- merge ---- */

/* Merges the runs received from both ranks. */
static bosc_status merge_runs(struct published_build *h)
{
    const struct bi_ranks_kdtree_merge_path merge = {held_rows(h), h->tree->opts.dtype, (int32_t)h->dim,
                                                     h->received_from_rank_0, h->order};
    if (h->n) BI_TRY(h->steps->kdtree_merge_path(h->ctx, (h->n + BI_RANKS_MERGED - 1) / BI_RANKS_MERGED, &merge));
    return gather_tuples(h, h->order, h->n);
}

/* ---- duplicates ---- */

/* Keeps the first of equal held tuples. *count: number kept; h->order: their rows. */
static bosc_status compact_tuples(struct published_build *h, int64_t *count)
{
    int64_t found[2] = {INT64_MAX, 0}, *results;
    *count = 0;
    if (h->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(h->ctx, 2, sizeof *results, &results));
    BI_TRY(h->ctx->backend->copy(h->ctx, results, found, sizeof found));
    BI_TRY(h->ctx->backend->core->iota(h->ctx, 4, h->order, h->n));
    struct bi_kdtree_removal removal = {.rows = held_rows(h),
                                        .dtype = h->tree->opts.dtype,
                                        .dim = (int32_t)h->dim,
                                        .n = h->n,
                                        .from = h->order,
                                        .to = h->order,
                                        .spare = h->spare,
                                        .count = results + 1,
                                        .bad = results};
    BI_TRY(h->ctx->ops->kdtree->remove_duplicates(h->ctx, &removal));
    BI_TRY(bi_read_back(h->ctx, found, results, sizeof found));
    *count = found[1];
    if (found[0] == INT64_MAX) return BOSC_OK;
    return bi_fail(h->ctx, BOSC_ERR_INTERNAL, "merge: unsorted at %lld", (long long)found[0]); /* unreachable */
}

/* Removes duplicates on both sides and across the pivot: the last tuple of rank 0 precedes the first of rank 1. The
 * side that lost fewer then hands tuples over, so that the root is the median of the remaining ones. */
static bosc_status remove_duplicates(struct published_build *h, bosc_status local_status)
{
    int64_t count = 0, skipped = 0;
    int order;
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(h->ctx, local_status = compact_tuples(h, &count));
    BI_TRY(compare_rows_of_ranks(h, &local_status, h->comm->rank == 0 ? h->n - 1 : 0, &order));
    if (h->comm->rank == 1 && count > 0 && order == 0) skipped = 1; /* it equals the last of rank 0 */
    BI_IF_OK(local_status, gather_tuples(h, h->order + skipped, count - skipped));
    BI_TRY(bi_comm_offset(h->ctx, h->comm, local_status, h->n, NULL, &h->nodes));
    const int64_t lower = h->comm->rank == 0 ? h->n : h->nodes - h->n, target = h->nodes / 2 + 1;
    if (lower == target) return BOSC_OK;
    /* Rank 0 keeps at most `target`; rank 1 hands over as many as rank 0 lacks. */
    if (h->comm->rank == 0) return exchange_tuples(h, BOSC_OK, lower < target ? h->n : target);
    return exchange_tuples(h, BOSC_OK, lower < target ? target - lower : 0);
}

/* ---- build ---- */

/* Builds the tree of this side of the root from its points, with coordinates rotated by one. */
static bosc_status build_side(struct published_build *h)
{
    const int64_t n = h->n - (h->comm->rank == 0);
    void *rotated;
    BI_TRY(bi_scratch_of(h->ctx, n * h->dim, h->size, &rotated));
    const struct bi_ranks_kdtree_rows gather = {h->held.rows, rotated, NULL, h->dim, h->dim, 1 % h->dim, h->size == 8};
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n * h->dim, &gather));
    BI_TRY(bi_kdtree_build_side(h->ctx, h->tree->side, rotated, n));
    return h->ctx->backend->sync(h->ctx);
}

/* The side's own sorts count as sorts, the remainder of the time as build. */
static void add_side_times(struct published_build *h, bosc_ranks_kdtree_times *t)
{
    const bosc_kdtree_times *side = &h->tree->side->times;
    const double all = bi_now() - h->since;
    h->since += all;
    t->sort += side->sort;
    t->build += all - side->sort;
}

/* ---- the shard ---- */

/* The root is the last tuple of rank 0. */
static bosc_status build_root(struct published_build *h)
{
    if (h->comm->rank != 0 || h->n == 0) return BOSC_OK;
    return bosc_kdtree_build(h->ctx, h->tree->root, (const char *)h->held.rows + (size_t)(h->n - 1) * h->row, 1, 0);
}

/* Orders tuples, ids and parts by id, and translates the ids of the side's nodes. */
static bosc_status order_by_id(struct published_build *h)
{
    bosc_ctx *ctx = h->ctx;
    const bool has_root = h->comm->rank == 0;
    const bosc_kdtree_view view = ctx->ops->kdtree->view(h->tree->side);
    struct bi_ranks_kdtree_side side = {.by_id = h->order,
                                        .n = h->n,
                                        .has_root = has_root,
                                        .part = has_root ? 0 : 2, /* of the side; the root is part 1 */
                                        .position_of = h->spare,
                                        .parts = h->tree->parts.data,
                                        .ids = (uint32_t *)(uintptr_t)view.ids,
                                        .id_stride = view.id_stride};
    if (h->n == 0) return BOSC_OK;
    BI_TRY(ctx->backend->core->iota(ctx, 4, h->spare, h->n));
    BI_TRY_WITH_SCRATCH(ctx, ctx->backend->core->sort_pairs(ctx, BOSC_I64, h->held.ids, sizeof *h->spare, h->spare,
                                                            h->n, h->tree->ids.data, h->order, 0, 64));
    BI_TRY(h->steps->kdtree_side_parts(ctx, h->n, &side));
    if (h->n > has_root) BI_TRY(h->steps->kdtree_side_ids(ctx, h->n - has_root, &side));
    return gather_tuples(h, h->order, h->n);
}

/* ---- the build ---- */

/* Runs the stages; both ranks call it. The next step with communication returns a failure in local_status on both
 * ranks. The handle stores the number of input points and the first row, from `points`. h->total: points of both
 * ranks. */
static bosc_status build_tree(struct published_build *h, bosc_status local_status, const struct bi_ranks_points *points)
{
    bosc_ranks_kdtree_times t = {.size = sizeof t};
    BI_IF_OK(local_status, allocate_arrays(h, points));
    end_stage(h, &local_status, &t.init);
    BI_IF_OK(local_status, sort_half(h, points));
    end_stage(h, &local_status, &t.sort);
    /* Exchange the tuples on the wrong side of the pivot, then merge the two sorted runs. */
    if (h->total > 0) BI_TRY(split_at_pivot(h, local_status));
    end_stage(h, &local_status, &t.pivot);
    BI_IF_OK(local_status, merge_runs(h));
    end_stage(h, &local_status, &t.merge);
    if (h->total > 0 && h->tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(remove_duplicates(h, local_status));
        local_status = BOSC_OK;
    }
    end_stage(h, &local_status, &t.deduplicate);
    BI_TRY(bi_comm_agree(h->ctx, h->comm, local_status));
    /* From here on without communication: the side's tree, the root, and the tuples by id. */
    local_status = bi_ranks_kdtree_reserve_shard(h->ctx, h->tree, h->n);
    if (local_status == BOSC_OK && h->nodes > 0) local_status = build_side(h);
    if (h->nodes > 0) add_side_times(h, &t);
    BI_IF_OK(local_status, build_root(h));
    BI_IF_OK(local_status, order_by_id(h));
    /* The shard to be queried, and the boxes of all shards. */
    BI_TRY(bi_ranks_kdtree_build_shard(h->ctx, h->tree, local_status, h->held.rows, points, h->nodes));
    t.shard = bi_now() - h->since;
    h->tree->times = t;
    return BOSC_OK;
}

bosc_status bi_ranks_kdtree_build_published(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                            const struct bi_ranks_points *points)
{
    const size_t size = bosc_dtype_size(tree->opts.dtype), row = size * (size_t)tree->opts.dim;
    struct published_build h = {.ctx = ctx,
                                .tree = tree,
                                .comm = tree->comm,
                                .steps = ctx->ops->ranks->steps,
                                .dim = tree->opts.dim,
                                .size = size,
                                .row = row,
                                .total = points->total,
                                .nodes = points->total,
                                .since = points->since};
    if (local_status == BOSC_OK) {
        h.row_buffer = bi_host_alloc(ctx, 3 * row);
        local_status = h.row_buffer ? BOSC_OK : BOSC_ERR_NOMEM;
    }
    if (h.row_buffer) memset(h.row_buffer, 0, 3 * row);
    bosc_status status = bi_comm_agree(ctx, tree->comm, local_status);
    BI_IF_OK(status, build_tree(&h, BOSC_OK, points));
    bi_memory_release(&ctx->host, h.row_buffer, 3 * row);
    return status;
}
