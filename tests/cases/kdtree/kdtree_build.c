/* k-d trees equal their definition for every builder, type, dimension and shape of data. */
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"

static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};

/* The nodes of the tree are the rows `order` of the points (row names[order[i]], if names are given). */
static void check_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *p, const int64_t *order,
                        int64_t nodes, int32_t id_bits)
{
    size_t size = bosc_dtype_size(p->dtype), row = size * (size_t)p->dim;
    char *points = suite_alloc((size_t)nodes * row), *expected = suite_alloc(row);
    void *ids = suite_alloc((size_t)nodes * 8);
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, tree, points, ids));
    for (int64_t i = 0; i < nodes; i++) {
        CHECK_EQ(kd_id(ids, id_bits, i), order[i]);
        memcpy(expected, kd_row(p, order[i]), row);
        for (int32_t c = 0; c < p->dim; c++)
            if (kd_get(expected, p->dtype, c) == 0) kd_set(expected, p->dtype, c, 0);
        CHECK(memcmp(points + (size_t)i * row, expected, row) == 0);
    }
    CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
    free(points);
    free(expected);
    free(ids);
}

static void check_build(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const struct reference_points *p)
{
    int64_t *order = suite_alloc((size_t)p->n * sizeof *order);
    bosc_kdtree *tree = kd_build(ctx, opts, p);
    reference_kdtree(p, order);
    check_nodes(ctx, tree, p, order, p->n, opts->id_bits == 32 ? 32 : 64);
    bosc_kdtree_free(tree);
    free(order);
}

static void try_one(bosc_ctx *ctx, struct suite_random *r, int builder, bosc_dtype dtype, int32_t dim, int64_t n,
                    enum kd_shape shape)
{
    if (suite_leaves_out()) return;
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = suite_below(r, 2) ? 32 : 64};
    kd_set_builder(&opts, builder);
    struct reference_points p = kd_points(r, dtype, dim, n, dim + (int64_t)suite_below(r, 3), shape);
    check_build(ctx, &opts, &p);
    free((void *)p.data);
}

static void up_to_70_points(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    int64_t most = suite_slow(ctx) ? 20 : 70;
    for (int64_t n = 0; n <= most; n++)
        for (int t = 0; t < 4; t++)
            try_one(ctx, &r, KD_AUTO, dtypes[t], 1 + (int32_t)suite_below(&r, 5), n,
                    (enum kd_shape)suite_below(&r, KD_SHAPES));
}

/* Few points with some equal coordinates: equal medians in some subtrees, none in their siblings. */
static void some_ties(bosc_ctx *ctx)
{
    struct suite_random r = {14};
    for (int turn = 0; turn < (suite_slow(ctx) ? 60 : 1200); turn++) {
        if (suite_leaves_out()) continue;
        const int64_t n = 2 + (int64_t)suite_below(&r, turn % 8 ? 32 : 2000), values = 4 << suite_below(&r, 8);
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtypes[turn % 4], .dim = 2 + turn / 4 % 2};
        struct reference_points p = kd_points(&r, opts.dtype, opts.dim, n, opts.dim, KD_EQUAL);
        for (int64_t i = 0; i < n * opts.dim; i++)
            kd_set((void *)p.data, opts.dtype, i, (double)suite_below(&r, (uint64_t)values));
        check_build(ctx, &opts, &p);
        free((void *)p.data);
    }
}

static void every_shape_and_type(bosc_ctx *ctx)
{
    struct suite_random r = {2};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 4; t++)
            for (int32_t dim = 1; dim <= 12; dim += suite_slow(ctx) ? 4 : 1)
                try_one(ctx, &r, KD_AUTO, dtypes[t], dim, 1 + (int64_t)suite_below(&r, 400), (enum kd_shape)s);
}

/* Sizes around powers of two and of leaves. */
static void sizes_around_powers_of_two(bosc_ctx *ctx)
{
    struct suite_random r = {3};
    for (int64_t power = 32; power <= (suite_slow(ctx) ? 256 : 2048); power *= 4)
        for (int64_t n = power - 2; n <= power + 2; n++)
            try_one(ctx, &r, KD_AUTO, dtypes[n % 4], 2 + (int32_t)(n % 3), n,
                    (enum kd_shape)suite_below(&r, KD_SHAPES));
}

