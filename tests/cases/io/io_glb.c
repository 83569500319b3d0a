/* Meshes of .glb files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mesh/faces.h"
#include "io/mesh/points.h"
#include "support/bytes.h"

enum { MOST = 4096 }; /* bytes of a file */

/* Bytes of a test's buffer: three vertices of floats, then 1, 2, 0 as u1, a byte, as u2, two bytes, as u4. */
struct body {
    float vertices[9];
    uint8_t bytes[4];
    uint16_t shorts[4];
    uint32_t words[3];
};

/* Joins JSON and the buffer to a file; returns its size. */
static size_t make_glb(char file[MOST], const char *json)
{
    const struct body body = {{0, 0, 0, 4, 0, 1, 0, 8, 2}, {1, 2, 0, 0}, {1, 2, 0, 0}, {1, 2, 0}};
    const uint32_t length = (uint32_t)(strlen(json) + 3) / 4 * 4;
    const uint32_t head[5] = {0x46546c67, 2, 28 + length + (uint32_t)sizeof body, length, 0x4e4f534a},
                   chunk[2] = {sizeof body, 0x004e4942};
    memset(file, ' ', MOST);
    memcpy(file, head, sizeof head);
    memcpy(file + 20, json, strlen(json));
    memcpy(file + 20 + length, chunk, sizeof chunk);
    memcpy(file + 28 + length, &body, sizeof body);
    return 28 + length + sizeof body;
}

/* A file of one primitive: other members of the root, of the nodes, of the primitive, the accessors, and the bytes of
 * the buffer view. */
#define SCENE(root, nodes, primitive, accessors, bytes)                                                              \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}]," root "\"nodes\":[" nodes            \
    "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}" primitive "}]}],\"buffers\":[{\"byteLength\":" \
    "60}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":" bytes "}],\"accessors\":[" accessors "]}"
/* An accessor: its first members, its component type, its number of elements, and their shape. */
#define ACCESSOR(members, type, count, shape) \
    "{" members ",\"componentType\":" #type ",\"count\":" #count ",\"type\":\"" shape "\"}"
#define VIEW "\"bufferView\":0"
#define POSITIONS ACCESSOR(VIEW, 5126, 3, "VEC3")
#define INDICES(type, offset) "," ACCESSOR(VIEW ",\"byteOffset\":" #offset, type, 3, "SCALAR")
#define SCENE_OF(accessor) SCENE("", "{\"mesh\":0}", "", accessor, "60")
#define PLAIN SCENE_OF(POSITIONS)

/* Parses the file; vertices become doubles of *points, triangles of *faces. */
static bosc_status parse(const char *file, size_t size, bosc_array *points, bosc_array *faces, bosc_io_error *error)
{
    const struct bi_bytes in = {.name = "F", .data = file, .size = size};
    return bi_mesh_parse(bi_glb_read, &in, points, faces, error);
}

/* True for equal numbers; 0 and -0 are. */
static bool same_numbers(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(a[i] == b[i])) return false;
    return true;
}

