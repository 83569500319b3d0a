/* Statuses, types, bits, radii, sides of lines, Philox. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/orient.h"
#include "base/philox.h"
#include "base/radius.h"
#include "reference/kdtree.h"
#include "support/suite.h"

static void statuses(void)
{
    CHECK(strcmp(bosc_status_name(BOSC_ERR_DATA), "BOSC_ERR_DATA") == 0);
    CHECK(strcmp(bosc_status_name((bosc_status)99), "unknown status") == 0);
    CHECK(strcmp(bosc_status_text((bosc_status)-1), "unknown status") == 0);
    CHECK_EQ(BOSC_ERR_INTERNAL, 11); /* numbers are never reused */
    CHECK(strcmp(bosc_status_text(BOSC_OK), "done") == 0);
    for (int s = BOSC_OK; s <= BOSC_ERR_INTERNAL; s++) {
        CHECK(suite_begins(bosc_status_name((bosc_status)s), "BOSC_") && bosc_status_text((bosc_status)s)[0]);
        for (int t = BOSC_OK; t < s; t++) {
            CHECK(strcmp(bosc_status_name((bosc_status)s), bosc_status_name((bosc_status)t)) != 0);
            CHECK(strcmp(bosc_status_text((bosc_status)s), bosc_status_text((bosc_status)t)) != 0);
        }
    }
    CHECK(strcmp(bosc_version(), BOSC_VERSION_STRING) == 0);
}

static void dtypes(void)
{
    static const struct {
        bosc_dtype dtype;
        size_t size;
        const char *name;
    } types[] = {{BOSC_F32, 4, "f32"},    {BOSC_F64, 8, "f64"}, {BOSC_I32, 4, "i32"},    {BOSC_I64, 8, "i64"},
                 {BOSC_U32, 4, "u32"},    {BOSC_U64, 8, "u64"}, {BOSC_U8, 1, "u8"},      {BOSC_I8, 1, "i8"},
                 {BOSC_I16, 2, "i16"},    {BOSC_U16, 2, "u16"}, {(bosc_dtype)0, 0, "?"}, {(bosc_dtype)11, 0, "?"},
                 {(bosc_dtype)-1, 0, "?"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        CHECK_EQ(bosc_dtype_size(types[i].dtype), types[i].size);
        CHECK(strcmp(bosc_dtype_name(types[i].dtype), types[i].name) == 0);
    }
}

static void ordered_keys(void)
{
    static const float f[] = {-1e38f, -1.0f, -1e-45f, 0.0f, 1e-45f, 1.0f, 1e38f};
    for (int i = 0; i + 1 < 7; i++) {
        CHECK(bi_key_u32_of_f32(f[i]) < bi_key_u32_of_f32(f[i + 1]));
        CHECK(bi_key_u64_of_f64(f[i]) < bi_key_u64_of_f64(f[i + 1]));
        CHECK(bi_f32_of_key(bi_key_u32_of_f32(f[i])) == f[i]);
        CHECK(bi_f64_of_key(bi_key_u64_of_f64(f[i])) == f[i]);
    }
    CHECK_EQ(bi_key_u32_of_f32(-0.0f), bi_key_u32_of_f32(0.0f));
    CHECK_EQ(bi_key_u64_of_f64(-0.0), bi_key_u64_of_f64(0.0));
    CHECK(bi_key_u32_of_i32(INT32_MIN) < bi_key_u32_of_i32(-1) && bi_key_u32_of_i32(-1) < bi_key_u32_of_i32(0));
    CHECK(bi_key_u64_of_i64(INT64_MIN) < bi_key_u64_of_i64(-1) && bi_key_u64_of_i64(-1) < bi_key_u64_of_i64(0));
    CHECK_EQ(bi_bit_length(0), 0);
    CHECK_EQ(bi_bit_length(255), 8);
    CHECK_EQ(bi_bit_length(256), 9);
    CHECK_EQ(bi_bit_length(UINT64_MAX), 64);
}

/* The known answers that the authors publish with Random123 (kat_vectors). */
static void philox_published_vectors(void)
{
    static const struct {
        struct bi_philox ctr;
        uint32_t key[2];
        uint32_t out[4];
    } kat[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{{~0u, ~0u, ~0u, ~0u}}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < 3; i++) {
        struct bi_philox got = bi_philox4x32(kat[i].ctr, kat[i].key[0], kat[i].key[1]);
        for (int j = 0; j < 4; j++) CHECK_EQ(got.v[j], kat[i].out[j]);
    }
}

/* The largest square with a root of at most the radius, by steps from number to number. */
static void squares_within_radii(void)
{
    static const double radii[] = {0,    5e-324, 0x1p-1022, 1e-200, 1.5e-162, 0x1p-511, 0x1p-149, 3.8e-23, 1e-19,   0.1,
                                   1e19, 1,      FLT_MAX,   3.5e38, 1.3e154,  1.4e154,  1e200,    DBL_MAX, INFINITY};
    struct suite_random r = {4};
    for (int single = 0; single < 2; single++) {
        for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i++)
            CHECK(bi_square_limit(radii[i], single) == reference_square_limit(radii[i], single));
        for (int i = 0; i < 3000; i++) {
            const double radius = ldexp(1 + suite_unit(&r), (int)suite_below(&r, 2046) - 1022);
            const double near = ldexp(1 + suite_unit(&r), (int)suite_below(&r, 250) - 125);
            CHECK(bi_square_limit(radius, single) == reference_square_limit(radius, single));
            CHECK(bi_square_limit(near, single) == reference_square_limit(near, single));
        }
        CHECK(bi_square_limit(-1, single) == -1);
        CHECK(bi_square_limit(bi_f64_from_bits(0x7fffffffffffffffull), single) == -1);
    }
}

/* Points about (1/2, 1/2), at the distance of doubles, and the line y = x: differences with its far points are rounded.
 * Source: Kettner, Mehlhorn, Pion, Schirra, Yap, Classroom Examples of Robustness Problems (2004). */
static void sides_of_a_line(void)
{
    static const double b[] = {12, 12}, c[] = {24, 24};
    double work[BI_ORIENT2_WORK];
    for (int x = 0; x < 64; x++)
        for (int y = 0; y < 64; y++) {
            const double a[] = {0.5 + x * 0x1p-53, 0.5 + y * 0x1p-53};
            CHECK_EQ(bi_orient2(work, a, b, c, 0, 1), (y > x) - (y < x));
        }
}

static const struct suite_case suite_cases_base[] = {
    {"statuses", NULL, statuses},
    {"element types", NULL, dtypes},
    {"ordered keys", NULL, ordered_keys},
    {"squares within radii", NULL, squares_within_radii},
    {"sides of a line", NULL, sides_of_a_line},
    {"Philox gives the published vectors", NULL, philox_published_vectors},
};
SUITE(base);
