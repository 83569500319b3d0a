/* Steps of spanning forests over ranks: the edges that a rank contributes, labels of vertices, Boruvka's rounds.
 * "Rank" of an edge is that of its weight here (forest/forest.h). */
#ifndef BI_RANKS_STEPS_FOREST_H
#define BI_RANKS_STEPS_FOREST_H

#include "base/bits.h"
#include "base/search.h"
#include "base/union_find.h"
#include "forest/steps/rows.h"

/* ---- edges of a rank ---- */

/* An edge without its weight. Its ends are vertices, or components in a round of Boruvka's. */
struct bi_ranks_edge {
    uint64_t id; /* among the entries of all ranks */
    uint32_t a, b;
};

/* hashes[v]: 0 for a vertex that stays, a hash of v for an excluded one. The sum identifies the mask. */
struct bi_ranks_forest_hash_mask {
    const uint8_t *mask;
    uint64_t *hashes;
};

BI_FN void bi_step_forest_hash_mask(const struct bi_ranks_forest_hash_mask *a, int64_t v)
{
    a->hashes[v] = a->mask[v] ? 0 : bi_mix_u64((uint64_t)v + 1);
}

/* Membership of 64 successive ids in an ascending list, and the position of the first of them in it. */
struct bi_ranks_forest_word {
    uint64_t bits;
    int64_t position;
};

/* The index of a rank's entries: one such word for each 64. */
struct bi_ranks_forest_index_ids {
    const uint64_t *ids; /* ascending, repetitions allowed */
    int64_t count;
    uint64_t first;
    struct bi_ranks_forest_word *words; /* (entries / 64, rounded up) */
};

BI_FN void bi_step_forest_index_ids(const struct bi_ranks_forest_index_ids *a, int64_t w)
{
    const uint64_t begin = a->first + 64 * (uint64_t)w;
    int64_t at = bi_lower_bound_u64(a->ids, a->count, begin);
    a->words[w].position = at;
    a->words[w].bits = 0;
    for (; at < a->count && a->ids[at] - begin < 64; at++) a->words[w].bits |= (uint64_t)1 << (a->ids[at] - begin);
}

BI_FN bool bi_ranks_forest_contains(const struct bi_ranks_forest_word *words, uint64_t entry)
{
    return words[entry / 64].bits >> entry % 64 & 1;
}

/* Returns the position of an entry in the list, if no id is repeated. */
BI_FN int64_t bi_ranks_forest_position(const struct bi_ranks_forest_word *words, uint64_t entry)
{
    const struct bi_ranks_forest_word *w = &words[entry / 64];
    return w->position + bi_popcount(w->bits & (((uint64_t)1 << entry % 64) - 1));
}

/* Arcs of a chunk, an item of the steps below: long, as each begins with a search for its row. Not measured. */
enum { BI_RANKS_FOREST_ARCS = 256 };

/* Item: a chunk of arcs. Fetches the ends and the rank of each listed edge that the options admit, at the position of
 * its id. */
struct bi_ranks_forest_fetch_edges {
    struct bi_msf_rows rows;
    const struct bi_ranks_forest_word *words;
    const uint64_t *ids; /* ascending; of equal ids the first is filled */
    uint64_t first;
    struct bi_ranks_edge *edges;
    uint64_t *ranks;
    uint8_t *found;
};

BI_FN void bi_step_forest_fetch_edges(const struct bi_ranks_forest_fetch_edges *a, int64_t chunk)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, chunk * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    do {
        uint32_t v = a->rows.neighbours[w.arc];
        if (v < w.row) continue;
        uint64_t entry = bi_msf_arc_id(&a->rows, w.arc);
        if (!bi_ranks_forest_contains(a->words, entry) || !bi_msf_arc_allowed(&a->rows, w.row, w.arc)) continue;
        int64_t at = bi_ranks_forest_position(a->words, entry);
        while (a->ids[at] < a->first + entry) at++; /* skips repeated ids */
        a->edges[at].id = a->first + entry;
        a->edges[at].a = w.row;
        a->edges[at].b = v;
        a->ranks[at] = bi_msf_arc_rank(&a->rows, w.arc);
        a->found[at] = 1;
    } while (bi_msf_walk_on(&a->rows, &w));
}

