/* Ranks of queries among sorted keys: branch-free binary searches, several interleaved so that their memory accesses
 * overlap. */
#include "core/cpu/collectives.h"
#include "core/cpu/key_types.h"

enum { GRAIN = BI_THREAD_ITEMS / 32, INTERLEAVED = 8 /* searches: chosen */ };

/* Queries [begin, end). */
typedef void (*search_fn)(const void *keys, int64_t n, const void *queries, int64_t begin, int64_t end, int64_t *ranks);

#define SEARCH(kind, key_t)                                                                                 \
    static void search_##kind(const void *keys, int64_t n, const void *queries, int64_t begin, int64_t end, \
                              int64_t *ranks)                                                               \
    {                                                                                                       \
        const key_t *sorted = keys, *values = queries;                                                      \
        for (; begin < end; begin += INTERLEAVED) {                                                         \
            const int count = end - begin < INTERLEAVED ? (int)(end - begin) : INTERLEAVED;                 \
            key_t targets[INTERLEAVED];                                                                     \
            int64_t low[INTERLEAVED];                                                                       \
            for (int q = 0; q < count; q++) {                                                               \
                targets[q] = ORDERED_##kind(values[begin + q]);                                             \
                low[q] = 0;                                                                                 \
            }                                                                                               \
            for (int64_t left = n; left > 0;) { /* the rank is in low to low + left */                      \
                const int64_t half = left - left / 2;                                                       \
                for (int q = 0; q < count; q++)                                                             \
                    low[q] += ORDERED_##kind(sorted[low[q] + half - 1]) < targets[q] ? half : 0;            \
                left -= half;                                                                               \
            }                                                                                               \
            for (int q = 0; q < count; q++) ranks[begin + q] = low[q];                                      \
        }                                                                                                   \
    }
EACH_KEY(SEARCH)

static const search_fn searches[] = {search_f32, search_f64, search_i32, search_i64, search_u32, search_u64};

bosc_status bi_cpu_search_sorted(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, const void *queries,
                                 int64_t query_count, int64_t *ranks)
{
    const search_fn search = searches[dtype - 1];
    struct bi_batches batch = bi_batches_of(ctx, query_count, 16);
    while (bi_next_batch(ctx, &batch)) {
        const int64_t count = batch.end - batch.begin;
        const int chunks = bi_thread_count(ctx, count, GRAIN);
        BI_PARALLEL_FOR(chunks, (static), p, 0, chunks,
                        search(keys, n, queries, batch.begin + bi_chunk_begin(count, chunks, p),
                               batch.begin + bi_chunk_begin(count, chunks, p + 1), ranks));
    }
    return batch.status;
}
