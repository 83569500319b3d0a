/* Arrays in host memory. */
#ifndef BI_IO_FILE_ARRAY_H
#define BI_IO_FILE_ARRAY_H

#include "io/file/file.h"

/* Allocates an array of this shape. The product of the sizes is checked for overflow. */
bosc_status bi_array_new(const char *name, bosc_dtype dtype, int32_t rank, const int64_t *shape, bosc_array *array,
                         bosc_io_error *error);

/* Finishes a public call that made an array: moves it to *array, or frees it if the call failed. */
bosc_status bi_array_end(bosc_status status, bosc_array *fresh, bosc_array *array, bosc_io_error *error);

/* Returns the code of an element type in .npy files and messages, such as "f4". */
const char *bi_dtype_code(bosc_dtype dtype);
/* Sets the type of a code; false: unknown. */
bool bi_dtype_of_code(const char *code, bosc_dtype *dtype);

/* BOSC_ERR_ARG for an invalid array of the caller. */
bosc_status bi_array_check(const bosc_array *array, bosc_io_error *error);

/* Sets *bytes to the size of the elements; false on overflow or a negative shape. */
bool bi_array_bytes(bosc_dtype dtype, int32_t rank, const int64_t *shape, size_t *bytes);

/* Refuses a NaN in rows of floats: "NAME: row 7: NaN". The first row has number `first`. Other types pass,
 * and all if `in` keeps NaN. */
bosc_status bi_refuse_nan(const struct bi_bytes *in, const bosc_array *rows, int64_t first, bosc_io_error *error);

/* Removes the rows of a matrix that have a NaN; returns their number. */
int64_t bi_array_drop_nan(bosc_array *rows);

/* ---- slices: the rows of an array that one of several readers receives ---- */

/* BOSC_ERR_ARG for an invalid slice. */
bosc_status bi_slice_check(const bosc_slice *slice, bosc_io_error *error);

/* Sets begin and rows for an array of n rows; returns the number of rows in the slice. */
int64_t bi_slice_set_range(bosc_slice *slice, int64_t n);

/* Removes the rows outside the slice, and sets begin and rows. */
void bi_array_trim_to_slice(bosc_array *array, bosc_slice *slice);

/* ---- conversion of element types ---- */

/* As bosc_array_convert, for checked arguments. The first row has number `first` in messages. */
bosc_status bi_array_convert(const char *name, bosc_array *array, int64_t first, bosc_dtype dtype, bool round,
                             bosc_io_error *error);

#endif
