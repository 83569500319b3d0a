/* The errors of diamonds on CUDA: the distances of samples from triangles of all sizes by one block for each tile of
 * the raster, which is read once. */
#include "terrain/cuda/tile.cuh"

enum {
    THREADS = TILE_THREADS,
    SQUARES = 16 + 4 + 1, /* of s = 8, 16, 32 in a tile */
    LATER = 512,          /* what may be put off */
    LARGE = 20            /* sizes of larger ones, and two kinds of each */
};

/* A triangle of a square in the tile. */
struct small_plane {
    bi_terrain_plane exact;
    rough_plane rough;
    float folded; /* 1: a square's halves are the larger of their planes; -1: the smaller */
    short x, y;   /* the middle of its diamond, in the tile; -1: it is not there, or moved */
};

/* Planes over the parts of a tile in two triangles of one size, between which a diagonal may pass. */
struct large_planes {
    bi_terrain_plane half[2];
    rough_plane rough[2];
    long long slot[2]; /* -1: not there, or moved */
    int diagonal;      /* 0: none, all is in the first one; 1: x - y is 0 at it and more in the first; 2: x + y, less */
};

struct errors_shared {
    float z[SIDE * SIDE];
    uint32_t error[SIDE * SIDE];    /* at the middles */
    uint32_t least[9 * 9];          /* of s >= 8: the error is surely this or more */
    small_plane small[SQUARES][6];  /* BOTTOM, TOP, OVER_SIDES + LEFT, RIGHT, SOUTH, NORTH */
    uint32_t count, later[LATER];   /* see put_off */
    large_planes large[LARGE];      /* squares, on_corner ones, of each size from TILE on */
    uint32_t large_known[LARGE][2]; /* what other tiles have found */
    uint32_t large_least[LARGE][2], large_most[LARGE][2];
    bi_terrain_bound bound[8 * 8]; /* of cells of 8 intervals */
    unsigned long long bad;
};

