/* Creates the state of a search: its options and its memory. */
#include "geometric/search.h"

#include <string.h>

#include "core/call.h"
#include "core/carve.h"

struct bi_geometric_search bi_geometric_init_search(bosc_ctx *ctx, const bosc_geometric *table, int64_t scene_count,
                                                    int64_t capacity, bool return_ids)
{
    int64_t most = table->opts.instances ? scene_count : table->count;
    return (struct bi_geometric_search){
        .ctx = ctx,
        .table = table,
        .form = bi_geometric_form_of(&table->opts),
        .models = bi_geometric_models_in(&table->copy),
        .instances = table->opts.instances,
        .exclusive = table->opts.exclusive || table->opts.instances,
        .scene = {.input_count = scene_count, .count = scene_count},
        .best = {.open_count = table->count},
        .accepted = {.return_ids = return_ids, .capacity = capacity < most ? capacity : most}};
}

/* Returns the number of ids of accepted matches at most: with instances, matches share no scene point. */
static int64_t max_accepted_ids(const struct bi_geometric_search *f)
{
    if (!f->instances) return f->table->n;
    double taken = (double)f->scene.input_count / f->table->opts.min_fraction + (double)f->table->largest,
           rows = (double)f->accepted.capacity * (double)f->table->largest;
    return (int64_t)(taken < rows ? taken : rows);
}

static void lay_out_arrays(struct bi_geometric_search *f, struct bi_carver *c)
{
    int64_t m = f->scene.input_count, n = f->table->largest, models = f->table->count, dim = f->form.dim;
    int64_t capacity = f->accepted.capacity, rows = f->accepted.return_ids ? capacity * n : 0;
    BI_CARVE(c, f->scene.host_points, m * dim);
    BI_CARVE(c, f->scene.input_ids, m);
    BI_CARVE(c, f->pairs.owner, m);
    BI_CARVE(c, f->pairs.dist2, n);
    BI_CARVE(c, f->pairs.moved, n * dim);
    BI_CARVE(c, f->pairs.ids, n);
    BI_CARVE(c, f->pairs.last_ids, n);
    BI_CARVE(c, f->pairs.moved_ids, n);
    BI_CARVE(c, f->pairs.nearest, n);
    BI_CARVE(c, f->best.match, models);
    BI_CARVE(c, f->best.ids, f->table->n);
    BI_CARVE(c, f->best.active, 2 * models);
    BI_CARVE(c, f->best.closed, models);
    BI_CARVE(c, f->accepted.match, capacity);
    BI_CARVE(c, f->accepted.offsets, capacity + 1);
    BI_CARVE(c, f->accepted.ids, max_accepted_ids(f));
    BI_CARVE(c, f->accepted.rank, capacity);
    f->accepted.rows = bi_carve(c, rows, (size_t)f->table->opts.id_bits / 8);
}

bosc_status bi_geometric_allocate_search(struct bi_geometric_search *f)
{
    struct bi_carver c = {NULL, 0};
    void *memory;
    lay_out_arrays(f, &c);
    BI_TRY(bi_host_scratch(f->ctx, c.used, &memory));
    c = (struct bi_carver){memory, 0};
    lay_out_arrays(f, &c);
    memset(f->best.match, 0, (size_t)f->table->count * sizeof *f->best.match);
    memset(f->best.closed, 0, (size_t)f->table->count);
    for (int64_t i = 0; i < f->scene.input_count; i++) {
        f->pairs.owner[i] = -1;
        f->scene.input_ids[i] = i;
    }
    f->accepted.offsets[0] = 0;
    return BOSC_OK;
}

bosc_status bi_geometric_allocate_search_scratch(struct bi_geometric_search *f)
{
    struct bi_geometric_scene *scene = &f->scene;
    if (f->table->count > 1) BI_TRY(bi_scratch_of(f->ctx, f->table->count, 1, &f->best.device_closed));
    if (f->exclusive && f->accepted.capacity > 1)
        BI_TRY(bi_scratch_of(f->ctx, scene->input_count * f->form.dim, sizeof *scene->remainder, &scene->remainder));
    return BOSC_OK;
}

bool bi_geometric_is_better(const bosc_geometric_match *a, const bosc_geometric_match *b)
{
    if (a->found != b->found) return a->found > b->found;
    if (a->inliers != b->inliers) return a->inliers > b->inliers;
    if (a->error != b->error) return a->error < b->error;
    return a->model < b->model;
}
