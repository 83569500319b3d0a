/* Errors of diamonds on CUDA: the largest vertical distance of a sample from a triangle, for triangles of all sizes.
 * One block processes one tile of the raster, which it reads once. Triangles with clamped vertices are left to
 * errors_clamped.cu, the maximum over nested diamonds to errors_nested.cu.
 *
 * s = 1 << twos is half the side of a square of six triangles. Triangles of s = 1, 2 and 4 are measured exactly, one
 * thread a triangle. For larger ones each thread measures a column run (tile.cuh) in floats first. The float result
 * less its rounding bound is a lower bound of the maximum. Only runs whose result plus its rounding bound exceeds the
 * lower bound of their triangle are measured again in doubles. */
#include "terrain/cuda/tile.cuh"

enum {
    THREADS = TILE_THREADS,
    SMALL_SQUARES = 16 + 4 + 1, /* squares of s = 8, 16 and 32 in a tile */
    MAX_DEFERRED = 512,         /* entries of the list of deferred exact measurements; more than fit are done at once */
    LARGE_KINDS = 20            /* s = 2^6 to 2^15, two kinds each: a raster has less than 2^31 samples */
};

/* A triangle of a square of s = 8, 16 or 32 in the tile. */
struct small_plane {
    bi_terrain_plane exact;
    rough_plane rough;
    float fold_sign; /* 1: the two halves of the square are the larger of their planes; -1: the smaller */
    short x, y;      /* the middle of its diamond, in the tile; -1: not live, or clamped */
};

/* The one or two triangles of a large size that cover the tile. A diagonal of the tile may separate them. */
struct large_planes {
    bi_terrain_plane half[2];
    rough_plane rough[2];
    long long slot[2]; /* where errors are stored; -1: not live, or clamped */
    int diagonal;      /* 0: the first covers the tile; 1: the first has x - y >= 0; 2: the first has x + y <= TILE */
};

struct errors_shared {
    float z[TILE_SIDE * TILE_SIDE];
    uint32_t error[TILE_SIDE * TILE_SIDE];           /* by the middle of the diamond, as bits of floats */
    uint32_t lower_bound[9 * 9];                     /* of errors of s >= 8, by middle / 8 */
    small_plane small[SMALL_SQUARES][6];             /* by enum triangle_kind */
    uint32_t deferred_count, deferred[MAX_DEFERRED]; /* see defer_exact */
    large_planes large[LARGE_KINDS]; /* of each size from s = TILE on: halves of a square, then quarters of it */
    uint32_t large_published[LARGE_KINDS][2]; /* errors stored by other tiles so far */
    uint32_t large_lower_bound[LARGE_KINDS][2], large_max[LARGE_KINDS][2];
    bi_terrain_bound bound[8 * 8]; /* of cells of 8 intervals */
    unsigned long long bad;
};

__device__ __forceinline__ void atomic_max_error(uint32_t *error, double distance)
{
    if (distance > 0) atomicMax(error, round_up_bits(distance));
}

__device__ __forceinline__ double max_distance(double largest, double difference)
{
    const double distance = fabs(difference);
    return distance > largest ? distance : largest;
}

/* The error of half of a square of 2 x 2 intervals. p: height at the right angle; u, v: at the other corners; pu, pv:
 * at the middles of the legs; middle: at the middle of the longest edge. The operations and their order are those of
 * bi_terrain_row_distance, without terms of value 0. */
__device__ __forceinline__ double error_half_triangle(double p, double u, double v, double pu, double pv, double middle)
{
    const double du = u - p, dv = v - p;
    double largest = max_distance(max_distance(0, p + du - u), p + dv - v);
    largest = max_distance(max_distance(largest, p + 0.5 * du - pu), p + 0.5 * dv - pv);
    return max_distance(largest, p + 0.5 * dv + 0.5 * du - middle);
}

/* The error of a quarter of such a square. p: height at the right angle, the middle of the square; a, m, b: along the
 * longest edge, a side of the square in the direction of x or, if `vertical`, of y. bi_terrain_plane_of derives the
 * second slope from the first end of the longest edge: b if `plane_from_b`, else a. */
