/* Many models of 2-D or 3-D points, and scenes that contain some of them. */
#ifndef TESTS_CASES_GEOMETRIC_GEOMETRIC_MODELS_DATA_H
#define TESTS_CASES_GEOMETRIC_GEOMETRIC_MODELS_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

enum { MODELS_MOST = 1000, POINTS_MOST = 20000, SCENE_MOST = 2000, MATCHES_MOST = 24, LARGEST = 200 };

struct models {
    bosc_geometric_opts opts;
    int64_t count, m, offsets[MODELS_MOST + 1];
    double points[3 * POINTS_MOST], scene[3 * SCENE_MOST];
    int64_t placed;                                   /* number of models in the scene */
    int64_t number[MATCHES_MOST];                     /* ids of the models in the scene */
    double transform[MATCHES_MOST][12];               /* and their transforms */
    int64_t first[MATCHES_MOST], shown[MATCHES_MOST]; /* first and number of their points in the scene */
};

static inline double between(struct suite_random *r, double low, double high)
{
    return low + (high - low) * suite_unit(r);
}

static inline struct models *new_models(int dim, bosc_geometric_kind kind)
{
    struct models *s = suite_alloc(sizeof *s);
    memset(s, 0, sizeof *s);
    s->opts = (bosc_geometric_opts){.size = sizeof s->opts, .dim = dim, .kind = kind, .tolerance = 0.02};
    return s;
}

static inline int64_t size_of(const struct models *s, int64_t model)
{
    return s->offsets[model + 1] - s->offsets[model];
}

static inline int64_t largest_of(const struct models *s)
{
    int64_t most = 0;
    for (int64_t k = 0; k < s->count; k++)
        if (size_of(s, k) > most) most = size_of(s, k);
    return most;
}

/* Applies a transform to a point. */
static inline void apply(int dim, const double *t, const double *p, double *q)
{
    for (int k = 0; k < dim; k++) {
        q[k] = t[(dim + 1) * k + dim];
        for (int l = 0; l < dim; l++) q[k] += t[(dim + 1) * k + l] * p[l];
    }
}

/* A rotation by a random quaternion, in the plane by one about its normal. */
static inline void make_rotation(struct suite_random *r, int dim, double a[3][3])
{
    double q[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = dim == 3 || k % 3 == 0 ? between(r, -1, 1) : 0;
        sum += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++) q[k] /= sqrt(sum);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) a[k][l] = 2 * q[k + 1] * q[l + 1] + (k == l ? 2 * q[0] * q[0] - 1 : 0);
    for (int k = 0; k < 3; k++) {
        a[(k + 2) % 3][(k + 1) % 3] += 2 * q[0] * q[k + 1];
        a[(k + 1) % 3][(k + 2) % 3] -= 2 * q[0] * q[k + 1];
    }
}

/* A transform of a kind, with a random translation in a box of `room`. */
static inline void make_transform(struct suite_random *r, const bosc_geometric_opts *opts, double room, double *t)
{
    int dim = opts->dim ? opts->dim : 2;
    double a[3][3], scale = opts->kind == BOSC_GEOMETRIC_RIGID ? 1 : between(r, 0.7, 1.6);
    make_rotation(r, dim, a);
    memset(t, 0, 12 * sizeof *t);
    for (int k = 0; k < dim; k++) {
        for (int l = 0; l < dim; l++) {
            t[(dim + 1) * k + l] = scale * a[k][l];
            if (opts->kind == BOSC_GEOMETRIC_AFFINE) t[(dim + 1) * k + l] += between(r, -0.15, 0.15);
        }
        t[(dim + 1) * k + dim] = between(r, -room, room);
    }
}

/* `count` models of n to n + more points in a unit cube around 0; the scene is empty. */
static inline void make_models(struct suite_random *r, struct models *s, int64_t count, int64_t n, int64_t more)
{
    int dim = s->opts.dim ? s->opts.dim : 2;
    s->count = count;
    s->m = s->placed = s->offsets[0] = 0;
    for (int64_t k = 0; k < count; k++)
        s->offsets[k + 1] = s->offsets[k] + n + (int64_t)suite_below(r, (uint64_t)more + 1);
    for (int64_t i = 0; i < dim * s->offsets[count]; i++) s->points[i] = between(r, -1, 1);
}

/* Puts a model into the scene, with noise; about one of `missing` points is left out. */
static inline void place_model(struct suite_random *r, struct models *s, int64_t model, double room, double noise,
                               uint64_t missing)
{
    int dim = s->opts.dim ? s->opts.dim : 2;
    double *t = s->transform[s->placed];
    make_transform(r, &s->opts, room, t);
    s->number[s->placed] = model;
    s->first[s->placed] = s->m;
    for (int64_t i = s->offsets[model]; i < s->offsets[model + 1]; i++) {
        double *q = s->scene + dim * s->m;
        if (missing && suite_below(r, missing) == 0) continue;
        apply(dim, t, s->points + dim * i, q);
        for (int k = 0; k < dim; k++) q[k] += between(r, -noise, noise);
        s->m++;
    }
    s->shown[s->placed] = s->m - s->first[s->placed];
    s->placed++;
}

