/* DBSCAN: checks, the k-d tree of a call, and the order of the steps. */
#include <math.h>

#include <boscage/kdtree.h>

#include "base/bits.h"
#include "cluster/dbscan.h"
#include "cluster/steps/steps.h"
#include "core/check.h"
#include "kdtree/blocks.h"
#include "kdtree/metric.h"

/* Costs in simple items, for progress: of a block, about 12 searches; of a node in all steps. Estimated. */
enum { BLOCK_COST = 12 * BI_KDTREE_SEARCH_ITEMS, NODE_COST = 3 * BI_KDTREE_SEARCH_ITEMS + 16 };

enum { SLACK = 1 << 20 }; /* scratch for counters, collectives and alignment: a margin */

/* --- Checks ------------------------------------------------------------------------------------------------------- */

bosc_status bi_dbscan_check_opts(bosc_ctx *ctx, const bosc_dbscan_opts *opts, bosc_dbscan_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_dbscan_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->label_bits == 0) full->label_bits = 64;
    if (full->label_bits != 32 && full->label_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: label_bits %d is neither 32 nor 64", (int)full->label_bits);
    if (full->metric == BOSC_CLUSTER_MINKOWSKI) return BOSC_OK;
    if (full->p != 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: p: %g, but the metric has no order", full->p);
    if (full->periods) return bi_fail(ctx, BOSC_ERR_ARG, "opts: periods: the metric has none");
    return BOSC_OK;
}

struct bi_cluster_rows bi_dbscan_rows(const bosc_dbscan_opts *o, const void *points, int64_t n, int64_t stride)
{
    return (struct bi_cluster_rows){points, n, stride, o->dtype, o->dim, o->metric};
}

bosc_status bi_dbscan_check_points(bosc_ctx *ctx, const bosc_dbscan_opts *o, const void *points, int64_t n,
                                   int64_t stride)
{
    const struct bi_cluster_rows rows = bi_dbscan_rows(o, points, n, stride);
    return bi_cluster_check_rows(ctx, &rows);
}

bosc_status bi_dbscan_check_call(bosc_ctx *ctx, const struct bi_dbscan_call *s, int64_t n)
{
    const bosc_dbscan_opts *o = &s->opts;
    if (!(s->eps >= 0)) return bi_fail(ctx, BOSC_ERR_ARG, "eps: %g is not 0 or more", s->eps);
    if (s->min_samples < 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "min_samples: %lld is less than 1", (long long)s->min_samples);
    if (!o->weights && o->weight_count != 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: weights: NULL, but weight_count is %lld", (long long)o->weight_count);
    if (o->weights && o->weight_count != n)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: weight_count: %lld weights of %lld points", (long long)o->weight_count,
                       (long long)n);
    BI_TRY(bi_check_aligned(ctx, "opts: weights", o->weights, sizeof *o->weights));
    if (o->label_bits == 32 && n > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points may have more clusters than labels of 32 bits",
                       (long long)n);
    if (n > 0 && !s->labels) return bi_fail(ctx, BOSC_ERR_ARG, "labels: NULL");
    BI_TRY(bi_check_aligned(ctx, "labels", s->labels, (size_t)o->label_bits / 8));
    return s->info ? bi_check_info(ctx, "info", "bosc_dbscan_info", s->info->size, sizeof *s->info) : BOSC_OK;
}

/* --- The steps ---------------------------------------------------------------------------------------------------- */

bosc_status bi_dbscan_make_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_dbscan_call *s, bool ordinary,
                                  struct bi_kdtree_metric *metric)
{
    const bosc_kdtree_query_opts query = {.size = sizeof query, .p = s->opts.p, .periods = s->opts.periods};
    bosc_kdtree_query_opts full;
    BI_TRY(bi_kdtree_check_pair_opts(ctx, tree, &query, &full));
    return bi_kdtree_stage_metric(ctx, "points", tree, &full, ordinary, metric);
}

