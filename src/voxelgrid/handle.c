/* The handle of a voxel grid: options, checks, blocks, bytes and info; and what its drivers share: staged rows, squared
 * radii, choice of searches, sorts of long rows. */
#include "voxelgrid/handle.h"

#include <math.h>
#include <string.h>

#include "base/radius.h"
#include "base/search.h"
#include "core/arena.h"
#include "voxelgrid/steps/voxel.h"

enum { POINTS, IDS, KEYS, STARTS, BRICKS, BLOCKS }; /* the grid's blocks, in arrays of them and of their bytes */
enum { SLACK = 1 << 20 };                           /* scratch for counters and alignment: a margin */

bosc_status bi_voxelgrid_check(bosc_ctx *ctx, const bosc_voxelgrid *grid)
{
    return bi_check_handle(ctx, "grid", grid ? &grid->memory : NULL);
}

bosc_status bi_voxelgrid_check_rows(bosc_ctx *ctx, const bosc_voxelgrid *grid, const char *array, const void *data,
                                    const char *count_name, int64_t count, int64_t stride,
                                    struct bi_voxelgrid_rows *rows)
{
    int64_t size = (int64_t)bosc_dtype_size(grid->opts.dtype), dim = grid->opts.dim;
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", count_name, (long long)count);
    if (count > 0 && !data) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    if (stride < 0 || (stride > 0 && stride < dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than dim %d", (long long)stride, (int)dim);
    *rows = (struct bi_voxelgrid_rows){data, count, stride ? stride : dim, grid->opts.dtype, (int32_t)dim};
    if (count > 0 && rows->stride > (INT64_MAX / size - dim) / count)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld rows of %lld elements are more than memory can hold", count_name,
                       (long long)count, (long long)rows->stride);
    return bi_check_aligned(ctx, array, data, (size_t)size);
}

/* True if two points of the grid may be so far apart that the square of their distance overflows. */
static bool is_far_apart(const struct bi_voxelgrid_view *v, double most)
{
    bool far = false;
    for (int32_t c = 0; c < v->dim; c++)
        far |= v->n > 0 && ((double)v->high.at[c] - (double)v->low.at[c] + 1) * v->cell > most;
    return far;
}

bosc_status bi_voxelgrid_check_radius(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, bool own_points)
{
    const bool is_f64 = grid->view.is_f64;
    const double least = is_f64 ? 0x1p-508 : 0x1p-60, most = is_f64 ? 0x1p510 : 0x1p62;
    if (!(radius >= 0)) return bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not 0 or more", radius);
    if (radius == 0 || isinf(is_f64 ? radius : (double)(float)radius)) return BOSC_OK;
    if (radius < least)
        return bi_fail(ctx, BOSC_ERR_LIMIT,
                       "radius: %g is too small to be squared in %s; multiply points, cell and "
                       "radius by a power of two",
                       radius, is_f64 ? "double" : "float");
    if (radius <= most || (own_points && !is_far_apart(&grid->view, most / 2))) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT,
                   "radius: %g is too large to be squared in %s; multiply points, cell and radius by "
                   "a power of two, or use INFINITY for all points",
                   radius, is_f64 ? "double" : "float");
}

bosc_status bi_voxelgrid_check_answers(bosc_ctx *ctx, const bosc_voxelgrid *grid, const char *ids_name, const void *ids,
                                       const void *dist2)
{
    BI_TRY(bi_check_aligned(ctx, ids_name, ids, (size_t)grid->opts.id_bits / 8));
    return bi_check_aligned(ctx, "dist2", dist2, grid->opts.dtype == BOSC_F32 ? 4 : 8);
}

bosc_status bi_voxelgrid_check_opts(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, bosc_voxelgrid_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but dim and cell have no default");
    BI_TRY(bi_read_opts(ctx, "bosc_voxelgrid_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->dtype != BOSC_F32 && full->dtype != BOSC_F64 && full->dtype != BOSC_I32 && full->dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is none of F32, F64, I32, I64", (int)full->dtype);
    if (full->dim < 1 || full->dim > BI_VOXELGRID_DIM)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to %d", (int)full->dim, BI_VOXELGRID_DIM);
    if (!(full->cell > 0) || full->cell > 0x1.fffffffffffffp1023)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: cell %g is not finite and more than 0", full->cell);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    return BOSC_OK;
}

bosc_status bosc_voxelgrid_create(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, bosc_voxelgrid **grid)
{
    bosc_voxelgrid_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check_opts(ctx, opts, &full));
    if (!grid) return bi_fail(ctx, BOSC_ERR_ARG, "grid: NULL");
    return BI_NEW_HANDLE(ctx, grid, .opts = full,
                         .view = {.dim = full.dim, .cell = full.cell, .is_f64 = full.dtype != BOSC_F32});
}

