/* Bad arguments of distributed primitives: of a rank alone, and of one among others. */
#include "cases/ranks/ranks_data.h"

enum { N = 8 };

/* Arrays of the calls, and what their outputs must keep. */
struct given {
    bosc_comm *comm;
    uint64_t in[2 * N], values[N], out[2 * N], values_out[N];
    int64_t ids[N], count, total;
};

static void fill(bosc_ctx *ctx, struct given *g)
{
    memset(g, 0x5a, sizeof *g);
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &g->comm));
}

static void check_kept(struct given *g)
{
    struct given fresh;
    memset(&fresh, 0x5a, sizeof fresh);
    bosc_comm_free(g->comm);
    fresh.comm = g->comm;
    CHECK(memcmp(g, &fresh, sizeof fresh) == 0);
}

#define REDUCE(op, dtype, in, n, out) bosc_ranks_reduce(ctx, g.comm, (bosc_op)(op), (bosc_dtype)(dtype), in, n, out)
#define SCAN(op, kind, dtype, in, n, out) \
    bosc_ranks_scan(ctx, g.comm, (bosc_op)(op), (bosc_scan_kind)(kind), (bosc_dtype)(dtype), in, n, out)

static void sums(bosc_ctx *ctx)
{
    /* Each bad argument of reductions and scans is refused by its name; the arrays stay as they were. */
    static const int dtypes[] = {0, -1, 7, 100};
    struct given g;
    fill(ctx, &g);
    const int f64 = BOSC_F64;
    CHECK_EQ(bosc_ranks_reduce(NULL, g.comm, BOSC_SUM, BOSC_F64, g.in, N, g.out), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_scan(NULL, g.comm, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F64, g.in, N, g.out), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_reduce(ctx, NULL, BOSC_SUM, BOSC_F64, g.in, N, g.out), "comm");
    CHECK_ARG(ctx, bosc_ranks_scan(ctx, NULL, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F64, g.in, N, g.out), "comm");
    for (int i = -1; i < 4; i += 4) {
        CHECK_ARG(ctx, REDUCE(i, f64, g.in, N, g.out), "op");
        CHECK_ARG(ctx, SCAN(i, 0, f64, g.in, N, g.out), "op");
        CHECK_ARG(ctx, SCAN(0, i, f64, g.in, N, g.out), "kind");
    }
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, REDUCE(0, dtypes[i], g.in, N, g.out), "dtype");
        CHECK_ARG(ctx, SCAN(0, 0, dtypes[i], g.in, N, g.out), "dtype");
    }
    CHECK_ARG(ctx, REDUCE(0, f64, g.in, -1, g.out), "n");
    CHECK_ARG(ctx, REDUCE(0, f64, g.in, INT64_MAX, g.out), "n");
    CHECK_ARG(ctx, SCAN(0, 0, f64, g.in, -1, g.out), "n");
    CHECK_ARG(ctx, SCAN(0, 0, f64, g.in, INT64_MAX, g.out), "n");
    CHECK_ARG(ctx, REDUCE(0, f64, NULL, N, g.out), "in");
    CHECK_ARG(ctx, REDUCE(0, f64, (char *)g.in + 4, N, g.out), "in");
    CHECK_ARG(ctx, SCAN(0, 0, f64, NULL, N, g.out), "in");
    CHECK_ARG(ctx, SCAN(0, 0, f64, (char *)g.in + 4, N, g.out), "in");
    CHECK_ARG(ctx, REDUCE(0, f64, g.in, N, NULL), "result");
    CHECK_ARG(ctx, REDUCE(0, f64, g.in, N, (char *)g.out + 1), "result");
    CHECK_ARG(ctx, REDUCE(0, f64, g.in, N, g.in + 2), "result");
    CHECK_ARG(ctx, SCAN(0, 0, f64, g.in, N, NULL), "out");
    CHECK_ARG(ctx, SCAN(0, 0, f64, g.in, N, (char *)g.out + 1), "out");
    CHECK_ARG(ctx, SCAN(0, 0, f64, g.in, N, g.in + 2), "out");
    check_kept(&g);
}

#define SORT(dtype, keys, n, out) bosc_ranks_sort_keys(ctx, g.comm, (bosc_dtype)(dtype), keys, n, out)
#define PAIRS(dtype, keys, size, values, n, keys_out, values_out) \
    bosc_ranks_sort_pairs(ctx, g.comm, (bosc_dtype)(dtype), keys, size, values, n, keys_out, values_out)

