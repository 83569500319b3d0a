/* What the two forms of `boscage terrain' share. */
#ifndef TOOL_COMMANDS_TERRAIN_JOB_H
#define TOOL_COMMANDS_TERRAIN_JOB_H

#include "render/camera.h"
#include "render/land.h"
#include "render/relief.h"
#include "tool/commands/surface.h"

/* Says so and returns EXIT_USAGE where the numbers of the option or file `name` make no camera. */
int camera_refused(const char *name, const double camera[CAMERA_NUMBERS]);

/* As land_select and land_mesh, timed. */
int terrain_select(struct job *job, struct land *land, const bosc_terrain_goal *goal);
int terrain_mesh(struct job *job, struct land *land);

/* Frames along a path, `width` pixels wide, 16 : 9. */
int terrain_fly(struct job *job, struct land *land, int width);

#endif
