/* Changes meshes: updates the pool, then derives the new leaves from the old ones. */
#include "planet/tiles.h"

static struct bi_planet_shape shape_of(const bosc_planet *planet)
{
    const struct bi_planet_shape a = {.view = planet->view, .pool = *bi_planet_pool(planet)};
    return a;
}

/* Estimated cost of the positions of a leaf, in simple items, for progress. */
enum { WEIGHT = 64 };

/* Computes all leaves from their nodes. */
static bosc_status shape_all(bosc_ctx *ctx, bosc_planet *planet)
{
    struct bi_planet_shape a = shape_of(planet);
    BI_TRY(bi_planet_reserve_leaves(ctx, planet, &planet->current, a.pool.leaves));
    a.leaves = planet->current.data;
    BI_TRY_WITH_COST(ctx, WEIGHT, BI_PLANET_RUN(ctx, planet, shape, a.pool.leaves, &a));
    planet->stale = false;
    return BOSC_OK;
}

bosc_status bi_planet_refresh(bosc_ctx *ctx, bosc_planet *planet)
{
    return planet->stale ? shape_all(ctx, planet) : BOSC_OK;
}

bosc_status bi_planet_reset(bosc_ctx *ctx, bosc_planet *planet)
{
    BI_TRY(bosc_bisectors_reset(ctx, planet->pool, 0));
    planet->stale = true;
    BI_TRY_UNINTERRUPTIBLE(ctx, shape_all(ctx, planet));
    return BOSC_OK;
}

/* Computes the leaves of the updated pool from the old ones, and swaps the arrays. *changed becomes 1 if a leaf is
 * new. */
static bosc_status derive_leaves(bosc_ctx *ctx, bosc_planet *planet, const int64_t *sources, uint32_t *changed)
{
    struct bi_planet_shape a = shape_of(planet);
    BI_TRY(bi_planet_reserve_leaves(ctx, planet, &planet->next, a.pool.leaves));
    a.leaves = planet->next.data;
    a.old_leaves = planet->current.data;
    a.sources = sources;
    a.changed = changed;
    BI_TRY(ctx->backend->fill(ctx, changed, 0, sizeof *changed));
    if (ctx->ops->planet->derive && !planet->cache)
        BI_TRY(ctx->ops->planet->derive(ctx, a.pool.leaves, &a));
    else
        BI_TRY(BI_PLANET_RUN(ctx, planet, derive, a.pool.leaves, &a));
    const struct bi_block old = planet->current;
    planet->current = planet->next;
    planet->next = old;
    planet->stale = false;
    return BOSC_OK;
}

/* Updates the pool. *sources: in scratch, the source of each new leaf; *changed: scratch for derive_leaves. */
static bosc_status update_pool(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t command_count,
                               int64_t **sources, uint32_t **changed)
{
    int64_t capacity = 4 * bi_planet_pool(planet)->leaves; /* a leaf becomes at most 4 */
    if (capacity > BI_BISECTOR_MAX_LEAVES) capacity = BI_BISECTOR_MAX_LEAVES;
    BI_TRY(bi_scratch_of(ctx, capacity, sizeof **sources, sources));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof **changed, changed));
    return bi_bisector_apply(ctx, planet->pool, commands, command_count, *sources, capacity);
}

static bosc_status change_mesh(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t command_count,
                               enum bi_planet_outcome *outcome)
{
    int64_t *sources;
    uint32_t *changed, found;
    BI_TRY(update_pool(ctx, planet, commands, command_count, &sources, &changed));
    planet->stale = true;
    BI_TRY_UNINTERRUPTIBLE(ctx, derive_leaves(ctx, planet, sources, changed));
    if (!outcome) return BOSC_OK;
    BI_TRY(bi_read_back(ctx, &found, changed, sizeof found));
    *outcome = found ? BI_PLANET_CHANGED : BI_PLANET_UNCHANGED;
    return BOSC_OK;
}

static bosc_status split_mesh(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t max_leaves,
                              enum bi_planet_outcome *outcome)
{
    const int64_t old = bi_planet_pool(planet)->leaves;
    int64_t *sources;
    uint32_t *changed;
    BI_TRY(update_pool(ctx, planet, commands, old, &sources, &changed));
    const int64_t after = bi_planet_pool(planet)->leaves;
    *outcome = after == old ? BI_PLANET_UNCHANGED : after > max_leaves ? BI_PLANET_TOO_MANY : BI_PLANET_CHANGED;
    planet->stale = *outcome != BI_PLANET_UNCHANGED;
    if (*outcome == BI_PLANET_CHANGED) BI_TRY_UNINTERRUPTIBLE(ctx, derive_leaves(ctx, planet, sources, changed));
    return BOSC_OK;
}

bosc_status bi_planet_split(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t max_leaves,
                            enum bi_planet_outcome *outcome)
{
    BI_RETURN_WITH_SCRATCH(ctx, split_mesh(ctx, planet, commands, max_leaves, outcome));
}

bosc_status bi_planet_change(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t command_count,
                             enum bi_planet_outcome *outcome)
{
    BI_RETURN_WITH_SCRATCH(ctx, change_mesh(ctx, planet, commands, command_count, outcome));
}

static bosc_status update_mesh(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t command_count)
{
    const void *reachable;
    bool staged = false;
    if (command_count > bi_planet_pool(planet)->leaves) command_count = bi_planet_pool(planet)->leaves;
    bi_progress_set_total(ctx, 6 * (double)bi_planet_pool(planet)->leaves);
    BI_TRY(bi_planet_refresh(ctx, planet));
    BI_TRY(bi_stage_in(ctx, commands, (size_t)command_count, &reachable, &staged));
    return bi_planet_change(ctx, planet, reachable, command_count, NULL);
}

bosc_status bosc_planet_update(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t command_count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_raster(ctx, planet));
    BI_TRY(bi_planet_check_array(ctx, "command_count", command_count, "commands", commands, 1, 1));
    BI_RETURN_WITH_SCRATCH(ctx, update_mesh(ctx, planet, commands, command_count));
}