static inline void add_others(struct suite_random *r, struct models *s, double room, int64_t others)
{
    int dim = s->opts.dim ? s->opts.dim : 2;
    for (; others > 0; others--, s->m++)
        for (int k = 0; k < dim; k++) s->scene[dim * s->m + k] = between(r, -room, room);
}

static inline bosc_geometric *table_of_models(bosc_ctx *ctx, const struct models *s)
{
    bosc_geometric *table = NULL;
    CHECK_OK(ctx, bosc_geometric_create(ctx, &s->opts, &table));
    CHECK_OK(ctx, bosc_geometric_build_models(ctx, table, s->points, s->offsets, s->count));
    return table;
}

/* The result of a search. */
struct found {
    int64_t count, *ids;
    bosc_geometric_match matches[MATCHES_MOST];
};

static inline struct found *new_found(void)
{
    struct found *found = suite_alloc(sizeof *found);
    found->ids = suite_alloc((size_t)MATCHES_MOST * LARGEST * sizeof *found->ids);
    return found;
}

static inline void free_found(struct found *found)
{
    free(found->ids);
    free(found);
}

static inline void find_all(bosc_ctx *ctx, const bosc_geometric *table, const struct models *s, int64_t capacity,
                            struct found *found)
{
    memset(found->matches, 0, sizeof found->matches);
    found->matches[0].size = sizeof found->matches[0];
    CHECK_OK(ctx, bosc_geometric_find_models(ctx, table, s->scene, s->m, found->ids, found->matches, capacity,
                                             &found->count));
    CHECK(found->count >= 0 && found->count <= capacity);
}

/* The inliers and the error of a match agree with its ids and its transform; ids beyond the model's points are -1. */
static inline void check_match(const struct models *s, const bosc_geometric_match *match, const int64_t *ids)
{
    int dim = s->opts.dim ? s->opts.dim : 2;
    const double *t = match->transform;
    /* The tolerance grows with the scale of the transform. */
    double size = t[0] * t[4] - t[1] * t[3], sum = 0;
    if (dim == 3)
        size = t[0] * (t[5] * t[10] - t[6] * t[9]) - t[1] * (t[4] * t[10] - t[6] * t[8]) +
               t[2] * (t[4] * t[9] - t[5] * t[8]);
    double radius = s->opts.tolerance * (dim == 3 ? cbrt(fabs(size)) : sqrt(fabs(size)));
    bool taken[SCENE_MOST] = {false};
    int64_t inliers = 0, n = size_of(s, match->model), largest = largest_of(s);
    if (s->opts.kind == BOSC_GEOMETRIC_RIGID) CHECK(fabs(size - 1) < 1e-9);
    CHECK(match->size == sizeof *match && match->found == 1 && match->votes > 0 && match->trials > 0);
    /* Each id is used once, and its point is within the tolerance. */
    for (int64_t i = 0; i < largest; i++) {
        double q[3], d = 0;
        if (i >= n) CHECK_EQ(ids[i], -1);
        if (ids[i] == -1) continue;
        CHECK(ids[i] >= 0 && ids[i] < s->m && !taken[ids[i]]);
        taken[ids[i]] = true;
        apply(dim, t, s->points + dim * (s->offsets[match->model] + i), q);
        for (int k = 0; k < dim; k++) d += pow(q[k] - s->scene[dim * ids[i] + k], 2);
        CHECK(sqrt(d) <= radius * (1 + 1e-9));
        sum += d;
        inliers++;
    }
    CHECK_EQ(inliers, match->inliers);
    CHECK(fabs(match->error - sqrt(sum / (double)inliers)) <= 1e-9 * radius);
}

/* Matches are in order, and each model appears once unless several instances are requested. */
static inline void check_order(const struct models *s, const struct found *found)
{
    for (int64_t k = 0; k + 1 < found->count; k++) {
        const bosc_geometric_match *a = &found->matches[k], *b = a + 1;
        CHECK(a->inliers > b->inliers ||
              (a->inliers == b->inliers && (a->error < b->error || (a->error == b->error && a->model <= b->model))));
        for (int64_t l = k + 1; l < found->count && !s->opts.instances; l++) CHECK(found->matches[l].model != a->model);
    }
}

/* All placed models, and no others, are found at their positions. */
static inline void check_found(const struct models *s, const struct found *found, double off)
{
    bool seen[MATCHES_MOST] = {false};
    CHECK_EQ(found->count, s->placed);
    check_order(s, found);
    for (int64_t k = 0; k < found->count; k++) {
        const bosc_geometric_match *match = &found->matches[k];
        int64_t at = -1;
        check_match(s, match, found->ids + k * largest_of(s));
        for (int64_t p = 0; p < s->placed; p++) {
            bool near = s->number[p] == match->model && !seen[p];
            for (int i = 0; i < 12; i++) near = near && fabs(match->transform[i] - s->transform[p][i]) < off;
            if (near) at = p;
        }
        CHECK(at >= 0);
        seen[at] = true;
        CHECK(match->inliers * 10 >= s->shown[at] * 9);
    }
}

#endif
