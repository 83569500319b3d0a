/* Steps of DBSCAN over the blocks of a k-d tree. No neighbours are stored. An item is mostly a block: its nodes are
 * compared with those of other blocks, nearest first: of the block's sibling, then of the siblings of the boxes above
 * it. Distant boxes are skipped; boxes wholly within eps are counted by their sums.
 *
 * Every pair of nodes has one lowest box that holds both, so a pass over the pairs of sibling boxes, level by level
 * from the bottom, unites all pairs. A box is `joined` if its core nodes are in one set: a pair of joined boxes of one
 * set is skipped, and a pair of joined boxes needs one union. Other threads may change which unions are skipped, but
 * never the sets. */
#ifndef BI_CLUSTER_STEPS_DBSCAN_H
#define BI_CLUSTER_STEPS_DBSCAN_H

#include <boscage/cluster.h>

#include "base/bits.h"
#include "base/union_find.h"
#include "kdtree/steps/pair_blocks.h"

#define BI_CLUSTER_NONE UINT32_MAX /* no node, or no cluster */

/* Nodes are in the order of the tree; boxes have heap indices. */
struct bi_dbscan {
    struct bi_kdtree_blocks blocks;
    struct bi_kdtree_metric metric;
    const double *points;  /* (nodes x dim) */
    const uint32_t *rows;  /* (nodes) */
    double limit;          /* the largest measure within eps */
    double min_samples;    /* an integer */
    const double *weights; /* (nodes) by row; NULL: 1 */
    double *sums;          /* (boxes) of weights; NULL without weights */
    bool may_shrink;       /* some weight is negative: no count is over early */
    int32_t level;         /* of the boxes of this pass */
    uint8_t *core;         /* (nodes) */
    uint32_t *parent;      /* (nodes) sets of core nodes */
    uint32_t *some_core;   /* (boxes) a core node of the box, or NONE */
    uint8_t *joined;       /* (boxes) the core nodes are known to be in one set */
    uint32_t *least_row;   /* (nodes) at roots: the smallest row of a core node of the set */
    uint32_t *numbers;     /* (nodes) by row: 1 for the smallest core rows of sets; then their ranks */
    uint32_t *cluster;     /* (nodes) the number of the cluster, or NONE */
    uint8_t *noise;        /* (nodes) */
};

/* Weights by row: lowers bad[0] to the first that is not finite, bad[1] to the first that is negative. */
struct bi_dbscan_weights {
    const double *weights;
    int64_t *bad;
};

BI_FN void bi_step_dbscan_check_weights(const struct bi_dbscan_weights *a, int64_t i)
{
    const double w = a->weights[i];
    if (w - w != 0) bi_atomic_min_i64(&a->bad[0], i);
    if (w < 0) bi_atomic_min_i64(&a->bad[1], i);
}

BI_FN void bi_step_dbscan_singletons(const struct bi_dbscan *a, int64_t i)
{
    a->parent[i] = (uint32_t)i;
    a->least_row[i] = BI_CLUSTER_NONE;
}

/* --- Distances ---------------------------------------------------------------------------------------------------- */

/* The first block's heap index. */
BI_FN int64_t bi_dbscan_first_block(const struct bi_dbscan *a) { return ((int64_t)1 << a->blocks.levels) - 1; }

BI_FN bool bi_dbscan_is_within(const struct bi_dbscan *a, int64_t i, int64_t j)
{
    const int32_t dim = a->blocks.view.dim;
    const double *q = a->points + i * dim;
    if (dim == 3) return bi_kdtree_measure_row(&a->metric, 3, q, a->points + j * 3) <= a->limit;
    if (dim == 2) return bi_kdtree_measure_row(&a->metric, 2, q, a->points + j * 2) <= a->limit;
    if (dim <= BI_KDTREE_BOX_COORDINATES)
        return bi_kdtree_measure_row(&a->metric, dim, q, a->points + j * dim) <= a->limit;
    return bi_kdtree_measure(&a->metric, &a->blocks.view, j, q) <= a->limit;
}

