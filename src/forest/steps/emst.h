/* Steps of Euclidean spanning trees: every point tracks its nearest point of another component, and every component
 * chooses the shortest of its points' edges. */
#ifndef BI_FOREST_STEPS_EMST_H
#define BI_FOREST_STEPS_EMST_H

#include <math.h>

#include <boscage/device/kdtree.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/elementary.h"
#include "base/union_find.h"
#include "kdtree/steps/metric.h"

/* Arguments of all steps. Squared lengths are float, or double if `is_64bit`; their bits order as they do, since none
 * is negative. Arrays are by point unless noted; a component is named by one of its points, its root. */
struct bi_emst {
    bool is_64bit;
    int32_t k;
    int32_t length;   /* list entries that count, at most 255 */
    uint32_t *near;   /* k for each: the nearest points, the point itself among them, by (distance, point) */
    void *near_dist2; /* their squared distances */
    int32_t core_at;  /* under mutual reachability: the list entry at the core distance */
    void *core;       /* under mutual reachability: squared core distances */
    uint8_t *at;      /* list entries already passed */
    uint32_t *label;  /* the point's component */
    uint32_t *other;  /* the nearest point of another component; UINT32_MAX: unknown */
    void *dist2;      /* its squared distance; while it is unknown, a lower bound */
    void *bounds;     /* search radius squared; -1: no search; a search without a result lowers it */
    const uint32_t *found;
    const void *found_dist2;
    uint64_t *best, *pair;   /* by component: the shortest length (a bound until the end of searches), its first pair */
    uint32_t *parent;        /* by component: the component it joins */
    uint32_t *roots;         /* the components; this and the arrays below are by index in this list */
    uint8_t *joins, *stays;  /* 1 if the component joins another; if it does not */
    uint64_t *pairs, *words; /* its edge, and the squared length */
    uint32_t *flag;          /* set if there is more to do */
    uint32_t isolated;       /* the only point without edges to others; UINT32_MAX: none */
};

BI_FN uint64_t bi_emst_word(const void *dist2, bool is_64bit, int64_t i)
{
    return is_64bit ? bi_f64_bits(((const double *)dist2)[i]) : bi_f32_bits(((const float *)dist2)[i]);
}

BI_FN void bi_emst_set_word(void *dist2, bool is_64bit, int64_t i, uint64_t word)
{
    if (is_64bit)
        ((double *)dist2)[i] = bi_f64_from_bits(word);
    else
        ((float *)dist2)[i] = bi_f32_from_bits((uint32_t)word);
}

/* Proposes point i's edge as its component's shortest, by an atomic minimum. */
BI_FN void bi_emst_propose(const struct bi_emst *a, int64_t i)
{
    uint64_t word = bi_emst_word(a->dist2, a->is_64bit, i), *best = &a->best[a->label[i]];
    if (word < bi_atomic_load_u64(best)) bi_atomic_min_u64(best, word);
}

/* Makes each point a component. */
BI_FN void bi_step_emst_init_points(const struct bi_emst *a, int64_t i)
{
    a->at[i] = 0;
    a->label[i] = a->roots[i] = (uint32_t)i;
    a->other[i] = UINT32_MAX;
    bi_emst_set_word(a->dist2, a->is_64bit, i, 0);
}

/* The core distance of point i. */
BI_FN void bi_step_emst_find_core(const struct bi_emst *a, int64_t i)
{
    bi_emst_set_word(a->core, a->is_64bit, i, bi_emst_word(a->near_dist2, a->is_64bit, i * a->k + a->core_at));
}

/* Sorts the list of point i by (distance under mutual reachability, point). Points outside of it are at least as far as
 * its last entry. Entries as far as that, or beyond `length`, become UINT32_MAX, with the least distance outside. */
