/* Candidates for the medians of a k-d tree over ranks: a thread passes over a chunk of the rows, with counters and a
 * list of its own. */
#include "ranks/cpu/filter.h"

#include <string.h>

#include "core/cpu/threads.h"
#include "core/steps.h"

/* The results of a thread. */
struct chunk {
    int64_t nan, candidates;
    int64_t *counts;
};

/* Filters the rows of a chunk. The candidates go to the list from the chunk's first row on. */
static void filter_chunk(const struct bi_ranks_kdtree_filter *a, int64_t begin, int64_t end, struct chunk *chunk)
{
    uint32_t *list = a->candidates + begin;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) {
        if (a->checks_nan && chunk->nan == INT64_MAX && bi_ranks_kdtree_has_nan(&a->points, a->points.dtype, i))
            chunk->nan = i;
        const int32_t class = bi_ranks_kdtree_class_of(a, a->points.dtype, a->level, i,
                                                       bi_ranks_kdtree_filter_key(a, a->points.dtype, a->level, i));
        if (class == BI_RANKS_NEITHER) continue;
        chunk->counts[class]++;
        list[count] = (uint32_t)i;
        count += class & 1;
    }
    chunk->candidates = count;
}

/* Adds the counters of a chunk, and appends its list. */
static void add_chunk(const struct bi_ranks_kdtree_filter *a, int64_t begin, const struct chunk *chunk)
{
    memmove(a->candidates + *a->candidate_count, a->candidates + begin, (size_t)chunk->candidates * sizeof(uint32_t));
    *a->candidate_count += chunk->candidates;
    if (chunk->nan < *a->nan) *a->nan = chunk->nan;
    for (int64_t c = 0; c < (int64_t)2 << a->level; c++) a->counts[c] += chunk->counts[c];
}

/* Filters rows begin to end - 1 by chunks, one a thread. */
static void filter_rows(const struct bi_ranks_kdtree_filter *a, int64_t begin, int64_t end, int threads,
                        struct chunk *chunks)
{
    const int64_t n = end - begin;
    for (int t = 0; t < threads; t++) {
        chunks[t].nan = INT64_MAX;
        memset(chunks[t].counts, 0, sizeof(int64_t) << (a->level + 1));
    }
    BI_PARALLEL_FOR(threads, (static), t, 0, threads,
                    filter_chunk(a, begin + bi_chunk_begin(n, threads, (int)t),
                                 begin + bi_chunk_begin(n, threads, (int)t + 1), &chunks[t]));
    for (int t = 0; t < threads; t++) add_chunk(a, begin + bi_chunk_begin(n, threads, t), &chunks[t]);
}

static bosc_status filter_batches(bosc_ctx *ctx, const struct bi_ranks_kdtree_filter *a)
{
    const int64_t n = a->points.rows.n, counters = (int64_t)2 << a->level;
    const int threads = bi_thread_count_by_cost(ctx, n, 4);
    struct chunk *chunks;
    int64_t *counts;
    BI_TRY(bi_scratch_of(ctx, threads, sizeof *chunks, &chunks));
    BI_TRY(bi_scratch_of(ctx, threads * counters, sizeof *counts, &counts));
    for (int t = 0; t < threads; t++) chunks[t].counts = counts + t * counters;
    struct bi_batches p = bi_batches_of(ctx, n, 4); /* a row costs about 4 simple items; not measured */
    while (bi_next_batch(ctx, &p)) filter_rows(a, p.begin, p.end, threads, chunks);
    return p.status;
}

bosc_status bi_ranks_cpu_filter_points(bosc_ctx *ctx, const struct bi_ranks_kdtree_filter *filter)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "filter_points: injected fault");
    BI_RETURN_WITH_SCRATCH(ctx, filter_batches(ctx, filter));
}