__device__ __forceinline__ void lift(uint32_t *to, double most)
{
    if (most > 0) atomicMax(to, bits_up(most));
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
__device__ __forceinline__ void far_smallest(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x,
                                             int tile_y)
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

/* A square of 2 s = 2 << twos intervals whose corner is at (u, v) in the tile. */
__device__ __forceinline__ square square_at(const errors_shared &sh, int tile_x, int tile_y, int u, int v, int twos)
{
    const int s = 1 << twos, x = tile_x + u, y = tile_y + v;
    const float *z = sh.z + v * SIDE + u;
    return {(double)x,       (double)y,
            (double)s,       {z[0], z[2 * s], z[2 * s * SIDE], z[2 * s * SIDE + 2 * s]},
            z[s * SIDE + s], (((x >> (twos + 1)) + (y >> (twos + 1))) & 1) == 0};
}

/* Its triangles: at the bottom and the top of a diagonal, and one over each side. */
enum { BOTTOM, TOP, OVER_SIDES };

/* Is the triangle there and not moved? Then *x and *y are where its diamond's middle is in the tile. */
__device__ __forceinline__ bool middle_in(const bi_terrain_grid &g, int tile_x, int tile_y, int u, int v, int s,
                                          int which, int *x, int *y)
{
    const bool east = tile_x + u + 2 * s <= g.last_x, north = tile_y + v + 2 * s <= g.last_y;
    const bool middle = tile_x + u + s <= g.last_x && tile_y + v + s <= g.last_y;
    const int side = which - OVER_SIDES;
    *x = u + (side == LEFT ? 0 : side == RIGHT ? 2 * s : s);
    *y = v + (side == SOUTH ? 0 : side == NORTH ? 2 * s : s);
    return middle && (side == LEFT ? north : side == SOUTH ? east : east && north);
}

__device__ __forceinline__ bi_terrain_plane plane_in(const square &q, int which)
{
    return which < OVER_SIDES ? halved(q, which == TOP) : quartered(q, which - OVER_SIDES);
}

/* The largest distance of the samples of a half of a square from its plane. Columns count from the left in a rising
 * square, from the right in a falling one: both have the same diagonal then. */
template <int S>
__device__ __forceinline__ double far_in_half(const float *z, const bi_terrain_plane &p, bool rising, bool top)
{
    const int step = rising ? 1 : -1;
    const double slope_x = rising ? p.slope_x : -p.slope_x;
    const float *begin = rising ? z : z + 2 * S;
    double most = 0;
#pragma unroll
    for (int r = 0; r <= 2 * S; r++) {
        const double base = p.p + p.slope_y * (top ? r - 2 * S : r);
#pragma unroll
        for (int c = 0; c <= r; c++) { /* the bottom half is turned upside down and back to front */
            const int row = top ? r : 2 * S - r, column = top ? c : 2 * S - c;
            const double from = top ? base : p.p + p.slope_y * (2 * S - r);
            most = farther(most, from + slope_x * (top ? c : -c) - (double)begin[row * SIDE + column * step]);
        }
    }
    return most;
}

/* And of the triangle over a side: column u from it, and from row u on; or with rows and columns in each other's place.
 */
template <int S> __device__ __forceinline__ double far_over_side(const float *z, const bi_terrain_plane &p, int side)
{
    const bool upright = side == LEFT || side == RIGHT, back = side == RIGHT || side == NORTH;
    const int inward = (upright ? 1 : SIDE) * (back ? -1 : 1), along = upright ? SIDE : 1;
    const float *begin = z + (back ? 2 * S * (upright ? 1 : SIDE) : 0);
    const double slope_u = back ? -(upright ? p.slope_x : p.slope_y) : upright ? p.slope_x : p.slope_y;
    const double slope_v = upright ? p.slope_y : p.slope_x;
    double most = 0;
#pragma unroll
    for (int u = 0; u <= S; u++) {
        const double in = slope_u * (u - S);
#pragma unroll
        for (int v = u; v <= 2 * S - u; v++) {
            const double on = slope_v * (v - S), height = upright ? p.p + on + in : p.p + in + on;
            most = farther(most, height - (double)begin[u * inward + v * along]);
        }
    }
    return most;
}

/* Squares of s = 2 and 4: a thread for each triangle; those of a warp are of one kind. */
template <int TWOS>
__device__ __forceinline__ void far_small(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y)
{
    constexpr int s = 1 << TWOS, across = TILE / 2 / s, squares = across * across;
    for (int i = (int)threadIdx.x; i < 6 * squares; i += THREADS) {
        const int which = i / squares, u = i % across * 2 * s, v = i % squares / across * 2 * s;
        int x, y;
        if (!middle_in(a.grid, tile_x, tile_y, u, v, s, which, &x, &y)) continue;
        const square q = square_at(sh, tile_x, tile_y, u, v, TWOS);
        const bi_terrain_plane p = plane_in(q, which);
        const float *z = sh.z + v * SIDE + u;
        double most;
        if (which == BOTTOM)
            most = far_in_half<s>(z, p, q.rising, false);
        else if (which == TOP)
            most = far_in_half<s>(z, p, q.rising, true);
        else
            most = far_over_side<s>(z, p, which - OVER_SIDES);
        lift(sh.error + y * SIDE + x, most);
    }
}

/* Where a run lies in a square of s = 1 << TWOS. */
struct run_place {
    int x, y, square; /* the square's corner in the tile, its number in small[] */
    bool there, rising;
};

template <int TWOS> __device__ __forceinline__ run_place place_of(const column_run &run, int tile_x, int tile_y)
{
    constexpr int side = 2 << TWOS, across = TILE / side, before = TWOS == 3 ? 0 : TWOS == 4 ? 16 : 20;
    run_place p;
    const int i = run.again ? run.column / side - 1 : bi_terrain_min(run.column / side, across - 1);
    const int j = run.begin / side;
    p.x = i * side;
    p.y = j * side;
    p.there = !run.idle && (!run.again || run.column % side == 0);
    p.square = p.there ? before + j * across + i : 0;
    p.rising = (((tile_x + p.x) / side + (tile_y + p.y) / side) & 1) == 0;
    return p;
}

/* What has to be looked at exactly: rows of a run in a triangle. */
__device__ __forceinline__ void look_closely(errors_shared &sh, int tile_x, int tile_y, uint32_t entry)
{
    const int which = (int)(entry >> 24), column = (int)(entry >> 16 & 255), begin = (int)(entry >> 10 & 63);
    const int large = which - SQUARES * 6;
    const small_plane &small = sh.small[large < 0 ? which / 6 : 0][large < 0 ? which % 6 : 0];
    const bi_terrain_plane &p = large < 0 ? small.exact : sh.large[large / 2].half[large % 2];
    const double across = p.slope_x * (tile_x + column - p.px);
    double most = 0;
    for (int row = begin + (int)(entry >> 5 & 31); row <= begin + (int)(entry & 31); row++) {
        const double far = fabs(p.p + p.slope_y * (tile_y + row - p.py) + across - (double)sh.z[row * SIDE + column]);
        most = far > most ? far : most;
    }
    lift(large < 0 ? sh.error + small.y * SIDE + small.x : &sh.large_most[large / 2][large % 2], most);
}

/* Puts that off until all threads can share it, if there is room. */
__device__ __forceinline__ void put_off(errors_shared &sh, const column_run &run, int tile_x, int tile_y, int which,
                                        row_span rows)
{
    const int from = bi_terrain_max(rows.from, 0), to = bi_terrain_min(rows.to, RUN - 1);
    if (from > to) return;
    const uint32_t entry = (uint32_t)which << 24 | (uint32_t)run.column << 16 | (uint32_t)run.begin << 10 |
                           (uint32_t)from << 5 | (uint32_t)to;
    const uint32_t at = atomicAdd(&sh.count, 1u);
    if (at < LATER)
        sh.later[at] = entry;
    else
        look_closely(sh, tile_x, tile_y, entry);
}

/* Of a square a column passes both halves, which are one diamond's, and the triangles below, beside and above its
 * middle. */
enum { PARTS = 4, HALVES = 0, BELOW, BESIDE, ABOVE };

/* The rows of a part in the run, of HALVES those of BOTTOM; and the triangle's number. */
template <int TWOS>
__device__ __forceinline__ int part_of(const column_run &run, const run_place &p, int part, row_span *rows)
{
    constexpr int s = 1 << TWOS;
    const int column = run.column - p.x, other = 2 * s - column, skip = run.begin - p.y;
    const int low = bi_terrain_min(column, other) - skip, high = bi_terrain_max(column, other) - skip;
    *rows = part == HALVES   ? row_span{-skip, (p.rising ? column : other) - skip}
            : part == BELOW  ? row_span{-skip, low}
            : part == BESIDE ? row_span{low, high}
                             : row_span{high, 2 * s - skip};
    return part == HALVES   ? BOTTOM
           : part == BELOW  ? OVER_SIDES + SOUTH
           : part == BESIDE ? OVER_SIDES + (column < s ? LEFT : RIGHT)
                            : OVER_SIDES + NORTH;
}

/* Eight lanes are in one triangle, but in the ninth warp. */
__device__ __forceinline__ void raise_least(errors_shared &sh, const small_plane &of, uint32_t bits)
{
    const bool own = threadIdx.x / 32 == 8;
    if (!own) {
        for (int d = 4; d > 0; d /= 2) {
            const uint32_t other = __shfl_xor_sync(~0u, bits, d);
            bits = other > bits ? other : bits;
        }
    }
    if (bits && (own || threadIdx.x % 8 == 0)) atomicMax(&sh.least[of.y / 8 * 9 + of.x / 8], bits);
}

/* The sizes of the tile one after another: roughly, then what may be the largest. */
template <int TWOS>
__device__ __forceinline__ void far_middle(errors_shared &sh, const column_run &run, int tile_x, int tile_y)
{
    constexpr int s = 1 << TWOS;
    const run_place p = place_of<TWOS>(run, tile_x, tile_y);
    const small_plane *planes = sh.small[p.square];
    const int skip = run.begin - p.y;
    float far[PARTS], slack[PARTS];
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        if ((part == BELOW && skip >= s) || (part == ABOVE && skip + RUN - 1 <= s))
            continue; /* all of a warp, or none */
        row_span rows;
        const small_plane &of = planes[part_of<TWOS>(run, p, part, &rows)];
        uint32_t bits = 0;
        far[part] = -1;
        if (p.there && of.x >= 0 && (part == HALVES || rows.from <= rows.to)) {
            const rough_plane rough = of.rough;
            slack[part] = slack_of(run, rough);
            if (part == HALVES) {
                slack[part] = fmaxf(slack[part], slack_of(run, planes[TOP].rough));
                far[part] = rough_fold(run, rough, planes[TOP].rough, of.folded);
            } else {
                far[part] = rough_far(run, rough, rows);
            }
            bits = surely_far(far[part], slack[part]);
        }
        raise_least(sh, of, bits);
    }
    __syncthreads();
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        if ((part == BELOW && skip >= s) || (part == ABOVE && skip + RUN - 1 <= s) || far[part] < 0) continue;
        row_span rows;
        const int which = part_of<TWOS>(run, p, part, &rows);
        if (far[part] + slack[part] <= bi_f32_from_bits(sh.least[planes[which].y / 8 * 9 + planes[which].x / 8]))
            continue;
        put_off(sh, run, tile_x, tile_y, p.square * 6 + which, rows);
        if (part == HALVES) put_off(sh, run, tile_x, tile_y, p.square * 6 + TOP, {rows.to, 2 * s - skip});
    }
}

