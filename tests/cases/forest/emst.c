/* Euclidean minimum spanning trees equal that of the complete graph with edges ordered by (squared length, i, j). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"

struct edge {
    double dist2;
    int64_t i, j;
};

static bool edge_less(const struct edge *a, const struct edge *b)
{
    if (a->dist2 != b->dist2) return a->dist2 < b->dist2;
    return a->i != b->i ? a->i < b->i : a->j < b->j;
}

/* Prim's method over all pairs. core: squared core distances; NULL: Euclidean lengths. */
static void reference_emst(const struct reference_points *p, const double *core, struct edge *tree)
{
    struct edge *best = suite_alloc((size_t)(p->n + 1) * sizeof *best);
    bool *in = suite_alloc((size_t)p->n + 1);
    memset(in, 0, (size_t)p->n + 1);
    int64_t at = 0;
    for (int64_t v = 0; v < p->n; v++) best[v] = (struct edge){INFINITY, INT64_MAX, INT64_MAX};
    for (int64_t t = 0; t + 1 < p->n; t++) {
        int64_t next = -1;
        in[at] = true;
        for (int64_t v = 0; v < p->n; v++) {
            if (in[v]) continue;
            struct edge e = {reference_dist2(p, v, kd_row(p, at)), at < v ? at : v, at < v ? v : at};
            if (core) e.dist2 = fmax(e.dist2, fmax(core[v], core[at]));
            if (edge_less(&e, &best[v])) best[v] = e;
            if (next < 0 || edge_less(&best[v], &best[next])) next = v;
        }
        tree[t] = best[next];
        at = next;
    }
    free(best);
    free(in);
}

static int by_ends(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return a->j < b->j ? -1 : a->j > b->j;
}

static void check_emst(bosc_ctx *ctx, const struct reference_points *p, int32_t id_bits, bool lengths)
{
    int64_t edges = p->n > 0 ? p->n - 1 : 0;
    struct edge *tree = suite_alloc((size_t)(edges + 1) * sizeof *tree);
    void *pairs = suite_alloc((size_t)(2 * edges) * 8), *dist2 = suite_alloc((size_t)edges * 8);
    CHECK_OK(ctx, bosc_emst_compute(ctx, p->data, p->n, p->stride,
                                    &(bosc_emst_opts){sizeof(bosc_emst_opts), p->dtype, p->dim, id_bits}, pairs,
                                    lengths ? dist2 : NULL));
    reference_emst(p, NULL, tree);
    qsort(tree, (size_t)edges, sizeof *tree, by_ends);
    for (int64_t e = 0; e < edges; e++) {
        CHECK_EQ(kd_id(pairs, id_bits, 2 * e), tree[e].i);
        CHECK_EQ(kd_id(pairs, id_bits, 2 * e + 1), tree[e].j);
        if (!lengths) continue;
        double d = p->dtype == BOSC_F32 ? (double)((float *)dist2)[e] : ((double *)dist2)[e];
        CHECK(d == tree[e].dist2);
    }
    free(tree);
    free(pairs);
    free(dist2);
}

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static void reference_cores(const struct reference_points *p, int64_t min_samples, double *core)
{
    double *row = suite_alloc((size_t)p->n * sizeof *row);
    for (int64_t i = 0; i < p->n; i++) {
        for (int64_t j = 0; j < p->n; j++) row[j] = reference_dist2(p, j, kd_row(p, i));
        qsort(row, (size_t)p->n, sizeof *row, by_value);
        core[i] = row[min_samples - 1];
    }
    free(row);
}

