/* Sends items of one word to the blocks of their owners in runs: a thread block orders the rows of a tile by owner in
 * shared memory, so that consecutive threads store consecutive items. For two ranks a run is 1,024 items; single warps
 * would store runs of 16, at two thirds of the speed of the link between devices. */
#ifndef BI_RANKS_CUDA_SEND_RUNS_CUH
#define BI_RANKS_CUDA_SEND_RUNS_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "ranks/cuda/owned.cuh"

/* BI_RANKS_RUN_RANKS: ranks up to which a run has 16 items. BI_RANKS_INLINE: ranks up to which the blocks' addresses
 * are arguments of the kernel; the emulator has less, so that tests reach the other way too. */
enum { BI_RANKS_RUN_RANKS = 128, BI_RANKS_RUN_THREADS = 256 };
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
    char *rows[BI_RANKS_COLUMNS];
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

/* Returns the number of the lane's item among those of its owner, and advances the owner's cursor. The barriers
 * separate these reads from the writes of the leaders, and these from the next call's reads. */
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

enum { RUN_WARPS = BI_RANKS_RUN_THREADS / 32, RUN_STEPS = BI_RANKS_TILE / BI_RANKS_RUN_THREADS };

struct run_shared {
    uint64_t items[BI_RANKS_TILE];      /* by owner, then by row */
    int64_t begins[BI_RANKS_RUN_RANKS]; /* by owner: position in its block of item 0 here, if that were the owner's */
    uint32_t cursors[RUN_WARPS][BI_RANKS_RUN_RANKS];
    uint32_t sums[RUN_WARPS];
    unsigned char owners[BI_RANKS_TILE]; /* of the items */
};

/* Loads the thread's items of a column. first: its first row; the others follow 32 rows apart. */
__device__ __forceinline__ void load_items(const bi_ranks_device_move &m, int c, int64_t first, int64_t end,
                                           uint64_t *items)
{
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++) {
        const int64_t i = first + 32 * s;
        if (i >= end) continue;
        items[s] = !m.rows[c]            ? (uint64_t)i
                   : m.item_size[c] == 8 ? reinterpret_cast<const uint64_t *>(m.rows[c])[i]
                                         : reinterpret_cast<const uint32_t *>(m.rows[c])[i];
    }
}

/* Stores the ordered items of a column. */
__device__ __forceinline__ void store_runs(const bi_ranks_device_move &m, int c, uint32_t ranks, const run_shared &sh,
                                           int count)
{
    for (int j = (int)threadIdx.x; j < count; j += BI_RANKS_RUN_THREADS) {
        const uint32_t owner = sh.owners[j];
        char *block = bi_ranks_block_of(m, c, ranks, owner);
        const int64_t at = sh.begins[owner] + j;
        if (m.item_size[c] == 8)
            reinterpret_cast<uint64_t *>(block)[at] = sh.items[j];
        else
            reinterpret_cast<uint32_t *>(block)[at] = (uint32_t)sh.items[j];
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

template <int KEY_BITS>
__global__ void __launch_bounds__(BI_RANKS_RUN_THREADS)
    bi_ranks_send_runs(const bi_ranks_owned a, const bi_ranks_device_move m, int owner_bits)
{
    BI_SHARED(run_shared, sh);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64_t begin = (int64_t)blockIdx.x * BI_RANKS_TILE;
    const int64_t end = begin + BI_RANKS_TILE < a.n ? begin + BI_RANKS_TILE : a.n;
    const int64_t first = begin + warp * (32 * RUN_STEPS) + lane;
    uint64_t items[RUN_STEPS];
    uint32_t owner[RUN_STEPS], slot[RUN_STEPS];
    /* 1. Number the items of each warp by owner. The barrier makes the zeros visible to the warp. */
    load_items(m, 0, first, end, items);
    for (uint32_t r = lane; r < a.rank_count; r += 32) sh.cursors[warp][r] = 0;
    __syncwarp();
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++) {
        const bool valid = first + 32 * s < end;
        owner[s] = valid ? bi_ranks_owner_at(&a, KEY_BITS, first + 32 * s) : 0;
        slot[s] = bi_ranks_advance_cursor(sh.cursors[warp], valid, owner[s], owner_bits);
    }
    /* 2. Find the slots. The barriers make the warps' numbers visible to the block, and then the slots. */
    __syncthreads();
    find_slots(a, sh);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < RUN_STEPS; s++) {
        slot[s] += sh.cursors[warp][owner[s]];
        if (first + 32 * s < end) sh.owners[slot[s]] = (unsigned char)owner[s];
    }
    /* 3. Order the items of each column, and store them while those of the next are loaded. The barriers make the order
     * visible to the block, and keep it until all threads have stored it. */
    for (int c = 0; c < m.count; c++) {
#pragma unroll
        for (int s = 0; s < RUN_STEPS; s++)
            if (first + 32 * s < end) sh.items[slot[s]] = items[s];
        __syncthreads();
        if (c + 1 < m.count) load_items(m, c + 1, first, end, items);
        store_runs(m, c, a.rank_count, sh, (int)(end - begin));
        __syncthreads();
    }
}

} // namespace

#endif
