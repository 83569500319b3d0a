/* Saved k-d trees: the same bytes on every backend, read back completely; every damage is detected. */
#include "kdtree/save.h"
#include "cases/kdtree/kdtree_data.h"
#include "support/saved.h"

SAVED_KIND(kdtree, "saved tree: ", bi_kdtree_header)

static bosc_kdtree *make_tree(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, int64_t n, bool removed,
                              int builder)
{
    bosc_kdtree_opts o = {.size = sizeof o,
                          .dtype = dtype,
                          .dim = 3,
                          .builder = (bosc_kdtree_builder)builder,
                          .duplicates = removed ? BOSC_KDTREE_DUPLICATES_REMOVE : BOSC_KDTREE_DUPLICATES_KEEP,
                          .id_bits = n % 2 ? 32 : 64};
    struct reference_points p = kd_points(r, dtype, 3, n, 3, KD_GRID);
    bosc_kdtree *tree = kd_build(ctx, &o, &p);
    free((void *)p.data);
    return tree;
}

static void round_trip(bosc_ctx *ctx)
{
    for (int kind = 0; kind < 8; kind++) {
        if (suite_leaves_out()) continue;
        static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
        static const int64_t sizes[] = {0, 1, 100, 33};
        /* The builders must save the same bytes. */
        struct suite_random r = {(uint64_t)kind}, same = {(uint64_t)kind};
        bosc_kdtree *tree = make_tree(ctx, &r, dtypes[kind % 4], sizes[kind / 2], kind & 1, BOSC_KDTREE_AUTO);
        bosc_kdtree *brown = make_tree(ctx, &same, dtypes[kind % 4], sizes[kind / 2], kind & 1, BOSC_KDTREE_BROWN);
        struct saved f = kdtree_save(ctx, tree), b = kdtree_save(ctx, brown);
        CHECK(f.size == b.size && memcmp(f.bytes, b.bytes, f.size) == 0);
        /* The read tree has the same info, ids and counts. */
        bosc_kdtree *back = saved_again(ctx, &saved_kdtree, tree, f.size);
        CHECK_OK(ctx, bosc_kdtree_verify(ctx, back, NULL));
        bosc_kdtree_info x = {.size = sizeof x}, y = x;
        CHECK_EQ(bosc_kdtree_get_info(ctx, tree, &x), BOSC_OK);
        CHECK_EQ(bosc_kdtree_get_info(ctx, back, &y), BOSC_OK);
        x.bytes = y.bytes = 0;
        CHECK(memcmp(&x, &y, sizeof x) == 0);
        int64_t inverse[100], other[100], counts[100], others[100];
        memset(inverse, 0, sizeof inverse);
        memset(other, 0, sizeof other);
        CHECK_OK(ctx, bosc_kdtree_get_duplicates(ctx, tree, inverse, counts));
        CHECK_OK(ctx, bosc_kdtree_get_duplicates(ctx, back, other, others));
        CHECK(memcmp(inverse, other, sizeof inverse) == 0);
        CHECK(memcmp(counts, others, (size_t)x.nodes * 8) == 0);
        bosc_kdtree_free(tree);
        bosc_kdtree_free(brown);
        bosc_kdtree_free(back);
        free(f.bytes);
        free(b.bytes);
    }
}

/* A tree that was read detects its flat coordinates too. */
static void flat(bosc_ctx *ctx)
{
    enum { N = 400, K = 5 };
    struct suite_random r = {2};
    bosc_kdtree_opts o = {.size = sizeof o, .dtype = BOSC_F32, .dim = 3, .id_bits = 32};
    for (unsigned axes = 1; axes < 7; axes++) {
        struct reference_points p = kd_flat_points(&r, BOSC_F32, 3, N, KD_FLAT, axes, KD_RANDOM);
        struct reference_points q = kd_points(&r, BOSC_F32, 3, N, 3, KD_RANDOM);
        uint32_t *ids = suite_alloc(N * K * sizeof *ids), *others = suite_alloc(N * K * sizeof *others);
        memcpy((void *)q.data, p.data, N / 2 * 3 * sizeof(float));
        bosc_kdtree *tree = kd_build(ctx, &o, &p);
        struct saved f = kdtree_save(ctx, tree);
        bosc_kdtree *back = saved_again(ctx, &saved_kdtree, tree, f.size);
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q.data, N, 3, K, ids, NULL));
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, back, q.data, N, 3, K, others, NULL));
        CHECK(memcmp(ids, others, N * K * sizeof *ids) == 0);
        bosc_kdtree_free(tree);
        bosc_kdtree_free(back);
        free(f.bytes);
        free(ids);
        free(others);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    for (int removed = 0; removed < 2; removed++) {
        bosc_kdtree *tree = make_tree(ctx, &r, BOSC_F32, suite_slow(ctx) ? 3 : 12, removed, 0);
        saved_damage(ctx, &saved_kdtree, tree, 1);
        bosc_kdtree_free(tree);
    }
}

