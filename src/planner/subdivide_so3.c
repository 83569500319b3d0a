/* Subdivides SO(3) level by level into boxes proved free, proved forbidden (in collision everywhere), or mixed, until
 * free boxes connect start and goal or forbidden boxes separate them.
 *
 * Bodies are closed, so the free rotations are an open set, and a path can be moved off edges and corners of boxes: it
 * crosses faces and avoids forbidden boxes. So if start and goal are in different components of the other boxes, no
 * path exists. Only mixed boxes of the start's component need to be subdivided.
 * Source of subdividing mixed boxes: Zhu, Latombe, New Heuristic Algorithms for Efficient Hierarchical Path Planning
 * (1991). */
#include <string.h>

#include "base/union_find.h"
#include "planner/route_search.h"
#include "planner/tree.h"

/* Two leaves that share a face: the whole face of `from` where coordinate p is least (side -1) or greatest (1). */
struct border {
    int64_t from, to;
    int32_t p, side;
};

struct subdivision {
    struct bi_planner_tree tree;
    struct bi_block parents; /* (nodes) uint32: components of free and mixed leaves */
    struct bi_block borders; /* of free leaves */
    int64_t border_count;
    int64_t start[BI_PLANNER_NEAR_LEAVES], goal[BI_PLANNER_NEAR_LEAVES];
};

static void free_subdivision(bosc_ctx *ctx, struct subdivision *d)
{
    bi_planner_tree_free(ctx, &d->tree);
    bi_block_free(&ctx->host, &d->parents);
    bi_block_free(&ctx->host, &d->borders);
}

/* Classifies the boxes from `first` on. */
static bosc_status test_boxes(bosc_ctx *ctx, const struct bi_planner_search *search, struct bi_planner_tree *tree,
                              int64_t first, uint8_t *states)
{
    int64_t n = tree->count - first;
    struct bi_planner_boxes args = {.scene = search->planner->scene};
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, bi_planner_tree_boxes(tree) + first, (size_t)n * sizeof(struct bi_planner_box),
                       (const void **)&args.boxes, &staged));
    BI_TRY(bi_scratch_of(ctx, n, 1, &args.states));
    BI_TRY_WITH_COST(ctx, bi_planner_body_cost(search->planner), BI_PLANNER_STEP(ctx, planner_classify_box, n, &args));
    BI_TRY(ctx->backend->copy(ctx, states, args.states, (size_t)n));
    return ctx->backend->sync(ctx);
}

/* Classifies the boxes from `first` on, and counts them. */
static bosc_status set_states(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_tree *tree,
                              int64_t first)
{
    int64_t n = tree->count - first;
    struct bi_block states = {0};
    BI_TRY(bi_planner_grow_block(ctx, &states, 0, (size_t)n));
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = test_boxes(ctx, search, tree, first, states.data));
    for (int64_t i = 0; i < n && status == BOSC_OK; i++) {
        uint8_t state = ((uint8_t *)states.data)[i];
        bi_planner_tree_boxes(tree)[first + i].state = state;
        search->info.free_boxes += state == BI_PLANNER_FREE;
        search->info.forbidden_boxes += state == BI_PLANNER_FORBIDDEN;
    }
    search->info.boxes = tree->count;
    bi_block_free(&ctx->host, &states);
    return status;
}

/* True if a node is a leaf that is free or, unless free_only, mixed. */
static bool is_open(const struct bi_planner_tree *tree, int64_t node, bool free_only)
{
    uint8_t state = bi_planner_tree_boxes(tree)[node].state;
    return bi_planner_tree_is_leaf(tree, node) &&
           (free_only ? state == BI_PLANNER_FREE : state != BI_PLANNER_FORBIDDEN);
}

static bosc_status add_border(bosc_ctx *ctx, struct subdivision *d, struct border border)
{
    size_t n = (size_t)d->border_count;
    BI_TRY(bi_planner_grow_block(ctx, &d->borders, n * sizeof border, (n + 1) * sizeof border));
    ((struct border *)d->borders.data)[n] = border;
    d->border_count++;
    return BOSC_OK;
}

