/* Voxel grids find the same as a search over all points, for every cell, radius and set of points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "cases/kdtree/kdtree_data.h"
#include "reference/voxelgrid.h"

static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};

static bosc_voxelgrid *grid_of(bosc_ctx *ctx, const struct reference_points *p, double cell, int32_t id_bits)
{
    bosc_voxelgrid_opts opts = {
        .size = sizeof opts, .dtype = p->dtype, .dim = p->dim, .cell = cell, .id_bits = id_bits};
    bosc_voxelgrid *grid = NULL;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &opts, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p->data, p->n, p->stride));
    return grid;
}

static double dist2_at(const void *dist2, bosc_dtype dtype, int64_t at)
{
    return dtype == BOSC_F32 ? (double)((const float *)dist2)[at] : ((const double *)dist2)[at];
}

static void check_pairs(bosc_ctx *ctx, bosc_voxelgrid *grid, const struct reference_points *p, double radius,
                        int32_t id_bits)
{
    double r2 = reference_square(p, radius);
    int64_t count = reference_pairs(p, r2, NULL, NULL), got = -1, components = -1;
    int64_t *pairs = suite_alloc((size_t)count * 16), *labels = suite_alloc((size_t)p->n * 8);
    double *dist2 = suite_alloc((size_t)count * 8);
    void *got_pairs = suite_alloc((size_t)count * 16), *got2 = suite_alloc((size_t)count * 8);
    void *got_labels = suite_alloc((size_t)p->n * 8);
    /* 1. Count, then list, with or without distances. */
    reference_pairs(p, r2, pairs, dist2);
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, radius, NULL, NULL, 0, &got));
    CHECK_EQ(got, count);
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, radius, got_pairs, count % 3 ? got2 : NULL, count, &got));
    CHECK_EQ(got, count);
    for (int64_t k = 0; k < 2 * count; k++) CHECK_EQ(kd_id(got_pairs, id_bits, k), pairs[k]);
    for (int64_t k = 0; k < count && count % 3; k++) CHECK(dist2_at(got2, p->dtype, k) == dist2[k]);
    /* 2. A capacity one too small writes nothing but the number. */
    if (count > 0) {
        got = -1;
        CHECK_STATUS(ctx, bosc_voxelgrid_pairs(ctx, grid, radius, got_pairs, NULL, count - 1, &got), BOSC_ERR_SPACE);
        CHECK_EQ(got, count);
    }
    /* 3. Components. */
    CHECK_OK(ctx, bosc_voxelgrid_components(ctx, grid, radius, got_labels, &components));
    CHECK_EQ(components, reference_components(p, r2, labels));
    for (int64_t i = 0; i < p->n; i++) CHECK_EQ(kd_id(got_labels, id_bits, i), labels[i]);
    free(pairs);
    free(labels);
    free(dist2);
    free(got_pairs);
    free(got2);
    free(got_labels);
}

/* Rows of a search for the points of `q` among those of `p`. */
static void check_radius(bosc_ctx *ctx, bosc_voxelgrid *grid, const struct reference_points *p,
                         const struct reference_points *q, double radius, int32_t id_bits)
{
    double r2 = reference_square(p, radius);
    int64_t *offsets = suite_alloc((size_t)(q->n + 1) * 8), *counts = suite_alloc((size_t)q->n * 8), at = 0;
    /* 1. Count, then list. */
    CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, q->data, q->n, q->stride, radius, offsets, NULL, NULL, 0));
    CHECK_OK(ctx, bosc_voxelgrid_radius_count(ctx, grid, q->data, q->n, q->stride, radius, counts));
    int64_t total = offsets[q->n];
    void *ids = suite_alloc((size_t)total * 8), *dist2 = suite_alloc((size_t)total * 8);
    CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, q->data, q->n, q->stride, radius, offsets, ids, dist2, total));
    /* 2. Each row against a search over all points. */
    for (int64_t i = 0; i < q->n; i++) {
        CHECK_EQ(offsets[i], at);
        for (int64_t j = 0; j < p->n; j++) {
            double d;
            if (!reference_is_within(p, j, kd_row(q, i), r2, &d)) continue;
            CHECK(at < total);
            CHECK_EQ(kd_id(ids, id_bits, at), j);
            CHECK(dist2_at(dist2, p->dtype, at) == d);
            at++;
        }
        CHECK_EQ(counts[i], at - offsets[i]);
    }
    CHECK_EQ(at, total);
    /* 3. A capacity one too small is refused. */
    if (total > 0)
        CHECK_STATUS(ctx,
                     bosc_voxelgrid_radius(ctx, grid, q->data, q->n, q->stride, radius, offsets, ids, NULL, total - 1),
                     BOSC_ERR_SPACE);
    free(offsets);
    free(counts);
    free(ids);
    free(dist2);
}