enum bi_dbscan_reach { BI_DBSCAN_FAR, BI_DBSCAN_MIXED, BI_DBSCAN_NEAR };

/* Compares all nodes of two boxes: FAR: no pair is within eps. NEAR: all are. Boxes lack coordinates beyond the first
 * ones, so with more of them none are NEAR. */
BI_FN enum bi_dbscan_reach bi_dbscan_compare_boxes(const struct bi_dbscan *a, int64_t g, int64_t h)
{
    const int32_t used = a->blocks.used;
    double least[BI_KDTREE_BOX_COORDINATES], most[BI_KDTREE_BOX_COORDINATES];
    for (int32_t c = 0; c < used; c++) {
        const double q[2] = {bi_kdtree_box_coordinate(&a->blocks, g, c),
                             bi_kdtree_box_coordinate(&a->blocks, g, used + c)},
                     x[2] = {bi_kdtree_box_coordinate(&a->blocks, h, c),
                             bi_kdtree_box_coordinate(&a->blocks, h, used + c)};
        bi_kdtree_gaps_of_sides(&a->metric, c, q, x, &least[c], &most[c]);
    }
    if (bi_kdtree_measure_gaps(&a->metric, least, used) * a->metric.shrink > a->limit) return BI_DBSCAN_FAR;
    if (used < a->blocks.view.dim) return BI_DBSCAN_MIXED;
    const double grow = bi_kdtree_is_relative(a->metric.kind) ? a->metric.grow : 1;
    return bi_kdtree_measure_gaps(&a->metric, most, used) * grow <= a->limit ? BI_DBSCAN_NEAR : BI_DBSCAN_MIXED;
}

/* True if a node may be within eps of nodes of a box. */
BI_FN bool bi_dbscan_may_reach(const struct bi_dbscan *a, int64_t i, int64_t h)
{
    const int32_t used = a->blocks.used;
    const double *q = a->points + i * a->blocks.view.dim;
    double gaps[BI_KDTREE_BOX_COORDINATES];
    for (int32_t c = 0; c < used; c++)
        gaps[c] = bi_kdtree_least_gap(&a->metric, c, q[c], bi_kdtree_box_coordinate(&a->blocks, h, c),
                                      bi_kdtree_box_coordinate(&a->blocks, h, used + c));
    return !(bi_kdtree_measure_gaps(&a->metric, gaps, used) * a->metric.shrink > a->limit);
}

/* A walk over the boxes of a subtree. */
struct bi_dbscan_walk {
    uint32_t waiting[BI_KDTREE_MOST_LEVELS + 1];
    int count;
};

/* Pushes the two boxes below box h. */
BI_FN void bi_dbscan_push_children(struct bi_dbscan_walk *w, int64_t h)
{
    w->waiting[w->count++] = (uint32_t)(2 * h + 2);
    w->waiting[w->count++] = (uint32_t)(2 * h + 1);
}

/* --- Core nodes --------------------------------------------------------------------------------------------------- */

BI_FN double bi_dbscan_weight(const struct bi_dbscan *a, int64_t i) { return a->weights ? a->weights[a->rows[i]] : 1; }

BI_FN void bi_step_dbscan_sum_blocks(const struct bi_dbscan *a, int64_t s)
{
    double sum = 0;
    for (uint32_t i = a->blocks.begins[s]; i < a->blocks.begins[s + 1]; i++) sum = sum + bi_dbscan_weight(a, i);
    a->sums[bi_dbscan_first_block(a) + s] = sum;
}

/* Sums the two boxes below box i of the level. */
BI_FN void bi_step_dbscan_sum_boxes(const struct bi_dbscan *a, int64_t i)
{
    const int64_t h = ((int64_t)1 << a->level) - 1 + i;
    a->sums[h] = a->sums[2 * h + 1] + a->sums[2 * h + 2];
}

/* The nodes of a block, and the weights within eps of them so far. */
struct bi_dbscan_counts {
    int64_t box;
    struct bi_kdtree_range nodes;
    double sums[BI_KDTREE_BLOCK_NODES];
    uint32_t open; /* bit k: node k may still become core */
};

