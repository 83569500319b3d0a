/* Reads meshes of .glb files. Source: Khronos, glTF 2.0. All meshes of the scene become one, with the transforms of
 * their nodes, in axes with z up: glTF's x, y (up), z become x, -z, y. So a file of bosc_mesh_write has its coordinates
 * again; a map, which is left-handed, has y up the map. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/file/progress.h"
#include "io/mesh/faces.h"
#include "io/mesh/points.h"
#include "io/text/row.h"

enum {
    HEADER = 12,        /* bytes of the file's header, in the format */
    CHUNK = 8,          /* of a chunk's */
    SIGNED_BYTE = 5120, /* types of components */
    BYTE = 5121,
    SIGNED_SHORT = 5122,
    SHORT = 5123,
    INT = 5125, /* unsigned */
    FLOAT = 5126,
    TRIANGLES = 4, /* modes of primitives */
    STRIP = 5,
    FAN = 6
};

/* Nodes may repeat a mesh: a file of s bytes has at most REPEATED + 64 s vertices, and as many triangles. So memory is
 * in proportion to the file, and so are the visits of primitives. Chosen. */
enum { REPEATED = 1 << 24 };

/* Allowed error of numbers in the last row of a matrix, 0, 0, 0, 1: exporters compute it in floats. Chosen. */
static const double LAST_ROW_ERROR = 1e-5;

/* A position is the product of rows of four numbers with x, y, z, 1. */
struct transform {
    double row[3][4];
};

struct glb {
    const struct bi_bytes *in;
    json_t *root;
    const char *body; /* the binary chunk */
    size_t body_bytes;
    struct bi_numbers coordinates;
    struct bi_faces *faces; /* NULL: triangles are skipped */
    int64_t visited;        /* primitives, each as often as nodes repeat it */
    bosc_io_error *error;
};

/* Elements of an accessor. Sparse ones replace others, by ascending numbers. */
struct elements {
    const char *data;      /* NULL: all are 0, but the sparse ones */
    int64_t count, stride; /* stride: in bytes */
    int64_t type, bytes;   /* of a component; of an element */
    bool normalized;       /* integers are fractions of the largest of their type */
    int64_t sparse_count, number_type;
    const char *numbers, *values; /* of sparse elements */
};

#define TRY(call)                                     \
    do {                                              \
        const bosc_status try_status = (call);        \
        if (try_status != BOSC_OK) return try_status; \
    } while (0)

#define REFUSE(g, ...) bi_io_fail((g)->error, BOSC_ERR_FORMAT, "%s: " __VA_ARGS__)

/* ---- JSON ---- */

/* Reads an integer of 0 or more; `absent` if there is none. False: it is something else, or beyond 2^53. */
static bool get_integer(const json_t *object, const char *key, int64_t absent, int64_t *value)
{
    const json_t *item = json_object_get(object, key);
    *value = item ? json_integer_value(item) : absent;
    return !item || (json_is_integer(item) && *value >= 0 && *value <= (int64_t)1 << 53);
}

/* Returns element `index` of a list of the root; NULL: there is none. */
static const json_t *element_of(const struct glb *g, const char *list, int64_t index)
{
    const json_t *item = index < 0 ? NULL : json_array_get(json_object_get(g->root, list), (size_t)index);
    return json_is_object(item) ? item : NULL;
}

/* Reads a list of `count` numbers, if there is one. */
static bool get_numbers(const json_t *object, const char *key, size_t count, double *numbers)
{
    const json_t *list = json_object_get(object, key);
    if (!list) return true;
    if (!json_is_array(list) || json_array_size(list) != count) return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_number(item)) return false;
        numbers[i] = json_number_value(item);
    }
    return true;
}

/* ---- arrays ---- */

static int64_t bytes_of_type(int64_t type)
{
    return type == SIGNED_BYTE || type == BYTE ? 1 : type == SIGNED_SHORT || type == SHORT ? 2 : 4;
}

static bool is_number_type(int64_t type) { return type == BYTE || type == SHORT || type == INT; }

