/* boscage/terrain.h - adaptive meshes of height rasters by longest-edge bisection, without cracks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A raster has h rows of w samples; sample (column c, row r) stands at x = c S, y = r S, z = its height, where S is the
 * spacing. Its mesh covers exactly [0, (w-1) S] x [0, (h-1) S], whatever w and h are, and all its vertices are samples.
 * It is made of the leaves of a concurrent binary tree: right isosceles triangles, each of which is split from its
 * right angle to the middle of its longest edge. The two triangles at a longest edge, a diamond, are only ever split
 * together, so no vertex lies inside an edge of another triangle, in whatever order meshes are refined and coarsened.
 *
 * Bisection wants sides of 2^k intervals. Other rasters are laid in the corner of a row of such squares, and vertices
 * beyond the last column or row are moved onto it. Triangles that have no area then are not split any more, and belong
 * to the tree but not to the mesh. (A triangle is moved to a line only if it lies beyond a border, so its neighbours
 * across its longer sides meet in one edge, or at the border: the others tile the rectangle.)
 *
 * The error of a diamond is the largest vertical distance between a sample and the two triangles, or those of any
 * diamond that can only be split after it. So the diamonds whose error is above a bound make a mesh without more ado,
 * and one whose distance from every sample is within the bound; it is 0 for a bound of 0.
 *
 * The answers are the same bits on every backend and number of threads. Sources: Lindstrom et al., Real-Time,
 * Continuous Level of Detail Rendering of Height Fields (1996); Duchaineau et al., ROAMing Terrain (1997), for
 * diamonds; Lindstrom and Pascucci, Terrain Simplification Simplified (2002), for nested errors and bounds; Dupuy,
 * Concurrent Binary Trees (2020). */
#ifndef BOSCAGE_TERRAIN_H
#define BOSCAGE_TERRAIN_H

#include <boscage/cbt.h>

BOSC_BEGIN_DECLS

/* A raster and its mesh in the memory of one backend and device. Any number of contexts of that device may read it at
 * once, while none writes to it. It may outlive the context that made it. */
typedef struct bosc_terrain bosc_terrain;

typedef enum bosc_terrain_roots {
    BOSC_TERRAIN_SQUARE = 0,  /* two triangles for each square: the whole raster */
    BOSC_TERRAIN_TRIANGLE = 1 /* one triangle: the half of the raster with x >= y; w = h = 2^k + 1 */
} bosc_terrain_roots;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_terrain_opts {
    size_t size;
    bosc_terrain_roots roots;
    int32_t assume_valid; /* do not look for NaN and infinities: bosc_terrain_build then only queues */
    double spacing;       /* S; 0: 1 */
} bosc_terrain_opts;

/* Makes a terrain without a raster. `opts` may be NULL. *terrain is set on success. */
BOSC_API bosc_status bosc_terrain_create(bosc_ctx *ctx, const bosc_terrain_opts *opts, bosc_terrain **terrain);

/* Frees the terrain once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_terrain_free(bosc_terrain *terrain);

/* Takes a copy of a raster: h rows of w heights, `stride` heights (w or more) from one row to the next. w and h are at
 * least 2, w h is below 2^31. Computes the errors of all diamonds; the mesh becomes the coarsest one. The tree has two
 * levels for each factor of 2 in the shorter side, one for each in the number of squares along the longer one.
 * BOSC_ERR_DATA with row and column for a height that is NaN or infinite; BOSC_ERR_LIMIT for more heights, or a tree
 * deeper than BOSC_CBT_MAX_DEPTH. After any failure but a bad argument the terrain has no raster. O(w h log(w h)).
 * Waits, unless told to assume valid device arrays. A second build of the same shape allocates nothing. */
BOSC_API bosc_status bosc_terrain_build(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t w,
                                        int64_t h, int64_t stride);

/* Bytes of backend memory for a raster of w x h: kept by the terrain, and scratch of a build from an array in that
 * memory (the context's). Any pointer may be NULL. Needs no device. */
BOSC_API bosc_status bosc_terrain_bytes(const bosc_ctx *ctx, const bosc_terrain_opts *opts, int64_t w, int64_t h,
                                        int64_t *kept, int64_t *scratch);

/* Where the mesh is seen from. Lengths are in the units of S and of the heights. */
typedef struct bosc_terrain_camera {
    double position[3];
    double direction[3];   /* any length but 0 */
    double up[3];          /* any length; all 0: z. Not parallel to the direction if `cull` is set */
    double fov;            /* the vertical angle of view, in radians, more than 0 and less than pi */
    double pixels;         /* error allowed on the screen, more than 0 */
    int32_t width, height; /* of the viewport in pixels; the height decides how large errors are */
    int32_t cull;          /* not 0: what is surely outside the view is as coarse as may be */
    int32_t reserved;
} bosc_terrain_camera;

/* A rectangle with an error bound of its own. */
typedef struct bosc_terrain_region {
    double low[2], high[2]; /* x and y; low <= high. Borders belong to it */
    double error;           /* 0 or more */
} bosc_terrain_region;

/* What a mesh shall be. Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_terrain_goal {
    size_t size;
    double error;      /* largest vertical distance of any sample from the mesh; 0: none, infinity: any */
    int64_t triangles; /* more than 0: a budget, see below */
    const bosc_terrain_camera *camera;  /* or NULL */
    const bosc_terrain_region *regions; /* (region_count) in host memory, or NULL */
    int64_t region_count;               /* up to 1,024 */
    double hysteresis; /* 0 (default) to less than 1: what is split stays so down to this part below its bound */
} bosc_terrain_goal;

