/* Stores the bodies of a scene: convex hulls grown by a radius (a ball is a point with a radius), and a tree of balls
 * around those of the obstacle, by which most pairs of bodies are skipped at once. A node of the tree splits its bodies
 * at the middle of the longest axis of their centers' box. */
#include "planner/drivers.h"
#include "planner/steps/arc.h"

/* ---- the tree of balls ---- */

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

static void build_ball_tree(const double *balls, int64_t count, int64_t *order, struct bi_planner_node *nodes)
{
    struct tree_builder m = {balls, order, nodes, 0};
    for (int64_t i = 0; i < count; i++) order[i] = i;
    if (count > 0) build_node(&m, 0, count);
}

/* ---- bodies ---- */

/* A side under construction, on the host. */
struct side {
    double *points, *radii, *bounds, *reaches;
    int64_t *offsets;
    int64_t bodies, count, capacity;
};

static int64_t bodies_of(const bosc_plan_bodies *b) { return b->ball_count + b->triangle_count + b->polytope_count; }

/* Returns the number of points before equal ones are merged. */
static int64_t points_of(const bosc_plan_bodies *b)
{
    const int64_t facets = b->polytope_count > 0 ? b->polytope_offsets[b->polytope_count] : 0;
    return b->ball_count + 3 * b->triangle_count + (facets > 0 ? b->facet_offsets[facets] : 0);
}

static void add_point(struct side *side, const double *point)
{
    for (int64_t p = side->offsets[side->bodies]; p < side->count; p++) {
        const double *known = side->points + 3 * p;
        if (known[0] == point[0] && known[1] == point[1] && known[2] == point[2]) return;
    }
    for (int k = 0; k < 3; k++) side->points[3 * side->count + k] = point[k];
    side->count++;
}

/* Ends a body once its points are added: computes a ball around them, about the middle of their box, and the distance
 * of the farthest one from the origin. Both are rounded up by 2^-40, more than their errors. */
