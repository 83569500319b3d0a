/* Point sets of any format. */
#ifndef BI_IO_MESH_POINTS_H
#define BI_IO_MESH_POINTS_H

#include "io/file/file.h"

enum bi_points_format {
    BI_POINTS_UNKNOWN,
    BI_POINTS_NPY,
    BI_POINTS_TEXT,
    BI_POINTS_XYZ,
    BI_POINTS_OFF,
    BI_POINTS_PLY,
    BI_POINTS_PCD,
    BI_POINTS_OBJ,
    BI_POINTS_GLB
};

/* Returns the format, by the ending of the path; for "-" and unknown endings by the first bytes. */
enum bi_points_format bi_points_format_of(const char *path, const struct bi_bytes *in);

/* columns, slice: NULL: all. */
bosc_status bi_points_parse(enum bi_points_format format, const struct bi_bytes *in, const char *columns,
                            bosc_slice *slice, bosc_array *points, bosc_io_error *error);

/* Parsers of the vertices of a mesh, and of the points of a cloud. */
bosc_status bi_off_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);
bosc_status bi_ply_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);
bosc_status bi_pcd_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);
bosc_status bi_obj_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);
bosc_status bi_glb_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);

#endif
