/* Builds a voxelisation: the box of keys, a sort of the rows by key, and the numbers of the voxels. */
#include <stdio.h>
#include <string.h>

#include "voxels/handle.h"

/* A build: the caller's arrays in reach, the view that it makes, and scratch. */
struct build {
    bosc_voxels *voxels;
    struct bi_voxels_view next;
    struct bi_voxels_rows points;
    const int64_t *offsets;
    uint64_t none;        /* the key of rows in no voxel */
    bool is_measured;     /* the box is that of the occupied voxels */
    void *keys;           /* (n) sorted */
    uint32_t *segment_of; /* (n) segments up to each position: a scan of their heads, in place */
    uint32_t *ranks;      /* (n + 1) first rows before each row: a scan of marks at first rows, in place */
};

static bosc_status check_offsets(bosc_ctx *ctx, const struct build *b)
{
    int64_t found[2] = {INT64_MAX, 0}, *reached;
    const int64_t clouds = b->next.cloud_count;
    if (!b->offsets || b->voxels->opts.assume_valid) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *found, &reached));
    BI_TRY(ctx->backend->copy(ctx, reached, found, sizeof found));
    BI_TRY(ctx->backend->copy(ctx, reached + 1, b->offsets + clouds, sizeof *found));
    if (clouds > 0) BI_TRY(ctx->backend->core->check_offsets(ctx, b->offsets, clouds, reached));
    BI_TRY(bi_read_back(ctx, found, reached, sizeof found));
    return bi_check_batch_offsets(ctx, "offsets", clouds, found[0], found[1], b->next.n);
}

/* Computes the number of keys: the voxels of the box times the clouds. Returns false if it is 2^63 or more. */
static bool count_keys(const struct bi_voxels_view *view, uint64_t *count)
{
    *count = (uint64_t)view->cloud_count;
    for (int c = 0; c < view->box.dim; c++) {
        if (*count > 0 && view->box.side[c] > (uint64_t)INT64_MAX / *count) return false;
        *count *= view->box.side[c];
    }
    return true;
}

/* Sets the box to that of the occupied voxels. Waits. */
static bosc_status measure_box(bosc_ctx *ctx, struct build *b)
{
    struct bi_voxels_box *box = &b->next.box;
    int64_t extents[BI_VOXELS_EXTENTS];
    struct bi_voxels_extent args = {.box = *box, .points = b->points};
    for (int e = 0; e < BI_VOXELS_EXTENTS; e++) extents[e] = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, BI_VOXELS_EXTENTS, sizeof *extents, &args.extents));
    BI_TRY(ctx->backend->copy(ctx, args.extents, extents, sizeof extents));
    if (b->points.n > 0)
        BI_TRY_WITH_COST(ctx, BI_VOXELS_EXTENT_ROWS,
                         ctx->ops->voxels->steps->extent(ctx, bi_div_up(b->points.n, BI_VOXELS_EXTENT_ROWS), &args));
    BI_TRY(bi_read_back(ctx, extents, args.extents, sizeof extents));
    if (b->voxels->opts.shape[0] == 0 && extents[BI_VOXELS_FAR_ROW] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT,
                       "points: row %lld is 2^31 voxels or more from low: set low near the points, or a larger cell",
                       (long long)extents[BI_VOXELS_FAR_ROW]);
    for (int c = 0; c < box->dim; c++) {
        const bool any = extents[2 * c] != INT64_MAX;
        box->low[c] = any ? extents[2 * c] : 0;
        box->side[c] = any ? (uint64_t)(-extents[2 * c + 1] - extents[2 * c]) + 1 : 1;
    }
    return BOSC_OK;
}