static void check_faces(const char *json, int64_t n, const double *vertices, int64_t count, const uint32_t *corners)
{
    char file[MOST];
    bosc_array points = {0}, faces = {0};
    bosc_io_error error = {""};
    const bosc_status status = parse(file, make_glb(file, json), &points, &faces, &error);
    if (status != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s: %s", json, error.text);
    CHECK(points.shape[0] == n && same_numbers(points.data, vertices, (size_t)n * 3));
    CHECK(faces.shape[0] == count && memcmp(faces.data, corners, (size_t)count * 12) == 0);
    bosc_array_free(&points);
    bosc_array_free(&faces);
}

static void check_mesh(const char *json, int64_t n, const double *vertices, const uint32_t *corners)
{
    check_faces(json, n, vertices, n / 3, corners);
}

static void meshes(void)
{
    static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5}, turned[] = {1, 2, 0}, mirrored[] = {0, 2, 1};
    static const double up[] = {0, 0, 0, 4, -1, 0, 0, -2, 8}; /* z up */
    static const double moved[] = {10, -30, 20, 18, -33, 20, 10, -36, 36};
    static const double twice[] = {0, 0, 0, 4, -1, 0, 0, -2, 8, 5, 0, 0, 9, -1, 0, 5, -2, 8};
    static const double rotated[] = {0, 0, 0, 1, 4, 0, 2, 0, 8}; /* a quarter turn about glTF's y */
    static const double other_side[] = {0, 0, 0, -4, -1, 0, 0, -2, 8};
    /* 1. Vertices in order, and indices of all types. */
    check_mesh(PLAIN, 3, up, in_order);
    check_mesh(SCENE("", "{\"mesh\":0}", ",\"indices\":1", POSITIONS INDICES(5121, 36), "60"), 3, up, turned);
    check_mesh(SCENE("", "{\"mesh\":0}", ",\"indices\":1", POSITIONS INDICES(5123, 40), "60"), 3, up, turned);
    check_mesh(SCENE("", "{\"mesh\":0}", ",\"indices\":1,\"mode\":4", POSITIONS INDICES(5125, 48), "60"), 3, up,
               turned);
    /* 2. Transforms: a parent's, a scale before a rotation before a translation, a matrix that mirrors. */
    check_mesh(
        SCENE("", "{\"children\":[1],\"translation\":[10,20,30]},{\"mesh\":0,\"scale\":[2,2,3]}", "", POSITIONS, "60"),
        3, moved, in_order);
    check_mesh(SCENE("", "{\"children\":[1,2]},{\"mesh\":0},{\"mesh\":0,\"translation\":[5,0,0]}", "", POSITIONS, "60"),
               6, twice, in_order);
    check_mesh(SCENE("", "{\"mesh\":0,\"matrix\":[0,0,-1,0,0,1,0,0,1,0,0,0,0,0,0,1]}", "", POSITIONS, "60"), 3, rotated,
               in_order);
    check_mesh(SCENE("", "{\"mesh\":0,\"scale\":[-1,1,1]}", "", POSITIONS, "60"), 3, other_side, mirrored);
}

/* Strips and fans, appearance that must be known, rounded matrices, no scenes, and JSON padded with zeros. */
static void exporters(void)
{
    static const uint32_t strip[] = {1, 2, 0, 2, 0, 0}, fan[] = {2, 0, 1, 0, 0, 1}, in_order[] = {0, 1, 2};
    static const double up[] = {0, 0, 0, 4, -1, 0, 0, -2, 8};
    /* 1. Vertices 1, 2, 0, 0: each odd triangle of a strip is turned, and a fan's turn about its first vertex. */
#define FOUR POSITIONS "," ACCESSOR(VIEW ",\"byteOffset\":36", 5121, 4, "SCALAR")
    check_faces(SCENE("", "{\"mesh\":0}", ",\"indices\":1,\"mode\":5", FOUR, "60"), 3, up, 2, strip);
    check_faces(SCENE("", "{\"mesh\":0}", ",\"indices\":1,\"mode\":6", FOUR, "60"), 3, up, 2, fan);
    check_mesh(SCENE("", "{\"mesh\":0}", ",\"targets\":[]", POSITIONS, "60"), 3, up, in_order);
    /* 2. Extensions of appearance, and the last row of a matrix in floats. */
    check_mesh(SCENE("\"extensionsRequired\":[\"KHR_materials_unlit\",\"KHR_texture_transform\"],", "{\"mesh\":0}", "",
                     POSITIONS, "60"),
               3, up, in_order);
    check_mesh(SCENE("", "{\"mesh\":0,\"matrix\":[1,0,0,1e-7,0,1,0,0,0,0,1,0,0,0,0,1.0000001]}", "", POSITIONS, "60"),
               3, up, in_order);
    /* 3. A file without scenes: nodes without a parent. */
    char file[MOST], json[MOST];
    const char *scene = "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],",
               *all = SCENE("", "{},{\"children\":[2]},{\"mesh\":0}", "", POSITIONS, "60");
    const size_t before = (size_t)(strstr(all, scene) - all);
    snprintf(json, sizeof json, "%.*s%s", (int)before, all, all + before + strlen(scene));
    check_mesh(json, 3, up, in_order);
    /* 4. Padding. */
    bosc_array points = {0}, faces = {0};
    bosc_io_error error = {""};
    const size_t size = make_glb(file, SCENE("", "{\"mesh\":0}", "", POSITIONS, "60") " ");
    char *end = memchr(file + 28, ' ', MOST - 28);
    for (; *end == ' '; end++) *end = 0;
    CHECK_EQ(parse(file, size, &points, &faces, &error), BOSC_OK);
    bosc_array_free(&points);
    bosc_array_free(&faces);
}