/* A triangle of a square of s = 8, 16 or 32. */
__device__ __forceinline__ void make_small(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y,
                                           int number, int which)
{
    const int twos = number < 16 ? 3 : number < 20 ? 4 : 5, s = 1 << twos, across = TILE / 2 / s;
    const int at = number - (twos == 3 ? 0 : twos == 4 ? 16 : 20), u = at % across * 2 * s, v = at / across * 2 * s;
    const square q = square_at(sh, tile_x, tile_y, u, v, twos);
    small_plane &to = sh.small[number][which];
    int x, y;
    const bool there = middle_in(a.grid, tile_x, tile_y, u, v, s, which, &x, &y);
    to.exact = plane_in(q, which);
    to.rough = rough_of(to.exact, tile_x, tile_y, (double)sh.z[0]);
    to.x = (short)(there ? x : -1);
    to.y = (short)y;
    /* the top's plane is above the bottom's in the top if the corner there is above the bottom's plane */
    const double corner = q.rising ? q.corner[2] : q.corner[3], opposite = q.rising ? q.corner[1] : q.corner[0];
    const double ends = q.rising ? q.corner[0] + q.corner[3] : q.corner[1] + q.corner[2];
    to.folded = corner + opposite > ends ? 1.0f : -1.0f;
}

/* Planes of the two kinds of diamonds of a size over the tile, which lies in one square of that size. */
__device__ __forceinline__ void make_large(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y,
                                           int k)
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

