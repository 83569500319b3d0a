/* A plain neighbour list: compares all atoms with all images of all atoms. */
#ifndef TESTS_REFERENCE_NEIGHBORLIST_H
#define TESTS_REFERENCE_NEIGHBORLIST_H

#include <stdbool.h>
#include <stdint.h>

/* Systems of atoms, positions already in double. */
struct reference_atoms {
    int64_t n, system_count;
    const double *positions; /* (n x 3) */
    const int64_t *offsets;  /* (system_count + 1) */
    const double *cells;     /* (system_count x 9) or NULL */
    const uint8_t *periodic; /* (system_count x 3); NULL: all, if there are cells */
};

struct reference_neighbor {
    int64_t i, j;
    int32_t shift[3];
    double vector[3], distance;
};

/* Lists the pairs nearer than the cutoff, ascending in (i, j, S). Returns their number; `pairs` may be NULL. */
int64_t reference_neighbors(const struct reference_atoms *a, double cutoff, bool half,
                            struct reference_neighbor *pairs);

#endif
