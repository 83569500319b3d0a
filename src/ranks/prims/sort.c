/* Sorts over ranks. Each rank sorts its slice; exact splitters are found; each rank merges its received runs, one
 * from each rank. Runs ascend by rank, so merging neighbours is stable. */
#include <boscage/ranks/prims.h>

#include "core/call.h"
#include "ranks/prims/splitters.h"
#include "prims/check.h"

struct pairs {
    void *keys, *values; /* values: NULL if value_size is 0 */
};

struct input {
    const void *keys, *values;
};

struct sort_call {
    bosc_dtype dtype;
    size_t key_size, value_size;
    int64_t n;
    struct pairs sorted, received; /* scratch */
};

static bosc_status allocate_pairs(bosc_ctx *ctx, const struct sort_call *s, struct pairs *pairs)
{
    BI_TRY(bi_scratch_of(ctx, s->n, s->key_size, &pairs->keys));
    return bi_scratch_of(ctx, s->n, s->value_size, &pairs->values);
}

static bosc_status sort_pairs(bosc_ctx *ctx, const struct sort_call *s, const void *keys, const void *values,
                              struct pairs out)
{
    const int bits = (int)s->key_size * 8;
    if (s->n == 0) return BOSC_OK;
    if (s->value_size == 0) return ctx->backend->core->sort_keys(ctx, s->dtype, keys, s->n, out.keys, 0, bits);
    return ctx->backend->core->sort_pairs(ctx, s->dtype, keys, s->value_size, values, s->n, out.keys, out.values, 0,
                                          bits);
}

/* ---- runs ---- */

static struct pairs pairs_at(const struct sort_call *s, struct pairs p, int64_t i)
{
    p.keys = (char *)p.keys + i * (int64_t)s->key_size;
    if (p.values) p.values = (char *)p.values + i * (int64_t)s->value_size;
    return p;
}

static bosc_status merge_two(bosc_ctx *ctx, const struct sort_call *s, const int64_t *ends, int64_t begin,
                             struct pairs from, struct pairs to)
{
    const struct pairs a = pairs_at(s, from, begin), b = pairs_at(s, from, ends[0]), out = pairs_at(s, to, begin);
    return ctx->backend->core->merge_pairs(ctx, s->dtype, s->value_size, a.keys, a.values, ends[0] - begin, b.keys,
                                           b.values, ends[1] - ends[0], out.keys, out.values);
}

/* Merges the runs that end at ends[0], ends[1], ... pairwise until one is left: *result. */
static bosc_status merge_runs(bosc_ctx *ctx, const struct sort_call *s, int64_t *ends, int32_t runs,
                              struct pairs *result)
{
    struct pairs from = s->received, to = s->sorted;
    while (runs > 1) {
        const struct pairs swapped = from;
        int64_t begin = 0;
        for (int32_t i = 0; i < runs; i += 2) {
            int64_t pair[2] = {ends[i], ends[i + 1 < runs ? i + 1 : i]};
            BI_TRY_WITH_SCRATCH(ctx, merge_two(ctx, s, pair, begin, from, to));
            ends[i / 2] = begin = pair[1];
        }
        runs = (runs + 1) / 2;
        from = to, to = swapped;
    }
    *result = from;
    return BOSC_OK;
}

/* Merges the received runs, or sorts them anew if that takes fewer passes: a merge takes log2(runs) passes, a radix
 * sort one for each byte of the keys. */
static bosc_status merge_or_sort_runs(bosc_ctx *ctx, const struct sort_call *s, const struct bi_exchange *x,
                                      int64_t *ends, struct pairs *result)
{
    const bool mergeable = s->value_size == 0 || s->value_size == 4 || s->value_size == 8;
    int32_t runs = 0;
    for (int32_t r = 0; r < x->rank_count; r++)
        if (x->received_offsets[r + 1] > x->received_offsets[r]) ends[runs++] = x->received_offsets[r + 1];
    if (runs <= 1 || (mergeable && runs <= 1 << s->key_size)) return merge_runs(ctx, s, ends, runs, result);
    *result = s->sorted;
    BI_RETURN_WITH_SCRATCH(ctx, sort_pairs(ctx, s, s->received.keys, s->received.values, s->sorted));
}

/* ---- the call ---- */

static bosc_status exchange_runs(bosc_ctx *ctx, bosc_comm *comm, const struct sort_call *s, const int64_t *counts,
                                 int64_t *ends, struct pairs *result)
{
    struct bi_exchange x;
    bosc_status status = bi_exchange_begin(ctx, comm, BOSC_OK, counts, &x);
    if (status == BOSC_OK)
        status = bi_exchange_items(ctx, comm, BOSC_OK, &x, s->key_size, s->sorted.keys, s->received.keys);
    if (status == BOSC_OK && s->value_size)
        status = bi_exchange_items(ctx, comm, BOSC_OK, &x, s->value_size, s->sorted.values, s->received.values);
    if (status == BOSC_OK) status = bi_comm_agree(ctx, comm, merge_or_sort_runs(ctx, s, &x, ends, result));
    bi_exchange_end(ctx, &x);
    return status;
}

static bosc_status sort_slice(bosc_ctx *ctx, const struct sort_call *s, struct input in)
{
    bool staged = false;
    const void *keys, *values;
    BI_TRY(bi_stage_in(ctx, in.keys, (size_t)s->n * s->key_size, &keys, &staged));
    BI_TRY(bi_stage_in(ctx, in.values, (size_t)s->n * s->value_size, &values, &staged));
    return sort_pairs(ctx, s, keys, values, s->sorted);
}

