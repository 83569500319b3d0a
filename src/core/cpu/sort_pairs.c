/* Sorts of pairs of keys of 4 bytes as words of 64 bits: all at once, or, where a cache does not hold them, in groups
 * by the top bits of their keys, which are moved together with their values and then sorted in a thread's cache. */
#include "base/bits.h"
#include "core/call.h"
#include "core/cpu/radix.h"

enum {
    SOME = 1024,              /* keys that tell whether enough bits vary, if they do */
    AT_ONCE = 1 << 20,        /* most pairs that one thread sorts at once */
    STREAMED = 1 << 19,       /* pairs that leave the caches */
    LINES = 8 * BI_PAIR_LINES /* words */
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
    return bi_advance(ctx, 8 * (double)j->n);
}

struct groups {
    const struct bi_radix_job *j;
    struct bi_radix_digit digit;
    uint8_t map[BI_RADIX_TOP];
    int64_t sizes[BI_RADIX], first[BI_RADIX + 1]; /* in the output */
    int count;
    int64_t most;                    /* in a group */
    int64_t (*counts)[BI_RADIX_TOP]; /* (chunks) */
    int64_t (*begins)[BI_RADIX];     /* (chunks) in `pairs` */
    int64_t (*ends)[BI_RADIX];       /* (chunks) */
    uint64_t *pairs;                 /* (n, and lines that are not full) */
    uint64_t *words;                 /* (threads x most) */
    uint32_t *keys, *values;         /* (threads x most) */
};

static bosc_status reserve(bosc_ctx *ctx, struct groups *s)
{
    const int64_t chunks = s->j->chunks, room = chunks * s->most;
    BI_TRY(bi_scratch_of(ctx, chunks, sizeof *s->begins, &s->begins));
    BI_TRY(bi_scratch_of(ctx, chunks, sizeof *s->ends, &s->ends));
    BI_TRY(bi_scratch_of(ctx, s->j->n + chunks * BI_RADIX * 2 * LINES, sizeof *s->pairs, &s->pairs));
    BI_TRY(bi_scratch_of(ctx, room, sizeof *s->words, &s->words));
    BI_TRY(bi_scratch_of(ctx, room, sizeof *s->keys, &s->keys));
    return bi_scratch_of(ctx, room, sizeof *s->values, &s->values);
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
    s->count = bi_radix_make_map(total, j->n, s->map, s->sizes);
    for (int g = 0; g < s->count; g++) {
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
    for (int g = 0; g < BI_RADIX; g++)
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
            const struct bi_radix_move move = {.keys = from.keys,
                                               .values = from.values,
                                               .n = part.end - part.begin,
                                               .keys_out = s->pairs,
                                               .digit = s->digit,
                                               .map = s->map,
                                               .offsets = s->ends[c],
                                               .streams = j->n >= STREAMED};
            j->pairs->scatter(&move);
        });
    }
    return parts.status;
}

static void sort_group(const struct groups *s, int64_t g)
{
    const struct bi_radix_job *j = s->j;
    const int64_t own = (int64_t)bi_thread_number() * s->most, n = s->sizes[g];
    const struct bi_radix_arrays from = {s->keys + own, s->values + own}, to = bi_radix_at(j, j->out, s->first[g]);
    int64_t at = 0;
    for (int c = 0; c < j->chunks; at += s->ends[c][g] - s->begins[c][g], c++)
        j->pairs->unpack(s->pairs + s->begins[c][g], s->ends[c][g] - s->begins[c][g], s->keys + own + at,
                         s->values + own + at);
    if (!bi_radix_sort_vectors(j, from, to, from, n))
        j->pairs->pairs(from.keys, sizeof *s->values, from.values, n, s->words + own, to.keys, to.values);
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
    *done = j->n <= AT_ONCE && j->chunks == 1 && !ctx->progress.listens &&
            (vary_enough(varying(j, j->n < SOME ? j->n : SOME)) || vary_enough(varying(j, j->n)));
    if (*done) return sort_at_once(ctx, j);
    if (j->k->value_size != 4) return BOSC_OK;
    const uint64_t bits = varying(j, j->n);
    if (!vary_enough(bits)) return BOSC_OK;
    struct groups s = {.j = j, .digit = bi_radix_top_digit(bits)};
    BI_TRY(bi_scratch_of(ctx, j->chunks, sizeof *s.counts, &s.counts));
    BI_TRY(count(ctx, &s));
    make_groups(&s);
    if (s.most > BI_SORT_WIDE) return BOSC_OK;
    BI_TRY(reserve(ctx, &s));
    place(&s);
    *done = true;
    BI_TRY(scatter(ctx, &s));
    return sort_groups(ctx, &s);
}
