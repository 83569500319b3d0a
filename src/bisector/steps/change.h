/* Steps that change a pool, in two phases: commands become marks of leaves; then each leaf counts the leaves that it
 * becomes, and writes them with their neighbours.
 *
 * Marks. A split follows the bases, as newest-vertex bisection requires: from a leaf across its base to its mate, which
 * is split too, or to a coarser leaf. That one is split at its base, and so is its child with the crossed edge 1 or 2
 * as base: a second mark. The walk ends at a leaf whose mark is set. Marks are only set, so they do not depend on the
 * order of threads.
 *
 * New leaves. A leaf (v0, v1, v2) with midpoint m of its base has the children c0 = (v2, v0, m) and c1 = (v1, v2, m).
 * Edge 2 of a leaf is the base of c0, edge 1 that of c1; the halves of its base are edge 1 of c0 and edge 2 of c1; and
 * edge 2 of c0 is glued to edge 1 of c1. The same holds of the children's children. As edges are glued in opposite
 * directions, the first half of one is glued to the second half of the other. */
#ifndef BI_BISECTOR_STEPS_CHANGE_H
#define BI_BISECTOR_STEPS_CHANGE_H

#include "base/atomic.h"
#include "bisector/steps/node.h"

/* ---- marks ---- */

enum {
    BI_BISECTOR_SPLITS = 1,  /* at its base */
    BI_BISECTOR_SPLITS1 = 2, /* and then the second child, at edge 1 */
    BI_BISECTOR_SPLITS2 = 4, /* and the first child, at edge 2 */
    BI_BISECTOR_MERGES = 8,  /* a merge of the leaves around its v2 is recorded */
    BI_BISECTOR_MERGED = 16  /* it is merged: set while leaves are counted */
};

/* Item i: the command of leaf i, or of nodes[i]. */
struct bi_bisector_mark {
    struct bi_bisector_view view;
    uint32_t *marks;         /* (leaves) */
    const uint8_t *commands; /* by leaf; NULL: `command`, for nodes */
    const uint64_t *nodes;
    bosc_bisector_command command;
};

/* The four leaves around v2 of `leaf`, the midpoint of its parent's base. True if all are of its level, so that they
 * may be merged. At the border there are two, which are repeated. */
BI_FN bool bi_bisector_diamond(const struct bi_bisector_view *v, int64_t leaf, int64_t diamond[4])
{
    const uint64_t node = v->nodes[leaf];
    if (bi_bisector_level(v, node) < 1) return false;
    const int odd = (int)(node & 1); /* the sibling is at edge 2 of c0, at edge 1 of c1 */
    const uint32_t within = v->neighbours[3 * leaf + (odd ? 1 : 2)];
    if ((within & 3) == 0) return false;
    diamond[0] = leaf - odd;
    diamond[1] = leaf - odd + 1;
    const uint32_t left = v->neighbours[3 * diamond[0] + 1], right = v->neighbours[3 * diamond[1] + 2];
    diamond[2] = left == BI_BISECTOR_BORDER ? diamond[0] : (int64_t)(left >> 2);
    diamond[3] = right == BI_BISECTOR_BORDER ? diamond[1] : (int64_t)(right >> 2);
    return (left == BI_BISECTOR_BORDER || (left & 3) != 0) && (right == BI_BISECTOR_BORDER || (right & 3) != 0);
}

/* Marks a leaf as split, and the leaves that must be split with it. Leaves of the deepest level cannot be split. */
BI_FN void bi_bisector_mark_split(const struct bi_bisector_mark *a, int64_t leaf)
{
    uint32_t mark = BI_BISECTOR_SPLITS, base = a->view.neighbours[3 * leaf];
    if (bi_bisector_level(&a->view, a->view.nodes[leaf]) == a->view.depth) return;
    while (!(bi_atomic_fetch_or_u32(&a->marks[leaf], mark) & BI_BISECTOR_SPLITS)) {
        if (base == BI_BISECTOR_BORDER) return;
        leaf = base >> 2;
        mark = BI_BISECTOR_SPLITS;
        if ((base & 3) == 1) mark |= BI_BISECTOR_SPLITS1;
        if ((base & 3) == 2) mark |= BI_BISECTOR_SPLITS2;
        base = a->view.neighbours[3 * leaf]; /* loaded beside the mark, so that both loads overlap */
    }
}

