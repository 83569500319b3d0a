/* boscage/planet.h - adaptive triangle meshes of a whole planet: a closed sphere without cracks, seams or jitter.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The roots are the eight faces of an octahedron. A point of a face, in barycentric coordinates of its corners, lies in
 * the direction of that point; edges are great circles. The triangles are the leaves of a pool of bisectors
 * (boscage/bisector.h), so they are split and merged without cracks to level 60, where edges are some centimetres long
 * on the Earth; poles and antimeridian are points like any other.
 *
 * Coordinates are right-handed, from the center: z to the north pole, x to latitude and longitude 0, y to longitude 90
 * degrees. A vertex lies at distance radius + height(direction). Heights come from an equirectangular raster: its rows
 * go from north to south and its columns from longitude -180 degrees to the east; samples are the centers of their
 * cells. Between samples heights are bilinear, and wrap around in longitude. A pole has the mean of the row beside it,
 * with which the half row up to it is interpolated. Detail below the raster's resolution may be added: octaves of
 * gradient noise, each of half the wavelength and half the amplitude of the one before.
 *
 * All of this is computed in f64 by + - * / and square roots in one order: answers have the same bits on every backend
 * and for every number of threads. "Queues" means that a call with arrays in the backend's memory returns before the
 * work is done.
 *
 * Sources: Benyoub and Dupuy, Concurrent Binary Trees for Large-Scale Game Components (HPG 2024), for the pool; Dutton,
 * Encoding and Handling Geospatial Data with Hierarchical Triangular Meshes (1996), for the octahedron; Duchaineau et
 * al., ROAMing Terrain (1997), for bounds and split and merge; Perlin, Improving Noise (2002). */
#ifndef BOSCAGE_PLANET_H
#define BOSCAGE_PLANET_H

#include <boscage/bisector.h>

BOSC_BEGIN_DECLS

/* A raster and its mesh in the memory of one backend and device. Any number of contexts of that device may read it at
 * once while none writes to it. It may outlive the context that made it. */
typedef struct bosc_planet bosc_planet;

/* Zero bytes mean the default; set `size`. Fields are only appended. Lengths are in metres, or any other unit. */
typedef struct bosc_planet_opts {
    size_t size;
    double radius;           /* of height 0; 2^-60 to 2^60; 0: 6371000 */
    int32_t depth;           /* the deepest level, 0 to 60; 0: 60 */
    int32_t detail_octaves;  /* 0 to 32; 0: 16 */
    double detail_amplitude; /* of the first octave, about that of its heights; 0: no detail */
    /* Of the first octave, radius / 65536 or more; 0: that of a column of the raster at the equator. */
    double detail_wavelength;
    uint64_t detail_seed;
} bosc_planet_opts;

/* Makes a planet without a raster.
 * opts: may be NULL.
 * planet: set on success.
 * Waits. */
BOSC_API bosc_status bosc_planet_create(bosc_ctx *ctx, const bosc_planet_opts *opts, bosc_planet **planet);

/* Frees the planet once the work queued on it is done. NULL is allowed. */
BOSC_API void bosc_planet_free(bosc_planet *planet);

/* Takes memory, and scratch, so that a build from a raster of this size, and then calls with arrays in the backend's
 * memory, allocate nothing while the mesh has at most this many triangles. The planet keeps its raster and mesh.
 * Cost: bosc_planet_bytes gives the memory; a copy of raster and mesh. Waits. */
BOSC_API bosc_status bosc_planet_reserve(bosc_ctx *ctx, bosc_planet *planet, int64_t width, int64_t height,
                                         int64_t triangles);

/* Bytes of backend memory for a raster of this size and a mesh of this many triangles. Needs no device. Either pointer
 * may be NULL.
 * kept: by the planet.
 * scratch: the most that a call with arrays in the backend's memory takes of the context. */
BOSC_API bosc_status bosc_planet_bytes(const bosc_ctx *ctx, const bosc_planet_opts *opts, int64_t width, int64_t height,
                                       int64_t triangles, int64_t *kept, int64_t *scratch);

