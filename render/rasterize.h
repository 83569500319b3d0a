/* A software rasteriser with a z-buffer: which triangle each pixel shows, and at which point. The result does not
 * depend on the number of threads. */
#ifndef RENDER_RASTERIZE_H
#define RENDER_RASTERIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Axes of length 1: right, up (on the picture), forward. */
struct eye {
    double at[3], right[3], up[3], forward[3];
    double scale;   /* pixels per length: at distance 1, or anywhere if parallel */
    bool parallel;  /* parallel projection; otherwise perspective */
    double nearest; /* distance of the near plane; more than 0 unless parallel */
};

/* Returns an eye at `at` that looks along `direction`, with `top` (not parallel to it) upwards. */
struct eye eye_look_along(const double at[3], const double direction[3], const double top[3]);

struct triangle_mesh {
    int64_t vertices, triangles;
    const float *positions; /* x, y, z */
    const uint32_t *indices;
};

enum { NO_TRIANGLE = UINT32_MAX };

/* The triangle that each pixel of a picture shows, or NO_TRIANGLE. */
struct visibility {
    int width, height;
    struct eye eye;
    struct triangle_mesh mesh;
    uint32_t *triangle_ids;
};

/* Rasterises the mesh. False: out of memory. */
bool visibility_open(struct visibility *visibility, int width, int height, const struct eye *eye,
                     const struct triangle_mesh *mesh);
void visibility_close(struct visibility *visibility);

/* The ray through point (x, y) of the picture. */
struct ray {
    double origin[3], direction[3];
};
struct ray pixel_ray(const struct visibility *visibility, double x, double y);

/* The point of a triangle at a pixel's centre: weights of the corners, from 0 to 1; distance to the nearest edge and
 * least height of the triangle, in pixels. */
struct surface_hit {
    double weight[3], edge, size;
};
struct surface_hit pixel_hit(const struct visibility *visibility, int x, int y, uint32_t triangle);

#endif
