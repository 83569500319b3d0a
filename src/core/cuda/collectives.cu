/* The table of the CUDA collectives. */
#include "core/cuda/collectives.cuh"

extern "C" const bi_core_ops bi_core_cuda = {
    bi_cuda_reduce,      bi_cuda_scan,          bi_cuda_scan_segmented, bi_cuda_compact,
    bi_cuda_histogram,   bi_cuda_split,         bi_cuda_sort_keys,      bi_cuda_sort_pairs,
    bi_cuda_merge_pairs, bi_cuda_search_sorted, bi_cuda_sort_superkey,  bi_cuda_check_offsets,
};
