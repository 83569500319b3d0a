/* Steps of clusters over ranks. A rank's rows are its own points, in the order of their ids, then its halo: points of
 * other ranks within reach. A set is named by the smallest of its core rows. An open set has core rows on other ranks
 * too; open sets are numbered over all ranks. */
#ifndef BI_RANKS_STEPS_CLUSTER_H
#define BI_RANKS_STEPS_CLUSTER_H

#include "ranks/steps/kdtree_search.h"

#define BI_RANKS_NO_SET UINT32_MAX

/* ---- the halo: the shards whose points may be within the limit of a row ---- */

struct bi_ranks_cluster_reach {
    struct bi_ranks_kdtree_reach shards; /* rows, boxes, own rank; counts, offsets, ranks and queries are written */
    struct bi_kdtree_metric metric;
    double limit; /* the largest measure that counts */
};

/* True if another shard r may have points within the limit of row i. */
BI_FN bool bi_ranks_cluster_reaches(const struct bi_ranks_cluster_reach *a, int64_t i, uint32_t r)
{
    const struct bi_ranks_kdtree_reach *s = &a->shards;
    if (r == s->own || bi_ranks_kdtree_is_empty(s, bi_ranks_kdtree_box_of(s, r)) ||
        bi_ranks_kdtree_box_measure(s, &a->metric, i, bi_ranks_kdtree_box_of(s, r)) > a->limit)
        return false;
    bool reaches = s->subtrees_per_shard == 1;
    for (int64_t p = r * s->subtrees_per_shard; p < (r + 1) * s->subtrees_per_shard && !reaches; p++) {
        const uint64_t *box = s->subtree_boxes + 2 * p * s->dim;
        reaches = !bi_ranks_kdtree_is_empty(s, box) && bi_ranks_kdtree_box_measure(s, &a->metric, i, box) <= a->limit;
    }
    return reaches;
}

BI_FN void bi_step_cluster_reach_count(const struct bi_ranks_cluster_reach *a, int64_t i)
{
    int64_t count = 0;
    for (uint32_t r = 0; r < a->shards.rank_count; r++) count += bi_ranks_cluster_reaches(a, i, r);
    a->shards.counts[i] = count;
}

BI_FN void bi_step_cluster_reach_fill(const struct bi_ranks_cluster_reach *a, int64_t i)
{
    int64_t at = a->shards.offsets[i];
    for (uint32_t r = 0; r < a->shards.rank_count; r++) {
        if (!bi_ranks_cluster_reaches(a, i, r)) continue;
        a->shards.ranks[at] = r;
        a->shards.queries[at++] = (uint32_t)i;
    }
}

/* Lowers *bad to the least id of a row outside the periods. */
struct bi_ranks_cluster_outside {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    const double *periods;
    const uint32_t *ids;
    int64_t *bad;
};

BI_FN void bi_step_cluster_outside(const struct bi_ranks_cluster_outside *a, int64_t i)
{
    bool inside = true;
    for (int32_t c = 0; c < a->dim; c++) {
        const double x = bosc_kdtree_number(a->rows.data, i * a->rows.stride + c, a->dtype);
        inside &= !(a->periods[c] > 0) || (x >= 0 && x <= a->periods[c]);
    }
    if (!inside) bi_atomic_min_i64(a->bad, a->ids[i]);
}

/* ---- nodes and rows ---- */

/* The nodes of the tree over a rank's rows. */
struct bi_ranks_cluster_nodes {
    const uint32_t *rows; /* by node */
    uint8_t *node_core;
    const uint32_t *parent, *least_row; /* of bi_dbscan_join_core */
    uint32_t *core;                     /* by row: 1 for core points */
    uint32_t *sets;                     /* by row; NO_SET: not core */
};

BI_FN void bi_step_cluster_fetch_core(const struct bi_ranks_cluster_nodes *a, int64_t i)
{
    a->core[a->rows[i]] = a->node_core[i];
}

BI_FN void bi_step_cluster_store_core(const struct bi_ranks_cluster_nodes *a, int64_t i)
{
    a->node_core[i] = (uint8_t)a->core[a->rows[i]];
}

BI_FN void bi_step_cluster_fetch_sets(const struct bi_ranks_cluster_nodes *a, int64_t i)
{
    a->sets[a->rows[i]] = a->node_core[i] ? a->least_row[a->parent[i]] : BI_RANKS_NO_SET;
}

/* ---- open sets ---- */

struct bi_ranks_cluster_sets {
    const uint32_t *sets;  /* by row */
    const uint32_t *ids;   /* by row */
    const uint32_t *order; /* rows that the step visits; NULL: rows from `begin` on */
    int64_t begin;
    uint32_t first;               /* the number of this rank's first open set */
    uint32_t *index;              /* (rows + 1): 1 at open sets; later their exclusive sum: numbers less `first` */
    uint32_t *open;               /* by row: the number of its open set; else NO_SET */
    uint8_t *is_closed;           /* by row: the row names a set that is not open */
    const uint32_t *roots;        /* by number of an open set: the smallest number of its cluster */
    uint32_t *proposals;          /* (open sets, 2): the root, and the id of the set's first row */
    uint32_t *owner_keys;         /* (open sets): the roots again */
    const uint32_t *open_numbers; /* (open sets): the cluster */
    uint32_t *numbers;            /* by row: the cluster, at rows that name open sets */
};

