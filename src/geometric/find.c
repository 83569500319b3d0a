/* Looks for a model in a scene: batches of scene bases vote, and the best of each batch are verified on the points. */
#include <string.h>

#include "core/call.h"
#include "geometric/find.h"

enum {
    LOOK_UP_ITEMS = 90,
    BATCH_ENTRIES = 1 << 22,    /* coordinates looked up in a batch, votes expected, and counters, at most */
    NEIGHBOUR_BATCH = 64,       /* where neighbours take part, a few bases often suffice; */
    NEIGHBOUR_ENTRIES = 1 << 24 /* each of them has few coordinates, and fewer at once would leave a device idle */
};

static bosc_status take_host(struct bi_geometric_search *f)
{
    size_t n = (size_t)f->n, m = (size_t)f->m;
    void *memory;
    BI_TRY(bi_host_scratch(f->ctx, 8 * (2 * m + m + 7 * n), &memory));
    f->scene = memory;
    f->dist2 = f->scene + 2 * m;
    f->ids = (int64_t *)(void *)(f->dist2 + n);
    f->last = f->ids + n;
    f->best = f->last + n;
    f->moved = (double *)(void *)(f->best + n);
    f->moved_ids = (uint32_t *)(void *)(f->moved + 2 * n);
    f->nearest = f->moved_ids + n;
    f->owner = (int64_t *)(void *)(f->nearest + n);
    f->model = f->table->copy.data;
    for (int64_t i = 0; i < f->n; i++) f->best[i] = -1;
    for (int64_t i = 0; i < f->m; i++) f->owner[i] = -1;
    return BOSC_OK;
}

/* Whether a better match would have been seen by now, with probability 0.999. If the scene had more inliers than the
 * best match, a basis of inliers alone would be drawn at least as often as from those; assume that a quarter of such
 * bases are neither too short nor too blurred. With neighbours, it must be in the table too. Source of the rule:
 * Fischler and Bolles, Random Sample Consensus (1981). */
static bool is_certain(const struct bi_geometric_search *f)
{
    double inliers = (double)f->match.inliers, m = (double)f->m, drawn = 0.25, missed = 1;
    if (inliers >= f->table->opts.stop_fraction * (double)f->n) return true;
    if (inliers < f->table->opts.min_fraction * (double)f->n) return false;
    for (int c = 0; c < bi_geometric_basis_size(f); c++) drawn *= (inliers - c) / (m - c);
    if (f->table->neighbours) {
        struct bi_geometric_neighbours all = bi_geometric_neighbours_of(f->table->neighbours, f->n, f->affine);
        drawn *= (double)f->table->bases / (double)bi_geometric_count_bases(f->n, &all, f->affine);
    }
    double power = 1 - drawn;
    for (int64_t t = f->match.trials; t > 0; t /= 2, power *= power)
        if (t % 2) missed *= power;
    return missed <= 1e-3;
}

static bosc_status search(struct bi_geometric_search *f)
{
    for (int64_t from = 0; from < f->trials; from += f->batch) {
        int64_t count, wanted;
        do {
            count = wanted = f->trials - from < f->batch ? f->trials - from : f->batch;
            BI_TRY_WITH_SCRATCH(f->ctx, bi_geometric_vote_batch(f, from, &count));
            if (count < wanted) f->batch = count;
        } while (count < wanted);
        BI_TRY(bi_geometric_verify_best(f, count));
        f->match.trials = from + count;
        if (is_certain(f)) break;
    }
    f->match.found = (double)f->match.inliers >= f->table->opts.min_fraction * (double)f->n;
    return BOSC_OK;
}

/* The scene points of the model's, in the caller's type: -1 of 64 bits, all ones of 32, where there is none. */
static bosc_status put_ids(struct bi_geometric_search *f, void *ids)
{
    const struct bi_backend *backend = f->ctx->backend;
    if (f->table->opts.id_bits == 64) return backend->copy(f->ctx, ids, f->best, (size_t)f->n * sizeof *f->best);
    for (int64_t i = 0; i < f->n; i++) f->nearest[i] = (uint32_t)f->best[i];
    return backend->copy(f->ctx, ids, f->nearest, (size_t)f->n * sizeof *f->nearest);
}

