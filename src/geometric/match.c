/* The driver that looks for a model: batches of scene bases vote, and the best of each batch are tried on the points.
 */
#include <string.h>

#include "geometric/driver.h"

enum {
    BATCH_MOST = 256,        /* scene bases in a batch */
    BATCH_ENTRIES = 1 << 22, /* coordinates looked up in a batch, votes expected, and counters, at most */
    VOTES_MOST = 1 << 26,    /* of a batch, or of one basis; regular models have more than expected */
    TRIALS = 4,              /* of a batch's best */
    ROUNDS = 8               /* of least squares */
};

struct finder {
    bosc_ctx *ctx;
    const bosc_geometric *table;
    bool affine;
    int64_t n, m, tries, batch;
    uint64_t all;
    const double *points; /* the scene where kernels reach it */
    bosc_grid *grid;      /* of the scene */
    /* host memory */
    void *memory;
    size_t bytes;
    const double *model;
    double *scene, *dist2;
    int64_t *ids, *last, *best, *owner;
    uint64_t words[BATCH_MOST];
    uint32_t corners[BATCH_MOST * BI_GEOMETRIC_CORNERS];
    bosc_geometric_match match;
};

static bosc_status take_host(struct finder *f)
{
    size_t n = (size_t)f->n, m = (size_t)f->m;
    f->bytes = 8 * (2 * m + m + 4 * n);
    f->memory = bi_memory_alloc(&f->ctx->host, f->bytes);
    if (!f->memory) return bi_fail(f->ctx, BOSC_ERR_NOMEM, "out of host memory: %zu bytes were refused", f->bytes);
    f->scene = f->memory;
    f->dist2 = f->scene + 2 * m;
    f->ids = (int64_t *)(void *)(f->dist2 + n);
    f->last = f->ids + n;
    f->best = f->last + n;
    f->owner = f->best + n;
    f->model = f->table->copy.data;
    for (int64_t i = 0; i < f->n; i++) f->best[i] = -1;
    for (int64_t i = 0; i < f->m; i++) f->owner[i] = -1;
    return BOSC_OK;
}

/* A grid of the scene with about one point in a voxel. */
static bosc_status make_grid(struct finder *f)
{
    double low[2], high[2];
    for (int k = 0; k < 2; k++) low[k] = high[k] = f->scene[k];
    for (int64_t i = 0; i < 2 * f->m; i++) {
        if (f->scene[i] < low[i % 2]) low[i % 2] = f->scene[i];
        if (f->scene[i] > high[i % 2]) high[i % 2] = f->scene[i];
    }
    double cell = sqrt((high[0] - low[0]) * (high[1] - low[1]) / (double)f->m);
    double wide = (high[0] - low[0] + high[1] - low[1]) / (double)f->m;
    if (cell < wide) cell = wide;
    bosc_grid_opts opts = {
        .size = sizeof opts, .dtype = BOSC_F64, .dim = 2, .cell = cell > 0 ? cell : 1, .assume_valid = 1};
    BI_TRY(bosc_grid_create(f->ctx, &opts, &f->grid));
    return bosc_grid_build(f->ctx, f->grid, f->points, f->m, 0);
}

/* Votes of the scene bases from, from + 1, ..., *bases of them: words[k] is the best of each, as bi_geo_best has it.
 * Where those would have too many votes *bases is halved, and nothing else done. */
