/* Selects meshes by a budget of triangles: the mesh of the smallest multiple of the bounds that fits the budget.
 *
 * The mesh of a multiple splits all triangles above their bound, and the triangles that must be split with them; so a
 * smaller multiple splits a superset. The search starts at the octahedron, the mesh of an infinite multiple, and
 * refines the mesh of the smallest multiple known to fit. Multiples are floats with only the upper 16 bits in use. */
#include <string.h>

#include "base/bits.h"
#include "planet/drivers.h"

/* The mesh of multiple `high` fits the budget, that of `low` does not. */
struct search {
    bosc_planet *planet;
    const bosc_planet_goal *goal;
    struct bi_planet_criterion *criterion;
    int64_t max_triangles;
    uint32_t low, high;
    uint32_t *device_counts, *host_counts; /* (BI_PLANET_MULTIPLES) leaves by their least multiple */
};

/* A copy of a mesh. */
struct saved_mesh {
    uint64_t *nodes;
    uint32_t *neighbours;
    struct bi_planet_leaf *leaves;
    int64_t count;
};

static bosc_status save_mesh(bosc_ctx *ctx, const bosc_planet *planet, struct saved_mesh *k)
{
    const struct bi_bisector_view *pool = bi_planet_pool(planet);
    const size_t n = (size_t)pool->leaves;
    k->count = pool->leaves;
    BI_TRY(bi_scratch_of(ctx, k->count, sizeof *k->nodes, &k->nodes));
    BI_TRY(bi_scratch_of(ctx, 3 * k->count, sizeof *k->neighbours, &k->neighbours));
    BI_TRY(bi_scratch_of(ctx, k->count, sizeof *k->leaves, &k->leaves));
    BI_TRY(ctx->backend->copy(ctx, k->nodes, pool->nodes, n * sizeof *k->nodes));
    BI_TRY(ctx->backend->copy(ctx, k->neighbours, pool->neighbours, n * 3 * sizeof *k->neighbours));
    return ctx->backend->copy(ctx, k->leaves, planet->current.data, n * sizeof *k->leaves);
}

static bosc_status restore_mesh(bosc_ctx *ctx, bosc_planet *planet, const struct saved_mesh *k)
{
    planet->stale = true;
    BI_TRY(bi_bisector_restore_leaves(ctx, planet->pool, k->nodes, k->neighbours, k->count));
    BI_TRY(ctx->backend->copy(ctx, planet->current.data, k->leaves, (size_t)k->count * sizeof *k->leaves));
    planet->stale = false;
    return BOSC_OK;
}

static bosc_status split_once(bosc_ctx *ctx, const struct search *s, enum bi_planet_growth *growth)
{
    const struct bi_bisector_view *pool = bi_planet_pool(s->planet);
    struct bi_planet_mark mark = {
        .criterion = *s->criterion, .leaves = s->planet->current.data, .nodes = pool->nodes, .splits_alone = true};
    BI_TRY(bi_scratch_of(ctx, pool->leaves, sizeof *mark.commands, &mark.commands));
    BI_TRY(BI_PLANET_STEP(ctx, mark, pool->leaves, &mark));
    return bi_planet_split(ctx, s->planet, mark.commands, s->max_triangles, growth);
}

/* Refines to the mesh of a multiple between `low` and `high`; restores the mesh if that is too large. */
static bosc_status try_multiple(bosc_ctx *ctx, struct search *s, uint32_t multiple)
{
    struct saved_mesh saved;
    enum bi_planet_growth growth = BI_PLANET_MORE;
    BI_TRY(save_mesh(ctx, s->planet, &saved));
    bi_planet_set_limits(s->goal, bi_f32_from_bits(multiple << 16), s->criterion);
    while (growth == BI_PLANET_MORE) BI_TRY_WITH_SCRATCH(ctx, split_once(ctx, s, &growth));
    if (growth == BI_PLANET_SAME) {
        s->high = multiple;
        return BOSC_OK;
    }
    s->low = multiple;
    return restore_mesh(ctx, s->planet, &saved);
}

/* Counts leaves by the least multiple that does not split them. */
static bosc_status count_needs(bosc_ctx *ctx, const struct search *s)
{
    const int64_t leaves = bi_planet_pool(s->planet)->leaves;
    const size_t bytes = BI_PLANET_MULTIPLES * sizeof *s->device_counts;
    struct bi_planet_multiple_counts a = {
        .criterion = *s->criterion, .leaves = s->planet->current.data, .counts = s->device_counts};
    bi_planet_set_limits(s->goal, 1, &a.criterion);
    BI_TRY(ctx->backend->fill(ctx, s->device_counts, 0, bytes));
    BI_TRY(BI_PLANET_STEP(ctx, count_multiples, leaves, &a));
    BI_TRY(ctx->backend->copy(ctx, s->host_counts, s->device_counts, bytes));
    return ctx->backend->sync(ctx);
}

/* Chooses the next multiple to try, and raises `low`: each split adds at least one leaf, so multiples that split more
 * leaves than the budget has room for are too small. Takes the middle of the rest, but none that splits more than a
 * quarter of the room (chosen), since splits entail others. */
static uint32_t choose_multiple(struct search *s)
{
    const int64_t room = s->max_triangles - bi_planet_pool(s->planet)->leaves;
    int64_t split = 0;
    uint32_t cautious = s->high - 1;
    for (uint32_t m = s->high - 1; m > s->low; m--) {
        split += s->host_counts[m + 1];
        if (split > room) {
            s->low = m;
            break;
        }
        if (split <= room / 4) cautious = m;
    }
    const uint32_t middle = s->low + (s->high - s->low) / 2;
    return cautious > middle ? cautious : middle;
}

static bosc_status search_step(bosc_ctx *ctx, struct search *s)
{
    BI_TRY_WITH_SCRATCH(ctx, count_needs(ctx, s));
    const uint32_t multiple = choose_multiple(s);
    if (s->high - s->low <= 1) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(ctx, try_multiple(ctx, s, multiple));
    return BOSC_OK;
}

bosc_status bi_planet_select_budget(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal,
                                    struct bi_planet_criterion *criterion)
{
    const bool plain = !criterion->has_camera &&
                       criterion->error == 0; /* no bound: multiples of 1; with a bound they are at least 1 */
    struct search s = {.planet = planet,
                       .goal = goal,
                       .criterion = criterion,
                       .max_triangles = goal->triangles > BI_PLANET_ROOTS ? goal->triangles : BI_PLANET_ROOTS,
                       .low = plain ? 0 : (bi_f32_bits(1) >> 16) - 1,
                       .high = BI_PLANET_MULTIPLES - 1}; /* infinity */
    BI_TRY(bi_scratch_of(ctx, BI_PLANET_MULTIPLES, sizeof *s.device_counts, &s.device_counts));
    BI_TRY(bi_host_scratch(ctx, BI_PLANET_MULTIPLES * sizeof *s.host_counts, (void **)&s.host_counts));
    BI_TRY(bi_planet_reset(ctx, planet));
    while (s.high - s.low > 1) BI_TRY(search_step(ctx, &s));
    return BOSC_OK;
}
