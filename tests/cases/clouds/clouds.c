/* Batches of clouds find what one search over each cloud finds, for every size, shape and radius. */
#include <math.h>

#include "cases/clouds/clouds_data.h"

/* A batch, its queries (of the batch itself if `self`), and the arguments. */
struct search {
    const struct clouds_batch *b, *q;
    bosc_clouds *clouds;
    int64_t k;
    double radius;
    int32_t id_bits;
    bool self, exclude;
};

static const bosc_clouds_queries *queries_of(const struct search *s, bosc_clouds_queries *storage)
{
    *storage = (bosc_clouds_queries){.size = sizeof *storage, .exclude_self = s->exclude};
    if (s->self) return s->exclude ? storage : NULL;
    storage->points = s->q->points.data;
    storage->count = s->q->points.n;
    storage->stride = s->q->points.stride;
    storage->offsets = s->q->offsets;
    return storage;
}

static void check_search(bosc_ctx *ctx, const struct search *s)
{
    const struct reference_points *p = &s->b->points, *q = &s->q->points;
    const double r2 = reference_square_limit(s->radius, p->dtype == BOSC_F32);
    const int64_t k = s->k, m = q->n, all = p->n > k ? p->n : k;
    bosc_clouds_queries storage;
    const bosc_clouds_queries *queries = queries_of(s, &storage);
    int64_t *offsets = suite_alloc((size_t)(m + 1) * 8), *counts = suite_alloc((size_t)m * 8);
    int64_t *expected = suite_alloc((size_t)all * 8);
    double *expected2 = suite_alloc((size_t)all * 8);
    void *ids = suite_alloc((size_t)(m * k) * 8), *dist2 = suite_alloc((size_t)(m * k) * 8);
    /* 1. The calls, of nearest points with or without distances. */
    const bool bare = k == 1;
    CHECK_OK(ctx, bosc_clouds_knn(ctx, s->clouds, queries, k, s->radius, ids, bare ? NULL : dist2));
    CHECK_OK(ctx, bosc_clouds_radius_count(ctx, s->clouds, queries, s->radius, counts));
    CHECK_OK(ctx, bosc_clouds_radius(ctx, s->clouds, queries, s->radius, offsets, NULL, NULL, 0));
    const int64_t total = offsets[m];
    void *rows = suite_alloc((size_t)total * 8), *rows2 = suite_alloc((size_t)total * 8);
    CHECK_OK(ctx, bosc_clouds_radius(ctx, s->clouds, queries, s->radius, offsets, rows, bare ? NULL : rows2, total));
    /* 2. Each query against a search over all points of its cloud. */
    for (int64_t c = 0; c < s->b->count; c++)
        for (int64_t i = s->q->offsets[c]; i < s->q->offsets[c + 1]; i++) {
            const int64_t begin = s->b->offsets[c], end = s->b->offsets[c + 1], skipped = s->exclude ? i : -1;
            const int64_t within =
                reference_clouds_knn(p, begin, end, kd_row(q, i), k, r2, skipped, expected, expected2);
            for (int64_t j = 0; j < k; j++) {
                CHECK_EQ(kd_id(ids, s->id_bits, i * k + j), expected[j]);
                if (!bare) CHECK(clouds_dist2_at(dist2, p->dtype, i * k + j) == expected2[j]);
            }
            CHECK_EQ(counts[i], within);
            CHECK_EQ(offsets[i + 1] - offsets[i], within);
            int64_t at = offsets[i];
            for (int64_t j = begin; j < end; j++) {
                const double d = reference_dist2(p, j, kd_row(q, i));
                if (!(d <= r2) || j == skipped) continue;
                CHECK_EQ(kd_id(rows, s->id_bits, at), j);
                if (!bare) CHECK(clouds_dist2_at(rows2, p->dtype, at) == d);
                at++;
            }
        }
    /* 3. The nearest as edges. */
    int64_t *nearest = suite_alloc((size_t)(m * k) * 16);
    CHECK_OK(ctx, bosc_clouds_knn_edges(ctx, s->clouds, queries, k, s->radius, nearest, k % 2));
    for (int64_t e = 0; e < m * k; e++) {
        CHECK_EQ(nearest[k % 2 ? e : m * k + e], kd_id(ids, s->id_bits, e));
        CHECK_EQ(nearest[k % 2 ? m * k + e : e], e / k);
    }
    free(nearest);
    /* 4. Points within the radius as edges, in both orders; without room, or with too long a row, only counts. */
    bosc_clouds_edges edges = {.size = sizeof edges, .capacity = total, .max_edges = m, .ids_first = k % 2};
    int64_t *pairs = edges.edges = suite_alloc((size_t)(total + 1) * 16), longest = 0;
    for (int64_t i = 0; i < m; i++) longest = counts[i] > longest ? counts[i] : longest;
    edges.max_edges = longest;
    CHECK_OK(ctx, bosc_clouds_radius_edges(ctx, s->clouds, queries, s->radius, &edges));
    CHECK_EQ(edges.total, total);
    CHECK_EQ(edges.longest, longest);
    const int64_t *of_ids = edges.ids_first ? pairs : pairs + total,
                  *of_queries = edges.ids_first ? pairs + total : pairs;
    for (int64_t i = 0; i < m; i++)
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++)
            CHECK(of_queries[e] == i && of_ids[e] == kd_id(rows, s->id_bits, e));
    for (int t = 0; t < 2 && total > 0; t++) {
        pairs[0] = pairs[2 * total - 1] = -9;
        edges.capacity = total - (t == 0);
        edges.max_edges = longest - (t == 1);
        edges.total = edges.longest = -1;
        CHECK_OK(ctx, bosc_clouds_radius_edges(ctx, s->clouds, queries, s->radius, &edges));
        CHECK(edges.total == total && edges.longest == longest && pairs[0] == -9 && pairs[2 * total - 1] == -9);
    }
    free(pairs);
    /* 5. A capacity one too small is refused. */
    if (total > 0)
        CHECK_STATUS(ctx, bosc_clouds_radius(ctx, s->clouds, queries, s->radius, offsets, rows, NULL, total - 1),
                     BOSC_ERR_SPACE);
    free(offsets);
    free(counts);
    free(expected);
    free(expected2);
    free(ids);
    free(dist2);
    free(rows);
    free(rows2);
}