static void check_mutual(bosc_ctx *ctx, const struct reference_points *p, int64_t min_samples, int32_t id_bits)
{
    const bosc_emst_opts o = {sizeof o, p->dtype, p->dim, id_bits};
    const bosc_dtype type = p->dtype == BOSC_F32 ? BOSC_F32 : BOSC_F64;
    struct edge *tree = suite_alloc((size_t)p->n * sizeof *tree);
    double *core = suite_alloc((size_t)p->n * sizeof *core);
    void *pairs = suite_alloc((size_t)(2 * p->n) * 8), *dist2 = suite_alloc((size_t)p->n * 8),
         *core_dist2 = suite_alloc((size_t)p->n * 8);
    CHECK_OK(ctx, bosc_emst_compute_mutual(ctx, p->data, p->n, p->stride, &o, min_samples, pairs, dist2, core_dist2));
    reference_cores(p, min_samples, core);
    reference_emst(p, core, tree);
    qsort(tree, (size_t)(p->n - 1), sizeof *tree, by_ends);
    for (int64_t i = 0; i < p->n; i++) CHECK(kd_get(core_dist2, type, i) == core[i]);
    for (int64_t e = 0; e < p->n - 1; e++) {
        CHECK_EQ(kd_id(pairs, id_bits, 2 * e), tree[e].i);
        CHECK_EQ(kd_id(pairs, id_bits, 2 * e + 1), tree[e].j);
        CHECK(kd_get(dist2, type, e) == tree[e].dist2);
    }
    free(tree);
    free(core);
    free(pairs);
    free(dist2);
    free(core_dist2);
}

/* All shapes of points, and lists of all lengths: up to all points, and beyond the entries that count. */
static void mutual_reachability(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    struct suite_random r = {16};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 8; t++) {
            if (suite_leaves_out()) continue;
            const int64_t n = 1 + (int64_t)suite_below(&r, suite_slow(ctx) ? 60 : 300);
            struct reference_points p =
                kd_ordinary_points(&r, dtypes[t % 4], 1 + (int32_t)suite_below(&r, 6), n, 6, (enum kd_shape)s);
            const int64_t most = t < 6 && n > 9 ? 9 : n;
            check_mutual(ctx, &p, 1 + (int64_t)suite_below(&r, (uint64_t)most), t % 2 ? 32 : 64);
            free((void *)p.data);
        }
    struct reference_points p = kd_ordinary_points(&r, BOSC_F32, 2, 400, 2, KD_RANDOM);
    check_mutual(ctx, &p, 270, 64);
    check_mutual(ctx, &p, 400, 64);
    free((void *)p.data);
}

/* Many equal points: all at one place, at a few, or beside others; lists shorter and longer than their groups. */
static void mutual_copies(bosc_ctx *ctx)
{
    static const int64_t samples[] = {1, 2, 5, 90, 500};
    struct suite_random r = {17};
    for (int t = 0; t < 30; t++) {
        if (suite_leaves_out()) continue;
        const int64_t n = suite_slow(ctx) ? 300 : 600, places = t % 3 == 0 ? 1 : t % 3 == 1 ? 3 : 40;
        const bosc_dtype dtype = t % 2 ? BOSC_F64 : BOSC_F32;
        void *data = suite_alloc((size_t)n * 16);
        for (int64_t i = 0; i < n; i++) {
            const int64_t place = suite_below(&r, 8) == 0 && places > 1
                                      ? 100 + (int64_t)suite_below(&r, 300)
                                      : (int64_t)suite_below(&r, (uint64_t)places / 8 + 1);
            kd_set(data, dtype, 2 * i, (double)(place % 20) * 3);
            kd_set(data, dtype, 2 * i + 1, (double)(place / 20));
        }
        const struct reference_points p = {dtype, 2, n, 2, data};
        const int64_t min_samples = samples[t % 5];
        check_mutual(ctx, &p, min_samples < n ? min_samples : n, t % 2 ? 32 : 64);
        free(data);
    }
}

