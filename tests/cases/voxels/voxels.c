/* Voxelisations equal plain ones: ids, lists, members, means and their gradients, nearest rows, padded voxels, kernel
 * maps. */
#include "cases/voxels/voxels_data.h"

enum { UNTOUCHED = 0x55 };

static void check_lists(bosc_ctx *ctx, const struct voxels_batch *b, const bosc_voxels *voxels,
                        const struct reference_voxels *v)
{
    const int64_t count = v->count, n = b->n, room = count + 2;
    const int32_t dim = b->opts.dim, bits = b->opts.id_bits;
    int32_t *coords = suite_alloc((size_t)(room * dim) * 4);
    int64_t *counts = suite_alloc((size_t)room * 8), *offsets = suite_alloc((size_t)(room + 1) * 8), known = -1;
    int64_t clouds[VOXELS_CLOUDS + 1];
    void *ids = suite_alloc((size_t)(n + room) * 8);
    /* 1. The lists of voxels; longer arrays keep their ends. */
    memset(coords, UNTOUCHED, (size_t)(room * dim) * 4);
    CHECK_OK(ctx, bosc_voxels_count(ctx, voxels, &known));
    CHECK_EQ(known, count);
    CHECK_OK(ctx, bosc_voxels_list(ctx, voxels, coords, counts, ids, clouds, room));
    for (int64_t i = 0; i < count; i++) {
        for (int32_t c = 0; c < dim; c++) CHECK_EQ(coords[i * dim + c], v->at[3 * i + c]);
        CHECK_EQ(counts[i], v->counts[i]);
        CHECK_EQ(voxels_id(ids, bits, i), v->firsts[i]);
        CHECK(i >= clouds[v->cloud[i]] && i < clouds[v->cloud[i] + 1]);
    }
    CHECK(clouds[0] == 0 && clouds[b->count] == count);
    CHECK_EQ(coords[count * dim], 0x55555555);
    if (count > 0)
        CHECK_STATUS(ctx, bosc_voxels_list(ctx, voxels, NULL, counts, NULL, NULL, count - 1), BOSC_ERR_SPACE);
    /* 2. The voxel of each row. */
    CHECK_OK(ctx, bosc_voxels_inverse(ctx, voxels, ids));
    for (int64_t i = 0; i < n; i++) CHECK_EQ(voxels_id(ids, bits, i), v->inverse[i]);
    /* 3. The rows of each voxel. */
    memset(ids, UNTOUCHED, (size_t)(n + room) * 8);
    CHECK_OK(ctx, bosc_voxels_members(ctx, voxels, offsets, ids, room));
    CHECK(offsets[0] == 0 && offsets[room] == offsets[count]);
    for (int64_t i = 0; i < count; i++) CHECK_EQ(offsets[i + 1] - offsets[i], v->counts[i]);
    for (int64_t i = 0; i < n; i++)
        if (v->rank[i] >= 0) CHECK_EQ(voxels_id(ids, bits, offsets[v->inverse[i]] + v->rank[i]), i);
    CHECK_EQ(((const uint32_t *)ids)[offsets[count] * (bits / 32)], 0x55555555);
    free(coords);
    free(counts);
    free(offsets);
    free(ids);
}

static void *draw_features(struct suite_random *r, bosc_dtype dtype, int64_t elements)
{
    void *features = suite_alloc((size_t)elements * 8);
    for (int64_t i = 0; i < elements; i++) {
        const double x = suite_unit(r) * 8 - 3;
        if (dtype == BOSC_F32)
            ((float *)features)[i] = (float)x;
        else
            ((double *)features)[i] = x;
    }
    return features;
}

