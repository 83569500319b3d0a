/* The driver of builds: which builder runs, and what a tree holds when one fails.
 *
 * A build works on a copy of the handle whose blocks are new where the old ones are too small. Builders take their
 * scratch before they write to blocks that the tree has in use, so that a lack of memory leaves the tree as it was. */
#include <string.h>
#include <time.h>

#include "core/call.h"
#include "kdtree/drivers.h"

enum { BLOCKS = 5 };

static void list_blocks(const bosc_kdtree *tree, struct bi_block list[BLOCKS])
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
    struct bi_block mine[BLOCKS], theirs[BLOCKS];
    list_blocks(from, mine);
    list_blocks(other, theirs);
    for (int b = 0; b < BLOCKS; b++)
        if (mine[b].data != theirs[b].data) bi_block_free(&from->memory, &mine[b]);
}

void bi_kdtree_commit(bosc_kdtree *tree, const bosc_kdtree *next)
{
    free_blocks(tree, next);
    *tree = *next;
}

void bi_kdtree_abandon(const bosc_kdtree *tree, const bosc_kdtree *next) { free_blocks(next, tree); }

bosc_status bi_kdtree_reserve_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, bosc_kdtree *next)
{
    size_t bytes[BLOCKS] = {0};
    tree->ops->blocks(&tree->opts, n, bytes);
    if (tree->opts.duplicates == BOSC_DUPLICATES_REMOVE) bytes[3] = bytes[4] = 4 * (size_t)n;
    *next = *tree;
    struct bi_block *list[BLOCKS] = {&next->points, &next->ids, &next->index, &next->inverse, &next->counts};
    bosc_status status = BOSC_OK;
    for (int b = 0; b < BLOCKS && status == BOSC_OK; b++) {
        if (bytes[b] <= list[b]->bytes) continue;
        *list[b] = (struct bi_block){0};
        status = bi_block_reserve(ctx, &tree->memory, list[b], bytes[b]);
    }
    if (status != BOSC_OK) bi_kdtree_abandon(tree, next);
    return status;
}

bosc_status bi_kdtree_move(bosc_ctx *ctx, bosc_kdtree *tree, const bosc_kdtree *next)
{
    struct bi_block from[BLOCKS], to[BLOCKS];
    bosc_status status = BOSC_OK;
    list_blocks(tree, from);
    list_blocks(next, to);
    for (int b = 0; b < BLOCKS && status == BOSC_OK; b++)
        if (from[b].data && from[b].data != to[b].data)
            status = ctx->backend->copy(ctx, to[b].data, from[b].data, from[b].bytes);
    if (status == BOSC_OK) status = ctx->backend->sync(ctx);
    if (status == BOSC_OK)
        bi_kdtree_commit(tree, next);
    else
        bi_kdtree_abandon(tree, next);
    return status;
}

bosc_status bi_kdtree_stage_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, struct bi_kdtree_rows *rows,
                                 bool *staged)
{
    bosc_dtype dtype = tree->opts.dtype;
    if (rows->n == 0) return BOSC_OK;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + tree->opts.dim) * bosc_dtype_size(dtype);
    BI_TRY(bi_stage_in(ctx, rows->data, bytes, &rows->data, staged));
    if (tree->opts.assume_valid || dtype == BOSC_I32 || dtype == BOSC_I64) return BOSC_OK;
    void *found;
    int64_t row;
    BI_TRY(bi_scratch(ctx, sizeof row, &found));
    BI_TRY(tree->ops->find_nan(ctx, dtype, tree->opts.dim, rows, found));
    BI_TRY(bi_read_back(ctx, &row, found, sizeof row));
    if (row == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds a NaN", array, (long long)row);
}

double bi_kdtree_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Adds the seconds since *since to *stage, once the work of the stage is done. */
static bosc_status end_stage(bosc_ctx *ctx, double *since, double *stage)
{
    BI_TRY(ctx->backend->sync(ctx));
    double t = bi_kdtree_now();
    *stage += t - *since;
    *since = t;
    return BOSC_OK;
}

static bosc_status build_kept(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    next->nodes = rows->n;
    if (next->ops->builds(&next->opts, rows->n)) return next->ops->build(ctx, next, rows);
    return bi_kdtree_build_presorted(ctx, next, rows);
}

