/* Meshes out. Sources: Khronos, glTF 2.0; Turk, The PLY Polygon File Format (1994); the Wavefront manual. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "io/number.h"

enum { FLOAT = 5126, UNSIGNED_INT = 5125, VERTICES = 34962, INDICES = 34963 }; /* glTF's names for them */

static size_t bytes_of_vectors(const bosc_mesh *mesh) { return (size_t)mesh->vertices * 3 * sizeof(float); }

static size_t bytes_of_indices(const bosc_mesh *mesh) { return (size_t)mesh->triangles * 3 * sizeof(uint32_t); }

/* ---- .glb ---- */

static json_t *vector(const float *x) { return json_pack("[f, f, f]", (double)x[0], (double)x[1], (double)x[2]); }

/* The box of the positions, which glTF asks for. */
static json_t *positions_accessor(const bosc_mesh *mesh)
{
    float least[3], most[3];
    memcpy(least, mesh->positions, sizeof least);
    memcpy(most, mesh->positions, sizeof most);
    for (int64_t i = 0; i < mesh->vertices * 3; i++) {
        float x = mesh->positions[i];
        if (x < least[i % 3]) least[i % 3] = x;
        if (x > most[i % 3]) most[i % 3] = x;
    }
    return json_pack("{s:i, s:i, s:I, s:s, s:o, s:o}", "bufferView", 0, "componentType", FLOAT, "count",
                     (json_int_t)mesh->vertices, "type", "VEC3", "min", vector(least), "max", vector(most));
}

static json_t *view(size_t offset, size_t bytes, int target)
{
    return json_pack("{s:i, s:I, s:I, s:i}", "buffer", 0, "byteOffset", (json_int_t)offset, "byteLength",
                     (json_int_t)bytes, "target", target);
}

/* Views and accessors: 0 positions, 1 indices, 2 normals. */
static json_t *views(const bosc_mesh *mesh)
{
    size_t vectors = bytes_of_vectors(mesh), indices = bytes_of_indices(mesh);
    json_t *list = json_pack("[o, o]", view(0, vectors, VERTICES), view(vectors, indices, INDICES));
    if (mesh->normals && list && json_array_append_new(list, view(vectors + indices, vectors, VERTICES)) != 0) {
        json_decref(list);
        return NULL;
    }
    return list;
}

static json_t *accessors(const bosc_mesh *mesh)
{
    json_t *list = json_pack("[o, {s:i, s:i, s:I, s:s}]", positions_accessor(mesh), "bufferView", 1, "componentType",
                             UNSIGNED_INT, "count", (json_int_t)mesh->triangles * 3, "type", "SCALAR");
    json_t *normals = json_pack("{s:i, s:i, s:I, s:s}", "bufferView", 2, "componentType", FLOAT, "count",
                                (json_int_t)mesh->vertices, "type", "VEC3");
    bool good = list && normals && (!mesh->normals || json_array_append(list, normals) == 0);
    json_decref(normals);
    if (good) return list;
    json_decref(list);
    return NULL;
}

/* glTF's axes are x to the right, y up, z to the viewer. A map's are x east, y south, z up: y and z change places,
 * which makes right-handed axes of its left-handed ones. Others are turned so that z is up. By columns. */
static json_t *matrix(const bosc_mesh *mesh)
{
    int side = mesh->map ? 1 : -1;
    return json_pack("[i,i,i,i, i,i,i,i, i,i,i,i, i,i,i,i]", 1, 0, 0, 0, 0, 0, side, 0, 0, 1, 0, 0, 0, 0, 0, 1);
}

static char *glb_head(const bosc_mesh *mesh, size_t body)
{
    json_t *attributes =
        mesh->normals ? json_pack("{s:i, s:i}", "POSITION", 0, "NORMAL", 2) : json_pack("{s:i}", "POSITION", 0);
    json_t *root =
        json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[{s:i, s:o}], s:[{s:[{s:o, s:i, s:i, s:i}]}],"
                  " s:[{s:{s:[f, f, f, f], s:i, s:i}}], s:[{s:I}], s:o, s:o}",
                  "asset", "version", "2.0", "generator", "boscage " BOSC_VERSION_STRING, "scene", 0, "scenes", "nodes",
                  0, "nodes", "mesh", 0, "matrix", matrix(mesh), "meshes", "primitives", "attributes", attributes,
                  "indices", 1, "material", 0, "mode", 4, "materials", "pbrMetallicRoughness", "baseColorFactor", 0.6,
                  0.58, 0.52, 1.0, "metallicFactor", 0, "roughnessFactor", 1, "buffers", "byteLength", (json_int_t)body,
                  "bufferViews", views(mesh), "accessors", accessors(mesh));
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    return text;
}

