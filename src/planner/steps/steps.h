/* The steps of planners: what happens to item i, for the CPU and the device. Steps on cells are here. */
#ifndef BI_PLANNER_STEPS_STEPS_H
#define BI_PLANNER_STEPS_STEPS_H

#include "base/step.h"
#include "planner/steps/boxes.h"

struct bi_planner_cells {
    const uint8_t *collides; /* (cells) 1: their signs imply a collision */
    uint8_t *mask;           /* (cells) may be the same array */
    int64_t *counts;         /* (cells) 1 for free ones */
};

BI_FN void bi_step_planner_mark_free(const struct bi_planner_cells *a, int64_t i)
{
    a->mask[i] = !a->collides[i];
    a->counts[i] = a->mask[i];
}

/* Finds vectors among the cells: cells[j], initially -1, becomes the cell with vector j. */
struct bi_planner_locate {
    const uint64_t *cell_vectors, *vectors; /* (cells x words), (count x words) */
    int64_t words, count;
    int64_t *cells;
};

BI_FN void bi_step_planner_locate(const struct bi_planner_locate *a, int64_t i)
{
    const uint64_t *x = a->cell_vectors + i * a->words;
    for (int64_t j = 0; j < a->count; j++) {
        const uint64_t *y = a->vectors + j * a->words;
        int64_t s = 0;
        while (s < a->words && x[s] == y[s]) s++;
        if (s == a->words) a->cells[j] = i; /* no other cell has this vector: one writer */
    }
}

/* Gathers the rotations of some cells. */
struct bi_planner_gather {
    const double *rotations; /* (cells x 4) */
    const int64_t *cells;
    double *to;
};

BI_FN void bi_step_planner_gather(const struct bi_planner_gather *a, int64_t i)
{
    for (int k = 0; k < 4; k++) a->to[4 * i + k] = a->rotations[4 * a->cells[i] + k];
}

struct bi_planner_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "planner/steps/steps.def"
#undef BI_STEP
};

#endif
