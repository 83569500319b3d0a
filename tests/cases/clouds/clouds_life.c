/* Batches of clouds: rebuilds, memory, lifetime beyond their context, recorded calls. */
#include "cases/clouds/clouds_data.h"
#include "support/arrays.h"
#include "support/capture.h"
#include "support/counted.h"

/* A batch of device arrays with samples, and the calls that queue. */
struct recorded {
    bosc_clouds *clouds;
    struct array points, offsets, samples, ids, dist2, counts, chosen, separate;
    int64_t n, count, sample_count;
};

enum { K = 3 };

static void queue_calls(bosc_ctx *ctx, void *user)
{
    struct recorded *r = user;
    const bosc_clouds_queries q = {
        .size = sizeof q, .points = r->points.p, .count = r->n, .stride = 3, .offsets = r->offsets.p};
    CHECK_OK(ctx, bosc_clouds_build(ctx, r->clouds, r->points.p, r->n, 3, r->offsets.p, r->count));
    CHECK_OK(ctx, bosc_clouds_knn(ctx, r->clouds, NULL, K, (double)INFINITY, r->ids.p, r->dist2.p));
    CHECK_OK(ctx, bosc_clouds_knn(ctx, r->clouds, &q, K, 400, r->separate.p, NULL));
    CHECK_OK(ctx, bosc_clouds_radius_count(ctx, r->clouds, NULL, 400, r->counts.p));
    CHECK_OK(ctx, bosc_clouds_sample_farthest(ctx, r->clouds, r->samples.p, r->sample_count, NULL, r->chosen.p));
}

static void check_recorded(bosc_ctx *ctx, struct recorded *r, const struct clouds_batch *b, const int64_t *samples)
{
    const double r2 = reference_square_limit(400, true);
    const int64_t *ids = array_get(ctx, &r->ids), *separate = array_get(ctx, &r->separate);
    const int64_t *counts = array_get(ctx, &r->counts), *chosen = array_get(ctx, &r->chosen);
    const float *dist2 = array_get(ctx, &r->dist2);
    int64_t expected[K], *sampled = suite_alloc((size_t)r->n * 8);
    double expected2[K];
    for (int64_t c = 0; c < b->count; c++) {
        const int64_t begin = b->offsets[c], end = b->offsets[c + 1];
        for (int64_t i = begin; i < end; i++) {
            const void *q = kd_row(&b->points, i);
            (void)reference_clouds_knn(&b->points, begin, end, q, K, (double)INFINITY, -1, expected, expected2);
            for (int j = 0; j < K; j++)
                CHECK(ids[i * K + j] == expected[j] && (double)dist2[i * K + j] == expected2[j]);
            CHECK_EQ(counts[i], reference_clouds_knn(&b->points, begin, end, q, K, r2, -1, expected, expected2));
            for (int j = 0; j < K; j++) CHECK_EQ(separate[i * K + j], expected[j]);
        }
        const int64_t m = samples[c + 1] - samples[c];
        reference_clouds_sample(&b->points, begin, end, begin, m, sampled);
        for (int64_t j = 0; j < m; j++) CHECK_EQ(chosen[samples[c] + j], sampled[j]);
    }
    free(sampled);
}

/* Writes rows of another draw into the array of points. */
static void replace_points(bosc_ctx *ctx, struct recorded *r, struct clouds_batch *b, struct suite_random *random)
{
    const struct reference_points p = kd_points(random, BOSC_F32, 3, r->n, 3, KD_RANDOM);
    free((void *)b->points.data);
    b->points = p;
    CHECK_OK(ctx, bosc_ctx_copy(ctx, r->points.p, p.data, (size_t)r->n * 12));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
}

