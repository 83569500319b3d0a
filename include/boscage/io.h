/* boscage/io.h - files: arrays, points, graphs, heights, meshes, saved structures, pictures. A library of its own,
 * libboscage_io.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Readers parse a mapped file (or standard input, "-") and refuse what is unreadable, truncated or hostile with
 * BOSC_ERR_IO or BOSC_ERR_FORMAT; the text, "FILE:LINE: reason" or "FILE: reason", goes to the error buffer. What is no
 * regular file is read to its end, which must come within 4 GiB and half of the machine's memory, and of a device like
 * /dev/zero almost at once: BOSC_ERR_LIMIT. Writers
 * write to a temporary name beside the target and rename it when whole ("-" is standard output), so a file appears
 * whole or not at all. */
#ifndef BOSCAGE_IO_H
#define BOSCAGE_IO_H

#include <boscage/boscage.h>
#include <boscage/graph.h>

BOSC_BEGIN_DECLS

/* An array in host memory, C order. `data` is owned: free it with bosc_array_free. */
typedef struct bosc_array {
    bosc_dtype dtype;
    int32_t rank;     /* 1 to 4 */
    int64_t shape[4]; /* unused ones are 1 */
    void *data;
} bosc_array;

/* Where the text of a failure goes; always terminated. */
typedef struct bosc_io_error {
    char text[512];
} bosc_io_error;

BOSC_API void bosc_array_free(bosc_array *array);

/* Reads a .npy file (versions 1 to 3, little-endian, C order; f4, f8, and integers of 8 to 64 bits). */
BOSC_API bosc_status bosc_npy_read(const char *path, bosc_array *array, bosc_io_error *error);

/* Writes a .npy file (version 1), atomically. */
BOSC_API bosc_status bosc_npy_write(const char *path, const bosc_array *array, bosc_io_error *error);

/* Writes several arrays, 1 to 16: all files appear, or, if one cannot be written, none. */
BOSC_API bosc_status bosc_npy_write_all(const char *const *paths, const bosc_array *arrays, int32_t count,
                                        bosc_io_error *error);

/* Reads points (n, dim) by the ending of the path: .npy (f4, f8, i4, i8, two-dimensional), .csv, .txt, .xyz (numbers
 * separated by commas or blanks, f8; `#` begins a comment; one header line of words allowed in .csv), and the vertices
 * of .off, .ply (ascii, binary of either byte order) and .obj (f8). "-" is a .npy file if it begins as one, else text
 * as .csv. Text is rounded correctly, whatever the locale. A .npy file may hold no points, (0, dim); another may not.
 * A NaN gives BOSC_ERR_DATA with its row, counted from 0 ("FILE: row 7: NaN"), or its line in a text. */
BOSC_API bosc_status bosc_points_read(const char *path, bosc_array *points, bosc_io_error *error);

/* Vectors over a small alphabet in host memory, packed as boscage/cellgraph.h says. `rows` is owned: free it with
 * bosc_vectors_free. */
typedef struct bosc_vectors {
    uint64_t *rows; /* (n x bosc_cellgraph_words(length, letter_bits)) */
    int64_t n;
    int32_t length, letter_bits;
} bosc_vectors;

BOSC_API void bosc_vectors_free(bosc_vectors *vectors);

/* Reads vectors of equal length, at most 65,536 letters: text lines of 0 and 1; lines of bases (A, C, G, T or U, in
 * either case: values 0 to 3), each of them followed by a blank and a count or not (it is passed over); FASTA, each
 * header followed by the bases of one sequence, on one line or several; or a .npy file of u1 (n, bytes), packed bits,
 * the most significant first, for which `bits` must say how many a vector has. Otherwise `bits` may be 0; if it is not,
 * all vectors must have so many bits. `#` begins a comment in a text, outside headers. */
BOSC_API bosc_status bosc_vectors_read(const char *path, int32_t bits, bosc_vectors *vectors, bosc_io_error *error);