BI_FN void bi_step_emst_sort_mutual(const struct bi_emst *a, int64_t i)
{
    uint32_t *near = a->near + i * a->k;
    const int64_t begin = i * a->k;
    const uint64_t last = bi_emst_word(a->near_dist2, a->is_64bit, begin + a->k - 1),
                   own = bi_emst_word(a->core, a->is_64bit, i);
    int32_t count = 0;
    uint64_t beyond = last;
    /* 1. Insert each entry; the last of a full list drops out. Distances before entry e are already replaced. */
    for (int32_t e = 0; e < a->k; e++) {
        const uint32_t point = near[e];
        uint64_t word = bi_emst_word(a->near_dist2, a->is_64bit, begin + e);
        if (point != UINT32_MAX) {
            const uint64_t other = bi_emst_word(a->core, a->is_64bit, point);
            word = word > own ? word : own;
            word = word > other ? word : other;
        }
        if (point == UINT32_MAX || word >= beyond) continue;
        int32_t at = count < a->length - 1 ? count : count - 1;
        if (at == count - 1) { /* full: the entry or the last one is the nearest that the list lacks */
            const uint64_t least = bi_emst_word(a->near_dist2, a->is_64bit, begin + at);
            if (word > least || (word == least && point > near[at])) {
                beyond = word;
                continue;
            }
            beyond = least;
        } else {
            count++;
        }
        for (; at > 0; at--) {
            const uint64_t before = bi_emst_word(a->near_dist2, a->is_64bit, begin + at - 1);
            if (before < word || (before == word && near[at - 1] < point)) break;
            near[at] = near[at - 1];
            bi_emst_set_word(a->near_dist2, a->is_64bit, begin + at, before);
        }
        near[at] = point;
        bi_emst_set_word(a->near_dist2, a->is_64bit, begin + at, word);
    }
    /* 2. Drop those as far as a point that the list lacks, and fill up. */
    while (count > 0 && bi_emst_word(a->near_dist2, a->is_64bit, begin + count - 1) >= beyond) count--;
    for (int32_t e = count; e < a->length; e++) {
        near[e] = UINT32_MAX;
        bi_emst_set_word(a->near_dist2, a->is_64bit, begin + e, beyond);
    }
}

/* Items are components. */
BI_FN void bi_step_emst_clear(const struct bi_emst *a, int64_t r)
{
    a->best[a->roots[r]] = a->pair[a->roots[r]] = UINT64_MAX;
}

/* Moves to the next list entry of another component if the current neighbour has joined the point's own. Past the end
 * of the list, the distance of its last entry is a lower bound. */
BI_FN void bi_step_emst_advance(const struct bi_emst *a, int64_t i)
{
    uint32_t j = a->other[i], own = a->label[i];
    if (j == UINT32_MAX || a->label[j] == own) {
        int32_t at = a->at[i];
        j = UINT32_MAX;
        for (; at < a->length && j == UINT32_MAX; at++) {
            uint32_t next = a->near[i * a->k + at];
            bi_emst_set_word(a->dist2, a->is_64bit, i, bi_emst_word(a->near_dist2, a->is_64bit, i * a->k + at));
            if (next != UINT32_MAX && a->label[next] != own) j = next;
        }
        a->at[i] = (uint8_t)at;
        a->other[i] = j;
    }
    if (j != UINT32_MAX) bi_emst_propose(a, i);
}

/* Items are components. Sets the flag if one has no edge. */
BI_FN void bi_step_emst_find_edgeless(const struct bi_emst *a, int64_t r)
{
    if (a->pair[a->roots[r]] == UINT64_MAX && a->roots[r] != a->isolated) bi_atomic_or_u32(a->flag, 1);
}

/* Sets search bounds. A point with a known neighbour does not search, nor one whose lower bound exceeds its
 * component's best edge; the others search up to that edge. */
BI_FN void bi_step_emst_set_bounds(const struct bi_emst *a, int64_t i)
{
    uint64_t best = a->best[a->label[i]], word = bi_emst_word(a->dist2, a->is_64bit, i);
    bool searches = a->other[i] == UINT32_MAX && word <= best && (uint32_t)i != a->isolated;
    double bound = -1;
    if (searches && best == UINT64_MAX)
        bound = (double)INFINITY; /* all edges that bounds were sought in are excluded */
    else if (searches)
        bound = a->is_64bit ? bi_f64_from_bits(best) : (double)bi_f32_from_bits((uint32_t)best);
    if (a->is_64bit)
        ((double *)a->bounds)[i] = bound;
    else
        ((float *)a->bounds)[i] = (float)bound;
}

