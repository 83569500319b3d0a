/* log, exp, sin, cos and atan2 from + - * / and integer steps alone, so that every compiler and device gives the same
 * bits (built without contraction to fma). Errors are below 1.5 units in the last place; tests compare with libm.
 * Argument reduction makes arguments small enough for Taylor series. Constants are split into a head, whose products
 * with small integers are exact, and tails (Cody and Waite, Software Manual for the Elementary Functions, 1980). */
#ifndef BI_BASE_ELEMENTARY_H
#define BI_BASE_ELEMENTARY_H

#include <math.h>

#include "base/bits.h"

#define BI_QUIET_NAN bi_f64_from_bits(0x7ff8000000000000ull)
#define BI_INFINITY bi_f64_from_bits(0x7ff0000000000000ull)
#define BI_PI 0x1.921fb54442d18p+1
#define BI_PI_TAIL 0x1.1a62633145c07p-53

/* Correctly rounded everywhere; built without errno, so it is an instruction. */
BI_FN double bi_sqrt(double x) { return sqrt(x); }

/* To the nearest integer, ties to even; |x| < 2^51. */
BI_FN double bi_round_even(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* The smallest float not less than x >= 0. */
BI_FN float bi_f32_round_up(double x)
{
    const float f = (float)x;
    return (double)f < x ? bi_f32_from_bits(bi_f32_bits(f) + 1) : f;
}

BI_FN int bi_is_negative(double x) { return (int)(bi_f64_bits(x) >> 63); }

/* x = 2^k (1 + f) with f in [sqrt(1/2) - 1, sqrt(2) - 1]; log(1 + f) = 2 atanh(s), s = f / (2 + f), in the form
 * f - s (f - R(s^2)), where f is exact and the correction is small. */
BI_FN double bi_log_f64(double x)
{
    if (!(x >= 0)) return BI_QUIET_NAN;
    if (x == 0) return -BI_INFINITY;
    if (x == BI_INFINITY) return x;
    /* 1. Split x into 2^k m; subnormal numbers are scaled first. */
    double k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    uint64_t bits = bi_f64_bits(x);
    k += (double)((int64_t)(bits >> 52) - 1023);
    double m = bi_f64_from_bits((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 0x1.6a09e667f3bcdp+0) { /* sqrt(2) */
        m *= 0.5;
        k += 1;
    }
    /* 2. The series of atanh in Horner's form, up to s^21. */
    double f = m - 1, s = f / (2 + f), z = s * s;
    double r = 2.0 / 21;
    r = 2.0 / 19 + z * r;
    r = 2.0 / 17 + z * r;
    r = 2.0 / 15 + z * r;
    r = 2.0 / 13 + z * r;
    r = 2.0 / 11 + z * r;
    r = 2.0 / 9 + z * r;
    r = 2.0 / 7 + z * r;
    r = 2.0 / 5 + z * r;
    r = 2.0 / 3 + z * r;
    r = z * r;
    /* 3. Add k ln 2, its head exact and its tail with the small terms. */
    return k * 0x1.62e42feep-1 - ((s * (f - r) - k * 0x1.a39ef35793c76p-33) - f);
}

/* x = k ln 2 + r with |r| <= ln 2 / 2; exp(r) by its series. At least 1 for x >= 0, and 1 for 0. */
BI_FN double bi_exp_f64(double x)
{
    if (x != x) return BI_QUIET_NAN;
    if (x > 709.8) return BI_INFINITY;
    if (x < -745.2) return 0;
    double k = bi_round_even(x * 0x1.71547652b82fep+0), r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    double q = 1.0 / 6227020800.0; /* 13! */
    q = 1.0 / 479001600.0 + r * q;
    q = 1.0 / 39916800.0 + r * q;
    q = 1.0 / 3628800.0 + r * q;
    q = 1.0 / 362880.0 + r * q;
    q = 1.0 / 40320.0 + r * q;
    q = 1.0 / 5040.0 + r * q;
    q = 1.0 / 720.0 + r * q;
    q = 1.0 / 120.0 + r * q;
    q = 1.0 / 24.0 + r * q;
    q = 1.0 / 6.0 + r * q;
    q = 0.5 + r * q;
    int64_t n = (int64_t)k, half = n / 2; /* 2^n may overflow or be subnormal: multiply by two factors */
    double scale = bi_f64_from_bits((uint64_t)(half + 1023) << 52);
    return (1 + (r + r * r * q)) * scale * bi_f64_from_bits((uint64_t)(n - half + 1023) << 52);
}

/* The largest integer not above x. */
BI_FN double bi_floor(double x)
{
    if (!(x > -0x1p51 && x < 0x1p51)) return x; /* an integer already (or a half, accepted as it is), or NaN */
    double n = bi_round_even(x);
    return n > x ? n - 1 : n;
}

/* An angle as quadrant * pi / 2 + (head + tail), |head| <= pi / 4. */
struct bi_angle {
    double head, tail;
    int quadrant;
};

/* The sine and cosine of head + tail. */
BI_FN double bi_small_sin(double head, double tail)
{
    double z = head * head, p = 1.0 / 355687428096000.0; /* 17! */
    p = -1.0 / 1307674368000.0 + z * p;
    p = 1.0 / 6227020800.0 + z * p;
    p = -1.0 / 39916800.0 + z * p;
    p = 1.0 / 362880.0 + z * p;
    p = -1.0 / 5040.0 + z * p;
    p = 1.0 / 120.0 + z * p;
    p = -1.0 / 6.0 + z * p;
    return head + (head * z * p + tail * (1 - 0.5 * z));
}

BI_FN double bi_small_cos(double head, double tail)
{
    double z = head * head, p = 1.0 / 20922789888000.0; /* 16! */
    p = -1.0 / 87178291200.0 + z * p;
    p = 1.0 / 479001600.0 + z * p;
    p = -1.0 / 3628800.0 + z * p;
    p = 1.0 / 40320.0 + z * p;
    p = -1.0 / 720.0 + z * p;
    p = 1.0 / 24.0 + z * p;
    double half = 0.5 * z, w = 1 - half;
    return w + (((1 - w) - half) + (z * z * p - head * tail));
}

BI_FN double bi_angle_sin(struct bi_angle a)
{
    double x = a.quadrant & 1 ? bi_small_cos(a.head, a.tail) : bi_small_sin(a.head, a.tail);
    return a.quadrant & 2 ? -x : x;
}

BI_FN double bi_angle_cos(struct bi_angle a)
{
    double x = a.quadrant & 1 ? bi_small_sin(a.head, a.tail) : bi_small_cos(a.head, a.tail);
    return (a.quadrant + 1) & 2 ? -x : x;
}

/* Knuth's Two-Diff: a - b = *difference + the returned error, exactly. */
BI_FN double bi_two_difference(double a, double b, double *difference)
{
    double d = a - b, back = d - a;
    *difference = d;
    return (a - (d - back)) - (b + back);
}

/* Reduces |x| <= 2^20 by pi / 2 in parts of 33 bits, whose products with the quadrant are exact. */
BI_FN struct bi_angle bi_angle_of(double x)
{
    struct bi_angle a;
    double q = bi_round_even(x * 0x1.45f306dc9c883p-1), r, low, lower;
    low = bi_two_difference(x - q * 0x1.921fb544p+0, q * 0x1.0b4611a6p-34, &r);
    lower = bi_two_difference(r, q * 0x1.3198a2ep-69, &r);
    low = (low + lower) - q * 0x1.b839a252049c1p-104;
    a.head = r + low;
    a.tail = (r - a.head) + low;
    a.quadrant = (int)((int64_t)q & 3);
    return a;
}

/* NaN beyond 2^20, where a double no longer resolves an angle well. */
BI_FN double bi_sin_f64(double x)
{
    if (!(x >= -0x1p20 && x <= 0x1p20)) return BI_QUIET_NAN;
    return x == 0 ? x : bi_angle_sin(bi_angle_of(x));
}

BI_FN double bi_cos_f64(double x)
{
    if (!(x >= -0x1p20 && x <= 0x1p20)) return BI_QUIET_NAN;
    return bi_angle_cos(bi_angle_of(x));
}

/* The angle 2 pi u, |u| <= 2^20. Its sine and cosine are exact where they are 0, 1 or -1. */
BI_FN struct bi_angle bi_angle_of_turns(double u)
{
    struct bi_angle a;
    double q = bi_round_even(4 * u), d = 4 * u - q;
    a.head = d * (BI_PI / 2);
    a.tail = d * (BI_PI_TAIL / 2);
    a.quadrant = (int)((int64_t)q & 3);
    return a;
}

/* atan(y / x) for 0 <= y <= x, x > 0, as the result + *tail. x + y must be finite. Rotating by -atan(k / 8) leaves an
 * angle atan(z) with |z| <= 1/16. */
BI_FN double bi_small_atan(double y, double x, double *tail)
{
    /* atan(k / 8) as head + tail. */
    const double head[9] = {0,
                            0x1.fd5ba9aac2f6ep-4,
                            0x1.f5b75f92c80ddp-3,
                            0x1.6f61941e4def1p-2,
                            0x1.dac670561bb4fp-2,
                            0x1.1e00babdefeb4p-1,
                            0x1.4978fa3269ee1p-1,
                            0x1.700a7c5784634p-1,
                            0x1.921fb54442d18p-1};
    const double tails[9] = {0,
                             -0x1.cd37686760c17p-59,
                             0x1.8ab6e3cf7afbdp-57,
                             -0x1.c63aae6f6e918p-56,
                             0x1.a2b7f222f65e2p-56,
                             -0x1.928df287a668fp-58,
                             0x1.2419a87f2a458p-56,
                             -0x1.8c34d25aadef6p-56,
                             0x1.1a62633145c07p-55};
    /* 1. Rotate by the nearest table angle. */
    double k = bi_round_even(8 * (y / x)), c = k * 0.125, z = (y - c * x) / (x + c * y), w = z * z;
    /* 2. The series of atan in Horner's form, up to z^17. */
    double p = 1.0 / 17;
    p = -1.0 / 15 + w * p;
    p = 1.0 / 13 + w * p;
    p = -1.0 / 11 + w * p;
    p = 1.0 / 9 + w * p;
    p = -1.0 / 7 + w * p;
    p = 1.0 / 5 + w * p;
    p = -1.0 / 3 + w * p;
    *tail = tails[(int)k] + z * w * p;
    /* 3. Add the table angle; the rounding error of the sum goes to the tail. */
    if (k == 0) return z;
    double sum = head[(int)k] + z;
    *tail += (head[(int)k] - sum) + z;
    return sum;
}

/* The angle of (x, y) in [-pi, pi], with C's rules for zeros and infinities. */
BI_FN double bi_atan2_f64(double y, double x)
{
    if (x != x || y != y) return BI_QUIET_NAN;
    int left = bi_is_negative(x), below = bi_is_negative(y);
    x = left ? -x : x;
    y = below ? -y : y;
    /* 1. The angle in the first quadrant, from the smaller ratio; scaled where x + y could overflow, or where products
     * with table values could lose bits as subnormal numbers. */
    double angle, tail = 0;
    if (x == BI_INFINITY) {
        angle = y == BI_INFINITY ? BI_PI / 4 : 0;
    } else if (y == BI_INFINITY) {
        angle = BI_PI / 2;
    } else if (x == 0 && y == 0) {
        angle = 0;
    } else {
        double scale = x > 0x1p1000 || y > 0x1p1000 ? 0x1p-100 : x < 0x1p-900 && y < 0x1p-900 ? 0x1p120 : 1;
        x *= scale;
        y *= scale;
        angle = y <= x ? bi_small_atan(y, x, &tail) : bi_small_atan(x, y, &tail);
        if (y > x) { /* pi / 2 - angle */
            double turned = BI_PI / 2 - angle;
            tail = ((BI_PI / 2 - turned) - angle) + (BI_PI_TAIL / 2 - tail);
            angle = turned;
        }
    }
    /* 2. Reflect into the quadrant of (x, y). */
    if (left) {
        double turned = BI_PI - angle;
        tail = ((BI_PI - turned) - angle) + (BI_PI_TAIL - tail);
        angle = turned;
    }
    angle += tail;
    return below ? -angle : angle;
}

#endif