static void mutual_arguments(bosc_ctx *ctx)
{
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 1, 64};
    float points[4] = {0, 1, 3, 7}, dist2[4] = {9, 9, 9, 9}, core[4] = {9, 9, 9, 9};
    int64_t pairs[6];
    CHECK_EQ(bosc_emst_compute_mutual(NULL, points, 4, 0, &o, 2, pairs, dist2, core), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_emst_compute_mutual(ctx, points, 4, 0, &o, 0, pairs, dist2, core), "min_samples");
    CHECK_ARG(ctx, bosc_emst_compute_mutual(ctx, points, 4, 0, &o, 5, pairs, dist2, core), "min_samples");
    /* Lists of neighbours of min_samples and 8 more have an int32_t length; the points are not read. */
    const int64_t most = INT32_MAX - 8;
    CHECK_STATUS(ctx, bosc_emst_compute_mutual(ctx, points, most + 9, 0, &o, most + 1, pairs, dist2, core),
                 BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "min_samples"));
    CHECK_ARG(ctx, bosc_emst_compute_mutual(ctx, points, 4, 0, &o, 2, NULL, dist2, core), "pairs");
    CHECK_ARG(ctx, bosc_emst_compute_mutual(ctx, points, 4, 0, &o, 2, pairs, (char *)dist2 + 1, core), "dist2");
    CHECK_ARG(ctx, bosc_emst_compute_mutual(ctx, points, 4, 0, &o, 2, pairs, dist2, (char *)core + 2), "core_dist2");
    CHECK_ARG(ctx, bosc_emst_compute_mutual(ctx, NULL, 4, 0, &o, 2, pairs, dist2, core), "points");
    CHECK(dist2[0] == 9 && core[0] == 9);
    CHECK_OK(ctx, bosc_emst_compute_mutual(ctx, points, 1, 0, &o, 1, NULL, NULL, core));
    CHECK(core[0] == 0 && core[1] == 9);
    CHECK_OK(ctx, bosc_emst_compute_mutual(ctx, points, 0, 0, &o, 3, NULL, NULL, core));
    CHECK_OK(ctx, bosc_emst_compute_mutual(ctx, points, 4, 0, &o, 2, pairs, NULL, NULL));
}

static void all_types_and_dimensions(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    struct suite_random r = {11};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 4; t++) {
            if (suite_leaves_out()) continue;
            int32_t dim = 1 + (int32_t)suite_below(&r, 5);
            int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 60 : 300);
            struct reference_points p = kd_ordinary_points(&r, dtypes[t], dim, n, dim + t % 2, (enum kd_shape)s);
            check_emst(ctx, &p, t % 2 ? 32 : 64, s % 2 == 0);
            free((void *)p.data);
        }
}

/* More dimensions than boxes have: full blocks of lanes and others, ties and copies; plain and under mutual
 * reachability. */
static void many_dimensions(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {2, 3, 31, 32, 33, 64, 65, 150};
    static const int32_t dims[] = {17, 20, 64};
    struct suite_random r = {17};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 8; t++) {
            if (suite_leaves_out()) continue;
            const int64_t n = sizes[suite_slow(ctx) ? t % 5 : t];
            const int32_t dim = dims[(s + t) % 3];
            struct reference_points p =
                kd_ordinary_points(&r, t % 2 ? BOSC_F64 : BOSC_F32, dim, n, dim + t % 3, (enum kd_shape)s);
            check_emst(ctx, &p, t % 2 ? 64 : 32, true);
            check_mutual(ctx, &p, 1 + (int64_t)suite_below(&r, (uint64_t)(n < 9 ? n : 9)), 64);
            free((void *)p.data);
        }
}

/* Points on a line in many dimensions: their neighbours are few, so that searches serve them. */
static void line_in_many_dimensions(bosc_ctx *ctx)
{
    enum { DIM = 20 };
    const int64_t n = suite_slow(ctx) ? 1500 : 4000;
    double *data = suite_alloc((size_t)(n * DIM) * sizeof *data);
    int64_t *pairs = suite_alloc((size_t)(2 * n) * sizeof *pairs);
    const bosc_emst_opts o = {sizeof o, BOSC_F64, DIM, 64};
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < DIM; c++) data[i * DIM + c] = (double)(i * 1009 % n * (c + 1));
    CHECK_OK(ctx, bosc_emst_compute(ctx, data, n, 0, &o, pairs, NULL));
    for (int64_t e = 0; e < n - 1; e++) {
        const int64_t step = llabs(pairs[2 * e] * 1009 % n - pairs[2 * e + 1] * 1009 % n);
        CHECK_EQ(step, 1);
    }
    free(data);
    free(pairs);
}