/* Refuses a box of 2^63 voxels or more, with two rows farthest apart along its longest side. Waits. */
static bosc_status refuse_box(bosc_ctx *ctx, const struct build *b)
{
    const struct bi_voxels_box *box = &b->next.box;
    struct bi_voxels_end_rows args = {.box = *box, .points = b->points};
    int64_t rows[2] = {INT64_MAX, INT64_MAX};
    char sides[3 * 24] = "";
    /* 1. The rows. */
    for (int c = 1; c < box->dim; c++)
        if (box->side[c] > box->side[args.coordinate]) args.coordinate = c;
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *rows, &args.rows));
    BI_TRY(ctx->backend->copy(ctx, args.rows, rows, sizeof rows));
    BI_TRY(ctx->ops->voxels->steps->end_row(ctx, b->points.n, &args));
    BI_TRY(bi_read_back(ctx, rows, args.rows, sizeof rows));
    /* 2. The message. */
    for (int c = 0; c < box->dim; c++)
        snprintf(sides + strlen(sides), sizeof sides - strlen(sides), "%s%llu", c ? " x " : "",
                 (unsigned long long)box->side[c]);
    return bi_fail(
        ctx, BOSC_ERR_LIMIT,
        "points: rows %lld and %lld are %lld voxels apart along coordinate %d, and the box of the occupied "
        "voxels, %s of each of %lld clouds, holds 2^63 or more: set shape to leave out far rows, or a larger "
        "cell",
        (long long)rows[0], (long long)rows[1], (long long)box->side[args.coordinate] - 1, (int)args.coordinate, sides,
        (long long)b->next.cloud_count);
}

/* Sets the box of the keys: that of the options if it fits, else that of the occupied voxels. */
static bosc_status set_box(bosc_ctx *ctx, struct build *b)
{
    struct bi_voxels_box *box = &b->next.box;
    const int64_t *shape = b->voxels->opts.shape;
    for (int c = 0; c < box->dim; c++) {
        box->low[c] = 0;
        box->side[c] = shape[c] > 0 ? (uint64_t)shape[c] : 1;
    }
    if (shape[0] == 0 || !count_keys(&b->next, &b->none)) {
        b->is_measured = true;
        BI_TRY(measure_box(ctx, b));
        if (!count_keys(&b->next, &b->none)) return refuse_box(ctx, b);
    }
    b->next.keys_64bit = b->none > UINT32_MAX;
    return BOSC_OK;
}

/* Sorts the rows by key. */
static bosc_status sort_rows(bosc_ctx *ctx, struct build *b)
{
    const size_t size = b->next.keys_64bit ? 8 : 4;
    struct bi_voxels_make_keys args = {.box = b->next.box,
                                       .points = b->points,
                                       .offsets = b->offsets,
                                       .cloud_count = b->next.cloud_count,
                                       .none = b->none,
                                       .keys_64bit = b->next.keys_64bit};
    BI_TRY(bi_scratch_of(ctx, b->points.n, size, &args.keys));
    BI_TRY(bi_scratch_of(ctx, b->points.n, sizeof *args.numbers, &args.numbers));
    BI_TRY(ctx->ops->voxels->steps->key(ctx, b->points.n, &args));
    return ctx->backend->core->sort_pairs(ctx, b->next.keys_64bit ? BOSC_U64 : BOSC_U32, args.keys,
                                          sizeof *args.numbers, args.numbers, b->points.n, b->keys,
                                          b->voxels->rows.data, 0, bi_bit_length(b->none));
}

/* Marks the heads of segments, and numbers them by position and by first row. */
static bosc_status rank_segments(bosc_ctx *ctx, struct build *b)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const int64_t n = b->points.n;
    struct bi_voxels_mark args = {.keys = b->keys,
                                  .rows = b->next.rows,
                                  .none = b->none,
                                  .keys_64bit = b->next.keys_64bit,
                                  .is_head = b->segment_of,
                                  .is_first = b->ranks};
    BI_TRY(ctx->backend->fill(ctx, b->ranks, 0, (size_t)(n + 1) * sizeof *b->ranks));
    BI_TRY(ctx->ops->voxels->steps->mark(ctx, n, &args));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, b->segment_of, n, b->segment_of));
    return core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, b->ranks, n + 1, b->ranks);
}

