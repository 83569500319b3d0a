/* Dense ids by first occurrence over ranks. Each rank routes its keys to their owners, which mark the first item of
 * each key. Every rank numbers the keys that it is first to have and sends the numbers to the owners; these pass them
 * on to the other ranks. A rank on which keys repeat often, by a sample, sends its distinct keys only. Threads on CPUs
 * pool instead: rank 0 numbers the keys of all. */
#include "ranks/prims/unique.h"

#include <boscage/hash.h>
#include <boscage/ranks/prims.h>

#include "core/call.h"
#include "prims/check.h"
#include "ranks/exchange/pool.h"
#include "ranks/exchange/route.h"
#include "ranks/steps/steps.h"

/* ---- representatives: the first item of each distinct key ----
 *
 * The ids of bosc_hash_unique ascend by first occurrence, so an item is the first of its key exactly if its id exceeds
 * all earlier ids. */

static bosc_status mark_representatives(bosc_ctx *ctx, int64_t n, const struct bi_ranks_representatives *items)
{
    int64_t *exclusive_max;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *exclusive_max, &exclusive_max));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_EXCLUSIVE, BOSC_I64, items->ids, n, exclusive_max));
    const struct bi_ranks_mark_representatives mark = {items->ids, exclusive_max, items->is_first,
                                                       items->representative_ids};
    return ctx->ops->ranks->steps->mark_representatives(ctx, n, &mark);
}

bosc_status bi_ranks_find_representatives(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits,
                                          struct bi_ranks_representatives *items)
{
    BI_TRY(bi_scratch_of(ctx, n, sizeof *items->ids, &items->ids));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *items->is_first, &items->is_first));
    BI_TRY(bosc_hash_unique(ctx, keys, n, key_bits, items->ids, NULL, &items->count));
    BI_TRY(bi_scratch_of(ctx, items->count, sizeof *items->representative_ids, &items->representative_ids));
    BI_RETURN_WITH_SCRATCH(ctx, mark_representatives(ctx, n, items));
}

/* ---- unique ---- */

/* A rank samples one key in 16, at most 65,536. Of 50 M keys, 43 pairs of samples are equal if all keys differ, and 86
 * if all occur twice. */
enum { KEYS_PER_SAMPLE = 16, MOST_SAMPLES = 1 << 16 };

struct unique_call {
    int32_t key_bits;
    size_t key_bytes;
    const void *keys;
    int64_t n;
    /* This rank's keys. */
    bool is_reduced;      /* to distinct ones; else the items below are all rows */
    int64_t *ids;         /* (n): ids among its own distinct keys, then among all; not reduced: NULL */
    const void *distinct; /* (count) */
    int64_t count;
    uint8_t *is_first;   /* (count): no lower rank has the key */
    int64_t *global_ids; /* (count): ids among the keys of all ranks */
    void *first_keys;    /* (first_count): the keys first on this rank */
    int64_t first_count, total;
};

/* *repeat: true if a key occurs 1.5 times or more on average, by the equal pairs of sampled keys. `check` has refused
 * 2^32 - 1 keys and more. */
static bosc_status estimate_repeats(bosc_ctx *ctx, struct unique_call *u, bool *repeat)
{
    const int64_t count = u->n / KEYS_PER_SAMPLE < MOST_SAMPLES ? u->n / KEYS_PER_SAMPLE : MOST_SAMPLES;
    const double samples = (double)count;
    struct bi_ranks_sample_rows sample = {u->n, u->keys, (int64_t)u->key_bytes, NULL};
    int64_t *ids, distinct;
    *repeat = false;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, count, u->key_bytes, &sample.out));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *ids, &ids));
    BI_TRY(ctx->ops->ranks->steps->sample_rows(ctx, count, &sample));
    BI_TRY(bosc_hash_unique(ctx, sample.out, count, u->key_bits, ids, NULL, &distinct));
    /* If each key occurs c times, about samples^2 c / (2 n) pairs are equal: a row may be sampled twice. The limit is
     * halfway between different keys and keys that occur twice. */
    *repeat = (samples - (double)distinct) * 2 * (double)u->n >= 1.5 * samples * samples;
    return BOSC_OK;
}

