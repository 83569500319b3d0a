/* The errors of diamonds on CUDA: the distances of samples from triangles of all sizes by one block for each tile of
 * the raster, which is read once; then what lies below, eight sizes of tiles in a few launches. */
#include "cbt/cuda_terrain.cuh"
#include "core/cuda/warp.cuh"

enum {
    TILE = 64, /* intervals; diamonds of s < TILE lie in tiles, but for those on their borders */
    SIDE = TILE + 1,
    THREADS = 288, /* rows of the squares of a size, in parts of 33 columns at most, are some fewer */
    CHUNK = 17,    /* rows of a thread for large triangles */
    LARGE = 20     /* sizes of large ones */
};

/* Planes over the parts of a tile in two triangles of one size, between which a diagonal may pass. */
struct large_planes {
    bi_terrain_plane half[2];
    long long slot[2]; /* -1: not there, or moved */
    int diagonal;      /* 0: none, all is in the first one; 1: x - y is 0 at it and more in the first; 2: x + y, less */
};

struct errors_shared {
    float z[SIDE * SIDE];
    uint32_t error[SIDE * SIDE]; /* at the middles */
    uint32_t low, high;
    unsigned long long bad;
};

struct large_shared {
    large_planes large[LARGE]; /* squares, cornered ones, of each size from TILE on */
    uint32_t most[LARGE][2];
};

__device__ __forceinline__ uint32_t bits_up(double most) { return bi_f32_bits(bi_terrain_up(most)); }

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

/* The samples of a row of the tile between two columns, from two planes. */
struct strip {
    const float *row;
    double x, y; /* of column 0, and of the row */
};

__device__ __forceinline__ void far_between(const strip &r, const bi_terrain_plane &a, const bi_terrain_plane &b,
                                            int from, int to, double *most_a, double *most_b)
{
    const double base_a = a.p + a.slope_y * (r.y - a.py), base_b = b.p + b.slope_y * (r.y - b.py);
    double off_a = r.x + from - a.px, off_b = r.x + from - b.px, ma = *most_a, mb = *most_b;
    for (int c = from; c <= to; c++) {
        const double z = r.row[c];
        const double far_a = fabs(base_a + a.slope_x * off_a - z), far_b = fabs(base_b + b.slope_x * off_b - z);
        ma = far_a > ma ? far_a : ma;
        mb = far_b > mb ? far_b : mb;
        off_a += 1;
        off_b += 1;
    }
    *most_a = ma;
    *most_b = mb;
}

/* Which triangles of a square lie in the raster. */
struct square_place {
    int x, y; /* of its corner in the tile */
    bool whole, side[4];
};

__device__ __forceinline__ void lift(uint32_t *to, double most)
{
    if (most > 0) atomicMax(to, bits_up(most));
}

/* Columns from..to of a row of a square: of which triangles they are changes at the diagonals. */
__device__ __forceinline__ void far_row(errors_shared &sh, const square &q, const square_place &at, int s, int row,
                                        int from, int to)
{
    const int low = row < s ? row : 2 * s - row, high = 2 * s - low;
    const bool first_wide = q.rising ? row >= s : row <= s; /* the first triangle reaches to `high` */
    const strip r = {sh.z + (at.y + row) * SIDE + at.x, q.x, q.y + row};
    /* which == 1 of a rising square is at the left, of a falling one at the right */
    const bi_terrain_plane first = halved(q, q.rising), second = halved(q, !q.rising);
    double whole = 0, left = 0, right = 0, across = 0;
    if (from <= low) far_between(r, first, quartered(q, LEFT), from, low < to ? low : to, &whole, &left);
    if (from <= high && to >= low)
        far_between(r, first_wide ? first : second, quartered(q, row < s ? SOUTH : NORTH), low > from ? low : from,
                    high < to ? high : to, &whole, &across);
    if (to >= high) far_between(r, second, quartered(q, RIGHT), high > from ? high : from, to, &whole, &right);
    uint32_t *middle = sh.error + (at.y + s) * SIDE + at.x + s;
    if (at.whole) lift(middle, whole);
    if (at.side[LEFT]) lift(middle - s, left);
    if (at.side[RIGHT]) lift(middle + s, right);
    if (row < s && at.side[SOUTH]) lift(middle - s * SIDE, across);
    if (row > s && at.side[NORTH]) lift(middle + s * SIDE, across);
}

__device__ __forceinline__ double farther(double most, double off)
{
    const double far = fabs(off);
    return far > most ? far : most;
}

