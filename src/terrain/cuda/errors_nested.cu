/* The errors of what lies below on CUDA: each diamond gets the largest error of those that can only be split after it.
 * A block knows the diamonds with middles at multiples of `step` in its own nodes and around them, and takes three
 * sizes of squares and of diamonds on their corners in shared memory; the next launch begins at 8 steps. */
#include "terrain/cuda/terrain.cuh"

enum {
    NODES = 64,
    HALO = 16, /* a diamond of 8 steps reaches 14 of them: 4 + 4, 2 + 2, 1 + 1; and whole squares of 16 */
    AROUND = 88,
    PITCH = AROUND + 1,
    THREADS = 512,
    LOADS = 8 /* of a thread at once */
};

struct below_shared {
    uint32_t error[PITCH * PITCH];
};

/* Where a block's nodes lie. */
struct below_place {
    int left, bottom, step;
};

__device__ __forceinline__ bool diamond_lives(const bi_terrain_grid &g, int x, int y, int s)
{
    return x >= 0 && y >= 0 && x - s < g.last_x && y - s < g.last_y;
}

/* The error of the diamond there, or 0. */
__device__ __forceinline__ uint32_t error_at(const bi_terrain_raster_build &a, int x, int y)
{
    const bi_terrain_grid &g = a.grid;
    bool in = x >= 0 && y >= 0;
    int64_t slot = (int64_t)y * g.pitch + x;
    if (x > g.last_x || y > g.last_y) {
        const int s = 1 << bi_terrain_min3(bi_terrain_trailing_zeros(x), bi_terrain_trailing_zeros(y), g.side);
        in = s < 1 << g.side && diamond_lives(g, x, y, s); /* corners have no diamond */
        slot = bi_terrain_slot(&g, x, y);
    }
    return in ? bi_load_relaxed(a.errors + slot) : 0;
}

__device__ __forceinline__ uint32_t greatest_of(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The diamond at a node, of `size` steps, whose four lie at +-one and +-two in shared memory. Neighbouring blocks may
 * read the old error or the new one: what the old one lacks they find themselves. */
__device__ __forceinline__ void gather(const bi_terrain_raster_build &a, below_shared &sh, const below_place &p, int cx,
                                       int cy, int size, int one, int two)
{
    const int x = p.left + cx * p.step, y = p.bottom + cy * p.step;
    uint32_t *to = sh.error + cy * PITCH + cx;
    const uint32_t e = *to;
    const uint32_t below = greatest_of(greatest_of(to[-one], to[one]), greatest_of(to[-two], to[two]));
    if (below <= e || !diamond_lives(a.grid, x, y, size * p.step)) return;
    *to = below;
    const bool own = cx >= HALO && cx < HALO + NODES && cy >= HALO && cy < HALO + NODES;
    if (own) bi_store_relaxed(a.errors + bi_terrain_slot(&a.grid, x, y), below);
}

/* Squares with middles at odd multiples of HALF, then diamonds on their corners at multiples of 2 HALF. */
template <int HALF>
__device__ __forceinline__ void gather_size(const bi_terrain_raster_build &a, below_shared &sh, const below_place &p)
{
    constexpr int size = 2 * HALF, across = AROUND / size;
    if (HALF * p.step >= 1 << a.grid.side) return;
    for (int i = (int)threadIdx.x; i < across * across; i += THREADS)
        gather(a, sh, p, HALF + i % across * size, HALF + i / across * size, HALF, HALF, HALF * PITCH);
    __syncthreads();
    if (size * p.step >= 1 << a.grid.side) return;
    for (int i = (int)threadIdx.x; i < (across - 1) * (across / 2); i += THREADS) {
        const int line = 1 + i / (across / 2), column = 1 + i % (across / 2) * 2 + line % 2; /* their sum is odd */
        if (column < across)
            gather(a, sh, p, column * size, line * size, size, HALF * PITCH + HALF, HALF * PITCH - HALF);
    }
    __syncthreads();
}

/* Bounds of the cells that are larger than tiles. */
__device__ __forceinline__ void bind_large(const bi_terrain_raster_build &a)
{
    bi_terrain_bounds_level bind = {a.grid, a.bounds, a.to, 7};
    for (; bind.level <= bind.bounds.top; bind.level++) {
        const int64_t cells = (int64_t)bi_terrain_cell_count(a.grid.last_x, bind.level) *
                              bi_terrain_cell_count(a.grid.last_y, bind.level);
        for (int64_t i = threadIdx.x; i < cells; i += THREADS) bi_step_terrain_find_bounds(&bind, i);
        __syncthreads();
    }
}

/* A block each, and at the first step one more, which has the bounds to itself. The only one of a step goes on alone.
 */
static __global__ void __launch_bounds__(THREADS)
    bi_terrain_nest_errors(const bi_terrain_raster_build a, int step, int across, int blocks)
{
    BI_SHARED(below_shared, sh);
    const int block = (int)blockIdx.x - (step == 1);
    if (block < 0) {
        bind_large(a);
        return;
    }
    for (; step < 1 << a.grid.side; step *= 8) {
        const below_place p = {(block % across * NODES - HALO) * step, (block / across * NODES - HALO) * step, step};
        for (int i = (int)threadIdx.x; i < PITCH * PITCH; i += LOADS * THREADS) {
            uint32_t errors[LOADS];
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                const int at = i + k * THREADS;
                errors[k] =
                    at < PITCH * PITCH ? error_at(a, p.left + at % PITCH * step, p.bottom + at / PITCH * step) : 0;
            }
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                if (i + k * THREADS < PITCH * PITCH) sh.error[i + k * THREADS] = errors[k];
        }
        __syncthreads();
        gather_size<1>(a, sh, p);
        gather_size<2>(a, sh, p);
        gather_size<4>(a, sh, p);
        if (blocks > 1) break;
    }
}

bosc_status bi_terrain_cuda_nest_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a)
{
    for (int step = 1; step < 1 << a->grid.side; step *= 8) {
        const int across = (a->grid.last_x / step + 8) / NODES + 1, down = (a->grid.last_y / step + 8) / NODES + 1;
        const int blocks = across * down;
        BI_TRY(BI_RUN(ctx, bi_terrain_nest_errors, (unsigned)(blocks + (step == 1)), THREADS, 0, *a, step, across,
                      blocks));
        if (blocks == 1) break;
    }
    return BOSC_OK;
}