void bosc_voxelgrid_free(bosc_voxelgrid *grid)
{
    if (!grid) return;
    bi_block_free(&grid->memory, &grid->points);
    bi_block_free(&grid->memory, &grid->ids);
    bi_block_free(&grid->memory, &grid->keys);
    bi_block_free(&grid->memory, &grid->starts);
    bi_block_free(&grid->memory, &grid->bricks);
    bi_memory_release(&grid->host, grid, sizeof *grid);
}

/* True if the backend makes bricks for this view. */
static bool has_bricks(const bosc_ctx *ctx, const struct bi_voxelgrid_view *v)
{
    return ctx->ops->voxelgrid->index_bricks && v->n > 0 && bi_voxelgrid_is_sparse(v);
}

/* Bytes of the bricks of a view of n points, at most BI_VOXELGRID_MOST_SMALL: slots and heads. */
static size_t brick_bytes(int64_t n)
{
    return (size_t)bi_voxelgrid_brick_slots(n) * sizeof(struct bi_voxelgrid_brick) + (size_t)(n + 1) * sizeof(uint32_t);
}

/* Points the view to the grid's blocks. */
static void set_view_blocks(const bosc_ctx *ctx, const bosc_voxelgrid *grid, struct bi_voxelgrid_view *view)
{
    struct bi_voxelgrid_bricks bricks = {NULL, NULL, 0};
    if (has_bricks(ctx, view)) {
        bricks.slots = grid->bricks.data;
        bricks.slot_count = (uint32_t)bi_voxelgrid_brick_slots(view->n);
        bricks.heads = (uint32_t *)(bricks.slots + bricks.slot_count);
    }
    view->bricks = bricks;
    view->points = grid->points.data;
    view->ids = grid->ids.data;
    view->keys = grid->keys.data;
    view->starts = grid->starts.data;
}

size_t bi_voxelgrid_point_bytes(int32_t dim, bool is_f64)
{
    return is_f64 ? (size_t)dim * sizeof(double) : sizeof(struct bi_voxelgrid_point);
}

/* Bytes of the blocks that a view uses. */
static void view_bytes(const bosc_ctx *ctx, const struct bi_voxelgrid_view *v, size_t bytes[BLOCKS])
{
    size_t n = (size_t)v->n, keyed = v->keyed && n;
    bytes[POINTS] = n * bi_voxelgrid_point_bytes(v->dim, v->is_f64);
    bytes[IDS] = v->is_f64 ? n * sizeof(uint32_t) : 0;
    bytes[KEYS] = keyed && v->shift > 0 ? n * (v->keys_64bit ? 8 : 4) : 0;
    bytes[STARTS] = keyed ? ((size_t)bi_voxelgrid_entries(v) + 1) * sizeof(uint32_t) : 0;
    bytes[BRICKS] = has_bricks(ctx, v) ? brick_bytes(v->n) : 0;
}

bosc_status bi_voxelgrid_reserve_blocks(bosc_ctx *ctx, bosc_voxelgrid *grid, struct bi_voxelgrid_view *view)
{
    struct bi_block *const blocks[BLOCKS] = {&grid->points, &grid->ids, &grid->keys, &grid->starts, &grid->bricks};
    size_t bytes[BLOCKS];
    view_bytes(ctx, view, bytes);
    for (int b = 0; b < BLOCKS; b++) BI_TRY(bi_block_reserve(ctx, &grid->memory, blocks[b], bytes[b]));
    set_view_blocks(ctx, grid, view);
    return BOSC_OK;
}

