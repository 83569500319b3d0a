/* boscage/io.h - files: arrays, points, graphs, heights, meshes, saved structures, pictures. A library of its own,
 * libboscage_io.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Paths. "-" is standard input or standard output. The format follows from the ending of the path; for "-" and other
 * endings readers go by the first bytes. Behind any ending may stand .gz: the file is packed by gzip; or .zst: by
 * zstd, where libzstd was there when Boscage was built. So may standard input be.
 *
 * Readers refuse what is unreadable (BOSC_ERR_IO), truncated, malformed or hostile (BOSC_ERR_FORMAT), or holds a NaN
 * where numbers are needed (BOSC_ERR_DATA). Memory grows with the bytes of the file, not with what its header claims. A
 * file whose size changes while it is read is refused (BOSC_ERR_IO); but a mesh or raster of 256 MB and more that free
 * memory has no room for is mapped, and must not be shortened while it is read (SIGBUS). An input that is not a regular
 * file is read to its end, which must come within 4 GiB and half of the machine's memory (BOSC_ERR_LIMIT); so must what
 * a packed file unpacks to.
 *
 * Writers write to a file beside the target that takes its name when it is whole and on the disk, so a file appears
 * whole or not at all, and of several files all or none. A link stays: what it names is written. The access rights of a
 * file stay, but for setuid and setgid. Devices and pipes are written to directly, and a file that is a mount point
 * after everything else is whole.
 *
 * Errors. `error` may be NULL; else its text becomes "FILE:LINE: reason" or "FILE: reason", or for a bad argument
 * "argument: reason" with BOSC_ERR_ARG. Outputs stay as they were on failure. BOSC_ERR_NOMEM: out of memory.
 *
 * Cost, where nothing else is said: one pass over the bytes of the file, O(bytes) work; memory for what is read, and
 * for a writer less than 1 MB. */
#ifndef BOSCAGE_IO_H
#define BOSCAGE_IO_H

#include <boscage/boscage.h>
#include <boscage/cbt.h>
#include <boscage/ranks/kdtree.h>
#include <boscage/graph.h>
#include <boscage/hash.h>
#include <boscage/plan.h>
#include <boscage/planet.h>
#include <boscage/trie.h>

BOSC_BEGIN_DECLS

/* Where the text of a failure goes; always terminated. */
typedef struct bosc_io_error {
    char text[512];
} bosc_io_error;

/* Removes the files that are being written, where the file system gave them temporary names: for a handler of a signal
 * that ends the process. Their writers fail if they go on. May be called from a signal handler. */
BOSC_API void bosc_temporaries_remove(void);

/* Sets the progress function of the calling thread (NULL: none), for all calls of this library that it makes from now
 * on: how far they are, as those of a context tell (bosc_progress_fn in boscage/context.h).
 *
 * Calls of less than 0.05 seconds may tell nothing; others tell about 20 times a second, but not while the disk takes
 * what was written, which is once a file. What a context does in a call (bosc_kdtree_save) its own function is told.
 * A call that is cancelled returns BOSC_ERR_CANCELLED; its outputs stay as they were, and of files none appears or
 * changes. The function may make other calls of this library, which tell nothing. */
BOSC_API void bosc_io_set_progress(bosc_progress_fn progress, void *user);

/* ---- arrays ---- */

/* An array in host memory, in C order. What a reader fills is the caller's to free with bosc_array_free. */
typedef struct bosc_array {
    bosc_dtype dtype;
    int32_t rank;     /* 1 to 4 */
    int64_t shape[4]; /* unused ones are 1 */
    void *data;
} bosc_array;

/* Frees the data of an array that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_array_free(bosc_array *array);

/* Reads a .npy file: versions 1 to 3, either byte order, C or Fortran order; f2 (as f4), f4, f8, integers of 8 to 64
 * bits, and b1 (as u1). */
BOSC_API bosc_status bosc_npy_read(const char *path, bosc_array *array, bosc_io_error *error);