/* Makes the mesh what the goal says; splits and merges are one pass.
 *   - Without a camera, every sample is within `error` of the mesh. In a region its own bound counts in place of it
 *     (where regions overlap, the smallest one).
 *   - With a camera, errors are within `pixels` on the screen: error / distance x height / (2 tan(fov / 2)), where the
 *     distance is that of the nearest point at which the mesh could be refined for this error. Errors of up to `error`
 *     are left alone. Regions keep their bounds, seen or not, in place of the camera's.
 *   - With a budget, the mesh has at most so many triangles (or is the coarsest one, if that has more): all bounds are
 *     multiplied by the same factor, the smallest one of 1 or more that will do; if `error` is 0 and there is neither a
 *     camera nor a region, it is the smallest bound that will do. Regions must have bounds above 0 then, and so must
 *     `error` beside them, without a camera.
 *   - With hysteresis, a diamond that is split in the mesh there was stays split while its error is above
 *     (1 - hysteresis) times its bound: frames that follow each other do not waver.
 * O(2^D / 64 + leaves) for a tree of depth D; with a budget O(w h). With a budget or regions
 * it waits, otherwise it only queues. */
BOSC_API bosc_status bosc_terrain_select(bosc_ctx *ctx, bosc_terrain *terrain, const bosc_terrain_goal *goal);

/* Splits and merges leaves as one asks: commands[l] (uint8_t, a bosc_cbt_command; others keep) is for leaf l < count.
 * A leaf that is to be split takes with it the other triangle of its diamond and whatever must be split first. A
 * diamond is merged if one of its leaves is to be, none is to be split, and all that it was split into are leaves.
 * O(2^D / 64 + w h / 4). With device arrays it only queues. */
BOSC_API bosc_status bosc_terrain_update(bosc_ctx *ctx, bosc_terrain *terrain, const uint8_t *commands, int64_t count);

/* The tree, for the calls of boscage/cbt.h that read it: leaf l is the same there. It belongs to the terrain, and is
 * made anew by bosc_terrain_build for a raster of another depth. NULL without a raster. */
BOSC_API const bosc_cbt *bosc_terrain_tree(const bosc_terrain *terrain);

/* The corners of the leaves first, first + 1, ...: samples (count x 3, int64_t) gets for each leaf the samples (row w +
 * column) at the ends of its longest edge and at its right angle, counter-clockwise in x and y; -1 for leaves that are
 * not in the mesh, and beyond the last one. O(D) each. With device arrays it only queues. */
BOSC_API bosc_status bosc_terrain_corners(bosc_ctx *ctx, const bosc_terrain *terrain, int64_t first, int64_t count,
                                          int64_t *samples);

/* For each of m points (m x 2: x, y) the leaf over it, or -1 outside the mesh (and for NaN), and the height of the mesh
 * there (NaN outside). Of two leaves at an edge it is always the same one. Either result may be NULL. O(D) each. With
 * device arrays it only queues. */
BOSC_API bosc_status bosc_terrain_locate(bosc_ctx *ctx, const bosc_terrain *terrain, const double *points, int64_t m,
                                         int64_t *leaves, double *heights);

/* For each of m leaves the leaves (m x 3) across its longest edge, and across the edges from the end of that to the
 * right angle and on to its begin; -1 at the border. All -1 for numbers that are no leaf of the mesh. O(D) each. With
 * device arrays it only queues. */
BOSC_API bosc_status bosc_terrain_neighbours(bosc_ctx *ctx, const bosc_terrain *terrain, const int64_t *leaves,
                                             int64_t m, int64_t *neighbours);

/* The mesh: vertices (x, y, z; float), each once, in an order that only the set of their samples decides; normals (of
 * length 1, or NULL) from the heights beside the sample, the same in every mesh; triangles (3 numbers of vertices,
 * uint32_t, counter-clockwise seen from above) in the order of the leaves. counts[0] and counts[1] get the numbers of
 * vertices and triangles, also when they do not fit: BOSC_ERR_SPACE if one is more than room_vertices or room_triangles
 * and its array is not NULL; no array is touched then. Arrays may be NULL. O(2^D / 64 + w h / 64 + leaves D). Waits. */
BOSC_API bosc_status bosc_terrain_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, float *vertices, float *normals,
                                       int64_t room_vertices, uint32_t *triangles, int64_t room_triangles,
                                       int64_t counts[2]);

typedef struct bosc_terrain_stats {
    size_t size;
    int64_t leaves; /* of the tree, with those that are not in the mesh */
    int64_t vertices;
    int64_t triangles;
    double max_error; /* the largest vertical distance of a sample from the mesh, over all samples */
    int32_t depth;    /* of the deepest leaf of the mesh */
    int32_t reserved;
} bosc_terrain_stats;

/* Measures the mesh. Set `size`. O(w h D). Waits. */
BOSC_API bosc_status bosc_terrain_measure(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *stats);

typedef struct bosc_terrain_info {
    size_t size;
    int64_t w, h;  /* 0 without a raster */
    int64_t bytes; /* kept by the terrain */
    double spacing;
    int32_t depth;       /* D, of the tree */
    int32_t first_level; /* of the leaves of the coarsest mesh */
    bosc_terrain_roots roots;
    int32_t reserved;
} bosc_terrain_info;

/* Set `size`. Needs no context: nothing is read from a device. */
BOSC_API bosc_status bosc_terrain_get_info(const bosc_terrain *terrain, bosc_terrain_info *info);

BOSC_END_DECLS
#endif