bosc_status bi_dbscan_prepare(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_dbscan_call *s,
                              struct bi_dbscan *a)
{
    const int64_t n = tree->nodes;
    bosc_kdtree order = *tree;
    a->limit = bi_kdtree_measure_of(&a->metric, s->eps);
    a->min_samples = (double)s->min_samples;
    /* Sums of weights follow the order of the tree. */
    if (!s->opts.weights) BI_TRY(bi_kdtree_order_nodes(ctx, tree, &order));
    BI_TRY(bi_kdtree_place_nodes(ctx, &order, &a->metric, &a->points, &a->rows));
    BI_TRY(bi_kdtree_make_blocks(ctx, &order, &a->blocks));
    const int64_t boxes = ((int64_t)2 << a->blocks.levels) - 1;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->core, &a->core));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->parent, &a->parent));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->least_row, &a->least_row));
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *a->numbers, &a->numbers));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->cluster, &a->cluster));
    BI_TRY(bi_scratch_of(ctx, boxes, sizeof *a->some_core, &a->some_core));
    return bi_scratch_of(ctx, boxes, sizeof *a->joined, &a->joined);
}

/* Checks the weights, and sums those of boxes. */
static bosc_status stage_weights(bosc_ctx *ctx, const struct bi_dbscan_call *s, int64_t n, struct bi_dbscan *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    const void *reachable;
    bool staged = false;
    int64_t bad[2] = {INT64_MAX, INT64_MAX};
    struct bi_dbscan_weights check;
    BI_TRY(bi_stage_in(ctx, s->opts.weights, (size_t)n * sizeof *a->weights, &reachable, &staged));
    a->weights = check.weights = reachable;
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *check.bad, &check.bad));
    BI_TRY(ctx->backend->copy(ctx, check.bad, bad, sizeof bad));
    BI_TRY(steps->dbscan_check_weights(ctx, n, &check));
    BI_TRY(bi_read_back(ctx, bad, check.bad, sizeof bad));
    if (bad[0] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "opts: weights: row %lld is not finite", (long long)bad[0]);
    a->may_shrink = bad[1] != INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, ((int64_t)2 << a->blocks.levels) - 1, sizeof *a->sums, &a->sums));
    BI_TRY(steps->dbscan_sum_blocks(ctx, (int64_t)1 << a->blocks.levels, a));
    for (a->level = a->blocks.levels - 1; a->level >= 0; a->level--)
        BI_TRY(steps->dbscan_sum_boxes(ctx, (int64_t)1 << a->level, a));
    return BOSC_OK;
}

/* Counts also for one sample: a point with an infinite coordinate has no distance from itself. */
bosc_status bi_dbscan_find_core(bosc_ctx *ctx, const struct bi_dbscan_call *s, int64_t n, struct bi_dbscan *a)
{
    if (s->opts.weights) BI_TRY(stage_weights(ctx, s, n, a));
    BI_TRY_WITH_COST(ctx, BLOCK_COST, ctx->ops->cluster->steps->dbscan_count(ctx, (int64_t)1 << a->blocks.levels, a));
    return BOSC_OK;
}

/* Unites the core nodes of the siblings of the levels a->level down to `last`. */
static bosc_status join_levels(bosc_ctx *ctx, int64_t blocks, const struct bi_dbscan *a, int32_t last)
{
    const struct bi_cluster_ops *ops = ctx->ops->cluster;
    if (ops->join_siblings)
        BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, ops->join_siblings(ctx, a, last));
    else
        BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, ops->steps->dbscan_join_siblings(ctx, blocks / 2, a));
    return BOSC_OK;
}

/* Recomputes the joined flags of blocks, then of boxes up to a level. */
static bosc_status update_boxes(bosc_ctx *ctx, int64_t blocks, struct bi_dbscan *a, int32_t level)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    BI_TRY(steps->dbscan_update_blocks(ctx, blocks, a));
    for (a->level = a->blocks.levels - 1; a->level >= level; a->level--)
        BI_TRY(steps->dbscan_merge_boxes(ctx, (int64_t)1 << a->level, a));
    return BOSC_OK;
}

