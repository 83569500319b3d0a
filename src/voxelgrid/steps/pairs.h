/* Steps that find all pairs of points within a radius, and that unite these points to components by union-find. */
#ifndef BI_VOXELGRID_STEPS_PAIRS_H
#define BI_VOXELGRID_STEPS_PAIRS_H

#include "base/union_find.h"
#include "core/csr_row_out.h"
#include "voxelgrid/steps/walk.h"

/* --- Pairs -------------------------------------------------------------------------------------------------------- */

/* Rows collected by the first search. */
struct bi_voxelgrid_pair_buffer {
    void *words;        /* counters, see struct pair_words */
    uint32_t row_limit; /* most entries of a collected row */
    uint64_t *rows;     /* (n) by smaller id: length in the lower half, first slot in the upper */
    int64_t slots;
    uint32_t *ids;    /* (slots) larger ids, sorted within a row; rows in the order in which they were found */
    float *dist2;     /* (slots) distances; NULL if not requested */
    uint32_t *list;   /* (n) positions of points with longer rows; NULL if nothing is collected */
    int64_t capacity; /* of the caller's arrays: if there are more pairs, none are written */
    unsigned long long *host_words; /* page-locked, or NULL: receives the counters before pairs are written */
};

/* All pairs: items are positions; a pair belongs to its smaller id. */
struct bi_voxelgrid_pairs {
    struct bi_voxelgrid_view view;
    double r2, reach;
    uint64_t *total;        /* of pair_total */
    int64_t *counts;        /* by id */
    const int64_t *offsets; /* by id */
    void *pairs, *dist2;
    bool ids_64bit, outputs_reachable; /* outputs_reachable: `pairs` and `dist2` are reachable by the device */
    uint32_t *long_rows;               /* as in bi_voxelgrid_query */
    struct bi_voxelgrid_pair_buffer buffer;
};

BI_FN void bi_step_pair_count(const struct bi_voxelgrid_pairs *a, int64_t i)
{
    double q[BI_VOXELGRID_DIM];
    struct bi_voxelgrid_walk walk;
    uint32_t id = bi_voxelgrid_id_at(&a->view, i);
    int64_t count = 0, position, end;
    double d;
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_voxelgrid_point_coordinate(&a->view, i, c);
    if (bi_voxelgrid_walk_begin(&a->view, &walk, q, a->reach, 0))
        while (bi_voxelgrid_walk_next(&a->view, &walk, &position, &end))
            for (; position < end; position++)
                count += bi_voxelgrid_id_at(&a->view, position) > id &&
                         bi_voxelgrid_is_within(&a->view, position, q, a->r2, &d);
    a->counts[id] = count;
}

BI_FN void bi_step_pair_fill(const struct bi_voxelgrid_pairs *a, int64_t i)
{
    double q[BI_VOXELGRID_DIM];
    struct bi_voxelgrid_walk walk;
    uint32_t id = bi_voxelgrid_id_at(&a->view, i);
    struct bi_row_out out = {a->pairs, a->dist2, a->offsets[id], a->ids_64bit, !a->view.is_f64, true};
    int64_t count = 0, position, end;
    if (a->offsets[id + 1] == out.at) return;
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_voxelgrid_point_coordinate(&a->view, i, c);
    if (!bi_voxelgrid_walk_begin(&a->view, &walk, q, a->reach, 0)) return;
    while (bi_voxelgrid_walk_next(&a->view, &walk, &position, &end))
        for (; position < end; position++) {
            uint32_t other = bi_voxelgrid_id_at(&a->view, position);
            if (other <= id) continue;
            double d;
            if (!bi_voxelgrid_is_within(&a->view, position, q, a->r2, &d)) continue;
            bi_voxelgrid_write_id(a->pairs, a->ids_64bit, 2 * (out.at + count), id);
            bi_row_set(&out, count++, d, other);
        }
    if (!bi_row_list_long(a->long_rows, id, count)) bi_row_sort(&out, count);
}

/* --- Components --------------------------------------------------------------------------------------------------- */

/* Items are positions (unite) or ids (the others). */
struct bi_voxelgrid_components {
    struct bi_voxelgrid_view view;
    double r2, reach;
    uint32_t *parent; /* by id */
    uint8_t *roots;
    void *labels;
    bool ids_64bit;
};

BI_FN void bi_step_singletons(const struct bi_voxelgrid_components *a, int64_t i) { a->parent[i] = (uint32_t)i; }

/* Unites the point at a position with later ones within the radius. */
BI_FN void bi_step_unite(const struct bi_voxelgrid_components *a, int64_t i)
{
    double q[BI_VOXELGRID_DIM];
    struct bi_voxelgrid_walk walk;
    int64_t position, end;
    double d;
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_voxelgrid_point_coordinate(&a->view, i, c);
    if (!bi_voxelgrid_walk_begin(&a->view, &walk, q, a->reach, i + 1)) return;
    while (bi_voxelgrid_walk_next(&a->view, &walk, &position, &end))
        for (; position < end; position++)
            if (bi_voxelgrid_is_within(&a->view, position, q, a->r2, &d))
                bi_uf_union(a->parent, bi_voxelgrid_id_at(&a->view, i), bi_voxelgrid_id_at(&a->view, position));
}

BI_FN void bi_step_roots(const struct bi_voxelgrid_components *a, int64_t i)
{
    a->roots[i] = a->parent[i] == (uint32_t)i;
}

BI_FN void bi_step_label(const struct bi_voxelgrid_components *a, int64_t i)
{
    bi_voxelgrid_write_id(a->labels, a->ids_64bit, i, a->parent[i]);
}

#endif
