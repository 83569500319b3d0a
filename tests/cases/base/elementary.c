/* log, exp, sin, cos and atan2 against the C library's in long double. */
#include <math.h>

#include "base/elementary.h"
#include "support/suite.h"

/* The error of `got` in units in the last place of the double next to `want`. */
static double units(double got, long double want)
{
    double near = (double)want;
    if (isnan(near)) return isnan(got) ? 0 : INFINITY;
    if (isinf(near)) return got == near ? 0 : INFINITY;
    double unit = nextafter(fabs(near), INFINITY) - fabs(near);
    return (double)(fabsl((long double)got - want) / (long double)unit);
}

#define CHECK_UNITS(call, want)                                                           \
    do {                                                                                  \
        double error_ = units((call), (want));                                            \
        if (!(error_ <= 1.5)) suite_fail(__FILE__, __LINE__, #call ": %g units", error_); \
    } while (0)

/* A number of any exponent in [-span, span], either sign. */
static double any(struct suite_random *r, int span)
{
    double x = ldexp(1 + suite_unit(r), (int)suite_below(r, 2 * (uint64_t)span + 1) - span);
    return suite_next(r) & 1 ? -x : x;
}

enum { TRIALS = 200000 };

static void logarithms(void)
{
    struct suite_random r = {1};
    for (int i = 0; i < TRIALS; i++) {
        double x = fabs(any(&r, 1022)), near_one = 1 + any(&r, 30) * 0x1p-31;
        CHECK_UNITS(bi_log_f64(x), logl((long double)x));
        if (near_one > 0) CHECK_UNITS(bi_log_f64(near_one), logl((long double)near_one));
    }
    CHECK(bi_log_f64(1) == 0 && bi_log_f64(0) == -INFINITY && bi_log_f64(-0.0) == -INFINITY &&
          bi_log_f64(INFINITY) == INFINITY);
    CHECK(isnan(bi_log_f64(-1)) && isnan(bi_log_f64(NAN)) && isnan(bi_log_f64(-INFINITY)));
    for (int e = -1074; e < 1024; e++) CHECK_UNITS(bi_log_f64(ldexp(1, e)), logl(ldexpl(1, e)));
}

static void exponentials(void)
{
    struct suite_random r = {5};
    for (int i = 0; i < TRIALS; i++) {
        double x = (suite_unit(&r) * 2 - 1) * (i % 2 ? 708 : 1), tiny = any(&r, 500) * 0x1p-520;
        CHECK_UNITS(bi_exp_f64(x), expl((long double)x));
        CHECK_UNITS(bi_exp_f64(tiny), expl((long double)tiny));
        CHECK(bi_exp_f64(fabs(tiny)) >= 1 && bi_exp_f64(fabs(x)) >= 1);
    }
    for (double x = -746; x < -708; x += 0.01) CHECK_UNITS(bi_exp_f64(x), expl((long double)x)); /* subnormal */
    for (double x = 709; x < 709.78; x += 0.001) CHECK_UNITS(bi_exp_f64(x), expl((long double)x));
    CHECK(bi_exp_f64(0) == 1 && bi_exp_f64(-0.0) == 1 && bi_exp_f64(-INFINITY) == 0 &&
          bi_exp_f64(INFINITY) == INFINITY);
    CHECK(bi_exp_f64(710) == INFINITY && bi_exp_f64(-800) == 0 && bi_exp_f64(-1e300) == 0 && isnan(bi_exp_f64(NAN)));
}

static void floors(void)
{
    struct suite_random r = {6};
    for (int i = 0; i < TRIALS; i++) {
        double x = any(&r, i % 2 ? 8 : 48);
        CHECK(bi_floor(x) == floor(x));
        CHECK(bi_floor(floor(x)) == floor(x));
    }
    CHECK(bi_floor(0x1p60) == 0x1p60 && bi_floor(-INFINITY) == -INFINITY && isnan(bi_floor(NAN)));
}

static void sines_and_cosines(void)
{
    struct suite_random r = {2};
    for (int i = 0; i < TRIALS; i++) {
        double x = any(&r, i % 2 ? 19 : 3);
        CHECK_UNITS(bi_sin_f64(x), sinl((long double)x));
        CHECK_UNITS(bi_cos_f64(x), cosl((long double)x));
    }
    for (int n = -600000; n < 600000; n += 17) { /* next to the zeros */
        double x = (double)(n * (long double)(BI_PI / 2) + n * (long double)(BI_PI_TAIL / 2));
        CHECK_UNITS(bi_sin_f64(x), sinl((long double)x));
        CHECK_UNITS(bi_cos_f64(x), cosl((long double)x));
    }
    CHECK(signbit(bi_sin_f64(-0.0)) && bi_cos_f64(0) == 1);
    CHECK(isnan(bi_sin_f64(NAN)) && isnan(bi_cos_f64(INFINITY)) && isnan(bi_sin_f64(0x1p21)));
}

static void turns(void)
{
    struct suite_random r = {3};
    const long double tau = 2 * acosl(-1);
    for (int i = 0; i < TRIALS; i++) {
        double u = suite_unit(&r);
        struct bi_angle a = bi_angle_of_turns(u);
        CHECK(fabsl((long double)bi_angle_sin(a) - sinl(tau * (long double)u)) < 0x1p-52L);
        CHECK(fabsl((long double)bi_angle_cos(a) - cosl(tau * (long double)u)) < 0x1p-52L);
    }
    static const double sines[] = {0, 1, 0, -1, 0};
    for (int q = 0; q < 4; q++) {
        struct bi_angle a = bi_angle_of_turns(0.25 * q);
        CHECK(bi_angle_sin(a) == sines[q] && bi_angle_cos(a) == sines[q + 1]);
    }
}

static void arctangents(void)
{
    struct suite_random r = {4};
    for (int i = 0; i < TRIALS; i++) {
        int span = i % 3 == 0 ? 1 : i % 3 == 1 ? 40 : 1020;
        double y = any(&r, span), x = any(&r, span);
        long double want = atan2l((long double)y, (long double)x);
        if (fabsl(want) < 0x1p-1022L) continue; /* the quotient is rounded twice */
        CHECK_UNITS(bi_atan2_f64(y, x), want);
    }
    static const double odd[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 5e-324, 1.7e308, -1.7e308};
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) {
            double got = bi_atan2_f64(odd[i], odd[j]), want = atan2(odd[i], odd[j]);
            if (isnan(want)) {
                CHECK(isnan(got));
                continue;
            }
            CHECK_UNITS(got, atan2l((long double)odd[i], (long double)odd[j]));
            CHECK(signbit(got) == signbit(want));
        }
}

static const struct suite_case suite_cases_elementary[] = {
    {"logarithms", NULL, logarithms}, {"exponentials", NULL, exponentials},
    {"floors", NULL, floors},         {"sines and cosines", NULL, sines_and_cosines},
    {"turns", NULL, turns},           {"arctangents", NULL, arctangents},
};
SUITE(elementary);
