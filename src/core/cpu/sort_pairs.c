/* Sorts pairs with 4-byte keys as 64-bit words: all at once, or, if a cache does not hold them, in groups by the top
 * bits of the keys. Pairs are scattered to groups, and threads sort each group in their caches. */
#include "base/bits.h"
#include "core/call.h"
#include "core/cpu/radix_methods.h"

/* Limits without a measurement follow radix_split.c: a higher TINY or MOVES_A_KEY means more moves of insertions. */
enum {
    SAMPLE = 1024,             /* keys checked first for bits that vary */
    AT_ONCE = 1 << 20,         /* pairs that one thread sorts at once, at most, with values of 8 bytes, */
    AT_ONCE_4_BYTES = 1 << 17, /* and of 4 bytes, measured: groups are slower up to it; more if they would be uneven */
    STREAMED = 1 << 16,        /* pairs from which stores go past the caches; measured on Zen 4: 2.3 ns, stored 5 */
    LINES = 8 * BI_PAIR_LINES, /* words that a scatter stores at once */
    GROUP = 1 << 11,           /* pairs of a group, at least, about; measured, 2^18 pairs: 2^12 take 0.3 ns more */
    TINY = 40,                 /* pairs that insertion sorts */
    ROWS_A_TIE = 4,  /* rows are sorted as words if fewer than n / ROWS_A_TIE share bits with the one before */
    MOVES_A_KEY = 4, /* moves a key after which an insertion stops */
    UNEVEN = 8       /* groups are uneven if one has more than n / UNEVEN pairs */
};

/* The bits in which keys vary. */
static uint64_t varying_bits(const struct bi_radix_job *j, int64_t n)
{
    return j->k->varying(j->in.keys, n, j->in.keys);
}

/* True if the varying bits span at least the top digit. */
static bool vary_enough(uint64_t bits)
{
    return bits && bi_bit_length(bits) - bi_bit_length(bits & -bits) >= BI_RADIX_TOP_BITS;
}

static bosc_status sort_at_once(bosc_ctx *ctx, const struct bi_radix_job *j)
{
    uint64_t *words;
    BI_TRY(bi_scratch_of(ctx, j->n, sizeof *words, &words));
    const struct bi_radix_arrays from = bi_radix_input_apart(j);
    j->pairs->sort(from.keys, j->k->value_size, from.values, j->n, words, j->out.keys, j->out.values);
    return bi_progress_advance(ctx, 8 * (double)j->n);
}

/* Groups of the values of the top digit. */
struct pair_groups {
    const struct bi_radix_job *j;
    struct bi_radix_digit digit;
    uint16_t map[BI_RADIX_TOP];
    int64_t sizes[BI_PAIR_GROUPS], first[BI_PAIR_GROUPS + 1]; /* in the output */
    int count;
    int64_t largest;                   /* pairs of the largest group */
    int64_t (*counts)[BI_RADIX_TOP];   /* (chunks) */
    int64_t (*begins)[BI_PAIR_GROUPS]; /* (chunks) in `pairs` */
    int64_t (*ends)[BI_PAIR_GROUPS];   /* (chunks) */
    uint64_t *pairs;                   /* (n, and unused ends of lines) */
    uint64_t *words;                   /* (threads x largest) */
    uint64_t *gathered;                /* (threads x largest) */
};

static bosc_status allocate_groups(bosc_ctx *ctx, struct pair_groups *s)
{
    const int64_t chunks = s->j->chunks, words = chunks * s->largest;
    BI_TRY(bi_scratch_of(ctx, chunks, sizeof *s->begins, &s->begins));
    BI_TRY(bi_scratch_of(ctx, chunks, sizeof *s->ends, &s->ends));
    BI_TRY(bi_scratch_of(ctx, s->j->n + chunks * BI_PAIR_GROUPS * 2 * LINES, sizeof *s->pairs, &s->pairs));
    BI_TRY(bi_scratch_of(ctx, words, sizeof *s->words, &s->words));
    return bi_scratch_of(ctx, words, sizeof *s->gathered, &s->gathered);
}

