/* Dendrograms and tours made from spanning trees. */
#include "cases/forest/forest_data.h"

#include "support/arrays.h"
#include "support/faults.h"

enum tree_shape { TREE_RANDOM, TREE_PATH, TREE_REVERSED, TREE_STAR, TREE_BINARY, TREE_CATERPILLAR, TREE_SHAPES };

/* A tree of n vertices with shuffled ids, rows and directions. The caller frees pairs. */
static int64_t *make_tree(struct suite_random *r, enum tree_shape shape, int64_t n)
{
    int64_t *pairs = suite_alloc((size_t)n * 16), *name = suite_alloc((size_t)n * 8);
    bool plain = shape == TREE_PATH || shape == TREE_REVERSED;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = plain ? i : (int64_t)suite_below(r, (uint64_t)i + 1);
        name[i] = name[j];
        name[j] = shape == TREE_REVERSED ? n - 1 - i : i;
    }
    for (int64_t i = 1; i < n; i++) {
        int64_t to = i - 1;
        if (shape == TREE_RANDOM) to = (int64_t)suite_below(r, (uint64_t)i);
        if (shape == TREE_STAR) to = 0;
        if (shape == TREE_BINARY) to = (i - 1) / 2;
        if (shape == TREE_CATERPILLAR) to = i % 2 ? i - 1 : i > 1 ? i - 2 : 0;
        bool turn = suite_below(r, 2) && !plain;
        pairs[2 * i - 2] = name[turn ? i : to];
        pairs[2 * i - 1] = name[turn ? to : i];
    }
    free(name);
    return pairs;
}

/* The plain depth-first traversal, with a stack of vertices. */
static void reference_tour(int64_t n, const int64_t *pairs, int64_t *order)
{
    int64_t *stack = suite_alloc((size_t)n * 8), *from = suite_alloc((size_t)n * 8), top = 0, count = 0;
    uint8_t *seen = suite_alloc((size_t)n);
    memset(seen, 0, (size_t)n);
    if (n) stack[top++] = 0;
    while (top > 0) {
        int64_t v = stack[--top], least = top;
        if (seen[v]) continue;
        seen[v] = 1;
        order[count++] = v;
        for (int64_t i = 0; i < n - 1; i++) {
            int64_t other = pairs[2 * i] == v ? pairs[2 * i + 1] : pairs[2 * i + 1] == v ? pairs[2 * i] : -1;
            if (other < 0 || seen[other]) continue;
            int64_t at = top++; /* descending from the top of the stack down, so that the smallest comes off first */
            for (; at > least && stack[at - 1] < other; at--) stack[at] = stack[at - 1];
            stack[at] = other;
        }
    }
    free(stack);
    free(from);
    free(seen);
}

static void tours_match_reference(bosc_ctx *ctx)
{
    struct suite_random r = {31};
    int64_t sizes[256];
    int count = edge_sizes(suite_slow(ctx) ? 40 : 300, sizes);
    for (int k = 0; k < count; k += 1 + k / 24) {
        enum tree_shape shape = (enum tree_shape)suite_below(&r, TREE_SHAPES);
        int64_t n = sizes[k], *pairs = make_tree(&r, shape, n), *right = suite_alloc((size_t)n * 8);
        int32_t id_bits = suite_below(&r, 2) ? 64 : 32;
        void *given = forest_narrow(pairs, n > 1 ? 2 * (n - 1) : 0, id_bits);
        struct array in = array_make(ctx, given, (size_t)(n > 1 ? 2 * (n - 1) : 0) * (size_t)id_bits / 8, k & 1);
        struct array order = array_make(ctx, NULL, (size_t)n * (size_t)id_bits / 8, k & 2);
        reference_tour(n, pairs, right);
        CHECK_OK(ctx, bosc_tour_compute(ctx, in.p, n, &(bosc_tour_opts){sizeof(bosc_tour_opts), id_bits}, order.p));
        array_get(ctx, &order);
        for (int64_t i = 0; i < n; i++) CHECK_EQ(forest_id(order.host, id_bits, i), right[i]);
        array_free(ctx, &in);
        array_free(ctx, &order);
        free(pairs);
        free(right);
        free(given);
    }
}

