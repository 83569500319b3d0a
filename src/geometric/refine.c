/* Verifies the bases of most votes on the points, and refines their transforms by least squares. */
#include <math.h>
#include <string.h>

#include "core/call.h"
#include "geometric/find.h"

enum {
    CANDIDATES = 4, /* of a batch */
    NEIGHBOUR_CANDIDATES = 8,
    ROUNDS = 8 /* of least squares on all points */
};

/* ids and dist2: the nearest scene point of each model point under a transform, within a radius; only of the *count
 * model points within a distance `reach` of `centre`. */
static bosc_status find_nearest(struct bi_geometric_search *f, const double t[6], double radius, const double *centre,
                                double reach, int64_t *count)
{
    int64_t k = 0;
    double *moved, *dist2;
    uint32_t *ids;
    for (int64_t i = 0; i < f->n; i++) {
        double x = f->model[2 * i], y = f->model[2 * i + 1], dx = x - centre[0], dy = y - centre[1];
        f->ids[i] = -1;
        if (!(dx * dx + dy * dy <= reach * reach)) continue;
        f->moved[2 * k] = t[0] * x + t[1] * y + t[2];
        f->moved[2 * k + 1] = t[3] * x + t[4] * y + t[5];
        f->moved_ids[k++] = (uint32_t)i;
    }
    *count = k;
    BI_TRY(bi_scratch_of(f->ctx, k, 2 * sizeof(double), &moved));
    BI_TRY(bi_scratch_of(f->ctx, k, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(f->ctx, k, sizeof *dist2, &dist2));
    BI_TRY(f->ctx->backend->copy(f->ctx, moved, f->moved, (size_t)k * 2 * sizeof *moved));
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
static int64_t match_one_to_one(struct bi_geometric_search *f, double *sum)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++) {
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
    for (int64_t i = 0; i < f->n; i++) {
        if (f->ids[i] < 0) continue;
        f->owner[f->ids[i]] = -1;
        *sum += f->dist2[i];
        count++;
    }
    return count;
}

static void keep_better(struct bi_geometric_search *f, const double transform[6], int64_t inliers, double sum,
                        int64_t votes)
{
    double error = inliers > 0 ? sqrt(sum / (double)inliers) : 0;
    bosc_geometric_match *best = &f->match;
    if (best->votes > 0 && (inliers < best->inliers || (inliers == best->inliers && error >= best->error))) return;
    memcpy(best->transform, transform, sizeof best->transform);
    memcpy(f->best, f->ids, (size_t)f->n * sizeof *f->ids);
    best->votes = votes;
    best->inliers = inliers;
    best->error = error;
}

/* Pairs the points of scene basis k with those of the model basis it voted for. *centre is the first of the model's,
 * and *reach, where neighbours take part, twice the distance of the others: a basis says little of points far away. */
static bosc_status start_from_basis(struct bi_geometric_search *f, int64_t k, const double **centre, double *reach)
{
    uint32_t corner[BI_GEOMETRIC_CORNERS];
    int64_t basis = (int64_t)(uint32_t)f->words[k];
    BI_TRY(bi_read_back(f->ctx, corner, (const uint32_t *)f->table->list.data + basis * BI_GEOMETRIC_CORNERS,
                        sizeof corner));
    for (int64_t i = 0; i < f->n; i++) f->ids[i] = -1;
    *centre = f->model + 2 * (int64_t)corner[0];
    *reach = f->neighbours.count ? 0 : (double)INFINITY;
    for (int c = 0; c < bi_geometric_basis_size(f); c++) {
        const double *p = f->model + 2 * (int64_t)corner[c];
        double x = p[0] - (*centre)[0], y = p[1] - (*centre)[1], far = 2 * sqrt(x * x + y * y);
        f->ids[corner[c]] = f->corners[k * BI_GEOMETRIC_CORNERS + c];
        if (far > *reach) *reach = far;
    }
    return BOSC_OK;
}

/* A scene basis and the model basis it voted for give a transform, which least squares over the points it brings
 * together refine: first from a wider circle, as few points far from the basis are at their positions yet. Where
 * neighbours take part, points near the basis come first, and then those twice as far each time: errors shrink faster
 * than distances grow. A transform that does not hold near the basis is given up. */
static bosc_status refine(struct bi_geometric_search *f, int64_t k)
{
    int64_t votes = UINT32_MAX - (int64_t)(f->words[k] >> 32), count;
    const double *centre;
    double transform[6], sum, reach;
    BI_TRY(start_from_basis(f, k, &centre, &reach));
    for (int round = 0, wide = 1; round <= ROUNDS; wide = 0) {
        memcpy(f->last, f->ids, (size_t)f->n * sizeof *f->ids);
        if (!bi_geometric_fit(f->model, f->n, f->scene, f->ids, f->affine, transform)) return BOSC_OK;
        double area = transform[0] * transform[4] - transform[1] * transform[3];
        double radius = f->table->tolerance * sqrt(area < 0 ? -area : area);
        BI_TRY_WITH_SCRATCH(f->ctx, find_nearest(f, transform, wide ? 3 * radius : radius, centre, reach, &count));
        int64_t inliers = match_one_to_one(f, &sum);
        round += count == f->n;
        if (wide) continue;
        if (count < f->n) {
            if ((double)inliers < 0.75 * f->table->opts.min_fraction * (double)count) return BOSC_OK;
            reach *= 2;
            continue;
        }
        keep_better(f, transform, inliers, sum, votes);
        if (memcmp(f->last, f->ids, (size_t)f->n * sizeof *f->ids) == 0) return BOSC_OK;
    }
    return BOSC_OK;
}

bosc_status bi_geometric_verify_best(struct bi_geometric_search *f, int64_t count)
{
    double others = (double)(bi_geometric_points_per_basis(f->table) - bi_geometric_basis_size(f)),
           least = 0.5 * f->table->opts.min_fraction * others;
    int candidates = f->neighbours.count ? NEIGHBOUR_CANDIDATES : CANDIDATES;
    for (int c = 0; c < candidates && count > 0; c++) {
        int64_t first = 0;
        for (int64_t k = 1; k < count; k++)
            if (f->words[k] >> 32 < f->words[first] >> 32) first = k;
        int64_t votes = UINT32_MAX - (int64_t)(f->words[first] >> 32);
        if (votes == 0 || (double)votes < least) return BOSC_OK;
        BI_TRY(refine(f, first));
        f->words[first] = UINT64_MAX;
    }
    return BOSC_OK;
}
