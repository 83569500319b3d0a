/* Steps of Boruvka's rounds over ranks whose components are distributed: each has an owner, which keeps its record.
 * Records have three words: the weight's rank, the edge's id, and component << 32 | other component. */
#ifndef BI_RANKS_STEPS_FOREST_SHARDED_H
#define BI_RANKS_STEPS_FOREST_SHARDED_H

#include "base/search.h"
#include "ranks/steps/forest.h"
#include "ranks/steps/exchange.h"

/* ---- compact ids: a rank's components, numbered in ascending order ---- */

/* By 64 components: a bit for each that an edge of this rank has, and the number of bits in earlier words. */
struct bi_ranks_sharded_compact {
    uint64_t *bits;
    int64_t *prefix;
    uint64_t *ends;       /* of edges: components, then their compact ids */
    uint32_t *components; /* by compact id: the component */
};

BI_FN void bi_step_sharded_mark_components(const struct bi_ranks_sharded_compact *a, int64_t i)
{
    const uint32_t u = (uint32_t)(a->ends[i] >> 32), v = (uint32_t)a->ends[i];
    bi_atomic_or_u64(&a->bits[u / 64], (uint64_t)1 << u % 64);
    bi_atomic_or_u64(&a->bits[v / 64], (uint64_t)1 << v % 64);
}

BI_FN void bi_step_sharded_count_bits(const struct bi_ranks_sharded_compact *a, int64_t w)
{
    a->prefix[w] = bi_popcount(a->bits[w]);
}

BI_FN uint64_t bi_ranks_sharded_compact_id(const struct bi_ranks_sharded_compact *a, uint32_t c)
{
    return (uint64_t)(a->prefix[c / 64] + bi_popcount(a->bits[c / 64] & (((uint64_t)1 << c % 64) - 1)));
}

BI_FN void bi_step_sharded_compact_ends(const struct bi_ranks_sharded_compact *a, int64_t i)
{
    const uint64_t ends = a->ends[i];
    a->ends[i] =
        bi_ranks_sharded_compact_id(a, (uint32_t)(ends >> 32)) << 32 | bi_ranks_sharded_compact_id(a, (uint32_t)ends);
}

BI_FN void bi_step_sharded_list_components(const struct bi_ranks_sharded_compact *a, int64_t w)
{
    int64_t at = a->prefix[w];
    for (uint64_t bits = a->bits[w]; bits; bits &= bits - 1)
        a->components[at++] = (uint32_t)(64 * w) + (uint32_t)bi_lowest_bit(bits);
}

/* ---- queries to owners of `each` consecutive components ---- */

struct bi_ranks_sharded_owners {
    const uint32_t *components; /* BI_FOREST_NONE: no query; sent to this rank itself */
    int64_t each;
    uint32_t rank;
    uint32_t *owners;
};

BI_FN void bi_step_sharded_owners(const struct bi_ranks_sharded_owners *a, int64_t i)
{
    a->owners[i] = a->components[i] == BI_FOREST_NONE ? a->rank : (uint32_t)(a->components[i] / a->each);
}

struct bi_ranks_sharded_lookup {
    const uint32_t *components;
    int64_t first; /* the owner's first component */
    const void *table;
    int64_t item_size;
    void *answers;
};

BI_FN void bi_step_sharded_lookup(const struct bi_ranks_sharded_lookup *a, int64_t i)
{
    if (a->components[i] == BI_FOREST_NONE) return;
    bi_ranks_copy((char *)a->answers + i * a->item_size,
                  (const char *)a->table + (a->components[i] - a->first) * a->item_size, a->item_size);
}

/* ---- the lightest edges ---- */

/* Turns records by compact id into candidates: records by component, which the owners compare. */
struct bi_ranks_sharded_candidates {
    const uint32_t *components;
    uint64_t *records;
    int64_t each;
    uint32_t *owners;
};