/* The rows of a run in one half of the tile. */
__device__ __forceinline__ row_span rows_of(const large_planes &of, int half, const column_run &run)
{
    const int at = (of.diagonal == 2 ? TILE - run.column : run.column) - run.begin;
    return {of.diagonal && half ? at : 0, of.diagonal && !half ? at : TILE};
}

/* Large triangles: two kinds of a size at a time. */
__device__ __forceinline__ void far_large(errors_shared &sh, const column_run &run, int tile_x, int tile_y, int sizes)
{
    for (int k = 0; k < sizes; k += 2) {
        float far[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const large_planes &of = sh.large[k + i / 2];
            far[i] = 0;
            if (of.slot[i % 2] < 0 || (i % 2 && !of.diagonal)) continue;
            const rough_plane p = of.rough[i % 2];
            if (!run.again) far[i] = rough_far(run, p, rows_of(of, i % 2, run));
            const uint32_t greatest = bi_warp_greatest(surely_far(far[i], slack_of(run, p)));
            if (threadIdx.x % 32 == 0 && greatest) atomicMax(&sh.large_least[k + i / 2][i % 2], greatest);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const large_planes &of = sh.large[k + i / 2];
            if (of.slot[i % 2] < 0 || (i % 2 && !of.diagonal) || run.again) continue;
            const float least = bi_f32_from_bits(sh.large_least[k + i / 2][i % 2]);
            if (far[i] + slack_of(run, of.rough[i % 2]) <= least) continue;
            put_off(sh, run, tile_x, tile_y, SQUARES * 6 + 2 * k + i, rows_of(of, i % 2, run));
        }
    }
}

