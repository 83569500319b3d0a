/* Steps that list the occupied voxels. */
#ifndef BI_VOXELGRID_STEPS_VOXELS_H
#define BI_VOXELGRID_STEPS_VOXELS_H

#include "voxelgrid/steps/voxel.h"

/* Marks the first positions of voxels. */
struct bi_voxelgrid_voxel_heads {
    struct bi_voxelgrid_view view;
    uint8_t *is_head;
    uint32_t *positions;
};

BI_FN void bi_step_voxel_heads(const struct bi_voxelgrid_voxel_heads *a, int64_t i)
{
    a->positions[i] = (uint32_t)i;
    a->is_head[i] = i == 0;
    if (i == 0) return;
    struct bi_voxelgrid_coords here = bi_voxelgrid_voxel_at(&a->view, i),
                               previous = bi_voxelgrid_voxel_at(&a->view, i - 1);
    a->is_head[i] = bi_voxelgrid_compare(&a->view, &here, &previous) != 0;
}

/* Coordinates and count of voxel k, whose points begin at heads[k]. */
struct bi_voxelgrid_voxel_list {
    struct bi_voxelgrid_view view;
    const uint32_t *heads;
    int64_t count;
    int64_t *coords, *counts; /* either may be NULL */
};

BI_FN void bi_step_list_voxels(const struct bi_voxelgrid_voxel_list *a, int64_t k)
{
    int64_t begin = a->heads[k], end = k + 1 < a->count ? (int64_t)a->heads[k + 1] : a->view.n;
    struct bi_voxelgrid_coords voxel = bi_voxelgrid_voxel_at(&a->view, begin);
    if (a->counts) a->counts[k] = end - begin;
    for (int32_t c = 0; a->coords && c < a->view.dim; c++) a->coords[k * a->view.dim + c] = voxel.at[c];
}

#endif
