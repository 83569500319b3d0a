/* Voxelisations: rebuilds, memory, lifetime beyond their context, recorded calls. */
#include "cases/voxels/voxels_data.h"
#include "support/arrays.h"
#include "support/capture.h"
#include "support/counted.h"

/* A voxelisation of device arrays, and the calls that queue. */
struct recorded {
    bosc_voxels *voxels;
    struct array points, offsets, coords, counts, ids, starts, rows, means, gradients, nearest, padded, map;
    int64_t n, count, limit;
};

enum { MOST_VOXELS = 40, PADDED = 3, VOLUME = 27 };

static void queue_calls(bosc_ctx *ctx, void *user)
{
    struct recorded *r = user;
    CHECK_OK(ctx, bosc_voxels_build(ctx, r->voxels, r->points.p, r->n, 3, r->offsets.p, r->count));
    CHECK_OK(ctx, bosc_voxels_list(ctx, r->voxels, r->coords.p, r->counts.p, NULL, NULL, r->limit));
    CHECK_OK(ctx, bosc_voxels_inverse(ctx, r->voxels, r->ids.p));
    CHECK_OK(ctx, bosc_voxels_members(ctx, r->voxels, r->starts.p, r->rows.p, r->limit));
    CHECK_OK(ctx, bosc_voxels_mean(ctx, r->voxels, BOSC_F32, r->points.p, 3, 3, r->means.p, r->limit));
    CHECK_OK(ctx, bosc_voxels_mean_gradient(ctx, r->voxels, BOSC_F32, r->means.p, 3, r->gradients.p, r->limit));
    CHECK_OK(ctx, bosc_voxels_nearest(ctx, r->voxels, r->points.p, 3, r->nearest.p, r->limit));
    CHECK_OK(ctx, bosc_voxels_pad(ctx, r->voxels, BOSC_F32, r->points.p, 3, 3, PADDED, r->padded.p, r->limit));
    CHECK_OK(ctx, bosc_voxels_kernel_map(ctx, r->voxels, r->voxels, NULL, r->map.p, r->limit));
}

static void check_recorded(bosc_ctx *ctx, struct recorded *r, const struct voxels_batch *b)
{
    const struct reference_voxels v = voxels_reference(b);
    const int32_t *coords = array_get(ctx, &r->coords);
    const int64_t *counts = array_get(ctx, &r->counts), *ids = array_get(ctx, &r->ids);
    const int64_t *starts = array_get(ctx, &r->starts), *rows = array_get(ctx, &r->rows);
    const int64_t *nearest = array_get(ctx, &r->nearest), *map = array_get(ctx, &r->map);
    const float *means = array_get(ctx, &r->means), *padded = array_get(ctx, &r->padded), *p = b->points;
    const float *gradients = array_get(ctx, &r->gradients);
    int64_t count = 0;
    CHECK_OK(ctx, bosc_voxels_count(ctx, r->voxels, &count));
    CHECK_EQ(count, v.count);
    /* 1. Voxels. */
    for (int64_t i = 0; i < v.count; i++) {
        CHECK_EQ(counts[i], v.counts[i]);
        CHECK_EQ(map[i * VOLUME + VOLUME / 2], i);
        CHECK_EQ(nearest[i], reference_voxels_nearest(&v, &b->opts, i, b->points, 3));
        for (int c = 0; c < 3; c++) {
            CHECK_EQ(coords[3 * i + c], v.at[3 * i + c]);
            CHECK(means[3 * i + c] == (float)reference_voxels_mean(&v, i, b->points, BOSC_F32, 3, c));
        }
    }
    CHECK(starts[v.count] == starts[r->limit]);
    /* 2. Rows. */
    for (int64_t i = 0; i < b->n; i++) {
        CHECK_EQ(ids[i], v.inverse[i]);
        if (v.rank[i] >= 0) CHECK_EQ(rows[starts[v.inverse[i]] + v.rank[i]], i);
        for (int c = 0; c < 3; c++) {
            const double mean = v.rank[i] >= 0 ? (double)means[3 * v.inverse[i] + c] : 0;
            CHECK(gradients[3 * i + c] == (float)(v.rank[i] >= 0 ? mean / (double)v.counts[v.inverse[i]] : 0));
            if (v.rank[i] >= 0 && v.rank[i] < PADDED)
                CHECK(padded[(v.inverse[i] * PADDED + v.rank[i]) * 3 + c] == p[3 * i + c]);
        }
    }
    struct reference_voxels w = v;
    reference_voxels_free(&w);
}

