/* Refines a match: alternates the least-squares transform of its pairs and the pairs of this transform (iterative
 * closest point). */
#include <math.h>
#include <string.h>

#include "core/call.h"
#include "geometric/search_phases.h"

enum { ROUNDS = 8 }; /* of least squares on all points, at most; chosen */

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

/* Pairs each scene point with only the nearest of its model points, the first of equals. Returns the number of pairs
 * that remain and the sum of their squared distances. */
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

/* Runs rounds of least squares. If `loose`, the first round pairs points within three times the tolerance, since points
 * far from the basis are still off. With neighbours, `reach` starts near the basis and doubles each round: errors
 * shrink
 * faster than distances grow. Stops if the transform fails near the basis, or if the pairs no longer change. */
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
        if (count < s->n) { /* not all points are in reach yet: widen it if the transform holds */
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

bosc_status bi_geometric_refine(struct bi_geometric_search *f, int64_t model, const double *centre, double reach,
                                int64_t votes)
{
    struct refinement s = refinement_of(f, model, centre, reach);
    return refine_match(f, &s, true, votes);
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