static bosc_status search_scene(struct bi_geometric_search *f, const double *scene, void *ids)
{
    const void *reachable;
    bool staged = false;
    BI_TRY(take_host(f));
    if (f->m > 0) BI_TRY(bi_geometric_fetch(f->ctx, "scene", scene, f->m, f->scene));
    if (f->trials > 0) {
        BI_TRY(bi_stage_in(f->ctx, scene, (size_t)f->m * 2 * sizeof *scene, &reachable, &staged));
        f->points = reachable;
        BI_TRY(bi_geometric_make_tree(f->ctx, reachable, f->m, &f->tree));
        BI_TRY(search(f));
    }
    if (ids) BI_TRY(put_ids(f, ids));
    return f->ctx->backend->sync(f->ctx);
}

/* How many bases of the scene are tried, and how many of them at once. */
static void plan(struct bi_geometric_search *f)
{
    const bosc_geometric *table = f->table;
    f->affine = table->opts.kind == BOSC_GEOMETRIC_AFFINE;
    if (table->neighbours && f->m > 0) f->neighbours = bi_geometric_neighbours_of(table->neighbours, f->m, f->affine);
    if (f->neighbours.count) f->per = f->neighbours.count;
    if (f->m >= bi_geometric_basis_size(f)) f->all = bi_geometric_count_bases(f->m, &f->neighbours, f->affine);
    f->trials = table->opts.max_trials > 0 ? table->opts.max_trials : table->neighbours ? 1024 : 4096;
    if (f->all < (uint64_t)f->trials) f->trials = (int64_t)f->all;
    /* Entries lie in about ten units of area. */
    double reached =
        0.3 * table->vote_radius * table->vote_radius * (double)(table->bases * bi_geometric_points_per_basis(table));
    double entries = f->neighbours.count ? NEIGHBOUR_ENTRIES : BATCH_ENTRIES;
    double batch = entries / ((double)(f->m > 0 ? f->per : 1) * (1 + reached));
    double most = entries / (double)table->bases;
    if (batch > most) batch = most;
    int64_t usual = f->neighbours.count ? NEIGHBOUR_BATCH : BI_GEOMETRIC_BATCH;
    f->batch = batch < 1 ? 1 : batch > (double)usual ? usual : (int64_t)batch;
}

static bosc_status find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, void *ids,
                        bosc_geometric_match *match)
{
    struct bi_geometric_search f = {.ctx = ctx, .table = table, .n = table->n, .m = m, .per = m};
    plan(&f);
    /* Two look-ups of each coordinate and a counter of each basis; most searches end long before the last trial. */
    bi_expect(ctx, (double)f.trials * (LOOK_UP_ITEMS * (double)f.per + 2 * (double)table->bases));
    BI_TRY(search_scene(&f, scene, ids));
    *match = f.match;
    return BOSC_OK;
}

bosc_status bosc_geometric_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t scene_count,
                                void *ids, bosc_geometric_match *match)
{
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    if (table->n == 0) return bi_fail(ctx, BOSC_ERR_ARG, "table: it holds no model");
    if (scene_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "scene_count: %lld is less than 0", (long long)scene_count);
    if (scene_count > BI_GEOMETRIC_MAX_SCENE)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "scene_count: %lld points are more than %d", (long long)scene_count,
                       (int)BI_GEOMETRIC_MAX_SCENE);
    if (scene_count > 0) BI_TRY(bi_geometric_check_points(ctx, "scene", scene));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)table->opts.id_bits / 8));
    if (!match) return bi_fail(ctx, BOSC_ERR_ARG, "match: NULL");
    BI_TRY(bi_check_info(ctx, "match", "bosc_geometric_match", match->size, sizeof *match));
    bosc_geometric_match full = {0};
    BI_TRY_WITH_SCRATCH(ctx, find(ctx, table, scene, scene_count, ids, &full));
    bi_give_info(match, &full, sizeof full);
    return BOSC_OK;
}
