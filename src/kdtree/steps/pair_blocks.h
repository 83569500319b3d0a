/* Counts the pairs of nodes of two trees by distance: by a walk over pairs of boxes (dual-tree traversal: Gray and
 * Moore, N-body problems in statistical learning, NIPS 2000). Boxes are tight, so that they exclude or include pairs
 * also where the points lie on lines and planes. */
#ifndef BI_KDTREE_STEPS_PAIR_BLOCKS_H
#define BI_KDTREE_STEPS_PAIR_BLOCKS_H

#include "kdtree/steps/blocks.h"
#include "kdtree/steps/pair_counts.h"

/* Levels of boxes below that of an item: 32 blocks. More: fewer items for threads; less: more walks from the root. Not
 * measured. */
enum { BI_KDTREE_ITEM_LEVELS = 5 };
/* Small query trees have items of fewer blocks, so that threads have 256 items. Not measured. */
enum { BI_KDTREE_LEAST_ITEM_LEVEL = 8 };

/* Coordinates and limits for which pairs of blocks are counted by vectors, once a limit. Not measured apart. */
enum { BI_KDTREE_FEW_COORDINATES = 3, BI_KDTREE_FEW_LIMITS = 4 };

/* Pairs that wait in a walk, at most: a division adds one, for each level of both trees; the first one; and a spare. */
enum { BI_KDTREE_WAITING_PAIRS = 2 * BI_KDTREE_MOST_LEVELS + 2 };

/* Item i: the nodes of box i of level item_level of the query tree. Its bin b goes to bins.counts[b * items + i]. */
struct bi_kdtree_count_blocks {
    struct bi_kdtree_count_bins bins;             /* queries: nodes of the query tree, as rows */
    const double *nodes;                          /* of the searched tree, as rows */
    struct bi_kdtree_blocks query_blocks, blocks; /* of at most BI_KDTREE_BOX_COORDINATES: all coordinates */
    int64_t items;
    int32_t item_level;
};

/* A pair of boxes, by heap index, of the query tree and the searched one. */
struct bi_kdtree_box_pair {
    uint32_t query_box, box;
};

/* The nodes of a box. */
BI_FN struct bi_kdtree_range bi_kdtree_box_nodes(const struct bi_kdtree_blocks *b, int64_t h)
{
    const int level = bi_bit_length((uint64_t)h + 1) - 1;
    const int64_t first = (h + 1 - ((int64_t)1 << level)) << (b->levels - level),
                  count = (int64_t)1 << (b->levels - level);
    struct bi_kdtree_range r = {b->begins[first], b->begins[first + count]};
    return r;
}

/* Finds the least and the greatest gap between two intervals, by the operations of bi_kdtree_gap. The greatest is an
 * upper bound. */
BI_FN void bi_kdtree_gaps_of_sides(const struct bi_kdtree_metric *m, int32_t c, const double a[2], const double b[2],
                                   double *least, double *most)
{
    const double up = b[1] - a[0], down = a[1] - b[0], d = up > down ? up : down;
    const double below = b[0] - a[1], above = a[0] - b[1], gap = below > above ? below : above;
    *least = gap > 0 ? gap : 0;
    *most = up == up && down == down ? d : BI_INFINITY;
    if (!m->periods || !(m->periods[c] > 0)) return;
    /* Both sides are within [0, period]. */
    const double around = m->periods[c] - d;
    if (around < *least) *least = around;
    if (d > 0.5 * m->periods[c]) *most = 0.5 * m->periods[c];
}

/* Finds bounds of the measures between nodes of two boxes. */
BI_FN void bi_kdtree_bound_pair(const struct bi_kdtree_count_blocks *a, struct bi_kdtree_box_pair p, double *least,
                                double *most)
{
    const struct bi_kdtree_metric *m = &a->bins.metric;
    const int32_t dim = a->bins.view.dim;
    double least_gaps[BI_KDTREE_BOX_COORDINATES], most_gaps[BI_KDTREE_BOX_COORDINATES];
    for (int32_t c = 0; c < dim; c++) {
        const double q[2] = {bi_kdtree_box_coordinate(&a->query_blocks, p.query_box, c),
                             bi_kdtree_box_coordinate(&a->query_blocks, p.query_box, dim + c)},
                     x[2] = {bi_kdtree_box_coordinate(&a->blocks, p.box, c),
                             bi_kdtree_box_coordinate(&a->blocks, p.box, dim + c)};
        bi_kdtree_gaps_of_sides(m, c, q, x, &least_gaps[c], &most_gaps[c]);
    }
    *least = bi_kdtree_measure_gaps(m, least_gaps, dim) * m->shrink;
    *most = bi_kdtree_measure_gaps(m, most_gaps, dim);
    if (bi_kdtree_is_relative(m->kind)) *most *= m->grow;
}

