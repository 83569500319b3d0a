/* Spanning trees of points in many dimensions by Prim's method, and its loops (prim_hot.c). */
#ifndef BI_FOREST_CPU_PRIM_H
#define BI_FOREST_CPU_PRIM_H

#include <stdint.h>

/* Points in a block: a vector of floats on the widest CPUs, twice. Not measured against other numbers. */
enum { BI_EMST_LANES = 32 };

/* The points outside of the tree, in blocks: `real` is float or double. Lanes from `count` on have a NaN coordinate,
 * so that they are infinitely far. */
struct bi_emst_outside {
    int64_t count;
    int32_t dim;
    void *points;       /* real (blocks, dim, lanes) */
    void *cores;        /* real (lanes): squared core distances; NULL: Euclidean lengths */
    void *best;         /* real (lanes): the squared length of the first edge to the tree */
    void *least;        /* real (blocks): the least of them */
    uint32_t *from;     /* (lanes): the tree's end of that edge; UINT32_MAX: none yet */
    uint32_t *vertices; /* (lanes) */
};

/* The vertex that joined the tree. */
struct bi_emst_joined {
    const void *point; /* real (dim) */
    double core;
    uint32_t vertex;
};

/* Lower the best edges of blocks `begin` to `end` - 1 by those to the joined vertex. */
struct bi_emst_prim_hot {
    void (*lower_f32)(const struct bi_emst_outside *o, const struct bi_emst_joined *j, int64_t begin, int64_t end);
    void (*lower_f64)(const struct bi_emst_outside *o, const struct bi_emst_joined *j, int64_t begin, int64_t end);
};
extern const struct bi_emst_prim_hot bi_emst_prim_hot_v1, bi_emst_prim_hot_v3, bi_emst_prim_hot_v4;

#endif
