/* boscage/planet.h - adaptive triangle meshes of a whole planet: a closed sphere without cracks, seams or jitter.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: meshes
 * Start with: bosc_planet_build, _select
 *
 * The roots are the eight faces of an octahedron. A point of a face, in barycentric coordinates of its corners, lies in
 * the direction of that point; edges are great circles. The triangles are the leaves of a pool of bisectors
 * (boscage/bisector.h), split and merged without cracks to level 60, where edges on the Earth are a few centimetres
 * long. Poles and antimeridian are ordinary points.
 *
 * Coordinates are right-handed, from the center: z to the north pole, x to latitude and longitude 0, y to longitude 90
 * degrees. A vertex lies at distance radius + height(direction). Heights come from an equirectangular raster: rows go
 * from north to south, columns from longitude -180 degrees to the east; samples are the centers of their cells. Between
 * samples heights are bilinear, and wrap around in longitude. A pole has the mean of the row beside it; the half row up
 * to it is interpolated. Detail below the raster's resolution may be added: octaves of gradient noise, each of half the
 * wavelength and half the amplitude of the one before.
 *
 * Results have the same bits on every backend and number of threads: all is computed in f64 by + - * / and square roots
 * in one order.
 *
 * Sources: Benyoub and Dupuy, Concurrent Binary Trees for Large-Scale Game Components (HPG 2024), for the pool; Dutton,
 *     Encoding and Handling Geospatial Data with Hierarchical Triangular Meshes (1996), for the octahedron; Duchaineau
 *     et al., ROAMing Terrain (1997), for bounds and split and merge; Perlin, Improving Noise (2002). */
#ifndef BOSCAGE_PLANET_H
#define BOSCAGE_PLANET_H

#include <boscage/bisector.h>

BOSC_BEGIN_DECLS

/* A raster and its mesh in the memory of one backend and device. Any number of contexts of that device may read it at
 * once while none writes to it. It may outlive the context that made it. */
typedef struct bosc_planet bosc_planet;

/* Set `size`; zero bytes elsewhere mean the defaults. Lengths are in metres, or any other unit. */
typedef struct bosc_planet_opts {
    size_t size;
    double radius;           /* of height 0; 2^-60 to 2^60; 0: 6371000 */
    int32_t depth;           /* the deepest level, 0 to 60; 0: 60 */
    int32_t detail_octaves;  /* 0 to 32; 0: 16 */
    double detail_amplitude; /* of the first octave, about the range of its heights; 0: no detail */
    /* The wavelength of the first octave, radius / 65536 or more; 0: the width of a column of the raster at the
     * equator. */
    double detail_wavelength;
    uint64_t detail_seed;
} bosc_planet_opts;

/* Makes a planet without a raster.
 * opts: NULL means the defaults.
 * planet: set on success.
 * Waits. */
BOSC_API bosc_status bosc_planet_create(bosc_ctx *ctx, const bosc_planet_opts *opts, bosc_planet **planet);

/* Frees the planet once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_planet_free(bosc_planet *planet);

/* Reserves memory and scratch so that a build of this size, insets of these sizes, and then calls with device arrays
 * allocate nothing. This holds while the mesh has at most this many triangles. The planet keeps its raster, insets and
 * mesh.
 * inset_sizes (inset_count x 2): host; width and height of each inset, in the order in which they are added; NULL if
 *     inset_count is 0.
 * inset_count: 0 to BOSC_PLANET_INSETS.
 * Errors: BOSC_ERR_LIMIT for a raster or an inset of 2^31 samples, and for 2^30 triangles.
 * Cost: bosc_planet_bytes gives the memory; a copy of raster, insets and mesh.
 * Waits. */
BOSC_API bosc_status bosc_planet_reserve(bosc_ctx *ctx, bosc_planet *planet, int64_t width, int64_t height,
                                         const int64_t *inset_sizes, int32_t inset_count, int64_t triangles);

