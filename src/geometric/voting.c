/* Batches of scene bases vote for the bases of all models. */
#include "geometric/search.h"

/* Limit of a batch of several bases; a single basis may exceed it. Bounds the memory. Regular models have more votes
 * than expected. */
enum { MAX_VOTES = 1 << 26 };

/* Chooses the bases of a batch; points->at: the coordinates of the scene's points in them. */
static bosc_status compute_scene_coordinates(struct bi_geometric_search *f, int64_t count,
                                             struct bi_geometric_coordinates *points)
{
    const struct bi_geometric_steps *steps = f->ctx->ops->geometric->steps;
    const struct bi_geometric_trials *t = &f->trials;
    struct bi_geometric_choice choice = {.points = f->scene.points,
                                         .n = f->scene.count,
                                         .from = t->done,
                                         .trials = t->budget,
                                         .possible_bases = t->possible_bases,
                                         .seed = f->table->opts.seed,
                                         .form = f->form,
                                         .neighbours = t->neighbours};
    if (t->neighbours.count) BI_TRY(bi_geometric_find_scene_neighbours(f->ctx, f->scene.tree, count, &choice));
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof *choice.list, &choice.list));
    BI_TRY(bi_scratch_of(f->ctx, count * t->points_per_basis, (size_t)f->form.dim * sizeof(float), &points->at));
    BI_TRY(steps->choose_bases(f->ctx, count, &choice));
    points->list = choice.list;
    points->rows = choice.neighbours.rows;
    points->width = choice.neighbours.count + 1;
    return steps->coordinates(f->ctx, count * t->points_per_basis, points);
}

/* Counts the votes of `count` scene bases and finds the winner of each: the model basis with the most votes. */
static bosc_status count_votes(struct bi_geometric_search *f, int64_t count, int64_t total,
                               const struct bi_geometric_vote *votes, struct bi_geometric_best *best)
{
    const struct bi_geometric_steps *steps = f->ctx->ops->geometric->steps;
    const struct bi_backend *backend = f->ctx->backend;
    struct bi_geometric_trials *t = &f->trials;
    int64_t counters = count * f->table->bases;
    uint32_t *bad;
    BI_TRY(bi_scratch_of(f->ctx, counters + 1, sizeof(int64_t), &best->votes));
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof *best->best, &best->best));
    BI_TRY(bi_scratch_of(f->ctx, 1, sizeof *bad, &bad));
    BI_TRY(steps->vote(f->ctx, count * t->points_per_basis, votes));
    /* All bins are in range, so nothing reads `bad`. */
    BI_TRY(backend->core->histogram(f->ctx, votes->bins, total, counters + 1, (int64_t *)best->votes, bad));
    BI_TRY(backend->fill(f->ctx, best->best, 0xff, (size_t)count * sizeof *best->best));
    BI_TRY(steps->best_basis(f->ctx, counters, best));
    BI_TRY(backend->copy(f->ctx, t->words, best->best, (size_t)count * sizeof *best->best));
    BI_TRY(backend->copy(f->ctx, t->corners, best->scene_list, (size_t)count * sizeof *best->scene_list));
    return backend->sync(f->ctx);
}

static bosc_status copy_closed(struct bi_geometric_search *f)
{
    if (!f->best.closed_changed) return BOSC_OK;
    f->best.closed_changed = false;
    return f->ctx->backend->copy(f->ctx, f->best.device_closed, f->best.closed, (size_t)f->table->count);
}

bosc_status bi_geometric_vote_batch(struct bi_geometric_search *f, int64_t *bases)
{
    const bosc_geometric *table = f->table;
    int64_t per_basis = f->trials.points_per_basis, count = *bases, queries = count * per_basis, total, *offsets;
    double radius = table->vote_radius;
    bool several = table->count > 1;
    uint32_t *ids, *bins;
    struct bi_geometric_coordinates points = {.points = f->scene.points,
                                              .scene = true,
                                              .points_per_basis = per_basis,
                                              .form = f->form,
                                              .outside = -BI_GEOMETRIC_OUTSIDE};
    BI_TRY(copy_closed(f));
    BI_TRY(compute_scene_coordinates(f, count, &points));
    /* 1. Count the entries within the vote radius of each coordinate. If a batch has too many, halve *bases; the caller
     * frees the scratch and calls again from the same trial. */
    BI_TRY(bi_scratch_of(f->ctx, queries + 1, sizeof *offsets, &offsets));
    BI_TRY(bosc_voxelgrid_radius(f->ctx, table->grid, points.at, queries, 0, radius, offsets, NULL, NULL, 0));
    BI_TRY(bi_read_back(f->ctx, &total, offsets + queries, sizeof total));
    if (total > MAX_VOTES && count > 1) {
        *bases = count / 2;
        return BOSC_OK;
    }
    /* 2. List these entries; one more id, since ids NULL would count again. */
    BI_TRY(bi_scratch_of(f->ctx, total + 1, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, total, sizeof *bins, &bins));
    BI_TRY(bosc_voxelgrid_radius(f->ctx, table->grid, points.at, queries, 0, radius, offsets, ids, NULL, total));
    /* 3. Turn them into votes and count these. Each point votes at most once for a model basis; its further entries
     * of that basis go to the unused bin. */
    struct bi_geometric_vote votes = {.offsets = offsets,
                                      .ids = ids,
                                      .points_per_basis = per_basis,
                                      .model_points_per_basis = f->models->points_per_basis,
                                      .bases = table->bases,
                                      .basis_of = several ? table->basis_of.data : NULL,
                                      .unused_bin = (uint32_t)(count * table->bases),
                                      .bins = bins};
    struct bi_geometric_best best = {.bases = table->bases,
                                     .list = table->list.data,
                                     .scene_list = points.list,
                                     .closed = f->best.open_count < table->count ? f->best.device_closed : NULL,
                                     .form = f->form,
                                     .models = table->models.data,
                                     .points = table->points.data,
                                     .scene = f->scene.points};
    return count_votes(f, count, total, &votes, &best);
}
