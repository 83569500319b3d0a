/* Steps that choose bases and compute the coordinates of points in them. */
#ifndef BI_GEOMETRIC_STEPS_BASES_H
#define BI_GEOMETRIC_STEPS_BASES_H

#include "base/philox.h"
#include "base/search.h"
#include "geometric/steps/basis.h"

enum { BI_GEOMETRIC_MODEL = 1, BI_GEOMETRIC_SCENE = 2 }; /* streams of random bases */

/* Neighbours that make bases: for each base point (the first of a basis) a row of its `count` nearest points, nearest
 * first, and one unused element. */
struct bi_geometric_neighbours {
    uint32_t *rows; /* NULL: bases use all points */
    int64_t count;
};

/* Choice of bases. For models: all candidates, one drawn from each of equal ranges of the model's possible bases. For a
 * scene: trials from number `from` on, drawn at random, or in order if `trials` covers all possible bases. */
struct bi_geometric_choice {
    const double *points;
    const struct bi_geometric_model *models; /* NULL: a scene */
    int64_t model_count, n, from, trials;    /* n: points */
    uint64_t possible_bases, seed;           /* possible_bases: of the scene */
    struct bi_geometric_form form;
    struct bi_geometric_neighbours neighbours;
    struct bi_geometric_corners *list;
    uint8_t *is_large;   /* of models: see bi_geometric_is_large */
    double *base_points; /* of a scene: coordinates of the base points, */
    uint32_t *self;      /* and their numbers */
};

BI_FN uint64_t bi_geometric_draw(uint64_t seed, uint32_t stream, uint64_t t)
{
    struct bi_philox block = bi_philox_at(seed, stream, t);
    return (uint64_t)block.v[1] << 32 | block.v[0];
}

/* Returns the number, among all possible bases of a model, of its candidate t. */
BI_FN uint64_t bi_geometric_model_basis(uint64_t seed, const struct bi_geometric_model *model, uint64_t t)
{
    uint64_t count = (uint64_t)model->candidates;
    if (count >= model->possible_bases) return t;
    uint64_t range = model->possible_bases / count, longer = model->possible_bases % count;
    return t * range + (t < longer ? t : longer) +
           bi_geometric_draw(seed, BI_GEOMETRIC_MODEL, t) % (range + (t < longer));
}

/* Returns the number, among all possible bases of a scene, of trial from + i. */
BI_FN uint64_t bi_geometric_scene_basis(const struct bi_geometric_choice *a, int64_t i)
{
    uint64_t t = (uint64_t)(a->from + i);
    if ((uint64_t)a->trials < a->possible_bases) t = bi_geometric_draw(a->seed, BI_GEOMETRIC_SCENE, t);
    return t % a->possible_bases;
}

/* Looks up the base point of trial from + i, for the query for its neighbours. */
BI_FN void bi_step_base_points(const struct bi_geometric_choice *a, int64_t i)
{
    struct bi_geometric_ranks ranks = bi_geometric_ranks_of(a->neighbours.count, a->form.corners);
    int64_t p = (int64_t)(bi_geometric_scene_basis(a, i) / bi_geometric_count_neighbour_tuples(ranks, a->form.corners));
    a->self[i] = (uint32_t)p;
    for (int k = 0; k < a->form.dim; k++) a->base_points[a->form.dim * i + k] = a->points[a->form.dim * p + k];
}

/* Appends a coordinate to all points that separates models by more than their extent, so that nearest points are of the
 * same model. */
struct bi_geometric_separate_models {
    const double *points;
    const struct bi_geometric_model *models;
    int64_t model_count;
    int32_t dim;
    double distance;
    double *separated; /* (n x (dim + 1)) */
};

/* Returns the model of point i, or else of candidate i. */
BI_FN int64_t bi_geometric_model_at(const struct bi_geometric_model *models, int64_t count, int64_t i, bool point)
{
    int64_t next = 1, end = count; /* the first model that begins after i */
    BI_PARTITION_POINT(next, end, middle, (point ? models[middle].first_point : models[middle].first_candidate) <= i);
    return next - 1;
}

BI_FN void bi_step_separate_models(const struct bi_geometric_separate_models *a, int64_t i)
{
    int64_t model = bi_geometric_model_at(a->models, a->model_count, i, true);
    for (int k = 0; k < a->dim; k++) a->separated[(a->dim + 1) * i + k] = a->points[a->dim * i + k];
    a->separated[(a->dim + 1) * i + a->dim] = (double)model * a->distance;
}

/* Removes from each row of count + 1 nearest points the point itself, or, if it is missing, the last point. */
struct bi_geometric_drop_self {
    uint32_t *rows;
    int64_t count;        /* points that remain */
    const uint32_t *self; /* NULL: row i is of point i */
};

BI_FN void bi_step_drop_self(const struct bi_geometric_drop_self *a, int64_t i)
{
    uint32_t *row = a->rows + i * (a->count + 1), self = a->self ? a->self[i] : (uint32_t)i;
    int64_t k = 0;
    while (k < a->count && row[k] != self) k++;
    for (; k < a->count; k++) row[k] = row[k + 1];
}

