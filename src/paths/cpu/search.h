/* Shared by the CPU's searches. */
#ifndef BI_PATHS_CPU_SEARCH_H
#define BI_PATHS_CPU_SEARCH_H

#include "paths/paths.h"

enum { BI_PATHS_HEAP_VERTICES = 1 << 10 }; /* graphs of up to this many vertices are searched by Dijkstra's algorithm */

/* Dijkstra's algorithm with a heap of the vertices reached. Allocates scratch. */
bosc_status bi_paths_cpu_dijkstra(bosc_ctx *ctx, const struct bi_paths_search *search);

#endif
