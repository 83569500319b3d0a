/* What cell graphs do on the CPU, other than by steps. */
#ifndef BI_CELLGRAPH_CPU_H
#define BI_CELLGRAPH_CPU_H

#include "cellgraph/driver.h"

bosc_status bi_cell_cpu_join(bosc_ctx *ctx, const struct bi_cell_segments *all);
bosc_status bi_cell_cpu_search(bosc_ctx *ctx, const struct bi_cell_search *search);

#endif
