/* Triangles seen by an eye: which one each pixel shows, and where on it. A software rasteriser with a z-buffer; what it
 * shows does not depend on the number of threads. */
#ifndef RENDER_SCENE_H
#define RENDER_SCENE_H

#include <stdbool.h>
#include <stdint.h>

/* Axes of length 1: right, up (on the picture), forward. */
struct eye {
    double at[3], right[3], up[3], forward[3];
    double scale;   /* pixels for a length of 1: at a distance of 1, or anywhere if parallel */
    bool parallel;  /* rays are parallel, as seen from afar; else they meet in the eye */
    double nearest; /* what is closer is not seen; more than 0 unless parallel */
};

/* An eye that looks along a direction, with `top` (not parallel to it) upwards. */
struct eye eye_look(const double at[3], const double direction[3], const double top[3]);

struct scene {
    int64_t vertices, triangles;
    const float *positions; /* x, y, z */
    const uint32_t *indices;
};

enum { SCENE_NOTHING = UINT32_MAX };

/* What the pixels of a picture show: numbers of triangles, or SCENE_NOTHING. */
struct sight {
    int width, height;
    struct eye eye;
    struct scene scene;
    uint32_t *seen;
};

/* False: no memory. */
bool sight_open(struct sight *sight, int width, int height, const struct eye *eye, const struct scene *scene);
void sight_close(struct sight *sight);

/* The ray of a point of the picture, from `origin` along `way`. */
struct ray {
    double origin[3], way[3];
};
struct ray sight_ray(const struct sight *sight, double x, double y);

/* Where a pixel's centre meets its triangle: weights of the corners, from 0 to 1; how many pixels it is away from the
 * nearest edge, and how many the triangle's least height is. */
struct touch {
    double weight[3], edge, size;
};
struct touch sight_touch(const struct sight *sight, int x, int y, uint32_t triangle);

#endif
