/* Scenes of a robot and an obstacle: parsers of the files that they are made of. */
#ifndef BI_IO_SCENE_SCENE_H
#define BI_IO_SCENE_SCENE_H

#include "io/io.h"

/* Balls, triangles, or both, as they are read; arrays that there are not have no data. */
struct bi_body {
    bosc_array balls;     /* (n, 4) f8: x, y, z, radius, which is above 0 */
    bosc_array vertices;  /* (n, 3) f8 */
    bosc_array triangles; /* (n, 3) u4: numbers of vertices */
};
void bi_body_free(struct bi_body *body);

/* Makes a body the caller's: triangles as they are, or the convex solids that they bound. The body is then empty. */
bosc_status bi_body_take(const char *name, struct bi_body *body, bool convex, bosc_plan_bodies *bodies,
                         bosc_io_error *error);
void bi_bodies_free(bosc_plan_bodies *bodies);

/* A body as text: the number of vertices, their x, y, z, the number of triangles, and of each its vertices from 0. */
bosc_status bi_body_parse(const struct bi_bytes *in, struct bi_body *body, bosc_io_error *error);

/* A sphere tree, whose balls of one level become the body; level 0: the deepest. */
bosc_status bi_sph_parse(const struct bi_bytes *in, int32_t level, struct bi_body *body, bosc_io_error *error);

/* Where a robot stands: a rotation, then a translation. */
struct bi_placement {
    double rotation[4]; /* w, x, y, z, of length 1 */
    double translation[3];
};

/* One or two 4 x 4 matrices; *count says which. */
bosc_status bi_placements_parse(const struct bi_bytes *in, struct bi_placement placements[2], int32_t *count,
                                bosc_io_error *error);

/* Both bodies, and begin and end, as bosc_scene has them. */
struct bi_scene {
    struct bi_body robot, obstacle;
    double origin[3], from[4], to[4];
    bool has_from, has_to;
};
void bi_scene_free(struct bi_scene *scene);

/* A scene as a stream of Qt's. */
bosc_status bi_arr_parse(const struct bi_bytes *in, struct bi_scene *scene, bosc_io_error *error);

/* w, x, y, z a row: each of length 1 within a thousandth. */
bosc_status bi_rotations_check(const struct bi_bytes *in, const bosc_array *rotations, bosc_io_error *error);

#endif
