/* The steps that build a graph, in the order of the build (see edge_list.c, then build.c). Entries are the caller's.
 * Edges are kept entries, in a list of (key, id): the key of {u, v}, u <= v, is u << bits | v. */
#ifndef BI_GRAPH_STEPS_BUILD_H
#define BI_GRAPH_STEPS_BUILD_H

#include "base/atomic.h"
#include "graph/entries.h"

/* Maps ids, which are positions in `names`, to the names. */
struct bi_graph_map_ids {
    void *ids;
    bool is_64bit;
    const uint64_t *names;
};

BI_FN void bi_step_graph_map_ids(const struct bi_graph_map_ids *a, int64_t i)
{
    bi_set_word(a->ids, a->is_64bit, i, a->names[bi_word(a->ids, a->is_64bit, i)]);
}

/* *bad = the first index (1 to n) whose offset is below the preceding one or beyond the last. */
struct bi_graph_check_offsets {
    const void *offsets;
    bool is_64bit;
    int64_t n, *bad;
};

BI_FN void bi_step_graph_check_offsets(const struct bi_graph_check_offsets *a, int64_t i)
{
    uint64_t end = bi_word(a->offsets, a->is_64bit, i + 1);
    if (bi_word(a->offsets, a->is_64bit, i) > end || end > bi_word(a->offsets, a->is_64bit, a->n))
        bi_atomic_min_i64(a->bad, i + 1);
}

/* The first element of each row that is not empty gets the row's number. */
struct bi_graph_mark_rows {
    const void *offsets;
    bool is_64bit;
    uint32_t *rows;
};

BI_FN void bi_step_graph_mark_rows(const struct bi_graph_mark_rows *a, int64_t i)
{
    uint64_t begin = bi_word(a->offsets, a->is_64bit, i);
    if (begin < bi_word(a->offsets, a->is_64bit, i + 1)) a->rows[begin] = (uint32_t)i;
}

/* *bad = the first entry with a vertex out of range or (`refuse_nan`) a NaN weight. */
struct bi_graph_check_entry {
    struct bi_graph_entries entries;
    bool refuse_nan;
    int64_t *bad;
};

BI_FN void bi_step_graph_check_entry(const struct bi_graph_check_entry *a, int64_t i)
{
    const struct bi_graph_entries *e = &a->entries;
    uint64_t n = (uint64_t)e->n;
    if (bi_word(e->u, e->u_is_64bit, i) >= n || bi_word(e->v, e->v_is_64bit, i) >= n ||
        (a->refuse_nan && bi_graph_is_nan_key(e->dtype, bi_graph_entry_weight(e, i))))
        bi_atomic_min_i64(a->bad, i);
}

/* The list of an entry: forward (u <= v, or any if `both` is not set), back (u > v), self loops if entries are arcs,
 * or none. */
enum { BI_GRAPH_FORWARD, BI_GRAPH_BACK, BI_GRAPH_LOOPS, BI_GRAPH_LISTS };
struct bi_graph_classify {
    struct bi_graph_entries entries;
    bool both, drop_loops, drop_nan;
    uint8_t *flags[BI_GRAPH_LISTS]; /* without `both`, only the first */
};

BI_FN void bi_step_graph_classify(const struct bi_graph_classify *a, int64_t i)
{
    const struct bi_graph_entries *e = &a->entries;
    uint64_t u = bi_word(e->u, e->u_is_64bit, i), v = bi_word(e->v, e->v_is_64bit, i);
    bool kept =
        !(a->drop_loops && u == v) && !(a->drop_nan && bi_graph_is_nan_key(e->dtype, bi_graph_entry_weight(e, i)));
    if (a->both) {
        a->flags[BI_GRAPH_FORWARD][i] = kept && u < v;
        a->flags[BI_GRAPH_BACK][i] = kept && u > v;
        a->flags[BI_GRAPH_LOOPS][i] = kept && u == v;
    } else {
        a->flags[BI_GRAPH_FORWARD][i] = kept;
    }
}

BI_FN uint64_t bi_graph_edge_key(const struct bi_graph_entries *e, int bits, int64_t i)
{
    uint64_t u = bi_word(e->u, e->u_is_64bit, i), v = bi_word(e->v, e->v_is_64bit, i);
    return u < v ? u << bits | v : v << bits | u;
}

/* keys[k] is the key of entry ids[k]. */
struct bi_graph_edge_keys {
    struct bi_graph_entries entries;
    const void *ids;
    bool is_64bit;
    int bits;
    uint64_t *keys;
};