/* Builds, searches and samples are recorded, and replayed with other points; with and without a known largest cloud. */
static void recorded(bosc_ctx *ctx)
{
    const bool device = has_device_memory(ctx);
    struct suite_random random = {3};
    for (int t = 0; t < 2; t++) {
        /* 1. A batch and its arrays. */
        struct clouds_batch b = clouds_make(&random, BOSC_F32, 3, CLOUDS_UNEVEN, 130, KD_RANDOM);
        const bosc_clouds_opts o = {.size = sizeof o, .dim = 3, .assume_valid = 1, .max_points = t ? 130 : 0};
        int64_t samples[CLOUDS_MOST + 1] = {0};
        for (int64_t c = 0; c < b.count; c++) samples[c + 1] = samples[c] + (b.offsets[c + 1] - b.offsets[c] + 2) / 3;
        struct recorded r = {.n = b.points.n, .count = b.count, .sample_count = samples[b.count]};
        struct capture c;
        r.points = array_make(ctx, NULL, (size_t)r.n * 12, device);
        r.offsets = array_make(ctx, b.offsets, (size_t)(r.count + 1) * 8, device);
        r.samples = array_make(ctx, samples, (size_t)(r.count + 1) * 8, device);
        r.ids = array_make(ctx, NULL, (size_t)r.n * K * 8, device);
        r.separate = array_make(ctx, NULL, (size_t)r.n * K * 8, device);
        r.dist2 = array_make(ctx, NULL, (size_t)r.n * K * 4, device);
        r.counts = array_make(ctx, NULL, (size_t)r.n * 8, device);
        r.chosen = array_make(ctx, NULL, (size_t)r.sample_count * 8, device);
        /* 2. Record, and replay with other points. */
        CHECK_OK(ctx, bosc_clouds_create(ctx, &o, &r.clouds));
        replace_points(ctx, &r, &b, &random);
        capture_open(&c, ctx, queue_calls, &r);
        for (int replay = 0; replay < 3; replay++) {
            replace_points(ctx, &r, &b, &random);
            capture_replay(&c);
            check_recorded(ctx, &r, &b, samples);
        }
        capture_close(&c);
        bosc_clouds_free(r.clouds);
        struct array *const all[] = {&r.points,   &r.offsets, &r.samples, &r.ids,
                                     &r.separate, &r.dist2,   &r.counts,  &r.chosen};
        for (int a = 0; a < 8; a++) array_free(ctx, all[a]);
        clouds_release(&b);
    }
}

/* A second build of the same or a smaller size allocates nothing, nor do searches after a reserve. */
static void memory(bosc_ctx *ctx)
{
    struct suite_random random = {4};
    const int64_t most = suite_slow(ctx) ? 5000 : 20000;
    for (int t = 0; t < 3; t++) {
        struct counted c;
        struct clouds_batch b = clouds_make(&random, t ? BOSC_F64 : BOSC_F32, 3, CLOUDS_UNEVEN, most, KD_RANDOM);
        const bosc_clouds_opts o = {.size = sizeof o, .dtype = b.points.dtype, .dim = 3};
        const bosc_clouds_queries q = {.size = sizeof q,
                                       .points = b.points.data,
                                       .count = b.points.n,
                                       .stride = b.points.stride,
                                       .offsets = b.offsets};
        bosc_clouds_info info = {.size = sizeof info};
        int64_t kept = 0, scratch = 0, *counts = suite_alloc((size_t)b.points.n * 8);
        bosc_clouds *clouds = NULL;
        counted_open(&c, ctx, 0);
        /* 1. Memory is what bytes says, or reserved. */
        CHECK_OK(c.ctx, bosc_clouds_bytes(c.ctx, &o, b.points.n, b.count, &kept, &scratch));
        CHECK_OK(c.ctx, bosc_clouds_create(c.ctx, &o, &clouds));
        if (t == 2) CHECK_OK(c.ctx, bosc_clouds_reserve(c.ctx, clouds, b.points.n, b.count, b.points.n));
        const int64_t reserved = c.allocations;
        CHECK_OK(c.ctx,
                 bosc_clouds_build(c.ctx, clouds, b.points.data, b.points.n, b.points.stride, b.offsets, b.count));
        CHECK_OK(c.ctx, bosc_clouds_get_info(c.ctx, clouds, &info));
        CHECK(info.n == b.points.n && info.cloud_count == b.count && info.largest == most);
        CHECK(info.bytes <= kept && (t == 2 || counted_scratch(c.ctx) <= scratch + (1 << 16)));
        /* 2. The same again allocates nothing. */
        if (t != 2) CHECK_OK(c.ctx, bosc_clouds_radius_count(c.ctx, clouds, &q, 10, counts));
        const int64_t before = t == 2 ? reserved : c.allocations;
        CHECK_OK(c.ctx,
                 bosc_clouds_build(c.ctx, clouds, b.points.data, b.points.n, b.points.stride, b.offsets, b.count));
        CHECK_OK(c.ctx, bosc_clouds_radius_count(c.ctx, clouds, &q, 10, counts));
        CHECK_OK(c.ctx, bosc_clouds_build(c.ctx, clouds, b.points.data, b.offsets[2], b.points.stride, b.offsets, 2));
        CHECK_EQ(c.allocations, before);
        /* 3. Nor does a build from the cloud of each row. */
        int64_t *numbers = suite_alloc((size_t)(b.points.n + 1) * 8);
        for (int64_t cloud = 0; cloud < b.count; cloud++)
            for (int64_t i = b.offsets[cloud]; i < b.offsets[cloud + 1]; i++) numbers[i] = cloud;
        for (int again = 0; again < 2; again++) {
            const int64_t first = t == 2 ? reserved : c.allocations;
            CHECK_OK(c.ctx, bosc_clouds_build_from_batch(c.ctx, clouds, b.points.data, b.points.n, b.points.stride,
                                                         numbers, b.count));
            CHECK(t == 2 || counted_scratch(c.ctx) <= scratch + (1 << 16));
            if (again || t == 2) CHECK_EQ(c.allocations, first);
        }
        free(numbers);
        bosc_clouds_free(clouds);
        counted_close(&c);
        free(counts);
        clouds_release(&b);
    }
}