/* Finds `count` elements, of `bytes` each, in a buffer view: sets *data and, unless NULL, *stride. object: has the
 * number of the view and the offset. */
static bosc_status find_bytes(const struct glb *g, int64_t accessor, const json_t *object, int64_t count, int64_t bytes,
                              const char **data, int64_t *stride)
{
    const long long number = accessor;
    int64_t view_index, view_offset, view_bytes, offset, buffer, step = bytes;
    /* 1. The view of the buffer. */
    if (!get_integer(object, "bufferView", -1, &view_index) || !get_integer(object, "byteOffset", 0, &offset))
        return REFUSE(g, "accessor %lld is malformed", g->in->name, number);
    const json_t *view = element_of(g, "bufferViews", view_index);
    if (!view || !get_integer(view, "buffer", -1, &buffer) || !get_integer(view, "byteOffset", 0, &view_offset) ||
        !get_integer(view, "byteLength", 0, &view_bytes) || (stride && !get_integer(view, "byteStride", bytes, &step)))
        return REFUSE(g, "the buffer view of accessor %lld is malformed", g->in->name, number);
    if (buffer != 0)
        return REFUSE(g, "accessor %lld is not in buffer 0, the only one that is read", g->in->name, number);
    /* 2. Its bytes, within the view and the chunk. */
    if (view_offset > (int64_t)g->body_bytes || view_bytes > (int64_t)g->body_bytes - view_offset || step < bytes ||
        offset > view_bytes || view_bytes - offset < bytes || (view_bytes - offset - bytes) / step < count - 1)
        return REFUSE(g, "accessor %lld is not within the binary data of %zu bytes", g->in->name, number,
                      g->body_bytes);
    *data = g->body + view_offset + offset;
    if (stride) *stride = step;
    return BOSC_OK;
}

/* Finds the sparse elements of an accessor: their numbers and values. */
static bosc_status find_sparse(const struct glb *g, int64_t index, const json_t *sparse, struct elements *e)
{
    const json_t *numbers = json_object_get(sparse, "indices"), *values = json_object_get(sparse, "values");
    if (!get_integer(sparse, "count", 0, &e->sparse_count) || e->sparse_count == 0 || e->sparse_count > e->count ||
        !get_integer(numbers, "componentType", 0, &e->number_type) || !is_number_type(e->number_type))
        return REFUSE(g, "the sparse elements of accessor %lld are malformed", g->in->name, (long long)index);
    TRY(find_bytes(g, index, numbers, e->sparse_count, bytes_of_type(e->number_type), &e->numbers, NULL));
    return find_bytes(g, index, values, e->sparse_count, e->bytes, &e->values, NULL);
}

/* Finds the elements of an accessor, of `components` numbers each. */
static bosc_status find_elements(const struct glb *g, int64_t index, int components, struct elements *e)
{
    const json_t *accessor = element_of(g, "accessors", index), *sparse = json_object_get(accessor, "sparse");
    const char *shape = json_string_value(json_object_get(accessor, "type"));
    const json_t *normalized = json_object_get(accessor, "normalized");
    const long long number = index;
    *e = (struct elements){.normalized = json_is_true(normalized)};
    if (!accessor) return REFUSE(g, "there is no accessor %lld", g->in->name, number);
    if (!get_integer(accessor, "count", 0, &e->count) || e->count == 0 ||
        !get_integer(accessor, "componentType", 0, &e->type) || !shape ||
        strcmp(shape, components == 3 ? "VEC3" : "SCALAR") || (normalized && !json_is_boolean(normalized)))
        return REFUSE(g, "accessor %lld is malformed", g->in->name, number);
    const bool is_position = e->type == FLOAT || (e->type >= SIGNED_BYTE && e->type <= SHORT);
    if (components == 3 ? !is_position : !is_number_type(e->type))
        return REFUSE(g,
                      "accessor %lld has component type %lld; read are floats and integers of 1 or 2 bytes for "
                      "positions, unsigned integers for indices",
                      g->in->name, number, (long long)e->type);
    e->bytes = components * bytes_of_type(e->type);
    if (!sparse || json_object_get(accessor, "bufferView"))
        TRY(find_bytes(g, index, accessor, e->count, e->bytes, &e->data, &e->stride));
    return sparse ? find_sparse(g, index, sparse, e) : BOSC_OK;
}

