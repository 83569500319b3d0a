/* The table of the CPU collectives, and the check of offsets, a step. */
#include "core/cpu/collectives.h"

#include "core/core_steps.h"
#include "core/steps.h"

BI_QUICK_STEP_CPU(ascending, struct bi_ascending)

bosc_status bi_cpu_check_offsets(bosc_ctx *ctx, const int64_t *offsets, int64_t rows, int64_t *bad)
{
    const struct bi_ascending args = {offsets, bad};
    return cpu_step_ascending(ctx, rows, &args);
}

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
    .iota = bi_cpu_iota,
    .check_offsets = bi_cpu_check_offsets,
};
