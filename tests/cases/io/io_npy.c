/* .npy files, good and bad. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "support/bytes.h"
#include "io/file/array.h"
#include "io/mesh/points.h"
#include "io/npy/npy.h"

/* Makes a file of a format version with a header and `body` bytes after it. Returns its size. */
static size_t make_file(char *out, int version, const char *header, size_t body)
{
    size_t length = strlen(header), before = version == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)version;
    out[7] = 0;
    for (size_t i = 8; i < before; i++) out[i] = (char)(length >> (8 * (i - 8)) & 255);
    memcpy(out + before, header, length);
    for (size_t i = 0; i < body; i++) out[before + length + i] = (char)i;
    return before + length + body;
}

#define HEADER(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': (" shape "), }\n"

static void good_files(void)
{
    static const struct {
        const char *header;
        size_t body;
        bosc_dtype dtype;
        int rank;
        int64_t shape[4];
    } good[] = {
        /* Element types, shapes of up to four dimensions, and other spellings of the header. */
        {HEADER("<f4", "2, 3"), 24, BOSC_F32, 2, {2, 3, 1, 1}},
        {HEADER("<f8", "3,"), 24, BOSC_F64, 1, {3, 1, 1, 1}},
        {HEADER("<i4", "1, 2, 3, 1"), 24, BOSC_I32, 4, {1, 2, 3, 1}},
        {HEADER("<i8", "0, 3"), 0, BOSC_I64, 2, {0, 3, 1, 1}},
        {HEADER("<u4", "6,"), 24, BOSC_U32, 1, {6, 1, 1, 1}},
        {HEADER("<u8", "3,1"), 24, BOSC_U64, 2, {3, 1, 1, 1}},
        {HEADER("|u1", "24,"), 24, BOSC_U8, 1, {24, 1, 1, 1}},
        {HEADER("|i1", "24,"), 24, BOSC_I8, 1, {24, 1, 1, 1}},
        {HEADER("<i2", "3, 4"), 24, BOSC_I16, 2, {3, 4, 1, 1}},
        {HEADER("<u2", "12,"), 24, BOSC_U16, 1, {12, 1, 1, 1}},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }\n", 24, BOSC_F32, 2, {2, 3, 1, 1}},
        {"{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}", 24, BOSC_F32, 2, {2, 3, 1, 1}},
        {"  { 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' , 'fortran_order' : False }  \n", 24, BOSC_F32, 2, {2, 3, 1, 1}},
    };
    char file[512];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        for (int version = 1; version <= 3; version++) {
            bosc_io_error error;
            bosc_array a = {0};
            size_t size = make_file(file, version, good[i].header, good[i].body);
            if (parse_bytes(bi_npy_parse, file, size, &a, &error) != BOSC_OK)
                suite_fail(__FILE__, __LINE__, "refused: %s", error.text);
            CHECK_EQ(a.dtype, good[i].dtype);
            CHECK_EQ(a.rank, good[i].rank);
            CHECK(memcmp(a.shape, good[i].shape, sizeof a.shape) == 0);
            CHECK(memcmp(a.data, file + size - good[i].body, good[i].body) == 0);
            bosc_array_free(&a);
        }
}

#define FORTRAN(descr, shape) "{'descr': '" descr "', 'fortran_order': True, 'shape': (" shape "), }\n"

