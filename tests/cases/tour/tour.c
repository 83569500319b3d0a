/* Tours: shorter ones, beside the shortest of few points, and lower bounds. */
#include "reference/tour.h"
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/tour.h>

enum shape { UNIFORM, LATTICE, LINE, EQUAL, CLUSTERS, SHAPES };

static void draw(struct suite_random *r, enum shape shape, int64_t n, int64_t dim, double *points)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < dim; c++) {
            const double x = suite_unit(r);
            points[i * dim + c] = shape == UNIFORM   ? x
                                  : shape == LATTICE ? floor(4 * x)
                                  : shape == LINE    ? (c == 0 ? x : 0.5)
                                  : shape == EQUAL   ? 3
                                                     : floor(3 * suite_unit(r)) * 100 + x;
        }
}

/* Shuffles a tour that begins with its own first row. */
static void shuffle(struct suite_random *r, int64_t n, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = (int64_t)suite_below(r, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

static void check_tour(int64_t n, const int64_t *order, int64_t first)
{
    uint8_t *is_there = suite_alloc((size_t)n);
    memset(is_there, 0, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        CHECK(order[i] >= 0 && order[i] < n && !is_there[order[i]]);
        is_there[order[i]] = 1;
    }
    if (n > 0) CHECK_EQ(order[0], first);
    free(is_there);
}

static bool is_near(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); }

static double distance_of(const double *points, int64_t a, int64_t b)
{
    return hypot(points[2 * a] - points[2 * b], points[2 * a + 1] - points[2 * b + 1]);
}

/* True if b is among the 10 nearest points of a. */
static bool is_listed(const double *points, int64_t n, int64_t a, int64_t b)
{
    int64_t nearer = 0;
    for (int64_t i = 0; i < n; i++) nearer += i != a && distance_of(points, a, i) < distance_of(points, a, b);
    return nearer < 10;
}

/* True if replacing two edges of the tour would shorten it, and one of the new ones is shorter than the old one at an
 * end whose list has the other end. */
static bool has_two_opt_move(const double *points, int64_t n, const int64_t *order, int64_t i, int64_t j)
{
    const int64_t a[] = {order[i], order[i + 1], order[j], order[(j + 1) % n]};
    const double first = distance_of(points, a[0], a[1]), second = distance_of(points, a[2], a[3]),
                 third = distance_of(points, a[0], a[2]), fourth = distance_of(points, a[1], a[3]);
    if (first + second - third - fourth <= 1e-9) return false;
    return (third < first && is_listed(points, n, a[0], a[2])) || (fourth < first && is_listed(points, n, a[1], a[3]));
}

/* Few points, beside the shortest tour. */
static void few_points(bosc_ctx *ctx)
{
    double bounds = 0, lengths = 0, shortest = 0;
    struct suite_random r = {1};
    for (int64_t n = 0; n <= REFERENCE_TOUR_POINTS; n++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int dim = 1; dim <= 3; dim++) {
                double points[3 * REFERENCE_TOUR_POINTS], length = -1, bound = -1;
                int64_t order[REFERENCE_TOUR_POINTS];
                const bosc_tour_search_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = dim, .kicks = 20};
                draw(&r, (enum shape)shape, n, dim, points);
                shuffle(&r, n, order);
                const int64_t first = n ? order[0] : 0;
                const double before = reference_tour_length(points, n, dim, order),
                             least = reference_shortest_tour(points, n, dim);
                CHECK_OK(ctx, bosc_tour_improve(ctx, points, n, 0, &o, order, &length));
                CHECK_OK(ctx, bosc_tour_bound(ctx, points, n, 0, &o, &bound));
                check_tour(n, order, first);
                CHECK(is_near(length, reference_tour_length(points, n, dim, order)));
                CHECK(length <= before * (1 + 1e-12) && length >= least * (1 - 1e-12));
                CHECK(bound <= least && bound >= (dim == 1 || shape == LINE ? 1 : 0.5) * least * (1 - 1e-9));
                for (int64_t i = 0; dim == 2 && i < n - 1; i++)
                    for (int64_t j = i + 1; j < n; j++) CHECK(!has_two_opt_move(points, n, order, i, j));
                if (shape != UNIFORM || n < 3) continue;
                bounds += bound;
                lengths += length;
                shortest += least;
            }
    CHECK(lengths < 1.01 * shortest); /* kicks find nearly all shortest tours */
    CHECK(bounds > 0.97 * shortest);
}