static void check_samples(bosc_ctx *ctx, const struct clouds_batch *b, bosc_clouds *clouds, int32_t id_bits,
                          struct suite_random *r)
{
    int64_t offsets[CLOUDS_MOST + 1] = {0}, starts[CLOUDS_MOST];
    const bool given = suite_below(r, 2);
    for (int64_t c = 0; c < b->count; c++) {
        const int64_t n = b->offsets[c + 1] - b->offsets[c];
        offsets[c + 1] = offsets[c] + (int64_t)(suite_below(r, 3) ? suite_below(r, (uint64_t)n + 1) : (uint64_t)n);
        starts[c] = n > 0 ? b->offsets[c] + (int64_t)suite_below(r, (uint64_t)n) : -7;
    }
    const int64_t count = offsets[b->count];
    int64_t *expected = suite_alloc((size_t)count * 8);
    void *ids = suite_alloc((size_t)count * 8);
    CHECK_OK(ctx, bosc_clouds_sample_farthest(ctx, clouds, offsets, count, given ? starts : NULL, ids));
    for (int64_t c = 0; c < b->count; c++)
        reference_clouds_sample(&b->points, b->offsets[c], b->offsets[c + 1], given ? starts[c] : b->offsets[c],
                                offsets[c + 1] - offsets[c], expected + offsets[c]);
    for (int64_t j = 0; j < count; j++) CHECK_EQ(kd_id(ids, id_bits, j), expected[j]);
    free(expected);
    free(ids);
}