/* Computes the backend memory, in bytes, for a raster of this size, insets of these sizes, and a mesh of this many
 * triangles. Needs no device. Either pointer may be NULL.
 * inset_sizes, inset_count: as in bosc_planet_reserve.
 * kept: held by the planet.
 * scratch: of the context, at most, for a call with arrays in the backend's memory.
 * Cost: O(inset_count) on the host. */
BOSC_API bosc_status bosc_planet_bytes(const bosc_ctx *ctx, const bosc_planet_opts *opts, int64_t width, int64_t height,
                                       const int64_t *inset_sizes, int32_t inset_count, int64_t triangles,
                                       int64_t *kept, int64_t *scratch);

/* An equirectangular raster. Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_planet_raster {
    size_t size;
    const void *heights;   /* `height` rows of `width` values, `stride` values from one row to the next */
    int64_t width, height; /* 1 or more; width x height is below 2^31 */
    int64_t stride;        /* 0: width */
    bosc_dtype dtype;      /* BOSC_F32, BOSC_U16 or BOSC_I16; 0: BOSC_F32 */
    int32_t reserved;      /* 0 */
    double scale, offset;  /* the height is scale x value + offset, rounded to f32; scale 0: 1 */
} bosc_planet_raster;

/* Copies a raster. The mesh becomes the octahedron's eight triangles.
 * Errors: BOSC_ERR_DATA with row and column for a height that is NaN, infinite, or of magnitude half the radius or
 *     more; BOSC_ERR_LIMIT for more samples. After any failure but a bad argument the planet has no raster.
 * Cost: O(width height) work; 4 bytes kept for each sample, and a tenth more for bounds.
 * Waits. */
BOSC_API bosc_status bosc_planet_build(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *raster);

/* Reads a part of a raster: `rows` rows from number `row` on, `columns` values of each from number `column` on.
 * values (rows x columns): host, of the raster's dtype.
 * Returns 0, or another value on failure (BOSC_ERR_IO). */
typedef int (*bosc_planet_tile_fn)(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns,
                                   void *values);

/* An equirectangular raster, read by square tiles on demand. Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_planet_tiles {
    size_t size;
    bosc_planet_tile_fn read;
    void *user;
    int64_t width, height; /* as in bosc_planet_raster */
    int64_t cache_bytes;   /* of tiles in the backend's memory, 4 bytes a sample; 32 tiles or more; 0: 256 MiB */
    int32_t tile;          /* samples of a tile's side, a power of 2 from 8 to 4096; 0: 256 */
    bosc_dtype dtype;      /* as in bosc_planet_raster, also scale and offset */
    double scale, offset;
} bosc_planet_tiles;

/* Builds from a raster that need not fit memory. Results have the bits of bosc_planet_build, whatever the cache.
 * `read` is called now, and by all calls that need heights (place, select, update, sample, measure), on the calling
 * thread. It must stay valid until the planet is freed or rebuilt. Only one call at a time may use the planet.
 * Errors: as bosc_planet_build; BOSC_ERR_IO, with rows and columns, if `read` fails, here and in later calls.
 * Cost: as bosc_planet_build, and one or more passes over the raster, here and in every measurement and selection by an
 *     error bound. Memory: the cache, a tenth of 4 bytes a sample for bounds, and 24 bytes a tile. Scratch of a byte a
 *     triangle or direction.
 * Waits; later calls that need heights wait too, once a round of tiles. */
BOSC_API bosc_status bosc_planet_build_tiles(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_tiles *tiles);

#define BOSC_PLANET_INSETS 64 /* of a planet, at most */

/* A raster of a part of the planet, such as a survey of one region. Set `size`; zero bytes elsewhere mean the defaults.
 * Its cells have equal sizes in longitude and in latitude; rows go from north to south, columns from west to east. */