BI_FN void bi_dbscan_add(const struct bi_dbscan *a, struct bi_dbscan_counts *n, int32_t k, double weight)
{
    n->sums[k] = n->sums[k] + weight;
    if (!a->may_shrink && n->sums[k] >= a->min_samples) n->open &= ~((uint32_t)1 << k);
}

/* Adds the nodes of block h to the counts of open nodes. */
BI_FN void bi_dbscan_count_block(const struct bi_dbscan *a, struct bi_dbscan_counts *n, int64_t h)
{
    const struct bi_kdtree_range r = bi_kdtree_box_nodes(&a->blocks, h);
    for (int32_t k = 0; k < (int32_t)(n->nodes.end - n->nodes.begin); k++) {
        if (!(n->open >> k & 1) || (h != n->box && !bi_dbscan_may_reach(a, n->nodes.begin + k, h))) continue;
        for (int64_t j = r.begin; j < r.end && n->open >> k & 1; j++)
            if (bi_dbscan_is_within(a, n->nodes.begin + k, j)) bi_dbscan_add(a, n, k, bi_dbscan_weight(a, j));
    }
}

/* Adds the nodes of a subtree. */
BI_FN void bi_dbscan_count_subtree(const struct bi_dbscan *a, struct bi_dbscan_counts *n, int64_t top)
{
    struct bi_dbscan_walk walk = {{(uint32_t)top}, 1};
    while (walk.count > 0 && n->open) {
        const int64_t h = walk.waiting[--walk.count];
        const enum bi_dbscan_reach reach = bi_dbscan_compare_boxes(a, n->box, h);
        if (reach == BI_DBSCAN_FAR) continue;
        if (reach == BI_DBSCAN_NEAR) {
            const struct bi_kdtree_range r = bi_kdtree_box_nodes(&a->blocks, h);
            const double sum = a->sums ? a->sums[h] : (double)(r.end - r.begin);
            for (int32_t k = 0; k < (int32_t)(n->nodes.end - n->nodes.begin); k++)
                if (n->open >> k & 1) bi_dbscan_add(a, n, k, sum);
        } else if (h >= bi_dbscan_first_block(a)) {
            bi_dbscan_count_block(a, n, h);
        } else {
            bi_dbscan_push_children(&walk, h);
        }
    }
}

/* Finds the core nodes of block s: adds its own nodes, then those of the siblings on the path to the root. */
BI_FN void bi_step_dbscan_count(const struct bi_dbscan *a, int64_t s)
{
    struct bi_dbscan_counts n = {bi_dbscan_first_block(a) + s, {a->blocks.begins[s], a->blocks.begins[s + 1]}, {0}, 0};
    n.open = ((uint32_t)1 << (n.nodes.end - n.nodes.begin)) - 1;
    bi_dbscan_count_subtree(a, &n, n.box);
    for (int64_t h = n.box; h > 0 && n.open; h = (h - 1) / 2) bi_dbscan_count_subtree(a, &n, h % 2 ? h + 1 : h - 1);
    for (int64_t i = n.nodes.begin; i < n.nodes.end; i++) a->core[i] = n.sums[i - n.nodes.begin] >= a->min_samples;
}

/* --- Sets of core nodes ------------------------------------------------------------------------------------------- */

/* True if the core nodes of two boxes are known to be in one set. */
BI_FN bool bi_dbscan_are_one_set(const struct bi_dbscan *a, int64_t g, int64_t h)
{
    return a->joined[g] && a->joined[h] &&
           bi_uf_find(a->parent, a->some_core[g]) == bi_uf_find(a->parent, a->some_core[h]);
}

