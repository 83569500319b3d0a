/* Moves of items between rows and the blocks of their owners: a thread passes over the rows of some tiles, with a
 * cursor for each rank. */
#include "ranks/cpu/owned.h"

#include <string.h>

#include "core/cpu/threads.h"
#include "core/steps.h"

/* Returns the number of threads for `tiles` tiles, at most one a tile. A row costs about 4 simple items. */
static int threads_of(const bosc_ctx *ctx, const struct bi_ranks_owned *items, int64_t tiles)
{
    const int threads = bi_thread_count_by_cost(ctx, items->n, 4);
    return threads < tiles ? threads : (int)tiles;
}

static int64_t tile_end(const struct bi_ranks_owned *items, int64_t tile)
{
    const int64_t end = (tile + 1) * items->tile;
    return end < items->n ? end : items->n;
}

/* ---- counts ---- */

/* Counts the items of a tile in its column of positions: those of rank r at r * tiles. */
static void count_tile(const struct bi_ranks_owned *items, int64_t tile)
{
    int64_t *counts = items->positions + tile;
    for (int64_t r = 0; r < items->rank_count; r++) counts[r * items->tiles] = 0;
    for (int64_t i = tile * items->tile; i < tile_end(items, tile); i++)
        counts[bi_ranks_owner_at(items, items->owners ? 0 : items->key_bits, i) * items->tiles]++;
}

bosc_status bi_ranks_cpu_count_owned(bosc_ctx *ctx, const struct bi_ranks_owned *items)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "count_owned: injected fault");
    /* Batches of tiles (core/progress.h). A tile is as costly as its rows. */
    struct bi_batches p = bi_batches_of(ctx, items->tiles, (double)items->tile);
    while (bi_next_batch(ctx, &p))
        BI_PARALLEL_FOR(threads_of(ctx, items, p.end - p.begin), (static), t, p.begin, p.end, count_tile(items, t));
    return p.status;
}

/* ---- moves ---- */

/* Copies an item between the block and the row. A memcpy of a constant size becomes one load and one store. */
#define COPY_ITEM(bytes)               \
    do {                               \
        if (to_row)                    \
            memcpy(row, block, bytes); \
        else                           \
            memcpy(block, row, bytes); \
    } while (0)

static inline void copy_item(char *row, char *block, size_t size, bool to_row)
{
    switch (size) {
    case 4: COPY_ITEM(4); break;
    case 8: COPY_ITEM(8); break;
    case 16: COPY_ITEM(16); break;
    default: COPY_ITEM(size); break;
    }
}

/* Moves the items of row i. In every column, item `at` of the owner's block belongs to the row. */
static void move_row(const struct bi_ranks_owned_move *move, uint32_t owner, int64_t i, int64_t at)
{
    for (int c = 0; c < move->count; c++) {
        const struct bi_ranks_owned_column *column = &move->columns[c];
        char *block = column->blocks[owner] + at * column->item_size;
        if (column->rows)
            copy_item(column->rows + i * column->item_size, block, (size_t)column->item_size, move->to_rows);
        else /* row numbers of 4 or 8 bytes, on little-endian machines; to_rows is false */
            memcpy(block, &i, (size_t)column->item_size);
    }
}

/* cursors: (rank_count), of the calling thread. */
static void move_tile(const struct bi_ranks_owned *items, const struct bi_ranks_owned_move *move, int64_t tile,
                      int64_t *cursors)
{
    for (int64_t r = 0; r < items->rank_count; r++) cursors[r] = bi_ranks_tile_begin(items, r, tile);
    for (int64_t i = tile * items->tile; i < tile_end(items, tile); i++) {
        const uint32_t owner = bi_ranks_owner_at(items, items->owners ? 0 : items->key_bits, i);
        move_row(move, owner, i, cursors[owner]++);
    }
}

static bosc_status move_tiles(bosc_ctx *ctx, const struct bi_ranks_owned *items, const struct bi_ranks_owned_move *move)
{
    const int64_t ranks = items->rank_count, threads = threads_of(ctx, items, items->tiles);
    int64_t *cursors; /* (threads, ranks). A batch has no more tiles, so no more threads */
    BI_TRY(bi_scratch_of(ctx, threads * ranks, sizeof *cursors, &cursors));
    struct bi_batches p = bi_batches_of(ctx, items->tiles, (double)items->tile);
    while (bi_next_batch(ctx, &p)) {
        const int here = threads_of(ctx, items, p.end - p.begin);
        BI_PARALLEL_FOR(here, (static), t, p.begin, p.end,
                        move_tile(items, move, t, cursors + bi_thread_of(here) * ranks));
    }
    return p.status;
}

bosc_status bi_ranks_cpu_move_owned(bosc_ctx *ctx, const struct bi_ranks_owned *items,
                                    const struct bi_ranks_owned_move *move)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "move_owned: injected fault");
    BI_RETURN_WITH_SCRATCH(ctx, move_tiles(ctx, items, move));
}
