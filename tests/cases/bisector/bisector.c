/* Bisector pools against a reference, against terrains, and down to level 60. */
#include "cases/bisector/bisector_data.h"

#include "support/arrays.h"

/* Chooses commands by one of several patterns. */
static void choose(struct suite_random *r, int habit, uint8_t *commands, int64_t n)
{
    for (int64_t l = 0; l < n; l++) {
        const uint64_t dice = suite_below(r, 16);
        if (habit == 0) commands[l] = (uint8_t)suite_below(r, 3);
        if (habit == 1) commands[l] = dice == 0;
        if (habit == 2) commands[l] = dice < 12 ? 2 : 0;
        if (habit == 3) commands[l] = dice == 0 ? 1 : dice == 1 ? 77 : 2;
        if (habit == 4) commands[l] = 1;
        if (habit == 5) commands[l] = 2;
    }
}

/* An update, checked with its sources. */
static void check_update(bosc_ctx *ctx, bosc_bisectors *bisectors, struct reference_bisectors *b,
                         const uint8_t *commands, bool by_node)
{
    const int64_t n = b->n, capacity = 4 * n + 3;
    int64_t *sources = suite_alloc((size_t)capacity * sizeof *sources);
    if (by_node) {
        uint64_t *lists[2] = {suite_alloc((size_t)n * 16 + 64), suite_alloc((size_t)n * 16 + 64)};
        int64_t counts[2] = {0, 0};
        for (int64_t l = 0; l < n; l++)
            for (int k = 0; k < 2; k++)
                if (commands[l] == k + 1) {
                    lists[k][counts[k]++] = b->leaves[l].node;
                    if (l % 3 == 0) lists[k][counts[k]++] = 2 * b->leaves[l].node; /* no leaf */
                }
        for (int k = 0; k < 2; k++) lists[k][counts[k]++] = 0;
        CHECK_OK(ctx, bosc_bisectors_merge(ctx, bisectors, lists[1], counts[1]));
        CHECK_OK(ctx, bosc_bisectors_split(ctx, bisectors, lists[0], counts[0]));
        CHECK_OK(ctx, bosc_bisectors_split(ctx, bisectors, lists[0], counts[0] / 2));
        free(lists[0]);
        free(lists[1]);
    }
    CHECK_OK(ctx, bosc_bisectors_update(ctx, bisectors, by_node ? NULL : commands, by_node ? 0 : n, sources, capacity));
    reference_bisectors_update(b, commands);
    bisectors_check(ctx, bisectors, b);
    for (int64_t l = 0; l < capacity; l++) CHECK_EQ(sources[l], l < b->n ? b->leaves[l].source : -1);
    free(sources);
}

static void random_updates_match_reference(bosc_ctx *ctx)
{
    const int64_t most = suite_slow(ctx) ? 60 : 260;
    for (int trial = 0; trial < 40; trial++) {
        if (suite_leaves_out()) continue;
        struct suite_random r = {(uint64_t)trial};
        const enum reference_mesh mesh = (enum reference_mesh)(trial % REFERENCE_MESHES);
        const int32_t depth = trial % 5 == 4 ? 3 : trial % 3 == 0 ? 9 : 40;
        bosc_bisectors *bisectors = bisectors_make(ctx, mesh, depth, 0);
        struct reference_bisectors b = reference_bisectors_make(mesh, depth);
        bisectors_check(ctx, bisectors, &b);
        for (int round = 0; round < 12; round++) {
            uint8_t *commands = suite_alloc((size_t)b.n);
            int habit = (int)suite_below(&r, 6);
            if (b.n > most) habit = 2;
            choose(&r, habit, commands, b.n);
            check_update(ctx, bisectors, &b, commands, round % 3 == 2);
            free(commands);
        }
        reference_bisectors_free(&b);
        bosc_bisectors_free(bisectors);
    }
}

/* All leaves of a level, created by a reset and by splits. */
static void reset_equals_splitting(bosc_ctx *ctx)
{
    for (int mesh = 0; mesh < REFERENCE_MESHES; mesh++) {
        struct reference_bisectors b = reference_bisectors_make((enum reference_mesh)mesh, 5);
        for (int32_t level = 0; level <= (suite_slow(ctx) ? 3 : 5); level++) {
            bosc_bisectors *bisectors = bisectors_make(ctx, (enum reference_mesh)mesh, 5, level);
            uint8_t *commands = suite_alloc((size_t)b.n);
            bisectors_check(ctx, bisectors, &b);
            CHECK_OK(ctx, bosc_bisectors_reset(ctx, bisectors, 5 - level));
            CHECK_OK(ctx, bosc_bisectors_reset(ctx, bisectors, level));
            bisectors_check(ctx, bisectors, &b);
            memset(commands, 1, (size_t)b.n);
            reference_bisectors_update(&b, commands);
            free(commands);
            bosc_bisectors_free(bisectors);
        }
        reference_bisectors_free(&b);
    }
}

