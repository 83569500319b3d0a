/* Least-squares transforms in 3-D, summed in order on the host, with + - * / and sqrt alone: the same bits everywhere.
 * Source of the rotation: Horn, Closed-form solution of absolute orientation using unit quaternions (1987). */
#include <math.h>
#include <string.h>

#include "geometric/drivers.h"

/* Second moments about the means: of the model's coordinates, and of these (rows) with the scene's (columns). */
struct moments {
    double model[3], scene[3], own[3][3], cross[3][3];
};

static void sum_moments(struct moments *s, const double *model, int64_t n, const double *scene, const int64_t *ids)
{
    int64_t count = 0;
    memset(s, 0, sizeof *s);
    for (int64_t i = 0; i < n; i++) count += ids[i] >= 0;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 3 && ids[i] >= 0; k++) {
            s->model[k] += model[3 * i + k] / (double)count;
            s->scene[k] += scene[3 * ids[i] + k] / (double)count;
        }
    for (int64_t i = 0; i < n; i++) {
        double p[3], q[3];
        if (ids[i] < 0) continue;
        for (int k = 0; k < 3; k++) {
            p[k] = model[3 * i + k] - s->model[k];
            q[k] = scene[3 * ids[i] + k] - s->scene[k];
        }
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) {
                s->own[k][l] += p[k] * p[l];
                s->cross[k][l] += p[k] * q[l];
            }
    }
}

/* One rotation of Jacobi's method: makes a[p][q] zero; applies the rotation to the columns of v. */
static void apply_jacobi_rotation(double a[4][4], double v[4][4], int p, int q)
{
    if (a[p][q] == 0) return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]), size = theta < 0 ? -theta : theta;
    double t = 1 / (size + sqrt(theta * theta + 1));
    if (theta < 0) t = -t;
    /* t is the smaller root of t^2 + 2 theta t - 1: the tangent of the angle. */
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 4; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 4; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    a[p][q] = a[q][p] = 0;
    for (int k = 0; k < 4; k++) {
        double x = v[k][p], y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

/* Computes a unit eigenvector of the largest eigenvalue, the first of equals. */
static void compute_largest_eigenvector(double a[4][4], double out[4])
{
    enum { SWEEPS = 16 }; /* convergence is quadratic: about six reach zero */
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, length = 0;
    int best = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++) apply_jacobi_rotation(a, v, p, q);
    for (int k = 1; k < 4; k++)
        if (a[k][k] > a[best][best]) best = k;
    for (int k = 0; k < 4; k++) length += v[k][best] * v[k][best];
    for (int k = 0; k < 4; k++) out[k] = v[k][best] / sqrt(length);
}

/* Computes the rotation matrix that maps the model's deviations closest to the scene's (Horn). */
static void rotation_of(const double s[3][3], double r[3][3])
{
    double a[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
                      {0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                      {0, 0, s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
                      {0, 0, 0, s[2][2] - s[0][0] - s[1][1]}};
    double q[4];
    for (int k = 1; k < 4; k++)
        for (int l = 0; l < k; l++) a[k][l] = a[l][k];
    compute_largest_eigenvector(a, q);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    memcpy(r, m, sizeof m);
}

/* Computes the matrix that maps the model's deviations closest to the scene's: cross moments times the inverse of the
 * model's. */
static void fit_affine(const struct moments *s, double a[3][3])
{
    double cofactor[3][3], determinant = 0;
    for (int k = 0; k < 3; k++) bi_geometric_cross3(s->own[(k + 1) % 3], s->own[(k + 2) % 3], cofactor[k]);
    for (int k = 0; k < 3; k++) determinant += s->own[0][k] * cofactor[0][k];
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) {
            a[row][k] = 0;
            for (int l = 0; l < 3; l++) a[row][k] += s->cross[l][row] * cofactor[l][k] / determinant;
        }
}

/* The same among rotations times a scale; 1 if rigid. */
static void fit_similarity(const struct moments *s, bool rigid, double a[3][3])
{
    double scale = 0;
    rotation_of(s->cross, a);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) scale += a[row][k] * s->cross[k][row];
    scale = rigid ? 1 : scale / (s->own[0][0] + s->own[1][1] + s->own[2][2]);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) a[row][k] *= scale;
}

bool bi_geometric_fit_space(const double *model, int64_t n, const double *scene, const int64_t *ids,
                            const struct bi_geometric_form *form, double transform[12])
{
    struct moments s;
    double a[3][3], t[12], determinant = 0, minor[3];
    sum_moments(&s, model, n, scene, ids);
    if (form->affine)
        fit_affine(&s, a);
    else
        fit_similarity(&s, form->rigid, a);
    /* The translation maps the means; refuse transforms that overflow or are singular. */
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) t[4 * row + k] = a[row][k];
        t[4 * row + 3] = s.scene[row] - (a[row][0] * s.model[0] + a[row][1] * s.model[1] + a[row][2] * s.model[2]);
    }
    for (int k = 0; k < 12; k++)
        if (!(t[k] >= -1e60 && t[k] <= 1e60)) return false;
    bi_geometric_cross3(a[1], a[2], minor);
    for (int k = 0; k < 3; k++) determinant += a[0][k] * minor[k];
    if (determinant == 0) return false;
    memcpy(transform, t, sizeof t);
    return true;
}
