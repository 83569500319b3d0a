/* Sorts of pairs as 64-bit words. */
#ifndef BI_CORE_CPU_SORT_PAIRS_H
#define BI_CORE_CPU_SORT_PAIRS_H

#include "core/cpu/radix_job.h"

/* Sorts pairs by whole keys of 4 bytes as 64-bit words. *done is false, and nothing written, if the level has no such
 * kernels, there are too many pairs, or keys differ in too few bits or too unevenly, so that digits are faster. */
bosc_status bi_radix_sort_pairs_as_words(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done);

#endif