BI_FN void bi_step_graph_edge_keys(const struct bi_graph_edge_keys *a, int64_t k)
{
    a->keys[k] = bi_graph_edge_key(&a->entries, a->bits, (int64_t)bi_word(a->ids, a->is_64bit, k));
}

/* Order violations in a list: of its keys, its ids, the ids of equal keys, the larger vertices. */
enum { BI_GRAPH_KEYS_FALL = 1, BI_GRAPH_IDS_FALL = 2, BI_GRAPH_TIES_FALL = 4, BI_GRAPH_LARGER_FALL = 8 };

/* For builds in which every entry becomes an edge: lists the entries in their order. *bad = the first entry that is
 * not an edge (as check_entry, if `check` is set), *found = the order violations, as check_order. */
struct bi_graph_list_entries {
    struct bi_graph_entries entries;
    bool check, refuse_nan, is_64bit;
    int bits;
    uint64_t *keys;
    void *ids;
    int64_t *bad;
    uint32_t *found;
};

BI_FN void bi_step_graph_list_entries(const struct bi_graph_list_entries *a, int64_t i)
{
    const struct bi_graph_entries *e = &a->entries;
    uint64_t n = (uint64_t)e->n, larger = ((uint64_t)1 << a->bits) - 1;
    uint64_t u = bi_word(e->u, e->u_is_64bit, i), v = bi_word(e->v, e->v_is_64bit, i);
    uint64_t key = bi_graph_edge_key(e, a->bits, i);
    if (a->check && (u >= n || v >= n || (a->refuse_nan && bi_graph_is_nan_key(e->dtype, bi_graph_entry_weight(e, i)))))
        bi_atomic_min_i64(a->bad, i);
    a->keys[i] = key;
    bi_set_word(a->ids, a->is_64bit, i, (uint64_t)i);
    if (i == 0) return;
    uint64_t previous = bi_graph_edge_key(e, a->bits, i - 1);
    uint32_t found =
        (previous > key ? BI_GRAPH_KEYS_FALL : 0) | ((previous & larger) > (key & larger) ? BI_GRAPH_LARGER_FALL : 0);
    if (found) bi_atomic_or_u32(a->found, found);
}

/* out[k] is the weight, as a key, of entry ids[k]. */
struct bi_graph_gather_weights {
    struct bi_graph_entries entries;
    const void *ids;
    bool is_64bit;
    void *out;
};

BI_FN void bi_step_graph_gather_weights(const struct bi_graph_gather_weights *a, int64_t k)
{
    int64_t i = (int64_t)bi_word(a->ids, a->is_64bit, k);
    bi_set_word(a->out, bi_graph_has_64bit_keys(a->entries.dtype), k, bi_graph_entry_weight(&a->entries, i));
}

/* *found = the order violations of a list. */
struct bi_graph_check_order {
    const uint64_t *keys;
    const void *ids;
    bool is_64bit;
    int bits;
    uint32_t *found;
};

BI_FN void bi_step_graph_check_order(const struct bi_graph_check_order *a, int64_t k)
{
    if (k == 0) return;
    bool ids_fall = bi_word(a->ids, a->is_64bit, k - 1) > bi_word(a->ids, a->is_64bit, k);
    uint32_t found = ids_fall ? BI_GRAPH_IDS_FALL : 0;
    uint64_t previous = a->keys[k - 1], key = a->keys[k], larger = ((uint64_t)1 << a->bits) - 1;
    if (previous > key) found |= BI_GRAPH_KEYS_FALL;
    if (ids_fall && previous == key) found |= BI_GRAPH_TIES_FALL;
    if ((previous & larger) > (key & larger)) found |= BI_GRAPH_LARGER_FALL;
    if (found) bi_atomic_or_u32(a->found, found);
}

/* The arcs of both directions, each list by (key, id) or (key, weight, id): arc k of one list belongs to arc k of the
 * other. */
struct bi_graph_arc_list {
    const uint64_t *keys;
    const void *ids;
    int64_t count;
};
enum { BI_GRAPH_KEYS_DIFFER = 1, BI_GRAPH_WEIGHTS_DIFFER = 2 };
struct bi_graph_pairs {
    struct bi_graph_entries entries;
    struct bi_graph_arc_list list[2];
    bool is_64bit;
    void *out;       /* pair_ids: the smaller of the two ids */
    uint32_t *found; /* compare_pairs */
    int64_t *bad;    /* find_unpaired: the smallest entry without a partner */
};

