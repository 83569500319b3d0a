#include "reference/geometric_models.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST = 32, ROUNDS = 8 };

/* Computes in three dimensions; in a plane the third coordinate is zero. */
struct search {
    const bosc_geometric_opts *opts;
    int dim, corners;
    bool affine;
    int64_t n, m, least;
    const double *model, *scene;
    int64_t *ids;
    bosc_geometric_match match;
};

struct map {
    double a[3][3], t[3];
};

static void load_point(const struct search *s, const double *points, int64_t i, double *p)
{
    for (int k = 0; k < 3; k++) p[k] = k < s->dim ? points[s->dim * i + k] : 0;
}

static void cross_product(const double *a, const double *b, double *c)
{
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot_product(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Inverts a matrix; false if it is singular. */
static bool invert(const double a[3][3], double out[3][3])
{
    double c[3][3], determinant;
    for (int k = 0; k < 3; k++) cross_product(a[(k + 1) % 3], a[(k + 2) % 3], c[k]);
    determinant = dot_product(a[0], c[0]);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) out[l][k] = c[k][l] / determinant;
    return fabs(determinant) > 1e-30;
}

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) out[k][l] = a[k][0] * b[0][l] + a[k][1] * b[1][l] + a[k][2] * b[2][l];
}

/* Computes the axes of a basis as columns: its edges (affine), or orthonormal axes. *length: of the first edge. False
 * if degenerate. */
static bool compute_frame(const struct search *s, const double *points, const int64_t *corner, double axes[3][3],
                          double *length)
{
    double p[4][3], e[3][3] = {{0}, {0}, {0, 0, 1}};
    for (int c = 0; c < s->corners; c++) load_point(s, points, corner[c], p[c]);
    for (int c = 1; c < s->corners; c++)
        for (int k = 0; k < 3; k++) e[c - 1][k] = p[c][k] - p[0][k];
    *length = sqrt(dot_product(e[0], e[0]));
    if (!s->affine) {
        double normal[3] = {0, 0, 1};
        if (s->dim == 3) cross_product(e[0], e[1], normal);
        double size = sqrt(dot_product(normal, normal));
        if (!(*length > 1e-9) || !(size > 1e-9)) return false;
        for (int k = 0; k < 3; k++) e[0][k] /= *length;
        for (int k = 0; k < 3; k++) e[2][k] = normal[k] / size;
        cross_product(e[2], e[0], e[1]);
    }
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) axes[k][l] = e[l][k];
    return true;
}

/* Computes the map from one basis to the other. */
static bool map_between_frames(const struct search *s, const int64_t *from, const int64_t *to, struct map *map)
{
    double f[3][3], g[3][3], inverse[3][3], length, other, p[3], q[3];
    if (!compute_frame(s, s->model, from, f, &length) || !compute_frame(s, s->scene, to, g, &other) ||
        !invert(f, inverse))
        return false;
    multiply(g, inverse, map->a);
    double scale = s->affine || s->opts->kind == BOSC_GEOMETRIC_RIGID ? 1 : other / length;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) map->a[k][l] *= scale;
    load_point(s, s->model, from[0], p);
    load_point(s, s->scene, to[0], q);
    for (int k = 0; k < 3; k++) map->t[k] = q[k] - dot_product(map->a[k], p);
    return true;
}

/* Returns the factor by which a map scales lengths. */
static double scale_of(const struct search *s, const struct map *map)
{
    double c[3];
    cross_product(map->a[1], map->a[2], c);
    double size = fabs(dot_product(map->a[0], c));
    if (s->opts->kind == BOSC_GEOMETRIC_RIGID) return 1;
    return s->dim == 3 ? cbrt(size) : sqrt(size / (map->a[2][2] == 0 ? 1 : fabs(map->a[2][2])));
}

/* Assigns to each model point the nearest scene point within the tolerance; of several model points the nearest
 * keeps it. Returns the number of assigned points. */