/* Bytes of the blocks for n points over any extent with keys of at most 64 bits. */
static void max_bytes(const bosc_ctx *ctx, const bosc_voxelgrid_opts *o, int64_t n, size_t bytes[BLOCKS])
{
    const bool is_f64 = o->dtype != BOSC_F32;
    size_t count = (size_t)n;
    bytes[POINTS] = count * bi_voxelgrid_point_bytes(o->dim, is_f64);
    bytes[IDS] = is_f64 ? count * sizeof(uint32_t) : 0;
    bytes[KEYS] = count * sizeof(uint64_t);
    bytes[STARTS] = n ? ((size_t)bi_voxelgrid_max_entries(n) + 1) * sizeof(uint32_t) : 0;
    if (n > BI_VOXELGRID_MOST_SMALL) n = BI_VOXELGRID_MOST_SMALL; /* grids of more points have no bricks */
    bytes[BRICKS] = n && !is_f64 && ctx->ops->voxelgrid->index_bricks ? brick_bytes(n) : 0;
}

/* Scratch for a build of `count` host points, or for `count` host queries: staged rows, points, keys and row
 * numbers, and twice as much for their sort. Lists of 64-bit counts take less. */
static int64_t scratch_bytes(const bosc_voxelgrid_opts *o, int64_t count)
{
    return count * (o->dim * ((int64_t)bosc_dtype_size(o->dtype) + 8) + 48) + SLACK;
}

static bosc_status check_sizes(bosc_ctx *ctx, const bosc_voxelgrid_opts *o, int64_t n, int64_t query_count)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (query_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is less than 0", (long long)query_count);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; a grid holds less than 2^32 - 1", (long long)n);
    if (query_count > (INT64_MAX - SLACK) / (16 * (int64_t)o->dim + 48))
        return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld queries are more than memory can hold",
                       (long long)query_count);
    return BOSC_OK;
}

bosc_status bosc_voxelgrid_bytes(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, int64_t n, int64_t *kept,
                                 int64_t *scratch)
{
    bosc_voxelgrid_opts full;
    size_t bytes[BLOCKS];
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check_opts(ctx, opts, &full));
    BI_TRY(check_sizes(ctx, &full, n, 0));
    max_bytes(ctx, &full, n, bytes);
    if (kept) *kept = (int64_t)(bytes[POINTS] + bytes[IDS] + bytes[KEYS] + bytes[STARTS] + bytes[BRICKS]);
    if (scratch) *scratch = scratch_bytes(&full, n);
    return BOSC_OK;
}

/* Grows blocks, keeping their contents. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_voxelgrid *grid, const size_t bytes[BLOCKS])
{
    struct bi_block *const blocks[BLOCKS] = {&grid->points, &grid->ids, &grid->keys, &grid->starts, &grid->bricks};
    size_t used[BLOCKS];
    view_bytes(ctx, &grid->view, used);
    bosc_status status = bi_blocks_grow(ctx, &grid->memory, blocks, BLOCKS, bytes, used);
    set_view_blocks(ctx, grid, &grid->view);
    return status;
}

bosc_status bi_voxelgrid_reserve_dense(bosc_ctx *ctx, bosc_voxelgrid *grid, int64_t n)
{
    size_t bytes[BLOCKS];
    max_bytes(ctx, &grid->opts, n, bytes);
    bytes[KEYS] = bytes[BRICKS] = 0;
    if (bytes[POINTS] <= grid->points.bytes && bytes[IDS] <= grid->ids.bytes && bytes[STARTS] <= grid->starts.bytes)
        return BOSC_OK;
    return grow_blocks(ctx, grid, bytes);
}

bosc_status bosc_voxelgrid_reserve(bosc_ctx *ctx, bosc_voxelgrid *grid, int64_t n, int64_t query_count)
{
    size_t bytes[BLOCKS];
    void *scratch;
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    BI_TRY(check_sizes(ctx, &grid->opts, n, query_count));
    int64_t rows = n > query_count ? n : query_count;
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch_bytes(&grid->opts, rows), &scratch));
    max_bytes(ctx, &grid->opts, n, bytes);
    return grow_blocks(ctx, grid, bytes);
}

bosc_status bosc_voxelgrid_get_info(bosc_ctx *ctx, const bosc_voxelgrid *grid, bosc_voxelgrid_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_voxelgrid_info));
    const struct bi_voxelgrid_view *v = &grid->view;
    bosc_voxelgrid_info full = {.n = v->n,
                                .cell = grid->opts.cell,
                                .dim = grid->opts.dim,
                                .dtype = grid->opts.dtype,
                                .id_bits = grid->opts.id_bits,
                                .key_bits = v->key_bits};
    full.bytes =
        (int64_t)(grid->points.bytes + grid->ids.bytes + grid->keys.bytes + grid->starts.bytes + grid->bricks.bytes);
    for (int c = 0; c < grid->opts.dim && full.n > 0; c++) {
        full.low[c] = v->low.at[c];
        full.high[c] = v->high.at[c];
    }
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

/* --- Shared by the drivers ---------------------------------------------------------------------------------------- */

