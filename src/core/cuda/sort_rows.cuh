/* Sorts long rows of answers on the device. */
#ifndef BI_CORE_CUDA_SORT_ROWS_CUH
#define BI_CORE_CUDA_SORT_ROWS_CUH

#include "core/cuda/launch.cuh"
#include "core/csr_row_out.h"

/* Orders the listed rows by id (bi_row_list_long); row r has the entries offsets[r] to offsets[r + 1] - 1 of `rows`,
 * whose `at` is ignored. */
bosc_status bi_cuda_sort_rows(bosc_ctx *ctx, const bi_row_out *rows, const int64_t *offsets, const uint32_t *list);

#endif
