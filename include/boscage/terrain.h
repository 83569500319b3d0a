/* boscage/terrain.h - adaptive meshes of height rasters by longest-edge bisection, without cracks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: meshes
 * Start with: bosc_terrain_build, _select, _get_mesh
 *
 * A raster has `height` rows of `width` samples. The sample in column c and row r lies at x = c S, y = r S, where S is
 * the spacing (`spacing_y` may set another one for rows); z is its height. The mesh covers exactly [0, (width-1) S] x
 * [0, (height-1) S], for any width and height, and all its vertices are samples. Its triangles are the leaves of a
 * concurrent binary tree. Each has two legs of equally many samples, and is split from its right angle to the midpoint
 * of its longest edge. The two triangles at a longest edge, a diamond, are only split together. So no vertex ever lies
 * inside an edge of another triangle.
 *
 * Bisection needs sides of 2^k intervals. Other rasters are placed in the corner of a row of such squares, and vertices
 * beyond the last column or row are clamped to it. Triangles that lose their area are not split further; they are
 * leaves of the tree but not part of the mesh. The other triangles tile the rectangle.
 *
 * The error of a diamond is the largest vertical distance of a sample from its two triangles, or from the triangles of
 * any diamond that can only be split after it. So the diamonds with an error above a bound make a conforming mesh,
 * every sample is within the bound of it, and a bound of 0 gives distance 0.
 *
 * D is the depth of the tree, n = width x height. Results have the same bits on every backend and number of threads.
 *
 * Sources: Lindstrom et al., Real-Time, Continuous Level of Detail Rendering of Height Fields (1996); Duchaineau et
 *     al., ROAMing Terrain (1997), for diamonds; Lindstrom and Pascucci, Terrain Simplification Simplified (2002), for
 *     nested errors and bounds; Dupuy, Concurrent Binary Trees (2020). */
#ifndef BOSCAGE_TERRAIN_H
#define BOSCAGE_TERRAIN_H

#include <boscage/cbt.h>

BOSC_BEGIN_DECLS

/* A raster and its mesh in the memory of one backend and device. Any number of contexts of that device may read it at
 * once while none writes to it. It may outlive the context that made it. */
typedef struct bosc_terrain bosc_terrain;

typedef enum bosc_terrain_roots {
    BOSC_TERRAIN_SQUARE = 0,  /* two triangles for each square: the whole raster */
    BOSC_TERRAIN_TRIANGLE = 1 /* one triangle: the half of the raster with x >= y; width = height = 2^k + 1 */
} bosc_terrain_roots;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_terrain_opts {
    size_t size;
    bosc_terrain_roots roots;
    int32_t assume_valid; /* not 0: skips the check for NaN and infinities, so that builds queue */
    double spacing;       /* S; 0: 1 */
    double spacing_y;     /* distance of rows, if not S; 0: S */
} bosc_terrain_opts;

/* Makes a terrain without a raster.
 * opts: NULL means the defaults.
 * terrain: set on success. */
BOSC_API bosc_status bosc_terrain_create(bosc_ctx *ctx, const bosc_terrain_opts *opts, bosc_terrain **terrain);

/* Frees the terrain once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_terrain_free(bosc_terrain *terrain);

/* Reserves memory and scratch so that the next build of this size, and then calls with device arrays, allocate nothing.
 * The calls are selections, updates and meshes. The terrain keeps its raster and mesh.
 * width, height: as in bosc_terrain_build. The tree is reused only for rasters of the same depth.
 * Cost: bosc_terrain_bytes gives the memory; O(n) if the raster moves to larger blocks.
 * Waits. */
BOSC_API bosc_status bosc_terrain_reserve(bosc_ctx *ctx, bosc_terrain *terrain, int64_t width, int64_t height);

/* Computes the backend memory, in bytes, for a raster of this size. Needs no device. Any pointer may be NULL.
 * kept: held by the terrain.
 * scratch: of the context, at most, for a build, a selection, an update or a mesh with arrays in the backend's
 *     memory. */
BOSC_API bosc_status bosc_terrain_bytes(const bosc_ctx *ctx, const bosc_terrain_opts *opts, int64_t width,
                                        int64_t height, int64_t *kept, int64_t *scratch);

