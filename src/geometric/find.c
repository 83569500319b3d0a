/* Finds models in a scene: checks the arguments, runs the search, and writes its results. */
#include <stdlib.h>
#include <string.h>

#include "core/call.h"
#include "geometric/search.h"

/* Writes n ids, in the caller's type, to a row filled with -1. */
static void write_row(void *row, int32_t id_bits, const int64_t *ids, int64_t n)
{
    for (int64_t i = 0; i < n && id_bits == 64; i++) ((int64_t *)row)[i] = ids[i];
    for (int64_t i = 0; i < n && id_bits == 32; i++) ((uint32_t *)row)[i] = (uint32_t)ids[i];
}

/* Writes the best match of all models, where none was accepted. */
static void write_best_candidate(struct bi_geometric_search *f, bosc_geometric_match *match, void *row)
{
    const bosc_geometric_match *best = NULL;
    for (int64_t k = 0; k < f->best.active_count; k++)
        if (!best || bi_geometric_is_better(&f->best.match[f->best.active[k]], best))
            best = &f->best.match[f->best.active[k]];
    if (best) {
        const struct bi_geometric_model *model = &f->models[best->model];
        *match = *best;
        write_row(row, f->table->opts.id_bits, f->best.ids + model->first_point, model->n);
    }
    match->trials = f->trials.done;
}

/* Searches for one match; writes it, or the best one found, with its row of ids. */
static bosc_status find_best(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, void *ids,
                             bosc_geometric_match *match)
{
    struct bi_geometric_search f = bi_geometric_init_search(ctx, table, m, 1, false);
    size_t bytes = (size_t)table->largest * (size_t)table->opts.id_bits / 8;
    BI_TRY(bi_geometric_search_scene(&f, scene));
    memset(f.pairs.last_ids, 0xff, bytes);
    if (f.accepted.count) {
        *match = f.accepted.match[0];
        write_row(f.pairs.last_ids, table->opts.id_bits, f.accepted.ids, f.accepted.offsets[1]);
    } else {
        write_best_candidate(&f, match, f.pairs.last_ids);
    }
    if (ids) BI_TRY(ctx->backend->copy(ctx, ids, f.pairs.last_ids, bytes));
    return ctx->backend->sync(ctx);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct bi_geometric_rank *x = a, *y = b;
    if (bi_geometric_is_better(x->match, y->match)) return -1;
    if (bi_geometric_is_better(y->match, x->match)) return 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Writes the accepted matches and their rows of ids, best first. */
static bosc_status write_matches(const struct bi_geometric_search *f, void *ids, bosc_geometric_match *matches)
{
    int32_t id_bits = f->table->opts.id_bits;
    size_t row = (size_t)f->table->largest * (size_t)id_bits / 8, size = matches->size;
    for (int64_t k = 0; k < f->accepted.count; k++)
        f->accepted.rank[k] = (struct bi_geometric_rank){&f->accepted.match[k], k};
    if (f->accepted.count > 1)
        qsort(f->accepted.rank, (size_t)f->accepted.count, sizeof *f->accepted.rank, compare_ranks);
    /* Fill the rows of ids on the host and copy them once. */
    if (ids && f->accepted.count) {
        memset(f->accepted.rows, 0xff, (size_t)f->accepted.count * row);
        for (int64_t k = 0; k < f->accepted.count; k++) {
            const int64_t *first = f->accepted.offsets + f->accepted.rank[k].number;
            write_row(f->accepted.rows + (size_t)k * row, id_bits, f->accepted.ids + first[0], first[1] - first[0]);
        }
        BI_TRY(f->ctx->backend->copy(f->ctx, ids, f->accepted.rows, (size_t)f->accepted.count * row));
    }
    BI_TRY(f->ctx->backend->sync(f->ctx));
    for (int64_t k = 0; k < f->accepted.count; k++) {
        bosc_geometric_match *to = (bosc_geometric_match *)(void *)((char *)matches + (size_t)k * size);
        to->size = size;
        bi_copy_info(to, f->accepted.rank[k].match, sizeof *to);
    }
    return BOSC_OK;
}

static bosc_status find_models(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, void *ids,
                               bosc_geometric_match *matches, int64_t capacity, int64_t *count)
{
    struct bi_geometric_search f = bi_geometric_init_search(ctx, table, m, capacity, ids != NULL);
    BI_TRY(bi_geometric_search_scene(&f, scene));
    BI_TRY(write_matches(&f, ids, matches));
    *count = f.accepted.count;
    return BOSC_OK;
}

/* Checks the arguments that both calls share. */
static bosc_status check_arguments(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t scene_count,
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
    BI_TRY(check_arguments(ctx, table, scene, scene_count, ids));
    if (!match) return bi_fail(ctx, BOSC_ERR_ARG, "match: NULL");
    BI_TRY(bi_check_info(ctx, "match", "bosc_geometric_match", match->size, sizeof *match));
    bosc_geometric_match full = {0};
    BI_TRY_WITH_SCRATCH(ctx, find_best(ctx, table, scene, scene_count, ids, &full));
    bi_copy_info(match, &full, sizeof full);
    return BOSC_OK;
}

bosc_status bosc_geometric_find_models(bosc_ctx *ctx, const bosc_geometric *table, const double *scene,
                                       int64_t scene_count, void *ids, bosc_geometric_match *matches, int64_t capacity,
                                       int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(check_arguments(ctx, table, scene, scene_count, ids));
    if (capacity < 1) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 1", (long long)capacity);
    if (!matches) return bi_fail(ctx, BOSC_ERR_ARG, "matches: NULL");
    BI_TRY(bi_check_info(ctx, "matches", "bosc_geometric_match", matches->size, sizeof *matches));
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    BI_RETURN_WITH_SCRATCH(ctx, find_models(ctx, table, scene, scene_count, ids, matches, capacity, count));
}
