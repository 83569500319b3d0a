/* Scenes of a robot and an obstacle: parsers of their files. */
#ifndef BI_IO_SCENE_SCENE_H
#define BI_IO_SCENE_SCENE_H

#include "io/file/file.h"

/* Balls, triangles, or both, as read. An absent array has no data. */
struct bi_body {
    bosc_array balls;     /* (n, 4) f8: x, y, z, radius > 0 */
    bosc_array vertices;  /* (n, 3) f8 */
    bosc_array triangles; /* (n, 3) u4: numbers of vertices */
};
void bi_body_free(struct bi_body *body);

/* Converts a body for the planner, and leaves it empty. convex: its triangles bound convex solids; else they stay
 * triangles. name: of the file and the body, for messages. */
bosc_status bi_body_to_planner(const char *name, struct bi_body *body, bool convex, bosc_plan_bodies *bodies,
                               bosc_io_error *error);
void bi_bodies_free(bosc_plan_bodies *bodies);

/* Divides triangles into solids, and fills their arrays of `bodies`, which the caller frees, after a failure too. The
 * facets are counterclockwise as seen from outside, if a solid is convex. Triangles with two equal corners are left
 * out. Errors: BOSC_ERR_DATA for a solid that is not closed. */
bosc_status bi_solids_build(const char *name, const struct bi_body *body, bosc_plan_bodies *bodies,
                            bosc_io_error *error);

/* Parses a body as text: the number of vertices, their x, y, z, the number of triangles, and the vertices of each,
 * from 0. */
bosc_status bi_body_parse(const struct bi_bytes *in, struct bi_body *body, bosc_io_error *error);

/* Parses a sphere tree. The balls of one level become the body; level 0: the deepest. */
bosc_status bi_sph_parse(const struct bi_bytes *in, int32_t level, struct bi_body *body, bosc_io_error *error);

/* Placement of a robot: a rotation, then a translation. */
struct bi_placement {
    double rotation[4]; /* w, x, y, z, of length 1 */
    double translation[3];
};

/* Parses one or two 4 x 4 matrices, and sets *count. */
bosc_status bi_placements_parse(const struct bi_bytes *in, struct bi_placement placements[2], int32_t *count,
                                bosc_io_error *error);

/* Both bodies, and the first and last rotation, as in bosc_scene. */
struct bi_scene {
    struct bi_body robot, obstacle;
    double origin[3], from[4], to[4];
    bool has_from, has_to;
};
void bi_scene_free(struct bi_scene *scene);

/* Parses a scene in Qt's data stream. */
bosc_status bi_arr_parse(const struct bi_bytes *in, struct bi_scene *scene, bosc_io_error *error);

/* Checks that each row w, x, y, z has length 1 within a thousandth. */
bosc_status bi_rotations_check(const struct bi_bytes *in, const bosc_array *rotations, bosc_io_error *error);

#endif
