/* Demonstrates motion planning: the path of a key through a slot. */
#include <stdio.h>
#include <stdlib.h>

#include <boscage/planner.h>

#include "demo/key_scene.h"
#include "demo/parts.h"
#include "render/plan_picture.h"

enum { WIDTH = 1600, SAMPLES = 10000, ROWS = 16384 };

/* Arrays of the picture, in host memory. */
struct picture_data {
    double *samples, *route;
    uint8_t *collides, *certified;
    int64_t sample_count;
};

static bosc_status fetch_picture_data(struct demo *demo, const bosc_planner *planner,
                                      const bosc_planner_route_info *route, struct picture_data *data)
{
    data->samples = demo_alloc(demo, (size_t)SAMPLES * 4, sizeof *data->samples);
    data->collides = demo_alloc(demo, SAMPLES, 1);
    data->route = demo_alloc(demo, (size_t)route->rotations * 4, sizeof *data->route);
    data->certified = demo_alloc(demo, (size_t)route->rotations, 1);
    if (!data->samples || !data->collides || !data->route || !data->certified) return BOSC_ERR_NOMEM;
    bosc_status status = plan_samples(demo->ctx, bosc_planner_plan(planner), SAMPLES, data->samples, data->collides,
                                      &data->sample_count);
    if (status == BOSC_OK) status = bosc_planner_get_route(demo->ctx, planner, data->route, data->certified);
    return status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
}

static bosc_status draw_plan(struct demo *demo, const bosc_plan_scene *scene, const struct picture_data *data,
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
        {data->samples, data->collides, data->sample_count, data->route, data->certified, route->rotations},
        title};
    /* Both are opened, so that both can be closed. */
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

/* Builds the cells and a route, and certifies every step of the route a second time. */
static bosc_status demonstrate_plan(struct demo *demo, bosc_planner *planner, const bosc_plan_scene *scene,
                                    const struct key_scene *key, struct picture_data *data)
{
    char text[128];
    bosc_planner_info info = {.size = sizeof info};
    bosc_planner_route_info route = {.size = sizeof route};
    /* 1. Cells and route. */
    double start = demo_now();
    bosc_status status = bosc_planner_build(demo->ctx, planner, scene);
    double build_done = demo_now();
    if (status == BOSC_OK) status = bosc_planner_route(demo->ctx, planner, key->from, key->to, NULL, &route);
    double route_done = demo_now();
    if (status == BOSC_OK) status = bosc_planner_get_info(demo->ctx, planner, &info);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    if (route.outcome != BOSC_PLANNER_CERTIFIED) return demo_fail(demo, BOSC_ERR_DATA, "plan: no certified path");
    snprintf(text, sizeof text, "plan: %lld cells of %lld constraints, from samples of SO(3)", (long long)info.cells,
             (long long)info.constraints);
    demo_row(demo, text, build_done - start, (double)info.rows);
    /* 2. Certify the steps of the fetched route. */
    status = fetch_picture_data(demo, planner, &route, data);
    if (status == BOSC_OK)
        status = bosc_planner_certify(demo->ctx, planner, data->route, route.rotations, data->certified, NULL);
    for (int64_t i = 0; i + 1 < route.rotations && status == BOSC_OK; i++)
        if (!data->certified[i])
            return demo_fail(demo, BOSC_ERR_DATA, "plan: step %lld is not certified", (long long)i);
    if (status != BOSC_OK) return status;
    snprintf(text, sizeof text, "a path of %lld rotations through a slot, certified", (long long)route.rotations);
    demo_row(demo, text, route_done - build_done, 0);
    return draw_plan(demo, scene, data, &route);
}

bosc_status demo_plan(struct demo *demo)
{
    static struct key_scene key;
    struct picture_data data = {.samples = NULL};
    bosc_planner *planner = NULL;
    const bosc_planner_opts opts = {.size = sizeof opts, .max_rows = ROWS};
    const bosc_plan_scene scene = key_scene_build(&key, KEY_SCENE_KEY);
    bosc_status status = bosc_planner_create(demo->ctx, &opts, &planner);
    status = status == BOSC_OK ? demonstrate_plan(demo, planner, &scene, &key, &data) : demo_fail_ctx(demo, status);
    bosc_planner_free(planner);
    free(data.samples);
    free(data.collides);
    free(data.route);
    free(data.certified);
    return status;
}
