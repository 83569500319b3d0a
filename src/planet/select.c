/* Selects meshes by goals: cameras, error bounds, budgets of triangles. A goal becomes a criterion, by which passes
 * split and merge leaves.
 *
 * The mesh of a multiple of the bounds splits all triangles above their bound, and the triangles that must be split
 * with them; so a smaller multiple splits a superset. A budget is met by the smallest multiple whose mesh fits it. The
 * search starts at the octahedron, the mesh of an infinite multiple, and refines the mesh of the smallest multiple
 * known to fit. Multiples are floats with only the upper 16 bits in use. */
#include <string.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "core/camera.h"
#include "core/check.h"
#include "planet/steps/steps.h"

/* ---- goals ---- */

/* Sets the horizon: the angle from the eye, seen from the center, beyond which no surface is visible. It is the angle
 * to the horizon of the lowest ground, plus the angle at which the highest ground shows above that. No horizon: the eye
 * is below the lowest ground, or that reaches the center. */
static void make_horizon(const struct bi_planet_view *view, struct bi_planet_criterion *a)
{
    /* The octaves of detail sum to less than 2 amplitudes times the largest value of one; 4: for values up to 2. */
    const double margin = 4 * view->amplitude * (view->octaves > 0), low = view->radius + view->low - margin,
                 high = view->radius + view->high + margin;
    double distance = 0;
    memcpy(a->toward_eye, a->eye, sizeof a->eye);
    for (int c = 0; c < 3; c++) distance += a->eye[c] * a->eye[c];
    distance = bi_sqrt(distance);
    a->horizon = distance > low && low > 0 && bi_normalize3(a->toward_eye);
    if (!a->horizon) return;
    /* Cosines and sines of the two angles, then of their sum. */
    const double to_horizon = low / distance, above = low / high;
    const double to_horizon_sine = bi_sqrt(1 - to_horizon * to_horizon), above_sine = bi_sqrt(1 - above * above);
    a->cosine = to_horizon * above - to_horizon_sine * above_sine;
    a->sine = to_horizon_sine * above + to_horizon * above_sine;
}

static bosc_status set_camera(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_camera *input,
                              struct bi_planet_criterion *a)
{
    const struct bi_camera camera = BI_CAMERA_OF(input);
    BI_TRY(bi_check_camera(ctx, &camera));
    a->has_camera = true;
    a->cull = input->cull != 0;
    memcpy(a->eye, input->position, sizeof a->eye);
    make_horizon(&planet->view, a);
    if (!a->cull) return BOSC_OK;
    if (!bi_camera_planes(&camera, input->up, a->planes))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: its direction and up are parallel, or up has no length");
    for (int i = 1; i < 5; i++) bi_normalize3(a->planes[i]); /* distances of balls; plane 0 has length 1 */
    return BOSC_OK;
}

/* Sets the limits of a criterion to the goal's bounds times `times`. */
static void set_limits(const bosc_planet_goal *goal, double times, struct bi_planet_criterion *criterion)
{
    const double error = goal->error > 0 ? goal->error : 1, keep = 1 - goal->hysteresis;
    criterion->never = times == BI_INFINITY;
    criterion->split.error = error * times;
    criterion->merge.error = error * times * keep;
    if (!goal->camera) return;
    const struct bi_camera camera = BI_CAMERA_OF(goal->camera);
    criterion->split.scale = goal->camera->height / (2 * bi_camera_tangent(&camera)) / goal->camera->pixels / times;
    criterion->merge.scale = criterion->split.scale / keep;
}