/* Copies a raster and computes the errors of all diamonds. The mesh becomes the coarsest one.
 * heights (height x width): rows `stride` values apart (width or more; 0: width).
 * width, height: 2 or more; width x height is below 2^31. The tree has two levels for each factor of 2 in the shorter
 *     side, and one for each factor in the number of squares along the longer side.
 * Errors: BOSC_ERR_DATA with row and column for a height that is NaN or infinite; BOSC_ERR_LIMIT for more heights, or a
 *     tree deeper than BOSC_CBT_MAX_DEPTH. After any failure but a bad argument the terrain has no raster.
 * Cost: O(n log n) work. A second build of the same size allocates nothing.
 * Queues if assume_valid is set. */
BOSC_API bosc_status bosc_terrain_build(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t width,
                                        int64_t height, int64_t stride);

/* The camera of a selection. Lengths are in the units of S and of the heights. */
typedef struct bosc_terrain_camera {
    double position[3];
    double direction[3];   /* any length but 0 */
    double up[3];          /* any length; all 0: z. Not parallel to the direction if `cull` is set */
    double fov;            /* the vertical angle of view in radians, more than 0 and less than pi */
    double pixels;         /* error allowed on the screen, more than 0 */
    int32_t width, height; /* of the viewport in pixels; the height scales errors */
    int32_t cull;          /* not 0: triangles certainly outside the view are as coarse as possible */
    int32_t reserved;
} bosc_terrain_camera;

/* A rectangle with an error bound of its own. */
typedef struct bosc_terrain_region {
    double low[2], high[2]; /* x and y; low <= high. Borders included */
    double error;           /* 0 or more */
} bosc_terrain_region;

/* The goal of a selection. Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_terrain_goal {
    size_t size;
    double error;      /* bound: the largest vertical distance of any sample from the mesh; infinity: any */
    int64_t triangles; /* more than 0: a triangle budget, see below */
    const bosc_terrain_camera *camera;  /* or NULL */
    const bosc_terrain_region *regions; /* (region_count) in host memory, or NULL */
    int64_t region_count;               /* up to 1,024 */
    double hysteresis; /* 0 (default) to less than 1: a split is kept down to this fraction below its bound */
} bosc_terrain_goal;

/* Refines and coarsens the mesh to meet the goal, in one pass.
 *   - Without a camera, every sample is within `error` of the mesh. A region has its own bound instead (where regions
 *     overlap, the smallest one).
 *   - With a camera, errors are within `pixels` on the screen: error / distance x height / (2 tan(fov / 2)). The
 *     distance is to the nearest point at which the mesh could be refined for this error. Errors of up to `error` are
 *     not refined. Regions keep their own bounds, in view or not.
 *   - With a budget, the mesh has at most this many triangles (or is the coarsest one, if that has more). All bounds
 *     are multiplied by one factor, the smallest of 1 or more that suffices. If `error` is 0 without camera and
 *     regions, it becomes the smallest bound that suffices. With regions, their bounds must be above 0, and without a
 *     camera `error` too.
 *   - With hysteresis, a diamond that is split in the present mesh stays split while its error is above (1 -
 *     hysteresis) times its bound, so consecutive frames do not waver.
 * Cost: O(2^D / 64 + leaves) work, O(n) more with a budget; each region adds O(leaves). Scratch of 2^D / 8 + 2^D / 128
 *     bytes.
 * Waits with a budget or regions, else queues. */
BOSC_API bosc_status bosc_terrain_select(bosc_ctx *ctx, bosc_terrain *terrain, const bosc_terrain_goal *goal);

/* Splits and merges leaves by command.
 * A split also splits the other triangle of the diamond, and all triangles that must be split first. A diamond is
 * merged if one of its leaves has a merge, none has a split, and all its children are leaves.
 * commands (command_count): commands[l], a bosc_cbt_command, is for leaf l; other values and missing ones mean KEEP.
 * Cost: O(2^D / 64 + n / 8 + D command_count) work; scratch of 2^D / 8 + 2^D / 128 + n / 2 bytes.
 * Queues. */
