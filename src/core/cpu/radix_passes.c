/* Radix sort from the least digit up, 8 bits a pass, stable, all threads in each pass: it does not mind how the keys
 * lie. A digit that all keys share costs no pass. */
#include <string.h>

#include "core/cpu/radix.h"

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

static bosc_status count_all(bosc_ctx *ctx, const struct bi_radix_job *j, const struct passes *s)
{
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    memset(s->counts, 0, (size_t)j->chunks * sizeof *s->counts);
    while (bi_next_part(ctx, &parts)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks, {
            struct bi_span part = bi_chunk_part(j->n, j->chunks, (int)p, &parts);
            j->k->count(bi_radix_at(j, j->in, part.begin).keys, part.end - part.begin, s->digits, s->n_digits,
                        s->counts[p][0], BI_RADIX);
        });
    }
    return parts.status;
}

/* Do all keys have the same digit? */
static bool is_constant(const struct bi_radix_job *j, const struct passes *s, int digit)
{
    for (int v = 0; v < BI_RADIX; v++) {
        int64_t keys = 0;
        for (int p = 0; p < j->chunks; p++) keys += s->counts[p][digit][v];
        if (keys) return keys == j->n;
    }
    return true;
}

/* Counts of the chunks' digits to offsets: all of digit 0, by chunk, then all of digit 1, ... */
static void place(const struct bi_radix_job *j, const struct passes *s)
{
    int64_t at = 0;
    for (int v = 0; v < BI_RADIX; v++)
        for (int p = 0; p < j->chunks; p++) {
            int64_t keys = s->offsets[p][v];
            s->offsets[p][v] = at;
            at += keys;
        }
}

/* Counts a digit again, of chunks that an earlier pass has filled. */
static bosc_status count_digit(bosc_ctx *ctx, const struct bi_radix_job *j, const struct passes *s, int digit,
                               struct bi_radix_arrays from)
{
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    memset(s->offsets, 0, (size_t)j->chunks * sizeof *s->offsets);
    while (bi_next_part(ctx, &parts)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks, {
            struct bi_span part = bi_chunk_part(j->n, j->chunks, (int)p, &parts);
            j->k->count(bi_radix_at(j, from, part.begin).keys, part.end - part.begin, &s->digits[digit], 1,
                        s->offsets[p], BI_RADIX);
        });
    }
    return parts.status;
}

/* One pass. The counts of the input's chunks hold for the first one alone. */
static bosc_status pass(bosc_ctx *ctx, const struct bi_radix_job *j, const struct passes *s, int digit, bool is_first,
                        struct bi_radix_arrays from, struct bi_radix_arrays to)
{
    if (!is_first) BI_TRY(count_digit(ctx, j, s, digit, from));
    for (int p = 0; is_first && p < j->chunks; p++) memcpy(s->offsets[p], s->counts[p][digit], sizeof s->offsets[p]);
    place(j, s);
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    while (bi_next_part(ctx, &parts)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks, {
            struct bi_span span = bi_chunk_part(j->n, j->chunks, (int)p, &parts);
            struct bi_radix_arrays part = bi_radix_at(j, from, span.begin);
            struct bi_radix_move move = {.keys = part.keys,
                                         .values = part.values,
                                         .n = span.end - span.begin,
                                         .keys_out = to.keys,
                                         .values_out = to.values,
                                         .digit = s->digits[digit],
                                         .offsets = s->offsets[p],
                                         .streams = true};
            j->k->move(&move);
        });
    }
    return parts.status;
}

bosc_status bi_radix_passes(bosc_ctx *ctx, const struct bi_radix_job *j)
{
    struct passes s;
    void *memory;
    BI_TRY(bi_scratch(ctx, (size_t)j->chunks * (sizeof *s.counts + sizeof *s.offsets), &memory));
    s.counts = memory;
    s.offsets = (void *)(s.counts + j->chunks);
    choose_digits(j, &s);
    BI_TRY(count_all(ctx, j, &s));
    int digits[BI_RADIX_DIGITS], n_passes = 0;
    for (int d = 0; d < s.n_digits; d++)
        if (!is_constant(j, &s, d)) digits[n_passes++] = d;
    /* Passes go to and fro between `out` and `spare`, so that the last one ends in `out`; one that must not write over
     * its own input begins with `spare`. */
    struct bi_radix_arrays from = j->in;
    bool in_place = j->in.keys == j->out.keys || (j->k->value_size && j->in.values == j->out.values);
    bool to_spare = in_place || n_passes % 2 == 0;
    for (int i = 0; i < n_passes; i++) {
        struct bi_radix_arrays to = to_spare ? j->spare : j->out;
        BI_TRY(pass(ctx, j, &s, digits[i], i == 0, from, to));
        from = to;
        to_spare = !to_spare;
    }
    bi_radix_copy(j, from, j->out, j->n);
    return BOSC_OK;
}
