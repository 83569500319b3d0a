/* Moves of items between rows and the blocks of their owners. The blocks may lie in the memory of other devices, so the
 * moves and the exchange are one pass. Items of 1, 4 or 8 bytes, and all items of known owners, are moved in runs
 * (move_runs.cuh), others by warps: a warp passes over the rows of a tile, with a cursor for each rank. */
#include "ranks/cuda/owned.cuh"

#include <cstring>

#include "ranks/cuda/move_runs.cuh"

namespace
{

/* A kernel gets 48 KB of shared memory by default, for a cursor of 8 bytes by warp and rank. BLOCK_RANKS: up to this
 * number of ranks, a block has all WARPS, and at most 16 KB of cursors. MAX_RANKS: with more, a block is one warp, with
 * at most 32 KB; the next power of two would not fit. STEPS: rows of a lane whose loads are in flight together; more:
 * more registers. */
enum { WARPS = 8, BLOCK_RANKS = 256, MAX_RANKS = 4096, STEPS = 4 };
static_assert(WARPS * BLOCK_RANKS * sizeof(int64_t) <= 48 << 10 && MAX_RANKS * sizeof(int64_t) <= 48 << 10, "cursors");

__device__ __forceinline__ int64_t end_of_tile(const bi_ranks_owned &a, int64_t tile)
{
    const int64_t end = (tile + 1) * a.tile;
    return end < a.n ? end : a.n;
}

/* ---- counts ---- */

template <int KEY_BITS> __global__ void bi_ranks_count_owned(const bi_ranks_owned a, int owner_bits)
{
    BI_SHARED_DYNAMIC(long long, all_cursors);
    const int64_t warps = blockDim.x / 32, ranks = a.rank_count, lane = threadIdx.x % 32;
    const int64_t tile = blockIdx.x * warps + threadIdx.x / 32;
    long long *cursors = all_cursors + threadIdx.x / 32 * ranks;
    if (tile >= a.tiles) return;
    /* 1. Count. The barrier makes the zeros visible to the warp. */
    for (int64_t r = lane; r < ranks; r += 32) cursors[r] = 0;
    __syncwarp();
    const int64_t end = end_of_tile(a, tile);
    for (int64_t first = tile * a.tile + lane; first - lane < end; first += 32 * STEPS) {
        uint32_t owner[STEPS];
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            owner[s] = first + 32 * s < end ? bi_ranks_owner_at(&a, KEY_BITS, first + 32 * s) : 0;
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            (void)bi_ranks_advance_cursor(cursors, first + 32 * s < end, owner[s], owner_bits);
    }
    /* 2. Store the counts, which the last barrier has made visible. */
    for (int64_t r = lane; r < ranks; r += 32) a.positions[r * a.tiles + tile] = cursors[r];
}

/* ---- moves ---- */

/* Moves the lane's items of one column, as `words` words each. All loads come before the stores. */
template <class WORD>
__device__ __forceinline__ void move_words(const bi_ranks_device_move &m, int64_t words, int64_t first,
                                           const bool *valid, char *const *block, const long long *at, char *rows)
{
    for (int64_t w = 0; w < words; w++) {
        WORD item[STEPS];
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            const WORD *row = reinterpret_cast<const WORD *>(rows) + (first + 32 * s) * words + w;
            const WORD *in_block = reinterpret_cast<const WORD *>(block[s]) + at[s] * words + w;
            if (valid[s]) item[s] = m.to_rows ? *in_block : *row;
        }
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            WORD *row = reinterpret_cast<WORD *>(rows) + (first + 32 * s) * words + w;
            WORD *in_block = reinterpret_cast<WORD *>(block[s]) + at[s] * words + w;
            if (valid[s]) *(m.to_rows ? row : in_block) = item[s];
        }
    }
}

/* For a column without rows: its items have 4 or 8 bytes, and to_rows is false. */
__device__ __forceinline__ void write_row_numbers(int64_t size, int64_t first, const bool *valid, char *const *block,
                                                  const long long *at)
{
#pragma unroll
    for (int s = 0; s < STEPS; s++)
        if (valid[s]) write_item(block[s], size, at[s], (uint64_t)(first + 32 * s));
}

/* Moves rows first, first + 32, ... of the lane. at[s]: position of row first + 32 * s in its owner's block. Rows and
 * blocks are aligned to the largest of 1, 4 and 8 that divides the item size. */
