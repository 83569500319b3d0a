/* Steps that find the nearest point with another label for each active row. */
#ifndef BI_KDTREE_STEPS_NEAREST_OTHER_LABEL_H
#define BI_KDTREE_STEPS_NEAREST_OTHER_LABEL_H

#include "kdtree/steps/blocks.h"
#include "kdtree/steps/metric.h"

/* Writes "none" to a row. Run when only the device can still fail, as outputs are unchanged on other failures. */
struct bi_kdtree_write_none {
    void *ids, *dist2; /* dist2 may be NULL */
    bool wide, single;
};

BI_FN void bi_step_write_none(const struct bi_kdtree_write_none *a, int64_t i)
{
    struct bi_row_out out = {a->ids, a->dist2, i, a->wide, a->single, false};
    bi_row_set(&out, 0, (double)INFINITY, BI_KDTREE_NONE);
}

/* Marks the nodes whose rows are active: those whose bound is not negative. */
struct bi_kdtree_mark_active {
    bosc_kdtree_view view;
    const void *bounds; /* of the distance type; NULL: all rows are active */
    uint32_t *nodes;    /* 0, 1, 2, ... */
    uint8_t *active;
};

BI_FN double bi_kdtree_row_bound(const void *bounds, bosc_dtype dtype, int64_t row)
{
    if (!bounds) return (double)INFINITY;
    return dtype == BOSC_F32 ? (double)((const float *)bounds)[row] : ((const double *)bounds)[row];
}

BI_FN void bi_kdtree_set_row_bound(void *bounds, bosc_dtype dtype, int64_t row, double bound)
{
    if (dtype == BOSC_F32)
        ((float *)bounds)[row] = (float)bound;
    else
        ((double *)bounds)[row] = bound;
}

BI_FN void bi_step_mark_active(const struct bi_kdtree_mark_active *a, int64_t i)
{
    a->nodes[i] = (uint32_t)i;
    a->active[i] = bi_kdtree_row_bound(a->bounds, a->view.dtype, bosc_kdtree_id(&a->view, i)) >= 0;
}

/* Bits of a distance of the distance type; distances ascend as their bits do. */
BI_FN uint64_t bi_kdtree_distance_bits(double d, bool single)
{
    return single ? bi_f32_bits((float)d) : bi_f64_bits(d);
}

/* The distance with these bits; infinity for UINT64_MAX. */
BI_FN double bi_kdtree_of_distance_bits(uint64_t word, bool single)
{
    if (word == UINT64_MAX) return (double)INFINITY;
    return single ? (double)bi_f32_from_bits((uint32_t)word) : bi_f64_from_bits(word);
}

/* The label of each node, from labels by row. */
struct bi_kdtree_node_labels {
    bosc_kdtree_view view;
    const void *labels;
    bool wide;
    uint32_t *node_labels;
};

BI_FN void bi_step_node_labels(const struct bi_kdtree_node_labels *a, int64_t i)
{
    uint32_t id = bosc_kdtree_id(&a->view, i);
    a->node_labels[i] = a->wide ? (uint32_t)((const int64_t *)a->labels)[id] : ((const uint32_t *)a->labels)[id];
}

/* The larger of a Euclidean distance and the core distance `at` of an array; NULL: the distance. */
BI_FN double bi_kdtree_mutual(const struct bi_kdtree_blocks *a, const void *cores, int64_t at, double distance)
{
    if (!cores) return distance;
    const double core = bi_kdtree_row_bound(cores, a->view.dtype, at);
    return core > distance ? core : distance;
}

/* Sets the one label of block s, or BI_KDTREE_MIXED. An empty block has the label of the last node: as they are last,
 * boxes above have it if their other nodes do. */
BI_FN void bi_step_label_block(const struct bi_kdtree_blocks *a, int64_t s)
{
    uint32_t label = a->node_labels[a->begins[s] < a->begins[s + 1] ? a->begins[s] : a->view.nodes - 1];
    for (uint32_t i = a->begins[s] + 1; i < a->begins[s + 1]; i++)
        if (a->node_labels[i] != label) label = BI_KDTREE_MIXED;
    a->same[((int64_t)1 << a->levels) - 1 + s] = label;
}