/* Returns bi_kdtree_measure of a node, which is a row of doubles. */
BI_FN double bi_kdtree_measure_row(const struct bi_kdtree_metric *m, int32_t dim, const double *q, const double *x)
{
    double sum = 0, gaps[BI_KDTREE_BOX_COORDINATES];
    if (m->kind == BI_KDTREE_SQUARES_F32) { /* has no periods (metric.c) */
        float squares = 0;
        for (int32_t c = 0; c < dim; c++) squares += ((float)q[c] - (float)x[c]) * ((float)q[c] - (float)x[c]);
        return squares == squares ? (double)squares : BI_INFINITY;
    }
    if (m->kind == BI_KDTREE_SQUARES && !m->periods) {
        for (int32_t c = 0; c < dim; c++) sum += (q[c] - x[c]) * (q[c] - x[c]);
        return sum == sum ? sum : BI_INFINITY;
    }
    if (m->kind == BI_KDTREE_SUM && !m->periods) {
        for (int32_t c = 0; c < dim; c++) sum += fabs(q[c] - x[c]);
        return sum == sum ? sum : BI_INFINITY;
    }
    for (int32_t c = 0; c < dim; c++) {
        gaps[c] = bi_kdtree_gap(m, c, q[c], x[c]);
        if (gaps[c] != gaps[c]) return BI_INFINITY;
    }
    return bi_kdtree_measure_gaps(m, gaps, dim);
}

/* Measures all pairs of the nodes of two blocks; their bins are within [low, high]. */
BI_FN void bi_kdtree_count_two_blocks(const struct bi_kdtree_count_blocks *a, int32_t dim, struct bi_kdtree_range from,
                                      struct bi_kdtree_range to, int64_t low, int64_t high, int64_t *counts)
{
    const int64_t first = a->bins.first, bins = a->bins.bins;
    for (int64_t i = from.begin; i < from.end; i++) {
        const double *q = a->bins.queries + i * dim;
        int32_t within = 0;
        /* 1. Two bins, one of them beyond those of this call: a comparison decides. */
        if (low + 1 == high && low >= first && high == first + bins) {
            const double limit = a->bins.limits[low];
            for (int64_t j = to.begin; j < to.end; j++)
                within += bi_kdtree_measure_row(&a->bins.metric, dim, q, a->nodes + j * dim) <= limit;
            counts[low - first] += within;
            continue;
        }
        /* 2. Any bins. */
        for (int64_t j = to.begin; j < to.end; j++) {
            const int64_t bin =
                bi_kdtree_bin_of(&a->bins, bi_kdtree_measure_row(&a->bins.metric, dim, q, a->nodes + j * dim));
            if (bin >= first && bin < first + bins) counts[bin - first]++;
        }
    }
}

/* The same for sums and squares of doubles without periods, in few dimensions: vectors of the nodes of `to`, one
 * coordinate after the other. Counts of distances up to a limit become those of bins by subtraction. */
BI_FN void bi_kdtree_count_by_limits(const struct bi_kdtree_count_blocks *a, enum bi_kdtree_metric_kind kind,
                                     int32_t dim, struct bi_kdtree_range from, struct bi_kdtree_range to, int64_t low,
                                     int64_t high, int64_t *counts)
{
    const int64_t first = a->bins.first, end = first + a->bins.bins;
    double at[BI_KDTREE_FEW_COORDINATES][BI_KDTREE_BLOCK_NODES] = {{0}};
    int64_t is_node[BI_KDTREE_BLOCK_NODES] = {0}, before = 0;
    /* 1. Copy the nodes. */
    for (int64_t j = to.begin; j < to.end; j++) {
        is_node[j - to.begin] = 1;
        for (int32_t c = 0; c < dim; c++) at[c][j - to.begin] = a->nodes[j * dim + c];
    }
    /* 2. Count the pairs within each limit; all are within that of the highest bin. */
    for (int64_t b = low; b <= high && b < end; b++) {
        int64_t within[BI_KDTREE_BLOCK_NODES] = {0}, sum = 0;
        for (int64_t i = from.begin; i < from.end && b < high; i++) {
            const double *q = a->bins.queries + i * dim;
            for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++) {
                double measure = 0;
                for (int32_t c = 0; c < dim; c++) measure = bi_kdtree_add_gap(kind, measure, fabs(q[c] - at[c][k]));
                within[k] += measure <= a->bins.limits[b] ? is_node[k] : 0;
            }
        }
        for (int k = 0; k < BI_KDTREE_BLOCK_NODES; k++) sum += within[k];
        if (b == high) sum = (from.end - from.begin) * (to.end - to.begin);
        if (b >= first) counts[b - first] += sum - before;
        before = sum;
    }
}