BI_FN uint64_t bi_graph_arc_weight(const struct bi_graph_pairs *a, int list, int64_t k)
{
    return bi_graph_entry_weight(&a->entries, (int64_t)bi_word(a->list[list].ids, a->is_64bit, k));
}

BI_FN void bi_step_graph_compare_pairs(const struct bi_graph_pairs *a, int64_t k)
{
    uint32_t found = a->list[0].keys[k] != a->list[1].keys[k] ? BI_GRAPH_KEYS_DIFFER : 0;
    if (bi_graph_arc_weight(a, 0, k) != bi_graph_arc_weight(a, 1, k)) found |= BI_GRAPH_WEIGHTS_DIFFER;
    if (found) bi_atomic_or_u32(a->found, found);
}

/* The first arc of a list not less than (key, weight). */
BI_FN int64_t bi_graph_first_arc(const struct bi_graph_pairs *a, int list, uint64_t key, uint64_t weight)
{
    int64_t low = 0, high = a->list[list].count;
    const uint64_t *keys = a->list[list].keys;
    BI_PARTITION_POINT(low, high, mid,
                       keys[mid] < key || (keys[mid] == key && bi_graph_arc_weight(a, list, mid) < weight));
    return low;
}

/* Items are the arcs of the first list, then those of the second. Of equal arcs number k of one list belongs to number
 * k of the other. */
BI_FN void bi_step_graph_find_unpaired(const struct bi_graph_pairs *a, int64_t i)
{
    int side = i >= a->list[0].count;
    int64_t k = side ? i - a->list[0].count : i;
    uint64_t key = a->list[side].keys[k], weight = bi_graph_arc_weight(a, side, k);
    int64_t other = bi_graph_first_arc(a, !side, key, weight) + (k - bi_graph_first_arc(a, side, key, weight));
    if (other >= a->list[!side].count || a->list[!side].keys[other] != key ||
        bi_graph_arc_weight(a, !side, other) != weight)
        bi_atomic_min_i64(a->bad, (int64_t)bi_word(a->list[side].ids, a->is_64bit, k));
}

BI_FN void bi_step_graph_pair_ids(const struct bi_graph_pairs *a, int64_t k)
{
    uint64_t i = bi_word(a->list[0].ids, a->is_64bit, k), j = bi_word(a->list[1].ids, a->is_64bit, k);
    bi_set_word(a->out, a->is_64bit, k, i < j ? i : j);
}

/* ---- parallel edges: runs of equal keys. Weights are keys by position in the list ---- */

/* Marks the first edge of each run of equal keys. */
struct bi_graph_mark_heads {
    const uint64_t *keys;
    uint8_t *heads;
};

BI_FN void bi_step_graph_mark_heads(const struct bi_graph_mark_heads *a, int64_t k)
{
    a->heads[k] = k == 0 || a->keys[k - 1] != a->keys[k];
}

/* `least` is the running minimum of each run. positions[k] = k where it falls, else 0. After a maximum scan, the value
 * at the end of a run is the position of the run's minimum. */
struct bi_graph_lowered {
    const uint8_t *heads;
    int64_t count;
    const void *least;
    bool key_64bit, is_64bit;
    void *positions;
    uint8_t *keep;
};

BI_FN void bi_step_graph_mark_lowered(const struct bi_graph_lowered *a, int64_t k)
{
    bool lowered = a->heads[k] || bi_word(a->least, a->key_64bit, k) < bi_word(a->least, a->key_64bit, k - 1);
    bi_set_word(a->positions, a->is_64bit, k, lowered ? (uint64_t)k : 0);
}

BI_FN void bi_step_graph_keep_lowest(const struct bi_graph_lowered *a, int64_t k)
{
    if (k + 1 == a->count || a->heads[k + 1]) a->keep[bi_word(a->positions, a->is_64bit, k)] = 1;
}

/* The sum of two weights given as keys; *overflows is set if an integer does not fit. */
BI_FN uint64_t bi_graph_add_weights(bosc_dtype dtype, uint64_t a, uint64_t b, bool *overflows)
{
    uint64_t sum = a + b;
    switch (dtype) {
    case BOSC_F32: {
        float x = bi_f32_of_key((uint32_t)a) + bi_f32_of_key((uint32_t)b);
        return x != x ? bi_graph_nan_key(dtype) : bi_key_u32_of_f32(x);
    }
    case BOSC_F64: {
        double x = bi_f64_of_key(a) + bi_f64_of_key(b);
        return x != x ? bi_graph_nan_key(dtype) : bi_key_u64_of_f64(x);
    }
    case BOSC_U32: *overflows |= sum > UINT32_MAX; return sum & UINT32_MAX;
    case BOSC_U64: *overflows |= sum < a; return sum;
    case BOSC_I32: /* keys are weights plus 2^31 */
        sum -= 0x80000000u;
        *overflows |= sum > UINT32_MAX;
        return sum & UINT32_MAX;
    default: { /* keys are weights plus 2^63: adding b - 2^63 must move a in the direction of its sign */
        uint64_t half = 0x8000000000000000ull, moved = a + (b - half);
        *overflows |= b >= half ? moved < a : moved > a;
        return moved;
    }
    }
}

