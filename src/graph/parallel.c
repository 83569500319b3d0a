/* Reduces parallel edges to one: they are runs of equal keys in the sorted list, in the order of their ids. */
#include "graph/drivers.h"

/* Flags by position: heads of runs, edges to keep. */
struct runs {
    uint8_t *heads, *keep;
};

static bosc_status find_runs(struct bi_graph_build *b, struct runs *runs)
{
    int64_t count = b->edges.count;
    BI_TRY(bi_scratch_of(b->ctx, count, 1, (void **)&runs->heads));
    BI_TRY(bi_scratch_of(b->ctx, count, 1, (void **)&runs->keep));
    struct bi_graph_mark_heads heads = {b->edges.keys, runs->heads};
    return BI_GRAPH_STEP(b, mark_heads, count, &heads);
}

static bosc_status gather_weights(struct bi_graph_build *b, void **weights)
{
    int64_t count = b->edges.count;
    BI_TRY(bi_scratch_of(b->ctx, count, bosc_dtype_size(b->entries.dtype), weights));
    struct bi_graph_gather_weights gather = {b->entries, b->edges.ids, b->is_64bit, *weights};
    return BI_GRAPH_STEP(b, gather_weights, count, &gather);
}

/* Keeps the first of the lightest edges of each run: the last edge at which the running minimum falls. */
static bosc_status select_lightest(struct bi_graph_build *b, const struct runs *runs)
{
    const struct bi_core_ops *core = b->ctx->backend->core;
    int64_t count = b->edges.count;
    bool key_64bit = bi_graph_has_64bit_keys(b->entries.dtype);
    void *weights, *positions;
    BI_TRY(gather_weights(b, &weights));
    BI_TRY(bi_scratch_of(b->ctx, count, b->is_64bit ? 8 : 4, &positions));
    BI_TRY(core->scan_segmented(b->ctx, BOSC_MIN, BOSC_INCLUSIVE, key_64bit ? BOSC_U64 : BOSC_U32, weights, runs->heads,
                                count, weights));
    struct bi_graph_lowered lowered = {runs->heads, count, weights, key_64bit, b->is_64bit, positions, runs->keep};
    BI_TRY(BI_GRAPH_STEP(b, mark_lowered, count, &lowered));
    BI_TRY(
        core->scan(b->ctx, BOSC_MAX, BOSC_INCLUSIVE, b->is_64bit ? BOSC_U64 : BOSC_U32, positions, count, positions));
    if (count) BI_TRY(b->ctx->backend->fill(b->ctx, runs->keep, 0, (size_t)count));
    return BI_GRAPH_STEP(b, keep_lowest, count, &lowered);
}

/* Keeps the first edge of each run; `sums` = the run's sum of weights, at its head. */
static bosc_status sum_runs(struct bi_graph_build *b, const struct runs *runs, void **sums)
{
    int64_t count = b->edges.count, bad[2] = {INT64_MAX, INT64_MAX};
    bosc_graph_nan nan = b->next->opts.nan;
    void *weights;
    BI_TRY(gather_weights(b, &weights));
    BI_TRY(bi_scratch_of(b->ctx, count, bosc_dtype_size(b->entries.dtype), sums));
    BI_TRY(b->ctx->backend->copy(b->ctx, b->result, bad, sizeof bad));
    /* Sum serially within each run, in order, so that float sums are reproducible. */
    struct bi_graph_sum_run sum = {.heads = runs->heads,
                                   .count = count,
                                   .weights = weights,
                                   .dtype = b->entries.dtype,
                                   .drop_nan = nan == BOSC_GRAPH_NAN_DROP,
                                   .ids = b->edges.ids,
                                   .is_64bit = b->is_64bit,
                                   .sums = *sums,
                                   .keep = runs->keep,
                                   .bad = b->result};
    BI_TRY(BI_GRAPH_STEP(b, sum_run, count, &sum));
    /* An overflow is an error, and so is a NaN unless the options allow it. */
    BI_TRY(bi_read_back(b->ctx, bad, b->result, sizeof bad));
    if (bad[0] != INT64_MAX)
        return bi_fail(b->ctx, BOSC_ERR_DATA, "weights: the sum of the edges parallel to edge %lld overflows %s",
                       (long long)bad[0], bosc_dtype_name(b->entries.dtype));
    if (bad[1] != INT64_MAX && nan == BOSC_GRAPH_NAN_REFUSE)
        return bi_fail(b->ctx, BOSC_ERR_DATA, "weights: the sum of the edges parallel to edge %lld is NaN",
                       (long long)bad[1]);
    return BOSC_OK;
}

static bosc_status compact_edges(struct bi_graph_build *b, const uint8_t *keep)
{
    const struct bi_core_ops *core = b->ctx->backend->core;
    struct bi_graph_edge_list kept = b->spare;
    int64_t count = b->edges.count;
    BI_TRY(core->compact(b->ctx, sizeof *kept.keys, b->edges.keys, keep, count, kept.keys, b->result));
    BI_TRY(core->compact(b->ctx, b->is_64bit ? 8 : 4, b->edges.ids, keep, count, kept.ids, b->result));
    BI_TRY(bi_read_back(b->ctx, &kept.count, b->result, sizeof kept.count));
    b->spare = b->edges;
    b->edges = kept;
    return BOSC_OK;
}

bosc_status bi_graph_drop_parallel(struct bi_graph_build *b)
{
    bosc_graph_parallel parallel = b->next->opts.parallel;
    int64_t count = b->edges.count;
    struct runs runs;
    void *sums = NULL;
    BI_TRY(find_runs(b, &runs));
    if (parallel == BOSC_GRAPH_PARALLEL_MIN) BI_TRY(select_lightest(b, &runs));
    if (parallel == BOSC_GRAPH_PARALLEL_SUM) {
        size_t size = bosc_dtype_size(b->entries.dtype);
        BI_TRY(sum_runs(b, &runs, &sums));
        BI_TRY(bi_scratch_of(b->ctx, count, size, &b->weights));
        BI_TRY(b->ctx->backend->core->compact(b->ctx, size, sums, runs.keep, count, b->weights, b->result));
    }
    return compact_edges(b, parallel == BOSC_GRAPH_PARALLEL_FIRST ? runs.heads : runs.keep);
}
