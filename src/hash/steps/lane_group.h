/* The lanes that fill one run of slots together: the threads of a block on the device, one thread on the CPU. Code in
 * these terms is compiled for both. */
#ifndef BI_HASH_STEPS_LANE_GROUP_H
#define BI_HASH_STEPS_LANE_GROUP_H

#include <stdbool.h>

#include "base/step.h"

#ifdef BI_CORE_CUDA_SIMT_CUH /* in .cu files, which include it first */
#define BI_LANE_GROUP_FN __device__ static __forceinline__
#define BI_LANE threadIdx.x
#define BI_LANES blockDim.x
BI_LANE_GROUP_FN void bi_lane_group_sync(void) { __syncthreads(); }
/* Whether it is so for one of the lanes; a barrier too. */
BI_LANE_GROUP_FN bool bi_lane_group_any(bool mine) { return __syncthreads_or(mine); }
/* Bit i is the value of lane i. For one warp. */
BI_LANE_GROUP_FN uint32_t bi_lane_group_ballot(bool mine) { return __ballot_sync(~0u, mine); }
BI_LANE_GROUP_FN uint32_t bi_lane_group_first(uint32_t lanes) { return (uint32_t)__ffs((int)lanes) - 1; }
/* The sum over the lanes before this one. For one warp. */
BI_LANE_GROUP_FN uint32_t bi_lane_group_exclusive_sum(uint32_t mine) { return bi_warp_inclusive_sum(mine) - mine; }
BI_LANE_GROUP_FN void bi_lane_group_max(uint32_t *to, uint32_t value) { atomicMax(to, value); }
BI_LANE_GROUP_FN void bi_lane_group_min(uint32_t *to, uint32_t value) { atomicMin(to, value); }
BI_LANE_GROUP_FN uint32_t bi_lane_group_add(uint32_t *to, uint32_t value) { return atomicAdd(to, value); }
BI_LANE_GROUP_FN void bi_lane_group_or(uint32_t *to, uint32_t bits) { atomicOr(to, bits); }
#else
#define BI_LANE_GROUP_FN BI_FN
#define BI_LANE 0u
#define BI_LANES 1u
BI_LANE_GROUP_FN void bi_lane_group_sync(void) {}
BI_LANE_GROUP_FN bool bi_lane_group_any(bool mine) { return mine; }
BI_LANE_GROUP_FN uint32_t bi_lane_group_ballot(bool mine) { return mine; }
BI_LANE_GROUP_FN uint32_t bi_lane_group_first(uint32_t lanes)
{
    (void)lanes;
    return 0;
}
BI_LANE_GROUP_FN uint32_t bi_lane_group_exclusive_sum(uint32_t mine)
{
    (void)mine;
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
