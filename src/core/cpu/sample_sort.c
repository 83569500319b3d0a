/* Sample sort of more keys than a cache holds, in two passes over memory. Splitters from a sample define groups of
 * keys. Threads partition blocks by the splitters in their caches; then they gather each group from all blocks and sort
 * it in their caches. */
#include "base/bits.h"
#include "core/call.h"
#include "core/cpu/radix_methods.h"

enum {
    GROUP = 1 << 16 /* keys, about: 512 KB of 8 bytes, which fit a second-level cache */,
    MIN_BITS = 3,
    MAX_BITS = BI_SORT_GROUP_BITS
};

struct sample_sort {
    const struct bi_radix_job *j;
    int64_t blocks;
    int bits;                                    /* 2^bits groups */
    uint64_t splitters[1 << BI_SORT_GROUP_BITS]; /* room for words of either size */
    uint16_t *ends;                              /* (blocks x groups) where the run of each group ends in a block */
    int64_t *begins;                             /* (groups + 1) in the output */
    char *spares;                                /* (threads x BI_SORT_BLOCK) words */
};

static void *thread_spare(const struct sample_sort *s)
{
    return s->spares + (size_t)bi_thread_of(s->j->chunks) * BI_SORT_BLOCK * s->j->k->key_size;
}

/* Returns true if the block has a -0, whose order among zeros would be lost. */
static bool partition_block(const struct sample_sort *s, int64_t b)
{
    const struct bi_radix_job *j = s->j;
    const int64_t begin = b * BI_SORT_BLOCK, n = j->n - begin < BI_SORT_BLOCK ? j->n - begin : BI_SORT_BLOCK;
    return j->words->partition(j->dtype, bi_radix_at(j, j->in, begin).keys, bi_radix_at(j, j->spare, begin).keys,
                               thread_spare(s), n, s->splitters, s->bits, s->ends + (b << s->bits));
}

/* First pass. */
static bosc_status partition_blocks(bosc_ctx *ctx, const struct sample_sort *s, bool *loses_zeros)
{
    int lost = 0;
    struct bi_batches p = bi_batches_of(ctx, s->blocks, 4 * (double)s->j->n / (double)s->blocks);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_OR(s->j->chunks, lost, b, p.begin, p.end, partition_block(s, b));
    }
    *loses_zeros = lost;
    return p.status;
}

/* Computes where each group begins in the output. */
static void compute_begins(const struct sample_sort *s)
{
    const int64_t count = (int64_t)1 << s->bits;
    memset(s->begins, 0, (size_t)(count + 1) * sizeof *s->begins);
    for (int64_t b = 0; b < s->blocks; b++)
        for (int64_t g = 0, end = 0; g < count; end = s->ends[(b << s->bits) + g++])
            s->begins[g + 1] += s->ends[(b << s->bits) + g] - end;
    for (int64_t g = 0; g < count; g++) s->begins[g + 1] += s->begins[g];
}

/* Gathers a group from all blocks, into the output, and sorts it there. */
static void sort_group(const struct sample_sort *s, int64_t g)
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
    j->words->sort_words(j->dtype, first, s->begins[g + 1] - s->begins[g]);
}

/* Second pass. */
static bosc_status sort_groups(bosc_ctx *ctx, const struct sample_sort *s)
{
    const int64_t count = (int64_t)1 << s->bits;
    struct bi_batches p = bi_batches_of(ctx, count, 4 * (double)s->j->n / (double)count);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(s->j->chunks, (dynamic), g, p.begin, p.end, sort_group(s, g));
    }
    return p.status;
}

bosc_status bi_sample_sort(bosc_ctx *ctx, const struct bi_radix_job *j, enum bi_sort_outcome *outcome)
{
    struct sample_sort s = {.j = j, .blocks = (j->n + BI_SORT_BLOCK - 1) / BI_SORT_BLOCK};
    const int bits = bi_bit_length((uint64_t)j->n / GROUP);
    s.bits = bits < MIN_BITS ? MIN_BITS : bits > MAX_BITS ? MAX_BITS : bits;
    BI_TRY(bi_scratch_of(ctx, s.blocks << s.bits, sizeof *s.ends, &s.ends));
    BI_TRY(bi_scratch_of(ctx, ((int64_t)1 << s.bits) + 1, sizeof *s.begins, &s.begins));
    BI_TRY(bi_scratch_of(ctx, (int64_t)j->chunks * BI_SORT_BLOCK, j->k->key_size, &s.spares));
    j->words->choose_splitters(j->dtype, j->in.keys, j->n, s.bits, s.splitters);
    bool loses_zeros;
    BI_TRY(partition_blocks(ctx, &s, &loses_zeros));
    *outcome = loses_zeros ? BI_SORT_DECLINED : BI_SORT_DONE;
    if (loses_zeros) return BOSC_OK;
    compute_begins(&s);
    return sort_groups(ctx, &s);
}