/* Stores the search result: the neighbour, or a larger lower bound if nothing is within the search bound. */
BI_FN void bi_step_emst_update(const struct bi_emst *a, int64_t i)
{
    uint64_t bound = bi_emst_word(a->bounds, a->is_64bit, i), least = bi_emst_word(a->dist2, a->is_64bit, i);
    if (bound >> (a->is_64bit ? 63 : 31)) return; /* the sign of -1: the point has not searched */
    a->other[i] = a->found[i];
    bool some = a->found[i] != UINT32_MAX;
    /* Without a neighbour: searches of other points may have lowered the bound below the lower bound, which stays. */
    uint64_t next = some ? bi_emst_word(a->found_dist2, a->is_64bit, i) : bound < least ? least : bound + 1;
    bi_emst_set_word(a->dist2, a->is_64bit, i, next);
    if (some) bi_emst_propose(a, i);
}

/* Chooses the first of a component's shortest edges by (smaller point, greater point). A point's neighbour is the
 * first of its equally near ones, and so is its pair. */
BI_FN void bi_step_emst_break_ties(const struct bi_emst *a, int64_t i)
{
    uint32_t j = a->other[i], u = (uint32_t)i;
    if (j == UINT32_MAX || bi_emst_word(a->dist2, a->is_64bit, i) != a->best[a->label[i]]) return;
    bi_atomic_min_u64(&a->pair[a->label[i]], u < j ? (uint64_t)u << 32 | j : (uint64_t)j << 32 | u);
}

/* Items are components. Each joins the component at the other end of its edge; of two that chose the same edge, the
 * smaller stays. */
BI_FN void bi_step_emst_join(const struct bi_emst *a, int64_t r)
{
    uint32_t c = a->roots[r];
    uint64_t pair = a->pair[c];
    if (c == a->isolated) {
        a->parent[c] = c;
        a->joins[r] = 0;
        a->stays[r] = 1;
        return;
    }
    uint32_t from = a->label[pair >> 32], to = a->label[(uint32_t)pair], other = from == c ? to : from;
    bool joins = a->pair[other] != pair || c > other;
    a->parent[c] = joins ? other : c;
    a->joins[r] = joins;
    a->stays[r] = !joins;
    a->pairs[r] = pair;
    a->words[r] = a->best[c];
}

/* Items are components. Replaces the parent by the root, or by an ancestor (bi_uf_ascend); then the flag is set.
 * Chains may be as long as the number of components. */
BI_FN void bi_step_emst_ascend(const struct bi_emst *a, int64_t r)
{
    if (!bi_uf_ascend(a->parent, a->roots[r])) bi_atomic_or_u32(a->flag, 1);
}

BI_FN void bi_step_emst_label(const struct bi_emst *a, int64_t i) { a->label[i] = a->parent[a->label[i]]; }

/* Translates edge i between kept rows to one between rows. Kept rows ascend, so the smaller end stays first. */
struct bi_emst_rename {
    const uint32_t *kept_rows;
    uint64_t *pairs;
};

BI_FN void bi_step_emst_rename(const struct bi_emst_rename *a, int64_t i)
{
    const uint64_t pair = a->pairs[i];
    a->pairs[i] = (uint64_t)a->kept_rows[pair >> 32] << 32 | a->kept_rows[(uint32_t)pair];
}

/* The edge that row i has if it is a copy. */
struct bi_emst_copy_edges {
    const uint32_t *first; /* its smallest equal */
    uint64_t *pairs;
};

BI_FN void bi_step_emst_copy_edges(const struct bi_emst_copy_edges *a, int64_t i)
{
    a->pairs[i] = (uint64_t)a->first[i] << 32 | (uint64_t)i;
}

