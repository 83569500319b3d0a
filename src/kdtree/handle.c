/* The front door of k-d trees: handles, options and what a tree tells about itself. */
#include <string.h>

#include "base/bits.h"
#include "core/call.h"
#include "kdtree/drivers.h"

bosc_status bi_kdtree_check_tree(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    return bi_check_handle(ctx, "tree", tree ? &tree->memory : NULL);
}

static bosc_status check_fields(bosc_ctx *ctx, const bosc_kdtree_opts *o)
{
    if (o->dtype != BOSC_F32 && o->dtype != BOSC_F64 && o->dtype != BOSC_I32 && o->dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is none of F32, F64, I32, I64", (int)o->dtype);
    if (o->dim < 1 || o->dim > 1024) return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to 1024", (int)o->dim);
    if (o->builder != BOSC_KDTREE_AUTO && o->builder != BOSC_KDTREE_BROWN)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: builder %d is none", (int)o->builder);
    if (o->duplicates != BOSC_DUPLICATES_KEEP && o->duplicates != BOSC_DUPLICATES_REMOVE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: duplicates %d is neither KEEP nor REMOVE", (int)o->duplicates);
    if (o->id_bits != 32 && o->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)o->id_bits);
    return BOSC_OK;
}

bosc_status bi_kdtree_check_opts(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but dim has no default");
    BI_TRY(bi_take_opts(ctx, "bosc_kdtree_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    return check_fields(ctx, full);
}

bosc_status bi_kdtree_check_answers(bosc_ctx *ctx, const bosc_kdtree *tree, const void *ids, const void *dist2)
{
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)tree->opts.id_bits / 8));
    return bi_check_aligned(ctx, "dist2", dist2, tree->opts.dtype == BOSC_F32 ? 4 : 8);
}

bosc_status bi_kdtree_check_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, const void *data,
                                 const char *n_name, int64_t count, int64_t stride, struct bi_kdtree_rows *rows)
{
    int64_t size = (int64_t)bosc_dtype_size(tree->opts.dtype);
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", n_name, (long long)count);
    if (count > 0 && !data) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    if (stride < 0 || (stride > 0 && stride < tree->opts.dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than dim %d", (long long)stride, (int)tree->opts.dim);
    *rows = (struct bi_kdtree_rows){data, count, stride ? stride : tree->opts.dim};
    if (count > 0 && rows->stride > (INT64_MAX / size - tree->opts.dim) / count)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld rows of %lld elements are more than memory can hold", n_name,
                       (long long)count, (long long)rows->stride);
    return bi_check_aligned(ctx, array, data, (size_t)size);
}

bosc_status bi_kdtree_new(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree)
{
    bosc_kdtree *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_kdtree){.ops = ctx->ops->kdtree, .memory = ctx->memory, .host = ctx->host, .opts = *opts};
    *tree = fresh;
    return BOSC_OK;
}

bosc_status bosc_kdtree_create(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree)
{
    bosc_kdtree_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_opts(ctx, opts, &full));
    if (!tree) return bi_fail(ctx, BOSC_ERR_ARG, "tree: NULL");
    return bi_kdtree_new(ctx, &full, tree);
}

void bosc_kdtree_free(bosc_kdtree *tree)
{
    if (!tree) return;
    bosc_kdtree nothing = {0};
    struct bi_memory host = tree->host;
    bi_kdtree_abandon(&nothing, tree);
    bi_memory_release(&host, tree, sizeof *tree);
}

static bosc_status check_size(bosc_ctx *ctx, const char *name, int64_t n)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", name, (long long)n);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld points; a tree holds less than 2^32 - 1", name, (long long)n);
    return BOSC_OK;
}

