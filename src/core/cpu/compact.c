/* Compaction: each chunk counts its kept items, then copies them behind those of earlier chunks. */
#include "core/cpu/collectives.h"
#include "core/cpu/kernels.h"
#include "core/cpu/level.h"

enum { GRAIN = BI_THREAD_ITEMS / 2 };

struct compact_job {
    const struct bi_compact_kernels *k;
    size_t item_size;
    const char *in;
    const uint8_t *keep;
    char *out;       /* or NULL: only counts */
    int64_t *begins; /* (chunks + 1): first slot of each chunk */
};

static void count_chunk(const struct compact_job *j, int64_t begin, int64_t n, int chunks, int p)
{
    int64_t first = begin + bi_chunk_begin(n, chunks, p);
    j->begins[p + 1] = j->k->count(j->keep + first, begin + bi_chunk_begin(n, chunks, p + 1) - first);
}

static void copy_chunk(const struct compact_job *j, int64_t begin, int64_t n, int chunks, int p)
{
    int64_t first = begin + bi_chunk_begin(n, chunks, p);
    j->k->copy(j->item_size, j->in + (size_t)first * j->item_size, j->keep + first,
               begin + bi_chunk_begin(n, chunks, p + 1) - first, j->out + (size_t)j->begins[p] * j->item_size,
               j->begins[p + 1] - j->begins[p]);
}

/* Compacts items [begin, end) with `chunks` threads behind the first *kept results, and updates *kept. */
static void compact_batch(const struct compact_job *j, int64_t begin, int64_t end, int chunks, int64_t *kept)
{
    const int64_t n = end - begin;
    BI_PARALLEL_FOR(chunks, (static), p, 0, chunks, count_chunk(j, begin, n, chunks, p));
    j->begins[0] = *kept;
    for (int p = 0; p < chunks; p++) j->begins[p + 1] += j->begins[p];
    *kept = j->begins[chunks];
    if (!j->out) return;
    BI_PARALLEL_FOR(chunks, (static), p, 0, chunks, copy_chunk(j, begin, n, chunks, p));
}

bosc_status bi_cpu_compact(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out,
                           int64_t *count)
{
    if (n == 0) { /* the arrays may be NULL: no pointer arithmetic on them */
        *count = 0;
        return BOSC_OK;
    }
    int64_t kept = 0;
    struct bi_mark mark = bi_arena_mark(ctx);
    struct compact_job j = {BI_LEVEL_PICK(ctx->level, bi_compact_kernels), item_size, in, keep, out, NULL};
    BI_TRY(bi_scratch_of(ctx, bi_thread_count(ctx, n, GRAIN) + 1, sizeof *j.begins, &j.begins));
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p))
        compact_batch(&j, p.begin, p.end, bi_thread_count(ctx, p.end - p.begin, GRAIN), &kept);
    *count = kept;
    bi_arena_rewind(ctx, mark);
    return p.status;
}
