/* The table of the CPU's collectives. */
#include "core/cpu/collectives.h"

const struct bi_core_ops bi_core_cpu = {
    .reduce = bi_cpu_reduce,
    .scan = bi_cpu_scan,
    .scan_segmented = bi_cpu_scan_segmented,
    .compact = bi_cpu_compact,
    .histogram = bi_cpu_histogram,
    .split = bi_cpu_split,
    .sort_keys = bi_cpu_sort_keys,
    .sort_pairs = bi_cpu_sort_pairs,
    .merge_pairs = bi_cpu_merge_pairs,
    .search_sorted = bi_cpu_search_sorted,
    .sort_superkey = bi_cpu_sort_superkey,
    .check_offsets = bi_cpu_check_offsets,
};