/* Multiplies random points by 2^exponent: pairs stay, and so do squared lengths times 4^exponent, if they fit. */
static void check_scaled(bosc_ctx *ctx, bosc_dtype dtype, int exponent, bool fits)
{
    enum { N = 40, DIM = 3 };
    const bosc_emst_opts o = {sizeof o, dtype, DIM, 64};
    struct suite_random r = {15};
    struct reference_points p = kd_points(&r, dtype, DIM, N, DIM, KD_RANDOM);
    int64_t pairs[2 * (N - 1)], scaled_pairs[2 * (N - 1)];
    char dist2[N * 8], scaled_dist2[N * 8];
    CHECK_OK(ctx, bosc_emst_compute(ctx, p.data, N, 0, &o, pairs, dist2));
    for (int i = 0; i < N * DIM; i++) kd_set((void *)p.data, dtype, i, ldexp(kd_get(p.data, dtype, i), exponent));
    CHECK_OK(ctx, bosc_emst_compute(ctx, p.data, N, 0, &o, scaled_pairs, NULL));
    CHECK(memcmp(pairs, scaled_pairs, sizeof pairs) == 0);
    memset(scaled_pairs, 7, sizeof scaled_pairs);
    CHECK_STATUS(ctx, bosc_emst_compute(ctx, p.data, N, 0, &o, scaled_pairs, scaled_dist2),
                 fits ? BOSC_OK : BOSC_ERR_LIMIT);
    if (!fits)
        CHECK(suite_begins(bosc_ctx_message(ctx), "points: the squared length") &&
              scaled_pairs[0] == 0x0707070707070707);
    for (int e = 0; e < N - 1 && fits; e++)
        CHECK(kd_get(scaled_dist2, dtype, e) == ldexp(kd_get(dist2, dtype, e), 2 * exponent));
    free((void *)p.data);
}

