/* What `boscage terrain' and `boscage planet' share: a mesh of a surface, a picture of it, and flights over it. */
#ifndef TOOL_COMMANDS_SURFACE_H
#define TOOL_COMMANDS_SURFACE_H

#include "render/camera.h"
#include "render/canvas.h"
#include "tool/tool.h"

/* Refuses more than one of --error, --triangles and --camera. */
int surface_check_bound(const struct job *job);

/* Writes the mesh to -o, the picture to --png, or both together; timed. */
int surface_write(struct job *job, const bosc_mesh *mesh, const struct canvas *canvas);

/* What a flight needs before its first frame: none of the options that do not apply to it, --frames, and its folder. */
int flight_begin(const struct job *job, const enum option *others, int other_count, int64_t *frames);

/* The cameras of --fly, CAMERA_NUMBERS a row; `least` rows. `rows` says in words what they are, for those that are
 * not. */
int flight_read(struct job *job, int64_t least, const char *rows, bosc_array *cameras);

#endif
