/* The published method on the CPU: the interface of its driver (partition.c) and its loops (superkey_loops.c), which
 * exist for each type of coordinate. */
#ifndef BI_KDTREE_CPU_PUBLISHED_PUBLISHED_H
#define BI_KDTREE_CPU_PUBLISHED_PUBLISHED_H

#include "kdtree/kdtree.h"

/* Number of references on each side of a median; or the next position of each side. */
struct bi_kdtree_sides {
    int64_t less, greater;
};

struct bi_kdtree_superkey_loops {
    /* Removes duplicates from the piece [begin, end) of a list, to the same positions of the spare list. Returns the
     * number of kept references. Lowers *bad to the smallest position that is out of order. */
    int64_t (*compact)(const struct bi_kdtree_removal *a, int64_t begin, int64_t end, int64_t *bad);

    /* Partitions the references list[0, n) around the median by superkey `first`: to_less[0], [1], ... and
     * to_greater[0], [step], [2 step], ... The median itself is dropped. */
    struct bi_kdtree_sides (*partition)(const struct bi_kdtree_references *r, int32_t first, uint32_t median,
                                        const uint32_t *list, int64_t n, uint32_t *to_less, uint32_t *to_greater,
                                        int64_t step);
};

const struct bi_kdtree_superkey_loops *bi_kdtree_superkey_loops(bosc_dtype dtype);

bosc_status bi_kdtree_cpu_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *removal);
bosc_status bi_kdtree_cpu_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references,
                                                uint32_t *order);

#endif
