/* Steps of boscage terrain for a job: timed, with errors reported. */
#ifndef TOOL_COMMANDS_TERRAIN_JOB_H
#define TOOL_COMMANDS_TERRAIN_JOB_H

#include "render/camera.h"
#include "render/terrain_shade.h"
#include "render/terrain_view.h"
#include "tool/tool.h"

/* Checks the camera given by the option or file `name`; reports an invalid one and returns EXIT_USAGE. */
int check_camera(const char *name, const double camera[CAMERA_NUMBERS]);

/* terrain_view_select and terrain_view_fetch_mesh. */
int terrain_select(struct job *job, struct terrain_view *terrain, const bosc_terrain_goal *goal);
int terrain_mesh(struct job *job, struct terrain_view *terrain);

/* Writes the frames of a flight, `width` pixels wide, 16 : 9. */
int terrain_fly(struct job *job, struct terrain_view *terrain, int width);

#endif
