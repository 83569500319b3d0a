/* The front door of concurrent binary trees: handles, options, and what every call checks. */
#include <string.h>

#include "cbt/drivers.h"
#include "core/call.h"

bosc_status bi_cbt_check_depth(bosc_ctx *ctx, int32_t depth)
{
    if (depth >= 0 && depth <= BOSC_CBT_MAX_DEPTH) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "depth: %d is not in 0 to %d", (int)depth, BOSC_CBT_MAX_DEPTH);
}

bosc_status bi_cbt_check_opts(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but depth has no default");
    BI_TRY(bi_take_opts(ctx, "bosc_cbt_opts", opts, full, sizeof *full));
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->depth < 0 || full->depth > BOSC_CBT_MAX_DEPTH)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: depth %d is not in 0 to %d", (int)full->depth, BOSC_CBT_MAX_DEPTH);
    if (full->level < 0 || full->level > full->depth)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: level %d is not in 0 to depth %d", (int)full->level, (int)full->depth);
    if (full->layout != BOSC_CBT_RANKED && full->layout != BOSC_CBT_PUBLISHED)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: layout %d is neither RANKED nor PUBLISHED", (int)full->layout);
    if (full->decoding != BOSC_CBT_BY_LAYOUT && full->decoding != BOSC_CBT_SEQUENTIAL)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: decoding %d is neither BY_LAYOUT nor SEQUENTIAL", (int)full->decoding);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    if (full->id_bits == 32 && full->depth > 31)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits 32 does not hold the nodes of depth %d", (int)full->depth);
    return BOSC_OK;
}

bosc_status bi_cbt_check(bosc_ctx *ctx, const bosc_cbt *tree)
{
    return bi_check_handle(ctx, "tree", tree ? &tree->memory : NULL);
}

bosc_status bi_cbt_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                               size_t size)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", n_name, (long long)n);
    if (n > INT64_MAX / (int64_t)size - BI_CBT_BLOCK)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld elements of %zu bytes are more than memory can hold", n_name,
                       (long long)n, size);
    if (n > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    if ((uintptr_t)array % size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: not aligned to its elements of %zu bytes", name, size);
    return BOSC_OK;
}

bosc_status bi_cbt_scratch(bosc_ctx *ctx, int64_t n, size_t size, void *p) { return bi_scratch_of(ctx, n, size, p); }

static bosc_status reserve(bosc_ctx *ctx, bosc_cbt *tree)
{
    bosc_cbt_view *v = &tree->view;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->bits, bi_cbt_field_bytes(v->depth)));
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->ranks, (size_t)(v->blocks + 1) * sizeof(int64_t)));
    if (tree->opts.layout == BOSC_CBT_PUBLISHED)
        BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->heap, (size_t)bi_cbt_heap_words(v->depth) * 8));
    size_t meeting = ctx->ops->cbt->meeting_bytes;
    if (meeting > 0) {
        BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->meeting, meeting));
        BI_TRY(ctx->backend->fill(ctx, tree->meeting.data, 0, meeting));
    }
    v->bits = tree->bits.data;
    v->ranks = tree->ranks.data;
    return BOSC_OK;
}

bosc_status bi_cbt_new(bosc_ctx *ctx, const bosc_cbt_opts *full, bosc_cbt **tree)
{
    bosc_cbt *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_cbt){.memory = ctx->memory, .host = ctx->host, .opts = *full};
    fresh->view.version = BOSC_CBT_VIEW_VERSION;
    fresh->view.depth = full->depth;
    fresh->view.blocks = bi_cbt_blocks(full->depth);
    bosc_status status = reserve(ctx, fresh);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_cbt_free(fresh);
    return status;
}

static bosc_status reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    struct bi_cbt_reset reset = {tree->view.depth, level, tree->view.blocks, tree->bits.data, tree->ranks.data};
    BI_TRY(bi_cbt_forget_commands(ctx, tree));
    tree->heaped = false;
    BI_TRY(BI_CBT_STEP(ctx, reset, tree->view.blocks + 1, &reset));
    return bi_cbt_refresh_heap(ctx, tree);
}

bosc_status bosc_cbt_create(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt **tree)
{
    bosc_cbt_opts full;
    bosc_cbt *fresh;
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check_opts(ctx, opts, &full));
    if (!tree) return bi_fail(ctx, BOSC_ERR_ARG, "tree: NULL");
    BI_TRY(bi_cbt_new(ctx, &full, &fresh));
    bosc_status status = reset(ctx, fresh, full.level);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_cbt_free(fresh);
    return status;
}

void bosc_cbt_free(bosc_cbt *tree)
{
    if (!tree) return;
    struct bi_memory host = tree->host;
    bi_block_free(&tree->memory, &tree->bits);
    bi_block_free(&tree->memory, &tree->ranks);
    bi_block_free(&tree->memory, &tree->commands);
    bi_block_free(&tree->memory, &tree->heap);
    bi_block_free(&tree->memory, &tree->meeting);
    bi_memory_release(&host, tree, sizeof *tree);
}

bosc_status bosc_cbt_bytes(const bosc_ctx *ctx, const bosc_cbt_opts *opts, int64_t *kept, int64_t *commanded,
                           int64_t *scratch)
{
    bosc_cbt_opts full;
    if (!ctx) return BOSC_ERR_ARG;
    BI_TRY(bi_cbt_check_opts((bosc_ctx *)ctx, opts, &full));
    int64_t field = (int64_t)bi_cbt_field_bytes(full.depth), ranks = (bi_cbt_blocks(full.depth) + 1) * 8;
    int64_t heap = full.layout == BOSC_CBT_PUBLISHED ? bi_cbt_heap_words(full.depth) * 8 : 0;
    heap += (int64_t)ctx->ops->cbt->meeting_bytes;
    if (kept) *kept = field + ranks + heap;
    if (commanded) *commanded = field + ranks + heap + (int64_t)bi_cbt_command_bytes(full.depth);
    if (scratch) *scratch = 2 * ranks + 4; /* counts; with sources the old ranks too */
    return BOSC_OK;
}

bosc_status bosc_cbt_reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (level < 0 || level > tree->opts.depth)
        return bi_fail(ctx, BOSC_ERR_ARG, "level: %d is not in 0 to depth %d", (int)level, (int)tree->opts.depth);
    return reset(ctx, tree, level);
}

bosc_status bosc_cbt_get_info(bosc_ctx *ctx, const bosc_cbt *tree, bosc_cbt_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (!info) return bi_fail(ctx, BOSC_ERR_ARG, "info: NULL");
    BI_TRY(bi_check_size(ctx, "info", "bosc_cbt_info", info->size, sizeof *info));
    bosc_cbt_info full = {.size = info->size,
                          .bytes = (int64_t)(tree->bits.bytes + tree->ranks.bytes + tree->commands.bytes +
                                             tree->heap.bytes + tree->meeting.bytes),
                          .depth = tree->opts.depth,
                          .layout = tree->opts.layout,
                          .id_bits = tree->opts.id_bits};
    BI_TRY(bi_read_back(ctx, &full.leaves, tree->view.ranks + tree->view.blocks, sizeof full.leaves));
    memcpy(info, &full, info->size);
    return BOSC_OK;
}

bosc_status bosc_cbt_get_view(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_view *view)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (!view) return bi_fail(ctx, BOSC_ERR_ARG, "view: NULL");
    BI_TRY(bi_cbt_need_commands(ctx, tree));
    tree->shared = true;
    *view = tree->view;
    return BOSC_OK;
}