/* ---- the lightest edges of rows, and lists of edges ---- */

/* Edges up to this one by (rank, id) are light. */
struct bi_ranks_forest_threshold {
    uint64_t rank, id; /* of an entry of all ranks */
};

BI_FN bool bi_ranks_forest_is_light(const struct bi_ranks_forest_threshold *t, uint64_t rank, uint64_t id)
{
    return rank < t->rank || (rank == t->rank && id <= t->id);
}

/* Samples the arcs: the edge of arc i, or with labels the label of its end. */
struct bi_ranks_forest_sample {
    struct bi_msf_rows rows;
    uint64_t first;
    const uint32_t *labels;                    /* NULL: none */
    struct bi_ranks_forest_threshold *samples; /* one of these two */
    uint32_t *sampled_labels;
};

BI_FN void bi_step_forest_sample(const struct bi_ranks_forest_sample *a, int64_t i)
{
    /* 24 mixed bits, scaled to the arcs (fewer than 2^39). The offset is arbitrary: 0 would be mixed to 0. */
    const int64_t arc = (int64_t)((bi_mix_u64((uint64_t)i + 12345) >> 40) * (uint64_t)a->rows.arcs >> 24);
    if (a->labels) {
        a->sampled_labels[i] = a->labels[a->rows.neighbours[arc]];
        return;
    }
    a->samples[i].rank = bi_msf_arc_rank(&a->rows, arc);
    a->samples[i].id = a->first + bi_msf_arc_id(&a->rows, arc);
}

/* Item: a chunk of arcs. Writes the lightest edge of each row as its record (below). Chunks leave the rows that they
 * share to bi_step_forest_choose_split: each has its lightest edge of the row begun in an earlier chunk (head) and of
 * the row continued in the next one (tail), three words each. */
struct bi_ranks_forest_choose_rows {
    struct bi_msf_rows rows;
    uint64_t first;
    bool is_64bit;
    uint64_t *records;       /* of rows with edges; the others are left alone */
    uint64_t *heads, *tails; /* (chunks, 3): rank, id, the other end */
};

BI_FN void bi_ranks_forest_lighter(uint64_t *least, const uint64_t *edge)
{
    if (edge[0] > least[0] || (edge[0] == least[0] && edge[1] >= least[1])) return;
    for (int w = 0; w < 3; w++) least[w] = edge[w];
}

BI_FN void bi_ranks_forest_record_row(const struct bi_ranks_forest_choose_rows *a, int64_t row, const uint64_t *edge)
{
    uint64_t *r = a->records + row * (a->is_64bit ? 3 : 2);
    if (edge[1] == UINT64_MAX) return;
    r[0] = a->is_64bit ? edge[0] : edge[0] << 32 | edge[2];
    r[1] = edge[1];
    if (a->is_64bit) r[2] = edge[2];
}

BI_FN void bi_step_forest_choose_rows(const struct bi_ranks_forest_choose_rows *a, int64_t chunk)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, chunk * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    const int64_t begin = w.arc;
    bool more;
    do { /* a row's arcs in the chunk */
        const uint32_t row = w.row;
        const bool is_head = (int64_t)bi_word(a->rows.offsets, a->rows.is_64bit, row) < begin;
        const bool is_tail = w.row_end > w.end;
        uint64_t least[3] = {UINT64_MAX, UINT64_MAX, 0};
        do {
            const uint64_t edge[3] = {bi_msf_arc_rank(&a->rows, w.arc), a->first + bi_msf_arc_id(&a->rows, w.arc),
                                      a->rows.neighbours[w.arc]};
            if (bi_msf_arc_is_edge(&a->rows, row, w.arc)) bi_ranks_forest_lighter(least, edge);
            more = bi_msf_walk_on(&a->rows, &w);
        } while (more && w.row == row);
        uint64_t *shared = is_head ? a->heads + 3 * chunk : a->tails + 3 * chunk;
        if (!is_head && !is_tail)
            bi_ranks_forest_record_row(a, row, least);
        else
            for (int k = 0; k < 3; k++) shared[k] = least[k];
    } while (more);
}