static void many_dimensions(bosc_ctx *ctx)
{
    struct suite_random r = {4};
    const bool slow = suite_slow(ctx);
    try_one(ctx, &r, KD_AUTO, BOSC_F32, slow ? 128 : 1024, 40, KD_GRID);
    try_one(ctx, &r, KD_AUTO, BOSC_F64, 33, slow ? 50 : 300, KD_GRID);
    try_one(ctx, &r, KD_AUTO, BOSC_I64, 100, slow ? 40 : 100, KD_RANDOM);
}

static bool on_device(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    return !suite_slow(ctx) && info.backend == BOSC_BACKEND_CUDA;
}

/* More points than one thread builds alone. */
static void beyond_one_thread(bosc_ctx *ctx)
{
    struct suite_random r = {7};
    int64_t n = suite_slow(ctx) ? 5000 : 40000;
    try_one(ctx, &r, KD_AUTO, BOSC_F32, 3, n, KD_RANDOM);
    try_one(ctx, &r, KD_AUTO, BOSC_F64, 2, n / 2, KD_CLUSTERS);
    try_one(ctx, &r, KD_AUTO, BOSC_I32, 3, n / 2, KD_GRID);
    try_one(ctx, &r, KD_AUTO, BOSC_F32, 4, n / 8, KD_EQUAL);
    try_one(ctx, &r, KD_AUTO, BOSC_I64, 2, n / 8, KD_REVERSED);
    try_one(ctx, &r, KD_AUTO, BOSC_F32, 4, 3000, KD_EQUAL);
    try_one(ctx, &r, KD_AUTO, BOSC_F32, 3, 8000, KD_RANDOM);
    if (!on_device(ctx)) return;
    /* Lists that several blocks of a device share, most of whose points have one value. */
    try_one(ctx, &r, KD_AUTO, BOSC_F32, 3, 150000, KD_SPECIAL);
    try_one(ctx, &r, KD_AUTO, BOSC_F32, 2, 150000, KD_GRID);
}

/* The builders with duplicates removed: the tree equals that of the first of each group of equal rows. */
static void check_unique(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const struct reference_points *p)
{
    size_t size = bosc_dtype_size(p->dtype), row = size * (size_t)p->dim;
    int64_t *rows = suite_alloc((size_t)p->n * 8), *order = suite_alloc((size_t)p->n * 8);
    int64_t *inverse = suite_alloc((size_t)p->n * 8), *counts = suite_alloc((size_t)p->n * 8), sum = 0;
    /* 1. The reference: the tree of the first row of each group of equal rows. */
    int64_t nodes = reference_unique(p, rows);
    char *packed = suite_alloc((size_t)nodes * row);
    for (int64_t i = 0; i < nodes; i++) memcpy(packed + (size_t)i * row, kd_row(p, rows[i]), row);
    struct reference_points unique = {p->dtype, p->dim, nodes, p->dim, packed};
    reference_kdtree(&unique, order);
    for (int64_t i = 0; i < nodes; i++) order[i] = rows[order[i]];
    /* 2. Nodes, and the number of rows of each. */
    bosc_kdtree *tree = kd_build(ctx, opts, p);
    check_nodes(ctx, tree, p, order, nodes, opts->id_bits);
    CHECK_OK(ctx, bosc_kdtree_get_duplicates(ctx, tree, inverse, counts));
    for (int64_t i = 0; i < nodes; i++) sum += counts[i];
    CHECK_EQ(sum, p->n);
    /* 3. Each row leads to an equal node, as often as its count says. */
    for (int64_t i = 0; i < p->n; i++) {
        int64_t node = kd_id(inverse, opts->id_bits, i);
        CHECK(node >= 0 && node < nodes && reference_equal(p, order[node], i));
        CHECK(--counts[node] >= 0);
    }
    bosc_kdtree_free(tree);
    free(rows);
    free(order);
    free(inverse);
    free(counts);
    free(packed);
}

