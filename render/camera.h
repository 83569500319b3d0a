/* Cameras as people write them: a position, angles in degrees, a field of view. */
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include <stddef.h>

#include <boscage/terrain.h>

#include "render/scene.h"

/* x, y, z, yaw, pitch, fov; yaw from north over east, pitch from the horizon up, fov from top to bottom. */
enum { CAMERA_NUMBERS = 6 };

/* Whether the numbers make a camera; if not, `reason` says why. */
bool camera_check(const double camera[CAMERA_NUMBERS], char *reason, size_t size);

bosc_terrain_camera camera_of(const double camera[CAMERA_NUMBERS], int width, int height);

/* The camera's eye, whose scale is for a picture of height 1. */
struct eye camera_eye(const bosc_terrain_camera *camera, double spacing);

#endif
