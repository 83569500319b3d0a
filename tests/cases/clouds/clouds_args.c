/* Batches of clouds: refused arguments. */
#include "cases/clouds/clouds_data.h"

static const bosc_clouds_opts good = {.size = sizeof good, .dim = 2};

static void refuses_bad_options(bosc_ctx *ctx)
{
    bosc_clouds *clouds = NULL;
    bosc_clouds_opts o = good;
    static const int dims[] = {0, -1, 1025, INT32_MIN};
    static const int types[] = {BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64, BOSC_U8, -1, 99};
    static const int bits[] = {1, 16, 33, 128, -64};
    CHECK_ARG(ctx, bosc_clouds_create(ctx, NULL, &clouds), "opts");
    CHECK_ARG(ctx, bosc_clouds_create(ctx, &o, NULL), "clouds");
    /* Sets one option to each bad value. */
    for (int i = 0; i < 4; i++, o = good) {
        o.dim = dims[i];
        CHECK_ARG(ctx, bosc_clouds_create(ctx, &o, &clouds), "opts: dim");
    }
    for (int i = 0; i < 7; i++, o = good) {
        o.dtype = (bosc_dtype)types[i];
        CHECK_ARG(ctx, bosc_clouds_create(ctx, &o, &clouds), "opts: dtype");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.id_bits = bits[i];
        CHECK_ARG(ctx, bosc_clouds_create(ctx, &o, &clouds), "opts: id_bits");
    }
    o.max_points = -1;
    CHECK_ARG(ctx, bosc_clouds_create(ctx, &o, &clouds), "opts: max_points");
    CHECK(clouds == NULL);
    bosc_clouds_free(NULL);
}

static void refuses_bad_builds(bosc_ctx *ctx)
{
    float p[20] = {0};
    int64_t offsets[4] = {0, 3, 3, 10}, kept = 7, scratch = 7;
    bosc_clouds *clouds = NULL;
    bosc_clouds_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_clouds_create(ctx, &good, &clouds));
    CHECK_OK(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, offsets, 3));
    /* 1. Handles, arrays and numbers. */
    CHECK_ARG(ctx, bosc_clouds_build(ctx, NULL, p, 10, 0, offsets, 3), "clouds");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, NULL, 10, 0, offsets, 3), "points");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, (char *)p + 2, 9, 0, offsets, 3), "points: not aligned");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, NULL, 3), "offsets");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, (int64_t *)((char *)offsets + 4), 2), "offsets: not");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, -1, 0, offsets, 3), "n");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, offsets, -1), "cloud_count");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 10, 1, offsets, 3), "stride");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 10, INT64_MAX / 4, offsets, 3), "n: 10 rows");
    CHECK_STATUS(ctx, bosc_clouds_build(ctx, clouds, p, UINT32_MAX, 0, offsets, 3), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, offsets, UINT32_MAX), BOSC_ERR_LIMIT);
    /* 2. Offsets that do not ascend from 0 to n, and a NaN. */
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 9, 0, offsets, 3), "offsets: they end with 10");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 1, 0, offsets, 0), "offsets: they end with 0");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 3, 0, offsets + 1, 0), "offsets: they do not ascend");
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, offsets + 1, 2),
              "offsets: they do not ascend from 0 at cloud 0");
    offsets[2] = 2;
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, offsets, 3),
              "offsets: they do not ascend from 0 at cloud 1");
    offsets[2] = INT64_MIN; /* its difference to 3 overflows */
    CHECK_ARG(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, offsets, 3),
              "offsets: they do not ascend from 0 at cloud 1");
    offsets[2] = 3;
    p[7] = p[15] = NAN;
    CHECK_STATUS(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, offsets, 3), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 3 holds a NaN"));
    /* 3. The batch still has its last build. */
    CHECK_OK(ctx, bosc_clouds_get_info(ctx, clouds, &info));
    CHECK(info.n == 10 && info.cloud_count == 3 && info.largest == 7 && info.dim == 2 && info.id_bits == 64);
    CHECK(info.dtype == BOSC_F32 && info.bytes > 0);
    CHECK_ARG(ctx, bosc_clouds_get_info(ctx, NULL, &info), "clouds");
    CHECK_ARG(ctx, bosc_clouds_get_info(ctx, clouds, NULL), "info: NULL");
    /* 4. Reserve and bytes. */
    CHECK_ARG(ctx, bosc_clouds_reserve(ctx, NULL, 1, 1, 1), "clouds");
    CHECK_ARG(ctx, bosc_clouds_reserve(ctx, clouds, -1, 1, 1), "n");
    CHECK_ARG(ctx, bosc_clouds_reserve(ctx, clouds, 1, -1, 1), "cloud_count");
    CHECK_ARG(ctx, bosc_clouds_reserve(ctx, clouds, 1, 1, -1), "query_count");
    CHECK_ARG(ctx, bosc_clouds_reserve(ctx, clouds, 1, 1, INT64_MAX / 8), "query_count");
    CHECK_STATUS(ctx, bosc_clouds_reserve(ctx, clouds, UINT32_MAX, 1, 1), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_clouds_reserve(ctx, clouds, 1, UINT32_MAX, 1), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_clouds_bytes(ctx, NULL, 1, 1, &kept, &scratch), "opts");
    CHECK_ARG(ctx, bosc_clouds_bytes(ctx, &good, -1, 1, &kept, &scratch), "n");
    CHECK_ARG(ctx, bosc_clouds_bytes(ctx, &good, 1, -1, &kept, &scratch), "cloud_count");
    CHECK(kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_clouds_bytes(ctx, &good, 1, 1, NULL, NULL));
    bosc_clouds_free(clouds);
}

