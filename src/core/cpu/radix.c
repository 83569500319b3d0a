/* Sorts on the CPU: the choice of a method by the size and type of the input, and radix sort from the least significant
 * digit: 8 bits a pass, stable, all threads in each pass. Its time does not depend on the distribution of the keys. A
 * digit that all keys share costs no pass. */
#include <string.h>

#include "core/call.h"
#include "core/cpu/level.h"
#include "core/cpu/radix_methods.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 2,
    WORDS = 1 << 24 /* keys that one thread sorts at once, if no progress is reported (docs/design/prims.md) */
};

/* ---- from the least significant digit ---- */

struct passes {
    struct bi_radix_digit digits[BI_RADIX_DIGITS];
    int n_digits;
    int64_t (*counts)[BI_RADIX_DIGITS][BI_RADIX]; /* (chunks): of the input's chunks, every digit */
    int64_t (*offsets)[BI_RADIX];                 /* (chunks) */
};

static void choose_digits(const struct bi_radix_job *j, struct passes *s)
{
    s->n_digits = 0;
    for (int bit = j->first_bit; bit < j->last_bit; bit += BI_RADIX_BITS) {
        int width = j->last_bit - bit < BI_RADIX_BITS ? j->last_bit - bit : BI_RADIX_BITS;
        s->digits[s->n_digits++] = (struct bi_radix_digit){bit, (1u << width) - 1};
    }
}

static bosc_status count_all_digits(bosc_ctx *ctx, const struct bi_radix_job *j, const struct passes *s)
{
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    memset(s->counts, 0, (size_t)j->chunks * sizeof *s->counts);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks, {
            struct bi_span part = bi_batch_of_chunk(j->n, j->chunks, (int)p, &batch);
            j->k->count(bi_radix_at(j, j->in, part.begin).keys, part.end - part.begin, s->digits, s->n_digits,
                        s->counts[p][0], BI_RADIX);
        });
    }
    return batch.status;
}

/* True if all keys share the digit. */
static bool is_constant(const struct bi_radix_job *j, const struct passes *s, int digit)
{
    for (int v = 0; v < BI_RADIX; v++) {
        int64_t keys = 0;
        for (int p = 0; p < j->chunks; p++) keys += s->counts[p][digit][v];
        if (keys) return keys == j->n;
    }
    return true;
}

/* Turns counts into offsets: value 0 of all chunks, then value 1 of all chunks, ... */
static void counts_to_offsets(const struct bi_radix_job *j, const struct passes *s)
{
    int64_t at = 0;
    for (int v = 0; v < BI_RADIX; v++)
        for (int p = 0; p < j->chunks; p++) {
            int64_t keys = s->offsets[p][v];
            s->offsets[p][v] = at;
            at += keys;
        }
}

/* Counts a digit of chunks that an earlier pass has reordered. */
static bosc_status count_digit(bosc_ctx *ctx, const struct bi_radix_job *j, const struct passes *s, int digit,
                               struct bi_radix_arrays from)
{
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    memset(s->offsets, 0, (size_t)j->chunks * sizeof *s->offsets);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks, {
            struct bi_span part = bi_batch_of_chunk(j->n, j->chunks, (int)p, &batch);
            j->k->count(bi_radix_at(j, from, part.begin).keys, part.end - part.begin, &s->digits[digit], 1,
                        s->offsets[p], BI_RADIX);
        });
    }
    return batch.status;
}

/* One pass: scatters by a digit. The counts of the input's chunks are valid for the first pass only. */
static bosc_status scatter_by_digit(bosc_ctx *ctx, const struct bi_radix_job *j, const struct passes *s, int digit,
                                    bool is_first, struct bi_radix_arrays from, struct bi_radix_arrays to)
{
    if (!is_first) BI_TRY(count_digit(ctx, j, s, digit, from));
    for (int p = 0; is_first && p < j->chunks; p++) memcpy(s->offsets[p], s->counts[p][digit], sizeof s->offsets[p]);
    counts_to_offsets(j, s);
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks, {
            struct bi_span span = bi_batch_of_chunk(j->n, j->chunks, (int)p, &batch);
            struct bi_radix_arrays part = bi_radix_at(j, from, span.begin);
            struct bi_radix_scatter scatter = {.keys = part.keys,
                                               .values = part.values,
                                               .n = span.end - span.begin,
                                               .keys_out = to.keys,
                                               .values_out = to.values,
                                               .digit = s->digits[digit],
                                               .offsets = s->offsets[p],
                                               .streams = true};
            j->k->scatter(&scatter);
        });
    }
    return batch.status;
}

static bosc_status sort_by_passes(bosc_ctx *ctx, const struct bi_radix_job *j)
{
    struct passes s;
    void *memory;
    BI_TRY(bi_scratch(ctx, (size_t)j->chunks * (sizeof *s.counts + sizeof *s.offsets), &memory));
    s.counts = memory;
    s.offsets = (void *)(s.counts + j->chunks);
    /* 1. Count every digit of the input; skip digits that all keys share. */
    choose_digits(j, &s);
    BI_TRY(count_all_digits(ctx, j, &s));
    int digits[BI_RADIX_DIGITS], n_passes = 0;
    for (int d = 0; d < s.n_digits; d++)
        if (!is_constant(j, &s, d)) digits[n_passes++] = d;
    /* 2. Passes alternate between `out` and `spare` and end in `out`. The first one goes to `spare` if `out` is its
     * input. */
    struct bi_radix_arrays from = j->in;
    bool to_spare = bi_radix_is_in_place(j) || n_passes % 2 == 0;
    for (int i = 0; i < n_passes; i++) {
        struct bi_radix_arrays to = to_spare ? j->spare : j->out;
        BI_TRY(scatter_by_digit(ctx, j, &s, digits[i], i == 0, from, to));
        from = to;
        to_spare = !to_spare;
    }
    bi_radix_copy(j, from, j->out, j->n);
    return BOSC_OK;
}

/* ---- the choice ---- */

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
        return bi_progress_advance(ctx, 8 * (double)j->n); /* eight passes: four digits, counted and moved */
    }
    /* 2. Methods for pairs and keys that vectors sort; each may decline. */
    enum bi_sort_outcome outcome = BI_SORT_DECLINED;
    if (j->pairs) BI_TRY(bi_radix_sort_pairs_as_words(ctx, j, &outcome));
    if (words) BI_TRY(bi_sample_sort(ctx, j, &outcome));
    if (outcome == BI_SORT_DONE) return BOSC_OK;
    /* 3. From the most significant digit, or, if its buckets are uneven, from the least. */
    BI_TRY(bi_radix_split(ctx, j, &outcome));
    return outcome == BI_SORT_DONE ? BOSC_OK : sort_by_passes(ctx, j);
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
