/* Moves items between rows and the blocks of their owners in runs: a thread block orders the rows of a tile by owner in
 * shared memory, so that consecutive threads access consecutive items of a block. For two ranks a run is about 1,024
 * items; single warps would send runs of 16, at two thirds of the speed of the link between devices
 * (docs/design/ranks.md, Owners of keys). Items of 1, 4 or 8 bytes are ordered in shared memory themselves; of wide
 * items the numbers of the rows are, and consecutive threads move consecutive words. */
#ifndef BI_RANKS_CUDA_MOVE_RUNS_CUH
#define BI_RANKS_CUDA_MOVE_RUNS_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "ranks/cuda/owned.cuh"

/* BI_RANKS_RUN_RANKS: ranks up to which a run has 16 items or more on average. At most 256: owners are bytes, and
 * find_slots uses a thread for each rank. BI_RANKS_RUN_BYTES: of an item, at most, so that move_wide numbers the words
 * of a tile by 32 bits. BI_RANKS_INLINE: ranks up to which the blocks' addresses are arguments of the kernel; the
 * emulator has fewer, so that tests reach the table too. */
enum { BI_RANKS_RUN_RANKS = 128, BI_RANKS_RUN_THREADS = 256, BI_RANKS_RUN_BYTES = 1 << 20 };
#ifdef BI_EMULATE
enum { BI_RANKS_INLINE = 3 };
#else
enum { BI_RANKS_INLINE = 16 };
#endif
enum { BI_RANKS_COLUMNS = sizeof bi_ranks_owned_move::columns / sizeof bi_ranks_owned_move::columns[0] };

/* A move, with the blocks' addresses where kernels reach them. */
struct bi_ranks_device_move {
    bool to_rows;
    int count;
    int64_t item_size[BI_RANKS_COLUMNS];
    int word_size[BI_RANKS_COLUMNS]; /* of the words in which items of any size are moved: 1, 4, 8 or 16 bytes */
    char *rows[BI_RANKS_COLUMNS];    /* NULL: row numbers are written to the blocks; only if to_rows is false */
    char *blocks[BI_RANKS_COLUMNS][BI_RANKS_INLINE];
    char *const *table; /* (count, rank_count), in place of `blocks`; or NULL */
};

__device__ __forceinline__ char *bi_ranks_block_of(const bi_ranks_device_move &m, int column, uint32_t ranks,
                                                   uint32_t owner)
{
    return m.table ? m.table[column * ranks + owner] : m.blocks[column][owner];
}

/* The lanes whose owner is this lane's. owner_bits: bits of the greatest owner. */
__device__ __forceinline__ unsigned bi_ranks_lanes_of_owner(bool valid, uint32_t owner, int owner_bits)
{
    unsigned lanes = __ballot_sync(~0u, valid);
    for (int b = 0; b < owner_bits; b++) {
        const unsigned ones = __ballot_sync(~0u, owner >> b & 1);
        lanes &= owner >> b & 1 ? ones : ~ones;
    }
    return lanes;
}

/* Returns the owner's cursor plus the number of lower lanes of the owner, and advances the cursor. The whole warp calls
 * it. The lowest lane of each owner, its leader, writes the cursor. The barriers separate the reads of the cursors from
 * the leaders' writes, and these from the next call's reads. */
template <class T>
__device__ __forceinline__ T bi_ranks_advance_cursor(T *cursors, bool valid, uint32_t owner, int owner_bits)
{
    const unsigned lanes = bi_ranks_lanes_of_owner(valid, owner, owner_bits), below = lanes & bi_lanes_below();
    const T begin = valid ? cursors[owner] : 0;
    __syncwarp();
    if (valid && below == 0) cursors[owner] = begin + __popc(lanes);
    __syncwarp();
    return begin + __popc(below);
}