__device__ __forceinline__ double error_quarter_triangle(double p, double a, double m, double b, bool plane_from_b,
                                                         bool vertical)
{
    const double along = (b - a) * 0.5, inward = p - (plane_from_b ? b - along : a + along); /* slopes */
    if (!vertical) {
        const double base = p - inward;
        return max_distance(max_distance(fabs(base - along - a), base - m), base + along - b);
    }
    return max_distance(max_distance(fabs(p - along - inward - a), p - inward - m), p + along - inward - b);
}

/* Measures the squares of s = 1, of 2 x 2 intervals: a thread each. A square has six triangles: two halves and four
 * quarters. Border squares have only the unclamped ones. */
__device__ __forceinline__ void measure_smallest_squares(const bi_terrain_raster_build &a, errors_shared &sh,
                                                         int tile_x, int tile_y)
{
    const int room_x = a.grid.last_x - tile_x, room_y = a.grid.last_y - tile_y;
    for (int i = (int)threadIdx.x; i < TILE / 2 * (TILE / 2); i += THREADS) {
        const int x = i % (TILE / 2) * 2, y = i / (TILE / 2) * 2;
        if (x + 1 > room_x || y + 1 > room_y) continue;
        const bool east = x + 2 <= room_x, north = y + 2 <= room_y;
        const bool rising = ((((tile_x + x) >> 1) + ((tile_y + y) >> 1)) & 1) == 0;
        const float *z = sh.z + y * TILE_SIDE + x;
        const double z00 = z[0], z10 = z[1], z20 = z[2], z01 = z[TILE_SIDE], z11 = z[TILE_SIDE + 1],
                     z21 = z[TILE_SIDE + 2];
        const double z02 = z[2 * TILE_SIDE], z12 = z[2 * TILE_SIDE + 1], z22 = z[2 * TILE_SIDE + 2];
        /* Halves belong to the diamond at the middle, quarters to the diamonds at the middles of the sides. */
        uint32_t *middle = sh.error + (y + 1) * TILE_SIDE + x + 1;
        if (east && north) {
            const double one = rising ? error_half_triangle(z20, z00, z22, z10, z21, z11)
                                      : error_half_triangle(z00, z20, z02, z10, z01, z11);
            const double two = rising ? error_half_triangle(z02, z22, z00, z12, z01, z11)
                                      : error_half_triangle(z22, z02, z20, z12, z21, z11);
            atomic_max_error(middle, one > two ? one : two);
            atomic_max_error(middle + 1, error_quarter_triangle(z11, z20, z21, z22, false, true));
            atomic_max_error(middle + TILE_SIDE, error_quarter_triangle(z11, z02, z12, z22, true, false));
        }
        if (north) atomic_max_error(middle - 1, error_quarter_triangle(z11, z00, z01, z02, true, true));
        if (east) atomic_max_error(middle - TILE_SIDE, error_quarter_triangle(z11, z00, z10, z20, false, false));
    }
}

/* The square of side 2 s = 2 << twos intervals with its corner at (u, v) in the tile. */
__device__ __forceinline__ square load_square(const errors_shared &sh, int tile_x, int tile_y, int u, int v, int twos)
{
    const int s = 1 << twos, x = tile_x + u, y = tile_y + v;
    const float *z = sh.z + v * TILE_SIDE + u;
    return {(double)x,
            (double)y,
            (double)s,
            {z[0], z[2 * s], z[2 * s * TILE_SIDE], z[2 * s * TILE_SIDE + 2 * s]},
            z[s * TILE_SIDE + s],
            (((x >> (twos + 1)) + (y >> (twos + 1))) & 1) == 0};
}

/* The six triangles of a square: the halves below and above its diagonal, and the quarters over its sides, OVER_SIDES +
 * LEFT, RIGHT, SOUTH or NORTH. */
enum triangle_kind { BOTTOM, TOP, OVER_SIDES };

/* Sets the middle of the triangle's diamond, in the tile. False if the triangle is clamped or not live. */
__device__ __forceinline__ bool find_middle(const bi_terrain_grid &g, int tile_x, int tile_y, int u, int v, int s,
                                            int which, int *x, int *y)
{
    const bool east = tile_x + u + 2 * s <= g.last_x, north = tile_y + v + 2 * s <= g.last_y;
    const bool middle = tile_x + u + s <= g.last_x && tile_y + v + s <= g.last_y;
    const int side = which - OVER_SIDES;
    *x = u + (side == LEFT ? 0 : side == RIGHT ? 2 * s : s);
    *y = v + (side == SOUTH ? 0 : side == NORTH ? 2 * s : s);
    return middle && (side == LEFT ? north : side == SOUTH ? east : east && north);
}

