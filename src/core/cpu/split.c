/* Stable split into many buckets: counts of each chunk and bucket, their places, then each chunk moves its items. More
 * buckets than that are sorted, by passes over a few bits of their numbers. */
#include <string.h>

#include "core/cpu/records.h"

enum { GRAIN = 1 << 14, MOST_COUNTED = 1 << 16 };

struct job {
    size_t item_size;
    const char *in;
    const uint32_t *bucket;
    int64_t n, n_buckets;
    char *out;
    int64_t *places; /* (chunks, n_buckets): counts, then where the chunk's next item of the bucket goes */
    int chunks;
};

static bool count(const struct job *j)
{
    int bad = 0;
#pragma omp parallel for schedule(static) num_threads(j->chunks) reduction(| : bad)
    for (int p = 0; p < j->chunks; p++) {
        int64_t *mine = j->places + p * j->n_buckets;
        memset(mine, 0, (size_t)j->n_buckets * sizeof *mine);
        for (int64_t i = bi_chunk_begin(j->n, j->chunks, p); i < bi_chunk_begin(j->n, j->chunks, p + 1); i++)
            if (j->bucket[i] < j->n_buckets)
                mine[j->bucket[i]]++;
            else
                bad = 1;
    }
    return bad;
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
    for (int64_t i = begin; i < end; i++) memcpy(out + places[bucket[i]]++ * bytes, in + i * bytes, bytes)

static void move(const struct job *j, int p)
{
    int64_t begin = bi_chunk_begin(j->n, j->chunks, p), end = bi_chunk_begin(j->n, j->chunks, p + 1);
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

bosc_status bi_cpu_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                         int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad)
{
    if (n_buckets > MOST_COUNTED)
        return bi_cpu_split_by_sort(ctx, item_size, in, bucket, n, n_buckets, out, offsets, bad);
    struct job j = {.item_size = item_size,
                    .in = in,
                    .bucket = bucket,
                    .n = n,
                    .n_buckets = n_buckets,
                    .out = out,
                    .chunks = bi_thread_count(ctx, n, n_buckets > GRAIN ? n_buckets : GRAIN)};
    struct bi_mark mark = bi_arena_mark(ctx);
    void *places;
    BI_TRY(bi_scratch(ctx, (size_t)n_buckets * (size_t)j.chunks * sizeof(int64_t), &places));
    j.places = places;
    if (count(&j)) {
        *bad = 1;
    } else {
        place(&j, offsets);
#pragma omp parallel for schedule(static) num_threads(j.chunks)
        for (int p = 0; p < j.chunks; p++) move(&j, p);
    }
    bi_arena_rewind(ctx, mark);
    return bi_advance(ctx, 2 * (double)n);
}
