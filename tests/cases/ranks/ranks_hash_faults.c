/* Each allocation, copy and launch of each call on tables over ranks fails in turn, on one rank and on one of several.
 * The table is then as before, or empty. */
#include "cases/ranks/ranks_faults.h"

enum { N = 150, OUT = 24 * N + 64 };

static bosc_hash_opts options_of(int verb)
{
    bosc_hash_opts o = {.size = sizeof o, .key_bits = 64, .value_size = 8};
    if (verb == 1 || verb == 6) o.kind = BOSC_HASH_MULTIMAP;
    if (verb == 2) o.duplicates = BOSC_HASH_ERROR;
    return o;
}

/* A table with pairs of its rank, and more of them. */
struct table {
    bosc_ranks_hash *table;
    uint64_t keys[N], values[N], more[N];
    int64_t offsets[N + 1];
};

static int verb_of_ranks;

static struct table *open_table(bosc_ctx *ctx, bosc_comm *comm, int rank, int verb)
{
    struct table *t = suite_alloc(sizeof *t);
    const bosc_hash_opts o = options_of(verb);
    const uint64_t first = (uint64_t)rank * (verb == 2 ? 2 * N : N / 2);
    for (uint64_t i = 0; i < N; i++) t->keys[i] = first + i, t->values[i] = i * 3, t->more[i] = first + N + i;
    CHECK_OK(ctx, bosc_ranks_hash_create(ctx, comm, &o, &t->table));
    CHECK_OK(ctx, bosc_ranks_hash_build(ctx, t->table, t->keys, t->values, N));
    if (verb == 6) CHECK_OK(ctx, bosc_ranks_hash_retrieve(ctx, t->table, t->keys, N, t->offsets, NULL, 0));
    return t;
}

static void close_table(struct table *t)
{
    bosc_ranks_hash_free(t->table);
    free(t);
}

/* Looks up the keys of the last change in the changed table. */
static bosc_status find_changed(bosc_ctx *ctx, struct table *t, unsigned char *out)
{
    return bosc_ranks_hash_find(ctx, t->table, t->more, N, out, out + 8 * N);
}

static bosc_status run_verb(bosc_ctx *ctx, bosc_comm *comm, struct table *t, int verb, unsigned char *out)
{
    const bosc_hash_opts o = options_of(verb);
    int64_t *numbers = (int64_t *)(void *)out;
    bosc_ranks_hash *made = NULL;
    bosc_status status;
    switch (verb) {
    case 0:
        status = bosc_ranks_hash_create(ctx, comm, &o, &made);
        CHECK((status == BOSC_OK) == (made != NULL));
        bosc_ranks_hash_free(made);
        return status;
    case 1: status = bosc_ranks_hash_build(ctx, t->table, t->more, t->values, N); break;
    case 2:
    case 3: status = bosc_ranks_hash_insert(ctx, t->table, t->more, t->values, N); break;
    case 4: return bosc_ranks_hash_erase(ctx, t->table, t->keys, N, numbers);
    case 5: return bosc_ranks_hash_find(ctx, t->table, t->keys, N, out, out + 8 * N);
    case 6: return bosc_ranks_hash_retrieve(ctx, t->table, t->keys, N, t->offsets, out, 3 * N);
    default: return bosc_ranks_hash_count(ctx, t->table, t->keys, N, numbers);
    }
    return status == BOSC_OK ? find_changed(ctx, t, out) : status;
}

/* After a failed change the table is whole: all built pairs are found, or none. */
static void check_left(struct rank *r, const struct table *t)
{
    bosc_ranks_hash_info info = {.size = sizeof info};
    uint8_t found[N];
    uint64_t values[N];
    int64_t counts[N], count = 0;
    CHECK_OK(r->ctx, bosc_ranks_hash_get_info(r->ctx, t->table, &info));
    CHECK_OK(r->ctx, bosc_ranks_hash_find(r->ctx, t->table, t->keys, N, NULL, found));
    for (int i = 0; i < N; i++) count += found[i];
    CHECK(info.keys == 0 ? count == 0 : verb_of_ranks == 1 || verb_of_ranks == 4 || count == N);
    if (info.keys > 0) return;
    ranks_fill_scratch(r->ctx);
    CHECK_OK(r->ctx, bosc_ranks_hash_find(r->ctx, t->table, t->keys, N, values, found));
    ranks_fill_scratch(r->ctx);
    CHECK_OK(r->ctx, bosc_ranks_hash_count(r->ctx, t->table, t->keys, N, counts));
    for (int i = 0; i < N; i++) CHECK(!found[i] && values[i] == 0 && counts[i] == 0);
}

/* ---- one rank ---- */

struct alone {
    int verb;
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct table *table;
    unsigned char out[OUT];
};

static void open_alone(bosc_ctx *ctx, void *user)
{
    struct alone *a = user;
    a->ctx = ctx;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &a->comm));
    a->table = open_table(ctx, a->comm, 0, a->verb);
}

static void close_alone(void *user)
{
    struct alone *a = user;
    close_table(a->table);
    bosc_comm_free(a->comm);
}

/* Each call gets the same table. */
static void prepare_alone(void *user)
{
    struct alone *a = user;
    close_table(a->table);
    a->table = open_table(a->ctx, a->comm, 0, a->verb);
}

static bosc_status call_alone(bosc_ctx *ctx, void *user)
{
    struct alone *a = user;
    return run_verb(ctx, a->comm, a->table, a->verb, a->out);
}

/* ---- three ---- */

static void *open_rank(struct rank *r) { return open_table(r->ctx, r->comm, r->rank, verb_of_ranks); }

static void close_rank(struct rank *r, void *state)
{
    check_left(r, state);
    close_table(state);
}

static bosc_status call_rank(struct rank *r, void *state, unsigned char *out)
{
    return run_verb(r->ctx, r->comm, state, verb_of_ranks, out);
}

static void sweep(bosc_ctx *ctx, int verb)
{
    static struct alone a;
    a.verb = verb_of_ranks = verb;
    const struct fault_sweep alone = {.call = call_alone,
                                      .open = open_alone,
                                      .close = close_alone,
                                      .prepare = prepare_alone,
                                      .user = &a,
                                      .outputs = a.out,
                                      .output_bytes = OUT};
    struct ranks_fault ranks = {.open = open_rank, .call = call_rank, .close = close_rank, .bytes = OUT};
    fault_sweep(ctx, &alone);
    ranks_fault_sweep(ctx, &ranks);
}

static void create(bosc_ctx *ctx) { sweep(ctx, 0); }
static void build(bosc_ctx *ctx) { sweep(ctx, 1); }
static void insert_distinct(bosc_ctx *ctx) { sweep(ctx, 2); }
static void insert(bosc_ctx *ctx) { sweep(ctx, 3); }
static void erase(bosc_ctx *ctx) { sweep(ctx, 4); }
static void find(bosc_ctx *ctx) { sweep(ctx, 5); }
static void retrieve(bosc_ctx *ctx) { sweep(ctx, 6); }
static void count(bosc_ctx *ctx) { sweep(ctx, 7); }

static const struct suite_case suite_cases_ranks_hash_faults[] = {
    {"create", create, NULL},     {"build", build, NULL}, {"insert distinct keys", insert_distinct, NULL},
    {"insert", insert, NULL},     {"erase", erase, NULL}, {"find", find, NULL},
    {"retrieve", retrieve, NULL}, {"count", count, NULL},
};
SUITE(ranks_hash_faults);
