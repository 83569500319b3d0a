/* Radix sort from the top: one pass splits the keys by their top bits into buckets of about the same size, and each
 * bucket is sorted in a thread's caches: by passes from the least digit of its top bits up, and then by insertion,
 * since keys that agree in three digits and are not equal are rare. */
#include <string.h>

#include "base/bits.h"
#include "core/cpu/radix.h"

enum {
    TINY = 40,        /* sorted by insertion */
    CACHED = 1 << 16, /* sorted in caches */
    LOCAL_BITS = 24,  /* by passes; the rest by insertion */
    MOVES_A_KEY = 4,  /* of an insertion that is not given up */
    LOCAL_DIGITS = LOCAL_BITS / BI_RADIX_BITS
};

/* The bits that decide: [first_bit, last_bit). */
static uint64_t deciding(const struct bi_radix_job *j)
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

/* Passes over the bits [low, high), of which there are at most LOCAL_BITS. Returns whether the result is in b. */
static bool sort_bits(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                      int low, int high)
{
    struct bi_radix_digit digits[LOCAL_DIGITS] = {{0}};
    int64_t counts[LOCAL_DIGITS][BI_RADIX];
    int n_digits = 0;
    for (int bit = low; bit < high; bit += BI_RADIX_BITS) {
        int width = high - bit < BI_RADIX_BITS ? high - bit : BI_RADIX_BITS;
        digits[n_digits++] = (struct bi_radix_digit){bit, (1u << width) - 1};
    }
    memset(counts, 0, (size_t)n_digits * sizeof counts[0]);
    j->k->count(a.keys, n, digits, n_digits, counts);
    bool in_b = false;
    for (int d = 0; d < n_digits; d++) {
        int64_t at = 0, most = 0;
        for (int v = 0; v < BI_RADIX; v++) {
            int64_t keys = counts[d][v];
            if (keys > most) most = keys;
            counts[d][v] = at;
            at += keys;
        }
        if (most == n) continue;
        struct bi_radix_arrays from = in_b ? b : a, to = in_b ? a : b;
        struct bi_radix_move move = {.keys = from.keys,
                                     .values = from.values,
                                     .n = n,
                                     .keys_out = to.keys,
                                     .values_out = to.values,
                                     .digit = digits[d],
                                     .offsets = counts[d]};
        j->k->move(&move);
        in_b = !in_b;
    }
    return in_b;
}

/* Groups of neighbouring values of the top digit, of about n / 128 keys or one value each: at most 256 groups. */
static int make_map(const int64_t *counts, int64_t n, uint8_t map[BI_RADIX_TOP], int64_t sizes[BI_RADIX])
{
    int64_t target = n / (BI_RADIX / 2) + 1;
    int groups = 0;
    sizes[0] = 0;
    for (int v = 0; v < BI_RADIX_TOP; v++) {
        if (sizes[groups] > 0 && sizes[groups] + counts[v] > target && groups + 1 < BI_RADIX) sizes[++groups] = 0;
        sizes[groups] += counts[v];
        map[v] = (uint8_t)groups;
    }
    return groups + 1;
}

/* The top digit of keys that vary in `bits`. */
static struct bi_radix_digit top_digit(uint64_t bits)
{
    int high = bi_bit_length(bits), low = high > BI_RADIX_TOP_BITS ? high - BI_RADIX_TOP_BITS : 0;
    return (struct bi_radix_digit){low, (1u << (high - low)) - 1};
}

/* A range beyond the caches, by one thread. */
static void split_range(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                        bool to_b, uint64_t bits)
{
    int64_t sizes[BI_RADIX], offsets[BI_RADIX] = {0};
    struct bi_radix_digit digit = top_digit(bits);
    int groups;
    {
        int64_t counts[BI_RADIX_TOP] = {0};
        uint8_t map[BI_RADIX_TOP];
        j->k->count_top(a.keys, n, digit, counts);
        groups = make_map(counts, n, map, sizes);
        for (int g = 0; g + 1 < groups; g++) offsets[g + 1] = offsets[g] + sizes[g];
        struct bi_radix_move move = {.keys = a.keys,
                                     .values = a.values,
                                     .n = n,
                                     .keys_out = b.keys,
                                     .values_out = b.values,
                                     .digit = digit,
                                     .map = map,
                                     .offsets = offsets};
        j->k->move(&move);
    }
    for (int64_t g = 0, at = 0; g < groups; at += sizes[g++])
        bi_radix_sort_range(j, bi_radix_at(j, b, at), bi_radix_at(j, a, at), sizes[g], !to_b);
}

void bi_radix_sort_range(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                         bool to_b)
{
    uint64_t mask = deciding(j), bits = n > 1 ? j->k->varying(a.keys, n, a.keys) & mask : 0;
    struct bi_radix_arrays result = a;
    if (n <= TINY) {
        j->k->insert(a.keys, a.values, n, mask, INT64_MAX);
    } else if (bits && n > CACHED) {
        split_range(j, a, b, n, to_b, bits);
        return;
    } else if (bits) {
        int low = low_bit(bits), high = bi_bit_length(bits);
        bool in_b = false, sorted = high - low <= LOCAL_BITS;
        in_b = sort_bits(j, a, b, n, sorted ? low : high - LOCAL_BITS, high);
        if (!sorted) {
            result = in_b ? b : a;
            sorted = j->k->insert(result.keys, result.values, n, mask, MOVES_A_KEY * n);
        }
        for (int bit = low; !sorted && bit < high; bit += LOCAL_BITS) { /* given up: all digits, from the least */
            struct bi_radix_arrays other = in_b ? a : b;
            int end = bit + LOCAL_BITS < high ? bit + LOCAL_BITS : high;
            in_b ^= sort_bits(j, in_b ? b : a, other, n, bit, end);
        }
        result = in_b ? b : a;
    }
    bi_radix_copy(j, result, to_b ? b : a, n);
}