/* The distances of a triangle of 2 intervals: from its right angle p two steps to u and to v, over the samples between,
 * and one each to the middle. In the steps of far_between, less those that change nothing. */
__device__ __forceinline__ double far_half(double p, double u, double v, double pu, double pv, double middle)
{
    const double du = u - p, dv = v - p;
    double most = farther(farther(0, p + du - u), p + dv - v);
    most = farther(farther(most, p + 0.5 * du - pu), p + 0.5 * dv - pv);
    return farther(most, p + 0.5 * dv + 0.5 * du - middle);
}

/* And of one with its longest edge from a to b over m, in the direction of x or, `upright`, of y. The plane is made
 * from a or from b. */
__device__ __forceinline__ double far_quarter(double p, double a, double m, double b, bool from_b, bool upright)
{
    const double g = (b - a) * 0.5, k = p - (from_b ? b - g : a + g); /* up the slope, and from the edge to p */
    if (!upright) {
        const double base = p - k;
        return farther(farther(fabs(base - g - a), base - m), base + g - b);
    }
    return farther(farther(fabs(p - g - k - a), p - k - m), p + g - k - b);
}

/* The smallest squares, of 2 intervals: a thread each. */
__device__ __forceinline__ void far_smallest(const bi_terrain_reading &a, errors_shared &sh, int tile_x, int tile_y)
{
    const int room_x = a.grid.last_x - tile_x, room_y = a.grid.last_y - tile_y;
    for (int i = (int)threadIdx.x; i < TILE / 2 * (TILE / 2); i += THREADS) {
        const int x = i % (TILE / 2) * 2, y = i / (TILE / 2) * 2;
        if (x + 1 > room_x || y + 1 > room_y) continue;
        const bool east = x + 2 <= room_x, north = y + 2 <= room_y;
        const bool rising = ((((tile_x + x) >> 1) + ((tile_y + y) >> 1)) & 1) == 0;
        const float *z = sh.z + y * SIDE + x;
        const double z00 = z[0], z10 = z[1], z20 = z[2], z01 = z[SIDE], z11 = z[SIDE + 1], z21 = z[SIDE + 2];
        const double z02 = z[2 * SIDE], z12 = z[2 * SIDE + 1], z22 = z[2 * SIDE + 2];
        uint32_t *middle = sh.error + (y + 1) * SIDE + x + 1;
        if (east && north) {
            const double one = rising ? far_half(z20, z00, z22, z10, z21, z11) : far_half(z00, z20, z02, z10, z01, z11);
            const double two = rising ? far_half(z02, z22, z00, z12, z01, z11) : far_half(z22, z02, z20, z12, z21, z11);
            lift(middle, one > two ? one : two);
            lift(middle + 1, far_quarter(z11, z20, z21, z22, false, true));
            lift(middle + SIDE, far_quarter(z11, z02, z12, z22, true, false));
        }
        if (north) lift(middle - 1, far_quarter(z11, z00, z01, z02, true, true));
        if (east) lift(middle - SIDE, far_quarter(z11, z00, z10, z20, false, false));
    }
}

template <int TWOS>
__device__ __forceinline__ void far_small(const bi_terrain_reading &a, errors_shared &sh, int tile_x, int tile_y)
{
    constexpr int s = 1 << TWOS, squares = TILE / 2 / s, rows = s <= 2 ? 1 : 2 * s + 1;
    constexpr int parts = s == 32 ? 4 : s == 16 ? 2 : 1, wide = (2 * s + parts) / parts;
    const int room_x = a.grid.last_x - tile_x, room_y = a.grid.last_y - tile_y;
    for (int i = (int)threadIdx.x; i < squares * squares * rows * parts; i += THREADS) {
        const int part = i % parts, row = i / parts % rows, number = i / parts / rows;
        square_place at = {number % squares * 2 * s, number / squares * 2 * s, false, {false, false, false, false}};
        const bool middle = at.x + s <= room_x && at.y + s <= room_y;
        const bool east = at.x + 2 * s <= room_x, north = at.y + 2 * s <= room_y;
        if (!middle) continue;
        at.whole = east && north;
        at.side[LEFT] = north;
        at.side[RIGHT] = east && north;
        at.side[SOUTH] = east;
        at.side[NORTH] = east && north;
        const float *z = sh.z + at.y * SIDE + at.x;
        const int x = tile_x + at.x, y = tile_y + at.y;
        const square q = {(double)x,       (double)y,
                          (double)s,       {z[0], z[2 * s], z[2 * s * SIDE], z[2 * s * SIDE + 2 * s]},
                          z[s * SIDE + s], (((x >> (TWOS + 1)) + (y >> (TWOS + 1))) & 1) == 0};
        if (s > 2) {
            const int from = part * wide, to = from + wide - 1 < 2 * s ? from + wide - 1 : 2 * s;
            far_row(sh, q, at, s, row, from, to);
        } else {
#pragma unroll
            for (int k = 0; k <= 2 * s; k++) far_row(sh, q, at, s, k, 0, 2 * s);
        }
    }
}

