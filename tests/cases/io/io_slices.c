/* Slices of files: all slices in order make up the whole, and messages name rows of the whole. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "support/bytes.h"
#include "support/paths.h"

enum { MOST_BYTES = 1 << 13 };

typedef bosc_status (*slice_fn)(const char *path, bosc_slice *slice, bosc_array *array, bosc_io_error *error);

static bosc_status read_points(const char *path, bosc_slice *slice, bosc_array *points, bosc_io_error *error)
{
    return bosc_points_read_slice(path, NULL, slice, points, error);
}

static size_t row_bytes(const bosc_array *a)
{
    return (size_t)(a->shape[1] * a->shape[2] * a->shape[3]) * bosc_dtype_size(a->dtype);
}

/* The slices of a file equal the pieces of the whole array. */
static void check_parts(slice_fn read, const char *path, const bosc_array *whole, int64_t parts)
{
    const int64_t n = whole->shape[0];
    int64_t at = 0;
    for (int64_t part = 0; part < parts; part++) {
        bosc_slice slice = {.part = part, .parts = parts, .begin = -1, .rows = -1};
        bosc_array a = {0};
        bosc_io_error error;
        if (read(path, &slice, &a, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
        CHECK(a.dtype == whole->dtype && a.rank == whole->rank);
        CHECK(memcmp(a.shape + 1, whole->shape + 1, 3 * sizeof a.shape[0]) == 0);
        CHECK_EQ(slice.rows, n);
        CHECK_EQ(slice.begin, at);
        CHECK(a.shape[0] == n / parts || (a.shape[0] == n / parts + 1 && part < n % parts));
        const size_t row = row_bytes(&a);
        CHECK(a.shape[0] == 0 ||
              memcmp(a.data, (const char *)whole->data + (size_t)at * row, (size_t)a.shape[0] * row) == 0);
        at += a.shape[0];
        bosc_array_free(&a);
    }
    CHECK_EQ(at, n);
}

static void check_file(slice_fn read, const char *path, const bosc_array *whole)
{
    static const int64_t counts[] = {1, 2, 3, 7, 64, INT64_MAX};
    for (size_t i = 0; i < 5; i++) check_parts(read, path, whole, counts[i]);
    bosc_slice last = {.part = INT64_MAX - 1, .parts = INT64_MAX};
    bosc_array a = {0};
    bosc_io_error error;
    CHECK_EQ(read(path, &last, &a, &error), BOSC_OK);
    CHECK(a.shape[0] == 0 && last.begin == whole->shape[0]);
    bosc_array_free(&a);
}

static void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

/* A .npy file with this header and `body` bytes after it, no element a NaN. */
static void make_file(const char *path, const char *header, size_t body)
{
    char bytes[MOST_BYTES] = "\x93NUMPY\1";
    const size_t length = strlen(header);
    CHECK(10 + length + body <= MOST_BYTES);
    bytes[8] = (char)length;
    memcpy(bytes + 10, header, length);
    for (size_t i = 0; i < body; i++) bytes[10 + length + i] = (char)(i % 61);
    put_file(path, bytes, 10 + length + body);
}

#define HEADER(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': (" shape "), }\n"

static void arrays(void)
{
    static const struct {
        /* Every element type, byte and index order, and empty arrays; `points`: also readable as points. */
        const char *header;
        size_t body;
        bool points;
    } files[] = {
        {HEADER("<f4", "False", "50, 3"), 600, true},   {HEADER("<f8", "False", "13,"), 104, true},
        {HEADER("|u1", "False", "6, 2, 2, 5"), 120, 0}, {HEADER(">i4", "False", "9, 2"), 72, true},
        {HEADER("<f2", "False", "21, 2"), 84, true},    {HEADER("<f4", "True", "50, 3"), 600, true},
        {HEADER(">f8", "True", "5, 4"), 160, true},     {HEADER("<i8", "False", "0, 3"), 0, true},
        {HEADER("<u4", "False", "10, 1"), 40, true},    {HEADER("<f4", "False", "0,"), 0, true},
        {HEADER("<u2", "False", "7, 0"), 0, false},
    };
    char path[PATH_ROOM];
    bosc_io_error error;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        bosc_array whole = {0};
        fresh_path(path, ".npy");
        make_file(path, files[i].header, files[i].body);
        CHECK_EQ(bosc_npy_read(path, &whole, &error), BOSC_OK);
        check_file(bosc_npy_read_slice, path, &whole);
        bosc_array_free(&whole);
        if (files[i].points) {
            CHECK_EQ(bosc_points_read(path, &whole, &error), BOSC_OK);
            check_file(read_points, path, &whole);
            bosc_array_free(&whole);
        }
        unlink(path);
    }
}

/* Compressed files and texts are read whole, then cut. */
static void read_whole(void)
{
    static const char *const endings[] = {".npy.gz", ".csv", ".csv.gz", ".xyz"};
    double coordinates[3 * 40];
    bosc_array points = {.dtype = BOSC_F64, .rank = 2, .shape = {40, 3, 1, 1}, .data = coordinates};
    char path[PATH_ROOM];
    bosc_io_error error;
    for (int i = 0; i < 120; i++) coordinates[i] = i * 0.37 - 9;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const char *to = path;
        fresh_path(path, endings[i]);
        char text[PATH_ROOM + 4];
        snprintf(text, sizeof text, "%s.txt", path);
        if (i == 3) to = text; /* .xyz is not written */
        CHECK_EQ(bosc_arrays_write(&to, &points, 1, &error), BOSC_OK);
        if (i == 3) CHECK_EQ(rename(text, path), 0);
        check_file(read_points, path, &points);
        if (i == 0) check_file(bosc_npy_read_slice, path, &points);
        unlink(path);
    }
}

