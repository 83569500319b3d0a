/* Minimum spanning trees under Minkowski distances equal those of the complete graph with edges ordered by
 * (length, i, j). Distances are those of bosc_kdtree_knn_metric, which other suites compare with plain ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"

struct order_edge {
    double length;
    int64_t i, j;
};

static bool comes_before(const struct order_edge *a, const struct order_edge *b)
{
    if (a->length != b->length) return a->length < b->length;
    return a->i != b->i ? a->i < b->i : a->j < b->j;
}

static int by_points(const void *x, const void *y)
{
    const struct order_edge *a = x, *b = y;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return a->j < b->j ? -1 : a->j > b->j;
}

/* Writes the distances of all pairs (n x n), and the core distances. */
static void measure_pairs(bosc_ctx *ctx, const double *rows, int64_t n, int32_t dim, double p, int64_t min_samples,
                          double *d, double *core)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = dim, .id_bits = 64};
    const bosc_kdtree_query_opts by = {.size = sizeof by, .p = p, .self = 1};
    int64_t *ids = suite_alloc((size_t)(n * n) * sizeof *ids);
    double *sorted = suite_alloc((size_t)(n * n) * sizeof *sorted);
    bosc_kdtree *tree;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, rows, n, 0));
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, tree, NULL, n, 0, n, &by, ids, sorted));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++) d[i * n + ids[i * n + k]] = sorted[i * n + k];
        core[i] = min_samples ? sorted[i * n + min_samples - 1] : 0;
    }
    bosc_kdtree_free(tree);
    free(ids);
    free(sorted);
}

/* Prim's method over all pairs. */
static void join_pairs(int64_t n, const double *d, const double *core, struct order_edge *tree)
{
    struct order_edge *best = suite_alloc((size_t)n * sizeof *best);
    bool *in = suite_alloc((size_t)n);
    int64_t at = 0;
    memset(in, 0, (size_t)n);
    for (int64_t v = 0; v < n; v++) best[v] = (struct order_edge){INFINITY, INT64_MAX, INT64_MAX};
    for (int64_t t = 0; t + 1 < n; t++) {
        int64_t next = -1;
        in[at] = true;
        for (int64_t v = 0; v < n; v++) {
            if (in[v]) continue;
            const struct order_edge e = {fmax(d[at * n + v], fmax(core[v], core[at])), at < v ? at : v,
                                         at < v ? v : at};
            if (comes_before(&e, &best[v])) best[v] = e;
            if (next < 0 || comes_before(&best[v], &best[next])) next = v;
        }
        tree[t] = best[next];
        at = next;
    }
    free(best);
    free(in);
}

/* A call's points and tree, and all pairs. */
struct order_trial {
    const struct reference_points *points;
    bosc_emst_opts opts;
    double order;
    int64_t min_samples;
    void *pairs;
    const double *d, *core;
};

static struct order_edge edge_of(const struct order_trial *t, int64_t i, int64_t j)
{
    const double length = t->d[i * t->points->n + j];
    return (struct order_edge){fmax(length, fmax(t->core[i], t->core[j])), i < j ? i : j, i < j ? j : i};
}

static struct order_edge row_of(const struct order_trial *t, const void *pairs, int64_t row)
{
    return edge_of(t, kd_id(pairs, t->opts.id_bits, 2 * row), kd_id(pairs, t->opts.id_bits, 2 * row + 1));
}

/* side[v]: 1 for the vertices that the tree without the row connects with its first end. */
static void find_side(const struct order_trial *t, int64_t row, uint8_t *side)
{
    const int64_t n = t->points->n;
    bool grows = true;
    memset(side, 0, (size_t)n);
    side[row_of(t, t->pairs, row).i] = 1;
    while (grows) {
        grows = false;
        for (int64_t e = 0; e < n - 1; e++) {
            const struct order_edge edge = row_of(t, t->pairs, e);
            if (e == row || side[edge.i] == side[edge.j]) continue;
            side[edge.i] = side[edge.j] = 1;
            grows = true;
        }
    }
}

