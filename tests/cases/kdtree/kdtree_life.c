/* Lifetime of k-d trees: rebuilds, reserve, use beyond their context, concurrent searches. */
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"
#include "cases/kdtree/kdtree_order.h"
#include "kdtree/kdtree.h"
#include "support/arrays.h"
#include "support/capture.h"
#include "support/counted.h"

static void check_tree(bosc_ctx *ctx, bosc_kdtree *tree, const struct reference_points *p)
{
    int64_t *order = suite_alloc((size_t)p->n * 8), *ids = suite_alloc((size_t)p->n * 8);
    reference_kdtree(p, order);
    CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, tree, NULL, ids));
    CHECK(memcmp(order, ids, (size_t)p->n * 8) == 0);
    free(order);
    free(ids);
}

static void rebuild(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    for (int b = 0; b < KD_BUILDS; b++) {
        bosc_kdtree_opts o = {.size = sizeof o};
        kd_set_build(&o, b);
        bosc_kdtree *tree = NULL;
        bosc_kdtree_info info = {.size = sizeof info};
        static const int64_t sizes[] = {100, 10, 0, 300, 299, 1, 301};
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
        for (int i = 0; i < 7; i++) {
            struct reference_points p = kd_points(&r, BOSC_F32, o.dim, sizes[i], o.dim, KD_RANDOM);
            CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p.data, p.n, 0));
            check_tree(ctx, tree, &p);
            CHECK_EQ(bosc_kdtree_get_info(ctx, tree, &info), BOSC_OK);
            CHECK_EQ(info.nodes, p.n);
            CHECK_EQ(info.n, p.n);
            CHECK_EQ(info.duplicates, 0);
            CHECK((p.n >> info.depth) == 0 && (info.depth == 0 || (p.n >> (info.depth - 1)) > 0));
            free((void *)p.data);
        }
        bosc_kdtree_free(tree);
    }
}

/* The calls of a program for one frame. */
static void run_frame(bosc_ctx *ctx, bosc_kdtree *tree, const struct reference_points *p, int64_t *ids, int64_t k)
{
    int64_t offsets[33];
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p->data, p->n, 0));
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, p->data, p->n, 0, k, ids, NULL));
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, p->data, 32, 0, 1, offsets, NULL, NULL, 0));
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, p->data, 32, 0, 1, offsets, ids, NULL, p->n));
}

static void second_frame_allocates_nothing(bosc_ctx *like)
{
    struct suite_random r = {2};
    struct counted c;
    counted_open(&c, like, 0);
    bosc_ctx *ctx = c.ctx;
    /* Kinds: with and without duplicates, few and many neighbours, every builder. The first one reserves; the others
     * grow in a first frame. */
    for (int kind = 0; kind < 4 * KD_BUILDS; kind++) {
        bosc_kdtree_opts o = {.size = sizeof o,
                              .duplicates = kind & 1 ? BOSC_KDTREE_DUPLICATES_REMOVE : BOSC_KDTREE_DUPLICATES_KEEP};
        int64_t n = suite_slow(like) ? 300 : 6000, k = kind & 2 ? 40 : 2;
        kd_set_build(&o, kind / 4);
        struct reference_points p = kd_points(&r, BOSC_F32, o.dim, n, o.dim, KD_RANDOM);
        int64_t *ids = suite_alloc((size_t)(n * k) * 8);
        bosc_kdtree *tree = NULL;
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
        if (kind == 0) CHECK_OK(ctx, bosc_kdtree_reserve(ctx, tree, n, n, k));
        if (kind != 0) run_frame(ctx, tree, &p, ids, k);
        /* An equal frame, and one of half the points, allocate nothing. */
        int64_t before = c.allocations;
        run_frame(ctx, tree, &p, ids, k);
        CHECK_EQ(c.allocations, before);
        p.n /= 2;
        run_frame(ctx, tree, &p, ids, k);
        if (kind == 0) CHECK_EQ(c.allocations, before);
        bosc_kdtree_free(tree);
        free(ids);
        free((void *)p.data);
    }
    counted_close(&c);
}

