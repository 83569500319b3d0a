/* Blocks of nodes and a hierarchy of boxes over them. */
#ifndef BI_KDTREE_STEPS_BLOCKS_H
#define BI_KDTREE_STEPS_BLOCKS_H

#include "kdtree/steps/query.h"

#define BI_KDTREE_MIXED UINT32_MAX /* no label */

/* Pairs of rows that no search for another label returns, from << 32 | to, ascending; both directions are listed. */
struct bi_kdtree_excluded {
    const uint64_t *pairs;        /* NULL: none */
    const uint32_t *first, *last; /* by row: the positions of its pairs; each row has some */
};

/* Blocks of the in-order array, and a hierarchy of boxes over them: 2^levels blocks, each a subtree and the node after
 * it. Boxes have heap indices: the root is 0, the blocks are from 2^levels - 1 on. A box has the first `used`
 * coordinates: the least, then the greatest. The two boxes below a box are neighbours, aligned to 16 bytes. Labels can
 * be replaced. With core distances, the distance of two nodes is under mutual reachability: the largest of their
 * Euclidean distance and both core distances. The copies of a point ascend by id in a subtree that holds nothing else,
 * so that by least ids a search visits one block of it. Blocks of an order by extent are runs of nodes. */
struct bi_kdtree_blocks {
    bosc_kdtree_view view;
    uint32_t *node_labels; /* and `same`: NULL where labels are not needed */
    int32_t levels, level, used;
    int32_t run;         /* nodes of a block, but for the last ones; 0: blocks are subtrees */
    uint32_t *begins;    /* of blocks; the end of the last */
    void *boxes;         /* by heap index, of the distance type */
    uint32_t *least_ids; /* by heap index */
    uint32_t *same;      /* by heap index: the one label of all nodes, or BI_KDTREE_MIXED */
    void *node_cores;    /* core distances, of the distance type; NULL: none, distances are Euclidean */
    void *least_cores;   /* by heap index */
    double p;            /* the order of distances, which are doubles then; 0: squares, of order 2 */
    void *groups;        /* the boxes again, for vectors: bi_kdtree_group_of; NULL: none */
    struct bi_kdtree_excluded excluded;
};

/* True if the rows are an excluded pair. */
BI_FN bool bi_kdtree_is_excluded(const struct bi_kdtree_blocks *a, uint32_t from, uint32_t to)
{
    const uint64_t pair = (uint64_t)from << 32 | to;
    if (!a->excluded.pairs) return false;
    uint32_t low = a->excluded.first[from], high = a->excluded.last[from];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a->excluded.pairs[middle] < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return a->excluded.pairs[low] == pair;
}

/* Most nodes of a block: more are fewer boxes to walk, and more distances. Coordinates of a box: they bound the stack
 * of a query, 128 bytes; further coordinates prune nothing. Not measured. */
enum { BI_KDTREE_BLOCK_NODES = 16, BI_KDTREE_BOX_COORDINATES = 16 };

BI_FN int bi_kdtree_block_levels(int64_t nodes)
{
    int levels = 0;
    while (nodes >> levels >= BI_KDTREE_BLOCK_NODES) levels++;
    return levels;
}

/* Element c of box h: a least coordinate, or from `used` on a greatest one. */
BI_FN double bi_kdtree_box_coordinate(const struct bi_kdtree_blocks *a, int64_t h, int32_t c)
{
    const int64_t at = 2 * h * a->used + c;
    return a->view.dtype == BOSC_F32 ? (double)((const float *)a->boxes)[at] : ((const double *)a->boxes)[at];
}

BI_FN void bi_kdtree_set_box_coordinate(const struct bi_kdtree_blocks *a, int64_t h, int32_t c, double x)
{
    const int64_t at = 2 * h * a->used + c;
    if (a->view.dtype == BOSC_F32)
        ((float *)a->boxes)[at] = (float)x;
    else
        ((double *)a->boxes)[at] = x;
}

/* The first node of block s, or the end of the last block. */
BI_FN int64_t bi_kdtree_block_begin_of(const struct bi_kdtree_blocks *a, int64_t s)
{
    if (s >> a->levels) return a->view.nodes;
    if (!a->run) return bi_kdtree_subtree(a->view.nodes, a->levels, (uint64_t)s).begin;
    return s * a->run < a->view.nodes ? s * a->run : a->view.nodes;
}

/* Makes block s: its nodes, the box around them, and their least id. The last runs may be empty: their boxes are beyond
 * all points. */