static bosc_status find_distinct(bosc_ctx *ctx, struct unique_call *u)
{
    bool staged = false;
    void *distinct;
    BI_TRY(bi_stage_in(ctx, u->keys, (size_t)u->n * u->key_bytes, &u->keys, &staged));
    BI_TRY_WITH_SCRATCH(ctx, estimate_repeats(ctx, u, &u->is_reduced));
    u->distinct = u->keys;
    u->count = u->n;
    if (u->is_reduced) {
        BI_TRY(bi_scratch_of(ctx, u->n, sizeof *u->ids, &u->ids));
        BI_TRY(bi_scratch_of(ctx, u->n, u->key_bytes, &distinct));
        BI_TRY(bosc_hash_unique(ctx, u->keys, u->n, u->key_bits, u->ids, distinct, &u->count));
        u->distinct = distinct;
    }
    BI_TRY(bi_scratch_of(ctx, u->count, sizeof *u->is_first, &u->is_first));
    BI_TRY(bi_scratch_of(ctx, u->count, sizeof *u->global_ids, &u->global_ids));
    return bi_scratch_of(ctx, u->count, u->key_bytes, &u->first_keys);
}

/* Numbers the keys first on this rank from 0, and collects them. */
static bosc_status number_first_keys(bosc_ctx *ctx, struct unique_call *u)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const struct bi_ranks_widen_flags widen = {u->is_first, u->global_ids};
    int64_t *count;
    if (u->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(ctx->ops->ranks->steps->widen_flags(ctx, u->count, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, u->global_ids, u->count, u->global_ids));
    BI_TRY(core->compact(ctx, u->key_bytes, u->distinct, u->is_first, u->count, u->first_keys, count));
    return bi_read_back(ctx, &u->first_count, count, sizeof *count);
}

static bosc_status gather_rows(bosc_ctx *ctx, int64_t n, const int64_t *rows, const int64_t *in, int64_t *out)
{
    const struct bi_ranks_move_rows move = {rows, in, sizeof *out, out};
    return n ? ctx->ops->ranks->steps->gather_rows(ctx, n, &move) : BOSC_OK;
}

/* Exchanges with the owners. */
static bosc_status query_owners(bosc_ctx *ctx, bosc_comm *comm, struct unique_call *u,
                                const struct bi_ranks_route *route)
{
    struct bi_ranks_representatives representatives = {NULL, NULL, NULL, 0};
    void *received, *global_ids;
    int64_t offset;
    /* 1. Owners mark the first rank of each key. */
    BI_TRY(bi_ranks_route_items(ctx, comm, BOSC_OK, route, u->key_bytes, u->distinct, &received));
    bosc_status local_status =
        bi_ranks_find_representatives(ctx, received, route->x.received, u->key_bits, &representatives);
    BI_TRY(bi_ranks_route_answers(ctx, comm, local_status, route, 1, representatives.is_first, u->is_first));
    /* 2. Each rank numbers its first keys after those of the lower ranks. */
    BI_WITH_SCRATCH(ctx, local_status = number_first_keys(ctx, u));
    BI_TRY(bi_comm_offset(ctx, comm, local_status, u->first_count, &offset, &u->total));
    const struct bi_ranks_add_offset add = {u->global_ids, offset};
    if (u->count) local_status = ctx->ops->ranks->steps->add_offset(ctx, u->count, &add);
    /* 3. Owners answer every key with the number of its representative. */
    BI_TRY(bi_ranks_route_items(ctx, comm, local_status, route, sizeof *u->global_ids, u->global_ids, &global_ids));
    local_status = gather_rows(ctx, route->x.received, representatives.ids, representatives.representative_ids,
                               representatives.ids);
    BI_IF_OK(local_status, gather_rows(ctx, route->x.received, representatives.ids, global_ids, representatives.ids));
    return bi_ranks_route_answers(ctx, comm, local_status, route, sizeof *u->global_ids, representatives.ids,
                                  u->global_ids);
}

static bosc_status write_outputs(bosc_ctx *ctx, const struct unique_call *u, int64_t *ids, void *distinct)
{
    const int64_t *found = u->is_reduced ? u->ids : u->global_ids;
    if (u->n) BI_TRY(ctx->backend->copy(ctx, ids, found, (size_t)u->n * sizeof *ids));
    if (distinct && u->first_count)
        BI_TRY(ctx->backend->copy(ctx, distinct, u->first_keys, (size_t)u->first_count * u->key_bytes));
    return ctx->backend->sync(ctx);
}

/* A communicator of one rank. */
static bosc_status find_alone(bosc_ctx *ctx, struct unique_call *u, int64_t *ids, void *distinct)
{
    BI_TRY(bosc_hash_unique(ctx, u->keys, u->n, u->key_bits, ids, distinct, &u->first_count));
    u->total = u->first_count;
    return ctx->backend->sync(ctx);
}

