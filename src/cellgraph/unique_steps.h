/* Steps that bring equal vectors together: rows are sorted by their hashes, and equal ones compared. */
#ifndef BI_CELLGRAPH_UNIQUE_STEPS_H
#define BI_CELLGRAPH_UNIQUE_STEPS_H

#include "base/atomic.h"
#include "cellgraph/letters.h"

/* The caller's rows. */
struct bi_cell_rows {
    const uint64_t *data;
    int64_t n, stride;
};

struct bi_cell_seeds {
    uint64_t seed;
    uint64_t *seeds;
};

BI_FN void bi_step_cell_seed(const struct bi_cell_seeds *a, int64_t s) { a->seeds[s] = bi_cell_seed(a->seed, s); }

/* H of each row, and the rows' numbers. */
struct bi_cell_hashes {
    struct bi_cell_rows rows;
    struct bi_cell_shape shape;
    const uint64_t *seeds;
    uint64_t *hashes;
    uint32_t *numbers;
};

BI_FN void bi_step_cell_hash(const struct bi_cell_hashes *a, int64_t i)
{
    const uint64_t *row = a->rows.data + i * a->rows.stride;
    uint64_t h = 0;
    for (int32_t s = 0; s < a->shape.words; s++) h += bi_cell_hash(row[s] & bi_cell_mask(&a->shape, s), a->seeds[s]);
    a->hashes[i] = h;
    a->numbers[i] = (uint32_t)i;
}

/* Rows in the order of the top bits of their hashes: where those of other vectors begin. */
struct bi_cell_heads {
    struct bi_cell_rows rows;
    struct bi_cell_shape shape;
    const uint64_t *hashes;
    const uint32_t *order;
    int32_t shift;
    uint8_t *heads;     /* of place p */
    uint32_t *groups;   /* the same, to be summed */
    uint32_t *is_first; /* of row i: the first of its equals */
    uint32_t *collided; /* 1: different vectors with the same top bits stand together */
};

BI_FN void bi_step_cell_head(const struct bi_cell_heads *a, int64_t p)
{
#ifndef __CUDA_ARCH__ /* rows lie anywhere: asks for two that will be compared */
    int64_t later = p + 24;
    if (later < a->rows.n && a->hashes[later] == a->hashes[later - 1]) {
        __builtin_prefetch(a->rows.data + a->order[later] * a->rows.stride);
        __builtin_prefetch(a->rows.data + a->order[later - 1] * a->rows.stride);
    }
#endif
    bool head = p == 0 || a->hashes[p] >> a->shift != a->hashes[p - 1] >> a->shift;
    if (!head) {
        const uint64_t *x = a->rows.data + a->order[p] * a->rows.stride;
        const uint64_t *y = a->rows.data + a->order[p - 1] * a->rows.stride;
        uint64_t differ = a->hashes[p] ^ a->hashes[p - 1];
        for (int32_t s = 0; s < a->shape.words && !differ; s++) differ = (x[s] ^ y[s]) & bi_cell_mask(&a->shape, s);
        if (differ) bi_raise(a->collided, 1);
    }
    a->heads[p] = head;
    a->groups[p] = head;
    a->is_first[a->order[p]] = head;
}

/* Vertices: groups are numbered by their first rows. */
struct bi_cell_number {
    const uint32_t *order, *groups; /* of place p: its row, and the number of heads up to it */
    const uint32_t *starts;         /* of each group: its first place */
    const uint32_t *before;         /* of each row: how many first rows are before it */
    const uint64_t *hashes;         /* of place p */
    int64_t n, count;               /* places, groups */
    uint32_t *vertex_of;            /* of each row */
    uint32_t *firsts, *multiplicities;
    uint64_t *vertex_hashes;
};

BI_FN void bi_step_cell_vertex_of(const struct bi_cell_number *a, int64_t p)
{
    a->vertex_of[a->order[p]] = a->before[a->order[a->starts[a->groups[p] - 1]]];
}

BI_FN void bi_step_cell_vertex(const struct bi_cell_number *a, int64_t g)
{
    uint32_t start = a->starts[g], row = a->order[start], vertex = a->before[row];
    a->firsts[vertex] = row;
    a->multiplicities[vertex] = (g + 1 < a->count ? a->starts[g + 1] : (uint32_t)a->n) - start;
    a->vertex_hashes[vertex] = a->hashes[start];
}

/* The vectors of the vertices. */
struct bi_cell_gather {
    struct bi_cell_rows rows;
    struct bi_cell_shape shape;
    const uint32_t *firsts; /* NULL: of all rows */
    uint64_t *vectors;
};

BI_FN void bi_step_cell_gather(const struct bi_cell_gather *a, int64_t v)
{
    const uint64_t *row = a->rows.data + (a->firsts ? (int64_t)a->firsts[v] : v) * a->rows.stride;
    uint64_t *to = a->vectors + v * a->shape.words;
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