/* A part of the rows of an array: of `parts` parts, about equal and in order, number `part`, from 0. A reader sets what
 * follows. */
typedef struct bosc_slice {
    int64_t part, parts;
    int64_t begin; /* which row of the whole is row 0 of the slice */
    int64_t rows;  /* of the whole */
} bosc_slice;

/* Reads a slice of a .npy file, as a rank of many does of one file that all of them see; shape[0] is what the slice
 * has. Parts differ by a row at most.
 * Errors: BOSC_ERR_ARG for a part that is not from 0 to parts - 1. Rows in messages are those of the whole.
 * Cost: only the slice is read, but the whole file where it is packed, a pipe, or in Fortran order. */
BOSC_API bosc_status bosc_npy_read_slice(const char *path, bosc_slice *slice, bosc_array *array, bosc_io_error *error);

/* As bosc_array_convert (below), of a slice that was read: rows in messages are those of the whole. */
BOSC_API bosc_status bosc_slice_convert(const char *name, const bosc_slice *slice, bosc_array *array, bosc_dtype dtype,
                                        int32_t round, bosc_io_error *error);

/* Writes a .npy file of version 1. */
BOSC_API bosc_status bosc_npy_write(const char *path, const bosc_array *array, bosc_io_error *error);

/* Writes several arrays: all files appear, or, if one cannot be written, none.
 * count: 1 to 16. */
BOSC_API bosc_status bosc_npy_write_all(const char *const *paths, const bosc_array *arrays, int32_t count,
                                        bosc_io_error *error);

/* Writes several arrays as bosc_npy_write_all does, those whose paths end in .csv, .tsv or .txt as text: a row a line,
 * numbers with commas, tabs or blanks between; reals have as many digits as bring back the same number.
 * Errors: BOSC_ERR_ARG for a text of an array that has more than two dimensions. */
BOSC_API bosc_status bosc_arrays_write(const char *const *paths, const bosc_array *arrays, int32_t count,
                                       bosc_io_error *error);

/* Makes an array that a reader filled one of another element type.
 *
 * round: 0: every element must keep its value; 1: floats may be rounded to the nearest ones of the type.
 * name: of the array, for messages.
 * Errors: BOSC_ERR_DATA for an element that the type does not have ("NAME: row 7: -1 is not a value of u8"), with rows
 * from 0.
 * Cost: O(elements) work, none where the type is this one; memory for the new array beside the old. */
BOSC_API bosc_status bosc_array_convert(const char *name, bosc_array *array, bosc_dtype dtype, int32_t round,
                                        bosc_io_error *error);

/* ---- points ---- */

/* Reads points as an array (n, dim).
 *
 *   .npy             (n, dim), or (n,) for points of one coordinate; f4, f8, i4 or i8, or what these hold without
 *                    loss: f2 becomes f4, short integers i4, u4 and u8 i8; it may hold no points, (0, dim)
 *   .csv .tsv .txt   f8: numbers separated by commas or blanks, or by semicolons where the first line has one, within
 *                    double quotes or not; `#` begins a comment; a line of names may come first; separators at the end
 *                    of a line are passed over
 *   .xyz             f8: the same, of which three numbers a row are kept (colours and normals may follow); or a
 *                    molecule: the number of atoms, a line of comment, and for each atom its symbol and x, y, z
 *   .off .ply .obj   f8: the vertices of a mesh; .ply is ascii or binary, of either byte order
 *   -                .npy if it begins as one, else as .csv
 *
 * Text is rounded correctly, whatever the locale.
 * Errors: BOSC_ERR_DATA for a NaN, with its row from 0 ("FILE: row 7: NaN"), or its line in a text; there also for a
 * number beyond a double, such as 1e400. */
BOSC_API bosc_status bosc_points_read(const char *path, bosc_array *points, bosc_io_error *error);