/* The chunks' counts of the top digit, and the groups that they make. */
struct split {
    struct bi_radix_digit digit;
    int64_t (*counts)[BI_RADIX_TOP]; /* (chunks) */
    int64_t (*offsets)[BI_RADIX];    /* (chunks) */
    uint8_t map[BI_RADIX_TOP];
    int64_t sizes[BI_RADIX];
    int groups;
};

static bosc_status find_varying(bosc_ctx *ctx, const struct bi_radix_job *j, uint64_t *varying)
{
    uint64_t bits = 0;
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    while (bi_next_part(ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(j->chunks) reduction(| : bits)
        for (int p = 0; p < j->chunks; p++) {
            struct bi_span part = bi_chunk_part(j->n, j->chunks, p, &parts);
            bits |= j->k->varying(bi_radix_at(j, j->in, part.begin).keys, part.end - part.begin, j->in.keys);
        }
    }
    *varying = bits & deciding(j);
    return parts.status;
}

static bosc_status count_chunks(bosc_ctx *ctx, const struct bi_radix_job *j, struct split *s)
{
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    memset(s->counts, 0, (size_t)j->chunks * sizeof *s->counts);
    while (bi_next_part(ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(j->chunks)
        for (int p = 0; p < j->chunks; p++) {
            struct bi_span part = bi_chunk_part(j->n, j->chunks, p, &parts);
            j->k->count_top(bi_radix_at(j, j->in, part.begin).keys, part.end - part.begin, s->digit, s->counts[p]);
        }
    }
    return parts.status;
}

/* Where the chunk's keys of each group go: by group, then by chunk. */
static void place_groups(const struct bi_radix_job *j, struct split *s)
{
    memset(s->offsets, 0, (size_t)j->chunks * sizeof *s->offsets);
    for (int p = 0; p < j->chunks; p++)
        for (int v = 0; v < BI_RADIX_TOP; v++) s->offsets[p][s->map[v]] += s->counts[p][v];
    int64_t at = 0;
    for (int g = 0; g < s->groups; g++)
        for (int p = 0; p < j->chunks; p++) {
            int64_t keys = s->offsets[p][g];
            s->offsets[p][g] = at;
            at += keys;
        }
}

static bosc_status move_chunks(bosc_ctx *ctx, const struct bi_radix_job *j, const struct split *s)
{
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    while (bi_next_part(ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(j->chunks)
        for (int p = 0; p < j->chunks; p++) {
            struct bi_span part = bi_chunk_part(j->n, j->chunks, p, &parts);
            struct bi_radix_arrays from = bi_radix_at(j, j->in, part.begin);
            struct bi_radix_move move = {.keys = from.keys,
                                         .values = from.values,
                                         .n = part.end - part.begin,
                                         .keys_out = j->spare.keys,
                                         .values_out = j->spare.values,
                                         .digit = s->digit,
                                         .map = s->map,
                                         .offsets = s->offsets[p]};
            j->k->move(&move);
        }
    }
    return parts.status;
}

static bosc_status sort_groups(bosc_ctx *ctx, const struct bi_radix_job *j, const struct split *s)
{
    int64_t begins[BI_RADIX + 1] = {0};
    for (int g = 0; g < s->groups; g++) begins[g + 1] = begins[g] + s->sizes[g];
    struct bi_parts p = bi_parts_of(ctx, s->groups, 4 * (double)j->n / s->groups);
    while (bi_next_part(ctx, &p)) {
#pragma omp parallel for schedule(dynamic) num_threads(j->chunks)
        for (int64_t g = p.begin; g < p.end; g++)
            bi_radix_sort_range(j, bi_radix_at(j, j->spare, begins[g]), bi_radix_at(j, j->out, begins[g]), s->sizes[g],
                                true);
    }
    return p.status;
}

bosc_status bi_radix_split(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done)
{
    struct split s;
    void *memory;
    int64_t total[BI_RADIX_TOP] = {0}, most = 0;
    uint64_t bits;
    BI_TRY(bi_scratch(ctx, (size_t)j->chunks * (sizeof *s.counts + sizeof *s.offsets), &memory));
    s.counts = memory;
    s.offsets = (void *)(s.counts + j->chunks);
    *done = true;
    BI_TRY(find_varying(ctx, j, &bits));
    if (!bits) {
        bi_radix_copy(j, j->in, j->out, j->n);
        return BOSC_OK;
    }
    s.digit = top_digit(bits);
    BI_TRY(count_chunks(ctx, j, &s));
    for (int p = 0; p < j->chunks; p++)
        for (int v = 0; v < BI_RADIX_TOP; v++) total[v] += s.counts[p][v];
    s.groups = make_map(total, j->n, s.map, s.sizes);
    for (int g = 0; g < s.groups; g++) most = s.sizes[g] > most ? s.sizes[g] : most;
    *done = j->chunks == 1 || most <= j->n / j->chunks;
    if (!*done) return BOSC_OK;
    place_groups(j, &s);
    BI_TRY(move_chunks(ctx, j, &s));
    return sort_groups(ctx, j, &s);
}
