/* Cameras of the command line: a position, angles in degrees, a field of view. */
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include <stddef.h>

#include <boscage/terrain.h>

#include "render/rasterize.h"

/* x, y, z, yaw, pitch, fov; yaw from north over east, pitch from the horizon up, fov from top to bottom. */
enum { CAMERA_NUMBERS = 6 };

/* True if the numbers are a valid camera; otherwise writes the reason to `reason`. */
bool camera_check(const double camera[CAMERA_NUMBERS], char *reason, size_t size);

/* Converts the angles to directions, for a picture of width x height pixels. */
bosc_terrain_camera camera_of(const double camera[CAMERA_NUMBERS], int width, int height);

/* Returns the eye of a camera, with its scale for a picture of height 1. */
struct eye camera_eye(const bosc_terrain_camera *camera, double spacing);

#endif