static int compare_cells(const int64_t *a, const int64_t *b, int32_t dim)
{
    for (int32_t c = 0; c < dim; c++)
        if (a[c] != b[c]) return a[c] < b[c] ? -1 : 1;
    return 0;
}

static bool same_voxel(const struct reference_points *p, int64_t i, const int64_t *coords, double cell)
{
    for (int32_t c = 0; c < p->dim; c++)
        if (reference_voxel(p, i, c, cell) != coords[c]) return false;
    return true;
}

static void check_voxels(bosc_ctx *ctx, bosc_voxelgrid *grid, const struct reference_points *p, double cell)
{
    int64_t count = -1, all = 0, again = -1, *counts = suite_alloc((size_t)p->n * 8);
    int64_t *coords = suite_alloc((size_t)(p->n * p->dim) * 8), *own = suite_alloc((size_t)p->n * 8);
    /* 1. Count, then list; own: the number of points in each point's voxel. */
    CHECK_OK(ctx, bosc_voxelgrid_voxels(ctx, grid, NULL, NULL, 0, &count));
    CHECK(count <= p->n && (count > 0 || p->n == 0));
    CHECK_OK(ctx, bosc_voxelgrid_voxels(ctx, grid, coords, counts, count, &again));
    CHECK_EQ(again, count);
    CHECK_OK(ctx, bosc_voxelgrid_voxel_count(ctx, grid, p->data, p->n, p->stride, own));
    /* 2. Voxels ascend, and each has its number of points. */
    for (int64_t v = 0; v < count; v++) {
        int64_t inside = 0;
        if (v > 0) CHECK(compare_cells(coords + (v - 1) * p->dim, coords + v * p->dim, p->dim) < 0);
        for (int64_t i = 0; i < p->n; i++) {
            if (!same_voxel(p, i, coords + v * p->dim, cell)) continue;
            inside++;
            CHECK_EQ(own[i], counts[v]);
        }
        CHECK_EQ(inside, counts[v]);
        all += inside;
    }
    /* 3. Every point is in one voxel; a capacity one too small is refused. */
    CHECK_EQ(all, p->n);
    again = -1;
    if (count > 0) CHECK_STATUS(ctx, bosc_voxelgrid_voxels(ctx, grid, coords, NULL, count - 1, &again), BOSC_ERR_SPACE);
    if (count > 0) CHECK_EQ(again, count);
    free(counts);
    free(coords);
    free(own);
}

/* Numbers of points in the voxels of queries, which may be empty. */
static void check_inhabitants(bosc_ctx *ctx, bosc_voxelgrid *grid, const struct reference_points *p,
                              const struct reference_points *q, double cell)
{
    int64_t *counts = suite_alloc((size_t)q->n * 8);
    CHECK_OK(ctx, bosc_voxelgrid_voxel_count(ctx, grid, q->data, q->n, q->stride, counts));
    for (int64_t i = 0; i < q->n; i++) {
        int64_t coords[3] = {0, 0, 0}, inside = 0;
        for (int32_t c = 0; c < q->dim; c++) coords[c] = reference_voxel(q, i, c, cell);
        for (int64_t j = 0; j < p->n; j++) inside += same_voxel(p, j, coords, cell);
        CHECK_EQ(counts[i], inside);
    }
    free(counts);
}