typedef struct bosc_planet_inset {
    size_t size;
    const void *heights;   /* `height` rows of `width` values, `stride` values from one row to the next */
    int64_t width, height; /* 3 or more */
    int64_t stride;        /* 0: width */
    bosc_dtype dtype;      /* as in bosc_planet_raster, also scale and offset */
    int32_t border;        /* samples over which it is blended, at most half the shorter side; 0: a 16th of that side */
    double scale, offset;
    /* Outer edges of its cells in degrees: -360 <= west < east <= 360, at most 360 apart, also across the antimeridian
     * (170 to 190); -90 <= south < north <= 90. */
    double west, south, east, north;
} bosc_planet_inset;

/* Lays an inset over the heights of a planet that has a raster, and refines them there to the inset's resolution.
 * Between the outermost samples heights are bilinear. Along its border the inset is blended with the heights around it,
 * by a weight that grows from 0 at the outermost samples to 1, so that there is no cliff. Where insets overlap, the
 * later one lies over the earlier ones. The mesh becomes the octahedron's eight triangles. A build removes all insets.
 * An inset of 360 degrees is blended at its west and east edges too, one up to a pole also there.
 * Errors: BOSC_ERR_DATA as bosc_planet_build; BOSC_ERR_LIMIT for 2^31 samples, and for more than BOSC_PLANET_INSETS
 *     insets. After a failure the planet has the insets that it had.
 * Cost: O(width height) work; 4 bytes kept for each sample, and a tenth more for bounds (bosc_planet_bytes). Each
 *     height and error of the planet then costs O(insets) more.
 * Waits. */
BOSC_API bosc_status bosc_planet_add_inset(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_inset *inset);

/* A camera; see bosc_planet_place. */
typedef struct bosc_planet_camera {
    double position[3];    /* from the center */
    double direction[3];   /* any length but 0 */
    double up[3];          /* any length; not parallel to the direction if `cull` is set */
    double fov;            /* the vertical angle of view in radians, more than 0 and less than pi */
    double pixels;         /* error allowed on the screen, more than 0 */
    int32_t width, height; /* of the viewport in pixels; the height scales errors */
    int32_t cull;          /* not 0: triangles certainly outside the view are as coarse as possible */
    int32_t reserved;      /* 0 */
} bosc_planet_camera;

/* Places a camera over the ground: sets position, direction and up.
 * latitude, longitude: degrees, -90 to 90 and -360 to 360.
 * altitude: over the surface there.
 * heading, pitch: degrees; east of north, and above the horizon (-90: straight down).
 * Cost: O(1).
 * Waits. */
BOSC_API bosc_status bosc_planet_place(bosc_ctx *ctx, const bosc_planet *planet, double latitude, double longitude,
                                       double altitude, double heading, double pitch, bosc_planet_camera *camera);

/* The goal of a selection. Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_planet_goal {
    size_t size;
    double error;                     /* bound in metres, see below; infinity: any */
    int64_t triangles;                /* more than 0: a triangle budget, see below */
    const bosc_planet_camera *camera; /* or NULL */
    double hysteresis; /* 0 (default) to less than 1: triangles are merged only below this fraction under their bound */
    int32_t level;     /* the deepest level; 0: that of the planet */
    int32_t passes;    /* with a camera: splits and merges at most; 0: until nothing changes */
} bosc_planet_goal;

/* Refines and coarsens the mesh to meet the goal.
 *   - Without a camera the mesh is rebuilt from the octahedron, so it depends on the goal alone. Triangles are split
 *     while their estimated error is above `error`. Then all samples of the raster are measured, and triangles farther
 *     than `error` from a sample are split too, until none is left. So every sample, of an inset too, is within the
 *     bound, measured along its radius, unless a triangle there is on the deepest level.
 *   - With a camera, the present mesh is changed. Errors are estimated to be within `pixels` on the screen: error /
 *     distance x height / (2 tan(fov / 2)). Errors of up to `error` are not refined. Triangles behind the horizon are
 *     as coarse as possible.
 *   - With a budget, the mesh is rebuilt from the octahedron and has at most this many triangles (or 8). All bounds are
 *     multiplied by one factor of 1 or more, within 1 % of the smallest that suffices. Samples are not measured.
 *     `error` may be 0.
 * An error is estimated from the raster's heights around the triangle (the smaller one of their range and a bound by
 * their second differences), the curvature of the sphere and the detail. It is a bound, except for the distortion of
 * the raster towards the poles.
 * Errors: BOSC_ERR_LIMIT for 2^30 triangles or more.
 * Cost: O(triangles) a pass, a few passes for a goal near the last one; O(width height log triangles) a measurement.
 *     Scratch of 33 bytes a triangle (with a budget 165, and 128 KiB), and the pool's.
 * Waits. */
