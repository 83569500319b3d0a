/* Batches of scene bases vote for model bases. */
#include "geometric/find.h"

enum { MAX_VOTES = 1 << 26 }; /* of a batch, or of one basis; regular models have more than expected */

bosc_status bi_geometric_vote_batch(struct bi_geometric_search *f, int64_t from, int64_t *bases)
{
    int64_t count = *bases;
    const struct bi_geometric_steps *steps = f->ctx->ops->geometric->steps;
    const struct bi_backend *backend = f->ctx->backend;
    int64_t queries = count * f->per, counters = count * f->table->bases, total, *offsets;
    uint32_t *ids, *bad;
    struct bi_geometric_choice choice = {
        .points = f->points, .n = f->m, .from = from, .count = f->trials, .all = f->all};
    struct bi_geometric_coordinates points = {
        .points = f->points, .per = f->per, .affine = f->affine, .outside = -BI_GEOMETRIC_OUTSIDE};
    struct bi_geometric_vote votes = {.per = f->per,
                                      .model_per = bi_geometric_points_per_basis(f->table),
                                      .bases = f->table->bases,
                                      .none = (uint32_t)counters};
    struct bi_geometric_best best = {.bases = f->table->bases};
    double vote_radius = f->table->vote_radius;
    choice.seed = f->table->opts.seed;
    choice.affine = f->affine;
    choice.neighbours = f->neighbours;
    if (f->neighbours.count) BI_TRY(bi_geometric_find_neighbours(f->ctx, f->tree, count, &choice));
    BI_TRY(bi_scratch_of(f->ctx, count * BI_GEOMETRIC_CORNERS, sizeof(uint32_t), &choice.list));
    BI_TRY(bi_scratch_of(f->ctx, queries, 2 * sizeof(float), &points.uv));
    BI_TRY(bi_scratch_of(f->ctx, queries + 1, sizeof *offsets, &offsets));
    BI_TRY(bi_scratch_of(f->ctx, counters + 1, sizeof(int64_t), &best.votes));
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof(uint64_t), &best.best));
    BI_TRY(bi_scratch_of(f->ctx, 1, sizeof *bad, &bad));
    BI_TRY(steps->choose_bases(f->ctx, count, &choice));
    points.list = choice.list;
    points.rows = choice.neighbours.rows;
    BI_TRY(steps->coordinates(f->ctx, queries, &points));
    BI_TRY(bosc_voxelgrid_radius(f->ctx, f->table->grid, points.uv, queries, 2, vote_radius, offsets, NULL, NULL, 0));
    BI_TRY(bi_read_back(f->ctx, &total, offsets + queries, sizeof total));
    if (total > MAX_VOTES && count > 1) {
        *bases = count / 2;
        return BOSC_OK;
    }
    BI_TRY(bi_scratch_of(f->ctx, total + 1, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, total, sizeof *votes.bins, &votes.bins));
    BI_TRY(
        bosc_voxelgrid_radius(f->ctx, f->table->grid, points.uv, queries, 2, vote_radius, offsets, ids, NULL, total));
    votes.offsets = offsets;
    votes.ids = ids;
    BI_TRY(steps->vote(f->ctx, queries, &votes));
    BI_TRY(backend->core->histogram(f->ctx, votes.bins, total, counters + 1, (int64_t *)best.votes, bad));
    BI_TRY(backend->fill(f->ctx, best.best, 0xff, (size_t)count * sizeof *best.best));
    BI_TRY(steps->best_basis(f->ctx, counters, &best));
    BI_TRY(backend->copy(f->ctx, f->words, best.best, (size_t)count * sizeof *best.best));
    BI_TRY(backend->copy(f->ctx, f->corners, choice.list, (size_t)count * BI_GEOMETRIC_CORNERS * sizeof(uint32_t)));
    return backend->sync(f->ctx);
}
