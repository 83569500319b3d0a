/* How much memory grids take, and taking it beforehand. */
#include "core/blocks.h"
#include "core/call.h"
#include "spatial/driver.h"

enum { BLOCKS = 4, SLACK = 1 << 20 };

/* Bytes of the blocks for n points over any extent that keys of 64 bits tell apart. */
static void block_bytes(const bosc_grid_opts *o, int64_t n, size_t bytes[BLOCKS])
{
    size_t count = (size_t)n;
    bytes[0] = count * (size_t)o->dim * (o->dtype == BOSC_F32 ? 4 : 8);
    bytes[1] = count * sizeof(uint32_t);
    bytes[2] = count * sizeof(uint64_t);
    bytes[3] = n ? (((size_t)1 << bi_grid_index_bits(n)) + 1) * sizeof(uint32_t) : 0;
}

/* Scratch for a build of so many host points, or for so many host queries: the rows as they are and as points, keys
 * and numbers, and twice as much for their sort; lists of 64-bit counts take less. */
static int64_t scratch_bytes(const bosc_grid_opts *o, int64_t count)
{
    return count * (o->dim * ((int64_t)bosc_dtype_size(o->dtype) + 8) + 48) + SLACK;
}

static bosc_status check_sizes(bosc_ctx *ctx, const bosc_grid_opts *o, int64_t n, int64_t m)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (m < 0) return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld is less than 0", (long long)m);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; a grid holds less than 2^32 - 1", (long long)n);
    if (m > (INT64_MAX - SLACK) / (16 * (int64_t)o->dim + 48))
        return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld queries are more than memory can hold", (long long)m);
    return BOSC_OK;
}

bosc_status bosc_grid_bytes(const bosc_ctx *ctx, const bosc_grid_opts *opts, int64_t n, int64_t *kept, int64_t *scratch)
{
    bosc_grid_opts full;
    size_t bytes[BLOCKS];
    if (!ctx) return BOSC_ERR_ARG;
    bosc_ctx *says = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    bi_begin(says);
    BI_TRY(bi_grid_check_opts(says, opts, &full));
    BI_TRY(check_sizes(says, &full, n, 0));
    block_bytes(&full, n, bytes);
    if (kept) *kept = (int64_t)(bytes[0] + bytes[1] + bytes[2] + bytes[3]);
    if (scratch) *scratch = scratch_bytes(&full, n);
    return BOSC_OK;
}

/* Bytes of the blocks that hold something. */
static void used_bytes(const struct bi_grid_view *v, size_t used[BLOCKS])
{
    size_t n = (size_t)v->n, keyed = v->keyed && n;
    used[0] = n * (size_t)v->dim * (v->wide ? 8 : 4);
    used[1] = n * sizeof(uint32_t);
    used[2] = keyed ? n * (v->wide_keys ? 8 : 4) : 0;
    used[3] = keyed ? (((size_t)1 << v->index_bits) + 1) * sizeof(uint32_t) : 0;
}

/* Larger blocks get what the smaller ones held. */
static bosc_status grow(bosc_ctx *ctx, bosc_grid *grid, const size_t bytes[BLOCKS])
{
    struct bi_block *const blocks[BLOCKS] = {&grid->points, &grid->ids, &grid->keys, &grid->starts};
    size_t used[BLOCKS];
    used_bytes(&grid->view, used);
    bosc_status status = bi_blocks_grow(ctx, &grid->memory, blocks, BLOCKS, bytes, used);
    bi_grid_show_blocks(grid, &grid->view);
    return status;
}

bosc_status bosc_grid_reserve(bosc_ctx *ctx, bosc_grid *grid, int64_t n, int64_t m)
{
    size_t bytes[BLOCKS];
    void *room;
    BI_ENTER(ctx);
    BI_TRY(bi_grid_check(ctx, grid));
    BI_TRY(check_sizes(ctx, &grid->opts, n, m));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch_bytes(&grid->opts, n > m ? n : m), &room));
    block_bytes(&grid->opts, n, bytes);
    return grow(ctx, grid, bytes);
}
