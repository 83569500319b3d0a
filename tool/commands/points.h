/* Points, boxes and vectors from files. A saved tree serves as points. */
#ifndef TOOL_COMMANDS_POINTS_H
#define TOOL_COMMANDS_POINTS_H

#include "tool/tool.h"

/* With --skip-nan without the points that have a NaN; adds their number to the result `skipped`. */
int points_read(struct job *job, const char *path, bosc_array *points);

/* Reads a saved tree, or points of the file's type; sets one of the two. */
int tree_or_points_read(struct job *job, const char *path, bosc_kdtree **tree, bosc_array *points);

/* Reads a slice of the points of a file. */
int points_read_slice(struct job *job, const char *path, bosc_slice *slice, bosc_array *points);

/* Converts integers to f8; floats stay. */
int points_make_real(const char *path, bosc_array *points);

/* Reads offsets of systems or clouds: the first row of each, then n. path NULL: one group of all rows. rows: their name
 * in errors. */
int offsets_read(struct job *job, const char *path, int64_t n, const char *rows, int64_t **offsets, int64_t *count);

/* Converts points to the type of --dtype, if given, rounding to floats. slice: where they are in the file; NULL:
 * all. */
int points_convert(const struct job *job, const char *path, const bosc_slice *slice, bosc_array *points);

/* Converts queries or boxes to the type of the points. Floats of text, which has no type, are rounded. Other values
 * that would change are refused unless --dtype is given. */
int match_points(const struct job *job, const char *path, bosc_array *array, bosc_dtype type);

/* Refuses text, whose rows cannot be boxes. */
int boxes_check_ending(const char *path, int32_t dim);

/* Checks that the shape of boxes is (m, 2, dim). */
int boxes_check(const char *path, const bosc_array *boxes, int32_t dim);

/* Refuses NaN in boxes. first: number of the first box in the file. */
int boxes_reject_nan(const char *path, const bosc_array *boxes, int64_t first);

/* Notes, by the endings of both names, that one mesh is turned, as a .glb is, and the other is not. */
void meshes_note_axes(struct job *job, const char *a, const char *b);

/* Reads vectors, with --alphabet and --n. bits: length of a vector; 0: as the file has it. Adds the number of
 * vectors left out to the result `skipped`. */
int vectors_read(struct job *job, const char *path, int64_t bits, bosc_vectors *vectors);

/* Converts numbers of vectors to rows of the file; -1 stays. */
void vectors_to_rows(const bosc_vectors *vectors, int64_t *numbers, int64_t count);

/* Expands an i8 array, with a value for each vector, to the rows of the file; -1 for rows left out. */
int vectors_expand(const bosc_vectors *vectors, bosc_array *values);

/* Refuses a method of cell graphs that is not for such vectors. */
int cellgraph_check_method(const bosc_vectors *vectors, int method);

#endif
