/* Handles of hash tables over ranks: creation, release, checks, information, memory reserved beforehand. */
#include "base/bits.h"
#include "base/elementary.h"
#include "core/call.h"
#include "prims/check.h"
#include "ranks/hash/hash.h"

static int64_t double_bits(double x) { return (int64_t)bi_f64_bits(x); }

static bosc_status check_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const bosc_hash_opts *o)
{
    const struct bi_ranks_argument shared[] = {{"opts: layout", o->layout},
                                               {"opts: kind", o->kind},
                                               {"opts: key_bits", o->key_bits},
                                               {"opts: value_size", o->value_size},
                                               {"opts: duplicates", o->duplicates},
                                               {"opts: value_dtype", o->value_dtype},
                                               {"opts: load_factor, by its bits,", double_bits(o->load_factor)},
                                               {"opts: seed", (int64_t)o->seed},
                                               {"opts: counted", o->counted},
                                               {"opts: functions", o->functions},
                                               {"opts: go_left", o->go_left}};
    return bi_ranks_check_same(ctx, comm, local_status, shared, 11);
}

bosc_status bi_ranks_hash_complete_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full)
{
    const bosc_status status = bi_read_opts(ctx, "bosc_hash_opts", opts, full, sizeof *full);
    full->size = sizeof *full;
    if (full->key_bits == 0) full->key_bits = 32;
    full->counted = full->counted != 0;
    full->no_wait = 0; /* ranks agree on the outcome of a build, whose pairs are scratch */
    return status;
}

static bosc_status allocate_table(bosc_ctx *ctx, bosc_comm *comm, const bosc_hash_opts *opts, bosc_ranks_hash **table)
{
    bosc_ranks_hash *fresh;
    BI_TRY(BI_NEW_HANDLE(ctx, &fresh, .comm = comm, .opts = *opts));
    const bosc_status status = bosc_hash_create(ctx, opts, &fresh->own);
    if (status == BOSC_OK)
        *table = fresh;
    else
        bi_memory_release(&ctx->host, fresh, sizeof *fresh);
    return status;
}

bosc_status bosc_ranks_hash_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_hash_opts *opts, bosc_ranks_hash **table)
{
    bosc_hash_opts full = {0};
    bosc_ranks_hash *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = bi_ranks_hash_complete_opts(ctx, opts, &full);
    BI_IF_OK(local_status, allocate_table(ctx, comm, &full, &fresh));
    if (local_status == BOSC_OK && !table) local_status = bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
    const bosc_status status = check_same(ctx, comm, local_status, &full);
    if (status == BOSC_OK)
        *table = fresh;
    else
        bosc_ranks_hash_free(fresh);
    return status;
}

void bi_ranks_hash_clear(bosc_ranks_hash *table)
{
    bosc_hash_free(table->own);
    table->own = NULL;
}

void bosc_ranks_hash_free(bosc_ranks_hash *table)
{
    if (!table) return;
    bosc_hash_free(table->own);
    bi_memory_release(&table->host, table, sizeof *table);
}

bosc_status bi_ranks_hash_check(bosc_ctx *ctx, const bosc_ranks_hash *table)
{
    return table ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
}

bosc_status bi_ranks_hash_check_keys(bosc_ctx *ctx, const bosc_ranks_hash *table, const char *name, const void *keys,
                                     const char *count_name, int64_t n, int64_t most)
{
    BI_TRY(bi_check_handle(ctx, "table", &table->memory));
    BI_TRY(bi_check_count(ctx, count_name, n, (size_t)table->opts.key_bits / 8));
    if (n > most)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld; a table holds less than 2^32 - 1", count_name, (long long)n);
    return bi_check_array(ctx, name, keys, n, table->opts.key_bits == 32 ? 4 : 8);
}

bosc_status bi_ranks_hash_check_values(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *values, int64_t n,
                                       bool may_lack)
{
    const size_t size = (size_t)table->opts.value_size;
    if (size == 0 || (may_lack && !values)) return BOSC_OK;
    BI_TRY(bi_check_count(ctx, "values", n, size));
    return bi_check_array(ctx, "values", values, n, size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1);
}