/* ---- pooled threads ---- */

/* A rank shares its keys with the others, and rank 0 the answer. */
struct shared_keys {
    const void *keys;
    int64_t n;
    bool requests_distinct;
    const int64_t *ids;    /* of all rows */
    const void *distinct;  /* NULL: no rank requests them */
    const int64_t *firsts; /* (ranks + 1): the id of the first key that a rank is the first to have */
};

struct pooled_unique {
    bosc_comm *comm;
    struct unique_call *u;
    int64_t *ids;   /* of the caller */
    void *distinct; /* of the caller, or NULL */
    struct shared_keys own;
    void **all; /* (ranks), host: struct shared_keys of each */
};

static const struct shared_keys *shared_by(const struct pooled_unique *p, int32_t rank) { return p->all[rank]; }

/* Copies the keys of all ranks to `keys`. */
static bosc_status gather_keys(bosc_ctx *ctx, const struct pooled_unique *p, char *keys)
{
    for (int32_t r = 0; r < p->comm->rank_count; r++) {
        const size_t bytes = (size_t)shared_by(p, r)->n * p->u->key_bytes;
        if (bytes) BI_TRY(ctx->backend->copy(ctx, keys, shared_by(p, r)->keys, bytes));
        keys += bytes;
    }
    return BOSC_OK;
}

/* Ids ascend by first occurrence, so a slice's greatest one bounds those of all keys before the next slice. */
static bosc_status find_firsts(bosc_ctx *ctx, const struct pooled_unique *p, const int64_t *ids, int64_t *firsts)
{
    int64_t *reduced, greatest;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *reduced, &reduced));
    firsts[0] = 0;
    for (int32_t r = 0; r < p->comm->rank_count; r++) {
        const int64_t n = shared_by(p, r)->n;
        firsts[r + 1] = firsts[r];
        if (n == 0) continue;
        BI_TRY(ctx->backend->core->reduce(ctx, BOSC_MAX, BOSC_I64, ids, n, reduced));
        BI_TRY(bi_read_back(ctx, &greatest, reduced, sizeof greatest));
        if (greatest >= firsts[r]) firsts[r + 1] = greatest + 1;
        ids += n;
    }
    return BOSC_OK;
}

/* Numbers the keys of all ranks, on rank 0. */
static bosc_status number_all(bosc_ctx *ctx, void *user)
{
    struct pooled_unique *p = user;
    const int32_t ranks = p->comm->rank_count;
    int64_t n = 0, count, *ids, *firsts;
    bool requests_distinct = false;
    void *keys, *distinct = NULL;
    for (int32_t r = 0; r < ranks; r++) {
        n += shared_by(p, r)->n;
        requests_distinct = requests_distinct || shared_by(p, r)->requests_distinct;
    }
    BI_TRY(bi_scratch_of(ctx, n, p->u->key_bytes, &keys));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(ctx, (int64_t)ranks + 1, sizeof *firsts, &firsts));
    if (requests_distinct) BI_TRY(bi_scratch_of(ctx, n, p->u->key_bytes, &distinct));
    BI_TRY(gather_keys(ctx, p, keys));
    BI_TRY(bosc_hash_unique(ctx, keys, n, p->u->key_bits, ids, distinct, &count));
    BI_TRY(find_firsts(ctx, p, ids, firsts));
    p->own.ids = ids;
    p->own.distinct = distinct;
    p->own.firsts = firsts;
    return BOSC_OK;
}

static bosc_status copy_numbers(bosc_ctx *ctx, void *user)
{
    struct pooled_unique *p = user;
    struct unique_call *u = p->u;
    const struct shared_keys *all = shared_by(p, 0);
    const int32_t rank = p->comm->rank;
    int64_t begin = 0;
    for (int32_t r = 0; r < rank; r++) begin += shared_by(p, r)->n;
    u->first_count = all->firsts[rank + 1] - all->firsts[rank];
    u->total = all->firsts[p->comm->rank_count];
    if (u->n) BI_TRY(ctx->backend->copy(ctx, p->ids, all->ids + begin, (size_t)u->n * sizeof *p->ids));
    if (!p->distinct || u->first_count == 0) return BOSC_OK;
    return ctx->backend->copy(ctx, p->distinct, (const char *)all->distinct + (size_t)all->firsts[rank] * u->key_bytes,
                              (size_t)u->first_count * u->key_bytes);
}

