/* Plain arrangements of planes with small integer coefficients, in exact arithmetic. */
#ifndef TESTS_REFERENCE_ARRANGEMENT_H
#define TESTS_REFERENCE_ARRANGEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { REFERENCE_PLANES = 64, REFERENCE_DIM = 3, REFERENCE_INEQUALITIES = 4096 };

struct reference_planes {
    int64_t rows[REFERENCE_PLANES][REFERENCE_DIM + 1]; /* normal, constant, and zeros */
    int32_t n, dim;
};

/* Returns the number of cells: those without the last plane, and those into which the others divide it. */
int64_t reference_count_cells(const struct reference_planes *planes);

/* True if some point has these signs: bit k, 1 where plane k is more than 0, else less. Fourier-Motzkin elimination,
 * for up to 7 planes with coefficients up to 4. */
bool reference_is_cell(const struct reference_planes *planes, uint64_t signs);

#endif
