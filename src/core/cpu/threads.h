/* How many threads a loop gets, and which items each of them. */
#ifndef BI_CORE_CPU_THREADS_H
#define BI_CORE_CPU_THREADS_H

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

/* Work is cut into chunks, one a thread, none smaller than `grain` items. A loop over the chunks is correct
 * whatever number of threads runs it. */
static inline int bi_thread_count(const bosc_ctx *ctx, int64_t n, int64_t grain)
{
    int64_t most = n / grain;
    return most < 1 ? 1 : most < ctx->threads ? (int)most : ctx->threads;
}

/* Where chunk c of `chunks` begins among n items; it ends where c + 1 begins. */
static inline int64_t bi_chunk_begin(int64_t n, int chunks, int c)
{
    int64_t each = n / chunks, rest = n % chunks;
    return each * c + (c < rest ? c : rest);
}

#endif
