/* The calls of voxelisations that can take long. */
#ifndef TESTS_CASES_CORE_PROGRESS_VOXELS_H
#define TESTS_CASES_CORE_PROGRESS_VOXELS_H

#include "cases/core/progress_world.h"

static bosc_status voxels_build(struct world *w)
{
    return bosc_voxels_build(w->ctx, w->unbuilt_voxels, w->points, w->n, 3, NULL, 1);
}
static bosc_status voxels_mean(struct world *w)
{
    return bosc_voxels_mean(w->ctx, w->voxels, BOSC_F32, w->points, 3, 3, w->out, w->n);
}
static bosc_status voxels_mean_gradient(struct world *w)
{
    return bosc_voxels_mean_gradient(w->ctx, w->voxels, BOSC_F32, w->points, 3, w->out, w->n);
}
static bosc_status voxels_nearest(struct world *w)
{
    return bosc_voxels_nearest(w->ctx, w->voxels, w->points, 3, w->out, w->n);
}
static bosc_status voxels_pad(struct world *w)
{
    return bosc_voxels_pad(w->ctx, w->voxels, BOSC_F32, w->points, 3, 3, 4, w->out, w->n);
}
static bosc_status voxels_members(struct world *w)
{
    return bosc_voxels_members(w->ctx, w->voxels, w->offsets, w->out, w->n);
}
static bosc_status voxels_kernel_map(struct world *w)
{
    const bosc_voxels_kernel kernel = {.size = sizeof kernel, .shape = {1, 3, 3}};
    return bosc_voxels_kernel_map(w->ctx, w->voxels, w->voxels, &kernel, w->out, w->n);
}

#endif
