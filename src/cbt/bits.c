/* Whole bit fields and heaps: in, out, checked and mended. */
#include "cbt/drivers.h"
#include "core/call.h"

bosc_status bi_cbt_make_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap)
{
    int32_t depth = tree->opts.depth;
    struct bi_cbt_heap step = {.heap = heap, .bits = tree->view.bits, .depth = depth};
    for (step.level = depth; step.level >= 6; step.level--) {
        step.word = ((int64_t)1 << (step.level - 6)) * (depth - step.level + 3);
        BI_TRY(BI_CBT_STEP(ctx, heap_level, ((int64_t)1 << (step.level - 6)) * (depth - step.level + 1), &step));
    }
    return BI_CBT_STEP(ctx, heap_top, 1, &step);
}

bosc_status bi_cbt_refresh_heap(bosc_ctx *ctx, bosc_cbt *tree)
{
    if (tree->opts.layout != BOSC_CBT_PUBLISHED) return BOSC_OK;
    BI_TRY(bi_cbt_make_heap(ctx, tree, tree->heap.data));
    tree->heaped = true;
    return BOSC_OK;
}

bosc_status bi_cbt_install_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    BI_TRY(bi_cbt_forget_commands(ctx, tree));
    tree->heaped = false;
    BI_TRY(ctx->ops->cbt->install(ctx, tree, bits));
    return bi_cbt_refresh_heap(ctx, tree);
}

bosc_status bi_cbt_find_bad(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *bad)
{
    struct bi_cbt_check check = {.bits = bits, .depth = depth};
    *bad = INT64_MAX;
    BI_TRY(bi_cbt_scratch(ctx, 1, sizeof *bad, &check.bad));
    BI_TRY(ctx->backend->copy(ctx, check.bad, bad, sizeof *bad));
    BI_TRY(BI_CBT_STEP(ctx, check, bi_cbt_bit_words(depth), &check));
    return bi_read_back(ctx, bad, check.bad, sizeof *bad);
}

/* A field of whole blocks in scratch, of which the caller's array, or the heap's part, makes the front. */
static bosc_status take_field(bosc_ctx *ctx, int32_t depth, uint64_t **field)
{
    BI_TRY(bi_cbt_scratch(ctx, bi_cbt_blocks(depth), BI_CBT_BLOCK / 8, field));
    return ctx->backend->fill(ctx, *field, 0, bi_cbt_field_bytes(depth));
}

static bosc_status set_field(bosc_ctx *ctx, bosc_cbt *tree, const char *name, const uint64_t *field)
{
    int64_t bad;
    BI_TRY(bi_cbt_find_bad(ctx, tree->opts.depth, field, &bad));
    if (bad != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "%s: bit %lld is not that of a tree", name, (long long)bad);
    return bi_cbt_install_bits(ctx, tree, field);
}

static bosc_status set_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    uint64_t *field;
    BI_TRY(take_field(ctx, tree->opts.depth, &field));
    BI_TRY(ctx->backend->copy(ctx, field, bits, (size_t)bi_cbt_bit_words(tree->opts.depth) * 8));
    return set_field(ctx, tree, "bits", field);
}

static bosc_status set_heap(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *heap)
{
    int32_t depth = tree->opts.depth;
    uint64_t *field, first;
    const void *reach;
    bool staged = false;
    BI_TRY(take_field(ctx, depth, &field));
    BI_TRY(bi_stage_in(ctx, heap, (size_t)bi_cbt_heap_words(depth) * 8, &reach, &staged));
    BI_TRY(bi_read_back(ctx, &first, reach, sizeof first));
    if ((first & (((uint64_t)2 << depth) - 1)) != (uint64_t)1 << depth)
        return bi_fail(ctx, BOSC_ERR_DATA, "heap: node 0 is not 2^%d: it is of another depth", (int)depth);
    struct bi_cbt_unheap step = {reach, depth, field};
    BI_TRY(BI_CBT_STEP(ctx, unheap, bi_cbt_bit_words(depth), &step));
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

/* What the four calls check. */
static bosc_status begin(bosc_ctx *ctx, const bosc_cbt *tree, const char *name, const uint64_t *words)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    return bi_cbt_check_array(ctx, name, 1, name, words, sizeof *words);
}

bosc_status bosc_cbt_get_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits)
{
    BI_TRY(begin(ctx, tree, "bits", bits));
    BI_TRY(ctx->backend->copy(ctx, bits, tree->view.bits, (size_t)bi_cbt_bit_words(tree->opts.depth) * 8));
    return ctx->backend->reaches(ctx, bits) ? BOSC_OK : ctx->backend->sync(ctx);
}

bosc_status bosc_cbt_set_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    BI_TRY(begin(ctx, tree, "bits", bits));
    BI_RETURN_WITH_SCRATCH(ctx, set_bits(ctx, tree, bits));
}

bosc_status bosc_cbt_get_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap)
{
    BI_TRY(begin(ctx, tree, "heap", heap));
    BI_RETURN_WITH_SCRATCH(ctx, get_heap(ctx, tree, heap));
}

bosc_status bosc_cbt_set_heap(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *heap)
{
    BI_TRY(begin(ctx, tree, "heap", heap));
    BI_RETURN_WITH_SCRATCH(ctx, set_heap(ctx, tree, heap));
}

static bosc_status validate(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *bad)
{
    const void *reach;
    bool staged = false;
    int64_t found;
    BI_TRY(bi_stage_in(ctx, bits, (size_t)bi_cbt_bit_words(depth) * 8, &reach, &staged));
    BI_TRY(bi_cbt_find_bad(ctx, depth, reach, &found));
    *bad = found == INT64_MAX ? -1 : found;
    return BOSC_OK;
}

bosc_status bosc_cbt_validate(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *bad)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check_depth(ctx, depth));
    BI_TRY(bi_cbt_check_array(ctx, "bits", 1, "bits", bits, sizeof *bits));
    if (!bad) return bi_fail(ctx, BOSC_ERR_ARG, "bad: NULL");
    BI_RETURN_WITH_SCRATCH(ctx, validate(ctx, depth, bits, bad));
}

static bosc_status repair(bosc_ctx *ctx, int32_t depth, uint64_t *bits)
{
    size_t bytes = (size_t)bi_cbt_bit_words(depth) * 8;
    struct bi_cbt_repair step = {.depth = depth};
    const void *reach;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, bits, bytes, &reach, &staged));
    BI_TRY(bi_scratch(ctx, bytes, (void **)&step.out));
    step.bits = reach;
    BI_TRY(BI_CBT_STEP(ctx, repair, bi_cbt_bit_words(depth), &step));
    BI_TRY(ctx->backend->copy(ctx, bits, step.out, bytes));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_repair(bosc_ctx *ctx, int32_t depth, uint64_t *bits)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check_depth(ctx, depth));
    BI_TRY(bi_cbt_check_array(ctx, "bits", 1, "bits", bits, sizeof *bits));
    BI_RETURN_WITH_SCRATCH(ctx, repair(ctx, depth, bits));
}

bosc_status bosc_cbt_recount(bosc_ctx *ctx, bosc_cbt *tree)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_RETURN_WITH_SCRATCH(ctx, bi_cbt_install_bits(ctx, tree, tree->view.bits));
}
