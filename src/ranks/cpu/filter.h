/* Candidates for the medians of a k-d tree over ranks, on the CPU (ranks/steps/kdtree_build.h). */
#ifndef BI_RANKS_CPU_FILTER_H
#define BI_RANKS_CPU_FILTER_H

#include "ranks/steps/steps.h"

bosc_status bi_ranks_cpu_find_box(bosc_ctx *ctx, const struct bi_ranks_kdtree_box *rows, uint64_t *box);
bosc_status bi_ranks_cpu_filter_points(bosc_ctx *ctx, const struct bi_ranks_kdtree_filter *filter);

#endif