static void put_word(struct bi_sink *sink, size_t word)
{
    uint32_t w = (uint32_t)word;
    bi_sink_write(sink, &w, sizeof w);
}

static bosc_status write_glb(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_mesh *mesh = what;
    size_t vectors = bytes_of_vectors(mesh), indices = bytes_of_indices(mesh);
    size_t body = vectors * (mesh->normals ? 2 : 1) + indices; /* a multiple of 4 */
    if (body > UINT32_MAX - 4096)
        return bi_io_fail(error, BOSC_ERR_LIMIT, /* unreached: 4 GB of mesh */
                          "%s: the mesh takes %zu bytes, and a .glb holds less than 4 GiB", sink->name, body);
    char *head = glb_head(mesh, body);
    if (!head) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
    size_t length = strlen(head), padded = (length + 3) / 4 * 4;
    bi_sink_write(sink, "glTF", 4);
    put_word(sink, 2);
    put_word(sink, 12 + 8 + padded + 8 + body);
    put_word(sink, padded);
    bi_sink_write(sink, "JSON", 4);
    bi_sink_write(sink, head, length);
    bi_sink_write(sink, "   ", padded - length);
    put_word(sink, body);
    bi_sink_write(sink, "BIN", 4);
    bi_sink_write_array(sink, mesh->positions, vectors);
    bi_sink_write_array(sink, mesh->indices, indices);
    if (mesh->normals) bi_sink_write_array(sink, mesh->normals, vectors);
    free(head);
    return BOSC_OK;
}

/* Whether to write row i of one of the arrays of a mesh, each of which takes as long as `weight` bytes that are copied.
 * Every so many are told of. */
enum { BINARY = 16, TEXT = 256, SEEN = 1 << 12 };
static bool goes_on(const struct bi_sink *sink, int64_t i, int weight)
{
    if (i > 0 && i % SEEN == 0) (void)bi_io_advance((double)SEEN * weight); /* the next write sees whether to stop */
    return !sink->error_number;
}

static double rows_of(const bosc_mesh *mesh)
{
    return (double)mesh->vertices * (mesh->normals ? 2 : 1) + (double)mesh->triangles;
}

/* ---- .ply ---- */

static bosc_status write_ply(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_mesh *mesh = what;
    static const char normals[] = "property float nx\nproperty float ny\nproperty float nz\n";
    char head[512];
    (void)error;
    snprintf(head, sizeof head,
             "ply\nformat binary_little_endian 1.0\nelement vertex %lld\nproperty float x\nproperty float y\n"
             "property float z\n%selement face %lld\nproperty list uchar %s vertex_indices\nend_header\n",
             (long long)mesh->vertices, mesh->normals ? normals : "", (long long)mesh->triangles,
             mesh->vertices <= INT32_MAX ? "int" : "uint");
    bi_sink_write(sink, head, strlen(head));
    for (int64_t i = 0; i < mesh->vertices && goes_on(sink, i, BINARY); i++) {
        bi_sink_write(sink, mesh->positions + 3 * i, 3 * sizeof(float));
        if (mesh->normals) bi_sink_write(sink, mesh->normals + 3 * i, 3 * sizeof(float));
    }
    for (int64_t i = 0; i < mesh->triangles && goes_on(sink, i, BINARY); i++) {
        bi_sink_write(sink, "\3", 1);
        bi_sink_write(sink, mesh->indices + 3 * i, 3 * sizeof(uint32_t));
    }
    return BOSC_OK;
}

/* ---- .obj ---- */

static void put_vectors(struct bi_sink *sink, const char *key, const float *x, int64_t count)
{
    char line[96];
    for (int64_t i = 0; i < count && goes_on(sink, i, TEXT); i++) {
        char *p = line + sprintf(line, "%s", key);
        for (int c = 0; c < 3; c++) {
            *p++ = ' ';
            p = bi_number_write(p, (double)x[3 * i + c], true);
        }
        *p++ = '\n';
        bi_sink_write(sink, line, (size_t)(p - line));
    }
}