BI_FN void bi_step_merge_labels(const struct bi_kdtree_blocks *a, int64_t i)
{
    int64_t h = ((int64_t)1 << a->level) - 1 + i;
    a->same[h] = a->same[2 * h + 1] == a->same[2 * h + 2] ? a->same[2 * h + 1] : BI_KDTREE_MIXED;
}

/* Core distances: of nodes from those by row, and the least ones of blocks and of boxes above. */
struct bi_kdtree_core_rows {
    struct bi_kdtree_blocks blocks;
    const void *cores; /* by row, of the distance type */
};

BI_FN void bi_step_node_cores(const struct bi_kdtree_core_rows *a, int64_t i)
{
    const bosc_dtype dtype = a->blocks.view.dtype;
    bi_kdtree_set_row_bound(a->blocks.node_cores, dtype, i,
                            bi_kdtree_row_bound(a->cores, dtype, bosc_kdtree_id(&a->blocks.view, i)));
}

BI_FN void bi_step_block_cores(const struct bi_kdtree_blocks *a, int64_t s)
{
    double least = (double)INFINITY;
    for (uint32_t i = a->begins[s]; i < a->begins[s + 1]; i++) {
        const double core = bi_kdtree_row_bound(a->node_cores, a->view.dtype, i);
        least = core < least ? core : least;
    }
    bi_kdtree_set_row_bound(a->least_cores, a->view.dtype, ((int64_t)1 << a->levels) - 1 + s, least);
}

BI_FN void bi_step_merge_cores(const struct bi_kdtree_blocks *a, int64_t i)
{
    const int64_t h = ((int64_t)1 << a->level) - 1 + i;
    const double one = bi_kdtree_row_bound(a->least_cores, a->view.dtype, 2 * h + 1),
                 two = bi_kdtree_row_bound(a->least_cores, a->view.dtype, 2 * h + 2);
    bi_kdtree_set_row_bound(a->least_cores, a->view.dtype, h, one < two ? one : two);
}

/* As bi_kdtree_block_box_bound for a->p: within the error of powers. */
BI_FN double bi_kdtree_block_order_bound(const struct bi_kdtree_blocks *a, int64_t h, const double *low,
                                         const double *high)
{
    const struct bi_kdtree_metric m = bi_kdtree_metric_of_order(a->p);
    const double *box = (const double *)a->boxes + 2 * h * a->used;
    double gaps[BI_KDTREE_BOX_COORDINATES];
    for (int32_t c = 0; c < a->used; c++)
        gaps[c] = box[c] > high[c] ? box[c] - high[c] : low[c] > box[c + a->used] ? low[c] - box[c + a->used] : 0;
    return bi_kdtree_measure_gaps(&m, gaps, a->used) * m.shrink;
}

/* Returns the distance of node i from the row q: squared, or of order p. */
BI_FN double bi_kdtree_block_distance(const struct bi_kdtree_blocks *a, int64_t i, const void *q)
{
    if (!(a->p > 0)) return bosc_kdtree_dist2(&a->view, i, q);
    const struct bi_kdtree_metric m = bi_kdtree_metric_of_order(a->p);
    return bi_kdtree_measure(&m, &a->view, i, (const double *)q);
}

/* Returns a lower bound of the distances between points of box h and of the box from `low` to `high`, exact for
 * distances as they are rounded: see boscage/device/kdtree.h. */
BI_FN double bi_kdtree_block_box_bound(const struct bi_kdtree_blocks *a, int64_t h, const double *low,
                                       const double *high)
{
    if (a->p > 0) return bi_kdtree_block_order_bound(a, h, low, high);
    if (a->view.dtype == BOSC_F32) {
        const float *box = (const float *)a->boxes + 2 * h * a->used;
        float s = 0;
        for (int32_t c = 0; c < a->used; c++) {
            float from = (float)low[c], to = (float)high[c];
            float gap = box[c] > to ? box[c] - to : from > box[c + a->used] ? from - box[c + a->used] : 0;
            s = s + gap * gap;
        }
        return (double)s;
    }
    const double *box = (const double *)a->boxes + 2 * h * a->used;
    double s = 0;
    for (int32_t c = 0; c < a->used; c++) {
        double gap = box[c] > high[c] ? box[c] - high[c] : low[c] > box[c + a->used] ? low[c] - box[c + a->used] : 0;
        s = s + gap * gap;
    }
    return s;
}

