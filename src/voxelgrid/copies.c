/* Joins copies of points before components are searched. m copies in reach of each other are m^2 / 2 pairs; joined,
 * they cost a sort, and one of them remains in the view that is searched. */
#include "voxelgrid/handle.h"

/* Average size of crowds, over all points, from which copies are looked for: pairs in crowds without copies then cost
 * several times as much as the sort. Not measured. */
enum { LARGE_CROWDS = 256 };

/* *sum = the sizes of the sampled crowds. */
static bosc_status sum_crowds(bosc_ctx *ctx, const struct bi_voxelgrid_view *view, int64_t *sum)
{
    const int64_t samples = bi_div_up(view->n, BI_VOXELGRID_CROWD_STRIDE);
    struct bi_voxelgrid_crowds crowds = {.view = *view};
    BI_TRY(bi_scratch_of(ctx, samples, sizeof *crowds.sizes, &crowds.sizes));
    BI_TRY(ctx->ops->voxelgrid->steps->crowds(ctx, samples, &crowds));
    return bi_sum_i64(ctx, crowds.sizes, samples, sum);
}

/* Orders the positions by the hash of their points, and joins copies. copies->keep, ranks: set. */
static bosc_status join_equal(bosc_ctx *ctx, struct bi_voxelgrid_copies *copies)
{
    const struct bi_voxelgrid_steps *steps = ctx->ops->voxelgrid->steps;
    const struct bi_core_ops *core = ctx->backend->core;
    const int64_t n = copies->view.n;
    struct bi_voxelgrid_hash_points hash = {.view = copies->view};
    BI_TRY(bi_scratch_of(ctx, n, sizeof *hash.hashes, &hash.hashes));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *hash.positions, &hash.positions));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *copies->first, &copies->first));
    /* 1. Order by (hash, position), as the sort is stable. */
    BI_TRY(steps->hash_points(ctx, n, &hash));
    BI_TRY(core->sort_pairs(ctx, BOSC_U32, hash.hashes, sizeof *hash.positions, hash.positions, n, hash.hashes,
                            hash.positions, 0, 32));
    copies->hashes = hash.hashes;
    copies->positions = hash.positions;
    /* 2. Find the first of equal points, and join the others to it. */
    BI_TRY(steps->mark_copies(ctx, n, copies));
    BI_TRY(core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, copies->first, n, copies->first));
    BI_TRY(steps->join_copies(ctx, n, copies));
    return core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, copies->ranks, n + 1, copies->ranks);
}

/* Copies the kept elements of an array of the view to scratch. */
static bosc_status compact_kept(bosc_ctx *ctx, size_t size, const void *in, const struct bi_voxelgrid_copies *copies,
                                const void **out)
{
    void *kept;
    int64_t *count;
    BI_TRY(bi_scratch_of(ctx, copies->view.n, size, &kept));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    *out = kept;
    return ctx->backend->core->compact(ctx, size, in, copies->keep, copies->view.n, kept, count);
}

/* Replaces the view by one of the kept points, in scratch. The box and the keys of voxels stay. */
static bosc_status make_kept_view(bosc_ctx *ctx, const struct bi_voxelgrid_copies *copies,
                                  struct bi_voxelgrid_view *view)
{
    const struct bi_voxelgrid_view all = copies->view;
    struct bi_voxelgrid_kept_starts starts = {.starts = all.starts, .ranks = copies->ranks};
    const void *ids = NULL;
    uint32_t kept;
    BI_TRY(compact_kept(ctx, bi_voxelgrid_point_bytes(all.dim, all.is_f64), all.points, copies, &view->points));
    if (all.is_f64) BI_TRY(compact_kept(ctx, sizeof *all.ids, all.ids, copies, &ids));
    view->ids = ids;
    if (all.keyed && all.shift > 0) BI_TRY(compact_kept(ctx, all.keys_64bit ? 8 : 4, all.keys, copies, &view->keys));
    if (all.keyed) {
        BI_TRY(bi_scratch_of(ctx, bi_voxelgrid_entries(&all) + 1, sizeof *starts.kept, &starts.kept));
        BI_TRY(ctx->ops->voxelgrid->steps->kept_starts(ctx, bi_voxelgrid_entries(&all) + 1, &starts));
        view->starts = starts.kept;
    }
    BI_TRY(bi_read_back(ctx, &kept, copies->ranks + all.n, sizeof kept));
    view->n = kept;
    view->bricks.slots = NULL; /* they have the positions of all points */
    return BOSC_OK;
}

bosc_status bi_voxelgrid_join_copies(bosc_ctx *ctx, struct bi_voxelgrid_view *view, uint32_t *parent)
{
    struct bi_voxelgrid_copies copies = {.view = *view, .parent = parent};
    int64_t sum = 0;
    if (view->n > LARGE_CROWDS) BI_TRY_WITH_SCRATCH(ctx, sum_crowds(ctx, view, &sum));
    if (sum * BI_VOXELGRID_CROWD_STRIDE <= LARGE_CROWDS * view->n) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, view->n, 1, &copies.keep));
    BI_TRY(bi_scratch_of(ctx, view->n + 1, sizeof *copies.ranks, &copies.ranks));
    BI_TRY_WITH_SCRATCH(ctx, join_equal(ctx, &copies));
    return make_kept_view(ctx, &copies, view);
}