/* Samples a share of each cloud, from its first point or a drawn one. */
static void check_share(bosc_ctx *ctx, const struct clouds_batch *b, bosc_clouds *clouds, int32_t id_bits,
                        struct suite_random *r)
{
    static const double ratios[] = {1, 0.5, 0.25, 0.1, 1e-9};
    const double ratio = suite_below(r, 2) ? ratios[suite_below(r, 5)] : 1 - suite_unit(r);
    const bool drawn = suite_below(r, 2);
    double draws[CLOUDS_MOST];
    /* 1. Shares and draws. Some draws times the points of a cloud round to their number. */
    int64_t expected[CLOUDS_MOST + 1] = {0}, offsets[CLOUDS_MOST + 1], count = -1;
    for (int64_t c = 0; c < b->count; c++) {
        const int64_t n = b->offsets[c + 1] - b->offsets[c];
        expected[c + 1] = expected[c] + (int64_t)ceil(ratio * (double)n);
        draws[c] = c % 4 == 3 ? 1 - 1e-16 : suite_unit(r);
    }
    const int64_t total = expected[b->count];
    int64_t *sampled = suite_alloc((size_t)(b->points.n + 1) * 8);
    void *ids = suite_alloc((size_t)total * 8);
    /* 2. The call, with too little room and enough. */
    if (total > 0) {
        CHECK_STATUS(ctx, bosc_clouds_sample_ratio(ctx, clouds, ratio, NULL, offsets, ids, total - 1, &count),
                     BOSC_ERR_SPACE);
        CHECK_EQ(count, -1);
    }
    CHECK_OK(ctx, bosc_clouds_sample_ratio(ctx, clouds, ratio, drawn ? draws : NULL, offsets, ids, total, &count));
    CHECK_EQ(count, total);
    /* 3. Each cloud against the plain samples. */
    for (int64_t c = 0; c < b->count; c++) {
        const int64_t begin = b->offsets[c], n = b->offsets[c + 1] - begin;
        const int64_t start = drawn ? begin + (int64_t)(draws[c] * (double)n) : begin;
        CHECK_EQ(offsets[c + 1], expected[c + 1]);
        reference_clouds_sample(&b->points, begin, begin + n, start < begin + n ? start : begin + n - 1,
                                expected[c + 1] - expected[c], sampled);
        for (int64_t j = expected[c]; j < expected[c + 1]; j++)
            CHECK_EQ(kd_id(ids, id_bits, j), sampled[j - expected[c]]);
    }
    CHECK_EQ(offsets[0], 0);
    free(sampled);
    free(ids);
}

static double radius_of(struct suite_random *r, enum kd_shape shape)
{
    static const double radii[] = {0, 1, 1.5, 2, 1e-3, 100, 1e30, INFINITY};
    if (shape == KD_RANDOM && suite_below(r, 2)) return 300 + 300 * suite_unit(r);
    return radii[suite_below(r, sizeof radii / sizeof radii[0])];
}

/* All calls on one batch, around its own points and others. */
static void check_batch(bosc_ctx *ctx, struct suite_random *r, const struct clouds_batch *b, enum kd_shape shape)
{
    const bosc_dtype dtype = b->points.dtype;
    const bosc_clouds_opts o = {
        .size = sizeof o, .dtype = dtype, .dim = b->points.dim, .id_bits = suite_below(r, 2) ? 32 : 64};
    static const int64_t ks[] = {1, 2, 3, 8, 11, 16, 17, 32, 40};
    struct search s = {.b = b, .clouds = clouds_build(ctx, b, &o), .id_bits = o.id_bits};
    for (int t = 0; t < 3; t++) {
        struct clouds_batch q = *b;
        s.self = t > 0;
        s.exclude = t == 2;
        if (!s.self) {
            for (int64_t c = 0; c < b->count; c++) q.offsets[c + 1] = q.offsets[c] + (int64_t)suite_below(r, 9);
            q.points = kd_points(r, dtype, o.dim, q.offsets[b->count], o.dim, shape);
        }
        s.q = &q;
        s.k = ks[suite_below(r, sizeof ks / sizeof ks[0])];
        s.radius = suite_below(r, 2) ? INFINITY : radius_of(r, shape);
        check_search(ctx, &s);
        if (!s.self) clouds_release(&q);
    }
    check_samples(ctx, b, s.clouds, o.id_bits, r);
    check_share(ctx, b, s.clouds, o.id_bits, r);
    bosc_clouds_free(s.clouds);
}

