/* Compaction, histograms and splits. */
#include "core/call.h"
#include "prims/check.h"

/* Limits of the interface (boscage/prims.h). */
static const int64_t MAX_BINS = (int64_t)1 << 28, MAX_BUCKETS = UINT32_MAX;

static bosc_status compact_staged(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n,
                                  void *out, int64_t *count)
{
    struct bi_out to, to_count;
    const void *items = NULL, *flags;
    bool staged = false;
    if (out) BI_TRY(bi_stage_in(ctx, in, (size_t)n * item_size, &items, &staged));
    BI_TRY(bi_stage_in(ctx, keep, (size_t)n, &flags, &staged));
    BI_TRY(bi_stage_out(ctx, out, (size_t)n * item_size, &to, &staged));
    BI_TRY(bi_stage_out(ctx, count, sizeof *count, &to_count, &staged));
    BI_TRY(ctx->backend->core->compact(ctx, item_size, items, flags, n, to.reachable, to_count.reachable));
    BI_TRY(bi_stage_back(ctx, &to_count));
    if (to.reachable != to.user) { /* copy back only the items that were kept */
        int64_t kept;
        BI_TRY(bi_read_back(ctx, &kept, to_count.reachable, sizeof kept));
        to.bytes = (size_t)kept * item_size;
        if (kept) BI_TRY(bi_stage_back(ctx, &to));
    }
    return bi_finish_staged(ctx, staged);
}

bosc_status bosc_compact(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out,
                         int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_item_size(ctx, item_size));
    BI_TRY(bi_check_count(ctx, "n", n, item_size));
    if (out) BI_TRY(bi_check_array(ctx, "in", in, n, 1));
    BI_TRY(bi_check_array(ctx, "keep", keep, n, 1));
    BI_TRY(bi_check_array(ctx, "count", count, 1, sizeof *count));
    size_t bytes = (size_t)n * item_size;
    if (out) BI_TRY(bi_check_disjoint(ctx, "out", out, bytes, "in", in, bytes, false));
    if (out) BI_TRY(bi_check_disjoint(ctx, "out", out, bytes, "keep", keep, (size_t)n, false));
    BI_RETURN_WITH_SCRATCH(ctx, compact_staged(ctx, item_size, in, keep, n, out, count));
}

/* Allocates a flag in the backend's memory, which a collective raises for invalid data. */
static bosc_status allocate_flag(bosc_ctx *ctx, uint32_t **flag)
{
    void *p;
    BI_TRY(bi_scratch(ctx, sizeof **flag, &p));
    *flag = p;
    return ctx->backend->fill(ctx, p, 0, sizeof **flag);
}

static bosc_status check_flag(bosc_ctx *ctx, const uint32_t *flag, const char *what, int64_t bound)
{
    uint32_t raised;
    BI_TRY(bi_read_back(ctx, &raised, flag, sizeof raised));
    if (!raised) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: one is not less than %lld", what, (long long)bound);
}

static bosc_status histogram_staged(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts)
{
    struct bi_out to;
    const void *in;
    uint32_t *bad;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, bins, (size_t)n * sizeof *bins, &in, &staged));
    BI_TRY(bi_stage_out(ctx, counts, (size_t)n_bins * sizeof *counts, &to, &staged));
    BI_TRY(allocate_flag(ctx, &bad));
    BI_TRY(ctx->backend->core->histogram(ctx, in, n, n_bins, to.reachable, bad));
    BI_TRY(check_flag(ctx, bad, "bins", n_bins));
    BI_TRY(bi_stage_back(ctx, &to));
    return bi_finish_staged(ctx, staged);
}

bosc_status bosc_histogram(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_count(ctx, "n", n, sizeof *bins));
    BI_TRY(bi_check_array(ctx, "bins", bins, n, sizeof *bins));
    if (n_bins < 1 || n_bins > MAX_BINS)
        return bi_fail(ctx, BOSC_ERR_ARG, "n_bins: %lld is not in 1 to %lld", (long long)n_bins, (long long)MAX_BINS);
    BI_TRY(bi_check_array(ctx, "counts", counts, n_bins, sizeof *counts));
    BI_TRY(bi_check_disjoint(ctx, "counts", counts, (size_t)n_bins * sizeof *counts, "bins", bins,
                             (size_t)n * sizeof *bins, false));
    BI_RETURN_WITH_SCRATCH(ctx, histogram_staged(ctx, bins, n, n_bins, counts));
}

static bosc_status split_staged(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                int64_t n_buckets, void *out, int64_t *offsets)
{
    struct bi_out to, to_offsets;
    const void *buckets;
    uint32_t *bad;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, in, (size_t)n * item_size, &in, &staged));
    BI_TRY(bi_stage_in(ctx, bucket, (size_t)n * sizeof *bucket, &buckets, &staged));
    BI_TRY(bi_stage_out(ctx, out, (size_t)n * item_size, &to, &staged));
    BI_TRY(bi_stage_out(ctx, offsets, (size_t)(n_buckets + 1) * sizeof *offsets, &to_offsets, &staged));
    BI_TRY(allocate_flag(ctx, &bad));
    BI_TRY(
        ctx->backend->core->split(ctx, item_size, in, buckets, n, n_buckets, to.reachable, to_offsets.reachable, bad));
    BI_TRY(check_flag(ctx, bad, "bucket", n_buckets));
    BI_TRY(bi_stage_back(ctx, &to));
    BI_TRY(bi_stage_back(ctx, &to_offsets));
    return bi_finish_staged(ctx, staged);
}

bosc_status bosc_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                       int64_t n_buckets, void *out, int64_t *offsets)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_record_size(ctx, "item_size", item_size));
    BI_TRY(bi_check_count(ctx, "n", n, item_size > sizeof *bucket ? item_size : sizeof *bucket));
    BI_TRY(bi_check_array(ctx, "in", in, n, 1));
    BI_TRY(bi_check_array(ctx, "bucket", bucket, n, sizeof *bucket));
    if (n_buckets < 1 || n_buckets > MAX_BUCKETS)
        return bi_fail(ctx, BOSC_ERR_ARG, "n_buckets: %lld is not in 1 to %lld", (long long)n_buckets,
                       (long long)MAX_BUCKETS);
    BI_TRY(bi_check_array(ctx, "out", out, n, 1));
    BI_TRY(bi_check_array(ctx, "offsets", offsets, n_buckets + 1, sizeof *offsets));
    size_t bytes = (size_t)n * item_size;
    BI_TRY(bi_check_disjoint(ctx, "out", out, bytes, "in", in, bytes, false));
    BI_TRY(bi_check_disjoint(ctx, "out", out, bytes, "bucket", bucket, (size_t)n * sizeof *bucket, false));
    BI_RETURN_WITH_SCRATCH(ctx, split_staged(ctx, item_size, in, bucket, n, n_buckets, out, offsets));
}