/* Unites within blocks, then between siblings, by passes from the bottom up. Each pass changes sets, so the joined
 * flags are recomputed. */
bosc_status bi_dbscan_join_core(bosc_ctx *ctx, int64_t n, struct bi_dbscan *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    const int64_t blocks = (int64_t)1 << a->blocks.levels;
    const int32_t levels = a->blocks.levels;
    const bool several = ctx->ops->cluster->join_siblings; /* passes over 1, 2, 4, ... levels: they read all flags */
    const struct bi_flatten flatten = {a->parent};
    BI_TRY(steps->dbscan_singletons(ctx, n, a));
    BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, steps->dbscan_join_blocks(ctx, blocks, a));
    BI_TRY(update_boxes(ctx, blocks, a, several ? 0 : levels));
    for (int32_t level = levels; level > 0;) {
        const int32_t more = several ? levels - level : 0, last = level > more ? level - more : 1;
        a->level = level;
        BI_TRY(join_levels(ctx, blocks, a, last));
        level = last - 1;
        BI_TRY(update_boxes(ctx, blocks, a, several ? 0 : level));
    }
    BI_TRY(steps->flatten(ctx, n, &flatten));
    return steps->dbscan_find_least_rows(ctx, n, a);
}

bosc_status bi_dbscan_label_nodes(bosc_ctx *ctx, int64_t n, struct bi_dbscan *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    BI_TRY(steps->dbscan_number(ctx, n, a));
    BI_TRY_WITH_COST(ctx, BLOCK_COST, steps->dbscan_label_borders(ctx, (int64_t)1 << a->blocks.levels, a));
    return BOSC_OK;
}

/* Numbers the sets by their smallest rows. *clusters: their number. */
static bosc_status number_clusters(bosc_ctx *ctx, int64_t n, struct bi_dbscan *a, int64_t *clusters)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    uint32_t count;
    BI_TRY(ctx->backend->fill(ctx, a->numbers, 0, (size_t)(n + 1) * sizeof *a->numbers));
    BI_TRY(steps->dbscan_mark_least_rows(ctx, n, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a->numbers, n + 1, a->numbers));
    BI_TRY(bi_read_back(ctx, &count, a->numbers + n, sizeof count));
    *clusters = count;
    return BOSC_OK;
}

/* Counts the nodes that have a flag. */
static bosc_status count_flags(bosc_ctx *ctx, const uint8_t *flags, int64_t n, int64_t *count)
{
    int64_t *counted;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *counted, &counted));
    BI_TRY(ctx->backend->core->compact(ctx, 1, flags, flags, n, NULL, counted));
    return bi_read_back(ctx, count, counted, sizeof *count);
}

/* Counts the points of each kind. */
static bosc_status count_points(bosc_ctx *ctx, int64_t n, struct bi_dbscan *a, bosc_dbscan_info *info)
{
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->noise, &a->noise));
    BI_TRY(ctx->ops->cluster->steps->dbscan_mark_noise(ctx, n, a));
    BI_TRY(count_flags(ctx, a->core, n, &info->core));
    BI_TRY(count_flags(ctx, a->noise, n, &info->noise));
    info->border = n - info->core - info->noise;
    return BOSC_OK;
}

/* Writes labels and core flags by row. Runs when only the device can still fail, as outputs are unchanged on other
 * failures. */
static bosc_status write_labels(bosc_ctx *ctx, const struct bi_dbscan_call *s, int64_t n, const struct bi_dbscan *a)
{
    struct bi_out labels, core;
    bool staged = false;
    struct bi_dbscan_write write = {
        .rows = a->rows, .cluster = a->cluster, .core = a->core, .is_64bit = s->opts.label_bits == 64};
    BI_TRY(bi_stage_out(ctx, s->labels, (size_t)n * (size_t)s->opts.label_bits / 8, &labels, &staged));
    BI_TRY(bi_stage_out(ctx, s->core, s->core ? (size_t)n : 0, &core, &staged));
    write.labels = labels.reachable;
    write.core_rows = s->core ? core.reachable : NULL;
    BI_TRY(ctx->ops->cluster->steps->dbscan_write(ctx, n, &write));
    BI_TRY(bi_stage_back(ctx, &labels));
    if (s->core) BI_TRY(bi_stage_back(ctx, &core));
    return ctx->backend->sync(ctx);
}

