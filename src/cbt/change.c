/* Changes trees: records commands, then applies them. */
#include "cbt/cbt.h"
#include "cbt/steps/steps.h"

static bosc_status record_staged(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count, bool merge)
{
    bool staged = false;
    if (node_count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)node_count);
    BI_TRY(bi_cbt_reserve_commands(ctx, tree));
    BI_TRY(bi_stage_in(ctx, nodes, (size_t)node_count * bi_cbt_id_size(tree), &nodes, &staged));
    const bool is_64bit = tree->opts.id_bits == 64;
    const struct bi_cbt_record record = {tree->view, nodes, is_64bit, merge};
    const struct bi_cbt_heap_record in_heap = {tree->heap_view, nodes, is_64bit, merge, NULL};
    tree->pending = true;
    if (bi_cbt_is_published(tree))
        BI_TRY_UNINTERRUPTIBLE(ctx, BI_CBT_STEP(ctx, heap_record, node_count, &in_heap));
    else
        BI_TRY_UNINTERRUPTIBLE(ctx, BI_CBT_STEP(ctx, record, node_count, &record));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status record(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count, bool merge)
{
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "node_count", node_count, "nodes", nodes, bi_cbt_id_size(tree)));
    BI_RETURN_WITH_SCRATCH(ctx, record_staged(ctx, tree, nodes, node_count, merge));
}

bosc_status bosc_cbt_split(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count)
{
    BI_ENTER(ctx);
    return record(ctx, tree, nodes, node_count, false);
}

bosc_status bosc_cbt_merge(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count)
{
    BI_ENTER(ctx);
    return record(ctx, tree, nodes, node_count, true);
}

bosc_status bosc_cbt_for_each(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_visit_fn visit, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (!visit) return bi_fail(ctx, BOSC_ERR_ARG, "visit: NULL");
    const struct bi_cbt_ops *ops = ctx->ops->cbt;
    if (!ops->for_each)
        return bi_fail(ctx, BOSC_ERR_BACKEND, "visit: kernels of this backend cannot call the caller's functions");
    BI_TRY(bi_cbt_reserve_commands(ctx, tree));
    const bool in_heap = bi_cbt_is_published(tree);
    const int64_t leaves = in_heap ? bosc_cbt_heap_leaf_count(&tree->heap_view) : bosc_cbt_leaf_count(&tree->view);
    bi_progress_set_total(ctx, BI_CBT_LEAF_ITEMS * (double)leaves);
    tree->pending = true;
    if (in_heap) BI_TRY_UNINTERRUPTIBLE(ctx, ops->for_each_in_heap(ctx, &tree->heap_view, visit, user));
    if (!in_heap) BI_TRY_UNINTERRUPTIBLE(ctx, ops->for_each(ctx, &tree->view, visit, user));
    return BOSC_OK;
}

/* The arrays of a call. */
struct update_arrays {
    const uint8_t *commands;
    int64_t count, *sources, source_capacity;
    void *nodes;
    int64_t node_capacity;
};

/* PUBLISHED: commands change the bits in place, then all sums are computed. */
static bosc_status change_heap(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a)
{
    const struct bi_cbt_heap_record record = {.view = tree->heap_view, .commands = a->commands};
    struct bi_cbt_reduction all = {.view = tree->heap_view, .change = BI_CBT_BITS_UPDATED};
    BI_TRY(bi_scratch(ctx, sizeof *all.arrived, (void **)&all.arrived)); /* before the sources are written */
    if (a->count > 0) {
        tree->pending = true;
        BI_TRY(BI_CBT_STEP(ctx, heap_record_by_leaf, a->count, &record));
    }
    if (a->sources) BI_TRY(bi_cbt_heap_write_sources(ctx, tree, a->sources, a->capacity));
    return tree->pending || tree->shared ? bi_cbt_reduce_heap(ctx, tree, &all) : BOSC_OK;
}

/* Applies commands. Sources are complete before the tree changes: nothing may fail after that. */
static bosc_status apply_update(bosc_ctx *ctx, bosc_cbt *tree, const struct update_arrays *c,
                                enum bi_cbt_outcome *outcome)
{
    struct bi_cbt_change change = {.count = c->count, .sources = c->sources, .capacity = c->source_capacity};
    bool staged = false;
    /* 1. Commands by leaf, in reach; the caller's array is read before the tree changes. */
    if (c->count > 0) {
        BI_TRY(bi_stage_in(ctx, c->commands, (size_t)c->count, (const void **)&change.commands, &staged));
        if (staged) BI_TRY(ctx->backend->sync(ctx));
    }
    change.recorded = tree->pending || tree->shared;
    if (c->count == 0 && !change.recorded && !c->sources) return BOSC_OK;
    /* 2. Nodes in reach may be decoded by the backend in the same pass. */
    bool by_words = tree->opts.layout == BOSC_CBT_RANKED && tree->opts.decoding == BOSC_CBT_BY_LAYOUT;
    if (by_words && c->nodes && ctx->backend->reaches(ctx, c->nodes)) {
        change.nodes = c->nodes;
        change.node_capacity = c->node_capacity;
        change.is_64bit = tree->opts.id_bits == 64;
    }
    /* 3. The change. */
    if (bi_cbt_is_published(tree)) return change_heap(ctx, tree, &change);
    change.view = tree->view;
    BI_TRY(ctx->ops->cbt->change(ctx, tree, &change, outcome));
    tree->pending = false;
    return BOSC_OK;
}