/* Edges glued both ways; V - E + F = 2 for the octahedron. */
static void check_closed_surface(bosc_ctx *ctx, const bosc_bisectors *bisectors)
{
    struct bisectors_arrays a = bisectors_get(ctx, bisectors);
    int64_t corners = 0;
    bool *seen = calloc((size_t)(3 * a.n), sizeof *seen);
    CHECK(seen != NULL);
    for (int64_t e = 0; e < 3 * a.n; e++) {
        CHECK(a.neighbours[e] >= 0 && a.neighbours[e] < 3 * a.n);
        CHECK_EQ(a.neighbours[a.neighbours[e]], e);
        if (seen[e]) continue;
        corners++;
        for (int64_t at = e; !seen[at];) { /* around the corner at which it begins */
            seen[at] = true;
            const int64_t back = a.neighbours[at];
            at = back - back % 3 + (back % 3 + 1) % 3;
        }
    }
    CHECK_EQ(2 * corners - 3 * a.n + 2 * a.n, 4);
    free(seen);
    bisectors_release(&a);
}

/* Down to level 60 around one point of the octahedron, and back. */
static void splits_and_merges_level_60(bosc_ctx *ctx)
{
    const int64_t root = 5;
    const double point[2] = {0.3, 0.14159265358979};
    bosc_bisectors *bisectors = bisectors_make(ctx, REFERENCE_OCTAHEDRON, 60, 0);
    bosc_bisectors_info info = {.size = sizeof info};
    for (int32_t level = 0; level < 60; level++) {
        int64_t leaf;
        uint64_t node;
        CHECK_OK(ctx, bosc_bisectors_locate(ctx, bisectors, &root, point, 1, &leaf));
        CHECK_OK(ctx, bosc_bisectors_decode(ctx, bisectors, leaf, 1, &node));
        CHECK_EQ(node >> level, 8 + root);
        CHECK_OK(ctx, bosc_bisectors_split(ctx, bisectors, &node, 1));
        CHECK_OK(ctx, bosc_bisectors_update(ctx, bisectors, NULL, 0, NULL, 0));
        if (level % 7 == 3) check_closed_surface(ctx, bisectors);
    }
    check_closed_surface(ctx, bisectors);
    CHECK_OK(ctx, bosc_bisectors_get_info(ctx, bisectors, &info));
    CHECK_EQ(info.deepest, 60);
    CHECK(info.leaves > 120 && info.leaves < 1000);
    uint8_t *commands = suite_alloc((size_t)info.leaves);
    memset(commands, 1, (size_t)info.leaves); /* splits all leaves but those of level 60 */
    commands[0] = 0;
    for (int round = 0; round < 60; round++) {
        memset(commands, 2, (size_t)info.leaves);
        CHECK_OK(ctx, bosc_bisectors_update(ctx, bisectors, commands, info.leaves, NULL, 0));
    }
    CHECK_EQ(bisectors_leaves(ctx, bisectors), 8);
    free(commands);
    bosc_bisectors_free(bisectors);
}

/* A flat terrain of a square is the same bisection on a bit field: its leaves must equal those of the pool. */
static void equals_flat_terrain(bosc_ctx *ctx)
{
    enum { SIDE = 17 };
    static const float heights[SIDE * SIDE];
    for (int trial = 0; trial < 4; trial++) {
        /* Both start as the square's two triangles. */
        struct suite_random r = {(uint64_t)trial + 100};
        bosc_bisectors *bisectors = bisectors_make(ctx, REFERENCE_SQUARE, 8, 0);
        bosc_terrain *terrain = NULL;
        CHECK_OK(ctx, bosc_terrain_create(ctx, NULL, &terrain));
        CHECK_OK(ctx, bosc_terrain_build(ctx, terrain, heights, SIDE, SIDE, SIDE));
        for (int round = 0; round < (suite_slow(ctx) ? 6 : 20); round++) {
            const int64_t n = bisectors_leaves(ctx, bisectors);
            uint64_t *ours = suite_alloc((size_t)n * 8), *theirs = suite_alloc((size_t)n * 8 + 8);
            /* The terrain's tree and the pool must hold the same nodes. */
            uint8_t *commands = suite_alloc((size_t)n);
            bosc_cbt_info info = {.size = sizeof info};
            const bosc_cbt *tree = bosc_terrain_get_tree(terrain);
            CHECK_OK(ctx, bosc_cbt_get_info(ctx, tree, &info));
            CHECK_EQ(info.leaves, n);
            CHECK_EQ(info.id_bits, 64);
            CHECK_OK(ctx, bosc_bisectors_decode(ctx, bisectors, 0, n, ours));
            CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, 0, n, theirs));
            for (int64_t l = 0; l < n; l++) CHECK_EQ(ours[l], theirs[l]);
            /* The same random commands change both. */
            choose(&r, (int)suite_below(&r, 4), commands, n);
            CHECK_OK(ctx, bosc_bisectors_update(ctx, bisectors, commands, n, NULL, 0));
            CHECK_OK(ctx, bosc_terrain_update(ctx, terrain, commands, n));
            free(ours);
            free(theirs);
            free(commands);
        }
        bosc_terrain_free(terrain);
        bosc_bisectors_free(bisectors);
    }
}

