/* Meshes for the levels of a tile set. Any two levels agree on the borders between tiles.
 *
 * Level l divides the raster into squares of side / 2^l intervals. Its mesh has no triangle across a border between
 * tiles, and along these borders it has the vertices of the finest level. So the edges of adjacent tiles are the same,
 * of one level or of two: no cracks, and no skirts are needed. A diamond of the bisection whose middle lies on a border
 * is split at level l if and only if the finest level splits it: bounds decrease with the level, so each mesh contains
 * the splits of the coarser ones.
 *
 * Where voids are holes, each level is split until a triangle with a void and heights has no samples but its corners.
 * So all levels leave out the same area: that of the smallest triangles with a void. */
#ifndef TOOL_COMMANDS_TILE_LEVELS_H
#define TOOL_COMMANDS_TILE_LEVELS_H

#include "render/terrain_view.h"
#include "tool/commands/tile_frame.h"
#include "tool/tool.h"

/* The raster as the levels see it. */
struct tile_pyramid {
    struct terrain_view *terrain;
    const struct tile_frame *frame;
    int64_t width, height; /* of the raster in samples */
    int64_t side;          /* intervals of a tile of level 0: a power of two */
    int64_t last_level;
    uint64_t *finest; /* a bit a sample: the vertices of the finest mesh; set by tile_level_select for that level */
};

/* Bounds of a level. */
struct tile_bounds {
    double error, sag; /* vertical distance of samples in the plane; of edges from the curved Earth, infinity: any */
};

/* A level's triangles by tiles, row by row. */
struct tile_level {
    int64_t side, across, down; /* of a tile in intervals; number of tiles */
    int64_t triangles;
    uint32_t *corners; /* (triangles x 3) samples, counter-clockwise as seen from above with y to the north */
    int64_t *first;    /* (across x down + 1) first triangle of each tile */
};

/* Sets the side and allocates; last_level and the frame are set. Returns an exit code; reports errors. */
int tile_pyramid_open(struct terrain_view *terrain, const struct tile_frame *frame, int64_t last_level,
                      struct tile_pyramid *pyramid);
void tile_pyramid_close(struct tile_pyramid *pyramid);

/* Selects the mesh of a level and sorts its triangles by tiles. The finest level comes first; bounds of coarser ones
 * are no smaller. The caller closes *level, after a failure too. */
int tile_level_select(struct job *job, struct tile_pyramid *pyramid, int64_t number, const struct tile_bounds *bounds,
                      struct tile_level *level);
void tile_level_close(struct tile_level *level);

/* The number of tiles of a level along the width or the height. */
static inline int64_t tile_level_count(int64_t samples, int64_t side) { return (samples - 1 + side - 1) / side; }

#endif