__device__ __forceinline__ bi_terrain_plane plane_of_triangle(const square &q, int which)
{
    return which < OVER_SIDES ? half_plane(q, which == TOP) : quarter_plane(q, which - OVER_SIDES);
}

/* The largest distance of the samples of half a square of s = S from its plane. Columns count from the left in a rising
 * square, from the right in a falling one: so both have the same diagonal. */
template <int S>
__device__ __forceinline__ double distance_in_half(const float *z, const bi_terrain_plane &p, bool rising, bool top)
{
    const int step = rising ? 1 : -1;
    const double slope_x = rising ? p.slope_x : -p.slope_x;
    const float *begin = rising ? z : z + 2 * S;
    double largest = 0;
#pragma unroll
    for (int r = 0; r <= 2 * S; r++) {
        /* The bottom half is rotated by 180 degrees, so one loop serves both. Heights count from the right angle. */
        const int row = top ? r : 2 * S - r;
        const double base = p.p + p.slope_y * (top ? r - 2 * S : 2 * S - r);
#pragma unroll
        for (int c = 0; c <= r; c++) {
            const int column = top ? c : 2 * S - c;
            largest =
                max_distance(largest, base + slope_x * (top ? c : -c) - (double)begin[row * TILE_SIDE + column * step]);
        }
    }
    return largest;
}

/* The same for the quarter over a side. u counts lines of samples from the side to the middle of the square, v samples
 * along the line; the quarter has samples u to 2 S - u. */
template <int S>
__device__ __forceinline__ double distance_over_side(const float *z, const bi_terrain_plane &p, int side)
{
    const bool vertical = side == LEFT || side == RIGHT, back = side == RIGHT || side == NORTH;
    const int inward = (vertical ? 1 : TILE_SIDE) * (back ? -1 : 1), along = vertical ? TILE_SIDE : 1;
    const float *begin = z + (back ? 2 * S * (vertical ? 1 : TILE_SIDE) : 0);
    const double slope_u = back ? -(vertical ? p.slope_x : p.slope_y) : vertical ? p.slope_x : p.slope_y;
    const double slope_v = vertical ? p.slope_y : p.slope_x;
    double largest = 0;
#pragma unroll
    for (int u = 0; u <= S; u++) {
        const double in = slope_u * (u - S);
#pragma unroll
        for (int v = u; v <= 2 * S - u; v++) {
            const double on = slope_v * (v - S), height = vertical ? p.p + on + in : p.p + in + on;
            largest = max_distance(largest, height - (double)begin[u * inward + v * along]);
        }
    }
    return largest;
}

/* Measures the squares of s = 1 << TWOS, which is 2 or 4: a thread a triangle. Threads of a warp have triangles of one
 * kind, so that they do not diverge. */
template <int TWOS>
__device__ __forceinline__ void measure_small_squares(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x,
                                                      int tile_y)
{
    constexpr int s = 1 << TWOS, across = TILE / 2 / s, squares = across * across;
    for (int i = (int)threadIdx.x; i < 6 * squares; i += THREADS) {
        const int which = i / squares, u = i % across * 2 * s, v = i % squares / across * 2 * s;
        int x, y;
        if (!find_middle(a.grid, tile_x, tile_y, u, v, s, which, &x, &y)) continue;
        const square q = load_square(sh, tile_x, tile_y, u, v, TWOS);
        const bi_terrain_plane p = plane_of_triangle(q, which);
        const float *z = sh.z + v * TILE_SIDE + u;
        double largest;
        if (which == BOTTOM)
            largest = distance_in_half<s>(z, p, q.rising, false);
        else if (which == TOP)
            largest = distance_in_half<s>(z, p, q.rising, true);
        else
            largest = distance_over_side<s>(z, p, which - OVER_SIDES);
        atomic_max_error(sh.error + y * TILE_SIDE + x, largest);
    }
}

/* The square of s = 1 << TWOS that a run lies in. */
struct run_position {
    int x, y, square; /* its corner in the tile, its number in small[] */
    bool exists, rising;
};

