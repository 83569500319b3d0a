/* A lane group fills one run of slots: the threads of a block on the device, one thread on the CPU. Code in these terms
 * is compiled for both. */
#ifndef BI_HASH_STEPS_LANE_GROUP_H
#define BI_HASH_STEPS_LANE_GROUP_H

#include <stdbool.h>

#include "base/step.h"

#ifdef BI_CORE_CUDA_SIMT_CUH /* in .cu files, which include it first */
#define BI_LANE_GROUP_FN __device__ static __forceinline__
#define BI_LANE threadIdx.x
#define BI_LANES blockDim.x
BI_LANE_GROUP_FN void bi_lane_group_sync(void) { __syncthreads(); }
/* Returns true in all lanes if one lane passes true; also a barrier. */
BI_LANE_GROUP_FN bool bi_lane_group_any(bool own) { return __syncthreads_or(own); }
/* Returns a word whose bit i is the value of lane i. For one warp. */
BI_LANE_GROUP_FN uint32_t bi_lane_group_ballot(bool own) { return __ballot_sync(~0u, own); }
BI_LANE_GROUP_FN uint32_t bi_lane_group_first(uint32_t lanes) { return (uint32_t)__ffs((int)lanes) - 1; }
/* Returns the sum over the lower lanes. For one warp. */
BI_LANE_GROUP_FN uint32_t bi_lane_group_exclusive_sum(uint32_t own) { return bi_warp_inclusive_sum(own) - own; }
BI_LANE_GROUP_FN void bi_lane_group_max(uint32_t *to, uint32_t value) { atomicMax(to, value); }
BI_LANE_GROUP_FN void bi_lane_group_min(uint32_t *to, uint32_t value) { atomicMin(to, value); }
BI_LANE_GROUP_FN uint32_t bi_lane_group_add(uint32_t *to, uint32_t value) { return atomicAdd(to, value); }
BI_LANE_GROUP_FN void bi_lane_group_or(uint32_t *to, uint32_t bits) { atomicOr(to, bits); }
#else
#define BI_LANE_GROUP_FN BI_FN
#define BI_LANE 0u
#define BI_LANES 1u
BI_LANE_GROUP_FN void bi_lane_group_sync(void) {}
BI_LANE_GROUP_FN bool bi_lane_group_any(bool own) { return own; }
BI_LANE_GROUP_FN uint32_t bi_lane_group_ballot(bool own) { return own; }
BI_LANE_GROUP_FN uint32_t bi_lane_group_first(uint32_t lanes)
{
    (void)lanes;
    return 0;
}
BI_LANE_GROUP_FN uint32_t bi_lane_group_exclusive_sum(uint32_t own)
{
    (void)own;
    return 0;
}
BI_LANE_GROUP_FN void bi_lane_group_max(uint32_t *to, uint32_t value)
{
    if (value > *to) *to = value;
}
BI_LANE_GROUP_FN void bi_lane_group_min(uint32_t *to, uint32_t value)
{
    if (value < *to) *to = value;
}
BI_LANE_GROUP_FN uint32_t bi_lane_group_add(uint32_t *to, uint32_t value)
{
    uint32_t old = *to;
    *to += value;
    return old;
}
BI_LANE_GROUP_FN void bi_lane_group_or(uint32_t *to, uint32_t bits) { *to |= bits; }
#endif

#endif