/* The replacement of every row is the first of all other pairs across its cut. */
static void check_replacements(bosc_ctx *ctx, const struct order_trial *t)
{
    const struct reference_points *p = t->points;
    const int64_t n = p->n;
    void *found = suite_alloc((size_t)(2 * n) * 8);
    double *lengths = suite_alloc((size_t)n * sizeof *lengths);
    uint8_t *side = suite_alloc((size_t)n);
    CHECK_OK(ctx, bosc_emst_find_replacements_minkowski(ctx, p->data, n, p->stride, &t->opts, t->order, t->min_samples,
                                                        t->pairs, found, lengths));
    for (int64_t row = 0; row < n - 1 && n > 2; row += 1 + n / 40) {
        const struct order_edge own = row_of(t, t->pairs, row), got = row_of(t, found, row);
        struct order_edge best = {INFINITY, INT64_MAX, INT64_MAX};
        find_side(t, row, side);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                const struct order_edge e = edge_of(t, i, j);
                if (side[i] != side[j] && !(i == own.i && j == own.j) && comes_before(&e, &best)) best = e;
            }
        CHECK(got.i == best.i && got.j == best.j && lengths[row] == best.length);
    }
    free(found);
    free(lengths);
    free(side);
}

/* The proof accepts the tree; of a star it names an edge that a better one replaces. */
static void check_proof(bosc_ctx *ctx, const struct order_trial *t, const struct order_edge *tree)
{
    const struct reference_points *p = t->points;
    struct order_trial star = *t;
    bosc_emst_fault fault = {.size = sizeof fault, .row = 7};
    bool is_tree = true;
    /* 1. The tree. */
    CHECK_OK(ctx, bosc_emst_verify_minkowski(ctx, p->data, p->n, p->stride, &t->opts, t->order, t->min_samples,
                                             t->pairs, &fault));
    CHECK_EQ(fault.row, -1);
    /* 2. The star. */
    star.pairs = suite_alloc((size_t)(2 * p->n) * 8);
    for (int64_t e = 0; e < 2 * (p->n - 1); e++) {
        const int64_t id = e % 2 ? 0 : e / 2 + 1;
        if (t->opts.id_bits == 64)
            ((int64_t *)star.pairs)[e] = id;
        else
            ((uint32_t *)star.pairs)[e] = (uint32_t)id;
    }
    for (int64_t e = 0; e < p->n - 1; e++) is_tree &= tree[e].i == 0;
    if (!is_tree) {
        CHECK_STATUS(ctx,
                     bosc_emst_verify_minkowski(ctx, p->data, p->n, p->stride, &t->opts, t->order, t->min_samples,
                                                star.pairs, &fault),
                     BOSC_ERR_DATA);
        CHECK(fault.row >= 0 && fault.row < p->n - 1);
        const struct order_edge own = row_of(&star, star.pairs, fault.row),
                                better = edge_of(t, fault.better[0], fault.better[1]);
        CHECK(own.length == fault.dist2 && better.length == fault.better_dist2 && comes_before(&better, &own));
        CHECK(better.i == own.j || better.j == own.j);
    }
    check_replacements(ctx, &star);
    free(star.pairs);
}

static void check_order(bosc_ctx *ctx, const struct reference_points *p, double order, int64_t min_samples,
                        int32_t id_bits)
{
    const bosc_emst_opts o = {sizeof o, p->dtype, p->dim, id_bits};
    const int64_t n = p->n;
    const size_t size = (size_t)(n + 1) * sizeof(double);
    double *rows = suite_alloc(size * (size_t)p->dim), *d = suite_alloc(size * (size_t)n), *core = suite_alloc(size),
           *lengths = suite_alloc(size), *own = suite_alloc(size);
    struct order_edge *tree = suite_alloc((size_t)n * sizeof *tree);
    void *pairs = suite_alloc((size_t)(2 * n) * 8);
    /* 1. The call, and the tree of all pairs. */
    CHECK_OK(ctx, bosc_emst_compute_minkowski(ctx, p->data, n, p->stride, &o, order, min_samples, pairs, lengths, own));
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < p->dim; c++) rows[i * p->dim + c] = kd_get(p->data, p->dtype, i * p->stride + c);
    measure_pairs(ctx, rows, n, p->dim, order, min_samples, d, core);
    join_pairs(n, d, core, tree);
    qsort(tree, (size_t)(n - 1), sizeof *tree, by_points);
    /* 2. Compare them. */
    for (int64_t i = 0; i < n && min_samples; i++) CHECK(own[i] == core[i]);
    for (int64_t e = 0; e < n - 1; e++) {
        CHECK_EQ(kd_id(pairs, id_bits, 2 * e), tree[e].i);
        CHECK_EQ(kd_id(pairs, id_bits, 2 * e + 1), tree[e].j);
        CHECK(lengths[e] == tree[e].length);
    }
    /* 3. The proof, and replacements. */
    const struct order_trial t = {p, o, order, min_samples, pairs, d, core};
    check_proof(ctx, &t, tree);
    check_replacements(ctx, &t);
    free(rows);
    free(d);
    free(core);
    free(lengths);
    free(own);
    free(tree);
    free(pairs);
}

