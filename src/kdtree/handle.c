/* Handles of k-d trees: creation, options, blocks, times, information, and the memory of builds. */
#include "kdtree/handle.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "core/call.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

bosc_status bi_kdtree_check_tree(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    return bi_check_handle(ctx, "tree", tree ? &tree->memory : NULL);
}

bosc_status bi_kdtree_check_has_rows(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    if (tree->opts.duplicates != BOSC_KDTREE_DUPLICATES_REMOVE) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "tree: duplicates were removed, so that rows are missing");
}

enum { MOST_BLOCKS = 65535, MOST_THREADS = 1024 }; /* of the published launch */

static bosc_status check_fields(bosc_ctx *ctx, const bosc_kdtree_opts *o)
{
    if (o->dtype != BOSC_F32 && o->dtype != BOSC_F64 && o->dtype != BOSC_I32 && o->dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is none of F32, F64, I32, I64", (int)o->dtype);
    if (o->dim < 1 || o->dim > 1024) return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to 1024", (int)o->dim);
    if (o->builder != BOSC_KDTREE_AUTO && o->builder != BOSC_KDTREE_BROWN)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: builder %d is none", (int)o->builder);
    if (o->duplicates != BOSC_KDTREE_DUPLICATES_KEEP && o->duplicates != BOSC_KDTREE_DUPLICATES_REMOVE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: duplicates %d is neither KEEP nor REMOVE", (int)o->duplicates);
    if (o->id_bits != 32 && o->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)o->id_bits);
    if (o->blocks < 0 || o->blocks > MOST_BLOCKS || (o->blocks == 0) != (o->threads == 0))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: blocks %d is not in 0 to %d, or only one of blocks and threads is 0",
                       (int)o->blocks, MOST_BLOCKS);
    if (o->threads < 0 || o->threads > MOST_THREADS || o->threads % 32)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: threads %d is not in 0 to %d, or no multiple of 32", (int)o->threads,
                       MOST_THREADS);
    if (o->full_coordinates && (o->builder != BOSC_KDTREE_BROWN || !o->sort_halves))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: full_coordinates needs builder BROWN with sort_halves");
    return BOSC_OK;
}

bosc_status bi_kdtree_check_opts(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but dim has no default");
    BI_TRY(bi_read_opts(ctx, "bosc_kdtree_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    return check_fields(ctx, full);
}

bosc_status bi_kdtree_check_size(bosc_ctx *ctx, int64_t n)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; a tree holds less than 2^32 - 1", (long long)n);
    return BOSC_OK;
}

size_t bi_kdtree_dist2_size(const bosc_kdtree *tree) { return tree->opts.dtype == BOSC_F32 ? 4 : 8; }

bosc_status bi_kdtree_check_answers(bosc_ctx *ctx, const bosc_kdtree *tree, const void *ids, const void *dist2)
{
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)tree->opts.id_bits / 8));
    return bi_check_aligned(ctx, "dist2", dist2, bi_kdtree_dist2_size(tree));
}

bosc_status bi_kdtree_check_k(bosc_ctx *ctx, int64_t k, int64_t query_count)
{
    if (k < 1) return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 1", (long long)k);
    if (query_count == 0 || k <= INT64_MAX / 16 / query_count) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld queries of %lld neighbours are more than memory can hold",
                   (long long)query_count, (long long)k);
}

bosc_status bi_kdtree_check_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, const void *data,
                                 const char *count_name, int64_t count, int64_t stride, struct bi_kdtree_rows *rows)
{
    int64_t size = (int64_t)bosc_dtype_size(tree->opts.dtype);
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", count_name, (long long)count);
    if (count > 0 && !data) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    if (stride < 0 || (stride > 0 && stride < tree->opts.dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than dim %d", (long long)stride, (int)tree->opts.dim);
    *rows = (struct bi_kdtree_rows){data, count, stride ? stride : tree->opts.dim};
    if (count > 0 && rows->stride > (INT64_MAX / size - tree->opts.dim) / count)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld rows of %lld elements are more than memory can hold", count_name,
                       (long long)count, (long long)rows->stride);
    return bi_check_aligned(ctx, array, data, (size_t)size);
}

bosc_status bi_kdtree_reach_rows(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows, bool *staged)
{
    if (rows->n == 0) return BOSC_OK;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + tree->opts.dim) * bosc_dtype_size(tree->opts.dtype);
    return bi_stage_in(ctx, rows->data, bytes, &rows->data, staged);
}

