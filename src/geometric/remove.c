/* Leaves the scene points of a match out of the rest of a search, which then is one in a scene without them. */
#include <string.h>

#include "geometric/find.h"

/* Moves the points that are left together; owner[p] becomes the new number of point p, -1 where it is taken. */
static void compact_scene(struct bi_geometric_search *f, const int64_t *ids, int64_t n)
{
    int dim = f->form.dim;
    int64_t left = 0;
    for (int64_t p = 0; p < f->m; p++) f->owner[p] = 0;
    for (int64_t i = 0; i < n; i++)
        if (ids[i] >= 0) f->owner[ids[i]] = -1;
    for (int64_t p = 0; p < f->m; p++) {
        if (f->owner[p] < 0) continue;
        memmove(f->scene + dim * left, f->scene + dim * p, (size_t)dim * sizeof *f->scene);
        f->place[left] = f->place[p];
        f->owner[p] = left++;
    }
    f->m = left;
}

/* The ids of a model's match, in the new numbers. Whether it lost some. */
static bool renumber(const struct bi_geometric_search *f, int64_t model)
{
    int64_t *ids = f->best_ids + f->models[model].first;
    bool lost = false;
    for (int64_t i = 0; i < f->models[model].n; i++) {
        if (ids[i] < 0) continue;
        ids[i] = f->owner[ids[i]];
        lost |= ids[i] < 0;
    }
    return lost;
}

bosc_status bi_geometric_leave_out(struct bi_geometric_search *f, int64_t model)
{
    int64_t before = f->m, kept = 0, losers = 0, *lost = f->active + f->table->count;
    compact_scene(f, f->best_ids + f->models[model].first, f->models[model].n);
    for (int64_t k = 0; k < f->active_count; k++) {
        int64_t other = f->active[k];
        if (other != model && renumber(f, other))
            lost[losers++] = other;
        else if (other != model)
            f->active[kept++] = other;
    }
    f->best[model].votes = 0;
    f->active_count = kept;
    for (int64_t p = 0; p < before; p++) f->owner[p] = -1;
    bi_geometric_plan_search(f);
    size_t bytes = (size_t)(f->m * f->form.dim) * sizeof *f->scene;
    BI_TRY(f->ctx->backend->copy(f->ctx, f->rest, f->scene, bytes));
    BI_TRY(f->ctx->backend->sync(f->ctx));
    f->points = f->rest;
    if (f->m > 0) BI_TRY(bi_geometric_make_tree(f->ctx, f->points, f->m, f->form.dim, &f->tree));
    for (int64_t k = 0; k < losers; k++)
        BI_TRY(bi_geometric_refine_rest(f, lost[k])); /* what is left is active again */
    return BOSC_OK;
}
