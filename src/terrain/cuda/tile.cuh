/* Tiles of a raster on CUDA: planes of the triangles over a tile, and the samples of a thread. Distances from a plane
 * are computed in floats with a bound on the rounding error; errors.cu computes some of them again in doubles. */
#ifndef BI_TERRAIN_CUDA_TILE_CUH
#define BI_TERRAIN_CUDA_TILE_CUH

#include "terrain/cuda/terrain.cuh"
#include "core/cuda/warp.cuh"

enum {
    TILE = 64, /* intervals. A diamond of s < TILE lies in one tile, or with its middle on the border of two */
    TILE_SIDE = TILE + 1,
    RUN_ROWS = 17,     /* rows of a thread: of 16 intervals, both ends */
    TILE_THREADS = 288 /* 64 columns x 4 runs are eight warps; a ninth has column 64 and shared columns */
};

__device__ __forceinline__ uint32_t round_up_bits(double x) { return bi_f32_bits(bi_f32_round_up(x)); }

/* A square with six triangles of a size: two halves at one diagonal, and four quarters at both. Sides are powers of
 * two, so the divisions of bi_terrain_plane_of are exact as products, and the planes have the same bits. */
struct square {
    double x, y, s, corner[4], middle; /* heights in the order (0, 0), (1, 0), (0, 1), (1, 1) */
    bool rising;
};

/* The plane of the half below the diagonal, or of the one above it. */
__device__ __forceinline__ bi_terrain_plane half_plane(const square &q, int top)
{
    const int right = q.rising ? !top : top; /* the side of the right angle */
    const double scale = 0.5 / q.s;
    bi_terrain_plane p;
    p.px = q.x + (right ? 2 * q.s : 0);
    p.py = q.y + (top ? 2 * q.s : 0);
    p.p = top ? right ? q.corner[3] : q.corner[2] : right ? q.corner[1] : q.corner[0];
    p.slope_x = ((top ? q.corner[3] : q.corner[1]) - (top ? q.corner[2] : q.corner[0])) * scale;
    p.slope_y = ((right ? q.corner[3] : q.corner[2]) - (right ? q.corner[1] : q.corner[0])) * scale;
    return p;
}

enum { LEFT, RIGHT, SOUTH, NORTH };

/* The plane of the quarter over one side. */
__device__ __forceinline__ bi_terrain_plane quarter_plane(const square &q, int side)
{
    const double scale = 1 / q.s;
    bi_terrain_plane p = {q.x + q.s, q.y + q.s, q.middle, 0, 0};
    if (side == LEFT) {
        p.slope_y = (q.corner[2] - q.corner[0]) * (0.5 * scale);
        p.slope_x = (q.middle - (q.corner[2] + p.slope_y * -q.s)) * scale;
    } else if (side == RIGHT) {
        p.slope_y = (q.corner[3] - q.corner[1]) * (0.5 * scale);
        p.slope_x = (q.middle - (q.corner[1] + p.slope_y * q.s)) * -scale;
    } else if (side == SOUTH) {
        p.slope_x = (q.corner[1] - q.corner[0]) * (0.5 * scale);
        p.slope_y = (q.middle - (q.corner[0] + p.slope_x * q.s)) * scale;
    } else {
        p.slope_x = (q.corner[3] - q.corner[2]) * (0.5 * scale);
        p.slope_y = (q.middle - (q.corner[3] + p.slope_x * -q.s)) * -scale;
    }
    return p;
}

/* A plane in floats, as a function of columns and rows of the tile. The height of the tile's corner is subtracted,
 * which keeps rounding errors small. */
struct rough_plane {
    float base, slope_x, slope_y, max_abs; /* max_abs: bound on its absolute height in the tile */
};

__device__ __forceinline__ rough_plane make_rough_plane(const bi_terrain_plane &p, int tile_x, int tile_y,
                                                        double corner)
{
    rough_plane r;
    r.base = (float)(p.p + p.slope_y * (tile_y - p.py) + p.slope_x * (tile_x - p.px) - corner);
    r.slope_x = (float)p.slope_x;
    r.slope_y = (float)p.slope_y;
    r.max_abs = fabsf(r.base) + TILE * (fabsf(r.slope_x) + fabsf(r.slope_y));
    return r;
}