static bosc_status find_beyond(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows, double limit,
                               struct bi_kdtree_findings *found)
{
    return tree->ops->find_beyond(ctx, tree->opts.dtype, tree->opts.dim, rows, limit, found);
}

bosc_status bi_kdtree_refuse_nan(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array,
                                 const struct bi_kdtree_rows *rows)
{
    struct bi_kdtree_findings found;
    BI_TRY(find_beyond(ctx, tree, rows, (double)INFINITY, &found));
    if (found.beyond == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds a NaN", array, (long long)found.beyond);
}

/* *small = no coordinate of the rows is beyond the least ordinary one. A first row with such
 * a coordinate ends the search. */
static bosc_status are_all_small(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows, bool *small)
{
    enum { FIRST_ROWS = 4096 }; /* a chunk of the CPU's search; not measured */
    const double least = bi_kdtree_least_ordinary(tree->opts.dtype);
    struct bi_kdtree_findings found;
    struct bi_kdtree_rows first = *rows;
    if (first.n > FIRST_ROWS) first.n = FIRST_ROWS;
    BI_TRY(find_beyond(ctx, tree, &first, least, &found));
    if (found.beyond == INT64_MAX && first.n < rows->n) BI_TRY(find_beyond(ctx, tree, rows, least, &found));
    *small = found.beyond == INT64_MAX;
    return BOSC_OK;
}

bosc_status bi_kdtree_find_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                     enum bi_kdtree_magnitude *magnitude)
{
    const bosc_dtype dtype = tree->opts.dtype;
    struct bi_kdtree_findings found;
    bool small;
    *magnitude = BI_KDTREE_ORDINARY;
    if (rows->n == 0 || dtype == BOSC_I32 || dtype == BOSC_I64) return BOSC_OK;
    BI_TRY(find_beyond(ctx, tree, rows, bi_kdtree_largest_ordinary(dtype), &found));
    if (found.beyond != INT64_MAX) *magnitude = BI_KDTREE_LARGE;
    if (found.beyond != INT64_MAX || !found.tiny) return BOSC_OK;
    BI_TRY(are_all_small(ctx, tree, rows, &small));
    if (small) *magnitude = BI_KDTREE_SMALL;
    return BOSC_OK;
}

/* True if rows are of floats or doubles, and the caller does not assume them to be valid. */
static bool need_check(const bosc_kdtree *tree, const struct bi_kdtree_rows *rows)
{
    return rows->n > 0 && !tree->opts.assume_valid && (tree->opts.dtype == BOSC_F32 || tree->opts.dtype == BOSC_F64);
}

bosc_status bi_kdtree_stage_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, struct bi_kdtree_rows *rows,
                                 bool *staged)
{
    BI_TRY(bi_kdtree_reach_rows(ctx, tree, rows, staged));
    return need_check(tree, rows) ? bi_kdtree_refuse_nan(ctx, tree, array, rows) : BOSC_OK;
}

bosc_status bi_kdtree_stage_points(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows,
                                   enum bi_kdtree_magnitude *magnitude, bool *staged)
{
    *magnitude = BI_KDTREE_ORDINARY;
    BI_TRY(bi_kdtree_reach_rows(ctx, tree, rows, staged));
    if (need_check(tree, rows)) BI_TRY(bi_kdtree_find_magnitude(ctx, tree, rows, magnitude));
    return *magnitude == BI_KDTREE_LARGE ? bi_kdtree_refuse_nan(ctx, tree, "points", rows) : BOSC_OK;
}

bosc_status bi_kdtree_stage_queries(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows, bool *ordinary,
                                    bool *staged)
{
    struct bi_kdtree_findings found;
    *ordinary = true;
    BI_TRY(bi_kdtree_reach_rows(ctx, tree, rows, staged));
    if (!need_check(tree, rows)) return BOSC_OK;
    BI_TRY(find_beyond(ctx, tree, rows, bi_kdtree_largest_ordinary(tree->opts.dtype), &found));
    *ordinary = found.beyond == INT64_MAX;
    return *ordinary ? BOSC_OK : bi_kdtree_refuse_nan(ctx, tree, "queries", rows);
}

