/* Queries in the order of their owners: a thread passes over several streams of rows in turn, each with counters of its
 * own. An increment waits for the one before it of the same counter, so one stream alone would wait at most rows. */
#include "ranks/cpu/queries.h"

#include <string.h>

#include "core/cpu/threads.h"
#include "core/steps.h"
#include "ranks/steps/exchange.h"

enum { STREAMS = 4 /* of a thread; other numbers not measured */ };

/* The streams of all threads: stream w has rows [w * length, (w + 1) * length) of n. */
struct streams {
    const struct bi_ranks_queries *q;
    int threads;
    int64_t length;
    int64_t *counts; /* (streams, ranks): rows of each rank, then the position of the next one */
};

static struct streams make_streams(const bosc_ctx *ctx, const struct bi_ranks_queries *q)
{
    const int threads = bi_thread_count_by_cost(ctx, q->n, 4);
    return (struct streams){.q = q, .threads = threads, .length = bi_div_up(q->n, threads * STREAMS)};
}

/* Runs a statement for all rows i of a thread's streams, with the counters of the row's stream. */
#define FOR_EACH_ROW(s, thread, i, own_counts, ...)                                     \
    for (int64_t j_ = 0; j_ < (s)->length; j_++)                                        \
        for (int64_t w_ = (thread)*STREAMS; w_ < ((thread) + 1) * STREAMS; w_++) {      \
            const int64_t i = w_ * (s)->length + j_;                                    \
            int64_t *const own_counts = (s)->counts + w_ * (int64_t)(s)->q->rank_count; \
            if (i < (s)->q->n) __VA_ARGS__                                              \
        }

/* Counts the rows of each rank, and stores their owners in place of positions. key_bits: a constant in each call. */
static inline void count_rows(const struct streams *s, int64_t thread, int32_t key_bits)
{
    const struct bi_ranks_queries *q = s->q;
    const uint32_t ranks = q->rank_count;
    FOR_EACH_ROW(s, thread, i, counts, {
        const uint32_t owner = bi_ranks_owner_of(bosc_hash_word_at(q->keys, i, key_bits), ranks);
        q->positions[i] = owner;
        counts[owner]++;
    })
}

static void count_stream_rows(const struct streams *s, int64_t thread)
{
    switch (s->q->key_bits) {
    case 32: count_rows(s, thread, 32); break;
    case 64: count_rows(s, thread, 64); break;
    default: count_rows(s, thread, 128); break;
    }
}

/* Turns the counts into positions: by rank, then by stream. */
static void scan_counts(const struct streams *s)
{
    const int64_t ranks = s->q->rank_count, streams = (int64_t)s->threads * STREAMS;
    int64_t at = 0;
    for (int64_t r = 0; r < ranks; r++) {
        s->q->offsets[r] = at;
        for (int64_t w = 0; w < streams; w++) {
            const int64_t count = s->counts[w * ranks + r];
            s->counts[w * ranks + r] = at;
            at += count;
        }
    }
    s->q->offsets[ranks] = at;
}

/* Replaces owners by positions, and moves the keys there. size: a constant in each call. */
static inline void move_keys(const struct streams *s, int64_t thread, size_t size)
{
    const struct bi_ranks_queries *q = s->q;
    const char *keys = q->keys;
    char *ordered = q->ordered_keys;
    FOR_EACH_ROW(s, thread, i, next, {
        const int64_t at = next[q->positions[i]]++;
        q->positions[i] = (uint32_t)at;
        memcpy(ordered + (size_t)at * size, keys + (size_t)i * size, size);
    })
}

static void move_stream_keys(const struct streams *s, int64_t thread)
{
    switch (s->q->key_bits) {
    case 32: move_keys(s, thread, 4); break;
    case 64: move_keys(s, thread, 8); break;
    default: move_keys(s, thread, 16); break;
    }
}

static bosc_status order_queries(bosc_ctx *ctx, const struct bi_ranks_queries *q)
{
    struct streams s = make_streams(ctx, q);
    const int64_t counters = (int64_t)s.threads * STREAMS * q->rank_count;
    BI_TRY(bi_scratch_of(ctx, counters, sizeof *s.counts, &s.counts));
    memset(s.counts, 0, (size_t)counters * sizeof *s.counts);
    BI_PARALLEL_FOR(s.threads, (static), t, 0, s.threads, count_stream_rows(&s, t));
    scan_counts(&s);
    BI_PARALLEL_FOR(s.threads, (static), t, 0, s.threads, move_stream_keys(&s, t));
    return BOSC_OK;
}

bosc_status bi_ranks_cpu_order_queries(bosc_ctx *ctx, const struct bi_ranks_queries *queries)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "order_queries: injected fault");
    BI_RETURN_WITH_SCRATCH(ctx, order_queries(ctx, queries));
}

/* A memcpy of a constant size becomes one load and one store. */
#define COPY_ANSWERS(size)                \
    for (int64_t i = begin; i < end; i++) \
    memcpy((char *)rows + (size_t)i * (size), (const char *)answers + (size_t)q->positions[i] * (size), (size))

static void return_answers(const struct bi_ranks_queries *q, int64_t begin, int64_t end, size_t item_size,
                           const void *answers, void *rows)
{
    switch (item_size) {
    case 1: COPY_ANSWERS(1); break;
    case 4: COPY_ANSWERS(4); break;
    case 8: COPY_ANSWERS(8); break;
    case 16: COPY_ANSWERS(16); break;
    default: COPY_ANSWERS(item_size); break;
    }
}

bosc_status bi_ranks_cpu_return_answers(bosc_ctx *ctx, const struct bi_ranks_queries *q, int64_t item_size,
                                        const void *answers, void *rows)
{
    const int threads = bi_thread_count_by_cost(ctx, q->n, 1);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "return_answers: injected fault");
    BI_PARALLEL_FOR(threads, (static), t, 0, threads,
                    return_answers(q, bi_chunk_begin(q->n, threads, (int)t), bi_chunk_begin(q->n, threads, (int)t + 1),
                                   (size_t)item_size, answers, rows));
    return BOSC_OK;
}