/* The samples of a thread: rows begin to begin + 16 of a column. Eight warps have columns 0 to 63. The ninth has column
 * 64, and repeats columns 16, 32 and 48, where squares touch: as last columns of the squares to their left. */
struct column_run {
    int column, begin;
    bool repeated, idle;
    float corner, max_abs;   /* height of the tile's corner; largest absolute value in heights[] */
    float heights[RUN_ROWS]; /* less that of the corner */
};

__device__ __forceinline__ column_run load_run(const float *z)
{
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    column_run run;
    run.repeated = warp == 8 && lane >= 4;
    run.idle = warp == 8 && lane >= 16;
    run.column = warp < 8 ? warp % 2 * 32 + lane : run.repeated ? lane / 4 % 4 * 16 : TILE;
    run.begin = (warp < 8 ? warp / 2 : lane % 4) * 16;
    run.corner = z[0];
    run.max_abs = 0;
#pragma unroll
    for (int r = 0; r < RUN_ROWS; r++) {
        run.heights[r] = z[(run.begin + r) * TILE_SIDE + run.column] - run.corner;
        run.max_abs = fmaxf(run.max_abs, fabsf(run.heights[r]));
    }
    return run;
}

/* Rows of a run, both ends included. */
struct row_span {
    int from, to;
};

/* The largest distance of these samples from a plane, up to rounding. */
__device__ __forceinline__ float rough_distance(const column_run &run, const rough_plane &p, row_span rows)
{
    const float base = p.base + p.slope_x * (float)run.column + p.slope_y * (float)run.begin;
    float largest = 0;
    if (rows.from <= 0 && rows.to >= RUN_ROWS - 1) {
#pragma unroll
        for (int r = 0; r < RUN_ROWS; r++)
            largest = fmaxf(largest, fabsf(fmaf(p.slope_y, (float)r, base) - run.heights[r]));
        return largest;
    }
#pragma unroll
    for (int r = 0; r < RUN_ROWS; r++) {
        const float distance = fabsf(fmaf(p.slope_y, (float)r, base) - run.heights[r]);
        if (r >= rows.from && r <= rows.to) largest = fmaxf(largest, distance);
    }
    return largest;
}

/* The largest distance of all samples of the run from the larger of two planes, or if `sign` is -1 the smaller: so the
 * two halves of a square take one pass without a test of the diagonal. */
__device__ __forceinline__ float rough_distance_folded(const column_run &run, const rough_plane &p,
                                                       const rough_plane &q, float sign)
{
    const float base_p = sign * (p.base + p.slope_x * (float)run.column + p.slope_y * (float)run.begin);
    const float base_q = sign * (q.base + q.slope_x * (float)run.column + q.slope_y * (float)run.begin);
    const float slope_p = sign * p.slope_y, slope_q = sign * q.slope_y;
    float largest = 0;
#pragma unroll
    for (int r = 0; r < RUN_ROWS; r++) {
        const float height = fmaxf(fmaf(slope_p, (float)r, base_p), fmaf(slope_q, (float)r, base_q));
        largest = fmaxf(largest, fabsf(fmaf(-sign, run.heights[r], height)));
    }
    return largest;
}

/* Bound on the rounding error of rough_distance: 2^-20 of the operands covers its few operations in floats, 2^-40 of
 * the corner its subtraction in doubles. */
__device__ __forceinline__ float rounding_slack(const column_run &run, const rough_plane &p)
{
    const float sum = p.max_abs + run.max_abs;
    return sum == 0 ? 0 : sum * 0x1p-20f + fabsf(run.corner) * 0x1p-40f;
}

/* Bits of a lower bound of a distance; 0 where the difference is negative, infinite or NaN. */
__device__ __forceinline__ uint32_t lower_bound_bits(float distance, float slack)
{
    const uint32_t bits = bi_f32_bits(distance - slack);
    return bits < 0x7f800000u ? bits : 0; /* negative floats have the highest bit */
}

#endif