/* A walk over the blocks near a box, near ones first. */
struct bi_kdtree_block_walk {
    const struct bi_kdtree_blocks *blocks;
    const double *low, *high;
    double core;    /* the least core distance in the box; 0: Euclidean */
    uint32_t label; /* boxes with only this label are pruned */
    int waiting;
    uint32_t box[34]; /* at most one box a level, and two of the deepest */
    double bound[34];
};

BI_FN void bi_kdtree_block_push(struct bi_kdtree_block_walk *w, int64_t h, double bound)
{
    w->box[w->waiting] = (uint32_t)h;
    w->bound[w->waiting++] = bound;
}

BI_FN void bi_kdtree_block_begin(struct bi_kdtree_block_walk *w)
{
    w->waiting = 0;
    if (w->blocks->same[0] != w->label) bi_kdtree_block_push(w, 0, 0);
}

/* True if no node of box h, at `bound` or farther, can be nearer than `limit`, or as near with an id below `best`. */
BI_FN bool bi_kdtree_block_is_beyond(const struct bi_kdtree_block_walk *w, int64_t h, double bound, double limit,
                                     uint32_t best)
{
    return bound >= limit && (bound > limit || w->blocks->least_ids[h] >= best);
}

/* The next block, -1 after the last; `limit` is the largest distance that still counts, for ids below `best`. */
BI_FN int64_t bi_kdtree_block_next(struct bi_kdtree_block_walk *w, double limit, uint32_t best)
{
    int64_t first = ((int64_t)1 << w->blocks->levels) - 1;
    while (w->waiting > 0) {
        int64_t h = w->box[--w->waiting];
        if (bi_kdtree_block_is_beyond(w, h, w->bound[w->waiting], limit, best)) continue;
        if (h >= first) return h - first;
        double bound[2];
        bool near[2];
        for (int k = 0; k < 2; k++) {
            near[k] = w->blocks->same[2 * h + 1 + k] != w->label;
            if (!near[k]) continue;
            bound[k] = bi_kdtree_block_box_bound(w->blocks, 2 * h + 1 + k, w->low, w->high);
            bound[k] = bi_kdtree_mutual(w->blocks, w->blocks->least_cores, 2 * h + 1 + k,
                                        bound[k] > w->core ? bound[k] : w->core);
            near[k] = !bi_kdtree_block_is_beyond(w, 2 * h + 1 + k, bound[k], limit, best);
        }
        int later = near[0] && near[1] && bound[1] < bound[0] ? 0 : 1;
        if (near[later]) bi_kdtree_block_push(w, 2 * h + 1 + later, bound[later]);
        if (near[1 - later]) bi_kdtree_block_push(w, 2 * h + 2 - later, bound[1 - later]);
    }
    return -1;
}

/* Deactivates the nodes of a block of one label if no node with another label is within the largest of their bounds.
 * Items are blocks. Blocks of several labels stay active. A node at exactly that bound counts as within it. */
struct bi_kdtree_prune {
    struct bi_kdtree_blocks blocks;
    const void *bounds; /* of the distance type */
    uint8_t *active;
    const uint64_t *best; /* by label: a shared distance, which bounds the nodes too; NULL: none */
    void *shared_bounds;  /* with `best`: the bounds, lowered for deactivated nodes */
};

