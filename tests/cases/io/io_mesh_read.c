/* Complete meshes: the triangles of .off, .obj, .ply and .stl files. */
#include <stdio.h>

#include "base/fault.h"
#include "io/mesh/faces.h"
#include "support/bytes.h"
#include "support/paths.h"

/* The triangles of a mesh as numbers; it has `vertices` that can be summed. */
static bosc_status triangles_of(bi_mesh_fn read, const struct bi_bytes *in, bosc_array *triangles, bosc_io_error *error)
{
    bosc_array vertices = {0}, found = {0};
    bosc_status status = bi_mesh_parse(read, in, &vertices, &found, error);
    if (status != BOSC_OK) {
        CHECK(!vertices.data && !found.data);
        return status;
    }
    CHECK(vertices.dtype == BOSC_F64 && vertices.rank == 2 && vertices.shape[1] == 3);
    for (int64_t i = 0; i < 3 * found.shape[0]; i++)
        CHECK((int64_t)((const uint32_t *)found.data)[i] < vertices.shape[0]);
    CHECK_EQ(bosc_array_convert("t", &found, BOSC_F64, 0, NULL), BOSC_OK);
    bosc_array_free(&vertices);
    *triangles = found;
    return status;
}

#define TRIANGLES_OF(format)                                                                                  \
    static bosc_status format##_triangles(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error) \
    {                                                                                                         \
        return triangles_of(bi_##format##_read, in, array, error);                                            \
    }
TRIANGLES_OF(off)
TRIANGLES_OF(obj)
TRIANGLES_OF(ply)
TRIANGLES_OF(stl)

static bosc_status stl_vertices(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return bi_stl_read(in, array, NULL, error);
}

#define ROWS(parse, text, n, ...) check_rows(parse, text, sizeof(text) - 1, n, 3, (const double[]){__VA_ARGS__})
#define REFUSED(parse, list) check_all_refused(parse, list, sizeof list / sizeof list[0])

#define OFF_GOOD "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2 255 0 0\n4 3 1 0 2\n2 0 1\n"

static void off(void)
{
    static const struct malformed bad[] = {
        {"F: no triangles", "OFF\n1 0 0\n1 2 3\n", 0},
        {"F: no triangles", "OFF\n2 1 0\n1 2 3\n4 5 6\n2 0 1\n", 0},
        {"F:4: no face", "OFF\n1 1 0\n1 2 3\n3 0 0 1\n", 0},
        {"F:5: text after", "OFF\n1 1 0\n1 2 3\n3 0 0 0\nmore\n", 0},
    };
    ROWS(off_triangles, OFF_GOOD, 3, 0, 1, 2, 3, 1, 0, 3, 0, 2);
    REFUSED(off_triangles, bad);
    check_truncations(off_triangles, OFF_GOOD, sizeof OFF_GOOD - 1, sizeof OFF_GOOD - 2);
    check_flips(off_triangles, OFF_GOOD, sizeof OFF_GOOD - 1, sizeof OFF_GOOD - 1);
}

#define OBJ_GOOD "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2/7 3//9\nf -1 -2/1/1 -3\nf 1 2 \\\n3 1\nl 1 2\n"

static void obj(void)
{
    static const struct malformed bad[] = {
        {"F: no triangles", "v 1 2 3\n", 0},
        {"F: no triangles", "v 1 2 3\nf 1 1\n", 0},
        {"F:2: '0' is no corner", "v 1 2 3\nf 1 1 0\n", 0},
        {"F:2: '-2' is no corner", "v 1 2 3\nf 1 1 -2\n", 0},
        {"F:2: 'x' is no corner", "v 1 2 3\nf 1 1 x\n", 0},
        {"F:2: '/1' is no corner", "v 1 2 3\nf 1 1 /1\n", 0},
        {"F:2: '-' is no corner", "v 1 2 3\nf 1 1 -\n", 0},
        {"F:2: '1.5' is no corner", "v 1 2 3\nf 1 1 1.5\n", 0},
        {"F:2: '99999999999999999999'", "v 1 2 3\nf 1 1 99999999999999999999\n", 0},
        {"F:2: a face has vertex 2, but there are 1", "v 1 2 3\nf 1 1 2\nf 1 1 1\n", 0},
        {"F:2: truncated in a face", "v 1 2 3\nf 1 1 1 \\", 0},
    };
    ROWS(obj_triangles, OBJ_GOOD, 4, 0, 1, 2, 2, 1, 0, 0, 0, 1, 1, 2, 0);
    ROWS(obj_triangles, "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", 1, 0, 1, 2);
    REFUSED(obj_triangles, bad);
    check_refused(obj_triangles, "f x 2 3\n", 8, "F:1: 'x' is no corner");
    check_flips(obj_triangles, OBJ_GOOD, sizeof OBJ_GOOD - 1, sizeof OBJ_GOOD - 1);
}

#define PLY(format, rest) "ply\nformat " format " 1.0\nelement vertex 3\n" XYZ rest "end_header\n"
#define XYZ "property uchar x\nproperty uchar y\nproperty uchar z\n"
#define FACES(n, name) "element face " n "\nproperty uchar c\nproperty list uchar int " name "\n"
#define ABC "\0\0\0\1\0\0\0\1\0"

#define PLY_ASCII PLY("ascii", FACES("2", "vertex_indices")) "0 0 0\n1 0 0\n0 1 0\n9 3 0 1 2\n9 4 2 1 0 1\n"
#define PLY_LITTLE PLY("binary_little_endian", FACES("1", "vertex_index")) ABC "c\3\0\0\0\0\1\0\0\0\2\0\0\0"

static void ply(void)
{
    static const char beyond[] = PLY("binary_big_endian", FACES("1", "vertex_index")) ABC "c\3\0\0\0\0\0\0\0\1\0\0\0\3";
    static const struct malformed bad[] = {
        {"F: no triangles", PLY("ascii", "") "0 0 0\n1 0 0\n0 1 0\n", 0},
        {"F: no triangles", PLY("ascii", FACES("1", "other")) "0 0 0\n1 0 0\n0 1 0\n9 3 0 1 2\n", 0},
        {"F:14: a face has a vertex", PLY("ascii", FACES("1", "vertex_index")) "0 0 0\n1 0 0\n0 1 0\n9 3 0 1 3\n", 0},
        {"F:14: a face has a vertex", PLY("ascii", FACES("1", "vertex_index")) "0 0 0\n1 0 0\n0 1 0\n9 3 0 1 .5\n", 0},
        {"F:14: the numbers are not", PLY("ascii", FACES("1", "vertex_index")) "0 0 0\n1 0 0\n0 1 0\n9 4 0 1 2\n", 0},
        {"F: face 0: a face has a vertex", beyond, sizeof beyond - 1},
    };
    ROWS(ply_triangles, PLY_ASCII, 3, 0, 1, 2, 1, 2, 1, 1, 0, 1);
    ROWS(ply_triangles, PLY_LITTLE, 1, 0, 1, 2);
    REFUSED(ply_triangles, bad);
    check_truncations(ply_triangles, PLY_LITTLE, sizeof PLY_LITTLE - 1, sizeof PLY_LITTLE - 1);
    check_flips(ply_triangles, PLY_LITTLE, sizeof PLY_LITTLE - 1, sizeof PLY_LITTLE - 1);
    check_flips(ply_triangles, PLY_ASCII, sizeof PLY_ASCII - 1, sizeof PLY_ASCII - 1);
}

#define FACET(c) \
    "facet normal 0 0 1\n outer loop\n  vertex 1 2 3\n  vertex 4 5 6\n  vertex 7 8 " c "\n endloop\nendfacet\n"

/* A binary file of `facets` facets, the first with the coordinates 0 to 8. Returns its size. */
static size_t binary_stl(char bytes[284], uint32_t facets)
{
    memset(bytes, 0, 284);
    memcpy(bytes, "solid or not", 12);
    memcpy(bytes + 80, &facets, 4);
    for (int k = 0; k < 9; k++) {
        float x = (float)k;
        memcpy(bytes + 96 + 4 * k, &x, 4);
    }
    return 84 + 50 * facets;
}

#define STL_GOOD "solid a b\n" FACET("9") FACET("8") "endsolid a b\nSOLID\nEndSolid\n"

static void stl(void)
{
    static const struct malformed bad[] = {
        {"F: neither a text", "", 0},
        {"F: neither a text", "facet normal 0 0 1\n", 0},
        {"F: no vertices", "solid\nendsolid\n", 0},
        {"F:1: truncated: no endsolid", "solid\n", 0},
        {"F:2: none of solid", "solid\nsolid\n", 0},
        {"F:3: none of solid", "solid\nendsolid\nendsolid\n", 0},
        {"F:3: no facet", "solid\nfacet normal 0 0 1\nvertex 1 2 3\n", 0},
        {"F:4: no facet", "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2\n", 0},
        {"F:4: no facet", "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3 4\n", 0},
        {"F:4: 'x' is not", "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 x\n", 0},
        {"F:4: NaN", "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 nan\n", 0},
        {"F:5: no facet", "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nendloop\n", 0},
        {"F:8: truncated: no endsolid", "solid\n" FACET("9"), 0},
    };
    char bytes[284];
    /* 1. Text: each facet has three vertices of its own. */
    ROWS(stl_triangles, STL_GOOD, 2, 0, 1, 2, 3, 4, 5);
    ROWS(stl_vertices, STL_GOOD, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 8);
    REFUSED(stl_triangles, bad);
    check_truncations(stl_triangles, STL_GOOD, sizeof STL_GOOD - 1, sizeof STL_GOOD - 30);
    check_flips(stl_triangles, STL_GOOD, sizeof STL_GOOD - 1, sizeof STL_GOOD - 1);
    /* 2. Binary: as many facets as it claims, none, and a NaN. */
    size_t size = binary_stl(bytes, 4);
    check_rows(stl_triangles, bytes, size, 4, 3, (const double[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    size = binary_stl(bytes, 1);
    check_rows(stl_vertices, bytes, size, 3, 3, (const double[]){0, 1, 2, 3, 4, 5, 6, 7, 8});
    check_truncations(stl_triangles, bytes, size, size);
    check_rows(stl_vertices, bytes, size + 7, 3, 3, (const double[]){0, 1, 2, 3, 4, 5, 6, 7, 8}); /* bytes behind it */
    check_refused(stl_triangles, bytes, binary_stl(bytes, 0), "no vertices");
    size = binary_stl(bytes, 1);
    memset(bytes + 96, 0xff, 4);
    check_refused(stl_triangles, bytes, size, "F: triangle 0: NaN");
}

/* The reader chosen for a file without a known ending. */
static void readers(void)
{
    char stl_bytes[284];
    const struct {
        const char *path, *bytes;
        size_t size;
        bi_mesh_fn read;
    } all[] = {
        {"a.OFF", "", 0, bi_off_read},         {"a.obj.gz", "", 0, bi_obj_read},   {"a.ply", "", 0, bi_ply_read},
        {"a.stl", "", 0, bi_stl_read},         {"-", "ply\n", 4, bi_ply_read},     {"a", "# c\nCOFF\n", 9, bi_off_read},
        {"-", "solid x\n", 8, bi_stl_read},    {"-", "v 1 2 3\n", 8, bi_obj_read}, {"-", "", 0, bi_obj_read},
        {"a.txt", "v 1 2 3\n", 8, NULL},       {"a.glb", "", 0, bi_glb_read},      {"-", "glTF", 4, bi_glb_read},
        {"a.bin", stl_bytes, 84, bi_stl_read}, {"a.bin", stl_bytes, 83, NULL},     {"a.stl", "glTF", 4, bi_stl_read}};
    memset(stl_bytes, 0, sizeof stl_bytes);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct bi_bytes in = {.name = "F", .data = all[i].bytes, .size = all[i].size};
        CHECK(bi_mesh_reader_of(all[i].path, &in) == all[i].read);
    }
}

#ifdef BOSC_FAULTS
/* Memory runs out at every allocation of every reader. */
static void faults(void)
{
    char bytes[284];
    const struct {
        bi_mesh_fn read;
        const char *bytes;
        size_t size;
    } all[] = {{bi_off_read, OFF_GOOD, sizeof OFF_GOOD - 1},   {bi_obj_read, OBJ_GOOD, sizeof OBJ_GOOD - 1},
               {bi_ply_read, PLY_ASCII, sizeof PLY_ASCII - 1}, {bi_ply_read, PLY_LITTLE, sizeof PLY_LITTLE - 1},
               {bi_stl_read, STL_GOOD, sizeof STL_GOOD - 1},   {bi_stl_read, bytes, binary_stl(bytes, 1)}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct bi_bytes in = {.name = "F", .data = all[i].bytes, .size = all[i].size};
        bosc_status status = BOSC_ERR_NOMEM;
        for (int64_t k = 0; status != BOSC_OK; k++) {
            bosc_array vertices = {0}, triangles = {0};
            bosc_io_error error = {""};
            bi_fault_arm(BI_FAULT_ALLOC, k, true);
            status = bi_mesh_parse(all[i].read, &in, &vertices, &triangles, &error);
            bi_fault_disarm();
            if (status != BOSC_OK) CHECK(!vertices.data && !triangles.data && strstr(error.text, "out of memory"));
            CHECK(status == BOSC_OK ? k > 0 : status == BOSC_ERR_NOMEM);
            bosc_array_free(&vertices);
            bosc_array_free(&triangles);
        }
    }
}
#endif

static void files(void)
{
    bosc_array vertices = {0}, triangles = {0};
    CHECK_TEXT(bosc_mesh_read("none.off", NULL, &triangles, error), "vertices: NULL");
    CHECK_TEXT(bosc_mesh_read("none.off", &vertices, NULL, error), "triangles: NULL");
    CHECK_TEXT(bosc_mesh_read(NULL, &vertices, &triangles, error), "path");
    CHECK_EQ(bosc_mesh_read("/nowhere/none.off", &vertices, &triangles, NULL), BOSC_ERR_IO);
    CHECK(!vertices.data && !triangles.data);
}

static const struct suite_case suite_cases_io_mesh_read[] = {
    {"off", NULL, off},       {"obj", NULL, obj},         {"ply", NULL, ply},
    {"stl", NULL, stl},       {"readers", NULL, readers}, {"files", NULL, files},
#ifdef BOSC_FAULTS
    {"faults", NULL, faults},
#endif
};
SUITE(io_mesh_read);