/* Rows sorted by (the row that they are copies of, or themselves; row). */
struct bi_emst_excess {
    const uint32_t *first;      /* (n) of copies */
    uint32_t *keys, *rows;      /* (n) */
    uint32_t *begins;           /* (n): by first row: the position of its copies */
    uint8_t *is_copy, *is_kept; /* (n) */
    int64_t most;               /* rows of equal ones that stay */
};

BI_FN void bi_step_emst_copy_keys(const struct bi_emst_excess *a, int64_t i)
{
    a->keys[i] = a->is_copy[i] ? a->first[i] : (uint32_t)i;
    a->rows[i] = (uint32_t)i;
}

BI_FN void bi_step_emst_copy_begins(const struct bi_emst_excess *a, int64_t i)
{
    if (a->rows[i] == a->keys[i]) a->begins[a->rows[i]] = (uint32_t)i;
}

BI_FN void bi_step_emst_mark_excess(const struct bi_emst_excess *a, int64_t i)
{
    const bool is_excess = i - (int64_t)a->begins[a->keys[i]] >= a->most;
    a->is_copy[a->rows[i]] = is_excess;
    a->is_kept[a->rows[i]] = !is_excess;
}

/* Core distances of kept rows, and those of all. */
struct bi_emst_move_core {
    const uint32_t *kept_rows;
    void *kept, *core;
    bool is_64bit;
};

BI_FN void bi_step_emst_scatter_core(const struct bi_emst_move_core *a, int64_t i)
{
    bi_emst_set_word(a->core, a->is_64bit, a->kept_rows[i], bi_emst_word(a->kept, a->is_64bit, i));
}

BI_FN void bi_step_emst_gather_core(const struct bi_emst_move_core *a, int64_t i)
{
    bi_emst_set_word(a->kept, a->is_64bit, i, bi_emst_word(a->core, a->is_64bit, a->kept_rows[i]));
}

/* Writes edge i to the caller's arrays. */
struct bi_emst_write {
    const uint64_t *pairs, *words;
    bool ids_64bit, is_64bit, roots;
    void *out, *dist2; /* dist2 may be NULL */
};

/* The bits of the root of a squared length, of doubles. */
BI_FN uint64_t bi_emst_root(uint64_t word) { return bi_f64_bits(bi_sqrt(bi_f64_from_bits(word))); }

BI_FN void bi_step_emst_write(const struct bi_emst_write *a, int64_t i)
{
    bi_set_word(a->out, a->ids_64bit, 2 * i, a->pairs[i] >> 32);
    bi_set_word(a->out, a->ids_64bit, 2 * i + 1, (uint32_t)a->pairs[i]);
    if (!a->dist2) return;
    bi_emst_set_word(a->dist2, a->is_64bit, i, a->roots ? bi_emst_root(a->words[i]) : a->words[i]);
}

/* Returns the squared length of points from that of scaled points; its root if `roots`, which fits where squares do
 * not. inverse: of the scale. */
BI_FN double bi_emst_unscaled(double square, double inverse, bool roots)
{
    return roots ? bi_sqrt(square) * inverse : square * inverse * inverse;
}

/* Writes the core distance of point i. */
struct bi_emst_write_core {
    const void *core;
    bool is_64bit, roots;
    double inverse; /* of the scale */
    void *out;
};

BI_FN void bi_step_emst_write_core(const struct bi_emst_write_core *a, int64_t i)
{
    const uint64_t word = bi_emst_word(a->core, a->is_64bit, i);
    const double square = a->is_64bit ? bi_f64_from_bits(word) : (double)bi_f32_from_bits((uint32_t)word),
                 unscaled = bi_emst_unscaled(square, a->inverse, a->roots);
    bi_emst_set_word(a->out, a->is_64bit, i, a->is_64bit ? bi_f64_bits(unscaled) : bi_f32_bits((float)unscaled));
}

/* Converts element i of rows to a double. *bad: the first row with an infinite coordinate. */
struct bi_emst_convert {
    const void *rows;
    int64_t stride;
    bosc_dtype dtype;
    int32_t dim;
    double *to; /* rows of dim */
    int64_t *bad;
};

