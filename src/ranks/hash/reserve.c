/* Memory of hash tables over ranks, reserved beforehand. Keys are distributed by a hash, so a rank's share is bounded
 * with high probability only. */
#include "base/bits.h"
#include "base/elementary.h"

#include "core/call.h"
#include "ranks/hash/hash.h"

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

/* Computes the memory of a build: pairs in exchange, then the table's own build. */
static bosc_status size_build(bosc_ctx *ctx, const bosc_hash_opts *o, int64_t n, int64_t owned, int64_t *kept,
                              int64_t *scratch)
{
    enum { REQUESTS = 1 << 16 /* upper bound of rounding, over all requests */ };
    const int64_t key = o->key_bits / 8, pair = key + o->value_size;
    int64_t table;
    BI_TRY(bosc_hash_bytes(ctx, o, owned, kept, &table));
    *scratch = n * (pair + 8) +
               bi_max_i64(n * (4 + 8 + 24), owned * pair + bi_max_i64(n * bi_max_i64(key, o->value_size), table)) +
               REQUESTS;
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
    if (local_status == BOSC_OK) local_status = check_sizes(ctx, table->comm->rank_count, n, total);
    BI_TRY(bi_ranks_check_same(ctx, table->comm, local_status, &(struct bi_ranks_argument){"total", total}, 1));
    own = table->own;
    local_status = own ? BOSC_OK : bosc_hash_create(ctx, &table->opts, &own);
    if (local_status == BOSC_OK) local_status = reserve_memory(ctx, table, own, n, total);
    const bosc_status status = bi_comm_agree(ctx, table->comm, local_status);
    if (status == BOSC_OK)
        table->own = own;
    else if (!table->own)
        bosc_hash_free(own);
    return status;
}
