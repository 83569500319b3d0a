/* Meshes on disk: .glb parsed back by its specification, .ply and .obj by our readers; bad arguments; faults. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fault.h"
#include "support/bytes.h"
#include "support/paths.h"

enum { SIDE = 5, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

static float positions[VERTICES * 3], normals[VERTICES * 3], texture[VERTICES * 2];
static uint32_t indices[TRIANGLES * 3];

/* A hilly square. */
static bosc_mesh make_mesh(void)
{
    for (int i = 0; i < VERTICES; i++) {
        const float p[3] = {(float)(i % SIDE) * 0.1f, (float)(i / SIDE) * 30, 1e6f / (float)(i + 1) - 3},
                    n[3] = {0.6f, 0, 0.8f};
        memcpy(positions + 3 * i, p, sizeof p);
        memcpy(normals + 3 * i, n, sizeof n);
        texture[2 * i] = (float)(i % SIDE) / (SIDE - 1);
        texture[2 * i + 1] = (float)(i / SIDE) / (SIDE - 1);
    }
    uint32_t *t = indices;
    for (uint32_t y = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t a = y * SIDE + x, b = a + 1, c = a + SIDE, d = c + 1;
            const uint32_t two[6] = {a, b, d, a, d, c};
            memcpy(t, two, sizeof two);
            t += 6;
        }
    return (bosc_mesh){
        .vertices = VERTICES, .triangles = TRIANGLES, .positions = positions, .normals = normals, .indices = indices};
}

static size_t load(const char *path, unsigned char *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    size_t size = fread(bytes, 1, room, f);
    CHECK(size < room && fclose(f) == 0);
    return size;
}

static uint32_t word(const unsigned char *p)
{
    uint32_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

static int64_t integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    CHECK(json_is_integer(value));
    return json_integer_value(value);
}

/* The bytes of an accessor, whose view must lie in the body, aligned. */
static const unsigned char *view_of(const json_t *root, const json_t *accessor, const unsigned char *body, size_t size,
                                    size_t bytes)
{
    const json_t *view = json_array_get(json_object_get(root, "bufferViews"), (size_t)integer(accessor, "bufferView"));
    int64_t offset = integer(view, "byteOffset"), length = integer(view, "byteLength");
    CHECK(integer(view, "buffer") == 0 && offset % 4 == 0 && length == (int64_t)bytes);
    CHECK(offset >= 0 && offset + length <= (int64_t)size);
    return body + offset;
}

static const json_t *accessor_of(const json_t *root, const json_t *object, const char *key)
{
    return json_array_get(json_object_get(root, "accessors"), (size_t)integer(object, key));
}

static void check_box(const json_t *accessor, const float *x)
{
    for (size_t c = 0; c < 3; c++) {
        float least = INFINITY, most = -INFINITY;
        for (int i = 0; i < VERTICES; i++)
            least = fminf(least, x[3 * i + (int)c]), most = fmaxf(most, x[3 * i + (int)c]);
        CHECK((float)json_number_value(json_array_get(json_object_get(accessor, "min"), c)) == least);
        CHECK((float)json_number_value(json_array_get(json_object_get(accessor, "max"), c)) == most);
    }
}

