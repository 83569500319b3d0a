/* Changes pools: records commands as marks, then applies them. */
#include "bisector/steps/steps.h"

/* Provides cleared marks for all leaves, unless commands are pending. */
static bosc_status prepare_marks(bosc_ctx *ctx, bosc_bisectors *bisectors)
{
    const size_t size = sizeof(uint32_t), capacity = bisectors->current.nodes.bytes / sizeof(uint64_t);
    if (bisectors->pending) return BOSC_OK;
    if (!bisectors->marks_clear) {
        BI_TRY(bi_block_reserve(ctx, &bisectors->memory, &bisectors->marks, capacity * size));
        BI_TRY(ctx->backend->fill(ctx, bisectors->marks.data, 0, (size_t)bisectors->view.leaves * size));
    }
    bisectors->pending = true;
    bisectors->marks_clear = false;
    return BOSC_OK;
}

static bosc_status record_staged(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t node_count,
                                 bosc_bisector_command command)
{
    const void *reachable;
    bool staged = false;
    if (node_count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)node_count);
    BI_TRY(bi_stage_in(ctx, nodes, (size_t)node_count * sizeof *nodes, &reachable, &staged));
    BI_TRY(prepare_marks(ctx, bisectors));
    const struct bi_bisector_mark mark = {
        .view = bisectors->view, .marks = bisectors->marks.data, .nodes = reachable, .command = command};
    BI_TRY_UNINTERRUPTIBLE(ctx, BI_BISECTOR_STEP(ctx, mark, node_count, &mark));
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

/* Counts the leaves that each leaf becomes; the scan gives their offsets among the new ones. Waits for the total. */
static bosc_status count_new_leaves(bosc_ctx *ctx, struct bi_bisector_change *a, uint32_t *leaves)
{
    const int64_t n = a->view.leaves;
    BI_TRY(ctx->backend->fill(ctx, a->offsets + n, 0, sizeof *a->offsets));
    BI_TRY(BI_BISECTOR_STEP(ctx, count, n, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a->offsets, n + 1, a->offsets));
    return bi_read_back(ctx, leaves, a->offsets + n, sizeof *leaves); /* at most 4 (2^30 - 1), which fits 32 bits */
}

/* Marks and counts by separate steps. */
static bosc_status count_by_steps(bosc_ctx *ctx, bosc_bisectors *bisectors, struct bi_bisector_update *u,
                                  uint32_t *leaves)
{
    BI_TRY(prepare_marks(ctx, bisectors));
    u->mark.marks = u->change.marks = bisectors->marks.data;
    if (u->command_count > 0) BI_TRY(BI_BISECTOR_STEP(ctx, mark, u->command_count, &u->mark));
    return count_new_leaves(ctx, &u->change, leaves);
}

/* Number of leaves for which the arrays have room. */
static int64_t leaf_capacity(const struct bi_bisector_leaves *leaves)
{
    /* The arrays have room for different numbers of leaves if an allocation failed between the two. */
    const size_t nodes = leaves->nodes.bytes / sizeof(uint64_t),
                 neighbours = leaves->neighbours.bytes / (3 * sizeof(uint32_t));
    return (int64_t)(nodes < neighbours ? nodes : neighbours);
}

/* Reserves marks of the leaves, which are kept if they are set, and of the next leaves. */
static bosc_status reserve_marks(bosc_ctx *ctx, bosc_bisectors *bisectors, int64_t next_capacity)
{
    const size_t size = sizeof(uint32_t);
    if (!bisectors->pending && !bisectors->marks_clear)
        BI_TRY(bi_block_reserve(ctx, &bisectors->memory, &bisectors->marks, (size_t)bisectors->view.leaves * size));
    return bi_block_reserve(ctx, &bisectors->memory, &bisectors->next_marks, (size_t)next_capacity * size);
}

/* Marks, counts, and writes the new leaves if they fit, in one pass: into as much memory as the pool has now, which
 * mostly suffices. */
static bosc_status update_in_one_pass(bosc_ctx *ctx, bosc_bisectors *bisectors, struct bi_bisector_update *u,
                                      uint32_t *leaves)
{
    BI_TRY(bi_bisector_reserve_leaves(ctx, bisectors, &bisectors->next, u->change.view.leaves));
    u->next_capacity = leaf_capacity(&bisectors->next);
    BI_TRY(reserve_marks(ctx, bisectors, u->next_capacity));
    u->marks_unset = !bisectors->pending && !bisectors->marks_clear;
    u->mark.marks = u->change.marks = bisectors->marks.data;
    u->next_marks = bisectors->next_marks.data;
    u->change.nodes = bisectors->next.nodes.data;
    u->change.neighbours = bisectors->next.neighbours.data;
    u->exchange = bisectors->exchange.data;
    u->parity = bisectors->parity;
    bisectors->marks_clear = false;
    const bosc_status status = ctx->ops->bisector->update(ctx, u, leaves);
    bisectors->parity = u->parity;
    return status;
}

