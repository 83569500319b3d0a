/* Creates trees, and sets all of their leaves at once: the nodes of a level, a bit field, or a published heap. Exports,
 * validates and repairs bit fields. */
#include "cbt/cbt.h"
#include "cbt/steps/steps.h"

/* ---- the nodes of a level ---- */

static bosc_status reset_published(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    struct bi_cbt_reduction all = {.view = tree->heap_view, .change = BI_CBT_BITS_OF_LEVEL, .level = level};
    BI_TRY(bi_scratch(ctx, sizeof *all.arrived, (void **)&all.arrived));
    return bi_cbt_reduce_heap(ctx, tree, &all);
}

static bosc_status reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    bi_cbt_set_progress_total(ctx, tree->opts.depth, 1 + bi_cbt_heap_items(tree), 0);
    struct bi_cbt_reset reset = {tree->view.depth, level, tree->view.blocks, tree->bits.data, tree->ranks.data};
    if (bi_cbt_is_published(tree)) BI_RETURN_WITH_SCRATCH(ctx, reset_published(ctx, tree, level));
    BI_TRY(bi_cbt_clear_commands(ctx, tree));
    return BI_CBT_STEP(ctx, reset, tree->view.blocks + 1, &reset);
}

bosc_status bosc_cbt_create(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt **tree)
{
    bosc_cbt_opts full;
    bosc_cbt *fresh;
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check_opts(ctx, opts, &full));
    if (!tree) return bi_fail(ctx, BOSC_ERR_ARG, "tree: NULL");
    BI_TRY(bi_cbt_allocate(ctx, &full, &fresh));
    bosc_status status = reset(ctx, fresh, full.level);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_cbt_free(fresh);
    return status;
}

bosc_status bosc_cbt_reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (level < 0 || level > tree->opts.depth)
        return bi_fail(ctx, BOSC_ERR_ARG, "level: %d is not in 0 to depth %d", (int)level, (int)tree->opts.depth);
    BI_TRY_UNINTERRUPTIBLE(ctx, reset(ctx, tree, level));
    return BOSC_OK;
}

/* ---- bit fields ---- */

static bosc_status install_field(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    if (bi_cbt_is_published(tree)) {
        const enum bi_cbt_bits_change change = bits ? BI_CBT_BITS_COPIED : BI_CBT_BITS_UNCHANGED;
        struct bi_cbt_reduction all = {.view = tree->heap_view, .change = change, .bits = bits};
        BI_TRY(bi_scratch(ctx, sizeof *all.arrived, (void **)&all.arrived));
        return bi_cbt_reduce_heap(ctx, tree, &all);
    }
    BI_TRY(bi_cbt_clear_commands(ctx, tree));
    return ctx->ops->cbt->install(ctx, tree, bits ? bits : tree->view.bits);
}

bosc_status bi_cbt_install_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    BI_TRY_UNINTERRUPTIBLE(ctx, install_field(ctx, tree, bits));
    return BOSC_OK;
}

int64_t bi_cbt_install_scratch(const bosc_ctx *ctx, int32_t depth)
{
    return ctx->ops->cbt->install_scratch(bi_cbt_blocks(depth));
}

bosc_status bi_cbt_find_invalid(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *invalid)
{
    struct bi_cbt_validate step = {.bits = bits, .depth = depth};
    *invalid = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *invalid, &step.invalid));
    BI_TRY(ctx->backend->copy(ctx, step.invalid, invalid, sizeof *invalid));
    BI_TRY(BI_CBT_STEP(ctx, validate, bi_cbt_bit_words(depth), &step));
    return bi_read_back(ctx, invalid, step.invalid, sizeof *invalid);
}

/* Allocates a clear bit field of whole blocks in scratch. */
static bosc_status make_field(bosc_ctx *ctx, int32_t depth, uint64_t **field)
{
    BI_TRY(bi_scratch_of(ctx, bi_cbt_blocks(depth), BI_CBT_BLOCK / 8, field));
    return ctx->backend->fill(ctx, *field, 0, bi_cbt_field_bytes(depth));
}

static bosc_status set_field(bosc_ctx *ctx, bosc_cbt *tree, const char *name, const uint64_t *field)
{
    int64_t invalid;
    BI_TRY(bi_cbt_find_invalid(ctx, tree->opts.depth, field, &invalid));
    if (invalid != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "%s: bit %lld is not that of a tree", name, (long long)invalid);
    return bi_cbt_install_bits(ctx, tree, field);
}

static bosc_status set_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    uint64_t *field;
    BI_TRY(make_field(ctx, tree->opts.depth, &field));
    BI_TRY(ctx->backend->copy(ctx, field, bits, (size_t)bi_cbt_bit_words(tree->opts.depth) * 8));
    return set_field(ctx, tree, "bits", field);
}

static bosc_status set_heap(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *heap)
{
    int32_t depth = tree->opts.depth;
    uint64_t *field, first;
    const void *reach;
    bool staged = false;
    BI_TRY(make_field(ctx, depth, &field));
    BI_TRY(bi_stage_in(ctx, heap, (size_t)bi_cbt_heap_words(depth) * 8, &reach, &staged));
    BI_TRY(bi_read_back(ctx, &first, reach, sizeof first));
    if ((first & (((uint64_t)2 << depth) - 1)) != (uint64_t)1 << depth)
        return bi_fail(ctx, BOSC_ERR_DATA, "heap: node 0 is not 2^%d: it is of another depth", (int)depth);
    struct bi_cbt_heap_bits step = {reach, depth, field};
    BI_TRY(BI_CBT_STEP(ctx, heap_bits, bi_cbt_bit_words(depth), &step));
    return set_field(ctx, tree, "heap", field);
}