static void sorts(bosc_ctx *ctx)
{
    /* Each bad argument of sorts is refused by its name, overlapping outputs too; the arrays stay as they were. */
    struct given g;
    fill(ctx, &g);
    const int u64 = BOSC_U64;
    CHECK_EQ(bosc_ranks_sort_keys(NULL, g.comm, BOSC_U64, g.in, N, g.out), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_sort_pairs(NULL, g.comm, BOSC_U64, g.in, 8, g.values, N, g.out, g.values_out), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_sort_keys(ctx, NULL, BOSC_U64, g.in, N, g.out), "comm");
    CHECK_ARG(ctx, bosc_ranks_sort_pairs(ctx, NULL, BOSC_U64, g.in, 8, g.values, N, g.out, g.values_out), "comm");
    CHECK_ARG(ctx, SORT(0, g.in, N, g.out), "dtype");
    CHECK_ARG(ctx, SORT(7, g.in, N, g.out), "dtype");
    CHECK_ARG(ctx, SORT(u64, g.in, -1, g.out), "n");
    CHECK_ARG(ctx, SORT(u64, g.in, INT64_MAX / 4, g.out), "n");
    CHECK_ARG(ctx, SORT(u64, NULL, N, g.out), "keys");
    CHECK_ARG(ctx, SORT(u64, (char *)g.in + 4, N, g.out), "keys");
    CHECK_ARG(ctx, SORT(u64, g.in, N, NULL), "out");
    CHECK_ARG(ctx, SORT(u64, g.in, N, (char *)g.out + 4), "out");
    CHECK_ARG(ctx, SORT(u64, g.in, N, g.in + 1), "out");
    CHECK_ARG(ctx, PAIRS(0, g.in, 8, g.values, N, g.out, g.values_out), "dtype");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 0, g.values, N, g.out, g.values_out), "value_size");
    CHECK_ARG(ctx, PAIRS(u64, g.in, (size_t)1 << 31, g.values, N, g.out, g.values_out), "value_size");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, g.values, -1, g.out, g.values_out), "n");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 100, g.values, INT64_MAX / 50, g.out, g.values_out), "n");
    CHECK_ARG(ctx, PAIRS(u64, NULL, 8, g.values, N, g.out, g.values_out), "keys");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, NULL, N, g.out, g.values_out), "values");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, (char *)g.values + 4, N, g.out, g.values_out), "values");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, g.values, N, NULL, g.values_out), "keys_out");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, g.values, N, g.out, NULL), "values_out");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, g.values, N, g.values, g.values_out), "keys_out");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, g.values, N, g.in + 1, g.values_out), "keys_out");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, g.values, N, g.out, g.out), "values_out");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, g.values, N, g.out, g.in), "values_out");
    CHECK_ARG(ctx, PAIRS(u64, g.in, 8, g.in + N, N, g.out, g.in + N - 1), "values_out");
    check_kept(&g);
}

#define UNIQUE(keys, n, bits, ids, out, count) bosc_ranks_unique(ctx, g.comm, keys, n, bits, ids, out, count, &g.total)

static void uniques(bosc_ctx *ctx)
{
    static const int32_t bits[] = {0, 1, 31, 33, 65, 129, -32};
    struct given g;
    fill(ctx, &g);
    CHECK_EQ(bosc_ranks_unique(NULL, g.comm, g.in, N, 64, g.ids, g.out, &g.count, &g.total), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_unique(ctx, NULL, g.in, N, 64, g.ids, g.out, &g.count, &g.total), "comm");
    for (int i = 0; i < 7; i++) CHECK_ARG(ctx, UNIQUE(g.in, N, bits[i], g.ids, g.out, &g.count), "key_bits");
    CHECK_ARG(ctx, UNIQUE(g.in, -1, 64, g.ids, g.out, &g.count), "n");
    CHECK_STATUS(ctx, UNIQUE(g.in, UINT32_MAX, 64, g.ids, g.out, &g.count), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, UNIQUE(g.in, INT64_MAX / 4, 64, g.ids, g.out, &g.count), "n");
    CHECK_ARG(ctx, UNIQUE(NULL, N, 64, g.ids, g.out, &g.count), "keys");
    CHECK_ARG(ctx, UNIQUE((char *)g.in + 4, N, 64, g.ids, g.out, &g.count), "keys");
    CHECK_ARG(ctx, UNIQUE((char *)g.in + 2, N, 32, g.ids, g.out, &g.count), "keys");
    CHECK_ARG(ctx, UNIQUE(g.in, N, 128, NULL, g.out, &g.count), "ids");
    CHECK_ARG(ctx, UNIQUE(g.in, N, 128, (int64_t *)(void *)((char *)g.ids + 4), g.out, &g.count), "ids");
    CHECK_ARG(ctx, UNIQUE(g.in, N, 64, (int64_t *)(void *)(g.in + 1), g.out, &g.count), "ids");
    CHECK_ARG(ctx, UNIQUE(g.in, N, 128, g.ids, (char *)g.out + 4, &g.count), "unique");
    CHECK_ARG(ctx, UNIQUE(g.in, N, 64, g.ids, g.ids, &g.count), "unique");
    CHECK_ARG(ctx, UNIQUE(g.in, N, 64, g.ids, g.in + 1, &g.count), "unique");
    CHECK_ARG(ctx, UNIQUE(g.in, N, 128, g.ids, g.out, NULL), "count");
    check_kept(&g);
}

