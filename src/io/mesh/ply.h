/* The body of .ply files, which .pcd files share: elements, one after another, of properties. */
#ifndef BI_IO_MESH_PLY_H
#define BI_IO_MESH_PLY_H

#include "io/mesh/faces.h"
#include "io/text/row.h"

/* Chosen; a point with a SHOT descriptor of PCL has 365 properties. */
enum { BI_PLY_ELEMENTS_MAX = 32, BI_PLY_PROPERTIES_MAX = 512 };

enum bi_ply_format { BI_PLY_ASCII, BI_PLY_LITTLE, BI_PLY_BIG };

enum bi_ply_type {
    BI_PLY_NO_TYPE,
    BI_PLY_INT8,
    BI_PLY_UINT8,
    BI_PLY_INT16,
    BI_PLY_UINT16,
    BI_PLY_INT32,
    BI_PLY_UINT32,
    BI_PLY_FLOAT32,
    BI_PLY_FLOAT64
};

struct bi_ply_property {
    enum bi_ply_type type, count_type; /* count_type: BI_PLY_NO_TYPE unless a list */
    int axis;                          /* 0, 1, 2 for x, y, z of vertex; else -1 */
    bool corners;                      /* the list of a face's vertices */
};

struct bi_ply_element {
    bool vertex, face, list; /* list: a property is a list */
    int64_t count;
    int first, properties; /* range in bi_ply.property */
    size_t bytes;          /* size in a binary body; used only if no property is a list */
};

struct bi_ply {
    const struct bi_bytes *in;
    bosc_io_error *error;
    struct bi_lines lines;
    enum bi_ply_format format;
    bool carriages;                   /* the lines of the header end in CR alone */
    int elements, properties, vertex; /* vertex: index of that element, or -1 */
    struct bi_ply_element element[BI_PLY_ELEMENTS_MAX];
    struct bi_ply_property property[BI_PLY_PROPERTIES_MAX];
    struct bi_numbers coordinates, corners; /* corners: of a face */
    struct bi_faces *faces;                 /* NULL: faces are skipped */
};

/* Returns an empty file with the lines of `in`, for bi_ply_end; NULL: out of memory. */
struct bi_ply *bi_ply_new(const struct bi_bytes *in, bosc_io_error *error);

/* Adds a property to the last element. */
bosc_status bi_ply_add_property(struct bi_ply *ply, struct bi_ply_property property);

/* Requires vertices with all three coordinates. */
bosc_status bi_ply_check_vertices(const struct bi_ply *ply);

/* Reads the elements behind the header. */
bosc_status bi_ply_read_body(struct bi_ply *ply);

/* Moves the coordinates to *points, if all went well, and frees the rest. */
bosc_status bi_ply_end(struct bi_ply *ply, bosc_status status, bosc_array *points);

size_t bi_ply_size(enum bi_ply_type type);
double bi_ply_value(const char *p, enum bi_ply_type type, enum bi_ply_format format);

#endif
