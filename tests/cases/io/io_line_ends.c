/* Lines that end in LF, CR LF or CR alone, and texts that mix them, read the same in every format of text. */
#include <stdio.h>

#include "io/graph/edge_list.h"
#include "io/graph/vectors.h"
#include "io/mesh/faces.h"
#include "io/mesh/points.h"
#include "io/raster/heights.h"
#include "io/scene/scene.h"
#include "support/bytes.h"

/* Parsers of one format: all numbers read, as one row of doubles, for comparison. */
typedef bosc_status (*numbers_fn)(const struct bi_bytes *in, struct bi_numbers *numbers, bosc_io_error *error);

static void add_array(struct bi_numbers *numbers, bosc_array *a)
{
    if (!a->data) return;
    CHECK_EQ(bosc_array_convert("a", a, BOSC_F64, 0, NULL), BOSC_OK);
    const int64_t count = a->shape[0] * a->shape[1];
    CHECK(bi_numbers_reserve(numbers, numbers->count + (size_t)count));
    memcpy(numbers->data + numbers->count, a->data, (size_t)count * sizeof(double));
    numbers->count += (size_t)count;
    bosc_array_free(a);
}

#define POINTS(name, format)                                                                             \
    static bosc_status name(const struct bi_bytes *in, struct bi_numbers *numbers, bosc_io_error *error) \
    {                                                                                                    \
        bosc_array a = {0};                                                                              \
        bosc_status status = bi_points_parse(format, in, NULL, NULL, &a, error);                         \
        add_array(numbers, &a);                                                                          \
        return status;                                                                                   \
    }
POINTS(text, BI_POINTS_TEXT)
POINTS(xyz, BI_POINTS_XYZ)
POINTS(pcd, BI_POINTS_PCD)