/* Elements stored unlike in memory: in the other byte order, in half precision, with the first index fastest. */
static void other_layouts(void)
{
    static const struct {
        const char *header;
        size_t body;
        bosc_dtype dtype;
        int rank;
        int64_t shape[4];
        int64_t swap; /* bytes whose order is turned round */
        int order[8]; /* the elements of the file in their order in memory */
    } files[] = {
        {HEADER(">u2", "4,"), 8, BOSC_U16, 1, {4, 1, 1, 1}, 2, {0, 1, 2, 3}},
        {HEADER(">i4", "2, 1"), 8, BOSC_I32, 2, {2, 1, 1, 1}, 4, {0, 1}},
        {HEADER(">f8", "1,"), 8, BOSC_F64, 1, {1, 1, 1, 1}, 8, {0}},
        {HEADER(">u1", "3,"), 3, BOSC_U8, 1, {3, 1, 1, 1}, 1, {0, 1, 2}},
        {HEADER("|b1", "3,"), 3, BOSC_U8, 1, {3, 1, 1, 1}, 1, {0, 1, 2}},
        {FORTRAN("<u2", "2, 3"), 12, BOSC_U16, 2, {2, 3, 1, 1}, 1, {0, 2, 4, 1, 3, 5}},
        {FORTRAN(">u2", "2, 3"), 12, BOSC_U16, 2, {2, 3, 1, 1}, 2, {0, 2, 4, 1, 3, 5}},
        {FORTRAN("|u1", "2, 2, 2"), 8, BOSC_U8, 3, {2, 2, 2, 1}, 1, {0, 4, 2, 6, 1, 5, 3, 7}},
        {FORTRAN("|i1", "1, 2, 1, 3"), 6, BOSC_I8, 4, {1, 2, 1, 3}, 1, {0, 2, 4, 1, 3, 5}},
        {FORTRAN("<i8", "0, 3"), 0, BOSC_I64, 2, {0, 3, 1, 1}, 1, {0}},
        {FORTRAN("|u1", "4611686018427387904, 0"), 0, BOSC_U8, 2, {INT64_C(1) << 62, 0, 1, 1}, 1, {0}},
    };
    char file[512], expected[16];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        bosc_io_error error;
        bosc_array a = {0};
        size_t size = make_file(file, 1, files[i].header, files[i].body), width = bosc_dtype_size(files[i].dtype);
        if (parse_bytes(bi_npy_parse, file, size, &a, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "refused: %s", error.text);
        CHECK(a.dtype == files[i].dtype && a.rank == files[i].rank);
        CHECK(memcmp(a.shape, files[i].shape, sizeof a.shape) == 0);
        for (size_t k = 0; k < files[i].body; k++) {
            size_t byte = k % width, from = files[i].swap > 1 ? width - 1 - byte : byte;
            expected[k] = (char)((size_t)files[i].order[k / width] * width + from);
        }
        CHECK(memcmp(a.data, expected, files[i].body) == 0);
        bosc_array_free(&a);
    }
}

/* Every half-precision number converts to the float with its sign, exponent and fraction. */
static void half_floats(void)
{
    enum { ALL = 1 << 16 };
    static char file[2 * ALL + 128];
    for (int big = 0; big < 2; big++) {
        bosc_array a = {0};
        bosc_io_error error;
        size_t size = make_file(file, 1, big ? HEADER(">f2", "65536,") : HEADER("<f2", "65536,"), 2 * ALL);
        unsigned char *bytes = (unsigned char *)file + size - 2 * ALL;
        for (int i = 0; i < ALL; i++) bytes[2 * i + !big] = (unsigned char)(i >> 8);
        for (int i = 0; i < ALL; i++) bytes[2 * i + big] = (unsigned char)i;
        CHECK_EQ(parse_bytes(bi_npy_parse, file, size, &a, &error), BOSC_OK);
        CHECK(a.dtype == BOSC_F32 && a.shape[0] == ALL);
        for (int i = 0; i < ALL; i++) {
            float x = ((const float *)a.data)[i], sign = i >> 15 ? -1.0f : 1.0f;
            int exponent = i >> 10 & 31, fraction = i & 1023;
            if (exponent == 31) {
                CHECK(fraction ? isnan(x) : x == sign * INFINITY);
                continue;
            }
            float size_of = exponent ? ldexpf((float)(1024 + fraction), exponent - 25) : ldexpf((float)fraction, -24);
            CHECK(x == sign * size_of && !signbit(x) == !(i >> 15));
        }
        bosc_array_free(&a);
    }
}

