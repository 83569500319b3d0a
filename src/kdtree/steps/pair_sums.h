/* Sums the weights of the pairs of nodes of two trees by distance: each block of query nodes walks over the boxes of
 * the searched tree. A query adds the sums of boxes and the weights of nodes in the order of its block's walk: by
 * itself or beside the block's other queries, its sums have the same bits. */
#ifndef BI_KDTREE_STEPS_PAIR_SUMS_H
#define BI_KDTREE_STEPS_PAIR_SUMS_H

#include "kdtree/steps/pair_blocks.h"

/* The weights of a tree's nodes, and their sums over boxes. */
struct bi_kdtree_box_sums {
    struct bi_kdtree_blocks blocks;
    const double *weights; /* by id; NULL: all 1 */
    double *node_weights, *sums;
};

BI_FN void bi_step_sum_block(const struct bi_kdtree_box_sums *a, int64_t s)
{
    double sum = 0;
    for (int64_t i = a->blocks.begins[s]; i < (int64_t)a->blocks.begins[s + 1]; i++) {
        a->node_weights[i] = bi_kdtree_weight(a->weights, &a->blocks.view, i);
        sum += a->node_weights[i];
    }
    a->sums[((int64_t)1 << a->blocks.levels) - 1 + s] = sum;
}

/* Sums box i of blocks.level from the two below it. */
BI_FN void bi_step_merge_sums(const struct bi_kdtree_box_sums *a, int64_t i)
{
    const int64_t h = ((int64_t)1 << a->blocks.level) - 1 + i;
    a->sums[h] = a->sums[2 * h + 1] + a->sums[2 * h + 2];
}

/* Bin b of query i goes to pairs.bins.totals[b * queries + i]. */
struct bi_kdtree_sum_pairs {
    struct bi_kdtree_count_blocks pairs;
    const double *node_weights, *box_sums; /* of the searched tree */
};

/* A walk over the boxes for the queries of a block. */
struct bi_kdtree_sum_walk {
    uint32_t query_box, waiting[BI_KDTREE_MOST_LEVELS + 2];
    int waits;
    uint32_t box;      /* where the walk stops: all pairs are in one bin, low == high, or the box is a block */
    int64_t low, high; /* bins, as bi_kdtree_bin_of returns them */
};

BI_FN void bi_kdtree_sum_walk_begin(const struct bi_kdtree_sum_pairs *a, struct bi_kdtree_sum_walk *w, int64_t block)
{
    w->query_box = (uint32_t)(((int64_t)1 << a->pairs.query_blocks.levels) - 1 + block);
    w->waiting[0] = 0;
    w->waits = 1;
}

/* Moves to the next box with pairs in the bins of this call; returns false after the last. */
BI_FN bool bi_kdtree_sum_walk_next(const struct bi_kdtree_sum_pairs *a, struct bi_kdtree_sum_walk *w)
{
    const struct bi_kdtree_count_bins *bins = &a->pairs.bins;
    while (w->waits > 0) {
        const struct bi_kdtree_box_pair p = {w->query_box, w->waiting[--w->waits]};
        double least, most;
        bi_kdtree_bound_pair(&a->pairs, p, &least, &most);
        w->low = bi_kdtree_bin_of(bins, least);
        if (w->low >= bins->first + bins->bins) continue;
        w->high = bi_kdtree_bin_of(bins, most);
        if (w->high < bins->first) continue;
        w->box = p.box;
        if (w->low == w->high || (p.box + 1) >> a->pairs.blocks.levels != 0) return true;
        w->waiting[w->waits++] = 2 * p.box + 2;
        w->waiting[w->waits++] = 2 * p.box + 1;
    }
    return false;
}

/* Item i: query i, by itself. */
BI_FN void bi_step_sum_query(const struct bi_kdtree_sum_pairs *a, int64_t i)
{
    const struct bi_kdtree_count_bins *bins = &a->pairs.bins;
    const double *q = bins->queries + i * bins->view.dim;
    double totals[BI_KDTREE_BINS] = {0};
    struct bi_kdtree_sum_walk w;
    /* 1. The last block that begins at the query or before it. */
    int64_t block = 0, end = ((int64_t)1 << a->pairs.query_blocks.levels) - 1;
    BI_PARTITION_POINT(block, end, mid, (int64_t)a->pairs.query_blocks.begins[mid + 1] <= i);
    /* 2. Add the sums of boxes, or the weights of nodes. */
    bi_kdtree_sum_walk_begin(a, &w, block);
    while (bi_kdtree_sum_walk_next(a, &w)) {
        if (w.low == w.high) {
            totals[w.low - bins->first] += a->box_sums[w.box];
            continue;
        }
        const struct bi_kdtree_range r = bi_kdtree_box_nodes(&a->pairs.blocks, w.box);
        for (int64_t j = r.begin; j < r.end; j++) {
            const double *x = a->pairs.nodes + j * bins->view.dim;
            const int64_t bin = bi_kdtree_bin_of(bins, bi_kdtree_measure_row(&bins->metric, bins->view.dim, q, x));
            if (bin >= bins->first && bin < bins->first + bins->bins) totals[bin - bins->first] += a->node_weights[j];
        }
    }
    /* 3. Write the sums times the query's weight. */
    const double weight = bins->query_weights ? bins->query_weights[bins->numbers[i]] : 1;
    for (int32_t b = 0; b < bins->bins; b++) bins->totals[b * bins->n + i] = weight * totals[b];
}

/* --- The queries of a block together ------------------------------------------------------------------------------ */

/* Loops over all BI_KDTREE_BLOCK_NODES queries of a block have vectors; those beyond `count` are 0, and not written. */
struct bi_kdtree_sum_queries {
    int64_t begin, count;
    double at[BI_KDTREE_BOX_COORDINATES][BI_KDTREE_BLOCK_NODES];
    double totals[BI_KDTREE_BINS][BI_KDTREE_BLOCK_NODES];
};

