/* Pairs of points, of one tree or of two. Pairs within a distance are listed: the nodes of the first tree are queries
 * of the second. Pairs are counted by distance, or their weights summed. */
#include <math.h>
#include <string.h>

#include "base/radius.h"
#include "core/call.h"
#include "core/csr.h"
#include "kdtree/blocks.h"
#include "kdtree/handle.h"
#include "kdtree/metric.h"
#include "kdtree/nearest.h"
#include "kdtree/steps/steps.h"

/* --- Lists of pairs ----------------------------------------------------------------------------------------------- */

struct pairs {
    const bosc_kdtree *tree, *searched;
    bool later; /* i < j */
    double radius;
    bosc_kdtree_query_opts opts;
};

/* True if the backend's own searches find the pairs, with all rows of the tree as queries; *query then describes
 * them. */
static bool uses_searches(const struct pairs *s, struct bi_kdtree_query *query)
{
    const double p = s->opts.p;
    const bool ordinary = s->tree->magnitude == BI_KDTREE_ORDINARY && s->searched->magnitude == BI_KDTREE_ORDINARY;
    if (!ordinary || s->opts.periods || s->opts.epsilon > 0 || s->tree->nodes == 0 || s->searched->nodes == 0)
        return false;
    if (p != 2 && !bi_kdtree_searches_order(s->searched, p)) return false;
    if (s->later && !s->searched->ops->searches_later(s->searched)) return false;
    *query = (struct bi_kdtree_query){
        .rows = {NULL, s->tree->nodes, s->tree->opts.dim}, .within = true, .r2 = s->radius, .later = s->later};
    if (p == 2)
        query->r2 = bi_square_limit(s->radius, s->tree->opts.dtype == BOSC_F32);
    else
        query->order = p;
    return true;
}

static bosc_status stage_search(bosc_ctx *ctx, const struct pairs *s, struct bi_kdtree_metric_search *a)
{
    *a = (struct bi_kdtree_metric_search){
        .view = s->searched->ops->view(s->searched), .later = s->later, .wide_ids = s->searched->opts.id_bits == 64};
    const bool ordinary = s->tree->magnitude == BI_KDTREE_ORDINARY && s->searched->magnitude == BI_KDTREE_ORDINARY;
    BI_TRY(bi_kdtree_stage_metric(ctx, "tree", s->tree, &s->opts, ordinary, &a->metric));
    if (s->searched != s->tree)
        BI_TRY(bi_kdtree_stage_metric(ctx, "other", s->searched, &s->opts, ordinary, &a->metric));
    a->limit = bi_kdtree_measure_of(&a->metric, s->radius);
    return bi_kdtree_place_nodes(ctx, s->tree, &a->metric, &a->queries, &a->numbers);
}

static bosc_status count_rows(bosc_ctx *ctx, void *pairs, int64_t *counts)
{
    const struct pairs *s = pairs;
    struct bi_kdtree_query query;
    struct bi_kdtree_metric_search a;
    if (uses_searches(s, &query)) {
        query.counts = counts;
        BI_TRY(bi_kdtree_query_own_nodes(ctx, s->tree, s->searched, &query));
        return s->searched->ops->radius_count(ctx, s->searched, &query);
    }
    BI_TRY(stage_search(ctx, s, &a));
    BI_TRY(bi_kdtree_find_split_axes(ctx, s->searched, s->tree->nodes, &a.axes));
    return bi_kdtree_metric_count(ctx, s->tree, s->tree->nodes, &a, counts);
}

static bosc_status fill_rows(bosc_ctx *ctx, void *pairs, const struct bi_csr_rows *to)
{
    const struct pairs *s = pairs;
    struct bi_kdtree_query query;
    struct bi_kdtree_metric_search a;
    if (uses_searches(s, &query)) {
        BI_TRY(bi_kdtree_query_own_nodes(ctx, s->tree, s->searched, &query));
        return bi_kdtree_backend_fill(ctx, s->searched, &query, to);
    }
    BI_TRY(stage_search(ctx, s, &a));
    BI_TRY(bi_kdtree_find_split_axes(ctx, s->searched, s->tree->nodes, &a.axes));
    return bi_kdtree_metric_fill(ctx, s->tree, s->tree->nodes, &a, to);
}