static void check_features(bosc_ctx *ctx, struct suite_random *r, const struct voxels_batch *b,
                           const bosc_voxels *voxels, const struct reference_voxels *v)
{
    const bosc_dtype dtype = suite_below(r, 2) ? BOSC_F32 : BOSC_F64;
    const int64_t width = 1 + (int64_t)suite_below(r, 10), stride = width + (int64_t)suite_below(r, 2), n = b->n;
    const int64_t count = v->count, rows = 1 + (int64_t)suite_below(r, 5);
    void *features = draw_features(r, dtype, n * stride), *of_means = draw_features(r, dtype, count * width);
    void *means = suite_alloc((size_t)(count * width) * 8), *of_features = suite_alloc((size_t)(n * width) * 8);
    void *padded = suite_alloc((size_t)(count * rows * width) * 8), *ids = suite_alloc((size_t)count * 8);
    /* 1. Means. */
    CHECK_OK(ctx, bosc_voxels_mean(ctx, voxels, dtype, features, width, stride, means, count));
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < width; c++) {
            const double mean = reference_voxels_mean(v, i, features, dtype, stride, c);
            CHECK(reference_voxels_element(means, dtype, i * width + c) ==
                  (dtype == BOSC_F32 ? (double)(float)mean : mean));
        }
    /* 2. Gradients. */
    CHECK_OK(ctx, bosc_voxels_mean_gradient(ctx, voxels, dtype, of_means, width, of_features, count));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < width; c++) {
            double g = 0;
            if (v->rank[i] >= 0)
                g = reference_voxels_element(of_means, dtype, v->inverse[i] * width + c) /
                    (double)v->counts[v->inverse[i]];
            CHECK(reference_voxels_element(of_features, dtype, i * width + c) ==
                  (dtype == BOSC_F32 ? (double)(float)g : g));
        }
    /* 3. The rows nearest to the centres. */
    CHECK_OK(ctx, bosc_voxels_nearest(ctx, voxels, b->points, b->stride, ids, count));
    for (int64_t i = 0; i < count; i++)
        CHECK_EQ(voxels_id(ids, b->opts.id_bits, i), reference_voxels_nearest(v, &b->opts, i, b->points, b->stride));
    /* 4. Padded voxels: all elements, then the rows of each voxel. */
    CHECK_OK(ctx, bosc_voxels_pad(ctx, voxels, dtype, features, width, stride, rows, padded, count));
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = v->counts[i]; k < rows; k++)
            for (int64_t c = 0; c < width; c++)
                CHECK(reference_voxels_element(padded, dtype, (i * rows + k) * width + c) == 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < width && v->rank[i] >= 0 && v->rank[i] < rows; c++)
            CHECK(reference_voxels_element(padded, dtype, (v->inverse[i] * rows + v->rank[i]) * width + c) ==
                  reference_voxels_element(features, dtype, i * stride + c));
    free(features);
    free(of_means);
    free(means);
    free(of_features);
    free(padded);
    free(ids);
}

