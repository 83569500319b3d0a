/* Files read in pieces: the result depends neither on the borders of the pieces nor on how many bytes were in
 * memory before. A file that changes its size meanwhile is refused. */
#include <stdio.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/graph/vectors.h"
#include "io/mesh/points.h"
#include "io/file/file.h"
#include "io/npy/npy.h"
#include "support/bytes.h"
#include "support/edges_array.h"
#include "support/paths.h"
#include "support/chunks.h"

static bosc_status text_array(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_TEXT, in, NULL, NULL, array, error);
}

static bosc_status xyz_array(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_XYZ, in, NULL, NULL, array, error);
}

static bosc_status points_array(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_NPY, in, NULL, NULL, array, error);
}

/* Packed vectors of 11 bits, as an array of their words. */
static bosc_status packed_array(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    bosc_vectors v = {0};
    bosc_status status = bi_vectors_npy_parse(in, 11, &v, error);
    if (status == BOSC_OK) *array = (bosc_array){.dtype = BOSC_U64, .rank = 1, .shape = {v.n, 1, 1, 1}, .data = v.rows};
    return status;
}

static const struct {
    parse_fn parse;
    const char *text;
} texts[] = {
    {gr_array, "c a graph\np sp 30 4\na 1 2 5\nc\na 3 2 -7\r\n\na 30 1 123456789\na 4 5 6"},
    {gr_array, "p sp 3 2\na 1 2 5\na 1 2 9876543210\n"},
    {gr_array, "p sp 3 3\na 1 2 5\na 1 2 9876543210\na 1 2 .5\n"},
    {gr_array, "p sp 3 2\na 1 2 5\na 1 3 5\na 2 3 5\nx\n"},
    {gr_array, "p sp 3 2\na 1 2 5\nc\nc\na 1 4 5\na 2 3 5\n"},
    {gr_array, "p sp 3 9\na 1 2 5\n"},
    {gr_array, "c no problem\nc at all\n"},
    {mtx_array, "%%MatrixMarket matrix coordinate real general\n% words\n3 3 2\n1 2 .5\n3 3 7\n"},
    {mtx_array, "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n\n3 3\n"},
    {mtx_array, "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n3 3 x\n"},
    {list_array, "# c\n0 1\n2\t3\n\n% c\n4 5"},
    {list_array, "source,target,weight\n1,2,7\n\"3\",4,-.5,\n1,9,1\n"},
    {list_array, "# nothing\n#\n"},
    {list_array, "0 1\n1 2\n1 x\n0 1 2\n"},
    {metis_array, "% c\n7 11\n5 3 2\n1 3 4\n% c\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n\n"},
    {metis_array, "3 2 011 1\n9 2 5 3 -7\n9 1 5\n9 1 -7\n"},
    {metis_array, "2 1\n2\n\n1\n"},
    {metis_array, "2 1\n2\n1\n1\n"},
    {metis_array, "3 1\n2\n1\n"},
    {text_array, "1 2 3\n4 5 6\n7 8 9 # c\n\n#\n10 11 12"},
    {text_array, "x,y\n# c\n1.5e3,-2\r\n\n.25,inf\r\n3,4\n5,6\n"},
    {text_array, "1 2\n3 4\n5\n6 7 8\n"},
    {text_array, "1 2\n3 4\n5 y\n6 nan\n"},
    {text_array, "\xef\xbb\xbfx;y\n\"1\";2;\n3;4\n"},
    {text_array, "\n\n# nothing\n\n"},
    {xyz_array, "2\nProperties=species:S:1:pos:R:3\nH 1 2 3\nO 4 5 6 x\n"},
    {xyz_array, "1 2 3 255 0 9\n4 5 6 7 8 9\n"},
    {xyz_array, "2\nwords\nH 1 2 3\nO 4 5 6 x\nH 1 2 3\n"},
};

static void small_pieces(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t size = strlen(texts[i].text);
        for (size_t piece = 1; piece < size + 2; piece++)
            if (!suite_leaves_out() &&
                !same_in_chunks(texts[i].parse, texts[i].text, size, piece, piece * 7 % (size + 1)))
                suite_fail(__FILE__, __LINE__, "text %zu in pieces of %zu bytes", i, piece);
        for (size_t head = 0; head <= size; head++)
            if (!suite_leaves_out() && !same_in_chunks(texts[i].parse, texts[i].text, size, 5, head))
                suite_fail(__FILE__, __LINE__, "text %zu, of which %zu bytes are in memory", i, head);
    }
}

