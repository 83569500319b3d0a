/* Sample sort of many keys in vectors. */
#ifndef BI_CORE_CPU_SAMPLE_SORT_H
#define BI_CORE_CPU_SAMPLE_SORT_H

#include "core/cpu/radix_job.h"

/* Sorts many keys without values in vectors, all threads. *done is false, and the output not written, if the order of
 * zeros would be lost. */
bosc_status bi_sample_sort(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done);

#endif
