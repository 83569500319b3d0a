/* Steps of Boruvka's rounds on a list of arcs. An arc is (ends, place): ends = from << shift | to, labels of
 * supervertices; places are where the graph's rows hold arcs, or ranks (see struct bi_msf_list). The list is ordered
 * by `from`: the arcs of a supervertex are a segment, and segments have numbers. numbers[i] is one more than that of
 * arc i. */
#ifndef BI_FOREST_STEPS_BORUVKA_H
#define BI_FOREST_STEPS_BORUVKA_H

#include "forest/steps/rows.h"
#include "base/atomic.h"

struct bi_msf_list {
    struct bi_msf_rows rows;
    bool ranks;       /* places are ranks below 2^32, which order the edges by themselves; rows are not read */
    bool wide_places; /* places are words of 64 bits, else of 32 */
    int shift;
    int64_t count;
    const uint64_t *ends;
    const void *places;
};

BI_FN int64_t bi_msf_place(const struct bi_msf_list *l, int64_t i)
{
    return (int64_t)bi_word(l->places, l->wide_places, i);
}

BI_FN uint32_t bi_msf_from(const struct bi_msf_list *l, int64_t i) { return (uint32_t)(l->ends[i] >> l->shift); }

BI_FN uint32_t bi_msf_to(const struct bi_msf_list *l, int64_t i)
{
    return (uint32_t)(l->ends[i] & (((uint64_t)1 << l->shift) - 1));
}

/* Arcs order by (rank of the key, edge id). Where both are short they make one word; else the ranks are compared in a
 * first pass (`least` NULL), and in a second one the ids of those that have the least rank of their segment. */
BI_FN bool bi_msf_one_word(const struct bi_msf_list *l) { return l->ranks || (!l->rows.wide && !l->rows.wide_keys); }

BI_FN uint64_t bi_msf_arc_word(const struct bi_msf_list *l, int64_t i, const uint32_t *numbers, const uint64_t *least)
{
    int64_t place = bi_msf_place(l, i);
    if (l->ranks) return (uint64_t)place;
    uint64_t rank = bi_msf_arc_rank(&l->rows, place);
    if (bi_msf_one_word(l)) return rank << 32 | bi_msf_arc_id(&l->rows, place);
    if (!least) return rank;
    return rank == least[numbers[i] - 1] ? bi_msf_arc_id(&l->rows, place) : UINT64_MAX;
}

/* Whether arc i is the least of its segment; least_id is NULL where one word tells. */
BI_FN bool bi_msf_is_least(const struct bi_msf_list *l, int64_t i, const uint32_t *numbers, const uint64_t *least,
                           const uint64_t *least_id)
{
    uint64_t word = bi_msf_arc_word(l, i, numbers, NULL);
    if (word != least[numbers[i] - 1]) return false;
    return !least_id || bi_msf_arc_id(&l->rows, bi_msf_place(l, i)) == least_id[numbers[i] - 1];
}

/* The graph's arcs tile by tile, and which are there. */
struct bi_msf_list_arcs {
    struct bi_msf_rows rows;
    int shift;
    uint64_t *ends;
    void *places;
    uint8_t *keep;
};

BI_FN void bi_step_msf_list_arcs(const struct bi_msf_list_arcs *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        a->ends[w.place] = (uint64_t)w.row << a->shift | a->rows.neighbours[w.place];
        bi_set_word(a->places, a->rows.wide, w.place, (uint64_t)w.place);
        a->keep[w.place] = bi_msf_there(&a->rows, w.row, w.place);
    } while (bi_msf_walk_on(&a->rows, &w));
}

/* Where segments of equal ends >> shift begin, as flags and as numbers to be scanned. */
struct bi_msf_heads {
    const uint64_t *ends;
    int shift;
    uint8_t *heads;
    uint32_t *numbers;
};

BI_FN void bi_step_msf_heads(const struct bi_msf_heads *a, int64_t i)
{
    bool head = i == 0 || a->ends[i] >> a->shift != a->ends[i - 1] >> a->shift;
    a->heads[i] = head;
    a->numbers[i] = head;
}

/* The number of each label that has arcs, and the label of each number. */
struct bi_msf_open {
    struct bi_msf_list list;
    const uint8_t *heads;
    const uint32_t *numbers;
    uint32_t *number_of, *label_of;
};

BI_FN void bi_step_msf_open(const struct bi_msf_open *a, int64_t i)
{
    if (!a->heads[i]) return;
    uint32_t label = bi_msf_from(&a->list, i);
    a->number_of[label] = a->numbers[i] - 1;
    a->label_of[a->numbers[i] - 1] = label;
}

struct bi_msf_weigh {
    struct bi_msf_list list;
    const uint32_t *numbers;
    const uint64_t *least;
    uint64_t *words;
};

BI_FN void bi_step_msf_weigh(const struct bi_msf_weigh *a, int64_t i)
{
    a->words[i] = bi_msf_arc_word(&a->list, i, a->numbers, a->least);
}

/* After a segmented scan: what stands at the end of each segment. */
struct bi_msf_take_last {
    const uint64_t *scanned;
    const uint8_t *heads;
    const uint32_t *numbers;
    int64_t count;
    uint64_t *out;
};