BI_FN void bi_step_emst_convert(const struct bi_emst_convert *a, int64_t i)
{
    const int64_t row = i / a->dim;
    const double x = bosc_kdtree_number(a->rows, row * a->stride + i - row * a->dim, a->dtype);
    if (fabs(x) == (double)INFINITY) bi_atomic_min_i64(a->bad, row);
    a->to[i] = x;
}

/* Arguments of the steps that prove a tree: its edges, and by index in the list of components the edges that leave
 * them. */
struct bi_emst_proof {
    struct bi_emst rounds;
    const void *given; /* the caller's edges */
    bool ids_64bit;
    const void *points; /* rows of dim, of `dtype` */
    bosc_dtype dtype;
    int32_t dim;
    double p; /* as in struct bi_emst_lengths */
    int64_t n;
    uint64_t *pairs, *words;                   /* n - 1: given edges, smaller point first, and their squared lengths */
    uint64_t *lightest_pairs, *lightest_words; /* by component */
    int64_t *bad;                              /* the lowest row that names no two points */
    uint64_t *better; /* two: the squared length and the pair of the first edge that is shorter than given ones */
};

/* The word of the length between two points, by the operations of bosc_kdtree_dist2, or of searches by order p. */
BI_FN uint64_t bi_emst_length_word(const struct bi_emst_proof *a, int64_t i, int64_t j)
{
    const bool single = a->dtype == BOSC_F32;
    double s = 0;
    if (a->p > 0) {
        const struct bi_kdtree_metric m = bi_kdtree_metric_of_order(a->p);
        const double *rows = (const double *)a->points;
        return bi_f64_bits(bi_kdtree_measure_rows(&m, a->dim, rows + i * a->dim, rows + j * a->dim));
    }
    for (int32_t c = 0; c < a->dim; c++) {
        const double x = bosc_kdtree_number(a->points, i * a->dim + c, a->dtype),
                     y = bosc_kdtree_number(a->points, j * a->dim + c, a->dtype),
                     d = single ? (double)((float)x - (float)y) : x - y;
        s = single ? (double)((float)s + (float)d * (float)d) : s + d * d;
    }
    if (!(s == s)) s = (double)INFINITY;
    return single ? bi_f32_bits((float)s) : bi_f64_bits(s);
}

/* Reads edge i, and measures it. */
BI_FN void bi_step_emst_read_edge(const struct bi_emst_proof *a, int64_t i)
{
    const uint64_t u = bi_word(a->given, a->ids_64bit, 2 * i), v = bi_word(a->given, a->ids_64bit, 2 * i + 1),
                   low = u < v ? u : v, high = u < v ? v : u;
    if (u == v || high >= (uint64_t)a->n) {
        bi_atomic_min_i64(a->bad, i);
        return;
    }
    uint64_t word = bi_emst_length_word(a, (int64_t)low, (int64_t)high);
    if (a->rounds.core) {
        const uint64_t one = bi_emst_word(a->rounds.core, a->rounds.is_64bit, (int64_t)low),
                       two = bi_emst_word(a->rounds.core, a->rounds.is_64bit, (int64_t)high);
        word = one > word ? one : word;
        word = two > word ? two : word;
    }
    a->pairs[i] = low << 32 | high;
    a->words[i] = word;
}

/* Lowers the lengths of the components at both ends to that of given edge i. */
BI_FN void bi_step_emst_propose_given(const struct bi_emst_proof *a, int64_t i)
{
    const uint32_t u = a->rounds.label[a->pairs[i] >> 32], v = a->rounds.label[(uint32_t)a->pairs[i]];
    if (u == v) return;
    const uint64_t word = a->words[i];
    if (word < bi_atomic_load_u64(&a->rounds.best[u])) bi_atomic_min_u64(&a->rounds.best[u], word);
    if (word < bi_atomic_load_u64(&a->rounds.best[v])) bi_atomic_min_u64(&a->rounds.best[v], word);
}