/* Computes labels, core flags and counts of the nodes of a tree. */
static bosc_status find_clusters(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_dbscan_call *s,
                                 bosc_dbscan_info *info)
{
    struct bi_dbscan a = {.level = 0};
    BI_TRY(bi_dbscan_make_metric(ctx, tree, s, tree->magnitude == BI_KDTREE_ORDINARY, &a.metric));
    BI_TRY(bi_dbscan_prepare(ctx, tree, s, &a));
    BI_TRY(bi_dbscan_find_core(ctx, s, tree->nodes, &a));
    BI_TRY(bi_dbscan_join_core(ctx, tree->nodes, &a));
    BI_TRY(number_clusters(ctx, tree->nodes, &a, &info->clusters));
    BI_TRY(bi_dbscan_label_nodes(ctx, tree->nodes, &a));
    BI_TRY(count_points(ctx, tree->nodes, &a, info));
    return write_labels(ctx, s, tree->nodes, &a);
}

/* Clusters the rows of a tree. */
static bosc_status cluster_tree(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_dbscan_call *s)
{
    bosc_dbscan_info info = {.size = sizeof info};
    if (tree->nodes > 0) BI_TRY_WITH_SCRATCH(ctx, find_clusters(ctx, tree, s, &info));
    if (s->info) bi_copy_info(s->info, &info, sizeof info);
    return BOSC_OK;
}

/* --- Points ------------------------------------------------------------------------------------------------------- */

double bi_dbscan_chord(const struct bi_dbscan_call *s)
{
    /* Coordinates of directions and reported angles are off by a few units of 2^-53, so chords by less than this. */
    const double slack = 0x1p-48;
    if (s->opts.metric == BOSC_CLUSTER_HAVERSINE)
        return s->eps < 0x1.921fb54442d18p+1 ? 2 * bi_sin_f64(s->eps / 2) + slack : INFINITY;
    return s->eps < 2 ? bi_sqrt(2 * s->eps) : INFINITY;
}

/* Builds the tree of rows as directions. */
static bosc_status build_directions(bosc_ctx *ctx, const struct bi_dbscan_call *s, const void *points, int64_t n,
                                    int64_t stride, bosc_kdtree *tree)
{
    const struct bi_cluster_rows rows = bi_dbscan_rows(&s->opts, points, n, stride);
    const double *to;
    BI_TRY(bi_cluster_make_directions(ctx, &rows, 0, &to));
    return bosc_kdtree_build(ctx, tree, to, n, 0);
}

static bosc_status cluster_points(bosc_ctx *ctx, struct bi_dbscan_call *s, const void *points, int64_t n,
                                  int64_t stride, bosc_kdtree *tree)
{
    if (s->opts.metric == BOSC_CLUSTER_MINKOWSKI || n == 0) {
        BI_TRY(bosc_kdtree_build(ctx, tree, points, n, stride));
    } else {
        BI_TRY_WITH_SCRATCH(ctx, build_directions(ctx, s, points, n, stride, tree));
        s->eps = bi_dbscan_chord(s);
    }
    return cluster_tree(ctx, tree, s);
}

bosc_kdtree_opts bi_dbscan_tree_opts(const bosc_dbscan_opts *o)
{
    bosc_kdtree_opts tree = {.size = sizeof tree, .dtype = o->dtype, .dim = o->dim, .id_bits = 32};
    if (o->metric != BOSC_CLUSTER_MINKOWSKI) tree.dtype = BOSC_F64;
    tree.dim = bi_cluster_direction_dim(o->metric, o->dim);
    return tree;
}