BI_FN void bi_step_msf_take_last(const struct bi_msf_take_last *a, int64_t i)
{
    if (i + 1 == a->count || a->heads[i + 1]) a->out[a->numbers[i] - 1] = a->scanned[i];
}

/* The same by an atomic minimum. */
struct bi_msf_lower {
    struct bi_msf_list list;
    const uint32_t *numbers;
    const uint64_t *least;
    uint64_t *out;
};

BI_FN void bi_step_msf_lower(const struct bi_msf_lower *a, int64_t i)
{
    bi_atomic_min_u64(&a->out[a->numbers[i] - 1], bi_msf_arc_word(&a->list, i, a->numbers, a->least));
}

/* Each supervertex's lightest edge, and whom it leads to. Edges differ, so that one arc of a segment is the least. */
struct bi_msf_choose {
    struct bi_msf_list list;
    const uint32_t *numbers, *number_of;
    const uint64_t *least, *least_id;
    uint32_t *next;
    void *chosen;
};

BI_FN void bi_step_msf_choose(const struct bi_msf_choose *a, int64_t i)
{
    if (!bi_msf_is_least(&a->list, i, a->numbers, a->least, a->least_id)) return;
    uint32_t v = a->numbers[i] - 1;
    a->next[v] = a->number_of[bi_msf_to(&a->list, i)];
    bi_set_word(a->chosen, a->list.wide_places, v, (uint64_t)bi_msf_place(&a->list, i));
}

/* Of two that chose the same edge, the smaller becomes the root and gives it up. There are no longer cycles. */
struct bi_msf_cut {
    const uint32_t *next;
    uint32_t *root;
    uint8_t *keep;
};

BI_FN void bi_step_msf_cut(const struct bi_msf_cut *a, int64_t i)
{
    uint32_t v = (uint32_t)i, w = a->next[v];
    bool root = v < w && a->next[w] == v;
    a->root[v] = root ? v : w;
    a->keep[v] = !root;
}

struct bi_msf_jump {
    const uint32_t *in;
    uint32_t *out, *changed;
};

BI_FN void bi_step_msf_jump(const struct bi_msf_jump *a, int64_t i)
{
    uint32_t to = a->in[i], far = a->in[to];
    a->out[i] = far;
    if (far != to) bi_atomic_store_u32(a->changed, 1);
}

/* Supervertices stand for a vertex of the graph each; `parent` is a forest of those. */
struct bi_msf_adopt {
    const uint32_t *root, *label_of, *vertex_of;
    uint32_t *parent;
};

BI_FN void bi_step_msf_adopt(const struct bi_msf_adopt *a, int64_t i)
{
    a->parent[a->vertex_of[a->label_of[i]]] = a->vertex_of[a->label_of[a->root[i]]];
}

/* Of numbers ordered by their roots: where a new root begins. */
struct bi_msf_runs {
    const uint32_t *roots;
    uint32_t *numbers;
};

BI_FN void bi_step_msf_runs(const struct bi_msf_runs *a, int64_t i)
{
    a->numbers[i] = i == 0 || a->roots[i] != a->roots[i - 1];
}

/* The new label of each number, and the vertex that each new label stands for. */
struct bi_msf_rename {
    const uint32_t *roots, *order, *numbers, *label_of, *vertex_of;
    uint32_t *label, *new_vertex_of;
};

BI_FN void bi_step_msf_rename(const struct bi_msf_rename *a, int64_t i)
{
    uint32_t label = a->numbers[i] - 1;
    a->label[a->order[i]] = label;
    if (i == 0 || a->numbers[i] != a->numbers[i - 1]) a->new_vertex_of[label] = a->vertex_of[a->label_of[a->roots[i]]];
}

/* Ends become new labels; edges inside a supervertex go. */
struct bi_msf_relabel {
    struct bi_msf_list list;
    const uint32_t *numbers, *number_of, *label;
    int shift;
    uint64_t *ends;
    uint8_t *keep;
};

BI_FN void bi_step_msf_relabel(const struct bi_msf_relabel *a, int64_t i)
{
    uint32_t from = a->label[a->numbers[i] - 1], to = a->label[a->number_of[bi_msf_to(&a->list, i)]];
    a->ends[i] = (uint64_t)from << a->shift | to;
    a->keep[i] = from != to;
}

/* Of the arcs between the same two supervertices the least stays. */
struct bi_msf_keep_least {
    struct bi_msf_list list;
    const uint32_t *numbers;
    const uint64_t *least, *least_id;
    uint8_t *keep;
};

BI_FN void bi_step_msf_keep_least(const struct bi_msf_keep_least *a, int64_t i)
{
    a->keep[i] = bi_msf_is_least(&a->list, i, a->numbers, a->least, a->least_id);
}

/* Of each number of the round before, whose label was given then: its number in this round, or beyond all numbers one
 * that tells its label, which has no arcs left. After the last round number_of is NULL. */
struct bi_msf_parents {
    const uint32_t *label, *number_of;
    uint32_t numbers;
    uint32_t *parent;
};

BI_FN void bi_step_msf_parents(const struct bi_msf_parents *a, int64_t i)
{
    uint32_t label = a->label[i], number = a->number_of ? a->number_of[label] : BI_FOREST_NONE;
    a->parent[i] = number == BI_FOREST_NONE ? a->numbers + label : number;
}

#endif