__device__ __forceinline__ void move_columns(const bi_ranks_device_move &m, uint32_t ranks, int64_t first,
                                             const bool *valid, const uint32_t *owner, const long long *at)
{
    for (int c = 0; c < m.count; c++) {
        char *block[STEPS];
#pragma unroll
        for (int s = 0; s < STEPS; s++) block[s] = valid[s] ? bi_ranks_block_of(m, c, ranks, owner[s]) : nullptr;
        if (!m.rows[c])
            write_row_numbers(m.item_size[c], first, valid, block, at);
        else if (m.item_size[c] % 8 == 0)
            move_words<uint64_t>(m, m.item_size[c] / 8, first, valid, block, at, m.rows[c]);
        else if (m.item_size[c] % 4 == 0)
            move_words<uint32_t>(m, m.item_size[c] / 4, first, valid, block, at, m.rows[c]);
        else
            move_words<unsigned char>(m, m.item_size[c], first, valid, block, at, m.rows[c]);
    }
}

template <int KEY_BITS>
__global__ void bi_ranks_move_owned(const bi_ranks_owned a, const bi_ranks_device_move m, int owner_bits)
{
    BI_SHARED_DYNAMIC(long long, all_cursors);
    const int64_t warps = blockDim.x / 32, ranks = a.rank_count, lane = threadIdx.x % 32;
    const int64_t tile = blockIdx.x * warps + threadIdx.x / 32;
    long long *cursors = all_cursors + threadIdx.x / 32 * ranks;
    if (tile >= a.tiles) return;
    /* 1. Set the cursors to the tile's positions. The barrier makes them visible to the warp. */
    for (int64_t r = lane; r < ranks; r += 32) cursors[r] = bi_ranks_tile_begin(&a, r, tile);
    __syncwarp();
    const int64_t end = end_of_tile(a, tile);
    for (int64_t first = tile * a.tile + lane; first - lane < end; first += 32 * STEPS) {
        bool valid[STEPS];
        uint32_t owner[STEPS];
        long long at[STEPS];
        /* 2. Find the owners and the positions of 32 rows a step. */
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            valid[s] = first + 32 * s < end;
            owner[s] = valid[s] ? bi_ranks_owner_at(&a, KEY_BITS, first + 32 * s) : 0;
        }
#pragma unroll
        for (int s = 0; s < STEPS; s++) at[s] = bi_ranks_advance_cursor(cursors, valid[s], owner[s], owner_bits);
        /* 3. Move their items. */
        move_columns(m, a.rank_count, first, valid, owner, at);
    }
}

/* ---- launches ---- */

/* Warps of a block, which is as large as the cursors allow. */
unsigned warps_of(const bi_ranks_owned *items) { return items->rank_count <= BLOCK_RANKS ? WARPS : 1; }

bosc_status check_ranks(bosc_ctx *ctx, const bi_ranks_owned *items)
{
    if (items->rank_count <= MAX_RANKS) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "comm: %u ranks; on CUDA at most %d exchange items", items->rank_count,
                   (int)MAX_RANKS);
}

/* Calls launch(KEY_BITS) as a template argument: 0, 32, 64 or 128. */
#define WITH_KEY_BITS(items, launch)                   \
    switch ((items)->owners ? 0 : (items)->key_bits) { \
    case 0: return launch(0);                          \
    case 32: return launch(32);                        \
    case 64: return launch(64);                        \
    default: return launch(128);                       \
    }

bosc_status copy_table(bosc_ctx *ctx, const bi_ranks_owned *items, const bi_ranks_owned_move *move,
                       bi_ranks_device_move *m)
{
    const size_t ranks = items->rank_count;
    char **table;
    BI_TRY(bi_scratch_of(ctx, (int64_t)(move->count * ranks), sizeof *table, &table));
    for (int c = 0; c < move->count; c++)
        BI_TRY(ctx->backend->copy(ctx, table + c * ranks, move->columns[c].blocks, ranks * sizeof *table));
    m->table = table;
    return ctx->backend->sync(ctx); /* the caller may change its lists of blocks after the call */
}

/* True if some items have neither 1, 4 nor 8 bytes. */
bool is_wide(const bi_ranks_owned_move *move)
{
    bool wide = false;
    for (int c = 0; c < move->count; c++) {
        const int64_t size = move->columns[c].item_size;
        wide = wide || (size != 1 && size != 4 && size != 8);
    }
    return wide;
}