/* AUTO builds from sorted lists on CUDA in 1 dimension and in more than 4. */
static void sorted_lists(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    static const int32_t dims[] = {1, 5, 8, 16};
    for (int64_t n = 0; n < 300; n += 1 + n / (suite_slow(ctx) ? 1 : 4))
        try_one(ctx, &r, KD_AUTO, dtypes[n % 4], dims[suite_below(&r, 4)], n,
                (enum kd_shape)suite_below(&r, KD_SHAPES));
    for (int t = 0; t < 4; t++) try_one(ctx, &r, KD_AUTO, dtypes[t], dims[t], 40, KD_SPECIAL); /* -0 too */
    /* Beyond what one block of a device makes. */
    int64_t n = suite_slow(ctx) ? 2500 : 5000;
    try_one(ctx, &r, KD_AUTO, BOSC_F32, 5, n, KD_RANDOM);
    try_one(ctx, &r, KD_AUTO, BOSC_F32, 8, n / 2, KD_GRID);
    try_one(ctx, &r, KD_AUTO, BOSC_F64, 16, n / 2 + 1, KD_CLUSTERS);
    try_one(ctx, &r, KD_AUTO, BOSC_I32, 1, n, KD_GRID);
    try_one(ctx, &r, KD_AUTO, BOSC_I64, 13, n / 2, KD_GRID);
    for (int64_t power = 1024; power < n; power *= 2)
        for (int64_t size = power - 1; size <= power + 1; size++)
            try_one(ctx, &r, KD_AUTO, dtypes[size % 4], dims[size % 4], size, KD_RANDOM);
}

/* Sizes and dimensions of trees by the published builder. */
static void published_sizes(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    for (int64_t n = 0; n < 300; n += 1 + n / (suite_slow(ctx) ? 1 : 4))
        try_one(ctx, &r, KD_BROWN, dtypes[n % 4], 1 + (int32_t)suite_below(&r, 5), n,
                (enum kd_shape)suite_below(&r, KD_SHAPES));
    for (int t = 0; t < 4; t++) try_one(ctx, &r, KD_BROWN, dtypes[t], 2, 40, KD_SPECIAL); /* -0 too */
    /* Beyond what one block of a device makes. */
    int64_t n = suite_slow(ctx) ? 2500 : 5000;
    try_one(ctx, &r, KD_BROWN, BOSC_F32, 3, n, KD_RANDOM);
    try_one(ctx, &r, KD_BROWN, BOSC_F32, 4, n / 2, KD_GRID);
    try_one(ctx, &r, KD_BROWN, BOSC_F64, 2, n / 2 + 1, KD_CLUSTERS);
    try_one(ctx, &r, KD_BROWN, BOSC_I32, 1, n, KD_GRID);
    try_one(ctx, &r, KD_BROWN, BOSC_I64, 13, n / 2, KD_GRID);
    for (int64_t power = 1024; power < n; power *= 2)
        for (int64_t size = power - 1; size <= power + 1; size++)
            try_one(ctx, &r, KD_BROWN, dtypes[size % 4], 2 + (int32_t)(size % 3), size, KD_RANDOM);
    try_one(ctx, &r, KD_BROWN, BOSC_F32, 40, 200, KD_GRID);
}

/* Every partitioner of the published builder: segments in chunks, of a warp, of 32, 16, 8 and 4 lanes, and the last
 * nodes; the sizes leave a remainder of one chunk, one lane or the whole part of a warp. */
