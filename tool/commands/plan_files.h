/* What the files of `boscage plan' share. */
#ifndef TOOL_COMMANDS_PLAN_FILES_H
#define TOOL_COMMANDS_PLAN_FILES_H

#include <boscage/planner.h>

#include "render/plan.h"
#include "tool/tool.h"

struct plan_scene {
    bosc_scene scene;
    struct shape robot, obstacle; /* made when they are drawn */
};
int plan_scene_read(struct job *job, struct plan_scene *scene);
void plan_scene_close(struct plan_scene *scene);

struct plan_route {
    double *rotations; /* (count x 4) */
    uint8_t *certified;
    int64_t count;
};

/* Outputs that cannot be, before any work. */
int plan_check_outputs(const struct job *job);

/* Draws and writes all that the options ask for. */
int plan_write(struct job *job, struct plan_scene *scene, const bosc_planner *planner, const struct plan_route *route);

#endif
