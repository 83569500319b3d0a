/* Nested errors on CUDA (Lindstrom and Pascucci, Terrain Simplification Simplified, 2002): each diamond gets at least
 * the errors of the diamonds that can only be split after it. A block loads the errors at multiples of `step` in a
 * window of its own nodes and a halo, and processes three sizes of squares and of diamonds on their corners in shared
 * memory. The next launch has eight times the step. */
#include "terrain/cuda/terrain.cuh"

enum {
    NODES = 64,
    HALO = 16,   /* a diamond of 8 steps depends on nodes up to 4 + 4 + 2 + 2 + 1 + 1 = 14 steps away */
    WINDOW = 88, /* nodes across, 0 to 88: the last own multiple of 8 is 72, which needs 72 + 14 */
    PITCH = WINDOW + 1,
    THREADS = 512, /* four blocks fill a multiprocessor; other sizes are not measured */
    LOADS = 8      /* of a thread in flight at once, to hide the latency of memory; not measured */
};

struct nested_shared {
    uint32_t error[PITCH * PITCH];
};

/* The window of a block: coordinates of its first node, and the distance of nodes. */
struct node_window {
    int left, bottom, step;
};

__device__ __forceinline__ bool is_live_diamond(const bi_terrain_grid &g, int x, int y, int s)
{
    return x >= 0 && y >= 0 && x - s < g.last_x && y - s < g.last_y;
}

/* The error of the diamond with this middle, or 0 if there is none. */
__device__ __forceinline__ uint32_t load_error(const bi_terrain_raster_build &a, int x, int y)
{
    const bi_terrain_grid &g = a.grid;
    bool in = x >= 0 && y >= 0;
    int64_t slot = (int64_t)y * g.pitch + x;
    if (x > g.last_x || y > g.last_y) {
        const int s = 1 << bi_terrain_min3(bi_terrain_trailing_zeros(x), bi_terrain_trailing_zeros(y), g.side);
        in = s < 1 << g.side && is_live_diamond(g, x, y, s); /* corners have no diamond */
        slot = bi_terrain_slot(&g, x, y);
    }
    return in ? bi_load_relaxed(a.errors + slot) : 0;
}

__device__ __forceinline__ uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Raises the error of the diamond of `size` steps at node (cx, cy) to those of its four children, which lie at offsets
 * +-one and +-two in shared memory. Neighbouring blocks may load the old error or the new one: where it is old they
 * compute the same maximum from their halo. */
__device__ __forceinline__ void nest_diamond(const bi_terrain_raster_build &a, nested_shared &sh, const node_window &p,
                                             int cx, int cy, int size, int one, int two)
{
    const int x = p.left + cx * p.step, y = p.bottom + cy * p.step;
    uint32_t *to = sh.error + cy * PITCH + cx;
    const uint32_t e = *to;
    const uint32_t nested = max_u32(max_u32(to[-one], to[one]), max_u32(to[-two], to[two]));
    if (nested <= e || !is_live_diamond(a.grid, x, y, size * p.step)) return;
    *to = nested;
    const bool own = cx >= HALO && cx < HALO + NODES && cy >= HALO && cy < HALO + NODES;
    if (own) bi_store_relaxed(a.errors + bi_terrain_slot(&a.grid, x, y), nested);
}

/* Processes squares with middles at odd multiples of HALF, then diamonds on their corners at multiples of 2 HALF. */
template <int HALF>
__device__ __forceinline__ void nest_size(const bi_terrain_raster_build &a, nested_shared &sh, const node_window &p)
{
    constexpr int size = 2 * HALF, across = WINDOW / size;
    if (HALF * p.step >= 1 << a.grid.side) return;
    for (int i = (int)threadIdx.x; i < across * across; i += THREADS)
        nest_diamond(a, sh, p, HALF + i % across * size, HALF + i / across * size, HALF, HALF, HALF * PITCH);
    __syncthreads(); /* squares are children of the diamonds on corners */
    if (size * p.step >= 1 << a.grid.side) return;
    for (int i = (int)threadIdx.x; i < (across - 1) * (across / 2); i += THREADS) {
        const int line = 1 + i / (across / 2), column = 1 + i % (across / 2) * 2 + line % 2; /* their sum is odd */
        if (column < across)
            nest_diamond(a, sh, p, column * size, line * size, size, HALF * PITCH + HALF, HALF * PITCH - HALF);
    }
    __syncthreads(); /* they are children of the next larger squares */
}

/* Bounds of heights (least, greatest) of the cells larger than tiles, each from its four children, level by level. The
 * barrier makes a level visible to the next one. */
__device__ __forceinline__ void bound_large_cells(const bi_terrain_raster_build &a)
{
    bi_terrain_bounds_level bind = {a.grid, a.bounds, a.to, 7};
    for (; bind.level <= bind.bounds.top; bind.level++) {
        const int64_t cells = (int64_t)bi_terrain_cell_count(a.grid.last_x, bind.level) *
                              bi_terrain_cell_count(a.grid.last_y, bind.level);
        for (int64_t i = threadIdx.x; i < cells; i += THREADS) bi_step_terrain_find_bounds(&bind, i);
        __syncthreads();
    }
}

/* One block a window, and in the first launch one more that computes the bounds of large cells. Where one window covers
 * the raster its block continues with the larger steps, without another launch. across, blocks: windows in a row, and
 * in all. The errors of all triangles are complete before the first launch; launches ascend in `step`. */
static __global__ void __launch_bounds__(THREADS)
    bi_terrain_nest_errors(const bi_terrain_raster_build a, int step, int across, int blocks)
{
    BI_SHARED(nested_shared, sh);
    const int block = (int)blockIdx.x - (step == 1);
    if (block < 0) {
        bound_large_cells(a);
        return;
    }
    for (; step < 1 << a.grid.side; step *= 8) {
        /* 1. Load the errors of the window. */
        const node_window p = {(block % across * NODES - HALO) * step, (block / across * NODES - HALO) * step, step};
        for (int i = (int)threadIdx.x; i < PITCH * PITCH; i += LOADS * THREADS) {
            uint32_t errors[LOADS];
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                const int at = i + k * THREADS;
                errors[k] =
                    at < PITCH * PITCH ? load_error(a, p.left + at % PITCH * step, p.bottom + at / PITCH * step) : 0;
            }
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                if (i + k * THREADS < PITCH * PITCH) sh.error[i + k * THREADS] = errors[k];
        }
        __syncthreads(); /* the window is complete */
        /* 2. Three sizes, the smallest first. */
        nest_size<1>(a, sh, p);
        nest_size<2>(a, sh, p);
        nest_size<4>(a, sh, p);
        if (blocks > 1) break;
    }
}

bosc_status bi_terrain_cuda_nest_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a)
{
    for (int step = 1; step < 1 << a->grid.side; step *= 8) {
        /* Live diamonds of 8 steps have middles up to 8 steps beyond the raster. */
        const int across = (a->grid.last_x / step + 8) / NODES + 1, down = (a->grid.last_y / step + 8) / NODES + 1;
        const int blocks = across * down;
        BI_TRY(BI_RUN(ctx, bi_terrain_nest_errors, (unsigned)(blocks + (step == 1)), THREADS, 0, *a, step, across,
                      blocks));
        if (blocks == 1) break;
    }
    return BOSC_OK;
}