/* Numbers the voxels of all clouds, and writes the voxel of each row. */
static bosc_status number_voxels(bosc_ctx *ctx, const struct build *b)
{
    const bosc_voxels *to = b->voxels;
    const struct bi_voxels_steps *steps = ctx->ops->voxels->steps;
    const int64_t n = b->points.n, clouds = b->next.cloud_count, most = to->opts.max_voxels;
    int64_t *voxel_offsets = to->voxel_offsets.data;
    const struct bi_voxels_offset offset = {b->ranks, b->offsets, n, clouds, most, voxel_offsets};
    const struct bi_voxels_number number = {.keys = b->keys,
                                            .rows = b->next.rows,
                                            .segment_of = b->segment_of,
                                            .ranks = b->ranks,
                                            .offsets = b->offsets,
                                            .voxel_offsets = voxel_offsets,
                                            .n = n,
                                            .cloud_count = clouds,
                                            .max_voxels = most,
                                            .none = b->none,
                                            .keys_64bit = b->next.keys_64bit,
                                            .segment_keys = to->keys.data,
                                            .heads = to->heads.data,
                                            .ids = to->ids.data,
                                            .segments = to->segments.data,
                                            .segment_count = to->segment_count.data};
    const struct bi_voxels_invert invert = {.rows = b->next.rows,
                                            .segment_of = b->segment_of,
                                            .ids = b->next.ids,
                                            .heads = b->next.heads,
                                            .segment_count = b->next.segment_count,
                                            .inverse = to->inverse.data};
    /* 1. First voxels of the clouds. */
    BI_TRY(steps->offset(ctx, clouds + 1, &offset));
    if (most > 0)
        BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, voxel_offsets, clouds + 1,
                                        voxel_offsets));
    /* 2. Segments and ids; then the voxel of each row. */
    BI_TRY(steps->number(ctx, n, &number));
    return steps->invert(ctx, n, &invert);
}

/* Makes the voxels of n > 0 points. */
static bosc_status make_voxels(bosc_ctx *ctx, struct build *b)
{
    const int64_t n = b->points.n;
    BI_TRY(bi_scratch_of(ctx, n, b->next.keys_64bit ? 8 : 4, &b->keys));
    BI_TRY_WITH_SCRATCH(ctx, sort_rows(ctx, b));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *b->segment_of, &b->segment_of));
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *b->ranks, &b->ranks));
    BI_TRY(rank_segments(ctx, b));
    return number_voxels(ctx, b);
}

/* Builds the voxelisation; the view changes last. */
static bosc_status build_staged(bosc_ctx *ctx, struct build *b, const int64_t *offsets)
{
    bosc_voxels *voxels = b->voxels;
    const int64_t clouds = b->next.cloud_count;
    bool staged = false;
    const void *reachable = NULL;
    /* 1. Contents; the box of keys; the blocks. */
    BI_TRY(bi_voxels_stage_rows(ctx, &b->points, &staged));
    if (offsets) BI_TRY(bi_stage_in(ctx, offsets, ((size_t)clouds + 1) * sizeof *offsets, &reachable, &staged));
    b->offsets = reachable;
    BI_TRY(check_offsets(ctx, b));
    BI_TRY(set_box(ctx, b));
    BI_TRY(bi_voxels_reserve_blocks(ctx, voxels, &b->next));
    /* 2. The voxels. Without points no call reads the blocks. */
    if (b->points.n > 0) BI_TRY(make_voxels(ctx, b));
    /* 3. Their number, unless the call may only queue. */
    b->next.voxel_count = b->points.n > 0 ? -1 : 0;
    if (b->points.n > 0 && (staged || !voxels->opts.assume_valid || b->is_measured))
        BI_TRY(bi_read_back(ctx, &b->next.voxel_count, b->next.voxel_offsets + clouds, sizeof b->next.voxel_count));
    else if (staged)
        BI_TRY(ctx->backend->sync(ctx));
    voxels->view = b->next;
    return BOSC_OK;
}

static bosc_status build_or_clear(bosc_ctx *ctx, struct build *b, const int64_t *offsets)
{
    const bosc_status status = build_staged(ctx, b, offsets);
    struct bi_voxels_view *view = &b->voxels->view;
    if (status == BOSC_OK || status == BOSC_ERR_ARG || status == BOSC_ERR_LIMIT) return status;
    view->n = view->cloud_count = view->voxel_count = 0; /* its blocks may be half written */
    return status;
}

bosc_status bosc_voxels_build(bosc_ctx *ctx, bosc_voxels *voxels, const void *points, int64_t n, int64_t stride,
                              const int64_t *offsets, int64_t cloud_count)
{
    struct build b = {.voxels = voxels};
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(bi_check_batch_sizes(ctx, "voxelisation", n, cloud_count));
    BI_TRY(bi_voxels_check_rows(ctx, "points", points, n, voxels->opts.dim, stride, voxels->opts.dtype, &b.points));
    BI_TRY(bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets));
    if (!offsets && cloud_count != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "cloud_count: %lld without offsets is not 1", (long long)cloud_count);
    b.next = voxels->view;
    b.next.n = n;
    b.next.cloud_count = cloud_count;
    bi_progress_set_total(ctx, 12 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, build_or_clear(ctx, &b, offsets));
}
