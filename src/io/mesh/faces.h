/* Readers of meshes, which cut polygons into triangles. */
#ifndef BI_IO_MESH_FACES_H
#define BI_IO_MESH_FACES_H

#include "io/file/file.h"

/* A polygon of more than three corners among the triangles: `corners` - 2 of them, a fan at first. */
struct bi_polygon {
    size_t triangle; /* its first triangle */
    size_t corners;
    int64_t line; /* of the file; in a binary file the number of the face */
};

/* Three vertex numbers per triangle. */
struct bi_faces {
    uint32_t *data;
    size_t count, capacity;
    struct bi_polygon *polygons;
    size_t polygon_count, polygon_capacity;
    bool binary; /* the polygons have numbers of faces, not of lines */
};

/* Adds the triangle fan of a polygon, given by vertex numbers; nothing for fewer than three. False: out of memory. */
bool bi_faces_add(struct bi_faces *faces, const double *corners, size_t count, int64_t line);

/* Replaces the fans that do not cover their polygons by other triangles, once all vertices (n x 3) are known. Seen
 * along an axis near the normal, the triangles cover the polygon and do not overlap; by exact tests. Polygons whose
 * corners lie on a line within the rounding of floats keep their fan.
 * Fails with BOSC_ERR_FORMAT for a polygon that crosses itself, with BOSC_ERR_LIMIT for one of too many corners, with
 * BOSC_ERR_DATA for an infinite corner. */
bosc_status bi_faces_triangulate(struct bi_faces *faces, const double *vertices, const struct bi_bytes *in,
                                 bosc_io_error *error);

void bi_faces_free(struct bi_faces *faces);

/* A reader of meshes. Sets *points to the vertices and, unless `faces` is NULL, adds the triangles to it. */
typedef bosc_status (*bi_mesh_fn)(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces,
                                  bosc_io_error *error);
bosc_status bi_off_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_obj_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_ply_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_stl_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);
bosc_status bi_glb_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error);

/* True if the first word of the text ends in OFF, or in OFF and a count. */
bool bi_off_is(const struct bi_bytes *in);

/* True for a .glb. */
bool bi_glb_is(const struct bi_bytes *in);

/* True for a binary .stl. */
bool bi_stl_is_binary(const struct bi_bytes *in);

/* Returns the reader by the ending of the path; for "-" and other endings by the first bytes; NULL: none. */
bi_mesh_fn bi_mesh_reader_of(const char *path, const struct bi_bytes *in);

/* Reads a mesh with at least one triangle: vertices (n x 3) F64, triangles (m x 3) U32. */
bosc_status bi_mesh_parse(bi_mesh_fn read, const struct bi_bytes *in, bosc_array *vertices, bosc_array *triangles,
                          bosc_io_error *error);

#endif
