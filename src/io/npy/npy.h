/* .npy files. */
#ifndef BI_IO_NPY_NPY_H
#define BI_IO_NPY_NPY_H

#include "io/file/file.h"

struct bi_sink;

bool bi_npy_is(const struct bi_bytes *in);

/* A .npy file whose header has been read and whose size has been checked. */
struct bi_npy {
    bosc_dtype dtype;  /* of the resulting array */
    char kind;         /* 'f', 'i' or 'u' */
    int width;         /* bytes of an element in the file: those of dtype, or 2 for half floats */
    bool big, fortran; /* big-endian; Fortran order (the first index runs fastest) */
    int32_t rank;
    int64_t shape[4];
    size_t at, bytes; /* offset and size of the elements in the file, not aligned */
};
bosc_status bi_npy_open(const struct bi_bytes *in, struct bi_npy *npy, bosc_io_error *error);

/* True if the elements are stored as in memory. */
bool bi_npy_is_plain(const struct bi_npy *npy);

/* Converts elements to an array of dtype in C order, unless bi_npy_is_plain. False if the call was cancelled. */
bool bi_npy_gather(const struct bi_npy *npy, const void *elements, void *array);

/* Converts IEEE 754 binary16 to binary32, exactly. */
uint32_t bi_npy_convert_half(uint32_t half);

bosc_status bi_npy_parse(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error);
/* slice: NULL: the whole array. */
bosc_status bi_npy_parse_slice(const struct bi_bytes *in, bosc_slice *slice, bosc_array *array, bosc_io_error *error);

/* Writes an array that has been checked; the `fill` of an output. */
bosc_status bi_npy_fill(struct bi_sink *sink, const void *array, bosc_io_error *error);

#endif