namespace
{

enum { RUN_WARPS = BI_RANKS_RUN_THREADS / 32, RUN_STEPS = BI_RANKS_TILE / BI_RANKS_RUN_THREADS, WORD_STEPS = 4 };

struct run_shared {
    uint64_t items[BI_RANKS_TILE];      /* by owner, then by row */
    int64_t begins[BI_RANKS_RUN_RANKS]; /* by owner: item j here has position begins + j in the block */
    /* By warp and owner: the number of the warp's items so far; after find_slots, the slot of the first one. */
    uint32_t cursors[RUN_WARPS][BI_RANKS_RUN_RANKS];
    uint32_t sums[RUN_WARPS];
    unsigned char owners[BI_RANKS_TILE]; /* of the items */
    uint16_t rows[BI_RANKS_TILE];        /* of the items, within the tile */
};

/* Reads or writes item i of an array of items of `size` bytes. */
__device__ __forceinline__ uint64_t read_item(const char *items, int64_t size, int64_t i)
{
    return size == 8   ? reinterpret_cast<const uint64_t *>(items)[i]
           : size == 4 ? reinterpret_cast<const uint32_t *>(items)[i]
                       : reinterpret_cast<const unsigned char *>(items)[i];
}

__device__ __forceinline__ void write_item(char *items, int64_t size, int64_t i, uint64_t item)
{
    if (size == 8)
        reinterpret_cast<uint64_t *>(items)[i] = item;
    else if (size == 4)
        reinterpret_cast<uint32_t *>(items)[i] = (uint32_t)item;
    else
        reinterpret_cast<unsigned char *>(items)[i] = (unsigned char)item;
}

/* Reads the thread's items of a column, 32 rows apart from row `first` on. */
__device__ __forceinline__ void read_rows(const bi_ranks_device_move &m, int c, int64_t first, int64_t end,
                                          uint64_t *items)
{
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++) {
        const int64_t i = first + 32 * s;
        if (i < end) items[s] = m.rows[c] ? read_item(m.rows[c], m.item_size[c], i) : (uint64_t)i;
    }
}

/* Writes the ordered items of a column to the blocks. */
__device__ __forceinline__ void write_runs(const bi_ranks_device_move &m, int c, uint32_t ranks, const run_shared &sh,
                                           int count)
{
    for (int j = (int)threadIdx.x; j < count; j += BI_RANKS_RUN_THREADS)
        write_item(bi_ranks_block_of(m, c, ranks, sh.owners[j]), m.item_size[c], sh.begins[sh.owners[j]] + j,
                   sh.items[j]);
}

/* Reads the items of a column from the blocks, in order. All loads of a thread are in flight together. */
__device__ __forceinline__ void read_runs(const bi_ranks_device_move &m, int c, uint32_t ranks, run_shared &sh,
                                          int count)
{
    uint64_t items[RUN_STEPS];
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++) {
        const int j = (int)threadIdx.x + s * BI_RANKS_RUN_THREADS;
        if (j < count)
            items[s] =
                read_item(bi_ranks_block_of(m, c, ranks, sh.owners[j]), m.item_size[c], sh.begins[sh.owners[j]] + j);
    }
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++) {
        const int j = (int)threadIdx.x + s * BI_RANKS_RUN_THREADS;
        if (j < count) sh.items[j] = items[s];
    }
}

/* Moves the items of a column, in words, between the rows from `begin` on and the blocks. The loads of WORD_STEPS
 * words of a thread are in flight together. */
