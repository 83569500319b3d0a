/* Sorts of pairs of keys of 4 bytes as words of 64 bits: all at once, or, where a cache does not hold them, in groups
 * by the top bits of their keys, which are moved together with their values and then sorted in a thread's cache. */
#include "base/bits.h"
#include "core/call.h"
#include "core/cpu/radix.h"

enum {
    SOME = 1024,               /* keys that tell whether enough bits vary, if they do */
    AT_ONCE = 1 << 20,         /* most pairs that one thread sorts at once, */
    AT_ONCE_NARROW = 1 << 17,  /* if their values have 4 bytes; more if groups would be uneven */
    STREAMED = 1 << 16,        /* pairs that leave the caches */
    LINES = 8 * BI_PAIR_LINES, /* words */
    GROUP = 1 << 11,           /* least pairs of a group, about */
    TINY = 40,                 /* sorted by insertion */
    FEW_SAME = 4,              /* rows for one that has the same top bits as the one before it */
    MOVES_A_KEY = 4,           /* of an insertion that is not given up */
    UNEVEN = 8                 /* groups of as many pairs as there are */
};

/* The bits in which keys vary. */
static uint64_t varying(const struct bi_radix_job *j, int64_t n) { return j->k->varying(j->in.keys, n, j->in.keys); }

static bool vary_enough(uint64_t bits)
{
    return bits && bi_bit_length(bits) - bi_bit_length(bits & -bits) >= BI_RADIX_TOP_BITS;
}

static bosc_status sort_at_once(bosc_ctx *ctx, const struct bi_radix_job *j)
{
    uint64_t *words;
    BI_TRY(bi_scratch_of(ctx, j->n, sizeof *words, &words));
    const struct bi_radix_arrays from = bi_radix_apart(j);
    j->pairs->pairs(from.keys, j->k->value_size, from.values, j->n, words, j->out.keys, j->out.values);
    return bi_progress_advance(ctx, 8 * (double)j->n);
}

struct groups {
    const struct bi_radix_job *j;
    struct bi_radix_digit digit;
    uint16_t map[BI_RADIX_TOP];
    int64_t sizes[BI_PAIR_GROUPS], first[BI_PAIR_GROUPS + 1]; /* in the output */
    int count;
    int64_t most;                      /* in a group */
    int64_t (*counts)[BI_RADIX_TOP];   /* (chunks) */
    int64_t (*begins)[BI_PAIR_GROUPS]; /* (chunks) in `pairs` */
    int64_t (*ends)[BI_PAIR_GROUPS];   /* (chunks) */
    uint64_t *pairs;                   /* (n, and lines that are not full) */
    uint64_t *words;                   /* (threads x most) */
    uint64_t *gathered;                /* (threads x most) */
};

static bosc_status reserve(bosc_ctx *ctx, struct groups *s)
{
    const int64_t chunks = s->j->chunks, room = chunks * s->most;
    BI_TRY(bi_scratch_of(ctx, chunks, sizeof *s->begins, &s->begins));
    BI_TRY(bi_scratch_of(ctx, chunks, sizeof *s->ends, &s->ends));
    BI_TRY(bi_scratch_of(ctx, s->j->n + chunks * BI_PAIR_GROUPS * 2 * LINES, sizeof *s->pairs, &s->pairs));
    BI_TRY(bi_scratch_of(ctx, room, sizeof *s->words, &s->words));
    return bi_scratch_of(ctx, room, sizeof *s->gathered, &s->gathered);
}

static bosc_status count(bosc_ctx *ctx, const struct groups *s)
{
    const struct bi_radix_job *j = s->j;
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    memset(s->counts, 0, (size_t)j->chunks * sizeof *s->counts);
    while (bi_next_part(ctx, &parts)) {
        BI_PARALLEL_FOR(j->chunks, (static), c, 0, j->chunks, {
            const struct bi_span part = bi_chunk_part(j->n, j->chunks, (int)c, &parts);
            j->k->count_top(bi_radix_at(j, j->in, part.begin).keys, part.end - part.begin, s->digit, s->counts[c]);
        });
    }
    return parts.status;
}

static void make_groups(struct groups *s)
{
    const struct bi_radix_job *j = s->j;
    int64_t total[BI_RADIX_TOP] = {0};
    for (int c = 0; c < j->chunks; c++)
        for (int v = 0; v < BI_RADIX_TOP; v++) total[v] += s->counts[c][v];
    uint16_t ends[BI_PAIR_GROUPS];
    const int64_t even = j->n / (BI_PAIR_GROUPS - BI_PAIR_GROUPS / 16) + 1, target = even < GROUP ? GROUP : even;
    s->count = bi_radix_make_groups(total, target, BI_PAIR_GROUPS, ends, s->sizes);
    if (s->sizes[s->count - 1] > target) /* two neighbours of these are larger than it */
        s->count = bi_radix_make_groups(total, 2 * target, BI_PAIR_GROUPS, ends, s->sizes);
    for (int g = 0, v = 0; g < s->count; g++) {
        for (; v < ends[g]; v++) s->map[v] = (uint16_t)g;
        s->most = s->sizes[g] > s->most ? s->sizes[g] : s->most;
        s->first[g + 1] = s->first[g] + s->sizes[g];
    }
}

