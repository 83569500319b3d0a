/* Radix sort from the most significant digit: one pass splits the keys by their top bits into buckets of about the same
 * size, and each bucket is sorted in a thread's caches: by two or three passes over digits of its top bits, then by
 * insertion, since few keys agree in these bits without being equal. */
#include <string.h>

#include "base/bits.h"
#include "core/cpu/radix_methods.h"

/* None of these is measured. LARGE: several times a second-level cache of 1 to 2 MB. CACHED: 512 KB of 8-byte items. A
 * higher TINY or MOVES_A_KEY: more moves of insertions, fewer passes. LOCAL_WIDTH: 2^10 counters of 8 bytes and three
 * digits of them have 24 KB, of a first-level cache of 32. */
enum {
    LARGE = 1 << 22,  /* bytes that do not stay in the caches */
    CACHED = 1 << 16, /* items that a thread sorts in its caches */
    TINY = 40,        /* items that insertion sorts */
    LOCAL_WIDTH = 10, /* bits of a digit of a sort in caches, at most */
    LOCAL_DIGITS = 3, /* digits counted at once */
    KEYS_A_MOVE = 4,  /* an insertion with fewer expected moves than n / KEYS_A_MOVE saves a pass */
    ROWS_A_TIE = 4,   /* rows are sorted as words if fewer than n / ROWS_A_TIE share their bits with the one before */
    MOVES_A_KEY = 4   /* moves a key after which an insertion stops */
};

/* Mask of the bits that the job sorts by: [first_bit, last_bit). */
static uint64_t key_mask(const struct bi_radix_job *j)
{
    uint64_t below = j->last_bit == 64 ? UINT64_MAX : ((uint64_t)1 << j->last_bit) - 1;
    return below & (UINT64_MAX << j->first_bit);
}

static int low_bit(uint64_t bits)
{
    int b = 0;
    while (!((bits >> b) & 1)) b++;
    return b;
}

/* Digits begin, ..., end - 1 of a sort in caches, from the least significant up, and their counts. */
struct local_digits {
    struct bi_radix_digit digits[LOCAL_DIGITS];
    int begin, end;
    int64_t counts[LOCAL_DIGITS][1 << LOCAL_WIDTH];
};

/* Divides the bits [low, high) into digits of up to `width` bits, from number `begin` on, and counts them. */
static void count_local_digits(const struct bi_radix_job *j, const void *keys, int64_t n, int low, int high, int width,
                               int begin, struct local_digits *l)
{
    int d = begin;
    for (int bit = low; bit < high; bit += width) {
        int bits = high - bit < width ? high - bit : width;
        l->digits[d] = (struct bi_radix_digit){bit, (1u << bits) - 1};
        memset(l->counts[d++], 0, sizeof l->counts[0][0] << bits);
    }
    l->begin = begin;
    l->end = d;
    j->k->count(keys, n, l->digits + begin, d - begin, l->counts[begin], 1 << LOCAL_WIDTH);
}

/* Makes a pass for each digit, except digits that all keys share. Returns true if the result is in b. */
static bool pass_local_digits(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b,
                              int64_t n, struct local_digits *l)
{
    bool in_b = false;
    for (int d = l->begin; d < l->end; d++) {
        int64_t sum = 0, largest = 0;
        for (uint32_t v = 0; v <= l->digits[d].mask; v++) {
            int64_t keys = l->counts[d][v];
            if (keys > largest) largest = keys;
            l->counts[d][v] = sum;
            sum += keys;
        }
        if (largest == n) continue;
        struct bi_radix_arrays from = in_b ? b : a, to = in_b ? a : b;
        struct bi_radix_scatter scatter = {.keys = from.keys,
                                           .values = from.values,
                                           .n = n,
                                           .keys_out = to.keys,
                                           .values_out = to.values,
                                           .digit = l->digits[d],
                                           .offsets = l->counts[d]};
        j->k->scatter(&scatter);
        in_b = !in_b;
    }
    return in_b;
}

/* Estimates the moves of an insertion after passes over two digits, if the values of the lower one are uniform. Of the
 * pairs that agree in the upper digit, one of 1 + mask agrees in the lower one, and half of these are out of order. */
static int64_t expected_moves(const struct local_digits *l)
{
    int64_t pairs = 0; /* ordered: each pair counts twice */
    for (uint32_t v = 0; v <= l->digits[2].mask; v++) pairs += l->counts[2][v] * (l->counts[2][v] - 1);
    return pairs / 4 / (1 + (int64_t)l->digits[1].mask);
}

/* Sorts by the bits [*low, high), or only by their highest digits: *low is raised to the lowest bit used. Returns true
 * if the result is in b. */
