/* RRT-Connect on certified steps: grows one tree from the start and one from the goal until a step connects them.
 *
 * Each round samples rotations and extends both trees by steps from their nearest nodes to each sample. A step that is
 * not certified is cut before the failure of its proof and tested again, so trees grow as far as steps are proved free.
 * Then each tree is extended to the new nodes of the other one. Neither constraints nor cells are used.
 * Source: Kuffner, LaValle, RRT-Connect: An Efficient Approach to Single-Query Path Planning (ICRA 2000). */
#include <string.h>

#include "planner/route_search.h"

enum {
    MIN_SAMPLES = 4,         /* samples of the first round, doubled in each round */
    MAX_SAMPLES = 32,        /* samples of a round at most. The trees try to connect once a round */
    STEPS = 2 * MAX_SAMPLES, /* tested at once */
    CUTS = 5                 /* tests of a step, each time shorter. These numbers are not measured */
};

struct rrt {
    struct bi_block rotations; /* (count x 4), of length 1 */
    struct bi_block parents;   /* (count) int64; -1: the root */
    int64_t count;
};

/* The extension of a tree by a step from one of its nodes. */
struct extension {
    double to[4];
    int64_t target; /* node of the other tree at its end; -1: a sample */
    int64_t node;   /* its first node, then the node that it added; -1: none */
    int tree;
    bool was_cut, done;
};

struct rrt_pair {
    struct rrt trees[2];
    struct extension extensions[STEPS], replies[STEPS];
    double from[4 * STEPS], to[4 * STEPS];
    uint32_t failures[STEPS];
    int samples;
    int64_t connected[2]; /* nodes of both trees with the same rotation; -1: none */
};

static double *node_of(const struct rrt *tree, int64_t i) { return (double *)tree->rotations.data + 4 * i; }

static bosc_status add_node(bosc_ctx *ctx, struct rrt *tree, const double *q, int64_t parent, int64_t *node)
{
    size_t n = (size_t)tree->count;
    BI_TRY(bi_planner_grow_block(ctx, &tree->rotations, n * 32, (n + 1) * 32 < 8192 ? 8192 : (n + 1) * 32));
    BI_TRY(bi_planner_grow_block(ctx, &tree->parents, n * 8, (n + 1) * 8 < 2048 ? 2048 : (n + 1) * 8));
    memcpy(node_of(tree, tree->count), q, 32);
    ((int64_t *)tree->parents.data)[n] = parent;
    *node = tree->count++;
    return BOSC_OK;
}

/* Returns the node at the least angle from q, the first of equals. */
static int64_t find_nearest(const struct rrt *tree, const double *q)
{
    int64_t best = 0;
    double most = -1;
    for (int64_t i = 0; i < tree->count; i++) {
        double dot = bi_planner_dot4(node_of(tree, i), q);
        dot = dot < 0 ? -dot : dot;
        if (!(dot > most)) continue;
        most = dot;
        best = i;
    }
    return best;
}

/* Cuts a step at 7/8 of the way to its failure, so that it ends short of the contact; false if less than 2^-8 remains.
 * Other shares are not measured. */
static bool cut_step(const double *from, struct extension *r, uint32_t failure)
{
    const double f = (double)failure * (0x1p-20 * 0.875), sign = bi_planner_dot4(from, r->to) < 0 ? -1 : 1;
    double q[4], off2 = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = from[k] + f * (sign * r->to[k] - from[k]);
        off2 += (q[k] - from[k]) * (q[k] - from[k]);
    }
    bi_planner_normalize(q, r->to);
    r->was_cut = true;
    return off2 > 0x1p-16;
}

/* Adds a node for each of n steps that can be certified, whole or cut. On entry `node` of an extension is where its
 * step starts; on return the new node, or -1 if none was added. `to` is where the new node lies. n <= STEPS. */
static bosc_status extend_trees(bosc_ctx *ctx, struct bi_planner_search *search, struct rrt_pair *g,
                                struct extension *extensions, int n)
{
    for (int round = 0; round < CUTS; round++) {
        /* 1. Test the remaining steps. */
        int which[STEPS], left = 0;
        for (int i = 0; i < n; i++) {
            if (extensions[i].done) continue;
            memcpy(g->from + 4 * left, node_of(&g->trees[extensions[i].tree], extensions[i].node), 32);
            memcpy(g->to + 4 * left, extensions[i].to, 32);
            which[left++] = i;
        }
        if (left == 0) break;
        BI_TRY(bi_planner_certify_host(ctx, search->planner, g->from, g->to, 4, left, g->failures));
        search->info.tested += left;
        /* 2. Add nodes for certified steps; cut the others, or drop them in the last round. */
        for (int j = 0; j < left; j++) {
            struct extension *r = &extensions[which[j]];
            struct rrt *tree = &g->trees[r->tree];
            if (g->failures[j] == UINT32_MAX) {
                BI_TRY(add_node(ctx, tree, r->to, r->node, &r->node));
                r->done = true;
            } else if (round == CUTS - 1 || !cut_step(node_of(tree, r->node), r, g->failures[j])) {
                r->node = -1;
                r->done = true;
            }
        }
    }
    return BOSC_OK;
}