/* True if the box of the points' voxels is so long that squared distances between points may not fit. */
static bool is_long(const struct reference_points *p, double cell)
{
    bool is_long = false;
    for (int32_t c = 0; c < p->dim && p->n > 0; c++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (int64_t i = 0; i < p->n; i++) {
            const int64_t at = reference_voxel(p, i, c, cell);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        is_long |= ((double)high - (double)low + 1) * cell > (p->dtype == BOSC_F32 ? 0x1p61 : 0x1p509);
    }
    return is_long;
}

/* True if the square of a radius fits the type of squared distances, and (unless `small`) is not too large. */
static bool fits(const struct reference_points *p, double radius, bool small)
{
    const double r = p->dtype == BOSC_F32 ? (double)(float)radius : radius;
    if (r == 0 || isinf(r)) return true;
    return p->dtype == BOSC_F32 ? radius >= 0x1p-60 && (small || radius <= 0x1p62)
                                : radius >= 0x1p-508 && (small || radius <= 0x1p510);
}

static void check_all(bosc_ctx *ctx, const struct reference_points *p, const struct reference_points *q, double cell,
                      double radius, int32_t id_bits)
{
    bosc_voxelgrid *grid = grid_of(ctx, p, cell, id_bits);
    int64_t count = -1, none = -1;
    check_voxels(ctx, grid, p, cell);
    if (fits(p, radius, !is_long(p, cell))) {
        check_pairs(ctx, grid, p, radius, id_bits);
    } else {
        CHECK_STATUS(ctx, bosc_voxelgrid_pairs(ctx, grid, radius, NULL, NULL, 0, &count), BOSC_ERR_LIMIT);
        CHECK(count == -1 && strncmp(bosc_ctx_message(ctx), "radius: ", 8) == 0);
    }
    if (fits(p, radius, false))
        check_radius(ctx, grid, p, q, radius, id_bits);
    else if (q->n > 0)
        CHECK_STATUS(ctx, bosc_voxelgrid_radius_count(ctx, grid, q->data, 1, 0, radius, &none), BOSC_ERR_LIMIT);
    check_inhabitants(ctx, grid, p, q, cell);
    bosc_voxelgrid_free(grid);
}

static void every_shape_and_type(bosc_ctx *ctx)
{
    static const double cells[] = {0.37, 1, 50, 1e-3, 1e30, 5e-324, 1e-40, 1.7e308};
    static const double radii[] = {0, 1, 50, 1e-3, 1e18, 1e-22, 1e200, INFINITY, 0.1};
    struct suite_random r = {31};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 4; t++)
            for (int trial = 0; trial < 3; trial++) {
                if (suite_leaves_out()) continue;
                int32_t dim = 1 + (int32_t)suite_below(&r, 3);
                int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 30 : 80);
                struct reference_points p = kd_points(&r, dtypes[t], dim, n, dim + trial % 2, (enum kd_shape)s);
                struct reference_points q = kd_points(&r, dtypes[t], dim, n / 3, dim, (enum kd_shape)s);
                double cell = cells[suite_below(&r, trial < 2 ? 3 : 8)], radius = radii[suite_below(&r, 9)];
                check_all(ctx, &p, &q, cell, radius, trial % 2 ? 32 : 64);
                free((void *)p.data);
                free((void *)q.data);
            }
}

/* Points on the borders of voxels and next to them; radii that just reach a point or just miss it. */
static void borders(bosc_ctx *ctx)
{
    static const double cells[] = {1, 0.1, 1.0 / 3, 7e-5, 3e5};
    struct suite_random r = {32};
    for (int trial = 0; trial < (suite_slow(ctx) ? 12 : 40); trial++) {
        if (suite_leaves_out()) continue;
        bosc_dtype dtype = trial % 2 ? BOSC_F64 : BOSC_F32;
        int32_t dim = 1 + trial / 2 % 3;
        int64_t n = suite_slow(ctx) ? 24 : 50;
        double cell = cells[trial % 5];
        struct reference_points p = kd_points(&r, dtype, dim, n, dim, KD_EQUAL);
        /* A multiple of the cell, or a number next to it. */
        for (int64_t at = 0; at < n * dim; at++) {
            double x = ((double)suite_below(&r, 7) - 3) * cell;
            int side = (int)suite_below(&r, 3) - 1;
            if (dtype == BOSC_F32) {
                float f = (float)x;
                ((float *)p.data)[at] = side ? nextafterf(f, side > 0 ? INFINITY : -INFINITY) : f;
            } else {
                ((double *)p.data)[at] = side ? nextafter(x, side > 0 ? INFINITY : -INFINITY) : x;
            }
        }
        /* Multiples of half a cell, exact and a little less; then radius and cell exchanged. */
        double times = (double)(1 + suite_below(&r, 4)) / 2, radius = times * cell;
        check_all(ctx, &p, &p, cell, radius, 64);
        check_all(ctx, &p, &p, cell, nextafter(radius, 0), 32);
        check_all(ctx, &p, &p, radius, cell, 32);
        free((void *)p.data);
    }
}