/* Reads an unsigned integer. The machine and the format are little-endian. */
static uint32_t number_at(const char *p, int64_t type)
{
    uint32_t number = 0;
    memcpy(&number, p, (size_t)bytes_of_type(type));
    return number;
}

/* Returns the number of sparse element k. */
static int64_t sparse_number(const struct elements *e, int64_t k)
{
    return number_at(e->numbers + k * bytes_of_type(e->number_type), e->number_type);
}

/* Requires ascending numbers of sparse elements, below the number of elements. */
static bosc_status check_sparse(const struct glb *g, const struct elements *e)
{
    for (int64_t k = 0; k < e->sparse_count; k++)
        if (sparse_number(e, k) >= e->count || (k && sparse_number(e, k) <= sparse_number(e, k - 1)))
            return REFUSE(g, "sparse element %lld has number %lld; numbers ascend and are below %lld", g->in->name,
                          (long long)k, (long long)sparse_number(e, k), (long long)e->count);
    return BOSC_OK;
}

/* Returns the bytes of element i. */
static const char *element_at(const struct elements *e, int64_t i)
{
    static const char zeros[12];
    int64_t k = 0, end = e->sparse_count;
    while (k < end) { /* the first sparse element with number i or more */
        const int64_t middle = k + (end - k) / 2;
        if (sparse_number(e, middle) < i)
            k = middle + 1;
        else
            end = middle;
    }
    if (k < e->sparse_count && sparse_number(e, k) == i) return e->values + k * e->bytes;
    return e->data ? e->data + i * e->stride : zeros;
}

/* Returns component c of position i; glTF 2.0, 3.6.2.2 and KHR_mesh_quantization. */
static double position_at(const struct elements *e, int64_t i, int c)
{
    const char *p = element_at(e, i) + c * bytes_of_type(e->type);
    const bool is_signed = e->type == SIGNED_BYTE || e->type == SIGNED_SHORT;
    float f;
    if (e->type == FLOAT) {
        memcpy(&f, p, sizeof f);
        return (double)f;
    }
    const uint32_t number = number_at(p, e->type);
    const int bits = 8 * (int)bytes_of_type(e->type) - is_signed;
    const double value = is_signed ? (double)number - 2 * (double)(number >> bits << bits) : number;
    const double fraction = value / (double)((1 << bits) - 1);
    return !e->normalized ? value : fraction < -1 ? -1 : fraction;
}

/* Reports now and then that i elements were read. False if the caller cancelled. */
static bool advance(int64_t i) { return i % BI_IO_REPORT_ROWS || bi_io_advance(i ? BI_IO_REPORT_ROWS : 0); }

/* Returns the limit of a file's vertices, of its triangles, and of its visits of primitives. */
static double max_elements(const struct glb *g) { return REPEATED + 64 * (double)g->in->size; }

/* Appends transformed positions. */
static bosc_status add_positions(struct glb *g, const struct elements *e, const struct transform *at)
{
    const double most = max_elements(g);
    if ((double)g->coordinates.count / 3 + (double)e->count > most)
        return bi_io_fail(g->error, BOSC_ERR_LIMIT, "%s: nodes repeat meshes to more than %.0f vertices", g->in->name,
                          most);
    if (!bi_numbers_reserve(&g->coordinates, g->coordinates.count + 3 * (size_t)e->count))
        return bi_io_fail(g->error, BOSC_ERR_NOMEM, "%s: out of memory", g->in->name);
    TRY(check_sparse(g, e));
    for (int64_t i = 0; i < e->count; i++) {
        const double p[3] = {position_at(e, i, 0), position_at(e, i, 1), position_at(e, i, 2)};
        if (!advance(i)) return BOSC_ERR_CANCELLED;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return bi_io_fail(g->error, BOSC_ERR_DATA, "%s: position %lld is not finite", g->in->name, (long long)i);
        for (int c = 0; c < 3; c++) {
            const double *row = at->row[c];
            const double x = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
            if (!isfinite(x))
                return bi_io_fail(g->error, BOSC_ERR_DATA, "%s: position %lld, moved by its node, is not finite",
                                  g->in->name, (long long)i);
            g->coordinates.data[g->coordinates.count++] = x;
        }
    }
    return BOSC_OK;
}

