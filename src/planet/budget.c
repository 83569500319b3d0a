/* Selects meshes by a budget of triangles: the smallest multiple of the bounds whose mesh keeps to it.
 *
 * A mesh splits exactly the triangles that it reaches and that are above their bound, and whatever must be split with
 * them; so a smaller multiple splits the same triangles and others. The search therefore goes down from the octahedron,
 * the mesh of an infinite multiple, and goes on from the mesh of the smallest multiple that was found to be large
 * enough. Multiples are floats of which only the upper half of the bits is used. */
#include <string.h>

#include "base/bits.h"
#include "planet/drivers.h"

/* The mesh of the multiple `high` keeps to the budget, that of `low` does not. */
struct search {
    bosc_planet *planet;
    const bosc_planet_goal *goal;
    struct bi_planet_criterion *criterion;
    int64_t most;
    uint32_t low, high;
    uint32_t *needs, *counts; /* (BI_PLANET_MULTIPLES) the backend's and the host's, see bi_planet_need */
};

/* A mesh to go back to. */
struct kept {
    uint64_t *nodes;
    uint32_t *neighbours;
    struct bi_planet_leaf *leaves;
    int64_t count;
};

static bosc_status keep(bosc_ctx *ctx, const bosc_planet *planet, struct kept *k)
{
    const struct bi_bisector_view *pool = bi_planet_pool(planet);
    const size_t n = (size_t)pool->leaves;
    k->count = pool->leaves;
    BI_TRY(bi_scratch_of(ctx, k->count, sizeof *k->nodes, &k->nodes));
    BI_TRY(bi_scratch_of(ctx, 3 * k->count, sizeof *k->neighbours, &k->neighbours));
    BI_TRY(bi_scratch_of(ctx, k->count, sizeof *k->leaves, &k->leaves));
    BI_TRY(ctx->backend->copy(ctx, k->nodes, pool->nodes, n * sizeof *k->nodes));
    BI_TRY(ctx->backend->copy(ctx, k->neighbours, pool->neighbours, n * 3 * sizeof *k->neighbours));
    return ctx->backend->copy(ctx, k->leaves, planet->now.data, n * sizeof *k->leaves);
}

static bosc_status go_back(bosc_ctx *ctx, bosc_planet *planet, const struct kept *k)
{
    planet->stale = true;
    BI_TRY(bi_bisector_put_back(ctx, planet->pool, k->nodes, k->neighbours, k->count));
    BI_TRY(ctx->backend->copy(ctx, planet->now.data, k->leaves, (size_t)k->count * sizeof *k->leaves));
    planet->stale = false;
    return BOSC_OK;
}

static bosc_status split_once(bosc_ctx *ctx, const struct search *s, enum bi_planet_growth *growth)
{
    const struct bi_bisector_view *pool = bi_planet_pool(s->planet);
    struct bi_planet_mark mark = {
        .criterion = *s->criterion, .leaves = s->planet->now.data, .nodes = pool->nodes, .splits_alone = true};
    BI_TRY(bi_scratch_of(ctx, pool->leaves, sizeof *mark.commands, &mark.commands));
    BI_TRY(BI_PLANET_STEP(ctx, mark, pool->leaves, &mark));
    return bi_planet_split(ctx, s->planet, mark.commands, s->most, growth);
}

/* Goes on to the mesh of a multiple between `low` and `high`, and is back if that is too large. */
static bosc_status try_multiple(bosc_ctx *ctx, struct search *s, uint32_t multiple)
{
    struct kept before;
    enum bi_planet_growth growth = BI_PLANET_MORE;
    BI_TRY(keep(ctx, s->planet, &before));
    bi_planet_set_limits(s->goal, bi_f32_from_bits(multiple << 16), s->criterion);
    while (growth == BI_PLANET_MORE) BI_TRY_WITH_SCRATCH(ctx, split_once(ctx, s, &growth));
    if (growth == BI_PLANET_SAME) {
        s->high = multiple;
        return BOSC_OK;
    }
    s->low = multiple;
    return go_back(ctx, s->planet, &before);
}

/* How many leaves each multiple, and no larger one, leaves whole. */
static bosc_status count_needs(bosc_ctx *ctx, const struct search *s)
{
    const int64_t leaves = bi_planet_pool(s->planet)->leaves;
    const size_t bytes = BI_PLANET_MULTIPLES * sizeof *s->needs;
    struct bi_planet_needs a = {.criterion = *s->criterion, .leaves = s->planet->now.data, .counts = s->needs};
    bi_planet_set_limits(s->goal, 1, &a.criterion);
    BI_TRY(ctx->backend->fill(ctx, s->needs, 0, bytes));
    BI_TRY(BI_PLANET_STEP(ctx, needs, leaves, &a));
    BI_TRY(ctx->backend->copy(ctx, s->counts, s->needs, bytes));
    return ctx->backend->sync(ctx);
}

/* The multiple that is tried next. Each leaf that is split makes one more at least: so multiples are too small that
 * would split more leaves than there is room for. Of the others it is the middle one, unless that would split so many
 * that others will be split after them; or the smallest that would not. */
static uint32_t choose(struct search *s)
{
    const int64_t room = s->most - bi_planet_pool(s->planet)->leaves;
    int64_t split = 0;
    uint32_t careful = s->high - 1;
    for (uint32_t m = s->high - 1; m > s->low; m--) {
        split += s->counts[m + 1];
        if (split > room) {
            s->low = m;
            break;
        }
        if (split <= room / 4) careful = m;
    }
    const uint32_t middle = s->low + (s->high - s->low) / 2;
    return careful > middle ? careful : middle;
}

static bosc_status step(bosc_ctx *ctx, struct search *s)
{
    BI_TRY_WITH_SCRATCH(ctx, count_needs(ctx, s));
    const uint32_t multiple = choose(s);
    if (s->high - s->low <= 1) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(ctx, try_multiple(ctx, s, multiple));
    return BOSC_OK;
}

bosc_status bi_planet_select_budget(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal,
                                    struct bi_planet_criterion *criterion)
{
    const bool plain = !criterion->on && criterion->error == 0; /* of 1; or else no multiple is less than 1 */
    struct search s = {.planet = planet,
                       .goal = goal,
                       .criterion = criterion,
                       .most = goal->triangles > BI_PLANET_ROOTS ? goal->triangles : BI_PLANET_ROOTS,
                       .low = plain ? 0 : (bi_f32_bits(1) >> 16) - 1,
                       .high = BI_PLANET_MULTIPLES - 1}; /* infinity */
    BI_TRY(bi_scratch_of(ctx, BI_PLANET_MULTIPLES, sizeof *s.needs, &s.needs));
    BI_TRY(bi_host_scratch(ctx, BI_PLANET_MULTIPLES * sizeof *s.counts, (void **)&s.counts));
    BI_TRY(bi_planet_reset(ctx, planet));
    while (s.high - s.low > 1) BI_TRY(step(ctx, &s));
    return BOSC_OK;
}
