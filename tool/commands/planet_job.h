/* Steps of boscage planet for a job: timed, with errors reported. */
#ifndef TOOL_COMMANDS_PLANET_JOB_H
#define TOOL_COMMANDS_PLANET_JOB_H

#include "render/camera.h"
#include "render/planet_view.h"
#include "tool/tool.h"

/* Converts latitude, longitude, altitude, heading, pitch and fov (degrees, metres) to a camera for a picture of 16 :
 * 9. Numbers out of range are reported for the option or file `name` and return EXIT_USAGE. */
int planet_camera(struct job *job, const struct planet_view *planet, const char *name,
                  const double numbers[CAMERA_NUMBERS], int width, bosc_planet_camera *camera);

/* bosc_planet_select and planet_view_fetch_mesh. */
int planet_select(struct job *job, struct planet_view *planet, const bosc_planet_goal *goal);
int planet_mesh(struct job *job, struct planet_view *planet, const double *origin);

/* Computes the direction of the sun for a picture at a position: high, in the west. */
void planet_sun(const double position[3], double sun[3]);

/* Writes the frames of a flight, `width` pixels wide, 16 : 9. */
int planet_fly(struct job *job, struct planet_view *planet, int width);

/* Writes the selected mesh in tiles of a level, as files in the folder -o. */
int planet_write_tiles(struct job *job, struct planet_view *planet, int64_t level);

#endif
