/* Farthest point sampling. */
#include "clouds/handle.h"

/* Checks the contents of the caller's arrays. */
static bosc_status check_samples(bosc_ctx *ctx, const struct bi_clouds_sample *sample, int64_t sample_count)
{
    const struct bi_clouds_view *v = &sample->view;
    struct bi_clouds_contents contents = {"offsets", NULL, sample->offsets, v->cloud_count, sample_count, NULL, 0, 0};
    struct bi_clouds_check_samples check = {*v, sample->offsets, sample->starts, NULL};
    int64_t bad = INT64_MAX, points[2], samples[2]; /* offsets of the bad cloud */
    BI_TRY(bi_clouds_check_contents(ctx, &contents));
    if (v->cloud_count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof bad, &check.bad));
    BI_TRY(ctx->backend->copy(ctx, check.bad, &bad, sizeof bad));
    BI_TRY(ctx->ops->clouds->steps->check_samples(ctx, v->cloud_count, &check));
    BI_TRY(bi_read_back(ctx, &bad, check.bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    BI_TRY(bi_read_back(ctx, points, v->offsets + bad, sizeof points));
    BI_TRY(bi_read_back(ctx, samples, sample->offsets + bad, sizeof samples));
    if (samples[1] - samples[0] > points[1] - points[0])
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: cloud %lld has fewer points than samples", (long long)bad);
    return bi_fail(ctx, BOSC_ERR_ARG, "starts: cloud %lld starts at none of its points", (long long)bad);
}

/* Samples `count` points of valid arrays in reach. */
static bosc_status sample_points(bosc_ctx *ctx, struct bi_clouds_sample *sample, int64_t count)
{
    const struct bi_clouds_view *v = &sample->view;
    const struct bi_clouds_ops *ops = ctx->ops->clouds;
    BI_TRY(bi_scratch_of(ctx, v->n, sizeof *sample->dist2, &sample->dist2));
    BI_TRY(bi_scratch_of(ctx, v->slots, sizeof *sample->farthest, &sample->farthest));
    if (v->cloud_count == 0 || count == 0) return BOSC_OK;
    const double cost = 1 + (double)v->n / (double)v->cloud_count;
    BI_TRY_WITH_COST(ctx, cost, (ops->sample ? ops->sample : ops->steps->sample)(ctx, v->cloud_count, sample));
    return BOSC_OK;
}

static bosc_status sample_staged(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_sample *sample,
                                 int64_t sample_count)
{
    const struct bi_clouds_view *v = &sample->view;
    const size_t starts_bytes = sample->starts ? (size_t)v->cloud_count * sizeof *sample->starts : 0;
    bool staged = false;
    const void *offsets, *starts;
    struct bi_out ids;
    /* 1. Stage and check. */
    BI_TRY(
        bi_stage_in(ctx, sample->offsets, ((size_t)v->cloud_count + 1) * sizeof *sample->offsets, &offsets, &staged));
    BI_TRY(bi_stage_in(ctx, sample->starts, starts_bytes, &starts, &staged));
    sample->offsets = offsets;
    sample->starts = starts;
    if (!clouds->opts.assume_valid) BI_TRY(check_samples(ctx, sample, sample_count));
    /* 2. Sample. */
    BI_TRY(bi_stage_out(ctx, sample->ids, (size_t)sample_count * (sample->ids_64bit ? 8 : 4), &ids, &staged));
    sample->ids = ids.reachable;
    BI_TRY(sample_points(ctx, sample, sample_count));
    BI_TRY(bi_stage_back(ctx, &ids));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_clouds_sample_farthest(bosc_ctx *ctx, const bosc_clouds *clouds, const int64_t *offsets,
                                        int64_t sample_count, const int64_t *starts, void *ids)
{
    BI_ENTER(ctx);
    BI_TRY(bi_clouds_check(ctx, clouds));
    struct bi_clouds_sample sample = {.view = clouds->view,
                                      .offsets = offsets,
                                      .starts = starts,
                                      .ids = ids,
                                      .ids_64bit = clouds->opts.id_bits == 64};
    if (sample_count < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "sample_count: %lld is less than 0", (long long)sample_count);
    if (sample_count > INT64_MAX / 16)
        return bi_fail(ctx, BOSC_ERR_ARG, "sample_count: %lld is too large", (long long)sample_count);
    BI_TRY(bi_clouds_check_offsets(ctx, "offsets", offsets));
    BI_TRY(bi_check_aligned(ctx, "starts", starts, sizeof *starts));
    if (sample_count > 0 && !ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)clouds->opts.id_bits / 8));
    bi_progress_set_total(ctx, 10 * (double)sample.view.n);
    BI_RETURN_WITH_SCRATCH(ctx, sample_staged(ctx, clouds, &sample, sample_count));
}