/* Extends both trees to random rotations; one that both reach uncut connects them. */
static bosc_status extend_to_samples(bosc_ctx *ctx, struct bi_planner_search *search, struct rrt_pair *g)
{
    for (int i = 0; i < g->samples; i++) {
        double q[4];
        bi_planner_sample_rotation(search, q);
        for (int t = 0; t < 2; t++) {
            struct extension *r = &g->extensions[2 * i + t];
            *r = (struct extension){.target = -1, .node = find_nearest(&g->trees[t], q), .tree = t};
            memcpy(r->to, q, 32);
        }
    }
    BI_TRY(extend_trees(ctx, search, g, g->extensions, 2 * g->samples));
    for (int i = 0; i < g->samples && g->connected[0] < 0; i++) {
        const struct extension *r = &g->extensions[2 * i];
        if (r[0].node < 0 || r[1].node < 0 || r[0].was_cut || r[1].was_cut) continue;
        g->connected[0] = r[0].node;
        g->connected[1] = r[1].node;
    }
    return BOSC_OK;
}

/* Extends each tree to the new nodes of the other; a node that is reached uncut connects them. */
static bosc_status extend_to_other_tree(bosc_ctx *ctx, struct bi_planner_search *search, struct rrt_pair *g)
{
    int n = 0;
    for (int i = 0; i < 2 * g->samples; i++) {
        const struct extension *r = &g->extensions[i];
        if (r->node < 0) continue;
        struct extension *a = &g->replies[n++];
        *a = (struct extension){.target = r->node, .tree = 1 - r->tree};
        memcpy(a->to, r->to, 32);
        a->node = find_nearest(&g->trees[a->tree], a->to);
    }
    BI_TRY(extend_trees(ctx, search, g, g->replies, n));
    for (int i = 0; i < n && g->connected[0] < 0; i++) {
        const struct extension *a = &g->replies[i];
        if (a->node < 0 || a->was_cut) continue;
        g->connected[a->tree] = a->node;
        g->connected[1 - a->tree] = a->target;
    }
    return BOSC_OK;
}

/* Lists the path from the start's root to the connection, and on to the goal's root. Roots, nodes 0, are written as the
 * caller's start and goal. */
static bosc_status list_path(bosc_ctx *ctx, const struct bi_planner_search *search, const struct rrt_pair *g,
                             struct bi_planner_path *path)
{
    const struct rrt *trees = g->trees;
    const int64_t *parents[2] = {trees[0].parents.data, trees[1].parents.data};
    struct bi_block chain = {0};
    int64_t n = 0;
    BI_TRY(bi_planner_grow_block(ctx, &chain, 0, (size_t)trees[0].count * 8));
    int64_t *nodes = chain.data;
    for (int64_t i = g->connected[0]; i > 0; i = parents[0][i]) nodes[n++] = i;
    bosc_status status = bi_planner_path_add(ctx, path, search->start, false);
    while (n > 0 && status == BOSC_OK) status = bi_planner_path_add(ctx, path, node_of(&trees[0], nodes[--n]), true);
    for (int64_t i = parents[1][g->connected[1]]; i > 0 && status == BOSC_OK; i = parents[1][i])
        status = bi_planner_path_add(ctx, path, node_of(&trees[1], i), true);
    if (status == BOSC_OK) status = bi_planner_path_add(ctx, path, search->goal, true);
    bi_block_free(&ctx->host, &chain);
    return status;
}

/* Grows both trees by rounds until they connect or the budget of tests is spent; then lists the path. */
static bosc_status grow_trees(bosc_ctx *ctx, struct bi_planner_search *search, struct rrt_pair *g,
                              struct bi_planner_path *path)
{
    const double *ends[2] = {search->start, search->goal};
    const int64_t before = search->info.tested;
    int64_t root;
    for (int t = 0; t < 2; t++) {
        double q[4];
        bi_planner_normalize(ends[t], q);
        BI_TRY(add_node(ctx, &g->trees[t], q, -1, &root));
    }
    while (g->connected[0] < 0 && search->info.tested - before < search->opts.max_tested) {
        BI_TRY(extend_to_samples(ctx, search, g));
        if (g->connected[0] < 0) BI_TRY(extend_to_other_tree(ctx, search, g));
        g->samples = g->samples < MAX_SAMPLES ? 2 * g->samples : MAX_SAMPLES;
    }
    search->info.nodes = g->trees[0].count + g->trees[1].count;
    return g->connected[0] < 0 ? BOSC_OK : list_path(ctx, search, g, path);
}

bosc_status bi_planner_rrt_connect(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    struct rrt_pair *g = bi_host_alloc(ctx, sizeof *g);
    if (!g) return BOSC_ERR_NOMEM;
    g->samples = MIN_SAMPLES;
    for (int t = 0; t < 2; t++) {
        g->trees[t] = (struct rrt){.count = 0};
        g->connected[t] = -1;
    }
    bosc_status status = grow_trees(ctx, search, g, path);
    for (int t = 0; t < 2; t++) {
        bi_block_free(&ctx->host, &g->trees[t].rotations);
        bi_block_free(&ctx->host, &g->trees[t].parents);
    }
    bi_memory_release(&ctx->host, g, sizeof *g);
    return status;
}