/* Refused headers, and the number of bytes after them. */
static const struct {
    const char *reason, *header;
    size_t body;
} headers[] = {
    {"Python objects", HEADER("|O", "3,"), 24},
    {"Python objects", HEADER("|O8", "3,"), 24},
    {"structured", "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,), }\n", 24},
    {"element type", HEADER("<b2", "12,"), 24},
    {"element type", HEADER("|i3", "8,"), 24},
    {"element type", HEADER("<c8", "3,"), 24},
    {"element type", HEADER("<U2", "3,"), 24},
    {"element type", HEADER("<M8[s]", "3,"), 24},
    {"element type", HEADER("", "3,"), 24},
    {"element type", HEADER("<", "3,"), 24},
    {"element type", HEADER("<f", "3,"), 24},
    {"element type", HEADER("<f44", "3,"), 24},
    {"descr", HEADER("<f4 and a very long type", "6,"), 24},
    {"descr", "{'descr': <f4, 'fortran_order': False, 'shape': (6,), }", 24},
    {"element type", "{'descr': '<f4, 'fortran_order': False, 'shape': (6,), }", 24},
    {"no dimensions", HEADER("<f4", ""), 4},
    {"more than 4", HEADER("<f4", "1, 1, 1, 1, 6"), 24},
    {"too large", HEADER("<f4", "99999999999999999999, 1"), 24},
    {"too large", HEADER("<f4", "9223372036854775807, 1"), 24},
    {"too large", HEADER("<f8", "4611686018427387904, 4"), 24},
    {"too large", HEADER("<f8", "4611686018427387904, 4, 0"), 0},
    {"too large", HEADER("<f8", "0, 4611686018427387904, 4"), 0},
    {"truncated", HEADER("<f8", "1152921504606846975,"), 24},
    {"truncated", HEADER("<f4", "1000000, 1000000"), 24},
    {"truncated", HEADER("<f4", "2, 3"), 23},
    {"truncated", HEADER("<f4", "2, 3"), 0},
    {"follow", HEADER("<f4", "2, 3"), 25},
    {"follow", HEADER("<f4", "0, 3"), 1},
    {"shape", HEADER("<f4", "-2, 3"), 24},
    {"shape", HEADER("<f4", "6"), 24},
    {"shape", HEADER("<f4", "2LL, 3"), 24},
    {"shape", HEADER("<f4", "L, 3"), 24},
    {"shape", HEADER("<f4", "2; 3"), 24},
    {"shape", HEADER("<f4", "2 3"), 24},
    {"shape", HEADER("<f4", ","), 24},
    {"shape", HEADER("<f4", "2,,3"), 24},
    {"shape", HEADER("<f4", "0x2, 3"), 24},
    {"shape", HEADER("<f4", "2.0, 3"), 24},
    {"shape", HEADER("<f4", "True, 3"), 24},
    {"shape", "{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3], }", 24},
    {"shape", "{'descr': '<f4', 'fortran_order': False, 'shape': 6, }", 24},
    {"shape", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3", 24},
    {"shape", "{'descr': '<f4', 'fortran_order': False, 'shape': None}", 24},
    {"fortran_order", "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }", 24},
    {"fortran_order", "{'descr': '<f4', 'fortran_order': Tru, 'shape': (2, 3), }\n", 24},
    {"fortran_order", "{'descr': '<f4', 'fortran_order': Tr", 0},
    {"truncated", "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }\n", 24},
    {"fortran_order", "{'descr': '<f4', 'fortran_order': 'False', 'shape': (2, 3), }", 24},
    {"fortran_order", "{'descr': '<f4', 'fortran_order': Fals", 0},
    {"lacks", "{'descr': '<f4', 'fortran_order': False}", 24},
    {"lacks", "{'descr': '<f4', 'shape': (2, 3)}", 24},
    {"lacks", "{'fortran_order': False, 'shape': (2, 3)}", 24},
    {"lacks", "{}", 24},
    {"twice", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", 24},
    {"twice", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'shape': (6,)}", 24},
    {"twice", "{'descr': '<f4', 'fortran_order': False, 'fortran_order': False, 'shape': (6,)}", 24},
    {"unknown key", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'colour': 1}", 24},
    {"malformed", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)", 0},
    {"malformed", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} and more", 24},
    {"malformed", "{'descr' '<f4', 'fortran_order': False, 'shape': (6,)}", 24},
    {"malformed", "{descr: '<f4', 'fortran_order': False, 'shape': (6,)}", 24},
    {"malformed", "{'a key much longer than any that there is': 1}", 24},
    {"not a dictionary", "", 24},
    {"not a dictionary", "['descr', '<f4']", 24},
};

static void bad_headers(void)
{
    char file[512];
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        for (int version = 1; version <= 3; version++) {
            size_t size = make_file(file, version, headers[i].header, headers[i].body);
            check_refused(bi_npy_parse, file, size, headers[i].reason);
        }
}

static void bad_frames(void)
{
    static const struct malformed bad[] = {
        {"no .npy", "", 0},
        {"no .npy", "\x93NUMP", 5},
        {"no .npy", "NUMPY, all of it", 0},
        {"no .npy", "PK\3\4 a zip", 0},
        {"truncated", "\x93NUMPY", 6},
        {"truncated", "\x93NUMPY\1", 7},
        {"truncated", "\x93NUMPY\1\0\20", 9},
        {"version", "\x93NUMPY\0\0\0\0", 10},
        {"version", "\x93NUMPY\4\0\0\0\0\0", 12},
        {"version", "\x93NUMPY\xff\0\0\0\0\0", 12},
        {"truncated", "\x93NUMPY\1\0\xff\xff{}", 12},
        {"truncated", "\x93NUMPY\2\0\xff\xff\xff\xff{}", 14},
        {"truncated", "\x93NUMPY\2\0\1\0\0", 11},
    };
    check_all_refused(bi_npy_parse, bad, sizeof bad / sizeof bad[0]);
}

static void truncations_and_flips(void)
{
    char file[512];
    size_t size = make_file(file, 1, HEADER("<f4", "2, 3"), 24);
    check_truncations(bi_npy_parse, file, size, size);
    check_flips(bi_npy_parse, file, size, size - 24);
    size = make_file(file, 3, HEADER("<i8", "3,"), 24);
    check_truncations(bi_npy_parse, file, size, size);
    check_flips(bi_npy_parse, file, size, size - 24);
}

static bosc_status parse_points(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_NPY, in, NULL, NULL, points, error);
}

static void points_of_npy(void)
{
    char file[512];
    check_refused(parse_points, file, make_file(file, 1, HEADER("<f4", "1, 2, 3"), 24), "two dimensions");
    check_refused(parse_points, file, make_file(file, 1, HEADER("<f4", "2, 0"), 0), "no coordinates");
    size_t size = make_file(file, 1, HEADER("<f4", "2, 3"), 24);
    CHECK(check_survives(parse_points, file, size));
    memcpy(file + size - 8, "\0\0\xc0\x7f", 4);
    check_refused(parse_points, file, size, "F: row 1: NaN");
    memcpy(file + size - 24, "\1\0\x80\xff", 4);
    check_refused(parse_points, file, size, "F: row 0: NaN");
    size = make_file(file, 1, HEADER("<f8", "1, 3"), 24);
    memcpy(file + size - 8, "\0\0\0\0\0\0\xf0\x7f", 8); /* infinity */
    CHECK(check_survives(parse_points, file, size));
    memcpy(file + size - 8, "\1\0\0\0\0\0\xf0\x7f", 8);
    check_refused(parse_points, file, size, "F: row 0: NaN");
    CHECK(check_survives(parse_points, file, make_file(file, 1, HEADER("<f4", "0, 3"), 0)));
}

/* Points are f4, f8, i4 or i8; other types are widened. */
static void types_of_points(void)
{
    static const struct {
        const char *header;
        bosc_dtype dtype;
        int64_t first; /* its value, from the bytes 0, 1, 2, ... */
    } files[] = {
        {HEADER("<f4", "2, 3"), BOSC_F32, 0},           {HEADER("<f8", "1, 3"), BOSC_F64, 0},
        {HEADER("<i4", "2, 3"), BOSC_I32, 0x03020100},  {HEADER("<i8", "1, 3"), BOSC_I64, 0x0706050403020100},
        {HEADER("|i1", "8, 3"), BOSC_I32, 0},           {HEADER("|u1", "8, 3"), BOSC_I32, 0},
        {HEADER(">i2", "4, 3"), BOSC_I32, 1},           {HEADER("<u2", "4, 3"), BOSC_I32, 0x0100},
        {HEADER("<u4", "2, 3"), BOSC_I64, 0x03020100},  {HEADER(">u8", "1, 3"), BOSC_I64, 0x0001020304050607},
        {HEADER("<f2", "4, 3"), BOSC_F32, 0},           {HEADER("<i8", "3,"), BOSC_I64, 0x0706050403020100},
        {FORTRAN(">i4", "2, 3"), BOSC_I32, 0x00010203},
    };
    char file[512];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        bosc_io_error error;
        bosc_array a = {0};
        CHECK_EQ(parse_bytes(parse_points, file, make_file(file, 1, files[i].header, 24), &a, &error), BOSC_OK);
        CHECK(a.dtype == files[i].dtype && a.rank == 2);
        if (a.dtype == BOSC_I32) CHECK_EQ(*(const int32_t *)a.data, files[i].first);
        if (a.dtype == BOSC_I64) CHECK_EQ(*(const int64_t *)a.data, files[i].first);
        bosc_array_free(&a);
    }
    size_t size = make_file(file, 1, HEADER("<u8", "3, 1"), 24);
    memset(file + size - 8, 255, 8);
    check_refused(parse_points, file, size, "F: row 2: 18446744073709551615 is not a value of i8");
}