BI_FN void bi_step_make_block(const struct bi_kdtree_blocks *a, int64_t s)
{
    const int64_t blocks = (int64_t)1 << a->levels, begin = bi_kdtree_block_begin_of(a, s),
                  end = bi_kdtree_block_begin_of(a, s + 1);
    for (int32_t c = 0; c < a->used; c++) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (int64_t i = begin; i < end; i++) {
            double x = bosc_kdtree_coordinate(&a->view, i, c);
            low = i == begin || x < low ? x : low;
            high = i == begin || x > high ? x : high;
        }
        bi_kdtree_set_box_coordinate(a, blocks - 1 + s, c, low);
        bi_kdtree_set_box_coordinate(a, blocks - 1 + s, a->used + c, high);
    }
    uint32_t least = UINT32_MAX;
    for (int64_t i = begin; i < end; i++) {
        uint32_t id = bosc_kdtree_id(&a->view, i);
        least = id < least ? id : least;
    }
    a->least_ids[blocks - 1 + s] = least;
    a->begins[s] = (uint32_t)begin;
    if (s + 1 == blocks) a->begins[blocks] = (uint32_t)end;
}

/* Makes box i of `level` from the two below it. */
BI_FN void bi_step_merge_boxes(const struct bi_kdtree_blocks *a, int64_t i)
{
    int64_t h = ((int64_t)1 << a->level) - 1 + i;
    for (int32_t c = 0; c < 2 * a->used; c++) {
        double one = bi_kdtree_box_coordinate(a, 2 * h + 1, c), two = bi_kdtree_box_coordinate(a, 2 * h + 2, c);
        bool first_counts = c < a->used ? one < two : one > two;
        bi_kdtree_set_box_coordinate(a, h, c, first_counts ? one : two);
    }
    uint32_t first = a->least_ids[2 * h + 1], second = a->least_ids[2 * h + 2];
    a->least_ids[h] = first < second ? first : second;
}

/* Groups hold the boxes BI_KDTREE_GROUP_LEVELS levels below a box, coordinate by coordinate: BI_KDTREE_GROUP low ends,
 * then the high ones. The blocks are in groups of boxes 4, 8, ... levels above. A group of fewer boxes is below the
 * root. */
enum { BI_KDTREE_GROUP_LEVELS = 4, BI_KDTREE_GROUP = 1 << BI_KDTREE_GROUP_LEVELS };

/* Returns the levels from box h down to those of its group. */
BI_FN int bi_kdtree_group_depth(int32_t levels, int64_t h)
{
    return h == 0 && levels % BI_KDTREE_GROUP_LEVELS ? levels % BI_KDTREE_GROUP_LEVELS : BI_KDTREE_GROUP_LEVELS;
}

/* Returns the index of the group below box h; of the first block: the number of groups. Groups are in the order of
 * their boxes, and each has 16 boxes with groups but for the root's. */
BI_FN int64_t bi_kdtree_group_of(int32_t levels, int64_t h)
{
    const int top = levels % BI_KDTREE_GROUP_LEVELS;
    if (h == 0) return 0;
    const int64_t row = (int64_t)1 << (bi_bit_length((uint64_t)h + 1) - 1); /* boxes of its level */
    return (top > 0) + (row - ((int64_t)1 << top)) / (BI_KDTREE_GROUP - 1) + h + 1 - row;
}

/* Fills the group below box i of `level`. Lanes without a box repeat the last one. */
BI_FN void bi_step_group_boxes(const struct bi_kdtree_blocks *a, int64_t i)
{
    const int64_t h = ((int64_t)1 << a->level) - 1 + i;
    const int depth = bi_kdtree_group_depth(a->levels, h);
    const int64_t first = ((h + 1) << depth) - 1, last = first + ((int64_t)1 << depth) - 1,
                  begin = bi_kdtree_group_of(a->levels, h) * a->used * 2 * BI_KDTREE_GROUP;
    for (int32_t c = 0; c < 2 * a->used; c++)
        for (int lane = 0; lane < BI_KDTREE_GROUP; lane++) {
            const int64_t box = first + lane < last ? first + lane : last,
                          at = begin + (c < a->used ? 2 * c : 2 * (c - a->used) + 1) * BI_KDTREE_GROUP + lane;
            const double x = bi_kdtree_box_coordinate(a, box, c);
            if (a->view.dtype == BOSC_F32)
                ((float *)a->groups)[at] = (float)x;
            else
                ((double *)a->groups)[at] = x;
        }
}

#endif