static bosc_status count_chunks(bosc_ctx *ctx, const struct pair_groups *s)
{
    const struct bi_radix_job *j = s->j;
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    memset(s->counts, 0, (size_t)j->chunks * sizeof *s->counts);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_FOR(j->chunks, (static), c, 0, j->chunks, {
            const struct bi_span part = bi_batch_of_chunk(j->n, j->chunks, (int)c, &batch);
            j->k->count_top(bi_radix_at(j, j->in, part.begin).keys, part.end - part.begin, s->digit, s->counts[c]);
        });
    }
    return batch.status;
}

/* Groups the values of the top digit. The second attempt merges more where the last group got too large. */
static void make_groups(struct pair_groups *s)
{
    const struct bi_radix_job *j = s->j;
    int64_t total[BI_RADIX_TOP] = {0};
    for (int c = 0; c < j->chunks; c++)
        for (int v = 0; v < BI_RADIX_TOP; v++) total[v] += s->counts[c][v];
    uint16_t ends[BI_PAIR_GROUPS];
    const int64_t even = j->n / (BI_PAIR_GROUPS - BI_PAIR_GROUPS / 16) + 1, target = even < GROUP ? GROUP : even;
    s->count = bi_radix_make_groups(total, target, BI_PAIR_GROUPS, ends, s->sizes);
    /* Two neighbouring groups together exceed the new target, so there are few enough. */
    if (s->sizes[s->count - 1] > target)
        s->count = bi_radix_make_groups(total, 2 * target, BI_PAIR_GROUPS, ends, s->sizes);
    for (int g = 0, v = 0; g < s->count; g++) {
        for (; v < ends[g]; v++) s->map[v] = (uint16_t)g;
        s->largest = s->sizes[g] > s->largest ? s->sizes[g] : s->largest;
        s->first[g + 1] = s->first[g] + s->sizes[g];
    }
}

/* Assigns slots to each chunk's pairs of each group: their own lines, behind as many unused ones (see scatter). */
static void assign_slots(const struct pair_groups *s)
{
    const int chunks = s->j->chunks;
    memset(s->ends, 0, (size_t)chunks * sizeof *s->ends);
    for (int c = 0; c < chunks; c++)
        for (int v = 0; v < BI_RADIX_TOP; v++) s->ends[c][s->map[v]] += s->counts[c][v];
    int64_t slot = 0;
    for (int g = 0; g < BI_PAIR_GROUPS; g++)
        for (int c = 0; c < chunks; c++) {
            const int64_t pairs = s->ends[c][g];
            slot += LINES;
            s->begins[c][g] = s->ends[c][g] = slot;
            slot += (pairs + LINES - 1) / LINES * LINES;
        }
}

static bosc_status scatter_chunks(bosc_ctx *ctx, const struct pair_groups *s)
{
    const struct bi_radix_job *j = s->j;
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_FOR(j->chunks, (static), c, 0, j->chunks, {
            const struct bi_span part = bi_batch_of_chunk(j->n, j->chunks, (int)c, &batch);
            const struct bi_radix_arrays from = bi_radix_at(j, j->in, part.begin);
            const struct bi_pair_scatter scatter = {.keys = from.keys,
                                                    .values = from.values,
                                                    .n = part.end - part.begin,
                                                    .to = s->pairs,
                                                    .digit = s->digit,
                                                    .map = s->map,
                                                    .offsets = s->ends[c],
                                                    .streams = j->n >= STREAMED};
            j->pairs->scatter(&scatter);
        });
    }
    return batch.status;
}

/* Returns a group's pairs side by side, gathered from the chunks if there are several. */
static const uint64_t *gather_group(const struct pair_groups *s, int64_t g, uint64_t *to)
{
    const int chunks = s->j->chunks;
    if (chunks == 1) return s->pairs + s->begins[0][g];
    uint64_t *at = to;
    for (int c = 0; c < chunks; at += s->ends[c][g] - s->begins[c][g], c++)
        memcpy(at, s->pairs + s->begins[c][g], (size_t)(s->ends[c][g] - s->begins[c][g]) * sizeof *at);
    return to;
}

/* Sorts rows as words: the top varying bits of the key above the row number. Insertion then corrects the few neighbours
 * that share these bits. Returns true if the pairs are sorted. */
