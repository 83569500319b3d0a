/* Plain collisions: all triangles with all triangles, in integers. */
#ifndef TESTS_REFERENCE_COLLISION_H
#define TESTS_REFERENCE_COLLISION_H

#include <stdbool.h>
#include <stdint.h>

/* A mesh with integer coordinates, below 2^18 in size. */
struct reference_mesh {
    int64_t *vertices, *triangles; /* (vertex_count x 3), (triangle_count x 3) */
    int64_t vertex_count, triangle_count;
};

/* Whether triangle i of one and j of the other share a point. */
bool reference_touch(const struct reference_mesh *a, int64_t i, const struct reference_mesh *b, int64_t j);

/* Pairs that touch, ascending: pairs (2 * count), or NULL. Returns count. */
int64_t reference_collisions(const struct reference_mesh *a, const struct reference_mesh *b, int64_t *pairs);

#endif