static bosc_status vote(struct finder *f, int64_t from, int64_t *bases)
{
    int64_t count = *bases;
    const struct bi_geo_steps *steps = bi_geo_steps_of(f->ctx);
    const struct bi_backend *backend = f->ctx->backend;
    int64_t queries = count * f->m, counters = count * f->table->bases, total, *offsets;
    uint32_t *ids, *bad;
    struct bi_geo_choose choose = {.points = f->points, .n = f->m, .from = from, .count = f->tries, .all = f->all};
    struct bi_geo_place place = {.points = f->points, .n = f->m, .affine = f->affine, .outside = -BI_GEOMETRIC_OUTSIDE};
    struct bi_geo_vote votes = {.m = f->m, .n = f->n, .bases = f->table->bases, .none = (uint32_t)counters};
    struct bi_geo_best best = {.bases = f->table->bases};
    choose.seed = f->table->opts.seed;
    choose.affine = f->affine;
    BI_TRY(bi_scratch_of(f->ctx, count * BI_GEOMETRIC_CORNERS, sizeof(uint32_t), &choose.list));
    BI_TRY(bi_scratch_of(f->ctx, queries, 2 * sizeof(float), &place.uv));
    BI_TRY(bi_scratch_of(f->ctx, queries + 1, sizeof *offsets, &offsets));
    BI_TRY(bi_scratch_of(f->ctx, counters + 1, sizeof(int64_t), &best.votes));
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof(uint64_t), &best.best));
    BI_TRY(bi_scratch_of(f->ctx, 1, sizeof *bad, &bad));
    BI_TRY(steps->geo_choose(f->ctx, count, &choose));
    place.list = choose.list;
    BI_TRY(steps->geo_place(f->ctx, queries, &place));
    BI_TRY(bosc_grid_radius(f->ctx, f->table->grid, place.uv, queries, 2, f->table->opts.vote, offsets, NULL, NULL, 0));
    BI_TRY(bi_read_back(f->ctx, &total, offsets + queries, sizeof total));
    if (total > VOTES_MOST && count > 1) {
        *bases = count / 2;
        return BOSC_OK;
    }
    BI_TRY(bi_scratch_of(f->ctx, total + 1, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, total, sizeof *votes.bins, &votes.bins));
    BI_TRY(
        bosc_grid_radius(f->ctx, f->table->grid, place.uv, queries, 2, f->table->opts.vote, offsets, ids, NULL, total));
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

/* ids and dist2: the nearest scene point of each model point under a transform, within a radius. */
static bosc_status look(struct finder *f, const double transform[6], double radius)
{
    const struct bi_geo_steps *steps = bi_geo_steps_of(f->ctx);
    const struct bi_backend *backend = f->ctx->backend;
    struct bi_geo_move move = {.points = f->table->points.data};
    struct bi_geo_nearest nearest;
    int64_t *offsets, *ids, total;
    double *dist2;
    memcpy(move.transform, transform, sizeof move.transform);
    BI_TRY(bi_scratch_of(f->ctx, f->n, 2 * sizeof(double), &move.moved));
    BI_TRY(bi_scratch_of(f->ctx, f->n + 1, sizeof *offsets, &offsets));
    BI_TRY(bi_scratch_of(f->ctx, f->n, sizeof(int64_t), &nearest.nearest));
    BI_TRY(bi_scratch_of(f->ctx, f->n, sizeof(double), &nearest.nearest2));
    BI_TRY(steps->geo_move(f->ctx, f->n, &move));
    BI_TRY(bosc_grid_radius(f->ctx, f->grid, move.moved, f->n, 2, radius, offsets, NULL, NULL, 0));
    BI_TRY(bi_read_back(f->ctx, &total, offsets + f->n, sizeof total));
    BI_TRY(bi_scratch_of(f->ctx, total + 1, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, total + 1, sizeof *dist2, &dist2));
    BI_TRY(bosc_grid_radius(f->ctx, f->grid, move.moved, f->n, 2, radius, offsets, ids, dist2, total));
    nearest.offsets = offsets;
    nearest.ids = ids;
    nearest.dist2 = dist2;
    BI_TRY(steps->geo_nearest(f->ctx, f->n, &nearest));
    BI_TRY(backend->copy(f->ctx, f->ids, nearest.nearest, (size_t)f->n * sizeof *f->ids));
    BI_TRY(backend->copy(f->ctx, f->dist2, nearest.nearest2, (size_t)f->n * sizeof *f->dist2));
    return backend->sync(f->ctx);
}

