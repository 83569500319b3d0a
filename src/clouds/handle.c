/* The handle of a batch of clouds: options, checks, blocks, bytes and info; and what its drivers share: staged rows,
 * checked contents, and the order of rows. */
#include "clouds/handle.h"

#include "core/arena.h"

enum { POINTS, IDS, BOXES, LEAST_IDS, OFFSETS, EXTENTS, BLOCKS }; /* the batch's blocks, in arrays of them */
enum { SLACK = 1 << 20 };                                         /* scratch for counters and alignment: a margin */

bosc_status bi_clouds_check(bosc_ctx *ctx, const bosc_clouds *clouds)
{
    return bi_check_handle(ctx, "clouds", clouds ? &clouds->memory : NULL);
}

bosc_status bi_clouds_check_rows(bosc_ctx *ctx, const bosc_clouds *clouds, const char *array, const void *data,
                                 const char *count_name, int64_t count, int64_t stride, struct bi_clouds_rows *rows)
{
    const int64_t size = (int64_t)bosc_dtype_size(clouds->opts.dtype), dim = clouds->opts.dim;
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", count_name, (long long)count);
    if (count > 0 && !data) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    if (stride < 0 || (stride > 0 && stride < dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than dim %d", (long long)stride, (int)dim);
    *rows = (struct bi_clouds_rows){data, count, stride ? stride : dim, (int32_t)dim, clouds->opts.dtype == BOSC_F64};
    if (count > 0 && rows->stride > (INT64_MAX / size - dim) / count)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld rows of %lld elements are more than memory can hold", count_name,
                       (long long)count, (long long)rows->stride);
    return bi_check_aligned(ctx, array, data, (size_t)size);
}

bosc_status bi_clouds_check_offsets(bosc_ctx *ctx, const char *array, const int64_t *offsets)
{
    if (!offsets) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    return bi_check_aligned(ctx, array, offsets, sizeof *offsets);
}

static bosc_status check_opts(bosc_ctx *ctx, const bosc_clouds_opts *opts, bosc_clouds_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but dim has no default");
    BI_TRY(bi_read_opts(ctx, "bosc_clouds_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->dtype != BOSC_F32 && full->dtype != BOSC_F64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is neither F32 nor F64", (int)full->dtype);
    if (full->dim < 1 || full->dim > BI_CLOUDS_DIM)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to %d", (int)full->dim, BI_CLOUDS_DIM);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    if (full->max_points < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_points %lld is less than 0", (long long)full->max_points);
    return BOSC_OK;
}

int32_t bi_clouds_pitch(int32_t dim, bool is_f64) { return dim == 3 && !is_f64 ? 4 : dim; }

bosc_status bosc_clouds_create(bosc_ctx *ctx, const bosc_clouds_opts *opts, bosc_clouds **clouds)
{
    bosc_clouds_opts full;
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    if (!clouds) return bi_fail(ctx, BOSC_ERR_ARG, "clouds: NULL");
    const bool is_f64 = full.dtype == BOSC_F64;
    return BI_NEW_HANDLE(ctx, clouds, .opts = full,
                         .view = {.dim = full.dim, .pitch = bi_clouds_pitch(full.dim, is_f64), .is_f64 = is_f64});
}

void bosc_clouds_free(bosc_clouds *clouds)
{
    if (!clouds) return;
    bi_block_free(&clouds->memory, &clouds->points);
    bi_block_free(&clouds->memory, &clouds->ids);
    bi_block_free(&clouds->memory, &clouds->boxes);
    bi_block_free(&clouds->memory, &clouds->least_ids);
    bi_block_free(&clouds->memory, &clouds->offsets);
    bi_block_free(&clouds->memory, &clouds->extents);
    bi_memory_release(&clouds->host, clouds, sizeof *clouds);
}

void bi_clouds_shape(struct bi_clouds_view *view)
{
    view->levels = bi_clouds_level_count(view->largest);
    view->slots = 0;
    for (int l = 0; l < view->levels; l++) {
        view->first_slot[l] = view->slots;
        view->slots += (view->n >> bi_clouds_node_bits(l)) + view->cloud_count;
    }
}

/* Bytes of the blocks that a shaped view uses. */
static void view_bytes(const struct bi_clouds_view *v, size_t bytes[BLOCKS])
{
    const size_t row = (size_t)v->pitch * (v->is_f64 ? sizeof(double) : sizeof(float));
    bytes[POINTS] = (size_t)v->n * row;
    bytes[IDS] = (size_t)v->n * sizeof(uint32_t);
    bytes[BOXES] = (size_t)v->slots * 2 * row;
    bytes[LEAST_IDS] = (size_t)v->slots * sizeof(uint32_t);
    bytes[OFFSETS] = ((size_t)v->cloud_count + 1) * sizeof(int64_t);
    bytes[EXTENTS] = v->sorted ? (size_t)v->cloud_count * 2 * (size_t)bi_clouds_axes(v->dim) * sizeof(uint64_t) : 0;
}

/* Bytes of the blocks of n points in cloud_count clouds of any sizes that the options allow. */
static void max_bytes(const bosc_clouds_opts *o, int64_t n, int64_t cloud_count, size_t bytes[BLOCKS])
{
    const bool is_f64 = o->dtype == BOSC_F64;
    struct bi_clouds_view v = {.n = n,
                               .cloud_count = cloud_count,
                               .largest = n,
                               .dim = o->dim,
                               .pitch = bi_clouds_pitch(o->dim, is_f64),
                               .is_f64 = is_f64,
                               .sorted = true};
    if (o->assume_valid && o->max_points > 0 && o->max_points < n) v.largest = o->max_points;
    bi_clouds_shape(&v);
    view_bytes(&v, bytes);
}

static void set_view_blocks(const bosc_clouds *clouds, struct bi_clouds_view *view)
{
    view->points = clouds->points.data;
    view->ids = clouds->ids.data;
    view->boxes = clouds->boxes.data;
    view->least_ids = clouds->least_ids.data;
    view->offsets = clouds->offsets.data;
    view->extents = clouds->extents.data;
}

bosc_status bi_clouds_reserve_blocks(bosc_ctx *ctx, bosc_clouds *clouds, struct bi_clouds_view *view)
{
    struct bi_block *const blocks[BLOCKS] = {&clouds->points,    &clouds->ids,     &clouds->boxes,
                                             &clouds->least_ids, &clouds->offsets, &clouds->extents};
    size_t bytes[BLOCKS];
    view_bytes(view, bytes);
    for (int b = 0; b < BLOCKS; b++) BI_TRY(bi_block_reserve(ctx, &clouds->memory, blocks[b], bytes[b]));
    set_view_blocks(clouds, view);
    return BOSC_OK;
}

/* Scratch for a build of `count` host points, or for `count` host queries: staged rows and offsets or clouds of rows,
 * offsets made of these, keys and numbers, twice as much for their sort, and gathered queries; or the distances of
 * samples and a word a node. */
static int64_t scratch_bytes(const bosc_clouds_opts *o, int64_t count, int64_t cloud_count)
{
    const int64_t of_row = (o->dim + 1) * 2 * (int64_t)bosc_dtype_size(o->dtype) + 80;
    return count * of_row + cloud_count * (32 + 4 * BI_CLOUDS_LEVELS) + SLACK;
}

bosc_status bi_clouds_check_sizes(bosc_ctx *ctx, const bosc_clouds_opts *o, int64_t n, int64_t cloud_count,
                                  int64_t query_count)
{
    BI_TRY(bi_check_batch_sizes(ctx, "batch", n, cloud_count));
    if (query_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is less than 0", (long long)query_count);
    if (query_count > (INT64_MAX / 2 - SLACK) / (16 * ((int64_t)o->dim + 1) + 80))
        return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld queries are more than memory can hold",
                       (long long)query_count);
    return BOSC_OK;
}

bosc_status bosc_clouds_bytes(bosc_ctx *ctx, const bosc_clouds_opts *opts, int64_t n, int64_t cloud_count,
                              int64_t *kept, int64_t *scratch)
{
    bosc_clouds_opts full;
    size_t bytes[BLOCKS], sum = 0;
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    BI_TRY(bi_clouds_check_sizes(ctx, &full, n, cloud_count, 0));
    max_bytes(&full, n, cloud_count, bytes);
    for (int b = 0; b < BLOCKS; b++) sum += bytes[b];
    if (kept) *kept = (int64_t)sum;
    if (scratch) *scratch = scratch_bytes(&full, n, cloud_count);
    return BOSC_OK;
}

/* Makes the blocks longer, keeping their contents. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_clouds *clouds, const size_t bytes[BLOCKS])
{
    struct bi_block *const blocks[BLOCKS] = {&clouds->points,    &clouds->ids,     &clouds->boxes,
                                             &clouds->least_ids, &clouds->offsets, &clouds->extents};
    size_t used[BLOCKS] = {0};
    if (clouds->view.cloud_count > 0) view_bytes(&clouds->view, used);
    bosc_status status = bi_blocks_grow(ctx, &clouds->memory, blocks, BLOCKS, bytes, used);
    set_view_blocks(clouds, &clouds->view);
    return status;
}

bosc_status bosc_clouds_reserve(bosc_ctx *ctx, bosc_clouds *clouds, int64_t n, int64_t cloud_count, int64_t query_count)
{
    size_t bytes[BLOCKS];
    void *scratch;
    BI_ENTER(ctx);
    BI_TRY(bi_clouds_check(ctx, clouds));
    BI_TRY(bi_clouds_check_sizes(ctx, &clouds->opts, n, cloud_count, query_count));
    const int64_t rows = n > query_count ? n : query_count;
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch_bytes(&clouds->opts, rows, cloud_count), &scratch));
    max_bytes(&clouds->opts, n, cloud_count, bytes);
    return grow_blocks(ctx, clouds, bytes);
}

bosc_status bosc_clouds_get_info(bosc_ctx *ctx, const bosc_clouds *clouds, bosc_clouds_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_clouds_check(ctx, clouds));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_clouds_info));
    const struct bi_clouds_view *v = &clouds->view;
    bosc_clouds_info full = {.n = v->n,
                             .cloud_count = v->cloud_count,
                             .largest = v->largest,
                             .dim = v->dim,
                             .dtype = clouds->opts.dtype,
                             .id_bits = clouds->opts.id_bits,
                             .smallest = v->smallest};
    full.bytes = (int64_t)(clouds->points.bytes + clouds->ids.bytes + clouds->boxes.bytes + clouds->least_ids.bytes +
                           clouds->offsets.bytes + clouds->extents.bytes);
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

/* --- Shared by the drivers ---------------------------------------------------------------------------------------- */

bosc_status bi_clouds_stage_rows(bosc_ctx *ctx, struct bi_clouds_rows *rows, bool *staged)
{
    if (rows->n == 0) return BOSC_OK;
    const size_t bytes =
        (size_t)((rows->n - 1) * rows->stride + rows->dim) * (rows->is_f64 ? sizeof(double) : sizeof(float));
    return bi_stage_in(ctx, rows->data, bytes, &rows->data, staged);
}

bosc_status bi_clouds_check_contents(bosc_ctx *ctx, struct bi_clouds_contents *contents)
{
    enum { BAD_OFFSET, NAN_ROW, LARGEST, SMALLEST, LAST, FOUND };
    int64_t found[FOUND] = {INT64_MAX, INT64_MAX, 0, INT64_MAX, 0}, *reached;
    const struct bi_clouds_steps *steps = ctx->ops->clouds->steps;
    const struct bi_clouds_rows *rows = contents->rows;
    /* 1. Queue all checks; one wait serves them. */
    BI_TRY(bi_scratch_of(ctx, FOUND, sizeof *found, &reached));
    BI_TRY(ctx->backend->copy(ctx, reached, found, sizeof found));
    if (contents->count == 0) BI_TRY(ctx->backend->copy(ctx, reached + LAST, contents->offsets, sizeof *found));
    if (contents->count > 0) {
        const struct bi_clouds_sizes sizes = {contents->offsets, contents->count, reached + LARGEST, reached + SMALLEST,
                                              reached + LAST};
        BI_TRY(ctx->backend->core->check_offsets(ctx, contents->offsets, contents->count, reached + BAD_OFFSET));
        BI_TRY(steps->sizes(ctx, contents->count, &sizes));
    }
    if (rows && rows->n > 0) {
        const struct bi_clouds_find_nan nan = {*rows, reached + NAN_ROW};
        BI_TRY(steps->find_nan(ctx, rows->n, &nan));
    }
    BI_TRY(bi_read_back(ctx, found, reached, sizeof found));
    /* 2. Report the first failure. */
    BI_TRY(bi_check_batch_offsets(ctx, contents->offsets_name, contents->count, found[BAD_OFFSET], found[LAST],
                                  contents->total));
    if (found[NAN_ROW] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds a NaN", contents->rows_name, (long long)found[NAN_ROW]);
    contents->largest = -found[LARGEST];
    contents->smallest = contents->count > 0 ? found[SMALLEST] : 0;
    return BOSC_OK;
}

/* Sets the bits of a key: the cloud above a Morton code whose cells are few beside the points of a cloud. FINER: bits
 * beyond one cell a point, as few points are uniform; not measured. If keys of 32 bits lack two of them at most,
 * they have 32. Returns the bits of the whole key. */
static int shape_keys(const struct bi_clouds_view *view, struct bi_clouds_key *key)
{
    enum { FINER = 3, MOST_AXIS_BITS = 31 };
    const int axes = bi_clouds_axes(view->dim), cloud_bits = bi_bit_length((uint64_t)view->cloud_count - 1);
    const int fitting = (32 - cloud_bits) / axes;
    key->bits = (bi_bit_length((uint64_t)view->largest) + axes - 1) / axes + FINER;
    if (key->bits > MOST_AXIS_BITS) key->bits = MOST_AXIS_BITS;
    if (key->bits > (64 - cloud_bits) / axes) key->bits = (64 - cloud_bits) / axes;
    if (key->bits > fitting && key->bits <= fitting + 2 && fitting > 0) key->bits = fitting;
    key->keys_64bit = cloud_bits + axes * key->bits > 32;
    return cloud_bits + axes * key->bits;
}

bosc_status bi_clouds_order_rows(bosc_ctx *ctx, const struct bi_clouds_view *view, const struct bi_clouds_rows *rows,
                                 const int64_t *offsets, uint32_t *order)
{
    struct bi_clouds_key key = {
        .rows = *rows, .offsets = offsets, .extents = view->extents, .cloud_count = view->cloud_count};
    const int bits = shape_keys(view, &key);
    const size_t key_size = key.keys_64bit ? 8 : 4;
    void *sorted; /* output of its own: a sort in place copies it back */
    BI_TRY(bi_scratch_of(ctx, rows->n, key_size, &key.keys));
    BI_TRY(bi_scratch_of(ctx, rows->n, key_size, &sorted));
    BI_TRY(bi_scratch_of(ctx, rows->n, sizeof *order, &key.numbers));
    BI_TRY(ctx->ops->clouds->steps->key(ctx, rows->n, &key));
    return ctx->backend->core->sort_pairs(ctx, key.keys_64bit ? BOSC_U64 : BOSC_U32, key.keys, sizeof *order,
                                          key.numbers, rows->n, sorted, order, 0, bits);
}