bosc_status bosc_kdtree_pairs(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other, double radius,
                              const bosc_kdtree_query_opts *opts, int64_t *offsets, void *ids, double *distances,
                              int64_t capacity)
{
    struct pairs s = {.tree = tree, .searched = other ? other : tree, .later = !other, .radius = radius};
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_has_rows(ctx, tree));
    BI_TRY(bi_kdtree_check_other(ctx, tree, s.searched));
    BI_TRY(bi_kdtree_check_pair_opts(ctx, tree, opts, &s.opts));
    if (!(radius >= 0)) return bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not 0 or more", radius);
    BI_TRY(bi_csr_check(ctx, tree->nodes, offsets, ids != NULL, capacity));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)s.searched->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "distances", distances, sizeof *distances));
    bi_progress_set_total(ctx, (16 + BI_KDTREE_SEARCH_ITEMS) * (double)tree->nodes);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, tree->nodes, count_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)s.searched->opts.id_bits / 8},
                                                          {distances, sizeof *distances}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, tree->nodes, offsets, capacity, columns, fill_rows, &s));
}

/* --- Counts of pairs ---------------------------------------------------------------------------------------------- */

/* The arguments of a call. */
struct pair_counts {
    const bosc_kdtree *tree, *other;
    bosc_kdtree_query_opts opts;
    const double *radii, *weights, *other_weights; /* radii ascend, each is in its bin; weights NULL: all 1 */
    int64_t radius_count;
    bool cumulative;
    int64_t *counts; /* of pairs, without weights; may be NULL */
    double *sums;    /* of products of two weights; may be NULL */
};

static bosc_status stage_doubles(bosc_ctx *ctx, const double *array, int64_t n, const double **reachable)
{
    const void *staged_array;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, array, array ? (size_t)n * sizeof *array : 0, &staged_array, &staged));
    *reachable = staged_array;
    return BOSC_OK;
}

/* Converts the radii to measures of the metric. */
static bosc_status stage_limits(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_count_bins *a)
{
    struct bi_kdtree_measures measures = {.metric = a->metric};
    BI_TRY(stage_doubles(ctx, s->radii, s->radius_count, &measures.bounds));
    BI_TRY(bi_scratch_of(ctx, s->radius_count, sizeof *measures.to, &measures.to));
    a->limits = measures.to;
    return s->other->ops->steps->measures(ctx, s->radius_count, &measures);
}

static bosc_status stage_count(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_count_bins *a)
{
    *a = (struct bi_kdtree_count_bins){.view = s->other->ops->view(s->other), .n = s->tree->nodes};
    const bool ordinary = s->tree->magnitude == BI_KDTREE_ORDINARY && s->other->magnitude == BI_KDTREE_ORDINARY;
    BI_TRY(bi_kdtree_stage_metric(ctx, "tree", s->tree, &s->opts, ordinary, &a->metric));
    if (s->other != s->tree) BI_TRY(bi_kdtree_stage_metric(ctx, "other", s->other, &s->opts, ordinary, &a->metric));
    BI_TRY(stage_limits(ctx, s, a));
    BI_TRY(stage_doubles(ctx, s->weights, s->tree->nodes, &a->query_weights));
    BI_TRY(stage_doubles(ctx, s->other_weights, s->other->nodes, &a->weights));
    return bi_kdtree_place_nodes(ctx, s->tree, &a->metric, &a->queries, &a->numbers);
}

/* Stages the extents and the split axes of the searched tree, which the walk of count_bins reads. */
static bosc_status stage_walk(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_count_bins *a)
{
    const double *extents;
    BI_TRY(bi_kdtree_extents(ctx, s->other, &extents));
    BI_TRY(bi_kdtree_find_split_axes(ctx, s->other, s->tree->nodes, &a->axes));
    return stage_doubles(ctx, extents, 2 * (int64_t)s->other->opts.dim, &a->extents);
}

