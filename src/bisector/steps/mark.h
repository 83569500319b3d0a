/* Steps that record commands as marks of leaves.
 *
 * A split follows the bases, as newest-vertex bisection requires: from a leaf across its base to its mate, which is
 * split too, or to a coarser leaf. That one is split at its base, and so is its child with the crossed edge 1 or 2 as
 * base: a second mark. The walk ends at a leaf whose mark is set. Marks are only set, so they do not depend on the
 * order of threads. */
#ifndef BI_BISECTOR_STEPS_MARK_H
#define BI_BISECTOR_STEPS_MARK_H

#include "base/atomic.h"
#include "bisector/steps/node.h"

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

BI_FN void bi_step_mark(const struct bi_bisector_mark *a, int64_t i)
{
    const int command = a->commands ? a->commands[i] : (int)a->command;
    const int64_t leaf = a->commands ? i : bi_bisector_find_leaf(&a->view, a->nodes[i]);
    if (leaf < 0) return;
    if (command == BOSC_BISECTOR_SPLIT) bi_bisector_mark_split(a, leaf);
    if (command == BOSC_BISECTOR_MERGE) bi_bisector_mark_merge(a, leaf);
}

#endif