/* Marks all leaves that merge together, if they may: so counting reads marks of other leaves only for marked ones. */
BI_FN void bi_bisector_mark_merge(const struct bi_bisector_mark *a, int64_t leaf)
{
    int64_t diamond[4];
    if (!bi_bisector_diamond(&a->view, leaf, diamond)) return;
    for (int d = 0; d < 4; d++) bi_atomic_or_u32(&a->marks[diamond[d]], BI_BISECTOR_MERGES);
}

/* Records a command; other nodes than leaves are ignored. */
BI_FN void bi_step_mark(const struct bi_bisector_mark *a, int64_t i)
{
    const int command = a->commands ? a->commands[i] : (int)a->command;
    const int64_t leaf = a->commands ? i : bi_bisector_find_leaf(&a->view, a->nodes[i]);
    if (leaf < 0) return;
    if (command == BOSC_BISECTOR_SPLIT) bi_bisector_mark_split(a, leaf);
    if (command == BOSC_BISECTOR_MERGE) bi_bisector_mark_merge(a, leaf);
}

/* ---- new leaves ---- */

/* The part of an edge: all of it, or its first or second half. */
enum bi_bisector_part { BI_BISECTOR_FIRST = 0, BI_BISECTOR_SECOND = 1, BI_BISECTOR_WHOLE = 2 };

struct bi_bisector_change {
    struct bi_bisector_view view;
    uint32_t *marks;
    uint32_t *offsets;     /* (leaves + 1) number of leaves that each becomes, and 0; then their exclusive scan */
    const uint32_t *bases; /* NULL; or a number to add to the offsets of each 2^base_shift leaves */
    int32_t base_shift;
    uint64_t *nodes; /* of the new leaves */
    uint32_t *neighbours;
    int64_t *sources; /* (capacity) or NULL */
    int64_t capacity;
    bool new_sources_only; /* sources beyond the new leaves are not set */
};

/* True if a leaf marked for merging is merged: none of the leaves around its v2 is split. */
BI_FN bool bi_bisector_merges(const struct bi_bisector_change *a, int64_t leaf)
{
    int64_t diamond[4];
    uint32_t marks = 0;
    if (!bi_bisector_diamond(&a->view, leaf, diamond)) return false; /* unreached: such leaves are not marked */
    for (int d = 0; d < 4; d++) marks |= bi_atomic_load_u32(&a->marks[diamond[d]]);
    return !(marks & BI_BISECTOR_SPLITS);
}

/* The number of the first new leaf that a leaf becomes. */
BI_FN uint32_t bi_bisector_offset(const struct bi_bisector_change *a, int64_t leaf)
{
    return a->offsets[leaf] + (a->bases ? a->bases[leaf >> a->base_shift] : 0);
}

/* Number of leaves that a split leaf with this mark becomes. */
BI_FN uint32_t bi_bisector_split_count(uint32_t mark)
{
    return 2 + ((mark & BI_BISECTOR_SPLITS1) != 0) + ((mark & BI_BISECTOR_SPLITS2) != 0);
}

/* Number of leaves that a leaf becomes. Marks it as merged if it is. */
BI_FN uint32_t bi_bisector_count(const struct bi_bisector_change *a, int64_t leaf)
{
    const uint32_t mark = bi_atomic_load_u32(&a->marks[leaf]);
    if (mark & BI_BISECTOR_SPLITS) return bi_bisector_split_count(mark);
    if (!(mark & BI_BISECTOR_MERGES) || !bi_bisector_merges(a, leaf)) return 1;
    bi_atomic_or_u32(&a->marks[leaf], BI_BISECTOR_MERGED);
    return 1 - (uint32_t)(a->view.nodes[leaf] & 1); /* the first child becomes the parent, the second one nothing */
}

BI_FN void bi_step_count(const struct bi_bisector_change *a, int64_t leaf)
{
    a->offsets[leaf] = bi_bisector_count(a, leaf);
}

/* An edge of an old leaf: the edge across it (4 x leaf + edge), that leaf's mark, and its first new leaf. All sides of
 * a leaf are loaded before any is used, so that the loads overlap. */
