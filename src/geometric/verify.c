/* Verifies the scene bases with the most votes in a batch, each with the model basis that won it. A match of both bases
 * is refined: least-squares transforms of its pairs alternate with the pairs of the transform (iterative closest
 * point). */
#include <math.h>
#include <string.h>

#include "core/call.h"
#include "geometric/search.h"

/* ---- refinement ---- */

/* Rounds of least squares on all points, at most. More cost time where inliers keep changing. Not measured. */
enum { ROUNDS = 8 };

/* The match that is refined. Least squares uses model points within `reach` of `centre`. */
struct refinement {
    int64_t number, n;
    const struct bi_geometric_model *model;
    const double *points, *centre;
    double transform[12], reach;
};

static double distance2(const double *a, const double *b, int dim)
{
    double sum = 0;
    for (int k = 0; k < dim; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* Transforms the model points in reach: pairs.moved, and their numbers in pairs.moved_ids. Returns their number. */
static int64_t transform_points(struct bi_geometric_search *f, const struct refinement *s)
{
    int dim = f->form.dim;
    int64_t k = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double *p = s->points + dim * i;
        f->pairs.ids[i] = -1;
        if (!(distance2(p, s->centre, dim) <= s->reach * s->reach)) continue;
        for (int row = 0; row < dim; row++) {
            const double *t = s->transform + (dim + 1) * row;
            double x = t[0] * p[0];
            for (int c = 1; c < dim; c++) x += t[c] * p[c];
            f->pairs.moved[dim * k + row] = x + t[dim];
        }
        f->pairs.moved_ids[k++] = (uint32_t)i;
    }
    return k;
}

/* pairs.ids and dist2: the nearest scene point, within a radius, of each transformed model point in reach. *count:
 * number of model points in reach. */
static bosc_status find_nearest(struct bi_geometric_search *f, const struct refinement *s, double radius,
                                int64_t *count)
{
    int64_t k = *count = transform_points(f, s);
    size_t row = (size_t)f->form.dim * sizeof(double);
    double *moved, *dist2;
    uint32_t *ids;
    BI_TRY(bi_scratch_of(f->ctx, k, row, &moved));
    BI_TRY(bi_scratch_of(f->ctx, k, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, k, sizeof *dist2, &dist2));
    BI_TRY(f->ctx->backend->copy(f->ctx, moved, f->pairs.moved, (size_t)k * row));
    BI_TRY(bosc_kdtree_knn_within(f->ctx, f->scene.tree, moved, k, 0, 1, radius, ids, dist2));
    BI_TRY(f->ctx->backend->copy(f->ctx, f->pairs.nearest, ids, (size_t)k * sizeof *ids));
    BI_TRY(f->ctx->backend->copy(f->ctx, f->pairs.moved, dist2, (size_t)k * sizeof *dist2));
    BI_TRY(f->ctx->backend->sync(f->ctx));
    for (int64_t i = 0; i < k; i++) {
        if (f->pairs.nearest[i] == UINT32_MAX) continue;
        f->pairs.ids[f->pairs.moved_ids[i]] = f->pairs.nearest[i];
        f->pairs.dist2[f->pairs.moved_ids[i]] = f->pairs.moved[i];
    }
    return BOSC_OK;
}

/* Keeps for each scene point only the pair with the nearest model point, the first of equals. Returns the number of
 * pairs that remain and the sum of their squared distances. */
static int64_t match_one_to_one(struct bi_geometric_search *f, int64_t n, double *sum)
{
    int64_t count = 0;
    /* 1. Resolve conflicts: owner[p] is the nearest model point of scene point p so far. */
    for (int64_t i = 0; i < n; i++) {
        if (f->pairs.ids[i] < 0) continue;
        int64_t *owner = &f->pairs.owner[f->pairs.ids[i]];
        if (*owner >= 0 && f->pairs.dist2[*owner] <= f->pairs.dist2[i]) {
            f->pairs.ids[i] = -1;
        } else {
            if (*owner >= 0) f->pairs.ids[*owner] = -1;
            *owner = i;
        }
    }
    /* 2. Sum up the remaining pairs, and reset their owners for the next round. */
    *sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (f->pairs.ids[i] < 0) continue;
        f->pairs.owner[f->pairs.ids[i]] = -1;
        *sum += f->pairs.dist2[i];
        count++;
    }
    return count;
}