/* All shapes without infinite coordinates, types and kinds of orders; plain and under mutual reachability. */
static void orders(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const double all[] = {1, INFINITY, 3, 1.5};
    struct suite_random r = {81};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 16; t++) {
            if (suite_leaves_out() || s == KD_SPECIAL) continue;
            const int64_t n = 1 + (int64_t)suite_below(&r, suite_slow(ctx) ? 40 : 200);
            const int32_t dim = t == 15 ? 19 : 1 + (int32_t)suite_below(&r, 6);
            struct reference_points p = kd_ordinary_points(&r, dtypes[t % 4], dim, n, dim + 1, (enum kd_shape)s);
            const int64_t most = n > 9 ? 9 : n, min_samples = t % 3 ? 1 + (int64_t)suite_below(&r, (uint64_t)most) : 0;
            check_order(ctx, &p, all[t / 4], min_samples, t % 2 ? 32 : 64);
            free((void *)p.data);
        }
}

/* Order 2 gives the Euclidean tree of the points as doubles, and roots of its squared lengths. */
static void order_2(bosc_ctx *ctx)
{
    enum { N = 150 };
    struct suite_random r = {82};
    for (int t = 0; t < 4; t++) {
        struct reference_points p = kd_ordinary_points(&r, BOSC_F64, 3, N, 3, t % 2 ? KD_CLUSTERS : KD_HUGE);
        const bosc_emst_opts o = {sizeof o, BOSC_F64, 3, 64};
        int64_t pairs[2 * N], by_squares[2 * N], other[2 * N];
        bosc_emst_fault fault[2] = {{.size = sizeof fault[0]}, {.size = sizeof fault[0]}};
        double lengths[N], squares[N], core[N], squared_core[N];
        const int64_t min_samples = 1 + t;
        CHECK_OK(ctx, bosc_emst_compute_minkowski(ctx, p.data, N, 0, &o, 2, min_samples, pairs, lengths, core));
        CHECK_OK(ctx, bosc_emst_compute_mutual(ctx, p.data, N, 0, &o, min_samples, by_squares, squares, squared_core));
        CHECK(memcmp(pairs, by_squares, 2 * (N - 1) * sizeof *pairs) == 0);
        for (int i = 0; i < N - 1; i++) CHECK(lengths[i] == sqrt(squares[i]));
        for (int i = 0; i < N; i++) CHECK(core[i] == sqrt(squared_core[i]));
        /* The proof, and replacements. */
        CHECK_OK(ctx, bosc_emst_verify_minkowski(ctx, p.data, N, 0, &o, 2, min_samples, pairs, NULL));
        CHECK_OK(ctx, bosc_emst_find_replacements(ctx, p.data, N, 0, &o, min_samples, pairs, by_squares, squares));
        CHECK_OK(ctx,
                 bosc_emst_find_replacements_minkowski(ctx, p.data, N, 0, &o, 2, min_samples, pairs, other, lengths));
        CHECK(memcmp(other, by_squares, 2 * (N - 1) * sizeof *pairs) == 0);
        for (int i = 0; i < N - 1; i++) CHECK(lengths[i] == sqrt(squares[i]));
        for (int i = 0; i < N - 1; i++) {
            pairs[2 * i] = i;
            pairs[2 * i + 1] = i + 1;
        }
        CHECK_STATUS(ctx, bosc_emst_verify(ctx, p.data, N, 0, &o, min_samples, pairs, &fault[0]), BOSC_ERR_DATA);
        CHECK_STATUS(ctx, bosc_emst_verify_minkowski(ctx, p.data, N, 0, &o, 2, min_samples, pairs, &fault[1]),
                     BOSC_ERR_DATA);
        CHECK_EQ(fault[0].row, fault[1].row);
        CHECK(fault[1].dist2 == sqrt(fault[0].dist2) && fault[1].better_dist2 == sqrt(fault[0].better_dist2));
        free((void *)p.data);
    }
}

