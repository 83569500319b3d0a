/* The CUDA collectives: CUB where it serves (cub_*.cu), ours where order must be fixed. */
#ifndef BI_CORE_CUDA_COLLECTIVES_CUH
#define BI_CORE_CUDA_COLLECTIVES_CUH

#include "core/backend.h"

extern "C" const bi_core_ops bi_core_cuda;

#endif
