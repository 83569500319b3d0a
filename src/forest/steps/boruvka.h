/* Steps of Boruvka's rounds on a list of arcs. An arc is (ends, position): ends = from << shift | to, labels of
 * supervertices; the position is the arc's index in the graph's rows, or a rank (see struct bi_msf_list). The list is
 * ordered by `from`, so the arcs of a supervertex are a segment. Segments are numbered from 0; numbers[i] is one more
 * than the number of arc i's segment. */
#ifndef BI_FOREST_STEPS_BORUVKA_H
#define BI_FOREST_STEPS_BORUVKA_H

#include "forest/steps/rows.h"
#include "base/atomic.h"

struct bi_msf_list {
    struct bi_msf_rows rows;
    bool ranks;           /* positions are ranks below 2^32, which order the edges by themselves; rows are not read */
    bool positions_64bit; /* positions are 64-bit words, else 32-bit */
    int shift;
    int64_t count;
    const uint64_t *ends;
    const void *positions;
};

BI_FN int64_t bi_msf_position(const struct bi_msf_list *l, int64_t i)
{
    return (int64_t)bi_word(l->positions, l->positions_64bit, i);
}

BI_FN uint32_t bi_msf_from(const struct bi_msf_list *l, int64_t i) { return (uint32_t)(l->ends[i] >> l->shift); }

BI_FN uint32_t bi_msf_to(const struct bi_msf_list *l, int64_t i)
{
    return (uint32_t)(l->ends[i] & (((uint64_t)1 << l->shift) - 1));
}

/* Arcs are ordered by (rank of the key, edge id). If both have 32 bits, they make one word. Otherwise a first pass
 * (`least` NULL) compares ranks, and a second compares the ids of arcs with the least rank of their segment. */
BI_FN bool bi_msf_one_word(const struct bi_msf_list *l)
{
    return l->ranks || (!l->rows.is_64bit && !l->rows.keys_64bit);
}

BI_FN uint64_t bi_msf_arc_word(const struct bi_msf_list *l, int64_t i, const uint32_t *numbers, const uint64_t *least)
{
    int64_t position = bi_msf_position(l, i);
    if (l->ranks) return (uint64_t)position;
    uint64_t rank = bi_msf_arc_rank(&l->rows, position);
    if (bi_msf_one_word(l)) return rank << 32 | bi_msf_arc_id(&l->rows, position);
    if (!least) return rank;
    return rank == least[numbers[i] - 1] ? bi_msf_arc_id(&l->rows, position) : UINT64_MAX;
}

/* True if arc i is the least of its segment; least_id is NULL if one word is enough. */
BI_FN bool bi_msf_is_least(const struct bi_msf_list *l, int64_t i, const uint32_t *numbers, const uint64_t *least,
                           const uint64_t *least_id)
{
    uint64_t word = bi_msf_arc_word(l, i, numbers, NULL);
    if (word != least[numbers[i] - 1]) return false;
    return !least_id || bi_msf_arc_id(&l->rows, bi_msf_position(l, i)) == least_id[numbers[i] - 1];
}

/* Lists the graph's arcs tile by tile; keep[i] = 1 for the arcs that count. */
struct bi_msf_list_arcs {
    struct bi_msf_rows rows;
    int shift;
    uint64_t *ends;
    void *positions;
    uint8_t *keep;
};

BI_FN void bi_step_msf_list_arcs(const struct bi_msf_list_arcs *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        a->ends[w.arc] = (uint64_t)w.row << a->shift | a->rows.neighbours[w.arc];
        bi_set_word(a->positions, a->rows.is_64bit, w.arc, (uint64_t)w.arc);
        a->keep[w.arc] = bi_msf_arc_is_edge(&a->rows, w.row, w.arc);
    } while (bi_msf_walk_on(&a->rows, &w));
}

/* Marks the first arc of each segment of equal ends >> shift, as flags and as numbers to be scanned. */
struct bi_msf_mark_heads {
    const uint64_t *ends;
    int shift;
    uint8_t *heads;
    uint32_t *numbers;
};

BI_FN void bi_step_msf_mark_heads(const struct bi_msf_mark_heads *a, int64_t i)
{
    bool head = i == 0 || a->ends[i] >> a->shift != a->ends[i - 1] >> a->shift;
    a->heads[i] = head;
    a->numbers[i] = head;
}

/* The number of each label that has arcs, and the label of each number. */
struct bi_msf_number_labels {
    struct bi_msf_list list;
    const uint8_t *heads;
    const uint32_t *numbers;
    uint32_t *number_of, *label_of;
};

BI_FN void bi_step_msf_number_labels(const struct bi_msf_number_labels *a, int64_t i)
{
    if (!a->heads[i]) return;
    uint32_t label = bi_msf_from(&a->list, i);
    a->number_of[label] = a->numbers[i] - 1;
    a->label_of[a->numbers[i] - 1] = label;
}

/* The word that orders each arc. */
struct bi_msf_arc_words {
    struct bi_msf_list list;
    const uint32_t *numbers;
    const uint64_t *least;
    uint64_t *words;
};

BI_FN void bi_step_msf_arc_words(const struct bi_msf_arc_words *a, int64_t i)
{
    a->words[i] = bi_msf_arc_word(&a->list, i, a->numbers, a->least);
}

/* After a segmented minimum scan: the last element of each segment is its minimum. */
struct bi_msf_segment_minima {
    const uint64_t *scanned;
    const uint8_t *heads;
    const uint32_t *numbers;
    int64_t count;
    uint64_t *out;
};

