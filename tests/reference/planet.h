/* A plain planet: in long double, by the C library's functions, one direction at a time. */
#ifndef TESTS_REFERENCE_PLANET_H
#define TESTS_REFERENCE_PLANET_H

#include <stdbool.h>
#include <stdint.h>

/* A raster over a part of the planet; edges in degrees. */
struct reference_inset {
    const float *heights;
    int64_t width, height;
    long double west, south, east, north;
    int64_t border; /* samples over which it is blended */
};

struct reference_planet {
    const float *heights; /* (height x width) */
    int64_t width, height;
    double radius;
    double amplitude, wavelength; /* of detail, with random numbers `bits`, 4 for each of 4096 entries */
    int octaves;
    const uint32_t *bits;
    const struct reference_inset *insets;
    int inset_count;
};

/* Returns the height in a direction of any length. */
long double reference_planet_height(const struct reference_planet *p, const long double d[3]);

/* Computes the position of a vertex from its root and coordinates within it. */
void reference_planet_vertex(const struct reference_planet *p, int64_t root, long double x, long double y,
                             long double at[3]);

/* Computes the direction of a sample. */
void reference_planet_direction(const struct reference_planet *p, int64_t row, int64_t column, long double d[3]);

/* Computes the direction of a sample of an inset. */
void reference_inset_direction(const struct reference_inset *inset, int64_t row, int64_t column, long double d[3]);

/* Returns the largest distance of a sample, of the raster or an inset, from a mesh along its radius; tests each sample
 * with each triangle. */
long double reference_planet_error(const struct reference_planet *p, const double *vertices, const uint32_t *triangles,
                                   int64_t triangle_count);

/* True if each edge occurs once in each direction, V - E + F = 2, and all vertices are connected. */
bool reference_mesh_is_sphere(const uint32_t *triangles, int64_t triangle_count, int64_t vertex_count);

#endif