/* Item: a chunk. Reduces the row that begins in it and continues in the next one. */
BI_FN void bi_step_forest_choose_split(const struct bi_ranks_forest_choose_rows *a, int64_t chunk)
{
    const int64_t begin = chunk * BI_RANKS_FOREST_ARCS, end = begin + BI_RANKS_FOREST_ARCS;
    if (end >= a->rows.arcs) return;
    const int64_t row = bi_msf_row_at(&a->rows, end);
    if ((int64_t)bi_word(a->rows.offsets, a->rows.is_64bit, row) < begin ||
        (int64_t)bi_word(a->rows.offsets, a->rows.is_64bit, row) >= end)
        return;
    const int64_t last = ((int64_t)bi_word(a->rows.offsets, a->rows.is_64bit, row + 1) - 1) / BI_RANKS_FOREST_ARCS;
    uint64_t least[3] = {UINT64_MAX, UINT64_MAX, 0};
    bi_ranks_forest_lighter(least, a->tails + 3 * chunk);
    for (int64_t k = chunk + 1; k <= last; k++) bi_ranks_forest_lighter(least, a->heads + 3 * k);
    bi_ranks_forest_record_row(a, row, least);
}

/* Item: a chunk of arcs. Collects edges in the order of rows, as the options admit them. `words`: only the listed ones.
 * `threshold`: only light ones. `labels`: instead, only heavy ones between two components, from the rows outside the
 * component `skipped`, which may be any. Keys are rank << 32 | entry where both fit; otherwise they are the ranks, with
 * ids beside them. */
struct bi_ranks_forest_collect_edges {
    struct bi_msf_rows rows;
    const struct bi_ranks_forest_word *words; /* NULL: no list */
    uint64_t first;
    bool has_threshold;
    struct bi_ranks_forest_threshold threshold;
    const uint32_t *labels; /* NULL: ends are vertices */
    uint32_t skipped;
    uint64_t *arc_bits;          /* by 64 arcs: a bit for each collected edge */
    int64_t *chunk_begins;       /* by chunk: number of edges, then their offset */
    uint64_t *keys, *ends, *ids; /* ends: a << 32 | b; ids: NULL if the keys contain them */
};

BI_FN bool bi_ranks_forest_collects(const struct bi_ranks_forest_collect_edges *a, uint32_t row, int64_t arc)
{
    const uint32_t v = a->rows.neighbours[arc];
    if (!a->labels && v <= row) return false;
    if (a->labels) { /* of the two arcs of an edge, the one that does not begin in a skipped row */
        const uint32_t from = a->labels[row];
        if (from == a->skipped) return false;
        const uint32_t to = a->labels[v];
        if (from == to || (v < row && to != a->skipped)) return false;
    }
    if (a->words) return bi_ranks_forest_contains(a->words, bi_msf_arc_id(&a->rows, arc));
    if (!bi_msf_arc_allowed(&a->rows, row, arc)) return false;
    return !a->has_threshold ||
           bi_ranks_forest_is_light(&a->threshold, bi_msf_arc_rank(&a->rows, arc),
                                    a->first + bi_msf_arc_id(&a->rows, arc)) != (a->labels != NULL);
}

