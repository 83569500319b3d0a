/* The drivers that change trees: commands are recorded, then carried out. */
#include "cbt/drivers.h"
#include "core/call.h"

bosc_status bi_cbt_need_commands(bosc_ctx *ctx, bosc_cbt *tree)
{
    size_t field = bi_cbt_field_bytes(tree->opts.depth), bytes = bi_cbt_command_bytes(tree->opts.depth);
    if (tree->view.splits) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->commands, bytes));
    BI_TRY(ctx->backend->fill(ctx, tree->commands.data, 0, bytes));
    tree->view.splits = tree->commands.data;
    tree->view.merges = tree->view.splits + field / 8;
    tree->view.touched = (uint8_t *)(tree->view.merges + field / 8);
    return BOSC_OK;
}

bosc_status bi_cbt_forget_commands(bosc_ctx *ctx, bosc_cbt *tree)
{
    if (!tree->pending && !tree->shared) return BOSC_OK;
    BI_TRY(ctx->backend->fill(ctx, tree->commands.data, 0, bi_cbt_command_bytes(tree->opts.depth)));
    tree->pending = false;
    return BOSC_OK;
}

static bosc_status record_staged(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t m, bool merge)
{
    bool staged = false;
    if (m == 0) return BOSC_OK;
    BI_TRY(bi_cbt_need_commands(ctx, tree));
    BI_TRY(bi_stage_in(ctx, nodes, (size_t)m * bi_cbt_id_size(tree), &nodes, &staged));
    struct bi_cbt_record record = {tree->view, nodes, tree->opts.id_bits == 64, merge};
    tree->pending = true;
    BI_TRY(BI_CBT_STEP(ctx, record, m, &record));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status record(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t m, bool merge)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "m", m, "nodes", nodes, bi_cbt_id_size(tree)));
    BI_RETURN_WITH_SCRATCH(ctx, record_staged(ctx, tree, nodes, m, merge));
}

bosc_status bosc_cbt_split(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t m)
{
    return record(ctx, tree, nodes, m, false);
}

bosc_status bosc_cbt_merge(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t m)
{
    return record(ctx, tree, nodes, m, true);
}

bosc_status bosc_cbt_for_each(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_visit_fn visit, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (!visit) return bi_fail(ctx, BOSC_ERR_ARG, "visit: NULL");
    const struct bi_cbt_ops *ops = ctx->ops->cbt;
    if (!ops->for_each)
        return bi_fail(ctx, BOSC_ERR_BACKEND, "the %s backend cannot call the caller's functions", ctx->backend->name);
    BI_TRY(bi_cbt_need_commands(ctx, tree));
    tree->pending = true;
    return ops->for_each(ctx, &tree->view, visit, user);
}

/* Commands, sources and nodes of a call. */
struct cycle {
    const uint8_t *commands;
    int64_t count, *sources, sources_room;
    void *nodes;
    int64_t nodes_room;
};

/* Sources go to the caller before the tree changes, and are waited for: nothing may fail after. */
static bosc_status update(bosc_ctx *ctx, bosc_cbt *tree, const struct cycle *c, struct bi_cbt_outcome *outcome)
{
    struct bi_cbt_change change = {.count = c->count, .sources = c->sources, .room = c->sources_room};
    bool staged = false;
    if (c->count > 0) {
        BI_TRY(bi_stage_in(ctx, c->commands, (size_t)c->count, (const void **)&change.commands, &staged));
        if (staged) BI_TRY(ctx->backend->sync(ctx));
    }
    change.recorded = tree->pending || tree->shared;
    if (c->count == 0 && !change.recorded && !c->sources) return BOSC_OK;
    bool by_words = tree->opts.layout == BOSC_CBT_RANKED && tree->opts.decoding == BOSC_CBT_BY_LAYOUT;
    if (by_words && c->nodes && ctx->backend->reaches(ctx, c->nodes)) {
        change.nodes = c->nodes;
        change.nodes_room = c->nodes_room;
        change.wide = tree->opts.id_bits == 64;
    }
    change.view = tree->view;
    bool heaped = tree->heaped;
    tree->heaped = false;
    BI_TRY(ctx->ops->cbt->change(ctx, tree, &change, outcome));
    tree->pending = false;
    tree->heaped = heaped && outcome->unchanged;
    return tree->heaped ? BOSC_OK : bi_cbt_refresh_heap(ctx, tree);
}