static void batches(bosc_ctx *ctx)
{
    static const int32_t dims[] = {1, 2, 3, 4, 7};
    struct suite_random r = {1};
    suite_share_few(ctx);
    for (int shape = 0; shape < KD_SHAPES; shape++)
        for (int sizes = 0; sizes < CLOUDS_SIZES; sizes++)
            for (int t = 0; t < 8; t++) {
                const bosc_dtype dtype = t % 3 == 2 ? BOSC_F64 : BOSC_F32;
                const int64_t most = (int64_t)suite_below(&r, suite_slow(ctx) ? 150 : 700);
                struct clouds_batch b = clouds_make(&r, dtype, t < 3 ? 3 : dims[suite_below(&r, 5)],
                                                    (enum clouds_sizes)sizes, most, (enum kd_shape)shape);
                if (!suite_leaves_out()) check_batch(ctx, &r, &b, (enum kd_shape)shape);
                clouds_release(&b);
            }
}

/* Many queries, which are sorted first. */
static void many_queries(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    const int64_t each = suite_slow(ctx) ? 850 : 2000;
    for (int t = 0; t < 3; t++) {
        struct clouds_batch b = clouds_make(&r, t == 1 ? BOSC_F64 : BOSC_F32, 3, CLOUDS_UNEVEN, 200, KD_RANDOM), q = b;
        const bosc_clouds_opts o = {.size = sizeof o, .dtype = b.points.dtype, .dim = 3};
        for (int64_t c = 0; c < b.count; c++) q.offsets[c + 1] = q.offsets[c] + (c == 1 ? 0 : each);
        q.points = kd_points(&r, b.points.dtype, 3, q.offsets[b.count], 3, t == 2 ? KD_SPECIAL : KD_RANDOM);
        struct search s = {
            .b = &b, .q = &q, .clouds = clouds_build(ctx, &b, &o), .k = 4, .radius = INFINITY, .id_bits = 64};
        if (t == 1) s.radius = 250;
        if (!suite_leaves_out()) check_search(ctx, &s);
        bosc_clouds_free(s.clouds);
        clouds_release(&q);
        clouds_release(&b);
    }
}

/* A cloud of several levels, in which searches skip boxes: random points, on a grid, in clusters. */
static void large_cloud(bosc_ctx *ctx)
{
    struct suite_random r = {6};
    for (int t = 0; t < 4; t++) {
        const int64_t n = suite_slow(ctx) ? 600 : 3000;
        struct clouds_batch b = clouds_make(&r, t == 3 ? BOSC_F64 : BOSC_F32, 3, CLOUDS_ONE, n,
                                            t == 1   ? KD_GRID
                                            : t == 2 ? KD_CLUSTERS
                                                     : KD_RANDOM);
        if (!suite_leaves_out()) check_batch(ctx, &r, &b, KD_RANDOM);
        clouds_release(&b);
    }
}

/* Infinite coordinates, whose differences are NaN, in small clouds; never left out. */
static void infinities(bosc_ctx *ctx)
{
    struct suite_random r = {7};
    for (int t = 0; t < 5; t++) {
        struct clouds_batch b =
            clouds_make(&r, t == 4 ? BOSC_F64 : BOSC_F32, t == 3 ? 2 : 3, CLOUDS_SMALL, 0, KD_SPECIAL);
        check_batch(ctx, &r, &b, KD_SPECIAL);
        clouds_release(&b);
    }
}

/* The cloud of each row, from offsets. */
static int64_t *numbers_of(const struct clouds_batch *b)
{
    int64_t *numbers = suite_alloc((size_t)(b->offsets[b->count] + 1) * sizeof *numbers);
    for (int64_t c = 0; c < b->count; c++)
        for (int64_t i = b->offsets[c]; i < b->offsets[c + 1]; i++) numbers[i] = c;
    return numbers;
}

