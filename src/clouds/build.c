/* Builds a batch: checks, extents of the clouds, an order by Morton code, and boxes from the leaves up. */
#include "clouds/handle.h"

/* The caller's clouds: offsets, or the cloud of each row. */
struct source {
    const int64_t *offsets, *batch;
    int64_t count;
};

/* Makes the caller's offsets reachable and checks them and the points. Sets the number of clouds and the sizes of the
 * smallest and the largest one; with assume_valid only bounds. */
static bosc_status read_offsets(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_view *next,
                                const struct bi_clouds_rows *rows, const struct source *source, bool *staged)
{
    const bosc_clouds_opts *o = &clouds->opts;
    const void *reachable;
    BI_TRY(
        bi_stage_in(ctx, source->offsets, ((size_t)source->count + 1) * sizeof *source->offsets, &reachable, staged));
    struct bi_clouds_contents contents = {"offsets", "points", reachable, source->count, next->n, rows, 0, 0};
    next->offsets = reachable;
    next->cloud_count = source->count;
    next->smallest = 0;
    next->largest = o->max_points > 0 && o->max_points < next->n ? o->max_points : next->n;
    if (o->assume_valid) return BOSC_OK;
    BI_TRY(bi_clouds_check_contents(ctx, &contents));
    next->smallest = contents.smallest;
    next->largest = contents.largest;
    return BOSC_OK;
}

/* Makes offsets from the cloud of each row; as read_offsets, but sizes are exact. */
static bosc_status make_point_offsets(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_view *next,
                                      const struct bi_clouds_rows *rows, const struct source *source, bool *staged)
{
    const void *batch;
    BI_TRY(bi_stage_in(ctx, source->batch, (size_t)next->n * sizeof *source->batch, &batch, staged));
    struct bi_clouds_batch_vector vector = {.name = "batch",
                                            .rows_name = "points",
                                            .batch = batch,
                                            .n = next->n,
                                            .count = source->count,
                                            .rows = clouds->opts.assume_valid ? NULL : rows};
    BI_TRY(bi_clouds_make_offsets(ctx, &vector, false));
    next->offsets = vector.offsets;
    next->cloud_count = vector.count;
    next->smallest = vector.smallest;
    next->largest = vector.largest;
    return BOSC_OK;
}

/* Orders the points: by Morton code in their cloud's extent, or as they are. */
static bosc_status order_points(bosc_ctx *ctx, const bosc_clouds *clouds, const struct bi_clouds_view *next,
                                const struct bi_clouds_rows *rows)
{
    const struct bi_clouds_ops *ops = ctx->ops->clouds;
    const struct bi_clouds_extent extent = {*rows, next->offsets, next->cloud_count, clouds->extents.data};
    if (!next->sorted) return ctx->backend->core->iota(ctx, sizeof *next->ids, clouds->ids.data, next->n);
    const size_t extents = (size_t)next->cloud_count * 2 * (size_t)bi_clouds_axes(next->dim) * sizeof(uint64_t);
    BI_TRY(ctx->backend->fill(ctx, clouds->extents.data, 0xff, extents));
    if (ops->extent)
        BI_TRY(ops->extent(ctx, &extent));
    else
        BI_TRY_WITH_COST(ctx, BI_CLOUDS_EXTENT_ROWS,
                         ops->steps->extent(ctx, bi_div_up(rows->n, BI_CLOUDS_EXTENT_ROWS), &extent));
    BI_RETURN_WITH_SCRATCH(ctx, bi_clouds_order_rows(ctx, next, rows, next->offsets, clouds->ids.data));
}

/* Copies the points in order, and makes the boxes of all levels. */
static bosc_status make_tree(bosc_ctx *ctx, const bosc_clouds *clouds, const struct bi_clouds_view *next,
                             const struct bi_clouds_rows *rows)
{
    const struct bi_clouds_steps *steps = ctx->ops->clouds->steps;
    const struct bi_clouds_gather gather = {*rows, next->sorted ? next->ids : NULL, next->pitch, clouds->points.data};
    struct bi_clouds_boxes boxes = {*next, clouds->boxes.data, clouds->least_ids.data, 0};
    BI_TRY(steps->gather(ctx, next->n, &gather));
    for (; boxes.level < next->levels; boxes.level++) {
        const int64_t end = boxes.level + 1 < next->levels ? next->first_slot[boxes.level + 1] : next->slots;
        BI_TRY(steps->boxes(ctx, end - next->first_slot[boxes.level], &boxes));
    }
    return BOSC_OK;
}

