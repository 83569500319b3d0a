/* Each allocation, copy and launch of pools of bisectors fails in turn. */
#include "cases/bisector/bisector_data.h"
#include "support/faults.h"
#include "support/saved.h"

enum { LEAVES = 32, ROOM = 96, CALLS = 12 };

struct outputs {
    uint64_t nodes[ROOM];
    int64_t numbers[3 * LEAVES];
    double corners[6 * LEAVES];
};

struct subject {
    bosc_bisectors *bisectors;
    int which;
    uint8_t commands[LEAVES];
    uint64_t nodes[LEAVES];
    int64_t leaves[LEAVES];
    double points[2 * LEAVES];
    struct saved file;
    struct outputs out;
};

static void open_pool(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    s->bisectors = bisectors_make(ctx, REFERENCE_OCTAHEDRON, 20, 2);
    CHECK_OK(ctx, bosc_bisectors_decode(ctx, s->bisectors, 0, LEAVES, s->nodes));
    CHECK_OK(ctx, bosc_bisectors_write(ctx, s->bisectors, saved_append, &s->file));
    for (int l = 0; l < LEAVES; l++) {
        s->commands[l] = (uint8_t)(l % 5 == 0 ? 1 : l > 12 ? 2 : 0);
        s->leaves[l] = l % 8;
        s->points[2 * l] = s->points[2 * l + 1] = 1.0 / (l + 3);
    }
}

static void close_pool(void *user)
{
    struct subject *s = user;
    bosc_bisectors_free(s->bisectors);
    free(s->file.bytes);
    s->file = (struct saved){NULL, 0, 0, 0};
}

static bosc_status create_pool(bosc_ctx *ctx)
{
    bosc_bisectors *b = NULL;
    const bosc_bisectors_opts o = {.size = sizeof o, .depth = 9, .level = 4, .root_count = 3};
    bosc_status status = bosc_bisectors_create(ctx, &o, &b);
    bosc_bisectors_free(b);
    return status;
}

static bosc_status read_saved(bosc_ctx *ctx, struct subject *s)
{
    bosc_bisectors *b = NULL;
    s->file.at = 0;
    bosc_status status = bosc_bisectors_read(ctx, saved_deliver, &s->file, &b);
    if (status == BOSC_OK) status = bosc_bisectors_decode(ctx, b, 0, ROOM, s->out.nodes);
    bosc_bisectors_free(b);
    return status;
}

/* Resets the level first, so that changes by an earlier failed call do not matter. */
static bosc_status change(bosc_ctx *ctx, struct subject *s)
{
    bosc_status status = bosc_bisectors_reset(ctx, s->bisectors, 2);
    if (status == BOSC_OK && s->which == 3) status = bosc_bisectors_split(ctx, s->bisectors, s->nodes, 5);
    if (status == BOSC_OK && s->which == 3) status = bosc_bisectors_merge(ctx, s->bisectors, s->nodes + 9, 20);
    if (status != BOSC_OK) return status;
    return bosc_bisectors_update(ctx, s->bisectors, s->commands, s->which == 3 ? 0 : LEAVES, s->out.numbers,
                                 3 * LEAVES);
}

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    struct outputs *o = &s->out;
    bosc_bisectors_info info = {.size = sizeof info};
    switch (s->which) {
    case 0: return create_pool(ctx);
    case 1: return read_saved(ctx, s);
    case 2:
    case 3: return change(ctx, s);
    case 4: return bosc_bisectors_set_nodes(ctx, s->bisectors, s->nodes, LEAVES);
    case 5: return bosc_bisectors_decode(ctx, s->bisectors, 0, 8, o->nodes);
    case 6: return bosc_bisectors_encode(ctx, s->bisectors, s->nodes, LEAVES, o->numbers);
    case 7: return bosc_bisectors_get_neighbours(ctx, s->bisectors, s->leaves, LEAVES, o->numbers);
    case 8: return bosc_bisectors_get_corners(ctx, s->bisectors, 0, 8, o->numbers, o->corners);
    case 9: return bosc_bisectors_locate(ctx, s->bisectors, s->leaves, s->points, LEAVES, o->numbers);
    case 10: return bosc_bisectors_reserve(ctx, s->bisectors, 5000);
    default: return bosc_bisectors_get_info(ctx, s->bisectors, &info);
    }
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = calloc(1, sizeof *s);
    CHECK(s != NULL);
    const struct fault_sweep sweep = {.call = call,
                                      .open = open_pool,
                                      .close = close_pool,
                                      .user = s,
                                      .outputs = &s->out,
                                      .output_bytes = sizeof s->out,
                                      .may_pass_none = true};
    for (s->which = 0; s->which < CALLS; s->which++) fault_sweep(ctx, &sweep);
    free(s);
}

/* A failed update leaves the leaves unchanged, and discards the commands. */
static void leaves_stay(bosc_ctx *ctx)
{
#ifdef BOSC_FAULTS
    for (int64_t k = 0; k < 64; k++) {
        bosc_bisectors *b = bisectors_make(ctx, REFERENCE_SQUARE, 12, 3);
        const uint64_t node = 17;
        CHECK_OK(ctx, bosc_bisectors_split(ctx, b, &node, 1));
        bi_fault_arm(FAULTS_OF_CALLS, k, false);
        bosc_status status = bosc_bisectors_update(ctx, b, NULL, 0, NULL, 0);
        const int64_t passed = bi_fault_passages();
        bi_fault_disarm();
        if (status != BOSC_OK) {
            CHECK_EQ(bisectors_leaves(ctx, b), 16);
            CHECK_OK(ctx, bosc_bisectors_update(ctx, b, NULL, 0, NULL, 0));
            CHECK_EQ(bisectors_leaves(ctx, b), 16);
        } else {
            CHECK(bisectors_leaves(ctx, b) > 16);
        }
        bosc_bisectors_free(b);
        if (passed <= k) break;
    }
#else
    (void)ctx;
#endif
}

static const struct suite_case suite_cases_bisector_faults[] = {{"faults", faults, NULL},
                                                                {"leaves_stay", leaves_stay, NULL}};
SUITE(bisector_faults);