bosc_status bosc_kdtree_reserve(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n, int64_t m, int64_t k)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    BI_TRY(check_size(ctx, "n", n));
    if (m < 0) return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld is less than 0", (long long)m);
    if (k < 0) return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 0", (long long)k);
    int64_t entry = k > INT64_MAX / 64 ? INT64_MAX : 16 * (k + 1) + 8 * (int64_t)tree->opts.dim;
    if (entry == INT64_MAX || (m > 0 && entry > INT64_MAX / 4 / m))
        return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld queries of %lld neighbours are more than memory can hold",
                       (long long)m, (long long)k);
    int64_t scratch = bi_kdtree_build_scratch(tree->ops, &tree->opts, n);
    bosc_kdtree sized = *tree;
    sized.nodes = n;
    int64_t queries = (int64_t)tree->ops->query_bytes(&sized, m, k) + m * entry + 4096;
    bosc_kdtree next;
    void *room;
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)(scratch > queries ? scratch : queries), &room));
    if (n <= tree->nodes) return BOSC_OK;
    BI_TRY(bi_kdtree_reserve_blocks(ctx, tree, n, &next));
    if (next.points.data == tree->points.data && next.ids.data == tree->ids.data && next.index.data == tree->index.data)
        return BOSC_OK;
    return bi_kdtree_move(ctx, tree, &next);
}

bosc_status bosc_kdtree_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                              int64_t *scratch)
{
    bosc_kdtree_opts full;
    if (!ctx) return BOSC_ERR_ARG;
    bosc_ctx *says = (bosc_ctx *)ctx; /* only its message is written */
    bi_begin(says);
    BI_TRY(bi_kdtree_check_opts(says, opts, &full));
    BI_TRY(check_size(says, "n", n));
    size_t bytes[3];
    ctx->ops->kdtree->blocks(&full, n, bytes);
    int64_t runs = full.duplicates == BOSC_DUPLICATES_REMOVE ? 8 * n : 0;
    if (kept) *kept = (int64_t)(bytes[0] + bytes[1] + bytes[2]) + runs;
    if (scratch) *scratch = bi_kdtree_build_scratch(ctx->ops->kdtree, &full, n);
    return BOSC_OK;
}

bosc_status bosc_kdtree_build(bosc_ctx *ctx, bosc_kdtree *tree, const void *points, int64_t n, int64_t stride)
{
    struct bi_kdtree_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    BI_TRY(check_size(ctx, "n", n));
    BI_TRY(bi_kdtree_check_rows(ctx, tree, "points", points, "n", n, stride, &rows));
    return bi_kdtree_build(ctx, tree, rows);
}

bosc_status bosc_kdtree_get_times(const bosc_kdtree *tree, bosc_kdtree_times *times)
{
    if (!tree || !times || times->size < sizeof(size_t) || times->size > sizeof *times) return BOSC_ERR_ARG;
    bosc_kdtree_times full = {.init = tree->times.init,
                              .sort = tree->times.sort,
                              .deduplicate = tree->times.deduplicate,
                              .build = tree->times.build};
    __atomic_load(&((bosc_kdtree *)tree)->times.verify, &full.verify, __ATOMIC_RELAXED);
    full.size = times->size;
    memcpy(times, &full, times->size);
    return BOSC_OK;
}

bosc_status bosc_kdtree_get_info(const bosc_kdtree *tree, bosc_kdtree_info *info)
{
    if (!tree || !info || info->size < sizeof(size_t) || info->size > sizeof *info) return BOSC_ERR_ARG;
    size_t bytes = tree->points.bytes + tree->ids.bytes + tree->index.bytes + tree->inverse.bytes + tree->counts.bytes;
    bosc_kdtree_info full = {.size = info->size,
                             .n = tree->n,
                             .nodes = tree->nodes,
                             .duplicates = tree->n - tree->nodes,
                             .dim = tree->opts.dim,
                             .depth = bi_kdtree_depth(tree->nodes),
                             .dtype = tree->opts.dtype,
                             .id_bits = tree->opts.id_bits,
                             .bytes = (int64_t)bytes};
    memcpy(info, &full, info->size);
    return BOSC_OK;
}
