/* Models of points, and scenes that contain them. */
#ifndef TESTS_CASES_GEOMETRIC_GEOMETRIC_DATA_H
#define TESTS_CASES_GEOMETRIC_GEOMETRIC_DATA_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "support/suite.h"

enum { MOST = 20000, SMALL = 32 };

struct scene {
    double model[2 * MOST], points[2 * MOST], transform[6];
    int64_t n, m, place[MOST]; /* place: of each model point in the scene, or -1 */
};

static inline double normal(struct suite_random *r)
{
    return sqrt(-2 * log(1 - suite_unit(r))) * cos(6.283185307179586 * suite_unit(r));
}

static inline void apply(const double t[6], const double *p, double *q)
{
    q[0] = t[0] * p[0] + t[1] * p[1] + t[2];
    q[1] = t[3] * p[0] + t[4] * p[1] + t[5];
}

/* A model of unit size at `scale` times it; every `missing`-th point left out, `others` put in. */
static inline void make_scene(struct suite_random *r, struct scene *s, bool affine, int64_t n, double noise,
                              int missing, int64_t others)
{
    double angle = 6.283185307179586 * suite_unit(r), scale = 0.2 + 3 * suite_unit(r);
    s->n = n;
    s->m = 0;
    for (int64_t i = 0; i < 2 * n; i++) s->model[i] = suite_unit(r) * 2 - 1;
    double *t = s->transform;
    t[0] = scale * cos(angle);
    t[3] = scale * sin(angle);
    t[1] = -t[3] + (affine ? 0.5 * scale * suite_unit(r) : 0);
    t[4] = t[0] * (affine ? 1.4 : 1);
    t[2] = 10 * suite_unit(r);
    t[5] = -7 * suite_unit(r);
    for (int64_t i = 0; i < n; i++) {
        s->place[i] = -1;
        if (missing && i % missing == 0) continue;
        s->place[i] = s->m;
        apply(t, s->model + 2 * i, s->points + 2 * s->m);
        for (int k = 0; k < 2; k++) s->points[2 * s->m + k] += noise * scale * normal(r);
        s->m++;
    }
    for (int64_t i = 0; i < others; i++, s->m++)
        for (int k = 0; k < 2; k++) s->points[2 * s->m + k] = t[3 * k + 2] + scale * 5 * (suite_unit(r) - 0.5);
    for (int64_t a = s->m - 1; a > 0; a--) { /* in any order */
        int64_t b = (int64_t)suite_below(r, (uint64_t)a + 1);
        for (int k = 0; k < 2; k++) {
            double x = s->points[2 * a + k];
            s->points[2 * a + k] = s->points[2 * b + k];
            s->points[2 * b + k] = x;
        }
        for (int64_t i = 0; i < n; i++) s->place[i] = s->place[i] == a ? b : s->place[i] == b ? a : s->place[i];
    }
}

#endif