/* Returns the largest bound of active nodes of block s; -1: the block stays as it is. */
BI_FN double bi_kdtree_bound_block(const struct bi_kdtree_prune *a, int64_t s)
{
    const uint32_t label = a->blocks.same[((int64_t)1 << a->blocks.levels) - 1 + s];
    double most = -1;
    if (label == BI_KDTREE_MIXED) return -1;
    for (int64_t i = a->blocks.begins[s]; i < a->blocks.begins[s + 1]; i++) {
        if (!a->active[i]) continue;
        double bound = bi_kdtree_row_bound(a->bounds, a->blocks.view.dtype, bosc_kdtree_id(&a->blocks.view, i));
        most = bound > most ? bound : most;
    }
    if (most < 0 || !a->best) return most;
    const double shared = bi_kdtree_of_distance_bits(a->best[label], a->blocks.view.dtype == BOSC_F32);
    return shared < most ? shared : most;
}

/* Deactivates the nodes of block s: no node with another label is within `most`. */
BI_FN void bi_kdtree_deactivate_block(const struct bi_kdtree_prune *a, int64_t s, double most)
{
    for (int64_t i = a->blocks.begins[s]; i < a->blocks.begins[s + 1]; i++) {
        const int64_t row = bosc_kdtree_id(&a->blocks.view, i);
        if (a->best && a->active[i] && bi_kdtree_row_bound(a->bounds, a->blocks.view.dtype, row) > most)
            bi_kdtree_set_row_bound(a->shared_bounds, a->blocks.view.dtype, row, most);
        a->active[i] = 0;
    }
}

BI_FN void bi_step_prune(const struct bi_kdtree_prune *a, int64_t s)
{
    const int64_t h = ((int64_t)1 << a->blocks.levels) - 1 + s;
    int64_t near;
    double point[BI_KDTREE_BOX_COORDINATES], box[2 * BI_KDTREE_BOX_COORDINATES];
    /* 1. Find the largest bound of active nodes. */
    const double most = bi_kdtree_bound_block(a, s);
    if (most < 0) return;
    /* 2. Return if a node with another label is within it. */
    struct bi_kdtree_block_walk walk;
    for (int32_t c = 0; c < 2 * a->blocks.used; c++) box[c] = bi_kdtree_box_coordinate(&a->blocks, h, c);
    walk.blocks = &a->blocks;
    walk.low = box;
    walk.high = box + a->blocks.used;
    walk.label = a->blocks.same[h];
    walk.core = bi_kdtree_mutual(&a->blocks, a->blocks.least_cores, h, 0);
    bi_kdtree_block_begin(&walk);
    while ((near = bi_kdtree_block_next(&walk, most, BI_KDTREE_NONE)) >= 0)
        for (int64_t i = a->blocks.begins[near]; i < a->blocks.begins[near + 1]; i++) {
            if (a->blocks.node_labels[i] == walk.label) continue;
            for (int32_t c = 0; c < a->blocks.used; c++)
                point[c] = bosc_kdtree_number(a->blocks.view.points, bosc_kdtree_element(&a->blocks.view, i, c),
                                              a->blocks.view.dtype);
            const double near_bound = bi_kdtree_block_box_bound(&a->blocks, h, point, point);
            if (!(bi_kdtree_mutual(&a->blocks, a->blocks.node_cores, i, near_bound) > most)) return;
        }
    /* 3. Deactivate the block. */
    bi_kdtree_deactivate_block(a, s, most);
}

/* Lists every BI_KDTREE_SAMPLED-th active node, and deactivates it. */
enum { BI_KDTREE_SAMPLED = 32 }; /* not measured against other numbers */

struct bi_kdtree_sample_active {
    const uint32_t *active_nodes;
    uint32_t *sample;
    uint8_t *active;
};

BI_FN void bi_step_sample_active(const struct bi_kdtree_sample_active *a, int64_t k)
{
    const uint32_t node = a->active_nodes[k * BI_KDTREE_SAMPLED];
    a->sample[k] = node;
    a->active[node] = 0;
}

/* Coordinates of the active nodes, as rows of dim. */
struct bi_kdtree_active_rows {
    bosc_kdtree_view view;
    const uint32_t *active_nodes;
    void *rows;
};

