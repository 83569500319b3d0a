/* Each allocation, copy and launch of planners fails in turn. */
#include <string.h>

#include "cases/planner/planner_data.h"
#include "support/faults.h"

enum { ROUTE = 64, CELLS = 4096 };

struct subject {
    struct planner_scene scene;
    bosc_planner *planner;
    int which;
    struct {
        double rotations[4 * ROUTE], cells[4 * CELLS];
        uint8_t certified[ROUTE], mask[CELLS];
        int64_t components[CELLS], located[2];
        bosc_planner_route_info info;
    } out;
};

static const double ends[8] = {1, 0, 0, 0, 0.1, 0, 0, 1};

static bosc_status make_planner(bosc_ctx *ctx, struct subject *s, bosc_planner **planner)
{
    bosc_planner_opts o = {.size = sizeof o, .max_rows = 200, .batch = 100, .new_rate = -1, .lazy = s->which == 5};
    bosc_status status = bosc_planner_create(ctx, &o, planner);
    if (status == BOSC_OK) status = bosc_planner_build(ctx, *planner, &s->scene.scene);
    return status;
}

static void open_planner(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    CHECK_OK(ctx, make_planner(ctx, s, &s->planner));
}

static void close_planner(void *user) { bosc_planner_free(((struct subject *)user)->planner); }

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_planner *planner = NULL;
    bosc_status status;
    bosc_planner_route_opts o = {
        .size = sizeof o, .rounds = 2, .max_boxes = 600, .max_tested = s->which == 5 ? 60 : -1};
    bosc_planner_route_info info = {.size = sizeof info};
    switch (s->which) {
    case 0:
        status = make_planner(ctx, s, &planner);
        if (status == BOSC_OK) status = bosc_planner_reserve(ctx, planner, &s->scene.scene, 0, 202, 0);
        if (status == BOSC_OK) status = bosc_planner_build(ctx, planner, &s->scene.scene);
        if (status == BOSC_OK) status = bosc_planner_add(ctx, planner, ends, 2);
        if (status == BOSC_OK) status = bosc_planner_build(ctx, planner, &s->scene.scene); /* in place */
        if (status == BOSC_OK)
            status = bosc_planner_get_cells(ctx, planner, s->out.cells, s->out.mask, s->out.components);
        bosc_planner_free(planner);
        return status;
    case 1: return bosc_planner_locate(ctx, s->planner, ends, 2, s->out.located);
    case 2: return bosc_planner_certify(ctx, s->planner, ends, 2, s->out.certified, s->out.rotations);
    default: break;
    }
    status = make_planner(ctx, s, &planner);
    o.weights = s->which == 4 ? BOSC_PLANNER_ANGLE : BOSC_PLANNER_CELLS;
    if (status == BOSC_OK) status = bosc_planner_route(ctx, planner, ends, ends + 4, &o, &info);
    if (status == BOSC_OK && info.rotations <= ROUTE)
        status = bosc_planner_get_route(ctx, planner, s->out.rotations, s->out.certified);
    if (status == BOSC_OK) s->out.info = info;
    bosc_planner_free(planner);
    return status;
}

static void sweep(bosc_ctx *ctx)
{
    for (int which = 0; which < 6; which++) {
        struct subject s = {.which = which};
        struct fault_sweep sweep = {.call = call,
                                    .open = open_planner,
                                    .close = close_planner,
                                    .user = &s,
                                    .outputs = &s.out,
                                    .output_bytes = sizeof s.out,
                                    .step = which > 2    ? 7
                                            : which == 0 ? 3
                                                         : 1};
        static const double low[] = {0.3, -0.1, -0.1}, high[] = {1, 0.1, 0.1};
        static const double wall_low[] = {-0.1, 0.5, -0.7}, wall_high[] = {0.1, 0.8, 0.7};
        s.scene = (struct planner_scene){.scene = {.size = sizeof s.scene.scene}};
        scene_add_box(&s.scene.robot, low, high, true);
        scene_add_box(&s.scene.obstacle, wall_low, wall_high, false);
        scene_link(&s.scene);
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
    }
}

static const struct suite_case suite_cases_planner_faults[] = {{"each fails in turn", sweep, NULL}};
SUITE(planner_faults);