/* Makes next_marks, which the update has cleared, the marks of the new leaves. */
static void swap_marks(bosc_bisectors *bisectors)
{
    const struct bi_block old = bisectors->marks;
    bisectors->marks = bisectors->next_marks;
    bisectors->next_marks = old;
    bisectors->marks_clear = true;
}

/* Writes the new leaves by the step. */
static bosc_status write_leaves(bosc_ctx *ctx, bosc_bisectors *bisectors, struct bi_bisector_change *a, uint32_t leaves)
{
    BI_TRY(bi_bisector_check_leaves(ctx, leaves));
    BI_TRY(bi_bisector_reserve_leaves(ctx, bisectors, &bisectors->next, leaves));
    a->nodes = bisectors->next.nodes.data;
    a->neighbours = bisectors->next.neighbours.data;
    if (a->sources && !a->new_sources_only && a->capacity > leaves)
        BI_TRY(ctx->backend->fill(ctx, a->sources + leaves, 0xff, (size_t)(a->capacity - leaves) * sizeof *a->sources));
    return BI_BISECTOR_STEP(ctx, write, a->view.leaves, a);
}

/* Applies commands. Sources are complete before the pool changes: nothing may fail after that. */
static bosc_status apply_commands(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands,
                                  struct bi_bisector_update *u)
{
    struct bi_out sources;
    bool staged = false;
    uint32_t leaves = 0;
    const struct bi_bisector_ops *ops = ctx->ops->bisector;
    const int64_t n = u->change.view.leaves;
    const bool fused = ops->update && n <= ops->update_max_leaves;
    const size_t bytes = u->change.sources ? (size_t)u->change.capacity * sizeof *u->change.sources : 0;
    /* 1. Arrays in reach. */
    BI_TRY(bi_stage_in(ctx, commands, (size_t)u->command_count, (const void **)&u->mark.commands, &staged));
    BI_TRY(bi_stage_out(ctx, u->change.sources, bytes, &sources, &staged));
    u->change.sources = bytes ? sources.reachable : NULL;
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *u->change.offsets, &u->change.offsets));
    /* 2. Marks and offsets; the new leaves, which a fused update has written if they fit. */
    BI_TRY((fused ? update_in_one_pass : count_by_steps)(ctx, bisectors, u, &leaves));
    const bool written = fused && leaves <= u->next_capacity;
    if (!written) BI_TRY(write_leaves(ctx, bisectors, &u->change, leaves));
    /* 3. Sources to the caller, then the new leaves become current. */
    BI_TRY(bi_stage_back(ctx, &sources));
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    bi_bisector_swap(bisectors, leaves);
    if (written) swap_marks(bisectors);
    return BOSC_OK;
}

static bosc_status update_pool(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands, int64_t command_count,
                               int64_t *sources, int64_t capacity, bool new_sources_only)
{
    const int64_t leaves = bisectors->view.leaves;
    struct bi_bisector_update u = {.mark = {.view = bisectors->view},
                                   .change = {.view = bisectors->view,
                                              .sources = sources,
                                              .capacity = capacity,
                                              .new_sources_only = new_sources_only},
                                   .command_count = command_count < leaves ? command_count : leaves};
    bosc_status status = apply_commands(ctx, bisectors, commands, &u);
    if (status != BOSC_OK) bisectors->pending = false; /* a failure discards the commands */
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
    bi_progress_set_total(ctx, 4 * (double)bisectors->view.leaves);
    BI_RETURN_WITH_SCRATCH(ctx, update_pool(ctx, bisectors, commands, command_count, sources, capacity, false));
}

bosc_status bi_bisector_apply(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands, int64_t command_count,
                              int64_t *sources, int64_t capacity)
{
    BI_RETURN_WITH_SCRATCH(ctx, update_pool(ctx, bisectors, commands, command_count, sources, capacity, true));
}

/* The caller's copy becomes `next`, then current: a failure before leaves the pool as it was. */
bosc_status bi_bisector_restore_leaves(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                       const uint32_t *neighbours, int64_t leaves)
{
    const size_t n = (size_t)leaves;
    BI_TRY(bi_bisector_reserve_leaves(ctx, bisectors, &bisectors->next, leaves));
    BI_TRY(ctx->backend->copy(ctx, bisectors->next.nodes.data, nodes, n * sizeof *nodes));
    BI_TRY(ctx->backend->copy(ctx, bisectors->next.neighbours.data, neighbours, n * 3 * sizeof *neighbours));
    bi_bisector_swap(bisectors, leaves);
    return BOSC_OK;
}
