/* Compaction: each chunk counts what it keeps, then copies it behind what the chunks before it keep. */
#include <string.h>

#include "core/cpu/collectives.h"

enum { GRAIN = BI_THREAD_ITEMS / 2 };

static int64_t count_kept(const uint8_t *keep, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n;) {
        int64_t end = i + 128 < n ? i + 128 : n;
        uint8_t some = 0; /* at most 128: bytes are added in vectors */
        for (; i < end; i++) some = (uint8_t)(some + (keep[i] != 0));
        kept += some;
    }
    return kept;
}

/* Every item is written where the next kept one goes, and only kept ones move that place on; so nothing is written
 * beyond `kept` items. */
#define COPY_KEPT(bytes)                                                                        \
    static void copy_kept_##bytes(const char *in, const uint8_t *keep, char *out, int64_t kept) \
    {                                                                                           \
        int64_t at = 0;                                                                         \
        for (int64_t i = 0; at < kept; i++) {                                                   \
            memcpy(out + at * bytes, in + i * bytes, bytes);                                    \
            at += keep[i] != 0;                                                                 \
        }                                                                                       \
    }
COPY_KEPT(1)
COPY_KEPT(2)
COPY_KEPT(4)
COPY_KEPT(8)
COPY_KEPT(12)
COPY_KEPT(16)

static void copy_kept(size_t size, const char *in, const uint8_t *keep, char *out, int64_t kept)
{
    switch (size) {
    case 1: copy_kept_1(in, keep, out, kept); return;
    case 2: copy_kept_2(in, keep, out, kept); return;
    case 4: copy_kept_4(in, keep, out, kept); return;
    case 8: copy_kept_8(in, keep, out, kept); return;
    case 12: copy_kept_12(in, keep, out, kept); return;
    case 16: copy_kept_16(in, keep, out, kept); return;
    }
    for (size_t at = 0, i = 0; at < (size_t)kept; i++)
        if (keep[i]) memcpy(out + at++ * size, in + i * size, size);
}

struct job {
    size_t item_size;
    const char *in;
    const uint8_t *keep;
    char *out;       /* or NULL: only counts */
    int64_t *begins; /* (chunks + 1): where the chunk's items go */
};

static void count_chunk(const struct job *j, int64_t begin, int64_t n, int chunks, int p)
{
    int64_t first = begin + bi_chunk_begin(n, chunks, p);
    j->begins[p + 1] = count_kept(j->keep + first, begin + bi_chunk_begin(n, chunks, p + 1) - first);
}

static void copy_chunk(const struct job *j, int64_t first, int p)
{
    copy_kept(j->item_size, j->in + (size_t)first * j->item_size, j->keep + first,
              j->out + (size_t)j->begins[p] * j->item_size, j->begins[p + 1] - j->begins[p]);
}

/* Items [begin, end), by `chunks` threads; *kept items are before them, and more after. */
static void compact_part(const struct job *j, int64_t begin, int64_t end, int chunks, int64_t *kept)
{
    const int64_t n = end - begin;
    BI_PARALLEL_FOR(chunks, (static), p, 0, chunks, count_chunk(j, begin, n, chunks, p));
    j->begins[0] = *kept;
    for (int p = 0; p < chunks; p++) j->begins[p + 1] += j->begins[p];
    *kept = j->begins[chunks];
    if (!j->out) return;
    BI_PARALLEL_FOR(chunks, (static), p, 0, chunks, copy_chunk(j, begin + bi_chunk_begin(n, chunks, p), p));
}

bosc_status bi_cpu_compact(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out,
                           int64_t *count)
{
    if (n == 0) { /* the arrays may be NULL, to which nothing may be added */
        *count = 0;
        return BOSC_OK;
    }
    int64_t kept = 0;
    struct bi_mark mark = bi_arena_mark(ctx);
    struct job j = {item_size, in, keep, out, NULL};
    BI_TRY(bi_scratch_of(ctx, bi_thread_count(ctx, n, GRAIN) + 1, sizeof *j.begins, &j.begins));
    struct bi_parts p = bi_parts_of(ctx, n, 1);
    while (bi_next_part(ctx, &p)) compact_part(&j, p.begin, p.end, bi_thread_count(ctx, p.end - p.begin, GRAIN), &kept);
    *count = kept;
    bi_arena_rewind(ctx, mark);
    return p.status;
}
