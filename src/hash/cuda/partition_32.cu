/* Radix partition of keys of 32 bits: a file of its own, since copies of kernels take long to compile. */
#include "hash/cuda/partition_kernels.cuh"

template bosc_status bi_hash_partition_pairs<uint32_t, bi_hash_no_value>(bosc_ctx *, const struct bi_hash_shape *,
                                                                         const void *, const void *, int64_t,
                                                                         struct bi_hash_lists *);
template bosc_status bi_hash_partition_pairs<uint32_t, uint32_t>(bosc_ctx *, const struct bi_hash_shape *, const void *,
                                                                 const void *, int64_t, struct bi_hash_lists *);
template bosc_status bi_hash_partition_pairs<uint32_t, uint64_t>(bosc_ctx *, const struct bi_hash_shape *, const void *,
                                                                 const void *, int64_t, struct bi_hash_lists *);
