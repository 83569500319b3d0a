/* Writes meshes as .glb, .ply and .obj. Sources: Khronos, glTF 2.0; Turk, The PLY Polygon File Format (1994); the
 * Wavefront manual. */
#include "io/mesh/mesh_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/raster/png.h"
#include "io/text/number.h"

/* ---- .glb: binary chunk ---- */

static size_t bytes_of_vectors(const bosc_mesh *mesh) { return (size_t)mesh->vertices * 3 * sizeof(float); }

static size_t bytes_of_indices(const bosc_mesh *mesh) { return (size_t)mesh->triangles * 3 * sizeof(uint32_t); }

static size_t bytes_of_texture(const bosc_mesh *mesh)
{
    return mesh->texture ? (size_t)mesh->vertices * 2 * sizeof(float) : 0;
}

size_t bi_glb_bytes_of(const bosc_mesh *mesh)
{
    return bytes_of_vectors(mesh) * (mesh->normals ? 2 : 1) + bytes_of_indices(mesh) + bytes_of_texture(mesh);
}

void bi_glb_write_mesh(struct bi_sink *sink, const bosc_mesh *mesh)
{
    bi_sink_write_array(sink, mesh->positions, bytes_of_vectors(mesh));
    bi_sink_write_array(sink, mesh->indices, bytes_of_indices(mesh));
    if (mesh->normals) bi_sink_write_array(sink, mesh->normals, bytes_of_vectors(mesh));
    if (mesh->texture) bi_sink_write_array(sink, mesh->texture, bytes_of_texture(mesh));
}

/* ---- .glb: elements of the JSON root ---- */

static json_t *pack_vector(const float *x) { return json_pack("[f, f, f]", (double)x[0], (double)x[1], (double)x[2]); }

json_t *bi_glb_view(size_t offset, size_t bytes, int target)
{
    json_t *view =
        json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)offset, "byteLength", (json_int_t)bytes);
    if (view && target && json_object_set_new(view, "target", json_integer(target)) != 0) {
        json_decref(view);
        return NULL;
    }
    return view;
}

json_t *bi_glb_accessor(int view, int type, int64_t count, const char *shape)
{
    return json_pack("{s:i, s:i, s:I, s:s}", "bufferView", view, "componentType", type, "count", (json_int_t)count,
                     "type", shape);
}

/* Returns the accessor of the positions, with their bounding box, which glTF requires. */
static json_t *positions_accessor(const bosc_mesh *mesh, int view)
{
    float least[3], most[3];
    memcpy(least, mesh->positions, sizeof least);
    memcpy(most, mesh->positions, sizeof most);
    for (int64_t i = 0; i < mesh->vertices * 3; i++) {
        float x = mesh->positions[i];
        if (x < least[i % 3]) least[i % 3] = x;
        if (x > most[i % 3]) most[i % 3] = x;
    }
    return json_pack("{s:i, s:i, s:I, s:s, s:o, s:o}", "bufferView", view, "componentType", BI_GLB_FLOAT, "count",
                     (json_int_t)mesh->vertices, "type", "VEC3", "min", pack_vector(least), "max", pack_vector(most));
}

/* Appends the view and the accessor of an attribute whose bytes begin at *offset, and adds it to `attributes`. Moves
 * *offset behind the bytes. False: out of memory. */
static bool add_attribute(const char *name, const char *shape, int64_t count, size_t bytes, size_t *offset,
                          json_t *views, json_t *accessors, json_t *attributes)
{
    const int view = (int)json_array_size(views), accessor = (int)json_array_size(accessors);
    if (json_array_append_new(views, bi_glb_view(*offset, bytes, BI_GLB_VERTICES)) != 0 ||
        json_array_append_new(accessors, bi_glb_accessor(view, BI_GLB_FLOAT, count, shape)) != 0)
        return false;
    *offset += bytes;
    return json_object_set_new(attributes, name, json_integer(accessor)) == 0;
}

