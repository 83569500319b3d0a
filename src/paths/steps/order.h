/* The steps of an order of breadth-first search. A search with one queue walks arcs one after the other; the number of
 * an arc in this walk, from 1 on, decides which of several arcs reaches a vertex first. */
#ifndef BI_PATHS_STEPS_ORDER_H
#define BI_PATHS_STEPS_ORDER_H

#include "paths/steps/rows.h"

/* A level: `count` vertices of the list. */
struct bi_paths_level {
    struct bi_paths_rows rows;
    const uint32_t *vertices; /* count */
    int64_t count;
    uint64_t walked;        /* arcs of earlier levels */
    int64_t *begins;        /* count + 1: degrees, then their sums: the arcs of the level before each vertex */
    uint64_t *claims;       /* n: the number of the first arc to each vertex; 0 for the source, UINT64_MAX for none */
    uint32_t *ends;         /* for each arc of the level: its end, */
    uint8_t *keep;          /* and 1 if it reaches its end first */
    uint32_t *predecessors; /* n */
};

BI_FN void bi_step_paths_measure_rows(const struct bi_paths_level *a, int64_t i)
{
    const struct bi_paths_rows *r = &a->rows;
    a->begins[i] = 0;
    if (i == a->count) return;
    const uint32_t u = a->vertices[i];
    a->begins[i] = bi_paths_row_begin(r, (int64_t)u + 1) - bi_paths_row_begin(r, u);
}

BI_FN void bi_step_paths_claim_ends(const struct bi_paths_level *a, int64_t i)
{
    const int64_t arc = bi_paths_row_begin(&a->rows, a->vertices[i]), count = a->begins[i + 1] - a->begins[i];
    for (int64_t k = 0; k < count; k++)
        bi_atomic_fetch_min_u64(&a->claims[a->rows.neighbours[arc + k]], a->walked + 1 + (uint64_t)(a->begins[i] + k));
}

BI_FN void bi_step_paths_keep_first(const struct bi_paths_level *a, int64_t i)
{
    const int64_t arc = bi_paths_row_begin(&a->rows, a->vertices[i]), count = a->begins[i + 1] - a->begins[i];
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = a->begins[i] + k;
        const uint32_t v = a->rows.neighbours[arc + k];
        a->ends[at] = v;
        a->keep[at] = a->claims[v] == a->walked + 1 + (uint64_t)at;
        if (a->keep[at]) a->predecessors[v] = a->vertices[i];
    }
}

#endif
