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

/* Bases `from`, from + 1, ... of a choice of `count` among `all`: all of them; for a model one of each of as many equal
 * parts; for a scene any. keep (model): whether they serve. */
struct bi_geo_choose {
    const double *points;
    int64_t n, from, count;
    uint64_t all, seed;
    bool affine;
    double least; /* model: the least squared length, or doubled area */
    uint32_t *list;
    uint8_t *keep; /* NULL: a scene's */
};

BI_FN void bi_step_geo_choose(const struct bi_geo_choose *a, int64_t i)
{
    uint64_t t = (uint64_t)(a->from + i), r = t, count = (uint64_t)a->count;
    uint32_t *corner = a->list + BI_GEOMETRIC_CORNERS * i;
    if (count < a->all) {
        struct bi_philox block = bi_philox_at(a->seed, a->keep ? BI_GEOMETRIC_MODEL : BI_GEOMETRIC_SCENE, t);
        uint64_t random = (uint64_t)block.v[1] << 32 | block.v[0], part = a->all / count;
        r = a->keep ? t * part + random % part : random % a->all;
    }
    bi_geo_corners(r, (uint64_t)a->n, a->affine, corner);
    if (!a->keep) return;
    struct bi_geo_basis f = bi_geo_frame(a->points, corner, a->affine);
    a->keep[i] = (f.scale < 0 ? -f.scale : f.scale) >= a->least;
}

/* Coordinates of point i % n in basis i / n. */
struct bi_geo_place {
    const double *points;
    const uint32_t *list;
    int64_t n;
    bool affine;
    float outside;
    float *uv;
};

BI_FN void bi_step_geo_place(const struct bi_geo_place *a, int64_t i)
{
    const uint32_t *corner = a->list + BI_GEOMETRIC_CORNERS * (i / a->n);
    int64_t p = i % a->n;
    bool own = p == corner[0] || p == corner[1] || (a->affine && p == corner[2]);
    struct bi_geo_basis f = bi_geo_frame(a->points, corner, a->affine);
    if (own || f.scale == 0)
        a->uv[2 * i] = a->uv[2 * i + 1] = a->outside;
    else
        bi_geo_coordinates(&f, a->points + 2 * p, a->affine, a->outside, a->uv + 2 * i);
}

/* The votes of query i, of scene basis i / m: one for each model basis among the entries of its row, as those of one
 * basis lie together. What is no vote goes to the last bin. */
struct bi_geo_vote {
    const int64_t *offsets;
    const uint32_t *ids;
    int64_t m, n, bases;
    uint32_t none; /* the last bin */
    uint32_t *bins;
};

BI_FN void bi_step_geo_vote(const struct bi_geo_vote *a, int64_t i)
{
    int64_t before = -1;
    for (int64_t t = a->offsets[i]; t < a->offsets[i + 1]; t++) {
        int64_t basis = a->ids[t] / a->n;
        a->bins[t] = basis == before ? a->none : (uint32_t)(i / a->m * a->bases + basis);
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
    bi_lower_u64(&a->best[i / a->bases], word);
}

/* Model point i where the transform puts it. */
struct bi_geo_move {
    const double *points;
    double transform[6];
    double *moved;
};

BI_FN void bi_step_geo_move(const struct bi_geo_move *a, int64_t i)
{
    const double *t = a->transform, x = a->points[2 * i], y = a->points[2 * i + 1];
    a->moved[2 * i] = t[0] * x + t[1] * y + t[2];
    a->moved[2 * i + 1] = t[3] * x + t[4] * y + t[5];
}

/* The nearest of the scene points in row i, of several the first; -1 if there is none. */
struct bi_geo_nearest {
    const int64_t *offsets, *ids;
    const double *dist2;
    int64_t *nearest;
    double *nearest2;
};

BI_FN void bi_step_geo_nearest(const struct bi_geo_nearest *a, int64_t i)
{
    int64_t id = -1;
    double least = (double)INFINITY;
    for (int64_t t = a->offsets[i]; t < a->offsets[i + 1]; t++)
        if (a->dist2[t] < least) {
            least = a->dist2[t];
            id = a->ids[t];
        }
    a->nearest[i] = id;
    a->nearest2[i] = least;
}

struct bi_geo_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "geometric/steps.def"
#undef BI_STEP
};

extern const struct bi_geo_steps bi_geo_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_geo_steps bi_geo_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
