/* Counting equal values: blocks of them are checked in vectors and then counted without branches. */
#include "core/cpu/count_kernels.h"

#include <string.h>

#include "core/cpu/level.h"

/* Equal values that follow each other wait for the count in memory: few bins have several sets of counts, in turn. */
enum { BLOCK = 1024, SETS = 4, FEW = 512, ITEMS_A_BIN = 32 };

static uint32_t most_of(const uint32_t *bins, int64_t n)
{
    uint32_t most = 0;
    if (n == BLOCK) /* a length that compilers know, for vectors */
        for (int i = 0; i < BLOCK; i++) most = bins[i] > most ? bins[i] : most;
    else
        for (int64_t i = 0; i < n; i++) most = bins[i] > most ? bins[i] : most;
    return most;
}

/* Counts into sets that lie `stride` apart; 0: into one. */
static bool count_sets(const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts, int64_t stride)
{
    for (int64_t i = 0; i < n;) {
        const int64_t end = n - i < BLOCK ? n : i + BLOCK;
        if (most_of(bins + i, end - i) >= n_bins) return false;
        for (; i + SETS <= end; i += SETS)
            for (int s = 0; s < SETS; s++) counts[s * stride + bins[i + s]]++;
        for (; i < end; i++) counts[bins[i]]++;
    }
    return true;
}

static bool count(const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts)
{
    if (n_bins > FEW || n < ITEMS_A_BIN * n_bins) return count_sets(bins, n, n_bins, counts, 0);
    int64_t sets[SETS * FEW];
    memset(sets, 0, (size_t)(SETS * n_bins) * sizeof *sets);
    if (!count_sets(bins, n, n_bins, sets, n_bins)) return false;
    for (int64_t b = 0; b < n_bins; b++)
        for (int s = 0; s < SETS; s++) counts[b] += sets[s * n_bins + b];
    return true;
}

const struct bi_count_kernels BI_LEVEL_NAME(bi_count_kernels) = {count};
