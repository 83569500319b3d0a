/* Binary glTF: what writers of meshes and of motions share. Source: Khronos, glTF 2.0. */
#ifndef BI_IO_MESH_GLB_H
#define BI_IO_MESH_GLB_H

#include <jansson.h>

#include "io/io.h"

/* glTF's names. */
enum { BI_GLB_UNSIGNED_INT = 5125, BI_GLB_FLOAT = 5126, BI_GLB_VERTICES = 34962, BI_GLB_INDICES = 34963 };

size_t bi_glb_bytes_of_vectors(const bosc_mesh *mesh);
size_t bi_glb_bytes_of_indices(const bosc_mesh *mesh);

/* What a mesh takes in the body: its positions, indices and normals, in this order. */
size_t bi_glb_bytes_of(const bosc_mesh *mesh);
void bi_glb_put_mesh(struct bi_sink *sink, const bosc_mesh *mesh);

/* These steal nothing and return new references; NULL: no memory. */
json_t *bi_glb_view(size_t offset, size_t bytes, int target); /* target 0: none */
json_t *bi_glb_accessor(int view, int type, int64_t count, const char *shape);

/* Appends the views and accessors of a mesh, whose bytes begin at `offset`. *primitive is set to it, with the material,
 * and is the caller's. false: no memory. */
bool bi_glb_add_mesh(const bosc_mesh *mesh, size_t offset, int material, json_t *views, json_t *accessors,
                     json_t **primitive);

json_t *bi_glb_material(const double colour[3], bool two_sided);

/* Writes all but the body: `root` as text, and how long the body is, a multiple of 4. It steals root, which may be
 * NULL: no memory. BOSC_ERR_LIMIT for 4 GiB. */
bosc_status bi_glb_put_head(struct bi_sink *sink, json_t *root, size_t body, bosc_io_error *error);

/* mesh_write.c: what is wrong with a mesh that is called `name`. */
bosc_status bi_mesh_check(const char *name, const bosc_mesh *mesh, bosc_io_error *error);

/* glb_motion.c: what writes a motion to a path that ends in .glb, once both are found good. */
bosc_status bi_motion_output(const char *path, const bosc_motion *motion, struct bi_output *output,
                             bosc_io_error *error);

/* A mesh as .glb, as an output. */
bosc_status bi_glb_fill(struct bi_sink *sink, const void *mesh, bosc_io_error *error);

#endif
