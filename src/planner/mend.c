/* Mends steps that are not certified: rotations are sampled around the place where the proof failed, farther and
 * farther away, until one or two of them make a way of certified steps.
 * Source of testing steps only where a way needs them: Bohlin, Kavraki, Path Planning Using Lazy PRM (ICRA 2000). */
#include <string.h>

#include "planner/way.h"

enum { AROUND = 24, CROSS = 160 };

/* Steps to be tested at once. */
struct batch {
    double from[4 * CROSS], to[4 * CROSS];
    uint32_t places[CROSS];
    int32_t a[CROSS], b[CROSS];
    int32_t count;
};

static void put(struct batch *t, const double *from, const double *to, int32_t a, int32_t b)
{
    memcpy(t->from + 4 * t->count, from, 32);
    memcpy(t->to + 4 * t->count, to, 32);
    t->a[t->count] = a;
    t->b[t->count++] = b;
}

static bosc_status test(bosc_ctx *ctx, struct bi_planner_search *search, struct batch *t)
{
    search->info.tested += t->count;
    return bi_planner_certify_host(ctx, search->planner, t->from, t->to, 4, t->count, t->places);
}

/* A rotation near q: in the tangent space, in a ball of about `radius` (of quaternions). */
static void sample_near(struct bi_planner_search *search, const double *q, double radius, double *to)
{
    double v[3], length2;
    do {
        for (int k = 0; k < 3; k++) v[k] = 2 * bi_planner_unit(search) - 1;
        length2 = bi_planner_dot(v, v);
    } while (length2 > 1);
    double w = 1, x = radius * v[0], y = radius * v[1], z = radius * v[2];
    double p[4] = {(q[0] * w - q[1] * x) - (q[2] * y + q[3] * z), (q[0] * x + q[1] * w) + (q[2] * z - q[3] * y),
                   (q[0] * y + q[2] * w) + (q[3] * x - q[1] * z), (q[0] * z + q[3] * w) + (q[1] * y - q[2] * x)};
    bi_planner_normal(p, to);
}

/* What was found between two rotations: `count` others, 0: nothing. */
struct detour {
    double q[8];
    int32_t count;
};

/* Samples around q; a detour over one of them, or two. */
static bosc_status try_around(bosc_ctx *ctx, struct bi_planner_search *search, const double *ends, const double *q,
                              double radius, struct batch *t, struct detour *detour)
{
    double x[4 * AROUND];
    bool from_start[AROUND], to_goal[AROUND];
    t->count = 0;
    for (int32_t i = 0; i < AROUND; i++) {
        sample_near(search, q, radius, x + 4 * i);
        put(t, ends, x + 4 * i, 0, i);
        put(t, x + 4 * i, ends + 4, 1, i);
    }
    search->info.added += AROUND;
    BI_TRY(test(ctx, search, t));
    for (int32_t i = 0; i < AROUND; i++) {
        from_start[i] = t->places[2 * i] == UINT32_MAX;
        to_goal[i] = t->places[2 * i + 1] == UINT32_MAX;
        if (!from_start[i] || !to_goal[i]) continue;
        memcpy(detour->q, x + 4 * i, 32);
        detour->count = 1;
        return BOSC_OK;
    }
    t->count = 0;
    for (int32_t i = 0; i < AROUND; i++)
        for (int32_t j = 0; j < AROUND && from_start[i]; j++)
            if (to_goal[j] && t->count < CROSS) put(t, x + 4 * i, x + 4 * j, i, j);
    BI_TRY(test(ctx, search, t));
    for (int32_t i = 0; i < t->count; i++) {
        if (t->places[i] != UINT32_MAX) continue;
        memcpy(detour->q, x + 4 * t->a[i], 32);
        memcpy(detour->q + 4, x + 4 * t->b[i], 32);
        detour->count = 2;
        return BOSC_OK;
    }
    return BOSC_OK;
}

static bosc_status mend_step(bosc_ctx *ctx, struct bi_planner_search *search, const double *ends, struct batch *t,
                             struct detour *detour)
{
    double unit_ends[8], middle[4], chord2 = 0;
    for (int e = 0; e < 2; e++) bi_planner_normal(ends + 4 * e, unit_ends + 4 * e);
    for (int k = 0; k < 4; k++) {
        middle[k] = unit_ends[k] + unit_ends[4 + k];
        chord2 += (unit_ends[k] - unit_ends[4 + k]) * (unit_ends[k] - unit_ends[4 + k]);
    }
    bi_planner_normal(middle, middle);
    double radius = bi_sqrt(chord2) * 0.5 + 0x1p-12;
    detour->count = 0;
    for (int32_t round = 0; round < search->opts.rounds && detour->count == 0 && radius < 4; round++, radius *= 1.25)
        BI_TRY(try_around(ctx, search, ends, middle, radius, t, detour));
    return BOSC_OK;
}

static bosc_status mend(bosc_ctx *ctx, struct bi_planner_search *search, const struct bi_planner_way *way,
                        struct batch *t, struct bi_planner_way *mended)
{
    struct detour detour;
    for (int64_t i = 0; i < way->count; i++) {
        bool certified = i > 0 && bi_planner_way_steps(way)[i - 1];
        detour.count = 0;
        if (i > 0 && !certified) BI_TRY(mend_step(ctx, search, bi_planner_way_at(way, i - 1), t, &detour));
        for (int32_t d = 0; d < detour.count; d++) BI_TRY(bi_planner_way_add(ctx, mended, detour.q + 4 * d, true));
        BI_TRY(bi_planner_way_add(ctx, mended, bi_planner_way_at(way, i), certified || detour.count > 0));
    }
    return BOSC_OK;
}

bosc_status bi_planner_mend(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way)
{
    struct bi_planner_way mended = {.count = 0};
    struct batch *batch = bi_host_alloc(ctx, sizeof *batch);
    if (!batch) return BOSC_ERR_NOMEM;
    bosc_status status = mend(ctx, search, way, batch, &mended);
    bi_memory_release(&ctx->host, batch, sizeof *batch);
    bi_planner_way_free(ctx, status == BOSC_OK ? way : &mended);
    if (status == BOSC_OK) *way = mended;
    return status;
}
