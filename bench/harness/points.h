/* The points that all programs which time k-d trees use. */
#ifndef KDTREE_POINTS_H
#define KDTREE_POINTS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t kdtree_points_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* SplitMix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline float kdtree_points_unit(uint64_t *state) { return (float)(kdtree_points_next(state) >> 40) * 0x1p-24f; }

/* n points of dim floats: uniform, normal, clustered, sorted (along a line, with noise), few (1,000 distinct values a
 * coordinate). */
static inline float *kdtree_points(const char *shape, int64_t n, int dim, uint64_t seed)
{
    float *p = (float *)malloc((size_t)n * (size_t)dim * sizeof *p);
    uint64_t state = seed;
    for (int64_t i = 0; i < n; i++) {
        uint64_t cluster = 1000 + kdtree_points_next(&state) % 100;
        for (int c = 0; c < dim; c++) {
            float u = kdtree_points_unit(&state), v = kdtree_points_unit(&state), x = u;
            if (strcmp(shape, "normal") == 0) x = sqrtf(-2 * logf(u + 1e-8f)) * cosf(6.2831853f * v);
            if (strcmp(shape, "clustered") == 0) x = kdtree_points_unit(&cluster) + 0.001f * (u + v - 1);
            if (strcmp(shape, "sorted") == 0) x = (float)i / (float)n + 1e-4f * u;
            if (strcmp(shape, "few") == 0) x = floorf(u * 1000);
            p[i * dim + c] = x;
        }
    }
    return p;
}

#endif