template <int TWOS> __device__ __forceinline__ run_position locate_run(const column_run &run, int tile_x, int tile_y)
{
    constexpr int side = 2 << TWOS, across = TILE / side, first = TWOS == 3 ? 0 : TWOS == 4 ? 16 : 20;
    run_position p;
    const int i = run.repeated ? run.column / side - 1 : bi_terrain_min(run.column / side, across - 1);
    const int j = run.begin / side;
    p.x = i * side;
    p.y = j * side;
    p.exists = !run.idle && (!run.repeated || run.column % side == 0);
    p.square = p.exists ? first + j * across + i : 0;
    p.rising = (((tile_x + p.x) / side + (tile_y + p.y) / side) & 1) == 0;
    return p;
}

/* Measures some rows of a run against a triangle in doubles. `entry` packs the triangle's number (8 bits), the column
 * (8), the run's first row (6), and the first and the last row in the run (5 each). */
__device__ __forceinline__ void measure_exactly(errors_shared &sh, int tile_x, int tile_y, uint32_t entry)
{
    const int which = (int)(entry >> 24), column = (int)(entry >> 16 & 255), begin = (int)(entry >> 10 & 63);
    const int large = which - SMALL_SQUARES * 6;
    const small_plane &small = sh.small[large < 0 ? which / 6 : 0][large < 0 ? which % 6 : 0];
    const bi_terrain_plane &p = large < 0 ? small.exact : sh.large[large / 2].half[large % 2];
    const double across = p.slope_x * (tile_x + column - p.px);
    double largest = 0;
    for (int row = begin + (int)(entry >> 5 & 31); row <= begin + (int)(entry & 31); row++) {
        const double distance =
            fabs(p.p + p.slope_y * (tile_y + row - p.py) + across - (double)sh.z[row * TILE_SIDE + column]);
        largest = distance > largest ? distance : largest;
    }
    atomic_max_error(large < 0 ? sh.error + small.y * TILE_SIDE + small.x : &sh.large_max[large / 2][large % 2],
                     largest);
}

/* Appends an exact measurement to the deferred list, which all threads of the block share later; so the few of them do
 * not diverge warps. Measures at once if the list is full. */
__device__ __forceinline__ void defer_exact(errors_shared &sh, const column_run &run, int tile_x, int tile_y,
                                            int triangle, row_span rows)
{
    const int from = bi_terrain_max(rows.from, 0), to = bi_terrain_min(rows.to, RUN_ROWS - 1);
    if (from > to) return;
    const uint32_t entry = (uint32_t)triangle << 24 | (uint32_t)run.column << 16 | (uint32_t)run.begin << 10 |
                           (uint32_t)from << 5 | (uint32_t)to;
    const uint32_t at = atomicAdd(&sh.deferred_count, 1u);
    if (at < MAX_DEFERRED)
        sh.deferred[at] = entry;
    else
        measure_exactly(sh, tile_x, tile_y, entry);
}

/* A column crosses these parts of a square: both halves, which are one diamond, and the quarters below, beside and
 * above the middle. */
enum { PARTS = 4, HALVES = 0, BELOW, BESIDE, ABOVE };

/* Returns the kind of a part's triangle and sets the rows of the run in it; for HALVES those of BOTTOM. */
template <int TWOS>
__device__ __forceinline__ int rows_of_part(const column_run &run, const run_position &p, int part, row_span *rows)
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

/* Raises the lower bound of a triangle's error. In the first eight warps eight neighbouring lanes share a triangle, so
 * one of them does it for all; lanes of the ninth warp are on their own. */
__device__ __forceinline__ void raise_lower_bound(errors_shared &sh, const small_plane &of, uint32_t bits)
{
    const bool own = threadIdx.x / 32 == 8;
    if (!own) {
        for (int d = 4; d > 0; d /= 2) {
            const uint32_t other = __shfl_xor_sync(~0u, bits, d);
            bits = other > bits ? other : bits;
        }
    }
    if (bits && (own || threadIdx.x % 8 == 0)) atomicMax(&sh.lower_bound[of.y / 8 * 9 + of.x / 8], bits);
}

/* Measures the squares of s = 1 << TWOS = 8, 16 or 32: all runs in floats, then in doubles the candidates for the
 * largest distance of their triangle. All threads call it. make_planes has zeroed the bounds and the list; a barrier
 * must follow before the list is processed. A distance above 0 has a slack above 0, so the run that sets a bound is
 * deferred itself. Under a bound of 0 runs without error are deferred too, unless run and plane lie at the corner's
 * height, where the slack is 0. Triangles of different sizes never share a lower bound. */
