/* The bricks of a sparse view: a hash table that finds the occupied voxels among consecutive keys. */
#include "voxelgrid/cuda/bricks.cuh"
#include "voxelgrid/cuda/look_back.cuh"
#include "voxelgrid/steps/voxel.h"

#ifdef BI_EMULATE /* small, so that few points make several tiles */
enum { THREADS = 64, POSITIONS_PER_THREAD = 2 };
#else
enum { THREADS = 256, POSITIONS_PER_THREAD = 8 }; /* not measured */
#endif
enum { TILE = THREADS * POSITIONS_PER_THREAD, TILE_WARPS = THREADS / 32 };

/* Counters, 0 at first. */
struct brick_words {
    unsigned long long ticket;   /* next tile */
    unsigned long long voxels;   /* occupied ones; set by the last tile */
    unsigned long long tiles[1]; /* (tiles) of look_back */
};

struct brick_build {
    const void *keys; /* (n) ascending, of 32 or 64 bits */
    bool keys_64bit;
    int64_t n;
    brick_words *words;
    bi_voxelgrid_bricks bricks;

    __device__ uint64_t key_at(int64_t position) const { return bi_voxelgrid_read_key(keys, keys_64bit, position); }
    __device__ uint64_t key_of(int64_t voxel) const { return key_at(bricks.heads[voxel]); }
};

struct heads_shared {
    uint32_t before[POSITIONS_PER_THREAD * TILE_WARPS]; /* heads of earlier warps, for each of a thread's positions */
    uint32_t tile, tile_heads;
    unsigned long long exclusive_prefix;
};

/* Lists the first position of each voxel, and then n. */
static __global__ void __launch_bounds__(THREADS) bi_voxelgrid_list_heads(const brick_build a)
{
    BI_SHARED(heads_shared, sh);
    const unsigned warp = threadIdx.x / 32;
    uint32_t heads[POSITIONS_PER_THREAD]; /* lanes of the warp whose positions are heads */
    if (threadIdx.x == 0) sh.tile = (uint32_t)atomicAdd(&a.words->ticket, 1ull);
    __syncthreads(); /* the ticket */
    /* 1. Heads of the tile. Position 0 is one; others begin a voxel where the key changes. */
    const int64_t first = sh.tile * (int64_t)TILE + threadIdx.x;
#pragma unroll
    for (int k = 0; k < POSITIONS_PER_THREAD; k++) {
        const int64_t i = first + k * THREADS;
        heads[k] = __ballot_sync(~0u, i < a.n && (i == 0 || a.key_at(i) != a.key_at(i - 1)));
        if (threadIdx.x % 32 == 0) sh.before[k * TILE_WARPS + warp] = (uint32_t)__popc(heads[k]);
    }
    __syncthreads(); /* counts of all warps */
    /* 2. Their number before each warp's positions, and in earlier tiles. */
    if (threadIdx.x == 0) {
        uint32_t total = 0;
        for (int k = 0; k < POSITIONS_PER_THREAD * TILE_WARPS; k++) {
            const uint32_t count = sh.before[k];
            sh.before[k] = total;
            total += count;
        }
        sh.tile_heads = total;
    }
    __syncthreads(); /* sh.before and sh.tile_heads */
    if (warp == 0) {
        const unsigned long long exclusive_prefix = look_back(a.words->tiles, sh.tile, sh.tile_heads);
        if (threadIdx.x == 0) sh.exclusive_prefix = exclusive_prefix;
    }
    __syncthreads(); /* the prefix */
    /* 3. List them. */
#pragma unroll
    for (int k = 0; k < POSITIONS_PER_THREAD; k++)
        if (heads[k] >> (threadIdx.x % 32) & 1)
            a.bricks.heads[sh.exclusive_prefix + sh.before[k * TILE_WARPS + warp] +
                           (uint32_t)__popc(heads[k] & bi_lanes_below())] = (uint32_t)(first + k * THREADS);
    if (threadIdx.x > 0 || sh.tile != gridDim.x - 1) return;
    a.words->voxels = sh.exclusive_prefix + sh.tile_heads;
    a.bricks.heads[a.words->voxels] = (uint32_t)a.n;
}

/* Inserts a brick, which is not in the table. */
static __device__ void insert_brick(const bi_voxelgrid_bricks &bricks, const bi_voxelgrid_brick &brick)
{
    uint32_t slot = bi_voxelgrid_first_slot(bricks, brick.key >> BI_VOXELGRID_BRICK_BITS);
    while (atomicCAS(reinterpret_cast<unsigned long long *>(&bricks.slots[slot].key), ~0ull,
                     (unsigned long long)brick.key) != ~0ull)
        slot = bi_voxelgrid_next_slot(bricks, slot);
    bricks.slots[slot].voxels = brick.voxels;
    bricks.slots[slot].rank = brick.rank;
}

/* A thread a voxel: that of the first voxel of a brick makes the brick. All slots are empty before. */
static __global__ void __launch_bounds__(THREADS) bi_voxelgrid_make_bricks(const brick_build a)
{
    const int64_t first = blockIdx.x * (int64_t)THREADS + threadIdx.x, voxels = (int64_t)a.words->voxels;
    if (first >= voxels) return;
    /* 1. Only first voxels of bricks. */
    const uint64_t number = a.key_of(first) >> BI_VOXELGRID_BRICK_BITS;
    if (first > 0 && a.key_of(first - 1) >> BI_VOXELGRID_BRICK_BITS == number) return;
    /* 2. Collect the voxels of the brick, and the first ones of the next. */
    bi_voxelgrid_brick brick = {number << BI_VOXELGRID_BRICK_BITS, 0, (uint32_t)first};
    for (int64_t voxel = first; voxel < voxels; voxel++) {
        const uint64_t key = a.key_of(voxel), at = key - (number << BI_VOXELGRID_BRICK_BITS);
        if (at >= BI_VOXELGRID_BRICK_REACH) break;
        if (at < BI_VOXELGRID_BRICK_VOXELS)
            brick.voxels |= 1u << at;
        else
            brick.key |= 1u << (at - BI_VOXELGRID_BRICK_VOXELS);
    }
    /* 3. Insert it. */
    insert_brick(a.bricks, brick);
}

bosc_status bi_cuda_voxelgrid_index_bricks(bosc_ctx *ctx, const bi_voxelgrid_view *view)
{
    const int64_t n = view->n, tiles = bi_div_up(n, TILE);
    const size_t bytes = sizeof(brick_words) + (size_t)tiles * 8;
    brick_build a = {view->keys, view->keys_64bit, n, NULL, view->bricks};
    void *words;
    /* 1. First positions of the voxels, and their number. */
    BI_TRY(bi_scratch(ctx, bytes, &words));
    a.words = static_cast<brick_words *>(words);
    BI_TRY(ctx->backend->fill(ctx, words, 0, bytes));
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_list_heads, (unsigned)tiles, THREADS, 0, a));
    /* 2. Bricks. */
    BI_TRY(ctx->backend->fill(ctx, a.bricks.slots, 0xff, a.bricks.slot_count * sizeof *a.bricks.slots));
    return BI_RUN(ctx, bi_voxelgrid_make_bricks, (unsigned)bi_div_up(n, THREADS), THREADS, 0, a);
}