BI_FN void bi_step_forest_count_edges(const struct bi_ranks_forest_collect_edges *a, int64_t chunk)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, chunk * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    uint64_t bits = 0;
    int64_t count = 0;
    bool more;
    do {
        const int64_t at = w.arc;
        bits |= (uint64_t)bi_ranks_forest_collects(a, w.row, at) << at % 64;
        more = bi_msf_walk_on(&a->rows, &w);
        if (more && w.arc % 64) continue; /* more arcs of this word */
        a->arc_bits[at / 64] = bits;
        count += bi_popcount(bits);
        bits = 0;
    } while (more);
    a->chunk_begins[chunk] = count;
}

BI_FN void bi_step_forest_collect_edges(const struct bi_ranks_forest_collect_edges *a, int64_t chunk)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, chunk * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    int64_t at = a->chunk_begins[chunk];
    for (int64_t k = w.arc / 64; k * 64 < w.end; k++)
        for (uint64_t bits = a->arc_bits[k]; bits; bits &= bits - 1) {
            bi_msf_walk_to(&a->rows, &w, k * 64 + bi_lowest_bit(bits));
            const uint64_t entry = bi_msf_arc_id(&a->rows, w.arc), rank = bi_msf_arc_rank(&a->rows, w.arc);
            const uint32_t v = a->rows.neighbours[w.arc];
            a->keys[at] = a->ids ? rank : rank << 32 | entry;
            a->ends[at] = a->labels ? (uint64_t)a->labels[w.row] << 32 | a->labels[v] : (uint64_t)w.row << 32 | v;
            if (a->ids) a->ids[at] = a->first + entry;
            at++;
        }
}

/* ---- labels: `parent` points to smaller vertices of the same component, or to the vertex itself ---- */

/* Narrows labels to 32 bits. An excluded vertex becomes its own parent. */
struct bi_ranks_forest_parents {
    const void *labels;
    bool is_64bit;
    uint32_t *parent;
};

BI_FN void bi_step_forest_parents(const struct bi_ranks_forest_parents *a, int64_t v)
{
    uint32_t label = (uint32_t)bi_word(a->labels, a->is_64bit, v);
    a->parent[v] = label == BI_FOREST_NONE ? (uint32_t)v : label;
}

/* Unites each vertex with its label on another rank. */
struct bi_ranks_forest_union_labels {
    const uint32_t *labels;
    uint32_t *parent;
};

BI_FN void bi_step_forest_union_labels(const struct bi_ranks_forest_union_labels *a, int64_t v)
{
    if (a->labels[v] != (uint32_t)v) bi_uf_union(a->parent, (uint32_t)v, a->labels[v]);
}

/* Unites the ends of each edge. */
struct bi_ranks_forest_union_edges {
    const struct bi_ranks_edge *edges;
    uint32_t *parent;
};

BI_FN void bi_step_forest_union_edges(const struct bi_ranks_forest_union_edges *a, int64_t i)
{
    bi_uf_union(a->parent, a->edges[i].a, a->edges[i].b);
}

/* ---- rounds ----
 *
 * Components are numbered from 0 in every round; in the first they are the vertices. A component's record is its
 * lightest edge: two words (rank << 32 | other component, id) if ranks have 32 bits, else three (rank, id, other
 * component). */

#define BI_RANKS_NO_EDGE UINT64_MAX /* the id in a record without an edge */

BI_FN int bi_ranks_record_words(bool is_64bit) { return is_64bit ? 3 : 2; }
BI_FN uint64_t bi_ranks_record_rank(const uint64_t *r, bool is_64bit) { return is_64bit ? r[0] : r[0] >> 32; }
BI_FN uint32_t bi_ranks_record_other(const uint64_t *r, bool is_64bit) { return (uint32_t)(is_64bit ? r[2] : r[0]); }

/* Returns record c. */
BI_FN const uint64_t *bi_ranks_record_at(const uint64_t *records, bool is_64bit, int64_t c)
{
    return records + c * bi_ranks_record_words(is_64bit);
}

