/* Batches of scene bases vote for model bases. */
#include "geometric/finder.h"

enum { VOTES_MOST = 1 << 26 }; /* of a batch, or of one basis; regular models have more than expected */

bosc_status bi_geo_ballot(struct bi_geo_finder *f, int64_t from, int64_t *bases)
{
    int64_t count = *bases;
    const struct bi_geo_steps *steps = f->ctx->ops->geometric;
    const struct bi_backend *backend = f->ctx->backend;
    int64_t queries = count * f->per, counters = count * f->table->bases, total, *offsets;
    uint32_t *ids, *bad;
    struct bi_geo_choose choose = {.points = f->points, .n = f->m, .from = from, .count = f->tries, .all = f->all};
    struct bi_geo_place place = {
        .points = f->points, .per = f->per, .affine = f->affine, .outside = -BI_GEOMETRIC_OUTSIDE};
    struct bi_geo_vote votes = {
        .per = f->per, .model_per = bi_geo_per(f->table), .bases = f->table->bases, .none = (uint32_t)counters};
    struct bi_geo_best best = {.bases = f->table->bases};
    double vote = f->table->vote;
    choose.seed = f->table->opts.seed;
    choose.affine = f->affine;
    choose.near = f->near;
    if (f->near.count) BI_TRY(bi_geo_find_near(f->ctx, f->tree, count, &choose));
    BI_TRY(bi_scratch_of(f->ctx, count * BI_GEOMETRIC_CORNERS, sizeof(uint32_t), &choose.list));
    BI_TRY(bi_scratch_of(f->ctx, queries, 2 * sizeof(float), &place.uv));
    BI_TRY(bi_scratch_of(f->ctx, queries + 1, sizeof *offsets, &offsets));
    BI_TRY(bi_scratch_of(f->ctx, counters + 1, sizeof(int64_t), &best.votes));
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof(uint64_t), &best.best));
    BI_TRY(bi_scratch_of(f->ctx, 1, sizeof *bad, &bad));
    BI_TRY(steps->geo_choose(f->ctx, count, &choose));
    place.list = choose.list;
    place.rows = choose.near.rows;
    BI_TRY(steps->geo_place(f->ctx, queries, &place));
    BI_TRY(bosc_grid_radius(f->ctx, f->table->grid, place.uv, queries, 2, vote, offsets, NULL, NULL, 0));
    BI_TRY(bi_read_back(f->ctx, &total, offsets + queries, sizeof total));
    if (total > VOTES_MOST && count > 1) {
        *bases = count / 2;
        return BOSC_OK;
    }
    BI_TRY(bi_scratch_of(f->ctx, total + 1, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, total, sizeof *votes.bins, &votes.bins));
    BI_TRY(bosc_grid_radius(f->ctx, f->table->grid, place.uv, queries, 2, vote, offsets, ids, NULL, total));
    votes.offsets = offsets;
    votes.ids = ids;
    BI_TRY(steps->geo_vote(f->ctx, queries, &votes));
    BI_TRY(backend->core->histogram(f->ctx, votes.bins, total, counters + 1, (int64_t *)best.votes, bad));
    BI_TRY(backend->fill(f->ctx, best.best, 0xff, (size_t)count * sizeof *best.best));
    BI_TRY(steps->geo_best(f->ctx, counters, &best));
    BI_TRY(backend->copy(f->ctx, f->words, best.best, (size_t)count * sizeof *best.best));
    BI_TRY(backend->copy(f->ctx, f->corners, choose.list, (size_t)count * BI_GEOMETRIC_CORNERS * sizeof(uint32_t)));
    return backend->sync(f->ctx);
}