/* A NaN is found at any position among many numbers. */
static void nan_anywhere(void)
{
    enum { N = 9000 };
    static float x[N];
    static double y[N];
    struct bi_bytes in = {.name = "F"};
    for (int at = 0; at < N; at += 101) {
        bosc_io_error error;
        char text[64];
        bosc_array a = {.dtype = BOSC_F32, .rank = 2, .shape = {N / 3, 3, 1, 1}, .data = x};
        bosc_array b = {.dtype = BOSC_F64, .rank = 2, .shape = {N / 3, 3, 1, 1}, .data = y};
        snprintf(text, sizeof text, "F: row %d: NaN", at / 3);
        CHECK_EQ(bi_refuse_nan(&in, &a, 0, NULL), BOSC_OK);
        x[at] = (float)(y[at] = __builtin_nan(""));
        CHECK_EQ(bi_refuse_nan(&in, &a, 0, &error), BOSC_ERR_DATA);
        CHECK(strcmp(error.text, text) == 0);
        CHECK_EQ(bi_refuse_nan(&in, &b, 0, &error), BOSC_ERR_DATA);
        CHECK(strcmp(error.text, text) == 0);
        x[at] = (float)(y[at] = 0);
    }
}

static const struct suite_case suite_cases_io_npy[] = {
    {"good files of every type and version", NULL, good_files},
    {"other byte orders and Fortran order", NULL, other_layouts},
    {"half floats", NULL, half_floats},
    {"bad headers are refused", NULL, bad_headers},
    {"bad frames are refused", NULL, bad_frames},
    {"truncations and flips", NULL, truncations_and_flips},
    {"points", NULL, points_of_npy},
    {"types of points", NULL, types_of_points},
    {"NaN anywhere", NULL, nan_anywhere},
};
SUITE(io_npy);
