/* Steps that choose bases and compute the coordinates of points in them. */
#ifndef BI_GEOMETRIC_STEPS_BASES_H
#define BI_GEOMETRIC_STEPS_BASES_H

#include "base/philox.h"
#include "geometric/geometric.h"
#include "geometric/steps/basis.h"

enum { BI_GEOMETRIC_MODEL = 1, BI_GEOMETRIC_SCENE = 2 }; /* streams of random bases */

/* The neighbours that bases are made of, where not all points take part: of each base point, the first of a basis, a
 * row of `count` others and one unused element, nearest first. The basis's other points have ranks low to high - 1. */
struct bi_geometric_neighbours {
    uint32_t *rows; /* NULL: all points take part */
    int64_t count;
    uint32_t low, high;
};

/* Bases `from`, from + 1, ... of a choice of `count` among `all`: all of them; for a model, one of each of `count`
 * equal ranges; for a scene, any. keep (model): whether a basis is large enough. */
struct bi_geometric_choice {
    const double *points;
    int64_t n, from, count;
    uint64_t all, seed;
    bool affine, model;
    double min_size; /* model, all points: the least squared length, or doubled area */
    struct bi_geometric_neighbours neighbours;
    uint32_t *list;
    uint8_t *keep;
    double *base_points; /* their coordinates */
    uint32_t *self;      /* and which points they are */
};

/* The number of basis i among all of its kind. */
BI_FN uint64_t bi_geometric_number(const struct bi_geometric_choice *a, int64_t i)
{
    uint64_t t = (uint64_t)(a->from + i), count = (uint64_t)a->count;
    if (count >= a->all) return t;
    struct bi_philox block = bi_philox_at(a->seed, a->model ? BI_GEOMETRIC_MODEL : BI_GEOMETRIC_SCENE, t);
    uint64_t random = (uint64_t)block.v[1] << 32 | block.v[0], range = a->all / count, longer = a->all % count;
    if (!a->model) return random % a->all;
    return t * range + (t < longer ? t : longer) + random % (range + (t < longer));
}

/* Its base point, whose neighbours are looked for. */
BI_FN void bi_step_base_points(const struct bi_geometric_choice *a, int64_t i)
{
    int64_t p =
        (int64_t)(bi_geometric_number(a, i) / bi_geometric_choices(a->neighbours.low, a->neighbours.high, a->affine));
    a->self[i] = (uint32_t)p;
    a->base_points[2 * i] = a->points[2 * p];
    a->base_points[2 * i + 1] = a->points[2 * p + 1];
}

/* Rows of count + 1 nearest points: takes the point itself, or else the last one, out of each. */
struct bi_geometric_drop_self {
    uint32_t *rows;
    int64_t count;        /* of others */
    const uint32_t *self; /* NULL: row i is of point i */
};

BI_FN void bi_step_drop_self(const struct bi_geometric_drop_self *a, int64_t i)
{
    uint32_t *row = a->rows + i * (a->count + 1), self = a->self ? a->self[i] : (uint32_t)i;
    int64_t k = 0;
    while (k < a->count && row[k] != self) k++;
    for (; k < a->count; k++) row[k] = row[k + 1];
}

BI_FN void bi_step_choose_bases(const struct bi_geometric_choice *a, int64_t i)
{
    uint64_t r = bi_geometric_number(a, i);
    uint32_t *corner = a->list + BI_GEOMETRIC_CORNERS * i;
    if (a->neighbours.rows) {
        uint64_t choices = bi_geometric_choices(a->neighbours.low, a->neighbours.high, a->affine), p = r / choices;
        uint64_t row = a->model ? p : (uint64_t)i;
        corner[0] = (uint32_t)p;
        bi_geometric_neighbour_corners(r % choices, a->neighbours.rows + row * (uint64_t)(a->neighbours.count + 1),
                                       a->neighbours.low, a->neighbours.high, a->affine, corner);
        corner[3] = (uint32_t)row;
    } else {
        bi_geometric_corners(r, (uint64_t)a->n, a->affine, corner);
    }
    if (!a->model) return;
    struct bi_geometric_basis f = bi_geometric_frame(a->points, corner, a->affine);
    a->keep[i] =
        a->neighbours.rows ? bi_geometric_is_wide(&f, a->affine) : (f.scale < 0 ? -f.scale : f.scale) >= a->min_size;
}

/* Coordinates of points in bases: of point i % per in basis i / per. */
struct bi_geometric_coordinates {
    const double *points;
    const uint32_t *list, *rows; /* rows: of neighbours, or NULL */
    int64_t per;
    bool affine;
    float outside;
    float *uv;
};

BI_FN void bi_step_coordinates(const struct bi_geometric_coordinates *a, int64_t i)
{
    const uint32_t *corner = a->list + BI_GEOMETRIC_CORNERS * (i / a->per);
    int64_t p = i % a->per;
    if (a->rows) p = (int64_t)a->rows[(int64_t)corner[3] * (a->per + 1) + p];
    bool own = p == corner[0] || p == corner[1] || (a->affine && p == corner[2]);
    struct bi_geometric_basis f = bi_geometric_frame(a->points, corner, a->affine);
    if (own || f.scale == 0)
        a->uv[2 * i] = a->uv[2 * i + 1] = a->outside;
    else
        bi_geometric_coordinates(&f, a->points + 2 * p, a->affine, a->outside, a->uv + 2 * i);
}

#endif
