/* Histograms: separate counts of each chunk if they fit, else one set of counts with atomic additions. */
#include <string.h>

#include "core/call.h"
#include "core/cpu/collectives.h"
#include "core/cpu/kernels.h"
#include "core/cpu/level.h"

enum { GRAIN = BI_THREAD_ITEMS / 2 };

/* Counts chunks of the array separately and adds the counts. *found: a bin is out of range. */
static bosc_status count_per_chunk(bosc_ctx *ctx, const struct bi_count_kernels *k, const uint32_t *bins, int64_t n,
                                   int64_t n_bins, int64_t *counts, int chunks, bool *found)
{
    int64_t *own;
    int bad = 0;
    BI_TRY(bi_scratch_of(ctx, n_bins * chunks, sizeof *own, &own));
    struct bi_batches p = bi_chunk_batches(ctx, n, chunks, 1);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(chunks) reduction(| : bad)
        for (int c = 0; c < chunks; c++) {
            struct bi_span part = bi_batch_of_chunk(n, chunks, c, &p);
            if (p.begin == 0) memset(own + c * n_bins, 0, (size_t)n_bins * sizeof *own);
            bad |= !k->count(bins + part.begin, part.end - part.begin, n_bins, own + c * n_bins);
        }
    }
    if (p.status != BOSC_OK) return p.status;
    int adders = bi_thread_count(ctx, n_bins * chunks, GRAIN); /* waking threads does not pay for few counts */
    BI_PARALLEL_FOR(adders, (static), b, 0, n_bins, {
        int64_t sum = 0;
        for (int c = 0; c < chunks; c++) sum += own[c * n_bins + b];
        counts[b] = sum;
    });
    *found = bad;
    return BOSC_OK;
}

/* Returns true if a bin is out of range. */
static bool count_atomically(const uint32_t *bins, int64_t begin, int64_t end, int64_t n_bins, int64_t *counts,
                             int chunks)
{
    int bad = 0;
#pragma omp parallel for schedule(static) num_threads(chunks) reduction(| : bad)
    for (int64_t i = begin; i < end; i++) {
        if (bins[i] >= n_bins) {
            bad = 1;
            continue;
        }
#pragma omp atomic
        counts[bins[i]]++;
    }
    return bad;
}

bosc_status bi_cpu_histogram(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts,
                             uint32_t *bad)
{
    int chunks = bi_thread_count(ctx, n, GRAIN);
    const struct bi_count_kernels *k = BI_LEVEL_PICK(ctx->level, bi_count_kernels);
    bool found = false;
    bosc_status status;
    if (chunks > 1 && n_bins * chunks <= n) {
        BI_WITH_SCRATCH(ctx, status = count_per_chunk(ctx, k, bins, n, n_bins, counts, chunks, &found));
    } else {
        memset(counts, 0, (size_t)n_bins * sizeof *counts);
        struct bi_batches p = bi_batches_of(ctx, n, 1);
        while (bi_next_batch(ctx, &p))
            found |= chunks > 1 ? count_atomically(bins, p.begin, p.end, n_bins, counts, chunks)
                                : !k->count(bins + p.begin, p.end - p.begin, n_bins, counts);
        status = p.status;
    }
    if (found) *bad = 1;
    return status;
}