static void published(bosc_ctx *ctx)
{
    published_sizes(ctx);
    struct suite_random r = {10};
    for (int64_t n = 1; n < 40; n += suite_slow(ctx) ? 5 : 1)
        try_one(ctx, &r, KD_BROWN, dtypes[n % 4], 2 + (int32_t)(n % 3), n, KD_GRID);
    static const enum kd_shape shapes[] = {KD_EQUAL, KD_LINE, KD_REVERSED, KD_GRID};
    for (int s = 0; s < 4; s++) {
        try_one(ctx, &r, KD_BROWN, dtypes[s], 2 + s % 3, suite_slow(ctx) ? 1100 + s : 9000 + s, shapes[s]);
        try_one(ctx, &r, KD_BROWN, dtypes[3 - s], 3, suite_slow(ctx) ? 513 : 4097, shapes[s]);
    }
    try_one(ctx, &r, KD_BROWN, BOSC_I32, 2, suite_slow(ctx) ? 4200 : 20000, KD_GRID); /* several segments in pieces */
    for (int32_t dim = 5; dim <= 8; dim++) /* coordinates are read from the rows */
        try_one(ctx, &r, KD_BROWN, dtypes[dim % 4], dim, suite_slow(ctx) ? 200 : 5000, KD_GRID);
}

static void published_halves(bosc_ctx *ctx)
{
    struct suite_random r = {11};
    for (int64_t n = 0; n < 200; n += 1 + n / (suite_slow(ctx) ? 1 : 6))
        try_one(ctx, &r, KD_BROWN_HALVES, dtypes[n % 4], 1 + (int32_t)suite_below(&r, 5), n,
                (enum kd_shape)suite_below(&r, KD_SHAPES));
    try_one(ctx, &r, KD_BROWN_HALVES, BOSC_F32, 3, suite_slow(ctx) ? 1500 : 9000, KD_RANDOM);
    try_one(ctx, &r, KD_BROWN_HALVES, BOSC_I64, 4, suite_slow(ctx) ? 600 : 3000, KD_EQUAL);
}

/* The published launch of six warps: segments in pieces of several warps, of a warp, of lanes. */
static void published_launch(bosc_ctx *ctx)
{
    struct suite_random r = {13};
    for (int64_t n = 0; n < 300; n += 1 + n / (suite_slow(ctx) ? 2 : 6))
        try_one(ctx, &r, KD_BROWN_LAUNCH, dtypes[n % 4], 1 + (int32_t)suite_below(&r, 6), n,
                (enum kd_shape)suite_below(&r, KD_SHAPES));
    static const enum kd_shape shapes[] = {KD_EQUAL, KD_LINE, KD_REVERSED, KD_GRID};
    for (int s = 0; s < 4; s++)
        try_one(ctx, &r, KD_BROWN_LAUNCH, dtypes[s], 2 + s, suite_slow(ctx) ? 900 + s : 9000 + s, shapes[s]);
    try_one(ctx, &r, KD_BROWN_LAUNCH, BOSC_F32, 4, suite_slow(ctx) ? 1025 : 8193, KD_RANDOM);
}

static void duplicates(bosc_ctx *ctx)
{
    struct suite_random r = {6};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 4; t++) {
            if (suite_leaves_out()) continue;
            bosc_kdtree_opts opts = {.size = sizeof opts,
                                     .dtype = dtypes[t],
                                     .dim = 1 + (int32_t)suite_below(&r, 5),
                                     .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE,
                                     .id_bits = s % 2 ? 32 : 64};
            struct reference_points p =
                kd_points(&r, dtypes[t], opts.dim, (int64_t)suite_below(&r, 300), opts.dim + t % 2, (enum kd_shape)s);
            for (int b = 0; b < KD_BUILDERS; b++) {
                kd_set_builder(&opts, b);
                check_unique(ctx, &opts, &p);
            }
            free((void *)p.data);
        }
}

/* Duplicates in lists of several chunks: runs that cross chunks, and a chunk without a kept row. */
static void duplicates_in_pieces(bosc_ctx *ctx)
{
    struct suite_random r = {12};
    static const enum kd_shape shapes[] = {KD_GRID, KD_EQUAL, KD_SPECIAL, KD_CLUSTERS};
    for (int s = 0; s < 4; s++) {
        if (suite_leaves_out()) continue;
        bosc_kdtree_opts opts = {.size = sizeof opts,
                                 .dtype = dtypes[s],
                                 .dim = 2 + s % 3,
                                 .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE,
                                 .id_bits = 64};
        struct reference_points p = kd_points(&r, opts.dtype, opts.dim, suite_slow(ctx) ? 700 : 13000, 4, shapes[s]);
        kd_set_builder(&opts, s % 2 ? KD_BROWN_HALVES : KD_BROWN);
        check_unique(ctx, &opts, &p);
        kd_set_builder(&opts, KD_BROWN);
        check_unique(ctx, &opts, &p);
        free((void *)p.data);
    }
}