/* The same for floats far from 0, where rounding errors are as large as the distances of points from borders. */
static void far_borders(bosc_ctx *ctx)
{
    static const double cells[] = {0.1, 7e-5, 0.37, 3e5, 1 - 0x1.04p-24},
                        from[] = {500, -70000, -1e6, 2090000, 4194240};
    struct suite_random r = {39};
    for (int trial = 0; trial < 25; trial++) {
        if (suite_leaves_out()) continue;
        const int64_t n = 40;
        const double cell = cells[trial / 5];
        struct reference_points p = kd_points(&r, BOSC_F32, 1, n, 1, KD_EQUAL);
        for (int64_t i = 0; i < n; i++) {
            const float x = (float)((from[trial % 5] + (double)suite_below(&r, 60)) * cell);
            const int side = (int)suite_below(&r, 3) - 1;
            ((float *)p.data)[i] = side ? nextafterf(x, side > 0 ? INFINITY : -INFINITY) : x;
        }
        check_all(ctx, &p, &p, cell, cell, 64);
        free((void *)p.data);
    }
}

/* A few distant points: the extent in voxels exceeds the keys. */
static void distant_points(bosc_ctx *ctx)
{
    static const double far[] = {1e10, -1e15, 1e30, -1e38, INFINITY, -INFINITY};
    struct suite_random r = {33};
    for (int trial = 0; trial < 24; trial++) {
        if (suite_leaves_out()) continue;
        bosc_dtype dtype = dtypes[trial % 4];
        int32_t dim = 1 + trial % 3;
        int64_t n = suite_slow(ctx) ? 30 : 80;
        struct reference_points p = kd_points(&r, dtype, dim, n, dim, KD_RANDOM);
        for (int k = 0; k < 4; k++)
            kd_set((void *)p.data, dtype, (int64_t)suite_below(&r, (uint64_t)(n * dim)), far[(trial + k) % 6]);
        check_all(ctx, &p, &p, 150, 100, 64);
        free((void *)p.data);
    }
}

/* Keys of exactly 64 bits, of one less and of one more: the last voxel's key is all ones, and no key follows it. */
static void full_keys(bosc_ctx *ctx)
{
    for (int32_t key_bits = 63; key_bits <= 65; key_bits++) {
        const double high = ldexp(1, key_bits - 32) - 0.5, wide = 4294967295.5;
        const double at[] = {0.5, 0.5, high, wide, 0.5, wide, high - 1, wide, high, wide - 1, high, 0.5, high, wide};
        const struct reference_points p = {BOSC_F64, 2, 7, 2, at};
        bosc_voxelgrid *grid = grid_of(ctx, &p, 1, 64);
        bosc_voxelgrid_info info = {.size = sizeof info};
        CHECK_OK(ctx, bosc_voxelgrid_get_info(ctx, grid, &info));
        CHECK_EQ(info.key_bits, key_bits);
        bosc_voxelgrid_free(grid);
        for (double radius = 0.25; radius < 1e11; radius *= 8) check_all(ctx, &p, &p, 1, radius, 64);
    }
}

static void fewer_than_8_points(bosc_ctx *ctx)
{
    struct suite_random r = {34};
    for (int64_t n = 0; n < 8; n++)
        for (int32_t dim = 1; dim <= 3; dim++) {
            struct reference_points p = kd_points(&r, BOSC_F32, dim, n, dim, n % 2 ? KD_GRID : KD_RANDOM);
            struct reference_points q = kd_points(&r, BOSC_F32, dim, 3, dim, KD_GRID);
            check_all(ctx, &p, &q, 2, 1, 64);
            free((void *)p.data);
            free((void *)q.data);
        }
}

/* Sizes that need several tiles, keys of more than 32 bits, and directories coarser than voxels. The answers are
 * compared with a k-d tree's. */