static bosc_status get_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap)
{
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, heap, (size_t)bi_cbt_heap_words(tree->opts.depth) * 8, &out, &staged));
    BI_TRY(bi_cbt_make_heap(ctx, tree, out.reachable));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

/* Checks of the four calls below. */
static bosc_status check_words(bosc_ctx *ctx, const bosc_cbt *tree, const char *name, const uint64_t *words)
{
    BI_TRY(bi_cbt_check(ctx, tree));
    return bi_cbt_check_array(ctx, name, 1, name, words, sizeof *words);
}

bosc_status bosc_cbt_get_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits)
{
    BI_ENTER(ctx);
    BI_TRY(check_words(ctx, tree, "bits", bits));
    BI_TRY_WITH_SCRATCH(ctx, bi_cbt_copy_bits(ctx, tree, bits));
    return ctx->backend->reaches(ctx, bits) ? BOSC_OK : ctx->backend->sync(ctx);
}

bosc_status bosc_cbt_set_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    BI_ENTER(ctx);
    BI_TRY(check_words(ctx, tree, "bits", bits));
    bi_cbt_set_progress_total(ctx, tree->opts.depth, BI_CBT_INSTALL_ITEMS + bi_cbt_heap_items(tree),
                              bi_cbt_bit_words(tree->opts.depth));
    BI_RETURN_WITH_SCRATCH(ctx, set_bits(ctx, tree, bits));
}

bosc_status bosc_cbt_get_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap)
{
    BI_ENTER(ctx);
    BI_TRY(check_words(ctx, tree, "heap", heap));
    bi_cbt_set_progress_total(ctx, tree->opts.depth, BI_CBT_MAKE_HEAP_ITEMS, 0);
    BI_RETURN_WITH_SCRATCH(ctx, get_heap(ctx, tree, heap));
}

bosc_status bosc_cbt_set_heap(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *heap)
{
    BI_ENTER(ctx);
    BI_TRY(check_words(ctx, tree, "heap", heap));
    bi_cbt_set_progress_total(ctx, tree->opts.depth, BI_CBT_INSTALL_ITEMS + bi_cbt_heap_items(tree),
                              2 * bi_cbt_bit_words(tree->opts.depth));
    BI_RETURN_WITH_SCRATCH(ctx, set_heap(ctx, tree, heap));
}

/* Checks of bosc_cbt_validate and bosc_cbt_repair. */
static bosc_status check_field(bosc_ctx *ctx, const uint64_t *bits, int32_t depth)
{
    BI_TRY(bi_cbt_check_array(ctx, "bits", 1, "bits", bits, sizeof *bits));
    return bi_cbt_check_depth(ctx, depth);
}

static bosc_status validate(bosc_ctx *ctx, const uint64_t *bits, int32_t depth, int64_t *invalid)
{
    const void *reach;
    bool staged = false;
    int64_t found;
    BI_TRY(bi_stage_in(ctx, bits, (size_t)bi_cbt_bit_words(depth) * 8, &reach, &staged));
    BI_TRY(bi_cbt_find_invalid(ctx, depth, reach, &found));
    *invalid = found == INT64_MAX ? -1 : found;
    return BOSC_OK;
}

bosc_status bosc_cbt_validate(bosc_ctx *ctx, const uint64_t *bits, int32_t depth, int64_t *invalid)
{
    BI_ENTER(ctx);
    BI_TRY(check_field(ctx, bits, depth));
    if (!invalid) return bi_fail(ctx, BOSC_ERR_ARG, "invalid: NULL");
    bi_progress_set_total(ctx, (double)bi_cbt_bit_words(depth));
    BI_RETURN_WITH_SCRATCH(ctx, validate(ctx, bits, depth, invalid));
}

static bosc_status repair(bosc_ctx *ctx, uint64_t *bits, int32_t depth)
{
    size_t bytes = (size_t)bi_cbt_bit_words(depth) * 8;
    struct bi_cbt_repair step = {.depth = depth};
    const void *reach;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, bits, bytes, &reach, &staged));
    BI_TRY(bi_scratch_of(ctx, bi_cbt_bit_words(depth), 8, &step.out));
    step.bits = reach;
    BI_TRY(BI_CBT_STEP(ctx, repair, bi_cbt_bit_words(depth), &step));
    BI_TRY(ctx->backend->copy(ctx, bits, step.out, bytes));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_repair(bosc_ctx *ctx, uint64_t *bits, int32_t depth)
{
    BI_ENTER(ctx);
    BI_TRY(check_field(ctx, bits, depth));
    bi_progress_set_total(ctx, (double)bi_cbt_bit_words(depth));
    BI_RETURN_WITH_SCRATCH(ctx, repair(ctx, bits, depth));
}

bosc_status bosc_cbt_recount(bosc_ctx *ctx, bosc_cbt *tree)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    bi_cbt_set_progress_total(ctx, tree->opts.depth, BI_CBT_INSTALL_ITEMS + bi_cbt_heap_items(tree), 0);
    BI_RETURN_WITH_SCRATCH(ctx, bi_cbt_install_bits(ctx, tree, NULL));
}