/* Unites the core nodes within a block. */
BI_FN void bi_step_dbscan_join_blocks(const struct bi_dbscan *a, int64_t s)
{
    const int64_t h = bi_dbscan_first_block(a) + s;
    const struct bi_kdtree_range r = {a->blocks.begins[s], a->blocks.begins[s + 1]};
    a->some_core[h] = BI_CLUSTER_NONE;
    for (int64_t i = r.begin; i < r.end; i++) {
        if (!a->core[i]) continue;
        if (a->some_core[h] == BI_CLUSTER_NONE) a->some_core[h] = (uint32_t)i;
        for (int64_t j = i + 1; j < r.end; j++)
            if (a->core[j] && bi_dbscan_is_within(a, i, j)) bi_uf_union(a->parent, (uint32_t)i, (uint32_t)j);
    }
    a->joined[h] = false;
}

/* Finds if the core nodes of block s are in one set by now. */
BI_FN void bi_step_dbscan_update_blocks(const struct bi_dbscan *a, int64_t s)
{
    const int64_t h = bi_dbscan_first_block(a) + s;
    if (a->joined[h]) return;
    const uint32_t some = a->some_core[h], set = some == BI_CLUSTER_NONE ? some : bi_uf_find(a->parent, some);
    bool joined = true;
    for (int64_t i = a->blocks.begins[s]; i < a->blocks.begins[s + 1] && joined; i++)
        joined = !a->core[i] || bi_uf_find(a->parent, (uint32_t)i) == set;
    a->joined[h] = joined;
}

/* Unites neighbouring core nodes of two blocks; joined blocks need one pair. */
BI_FN void bi_dbscan_join_pair(const struct bi_dbscan *a, int64_t g, int64_t h)
{
    const struct bi_kdtree_range from = bi_kdtree_box_nodes(&a->blocks, g), to = bi_kdtree_box_nodes(&a->blocks, h);
    const bool one_is_enough = a->joined[g] && a->joined[h];
    for (int64_t i = from.begin; i < from.end; i++) {
        if (!a->core[i] || !bi_dbscan_may_reach(a, i, h)) continue;
        for (int64_t j = to.begin; j < to.end; j++) {
            if (!a->core[j] || !bi_dbscan_is_within(a, i, j)) continue;
            bi_uf_union(a->parent, (uint32_t)i, (uint32_t)j);
            if (one_is_enough) return;
        }
    }
}

/* Unites the core nodes of a block with those of the sibling of the box above it on this level, which is a lesser
 * side. Item i numbers the blocks below lesser sides. */
BI_FN void bi_step_dbscan_join_siblings(const struct bi_dbscan *a, int64_t i)
{
    /* 1. Find the block, and the two boxes. */
    const int below = a->blocks.levels - a->level;
    const int64_t low = i & (((int64_t)1 << below) - 1), s = (i - low) * 2 + low;
    const int64_t block = bi_dbscan_first_block(a) + s, left = ((int64_t)1 << a->level) - 1 + (s >> below);
    struct bi_dbscan_walk walk = {{(uint32_t)(left + 1)}, 1};
    if (a->some_core[block] == BI_CLUSTER_NONE || a->some_core[left + 1] == BI_CLUSTER_NONE ||
        bi_dbscan_are_one_set(a, left, left + 1))
        return;
    /* 2. Walk the sibling. */
    while (walk.count > 0) {
        const int64_t h = walk.waiting[--walk.count];
        if (a->some_core[h] == BI_CLUSTER_NONE) continue;
        const enum bi_dbscan_reach reach = bi_dbscan_compare_boxes(a, block, h);
        if (reach == BI_DBSCAN_FAR || bi_dbscan_are_one_set(a, block, h)) continue;
        if (reach == BI_DBSCAN_NEAR && a->joined[block] && a->joined[h])
            bi_uf_union(a->parent, a->some_core[block], a->some_core[h]);
        else if (h >= bi_dbscan_first_block(a))
            bi_dbscan_join_pair(a, block, h);
        else
            bi_dbscan_push_children(&walk, h);
    }
}

/* Finds if the core nodes of box i of the level are one set, from the two boxes below it. */
BI_FN void bi_step_dbscan_merge_boxes(const struct bi_dbscan *a, int64_t i)
{
    const int64_t h = ((int64_t)1 << a->level) - 1 + i;
    const uint32_t one = a->some_core[2 * h + 1], two = a->some_core[2 * h + 2];
    a->some_core[h] = one == BI_CLUSTER_NONE ? two : one;
    a->joined[h] = one == BI_CLUSTER_NONE   ? a->joined[2 * h + 2]
                   : two == BI_CLUSTER_NONE ? a->joined[2 * h + 1]
                                            : bi_dbscan_are_one_set(a, 2 * h + 1, 2 * h + 2);
}

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