static void several_tiles_match_kdtree(bosc_ctx *ctx)
{
    static const double cells[] = {3, 0.5, 0.02, 1e-4};
    struct suite_random r = {35};
    int64_t n = suite_slow(ctx) ? 4100 : 5000; /* queries are ordered from 4,096 on */
    struct reference_points p = kd_points(&r, BOSC_F64, 3, n, 4, KD_CLUSTERS);
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = 3};
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    size_t bytes = (size_t)(n + 1) * 8;
    int64_t *right = suite_alloc(bytes), *offsets = suite_alloc(bytes);
    double radius = 2e-5;
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, p.data, n, 4, radius, right, NULL, NULL, 0));
    int64_t total = right[n], *right_ids = suite_alloc((size_t)total * 8), *ids = suite_alloc((size_t)total * 8);
    CHECK(total > n);
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, p.data, n, 4, radius, right, right_ids, NULL, total));
    for (int k = 0; k < 4; k++) {
        int64_t pairs = -1;
        bosc_voxelgrid *grid = grid_of(ctx, &p, cells[k], 64);
        CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, p.data, n, 4, radius, offsets, NULL, NULL, 0));
        CHECK(memcmp(offsets, right, bytes) == 0);
        CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, p.data, n, 4, radius, offsets, ids, NULL, total));
        CHECK(memcmp(ids, right_ids, (size_t)total * 8) == 0);
        CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, radius, NULL, NULL, 0, &pairs));
        CHECK_EQ(pairs, (total - n) / 2);
        bosc_voxelgrid_free(grid);
    }
    bosc_kdtree_free(tree);
    free((void *)p.data);
    free(right);
    free(offsets);
    free(right_ids);
    free(ids);
}

/* Queries that find nearly all points, and some: rows about as long as those sorted by threads, warps and blocks. */
static void long_rows(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {31, 33, 34, 64, 65, 127, 129, 130, 250, 257, 700, 2047, 2049, 4097, 7000};
    struct suite_random r = {37};
    for (size_t i = 0; i < (suite_slow(ctx) ? 11 : sizeof sizes / sizeof sizes[0]); i++) {
        if (suite_leaves_out()) continue;
        struct reference_points p = kd_points(&r, dtypes[i % 4], 2, sizes[i], 2, i % 3 ? KD_RANDOM : KD_EQUAL);
        struct reference_points q = kd_points(&r, dtypes[i % 4], 2, 5, 2, KD_RANDOM);
        bosc_voxelgrid *grid = grid_of(ctx, &p, 40, i % 2 ? 32 : 64);
        check_radius(ctx, grid, &p, &q, 1e4, i % 2 ? 32 : 64);
        check_radius(ctx, grid, &p, &q, 60, i % 2 ? 32 : 64);
        if (sizes[i] <= 257) check_pairs(ctx, grid, &p, 1e4, i % 2 ? 32 : 64);
        bosc_voxelgrid_free(grid);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* Arrays in the context's memory and on the host give the same results. */
static void device_arrays(bosc_ctx *ctx)
{
    struct suite_random r = {36};
    struct reference_points p = kd_points(&r, BOSC_F32, 2, 90, 2, KD_GRID);
    bosc_voxelgrid *grid = grid_of(ctx, &p, 1, 32), *other;
    /* Searches, pairs and components with all arrays in one kind of memory. */
    for (int on_device = 0; on_device <= has_device_memory(ctx); on_device++) {
        struct array points = array_make(ctx, p.data, 90 * 8, on_device);
        struct reference_points q = {p.dtype, p.dim, p.n, p.stride, points.p};
        int64_t total = 0, pairs = 0, want = -1;
        other = grid_of(ctx, &q, 1, 32);
        struct array offsets = array_make(ctx, NULL, 91 * 8, on_device);
        CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, other, points.p, 90, 0, 1, offsets.p, NULL, NULL, 0));
        total = ((int64_t *)array_get(ctx, &offsets))[90];
        struct array ids = array_make(ctx, NULL, (size_t)total * 4, on_device);
        struct array dist2 = array_make(ctx, NULL, (size_t)total * 4, on_device);
        CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, other, points.p, 90, 0, 1, offsets.p, ids.p, dist2.p, total));
        array_get(ctx, &ids);
        array_get(ctx, &dist2);
        CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, NULL, NULL, 0, &want));
        struct array list = array_make(ctx, NULL, (size_t)want * 8, on_device);
        CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, other, 1, list.p, NULL, want, &pairs));
        CHECK_EQ(pairs, want);
        /* Each pair is found from both ends, and each point finds itself. */
        CHECK_EQ(total, 2 * want + 90);
        array_get(ctx, &list);
        struct array labels = array_make(ctx, NULL, 90 * 4, on_device);
        CHECK_OK(ctx, bosc_voxelgrid_components(ctx, other, 1, labels.p, NULL));
        CHECK_EQ(((uint32_t *)array_get(ctx, &labels))[0], 0);
        array_free(ctx, &points);
        array_free(ctx, &offsets);
        array_free(ctx, &ids);
        array_free(ctx, &dist2);
        array_free(ctx, &list);
        array_free(ctx, &labels);
        bosc_voxelgrid_free(other);
    }
    bosc_voxelgrid_free(grid);
    free((void *)p.data);
}

