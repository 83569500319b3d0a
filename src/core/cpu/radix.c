/* Radix sorts: which way for which size. */
#include "core/call.h"
#include "core/cpu/radix.h"

enum { GRAIN = BI_THREAD_ITEMS / 2, CACHED = 1 << 16 };

static bosc_status sort(bosc_ctx *ctx, struct bi_radix_job *j)
{
    BI_TRY(bi_scratch(ctx, (size_t)j->n * j->k->key_size, &j->spare.keys));
    BI_TRY(bi_scratch(ctx, (size_t)j->n * j->k->value_size, &j->spare.values));
    if (j->n <= CACHED) {
        bi_radix_copy(j, j->in, j->out, j->n);
        bi_radix_sort_range(j, j->out, j->spare, j->n, false);
        return bi_advance(ctx, 8 * (double)j->n);
    }
    bool done;
    BI_TRY(bi_radix_split(ctx, j, &done));
    return done ? BOSC_OK : bi_radix_passes(ctx, j);
}

bosc_status bi_radix_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                int last_bit)
{
    if (n == 0) return BOSC_OK;
    struct bi_radix_job j = {.k = bi_radix_kernels(dtype, value_size),
                             .n = n,
                             .chunks = bi_thread_count(ctx, n, GRAIN),
                             .first_bit = first_bit,
                             .last_bit = last_bit,
                             .in = {(void *)(uintptr_t)keys, value_size ? (void *)(uintptr_t)values : NULL},
                             .out = {keys_out, value_size ? values_out : NULL}};
    BI_RETURN_WITH_SCRATCH(ctx, sort(ctx, &j));
}

bosc_status bi_cpu_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out, int first_bit,
                             int last_bit)
{
    return bi_radix_sort_pairs(ctx, dtype, keys, 0, NULL, n, out, NULL, first_bit, last_bit);
}
