/* Verifies the scene bases with the most votes in a batch, each with the model basis that won it. */
#include <math.h>

#include "geometric/search_phases.h"

enum {
    CANDIDATES = 4, /* of a batch, for each model; chosen */
    NEIGHBOUR_CANDIDATES = 8,
    MODELS = 8, /* of several models, a batch has this many times as many candidates in all */
    MOST_CANDIDATES = NEIGHBOUR_CANDIDATES * MODELS
};

/* Returns the model of a basis of the table. */
static int64_t model_of(const struct bi_geometric_search *f, int64_t basis)
{
    int64_t low = 0, high = f->table->count - 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (f->models[middle].first_basis <= basis)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
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
        double sum = 0;
        for (int d = 0; d < f->form.dim; d++) {
            double off = points[f->form.dim * i + d] - centre[d];
            sum += off * off;
        }
        f->pairs.ids[i] = f->trials.corners[k].point[c];
        double far = 2 * sqrt(sum);
        if (far > reach) reach = far;
    }
    return bi_geometric_refine(f, model, centre, reach, votes);
}

/* True if a basis of a model has enough votes to be verified, after `count` bases of the models `verified`. */
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
        words[first] = UINT64_MAX;
    }
    return BOSC_OK;
}