/* A tree keeps its nodes, and its index of searches, when it reserves more. */
static void reserve(bosc_ctx *ctx)
{
    static const int32_t dims[] = {2, 5, 16};
    struct suite_random r = {3};
    for (int d = 0; d < 3; d++) {
        const bosc_kdtree_opts o = {.size = sizeof o, .dim = dims[d]};
        struct reference_points p = kd_points(&r, BOSC_F32, o.dim, 100, o.dim, KD_RANDOM);
        bosc_kdtree *tree = kd_build(ctx, &o, &p);
        int64_t kept = 0, scratch = 0, id;
        bosc_kdtree_info info = {.size = sizeof info};
        CHECK_OK(ctx, bosc_kdtree_reserve(ctx, tree, 1000, 10, 3));
        check_tree(ctx, tree, &p);
        for (int64_t i = 0; i < p.n; i += 14) {
            CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, kd_row(&p, i), 1, 0, 1, &id, NULL));
            CHECK_EQ(id, i);
        }
        CHECK_OK(ctx, bosc_kdtree_bytes(ctx, &o, 1000, &kept, &scratch));
        CHECK_EQ(bosc_kdtree_get_info(ctx, tree, &info), BOSC_OK);
        CHECK(kept == info.bytes && scratch > 0);
        bosc_kdtree_free(tree);
        free((void *)p.data);
    }
}

/* After a reserve for few queries searches allocate nothing: they do not order a plane by extent, also after a
 * rebuild. */
static void reserve_plane(bosc_ctx *ctx)
{
    struct suite_random r = {6};
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3};
    struct reference_points p = kd_flat_points(&r, BOSC_F32, 3, 100, KD_FLAT, 4, KD_RANDOM);
    int64_t id;
    for (int64_t queries = 0; queries < 2; queries++) {
        bosc_kdtree *tree = kd_build(ctx, &o, &p);
        CHECK_OK(ctx, bosc_kdtree_reserve(ctx, tree, 1000, queries, 3));
        for (int built = 0; built < 2; built++) {
            kd_want_order(tree);
            CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, kd_row(&p, 42), 1, 0, 1, &id, NULL));
            CHECK_EQ(id, 42);
            CHECK((tree->query_cache.by_extent != NULL) == (queries == 0));
            CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p.data, p.n, 0));
            CHECK(tree->query_cache.by_extent == NULL && tree->query_cache.query_count == 0);
        }
        bosc_kdtree_free(tree);
    }
    free((void *)p.data);
}

/* A tree that reserves memory for as many queries as nodes has the order by extent from the first search on, without
 * an allocation; bosc_kdtree_bytes counts it. */
static void reserve_order(bosc_ctx *like)
{
    struct suite_random r = {8};
    struct counted c;
    counted_open(&c, like, 0);
    bosc_ctx *ctx = c.ctx;
    const int64_t sampled = kd_sampled_nodes(ctx), n = sampled < 2048 ? 2048 : sampled; /* the least queries */
    int64_t *ids = suite_alloc((size_t)n * 8);
    for (int i = 0; i < 2; i++) {
        const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3 - i, .dtype = i ? BOSC_F64 : BOSC_F32};
        struct reference_points p = kd_mixed_points(&r, o.dtype, o.dim, n);
        bosc_kdtree_info info = {.size = sizeof info};
        bosc_kdtree *tree = NULL;
        int64_t kept = 0, scratch = 0;
        /* 1. Reserve. */
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
        CHECK_OK(ctx, bosc_kdtree_reserve(ctx, tree, n, n, 2));
        CHECK_OK(ctx, bosc_kdtree_bytes(ctx, &o, n, &kept, &scratch));
        CHECK_OK(ctx, bosc_kdtree_get_info(ctx, tree, &info));
        CHECK_EQ(kept, info.bytes);
        /* 2. Build and search twice. */
        const int64_t before = c.allocations;
        for (int frame = 0; frame < 2; frame++) {
            CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p.data, n, 0));
            CHECK(tree->query_cache.by_extent == NULL);
            CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, p.data, n, 0, 1, ids, NULL));
            CHECK(tree->query_cache.by_extent != NULL);
            check_tree(ctx, tree, &p);
        }
        CHECK_EQ(c.allocations, before);
        bosc_kdtree_free(tree);
        free((void *)p.data);
    }
    free(ids);
    counted_close(&c);
}

