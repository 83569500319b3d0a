/* The published build on two devices (Robinson, KdTreeGPU): each rank sorts its points by superkey 0; the pivot, which
 * is the median of both, is found by binary search over the two sorted halves; points on the wrong side of it are
 * swapped; each rank merges its two sorted runs and removes duplicates. Then it owns a side of the root, sorts that by
 * the other superkeys and partitions the lists, without another word between the ranks. Rank 0 has the root too.
 *
 * Once merged, points are numbered in the order of (superkey 0, id), so that equal points ascend by id, and the list of
 * superkey 0 is 0, 1, 2, ... */
#include <string.h>

#include "base/clock.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"
#include "kdtree/side.h"

/* Points and their ids, scratch; room for `most` of them. */
struct tuples {
    void *rows;
    int64_t *ids;
};

struct halves {
    bosc_ctx *ctx;
    bosc_ranks_kdtree *tree;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    int64_t dim;
    size_t size, row;        /* bytes of an element, and of a point */
    int64_t total, n, nodes; /* given to both ranks; held by this one; of the tree */
    int64_t received_first;  /* of what the last exchange brought: from rank 0 */
    int64_t room;
    struct tuples held, other; /* each step reads one and fills the other */
    uint32_t *order, *spare;   /* scratch (room) */
    char *shown;               /* host: a point of this rank, then one of each */
    double since;
};

static void end_stage(struct halves *h, bosc_status *local_status, double *stage)
{
    if (*local_status == BOSC_OK) *local_status = bi_kdtree_end_stage(h->ctx, &h->since, stage);
}

static void swap_tuples(struct halves *h)
{
    const struct tuples held = h->held;
    h->held = h->other;
    h->other = held;
}

static struct bi_kdtree_rows held_rows(const struct halves *h)
{
    return (struct bi_kdtree_rows){h->held.rows, h->n, h->dim};
}

/* The tuples become the n ones that `order` names. */
static bosc_status gather_tuples(struct halves *h, const uint32_t *order, int64_t n)
{
    const struct bi_ranks_kdtree_rows rows = {h->held.rows, h->other.rows, order, h->dim, h->dim, 0, h->size == 8},
                                      ids = {h->held.ids, h->other.ids, order, 1, 1, 0, true};
    h->n = n;
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n * h->dim, &rows));
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n, &ids));
    swap_tuples(h);
    return BOSC_OK;
}

static bosc_status take_tuples(struct halves *h, struct tuples *t)
{
    BI_TRY(bi_scratch_of(h->ctx, h->room * h->dim, h->size, &t->rows));
    return bi_scratch_of(h->ctx, h->room, sizeof *t->ids, &t->ids);
}

static bosc_status take_room(struct halves *h, const struct bi_ranks_points *points)
{
    h->n = points->rows.n;
    h->room = h->total / 2 + 1 > h->n ? h->total / 2 + 1 : h->n;
    BI_TRY(take_tuples(h, &h->held));
    BI_TRY(take_tuples(h, &h->other));
    BI_TRY(bi_scratch_of(h->ctx, h->room, sizeof *h->order, &h->order));
    return bi_scratch_of(h->ctx, h->room, sizeof *h->spare, &h->spare);
}

/* ---- sort ---- */