/* *is_found: false, on all ranks, where they cannot pool their threads. */
static bosc_status find_pooled(bosc_ctx *ctx, bosc_comm *comm, struct unique_call *u, int64_t *ids, void *distinct,
                               bool *is_found)
{
    struct pooled_unique p = {.comm = comm,
                              .u = u,
                              .ids = ids,
                              .distinct = distinct,
                              .own = {.keys = u->keys, .n = u->n, .requests_distinct = distinct}};
    int64_t sums[2] = {u->n, !ctx->ops->ranks->pools_threads};
    BI_TRY(bi_comm_sum(ctx, comm, BOSC_OK, sums, 2));
    BI_TRY(bi_ranks_can_pool(ctx, comm, sums[1] == 0 && sums[0] < (int64_t)UINT32_MAX, is_found));
    if (!*is_found) return BOSC_OK;
    const size_t bytes = (size_t)comm->rank_count * sizeof *p.all;
    p.all = bi_host_alloc(ctx, bytes);
    const struct bi_ranks_pooled_call call = {&p.own, p.all, number_all, copy_numbers, &p};
    const bosc_status status = bi_ranks_pool(ctx, comm, p.all ? BOSC_OK : BOSC_ERR_NOMEM, &call);
    bi_memory_release(&ctx->host, p.all, bytes);
    return status;
}

/* ---- all ---- */

static bosc_status find_unique(bosc_ctx *ctx, bosc_comm *comm, struct unique_call *u, int64_t *ids, void *distinct)
{
    struct bi_ranks_route route;
    bool is_found;
    BI_TRY_WITH_SCRATCH(ctx, find_pooled(ctx, comm, u, ids, distinct, &is_found));
    if (is_found) return BOSC_OK;
    bosc_status local_status = find_distinct(ctx, u);
    bosc_status status = bi_ranks_route_begin(ctx, comm, local_status, u->distinct, u->key_bits, u->count, &route);
    local_status = BOSC_OK;
    BI_IF_OK(status, query_owners(ctx, comm, u, &route));
    bi_ranks_route_end(ctx, &route);
    BI_TRY(status);
    if (u->is_reduced) local_status = gather_rows(ctx, u->n, u->ids, u->global_ids, u->ids);
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    return bi_comm_agree(ctx, comm, write_outputs(ctx, u, ids, distinct));
}

static bosc_status check(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, const int64_t *ids,
                         const void *distinct, const int64_t *count)
{
    if (key_bits != 32 && key_bits != 64 && key_bits != 128)
        return bi_fail(ctx, BOSC_ERR_ARG, "key_bits: %d is none of 32, 64, 128", (int)key_bits);
    const size_t size = (size_t)key_bits / 8, alignment = key_bits == 32 ? 4 : 8;
    BI_TRY(bi_check_count(ctx, "n", n, size));
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld keys; a rank may have less than 2^32 - 1", (long long)n);
    BI_TRY(bi_check_array(ctx, "keys", keys, n, alignment));
    BI_TRY(bi_check_array(ctx, "ids", ids, n, sizeof *ids));
    BI_TRY(bi_check_disjoint(ctx, "ids", ids, (size_t)n * sizeof *ids, "keys", keys, (size_t)n * size, false));
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    if (!distinct) return BOSC_OK;
    BI_TRY(bi_check_array(ctx, "unique", distinct, n, alignment));
    BI_TRY(bi_check_disjoint(ctx, "unique", distinct, (size_t)n * size, "keys", keys, (size_t)n * size, false));
    return bi_check_disjoint(ctx, "unique", distinct, (size_t)n * size, "ids", ids, (size_t)n * sizeof *ids, false);
}

bosc_status bosc_ranks_unique(bosc_ctx *ctx, bosc_comm *comm, const void *keys, int64_t n, int32_t key_bits,
                              int64_t *ids, void *distinct, int64_t *count, int64_t *total)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"key_bits", key_bits}};
    BI_TRY(bi_ranks_check_same(ctx, comm, check(ctx, keys, n, key_bits, ids, distinct, count), shared, 1));
    bi_progress_set_total(ctx, 40 * (double)n);
    struct unique_call u = {.key_bits = key_bits, .key_bytes = (size_t)key_bits / 8, .keys = keys, .n = n};
    bosc_status status;
    if (comm->rank_count == 1)
        status = find_alone(ctx, &u, ids, distinct);
    else
        BI_WITH_SCRATCH(ctx, status = find_unique(ctx, comm, &u, ids, distinct));
    BI_TRY(status);
    *count = u.first_count;
    if (total) *total = u.total;
    return BOSC_OK;
}