/* Updates the tree, then decodes leaves. Memory for the nodes is allocated before the tree changes. */
static bosc_status update_and_decode(bosc_ctx *ctx, bosc_cbt *tree, const struct update_arrays *c)
{
    enum bi_cbt_outcome outcome = BI_CBT_NODES_PENDING;
    struct bi_out out;
    bool staged = false;
    size_t bytes = c->nodes ? (size_t)c->node_capacity * bi_cbt_id_size(tree) : 0;
    int passes = (c->count > 0) + (c->sources != NULL) + (c->nodes != NULL);
    bi_cbt_set_progress_total(ctx, tree->opts.depth,
                              BI_CBT_CHANGE_ITEMS + BI_CBT_VISIT_ITEMS * passes + bi_cbt_heap_items(tree), 0);
    BI_TRY(bi_stage_out(ctx, c->nodes, bytes, &out, &staged));
    BI_TRY_UNINTERRUPTIBLE(ctx, apply_update(ctx, tree, c, &outcome));
    if (!c->nodes || outcome == BI_CBT_NODES_DECODED) return BOSC_OK;
    BI_TRY(bi_cbt_decode_leaves(ctx, tree, 0, c->node_capacity, out.reachable));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_reduce(bosc_ctx *ctx, bosc_cbt *tree)
{
    struct update_arrays c = {.count = 0};
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_RETURN_WITH_SCRATCH(ctx, update_and_decode(ctx, tree, &c));
}

bosc_status bosc_cbt_update(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands, int64_t command_count,
                            int64_t *sources, int64_t capacity)
{
    struct update_arrays c = {
        .commands = commands, .count = command_count, .sources = sources, .source_capacity = capacity};
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "command_count", command_count, "commands", commands, 1));
    BI_TRY(bi_cbt_check_array(ctx, "capacity", sources ? capacity : 0, "sources", sources, sizeof *sources));
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    BI_RETURN_WITH_SCRATCH(ctx, update_and_decode(ctx, tree, &c));
}

bosc_status bosc_cbt_update_and_decode(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands, int64_t command_count,
                                       int64_t *sources, void *nodes, int64_t capacity)
{
    struct update_arrays c = {commands, command_count, sources, capacity, nodes, capacity};
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "command_count", command_count, "commands", commands, 1));
    BI_TRY(bi_cbt_check_array(ctx, "capacity", sources ? capacity : 0, "sources", sources, sizeof *sources));
    BI_TRY(bi_cbt_check_array(ctx, "capacity", capacity, "nodes", nodes, bi_cbt_id_size(tree)));
    BI_RETURN_WITH_SCRATCH(ctx, update_and_decode(ctx, tree, &c));
}

/* The arrays of bosc_cbt_gather_payload. */
struct payload_arrays {
    const int64_t *sources;
    int64_t count;
    const void *in;
    int64_t in_count;
    size_t item_size;
    void *out;
};

static bosc_status gather_payload(bosc_ctx *ctx, const struct payload_arrays *c)
{
    struct bi_out out;
    const void *sources, *in;
    bool staged = false;
    if (c->count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)c->count);
    BI_TRY(bi_stage_in(ctx, c->sources, (size_t)c->count * sizeof *c->sources, &sources, &staged));
    BI_TRY(bi_stage_in(ctx, c->in, (size_t)c->in_count * c->item_size, &in, &staged));
    BI_TRY(bi_stage_out(ctx, c->out, (size_t)c->count * c->item_size, &out, &staged));
    struct bi_cbt_gather_payload step = {sources, in, c->in_count, (int64_t)c->item_size, out.reachable};
    BI_TRY(BI_CBT_STEP(ctx, gather_payload, c->count, &step));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_gather_payload(bosc_ctx *ctx, const int64_t *sources, int64_t count, const void *in,
                                    int64_t in_count, size_t item_size, void *out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "sources", sources, sizeof *sources));
    if (item_size < 1 || item_size > 256)
        return bi_fail(ctx, BOSC_ERR_ARG, "item_size: %zu is not in 1 to 256", item_size);
    if (in_count > INT64_MAX / (int64_t)item_size || count > INT64_MAX / (int64_t)item_size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: more items of %zu bytes than memory can hold",
                       in_count > INT64_MAX / (int64_t)item_size ? "in_count" : "count", item_size);
    BI_TRY(bi_cbt_check_array(ctx, "in_count", in_count, "in", in, 1));
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "out", out, 1));
    const struct payload_arrays c = {sources, count, in, in_count, item_size, out};
    BI_RETURN_WITH_SCRATCH(ctx, gather_payload(ctx, &c));
}
