/* Voxelisations: refused arguments. */
#include "cases/voxels/voxels_data.h"

static const bosc_voxels_opts good = {.size = sizeof good, .dim = 2, .cell = {1, 1}};

static void refuses_bad_options(bosc_ctx *ctx)
{
    bosc_voxels *voxels = NULL;
    bosc_voxels_opts o = good;
    static const int dims[] = {0, -1, 4, INT32_MIN}, bits[] = {1, 16, 33, 128, -64};
    static const int types[] = {BOSC_I64, BOSC_U32, BOSC_U64, BOSC_U8, -1, 99};
    static const double cells[] = {0, -1, NAN, INFINITY, 1e-60, 1e60}; /* the last two are no floats */
    static const int64_t shapes[] = {-1, ((int64_t)1 << 31) + 1, INT64_MIN};
    CHECK_ARG(ctx, bosc_voxels_create(ctx, NULL, &voxels), "opts");
    CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, NULL), "voxels");
    /* Sets one option to each bad value. */
    for (int i = 0; i < 4; i++, o = good) {
        o.dim = dims[i];
        CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: dim");
    }
    for (int i = 0; i < 6; i++, o = good) {
        o.dtype = (bosc_dtype)types[i];
        CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: dtype");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.id_bits = bits[i];
        CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: id_bits");
    }
    for (int i = 0; i < 6; i++, o = good) {
        o.cell[1] = cells[i];
        CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: cell[1]");
    }
    for (int i = 2; i < 4; i++, o = good) {
        o.low[0] = cells[i];
        CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: low[0]");
    }
    for (int i = 0; i < 3; i++, o = good) {
        o.shape[0] = o.shape[1] = shapes[i];
        CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: shape[0]");
    }
    o.shape[1] = 3;
    CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: shape is 0");
    o = good, o.max_points = -1;
    CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: max_points");
    o = good, o.max_voxels = -1;
    CHECK_ARG(ctx, bosc_voxels_create(ctx, &o, &voxels), "opts: max_voxels");
    CHECK(voxels == NULL);
    bosc_voxels_free(NULL);
}

