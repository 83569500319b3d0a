/* Lists of voxels and their rows; means, padded voxels and kernel maps. */
#include "core/arena.h"
#include "voxels/handle.h"

/* --- The number of voxels ----------------------------------------------------------------------------------------- */

/* Reads the number of voxels. Waits if the host does not know it. */
static bosc_status read_count(bosc_ctx *ctx, const bosc_voxels *voxels, int64_t *count)
{
    const struct bi_voxels_view *v = &voxels->view;
    *count = v->voxel_count;
    return *count >= 0 ? BOSC_OK : bi_read_back(ctx, count, v->voxel_offsets + v->cloud_count, sizeof *count);
}

/* Checks a capacity, and sets the number of items that cover all voxels: their number, where the host knows it or must
 * wait for it, else a limit. arrays: of the caller; NULL ones are left out. */
static bosc_status count_items(bosc_ctx *ctx, const bosc_voxels *voxels, int64_t capacity, const void *const *arrays,
                               int array_count, int64_t *items)
{
    const int64_t limit = bi_voxels_limit(voxels);
    bool in_reach = true;
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    for (int a = 0; a < array_count; a++) in_reach &= !arrays[a] || ctx->backend->reaches(ctx, arrays[a]);
    *items = limit;
    if (voxels->view.voxel_count >= 0 || capacity < limit || !in_reach) BI_TRY(read_count(ctx, voxels, items));
    if (*items > capacity)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld is less than %lld voxels", (long long)capacity,
                       (long long)*items);
    return BOSC_OK;
}

bosc_status bosc_voxels_count(bosc_ctx *ctx, const bosc_voxels *voxels, int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    return read_count(ctx, voxels, count);
}

static size_t id_bytes(const bosc_voxels *voxels) { return (size_t)voxels->opts.id_bits / 8; }

static bosc_status check_out(bosc_ctx *ctx, const char *name, const void *array, int64_t count, size_t size)
{
    if (count > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, array, size);
}

/* --- Lists -------------------------------------------------------------------------------------------------------- */

/* Copies the first voxels of the clouds to the caller's array. */
static bosc_status copy_offsets(bosc_ctx *ctx, const struct bi_voxels_view *v, int64_t *offsets, bool *staged)
{
    const size_t bytes = ((size_t)v->cloud_count + 1) * sizeof *offsets;
    struct bi_out out;
    if (!offsets) return BOSC_OK;
    BI_TRY(bi_stage_out(ctx, offsets, bytes, &out, staged));
    BI_TRY(v->n == 0 ? ctx->backend->fill(ctx, out.reachable, 0, bytes)
                     : ctx->backend->copy(ctx, out.reachable, v->voxel_offsets, bytes));
    return bi_stage_back(ctx, &out);
}

static bosc_status list_staged(bosc_ctx *ctx, const bosc_voxels *voxels, struct bi_voxels_list *list, int64_t *offsets,
                               int64_t items)
{
    bool staged = false;
    const size_t count = (size_t)items, dim = (size_t)voxels->opts.dim;
    struct bi_out coords, counts, firsts;
    BI_TRY(bi_stage_out(ctx, list->coords, list->coords ? count * dim * sizeof *list->coords : 0, &coords, &staged));
    BI_TRY(bi_stage_out(ctx, list->counts, list->counts ? count * sizeof *list->counts : 0, &counts, &staged));
    BI_TRY(bi_stage_out(ctx, list->firsts, list->firsts ? count * id_bytes(voxels) : 0, &firsts, &staged));
    list->coords = coords.reachable;
    list->counts = counts.reachable;
    list->firsts = firsts.reachable;
    if (items > 0 && (list->coords || list->counts || list->firsts))
        BI_TRY(ctx->ops->voxels->steps->list(ctx, items, list));
    BI_TRY(bi_stage_back(ctx, &coords));
    BI_TRY(bi_stage_back(ctx, &counts));
    BI_TRY(bi_stage_back(ctx, &firsts));
    BI_TRY(copy_offsets(ctx, &voxels->view, offsets, &staged));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_voxels_list(bosc_ctx *ctx, const bosc_voxels *voxels, int32_t *coords, int64_t *counts, void *firsts,
                             int64_t *offsets, int64_t capacity)
{
    const void *const arrays[] = {coords, counts, firsts};
    int64_t items;
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(bi_check_aligned(ctx, "coords", coords, sizeof *coords));
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    BI_TRY(bi_check_aligned(ctx, "firsts", firsts, id_bytes(voxels)));
    BI_TRY(bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets));
    BI_TRY(count_items(ctx, voxels, capacity, arrays, 3, &items));
    struct bi_voxels_list list = {.view = voxels->view,
                                  .coords = coords,
                                  .counts = counts,
                                  .firsts = firsts,
                                  .ids_64bit = voxels->opts.id_bits == 64};
    bi_progress_set_total(ctx, (double)items);
    BI_RETURN_WITH_SCRATCH(ctx, list_staged(ctx, voxels, &list, offsets, items));
}