/* Measures all pairs of the nodes of two blocks; constant kinds and dimensions unroll the loops. */
BI_FN void bi_kdtree_count_nodes(const struct bi_kdtree_count_blocks *a, struct bi_kdtree_range from,
                                 struct bi_kdtree_range to, int64_t low, int64_t high, int64_t *counts)
{
    const enum bi_kdtree_metric_kind kind = a->bins.metric.kind;
    const int32_t dim = a->bins.view.dim;
    const bool few = (dim == 2 || dim == 3) && high - low <= BI_KDTREE_FEW_LIMITS && !a->bins.metric.periods;
    if (few && kind == BI_KDTREE_SQUARES && dim == 3)
        bi_kdtree_count_by_limits(a, BI_KDTREE_SQUARES, 3, from, to, low, high, counts);
    else if (few && kind == BI_KDTREE_SQUARES)
        bi_kdtree_count_by_limits(a, BI_KDTREE_SQUARES, 2, from, to, low, high, counts);
    else if (few && kind == BI_KDTREE_SUM && dim == 3)
        bi_kdtree_count_by_limits(a, BI_KDTREE_SUM, 3, from, to, low, high, counts);
    else if (few && kind == BI_KDTREE_SUM)
        bi_kdtree_count_by_limits(a, BI_KDTREE_SUM, 2, from, to, low, high, counts);
    else if (dim == 3)
        bi_kdtree_count_two_blocks(a, 3, from, to, low, high, counts);
    else if (dim == 2)
        bi_kdtree_count_two_blocks(a, 2, from, to, low, high, counts);
    else
        bi_kdtree_count_two_blocks(a, dim, from, to, low, high, counts);
}

/* Counts the pairs between two boxes, if all are in one bin or both boxes are blocks. Else returns false. */
BI_FN bool bi_kdtree_count_pair(const struct bi_kdtree_count_blocks *a, struct bi_kdtree_box_pair p, int64_t *counts)
{
    const int64_t first = a->bins.first, end = first + a->bins.bins;
    double least, most;
    /* 1. Exclude the pair, or count it as a whole. */
    bi_kdtree_bound_pair(a, p, &least, &most);
    /* Bins before `first` are all first - 1 here, so pairs wholly before it have one bin. */
    const int64_t low = bi_kdtree_bin_of(&a->bins, least);
    if (low >= end) return true;
    const int64_t high = bi_kdtree_bin_of(&a->bins, most);
    if (low != high && (p.query_box + 1) >> a->query_blocks.levels == 0) return false;
    if (low != high && (p.box + 1) >> a->blocks.levels == 0) return false;
    const struct bi_kdtree_range from = bi_kdtree_box_nodes(&a->query_blocks, p.query_box),
                                 to = bi_kdtree_box_nodes(&a->blocks, p.box);
    if (low == high) {
        if (low >= first) counts[low - first] += (from.end - from.begin) * (to.end - to.begin);
        return true;
    }
    /* 2. Measure the nodes of two blocks. */
    bi_kdtree_count_nodes(a, from, to, low, high, counts);
    return true;
}

BI_FN void bi_step_count_blocks(const struct bi_kdtree_count_blocks *a, int64_t i)
{
    struct bi_kdtree_box_pair waiting[BI_KDTREE_WAITING_PAIRS];
    int64_t counts[BI_KDTREE_BINS] = {0};
    int waits = 0;
    /* 1. Begin at the item's box and the root. */
    waiting[waits].query_box = (uint32_t)(((int64_t)1 << a->item_level) - 1 + i);
    waiting[waits++].box = 0;
    while (waits > 0) {
        const struct bi_kdtree_box_pair p = waiting[--waits];
        if (bi_kdtree_count_pair(a, p, counts)) continue;
        /* 2. Divide the larger box: the one with more levels below it. */
        const int query_levels = a->query_blocks.levels + 1 - bi_bit_length((uint64_t)p.query_box + 1),
                  levels = a->blocks.levels + 1 - bi_bit_length((uint64_t)p.box + 1);
        for (uint32_t side = 1; side <= 2; side++) {
            waiting[waits] = p;
            if (query_levels > levels)
                waiting[waits].query_box = 2 * p.query_box + side;
            else
                waiting[waits].box = 2 * p.box + side;
            waits++;
        }
    }
    /* 3. Write the counts. */
    for (int32_t b = 0; b < a->bins.bins; b++) a->bins.counts[b * a->items + i] = counts[b];
}

#endif