/* A rank's edges in a round. */
struct bi_ranks_forest_edges {
    uint64_t *keys; /* rank << 32 | id - first; with ids: the ranks */
    uint64_t *ends; /* a << 32 | b */
    uint64_t *ids;  /* or NULL */
    uint64_t first;
};

/* Finds the least key at each component, then the least id among the edges with that key. */
struct bi_ranks_forest_choose {
    struct bi_ranks_forest_edges edges;
    uint64_t *best, *best_id;
};

/* Atomic minimum. The plain load first saves most of the atomics. */
BI_FN void bi_ranks_atomic_lower(uint64_t *to, uint64_t value)
{
    if (bi_atomic_load_u64(to) > value) bi_atomic_min_u64(to, value);
}

BI_FN void bi_step_forest_min_key(const struct bi_ranks_forest_choose *a, int64_t i)
{
    const uint64_t ends = a->edges.ends[i], key = a->edges.keys[i];
    if (ends >> 32 == (uint32_t)ends) return; /* within a component */
    bi_ranks_atomic_lower(&a->best[ends >> 32], key);
    bi_ranks_atomic_lower(&a->best[(uint32_t)ends], key);
}

BI_FN void bi_step_forest_min_id(const struct bi_ranks_forest_choose *a, int64_t i)
{
    const uint64_t ends = a->edges.ends[i], key = a->edges.keys[i], id = a->edges.ids[i];
    if (ends >> 32 == (uint32_t)ends) return;
    if (a->best[ends >> 32] == key) bi_ranks_atomic_lower(&a->best_id[ends >> 32], id);
    if (a->best[(uint32_t)ends] == key) bi_ranks_atomic_lower(&a->best_id[(uint32_t)ends], id);
}

/* Writes the chosen edges as records of their components. */
struct bi_ranks_forest_record {
    struct bi_ranks_forest_edges edges;
    const uint64_t *best, *best_id;
    bool is_64bit;
    uint64_t *records;
};

BI_FN void bi_ranks_forest_write_record(const struct bi_ranks_forest_record *a, int64_t i, uint32_t c, uint32_t other)
{
    const uint64_t key = a->edges.keys[i];
    const uint64_t id = a->edges.ids ? a->edges.ids[i] : a->edges.first + (uint32_t)key;
    const uint64_t rank = a->edges.ids ? key : key >> 32;
    uint64_t *r = a->records + (int64_t)c * bi_ranks_record_words(a->is_64bit);
    if (a->best[c] != key || (a->edges.ids && a->best_id[c] != id)) return;
    r[0] = a->is_64bit ? rank : rank << 32 | other;
    r[1] = id;
    if (a->is_64bit) r[2] = other;
}

BI_FN void bi_step_forest_write_records(const struct bi_ranks_forest_record *a, int64_t i)
{
    const uint32_t u = (uint32_t)(a->edges.ends[i] >> 32), v = (uint32_t)a->edges.ends[i];
    if (u == v) return;
    bi_ranks_forest_write_record(a, i, u, v);
    bi_ranks_forest_write_record(a, i, v, u);
}

/* Reduces the records of all ranks at each component that this rank reduces. `others`: the component at the other end
 * of the lightest edge, BI_FOREST_NONE without one; `is_own`: 1 on the rank of that edge, else 0. */
struct bi_ranks_forest_reduce {
    const uint64_t *const *records; /* by rank: its records of these components */
    uint32_t *const *others;        /* by rank: its results for these components */
    uint8_t *const *is_own;
    int32_t rank_count;
    bool is_64bit;
};