/* Computes the components of open leaves. Two leaves that share a face are found from the smaller one. */
static bosc_status connect_leaves(bosc_ctx *ctx, struct subdivision *d, bool free_only)
{
    const struct bi_planner_tree *tree = &d->tree;
    BI_TRY(bi_planner_grow_block(ctx, &d->parents, 0, (size_t)tree->count * 4));
    uint32_t *parents = d->parents.data;
    d->border_count = 0;
    for (int64_t i = 0; i < tree->count; i++) parents[i] = (uint32_t)i;
    for (int64_t i = 0; i < tree->count; i++)
        for (int side = 0; side < 6 && is_open(tree, i, free_only); side++) {
            int p = side / 2, direction = side % 2 ? 1 : -1;
            struct bi_planner_box beside = bi_planner_tree_neighbour(&bi_planner_tree_boxes(tree)[i], p, direction);
            int64_t other = bi_planner_tree_find(tree, &beside);
            if (!is_open(tree, other, free_only)) continue;
            bi_uf_union(parents, (uint32_t)i, (uint32_t)other);
            if (free_only) BI_TRY(add_border(ctx, d, (struct border){i, other, p, direction}));
        }
    return BOSC_OK;
}

/* True if a leaf of the start is in the component of a leaf of the goal. A leaf at a free start or goal can be
 * forbidden only by the rounding of its location: then nothing is proved, so the answer is true unless free_only. */
static bool ends_are_connected(const struct subdivision *d, bool free_only)
{
    uint32_t *parents = d->parents.data;
    bool connected = false;
    for (int s = 0; s < BI_PLANNER_NEAR_LEAVES; s++)
        for (int g = 0; g < BI_PLANNER_NEAR_LEAVES; g++) {
            bool open = is_open(&d->tree, d->start[s], free_only) && is_open(&d->tree, d->goal[g], free_only);
            if (!open && !free_only) return true;
            connected |=
                open && bi_uf_find(parents, (uint32_t)d->start[s]) == bi_uf_find(parents, (uint32_t)d->goal[g]);
        }
    return connected;
}

/* The state of the search: open after another level, or ended by connected ends, separated ends, or no more boxes. */
enum search_state { OPEN, CONNECTED, SEPARATED, EXHAUSTED };

/* Subdivides the mixed leaves of the start's component. EXHAUSTED if there are none, or too many for max_boxes. */
static bosc_status subdivide_mixed(bosc_ctx *ctx, struct bi_planner_search *search, struct subdivision *d,
                                   enum search_state *state)
{
    struct bi_planner_tree *tree = &d->tree;
    uint32_t *parents = d->parents.data, root = bi_uf_find(parents, (uint32_t)d->start[0]);
    int64_t before = tree->count, mixed = 0;
    for (int pass = 0; pass < 2; pass++) { /* 0: count, 1: subdivide */
        for (int64_t i = 0; i < before; i++) {
            const struct bi_planner_box *box = &bi_planner_tree_boxes(tree)[i];
            if (!bi_planner_tree_is_leaf(tree, i) || box->state != BI_PLANNER_MIXED ||
                bi_uf_find(parents, (uint32_t)i) != root || box->level == BI_PLANNER_BOX_LEVELS)
                continue;
            if (pass == 0)
                mixed++;
            else
                BI_TRY(bi_planner_tree_subdivide(ctx, tree, i));
        }
        if (mixed > 0 && before + 8 * mixed <= search->opts.max_boxes) continue;
        *state = EXHAUSTED;
        return BOSC_OK;
    }
    return set_states(ctx, search, tree, before);
}

/* Computes the rotation at the center of a border. */
static void border_center(const struct bi_planner_tree *tree, const struct border *border, double *q)
{
    const struct bi_planner_box *box = &bi_planner_tree_boxes(tree)[border->from];
    int axis = border->p < box->face ? border->p : border->p + 1;
    bi_planner_box_center(box, q);
    q[axis] = (2 * box->index[border->p] + (border->side > 0 ? 2 : 0)) / (double)(1u << box->level) - 1;
}

static bosc_status add_normalized(bosc_ctx *ctx, struct bi_planner_path *path, const double *q)
{
    double unit[4];
    bi_planner_normalize(q, unit);
    return bi_planner_path_add(ctx, path, unit, false);
}

/* Indexes the borders of each leaf in CSR form: offsets (nodes + 1), entries (2 x borders). */
static void index_borders(const struct subdivision *d, int64_t *offsets, int64_t *entries)
{
    const struct border *borders = d->borders.data;
    memset(offsets, 0, (size_t)(d->tree.count + 1) * 8);
    for (int64_t b = 0; b < d->border_count; b++) {
        offsets[borders[b].from]++;
        offsets[borders[b].to]++;
    }
    for (int64_t i = 1; i <= d->tree.count; i++) offsets[i] += offsets[i - 1];
    for (int64_t b = d->border_count - 1; b >= 0; b--) {
        entries[--offsets[borders[b].from]] = b;
        entries[--offsets[borders[b].to]] = b;
    }
}

/* Breadth-first search from the goal's leaf: via[i] is the border from leaf i towards it; -1: not reached; INT64_MAX:
 * the goal's leaf. */
