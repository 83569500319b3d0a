/* The handle of a tree: options, checks, memory, sizes, views. */
#include "cbt/cbt.h"
#include "core/check.h"

enum { SLACK = 1 << 10 }; /* four times the arena's alignment of 256: small counters */

bosc_status bi_cbt_check_depth(bosc_ctx *ctx, int32_t depth)
{
    if (depth >= 0 && depth <= BOSC_CBT_MAX_DEPTH) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "depth: %d is not in 0 to %d", (int)depth, BOSC_CBT_MAX_DEPTH);
}

bosc_status bi_cbt_check_opts(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but depth has no default");
    BI_TRY(bi_read_opts(ctx, "bosc_cbt_opts", opts, full, sizeof *full));
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

static bosc_status reserve_blocks(bosc_ctx *ctx, bosc_cbt *tree)
{
    bosc_cbt_view *v = &tree->view;
    if (bi_cbt_is_published(tree)) {
        BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->heap, (size_t)bi_cbt_heap_words(v->depth) * 8));
        tree->heap_view = (bosc_cbt_heap_view){BOSC_CBT_VIEW_VERSION, v->depth, tree->heap.data};
        return BOSC_OK;
    }
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->bits, bi_cbt_field_bytes(v->depth)));
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->ranks, bi_cbt_rank_bytes(v->depth)));
    size_t exchange = ctx->ops->cbt->exchange_bytes;
    if (exchange > 0) {
        BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->exchange, exchange));
        BI_TRY(ctx->backend->fill(ctx, tree->exchange.data, 0, exchange));
    }
    v->bits = tree->bits.data;
    v->ranks = tree->ranks.data;
    return BOSC_OK;
}

bosc_status bi_cbt_allocate(bosc_ctx *ctx, const bosc_cbt_opts *full, bosc_cbt **tree)
{
    bosc_cbt *fresh;
    BI_TRY(BI_NEW_HANDLE(ctx, &fresh, .opts = *full));
    fresh->view.version = BOSC_CBT_VIEW_VERSION;
    fresh->view.depth = full->depth;
    fresh->view.blocks = bi_cbt_blocks(full->depth);
    bosc_status status = reserve_blocks(ctx, fresh);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_cbt_free(fresh);
    return status;
}

bosc_status bi_cbt_reserve_commands(bosc_ctx *ctx, bosc_cbt *tree)
{
    size_t field = bi_cbt_field_bytes(tree->opts.depth), bytes = bi_cbt_command_bytes(tree->opts.depth);
    if (tree->view.splits || bi_cbt_is_published(tree)) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->commands, bytes));
    BI_TRY(ctx->backend->fill(ctx, tree->commands.data, 0, bytes));
    tree->view.splits = tree->commands.data;
    tree->view.merges = tree->view.splits + field / 8;
    tree->view.touched = (uint8_t *)(tree->view.merges + field / 8);
    return BOSC_OK;
}

bosc_status bi_cbt_clear_commands(bosc_ctx *ctx, bosc_cbt *tree)
{
    if (!tree->pending && !tree->shared) return BOSC_OK;
    if (tree->commands.data)
        BI_TRY(ctx->backend->fill(ctx, tree->commands.data, 0, bi_cbt_command_bytes(tree->opts.depth)));
    tree->pending = false;
    return BOSC_OK;
}

void bosc_cbt_free(bosc_cbt *tree)
{
    if (!tree) return;
    bi_block_free(&tree->memory, &tree->bits);
    bi_block_free(&tree->memory, &tree->ranks);
    bi_block_free(&tree->memory, &tree->commands);
    bi_block_free(&tree->memory, &tree->heap);
    bi_block_free(&tree->memory, &tree->exchange);
    bi_memory_release(&tree->host, tree, sizeof *tree);
}

/* Upper bound of the scratch of a call with arrays in reach. RANKED: an update, or the installation of a bit field,
 * which is checked in a copy. PUBLISHED: a bit field, or the counts of an update with sources and their scan. */
