/* Slices: the rows of an array that one of several readers receives. */
#include <stdlib.h>
#include <string.h>

#include "io/file/slice.h"

bosc_status bi_slice_check(const bosc_slice *slice, bosc_io_error *error)
{
    if (!slice) return bi_io_fail(error, BOSC_ERR_ARG, "slice: NULL");
    if (slice->part >= 0 && slice->part < slice->parts) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_ARG, "slice: part %lld of %lld", (long long)slice->part, (long long)slice->parts);
}

int64_t bi_slice_set_range(bosc_slice *slice, int64_t n)
{
    const int64_t each = n / slice->parts, remainder = n % slice->parts, part = slice->part;
    slice->begin = each * part + (part < remainder ? part : remainder);
    slice->rows = n;
    return each + (part < remainder);
}

void bi_array_trim_to_slice(bosc_array *array, bosc_slice *slice)
{
    const size_t row = (size_t)(array->shape[1] * array->shape[2] * array->shape[3]) * bosc_dtype_size(array->dtype);
    array->shape[0] = bi_slice_set_range(slice, array->shape[0]);
    const size_t bytes = (size_t)array->shape[0] * row;
    if (slice->begin > 0) memmove(array->data, (const char *)array->data + (size_t)slice->begin * row, bytes);
    void *smaller = realloc(array->data, bytes ? bytes : 1);
    if (smaller) array->data = smaller;
}