/* Sets the points of basis r: any of the n points from `first` on; or, with neighbours, one of these and some of its
 * `neighbour_count` neighbours, in row `row` (negative: the row of the base point). */
BI_FN void bi_geometric_select_points(const struct bi_geometric_choice *a, uint64_t r, int64_t first, int64_t n,
                                      int64_t neighbour_count, int64_t row, uint32_t *point)
{
    if (a->neighbours.rows) {
        struct bi_geometric_ranks ranks = bi_geometric_ranks_of(neighbour_count, a->form.corners);
        uint64_t choices = bi_geometric_count_neighbour_tuples(ranks, a->form.corners);
        point[0] = (uint32_t)(first + (int64_t)(r / choices));
        if (row < 0) row = point[0];
        bi_geometric_neighbour_tuple(r % choices, a->neighbours.rows + row * (a->neighbours.count + 1), ranks,
                                     a->form.corners, point);
    } else {
        bi_geometric_tuple(r, (uint64_t)n, a->form.corners, point);
        for (int k = 0; k < a->form.corners; k++) point[k] += (uint32_t)first;
    }
}

/* Chooses basis i: of a scene, or of the model that candidate i belongs to, with the flag of large ones. */
BI_FN void bi_step_choose_bases(const struct bi_geometric_choice *a, int64_t i)
{
    struct bi_geometric_corners *to = a->list + i;
    for (int k = 0; k < BI_GEOMETRIC_CORNERS; k++) to->point[k] = 0;
    to->model = (uint32_t)i;
    if (!a->models) {
        bi_geometric_select_points(a, bi_geometric_scene_basis(a, i), 0, a->n, a->neighbours.count, i, to->point);
        return;
    }
    int64_t number = bi_geometric_model_at(a->models, a->model_count, i, false);
    const struct bi_geometric_model *model = a->models + number;
    uint64_t r = bi_geometric_model_basis(a->seed, model, (uint64_t)(i - model->first_candidate));
    bi_geometric_select_points(a, r, model->first_point, model->n, model->points_per_basis, -1, to->point);
    to->model = (uint32_t)number;
    a->is_large[i] = bi_geometric_is_large(a->points, to->point, a->form, a->neighbours.rows != NULL, model->min_size);
}

/* Counts bases: first[k] is the number of bases of models less than k. */
struct bi_geometric_count_bases {
    const struct bi_geometric_corners *list;
    int64_t bases;
    int64_t *first;
};

BI_FN void bi_step_count_bases(const struct bi_geometric_count_bases *a, int64_t i)
{
    int64_t low = 0, high = a->bases;
    BI_PARTITION_POINT(low, high, middle, (int64_t)a->list[middle].model < i);
    a->first[i] = low;
}

/* Coordinates of points in bases. For one model or a scene, item i is point i % points_per_basis in basis i /
 * points_per_basis. Bases of several models may differ in size: item i is entry i, in basis basis_of[i]. */
struct bi_geometric_coordinates {
    const double *points;
    const struct bi_geometric_corners *list;
    const uint32_t *rows; /* of neighbours, or NULL */
    int64_t width;        /* of their rows */
    bool scene;           /* rows are numbered by bases, else by points */
    int64_t points_per_basis;
    const struct bi_geometric_model *models;
    const uint32_t *basis_of; /* NULL: one model or a scene */
    struct bi_geometric_form form;
    float outside;
    float *at;
};

BI_FN void bi_step_coordinates(const struct bi_geometric_coordinates *a, int64_t i)
{
    int64_t basis = a->basis_of ? a->basis_of[i] : i / a->points_per_basis, k = i % a->points_per_basis, p;
    const struct bi_geometric_corners *corners = a->list + basis;
    if (a->basis_of) {
        const struct bi_geometric_model *model = a->models + corners->model;
        k = i - model->first_entry - (basis - model->first_basis) * model->points_per_basis;
        p = model->first_point + k;
    } else {
        p = k;
    }
    if (a->rows) p = (int64_t)a->rows[(a->scene ? basis : (int64_t)corners->point[0]) * a->width + k];
    bi_geometric_compute_coordinates(a->points, corners->point, a->form, p, a->outside, a->at + a->form.dim * i);
}

/* Sets basis_of of all entries of basis i. */
struct bi_geometric_entries {
    const struct bi_geometric_corners *list;
    const struct bi_geometric_model *models;
    uint32_t *basis_of;
};

BI_FN void bi_step_entries(const struct bi_geometric_entries *a, int64_t i)
{
    const struct bi_geometric_model *model = a->models + a->list[i].model;
    uint32_t *to = a->basis_of + model->first_entry + (i - model->first_basis) * model->points_per_basis;
    for (int64_t k = 0; k < model->points_per_basis; k++) to[k] = (uint32_t)i;
}

#endif