/* So many rows that a sort orders them, because scattered writes would miss every cache. */
static void many_rows(void)
{
    const int64_t n = ((int64_t)1 << 22) + 5, values = 3 << 20;
    if (suite_slow(NULL)) return;
    bosc_ctx *ctx = suite_open(&(bosc_ctx_opts){.size = sizeof(bosc_ctx_opts), .threads = 2});
    bosc_kdtree_opts opts = {
        .size = sizeof opts, .dtype = BOSC_I32, .dim = 1, .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE, .id_bits = 32};
    int32_t *points = suite_alloc((size_t)n * 4), *inverse = suite_alloc((size_t)n * 4);
    int64_t *counts = suite_alloc((size_t)values * 8);
    for (int64_t i = 0; i < n; i++) points[i] = (int32_t)(i * 7919 % values);
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, n, 0));
    CHECK_OK(ctx, bosc_kdtree_get_duplicates(ctx, tree, inverse, counts));
    for (int64_t i = 0; i < n; i++) { /* nodes are in order, as there is one coordinate */
        CHECK_EQ(inverse[i], points[i]);
        counts[inverse[i]]--;
    }
    for (int64_t v = 0; v < values; v++) CHECK_EQ(counts[v], 0);
    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
    free(points);
    free(inverse);
    free(counts);
}

static void count_lines(void *user, bosc_log_level level, const char *text)
{
    (void)level;
    (void)text;
    ++*(int *)user;
}

static bosc_ctx *open_counting(bosc_ctx *like, int *lines)
{
    bosc_ctx_opts o = suite_opts_like(like);
    *lines = 0;
    o.log = count_lines;
    o.log_user = lines;
    return suite_open(&o);
}

/* A hundred clusters, each a thousandth of the space wide: a sample is representative enough that the build does not
 * fall back to its slow path, which it would log. */
static void clusters(bosc_ctx *like)
{
    int lines;
    bosc_ctx *ctx = open_counting(like, &lines);
    struct suite_random r = {9};
    int64_t n = suite_slow(like) ? 12000 : 300000;
    float centers[300], *points = suite_alloc((size_t)n * 3 * sizeof *points);
    for (int i = 0; i < 300; i++) centers[i] = (float)suite_unit(&r);
    for (int64_t i = 0; i < n; i++) {
        const float *center = centers + 3 * suite_below(&r, 100);
        for (int c = 0; c < 3; c++) points[3 * i + c] = center[c] + 1e-3f * (float)(suite_unit(&r) - suite_unit(&r));
    }
    bosc_kdtree_opts opts = {.size = sizeof opts, .dim = 3};
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, n, 0));
    CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
    CHECK_EQ(lines, 0);
    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
    free(points);
}

/* Coordinates without extent: every proper subset of them, at sizes around the subtrees that a warp and a block build.
 * If all points share them, the build must not fall back to its slow path. */
static void flat(bosc_ctx *like)
{
    static const int64_t sizes[] = {3, 100, 255, 256, 257, 1023, 4095, 4096, 4097, 8191, 8192, 12000};
    int lines, trial = 0;
    bosc_ctx *ctx = open_counting(like, &lines);
    struct suite_random r = {13};
    for (int f = 0; f < KD_FLATNESSES; f++)
        for (int32_t dim = 2; dim <= 4; dim++)
            for (unsigned axes = 1; axes < (1u << dim) - 1; axes++) {
                if (suite_leaves_out()) continue;
                bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtypes[trial % 5 ? 0 : trial % 4], .dim = dim};
                struct reference_points p =
                    kd_flat_points(&r, opts.dtype, dim, sizes[trial++ % 12], (enum kd_flatness)f, axes, KD_RANDOM);
                check_build(ctx, &opts, &p);
                if (f == KD_FLAT) CHECK_EQ(lines, 0);
                free((void *)p.data);
            }
    bosc_ctx_free(ctx);
}