BI_FN void bi_step_cluster_mark_open(const struct bi_ranks_cluster_sets *a, int64_t i)
{
    const uint32_t set = a->sets[a->order ? (int64_t)a->order[i] : a->begin + i];
    if (set != BI_RANKS_NO_SET) bi_atomic_or_u32(&a->index[set], 1);
}

BI_FN bool bi_ranks_cluster_is_open(const struct bi_ranks_cluster_sets *a, uint32_t set)
{
    return a->index[set + 1] != a->index[set];
}

BI_FN void bi_step_cluster_number_open(const struct bi_ranks_cluster_sets *a, int64_t i)
{
    const uint32_t set = a->sets[i];
    const bool is_open = set != BI_RANKS_NO_SET && bi_ranks_cluster_is_open(a, set);
    a->open[i] = is_open ? a->first + a->index[set] : BI_RANKS_NO_SET;
    a->is_closed[i] = set == (uint32_t)i && !is_open;
}

BI_FN void bi_step_cluster_propose(const struct bi_ranks_cluster_sets *a, int64_t i)
{
    if (a->sets[i] != (uint32_t)i || a->open[i] == BI_RANKS_NO_SET) return;
    const int64_t at = a->index[i];
    const uint32_t root = a->roots[a->open[i]];
    a->proposals[2 * at] = a->owner_keys[at] = root;
    a->proposals[2 * at + 1] = a->ids[i];
}

BI_FN void bi_step_cluster_store_open(const struct bi_ranks_cluster_sets *a, int64_t i)
{
    if (a->sets[i] == (uint32_t)i && a->open[i] != BI_RANKS_NO_SET) a->numbers[i] = a->open_numbers[a->index[i]];
}

/* A core row of the halo is an edge between two open sets: its set here, and its set on the rank that owns it. */
struct bi_ranks_cluster_edges {
    const uint32_t *open, *other; /* by row of the halo */
    uint8_t *is_edge;
};

BI_FN void bi_step_cluster_mark_edges(const struct bi_ranks_cluster_edges *a, int64_t i)
{
    a->is_edge[i] = a->open[i] != BI_RANKS_NO_SET && a->other[i] != BI_RANKS_NO_SET;
}

/* ---- on the owners: of roots, then of rows ---- */

struct bi_ranks_cluster_owned {
    const uint32_t *received; /* (items, width) */
    int64_t width;
    int64_t first;         /* the root, or row, of element 0 */
    uint32_t *least;       /* of roots: the least id that is proposed; NO_SET: none, so it is no root */
    uint8_t *is_root;      /* likewise */
    uint32_t *marks;       /* of rows: 1 if it is received; later their exclusive sum */
    uint32_t offset;       /* marks of lower ranks */
    const uint32_t *known; /* of roots: the numbers */
    uint32_t *answers;     /* (items) */
};

BI_FN void bi_step_cluster_lower_root(const struct bi_ranks_cluster_owned *a, int64_t i)
{
    bi_atomic_min_u32(&a->least[a->received[2 * i] - a->first], a->received[2 * i + 1]);
}

BI_FN void bi_step_cluster_mark_roots(const struct bi_ranks_cluster_owned *a, int64_t i)
{
    a->is_root[i] = a->least[i] != BI_RANKS_NO_SET;
}

BI_FN void bi_step_cluster_mark_row(const struct bi_ranks_cluster_owned *a, int64_t i)
{
    a->marks[a->received[i] - a->first] = 1;
}

BI_FN void bi_step_cluster_answer_row(const struct bi_ranks_cluster_owned *a, int64_t i)
{
    a->answers[i] = a->offset + a->marks[a->received[i] - a->first];
}

BI_FN void bi_step_cluster_answer_root(const struct bi_ranks_cluster_owned *a, int64_t i)
{
    a->answers[i] = a->known[a->received[2 * i] - a->first];
}

/* ---- results ---- */

/* By own row: marks core points and noise. */
struct bi_ranks_cluster_kinds {
    const uint32_t *labels, *core;
    uint8_t *is_core, *is_noise;
};

BI_FN void bi_step_cluster_kinds(const struct bi_ranks_cluster_kinds *a, int64_t i)
{
    a->is_core[i] = a->core[i] != 0;
    a->is_noise[i] = a->labels[i] == BI_RANKS_NO_SET;
}

/* Writes the results of a received row of the caller's slice. */
struct bi_ranks_cluster_write {
    const uint32_t *ids, *labels, *core;
    int64_t first; /* the id of row 0 */
    bool is_64bit;
    void *out;
    uint8_t *core_out; /* NULL: not requested */
};

BI_FN void bi_step_cluster_write(const struct bi_ranks_cluster_write *a, int64_t i)
{
    const int64_t row = (int64_t)a->ids[i] - a->first;
    const int64_t label = a->labels[i] == BI_RANKS_NO_SET ? -1 : (int64_t)a->labels[i];
    bi_set_word(a->out, a->is_64bit, row, (uint64_t)label);
    if (a->core_out) a->core_out[row] = (uint8_t)a->core[i];
}

#endif
