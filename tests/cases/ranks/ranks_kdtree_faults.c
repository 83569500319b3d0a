/* Each allocation, copy and launch of each call on distributed k-d trees fails in turn: on one rank, and on one of
 * three, which then all fail alike. */
#include "cases/ranks/ranks_kdtree_data.h"

#include <time.h>

#include "comm/comm.h"
#include "support/faults.h"
#include "support/saved.h"

enum { POINTS = 60, QUERIES = 20, K = 3, RADIUS = 400, ROOM = 1 << 15 };

struct subject {
    struct ranks_trial t;
    struct reference_points queries;
    bosc_ctx *ctx;
    bosc_comm *comm;
    bosc_ranks_kdtree *tree;
    bosc_status (*run)(bosc_ctx *ctx, struct subject *s);
    int64_t offsets[QUERIES + 1], box_offsets[QUERIES / 2 + 1];
    int64_t before;    /* points in the tree before the call */
    struct saved file; /* of rank 0 */
    unsigned char out[ROOM];
};

static bosc_status create(bosc_ctx *ctx, struct subject *s)
{
    bosc_ranks_kdtree *tree = NULL;
    bosc_status status = bosc_ranks_kdtree_create(ctx, s->comm, &s->t.opts, &tree);
    CHECK((status == BOSC_OK) == (tree != NULL));
    bosc_ranks_kdtree_free(tree);
    return status;
}

/* Builds from all points, and writes the nodes to the outputs. */
static bosc_status build_all(bosc_ctx *ctx, struct subject *s)
{
    bosc_status status = bosc_ranks_kdtree_build(ctx, s->tree, s->t.points.data, POINTS, 0);
    if (status == BOSC_OK) return bosc_ranks_kdtree_get_nodes(ctx, s->tree, s->out, s->out + ROOM / 2);
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    char message[256];
    strncpy(message, bosc_ctx_message(ctx), sizeof message - 1);
    message[sizeof message - 1] = 0;
    CHECK(message[0]);
    CHECK_OK(ctx, bosc_ranks_kdtree_get_info(ctx, s->tree, &info));
    CHECK(info.n == 0 || info.n == s->before);
    s->before = info.n;
    return bi_fail(ctx, status, "%s", message);
}

static bosc_status get_nodes(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_get_nodes(ctx, s->tree, s->out, s->out + ROOM / 2);
}

static bosc_status knn(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_knn(ctx, s->tree, s->queries.data, QUERIES, 0, K, s->out, s->out + ROOM / 2);
}

static bosc_status knn_within(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_knn_within(ctx, s->tree, s->queries.data, QUERIES, 0, K, RADIUS, s->out,
                                        s->out + ROOM / 2);
}

static bosc_status radius_offsets(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_radius(ctx, s->tree, s->queries.data, QUERIES, 0, RADIUS, (int64_t *)(void *)s->out, NULL,
                                    NULL, 0);
}

static bosc_status radius_rows(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_radius(ctx, s->tree, s->queries.data, QUERIES, 0, RADIUS, s->offsets, s->out,
                                    s->out + 3 * ROOM / 4, s->offsets[QUERIES]);
}

static bosc_status box_offsets(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_box(ctx, s->tree, s->queries.data, QUERIES / 2, (int64_t *)(void *)s->out, NULL, 0);
}

static bosc_status box_rows(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_box(ctx, s->tree, s->queries.data, QUERIES / 2, s->box_offsets, s->out,
                                 s->box_offsets[QUERIES / 2]);
}

static bosc_status write_file(bosc_ctx *ctx, struct subject *s)
{
    s->file.size = 0;
    return bosc_ranks_kdtree_write(ctx, s->tree, saved_append, &s->file);
}

static bosc_status read_file(bosc_ctx *ctx, struct subject *s)
{
    bosc_ranks_kdtree *tree = NULL;
    s->file.at = 0;
    const bosc_status status = bosc_ranks_kdtree_read(ctx, s->comm, saved_deliver, &s->file, &tree);
    CHECK((status == BOSC_OK) == (tree != NULL));
    bosc_ranks_kdtree_free(tree);
    return status;
}