/* Messages name rows of the whole file, on the ranks that have them. */
static void bad_rows(void)
{
    float numbers[2 * 20] = {0};
    uint64_t large[10] = {0};
    bosc_array points = {.dtype = BOSC_F32, .rank = 2, .shape = {20, 2, 1, 1}, .data = numbers}, a = {0};
    bosc_array wide = {.dtype = BOSC_U64, .rank = 1, .shape = {10, 1, 1, 1}, .data = large};
    char path[PATH_ROOM];
    bosc_io_error error;
    bosc_slice slice = {.part = 2, .parts = 3};
    numbers[2 * 17 + 1] = NAN;
    large[8] = UINT64_MAX;
    fresh_path(path, ".npy");
    /* 1. A NaN in row 17 fails the last slice only. */
    CHECK_EQ(bosc_npy_write(path, &points, &error), BOSC_OK);
    CHECK_EQ(bosc_points_read_slice(path, NULL, &slice, &a, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text, ": row 17: NaN"));
    slice.part = 1;
    CHECK_EQ(bosc_points_read_slice(path, NULL, &slice, &a, &error), BOSC_OK);
    bosc_array_free(&a);
    /* 2. A value too large for u4 fails its slice's conversion only. */
    CHECK_EQ(bosc_npy_write(path, &wide, &error), BOSC_OK);
    slice.part = 2;
    CHECK_EQ(bosc_npy_read_slice(path, &slice, &a, &error), BOSC_OK);
    CHECK_EQ(bosc_slice_convert("F", &slice, &a, BOSC_U32, 0, &error), BOSC_ERR_DATA);
    CHECK(a.dtype == BOSC_U64 && strstr(error.text, "F: row 8: 18446744073709551615 is not a value of u4"));
    ((uint64_t *)a.data)[1] = 5;
    CHECK_EQ(bosc_slice_convert("F", &slice, &a, BOSC_U32, 0, &error), BOSC_OK);
    CHECK(a.dtype == BOSC_U32 && ((uint32_t *)a.data)[1] == 5);
    bosc_array_free(&a);
    /* 3. The same for points, which become i8. */
    slice.part = 1;
    CHECK_EQ(bosc_points_read_slice(path, NULL, &slice, &a, &error), BOSC_OK);
    bosc_array_free(&a);
    slice.part = 2;
    CHECK_EQ(bosc_points_read_slice(path, NULL, &slice, &a, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text, ": row 8: 18446744073709551615 is not a value of i8"));
    CHECK(!a.data);
    unlink(path);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Writes a file, reads its points with a number in every coordinate, and compares them. */
static void check_valid(const char *ending, const void *bytes, size_t size, const double *wanted, int64_t n,
                        int64_t skipped)
{
    char path[PATH_ROOM];
    bosc_io_error error;
    bosc_array a = {0};
    int64_t count = -1;
    fresh_path(path, ending);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    CHECK_EQ(bosc_points_read(path, &a, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text, "NaN") && !a.data);
    CHECK_EQ(bosc_points_read_valid(path, NULL, &a, &count, &error), BOSC_OK);
    CHECK(a.rank == 2 && a.shape[0] == n && count == skipped);
    for (int64_t i = 0; i < n * a.shape[1]; i++)
        CHECK((a.dtype == BOSC_F32 ? (double)((float *)a.data)[i] : ((double *)a.data)[i]) == wanted[i]);
    bosc_array_free(&a);
    unlink(path);
}

static void points_without_nan(void)
{
    static const double wanted[] = {1, 2, 3, 4, INFINITY, 6};
    static const char text[] = "x,y,z\n1,2,3\nnan,5,6\n4,inf,6\n7,8,nan\n",
                      quoted[] = "1,\"2\",3\n\"nan\",1,1\n4,inf,6\n";
    static const char molecule[] = "3\nred\nH 1 2 3\nH nan nan nan\nO 4 inf 6\n",
                      extra[] = "1 2 3 nan\nnan 0 0 0\n4 inf 6 7\n";
    static const char pcd[] = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 3\nHEIGHT 1\nPOINTS 3\nDATA ascii\n"
                              "1 2 3\nnan nan nan\n4 inf 6\n";
    static const char head[] = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 3\nHEIGHT 1\nPOINTS 3\nDATA binary\n";
    const float rows[] = {1, 2, 3, NAN, 5, 6, 4, INFINITY, 6};
    char binary[sizeof head - 1 + sizeof rows];
    memcpy(binary, head, sizeof head - 1);
    memcpy(binary + sizeof head - 1, rows, sizeof rows);
    check_valid(".csv", text, sizeof text - 1, wanted, 2, 2);
    check_valid(".csv", quoted, sizeof quoted - 1, wanted, 2, 1);
    check_valid(".csv", "nan,1,1\n1,2,3\n", 14, wanted, 1, 1);
    check_valid(".csv", "nan,1\n", 6, wanted, 0, 1);
    check_valid(".xyz", molecule, sizeof molecule - 1, wanted, 2, 1);
    check_valid(".xyz", extra, sizeof extra - 1, wanted, 2, 1);
    check_valid(".obj", "v 1 2 3\nv nan 0 0\nv 4 inf 6\nf 1 2 3\n", 36, wanted, 2, 1);
    check_valid(".off", "OFF\n3 1 0\n1 2 3\n0 nan 0\n4 inf 6\n3 0 1 2\n", 40, wanted, 2, 1);
    check_valid(".pcd", pcd, sizeof pcd - 1, wanted, 2, 1);
    check_valid(".pcd", binary, sizeof binary, wanted, 2, 1);
    /* .npy of f4; numbers beyond a double are refused as ever. */
    char path[PATH_ROOM];
    bosc_io_error error;
    bosc_array points = {.dtype = BOSC_F32, .rank = 2, .shape = {3, 3, 1, 1}, .data = (void *)rows}, a = {0};
    int64_t count = -1;
    fresh_path(path, ".npy");
    CHECK_EQ(bosc_npy_write(path, &points, &error), BOSC_OK);
    CHECK_EQ(bosc_points_read_valid(path, NULL, &a, &count, &error), BOSC_OK);
    CHECK(a.dtype == BOSC_F32 && a.shape[0] == 2 && count == 1 && ((float *)a.data)[3] == 4);
    bosc_array_free(&a);
    unlink(path);
}

/* Empty fields and the words that programs write for missing numbers; without skipping they are refused. */
static void missing_numbers(void)
{
    static const struct {
        const char *ending, *text, *columns;
        int64_t skipped;
    } files[] = {{".csv", "x,y,z\n1,2,3\n1,,0\n,,\n4,5,6\n7,8,\n", NULL, 3},
                 {".csv", "x,y,z\n,,\n1,2,3\n4,5,6\n", NULL, 1},
                 {".csv", "x,y,z\n7,,\n1,2,3\n4,5,6\n", NULL, 1},
                 {".csv", ",x,y,z\n0,1,2,3\n1,,5,6\n2,4,5,6\n3,7,8,\n", NULL, 2},
                 {".csv", "1,2,3\nNA,1,2\n1,null,2\n4,5,6\n1,2,n/a\n", NULL, 3},
                 {".csv", "\"1\",2,3\n\"\",1,2\n\"4\",5,6\n\"1\",NA,\n", NULL, 2},
                 {".csv", "a;x;y;z\nk;1;2;3\n;4;5;6\nl;;;\nm;7;8;\n", "x,y,z", 2},
                 {".tsv", "x\ty\tz\n1\t2\t3\n1\t\t3\n\t1\t2\n4\t5\t6\n7\t8\t\n", NULL, 3},
                 {".csv", "1,2,3 # a, b\n1,, # c\n1,2,# d,\n,,#\n4,5,6,# e\n", NULL, 3},
                 {".csv", "x,y,z\n7,,# c\n1,2,3\n4,5,6\n", NULL, 1},
                 {".csv", "\"1\",2,3\n\"4\",5,6 # \"a\",\n\"1\",NA, # c\n", NULL, 1},
                 {".tsv", "1\t2\t3\n1\t2\t\t# c\n4\t5\t6\n", NULL, 1},
                 {".csv", "a,x,y,z\n0,1,2,3\n1,#N/A,,\n0,4,5,6\n0,1.#QNAN,,\n", "x,y,z", 2},
                 {".csv", "1,2,3\n#N/A,,\n4,5,6\n1.#QNAN,,\n", NULL, 2},
                 {".csv", "x,y,z\nNA,1,2\n#5,6,7\n1,2,3\n4,5,6\n", NULL, 1},
                 {".txt", "1 2 3\nNA 1 2\n4 5 6 \n", NULL, 1}};
    static const char *const refused[][2] = {
        {"1,2,3\n1,x,2\n"}, {"1,2,3\n1,2\n"}, {"1 2 3\n1 2 \n"}, {"1 2 3\n1 2 \n", "2,3"}, {"1,2,3\n1,2,3,,4\n"}};
    char path[PATH_ROOM];
    bosc_io_error error;
    /* 1. Files with missing numbers. */
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        bosc_array a = {0};
        int64_t skipped = -1;
        fresh_path(path, files[f].ending);
        write_text(path, files[f].text);
        CHECK_EQ(bosc_points_read_columns(path, files[f].columns, &a, &error), BOSC_ERR_FORMAT);
        CHECK_EQ(bosc_points_read_valid(path, files[f].columns, &a, &skipped, &error), BOSC_OK);
        CHECK_EQ(skipped, files[f].skipped);
        CHECK(a.shape[0] == 2 && a.shape[1] == 3);
        for (int i = 0; i < 6; i++) CHECK(((double *)a.data)[i] == i + 1);
        bosc_array_free(&a);
        unlink(path);
    }
    /* 2. Texts, and columns: other words, and rows of another length; blanks enclose no empty field. */
    for (size_t f = 0; f < sizeof refused / sizeof refused[0]; f++) {
        bosc_array a = {0};
        fresh_path(path, ".csv");
        write_text(path, refused[f][0]);
        CHECK_EQ(bosc_points_read_valid(path, refused[f][1], &a, NULL, &error), BOSC_ERR_FORMAT);
        unlink(path);
    }
}

