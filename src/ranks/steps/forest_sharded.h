/* Steps of Boruvka's rounds over ranks whose components are spread over the ranks: each has an owner, which has its
 * record. Records have three words here: the weight's rank, the edge's id, and component << 32 | other component. */
#ifndef BI_RANKS_STEPS_FOREST_SHARDED_H
#define BI_RANKS_STEPS_FOREST_SHARDED_H

#include "base/search.h"
#include "ranks/steps/forest_rounds.h"
#include "ranks/steps/route.h"

/* ---- a rank's names for the components that its edges have: their turns among these ---- */

/* By 64 components of all: which of them an edge has, and how many stand before them. */
struct bi_ranks_sharded_names {
    uint64_t *bits;
    int64_t *places;
    uint64_t *ends;  /* of edges: components of all; then their names */
    uint32_t *names; /* by name: the component of all */
};

BI_FN void bi_step_sharded_mark(const struct bi_ranks_sharded_names *a, int64_t i)
{
    const uint32_t u = (uint32_t)(a->ends[i] >> 32), v = (uint32_t)a->ends[i];
    bi_atomic_or_u64(&a->bits[u / 64], (uint64_t)1 << u % 64);
    bi_atomic_or_u64(&a->bits[v / 64], (uint64_t)1 << v % 64);
}

BI_FN void bi_step_sharded_count(const struct bi_ranks_sharded_names *a, int64_t w)
{
    a->places[w] = bi_popcount(a->bits[w]);
}

BI_FN uint64_t bi_ranks_sharded_name(const struct bi_ranks_sharded_names *a, uint32_t c)
{
    return (uint64_t)(a->places[c / 64] + bi_popcount(a->bits[c / 64] & (((uint64_t)1 << c % 64) - 1)));
}

BI_FN void bi_step_sharded_rename(const struct bi_ranks_sharded_names *a, int64_t i)
{
    const uint64_t ends = a->ends[i];
    a->ends[i] = bi_ranks_sharded_name(a, (uint32_t)(ends >> 32)) << 32 | bi_ranks_sharded_name(a, (uint32_t)ends);
}

BI_FN void bi_step_sharded_name(const struct bi_ranks_sharded_names *a, int64_t w)
{
    int64_t at = a->places[w];
    for (uint64_t bits = a->bits[w]; bits; bits &= bits - 1)
        a->names[at++] = (uint32_t)(64 * w) + (uint32_t)bi_lowest_bit(bits);
}

/* ---- questions to owners, who have `each` components, one after the other ---- */

struct bi_ranks_sharded_owners {
    const uint32_t *components; /* BI_FOREST_NONE: nothing is asked, of this rank */
    int64_t each;
    uint32_t rank;
    uint32_t *owners;
};

BI_FN void bi_step_sharded_owners(const struct bi_ranks_sharded_owners *a, int64_t i)
{
    a->owners[i] = a->components[i] == BI_FOREST_NONE ? a->rank : (uint32_t)(a->components[i] / a->each);
}

struct bi_ranks_sharded_look {
    const uint32_t *components;
    int64_t first; /* of the owner's */
    const void *table;
    int64_t item_size;
    void *answers;
};

BI_FN void bi_step_sharded_look(const struct bi_ranks_sharded_look *a, int64_t i)
{
    if (a->components[i] == BI_FOREST_NONE) return;
    bi_ranks_copy((char *)a->answers + i * a->item_size,
                  (const char *)a->table + (a->components[i] - a->first) * a->item_size, a->item_size);
}

/* ---- the lightest edges ---- */

/* A rank's records of its names become candidates: records by components of all, which their owners compare. */
struct bi_ranks_sharded_candidates {
    const uint32_t *names;
    uint64_t *records;
    int64_t each;
    uint32_t *owners;
};

BI_FN void bi_step_sharded_candidates(const struct bi_ranks_sharded_candidates *a, int64_t c)
{
    uint64_t *other = &a->records[3 * c + 2];
    *other = (uint64_t)a->names[c] << 32 | a->names[*other];
    a->owners[c] = (uint32_t)(a->names[c] / a->each);
}

/* The lightest of the candidates for each component that this rank owns: the least rank, the least id among those, and
 * the record that has both. */
struct bi_ranks_sharded_least {
    const uint64_t *candidates;
    int64_t first;
    uint64_t *best, *best_id, *records;
};

BI_FN int64_t bi_ranks_sharded_component(const struct bi_ranks_sharded_least *a, int64_t i)
{
    return (int64_t)(a->candidates[3 * i + 2] >> 32) - a->first;
}

BI_FN void bi_step_sharded_least(const struct bi_ranks_sharded_least *a, int64_t i)
{
    bi_ranks_forest_lower(&a->best[bi_ranks_sharded_component(a, i)], a->candidates[3 * i]);
}

BI_FN void bi_step_sharded_least_id(const struct bi_ranks_sharded_least *a, int64_t i)
{
    const int64_t c = bi_ranks_sharded_component(a, i);
    if (a->best[c] == a->candidates[3 * i]) bi_ranks_forest_lower(&a->best_id[c], a->candidates[3 * i + 1]);
}

BI_FN void bi_step_sharded_keep(const struct bi_ranks_sharded_least *a, int64_t i)
{
    const int64_t c = bi_ranks_sharded_component(a, i);
    const uint64_t *r = a->candidates + 3 * i;
    if (a->best[c] != r[0] || a->best_id[c] != r[1]) return;
    for (int w = 0; w < 3; w++) a->records[3 * c + w] = r[w];
}

/* ---- how components join ---- */

/* Each component points to the one at the other end of its edge, but for the smaller of two that have the same edge,
 * as in bi_ranks_forest_link; one without an edge points to itself. `other_ids` are those of the others' records. */
