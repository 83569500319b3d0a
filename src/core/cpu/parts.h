/* How many threads a piece of work is worth. */
#ifndef BI_CORE_CPU_PARTS_H
#define BI_CORE_CPU_PARTS_H

#ifdef _OPENMP
#include <omp.h>
#endif

#include "core/context.h"

/* Of the calling thread among those of its loop. */
static inline int bi_thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* Work is cut into parts, one for each thread, but none smaller than `grain`. A loop over the parts is correct
 * whatever number of threads runs it. */
static inline int bi_parts(const bosc_ctx *ctx, int64_t n, int64_t grain)
{
    int64_t most = n / grain;
    return most < 1 ? 1 : most < ctx->threads ? (int)most : ctx->threads;
}

/* Where part p of `parts` begins among n items; part p ends where p + 1 begins. */
static inline int64_t bi_part_begin(int64_t n, int parts, int p)
{
    int64_t each = n / parts, rest = n % parts;
    return each * p + (p < rest ? p : rest);
}

#endif
