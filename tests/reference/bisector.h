/* Plain conforming bisection of triangles in space: neighbours share two corners. */
#ifndef TESTS_REFERENCE_BISECTOR_H
#define TESTS_REFERENCE_BISECTOR_H

#include <stdbool.h>
#include <stdint.h>

struct reference_triangle {
    uint64_t node;
    int32_t root, level;
    double at[3][3]; /* v0, v1, v2 */
    int64_t source;
    bool split; /* changed or created by a split in this update */
};

struct reference_bisectors {
    int32_t depth, root_bits;
    int64_t n, room;
    struct reference_triangle *leaves; /* in the order of the trees */
};

/* Meshes; edges with equal ends are glued. */
enum reference_mesh {
    REFERENCE_TRIANGLE,
    REFERENCE_SQUARE,
    REFERENCE_STRIP, /* three squares */
    REFERENCE_OCTAHEDRON,
    REFERENCE_MESHES
};

int64_t reference_bisector_roots(enum reference_mesh mesh, double at[8][3][3]);
/* Sets glued[e] to 3 s + f of the edge glued to edge e, or -1. */
void reference_bisector_glue(const double at[8][3][3], int64_t root_count, int64_t glued[24]);

/* Creates a pool with the roots as leaves. */
struct reference_bisectors reference_bisectors_make(enum reference_mesh mesh, int32_t depth);
void reference_bisectors_free(struct reference_bisectors *b);

/* Executes a command (0 keep, 1 split, 2 merge) for each leaf, one after another. */
void reference_bisectors_update(struct reference_bisectors *b, const uint8_t *commands);

/* Returns 3 n + f of the edge of another leaf with the same ends, or -1. */
int64_t reference_bisectors_neighbour(const struct reference_bisectors *b, int64_t leaf, int edge);
/* Returns the number of different corners of all leaves. */
int64_t reference_bisectors_vertices(const struct reference_bisectors *b);

#endif