struct bi_bisector_side {
    uint32_t across, mark, c0;
};

BI_FN struct bi_bisector_side bi_bisector_side_of(const struct bi_bisector_change *a, int64_t leaf, int e)
{
    struct bi_bisector_side s = {a->view.neighbours[3 * leaf + e], 0, 0};
    if (s.across == BI_BISECTOR_BORDER) return s;
    s.mark = a->marks[s.across >> 2];
    s.c0 = bi_bisector_offset(a, s.across >> 2);
    return s;
}

/* The new edge across a part of an edge. The leaf across becomes, in order: c0, or its two children if `twice2`; then
 * c1, or its two children if `twice1`. Edge 1 of a split child is the base of its second child, edge 2 that of its
 * first one. Glued edges run in opposite directions: our second half faces the `first` one of the edge across. */
BI_FN uint32_t bi_bisector_new_edge(const struct bi_bisector_change *a, const struct bi_bisector_side *s,
                                    enum bi_bisector_part part)
{
    if (s->across == BI_BISECTOR_BORDER) return BI_BISECTOR_BORDER;
    const uint32_t e = s->across & 3, c0 = s->c0, twice1 = (s->mark & BI_BISECTOR_SPLITS1) != 0,
                   twice2 = (s->mark & BI_BISECTOR_SPLITS2) != 0, c1 = c0 + 1 + twice2;
    const bool first = part == BI_BISECTOR_SECOND;
    if (!(s->mark & BI_BISECTOR_SPLITS)) {
        if (!(s->mark & BI_BISECTOR_MERGED)) return 4 * c0 + e;
        /* Only the base of a merged leaf faces other leaves. */
        return a->view.nodes[s->across >> 2] & 1 ? 4 * (c0 - 1) + 1 : 4 * c0 + 2;
    }
    /* Halves of the base across, then halves of its other edges, which are bases of split children; else a whole edge,
     * which is the base of an unsplit child. */
    if (e == 0 && first) return twice2 ? 4 * (c0 + 1) : 4 * c0 + 1;
    if (e == 0) return twice1 ? 4 * c1 : 4 * c1 + 2;
    if (e == 1 && twice1) return first ? 4 * c1 + 1 : 4 * (c1 + 1) + 2;
    if (e == 2 && twice2) return first ? 4 * c0 + 1 : 4 * (c0 + 1) + 2;
    return e == 1 ? 4 * c1 : 4 * c0;
}

/* Writes a new leaf: its node, the edges across, and its source. */
BI_FN void bi_bisector_store_leaf(const struct bi_bisector_change *a, uint32_t at, uint64_t node, int64_t source,
                                  uint32_t e0, uint32_t e1, uint32_t e2)
{
    a->nodes[at] = node;
    a->neighbours[3 * (int64_t)at] = e0;
    a->neighbours[3 * (int64_t)at + 1] = e1;
    a->neighbours[3 * (int64_t)at + 2] = e2;
    if (a->sources && at < a->capacity) a->sources[at] = source;
}

/* Writes the parent of two merged leaves, in place of the first child. The leaf across its base is merged as well. */
BI_FN void bi_bisector_store_parent(const struct bi_bisector_change *a, int64_t leaf, uint32_t at, uint64_t node,
                                    const struct bi_bisector_side sides[3])
{
    const struct bi_bisector_side right = bi_bisector_side_of(a, leaf + 1, 0);
    /* Half of the parent's base. Across it is edge 2 of a second child, which merges into the leaf before its c0. */
    const uint32_t across = sides[1].across;
    bi_bisector_store_leaf(a, at, node >> 1, leaf, across == BI_BISECTOR_BORDER ? across : 4 * (sides[1].c0 - 1),
                           bi_bisector_new_edge(a, &right, BI_BISECTOR_WHOLE),
                           bi_bisector_new_edge(a, &sides[0], BI_BISECTOR_WHOLE));
}