static void magnitudes(bosc_ctx *ctx)
{
    static const struct {
        bosc_dtype dtype;
        int exponent;
        bool fits;
    } cases[] = {{BOSC_F32, 50, true},    {BOSC_F32, -50, true},   {BOSC_F32, 80, false},  {BOSC_F32, -100, false},
                 {BOSC_F32, 117, false},  {BOSC_F64, 500, true},   {BOSC_F64, -470, true}, {BOSC_F64, 700, false},
                 {BOSC_F64, 1013, false}, {BOSC_F64, -1000, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_scaled(ctx, cases[i].dtype, cases[i].exponent, cases[i].fits);
    /* Points that differ by too little beside the largest: also where scaling makes them equal. */
    static const float near[] = {0x1p-100f, 0x1p-149f};
    for (int i = 0; i < 2; i++) {
        const float x[] = {0x1p126f, 0, near[i], -0x1p126f};
        int64_t pairs[6];
        CHECK_STATUS(
            ctx,
            bosc_emst_compute(ctx, x, 4, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 1, 64}, pairs, NULL),
            BOSC_ERR_LIMIT);
        CHECK(strncmp(bosc_ctx_message(ctx), "points: those of edge", 21) == 0);
    }
}

static void fewer_than_12_points(bosc_ctx *ctx)
{
    struct suite_random r = {12};
    for (int64_t n = 0; n < 12; n++) {
        struct reference_points p = kd_points(&r, BOSC_F32, 2, n, 2, n % 2 ? KD_GRID : KD_RANDOM);
        check_emst(ctx, &p, 64, true);
        free((void *)p.data);
    }
}

/* Points for which the list of a few nearest neighbours does not determine the tree: distant groups of equal or
 * clustered points; a grid, all of whose edges are equally long; a line on which each point is nearest to its
 * predecessor; rings with small gaps between their points and large ones between rings, as in scans of the ground. */
enum far_shape { FAR_EQUAL, FAR_CLUSTERS, FAR_GRID, FAR_LINE, FAR_RINGS, FAR_SHAPES };

static double far_value(struct suite_random *r, enum far_shape shape, int64_t n, int64_t i, int32_t c)
{
    const double ring = 1 + (double)(i % 5), angle = (double)(i * 7919 % 997);
    int64_t group = i % 23, side = 1;
    while (side * side < n) side++;
    switch (shape) {
    case FAR_EQUAL: return (double)(group * group % (7 + c) * 1000);
    case FAR_CLUSTERS: return (double)(group * group % (7 + c) * 1000) + (double)suite_below(r, 64);
    case FAR_GRID: return (double)(c == 0 ? i % side : c == 1 ? i / side : 0);
    case FAR_RINGS: return floor(1000 * ring * (c == 0 ? cos(angle) : c == 1 ? sin(angle) : ring / 100));
    default: return (double)(c == 0 ? (n - i) * (n - i + 1) / 2 : 0);
    }
}

static void far_apart(bosc_ctx *ctx)
{
    struct suite_random r = {14};
    for (int s = 0; s < FAR_SHAPES; s++)
        for (int t = 0; t < 6; t++) {
            if (suite_leaves_out()) continue;
            static const bosc_dtype dtypes[] = {BOSC_F64, BOSC_F32, BOSC_I64, BOSC_F32, BOSC_F64, BOSC_F32};
            const int32_t dim = t < 3 ? t + 1 : t == 5 ? 4 : 3;
            const bosc_dtype dtype = dtypes[t];
            int64_t n = suite_slow(ctx) ? 150 : 600;
            void *data = suite_alloc((size_t)(n * dim) * 8);
            for (int64_t e = 0; e < n * dim; e++)
                kd_set(data, dtype, e, far_value(&r, (enum far_shape)s, n, e / dim, (int32_t)(e % dim)));
            check_emst(ctx, &(struct reference_points){dtype, dim, n, dim, data}, 64, true);
            free(data);
        }
}

/* Points with many copies. NEAR: neighbouring places are at distance 0 too, as squares underflow. INFINITE: equal
 * points at infinite distance. */
enum copies { COPIES_ALL, COPIES_FEW_PLACES, COPIES_HALF, COPIES_ZEROS, COPIES_NEAR, COPIES_INFINITE, COPIES_SHAPES };

static double copies_value(struct suite_random *r, enum copies shape, bosc_dtype dtype, int64_t places, int64_t e,
                           int32_t dim)
{
    const int64_t i = e / dim, c = e % dim, place = i * 7 % places;
    const double step = dtype == BOSC_F32 ? 2e-23 : 1.2e-162; /* its square rounds to 0, that of two steps does not */
    switch (shape) {
    case COPIES_ALL: return 7.25;
    case COPIES_FEW_PLACES: return (double)(c == 0 ? place * 3 : place % 3);
    case COPIES_HALF: return i % 2 ? 3 : suite_unit(r) * 1000;
    case COPIES_ZEROS: return i % 3 == 2 ? 5 : (i / 3 + c) % 2 ? -0.0 : 0.0;
    case COPIES_NEAR: return i == 0 ? 1 : c == 0 ? (double)(i * 5 % 7) * step : 0;
    default: return i % 3 ? 4 : c == 0 ? (double)INFINITY : (double)(i % 2);
    }
}

static struct reference_points copies_of(enum copies shape, bosc_dtype dtype, int32_t dim, int64_t n, int64_t places)
{
    struct suite_random r = {15};
    void *data = suite_alloc((size_t)(n * dim) * 8);
    for (int64_t e = 0; e < n * dim; e++) kd_set(data, dtype, e, copies_value(&r, shape, dtype, places, e, dim));
    return (struct reference_points){dtype, dim, n, dim, data};
}

/* More copies of a point than a leaf or a block of the tree holds; fewer and more than are joined first. */
static void copies_of_points(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    const bool slow = suite_slow(ctx);
    for (int s = 0; s < COPIES_SHAPES; s++)
        for (int t = 0; t < 8; t++) {
            if (suite_leaves_out()) continue;
            const int64_t n = t < 4 ? (slow ? 600 : 2500) : 90;
            struct reference_points p = copies_of((enum copies)s, dtypes[t % 4], 1 + (s + t) % 3, n, slow ? 2 : 10);
            check_emst(ctx, &p, t % 2 ? 32 : 64, t % 3 != 0);
            free((void *)p.data);
        }
}

/* Large integers that round to the same double are at distance 0. */
/* So many copies that searches which measure all of them around each would take minutes. */
static void copies_in_linear_time(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 300 : 60000;
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 2, 32};
    float *data = suite_alloc((size_t)(2 * n) * sizeof *data), *dist2 = suite_alloc((size_t)n * sizeof *dist2);
    uint32_t *pairs = suite_alloc((size_t)(2 * n) * sizeof *pairs);
    for (int64_t i = 0; i < 2 * n; i++) data[i] = 7;
    for (int64_t min_samples = 0; min_samples <= 5; min_samples += 5) {
        if (min_samples)
            CHECK_OK(ctx, bosc_emst_compute_mutual(ctx, data, n, 0, &o, min_samples, pairs, dist2, NULL));
        else
            CHECK_OK(ctx, bosc_emst_compute(ctx, data, n, 0, &o, pairs, dist2));
        for (int64_t e = 0; e < n - 1; e++) CHECK(pairs[2 * e] == 0 && pairs[2 * e + 1] == e + 1 && dist2[e] == 0);
        CHECK_OK(ctx, bosc_emst_verify(ctx, data, n, 0, &o, min_samples, pairs, NULL));
    }
    free(data);
    free(dist2);
    free(pairs);
}