static int64_t assign_points(const struct search *s, const struct map *map, int64_t *ids, double *error)
{
    double d[MOST], radius = s->opts->tolerance * scale_of(s, map), sum = 0;
    int64_t count = 0, nearest[MOST];
    /* 1. The nearest scene point of each model point. */
    for (int64_t i = 0; i < s->n; i++) {
        double p[3], q[3];
        load_point(s, s->model, i, p);
        nearest[i] = -1;
        d[i] = radius * radius;
        for (int64_t j = 0; j < s->m; j++) {
            double e = 0;
            load_point(s, s->scene, j, q);
            for (int k = 0; k < s->dim; k++) e += pow(dot_product(map->a[k], p) + map->t[k] - q[k], 2);
            if (e <= d[i]) nearest[i] = j;
            if (e <= d[i]) d[i] = e;
        }
    }
    /* 2. One model point for each scene point. */
    for (int64_t i = 0; i < s->n; i++) {
        ids[i] = nearest[i];
        for (int64_t j = 0; j < s->n; j++)
            if (nearest[j] == nearest[i] && d[j] < d[i]) ids[i] = -1;
        count += ids[i] >= 0;
        sum += ids[i] >= 0 ? d[i] : 0;
    }
    *error = count ? sqrt(sum / (double)count) : 0;
    return count;
}

/* Computes the rotation of largest correlation, as the eigenvector of a 4 x 4 matrix's largest eigenvalue (Horn 1987),
 * found by repeated squaring of that matrix. */
static void best_rotation(const double c[3][3], double r[3][3])
{
    double n[4][4], square[4][4], q[4], shift = 0, most = 0;
    for (int k = 0; k < 3; k++) n[0][k + 1] = n[k + 1][0] = c[(k + 1) % 3][(k + 2) % 3] - c[(k + 2) % 3][(k + 1) % 3];
    /* 1. Horn's matrix, shifted so that its eigenvalues are positive. */
    double trace = c[0][0] + c[1][1] + c[2][2];
    n[0][0] = trace;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) n[k + 1][l + 1] = c[k][l] + c[l][k] - (k == l ? trace : 0);
    for (int k = 0; k < 16; k++) shift += fabs(n[k / 4][k % 4]);
    for (int k = 0; k < 4; k++) n[k][k] += shift;
    /* 2. Its power 2^60, normalised at each squaring: every column is near the eigenvector. */
    for (int power = 0; power < 60; power++) {
        double size = 0;
        for (int k = 0; k < 16; k++) size = fmax(size, fabs(n[k / 4][k % 4]));
        for (int k = 0; k < 16; k++) n[k / 4][k % 4] /= size;
        memset(square, 0, sizeof square);
        for (int k = 0; k < 64; k++) square[k / 16][k / 4 % 4] += n[k / 16][k % 4] * n[k % 4][k / 4 % 4];
        memcpy(n, square, sizeof n);
    }
    /* 3. The largest column is the quaternion. */
    for (int column = 0; column < 4; column++) {
        double size = 0;
        for (int k = 0; k < 4; k++) size += n[k][column] * n[k][column];
        if (size <= most) continue;
        most = size;
        for (int k = 0; k < 4; k++) q[k] = n[k][column] / sqrt(size);
    }
    /* 4. The rotation matrix. */
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) r[k][l] = 2 * q[k + 1] * q[l + 1] + (k == l ? 2 * q[0] * q[0] - 1 : 0);
    for (int k = 0; k < 3; k++) {
        r[(k + 2) % 3][(k + 1) % 3] += 2 * q[0] * q[k + 1];
        r[(k + 1) % 3][(k + 2) % 3] -= 2 * q[0] * q[k + 1];
    }
}

