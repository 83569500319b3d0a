/* The CPU's builder: the interface of its driver (build.c) and its hot loops (build_hot.c, a copy a level).
 *
 * Points are columns of ordered integer keys and a column of ids. The median of one column is selected exactly, through
 * a bracket from a sample; then all columns are split around it, which leaves a hole for the node. The tree is unique,
 * so neither samples nor the order within columns can change it. */
#ifndef BI_KDTREE_CPU_BUILD_H
#define BI_KDTREE_CPU_BUILD_H

#include "core/cpu/level.h"
#include "kdtree/cpu/cpu.h"

/* Key c of point i is keys[c * pitch + i - base], its id ids[i - base]. Keys are uint32 for types of 4 bytes, else
 * uint64. */
struct bi_kdtree_columns {
    void *keys;
    uint32_t *ids;
    int64_t pitch, base;
};

struct bi_kdtree_build_job {
    int32_t dim;
    bosc_dtype dtype;
    struct bi_kdtree_rows rows;
    struct bi_kdtree_columns here, there; /* levels alternate between the two */
    bosc_kdtree_view tree;
    uint64_t flat;                       /* bit c: all points share coordinate c, and all columns c hold its key */
    int16_t axes[BI_KDTREE_MOST_LEVELS]; /* of each level: the first coordinate that its superkeys can differ in */
};

static inline bool bi_kdtree_is_flat(const struct bi_kdtree_build_job *job, int32_t c)
{
    return c < 64 && job->flat >> c & 1;
}

/* Points of a subtree that one thread builds in its cache; chosen. */
enum { BI_KDTREE_CPU_SUBTREE = 1 << 14 };

struct bi_kdtree_build_hot {
    /* Converts rows [r.begin, r.end) to columns. */
    void (*load_rows)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *to,
                      struct bi_kdtree_range r);
    /* is_flat: true if all points have one key in column c. flatten: copies the first key of one column to n positions
     * of another. */
    bool (*is_flat)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *in, int32_t c);
    void (*flatten)(const struct bi_kdtree_columns *in, int32_t c, const struct bi_kdtree_columns *to, int64_t n);
    /* Split a range of `from`, not empty, around its median into the same range of `to`: choose_median selects the
     * median (masks: a bit a point), then scatter_column moves each of columns 0 to dim, the last being the ids. */
    void (*choose_median)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *from,
                          const struct bi_kdtree_columns *to, struct bi_kdtree_range r, int level, uint16_t *masks);
    void (*scatter_column)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *from,
                           const struct bi_kdtree_columns *to, struct bi_kdtree_range r, int32_t column,
                           const uint16_t *masks);
    /* Builds the subtree of a range into the tree, alternating between `from` and `own`, a thread's columns. */
    void (*build_subtree)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *from,
                          const struct bi_kdtree_columns *own, struct bi_kdtree_range r, int level, uint16_t *masks);
    /* Copies the columns' point i to node i of the tree. */
    void (*write_node)(const struct bi_kdtree_build_job *job, const struct bi_kdtree_columns *from, int64_t i);
    /* True if one of some floats or doubles is NaN. */
    bool (*has_nan)(const void *elements, int64_t count);
};

extern const struct bi_kdtree_build_hot bi_kdtree_build_hot32_v1, bi_kdtree_build_hot32_v3, bi_kdtree_build_hot32_v4;
extern const struct bi_kdtree_build_hot bi_kdtree_build_hot64_v1, bi_kdtree_build_hot64_v3, bi_kdtree_build_hot64_v4;

bosc_status bi_kdtree_cpu_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                bosc_kdtree_view view);
int64_t bi_kdtree_cpu_build_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n);

#endif