/* Checks a goal: a full copy, and the criterion that steps read. */
static bosc_status check_goal(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_goal *goal,
                              bosc_planet_goal *full, struct bi_planet_criterion *criterion)
{
    if (!goal) return bi_fail(ctx, BOSC_ERR_ARG, "goal: NULL");
    BI_TRY(bi_check_size(ctx, "goal", "bosc_planet_goal", goal->size, sizeof *goal));
    BI_TRY(bi_read_opts(ctx, "bosc_planet_goal", goal, full, sizeof *full));
    if (!(full->error >= 0)) return bi_fail(ctx, BOSC_ERR_ARG, "goal: error %g is not 0 or more", full->error);
    if (full->triangles < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: triangles %lld is less than 0", (long long)full->triangles);
    if (!(full->hysteresis >= 0 && full->hysteresis < 1))
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: hysteresis %g is not in 0 to less than 1", full->hysteresis);
    if (full->level < 0 || full->level > planet->opts.depth)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: level %d is not in 0 to depth %d", (int)full->level,
                       (int)planet->opts.depth);
    if (full->passes < 0) return bi_fail(ctx, BOSC_ERR_ARG, "goal: passes %d is less than 0", (int)full->passes);
    if (full->error == 0 && !full->camera && full->triangles == 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: error 0 without a camera or a budget");
    if (full->level == 0) full->level = planet->opts.depth;
    *criterion = (struct bi_planet_criterion){.error = full->error, .level = full->level};
    if (full->camera) BI_TRY(set_camera(ctx, planet, full->camera, criterion));
    set_limits(full, 1, criterion);
    return BOSC_OK;
}

/* ---- passes ---- */

/* Writes the command of each leaf. */
static bosc_status mark_leaves(bosc_ctx *ctx, int64_t leaves, const struct bi_planet_mark *mark)
{
    const struct bi_planet_ops *ops = ctx->ops->planet;
    return ops->mark ? ops->mark(ctx, leaves, mark) : BI_PLANET_STEP(ctx, mark, leaves, mark);
}

/* One pass of splits and merges. errors: measured errors of the leaves, which only split; NULL: the estimates of the
 * leaves. outcome: NULL, or the call waits for it. */
static bosc_status run_pass(bosc_ctx *ctx, bosc_planet *planet, const struct bi_planet_criterion *criterion,
                            const uint32_t *errors, enum bi_planet_outcome *outcome)
{
    const struct bi_bisector_view *pool = bi_planet_pool(planet);
    struct bi_planet_mark mark = {.criterion = *criterion,
                                  .leaves = planet->current.data,
                                  .nodes = pool->nodes,
                                  .neighbours = pool->neighbours,
                                  .errors = errors};
    const int64_t leaves = pool->leaves;
    BI_TRY(bi_scratch_of(ctx, leaves, sizeof *mark.commands, &mark.commands));
    BI_TRY(mark_leaves(ctx, leaves, &mark));
    return bi_planet_change(ctx, planet, mark.commands, leaves, outcome);
}

/* Runs passes until nothing changes. This terminates: a triangle split for its own error is not merged, and a merged
 * one is split again only to conform with a finer triangle, which then prevents its merge. */
static bosc_status run_passes(bosc_ctx *ctx, bosc_planet *planet, const struct bi_planet_criterion *criterion,
                              int64_t passes)
{
    enum bi_planet_outcome outcome = BI_PLANET_CHANGED;
    for (int64_t p = 0; p < passes && outcome == BI_PLANET_CHANGED; p++)
        BI_TRY_WITH_SCRATCH(ctx, run_pass(ctx, planet, criterion, NULL, passes > 1 ? &outcome : NULL));
    return BOSC_OK;
}

/* Measures, and splits the leaves whose error exceeds the bound. Unchanged: all errors are within the bound, or the
 * leaves beyond it are of the goal's level. */
static bosc_status split_measured(bosc_ctx *ctx, bosc_planet *planet, const struct bi_planet_criterion *criterion,
                                  enum bi_planet_outcome *outcome)
{
    const int64_t leaves = bi_planet_pool(planet)->leaves;
    uint32_t *errors;
    struct bi_planet_worst worst;
    BI_TRY(bi_scratch_of(ctx, leaves, sizeof *errors, &errors));
    BI_TRY(ctx->backend->fill(ctx, errors, 0, (size_t)leaves * sizeof *errors));
    BI_TRY(bi_planet_measure_samples(ctx, planet, errors, &worst));
    *outcome = BI_PLANET_UNCHANGED;
    if (!((double)worst.error > criterion->error)) return BOSC_OK;
    return run_pass(ctx, planet, criterion, errors, outcome);
}

/* Selects by an error bound: first by estimates, then by measured errors until all are within the bound. */
static bosc_status select_bound(bosc_ctx *ctx, bosc_planet *planet, const struct bi_planet_criterion *criterion)
{
    enum bi_planet_outcome outcome = BI_PLANET_CHANGED;
    BI_TRY(bi_planet_reset(ctx, planet));
    BI_TRY(run_passes(ctx, planet, criterion, INT64_MAX));
    while (outcome == BI_PLANET_CHANGED) BI_TRY_WITH_SCRATCH(ctx, split_measured(ctx, planet, criterion, &outcome));
    return BOSC_OK;
}

/* ---- budgets ---- */

/* A search by the upper 16 bits of multiples. The mesh of multiple `high` fits the budget, that of `low` does not, or
 * is finer than the bounds require. */
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

/* Copies the mesh to scratch. */
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

/* Splits the leaves above the limits of the criterion once, with the leaves that conformity requires. */
static bosc_status split_once(bosc_ctx *ctx, const struct search *s, enum bi_planet_outcome *outcome)
{
    const struct bi_bisector_view *pool = bi_planet_pool(s->planet);
    struct bi_planet_mark mark = {.criterion = *s->criterion,
                                  .leaves = s->planet->current.data,
                                  .nodes = pool->nodes,
                                  .neighbours = pool->neighbours,
                                  .splits_alone = true};
    BI_TRY(bi_scratch_of(ctx, pool->leaves, sizeof *mark.commands, &mark.commands));
    BI_TRY(mark_leaves(ctx, pool->leaves, &mark));
    return bi_planet_split(ctx, s->planet, mark.commands, s->max_triangles, outcome);
}

/* Refines to the mesh of a multiple between `low` and `high`; restores the mesh if that is too large. */
static bosc_status try_multiple(bosc_ctx *ctx, struct search *s, uint32_t multiple)
{
    struct saved_mesh saved;
    enum bi_planet_outcome outcome = BI_PLANET_CHANGED;
    BI_TRY(save_mesh(ctx, s->planet, &saved));
    set_limits(s->goal, bi_f32_from_bits(multiple << 16), s->criterion);
    while (outcome == BI_PLANET_CHANGED) BI_TRY_WITH_SCRATCH(ctx, split_once(ctx, s, &outcome));
    if (outcome == BI_PLANET_UNCHANGED) {
        s->high = multiple;
        return BOSC_OK;
    }
    s->low = multiple;
    return restore_mesh(ctx, s->planet, &saved);
}

/* Counts leaves by the least multiple that does not split them, on the host. Waits. */
static bosc_status count_needs(bosc_ctx *ctx, const struct search *s)
{
    const int64_t leaves = bi_planet_pool(s->planet)->leaves;
    const size_t bytes = BI_PLANET_MULTIPLES * sizeof *s->device_counts;
    struct bi_planet_multiple_counts a = {
        .criterion = *s->criterion, .leaves = s->planet->current.data, .counts = s->device_counts};
    set_limits(s->goal, 1, &a.criterion);
    BI_TRY(ctx->backend->fill(ctx, s->device_counts, 0, bytes));
    BI_TRY(BI_PLANET_STEP(ctx, count_multiples, leaves, &a));
    BI_TRY(ctx->backend->copy(ctx, s->host_counts, s->device_counts, bytes));
    return ctx->backend->sync(ctx);
}

/* Chooses the next multiple to try, and raises `low`. Multiple m splits the leaves counted above it, and each split
 * adds at least one leaf: so a multiple is too small if its splits exceed the room in the budget. Returns the middle of
 * the others. If that splits more than a quarter of the room, returns the smallest multiple that does not,
 * since splits entail others. The quarter is not measured. */
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

/* Narrows the search by one multiple. */
static bosc_status search_step(bosc_ctx *ctx, struct search *s)
{
    BI_TRY_WITH_SCRATCH(ctx, count_needs(ctx, s));
    const uint32_t multiple = choose_multiple(s);
    if (s->high - s->low <= 1) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(ctx, try_multiple(ctx, s, multiple));
    return BOSC_OK;
}

/* Selects the finest mesh within a goal's budget of triangles. */
static bosc_status select_budget(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal,
                                 struct bi_planet_criterion *criterion)
{
    /* Multiples are of the goal's bound; 1 is the smallest, since a mesh need not be finer. Without a bound they are of
     * an error of 1, and all are allowed. */
    const bool has_bound = criterion->has_camera || criterion->error != 0;
    struct search s = {.planet = planet,
                       .goal = goal,
                       .criterion = criterion,
                       .max_triangles = goal->triangles > BI_PLANET_ROOTS ? goal->triangles : BI_PLANET_ROOTS,
                       .low = has_bound ? (bi_f32_bits(1) >> 16) - 1 : 0,
                       .high = BI_PLANET_MULTIPLES - 1}; /* infinity */
    BI_TRY(bi_scratch_of(ctx, BI_PLANET_MULTIPLES, sizeof *s.device_counts, &s.device_counts));
    BI_TRY(bi_host_scratch(ctx, BI_PLANET_MULTIPLES * sizeof *s.host_counts, (void **)&s.host_counts));
    BI_TRY(bi_planet_reset(ctx, planet));
    while (s.high - s.low > 1) BI_TRY(search_step(ctx, &s));
    return BOSC_OK;
}

static bosc_status select_mesh(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal,
                               struct bi_planet_criterion *criterion)
{
    BI_TRY(bi_planet_refresh(ctx, planet));
    if (goal->triangles > 0) return select_budget(ctx, planet, goal, criterion);
    if (!goal->camera) return select_bound(ctx, planet, criterion);
    return run_passes(ctx, planet, criterion, goal->passes > 0 ? goal->passes : INT64_MAX);
}

bosc_status bosc_planet_select(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal)
{
    bosc_planet_goal full;
    struct bi_planet_criterion criterion;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_raster(ctx, planet));
    BI_TRY(check_goal(ctx, planet, goal, &full, &criterion));
    const double samples = (double)bi_planet_total_samples(planet);
    bi_progress_set_total(ctx, 8 * (double)bi_planet_pool(planet)->leaves + (full.camera ? 0 : 64 * samples));
    BI_RETURN_WITH_SCRATCH(ctx, select_mesh(ctx, planet, &full, &criterion));
}
