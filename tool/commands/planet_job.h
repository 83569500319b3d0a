/* What the two forms of `boscage planet' share. */
#ifndef TOOL_COMMANDS_PLANET_JOB_H
#define TOOL_COMMANDS_PLANET_JOB_H

#include "render/camera.h"
#include "render/globe.h"
#include "tool/commands/surface.h"

/* A camera of latitude, longitude, altitude, heading, pitch and fov, in degrees and metres, for a picture of 16 : 9;
 * what the numbers cannot be is said of the option or file `name`, with EXIT_USAGE. */
int planet_camera(struct job *job, const struct globe *globe, const char *name, const double numbers[CAMERA_NUMBERS],
                  int width, bosc_planet_camera *camera);

/* As bosc_planet_select and globe_mesh, timed. */
int planet_select(struct job *job, struct globe *globe, const bosc_planet_goal *goal);
int planet_mesh(struct job *job, struct globe *globe, const double *origin);

/* Where the sun stands in pictures of a place: high, from the west. */
void planet_sun(const double position[3], double sun[3]);

/* Frames along a path, `width` pixels wide, 16 : 9. */
int planet_fly(struct job *job, struct globe *globe, int width);

/* The mesh that was fetched, in tiles of a level: files in the folder of -o. */
int planet_write_tiles(struct job *job, struct globe *globe, int64_t level);

#endif
