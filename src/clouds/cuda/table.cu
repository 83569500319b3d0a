/* CUDA's table of batches of clouds. */
#define BI_STEP_ROOM clouds

#include "core/cuda/sort_rows.cuh"
#include "core/cuda/steps.cuh"
#include "clouds/cuda/clouds.cuh"

#define STEP_LIST "clouds/steps/steps.def"
#define STEP_TABLE static const bi_clouds_steps cuda_steps
#include "core/step_table.inc"

/* SORT_FROM: the threads of a warp read the same few points of small clouds at once; not measured. */
#ifdef BI_EMULATE /* small, so that some cases exceed it */
enum { SORT_FROM = 40 };
#else
enum { SORT_FROM = 512 };
#endif

extern "C" const bi_clouds_ops bi_clouds_ops_cuda = {
    &cuda_steps,           SORT_FROM,        bi_cuda_clouds_extent, bi_cuda_clouds_knn, bi_cuda_clouds_sample,
    bi_cuda_clouds_radius, bi_cuda_sort_rows};
