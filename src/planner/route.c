/* The driver and front door of routes: which means are tried, and what comes of them. */
#include <string.h>

#include "planner/way.h"

/* Fewer where each takes longer. */
static int64_t default_of(const struct bi_planner_scene *scene, int64_t pairs, int64_t least, int64_t most)
{
    int64_t count = pairs / (1 + scene->robot.count * scene->obstacle.count);
    return count > most ? most : count < least ? least : count;
}

static int64_t default_boxes(const struct bi_planner_scene *scene)
{
    return default_of(scene, (int64_t)1 << 26, 4096, 200000);
}

static int64_t default_tested(const struct bi_planner_scene *scene)
{
    return default_of(scene, (int64_t)1 << 24, 1024, 4096);
}

static bosc_status check_opts(bosc_ctx *ctx, const bosc_planner *planner, const bosc_planner_route_opts *opts,
                              bosc_planner_route_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_planner_route_opts", opts, full, sizeof *full));
    if (full->weights < BOSC_PLANNER_CELLS || full->weights > BOSC_PLANNER_ANGLE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: weights %d is none", (int)full->weights);
    if (full->keep_steps != 0 && full->keep_steps != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: keep_steps %d is neither 0 nor 1", (int)full->keep_steps);
    if (full->rounds < -1) return bi_fail(ctx, BOSC_ERR_ARG, "opts: rounds %d is less than -1", (int)full->rounds);
    if (full->max_boxes < -1 || full->max_boxes > (int64_t)1 << 28)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_boxes %lld is not in -1 to 2^28", (long long)full->max_boxes);
    if (full->max_tested < -1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_tested %lld is less than -1", (long long)full->max_tested);
    full->max_tested = full->max_tested == 0  ? default_tested(&planner->scene)
                       : full->max_tested < 0 ? 0
                                              : full->max_tested;
    full->rounds = full->rounds == 0 ? 24 : full->rounds < 0 ? 0 : full->rounds;
    if (full->max_boxes == 0)
        full->max_boxes = default_boxes(&planner->scene);
    else if (full->max_boxes < 0)
        full->max_boxes = 0;
    return BOSC_OK;
}

/* *decided: there is nothing to look for, since start or goal collides. */
static bosc_status test_ends(bosc_ctx *ctx, struct bi_planner_search *search, bool *decided)
{
    double both[8];
    uint8_t collides[2];
    memcpy(both, search->start, 32);
    memcpy(both + 4, search->goal, 32);
    bosc_status status = bosc_plan_collides(ctx, search->planner->plan, both, 2, 0, collides);
    if (status == BOSC_ERR_DATA) return bi_fail(ctx, status, "start or goal (row 0 or 1): %s", bosc_ctx_message(ctx));
    BI_TRY(status);
    *decided = collides[0] || collides[1];
    if (collides[0])
        search->info.outcome = BOSC_PLANNER_START_COLLIDES;
    else if (collides[1])
        search->info.outcome = BOSC_PLANNER_GOAL_COLLIDES;
    return BOSC_OK;
}

/* One step from start to goal: all that is needed where nothing is between them. */
static bosc_status direct(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way)
{
    BI_TRY(bi_planner_way_add(ctx, way, search->start, false));
    BI_TRY(bi_planner_way_add(ctx, way, search->goal, false));
    return bi_planner_certify_way(ctx, search, way);
}

/* Certifies a way, with fewer rotations and with more, as the options say. */
static bosc_status improve(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way)
{
    int64_t count;
    if (way->count == 0) return BOSC_OK;
    BI_TRY(bi_planner_certify_way(ctx, search, way));
    if (!search->opts.keep_steps) BI_TRY(bi_planner_shorten(ctx, search, way));
    if (bi_planner_way_certified(way, &count)) return BOSC_OK;
    BI_TRY(bi_planner_mend(ctx, search, way));
    return search->opts.keep_steps ? BOSC_OK : bi_planner_shorten(ctx, search, way);
}

/* What looks for a way; *apart: there is proved to be none. */
typedef bosc_status way_fn(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way, bool *apart);

static bosc_status connect(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way, bool *apart)
{
    *apart = false;
    return bi_planner_connect(ctx, search, way);
}

/* Another way in place of one that is not certified, if that can be. */
static bosc_status replace(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way, way_fn *means,
                           bool *apart)
{
    struct bi_planner_way other = {.count = 0};
    int64_t count;
    bosc_status status = means(ctx, search, &other, apart);
    if (status == BOSC_OK) status = improve(ctx, search, &other);
    if (status == BOSC_OK && bi_planner_way_certified(&other, &count)) {
        struct bi_planner_way kept = *way;
        *way = other;
        other = kept;
    }
    bi_planner_way_free(ctx, &other);
    return status;
}

static bosc_status through_cells(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way)
{
    way->count = 0;
    BI_TRY(bi_planner_cells_way(ctx, search, way));
    return improve(ctx, search, way);
}

/* The means in their order, until one leads to a certified way. A lazy planner has no cells before it needs them. */
static bosc_status look(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way, bool *apart)
{
    int64_t count;
    if (search->opts.keep_steps) BI_TRY(bi_planner_make_cells(ctx, search->planner));
    const bool cells_first = search->planner->roadmap != NULL;
    if (!search->opts.keep_steps || !cells_first) BI_TRY(direct(ctx, search, way));
    if (bi_planner_way_certified(way, &count)) return BOSC_OK;
    way->count = 0;
    if (cells_first) BI_TRY(through_cells(ctx, search, way));
    if (bi_planner_way_certified(way, &count)) return BOSC_OK;
    if (search->opts.max_tested > 0) BI_TRY(replace(ctx, search, way, connect, apart));
    if (bi_planner_way_certified(way, &count)) return BOSC_OK;
    if (!cells_first) BI_TRY(through_cells(ctx, search, way));
    if (bi_planner_way_certified(way, &count) || search->opts.max_boxes == 0) return BOSC_OK;
    return replace(ctx, search, way, bi_planner_divide, apart);
}

static bosc_status find(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way)
{
    bosc_planner_route_info *info = &search->info;
    bool decided = false, apart = false;
    BI_TRY(test_ends(ctx, search, &decided));
    if (decided) return BOSC_OK;
    BI_TRY(look(ctx, search, way, &apart));
    if (apart) way->count = 0;
    bool certified = bi_planner_way_certified(way, &info->certified);
    info->outcome = apart            ? BOSC_PLANNER_PROVED_NO_ROUTE
                    : certified      ? BOSC_PLANNER_CERTIFIED
                    : way->count > 0 ? BOSC_PLANNER_UNCERTIFIED
                                     : BOSC_PLANNER_NO_ROUTE;
    return BOSC_OK;
}

/* The planner's memory may be another one's than the context's. */
static bosc_status keep(bosc_ctx *ctx, bosc_planner *planner, const struct bi_planner_way *way)
{
    size_t n = (size_t)way->count;
    planner->way.count = 0;
    BI_TRY(bi_block_reserve(ctx, &planner->host, &planner->way.rotations, n * 32));
    BI_TRY(bi_block_reserve(ctx, &planner->host, &planner->way.certified, n));
    if (n > 0) memcpy(planner->way.rotations.data, way->rotations.data, n * 32);
    if (n > 0) memcpy(planner->way.certified.data, way->certified.data, n);
    planner->way.count = way->count;
    return BOSC_OK;
}

bosc_status bosc_planner_route(bosc_ctx *ctx, bosc_planner *planner, const double start[4], const double goal[4],
                               const bosc_planner_route_opts *opts, bosc_planner_route_info *info)
{
    struct bi_planner_search search = {.planner = planner};
    struct bi_planner_way way = {.count = 0};
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check_built(ctx, planner));
    if (!start) return bi_fail(ctx, BOSC_ERR_ARG, "start: NULL");
    if (!goal) return bi_fail(ctx, BOSC_ERR_ARG, "goal: NULL");
    BI_TRY(check_opts(ctx, planner, opts, &search.opts));
    if (info) BI_TRY(bi_check_info(ctx, "info", "bosc_planner_route_info", info->size, sizeof *info));
    bi_progress_set_total(ctx, bi_planner_weight(planner) *
                                   ((double)(planner->scene.robot.count + 1) * (double)(search.opts.max_tested + 1) +
                                    (double)search.opts.max_boxes));
    memcpy(search.start, start, sizeof search.start);
    memcpy(search.goal, goal, sizeof search.goal);
    bosc_status status = find(ctx, &search, &way);
    if (status == BOSC_OK) status = keep(ctx, planner, &way);
    bi_planner_way_free(ctx, &way);
    BI_TRY(status);
    search.info.cells = planner->cells;
    search.info.rotations = planner->way.count;
    search.info.angle = bi_planner_way_angle(&planner->way);
    if (info) bi_copy_info(info, &search.info, sizeof search.info);
    return BOSC_OK;
}

bosc_status bosc_planner_get_route(bosc_ctx *ctx, const bosc_planner *planner, double *rotations, uint8_t *certified)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check(ctx, planner));
    BI_TRY(bi_check_aligned(ctx, "rotations", rotations, sizeof *rotations));
    int64_t n = planner->way.count;
    if (rotations && n > 0) BI_TRY(ctx->backend->copy(ctx, rotations, planner->way.rotations.data, (size_t)n * 32));
    if (certified && n > 1) BI_TRY(ctx->backend->copy(ctx, certified, planner->way.certified.data, (size_t)(n - 1)));
    return ctx->backend->sync(ctx);
}