/* Builds from the first row of each run of equal points. */
static bosc_status build_unique(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    struct bi_kdtree_sorted sorted;
    struct bi_kdtree_runs runs;
    BI_TRY(bi_kdtree_sort_rows(ctx, next->ops, &next->opts, rows, &sorted));
    BI_TRY(bi_kdtree_find_runs(ctx, next->ops, &next->opts, &sorted, &runs));
    BI_TRY(bi_progress(ctx, "build", 0.5));
    BI_TRY(build_kept(ctx, next, &runs.rows));
    return bi_kdtree_keep_runs(ctx, next, &runs);
}

/* The published method, stage by stage. */
static bosc_status build_brown(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    bool unique = next->opts.duplicates == BOSC_DUPLICATES_REMOVE;
    bosc_kdtree_times *times = &next->times;
    struct bi_kdtree_sorted sorted;
    struct bi_kdtree_lists lists;
    struct bi_kdtree_runs runs = {.n = rows->n, .count = rows->n};
    uint32_t *order;
    double since = bi_kdtree_now();
    BI_TRY(bi_kdtree_sort_rows(ctx, next->ops, &next->opts, rows, &sorted));
    BI_TRY(end_stage(ctx, &since, &times->sort));
    runs.rows = sorted.rows;
    runs.names = sorted.perm;
    if (unique) BI_TRY(bi_kdtree_find_runs(ctx, next->ops, &next->opts, &sorted, &runs));
    next->nodes = runs.rows.n;
    BI_TRY(end_stage(ctx, &since, &times->deduplicate));
    BI_TRY(bi_kdtree_sort_lists(ctx, next->ops, &next->opts, &runs.rows, &lists));
    BI_TRY(end_stage(ctx, &since, &times->sort));
    BI_TRY(bi_progress(ctx, "build", 0.5));
    BI_TRY(bi_kdtree_partition_lists(ctx, next, &lists, &order));
    BI_TRY(bi_kdtree_store_runs(ctx, next, &runs, order));
    return end_stage(ctx, &since, &times->build);
}

static bosc_status build_into(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    next->n = rows->n;
    next->nodes = 0;
    next->times = (bosc_kdtree_times){.size = sizeof next->times};
    if (rows->n == 0) return BOSC_OK;
    BI_TRY(bi_progress(ctx, "build", 0));
    if (next->opts.builder == BOSC_KDTREE_BROWN)
        BI_TRY(build_brown(ctx, next, rows));
    else if (next->opts.duplicates == BOSC_DUPLICATES_REMOVE)
        BI_TRY(build_unique(ctx, next, rows));
    else
        BI_TRY(build_kept(ctx, next, rows));
    BI_TRY(bi_progress(ctx, "build", 0.9));
    BI_TRY(next->ops->make_index(ctx, next));
    return bi_progress(ctx, "build", 1);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_kdtree *tree, struct bi_kdtree_rows *rows)
{
    bosc_kdtree next;
    bool staged = false;
    BI_TRY(bi_kdtree_stage_rows(ctx, tree, "points", rows, &staged));
    BI_TRY(bi_kdtree_reserve_blocks(ctx, tree, rows->n, &next));
    bosc_status status = build_into(ctx, &next, rows);
    if (status == BOSC_OK && staged) status = ctx->backend->sync(ctx);
    if (status == BOSC_OK) {
        bi_kdtree_commit(tree, &next);
        return BOSC_OK;
    }
    bi_kdtree_abandon(tree, &next);
    if (status != BOSC_ERR_NOMEM) tree->n = tree->nodes = 0;
    return status;
}

bosc_status bi_kdtree_build(bosc_ctx *ctx, bosc_kdtree *tree, struct bi_kdtree_rows rows)
{
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, tree, &rows));
}

int64_t bi_kdtree_build_scratch(const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts, int64_t n)
{
    int64_t size = (int64_t)bosc_dtype_size(opts->dtype), kept = 0, scratch = 0;
    int depth = bi_kdtree_depth(n), lists = opts->dim < depth ? opts->dim : depth;
    bool fused = opts->builder == BOSC_KDTREE_AUTO && ops->builds(opts, n);
    bool unique = opts->duplicates == BOSC_DUPLICATES_REMOVE;
    if (fused)
        ops->bytes(opts, n, &kept, &scratch);
    else
        scratch = n * (8 * lists + 24); /* lists, order and what partitioning takes */
    if (!fused || unique) scratch += n * (2 * opts->dim * size + 4 * size + 16); /* sorted rows, keys, and their sort */
    if (unique) scratch += n * (opts->dim * size + 45);
    return scratch + n * opts->dim * size + 65536; /* host points come to the backend; each request is rounded up */
}