/* Writes the first child, or its children if `twice`. second: the new edge of the second child across its edge 2. */
BI_FN void bi_bisector_store_first(const struct bi_bisector_change *a, int64_t leaf, uint32_t at, uint64_t node,
                                   bool twice, const struct bi_bisector_side sides[3], uint32_t second)
{
    const uint32_t half = bi_bisector_new_edge(a, &sides[0], BI_BISECTOR_FIRST);
    if (!twice) {
        bi_bisector_store_leaf(a, at, node, leaf, bi_bisector_new_edge(a, &sides[2], BI_BISECTOR_WHOLE), half, second);
        return;
    }
    bi_bisector_store_leaf(a, at, 2 * node, leaf, second, bi_bisector_new_edge(a, &sides[2], BI_BISECTOR_FIRST),
                           4 * (at + 1) + 1);
    bi_bisector_store_leaf(a, at + 1, 2 * node + 1, leaf, half, 4 * at + 2,
                           bi_bisector_new_edge(a, &sides[2], BI_BISECTOR_SECOND));
}

/* Writes the second child, or its children if `twice`. first: the new edge of the first child across its edge 1. */
BI_FN void bi_bisector_store_second(const struct bi_bisector_change *a, int64_t leaf, uint32_t at, uint64_t node,
                                    bool twice, const struct bi_bisector_side sides[3], uint32_t first)
{
    const uint32_t half = bi_bisector_new_edge(a, &sides[0], BI_BISECTOR_SECOND);
    if (!twice) {
        bi_bisector_store_leaf(a, at, node, leaf, bi_bisector_new_edge(a, &sides[1], BI_BISECTOR_WHOLE), first, half);
        return;
    }
    bi_bisector_store_leaf(a, at, 2 * node, leaf, half, bi_bisector_new_edge(a, &sides[1], BI_BISECTOR_FIRST),
                           4 * (at + 1) + 1);
    bi_bisector_store_leaf(a, at + 1, 2 * node + 1, leaf, first, 4 * at + 2,
                           bi_bisector_new_edge(a, &sides[1], BI_BISECTOR_SECOND));
}

/* Writes the new leaves that a leaf becomes: two to four if it splits, itself, or the parent if it is a merged first
 * child. */
BI_FN void bi_step_write(const struct bi_bisector_change *a, int64_t leaf)
{
    const uint32_t mark = a->marks[leaf], c0 = bi_bisector_offset(a, leaf);
    const uint64_t node = a->view.nodes[leaf];
    const struct bi_bisector_side sides[3] = {bi_bisector_side_of(a, leaf, 0), bi_bisector_side_of(a, leaf, 1),
                                              bi_bisector_side_of(a, leaf, 2)};
    if (mark & BI_BISECTOR_SPLITS) {
        const uint32_t twice1 = (mark & BI_BISECTOR_SPLITS1) != 0, twice2 = (mark & BI_BISECTOR_SPLITS2) != 0;
        const uint32_t c1 = c0 + 1 + twice2;
        /* Edge 2 of the first child faces edge 1 of the second; they are bases of the children's children. */
        bi_bisector_store_first(a, leaf, c0, 2 * node, twice2, sides, twice1 ? 4 * (c1 + 1) : 4 * c1 + 1);
        bi_bisector_store_second(a, leaf, c1, 2 * node + 1, twice1, sides, twice2 ? 4 * c0 : 4 * c0 + 2);
    } else if (!(mark & BI_BISECTOR_MERGED)) {
        bi_bisector_store_leaf(a, c0, node, leaf, bi_bisector_new_edge(a, &sides[0], BI_BISECTOR_WHOLE),
                               bi_bisector_new_edge(a, &sides[1], BI_BISECTOR_WHOLE),
                               bi_bisector_new_edge(a, &sides[2], BI_BISECTOR_WHOLE));
    } else if (!(node & 1)) {
        bi_bisector_store_parent(a, leaf, c0, node, sides);
    }
}

/* The arguments of an update in one pass. */
struct bi_bisector_update {
    struct bi_bisector_mark mark;     /* by leaf */
    struct bi_bisector_change change; /* bases: NULL */
    int64_t command_count;            /* at most as many as leaves */
    int64_t next_capacity;            /* number of leaves for which the next arrays have room */
    bool marks_unset;                 /* the marks have to be cleared first */
    uint32_t *next_marks;             /* marks of the new leaves, cleared when these are written */
    uint32_t *exchange, parity;       /* the pool's: see struct bosc_bisectors */
};

#endif
