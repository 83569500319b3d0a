/* Input and output of boscage plan: the scene; the path, its picture, its motion and its film. */
#ifndef TOOL_COMMANDS_PLAN_FILES_H
#define TOOL_COMMANDS_PLAN_FILES_H

#include <boscage/planner.h>

#include "render/plan_picture.h"
#include "tool/tool.h"

struct plan_scene {
    bosc_scene scene;
    struct shape robot, obstacle; /* opened for drawing only */
};
int plan_scene_read(struct job *job, struct plan_scene *scene);
void plan_scene_close(struct plan_scene *scene);

struct plan_route {
    double *rotations;  /* (count x 4) w, x, y, z */
    uint8_t *certified; /* (count - 1) */
    int64_t count;
};

/* Refuses invalid combinations of output options, before any work. */
int plan_check_outputs(const struct job *job);

/* Draws and writes all requested outputs. */
int plan_write(struct job *job, struct plan_scene *scene, const bosc_planner *planner, const struct plan_route *route);

#endif
