/* The published method on the CPU, between its driver (brown.c) and its loops (brown_loops.c), a copy a type. */
#ifndef BI_KDTREE_CPU_BROWN_H
#define BI_KDTREE_CPU_BROWN_H

#include "kdtree/kdtree.h"

/* Where a loop over a segment put its references. */
struct bi_kdtree_sides {
    int64_t less, greater;
};

struct bi_kdtree_brown_loops {
    /* Compacts the piece [begin, end) of a list to the same places of the spare one. Returns how many are kept; *bad
     * becomes the smallest place that is out of order, if that is less. */
    int64_t (*compact)(const struct bi_kdtree_removal *a, int64_t begin, int64_t end, int64_t *bad);

    /* Partitions the references list[0, n) around the median by superkey `first`: to_less[0], [1], ... and
     * to_greater[0], [step], [2 step], ... The median itself is dropped. */
    struct bi_kdtree_sides (*partition)(const struct bi_kdtree_references *r, int32_t first, uint32_t median,
                                        const uint32_t *list, int64_t n, uint32_t *to_less, uint32_t *to_greater,
                                        int64_t step);
};

const struct bi_kdtree_brown_loops *bi_kdtree_brown_loops(bosc_dtype dtype);

bosc_status bi_kdtree_cpu_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *removal);
bosc_status bi_kdtree_cpu_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references,
                                                uint32_t *order);

#endif
