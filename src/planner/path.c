/* Paths on the host: lists of rotations whose steps are certified, shortened and repaired. */
#include <string.h>

#include "planner/route_search.h"

/* ---- proofs of steps ---- */

/* Finds where the proof of each of n steps fails: a->failures, in scratch. */
static bosc_status find_failures(bosc_ctx *ctx, const bosc_planner *planner, int64_t n, struct bi_planner_steps_args *a)
{
    a->scene = planner->scene;
    BI_TRY(bi_scratch_of(ctx, n, 4, &a->failures));
    BI_TRY(ctx->backend->fill(ctx, a->failures, 0xff, (size_t)n * 4));
    BI_TRY_WITH_COST(ctx, bi_planner_body_cost(planner),
                     BI_PLANNER_STEP(ctx, planner_certify, n * (planner->scene.robot.count + 1), a));
    return BOSC_OK;
}

static bosc_status certify_host(bosc_ctx *ctx, const bosc_planner *planner, const double *from, const double *to,
                                int64_t stride, int64_t n, uint32_t *failures)
{
    struct bi_planner_steps_args args = {.stride = stride};
    size_t bytes = (size_t)((n - 1) * stride + 4) * sizeof *from;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, from, bytes, (const void **)&args.from, &staged));
    BI_TRY(bi_stage_in(ctx, to, bytes, (const void **)&args.to, &staged));
    BI_TRY(find_failures(ctx, planner, n, &args));
    BI_TRY(ctx->backend->copy(ctx, failures, args.failures, (size_t)n * 4));
    return ctx->backend->sync(ctx);
}

bosc_status bi_planner_certify_host(bosc_ctx *ctx, const bosc_planner *planner, const double *from, const double *to,
                                    int64_t stride, int64_t n, uint32_t *failures)
{
    if (n <= 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, certify_host(ctx, planner, from, to, stride, n, failures));
}

/* Certifies the steps between consecutive rotations. */
static bosc_status certify_rotations(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                                     uint8_t *certified, double *where)
{
    struct bi_planner_steps_args args = {.stride = 4};
    struct bi_out out[2];
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, rotations, (size_t)n * 32, (const void **)&args.from, &staged));
    args.to = args.from + 4;
    BI_TRY(bi_stage_out(ctx, certified, (size_t)(n - 1), &out[0], &staged));
    BI_TRY(bi_stage_out(ctx, where, where ? (size_t)(n - 1) * 8 : 0, &out[1], &staged));
    args.certified = out[0].reachable;
    args.where = out[1].reachable;
    BI_TRY(find_failures(ctx, planner, n - 1, &args));
    BI_TRY(BI_PLANNER_STEP(ctx, planner_verdict, n - 1, &args));
    for (int k = 0; k < 2; k++) BI_TRY(bi_stage_back(ctx, &out[k]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_planner_certify(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                                 uint8_t *certified, double *where)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check_built(ctx, planner));
    BI_TRY(bi_planner_check_rotations(ctx, rotations, n));
    if (n > 1 && !certified) return bi_fail(ctx, BOSC_ERR_ARG, "certified: NULL");
    BI_TRY(bi_check_aligned(ctx, "where", where, sizeof *where));
    if (n <= 1) return BOSC_OK;
    bi_progress_set_total(ctx,
                          (double)n * (1 + (double)(planner->scene.robot.count + 1) * bi_planner_body_cost(planner)));
    BI_RETURN_WITH_SCRATCH(ctx, certify_rotations(ctx, planner, rotations, n, certified, where));
}

/* ---- lists of rotations ---- */

bosc_status bi_planner_grow_block(bosc_ctx *ctx, struct bi_block *block, size_t used, size_t bytes)
{
    if (bytes <= block->bytes) return BOSC_OK;
    if (bytes < 2 * block->bytes) bytes = 2 * block->bytes; /* so that appending is linear in all */
    void *fresh = bi_host_alloc(ctx, bytes);
    if (!fresh) return BOSC_ERR_NOMEM;
    if (used > 0) memcpy(fresh, block->data, used);
    bi_block_free(&ctx->host, block);
    *block = (struct bi_block){fresh, bytes};
    return BOSC_OK;
}

bosc_status bi_planner_path_add(bosc_ctx *ctx, struct bi_planner_path *path, const double *q, bool certified)
{
    size_t n = (size_t)path->count;
    BI_TRY(bi_planner_grow_block(ctx, &path->rotations, n * 32, (n + 1) * 32 < 2048 ? 2048 : (n + 1) * 32));
    BI_TRY(bi_planner_grow_block(ctx, &path->certified, n, n + 1 < 64 ? 64 : n + 1));
    double *to = bi_planner_path_at(path, path->count), sign = 1;
    if (path->count > 0) {
        sign = bi_planner_dot4(to - 4, q) < 0 ? -1 : 1;
        bi_planner_path_steps(path)[path->count - 1] = certified;
    }
    for (int k = 0; k < 4; k++) to[k] = sign * q[k];
    path->count++;
    return BOSC_OK;
}