void bi_kdtree_list_blocks(const bosc_kdtree *tree, struct bi_block list[BI_KDTREE_BLOCKS])
{
    list[0] = tree->points;
    list[1] = tree->ids;
    list[2] = tree->index;
    list[3] = tree->inverse;
    list[4] = tree->counts;
}

/* Frees the blocks of `from` that `other` does not have. */
static void free_blocks(const bosc_kdtree *from, const bosc_kdtree *other)
{
    struct bi_block blocks[BI_KDTREE_BLOCKS], other_blocks[BI_KDTREE_BLOCKS];
    bi_kdtree_list_blocks(from, blocks);
    bi_kdtree_list_blocks(other, other_blocks);
    for (int b = 0; b < BI_KDTREE_BLOCKS; b++)
        if (blocks[b].data != other_blocks[b].data) bi_block_free(&from->memory, &blocks[b]);
}

size_t bi_kdtree_extents_size(const bosc_kdtree *tree)
{
    return 2 * (size_t)tree->opts.dim * sizeof *tree->query_cache.extents;
}

static void clear_query_cache(bosc_kdtree *tree)
{
    bi_memory_release(&tree->host, tree->query_cache.extents, bi_kdtree_extents_size(tree));
    tree->query_cache.extents = NULL;
}

void bi_kdtree_commit(bosc_kdtree *tree, const bosc_kdtree *next)
{
    free_blocks(tree, next);
    clear_query_cache(tree);
    *tree = *next;
    tree->query_cache = (struct bi_kdtree_query_cache){0};
}

void bi_kdtree_abandon(const bosc_kdtree *tree, const bosc_kdtree *next) { free_blocks(next, tree); }

bosc_status bi_kdtree_reserve_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, bosc_kdtree *next)
{
    size_t bytes[BI_KDTREE_BLOCKS] = {0};
    tree->ops->blocks(&tree->opts, n, bytes);
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) bytes[3] = bytes[4] = 4 * (size_t)n;
    *next = *tree;
    struct bi_block *list[BI_KDTREE_BLOCKS] = {&next->points, &next->ids, &next->index, &next->inverse, &next->counts};
    bosc_status status = BOSC_OK;
    for (int b = 0; b < BI_KDTREE_BLOCKS && status == BOSC_OK; b++) {
        if (bytes[b] <= list[b]->bytes) continue;
        *list[b] = (struct bi_block){0};
        status = bi_block_reserve(ctx, &tree->memory, list[b], bytes[b]);
    }
    if (status != BOSC_OK) bi_kdtree_abandon(tree, next);
    return status;
}

void bi_kdtree_begin_at(bosc_kdtree *tree, int32_t coordinate) { tree->next_first = coordinate; }

bosc_status bi_kdtree_new(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree)
{
    return BI_NEW_HANDLE(ctx, tree, .ops = ctx->ops->kdtree, .opts = *opts);
}

bosc_status bosc_kdtree_create(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree)
{
    bosc_kdtree_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_opts(ctx, opts, &full));
    if (!tree) return bi_fail(ctx, BOSC_ERR_ARG, "tree: NULL");
    return bi_kdtree_new(ctx, &full, tree);
}

bosc_status bi_kdtree_create_order(bosc_ctx *ctx, bosc_kdtree *tree)
{
    bosc_kdtree *order = bi_memory_alloc(&tree->host, sizeof *order);
    if (!order) return bi_fail(ctx, BOSC_ERR_NOMEM, "out of host memory: %zu bytes were refused", sizeof *order);
    *order = (bosc_kdtree){
        .ops = tree->ops, .memory = tree->memory, .host = tree->host, .opts = tree->opts, .by_extent = true};
    tree->order = order;
    return BOSC_OK;
}

bosc_status bi_kdtree_reserve_order(bosc_ctx *ctx, bosc_kdtree *tree, const size_t bytes[3])
{
    bosc_kdtree *order = tree->order;
    struct bi_block *blocks[] = {&order->points, &order->ids, &order->index};
    bosc_status status = BOSC_OK;
    for (int b = 0; b < 3 && status == BOSC_OK; b++)
        status = bi_block_reserve(ctx, &order->memory, blocks[b], bytes[b]);
    const int64_t kept = (int64_t)(order->points.bytes + order->ids.bytes + order->index.bytes);
    __atomic_store_n(&tree->order_bytes, kept, __ATOMIC_RELAXED);
    return status;
}