/* Stores the match as the best of its model unless the model has a better one. */
static void store_if_better(struct bi_geometric_search *f, const struct refinement *s, int64_t inliers, double sum,
                            int64_t votes)
{
    double error = inliers > 0 ? sqrt(sum / (double)inliers) : 0;
    bosc_geometric_match *best = &f->best.match[s->number];
    if (best->votes > 0 && (inliers < best->inliers || (inliers == best->inliers && error >= best->error))) return;
    if (best->votes == 0) f->best.active[f->best.active_count++] = s->number;
    memcpy(best->transform, s->transform, sizeof best->transform);
    memcpy(f->best.ids + s->model->first_point, f->pairs.ids, (size_t)s->n * sizeof *f->pairs.ids);
    best->model = (int32_t)s->number;
    best->votes = votes;
    best->inliers = inliers;
    best->error = error;
    best->found = (double)inliers >= f->table->opts.min_fraction * (double)s->n;
}

/* Refines the match in pairs.ids by rounds of least squares. If `loose`, the first round pairs points within three
 * times the tolerance, since points far from the basis are still off. With neighbours, `reach` starts near the basis
 * and doubles each round: errors shrink faster than distances grow. Stops if the transform fails near the basis, or if
 * the pairs no longer change. */
static bosc_status refine_match(struct bi_geometric_search *f, struct refinement *s, bool loose, int64_t votes)
{
    int64_t count;
    double sum;
    for (int round = 0; round <= ROUNDS; loose = false) {
        memcpy(f->pairs.last_ids, f->pairs.ids, (size_t)s->n * sizeof *f->pairs.ids);
        if (!bi_geometric_fit(s->points, s->n, f->scene.host_points, f->pairs.ids, &f->form, s->transform))
            return BOSC_OK;
        double radius = s->model->tolerance * bi_geometric_scale_of(s->transform, &f->form);
        BI_TRY_WITH_SCRATCH(f->ctx, find_nearest(f, s, loose ? 3 * radius : radius, &count));
        int64_t inliers = match_one_to_one(f, s->n, &sum);
        round += count == s->n; /* rounds of all points are counted */
        if (loose) continue;
        /* Not all points are in reach yet: widen it if there are 3/4 of the least inliers. Not measured. */
        if (count < s->n) {
            if ((double)inliers < 0.75 * f->table->opts.min_fraction * (double)count) return BOSC_OK;
            s->reach *= 2;
            continue;
        }
        store_if_better(f, s, inliers, sum, votes);
        if (memcmp(f->pairs.last_ids, f->pairs.ids, (size_t)s->n * sizeof *f->pairs.ids) == 0) return BOSC_OK;
    }
    return BOSC_OK;
}

static struct refinement refinement_of(const struct bi_geometric_search *f, int64_t model, const double *centre,
                                       double reach)
{
    return (struct refinement){.number = model,
                               .n = f->models[model].n,
                               .model = &f->models[model],
                               .points = bi_geometric_model_points(f, model),
                               .centre = centre,
                               .reach = reach};
}

bosc_status bi_geometric_refine_remaining(struct bi_geometric_search *f, int64_t model)
{
    struct refinement s = refinement_of(f, model, bi_geometric_model_points(f, model), (double)INFINITY);
    int64_t votes = f->best.match[model].votes;
    memcpy(f->pairs.ids, f->best.ids + s.model->first_point, (size_t)s.n * sizeof *f->pairs.ids);
    f->best.match[model].votes = 0;
    if (f->scene.count == 0) return BOSC_OK;
    return refine_match(f, &s, false, votes);
}

