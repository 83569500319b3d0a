/* A reservation of a cell graph over ranks is enough for builds. bosc_ranks_cellgraph_bytes gives the bytes that the
 * graph keeps, and the most scratch that a build takes. */
#include "cases/plan/cells_data.h"
#include "cases/ranks/ranks_data.h"
#include "core/call.h"

struct problem {
    struct reference_cells cells;
    bosc_cellgraph_opts opts;
    uint64_t seed;
    int64_t edges;
};

static int64_t scratch_of(const bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_EQ(bosc_ctx_get_info(ctx, &info), BOSC_OK);
    return info.scratch_bytes;
}

/* Makes the arena hold one block of this size and nothing else. Returns its size. */
static int64_t take_scratch(bosc_ctx *ctx, int64_t bytes)
{
    void *memory;
    bosc_ctx_trim(ctx);
    const struct bi_mark mark = bi_arena_mark(ctx);
    CHECK_OK(ctx, bi_scratch(ctx, (size_t)bytes, &memory));
    bi_arena_rewind(ctx, mark);
    return scratch_of(ctx);
}

static int64_t bytes_of(struct rank *r, const bosc_ranks_cellgraph *graph, int64_t rows)
{
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_info(r->ctx, graph, &info));
    CHECK_EQ(info.n, rows);
    return info.bytes;
}

static void build_slice(struct rank *r, bosc_ranks_cellgraph *graph, int64_t total)
{
    const struct problem *p = r->user;
    const struct ranks_trial_slice s = ranks_slice_of(r, p->seed, total);
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_build(r->ctx, graph, p->cells.rows + s.begin * p->cells.stride, s.n, 0));
}

/* This rank's rows of all, or of the first half of them. */
static int64_t most(const struct rank *r)
{
    const struct problem *p = r->user;
    const int64_t all = ranks_slice_of(r, p->seed, p->cells.n).n, half = ranks_slice_of(r, p->seed, p->cells.n / 2).n;
    return all > half ? all : half;
}

static int64_t *pairs_of(struct rank *r, const bosc_ranks_cellgraph *graph, int64_t *count)
{
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_info(r->ctx, graph, &info));
    *count = info.own_edges;
    int64_t *pairs = suite_alloc((size_t)*count * 16);
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_pairs(r->ctx, graph, pairs, NULL));
    return pairs;
}

/* Memory is reserved for a graph that holds something, which it keeps; builds of all and of half then take none. */
static void reserve(struct rank *r)
{
    const struct problem *p = r->user;
    const int64_t total = p->cells.n;
    bosc_ranks_cellgraph *graph = NULL;
    int64_t kept, count, again;
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_create(r->ctx, r->comm, &p->opts, &graph));
    build_slice(r, graph, total / 2);
    int64_t *before = pairs_of(r, graph, &count);
    bosc_ctx_trim(r->ctx);
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_reserve(r->ctx, graph, most(r), total, p->edges));
    const int64_t held = scratch_of(r->ctx), bytes = bytes_of(r, graph, total / 2);
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_bytes(r->ctx, r->comm, &p->opts, most(r), total, p->edges, &kept, NULL));
    if (p->opts.method != BOSC_CELLGRAPH_TRIE) CHECK_EQ(bytes, kept);
    int64_t *after = pairs_of(r, graph, &again);
    CHECK_EQ(count, again);
    CHECK(count == 0 || memcmp(before, after, (size_t)count * 16) == 0);
    for (int b = 0; b < 3; b++) {
        build_slice(r, graph, b == 1 ? total / 2 : total);
        CHECK_EQ(scratch_of(r->ctx), held);
        CHECK_EQ(bytes_of(r, graph, b == 1 ? total / 2 : total), bytes);
    }
    free(before);
    free(after);
    bosc_ranks_cellgraph_free(graph);
}

/* A fresh handle keeps no more than promised, and the promised scratch is enough. */
static void measure(struct rank *r)
{
    const struct problem *p = r->user;
    const int64_t n = ranks_slice_of(r, p->seed, p->cells.n).n;
    bosc_ranks_cellgraph *graph = NULL;
    int64_t kept, scratch;
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_create(r->ctx, r->comm, &p->opts, &graph));
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_bytes(r->ctx, r->comm, &p->opts, n, p->cells.n, p->edges, &kept, &scratch));
    const int64_t held = take_scratch(r->ctx, scratch);
    build_slice(r, graph, p->cells.n);
    CHECK_EQ(scratch_of(r->ctx), held);
    CHECK(bytes_of(r, graph, p->cells.n) <= kept);
    bosc_ranks_cellgraph_free(graph);
}

/* Vectors in twos that differ in one letter; every fifth one is the one before it. */
static struct reference_cells make_rows(struct suite_random *r, int32_t length, int32_t bits, int64_t n)
{
    struct reference_cells c = cells_make(r, CELLS_RANDOM, length, bits, n, 0);
    for (int64_t i = 1; i < n; i++) {
        if (i % 2 == 0 && i % 5) continue;
        memcpy(c.rows + i * c.stride, c.rows + (i - 1) * c.stride, (size_t)c.stride * 8);
        if (i % 5)
            reference_set_letter(&c, i, (int32_t)i % length, 1 - (reference_letter(&c, i, (int32_t)i % length) & 1));
    }
    return c;
}

static void builds(bosc_ctx *ctx)
{
    static const int64_t totals[] = {0, 1, 30, 900, 20000, 3000};
    struct suite_random r = {91};
    for (int i = 0; i < 12; i++) {
        if (suite_leaves_out() || (suite_slow(ctx) && totals[i % 6] > 100)) continue;
        const int32_t length = i % 2 ? 70 : 500, bits = 1 + i % 3;
        const bosc_cellgraph_method method = (bosc_cellgraph_method)(i < 6 ? 0 : i == 10 ? 4 : 2 + i % 3);
        struct problem p = {.cells = make_rows(&r, length, bits, totals[i % 6]),
                            .opts = {.size = sizeof p.opts, .length = length, .letter_bits = bits, .method = method},
                            .seed = suite_below(&r, 20),
                            .edges = 2 * totals[i % 6]};
        EACH_RANK_COUNT((uint64_t)i, ranks)
        {
            ranks_run(ctx, ranks, 0, reserve, &p);
            ranks_run(ctx, ranks, 0, measure, &p);
        }
        free(p.cells.rows);
    }
}

static const struct suite_case suite_cases_ranks_cellgraph_reserve[] = {
    {"builds", builds, NULL},
};
SUITE(ranks_cellgraph_reserve);