static void refuses_bad_builds(bosc_ctx *ctx)
{
    float p[20] = {0, 0, 5, 5};
    int64_t offsets[4] = {0, 3, 3, 10}, kept = 7, scratch = 7, count = 7;
    bosc_voxels *voxels = NULL;
    bosc_voxels_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_voxels_create(ctx, &good, &voxels));
    CHECK_OK(ctx, bosc_voxels_build(ctx, voxels, p, 10, 0, offsets, 3));
    /* 1. Handles, arrays and numbers. */
    CHECK_ARG(ctx, bosc_voxels_build(ctx, NULL, p, 10, 0, offsets, 3), "voxels");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, NULL, 10, 0, offsets, 3), "points");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, (char *)p + 2, 9, 0, offsets, 3), "points: not aligned");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 10, 0, NULL, 3), "cloud_count");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 10, 0, (int64_t *)((char *)offsets + 4), 2), "offsets: not");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, -1, 0, offsets, 3), "n");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 10, 0, offsets, -1), "cloud_count");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 10, 1, offsets, 3), "stride");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 10, INT64_MAX / 4, offsets, 3), "stride: 10 rows");
    CHECK_STATUS(ctx, bosc_voxels_build(ctx, voxels, p, UINT32_MAX, 0, offsets, 3), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_voxels_build(ctx, voxels, p, 10, 0, offsets, UINT32_MAX), BOSC_ERR_LIMIT);
    /* 2. Offsets that do not ascend from 0 to n. */
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 9, 0, offsets, 3), "offsets: they end with 10");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 1, 0, offsets, 0), "offsets: they end with 0");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 3, 0, offsets + 1, 0), "offsets: they do not ascend");
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 10, 0, offsets + 1, 2),
              "offsets: they do not ascend from 0 at cloud 0");
    offsets[2] = 2;
    CHECK_ARG(ctx, bosc_voxels_build(ctx, voxels, p, 10, 0, offsets, 3),
              "offsets: they do not ascend from 0 at cloud 1");
    /* 3. The voxelisation still has its last build. */
    CHECK_OK(ctx, bosc_voxels_get_info(ctx, voxels, &info));
    CHECK(info.n == 10 && info.cloud_count == 3 && info.voxel_count == 3 && info.dim == 2 && info.id_bits == 64);
    CHECK(info.dtype == BOSC_F32 && info.bytes > 0 && info.voxel_limit == 10);
    CHECK_ARG(ctx, bosc_voxels_get_info(ctx, NULL, &info), "voxels");
    CHECK_ARG(ctx, bosc_voxels_get_info(ctx, voxels, NULL), "info: NULL");
    CHECK_ARG(ctx, bosc_voxels_count(ctx, NULL, &count), "voxels");
    CHECK_ARG(ctx, bosc_voxels_count(ctx, voxels, NULL), "count: NULL");
    /* 4. Reserve and bytes. */
    CHECK_ARG(ctx, bosc_voxels_reserve(ctx, NULL, 1, 1), "voxels");
    CHECK_ARG(ctx, bosc_voxels_reserve(ctx, voxels, -1, 1), "n");
    CHECK_ARG(ctx, bosc_voxels_reserve(ctx, voxels, 1, -1), "cloud_count");
    CHECK_STATUS(ctx, bosc_voxels_reserve(ctx, voxels, UINT32_MAX, 1), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_voxels_reserve(ctx, voxels, 1, UINT32_MAX), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_voxels_bytes(ctx, NULL, 1, 1, &kept, &scratch), "opts");
    CHECK_ARG(ctx, bosc_voxels_bytes(ctx, &good, -1, 1, &kept, &scratch), "n");
    CHECK_ARG(ctx, bosc_voxels_bytes(ctx, &good, 1, -1, &kept, &scratch), "cloud_count");
    CHECK(kept == 7 && scratch == 7 && count == 7);
    CHECK_OK(ctx, bosc_voxels_bytes(ctx, &good, 1, 1, NULL, NULL));
    bosc_voxels_free(voxels);
}

/* Without a shape, finite rows are in voxels: those too far from `low` for coordinates of 32 bits are refused. */
static void refuses_far_rows(bosc_ctx *ctx)
{
    bosc_voxels_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 2, .cell = {1, 0.5}, .low = {0, 10}};
    double p[400] = {0};
    int64_t count = 0;
    bosc_voxels *voxels = NULL;
    for (int i = 0; i < 200; i++) p[2 * i + 1] = 10;
    p[0] = NAN, p[3] = -INFINITY;          /* in no voxel */
    p[4] = 0x1p31 - 1, p[7] = 10 - 0x1p30; /* in the last one and the first one */
    CHECK_OK(ctx, bosc_voxels_create(ctx, &o, &voxels));
    CHECK_OK(ctx, bosc_voxels_build(ctx, voxels, p, 200, 0, NULL, 1));
    CHECK_OK(ctx, bosc_voxels_count(ctx, voxels, &count));
    CHECK_EQ(count, 3);
    p[2 * 170] = p[2 * 180] = 0x1p31;
    CHECK_STATUS(ctx, bosc_voxels_build(ctx, voxels, p, 200, 0, NULL, 1), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 170 is 2^31 voxels or more from low"));
    p[2 * 90 + 1] = 1e300;
    CHECK_STATUS(ctx, bosc_voxels_build(ctx, voxels, p, 200, 0, NULL, 1), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 90 is"));
    CHECK_OK(ctx, bosc_voxels_count(ctx, voxels, &count));
    CHECK_EQ(count, 3); /* the last build */
    bosc_voxels_free(voxels);
    /* A shape leaves them out. */
    o.shape[0] = o.shape[1] = 4;
    CHECK_OK(ctx, bosc_voxels_create(ctx, &o, &voxels));
    CHECK_OK(ctx, bosc_voxels_build(ctx, voxels, p, 200, 0, NULL, 1));
    CHECK_OK(ctx, bosc_voxels_count(ctx, voxels, &count));
    CHECK_EQ(count, 1);
    bosc_voxels_free(voxels);
}

/* One far row makes the box too large for keys: it is named, with a row at the other end. */
static void refuses_large_boxes(bosc_ctx *ctx)
{
    bosc_voxels_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 3, .cell = {1, 1, 1}};
    double p[600];
    int64_t count = 0;
    bosc_voxels *voxels = NULL;
    for (int i = 0; i < 600; i++) p[i] = i % 3 == 1 && i < 300 ? 0.5 : 7.5;
    CHECK_OK(ctx, bosc_voxels_create(ctx, &o, &voxels));
    p[3 * 137] = 1e9, p[3 * 137 + 1] = -1.5e9, p[3 * 137 + 2] = 1e9;
    CHECK_STATUS(ctx, bosc_voxels_build(ctx, voxels, p, 200, 0, NULL, 1), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx),
                       "points: rows 137 and 100 are 1500000007 voxels apart along coordinate 1, and the box of the "
                       "occupied voxels, 999999994 x 1500000008 x 999999994 of each of 1 clouds, holds 2^63 or more"));
    p[3 * 137 + 1] = 0; /* two coordinates have keys */
    CHECK_OK(ctx, bosc_voxels_build(ctx, voxels, p, 200, 0, NULL, 1));
    CHECK_OK(ctx, bosc_voxels_count(ctx, voxels, &count));
    CHECK_EQ(count, 3);
    bosc_voxels_free(voxels);
}