static bosc_status sort_slices(bosc_ctx *ctx, bosc_comm *comm, struct sort_call *s, struct input in,
                               const struct bi_ranks_slices *slices, struct pairs *result)
{
    const int32_t ranks = comm->rank_count;
    const size_t bytes = ((size_t)ranks + 1) * sizeof(int64_t);
    int64_t *splitters = bi_host_alloc(ctx, bytes);
    bosc_status local_status = splitters ? BOSC_OK : BOSC_ERR_NOMEM;
    if (local_status == BOSC_OK) local_status = allocate_pairs(ctx, s, &s->sorted);
    if (local_status == BOSC_OK) local_status = allocate_pairs(ctx, s, &s->received);
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(ctx, local_status = sort_slice(ctx, s, in));
    bosc_status status =
        bi_ranks_find_splitters(ctx, comm, local_status, slices, s->dtype, s->sorted.keys, s->n, splitters);
    if (status == BOSC_OK) {
        for (int32_t r = 0; r < ranks; r++) slices->counts[r] = splitters[r + 1] - splitters[r];
        status = exchange_runs(ctx, comm, s, slices->counts, splitters, result);
    }
    bi_memory_release(&ctx->host, splitters, bytes);
    return status;
}

static bosc_status sort_over_ranks(bosc_ctx *ctx, bosc_comm *comm, struct sort_call *s, struct input in,
                                   struct pairs out)
{
    struct bi_ranks_slices slices;
    struct pairs result = {NULL, NULL};
    bosc_status status = bi_ranks_slices_begin(ctx, comm, BOSC_OK, s->n, &slices), local_status = BOSC_OK;
    if (status == BOSC_OK && slices.total > 0) status = sort_slices(ctx, comm, s, in, &slices, &result);
    bi_ranks_slices_end(ctx, &slices);
    BI_TRY(status);
    if (s->n) local_status = ctx->backend->copy(ctx, out.keys, result.keys, (size_t)s->n * s->key_size);
    if (s->n && s->value_size && local_status == BOSC_OK)
        local_status = ctx->backend->copy(ctx, out.values, result.values, (size_t)s->n * s->value_size);
    if (local_status == BOSC_OK) local_status = ctx->backend->sync(ctx);
    return bi_comm_agree(ctx, comm, local_status);
}

static bosc_status check_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out)
{
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    const size_t size = bosc_dtype_size(dtype), bytes = (size_t)n * size;
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_array(ctx, "keys", keys, n, size));
    BI_TRY(bi_check_array(ctx, "out", out, n, size));
    return bi_check_disjoint(ctx, "out", out, bytes, "keys", keys, bytes, true);
}

bosc_status bosc_ranks_sort_keys(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *keys, int64_t n,
                                 void *out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"dtype", dtype}};
    BI_TRY(bi_ranks_check_same(ctx, comm, check_keys(ctx, dtype, keys, n, out), shared, 1));
    if (comm->rank_count == 1) return bosc_sort_keys(ctx, dtype, keys, n, out);
    bi_progress_set_total(ctx, 8 * (double)n);
    struct sort_call s = {.dtype = dtype, .key_size = bosc_dtype_size(dtype), .n = n};
    BI_RETURN_WITH_SCRATCH(ctx, sort_over_ranks(ctx, comm, &s, (struct input){keys, NULL}, (struct pairs){out, NULL}));
}

static bosc_status check_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                               int64_t n, void *keys_out, void *values_out)
{
    const size_t alignment = value_size == 4 || value_size == 8 ? value_size : 1;
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    BI_TRY(bi_check_record_size(ctx, "value_size", value_size));
    BI_TRY(bi_check_count(ctx, "n", n, value_size > 8 ? value_size : 8));
    const size_t size = bosc_dtype_size(dtype), key_bytes = (size_t)n * size, value_bytes = (size_t)n * value_size;
    BI_TRY(bi_check_array(ctx, "keys", keys, n, size));
    BI_TRY(bi_check_array(ctx, "values", values, n, alignment));
    BI_TRY(bi_check_array(ctx, "keys_out", keys_out, n, size));
    BI_TRY(bi_check_array(ctx, "values_out", values_out, n, alignment));
    BI_TRY(bi_check_disjoint(ctx, "keys_out", keys_out, key_bytes, "keys", keys, key_bytes, true));
    BI_TRY(bi_check_disjoint(ctx, "keys_out", keys_out, key_bytes, "values", values, value_bytes, false));
    BI_TRY(bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "values", values, value_bytes, true));
    BI_TRY(bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "keys", keys, key_bytes, false));
    return bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "keys_out", keys_out, key_bytes, false);
}

bosc_status bosc_ranks_sort_pairs(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *keys, size_t value_size,
                                  const void *values, int64_t n, void *keys_out, void *values_out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"dtype", dtype}, {"value_size", (int64_t)value_size}};
    BI_TRY(bi_ranks_check_same(ctx, comm, check_pairs(ctx, dtype, keys, value_size, values, n, keys_out, values_out),
                               shared, 2));
    if (comm->rank_count == 1) return bosc_sort_pairs(ctx, dtype, keys, value_size, values, n, keys_out, values_out);
    bi_progress_set_total(ctx, 12 * (double)n);
    struct sort_call s = {.dtype = dtype, .key_size = bosc_dtype_size(dtype), .value_size = value_size, .n = n};
    BI_RETURN_WITH_SCRATCH(
        ctx, sort_over_ranks(ctx, comm, &s, (struct input){keys, values}, (struct pairs){keys_out, values_out}));
}
