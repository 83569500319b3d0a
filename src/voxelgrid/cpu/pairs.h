/* Pairs of points on the CPU by one search, which collects their rows. */
#ifndef BI_VOXELGRID_CPU_PAIRS_H
#define BI_VOXELGRID_CPU_PAIRS_H

#include "core/cpu/level.h"
#include "core/cpu/threads.h"
#include "voxelgrid/steps/steps.h"

/* The collected rows: for each point its neighbours of larger ids, in the order of the search. Threads reserve blocks
 * of entries. */
struct bi_voxelgrid_collection {
    uint32_t *ids;   /* (capacity) */
    void *dist2;     /* (capacity) float or double as the view; NULL: not requested */
    int64_t *starts; /* (n) by position: the first entry of the row */
    int64_t capacity;
    int64_t reserved; /* entries of all blocks; more than the capacity: rows are missing */
};

/* The block of a thread: its next entry and its end. */
struct bi_voxelgrid_block {
    int64_t at, end;
};

struct bi_voxelgrid_pair_kernels {
    /* Counts the rows of the positions of a part in a->counts, and collects them. rows: NULL, or rows->capacity entries
     * in all. */
    void (*collect)(const struct bi_voxelgrid_pairs *a, struct bi_voxelgrid_collection *rows,
                    struct bi_voxelgrid_block *block, struct bi_span part);
    /* Sorts the rows of the positions of a part and writes them to the caller's arrays. */
    void (*write)(const struct bi_voxelgrid_pairs *a, const struct bi_voxelgrid_collection *rows, struct bi_span part);
};

extern const struct bi_voxelgrid_pair_kernels bi_voxelgrid_pair_kernels_v1, bi_voxelgrid_pair_kernels_v3,
    bi_voxelgrid_pair_kernels_v4;

/* As pair_collect of struct bi_voxelgrid_searches, and writes the pairs if they fit. */
bosc_status bi_voxelgrid_cpu_collect_pairs(bosc_ctx *ctx, struct bi_voxelgrid_pairs *a, int64_t capacity,
                                           int64_t totals[2]);

#endif
