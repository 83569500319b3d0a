/* The caller's rows, and the steps that join them to rows that a graph has. */
#ifndef BI_CELLGRAPH_UNIQUE_STEPS_H
#define BI_CELLGRAPH_UNIQUE_STEPS_H

#include "base/atomic.h"
#include "cellgraph/letters.h"

/* The caller's rows. */
struct bi_cell_rows {
    const uint64_t *data;
    int64_t n, stride;
};

/* Rows beside each other, without what is not of letters. */
struct bi_cell_gather {
    struct bi_cell_rows rows;
    struct bi_cell_shape shape;
    uint64_t *vectors;
};

BI_FN void bi_step_cell_gather(const struct bi_cell_gather *a, int64_t i)
{
    const uint64_t *row = a->rows.data + i * a->rows.stride;
    uint64_t *to = a->vectors + i * a->shape.words;
    for (int32_t s = 0; s < a->shape.words; s++) to[s] = row[s] & bi_cell_mask(&a->shape, s);
}

/* Vertices of the old vertices and the rows behind them become those of all rows. */
struct bi_cell_merge {
    int64_t known;  /* the old vertices, which are the first ones */
    uint32_t moved; /* how many more rows there were than vertices */
    const uint32_t *old_firsts, *old_multiplicities;
    uint32_t *firsts, *multiplicities;
};

BI_FN void bi_step_cell_merge(const struct bi_cell_merge *a, int64_t v)
{
    if (v < a->known) {
        a->firsts[v] = a->old_firsts[v];
        a->multiplicities[v] += a->old_multiplicities[v] - 1;
    } else {
        a->firsts[v] += a->moved;
    }
}

#endif
