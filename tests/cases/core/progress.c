/* Calls report progress and can be cancelled: each call that can take long, on data that make it report. */
#include "cases/core/progress_data.h"

#include <string.h>

#include "core/call.h"
#include "support/capture.h"
#include "support/faults.h"

/* ---- listening ---- */

struct listener {
    const char *stage;  /* that must be reported; NULL: any */
    int calls, stop_at; /* index of the report that returns 1, to stop; -1: none */
    double last;
};

static int on_progress(void *user, const char *stage, double fraction)
{
    struct listener *l = user;
    if (l->stage && strcmp(stage, l->stage) != 0) suite_fail(__FILE__, __LINE__, "%s says %s", l->stage, stage);
    CHECK(fraction >= l->last && fraction <= 1);
    CHECK(l->last < 1); /* 1 is reported once */
    l->last = fraction;
    return l->calls++ == l->stop_at;
}

/* Runs a call with progress reported to *l (NULL: none). */
static bosc_status run_call(struct world *w, const struct call *c, struct listener *l)
{
    if (c->prepare) CHECK_OK(w->ctx, c->prepare(w));
    memset(w->out, 0, OUT);
    w->ctx->progress.function = l ? on_progress : NULL;
    w->ctx->progress.user = l;
    bosc_status status = c->run(w);
    w->ctx->progress.function = NULL;
    return status;
}

/* The call reports progress at least once, then that it is done, and gives the same answer. */
static int check_reports(struct world *w, const struct call *c)
{
    struct listener l = {.stage = c->stage, .stop_at = -1};
    CHECK_OK(w->ctx, run_call(w, c, NULL));
    memcpy(w->copy, w->out, OUT);
    CHECK_OK(w->ctx, run_call(w, c, &l));
    if (memcmp(w->copy, w->out, OUT) != 0) suite_fail(__FILE__, __LINE__, "%s: another answer", c->stage);
    if (w->n > FEW && l.calls < 2)
        suite_fail(__FILE__, __LINE__, "%s, call %d of the table: reported %d times", c->stage, (int)(c - calls),
                   l.calls);
    CHECK(l.calls == 0 || l.last == 1);
    return l.calls;
}

/* A call cancelled at its report k says so and can be repeated. It may still finish if that report lies in a section
 * that must not be left half done. */
static void check_stopped(struct world *w, const struct call *c, int k)
{
    struct listener l = {.stage = c->stage, .stop_at = k};
    bosc_status status = run_call(w, c, &l);
    bool done = status == BOSC_OK && (l.calls <= k || k > 0 || c->whole);
    if (!done) {
        if (status != BOSC_ERR_CANCELLED || l.calls != k + 1)
            suite_fail(__FILE__, __LINE__, "%s, stopped at %d: %s after %d", c->stage, k, bosc_status_name(status),
                       l.calls);
        CHECK(suite_begins(bosc_ctx_message(w->ctx), c->stage));
    }
    CHECK_OK(w->ctx, run_call(w, c, NULL));
    if (memcmp(w->copy, w->out, OUT) != 0)
        suite_fail(__FILE__, __LINE__, "%s, stopped at %d: another answer then", c->stage, k);
}

static void reports_and_cancellation(bosc_ctx *like)
{
    int64_t live[2];
    static struct world w;
    make_world(&w, counted_context(like, live));
    for (int c = 0; c < CALLS; c++) {
        int reports = check_reports(&w, &calls[c]); /* in order: some calls need what others have made */
        if (suite_leaves_out()) continue;
        if (reports > 1) check_stopped(&w, &calls[c], 0);
        if (reports > 2) check_stopped(&w, &calls[c], reports / 2);
    }
    free_world(&w);
    bosc_ctx_free(w.ctx);
    CHECK_EQ(live[0], 0);
    CHECK_EQ(live[1], 0);
}

/* Calls of one item neither report nor read the clock. */
static void one_item(bosc_ctx *like)
{
    static bosc_status (*const small[])(struct world *) = {
        kdtree_knn, kdtree_knn_within, kdtree_radius_count, kdtree_offsets, kdtree_box_offsets, voxelgrid_radius_count,
        hash_find,  hash_count,        hash_offsets,        trie_find,      cbt_decode_at,      reduce,
        scan,       compact,           sort_pairs,          random_points};
    static struct world w;
    struct listener l = {.stop_at = -1};
    if (on_device(like)) return; /* where a launch lasts */
    make_world(&w, like);
    like->progress.function = on_progress;
    like->progress.user = &l;
    w.n = 1;
    for (size_t c = 0; c < sizeof small / sizeof small[0]; c++) {
        CHECK_OK(like, small[c](&w));
        CHECK_EQ(l.calls, 0);
        CHECK(like->progress.time == 0);
    }
    like->progress.function = NULL;
    free_world(&w);
}

/* Keys are erased from a map in place: all of them or, where that was stopped, none. */
static void erase_all_or_none(bosc_ctx *like)
{
    const bosc_hash_opts o = {.size = sizeof o, .layout = BOSC_HASH_BUCKETED};
    const int64_t n = suite_slow(like) ? 2000 : N;
    struct listener l = {.stop_at = -1};
    bosc_ctx_opts opts = suite_opts_like(like);
    bosc_hash *set = NULL;
    uint32_t *keys = suite_alloc(4 * (size_t)n);
    uint8_t *found = suite_alloc((size_t)n);
    bosc_ctx *ctx = suite_open(&opts);
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &set));
    CHECK_OK(ctx, bosc_random_bits(ctx, 3, 0, n, keys));
    ctx->progress.user = &l;
    /* Stop the erasure at each of its reports in turn: all keys are then still there. */
    for (int k = 0; k < 100 && l.calls >= k; k++) {
        ctx->progress.function = NULL;
        CHECK_OK(ctx, bosc_hash_build(ctx, set, keys, NULL, n));
        l = (struct listener){.stop_at = k};
        ctx->progress.function = on_progress;
        bosc_status status = bosc_hash_erase(ctx, set, keys, n, NULL);
        ctx->progress.function = NULL;
        CHECK(status == BOSC_OK || status == BOSC_ERR_CANCELLED);
        CHECK_OK(ctx, bosc_hash_find(ctx, set, keys, n, NULL, found));
        for (int64_t i = 0; i < n; i++) CHECK_EQ(found[i], status == BOSC_ERR_CANCELLED);
    }
    bosc_hash_free(set);
    bosc_ctx_free(ctx);
    free(keys);
    free(found);
}