/* Names of columns, joined by `|`, without those of the numbers of rows. */
static void column_names(void)
{
    static const struct {
        const char *ending, *text, *names;
    } files[] = {{".csv", "x,\"y, z\",x\n1,2,3\n", "x|y, z|"},
                 {".csv", ",x,y\n0,1,2\n", "x|y|"},
                 {".csv", "1,2\n", ""},
                 {".csv", "x y z\n", "x|y|z|"},
                 {".tsv", "x\ty\t2020\n1\t2\t3\n", "x|y|2020|"},
                 {".txt", "# by hand\n# x y\n1 2\n", "x|y|"},
                 {".txt", "x y\na 1 2\n", "x|y|"}, /* R */
                 {".tsv", "\tx\ty\n0\t1\t2\n", "x|y|"},
                 {".txt", "//X Y\n1 2\n", "X|Y|"},
                 {".txt", "// X Y\n1 2\n", "X|Y|"},
                 {".xyz", "x y z\n1 2 3\n", "x|y|z|"},
                 {".xyz", "1\nwater\nH 1 2 3\n", ""},
                 {".obj", "v 1 2 3\n", ""}};
    char path[PATH_ROOM];
    bosc_io_error error;
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        bosc_names names = {0};
        char all[64] = "";
        fresh_path(path, files[f].ending);
        write_text(path, files[f].text);
        CHECK_EQ(bosc_points_read_names(path, &names, &error), BOSC_OK);
        for (int64_t i = 0; i < names.n; i++) strcat(strcat(all, names.text + names.begins[i]), "|");
        if (strcmp(all, files[f].names) != 0) suite_fail(__FILE__, __LINE__, "file %zu: %s", f, all);
        bosc_names_free(&names);
        unlink(path);
    }
}

