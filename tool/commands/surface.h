/* Shared by boscage terrain and boscage planet: output of meshes and pictures, and flights. */
#ifndef TOOL_COMMANDS_SURFACE_H
#define TOOL_COMMANDS_SURFACE_H

#include "render/camera.h"
#include "render/canvas.h"
#include "tool/tool.h"

/* Refuses more than one of --error, --triangles and --camera. */
int surface_check_bound(const struct job *job);

/* Writes the mesh to -o, the picture to --png, or both together. */
int surface_write(struct job *job, const bosc_mesh *mesh, const struct canvas *canvas);

/* Checks the options of a flight: refuses the excluded ones and - as folder, and reads --frames. */
int flight_prepare(const struct job *job, const enum option *excluded, int excluded_count, int64_t *frames);

/* Reports an invalid camera, with its option or row, and returns an exit code. */
typedef int (*camera_check_fn)(const char *name, const double camera[CAMERA_NUMBERS]);

/* Reads and checks the cameras of --fly: at least `min_rows` rows of CAMERA_NUMBERS. rows: description of valid rows,
 * for the error message. */
int flight_read_cameras(struct job *job, int64_t min_rows, const char *rows, camera_check_fn check,
                        bosc_array *cameras);

#endif
