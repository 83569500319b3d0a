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

/* The threads that n items are worth, each of which takes about as long as `cost` simple ones. */
static inline int bi_threads_worth(const bosc_ctx *ctx, int64_t n, int64_t cost)
{
    return bi_thread_count(ctx, n, cost < ctx->thread_items ? ctx->thread_items / cost : 1);
}

/* Runs a statement for i = begin to end - 1, by several threads as `schedule_`, in parentheses, says. One thread does
 * not enter OpenMP's runtime, which makes system calls even then. */
#define BI_PARALLEL_FOR(threads, schedule_, i, begin, end, ...)                     \
    do {                                                                            \
        const int bi_threads_ = (threads);                                          \
        if (bi_threads_ == 1) {                                                     \
            for (int64_t i = (begin); i < (end); i++) __VA_ARGS__;                  \
        } else {                                                                    \
            BI_PRAGMA(omp parallel for schedule schedule_ num_threads(bi_threads_)) \
            for (int64_t i = (begin); i < (end); i++) __VA_ARGS__;                  \
        }                                                                           \
    } while (0)
#define BI_PRAGMA(...) _Pragma(#__VA_ARGS__)

/* Adds what an expression gives for i = begin to end - 1 to the bits of the variable `bits`. */
/* clang-format off */
#define BI_PARALLEL_OR(threads, bits, i, begin, end, ...) \
    BI_PARALLEL_FOR(threads, (static) reduction(| : bits), i, begin, end, bits |= (__VA_ARGS__))
/* clang-format on */

/* Where chunk c of `chunks` begins among n items; it ends where c + 1 begins. */
static inline int64_t bi_chunk_begin(int64_t n, int chunks, int c)
{
    int64_t each = n / chunks, rest = n % chunks;
    return each * c + (c < rest ? c : rest);
}

/* Chunks that are passed over side by side, each by a thread in its order, are cut into parts too (core/progress.h):
 * part p of all chunks is items p.begin to p.end - 1 of each. An item takes as long as `weight` simple ones. */
static inline struct bi_parts bi_chunk_parts(const bosc_ctx *ctx, int64_t n, int chunks, double weight)
{
    int64_t longest = n / chunks + (n % chunks != 0);
    return bi_parts_of(ctx, longest, longest && ctx->progress.listens ? weight * (double)n / (double)longest : 1);
}

struct bi_span {
    int64_t begin, end;
};

/* Part p of chunk c. */
static inline struct bi_span bi_chunk_part(int64_t n, int chunks, int c, const struct bi_parts *p)
{
    int64_t begin = bi_chunk_begin(n, chunks, c), end = bi_chunk_begin(n, chunks, c + 1);
    return (struct bi_span){begin + p->begin < end ? begin + p->begin : end,
                            begin + p->end < end ? begin + p->end : end};
}

#endif
