/* Finds routes: checks the ends, tries the methods in order, and stores the result. */
#include <string.h>

#include "planner/route_search.h"

/* Returns a budget of body pairs divided by those of the scene, clamped. The budgets bound the
 * time of a call: more finds harder routes, and takes longer where there is none. Not measured. */
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

/* Tests start and goal; the outcome is decided if one of them collides. */
static bosc_status test_ends(bosc_ctx *ctx, struct bi_planner_search *search)
{
    double both[8];
    uint8_t collides[2];
    memcpy(both, search->start, 32);
    memcpy(both + 4, search->goal, 32);
    bosc_status status = bosc_plan_collides(ctx, search->planner->plan, both, 2, 0, collides);
    if (status == BOSC_ERR_DATA) return bi_fail(ctx, status, "start or goal (row 0 or 1): %s", bosc_ctx_message(ctx));
    BI_TRY(status);
    if (collides[0])
        search->info.outcome = BOSC_PLANNER_START_COLLIDES;
    else if (collides[1])
        search->info.outcome = BOSC_PLANNER_GOAL_COLLIDES;
    return BOSC_OK;
}

/* Tests the single step from start to goal. */
static bosc_status try_direct_step(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    BI_TRY(bi_planner_path_add(ctx, path, search->start, false));
    BI_TRY(bi_planner_path_add(ctx, path, search->goal, false));
    return bi_planner_certify_path(ctx, search, path);
}

/* Certifies a path, shortens it, and repairs its uncertified steps. */
static bosc_status improve_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    int64_t count;
    if (path->count == 0) return BOSC_OK;
    BI_TRY(bi_planner_certify_path(ctx, search, path));
    if (!search->opts.keep_steps) BI_TRY(bi_planner_shorten_path(ctx, search, path));
    if (bi_planner_path_certified(path, &count)) return BOSC_OK;
    BI_TRY(bi_planner_repair_path(ctx, search, path));
    return search->opts.keep_steps ? BOSC_OK : bi_planner_shorten_path(ctx, search, path);
}

/* A method that finds a path. */
typedef bosc_status path_finder_fn(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* Runs a method, and replaces the path by its path if that is certified. */
static bosc_status replace_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path,
                                path_finder_fn *method)
{
    struct bi_planner_path other = {.count = 0};
    int64_t count;
    bosc_status status = method(ctx, search, &other);
    if (status == BOSC_OK) status = improve_path(ctx, search, &other);
    if (status == BOSC_OK && bi_planner_path_certified(&other, &count)) {
        struct bi_planner_path kept = *path;
        *path = other;
        other = kept;
    }
    bi_planner_path_free(ctx, &other);
    return status;
}

static bosc_status try_cells(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    path->count = 0;
    BI_TRY(bi_planner_find_cell_path(ctx, search, path));
    return improve_path(ctx, search, path);
}

/* Tries the methods in order until one finds a certified path: a direct step, cells, RRT-Connect, boxes. A lazy planner
 * without cells makes them only after RRT-Connect has failed. */
static bosc_status try_methods(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    int64_t count;
    if (search->opts.keep_steps) BI_TRY(bi_planner_make_cells(ctx, search->planner));
    const bool cells_first = search->planner->roadmap != NULL;
    if (!search->opts.keep_steps || !cells_first) BI_TRY(try_direct_step(ctx, search, path));
    if (bi_planner_path_certified(path, &count)) return BOSC_OK;
    path->count = 0;
    if (cells_first) BI_TRY(try_cells(ctx, search, path));
    if (bi_planner_path_certified(path, &count)) return BOSC_OK;
    if (search->opts.max_tested > 0) BI_TRY(replace_path(ctx, search, path, bi_planner_rrt_connect));
    if (bi_planner_path_certified(path, &count)) return BOSC_OK;
    if (!cells_first) BI_TRY(try_cells(ctx, search, path));
    if (bi_planner_path_certified(path, &count) || search->opts.max_boxes == 0) return BOSC_OK;
    return replace_path(ctx, search, path, bi_planner_subdivide_so3);
}

