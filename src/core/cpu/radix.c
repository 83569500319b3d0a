/* Radix sort from the least digit up, 8 bits a pass, stable. A digit that all keys share costs no pass. */
#include <string.h>

#include "base/bits.h"
#include "core/cpu/collectives.h"
#include "core/cpu/radix_kernels.h"

enum { GRAIN = 1 << 14, CACHED_BYTES = 1 << 19 };

struct arrays {
    void *keys, *values;
};

struct job {
    const struct bi_radix_kernels *k;
    int64_t n;
    int parts;
    struct bi_radix_digit digits[BI_RADIX_DIGITS];
    int n_digits;
    int64_t (*counts)[BI_RADIX_DIGITS][BI_RADIX]; /* (parts): of the input's parts, every digit */
    int64_t (*places)[BI_RADIX];                  /* (parts) */
};

static const void *offset(const void *p, int64_t items, size_t size) { return (const char *)p + (size_t)items * size; }

static void choose_digits(struct job *j, int first_bit, int last_bit)
{
    j->n_digits = 0;
    for (int bit = first_bit; bit < last_bit; bit += BI_RADIX_BITS) {
        int width = last_bit - bit < BI_RADIX_BITS ? last_bit - bit : BI_RADIX_BITS;
        j->digits[j->n_digits++] = (struct bi_radix_digit){bit, (1u << width) - 1};
    }
}

static void count_all(const struct job *j, const void *keys)
{
#pragma omp parallel for schedule(static) num_threads(j->parts)
    for (int p = 0; p < j->parts; p++) {
        int64_t begin = bi_part_begin(j->n, j->parts, p), end = bi_part_begin(j->n, j->parts, p + 1);
        memset(j->counts[p], 0, sizeof j->counts[p]);
        j->k->count(offset(keys, begin, j->k->key_size), end - begin, j->digits, j->n_digits, j->counts[p]);
    }
}

/* Do all keys have the same digit? */
static bool is_constant(const struct job *j, int digit)
{
    for (int v = 0; v < BI_RADIX; v++) {
        int64_t keys = 0;
        for (int p = 0; p < j->parts; p++) keys += j->counts[p][digit][v];
        if (keys) return keys == j->n;
    }
    return true;
}

/* Counts of the parts' digits to places: all of digit 0, by part, then all of digit 1, ... */
static void place(const struct job *j)
{
    int64_t at = 0;
    for (int v = 0; v < BI_RADIX; v++)
        for (int p = 0; p < j->parts; p++) {
            int64_t keys = j->places[p][v];
            j->places[p][v] = at;
            at += keys;
        }
}

/* One pass. The counts of the input's parts hold for it, and for one part they hold always. */
static void pass(const struct job *j, int digit, bool is_input, struct arrays from, struct arrays to)
{
    bool streams = (size_t)j->n * (j->k->key_size + j->k->value_size) > CACHED_BYTES;
#pragma omp parallel for schedule(static) num_threads(j->parts)
    for (int p = 0; p < j->parts; p++) {
        int64_t begin = bi_part_begin(j->n, j->parts, p), end = bi_part_begin(j->n, j->parts, p + 1);
        if (is_input || j->parts == 1) {
            memcpy(j->places[p], j->counts[p][digit], sizeof j->places[p]);
        } else {
            memset(j->places[p], 0, sizeof j->places[p]);
            j->k->count(offset(from.keys, begin, j->k->key_size), end - begin, &j->digits[digit], 1, &j->places[p]);
        }
    }
    place(j);
#pragma omp parallel for schedule(static) num_threads(j->parts)
    for (int p = 0; p < j->parts; p++) {
        int64_t begin = bi_part_begin(j->n, j->parts, p), end = bi_part_begin(j->n, j->parts, p + 1);
        struct bi_radix_move move = {.keys = offset(from.keys, begin, j->k->key_size),
                                     .values = offset(from.values, begin, j->k->value_size),
                                     .n = end - begin,
                                     .keys_out = to.keys,
                                     .values_out = to.values,
                                     .digit = j->digits[digit],
                                     .places = j->places[p],
                                     .streams = streams};
        j->k->move(&move);
    }
}

static void copy(const struct job *j, struct arrays from, struct arrays to)
{
    if (from.keys != to.keys) memcpy(to.keys, from.keys, (size_t)j->n * j->k->key_size);
    if (from.values != to.values) memcpy(to.values, from.values, (size_t)j->n * j->k->value_size);
}

static bosc_status sort(bosc_ctx *ctx, struct job *j, struct arrays in, struct arrays out)
{
    void *memory, *keys, *values;
    BI_TRY(bi_scratch(ctx, (size_t)j->parts * (sizeof *j->counts + sizeof *j->places), &memory));
    BI_TRY(bi_scratch(ctx, (size_t)j->n * j->k->key_size, &keys));
    BI_TRY(bi_scratch(ctx, (size_t)j->n * j->k->value_size, &values));
    j->counts = memory;
    j->places = (void *)(j->counts + j->parts);
    count_all(j, in.keys);
    int passes[BI_RADIX_DIGITS], n_passes = 0;
    for (int d = 0; d < j->n_digits; d++)
        if (!is_constant(j, d)) passes[n_passes++] = d;
    /* Passes go to and fro between `out` and `spare`, so that the last one ends in `out`; one that must not write over
     * its own input begins with `spare`. */
    struct arrays spare = {keys, values}, from = in;
    bool in_place = in.keys == out.keys || (j->k->value_size && in.values == out.values);
    bool to_spare = in_place || n_passes % 2 == 0;
    for (int i = 0; i < n_passes; i++) {
        struct arrays to = to_spare ? spare : out;
        pass(j, passes[i], i == 0, from, to);
        from = to;
        to_spare = !to_spare;
    }
    copy(j, from, out);
    return BOSC_OK;
}

bosc_status bi_cpu_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                              int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit)
{
    if (n == 0) return BOSC_OK;
    struct job j = {.k = bi_radix_kernels(dtype, value_size), .n = n, .parts = bi_parts(ctx, n, GRAIN)};
    struct arrays in = {(void *)(uintptr_t)keys, (void *)(uintptr_t)values}, out = {keys_out, values_out};
    choose_digits(&j, first_bit, last_bit);
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = sort(ctx, &j, in, out);
    bi_arena_rewind(ctx, mark);
    return status;
}

bosc_status bi_cpu_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out, int first_bit,
                             int last_bit)
{
    return bi_cpu_sort_pairs(ctx, dtype, keys, 0, NULL, n, out, NULL, first_bit, last_bit);
}
