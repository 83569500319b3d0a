/* Finds models in a scene: what callers give and get. */
#include <stdlib.h>
#include <string.h>

#include "geometric/find.h"

/* A search of up to `capacity` matches. */
static struct bi_geometric_search search_of(bosc_ctx *ctx, const bosc_geometric *table, int64_t scene_count,
                                            int64_t capacity, bool gives_ids)
{
    int64_t most = table->opts.instances ? scene_count : table->count;
    return (struct bi_geometric_search){.ctx = ctx,
                                        .table = table,
                                        .form = bi_geometric_form_of(&table->opts),
                                        .models = bi_geometric_models_in(&table->copy),
                                        .instances = table->opts.instances,
                                        .exclusive = table->opts.exclusive || table->opts.instances,
                                        .scene_count = scene_count,
                                        .m = scene_count,
                                        .open = table->count,
                                        .gives_ids = gives_ids,
                                        .capacity = capacity < most ? capacity : most};
}

/* A row of n ids in the caller's type, which is full of -1. */
static void put_row(void *row, int32_t id_bits, const int64_t *ids, int64_t n)
{
    for (int64_t i = 0; i < n && id_bits == 64; i++) ((int64_t *)row)[i] = ids[i];
    for (int64_t i = 0; i < n && id_bits == 32; i++) ((uint32_t *)row)[i] = (uint32_t)ids[i];
}

/* The best match of all that were tried, though none stands. */
static void best_of_tried(struct bi_geometric_search *f, bosc_geometric_match *match, void *row)
{
    const bosc_geometric_match *best = NULL;
    for (int64_t k = 0; k < f->active_count; k++)
        if (!best || bi_geometric_is_better(&f->best[f->active[k]], best)) best = &f->best[f->active[k]];
    if (best) {
        const struct bi_geometric_model *model = &f->models[best->model];
        *match = *best;
        put_row(row, f->table->opts.id_bits, f->best_ids + model->first, model->n);
    }
    match->trials = f->tried;
}

static bosc_status find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, void *ids,
                        bosc_geometric_match *match)
{
    struct bi_geometric_search f = search_of(ctx, table, m, 1, false);
    size_t bytes = (size_t)table->largest * (size_t)table->opts.id_bits / 8;
    BI_TRY(bi_geometric_search_scene(&f, scene));
    memset(f.last, 0xff, bytes);
    if (f.stand_count) {
        *match = f.stand[0];
        put_row(f.last, table->opts.id_bits, f.stand_ids, f.stand_first[1]);
    } else {
        best_of_tried(&f, match, f.last);
    }
    if (ids) BI_TRY(ctx->backend->copy(ctx, ids, f.last, bytes));
    return ctx->backend->sync(ctx);
}

static int by_rank(const void *a, const void *b)
{
    const struct bi_geometric_rank *x = a, *y = b;
    if (bi_geometric_is_better(x->match, y->match)) return -1;
    if (bi_geometric_is_better(y->match, x->match)) return 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The caller's matches and rows of ids, from those that stand, best first. */
static bosc_status give_matches(const struct bi_geometric_search *f, void *ids, bosc_geometric_match *matches)
{
    int32_t id_bits = f->table->opts.id_bits;
    size_t row = (size_t)f->table->largest * (size_t)id_bits / 8, size = matches->size;
    for (int64_t k = 0; k < f->stand_count; k++) f->ranks[k] = (struct bi_geometric_rank){&f->stand[k], k};
    if (f->stand_count > 1) qsort(f->ranks, (size_t)f->stand_count, sizeof *f->ranks, by_rank);
    if (ids && f->stand_count) {
        memset(f->rows, 0xff, (size_t)f->stand_count * row);
        for (int64_t k = 0; k < f->stand_count; k++) {
            const int64_t *first = f->stand_first + f->ranks[k].number;
            put_row(f->rows + (size_t)k * row, id_bits, f->stand_ids + first[0], first[1] - first[0]);
        }
        BI_TRY(f->ctx->backend->copy(f->ctx, ids, f->rows, (size_t)f->stand_count * row));
    }
    BI_TRY(f->ctx->backend->sync(f->ctx));
    for (int64_t k = 0; k < f->stand_count; k++) {
        bosc_geometric_match *to = (bosc_geometric_match *)(void *)((char *)matches + (size_t)k * size);
        to->size = size;
        bi_copy_info(to, f->ranks[k].match, sizeof *to);
    }
    return BOSC_OK;
}

static bosc_status find_models(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, void *ids,
                               bosc_geometric_match *matches, int64_t capacity, int64_t *count)
{
    struct bi_geometric_search f = search_of(ctx, table, m, capacity, ids != NULL);
    BI_TRY(bi_geometric_search_scene(&f, scene));
    BI_TRY(give_matches(&f, ids, matches));
    *count = f.stand_count;
    return BOSC_OK;
}

/* Checks what both calls have in common. */
static bosc_status check(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t scene_count,
                         const void *ids)
{
    int64_t most = BI_GEOMETRIC_MAX_SCENE;
    BI_TRY(bi_geometric_check(ctx, table));
    if (table->count == 0) return bi_fail(ctx, BOSC_ERR_ARG, "table: it holds no model");
    if (scene_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "scene_count: %lld is less than 0", (long long)scene_count);
    if (table->opts.dim == 3 && table->opts.kind == BOSC_GEOMETRIC_AFFINE && !table->neighbours)
        most = BI_GEOMETRIC_MAX_POINTS; /* the bases are counted in 64 bits */
    if (scene_count > most)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "scene_count: %lld points are more than %lld", (long long)scene_count,
                       (long long)most);
    if (scene_count > 0) BI_TRY(bi_geometric_check_points(ctx, "scene", scene));
    return bi_check_aligned(ctx, "ids", ids, (size_t)table->opts.id_bits / 8);
}

bosc_status bosc_geometric_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t scene_count,
                                void *ids, bosc_geometric_match *match)
{
    BI_ENTER(ctx);
    BI_TRY(check(ctx, table, scene, scene_count, ids));
    if (!match) return bi_fail(ctx, BOSC_ERR_ARG, "match: NULL");
    BI_TRY(bi_check_info(ctx, "match", "bosc_geometric_match", match->size, sizeof *match));
    bosc_geometric_match full = {0};
    BI_TRY_WITH_SCRATCH(ctx, find(ctx, table, scene, scene_count, ids, &full));
    bi_copy_info(match, &full, sizeof full);
    return BOSC_OK;
}

bosc_status bosc_geometric_find_models(bosc_ctx *ctx, const bosc_geometric *table, const double *scene,
                                       int64_t scene_count, void *ids, bosc_geometric_match *matches, int64_t capacity,
                                       int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(check(ctx, table, scene, scene_count, ids));
    if (capacity < 1) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 1", (long long)capacity);
    if (!matches) return bi_fail(ctx, BOSC_ERR_ARG, "matches: NULL");
    BI_TRY(bi_check_info(ctx, "matches", "bosc_geometric_match", matches->size, sizeof *matches));
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    BI_RETURN_WITH_SCRATCH(ctx, find_models(ctx, table, scene, scene_count, ids, matches, capacity, count));
}
