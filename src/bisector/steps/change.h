/* Steps that apply marks: the number of leaves that each leaf becomes, then these leaves and their neighbours.
 *
 * A leaf (v0, v1, v2) with midpoint m of its base has the children c0 = (v2, v0, m) and c1 = (v1, v2, m). Edge 2 of a
 * leaf is the base of c0, edge 1 that of c1; the halves of its base are edge 1 of c0 and edge 2 of c1; and edge 2 of c0
 * is glued to edge 1 of c1. The same holds of the children's children. As edges are glued in opposite directions, the
 * first half of one is glued to the second half of the other. */
#ifndef BI_BISECTOR_STEPS_CHANGE_H
#define BI_BISECTOR_STEPS_CHANGE_H

#include "bisector/steps/mark.h"

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
    return 1 - (uint32_t)(a->view.nodes[leaf] & 1); /* the second child goes */
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

/* The new edge across a part of an edge. Glued edges run in opposite directions: the first half faces the second
 * one. */
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
    const uint32_t across = sides[1].across; /* edge 2 of a second child */
    bi_bisector_store_leaf(a, at, node >> 1, leaf, across == BI_BISECTOR_BORDER ? across : 4 * (sides[1].c0 - 1),
                           bi_bisector_new_edge(a, &right, BI_BISECTOR_WHOLE),
                           bi_bisector_new_edge(a, &sides[0], BI_BISECTOR_WHOLE));
}

/* Writes the first child, or its children if `twice`. second: the edge across its edge 2. */
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

/* Writes the second child, or its children if `twice`. first: the edge across its edge 1. */
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
    uint32_t *exchange, parity;       /* the pool's; the parity changes once the pass is launched */
};

#endif