/* Planes of the two kinds of diamonds of a size over the tile, which lies in one square of that size. */
__device__ __forceinline__ void make_large(const bi_terrain_reading &a, large_shared &sh, int tile_x, int tile_y, int k)
{
    const bi_terrain_grid &g = a.grid;
    const int twos = 6 + k / 2, s = 1 << twos, x = tile_x & ~(2 * s - 1), y = tile_y & ~(2 * s - 1);
    const int u = tile_x - x, v = tile_y - y; /* the tile in the square */
    const bool middle = x + s <= g.last_x && y + s <= g.last_y;
    const bool east = middle && x + 2 * s <= g.last_x, north = middle && y + 2 * s <= g.last_y;
    const auto at = [&](int i, int j, bool there) { return there ? (double)a.from[(y + j) * a.stride + x + i] : 0.0; };
    const square q = {
        (double)x,        (double)y,
        (double)s,        {at(0, 0, middle), at(2 * s, 0, east), at(0, 2 * s, north), at(2 * s, 2 * s, east && north)},
        at(s, s, middle), (((x >> (twos + 1)) + (y >> (twos + 1))) & 1) == 0};
    large_planes &to = sh.large[k];
    const bool on_rising = u == v, on_falling = u + v + TILE == 2 * s;
    const bool below_rising = u >= v, below_falling = u + v + TILE <= 2 * s; /* where the first half of the tile is */
    if (k % 2 == 0) {
        to.diagonal = q.rising ? on_rising : 2 * on_falling;
        const int first = q.rising ? !below_rising : !below_falling;
        to.half[0] = halved(q, first);
        to.half[1] = halved(q, !first);
        to.slot[0] = to.slot[1] = east && north ? bi_terrain_slot(&g, x + s, y + s) : -1;
        return;
    }
    to.diagonal = on_rising ? 1 : 2 * on_falling;
    for (int half = 0; half < 2; half++) {
        const bool low = on_rising && half ? false : below_rising, near = on_falling && half ? false : below_falling;
        const int side = low ? near ? SOUTH : RIGHT : near ? LEFT : NORTH;
        const bool there = middle && (side == LEFT ? north : side == SOUTH ? east : east && north);
        to.half[half] = quartered(q, side);
        to.slot[half] = !there          ? -1
                        : side == LEFT  ? bi_terrain_slot(&g, x, y + s)
                        : side == RIGHT ? bi_terrain_slot(&g, x + 2 * s, y + s)
                        : side == SOUTH ? bi_terrain_slot(&g, x + s, y)
                                        : bi_terrain_slot(&g, x + s, y + 2 * s);
    }
}

/* The distances of the samples of a column of the tile, CHUNK rows of it, from the planes of large triangles. */
__device__ __forceinline__ void far_large(const bi_terrain_reading &a, large_shared &sh, int tile_x, int tile_y,
                                          int sizes)
{
    const int column = (int)threadIdx.x % SIDE, begin = (int)threadIdx.x / SIDE * CHUNK;
    const double x = tile_x + column, y = tile_y + begin;
    double z[CHUNK];
#pragma unroll
    for (int r = 0; r < CHUNK; r++)
        z[r] = begin + r < SIDE && tile_x + column <= a.grid.last_x && tile_y + begin + r <= a.grid.last_y
                   ? a.from[(tile_y + begin + r) * a.stride + tile_x + column]
                   : 0;
    for (int k = 0; k < sizes; k++) {
        for (int half = 0; half < (sh.large[k].diagonal ? 2 : 1); half++) {
            if (sh.large[k].slot[half] < 0) continue;
            const bi_terrain_plane p = sh.large[k].half[half];
            const int diagonal = sh.large[k].diagonal, at = diagonal == 2 ? TILE - column : column;
            const int from = diagonal && half ? at : 0, to = diagonal && !half ? at : TILE;
            const double across = p.slope_x * (x - p.px);
            double off = y - p.py, most = 0;
#pragma unroll
            for (int r = 0; r < CHUNK; r++) {
                const double far = fabs(p.p + p.slope_y * off + across - z[r]);
                const bool in = begin + r >= from && begin + r <= to;
                most = in && far > most ? far : most;
                off += 1;
            }
            const uint32_t greatest = bi_warp_greatest(bits_up(most));
            if (threadIdx.x % 32 == 0 && greatest) atomicMax(&sh.most[k][half], greatest);
        }
    }
}