/* Headers that no writer produces, under right checksums: change 0, 1, ... of a tree of 10 points with 3 coordinates,
 * `nodes` of them distinct. Returns the expected reason, NULL after the last change. */
static const char *change_header(struct bi_kdtree_header *h, int change)
{
    /* Format, flags, type, dimension, width of ids, numbers. */
    switch (change) {
    case 0: h->magic[0] = 'X'; return "these are not the bytes of one";
    case 1: h->version = 2; return "version 2, but this library reads version 1";
    case 2: h->flags |= 2; return "unknown flags";
    case 3: h->reserved = 1; return "unknown flags";
    case 4: h->unused = 1; return "unknown flags";
    case 5: h->dtype = 0; return "type of its elements";
    case 6: h->dtype = BOSC_U32; return "type of its elements";
    case 7: h->dim = 0; return "dimension";
    case 8: h->dim = 1025; return "dimension";
    case 9: h->dim = UINT32_MAX; return "dimension";
    case 10: h->id_bits = 0; return "32 nor 64";
    case 11: h->id_bits = 48; return "32 nor 64";
    case 12: h->n = -1; return "size is out of range";
    case 13: h->n = UINT32_MAX; return "size is out of range";
    case 14: h->n = INT64_MAX; return "size is out of range";
    case 15: h->nodes = -1; return "size is out of range";
    case 16: h->nodes = h->n + 1; return "size is out of range";
    case 17: h->nodes = 0; return "size is out of range";
    case 18: h->n += 1; return h->flags ? "within its" : "lacks nodes";
    case 19: h->n = h->nodes = UINT32_MAX - 1; return "within its points";
    case 20: h->n = h->nodes = 0; return "checksum";
    case 21: h->dtype = BOSC_F64; return "within its";
    default: return NULL;
    }
}

static const char *change_body(uint32_t *ids, uint32_t *inverse, uint32_t *counts, int change)
{
    switch (change) {
    case 0: ids[1] = ids[0]; return "an id is repeated";
    case 1: ids[1] = 10; return "an id is out of range";
    case 2: ids[0] = UINT32_MAX; return "an id is out of range";
    case 3: inverse[9] = UINT32_MAX; return "a row stands for no node";
    case 4: counts[0]++; return "a count is wrong";
    case 5: counts[0]--, counts[1]++; return "a count is wrong";
    case 6: ids[1] ^= ids[0], ids[0] ^= ids[1], ids[1] ^= ids[0]; return "another's row";
    default: return NULL;
    }
}

static void check_hostile(bosc_ctx *ctx, struct saved *f, const char *reason)
{
    saved_seal(f->bytes, f->size, saved_kdtree.header);
    saved_refused(ctx, &saved_kdtree, f, reason);
}

static void hostile(bosc_ctx *ctx)
{
    for (int removed = 0; removed < 2; removed++) {
        struct suite_random r = {3};
        bosc_kdtree_info info = {.size = sizeof info};
        bosc_kdtree *tree = make_tree(ctx, &r, BOSC_F32, 10, removed, 0);
        struct saved good = kdtree_save(ctx, tree);
        struct saved f = {.bytes = suite_alloc(good.size), .size = good.size};
        const char *reason;
        CHECK_EQ(bosc_kdtree_get_info(ctx, tree, &info), BOSC_OK);
        /* Every change of the header, then of ids, inverse and counts. */
        for (int i = 0;; i++) {
            memcpy(f.bytes, good.bytes, good.size);
            if (!(reason = change_header((struct bi_kdtree_header *)(void *)f.bytes, i))) break;
            check_hostile(ctx, &f, reason);
        }
        uint32_t *ids = (uint32_t *)(void *)(f.bytes + sizeof(struct bi_kdtree_header) + (size_t)info.nodes * 3 * 4);
        uint32_t *inverse = ids + info.nodes, *counts = inverse + info.n;
        for (int i = 0; i < (removed ? 7 : 3); i++) {
            memcpy(f.bytes, good.bytes, good.size);
            check_hostile(ctx, &f, change_body(ids, inverse, counts, i));
        }
        /* Unchanged bytes sealed again equal the file. */
        memcpy(f.bytes, good.bytes, good.size);
        saved_seal(f.bytes, f.size, saved_kdtree.header);
        CHECK(memcmp(f.bytes, good.bytes, good.size) == 0);
        bosc_kdtree_free(tree);
        free(good.bytes);
        free(f.bytes);
    }
}