BI_FN void bi_step_msf_segment_minima(const struct bi_msf_segment_minima *a, int64_t i)
{
    if (i + 1 == a->count || a->heads[i + 1]) a->out[a->numbers[i] - 1] = a->scanned[i];
}

/* The segments' minima by atomic minima instead. */
struct bi_msf_atomic_minima {
    struct bi_msf_list list;
    const uint32_t *numbers;
    const uint64_t *least;
    uint64_t *out;
};

BI_FN void bi_step_msf_atomic_minima(const struct bi_msf_atomic_minima *a, int64_t i)
{
    bi_atomic_min_u64(&a->out[a->numbers[i] - 1], bi_msf_arc_word(&a->list, i, a->numbers, a->least));
}

/* Each supervertex's lightest edge and the supervertex at its other end. Edges are distinct in the order, so exactly
 * one arc of a segment is the least. */
struct bi_msf_choose_edges {
    struct bi_msf_list list;
    const uint32_t *numbers, *number_of;
    const uint64_t *least, *least_id;
    uint32_t *next;
    void *chosen;
};

BI_FN void bi_step_msf_choose_edges(const struct bi_msf_choose_edges *a, int64_t i)
{
    if (!bi_msf_is_least(&a->list, i, a->numbers, a->least, a->least_id)) return;
    uint32_t v = a->numbers[i] - 1;
    a->next[v] = a->number_of[bi_msf_to(&a->list, i)];
    bi_set_word(a->chosen, a->list.positions_64bit, v, (uint64_t)bi_msf_position(&a->list, i));
}

/* Breaks 2-cycles: of two supervertices that chose the same edge, the smaller becomes a root and drops it. There are
 * no longer cycles, as the order is total. */
struct bi_msf_break_cycles {
    const uint32_t *next;
    uint32_t *root;
    uint8_t *keep;
};

BI_FN void bi_step_msf_break_cycles(const struct bi_msf_break_cycles *a, int64_t i)
{
    uint32_t v = (uint32_t)i, w = a->next[v];
    bool root = v < w && a->next[w] == v;
    a->root[v] = root ? v : w;
    a->keep[v] = !root;
}

/* One step of pointer doubling; *changed is set if any pointer moved. */
struct bi_msf_double_pointers {
    const uint32_t *in;
    uint32_t *out, *changed;
};

BI_FN void bi_step_msf_double_pointers(const struct bi_msf_double_pointers *a, int64_t i)
{
    uint32_t to = a->in[i], far = a->in[to];
    a->out[i] = far;
    if (far != to) bi_atomic_store_u32(a->changed, 1);
}

/* Each supervertex is represented by one vertex of the graph; `parent` is a forest of these vertices. */
struct bi_msf_set_parents {
    const uint32_t *root, *label_of, *vertex_of;
    uint32_t *parent;
};

BI_FN void bi_step_msf_set_parents(const struct bi_msf_set_parents *a, int64_t i)
{
    a->parent[a->vertex_of[a->label_of[i]]] = a->vertex_of[a->label_of[a->root[i]]];
}

/* Marks the first of each run of equal roots, in numbers sorted by root. */
struct bi_msf_mark_runs {
    const uint32_t *roots;
    uint32_t *numbers;
};

BI_FN void bi_step_msf_mark_runs(const struct bi_msf_mark_runs *a, int64_t i)
{
    a->numbers[i] = i == 0 || a->roots[i] != a->roots[i - 1];
}

/* The new label of each number, and the representative vertex of each new label. */
struct bi_msf_rename_labels {
    const uint32_t *roots, *order, *numbers, *label_of, *vertex_of;
    uint32_t *label, *new_vertex_of;
};

BI_FN void bi_step_msf_rename_labels(const struct bi_msf_rename_labels *a, int64_t i)
{
    uint32_t label = a->numbers[i] - 1;
    a->label[a->order[i]] = label;
    if (i == 0 || a->numbers[i] != a->numbers[i - 1]) a->new_vertex_of[label] = a->vertex_of[a->label_of[a->roots[i]]];
}

/* Replaces the ends by new labels; arcs inside a supervertex are not kept. */
struct bi_msf_relabel_arcs {
    struct bi_msf_list list;
    const uint32_t *numbers, *number_of, *label;
    int shift;
    uint64_t *ends;
    uint8_t *keep;
};

BI_FN void bi_step_msf_relabel_arcs(const struct bi_msf_relabel_arcs *a, int64_t i)
{
    uint32_t from = a->label[a->numbers[i] - 1], to = a->label[a->number_of[bi_msf_to(&a->list, i)]];
    a->ends[i] = (uint64_t)from << a->shift | to;
    a->keep[i] = from != to;
}

/* Keeps the least of the arcs between the same two supervertices. */
struct bi_msf_select_least {
    struct bi_msf_list list;
    const uint32_t *numbers;
    const uint64_t *least, *least_id;
    uint8_t *keep;
};

BI_FN void bi_step_msf_select_least(const struct bi_msf_select_least *a, int64_t i)
{
    a->keep[i] = bi_msf_is_least(&a->list, i, a->numbers, a->least, a->least_id);
}

/* The parent of each node of the previous round: the number of its label in this round; for a label without arcs
 * `numbers` + label, unique to it. After the last round number_of is NULL. */
struct bi_msf_tree_parents {
    const uint32_t *label, *number_of;
    uint32_t numbers;
    uint32_t *parent;
};

BI_FN void bi_step_msf_tree_parents(const struct bi_msf_tree_parents *a, int64_t i)
{
    uint32_t label = a->label[i], number = a->number_of ? a->number_of[label] : BI_FOREST_NONE;
    a->parent[i] = number == BI_FOREST_NONE ? a->numbers + label : number;
}

#endif