static void refuses_bad_numbers(bosc_ctx *ctx)
{
    float p[8] = {0};
    int64_t numbers[4] = {0, 0, 2, 2}, ids[8], many = 7;
    bosc_clouds *clouds = NULL;
    bosc_clouds_info info = {.size = sizeof info};
    bosc_clouds_queries q = {.size = sizeof q, .points = p, .count = 4, .batch = numbers};
    const void *odd = (char *)numbers + 4;
    CHECK_OK(ctx, bosc_clouds_create(ctx, &good, &clouds));
    /* 1. Handles, arrays and sizes. */
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, NULL, p, 4, 0, numbers, 3), "clouds");
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, NULL, 4, 0, numbers, 3), "points");
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 0, NULL, 3), "batch");
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 3, 0, odd, 3), "batch: not aligned");
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, -1, 0, numbers, 3), "n");
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 1, numbers, 3), "stride");
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 0, numbers, -2), "cloud_count");
    CHECK_STATUS(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 0, numbers, UINT32_MAX), BOSC_ERR_LIMIT);
    /* 2. Numbers that descend, are negative or too large; a NaN. */
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 0, numbers, 2), "batch: row 2 is of cloud 2");
    CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 0, numbers, 0), "batch: row 0 is of cloud 0");
    static const int64_t wrong[][4] = {{0, 3, 1, 3},          {-1, -1, 0, 0},       {-7, 0, 0, 1}, {0, 1, INT64_MIN, 0},
                                       {0, 0, 1, UINT32_MAX}, {0, 0, 0, INT64_MAX}, {5, 4, 3, 2}};
    static const char *const reasons[] = {
        "batch: numbers do not ascend from 0 at row 2",
        "batch: numbers do not ascend from 0 at row 0",
        "batch: numbers do not ascend from 0 at row 0",
        "batch: numbers do not ascend from 0 at row 2",
        "batch: row 3 is of cloud 4294967295, but there are 4294967294 clouds at most",
        "batch: row 3 is of cloud 9223372036854775807",
        "batch: numbers do not ascend from 0 at row 1"};
    for (int i = 0; i < 7; i++)
        CHECK_ARG(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 0, wrong[i], -1), reasons[i]);
    CHECK_OK(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 0, numbers, -1));
    p[5] = NAN;
    CHECK_STATUS(ctx, bosc_clouds_build_from_batch(ctx, clouds, p, 4, 0, numbers, -1), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 2 holds a NaN"));
    CHECK_OK(ctx, bosc_clouds_get_info(ctx, clouds, &info));
    CHECK(info.n == 4 && info.cloud_count == 3 && info.largest == 2 && info.smallest == 0);
    /* 3. Numbers of queries. */
    CHECK_STATUS(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, ids, NULL), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "queries: row 2 holds a NaN"));
    p[5] = 0;
    q.offsets = numbers;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, ids, NULL), "queries: batch: offsets are there too");
    q.offsets = NULL, q.batch = odd, q.count = 3;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, ids, NULL), "queries: batch: not aligned");
    q.batch = (const int64_t[]){0, 1, 3};
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, ids, NULL), "queries: batch: row 2 is of cloud 3");
    q.batch = (const int64_t[]){0, 1, 0};
    CHECK_ARG(ctx, bosc_clouds_radius_count(ctx, clouds, &q, 1, ids), "queries: batch: numbers do not ascend");
    q.points = NULL;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, ids, NULL), "queries: NULL");
    q.count = 0;
    CHECK_OK(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, ids, NULL)); /* no queries */
    /* 4. Shares. */
    static const double ratios[] = {0, -1, 1.5, NAN, INFINITY};
    CHECK_ARG(ctx, bosc_clouds_sample_ratio(ctx, NULL, 1, NULL, NULL, ids, 8, &many), "clouds");
    for (int i = 0; i < 5; i++)
        CHECK_ARG(ctx, bosc_clouds_sample_ratio(ctx, clouds, ratios[i], NULL, NULL, ids, 8, &many), "ratio");
    CHECK_ARG(ctx, bosc_clouds_sample_ratio(ctx, clouds, 1, odd, NULL, ids, 8, &many), "draws: not");
    CHECK_ARG(ctx, bosc_clouds_sample_ratio(ctx, clouds, 1, NULL, (void *)odd, ids, 8, &many), "offsets: not");
    CHECK_ARG(ctx, bosc_clouds_sample_ratio(ctx, clouds, 1, NULL, NULL, (void *)odd, 8, &many), "ids: not");
    CHECK_ARG(ctx, bosc_clouds_sample_ratio(ctx, clouds, 1, NULL, NULL, NULL, 8, &many), "ids: NULL");
    CHECK_ARG(ctx, bosc_clouds_sample_ratio(ctx, clouds, 1, NULL, NULL, ids, -1, &many), "capacity");
    CHECK_STATUS(ctx, bosc_clouds_sample_ratio(ctx, clouds, 1, NULL, NULL, ids, 3, &many), BOSC_ERR_SPACE);
    CHECK_EQ(many, 7);
    CHECK_OK(ctx, bosc_clouds_sample_ratio(ctx, clouds, 1, NULL, NULL, ids, 4, NULL));
    static const double draws[] = {-2, NAN, 5};
    CHECK_OK(ctx, bosc_clouds_sample_ratio(ctx, clouds, 1e-3, draws, NULL, ids, 2, &many)); /* to the nearest row */
    CHECK(many == 2 && ids[0] == 0 && ids[1] == 3);
    bosc_clouds_free(clouds);
}

