/* The handle of a voxelisation: options, checks, blocks, bytes and info. */
#include "voxels/handle.h"

#include <math.h>

#include "core/arena.h"

enum { ROWS, INVERSE, KEYS, HEADS, IDS, SEGMENTS, VOXEL_OFFSETS, SEGMENT_COUNT, BLOCKS }; /* in arrays of blocks */
enum { SLACK = 1 << 20 };               /* scratch for counters and alignment: a margin */
enum { MOST_ELEMENT_BYTES = 8 };        /* of coordinates and features */
static const double most_side = 0x1p31; /* coordinates are 32-bit integers */

bosc_status bi_voxels_check(bosc_ctx *ctx, const char *name, const bosc_voxels *voxels)
{
    return bi_check_handle(ctx, name, voxels ? &voxels->memory : NULL);
}

bosc_status bi_voxels_check_rows(bosc_ctx *ctx, const char *array, const void *data, int64_t n, int64_t width,
                                 int64_t stride, bosc_dtype dtype, struct bi_voxels_rows *rows)
{
    enum { MOST_WIDTH = 1 << 24 }; /* so that bytes of 2^32 rows fit 64 bits */
    if (width < 1 || width > MOST_WIDTH)
        return bi_fail(ctx, BOSC_ERR_ARG, "width: %lld is not in 1 to %d", (long long)width, MOST_WIDTH);
    if (n > 0 && !data) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    if (stride < 0 || (stride > 0 && stride < width))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than %lld elements of a row", (long long)stride,
                       (long long)width);
    *rows = (struct bi_voxels_rows){data, n, stride ? stride : width, (int32_t)width, dtype};
    if (n > 0 && rows->stride > (INT64_MAX / MOST_ELEMENT_BYTES - width) / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld rows of %lld elements are more than memory can hold",
                       (long long)n, (long long)rows->stride);
    return bi_check_aligned(ctx, array, data, bosc_dtype_size(dtype));
}

/* Checks the options of coordinate c. For F32 steps compute in float, so cell and corner are checked as floats. */
static bosc_status check_axis(bosc_ctx *ctx, const bosc_voxels_opts *o, int c)
{
    const double cell = o->dtype == BOSC_F32 ? (double)(float)o->cell[c] : o->cell[c];
    const char *as_float = o->dtype == BOSC_F32 ? " as a float" : "";
    const double corner = o->dtype == BOSC_F32 ? (double)(float)o->low[c] : o->low[c];
    if (!(cell > 0) || !isfinite(cell))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: cell[%d] %g is not finite and more than 0%s", c, o->cell[c], as_float);
    if (!isfinite(corner))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: low[%d] %g is not finite%s", c, o->low[c], as_float);
    if (o->shape[c] < 0 || (double)o->shape[c] > most_side)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: shape[%d] %lld is not in 0 to 2^31", c, (long long)o->shape[c]);
    if ((o->shape[c] == 0) != (o->shape[0] == 0))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: shape is 0 along some coordinates only");
    return BOSC_OK;
}

