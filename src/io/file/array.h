/* Arrays in host memory. */
#ifndef BI_IO_FILE_ARRAY_H
#define BI_IO_FILE_ARRAY_H

#include "io/file/bytes.h"

/* Allocates an array of this shape. The product of the sizes is checked for overflow. */
bosc_status bi_array_new(const char *name, bosc_dtype dtype, int32_t rank, const int64_t *shape, bosc_array *array,
                         bosc_io_error *error);

/* Finishes a public call that made an array: moves it to *array, or frees it if the call failed. */
bosc_status bi_array_end(bosc_status status, bosc_array *fresh, bosc_array *array, bosc_io_error *error);

/* BOSC_ERR_ARG for an invalid array of the caller. */
bosc_status bi_array_check(const bosc_array *array, bosc_io_error *error);

/* Sets *bytes to the size of the elements; false on overflow or a negative shape. */
bool bi_array_bytes(bosc_dtype dtype, int32_t rank, const int64_t *shape, size_t *bytes);

/* Refuses a NaN in rows of floats: "NAME: row 7: NaN". The first row has number `first`. Other types pass. */
bosc_status bi_refuse_nan(const struct bi_bytes *in, const bosc_array *rows, int64_t first, bosc_io_error *error);

#endif
