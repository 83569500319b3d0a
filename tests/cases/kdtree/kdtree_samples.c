/* k-d trees of points whose samples mislead a device. Brackets of medians then miss, and points are lost; the build
 * starts again with other brackets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cases/kdtree/kdtree_data.h"
#include "kdtree/kdtree.h"

/* Sizes of the sample of a whole tree, by the kind of its brackets, and the kind that serves at last (enum brackets of
 * src/kdtree/cuda/sampled/sampled_build.cu). */
enum { NARROW_SAMPLE = 8192, SUPERKEY_SAMPLE = 4096, NARROW = 0, BY_SUPERKEY = 1, WIDE_BY_SUPERKEY = 3 };

/* The row of sample s, as bi_kdtree_sample_position has it. */
static int64_t row_of_sample(int64_t s, int64_t samples, int64_t n)
{
    const int64_t low = s * n / samples, next = (s + 1) * n / samples;
    return low + (int64_t)((uint64_t)bi_mix_u32((uint32_t)s * 2654435761u) * (uint64_t)(next - low) >> 32);
}

/* Coordinate 0 of points in (0, 2) whose median is about 1.464. Narrow samples are below 1. Of samples by superkey 58 %
 * are below the median, 10 standard deviations too many: narrow brackets miss it, wide ones do not. */
static void mislead_samples(struct suite_random *r, double *points, int64_t n)
{
    const double median = 1.464;
    for (int64_t i = 0; i < n; i++) points[2 * i] = 1 + suite_unit(r);
    for (int64_t s = 0; s < NARROW_SAMPLE; s++) points[2 * row_of_sample(s, NARROW_SAMPLE, n)] = suite_unit(r);
    for (int64_t s = 0; s < SUPERKEY_SAMPLE; s++) {
        const double x = suite_unit(r);
        const uint64_t percent = suite_below(r, 100);
        points[2 * row_of_sample(s, SUPERKEY_SAMPLE, n)] = percent < 7    ? x
                                                           : percent < 58 ? 1 + x * (median - 1)
                                                                          : median + x * (2 - median);
    }
}

/* Two passes of samples: the second one must not read rows at the ids of points that the first one lost. */
static void lost_points(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    const bool device = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    const int64_t n = device ? 131200 : 5000; /* more than 2^5 subtrees of 4,096 nodes, which a block makes */
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = 2, .id_bits = 32};
    struct reference_points p = kd_points(&r, opts.dtype, opts.dim, n, opts.dim, KD_RANDOM);
    uint32_t *ids = suite_alloc((size_t)n * sizeof *ids);
    int64_t *order = suite_alloc((size_t)n * sizeof *order);
    mislead_samples(&r, (double *)p.data, n);
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, tree, NULL, ids));
    reference_kdtree(&p, order);
    for (int64_t i = 0; i < n; i++) CHECK_EQ(ids[i], order[i]);
    if (device) CHECK_EQ(tree->brackets, WIDE_BY_SUPERKEY);
    bosc_kdtree_free(tree);
    free(ids);
    free(order);
    free((void *)p.data);
}

/* No brackets serve, so that lists are sorted. The index is that of the tree, not that of the points as they were. */
static void index_of_lists(bosc_ctx *ctx)
{
    enum { QUERIES = 200 };
    struct suite_random r = {4};
    const int64_t n = 20000; /* more than a block makes */
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = 2, .id_bits = 32};
    struct reference_points p = kd_points(&r, opts.dtype, opts.dim, n, opts.dim, KD_RANDOM);
    double *x = (double *)p.data, queries[QUERIES][2], dist2[QUERIES];
    uint32_t ids[QUERIES];
    for (int64_t i = 0; i < n; i++) x[2 * i] = 1 + suite_unit(&r);
    for (int64_t s = 0; s < NARROW_SAMPLE; s++) x[2 * row_of_sample(s, NARROW_SAMPLE, n)] = suite_unit(&r);
    for (int64_t s = 0; s < SUPERKEY_SAMPLE; s++) x[2 * row_of_sample(s, SUPERKEY_SAMPLE, n)] = suite_unit(&r);
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    for (int i = 0; i < QUERIES; i++) queries[i][0] = 2 * suite_unit(&r), queries[i][1] = x[2 * i + 1];
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, queries, QUERIES, 0, 1, ids, dist2));
    for (int i = 0; i < QUERIES; i++) {
        double least = HUGE_VAL;
        for (int64_t k = 0; k < n; k++) {
            const double a = x[2 * k] - queries[i][0], b = x[2 * k + 1] - queries[i][1], d = a * a + b * b;
            if (d < least) least = d;
        }
        CHECK(dist2[i] == least);
    }
    bosc_kdtree_free(tree);
    free((void *)p.data);
}

/* A handle whose narrow brackets failed tries them again after some builds. */
static void narrow_again(bosc_ctx *ctx)
{
    enum { BUILDS = 6 }; /* one more than the first interval */
    struct suite_random r = {2};
    const int64_t n = 10000; /* more than a block makes */
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 2, .id_bits = 32};
    struct reference_points p = kd_points(&r, opts.dtype, opts.dim, n, opts.dim, KD_GRID);
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    if (suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA) CHECK(tree->brackets != NARROW);
    for (int64_t i = 0; i < 2 * n; i++) kd_set((void *)p.data, opts.dtype, i, suite_unit(&r));
    tree->brackets = tree->brackets ? WIDE_BY_SUPERKEY : NARROW; /* these serve for good */
    for (int build = 0; build < BUILDS; build++) CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p.data, n, 0));
    CHECK_EQ(tree->brackets, NARROW);
    bosc_kdtree_free(tree);
    free((void *)p.data);
}