static void refuses_bad_queries(bosc_ctx *ctx)
{
    float p[20] = {0, 0, 5, 5}, values[40];
    int64_t ids[40], offsets[5];
    void *odd = (char *)ids + 2;
    bosc_voxels *v = NULL;
    CHECK_OK(ctx, bosc_voxels_create(ctx, &good, &v));
    CHECK_OK(ctx, bosc_voxels_build(ctx, v, p, 10, 0, NULL, 1));
    /* 1. Lists. */
    CHECK_ARG(ctx, bosc_voxels_list(ctx, NULL, NULL, ids, NULL, NULL, 2), "voxels");
    CHECK_ARG(ctx, bosc_voxels_list(ctx, v, odd, NULL, NULL, NULL, 2), "coords: not");
    CHECK_ARG(ctx, bosc_voxels_list(ctx, v, NULL, odd, NULL, NULL, 2), "counts: not");
    CHECK_ARG(ctx, bosc_voxels_list(ctx, v, NULL, NULL, odd, NULL, 2), "firsts: not");
    CHECK_ARG(ctx, bosc_voxels_list(ctx, v, NULL, NULL, NULL, odd, 2), "offsets: not");
    CHECK_ARG(ctx, bosc_voxels_list(ctx, v, NULL, ids, NULL, NULL, -1), "capacity");
    CHECK_STATUS(ctx, bosc_voxels_list(ctx, v, NULL, ids, NULL, NULL, 1), BOSC_ERR_SPACE);
    CHECK_ARG(ctx, bosc_voxels_inverse(ctx, NULL, ids), "voxels");
    CHECK_ARG(ctx, bosc_voxels_inverse(ctx, v, NULL), "ids: NULL");
    CHECK_ARG(ctx, bosc_voxels_inverse(ctx, v, odd), "ids: not");
    CHECK_ARG(ctx, bosc_voxels_members(ctx, NULL, offsets, ids, 2), "voxels");
    CHECK_ARG(ctx, bosc_voxels_members(ctx, v, NULL, ids, 2), "offsets: NULL");
    CHECK_ARG(ctx, bosc_voxels_members(ctx, v, odd, ids, 2), "offsets: not");
    CHECK_ARG(ctx, bosc_voxels_members(ctx, v, offsets, NULL, 2), "ids: NULL");
    CHECK_ARG(ctx, bosc_voxels_members(ctx, v, offsets, odd, 2), "ids: not");
    CHECK_ARG(ctx, bosc_voxels_members(ctx, v, offsets, ids, -1), "capacity");
    CHECK_ARG(ctx, bosc_voxels_members(ctx, v, offsets, ids, INT64_MAX), "capacity");
    CHECK_STATUS(ctx, bosc_voxels_members(ctx, v, offsets, ids, 1), BOSC_ERR_SPACE);
    /* 2. Means and gradients. */
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, NULL, BOSC_F32, p, 2, 0, values, 2), "voxels");
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, v, BOSC_I32, p, 2, 0, values, 2), "dtype");
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, v, BOSC_F32, NULL, 2, 0, values, 2), "features: NULL");
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, v, BOSC_F32, odd, 2, 0, values, 2), "features: not");
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, v, BOSC_F32, p, 0, 0, values, 2), "width");
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, v, BOSC_F32, p, INT64_MAX, 0, values, 2), "width");
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, v, BOSC_F32, p, 2, 1, values, 2), "stride");
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, v, BOSC_F32, p, 2, 0, NULL, 2), "means: NULL");
    CHECK_ARG(ctx, bosc_voxels_mean(ctx, v, BOSC_F32, p, 2, 0, odd, 2), "means: not");
    CHECK_STATUS(ctx, bosc_voxels_mean(ctx, v, BOSC_F32, p, 2, 0, values, 1), BOSC_ERR_SPACE);
    CHECK_ARG(ctx, bosc_voxels_mean_gradient(ctx, NULL, BOSC_F32, p, 2, values, 2), "voxels");
    CHECK_ARG(ctx, bosc_voxels_mean_gradient(ctx, v, BOSC_I64, p, 2, values, 2), "dtype");
    CHECK_ARG(ctx, bosc_voxels_mean_gradient(ctx, v, BOSC_F32, NULL, 2, values, 2), "of_means: NULL");
    CHECK_ARG(ctx, bosc_voxels_mean_gradient(ctx, v, BOSC_F32, odd, 2, values, 2), "of_means: not");
    CHECK_ARG(ctx, bosc_voxels_mean_gradient(ctx, v, BOSC_F32, p, -1, values, 2), "width");
    CHECK_ARG(ctx, bosc_voxels_mean_gradient(ctx, v, BOSC_F32, p, 2, NULL, 2), "of_features: NULL");
    CHECK_ARG(ctx, bosc_voxels_mean_gradient(ctx, v, BOSC_F32, p, 2, odd, 2), "of_features: not");
    CHECK_STATUS(ctx, bosc_voxels_mean_gradient(ctx, v, BOSC_F32, p, 2, values, 1), BOSC_ERR_SPACE);
    /* 3. Nearest rows and padded voxels. */
    CHECK_ARG(ctx, bosc_voxels_nearest(ctx, NULL, p, 0, ids, 2), "voxels");
    CHECK_ARG(ctx, bosc_voxels_nearest(ctx, v, NULL, 0, ids, 2), "points: NULL");
    CHECK_ARG(ctx, bosc_voxels_nearest(ctx, v, p, 1, ids, 2), "stride");
    CHECK_ARG(ctx, bosc_voxels_nearest(ctx, v, p, 0, NULL, 2), "ids: NULL");
    CHECK_ARG(ctx, bosc_voxels_nearest(ctx, v, p, 0, odd, 2), "ids: not");
    CHECK_STATUS(ctx, bosc_voxels_nearest(ctx, v, p, 0, ids, 1), BOSC_ERR_SPACE);
    CHECK_ARG(ctx, bosc_voxels_pad(ctx, NULL, BOSC_F32, p, 2, 0, 3, values, 2), "voxels");
    CHECK_ARG(ctx, bosc_voxels_pad(ctx, v, BOSC_U8, p, 2, 0, 3, values, 2), "dtype");
    CHECK_ARG(ctx, bosc_voxels_pad(ctx, v, BOSC_F32, NULL, 2, 0, 3, values, 2), "features: NULL");
    CHECK_ARG(ctx, bosc_voxels_pad(ctx, v, BOSC_F32, p, 2, 0, 0, values, 2), "rows");
    CHECK_ARG(ctx, bosc_voxels_pad(ctx, v, BOSC_F32, p, 2, 0, INT64_MAX, values, 2), "rows");
    CHECK_ARG(ctx, bosc_voxels_pad(ctx, v, BOSC_F32, p, 2, 0, 3, NULL, 2), "padded: NULL");
    CHECK_ARG(ctx, bosc_voxels_pad(ctx, v, BOSC_F32, p, 2, 0, 3, odd, 2), "padded: not");
    CHECK_STATUS(ctx, bosc_voxels_pad(ctx, v, BOSC_F32, p, 2, 0, 3, values, 1), BOSC_ERR_SPACE);
    /* 4. Padded rows of three voxels that memory cannot hold; those of one it could. */
    p[4] = 9;
    CHECK_OK(ctx, bosc_voxels_build(ctx, v, p, 10, 0, NULL, 1));
    CHECK_ARG(ctx, bosc_voxels_pad(ctx, v, BOSC_I64, ids, 2, 0, INT64_MAX / 32, ids, 3), "rows: ");
    bosc_voxels_free(v);
}