/* An equirectangular raster. Zero bytes mean the default; set `size`. */
typedef struct bosc_planet_raster {
    size_t size;
    const void *heights;   /* `height` rows of `width` values, `stride` values from one row to the next */
    int64_t width, height; /* 1 or more; width x height is below 2^31 */
    int64_t stride;        /* 0: width */
    bosc_dtype dtype;      /* BOSC_F32, BOSC_U16 or BOSC_I16; 0: BOSC_F32 */
    int32_t reserved;      /* 0 */
    double scale, offset;  /* the height is scale x value + offset, rounded to f32; scale 0: 1 */
} bosc_planet_raster;

/* Takes a copy of a raster. The mesh becomes the octahedron's eight triangles.
 * Errors: BOSC_ERR_DATA with row and column for a height that is NaN, infinite, or half the radius or more above or
 * below it; BOSC_ERR_LIMIT for more samples. After any failure but a bad argument the planet has no raster.
 * Cost: O(width height) work; 4 bytes kept for each sample, and a tenth more for bounds. Waits. */
BOSC_API bosc_status bosc_planet_build(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *raster);

/* Reads a part of a raster: `rows` rows from number `row` on, `columns` values of each from number `column` on.
 * values (rows x columns): in host memory, of the raster's dtype.
 * Returns 0, or anything else if it cannot (BOSC_ERR_IO). */
typedef int (*bosc_planet_tile_fn)(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns,
                                   void *values);

/* An equirectangular raster that is read by square tiles, as they are needed. Zero bytes mean the default; set `size`.
 */
typedef struct bosc_planet_tiles {
    size_t size;
    bosc_planet_tile_fn read;
    void *user;
    int64_t width, height; /* as of bosc_planet_raster */
    int64_t cache_bytes;   /* of tiles in the backend's memory, 4 bytes a sample; 32 tiles or more; 0: 256 MiB */
    int32_t tile;          /* samples of a tile's side, a power of 2 from 8 to 4096; 0: 256 */
    bosc_dtype dtype;      /* as of bosc_planet_raster, and so the others */
    double scale, offset;
} bosc_planet_tiles;

/* Takes a raster that need not fit memory. Answers have the bits of those after bosc_planet_build, whatever the cache.
 * `read` is called now, and by all calls that need heights (place, select, update, sample, measure), on the thread that
 * makes them; it must serve until the planet is freed or built again. Of such a planet one call may run at a time.
 * Errors: as bosc_planet_build, BOSC_ERR_IO if `read` fails, with rows and columns; so from the other calls.
 * Cost: as bosc_planet_build, and at least one reading of the raster, here and by every measurement, also of a
 * selection by an error bound. Kept are the cache, a tenth of 4 bytes a sample for bounds, and 24 bytes a tile. Scratch
 * of a byte a triangle or direction. Calls that need heights wait, once a round of tiles. */
BOSC_API bosc_status bosc_planet_build_tiles(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_tiles *tiles);

/* Where the planet is seen from; see bosc_planet_place. */
typedef struct bosc_planet_camera {
    double position[3];    /* from the center */
    double direction[3];   /* any length but 0 */
    double up[3];          /* any length; not parallel to the direction if `cull` is set */
    double fov;            /* the vertical angle of view in radians, more than 0 and less than pi */
    double pixels;         /* error allowed on the screen, more than 0 */
    int32_t width, height; /* of the viewport in pixels; the height scales errors */
    int32_t cull;          /* not 0: whatever is surely outside the view is as coarse as possible */
    int32_t reserved;      /* 0 */
} bosc_planet_camera;

/* Places a camera over the ground: sets position, direction and up.
 * latitude (-90 to 90), longitude (-360 to 360): degrees.
 * altitude: over the surface there.
 * heading, pitch: degrees; to the east of north, and above the horizon (-90: straight down).
 * Cost: O(1). Waits. */
BOSC_API bosc_status bosc_planet_place(bosc_ctx *ctx, const bosc_planet *planet, double latitude, double longitude,
                                       double altitude, double heading, double pitch, bosc_planet_camera *camera);

/* What a mesh is selected for. Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_planet_goal {
    size_t size;
    double error;                     /* bound in metres, see below; infinity: any */
    int64_t triangles;                /* more than 0: a triangle budget, see below */
    const bosc_planet_camera *camera; /* or NULL */
    double hysteresis; /* 0 (default) to less than 1: triangles are merged only below this fraction under their bound */
    int32_t level;     /* the deepest level; 0: that of the planet */
    int32_t passes;    /* with a camera: splits and merges at most; 0: until nothing changes */
} bosc_planet_goal;

