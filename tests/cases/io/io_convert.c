/* Conversion of arrays to other element types: values kept, rounded, refused. */
#include <math.h>
#include <stdio.h>

#include "base/fault.h"
#include "support/bytes.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A copy that the converter may free. */
static bosc_array array_of(bosc_dtype dtype, int64_t rows, int64_t width, const void *data)
{
    bosc_array a = {.dtype = dtype, .rank = 2, .shape = {rows, width, 1, 1}};
    size_t bytes = (size_t)(rows * width) * bosc_dtype_size(dtype);
    a.data = suite_alloc(bytes);
    if (bytes) memcpy(a.data, data, bytes);
    return a;
}

/* Every pair of types keeps the values that all types can represent. */
static void converts_every_pair_of_types(void)
{
    static const bosc_dtype types[] = {BOSC_F32, BOSC_F64, BOSC_I8,  BOSC_I16, BOSC_I32,
                                       BOSC_I64, BOSC_U8,  BOSC_U16, BOSC_U32, BOSC_U64};
    static const int8_t small[4] = {0, 1, 100, 127};
    for (size_t from = 0; from < COUNT(types); from++)
        for (size_t to = 0; to < COUNT(types); to++) {
            bosc_array a = array_of(BOSC_I8, 2, 2, small);
            CHECK_EQ(bosc_array_convert("F", &a, types[from], 0, NULL), BOSC_OK);
            CHECK_EQ(bosc_array_convert("F", &a, types[to], 0, NULL), BOSC_OK);
            CHECK(a.dtype == types[to] && a.rank == 2 && a.shape[0] == 2 && a.shape[1] == 2);
            CHECK_EQ(bosc_array_convert("F", &a, BOSC_I8, 0, NULL), BOSC_OK);
            CHECK(memcmp(a.data, small, sizeof small) == 0);
            bosc_array_free(&a);
        }
}

static const struct {
    bosc_dtype from, to;
    union {
        double f;
        int64_t i;
        uint64_t u;
    } value;
    bool exact, rounded; /* whether it is converted, without and with rounding */
    const char *text;
} edges[] = {
    {BOSC_F64, BOSC_F32, {.f = 0.1}, false, true, "0.1 is not a value of f4"},
    {BOSC_F64, BOSC_F32, {.f = 0.5}, true, true, ""},
    {BOSC_F64, BOSC_F32, {.f = INFINITY}, true, true, ""},
    {BOSC_F64, BOSC_F32, {.f = 3.5e38}, false, false, "3.5e+38 is not a value of f4"},
    {BOSC_F64, BOSC_F32, {.f = -1e-50}, false, true, "-1e-50 is not a value of f4"},
    {BOSC_F64, BOSC_I32, {.f = 2147483647}, true, true, ""},
    {BOSC_F64, BOSC_I32, {.f = 2147483648.0}, false, false, "2147483648 is not a value of i4"},
    {BOSC_F64, BOSC_I32, {.f = -2147483648.0}, true, true, ""},
    {BOSC_F64, BOSC_I32, {.f = 0.5}, false, false, "0.5 is not a value of i4"},
    {BOSC_F64, BOSC_I64, {.f = 0x1p63}, false, false, "is not a value of i8"},
    {BOSC_F64, BOSC_I64, {.f = -0x1p63}, true, true, ""},
    {BOSC_F64, BOSC_U64, {.f = 0x1.fffffffffffffp63}, true, true, ""},
    {BOSC_F64, BOSC_U64, {.f = 0x1p64}, false, false, "is not a value of u8"},
    {BOSC_F64, BOSC_U64, {.f = -1}, false, false, "-1 is not a value of u8"},
    {BOSC_F64, BOSC_I64, {.f = NAN}, false, false, "NaN is not a value of i8"},
    {BOSC_F64, BOSC_I64, {.f = -INFINITY}, false, false, "-inf is not a value of i8"},
    {BOSC_I64, BOSC_F64, {.i = INT64_C(1) << 53}, true, true, ""},
    {BOSC_I64, BOSC_F64, {.i = (INT64_C(1) << 53) + 1}, false, true, "9007199254740993 is not a value of f8"},
    {BOSC_I64, BOSC_F64, {.i = INT64_MAX}, false, true, "9223372036854775807 is not a value of f8"},
    {BOSC_I64, BOSC_F64, {.i = INT64_MIN}, true, true, ""},
    {BOSC_I64, BOSC_F32, {.i = 16777217}, false, true, "16777217 is not a value of f4"},
    {BOSC_U64, BOSC_F64, {.u = UINT64_MAX}, false, true, "18446744073709551615 is not a value of f8"},
    {BOSC_I64, BOSC_U64, {.i = -1}, false, false, "-1 is not a value of u8"},
    {BOSC_I64, BOSC_U64, {.i = INT64_MIN}, false, false, "-9223372036854775808 is not a value of u8"},
    {BOSC_U64, BOSC_I64, {.u = UINT64_MAX}, false, false, "18446744073709551615 is not a value of i8"},
    {BOSC_I64, BOSC_I32, {.i = INT64_C(1) << 31}, false, false, "2147483648 is not a value of i4"},
    {BOSC_I64, BOSC_U32, {.i = UINT32_MAX}, true, true, ""},
    {BOSC_I64, BOSC_U32, {.i = INT64_C(1) << 32}, false, false, "4294967296 is not a value of u4"},
    {BOSC_I64, BOSC_I16, {.i = -32768}, true, true, ""},
    {BOSC_I64, BOSC_I16, {.i = 32768}, false, false, "32768 is not a value of i2"},
    {BOSC_I64, BOSC_U16, {.i = 65536}, false, false, "65536 is not a value of u2"},
    {BOSC_I64, BOSC_I8, {.i = -129}, false, false, "-129 is not a value of i1"},
    {BOSC_I64, BOSC_U8, {.i = 256}, false, false, "256 is not a value of u1"},
};

