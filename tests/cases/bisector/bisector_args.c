/* Bisector pools: refused arguments, reserve, changes without allocation, lifetime beyond their context. */
#include "cases/bisector/bisector_data.h"
#include "support/faults.h"

static void refuses_bad_options(bosc_ctx *ctx)
{
    double at[8][3][3];
    int64_t glued[24], kept = 7;
    bosc_bisectors *b = NULL;
    const int64_t roots = reference_bisector_roots(REFERENCE_OCTAHEDRON, at);
    reference_bisector_glue((const double(*)[3][3])at, roots, glued);
    const bosc_bisectors_opts good = {.size = sizeof good, .depth = 20, .root_count = roots, .glued = glued};
    bosc_bisectors_opts o = good;
    static const int depths[] = {-1, 61, 62, 64, 1024, INT32_MAX, INT32_MIN};
    static const int levels[] = {-1, 21, 60, INT32_MAX, INT32_MIN};
    static const int64_t counts[] = {-1, (1 << 28) + 1, INT64_MAX, INT64_MIN};
    CHECK_EQ(bosc_bisectors_create(NULL, &o, &b), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_bisectors_create(ctx, &o, NULL), "bisectors");
    for (int i = 0; i < 7; i++, o = good) {
        o.depth = depths[i];
        CHECK_ARG(ctx, bosc_bisectors_create(ctx, &o, &b), "opts: depth");
        CHECK_ARG(ctx, bosc_bisectors_bytes(ctx, &o, 8, &kept, NULL), "opts: depth");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.level = levels[i];
        CHECK_ARG(ctx, bosc_bisectors_create(ctx, &o, &b), "opts: level");
    }
    for (int i = 0; i < 4; i++, o = good) {
        o.root_count = counts[i];
        CHECK_ARG(ctx, bosc_bisectors_create(ctx, &o, &b), "opts: root_count");
    }
    o.root_count = 9; /* R = 16 */
    o.glued = NULL;
    o.depth = 60;
    CHECK_ARG(ctx, bosc_bisectors_create(ctx, &o, &b), "opts: depth");
    o = good;
    o.depth = 27;
    o.level = 27;
    CHECK_STATUS(ctx, bosc_bisectors_create(ctx, &o, &b), BOSC_ERR_LIMIT);
    o.depth = o.level = 60;
    CHECK_STATUS(ctx, bosc_bisectors_create(ctx, &o, &b), BOSC_ERR_LIMIT);
    o = good;
    static const struct {
        int edge;
        int64_t to;
    } lies[] = {{0, -2}, {0, 24}, {0, 1}, {1, 0}, {0, 0}, {3, 18}, {1, 1}, {2, 4}, {23, INT64_MAX}, {23, INT64_MIN}};
    for (int i = 0; i < 10; i++) {
        const int64_t was = glued[lies[i].edge];
        glued[lies[i].edge] = lies[i].to;
        CHECK_ARG(ctx, bosc_bisectors_create(ctx, &o, &b), "opts: glued: root ");
        glued[lies[i].edge] = was;
    }
    for (size_t size = 0; size < 3 * sizeof o; size += size < sizeof o ? 7 : sizeof o) {
        o.size = size;
        if (size >= sizeof(size_t) && size <= sizeof o) continue;
        CHECK_ARG(ctx, bosc_bisectors_create(ctx, &o, &b), "opts: size");
    }
    CHECK_EQ(bosc_bisectors_bytes(NULL, &good, 8, &kept, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_bisectors_bytes(ctx, &good, -1, &kept, NULL), "leaves");
    CHECK_STATUS(ctx, bosc_bisectors_bytes(ctx, &good, 1 << 30, &kept, NULL), BOSC_ERR_LIMIT);
    CHECK(b == NULL && kept == 7);
    bosc_bisectors_free(NULL);
    CHECK_OK(ctx, bosc_bisectors_create(ctx, NULL, &b)); /* one root, no depth */
    CHECK_EQ(bisectors_leaves(ctx, b), 1);
    bosc_bisectors_free(b);
}

static void calls(bosc_ctx *ctx)
{
    bosc_bisectors *b = bisectors_make(ctx, REFERENCE_SQUARE, 10, 2);
    uint64_t nodes[16] = {0};
    int64_t numbers[48], one = 1;
    double points[32] = {0};
    uint8_t commands[8] = {0};
    bosc_bisectors_info info = {.size = sizeof info};
    CHECK_ARG(ctx, bosc_bisectors_reserve(ctx, NULL, 1), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_reserve(ctx, b, -1), "leaves");
    CHECK_STATUS(ctx, bosc_bisectors_reserve(ctx, b, INT64_MAX), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_bisectors_reset(ctx, NULL, 1), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_reset(ctx, b, -1), "level");
    CHECK_ARG(ctx, bosc_bisectors_reset(ctx, b, 11), "level");
    CHECK_ARG(ctx, bosc_bisectors_split(ctx, NULL, nodes, 1), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_split(ctx, b, NULL, 1), "nodes");
    CHECK_ARG(ctx, bosc_bisectors_split(ctx, b, nodes, -1), "node_count");
    CHECK_ARG(ctx, bosc_bisectors_split(ctx, b, nodes, INT64_MAX), "node_count");
    CHECK_ARG(ctx, bosc_bisectors_merge(ctx, NULL, nodes, 1), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_merge(ctx, b, (uint64_t *)(void *)((char *)nodes + 4), 1), "nodes");
    CHECK_ARG(ctx, bosc_bisectors_update(ctx, NULL, commands, 8, NULL, 0), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_update(ctx, b, NULL, 8, NULL, 0), "commands");
    CHECK_ARG(ctx, bosc_bisectors_update(ctx, b, commands, -1, NULL, 0), "command_count");
    CHECK_ARG(ctx, bosc_bisectors_update(ctx, b, commands, 8, numbers, -1), "capacity");
    CHECK_ARG(ctx, bosc_bisectors_decode(ctx, NULL, 0, 1, nodes), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_decode(ctx, b, -1, 1, nodes), "first");
    CHECK_ARG(ctx, bosc_bisectors_decode(ctx, b, INT64_MAX, 1, nodes), "first");
    CHECK_ARG(ctx, bosc_bisectors_decode(ctx, b, 0, 1, NULL), "nodes");
    CHECK_ARG(ctx, bosc_bisectors_decode(ctx, b, 0, -1, nodes), "count");
    CHECK_ARG(ctx, bosc_bisectors_encode(ctx, NULL, nodes, 1, numbers), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_encode(ctx, b, NULL, 1, numbers), "nodes");
    CHECK_ARG(ctx, bosc_bisectors_encode(ctx, b, nodes, 1, NULL), "leaves");
    CHECK_ARG(ctx, bosc_bisectors_encode(ctx, b, nodes, -1, numbers), "node_count");
    CHECK_ARG(ctx, bosc_bisectors_get_neighbours(ctx, NULL, &one, 1, numbers), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_get_neighbours(ctx, b, NULL, 1, numbers), "leaves");
    CHECK_ARG(ctx, bosc_bisectors_get_neighbours(ctx, b, &one, 1, NULL), "neighbours");
    CHECK_ARG(ctx, bosc_bisectors_get_neighbours(ctx, b, &one, -1, numbers), "leaf_count");
    CHECK_ARG(ctx, bosc_bisectors_get_corners(ctx, NULL, 0, 1, numbers, points), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_get_corners(ctx, b, -1, 1, numbers, points), "first");
    CHECK_ARG(ctx, bosc_bisectors_get_corners(ctx, b, 0, 1, numbers, NULL), "corners");
    CHECK_ARG(ctx, bosc_bisectors_locate(ctx, NULL, &one, points, 1, numbers), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_locate(ctx, b, NULL, points, 1, numbers), "roots");
    CHECK_ARG(ctx, bosc_bisectors_locate(ctx, b, &one, NULL, 1, numbers), "points");
    CHECK_ARG(ctx, bosc_bisectors_locate(ctx, b, &one, points, 1, NULL), "leaves");
    CHECK_ARG(ctx, bosc_bisectors_locate(ctx, b, &one, points, -1, numbers), "point_count");
    CHECK_ARG(ctx, bosc_bisectors_set_nodes(ctx, NULL, nodes, 1), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_set_nodes(ctx, b, NULL, 1), "nodes");
    CHECK_ARG(ctx, bosc_bisectors_set_nodes(ctx, b, nodes, 0), "node_count");
    CHECK_STATUS(ctx, bosc_bisectors_set_nodes(ctx, b, nodes, 1 << 30), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_bisectors_get_info(ctx, NULL, &info), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_get_info(ctx, b, NULL), "info");
    info.size = 3;
    CHECK_ARG(ctx, bosc_bisectors_get_info(ctx, b, &info), "info");
    CHECK_OK(ctx, bosc_bisectors_decode(ctx, b, 0, 0, NULL)); /* empty calls need no arrays */
    CHECK_OK(ctx, bosc_bisectors_split(ctx, b, NULL, 0));
    CHECK_OK(ctx, bosc_bisectors_get_corners(ctx, b, 0, 2, NULL, points));
    CHECK_EQ(bisectors_leaves(ctx, b), 8);
    bosc_bisectors_free(b);
}

/* Updates within a reserve allocate nothing, and bosc_bisectors_bytes returns its size. */
static void reserve(bosc_ctx *like)
{
    int64_t live[2] = {0, 0};
    bosc_ctx *ctx = counted_context(like, live);
    bosc_bisectors *b = bisectors_make(ctx, REFERENCE_OCTAHEDRON, 30, 0);
    bosc_bisectors_info info = {.size = sizeof info};
    uint8_t commands[1024];
    uint64_t node = 9;
    CHECK_OK(ctx, bosc_bisectors_split(ctx, b, &node, 1));
    CHECK_OK(ctx, bosc_bisectors_reserve(ctx, b, 1024)); /* the command stays */
    CHECK_OK(ctx, bosc_bisectors_update(ctx, b, NULL, 0, NULL, 0));
    CHECK_EQ(bisectors_leaves(ctx, b), 10);
    CHECK_OK(ctx, bosc_bisectors_reset(ctx, b, 0));
    memset(commands, 1, sizeof commands);
    const int64_t before = counted_allocations();
    for (int round = 0; round < 7; round++) {
        CHECK_OK(ctx, bosc_bisectors_update(ctx, b, commands, 1024, NULL, 0));
        CHECK_OK(ctx, bosc_bisectors_get_info(ctx, b, &info));
        CHECK_EQ(info.leaves, 16 << round);
        CHECK_EQ(counted_allocations(), before);
    }
    int64_t kept;
    const bosc_bisectors_opts o = {.size = sizeof o, .depth = 30, .root_count = 8};
    CHECK_OK(ctx, bosc_bisectors_bytes(ctx, &o, 1024, &kept, NULL));
    CHECK_OK(ctx, bosc_bisectors_get_info(ctx, b, &info));
    CHECK_EQ(info.bytes, kept);
    CHECK_EQ(info.capacity, 1024);
    bosc_ctx_free(ctx);
    bosc_bisectors_free(b); /* after its context */
    CHECK(live[0] == 0 && live[1] == 0);
}

static const struct suite_case suite_cases_bisector_args[] = {
    {"create", refuses_bad_options, NULL}, {"calls", calls, NULL}, {"reserve", reserve, NULL}};
SUITE(bisector_args);
