/* Handles of hash tables over ranks: creation, release, checks, information. */
#include <string.h>

#include "base/bits.h"
#include "ranks/hash/hash.h"
#include "prims/check.h"

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
                                               {"opts: functions", o->functions}};
    return bi_ranks_check_same(ctx, comm, local_status, shared, 10);
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
    bosc_ranks_hash *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_ranks_hash){.comm = comm, .host = ctx->host, .memory = ctx->memory, .opts = *opts};
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
    if (local_status == BOSC_OK) local_status = allocate_table(ctx, comm, &full, &fresh);
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
    const struct bi_memory host = table->host;
    bosc_hash_free(table->own);
    bi_memory_release(&host, table, sizeof *table);
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
    if (local_status == BOSC_OK && !info) local_status = bi_fail(ctx, BOSC_ERR_ARG, "info: NULL");
    if (local_status == BOSC_OK)
        local_status = bi_check_info(ctx, "info", "bosc_ranks_hash_info", info->size, sizeof *info);
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