/* True if the leaf of a reference pool contains the point, its border included. */
static bool holds(const double c[3][2], const double p[2])
{
    for (int e = 0; e < 3; e++) {
        const double *u = c[e], *v = c[(e + 1) % 3];
        if ((v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]) < 0) return false;
    }
    return true;
}

static void finds_leaves_of_points(bosc_ctx *ctx)
{
    enum { POINTS = 64 };
    bosc_bisectors *bisectors = bisectors_make(ctx, REFERENCE_STRIP, 20, 0);
    struct suite_random r = {5};
    for (int round = 0; round < 8; round++) {
        uint8_t commands[4096] = {0};
        const int64_t n = bisectors_leaves(ctx, bisectors);
        choose(&r, round < 4 ? 4 : 1, commands, n < 200 ? n : 0);
        CHECK_OK(ctx, bosc_bisectors_update(ctx, bisectors, commands, n, NULL, 0));
    }
    const int64_t n = bisectors_leaves(ctx, bisectors);
    struct bisectors_arrays a = bisectors_get(ctx, bisectors);
    int64_t *roots = suite_alloc((size_t)(n + 2) * 8), *found = suite_alloc((size_t)(n + 2) * 8);
    double(*corners)[3][2] = suite_alloc((size_t)(n + 2) * sizeof *corners);
    CHECK_OK(ctx, bosc_bisectors_get_corners(ctx, bisectors, 0, n + 2, roots, (double *)corners));
    CHECK(roots[n] == -1 && roots[n + 1] == -1 && corners[n][0][0] == 0 && corners[n + 1][2][1] == 0);
    CHECK_OK(ctx, bosc_bisectors_encode(ctx, bisectors, a.nodes, n, found));
    for (int64_t l = 0; l < n; l++) {
        const uint64_t below = 2 * a.nodes[l];
        int64_t leaf;
        CHECK_EQ(found[l], l);
        CHECK_OK(ctx, bosc_bisectors_encode(ctx, bisectors, &below, 1, &leaf));
        CHECK_EQ(leaf, -1);
    }
    int64_t at[POINTS], leaves[POINTS];
    double points[POINTS][2];
    for (int p = 0; p < POINTS; p++) {
        at[p] = (int64_t)suite_below(&r, 6);
        points[p][0] = suite_unit(&r);
        points[p][1] = suite_unit(&r);
        if (p % 4 == 0) points[p][0] = points[p][1] / 2; /* on edges */
        if (p % 8 == 1) points[p][1] = 1 - points[p][0];
        for (int d = 0; d < 2 && p % 4 == 3; d++) /* on edges and corners of the first levels, exactly */
            points[p][d] = (double)suite_below(&r, p % 8 == 3 ? 3 : 9) / (p % 8 == 3 ? 2 : 8);
    }
    at[1] = -1;
    at[2] = 6;
    points[3][0] = -1e-300;
    points[4][1] = __builtin_nan("");
    points[5][0] = __builtin_inf();
    CHECK_OK(ctx, bosc_bisectors_locate(ctx, bisectors, at, points[0], POINTS, leaves));
    for (int p = 0; p < POINTS; p++) {
        int64_t first = 0;
        while (first < n && !(roots[first] == at[p] && holds((const double(*)[2])corners[first], points[p]))) first++;
        const bool finite = points[p][0] - points[p][0] == 0 && points[p][1] - points[p][1] == 0;
        CHECK_EQ(leaves[p], finite && first < n ? first : -1);
    }
    const uint64_t none[] = {0, 1, 7, 14, 15, UINT64_MAX};
    CHECK_OK(ctx, bosc_bisectors_encode(ctx, bisectors, none, 6, leaves));
    for (int i = 0; i < 6; i++) CHECK_EQ(leaves[i], -1);
    const int64_t beyond[] = {-1, n, INT64_MAX, INT64_MIN};
    int64_t neighbours[12];
    CHECK_OK(ctx, bosc_bisectors_get_neighbours(ctx, bisectors, beyond, 4, neighbours));
    for (int i = 0; i < 12; i++) CHECK_EQ(neighbours[i], -1);
    uint64_t tail[3];
    CHECK_OK(ctx, bosc_bisectors_decode(ctx, bisectors, n - 1, 3, tail));
    CHECK(tail[0] == a.nodes[n - 1] && tail[1] == 0 && tail[2] == 0);
    free(roots);
    free(found);
    free(corners);
    bisectors_release(&a);
    bosc_bisectors_free(bisectors);
}