BOSC_API bosc_status bosc_planet_select(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal);

/* Splits and merges triangles by command, as bosc_bisectors_update does.
 * commands (command_count): commands[t], a bosc_bisector_command, is for triangle t.
 * Cost: O(triangles), and O(1) heights for each triangle that changes.
 * Waits. */
BOSC_API bosc_status bosc_planet_update(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands,
                                        int64_t command_count);

/* Returns the pool, for the reading calls of boscage/bisector.h; leaf l is triangle l. NULL for NULL.
 * The pool belongs to the planet. */
BOSC_API const bosc_bisectors *bosc_planet_get_pool(const bosc_planet *planet);

/* Writes the closed mesh with indexed vertices, each vertex once. Any array may be NULL.
 * A mesh of t triangles has t / 2 + 2 vertices; bosc_planet_get_info gives both numbers.
 * origin: subtracted in f64 before `vertices` are rounded, so that near it f32 suffices; NULL: 0, 0, 0.
 * vertices (vertex_capacity x 3): positions from the origin.
 * positions (vertex_capacity x 3): positions from the center, in f64.
 * normals (vertex_capacity x 3): of length 1, of the triangles around the vertex, weighted by their areas.
 * triangles (triangle_capacity x 3): numbers of vertices, counter-clockwise seen from outside, in the order of the
 *     pool's leaves.
 * counts: the numbers of vertices and triangles, even if they do not fit.
 * Errors: BOSC_ERR_SPACE if an array that is not NULL is too small; all arrays are unchanged.
 * Cost: O(triangles); scratch of 5 bytes a triangle, and the scan's.
 * Queues. */
BOSC_API bosc_status bosc_planet_get_mesh(bosc_ctx *ctx, const bosc_planet *planet, const double *origin,
                                          float *vertices, double *positions, float *normals, int64_t vertex_capacity,
                                          uint32_t *triangles, int64_t triangle_capacity, int64_t counts[2]);

/* Writes a part of the mesh, the triangles first to first + count - 1, with vertices of its own.
 * Where two parts meet, their vertices (given one origin) and normals have the same bits, as normals are those of the
 * whole mesh. So parts that cover all triangles make a closed surface and need no skirts.
 * origin, vertices, positions, normals, triangles: as in bosc_planet_get_mesh, of the part alone.
 * counts: the numbers of vertices and triangles, even if they do not fit.
 * Errors: BOSC_ERR_SPACE if an array that is not NULL is too small; all arrays are unchanged.
 * Cost: O(count); scratch of 5 bytes a triangle, and the scan's.
 * Waits. */
BOSC_API bosc_status bosc_planet_get_part(bosc_ctx *ctx, const bosc_planet *planet, int64_t first, int64_t count,
                                          const double *origin, float *vertices, double *positions, float *normals,
                                          int64_t vertex_capacity, uint32_t *triangles, int64_t triangle_capacity,
                                          int64_t counts[2]);

#define BOSC_PLANET_TILE_LEVELS 24

/* Divides the mesh by the triangles of a level of the octahedron's bisection: 8 x 2^level tiles for
 * bosc_planet_get_part.
 * level: 0 (the octahedron's faces) to BOSC_PLANET_TILE_LEVELS, at most the planet's depth.
 * first (first_capacity): tile k has the triangles first[k] to first[k + 1] - 1. A triangle larger than a tile belongs
 *     to the first tile that it covers.
 * first_capacity: at least the number of tiles and one more.
 * Errors: BOSC_ERR_SPACE if the array is too small.
 * Cost: O(tiles log triangles).
 * Queues. */