/* The cell of an extended .xyz; other files have none. */
static void lattices(void)
{
    static const char cell[] =
        "2\nLattice=\"4 0 0 .5 3 0 0 1e0 2\" Properties=species:S:1:pos:R:3 pbc=\"T F 1\"\nH 1 2 3\n"
        "O 4 5 6\n";
    static const double wanted[] = {4, 0, 0, .5, 3, 0, 0, 1, 2};
    static const struct {
        const char *ending, *text, *reason;
    } files[] = {{".xyz", "1\nwater\nH 1 2 3\n", NULL},
                 {".xyz", "1 2 3\n4 5 6\n", NULL},
                 {".xyz", "1\nMyLattice=\"1 2\"\nH 1 2 3\n", NULL},
                 {".csv", "1\nLattice=\"1\"\n", NULL},
                 {".xyz", "1\nLattice=\"1 0 0 0 1 0 0 0\"\nH 1 2 3\n", ":2: Lattice=: 8 numbers, not 9"},
                 {".xyz", "1\nLattice=1\nH 1 2 3\n", ":2: Lattice=: 1 numbers, not 9"},
                 {".xyz", "1\nLattice=\"1 0 0 0 x 0 0 0 1\"\nH 1 2 3\n", ":2: Lattice=: 'x' is not a number"},
                 {".xyz", "1\npbc=\"T T\" Lattice=\"1 0 0 0 1 0 0 0 1\"\nH 1 2 3\n", ":2: pbc=: not three of T and F"}};
    double vectors[9] = {7};
    uint8_t periodic[3] = {7, 7, 7};
    int32_t found = 7;
    char path[PATH_ROOM];
    bosc_io_error error;
    /* 1. Cells. */
    fresh_path(path, ".xyz");
    write_text(path, cell);
    CHECK_EQ(bosc_lattice_read(path, vectors, periodic, &found, &error), BOSC_OK);
    CHECK(found == 1 && memcmp(vectors, wanted, sizeof wanted) == 0 && periodic[0] && !periodic[1] && periodic[2]);
    write_text(path, "1\nLattice='1 0 0 0 1 0 0 0 1'\nH 1 2 3\n");
    CHECK_EQ(bosc_lattice_read(path, vectors, periodic, &found, &error), BOSC_OK);
    CHECK(found == 1 && vectors[4] == 1 && periodic[0] && periodic[1] && periodic[2]);
    unlink(path);
    /* 2. Files without one, and malformed ones. */
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        fresh_path(path, files[f].ending);
        write_text(path, files[f].text);
        vectors[4] = periodic[1] = 9;
        found = 7;
        CHECK_EQ(bosc_lattice_read(path, vectors, periodic, &found, &error),
                 files[f].reason ? BOSC_ERR_FORMAT : BOSC_OK);
        CHECK(files[f].reason ? strstr(error.text, files[f].reason) != NULL && found == 7 : found == 0);
        CHECK(vectors[4] == 9 && periodic[1] == 9);
        unlink(path);
    }
}