/* Arrays of several slices. */
static void several_slices(bosc_ctx *ctx)
{
    enum { DIM = 16 };
    int64_t n = suite_slow(ctx) ? 20000 : 50000; /* 1.3 or 3.2 MB of points */
    struct suite_random r = {4};
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = DIM};
    struct reference_points p = kd_points(&r, BOSC_F32, DIM, n, DIM, KD_RANDOM);
    bosc_kdtree *tree = kd_build(ctx, &o, &p);
    struct saved f = kdtree_save(ctx, tree);
    bosc_kdtree *back = saved_again(ctx, &saved_kdtree, tree, f.size);
    CHECK_OK(ctx, bosc_kdtree_verify(ctx, back, NULL));
    size_t whole = f.size;
    for (f.size = whole / 8; f.size < whole; f.size += whole / 8)
        saved_refused(ctx, &saved_kdtree, &f, "it ends within its");
    bosc_kdtree_free(tree);
    bosc_kdtree_free(back);
    free(f.bytes);
    free((void *)p.data);
}

/* tests/golden/: trees as the first version of the format had them, which stay readable. */
struct golden_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};
static const unsigned char golden_kept[] = {
#include "golden/kdtree-v1.bosc.inc"
};
static const unsigned char golden_unique[] = {
#include "golden/kdtree-v1-unique.bosc.inc"
};
static const struct golden_file golden_files[2] = {
    {"kdtree-v1.bosc", golden_kept, sizeof golden_kept},
    {"kdtree-v1-unique.bosc", golden_unique, sizeof golden_unique},
};

static bosc_kdtree *golden_tree(bosc_ctx *ctx, bool removed)
{
    static const double rows[9][3] = {{3, 1, 0.5}, {1, 2, -7},  {1, 2, -7},   {0.0, -0.0, 1e30}, {-3, 1e-30, 8},
                                      {9, 9, 9},   {1, 2, 700}, {0.25, 2, 2}, {1, 2, -7}};
    float narrow[27];
    for (int i = 0; i < 27; i++) narrow[i] = (float)rows[i / 3][i % 3];
    bosc_kdtree_opts o = {.size = sizeof o, .dtype = removed ? BOSC_F32 : BOSC_F64, .dim = 3};
    if (removed) o.duplicates = BOSC_KDTREE_DUPLICATES_REMOVE;
    if (removed) o.id_bits = 32;
    struct reference_points p = {o.dtype, 3, 9, 3, removed ? (const void *)narrow : rows};
    return kd_build(ctx, &o, &p);
}

static void golden(bosc_ctx *ctx)
{
    for (int removed = 0; removed < 2; removed++) {
        const struct golden_file *known = &golden_files[removed];
        bosc_kdtree *tree = golden_tree(ctx, removed);
        bosc_kdtree *back = saved_golden(ctx, &saved_kdtree, tree, known->name, known->bytes, known->size);
        CHECK_OK(ctx, bosc_kdtree_verify(ctx, back, NULL));
        bosc_kdtree_free(back);
        bosc_kdtree_free(tree);
    }
}

/* A tree in the wrong order can be read, since its checksum is right; the verifier names the node. */
static void wrong_order(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    /* Only a CPU's nodes can be changed here. */
    if (info.backend != BOSC_BACKEND_CPU) return;
    struct suite_random r = {2};
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2};
    struct reference_points p = kd_points(&r, BOSC_F32, 2, 90, 2, KD_RANDOM);
    bosc_kdtree *tree = kd_build(ctx, &o, &p);
    float *first = tree->points.data, kept = *first;
    uint32_t *ids = tree->ids.data, id = ids[50];
    /* A first point too large for its side. */
    *first = 1e9f;
    struct saved f = kdtree_save(ctx, tree);
    bosc_kdtree *back = kdtree_load(ctx, &f);
    int64_t node = -1;
    CHECK_STATUS(ctx, bosc_kdtree_verify(ctx, back, &node), BOSC_ERR_DATA);
    CHECK_EQ(node, 0);
    CHECK(suite_begins(bosc_ctx_message(ctx), "node 0 is on the less side of its ancestor 45 "));
    *first = kept;
    /* A repeated id, and one out of range. */
    ids[50] = ids[20];
    CHECK_STATUS(ctx, bosc_kdtree_verify(ctx, tree, &node), BOSC_ERR_DATA);
    CHECK_EQ(node, 50);
    ids[50] = 90;
    CHECK_STATUS(ctx, bosc_kdtree_verify(ctx, tree, &node), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "node 50 has the id 90"));
    ids[50] = id;
    CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
    bosc_kdtree_free(tree);
    bosc_kdtree_free(back);
    free(f.bytes);
    free((void *)p.data);
}