/* Uniform points: the tour is near the bound, and no 2-opt move of near points remains. */
static void near_the_bound(bosc_ctx *ctx)
{
    struct suite_random r = {2};
    const int64_t n = 2000;
    double *points = suite_alloc((size_t)n * 16), length, kicked, bound;
    int64_t *order = suite_alloc((size_t)n * 8), moves = 0;
    bosc_tour_search_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 2, .kicks = -1};
    draw(&r, UNIFORM, n, 2, points);
    shuffle(&r, n, order);
    const int64_t first = order[0];
    CHECK_OK(ctx, bosc_tour_improve(ctx, points, n, 0, &o, order, &length));
    check_tour(n, order, first);
    for (int64_t i = 0; i < n - 1; i++)
        for (int64_t j = i + 1; j < n; j++) moves += has_two_opt_move(points, n, order, i, j);
    CHECK_EQ(moves, 0);
    o.kicks = 0;
    CHECK_OK(ctx, bosc_tour_improve(ctx, points, n, 0, &o, order, &kicked));
    CHECK_OK(ctx, bosc_tour_bound(ctx, points, n, 0, &o, &bound));
    CHECK(kicked < length && length < 1.12 * bound && kicked < 1.05 * bound && kicked >= bound);
    free(points);
    free(order);
}

/* Several windows: the same tour for any number of threads, and on the CPU. */
static void any_threads(bosc_ctx *ctx)
{
    struct suite_random r = {3};
    const int64_t n = suite_slow(ctx) ? 20500 : 41000;
    float *points = suite_alloc((size_t)n * 12);
    uint32_t *orders[3];
    double lengths[3], bounds[3];
    const bosc_tour_search_opts o = {
        .size = sizeof o, .dim = 2, .id_bits = 32, .kicks = suite_slow(ctx) ? -1 : 1, .rounds = 3};
    for (int64_t e = 0; e < 3 * n; e++) points[e] = (float)suite_unit(&r);
    for (int k = 0; k < 3; k++) {
        bosc_ctx_opts opts = {.size = sizeof opts, .threads = 2 * k - 1};
        bosc_ctx *other = k ? suite_open(&opts) : ctx;
        orders[k] = suite_alloc((size_t)n * 4);
        for (int64_t i = 0; i < n; i++) orders[k][i] = (uint32_t)i;
        CHECK_OK(other, bosc_tour_improve(other, points, n, 3, &o, orders[k], &lengths[k]));
        CHECK_OK(other, bosc_tour_bound(other, points, n, 3, &o, &bounds[k]));
        CHECK(memcmp(orders[k], orders[0], (size_t)n * 4) == 0);
        CHECK(lengths[k] == lengths[0] && bounds[k] == bounds[0]);
        if (k) bosc_ctx_free(other);
    }
    for (int k = 0; k < 3; k++) free(orders[k]);
    free(points);
}

/* Many copies of few points: as short as a tour of these, near their bound, and each after its first one. */
static void many_copies(bosc_ctx *ctx)
{
    enum { N = 3000, SIDE = 6 };
    struct suite_random r = {5};
    static float points[2 * N];
    static int64_t order[N];
    const bosc_tour_search_opts o = {.size = sizeof o, .dim = 2};
    double length, bound;
    for (int e = 0; e < 2 * N; e++) points[e] = (float)suite_below(&r, SIDE);
    shuffle(&r, N, order);
    const int64_t first = order[0];
    CHECK_OK(ctx, bosc_tour_improve(ctx, points, N, 0, &o, order, &length));
    CHECK_OK(ctx, bosc_tour_bound(ctx, points, N, 0, &o, &bound));
    check_tour(N, order, first);
    CHECK(length >= SIDE * SIDE && length < SIDE * SIDE + 2);
    CHECK(bound <= length && bound > 0.97 * SIDE * SIDE);
    int64_t legs = 0;
    for (int64_t i = 0; i < N; i++) {
        const int64_t a = order[i], b = order[(i + 1) % N];
        legs += points[2 * a] != points[2 * b] || points[2 * a + 1] != points[2 * b + 1];
    }
    CHECK_EQ(legs, SIDE * SIDE);
}