template <class WORD, bool TO_ROWS>
__device__ __forceinline__ void move_wide(const bi_ranks_device_move &m, int c, uint32_t ranks, const run_shared &sh,
                                          int64_t begin, int count)
{
    const uint32_t words = (uint32_t)(m.item_size[c] / (int64_t)sizeof(WORD)), all = (uint32_t)count * words;
    for (uint32_t first = threadIdx.x; first < all; first += WORD_STEPS * BI_RANKS_RUN_THREADS) {
        WORD word[WORD_STEPS], *to[WORD_STEPS];
#pragma unroll
        for (int s = 0; s < WORD_STEPS; s++) {
            const uint32_t k = first + s * BI_RANKS_RUN_THREADS, j = words == 1 ? k : k / words, w = k - j * words;
            if (k >= all) break;
            const uint32_t owner = sh.owners[j];
            WORD *block =
                reinterpret_cast<WORD *>(bi_ranks_block_of(m, c, ranks, owner)) + (sh.begins[owner] + j) * words + w;
            WORD *row = reinterpret_cast<WORD *>(m.rows[c]) + (begin + sh.rows[j]) * words + w;
            to[s] = TO_ROWS ? row : block;
            word[s] = TO_ROWS ? *block : *row;
        }
#pragma unroll
        for (int s = 0; s < WORD_STEPS; s++)
            if (first + s * BI_RANKS_RUN_THREADS < all) *to[s] = word[s];
    }
}

/* For a column without rows: writes their numbers. */
__device__ __forceinline__ void write_numbers(const bi_ranks_device_move &m, int c, uint32_t ranks,
                                              const run_shared &sh, int64_t begin, int count)
{
    for (int j = (int)threadIdx.x; j < count; j += BI_RANKS_RUN_THREADS)
        write_item(bi_ranks_block_of(m, c, ranks, sh.owners[j]), m.item_size[c], sh.begins[sh.owners[j]] + j,
                   (uint64_t)(begin + sh.rows[j]));
}

template <bool TO_ROWS>
__device__ __forceinline__ void move_wide_column(const bi_ranks_device_move &m, int c, uint32_t ranks,
                                                 const run_shared &sh, int64_t begin, int count)
{
    switch (m.word_size[c]) {
    case 16: return move_wide<uint4, TO_ROWS>(m, c, ranks, sh, begin, count);
    case 8: return move_wide<uint64_t, TO_ROWS>(m, c, ranks, sh, begin, count);
    case 4: return move_wide<uint32_t, TO_ROWS>(m, c, ranks, sh, begin, count);
    default: return move_wide<unsigned char, TO_ROWS>(m, c, ranks, sh, begin, count);
    }
}

/* Turns the warps' numbers of items of each owner into the slots of their first ones. The whole block calls it. */
__device__ __forceinline__ void find_slots(const bi_ranks_owned &a, run_shared &sh)
{
    const uint32_t r = threadIdx.x;
    uint32_t sum = 0, all;
    for (int w = 0; w < RUN_WARPS && r < a.rank_count; w++) {
        const uint32_t count = sh.cursors[w][r];
        sh.cursors[w][r] = sum;
        sum += count;
    }
    const uint32_t begin = bi_block_exclusive_sum<RUN_WARPS>(sum, sh.sums, &all);
    for (int w = 0; w < RUN_WARPS && r < a.rank_count; w++) sh.cursors[w][r] += begin;
    if (r < a.rank_count) sh.begins[r] = bi_ranks_tile_begin(&a, r, blockIdx.x) - begin;
}

/* Orders the rows of the block's tile by owner: slot[s] is the position of row first + 32 * s. Sets sh.begins, and
 * sh.owners after a barrier of the caller. */
template <int KEY_BITS>
__device__ __forceinline__ void order_rows(const bi_ranks_owned &a, int owner_bits, int64_t first, int64_t end,
                                           run_shared &sh, uint32_t (&slot)[RUN_STEPS])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t owner[RUN_STEPS];
    /* 1. Number the items of each warp by owner. The barrier makes the zeros visible to the warp. */
    for (uint32_t r = lane; r < a.rank_count; r += 32) sh.cursors[warp][r] = 0;
    __syncwarp();
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++) {
        const bool valid = first + 32 * s < end;
        owner[s] = valid ? bi_ranks_owner_at(&a, KEY_BITS, first + 32 * s) : 0;
        slot[s] = bi_ranks_advance_cursor(sh.cursors[warp], valid, owner[s], owner_bits);
    }
    /* 2. Find the slots. The barriers make the warps' numbers visible to the block, then the slots. */
    __syncthreads();
    find_slots(a, sh);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++) {
        slot[s] += sh.cursors[warp][owner[s]];
        if (first + 32 * s < end) sh.owners[slot[s]] = (unsigned char)owner[s];
    }
}