/* Lowers the pairs of both components to edge i, if it has their length. */
BI_FN void bi_step_emst_break_given_ties(const struct bi_emst_proof *a, int64_t i)
{
    const uint32_t u = a->rounds.label[a->pairs[i] >> 32], v = a->rounds.label[(uint32_t)a->pairs[i]];
    if (u == v) return;
    if (a->words[i] == a->rounds.best[u]) bi_atomic_min_u64(&a->rounds.pair[u], a->pairs[i]);
    if (a->words[i] == a->rounds.best[v]) bi_atomic_min_u64(&a->rounds.pair[v], a->pairs[i]);
}

/* Items are components. Stores the lightest given edge, and clears the pair for the searches, which the length bounds.
 */
BI_FN void bi_step_emst_store_given(const struct bi_emst_proof *a, int64_t r)
{
    const uint32_t c = a->rounds.roots[r];
    a->lightest_pairs[r] = a->rounds.pair[c];
    a->lightest_words[r] = a->rounds.best[c];
    a->rounds.pair[c] = UINT64_MAX;
}

/* True if component r has an edge before the given ones. */
BI_FN bool bi_emst_is_wrong(const struct bi_emst_proof *a, int64_t r)
{
    const uint32_t c = a->rounds.roots[r];
    return a->rounds.best[c] != a->lightest_words[r] || a->rounds.pair[c] != a->lightest_pairs[r];
}

/* Items are components. compare lowers the squared length of the better edge, compare_ties the pair. */
BI_FN void bi_step_emst_compare(const struct bi_emst_proof *a, int64_t r)
{
    if (bi_emst_is_wrong(a, r)) bi_atomic_min_u64(&a->better[0], a->rounds.best[a->rounds.roots[r]]);
}

BI_FN void bi_step_emst_compare_ties(const struct bi_emst_proof *a, int64_t r)
{
    const uint32_t c = a->rounds.roots[r];
    if (bi_emst_is_wrong(a, r) && a->rounds.best[c] == a->better[0])
        bi_atomic_min_u64(&a->better[1], a->rounds.pair[c]);
}

/* Converts the squared lengths of a tree of scaled points to those of the points, or to lengths if `roots`. Lowers
 * bad[0] to the first edge whose squared length is not exact though its points differ, or may do so, and bad[1] to the
 * first whose result does not fit. */
struct bi_emst_unscale {
    const uint64_t *pairs;
    uint64_t *words;
    bool is_64bit, roots;
    int32_t dim;
    const void *points; /* scaled, in the order of ids */
    bool exact;         /* scaled points are equal only if the points are */
    double inverse;     /* of the scale */
    int64_t *bad;
};

/* True if two points are equal. */
BI_FN bool bi_emst_equal_points(const struct bi_emst_unscale *a, uint64_t i, uint64_t j)
{
    bool equal = true;
    for (int32_t c = 0; c < a->dim; c++) {
        const uint64_t at = i * (uint64_t)a->dim + (uint64_t)c, other = j * (uint64_t)a->dim + (uint64_t)c;
        equal &= a->is_64bit ? ((const double *)a->points)[at] == ((const double *)a->points)[other]
                             : ((const float *)a->points)[at] == ((const float *)a->points)[other];
    }
    return equal;
}

BI_FN void bi_step_emst_unscale(const struct bi_emst_unscale *a, int64_t i)
{
    const double square = a->is_64bit ? bi_f64_from_bits(a->words[i]) : (double)bi_f32_from_bits((uint32_t)a->words[i]),
                 least = a->is_64bit ? 0x1p-1022 : 0x1p-126,
                 most = a->is_64bit ? 0x1.fffffffffffffp1023 : 0x1.fffffep127,
                 unscaled = bi_emst_unscaled(square, a->inverse, a->roots);
    if (square < least && !(a->exact && bi_emst_equal_points(a, a->pairs[i] >> 32, (uint32_t)a->pairs[i])))
        bi_atomic_min_i64(&a->bad[0], i);
    if (square > 0 && square <= most && !(unscaled >= least && unscaled <= most)) bi_atomic_min_i64(&a->bad[1], i);
    a->words[i] = a->is_64bit ? bi_f64_bits(unscaled) : bi_f32_bits((float)unscaled);
}

#endif
