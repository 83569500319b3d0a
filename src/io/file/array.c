/* Arrays in host memory: allocation, checks, slices, conversion of element types. */
#include "io/file/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/number.h"

static const struct {
    bosc_dtype dtype;
    char code[3];
} codes[] = {{BOSC_F32, "f4"}, {BOSC_F64, "f8"}, {BOSC_I32, "i4"}, {BOSC_I64, "i8"}, {BOSC_U32, "u4"},
             {BOSC_U64, "u8"}, {BOSC_U8, "u1"},  {BOSC_I8, "i1"},  {BOSC_I16, "i2"}, {BOSC_U16, "u2"}};
enum { CODE_COUNT = sizeof codes / sizeof codes[0] };

const char *bi_dtype_code(bosc_dtype dtype)
{
    for (int i = 0; i < CODE_COUNT; i++)
        if (codes[i].dtype == dtype) return codes[i].code;
    return ""; /* unreached: dtypes have been checked */
}

bool bi_dtype_of_code(const char *code, bosc_dtype *dtype)
{
    for (int i = 0; i < CODE_COUNT; i++)
        if (strcmp(code, codes[i].code) == 0) {
            *dtype = codes[i].dtype;
            return true;
        }
    return false;
}

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

/* Elements tested by a loop that vectorises, between two branches: 32 KB of doubles, so that a block with a NaN is read
 * again from the first-level cache. */
enum { NAN_BLOCK = 4096 };

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
    if (in->keeps_nan) return BOSC_OK;
    if (rows->dtype == BOSC_F32) at = first_nan_f32(rows->data, count);
    if (rows->dtype == BOSC_F64) at = first_nan_f64(rows->data, count);
    if (at < 0) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: NaN", in->name, (long long)(first + at / width));
}

#define DEFINE_DROP_NAN(name, T)                                                         \
    static int64_t name(T *rows, int64_t n, int64_t width)                               \
    {                                                                                    \
        int64_t kept = 0;                                                                \
        for (int64_t i = 0; i < n; i++) {                                                \
            const T *row = rows + i * width;                                             \
            bool is_number = true;                                                       \
            for (int64_t c = 0; c < width; c++) is_number &= row[c] == row[c];           \
            if (!is_number) continue;                                                    \
            if (kept < i) memcpy(rows + kept * width, row, (size_t)width * sizeof *row); \
            kept++;                                                                      \
        }                                                                                \
        return kept;                                                                     \
    }
DEFINE_DROP_NAN(drop_nan_f32, float)
DEFINE_DROP_NAN(drop_nan_f64, double)

int64_t bi_array_drop_nan(bosc_array *rows)
{
    const int64_t n = rows->shape[0];
    if (rows->dtype == BOSC_F32) rows->shape[0] = drop_nan_f32(rows->data, n, rows->shape[1]);
    if (rows->dtype == BOSC_F64) rows->shape[0] = drop_nan_f64(rows->data, n, rows->shape[1]);
    return n - rows->shape[0];
}

/* ---- slices ---- */

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

/* ---- conversion ---- */

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

/* Stores the element at index i and returns true; returns false unless it is an integer from least to most. */
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

static bosc_status refuse_value(const char *name, int64_t row, struct element e, bosc_dtype dtype, bosc_io_error *error)
{
    char text[32];
    if (e.real)
        snprintf(text, sizeof text, "%.15g", e.x);
    else
        *bi_integer_write(text, e.n < 0, (uint64_t)(e.n < 0 ? -e.n : e.n)) = 0;
    return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: %s is not a value of %s", name, (long long)row,
                      isnan(e.x) ? "NaN" : text, bi_dtype_code(dtype));
}

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
        if (++i % BI_IO_REPORT_NUMBERS == 0 && !bi_io_set_done((double)i)) break;
    /* 2. Replace the array, or fail. */
    if (bi_io_is_cancelled()) {
        bosc_array_free(&fresh);
        return BOSC_ERR_CANCELLED;
    }
    if (i < count) {
        bosc_array_free(&fresh);
        return refuse_value(name, first + i / (count / array->shape[0]), element_of(array, i), dtype, error);
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