/* Returns the position among the corners of corner k of triangle t; glTF 2.0, 3.7.2.1. */
static int64_t corner_of(int64_t mode, int64_t t, int k)
{
    if (mode == FAN) return k == 2 ? 0 : t + 1 + k;
    if (mode == STRIP) return k == 0 ? t : t % 2 ? t + 3 - k : t + k;
    return 3 * t + k;
}

/* Appends triangles of the vertices from `first` on. indices: NULL: the vertices in their order. mirrored: the corners
 * are reversed, so that triangles still face outwards. */
static bosc_status add_triangles(struct glb *g, const struct elements *indices, int64_t mode, int64_t vertices,
                                 double first, bool mirrored)
{
    const int64_t corners = indices ? indices->count : vertices;
    const int64_t count = mode == TRIANGLES ? corners / 3 : corners < 2 ? 0 : corners - 2;
    const double most = max_elements(g);
    if (mode == TRIANGLES && corners % 3)
        return REFUSE(g, "%lld corners are not those of triangles", g->in->name, (long long)corners);
    if ((double)g->faces->count / 3 + (double)count > most)
        return bi_io_fail(g->error, BOSC_ERR_LIMIT, "%s: nodes repeat meshes to more than %.0f triangles", g->in->name,
                          most);
    if (indices) TRY(check_sparse(g, indices));
    for (int64_t t = 0; t < count; t++) {
        double face[3];
        if (!advance(t)) return BOSC_ERR_CANCELLED;
        for (int k = 0; k < 3; k++) {
            const int64_t corner = corner_of(mode, t, k),
                          v = indices ? number_at(element_at(indices, corner), indices->type) : corner;
            if (v >= vertices)
                return REFUSE(g, "triangle %lld has vertex %lld, but there are %lld", g->in->name, (long long)t,
                              (long long)v, (long long)vertices);
            face[mirrored && k ? 3 - k : k] = first + (double)v;
        }
        if (!bi_faces_add(g->faces, face, 3, 0))
            return bi_io_fail(g->error, BOSC_ERR_NOMEM, "%s: out of memory", g->in->name);
    }
    return BOSC_OK;
}

/* ---- meshes and nodes ---- */

static bool is_mirrored(const struct transform *at)
{
    const double(*r)[4] = at->row;
    return r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) - r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
               r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]) <
           0;
}

/* Adds a primitive; *shared is the accessor of positions that was added last, from vertex *first on. */
static bosc_status add_primitive(struct glb *g, const json_t *primitive, const struct transform *at, int64_t *shared,
                                 double *first)
{
    struct elements positions, indices;
    int64_t position, index, mode;
    if (!get_integer(json_object_get(primitive, "attributes"), "POSITION", -1, &position) ||
        !get_integer(primitive, "indices", -1, &index) || !get_integer(primitive, "mode", TRIANGLES, &mode))
        return REFUSE(g, "a primitive is malformed", g->in->name);
    if (!advance(g->visited++)) return BOSC_ERR_CANCELLED;
    if ((double)g->visited > max_elements(g))
        return bi_io_fail(g->error, BOSC_ERR_LIMIT, "%s: nodes repeat meshes to more than %.0f primitives", g->in->name,
                          max_elements(g));
    if (position < 0) return BOSC_OK; /* nothing is drawn */
    if (json_array_size(json_object_get(primitive, "targets")) > 0)
        return REFUSE(g, "morph targets are not read", g->in->name);
    if (mode > FAN) return REFUSE(g, "a primitive has mode %lld; 0 to 6 are known", g->in->name, (long long)mode);
    if (g->faces && mode < TRIANGLES) return BOSC_OK; /* points and lines beside the triangles */
    TRY(find_elements(g, position, 3, &positions));
    if (position != *shared) {
        *first = (double)(g->coordinates.count / 3);
        TRY(add_positions(g, &positions, at));
        *shared = position;
    }
    if (!g->faces) return BOSC_OK;
    if (index >= 0) TRY(find_elements(g, index, 1, &indices));
    return add_triangles(g, index >= 0 ? &indices : NULL, mode, positions.count, *first, is_mirrored(at));
}

