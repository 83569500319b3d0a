/* Grows trees of certified steps, one from the start and one from the goal, until a step joins them.
 *
 * Each round draws rotations, and steps to each from the nearest node of either tree. A step that is not certified is
 * cut before the place where its proof failed, and tested again: so a tree grows as far as it can be proved to be free.
 * New nodes are then stepped to from the other tree. No constraint is evaluated and no cell is needed.
 * Source: Kuffner, LaValle, RRT-Connect: An Efficient Approach to Single-Query Path Planning (ICRA 2000). */
#include <string.h>

#include "planner/way.h"

enum {
    FEWEST = 4,        /* rotations of the first round, of which each of the next ones has twice as many */
    DRAWN = 32,        /* at most */
    STEPS = 2 * DRAWN, /* tested at once */
    CUTS = 5           /* times that a step is tested: each time it is shorter */
};

struct grown {
    struct bi_block rotations; /* (count x 4), of length 1 */
    struct bi_block parents;   /* (count) int64; -1: the root */
    int64_t count;
};

/* A step from a node of a tree. */
struct reach {
    double to[4];
    int64_t aim;  /* the node of the other tree that it goes to; -1: none */
    int64_t node; /* where it begins, and then the node that it made; -1: none */
    int tree;
    bool cut, done;
};

struct growth {
    struct grown trees[2];
    struct reach reaches[STEPS], answers[STEPS];
    double from[4 * STEPS], to[4 * STEPS];
    uint32_t places[STEPS];
    int drawn;
    int64_t joined[2]; /* nodes that are one rotation; -1: none */
};

static double *node_of(const struct grown *tree, int64_t i) { return (double *)tree->rotations.data + 4 * i; }

static bosc_status add_node(bosc_ctx *ctx, struct grown *tree, const double *q, int64_t parent, int64_t *node)
{
    size_t n = (size_t)tree->count;
    BI_TRY(bi_planner_grow(ctx, &tree->rotations, n * 32, (n + 1) * 32 < 8192 ? 8192 : (n + 1) * 32));
    BI_TRY(bi_planner_grow(ctx, &tree->parents, n * 8, (n + 1) * 8 < 2048 ? 2048 : (n + 1) * 8));
    memcpy(node_of(tree, tree->count), q, 32);
    ((int64_t *)tree->parents.data)[n] = parent;
    *node = tree->count++;
    return BOSC_OK;
}

static double dot_of(const double *p, const double *q)
{
    return (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]);
}

/* The node at the least angle from q; the first of equal ones. */
static int64_t nearest(const struct grown *tree, const double *q)
{
    int64_t best = 0;
    double most = -1;
    for (int64_t i = 0; i < tree->count; i++) {
        double dot = dot_of(node_of(tree, i), q);
        dot = dot < 0 ? -dot : dot;
        if (!(dot > most)) continue;
        most = dot;
        best = i;
    }
    return best;
}

/* A rotation anywhere, each part of SO(3) as likely as its size. */
static void draw(struct bi_planner_search *search, double *to)
{
    double q[4], length2;
    do {
        for (int k = 0; k < 4; k++) q[k] = 2 * bi_planner_unit(search) - 1;
        length2 = dot_of(q, q);
    } while (length2 > 1 || length2 < 0x1p-20);
    bi_planner_normal(q, to);
}

/* The end of a step moves before the place where the proof failed; false where nothing is left of it. */
static bool cut(const double *from, struct reach *r, uint32_t place)
{
    const double f = (double)place * (0x1p-20 * 0.875), sign = dot_of(from, r->to) < 0 ? -1 : 1;
    double q[4], off2 = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = from[k] + f * (sign * r->to[k] - from[k]);
        off2 += (q[k] - from[k]) * (q[k] - from[k]);
    }
    bi_planner_normal(q, r->to);
    r->cut = true;
    return off2 > 0x1p-16;
}

/* Nodes for those of n steps that can be certified, whole or cut. */
static bosc_status reach_out(bosc_ctx *ctx, struct bi_planner_search *search, struct growth *g, struct reach *reaches,
                             int n)
{
    for (int round = 0; round < CUTS; round++) {
        int which[STEPS], left = 0;
        for (int i = 0; i < n; i++) {
            if (reaches[i].done) continue;
            memcpy(g->from + 4 * left, node_of(&g->trees[reaches[i].tree], reaches[i].node), 32);
            memcpy(g->to + 4 * left, reaches[i].to, 32);
            which[left++] = i;
        }
        if (left == 0) break;
        BI_TRY(bi_planner_certify_host(ctx, search->planner, g->from, g->to, 4, left, g->places));
        search->info.tested += left;
        for (int j = 0; j < left; j++) {
            struct reach *r = &reaches[which[j]];
            struct grown *tree = &g->trees[r->tree];
            if (g->places[j] == UINT32_MAX) {
                BI_TRY(add_node(ctx, tree, r->to, r->node, &r->node));
                r->done = true;
            } else if (round == CUTS - 1 || !cut(node_of(tree, r->node), r, g->places[j])) {
                r->node = -1;
                r->done = true;
            }
        }
    }
    return BOSC_OK;
}