/* Sums the weights of all subtrees of the searched tree, bottom up. */
static bosc_status sum_subtrees(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_count_bins *a)
{
    struct bi_kdtree_sum_weights sum = {.view = a->view, .weights = a->weights};
    BI_TRY(bi_scratch_of(ctx, s->other->nodes, sizeof *sum.sums, &sum.sums));
    a->sums = sum.sums;
    for (sum.level = bi_kdtree_depth(s->other->nodes) - 1; sum.level >= 0; sum.level--)
        BI_TRY(s->other->ops->steps->sum_weights(ctx, (int64_t)1 << sum.level, &sum));
    return BOSC_OK;
}

/* result[b] = the sum of bin b over all items: matrix[b * items + item], of int64 or double. */
static bosc_status reduce_bins(bosc_ctx *ctx, bosc_dtype type, const void *matrix, int64_t items, int32_t bins,
                               int64_t *result)
{
    const int64_t *words = matrix;
    for (int32_t b = 0; b < bins; b++)
        BI_TRY_WITH_SCRATCH(ctx, ctx->backend->core->reduce(ctx, BOSC_SUM, type, words + b * items, items, result + b));
    return BOSC_OK;
}

/* Sets a->bins, the number of bins that the next pass counts from a->first on: BI_KDTREE_BINS at most. */
static void set_bins(const struct pair_counts *s, struct bi_kdtree_count_bins *a)
{
    const int64_t left = s->radius_count - a->first;
    a->bins = left < BI_KDTREE_BINS ? (int32_t)left : BI_KDTREE_BINS;
}

/* result[b] = the sum over all queries of bin b, as int64 or double. `matrix`: scratch for BI_KDTREE_BINS bins a
 * query. */
static bosc_status count_bins(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_count_bins *a, void *matrix,
                              bool summing, int64_t *result)
{
    for (a->first = 0; a->first < s->radius_count; a->first += a->bins) {
        set_bins(s, a);
        a->counts = summing ? NULL : matrix;
        a->totals = matrix;
        BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, s->other->ops->steps->count_bins(ctx, a->n, a));
        BI_TRY(reduce_bins(ctx, summing ? BOSC_F64 : BOSC_I64, matrix, a->n, a->bins, result + a->first));
    }
    return BOSC_OK;
}

/* Copies the results to the caller, cumulated if requested; `host`: radius_count counts, then as many sums. */
static bosc_status copy_results(bosc_ctx *ctx, const struct pair_counts *s, int64_t *host)
{
    const size_t bytes = (size_t)s->radius_count * sizeof *host;
    double *sums = (void *)(host + s->radius_count);
    for (int64_t b = 1; b < s->radius_count && s->cumulative; b++) {
        if (s->counts) host[b] += host[b - 1];
        if (s->sums) sums[b] += sums[b - 1];
    }
    if (s->counts) BI_TRY(ctx->backend->copy(ctx, s->counts, host, bytes));
    if (s->sums) BI_TRY(ctx->backend->copy(ctx, s->sums, sums, bytes));
    return ctx->backend->sync(ctx);
}

/* Makes the boxes of both trees, copies the nodes of the searched one to rows of doubles, and divides the query tree
 * into items. */
static bosc_status stage_blocks(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_count_blocks *a)
{
    const uint32_t *ids;
    BI_TRY(bi_kdtree_make_blocks(ctx, s->tree, &a->query_blocks));
    a->blocks = a->query_blocks;
    a->nodes = a->bins.queries;
    if (s->other != s->tree) {
        BI_TRY(bi_kdtree_make_blocks(ctx, s->other, &a->blocks));
        BI_TRY(bi_kdtree_place_nodes(ctx, s->other, &a->bins.metric, &a->nodes, &ids));
    }
    const int32_t levels = a->query_blocks.levels;
    const int32_t least = levels < BI_KDTREE_LEAST_ITEM_LEVEL ? levels : BI_KDTREE_LEAST_ITEM_LEVEL;
    a->item_level = levels - BI_KDTREE_ITEM_LEVELS > least ? levels - BI_KDTREE_ITEM_LEVELS : least;
    a->items = (int64_t)1 << a->item_level;
    return BOSC_OK;
}