/* The parents are flat from here on. */
BI_FN void bi_step_dbscan_find_least_rows(const struct bi_dbscan *a, int64_t i)
{
    uint32_t *least = &a->least_row[a->parent[i]];
    if (a->core[i] && a->rows[i] < bi_atomic_load_u32(least)) bi_atomic_min_u32(least, a->rows[i]);
}

BI_FN void bi_step_dbscan_mark_least_rows(const struct bi_dbscan *a, int64_t i)
{
    if (a->core[i] && a->parent[i] == (uint32_t)i) a->numbers[a->least_row[i]] = 1;
}

BI_FN void bi_step_dbscan_number(const struct bi_dbscan *a, int64_t i)
{
    a->cluster[i] = a->core[i] ? a->numbers[a->least_row[a->parent[i]]] : BI_CLUSTER_NONE;
}

/* Lowers the cluster of the other nodes of a block to those of the core nodes of a subtree within eps. */
BI_FN void bi_dbscan_lower_clusters(const struct bi_dbscan *a, int64_t box, struct bi_kdtree_range nodes, int64_t top)
{
    struct bi_dbscan_walk walk = {{(uint32_t)top}, 1};
    while (walk.count > 0) {
        const int64_t h = walk.waiting[--walk.count];
        if (a->some_core[h] == BI_CLUSTER_NONE || bi_dbscan_compare_boxes(a, box, h) == BI_DBSCAN_FAR) continue;
        if (h < bi_dbscan_first_block(a)) {
            bi_dbscan_push_children(&walk, h);
            continue;
        }
        const struct bi_kdtree_range r = bi_kdtree_box_nodes(&a->blocks, h);
        for (int64_t i = nodes.begin; i < nodes.end; i++) {
            if (a->core[i] || (h != box && !bi_dbscan_may_reach(a, i, h))) continue;
            for (int64_t j = r.begin; j < r.end; j++)
                if (a->core[j] && a->cluster[j] < a->cluster[i] && bi_dbscan_is_within(a, i, j))
                    a->cluster[i] = a->cluster[j];
        }
    }
}

/* Labels the other nodes of block s. */
BI_FN void bi_step_dbscan_label_borders(const struct bi_dbscan *a, int64_t s)
{
    const struct bi_kdtree_range nodes = {a->blocks.begins[s], a->blocks.begins[s + 1]};
    bool any = false;
    for (int64_t i = nodes.begin; i < nodes.end; i++) any |= !a->core[i];
    if (!any) return;
    int64_t h = bi_dbscan_first_block(a) + s;
    const int64_t box = h;
    bi_dbscan_lower_clusters(a, box, nodes, box);
    for (; h > 0; h = (h - 1) / 2) bi_dbscan_lower_clusters(a, box, nodes, h % 2 ? h + 1 : h - 1);
}

BI_FN void bi_step_dbscan_mark_noise(const struct bi_dbscan *a, int64_t i)
{
    a->noise[i] = a->cluster[i] == BI_CLUSTER_NONE;
}

/* Writes the results of node i to its row. */
struct bi_dbscan_write {
    const uint32_t *rows, *cluster;
    const uint8_t *core;
    void *labels;
    uint8_t *core_rows; /* NULL: not requested */
    bool is_64bit;
};

BI_FN void bi_step_dbscan_write(const struct bi_dbscan_write *a, int64_t i)
{
    const uint32_t row = a->rows[i];
    const int64_t label = a->cluster[i] == BI_CLUSTER_NONE ? -1 : (int64_t)a->cluster[i];
    if (a->core_rows) a->core_rows[row] = a->core[i];
    bi_set_word(a->labels, a->is_64bit, row, (uint64_t)label);
}

#endif