static bosc_status get_duplicates(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_get_duplicates(ctx, s->tree, s->out, (int64_t *)(void *)(s->out + ROOM / 2));
}

static bosc_status verify(bosc_ctx *ctx, struct subject *s) { return bosc_ranks_kdtree_verify(ctx, s->tree, NULL); }

static const struct {
    bosc_status (*run)(bosc_ctx *ctx, struct subject *s);
    bool removed; /* of a tree without duplicates */
} calls[] = {{create, false},      {build_all, false},      {build_all, true},       {get_nodes, false},
             {knn, false},         {knn_within, false},     {radius_offsets, false}, {radius_rows, false},
             {box_offsets, false}, {box_rows, false},       {write_file, false},     {read_file, false},
             {verify, false},      {get_duplicates, false}, {get_duplicates, true},  {write_file, true},
             {read_file, true}};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* ---- one rank ---- */

/* Makes each two rows the corners of a box. */
static void order_corners(float *rows)
{
    for (int at = 0; at + 2 < 2 * QUERIES; at += at % 4 == 1 ? 3 : 1) {
        const float low = rows[at] < rows[at + 2] ? rows[at] : rows[at + 2];
        rows[at + 2] = rows[at] + rows[at + 2] - low;
        rows[at] = low;
    }
}

static void make_subject(struct subject *s, int call)
{
    struct suite_random r = {1};
    *s = (struct subject){.run = calls[call].run, .t = {.opts = {.size = sizeof s->t.opts, .dim = 2}}};
    s->t.opts.duplicates = (bosc_kdtree_duplicates)calls[call].removed;
    s->t.points = kd_points(&r, BOSC_F32, 2, POINTS, 2, calls[call].removed ? KD_GRID : KD_RANDOM);
    s->queries = kd_points(&r, BOSC_F32, 2, QUERIES, 2, KD_RANDOM);
    order_corners((float *)(uintptr_t)s->queries.data);
}

static void free_points(struct subject *s)
{
    free((void *)(uintptr_t)s->t.points.data);
    free((void *)(uintptr_t)s->queries.data);
}

/* A tree of `n` points, and offsets of the answers. */
static void make_tree(struct subject *s, bosc_ctx *ctx, bosc_comm *comm, int64_t n)
{
    s->comm = comm;
    s->before = n;
    CHECK_OK(ctx, bosc_ranks_kdtree_create(ctx, comm, &s->t.opts, &s->tree));
    CHECK_OK(ctx, bosc_ranks_kdtree_build(ctx, s->tree, s->t.points.data, n, 0));
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ranks_kdtree_get_info(ctx, s->tree, &info));
    s->before = info.n;
    CHECK_OK(ctx,
             bosc_ranks_kdtree_radius(ctx, s->tree, s->queries.data, QUERIES, 0, RADIUS, s->offsets, NULL, NULL, 0));
    CHECK_OK(ctx, bosc_ranks_kdtree_box(ctx, s->tree, s->queries.data, QUERIES / 2, s->box_offsets, NULL, 0));
    if (s->run == write_file || s->run == read_file) CHECK_OK(ctx, write_file(ctx, s));
    CHECK(s->offsets[QUERIES] > 0 && s->offsets[QUERIES] <= ROOM / 16);
    CHECK((s->box_offsets[QUERIES / 2] > 0 || s->t.opts.duplicates) && s->box_offsets[QUERIES / 2] <= ROOM / 8);
}

static void open_subject(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_comm *comm;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    make_tree(s, ctx, comm, s->run == build_all ? 17 : POINTS);
}

static void close_subject(void *user)
{
    struct subject *s = user;
    bosc_ranks_kdtree_free(s->tree);
    bosc_comm_free(s->comm);
    free(s->file.bytes);
    s->file = (struct saved){NULL, 0, 0, 0};
}