/* Kernels of two sizes over the voxels themselves, and over those of the voxels' coordinates divided by a stride. */
static void check_maps(bosc_ctx *ctx, struct suite_random *r, const struct voxels_batch *b, const bosc_voxels *voxels,
                       const struct reference_voxels *v)
{
    const int32_t dim = b->opts.dim, step = 1 + (int32_t)suite_below(r, 3), dilation = 1 + (int32_t)suite_below(r, 2);
    bosc_voxels_kernel kernel = {.size = sizeof kernel};
    struct voxels_batch coarse = {.opts = {.size = sizeof coarse.opts, .dtype = BOSC_I32, .dim = dim, .id_bits = 32},
                                  .n = v->count,
                                  .stride = dim,
                                  .count = b->count};
    int64_t volume = 1, at[3], origin[3] = {0, 0, 0};
    /* 1. The coarse voxels, from the list of the fine ones. */
    coarse.points = suite_alloc((size_t)(v->count * dim) * 4);
    CHECK_OK(ctx, bosc_voxels_list(ctx, voxels, coarse.points, NULL, NULL, coarse.offsets, v->count));
    for (int32_t c = 0; c < dim; c++) {
        coarse.opts.cell[c] = step;
        kernel.shape[c] = 1 + (int32_t)suite_below(r, 4);
        kernel.stride[c] = step;
        kernel.dilation[c] = dilation;
        volume *= kernel.shape[c];
        origin[c] = kernel.shape[c] % 2 ? -(kernel.shape[c] / 2) : 0;
    }
    bosc_voxels *out = step == 1 ? NULL : voxels_build(ctx, &coarse);
    struct reference_voxels w = voxels_reference(&coarse);
    void *map = suite_alloc((size_t)(w.count * volume) * 8);
    /* 2. The map, against a search for each offset. */
    CHECK_OK(ctx, bosc_voxels_kernel_map(ctx, voxels, out ? out : voxels, &kernel, map, w.count));
    for (int64_t i = 0; i < w.count; i++)
        for (int64_t k = 0; k < volume; k++) {
            int64_t offset = k;
            for (int32_t c = 2; c >= 0; c--) {
                at[c] = w.at[3 * i + c] * step;
                if (c < dim) {
                    at[c] += (origin[c] + offset % kernel.shape[c]) * dilation;
                    offset /= kernel.shape[c];
                }
            }
            CHECK_EQ(voxels_id(map, b->opts.id_bits, i * volume + k), reference_voxels_find(v, w.cloud[i], at));
        }
    bosc_voxels_free(out);
    reference_voxels_free(&w);
    voxels_release(&coarse);
    free(map);
}

static void check_batch(bosc_ctx *ctx, struct suite_random *r, struct voxels_batch *b)
{
    b->opts.id_bits = suite_below(r, 2) ? 32 : 64;
    if (suite_below(r, 2)) b->opts.max_points = 1 + (int64_t)suite_below(r, 40);
    if (suite_below(r, 3) == 0) b->opts.max_voxels = 1 + (int64_t)suite_below(r, 30);
    bosc_voxels *voxels = voxels_build(ctx, b);
    struct reference_voxels v = voxels_reference(b);
    check_lists(ctx, b, voxels, &v);
    check_features(ctx, r, b, voxels, &v);
    check_maps(ctx, r, b, voxels, &v);
    reference_voxels_free(&v);
    bosc_voxels_free(voxels);
}

/* Every shape of points, number of coordinates, type and number of clouds. */
static void batches(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {0, 1, 33, 90, 700};
    static const bosc_dtype types[] = {BOSC_F32, BOSC_F64, BOSC_I32};
    static const int64_t counts[] = {1, 2, 12, 0};
    struct suite_random r = {7};
    suite_share_few(ctx);
    for (int t = 0; t < 3 * VOXELS_SHAPES * 20; t++) {
        const int64_t n = sizes[t % 5];
        struct voxels_batch b = voxels_make(&r, types[t % 3], 1 + (int32_t)suite_below(&r, 3), n,
                                            counts[suite_below(&r, 9) == 0 ? 3 : (int)suite_below(&r, 3)],
                                            (enum voxels_shape)(t / 5 % VOXELS_SHAPES));
        if (!suite_leaves_out()) check_batch(ctx, &r, &b);
        voxels_release(&b);
    }
}

/* Voxels with more than 32 rows, whose sums and nearest rows a warp finds; among them equally near rows. */
static void long_runs(bosc_ctx *ctx)
{
    struct suite_random r = {11};
    for (int t = 0; t < 8; t++) {
        struct voxels_batch b =
            voxels_make(&r, t % 2 ? BOSC_F64 : BOSC_F32, 1, 400, t % 3 ? 5 : 1, t < 4 ? VOXELS_FEW : VOXELS_HOSTILE);
        b.opts.cell[0] = t % 4 < 2 ? 1 : 2.5;
        b.opts.low[0] = 0;
        if (b.opts.shape[0] > 0) b.opts.shape[0] = 1 << 20; /* 0: no number is huge */
        b.opts.id_bits = 64;
        bosc_voxels *voxels = voxels_build(ctx, &b);
        struct reference_voxels v = voxels_reference(&b);
        int64_t most = 0;
        for (int64_t i = 0; i < v.count; i++) most = v.counts[i] > most ? v.counts[i] : most;
        CHECK(most > 32);
        check_features(ctx, &r, &b, voxels, &v);
        check_features(ctx, &r, &b, voxels, &v);
        reference_voxels_free(&v);
        bosc_voxels_free(voxels);
        voxels_release(&b);
    }
}

