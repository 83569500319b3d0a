#include "core/camera.h"

#include <string.h>

#include "base/elementary.h"

static const double LIMIT = 0x1p+500; /* squares do not overflow */

static bool is_finite3(const double v[3])
{
    for (int c = 0; c < 3; c++)
        if (!(v[c] >= -LIMIT && v[c] <= LIMIT)) return false;
    return true;
}

bool bi_normalize3(double v[3])
{
    double largest = 0, square = 0;
    for (int c = 0; c < 3; c++) largest = v[c] > largest ? v[c] : -v[c] > largest ? -v[c] : largest;
    if (largest == 0) return false;
    for (int c = 0; c < 3; c++) {
        v[c] /= largest;
        square += v[c] * v[c];
    }
    for (int c = 0; c < 3; c++) v[c] /= bi_sqrt(square);
    return true;
}

static void cross_product(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        out[c] = a[d] * b[e] - a[e] * b[d];
    }
}

bosc_status bi_check_camera(bosc_ctx *ctx, const struct bi_camera *camera)
{
    const double *direction = camera->direction;
    if (!is_finite3(camera->position)) return bi_fail(ctx, BOSC_ERR_ARG, "camera: its position is not finite");
    if (!is_finite3(direction) || (direction[0] == 0 && direction[1] == 0 && direction[2] == 0))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: its direction is not finite or has no length");
    if (!is_finite3(camera->up)) return bi_fail(ctx, BOSC_ERR_ARG, "camera: up is not finite");
    if (!(camera->fov > 0 && camera->fov < BI_PI))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: fov %g is not in 0 to pi", camera->fov);
    if (!(camera->pixels > 0 && camera->pixels <= 0x1p+100))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: pixels %g is not more than 0 and finite", camera->pixels);
    if (camera->reserved) return bi_fail(ctx, BOSC_ERR_ARG, "camera: reserved is not 0");
    if (camera->width < 1 || camera->height < 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: a viewport of %d x %d pixels", (int)camera->width,
                       (int)camera->height);
    return BOSC_OK;
}

double bi_camera_tangent(const struct bi_camera *camera)
{
    return bi_sin_f64(camera->fov / 2) / bi_cos_f64(camera->fov / 2);
}

bool bi_camera_planes(const struct bi_camera *camera, const double up[3], double planes[5][3])
{
    const double tangent = bi_camera_tangent(camera), side_tangent = tangent * camera->width / camera->height;
    double ahead[3], top[3], right[3], over[3], square = 0;
    memcpy(ahead, camera->direction, sizeof ahead);
    memcpy(top, up, sizeof top);
    if (!bi_normalize3(ahead) || !bi_normalize3(top)) return false;
    cross_product(ahead, top, right);
    for (int c = 0; c < 3; c++) square += right[c] * right[c];
    /* About parallel: the sine of the angle is below 2^-40, of whose bits rounding leaves 12. */
    if (square < 0x1p-80 || !bi_normalize3(right)) return false;
    cross_product(right, ahead, over);
    for (int c = 0; c < 3; c++) {
        planes[0][c] = ahead[c];
        planes[1][c] = side_tangent * ahead[c] + right[c];
        planes[2][c] = side_tangent * ahead[c] - right[c];
        planes[3][c] = tangent * ahead[c] + over[c];
        planes[4][c] = tangent * ahead[c] - over[c];
    }
    return true;
}
