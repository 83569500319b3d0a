/* Steps that find all pairs of points within a radius. */
#ifndef BI_VOXELGRID_STEPS_PAIRS_H
#define BI_VOXELGRID_STEPS_PAIRS_H

#include "core/csr_row_out.h"
#include "voxelgrid/steps/walk.h"

/* Rows that are kept when they are found. */
struct bi_voxelgrid_kept {
    void *words;
    uint32_t most;  /* entries of a row */
    uint64_t *rows; /* (n) by smaller id: its length, and where its entries begin in the upper half */
    int64_t room;
    uint32_t *ids;    /* (room) entries, in the order in which rows were found: larger ids, ascending in a row */
    float *dist2;     /* (room) the same for distances; NULL if there are none */
    uint32_t *list;   /* (n) positions of the points whose rows are too long to be kept; NULL if no rows are kept */
    int64_t capacity; /* of the caller's arrays: if there are more pairs none are written */
    unsigned long long *told; /* the host's, or NULL: gets `words` when they are written */
};

/* All pairs: items are positions; a pair belongs to the smaller id. */
struct bi_voxelgrid_pairs {
    struct bi_voxelgrid_view view;
    double r2, reach;
    uint64_t *total;        /* of pair_total */
    int64_t *counts;        /* by id */
    const int64_t *offsets; /* by id */
    void *pairs, *dist2;
    bool wide_ids, in_reach; /* in_reach: of the device, as `pairs` and `dist2` are then */
    uint32_t *long_rows;     /* as of queries */
    struct bi_voxelgrid_kept kept;
};

BI_FN void bi_step_pair_count(const struct bi_voxelgrid_pairs *a, int64_t i)
{
    double q[BI_VOXELGRID_DIM];
    struct bi_voxelgrid_walk walk;
    uint32_t id = bi_voxelgrid_id(&a->view, i);
    int64_t count = 0, position, end;
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_voxelgrid_at(&a->view, i, c);
    if (bi_voxelgrid_walk_begin(&a->view, &walk, q, a->reach, 0))
        while (bi_voxelgrid_walk_next(&a->view, &walk, &position, &end))
            for (; position < end; position++)
                count += bi_voxelgrid_id(&a->view, position) > id && bi_voxelgrid_dist2(&a->view, position, q) <= a->r2;
    a->counts[id] = count;
}

BI_FN void bi_step_pair_fill(const struct bi_voxelgrid_pairs *a, int64_t i)
{
    double q[BI_VOXELGRID_DIM];
    struct bi_voxelgrid_walk walk;
    uint32_t id = bi_voxelgrid_id(&a->view, i);
    struct bi_row_out out = {a->pairs, a->dist2, a->offsets[id], a->wide_ids, !a->view.wide, true};
    int64_t count = 0, position, end;
    if (a->offsets[id + 1] == out.at) return;
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_voxelgrid_at(&a->view, i, c);
    if (!bi_voxelgrid_walk_begin(&a->view, &walk, q, a->reach, 0)) return;
    while (bi_voxelgrid_walk_next(&a->view, &walk, &position, &end))
        for (; position < end; position++) {
            uint32_t other = bi_voxelgrid_id(&a->view, position);
            if (other <= id) continue;
            double d = bi_voxelgrid_dist2(&a->view, position, q);
            if (!(d <= a->r2)) continue;
            bi_voxelgrid_set_id(a->pairs, a->wide_ids, 2 * (out.at + count), id);
            bi_row_set(&out, count++, d, other);
        }
    if (!bi_row_list_long(a->long_rows, id, count)) bi_row_sort(&out, count);
}

#endif
