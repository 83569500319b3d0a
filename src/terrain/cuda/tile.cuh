/* Tiles of a raster on CUDA: planes of the triangles that lie over them, and a thread's part of their samples, whose
 * distances from a plane are found twice: roughly, in floats, and exactly where that leaves it open which is largest.
 */
#ifndef BI_TERRAIN_CUDA_TILE_CUH
#define BI_TERRAIN_CUDA_TILE_CUH

#include "terrain/cuda/terrain.cuh"
#include "core/cuda/warp.cuh"

enum {
    TILE = 64, /* intervals; diamonds of s < TILE lie in tiles, but for those on their borders */
    SIDE = TILE + 1,
    RUN = 17, /* rows of a thread: of 16 intervals, both ends */
    TILE_THREADS = 288
};

__device__ __forceinline__ uint32_t bits_up(double most) { return bi_f32_bits(bi_terrain_round_up(most)); }

/* A square of the diamonds of a size: the two triangles that a diagonal parts, and the four that both diagonals do. Its
 * sides are powers of two, so divisions are exact products; bi_terrain_plane_of gives the same planes. */
struct square {
    double x, y, s, corner[4], middle; /* heights in the order (0, 0), (1, 0), (0, 1), (1, 1) */
    bool rising;
};

__device__ __forceinline__ bi_terrain_plane halved(const square &q, int which)
{
    const int right = q.rising ? !which : which, top = which; /* where the right angle is */
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

/* The triangle over one side. */
__device__ __forceinline__ bi_terrain_plane quartered(const square &q, int which)
{
    const double scale = 1 / q.s;
    bi_terrain_plane p = {q.x + q.s, q.y + q.s, q.middle, 0, 0};
    if (which == LEFT) {
        p.slope_y = (q.corner[2] - q.corner[0]) * (0.5 * scale);
        p.slope_x = (q.middle - (q.corner[2] + p.slope_y * -q.s)) * scale;
    } else if (which == RIGHT) {
        p.slope_y = (q.corner[3] - q.corner[1]) * (0.5 * scale);
        p.slope_x = (q.middle - (q.corner[1] + p.slope_y * q.s)) * -scale;
    } else if (which == SOUTH) {
        p.slope_x = (q.corner[1] - q.corner[0]) * (0.5 * scale);
        p.slope_y = (q.middle - (q.corner[0] + p.slope_x * q.s)) * scale;
    } else {
        p.slope_x = (q.corner[3] - q.corner[2]) * (0.5 * scale);
        p.slope_y = (q.middle - (q.corner[3] + p.slope_x * -q.s)) * -scale;
    }
    return p;
}

/* A plane over the tile less the height of the tile's corner, rounded: in columns and rows of the tile. */
struct rough_plane {
    float base, slope_x, slope_y, most; /* no height of it in the tile is more */
};

__device__ __forceinline__ rough_plane rough_of(const bi_terrain_plane &p, int tile_x, int tile_y, double corner)
{
    rough_plane r;
    r.base = (float)(p.p + p.slope_y * (tile_y - p.py) + p.slope_x * (tile_x - p.px) - corner);
    r.slope_x = (float)p.slope_x;
    r.slope_y = (float)p.slope_y;
    r.most = fabsf(r.base) + TILE * (fabsf(r.slope_x) + fabsf(r.slope_y));
    return r;
}

/* A thread's samples: rows begin to begin + 16 of a column. Eight warps have columns 0 to 63; the ninth has column 64,
 * and once more those at which squares of 16 intervals meet, to be taken as their last columns. */
struct column_run {
    int column, begin;
    bool again, idle;
    float corner, most; /* the height of the tile's corner, the largest distance of a sample from it */
    float above[RUN];   /* that height */
};

__device__ __forceinline__ column_run run_of(const float *z)
{
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    column_run run;
    run.again = warp == 8 && lane >= 4;
    run.idle = warp == 8 && lane >= 16;
    run.column = warp < 8 ? warp % 2 * 32 + lane : run.again ? lane / 4 % 4 * 16 : TILE;
    run.begin = (warp < 8 ? warp / 2 : lane % 4) * 16;
    run.corner = z[0];
    run.most = 0;
#pragma unroll
    for (int r = 0; r < RUN; r++) {
        run.above[r] = z[(run.begin + r) * SIDE + run.column] - run.corner;
        run.most = fmaxf(run.most, fabsf(run.above[r]));
    }
    return run;
}

/* Some rows of a run, both ends. */
struct row_span {
    int from, to;
};

/* The largest distance of those samples from a plane, but for rounding. */
__device__ __forceinline__ float rough_far(const column_run &run, const rough_plane &p, row_span rows)
{
    const float base = p.base + p.slope_x * (float)run.column + p.slope_y * (float)run.begin;
    float most = 0;
    if (rows.from <= 0 && rows.to >= RUN - 1) {
#pragma unroll
        for (int r = 0; r < RUN; r++) most = fmaxf(most, fabsf(fmaf(p.slope_y, (float)r, base) - run.above[r]));
        return most;
    }
#pragma unroll
    for (int r = 0; r < RUN; r++) {
        const float far = fabsf(fmaf(p.slope_y, (float)r, base) - run.above[r]);
        if (r >= rows.from && r <= rows.to) most = fmaxf(most, far);
    }
    return most;
}

/* And from the larger of two planes, or where `sign` is -1 the smaller. */
__device__ __forceinline__ float rough_fold(const column_run &run, const rough_plane &p, const rough_plane &q,
                                            float sign)
{
    const float base_p = sign * (p.base + p.slope_x * (float)run.column + p.slope_y * (float)run.begin);
    const float base_q = sign * (q.base + q.slope_x * (float)run.column + q.slope_y * (float)run.begin);
    const float slope_p = sign * p.slope_y, slope_q = sign * q.slope_y;
    float most = 0;
#pragma unroll
    for (int r = 0; r < RUN; r++) {
        const float height = fmaxf(fmaf(slope_p, (float)r, base_p), fmaf(slope_q, (float)r, base_q));
        most = fmaxf(most, fabsf(fmaf(-sign, run.above[r], height)));
    }
    return most;
}

/* More than rounding can have done to it. */
__device__ __forceinline__ float slack_of(const column_run &run, const rough_plane &p)
{
    const float sum = p.most + run.most;
    return sum == 0 ? 0 : sum * 0x1p-20f + fabsf(run.corner) * 0x1p-40f;
}

/* The bits of a distance that is surely there; 0 where nothing is sure. */
__device__ __forceinline__ uint32_t surely_far(float far, float slack)
{
    const uint32_t bits = bi_f32_bits(far - slack);
    return bits < 0x7f800000u ? bits : 0;
}

#endif
