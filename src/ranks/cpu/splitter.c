/* Splitters of sorted arrays. The splitter's key is the greatest one with at most `position` keys below it. Its bits
 * are found from the highest unknown one down. */
#include "ranks/cpu/splitter.h"

#include "core/steps.h"

/* Returns the number of low bits in which keys may differ: all keys share the bits above. *highest: the greatest key.
 * Both are 0 if all arrays are empty. */
static int count_unknown_bits(const struct bi_ranks_splitter *s, uint64_t *highest)
{
    uint64_t lowest = UINT64_MAX;
    *highest = 0;
    for (int32_t q = 0; q < s->count; q++) {
        if (s->n[q] == 0) continue;
        const uint64_t first = bi_ranks_key_at(s->dtype, s->keys[q], 0);
        const uint64_t last = bi_ranks_key_at(s->dtype, s->keys[q], s->n[q] - 1);
        if (first < lowest) lowest = first;
        if (last > *highest) *highest = last;
    }
    return lowest > *highest ? 0 : bi_bit_length(lowest ^ *highest);
}

/* memory: (3, count). */
static void find_splitter(const struct bi_ranks_splitter *s, int64_t *memory)
{
    /* low[q]: keys of array q less than `key`. high[q]: keys less than key + 2^b, where b low bits are unknown.
     * less[q]: keys less than the candidate. */
    int64_t *low = memory, *high = low + s->count, *less = high + s->count;
    uint64_t key;
    const int unknown = count_unknown_bits(s, &key);
    for (int32_t q = 0; q < s->count; q++) low[q] = 0, high[q] = s->n[q];
    key = unknown == 64 ? 0 : key >> unknown << unknown; /* a shift by 64 is undefined */
    for (int bit = unknown - 1; bit >= 0; bit--) {
        const uint64_t candidate = key | (uint64_t)1 << bit;
        int64_t sum = 0;
        for (int32_t q = 0; q < s->count; q++)
            sum += less[q] = bi_ranks_count_less(s->dtype, s->keys[q], low[q], high[q], candidate);
        /* The bit is 1 if at most `position` keys are less than the candidate. */
        if (sum <= s->position) key = candidate;
        for (int32_t q = 0; q < s->count; q++) *(sum <= s->position ? &low[q] : &high[q]) = less[q];
    }
    bi_ranks_assign_equal(s->count, s->position, low, high, s->positions);
}

static bosc_status find_in_scratch(bosc_ctx *ctx, const struct bi_ranks_splitter *s)
{
    int64_t *memory;
    BI_TRY(bi_scratch_of(ctx, 3 * (int64_t)s->count, sizeof *memory, &memory));
    find_splitter(s, memory);
    return BOSC_OK;
}

bosc_status bi_ranks_cpu_find_splitter(bosc_ctx *ctx, const struct bi_ranks_splitter *s)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "find_splitter: injected fault");
    BI_RETURN_WITH_SCRATCH(ctx, find_in_scratch(ctx, s));
}