static void search_leaves(const struct subdivision *d, int64_t goal, const int64_t *offsets, const int64_t *entries,
                          int64_t *via, int64_t *queue)
{
    const struct border *borders = d->borders.data;
    int64_t head = 0, tail = 0;
    memset(via, 0xff, (size_t)d->tree.count * 8);
    queue[tail++] = goal;
    via[goal] = INT64_MAX;
    while (head < tail) {
        int64_t leaf = queue[head++];
        for (int64_t e = offsets[leaf]; e < offsets[leaf + 1]; e++) {
            int64_t other = borders[entries[e]].from ^ borders[entries[e]].to ^ leaf; /* the other end */
            if (via[other] != -1) continue;
            via[other] = entries[e];
            queue[tail++] = other;
        }
    }
}

/* Lists the path from the start through the centers of leaves and of the borders between them. */
static bosc_status list_path(bosc_ctx *ctx, const struct bi_planner_search *search, const struct subdivision *d,
                             const int64_t *via, int64_t leaf, struct bi_planner_path *path)
{
    const struct border *borders = d->borders.data;
    double q[4];
    BI_TRY(bi_planner_path_add(ctx, path, search->start, false));
    while (true) {
        bi_planner_box_center(&bi_planner_tree_boxes(&d->tree)[leaf], q);
        BI_TRY(add_normalized(ctx, path, q));
        if (via[leaf] == INT64_MAX) break;
        border_center(&d->tree, &borders[via[leaf]], q);
        BI_TRY(add_normalized(ctx, path, q));
        leaf = borders[via[leaf]].from ^ borders[via[leaf]].to ^ leaf;
    }
    return bi_planner_path_add(ctx, path, search->goal, false);
}

/* Finds the path through the fewest free leaves, from the first leaf of the start that has one. */
static bosc_status list_free_path(bosc_ctx *ctx, const struct bi_planner_search *search, const struct subdivision *d,
                                  struct bi_planner_path *path)
{
    struct bi_block memory = {0};
    int64_t n = d->tree.count, start = -1, goal = -1;
    /* Backwards, so that the first pair remains. */
    for (int s = BI_PLANNER_NEAR_LEAVES - 1; s >= 0; s--)
        for (int g = BI_PLANNER_NEAR_LEAVES - 1; g >= 0; g--)
            if (is_open(&d->tree, d->start[s], true) && is_open(&d->tree, d->goal[g], true) &&
                bi_uf_find(d->parents.data, (uint32_t)d->start[s]) ==
                    bi_uf_find(d->parents.data, (uint32_t)d->goal[g])) {
                start = d->start[s];
                goal = d->goal[g];
            }
    BI_TRY(bi_planner_grow_block(ctx, &memory, 0, (size_t)(3 * n + 1 + 2 * d->border_count) * 8));
    int64_t *offsets = memory.data, *via = offsets + n + 1, *queue = via + n, *entries = queue + n;
    index_borders(d, offsets, entries);
    search_leaves(d, goal, offsets, entries, via, queue);
    bosc_status status = list_path(ctx, search, d, via, start, path);
    bi_block_free(&ctx->host, &memory);
    return status;
}

/* Finds the state: boxes connect or separate the ends; if neither, subdivides one more level. */
static bosc_status refine_level(bosc_ctx *ctx, struct bi_planner_search *search, struct subdivision *d,
                                struct bi_planner_path *path, enum search_state *state)
{
    bi_planner_tree_find_leaves(&d->tree, search->start, d->start);
    bi_planner_tree_find_leaves(&d->tree, search->goal, d->goal);
    BI_TRY(connect_leaves(ctx, d, true));
    if (ends_are_connected(d, true)) {
        *state = CONNECTED;
        return list_free_path(ctx, search, d, path);
    }
    BI_TRY(connect_leaves(ctx, d, false));
    if (ends_are_connected(d, false)) return subdivide_mixed(ctx, search, d, state);
    *state = SEPARATED;
    return BOSC_OK;
}

bosc_status bi_planner_subdivide_so3(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    struct subdivision d = {.border_count = 0};
    enum search_state state = OPEN;
    bosc_status status = bi_planner_tree_init(ctx, &d.tree);
    if (status == BOSC_OK) status = set_states(ctx, search, &d.tree, 0);
    while (status == BOSC_OK && state == OPEN) status = refine_level(ctx, search, &d, path, &state);
    if (state == SEPARATED) search->info.outcome = BOSC_PLANNER_PROVED_NO_ROUTE;
    free_subdivision(ctx, &d);
    return status;
}
