/* Radix sorts: which way for which size. */
#include "core/call.h"
#include "core/cpu/level.h"
#include "core/cpu/radix.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 2,
    WORDS = 1 << 24,     /* keys that one thread sorts at once, if nobody listens */
    WIDE_PAIRS = 1 << 20 /* and pairs */
};

/* The input, or a copy of it if it is the output too. */
static struct bi_radix_arrays apart(const struct bi_radix_job *j)
{
    const bool in_place = j->in.keys == j->out.keys || (j->k->value_size && j->in.values == j->out.values);
    if (!in_place) return j->in;
    bi_radix_copy(j, j->in, j->spare, j->n);
    return j->spare;
}

static bosc_status sort_wide_pairs(bosc_ctx *ctx, const struct bi_radix_job *j)
{
    void *words, *spare;
    BI_TRY(bi_scratch(ctx, (size_t)j->n * sizeof(uint64_t), &words));
    BI_TRY(bi_scratch(ctx, BI_SORT_CACHED, &spare));
    const struct bi_radix_arrays from = apart(j);
    j->wide->pairs(j->dtype, from.keys, j->k->value_size, from.values, j->n, words, spare, j->out.keys, j->out.values);
    return bi_advance(ctx, 8 * (double)j->n);
}

static void sort_cached(const struct bi_radix_job *j)
{
    const struct bi_radix_arrays from = bi_radix_sorts_words(j) || !j->vectors->rows ? j->in : apart(j);
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
    if (at_once && j->n > bi_radix_cached(j) && j->n <= WIDE_PAIRS && bi_radix_sorts_wide_pairs(j))
        return sort_wide_pairs(ctx, j);
    if (j->n <= (words && at_once ? WORDS : bi_radix_cached(j))) {
        sort_cached(j);
        return bi_advance(ctx, 8 * (double)j->n);
    }
    bool done = false;
    if (words) BI_TRY(bi_radix_sort_groups(ctx, j, &done));
    if (done) return BOSC_OK;
    BI_TRY(bi_radix_split(ctx, j, &done));
    return done ? BOSC_OK : bi_radix_passes(ctx, j);
}

bosc_status bi_radix_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                int last_bit)
{
    if (n == 0) return BOSC_OK;
    struct bi_radix_job j = {.k = &BI_LEVEL_PICK(ctx->level, bi_radix_table)->of[dtype - 1][value_size / 4],
                             .vectors = BI_LEVEL_PICK(ctx->level, bi_sort_kernels),
                             .wide = BI_LEVEL_PICK(ctx->level, bi_wide_kernels),
                             .words = bosc_dtype_size(dtype) == 4 ? &BI_LEVEL_PICK(ctx->level, bi_sort_kernels)->words
                                                                  : &BI_LEVEL_PICK(ctx->level, bi_wide_kernels)->words,
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