static void check_root(const json_t *root, const bosc_mesh *mesh, const unsigned char *body, size_t size)
{
    /* 1. One buffer, and a node whose matrix makes y point up. */
    const json_t *asset = json_object_get(root, "asset");
    CHECK(strcmp(json_string_value(json_object_get(asset, "version")), "2.0") == 0);
    const json_t *extras = json_object_get(asset, "extras");
    CHECK((extras != NULL) == (mesh->extras != NULL));
    if (extras) {
        json_t *wanted = json_loads(mesh->extras, 0, NULL);
        CHECK(json_equal(extras, wanted));
        json_decref(wanted);
    }
    const json_t *buffers = json_object_get(root, "buffers");
    CHECK(json_array_size(buffers) == 1 && integer(json_array_get(buffers, 0), "byteLength") == (int64_t)size);
    const json_t *node = json_array_get(json_object_get(root, "nodes"), 0);
    CHECK(integer(node, "mesh") == 0 && json_array_size(json_object_get(node, "matrix")) == 16);
    for (size_t i = 0; i < 16; i++) {
        const int side = mesh->map ? 1 : -1;
        const double *o = mesh->origin;
        const double map[16] = {1, 0, 0, 0, 0, 0, side, 0, 0, 1, 0, 0, o[0], o[2], side * o[1], 1};
        const json_t *number = json_array_get(json_object_get(node, "matrix"), i);
        CHECK(json_number_value(number) == map[i] && (i > 11 || json_is_integer(number)));
    }
    /* 2. One primitive of positions and indices with their bounds. */
    const json_t *primitive =
        json_array_get(json_object_get(json_array_get(json_object_get(root, "meshes"), 0), "primitives"), 0);
    const json_t *attributes = json_object_get(primitive, "attributes");
    const json_t *at = accessor_of(root, attributes, "POSITION"), *of = accessor_of(root, primitive, "indices");
    CHECK(integer(primitive, "mode") == 4 &&
          json_object_size(attributes) == 1u + (mesh->normals != NULL) + (mesh->texture != NULL));
    CHECK(integer(at, "componentType") == 5126 && integer(at, "count") == VERTICES);
    CHECK(memcmp(view_of(root, at, body, size, sizeof positions), positions, sizeof positions) == 0);
    check_box(at, positions);
    CHECK(integer(of, "componentType") == 5125 && integer(of, "count") == TRIANGLES * 3);
    const unsigned char *list = view_of(root, of, body, size, sizeof indices);
    CHECK(memcmp(list, indices, sizeof indices) == 0);
    for (int i = 0; i < TRIANGLES * 3; i++) CHECK(word(list + 4 * i) < VERTICES);
    /* 3. Texture coordinates and normals, if the mesh has some. */
    if (mesh->texture) {
        const json_t *uv = accessor_of(root, attributes, "TEXCOORD_0");
        CHECK(integer(uv, "componentType") == 5126 && integer(uv, "count") == VERTICES);
        CHECK(strcmp(json_string_value(json_object_get(uv, "type")), "VEC2") == 0);
        CHECK(memcmp(view_of(root, uv, body, size, sizeof texture), texture, sizeof texture) == 0);
    }
    if (!mesh->normals) return;
    const json_t *normal = accessor_of(root, attributes, "NORMAL");
    CHECK(integer(normal, "componentType") == 5126 && integer(normal, "count") == VERTICES);
    CHECK(memcmp(view_of(root, normal, body, size, sizeof normals), normals, sizeof normals) == 0);
}