/* result[b] = the number of pairs in bin b, by pairs of boxes. */
static bosc_status count_by_blocks(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_count_blocks *a,
                                   int64_t *result)
{
    BI_TRY(bi_scratch_of(ctx, a->items * BI_KDTREE_BINS, sizeof *a->bins.counts, &a->bins.counts));
    const double cost = BI_KDTREE_SEARCH_ITEMS * (double)s->tree->nodes / (double)a->items;
    for (a->bins.first = 0; a->bins.first < s->radius_count; a->bins.first += a->bins.bins) {
        set_bins(s, &a->bins);
        BI_TRY_WITH_COST(ctx, cost, s->other->ops->steps->count_blocks(ctx, a->items, a));
        BI_TRY(reduce_bins(ctx, BOSC_I64, a->bins.counts, a->items, a->bins.bins, result + a->bins.first));
    }
    return BOSC_OK;
}

/* Sums the weights of the searched tree over blocks, then over the boxes above, bottom up. */
static bosc_status sum_boxes(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_sum_pairs *a)
{
    struct bi_kdtree_box_sums sum = {.blocks = a->pairs.blocks, .weights = a->pairs.bins.weights};
    const int64_t blocks = (int64_t)1 << sum.blocks.levels;
    BI_TRY(bi_scratch_of(ctx, s->other->nodes, sizeof *sum.node_weights, &sum.node_weights));
    BI_TRY(bi_scratch_of(ctx, 2 * blocks - 1, sizeof *sum.sums, &sum.sums));
    a->node_weights = sum.node_weights;
    a->box_sums = sum.sums;
    BI_TRY(s->other->ops->steps->sum_block(ctx, blocks, &sum));
    for (sum.blocks.level = sum.blocks.levels - 1; sum.blocks.level >= 0; sum.blocks.level--)
        BI_TRY(s->other->ops->steps->merge_sums(ctx, (int64_t)1 << sum.blocks.level, &sum));
    return BOSC_OK;
}

/* result[b] = the sum over all queries of bin b, by walks of blocks of queries. */
static bosc_status sum_by_blocks(bosc_ctx *ctx, const struct pair_counts *s, const struct bi_kdtree_count_blocks *pairs,
                                 int64_t *result)
{
    const struct bi_kdtree_steps *steps = s->other->ops->steps;
    struct bi_kdtree_sum_pairs a = {.pairs = *pairs};
    struct bi_kdtree_count_bins *bins = &a.pairs.bins;
    const int64_t items = steps->sum_queries ? (int64_t)1 << a.pairs.query_blocks.levels : bins->n;
    const double cost = BI_KDTREE_SEARCH_ITEMS * (double)bins->n / (double)items;
    BI_TRY(sum_boxes(ctx, s, &a));
    BI_TRY(bi_scratch_of(ctx, bins->n * BI_KDTREE_BINS, sizeof *bins->totals, &bins->totals));
    for (bins->first = 0; bins->first < s->radius_count; bins->first += bins->bins) {
        set_bins(s, bins);
        BI_TRY_WITH_COST(ctx, cost, (steps->sum_queries ? steps->sum_queries : steps->sum_query)(ctx, items, &a));
        BI_TRY(reduce_bins(ctx, BOSC_F64, bins->totals, bins->n, bins->bins, result + bins->first));
    }
    return BOSC_OK;
}

/* The counts, if the backend counts pairs of boxes, and the sums, of trees whose boxes have all coordinates. */
static bosc_status search_by_blocks(bosc_ctx *ctx, const struct pair_counts *s, const struct bi_kdtree_count_bins *bins,
                                    int64_t *results)
{
    struct bi_kdtree_count_blocks a = {.bins = *bins};
    BI_TRY(stage_blocks(ctx, s, &a));
    if (s->counts && s->other->ops->steps->count_blocks) BI_TRY_WITH_SCRATCH(ctx, count_by_blocks(ctx, s, &a, results));
    if (!s->sums) return BOSC_OK;
    return sum_by_blocks(ctx, s, &a, results + s->radius_count);
}

