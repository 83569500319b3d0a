/* Candidates for the medians of a k-d tree over ranks, and the box of rows: a thread passes over a chunk of the rows,
 * with counters and a list of its own. */
#include "ranks/cpu/filter.h"

#include <string.h>

#include "core/cpu/threads.h"
#include "core/steps.h"

/* The results of a thread. */
struct chunk {
    int64_t nan, candidates;
    int64_t *counts;
};

/* Filters rows of level 0, where all are in one segment: without branches, which most rows would mispredict. The
 * candidates go to the list from the chunk's first row on. dtype: a constant. */
BI_FN void filter_first_level(const struct bi_ranks_kdtree_filter *a, bosc_dtype dtype, int64_t begin, int64_t end,
                              struct chunk *chunk)
{
    const uint64_t low = a->brackets[0], high = a->brackets[1];
    uint32_t *list = a->candidates + begin, owners[2] = {0, 0};
    int64_t below = 0, count = 0;
    for (uint32_t side = 0; a->owners && side < 2; side++)
        owners[side] = a->rank_of[bi_ranks_kdtree_part_of_node(2 + side, a->levels) >> 1];
    for (int64_t i = begin; i < end; i++) {
        const uint64_t key = bi_ranks_kdtree_filter_key(a, dtype, 0, i);
        const bool is_below = key < low;
        const bool is_above = key > high;
        list[count] = (uint32_t)i;
        count += !is_below & !is_above;
        below += is_below;
        if (a->owners) a->owners[i] = owners[is_above];
    }
    chunk->counts[0] = below;
    chunk->counts[1] = chunk->candidates = count;
}

/* The same of a deeper level. */
BI_FN void filter_level(const struct bi_ranks_kdtree_filter *a, bosc_dtype dtype, int64_t begin, int64_t end,
                        struct chunk *chunk)
{
    uint32_t *list = a->candidates + begin;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) {
        const int32_t class =
            bi_ranks_kdtree_class_of(a, dtype, a->level, i, bi_ranks_kdtree_filter_key(a, dtype, a->level, i));
        if (class == BI_RANKS_NEITHER) continue;
        chunk->counts[class]++;
        list[count] = (uint32_t)i;
        count += class & 1;
    }
    chunk->candidates = count;
}

/* Finds the first row with a NaN. */
BI_FN int64_t find_nan(const struct bi_ranks_kdtree_cuts *points, bosc_dtype dtype, int64_t begin, int64_t end)
{
    bool any = false;
    for (int64_t i = begin; i < end; i++) any |= bi_ranks_kdtree_has_nan(points, dtype, i);
    for (int64_t i = begin; any && i < end; i++)
        if (bi_ranks_kdtree_has_nan(points, dtype, i)) return i;
    return INT64_MAX;
}

/* Filters the rows of a chunk, by loops of the type. */
static void filter_chunk(const struct bi_ranks_kdtree_filter *a, int64_t begin, int64_t end, struct chunk *chunk)
{
#define FILTER(type)                                                                                          \
    case type:                                                                                                \
        if (a->checks_nan) chunk->nan = find_nan(&a->points, type, begin, end);                               \
        a->level ? filter_level(a, type, begin, end, chunk) : filter_first_level(a, type, begin, end, chunk); \
        break;
    switch (a->points.dtype) {
        FILTER(BOSC_F32)
        FILTER(BOSC_F64)
        FILTER(BOSC_I32)
        FILTER(BOSC_I64)
    default: break;
    }
#undef FILTER
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

/* ---- the box of rows ---- */

/* Widens the box of a chunk by its rows. box: dim lowest keys, then dim highest. dtype: a constant. */
BI_FN void widen_box(const struct bi_ranks_kdtree_box *a, bosc_dtype dtype, int64_t begin, int64_t end, uint64_t *box)
{
    for (int32_t c = 0; c < a->dim; c++) {
        uint64_t low = UINT64_MAX, high = 0;
        for (int64_t i = begin; i < end; i++) {
            const uint64_t key = bi_kdtree_key(a->rows.data, i * a->rows.stride + c, dtype);
            low = key < low ? key : low;
            high = key > high ? key : high;
        }
        if (low < box[c]) box[c] = low;
        if (high > box[a->dim + c]) box[a->dim + c] = high;
    }
}

static void widen_box_of_type(const struct bi_ranks_kdtree_box *a, int64_t begin, int64_t end, uint64_t *box)
{
    switch (a->dtype) {
    case BOSC_F32: widen_box(a, BOSC_F32, begin, end, box); break;
    case BOSC_F64: widen_box(a, BOSC_F64, begin, end, box); break;
    case BOSC_I32: widen_box(a, BOSC_I32, begin, end, box); break;
    default: widen_box(a, BOSC_I64, begin, end, box);
    }
}

/* Rows that stay in a cache while their coordinates are read one after the other. */
enum { BOX_ROWS = 1024 };

static void widen_chunk_box(const struct bi_ranks_kdtree_box *a, int64_t begin, int64_t end, uint64_t *box)
{
    for (int64_t at = begin; at < end; at += BOX_ROWS)
        widen_box_of_type(a, at, end - at < BOX_ROWS ? end : at + BOX_ROWS, box);
}

static bosc_status find_box(bosc_ctx *ctx, const struct bi_ranks_kdtree_box *a, uint64_t *box)
{
    const int threads = bi_thread_count_by_cost(ctx, a->rows.n, a->dim);
    const int64_t width = 2 * (int64_t)a->dim;
    uint64_t *boxes; /* of the threads */
    BI_TRY(bi_scratch_of(ctx, threads * width, sizeof *boxes, &boxes));
    for (int64_t i = 0; i < threads * width; i++) boxes[i] = i % width < a->dim ? UINT64_MAX : 0;
    struct bi_batches p = bi_batches_of(ctx, a->rows.n, a->dim);
    while (bi_next_batch(ctx, &p)) {
        const int64_t n = p.end - p.begin;
        BI_PARALLEL_FOR(threads, (static), t, 0, threads,
                        widen_chunk_box(a, p.begin + bi_chunk_begin(n, threads, (int)t),
                                        p.begin + bi_chunk_begin(n, threads, (int)t + 1), boxes + t * width));
    }
    for (int64_t i = 0; i < threads * width; i++) {
        const int64_t c = i % width;
        if (c < a->dim ? boxes[i] < box[c] : boxes[i] > box[c]) box[c] = boxes[i];
    }
    return p.status;
}

bosc_status bi_ranks_cpu_find_box(bosc_ctx *ctx, const struct bi_ranks_kdtree_box *rows, uint64_t *box)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "find_box: injected fault");
    BI_RETURN_WITH_SCRATCH(ctx, find_box(ctx, rows, box));
}