/* Clusters as lists of vertices, merged pair by pair. */
static void reference_linkage(int64_t n, const int64_t *pairs, const double *lengths, double *z)
{
    int64_t *cluster = suite_alloc((size_t)n * 8);
    uint8_t *done = suite_alloc((size_t)n);
    memset(done, 0, (size_t)n);
    for (int64_t v = 0; v < n; v++) cluster[v] = v;
    for (int64_t t = 0; t < n - 1; t++) {
        int64_t best = -1, size = 0;
        for (int64_t i = 0; i < n - 1; i++)
            if (!done[i] && (best < 0 || lengths[i] < lengths[best])) best = i;
        done[best] = 1;
        int64_t a = cluster[pairs[2 * best]], b = cluster[pairs[2 * best + 1]];
        for (int64_t v = 0; v < n; v++)
            if (cluster[v] == a || cluster[v] == b) {
                cluster[v] = n + t;
                size++;
            }
        z[4 * t] = (double)(a < b ? a : b);
        z[4 * t + 1] = (double)(a < b ? b : a);
        z[4 * t + 2] = lengths[best];
        z[4 * t + 3] = (double)size;
    }
    free(cluster);
    free(done);
}

static void linkages_match_reference(bosc_ctx *ctx)
{
    struct suite_random r = {32};
    int64_t sizes[256];
    int count = edge_sizes(suite_slow(ctx) ? 40 : 150, sizes);
    for (int k = 0; k < count; k += 1 + k / 24) {
        int64_t n = sizes[k], rows = n > 1 ? n - 1 : 0;
        int64_t *pairs = make_tree(&r, (enum tree_shape)suite_below(&r, TREE_SHAPES), n);
        int32_t id_bits = suite_below(&r, 2) ? 64 : 32, kind = (int32_t)suite_below(&r, 4);
        double *lengths = suite_alloc((size_t)rows * 8), *right = suite_alloc((size_t)rows * 32);
        /* Lengths: random, with ties, descending, infinite. */
        for (int64_t i = 0; i < rows; i++)
            lengths[i] = kind == 0   ? suite_unit(&r)
                         : kind == 1 ? (double)suite_below(&r, 3) - 1
                         : kind == 2 ? -(double)i
                                     : (suite_below(&r, 2) ? 1 : -1) * INFINITY;
        /* Each array is on the host or on the device, in all combinations. */
        void *given = forest_narrow(pairs, 2 * rows, id_bits);
        struct array in = array_make(ctx, given, (size_t)(2 * rows * id_bits / 8), k & 1);
        struct array z = array_make(ctx, NULL, (size_t)rows * 32, k & 2);
        struct array weights = array_make(ctx, lengths, (size_t)rows * 8, k & 4);
        reference_linkage(n, pairs, lengths, right);
        CHECK_OK(ctx, bosc_linkage_compute(ctx, in.p, weights.p, n,
                                           &(bosc_linkage_opts){sizeof(bosc_linkage_opts), id_bits}, z.p));
        CHECK(memcmp(array_get(ctx, &z), right, (size_t)rows * 32) == 0);
        array_free(ctx, &in);
        array_free(ctx, &z);
        array_free(ctx, &weights);
        free(pairs);
        free(lengths);
        free(right);
        free(given);
    }
}

/* Pairs that form no tree, and NaN lengths. */
static void no_trees(bosc_ctx *ctx)
{
    static const struct {
        int64_t pairs[6];
        const char *tour, *linkage;
    } wrong[] = {
        {{0, 1, 1, 2, 2, 0}, "pairs: no spanning tree", "pairs: no tree: row 2"},
        {{0, 1, 0, 1, 2, 3}, "pairs: no spanning tree", "pairs: no tree: row 1"},
        {{0, 1, 2, 2, 2, 3}, "pairs: row 1", "pairs: no tree: row 1"},
        {{1, 2, 2, 1, 3, 3}, "pairs: row 2", "pairs: no tree: row 1"},
        {{0, 1, 1, 2, 2, 4}, "pairs: row 2", "pairs: row 2"},
        {{0, 1, 1, 2, -1, 3}, "pairs: row 2", "pairs: row 2"},
        {{0, INT64_MAX, 1, 2, 2, 3}, "pairs: row 0", "pairs: row 0"},
        {{INT64_MIN, 1, 1, 2, 2, 3}, "pairs: row 0", "pairs: row 0"},
    };
    double lengths[] = {1, 2, 3}, z[12];
    int64_t order[4] = {7, 7, 7, 7}, good[] = {0, 1, 1, 2, 2, 3};
    for (int i = 0; i < 12; i++) z[i] = 7;
    /* Both functions name the first bad row, each in its own words. */
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        CHECK_STATUS(ctx,
                     bosc_tour_compute(ctx, wrong[k].pairs, 4, &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, order),
                     BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), wrong[k].tour));
        CHECK_STATUS(ctx,
                     bosc_linkage_compute(ctx, wrong[k].pairs, lengths, 4,
                                          &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
                     BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), wrong[k].linkage));
    }
    lengths[1] = -NAN;
    CHECK_STATUS(ctx,
                 bosc_linkage_compute(ctx, good, lengths, 4, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
                 BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "lengths: row 1"));
    /* No output has changed. */
    for (int i = 0; i < 12; i++) CHECK(z[i] == 7);
    for (int i = 0; i < 4; i++) CHECK(order[i] == 7);
}