static void refuses_bad_searches(bosc_ctx *ctx)
{
    float p[20] = {0}, nan[2] = {0, NAN}, dist2[80];
    int64_t offsets[3] = {0, 3, 10}, ids[80], rows[11], bad[3] = {0, 1, 0};
    void *odd = (char *)ids + 2;
    static const double radii[] = {-1, -1e-300, -INFINITY, NAN};
    bosc_clouds *clouds = NULL;
    bosc_clouds_queries q = {.size = sizeof q, .points = p, .count = 10, .offsets = offsets}, other = q;
    CHECK_OK(ctx, bosc_clouds_create(ctx, &good, &clouds));
    CHECK_OK(ctx, bosc_clouds_build(ctx, clouds, p, 10, 0, offsets, 2));
    /* 1. Handles, radii, arrays. */
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, NULL, &q, 1, 1, ids, dist2), "clouds");
    CHECK_ARG(ctx, bosc_clouds_radius_count(ctx, NULL, &q, 1, ids), "clouds");
    CHECK_ARG(ctx, bosc_clouds_radius(ctx, NULL, &q, 1, rows, NULL, NULL, 0), "clouds");
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, radii[i], ids, dist2), "radius");
        CHECK_ARG(ctx, bosc_clouds_radius_count(ctx, clouds, &q, radii[i], ids), "radius");
        CHECK_ARG(ctx, bosc_clouds_radius(ctx, clouds, &q, radii[i], rows, NULL, NULL, 0), "radius");
    }
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 0, 1, ids, dist2), "k");
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, INT64_MAX / 10, 1, ids, dist2), "k");
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, NULL, dist2), "ids");
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, NULL, 1, 1, NULL, dist2), "ids");
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, odd, dist2), "ids: not");
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &q, 1, 1, ids, odd), "dist2: not");
    CHECK_ARG(ctx, bosc_clouds_knn_edges(ctx, NULL, &q, 1, 1, ids, 0), "clouds");
    CHECK_ARG(ctx, bosc_clouds_knn_edges(ctx, clouds, &q, 0, 1, ids, 0), "k");
    CHECK_ARG(ctx, bosc_clouds_knn_edges(ctx, clouds, &q, 1, -1, ids, 0), "radius");
    CHECK_ARG(ctx, bosc_clouds_knn_edges(ctx, clouds, NULL, 1, 1, NULL, 0), "edges: NULL");
    CHECK_ARG(ctx, bosc_clouds_knn_edges(ctx, clouds, &q, 1, 1, odd, 0), "edges: not");
    CHECK_ARG(ctx, bosc_clouds_radius_count(ctx, clouds, &q, 1, NULL), "counts");
    CHECK_ARG(ctx, bosc_clouds_radius_count(ctx, clouds, &q, 1, odd), "counts: not");
    CHECK_ARG(ctx, bosc_clouds_radius(ctx, clouds, &q, 1, NULL, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_clouds_radius(ctx, clouds, &q, 1, rows, ids, NULL, -1), "capacity");
    CHECK_ARG(ctx, bosc_clouds_radius(ctx, clouds, &q, 1, rows, odd, NULL, 80), "ids: not");
    CHECK_ARG(ctx, bosc_clouds_radius(ctx, clouds, &q, 1, rows, ids, odd, 80), "dist2: not");
    /* 2. Queries. */
    other.size = 3;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &other, 1, 1, ids, dist2), "queries: size");
    other = q, other.points = NULL;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &other, 1, 1, ids, dist2), "queries: NULL");
    other.count = 0, other.offsets = (const int64_t[3]){0, 0, 0};
    ids[0] = 77;
    CHECK_OK(ctx, bosc_clouds_knn(ctx, clouds, &other, 1, 1, ids, dist2)); /* no queries */
    CHECK(ids[0] == 77);
    other = q, other.offsets = NULL;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &other, 1, 1, ids, dist2), "queries: offsets: NULL");
    other = q, other.count = -1;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &other, 1, 1, ids, dist2), "queries: count");
    other = q, other.count = 9;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &other, 1, 1, ids, dist2), "queries: offsets: they end with 10");
    other = q, other.stride = 1;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &other, 1, 1, ids, dist2), "stride");
    other = q, other.exclude_self = 1;
    CHECK_ARG(ctx, bosc_clouds_knn(ctx, clouds, &other, 1, 1, ids, dist2), "queries: exclude_self");
    other = q, other.offsets = bad;
    CHECK_ARG(ctx, bosc_clouds_radius_count(ctx, clouds, &other, 1, ids), "queries: offsets: they do not ascend");
    bad[1] = bad[2] = 1;
    other.points = nan, other.count = 1;
    CHECK_STATUS(ctx, bosc_clouds_radius_count(ctx, clouds, &other, 1, ids), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "queries: row 0 holds a NaN"));
    /* 3. Edges. */
    bosc_clouds_edges e = {.size = sizeof e, .edges = ids, .capacity = 40, .max_edges = 10}, few = e;
    CHECK_ARG(ctx, bosc_clouds_radius_edges(ctx, NULL, &q, 1, &e), "clouds");
    CHECK_ARG(ctx, bosc_clouds_radius_edges(ctx, clouds, &q, -1, &e), "radius");
    CHECK_ARG(ctx, bosc_clouds_radius_edges(ctx, clouds, &q, 1, NULL), "edges: NULL");
    few.size = 3;
    CHECK_ARG(ctx, bosc_clouds_radius_edges(ctx, clouds, &q, 1, &few), "edges: size");
    few = e, few.capacity = -1;
    CHECK_ARG(ctx, bosc_clouds_radius_edges(ctx, clouds, &q, 1, &few), "edges: capacity");
    few = e, few.reserved = 1;
    CHECK_ARG(ctx, bosc_clouds_radius_edges(ctx, clouds, &q, 1, &few), "edges: reserved");
    few = e, few.edges = NULL;
    CHECK_ARG(ctx, bosc_clouds_radius_edges(ctx, clouds, &q, 1, &few), "edges: NULL");
    few = e, few.edges = odd;
    CHECK_ARG(ctx, bosc_clouds_radius_edges(ctx, clouds, &q, 1, &few), "edges: not");
    /* 4. Samples. */
    int64_t samples[3] = {0, 3, 10}, starts[2] = {2, 3};
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, NULL, samples, 10, starts, ids), "clouds");
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, NULL, 10, starts, ids), "offsets");
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, -1, starts, ids), "sample_count");
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, INT64_MAX, starts, ids), "sample_count");
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, 10, odd, ids), "starts: not");
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, 10, starts, NULL), "ids");
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, 10, starts, odd), "ids: not");
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, 9, starts, ids), "offsets: they end with 10");
    starts[1] = 2;
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, 10, starts, ids), "starts: cloud 1");
    starts[1] = 10;
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, 10, starts, ids), "starts: cloud 1");
    samples[1] = 4;
    CHECK_ARG(ctx, bosc_clouds_sample_farthest(ctx, clouds, samples, 10, NULL, ids), "offsets: cloud 0");
    bosc_clouds_free(clouds);
}

static const struct suite_case suite_cases_clouds_args[] = {{"options", refuses_bad_options, NULL},
                                                            {"builds", refuses_bad_builds, NULL},
                                                            {"numbers", refuses_bad_numbers, NULL},
                                                            {"searches", refuses_bad_searches, NULL}};
SUITE(clouds_args);
