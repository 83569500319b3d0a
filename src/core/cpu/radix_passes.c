/* Radix sort from the least significant digit, 8 bits a pass, stable, all threads in each pass. Its time does not
 * depend on the distribution of the keys. A digit that all keys share costs no pass. */
#include "core/cpu/radix_passes.h"

#include <string.h>

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

bosc_status bi_radix_passes(bosc_ctx *ctx, const struct bi_radix_job *j)
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
    bool in_place = j->in.keys == j->out.keys || (j->k->value_size && j->in.values == j->out.values);
    bool to_spare = in_place || n_passes % 2 == 0;
    for (int i = 0; i < n_passes; i++) {
        struct bi_radix_arrays to = to_spare ? j->spare : j->out;
        BI_TRY(scatter_by_digit(ctx, j, &s, digits[i], i == 0, from, to));
        from = to;
        to_spare = !to_spare;
    }
    bi_radix_copy(j, from, j->out, j->n);
    return BOSC_OK;
}