BI_FN void bi_step_forest_reduce(const struct bi_ranks_forest_reduce *a, int64_t i)
{
    const uint64_t *least = bi_ranks_record_at(a->records[0], a->is_64bit, i);
    uint64_t rank = bi_ranks_record_rank(least, a->is_64bit), id = least[1];
    int32_t from = 0;
    for (int32_t k = 1; k < a->rank_count; k++) { /* a record without an edge has the greatest rank and id */
        const uint64_t *r = bi_ranks_record_at(a->records[k], a->is_64bit, i);
        const uint64_t r_rank = bi_ranks_record_rank(r, a->is_64bit), r_id = r[1];
        if (r_rank > rank || (r_rank == rank && r_id >= id)) continue;
        least = r;
        rank = r_rank;
        id = r_id;
        from = k;
    }
    const uint32_t other = bi_ranks_record_other(least, a->is_64bit); /* of no edge: BI_FOREST_NONE */
    for (int32_t k = 0; k < a->rank_count; k++) {
        a->others[k][i] = other;
        a->is_own[k][i] = k == from;
    }
}

/* Links each component to the one at the other end of its edge. Two components at each other's ends have the same
 * edge; the smaller becomes a root. The rank of an edge lists it, from the component that is no root. A component
 * without an edge is a whole tree; if `is_unfinished`, it survives as a root, since it may find an edge later. */
struct bi_ranks_forest_join {
    const uint32_t *others;
    const uint8_t *is_own;
    uint32_t *parent;
    uint32_t *survives; /* 1 for roots, else 0 */
    uint8_t *listed;
    bool is_unfinished;
};

BI_FN void bi_step_forest_join(const struct bi_ranks_forest_join *a, int64_t c)
{
    const uint32_t other = a->others[c];
    const bool has_edge = other != BI_FOREST_NONE,
               survives = has_edge ? (uint32_t)c < other && a->others[other] == (uint32_t)c : a->is_unfinished;
    a->parent[c] = has_edge && !survives ? other : (uint32_t)c;
    a->survives[c] = survives;
    a->listed[c] = has_edge && !survives && a->is_own[c];
}

/* next[c] = the component's number in the next round. */
struct bi_ranks_forest_number {
    const uint32_t *others;
    uint32_t *parent;
    const uint32_t *root_counts; /* inclusive prefix sum of `survives` */
    uint32_t *next;              /* BI_FOREST_NONE for a whole tree */
    bool is_unfinished;          /* as in bi_ranks_forest_join */
};

BI_FN void bi_step_forest_number(const struct bi_ranks_forest_number *a, int64_t c)
{
    const bool is_whole = !a->is_unfinished && a->others[c] == BI_FOREST_NONE;
    a->next[c] = is_whole ? BI_FOREST_NONE : a->root_counts[bi_uf_find(a->parent, (uint32_t)c)] - 1;
}

/* Sets the ends of edges to the next round's numbers, and marks edges between different components. next NULL: the
 * numbers stay. is_kept may be NULL. An edge within a whole tree, both of whose ends are BI_FOREST_NONE, keeps them. */
struct bi_ranks_forest_relabel {
    const uint32_t *next;
    uint64_t *ends;
    uint8_t *is_kept;
};

BI_FN void bi_step_forest_relabel(const struct bi_ranks_forest_relabel *a, int64_t i)
{
    uint64_t u = a->ends[i] >> 32, v = (uint32_t)a->ends[i];
    if (a->next && u != BI_FOREST_NONE) {
        u = a->next[u];
        v = a->next[v];
        a->ends[i] = u << 32 | v;
    }
    if (a->is_kept) a->is_kept[i] = u != v;
}

/* ---- results of the rounds: records of edges ---- */

/* Marks the positions of a rank's list whose edges are in the forest. */
struct bi_ranks_forest_mark_own {
    const uint64_t *records;
    bool is_64bit;
    const struct bi_ranks_forest_word *words;
    uint64_t first, entries;
    uint8_t *chosen;
};

BI_FN void bi_step_forest_mark_own(const struct bi_ranks_forest_mark_own *a, int64_t i)
{
    const uint64_t entry = bi_ranks_record_at(a->records, a->is_64bit, i)[1] - a->first;
    if (entry < a->entries) a->chosen[bi_ranks_forest_position(a->words, entry)] = 1;
}