/* Moves items of 1, 4 or 8 bytes; a block moves those of a tile. 3 blocks a multiprocessor: they leave each thread 80
 * registers of 65,536. */
template <int KEY_BITS, bool TO_ROWS>
__global__ void __launch_bounds__(BI_RANKS_RUN_THREADS, 3)
    bi_ranks_move_runs(const bi_ranks_owned a, const bi_ranks_device_move m, int owner_bits)
{
    BI_SHARED(run_shared, sh);
    const int64_t begin = (int64_t)blockIdx.x * BI_RANKS_TILE;
    const int64_t end = begin + BI_RANKS_TILE < a.n ? begin + BI_RANKS_TILE : a.n;
    const int64_t first = begin + threadIdx.x / 32 * (32 * RUN_STEPS) + threadIdx.x % 32;
    uint64_t items[RUN_STEPS];
    uint32_t slot[RUN_STEPS];
    /* 1. Order the rows. The barrier makes their owners visible. */
    if (!TO_ROWS) read_rows(m, 0, first, end, items);
    order_rows<KEY_BITS>(a, owner_bits, first, end, sh, slot);
    __syncthreads();
    /* 2. Move the columns. The first barrier makes the items visible to the block, and the second one keeps them until
     * all threads have used them. */
    for (int c = 0; c < m.count; c++) {
        if (TO_ROWS) read_runs(m, c, a.rank_count, sh, (int)(end - begin));
#pragma unroll
        for (int s = 0; s < RUN_STEPS; s++)
            if (!TO_ROWS && first + 32 * s < end) sh.items[slot[s]] = items[s];
        __syncthreads();
        if (!TO_ROWS && c + 1 < m.count) read_rows(m, c + 1, first, end, items);
        if (!TO_ROWS) write_runs(m, c, a.rank_count, sh, (int)(end - begin));
#pragma unroll
        for (int s = 0; s < RUN_STEPS; s++)
            if (TO_ROWS && first + 32 * s < end)
                write_item(m.rows[c], m.item_size[c], first + 32 * s, sh.items[slot[s]]);
        __syncthreads();
    }
}

/* Moves items of any size with known owners. The rows' numbers are ordered in shared memory, not the items. */
template <bool TO_ROWS>
__global__ void __launch_bounds__(BI_RANKS_RUN_THREADS, 3)
    bi_ranks_move_wide_runs(const bi_ranks_owned a, const bi_ranks_device_move m, int owner_bits)
{
    BI_SHARED(run_shared, sh);
    const int64_t begin = (int64_t)blockIdx.x * BI_RANKS_TILE;
    const int64_t end = begin + BI_RANKS_TILE < a.n ? begin + BI_RANKS_TILE : a.n;
    const int64_t first = begin + threadIdx.x / 32 * (32 * RUN_STEPS) + threadIdx.x % 32;
    const int count = (int)(end - begin);
    uint32_t slot[RUN_STEPS];
    /* 1. Order the rows. The barrier makes them and their owners visible. */
    order_rows<0>(a, owner_bits, first, end, sh, slot);
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++)
        if (first + 32 * s < end) sh.rows[slot[s]] = (uint16_t)(first + 32 * s - begin);
    __syncthreads();
    /* 2. Move the columns. No barrier separates them, as shared memory is only read from here on. */
    for (int c = 0; c < m.count; c++) {
        if (!m.rows[c])
            write_numbers(m, c, a.rank_count, sh, begin, count);
        else
            move_wide_column<TO_ROWS>(m, c, a.rank_count, sh, begin, count);
    }
}

} // namespace

#endif