static bosc_status sort_half(struct halves *h, const struct bi_ranks_points *points)
{
    const struct bi_kdtree_rows *from = &points->rows;
    if (from->n == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(h->ctx, h->ctx->backend->core->sort_superkey(h->ctx, h->tree->opts.dtype, from->data, from->n,
                                                                     (int32_t)h->dim, from->stride, 0, h->order, NULL));
    const struct bi_ranks_kdtree_rows rows = {from->data, h->held.rows, h->order, h->dim, from->stride,
                                              0,          h->size == 8};
    const struct bi_ranks_kdtree_number number = {points->first, h->order, h->held.ids};
    BI_TRY(h->steps->kdtree_gather(h->ctx, from->n * h->dim, &rows));
    return h->steps->kdtree_number(h->ctx, from->n, &number);
}

/* ---- pivot and swap ---- */

/* Shows the held tuple `local_status` to the other rank, which shows one as well; -1, 0 or 1: how that of rank 1
 * compares with
 * that of rank 0. A failure must not end the search here, as the other rank goes on. */
static bosc_status compare_shown(struct halves *h, bosc_status *local_status, int64_t i, int *order)
{
    char *both = h->shown + h->row;
    if (*local_status == BOSC_OK && i >= 0 && i < h->n)
        *local_status = bi_read_back(h->ctx, h->shown, (const char *)h->held.rows + (size_t)i * h->row, h->row);
    BI_TRY(bi_comm_all_gather(h->ctx, h->comm, h->shown, h->row, both));
    const struct bi_kdtree_rows rows = {both, 2, h->dim};
    *order = bi_kdtree_compare_rows(&rows, h->tree->opts.dtype, (int32_t)h->dim, 1, 0, 0);
    return BOSC_OK;
}

/* *cut: how many of the tuples held come before or are the median of both ranks': a binary search on the diagonal of
 * their merge, of which each rank knows one side. */
static bosc_status find_pivot(struct halves *h, bosc_status *local_status, int64_t *cut)
{
    const int64_t diagonal = h->total / 2 + 1, own = h->n, other = h->total - own;
    const int64_t na = h->comm->rank == 0 ? own : other, nb = h->total - na;
    int64_t low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (low < high) {
        const int64_t a = low + (high - low) / 2, b = diagonal - 1 - a;
        int order;
        BI_TRY(compare_shown(h, local_status, h->comm->rank == 0 ? a : b, &order));
        if (order < 0)
            high = a;
        else
            low = a + 1;
    }
    *cut = h->comm->rank == 0 ? low : diagonal - low;
    return BOSC_OK;
}

/* The first `cut` tuples go to rank 0, the others to rank 1. */
static bosc_status exchange_tuples(struct halves *h, bosc_status local_status, int64_t cut)
{
    const int64_t counts[2] = {cut, h->n - cut};
    struct bi_exchange x;
    bosc_status status = bi_exchange_begin(h->ctx, h->comm, local_status, counts, &x);
    if (status == BOSC_OK)
        status = bi_exchange_items(h->ctx, h->comm, BOSC_OK, &x, h->row, h->held.rows, h->other.rows);
    if (status == BOSC_OK)
        status = bi_exchange_items(h->ctx, h->comm, BOSC_OK, &x, sizeof *h->held.ids, h->held.ids, h->other.ids);
    if (status == BOSC_OK) {
        h->n = x.received;
        h->received_first = x.received_offsets[1];
        swap_tuples(h);
    }
    bi_exchange_end(h->ctx, &x);
    return status;
}

static bosc_status split_at_pivot(struct halves *h, bosc_status local_status)
{
    int64_t cut;
    BI_TRY(find_pivot(h, &local_status, &cut));
    return exchange_tuples(h, local_status, cut);
}

/* ---- merge ---- */

static bosc_status merge_runs(struct halves *h)
{
    const struct bi_ranks_kdtree_merge_path merge = {held_rows(h), h->tree->opts.dtype, (int32_t)h->dim,
                                                     h->received_first, h->order};
    if (h->n) BI_TRY(h->steps->kdtree_merge_path(h->ctx, (h->n + BI_RANKS_MERGED - 1) / BI_RANKS_MERGED, &merge));
    return gather_tuples(h, h->order, h->n);
}

/* ---- duplicates ---- */

/* Of equal tuples held the first stays. *count: how many stay; h->order: which ones. */
static bosc_status compact(struct halves *h, int64_t *count)
{
    int64_t found[2] = {INT64_MAX, 0}, *places;
    const struct bi_ranks_kdtree_iota iota = {h->order};
    *count = 0;
    if (h->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(h->ctx, 2, sizeof *places, &places));
    BI_TRY(h->ctx->backend->copy(h->ctx, places, found, sizeof found));
    BI_TRY(h->steps->kdtree_iota(h->ctx, h->n, &iota));
    struct bi_kdtree_removal removal = {.rows = held_rows(h),
                                        .dtype = h->tree->opts.dtype,
                                        .dim = (int32_t)h->dim,
                                        .n = h->n,
                                        .from = h->order,
                                        .to = h->order,
                                        .spare = h->spare,
                                        .count = places + 1,
                                        .bad = places};
    BI_TRY(h->ctx->ops->kdtree->remove_duplicates(h->ctx, &removal));
    BI_TRY(bi_read_back(h->ctx, found, places, sizeof found));
    *count = found[1];
    if (found[0] == INT64_MAX) return BOSC_OK;
    return bi_fail(h->ctx, BOSC_ERR_INTERNAL, "merge: unsorted at %lld", (long long)found[0]); /* unreached */
}

/* Equal tuples on both sides of the pivot: the last one of rank 0 is the left neighbour of the first one of rank 1.
 * Sides that have lost more than the other then hand over tuples, so that the root is the median of those that stay. */
static bosc_status remove_duplicates(struct halves *h, bosc_status local_status)
{
    int64_t count = 0, first = 0;
    int order;
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(h->ctx, local_status = compact(h, &count));
    BI_TRY(compare_shown(h, &local_status, h->comm->rank == 0 ? h->n - 1 : 0, &order));
    if (h->comm->rank == 1 && count > 0 && order == 0) first = 1;
    if (local_status == BOSC_OK) local_status = gather_tuples(h, h->order + first, count - first);
    BI_TRY(bi_comm_offset(h->ctx, h->comm, local_status, h->n, NULL, &h->nodes));
    const int64_t lower = h->comm->rank == 0 ? h->n : h->nodes - h->n, wanted = h->nodes / 2 + 1;
    if (lower == wanted) return BOSC_OK;
    if (h->comm->rank == 0) return exchange_tuples(h, BOSC_OK, lower < wanted ? h->n : wanted);
    return exchange_tuples(h, BOSC_OK, lower < wanted ? wanted - lower : 0);
}

/* ---- build ---- */

static bosc_status build_side(struct halves *h)
{
    const int64_t n = h->n - (h->comm->rank == 0);
    void *rotated;
    BI_TRY(bi_scratch_of(h->ctx, n * h->dim, h->size, &rotated));
    const struct bi_ranks_kdtree_rows gather = {h->held.rows, rotated, NULL, h->dim, h->dim, 1 % h->dim, h->size == 8};
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n * h->dim, &gather));
    BI_TRY(bi_kdtree_build_side(h->ctx, h->tree->side, rotated, n));
    return h->ctx->backend->sync(h->ctx);
}

