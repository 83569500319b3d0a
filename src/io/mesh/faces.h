/* Faces of meshes as they are read: polygons, cut into triangles. */
#ifndef BI_IO_MESH_FACES_H
#define BI_IO_MESH_FACES_H

#include "io/io.h"

/* Three vertex numbers a triangle. */
struct bi_faces {
    uint32_t *data;
    size_t count, capacity;
};

/* Adds the fan of a polygon of `corners`, numbers of vertices: none where there are fewer than three. false: no memory.
 */
bool bi_faces_add(struct bi_faces *faces, const double *corners, size_t count);
void bi_faces_free(struct bi_faces *faces);

/* The readers of meshes: *points get the vertices, and `faces`, where that is not NULL, the triangles. */
typedef bosc_status (*bi_mesh_fn)(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces,
                                  bosc_io_error *error);
bosc_status bi_off_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_obj_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_ply_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_stl_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);

/* Whether the bytes are those of a binary .stl. */
bool bi_stl_is_binary(const struct bi_bytes *in);

/* The reader of a path's ending; of "-" and other endings, by the first bytes; NULL: none. */
bi_mesh_fn bi_mesh_reader_of(const char *path, const struct bi_bytes *in);

/* Reads a whole mesh, which has triangles: vertices (n x 3) F64, triangles (m x 3) U32. */
bosc_status bi_mesh_parse(bi_mesh_fn read, const struct bi_bytes *in, bosc_array *vertices, bosc_array *triangles,
                          bosc_io_error *error);

#endif
