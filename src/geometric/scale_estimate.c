/* Estimates the scale of a model from the covariance of its points, on the host: the least size of a basis and the
 * default tolerance. */
#include <math.h>

#include "geometric/drivers.h"

/* Rotation invariants of the points' covariance matrix: trace, sum of the principal 2 x 2 minors, and determinant (of
 * 3-D points). */
struct invariants {
    double trace, minors, determinant;
};

static struct invariants compute_invariants(const double *points, int64_t n, int dim)
{
    double mean[3] = {0, 0, 0}, c[3][3] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < dim; k++) mean[k] += points[dim * i + k] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        double d[3];
        for (int k = 0; k < dim; k++) d[k] = points[dim * i + k] - mean[k];
        for (int k = 0; k < dim; k++)
            for (int l = k; l < dim; l++) c[k][l] += d[k] * d[l] / (double)n;
    }
    struct invariants s = {.trace = c[0][0] + c[1][1], .minors = c[0][0] * c[1][1] - c[0][1] * c[0][1]};
    if (dim == 2) return s;
    s.trace += c[2][2];
    s.minors += c[0][0] * c[2][2] - c[0][2] * c[0][2];
    s.minors += c[1][1] * c[2][2] - c[1][2] * c[1][2];
    s.determinant = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[1][2]) -
                    c[0][1] * (c[0][1] * c[2][2] - c[1][2] * c[0][2]) +
                    c[0][2] * (c[0][1] * c[1][2] - c[1][1] * c[0][2]);
    return s;
}

/* Iterates y = (x y)^(1/4), whose fixed point is the root: each step divides the error of log y by 4. Uses sqrt alone,
 * so that all machines give the same bits. */
double bi_geometric_cube_root(double x)
{
    enum { STEPS = 36 }; /* 4^-36 = 2^-72: below the last bit, from 1e200 too */
    double y = 1;
    for (int k = 0; k < STEPS && x > 0; k++) y = sqrt(sqrt(x * y));
    return x > 0 ? y : 0;
}

bool bi_geometric_estimate_scale(const double *points, const struct bi_geometric_form *form, double tolerance,
                                 struct bi_geometric_model *model)
{
    enum { MANY = 256 }; /* points; tolerances shrink with the spacing of more; chosen */
    struct invariants s = compute_invariants(points, model->n, form->dim);
    /* The squared length, area or volume of a typical basis. */
    double product = form->corners == 2 ? s.trace : form->corners == 3 ? s.minors : s.determinant, least = s.trace;
    model->min_size = form->corners == 2 ? product : sqrt(product > 0 ? product : 0);
    if (form->corners == 4) least *= sqrt(s.trace);
    /* The default tolerance: 3 percent of the standard deviation, less for many points (chosen). */
    model->tolerance = tolerance;
    if (tolerance == 0) {
        double few = model->n > MANY ? (double)MANY / (double)model->n : 1;
        model->tolerance = 0.03 * sqrt(s.trace) * (form->dim == 3 && few < 1 ? bi_geometric_cube_root(few) : sqrt(few));
    }
    return model->min_size > least * 1e-12;
}