bosc_status bosc_dbscan_compute(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride, double eps,
                                int64_t min_samples, const bosc_dbscan_opts *opts, void *labels, uint8_t *core,
                                bosc_dbscan_info *info)
{
    struct bi_dbscan_call s = {.eps = eps, .min_samples = min_samples, .labels = labels, .core = core, .info = info};
    bosc_kdtree *tree;
    BI_ENTER(ctx);
    BI_TRY(bi_dbscan_check_opts(ctx, opts, &s.opts));
    BI_TRY(bi_dbscan_check_points(ctx, &s.opts, points, n, stride));
    BI_TRY(bi_dbscan_check_call(ctx, &s, n));
    const bosc_kdtree_opts tree_opts = bi_dbscan_tree_opts(&s.opts);
    bi_progress_set_total(ctx, (NODE_COST + 40) * (double)n);
    BI_TRY(bosc_kdtree_create(ctx, &tree_opts, &tree));
    const bosc_status status = cluster_points(ctx, &s, points, n, stride, tree);
    bosc_kdtree_free(tree);
    return status;
}

bosc_status bosc_dbscan_compute_tree(bosc_ctx *ctx, const bosc_kdtree *tree, double eps, int64_t min_samples,
                                     const bosc_dbscan_opts *opts, void *labels, uint8_t *core, bosc_dbscan_info *info)
{
    struct bi_dbscan_call s = {.eps = eps, .min_samples = min_samples, .labels = labels, .core = core, .info = info};
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_has_rows(ctx, tree));
    BI_TRY(bi_dbscan_check_opts(ctx, opts, &s.opts));
    if (s.opts.metric != BOSC_CLUSTER_MINKOWSKI)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: metric: a tree's is MINKOWSKI");
    BI_TRY(bi_dbscan_check_call(ctx, &s, tree->nodes));
    bi_progress_set_total(ctx, NODE_COST * (double)tree->nodes);
    return cluster_tree(ctx, tree, &s);
}

bosc_status bosc_dbscan_bytes(const bosc_ctx *ctx, const bosc_dbscan_opts *opts, int64_t n, int64_t *bytes)
{
    bosc_ctx *messages = (bosc_ctx *)ctx; /* only its message is written */
    bosc_dbscan_opts o;
    int64_t kept, building;
    BI_ENTER(messages);
    BI_TRY(bi_dbscan_check_opts(messages, opts, &o));
    const struct bi_cluster_rows rows = bi_dbscan_rows(&o, NULL, n, 0);
    BI_TRY(bi_cluster_check_shape(messages, &rows));
    if (!bytes) return bi_fail(messages, BOSC_ERR_ARG, "bytes: NULL");
    const bosc_kdtree_opts tree = bi_dbscan_tree_opts(&o);
    BI_TRY(bosc_kdtree_bytes(ctx, &tree, n, &kept, &building));
    /* 1. A node has its row as the tree's type, that by widest extent, and as doubles; two ids; four words; two flags;
     * a weight, a label, a core flag. Four nodes or more share a box: two corners, 28 bytes, and a weight. */
    const int64_t size = (int64_t)bosc_dtype_size(o.dtype), tree_size = (int64_t)bosc_dtype_size(tree.dtype),
                  used = tree.dim < BI_KDTREE_BOX_COORDINATES ? tree.dim : BI_KDTREE_BOX_COORDINATES;
    const int64_t node =
        tree.dim * (2 * tree_size + 8) + 2 * 4 + 4 * 4 + 2 + 8 + 8 + 1 + (used * 2 * tree_size + 28 + 8) / 4 + 1;
    /* 2. Before: the tree, and the rows of directions; then the rows by widest extent, with a byte each. */
    const int64_t directions = o.metric == BOSC_CLUSTER_MINKOWSKI ? 0 : n * (o.dim * size + tree.dim * 8);
    *bytes = kept + bi_max_i64(bi_max_i64(building + directions, n * node), building + n * (tree.dim * tree_size + 5)) +
             SLACK;
    return BOSC_OK;
}