/* Writes rows of another draw into the array of points. */
static void replace_points(bosc_ctx *ctx, struct recorded *r, struct voxels_batch *b, struct suite_random *random)
{
    for (int64_t i = 0; i < 3 * b->n; i++)
        voxels_set(b, i, voxels_coordinate(random, suite_below(random, 2) ? VOXELS_FEW : VOXELS_UNIFORM, true));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, r->points.p, b->points, (size_t)r->n * 12));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
}

/* All calls are recorded, and replayed with other points: numbers of voxels stay on the device. */
static void recorded(bosc_ctx *ctx)
{
    const bool device = has_device_memory(ctx);
    struct suite_random random = {3};
    for (int t = 0; t < 2; t++) {
        /* 1. A voxelisation and its arrays. */
        struct voxels_batch b = voxels_make(&random, BOSC_F32, 3, 300, 5, VOXELS_UNIFORM);
        struct recorded r = {.n = b.n, .count = b.count};
        bosc_voxels_info info = {.size = sizeof info};
        struct capture c;
        b.stride = 3;
        b.opts.assume_valid = 1;
        b.opts.max_voxels = t ? MOST_VOXELS : 0;
        for (int a = 0; a < 3; a++) b.opts.shape[a] = 8;
        r.limit = t ? 5 * MOST_VOXELS : b.n;
        r.points = array_make(ctx, b.points, (size_t)r.n * 12, device);
        r.offsets = array_make(ctx, b.offsets, (size_t)(r.count + 1) * 8, device);
        r.coords = array_make(ctx, NULL, (size_t)r.limit * 12, device);
        r.counts = array_make(ctx, NULL, (size_t)r.limit * 8, device);
        r.ids = array_make(ctx, NULL, (size_t)r.n * 8, device);
        r.starts = array_make(ctx, NULL, (size_t)(r.limit + 1) * 8, device);
        r.rows = array_make(ctx, NULL, (size_t)r.n * 8, device);
        r.means = array_make(ctx, NULL, (size_t)r.limit * 12, device);
        r.gradients = array_make(ctx, NULL, (size_t)r.n * 12, device);
        r.nearest = array_make(ctx, NULL, (size_t)r.limit * 8, device);
        r.padded = array_make(ctx, NULL, (size_t)r.limit * PADDED * 12, device);
        r.map = array_make(ctx, NULL, (size_t)r.limit * VOLUME * 8, device);
        /* 2. Record, and replay with other points. */
        CHECK_OK(ctx, bosc_voxels_create(ctx, &b.opts, &r.voxels));
        capture_open(&c, ctx, queue_calls, &r);
        CHECK_OK(ctx, bosc_voxels_get_info(ctx, r.voxels, &info));
        CHECK(info.voxel_count == -1 && info.voxel_limit == r.limit);
        for (int replay = 0; replay < 3; replay++) {
            replace_points(ctx, &r, &b, &random);
            capture_replay(&c);
            check_recorded(ctx, &r, &b);
        }
        capture_close(&c);
        bosc_voxels_free(r.voxels);
        struct array *const all[] = {&r.points, &r.offsets, &r.coords,    &r.counts,  &r.ids,    &r.starts,
                                     &r.rows,   &r.means,   &r.gradients, &r.nearest, &r.padded, &r.map};
        for (int a = 0; a < 12; a++) array_free(ctx, all[a]);
        voxels_release(&b);
    }
}