static bosc_status add_mesh(struct glb *g, int64_t number, const struct transform *at)
{
    const json_t *mesh = element_of(g, "meshes", number), *list = json_object_get(mesh, "primitives");
    int64_t shared = -1;
    double first = 0;
    if (!json_is_array(list)) return REFUSE(g, "there is no mesh %lld", g->in->name, (long long)number);
    for (size_t i = 0; i < json_array_size(list); i++)
        TRY(add_primitive(g, json_array_get(list, i), at, &shared, &first));
    return BOSC_OK;
}

/* Reads the transform of a node: a matrix by columns, or a scale, then a rotation by a quaternion x, y, z, w, then a
 * translation. */
static bool get_transform(const json_t *node, struct transform *local)
{
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (!get_numbers(node, "matrix", 16, m)) return false;
    if (!json_object_get(node, "matrix")) {
        if (!get_numbers(node, "translation", 3, m + 12) || !get_numbers(node, "rotation", 4, q) ||
            !get_numbers(node, "scale", 3, s))
            return false;
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            m[5 * c] = (1 - 2 * (q[d] * q[d] + q[e] * q[e])) * s[c];
            m[4 * c + d] = 2 * (q[c] * q[d] + q[e] * q[3]) * s[c];
            m[4 * c + e] = 2 * (q[c] * q[e] - q[d] * q[3]) * s[c];
        }
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) local->row[r][c] = m[4 * c + r];
    for (int c = 0; c < 4; c++)
        if (!(fabs(m[4 * c + 3] - (c == 3)) <= LAST_ROW_ERROR)) return false;
    return true;
}

/* Returns the transform that applies b, then a. */
static struct transform multiply(const struct transform *a, const struct transform *b)
{
    struct transform all;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            all.row[r][c] = a->row[r][0] * b->row[0][c] + a->row[r][1] * b->row[1][c] + a->row[r][2] * b->row[2][c] +
                            (c == 3 ? a->row[r][3] : 0);
    return all;
}

/* Nodes to visit, each once, with the transforms of their parents. */
struct visit {
    int64_t *nodes;
    struct transform *parents;
    bool *seen;   /* (all) */
    size_t count; /* of nodes to visit */
    size_t all;   /* nodes of the file */
};

/* Appends the nodes of a list. */
static bosc_status add_nodes(struct glb *g, struct visit *v, const json_t *list, const struct transform *parent)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const json_int_t node = json_integer_value(item);
        if (!json_is_integer(item) || node < 0 || (size_t)node >= v->all)
            return REFUSE(g, "a node is not in the list of %zu nodes", g->in->name, v->all);
        if (v->seen[node]) return REFUSE(g, "node %lld is in the scene twice", g->in->name, (long long)node);
        v->seen[node] = true;
        v->nodes[v->count] = node;
        v->parents[v->count++] = *parent;
    }
    return BOSC_OK;
}

/* Appends the nodes at which to begin: those of the scene or, in a file without scenes, all nodes without a
 * parent. */