static bosc_status run_subject(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return s->run(ctx, s);
}

static void one_rank(bosc_ctx *ctx)
{
    for (int call = 0; call < CALLS; call++) {
        struct subject s;
        make_subject(&s, call);
        const struct fault_sweep sweep = {.call = run_subject,
                                          .open = open_subject,
                                          .close = close_subject,
                                          .user = &s,
                                          .outputs = s.out,
                                          .output_bytes = sizeof s.out};
        fault_sweep(ctx, &sweep);
        free_points(&s);
    }
}

/* ---- one of three ---- */

#ifdef BOSC_FAULTS
struct trio {
    int call;
    int64_t k, passages;
    _Atomic int arrived;
};

/* Waits for all three ranks, without a call that can fail. */
static void wait_for_three(struct trio *trio, int times)
{
    const struct timespec moment = {.tv_nsec = 20000};
    trio->arrived++;
    while (trio->arrived < 3 * times) nanosleep(&moment, NULL);
}

static bosc_status build_alone(bosc_ctx *ctx, struct subject *s)
{
    return bosc_ranks_kdtree_build(ctx, s->tree, s->t.points.data, POINTS, 0);
}

/* After a lack of memory, which no output shows. */
static void check_untouched(const struct subject *s)
{
    for (int i = 0; i < ROOM; i++) CHECK_EQ(s->out[i], 0);
}

static void fail_one(struct rank *r)
{
    struct trio *trio = r->user;
    struct subject s;
    bosc_status statuses[3];
    make_subject(&s, trio->call);
    if (s.run == build_all) s.run = build_alone;
    make_tree(&s, r->ctx, r->comm, s.run == build_alone ? 17 : POINTS);
    wait_for_three(trio, 1);
    if (r->rank == 0) bi_fault_arm(FAULTS_OF_CALLS, trio->k, false);
    wait_for_three(trio, 2);
    const bosc_status status = s.run(r->ctx, &s);
    CHECK((status == BOSC_OK) == (bosc_ctx_message(r->ctx)[0] == 0));
    wait_for_three(trio, 3);
    if (r->rank == 0) {
        trio->passages = bi_fault_passages();
        bi_fault_disarm();
    }
    wait_for_three(trio, 4);
    CHECK_OK(r->ctx, bi_comm_all_gather(r->ctx, r->comm, &status, sizeof status, statuses));
    for (int i = 0; i < 3 && s.run != get_nodes; i++)
        CHECK_EQ(statuses[i], statuses[0]); /* get_nodes is each one's own */
    CHECK(status == BOSC_OK || status == BOSC_ERR_NOMEM || status == BOSC_ERR_DEVICE);
    if (status == BOSC_ERR_NOMEM) check_untouched(&s);
    bosc_ranks_kdtree_free(s.tree);
    make_tree(&s, r->ctx, r->comm, POINTS); /* all can be used on */
    CHECK_OK(r->ctx, s.run(r->ctx, &s));
    bosc_ranks_kdtree_free(s.tree);
    free(s.file.bytes);
    free_points(&s);
}

static void one_of_three(bosc_ctx *ctx)
{
    for (int call = 0; call < CALLS; call++) {
        int64_t passages = 1;
        for (int64_t k = 0; k < passages; k += suite_slow(ctx) ? 17 : 5) {
            struct trio trio = {.call = call, .k = k};
            if (suite_leaves_out()) continue;
            ranks_run(ctx, 3, 0, fail_one, &trio);
            passages = trio.passages > passages ? trio.passages : passages;
        }
    }
}
#else
static void one_of_three(bosc_ctx *ctx) { (void)ctx; } /* there are no points at which a rank could fail */
#endif

static const struct suite_case suite_cases_ranks_kdtree_faults[] = {
    {"one_rank", one_rank, NULL},
    {"one_of_three", one_of_three, NULL},
};
SUITE(ranks_kdtree_faults);