/* A rotation by a quaternion of exact numbers: (x, y, z, w) = (.6, 0, 0, .8) has the sine .96 and the cosine .28. */
static void quaternions(void)
{
    char file[MOST];
    bosc_array points = {0}, faces = {0};
    bosc_io_error error = {""};
    const char *json = SCENE("", "{\"mesh\":0,\"rotation\":[0.6,0,0,0.8],\"scale\":[1,2,1]}", "", POSITIONS, "60");
    CHECK_EQ(parse(file, make_glb(file, json), &points, &faces, &error), BOSC_OK);
    const double *p = points.data;
    /* (0, 16, 2) becomes y = .28 x 16 - .96 x 2, z = .96 x 16 + .28 x 2. */
    CHECK(p[6] == 0 && fabs(p[7] + 15.92) < 1e-12 && fabs(p[8] - 2.56) < 1e-12);
    bosc_array_free(&points);
    bosc_array_free(&faces);
}

/* `count` sparse elements: offsets of their numbers and values, and the type of the numbers. */
#define SPARSE(count, at, type, values)                                                                      \
    "\"sparse\":{\"count\":" #count ",\"indices\":{" VIEW ",\"byteOffset\":" #at ",\"componentType\":" #type \
    "},\"values\":{" VIEW ",\"byteOffset\":" #values "}}"

/* Sparse positions and indices. */
static void sparse(void)
{
    static const uint32_t in_order[] = {0, 1, 2}, one[] = {2, 2, 0}, none[] = {0, 0, 2};
    static const double last[] = {0, 0, 0, 4, -1, 0, 4, -1, 0}, two[] = {0, 0, 0, 0, 0, 0, 4, -1, 0};
    static const double up[] = {0, 0, 0, 4, -1, 0, 0, -2, 8};
    static const double alone[] = {0, 0, 0, 0, 0, 0, 0, -2, 8};
    /* 1. Positions: one of three, two of three, one of zeros. */
    check_mesh(SCENE_OF(ACCESSOR(SPARSE(1, 37, 5121, 12) "," VIEW, 5126, 3, "VEC3")), 3, last, in_order);
    check_mesh(SCENE_OF(ACCESSOR(SPARSE(2, 40, 5123, 0) "," VIEW, 5126, 3, "VEC3")), 3, two, in_order);
    check_mesh(SCENE_OF(ACCESSOR(SPARSE(1, 52, 5125, 24), 5126, 3, "VEC3")), 3, alone, in_order);
    /* 2. Indices: one of 1, 2, 0, and one of zeros. */
    check_mesh(SCENE("", "{\"mesh\":0}", ",\"indices\":1",
                     POSITIONS "," ACCESSOR(SPARSE(1, 38, 5121, 37) "," VIEW ",\"byteOffset\":36", 5121, 3, "SCALAR"),
                     "60"),
               3, up, one);
    check_mesh(SCENE("", "{\"mesh\":0}", ",\"indices\":1",
                     POSITIONS "," ACCESSOR(SPARSE(1, 37, 5121, 42), 5123, 3, "SCALAR"), "60"),
               3, up, none);
}