static bosc_status add_roots(struct glb *g, struct visit *v)
{
    static const struct transform z_up = {{{1, 0, 0, 0}, {0, 0, -1, 0}, {0, 1, 0, 0}}};
    int64_t scene;
    /* 1. A scene: scene 0 unless the file chooses another. */
    if (json_array_size(json_object_get(g->root, "scenes")) > 0 || json_object_get(g->root, "scene")) {
        if (!get_integer(g->root, "scene", 0, &scene) || !element_of(g, "scenes", scene))
            return REFUSE(g, "the scene is not in the list of scenes", g->in->name);
        return add_nodes(g, v, json_object_get(element_of(g, "scenes", scene), "nodes"), &z_up);
    }
    /* 2. No scenes: `seen` marks children, then is emptied. */
    for (size_t i = 0; i < v->all; i++) {
        const json_t *children = json_object_get(element_of(g, "nodes", (int64_t)i), "children");
        for (size_t k = 0; k < json_array_size(children); k++) {
            const json_t *child = json_array_get(children, k);
            const json_int_t number = json_is_integer(child) ? json_integer_value(child) : -1;
            if (number >= 0 && (size_t)number < v->all) v->seen[number] = true;
        }
    }
    for (size_t i = 0; i < v->all; i++)
        if (!v->seen[i]) {
            v->nodes[v->count] = (int64_t)i;
            v->parents[v->count++] = z_up;
        }
    memset(v->seen, 0, v->all);
    for (size_t i = 0; i < v->count; i++) v->seen[v->nodes[i]] = true;
    return BOSC_OK;
}

/* Visits the nodes of the scene, parents first. */
static bosc_status visit_nodes(struct glb *g, struct visit *v)
{
    int64_t mesh;
    TRY(add_roots(g, v));
    for (size_t i = 0; i < v->count; i++) {
        const json_t *node = element_of(g, "nodes", v->nodes[i]);
        const long long number = v->nodes[i];
        struct transform local;
        if (!advance((int64_t)i)) return BOSC_ERR_CANCELLED;
        if (!node || !get_transform(node, &local))
            return REFUSE(g, "node %lld is malformed, or its matrix is not affine", g->in->name, number);
        if (!get_integer(node, "mesh", -1, &mesh))
            return REFUSE(g, "the mesh of node %lld is no number of 0 or more", g->in->name, number);
        if (json_object_get(node, "skin"))
            return REFUSE(g, "node %lld has a skin, which is not read", g->in->name, number);
        if (json_object_get(json_object_get(node, "extensions"), "EXT_mesh_gpu_instancing"))
            return REFUSE(g, "node %lld has instances (EXT_mesh_gpu_instancing), which are not read", g->in->name,
                          number);
        const struct transform at = multiply(v->parents + i, &local);
        if (mesh >= 0) TRY(add_mesh(g, mesh, &at));
        TRY(add_nodes(g, v, json_object_get(node, "children"), &at));
    }
    return BOSC_OK;
}

