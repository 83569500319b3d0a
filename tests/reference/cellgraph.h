/* A plain cell graph: compares all rows with all rows, letter by letter. */
#ifndef TESTS_REFERENCE_CELLGRAPH_H
#define TESTS_REFERENCE_CELLGRAPH_H

#include <stdint.h>

struct reference_cells {
    uint64_t *rows; /* packed as boscage/cellgraph.h says */
    int64_t n, stride;
    int32_t length, letter_bits;
};

uint32_t reference_letter(const struct reference_cells *c, int64_t row, int32_t k);
void reference_set_letter(struct reference_cells *c, int64_t row, int32_t k, uint32_t letter);

/* Returns the number of letters in which rows i and j differ, at most 2; *position: the first of them. */
int32_t reference_differ(const struct reference_cells *c, int64_t i, int64_t j, int32_t *position);

/* Finds the distinct rows: representative_ids (n): the first row of each vertex; vertex_of (n), multiplicities (n).
 * Returns the number of vertices. */
int64_t reference_vertices(const struct reference_cells *c, int64_t *representative_ids, int64_t *vertex_of,
                           int64_t *multiplicities);

/* Lists pairs i < j of representative rows that differ in one letter, ascending: pairs (2 * count) and positions
 * (count); either may be NULL. Returns count. */
int64_t reference_cell_pairs(const struct reference_cells *c, const int64_t *representative_ids, int64_t vertices,
                             int64_t *pairs, int32_t *positions);

#endif