/* Order 2 gives lengths where their squares overflow or underflow: those of the points times a power of two. */
static void order_2_far(bosc_ctx *ctx)
{
    enum { N = 120 };
    const bosc_emst_opts o = {sizeof o, BOSC_F64, 3, 64};
    struct suite_random r = {83};
    for (int t = 0; t < 4; t++) {
        const int exponent = t % 2 ? 650 : -650;
        struct reference_points p = kd_ordinary_points(&r, BOSC_F64, 3, N, 3, KD_CLUSTERS);
        int64_t pairs[2 * N], far_pairs[2 * N], found[2 * N];
        double far[3 * N], lengths[N], far_lengths[N], core[N], far_core[N];
        const int64_t min_samples = t / 2 ? 3 : 0;
        for (int i = 0; i < 3 * N; i++) far[i] = ldexp(((const double *)p.data)[i], exponent);
        CHECK_OK(ctx, bosc_emst_compute_minkowski(ctx, p.data, N, 0, &o, 2, min_samples, pairs, lengths, core));
        CHECK_OK(ctx,
                 bosc_emst_compute_minkowski(ctx, far, N, 0, &o, 2, min_samples, far_pairs, far_lengths, far_core));
        CHECK(memcmp(pairs, far_pairs, 2 * (N - 1) * sizeof *pairs) == 0);
        for (int i = 0; i < N - 1; i++) CHECK(far_lengths[i] == ldexp(lengths[i], exponent));
        for (int i = 0; i < N && min_samples; i++) CHECK(far_core[i] == ldexp(core[i], exponent));
        /* The proof, and replacements. */
        CHECK_OK(ctx, bosc_emst_verify_minkowski(ctx, far, N, 0, &o, 2, min_samples, pairs, NULL));
        CHECK_OK(ctx,
                 bosc_emst_find_replacements_minkowski(ctx, p.data, N, 0, &o, 2, min_samples, pairs, found, lengths));
        CHECK_OK(ctx, bosc_emst_find_replacements_minkowski(ctx, far, N, 0, &o, 2, min_samples, pairs, far_pairs,
                                                            far_lengths));
        CHECK(memcmp(found, far_pairs, 2 * (N - 1) * sizeof *pairs) == 0);
        for (int i = 0; i < N - 1; i++) CHECK(far_lengths[i] == ldexp(lengths[i], exponent));
        free((void *)p.data);
    }
}

static void order_arguments(bosc_ctx *ctx)
{
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 2, 64};
    float points[] = {0, 1, 3, 7, 9, 9, 2, 5}, infinite[] = {0, 1, 3, INFINITY, 9, 9, 2, 5}, missing[8] = {0, NAN};
    double lengths[4] = {9, 9, 9, 9}, core[4] = {9, 9, 9, 9};
    int64_t pairs[6];
    /* 1. Arguments. */
    CHECK_EQ(bosc_emst_compute_minkowski(NULL, points, 4, 0, &o, 1, 2, pairs, lengths, core), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, 4, 0, &o, 0.5, 2, pairs, lengths, core), "p");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, 4, 0, &o, NAN, 2, pairs, lengths, core), "p");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, 4, 0, &o, 1, -1, pairs, lengths, core), "min_samples");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, 4, 0, &o, 1, 5, pairs, lengths, core), "min_samples");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, 4, 1, &o, 1, 2, pairs, lengths, core), "stride");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, 4, -2, &o, 1, 2, pairs, lengths, core), "stride");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, 4, INT64_MAX / 4, &o, 1, 2, pairs, lengths, core),
              "points");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, NULL, 4, 0, &o, 1, 2, pairs, lengths, core), "points");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, (char *)points + 1, 4, 0, &o, 1, 2, pairs, lengths, core),
              "points");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, -1, 0, &o, 1, 2, pairs, lengths, core), "n");
    CHECK_ARG(ctx, bosc_emst_compute_minkowski(ctx, points, 4, 0, &o, 1, 2, NULL, lengths, core), "pairs");
    CHECK_ARG(ctx,
              bosc_emst_compute_minkowski(ctx, points, 4, 0, &o, 1, 2, pairs, (double *)((char *)lengths + 4), core),
              "lengths");
    CHECK_ARG(ctx,
              bosc_emst_compute_minkowski(ctx, points, 4, 0, &o, 1, 2, pairs, lengths, (double *)((char *)core + 2)),
              "core_distances");
    /* 2. Points. */
    CHECK_STATUS(ctx, bosc_emst_compute_minkowski(ctx, infinite, 4, 0, &o, 1, 2, pairs, lengths, core), BOSC_ERR_LIMIT);
    CHECK(strcmp(bosc_ctx_message(ctx), "points: row 1 has an infinite coordinate") == 0);
    CHECK_STATUS(ctx, bosc_emst_compute_minkowski(ctx, missing, 4, 0, &o, 1, 2, pairs, lengths, core), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_emst_compute_minkowski(ctx, points, UINT32_MAX, 0, &o, 1, 2, pairs, lengths, core),
                 BOSC_ERR_LIMIT);
    CHECK(lengths[0] == 9 && core[0] == 9);
    /* 3. Few points, and no outputs. */
    CHECK_OK(ctx, bosc_emst_compute_minkowski(ctx, points, 1, 0, &o, 1, 1, NULL, NULL, core));
    CHECK(core[0] == 0 && core[1] == 9);
    CHECK_OK(ctx, bosc_emst_compute_minkowski(ctx, NULL, 0, 0, &o, 1, 0, NULL, NULL, NULL));
    CHECK_OK(ctx, bosc_emst_compute_minkowski(ctx, points, 4, 0, &o, 1, 2, pairs, NULL, NULL));
}

