/* Handles of distributed hash tables: made, freed, checked, described. */
#include <string.h>

#include "base/bits.h"
#include "dist/hash.h"
#include "prims/check.h"

static int64_t bits_of(double x) { return (int64_t)bi_f64_bits(x); }

static bosc_status check_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status mine, const bosc_hash_opts *o)
{
    const struct bi_dist_argument shared[] = {{"opts: layout", o->layout},
                                              {"opts: kind", o->kind},
                                              {"opts: key_bits", o->key_bits},
                                              {"opts: value_size", o->value_size},
                                              {"opts: duplicates", o->duplicates},
                                              {"opts: value_dtype", o->value_dtype},
                                              {"opts: load, by its bits,", bits_of(o->load)},
                                              {"opts: seed", (int64_t)o->seed},
                                              {"opts: counted", o->counted},
                                              {"opts: functions", o->functions}};
    return bi_dist_same(ctx, comm, mine, shared, 10);
}

bosc_status bi_dist_hash_take_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full)
{
    const bosc_status status = bi_take_opts(ctx, "bosc_hash_opts", opts, full, sizeof *full);
    full->size = sizeof *full;
    if (full->key_bits == 0) full->key_bits = 32;
    full->counted = full->counted != 0;
    full->no_wait = 0; /* ranks agree on how a build went, and its pairs are scratch */
    return status;
}

static bosc_status make(bosc_ctx *ctx, bosc_comm *comm, const bosc_hash_opts *opts, bosc_dist_hash **table)
{
    bosc_dist_hash *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_dist_hash){.comm = comm, .host = ctx->host, .memory = ctx->memory, .opts = *opts};
    const bosc_status status = bosc_hash_create(ctx, opts, &fresh->own);
    if (status == BOSC_OK)
        *table = fresh;
    else
        bi_memory_release(&ctx->host, fresh, sizeof *fresh);
    return status;
}

bosc_status bosc_dist_hash_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_hash_opts *opts, bosc_dist_hash **table)
{
    bosc_hash_opts full = {0};
    bosc_dist_hash *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status mine = bi_dist_hash_take_opts(ctx, opts, &full);
    if (mine == BOSC_OK) mine = make(ctx, comm, &full, &fresh);
    if (mine == BOSC_OK && !table) mine = bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
    const bosc_status status = check_same(ctx, comm, mine, &full);
    if (status == BOSC_OK)
        *table = fresh;
    else
        bosc_dist_hash_free(fresh);
    return status;
}

void bi_dist_hash_clear(bosc_dist_hash *table)
{
    bosc_hash_free(table->own);
    table->own = NULL;
}

void bosc_dist_hash_free(bosc_dist_hash *table)
{
    if (!table) return;
    const struct bi_memory host = table->host;
    bosc_hash_free(table->own);
    bi_memory_release(&host, table, sizeof *table);
}

bosc_status bi_dist_hash_check(bosc_ctx *ctx, const bosc_dist_hash *table)
{
    return table ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
}

bosc_status bi_dist_hash_check_keys(bosc_ctx *ctx, const bosc_dist_hash *table, const char *name, const void *keys,
                                    const char *count_name, int64_t n, int64_t most)
{
    BI_TRY(bi_check_handle(ctx, "table", &table->memory));
    BI_TRY(bi_check_count(ctx, count_name, n, (size_t)table->opts.key_bits / 8));
    if (n > most)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld; a table holds less than 2^32 - 1", count_name, (long long)n);
    return bi_check_array(ctx, name, keys, n, table->opts.key_bits == 32 ? 4 : 8);
}

bosc_status bi_dist_hash_check_values(bosc_ctx *ctx, const bosc_dist_hash *table, const void *values, int64_t n,
                                      bool may_lack)
{
    const size_t size = (size_t)table->opts.value_size;
    if (size == 0 || (may_lack && !values)) return BOSC_OK;
    BI_TRY(bi_check_count(ctx, "values", n, size));
    return bi_check_array(ctx, "values", values, n, size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1);
}

bosc_status bosc_dist_hash_get_info(bosc_ctx *ctx, const bosc_dist_hash *table, bosc_dist_hash_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_dist_hash_check(ctx, table));
    bosc_hash_info own = {.size = sizeof own};
    bosc_status mine = bi_check_handle(ctx, "table", &table->memory);
    if (mine == BOSC_OK && !info) mine = bi_fail(ctx, BOSC_ERR_ARG, "info: NULL");
    if (mine == BOSC_OK) mine = bi_check_info(ctx, "info", "bosc_dist_hash_info", info->size, sizeof *info);
    if (mine == BOSC_OK && table->own) mine = bosc_hash_get_info(ctx, table->own, &own);
    int64_t sums[4] = {own.pairs, own.keys, own.slots, own.bytes};
    BI_TRY(bi_comm_sum(ctx, table->comm, mine, sums, 4));
    const bosc_dist_hash_info full = {.pairs = sums[0],
                                      .keys = sums[1],
                                      .slots = sums[2],
                                      .bytes = sums[3],
                                      .load = sums[2] ? (double)sums[1] / (double)sums[2] : 0,
                                      .own_pairs = own.pairs,
                                      .own_keys = own.keys,
                                      .own_bytes = own.bytes};
    bi_give_info(info, &full, sizeof full);
    return BOSC_OK;
}