bool bi_glb_add_mesh(const bosc_mesh *mesh, size_t offset, int material, json_t *views, json_t *accessors,
                     json_t **primitive)
{
    const int first = (int)json_array_size(views), next = (int)json_array_size(accessors);
    const size_t vectors = bytes_of_vectors(mesh), indices = bytes_of_indices(mesh);
    size_t end = offset + vectors + indices;
    json_t *attributes = json_pack("{s:i}", "POSITION", next);
    /* 1. Views and accessors, in the order of the bytes. */
    bool good = attributes && json_array_append_new(views, bi_glb_view(offset, vectors, BI_GLB_VERTICES)) == 0 &&
                json_array_append_new(views, bi_glb_view(offset + vectors, indices, BI_GLB_INDICES)) == 0 &&
                json_array_append_new(accessors, positions_accessor(mesh, first)) == 0 &&
                json_array_append_new(
                    accessors, bi_glb_accessor(first + 1, BI_GLB_UNSIGNED_INT, mesh->triangles * 3, "SCALAR")) == 0;
    if (good && mesh->normals)
        good = add_attribute("NORMAL", "VEC3", mesh->vertices, vectors, &end, views, accessors, attributes);
    if (good && mesh->texture)
        good = add_attribute("TEXCOORD_0", "VEC2", mesh->vertices, bytes_of_texture(mesh), &end, views, accessors,
                             attributes);
    if (!good) {
        json_decref(attributes);
        return false;
    }
    /* 2. The primitive. */
    *primitive = json_pack("{s:o, s:i, s:i, s:i}", "attributes", attributes, "indices", next + 1, "material", material,
                           "mode", 4 /* triangles */);
    return *primitive != NULL;
}

json_t *bi_glb_material(const double colour[3], bool two_sided)
{
    json_t *material = json_pack("{s:{s:[f, f, f, f], s:i, s:i}}", "pbrMetallicRoughness", "baseColorFactor", colour[0],
                                 colour[1], colour[2], 1.0, "metallicFactor", 0, "roughnessFactor", 1);
    if (material && two_sided && json_object_set_new(material, "doubleSided", json_true()) != 0) {
        json_decref(material);
        return NULL;
    }
    return material;
}

static void write_word(struct bi_sink *sink, size_t word)
{
    uint32_t w = (uint32_t)word;
    bi_sink_write(sink, &w, sizeof w);
}

bosc_status bi_glb_write_head(struct bi_sink *sink, json_t *root, size_t body_bytes, bosc_io_error *error)
{
    char *json = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(root);
    if (!json) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
    size_t length = strlen(json), padded = (length + 3) / 4 * 4;
    if (body_bytes > UINT32_MAX - 28 - padded) { /* 28: the header and the heads of two chunks */
        free(json);                              /* unreached: 4 GB of mesh */
        return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: the mesh takes %zu bytes, and a .glb holds less than 4 GiB",
                          sink->name, body_bytes);
    }
    /* The header (magic, version, total size), the JSON chunk, and the head of the binary chunk. */
    bi_sink_write(sink, "glTF", 4);
    write_word(sink, 2);
    write_word(sink, 12 + 8 + padded + 8 + body_bytes);
    write_word(sink, padded);
    bi_sink_write(sink, "JSON", 4);
    bi_sink_write(sink, json, length);
    bi_sink_write(sink, "   ", padded - length);
    write_word(sink, body_bytes);
    bi_sink_write(sink, "BIN", 4); /* with its zero byte */
    free(json);
    return BOSC_OK;
}

/* ---- .glb: a mesh ---- */

/* Returns an integer where x is one, so that common matrices are short. */
static json_t *pack_number(double x)
{
    return fabs(x) < 1e15 && x == (double)(json_int_t)x ? json_integer((json_int_t)x) : json_real(x);
}

/* Returns the matrix of the mesh's node, by columns. glTF's axes: x right, y up, z to the viewer. A map's axes, x
 * east, y south, z up, are left-handed; exchanging y and z makes them right-handed. Other meshes are rotated so that z
 * becomes up. The last column is the origin in glTF's axes. */
static json_t *node_matrix(const bosc_mesh *mesh)
{
    const int side = mesh->map ? 1 : -1;
    const double *at = mesh->origin;
    return json_pack("[i,i,i,i, i,i,i,i, i,i,i,i, o,o,o,i]", 1, 0, 0, 0, 0, 0, side, 0, 0, 1, 0, 0, pack_number(at[0]),
                     pack_number(at[2]), pack_number(side * at[1]), 1);
}