/* Each scene point stays with the nearest of the model points that took it, of several the first. Returns how many are
 * left, and the sum of their squared distances. */
static int64_t take_one_each(struct finder *f, double *sum)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++) {
        if (f->ids[i] < 0) continue;
        int64_t *owner = &f->owner[f->ids[i]];
        if (*owner >= 0 && f->dist2[*owner] <= f->dist2[i]) {
            f->ids[i] = -1;
        } else {
            if (*owner >= 0) f->ids[*owner] = -1;
            *owner = i;
        }
    }
    *sum = 0;
    for (int64_t i = 0; i < f->n; i++) {
        if (f->ids[i] < 0) continue;
        f->owner[f->ids[i]] = -1;
        *sum += f->dist2[i];
        count++;
    }
    return count;
}

static void keep_better(struct finder *f, const double transform[6], int64_t inliers, double sum, int64_t votes)
{
    double error = inliers > 0 ? sqrt(sum / (double)inliers) : 0;
    bosc_geometric_match *best = &f->match;
    if (best->votes > 0 && (inliers < best->inliers || (inliers == best->inliers && error >= best->error))) return;
    memcpy(best->transform, transform, sizeof best->transform);
    memcpy(f->best, f->ids, (size_t)f->n * sizeof *f->ids);
    best->votes = votes;
    best->inliers = inliers;
    best->error = error;
}

/* A scene basis and the model basis it voted for give a transform; least squares over what it brings together, first
 * from a wider circle, as few points far from the basis are at their places yet. */
static bosc_status try_bases(struct finder *f, int64_t k)
{
    uint32_t corner[BI_GEOMETRIC_CORNERS];
    int64_t votes = UINT32_MAX - (int64_t)(f->words[k] >> 32), basis = (int64_t)(uint32_t)f->words[k];
    double transform[6], sum;
    BI_TRY(bi_read_back(f->ctx, corner, (const uint32_t *)f->table->list.data + basis * BI_GEOMETRIC_CORNERS,
                        sizeof corner));
    for (int64_t i = 0; i < f->n; i++) f->ids[i] = -1;
    for (int c = 0; c < (f->affine ? 3 : 2); c++) f->ids[corner[c]] = f->corners[k * BI_GEOMETRIC_CORNERS + c];
    for (int round = 0; round <= ROUNDS; round++) {
        memcpy(f->last, f->ids, (size_t)f->n * sizeof *f->ids);
        if (!bi_geo_fit(f->model, f->n, f->scene, f->ids, f->affine, transform)) return BOSC_OK;
        double area = transform[0] * transform[4] - transform[1] * transform[3];
        double radius = f->table->tolerance * sqrt(area < 0 ? -area : area);
        struct bi_mark mark = bi_arena_mark(f->ctx);
        bosc_status status = look(f, transform, round == 0 ? 3 * radius : radius);
        bi_arena_rewind(f->ctx, mark);
        BI_TRY(status);
        int64_t inliers = take_one_each(f, &sum);
        if (round == 0) continue;
        keep_better(f, transform, inliers, sum, votes);
        if (memcmp(f->last, f->ids, (size_t)f->n * sizeof *f->ids) == 0) return BOSC_OK;
    }
    return BOSC_OK;
}

/* Tries those of the batch that have the most votes, of several the first. */
static bosc_status try_best(struct finder *f, int64_t count)
{
    double others = (double)(f->n - (f->affine ? 3 : 2)), least = 0.5 * f->table->opts.least * others;
    for (int trial = 0; trial < TRIALS && count > 0; trial++) {
        int64_t first = 0;
        for (int64_t k = 1; k < count; k++)
            if (f->words[k] >> 32 < f->words[first] >> 32) first = k;
        int64_t votes = UINT32_MAX - (int64_t)(f->words[first] >> 32);
        if (votes == 0 || (double)votes < least) return BOSC_OK;
        BI_TRY(try_bases(f, first));
        f->words[first] = UINT64_MAX;
    }
    return BOSC_OK;
}

