/* Histograms: counts of each chunk's own where they fit, else one set of counts added to atomically. */
#include <string.h>

#include "core/cpu/collectives.h"

enum { GRAIN = 1 << 14 };

/* Counts of chunks of the array, and then their sums. */
static bool count_apart(const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts, int64_t *own, int chunks)
{
    int bad = 0;
#pragma omp parallel num_threads(chunks) reduction(| : bad)
    {
#pragma omp for schedule(static)
        for (int p = 0; p < chunks; p++) {
            int64_t *mine = own + (int64_t)p * n_bins;
            memset(mine, 0, (size_t)n_bins * sizeof *mine);
            for (int64_t i = bi_chunk_begin(n, chunks, p); i < bi_chunk_begin(n, chunks, p + 1); i++)
                if (bins[i] < n_bins)
                    mine[bins[i]]++;
                else
                    bad = 1;
        }
#pragma omp for schedule(static)
        for (int64_t b = 0; b < n_bins; b++) {
            int64_t sum = 0;
            for (int p = 0; p < chunks; p++) sum += own[(int64_t)p * n_bins + b];
            counts[b] = sum;
        }
    }
    return bad;
}

static bool count_together(const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts, int chunks)
{
    int bad = 0;
#pragma omp parallel for schedule(static) num_threads(chunks) reduction(| : bad)
    for (int64_t i = 0; i < n; i++) {
        if (bins[i] >= n_bins) {
            bad = 1;
            continue;
        }
#pragma omp atomic
        counts[bins[i]]++;
    }
    return bad;
}

static bool count_alone(const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts)
{
    bool bad = false;
    for (int64_t i = 0; i < n; i++)
        if (bins[i] < n_bins)
            counts[bins[i]]++;
        else
            bad = true;
    return bad;
}

bosc_status bi_cpu_histogram(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts,
                             uint32_t *bad)
{
    int chunks = bi_thread_count(ctx, n, GRAIN);
    bool found;
    if (chunks > 1 && n_bins * chunks <= n) {
        struct bi_mark mark = bi_arena_mark(ctx);
        void *own;
        BI_TRY(bi_scratch(ctx, (size_t)n_bins * (size_t)chunks * sizeof(int64_t), &own));
        found = count_apart(bins, n, n_bins, counts, own, chunks);
        bi_arena_rewind(ctx, mark);
    } else {
        memset(counts, 0, (size_t)n_bins * sizeof *counts);
        found = chunks > 1 ? count_together(bins, n, n_bins, counts, chunks) : count_alone(bins, n, n_bins, counts);
    }
    if (found) *bad = 1;
    return bi_advance(ctx, (double)n);
}
