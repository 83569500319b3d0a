#include "io/mesh/box_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/orient.h"
#include "io/file/file.h"

static const struct bi_box EMPTY = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

bool bi_box_tree_make(struct bi_box_tree *tree, uint32_t n)
{
    uint32_t leaves = 1;
    while (leaves < n) leaves *= 2;
    if (leaves > tree->capacity) {
        struct bi_box *memory = bi_io_realloc(tree->boxes, 2 * (size_t)leaves * (sizeof *memory + 1));
        if (!memory) return false;
        tree->boxes = memory;
        tree->capacity = leaves;
    }
    tree->least = (uint8_t *)(tree->boxes + 2 * (size_t)leaves);
    tree->leaves = leaves;
    for (size_t k = 0; k < 2 * (size_t)leaves; k++) tree->boxes[k] = EMPTY;
    memset(tree->least, BI_BOX_NO_RATING, 2 * (size_t)leaves);
    return true;
}

void bi_box_tree_free(struct bi_box_tree *tree)
{
    free(tree->boxes);
    *tree = (struct bi_box_tree){0};
}

struct bi_box bi_box_around(const double *a, const double *b, int u, int v)
{
    const int axes[2] = {u, v};
    struct bi_box box;
    for (int c = 0; c < 2; c++) {
        const double x = a[axes[c]], y = b[axes[c]];
        box.low[c] = y < x ? y : x;
        box.high[c] = y < x ? x : y;
    }
    return box;
}

static struct bi_box join_boxes(struct bi_box a, struct bi_box b)
{
    for (int c = 0; c < 2; c++) {
        if (b.low[c] < a.low[c]) a.low[c] = b.low[c];
        if (b.high[c] > a.high[c]) a.high[c] = b.high[c];
    }
    return a;
}

void bi_box_tree_set(struct bi_box_tree *tree, uint32_t item, struct bi_box box, uint8_t rating)
{
    tree->boxes[tree->leaves + item] = box;
    tree->least[tree->leaves + item] = rating;
}

void bi_box_tree_clear(struct bi_box_tree *tree, uint32_t item)
{
    bi_box_tree_set(tree, item, EMPTY, BI_BOX_NO_RATING);
}

void bi_box_tree_set_rating(struct bi_box_tree *tree, uint32_t item, uint8_t rating)
{
    tree->least[tree->leaves + item] = rating;
}

static void join_children(struct bi_box_tree *tree, uint32_t node)
{
    const uint8_t a = tree->least[2 * node], b = tree->least[2 * node + 1];
    tree->boxes[node] = join_boxes(tree->boxes[2 * node], tree->boxes[2 * node + 1]);
    tree->least[node] = b < a ? b : a;
}

void bi_box_tree_update(struct bi_box_tree *tree, uint32_t item)
{
    for (uint32_t node = (tree->leaves + item) / 2; node > 0; node /= 2) join_children(tree, node);
}

void bi_box_tree_build(struct bi_box_tree *tree)
{
    for (uint32_t node = tree->leaves - 1; node > 0; node--) join_children(tree, node);
}

uint8_t bi_box_tree_rating(const struct bi_box_tree *tree, uint32_t item) { return tree->least[tree->leaves + item]; }

uint8_t bi_box_tree_least(const struct bi_box_tree *tree) { return tree->least[1]; }

/* Returns the node that follows those below a node, or 0. */
static uint32_t next_node(uint32_t node)
{
    while (node & 1) node /= 2; /* a right child: the nodes below its parent are done */
    return node ? node + 1 : 0;
}

/* False only if the triangle's box, or a line along one of its edges, separates it from the box. The corner of the box
 * that is farthest to the left of the line decides; a sign within the rounding error (base/orient.h) does not. */
static bool may_touch(const struct bi_box *box, const struct bi_box_triangle *t)
{
    for (int c = 0; c < 2; c++)
        if (box->low[c] > t->box.high[c] || t->box.low[c] > box->high[c]) return false;
    for (int k = 0; k < 3; k++) {
        const double *a = t->corners[k], *b = t->corners[(k + 1) % 3];
        const double x = b[1] > a[1] ? box->low[0] : box->high[0], y = b[0] > a[0] ? box->high[1] : box->low[1];
        const double left = (a[0] - x) * (b[1] - y), right = (a[1] - y) * (b[0] - x);
        if (right - left > BI_ORIENT2_ERROR * (fabs(left) + fabs(right))) return false;
    }
    return true;
}

struct bi_box_triangle bi_box_triangle_of(const double *a, const double *b, const double *c, int u, int v)
{
    return (struct bi_box_triangle){join_boxes(bi_box_around(a, b, u, v), bi_box_around(c, c, u, v)),
                                    {{a[u], a[v]}, {b[u], b[v]}, {c[u], c[v]}}};
}

uint32_t bi_box_tree_next_touching(const struct bi_box_tree *tree, uint32_t item, const struct bi_box_triangle *t)
{
    if (item >= tree->leaves) return tree->leaves;
    uint32_t node = tree->leaves + item;
    while (node) {
        const bool found = may_touch(&tree->boxes[node], t);
        if (found && node >= tree->leaves) return node - tree->leaves;
        node = found ? 2 * node : next_node(node);
    }
    return tree->leaves;
}

uint32_t bi_box_tree_next_rated(const struct bi_box_tree *tree, uint32_t item, uint8_t most)
{
    if (item >= tree->leaves) return tree->leaves;
    uint32_t node = tree->leaves + item;
    while (node) {
        const bool found = tree->least[node] <= most;
        if (found && node >= tree->leaves) return node - tree->leaves;
        node = found ? 2 * node : next_node(node);
    }
    return tree->leaves;
}