static void at_the_edges(void)
{
    for (size_t i = 0; i < COUNT(edges); i++)
        for (int32_t round = 0; round < 2; round++) {
            uint64_t three[6] = {0}; /* the value stands in the last of three rows */
            bosc_io_error error = {""};
            memcpy(&three[5], &edges[i].value, sizeof *three);
            bosc_array a = array_of(edges[i].from, 3, 2, three);
            const void *before = a.data;
            bosc_status status = bosc_array_convert("F", &a, edges[i].to, round, &error);
            if (status != ((round ? edges[i].rounded : edges[i].exact) ? BOSC_OK : BOSC_ERR_DATA))
                suite_fail(__FILE__, __LINE__, "%zu, %d: %s", i, (int)round, error.text);
            if (status != BOSC_OK) {
                CHECK(a.dtype == edges[i].from && a.data == before);
                CHECK(suite_begins(error.text, "F: row 2: ") && strstr(error.text, edges[i].text));
            } else if (!round) {
                CHECK_EQ(bosc_array_convert("F", &a, edges[i].from, 0, NULL), BOSC_OK);
                CHECK(memcmp(a.data, three, sizeof three) == 0);
            }
            bosc_array_free(&a);
        }
}

static void rounding(void)
{
    static const int64_t integers[] = {16777217, 16777219, INT64_MAX, -33554435, 0x7fffffbfffffffff};
    bosc_array a = array_of(BOSC_I64, 5, 1, integers);
    CHECK_EQ(bosc_array_convert("F", &a, BOSC_F32, 1, NULL), BOSC_OK);
    for (int i = 0; i < 5; i++) CHECK(((const float *)a.data)[i] == (float)integers[i]);
    bosc_array_free(&a);
    const double reals[] = {0.1, NAN, INFINITY, 1e-50};
    a = array_of(BOSC_F64, 4, 1, reals);
    CHECK_EQ(bosc_array_convert("F", &a, BOSC_F32, 1, NULL), BOSC_OK);
    const float *f = a.data;
    CHECK(f[0] == 0.1f && isnan(f[1]) && f[2] == INFINITY && f[3] == 0);
    bosc_array_free(&a);
}

static void bad_arguments(void)
{
    bosc_array a = array_of(BOSC_F64, 0, 3, NULL), none = {.dtype = BOSC_F32, .rank = 1, .shape = {3, 1, 1, 1}};
    CHECK_TEXT(bosc_array_convert(NULL, &a, BOSC_F32, 0, error), "name");
    CHECK_TEXT(bosc_array_convert("F", NULL, BOSC_F32, 0, error), "array");
    CHECK_TEXT(bosc_array_convert("F", &none, BOSC_F32, 0, error), "array");
    CHECK_TEXT(bosc_array_convert("F", &a, (bosc_dtype)0, 0, error), "dtype");
    CHECK_TEXT(bosc_array_convert("F", &a, (bosc_dtype)11, 0, error), "dtype");
    CHECK_TEXT(bosc_array_convert("F", &a, BOSC_F32, 2, error), "round");
    CHECK_EQ(bosc_array_convert("F", &a, BOSC_F32, 0, NULL), BOSC_OK); /* no rows */
    CHECK(a.dtype == BOSC_F32 && a.shape[1] == 3);
#ifdef BOSC_FAULTS
    bi_fault_arm(BI_FAULT_ALLOC, 0, false);
    CHECK_EQ(bosc_array_convert("F", &a, BOSC_F64, 0, NULL), BOSC_ERR_NOMEM);
    bi_fault_disarm();
    CHECK(a.dtype == BOSC_F32);
#endif
    bosc_array_free(&a);
}

static const struct suite_case suite_cases_io_convert[] = {
    {"every pair of types", NULL, converts_every_pair_of_types},
    {"values at the edges", NULL, at_the_edges},
    {"rounding", NULL, rounding},
    {"bad arguments", NULL, bad_arguments},
};
SUITE(io_convert);
