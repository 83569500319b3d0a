/* Steps that unite points within a radius to components, by union-find. */
#ifndef BI_VOXELGRID_STEPS_COMPONENTS_H
#define BI_VOXELGRID_STEPS_COMPONENTS_H

#include "base/union_find.h"
#include "voxelgrid/steps/walk.h"

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
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_voxelgrid_point_coordinate(&a->view, i, c);
    if (!bi_voxelgrid_walk_begin(&a->view, &walk, q, a->reach, i + 1)) return;
    while (bi_voxelgrid_walk_next(&a->view, &walk, &position, &end))
        for (; position < end; position++)
            if (bi_voxelgrid_dist2(&a->view, position, q) <= a->r2)
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
