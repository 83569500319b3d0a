/* The steps of geometric hashing: what happens to item i, for the CPU and the device. */
#ifndef BI_GEOMETRIC_STEPS_H
#define BI_GEOMETRIC_STEPS_H

#include <math.h>

#include "base/atomic.h"
#include "base/philox.h"
#include "geometric/basis.h"
#include "geometric/table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_GEOMETRIC_MODEL = 1, BI_GEOMETRIC_SCENE = 2 }; /* streams of random bases */

/* The near points that bases are taken from, where not all points are: of each base point, the first of a basis, a row
 * of `count` others and one unused element, nearest first. The basis' other points are those of ranks low to high - 1.
 */
struct bi_geo_near {
    uint32_t *rows; /* NULL: all points take part */
    int64_t count;
    uint32_t low, high;
};

/* Bases `from`, from + 1, ... of a choice of `count` among `all`: all of them; for a model one of each of as many equal
 * parts; for a scene any. keep (model): whether they serve. */
struct bi_geo_choose {
    const double *points;
    int64_t n, from, count;
    uint64_t all, seed;
    bool affine, model;
    double least; /* model, all points: the least squared length, or doubled area */
    struct bi_geo_near near;
    uint32_t *list;
    uint8_t *keep;
    double *places; /* geo_pick: of the base points */
    uint32_t *self; /* geo_pick: which they are */
};

/* The number of basis i among all of its kind. */
BI_FN uint64_t bi_geo_number(const struct bi_geo_choose *a, int64_t i)
{
    uint64_t t = (uint64_t)(a->from + i), count = (uint64_t)a->count;
    if (count >= a->all) return t;
    struct bi_philox block = bi_philox_at(a->seed, a->model ? BI_GEOMETRIC_MODEL : BI_GEOMETRIC_SCENE, t);
    uint64_t random = (uint64_t)block.v[1] << 32 | block.v[0], part = a->all / count, longer = a->all % count;
    if (!a->model) return random % a->all;
    return t * part + (t < longer ? t : longer) + random % (part + (t < longer));
}

/* Its base point, which near points are asked of. */
BI_FN void bi_step_geo_pick(const struct bi_geo_choose *a, int64_t i)
{
    int64_t p = (int64_t)(bi_geo_number(a, i) / bi_geo_choices(a->near.low, a->near.high, a->affine));
    a->self[i] = (uint32_t)p;
    a->places[2 * i] = a->points[2 * p];
    a->places[2 * i + 1] = a->points[2 * p + 1];
}

/* Rows of the nearest points, in which a point finds itself, or as many others in its place. */
struct bi_geo_others {
    uint32_t *rows;
    int64_t count;        /* of others */
    const uint32_t *self; /* NULL: row i is of point i */
};

BI_FN void bi_step_geo_others(const struct bi_geo_others *a, int64_t i)
{
    uint32_t *row = a->rows + i * (a->count + 1), self = a->self ? a->self[i] : (uint32_t)i;
    int64_t k = 0;
    while (k < a->count && row[k] != self) k++;
    for (; k < a->count; k++) row[k] = row[k + 1];
}

BI_FN void bi_step_geo_choose(const struct bi_geo_choose *a, int64_t i)
{
    uint64_t r = bi_geo_number(a, i);
    uint32_t *corner = a->list + BI_GEOMETRIC_CORNERS * i;
    if (a->near.rows) {
        uint64_t choices = bi_geo_choices(a->near.low, a->near.high, a->affine), p = r / choices;
        uint64_t row = a->model ? p : (uint64_t)i;
        corner[0] = (uint32_t)p;
        bi_geo_near_corners(r % choices, a->near.rows + row * (uint64_t)(a->near.count + 1), a->near.low, a->near.high,
                            a->affine, corner);
        corner[3] = (uint32_t)row;
    } else {
        bi_geo_corners(r, (uint64_t)a->n, a->affine, corner);
    }
    if (!a->model) return;
    struct bi_geo_basis f = bi_geo_frame(a->points, corner, a->affine);
    a->keep[i] = a->near.rows ? bi_geo_is_wide(&f, a->affine) : (f.scale < 0 ? -f.scale : f.scale) >= a->least;
}

/* Coordinates of the points of bases: of i % per of basis i / per. */
struct bi_geo_place {
    const double *points;
    const uint32_t *list, *rows; /* rows: of near points, or NULL */
    int64_t per;
    bool affine;
    float outside;
    float *uv;
};

BI_FN void bi_step_geo_place(const struct bi_geo_place *a, int64_t i)
{
    const uint32_t *corner = a->list + BI_GEOMETRIC_CORNERS * (i / a->per);
    int64_t p = i % a->per;
    if (a->rows) p = (int64_t)a->rows[(int64_t)corner[3] * (a->per + 1) + p];
    bool own = p == corner[0] || p == corner[1] || (a->affine && p == corner[2]);
    struct bi_geo_basis f = bi_geo_frame(a->points, corner, a->affine);
    if (own || f.scale == 0)
        a->uv[2 * i] = a->uv[2 * i + 1] = a->outside;
    else
        bi_geo_coordinates(&f, a->points + 2 * p, a->affine, a->outside, a->uv + 2 * i);
}

/* The votes of query i, of scene basis i / per: one for each model basis among the entries of its row, as those of one
 * basis lie together. What is no vote goes to the last bin. */
struct bi_geo_vote {
    const int64_t *offsets;
    const uint32_t *ids;
    int64_t per, model_per, bases; /* points of a scene basis and of a model basis */
    uint32_t none;                 /* the last bin */
    uint32_t *bins;
};

BI_FN void bi_step_geo_vote(const struct bi_geo_vote *a, int64_t i)
{
    int64_t before = -1;
    for (int64_t t = a->offsets[i]; t < a->offsets[i + 1]; t++) {
        int64_t basis = a->ids[t] / a->model_per;
        a->bins[t] = basis == before ? a->none : (uint32_t)(i / a->per * a->bases + basis);
        before = basis;
    }
}

/* Of each scene basis the model basis of most votes, of several the first: best[k] becomes the smallest
 * (UINT32_MAX - votes) << 32 | basis. */
struct bi_geo_best {
    const int64_t *votes;
    int64_t bases;
    uint64_t *best;
};

BI_FN void bi_step_geo_best(const struct bi_geo_best *a, int64_t i)
{
    if (a->votes[i] == 0) return;
    uint64_t word = (uint64_t)(UINT32_MAX - (uint32_t)a->votes[i]) << 32 | (uint64_t)(i % a->bases);
    bi_atomic_min_u64(&a->best[i / a->bases], word);
}

struct bi_geo_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "geometric/steps.def"
#undef BI_STEP
};

extern const struct bi_geo_steps bi_geo_steps_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_geo_steps bi_geo_steps_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