BOSC_API bosc_status bosc_terrain_update(bosc_ctx *ctx, bosc_terrain *terrain, const uint8_t *commands,
                                         int64_t command_count);

/* Returns the tree, for the reading calls of boscage/cbt.h; leaf l is the same in both. NULL without a raster.
 * The tree belongs to the terrain; bosc_terrain_build replaces it for a raster of another depth. */
BOSC_API const bosc_cbt *bosc_terrain_get_tree(const bosc_terrain *terrain);

/* Writes the corners of the leaves first, first + 1, ....
 * samples (count x 3): for each leaf the samples (row x width + column) at the ends of its longest edge and at its
 *     right angle, counter-clockwise in x and y; -1 for leaves outside the mesh, and beyond the last one.
 * Cost: O(count D) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_terrain_get_corners(bosc_ctx *ctx, const bosc_terrain *terrain, int64_t first, int64_t count,
                                              int64_t *samples);

/* Finds the leaves at points, and the heights of the mesh there.
 * points (point_count x 2): x, y.
 * leaves (point_count): -1 outside the mesh, and for NaN; on an edge always the same one of the two. May be NULL.
 * heights (point_count): NaN outside the mesh; may be NULL.
 * Cost: O(point_count D) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_terrain_locate(bosc_ctx *ctx, const bosc_terrain *terrain, const double *points,
                                         int64_t point_count, int64_t *leaves, double *heights);

/* Writes the neighbours of leaves.
 * leaves (leaf_count): numbers of leaves.
 * neighbours (leaf_count x 3): the leaves across the longest edge, across the edge from its end to the right angle, and
 *     across the edge from there to its beginning; -1 on the border. All -1 for numbers of no leaf of the mesh.
 * Cost: O(leaf_count D) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_terrain_get_neighbours(bosc_ctx *ctx, const bosc_terrain *terrain, const int64_t *leaves,
                                                 int64_t leaf_count, int64_t *neighbours);

/* Writes the mesh with indexed vertices. Any array may be NULL.
 * vertices (vertex_capacity x 3): x, y, z; each vertex once, in an order that depends only on the set of samples.
 * normals (vertex_capacity x 3): of length 1, from the heights beside the sample; the same in every mesh.
 * triangles (triangle_capacity x 3): numbers of vertices, counter-clockwise seen from above, in the order of the
 *     leaves.
 * counts: the numbers of vertices and triangles, even if they do not fit.
 * Errors: BOSC_ERR_SPACE if an array that is not NULL is too small; all arrays are unchanged.
 * Cost: O(2^D / 64 + n / 64 + leaves D) work; scratch of 3 n / 16 bytes, and 2^D / 128 if the raster does not fill its
 *     squares.
 * Waits. */
BOSC_API bosc_status bosc_terrain_get_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, float *vertices, float *normals,
                                           int64_t vertex_capacity, uint32_t *triangles, int64_t triangle_capacity,
                                           int64_t counts[2]);

typedef struct bosc_terrain_stats {
    size_t size;
    int64_t leaves; /* of the tree, also outside the mesh */
    int64_t vertices;
    int64_t triangles;
    double max_error; /* the largest vertical distance of a sample from the mesh, over all samples */
    int32_t depth;    /* of the deepest leaf of the mesh */
    int32_t reserved;
} bosc_terrain_stats;

/* Measures the mesh. Set `size`.
 * Cost: O(n D) work, scratch as bosc_terrain_get_mesh.
 * Waits. */
BOSC_API bosc_status bosc_terrain_measure(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *stats);

typedef struct bosc_terrain_info {
    size_t size;
    int64_t width, height; /* 0 without a raster */
    int64_t bytes;         /* kept by the terrain */
    double spacing;
    int32_t depth;       /* D, of the tree; 0 without a raster */
    int32_t first_level; /* of the leaves of the coarsest mesh */
    bosc_terrain_roots roots;
    int32_t reserved;
    double spacing_y;
} bosc_terrain_info;

/* Describes the terrain. Set `size`. */
BOSC_API bosc_status bosc_terrain_get_info(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_info *info);

BOSC_END_DECLS
#endif