/* --- A share of each cloud ---------------------------------------------------------------------------------------- */

/* Outputs of bosc_clouds_sample_ratio. */
struct share_call {
    double ratio;
    const double *draws;
    int64_t *offsets, capacity, *count;
};

static bosc_status sample_share(bosc_ctx *ctx, struct bi_clouds_sample *sample, const struct share_call *call)
{
    const struct bi_clouds_view *v = &sample->view;
    const size_t bytes = ((size_t)v->cloud_count + 1) * sizeof(int64_t);
    struct bi_clouds_share share = {.points = v->offsets, .cloud_count = v->cloud_count, .ratio = call->ratio};
    bool staged = false;
    const void *draws;
    int64_t total = 0;
    struct bi_out offsets, ids;
    /* 1. Samples of each cloud, and its first one. One wait brings the sum. */
    BI_TRY(
        bi_stage_in(ctx, call->draws, call->draws ? (size_t)v->cloud_count * sizeof *call->draws : 0, &draws, &staged));
    share.draws = call->draws ? draws : NULL;
    BI_TRY(bi_scratch_of(ctx, v->cloud_count + 1, sizeof *share.counts, &share.counts));
    if (share.draws) BI_TRY(bi_scratch_of(ctx, v->cloud_count, sizeof *share.starts, &share.starts));
    if (v->cloud_count > 0) {
        BI_TRY(ctx->ops->clouds->steps->share(ctx, v->cloud_count + 1, &share));
        BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, share.counts, v->cloud_count + 1,
                                        share.counts));
        BI_TRY(bi_read_back(ctx, &total, share.counts + v->cloud_count, sizeof total));
    } else {
        BI_TRY(ctx->backend->fill(ctx, share.counts, 0, sizeof *share.counts));
    }
    if (total > call->capacity)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld ids, but there are %lld samples", (long long)call->capacity,
                       (long long)total);
    if (total > 0 && !sample->ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    /* 2. The samples. */
    BI_TRY(bi_stage_out(ctx, call->offsets, call->offsets ? bytes : 0, &offsets, &staged));
    BI_TRY(bi_stage_out(ctx, sample->ids, (size_t)total * (sample->ids_64bit ? 8 : 4), &ids, &staged));
    sample->offsets = share.counts;
    sample->starts = share.starts;
    sample->ids = ids.reachable;
    BI_TRY(sample_points(ctx, sample, total));
    if (call->offsets) BI_TRY(ctx->backend->copy(ctx, offsets.reachable, share.counts, bytes));
    BI_TRY(bi_stage_back(ctx, &offsets));
    BI_TRY(bi_stage_back(ctx, &ids));
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    if (call->count) *call->count = total;
    return BOSC_OK;
}

bosc_status bosc_clouds_sample_ratio(bosc_ctx *ctx, const bosc_clouds *clouds, double ratio, const double *draws,
                                     int64_t *offsets, void *ids, int64_t capacity, int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_clouds_check(ctx, clouds));
    struct bi_clouds_sample sample = {.view = clouds->view, .ids = ids, .ids_64bit = clouds->opts.id_bits == 64};
    if (!(ratio > 0 && ratio <= 1))
        return bi_fail(ctx, BOSC_ERR_ARG, "ratio: %g is not more than 0 and at most 1", ratio);
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    BI_TRY(bi_check_aligned(ctx, "draws", draws, sizeof *draws));
    BI_TRY(bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)clouds->opts.id_bits / 8));
    const struct share_call call = {ratio, draws, offsets, capacity, count};
    bi_progress_set_total(ctx, 10 * (double)sample.view.n);
    BI_RETURN_WITH_SCRATCH(ctx, sample_share(ctx, &sample, &call));
}
