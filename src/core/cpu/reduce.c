/* Reductions: totals of tiles in parallel, then the tree over the totals (core/tiles.h). */
#include "core/cpu/collectives.h"
#include "core/cpu/level.h"
#include "core/cpu/scan_kernels.h"

enum { TILES_A_CHUNK = 16 }; /* of a thread, at least: chosen */

/* The totals of tiles [begin, end) of n items. */
static void sum_tiles(const struct bi_scan_kernels *k, const void *in, int64_t n, int64_t begin, int64_t end,
                      void *totals)
{
    int64_t items = end * BI_TILE < n ? (end - begin) * BI_TILE : n - begin * BI_TILE;
    k->totals((const char *)in + (size_t)begin * BI_TILE * k->size, NULL, items,
              (char *)totals + (size_t)begin * k->size, NULL);
}

bosc_status bi_cpu_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    const struct bi_scan_kernels *k = &BI_LEVEL_PICK(ctx->level, bi_scan_table)->of[op][dtype - 1];
    if (n == 0) {
        k->empty(result);
        return BOSC_OK;
    }
    int64_t tiles = bi_div_up(n, BI_TILE);
    struct bi_mark mark = bi_arena_mark(ctx);
    void *totals;
    BI_TRY(bi_scratch(ctx, (size_t)tiles * k->size, &totals));
    struct bi_batches batch = bi_batches_of(ctx, tiles, (double)n / (double)tiles);
    while (bi_next_batch(ctx, &batch)) {
        int chunks = bi_thread_count(ctx, batch.end - batch.begin, TILES_A_CHUNK);
        BI_PARALLEL_FOR(chunks, (static), p, 0, chunks,
                        sum_tiles(k, in, n, batch.begin + bi_chunk_begin(batch.end - batch.begin, chunks, p),
                                  batch.begin + bi_chunk_begin(batch.end - batch.begin, chunks, p + 1), totals));
    }
    if (batch.status == BOSC_OK) k->total(totals, tiles, result);
    bi_arena_rewind(ctx, mark);
    return batch.status;
}
