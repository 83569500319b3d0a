/* What components of graphs and of entries share on the CPU. */
#ifndef BI_FOREST_CPU_COMPONENTS_H
#define BI_FOREST_CPU_COMPONENTS_H

#include "core/cpu/collectives.h"

enum { BI_COMPONENTS_GRAIN = BI_THREAD_ITEMS / 4 }; /* vertices, or as many entries, that a thread is worth */

/* The root of most of the sampled vertices, which point at their roots. n: 1 or more. */
uint32_t bi_components_cpu_giant(const uint32_t *parent, int64_t n);

/* The number of components: vertices that are their own label, if they are there (mask NULL: all are). */
bosc_status bi_components_cpu_count(bosc_ctx *ctx, int64_t n, const uint8_t *mask, const uint32_t *labels,
                                    int64_t *count);

#endif