static void glb(void)
{
    static unsigned char bytes[1 << 14];
    for (int kind = 0; kind < 16; kind++) {
        bosc_mesh mesh = make_mesh();
        bosc_io_error error = {""};
        char path[PATH_ROOM];
        mesh.map = kind % 2;
        if (kind & 2) mesh.normals = NULL;
        if (kind & 4) mesh.texture = texture;
        if (kind & 8) {
            mesh.extras = "{\"crs\": \"EPSG:32632\", \"origin\": [500015.0625, 4600012.1], \"notes\": {}}";
            mesh.origin[0] = 123456.015625, mesh.origin[1] = -7, mesh.origin[2] = 0.1;
        }
        fresh_path(path, ".glb");
        /* 1. The header and the chunks. */
        if (bosc_mesh_write(path, &mesh, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
        size_t size = load(path, bytes, sizeof bytes);
        unlink(path);
        CHECK(memcmp(bytes, "glTF\2\0\0\0", 8) == 0 && word(bytes + 8) == size);
        size_t head = word(bytes + 12);
        CHECK(head % 4 == 0 && memcmp(bytes + 16, "JSON", 4) == 0 && 20 + head + 8 < size);
        const unsigned char *chunk = bytes + 20 + head;
        CHECK(word(chunk) % 4 == 0 && memcmp(chunk + 4, "BIN\0", 4) == 0 && 28 + head + word(chunk) == size);
        /* 2. Their contents. */
        json_t *root = json_loadb((const char *)bytes + 20, head, 0, NULL);
        CHECK(json_is_object(root));
        check_root(root, &mesh, chunk + 8, word(chunk));
        json_decref(root);
    }
}

/* Vertices are read by our reader of points; faces are checked by size and by the last one. */
static void ply_and_obj(void)
{
    for (int kind = 0; kind < 4; kind++) {
        static unsigned char bytes[1 << 14];
        bosc_mesh mesh = make_mesh();
        bosc_io_error error = {""};
        bosc_array points = {0};
        char path[PATH_ROOM];
        if (kind / 2) mesh.normals = NULL;
        fresh_path(path, kind % 2 ? ".OBJ" : ".ply");
        if (bosc_mesh_write(path, &mesh, &error) != BOSC_OK || bosc_points_read(path, &points, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "%s", error.text);
        CHECK(points.shape[0] == VERTICES && points.shape[1] == 3);
        for (int i = 0; i < VERTICES * 3; i++) CHECK((float)((const double *)points.data)[i] == positions[i]);
        bosc_array_free(&points);
        size_t size = load(path, bytes, sizeof bytes - 1);
        unlink(path);
        bytes[size] = 0;
        if (kind % 2) {
            const char *last = mesh.normals ? "\nf 19//19 25//25 24//24\n" : "\nf 19 25 24\n";
            CHECK(strcmp((const char *)bytes + size - strlen(last), last) == 0);
            continue;
        }
        size_t body = VERTICES * (mesh.normals ? 24 : 12) + TRIANGLES * 13;
        CHECK(size > body && memcmp(bytes + size - body - 11, "end_header\n", 11) == 0);
        CHECK(bytes[size - 13] == 3 && memcmp(bytes + size - 12, indices + (TRIANGLES - 1) * 3, 12) == 0);
    }
}

static void bad_arguments(void)
{
    bosc_mesh good = make_mesh(), bad;
    static const char *const names[] = {"a", "", "glb", "a.gltf", "a.stl", ".obj.bz2"};
    char path[PATH_ROOM];
    fresh_path(path, ".glb");
    CHECK_TEXT(bosc_mesh_write(NULL, &good, error), "path");
    CHECK_TEXT(bosc_mesh_write(path, NULL, error), "mesh");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK_TEXT(bosc_mesh_write(names[i], &good, error), "path");
    static const int64_t counts[] = {0, -1, INT64_MIN, INT64_MAX};
    for (int i = 0; i < 8; i++) {
        bad = good;
        if (i < 4)
            bad.vertices = counts[i];
        else
            bad.triangles = counts[i - 4];
        CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh");
    }
    bad = good, bad.vertices = (int64_t)UINT32_MAX + 1;
    CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh");
    bad = good, bad.positions = NULL;
    CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh");
    bad = good, bad.indices = NULL;
    CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh");
    bad = good, bad.map = 2;
    CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh");
    bad = good, bad.vertices--; /* a triangle uses the last vertex */
    CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh");
    static const char *const texts[] = {"", "7", "[]", "{", "{\"a\": 1, \"a\": 2}", "{} x"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bad = good, bad.extras = texts[i];
        CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh: extras");
    }
    bad = good, bad.origin[2] = NAN;
    CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh: coordinate 2 of the origin");
    bad = good, bad.texture = texture, texture[9] = INFINITY;
    CHECK_TEXT(bosc_mesh_write(path, &bad, error), "mesh: texture coordinates of vertex 4");
    texture[9] = 0;
    bad = good, bad.map = 2;
    positions[7] = NAN;
    CHECK_TEXT(bosc_mesh_write(path, &good, error), "mesh: vertex 2");
    positions[7] = 0, normals[10] = INFINITY;
    CHECK_TEXT(bosc_mesh_write(path, &good, error), "mesh: vertex 3");
    normals[10] = 0;
    uint8_t rgb[12] = {0};
    CHECK_TEXT(bosc_mesh_and_png_write(NULL, &good, path, rgb, 2, 2, error), "path");
    CHECK_TEXT(bosc_mesh_and_png_write("a.stl", &good, path, rgb, 2, 2, error), "path");
    CHECK_TEXT(bosc_mesh_and_png_write(path, NULL, path, rgb, 2, 2, error), "mesh");
    CHECK_TEXT(bosc_mesh_and_png_write(path, &bad, path, rgb, 2, 2, error), "mesh");
    CHECK_TEXT(bosc_mesh_and_png_write(path, &good, NULL, rgb, 2, 2, error), "png_path");
    CHECK_TEXT(bosc_mesh_and_png_write(path, &good, path, NULL, 2, 2, error), "rgb");
    static const int32_t sides[] = {0, -1, INT32_MIN, INT32_MAX, 1000001};
    for (int i = 0; i < 5; i++) {
        CHECK_TEXT(bosc_mesh_and_png_write(path, &good, path, rgb, sides[i], 2, error), "width");
        CHECK_TEXT(bosc_mesh_and_png_write(path, &good, path, rgb, 2, sides[i], error), "height");
    }
    CHECK(access(path, F_OK) != 0);
}

static void mesh_and_picture(void)
{
    bosc_mesh mesh = make_mesh();
    uint8_t rgb[12] = {0};
    char path[PATH_ROOM], png[PATH_ROOM];
    fresh_path(path, ".ply");
    fresh_path(png, ".png");
    CHECK_EQ(bosc_mesh_and_png_write(path, &mesh, "/nowhere/a.png", rgb, 2, 2, NULL), BOSC_ERR_IO);
    CHECK(access(path, F_OK) != 0);
    CHECK_EQ(bosc_mesh_and_png_write(path, &mesh, png, rgb, 2, 2, NULL), BOSC_OK);
    CHECK(access(path, F_OK) == 0 && access(png, F_OK) == 0);
    unlink(path);
    unlink(png);
}

#ifdef BOSC_FAULTS
/* Both files are written or none, also if renaming the second fails. */
static void faults_of_two(void)
{
    bosc_mesh mesh = make_mesh();
    uint8_t rgb[12] = {0};
    for (int64_t k = 0;; k++) {
        char path[PATH_ROOM], png[PATH_ROOM];
        bosc_io_error error = {""};
        fresh_path(path, ".ply");
        fresh_path(png, ".png");
        bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_WRITE, k, false);
        bosc_status status = bosc_mesh_and_png_write(path, &mesh, png, rgb, 2, 2, &error);
        bi_fault_disarm();
        bool first = access(path, F_OK) == 0, second = access(png, F_OK) == 0;
        CHECK(k < 40 && second == (status == BOSC_OK) && first == second);
        unlink(path);
        unlink(png);
        if (status == BOSC_OK) break;
        CHECK(error.text[0]);
    }
}

static void faults(void)
{
    static const char *const endings[] = {".glb", ".ply", ".obj"};
    for (int e = 0; e < 3; e++)
        for (int64_t k = 0;; k++) {
            bosc_mesh mesh = make_mesh();
            bosc_io_error error = {""};
            char path[PATH_ROOM];
            mesh.texture = texture;
            mesh.extras = "{\"spacing\": [30, 30]}";
            fresh_path(path, endings[e]);
            bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_WRITE, k, false);
            bosc_status status = bosc_mesh_write(path, &mesh, &error);
            bi_fault_disarm();
            CHECK(k < 20 && (status == BOSC_OK) == (access(path, F_OK) == 0));
            unlink(path);
            if (status == BOSC_OK) break;
            CHECK(error.text[0]);
        }
}
#endif

static const struct suite_case suite_cases_io_mesh_write[] = {
    {".glb", NULL, glb},
    {".ply and .obj", NULL, ply_and_obj},
    {"a mesh and its picture", NULL, mesh_and_picture},
    {"bad arguments", NULL, bad_arguments},
#ifdef BOSC_FAULTS
    {"faults of a mesh and its picture", NULL, faults_of_two},
    {"faults at every passage", NULL, faults},
#endif
};
SUITE(io_mesh_write);