/* Among equal points ids decide the order. */
static void wrong_ids(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (info.backend != BOSC_BACKEND_CPU) return;
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2};
    static const float points[6] = {1, 2, 1, 2, 1, 2};
    struct reference_points p = {BOSC_F32, 2, 3, 2, points};
    bosc_kdtree *tree = kd_build(ctx, &o, &p);
    uint32_t *ids = tree->ids.data;
    int64_t node = -1;
    CHECK(ids[0] == 0 && ids[1] == 1 && ids[2] == 2);
    ids[0] = 1;
    ids[1] = 0;
    CHECK_STATUS(ctx, bosc_kdtree_verify(ctx, tree, &node), BOSC_ERR_DATA);
    CHECK_EQ(node, 0);
    CHECK(strstr(bosc_ctx_message(ctx), "but is greater by id, not coordinate"));
    ids[0] = 0;
    ids[1] = 2;
    ids[2] = 1;
    CHECK_STATUS(ctx, bosc_kdtree_verify(ctx, tree, NULL), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "node 2 is on the greater side of its ancestor 1 "));
    bosc_kdtree_free(tree);
}

/* Two ids of equal neighbours exchanged, or one of unequal neighbours repeated, in every part of a tree of many equal
 * points, where its nodes are. */
static void exchanged_ids(bosc_ctx *ctx)
{
    const int64_t n = 2200; /* above the subtree of a block of the verifier on CUDA */
    for (int k = 0; k < 6; k++) {
        struct suite_random r = {(uint64_t)k};
        const bosc_kdtree_opts o = {.size = sizeof o, .dtype = k < 3 ? BOSC_F32 : BOSC_I32, .dim = 2 + k % 3};
        if (suite_leaves_out()) continue;
        struct reference_points p = kd_points(&r, o.dtype, o.dim, n, o.dim, KD_RANDOM);
        for (int64_t i = 0; i < n * o.dim; i++)
            kd_set((void *)p.data, o.dtype, i, (double)suite_below(&r, i / o.dim % 2 ? 40 : 2));
        bosc_kdtree *tree = kd_build(ctx, &o, &p);
        const size_t row = bosc_dtype_size(o.dtype) * (size_t)o.dim;
        char *nodes = suite_alloc((size_t)n * row);
        bosc_kdtree_view view;
        CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, tree, nodes, NULL));
        CHECK_OK(ctx, bosc_kdtree_get_view(ctx, tree, &view));
        for (int64_t i = 0; i + 1 < n; i++) {
            uint32_t *at[2], id[2];
            const int64_t quarter = i % (n / 4); /* the nodes above the blocks' subtrees are at the quarters */
            if (i % (suite_slow(ctx) ? 131 : 41) && quarter > 0 && quarter + 1 < n / 4) continue;
            const bool equal = memcmp(nodes + (size_t)i * row, nodes + (size_t)(i + 1) * row, row) == 0;
            for (int e = 0; e < 2; e++) {
                at[e] = (uint32_t *)(uintptr_t)view.ids + (i + e) * view.id_stride;
                CHECK_OK(ctx, bosc_ctx_copy(ctx, &id[e], at[e], sizeof id[e]));
            }
            for (int e = 0; e <= equal; e++) CHECK_OK(ctx, bosc_ctx_copy(ctx, at[e], &id[1 - e], sizeof id[e]));
            CHECK_STATUS(ctx, bosc_kdtree_verify(ctx, tree, NULL), BOSC_ERR_DATA);
            for (int e = 0; e < 2; e++) CHECK_OK(ctx, bosc_ctx_copy(ctx, at[e], &id[e], sizeof id[e]));
            CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
        }
        CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
        bosc_kdtree_free(tree);
        free(nodes);
        free((void *)p.data);
    }
}

static const struct suite_case suite_cases_kdtree_save[] = {
    {"round trip", round_trip, NULL},       {"damage", damage, NULL},
    {"hostile files", hostile, NULL},       {"arrays of several slices", several_slices, NULL},
    {"golden files", golden, NULL},         {"wrong order", wrong_order, NULL},
    {"wrong ids", wrong_ids, NULL},         {"flat", flat, NULL},
    {"exchanged ids", exchanged_ids, NULL},
};
SUITE(kdtree_save);