/* Reads the tile; passes it on to the terrain, and looks for what is no height. */
__device__ __forceinline__ void read_tile(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y)
{
    const bi_terrain_grid &g = a.grid;
    unsigned long long bad = ~0ull;
    for (int i = (int)threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        const int cx = i % SIDE, cy = i / SIDE, x = tile_x + cx, y = tile_y + cy;
        const bool in = x <= g.last_x && y <= g.last_y;
        const float z = in ? a.from[y * a.stride + x] : 0;
        sh.z[i] = z;
        sh.error[i] = 0;
        if (!in || (cx == TILE && x < g.last_x) || (cy == TILE && y < g.last_y)) continue;
        a.to[(int64_t)y * g.width + x] = z;
        if ((bi_f32_bits(z) & 0x7f800000u) == 0x7f800000u) {
            const unsigned long long sample = (unsigned long long)y * (unsigned)g.width + (unsigned)x;
            bad = sample < bad ? sample : bad;
        }
    }
    if (bad != ~0ull) atomicMin(&sh.bad, bad);
}

/* The bounds of the cells of 8 intervals, four lanes each. */
__device__ __forceinline__ void bind_cells(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y)
{
    if (threadIdx.x >= 256) return; /* whole warps */
    const int cell = (int)threadIdx.x / 4, x = cell % 8 * 8, y = cell / 8 * 8;
    const int right = bi_terrain_min(x + 8, a.grid.last_x - tile_x),
              top = bi_terrain_min(y + 8, a.grid.last_y - tile_y);
    bi_terrain_bound bound = bi_terrain_empty_bound();
    for (int cy = y + (int)threadIdx.x % 4; cy <= top; cy += 4)
        for (int cx = x; cx <= right; cx++)
            bi_terrain_extend_bound(&bound, {sh.z[cy * SIDE + cx], sh.z[cy * SIDE + cx]});
    for (int d = 2; d > 0; d /= 2)
        bi_terrain_extend_bound(&bound, {__shfl_xor_sync(~0u, bound.low, d), __shfl_xor_sync(~0u, bound.high, d)});
    if (threadIdx.x % 4 == 0) sh.bound[cell] = bound;
}

/* And of those in which they lie, up to the tile (larger ones: see bi_terrain_cuda_nest_errors). */
__device__ __forceinline__ void put_bounds(const bi_terrain_raster_build &a, const errors_shared &sh, int tile_x,
                                           int tile_y)
{
    const int i = (int)threadIdx.x, level = i < 64 ? 3 : i < 80 ? 4 : i < 84 ? 5 : 6;
    if (i >= 85 || level > a.bounds.top) return;
    const int number = i - (level == 3 ? 0 : level == 4 ? 64 : level == 5 ? 80 : 84), across = TILE >> level;
    const int cx = number % across, cy = number / across, wide = 1 << (level - 3);
    bi_terrain_bound bound = bi_terrain_empty_bound();
    for (int y = cy * wide; y < (cy + 1) * wide; y++)
        for (int x = cx * wide; x < (cx + 1) * wide; x++) bi_terrain_extend_bound(&bound, sh.bound[y * 8 + x]);
    const int column = (tile_x >> level) + cx, row = (tile_y >> level) + cy;
    const int columns = bi_terrain_cell_count(a.grid.last_x, level);
    if (column < columns && row < bi_terrain_cell_count(a.grid.last_y, level))
        a.bounds.cells[a.bounds.first[level] + (int64_t)row * columns + column] = bound;
}