static bosc_status copy_inverse(bosc_ctx *ctx, const bosc_voxels *voxels, void *ids)
{
    bool staged = false;
    struct bi_out out;
    BI_TRY(bi_stage_out(ctx, ids, (size_t)voxels->view.n * id_bytes(voxels), &out, &staged));
    const struct bi_voxels_inverse args = {voxels->view.inverse, out.reachable, voxels->opts.id_bits == 64};
    BI_TRY(ctx->ops->voxels->steps->inverse(ctx, voxels->view.n, &args));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_voxels_inverse(bosc_ctx *ctx, const bosc_voxels *voxels, void *ids)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(check_out(ctx, "ids", ids, voxels->view.n, id_bytes(voxels)));
    if (voxels->view.n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)voxels->view.n);
    BI_RETURN_WITH_SCRATCH(ctx, copy_inverse(ctx, voxels, ids));
}

static bosc_status list_members(bosc_ctx *ctx, const bosc_voxels *voxels, int64_t *offsets, void *ids, int64_t capacity)
{
    const struct bi_voxels_steps *steps = ctx->ops->voxels->steps;
    const int64_t n = voxels->view.n;
    bool staged = false;
    struct bi_out out_offsets, out_ids;
    /* 1. Offsets: a scan of the counts, which are 0 beyond the voxels. */
    BI_TRY(bi_stage_out(ctx, offsets, ((size_t)capacity + 1) * sizeof *offsets, &out_offsets, &staged));
    int64_t *counts = out_offsets.reachable;
    const struct bi_voxels_list list = {.view = voxels->view, .counts = counts, .zeros_beyond = true};
    BI_TRY(steps->list(ctx, capacity + 1, &list));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, counts, capacity + 1, counts));
    BI_TRY(bi_stage_back(ctx, &out_offsets));
    /* 2. Rows. The end of the array stays as it is if some rows count in no voxel. */
    bool ids_staged = false;
    BI_TRY(bi_stage_out(ctx, ids, (size_t)n * id_bytes(voxels), &out_ids, &ids_staged));
    const struct bi_voxels_members members = {voxels->view, counts, out_ids.reachable, voxels->opts.id_bits == 64};
    if (n > 0) BI_TRY(steps->member(ctx, n, &members));
    if (ids_staged) {
        int64_t total;
        BI_TRY(bi_read_back(ctx, &total, counts + capacity, sizeof total));
        out_ids.bytes = (size_t)total * id_bytes(voxels);
    }
    BI_TRY(bi_stage_back(ctx, &out_ids));
    return staged || ids_staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_voxels_members(bosc_ctx *ctx, const bosc_voxels *voxels, int64_t *offsets, void *ids, int64_t capacity)
{
    int64_t items;
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(check_out(ctx, "offsets", offsets, 1, sizeof *offsets));
    BI_TRY(check_out(ctx, "ids", ids, voxels->view.n, id_bytes(voxels)));
    if (capacity > INT64_MAX / 16)
        return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is too large", (long long)capacity);
    BI_TRY(count_items(ctx, voxels, capacity, NULL, 0, &items));
    bi_progress_set_total(ctx, (double)voxels->view.n + 2 * (double)capacity);
    BI_RETURN_WITH_SCRATCH(ctx, list_members(ctx, voxels, offsets, ids, capacity));
}