/* The smallest tree with an order on the CPU gets it after 2,048 queries, though its short paths have fewer narrow
 * splits than larger trees need. */
static void few_nodes(bosc_ctx *ctx)
{
    enum { QUERIES = 2048 };
    if (suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA) return;
    struct suite_random r = {17};
    const int64_t n = kd_sampled_nodes(ctx);
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 3, .id_bits = 32};
    const struct reference_points p = kd_mixed_points(&r, opts.dtype, opts.dim, n);
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    uint32_t *ids = suite_alloc(QUERIES * sizeof *ids);
    for (int64_t left = QUERIES; left > 0; left -= n) {
        CHECK(!tree->query_cache.order_decided);
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, p.data, n, 0, 1, ids, NULL));
        for (int64_t i = 0; i < n; i++) CHECK_EQ(ids[i], i);
    }
    CHECK(tree->query_cache.by_extent != NULL);
    free(ids);
    bosc_kdtree_free(tree);
    free((void *)p.data);
}

/* A search orders the nodes by extent in the memory of the tree, though its context has other allocators. */
static void order_of_other_context(bosc_ctx *like)
{
    struct suite_random r = {9};
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3};
    struct reference_points p = kd_flat_points(&r, BOSC_F32, 3, 100, KD_FLAT, 4, KD_RANDOM);
    struct counted owner, other;
    int64_t id;
    counted_open(&owner, like, 0);
    counted_open(&other, like, 0);
    bosc_kdtree *tree = kd_build(owner.ctx, &o, &p);
    const int64_t before = owner.live;
    kd_want_order(tree);
    CHECK_OK(other.ctx, bosc_kdtree_knn(other.ctx, tree, kd_row(&p, 42), 1, 0, 1, &id, NULL));
    CHECK_EQ(id, 42);
    CHECK(tree->query_cache.by_extent != NULL);
    CHECK(owner.live > before);
    counted_close(&other);
    bosc_kdtree_free(tree);
    counted_close(&owner);
    free((void *)p.data);
}

struct recorded {
    bosc_kdtree *tree;
    struct array query, id;
    int calls;
};

/* The second call, which a device captures, is the first one after many queries. */
static void search_after_many_queries(bosc_ctx *ctx, void *user)
{
    struct recorded *r = user;
    if (r->calls++) kd_want_order(r->tree);
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, r->tree, r->query.p, 1, 0, 1, r->id.p, NULL));
}

/* A captured search leaves the order of a plane by extent to a later search. */
static void recorded_plane(bosc_ctx *ctx)
{
    struct suite_random r = {6};
    const bool device = has_device_memory(ctx);
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3, .assume_valid = 1};
    struct reference_points p = kd_flat_points(&r, BOSC_F32, 3, 100, KD_FLAT, 4, KD_RANDOM);
    struct recorded user = {.tree = kd_build(ctx, &o, &p),
                            .query = array_make(ctx, kd_row(&p, 42), 12, device),
                            .id = array_make(ctx, NULL, 8, device)};
    struct capture c;
    capture_open(&c, ctx, search_after_many_queries, &user);
    if (c.graph) CHECK(user.tree->query_cache.by_extent == NULL);
    capture_replay(&c);
    CHECK_EQ(*(int64_t *)array_get(ctx, &user.id), 42);
    capture_close(&c);
    search_after_many_queries(ctx, &user);
    CHECK(user.tree->query_cache.by_extent != NULL);
    CHECK_EQ(*(int64_t *)array_get(ctx, &user.id), 42);
    array_free(ctx, &user.query);
    array_free(ctx, &user.id);
    bosc_kdtree_free(user.tree);
    free((void *)p.data);
}