/* The same beyond one block, where samples detect the flat coordinates. Points outside the plane are not in all
 * samples. */
static void flat_large(bosc_ctx *like)
{
    static const struct {
        int32_t dim;
        unsigned axes;
        enum kd_flatness flatness;
    } inputs[] = {{3, 4, KD_FLAT},    {3, 6, KD_FLAT},   {2, 1, KD_FLAT},   {4, 5, KD_FLAT},
                  {3, 3, KD_FLAT},    {4, 14, KD_FLAT},  {3, 1, KD_BESIDE}, {3, 6, KD_BESIDE},
                  {4, 10, KD_BESIDE}, {3, 7, KD_BESIDE}, {3, 4, KD_LAYERS}};
    const int64_t n = on_device(like) ? 300000 : 17000;
    int lines;
    bosc_ctx *ctx = open_counting(like, &lines);
    struct suite_random r = {14};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (suite_leaves_out()) continue;
        bosc_kdtree_opts opts = {.size = sizeof opts, .dim = inputs[i].dim};
        struct reference_points p =
            kd_flat_points(&r, BOSC_F32, opts.dim, n, inputs[i].flatness, inputs[i].axes, KD_RANDOM);
        check_build(ctx, &opts, &p);
        if (inputs[i].flatness == KD_FLAT) CHECK_EQ(lines, 0);
        free((void *)p.data);
    }
    /* Samples that several blocks share. */
    for (unsigned axes = 1; axes <= 6 && on_device(like); axes++) {
        bosc_kdtree_opts opts = {.size = sizeof opts, .dim = 3};
        struct reference_points p = kd_flat_points(&r, BOSC_F32, 3, (1 << 21) + 99, KD_FLAT, axes, KD_RANDOM);
        lines = 0;
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
        CHECK_EQ(lines, 0);
        bosc_kdtree_free(tree);
        free((void *)p.data);
    }
    bosc_ctx_free(ctx);
}

/* Coordinates that become equal when rounded to float, in types that a device may round to float. */
enum rounding { WHOLE_TYPE, ONE_CELL, TWO_CELLS, MOSTLY_ONE_CELL, FEW_VALUES, CELL_AND_FLAT, ROUNDINGS };

static int64_t rounded_value(struct suite_random *r, enum rounding rounding, int bits, int32_t c)
{
    const int64_t base = INT64_C(1) << (bits - 2), whole = (int64_t)suite_next(r) >> (64 - bits);
    switch (rounding) {
    case WHOLE_TYPE: return whole;
    case ONE_CELL: return base + (int64_t)suite_below(r, 60);
    case TWO_CELLS: return (suite_below(r, 2) ? base : -base) + (int64_t)suite_below(r, 40);
    case MOSTLY_ONE_CELL: return suite_below(r, 3) ? base + (int64_t)suite_below(r, 50) : whole;
    case FEW_VALUES: return (suite_below(r, 2) ? -2 * base : base - 3 + base) + (int64_t)suite_below(r, 3);
    default:
        return c == 1   ? base
               : c == 2 ? base / 2 + (int64_t)suite_below(r, 2) * base + (int64_t)suite_below(r, 9)
                        : whole;
    }
}

static void try_rounded(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n,
                        enum rounding rounding)
{
    if (suite_leaves_out()) return;
    const int64_t stride = dim + (int64_t)suite_below(r, 2);
    void *data = suite_alloc((size_t)(n * stride) * bosc_dtype_size(dtype));
    for (int64_t i = 0; i < n * stride; i++) {
        const int64_t x = rounded_value(r, rounding, dtype == BOSC_I32 ? 32 : 64, (int32_t)(i % stride));
        if (dtype == BOSC_I32)
            ((int32_t *)data)[i] = (int32_t)x;
        else if (dtype == BOSC_I64)
            ((int64_t *)data)[i] = x;
        else
            ((double *)data)[i] = (double)x + (double)(x & 7) * 0x1p9;
    }
    const struct reference_points p = {dtype, dim, n, stride, data};
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = 32};
    check_build(ctx, &opts, &p);
    opts.duplicates = BOSC_KDTREE_DUPLICATES_REMOVE;
    if (rounding == FEW_VALUES || rounding == ONE_CELL) check_unique(ctx, &opts, &p);
    free(data);
}

