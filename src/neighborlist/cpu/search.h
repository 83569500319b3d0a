/* Searches of neighbour lists on the CPU, by vectors. */
#ifndef BI_NEIGHBORLIST_CPU_SEARCH_H
#define BI_NEIGHBORLIST_CPU_SEARCH_H

#include "core/cpu/level.h"
#include "core/cpu/threads.h"
#include "neighborlist/steps/steps.h"

struct bi_neighborlist_search_kernels {
    /* As the steps count_row and fill_row, for the atoms at positions of a part. */
    void (*count)(const struct bi_neighborlist_search *a, struct bi_span part);
    void (*fill)(const struct bi_neighborlist_search *a, struct bi_span part);
};

extern const struct bi_neighborlist_search_kernels bi_neighborlist_search_kernels_v1, bi_neighborlist_search_kernels_v3,
    bi_neighborlist_search_kernels_v4;

/* As the steps count_row and fill_row. */
bosc_status bi_neighborlist_cpu_count_rows(bosc_ctx *ctx, int64_t n, const void *args);
bosc_status bi_neighborlist_cpu_fill_rows(bosc_ctx *ctx, int64_t n, const void *args);

#endif