template <int TWOS>
__device__ __forceinline__ void measure_middle_squares(errors_shared &sh, const column_run &run, int tile_x, int tile_y)
{
    constexpr int s = 1 << TWOS;
    const run_position p = locate_run<TWOS>(run, tile_x, tile_y);
    const small_plane *planes = sh.small[p.square];
    const int skip = run.begin - p.y;
    float distance[PARTS], slack[PARTS]; /* distance: -1 where the run is not in the part */
    /* 1. Distances in floats, and from them lower bounds of the errors. */
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        if ((part == BELOW && skip >= s) || (part == ABOVE && skip + RUN_ROWS - 1 <= s))
            continue; /* no row of the run is in the part; uniform in the warps that shuffle */
        row_span rows;
        const small_plane &of = planes[rows_of_part<TWOS>(run, p, part, &rows)];
        uint32_t bits = 0;
        distance[part] = -1;
        if (p.exists && of.x >= 0 && (part == HALVES || rows.from <= rows.to)) {
            const rough_plane rough = of.rough;
            slack[part] = rounding_slack(run, rough);
            if (part == HALVES) {
                slack[part] = fmaxf(slack[part], rounding_slack(run, planes[TOP].rough));
                distance[part] = rough_distance_folded(run, rough, planes[TOP].rough, of.fold_sign);
            } else {
                distance[part] = rough_distance(run, rough, rows);
            }
            bits = lower_bound_bits(distance[part], slack[part]);
        }
        raise_lower_bound(sh, of, bits);
    }
    /* 2. The lower bounds of all runs are complete: defer runs that may exceed them. */
    __syncthreads();
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        if ((part == BELOW && skip >= s) || (part == ABOVE && skip + RUN_ROWS - 1 <= s) || distance[part] < 0) continue;
        row_span rows;
        const int which = rows_of_part<TWOS>(run, p, part, &rows);
        if (distance[part] + slack[part] <=
            bi_f32_from_bits(sh.lower_bound[planes[which].y / 8 * 9 + planes[which].x / 8]))
            continue;
        defer_exact(sh, run, tile_x, tile_y, p.square * 6 + which, rows);
        if (part == HALVES) defer_exact(sh, run, tile_x, tile_y, p.square * 6 + TOP, {rows.to, 2 * s - skip});
    }
}

/* Makes the planes of triangle `which` of square `number` of s = 8, 16 or 32. */
__device__ __forceinline__ void make_small_plane(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x,
                                                 int tile_y, int number, int which)
{
    const int twos = number < 16 ? 3 : number < 20 ? 4 : 5, s = 1 << twos, across = TILE / 2 / s;
    const int at = number - (twos == 3 ? 0 : twos == 4 ? 16 : 20), u = at % across * 2 * s, v = at / across * 2 * s;
    const square q = load_square(sh, tile_x, tile_y, u, v, twos);
    small_plane &to = sh.small[number][which];
    int x, y;
    const bool exists = find_middle(a.grid, tile_x, tile_y, u, v, s, which, &x, &y);
    to.exact = plane_of_triangle(q, which);
    to.rough = make_rough_plane(to.exact, tile_x, tile_y, (double)sh.z[0]);
    to.x = (short)(exists ? x : -1);
    to.y = (short)y;
    /* Above the diagonal the top's plane is the higher one if the top's corner lies above the bottom's plane. */
    const double corner = q.rising ? q.corner[2] : q.corner[3], opposite = q.rising ? q.corner[1] : q.corner[0];
    const double ends = q.rising ? q.corner[0] + q.corner[3] : q.corner[1] + q.corner[2];
    to.fold_sign = corner + opposite > ends ? 1.0f : -1.0f;
}

/* Makes the planes of kind k: for even k the halves of the one square of s = 1 << (6 + k / 2) that contains the tile,
 * for odd k its quarters. At most two of each cover the tile; where one does, half[1] is unused. One thread calls it
 * for each kind; make_planes adds the rough planes. Planes without a slot are not used. Heights come from a.from, as
 * other tiles may not be copied yet. */