/* As bosc_points_read, and of a text only these columns, in this order.
 * columns: names in the first line or numbers from 1, with commas between: "x,y,z" or "2,3"; NULL: all. Formats other
 * than text have no use for it. The other columns may hold anything.
 * Errors: BOSC_ERR_FORMAT for columns that there are not. */
BOSC_API bosc_status bosc_points_read_columns(const char *path, const char *columns, bosc_array *points,
                                              bosc_io_error *error);

/* Reads a slice of the points, as bosc_npy_read_slice does.
 * Cost: as there; other formats are read whole. */
BOSC_API bosc_status bosc_points_read_slice(const char *path, const char *columns, bosc_slice *slice,
                                            bosc_array *points, bosc_io_error *error);

/* ---- vectors ---- */

/* Vectors over a small alphabet in host memory, packed as boscage/cellgraph.h says. What a reader fills is the caller's
 * to free with bosc_vectors_free. */
typedef struct bosc_vectors {
    uint64_t *rows; /* (n x bosc_cellgraph_words(length, letter_bits)) */
    int64_t n;
    int32_t length, letter_bits;
} bosc_vectors;

/* Frees the rows that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_vectors_free(bosc_vectors *vectors);

/* Reads vectors of equal length, at most 65,536 letters. The content decides on the format:
 *
 *   text lines of 0 and 1
 *   text lines of bases   A, C, G, T or U in either case, values 0 to 3; a blank and a count may follow, and is ignored
 *   FASTA                 each header followed by the bases of one sequence, on one line or several
 *   .npy                  u1 (n, bytes): packed bits, the most significant first
 *
 * `#` begins a comment in a text, outside headers.
 * bits: how many bits each vector has. Needed for .npy; elsewhere 0, or what every vector must have.
 * Errors: BOSC_ERR_ARG where bits is needed and 0. */
BOSC_API bosc_status bosc_vectors_read(const char *path, int32_t bits, bosc_vectors *vectors, bosc_io_error *error);

/* ---- saved structures ---- */

/* Saves a structure to a file (.bosc by custom): the bytes of bosc_X_write, the same on every backend.
 * Errors: as bosc_X_write.
 * Cost: O(bytes) work. Waits. */