BI_FN void bi_step_active_rows(const struct bi_kdtree_active_rows *a, int64_t k)
{
    int64_t i = k / a->view.dim,
            from = bosc_kdtree_element(&a->view, a->active_nodes[i], (int32_t)(k - i * a->view.dim));
    if (a->view.dtype == BOSC_F32 || a->view.dtype == BOSC_I32)
        ((uint32_t *)a->rows)[k] = ((const uint32_t *)a->view.points)[from];
    else
        ((uint64_t *)a->rows)[k] = ((const uint64_t *)a->view.points)[from];
}

/* The nearest node with another label than active_nodes[i] has, by (distance, id), within the bound of its row, and not
 * excluded; or, where active_nodes is NULL, with another label than labels[i], for query i.
 *
 * With `best`, searches of the nodes of a label share the smallest distance that one of them has found. A search that
 * can find none as small ends without a result, and its bound becomes the distance within which there is none. So
 * results depend on the order of the searches, except those at the smallest distance of a label. */
struct bi_kdtree_nearest_other_label {
    struct bi_kdtree_blocks blocks;
    const uint32_t *active_nodes, *labels;
    struct bi_kdtree_rows rows; /* of the active nodes, or queries */
    const void *bounds;         /* of the distance type; NULL: none */
    const void *cores;          /* of queries: core distances, of the distance type; NULL: none */
    void *shared_bounds;        /* the same, with `best` */
    uint64_t *best;             /* by label: bits of a distance, UINT64_MAX: none; NULL: not shared */
    const void *least;          /* with `best`: by row, no result is nearer; of the distance type */
    void *ids, *dist2;          /* dist2 may be NULL */
    bool wide;
};

/* Lowers *limit to the shared distance if that is smaller, and drops the result, which is farther. Else lowers the
 * shared distance to the limit if that is the distance of a result. */
BI_FN void bi_kdtree_share_limit(uint64_t *shared, bool single, double *limit, uint32_t *result)
{
    const uint64_t word = bi_atomic_load_u64(shared), own = bi_kdtree_distance_bits(*limit, single);
    if (word < own) {
        *limit = single ? (double)bi_f32_from_bits((uint32_t)word) : bi_f64_from_bits(word);
        *result = BI_KDTREE_NONE;
    } else if (own < word && *result != BI_KDTREE_NONE) {
        bi_atomic_min_u64(shared, own);
    }
}

/* Lowers best[label] to the distance between nodes i and i + 1 if only one of them has the label. If there are several
 * labels, each has such a pair, unless it is excluded. */
struct bi_kdtree_bound_labels {
    struct bi_kdtree_blocks blocks;
    uint64_t *best; /* as above */
};

/* Returns the distance of order a->p between two nodes. */
BI_FN double bi_kdtree_node_distance(const struct bi_kdtree_blocks *a, int64_t i, int64_t j)
{
    const struct bi_kdtree_metric m = bi_kdtree_metric_of_order(a->p);
    double sum = 0, powers = 0;
    for (int32_t c = 0; c < a->view.dim; c++)
        sum = bi_kdtree_add_gap(m.kind, sum,
                                fabs(bosc_kdtree_coordinate(&a->view, i, c) - bosc_kdtree_coordinate(&a->view, j, c)));
    if (m.kind != BI_KDTREE_POWER || sum == 0 || sum == (double)INFINITY) return sum;
    for (int32_t c = 0; c < a->view.dim; c++)
        powers = bi_kdtree_add_power(
            &m, powers, fabs(bosc_kdtree_coordinate(&a->view, i, c) - bosc_kdtree_coordinate(&a->view, j, c)), sum);
    return bi_kdtree_of_powers(&m, powers, sum);
}