static bosc_status cycle(bosc_ctx *ctx, bosc_cbt *tree, const struct cycle *c)
{
    struct bi_cbt_outcome outcome = {false, false};
    BI_TRY(update(ctx, tree, c, &outcome));
    if (!c->nodes || outcome.decoded) return BOSC_OK;
    return bi_cbt_decode_leaves(ctx, tree, 0, c->nodes_room, c->nodes);
}

bosc_status bosc_cbt_reduce(bosc_ctx *ctx, bosc_cbt *tree)
{
    struct cycle c = {.count = 0};
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_RETURN_WITH_SCRATCH(ctx, cycle(ctx, tree, &c));
}

bosc_status bosc_cbt_update(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands, int64_t count, int64_t *sources,
                            int64_t room)
{
    struct cycle c = {.commands = commands, .count = count, .sources = sources, .sources_room = room};
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "commands", commands, 1));
    BI_TRY(bi_cbt_check_array(ctx, "room", sources ? room : 0, "sources", sources, sizeof *sources));
    if (room < 0) return bi_fail(ctx, BOSC_ERR_ARG, "room: %lld is less than 0", (long long)room);
    BI_RETURN_WITH_SCRATCH(ctx, cycle(ctx, tree, &c));
}

bosc_status bosc_cbt_cycle(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands, int64_t count, int64_t *sources,
                           void *nodes, int64_t room)
{
    struct cycle c = {commands, count, sources, room, nodes, room};
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "commands", commands, 1));
    BI_TRY(bi_cbt_check_array(ctx, "room", sources ? room : 0, "sources", sources, sizeof *sources));
    BI_TRY(bi_cbt_check_array(ctx, "room", room, "nodes", nodes, bi_cbt_id_size(tree)));
    BI_RETURN_WITH_SCRATCH(ctx, cycle(ctx, tree, &c));
}

static bosc_status carry(bosc_ctx *ctx, const int64_t *sources, int64_t count, size_t item_size, const void *in,
                         int64_t n, void *out)
{
    struct bi_out to;
    const void *reach_sources, *reach_in;
    bool staged = false;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, sources, (size_t)count * sizeof *sources, &reach_sources, &staged));
    BI_TRY(bi_stage_in(ctx, in, (size_t)n * item_size, &reach_in, &staged));
    BI_TRY(bi_stage_out(ctx, out, (size_t)count * item_size, &to, &staged));
    struct bi_cbt_carry step = {reach_sources, reach_in, n, (int64_t)item_size, to.reachable};
    BI_TRY(BI_CBT_STEP(ctx, carry, count, &step));
    BI_TRY(bi_stage_back(ctx, &to));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_carry(bosc_ctx *ctx, const int64_t *sources, int64_t count, size_t item_size, const void *in,
                           int64_t n, void *out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "sources", sources, sizeof *sources));
    if (item_size < 1 || item_size > 256)
        return bi_fail(ctx, BOSC_ERR_ARG, "item_size: %zu is not in 1 to 256", item_size);
    if (n > INT64_MAX / (int64_t)item_size || count > INT64_MAX / (int64_t)item_size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: more items of %zu bytes than memory can hold",
                       n > INT64_MAX / (int64_t)item_size ? "n" : "count", item_size);
    BI_TRY(bi_cbt_check_array(ctx, "n", n, "in", in, 1));
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "out", out, 1));
    BI_RETURN_WITH_SCRATCH(ctx, carry(ctx, sources, count, item_size, in, n, out));
}