/* Builds the batch; the view changes last. */
static bosc_status build_staged(bosc_ctx *ctx, bosc_clouds *clouds, struct bi_clouds_rows *rows,
                                const struct source *source)
{
    bool staged = false;
    struct bi_clouds_view next = clouds->view;
    next.n = rows->n;
    /* 1. Contents; with them the shape of the tree and the blocks. */
    BI_TRY(bi_clouds_stage_rows(ctx, rows, &staged));
    BI_TRY((source->offsets ? read_offsets : make_point_offsets)(ctx, clouds, &next, rows, source, &staged));
    next.sorted = next.largest > ctx->ops->clouds->sort_from;
    bi_clouds_shape(&next);
    const int64_t *offsets = next.offsets; /* of the caller or in scratch; the view gets the batch's own */
    BI_TRY(bi_clouds_reserve_blocks(ctx, clouds, &next));
    /* 2. Offsets, order, boxes. */
    BI_TRY(ctx->backend->copy(ctx, clouds->offsets.data, offsets, ((size_t)next.cloud_count + 1) * sizeof *offsets));
    if (next.n > 0) {
        BI_TRY(order_points(ctx, clouds, &next, rows));
        BI_TRY(make_tree(ctx, clouds, &next, rows));
    }
    /* 3. Staged arrays must outlive the kernels that read them. */
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    clouds->view = next;
    return BOSC_OK;
}

static bosc_status build_or_clear(bosc_ctx *ctx, bosc_clouds *clouds, struct bi_clouds_rows *rows,
                                  const struct source *source)
{
    bosc_status status = build_staged(ctx, clouds, rows, source);
    if (status != BOSC_OK && status != BOSC_ERR_DATA && status != BOSC_ERR_ARG) {
        clouds->view.n = clouds->view.cloud_count = 0; /* its blocks may be half written */
        clouds->view.smallest = clouds->view.largest = clouds->view.slots = 0;
    }
    return status;
}

bosc_status bosc_clouds_build(bosc_ctx *ctx, bosc_clouds *clouds, const void *points, int64_t n, int64_t stride,
                              const int64_t *offsets, int64_t cloud_count)
{
    struct bi_clouds_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_clouds_check(ctx, clouds));
    BI_TRY(bi_clouds_check_sizes(ctx, &clouds->opts, n, cloud_count, 0));
    BI_TRY(bi_clouds_check_rows(ctx, clouds, "points", points, "n", n, stride, &rows));
    BI_TRY(bi_clouds_check_offsets(ctx, "offsets", offsets));
    const struct source source = {offsets, NULL, cloud_count};
    bi_progress_set_total(ctx, 16 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, build_or_clear(ctx, clouds, &rows, &source));
}

bosc_status bosc_clouds_build_from_batch(bosc_ctx *ctx, bosc_clouds *clouds, const void *points, int64_t n,
                                         int64_t stride, const int64_t *batch, int64_t cloud_count)
{
    struct bi_clouds_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_clouds_check(ctx, clouds));
    if (cloud_count < -1)
        return bi_fail(ctx, BOSC_ERR_ARG, "cloud_count: %lld is less than -1", (long long)cloud_count);
    BI_TRY(bi_clouds_check_sizes(ctx, &clouds->opts, n, cloud_count < 0 ? 0 : cloud_count, 0));
    BI_TRY(bi_clouds_check_rows(ctx, clouds, "points", points, "n", n, stride, &rows));
    if (n > 0 && !batch) return bi_fail(ctx, BOSC_ERR_ARG, "batch: NULL");
    BI_TRY(bi_check_aligned(ctx, "batch", batch, sizeof *batch));
    const struct source source = {NULL, batch, cloud_count};
    bi_progress_set_total(ctx, 17 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, build_or_clear(ctx, clouds, &rows, &source));
}