/* Builds a tree of float points by superkey, which serves, and compares it with the reference. Frees the points.
 * has_ties: most points share a coordinate, and so do marks; then the next build begins by superkey again. Without ties
 * it may begin with narrow brackets, as after sorted lists. */
static void check_by_superkey(bosc_ctx *ctx, struct reference_points p, bool has_ties)
{
    const bool device = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = p.dim, .id_bits = 32};
    uint32_t *ids = suite_alloc((size_t)p.n * sizeof *ids);
    int64_t *order = suite_alloc((size_t)p.n * sizeof *order);
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    tree->brackets = BY_SUPERKEY, tree->builds_until_narrow = 1; /* as after a failure of narrow ones */
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p.data, p.n, 0));
    if (device) CHECK(tree->brackets == BY_SUPERKEY || (tree->brackets == NARROW && !has_ties));
    float *nodes = suite_alloc((size_t)(p.n * p.dim) * sizeof *nodes);
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, tree, nodes, ids));
    reference_kdtree(&p, order);
    for (int64_t i = 0; i < p.n; i++) {
        CHECK_EQ(ids[i], order[i]);
        for (int32_t c = 0; c < p.dim; c++)
            CHECK(nodes[i * p.dim + c] == ((const float *)p.data)[order[i] * p.dim + c]);
    }
    bosc_kdtree_free(tree);
    free(nodes);
    free(ids);
    free(order);
    free((void *)p.data);
}

/* Brackets by superkey serve in a lattice: the lists that they fill have their medians. */
static void lattice(bosc_ctx *ctx)
{
    const bool device = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    const int64_t n = device ? 150000 : 5000; /* a large sample, and lists of more points than one block resolves */
    for (int32_t side = 8; side <= 32; side *= 4) {
        struct suite_random r = {(uint64_t)side};
        struct reference_points p = kd_points(&r, BOSC_F32, 3, n, 3, KD_GRID);
        for (int64_t i = 0; i < 3 * n; i++)
            kd_set((void *)p.data, BOSC_F32, i, (double)suite_below(&r, (uint64_t)side) / side);
        check_by_superkey(ctx, p, true);
    }
}

/* Blocks move the points of lattices to a grid: steps of any size, with and without copies of points. Shapes 5, 6,
 * 7 and 9 are on no grid: a step too small for its extent, half of the points equal, coordinates of few values beside
 * one of many, half of the points on a ground. Their samples need more than one round of a sort, or runs of few. In
 * shape 10 the lowest bits alone order half of the samples: brackets miss if these are in any other order. */
static void grids(bosc_ctx *ctx)
{
    enum { SIDE_LOG = 6, SIDE = 1 << SIDE_LOG, SHAPES = 11 };
    const bool device = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    const int64_t n = device ? 20000 : 2000; /* two levels above the blocks */
    for (int shape = 0; shape < SHAPES; shape++) {
        struct suite_random r = {(uint64_t)shape};
        struct reference_points p = kd_points(&r, BOSC_F32, 3, n, 3, KD_RANDOM);
        for (int64_t i = 0; i < n; i++) {
            const uint32_t other = (uint32_t)i * 77773u; /* another cell for each of 2^18 points */
            const uint32_t cell = shape == 8 ? (uint32_t)suite_below(&r, 1 << 18) : other;
            double x[3];
            for (int c = 0; c < 3; c++) x[c] = (double)(cell >> c * SIDE_LOG & (SIDE - 1));
            if (shape == 1) x[0] = (x[0] - 20) * 0x1p-95, x[1] = (x[1] + 3) * 0x1p95, x[2] = -x[2];
            if (shape == 2) x[0] *= 0x1p-120, x[1] *= 0x1p110; /* steps beyond those whose inverse is used */
            if (shape == 3) x[1] = 5;
            if (shape == 4) x[0] = (double)(int)(x[0] / 16), x[1] = (double)(int)(x[1] / 16), x[2] = 3 * x[2] - 100;
            if (shape == 5) x[i % 3] += (double)(cell >> 3 * SIDE_LOG) * 0x1p-14;
            if (shape == 6) x[0] = i % 2 ? suite_unit(&r) : .5, x[1] = i % 2 ? suite_unit(&r) : .5, x[2] = x[0];
            if (shape == 7) x[0] = (double)(int)(x[0] / 32), x[1] = (double)(int)(x[1] / 32), x[2] = suite_unit(&r);
            if (shape == 9) x[0] = suite_unit(&r), x[1] = suite_unit(&r), x[2] = i % 2 ? suite_unit(&r) : 0;
            if (shape == 10) {
                x[0] = i % 2 ? suite_unit(&r) : .5, x[2] = suite_unit(&r);
                x[1] = i % 2 ? suite_unit(&r) : .5 + 0x1p-24 * (double)suite_below(&r, 16);
            }
            for (int c = 0; c < 3; c++) kd_set((void *)p.data, BOSC_F32, 3 * i + c, x[c]);
        }
        check_by_superkey(ctx, p, shape == 3 || shape == 4 || shape == 6 || shape == 10);
    }
}

static const struct suite_case suite_cases_kdtree_samples[] = {
    {"lost points", lost_points, NULL},
    {"index of lists", index_of_lists, NULL},
    {"narrow again", narrow_again, NULL},
    {"lattice", lattice, NULL},
    {"grids", grids, NULL},
};
SUITE(kdtree_samples);
