/* Splitters of sorted arrays on the CPU (ranks/prims/splitter.h). */
#ifndef BI_RANKS_CPU_SPLITTER_H
#define BI_RANKS_CPU_SPLITTER_H

#include "ranks/prims/splitter.h"

/* Writes s->positions. Local to this rank; no rank changes the arrays during the call. */
bosc_status bi_ranks_cpu_find_splitter(bosc_ctx *ctx, const struct bi_ranks_splitter *s);

#endif