void bi_planner_path_free(bosc_ctx *ctx, struct bi_planner_path *path)
{
    bi_block_free(&ctx->host, &path->rotations);
    bi_block_free(&ctx->host, &path->certified);
    path->count = 0;
}

bool bi_planner_path_certified(const struct bi_planner_path *path, int64_t *count)
{
    *count = 0;
    for (int64_t i = 0; i + 1 < path->count; i++) *count += bi_planner_path_steps(path)[i];
    return path->count > 0 && *count == path->count - 1;
}

double bi_planner_path_angle(const struct bi_planner_path *path)
{
    double sum = 0;
    for (int64_t i = 0; i + 1 < path->count; i++)
        sum += bi_planner_angle(bi_planner_path_at(path, i), bi_planner_path_at(path, i + 1));
    return sum;
}

/* ---- certifying and shortening ---- */

bosc_status bi_planner_certify_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    int64_t n = path->count - 1;
    struct bi_block failures = {0};
    if (n <= 0) return BOSC_OK;
    BI_TRY(bi_planner_grow_block(ctx, &failures, 0, (size_t)n * 4));
    bosc_status status = bi_planner_certify_host(ctx, search->planner, bi_planner_path_at(path, 0),
                                                 bi_planner_path_at(path, 1), 4, n, failures.data);
    for (int64_t i = 0; i < n && status == BOSC_OK; i++)
        bi_planner_path_steps(path)[i] = ((uint32_t *)failures.data)[i] == UINT32_MAX;
    search->info.tested += n;
    bi_block_free(&ctx->host, &failures);
    return status;
}

/* Tests the steps from rotation `at` to those 1, 2, 3, 4, 5, 6, 8 ... ahead and to the last one. *next: the farthest
 * one with a certified step, else the next one. */
static bosc_status find_farthest_step(bosc_ctx *ctx, struct bi_planner_search *search,
                                      const struct bi_planner_path *path, int64_t at, int64_t *next, bool *certified)
{
    enum { MOST = 48 }; /* steps tested at once; ahead grows by a third each, so 48 reach over 10^5 rotations */
    const int64_t last = path->count - 1;
    double from[4 * MOST], to[4 * MOST];
    int64_t goals[MOST];
    uint32_t failures[MOST];
    int n = 0;
    for (int64_t ahead = 1; n < MOST - 1 && at + ahead < last; ahead += ahead < 4 ? 1 : ahead / 3)
        goals[n++] = at + ahead;
    goals[n++] = last;
    for (int i = 0; i < n; i++) {
        memcpy(from + 4 * i, bi_planner_path_at(path, at), 32);
        memcpy(to + 4 * i, bi_planner_path_at(path, goals[i]), 32);
    }
    BI_TRY(bi_planner_certify_host(ctx, search->planner, from, to, 4, n, failures));
    search->info.tested += n;
    *next = at + 1;
    *certified = bi_planner_path_steps(path)[at];
    for (int i = 0; i < n; i++) {
        if (failures[i] != UINT32_MAX) continue;
        *next = goals[i];
        *certified = true;
    }
    return BOSC_OK;
}

bosc_status bi_planner_shorten_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    struct bi_planner_path shorter = {.count = 0};
    bosc_status status = bi_planner_path_add(ctx, &shorter, bi_planner_path_at(path, 0), false);
    for (int64_t at = 0, next; status == BOSC_OK && at < path->count - 1; at = next) {
        bool certified;
        status = find_farthest_step(ctx, search, path, at, &next, &certified);
        if (status == BOSC_OK) status = bi_planner_path_add(ctx, &shorter, bi_planner_path_at(path, next), certified);
    }
    if (status != BOSC_OK) {
        bi_planner_path_free(ctx, &shorter);
        return status;
    }
    bi_planner_path_free(ctx, path);
    *path = shorter;
    return BOSC_OK;
}

/* ---- repairing ----
 *
 * Rotations are sampled around the middle of an uncertified step, in a growing ball, until one or two of them make a
 * detour of certified steps. Source of testing steps only where a path needs them: Bohlin, Kavraki, Path Planning Using
 * Lazy PRM (ICRA 2000). */

/* Rotations in a round, and steps between them tested at most. More: shorter paths, slower rounds. Not measured. */
enum { AROUND = 24, CROSS = 160 };

/* Steps to test at once; a, b: samples at the ends of step i. */
struct batch {
    double from[4 * CROSS], to[4 * CROSS];
    uint32_t failures[CROSS];
    int32_t a[CROSS], b[CROSS];
    int32_t count;
};

static void add_step(struct batch *t, const double *from, const double *to, int32_t a, int32_t b)
{
    memcpy(t->from + 4 * t->count, from, 32);
    memcpy(t->to + 4 * t->count, to, 32);
    t->a[t->count] = a;
    t->b[t->count++] = b;
}

