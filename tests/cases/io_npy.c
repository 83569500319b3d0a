/* .npy files, good and bad. */
#include <stdio.h>
#include <unistd.h>

#include "support/bytes.h"

/* A file of a version with this header and this many bytes after it. Returns its size. */
static size_t make(char *out, int version, const char *header, size_t body)
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
        {"{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}", 24, BOSC_F32, 2, {2, 3, 1, 1}},
        {"  { 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' , 'fortran_order' : False }  \n", 24, BOSC_F32, 2, {2, 3, 1, 1}},
    };
    char file[512];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        for (int version = 1; version <= 3; version++) {
            bosc_io_error error;
            bosc_array a = {0};
            size_t size = make(file, version, good[i].header, good[i].body);
            if (parse_bytes(bi_npy_parse, file, size, &a, &error) != BOSC_OK)
                suite_fail(__FILE__, __LINE__, "refused: %s", error.text);
            CHECK_EQ(a.dtype, good[i].dtype);
            CHECK_EQ(a.rank, good[i].rank);
            CHECK(memcmp(a.shape, good[i].shape, sizeof a.shape) == 0);
            CHECK(memcmp(a.data, file + size - good[i].body, good[i].body) == 0);
            bosc_array_free(&a);
        }
}

/* Headers that are refused, and bytes after them. */
static const struct {
    const char *reason, *header;
    size_t body;
} headers[] = {
    {"big-endian", HEADER(">f4", "2, 3"), 24},
    {"big-endian", HEADER(">i8", "3,"), 24},
    {"Fortran", "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", 24},
    {"Python objects", HEADER("|O", "3,"), 24},
    {"Python objects", HEADER("|O8", "3,"), 24},
    {"structured", "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,), }\n", 24},
    {"element type", HEADER("<f2", "12,"), 24},
    {"element type", HEADER("|b1", "24,"), 24},
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
    {"fortran_order", "{'descr': '<f4', 'fortran_order': 'False', 'shape': (2, 3), }", 24},
    {"fortran_order", "{'descr': '<f4', 'fortran_order': Fals", 0},
    {"lacks", "{'descr': '<f4', 'fortran_order': False}", 24},
    {"lacks", "{'descr': '<f4', 'shape': (2, 3)}", 24},
    {"lacks", "{'fortran_order': False, 'shape': (2, 3)}", 24},
    {"lacks", "{}", 24},
    {"twice", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", 24},
    {"twice", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'shape': (6,)}", 24},
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
            size_t size = make(file, version, headers[i].header, headers[i].body);
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
    size_t size = make(file, 1, HEADER("<f4", "2, 3"), 24);
    check_truncations(bi_npy_parse, file, size, size);
    check_flips(bi_npy_parse, file, size, size - 24);
    size = make(file, 3, HEADER("<i8", "3,"), 24);
    check_truncations(bi_npy_parse, file, size, size);
    check_flips(bi_npy_parse, file, size, size - 24);
}

static bosc_status parse_points(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_NPY, in, points, error);
}

static void points_of_npy(void)
{
    char file[512];
    check_refused(parse_points, file, make(file, 1, HEADER("<f4", "6,"), 24), "two dimensions");
    check_refused(parse_points, file, make(file, 1, HEADER("<f4", "1, 2, 3"), 24), "two dimensions");
    check_refused(parse_points, file, make(file, 1, HEADER("<u4", "2, 3"), 24), "f4, f8, i4 or i8");
    check_refused(parse_points, file, make(file, 1, HEADER("|u1", "8, 3"), 24), "f4, f8, i4 or i8");
    check_refused(parse_points, file, make(file, 1, HEADER("<f4", "2, 0"), 0), "no coordinates");
    size_t size = make(file, 1, HEADER("<f4", "2, 3"), 24);
    CHECK(check_survives(parse_points, file, size));
    memcpy(file + size - 8, "\0\0\xc0\x7f", 4);
    check_refused(parse_points, file, size, "F: row 1: NaN");
    memcpy(file + size - 24, "\1\0\x80\xff", 4);
    check_refused(parse_points, file, size, "F: row 0: NaN");
    size = make(file, 1, HEADER("<f8", "1, 3"), 24);
    memcpy(file + size - 8, "\0\0\0\0\0\0\xf0\x7f", 8); /* infinity */
    CHECK(check_survives(parse_points, file, size));
    memcpy(file + size - 8, "\1\0\0\0\0\0\xf0\x7f", 8);
    check_refused(parse_points, file, size, "F: row 0: NaN");
    CHECK(check_survives(parse_points, file, make(file, 1, HEADER("<f4", "0, 3"), 0)));
}

/* A NaN is found wherever it lies among many. */
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
        CHECK_EQ(bi_refuse_nan(&in, &a, NULL), BOSC_OK);
        x[at] = (float)(y[at] = __builtin_nan(""));
        CHECK_EQ(bi_refuse_nan(&in, &a, &error), BOSC_ERR_DATA);
        CHECK(strcmp(error.text, text) == 0);
        CHECK_EQ(bi_refuse_nan(&in, &b, &error), BOSC_ERR_DATA);
        CHECK(strcmp(error.text, text) == 0);
        x[at] = (float)(y[at] = 0);
    }
}

static const struct suite_case suite_cases_io_npy[] = {
    {"good files of every type and version", NULL, good_files},
    {"bad headers are refused", NULL, bad_headers},
    {"bad frames are refused", NULL, bad_frames},
    {"truncations and flips", NULL, truncations_and_flips},
    {"points", NULL, points_of_npy},
    {"NaN anywhere", NULL, nan_anywhere},
};
SUITE(io_npy);