bool bi_kdtree_may_make_order(const bosc_kdtree *tree, const size_t bytes[3])
{
    const bosc_kdtree *order = tree->order;
    if (!tree->reserved) return true;
    return order && order->points.bytes >= bytes[0] && order->ids.bytes >= bytes[1] && order->index.bytes >= bytes[2];
}

void bosc_kdtree_free(bosc_kdtree *tree)
{
    if (!tree) return;
    bosc_kdtree empty = {0};
    clear_query_cache(tree);
    bosc_kdtree_free(tree->order);
    if (tree->by_extent && tree->ops->end_order) tree->ops->end_order(tree);
    bi_kdtree_abandon(&empty, tree);
    bi_memory_release(&tree->host, tree, sizeof *tree);
}

bosc_status bi_kdtree_end_stage(bosc_ctx *ctx, double *since, double *stage)
{
    BI_TRY(ctx->backend->sync(ctx));
    double t = bi_now();
    *stage += t - *since;
    *since = t;
    return BOSC_OK;
}

bosc_status bosc_kdtree_get_times(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree_times *times)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    if (!times) return bi_fail(ctx, BOSC_ERR_ARG, "times: NULL");
    BI_TRY(bi_check_info(ctx, "times", "bosc_kdtree_times", times->size, sizeof *times));
    bosc_kdtree_times full = {.init = tree->times.init,
                              .sort = tree->times.sort,
                              .deduplicate = tree->times.deduplicate,
                              .build = tree->times.build};
    __atomic_load(&((bosc_kdtree *)tree)->times.verify, &full.verify, __ATOMIC_RELAXED);
    bi_copy_info(times, &full, sizeof full);
    return BOSC_OK;
}

static int64_t count_bytes(const bosc_kdtree *tree)
{
    struct bi_block blocks[BI_KDTREE_BLOCKS];
    int64_t bytes = 0;
    bi_kdtree_list_blocks(tree, blocks);
    for (int b = 0; b < BI_KDTREE_BLOCKS; b++) bytes += (int64_t)blocks[b].bytes;
    return bytes;
}

bosc_status bosc_kdtree_get_info(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_kdtree_info));
    bosc_kdtree_info full = {.n = tree->n,
                             .nodes = tree->nodes,
                             .duplicates = tree->n - tree->nodes,
                             .dim = tree->opts.dim,
                             .depth = bi_kdtree_depth(tree->nodes),
                             .dtype = tree->opts.dtype,
                             .id_bits = tree->opts.id_bits};
    full.bytes = count_bytes(tree) + __atomic_load_n(&((bosc_kdtree *)tree)->order_bytes, __ATOMIC_RELAXED);
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* Returns the scratch of the published method: lists, the order of nodes, and the larger need of sorting (with keys of
 * lists) and of partitioning and storing. */
static int64_t brown_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n)
{
    int64_t size = (int64_t)bosc_dtype_size(opts->dtype), levels = bi_kdtree_last_list_level(n) + 1;
    int64_t lists = opts->dim < levels ? opts->dim : levels;
    bool unique = opts->duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    int64_t sort = 4 * size + (opts->sort_halves ? opts->dim * size / 2 + 4 : 0), store = unique ? 28 : 0;
    int64_t sorting = n * (sort + (unique ? lists * size : 0));
    int64_t making = ctx->ops->kdtree->build_scratch(ctx, opts, n) + n * store;
    /* 8: order and spare list; 20: arrays of bi_kdtree_allocate_runs; n / 4: counts of pieces. */
    return n * (4 * lists + 8 + (unique ? 20 : 0)) + n / 4 + bi_max_i64(sorting, making);
}

/* Returns the scratch of a build with host points. */
static int64_t build_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n)
{
    const struct bi_kdtree_ops *ops = ctx->ops->kdtree;
    int64_t size = (int64_t)bosc_dtype_size(opts->dtype), scratch;
    int depth = bi_kdtree_depth(n), lists = opts->dim < depth ? opts->dim : depth;
    bool lists_needed = ops->needs_lists && ops->needs_lists(opts);
    bool unique = opts->duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    if (opts->builder == BOSC_KDTREE_BROWN)
        return brown_scratch(ctx, opts, n) + n * opts->dim * size + 65536; /* as below */
    if (lists_needed)
        scratch = n * (8 * lists + 24); /* lists, order and partitioning */
    else
        scratch = ops->build_scratch(ctx, opts, n);
    if (lists_needed || unique)
        scratch += n * (2 * opts->dim * size + 4 * size + 16); /* sorted rows, keys, and their sort */
    if (unique) scratch += n * (opts->dim * size + 45);
    return scratch + n * opts->dim * size + 65536; /* staged host points; rounding of allocations */
}

