/* What the cameras of rooms have in common: checks of what a caller set, and the planes of the view. */
#ifndef BI_CORE_CAMERA_H
#define BI_CORE_CAMERA_H

#include "core/call.h"

/* A room's public camera. */
struct bi_camera {
    const double *position, *direction, *up; /* three numbers each */
    double fov, pixels;
    int32_t width, height, reserved;
};
#define BI_CAMERA_OF(c)                                                                                         \
    ((struct bi_camera){(c)->position, (c)->direction, (c)->up, (c)->fov, (c)->pixels, (c)->width, (c)->height, \
                        (c)->reserved})

bosc_status bi_check_camera(bosc_ctx *ctx, const struct bi_camera *camera);

/* Half the height of the view at a distance of 1. */
double bi_camera_tangent(const struct bi_camera *camera);

/* Normals of the planes of the view, inward: across the direction at the eye (of length 1), and to either side of it,
 * and below and above. `up` may be another one than the camera's. False where it has no length, or is parallel to the
 * direction. */
bool bi_camera_planes(const struct bi_camera *camera, const double up[3], double planes[5][3]);

/* Scales a vector to length 1; false for one without a direction. */
bool bi_unit3(double v[3]);

#endif