/* Fits a map to the assigned pairs of points by least squares. */
static bool fit_map(const struct search *s, const int64_t *ids, struct map *map)
{
    /* 1. The means. */
    double mean[3] = {0}, to[3] = {0}, model_covariance[3][3] = {{0}}, c[3][3] = {{0}}, count = 0, p[3], q[3],
           scale = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (ids[i] < 0) continue;
        load_point(s, s->model, i, p);
        load_point(s, s->scene, ids[i], q);
        for (int k = 0; k < 3; k++) mean[k] += p[k], to[k] += q[k];
        count++;
    }
    /* 2. The covariance of the model (own) and with the scene (c). */
    for (int k = 0; k < 3; k++) mean[k] /= count, to[k] /= count;
    for (int64_t i = 0; i < s->n; i++) {
        if (ids[i] < 0) continue;
        load_point(s, s->model, i, p);
        load_point(s, s->scene, ids[i], q);
        for (int k = 0; k < 9; k++) {
            model_covariance[k / 3][k % 3] += (p[k / 3] - mean[k / 3]) * (p[k % 3] - mean[k % 3]);
            c[k / 3][k % 3] += (p[k / 3] - mean[k / 3]) * (q[k % 3] - to[k % 3]);
        }
    }
    /* 3. The linear part, then the translation. */
    double trace = model_covariance[0][0] + model_covariance[1][1] + model_covariance[2][2], inverse[3][3],
           transposed[3][3];
    if (s->dim == 2) model_covariance[2][2] = c[2][2] = 1e-12 * trace; /* keeps the third axis fixed */
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) transposed[k][l] = c[l][k];
    if (s->affine) {
        if (!invert(model_covariance, inverse)) return false;
        multiply(transposed, inverse, map->a);
    } else {
        if (s->dim == 2) c[2][2] = 1e6 * (fabs(c[0][0]) + fabs(c[0][1]) + fabs(c[1][0]) + fabs(c[1][1]));
        best_rotation(c, map->a);
        for (int k = 0; k < s->dim; k++)
            for (int l = 0; l < s->dim; l++) scale += map->a[k][l] * c[l][k];
        scale = s->opts->kind == BOSC_GEOMETRIC_RIGID ? 1 : scale / trace;
        for (int k = 0; k < 9; k++) map->a[k / 3][k % 3] *= scale;
    }
    for (int k = 0; k < 3; k++) map->t[k] = to[k] - dot_product(map->a[k], mean);
    return true;
}

static void store_if_better(struct search *s, const struct map *map, const int64_t *ids, int64_t inliers, double error)
{
    if (inliers < s->match.inliers || (inliers == s->match.inliers && error >= s->match.error)) return;
    s->match.inliers = inliers;
    s->match.error = error;
    memcpy(s->ids, ids, (size_t)s->n * sizeof *ids);
    for (int k = 0; k < s->dim; k++) {
        for (int l = 0; l < s->dim; l++) s->match.transform[k * (s->dim + 1) + l] = map->a[k][l];
        s->match.transform[k * (s->dim + 1) + s->dim] = map->t[k];
    }
}

static void try_basis(struct search *s, const int64_t *from, const int64_t *to)
{
    struct map map;
    int64_t ids[MOST];
    double error;
    if (!map_between_frames(s, from, to, &map)) return;
    if (assign_points(s, &map, ids, &error) < s->least) return;
    for (int round = 0; round < ROUNDS; round++) {
        if (!fit_map(s, ids, &map)) return;
        int64_t inliers = assign_points(s, &map, ids, &error);
        store_if_better(s, &map, ids, inliers, error);
    }
}

/* Tries all ordered tuples of scene points for a tuple of model points. */
static void try_scene(struct search *s, const int64_t *from, int64_t *to, int corner)
{
    if (corner == s->corners) {
        try_basis(s, from, to);
        return;
    }
    for (to[corner] = 0; to[corner] < s->m; to[corner]++) {
        bool other = true;
        for (int c = 0; c < corner; c++) other = other && to[c] != to[corner];
        if (other) try_scene(s, from, to, corner + 1);
    }
}

void reference_geometric_search(const bosc_geometric_opts *opts, const double *model, int64_t n, const double *scene,
                                int64_t m, int64_t least, int64_t *ids, bosc_geometric_match *match)
{
    struct search s = {.opts = opts,
                       .dim = opts->dim,
                       .corners = opts->dim + (opts->kind == BOSC_GEOMETRIC_AFFINE),
                       .affine = opts->kind == BOSC_GEOMETRIC_AFFINE,
                       .n = n,
                       .m = m,
                       .least = least,
                       .model = model,
                       .scene = scene,
                       .ids = ids};
    int64_t from[4], to[4];
    for (int64_t i = 0; i < n; i++) ids[i] = -1;
    for (uint32_t set = 0; set < 1u << n; set++) { /* all sets of as many model points as a basis has corners */
        int count = 0;
        if (__builtin_popcount(set) != s.corners) continue;
        for (int64_t i = 0; i < n; i++)
            if (set >> i & 1) from[count++] = i;
        try_scene(&s, from, to, 0);
    }
    *match = s.match;
}
