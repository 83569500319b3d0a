/* Each allocation, copy and launch of bosc_ranks_emst_compute fails in turn, on one rank and on one of several. */
#include "cases/ranks/ranks_faults.h"
#include "cases/kdtree/kdtree_data.h"

enum { N = 12, PAIRS = 16 * N, OUT = PAIRS + 4 * N + 8 };

/* Of several ranks: tight groups, each with a point in each shard or all in one, so that there are rounds of all
 * kinds. */
static void *make_points(uint64_t seed)
{
    struct suite_random random = {seed + 71};
    float *points = suite_alloc(2 * N * sizeof *points);
    for (int i = 0; i < 2 * N; i++)
        points[i] = (float)suite_below(&random, 40) + (float)(i % 3 && i % 2 == 0 ? 1000 * (i % 4) : 0);
    return points;
}

static bosc_status compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, unsigned char *out)
{
    const bosc_emst_opts opts = {.size = sizeof opts, .dim = 2};
    return bosc_ranks_emst_compute(ctx, comm, points, N, 0, &opts, out, out + PAIRS,
                                   (int64_t *)(void *)(out + PAIRS + 4 * N));
}

struct alone {
    bosc_comm *comm;
    void *points;
    unsigned char out[OUT];
};

static void open_alone(bosc_ctx *ctx, void *user)
{
    struct alone *a = user;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &a->comm));
}

static void close_alone(void *user) { bosc_comm_free(((struct alone *)user)->comm); }

static bosc_status call_alone(bosc_ctx *ctx, void *user)
{
    struct alone *a = user;
    return compute(ctx, a->comm, a->points, a->out);
}

static void one_rank(bosc_ctx *ctx)
{
    static struct alone a;
    a.points = make_points(0);
    const struct fault_sweep sweep = {.call = call_alone,
                                      .open = open_alone,
                                      .close = close_alone,
                                      .user = &a,
                                      .outputs = a.out,
                                      .output_bytes = OUT,
                                      .step = suite_slow(ctx) ? 23 : 5};
    CHECK(fault_sweep(ctx, &sweep) > 3);
    free(a.points);
}

static void *open_rank(struct rank *r) { return make_points((uint64_t)r->rank); }
static bosc_status call_rank(struct rank *r, void *state, unsigned char *out)
{
    return compute(r->ctx, r->comm, state, out);
}

static void three_ranks(bosc_ctx *ctx)
{
    struct ranks_fault f = {.open = open_rank, .call = call_rank, .close = ranks_fault_free, .bytes = OUT};
    ranks_fault_sweep(ctx, &f);
}

static const struct suite_case suite_cases_ranks_emst_faults[] = {
    {"one rank", one_rank, NULL},
    {"three ranks", three_ranks, NULL},
};
SUITE(ranks_emst_faults);