static void arguments(void)
{
    bosc_slice slice = {.part = 0, .parts = 1};
    bosc_array a;
    bosc_names names;
    double vectors[9];
    uint8_t periodic[3];
    int32_t found;
    /* 1. Pointers. */
    CHECK_TEXT(bosc_npy_read_slice("x.npy", NULL, &a, error), "slice");
    CHECK_TEXT(bosc_npy_read_slice("x.npy", &slice, NULL, error), "array");
    CHECK_TEXT(bosc_npy_read_slice(NULL, &slice, &a, error), "path");
    CHECK_TEXT(bosc_points_read_slice("x.npy", NULL, NULL, &a, error), "slice");
    CHECK_TEXT(bosc_points_read_slice("x.npy", NULL, &slice, NULL, error), "points");
    CHECK_TEXT(bosc_points_read_valid("x.npy", NULL, NULL, NULL, error), "points");
    CHECK_TEXT(bosc_points_read_valid(NULL, NULL, &a, NULL, error), "path");
    CHECK_TEXT(bosc_points_read_names("x.csv", NULL, error), "names");
    CHECK_TEXT(bosc_points_read_names(NULL, &names, error), "path");
    CHECK_TEXT(bosc_lattice_read(NULL, vectors, periodic, &found, error), "path");
    CHECK_TEXT(bosc_lattice_read("x.xyz", NULL, periodic, &found, error), "vectors");
    CHECK_TEXT(bosc_lattice_read("x.xyz", vectors, NULL, &found, error), "periodic");
    CHECK_TEXT(bosc_lattice_read("x.xyz", vectors, periodic, NULL, error), "found");
    CHECK_TEXT(bosc_slice_convert("x", NULL, &a, BOSC_U32, 0, error), "slice");
    CHECK_TEXT(bosc_slice_convert("x", &slice, NULL, BOSC_U32, 0, error), "array");
    /* 2. Parts. */
    slice.part = 1;
    CHECK_TEXT(bosc_slice_convert("x", &slice, &a, BOSC_U32, 0, error), "slice: part 1 of 1");
    CHECK_TEXT(bosc_npy_read_slice("x.npy", &slice, &a, error), "slice: part 1 of 1");
    slice = (bosc_slice){.part = -1, .parts = 2};
    CHECK_TEXT(bosc_points_read_slice("x.npy", NULL, &slice, &a, error), "slice: part -1 of 2");
    slice = (bosc_slice){.part = 0, .parts = 0};
    CHECK_TEXT(bosc_npy_read_slice("x.npy", &slice, &a, error), "slice: part 0 of 0");
}

static const struct suite_case suite_cases_io_slices[] = {
    {"arrays", NULL, arrays},
    {"read whole", NULL, read_whole},
    {"bad rows", NULL, bad_rows},
    {"points without NaN", NULL, points_without_nan},
    {"missing numbers", NULL, missing_numbers},
    {"names of columns", NULL, column_names},
    {"lattices", NULL, lattices},
    {"arguments", NULL, arguments},
};
SUITE(io_slices);
