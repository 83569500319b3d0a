/* Heights, their terrain and its mesh, as the command and the demonstration have them. */
#ifndef TOOL_TERRAIN_H
#define TOOL_TERRAIN_H

#include <boscage/terrain.h>

#include "tool/relief.h"
#include "tool/tool.h"

struct land {
    bosc_heights heights;
    double spacing;
    bosc_terrain *terrain;
    int64_t room_vertices, room_triangles; /* of the mesh's arrays */
    float *vertices, *normals;
    uint32_t *triangles;
    bosc_mesh mesh; /* of these */
};

/* Builds the terrain of land->heights. */
int land_build(struct job *job, struct land *land);
int land_select(struct job *job, struct land *land, const bosc_terrain_goal *goal);
/* Fetches the mesh that was selected; arrays grow as needed. */
int land_mesh(struct job *job, struct land *land);
void land_close(struct land *land);

/* x, y, z, yaw, pitch, fov; degrees. */
enum { CAMERA_NUMBERS = 6 };
int camera_check(const char *name, const double camera[CAMERA_NUMBERS]);
bosc_terrain_camera camera_of(const double camera[CAMERA_NUMBERS], int width, int height);
struct eye camera_eye(const bosc_terrain_camera *camera, double spacing);

/* Frames along a path, so many pixels wide, 16 : 9. */
int terrain_fly(struct job *job, struct land *land, int width);

#endif
