#include "reference/labelled.h"

#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"

static double dist2(const struct reference_labelled *p, int64_t i, int64_t j)
{
    double sum = 0;
    for (int32_t c = 0; c < p->dim; c++) {
        const double gap = p->x[i * p->dim + c] - p->x[j * p->dim + c];
        sum += gap * gap;
    }
    return sum;
}

static double distance(const struct reference_labelled *p, int64_t i, int64_t j) { return sqrt(dist2(p, i, j)); }

static double weight(const struct reference_labelled *p, int64_t i) { return p->weights ? p->weights[i] : 1; }

void reference_centers(const struct reference_labelled *p, double *centroids, int64_t *medoids)
{
    for (int64_t k = 0; k < p->clusters; k++) {
        double least = 0, mass = 0;
        medoids[k] = -1;
        for (int32_t c = 0; c < p->dim; c++) centroids[k * p->dim + c] = 0;
        for (int64_t i = 0; i < p->n; i++) {
            double cost = 0;
            if (p->labels[i] != k) continue;
            mass += weight(p, i);
            for (int32_t c = 0; c < p->dim; c++) centroids[k * p->dim + c] += weight(p, i) * p->x[i * p->dim + c];
            for (int64_t j = 0; j < p->n; j++)
                if (p->labels[j] == k) cost += weight(p, j) * distance(p, i, j);
            if (medoids[k] >= 0 && !(cost < least)) continue;
            medoids[k] = i;
            least = cost;
        }
        for (int32_t c = 0; c < p->dim; c++) centroids[k * p->dim + c] /= mass; /* 0 / 0 is NaN */
    }
}

/* --- Validity ----------------------------------------------------------------------------------------------------- */

/* The tree of one cluster of m points. */
struct tree {
    int64_t m, *row, *turn, *parent, *degree;
    double *core, *length;
};

static double mutual(const struct reference_labelled *p, const struct tree *t, int64_t i, int64_t j)
{
    return fmax(distance(p, t->row[i], t->row[j]), fmax(t->core[i], t->core[j]));
}

/* x^k by squares: the same roundings in up to 6 dimensions. */
static double power(double x, int32_t k) { return k == 1 ? x : k % 2 ? power(x * x, k / 2) * x : power(x * x, k / 2); }

static void set_cores(const struct reference_labelled *p, struct tree *t, bool raw)
{
    for (int64_t i = 0; i < t->m; i++) {
        double sum = 0, least = INFINITY;
        t->core[i] = 0;
        for (int64_t j = 0; j < t->m; j++) {
            const double d = dist2(p, t->row[i], t->row[j]);
            if (d > 0) least = fmin(least, d);
        }
        if (raw || !(least < INFINITY)) continue;
        for (int64_t j = 0; j < t->m; j++) {
            const double d = dist2(p, t->row[i], t->row[j]);
            if (d > 0) sum += power(sqrt(least / d), p->dim);
        }
        t->core[i] = sqrt(least) * bi_exp_f64(-bi_log_f64(sum / (double)(t->m - 1)) / p->dim);
    }
}

/* Prim's tree from the first point. */
static void grow(const struct reference_labelled *p, struct tree *t)
{
    for (int64_t i = 0; i < t->m; i++) {
        t->turn[i] = i ? INT64_MAX : 0;
        t->length[i] = INFINITY;
        t->degree[i] = 0;
        t->parent[i] = -1;
    }
    for (int64_t turn = 1, last = 0; turn < t->m; turn++) {
        int64_t next = -1;
        for (int64_t i = 0; i < t->m; i++) {
            if (t->turn[i] != INT64_MAX) continue;
            t->length[i] = fmin(t->length[i], mutual(p, t, i, last));
            if (next < 0 || t->length[i] < t->length[next]) next = i;
        }
        for (int64_t j = t->m - 1; j >= 0; j--)
            if (t->turn[j] < turn && mutual(p, t, next, j) == t->length[next]) t->parent[next] = j;
        t->turn[next] = turn;
        t->degree[next]++;
        t->degree[t->parent[next]]++;
        last = next;
    }
}

static bool is_inner(const struct tree *t, int64_t i) { return t->degree[i] > 1 || (t->m == 2 && i == 0); }

static double sparseness(const struct tree *t)
{
    double within = -1, all = 0;
    for (int64_t i = 1; i < t->m; i++) {
        all = fmax(all, t->length[i]);
        if (is_inner(t, i) && is_inner(t, t->parent[i])) within = fmax(within, t->length[i]);
    }
    return within < 0 ? all : within;
}

static double separation(const struct reference_labelled *p, const struct tree *trees, int64_t k)
{
    double least = INFINITY;
    for (int64_t l = 0; l < p->clusters; l++)
        for (int64_t i = 0; i < trees[k].m && l != k; i++)
            for (int64_t j = 0; j < trees[l].m; j++)
                if (is_inner(&trees[k], i) && is_inner(&trees[l], j))
                    least = fmin(least, fmax(distance(p, trees[k].row[i], trees[l].row[j]),
                                             fmax(trees[k].core[i], trees[l].core[j])));
    return least;
}

static struct tree make_tree(const struct reference_labelled *p, int64_t k, bool raw)
{
    const size_t n = (size_t)p->n + 1;
    struct tree t = {0, calloc(n, 8), calloc(n, 8), calloc(n, 8), calloc(n, 8), calloc(n, 8), calloc(n, 8)};
    for (int64_t i = 0; i < p->n; i++)
        if (p->labels[i] == k) t.row[t.m++] = i;
    set_cores(p, &t, raw);
    grow(p, &t);
    return t;
}

double reference_validity(const struct reference_labelled *p, bool raw, double *scores)
{
    struct tree *trees = calloc((size_t)p->clusters + 1, sizeof *trees);
    double index = 0;
    for (int64_t k = 0; k < p->clusters; k++) trees[k] = make_tree(p, k, raw);
    for (int64_t k = 0; k < p->clusters; k++) {
        const double sep = separation(p, trees, k), sparse = sparseness(&trees[k]);
        scores[k] = trees[k].m < 2 ? 0 : sep == INFINITY ? NAN : (sep - sparse) / fmax(sep, sparse);
        if (trees[k].m > 1) index += (double)trees[k].m / (double)p->n * scores[k];
    }
    for (int64_t k = 0; k < p->clusters; k++) {
        free(trees[k].row);
        free(trees[k].turn);
        free(trees[k].parent);
        free(trees[k].degree);
        free(trees[k].core);
        free(trees[k].length);
    }
    free(trees);
    return index;
}