/* Walks for each query of trees of more dimensions; counts of the backend without pairs of boxes. */
static bosc_status search_by_walks(bosc_ctx *ctx, const struct pair_counts *s, struct bi_kdtree_count_bins *a,
                                   bool counting, bool summing, int64_t *results)
{
    void *matrix;
    BI_TRY(stage_walk(ctx, s, a));
    BI_TRY(bi_scratch_of(ctx, a->n * BI_KDTREE_BINS, sizeof(int64_t), &matrix));
    if (counting) BI_TRY(count_bins(ctx, s, a, matrix, false, results));
    if (!summing) return BOSC_OK;
    BI_TRY(sum_subtrees(ctx, s, a));
    return count_bins(ctx, s, a, matrix, true, results + s->radius_count);
}

/* Returns the least bin whose radius is not below a distance, given by its measure; radius_count if there is none. */
static int64_t bin_of(const struct pair_counts *s, const struct bi_kdtree_metric *metric, double measure)
{
    int64_t low = 0, high = s->radius_count;
    BI_PARTITION_POINT(low, high, mid, !(measure <= bi_kdtree_measure_of(metric, s->radii[mid])));
    return low;
}

/* *bin = the common bin of all pairs of two trees with nodes, if the extents of the trees determine it; else -1. They
 * do for equal points, and if no radius is within the range of the distances. */
static bosc_status find_common_bin(bosc_ctx *ctx, const struct pair_counts *s, int64_t *bin)
{
    const int32_t dim = s->tree->opts.dim;
    const bool ordinary = s->tree->magnitude == BI_KDTREE_ORDINARY && s->other->magnitude == BI_KDTREE_ORDINARY;
    const double *extents, *others;
    struct bi_kdtree_metric metric;
    void *gaps;
    *bin = -1;
    if (s->opts.periods) return BOSC_OK; /* the metric's periods may be in a device's memory */
    BI_TRY(bi_kdtree_stage_metric(ctx, "tree", s->tree, &s->opts, ordinary, &metric));
    BI_TRY(bi_kdtree_extents(ctx, s->tree, &extents));
    BI_TRY(bi_kdtree_extents(ctx, s->other, &others));
    BI_TRY(bi_host_scratch(ctx, 2 * (size_t)dim * sizeof(double), &gaps));
    double *least = gaps, *most = least + dim;
    for (int32_t c = 0; c < dim; c++) {
        const double q[2] = {extents[c], extents[dim + c]}, x[2] = {others[c], others[dim + c]};
        bi_kdtree_gaps_of_sides(&metric, c, q, x, &least[c], &most[c]);
    }
    const int64_t first = bin_of(s, &metric, bi_kdtree_measure_gaps(&metric, least, dim) * metric.shrink),
                  last = bin_of(s, &metric, bi_kdtree_measure_gaps(&metric, most, dim) * metric.grow);
    if (first == last) *bin = first;
    return BOSC_OK;
}