/* The sum of each run, at its head, in the order of the run. */
struct bi_graph_sum_run {
    const uint8_t *heads;
    int64_t count;
    const void *weights;
    bosc_dtype dtype;
    bool drop_nan;
    const void *ids;
    bool is_64bit;
    void *sums;
    uint8_t *keep;
    int64_t *bad; /* the smallest id of a sum that overflows; and of one that is NaN */
};

BI_FN void bi_step_graph_sum_run(const struct bi_graph_sum_run *a, int64_t k)
{
    bool key_64bit = bi_graph_has_64bit_keys(a->dtype), overflows = false;
    a->keep[k] = 0;
    if (!a->heads[k]) return;
    uint64_t sum = bi_word(a->weights, key_64bit, k);
    for (int64_t j = k + 1; j < a->count && !a->heads[j]; j++)
        sum = bi_graph_add_weights(a->dtype, sum, bi_word(a->weights, key_64bit, j), &overflows);
    bool is_nan = bi_graph_is_nan_key(a->dtype, sum);
    if (overflows) bi_atomic_min_i64(&a->bad[0], (int64_t)bi_word(a->ids, a->is_64bit, k));
    if (is_nan) bi_atomic_min_i64(&a->bad[1], (int64_t)bi_word(a->ids, a->is_64bit, k));
    bi_set_word(a->sums, key_64bit, k, sum);
    a->keep[k] = !(is_nan && a->drop_nan);
}

/* ---- the rows ---- */

/* The back arcs, before sorting: the larger vertex of each edge (n for a self loop, which has none), and the edge's
 * position in the list. */
struct bi_graph_back_list {
    const uint64_t *keys;
    int bits;
    uint32_t n;
    bool is_64bit;
    uint32_t *from;
    void *positions;
};

BI_FN void bi_step_graph_back_list(const struct bi_graph_back_list *a, int64_t k)
{
    uint32_t v = (uint32_t)(a->keys[k] & (((uint64_t)1 << a->bits) - 1));
    a->from[k] = (uint32_t)(a->keys[k] >> a->bits) == v ? a->n : v;
    bi_set_word(a->positions, a->is_64bit, k, (uint64_t)k);
}

/* Marks ends[u + 1], the end of vertex u's run in a sorted list; a maximum scan then gives the offsets. */
struct bi_graph_forward_ends {
    const uint64_t *keys;
    int64_t count;
    int bits;
    bool is_64bit;
    void *ends;
};

BI_FN void bi_step_graph_forward_ends(const struct bi_graph_forward_ends *a, int64_t k)
{
    uint64_t u = a->keys[k] >> a->bits;
    if (k + 1 == a->count || a->keys[k + 1] >> a->bits != u)
        bi_set_word(a->ends, a->is_64bit, (int64_t)u + 1, (uint64_t)k + 1);
}

struct bi_graph_back_ends {
    const uint32_t *from;
    int64_t count;
    uint32_t n;
    bool is_64bit;
    void *ends;
};

BI_FN void bi_step_graph_back_ends(const struct bi_graph_back_ends *a, int64_t k)
{
    uint32_t v = a->from[k];
    if (v < a->n && (k + 1 == a->count || a->from[k + 1] != v))
        bi_set_word(a->ends, a->is_64bit, (int64_t)v + 1, (uint64_t)k + 1);
}

/* flags[k] = 1 if edge k of the sorted list has the ends of the preceding edge. */
struct bi_graph_mark_parallel {
    const uint64_t *keys;
    bool is_64bit;
    void *flags;
};

BI_FN void bi_step_graph_mark_parallel(const struct bi_graph_mark_parallel *a, int64_t k)
{
    bi_set_word(a->flags, a->is_64bit, k, k > 0 && a->keys[k - 1] == a->keys[k]);
}

/* The two halves of the rows: the sorted list, and offsets of each vertex's edges as the smaller vertex (`forward`)
 * and in the list of back arcs (`back`). A row is its back arcs, then its forward arcs. */
