/* Chooses the method of a radix sort by the size and type of the input. */
#include "core/cpu/radix.h"

#include "core/call.h"
#include "core/cpu/level.h"
#include "core/cpu/radix_passes.h"
#include "core/cpu/radix_split.h"
#include "core/cpu/sample_sort.h"
#include "core/cpu/sort_pairs.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 2,
    WORDS = 1 << 24 /* keys that one thread sorts at once, if no progress is reported: chosen */
};

/* Sorts items that fit in a cache. */
static void sort_cached(const struct bi_radix_job *j)
{
    const struct bi_radix_arrays from = bi_radix_sorts_words(j) || !j->vectors->rows ? j->in : bi_radix_input_apart(j);
    if (bi_radix_sort_vectors(j, from, j->out, j->spare, j->n)) return;
    bi_radix_copy(j, from, j->out, j->n);
    bi_radix_sort_digits(j, j->out, j->spare, j->n, false);
}

static bosc_status sort_job(bosc_ctx *ctx, struct bi_radix_job *j)
{
    BI_TRY(bi_scratch(ctx, (size_t)j->n * j->k->key_size, &j->spare.keys));
    BI_TRY(bi_scratch(ctx, (size_t)j->n * j->k->value_size, &j->spare.values));
    /* 1. Small inputs, and keys that one thread sorts in vectors. */
    const bool words = bi_radix_sorts_words(j);
    const bool at_once = j->chunks == 1 && !ctx->progress.active;
    if (j->n <= (words && at_once ? WORDS : bi_radix_cached(j))) {
        sort_cached(j);
        return bi_progress_advance(ctx, 8 * (double)j->n); /* counts as eight passes: chosen */
    }
    /* 2. Methods for pairs and keys that vectors sort; each may decline. */
    bool done = false;
    if (j->pairs) BI_TRY(bi_radix_sort_pairs_as_words(ctx, j, &done));
    if (words) BI_TRY(bi_sample_sort(ctx, j, &done));
    if (done) return BOSC_OK;
    /* 3. From the most significant digit, or, if its buckets are uneven, from the least. */
    BI_TRY(bi_radix_split(ctx, j, &done));
    return done ? BOSC_OK : bi_radix_passes(ctx, j);
}

/* Returns NULL if the level has no kernels for such pairs. */
static const struct bi_pair_kernels *find_pair_kernels(const bosc_ctx *ctx, bosc_dtype dtype, size_t value_size,
                                                       int first_bit, int last_bit)
{
    const struct bi_pair_table *table = BI_LEVEL_PICK(ctx->level, bi_pair_table);
    if (!table->of[0].sort || bosc_dtype_size(dtype) != 4 || !value_size || first_bit > 0 || last_bit < 32) return NULL;
    return &table->of[dtype == BOSC_U32 ? 0 : dtype == BOSC_I32 ? 1 : 2];
}

bosc_status bi_radix_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                int last_bit)
{
    if (n == 0) return BOSC_OK;
    struct bi_radix_job j = {.k = &BI_LEVEL_PICK(ctx->level, bi_radix_table)->of[dtype - 1][value_size / 4],
                             .vectors = BI_LEVEL_PICK(ctx->level, bi_sort_kernels),
                             .pairs = find_pair_kernels(ctx, dtype, value_size, first_bit, last_bit),
                             .words = bosc_dtype_size(dtype) == 4 ? &BI_LEVEL_PICK(ctx->level, bi_sort_kernels)->words
                                                                  : BI_LEVEL_PICK(ctx->level, bi_word_64_kernels),
                             .dtype = dtype,
                             .n = n,
                             .chunks = bi_thread_count(ctx, n, GRAIN),
                             .first_bit = first_bit,
                             .last_bit = last_bit,
                             /* casts const away: inputs are only read */
                             .in = {(void *)(uintptr_t)keys, value_size ? (void *)(uintptr_t)values : NULL},
                             .out = {keys_out, value_size ? values_out : NULL}};
    BI_RETURN_WITH_SCRATCH(ctx, sort_job(ctx, &j));
}

bosc_status bi_cpu_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out, int first_bit,
                             int last_bit)
{
    return bi_radix_sort_pairs(ctx, dtype, keys, 0, NULL, n, out, NULL, first_bit, last_bit);
}
