/* Writes meshes as binary glTF. Source: Khronos, glTF 2.0. */
#include "io/mesh/glb.h"
#include "io/file/sink.h"

#include <stdlib.h>
#include <string.h>

size_t bi_glb_bytes_of_vectors(const bosc_mesh *mesh) { return (size_t)mesh->vertices * 3 * sizeof(float); }

size_t bi_glb_bytes_of_indices(const bosc_mesh *mesh) { return (size_t)mesh->triangles * 3 * sizeof(uint32_t); }

size_t bi_glb_bytes_of(const bosc_mesh *mesh)
{
    return bi_glb_bytes_of_vectors(mesh) * (mesh->normals ? 2 : 1) + bi_glb_bytes_of_indices(mesh);
}

void bi_glb_write_mesh(struct bi_sink *sink, const bosc_mesh *mesh)
{
    bi_sink_write_array(sink, mesh->positions, bi_glb_bytes_of_vectors(mesh));
    bi_sink_write_array(sink, mesh->indices, bi_glb_bytes_of_indices(mesh));
    if (mesh->normals) bi_sink_write_array(sink, mesh->normals, bi_glb_bytes_of_vectors(mesh));
}

/* ---- elements of the JSON root ---- */

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

bool bi_glb_add_mesh(const bosc_mesh *mesh, size_t offset, int material, json_t *views, json_t *accessors,
                     json_t **primitive)
{
    int first = (int)json_array_size(views), next = (int)json_array_size(accessors);
    size_t vectors = bi_glb_bytes_of_vectors(mesh), indices = bi_glb_bytes_of_indices(mesh);
    bool good = json_array_append_new(views, bi_glb_view(offset, vectors, BI_GLB_VERTICES)) == 0 &&
                json_array_append_new(views, bi_glb_view(offset + vectors, indices, BI_GLB_INDICES)) == 0 &&
                json_array_append_new(accessors, positions_accessor(mesh, first)) == 0 &&
                json_array_append_new(
                    accessors, bi_glb_accessor(first + 1, BI_GLB_UNSIGNED_INT, mesh->triangles * 3, "SCALAR")) == 0;
    if (good && mesh->normals)
        good = json_array_append_new(views, bi_glb_view(offset + vectors + indices, vectors, BI_GLB_VERTICES)) == 0 &&
               json_array_append_new(accessors, bi_glb_accessor(first + 2, BI_GLB_FLOAT, mesh->vertices, "VEC3")) == 0;
    if (!good) return false;
    json_t *attributes = mesh->normals ? json_pack("{s:i, s:i}", "POSITION", next, "NORMAL", next + 2)
                                       : json_pack("{s:i}", "POSITION", next);
    *primitive = json_pack("{s:o, s:i, s:i, s:i}", "attributes", attributes, "indices", next + 1, "material", material,
                           "mode", 4);
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
    char *json = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    if (!json) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
    size_t length = strlen(json), padded = (length + 3) / 4 * 4;
    if (body_bytes > UINT32_MAX - 28 - padded) {
        free(json); /* unreached: 4 GB of mesh */
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
    bi_sink_write(sink, "BIN", 4);
    free(json);
    return BOSC_OK;
}

/* ---- a mesh ---- */

/* Returns the matrix of the mesh's node, by columns. glTF's axes: x right, y up, z to the viewer. A map's axes, x
 * east, y south, z up, are left-handed; exchanging y and z makes them right-handed. Other meshes are rotated so that z
 * becomes up. */
static json_t *node_matrix(const bosc_mesh *mesh)
{
    int side = mesh->map ? 1 : -1;
    return json_pack("[i,i,i,i, i,i,i,i, i,i,i,i, i,i,i,i]", 1, 0, 0, 0, 0, 0, side, 0, 0, 1, 0, 0, 0, 0, 0, 1);
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
    return json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[{s:i, s:o}], s:[{s:[o]}], s:[o], s:[{s:I}], s:o, s:o}",
                     "asset", "version", "2.0", "generator", "boscage " BOSC_VERSION_STRING, "scene", 0, "scenes",
                     "nodes", 0, "nodes", "mesh", 0, "matrix", node_matrix(mesh), "meshes", "primitives", primitive,
                     "materials", bi_glb_material(grey, false), "buffers", "byteLength",
                     (json_int_t)bi_glb_bytes_of(mesh), "bufferViews", views, "accessors", accessors);
}

bosc_status bi_glb_fill(struct bi_sink *sink, const void *mesh, bosc_io_error *error)
{
    bosc_status status = bi_glb_write_head(sink, build_root(mesh), bi_glb_bytes_of(mesh), error);
    if (status == BOSC_OK) bi_glb_write_mesh(sink, mesh);
    return status;
}
