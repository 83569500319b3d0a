/* Changes pools: commands are recorded as marks, then carried out. */
#include "bisector/drivers.h"

/* Marks for all leaves, none of which is set yet. */
static bosc_status begin(bosc_ctx *ctx, bosc_bisectors *bisectors)
{
    const size_t size = sizeof(uint32_t), capacity = bisectors->now.nodes.bytes / sizeof(uint64_t);
    if (bisectors->pending) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, &bisectors->memory, &bisectors->marks, capacity * size));
    BI_TRY(ctx->backend->fill(ctx, bisectors->marks.data, 0, (size_t)bisectors->view.leaves * size));
    bisectors->pending = true;
    return BOSC_OK;
}

static bosc_status record_staged(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t node_count,
                                 bosc_bisector_command command)
{
    const void *reachable;
    bool staged = false;
    if (node_count == 0) return BOSC_OK;
    bi_expect(ctx, (double)node_count);
    BI_TRY(bi_stage_in(ctx, nodes, (size_t)node_count * sizeof *nodes, &reachable, &staged));
    BI_TRY(begin(ctx, bisectors));
    const struct bi_bisector_mark mark = {
        .view = bisectors->view, .marks = bisectors->marks.data, .nodes = reachable, .command = command};
    BI_TRY_WHOLE(ctx, BI_BISECTOR_STEP(ctx, mark, node_count, &mark));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status record(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t node_count,
                          bosc_bisector_command command)
{
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(bi_bisector_check_array(ctx, "node_count", node_count, "nodes", nodes, sizeof *nodes));
    BI_RETURN_WITH_SCRATCH(ctx, record_staged(ctx, bisectors, nodes, node_count, command));
}

bosc_status bosc_bisectors_split(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t node_count)
{
    BI_ENTER(ctx);
    return record(ctx, bisectors, nodes, node_count, BOSC_BISECTOR_SPLIT);
}

bosc_status bosc_bisectors_merge(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t node_count)
{
    BI_ENTER(ctx);
    return record(ctx, bisectors, nodes, node_count, BOSC_BISECTOR_MERGE);
}

/* The commands of an update, of which there are no more than leaves. */
static bosc_status mark_commands(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands, int64_t count)
{
    const void *reachable;
    bool staged = false;
    if (count > bisectors->view.leaves) count = bisectors->view.leaves;
    BI_TRY(begin(ctx, bisectors));
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, commands, (size_t)count, &reachable, &staged));
    const struct bi_bisector_mark mark = {
        .view = bisectors->view, .marks = bisectors->marks.data, .commands = reachable};
    return BI_BISECTOR_STEP(ctx, mark, count, &mark);
}

/* How many leaves each becomes, and thus where it begins among the new ones. Waits for their number. */
static bosc_status place(bosc_ctx *ctx, struct bi_bisector_change *a, int64_t *leaves)
{
    const int64_t n = a->view.leaves;
    uint32_t total;
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *a->offsets, &a->offsets));
    BI_TRY(ctx->backend->fill(ctx, a->offsets + n, 0, sizeof *a->offsets));
    BI_TRY(BI_BISECTOR_STEP(ctx, count, n, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a->offsets, n + 1, a->offsets));
    BI_TRY(bi_read_back(ctx, &total, a->offsets + n, sizeof total)); /* at most 4 (2^30 - 1): it does not wrap */
    *leaves = total;
    return bi_bisector_check_leaves(ctx, total);
}

/* Sources go to the caller, and are waited for, before the pool changes: nothing may fail after. */
static bosc_status carry_out(bosc_ctx *ctx, bosc_bisectors *bisectors, struct bi_bisector_change *a)
{
    struct bi_out sources;
    bool staged = false;
    int64_t leaves;
    const size_t bytes = a->sources ? (size_t)a->capacity * sizeof *a->sources : 0;
    BI_TRY(bi_stage_out(ctx, a->sources, bytes, &sources, &staged));
    BI_TRY(place(ctx, a, &leaves));
    BI_TRY(bi_bisector_reserve_leaves(ctx, bisectors, &bisectors->next, leaves));
    a->nodes = bisectors->next.nodes.data;
    a->neighbours = bisectors->next.neighbours.data;
    a->sources = bytes ? sources.reachable : NULL;
    if (bytes) BI_TRY(ctx->backend->fill(ctx, a->sources, 0xff, bytes));
    BI_TRY(BI_BISECTOR_STEP(ctx, write, a->view.leaves, a));
    BI_TRY(bi_stage_back(ctx, &sources));
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    bi_bisector_swap(bisectors, leaves);
    return BOSC_OK;
}

static bosc_status update(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands, int64_t command_count,
                          int64_t *sources, int64_t capacity)
{
    bi_expect(ctx, 4 * (double)bisectors->view.leaves);
    bosc_status status = mark_commands(ctx, bisectors, commands, command_count);
    struct bi_bisector_change a = {
        .view = bisectors->view, .marks = bisectors->marks.data, .sources = sources, .capacity = capacity};
    if (status == BOSC_OK) status = carry_out(ctx, bisectors, &a);
    if (status != BOSC_OK) bisectors->pending = false;
    return status;
}

bosc_status bosc_bisectors_update(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands,
                                  int64_t command_count, int64_t *sources, int64_t capacity)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(bi_bisector_check_array(ctx, "command_count", command_count, "commands", commands, 1));
    BI_TRY(bi_bisector_check_array(ctx, "capacity", capacity, "sources", sources ? sources : (void *)&capacity,
                                   sizeof *sources));
    BI_RETURN_WITH_SCRATCH(ctx, update(ctx, bisectors, commands, command_count, sources, capacity));
}
