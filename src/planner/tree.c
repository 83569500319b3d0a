/* Trees of boxes: subdivision, neighbours, and point location. */
#include "planner/tree.h"

static bosc_status add_box(bosc_ctx *ctx, struct bi_planner_tree *tree, struct bi_planner_box box)
{
    size_t n = (size_t)tree->count;
    BI_TRY(bi_planner_grow_block(ctx, &tree->boxes, n * sizeof box, (n + 1) * sizeof box));
    BI_TRY(bi_planner_grow_block(ctx, &tree->children, n * 8, (n + 1) * 8));
    bi_planner_tree_boxes(tree)[n] = box;
    ((int64_t *)tree->children.data)[n] = -1;
    tree->count++;
    return BOSC_OK;
}

bosc_status bi_planner_tree_init(bosc_ctx *ctx, struct bi_planner_tree *tree)
{
    for (uint8_t face = 0; face < 4; face++) BI_TRY(add_box(ctx, tree, (struct bi_planner_box){.face = face}));
    return BOSC_OK;
}

bosc_status bi_planner_tree_subdivide(bosc_ctx *ctx, struct bi_planner_tree *tree, int64_t leaf)
{
    const struct bi_planner_box box = bi_planner_tree_boxes(tree)[leaf];
    int64_t first = tree->count;
    for (uint32_t child = 0; child < 8; child++) {
        struct bi_planner_box part = {.face = box.face, .level = (uint8_t)(box.level + 1)};
        for (int p = 0; p < 3; p++) part.index[p] = 2 * box.index[p] + (child >> p & 1);
        BI_TRY(add_box(ctx, tree, part));
    }
    ((int64_t *)tree->children.data)[leaf] = first;
    return BOSC_OK;
}

void bi_planner_tree_free(bosc_ctx *ctx, struct bi_planner_tree *tree)
{
    bi_block_free(&ctx->host, &tree->boxes);
    bi_block_free(&ctx->host, &tree->children);
    tree->count = 0;
}

/* The component of a quaternion that is coordinate p of a cube, and the reverse. */
static int axis_of(int face, int p) { return p < face ? p : p + 1; }
static int coordinate_of(int face, int axis) { return axis < face ? axis : axis - 1; }

/* At the border of a cube q[face] = 1 and q[axis] = side, so `side` times q has q[axis] = 1: it lies on cube `axis`. */
struct bi_planner_box bi_planner_tree_neighbour(const struct bi_planner_box *box, int p, int side)
{
    struct bi_planner_box to = *box;
    uint32_t last = (1u << box->level) - 1;
    if (side > 0 ? box->index[p] < last : box->index[p] > 0) {
        to.index[p] = side > 0 ? box->index[p] + 1 : box->index[p] - 1;
        return to;
    }
    int face = box->face, axis = axis_of(face, p);
    to.face = (uint8_t)axis;
    for (int k = 0; k < 4; k++) {
        if (k == axis) continue;
        uint32_t at = k == face ? last : box->index[coordinate_of(face, k)];
        to.index[coordinate_of(axis, k)] = side > 0 ? at : last - at;
    }
    return to;
}

int64_t bi_planner_tree_find(const struct bi_planner_tree *tree, const struct bi_planner_box *box)
{
    const int64_t *children = tree->children.data;
    int64_t node = box->face;
    for (int level = box->level - 1; level >= 0 && children[node] >= 0; level--) {
        int64_t child = 0;
        for (int p = 0; p < 3; p++) child |= (int64_t)(box->index[p] >> level & 1) << p;
        node = children[node] + child;
    }
    return node;
}

void bi_planner_tree_find_leaves(const struct bi_planner_tree *tree, const double *rotation,
                                 int64_t leaves[BI_PLANNER_NEAR_LEAVES])
{
    double q[4];
    int face = 0;
    bi_planner_normalize(rotation, q);
    for (int k = 1; k < 4; k++)
        if (q[k] * q[k] > q[face] * q[face]) face = k;
    /* Shift each coordinate by 2^-40 either way, more than its error. */
    for (int moved = 0; moved < BI_PLANNER_NEAR_LEAVES; moved++) {
        struct bi_planner_box box = {.face = (uint8_t)face, .level = BI_PLANNER_BOX_LEVELS};
        for (int p = 0; p < 3; p++) {
            const double size = (double)(1 << BI_PLANNER_BOX_LEVELS);
            double x = q[axis_of(face, p)] / q[face] + (moved >> p & 1 ? 0x1p-40 : -0x1p-40);
            double at = (x + 1) * 0.5 * size;
            box.index[p] = at < 0 ? 0 : at >= size ? (uint32_t)size - 1 : (uint32_t)at;
        }
        leaves[moved] = bi_planner_tree_find(tree, &box);
    }
}
