/* The demonstration of motion planning: a key finds its way through a slot. */
#include <stdio.h>
#include <stdlib.h>

#include <boscage/planner.h>

#include "demo/key.h"
#include "demo/parts.h"
#include "render/plan.h"

enum { WIDTH = 1600, SAMPLES = 10000, ROWS = 16384 };

/* What the picture needs, in host memory. */
struct found {
    double *samples, *route;
    uint8_t *collides, *certified;
    int64_t sample_count;
};

static bosc_status get_all(struct demo *demo, const bosc_planner *planner, const bosc_planner_route_info *route,
                           struct found *found)
{
    found->samples = demo_alloc(demo, (size_t)SAMPLES * 4, sizeof *found->samples);
    found->collides = demo_alloc(demo, SAMPLES, 1);
    found->route = demo_alloc(demo, (size_t)route->rotations * 4, sizeof *found->route);
    found->certified = demo_alloc(demo, (size_t)route->rotations, 1);
    if (!found->samples || !found->collides || !found->route || !found->certified) return BOSC_ERR_NOMEM;
    bosc_status status = plan_samples(demo->ctx, bosc_planner_plan(planner), SAMPLES, found->samples, found->collides,
                                      &found->sample_count);
    if (status == BOSC_OK) status = bosc_planner_get_route(demo->ctx, planner, found->route, found->certified);
    return status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
}

static bosc_status draw(struct demo *demo, const bosc_plan_scene *scene, const struct found *found,
                        const bosc_planner_route_info *route)
{
    struct shape robot, obstacle;
    struct canvas canvas;
    char title[128];
    snprintf(title, sizeof title, "a key that must roll to pass a slot: %lld steps, certified",
             (long long)route->rotations - 1);
    const struct plan_picture picture = {
        &robot,
        &obstacle,
        {found->samples, found->collides, found->sample_count, found->route, found->certified, route->rotations},
        title};
    bool bodies = shape_open(&robot, &scene->robot);
    bodies = shape_open(&obstacle, &scene->obstacle) && bodies;
    bosc_status status = BOSC_OK;
    if (!bodies || !plan_picture_draw(&picture, WIDTH, &canvas)) {
        status = demo_fail(demo, BOSC_ERR_NOMEM, "out of memory for a picture");
    } else {
        status = demo_picture(demo, &canvas, "plan_key.png");
        canvas_close(&canvas);
    }
    shape_close(&robot);
    shape_close(&obstacle);
    return status;
}

/* The cells and a route, of which every step must be certified, and again when it is asked for by itself. */
static bosc_status show(struct demo *demo, bosc_planner *planner, const bosc_plan_scene *scene,
                        const struct key_scene *key, struct found *found)
{
    char text[128];
    bosc_planner_info info = {.size = sizeof info};
    bosc_planner_route_info route = {.size = sizeof route};
    double start = demo_now();
    bosc_status status = bosc_planner_build(demo->ctx, planner, scene);
    double built = demo_now();
    if (status == BOSC_OK) status = bosc_planner_route(demo->ctx, planner, key->from, key->to, NULL, &route);
    double routed = demo_now();
    if (status == BOSC_OK) status = bosc_planner_get_info(demo->ctx, planner, &info);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    if (route.outcome != BOSC_PLANNER_CERTIFIED) return demo_fail(demo, BOSC_ERR_DATA, "plan: no certified path");
    snprintf(text, sizeof text, "plan: %lld cells of %lld constraints, from samples of SO(3)", (long long)info.cells,
             (long long)info.constraints);
    demo_row(demo, text, built - start, (double)info.rows);
    status = get_all(demo, planner, &route, found);
    if (status == BOSC_OK)
        status = bosc_planner_certify(demo->ctx, planner, found->route, route.rotations, found->certified, NULL);
    for (int64_t i = 0; i + 1 < route.rotations && status == BOSC_OK; i++)
        if (!found->certified[i])
            return demo_fail(demo, BOSC_ERR_DATA, "plan: step %lld is not certified", (long long)i);
    if (status != BOSC_OK) return status;
    snprintf(text, sizeof text, "a path of %lld rotations through a slot, certified", (long long)route.rotations);
    demo_row(demo, text, routed - built, 0);
    return draw(demo, scene, found, &route);
}

bosc_status demo_plan(struct demo *demo)
{
    static struct key_scene key;
    struct found found = {.samples = NULL};
    bosc_planner *planner = NULL;
    const bosc_planner_opts opts = {.size = sizeof opts, .max_rows = ROWS};
    const bosc_plan_scene scene = key_make(&key, true);
    bosc_status status = bosc_planner_create(demo->ctx, &opts, &planner);
    status = status == BOSC_OK ? show(demo, planner, &scene, &key, &found) : demo_fail_ctx(demo, status);
    bosc_planner_free(planner);
    free(found.samples);
    free(found.collides);
    free(found.route);
    free(found.certified);
    return status;
}
