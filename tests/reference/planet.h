/* A plain planet: long double, the C library's functions, one direction at a time. */
#ifndef TESTS_REFERENCE_PLANET_H
#define TESTS_REFERENCE_PLANET_H

#include <stdbool.h>
#include <stdint.h>

struct reference_planet {
    const float *heights; /* (height x width) */
    int64_t width, height;
    double radius;
    double amplitude, wavelength; /* of detail, whose random numbers are `bits`, 4 for each of 4096 entries */
    int octaves;
    const uint32_t *bits;
};

/* The height in a direction of any length. */
long double reference_planet_height(const struct reference_planet *p, const long double d[3]);

/* The place of a vertex by its root and its place within it. */
void reference_planet_place(const struct reference_planet *p, int64_t root, long double x, long double y,
                            long double at[3]);

/* The direction of a sample. */
void reference_planet_direction(const struct reference_planet *p, int64_t row, int64_t column, long double d[3]);

/* The largest distance of a sample from a mesh along its radius; each sample tries each triangle. */
long double reference_planet_error(const struct reference_planet *p, const double *vertices, const uint32_t *triangles,
                                   int64_t triangle_count);

/* Whether each edge of the triangles is once there and once back, each vertex is used, V - E + F = 2, and they are of
 * one piece. */
bool reference_mesh_is_sphere(const uint32_t *triangles, int64_t triangle_count, int64_t vertex_count);

#endif
