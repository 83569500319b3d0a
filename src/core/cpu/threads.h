/* Divides loops among threads. */
#ifndef BI_CORE_CPU_THREADS_H
#define BI_CORE_CPU_THREADS_H

#ifdef _OPENMP
#include <omp.h>
#endif

#include "core/progress.h"

/* Number of the calling thread in its parallel loop. */
static inline int bi_thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* Number of the calling thread in a BI_PARALLEL_FOR of `threads` threads: 0 of one thread, also where the caller of the
 * library has a parallel region. */
static inline int bi_thread_of(int threads) { return threads == 1 ? 0 : bi_thread_number(); }

/* Number of chunks, one a thread, none smaller than `grain` items. A loop over chunks is correct with any number of
 * threads. */
static inline int bi_thread_count(const bosc_ctx *ctx, int64_t n, int64_t grain)
{
    int64_t most = n / grain;
    return most < 1 ? 1 : most < ctx->threads ? (int)most : ctx->threads;
}

/* The same for items that each cost as much as `cost` simple ones. */
static inline int bi_thread_count_by_cost(const bosc_ctx *ctx, int64_t n, int64_t cost)
{
    return bi_thread_count(ctx, n, cost < ctx->thread_items ? ctx->thread_items / cost : 1);
}

/* Runs a statement for i = begin to end - 1 on several threads; `schedule_` is OpenMP's schedule in parentheses. A
 * single thread does not enter OpenMP's runtime, which would make system calls. */
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

/* Bitwise or of an expression for i = begin to end - 1, into the variable `bits`. */
/* clang-format off */
#define BI_PARALLEL_OR(threads, bits, i, begin, end, ...) \
    BI_PARALLEL_FOR(threads, (static) reduction(| : bits), i, begin, end, bits |= (__VA_ARGS__))
/* clang-format on */

/* First item of chunk c of `chunks` among n items; it ends where chunk c + 1 begins. */
static inline int64_t bi_chunk_begin(int64_t n, int chunks, int c)
{
    int64_t each = n / chunks, remainder = n % chunks;
    return each * c + (c < remainder ? c : remainder);
}

/* Batches (core/progress.h) of chunks that threads process side by side: a batch is items p.begin to p.end - 1 of every
 * chunk. An item costs as much as `weight` simple ones. */
static inline struct bi_batches bi_chunk_batches(const bosc_ctx *ctx, int64_t n, int chunks, double weight)
{
    int64_t longest = n / chunks + (n % chunks != 0);
    return bi_batches_of(ctx, longest, longest && ctx->progress.active ? weight * (double)n / (double)longest : 1);
}

struct bi_span {
    int64_t begin, end;
};

/* The items of chunk c in batch p. */
static inline struct bi_span bi_batch_of_chunk(int64_t n, int chunks, int c, const struct bi_batches *p)
{
    int64_t begin = bi_chunk_begin(n, chunks, c), end = bi_chunk_begin(n, chunks, c + 1);
    return (struct bi_span){begin + p->begin < end ? begin + p->begin : end,
                            begin + p->end < end ? begin + p->end : end};
}

#endif