struct bi_graph_halves {
    const uint64_t *keys;
    const void *ids;
    int64_t count;
    int bits;
    bool is_64bit;
    const void *forward, *back;
};

/* Degrees; a self loop counts twice. */
struct bi_graph_degrees {
    struct bi_graph_halves halves;
    bool loops; /* there are self loops */
    int64_t *degrees;
    uint32_t *isolated; /* 1 for degree 0 */
};

BI_FN void bi_step_graph_degrees(const struct bi_graph_degrees *a, int64_t u)
{
    const struct bi_graph_halves *h = &a->halves;
    int64_t begin = (int64_t)bi_word(h->forward, h->is_64bit, u),
            end = (int64_t)bi_word(h->forward, h->is_64bit, u + 1);
    int64_t degree = end - begin + (int64_t)(bi_word(h->back, h->is_64bit, u + 1) - bi_word(h->back, h->is_64bit, u));
    uint64_t loop = (uint64_t)u << h->bits | (uint64_t)u;
    if (a->loops)
        degree += bi_lower_bound_word(h->keys, true, begin, end, loop + 1) - begin; /* a row's loops come first in it */
    a->degrees[u] = degree;
    a->isolated[u] = degree == 0;
}

/* The offsets of the rows: the sum of both halves' offsets. */
struct bi_graph_add_offsets {
    struct bi_graph_halves halves;
    void *offsets;
};

BI_FN void bi_step_graph_add_offsets(const struct bi_graph_add_offsets *a, int64_t u)
{
    const struct bi_graph_halves *h = &a->halves;
    bi_set_word(a->offsets, h->is_64bit, u, bi_word(h->forward, h->is_64bit, u) + bi_word(h->back, h->is_64bit, u));
}

/* Arguments of the steps that write the arcs of a graph. */
struct bi_graph_arc_writer {
    struct bi_graph_halves halves;
    const uint32_t *from;  /* write_back: the larger vertex */
    const void *positions; /* write_back: the edge's position in the list */
    struct bi_graph_entries entries;
    const void *weights; /* keys by position in the list; NULL: the entries' weights */
    uint32_t *shared;    /* NULL, or smaller vertex, id and key by position: write_back then reads an edge from one
                            place */
    uint32_t *neighbours;
    void *keys, *ids;
};

BI_FN void bi_graph_write_arc(const struct bi_graph_arc_writer *a, int64_t at, uint32_t neighbour, uint64_t id,
                              uint64_t key)
{
    a->neighbours[at] = neighbour;
    bi_set_word(a->ids, a->halves.is_64bit, at, id);
    bi_set_word(a->keys, bi_graph_has_64bit_keys(a->entries.dtype), at, key);
}

BI_FN uint64_t bi_graph_arc_key(const struct bi_graph_arc_writer *a, int64_t k, uint64_t id)
{
    return a->weights ? bi_word(a->weights, bi_graph_has_64bit_keys(a->entries.dtype), k)
                      : bi_graph_entry_weight(&a->entries, (int64_t)id);
}

BI_FN void bi_step_graph_write_forward(const struct bi_graph_arc_writer *a, int64_t k)
{
    const struct bi_graph_halves *h = &a->halves;
    uint64_t u = h->keys[k] >> h->bits, id = bi_word(h->ids, h->is_64bit, k), key = bi_graph_arc_key(a, k, id);
    uint32_t v = (uint32_t)(h->keys[k] & (((uint64_t)1 << h->bits) - 1));
    bi_graph_write_arc(a, k + (int64_t)bi_word(h->back, h->is_64bit, (int64_t)u + 1), v, id, key);
    if (!a->shared) return;
    a->shared[3 * k] = (uint32_t)u;
    a->shared[3 * k + 1] = (uint32_t)id;
    a->shared[3 * k + 2] = (uint32_t)key;
}

/* Item j is the j-th back arc. */
BI_FN void bi_step_graph_write_back(const struct bi_graph_arc_writer *a, int64_t j)
{
    const struct bi_graph_halves *h = &a->halves;
    int64_t k = (int64_t)bi_word(a->positions, h->is_64bit, j),
            at = j + (int64_t)bi_word(h->forward, h->is_64bit, a->from[j]);
    if (a->shared) {
        const uint32_t *edge = a->shared + 3 * k;
        bi_graph_write_arc(a, at, edge[0], edge[1], edge[2]);
    } else {
        uint64_t id = bi_word(h->ids, h->is_64bit, k);
        bi_graph_write_arc(a, at, (uint32_t)(h->keys[k] >> h->bits), id, bi_graph_arc_key(a, k, id));
    }
}

#endif
