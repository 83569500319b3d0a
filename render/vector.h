/* Vectors of three doubles. */
#ifndef RENDER_VECTOR_H
#define RENDER_VECTOR_H

#include <math.h>

static inline double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void normalise(double a[3])
{
    const double length = sqrt(dot(a, a));
    for (int i = 0; i < 3; i++) a[i] /= length;
}

#endif