/* Every type; coordinates near both ends of the range of doubles. */
static void types_and_scales(bosc_ctx *ctx)
{
    enum { N = 50 };
    struct suite_random r = {4};
    double doubles[2 * N], scaled[2 * N], length, other, bound, other_bound;
    float floats[2 * N];
    int32_t ints[2 * N];
    int64_t longs[2 * N], order[N], expected[N];
    const void *const arrays[] = {floats, doubles, ints, longs};
    const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    bosc_tour_search_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 2};
    /* 1. The same numbers in every type. */
    for (int e = 0; e < 2 * N; e++) {
        longs[e] = ints[e] = (int32_t)suite_below(&r, 1000) - 500;
        floats[e] = (float)ints[e];
        doubles[e] = ints[e];
    }
    for (int i = 0; i < N; i++) expected[i] = i;
    CHECK_OK(ctx, bosc_tour_improve(ctx, doubles, N, 0, &o, expected, &length));
    CHECK_OK(ctx, bosc_tour_bound(ctx, doubles, N, 0, &o, &bound));
    for (int k = 0; k < 4; k++) {
        o.dtype = dtypes[k];
        for (int i = 0; i < N; i++) order[i] = i;
        CHECK_OK(ctx, bosc_tour_improve(ctx, arrays[k], N, 0, &o, order, &other));
        CHECK(memcmp(order, expected, sizeof order) == 0 && other == length);
    }
    /* 2. Multiplied by powers of two. */
    o.dtype = BOSC_F64;
    for (int exponent = -1000; exponent <= 1000; exponent += 2000) {
        for (int e = 0; e < 2 * N; e++) scaled[e] = ldexp(doubles[e], exponent);
        for (int i = 0; i < N; i++) order[i] = i;
        CHECK_OK(ctx, bosc_tour_improve(ctx, scaled, N, 0, &o, order, &other));
        CHECK_OK(ctx, bosc_tour_bound(ctx, scaled, N, 0, &o, &other_bound));
        CHECK(memcmp(order, expected, sizeof order) == 0 && other == ldexp(length, exponent));
        CHECK(other_bound == ldexp(bound, exponent));
    }
}

/* A sum of 1,024 squares whose additions all round up; a tour that is longer than the greatest double. */
static void bounds_below_rounding(bosc_ctx *ctx)
{
    enum { DIM = 1024 };
    static double points[3 * DIM];
    const double far[] = {0, 0, 0x1.8p1023, 0, -0x1.8p1023, 0};
    bosc_tour_search_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = DIM};
    int64_t order[] = {0, 1, 2};
    double bound, length;
    for (int e = DIM; e < 3 * DIM; e++) points[e] = e % DIM ? 0x1.6a09ep-28 * (1 + 1e-6) : 0.5;
    for (int64_t n = 2; n <= 3; n++) {
        CHECK_OK(ctx, bosc_tour_bound(ctx, points, n, 0, &o, &bound));
        CHECK(bound > 1 - 0x1p-40 && bound < 1 + 0x1p-44); /* the length is 1 + 1023 * 2^-54 */
    }
    o.dim = 2;
    CHECK_OK(ctx, bosc_tour_improve(ctx, far, 3, 0, &o, order, &length));
    CHECK_OK(ctx, bosc_tour_bound(ctx, far, 3, 0, &o, &bound));
    CHECK(length == INFINITY && bound == DBL_MAX);
}