static bool sort_by_row_words(const struct bi_radix_job *j, const uint64_t *pairs, int64_t n, uint32_t *rows,
                              struct bi_radix_arrays to)
{
    /* `all`: the lowest bit that varies; `top`: the lowest bit that fits in a word beside the row number. */
    const uint32_t bits = j->pairs->varying(pairs, n);
    const int row_bits = bi_bit_length((uint64_t)n - 1), all = bits ? bi_bit_length(bits & -bits) - 1 : 0;
    const int top = bi_bit_length(bits) - 32 + row_bits;
    const struct bi_sort_window window = {bits, top > all ? top : all, row_bits};
    if (j->vectors->pair_rows(j->dtype, pairs, n, window, rows) > n / ROWS_A_TIE && top > all) return false;
    j->pairs->gather(pairs, rows, n, to.keys, to.values);
    return top <= all || j->k->insert(to.keys, to.values, n, UINT32_MAX, MOVES_A_KEY * n);
}

/* Sorts a group by insertion, by row words, or as 64-bit words. */
static void sort_group(const struct pair_groups *s, int64_t g)
{
    const struct bi_radix_job *j = s->j;
    const int64_t n = s->sizes[g], own = (int64_t)bi_thread_of(j->chunks) * s->largest;
    uint64_t *const gathered = s->gathered + own, *const words = s->words + own;
    const struct bi_radix_arrays to = bi_radix_at(j, j->out, s->first[g]);
    const uint64_t *const pairs = gather_group(s, g, gathered);
    if (n <= TINY) {
        j->pairs->unpack(pairs, n, to.keys, to.values);
        j->k->insert(to.keys, to.values, n, UINT32_MAX, INT64_MAX);
    } else if (n > BI_PAIR_ROWS || !sort_by_row_words(j, pairs, n, (uint32_t *)words, to)) {
        uint32_t *const keys = (uint32_t *)words, *const values = keys + n;
        j->pairs->unpack(pairs, n, keys, values);
        j->pairs->sort(keys, sizeof *values, values, n, gathered, to.keys, to.values);
    }
}

static bosc_status sort_groups(bosc_ctx *ctx, const struct pair_groups *s)
{
    struct bi_batches p = bi_batches_of(ctx, s->count, 6 * (double)s->j->n / s->count);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(s->j->chunks, (dynamic), g, p.begin, p.end, sort_group(s, g));
    }
    return p.status;
}

bosc_status bi_radix_sort_pairs_as_words(bosc_ctx *ctx, const struct bi_radix_job *j, enum bi_sort_outcome *outcome)
{
    /* 1. Check by a sample, then by all keys, that enough bits vary. */
    const bool small_values = j->k->value_size == 4;
    uint64_t bits = varying_bits(j, j->n < SAMPLE ? j->n : SAMPLE);
    /* The highest varying bits define the groups: if the top bit varies in the sample, other keys change nothing. */
    if (!vary_enough(bits) || bi_bit_length(bits) < 32) bits = varying_bits(j, j->n);
    const bool enough = vary_enough(bits),
               at_once = enough && j->n <= AT_ONCE && j->chunks == 1 && !ctx->progress.active;
    /* 2. One thread may sort all pairs at once. */
    *outcome = at_once ? BI_SORT_DONE : BI_SORT_DECLINED;
    if (at_once && (j->n <= AT_ONCE_4_BYTES || !small_values)) return sort_at_once(ctx, j);
    if (!small_values || !enough) return BOSC_OK;
    /* 3. Count and group the top digit; decline if a group is too large. */
    struct pair_groups s = {.j = j, .digit = bi_radix_top_digit(bits)};
    BI_TRY(bi_scratch_of(ctx, j->chunks, sizeof *s.counts, &s.counts));
    BI_TRY(count_chunks(ctx, &s));
    make_groups(&s);
    if (at_once && s.largest > j->n / UNEVEN) return sort_at_once(ctx, j);
    if (s.largest > BI_SORT_GROUP_PAIRS) return BOSC_OK;
    /* 4. Scatter to the groups and sort each. */
    BI_TRY(allocate_groups(ctx, &s));
    assign_slots(&s);
    *outcome = BI_SORT_DONE;
    BI_TRY(scatter_chunks(ctx, &s));
    return sort_groups(ctx, &s);
}
