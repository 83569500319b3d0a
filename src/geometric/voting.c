/* Batches of scene bases vote for the bases of all models. */
#include "geometric/find.h"

enum { MAX_VOTES = 1 << 26 }; /* of a batch, or of one basis; regular models have more than expected */

/* Chooses the bases of a batch; points->at: the coordinates of the scene's points in them. */
static bosc_status place_scene(struct bi_geometric_search *f, int64_t count, struct bi_geometric_coordinates *points)
{
    const struct bi_geometric_steps *steps = f->ctx->ops->geometric->steps;
    struct bi_geometric_choice choice = {.points = f->points,
                                         .n = f->m,
                                         .from = f->tried,
                                         .trials = f->trials,
                                         .all = f->all,
                                         .seed = f->table->opts.seed,
                                         .form = f->form,
                                         .neighbours = f->neighbours};
    if (f->neighbours.count) BI_TRY(bi_geometric_scene_neighbours(f->ctx, f->tree, count, &choice));
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof *choice.list, &choice.list));
    BI_TRY(bi_scratch_of(f->ctx, count * f->per, (size_t)f->form.dim * sizeof(float), &points->at));
    BI_TRY(steps->choose_bases(f->ctx, count, &choice));
    points->list = choice.list;
    points->rows = choice.neighbours.rows;
    points->width = choice.neighbours.count + 1;
    return steps->coordinates(f->ctx, count * f->per, points);
}

/* Counts the votes and finds the model basis of most of them for each of `count` scene bases. */
static bosc_status count_votes(struct bi_geometric_search *f, int64_t count, int64_t total,
                               const struct bi_geometric_vote *votes, struct bi_geometric_best *best)
{
    const struct bi_geometric_steps *steps = f->ctx->ops->geometric->steps;
    const struct bi_backend *backend = f->ctx->backend;
    int64_t counters = count * f->table->bases;
    uint32_t *bad;
    BI_TRY(bi_scratch_of(f->ctx, counters + 1, sizeof(int64_t), &best->votes));
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof *best->best, &best->best));
    BI_TRY(bi_scratch_of(f->ctx, 1, sizeof *bad, &bad));
    BI_TRY(steps->vote(f->ctx, count * f->per, votes));
    BI_TRY(backend->core->histogram(f->ctx, votes->bins, total, counters + 1, (int64_t *)best->votes, bad));
    BI_TRY(backend->fill(f->ctx, best->best, 0xff, (size_t)count * sizeof *best->best));
    BI_TRY(steps->best_basis(f->ctx, counters, best));
    BI_TRY(backend->copy(f->ctx, f->words, best->best, (size_t)count * sizeof *best->best));
    BI_TRY(backend->copy(f->ctx, f->corners, best->scene_list, (size_t)count * sizeof *best->scene_list));
    return backend->sync(f->ctx);
}

static bosc_status tell_closed(struct bi_geometric_search *f)
{
    if (!f->closed_changed) return BOSC_OK;
    f->closed_changed = false;
    return f->ctx->backend->copy(f->ctx, f->closed_there, f->closed, (size_t)f->table->count);
}

bosc_status bi_geometric_vote_batch(struct bi_geometric_search *f, int64_t *bases)
{
    const bosc_geometric *table = f->table;
    int64_t count = *bases, queries = count * f->per, total, *offsets;
    double radius = table->vote_radius;
    bool several = table->count > 1;
    uint32_t *ids, *bins;
    struct bi_geometric_coordinates points = {
        .points = f->points, .scene = true, .per = f->per, .form = f->form, .outside = -BI_GEOMETRIC_OUTSIDE};
    BI_TRY(tell_closed(f));
    BI_TRY(place_scene(f, count, &points));
    BI_TRY(bi_scratch_of(f->ctx, queries + 1, sizeof *offsets, &offsets));
    BI_TRY(bosc_voxelgrid_radius(f->ctx, table->grid, points.at, queries, 0, radius, offsets, NULL, NULL, 0));
    BI_TRY(bi_read_back(f->ctx, &total, offsets + queries, sizeof total));
    if (total > MAX_VOTES && count > 1) {
        *bases = count / 2;
        return BOSC_OK;
    }
    BI_TRY(bi_scratch_of(f->ctx, total + 1, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, total, sizeof *bins, &bins));
    BI_TRY(bosc_voxelgrid_radius(f->ctx, table->grid, points.at, queries, 0, radius, offsets, ids, NULL, total));
    struct bi_geometric_vote votes = {.offsets = offsets,
                                      .ids = ids,
                                      .per = f->per,
                                      .model_per = f->models->per,
                                      .bases = table->bases,
                                      .basis_of = several ? table->basis_of.data : NULL,
                                      .none = (uint32_t)(count * table->bases),
                                      .bins = bins};
    struct bi_geometric_best best = {.bases = table->bases,
                                     .list = table->list.data,
                                     .scene_list = points.list,
                                     .closed = f->open < table->count ? f->closed_there : NULL,
                                     .form = f->form,
                                     .models = table->models.data,
                                     .points = table->points.data,
                                     .scene = f->points};
    return count_votes(f, count, total, &votes, &best);
}