/* Sets the leaves to those of another pool, and to leaves that do not conform. */
static void sets_leaves(bosc_ctx *ctx)
{
    bosc_bisectors *from = bisectors_make(ctx, REFERENCE_OCTAHEDRON, 30, 1);
    bosc_bisectors *to = bisectors_make(ctx, REFERENCE_OCTAHEDRON, 30, 0);
    struct suite_random r = {77};
    for (int round = 0; round < 6; round++) {
        uint8_t commands[4096] = {0};
        const int64_t n = bisectors_leaves(ctx, from);
        choose(&r, 1, commands, n);
        commands[n / 2] = 1;
        CHECK_OK(ctx, bosc_bisectors_update(ctx, from, commands, n, NULL, 0));
    }
    struct bisectors_arrays a = bisectors_get(ctx, from);
    CHECK_OK(ctx, bosc_bisectors_split(ctx, to, a.nodes, 1)); /* set_nodes discards this command */
    CHECK_OK(ctx, bosc_bisectors_set_nodes(ctx, to, a.nodes, a.n));
    CHECK_OK(ctx, bosc_bisectors_update(ctx, to, NULL, 0, NULL, 0));
    struct bisectors_arrays b = bisectors_get(ctx, to);
    CHECK_EQ(a.n, b.n);
    CHECK(memcmp(a.nodes, b.nodes, (size_t)a.n * 8) == 0 && memcmp(a.neighbours, b.neighbours, (size_t)a.n * 24) == 0);
    for (int64_t l = 0; l < a.n; l++) { /* each leaf split alone, unless its base is at the border */
        uint64_t *wrong = suite_alloc((size_t)(a.n + 1) * 8);
        memcpy(wrong, a.nodes, (size_t)l * 8);
        wrong[l] = 2 * a.nodes[l];
        wrong[l + 1] = 2 * a.nodes[l] + 1;
        memcpy(wrong + l + 2, a.nodes + l + 1, (size_t)(a.n - l - 1) * 8);
        CHECK_STATUS(ctx, bosc_bisectors_set_nodes(ctx, to, wrong, a.n + 1), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "nodes: number "));
        CHECK_STATUS(ctx, bosc_bisectors_set_nodes(ctx, to, wrong, l + 1), BOSC_ERR_DATA); /* the end is missing */
        wrong[l + 1] = wrong[l];
        CHECK_STATUS(ctx, bosc_bisectors_set_nodes(ctx, to, wrong, a.n + 1), BOSC_ERR_DATA);
        free(wrong);
        if (suite_slow(ctx)) l += a.n / 5;
    }
    bisectors_release(&b);
    b = bisectors_get(ctx, to);
    CHECK_EQ(a.n, b.n);
    CHECK(memcmp(a.neighbours, b.neighbours, (size_t)a.n * 24) == 0);
    bisectors_release(&a);
    bisectors_release(&b);
    bosc_bisectors_free(from);
    bosc_bisectors_free(to);
}

/* Three roots without glued edges: only their positions show that one is missing. */
static void missing_roots(bosc_ctx *ctx)
{
    const bosc_bisectors_opts o = {.size = sizeof o, .depth = 3, .root_count = 3};
    const uint64_t nodes[] = {4, 5, 6};
    bosc_bisectors *bisectors = NULL;
    CHECK_OK(ctx, bosc_bisectors_create(ctx, &o, &bisectors));
    CHECK_OK(ctx, bosc_bisectors_set_nodes(ctx, bisectors, nodes, 3));
    CHECK_STATUS(ctx, bosc_bisectors_set_nodes(ctx, bisectors, nodes, 2), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_bisectors_set_nodes(ctx, bisectors, nodes + 1, 2), BOSC_ERR_DATA);
    CHECK_EQ(bisectors_leaves(ctx, bisectors), 3);
    bosc_bisectors_free(bisectors);
}

static const struct suite_case suite_cases_bisector[] = {
    {"storms", random_updates_match_reference, NULL}, {"levels", reset_equals_splitting, NULL},
    {"deep", splits_and_merges_level_60, NULL},       {"beside_terrain", equals_flat_terrain, NULL},
    {"queries", finds_leaves_of_points, NULL},        {"take_over", sets_leaves, NULL},
    {"missing_roots", missing_roots, NULL},
};
SUITE(bisector);
