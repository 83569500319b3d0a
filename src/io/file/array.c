/* Arrays in host memory: allocation, checks of sizes, search for NaN. */
#include "io/file/array.h"
#include "io/file/bytes.h"

#include <stdlib.h>

bool bi_array_bytes(bosc_dtype dtype, int32_t rank, const int64_t *shape, size_t *bytes)
{
    /* Skip zeros in the product, so that a zero does not hide an absurd shape. */
    int64_t product = (int64_t)bosc_dtype_size(dtype);
    bool empty = false;
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] < 0) return false;
        if (shape[i] == 0) empty = true;
        if (shape[i] > 0 && __builtin_mul_overflow(product, shape[i], &product)) return false;
    }
    *bytes = empty ? 0 : (size_t)product;
    return true;
}

bosc_status bi_array_new(const char *name, bosc_dtype dtype, int32_t rank, const int64_t *shape, bosc_array *array,
                         bosc_io_error *error)
{
    size_t bytes;
    if (!bi_array_bytes(dtype, rank, shape, &bytes))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the shape is too large", name);
    bosc_array fresh = {.dtype = dtype, .rank = rank, .shape = {1, 1, 1, 1}};
    for (int32_t i = 0; i < rank; i++) fresh.shape[i] = shape[i];
    fresh.data = bi_io_alloc(bytes);
    if (!fresh.data) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %zu bytes", name, bytes);
    *array = fresh;
    return BOSC_OK;
}

bosc_status bi_array_check(const bosc_array *array, bosc_io_error *error)
{
    size_t bytes;
    if (!array) return bi_io_fail(error, BOSC_ERR_ARG, "array: NULL");
    if (!bosc_dtype_size(array->dtype))
        return bi_io_fail(error, BOSC_ERR_ARG, "array: %d is not an element type", (int)array->dtype);
    if (array->rank < 1 || array->rank > 4)
        return bi_io_fail(error, BOSC_ERR_ARG, "array: the rank %d is not from 1 to 4", array->rank);
    if (!bi_array_bytes(array->dtype, array->rank, array->shape, &bytes))
        return bi_io_fail(error, BOSC_ERR_ARG, "array: the shape is negative or too large");
    if (bytes && !array->data) return bi_io_fail(error, BOSC_ERR_ARG, "array: data is NULL");
    return BOSC_OK;
}

bosc_status bi_array_end(bosc_status status, bosc_array *fresh, bosc_array *array, bosc_io_error *error)
{
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *array = *fresh;
    else
        bosc_array_free(fresh);
    return status;
}

void bosc_array_free(bosc_array *array)
{
    if (!array) return;
    free(array->data);
    *array = (bosc_array){0};
}

enum { NAN_BLOCK = 4096 }; /* elements tested between two branches, in a loop that vectorises; chosen */

#define DEFINE_FIRST_NAN(name, T)                                          \
    static int64_t name(const T *x, int64_t n)                             \
    {                                                                      \
        for (int64_t begin = 0; begin < n; begin += NAN_BLOCK) {           \
            int64_t limit = n - begin < NAN_BLOCK ? n : begin + NAN_BLOCK; \
            int bad = 0;                                                   \
            for (int64_t i = begin; i < limit; i++) bad |= x[i] != x[i];   \
            for (int64_t i = begin; bad && i < limit; i++)                 \
                if (x[i] != x[i]) return i;                                \
        }                                                                  \
        return -1;                                                         \
    }
DEFINE_FIRST_NAN(first_nan_f32, float)
DEFINE_FIRST_NAN(first_nan_f64, double)

bosc_status bi_refuse_nan(const struct bi_bytes *in, const bosc_array *rows, int64_t first, bosc_io_error *error)
{
    int64_t width = rows->shape[1] * rows->shape[2] * rows->shape[3], count = rows->shape[0] * width, at = -1;
    if (rows->dtype == BOSC_F32) at = first_nan_f32(rows->data, count);
    if (rows->dtype == BOSC_F64) at = first_nan_f64(rows->data, count);
    if (at < 0) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: NaN", in->name, (long long)(first + at / width));
}