/* --- Features ----------------------------------------------------------------------------------------------------- */

static bosc_status check_dtype(bosc_ctx *ctx, bosc_dtype dtype, bool integers)
{
    if (dtype == BOSC_F32 || dtype == BOSC_F64) return BOSC_OK;
    if (integers && (dtype == BOSC_I32 || dtype == BOSC_I64)) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "dtype: %d is none of %s", (int)dtype,
                   integers ? "F32, F64, I32, I64" : "F32, F64");
}

/* Cost of a reduction of a voxel in simple items, for progress: a cache miss or two a row. Estimated. */
static double reduction_cost(int64_t n, int64_t items) { return 8 * (1 + (double)n / (double)items); }

static bosc_status mean_staged(bosc_ctx *ctx, struct bi_voxels_mean *mean, int64_t items, size_t bytes)
{
    const struct bi_voxels_ops *ops = ctx->ops->voxels;
    bool staged = false;
    struct bi_out out;
    BI_TRY(bi_voxels_stage_rows(ctx, &mean->features, &staged));
    BI_TRY(bi_stage_out(ctx, mean->means, bytes, &out, &staged));
    mean->means = out.reachable;
    BI_TRY_WITH_COST(ctx, reduction_cost(mean->view.n, items),
                     (ops->mean ? ops->mean : ops->steps->mean)(ctx, items * mean->blocks, mean));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_voxels_mean(bosc_ctx *ctx, const bosc_voxels *voxels, bosc_dtype dtype, const void *features,
                             int64_t width, int64_t stride, void *means, int64_t capacity)
{
    const void *const arrays[] = {means};
    int64_t items;
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(check_dtype(ctx, dtype, false));
    struct bi_voxels_mean mean = {.view = voxels->view, .means = means};
    BI_TRY(bi_voxels_check_rows(ctx, "features", features, voxels->view.n, width, stride, dtype, &mean.features));
    BI_TRY(count_items(ctx, voxels, capacity, arrays, 1, &items));
    BI_TRY(check_out(ctx, "means", means, items, bosc_dtype_size(dtype)));
    if (items == 0) return BOSC_OK;
    const size_t bytes = (size_t)(items * width) * bosc_dtype_size(dtype);
    mean.blocks = bi_div_up(width, BI_VOXELS_MEAN_COLUMNS);
    bi_progress_set_total(ctx, (double)items * (double)mean.blocks * reduction_cost(voxels->view.n, items));
    BI_RETURN_WITH_SCRATCH(ctx, mean_staged(ctx, &mean, items, bytes));
}

static bosc_status gradient_staged(bosc_ctx *ctx, struct bi_voxels_mean_gradient *gradient, size_t mean_bytes,
                                   size_t bytes)
{
    bool staged = false;
    struct bi_out out;
    BI_TRY(bi_stage_in(ctx, gradient->of_means, mean_bytes, &gradient->of_means, &staged));
    BI_TRY(bi_stage_out(ctx, gradient->of_features, bytes, &out, &staged));
    gradient->of_features = out.reachable;
    BI_TRY(ctx->ops->voxels->steps->mean_gradient(ctx, gradient->view.n * gradient->blocks, gradient));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_voxels_mean_gradient(bosc_ctx *ctx, const bosc_voxels *voxels, bosc_dtype dtype, const void *of_means,
                                      int64_t width, void *of_features, int64_t capacity)
{
    const void *const arrays[] = {of_means};
    struct bi_voxels_rows rows;
    int64_t items;
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(check_dtype(ctx, dtype, false));
    const size_t size = bosc_dtype_size(dtype);
    const int64_t n = voxels->view.n;
    BI_TRY(count_items(ctx, voxels, capacity, arrays, 1, &items));
    BI_TRY(bi_voxels_check_rows(ctx, "of_means", of_means, items, width, 0, dtype, &rows));
    BI_TRY(check_out(ctx, "of_features", of_features, n, size));
    if (n == 0) return BOSC_OK;
    const size_t mean_bytes = (size_t)(items * width) * size, bytes = (size_t)(n * width) * size;
    const int64_t blocks = bi_div_up(width, BI_VOXELS_MEAN_COLUMNS);
    struct bi_voxels_mean_gradient gradient = {voxels->view, of_means, width, blocks, dtype == BOSC_F64, of_features};
    bi_progress_set_total(ctx, (double)n * (double)blocks);
    BI_RETURN_WITH_SCRATCH(ctx, gradient_staged(ctx, &gradient, mean_bytes, bytes));
}

static bosc_status nearest_staged(bosc_ctx *ctx, struct bi_voxels_nearest *nearest, int64_t items)
{
    const struct bi_voxels_ops *ops = ctx->ops->voxels;
    bool staged = false;
    struct bi_out out;
    BI_TRY(bi_voxels_stage_rows(ctx, &nearest->points, &staged));
    BI_TRY(bi_stage_out(ctx, nearest->ids, (size_t)items * (nearest->ids_64bit ? 8 : 4), &out, &staged));
    nearest->ids = out.reachable;
    BI_TRY_WITH_COST(ctx, reduction_cost(nearest->view.n, items),
                     (ops->nearest ? ops->nearest : ops->steps->nearest)(ctx, items, nearest));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_voxels_nearest(bosc_ctx *ctx, const bosc_voxels *voxels, const void *points, int64_t stride, void *ids,
                                int64_t capacity)
{
    const void *const arrays[] = {ids};
    int64_t items;
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    const bosc_voxels_opts *o = &voxels->opts;
    struct bi_voxels_nearest nearest = {.view = voxels->view, .ids = ids, .ids_64bit = o->id_bits == 64};
    BI_TRY(bi_voxels_check_rows(ctx, "points", points, voxels->view.n, o->dim, stride, o->dtype, &nearest.points));
    BI_TRY(count_items(ctx, voxels, capacity, arrays, 1, &items));
    BI_TRY(check_out(ctx, "ids", ids, items, id_bytes(voxels)));
    if (items == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)items * reduction_cost(voxels->view.n, items));
    BI_RETURN_WITH_SCRATCH(ctx, nearest_staged(ctx, &nearest, items));
}

static bosc_status pad_staged(bosc_ctx *ctx, struct bi_voxels_pad *pad, struct bi_voxels_rows *rows, int64_t items,
                              size_t bytes)
{
    bool staged = false;
    struct bi_out out;
    BI_TRY(bi_voxels_stage_rows(ctx, rows, &staged));
    pad->features = rows->data;
    BI_TRY(bi_stage_out(ctx, pad->padded, bytes, &out, &staged));
    pad->padded = out.reachable;
    BI_TRY_WITH_COST(ctx, 8 + (double)pad->width, ctx->ops->voxels->steps->pad(ctx, items * pad->rows, pad));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_voxels_pad(bosc_ctx *ctx, const bosc_voxels *voxels, bosc_dtype dtype, const void *features,
                            int64_t width, int64_t stride, int64_t rows, void *padded, int64_t capacity)
{
    const void *const arrays[] = {padded};
    struct bi_voxels_rows from;
    int64_t items;
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "voxels", voxels));
    BI_TRY(check_dtype(ctx, dtype, true));
    const size_t size = bosc_dtype_size(dtype);
    BI_TRY(bi_voxels_check_rows(ctx, "features", features, voxels->view.n, width, stride, dtype, &from));
    if (rows < 1) return bi_fail(ctx, BOSC_ERR_ARG, "rows: %lld is less than 1", (long long)rows);
    BI_TRY(count_items(ctx, voxels, capacity, arrays, 1, &items));
    BI_TRY(check_out(ctx, "padded", padded, items, size));
    if (items == 0) return BOSC_OK;
    if (rows > INT64_MAX / (int64_t)size / width / items)
        return bi_fail(ctx, BOSC_ERR_ARG, "rows: %lld of %lld elements for %lld voxels are more than memory can hold",
                       (long long)rows, (long long)width, (long long)items);
    const size_t bytes = (size_t)(items * rows * width) * size;
    struct bi_voxels_pad pad = {voxels->view, features, width, from.stride, rows, size == 8, padded};
    bi_progress_set_total(ctx, (double)items * (double)rows * (8 + (double)width));
    BI_RETURN_WITH_SCRATCH(ctx, pad_staged(ctx, &pad, &from, items, bytes));
}

/* --- Kernel maps -------------------------------------------------------------------------------------------------- */

/* Sets one number of a kernel: the caller's, or the default for 0. */
static bosc_status set_kernel(bosc_ctx *ctx, const char *name, int c, int32_t given, int32_t standard, int32_t most,
                              int32_t *to)
{
    if (given < 0 || given > most)
        return bi_fail(ctx, BOSC_ERR_ARG, "kernel: %s[%d] %d is not in 1 to %d", name, c, (int)given, (int)most);
    *to = given ? given : standard;
    return BOSC_OK;
}

/* Reads the geometry of a kernel along the first dim coordinates, and counts its lines. */
static bosc_status read_kernel(bosc_ctx *ctx, const bosc_voxels_kernel *kernel, int32_t dim, struct bi_voxels_map *map)
{
    enum { SHAPE = 3, MOST_SHAPE = 15, MOST_FACTOR = 1 << 20 };
    bosc_voxels_kernel k = {.size = sizeof k};
    if (kernel) {
        BI_TRY(bi_check_size(ctx, "kernel", "bosc_voxels_kernel", kernel->size, sizeof k));
        BI_TRY(bi_read_opts(ctx, "bosc_voxels_kernel", kernel, &k, sizeof k));
    }
    map->lines = 1;
    for (int c = 0; c < dim; c++) {
        BI_TRY(set_kernel(ctx, "shape", c, k.shape[c], SHAPE, MOST_SHAPE, &map->shape[c]));
        BI_TRY(set_kernel(ctx, "stride", c, k.stride[c], 1, MOST_FACTOR, &map->stride[c]));
        BI_TRY(set_kernel(ctx, "dilation", c, k.dilation[c], 1, MOST_FACTOR, &map->dilation[c]));
        if (c < dim - 1) map->lines *= map->shape[c];
    }
    return BOSC_OK;
}

static bosc_status map_staged(bosc_ctx *ctx, struct bi_voxels_map *map, int64_t items, size_t bytes)
{
    bool staged = false;
    struct bi_out out;
    BI_TRY(bi_stage_out(ctx, map->map, bytes, &out, &staged));
    map->map = out.reachable;
    BI_TRY(ctx->ops->voxels->steps->map(ctx, items * map->lines, map));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_voxels_kernel_map(bosc_ctx *ctx, const bosc_voxels *in, const bosc_voxels *out,
                                   const bosc_voxels_kernel *kernel, void *map, int64_t capacity)
{
    const void *const arrays[] = {map};
    int64_t items;
    BI_ENTER(ctx);
    BI_TRY(bi_voxels_check(ctx, "in", in));
    BI_TRY(bi_voxels_check(ctx, "out", out));
    const int32_t dim = in->opts.dim;
    struct bi_voxels_map args = {.in = in->view, .out = out->view, .map = map, .ids_64bit = in->opts.id_bits == 64};
    if (out->opts.dim != dim)
        return bi_fail(ctx, BOSC_ERR_ARG, "out: dim %d is not that of in, %d", (int)out->opts.dim, (int)dim);
    if (out->view.cloud_count != in->view.cloud_count)
        return bi_fail(ctx, BOSC_ERR_ARG, "out: %lld clouds are not those of in, %lld",
                       (long long)out->view.cloud_count, (long long)in->view.cloud_count);
    BI_TRY(read_kernel(ctx, kernel, dim, &args));
    BI_TRY(count_items(ctx, out, capacity, arrays, 1, &items));
    BI_TRY(check_out(ctx, "map", map, items, id_bytes(in)));
    if (items == 0) return BOSC_OK;
    const size_t bytes = (size_t)(items * args.lines * args.shape[dim - 1]) * id_bytes(in);
    bi_progress_set_total(ctx, (double)items * args.lines);
    BI_RETURN_WITH_SCRATCH(ctx, map_staged(ctx, &args, items, bytes));
}
