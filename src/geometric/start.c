/* Starts a search: its memory, the scene, and the tree of its points. */
#include <string.h>

#include "core/call.h"
#include "geometric/find.h"

enum { LOOK_UP_ITEMS = 90 };

/* A block of host memory that is given out; `base` NULL: that is measured. */
struct carving {
    char *base;
    size_t used;
};

static void *carve(struct carving *c, int64_t count, size_t size)
{
    void *part = c->base ? c->base + c->used : NULL;
    c->used += ((size_t)count * size + 7) / 8 * 8;
    return part;
}

/* How many ids the matches that stand have at most: with instances each of them takes points of its own. */
static int64_t most_ids(const struct bi_geometric_search *f)
{
    if (!f->instances) return f->table->n;
    double taken = (double)f->scene_count / f->table->opts.min_fraction + (double)f->table->largest,
           rows = (double)f->capacity * (double)f->table->largest;
    return (int64_t)(taken < rows ? taken : rows);
}

static void lay_out(struct bi_geometric_search *f, struct carving *c)
{
    int64_t m = f->scene_count, n = f->table->largest, count = f->table->count, dim = f->form.dim;
    f->scene = carve(c, m * dim, sizeof *f->scene);
    f->place = carve(c, m, sizeof *f->place);
    f->owner = carve(c, m, sizeof *f->owner);
    f->dist2 = carve(c, n, sizeof *f->dist2);
    f->moved = carve(c, n * dim, sizeof *f->moved);
    f->ids = carve(c, n, sizeof *f->ids);
    f->last = carve(c, n, sizeof *f->last);
    f->moved_ids = carve(c, n, sizeof *f->moved_ids);
    f->nearest = carve(c, n, sizeof *f->nearest);
    f->best = carve(c, count, sizeof *f->best);
    f->best_ids = carve(c, f->table->n, sizeof *f->best_ids);
    f->active = carve(c, 2 * count, sizeof *f->active);
    f->closed = carve(c, count, 1);
    f->stand = carve(c, f->capacity, sizeof *f->stand);
    f->stand_first = carve(c, f->capacity + 1, sizeof *f->stand_first);
    f->stand_ids = carve(c, most_ids(f), sizeof *f->stand_ids);
    f->ranks = carve(c, f->capacity, sizeof *f->ranks);
    f->rows = carve(c, f->gives_ids ? f->capacity * n : 0, (size_t)f->table->opts.id_bits / 8);
}

static bosc_status take_host(struct bi_geometric_search *f)
{
    struct carving c = {NULL, 0};
    void *memory;
    lay_out(f, &c);
    BI_TRY(bi_host_scratch(f->ctx, c.used, &memory));
    c = (struct carving){memory, 0};
    lay_out(f, &c);
    memset(f->best, 0, (size_t)f->table->count * sizeof *f->best);
    memset(f->closed, 0, (size_t)f->table->count);
    for (int64_t i = 0; i < f->scene_count; i++) {
        f->owner[i] = -1;
        f->place[i] = i;
    }
    f->stand_first[0] = 0;
    return BOSC_OK;
}

/* The backend's memory that lasts for the whole search. */
static bosc_status take_scratch(struct bi_geometric_search *f)
{
    if (f->table->count > 1) BI_TRY(bi_scratch_of(f->ctx, f->table->count, 1, &f->closed_there));
    if (f->exclusive && f->capacity > 1)
        BI_TRY(bi_scratch_of(f->ctx, f->scene_count * f->form.dim, sizeof *f->rest, &f->rest));
    return BOSC_OK;
}

bosc_status bi_geometric_search_scene(struct bi_geometric_search *f, const double *scene)
{
    const void *reachable;
    bool staged = false;
    size_t bytes = (size_t)(f->m * f->form.dim) * sizeof *scene;
    bi_geometric_plan_search(f);
    /* Two look-ups of each coordinate and a counter of each basis; most searches end long before the last trial. */
    bi_progress_set_total(f->ctx, (double)f->trials * (LOOK_UP_ITEMS * (double)f->per + 2 * (double)f->table->bases));
    BI_TRY(take_host(f));
    if (f->m > 0) BI_TRY(bi_geometric_fetch(f->ctx, "scene", scene, f->m, f->form.dim, f->scene));
    if (f->trials == 0) return BOSC_OK;
    BI_TRY(take_scratch(f));
    BI_TRY(bi_stage_in(f->ctx, scene, bytes, &reachable, &staged));
    f->points = reachable;
    BI_TRY(bi_geometric_make_tree(f->ctx, reachable, f->m, f->form.dim, &f->tree));
    return bi_geometric_run_search(f);
}