static bosc_status test_batch(bosc_ctx *ctx, struct bi_planner_search *search, struct batch *t)
{
    search->info.tested += t->count;
    return bi_planner_certify_host(ctx, search->planner, t->from, t->to, 4, t->count, t->failures);
}

/* A detour between two rotations over `count` others; 0: none found. */
struct detour {
    double q[8];
    int32_t count;
};

/* Samples rotations around q and searches a detour over one or two of them. ends: start and goal of the step. Without a
 * detour, `detour` keeps its count of 0. Beyond CROSS steps between samples the rest are not tested. */
static bosc_status try_around(bosc_ctx *ctx, struct bi_planner_search *search, const double *ends, const double *q,
                              double radius, struct batch *t, struct detour *detour)
{
    double x[4 * AROUND];
    bool from_start[AROUND], to_goal[AROUND];
    /* 1. Test the steps from the start to each sample, and from there to the goal. */
    t->count = 0;
    for (int32_t i = 0; i < AROUND; i++) {
        bi_planner_sample_near(search, q, radius, x + 4 * i);
        add_step(t, ends, x + 4 * i, 0, i);
        add_step(t, x + 4 * i, ends + 4, 1, i);
    }
    search->info.added += AROUND;
    BI_TRY(test_batch(ctx, search, t));
    /* 2. A sample that both ends reach is a detour. */
    for (int32_t i = 0; i < AROUND; i++) {
        from_start[i] = t->failures[2 * i] == UINT32_MAX;
        to_goal[i] = t->failures[2 * i + 1] == UINT32_MAX;
        if (!from_start[i] || !to_goal[i]) continue;
        memcpy(detour->q, x + 4 * i, 32);
        detour->count = 1;
        return BOSC_OK;
    }
    /* 3. Else test the steps between samples that one end reaches each. */
    t->count = 0;
    for (int32_t i = 0; i < AROUND; i++)
        for (int32_t j = 0; j < AROUND && from_start[i]; j++)
            if (to_goal[j] && t->count < CROSS) add_step(t, x + 4 * i, x + 4 * j, i, j);
    BI_TRY(test_batch(ctx, search, t));
    for (int32_t i = 0; i < t->count; i++) {
        if (t->failures[i] != UINT32_MAX) continue;
        memcpy(detour->q, x + 4 * t->a[i], 32);
        memcpy(detour->q + 4, x + 4 * t->b[i], 32);
        detour->count = 2;
        return BOSC_OK;
    }
    return BOSC_OK;
}

/* Searches a detour around the middle of a step, in balls that grow by a quarter. */
static bosc_status repair_step(bosc_ctx *ctx, struct bi_planner_search *search, const double *ends, struct batch *t,
                               struct detour *detour)
{
    double unit_ends[8], middle[4], chord2 = 0;
    for (int e = 0; e < 2; e++) bi_planner_normalize(ends + 4 * e, unit_ends + 4 * e);
    for (int k = 0; k < 4; k++) {
        middle[k] = unit_ends[k] + unit_ends[4 + k];
        chord2 += (unit_ends[k] - unit_ends[4 + k]) * (unit_ends[k] - unit_ends[4 + k]);
    }
    bi_planner_normalize(middle, middle);
    double radius = bi_sqrt(chord2) * 0.5 + 0x1p-12;
    detour->count = 0;
    for (int32_t round = 0; round < search->opts.rounds && detour->count == 0 && radius < 4; round++, radius *= 1.25)
        BI_TRY(try_around(ctx, search, ends, middle, radius, t, detour));
    return BOSC_OK;
}

/* Copies the path, with a detour in place of each uncertified step for which one is found. */
static bosc_status repair_steps(bosc_ctx *ctx, struct bi_planner_search *search, const struct bi_planner_path *path,
                                struct batch *t, struct bi_planner_path *repaired)
{
    struct detour detour;
    for (int64_t i = 0; i < path->count; i++) {
        bool certified = i > 0 && bi_planner_path_steps(path)[i - 1];
        detour.count = 0;
        if (i > 0 && !certified) BI_TRY(repair_step(ctx, search, bi_planner_path_at(path, i - 1), t, &detour));
        for (int32_t d = 0; d < detour.count; d++) BI_TRY(bi_planner_path_add(ctx, repaired, detour.q + 4 * d, true));
        BI_TRY(bi_planner_path_add(ctx, repaired, bi_planner_path_at(path, i), certified || detour.count > 0));
    }
    return BOSC_OK;
}

bosc_status bi_planner_repair_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    struct bi_planner_path repaired = {.count = 0};
    struct batch *batch = bi_host_alloc(ctx, sizeof *batch);
    if (!batch) return BOSC_ERR_NOMEM;
    bosc_status status = repair_steps(ctx, search, path, batch, &repaired);
    bi_memory_release(&ctx->host, batch, sizeof *batch);
    bi_planner_path_free(ctx, status == BOSC_OK ? path : &repaired);
    if (status == BOSC_OK) *path = repaired;
    return status;
}