static bosc_status find_route(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    bosc_planner_route_info *info = &search->info;
    BI_TRY(test_ends(ctx, search));
    if (info->outcome) return BOSC_OK;
    BI_TRY(try_methods(ctx, search, path));
    if (info->outcome == BOSC_PLANNER_PROVED_NO_ROUTE) path->count = 0; /* drops the path through cells */
    bool certified = bi_planner_path_certified(path, &info->certified);
    if (info->outcome == BOSC_PLANNER_PROVED_NO_ROUTE) return BOSC_OK;
    info->outcome = certified         ? BOSC_PLANNER_CERTIFIED
                    : path->count > 0 ? BOSC_PLANNER_UNCERTIFIED
                                      : BOSC_PLANNER_NO_ROUTE;
    return BOSC_OK;
}

/* Copies the path to the planner, whose memory may belong to another context. */
static bosc_status store_route(bosc_ctx *ctx, bosc_planner *planner, const struct bi_planner_path *path)
{
    size_t n = (size_t)path->count;
    planner->path.count = 0;
    BI_TRY(bi_block_reserve(ctx, &planner->host, &planner->path.rotations, n * 32));
    BI_TRY(bi_block_reserve(ctx, &planner->host, &planner->path.certified, n));
    if (n > 0) memcpy(planner->path.rotations.data, path->rotations.data, n * 32);
    if (n > 0) memcpy(planner->path.certified.data, path->certified.data, n);
    planner->path.count = path->count;
    return BOSC_OK;
}

bosc_status bosc_planner_route(bosc_ctx *ctx, bosc_planner *planner, const double start[4], const double goal[4],
                               const bosc_planner_route_opts *opts, bosc_planner_route_info *info)
{
    struct bi_planner_search search = {.planner = planner};
    struct bi_planner_path path = {.count = 0};
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check_built(ctx, planner));
    if (!start) return bi_fail(ctx, BOSC_ERR_ARG, "start: NULL");
    if (!goal) return bi_fail(ctx, BOSC_ERR_ARG, "goal: NULL");
    BI_TRY(check_opts(ctx, planner, opts, &search.opts));
    if (info) BI_TRY(bi_check_info(ctx, "info", "bosc_planner_route_info", info->size, sizeof *info));
    bi_progress_set_total(ctx, bi_planner_body_cost(planner) *
                                   ((double)(planner->scene.robot.count + 1) * (double)(search.opts.max_tested + 1) +
                                    (double)search.opts.max_boxes));
    memcpy(search.start, start, sizeof search.start);
    memcpy(search.goal, goal, sizeof search.goal);
    /* The last route is replaced only if the search does not fail. */
    bosc_status status = find_route(ctx, &search, &path);
    if (status == BOSC_OK) status = store_route(ctx, planner, &path);
    bi_planner_path_free(ctx, &path);
    BI_TRY(status);
    search.info.cells = planner->cells;
    search.info.rotations = planner->path.count;
    search.info.angle = bi_planner_path_angle(&planner->path);
    if (info) bi_copy_info(info, &search.info, sizeof search.info);
    return BOSC_OK;
}

bosc_status bosc_planner_get_route(bosc_ctx *ctx, const bosc_planner *planner, double *rotations, uint8_t *certified)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check(ctx, planner));
    BI_TRY(bi_check_aligned(ctx, "rotations", rotations, sizeof *rotations));
    int64_t n = planner->path.count;
    if (rotations && n > 0) BI_TRY(ctx->backend->copy(ctx, rotations, planner->path.rotations.data, (size_t)n * 32));
    if (certified && n > 1) BI_TRY(ctx->backend->copy(ctx, certified, planner->path.certified.data, (size_t)(n - 1)));
    return ctx->backend->sync(ctx);
}