/* Reads the tile; passes it on to the terrain, and looks for what is no height. */
__device__ __forceinline__ void read_tile(const bi_terrain_reading &a, errors_shared &sh, int tile_x, int tile_y)
{
    const bi_terrain_grid &g = a.grid;
    uint32_t low = ~0u, high = ~0u;
    unsigned long long bad = ~0ull;
    for (int i = (int)threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        const int cx = i % SIDE, cy = i / SIDE, x = tile_x + cx, y = tile_y + cy;
        const bool in = x <= g.last_x && y <= g.last_y;
        const float z = in ? a.from[y * a.stride + x] : 0;
        sh.z[i] = z;
        sh.error[i] = 0;
        if (!in || (cx == TILE && x < g.last_x) || (cy == TILE && y < g.last_y)) continue;
        const uint32_t key = bi_key_u32_of_f32(z);
        low = key < low ? key : low;
        high = ~key < high ? ~key : high;
        a.to[(int64_t)y * g.w + x] = z;
        if ((bi_f32_bits(z) & 0x7f800000u) == 0x7f800000u) {
            const unsigned long long sample = (unsigned long long)y * (unsigned)g.w + (unsigned)x;
            bad = sample < bad ? sample : bad;
        }
    }
    low = bi_warp_least(low);
    high = bi_warp_least(high);
    if (threadIdx.x % 32 == 0) {
        atomicMin(&sh.low, low);
        atomicMin(&sh.high, high);
    }
    if (bad != ~0ull) atomicMin(&sh.bad, bad);
}

static __global__ void __launch_bounds__(THREADS, 3) kernel_terrain_far(const bi_terrain_reading a)
{
    BI_SHARED(errors_shared, sh);
    const int across = (a.grid.last_x + TILE - 1) / TILE;
    const int tile_x = (int)blockIdx.x % across * TILE, tile_y = (int)blockIdx.x / across * TILE;
    if (threadIdx.x == 0) {
        sh.low = sh.high = ~0u;
        sh.bad = ~0ull;
    }
    __syncthreads();
    read_tile(a, sh, tile_x, tile_y);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMin(a.range, sh.low);
        atomicMin(a.range + 1, sh.high);
        if (a.bad && sh.bad != ~0ull) bi_lower_u64(a.bad, sh.bad);
    }
    far_small<5>(a, sh, tile_x, tile_y);
    far_small<4>(a, sh, tile_x, tile_y);
    far_small<3>(a, sh, tile_x, tile_y);
    far_small<2>(a, sh, tile_x, tile_y);
    far_small<1>(a, sh, tile_x, tile_y);
    far_smallest(a, sh, tile_x, tile_y);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        const int cx = i % SIDE, cy = i / SIDE;
        if (sh.error[i] == 0) continue;
        uint32_t *to = a.errors + bi_terrain_slot(&a.grid, tile_x + cx, tile_y + cy);
        if (cx > 0 && cx < TILE && cy > 0 && cy < TILE)
            *to = sh.error[i];
        else
            bi_lift_u32(to, sh.error[i]); /* half of the diamond is in another tile */
    }
}

static __global__ void __launch_bounds__(THREADS, 3) kernel_terrain_far_large(const bi_terrain_reading a)
{
    BI_SHARED(large_shared, sh);
    const int across = (a.grid.last_x + TILE - 1) / TILE;
    const int tile_x = (int)blockIdx.x % across * TILE, tile_y = (int)blockIdx.x / across * TILE;
    const int sizes = 2 * (a.grid.side - 6);
    if ((int)threadIdx.x < 2 * sizes) sh.most[threadIdx.x / 2][threadIdx.x % 2] = 0;
    if ((int)threadIdx.x < sizes) make_large(a, sh, tile_x, tile_y, (int)threadIdx.x);
    __syncthreads();
    far_large(a, sh, tile_x, tile_y, sizes);
    __syncthreads();
    if ((int)threadIdx.x < 2 * sizes) {
        const int k = (int)threadIdx.x / 2, half = (int)threadIdx.x % 2;
        if (sh.most[k][half]) bi_lift_u32(a.errors + sh.large[k].slot[half], sh.most[k][half]);
    }
}