/* Returns the scratch of a search of a tree of n nodes with reachable arrays. With as many queries as nodes, the nodes
 * themselves may be the queries, as rows by id. */
static int64_t query_scratch(const bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, int64_t query_count, int64_t k)
{
    int64_t row = tree->opts.dim * (int64_t)bosc_dtype_size(tree->opts.dtype);
    bosc_kdtree sized = *tree;
    sized.nodes = n;
    return (int64_t)tree->ops->query_bytes(ctx, &sized, query_count, k) + (query_count >= n ? n * (2 * row + 8) : 0) +
           4096;
}

/* Copies the tree to the larger blocks of *next, and replaces it by *next. */
static bosc_status move_blocks(bosc_ctx *ctx, bosc_kdtree *tree, const bosc_kdtree *next)
{
    struct bi_block from[BI_KDTREE_BLOCKS], to[BI_KDTREE_BLOCKS];
    bosc_status status = BOSC_OK;
    bool copied = false;
    bi_kdtree_list_blocks(tree, from);
    bi_kdtree_list_blocks(next, to);
    for (int b = 0; b < BI_KDTREE_BLOCKS && status == BOSC_OK; b++) {
        if (!from[b].data || from[b].data == to[b].data) continue;
        status = ctx->backend->copy(ctx, to[b].data, from[b].data, from[b].bytes);
        copied = true;
    }
    if (status == BOSC_OK && copied) status = ctx->backend->sync(ctx);
    if (status == BOSC_OK)
        bi_kdtree_commit(tree, next);
    else
        bi_kdtree_abandon(tree, next);
    return status;
}

bosc_status bosc_kdtree_reserve(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n, int64_t query_count, int64_t k)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    BI_TRY(bi_kdtree_check_size(ctx, n));
    if (query_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is less than 0", (long long)query_count);
    if (k < 0) return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 0", (long long)k);
    int64_t entry = k > INT64_MAX / 64 ? INT64_MAX : 16 * (k + 1) + 8 * (int64_t)tree->opts.dim;
    if (entry == INT64_MAX || (query_count > 0 && entry > INT64_MAX / 4 / query_count))
        return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld queries of %lld neighbours are more than memory can hold",
                       (long long)query_count, (long long)k);
    int64_t scratch = build_scratch(ctx, &tree->opts, n);
    const bool has_order = query_count >= n && tree->ops->reserve_order; /* fewer queries make no order */
    int64_t order = 0, order_scratch = 0;
    if (has_order) tree->ops->order_bytes(ctx, &tree->opts, n, &order, &order_scratch);
    int64_t queries = bi_max_i64(query_scratch(ctx, tree, n, query_count, k), order_scratch) + query_count * entry;
    bosc_kdtree next;
    void *memory;
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)bi_max_i64(scratch, queries), &memory));
    BI_TRY(bi_kdtree_reserve_blocks(ctx, tree, n, &next));
    next.reserved |= query_count > 0;
    BI_TRY(move_blocks(ctx, tree, &next));
    return order > 0 ? tree->ops->reserve_order(ctx, tree, n) : BOSC_OK;
}

bosc_status bosc_kdtree_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                              int64_t *scratch)
{
    bosc_kdtree_opts full;
    bosc_ctx *messages = (bosc_ctx *)ctx; /* only its message is written */
    BI_ENTER(messages);
    BI_TRY(bi_kdtree_check_opts(messages, opts, &full));
    BI_TRY(bi_kdtree_check_size(messages, n));
    size_t bytes[3];
    ctx->ops->kdtree->blocks(&full, n, bytes);
    int64_t runs = full.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE ? 8 * n : 0, order = 0, order_scratch = 0;
    if (ctx->ops->kdtree->order_bytes) ctx->ops->kdtree->order_bytes(ctx, &full, n, &order, &order_scratch);
    if (kept) *kept = (int64_t)(bytes[0] + bytes[1] + bytes[2]) + runs + order;
    if (scratch) *scratch = bi_max_i64(build_scratch(ctx, &full, n), order_scratch);
    return BOSC_OK;
}
