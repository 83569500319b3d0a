/* Steps that list voxels and their rows. Items beyond the number of voxels do nothing. */
#ifndef BI_VOXELS_STEPS_LIST_H
#define BI_VOXELS_STEPS_LIST_H

#include "voxels/steps/voxel.h"

/* Coordinates, count and first row of voxel i; NULL arrays are left out. */
struct bi_voxels_list {
    struct bi_voxels_view view;
    int32_t *coords;
    int64_t *counts;
    void *firsts;
    bool ids_64bit;
    bool zeros_beyond; /* counts beyond the voxels are 0 */
};

BI_FN void bi_step_list(const struct bi_voxels_list *a, int64_t i)
{
    const struct bi_voxels_view *v = &a->view;
    int64_t at[BI_VOXELS_DIM];
    if (i >= bi_voxels_voxel_count(v)) {
        if (a->zeros_beyond) a->counts[i] = 0;
        return;
    }
    const struct bi_voxels_run run = bi_voxels_run_of(v, i);
    if (a->counts) a->counts[i] = run.count;
    if (a->firsts) bi_set_word(a->firsts, a->ids_64bit, i, v->rows[run.first]);
    if (!a->coords) return;
    bi_voxels_decode(&v->box, v->keys_64bit, bi_word(v->keys, v->keys_64bit, v->segments[i]), at);
    for (int32_t c = 0; c < BI_VOXELS_DIM; c++)
        if (c < v->box.dim) a->coords[i * v->box.dim + c] = (int32_t)at[c];
}

/* The voxel of row i in the caller's ids. */
struct bi_voxels_inverse {
    const uint32_t *inverse;
    void *ids;
    bool ids_64bit;
};

BI_FN void bi_step_inverse(const struct bi_voxels_inverse *a, int64_t i)
{
    const uint32_t id = a->inverse[i];
    bi_set_word(a->ids, a->ids_64bit, i, id == BI_VOXELS_NONE ? UINT64_MAX : id);
}

/* Copies the row at position p to its voxel's list, if it counts. */
struct bi_voxels_members {
    struct bi_voxels_view view;
    const int64_t *offsets;
    void *ids;
    bool ids_64bit;
};

BI_FN void bi_step_member(const struct bi_voxels_members *a, int64_t p)
{
    const struct bi_voxels_view *v = &a->view;
    const uint32_t row = v->rows[p], id = v->inverse[row];
    if (id == BI_VOXELS_NONE) return;
    const int64_t k = p - v->heads[v->segments[id]];
    if (k < v->max_points) bi_set_word(a->ids, a->ids_64bit, a->offsets[id] + k, row);
}

#endif