static void copies_as_doubles(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 600 : 2500;
    int64_t *data = suite_alloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) data[i] = ((int64_t)1 << 62) + i * 7919 % n;
    check_emst(ctx, &(struct reference_points){BOSC_I64, 1, n, 1, data}, 64, true);
    free(data);
}

struct labelled {
    struct reference_points points;
    bosc_kdtree *tree;
    int32_t id_bits;
    int64_t labels[400], ids[400];
    uint32_t labels32[400], ids32[400]; /* likewise, for trees with ids of 32 bits */
    double bounds[400], dist2[400];
};

/* Compares the nearest point with another label with a plain search over all points. */
static void check_others(bosc_ctx *ctx, struct labelled *t, bool bounded)
{
    const struct reference_points *p = &t->points;
    const bool is_32bit = t->id_bits == 32;
    for (int64_t i = 0; i < p->n; i++) t->labels32[i] = (uint32_t)t->labels[i];
    CHECK_OK(ctx,
             bosc_kdtree_nearest_other(ctx, t->tree, is_32bit ? (void *)t->labels32 : t->labels,
                                       bounded ? t->bounds : NULL, is_32bit ? (void *)t->ids32 : t->ids, t->dist2));
    for (int64_t i = 0; i < p->n && is_32bit; i++) t->ids[i] = t->ids32[i] == UINT32_MAX ? -1 : (int64_t)t->ids32[i];
    for (int64_t i = 0; i < p->n; i++) {
        struct edge best = {INFINITY, -1, -1};
        for (int64_t j = 0; j < p->n; j++) {
            double d = reference_dist2(p, j, kd_row(p, i));
            if (t->labels[j] == t->labels[i] || (bounded && d > t->bounds[i])) continue;
            if (best.j < 0 || d < best.dist2) best = (struct edge){d, i, j};
        }
        CHECK_EQ(t->ids[i], best.j);
        CHECK(t->dist2[i] == best.dist2);
    }
}

/* Labels at random, or by position, so that whole subtrees share one; all rows, some or none are queried. */
static void check_labels(bosc_ctx *ctx, struct suite_random *r, struct labelled *t, double scale)
{
    const int64_t n = t->points.n;
    for (int placed = 0; placed < 2; placed++) {
        for (int64_t i = 0; i < n; i++) {
            double x = kd_get(t->points.data, BOSC_F64, 3 * i);
            t->labels[i] = placed ? (x > 0) + (x > 100) : (int64_t)suite_below(r, 3);
            t->bounds[i] = ((double)suite_below(r, 4) - 1) * scale;
        }
        for (int bounded = 0; bounded < 2; bounded++) check_others(ctx, t, bounded);
    }
    for (int64_t i = 0; i < n; i++) t->bounds[i] = -1;
    check_others(ctx, t, true);
    for (int64_t i = 0; i < n; i++) t->labels[i] = 7;
    check_others(ctx, t, false);
}

