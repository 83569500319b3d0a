/* Stable split into many buckets: counts of each chunk and bucket, their places, then each chunk moves its items. More
 * buckets than that are sorted, by passes over a few bits of their numbers. */
#include <string.h>

#include "core/call.h"
#include "core/cpu/count_kernels.h"
#include "core/cpu/level.h"
#include "core/cpu/records.h"

enum { GRAIN = BI_THREAD_ITEMS / 2, MOST_COUNTED = 1 << 16 };

struct job {
    const struct bi_count_kernels *k;
    size_t item_size;
    const char *in;
    const uint32_t *bucket;
    int64_t n, n_buckets;
    char *out;
    int64_t *places; /* (chunks, n_buckets): counts, then where the chunk's next item of the bucket goes */
    int chunks;
};

/* Part of chunk c: whether a bucket is bad. */
static bool count_part(const struct job *j, int c, const struct bi_parts *parts)
{
    struct bi_span part = bi_chunk_part(j->n, j->chunks, c, parts);
    int64_t *mine = j->places + c * j->n_buckets;
    if (parts->begin == 0) memset(mine, 0, (size_t)j->n_buckets * sizeof *mine);
    return !j->k->count(j->bucket + part.begin, part.end - part.begin, j->n_buckets, mine);
}

static bosc_status count(bosc_ctx *ctx, const struct job *j, bool *found)
{
    int bad = 0;
    if (j->n == 0) memset(j->places, 0, (size_t)j->n_buckets * sizeof *j->places); /* there are no parts */
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    while (bi_next_part(ctx, &parts)) BI_PARALLEL_OR(j->chunks, bad, c, 0, j->chunks, count_part(j, (int)c, &parts));
    *found = bad;
    return parts.status;
}

static void place(const struct job *j, int64_t *offsets)
{
    int64_t at = 0;
    for (int64_t b = 0; b < j->n_buckets; b++) {
        offsets[b] = at;
        for (int p = 0; p < j->chunks; p++) {
            int64_t items = j->places[p * j->n_buckets + b];
            j->places[p * j->n_buckets + b] = at;
            at += items;
        }
    }
    offsets[j->n_buckets] = at;
}

/* Items of a constant size are copied by single moves. */
#define MOVE(bytes) \
    for (int64_t i = part.begin; i < part.end; i++) memcpy(out + places[bucket[i]]++ * bytes, in + i * bytes, bytes)

static void move(const struct job *j, int p, struct bi_span part)
{
    const int64_t size = (int64_t)j->item_size;
    const char *restrict in = j->in;
    const uint32_t *restrict bucket = j->bucket;
    char *restrict out = j->out;
    int64_t *restrict places = j->places + p * j->n_buckets;
    switch (size) {
    case 4: MOVE(4); break;
    case 8: MOVE(8); break;
    case 16: MOVE(16); break;
    default: MOVE(size); break;
    }
}

static bosc_status split(bosc_ctx *ctx, struct job *j, int64_t *offsets, uint32_t *bad)
{
    bool found;
    BI_TRY(bi_scratch_of(ctx, j->n_buckets * j->chunks, sizeof *j->places, &j->places));
    BI_TRY(count(ctx, j, &found));
    if (found) {
        *bad = 1;
        return BOSC_OK;
    }
    place(j, offsets);
    struct bi_parts parts = bi_chunk_parts(ctx, j->n, j->chunks, 1);
    while (bi_next_part(ctx, &parts)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks,
                        move(j, (int)p, bi_chunk_part(j->n, j->chunks, (int)p, &parts)));
    }
    return parts.status;
}

bosc_status bi_cpu_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                         int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad)
{
    if (n_buckets > MOST_COUNTED)
        return bi_cpu_split_by_sort(ctx, item_size, in, bucket, n, n_buckets, out, offsets, bad);
    struct job j = {.k = BI_LEVEL_PICK(ctx->level, bi_count_kernels),
                    .item_size = item_size,
                    .in = in,
                    .bucket = bucket,
                    .n = n,
                    .n_buckets = n_buckets,
                    .out = out,
                    .chunks = bi_thread_count(ctx, n, n_buckets > GRAIN ? n_buckets : GRAIN)};
    BI_RETURN_WITH_SCRATCH(ctx, split(ctx, &j, offsets, bad));
}