static void bad_arguments(bosc_ctx *ctx)
{
    const bosc_tour_search_opts good = {.size = sizeof good, .dim = 1, .dtype = BOSC_F64};
    bosc_tour_search_opts o = good;
    double points[] = {0, 5, 1}, length = 7, bound = 7;
    int64_t order[] = {0, 1, 2};
    /* 1. Arguments. */
    CHECK_ARG(ctx, bosc_tour_improve(ctx, points, 3, 0, NULL, order, &length), "opts");
    CHECK_ARG(ctx, bosc_tour_improve(ctx, NULL, 3, 0, &good, order, &length), "points");
    CHECK_ARG(ctx, bosc_tour_improve(ctx, points, 3, 0, &good, NULL, &length), "order");
    CHECK_ARG(ctx, bosc_tour_improve(ctx, points, -1, 0, &good, order, &length), "n");
    CHECK_ARG(ctx, bosc_tour_improve(ctx, points, ((int64_t)1 << 31) + 1, 0, &good, order, &length), "n");
    CHECK_ARG(ctx, bosc_tour_improve(ctx, points, 3, -1, &good, order, &length), "stride");
    CHECK_ARG(ctx, bosc_tour_improve(ctx, points, 3, INT64_MAX / 16, &good, order, &length), "stride");
    CHECK_ARG(ctx, bosc_tour_improve(ctx, (char *)points + 1, 2, 0, &good, order, &length), "points");
    CHECK_ARG(ctx, bosc_tour_bound(ctx, points, 3, 0, &good, NULL), "bound");
    CHECK_ARG(ctx, bosc_tour_bound(ctx, points, 3, 0, NULL, &bound), "opts");
    /* 2. Options. */
    o.dim = 0;
    CHECK_ARG(ctx, bosc_tour_bound(ctx, points, 3, 0, &o, &bound), "opts: dim");
    o = good;
    o.dtype = BOSC_U32;
    CHECK_ARG(ctx, bosc_tour_bound(ctx, points, 3, 0, &o, &bound), "opts: dtype");
    o = good;
    o.kicks = -2;
    CHECK_ARG(ctx, bosc_tour_improve(ctx, points, 3, 0, &o, order, &length), "opts: kicks");
    o = good;
    o.rounds = -1;
    CHECK_ARG(ctx, bosc_tour_bound(ctx, points, 3, 0, &o, &bound), "opts: rounds");
    o = good;
    o.id_bits = 16;
    CHECK_ARG(ctx, bosc_tour_improve(ctx, points, 3, 0, &o, order, &length), "opts: id_bits");
    /* 3. Orders and points. */
    order[1] = 2;
    CHECK_STATUS(ctx, bosc_tour_improve(ctx, points, 3, 0, &good, order, &length), BOSC_ERR_DATA);
    CHECK(strstr(bosc_ctx_message(ctx), "order: position 2 has row 2 again"));
    order[1] = 3;
    CHECK_STATUS(ctx, bosc_tour_improve(ctx, points, 3, 0, &good, order, &length), BOSC_ERR_DATA);
    CHECK(strstr(bosc_ctx_message(ctx), "order: position 1 has 3, not a row of 3"));
    order[1] = 1;
    points[1] = INFINITY;
    CHECK_STATUS(ctx, bosc_tour_improve(ctx, points, 3, 0, &good, order, &length), BOSC_ERR_DATA);
    CHECK(strstr(bosc_ctx_message(ctx), "points: coordinate 0 of row 1"));
    points[1] = NAN;
    CHECK_STATUS(ctx, bosc_tour_bound(ctx, points, 3, 0, &good, &bound), BOSC_ERR_DATA);
    CHECK(order[0] == 0 && order[1] == 1 && order[2] == 2 && length == 7 && bound == 7);
}

static const struct suite_case suite_cases_tour[] = {{"few points", few_points, NULL},
                                                     {"near the bound", near_the_bound, NULL},
                                                     {"any threads", any_threads, NULL},
                                                     {"many copies", many_copies, NULL},
                                                     {"types and scales", types_and_scales, NULL},
                                                     {"bounds below rounding", bounds_below_rounding, NULL},
                                                     {"bad arguments", bad_arguments, NULL}};
SUITE(tour);
