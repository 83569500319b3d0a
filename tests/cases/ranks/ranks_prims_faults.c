/* Each allocation, copy and launch of each distributed primitive fails in turn, on one rank and on one of several. */
#include "cases/ranks/ranks_faults.h"

enum { N = 2100, OUT = 24 * N + 16 }; /* of several ranks: more than one of them scans */

typedef bosc_status (*call_fn)(bosc_ctx *ctx, bosc_comm *comm, const uint64_t *in, unsigned char *out);

static bosc_status reduce(bosc_ctx *ctx, bosc_comm *comm, const uint64_t *in, unsigned char *out)
{
    return bosc_ranks_reduce(ctx, comm, BOSC_SUM, BOSC_F64, in, N, out);
}
static bosc_status reduce_integers(bosc_ctx *ctx, bosc_comm *comm, const uint64_t *in, unsigned char *out)
{
    return bosc_ranks_reduce(ctx, comm, BOSC_MIN, BOSC_U64, in, N, out);
}
static bosc_status scan(bosc_ctx *ctx, bosc_comm *comm, const uint64_t *in, unsigned char *out)
{
    return bosc_ranks_scan(ctx, comm, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F64, in, N, out);
}
static bosc_status sort_keys(bosc_ctx *ctx, bosc_comm *comm, const uint64_t *in, unsigned char *out)
{
    return bosc_ranks_sort_keys(ctx, comm, BOSC_F64, in, N, out);
}
static bosc_status sort_pairs(bosc_ctx *ctx, bosc_comm *comm, const uint64_t *in, unsigned char *out)
{
    return bosc_ranks_sort_pairs(ctx, comm, BOSC_U64, in, 16, in, N / 2, out, out + 8 * N);
}
static bosc_status unique(bosc_ctx *ctx, bosc_comm *comm, const uint64_t *in, unsigned char *out)
{
    int64_t *counts = (int64_t *)(void *)(out + 24 * N);
    return bosc_ranks_unique(ctx, comm, in, N, 64, (int64_t *)(void *)out, out + 8 * N, counts, counts + 1);
}

static uint64_t *make_in(uint64_t seed)
{
    uint64_t *in = suite_alloc(N * sizeof *in);
    struct suite_random random = {seed + 3};
    for (int64_t i = 0; i < N; i++) {
        const double x = (double)(1 + suite_below(&random, 500)) / 7;
        memcpy(&in[i], &x, sizeof x);
    }
    return in;
}

/* ---- one rank ---- */

struct alone {
    call_fn call;
    bosc_comm *comm;
    uint64_t *in;
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
    return a->call(ctx, a->comm, a->in, a->out);
}

/* ---- three ---- */

static _Atomic(call_fn) call_of_ranks;

static void *open_rank(struct rank *r) { return make_in((uint64_t)r->rank); }
static bosc_status call_rank(struct rank *r, void *state, unsigned char *out)
{
    return atomic_load(&call_of_ranks)(r->ctx, r->comm, state, out);
}

static void sweep(bosc_ctx *ctx, call_fn call)
{
    static struct alone a;
    a.call = call;
    a.in = make_in(0);
    const struct fault_sweep alone = {.call = call_alone,
                                      .open = open_alone,
                                      .close = close_alone,
                                      .user = &a,
                                      .outputs = a.out,
                                      .output_bytes = OUT};
    fault_sweep(ctx, &alone);
    free(a.in);
    struct ranks_fault ranks = {.open = open_rank, .call = call_rank, .close = ranks_fault_free, .bytes = OUT};
    atomic_store(&call_of_ranks, call);
    ranks_fault_sweep(ctx, &ranks);
}

#define SWEEP(name) \
    static void sweep_##name(bosc_ctx *ctx) { sweep(ctx, name); }
SWEEP(reduce)
SWEEP(reduce_integers)
SWEEP(scan)
SWEEP(sort_keys)
SWEEP(sort_pairs)
SWEEP(unique)

static const struct suite_case suite_cases_ranks_prims_faults[] = {
    {"reduce", sweep_reduce, NULL},
    {"reduce of integers", sweep_reduce_integers, NULL},
    {"scan", sweep_scan, NULL},
    {"sort_keys", sweep_sort_keys, NULL},
    {"sort_pairs", sweep_sort_pairs, NULL},
    {"unique", sweep_unique, NULL},
};
SUITE(ranks_prims_faults);