BI_FN void bi_step_bound_labels(const struct bi_kdtree_bound_labels *a, int64_t i)
{
    const bosc_kdtree_view *view = &a->blocks.view;
    const uint32_t one = a->blocks.node_labels[i], two = a->blocks.node_labels[i + 1];
    const bool single = view->dtype == BOSC_F32;
    double s = 0;
    if (one == two || bi_kdtree_is_excluded(&a->blocks, bosc_kdtree_id(view, i), bosc_kdtree_id(view, i + 1))) return;
    /* 1. The distance, by the operations of bosc_kdtree_dist2. */
    for (int32_t c = 0; c < view->dim && !(a->blocks.p > 0); c++) {
        double x = bosc_kdtree_coordinate(view, i, c), y = bosc_kdtree_coordinate(view, i + 1, c);
        double d = single ? (double)((float)x - (float)y) : x - y;
        s = single ? (double)((float)s + (float)d * (float)d) : s + d * d;
    }
    if (a->blocks.p > 0) s = bi_kdtree_node_distance(&a->blocks, i, i + 1);
    if (!(s == s)) s = (double)INFINITY;
    s = bi_kdtree_mutual(&a->blocks, a->blocks.node_cores, i, s);
    s = bi_kdtree_mutual(&a->blocks, a->blocks.node_cores, i + 1, s);
    /* 2. Lower both labels' distances. */
    const uint64_t word = bi_kdtree_distance_bits(s, single);
    if (word < bi_atomic_load_u64(&a->best[one])) bi_atomic_min_u64(&a->best[one], word);
    if (word < bi_atomic_load_u64(&a->best[two])) bi_atomic_min_u64(&a->best[two], word);
}

BI_FN void bi_step_nearest_other_label(const struct bi_kdtree_nearest_other_label *a, int64_t i)
{
    const bosc_kdtree_view *view = &a->blocks.view;
    const bool single = view->dtype == BOSC_F32;
    const void *q = bi_kdtree_row(&a->rows, view->dtype, i);
    int64_t row = a->active_nodes ? bosc_kdtree_id(view, a->active_nodes[i]) : i, s;
    struct bi_row_out out = {a->ids, a->dist2, row, a->wide, single, false};
    double limit = bi_kdtree_row_bound(a->bounds, view->dtype, row), point[BI_KDTREE_BOX_COORDINATES], least = 0;
    uint32_t best = BI_KDTREE_NONE;
    struct bi_kdtree_block_walk walk;
    /* 1. Begin a walk from the point, as a box without extent. */
    for (int32_t c = 0; c < a->blocks.used; c++) point[c] = bosc_kdtree_number(q, c, view->dtype);
    walk.blocks = &a->blocks;
    walk.low = walk.high = point;
    walk.label = a->active_nodes ? a->blocks.node_labels[a->active_nodes[i]] : a->labels[i];
    walk.core = a->active_nodes ? bi_kdtree_mutual(&a->blocks, a->blocks.node_cores, a->active_nodes[i], 0)
                                : bi_kdtree_mutual(&a->blocks, a->cores, i, 0);
    uint64_t *shared = a->best ? &a->best[walk.label] : NULL;
    if (shared) {
        least = bi_kdtree_row_bound(a->least, view->dtype, row);
        bi_kdtree_share_limit(shared, single, &limit, &best);
    }
    bi_kdtree_block_begin(&walk);
    /* 2. Measure the nodes of near blocks; each nearer one lowers the limit. */
    while (limit >= least && (s = bi_kdtree_block_next(&walk, limit, best)) >= 0) {
        for (int64_t node = a->blocks.begins[s]; node < a->blocks.begins[s + 1]; node++) {
            if (a->blocks.node_labels[node] == walk.label) continue;
            double d = bi_kdtree_mutual(&a->blocks, a->blocks.node_cores, node, walk.core);
            if (d > limit) continue;
            const double distance = bi_kdtree_block_distance(&a->blocks, node, q);
            d = distance > d ? distance : d;
            uint32_t id = bosc_kdtree_id(view, node);
            if (d > limit || (d == limit && id >= best)) continue;
            if (a->active_nodes && bi_kdtree_is_excluded(&a->blocks, (uint32_t)row, id)) continue;
            limit = d;
            best = id;
        }
        if (shared) bi_kdtree_share_limit(shared, single, &limit, &best);
    }
    /* 3. Write the result, or the distance within which there is none. */
    if (best != BI_KDTREE_NONE) bi_row_set(&out, 0, limit, best);
    if (best == BI_KDTREE_NONE && shared) bi_kdtree_set_row_bound(a->shared_bounds, view->dtype, row, limit);
}

#endif