/* Lines longer than a piece, and longer than the read-ahead. */
static void long_lines(void)
{
    enum { LONG = 5000 };
    char *text = suite_alloc(4 * LONG);
    size_t size = (size_t)sprintf(text, "1 2\n3 4 #");
    memset(text + size, 'x', LONG);
    size += LONG;
    size += (size_t)sprintf(text + size, "\n5 6\n7 %0*d\n8 9", LONG, 1);
    for (size_t piece = 1; piece < 4000; piece += 1 + piece / 2)
        for (size_t head = 0; head < size; head += 1 + head * 3)
            CHECK(same_in_chunks(text_array, text, size, piece, head));
    CHECK(same_in_chunks(list_array, text, size, 100, 20));
    free(text);
}

/* .npy files of every element type, and truncated ones. */
static void elements(void)
{
    static const char *const kinds[] = {"<f8", ">f8", "<f4", "<f2", ">i2", "|u1", "<u4"};
    char file[256];
    for (size_t k = 0; k < 7; k++)
        for (int fortran = 0; fortran < 2; fortran++) {
            int width = kinds[k][2] - '0';
            memcpy(file, "\x93NUMPY\1\0\x40\0", 10);
            snprintf(file + 10, 65, "%-64s", "");
            int used = snprintf(file + 10, 64, "{'descr': '%s', 'fortran_order': %s, 'shape': (5, 2)}", kinds[k],
                                fortran ? "True" : "False");
            file[10 + used] = ' ';
            size_t size = 74 + 10 * (size_t)width;
            for (size_t i = 74; i < size; i++) file[i] = (char)(i * 37);
            for (size_t cut = 0; cut < 3; cut++)
                for (size_t head = 0; head <= size - cut; head++) {
                    CHECK(same_in_chunks(bi_npy_parse, file, size - cut, 0, head));
                    CHECK(same_in_chunks(points_array, file, size - cut, 0, head));
                    CHECK(same_in_chunks(packed_array, file, size - cut, 0, head));
                }
        }
}

/* ---- files that change ---- */

static bosc_status parse_changed(parse_fn parse, const char *bytes, size_t size, off_t then, bosc_io_error *error)
{
    int fd = create_file(bytes, size);
    struct bi_backing_file backing = {.fd = fd, .size = size};
    struct bi_bytes in = {.name = "F", .data = bytes, .size = size / 2, .backing = &backing, .chunk_bytes = 7};
    bosc_array array = {0};
    CHECK_EQ(ftruncate(fd, then), 0);
    bosc_status status = parse(&in, &array, error);
    CHECK(!backing.whole_needed && !array.data);
    close(fd);
    return status;
}

static void changed(void)
{
    static const struct {
        parse_fn parse;
        const char *text;
    } files[] = {{gr_array, "p sp 30 2\na 1 2 5\na 3 2 -7\n"},
                 {list_array, "1 2\n3 4\n5 6\n"},
                 {metis_array, "3 2 001\n2 5 3 -7\n1 5\n1 -7\n"},
                 {text_array, "1 2\n3 4\n5 6\n"}};
    char npy[128];
    bosc_io_error error;
    memcpy(npy, "\x93NUMPY\1\0\x36\0{'descr':'|u1','fortran_order':False,'shape':(32, 2)} ", 64);
    memset(npy + 64, 1, 64);
    for (off_t then = 70; then < 130; then += 59) {
        const char *what = then < 128 ? "F: became shorter while it was read" : "F: became longer while it was read";
        for (size_t i = 0; i < 4; i++) {
            size_t size = strlen(files[i].text);
            off_t to = then < 128 ? (off_t)size - 2 : (off_t)size + 1;
            CHECK_EQ(parse_changed(files[i].parse, files[i].text, size, to, &error), BOSC_ERR_IO);
            if (strcmp(error.text, what) != 0) suite_fail(__FILE__, __LINE__, "file %zu: %s", i, error.text);
        }
        CHECK_EQ(parse_changed(bi_npy_parse, npy, 128, then, &error), BOSC_ERR_IO);
        CHECK(strcmp(error.text, what) == 0);
        CHECK_EQ(parse_changed(packed_array, npy, 128, then, &error), BOSC_ERR_IO);
        CHECK(strcmp(error.text, what) == 0);
    }
}

