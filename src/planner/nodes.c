/* Trees of balls: bodies are halved at the middle of their centers' box. */
#include "planner/nodes.h"

#include "planner/steps/arc.h"

struct maker {
    const double *balls;
    int64_t *order;
    struct bi_planner_node *nodes;
    int64_t count; /* of nodes that are there */
};

/* The box of the centers of bodies first to end - 1 of the order; returns the axis along which it is longest. */
static int box_of(const struct maker *m, int64_t first, int64_t end, double *low, double *high)
{
    int longest = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = m->balls[4 * m->order[first] + k];
        for (int64_t i = first + 1; i < end; i++) {
            double x = m->balls[4 * m->order[i] + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
        if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
    }
    return longest;
}

/* Bodies whose center is below `middle` come first; returns how many, or a half where all are on one side. */
static int64_t part(const struct maker *m, int64_t first, int64_t end, int axis, double middle)
{
    int64_t below = first;
    for (int64_t i = first; i < end; i++) {
        int64_t body = m->order[i];
        if (!(m->balls[4 * body + axis] < middle)) continue;
        m->order[i] = m->order[below];
        m->order[below++] = body;
    }
    return below == first || below == end ? (end - first) / 2 : below - first;
}

static void make(struct maker *m, int64_t first, int64_t end)
{
    struct bi_planner_node *node = &m->nodes[m->count++];
    double low[3], high[3], *ball = node->ball;
    int axis = box_of(m, first, end, low, high);
    node->body = end - first == 1 ? (int32_t)m->order[first] : -1;
    for (int k = 0; k < 3; k++) ball[k] = 0.5 * low[k] + 0.5 * high[k];
    ball[3] = node->widest = 0;
    for (int64_t i = first; i < end; i++) {
        const double *of = m->balls + 4 * m->order[i];
        const double off[3] = {of[0] - ball[0], of[1] - ball[1], of[2] - ball[2]};
        double radius = (bi_planner_length(off) + of[3]) * (1 + 0x1p-40);
        ball[3] = radius > ball[3] ? radius : ball[3];
        node->widest = of[3] > node->widest ? of[3] : node->widest;
    }
    if (node->body >= 0) {
        for (int k = 0; k < 4; k++) ball[k] = m->balls[4 * m->order[first] + k];
    } else {
        int64_t below = part(m, first, end, axis, ball[axis]);
        make(m, first, first + below);
        make(m, first + below, end);
    }
    node->skip = (int32_t)m->count;
}

void bi_planner_make_nodes(const double *balls, int64_t count, int64_t *order, struct bi_planner_node *nodes)
{
    struct maker m = {balls, order, nodes, 0};
    for (int64_t i = 0; i < count; i++) order[i] = i;
    if (count > 0) make(&m, 0, count);
}