/* Writes the ids, and the weights' keys in their own size. */
struct bi_ranks_forest_list_weights {
    struct bi_msf_order order;
    const uint64_t *records;
    bool is_64bit, wide_keys; /* of the records; of the keys */
    uint64_t *ids;
    void *keys; /* may be NULL */
};

BI_FN void bi_step_forest_list_weights(const struct bi_ranks_forest_list_weights *a, int64_t i)
{
    const uint64_t *r = bi_ranks_record_at(a->records, a->is_64bit, i);
    a->ids[i] = r[1];
    if (a->keys) bi_set_word(a->keys, a->wide_keys, i, bi_msf_rank(&a->order, bi_ranks_record_rank(r, a->is_64bit)));
}

/* ---- the tree of rounds: its leaves are the vertices ---- */

/* Each round at least halves the components that have edges, fewer than 2^32; edges come in two parts. */
enum { BI_RANKS_FOREST_LEVELS = 66 };

struct bi_ranks_forest_tree {
    int64_t level_begin[BI_RANKS_FOREST_LEVELS]; /* offset of each round's components */
    const uint32_t *next;
    uint32_t *smallest; /* by root: the smallest vertex of its tree */
    uint32_t *labels;   /* by vertex */
};

/* Returns the root above vertex v. */
BI_FN int64_t bi_ranks_forest_root(const struct bi_ranks_forest_tree *a, int64_t v)
{
    int64_t at = v;
    for (int level = 1; a->next[at] != BI_FOREST_NONE; level++) at = a->level_begin[level] + a->next[at];
    return at;
}

BI_FN void bi_step_forest_min_vertex(const struct bi_ranks_forest_tree *a, int64_t v)
{
    uint32_t *smallest = &a->smallest[bi_ranks_forest_root(a, v)];
    if ((uint32_t)v < bi_atomic_load_u32(smallest)) bi_atomic_min_u32(smallest, (uint32_t)v);
}

BI_FN void bi_step_forest_label(const struct bi_ranks_forest_tree *a, int64_t v)
{
    a->labels[v] = a->smallest[bi_ranks_forest_root(a, v)];
}

/* The component now, after `end` rounds, of each component of round `begin`; BI_FOREST_NONE for a whole tree. */
struct bi_ranks_forest_current {
    struct bi_ranks_forest_tree tree;
    int32_t begin, end;
    const uint32_t *later; /* NULL, or the same of round begin + 1, which saves the path through the later rounds */
    uint32_t *out;
};

BI_FN void bi_step_forest_current(const struct bi_ranks_forest_current *a, int64_t c)
{
    uint32_t at = (uint32_t)c;
    for (int32_t k = a->begin; k < a->end && at != BI_FOREST_NONE; k++) {
        at = a->tree.next[a->tree.level_begin[k] + at];
        if (!a->later) continue;
        if (at != BI_FOREST_NONE) at = a->later[at];
        break;
    }
    a->out[c] = at;
}

/* Appends the round's nodes: the rank of the component's edge, and its number in the next round; UINT64_MAX for a
 * whole tree. */
struct bi_ranks_forest_append_nodes {
    const uint64_t *records;
    bool is_64bit;
    const uint32_t *next;
    uint64_t *nodes; /* rank << 32 | number */
};

BI_FN void bi_step_forest_append_nodes(const struct bi_ranks_forest_append_nodes *a, int64_t c)
{
    const uint64_t *r = bi_ranks_record_at(a->records, a->is_64bit, c);
    if (r[1] == BI_RANKS_NO_EDGE)
        a->nodes[c] = UINT64_MAX;
    else
        a->nodes[c] = bi_ranks_record_rank(r, a->is_64bit) << 32 | a->next[c];
}

#endif