/* Trees with ids of 64 bits, and of 32, which CUDA searches by another kernel. */
static void nearest_of_another_label(bosc_ctx *ctx)
{
    struct suite_random r = {13};
    struct labelled *t = suite_alloc(sizeof *t);
    for (int k = 0; k < 2 * KD_SHAPES; k++) {
        const enum kd_shape shape = (enum kd_shape)(k / 2);
        t->id_bits = k % 2 ? 32 : 64;
        t->points = kd_ordinary_points(&r, BOSC_F64, 3, suite_slow(ctx) ? 80 : 400, 3, shape);
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = 3, .id_bits = t->id_bits};
        t->tree = kd_build(ctx, &opts, &t->points);
        check_labels(ctx, &r, t, shape == KD_RANDOM ? 10000 : 1);
        bosc_kdtree_free(t->tree);
        free((void *)t->points.data);
    }
    free(t);
}

static void bad_arguments(bosc_ctx *ctx)
{
    float points[8] = {0, 1, 2, 3, 4, 5, 6, NAN}, dist2[4];
    int64_t pairs[8];
    CHECK_EQ(
        bosc_emst_compute(NULL, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, pairs, NULL),
        BOSC_ERR_ARG);
    /* Type of the points and dimension. */
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_U32, 2, 64}, pairs, NULL),
        "opts");
    CHECK_ARG(ctx,
              bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), (bosc_dtype)99, 2, 64},
                                pairs, NULL),
              "opts");
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 0, 64}, pairs, NULL),
        "opts");
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, -1, 64}, pairs, NULL),
        "opts");
    CHECK_ARG(ctx,
              bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 1025, 64}, pairs,
                                NULL),
              "opts");
    /* Pointers, alignment, numbers and stride. */
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, NULL, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, pairs, NULL),
        "points");
    CHECK_ARG(ctx,
              bosc_emst_compute(ctx, (char *)points + 1, 2, 0,
                                &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, pairs, NULL),
              "points");
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, -1, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, pairs, NULL),
        "n");
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, 2, 1, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, pairs, NULL),
        "stride");
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, 2, -2, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, pairs, NULL),
        "stride");
    /* Width of the ids, and outputs. */
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 8}, pairs, NULL),
        "opts");
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 16}, pairs, NULL),
        "opts");
    CHECK_ARG(
        ctx,
        bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, NULL, NULL),
        "pairs");
    CHECK_ARG(ctx,
              bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64},
                                (char *)pairs + 4, NULL),
              "pairs");
    CHECK_ARG(ctx,
              bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 32},
                                (char *)pairs + 2, NULL),
              "pairs");
    CHECK_ARG(ctx,
              bosc_emst_compute(ctx, points, 2, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, pairs,
                                (char *)dist2 + 2),
              "dist2");
    /* A NaN is reported with its row; 0 and 1 points need no output. */
    CHECK_STATUS(
        ctx,
        bosc_emst_compute(ctx, points, 4, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, pairs, NULL),
        BOSC_ERR_DATA);
    CHECK(strstr(bosc_ctx_message(ctx), "3") != NULL);
    CHECK_OK(ctx, bosc_emst_compute(ctx, NULL, 0, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, NULL,
                                    NULL));
    CHECK_OK(ctx, bosc_emst_compute(ctx, points, 1, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, 2, 64}, NULL,
                                    NULL));
}

static const struct suite_case suite_cases_emst[] = {
    {"shapes", all_types_and_dimensions, NULL},
    {"small", fewer_than_12_points, NULL},
    {"far apart", far_apart, NULL},
    {"others", nearest_of_another_label, NULL},
    {"copies", copies_of_points, NULL},
    {"linear time", copies_in_linear_time, NULL},
    {"doubles", copies_as_doubles, NULL},
    {"mutual reachability", mutual_reachability, NULL},
    {"mutual copies", mutual_copies, NULL},
    {"mutual arguments", mutual_arguments, NULL},
    {"bad arguments", bad_arguments, NULL},
    {"magnitudes", magnitudes, NULL},
    {"many dimensions", many_dimensions, NULL},
    {"line", line_in_many_dimensions, NULL},
};
SUITE(emst);
