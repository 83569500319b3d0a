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

/* ---- owners ---- */

enum { CHUNK = 256 }; /* rows whose owners and positions are computed before their items move: 3 KB */

#define SET_OWNERS(key_bits) \
    for (int64_t i = 0; i < count; i++) owners[i] = bi_ranks_owner_at(items, key_bits, first + i)

/* Finds the owners of `count` rows. The number of bits is a constant in each loop. */
static void find_owners(const struct bi_ranks_owned *items, int64_t first, int64_t count, uint32_t *owners)
{
    switch (items->owners ? 0 : items->key_bits) {
    case 0: SET_OWNERS(0); break;
    case 32: SET_OWNERS(32); break;
    case 64: SET_OWNERS(64); break;
    default: SET_OWNERS(128); break;
    }
}

/* ---- counts ---- */

/* Counts the items of a tile in its column of positions: those of rank r at r * tiles. */
static void count_tile(const struct bi_ranks_owned *items, int64_t tile)
{
    uint32_t owners[CHUNK];
    int64_t *counts = items->positions + tile;
    const int64_t end = tile_end(items, tile);
    for (int64_t r = 0; r < items->rank_count; r++) counts[r * items->tiles] = 0;
    for (int64_t first = tile * items->tile; first < end; first += CHUNK) {
        const int64_t count = end - first < CHUNK ? end - first : CHUNK;
        find_owners(items, first, count, owners);
        for (int64_t i = 0; i < count; i++) counts[owners[i] * items->tiles]++;
    }
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

/* Rows of a chunk, and the positions of their items in the blocks of their owners. */
struct chunk {
    int64_t first, count;
    uint32_t owners[CHUNK];
    int64_t at[CHUNK];
};

static inline char *item_in_block(const struct bi_ranks_owned_column *column, const struct chunk *c, int64_t i,
                                  size_t size)
{
    return column->blocks[c->owners[i]] + c->at[i] * (int64_t)size;
}

/* Copies the items of a column. A memcpy of a constant size becomes one load and one store. */
static inline void copy_items(const struct bi_ranks_owned_column *column, const struct chunk *c, size_t size,
                              bool to_rows)
{
    char *row = column->rows + c->first * (int64_t)size;
    if (to_rows)
        for (int64_t i = 0; i < c->count; i++, row += size) memcpy(row, item_in_block(column, c, i, size), size);
    else
        for (int64_t i = 0; i < c->count; i++, row += size) memcpy(item_in_block(column, c, i, size), row, size);
}

static void move_column(const struct bi_ranks_owned_column *column, const struct chunk *c, bool to_rows)
{
    const size_t size = (size_t)column->item_size;
    if (!column->rows) { /* row numbers of 4 or 8 bytes, on little-endian machines; to_rows is false */
        for (int64_t i = 0, row = c->first; i < c->count; i++, row++)
            memcpy(item_in_block(column, c, i, size), &row, size);
        return;
    }
    switch (size) {
    case 4: copy_items(column, c, 4, to_rows); break;
    case 8: copy_items(column, c, 8, to_rows); break;
    case 12: copy_items(column, c, 12, to_rows); break; /* points of three floats */
    case 16: copy_items(column, c, 16, to_rows); break;
    case 32: copy_items(column, c, 32, to_rows); break; /* 8 neighbours */
    default: copy_items(column, c, size, to_rows); break;
    }
}

/* cursors: (rank_count), of the calling thread. */
static void move_tile(const struct bi_ranks_owned *items, const struct bi_ranks_owned_move *move, int64_t tile,
                      int64_t *cursors)
{
    struct chunk c;
    const int64_t end = tile_end(items, tile);
    for (int64_t r = 0; r < items->rank_count; r++) cursors[r] = bi_ranks_tile_begin(items, r, tile);
    for (c.first = tile * items->tile; c.first < end; c.first += CHUNK) {
        c.count = end - c.first < CHUNK ? end - c.first : CHUNK;
        find_owners(items, c.first, c.count, c.owners);
        for (int64_t i = 0; i < c.count; i++) c.at[i] = cursors[c.owners[i]]++;
        for (int k = 0; k < move->count; k++) move_column(&move->columns[k], &c, move->to_rows);
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