/* Refines and coarsens the mesh to what the goal asks for.
 *   - Without a camera the mesh is made anew from the octahedron, so that only the goal decides. Triangles are split
 *     while the error estimated for them is above `error`; then all samples of the raster are measured, and triangles
 *     that are farther than `error` from one are split as well, until none is. So every sample is within the bound,
 *     measured along its radius, unless a triangle there is on the deepest level.
 *   - With a camera, the present mesh is changed. Errors are estimated to be within `pixels` on the screen: error /
 *     distance x height / (2 tan(fov / 2)). Errors of up to `error` are not refined. What lies behind the horizon is as
 *     coarse as possible.
 *   - With a budget, the mesh is made anew from the octahedron and has at most this many triangles (or 8): all bounds
 *     are multiplied by one factor of 1 or more, the smallest to within 1 % of the bounds that suffices. Samples are
 *     not measured. `error` may be 0.
 * An error is estimated from the range of the raster's heights around the triangle and from their second differences
 * there, of which the smaller one counts, and from the curvature of the sphere and the detail. It is a bound but for
 * the distortion of the raster towards the poles.
 * Errors: BOSC_ERR_LIMIT for 2^30 triangles or more.
 * Cost: O(triangles) a pass, of which a goal near the last one takes a few; O(width height log triangles) a
 * measurement. Scratch of 33 bytes a triangle (with a budget 165, and 128 KiB), and the pool's.
 * Waits: twice a pass; once, where one is asked for. */
BOSC_API bosc_status bosc_planet_select(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal);

/* Splits and merges triangles by command, as bosc_bisectors_update.
 * commands (command_count): commands[t], a bosc_bisector_command, is for triangle t.
 * Cost: O(triangles), and O(1) heights for each triangle that changes. Waits. */
BOSC_API bosc_status bosc_planet_update(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands,
                                        int64_t command_count);

/* The pool, for the calls of boscage/bisector.h that read it; leaf l is triangle l. It belongs to the planet. NULL for
 * NULL. */
BOSC_API const bosc_bisectors *bosc_planet_get_pool(const bosc_planet *planet);

/* The mesh with indexed vertices: closed, each vertex once. Any array may be NULL. A mesh of t triangles has
 * t / 2 + 2 vertices, which bosc_planet_get_info tells beforehand.
 * origin: subtracted in f64 from what `vertices` gets, so that near it f32 suffices; NULL: 0, 0, 0.
 * vertices (vertex_capacity x 3): positions from the origin.
 * positions (vertex_capacity x 3): the same from the center, in f64.
 * normals (vertex_capacity x 3): of length 1, of the triangles around the vertex, weighted by their areas.
 * triangles (triangle_capacity x 3): numbers of vertices, counter-clockwise seen from outside, in the order of the
 *     pool's leaves.
 * counts: the numbers of vertices and triangles, even if they do not fit.
 * Errors: BOSC_ERR_SPACE if an array that is not NULL is too small; no array is touched then.
 * Cost: O(triangles); scratch of 5 bytes a triangle, and the scan's. Queues. */
BOSC_API bosc_status bosc_planet_get_mesh(bosc_ctx *ctx, const bosc_planet *planet, const double *origin,
                                          float *vertices, double *positions, float *normals, int64_t vertex_capacity,
                                          uint32_t *triangles, int64_t triangle_capacity, int64_t counts[2]);

/* A part of the mesh, as bosc_planet_get_mesh: the triangles first, first + 1, ..., first + count - 1, with vertices of
 * their own, each once. Where two parts meet, their vertices and normals have the same bits (`vertices`, if they
 * have one origin), since normals are those of the whole mesh: so parts that together have all triangles make a closed
 * surface, whatever bound or camera the mesh was selected for. It needs no skirts.
 * vertices, positions, normals, triangles: as of bosc_planet_get_mesh, of the part alone.
 * counts: the numbers of vertices and triangles, even if they do not fit.
 * Errors: BOSC_ERR_SPACE if an array that is not NULL is too small; no array is touched then.
 * Cost: O(count); scratch of 5 bytes a triangle, and the scan's. Waits once, for the number of vertices. */