static void finish_body(struct side *side, double radius)
{
    int64_t body = side->bodies++, first = side->offsets[body];
    double *bound = side->bounds + 4 * body, reach = 0, most = 0;
    /* 1. The center: the middle of the box of its points. */
    for (int k = 0; k < 3; k++) {
        double low = side->points[3 * first + k], high = low;
        for (int64_t p = first; p < side->count; p++) {
            double x = side->points[3 * p + k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        bound[k] = 0.5 * low + 0.5 * high;
    }
    /* 2. The greatest distances from the origin and the center. */
    for (int64_t p = first; p < side->count; p++) {
        const double *x = side->points + 3 * p, off[3] = {x[0] - bound[0], x[1] - bound[1], x[2] - bound[2]};
        double far = bi_planner_length(x), beside = bi_planner_length(off);
        reach = far > reach ? far : reach;
        most = beside > most ? beside : most;
    }
    side->radii[body] = radius;
    bound[3] = (most + radius) * (1 + 0x1p-40);
    side->reaches[body] = (reach + radius) * (1 + 0x1p-40);
    side->offsets[side->bodies] = side->count;
}

static void add_polytope(struct side *side, const bosc_plan_bodies *b, int64_t p)
{
    for (int64_t f = b->polytope_offsets[p]; f < b->polytope_offsets[p + 1]; f++)
        for (int64_t v = b->facet_offsets[f]; v < b->facet_offsets[f + 1]; v++)
            add_point(side, b->vertices + 3 * b->facet_vertices[v]);
}

/* Adds balls, triangles and polytopes, in this order. */
static void add_bodies(struct side *side, const bosc_plan_bodies *b)
{
    side->offsets[0] = 0;
    for (int64_t i = 0; i < b->ball_count; i++) {
        add_point(side, b->balls + 4 * i);
        finish_body(side, b->balls[4 * i + 3]);
    }
    for (int64_t i = 0; i < b->triangle_count; i++) {
        for (int k = 0; k < 3; k++) add_point(side, b->vertices + 3 * b->triangles[3 * i + k]);
        finish_body(side, 0);
    }
    for (int64_t i = 0; i < b->polytope_count; i++) {
        add_polytope(side, b, i);
        finish_body(side, 0);
    }
}

/* Host memory: of a side under construction; of the obstacle's balls and their tree. */
static size_t side_bytes(int64_t bodies, int64_t points)
{
    return (size_t)(6 * bodies + 3 * points) * sizeof(double) + (size_t)(bodies + 1) * sizeof(int64_t);
}

static size_t node_bytes(int64_t bodies)
{
    return (size_t)bodies * 40 + (size_t)(2 * bodies - 1) * sizeof(struct bi_planner_node);
}

/* Copies a side to the backend's memory, in three blocks from `block` on. */
static bosc_status store_side(bosc_ctx *ctx, bosc_planner *planner, const struct side *side, int block,
                              struct bi_planner_bodies *to)
{
    const struct bi_backend *backend = ctx->backend;
    int64_t n = side->bodies;
    BI_TRY(bi_planner_reserve_block(ctx, planner, block, 3 * side->count, sizeof(double)));
    BI_TRY(bi_planner_reserve_block(ctx, planner, block + 1, n + 1, sizeof(int64_t)));
    BI_TRY(bi_planner_reserve_block(ctx, planner, block + 2, 6 * n, sizeof(double)));
    double *values = planner->blocks[block + 2].data;
    *to = (struct bi_planner_bodies){.points = planner->blocks[block].data,
                                     .offsets = planner->blocks[block + 1].data,
                                     .radii = values,
                                     .bounds = values ? values + n : NULL,
                                     .reaches = values ? values + 5 * n : NULL,
                                     .count = n};
    if (n == 0) return BOSC_OK;
    BI_TRY(backend->copy(ctx, planner->blocks[block].data, side->points, (size_t)side->count * 24));
    BI_TRY(backend->copy(ctx, planner->blocks[block + 1].data, side->offsets, (size_t)(n + 1) * 8));
    BI_TRY(backend->copy(ctx, values, side->radii, (size_t)n * 48)); /* with bounds and reaches, which follow */
    return backend->sync(ctx);
}

/* Converts a side on the host, and stores it. */
static bosc_status convert_side(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_bodies *b, int block,
                                struct bi_planner_bodies *to)
{
    const int64_t bodies = bodies_of(b), points = points_of(b);
    BI_TRY(bi_block_reserve(ctx, &planner->host, &planner->work, side_bytes(bodies, points)));
    double *memory = planner->work.data;
    struct side side = {.radii = memory,
                        .bounds = memory + bodies,
                        .reaches = memory + 5 * bodies,
                        .points = memory + 6 * bodies,
                        .offsets = (void *)(memory + 6 * bodies + 3 * points)};
    add_bodies(&side, b);
    return store_side(ctx, planner, &side, block, to);
}

/* Builds the tree of the obstacle's balls on the host. */
static bosc_status convert_nodes(bosc_ctx *ctx, bosc_planner *planner)
{
    const struct bi_planner_bodies *obstacle = &planner->scene.obstacle;
    int64_t n = obstacle->count, count = 2 * n - 1;
    planner->scene.nodes = NULL;
    planner->scene.node_count = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_planner_reserve_block(ctx, planner, BI_PLANNER_NODES, count, sizeof(struct bi_planner_node)));
    size_t ball_bytes = (size_t)n * 32, order_bytes = (size_t)n * 8;
    BI_TRY(bi_block_reserve(ctx, &planner->host, &planner->work, node_bytes(n)));
    char *memory = planner->work.data;
    double *balls = (double *)(void *)memory;
    struct bi_planner_node *nodes = (struct bi_planner_node *)(void *)(memory + ball_bytes + order_bytes);
    BI_TRY(ctx->backend->copy(ctx, balls, obstacle->bounds, ball_bytes));
    BI_TRY(ctx->backend->sync(ctx));
    build_ball_tree(balls, n, (int64_t *)(void *)(memory + ball_bytes), nodes);
    BI_TRY(ctx->backend->copy(ctx, planner->blocks[BI_PLANNER_NODES].data, nodes, (size_t)count * sizeof *nodes));
    BI_TRY(ctx->backend->sync(ctx));
    planner->scene.nodes = planner->blocks[BI_PLANNER_NODES].data;
    planner->scene.node_count = count;
    return BOSC_OK;
}

bosc_status bi_planner_store_bodies(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene)
{
    struct bi_planner_scene *to = &planner->scene;
    size_t bytes = (size_t)scene->form_count * 80;
    BI_TRY(convert_side(ctx, planner, &scene->robot, BI_PLANNER_ROBOT_POINTS, &to->robot));
    BI_TRY(convert_side(ctx, planner, &scene->obstacle, BI_PLANNER_OBSTACLE_POINTS, &to->obstacle));
    BI_TRY(convert_nodes(ctx, planner));
    BI_TRY(bi_planner_reserve_block(ctx, planner, BI_PLANNER_FORMS, scene->form_count, 80));
    to->forms = planner->blocks[BI_PLANNER_FORMS].data;
    to->form_count = scene->form_count;
    if (bytes > 0) BI_TRY(ctx->backend->copy(ctx, planner->blocks[BI_PLANNER_FORMS].data, scene->forms, bytes));
    return ctx->backend->sync(ctx);
}

static void size_side(const bosc_plan_bodies *b, int block, size_t bytes[BI_PLANNER_BLOCKS], size_t *work)
{
    const int64_t bodies = bodies_of(b), points = points_of(b);
    bytes[block] = (size_t)points * 3 * sizeof(double);
    bytes[block + 1] = (size_t)(bodies + 1) * sizeof(int64_t);
    bytes[block + 2] = (size_t)bodies * 6 * sizeof(double);
    if (side_bytes(bodies, points) > *work) *work = side_bytes(bodies, points);
}

void bi_planner_size_bodies(const bosc_plan_scene *scene, size_t bytes[BI_PLANNER_BLOCKS], size_t *work)
{
    const int64_t obstacles = bodies_of(&scene->obstacle);
    *work = 0;
    size_side(&scene->robot, BI_PLANNER_ROBOT_POINTS, bytes, work);
    size_side(&scene->obstacle, BI_PLANNER_OBSTACLE_POINTS, bytes, work);
    bytes[BI_PLANNER_FORMS] = (size_t)scene->form_count * 80;
    bytes[BI_PLANNER_NODES] = 0;
    if (obstacles == 0) return;
    bytes[BI_PLANNER_NODES] = (size_t)(2 * obstacles - 1) * sizeof(struct bi_planner_node);
    if (node_bytes(obstacles) > *work) *work = node_bytes(obstacles);
}