/* Steps from both trees to rotations that are drawn. */
static bosc_status explore(bosc_ctx *ctx, struct bi_planner_search *search, struct growth *g)
{
    for (int i = 0; i < g->drawn; i++) {
        double q[4];
        draw(search, q);
        for (int t = 0; t < 2; t++) {
            struct reach *r = &g->reaches[2 * i + t];
            *r = (struct reach){.aim = -1, .node = nearest(&g->trees[t], q), .tree = t};
            memcpy(r->to, q, 32);
        }
    }
    BI_TRY(reach_out(ctx, search, g, g->reaches, 2 * g->drawn));
    for (int i = 0; i < g->drawn && g->joined[0] < 0; i++) {
        const struct reach *r = &g->reaches[2 * i];
        if (r[0].node < 0 || r[1].node < 0 || r[0].cut || r[1].cut) continue;
        g->joined[0] = r[0].node;
        g->joined[1] = r[1].node;
    }
    return BOSC_OK;
}

/* Steps from each tree to what the other has got. */
static bosc_status answer(bosc_ctx *ctx, struct bi_planner_search *search, struct growth *g)
{
    int n = 0;
    for (int i = 0; i < 2 * g->drawn; i++) {
        const struct reach *r = &g->reaches[i];
        if (r->node < 0) continue;
        struct reach *a = &g->answers[n++];
        *a = (struct reach){.aim = r->node, .tree = 1 - r->tree};
        memcpy(a->to, r->to, 32);
        a->node = nearest(&g->trees[a->tree], a->to);
    }
    BI_TRY(reach_out(ctx, search, g, g->answers, n));
    for (int i = 0; i < n && g->joined[0] < 0; i++) {
        const struct reach *a = &g->answers[i];
        if (a->node < 0 || a->cut) continue;
        g->joined[a->tree] = a->node;
        g->joined[1 - a->tree] = a->aim;
    }
    return BOSC_OK;
}

/* From the start's root to where the trees meet, and on to the goal's. */
static bosc_status list_way(bosc_ctx *ctx, const struct bi_planner_search *search, const struct growth *g,
                            struct bi_planner_way *way)
{
    const struct grown *trees = g->trees;
    const int64_t *parents[2] = {trees[0].parents.data, trees[1].parents.data};
    struct bi_block chain = {0};
    int64_t n = 0;
    BI_TRY(bi_planner_grow(ctx, &chain, 0, (size_t)trees[0].count * 8));
    int64_t *nodes = chain.data;
    for (int64_t i = g->joined[0]; i > 0; i = parents[0][i]) nodes[n++] = i;
    bosc_status status = bi_planner_way_add(ctx, way, search->start, false);
    while (n > 0 && status == BOSC_OK) status = bi_planner_way_add(ctx, way, node_of(&trees[0], nodes[--n]), true);
    for (int64_t i = parents[1][g->joined[1]]; i > 0 && status == BOSC_OK; i = parents[1][i])
        status = bi_planner_way_add(ctx, way, node_of(&trees[1], i), true);
    if (status == BOSC_OK) status = bi_planner_way_add(ctx, way, search->goal, true);
    bi_block_free(&ctx->host, &chain);
    return status;
}

static bosc_status grow(bosc_ctx *ctx, struct bi_planner_search *search, struct growth *g, struct bi_planner_way *way)
{
    const double *ends[2] = {search->start, search->goal};
    const int64_t before = search->info.tested;
    int64_t root;
    for (int t = 0; t < 2; t++) {
        double q[4];
        bi_planner_normal(ends[t], q);
        BI_TRY(add_node(ctx, &g->trees[t], q, -1, &root));
    }
    while (g->joined[0] < 0 && search->info.tested - before < search->opts.max_tested) {
        BI_TRY(explore(ctx, search, g));
        if (g->joined[0] < 0) BI_TRY(answer(ctx, search, g));
        g->drawn = g->drawn < DRAWN ? 2 * g->drawn : DRAWN;
    }
    search->info.nodes = g->trees[0].count + g->trees[1].count;
    return g->joined[0] < 0 ? BOSC_OK : list_way(ctx, search, g, way);
}

bosc_status bi_planner_connect(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way)
{
    struct growth *g = bi_host_alloc(ctx, sizeof *g);
    if (!g) return BOSC_ERR_NOMEM;
    g->drawn = FEWEST;
    for (int t = 0; t < 2; t++) {
        g->trees[t] = (struct grown){.count = 0};
        g->joined[t] = -1;
    }
    bosc_status status = grow(ctx, search, g, way);
    for (int t = 0; t < 2; t++) {
        bi_block_free(&ctx->host, &g->trees[t].rotations);
        bi_block_free(&ctx->host, &g->trees[t].parents);
    }
    bi_memory_release(&ctx->host, g, sizeof *g);
    return status;
}
