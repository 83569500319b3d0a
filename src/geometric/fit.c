/* Least-squares transforms, summed in order on the host: the same bits everywhere. */
#include <math.h>
#include <string.h>

#include "geometric/drivers.h"

/* Second moments about the means: of the model's coordinates (x, y), and of these with the scene's (X, Y). */
struct moments {
    double model[2], scene[2];
    double xx, xy, yy, x_X, x_Y, y_X, y_Y;
    int64_t count;
};

static void sum_moments(struct moments *s, const double *model, int64_t n, const double *scene, const int64_t *ids)
{
    *s = (struct moments){.count = 0};
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
    struct moments s;
    double t[6];
    sum_moments(&s, model, n, scene, ids);
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

bool bi_geometric_fit(const double *model, int64_t n, const double *scene, const int64_t *ids,
                      const struct bi_geometric_form *form, double transform[12])
{
    if (form->dim == 3) return bi_geometric_fit_space(model, n, scene, ids, form, transform);
    return fit_plane(model, n, scene, ids, form, transform);
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