/* ---- choice of bases ---- */

enum {
    CANDIDATES = 4, /* of a batch, for each model; these numbers are not measured */
    NEIGHBOUR_CANDIDATES = 8,
    MODELS = 8, /* with several models, a batch has this many times as many candidates in all */
    MOST_CANDIDATES = NEIGHBOUR_CANDIDATES * MODELS
};

/* Returns the model of a basis of the table. */
static int64_t model_of(const struct bi_geometric_search *f, int64_t basis)
{
    int64_t next = 1, end = f->table->count; /* the first model that begins after the basis */
    BI_PARTITION_POINT(next, end, middle, f->models[middle].first_basis <= basis);
    return next - 1;
}

/* Pairs the points of scene basis k with those of the model basis that won it, and refines this match. With neighbours,
 * the refinement starts with points within twice the basis's length of its first point: errors of a small basis are
 * large far away. */
static bosc_status refine_from_basis(struct bi_geometric_search *f, int64_t k, int64_t model, int64_t votes)
{
    struct bi_geometric_corners corners;
    int64_t basis = (int64_t)(uint32_t)f->trials.words[k], first = f->models[model].first_point;
    const double *points = bi_geometric_model_points(f, model), *centre;
    BI_TRY(bi_read_back(f->ctx, &corners, (const struct bi_geometric_corners *)f->table->list.data + basis,
                        sizeof corners));
    centre = points + f->form.dim * ((int64_t)corners.point[0] - first);
    double reach = f->trials.neighbours.count ? 0 : (double)INFINITY;
    for (int64_t i = 0; i < f->models[model].n; i++) f->pairs.ids[i] = -1;
    for (int c = 0; c < f->form.corners; c++) {
        int64_t i = (int64_t)corners.point[c] - first;
        f->pairs.ids[i] = f->trials.corners[k].point[c];
        double far = 2 * sqrt(distance2(points + f->form.dim * i, centre, f->form.dim));
        if (far > reach) reach = far;
    }
    struct refinement s = refinement_of(f, model, centre, reach);
    return refine_match(f, &s, true, votes);
}

/* True if a basis of a model is to be verified, after `count` bases of the models `verified`: it has votes of half of
 * the least inliers, as errors of the basis lose some, and fewer of its model's bases than the limit were verified. The
 * half is not measured. */
static bool is_candidate(const struct bi_geometric_search *f, int64_t model, int64_t votes, const int64_t *verified,
                         int count)
{
    double others = (double)(f->models[model].points_per_basis - f->form.corners);
    int same = 0;
    for (int i = 0; i < count; i++) same += verified[i] == model;
    return (double)votes >= 0.5 * f->table->opts.min_fraction * others &&
           same < (f->trials.neighbours.count ? NEIGHBOUR_CANDIDATES : CANDIDATES);
}

bosc_status bi_geometric_verify_best(struct bi_geometric_search *f, int64_t count)
{
    int64_t verified[MOST_CANDIDATES];
    uint64_t *words = f->trials.words;
    int per_model = f->trials.neighbours.count ? NEIGHBOUR_CANDIDATES : CANDIDATES, c = 0;
    int most = per_model * (f->table->count > 1 ? MODELS : 1);
    for (int64_t tries = 0; tries < count && c < most; tries++) {
        /* Select the basis with the most votes: the smallest word, which starts with UINT32_MAX - votes. */
        int64_t first = 0;
        for (int64_t k = 1; k < count; k++)
            if (words[k] >> 32 < words[first] >> 32) first = k;
        int64_t votes = UINT32_MAX - (int64_t)(words[first] >> 32);
        if (votes == 0) return BOSC_OK;
        int64_t model = model_of(f, (int64_t)(uint32_t)words[first]);
        if (is_candidate(f, model, votes, verified, c)) {
            BI_TRY(refine_from_basis(f, first, model, votes));
            verified[c++] = model;
        }
        words[first] = UINT64_MAX; /* no votes: not selected again */
    }
    return BOSC_OK;
}
