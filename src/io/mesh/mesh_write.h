/* Parts of binary glTF that the writers of meshes and motions share. */
#ifndef BI_IO_MESH_MESH_WRITE_H
#define BI_IO_MESH_MESH_WRITE_H

#include <jansson.h>

#include "io/file/sink.h"

/* glTF's constants. */
enum { BI_GLB_UNSIGNED_INT = 5125, BI_GLB_FLOAT = 5126, BI_GLB_VERTICES = 34962, BI_GLB_INDICES = 34963 };

/* Returns the size of a mesh in the binary chunk: positions, indices, normals and texture coordinates, in this
 * order. */
size_t bi_glb_bytes_of(const bosc_mesh *mesh);
void bi_glb_write_mesh(struct bi_sink *sink, const bosc_mesh *mesh);

/* These return new references and keep none to their arguments; NULL: out of memory. */
json_t *bi_glb_view(size_t offset, size_t bytes, int target); /* target 0: none */
json_t *bi_glb_accessor(int view, int type, int64_t count, const char *shape);

/* Appends the views and accessors of a mesh whose bytes begin at `offset`, and sets *primitive to a new reference with
 * the material. False: out of memory. */
bool bi_glb_add_mesh(const bosc_mesh *mesh, size_t offset, int material, json_t *views, json_t *accessors,
                     json_t **primitive);

json_t *bi_glb_material(const double colour[3], bool two_sided);

/* Writes everything before the binary chunk's data, whose size `body` is a multiple of 4. Releases `root`; NULL means
 * out of memory. BOSC_ERR_LIMIT for files of 4 GiB. */
bosc_status bi_glb_write_head(struct bi_sink *sink, json_t *root, size_t body, bosc_io_error *error);

/* BOSC_ERR_ARG for an invalid mesh, which messages call `name`. */
bosc_status bi_mesh_check(const char *name, const bosc_mesh *mesh, bosc_io_error *error);

/* In scene/motion.c: checks the arguments and sets *output to write a motion as .glb. */
bosc_status bi_motion_prepare_output(const char *path, const bosc_motion *motion, struct bi_output *output,
                                     bosc_io_error *error);

#endif