static bosc_status count_staged(bosc_ctx *ctx, const struct pair_counts *s)
{
    const size_t bytes = (size_t)s->radius_count * sizeof(int64_t);
    const bool has_boxes = s->other->opts.dim <= BI_KDTREE_BOX_COORDINATES, /* of all coordinates */
        counts_walk = s->counts && !(has_boxes && s->other->ops->steps->count_blocks),
               sums_walk = s->sums && !has_boxes;
    struct bi_kdtree_count_bins a;
    int64_t *results, bin = -1;
    void *host;
    /* 1. All pairs at once; before the host scratch is allocated, which find_common_bin uses too. */
    if (!s->sums && s->tree->nodes > 0 && s->other->nodes > 0) BI_TRY(find_common_bin(ctx, s, &bin));
    BI_TRY(bi_host_scratch(ctx, 2 * bytes, &host));
    memset(host, 0, 2 * bytes);
    if (bin >= 0) {
        if (bin < s->radius_count) ((int64_t *)host)[bin] = s->tree->nodes * s->other->nodes;
        return copy_results(ctx, s, host);
    }
    /* 2. Pairs of boxes, or a walk for each query. */
    BI_TRY(stage_count(ctx, s, &a));
    if (a.n > 0 && s->other->nodes > 0) {
        BI_TRY(bi_scratch_of(ctx, 2 * s->radius_count, sizeof *results, &results));
        if ((s->counts && !counts_walk) || (s->sums && !sums_walk))
            BI_TRY_WITH_SCRATCH(ctx, search_by_blocks(ctx, s, &a, results));
        if (counts_walk || sums_walk) BI_TRY(search_by_walks(ctx, s, &a, counts_walk, sums_walk, results));
        BI_TRY(ctx->backend->copy(ctx, host, results, 2 * bytes));
        BI_TRY(ctx->backend->sync(ctx));
    }
    return copy_results(ctx, s, host);
}

static bosc_status check_radii(bosc_ctx *ctx, const double *radii, int64_t radius_count)
{
    if (radius_count < 0 || radius_count > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "radius_count: %lld is not in 0 to 2^31 - 1", (long long)radius_count);
    if (radius_count > 0 && !radii) return bi_fail(ctx, BOSC_ERR_ARG, "radii: NULL");
    BI_TRY(bi_check_aligned(ctx, "radii", radii, sizeof *radii));
    for (int64_t b = 0; b < radius_count; b++)
        if (!(radii[b] >= (b ? radii[b - 1] : -INFINITY)))
            return bi_fail(ctx, BOSC_ERR_ARG, "radii: radius %lld, %g, is not as large as the one before it or more",
                           (long long)b, radii[b]);
    return BOSC_OK;
}

bosc_status bosc_kdtree_count_pairs(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other,
                                    const double *radii, int64_t radius_count, const bosc_kdtree_query_opts *opts,
                                    const double *weights, const double *other_weights, int32_t cumulative,
                                    int64_t *counts, double *sums)
{
    struct pair_counts s = {.tree = tree,
                            .other = other,
                            .radii = radii,
                            .weights = weights,
                            .other_weights = other_weights,
                            .radius_count = radius_count,
                            .cumulative = cumulative != 0,
                            .counts = counts,
                            .sums = sums};
    BI_ENTER(ctx);
    /* 1. Check the arguments. Both trees hold every row of their builds, without removed duplicates; they may be empty.
     * `other` NULL is an error. */
    BI_TRY(bi_kdtree_check_has_rows(ctx, tree));
    BI_TRY(bi_kdtree_check_other(ctx, tree, other));
    if (other->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE)
        return bi_fail(ctx, BOSC_ERR_ARG, "other: duplicates were removed, so that rows are missing");
    BI_TRY(check_radii(ctx, radii, radius_count));
    BI_TRY(bi_kdtree_check_pair_opts(ctx, tree, opts, &s.opts));
    BI_TRY(bi_check_aligned(ctx, "weights", weights, sizeof *weights));
    BI_TRY(bi_check_aligned(ctx, "other_weights", other_weights, sizeof *other_weights));
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    BI_TRY(bi_check_aligned(ctx, "sums", sums, sizeof *sums));
    if (radius_count == 0 || (!counts && !sums)) return BOSC_OK;
    /* 2. Count exactly: epsilon does not apply. */
    s.opts.epsilon = 0;
    const double passes = (double)((counts != NULL) + (sums != NULL)) * (1 + (double)(radius_count / BI_KDTREE_BINS));
    bi_progress_set_total(ctx, (8 + passes * BI_KDTREE_SEARCH_ITEMS) * (double)tree->nodes);
    BI_RETURN_WITH_SCRATCH(ctx, count_staged(ctx, &s));
}