static bosc_status check_opts(bosc_ctx *ctx, const bosc_voxels_opts *opts, bosc_voxels_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but dim and cell have no default");
    BI_TRY(bi_read_opts(ctx, "bosc_voxels_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->dtype != BOSC_F32 && full->dtype != BOSC_F64 && full->dtype != BOSC_I32)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is none of F32, F64, I32", (int)full->dtype);
    if (full->dim < 1 || full->dim > BI_VOXELS_DIM)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to %d", (int)full->dim, BI_VOXELS_DIM);
    for (int c = 0; c < full->dim; c++) BI_TRY(check_axis(ctx, full, c));
    if (full->max_points < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_points %lld is less than 0", (long long)full->max_points);
    if (full->max_voxels < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_voxels %lld is less than 0", (long long)full->max_voxels);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    return BOSC_OK;
}

bosc_status bosc_voxels_create(bosc_ctx *ctx, const bosc_voxels_opts *opts, bosc_voxels **voxels)
{
    bosc_voxels_opts full;
    struct bi_voxels_view view = {.max_points = INT64_MAX};
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    if (!voxels) return bi_fail(ctx, BOSC_ERR_ARG, "voxels: NULL");
    if (full.max_points > 0) view.max_points = full.max_points;
    view.box.dim = full.dim;
    const bool is_bounded = full.shape[0] > 0;
    for (int c = 0; c < full.dim; c++) {
        view.box.cell[c] = full.cell[c];
        view.box.corner[c] = full.low[c];
        view.box.first[c] = is_bounded ? 0 : -most_side;
        view.box.end[c] = is_bounded ? (double)full.shape[c] : most_side;
        view.box.side[c] = 1;
    }
    return BI_NEW_HANDLE(ctx, voxels, .opts = full, .view = view);
}

/* The blocks in the order of the enum above. */
static void list_blocks(bosc_voxels *voxels, struct bi_block *blocks[BLOCKS])
{
    struct bi_block *const all[BLOCKS] = {&voxels->rows,          &voxels->inverse,      &voxels->keys,
                                          &voxels->heads,         &voxels->ids,          &voxels->segments,
                                          &voxels->voxel_offsets, &voxels->segment_count};
    for (int b = 0; b < BLOCKS; b++) blocks[b] = all[b];
}

void bosc_voxels_free(bosc_voxels *voxels)
{
    struct bi_block *blocks[BLOCKS];
    if (!voxels) return;
    list_blocks(voxels, blocks);
    for (int b = 0; b < BLOCKS; b++) bi_block_free(&voxels->memory, blocks[b]);
    bi_memory_release(&voxels->host, voxels, sizeof *voxels);
}

/* Bytes of the blocks for n points in cloud_count clouds. */
static void max_bytes(int64_t n, int64_t cloud_count, bool keys_64bit, size_t bytes[BLOCKS])
{
    const size_t words = (size_t)n * sizeof(uint32_t);
    bytes[ROWS] = bytes[INVERSE] = bytes[IDS] = bytes[SEGMENTS] = words;
    bytes[KEYS] = keys_64bit ? 2 * words : words;
    bytes[HEADS] = words + sizeof(uint32_t);
    bytes[VOXEL_OFFSETS] = ((size_t)cloud_count + 1) * sizeof(int64_t);
    bytes[SEGMENT_COUNT] = sizeof(uint32_t);
}

static void set_view_blocks(const bosc_voxels *voxels, struct bi_voxels_view *view)
{
    view->rows = voxels->rows.data;
    view->inverse = voxels->inverse.data;
    view->keys = voxels->keys.data;
    view->heads = voxels->heads.data;
    view->ids = voxels->ids.data;
    view->segments = voxels->segments.data;
    view->voxel_offsets = voxels->voxel_offsets.data;
    view->segment_count = voxels->segment_count.data;
}

bosc_status bi_voxels_reserve_blocks(bosc_ctx *ctx, bosc_voxels *voxels, struct bi_voxels_view *view)
{
    struct bi_block *blocks[BLOCKS];
    size_t bytes[BLOCKS];
    list_blocks(voxels, blocks);
    max_bytes(view->n, view->cloud_count, view->keys_64bit, bytes);
    for (int b = 0; b < BLOCKS; b++) BI_TRY(bi_block_reserve(ctx, &voxels->memory, blocks[b], bytes[b]));
    set_view_blocks(voxels, view);
    return BOSC_OK;
}

/* Scratch of a build of n host points: staged rows and offsets; keys of 8 bytes and numbers, and as much for their
 * sort twice. */
static int64_t scratch_bytes(const bosc_voxels_opts *o, int64_t n, int64_t cloud_count)
{
    return n * (o->dim * (int64_t)bosc_dtype_size(o->dtype) + 48) + cloud_count * 24 + SLACK;
}

bosc_status bosc_voxels_bytes(bosc_ctx *ctx, const bosc_voxels_opts *opts, int64_t n, int64_t cloud_count,
                              int64_t *kept, int64_t *scratch)
{
    bosc_voxels_opts full;
    size_t bytes[BLOCKS], sum = 0;
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    BI_TRY(bi_check_batch_sizes(ctx, "voxelisation", n, cloud_count));
    max_bytes(n, cloud_count, true, bytes);
    for (int b = 0; b < BLOCKS; b++) sum += bytes[b];
    if (kept) *kept = (int64_t)sum;
    if (scratch) *scratch = scratch_bytes(&full, n, cloud_count);
    return BOSC_OK;
}

bosc_status bosc_voxels_reserve(bosc_ctx *ctx, bosc_voxels *voxels, int64_t n, int64_t cloud_count)
{
    struct bi_block *blocks[BLOCKS];
    size_t bytes[BLOCKS], used[BLOCKS] = {0};
    void *scratch;
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(bi_check_batch_sizes(ctx, "voxelisation", n, cloud_count));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch_bytes(&voxels->opts, n, cloud_count), &scratch));
    list_blocks(voxels, blocks);
    if (voxels->view.n > 0) /* else no block is read, and a failed build may not have allocated all */
        max_bytes(voxels->view.n, voxels->view.cloud_count, voxels->view.keys_64bit, used);
    max_bytes(n, cloud_count, true, bytes);
    const bosc_status status = bi_blocks_grow(ctx, &voxels->memory, blocks, BLOCKS, bytes, used);
    set_view_blocks(voxels, &voxels->view);
    return status;
}

int64_t bi_voxels_limit(const bosc_voxels *voxels)
{
    const int64_t n = voxels->view.n, most = voxels->opts.max_voxels, clouds = voxels->view.cloud_count;
    return most == 0 || clouds == 0 || most >= n / clouds + 1 || most * clouds > n ? n : most * clouds;
}

bosc_status bosc_voxels_get_info(bosc_ctx *ctx, const bosc_voxels *voxels, bosc_voxels_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_voxels_info));
    bosc_voxels_info full = {.n = voxels->view.n,
                             .cloud_count = voxels->view.cloud_count,
                             .voxel_count = voxels->view.voxel_count,
                             .voxel_limit = bi_voxels_limit(voxels),
                             .dim = voxels->opts.dim,
                             .dtype = voxels->opts.dtype,
                             .id_bits = voxels->opts.id_bits};
    struct bi_block *blocks[BLOCKS];
    list_blocks((bosc_voxels *)voxels, blocks);
    for (int b = 0; b < BLOCKS; b++) full.bytes += (int64_t)blocks[b]->bytes;
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

bosc_status bi_voxels_stage_rows(bosc_ctx *ctx, struct bi_voxels_rows *rows, bool *staged)
{
    if (rows->n == 0) return BOSC_OK;
    const size_t bytes = (size_t)((rows->n - 1) * rows->stride + rows->width) * bosc_dtype_size(rows->dtype);
    return bi_stage_in(ctx, rows->data, bytes, &rows->data, staged);
}