/* Whether a better match would have been seen by now, but for one case in a thousand. Of a scene with more inliers than
 * the best match has, a basis of inliers alone is drawn at least as often as of those; a quarter of such bases will be
 * neither too short nor too blurred. Source of the rule: Fischler and Bolles, Random Sample Consensus (1981). */
static bool is_certain(const struct finder *f)
{
    double inliers = (double)f->match.inliers, m = (double)f->m, drawn = 0.25, missed = 1;
    if (inliers >= f->table->opts.enough * (double)f->n) return true;
    if (inliers < f->table->opts.least * (double)f->n) return false;
    for (int c = 0; c < (f->affine ? 3 : 2); c++) drawn *= (inliers - c) / (m - c);
    double power = 1 - drawn;
    for (int64_t t = f->match.tried; t > 0; t /= 2, power *= power)
        if (t % 2) missed *= power;
    return missed <= 1e-3;
}

static bosc_status search(struct finder *f)
{
    for (int64_t from = 0; from < f->tries; from += f->batch) {
        int64_t count, asked;
        do {
            count = asked = f->tries - from < f->batch ? f->tries - from : f->batch;
            struct bi_mark mark = bi_arena_mark(f->ctx);
            bosc_status status = vote(f, from, &count);
            bi_arena_rewind(f->ctx, mark);
            BI_TRY(status);
            if (count < asked) f->batch = count;
        } while (count < asked);
        BI_TRY(try_best(f, count));
        f->match.tried = from + count;
        if (is_certain(f)) break;
        BI_TRY(bi_progress(f->ctx, "match", (double)f->match.tried / (double)f->tries));
    }
    f->match.found = (double)f->match.inliers >= f->table->opts.least * (double)f->n;
    return BOSC_OK;
}

static bosc_status find(struct finder *f, const double *scene, int64_t *ids)
{
    const void *reachable;
    bool staged = false;
    BI_TRY(take_host(f));
    BI_TRY(bi_geo_fetch(f->ctx, "scene", scene, f->m, f->scene));
    if (f->tries > 0) {
        BI_TRY(bi_stage_in(f->ctx, scene, (size_t)f->m * 2 * sizeof *scene, &reachable, &staged));
        f->points = reachable;
        BI_TRY(make_grid(f));
        BI_TRY(search(f));
    }
    if (ids) BI_TRY(f->ctx->backend->copy(f->ctx, ids, f->best, (size_t)f->n * sizeof *ids));
    return f->ctx->backend->sync(f->ctx);
}

bosc_status bi_geo_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, int64_t *ids,
                        bosc_geometric_match *match)
{
    struct finder f = {.ctx = ctx, .table = table, .n = table->n, .m = m};
    f.affine = table->opts.kind == BOSC_GEOMETRIC_AFFINE;
    if (m > 1) f.all = (uint64_t)m * (uint64_t)(m - 1) * (f.affine ? (uint64_t)(m - 2) : 1);
    f.tries = f.all < (uint64_t)table->opts.tries ? (int64_t)f.all : table->opts.tries;
    /* Entries lie in about ten units of area. */
    double near = 0.3 * table->opts.vote * table->opts.vote * (double)(table->bases * table->n);
    double batch = BATCH_ENTRIES / ((double)(m > 0 ? m : 1) * (1 + near)), most = BATCH_ENTRIES / (double)table->bases;
    if (batch > most) batch = most;
    f.batch = batch < 1 ? 1 : batch > BATCH_MOST ? BATCH_MOST : (int64_t)batch;
    bosc_status status = find(&f, scene, ids);
    if (status == BOSC_OK) *match = f.match;
    bosc_grid_free(f.grid);
    bi_memory_release(&ctx->host, f.memory, f.bytes);
    return status;
}