static bool sort_top_bits(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                          int *low, int high)
{
    struct local_digits l;
    /* Two digits, each of half the bits of n and two more; a third one if insertion would then be slow. */
    const int half = bi_bit_length((uint64_t)n) / 2 + 2, width = half < LOCAL_WIDTH ? half : LOCAL_WIDTH;
    const int second = high - 2 * width > *low ? high - 2 * width : *low;
    count_local_digits(j, a.keys, n, second, high, width, 1, &l);
    if (second > *low) {
        const int end = l.end, third = second - width > *low ? second - width : *low;
        *low = second;
        if (expected_moves(&l) > n / KEYS_A_MOVE) {
            count_local_digits(j, a.keys, n, third, second, width, 0, &l);
            l.end = end;
            *low = third;
        }
    }
    return pass_local_digits(j, a, b, n, &l);
}

/* Sorts by all bits of [low, high). Returns true if the result is in b. */
static bool sort_all_bits(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                          int low, int high)
{
    struct local_digits l;
    bool in_b = false;
    for (int bit = low; bit < high; bit += LOCAL_DIGITS * BI_RADIX_BITS) {
        int end = bit + LOCAL_DIGITS * BI_RADIX_BITS < high ? bit + LOCAL_DIGITS * BI_RADIX_BITS : high;
        count_local_digits(j, (in_b ? b : a).keys, n, bit, end, BI_RADIX_BITS, 0, &l);
        in_b ^= pass_local_digits(j, in_b ? b : a, in_b ? a : b, n, &l);
    }
    return in_b;
}

int bi_radix_make_groups(const int64_t *counts, int64_t target, int max_groups, uint16_t *ends, int64_t *sizes)
{
    int groups = 0;
    sizes[0] = 0;
    for (int v = 0; v < BI_RADIX_TOP; v++) {
        if (sizes[groups] > 0 && sizes[groups] + counts[v] > target && groups + 1 < max_groups) sizes[++groups] = 0;
        sizes[groups] += counts[v];
        ends[groups] = (uint16_t)(v + 1);
    }
    return groups + 1;
}

/* Maps values of the top digit to groups of about n / 128 keys, or of one value. Returns the number of groups. */
static int build_group_map(const int64_t *counts, int64_t n, uint8_t map[BI_RADIX_TOP], int64_t sizes[BI_RADIX])
{
    uint16_t ends[BI_RADIX];
    const int groups = bi_radix_make_groups(counts, n / (BI_RADIX / 2) + 1, BI_RADIX, ends, sizes);
    for (int g = 0, v = 0; g < groups; g++)
        for (; v < ends[g]; v++) map[v] = (uint8_t)g;
    return groups;
}

struct bi_radix_digit bi_radix_top_digit(uint64_t bits)
{
    int high = bi_bit_length(bits), low = high > BI_RADIX_TOP_BITS ? high - BI_RADIX_TOP_BITS : 0;
    return (struct bi_radix_digit){low, (1u << (high - low)) - 1};
}

/* True if the output does not fit in the caches. */
static bool exceeds_caches(const struct bi_radix_job *j, int64_t n)
{
    return n * (int64_t)(j->k->key_size + j->k->value_size) > LARGE;
}

/* Sorts a range that exceeds the caches with one thread: splits it, then sorts each group. */
static void split_and_sort_range(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b,
                                 int64_t n, bool to_b, uint64_t bits)
{
    int64_t sizes[BI_RADIX], offsets[BI_RADIX] = {0};
    struct bi_radix_digit digit = bi_radix_top_digit(bits);
    int groups;
    {
        int64_t counts[BI_RADIX_TOP] = {0};
        uint8_t map[BI_RADIX_TOP];
        j->k->count_top(a.keys, n, digit, counts);
        groups = build_group_map(counts, n, map, sizes);
        for (int g = 0; g + 1 < groups; g++) offsets[g + 1] = offsets[g] + sizes[g];
        struct bi_radix_scatter scatter = {.keys = a.keys,
                                           .values = a.values,
                                           .n = n,
                                           .keys_out = b.keys,
                                           .values_out = b.values,
                                           .digit = digit,
                                           .map = map,
                                           .offsets = offsets,
                                           .streams = exceeds_caches(j, n)};
        j->k->scatter(&scatter);
    }
    for (int64_t g = 0, at = 0; g < groups; at += sizes[g++])
        bi_radix_sort_range(j, bi_radix_at(j, b, at), bi_radix_at(j, a, at), sizes[g], !to_b);
}