BOSC_API bosc_status bosc_planet_get_tiles(bosc_ctx *ctx, const bosc_planet *planet, int32_t level, int64_t *first,
                                           int64_t first_capacity);

/* Computes heights of the surface, independent of the mesh.
 * directions (direction_count x 3): of any length.
 * heights (direction_count): NaN for a direction that is not finite, has no length, or a length outside 2^-500 to
 *     2^500; may be NULL.
 * positions (direction_count x 3): from the center; may be NULL.
 * Cost: O(direction_count).
 * Queues. */
BOSC_API bosc_status bosc_planet_sample(bosc_ctx *ctx, const bosc_planet *planet, const double *directions,
                                        int64_t direction_count, double *heights, double *positions);

typedef struct bosc_planet_stats {
    size_t size;
    double max_error;    /* the largest distance of a sample from the mesh along its radius, rounded up to f32 */
    int64_t row, column; /* of such a sample, the first one: of the raster before insets */
    int32_t inset;       /* that has the sample, from 1; 0: the raster */
    int32_t reserved;    /* 0 */
} bosc_planet_stats;

/* Measures the mesh. Set `size`.
 * Cost: O(samples log triangles), of the raster and the insets. No scratch, but a byte a sample of the
 *     largest inset over a raster that is read by tiles.
 * Waits. */
BOSC_API bosc_status bosc_planet_measure(bosc_ctx *ctx, const bosc_planet *planet, bosc_planet_stats *stats);

typedef struct bosc_planet_info {
    size_t size;
    int64_t width, height;       /* of the raster; 0 without one */
    int64_t triangles, vertices; /* of the mesh */
    int64_t bytes;               /* kept by the planet */
    double radius;
    double low, high; /* of the raster's and the insets' heights */
    int32_t depth;
    int32_t deepest; /* level of the deepest triangle */
    int32_t insets;
    int32_t reserved; /* 0 */
} bosc_planet_info;

/* Describes the planet. Set `size`.
 * Cost: O(triangles).
 * Waits. */
BOSC_API bosc_status bosc_planet_get_info(bosc_ctx *ctx, const bosc_planet *planet, bosc_planet_info *info);

/* Saves the planet, its raster, its insets and the present mesh: versioned, little-endian, with an xxHash checksum; the
 * same bytes on every backend.
 * A raster read by tiles is read once more, row by row, and gives the same bytes.
 * Versions: 2 with insets, 1 without. This library reads both.
 * Errors: BOSC_ERR_IO if write or `read` fails.
 * Cost: O(samples + triangles); 4 bytes a sample of raster and insets, 56 an inset, and 8 a triangle.
 * Waits. */
BOSC_API bosc_status bosc_planet_write(bosc_ctx *ctx, const bosc_planet *planet, bosc_write_fn write, void *user);

/* Reads a saved planet into a new handle on the context's backend.
 * planet: set on success.
 * Errors: BOSC_ERR_FORMAT, with the reason, for damaged, truncated or hostile bytes. Memory grows only with the bytes
 *     read.
 * Cost: as bosc_planet_build, _add_inset for each inset, and bosc_bisectors_set_nodes.
 * Waits. */
BOSC_API bosc_status bosc_planet_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_planet **planet);

/* Reads a saved planet with a raster that need not fit memory; the raster is read by tiles. Insets are kept in memory.
 * tiles: of the raster that was saved.
 * planet: set on success.
 * Errors: as bosc_planet_read and bosc_planet_build_tiles; BOSC_ERR_DATA if the tiles' heights differ from the saved
 *     planet's.
 * Cost: as bosc_planet_build_tiles, _add_inset for each inset, and bosc_bisectors_set_nodes; and one more pass over the
 *     raster.
 * Waits. */
BOSC_API bosc_status bosc_planet_read_tiles(bosc_ctx *ctx, bosc_read_fn read, void *user,
                                            const bosc_planet_tiles *tiles, bosc_planet **planet);

BOSC_END_DECLS
#endif
