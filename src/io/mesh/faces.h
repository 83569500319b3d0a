/* Readers of meshes, which cut polygons into triangles. */
#ifndef BI_IO_MESH_FACES_H
#define BI_IO_MESH_FACES_H

#include <stdlib.h>

#include "io/file/file.h"

/* Three vertex numbers per triangle. */
struct bi_faces {
    uint32_t *data;
    size_t count, capacity;
};

/* Adds the triangle fan of a polygon, given by vertex numbers; nothing for fewer than three. False: out of memory. */
static inline bool bi_faces_add(struct bi_faces *faces, const double *corners, size_t count)
{
    size_t more = count < 3 ? 0 : 3 * (count - 2);
    if (faces->capacity - faces->count < more) {
        size_t capacity = faces->count + more > 2 * faces->capacity ? faces->count + more : 2 * faces->capacity;
        uint32_t *grown = bi_io_realloc(faces->data, capacity * sizeof *grown);
        if (!grown) return false;
        faces->data = grown;
        faces->capacity = capacity;
    }
    for (size_t k = 2; k < count; k++) {
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[0];
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[k - 1];
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[k];
    }
    return true;
}

static inline void bi_faces_free(struct bi_faces *faces)
{
    free(faces->data);
    *faces = (struct bi_faces){0};
}

/* A reader of meshes. Sets *points to the vertices and, unless `faces` is NULL, adds the triangles to it. */
typedef bosc_status (*bi_mesh_fn)(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces,
                                  bosc_io_error *error);
bosc_status bi_off_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_obj_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_ply_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_stl_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);

/* True for a binary .stl. */
bool bi_stl_is_binary(const struct bi_bytes *in);

/* Returns the reader by the ending of the path; for "-" and other endings by the first bytes; NULL: none. */
bi_mesh_fn bi_mesh_reader_of(const char *path, const struct bi_bytes *in);

/* Reads a mesh with at least one triangle: vertices (n x 3) F64, triangles (m x 3) U32. */
bosc_status bi_mesh_parse(bi_mesh_fn read, const struct bi_bytes *in, bosc_array *vertices, bosc_array *triangles,
                          bosc_io_error *error);

#endif