static bosc_ctx *open_like(bosc_ctx *like)
{
    bosc_ctx_opts o = suite_opts_like(like);
    return suite_open(&o);
}

static void outlive(bosc_ctx *ctx)
{
    struct suite_random r = {4};
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2};
    struct reference_points p = kd_points(&r, BOSC_F32, 2, 200, 2, KD_GRID);
    bosc_ctx *first = open_like(ctx);
    bosc_kdtree *tree = kd_build(first, &o, &p);
    bosc_ctx_free(first);
    check_tree(ctx, tree, &p);
    bosc_kdtree_free(tree);
    free((void *)p.data);
}

/* Several contexts search one tree at once; after many queries one of them orders a plane by extent. */
static void search_at_once(bosc_ctx *ctx, struct suite_random *r, unsigned flat)
{
    enum { CONTEXTS = 4, N = 500 };
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3};
    struct reference_points p = kd_flat_points(r, BOSC_F32, 3, N, KD_FLAT, flat, KD_RANDOM);
    bosc_kdtree *tree = kd_build(ctx, &o, &p);
    if (flat) kd_want_order(tree);
    bosc_ctx *contexts[CONTEXTS];
    static int64_t ids[CONTEXTS][N * 3];
    bosc_status status[CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++) contexts[i] = open_like(ctx);
#pragma omp parallel for num_threads(CONTEXTS) schedule(static, 1)
    for (int i = 0; i < CONTEXTS; i++) {
        status[i] = bosc_kdtree_knn(contexts[i], tree, p.data, N, 0, 3, ids[i], NULL);
        if (status[i] == BOSC_OK) status[i] = bosc_kdtree_verify(contexts[i], tree, NULL);
    }
    for (int i = 0; i < CONTEXTS; i++) {
        CHECK_EQ(status[i], BOSC_OK);
        CHECK(memcmp(ids[i], ids[0], sizeof ids[0]) == 0);
        bosc_ctx_free(contexts[i]);
    }
    bosc_kdtree_free(tree);
    free((void *)p.data);
}

static void many_contexts(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    for (unsigned flat = 0; flat < 8; flat += 4) search_at_once(ctx, &r, flat);
}

static void links(bosc_ctx *ctx)
{
    struct suite_random r = {7};
    for (int64_t n = 0; n < 20; n++) {
        const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2, .id_bits = n % 2 ? 32 : 64};
        struct reference_points p = kd_points(&r, BOSC_F32, 2, n, 2, KD_RANDOM);
        bosc_kdtree *tree = kd_build(ctx, &o, &p);
        int64_t less[20], greater[20], root = 7, seen = 0;
        CHECK_EQ(bosc_kdtree_get_links(ctx, tree, less, greater, &root), BOSC_OK);
        CHECK_EQ(root, n ? n / 2 : -1);
        for (int64_t i = 0; i < n; i++) {
            int64_t l = kd_id(less, o.id_bits, i), g = kd_id(greater, o.id_bits, i);
            CHECK(l < i && (g == -1 || g > i) && g < n);
            seen += (l >= 0) + (g >= 0);
        }
        CHECK_EQ(seen, n ? n - 1 : 0);
        bosc_kdtree_free(tree);
        free((void *)p.data);
    }
}

static const struct suite_case suite_cases_kdtree_life[] = {
    {"rebuild", rebuild, NULL},
    {"second build", second_frame_allocates_nothing, NULL},
    {"reserve", reserve, NULL},
    {"outlive", outlive, NULL},
    {"many contexts", many_contexts, NULL},
    {"links", links, NULL},
    {"reserve plane", reserve_plane, NULL},
    {"reserve order", reserve_order, NULL},
    {"few nodes", few_nodes, NULL},
    {"order of another context", order_of_other_context, NULL},
    {"recorded plane", recorded_plane, NULL},
};
SUITE(kdtree_life);