__device__ __forceinline__ void make_large_planes(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x,
                                                  int tile_y, int k)
{
    const bi_terrain_grid &g = a.grid;
    const int twos = 6 + k / 2, s = 1 << twos, x = tile_x & ~(2 * s - 1), y = tile_y & ~(2 * s - 1);
    /* 1. The square. Heights outside the raster are not read. */
    const int u = tile_x - x, v = tile_y - y; /* the tile's corner in the square */
    const bool middle = x + s <= g.last_x && y + s <= g.last_y;
    const bool east = middle && x + 2 * s <= g.last_x, north = middle && y + 2 * s <= g.last_y;
    const auto at = [&](int i, int j, bool exists) {
        return exists ? (double)a.from[(y + j) * a.stride + x + i] : 0.0;
    };
    const square q = {
        (double)x,        (double)y,
        (double)s,        {at(0, 0, middle), at(2 * s, 0, east), at(0, 2 * s, north), at(2 * s, 2 * s, east && north)},
        at(s, s, middle), (((x >> (twos + 1)) + (y >> (twos + 1))) & 1) == 0};
    /* 2. The tile's position relative to the diagonals of the square. */
    large_planes &to = sh.large[k];
    const bool on_rising = u == v, on_falling = u + v + TILE == 2 * s;
    const bool below_rising = u >= v, below_falling = u + v + TILE <= 2 * s; /* of the first half of the tile */
    /* 3. The triangles that cover the tile, and the slots of their diamonds. */
    if (k % 2 == 0) {
        to.diagonal = q.rising ? on_rising : 2 * on_falling;
        const int first = q.rising ? !below_rising : !below_falling;
        to.half[0] = half_plane(q, first);
        to.half[1] = half_plane(q, !first);
        to.slot[0] = to.slot[1] = east && north ? bi_terrain_slot(&g, x + s, y + s) : -1;
        return;
    }
    to.diagonal = on_rising ? 1 : 2 * on_falling;
    for (int half = 0; half < 2; half++) {
        const bool low = on_rising && half ? false : below_rising, near = on_falling && half ? false : below_falling;
        const int side = low ? near ? SOUTH : RIGHT : near ? LEFT : NORTH;
        const bool exists = middle && (side == LEFT ? north : side == SOUTH ? east : east && north);
        to.half[half] = quarter_plane(q, side);
        to.slot[half] = !exists         ? -1
                        : side == LEFT  ? bi_terrain_slot(&g, x, y + s)
                        : side == RIGHT ? bi_terrain_slot(&g, x + 2 * s, y + s)
                        : side == SOUTH ? bi_terrain_slot(&g, x + s, y)
                                        : bi_terrain_slot(&g, x + s, y + 2 * s);
    }
}

/* The rows of a run that triangle `half` covers. */
__device__ __forceinline__ row_span rows_in_half(const large_planes &of, int half, const column_run &run)
{
    const int at = (of.diagonal == 2 ? TILE - run.column : run.column) - run.begin;
    return {of.diagonal && half ? at : 0, of.diagonal && !half ? at : TILE};
}

/* Measures the triangles larger than the tile: both kinds of a size at a time, at most four triangles. */
__device__ __forceinline__ void measure_large_triangles(errors_shared &sh, const column_run &run, int tile_x,
                                                        int tile_y, int sizes)
{
    for (int k = 0; k < sizes; k += 2) {
        float distance[4];
        /* 1. Distances in floats; the largest certain one of a warp raises the lower bound of the triangle. */
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const large_planes &of = sh.large[k + i / 2];
            distance[i] = 0;
            if (of.slot[i % 2] < 0 || (i % 2 && !of.diagonal)) continue;
            const rough_plane p = of.rough[i % 2];
            if (!run.repeated) distance[i] = rough_distance(run, p, rows_in_half(of, i % 2, run));
            const uint32_t warp_bound = bi_warp_max(lower_bound_bits(distance[i], rounding_slack(run, p)));
            if (threadIdx.x % 32 == 0 && warp_bound) atomicMax(&sh.large_lower_bound[k + i / 2][i % 2], warp_bound);
        }
        /* 2. The lower bounds of all warps are complete: defer runs that may exceed them. */
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const large_planes &of = sh.large[k + i / 2];
            if (of.slot[i % 2] < 0 || (i % 2 && !of.diagonal) || run.repeated) continue;
            const float bound = bi_f32_from_bits(sh.large_lower_bound[k + i / 2][i % 2]);
            if (distance[i] + rounding_slack(run, of.rough[i % 2]) <= bound) continue;
            defer_exact(sh, run, tile_x, tile_y, SMALL_SQUARES * 6 + 2 * k + i, rows_in_half(of, i % 2, run));
        }
    }
}