/* Pairs in device memory equal those on the host; without capacity for all of them nothing is written. */
static void pairs_in_reach(bosc_ctx *ctx)
{
    struct suite_random r = {38};
    for (int64_t n = 60; has_device_memory(ctx) && n <= 240; n *= 4) {
        struct reference_points p = kd_points(&r, BOSC_F32, 2, n, 2, KD_GRID);
        bosc_voxelgrid *grid = grid_of(ctx, &p, 1, 64);
        int64_t count = -1, got = -1;
        CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, NULL, NULL, 0, &count));
        const size_t bytes = (size_t)count * 16;
        struct array want = array_make(ctx, NULL, bytes, false), pairs = array_make(ctx, NULL, bytes, true);
        struct array dist2 = array_make(ctx, NULL, bytes / 4, true);
        unsigned char *before = suite_alloc(bytes);
        memcpy(before, array_get(ctx, &pairs), bytes);
        /* 1. A capacity one too small leaves the arrays unchanged. */
        CHECK_EQ(bosc_voxelgrid_pairs(ctx, grid, 1, pairs.p, dist2.p, count - 1, &got), BOSC_ERR_SPACE);
        CHECK_EQ(got, count);
        CHECK(memcmp(array_get(ctx, &pairs), before, bytes) == 0);
        CHECK(memcmp(array_get(ctx, &dist2), before, bytes / 4) == 0);
        /* 2. Device and host arrays receive the same pairs. */
        CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, pairs.p, NULL, count, &got));
        CHECK_EQ(got, count);
        CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, want.p, NULL, count, &got));
        CHECK(memcmp(array_get(ctx, &pairs), array_get(ctx, &want), bytes) == 0);
        free(before);
        array_free(ctx, &want);
        array_free(ctx, &pairs);
        array_free(ctx, &dist2);
        bosc_voxelgrid_free(grid);
        free((void *)p.data);
    }
}

/* More pairs than one search collects: about 65,000 a thread, and 72 a point. Twice as much capacity as pairs. */
static void crowded_pairs(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 60 : 500, most = n * n;
    struct suite_random r = {61};
    struct reference_points p = kd_points(&r, BOSC_F64, 3, n, 3, KD_RANDOM);
    bosc_voxelgrid *grid = grid_of(ctx, &p, 1e9, 64);
    int64_t *pairs = suite_alloc((size_t)most * 16), count = -1, at = 0;
    double *dist2 = suite_alloc((size_t)most * 8);
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 1e9, pairs, dist2, most, &count));
    CHECK_EQ(count, n * (n - 1) / 2);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++, at++) {
            CHECK(pairs[2 * at] == i && pairs[2 * at + 1] == j);
            CHECK(dist2[at] == reference_dist2(&p, j, kd_row(&p, i)));
        }
    free(pairs);
    free(dist2);
    bosc_voxelgrid_free(grid);
    free((void *)p.data);
}

/* Infinite coordinates, whose differences are no numbers, are within an infinite radius of each other. */
static void infinite_radius(bosc_ctx *ctx)
{
    struct suite_random r = {62};
    for (int32_t dim = 1; dim <= 3; dim++) {
        for (int t = 0; t < 2; t++) {
            struct reference_points p = kd_points(&r, dtypes[t], dim, 17, dim, KD_SPECIAL);
            bosc_voxelgrid *grid = grid_of(ctx, &p, 1, 64);
            for (int64_t i = 0; i < 6; i++) kd_set((void *)p.data, p.dtype, i * dim, INFINITY);
            CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, p.stride));
            check_pairs(ctx, grid, &p, INFINITY, 64);
            bosc_voxelgrid_free(grid);
            free((void *)p.data);
        }
    }
}

