/* The fused build of keys of 32 bits: a file of its own, since copies of kernels take long to compile. */
#include "hash/cuda/build_kernels.cuh"

template bosc_status bi_hash_launch_fused<uint32_t, bi_hash_no_value>(bosc_ctx *, const bosc_hash *, const void *,
                                                                      const void *, bool, int64_t,
                                                                      struct bi_hash_completion *,
                                                                      enum bi_hash_outcome *);
template bosc_status bi_hash_launch_fused<uint32_t, uint32_t>(bosc_ctx *, const bosc_hash *, const void *, const void *,
                                                              bool, int64_t, struct bi_hash_completion *,
                                                              enum bi_hash_outcome *);
template bosc_status bi_hash_launch_fused<uint32_t, uint64_t>(bosc_ctx *, const bosc_hash *, const void *, const void *,
                                                              bool, int64_t, struct bi_hash_completion *,
                                                              enum bi_hash_outcome *);