/* Returns the `asset` of the root; NULL: out of memory. */
static json_t *build_asset(const bosc_mesh *mesh)
{
    json_t *asset = json_pack("{s:s, s:s}", "version", "2.0", "generator", "boscage " BOSC_VERSION_STRING);
    if (!asset || !mesh->extras) return asset;
    if (json_object_set_new(asset, "extras", json_loads(mesh->extras, JSON_REJECT_DUPLICATES, NULL)) == 0) return asset;
    json_decref(asset);
    return NULL;
}

static json_t *build_root(const bosc_mesh *mesh)
{
    static const double grey[3] = {0.6, 0.58, 0.52};
    json_t *views = json_array(), *accessors = json_array(), *primitive = NULL;
    if (!bi_glb_add_mesh(mesh, 0, 0, views, accessors, &primitive)) {
        json_decref(views);
        json_decref(accessors);
        return NULL;
    }
    return json_pack("{s:o, s:i, s:[{s:[i]}], s:[{s:i, s:o}], s:[{s:[o]}], s:[o], s:[{s:I}], s:o, s:o}", "asset",
                     build_asset(mesh), "scene", 0, "scenes", "nodes", 0, "nodes", "mesh", 0, "matrix",
                     node_matrix(mesh), "meshes", "primitives", primitive, "materials", bi_glb_material(grey, false),
                     "buffers", "byteLength", (json_int_t)bi_glb_bytes_of(mesh), "bufferViews", views, "accessors",
                     accessors);
}

/* Writes a mesh as .glb; the `fill` of an output. */
static bosc_status write_glb(struct bi_sink *sink, const void *mesh, bosc_io_error *error)
{
    bosc_status status = bi_glb_write_head(sink, build_root(mesh), bi_glb_bytes_of(mesh), error);
    if (status == BOSC_OK) bi_glb_write_mesh(sink, mesh);
    return status;
}

/* ---- .ply and .obj: progress ---- */

enum {
    BINARY = 16, /* progress items of a row: bytes copied in the time of writing it. A row has about 16 bytes */
    TEXT = 256   /* the same for a row of text: numbers are formatted. It affects the fraction only; not measured */
};

/* Reports progress before row i of an array, and returns true unless the sink failed. weight: progress items of a
 * row. */
static bool should_continue(const struct bi_sink *sink, int64_t i, int weight)
{
    if (i > 0 && i % BI_IO_REPORT_ROWS == 0)
        (void)bi_io_advance((double)BI_IO_REPORT_ROWS * weight); /* the next write fails if cancelled */
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
    for (int64_t i = 0; i < mesh->vertices && should_continue(sink, i, BINARY); i++) {
        bi_sink_write(sink, mesh->positions + 3 * i, 3 * sizeof(float));
        if (mesh->normals) bi_sink_write(sink, mesh->normals + 3 * i, 3 * sizeof(float));
    }
    for (int64_t i = 0; i < mesh->triangles && should_continue(sink, i, BINARY); i++) {
        bi_sink_write(sink, "\3", 1);
        bi_sink_write(sink, mesh->indices + 3 * i, 3 * sizeof(uint32_t));
    }
    return BOSC_OK;
}

/* ---- .obj ---- */

static void write_vectors(struct bi_sink *sink, const char *key, const float *x, int64_t count)
{
    char line[96];
    for (int64_t i = 0; i < count && should_continue(sink, i, TEXT); i++) {
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
    write_vectors(sink, "v", mesh->positions, mesh->vertices);
    if (mesh->normals) write_vectors(sink, "vn", mesh->normals, mesh->vertices);
    for (int64_t i = 0; i < mesh->triangles && should_continue(sink, i, TEXT); i++) {
        const uint32_t *v = mesh->indices + 3 * i;
        long long a = v[0] + 1LL, b = v[1] + 1LL, c = v[2] + 1LL;
        int used = mesh->normals ? snprintf(line, sizeof line, "f %lld//%lld %lld//%lld %lld//%lld\n", a, a, b, b, c, c)
                                 : snprintf(line, sizeof line, "f %lld %lld %lld\n", a, b, c);
        bi_sink_write(sink, line, (size_t)used);
    }
    return BOSC_OK;
}

/* ---- public functions ---- */

static bool is_json_object(const char *text)
{
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL); /* arrays and objects only */
    const bool is_object = json_is_object(value);
    json_decref(value);
    return is_object;
}

