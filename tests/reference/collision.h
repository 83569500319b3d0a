/* Plain collisions: tests all pairs of triangles, in integers. */
#ifndef TESTS_REFERENCE_COLLISION_H
#define TESTS_REFERENCE_COLLISION_H

#include <stdbool.h>
#include <stdint.h>

/* A mesh with integer coordinates, absolute values below 2^18. */
struct reference_mesh {
    int64_t *vertices, *triangles; /* (vertex_count x 3), (triangle_count x 3) */
    int64_t vertex_count, triangle_count;
};

/* True if triangle i of a and triangle j of b share a point. */
bool reference_touch(const struct reference_mesh *a, int64_t i, const struct reference_mesh *b, int64_t j);

/* Lists touching pairs, ascending: pairs (2 * count), or NULL. Returns count. */
int64_t reference_collisions(const struct reference_mesh *a, const struct reference_mesh *b, int64_t *pairs);

#endif