/* Where each chunk's pairs of each group go: to lines of their own, behind as many. */
static void place(const struct groups *s)
{
    const int chunks = s->j->chunks;
    memset(s->ends, 0, (size_t)chunks * sizeof *s->ends);
    for (int c = 0; c < chunks; c++)
        for (int v = 0; v < BI_RADIX_TOP; v++) s->ends[c][s->map[v]] += s->counts[c][v];
    int64_t at = 0;
    for (int g = 0; g < BI_PAIR_GROUPS; g++)
        for (int c = 0; c < chunks; c++) {
            const int64_t own = s->ends[c][g];
            at += LINES;
            s->begins[c][g] = s->ends[c][g] = at;
            at += (own + LINES - 1) / LINES * LINES;
        }
}

static bosc_status scatter(bosc_ctx *ctx, const struct groups *s)
{
    const struct bi_radix_job *j = s->j;
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    while (bi_next_part(ctx, &parts)) {
        BI_PARALLEL_FOR(j->chunks, (static), c, 0, j->chunks, {
            const struct bi_span part = bi_chunk_part(j->n, j->chunks, (int)c, &parts);
            const struct bi_radix_arrays from = bi_radix_at(j, j->in, part.begin);
            const struct bi_pair_move move = {.keys = from.keys,
                                              .values = from.values,
                                              .n = part.end - part.begin,
                                              .to = s->pairs,
                                              .digit = s->digit,
                                              .map = s->map,
                                              .offsets = s->ends[c],
                                              .streams = j->n >= STREAMED};
            j->pairs->scatter(&move);
        });
    }
    return parts.status;
}

/* A group's pairs, which chunks have moved to places of their own, side by side. */
static const uint64_t *gather(const struct groups *s, int64_t g, uint64_t *to)
{
    const int chunks = s->j->chunks;
    if (chunks == 1) return s->pairs + s->begins[0][g];
    uint64_t *at = to;
    for (int c = 0; c < chunks; at += s->ends[c][g] - s->begins[c][g], c++)
        memcpy(at, s->pairs + s->begins[c][g], (size_t)(s->ends[c][g] - s->begins[c][g]) * sizeof *at);
    return to;
}

/* Orders rows by as many of the top bits of their keys as a word has room for beside a row's number; the few
 * neighbours that then stand wrong are put right by insertion. Returns whether they are sorted. */
static bool sort_rows(const struct bi_radix_job *j, const uint64_t *pairs, int64_t n, uint32_t *rows,
                      struct bi_radix_arrays to)
{
    const uint32_t bits = j->pairs->varying(pairs, n);
    const int row_bits = bi_bit_length((uint64_t)n - 1), all = bits ? bi_bit_length(bits & -bits) - 1 : 0;
    const int top = bi_bit_length(bits) - 32 + row_bits;
    const struct bi_sort_window window = {bits, top > all ? top : all, row_bits};
    if (j->vectors->pair_rows(j->dtype, pairs, n, window, rows) > n / FEW_SAME && top > all) return false;
    j->pairs->fetch(pairs, rows, n, to.keys, to.values);
    return top <= all || j->k->insert(to.keys, to.values, n, UINT32_MAX, MOVES_A_KEY * n);
}

static void sort_group(const struct groups *s, int64_t g)
{
    const struct bi_radix_job *j = s->j;
    const int64_t n = s->sizes[g], own = (int64_t)bi_thread_number() * s->most;
    uint64_t *const gathered = s->gathered + own, *const words = s->words + own;
    const struct bi_radix_arrays to = bi_radix_at(j, j->out, s->first[g]);
    const uint64_t *const pairs = gather(s, g, gathered);
    if (n <= TINY) {
        j->pairs->unpack(pairs, n, to.keys, to.values);
        j->k->insert(to.keys, to.values, n, UINT32_MAX, INT64_MAX);
    } else if (n > BI_PAIR_ROWS || !sort_rows(j, pairs, n, (uint32_t *)words, to)) {
        uint32_t *const keys = (uint32_t *)words, *const values = keys + n;
        j->pairs->unpack(pairs, n, keys, values);
        j->pairs->pairs(keys, sizeof *values, values, n, gathered, to.keys, to.values);
    }
}

static bosc_status sort_groups(bosc_ctx *ctx, const struct groups *s)
{
    struct bi_parts p = bi_parts_of(ctx, s->count, 6 * (double)s->j->n / s->count);
    while (bi_next_part(ctx, &p)) {
        BI_PARALLEL_FOR(s->j->chunks, (dynamic), g, p.begin, p.end, sort_group(s, g));
    }
    return p.status;
}

bosc_status bi_radix_sort_wide_pairs(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done)
{
    const bool narrow = j->k->value_size == 4;
    uint64_t bits = varying(j, j->n < SOME ? j->n : SOME);
    /* The highest bits that vary make the groups: if the top one does, among some keys, others change nothing. */
    if (!vary_enough(bits) || bi_bit_length(bits) < 32) bits = varying(j, j->n);
    const bool enough = vary_enough(bits),
               at_once = enough && j->n <= AT_ONCE && j->chunks == 1 && !ctx->progress.listens;
    *done = at_once;
    if (at_once && (j->n <= AT_ONCE_NARROW || !narrow)) return sort_at_once(ctx, j);
    if (!narrow || !enough) return BOSC_OK;
    struct groups s = {.j = j, .digit = bi_radix_top_digit(bits)};
    BI_TRY(bi_scratch_of(ctx, j->chunks, sizeof *s.counts, &s.counts));
    BI_TRY(count(ctx, &s));
    make_groups(&s);
    if (at_once && s.most > j->n / UNEVEN) return sort_at_once(ctx, j);
    if (s.most > BI_SORT_WIDE) return BOSC_OK;
    BI_TRY(reserve(ctx, &s));
    place(&s);
    *done = true;
    BI_TRY(scatter(ctx, &s));
    return sort_groups(ctx, &s);
}