BI_FN void bi_step_sharded_candidates(const struct bi_ranks_sharded_candidates *a, int64_t c)
{
    uint64_t *other = &a->records[3 * c + 2];
    *other = (uint64_t)a->components[c] << 32 | a->components[*other];
    a->owners[c] = (uint32_t)(a->components[c] / a->each);
}

/* The lightest candidate of each component that this rank owns: the least rank, the least id among those, and the
 * record that has both. */
struct bi_ranks_sharded_min_record {
    const uint64_t *candidates;
    int64_t first;
    uint64_t *best, *best_id, *records;
};

BI_FN int64_t bi_ranks_sharded_component(const struct bi_ranks_sharded_min_record *a, int64_t i)
{
    return (int64_t)(a->candidates[3 * i + 2] >> 32) - a->first;
}

BI_FN void bi_step_sharded_min_rank(const struct bi_ranks_sharded_min_record *a, int64_t i)
{
    bi_ranks_atomic_lower(&a->best[bi_ranks_sharded_component(a, i)], a->candidates[3 * i]);
}

BI_FN void bi_step_sharded_min_id(const struct bi_ranks_sharded_min_record *a, int64_t i)
{
    const int64_t c = bi_ranks_sharded_component(a, i);
    if (a->best[c] == a->candidates[3 * i]) bi_ranks_atomic_lower(&a->best_id[c], a->candidates[3 * i + 1]);
}

BI_FN void bi_step_sharded_write_records(const struct bi_ranks_sharded_min_record *a, int64_t i)
{
    const int64_t c = bi_ranks_sharded_component(a, i);
    const uint64_t *r = a->candidates + 3 * i;
    if (a->best[c] != r[0] || a->best_id[c] != r[1]) return;
    for (int w = 0; w < 3; w++) a->records[3 * c + w] = r[w];
}

/* ---- contraction ---- */

/* Links each component to the one at the other end of its edge. Of two components with the same edge, the smaller
 * becomes a root, as in bi_ranks_forest_join. A component without an edge points to itself. `other_ids`: ids in the
 * records of the other ends. */
struct bi_ranks_sharded_link {
    const uint64_t *records, *other_ids;
    int64_t first;
    uint64_t *ids;        /* ids in the records */
    uint32_t *other_ends; /* BI_FOREST_NONE without an edge */
    uint32_t *parent;
    uint32_t *survives; /* 1 for roots, else 0 */
    uint8_t *listed;
};

BI_FN void bi_step_sharded_list_others(const struct bi_ranks_sharded_link *a, int64_t c)
{
    const uint64_t *r = a->records + 3 * c;
    a->ids[c] = r[1];
    a->other_ends[c] = r[1] == BI_RANKS_NO_EDGE ? BI_FOREST_NONE : (uint32_t)r[2];
}

BI_FN void bi_step_sharded_link(const struct bi_ranks_sharded_link *a, int64_t c)
{
    const uint32_t own = (uint32_t)(a->first + c), other = a->other_ends[c];
    const bool has_edge = other != BI_FOREST_NONE,
               survives = has_edge && own < other && a->other_ids[c] == a->records[3 * c + 1];
    a->parent[c] = has_edge && !survives ? other : own;
    a->survives[c] = survives;
    a->listed[c] = has_edge && !survives;
}

/* Pointer jumping. pointers[c]: the parent << 32 | the root's number, or BI_FOREST_NONE while it is unknown. A
 * component without that number queries its parent for the parent's pointer. */
struct bi_ranks_sharded_jump {
    int64_t first;
    const uint32_t *parent, *numbers; /* before the first jump; numbers: of the roots */
    uint64_t *pointers;
    uint32_t *targets; /* component to query; BI_FOREST_NONE once the number is known */
    const uint64_t *answers;
    uint8_t *is_unresolved;
    uint32_t *next; /* the result: root numbers; BI_FOREST_NONE for a whole tree */
};

