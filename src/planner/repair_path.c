/* Repairs uncertified steps: samples rotations around the middle of the step, in a growing ball, until one
 * or
 * two of them make a detour of certified steps.
 * Source of testing steps only where a path needs them: Bohlin, Kavraki, Path Planning Using Lazy PRM (ICRA 2000). */
#include <string.h>

#include "planner/route_search.h"

enum { AROUND = 24, CROSS = 160 }; /* rotations in a round; steps between them tested at most; chosen */

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

/* Samples rotations around q and searches a detour over one or two of them. */
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
