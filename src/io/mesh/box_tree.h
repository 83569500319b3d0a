/* A binary tree of boxes in the plane, one for each of n numbered items, with a rating of each: finds the items whose
 * boxes touch another box, and the next item of a rating. Items that follow each other along a curve are near each
 * other, so a search reads few nodes. Source: Ballard, Strip Trees: A Hierarchical Representation for Curves (1981),
 * with boxes along the axes in place of strips. */
#ifndef BI_IO_MESH_BOX_TREE_H
#define BI_IO_MESH_BOX_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct bi_box {
    double low[2], high[2];
};

enum { BI_BOX_NO_RATING = UINT8_MAX /* of an item without a box */ };

/* Node 1 is the root, 2 k and 2 k + 1 are below node k, and item i is node leaves + i. */
struct bi_box_tree {
    uint32_t leaves; /* a power of two */
    uint32_t capacity;
    struct bi_box *boxes; /* (2 leaves) */
    uint8_t *least;       /* (2 leaves) least rating below a node */
};

/* Makes an empty tree for n items; false: out of memory. */
bool bi_box_tree_make(struct bi_box_tree *tree, uint32_t n);
void bi_box_tree_free(struct bi_box_tree *tree);

struct bi_box bi_box_around(const double *a, const double *b, int u, int v); /* of points, along two axes */

/* Sets an item; bi_box_tree_update then sets the nodes above it, bi_box_tree_build those above all items. */
void bi_box_tree_set(struct bi_box_tree *tree, uint32_t item, struct bi_box box, uint8_t rating);
void bi_box_tree_clear(struct bi_box_tree *tree, uint32_t item);
void bi_box_tree_set_rating(struct bi_box_tree *tree, uint32_t item, uint8_t rating);
void bi_box_tree_update(struct bi_box_tree *tree, uint32_t item);
void bi_box_tree_build(struct bi_box_tree *tree);

uint8_t bi_box_tree_rating(const struct bi_box_tree *tree, uint32_t item);
uint8_t bi_box_tree_least(const struct bi_box_tree *tree);

/* A triangle of positive area in the plane. */
struct bi_box_triangle {
    struct bi_box box;
    double corners[3][2];
};
struct bi_box_triangle bi_box_triangle_of(const double *a, const double *b, const double *c, int u, int v);

/* Returns the first item from `item` on whose box may touch the triangle, or whose rating is at most `most`; `leaves`:
 * none. A box that touches it is never left out. */
uint32_t bi_box_tree_next_touching(const struct bi_box_tree *tree, uint32_t item, const struct bi_box_triangle *t);
uint32_t bi_box_tree_next_rated(const struct bi_box_tree *tree, uint32_t item, uint8_t most);

#endif
