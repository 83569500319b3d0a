/* Verifies the scene bases of most votes in a batch, together with the model bases they voted for. */
#include <math.h>

#include "geometric/find.h"

enum {
    CANDIDATES = 4, /* of a batch, for each model */
    NEIGHBOUR_CANDIDATES = 8,
    MODELS = 8, /* as many times that in all */
    MOST_CANDIDATES = NEIGHBOUR_CANDIDATES * MODELS
};

/* The model that a basis of the table is of. */
static int64_t model_of(const struct bi_geometric_search *f, int64_t basis)
{
    int64_t low = 0, high = f->table->count - 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (f->models[middle].basis <= basis)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Pairs the points of scene basis k with those of the model basis it voted for. The match begins near the first of the
 * model's, where neighbours take part within twice the distance of the others: a basis says little of points far
 * away. */
static bosc_status refine_from_basis(struct bi_geometric_search *f, int64_t k, int64_t model, int64_t votes)
{
    struct bi_geometric_corners corners;
    int64_t basis = (int64_t)(uint32_t)f->words[k], first = f->models[model].first;
    const double *points = bi_geometric_model_points(f, model), *centre;
    BI_TRY(bi_read_back(f->ctx, &corners, (const struct bi_geometric_corners *)f->table->list.data + basis,
                        sizeof corners));
    centre = points + f->form.dim * ((int64_t)corners.point[0] - first);
    double reach = f->neighbours.count ? 0 : (double)INFINITY;
    for (int64_t i = 0; i < f->models[model].n; i++) f->ids[i] = -1;
    for (int c = 0; c < f->form.corners; c++) {
        int64_t i = (int64_t)corners.point[c] - first;
        double sum = 0;
        for (int d = 0; d < f->form.dim; d++) {
            double off = points[f->form.dim * i + d] - centre[d];
            sum += off * off;
        }
        f->ids[i] = f->corners[k].point[c];
        double far = 2 * sqrt(sum);
        if (far > reach) reach = far;
    }
    return bi_geometric_refine(f, model, centre, reach, votes);
}

/* Whether a basis of a model has enough votes to be verified, after `count` of the models of `verified`. */
static bool is_candidate(const struct bi_geometric_search *f, int64_t model, int64_t votes, const int64_t *verified,
                         int count)
{
    double others = (double)(f->models[model].per - f->form.corners);
    int same = 0;
    for (int i = 0; i < count; i++) same += verified[i] == model;
    return (double)votes >= 0.5 * f->table->opts.min_fraction * others &&
           same < (f->neighbours.count ? NEIGHBOUR_CANDIDATES : CANDIDATES);
}

bosc_status bi_geometric_verify_best(struct bi_geometric_search *f, int64_t count)
{
    int64_t verified[MOST_CANDIDATES];
    int most = (f->neighbours.count ? NEIGHBOUR_CANDIDATES : CANDIDATES) * (f->table->count > 1 ? MODELS : 1), c = 0;
    for (int64_t tries = 0; tries < count && c < most; tries++) {
        int64_t first = 0;
        for (int64_t k = 1; k < count; k++)
            if (f->words[k] >> 32 < f->words[first] >> 32) first = k;
        int64_t votes = UINT32_MAX - (int64_t)(f->words[first] >> 32);
        if (votes == 0) return BOSC_OK;
        int64_t model = model_of(f, (int64_t)(uint32_t)f->words[first]);
        if (is_candidate(f, model, votes, verified, c)) {
            BI_TRY(refine_from_basis(f, first, model, votes));
            verified[c++] = model;
        }
        f->words[first] = UINT64_MAX;
    }
    return BOSC_OK;
}
