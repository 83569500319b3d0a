/* Least-squares transforms, summed in order on the host, with + - * / and sqrt alone: the same bits everywhere. Source
 * of the rotation in space: Horn, Closed-form solution of absolute orientation using unit quaternions (1987). */
#include <math.h>
#include <string.h>

#include "geometric/drivers.h"

/* ---- in space ---- */

/* Second moments about the means: of the model's coordinates, and of these (rows) with the scene's (columns). */
struct space_moments {
    double model[3], scene[3], own[3][3], cross[3][3];
};

static void sum_space_moments(struct space_moments *s, const double *model, int64_t n, const double *scene,
                              const int64_t *ids)
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
static void fit_affine(const struct space_moments *s, double a[3][3])
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

/* Computes the closest rotation times a scale, which is 1 if rigid. */
static void fit_similarity(const struct space_moments *s, bool rigid, double a[3][3])
{
    double scale = 0;
    rotation_of(s->cross, a);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) scale += a[row][k] * s->cross[k][row];
    scale = rigid ? 1 : scale / (s->own[0][0] + s->own[1][1] + s->own[2][2]);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) a[row][k] *= scale;
}

static bool fit_space(const double *model, int64_t n, const double *scene, const int64_t *ids,
                      const struct bi_geometric_form *form, double transform[12])
{
    struct space_moments s;
    double a[3][3], t[12], determinant = 0, minor[3];
    sum_space_moments(&s, model, n, scene, ids);
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

/* ---- in a plane ---- */

/* Second moments about the means: of the model's coordinates (x, y), and of these with the scene's (X, Y). */
struct plane_moments {
    double model[2], scene[2];
    double xx, xy, yy, x_X, x_Y, y_X, y_Y;
    int64_t count;
};

static void sum_plane_moments(struct plane_moments *s, const double *model, int64_t n, const double *scene,
                              const int64_t *ids)
{
    *s = (struct plane_moments){.count = 0};
    for (int64_t i = 0; i < n; i++) s->count += ids[i] >= 0;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2 && ids[i] >= 0; k++) {
            s->model[k] += model[2 * i + k] / (double)s->count;
            s->scene[k] += scene[2 * ids[i] + k] / (double)s->count;
        }
    for (int64_t i = 0; i < n; i++) {
        if (ids[i] < 0) continue;
        double x = model[2 * i] - s->model[0], y = model[2 * i + 1] - s->model[1];
        double X = scene[2 * ids[i]] - s->scene[0], Y = scene[2 * ids[i] + 1] - s->scene[1];
        s->xx += x * x;
        s->xy += x * y;
        s->yy += y * y;
        s->x_X += x * X;
        s->x_Y += x * Y;
        s->y_X += y * X;
        s->y_Y += y * Y;
    }
}

static bool fit_plane(const double *model, int64_t n, const double *scene, const int64_t *ids,
                      const struct bi_geometric_form *form, double transform[12])
{
    struct plane_moments s;
    double t[6];
    sum_plane_moments(&s, model, n, scene, ids);
    /* 1. The matrix: by the normal equations, or as a rotation by the angle atan2(b, a), scaled. */
    if (form->affine) {
        double determinant = s.xx * s.yy - s.xy * s.xy;
        t[0] = (s.x_X * s.yy - s.y_X * s.xy) / determinant;
        t[1] = (s.y_X * s.xx - s.x_X * s.xy) / determinant;
        t[3] = (s.x_Y * s.yy - s.y_Y * s.xy) / determinant;
        t[4] = (s.y_Y * s.xx - s.x_Y * s.xy) / determinant;
    } else {
        double a = s.x_X + s.y_Y, b = s.x_Y - s.y_X, square = form->rigid ? sqrt(a * a + b * b) : s.xx + s.yy;
        t[0] = t[4] = a / square;
        t[3] = b / square;
        t[1] = -t[3];
    }
    /* 2. The translation maps the means; refuse transforms that overflow or are singular. */
    for (int k = 0; k < 2; k++) t[3 * k + 2] = s.scene[k] - (t[3 * k] * s.model[0] + t[3 * k + 1] * s.model[1]);
    for (int k = 0; k < 6; k++)
        if (!(t[k] >= -1e150 && t[k] <= 1e150)) return false;
    if (t[0] * t[4] - t[1] * t[3] == 0) return false;
    memset(transform, 0, 12 * sizeof *transform);
    memcpy(transform, t, sizeof t);
    return true;
}

/* ---- either ---- */

bool bi_geometric_fit(const double *model, int64_t n, const double *scene, const int64_t *ids,
                      const struct bi_geometric_form *form, double transform[12])
{
    if (form->dim == 3) return fit_space(model, n, scene, ids, form, transform);
    return fit_plane(model, n, scene, ids, form, transform);
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

double bi_geometric_scale_of(const double transform[12], const struct bi_geometric_form *form)
{
    const double *t = transform;
    if (form->rigid) return 1;
    double size = t[0] * t[4] - t[1] * t[3];
    if (form->dim == 3)
        size = t[0] * (t[5] * t[10] - t[6] * t[9]) - t[1] * (t[4] * t[10] - t[6] * t[8]) +
               t[2] * (t[4] * t[9] - t[5] * t[8]);
    if (size < 0) size = -size;
    return form->dim == 3 ? bi_geometric_cube_root(size) : sqrt(size);
}