/* Reads the tile, copies it to the terrain, and finds its first sample that is NaN or infinite. */
__device__ __forceinline__ void read_tile(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y)
{
    const bi_terrain_grid &g = a.grid;
    unsigned long long bad = ~0ull;
    for (int i = (int)threadIdx.x; i < TILE_SIDE * TILE_SIDE; i += THREADS) {
        const int cx = i % TILE_SIDE, cy = i / TILE_SIDE, x = tile_x + cx, y = tile_y + cy;
        const bool in = x <= g.last_x && y <= g.last_y;
        const float z = in ? a.from[y * a.stride + x] : 0;
        sh.z[i] = z;
        sh.error[i] = 0;
        if (!in || (cx == TILE && x < g.last_x) || (cy == TILE && y < g.last_y)) continue; /* of the next tile */
        a.to[(int64_t)y * g.width + x] = z;
        if ((bi_f32_bits(z) & 0x7f800000u) == 0x7f800000u) {
            const unsigned long long sample = (unsigned long long)y * (unsigned)g.width + (unsigned)x;
            bad = sample < bad ? sample : bad;
        }
    }
    if (bad != ~0ull) atomicMin(&sh.bad, bad);
}

/* Finds the lowest and highest sample of each cell of 8 x 8 intervals, by four lanes each. */
__device__ __forceinline__ void bound_cells(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y)
{
    if (threadIdx.x >= 256) return; /* whole warps */
    const int cell = (int)threadIdx.x / 4, x = cell % 8 * 8, y = cell / 8 * 8;
    const int right = bi_terrain_min(x + 8, a.grid.last_x - tile_x),
              top = bi_terrain_min(y + 8, a.grid.last_y - tile_y);
    bi_terrain_bound bound = bi_terrain_empty_bound();
    for (int cy = y + (int)threadIdx.x % 4; cy <= top; cy += 4)
        for (int cx = x; cx <= right; cx++)
            bi_terrain_extend_bound(&bound, {sh.z[cy * TILE_SIDE + cx], sh.z[cy * TILE_SIDE + cx]});
    for (int d = 2; d > 0; d /= 2)
        bi_terrain_extend_bound(&bound, {__shfl_xor_sync(~0u, bound.low, d), __shfl_xor_sync(~0u, bound.high, d)});
    if (threadIdx.x % 4 == 0) sh.bound[cell] = bound;
}

/* Writes these bounds, and those of the larger cells up to the tile: 64 + 16 + 4 + 1 cells, a thread each. For larger
 * ones see bi_terrain_cuda_nest_errors. */
__device__ __forceinline__ void write_bounds(const bi_terrain_raster_build &a, const errors_shared &sh, int tile_x,
                                             int tile_y)
{
    const int i = (int)threadIdx.x, level = i < 64 ? 3 : i < 80 ? 4 : i < 84 ? 5 : 6;
    if (i >= 85 || level > a.bounds.top) return;
    const int number = i - (level == 3 ? 0 : level == 4 ? 64 : level == 5 ? 80 : 84), across = TILE >> level;
    const int cx = number % across, cy = number / across, each = 1 << (level - 3);
    bi_terrain_bound bound = bi_terrain_empty_bound();
    for (int y = cy * each; y < (cy + 1) * each; y++)
        for (int x = cx * each; x < (cx + 1) * each; x++) bi_terrain_extend_bound(&bound, sh.bound[y * 8 + x]);
    const int column = (tile_x >> level) + cx, row = (tile_y >> level) + cy;
    const int columns = bi_terrain_cell_count(a.grid.last_x, level);
    if (column < columns && row < bi_terrain_cell_count(a.grid.last_y, level))
        a.bounds.cells[a.bounds.first[level] + (int64_t)row * columns + column] = bound;
}

/* Makes the planes of all triangles of s >= 8 that cover the tile, and clears their bounds. Lower bounds of large
 * triangles start from the errors that other tiles have stored: a smaller distance needs no exact measurement. */
