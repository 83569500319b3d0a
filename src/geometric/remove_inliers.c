/* Removes the scene points of a match: the rest of the search runs on a scene without them. */
#include <string.h>

#include "geometric/search_phases.h"

/* Compacts the remaining points; owner[p] becomes the new number of point p, -1 if it is removed. */
static void compact_scene(struct bi_geometric_search *f, const int64_t *ids, int64_t n)
{
    struct bi_geometric_scene *scene = &f->scene;
    int64_t *new_id = f->pairs.owner, left = 0;
    int dim = f->form.dim;
    for (int64_t p = 0; p < scene->count; p++) new_id[p] = 0;
    for (int64_t i = 0; i < n; i++)
        if (ids[i] >= 0) new_id[ids[i]] = -1;
    for (int64_t p = 0; p < scene->count; p++) {
        if (new_id[p] < 0) continue;
        memmove(scene->host_points + dim * left, scene->host_points + dim * p,
                (size_t)dim * sizeof *scene->host_points);
        scene->input_ids[left] = scene->input_ids[p];
        new_id[p] = left++;
    }
    scene->count = left;
}

/* Renumbers the ids of a model's best match; true if it lost some. */
static bool renumber_match(const struct bi_geometric_search *f, int64_t model)
{
    int64_t *ids = f->best.ids + f->models[model].first_point;
    bool lost = false;
    for (int64_t i = 0; i < f->models[model].n; i++) {
        if (ids[i] < 0) continue;
        ids[i] = f->pairs.owner[ids[i]];
        lost |= ids[i] < 0;
    }
    return lost;
}

bosc_status bi_geometric_remove_inliers(struct bi_geometric_search *f, int64_t model)
{
    struct bi_geometric_scene *scene = &f->scene;
    struct bi_geometric_candidates *best = &f->best;
    int64_t old_count = scene->count, active_count = 0, lost_count = 0, *lost = best->active + f->table->count;
    /* 1. Compact the scene; the model loses its match, and matches that lost points become inactive. */
    compact_scene(f, best->ids + f->models[model].first_point, f->models[model].n);
    for (int64_t k = 0; k < best->active_count; k++) {
        int64_t other = best->active[k];
        if (other != model && renumber_match(f, other))
            lost[lost_count++] = other;
        else if (other != model)
            best->active[active_count++] = other;
    }
    best->match[model].votes = 0;
    best->active_count = active_count;
    for (int64_t p = 0; p < old_count; p++) f->pairs.owner[p] = -1;
    /* 2. Search the remaining points from here on. */
    bi_geometric_set_trial_budget(f);
    size_t bytes = (size_t)(scene->count * f->form.dim) * sizeof *scene->host_points;
    BI_TRY(f->ctx->backend->copy(f->ctx, scene->remainder, scene->host_points, bytes));
    BI_TRY(f->ctx->backend->sync(f->ctx));
    scene->points = scene->remainder;
    if (scene->count > 0)
        BI_TRY(bi_geometric_build_tree(f->ctx, scene->points, scene->count, f->form.dim, &scene->tree));
    /* 3. Refine matches that lost points; the refined ones become active again. */
    for (int64_t k = 0; k < lost_count; k++) BI_TRY(bi_geometric_refine_remaining(f, lost[k]));
    return BOSC_OK;
}