BOSC_API bosc_status bosc_kdtree_save(bosc_ctx *ctx, const bosc_kdtree *tree, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_graph_save(bosc_ctx *ctx, const bosc_graph *graph, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_hash_save(bosc_ctx *ctx, const bosc_hash *table, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_trie_save(bosc_ctx *ctx, const bosc_trie *trie, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_cbt_save(bosc_ctx *ctx, const bosc_cbt *tree, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_bisectors_save(bosc_ctx *ctx, const bosc_bisectors *bisectors, const char *path,
                                         bosc_io_error *error);
BOSC_API bosc_status bosc_planet_save(bosc_ctx *ctx, const bosc_planet *planet, const char *path, bosc_io_error *error);

/* Loads a saved structure into a new handle on the context's backend. The last but one argument is set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for a file of something else, for damaged or hostile bytes, and for bytes
 * behind the end; others as bosc_X_read.
 * Cost: O(bytes) work. Waits. */
BOSC_API bosc_status bosc_kdtree_load(bosc_ctx *ctx, const char *path, bosc_kdtree **tree, bosc_io_error *error);
BOSC_API bosc_status bosc_graph_load(bosc_ctx *ctx, const char *path, bosc_graph **graph, bosc_io_error *error);
BOSC_API bosc_status bosc_hash_load(bosc_ctx *ctx, const char *path, bosc_hash **table, bosc_io_error *error);
BOSC_API bosc_status bosc_trie_load(bosc_ctx *ctx, const char *path, bosc_trie **trie, bosc_io_error *error);
BOSC_API bosc_status bosc_cbt_load(bosc_ctx *ctx, const char *path, bosc_cbt **tree, bosc_io_error *error);
BOSC_API bosc_status bosc_bisectors_load(bosc_ctx *ctx, const char *path, bosc_bisectors **bisectors,
                                         bosc_io_error *error);
BOSC_API bosc_status bosc_planet_load(bosc_ctx *ctx, const char *path, bosc_planet **planet, bosc_io_error *error);

/* The same of a tree over the ranks of a communicator, that of the tree: one file, with the bytes of one tree.
 * Collective. Rank 0 alone writes and reads; the path is its own, and the others name it in messages. Wait.
 * Errors: the same on all ranks, but for NULL arguments, which fail on their rank alone; others as
 * bosc_ranks_kdtree_write and bosc_ranks_kdtree_read. */
BOSC_API bosc_status bosc_ranks_kdtree_save(bosc_ctx *ctx, bosc_comm *comm, const bosc_ranks_kdtree *tree,
                                            const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_ranks_kdtree_load(bosc_ctx *ctx, bosc_comm *comm, const char *path, bosc_ranks_kdtree **tree,
                                            bosc_io_error *error);

/* Loads a saved graph, of which each rank reads its part and gets its share of the edges: bosc_ranks_graph_read of a
 * file that all ranks see. Collective. Waits.
 * graph: set on success. info: may be NULL; set its size.
 * Errors: the same on all ranks, but for NULL arguments, which fail on their rank alone, and for a rank that cannot
 * open the file, which tells why; BOSC_ERR_FORMAT also for bytes behind the end; others as bosc_ranks_graph_read.
 * Cost: as bosc_ranks_graph_read; all of a file is read where it is packed or a pipe. */
BOSC_API bosc_status bosc_ranks_graph_load(bosc_ctx *ctx, bosc_comm *comm, const char *path, bosc_graph **graph,
                                           bosc_ranks_graph_info *info, bosc_io_error *error);

/* Reads a saved tree, known by its first bytes, or else points as bosc_points_read_columns does.
 * One of *tree and *points is set on success. Waits. */
BOSC_API bosc_status bosc_kdtree_or_points_read(bosc_ctx *ctx, const char *path, const char *columns,
                                                bosc_kdtree **tree, bosc_array *points, bosc_io_error *error);

/* ---- graphs ---- */

/* The edges of a graph in host memory: entry i joins u[i] and v[i], which are below n. What a reader fills is the
 * caller's to free with bosc_edges_free. */
typedef struct bosc_edges {
    int64_t n, m;     /* vertices and edges; each at most 2^32 - 2 */
    bosc_dtype dtype; /* of the weights, 32 or 64 bits; a reader gives I32, I64 where an integer needs it, or F64 */
    uint32_t *u, *v;
    void *weights; /* NULL: all weigh 1 */
} bosc_edges;

/* Frees the arrays that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_edges_free(bosc_edges *edges);

/* Reads the edges of a graph, one an entry of the file and in its order.
 *
 *   .gr                    DIMACS shortest paths: `p sp N M`, then M lines `a U V WEIGHT`, vertices from 1; `c` begins
 *                          a comment
 *   .mtx                   Matrix Market, coordinate and square: pattern, integer or real; general or symmetric; of
 *                          complex, hermitian and skew-symmetric ones the pattern
 *   .txt .el .snap         edge list: lines `U V` or `U V WEIGHT`, vertices from 0; n is the largest + 1; `#` and `%`
 *   .tsv .csv              begin comments; where the first line has a comma or a semicolon, that stands between
 *                          numbers, which may be quoted; a line of names may come first
 *   .graph .metis          METIS, with or without weights of edges; those of vertices are ignored. Both rows of an edge
 *                          must name it; it stands in the order of the rows of its smaller vertex
 *
 * Weights of .gr and of edge lists are integers, or reals where one is written so or takes more than 64 bits.
 * Infinities are weights.
 * Errors: BOSC_ERR_DATA for a NaN, and for a weight beyond a double.
 * Cost: O(bytes) work by all threads of OpenMP; the edges take at most four times the bytes of the file. */
BOSC_API bosc_status bosc_edges_read(const char *path, bosc_edges *edges, bosc_io_error *error);

/* Reads a slice of the edges, as a rank of many does of one file that all of them see: the lines of about as many bytes
 * as the other parts have; of METIS about as many edges. The parts one after the other are the whole.
 * slice: rows becomes the number of edges of the whole, or -1 where the file does not tell it; begin the number of
 * those before, or -1 where that is not known, which is so of lines.
 * edges: m is of the slice. n is that of the whole, but of an edge list the largest vertex of the slice + 1; dtype is
 * what the weights of the slice need: the whole has the largest n and the widest type.
 * Errors: as bosc_edges_read, and BOSC_ERR_ARG for a part that is not from 0 to parts - 1. Lines in messages are
 * those of the whole. That there are fewer or more edges in all than the header declares is the caller's to see.
 * Cost: the beginning of the file and the slice are read; all of it where it is packed, a pipe, or METIS. */
BOSC_API bosc_status bosc_edges_read_slice(const char *path, bosc_slice *slice, bosc_edges *edges,
                                           bosc_io_error *error);

/* Writes edges as .gr ("-" too), .mtx (symmetric, the larger vertex first) or an edge list (.txt, .el, .snap, .tsv;
 * .csv with a line of names).
 *
 * Reals have as many digits as bring back the same number. Integers of 2^63 and more are read as reals, which an .mtx
 * that has one says. Weights that are NULL are 1 in a .gr, pattern in an .mtx, and left out of an edge list. An edge
 * list does not tell of vertices behind the last one that has an edge.
 * Cost: O(m) work by all threads of OpenMP. */
BOSC_API bosc_status bosc_edges_write(const char *path, const bosc_edges *edges, bosc_io_error *error);

/* Reads a saved graph, known by its first bytes, or else edges as bosc_edges_read does.
 * One of *graph and *edges is set on success. Waits. */
BOSC_API bosc_status bosc_graph_or_edges_read(bosc_ctx *ctx, const char *path, bosc_graph **graph, bosc_edges *edges,
                                              bosc_io_error *error);

/* ---- heights ---- */

/* Heights above a plane, a sample each: row-major, row 0 first, which is the northern one in geographic files. What a
 * reader fills is the caller's to free with bosc_heights_free. */
typedef struct bosc_heights {
    int64_t width, height; /* samples in a row, and rows; at least 1 */
    float *data;           /* in the file's units, finite */
    double spacing;        /* metres from column to column, where the file says so; else 0 */
    int64_t voids;         /* samples without a height in the file, which were filled in */
    double spacing_y;      /* metres from row to row; 0: as `spacing` */
    int32_t degrees;       /* 1: the spacings were degrees, made metres at this latitude */
    double latitude;       /* in degrees; 0 where the file does not say where it lies */
} bosc_heights;

typedef enum bosc_heights_encoding {
    BOSC_HEIGHTS_PLAIN = 0,      /* a sample is its height */
    BOSC_HEIGHTS_TERRAIN_RGB = 1 /* PNG alone: -10000 + 0.1 (65536 R + 256 G + B); an alpha channel is ignored */
} bosc_heights_encoding;

/* Frees the samples that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_heights_free(bosc_heights *heights);

/* Reads heights.
 *
 *   .png         grey of 8 or 16 bits, interlaced or not; or terrain-RGB
 *   .pgm         P2 and P5, of 8 or 16 bits
 *   .hgt         SRTM: a square of big-endian int16 that covers one degree; -32768 is no height. The latitude is that
 *                of the name (N45E006.hgt), or else 0
 *   .tif .tiff   one band of integers or floats of 8 to 64 bits, in strips or tiles, any compression without loss or
 *                LERC, BigTIFF too; GDAL's no-data value and NaN are no heights, and its scale and offset are applied.
 *                The spacings are those of GeoTIFF's pixel scale or transformation; rows come from north to south
 *                however they are stored; a rotated raster is refused
 *   .npy         (height, width) of f4, f8, and of integers of 8 to 64 bits; NaN is no height
 *
 * A degree is 111,133 m, and its cosine of the latitude of the raster's middle from column to column.
 * A sample without a height gets the mean of the nearest ones to its left, right, up and down, each weighted by the
 * reciprocal of its distance; where there are none of those, of the ones just filled in.
 * Errors: BOSC_ERR_DATA for no heights at all, and for one that is infinite or beyond a float. A file that claims more
 * samples than its bytes can hold is refused before memory is taken for them.
 * Cost: O(samples) work; where samples lack a height, 8 bytes of scratch a sample. */
BOSC_API bosc_status bosc_heights_read(const char *path, bosc_heights_encoding encoding, bosc_heights *heights,
                                       bosc_io_error *error);

/* Heights in a file, of which parts are read as they are needed: for bosc_planet_build_tiles. */
typedef struct bosc_heights_file bosc_heights_file;

/* Opens heights to be read by parts: the formats of bosc_heights_read, but for interlaced PNGs; .npy in either order.
 * file: set on success, to be closed by bosc_heights_file_close; so are width and height.
 * Errors: those of bosc_heights_read for what stands before the samples; BOSC_ERR_IO without room for a temporary
 * file; BOSC_ERR_LIMIT for a TIFF with a compressed strip or tile of more than 512 MiB.
 * Cost: O(1), and for a TIFF O(strips and tiles); but .png and .pgm of text (P2) are unpacked, to a file without a name
 * in /var/tmp (or /tmp) of 4 bytes a sample. Of what is packed (.gz, .zst), or no regular file, or smaller than 1 MB,
 * all is held in memory. */
BOSC_API bosc_status bosc_heights_file_open(const char *path, bosc_heights_encoding encoding, bosc_heights_file **file,
                                            int64_t *width, int64_t *height, bosc_io_error *error);

/* Closes the file. NULL is allowed. */
BOSC_API void bosc_heights_file_close(bosc_heights_file *file);

/* Reads a part, with the floats of bosc_heights_read: a bosc_planet_tile_fn of BOSC_F32, whose user is the file.
 * values (rows x columns): rows from number `row` on, of each the columns from number `column` on.
 * Returns 0, or 1 if it cannot: for a part beyond the raster, a file that is damaged or has become shorter, a sample
 * without a height or with an infinite one. bosc_heights_file_message then has the reason. One call at a time.
 * Cost: the bytes of the part. Of a compressed TIFF the strips and tiles that it lies in are unpacked; 64 MiB of them
 * are kept, or more if twice the part's rows need it all across the raster, so parts from west to east, row of parts
 * after row of parts, unpack each about once. */
BOSC_API int bosc_heights_file_read(void *file, int64_t row, int64_t column, int64_t rows, int64_t columns,
                                    void *values);

/* Why the last part could not be read, as the text of an error; "" if it could. Never NULL. */
BOSC_API const char *bosc_heights_file_message(const bosc_heights_file *file);

/* Writes heights: .npy ("-" too) as f4; .tif as floats, with the spacing; .png and .pgm as 16 bits, .hgt (a square of
 * at least 2 x 2) as int16, these three rounded to the nearest integer, halves upwards.
 * Errors: BOSC_ERR_DATA for heights that do not fit the format.
 * Cost: O(samples) work. */
BOSC_API bosc_status bosc_heights_write(const char *path, const bosc_heights *heights, bosc_io_error *error);

/* ---- scenes ---- */

/* A robot and an obstacle in host memory. What a reader fills is the caller's to free with bosc_scene_free. */
typedef struct bosc_scene {
    bosc_plan_scene plan;     /* for bosc_plan_build; its arrays belong to this struct */
    double origin[3];         /* where the robot's origin, about which it rotates, is in the obstacle's file */
    int32_t has_from, has_to; /* 1: the file says where the robot begins, or ends */
    double from[4], to[4];    /* these rotations: w, x, y, z, of length 1 */
} bosc_scene;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_scene_opts {
    size_t size;
    int32_t level;           /* of sphere trees, from 1, which is the root; 0: the deepest */
    int32_t robot_convex;    /* 1: triangles that share vertices bound a convex solid; 0: surfaces without an inside */
    int32_t obstacle_convex; /* the same of the obstacle */
} bosc_scene_opts;

/* Frees the bodies that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_scene_free(bosc_scene *scene);

/* Reads a scene: a folder, or a file of Qt's data stream (.arr by custom).
 *
 *   folder   robot and obstacle, each with one of the endings .txt, .sph, .off, .obj, .ply, .stl; and transform.txt, if
 *            it is there
 *   .txt     the number of vertices, their x, y, z, the number of triangles, and of each three vertices, from 0;
 *            three numbers for the normal of each corner may follow, and are passed over
 *   .sph     a sphere tree: levels and children of a node; a line a node, level by level: x, y, z, radius, flag. The
 *            balls of one level are the body; one whose radius is not above 0 is none, in an .arr too
 *   others   meshes, as bosc_mesh_read has them
 *   .arr     objects of balls or triangles: those that rotate are the robot, the others the obstacle; the rotations at
 *            the begin and the end are the inverses of those by its angles: heading about y, attitude about z, bank
 *            about x, in radians
 *
 * transform.txt holds one or two 4 x 4 matrices, by rows: where the robot stands at the begin, and at the end. It
 * rotates about its own origin, which the first matrix places: the obstacle is moved by as much the other way. The
 * second one gives `to` where it has the same translation; rotations alone do not reach another.
 *
 * Convex solids are what triangles bound that share vertices, by their numbers, or, in a body whose triangles all have
 * vertices of their own (.stl, .arr), by their coordinates. Facets are turned so that they are counterclockwise as seen
 * from outside; that solids are convex and closed is for bosc_plan_build to say.
 * opts: NULL: all defaults.
 * Errors: BOSC_ERR_DATA for numbers that are not finite, and for matrices that are no rotation to four digits;
 * BOSC_ERR_FORMAT for a scene without a robot or an obstacle, and for two files of one body. Faults of an .arr are told
 * with the byte where they are. */
BOSC_API bosc_status bosc_scene_read(const char *path, const bosc_scene_opts *opts, bosc_scene *scene,
                                     bosc_io_error *error);

/* Reads a scene of two files, a robot and an obstacle, each of one of the formats of bosc_scene_read's folders. */
BOSC_API bosc_status bosc_scene_read_bodies(const char *robot, const char *obstacle, const bosc_scene_opts *opts,
                                            bosc_scene *scene, bosc_io_error *error);

/* Writes robot.txt and obstacle.txt into a folder, which is there: triangles, and facets of convex solids as fans.
 * Both files appear, or none.
 * Errors: BOSC_ERR_ARG for balls, and for a body without triangles. */
BOSC_API bosc_status bosc_scene_write(const char *folder, const bosc_plan_scene *scene, bosc_io_error *error);

/* Reads rotations, (n, 4) f8: w, x, y, z a row, as text or .npy. bosc_route_write writes them.
 * Errors: BOSC_ERR_DATA for a row whose length is not 1 within a thousandth. */
BOSC_API bosc_status bosc_rotations_read(const char *path, bosc_array *rotations, bosc_io_error *error);

/* ---- meshes and pictures ---- */

/* Triangles with shared vertices, in the caller's memory. */
typedef struct bosc_mesh {
    int64_t vertices, triangles; /* at least 1 of each; fewer than 2^32 vertices */
    const float *positions;      /* x, y, z of each vertex, finite */
    const float *normals;        /* of unit length, or NULL */
    const uint32_t *indices;     /* three vertices of each triangle */
    int32_t map;                 /* 1: x is east, y south and z up, as on a map whose row 0 is north */
} bosc_mesh;

/* Writes a mesh as .glb (binary glTF 2.0; "-" too), .ply (binary, little-endian) or .obj.
 *
 * Numbers are those of the arrays; .obj has as many digits as bring back the same floats. In a .glb up is y and axes
 * are right-handed: the matrix of its node takes z, or all of a map, there. The others have no such matrix: a map,
 * whose axes are left-handed, is mirrored in most viewers of them.
 * Errors: BOSC_ERR_LIMIT for a .glb that would take 4 GiB.
 * Cost: O(vertices + triangles) work. */
BOSC_API bosc_status bosc_mesh_write(const char *path, const bosc_mesh *mesh, bosc_io_error *error);

/* Reads a mesh: vertices (n, 3) f8, and triangles (m, 3) u4, numbers of their vertices.
 *
 *   .off   with any of the prefixes ST, C, N; ascii
 *   .obj   `v` and `f`, whose corners are v, v/vt, v//vn or v/vt/vn, from 1, or from the last vertex backwards
 *   .ply   vertex with x, y, z; face with a list vertex_indices or vertex_index; ascii or binary, of either byte order
 *   .stl   ascii or binary; every triangle has three vertices of its own
 *
 * Polygons become fans around their first corners; faces of one or two corners are passed over.
 * Errors: BOSC_ERR_DATA for a NaN; BOSC_ERR_FORMAT for a corner that is no vertex, and for a file without triangles;
 * BOSC_ERR_LIMIT for 2^32 vertices.
 * Cost: one pass over the bytes; memory for the arrays, which may be twice as much while they grow. */
BOSC_API bosc_status bosc_mesh_read(const char *path, bosc_array *vertices, bosc_array *triangles,
                                    bosc_io_error *error);

/* Writes an 8-bit RGB picture, rows from the top, as PNG.
 * Cost: O(width x height) work. */
BOSC_API bosc_status bosc_png_write(const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                                    bosc_io_error *error);

/* Writes a mesh and a picture of it: both files appear, or neither. */
BOSC_API bosc_status bosc_mesh_and_png_write(const char *path, const bosc_mesh *mesh, const char *png_path,
                                             const uint8_t *rgb, int32_t width, int32_t height, bosc_io_error *error);

/* A robot that turns about the origin among an obstacle, in the caller's memory. Meshes have map 0. */
typedef struct bosc_motion {
    bosc_mesh robot, obstacle;
    int64_t keys;
    const double *times;     /* (keys) seconds from 0 on, ascending, as floats too */
    const double *rotations; /* (keys x 4) w, x, y, z of any length; between two keys goes the shorter slerp */
} bosc_motion;

/* Writes a motion as .glb ("-" too): both meshes, and an animation of the robot's node, with z up.
 * Errors: as bosc_mesh_write.
 * Cost: O(vertices + triangles + keys) work; 20 bytes a key of memory. */
BOSC_API bosc_status bosc_motion_write(const char *path, const bosc_motion *motion, bosc_io_error *error);

/* A path of rotations, a picture and a motion; files whose path is NULL are not wanted. */
typedef struct bosc_route_files {
    const char *path;            /* .csv ("-" too), .tsv, .txt, or else .npy */
    const bosc_array *rotations; /* (n, 4) f8 */
    const char *png_path;
    const uint8_t *rgb;
    int32_t width, height;
    const char *motion_path;
    const bosc_motion *motion;
} bosc_route_files;

/* Writes them: all files appear, or none.
 * Errors: as bosc_arrays_write, bosc_png_write and bosc_motion_write. */
BOSC_API bosc_status bosc_route_write(const bosc_route_files *files, bosc_io_error *error);

BOSC_END_DECLS
#endif