static bosc_status write_obj(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_mesh *mesh = what;
    char line[128];
    (void)error;
    put_vectors(sink, "v", mesh->positions, mesh->vertices);
    if (mesh->normals) put_vectors(sink, "vn", mesh->normals, mesh->vertices);
    for (int64_t i = 0; i < mesh->triangles && goes_on(sink, i, TEXT); i++) {
        const uint32_t *v = mesh->indices + 3 * i;
        long long a = v[0] + 1LL, b = v[1] + 1LL, c = v[2] + 1LL;
        int used = mesh->normals ? snprintf(line, sizeof line, "f %lld//%lld %lld//%lld %lld//%lld\n", a, a, b, b, c, c)
                                 : snprintf(line, sizeof line, "f %lld %lld %lld\n", a, b, c);
        bi_sink_write(sink, line, (size_t)used);
    }
    return BOSC_OK;
}

/* ---- the front door ---- */

static bosc_status check(const bosc_mesh *mesh, bosc_io_error *error)
{
    if (mesh->vertices < 1 || mesh->vertices > UINT32_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "mesh: %lld vertices are not from 1 to 4294967295",
                          (long long)mesh->vertices);
    if (mesh->triangles < 1 || mesh->triangles > PTRDIFF_MAX / 16)
        return bi_io_fail(error, BOSC_ERR_ARG, "mesh: %lld triangles", (long long)mesh->triangles);
    if (!mesh->positions) return bi_io_fail(error, BOSC_ERR_ARG, "mesh: positions is NULL");
    if (!mesh->indices) return bi_io_fail(error, BOSC_ERR_ARG, "mesh: indices is NULL");
    if (mesh->map != 0 && mesh->map != 1) return bi_io_fail(error, BOSC_ERR_ARG, "mesh: map is %d", (int)mesh->map);
    for (int64_t i = 0; i < mesh->vertices * 3; i++)
        if (!isfinite(mesh->positions[i]) || (mesh->normals && !isfinite(mesh->normals[i])))
            return bi_io_fail(error, BOSC_ERR_ARG, "mesh: vertex %lld is not finite", (long long)(i / 3));
    for (int64_t i = 0; i < mesh->triangles * 3; i++)
        if (mesh->indices[i] >= mesh->vertices)
            return bi_io_fail(error, BOSC_ERR_ARG, "mesh: triangle %lld has vertex %lld of %lld", (long long)(i / 3),
                              (long long)mesh->indices[i], (long long)mesh->vertices);
    return BOSC_OK;
}

/* What writes the mesh to the path, which its ending decides. */
static bosc_status output_of(const char *path, const bosc_mesh *mesh, struct bi_output *output, bosc_io_error *error)
{
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    if (!mesh) return bi_io_fail(error, BOSC_ERR_ARG, "mesh: NULL");
    bool glb = bi_path_ends_in(path, ".glb") || strcmp(path, "-") == 0, obj = bi_path_ends_in(path, ".obj");
    *output = (struct bi_output){path,
                                 glb                             ? write_glb
                                 : bi_path_ends_in(path, ".ply") ? write_ply
                                 : obj                           ? write_obj
                                                                 : NULL,
                                 mesh, rows_of(mesh) * (obj ? TEXT : BINARY)};
    if (!output->fill) return bi_io_fail(error, BOSC_ERR_ARG, "path: %s does not end in one of .glb, .ply, .obj", path);
    return check(mesh, error);
}

bosc_status bosc_mesh_write(const char *path, const bosc_mesh *mesh, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_output output;
    bosc_status status = output_of(path, mesh, &output, error);
    return status == BOSC_OK ? bi_outputs_write(&output, 1, error) : status;
}

bosc_status bosc_mesh_and_png_write(const char *path, const bosc_mesh *mesh, const char *png_path, const uint8_t *rgb,
                                    int32_t width, int32_t height, bosc_io_error *error)
{
    BI_IO_ENTER;
    const struct bi_rgb picture = {rgb, width, height};
    struct bi_output outputs[2];
    bosc_status status = output_of(path, mesh, &outputs[0], error);
    if (status == BOSC_OK) status = bi_rgb_check(&picture, error);
    if (status == BOSC_OK && !png_path) status = bi_io_fail(error, BOSC_ERR_ARG, "png_path: NULL");
    outputs[1] = (struct bi_output){png_path, bi_rgb_fill, &picture, bi_rgb_items(&picture)};
    return status == BOSC_OK ? bi_outputs_write(outputs, 2, error) : status;
}
