/* Shared by components of graphs and of edge lists on the CPU. */
#ifndef BI_FOREST_CPU_COMPONENTS_H
#define BI_FOREST_CPU_COMPONENTS_H

#include "core/cpu/collectives.h"

enum { BI_COMPONENTS_GRAIN = BI_THREAD_ITEMS / 4 }; /* least vertices or entries of a thread */

/* Returns the root of most of a sample of vertices; all vertices must point at their roots. n: 1 or more. */
uint32_t bi_components_cpu_giant(const uint32_t *parent, int64_t n);

/* *count = the number of components: vertices that equal their label and that the mask leaves (NULL: all). */
bosc_status bi_components_cpu_count(bosc_ctx *ctx, int64_t n, const uint8_t *mask, const uint32_t *labels,
                                    int64_t *count);

#endif