BOSC_API bosc_status bosc_planet_get_part(bosc_ctx *ctx, const bosc_planet *planet, int64_t first, int64_t count,
                                          const double *origin, float *vertices, double *positions, float *normals,
                                          int64_t vertex_capacity, uint32_t *triangles, int64_t triangle_capacity,
                                          int64_t counts[2]);

#define BOSC_PLANET_TILE_LEVELS 24

/* Cuts the mesh into the triangles of a level of the octahedron's bisection: 8 x 2^level tiles, of which each has a run
 * of triangles, for bosc_planet_get_part.
 * level: 0 (the octahedron's faces) to BOSC_PLANET_TILE_LEVELS and the planet's depth.
 * first (first_capacity, one more than tiles at least): tile k has the triangles from first[k] to first[k + 1] - 1. A
 *     triangle that is larger than tiles belongs to the first of those that it covers; the others have none.
 * Errors: BOSC_ERR_SPACE if the array is too small.
 * Cost: O(tiles log triangles). Queues. */
BOSC_API bosc_status bosc_planet_get_tiles(bosc_ctx *ctx, const bosc_planet *planet, int32_t level, int64_t *first,
                                           int64_t first_capacity);

/* Heights of the surface, whatever the mesh is.
 * directions (direction_count x 3): of any length.
 * heights (direction_count, or NULL): NaN for a direction that is not finite or has no length, or one beyond 2^-500 to
 *     2^500.
 * positions (direction_count x 3, or NULL): from the center.
 * Cost: O(direction_count). Queues. */
BOSC_API bosc_status bosc_planet_sample(bosc_ctx *ctx, const bosc_planet *planet, const double *directions,
                                        int64_t direction_count, double *heights, double *positions);

typedef struct bosc_planet_stats {
    size_t size;
    double max_error;    /* the largest distance of a sample from the mesh along its radius, rounded up to f32 */
    int64_t row, column; /* of such a sample, the first one */
} bosc_planet_stats;

/* Measures the mesh. Set stats->size.
 * Cost: O(width height log triangles); no scratch. Waits. */
BOSC_API bosc_status bosc_planet_measure(bosc_ctx *ctx, const bosc_planet *planet, bosc_planet_stats *stats);

typedef struct bosc_planet_info {
    size_t size;
    int64_t width, height;       /* of the raster; 0 without one */
    int64_t triangles, vertices; /* of the mesh */
    int64_t bytes;               /* kept by the planet */
    double radius;
    double low, high; /* of the raster's heights */
    int32_t depth;
    int32_t deepest; /* level of the deepest triangle */
} bosc_planet_info;

/* Describes the planet. Set info->size.
 * Cost: O(triangles). Waits. */
BOSC_API bosc_status bosc_planet_get_info(bosc_ctx *ctx, const bosc_planet *planet, bosc_planet_info *info);

/* Saves the planet, its raster and the present mesh: versioned, little-endian, with an xxHash checksum; the same bytes
 * on every backend, and of a raster that is read by tiles, which is read once more, row by row.
 * Cost: O(width height + triangles); 4 bytes a sample, and 8 a triangle. Waits. */
BOSC_API bosc_status bosc_planet_write(bosc_ctx *ctx, const bosc_planet *planet, bosc_write_fn write, void *user);

/* Reads a saved planet into a new handle on the context's backend.
 * planet: set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for damaged, truncated or hostile bytes; memory grows only with the bytes
 * that were really read.
 * Cost: as bosc_planet_build and bosc_bisectors_set_nodes. Waits. */
BOSC_API bosc_status bosc_planet_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_planet **planet);

/* Reads a saved planet whose raster need not fit memory: it is read by tiles, as after bosc_planet_build_tiles.
 * tiles: of the raster that was saved.
 * planet: set on success.
 * Errors: as bosc_planet_read and bosc_planet_build_tiles; BOSC_ERR_DATA if the tiles have other heights than the saved
 * planet.
 * Cost: as bosc_planet_build_tiles and bosc_bisectors_set_nodes, and one reading of the raster. Waits. */
BOSC_API bosc_status bosc_planet_read_tiles(bosc_ctx *ctx, bosc_read_fn read, void *user,
                                            const bosc_planet_tiles *tiles, bosc_planet **planet);

BOSC_END_DECLS
#endif