/* Saved trees. */
BOSC_API bosc_status bosc_kdtree_save(bosc_ctx *ctx, const bosc_kdtree *tree, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_kdtree_load(bosc_ctx *ctx, const char *path, bosc_kdtree **tree, bosc_io_error *error);

/* Reads a saved tree, known by its first bytes, or else points as bosc_points_read: one of *tree and *points is set. */
BOSC_API bosc_status bosc_kdtree_or_points_read(bosc_ctx *ctx, const char *path, bosc_kdtree **tree, bosc_array *points,
                                                bosc_io_error *error);

/* The edges of a graph, in host memory: entry i joins u[i] and v[i], which are below n. What bosc_edges_read gives is
 * owned: free it with bosc_edges_free. */
typedef struct bosc_edges {
    int64_t n, m;     /* vertices and edges; each at most 2^32 - 2 */
    bosc_dtype dtype; /* of the weights, 32 or 64 bits; a reader gives I32, I64 where an integer needs it, or F64 */
    uint32_t *u, *v;
    void *weights; /* NULL: all weigh 1 */
} bosc_edges;

BOSC_API void bosc_edges_free(bosc_edges *edges);

/* Reads the edges of a graph, one an entry of the file and in its order, by the ending of the path, or for "-" and
 * other endings by the first bytes:
 *   .gr                    DIMACS shortest paths: `p sp N M`, then M lines `a U V WEIGHT`, vertices from 1; `c`
 * comments .mtx                   Matrix Market, coordinate and square: pattern, integer or real; general or symmetric
 *   .txt .el .snap .tsv    lines `U V` or `U V WEIGHT`, vertices from 0, n the largest + 1; `#` and `%` begin comments
 *   .graph .metis          METIS, with or without weights of edges (those of vertices are passed over). Both rows of an
 *                          edge must name it; it stands in the order of the rows of its smaller vertex
 * Weights of .gr and of edge lists are integers, or reals where one is written so or takes more than 64 bits;
 * infinities are weights, a NaN gives BOSC_ERR_DATA. Large files are parsed by all threads of OpenMP. O(bytes) work;
 * the edges take at most four times the file's bytes. */
BOSC_API bosc_status bosc_edges_read(const char *path, bosc_edges *edges, bosc_io_error *error);

/* Writes edges as .gr ("-" too), .mtx (symmetric, the larger vertex first) or an edge list (.txt, .el, .snap, .tsv), by
 * the ending, atomically. Reals are written with as many digits as bring back the same number. Weights that are NULL
 * are 1 in a .gr, pattern in an .mtx, and left out of an edge list, which cannot tell of vertices beyond the last
 * edge's. */
BOSC_API bosc_status bosc_edges_write(const char *path, const bosc_edges *edges, bosc_io_error *error);

/* Saved graphs (.bosc). */
BOSC_API bosc_status bosc_graph_save(bosc_ctx *ctx, const bosc_graph *graph, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_graph_load(bosc_ctx *ctx, const char *path, bosc_graph **graph, bosc_io_error *error);

/* Reads a saved graph, known by its first bytes, or else edges as bosc_edges_read: one of *graph and *edges is set. */
BOSC_API bosc_status bosc_graph_or_edges_read(bosc_ctx *ctx, const char *path, bosc_graph **graph, bosc_edges *edges,
                                              bosc_io_error *error);

/* Heights above a plane, a sample each: row-major, row 0 first, which is the northern one in geographic files. What
 * bosc_heights_read gives is owned: free it with bosc_heights_free. */
typedef struct bosc_heights {
    int64_t width, height; /* samples in a row, and rows; at least 1 */
    float *data;           /* in the file's units, finite */
    double spacing;        /* metres from row to row, where the file says so; else 0 */
    int64_t voids;         /* samples without a height in the file, which were filled in */
} bosc_heights;

typedef enum bosc_heights_encoding {
    BOSC_HEIGHTS_PLAIN = 0,      /* a sample is its height */
    BOSC_HEIGHTS_TERRAIN_RGB = 1 /* PNG alone: -10000 + 0.1 (65536 R + 256 G + B); an alpha channel is passed over */
} bosc_heights_encoding;

BOSC_API void bosc_heights_free(bosc_heights *heights);

/* Reads heights by the ending of the path, or for "-" and other endings by the first bytes:
 *   .png         grey of 8 or 16 bits, interlaced or not; or terrain-RGB
 *   .pgm         P2 and P5, of 8 or 16 bits
 *   .hgt         SRTM: a square of big-endian int16 that covers one degree; -32768 is no height
 *   .tif .tiff   one band of integers or floats of 8 to 64 bits, in strips or tiles, any compression without loss or
 *                LERC, BigTIFF too; GDAL's no-data value and NaN are no heights. The spacing is the pixel scale of
 *                GeoTIFF, with a degree for 111,133 m
 *   .npy         (height, width) of f4, f8, and of integers of 8 to 64 bits; NaN is no height
 * A sample without height is given the mean of the nearest ones to its left, right, up and down, each weighted by the
 * reciprocal of its distance; where there are none of those, of the ones just filled in. No heights at all, or one that
 * is infinite or beyond a float, give BOSC_ERR_DATA. A file that claims more samples than its bytes can hold is refused
 * before memory is taken for them. O(samples). */
BOSC_API bosc_status bosc_heights_read(const char *path, bosc_heights_encoding encoding, bosc_heights *heights,
                                       bosc_io_error *error);

/* Writes heights by the ending, atomically: .npy ("-" too) as f4; .tif as floats, with the spacing; .png and .pgm as 16
 * bits, .hgt (a square of at least 2 x 2) as int16, all three rounded to the nearest integer, halves upwards. Heights
 * that do not fit the format give BOSC_ERR_DATA. */
BOSC_API bosc_status bosc_heights_write(const char *path, const bosc_heights *heights, bosc_io_error *error);

/* Triangles with shared vertices, in the caller's memory. */
typedef struct bosc_mesh {
    int64_t vertices, triangles; /* at least 1 of each; fewer than 2^32 vertices */
    const float *positions;      /* x, y, z of each vertex, finite */
    const float *normals;        /* of unit length, or NULL */
    const uint32_t *indices;     /* three vertices of each triangle */
    int32_t map;                 /* 1: x is east, y south and z up, as on a map whose row 0 is north */
} bosc_mesh;

/* Writes a mesh by the ending, atomically: .glb (binary glTF 2.0; "-" too), .ply (binary, little-endian) or .obj.
 * Numbers are those of the arrays; .obj has as many digits as bring back the same floats. In a .glb up is y and axes
 * are right-handed: the matrix of its node takes z, or all of a map, there. A .glb that would take 4 GiB gives
 * BOSC_ERR_LIMIT. */
BOSC_API bosc_status bosc_mesh_write(const char *path, const bosc_mesh *mesh, bosc_io_error *error);

/* Writes an 8-bit RGB picture, rows from the top, as PNG, atomically. */
BOSC_API bosc_status bosc_png_write(const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                                    bosc_io_error *error);

/* Writes a mesh and a picture of it: both files appear, or neither. */
BOSC_API bosc_status bosc_mesh_and_png_write(const char *path, const bosc_mesh *mesh, const char *png_path,
                                             const uint8_t *rgb, int32_t width, int32_t height, bosc_io_error *error);

BOSC_END_DECLS
#endif
