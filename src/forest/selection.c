/* Selections of a found forest: its lightest edges, its edges by id, its sum. */
#include "base/bits.h"
#include "forest/drivers.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static bosc_dtype word_type(bool is_64bit) { return is_64bit ? BOSC_U64 : BOSC_U32; }
static size_t word_bytes(bool is_64bit) { return is_64bit ? 8 : 4; }

bosc_status bi_msf_sort_found(bosc_ctx *ctx, const struct bi_msf_rows *rows, struct bi_msf_found *found)
{
    if (found->ascending || found->count == 0) return BOSC_OK;
    void *ids, *keys = NULL;
    BI_TRY(bi_scratch_of(ctx, found->count, word_bytes(rows->is_64bit), &ids));
    if (found->keys) BI_TRY(bi_scratch_of(ctx, found->count, word_bytes(rows->keys_64bit), &keys));
    int bits = rows->is_64bit ? 64 : 32;
    if (keys)
        BI_TRY(ctx->backend->core->sort_pairs(ctx, word_type(rows->is_64bit), found->ids, word_bytes(rows->keys_64bit),
                                              found->keys, found->count, ids, keys, 0, bits));
    else
        BI_TRY(ctx->backend->core->sort_keys(ctx, word_type(rows->is_64bit), found->ids, found->count, ids, 0, bits));
    found->ids = ids;
    found->keys = keys;
    found->ascending = true;
    return BOSC_OK;
}

/* Sorting by id and then stably by rank gives the order (rank, id). */
bosc_status bi_msf_select_lightest(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t count,
                                   struct bi_msf_found *found)
{
    void *ids, *keys, *ranks;
    int64_t all = found->count;
    BI_TRY(bi_msf_sort_found(ctx, rows, found));
    BI_TRY(bi_scratch_of(ctx, all, word_bytes(rows->is_64bit), &ids));
    BI_TRY(bi_scratch_of(ctx, all, word_bytes(rows->keys_64bit), &keys));
    BI_TRY(bi_scratch_of(ctx, all, word_bytes(rows->keys_64bit), &ranks));
    struct bi_msf_ranks rank = {rows->order, found->keys, ranks, rows->keys_64bit};
    struct bi_msf_ranks unrank = {rows->order, keys, ranks, rows->keys_64bit};
    BI_TRY(ctx->ops->forest->steps->msf_ranks(ctx, all, &rank));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, word_type(rows->keys_64bit), ranks, word_bytes(rows->is_64bit),
                                          found->ids, all, keys, ids, 0, rows->keys_64bit ? 64 : 32));
    BI_TRY(ctx->ops->forest->steps->msf_ranks(ctx, count, &unrank));
    *found = (struct bi_msf_found){.count = count, .ids = ids, .keys = ranks};
    return BOSC_OK;
}

/* The sums of the keys' low and high 32 bits; neither overflows 64 bits. */
static bosc_status sum_halves(bosc_ctx *ctx, const struct bi_msf_rows *rows, const struct bi_msf_found *found,
                              uint64_t sums[2])
{
    struct bi_msf_split_keys halves = {.keys = found->keys, .is_64bit = rows->keys_64bit};
    void *results;
    BI_TRY(bi_scratch_of(ctx, found->count, sizeof(uint64_t), (void **)&halves.low));
    if (rows->keys_64bit) BI_TRY(bi_scratch_of(ctx, found->count, sizeof(uint64_t), (void **)&halves.high));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof(uint64_t), &results));
    BI_TRY(ctx->ops->forest->steps->msf_split_keys(ctx, found->count, &halves));
    BI_TRY(ctx->backend->fill(ctx, results, 0, 2 * sizeof(uint64_t)));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, halves.low, found->count, results));
    if (halves.high)
        BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, halves.high, found->count, (uint64_t *)results + 1));
    return bi_read_back(ctx, sums, results, 2 * sizeof(uint64_t));
}

/* The exact sum as a 128-bit integer. */
static bosc_status sum_integers(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                                const struct bi_msf_found *found, bosc_msf_info *info)
{
    uint64_t sums[2] = {found->low, found->high};
    if (!found->summed) BI_TRY(sum_halves(ctx, rows, found, sums));
    uint128 sum = ((uint128)sums[1] << 32) + sums[0];
    /* Keys of signed types are weights plus 2^31 or 2^63. */
    if (graph->weight == BOSC_I32) sum -= (uint128)found->count << 31;
    if (graph->weight == BOSC_I64) sum -= (uint128)found->count << 63;
    info->weight_low = (uint64_t)sum;
    info->weight_high = (int64_t)(uint64_t)(sum >> 64);
    info->weight = (double)(int128)sum;
    return BOSC_OK;
}

static bosc_status sum_floats(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_found *found,
                              bosc_msf_info *info)
{
    struct bi_msf_doubles weights = {found->keys, graph->weight, NULL};
    void *result;
    BI_TRY(bi_scratch_of(ctx, found->count, sizeof(double), (void **)&weights.out));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof(double), &result));
    BI_TRY(ctx->ops->forest->steps->msf_doubles(ctx, found->count, &weights));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_F64, weights.out, found->count, result));
    return bi_read_back(ctx, &info->weight, result, sizeof info->weight);
}

bosc_status bi_msf_sum(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                       const struct bi_msf_found *found, bosc_msf_info *info)
{
    bosc_dtype t = graph->weight;
    if (found->count == 0) return BOSC_OK;
    if (t == BOSC_F32 || t == BOSC_F64) return sum_floats(ctx, graph, found, info);
    return sum_integers(ctx, graph, rows, found, info);
}