/* A second build of the same or a smaller size allocates nothing, nor does a first one after a reserve. */
static void memory(bosc_ctx *ctx)
{
    struct suite_random random = {4};
    const int64_t most = suite_slow(ctx) ? 5000 : 20000;
    for (int t = 0; t < 4; t++) {
        struct counted c;
        struct voxels_batch b = voxels_make(&random, t % 2 ? BOSC_F64 : BOSC_F32, 3, most, 7, VOXELS_UNIFORM);
        bosc_voxels_info info = {.size = sizeof info};
        int64_t kept = 0, scratch = 0;
        bosc_voxels *voxels = NULL;
        if (t > 1) b.opts.max_voxels = 100;
        counted_open(&c, ctx, 0);
        /* 1. Memory is what bytes says, or reserved. */
        CHECK_OK(c.ctx, bosc_voxels_bytes(c.ctx, &b.opts, b.n, b.count, &kept, &scratch));
        CHECK_OK(c.ctx, bosc_voxels_create(c.ctx, &b.opts, &voxels));
        if (t == 2) CHECK_OK(c.ctx, bosc_voxels_reserve(c.ctx, voxels, b.n, b.count));
        const int64_t reserved = c.allocations;
        CHECK_OK(c.ctx, bosc_voxels_build(c.ctx, voxels, b.points, b.n, b.stride, b.offsets, b.count));
        if (t == 2) CHECK_EQ(c.allocations, reserved);
        CHECK_OK(c.ctx, bosc_voxels_get_info(c.ctx, voxels, &info));
        CHECK(info.n == b.n && info.cloud_count == b.count && info.voxel_count <= info.voxel_limit);
        CHECK(info.bytes <= kept && (t == 2 || counted_scratch(c.ctx) <= scratch + (1 << 16)));
        /* 2. The same again allocates nothing. */
        const int64_t before = c.allocations;
        CHECK_OK(c.ctx, bosc_voxels_build(c.ctx, voxels, b.points, b.n, b.stride, b.offsets, b.count));
        CHECK_OK(c.ctx, bosc_voxels_build(c.ctx, voxels, b.points, b.offsets[2], b.stride, b.offsets, 2));
        CHECK_EQ(c.allocations, before);
        bosc_voxels_free(voxels);
        counted_close(&c);
        voxels_release(&b);
    }
}

/* A reserve keeps the voxels, and a voxelisation outlives its context. */
static void outlive(bosc_ctx *ctx)
{
    struct suite_random random = {5};
    struct voxels_batch b = voxels_make(&random, BOSC_F32, 3, 100, 4, VOXELS_UNIFORM);
    const bosc_ctx_opts like = suite_opts_like(ctx);
    int64_t *ids = suite_alloc((size_t)b.n * 8), offsets[2] = {7, 7}, count = -1;
    bosc_ctx *first = suite_open(&like);
    bosc_voxels *voxels = voxels_build(first, &b);
    struct reference_voxels v = voxels_reference(&b);
    CHECK_OK(first, bosc_voxels_reserve(first, voxels, 5000, 50));
    bosc_ctx_free(first);
    CHECK_OK(ctx, bosc_voxels_inverse(ctx, voxels, ids));
    for (int64_t i = 0; i < b.n; i++) CHECK_EQ(ids[i], v.inverse[i]);
    /* A voxelisation of no points, built or not; a map from one to the other. */
    bosc_voxels *none = NULL;
    CHECK_OK(ctx, bosc_voxels_create(ctx, &b.opts, &none));
    CHECK_OK(ctx, bosc_voxels_count(ctx, none, &count));
    CHECK_EQ(count, 0);
    CHECK_OK(ctx, bosc_voxels_list(ctx, none, NULL, NULL, NULL, offsets, 0));
    CHECK(offsets[0] == 0 && offsets[1] == 7);
    CHECK_OK(ctx, bosc_voxels_members(ctx, none, offsets + 1, NULL, 0));
    CHECK_EQ(offsets[1], 0);
    CHECK_OK(ctx, bosc_voxels_build(ctx, none, NULL, 0, 0, b.offsets, 0));
    CHECK_OK(ctx, bosc_voxels_build(ctx, none, NULL, 0, 0, (const int64_t[5]){0, 0, 0, 0, 0}, 4));
    int64_t *map = suite_alloc((size_t)v.count * 27 * 8);
    CHECK_OK(ctx, bosc_voxels_kernel_map(ctx, none, voxels, NULL, map, v.count));
    for (int64_t i = 0; i < 27 * v.count; i++) CHECK_EQ(map[i], -1);
    CHECK_OK(ctx, bosc_voxels_kernel_map(ctx, voxels, none, NULL, NULL, 0));
    bosc_voxels_free(none);
    bosc_voxels_free(voxels);
    reference_voxels_free(&v);
    voxels_release(&b);
    free(map);
    free(ids);
}

static const struct suite_case suite_cases_voxels_life[] = {
    {"recorded", recorded, NULL}, {"memory", memory, NULL}, {"outlive", outlive, NULL}};
SUITE(voxels_life);