bosc_status bosc_ranks_hash_get_info(bosc_ctx *ctx, const bosc_ranks_hash *table, bosc_ranks_hash_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bosc_hash_info own = {.size = sizeof own};
    bosc_status local_status = bi_check_handle(ctx, "table", &table->memory);
    BI_IF_OK(local_status, BI_CHECK_INFO(ctx, info, bosc_ranks_hash_info));
    if (local_status == BOSC_OK && table->own) local_status = bosc_hash_get_info(ctx, table->own, &own);
    int64_t sums[4] = {own.pairs, own.keys, own.slots, own.bytes};
    BI_TRY(bi_comm_sum(ctx, table->comm, local_status, sums, 4));
    const bosc_ranks_hash_info full = {.pairs = sums[0],
                                       .keys = sums[1],
                                       .slots = sums[2],
                                       .bytes = sums[3],
                                       .load_factor = sums[2] ? (double)sums[1] / (double)sums[2] : 0,
                                       .own_pairs = own.pairs,
                                       .own_keys = own.keys,
                                       .own_bytes = own.bytes};
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

/* ---- memory ---- */

/* Keys are distributed by a hash, so a rank's share is bounded with high probability only. */

/* Bounds the pairs that a rank owns: 8 standard deviations above the mean, exceeded less than once in 10^14 builds. */
static int64_t max_owned(int64_t total, int32_t ranks)
{
    const double mean = (double)total / ranks;
    const int64_t most = (int64_t)(mean + 8 * bi_sqrt(mean)) + 64;
    return most < total ? most : total;
}

static bosc_status check_sizes(bosc_ctx *ctx, int32_t ranks, int64_t n, int64_t total)
{
    const int64_t limit = (int64_t)UINT32_MAX - 1;
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > limit) return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld; a table holds less than 2^32 - 1", (long long)n);
    if (total < n)
        return bi_fail(ctx, BOSC_ERR_ARG, "total: %lld is less than n, %lld", (long long)total, (long long)n);
    if (total / ranks > limit || max_owned(total, ranks) > limit)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "total: %lld pairs; a rank's table holds less than 2^32 - 1",
                       (long long)total);
    return BOSC_OK;
}

/* Computes the memory of a build: pairs in exchange, then the table's own build. `owned`: bound of max_owned. */
static bosc_status size_build(bosc_ctx *ctx, const bosc_hash_opts *o, int64_t n, int64_t owned, int64_t *kept,
                              int64_t *scratch)
{
    enum { REQUESTS = 1 << 16 /* upper bound of rounding and of small arrays, over all requests */ };
    const int64_t pair = o->key_bits / 8 + o->value_size;
    int64_t table;
    BI_TRY(bosc_hash_bytes(ctx, o, owned, kept, &table));
    /* The input pairs, and the positions of their tiles (exchange/route.c): at most half a byte a pair and 8 bytes a
     * rank, which REQUESTS includes, and as much in the scan. The received pairs, and the larger of two phases: copies
     * of the sent pairs, where ranks share no memory; and the table's build. */
    *scratch = n * (pair + 1) + owned * pair + bi_max_i64(n * pair, table) + REQUESTS;
    return BOSC_OK;
}

bosc_status bosc_ranks_hash_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_hash_opts *opts, int64_t n,
                                  int64_t total, int64_t *kept, int64_t *scratch)
{
    bosc_hash_opts full = {0};
    int64_t table, while_building;
    bosc_ctx *mutable_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(mutable_ctx);
    BI_TRY(bi_comm_check(mutable_ctx, comm));
    BI_TRY(bi_ranks_hash_complete_opts(mutable_ctx, opts, &full));
    BI_TRY(bosc_hash_bytes(mutable_ctx, &full, 0, NULL, NULL)); /* checks the options */
    BI_TRY(check_sizes(mutable_ctx, comm->rank_count, n, total));
    BI_TRY(size_build(mutable_ctx, &full, n, max_owned(total, comm->rank_count), &table, &while_building));
    if (kept) *kept = table;
    if (scratch) *scratch = while_building;
    return BOSC_OK;
}

/* Reserves the memory; the table's content stays. */
static bosc_status reserve_memory(bosc_ctx *ctx, const bosc_ranks_hash *table, bosc_hash *own, int64_t n, int64_t total)
{
    const int64_t owned = max_owned(total, table->comm->rank_count);
    int64_t scratch;
    void *memory;
    BI_TRY(size_build(ctx, &table->opts, n, owned, NULL, &scratch));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &memory));
    return bosc_hash_reserve(ctx, own, owned, 0);
}

bosc_status bosc_ranks_hash_reserve(bosc_ctx *ctx, bosc_ranks_hash *table, int64_t n, int64_t total)
{
    bosc_hash *own;
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bosc_status local_status = bi_check_handle(ctx, "table", &table->memory);
    BI_IF_OK(local_status, check_sizes(ctx, table->comm->rank_count, n, total));
    BI_TRY(bi_ranks_check_same(ctx, table->comm, local_status, &(struct bi_ranks_argument){"total", total}, 1));
    own = table->own;
    local_status = own ? BOSC_OK : bosc_hash_create(ctx, &table->opts, &own);
    BI_IF_OK(local_status, reserve_memory(ctx, table, own, n, total));
    const bosc_status status = bi_comm_agree(ctx, table->comm, local_status);
    if (status == BOSC_OK)
        table->own = own;
    else if (!table->own)
        bosc_hash_free(own);
    return status;
}