static void rounded(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {5, 40, 200, 256, 900, 4097};
    struct suite_random r = {15};
    for (int rounding = 0; rounding < ROUNDINGS; rounding++)
        for (int t = 1; t < 4; t++) {
            if (suite_leaves_out()) continue;
            for (int size = 0; size < 6; size++)
                try_rounded(ctx, &r, dtypes[t], 2 + (t + size) % 3, sizes[size], (enum rounding)rounding);
            try_rounded(ctx, &r, dtypes[t], 2 + (t + rounding) % 3, suite_slow(ctx) ? 9000 : 60000,
                        (enum rounding)rounding);
        }
    for (int rounding = 0; rounding < ROUNDINGS && on_device(ctx); rounding++)
        for (int t = 1; t < 4; t++) try_rounded(ctx, &r, dtypes[t], 4, 300000, (enum rounding)rounding);
}

/* Integers with an even spread do not take the slow path, neither whole types nor small ranges far from 0. */
static void rounded_at_once(bosc_ctx *like)
{
    int lines;
    bosc_ctx *ctx = open_counting(like, &lines);
    struct suite_random r = {16};
    const int64_t n = suite_slow(like) ? 9000 : 100000;
    for (int trial = 0; trial < 6; trial++) {
        const bosc_dtype dtype = trial % 2 ? BOSC_I64 : BOSC_I32;
        const int bits = trial % 2 ? 64 : 32;
        const int64_t far = trial < 2 ? 0 : 2 * ((INT64_C(1) << (bits - 2)) - (1 << 20)) - 5;
        void *data = suite_alloc((size_t)n * 3 * bosc_dtype_size(dtype));
        for (int64_t i = 0; i < 3 * n; i++) {
            const int64_t x = trial < 2 ? (int64_t)suite_next(&r) >> (64 - bits)
                                        : (trial < 4 ? far : -far) + (int64_t)suite_below(&r, 1 << 21);
            if (trial % 2)
                ((int64_t *)data)[i] = x;
            else
                ((int32_t *)data)[i] = (int32_t)x;
        }
        const struct reference_points p = {dtype, 3, n, 3, data};
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = 3, .id_bits = 32};
        check_build(ctx, &opts, &p);
        CHECK_EQ(lines, 0);
        free(data);
    }
    bosc_ctx_free(ctx);
}

/* Points with many equal coordinates: a lattice of 64 values, scan lines on flat ground, half of the points one point,
 * copies of a thousand points, coordinates of two values, one point. */
enum repeats { LATTICE, SCAN_LINES, HALF_EQUAL, COPIES, TWO_VALUES, ONE_POINT, REPEATS };

/* Sets point i. Integers are floats in thousandths. */
static void set_repeating(struct suite_random *r, enum repeats repeats, const struct reference_points *p, int64_t i)
{
    const double scale = p->dtype == BOSC_I32 || p->dtype == BOSC_I64 ? 1000 : 1, angle = 6.28 * suite_unit(r);
    const double slope = tan((-25 + 28 * (double)suite_below(r, 64) / 63) * 0.01745), wall = 32 + 12 * sin(3 * angle);
    const double ground = slope < 0 ? 1.7 / -slope : wall, away = ground < wall ? ground : wall;
    const double scan[] = {away * cos(angle), away * sin(angle), 1.7 + away * slope};
    const bool copy = suite_below(r, 2);
    struct suite_random point = {1 + suite_below(r, 1000)};
    for (int32_t c = 0; c < p->dim; c++) {
        const double x = repeats == LATTICE      ? (double)suite_below(r, 64) / 64
                         : repeats == SCAN_LINES ? scan[c % 3]
                         : repeats == HALF_EQUAL ? (copy ? 0.25 : suite_unit(r))
                         : repeats == COPIES     ? suite_unit(&point)
                         : repeats == TWO_VALUES ? (double)suite_below(r, 2)
                                                 : 7;
        kd_set((void *)p->data, p->dtype, i * p->stride + c, x * scale);
    }
}

