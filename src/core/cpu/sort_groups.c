/* Sorts of more keys than a cache holds, in two passes over memory: blocks of them are divided in a thread's
 * cache into runs, one a group of keys between two splitters of a sample; then every group is gathered from the blocks
 * and sorted in a thread's cache. */
#include "base/bits.h"
#include "core/call.h"
#include "core/cpu/radix.h"

enum { GROUP = 1 << 16 /* keys, about */, LEAST_BITS = 3, MOST_BITS = BI_SORT_GROUP_BITS };

struct groups {
    const struct bi_radix_job *j;
    int64_t blocks;
    int bits;                                    /* 2^bits groups */
    uint64_t splitters[1 << BI_SORT_GROUP_BITS]; /* room for words of either size */
    uint16_t *ends;                              /* (blocks x groups) where the run of each group ends in a block */
    int64_t *begins;                             /* (groups + 1) in the output */
    char *spares;                                /* (threads x BI_SORT_BLOCK) words */
};

static void *own_spare(const struct groups *s)
{
    return s->spares + (size_t)bi_thread_number() * BI_SORT_BLOCK * s->j->k->key_size;
}

/* Whether the block has a -0, whose order among zeros is lost. */
static bool divide_block(const struct groups *s, int64_t b)
{
    const struct bi_radix_job *j = s->j;
    const int64_t begin = b * BI_SORT_BLOCK, n = j->n - begin < BI_SORT_BLOCK ? j->n - begin : BI_SORT_BLOCK;
    return j->words->divide(j->dtype, bi_radix_at(j, j->in, begin).keys, bi_radix_at(j, j->spare, begin).keys,
                            own_spare(s), n, s->splitters, s->bits, s->ends + (b << s->bits));
}

static bosc_status divide(bosc_ctx *ctx, const struct groups *s, bool *loses)
{
    int lost = 0;
    struct bi_parts p = bi_parts_of(ctx, s->blocks, 4 * (double)s->j->n / (double)s->blocks);
    while (bi_next_part(ctx, &p)) {
        BI_PARALLEL_OR(s->j->chunks, lost, b, p.begin, p.end, divide_block(s, b));
    }
    *loses = lost;
    return p.status;
}

static void place(const struct groups *s)
{
    const int64_t count = (int64_t)1 << s->bits;
    memset(s->begins, 0, (size_t)(count + 1) * sizeof *s->begins);
    for (int64_t b = 0; b < s->blocks; b++)
        for (int64_t g = 0, end = 0; g < count; end = s->ends[(b << s->bits) + g++])
            s->begins[g + 1] += s->ends[(b << s->bits) + g] - end;
    for (int64_t g = 0; g < count; g++) s->begins[g + 1] += s->begins[g];
}

static void sort_group(const struct groups *s, int64_t g)
{
    const struct bi_radix_job *j = s->j;
    const size_t size = j->k->key_size;
    char *const first = bi_radix_at(j, j->out, s->begins[g]).keys, *to = first;
    for (int64_t b = 0; b < s->blocks; b++) {
        const uint16_t *ends = s->ends + (b << s->bits);
        const int64_t begin = g > 0 ? ends[g - 1] : 0, n = ends[g] - begin;
        memcpy(to, bi_radix_at(j, j->spare, b * BI_SORT_BLOCK + begin).keys, (size_t)n * size);
        to += (size_t)n * size;
    }
    j->words->words(j->dtype, first, s->begins[g + 1] - s->begins[g]);
}

static bosc_status sort_all(bosc_ctx *ctx, const struct groups *s)
{
    const int64_t count = (int64_t)1 << s->bits;
    struct bi_parts p = bi_parts_of(ctx, count, 4 * (double)s->j->n / (double)count);
    while (bi_next_part(ctx, &p)) {
        BI_PARALLEL_FOR(s->j->chunks, (dynamic), g, p.begin, p.end, sort_group(s, g));
    }
    return p.status;
}

bosc_status bi_radix_sort_groups(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done)
{
    struct groups s = {.j = j, .blocks = (j->n + BI_SORT_BLOCK - 1) / BI_SORT_BLOCK};
    const int bits = bi_bit_length((uint64_t)j->n / GROUP);
    s.bits = bits < LEAST_BITS ? LEAST_BITS : bits > MOST_BITS ? MOST_BITS : bits;
    BI_TRY(bi_scratch_of(ctx, s.blocks << s.bits, sizeof *s.ends, &s.ends));
    BI_TRY(bi_scratch_of(ctx, ((int64_t)1 << s.bits) + 1, sizeof *s.begins, &s.begins));
    BI_TRY(bi_scratch_of(ctx, (int64_t)j->chunks * BI_SORT_BLOCK, j->k->key_size, &s.spares));
    j->words->splitters(j->dtype, j->in.keys, j->n, s.bits, s.splitters);
    bool loses;
    BI_TRY(divide(ctx, &s, &loses));
    *done = !loses;
    if (loses) return BOSC_OK;
    place(&s);
    return sort_all(ctx, &s);
}
