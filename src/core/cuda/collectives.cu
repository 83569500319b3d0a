/* The table of the CUDA collectives. */
#include "core/cuda/collectives.cuh"

extern "C" const bi_core_ops bi_core_cuda = {};