struct bi_ranks_sharded_link {
    const uint64_t *records, *other_ids;
    int64_t first;
    uint64_t *ids;    /* of the records */
    uint32_t *others; /* BI_FOREST_NONE without an edge */
    uint32_t *parent;
    uint32_t *stays; /* 1 or 0 */
    uint8_t *listed;
};

BI_FN void bi_step_sharded_others(const struct bi_ranks_sharded_link *a, int64_t c)
{
    const uint64_t *r = a->records + 3 * c;
    a->ids[c] = r[1];
    a->others[c] = r[1] == BI_RANKS_NO_EDGE ? BI_FOREST_NONE : (uint32_t)r[2];
}

BI_FN void bi_step_sharded_link(const struct bi_ranks_sharded_link *a, int64_t c)
{
    const uint32_t own = (uint32_t)(a->first + c), other = a->others[c];
    const bool has_edge = other != BI_FOREST_NONE,
               stays = has_edge && own < other && a->other_ids[c] == a->records[3 * c + 1];
    a->parent[c] = has_edge && !stays ? other : own;
    a->stays[c] = stays;
    a->listed[c] = has_edge && !stays;
}

/* Pointer jumping: a component that does not know its root's number asks its parent for its own way, which is the
 * parent, and in the lower half the root's number or BI_FOREST_NONE. */
struct bi_ranks_sharded_jump {
    int64_t first;
    const uint32_t *parent, *numbers; /* before the first jump; numbers: of those that stay */
    uint64_t *ways;
    uint32_t *asked; /* BI_FOREST_NONE when the number is known */
    const uint64_t *answers;
    uint8_t *moves;
    uint32_t *next; /* the numbers, in the end; BI_FOREST_NONE for a whole tree */
};

BI_FN void bi_step_sharded_begin_jumps(const struct bi_ranks_sharded_jump *a, int64_t c)
{
    a->ways[c] = (uint64_t)a->parent[c] << 32 | a->numbers[c];
    a->asked[c] = a->parent[c] == (uint32_t)(a->first + c) ? BI_FOREST_NONE : a->parent[c];
}

BI_FN void bi_step_sharded_jump(const struct bi_ranks_sharded_jump *a, int64_t c)
{
    const bool asks = a->asked[c] != BI_FOREST_NONE, moves = asks && (uint32_t)a->answers[c] == BI_FOREST_NONE;
    if (asks) a->ways[c] = a->answers[c];
    a->asked[c] = moves ? (uint32_t)(a->ways[c] >> 32) : BI_FOREST_NONE;
    a->moves[c] = moves;
}

BI_FN void bi_step_sharded_end_jumps(const struct bi_ranks_sharded_jump *a, int64_t c)
{
    a->next[c] = (uint32_t)a->ways[c];
}

/* The numbers in the next round of those that stay, of which `before` are other ranks'. */
struct bi_ranks_sharded_numbers {
    const uint32_t *stays, *counted; /* counted: of those that stay up to this one */
    int64_t before;
    uint32_t *numbers; /* BI_FOREST_NONE: of none, and of whole trees */
};

BI_FN void bi_step_sharded_numbers(const struct bi_ranks_sharded_numbers *a, int64_t c)
{
    a->numbers[c] = a->stays[c] ? (uint32_t)(a->before + a->counted[c] - 1) : BI_FOREST_NONE;
}

/* ---- labels: the smallest vertex of each component, then of its tree ---- */

struct bi_ranks_sharded_labels {
    const uint32_t *next; /* BI_FOREST_NONE: of whole trees */
    uint32_t *smallest;
    int64_t each; /* of the next round's components */
    uint32_t rank;
    uint64_t *items; /* the component of the next round and the smallest vertex of one in it */
    uint32_t *owners;
    const uint32_t *answers;
};

BI_FN void bi_step_sharded_send_smallest(const struct bi_ranks_sharded_labels *a, int64_t c)
{
    const uint32_t next = a->next[c];
    a->items[c] = (uint64_t)next << 32 | a->smallest[c];
    a->owners[c] = next == BI_FOREST_NONE ? a->rank : (uint32_t)(next / a->each);
}

/* Down the tree: the label of the next round's component, or that which a whole tree has. */
BI_FN void bi_step_sharded_label(const struct bi_ranks_sharded_labels *a, int64_t c)
{
    if (a->next[c] != BI_FOREST_NONE) a->smallest[c] = a->answers[c];
}

struct bi_ranks_sharded_smallest {
    const uint64_t *items;
    int64_t first;
    uint32_t *smallest;
};

BI_FN void bi_step_sharded_smallest(const struct bi_ranks_sharded_smallest *a, int64_t i)
{
    const uint32_t next = (uint32_t)(a->items[i] >> 32);
    if (next != BI_FOREST_NONE) bi_atomic_min_u32(&a->smallest[next - a->first], (uint32_t)a->items[i]);
}

struct bi_ranks_sharded_vertices {
    int64_t first;
    uint32_t *out;
};

BI_FN void bi_step_sharded_vertices(const struct bi_ranks_sharded_vertices *a, int64_t v)
{
    a->out[v] = (uint32_t)(a->first + v);
}

/* ---- the edges found ---- */

/* The rank that has the entry of a record's edge. */
struct bi_ranks_sharded_home {
    const uint64_t *records;
    const int64_t *firsts; /* (rank_count + 1): of each rank's entries */
    int64_t rank_count;
    uint32_t *owners;
};

BI_FN void bi_step_sharded_home(const struct bi_ranks_sharded_home *a, int64_t i)
{
    a->owners[i] = (uint32_t)(bi_upper_bound_i64(a->firsts, a->rank_count + 1, (int64_t)a->records[3 * i + 1]) - 1);
}

#endif