static void refuses_bad_maps(bosc_ctx *ctx)
{
    const float p[6] = {0, 0, 5, 5, 1, 2};
    const bosc_voxels_opts of_three = {.size = sizeof of_three, .dim = 3, .cell = {1, 1, 1}};
    const int64_t offsets[3] = {0, 1, 2};
    int64_t map[40];
    bosc_voxels_kernel k = {.size = sizeof k}, bad = k;
    bosc_voxels *v = NULL, *other = NULL, *clouds = NULL;
    CHECK_OK(ctx, bosc_voxels_create(ctx, &good, &v));
    CHECK_OK(ctx, bosc_voxels_create(ctx, &good, &clouds));
    CHECK_OK(ctx, bosc_voxels_create(ctx, &of_three, &other));
    CHECK_OK(ctx, bosc_voxels_build(ctx, v, p, 2, 0, NULL, 1));
    CHECK_OK(ctx, bosc_voxels_build(ctx, clouds, p, 2, 0, offsets, 2));
    CHECK_OK(ctx, bosc_voxels_build(ctx, other, p, 2, 0, NULL, 1));
    CHECK_OK(ctx, bosc_voxels_kernel_map(ctx, v, v, &k, map, 2));
    /* 1. Voxelisations and arrays. */
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, NULL, v, &k, map, 2), "in");
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, NULL, &k, map, 2), "out");
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, other, &k, map, 2), "out: dim 3");
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, clouds, &k, map, 2), "out: 2 clouds");
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, v, &k, NULL, 2), "map: NULL");
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, v, &k, (int64_t *)((char *)map + 4), 2), "map: not");
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, v, &k, map, -2), "capacity");
    CHECK_STATUS(ctx, bosc_voxels_kernel_map(ctx, v, v, &k, map, 1), BOSC_ERR_SPACE);
    /* 2. Kernels; numbers beyond dim are ignored. */
    bad.size = 3;
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, v, &bad, map, 2), "kernel: size");
    bad = k, bad.shape[1] = 16;
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, v, &bad, map, 2), "kernel: shape[1]");
    bad = k, bad.stride[0] = -1;
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, v, &bad, map, 2), "kernel: stride[0]");
    bad = k, bad.dilation[0] = (1 << 20) + 1;
    CHECK_ARG(ctx, bosc_voxels_kernel_map(ctx, v, v, &bad, map, 2), "kernel: dilation[0]");
    bad = k, bad.shape[2] = bad.stride[2] = -7;
    CHECK_OK(ctx, bosc_voxels_kernel_map(ctx, v, v, &bad, map, 2));
    bosc_voxels_free(v);
    bosc_voxels_free(clouds);
    bosc_voxels_free(other);
}

static const struct suite_case suite_cases_voxels_args[] = {
    {"options", refuses_bad_options, NULL}, {"builds", refuses_bad_builds, NULL},
    {"far rows", refuses_far_rows, NULL},   {"large boxes", refuses_large_boxes, NULL},
    {"queries", refuses_bad_queries, NULL}, {"maps", refuses_bad_maps, NULL}};
SUITE(voxels_args);
