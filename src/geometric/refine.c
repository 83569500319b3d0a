/* Refines a match by least squares over the points that its transform brings together. */
#include <math.h>
#include <string.h>

#include "core/call.h"
#include "geometric/find.h"

enum { ROUNDS = 8 }; /* of least squares on all points */

/* A refinement at work. Least squares takes points within `reach` of `centre`. */
struct subject {
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

/* f->moved, f->moved_ids: the positions of the model points in reach, and which they are. Returns how many. */
static int64_t move_points(struct bi_geometric_search *f, const struct subject *s)
{
    int dim = f->form.dim;
    int64_t k = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double *p = s->points + dim * i;
        f->ids[i] = -1;
        if (!(distance2(p, s->centre, dim) <= s->reach * s->reach)) continue;
        for (int row = 0; row < dim; row++) {
            const double *t = s->transform + (dim + 1) * row;
            double x = t[0] * p[0];
            for (int c = 1; c < dim; c++) x += t[c] * p[c];
            f->moved[dim * k + row] = x + t[dim];
        }
        f->moved_ids[k++] = (uint32_t)i;
    }
    return k;
}

/* ids and dist2: the nearest scene point of each model point in reach under the transform, within a radius. *count: how
 * many model points are in reach. */
static bosc_status find_nearest(struct bi_geometric_search *f, const struct subject *s, double radius, int64_t *count)
{
    int64_t k = *count = move_points(f, s);
    size_t row = (size_t)f->form.dim * sizeof(double);
    double *moved, *dist2;
    uint32_t *ids;
    BI_TRY(bi_scratch_of(f->ctx, k, row, &moved));
    BI_TRY(bi_scratch_of(f->ctx, k, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, k, sizeof *dist2, &dist2));
    BI_TRY(f->ctx->backend->copy(f->ctx, moved, f->moved, (size_t)k * row));
    BI_TRY(bosc_kdtree_knn_within(f->ctx, f->tree, moved, k, 0, 1, radius, ids, dist2));
    BI_TRY(f->ctx->backend->copy(f->ctx, f->nearest, ids, (size_t)k * sizeof *ids));
    BI_TRY(f->ctx->backend->copy(f->ctx, f->moved, dist2, (size_t)k * sizeof *dist2));
    BI_TRY(f->ctx->backend->sync(f->ctx));
    for (int64_t i = 0; i < k; i++) {
        if (f->nearest[i] == UINT32_MAX) continue;
        f->ids[f->moved_ids[i]] = f->nearest[i];
        f->dist2[f->moved_ids[i]] = f->moved[i];
    }
    return BOSC_OK;
}

/* Each scene point stays with the nearest of the model points that it is nearest to, the first of equals. Returns how
 * many model points are left, and the sum of their squared distances. */
static int64_t match_one_to_one(struct bi_geometric_search *f, int64_t n, double *sum)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (f->ids[i] < 0) continue;
        int64_t *owner = &f->owner[f->ids[i]];
        if (*owner >= 0 && f->dist2[*owner] <= f->dist2[i]) {
            f->ids[i] = -1;
        } else {
            if (*owner >= 0) f->ids[*owner] = -1;
            *owner = i;
        }
    }
    *sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (f->ids[i] < 0) continue;
        f->owner[f->ids[i]] = -1;
        *sum += f->dist2[i];
        count++;
    }
    return count;
}

static void keep_better(struct bi_geometric_search *f, const struct subject *s, int64_t inliers, double sum,
                        int64_t votes)
{
    double error = inliers > 0 ? sqrt(sum / (double)inliers) : 0;
    bosc_geometric_match *best = &f->best[s->number];
    if (best->votes > 0 && (inliers < best->inliers || (inliers == best->inliers && error >= best->error))) return;
    if (best->votes == 0) f->active[f->active_count++] = s->number;
    memcpy(best->transform, s->transform, sizeof best->transform);
    memcpy(f->best_ids + s->model->first, f->ids, (size_t)s->n * sizeof *f->ids);
    best->model = (int32_t)s->number;
    best->votes = votes;
    best->inliers = inliers;
    best->error = error;
    best->found = (double)inliers >= f->table->opts.min_fraction * (double)s->n;
}

/* Rounds of least squares: first, if `wide`, from a wider circle, as few points far from the basis are at their
 * positions yet. Where neighbours take part, points near the basis come first, and then those twice as far each time:
 * errors shrink faster than distances grow. A transform that does not hold near the basis is given up. */
static bosc_status refine(struct bi_geometric_search *f, struct subject *s, bool wide, int64_t votes)
{
    int64_t count;
    double sum;
    for (int round = 0; round <= ROUNDS; wide = false) {
        memcpy(f->last, f->ids, (size_t)s->n * sizeof *f->ids);
        if (!bi_geometric_fit(s->points, s->n, f->scene, f->ids, &f->form, s->transform)) return BOSC_OK;
        double radius = s->model->tolerance * bi_geometric_scale_of(s->transform, &f->form);
        BI_TRY_WITH_SCRATCH(f->ctx, find_nearest(f, s, wide ? 3 * radius : radius, &count));
        int64_t inliers = match_one_to_one(f, s->n, &sum);
        round += count == s->n;
        if (wide) continue;
        if (count < s->n) {
            if ((double)inliers < 0.75 * f->table->opts.min_fraction * (double)count) return BOSC_OK;
            s->reach *= 2;
            continue;
        }
        keep_better(f, s, inliers, sum, votes);
        if (memcmp(f->last, f->ids, (size_t)s->n * sizeof *f->ids) == 0) return BOSC_OK;
    }
    return BOSC_OK;
}

static struct subject subject_of(const struct bi_geometric_search *f, int64_t model, const double *centre, double reach)
{
    return (struct subject){.number = model,
                            .n = f->models[model].n,
                            .model = &f->models[model],
                            .points = bi_geometric_model_points(f, model),
                            .centre = centre,
                            .reach = reach};
}

bosc_status bi_geometric_refine(struct bi_geometric_search *f, int64_t model, const double *centre, double reach,
                                int64_t votes)
{
    struct subject s = subject_of(f, model, centre, reach);
    return refine(f, &s, true, votes);
}

bosc_status bi_geometric_refine_rest(struct bi_geometric_search *f, int64_t model)
{
    struct subject s = subject_of(f, model, bi_geometric_model_points(f, model), (double)INFINITY);
    int64_t votes = f->best[model].votes;
    memcpy(f->ids, f->best_ids + s.model->first, (size_t)s.n * sizeof *f->ids);
    f->best[model].votes = 0;
    if (f->m == 0) return BOSC_OK;
    return refine(f, &s, false, votes);
}