/* Expects the searches at radius 0 to find rows 1 and 2, and rows 3 and n - 1 equal, and no others. */
static void check_equal_rows(bosc_ctx *ctx, bosc_voxelgrid *grid, const void *points, int64_t n)
{
    int64_t *counts = suite_alloc((size_t)n * 8), *offsets = suite_alloc((size_t)(n + 1) * 8);
    int64_t *ids = suite_alloc((size_t)(n + 4) * 8), *labels = suite_alloc((size_t)n * 8), pairs[4], count;
    /* 1. Rows, of the points as queries and of the grid's own. */
    for (int own = 0; own < 2; own++) {
        const void *queries = own ? NULL : points;
        CHECK_OK(ctx, bosc_voxelgrid_radius_count(ctx, grid, queries, n, 0, 0, counts));
        CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, queries, n, 0, 0, offsets, NULL, NULL, 0));
        CHECK_EQ(offsets[n], n + 4);
        CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, queries, n, 0, 0, offsets, ids, NULL, n + 4));
        for (int64_t i = 0; i < n; i++) {
            const int64_t first = i == 2 ? 1 : i == n - 1 ? 3 : i, members = i == 1 || i == 3 || first < i ? 2 : 1;
            CHECK_EQ(counts[i], members);
            CHECK_EQ(offsets[i + 1] - offsets[i], members);
            CHECK_EQ(ids[offsets[i]], first);
        }
    }
    /* 2. Pairs and components. */
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 0, NULL, NULL, 0, &count));
    CHECK_EQ(count, 2);
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 0, pairs, NULL, 2, &count));
    CHECK(pairs[0] == 1 && pairs[1] == 2 && pairs[2] == 3 && pairs[3] == n - 1);
    CHECK_OK(ctx, bosc_voxelgrid_components(ctx, grid, 0, labels, &count));
    CHECK_EQ(count, n - 2);
    for (int64_t i = 0; i < n; i++) CHECK_EQ(labels[i], i == 2 ? 1 : i == n - 1 ? 3 : i);
    free(counts);
    free(offsets);
    free(ids);
    free(labels);
}

/* At radius 0 points whose differences have squares of 0 are not equal. The sparse grid has a point far off. */
static void squares_of_zero(bosc_ctx *ctx)
{
    enum { N = 40 };
    for (int t = 0; t < 2; t++)
        for (int32_t dim = 1; dim <= 3; dim++)
            for (int sparse = 0; sparse < 2; sparse++) {
                const struct reference_points p = {
                    .data = suite_alloc((size_t)(N * dim) * 8), .dtype = dtypes[t], .n = N, .dim = dim, .stride = dim};
                const double unit = t ? 0x1p-700 : 0x1p-100;
                for (int64_t i = 0; i < N * dim; i++) kd_set((void *)p.data, p.dtype, i, 0);
                for (int64_t i = 0; i < N; i++) {
                    const int64_t value = i == 2 ? 1 : i == N - 1 ? 3 : i;
                    kd_set((void *)p.data, p.dtype, i * dim + dim - 1, unit * (double)value);
                }
                if (sparse) kd_set((void *)p.data, p.dtype, (N - 2) * dim, 1e6);
                bosc_voxelgrid *grid = grid_of(ctx, &p, 1, 64);
                CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, p.stride));
                check_equal_rows(ctx, grid, p.data, N);
                bosc_voxelgrid_free(grid);
                free((void *)p.data);
            }
}

static const struct suite_case suite_cases_voxelgrid[] = {
    {"shapes", every_shape_and_type, NULL},   {"borders", borders, NULL},
    {"far borders", far_borders, NULL},       {"pairs in reach", pairs_in_reach, NULL},
    {"distant points", distant_points, NULL}, {"full keys", full_keys, NULL},
    {"small", fewer_than_8_points, NULL},     {"large", several_tiles_match_kdtree, NULL},
    {"long rows", long_rows, NULL},           {"memory", device_arrays, NULL},
    {"crowded pairs", crowded_pairs, NULL},   {"infinite radius", infinite_radius, NULL},
    {"squares of 0", squares_of_zero, NULL},
};
SUITE(voxelgrid);
