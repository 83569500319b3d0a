/* Heights, the terrain built over them, and its mesh. */
#ifndef RENDER_LAND_H
#define RENDER_LAND_H

#include <boscage/io.h>
#include <boscage/terrain.h>

struct land {
    bosc_heights heights; /* with both spacings */
    bosc_terrain *terrain;
    int64_t vertex_capacity, triangle_capacity; /* of the mesh's arrays */
    float *vertices, *normals;
    uint32_t *triangles;
    bosc_mesh mesh; /* of these */
};

/* Builds the terrain of land->heights. The context's message says why a call failed; where there is none, the status
 * does. */
bosc_status land_build(bosc_ctx *ctx, struct land *land);

/* Selects the leaves that meet the goal, and waits for them. */
bosc_status land_select(bosc_ctx *ctx, struct land *land, const bosc_terrain_goal *goal);

/* Fetches the mesh that was selected; arrays grow as needed. */
bosc_status land_mesh(bosc_ctx *ctx, struct land *land);

/* Makes the mesh right-handed: y grows up the map, from 0 at the last row, and triangles turn as they did. */
void land_flip_y(struct land *land);

void land_close(struct land *land);

#endif