#define MESH(name)                                                                                       \
    static bosc_status name(const struct bi_bytes *in, struct bi_numbers *numbers, bosc_io_error *error) \
    {                                                                                                    \
        bosc_array vertices = {0}, triangles = {0};                                                      \
        bosc_status status = bi_mesh_parse(bi_##name##_read, in, &vertices, &triangles, error);          \
        add_array(numbers, &vertices);                                                                   \
        add_array(numbers, &triangles);                                                                  \
        return status;                                                                                   \
    }
MESH(off)
MESH(obj)
MESH(ply)
MESH(stl)

#define EDGES(name, format)                                                                              \
    static bosc_status name(const struct bi_bytes *in, struct bi_numbers *numbers, bosc_io_error *error) \
    {                                                                                                    \
        bosc_edges e = {0};                                                                              \
        bosc_status status = bi_edges_parse(format, in, &e, error);                                      \
        CHECK(bi_numbers_reserve(numbers, 4 * (size_t)e.m + 2));                                         \
        numbers->data[numbers->count++] = (double)e.n;                                                   \
        for (int64_t i = 0; i < e.m; i++) {                                                              \
            numbers->data[numbers->count++] = e.u[i];                                                    \
            numbers->data[numbers->count++] = e.v[i];                                                    \
            if (e.weights) numbers->data[numbers->count++] = ((const int32_t *)e.weights)[i];            \
        }                                                                                                \
        bosc_edges_free(&e);                                                                             \
        return status;                                                                                   \
    }
EDGES(list, BI_EDGES_LIST)
EDGES(gr, BI_EDGES_GR)
EDGES(mtx, BI_EDGES_MTX)
EDGES(metis, BI_EDGES_METIS)

static bosc_status vectors(const struct bi_bytes *in, struct bi_numbers *numbers, bosc_io_error *error)
{
    const bosc_vectors_opts opts = {.size = sizeof opts};
    bosc_vectors v = {0};
    bosc_status status = bi_vectors_text_parse(in, &opts, &v, error);
    CHECK(bi_numbers_reserve(numbers, (size_t)v.n + 1));
    for (int64_t i = 0; i < v.n; i++) numbers->data[numbers->count++] = (double)v.rows[i];
    numbers->data[numbers->count++] = v.length;
    bosc_vectors_free(&v);
    return status;
}

static bosc_status body(const struct bi_bytes *in, struct bi_numbers *numbers, bosc_io_error *error)
{
    struct bi_body b = {.balls.data = NULL};
    bosc_status status = bi_body_parse(in, &b, error);
    add_array(numbers, &b.vertices);
    add_array(numbers, &b.triangles);
    return status;
}

static bosc_status sph(const struct bi_bytes *in, struct bi_numbers *numbers, bosc_io_error *error)
{
    struct bi_body b = {.balls.data = NULL};
    bosc_status status = bi_sph_parse(in, 0, &b, error);
    add_array(numbers, &b.balls);
    return status;
}

#define HEIGHTS(name, format)                                                                            \
    static bosc_status name(const struct bi_bytes *in, struct bi_numbers *numbers, bosc_io_error *error) \
    {                                                                                                    \
        const bosc_heights_opts opts = {.size = sizeof opts};                                            \
        bosc_heights h = {0};                                                                            \
        bosc_status status = bi_heights_parse(format, &opts, in, &h, error);                             \
        CHECK(bi_numbers_reserve(numbers, (size_t)(h.width * h.height) + 1));                            \
        for (int64_t i = 0; i < h.width * h.height; i++) numbers->data[numbers->count++] = h.data[i];    \
        bosc_heights_free(&h);                                                                           \
        return status;                                                                                   \
    }
HEIGHTS(pgm, BI_HEIGHTS_PGM)
HEIGHTS(asc, BI_HEIGHTS_ASC)

static const struct {
    const char *name, *text;
    numbers_fn read;
} formats[] = {
    {"text", "# a comment\n1 2 3\n4 5 6 # more\n# b\n7 8 9\n", text},
    {"csv", "x,y\n1,2\n3,4\n", text},
    {"xyz", "1 2 3 9\n4 5 6 9\n", xyz},
    {"molecule", "2\nwater\nO 1 2 3\nH 4 5 6\n", xyz},
    {"off", "OFF # c\n4 2 0\n0 0 0\n1 0 0\n0 1 0 # d\n1 1 0\n3 0 1 2\n3 1 2 3\n", off},
    {"obj", "# c\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\n", obj},
    {"ply",
     "ply\nformat ascii 1.0\ncomment c\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
     "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
     ply},
    {"pcd", "# c\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA ascii\n1 2 3\n4 5 6\n", pcd},
    {"stl",
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 4 5 6\nvertex 7 8 10\nendloop\nendfacet\n"
     "endsolid\n",
     stl},
    {"list", "# made by a tool\n0 1\n1 2\n# middle\n2 3\n", list},
    {"weights", "% c\n0 1 5\n1 2 -6\n3 1 100000\n", list},
    {"csv of edges", "u,v,w\n0,1,5\n1,2,6\n", list},
    {"gr", "c comment\np sp 3 2\na 1 2 7\nc more\na 2 3 8\n", gr},
    {"mtx", "%%MatrixMarket matrix coordinate integer general\n% c\n3 3 2\n1 2 7\n2 3 8\n", mtx},
    {"metis", "% c\n3 2\n2\n1 3\n2\n", metis},
    {"bits", "# c\n0101\n1100\n", vectors},
    {"bases", "ACGT 5\n# c\nTTGA 6\n", vectors},
    {"fastq", "@a\nACGT\n+\n#!#!\n@b # c\nTTGA\n+b\nFF#F\n", vectors},
    {"fasta", ">a\nAC\nGT\n>b # c\nTTGA\n", vectors},
    {"body", "# c\n3\n0 0 0\n1 0 0\n0 1 0\n1\n0 1 2\n", body},
    {"sph", "1 8\n0 0 0 1 0\n", sph},
    {"pgm", "P2\n# c\n2 2\n# d\n255\n1 2\n3 4\n", pgm},
    {"asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n1 2\n3 4\n", asc},
};

/* Reads the text with other line ends, and checks for the same numbers. */
static void check_ends(size_t f, const char *name, const char *bytes, size_t size, size_t chunk,
                       const struct bi_numbers *expected)
{
    struct bi_numbers numbers = {0};
    bosc_io_error error = {""};
    char *copy = suite_alloc(size);
    memcpy(copy, bytes, size);
    struct bi_bytes in = {.name = "F", .data = copy, .size = size, .chunk_bytes = chunk};
    bosc_status status = formats[f].read(&in, &numbers, &error);
    if (status != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s, %s: %s", formats[f].name, name, error.text);
    if (numbers.count != expected->count ||
        memcmp(numbers.data, expected->data, numbers.count * sizeof *numbers.data) != 0)
        suite_fail(__FILE__, __LINE__, "%s, %s: other numbers", formats[f].name, name);
    bi_numbers_free(&numbers);
    free(copy);
}

static void same_numbers(void)
{
    static const size_t chunks[] = {0, 7, 16};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        const char *plain = formats[f].text;
        const size_t size = strlen(plain);
        /* 1. The numbers of the plain text. */
        struct bi_numbers expected = {0};
        struct bi_bytes in = {.name = "F", .data = plain, .size = size};
        CHECK_EQ(formats[f].read(&in, &expected, NULL), BOSC_OK);
        CHECK(expected.count > 0);
        /* 2. The same text with other ends. */
        char *carriage = suite_alloc(size), *both = suite_alloc(2 * size), *mixed = suite_alloc(2 * size);
        size_t both_size = 0, mixed_size = 0, line = 0;
        for (size_t i = 0; i < size; i++) {
            const bool end = plain[i] == '\n';
            carriage[i] = end ? '\r' : plain[i];
            if (end) both[both_size++] = '\r';
            both[both_size++] = plain[i];
            line += end;
            if (end && line % 3 == 1) mixed[mixed_size++] = '\r';
            mixed[mixed_size++] = end && line % 3 == 2 ? '\r' : plain[i];
        }
        for (size_t k = 0; k < sizeof chunks / sizeof chunks[0]; k++) {
            check_ends(f, "LF", plain, size, chunks[k], &expected);
            check_ends(f, "CR", carriage, size, chunks[k], &expected);
            check_ends(f, "CR LF", both, both_size, chunks[k], &expected);
            check_ends(f, "mixed", mixed, mixed_size, chunks[k], &expected);
            check_ends(f, "no last end", carriage, size - 1, chunks[k], &expected);
        }
        bi_numbers_free(&expected);
        free(carriage);
        free(both);
        free(mixed);
    }
}

/* Messages count every end as one line. */
static void line_numbers(void)
{
    static const struct {
        numbers_fn read;
        const char *text, *reason;
    } all[] = {
        {text, "# a\r1 2\r3 x\r", "F:3: 'x'"},
        {text, "# a\r\n1 2\r3 4\n\r5 x\r\n", "F:5: 'x'"},
        {list, "# a\r0 1\r\r1 y\r", "F:4: 'y'"},
        {mtx, "%%MatrixMarket matrix coordinate pattern general\r2 2 x\r", "F:2: 'x'"},
        {vectors, ">a\r>b\rAC\r", "F:1: no letters"},
        {pgm, "P2\r\n#\r2 2\n255\r1 2 3 x", "F:5:"},
        {obj, "v 0 0 0\r\rv 1 0 x\r", "F:3: 'x'"},
        {gr, "c\rp sp 2 1\rb 1 2 3\r", "F:3: 'b'"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (size_t chunk = 0; chunk < 20; chunk += 5) {
            struct bi_numbers numbers = {0};
            bosc_io_error error = {""};
            struct bi_bytes in = {.name = "F", .data = all[i].text, .size = strlen(all[i].text), .chunk_bytes = chunk};
            CHECK(all[i].read(&in, &numbers, &error) != BOSC_OK);
            if (!suite_begins(error.text, all[i].reason))
                suite_fail(__FILE__, __LINE__, "'%s' where '%s' should be", error.text, all[i].reason);
            bi_numbers_free(&numbers);
        }
    }
}

/* A binary .ply whose header ends in CR alone; the body begins with an LF. */
static void binary_ply(void)
{
    static const char text[] = "ply\rformat binary_little_endian 1.0\relement vertex 3\rproperty uchar x\r"
                               "property uchar y\rproperty uchar z\relement face 1\r"
                               "property list uchar uchar vertex_indices\rend_header\r"
                               "\n\1\2\3\4\5\6\7\n\3\0\1\2";
    struct bi_numbers numbers = {0};
    struct bi_bytes in = {.name = "F", .data = text, .size = sizeof text - 1};
    CHECK_EQ(ply(&in, &numbers, NULL), BOSC_OK);
    CHECK_EQ(numbers.count, 12);
    CHECK(numbers.data[0] == 10 && numbers.data[1] == 1 && numbers.data[8] == 10 && numbers.data[11] == 2);
    bi_numbers_free(&numbers);
}

static const struct suite_case suite_cases_io_line_ends[] = {
    {"same numbers", NULL, same_numbers},
    {"line numbers", NULL, line_numbers},
    {"binary ply", NULL, binary_ply},
};
SUITE(io_line_ends);