static int64_t scratch_bytes(const bosc_ctx *ctx, const bosc_cbt_opts *o)
{
    enum { SCAN = 1 << 18 }; /* an upper bound of a scan's scratch */
    const int64_t field = (int64_t)bi_cbt_field_bytes(o->depth) + SLACK, blocks = bi_cbt_blocks(o->depth);
    if (o->layout == BOSC_CBT_PUBLISHED) return field + (int64_t)bi_cbt_rank_bytes(o->depth) + SCAN;
    const int64_t change = ctx->ops->cbt->change_scratch(blocks);
    const int64_t install = field + ctx->ops->cbt->install_scratch(blocks);
    return change > install ? change : install;
}

int64_t bi_cbt_kept_bytes(const bosc_cbt *tree)
{
    return (int64_t)(tree->bits.bytes + tree->ranks.bytes + tree->commands.bytes + tree->heap.bytes +
                     tree->exchange.bytes);
}

bosc_status bosc_cbt_bytes(const bosc_ctx *ctx, const bosc_cbt_opts *opts, int64_t *kept, int64_t *commanded,
                           int64_t *scratch)
{
    bosc_cbt_opts full;
    bosc_ctx *message_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(message_ctx);
    BI_TRY(bi_cbt_check_opts(message_ctx, opts, &full));
    const bool published = full.layout == BOSC_CBT_PUBLISHED;
    int64_t bytes = (int64_t)(bi_cbt_field_bytes(full.depth) + bi_cbt_rank_bytes(full.depth));
    bytes += (int64_t)ctx->ops->cbt->exchange_bytes;
    if (published) bytes = bi_cbt_heap_words(full.depth) * 8;
    if (kept) *kept = bytes;
    if (commanded) *commanded = bytes + (published ? 0 : (int64_t)bi_cbt_command_bytes(full.depth));
    if (scratch) *scratch = scratch_bytes(ctx, &full);
    return BOSC_OK;
}

bosc_status bosc_cbt_reserve(bosc_ctx *ctx, bosc_cbt *tree)
{
    void *memory;
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch_bytes(ctx, &tree->opts), &memory));
    return bi_cbt_reserve_commands(ctx, tree);
}

bosc_status bi_cbt_read_leaf_count(bosc_ctx *ctx, const bosc_cbt *tree, int64_t *leaves)
{
    uint64_t root[2]; /* the words of the heap that contain the root's sum */
    const int64_t words = bi_cbt_heap_words(tree->opts.depth);
    if (!bi_cbt_is_published(tree))
        return bi_read_back(ctx, leaves, tree->view.ranks + tree->view.blocks, sizeof *leaves);
    BI_TRY(bi_read_back(ctx, root, tree->heap.data, words > 1 ? sizeof root : sizeof *root));
    const bosc_cbt_heap_view view = {BOSC_CBT_VIEW_VERSION, tree->opts.depth, root};
    *leaves = bosc_cbt_heap_leaf_count(&view);
    return BOSC_OK;
}

bosc_status bosc_cbt_get_info(bosc_ctx *ctx, const bosc_cbt *tree, bosc_cbt_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_cbt_info));
    bosc_cbt_info full = {.bytes = bi_cbt_kept_bytes(tree),
                          .depth = tree->opts.depth,
                          .layout = tree->opts.layout,
                          .id_bits = tree->opts.id_bits};
    BI_TRY(bi_cbt_read_leaf_count(ctx, tree, &full.leaves));
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

bosc_status bosc_cbt_get_view(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_view *view)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (!view) return bi_fail(ctx, BOSC_ERR_ARG, "view: NULL");
    if (bi_cbt_is_published(tree))
        return bi_fail(ctx, BOSC_ERR_ARG, "tree: PUBLISHED, whose view is that of bosc_cbt_get_heap_view");
    BI_TRY(bi_cbt_reserve_commands(ctx, tree));
    tree->shared = true;
    *view = tree->view;
    return BOSC_OK;
}

bosc_status bosc_cbt_get_heap_view(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_heap_view *view)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (!view) return bi_fail(ctx, BOSC_ERR_ARG, "view: NULL");
    if (!bi_cbt_is_published(tree))
        return bi_fail(ctx, BOSC_ERR_ARG, "tree: RANKED, whose view is that of bosc_cbt_get_view");
    tree->shared = true;
    *view = tree->heap_view;
    return BOSC_OK;
}