/* ---- one rank among others ---- */

/* A rank's call, with an argument that is bad or not the others' if `bad`. */
typedef bosc_status (*rank_call)(struct rank *r, struct given *g, bool bad);

static bosc_status reduce_of_null(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_reduce(r->ctx, r->comm, BOSC_SUM, BOSC_F64, bad ? NULL : g->in, N, g->out);
}
static bosc_status reduce_of_other(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_reduce(r->ctx, r->comm, bad ? BOSC_MIN : BOSC_SUM, BOSC_F64, g->in, N, g->out);
}
static bosc_status scan_of_null(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_scan(r->ctx, r->comm, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F64, g->in, N, bad ? NULL : g->out);
}
static bosc_status scan_of_other(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_scan(r->ctx, r->comm, BOSC_SUM, bad ? BOSC_EXCLUSIVE : BOSC_INCLUSIVE, BOSC_F64, g->in, N,
                           g->out);
}
static bosc_status sort_of_null(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_sort_keys(r->ctx, r->comm, BOSC_U64, bad ? NULL : g->in, N, g->out);
}
static bosc_status sort_of_other(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_sort_keys(r->ctx, r->comm, bad ? BOSC_I64 : BOSC_U64, g->in, N, g->out);
}
static bosc_status pairs_of_other(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_sort_pairs(r->ctx, r->comm, BOSC_U64, g->in, bad ? 4 : 8, g->values, N, g->out, g->values_out);
}
static bosc_status unique_of_null(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_unique(r->ctx, r->comm, bad ? NULL : g->in, N, 64, g->ids, g->out, &g->count, &g->total);
}
static bosc_status unique_of_other(struct rank *r, struct given *g, bool bad)
{
    return bosc_ranks_unique(r->ctx, r->comm, g->in, N, bad ? 128 : 64, g->ids, g->out, &g->count, &g->total);
}

static const struct {
    rank_call call;
    const char *message;
} among[] = {
    {reduce_of_null, "in: NULL"},
    {reduce_of_other, "op: 1 is not the 0 of rank 0"},
    {scan_of_null, "out: NULL"},
    {scan_of_other, "kind: 1 is not the 0 of rank 0"},
    {sort_of_null, "keys: NULL"},
    {sort_of_other, "dtype: "},
    {pairs_of_other, "value_size: 4 is not the 8 of rank 0"},
    {unique_of_null, "keys: NULL"},
    {unique_of_other, "key_bits: 128 is not the 64 of rank 0"},
};

static void call_badly(struct rank *r)
{
    for (int i = 0; i < 9; i++) {
        struct given g, fresh;
        memset(&g, 0x5a, sizeof g);
        memset(&fresh, 0x5a, sizeof fresh);
        ranks_check_blame(r, among[i].call(r, &g, r->rank == 1), BOSC_ERR_ARG, among[i].message);
        CHECK(memcmp(&g, &fresh, sizeof g) == 0);
        CHECK_OK(r->ctx, among[i].call(r, &g, false));
    }
}

static void one_of_three(bosc_ctx *ctx) { ranks_run(ctx, 3, 0, call_badly, NULL); }

static const struct suite_case suite_cases_ranks_prims_args[] = {
    {"reduce and scan", sums, NULL},
    {"sorts", sorts, NULL},
    {"unique", uniques, NULL},
    {"one of three ranks", one_of_three, NULL},
};
SUITE(ranks_prims_args);