/* True if the columns can be moved in runs. */
bool has_runs(const bi_ranks_owned *items, const bi_ranks_owned_move *move)
{
    for (int c = 0; c < move->count; c++)
        if (move->columns[c].item_size > BI_RANKS_RUN_BYTES) return false;
    return items->rank_count <= BI_RANKS_RUN_RANKS && items->tile == BI_RANKS_TILE && (items->owners || !is_wide(move));
}

/* Returns the greatest size of words that divides the items and to which all arrays are aligned. */
int word_size_of(const bi_ranks_owned_column &column, uint32_t ranks)
{
    uintptr_t bits = (uintptr_t)column.item_size | reinterpret_cast<uintptr_t>(column.rows);
    for (uint32_t r = 0; r < ranks; r++) bits |= reinterpret_cast<uintptr_t>(column.blocks[r]);
    return bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
}

bosc_status launch_warps(bosc_ctx *ctx, const bi_ranks_owned *items, const bi_ranks_device_move &m)
{
    const unsigned warps = warps_of(items), grid = (unsigned)bi_div_up(items->tiles, warps);
    const int owner_bits = bi_bit_length(items->rank_count - 1);
#define LAUNCH(key_bits)                                                                                        \
    BI_RUN(ctx, bi_ranks_move_owned<key_bits>, grid, 32 * warps, warps * items->rank_count * sizeof(long long), \
           *items, m, owner_bits)
    WITH_KEY_BITS(items, LAUNCH)
#undef LAUNCH
}

bosc_status launch_runs(bosc_ctx *ctx, const bi_ranks_owned *items, const bi_ranks_device_move &m, bool wide)
{
    const int owner_bits = bi_bit_length(items->rank_count - 1);
    const unsigned grid = (unsigned)items->tiles, threads = BI_RANKS_RUN_THREADS;
#define LAUNCH(key_bits)                                                                                   \
    m.to_rows ? BI_RUN(ctx, (bi_ranks_move_runs<key_bits, true>), grid, threads, 0, *items, m, owner_bits) \
              : BI_RUN(ctx, (bi_ranks_move_runs<key_bits, false>), grid, threads, 0, *items, m, owner_bits)
    if (wide)
        return m.to_rows ? BI_RUN(ctx, bi_ranks_move_wide_runs<true>, grid, threads, 0, *items, m, owner_bits)
                         : BI_RUN(ctx, bi_ranks_move_wide_runs<false>, grid, threads, 0, *items, m, owner_bits);
    WITH_KEY_BITS(items, LAUNCH)
#undef LAUNCH
}

bosc_status launch_move(bosc_ctx *ctx, const bi_ranks_owned *items, const bi_ranks_owned_move *move)
{
    bi_ranks_device_move m = {move->to_rows, move->count, {}, {}, {}, {}, nullptr};
    for (int c = 0; c < move->count; c++) {
        m.item_size[c] = move->columns[c].item_size;
        m.word_size[c] = word_size_of(move->columns[c], items->rank_count);
        m.rows[c] = move->columns[c].rows;
        if (items->rank_count <= BI_RANKS_INLINE)
            memcpy(m.blocks[c], move->columns[c].blocks, items->rank_count * sizeof(char *));
    }
    if (items->rank_count > BI_RANKS_INLINE) BI_TRY(copy_table(ctx, items, move, &m));
    return has_runs(items, move) ? launch_runs(ctx, items, m, is_wide(move)) : launch_warps(ctx, items, m);
}

} // namespace

bosc_status bi_ranks_cuda_count_owned(bosc_ctx *ctx, const bi_ranks_owned *items)
{
    BI_TRY(check_ranks(ctx, items));
    const unsigned warps = warps_of(items), grid = (unsigned)bi_div_up(items->tiles, warps);
    const int owner_bits = bi_bit_length(items->rank_count - 1);
#define LAUNCH(key_bits)                                                                                         \
    BI_RUN(ctx, bi_ranks_count_owned<key_bits>, grid, 32 * warps, warps * items->rank_count * sizeof(long long), \
           *items, owner_bits)
    WITH_KEY_BITS(items, LAUNCH)
#undef LAUNCH
}

/* bi_ranks_cuda_count_owned has checked the number of ranks. */
bosc_status bi_ranks_cuda_move_owned(bosc_ctx *ctx, const bi_ranks_owned *items, const bi_ranks_owned_move *move)
{
    BI_RETURN_WITH_SCRATCH(ctx, launch_move(ctx, items, move));
}