bosc_status bi_mesh_check(const char *name, const bosc_mesh *mesh, bosc_io_error *error)
{
    /* 1. Sizes, arrays, and the parts of a .glb's header. */
    if (mesh->vertices < 1 || mesh->vertices > UINT32_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "%s: %lld vertices are not from 1 to 4294967295", name,
                          (long long)mesh->vertices);
    if (mesh->triangles < 1 || mesh->triangles > PTRDIFF_MAX / 16)
        return bi_io_fail(error, BOSC_ERR_ARG, "%s: %lld triangles", name, (long long)mesh->triangles);
    if (!mesh->positions) return bi_io_fail(error, BOSC_ERR_ARG, "%s: positions is NULL", name);
    if (!mesh->indices) return bi_io_fail(error, BOSC_ERR_ARG, "%s: indices is NULL", name);
    if (mesh->map != 0 && mesh->map != 1) return bi_io_fail(error, BOSC_ERR_ARG, "%s: map is %d", name, (int)mesh->map);
    for (int c = 0; c < 3; c++)
        if (!isfinite(mesh->origin[c]))
            return bi_io_fail(error, BOSC_ERR_ARG, "%s: coordinate %d of the origin is not finite", name, c);
    if (mesh->extras && !is_json_object(mesh->extras))
        return bi_io_fail(error, BOSC_ERR_ARG, "%s: extras is not the text of a JSON object", name);
    /* 2. Numbers of vertices, and vertices of triangles. */
    for (int64_t i = 0; mesh->texture && i < mesh->vertices * 2; i++)
        if (!isfinite(mesh->texture[i]))
            return bi_io_fail(error, BOSC_ERR_ARG, "%s: texture coordinates of vertex %lld are not finite", name,
                              (long long)(i / 2));
    for (int64_t i = 0; i < mesh->vertices * 3; i++)
        if (!isfinite(mesh->positions[i]) || (mesh->normals && !isfinite(mesh->normals[i])))
            return bi_io_fail(error, BOSC_ERR_ARG, "%s: vertex %lld is not finite", name, (long long)(i / 3));
    for (int64_t i = 0; i < mesh->triangles * 3; i++)
        if (mesh->indices[i] >= mesh->vertices)
            return bi_io_fail(error, BOSC_ERR_ARG, "%s: triangle %lld has vertex %lld of %lld", name,
                              (long long)(i / 3), (long long)mesh->indices[i], (long long)mesh->vertices);
    return BOSC_OK;
}

/* Checks the arguments, and sets *output by the ending of the path. */
static bosc_status prepare_output(const char *path, const bosc_mesh *mesh, struct bi_output *output,
                                  bosc_io_error *error)
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
    return bi_mesh_check("mesh", mesh, error);
}

bosc_status bosc_mesh_write(const char *path, const bosc_mesh *mesh, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_output output;
    bosc_status status = prepare_output(path, mesh, &output, error);
    return status == BOSC_OK ? bi_outputs_write(&output, 1, error) : status;
}

bosc_status bosc_mesh_and_png_write(const char *path, const bosc_mesh *mesh, const char *png_path, const uint8_t *rgb,
                                    int32_t width, int32_t height, bosc_io_error *error)
{
    BI_IO_ENTER;
    const struct bi_rgb picture = {rgb, width, height};
    struct bi_output outputs[2];
    bosc_status status = prepare_output(path, mesh, &outputs[0], error);
    if (status == BOSC_OK) status = bi_rgb_check(&picture, error);
    if (status == BOSC_OK && !png_path) status = bi_io_fail(error, BOSC_ERR_ARG, "png_path: NULL");
    outputs[1] = (struct bi_output){png_path, bi_rgb_fill, &picture, bi_rgb_items(&picture)};
    return status == BOSC_OK ? bi_outputs_write(outputs, 2, error) : status;
}