/* Boxes with more than 2^32 voxels have keys of 64 bits; one of 2^63 is refused, and the last build stays. */
static void large_boxes(bosc_ctx *ctx)
{
    struct suite_random r = {8};
    for (int t = 0; t < 6; t++) {
        struct voxels_batch b = voxels_make(&r, BOSC_F64, 3, 300, t % 2 ? 2 : 1, VOXELS_UNIFORM);
        int64_t count = 0;
        for (int c = 0; c < 3; c++) b.opts.shape[c] = t < 2 ? 0 : t < 4 ? 1 << 20 : (int64_t)1 << 31;
        if (t < 2)
            for (int c = 0; c < 3; c++) voxels_set(&b, c, 3e5 * (double)(c + 1)), voxels_set(&b, b.stride + c, -3e5);
        check_batch(ctx, &r, &b);
        b.opts.max_points = b.opts.max_voxels = 0;
        bosc_voxels *voxels = voxels_build(ctx, &b);
        struct reference_voxels v = voxels_reference(&b);
        for (int c = 0; c < 3; c++) voxels_set(&b, c, 5e8), voxels_set(&b, b.stride + c, 5);
        const bosc_status status = bosc_voxels_build(ctx, voxels, b.points, b.n, b.stride, b.offsets, b.count);
        CHECK(status == (t == 2 || t == 3 ? BOSC_OK : BOSC_ERR_LIMIT));
        if (status) CHECK(suite_begins(bosc_ctx_message(ctx), "points: "));
        CHECK_OK(ctx, bosc_voxels_count(ctx, voxels, &count));
        if (status) CHECK_EQ(count, v.count);
        reference_voxels_free(&v);
        bosc_voxels_free(voxels);
        voxels_release(&b);
    }
}

/* A single cloud needs no offsets. */
static void one_cloud(bosc_ctx *ctx)
{
    struct suite_random r = {9};
    struct voxels_batch b = voxels_make(&r, BOSC_F32, 3, 200, 1, VOXELS_UNIFORM);
    int64_t *ids = suite_alloc((size_t)b.n * 8), offsets[2];
    bosc_voxels *voxels = NULL;
    struct reference_voxels v = voxels_reference(&b);
    CHECK_OK(ctx, bosc_voxels_create(ctx, &b.opts, &voxels));
    CHECK_OK(ctx, bosc_voxels_build(ctx, voxels, b.points, b.n, b.stride, NULL, 1));
    CHECK_OK(ctx, bosc_voxels_inverse(ctx, voxels, ids));
    for (int64_t i = 0; i < b.n; i++) CHECK_EQ(ids[i], v.inverse[i]);
    CHECK_OK(ctx, bosc_voxels_list(ctx, voxels, NULL, NULL, NULL, offsets, v.count));
    CHECK(offsets[0] == 0 && offsets[1] == v.count);
    bosc_voxels_free(voxels);
    reference_voxels_free(&v);
    voxels_release(&b);
    free(ids);
}

static const struct suite_case suite_cases_voxels[] = {{"batches", batches, NULL},
                                                       {"long_runs", long_runs, NULL},
                                                       {"large_boxes", large_boxes, NULL},
                                                       {"one_cloud", one_cloud, NULL}};
SUITE(voxels);