/* Planes of the triangles over the tile that are not small, and what is known of their errors. */
__device__ __forceinline__ void make_planes(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y,
                                            int sizes)
{
    const int i = (int)threadIdx.x;
    if (i == 0) sh.count = 0;
    if (i < 9 * 9) sh.least[i] = 0;
    if (i < SQUARES * 6) make_small(a, sh, tile_x, tile_y, i / 6, i % 6);
    const int k = i - THREADS / 2;
    if (k < 0 || k >= sizes) return;
    make_large(a, sh, tile_x, tile_y, k);
    for (int half = 0; half < 2; half++) {
        const long long slot = sh.large[k].slot[half];
        sh.large[k].rough[half] = rough_of(sh.large[k].half[half], tile_x, tile_y, (double)sh.z[0]);
        sh.large_known[k][half] = sh.large_least[k][half] = slot < 0 ? 0 : bi_load_relaxed(a.errors + slot);
        sh.large_most[k][half] = 0;
    }
}

static __global__ void __launch_bounds__(THREADS, 4) bi_terrain_tile_errors(const bi_terrain_raster_build a)
{
    BI_SHARED(errors_shared, sh);
    const int across = (a.grid.last_x + TILE - 1) / TILE, sizes = 2 * (a.grid.side - 6);
    const int tile_x = (int)blockIdx.x % across * TILE, tile_y = (int)blockIdx.x / across * TILE;
    if (threadIdx.x == 0) sh.bad = ~0ull;
    __syncthreads();
    read_tile(a, sh, tile_x, tile_y);
    __syncthreads();
    if (threadIdx.x == 0 && a.bad && sh.bad != ~0ull) bi_atomic_min_u64(a.bad, sh.bad);
    bind_cells(a, sh, tile_x, tile_y);
    make_planes(a, sh, tile_x, tile_y, sizes);
    far_small<2>(a, sh, tile_x, tile_y);
    far_small<1>(a, sh, tile_x, tile_y);
    far_smallest(a, sh, tile_x, tile_y);
    __syncthreads();
    put_bounds(a, sh, tile_x, tile_y);
    const column_run run = run_of(sh.z);
    far_middle<3>(sh, run, tile_x, tile_y);
    far_middle<4>(sh, run, tile_x, tile_y);
    far_middle<5>(sh, run, tile_x, tile_y);
    far_large(sh, run, tile_x, tile_y, sizes);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < sh.count && i < LATER; i += THREADS)
        look_closely(sh, tile_x, tile_y, sh.later[i]);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        const int cx = i % SIDE, cy = i / SIDE;
        if (sh.error[i] == 0) continue;
        uint32_t *to = a.errors + bi_terrain_slot(&a.grid, tile_x + cx, tile_y + cy);
        if (cx > 0 && cx < TILE && cy > 0 && cy < TILE)
            *to = sh.error[i];
        else
            bi_atomic_max_u32(to, sh.error[i]); /* half of the diamond is in another tile */
    }
    const int k = (int)threadIdx.x / 2, half = (int)threadIdx.x % 2;
    if (k < sizes && sh.large_most[k][half] > sh.large_known[k][half])
        bi_atomic_max_u32(a.errors + sh.large[k].slot[half], sh.large_most[k][half]);
}

bosc_status bi_terrain_cuda_tile_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a)
{
    const unsigned across = (unsigned)bi_div_up(a->grid.last_x, TILE), down = (unsigned)bi_div_up(a->grid.last_y, TILE);
    return BI_RUN(ctx, bi_terrain_tile_errors, across * down, THREADS, 0, *a);
}