static void add_side_times(struct halves *h, bosc_ranks_kdtree_times *t)
{
    const bosc_kdtree_times *side = &h->tree->side->times;
    const double all = bi_now() - h->since;
    h->since += all;
    t->sort += side->sort;
    t->build += all - side->sort;
}

/* ---- the shard ---- */

/* The root is the last tuple of rank 0. */
static bosc_status keep_root(struct halves *h)
{
    if (h->comm->rank != 0 || h->n == 0) return BOSC_OK;
    return bosc_kdtree_build(h->ctx, h->tree->root, (const char *)h->held.rows + (size_t)(h->n - 1) * h->row, 1, 0);
}

/* The tuples in the order of their ids: they, the ids, the pieces; and the names of the side's nodes. */
static bosc_status order_by_id(struct halves *h)
{
    bosc_ctx *ctx = h->ctx;
    const struct bi_ranks_kdtree_iota iota = {h->spare};
    const bool has_root = h->comm->rank == 0;
    const bosc_kdtree_view view = ctx->ops->kdtree->view(h->tree->side);
    struct bi_ranks_kdtree_side side = {.by_id = h->order,
                                        .n = h->n,
                                        .has_root = has_root,
                                        .piece = has_root ? 0 : 2,
                                        .where = h->spare,
                                        .pieces = h->tree->pieces.data,
                                        .ids = (uint32_t *)(uintptr_t)view.ids,
                                        .id_stride = view.id_stride};
    if (h->n == 0) return BOSC_OK;
    BI_TRY(h->steps->kdtree_iota(ctx, h->n, &iota));
    BI_TRY_WITH_SCRATCH(ctx, ctx->backend->core->sort_pairs(ctx, BOSC_I64, h->held.ids, sizeof *h->spare, h->spare,
                                                            h->n, h->tree->ids.data, h->order, 0, 64));
    BI_TRY(h->steps->kdtree_side_pieces(ctx, h->n, &side));
    if (h->n > has_root) BI_TRY(h->steps->kdtree_side_names(ctx, h->n - has_root, &side));
    return gather_tuples(h, h->order, h->n);
}

/* ---- the build ---- */

static bosc_status build(struct halves *h, bosc_status local_status, const struct bi_ranks_points *points)
{
    bosc_ranks_kdtree_times t = {.size = sizeof t};
    if (local_status == BOSC_OK) local_status = take_room(h, points);
    end_stage(h, &local_status, &t.init);
    if (local_status == BOSC_OK) local_status = sort_half(h, points);
    end_stage(h, &local_status, &t.sort);
    if (h->total > 0) BI_TRY(split_at_pivot(h, local_status));
    end_stage(h, &local_status, &t.pivot);
    if (local_status == BOSC_OK) local_status = merge_runs(h);
    end_stage(h, &local_status, &t.merge);
    if (h->total > 0 && h->tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(remove_duplicates(h, local_status));
        local_status = BOSC_OK;
    }
    end_stage(h, &local_status, &t.deduplicate);
    BI_TRY(bi_comm_agree(h->ctx, h->comm, local_status));
    local_status = bi_ranks_kdtree_begin_install(h->ctx, h->tree, h->n);
    if (local_status == BOSC_OK && h->nodes > 0) local_status = build_side(h);
    if (h->nodes > 0) add_side_times(h, &t);
    if (local_status == BOSC_OK) local_status = keep_root(h);
    if (local_status == BOSC_OK) local_status = order_by_id(h);
    BI_TRY(bi_ranks_kdtree_install(h->ctx, h->tree, local_status, h->held.rows, points, h->nodes));
    t.shard = bi_now() - h->since;
    h->tree->times = t;
    return BOSC_OK;
}

bosc_status bi_ranks_kdtree_build_halves(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                         const struct bi_ranks_points *points)
{
    const size_t size = bosc_dtype_size(tree->opts.dtype), row = size * (size_t)tree->opts.dim;
    struct halves h = {.ctx = ctx,
                       .tree = tree,
                       .comm = tree->comm,
                       .steps = ctx->ops->dist->steps,
                       .dim = tree->opts.dim,
                       .size = size,
                       .row = row,
                       .total = points->total,
                       .nodes = points->total,
                       .since = points->since};
    if (local_status == BOSC_OK) {
        h.shown = bi_host_alloc(ctx, 3 * row);
        local_status = h.shown ? BOSC_OK : BOSC_ERR_NOMEM;
    }
    if (h.shown) memset(h.shown, 0, 3 * row);
    bosc_status status = bi_comm_agree(ctx, tree->comm, local_status);
    if (status == BOSC_OK) status = build(&h, BOSC_OK, points);
    bi_memory_release(&ctx->host, h.shown, 3 * row);
    return status;
}