__device__ __forceinline__ void make_planes(const bi_terrain_raster_build &a, errors_shared &sh, int tile_x, int tile_y,
                                            int sizes)
{
    const int i = (int)threadIdx.x;
    if (i == 0) sh.deferred_count = 0;
    if (i < 9 * 9) sh.lower_bound[i] = 0;
    if (i < SMALL_SQUARES * 6) make_small_plane(a, sh, tile_x, tile_y, i / 6, i % 6);
    const int k = i - THREADS / 2; /* other threads than those with a small plane */
    if (k < 0 || k >= sizes) return;
    make_large_planes(a, sh, tile_x, tile_y, k);
    for (int half = 0; half < 2; half++) {
        const long long slot = sh.large[k].slot[half];
        sh.large[k].rough[half] = make_rough_plane(sh.large[k].half[half], tile_x, tile_y, (double)sh.z[0]);
        sh.large_published[k][half] = sh.large_lower_bound[k][half] = slot < 0 ? 0 : bi_load_relaxed(a.errors + slot);
        sh.large_max[k][half] = 0;
    }
}

/* One block a tile. a.errors is 0 and *a.bad all ones before; a.bad NULL: not checked. g.side is 6 or more, and roots
 * are squares. Levels of bounds above that of the tile are left to bi_terrain_cuda_nest_errors. */
static __global__ void __launch_bounds__(THREADS, 4) bi_terrain_tile_errors(const bi_terrain_raster_build a)
{
    BI_SHARED(errors_shared, sh);
    const int across = (a.grid.last_x + TILE - 1) / TILE, sizes = 2 * (a.grid.side - 6);
    const int tile_x = (int)blockIdx.x % across * TILE, tile_y = (int)blockIdx.x / across * TILE;
    /* 1. Read the tile. */
    if (threadIdx.x == 0) sh.bad = ~0ull;
    __syncthreads(); /* sh.bad is set before any thread lowers it */
    read_tile(a, sh, tile_x, tile_y);
    __syncthreads(); /* all samples are in shared memory */
    if (threadIdx.x == 0 && a.bad && sh.bad != ~0ull) bi_atomic_min_u64(a.bad, sh.bad);
    /* 2. Exact errors of s = 1, 2 and 4; planes and bounds for what follows. */
    bound_cells(a, sh, tile_x, tile_y);
    make_planes(a, sh, tile_x, tile_y, sizes);
    measure_small_squares<2>(a, sh, tile_x, tile_y);
    measure_small_squares<1>(a, sh, tile_x, tile_y);
    measure_smallest_squares(a, sh, tile_x, tile_y);
    __syncthreads(); /* planes and bounds of cells of all threads are visible */
    /* 3. Larger triangles in floats, then the deferred runs in doubles. */
    write_bounds(a, sh, tile_x, tile_y);
    const column_run run = load_run(sh.z);
    measure_middle_squares<3>(sh, run, tile_x, tile_y);
    measure_middle_squares<4>(sh, run, tile_x, tile_y);
    measure_middle_squares<5>(sh, run, tile_x, tile_y);
    measure_large_triangles(sh, run, tile_x, tile_y, sizes);
    __syncthreads(); /* the list of deferred runs is complete */
    for (uint32_t i = threadIdx.x; i < sh.deferred_count && i < MAX_DEFERRED; i += THREADS)
        measure_exactly(sh, tile_x, tile_y, sh.deferred[i]);
    __syncthreads(); /* all errors are final */
    /* 4. Write the errors. */
    for (int i = (int)threadIdx.x; i < TILE_SIDE * TILE_SIDE; i += THREADS) {
        const int cx = i % TILE_SIDE, cy = i / TILE_SIDE;
        if (sh.error[i] == 0) continue;
        uint32_t *to = a.errors + bi_terrain_slot(&a.grid, tile_x + cx, tile_y + cy);
        if (cx > 0 && cx < TILE && cy > 0 && cy < TILE)
            *to = sh.error[i];
        else
            bi_atomic_max_u32(to, sh.error[i]); /* half of the diamond is in another tile */
    }
    const int k = (int)threadIdx.x / 2, half = (int)threadIdx.x % 2;
    if (k < sizes && sh.large_max[k][half] > sh.large_published[k][half])
        bi_atomic_max_u32(a.errors + sh.large[k].slot[half], sh.large_max[k][half]);
}

bosc_status bi_terrain_cuda_tile_errors(bosc_ctx *ctx, const bi_terrain_raster_build *a)
{
    const unsigned across = (unsigned)bi_div_up(a->grid.last_x, TILE), down = (unsigned)bi_div_up(a->grid.last_y, TILE);
    return BI_RUN(ctx, bi_terrain_tile_errors, across * down, THREADS, 0, *a);
}
