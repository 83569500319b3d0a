/* The errors of the triangles that reach beyond the raster, on CUDA: all sizes in one launch, since what lies below is
 * looked at later. Of each size they are in the last one or two columns of diamonds and in the last rows. */
#include "terrain/cuda/terrain.cuh"
#include "core/cuda/warp.cuh"

enum { THREADS = 128, PART = 64 /* columns of a thread */, SIZES = 2 * 31 };

/* Diamonds of a size whose middles are at multiples of s: candidates of which some are none. A warp has 32 rows. */
struct moved_size {
    int64_t before; /* warps of larger sizes, which have most of them */
    int32_t s, parts, bands, lines;
    bool on_corner;
};

struct moved_sizes {
    moved_size size[SIZES];
    int64_t warps;
    int32_t count;
};

static moved_sizes sizes_of(const bi_terrain_grid &g)
{
    moved_sizes sizes = {};
    for (int32_t k = 2 * g.side - 1; k >= 0; k--) {
        const int32_t s = (int32_t)1 << k / 2, lines = (g.last_y + s - 1) / s + 1, columns = g.last_x / s;
        const moved_size size = {sizes.warps, s, 2 * s / PART + 1, 2 * s / 32 + 1, lines, k % 2 == 1};
        sizes.size[sizes.count++] = size;
        sizes.warps += 2 * ((int64_t)lines + columns) * size.parts * size.bands;
    }
    return sizes;
}

/* The middle of a candidate; false if it is none. */
__device__ __forceinline__ bool middle_of(const bi_terrain_grid &g, const moved_size &size, int32_t number,
                                          bi_terrain_point *m)
{
    const int32_t along = number / 2, s = size.s;
    int32_t column, line;
    if (along < size.lines) {
        column = g.last_x / s + number % 2;
        line = along;
    } else {
        column = along - size.lines;
        line = g.last_y / s + number % 2;
        if ((int64_t)(column + 1) * s > g.last_x) return false; /* it is among the others */
    }
    if (size.on_corner ? ((column + line) & 1) == 0 : (column & line & 1) == 0) return false;
    if ((int64_t)(column - 1) * s >= g.last_x || (int64_t)(line - 1) * s >= g.last_y) return false;
    *m = {column * s, line * s};
    return true;
}

/* The distances of samples of a row from a triangle, if a vertex of it is moved. */
__device__ __forceinline__ double far_part(const bi_terrain_raster_build &a, const bi_terrain_triangle &t, int32_t y,
                                           int32_t left, int32_t right)
{
    if (!bi_terrain_has_area(&a.grid, &t) || bi_terrain_is_unclamped(&a.grid, &t)) return 0;
    return bi_terrain_row_distance(&a.grid, a.to, &t, y, left, right);
}

static __global__ void __launch_bounds__(THREADS)
    bi_terrain_clamped_errors(const bi_terrain_raster_build a, const moved_sizes sizes)
{
    const bi_terrain_grid &g = a.grid;
    const int64_t stride = (int64_t)gridDim.x * (THREADS / 32);
    for (int64_t warp = blockIdx.x * (int64_t)(THREADS / 32) + threadIdx.x / 32; warp < sizes.warps; warp += stride) {
        int k = 0;
        while (k + 1 < sizes.count && sizes.size[k + 1].before <= warp) k++;
        const moved_size &size = sizes.size[k];
        const int64_t at = warp - size.before;
        const int32_t band = (int32_t)(at % size.bands), part = (int32_t)(at / size.bands % size.parts);
        bi_terrain_point m;
        if (!middle_of(g, size, (int32_t)(at / size.bands / size.parts), &m)) continue;
        const int32_t left = m.x - size.s + part * PART, row = band * 32 + (int32_t)threadIdx.x % 32;
        if (left > g.last_x || m.y - size.s + band * 32 > g.last_y) continue;
        double most = 0;
        if (row <= 2 * size.s) {
            const bi_terrain_triangle t = bi_terrain_diamond_at(m.x, m.y), mate = bi_terrain_base_neighbour(&t);
            const double one = far_part(a, t, m.y - size.s + row, left, left + PART - 1);
            const double two = far_part(a, mate, m.y - size.s + row, left, left + PART - 1);
            most = one > two ? one : two;
        }
        const uint32_t error = bi_warp_greatest(bi_f32_bits(bi_terrain_round_up(most)));
        if (threadIdx.x % 32 == 0 && error) bi_atomic_max_u32(a.errors + bi_terrain_slot(&g, m.x, m.y), error);
    }
}

bosc_status bi_terrain_cuda_clamped_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a)
{
    const moved_sizes sizes = sizes_of(a->grid);
    return BI_RUN(ctx, bi_terrain_clamped_errors, bi_grid(ctx, sizes.warps * 32, THREADS), THREADS, 0, *a, sizes);
}