/* A batch from the cloud of each row has the same clouds and answers as one from offsets. */
static void check_numbers(bosc_ctx *ctx, const struct clouds_batch *b, const struct clouds_batch *q, bool given,
                          bool valid)
{
    enum { K = 3 };
    const bosc_clouds_opts o = {.size = sizeof o, .dtype = b->points.dtype, .dim = b->points.dim};
    bosc_clouds_opts trusting = o;
    bosc_clouds *clouds = NULL, *other = clouds_build(ctx, b, &o);
    bosc_clouds_info is = {.size = sizeof is}, was = {.size = sizeof was};
    int64_t *numbers = numbers_of(b), *of_queries = numbers_of(q), smallest = b->count ? INT64_MAX : 0,
            count = b->count;
    const int64_t n = b->points.n, m = q->points.n;
    int64_t *found = suite_alloc((size_t)m * K * 8), *expected = suite_alloc((size_t)m * K * 8);
    bosc_clouds_queries around = {.size = sizeof around, .points = q->points.data, .count = m};
    around.stride = q->points.stride;
    /* 1. Clouds: those given, or up to the last one with points. */
    while (!given && count > 0 && b->offsets[count] == b->offsets[count - 1]) count--;
    for (int64_t c = 0; c < count; c++)
        if (b->offsets[c + 1] - b->offsets[c] < smallest) smallest = b->offsets[c + 1] - b->offsets[c];
    trusting.assume_valid = valid;
    CHECK_OK(ctx, bosc_clouds_create(ctx, &trusting, &clouds));
    CHECK_OK(ctx, bosc_clouds_build_from_batch(ctx, clouds, b->points.data, n, b->points.stride, numbers,
                                               given ? count : -1));
    CHECK_OK(ctx, bosc_clouds_get_info(ctx, clouds, &is));
    CHECK_OK(ctx, bosc_clouds_get_info(ctx, other, &was));
    CHECK_EQ(is.cloud_count, count);
    CHECK_EQ(is.largest, was.largest);
    CHECK_EQ(is.smallest, count ? smallest : 0);
    if (given) CHECK_EQ(is.smallest, was.smallest);
    /* 2. Answers around queries whose clouds are numbers too. */
    if (q->offsets[count] == m) {
        around.batch = of_queries;
        CHECK_OK(ctx, bosc_clouds_knn(ctx, clouds, &around, K, (double)INFINITY, found, NULL));
        around.batch = NULL;
        around.offsets = q->offsets;
        CHECK_OK(ctx, bosc_clouds_knn(ctx, other, &around, K, (double)INFINITY, expected, NULL));
        for (int64_t i = 0; i < m * K; i++) CHECK_EQ(found[i], expected[i]);
    }
    bosc_clouds_free(clouds);
    bosc_clouds_free(other);
    free(numbers);
    free(of_queries);
    free(found);
    free(expected);
}

static void numbers(bosc_ctx *ctx)
{
    struct suite_random r = {8};
    for (int sizes = 0; sizes < CLOUDS_SIZES; sizes++)
        for (int t = 0; t < 6; t++) {
            struct clouds_batch b = clouds_make(&r, t % 3 ? BOSC_F32 : BOSC_F64, 3, (enum clouds_sizes)sizes,
                                                (int64_t)suite_below(&r, 150), KD_RANDOM);
            struct clouds_batch q = b;
            if (t >= 4 && b.count > 2) /* empty clouds at both ends, more of them than points if these are few */
                for (int64_t c = 0; c <= b.count; c++)
                    b.offsets[c] = c < 2 ? 0 : c < b.count - 1 ? b.offsets[c] : b.offsets[b.count];
            for (int64_t c = 0; c < b.count; c++)
                q.offsets[c + 1] = q.offsets[c] + (int64_t)suite_below(&r, 5) * (c % 3 != 1);
            q.points = kd_points(&r, b.points.dtype, 3, q.offsets[b.count], 4, KD_RANDOM);
            check_numbers(ctx, &b, &q, t % 2, t == 3 || t == 4);
            clouds_release(&q);
            clouds_release(&b);
        }
    /* More clouds than rows, by far. */
    struct clouds_batch few = {.count = 60};
    for (int64_t c = 58; c <= few.count; c++) few.offsets[c] = c - 57 > 2 ? 2 : c - 57;
    few.points = kd_points(&r, BOSC_F32, 2, 2, 2, KD_RANDOM);
    check_numbers(ctx, &few, &few, false, false);
    check_numbers(ctx, &few, &few, true, false);
    clouds_release(&few);
}

static const struct suite_case suite_cases_clouds[] = {{"batches", batches, NULL},
                                                       {"numbers", numbers, NULL},
                                                       {"many queries", many_queries, NULL},
                                                       {"large cloud", large_cloud, NULL},
                                                       {"infinities", infinities, NULL}};
SUITE(clouds);
