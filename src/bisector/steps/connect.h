/* Steps that find the neighbours of given leaves, and so check that they conform.
 *
 * All nodes of a level conform, bases to bases. The node across an edge within a level follows from the parent's edges,
 * so a descent from the root finds it. The leaf at that edge is this node; or a child of it, at edges 1 and 2; or its
 * parent, at the base. */
#ifndef BI_BISECTOR_STEPS_CONNECT_H
#define BI_BISECTOR_STEPS_CONNECT_H

#include "base/atomic.h"
#include "bisector/steps/node.h"

/* An edge of a node of the same level; node 0: the border. */
struct bi_bisector_edge {
    uint64_t node;
    uint32_t edge;
};

/* Item i: leaf i. */
struct bi_bisector_connect {
    struct bi_bisector_view view;
    uint32_t *neighbours; /* (leaves x 3) */
    int64_t *bad;         /* lowered to the first invalid leaf */
};

/* The child of a node that has its edge 1 or 2 as its base. */
BI_FN uint64_t bi_bisector_child_at(uint64_t node, uint32_t edge) { return 2 * node + (edge == 1); }

/* Replaces edge 1 or 2 of a node by the same edge as base of the child that has it. */
BI_FN struct bi_bisector_edge bi_bisector_base_of(struct bi_bisector_edge e)
{
    if (e.node) e.node = bi_bisector_child_at(e.node, e.edge);
    e.edge = 0;
    return e;
}

/* Replaces the edges across those of a node by the edges across those of a child: its base is the parent's edge 2 or 1,
 * the others are half of the parent's base and the edge to its sibling. */
BI_FN void bi_bisector_descend(uint64_t child, struct bi_bisector_edge edges[3])
{
    const struct bi_bisector_edge base = edges[0];
    struct bi_bisector_edge half = {0, 0};
    if (child & 1) {
        if (base.node) half = (struct bi_bisector_edge){2 * base.node, 1};
        edges[0] = bi_bisector_base_of(edges[1]);
        edges[1] = (struct bi_bisector_edge){child - 1, 2};
        edges[2] = half;
    } else {
        if (base.node) half = (struct bi_bisector_edge){2 * base.node + 1, 2};
        edges[0] = bi_bisector_base_of(edges[2]);
        edges[1] = half;
        edges[2] = (struct bi_bisector_edge){child + 1, 1};
    }
}

/* The edges across those of a node, within its level. */
BI_FN void bi_bisector_edges(const struct bi_bisector_view *v, uint64_t node, struct bi_bisector_edge edges[3])
{
    const int32_t level = bi_bisector_level(v, node);
    const int64_t root = bi_bisector_root(v, node);
    for (int e = 0; e < 3; e++) {
        const uint32_t glued = v->roots[3 * root + e];
        edges[e] = (struct bi_bisector_edge){0, 0};
        if (glued != BI_BISECTOR_BORDER)
            edges[e] = (struct bi_bisector_edge){((uint64_t)1 << v->root_bits) + (glued >> 2), glued & 3};
    }
    for (int32_t up = level - 1; up >= 0; up--) bi_bisector_descend(node >> up, edges); /* to the node, from its root */
}

/* No leaf conforms at an edge; 4 x leaf + 3, which is no edge of a leaf. */
#define BI_BISECTOR_NO_LEAF (UINT32_MAX - 4)

/* The edge (4 x leaf + edge) of the leaf at edge `side` of another one, whose edge within the level faces `e`;
 * BI_BISECTOR_NO_LEAF if no leaf conforms there. */
BI_FN uint32_t bi_bisector_neighbour_of(const struct bi_bisector_view *v, int side, struct bi_bisector_edge e)
{
    if (!e.node) return BI_BISECTOR_BORDER;
    int64_t leaf = bi_bisector_find_leaf(v, e.node);
    /* Not of this level: the parent across a base, the child with the edge as base across an edge 1 or 2. */
    if (leaf < 0 && side == 0 && bi_bisector_level(v, e.node) > 0) {
        leaf = bi_bisector_find_leaf(v, e.node >> 1);
        e.edge = e.node & 1 ? 1 : 2;
    } else if (leaf < 0 && side != 0) {
        leaf = bi_bisector_find_leaf(v, bi_bisector_child_at(e.node, e.edge));
        e.edge = 0;
    }
    return leaf < 0 ? BI_BISECTOR_NO_LEAF : (uint32_t)(4 * leaf) + e.edge;
}

/* Stores the edges across those of leaf i; reports the leaf if one of them has no leaf. */
BI_FN void bi_step_connect(const struct bi_bisector_connect *a, int64_t i)
{
    struct bi_bisector_edge edges[3];
    bi_bisector_edges(&a->view, a->view.nodes[i], edges);
    for (int e = 0; e < 3; e++) {
        const uint32_t edge = bi_bisector_neighbour_of(&a->view, e, edges[e]);
        if (edge == BI_BISECTOR_NO_LEAF) bi_atomic_min_i64(a->bad, i);
        a->neighbours[3 * i + e] = edge;
    }
}

/* Checks that each leaf is a node and begins where the previous one ends, and that the last one ends with the roots. */
BI_FN void bi_step_check(const struct bi_bisector_connect *a, int64_t i)
{
    const struct bi_bisector_view *v = &a->view;
    const uint64_t node = v->nodes[i], limit = (uint64_t)v->root_count << v->depth;
    bool ok = bi_bisector_is_node(v, node);
    if (ok && i > 0) {
        const uint64_t previous = v->nodes[i - 1];
        ok = !bi_bisector_is_node(v, previous) || /* reported for that leaf */
             bi_bisector_first_position(v, previous) + bi_bisector_position_count(v, previous) ==
                 bi_bisector_first_position(v, node);
    }
    if (ok && i == 0) ok = bi_bisector_first_position(v, node) == 0;
    if (ok && i == v->leaves - 1)
        ok = bi_bisector_first_position(v, node) + bi_bisector_position_count(v, node) == limit;
    if (!ok) bi_atomic_min_i64(a->bad, i);
}

/* Item i: node i of a level. */
struct bi_bisector_fill {
    uint64_t *nodes, first;
};

BI_FN void bi_step_fill(const struct bi_bisector_fill *a, int64_t i) { a->nodes[i] = a->first + (uint64_t)i; }

#endif
