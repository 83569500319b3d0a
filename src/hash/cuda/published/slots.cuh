/* The slots layouts on CUDA: entries of bi_hash_ops_cuda. */
#ifndef BI_HASH_CUDA_PUBLISHED_SLOTS_CUH
#define BI_HASH_CUDA_PUBLISHED_SLOTS_CUH

#include "core/cuda/launch.cuh"
#include "hash/slots.h"

bosc_status bi_hash_fill_slots_cuda(bosc_ctx *, const bi_hash_slots_fill *);
/* Looks keys up in an ordered table; *done: false if its pairs have other sizes than these kernels take. */
bosc_status bi_hash_find_ordered_cuda(bosc_ctx *, const bi_hash_slots_find *, int64_t query_count, bool *done);
bosc_status bi_hash_find_slots_cuda(bosc_ctx *, const bi_hash_slots_find *, int64_t query_count);

#endif
