/* Frees bodies of scenes and converts them for the planner. */
#include <stdlib.h>

#include "io/file/array.h"
#include "io/scene/scene.h"

void bi_body_free(struct bi_body *body)
{
    bosc_array_free(&body->balls);
    bosc_array_free(&body->vertices);
    bosc_array_free(&body->triangles);
}

void bi_scene_free(struct bi_scene *scene)
{
    bi_body_free(&scene->robot);
    bi_body_free(&scene->obstacle);
}

void bi_bodies_free(bosc_plan_bodies *bodies)
{
    free((void *)bodies->balls);
    free((void *)bodies->vertices);
    free((void *)bodies->triangles);
    free((void *)bodies->polytope_offsets);
    free((void *)bodies->facet_offsets);
    free((void *)bodies->facet_vertices);
    *bodies = (bosc_plan_bodies){.balls = NULL};
}

void bosc_scene_free(bosc_scene *scene)
{
    if (!scene) return;
    bi_bodies_free(&scene->plan.robot);
    bi_bodies_free(&scene->plan.obstacle);
    *scene = (bosc_scene){.has_from = 0};
}

static bosc_status convert_to_triangles(const char *name, struct bi_body *body, bosc_plan_bodies *bodies,
                                        bosc_io_error *error)
{
    bosc_status status = bi_array_convert(name, &body->triangles, 0, BOSC_I64, false, error);
    if (status != BOSC_OK) return status;
    bodies->triangles = body->triangles.data;
    bodies->triangle_count = body->triangles.shape[0];
    body->triangles.data = NULL;
    return BOSC_OK;
}

bosc_status bi_body_to_planner(const char *name, struct bi_body *body, bool convex, bosc_plan_bodies *bodies,
                               bosc_io_error *error)
{
    bosc_plan_bodies fresh = {.balls = NULL};
    bosc_status status = BOSC_OK;
    if (body->triangles.data)
        status = convex ? bi_solids_build(name, body, &fresh, error) : convert_to_triangles(name, body, &fresh, error);
    if (status != BOSC_OK) {
        bi_bodies_free(&fresh);
        return status;
    }
    if (body->balls.data) fresh.balls = body->balls.data, fresh.ball_count = body->balls.shape[0];
    if (body->vertices.data) fresh.vertices = body->vertices.data, fresh.vertex_count = body->vertices.shape[0];
    body->balls.data = body->vertices.data = NULL;
    bi_body_free(body);
    *bodies = fresh;
    return BOSC_OK;
}