/* What lies below: a block knows the errors of the diamonds with middles at multiples of `step` in its own nodes, and
 * so far around them as any may lie that can only be split after one of 8 steps. */
enum { NODES = 64, HALO = 16, AROUND = NODES + 2 * HALO + 1, BELOW_THREADS = 512 };

struct below_shared {
    uint32_t error[AROUND * AROUND];
};

__device__ __forceinline__ bool diamond_lives(const bi_terrain_grid &g, int x, int y, int s)
{
    return x >= 0 && y >= 0 && x - s < g.last_x && y - s < g.last_y;
}

static __global__ void __launch_bounds__(BELOW_THREADS)
    kernel_terrain_below(const bi_terrain_reading a, int step, int across)
{
    BI_SHARED(below_shared, sh);
    const bi_terrain_grid &g = a.grid;
    const int left = ((int)blockIdx.x % across * NODES - HALO) * step;
    const int bottom = ((int)blockIdx.x / across * NODES - HALO) * step;
    const int most = 1 << g.side;
    for (int i = (int)threadIdx.x; i < AROUND * AROUND; i += BELOW_THREADS) {
        const int x = left + i % AROUND * step, y = bottom + i / AROUND * step;
        const int s =
            1 << bi_terrain_min3(bi_terrain_twos(x), bi_terrain_twos(y), g.side); /* corners have no diamond */
        const bool in = s < most && diamond_lives(g, x, y, s);
        sh.error[i] = in ? bi_load_relaxed(a.errors + bi_terrain_slot(&g, x, y)) : 0;
    }
    __syncthreads();
    /* half: of the nodes between squares' middles and corners; squares first, then what is on its corner */
    for (int pass = 0; pass < 6; pass++) {
        const int half = 1 << pass / 2, size = pass % 2 ? 2 * half : half, lines = (AROUND - 1) / size;
        const bool cornered = pass % 2;
        if (size * step >= most) break;
        for (int i = (int)threadIdx.x; i < (lines + 1) * (lines + 1); i += BELOW_THREADS) {
            const int column = i % (lines + 1), line = i / (lines + 1), cx = column * size, cy = line * size;
            if (cornered ? ((column + line) & 1) == 0 : (column & line & 1) == 0) continue;
            if (cx < half || cy < half || cx + half >= AROUND || cy + half >= AROUND) continue;
            const int x = left + cx * step, y = bottom + cy * step;
            if (!diamond_lives(g, x, y, size * step)) continue;
            uint32_t *to = sh.error + cy * AROUND + cx, e = *to;
            const int one = cornered ? half * AROUND + half : half,
                      two = cornered ? half * AROUND - half : half * AROUND;
            const uint32_t b[4] = {to[-one], to[one], to[-two], to[two]};
            for (int c = 0; c < 4; c++) e = b[c] > e ? b[c] : e;
            *to = e;
            const bool own = cx >= HALO && cx < HALO + NODES && cy >= HALO && cy < HALO + NODES;
            if (own && e) bi_store_relaxed(a.errors + bi_terrain_slot(&g, x, y), e);
        }
        __syncthreads();
    }
}

bosc_status bi_terrain_cuda_far(bosc_ctx *ctx, const bi_terrain_reading *a)
{
    const unsigned across = (unsigned)bi_div_up(a->grid.last_x, TILE), down = (unsigned)bi_div_up(a->grid.last_y, TILE);
    BI_TRY(BI_RUN(ctx, kernel_terrain_far, across * down, THREADS, 0, *a));
    if (a->grid.side == 6) return BOSC_OK;
    return BI_RUN(ctx, kernel_terrain_far_large, across * down, THREADS, 0, *a);
}

bosc_status bi_terrain_cuda_below(bosc_ctx *ctx, const bi_terrain_reading *a)
{
    for (int step = 1; step < 1 << a->grid.side; step *= 8) {
        const int across = (a->grid.last_x / step + 8) / NODES + 1, down = (a->grid.last_y / step + 8) / NODES + 1;
        BI_TRY(BI_RUN(ctx, kernel_terrain_below, (unsigned)(across * down), BELOW_THREADS, 0, *a, step, across));
    }
    return BOSC_OK;
}