/* Every merge joins two clusters that no merge before it has joined, and has the vertices of both. */
static void check_merges(int64_t n, const double *z)
{
    uint8_t *is_joined = suite_alloc((size_t)(2 * n));
    memset(is_joined, 0, (size_t)(2 * n));
    for (int64_t t = 0; t < n - 1; t++) {
        double vertices = 0;
        for (int k = 0; k < 2; k++) {
            const int64_t cluster = (int64_t)z[4 * t + k];
            CHECK(cluster < n + t && !is_joined[cluster]);
            is_joined[cluster] = 1;
            vertices += cluster < n ? 1 : z[4 * (cluster - n) + 3];
        }
        CHECK(z[4 * t + 3] == vertices);
    }
    free(is_joined);
}

static void large_trees_are_consistent(bosc_ctx *ctx)
{
    struct suite_random r = {33};
    int64_t n = suite_slow(ctx) ? 500 : 100000;
    for (int shape = 0; shape < TREE_SHAPES; shape++) {
        int64_t *pairs = make_tree(&r, (enum tree_shape)shape, n), *order = suite_alloc((size_t)n * 8);
        double *lengths = suite_alloc((size_t)n * 8), *z = suite_alloc((size_t)n * 32);
        uint8_t *seen = suite_alloc((size_t)n);
        /* On a path, most vertices choose the edge to their successors: long chains. */
        for (int64_t i = 0; i < n - 1; i++)
            lengths[i] = shape == TREE_PATH ? -(double)(i % 200) : (double)suite_below(&r, 1000);
        CHECK_OK(ctx,
                 bosc_linkage_compute(ctx, pairs, lengths, n, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z));
        for (int64_t i = 1; i < n - 1; i++) CHECK(z[4 * i + 2] >= z[4 * i - 2] && z[4 * i] < z[4 * i + 1]);
        CHECK(z[4 * (n - 2) + 3] == (double)n);
        check_merges(n, z);
        CHECK_OK(ctx, bosc_tour_compute(ctx, pairs, n, &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, order));
        memset(seen, 0, (size_t)n);
        CHECK_EQ(order[0], 0);
        for (int64_t i = 0; i < n; i++) {
            CHECK(order[i] >= 0 && order[i] < n && !seen[order[i]]);
            seen[order[i]] = 1;
        }
        free(pairs);
        free(order);
        free(lengths);
        free(z);
        free(seen);
    }
}

/* A second call of the same size allocates nothing. */
static void second_call_allocates_nothing(bosc_ctx *ctx)
{
    struct suite_random r = {34};
    int64_t live[2], before = 0, n = 200, *pairs = make_tree(&r, TREE_RANDOM, n), *order = suite_alloc((size_t)n * 8);
    double *lengths = suite_alloc((size_t)n * 8), *z = suite_alloc((size_t)n * 32);
    const bosc_linkage_opts by_length = {sizeof by_length, 64};
    const bosc_tour_opts along = {sizeof along, 64};
    for (int64_t i = 0; i < n; i++) lengths[i] = suite_unit(&r);
    bosc_ctx *own = counted_context(ctx, live);
    for (int k = 0; k < 2; k++) {
        before = counted_allocations();
        CHECK_OK(own, bosc_linkage_compute(own, pairs, lengths, n, &by_length, z));
        CHECK_OK(own, bosc_tour_compute(own, pairs, n, &along, order));
    }
    CHECK_EQ(counted_allocations(), before);
    bosc_ctx_free(own);
    free(pairs);
    free(order);
    free(lengths);
    free(z);
}

static const struct suite_case suite_cases_tree[] = {
    {"tours", tours_match_reference, NULL},
    {"linkages", linkages_match_reference, NULL},
    {"no trees", no_trees, NULL},
    {"large", large_trees_are_consistent, NULL},
    {"second time", second_call_allocates_nothing, NULL},
};
SUITE(tree);