static void proof_arguments(bosc_ctx *ctx)
{
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 2, 64};
    float points[] = {0, 1, 3, 7, 9, 9, 2, 5}, infinite[] = {0, 1, 3, INFINITY, 9, 9, 2, 5}, missing[8] = {0, NAN};
    const int64_t pairs[6] = {0, 1, 1, 2, 2, 3}, loop[6] = {0, 1, 1, 0, 2, 3}, outside[6] = {0, 1, 1, 2, 2, 4};
    int64_t found[6] = {9};
    double lengths[4] = {9};
    bosc_emst_fault fault = {.size = sizeof fault, .row = 7};
    /* 1. Proofs. */
    CHECK_EQ(bosc_emst_verify_minkowski(NULL, points, 4, 0, &o, 1, 2, pairs, &fault), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_emst_verify_minkowski(ctx, points, 4, 0, &o, 0.5, 2, pairs, &fault), "p");
    CHECK_ARG(ctx, bosc_emst_verify_minkowski(ctx, points, 4, 0, &o, 1, 5, pairs, &fault), "min_samples");
    CHECK_ARG(ctx, bosc_emst_verify_minkowski(ctx, points, 4, 1, &o, 1, 2, pairs, &fault), "stride");
    CHECK_ARG(ctx, bosc_emst_verify_minkowski(ctx, NULL, 4, 0, &o, 1, 2, pairs, &fault), "points");
    CHECK_ARG(ctx, bosc_emst_verify_minkowski(ctx, points, 4, 0, &o, 1, 2, NULL, &fault), "pairs");
    CHECK_ARG(ctx, bosc_emst_verify_minkowski(ctx, points, 4, 0, NULL, 1, 2, pairs, &fault), "opts");
    CHECK_STATUS(ctx, bosc_emst_verify_minkowski(ctx, infinite, 4, 0, &o, 1, 2, pairs, &fault), BOSC_ERR_LIMIT);
    CHECK_EQ(fault.row, 7);
    CHECK_STATUS(ctx, bosc_emst_verify_minkowski(ctx, missing, 4, 0, &o, 1, 2, pairs, &fault), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_emst_verify_minkowski(ctx, points, 4, 0, &o, 1, 0, loop, &fault), BOSC_ERR_DATA);
    CHECK_EQ(fault.row, 1);
    CHECK_STATUS(ctx, bosc_emst_verify_minkowski(ctx, points, 4, 0, &o, 1, 2, outside, &fault), BOSC_ERR_DATA);
    CHECK_EQ(fault.row, 2);
    CHECK_OK(ctx, bosc_emst_verify_minkowski(ctx, NULL, 0, 0, &o, 1, 0, NULL, NULL));
    CHECK_OK(ctx, bosc_emst_verify_minkowski(ctx, points, 1, 0, &o, 1, 1, NULL, &fault));
    CHECK_EQ(fault.row, -1);
    /* 2. Replacements. */
    CHECK_EQ(bosc_emst_find_replacements_minkowski(NULL, points, 4, 0, &o, 1, 2, pairs, found, lengths), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_emst_find_replacements_minkowski(ctx, points, 4, 0, &o, 0, 2, pairs, found, lengths), "p");
    CHECK_ARG(ctx, bosc_emst_find_replacements_minkowski(ctx, points, 4, 1, &o, 1, 2, pairs, found, lengths), "stride");
    CHECK_ARG(ctx, bosc_emst_find_replacements_minkowski(ctx, NULL, 4, 0, &o, 1, 2, pairs, found, lengths), "points");
    CHECK_ARG(ctx, bosc_emst_find_replacements_minkowski(ctx, points, 4, 0, &o, 1, 2, NULL, found, lengths), "pairs");
    CHECK_ARG(ctx, bosc_emst_find_replacements_minkowski(ctx, points, 4, 0, &o, 1, 2, pairs, NULL, lengths),
              "replacements");
    CHECK_ARG(ctx,
              bosc_emst_find_replacements_minkowski(ctx, points, 4, 0, &o, 1, 2, pairs, found,
                                                    (double *)(void *)((char *)lengths + 4)),
              "lengths");
    CHECK_STATUS(ctx, bosc_emst_find_replacements_minkowski(ctx, points, 4, 0, &o, 1, 2, loop, found, lengths),
                 BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_emst_find_replacements_minkowski(ctx, infinite, 4, 0, &o, 1, 2, pairs, found, lengths),
                 BOSC_ERR_LIMIT);
    CHECK(found[0] == 9 && lengths[0] == 9);
    CHECK_OK(ctx, bosc_emst_find_replacements_minkowski(ctx, points, 2, 0, &o, 3, 1, pairs, found, lengths));
    CHECK(found[0] == -1 && found[1] == -1 && lengths[0] == INFINITY);
    CHECK_OK(ctx, bosc_emst_find_replacements_minkowski(ctx, points, 4, 0, &o, 1, 2, pairs, found, NULL));
}