/* Positions of all types of integers (KHR_mesh_quantization), fractions or not. */
static void quantized(void)
{
#define QUANTIZED(type, offset, members)                                             \
    SCENE("\"extensionsRequired\":[\"KHR_mesh_quantization\"],", "{\"mesh\":0}", "", \
          ACCESSOR(VIEW ",\"byteOffset\":" #offset ",\"normalized\":" members, type, 3, "VEC3"), "60")
    static const uint32_t in_order[] = {0, 1, 2};
    static const double bytes[] = {0, -128, 0, 64, 0, 0, 0, 0, 0}, signed_bytes[] = {0, 128, 0, 64, 0, 0, 0, 0, 0};
    static const double byte_parts[] = {0, -(128 / 255.0), 0, 64 / 255.0, 0, 0, 0, 0, 0};
    static const double signed_byte_parts[] = {0, 1, 0, 64 / 127.0, 0, 0, 0, 0, 0};
    static const double shorts[] = {0, 0, 16512, 0, -16256, 0, 0, 0, 0};
    static const double short_parts[] = {0, 0, 16512 / 65535.0, 0, -(16256 / 65535.0), 0, 0, 0, 0};
    static const double signed_shorts[] = {-32768, 0, 64, 0, -63, -32768, 0, 0, 0};
    static const double signed_short_parts[] = {-1, 0, 64 / 32767.0, 0, -(63 / 32767.0), -1, 0, 0, 0};
    check_mesh(QUANTIZED(5121, 12, "false"), 3, bytes, in_order);
    check_mesh(QUANTIZED(5120, 12, "false"), 3, signed_bytes, in_order);
    check_mesh(QUANTIZED(5121, 12, "true"), 3, byte_parts, in_order);
    check_mesh(QUANTIZED(5120, 12, "true"), 3, signed_byte_parts, in_order);
    check_mesh(QUANTIZED(5123, 12, "false"), 3, shorts, in_order);
    check_mesh(QUANTIZED(5123, 12, "true"), 3, short_parts, in_order);
    check_mesh(QUANTIZED(5122, 13, "false"), 3, signed_shorts, in_order);
    check_mesh(QUANTIZED(5122, 13, "true"), 3, signed_short_parts, in_order);
}

/* Each malformed scene is refused with its reason, and leaves no arrays. */
static void refusals(void)
{
    /* 1. Scenes, with the beginning of the message of each. */
    static const struct {
        const char *reason, *json;
    } all[] = {
        {"F: JSON, line 1", "{"},
        {"F: glTF of version none", "{}"},
        {"F: glTF of version 1.0", "{\"asset\":{\"version\":\"1.0\"}}"},
        {"F: no vertices", "{\"asset\":{\"version\":\"2.0\"}}"},
        {"F: the scene is not in the list", "{\"asset\":{\"version\":\"2.0\"},\"scene\":0}"},
        {"F: a reader of glTF 2.5", "{\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.5\"}}"},
        {"F: the extension KHR_x is needed",
         SCENE("\"extensionsRequired\":[\"KHR_x\"],", "{\"mesh\":0}", "", POSITIONS, "60")},
        {"F: no vertices", SCENE("", "{}", "", POSITIONS, "60")},
        {"F: node 0 is in the scene twice", SCENE("", "{\"children\":[0]}", "", POSITIONS, "60")},
        {"F: a node is not in the list of 1", SCENE("", "{\"children\":[1]}", "", POSITIONS, "60")},
        {"F: a node is not in the list of 1",
         "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[\"0\"]}]}"}, /* without scenes */
        {"F: the mesh of node 0", SCENE("", "{\"mesh\":-1}", "", POSITIONS, "60")},
        {"F: node 0 has instances",
         SCENE("", "{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{}}}", "", POSITIONS, "60")},
        {"F: node 0 is malformed", SCENE("", "{\"mesh\":0,\"scale\":[1,2]}", "", POSITIONS, "60")},
        {"F: node 0 is malformed, or its matrix is not affine",
         SCENE("", "{\"mesh\":0,\"matrix\":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}", "", POSITIONS, "60")},
        {"F: node 0 has a skin", SCENE("", "{\"mesh\":0,\"skin\":0}", "", POSITIONS, "60")},
        {"F: there is no mesh 1", SCENE("", "{\"mesh\":1}", "", POSITIONS, "60")},
        {"F: morph targets", SCENE("", "{\"mesh\":0}", ",\"targets\":[{}]", POSITIONS, "60")},
        {"F: a primitive has mode 7", SCENE("", "{\"mesh\":0}", ",\"mode\":7", POSITIONS, "60")},
        {"F: no vertices", SCENE("", "{\"mesh\":0}", ",\"mode\":1", POSITIONS, "60")},
        {"F: a primitive is malformed", SCENE("", "{\"mesh\":0}", ",\"indices\":1.5", POSITIONS, "60")},
        {"F: there is no accessor 1", SCENE("", "{\"mesh\":0}", ",\"indices\":1", POSITIONS, "60")},
        {"F: accessor 0 is not within", SCENE("", "{\"mesh\":0}", "", POSITIONS, "35")},
        {"F: accessor 0 is not within", SCENE("", "{\"mesh\":0}", "", POSITIONS, "61")},
        {"F: accessor 0 is not within", SCENE_OF(ACCESSOR(VIEW ",\"byteOffset\":28", 5126, 3, "VEC3"))},
        {"F: the sparse elements of accessor 0", SCENE_OF(ACCESSOR("\"sparse\":{}", 5126, 3, "VEC3"))},
        {"F: the sparse elements of accessor 0", SCENE_OF(ACCESSOR(SPARSE(4, 36, 5121, 0), 5126, 3, "VEC3"))},
        {"F: the sparse elements of accessor 0", SCENE_OF(ACCESSOR(SPARSE(1, 36, 5120, 0), 5126, 3, "VEC3"))},
        {"F: accessor 0 is not within", SCENE_OF(ACCESSOR(SPARSE(2, 59, 5121, 0), 5126, 3, "VEC3"))},
        {"F: accessor 0 is not within", SCENE_OF(ACCESSOR(SPARSE(2, 36, 5121, 40), 5126, 3, "VEC3"))},
        {"F: sparse element 1 has number 0", SCENE_OF(ACCESSOR(SPARSE(2, 37, 5121, 0), 5126, 3, "VEC3"))},
        {"F: sparse element 1 has number 0", SCENE_OF(ACCESSOR(SPARSE(2, 38, 5121, 0), 5126, 3, "VEC3"))},
        {"F: sparse element 0 has number 128", SCENE_OF(ACCESSOR(SPARSE(1, 14, 5121, 0), 5126, 3, "VEC3"))},
        {"F: sparse element 1 has number 0",
         SCENE("", "{\"mesh\":0}", ",\"indices\":1",
               POSITIONS "," ACCESSOR(SPARSE(2, 37, 5121, 36) "," VIEW, 5121, 3, "SCALAR"), "60")},
        {"F: accessor 0 is malformed", SCENE_OF(ACCESSOR(VIEW ",\"normalized\":1", 5121, 3, "VEC3"))},
        {"F: the buffer view of accessor 0", SCENE_OF(ACCESSOR("\"byteOffset\":0", 5126, 3, "VEC3"))},
        {"F: accessor 0 is malformed", SCENE_OF(ACCESSOR(VIEW, 5126, 3, "VEC2"))},
        {"F: accessor 0 has component type 5125", SCENE_OF(ACCESSOR(VIEW, 5125, 3, "VEC3"))},
        {"F: accessor 1 has component type 5122",
         SCENE("", "{\"mesh\":0}", ",\"indices\":1", POSITIONS "," ACCESSOR(VIEW, 5122, 3, "SCALAR"), "60")},
        {"F: 2 corners", SCENE_OF(ACCESSOR(VIEW, 5126, 2, "VEC3"))},
        {"F: triangle 0 has vertex", SCENE("", "{\"mesh\":0}", ",\"indices\":1", POSITIONS INDICES(5121, 14), "60")},
    };
    /* 2. Read each. */
    char file[MOST];
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bosc_array points = {0}, faces = {0};
        bosc_io_error error = {""};
        const bosc_status status = parse(file, make_glb(file, all[i].json), &points, &faces, &error);
        if (status != BOSC_ERR_FORMAT || strncmp(error.text, all[i].reason, strlen(all[i].reason)) != 0)
            suite_fail(__FILE__, __LINE__, "%d, %s for %s", (int)status, error.text, all[i].reason);
        CHECK(!points.data && !faces.data);
    }
}

/* Every truncation is refused; changed bytes are read or refused with a reason; points need no triangles. */
static void damaged(void)
{
    char file[MOST], copy[MOST];
    const size_t size = make_glb(file, PLAIN);
    for (size_t k = 0; k < 8 * size; k++) {
        bosc_array points = {0}, faces = {0};
        bosc_io_error error = {""};
        memcpy(copy, file, size);
        copy[k / 8] = (char)(copy[k / 8] ^ 1 << k % 8);
        if (k < size) CHECK(parse(file, k, &points, &faces, &error) == BOSC_ERR_FORMAT && error.text[0] == 'F');
        error.text[0] = 0;
        if (parse(copy, size, &points, &faces, &error) != BOSC_OK) CHECK(error.text[0] == 'F');
        bosc_array_free(&points);
        bosc_array_free(&faces);
    }
    bosc_array points = {0};
    const struct bi_bytes in = {
        .name = "F", .data = file, .size = make_glb(file, SCENE("", "{\"mesh\":0}", ",\"mode\":0", POSITIONS, "60"))};
    CHECK_EQ(bi_points_parse(bi_points_format_of("a.glb", &in), &in, NULL, NULL, &points, NULL), BOSC_OK);
    CHECK(points.shape[0] == 3 && points.shape[1] == 3 && ((double *)points.data)[8] == 8);
    bosc_array_free(&points);
}

static const struct suite_case suite_cases_io_glb[] = {
    {"meshes", NULL, meshes},   {"exporters", NULL, exporters}, {"quaternions", NULL, quaternions},
    {"sparse", NULL, sparse},   {"quantized", NULL, quantized}, {"refusals", NULL, refusals},
    {"damaged", NULL, damaged},
};
SUITE(io_glb);