/* ---- leaves that the caller's function visits ---- */

/* Leaves below the nodes of LEVEL before `coarse` are split further: the first blocks of bits have far more of them. */
struct visits {
    uint64_t coarse;
    int64_t visited, leaves;
    int reports;
    bool stop;
};

static bosc_cbt_command visit(void *user, int64_t leaf, uint64_t node)
{
    struct visits *v = user;
    (void)leaf;
    __atomic_add_fetch(&v->visited, 1, __ATOMIC_RELAXED);
    const int level = 63 - __builtin_clzll(node);
    return node >> (level - LEVEL) < v->coarse ? BOSC_CBT_SPLIT : BOSC_CBT_KEEP;
}

/* The reported fraction is the share of the leaves visited. */
static int on_visit_progress(void *user, const char *stage, double fraction)
{
    struct visits *v = user;
    CHECK(strcmp(stage, "cbt_for_each") == 0);
    double share = (double)v->visited / (double)v->leaves;
    if (fraction < 0.9 || share < 0.9) CHECK(fraction > share - 0.02 && fraction < share + 0.02);
    v->reports++;
    return v->stop;
}

/* Visits report the share of leaves visited, in both layouts. A request to stop does not end a visit. */
static void visits(bosc_ctx *like)
{
    if (on_device(like)) return; /* kernels cannot call the caller's function */
    for (int k = 0; k < 4; k++) {
        const bosc_cbt_opts o = {
            .size = sizeof o, .depth = DEPTH, .level = LEVEL, .layout = k % 2 ? BOSC_CBT_PUBLISHED : BOSC_CBT_RANKED};
        struct visits v = {.coarse = (1u << LEVEL) + (1u << (LEVEL - 2)), .stop = k / 2};
        bosc_cbt_info info = {.size = sizeof info};
        bosc_ctx_opts opts = suite_opts_like(like);
        bosc_ctx *ctx = suite_open(&opts);
        bosc_cbt *tree = NULL;
        CHECK_OK(ctx, bosc_cbt_create(ctx, &o, &tree));
        for (int round = LEVEL; round <= DEPTH; round++) {
            CHECK_OK(ctx, bosc_cbt_get_info(ctx, tree, &info));
            v.leaves = info.leaves;
            v.visited = v.reports = 0;
            ctx->progress.function = round == DEPTH ? on_visit_progress : NULL; /* where there are many */
            ctx->progress.user = &v;
            CHECK_OK(ctx, bosc_cbt_for_each(ctx, tree, visit, &v));
            CHECK_EQ(v.visited, v.leaves);
            ctx->progress.function = NULL;
            CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
        }
        CHECK(v.stop ? v.reports >= 1 : v.reports >= 4);
        bosc_cbt_free(tree);
        bosc_ctx_free(ctx);
    }
}

/* A call that only queues is recorded as a graph, though someone listens: nothing may wait then. */
struct recorded {
    bosc_kdtree *tree;
    void *points, *ids;
    int64_t n;
};

static void search(bosc_ctx *ctx, void *user)
{
    const struct recorded *r = user;
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, r->tree, r->points, r->n, 3, 1, r->ids, NULL));
}

static void recorded(bosc_ctx *like)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3, .assume_valid = 1};
    struct recorded r = {.n = suite_slow(like) ? FEW : 20 * N};
    struct listener l = {.stop_at = -1};
    bosc_ctx_opts opts = suite_opts_like(like);
    struct capture c;
    int64_t *ids = suite_alloc(8 * (size_t)r.n);
    bosc_ctx *ctx = suite_open(&opts);
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, 12 * (size_t)r.n, &r.points));
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, 8 * (size_t)r.n, &r.ids));
    CHECK_OK(ctx, bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, r.n, 3, BOSC_F32, r.points));
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &r.tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, r.tree, r.points, r.n, 3));
    ctx->progress.function = on_progress;
    ctx->progress.user = &l;
    capture_open(&c, ctx, search, &r);
    l = (struct listener){.stop_at = -1};
    capture_replay(&c);
    capture_close(&c);
    ctx->progress.function = NULL;
    CHECK_OK(ctx, bosc_ctx_copy(ctx, ids, r.ids, 8 * (size_t)r.n));
    for (int64_t i = 0; i < r.n; i++) CHECK_EQ(ids[i], i); /* each its own nearest */
    bosc_kdtree_free(r.tree);
    bosc_ctx_release(ctx, r.points, 12 * (size_t)r.n);
    bosc_ctx_release(ctx, r.ids, 8 * (size_t)r.n);
    bosc_ctx_free(ctx);
    free(ids);
}

static const struct suite_case suite_cases_progress[] = {
    {"reports and cancellation", reports_and_cancellation, NULL},
    {"one item", one_item, NULL},
    {"whole", erase_all_or_none, NULL},
    {"visits", visits, NULL},
    {"recorded", recorded, NULL},
};
SUITE(progress);
