/* Trees of balls: a node splits its bodies at the middle of the longest axis of their centers' box. */
#include "planner/ball_tree.h"

#include "planner/steps/arc.h"

struct tree_builder {
    const double *balls;
    int64_t *order;
    struct bi_planner_node *nodes;
    int64_t count; /* of nodes so far */
};

/* Computes the box of the centers of bodies first to limit - 1 of the order; returns its longest axis. */
static int compute_box(const struct tree_builder *m, int64_t first, int64_t limit, double *low, double *high)
{
    int longest = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = m->balls[4 * m->order[first] + k];
        for (int64_t i = first + 1; i < limit; i++) {
            double x = m->balls[4 * m->order[i] + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
        if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
    }
    return longest;
}

/* Moves bodies whose center is below `middle` to the front; returns their number, or a half if all are on one side. */
static int64_t partition_bodies(const struct tree_builder *m, int64_t first, int64_t limit, int axis, double middle)
{
    int64_t below = first;
    for (int64_t i = first; i < limit; i++) {
        int64_t body = m->order[i];
        if (!(m->balls[4 * body + axis] < middle)) continue;
        m->order[i] = m->order[below];
        m->order[below++] = body;
    }
    return below == first || below == limit ? (limit - first) / 2 : below - first;
}

/* Builds the node of bodies first to limit - 1, and the nodes below it. */
static void build_node(struct tree_builder *m, int64_t first, int64_t limit)
{
    struct bi_planner_node *node = &m->nodes[m->count++];
    double low[3], high[3], *ball = node->ball;
    int axis = compute_box(m, first, limit, low, high);
    node->body = limit - first == 1 ? (int32_t)m->order[first] : -1;
    for (int k = 0; k < 3; k++) ball[k] = 0.5 * low[k] + 0.5 * high[k];
    ball[3] = node->widest = 0; /* radii are rounded up by 2^-40, more than their errors */
    for (int64_t i = first; i < limit; i++) {
        const double *of = m->balls + 4 * m->order[i];
        const double off[3] = {of[0] - ball[0], of[1] - ball[1], of[2] - ball[2]};
        double radius = (bi_planner_length(off) + of[3]) * (1 + 0x1p-40);
        ball[3] = radius > ball[3] ? radius : ball[3];
        node->widest = of[3] > node->widest ? of[3] : node->widest;
    }
    if (node->body >= 0) {
        for (int k = 0; k < 4; k++) ball[k] = m->balls[4 * m->order[first] + k];
    } else {
        int64_t below = partition_bodies(m, first, limit, axis, ball[axis]);
        build_node(m, first, first + below);
        build_node(m, first + below, limit);
    }
    node->skip = (int32_t)m->count;
}

void bi_planner_build_ball_tree(const double *balls, int64_t count, int64_t *order, struct bi_planner_node *nodes)
{
    struct tree_builder m = {balls, order, nodes, 0};
    for (int64_t i = 0; i < count; i++) order[i] = i;
    if (count > 0) build_node(&m, 0, count);
}