/* A reserve keeps the points, and a batch outlives its context. */
static void outlive(bosc_ctx *ctx)
{
    struct suite_random random = {5};
    struct clouds_batch b = clouds_make(&random, BOSC_F32, 3, CLOUDS_UNEVEN, 100, KD_RANDOM);
    const bosc_clouds_opts o = {.size = sizeof o, .dim = 3};
    const bosc_ctx_opts like = suite_opts_like(ctx);
    int64_t *ids = suite_alloc((size_t)b.points.n * 8);
    bosc_ctx *first = suite_open(&like);
    bosc_clouds *clouds = clouds_build(first, &b, &o);
    CHECK_OK(first, bosc_clouds_reserve(first, clouds, 5000, 50, 0));
    bosc_ctx_free(first);
    CHECK_OK(ctx, bosc_clouds_knn(ctx, clouds, NULL, 1, (double)INFINITY, ids, NULL));
    for (int64_t i = 0; i < b.points.n; i++) CHECK_EQ(ids[i], i);
    /* A batch without clouds, built or not. */
    const int64_t zero = 0;
    CHECK_OK(ctx, bosc_clouds_build(ctx, clouds, NULL, 0, 0, &zero, 0));
    CHECK_OK(ctx, bosc_clouds_knn(ctx, clouds, NULL, 1, 1, NULL, NULL));
    CHECK_OK(ctx, bosc_clouds_sample_farthest(ctx, clouds, &zero, 0, NULL, NULL));
    bosc_clouds_free(clouds);
    CHECK_OK(ctx, bosc_clouds_create(ctx, &o, &clouds));
    CHECK_OK(ctx, bosc_clouds_radius_count(ctx, clouds, NULL, 1, NULL));
    CHECK_OK(ctx, bosc_clouds_sample_farthest(ctx, clouds, &zero, 0, NULL, NULL));
    bosc_clouds_free(clouds);
    free(ids);
    clouds_release(&b);
}

static const struct suite_case suite_cases_clouds_life[] = {
    {"recorded", recorded, NULL}, {"memory", memory, NULL}, {"outlive", outlive, NULL}};
SUITE(clouds_life);