void bi_radix_sort_digits(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                          bool to_b)
{
    uint64_t mask = key_mask(j), bits = n > 1 ? j->k->varying(a.keys, n, a.keys) & mask : 0;
    struct bi_radix_arrays result = a;
    if (n <= TINY) {
        j->k->insert(a.keys, a.values, n, mask, INT64_MAX);
    } else if (bits && n > CACHED) {
        split_and_sort_range(j, a, b, n, to_b, bits);
        return;
    } else if (bits) {
        int low = low_bit(bits), high = bi_bit_length(bits), from = low;
        bool in_b = sort_top_bits(j, a, b, n, &from, high);
        result = in_b ? b : a;
        if (from > low && !j->k->insert(result.keys, result.values, n, mask, MOVES_A_KEY * n) && /* too many moves */
            sort_all_bits(j, result, in_b ? a : b, n, low, high))
            result = in_b ? a : b;
    }
    bi_radix_copy(j, result, to_b ? b : a, n);
}

bool bi_radix_sorts_words(const struct bi_radix_job *j)
{
    return j->words->sort_keys && j->k->value_size == 0 && j->first_bit == 0 && j->last_bit == (int)j->k->key_size * 8;
}

int64_t bi_radix_cached(const struct bi_radix_job *j)
{
    return !j->vectors->rows || j->dtype == BOSC_F64 || bi_radix_sorts_words(j) ? CACHED : BI_SORT_ROWS;
}

/* Sorts rows as words: the top varying bits of the key above the row number. Insertion then corrects the few neighbours
 * that share these bits. Not for F64, where most such bits are exponents, which distinguish few keys. */
static bool sort_by_row_words(const struct bi_radix_job *j, struct bi_radix_arrays from, struct bi_radix_arrays to,
                              int64_t n)
{
    const uint64_t mask = key_mask(j), bits = j->k->varying(from.keys, n, from.keys) & mask;
    if (!bits) {
        bi_radix_copy(j, from, to, n);
        return true;
    }
    /* `all`: the lowest bit that varies; `top`: the lowest bit that fits in a word beside the row number. */
    uint32_t rows[BI_SORT_ROWS];
    const int row_bits = bi_bit_length((uint64_t)n - 1), all = low_bit(bits), top = bi_bit_length(bits) - 32 + row_bits;
    const struct bi_sort_window window = {mask, top > all ? top : all, row_bits};
    if (j->vectors->rows(j->dtype, from.keys, n, window, rows) > n / ROWS_A_TIE && top > all) return false;
    j->k->gather(from.keys, from.values, rows, n, to.keys, to.values);
    return top <= all || j->k->insert(to.keys, to.values, n, mask, MOVES_A_KEY * n);
}

bool bi_radix_sort_vectors(const struct bi_radix_job *j, struct bi_radix_arrays from, struct bi_radix_arrays to,
                           struct bi_radix_arrays spare, int64_t n)
{
    if (!j->vectors->rows) return false;
    if (bi_radix_sorts_words(j)) {
        j->words->sort_keys(j->dtype, from.keys, to.keys, spare.keys, n);
        return true;
    }
    return n > TINY && n <= BI_SORT_ROWS && j->dtype != BOSC_F64 && sort_by_row_words(j, from, to, n);
}

void bi_radix_sort_range(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                         bool to_b)
{
    if (bi_radix_sorts_words(j)) {
        if (bi_radix_sort_vectors(j, a, to_b ? b : a, to_b ? a : b, n)) return;
    } else if (bi_radix_sort_vectors(j, a, b, a, n)) {
        bi_radix_copy(j, b, to_b ? b : a, n);
        return;
    }
    bi_radix_sort_digits(j, a, b, n, to_b);
}

/* The chunks' counts of the top digit, and the groups of its values. */
struct split_job {
    struct bi_radix_digit digit;
    int64_t (*counts)[BI_RADIX_TOP]; /* (chunks) */
    int64_t (*offsets)[BI_RADIX];    /* (chunks) */
    uint8_t map[BI_RADIX_TOP];
    int64_t sizes[BI_RADIX];
    int groups;
};

static uint64_t find_varying_in_chunk(const struct bi_radix_job *j, int c, const struct bi_batches *batch)
{
    struct bi_span part = bi_batch_of_chunk(j->n, j->chunks, c, batch);
    return j->k->varying(bi_radix_at(j, j->in, part.begin).keys, part.end - part.begin, j->in.keys);
}

static bosc_status find_varying(bosc_ctx *ctx, const struct bi_radix_job *j, uint64_t *varying)
{
    uint64_t bits = 0;
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_OR(j->chunks, bits, c, 0, j->chunks, find_varying_in_chunk(j, (int)c, &batch));
    }
    *varying = bits & key_mask(j);
    return batch.status;
}

