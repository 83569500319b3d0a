/* Radix sort from the least significant digit. */
#ifndef BI_CORE_CPU_RADIX_PASSES_H
#define BI_CORE_CPU_RADIX_PASSES_H

#include "core/cpu/radix_job.h"

/* Sorts from the least significant digit up, all threads in each pass. */
bosc_status bi_radix_passes(bosc_ctx *ctx, const struct bi_radix_job *j);

#endif
