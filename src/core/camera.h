/* Cameras of several rooms: checks of their members, and the planes of the view frustum. */
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

/* Half the height of the view at distance 1. */
double bi_camera_tangent(const struct bi_camera *camera);

/* Inward normals of the planes of the frustum: near (of length 1), left, right, bottom, top. `up` may differ from the
 * camera's. False if it has no length or is parallel to the direction. */
bool bi_camera_planes(const struct bi_camera *camera, const double up[3], double planes[5][3]);

/* Scales a vector to length 1; false for one without a direction. */
bool bi_normalize3(double v[3]);

#endif