/* True for an extension that is read, or does not change positions and triangles. */
static bool is_known(const char *extension)
{
    static const char *const begins[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",
                                         "KHR_lights_",    "KHR_xmp",      "KHR_mesh_quantization"};
    for (size_t i = 0; extension && i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(extension, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

/* Refuses other versions, extensions that must be known, and buffers outside the file; then reads the scene. */
static bosc_status read_root(struct glb *g)
{
    const json_t *asset = json_object_get(g->root, "asset"), *least = json_object_get(asset, "minVersion");
    const char *version = json_string_value(json_object_get(asset, "version"));
    const json_t *extensions = json_object_get(g->root, "extensionsRequired");
    /* 1. Version and extensions that the file needs. */
    if (!version || version[0] != '2' || version[1] != '.')
        return REFUSE(g, "glTF of version %.16s; 2.0 is read", g->in->name, version ? version : "none");
    if (least && (!json_is_string(least) || strcmp(json_string_value(least), "2.0") != 0))
        return REFUSE(g, "a reader of glTF %.16s is needed; this one reads 2.0", g->in->name,
                      json_is_string(least) ? json_string_value(least) : "?");
    for (size_t i = 0; i < json_array_size(extensions); i++) {
        const char *name = json_string_value(json_array_get(extensions, i));
        if (!is_known(name))
            return REFUSE(g, "the extension %.64s is needed, which is not read", g->in->name, name ? name : "?");
    }
    if (json_object_get(json_array_get(json_object_get(g->root, "buffers"), 0), "uri"))
        return REFUSE(g, "buffer 0 is in another file, which is not read", g->in->name);
    /* 2. The nodes. */
    struct visit v = {.all = json_array_size(json_object_get(g->root, "nodes"))};
    v.nodes = bi_io_alloc((v.all + 1) * sizeof *v.nodes);
    v.parents = bi_io_alloc((v.all + 1) * sizeof *v.parents);
    v.seen = bi_io_alloc(v.all + 1);
    bosc_status status = BOSC_ERR_NOMEM;
    if (v.nodes && v.parents && v.seen) {
        memset(v.seen, 0, v.all + 1);
        bi_io_phase(0.9, (double)g->body_bytes / 12); /* about the elements */
        status = visit_nodes(g, &v);
    } else {
        bi_io_fail(g->error, status, "%s: out of memory", g->in->name);
    }
    free(v.nodes);
    free(v.parents);
    free(v.seen);
    return status;
}

/* ---- the file ---- */

static uint32_t word_at(const struct bi_bytes *in, size_t at)
{
    uint32_t word;
    memcpy(&word, in->data + at, sizeof word);
    return word;
}

/* Finds the two chunks: JSON, which is parsed, and binary data, which may be absent. */
static bosc_status read_chunks(struct glb *g)
{
    const struct bi_bytes *in = g->in;
    if (!bi_glb_is(in)) return REFUSE(g, "no .glb file: it does not begin with glTF", in->name);
    if (in->size < HEADER + CHUNK) return REFUSE(g, "truncated in the header", in->name);
    const size_t size = word_at(in, 8), json = word_at(in, HEADER);
    size_t text = json; /* without padding */
    if (word_at(in, 4) != 2) return REFUSE(g, "version %u; 2 is read", in->name, (unsigned)word_at(in, 4));
    if (size > in->size) return REFUSE(g, "truncated: %zu of %zu bytes", in->name, in->size, size);
    if (word_at(in, HEADER + 4) != 0x4e4f534a || size < HEADER + CHUNK || json > size - HEADER - CHUNK) /* "JSON" */
        return REFUSE(g, "the first chunk is not JSON within the file", in->name);
    const size_t body = HEADER + CHUNK + json;
    if (size - body >= CHUNK && word_at(in, body + 4) == 0x004e4942) { /* "BIN" */
        g->body = in->data + body + CHUNK;
        g->body_bytes = word_at(in, body);
        if (g->body_bytes > size - body - CHUNK)
            return REFUSE(g, "truncated: %zu bytes of binary data do not fit in the file", in->name, g->body_bytes);
    }
    json_error_t reason;
    while (text > 0 && in->data[HEADER + CHUNK + text - 1] == '\0') text--; /* some exporters pad with it */
    g->root = json_loadb(in->data + HEADER + CHUNK, text, 0, &reason);
    if (!g->root) return REFUSE(g, "JSON, line %d: %s", in->name, reason.line, reason.text);
    return BOSC_OK;
}

bool bi_glb_is(const struct bi_bytes *in) { return bi_bytes_begin(in, "glTF", 4); }

bosc_status bi_glb_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error)
{
    struct glb g = {.in = in, .faces = faces, .error = error};
    bosc_status status = read_chunks(&g);
    if (status == BOSC_OK) status = read_root(&g);
    if (status == BOSC_OK && g.coordinates.count == 0) status = REFUSE(&g, "no vertices in the scene", in->name);
    if (status == BOSC_OK) *points = bi_numbers_to_array(&g.coordinates, (int64_t)g.coordinates.count / 3, 3);
    json_decref(g.root);
    bi_numbers_free(&g.coordinates);
    return status;
}

bosc_status bi_glb_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_glb_read(in, points, NULL, error);
}