static struct reference_points repeating_points(struct suite_random *r, enum repeats repeats, bosc_dtype dtype,
                                                int32_t dim, int64_t n)
{
    struct reference_points p = {dtype, dim, n, dim, suite_alloc((size_t)(n * dim) * bosc_dtype_size(dtype))};
    for (int64_t i = 0; i < n; i++) set_repeating(r, repeats, &p, i);
    return p;
}

/* Equal coordinates do not take the slow path, at sizes around the subtrees of a block and beyond, for all types. */
static void repeated_coordinates(bosc_ctx *like)
{
    static const int64_t sizes[] = {4097, 8191, 8192, 8193, 12289, 17000};
    int lines, trial = 0;
    bosc_ctx *ctx = open_counting(like, &lines);
    struct suite_random r = {17};
    for (int repeats = 0; repeats < REPEATS; repeats++)
        for (int32_t dim = 2; dim <= 8; dim++)
            for (int t = 0; t < (dim <= 4 ? 4 : 1); t++) {
                if (suite_leaves_out()) continue;
                const bosc_dtype dtype = dtypes[(t + trial) % 4];
                const int64_t n = dim > 4 ? 3000 : sizes[trial++ % 6] * (on_device(like) ? 20 : 1);
                bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim};
                struct reference_points p = repeating_points(&r, (enum repeats)repeats, dtype, dim, n);
                check_build(ctx, &opts, &p);
                CHECK_EQ(lines, 0);
                free((void *)p.data);
            }
    bosc_ctx_free(ctx);
}

/* A tree remembers how its last build treated equal coordinates, and forgets it when the next points have none. */
static void repeated_builds(bosc_ctx *ctx)
{
    static const enum repeats turns[] = {LATTICE, LATTICE, REPEATS, REPEATS, HALF_EQUAL, LATTICE, REPEATS};
    const int64_t n = on_device(ctx) ? 200000 : 9000;
    struct suite_random r = {18};
    for (int t = 0; t < 2; t++) {
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtypes[t], .dim = 3, .id_bits = 32};
        bosc_kdtree *tree = NULL;
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
        for (size_t turn = 0; turn < sizeof turns / sizeof turns[0]; turn++) {
            struct reference_points p = turns[turn] == REPEATS ? kd_points(&r, opts.dtype, 3, n, 3, KD_RANDOM)
                                                               : repeating_points(&r, turns[turn], opts.dtype, 3, n);
            int64_t *order = suite_alloc((size_t)n * sizeof *order);
            reference_kdtree(&p, order);
            CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p.data, n, 0));
            check_nodes(ctx, tree, &p, order, n, 32);
            free(order);
            free((void *)p.data);
        }
        bosc_kdtree_free(tree);
    }
}

static const struct suite_case suite_cases_kdtree_build[] = {
    {"small", up_to_70_points, NULL},
    {"some_ties", some_ties, NULL},
    {"shapes", every_shape_and_type, NULL},
    {"edges", sizes_around_powers_of_two, NULL},
    {"many dimensions", many_dimensions, NULL},
    {"large", beyond_one_thread, NULL},
    {"sorted lists", sorted_lists, NULL},
    {"duplicates", duplicates, NULL},
    {"published builder", published, NULL},
    {"clusters", clusters, NULL},
    {"published builder in halves", published_halves, NULL},
    {"published builder with its launch", published_launch, NULL},
    {"duplicates in pieces", duplicates_in_pieces, NULL},
    {"flat", flat, NULL},
    {"flat, large", flat_large, NULL},
    {"rounded", rounded, NULL},
    {"rounded at once", rounded_at_once, NULL},
    {"repeated coordinates", repeated_coordinates, NULL},
    {"repeated builds", repeated_builds, NULL},
    {"many rows", NULL, many_rows},
};
SUITE(kdtree_build);
