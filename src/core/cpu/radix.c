/* Radix sorts: which way for which size. */
#include "core/call.h"
#include "core/cpu/level.h"
#include "core/cpu/radix.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 2,
    WORDS = 1 << 24 /* keys that one thread sorts at once, if nobody listens */
};

static void sort_cached(const struct bi_radix_job *j)
{
    const struct bi_radix_arrays from = bi_radix_sorts_words(j) || !j->vectors->rows ? j->in : bi_radix_apart(j);
    if (bi_radix_sort_vectors(j, from, j->out, j->spare, j->n)) return;
    bi_radix_copy(j, from, j->out, j->n);
    bi_radix_sort_digits(j, j->out, j->spare, j->n, false);
}

static bosc_status sort(bosc_ctx *ctx, struct bi_radix_job *j)
{
    BI_TRY(bi_scratch(ctx, (size_t)j->n * j->k->key_size, &j->spare.keys));
    BI_TRY(bi_scratch(ctx, (size_t)j->n * j->k->value_size, &j->spare.values));
    const bool words = bi_radix_sorts_words(j);
    const bool at_once = j->chunks == 1 && !ctx->progress.listens;
    if (j->n <= (words && at_once ? WORDS : bi_radix_cached(j))) {
        sort_cached(j);
        return bi_progress_advance(ctx, 8 * (double)j->n);
    }
    bool done = false;
    if (j->pairs) BI_TRY(bi_radix_sort_wide_pairs(ctx, j, &done));
    if (words) BI_TRY(bi_radix_sort_groups(ctx, j, &done));
    if (done) return BOSC_OK;
    BI_TRY(bi_radix_split(ctx, j, &done));
    return done ? BOSC_OK : bi_radix_passes(ctx, j);
}

/* NULL if a level has none for such pairs. */
static const struct bi_pair_kernels *pair_kernels(const bosc_ctx *ctx, bosc_dtype dtype, size_t value_size,
                                                  int first_bit, int last_bit)
{
    const struct bi_pair_table *table = BI_LEVEL_PICK(ctx->level, bi_pair_table);
    if (!table->of[0].pairs || bosc_dtype_size(dtype) != 4 || !value_size || first_bit > 0 || last_bit < 32)
        return NULL;
    return &table->of[dtype == BOSC_U32 ? 0 : dtype == BOSC_I32 ? 1 : 2];
}

bosc_status bi_radix_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                int last_bit)
{
    if (n == 0) return BOSC_OK;
    struct bi_radix_job j = {.k = &BI_LEVEL_PICK(ctx->level, bi_radix_table)->of[dtype - 1][value_size / 4],
                             .vectors = BI_LEVEL_PICK(ctx->level, bi_sort_kernels),
                             .pairs = pair_kernels(ctx, dtype, value_size, first_bit, last_bit),
                             .words = bosc_dtype_size(dtype) == 4 ? &BI_LEVEL_PICK(ctx->level, bi_sort_kernels)->words
                                                                  : BI_LEVEL_PICK(ctx->level, bi_wide_kernels),
                             .dtype = dtype,
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
