/* Declarations shared by the CUDA files of terrains. */
#ifndef BI_TERRAIN_CUDA_TERRAIN_CUH
#define BI_TERRAIN_CUDA_TERRAIN_CUH

#include "core/cuda/launch.cuh"
#include "terrain/steps/steps.h"
#include "terrain/terrain.h"

/* Errors of a raster, in three steps: of triangles without clamped vertices, with the bounds of cells up to a tile; of
 * triangles with clamped vertices; and the maximum over nested diamonds, with the bounds of larger cells. */
bosc_status bi_terrain_cuda_tile_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a);
bosc_status bi_terrain_cuda_clamped_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a);
bosc_status bi_terrain_cuda_nest_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a);

bosc_status bi_terrain_cuda_refine(bosc_ctx *ctx, const bi_terrain_refinement *a);
bosc_status bi_terrain_cuda_count_gain(bosc_ctx *ctx, const bi_terrain_budget *a);
bosc_status bi_terrain_cuda_mark_vertices(bosc_ctx *ctx, const bi_terrain_mesh *a);
bosc_status bi_terrain_cuda_count_triangles(bosc_ctx *ctx, const bi_terrain_mesh *a);
bosc_status bi_terrain_cuda_write_vertices(bosc_ctx *ctx, const bi_terrain_mesh *a);
bosc_status bi_terrain_cuda_write_triangles(bosc_ctx *ctx, const bi_terrain_mesh *a);

#endif