/* ---- whole files ---- */

enum { MEGABYTE = 1 << 20 };

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size);
    CHECK_EQ(fclose(f), 0);
}

/* Large files whose beginning does not suffice are read whole; files truncated after they were opened are refused. */
static void large_files(void)
{
    char path[PATH_ROOM], *text = suite_alloc(3 * MEGABYTE);
    size_t size = 0;
    bosc_io_error error = {""};
    bosc_edges edges = {0};
    bosc_array points = {0};
    struct bi_file file;
    int64_t m = 0;
    fresh_path(path, "");
    while (size < 2 * MEGABYTE) size += (size_t)sprintf(text + size, "# a line of comment\n");
    const size_t begin = size;
    for (; m < 1000; m++) size += (size_t)sprintf(text + size, "%d %d\n", (int)m, (int)m + 1);
    write_file(path, text, size);
    if (bosc_edges_read(path, &edges, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK(edges.m == m && edges.n == m + 1 && edges.u[m - 1] == m - 1);
    bosc_edges_free(&edges);
    CHECK_EQ(bosc_points_read(path, &points, &error), BOSC_OK); /* no ending: by the first line behind the comments */
    CHECK(points.shape[0] == m && points.shape[1] == 2);
    bosc_array_free(&points);
    memset(text, '\n', begin);
    write_file(path, text, size);
    if (bosc_edges_read(path, &edges, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK_EQ(edges.m, m);
    bosc_edges_free(&edges);
    CHECK_EQ(bi_file_open_head(path, &file, &error), BOSC_OK);
    CHECK(file.bytes.backing && file.bytes.size < size && bi_bytes_total(&file.bytes) == size);
    CHECK_EQ(truncate(path, MEGABYTE), 0);
    CHECK_EQ(bi_file_load(&file, &error), BOSC_ERR_IO);
    CHECK(strstr(error.text, ": became shorter while it was read") != NULL);
    bi_file_close(&file);
    free(text);
    unlink(path);
}

/* A .npy header longer than the first read. */
static void long_header(void)
{
    char path[PATH_ROOM], *bytes = suite_alloc(2 * MEGABYTE);
    static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (1048576,)}";
    bosc_io_error error = {""};
    bosc_array array = {0};
    memset(bytes, ' ', 2 * MEGABYTE);
    memcpy(bytes, "\x93NUMPY\2\0\0\0\2\0", 12); /* 131072 bytes */
    memcpy(bytes + 12, header, sizeof header - 1);
    bytes[12 + 131072 + 9] = 7;
    fresh_path(path, ".npy");
    write_file(path, bytes, 12 + 131072 + MEGABYTE);
    if (bosc_npy_read(path, &array, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK(array.shape[0] == MEGABYTE && ((const uint8_t *)array.data)[9] == 7);
    bosc_array_free(&array);
    free(bytes);
    unlink(path);
}

#ifdef BOSC_FAULTS
static void faults(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int64_t k = 0;; k++) {
            size_t size = strlen(texts[i].text);
            struct bi_bytes whole = {.name = "F", .data = texts[i].text, .size = size, .chunk_bytes = 9};
            struct outcome expected = parse_bytes_of(texts[i].parse, &whole);
            int fd = create_file(texts[i].text, size);
            bi_fault_arm(BI_FAULT_READ | BI_FAULT_ALLOC, k, k % 2);
            struct outcome o = parse_file(texts[i].parse, fd, &whole, size / 2);
            int64_t passages = bi_fault_passages();
            bi_fault_disarm();
            if (o.status != BOSC_ERR_IO && o.status != BOSC_ERR_NOMEM) CHECK(outcomes_equal(&o, &expected));
            if (o.status != BOSC_OK) CHECK(!o.array.data && suite_begins(o.error.text, "F:"));
            bosc_array_free(&o.array);
            bosc_array_free(&expected.array);
            close(fd);
            if (passages <= k) break;
        }
}
#endif

static const struct suite_case suite_cases_io_pieces[] = {
    {"small pieces", NULL, small_pieces},
    {"lines longer than pieces", NULL, long_lines},
    {"elements of .npy", NULL, elements},
    {"files that change their size", NULL, changed},
    {"large files", NULL, large_files},
    {"a long header of .npy", NULL, long_header},
#ifdef BOSC_FAULTS
    {"faults", NULL, faults},
#endif
};
SUITE(io_pieces);
