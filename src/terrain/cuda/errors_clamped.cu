/* Errors of triangles with clamped vertices, which reach beyond the raster, on CUDA: all sizes in one launch, since the
 * maximum over nested diamonds follows later. For each size they lie in the last one or two columns and rows of
 * diamonds. */
#include "terrain/cuda/terrain.cuh"
#include "core/cuda/warp.cuh"

enum { THREADS = 128, CHUNK = 64 /* columns of a thread; neither is measured */, SIZES = 2 * 31 };

/* Candidates of a size: middles at multiples of s near the border, not all of them diamonds of that size. A warp takes
 * 32 rows and CHUNK columns of a candidate. */
struct clamped_size {
    int64_t first_warp;              /* number of warps of larger sizes */
    int32_t s, column_chunks, bands; /* chunks of columns and bands of rows of a candidate */
    int32_t lines;                   /* rows of candidates */
    bool on_corner;
};

struct clamped_sizes {
    clamped_size size[SIZES];
    int64_t warps;
    int32_t count;
};

/* All sizes, the largest first: they have the most warps, so the linear search of the kernel ends early. */
static clamped_sizes list_sizes(const bi_terrain_grid &g)
{
    clamped_sizes sizes = {};
    for (int32_t k = 2 * g.side - 1; k >= 0; k--) {
        const int32_t s = (int32_t)1 << k / 2, lines = (g.last_y + s - 1) / s + 1, columns = g.last_x / s;
        const clamped_size size = {sizes.warps, s, 2 * s / CHUNK + 1, 2 * s / 32 + 1, lines, k % 2 == 1};
        sizes.size[sizes.count++] = size;
        sizes.warps += 2 * ((int64_t)lines + columns) * size.column_chunks * size.bands;
    }
    return sizes;
}

/* Sets the middle of a candidate. False if it is no live diamond of the size. */
__device__ __forceinline__ bool candidate_middle(const bi_terrain_grid &g, const clamped_size &size, int32_t number,
                                                 bi_terrain_point *m)
{
    const int32_t along = number / 2, s = size.s;
    int32_t column, line;
    if (along < size.lines) { /* in the last two columns */
        column = g.last_x / s + number % 2;
        line = along;
    } else { /* in the last two rows */
        column = along - size.lines;
        line = g.last_y / s + number % 2;
        if ((int64_t)(column + 1) * s > g.last_x) return false; /* a candidate of the last columns */
    }
    if (size.on_corner ? ((column + line) & 1) == 0 : (column & line & 1) == 0) return false;
    if ((int64_t)(column - 1) * s >= g.last_x || (int64_t)(line - 1) * s >= g.last_y) return false;
    *m = {column * s, line * s};
    return true;
}

/* The largest distance of samples of a row from a triangle; 0 if no vertex is clamped, as bi_terrain_tile_errors
 * measures such a one. */
__device__ __forceinline__ double row_error(const bi_terrain_raster_build &a, const bi_terrain_triangle &t, int32_t y,
                                            int32_t left, int32_t right)
{
    if (!bi_terrain_has_area(&a.grid, &t) || bi_terrain_is_unclamped(&a.grid, &t)) return 0;
    return bi_terrain_row_distance(&a.grid, a.to, &t, y, left, right);
}

/* Raises the errors of the diamonds of all sizes to those of their triangles with clamped vertices. Heights are read
 * from a.to, which bi_terrain_cuda_tile_errors has written. */
static __global__ void __launch_bounds__(THREADS)
    bi_terrain_clamped_errors(const bi_terrain_raster_build a, const clamped_sizes sizes)
{
    const bi_terrain_grid &g = a.grid;
    const int64_t stride = (int64_t)gridDim.x * (THREADS / 32);
    for (int64_t warp = blockIdx.x * (int64_t)(THREADS / 32) + threadIdx.x / 32; warp < sizes.warps; warp += stride) {
        /* 1. The size, the candidate, and the warp's part of it. */
        int k = 0;
        while (k + 1 < sizes.count && sizes.size[k + 1].first_warp <= warp) k++;
        const clamped_size &size = sizes.size[k];
        const int64_t at = warp - size.first_warp;
        const int32_t band = (int32_t)(at % size.bands), chunk = (int32_t)(at / size.bands % size.column_chunks);
        bi_terrain_point m;
        if (!candidate_middle(g, size, (int32_t)(at / size.bands / size.column_chunks), &m)) continue;
        const int32_t left = m.x - size.s + chunk * CHUNK, row = band * 32 + (int32_t)threadIdx.x % 32;
        if (left > g.last_x || m.y - size.s + band * 32 > g.last_y) continue;
        /* 2. A row a lane: its distance from both triangles of the diamond. */
        double largest = 0;
        if (row <= 2 * size.s) {
            const bi_terrain_triangle t = bi_terrain_diamond_at(m.x, m.y), mate = bi_terrain_base_neighbour(&t);
            const double one = row_error(a, t, m.y - size.s + row, left, left + CHUNK - 1);
            const double two = row_error(a, mate, m.y - size.s + row, left, left + CHUNK - 1);
            largest = one > two ? one : two;
        }
        /* 3. The largest of the warp. */
        const uint32_t error = bi_warp_max(bi_f32_bits(bi_f32_round_up(largest)));
        if (threadIdx.x % 32 == 0 && error) bi_atomic_max_u32(a.errors + bi_terrain_slot(&g, m.x, m.y), error);
    }
}

bosc_status bi_terrain_cuda_clamped_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a)
{
    const clamped_sizes sizes = list_sizes(a->grid);
    return BI_RUN(ctx, bi_terrain_clamped_errors, bi_grid_size(ctx, sizes.warps * 32, THREADS), THREADS, 0, *a, sizes);
}
