/* Rotations as quaternions. */
#include "render/vector.h"

#include <math.h>

void quaternion_rotate(const double q[4], const float from[3], float to[3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3], square = w * w + x * x + y * y + z * z;
    const double v[3] = {(double)from[0], (double)from[1], (double)from[2]};
    /* v + 2 w (u x v) + 2 u x (u x v) */
    const double c[3] = {y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]};
    const double d[3] = {y * c[2] - z * c[1], z * c[0] - x * c[2], x * c[1] - y * c[0]};
    for (int i = 0; i < 3; i++) to[i] = (float)(v[i] + 2 * (w * c[i] + d[i]) / square);
}

/* Normalises both to unit length and equal sign (q and -q are one rotation). Returns their inner product. */
static double align_units(const double a[4], const double b[4], double p[4], double q[4])
{
    double la = 0, lb = 0, dot = 0;
    for (int i = 0; i < 4; i++) la += a[i] * a[i], lb += b[i] * b[i], dot += a[i] * b[i];
    double side = dot < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
        p[i] = a[i] / sqrt(la);
        q[i] = side * b[i] / sqrt(lb);
    }
    return fmin(side * dot / sqrt(la * lb), 1);
}

void quaternion_slerp(const double a[4], const double b[4], double t, double q[4])
{
    double p[4], r[4], dot = align_units(a, b, p, r), angle = acos(dot), u = 1 - t, v = t;
    if (angle > 1e-6) {
        u = sin((1 - t) * angle) / sin(angle);
        v = sin(t * angle) / sin(angle);
    }
    for (int i = 0; i < 4; i++) q[i] = u * p[i] + v * r[i];
}

double quaternion_angle(const double a[4], const double b[4])
{
    double p[4], q[4], apart = 0;
    (void)align_units(a, b, p, q);
    for (int i = 0; i < 4; i++) apart += (p[i] - q[i]) * (p[i] - q[i]);
    return 4 * asin(fmin(sqrt(apart) / 2, 1)); /* accurate for small angles, unlike acos */
}