BI_FN void bi_step_sharded_init_jumps(const struct bi_ranks_sharded_jump *a, int64_t c)
{
    a->pointers[c] = (uint64_t)a->parent[c] << 32 | a->numbers[c];
    a->targets[c] = a->parent[c] == (uint32_t)(a->first + c) ? BI_FOREST_NONE : a->parent[c];
}

BI_FN void bi_step_sharded_jump(const struct bi_ranks_sharded_jump *a, int64_t c)
{
    const bool is_query = a->targets[c] != BI_FOREST_NONE,
               is_unresolved = is_query && (uint32_t)a->answers[c] == BI_FOREST_NONE;
    if (is_query) a->pointers[c] = a->answers[c];
    a->targets[c] = is_unresolved ? (uint32_t)(a->pointers[c] >> 32) : BI_FOREST_NONE;
    a->is_unresolved[c] = is_unresolved;
}

BI_FN void bi_step_sharded_finish_jumps(const struct bi_ranks_sharded_jump *a, int64_t c)
{
    a->next[c] = (uint32_t)a->pointers[c];
}

/* Numbers the roots for the next round, from first_number on: the roots of lower ranks come first. */
struct bi_ranks_sharded_number_roots {
    const uint32_t *survives, *root_counts; /* root_counts: inclusive prefix sum of `survives` */
    int64_t first_number;
    uint32_t *numbers; /* BI_FOREST_NONE for non-roots */
};

BI_FN void bi_step_sharded_number_roots(const struct bi_ranks_sharded_number_roots *a, int64_t c)
{
    a->numbers[c] = a->survives[c] ? (uint32_t)(a->first_number + a->root_counts[c] - 1) : BI_FOREST_NONE;
}

/* ---- labels: the smallest vertex of each component, then of its tree ---- */

struct bi_ranks_sharded_labels {
    const uint32_t *next; /* BI_FOREST_NONE for whole trees */
    uint32_t *smallest;
    int64_t each; /* components of the next round by rank */
    uint32_t rank;
    uint64_t *items; /* the next round's component << 32 | the smallest vertex of one in it */
    uint32_t *owners;
    const uint32_t *answers;
};

BI_FN void bi_step_sharded_send_smallest(const struct bi_ranks_sharded_labels *a, int64_t c)
{
    const uint32_t next = a->next[c];
    a->items[c] = (uint64_t)next << 32 | a->smallest[c];
    a->owners[c] = next == BI_FOREST_NONE ? a->rank : (uint32_t)(next / a->each);
}

/* Down the tree: a component gets the label of its component in the next round; a whole tree keeps its own. */
BI_FN void bi_step_sharded_label(const struct bi_ranks_sharded_labels *a, int64_t c)
{
    if (a->next[c] != BI_FOREST_NONE) a->smallest[c] = a->answers[c];
}

struct bi_ranks_sharded_min_vertex {
    const uint64_t *items;
    int64_t first;
    uint32_t *smallest;
};

BI_FN void bi_step_sharded_min_vertex(const struct bi_ranks_sharded_min_vertex *a, int64_t i)
{
    const uint32_t next = (uint32_t)(a->items[i] >> 32);
    if (next != BI_FOREST_NONE) bi_atomic_min_u32(&a->smallest[next - a->first], (uint32_t)a->items[i]);
}

/* ---- the edges found ---- */

/* owners[i] = the rank whose entries include the edge of record i. */
struct bi_ranks_sharded_edge_owner {
    const uint64_t *records;
    const int64_t *entry_begins; /* (rank_count + 1): first entry of each rank */
    int64_t rank_count;
    uint32_t *owners;
};

BI_FN void bi_step_sharded_edge_owner(const struct bi_ranks_sharded_edge_owner *a, int64_t i)
{
    a->owners[i] =
        (uint32_t)(bi_upper_bound_i64(a->entry_begins, a->rank_count + 1, (int64_t)a->records[3 * i + 1]) - 1);
}

#endif
