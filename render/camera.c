/* Converts a camera given by angles to directions. */
#include "render/camera.h"

#include <math.h>
#include <stdio.h>

static const double degree = 3.14159265358979323846 / 180;

bool camera_check(const double camera[CAMERA_NUMBERS], char *reason, size_t size)
{
    for (int c = 0; c < 3; c++)
        if (!(fabs(camera[c]) <= 1e12)) {
            snprintf(reason, size, "the position %g is not from -1e12 to 1e12", camera[c]);
            return false;
        }
    bool pitch = camera[4] >= -90 && camera[4] <= 90, fov = camera[5] >= 1 && camera[5] <= 170;
    if (!pitch)
        snprintf(reason, size, "the pitch %g is not from -90 to 90 degrees", camera[4]);
    else if (!fov)
        snprintf(reason, size, "the fov %g is not from 1 to 170 degrees", camera[5]);
    return pitch && fov;
}

bosc_terrain_camera camera_of(const double camera[CAMERA_NUMBERS], int width, int height)
{
    double yaw = camera[3] * degree, pitch = camera[4] * degree;
    bosc_terrain_camera c = {.position = {camera[0], camera[1], camera[2]},
                             .direction = {sin(yaw) * cos(pitch), -cos(yaw) * cos(pitch), sin(pitch)},
                             .up = {-sin(yaw) * sin(pitch), cos(yaw) * sin(pitch), cos(pitch)},
                             .fov = camera[5] * degree,
                             .pixels = 1,
                             .width = width,
                             .height = height,
                             .cull = 1};
    return c;
}

struct eye camera_eye(const bosc_terrain_camera *camera, double spacing)
{
    struct eye eye = eye_look_along(camera->position, camera->direction, camera->up);
    eye.scale = 0.5 / tan(camera->fov / 2);
    eye.nearest = spacing * 0.05;
    return eye;
}
