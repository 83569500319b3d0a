/* Stable split into buckets: count each chunk's items of each bucket, compute their slots, scatter each chunk. Splits
 * into very many buckets sort the bucket numbers instead. */
#include <string.h>

#include "core/call.h"
#include "core/cpu/collectives.h"
#include "core/cpu/kernels.h"
#include "core/cpu/level.h"

enum { GRAIN = BI_THREAD_ITEMS / 2, MAX_COUNTED = 1 << 16 /* buckets counted directly, at most: 512 KB a thread */ };

struct split_job {
    const struct bi_count_kernels *k;
    size_t item_size;
    const char *in;
    const uint32_t *bucket;
    int64_t n, n_buckets;
    char *out;
    int64_t *slots; /* (chunks, n_buckets): counts, then the slot of the chunk's next item of the bucket */
    int chunks;
};

/* Counts a batch of chunk c. Returns true if a bucket is out of range. */
static bool count_chunk(const struct split_job *j, int c, const struct bi_batches *batch)
{
    struct bi_span part = bi_batch_of_chunk(j->n, j->chunks, c, batch);
    int64_t *own_counts = j->slots + c * j->n_buckets;
    if (batch->begin == 0) memset(own_counts, 0, (size_t)j->n_buckets * sizeof *own_counts);
    return !j->k->count(j->bucket + part.begin, part.end - part.begin, j->n_buckets, own_counts);
}

static bosc_status count_buckets(bosc_ctx *ctx, const struct split_job *j, bool *found)
{
    int bad = 0;
    if (j->n == 0) memset(j->slots, 0, (size_t)j->n_buckets * sizeof *j->slots); /* there are no batches */
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    while (bi_next_batch(ctx, &batch)) BI_PARALLEL_OR(j->chunks, bad, c, 0, j->chunks, count_chunk(j, (int)c, &batch));
    *found = bad;
    return batch.status;
}

/* Turns counts into slots: by bucket, then by chunk. */
static void counts_to_slots(const struct split_job *j, int64_t *offsets)
{
    int64_t sum = 0;
    for (int64_t b = 0; b < j->n_buckets; b++) {
        offsets[b] = sum;
        for (int p = 0; p < j->chunks; p++) {
            int64_t items = j->slots[p * j->n_buckets + b];
            j->slots[p * j->n_buckets + b] = sum;
            sum += items;
        }
    }
    offsets[j->n_buckets] = sum;
}

/* Items of a constant size are copied by single instructions. */
#define SCATTER(bytes) \
    for (int64_t i = part.begin; i < part.end; i++) memcpy(out + slots[bucket[i]]++ * bytes, in + i * bytes, bytes)

static void scatter_chunk(const struct split_job *j, int p, struct bi_span part)
{
    const int64_t size = (int64_t)j->item_size;
    const char *restrict in = j->in;
    const uint32_t *restrict bucket = j->bucket;
    char *restrict out = j->out;
    int64_t *restrict slots = j->slots + p * j->n_buckets;
    switch (size) {
    case 4: SCATTER(4); break;
    case 8: SCATTER(8); break;
    case 16: SCATTER(16); break;
    default: SCATTER(size); break;
    }
}

static bosc_status split_by_counts(bosc_ctx *ctx, struct split_job *j, int64_t *offsets, uint32_t *bad)
{
    bool found;
    BI_TRY(bi_scratch_of(ctx, j->n_buckets * j->chunks, sizeof *j->slots, &j->slots));
    BI_TRY(count_buckets(ctx, j, &found));
    if (found) {
        *bad = 1;
        return BOSC_OK;
    }
    counts_to_slots(j, offsets);
    struct bi_batches batch = bi_chunk_batches(ctx, j->n, j->chunks, 1);
    while (bi_next_batch(ctx, &batch)) {
        BI_PARALLEL_FOR(j->chunks, (static), p, 0, j->chunks,
                        scatter_chunk(j, (int)p, bi_batch_of_chunk(j->n, j->chunks, (int)p, &batch)));
    }
    return batch.status;
}

bosc_status bi_cpu_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                         int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad)
{
    if (n_buckets > MAX_COUNTED)
        return bi_cpu_split_by_sort(ctx, item_size, in, bucket, n, n_buckets, out, offsets, bad);
    struct split_job j = {.k = BI_LEVEL_PICK(ctx->level, bi_count_kernels),
                          .item_size = item_size,
                          .in = in,
                          .bucket = bucket,
                          .n = n,
                          .n_buckets = n_buckets,
                          .out = out,
                          .chunks = bi_thread_count(ctx, n, n_buckets > GRAIN ? n_buckets : GRAIN)};
    BI_RETURN_WITH_SCRATCH(ctx, split_by_counts(ctx, &j, offsets, bad));
}