bosc_status bi_voxelgrid_stage_rows(bosc_ctx *ctx, struct bi_voxelgrid_rows *rows, bool *staged)
{
    if (rows->n == 0) return BOSC_OK;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + rows->dim) * bosc_dtype_size(rows->dtype);
    return bi_stage_in(ctx, rows->data, bytes, &rows->data, staged);
}

bosc_status bi_voxelgrid_gather_rows(bosc_ctx *ctx, const struct bi_voxelgrid_rows *rows, const uint32_t *ids,
                                     int64_t count, bool is_f64, void *points)
{
    struct bi_voxelgrid_gather gather = {*rows, ids, count, bosc_dtype_size(rows->dtype), is_f64, points};
    return ctx->ops->voxelgrid->steps->gather(ctx, count, &gather);
}

/* The smallest float x with x * x > r2, by binary search: non-negative floats order as their bits. Infinite if r2
 * is. */
static double reach_f32(float r2)
{
    uint32_t low = 0, high = bi_f32_bits((float)INFINITY);
    if (r2 >= (float)INFINITY) return (double)INFINITY;
    BI_PARTITION_POINT(low, high, bits, !(bi_f32_from_bits(bits) * bi_f32_from_bits(bits) > r2));
    return (double)bi_f32_from_bits(low);
}

/* The same for doubles. */
static double reach_f64(double r2)
{
    uint64_t low = 0, high = bi_f64_bits((double)INFINITY);
    if (r2 >= (double)INFINITY) return (double)INFINITY;
    BI_PARTITION_POINT(low, high, bits, !(bi_f64_from_bits(bits) * bi_f64_from_bits(bits) > r2));
    return bi_f64_from_bits(low);
}

void bi_voxelgrid_square_radius(const bosc_voxelgrid *grid, double radius, double *r2, double *reach)
{
    *r2 = bi_square_limit(radius, !grid->view.is_f64);
    *reach = grid->view.is_f64 ? reach_f64(*r2) : reach_f32((float)*r2);
}

struct bi_voxelgrid_searches bi_voxelgrid_select_searches(const bosc_ctx *ctx, const struct bi_voxelgrid_view *view,
                                                          double r2)
{
    const struct bi_voxelgrid_ops *ops = ctx->ops->voxelgrid;
    const bool fused = r2 > 0; /* at radius 0 steps compare coordinates */
    if (ops->dense_searches && view->n > 0 && fused && r2 < (double)INFINITY && bi_voxelgrid_is_dense(view))
        return *ops->dense_searches;
    if (view->bricks.slots && view->n > 0 && fused &&
        r2 <= bi_square_limit(BI_VOXELGRID_SPARSE_REACH * view->cell, true))
        return *ops->sparse_searches;
    const struct bi_voxelgrid_steps *s = ops->steps;
    return (struct bi_voxelgrid_searches){.radius_count = s->radius_count,
                                          .radius_fill = s->radius_fill,
                                          .pair_count = s->pair_count,
                                          .pair_fill = s->pair_fill,
                                          .pair_collect = ops->pair_collect,
                                          .collect_limit = ops->pair_collect && fused ? INT64_MAX : -1};
}

bosc_status bi_voxelgrid_alloc_long_rows(bosc_ctx *ctx, int64_t rows, int64_t entries, uint32_t **list)
{
    int64_t most = entries / (BI_LONG_ROW + 1);
    if (most > rows) most = rows;
    *list = NULL;
    if (most == 0 || !ctx->ops->voxelgrid->sort_rows) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, most + 1, sizeof **list, list));
    return ctx->backend->fill(ctx, *list, 0, sizeof **list);
}

bosc_status bi_voxelgrid_sort_long_rows(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                                        const uint32_t *list)
{
    return list ? ctx->ops->voxelgrid->sort_rows(ctx, rows, offsets, list) : BOSC_OK;
}