/* Measures the queries and node j, by the operations of bi_kdtree_measure_row; without periods for kinds of squares. */
BI_FN void bi_kdtree_measure_block(const struct bi_kdtree_sum_pairs *a, const struct bi_kdtree_sum_queries *of,
                                   enum bi_kdtree_metric_kind kind, int32_t dim, int64_t j,
                                   double measures[BI_KDTREE_BLOCK_NODES])
{
    const struct bi_kdtree_count_bins *bins = &a->pairs.bins;
    const double *x = a->pairs.nodes + j * dim;
    if (kind == BI_KDTREE_SQUARES) {
        for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++) measures[k] = 0;
        for (int32_t c = 0; c < dim; c++)
            for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++)
                measures[k] += (of->at[c][k] - x[c]) * (of->at[c][k] - x[c]);
        for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++)
            measures[k] = measures[k] == measures[k] ? measures[k] : BI_INFINITY;
        return;
    }
    if (kind == BI_KDTREE_SQUARES_F32) {
        float squares[BI_KDTREE_BLOCK_NODES] = {0};
        for (int32_t c = 0; c < dim; c++)
            for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++) {
                const float gap = (float)of->at[c][k] - (float)x[c];
                squares[k] += gap * gap;
            }
        for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++)
            measures[k] = squares[k] == squares[k] ? (double)squares[k] : BI_INFINITY;
        return;
    }
    for (int64_t k = 0; k < of->count; k++)
        measures[k] = bi_kdtree_measure_row(&bins->metric, dim, bins->queries + (of->begin + k) * dim, x);
}

/* Adds the weights of the nodes of the walk's block. */
BI_FN void bi_kdtree_sum_block_nodes(const struct bi_kdtree_sum_pairs *a, const struct bi_kdtree_sum_walk *w,
                                     enum bi_kdtree_metric_kind kind, int32_t dim, struct bi_kdtree_sum_queries *of)
{
    const struct bi_kdtree_count_bins *bins = &a->pairs.bins;
    const struct bi_kdtree_range r = bi_kdtree_box_nodes(&a->pairs.blocks, w->box);
    const int64_t first = w->low > bins->first ? w->low : bins->first,
                  last = w->high < bins->first + bins->bins ? w->high : bins->first + bins->bins - 1;
    for (int64_t j = r.begin; j < r.end; j++) {
        const double weight = a->node_weights[j];
        double measures[BI_KDTREE_BLOCK_NODES] = {0};
        bi_kdtree_measure_block(a, of, kind, dim, j, measures);
        for (int64_t b = first; b <= last; b++) {
            const double limit = bins->limits[b], before = b > 0 ? bins->limits[b - 1] : -BI_INFINITY;
            double *totals = of->totals[b - bins->first];
            for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++) /* no total is -0, so that 0 changes none */
                totals[k] += measures[k] <= limit && measures[k] > before ? weight : 0;
        }
    }
}

/* Item s: the queries of block s. */
BI_FN void bi_step_sum_queries(const struct bi_kdtree_sum_pairs *a, int64_t s)
{
    const struct bi_kdtree_count_bins *bins = &a->pairs.bins;
    const int32_t dim = bins->view.dim;
    const bool squares = bins->metric.kind == BI_KDTREE_SQUARES && !bins->metric.periods;
    struct bi_kdtree_sum_queries of;
    struct bi_kdtree_sum_walk w;
    /* 1. Copy the queries, one coordinate after the other. */
    of.begin = a->pairs.query_blocks.begins[s];
    of.count = (int64_t)a->pairs.query_blocks.begins[s + 1] - of.begin;
    for (int64_t k = 0; k < BI_KDTREE_BLOCK_NODES; k++) {
        for (int32_t c = 0; c < dim; c++) of.at[c][k] = k < of.count ? bins->queries[(of.begin + k) * dim + c] : 0;
        for (int32_t b = 0; b < bins->bins; b++) of.totals[b][k] = 0;
    }
    /* 2. Add the sums of boxes, or the weights of nodes; constant kinds and dimensions make vectors. */
    bi_kdtree_sum_walk_begin(a, &w, s);
    while (bi_kdtree_sum_walk_next(a, &w)) {
        if (w.low == w.high) {
            double *totals = of.totals[w.low - bins->first];
            for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++) totals[k] += a->box_sums[w.box];
        } else if (squares && dim == 3) {
            bi_kdtree_sum_block_nodes(a, &w, BI_KDTREE_SQUARES, 3, &of);
        } else if (squares && dim == 2) {
            bi_kdtree_sum_block_nodes(a, &w, BI_KDTREE_SQUARES, 2, &of);
        } else if (squares) {
            bi_kdtree_sum_block_nodes(a, &w, BI_KDTREE_SQUARES, dim, &of);
        } else if (bins->metric.kind == BI_KDTREE_SQUARES_F32) { /* has no periods (metric.c) */
            bi_kdtree_sum_block_nodes(a, &w, BI_KDTREE_SQUARES_F32, dim, &of);
        } else {
            bi_kdtree_sum_block_nodes(a, &w, BI_KDTREE_POWER, dim, &of); /* any other kind */
        }
    }
    /* 3. Write the sums times the queries' weights. */
    for (int64_t k = 0; k < of.count; k++) {
        const int64_t i = of.begin + k;
        const double weight = bins->query_weights ? bins->query_weights[bins->numbers[i]] : 1;
        for (int32_t b = 0; b < bins->bins; b++) bins->totals[b * bins->n + i] = weight * of.totals[b][k];
    }
}

#endif
