/* Arrays: types, elements, conversions, output. */
#ifndef TOOL_OUTPUT_ARRAYS_H
#define TOOL_OUTPUT_ARRAYS_H

#include "tool/tool.h"

const char *dtype_code(bosc_dtype dtype);                /* "f4" */
double coordinate(const bosc_array *points, int64_t at); /* element `at` of f4, f8, i4 or i8, rounded to double */

/* Converts ids from id_bits to int64_t in place; 32-bit ids fill the front half of the array. */
void widen_ids(int32_t id_bits, void *ids, int64_t count);

size_t square_size(bosc_dtype dtype); /* bytes of a squared distance between such points */

/* Converts squared distances to distances in double, in place; for f4 points they are floats in the front half. */
void squares_to_distances(bosc_dtype dtype, void *squares, int64_t count);

/* Writes .npy files, or text by the endings: all of them or none. A NULL path skips its array; a silent job writes
 * nothing. */
int arrays_write(struct job *job, const char *const *paths, const bosc_array *arrays, int count);

#endif
