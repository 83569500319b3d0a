/* Converts arrays to other element types. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/npy/convert.h"
#include "io/file/array.h"
#include "io/file/slice.h"
#include "io/npy/npy.h"
#include "io/text/number.h"

/* An element of any type: a float in x, or an integer in n. */
struct element {
    bool real;
    double x;
    __int128 n;
};

static struct element element_of(const bosc_array *a, int64_t i)
{
    switch (a->dtype) {
    case BOSC_F32: return (struct element){.real = true, .x = (double)((const float *)a->data)[i]};
    case BOSC_F64: return (struct element){.real = true, .x = ((const double *)a->data)[i]};
    case BOSC_I8: return (struct element){.n = ((const int8_t *)a->data)[i]};
    case BOSC_I16: return (struct element){.n = ((const int16_t *)a->data)[i]};
    case BOSC_I32: return (struct element){.n = ((const int32_t *)a->data)[i]};
    case BOSC_I64: return (struct element){.n = ((const int64_t *)a->data)[i]};
    case BOSC_U8: return (struct element){.n = ((const uint8_t *)a->data)[i]};
    case BOSC_U16: return (struct element){.n = ((const uint16_t *)a->data)[i]};
    case BOSC_U32: return (struct element){.n = ((const uint32_t *)a->data)[i]};
    case BOSC_U64: return (struct element){.n = ((const uint64_t *)a->data)[i]};
    }
    return (struct element){0}; /* unreached: types have been checked */
}

/* True if the conversion to a float keeps the value, or may round. NaN stays NaN. */
static bool is_kept(struct element e, double y, bool round)
{
    if (e.real) return e.x == y || e.x != e.x || (round && isfinite(y) && isfinite(e.x));
    return round || (__int128)y == e.n;
}

/* Stores the element at index i if it is an integer from least to most. */
#define STORE_INTEGER(T, least, most)                                            \
    if (e.real && !(e.x >= -0x1p63 && e.x < 0x1p64)) return false;               \
    n = e.real ? (__int128)e.x : e.n;                                            \
    if ((e.real && (double)n != e.x) || n < (least) || n > (most)) return false; \
    ((T *)to->data)[i] = (T)n;                                                   \
    return true

static bool store_element(const bosc_array *to, int64_t i, struct element e, bool round)
{
    __int128 n;
    switch (to->dtype) {
    case BOSC_F32:
        ((float *)to->data)[i] = e.real ? (float)e.x : (float)e.n;
        return is_kept(e, (double)((const float *)to->data)[i], round);
    case BOSC_F64:
        ((double *)to->data)[i] = e.real ? e.x : (double)e.n;
        return is_kept(e, ((const double *)to->data)[i], round);
    case BOSC_I8: STORE_INTEGER(int8_t, INT8_MIN, INT8_MAX);
    case BOSC_I16: STORE_INTEGER(int16_t, INT16_MIN, INT16_MAX);
    case BOSC_I32: STORE_INTEGER(int32_t, INT32_MIN, INT32_MAX);
    case BOSC_I64: STORE_INTEGER(int64_t, INT64_MIN, INT64_MAX);
    case BOSC_U8: STORE_INTEGER(uint8_t, 0, UINT8_MAX);
    case BOSC_U16: STORE_INTEGER(uint16_t, 0, UINT16_MAX);
    case BOSC_U32: STORE_INTEGER(uint32_t, 0, UINT32_MAX);
    case BOSC_U64: STORE_INTEGER(uint64_t, 0, UINT64_MAX);
    }
    return false; /* unreached: types have been checked */
}

static bosc_status refuse(const char *name, int64_t row, struct element e, bosc_dtype dtype, bosc_io_error *error)
{
    char text[32];
    if (e.real)
        snprintf(text, sizeof text, "%.15g", e.x);
    else
        *bi_integer_write(text, e.n < 0, (uint64_t)(e.n < 0 ? -e.n : e.n)) = 0;
    return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: %s is not a value of %s", name, (long long)row,
                      isnan(e.x) ? "NaN" : text, bi_npy_code(dtype));
}

enum { PROGRESS_INTERVAL = 1 << 14 }; /* elements between two progress reports; chosen */

bosc_status bi_array_convert(const char *name, bosc_array *array, int64_t first, bosc_dtype dtype, bool round,
                             bosc_io_error *error)
{
    bosc_array fresh;
    if (array->dtype == dtype) return BOSC_OK;
    bosc_status status = bi_array_new(name, dtype, array->rank, array->shape, &fresh, error);
    if (status != BOSC_OK) return status;
    size_t bytes = 0;
    /* 1. Convert up to the first element without a value in the type. */
    bi_array_bytes(dtype, fresh.rank, fresh.shape, &bytes);
    int64_t count = (int64_t)(bytes / bosc_dtype_size(dtype)), i = 0;
    bi_io_phase(0.9, (double)count);
    while (i < count && store_element(&fresh, i, element_of(array, i), round))
        if (++i % PROGRESS_INTERVAL == 0 && !bi_io_set_done((double)i)) break;
    /* 2. Replace the array, or fail. */
    if (bi_io_is_cancelled()) {
        bosc_array_free(&fresh);
        return BOSC_ERR_CANCELLED;
    }
    if (i < count) {
        bosc_array_free(&fresh);
        return refuse(name, first + i / (count / array->shape[0]), element_of(array, i), dtype, error);
    }
    free(array->data);
    *array = fresh;
    return BOSC_OK;
}

static bosc_status check_and_convert(const char *name, bosc_array *array, int64_t first, bosc_dtype dtype,
                                     int32_t round, bosc_io_error *error)
{
    if (!name) return bi_io_fail(error, BOSC_ERR_ARG, "name: NULL");
    bosc_status status = bi_array_check(array, error);
    if (status != BOSC_OK) return status;
    if (!bosc_dtype_size(dtype)) return bi_io_fail(error, BOSC_ERR_ARG, "dtype: %d is not an element type", (int)dtype);
    if (round != 0 && round != 1) return bi_io_fail(error, BOSC_ERR_ARG, "round: %d", (int)round);
    return bi_io_end(bi_array_convert(name, array, first, dtype, round, error), error);
}

bosc_status bosc_array_convert(const char *name, bosc_array *array, bosc_dtype dtype, int32_t round,
                               bosc_io_error *error)
{
    BI_IO_ENTER;
    return check_and_convert(name, array, 0, dtype, round, error);
}

bosc_status bosc_slice_convert(const char *name, const bosc_slice *slice, bosc_array *array, bosc_dtype dtype,
                               int32_t round, bosc_io_error *error)
{
    BI_IO_ENTER;
    bosc_status status = bi_slice_check(slice, error);
    return status == BOSC_OK ? check_and_convert(name, array, slice->begin, dtype, round, error) : status;
}