static bosc_status count_chunks(bosc_ctx *ctx, const struct bi_radix_job *j, struct split_job *s)
{
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    memset(s->counts, 0, (size_t)j->chunks * sizeof *s->counts);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks, {
            struct bi_span part = bi_batch_of_chunk(j->n, j->chunks, (int)p, &batch);
            j->k->count_top(bi_radix_at(j, j->in, part.begin).keys, part.end - part.begin, s->digit, s->counts[p]);
        });
    }
    return batch.status;
}

/* Computes the offset of each chunk's keys of each group: by group, then by chunk. */
static void compute_offsets(const struct bi_radix_job *j, struct split_job *s)
{
    memset(s->offsets, 0, (size_t)j->chunks * sizeof *s->offsets);
    for (int p = 0; p < j->chunks; p++)
        for (int v = 0; v < BI_RADIX_TOP; v++) s->offsets[p][s->map[v]] += s->counts[p][v];
    int64_t sum = 0;
    for (int g = 0; g < s->groups; g++)
        for (int p = 0; p < j->chunks; p++) {
            int64_t keys = s->offsets[p][g];
            s->offsets[p][g] = sum;
            sum += keys;
        }
}

static bosc_status scatter_chunks(bosc_ctx *ctx, const struct bi_radix_job *j, const struct split_job *s)
{
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks, {
            struct bi_span part = bi_batch_of_chunk(j->n, j->chunks, (int)p, &batch);
            struct bi_radix_arrays from = bi_radix_at(j, j->in, part.begin);
            struct bi_radix_scatter scatter = {.keys = from.keys,
                                               .values = from.values,
                                               .n = part.end - part.begin,
                                               .keys_out = j->spare.keys,
                                               .values_out = j->spare.values,
                                               .digit = s->digit,
                                               .map = s->map,
                                               .offsets = s->offsets[p],
                                               .streams = exceeds_caches(j, j->n)};
            j->k->scatter(&scatter);
        });
    }
    return batch.status;
}

static bosc_status sort_groups(bosc_ctx *ctx, const struct bi_radix_job *j, const struct split_job *s)
{
    int64_t begins[BI_RADIX + 1] = {0};
    for (int g = 0; g < s->groups; g++) begins[g + 1] = begins[g] + s->sizes[g];
    struct bi_batches p = bi_batches_of(ctx, s->groups, 4 * (double)j->n / s->groups);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(j->chunks, (dynamic), g, p.begin, p.end,
                        bi_radix_sort_range(j, bi_radix_at(j, j->spare, begins[g]), bi_radix_at(j, j->out, begins[g]),
                                            s->sizes[g], true));
    }
    return p.status;
}

/* If it declines (BI_SORT_DECLINED), only scratch was written, and the caller uses another one. j->in may
 * be j->out: all items pass through j->spare. A call that is cancelled may leave part of the output. */
bosc_status bi_radix_split(bosc_ctx *ctx, const struct bi_radix_job *j, enum bi_sort_outcome *outcome)
{
    struct split_job s;
    void *memory;
    int64_t total[BI_RADIX_TOP] = {0}, largest = 0;
    uint64_t bits;
    BI_TRY(bi_scratch(ctx, (size_t)j->chunks * (sizeof *s.counts + sizeof *s.offsets), &memory));
    s.counts = memory;
    s.offsets = (void *)(s.counts + j->chunks);
    /* 1. The bits in which keys differ; if none, the input is sorted. */
    *outcome = BI_SORT_DONE;
    BI_TRY(find_varying(ctx, j, &bits));
    if (!bits) {
        bi_radix_copy(j, j->in, j->out, j->n);
        return BOSC_OK;
    }
    /* 2. Count the top digit and group its values; decline if a group exceeds a thread's share. */
    s.digit = bi_radix_top_digit(bits);
    BI_TRY(count_chunks(ctx, j, &s));
    for (int p = 0; p < j->chunks; p++)
        for (int v = 0; v < BI_RADIX_TOP; v++) total[v] += s.counts[p][v];
    s.groups = build_group_map(total, j->n, s.map, s.sizes);
    for (int g = 0; g < s.groups; g++) largest = s.sizes[g] > largest ? s.sizes[g] : largest;
    if (j->chunks > 1 && largest > j->n / j->chunks) {
        *outcome = BI_SORT_DECLINED;
        return BOSC_OK;
    }
    /* 3. Scatter to the groups and sort each. */
    compute_offsets(j, &s);
    BI_TRY(scatter_chunks(ctx, j, &s));
    return sort_groups(ctx, j, &s);
}