/* Two clusters at a distance that is more than a double holds; lists of near points reach the other one or do not. */
static void infinite_lengths(bosc_ctx *ctx)
{
    enum { N = 40 };
    static const double all[] = {1, INFINITY, 3};
    const bosc_emst_opts o = {sizeof o, BOSC_F64, 1, 64};
    double x[N], lengths[N] = {9}, core[N] = {9};
    int64_t pairs[2 * N] = {7}, tree[2 * N];
    for (int i = 0; i < N - 1; i++) { /* one edge joins the clusters */
        tree[2 * i] = i > 0 ? i - 1 : 0;
        tree[2 * i + 1] = i + (i > 0);
    }
    tree[1] = 1;
    for (int i = 0; i < N; i++) x[i] = (i % 2 ? 1 : -1) * (1.5e308 - i * 1e300);
    for (int t = 0; t < 12; t++) {
        const int64_t n = t < 6 ? N : 4; /* of 4 points the lists have all */
        CHECK_STATUS(ctx,
                     bosc_emst_compute_minkowski(ctx, x, n, 0, &o, all[t % 3], t % 2 ? 3 : 0, pairs, lengths, core),
                     BOSC_ERR_LIMIT);
        CHECK(strncmp(bosc_ctx_message(ctx), "points: ", 8) == 0);
        CHECK_STATUS(ctx, bosc_emst_verify_minkowski(ctx, x, n, 0, &o, all[t % 3], t % 2 ? 3 : 0, tree, NULL),
                     BOSC_ERR_LIMIT);
        CHECK_STATUS(
            ctx,
            bosc_emst_find_replacements_minkowski(ctx, x, n, 0, &o, all[t % 3], t % 2 ? 3 : 0, tree, pairs, lengths),
            BOSC_ERR_LIMIT);
    }
    CHECK(pairs[0] == 7 && lengths[0] == 9 && core[0] == 9);
}

static const struct suite_case suite_cases_emst_orders[] = {{"orders", orders, NULL},
                                                            {"order 2", order_2, NULL},
                                                            {"order 2, far", order_2_far, NULL},
                                                            {"infinite lengths", infinite_lengths, NULL},
                                                            {"arguments", order_arguments, NULL},
                                                            {"proof arguments", proof_arguments, NULL}};
SUITE(emst_orders);
