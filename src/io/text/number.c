/* Reads decimal numbers, correctly rounded, and writes them, with a point in every locale. Sources: Clinger, How to
 * Read Floating Point Numbers Accurately (PLDI 1990), for the exact cases; products and quotients of 128-bit integers
 * for up to 19 digits; strtod otherwise. */
#include "io/text/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- reading ---- */

enum {
    DIGITS_FAST = 19,  /* decimal digits that always fit in 64 bits */
    DIGITS_KEPT = 800, /* midpoints of doubles have fewer than 770 significant digits */
    POWER_EXACT = 22,  /* 10^22 is the largest power of ten that is a double */
    POWER_FIVE = 27    /* 5^27 is the largest power of five below 2^64 */
};

/* A decimal number: digits, without the point, times ten to the `exponent`. */
struct decimal {
    const char *begin, *end; /* range of the digits and the point */
    uint64_t mantissa;       /* the digits, if at most DIGITS_FAST */
    int64_t digits;          /* number of digits, without leading zeros */
    int64_t exponent;
    bool negative;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads infinity, inf or nan. */
static const char *read_word(const char *p, const char *end, bool negative, double *value)
{
    static const struct {
        const char *text;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].text);
        if ((size_t)(end - p) < length || strncasecmp(p, words[i].text, length) != 0) continue;
        *value = negative ? -words[i].value : words[i].value;
        return p + length;
    }
    return NULL;
}

/* Reads the digits before the exponent; NULL if there are none. */
static const char *read_digits(const char *p, const char *end, struct decimal *d)
{
    bool point = false, any = false;
    d->begin = p;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*p)) break;
        any = true;
        d->exponent -= point;
        if (d->digits == 0 && *p == '0') continue;
        if (d->digits++ < DIGITS_FAST) d->mantissa = d->mantissa * 10 + (uint64_t)(*p - '0');
    }
    d->end = p;
    return any ? p : NULL;
}

/* Reads the exponent, if there is one. */
static const char *read_exponent(const char *p, const char *end, struct decimal *d)
{
    if (p == end || ((*p | 32) != 'e' && (*p | 32) != 'd')) return p; /* d: Fortran's, of double precision */
    const char *q = p + 1;
    bool negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+')) q++;
    if (q == end || !is_digit(*q)) return p;
    int64_t e = 0;
    for (; q < end && is_digit(*q); q++)
        if (e < INT64_C(1) << 40) e = e * 10 + (*q - '0'); /* saturate far above any number of digits of a file */
    d->exponent += negative ? -e : e;
    return q;
}

/* Converts by strtod, which rounds correctly. The text has no point, so the locale does not matter. Nonzero digits
 * behind DIGITS_KEPT become one digit 1, which decides the rounding as they would. */
static double value_by_strtod(const struct decimal *d)
{
    char text[DIGITS_KEPT + 32];
    int64_t exponent = d->exponent, kept = 0, dropped = 0;
    bool sticky = false;
    for (const char *p = d->begin; p < d->end; p++) {
        if (*p == '.' || (kept == 0 && *p == '0')) continue;
        if (kept < DIGITS_KEPT) {
            text[kept++] = *p;
        } else {
            sticky |= *p != '0';
            dropped++;
        }
    }
    exponent += dropped;
    if (sticky) {
        text[kept++] = '1';
        exponent--;
    }
    int64_t e = exponent > 99999 ? 99999 : exponent < -99999 ? -99999 : exponent; /* far beyond a double */
    snprintf(text + kept, 16, "e%d", (int)e);
    return strtod(text, NULL);
}

static double power_of_two(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Computes mantissa * 10^e = mantissa * 5^e * 2^e. The integer mantissa * 5^e is exact in 128 bits, or a quotient with
 * a sticky bit; its conversion to double is the only rounding. mantissa > 0; e is -POWER_FIVE to POWER_FIVE. */
static double value_by_128_bits(uint64_t mantissa, int e)
{
    static const uint64_t power[POWER_FIVE + 1] = {1u,
                                                   5u,
                                                   25u,
                                                   125u,
                                                   625u,
                                                   3125u,
                                                   15625u,
                                                   78125u,
                                                   390625u,
                                                   1953125u,
                                                   9765625u,
                                                   48828125u,
                                                   244140625u,
                                                   1220703125u,
                                                   6103515625u,
                                                   30517578125u,
                                                   152587890625u,
                                                   762939453125u,
                                                   3814697265625u,
                                                   19073486328125u,
                                                   95367431640625u,
                                                   476837158203125u,
                                                   2384185791015625u,
                                                   11920928955078125u,
                                                   59604644775390625u,
                                                   298023223876953125u,
                                                   1490116119384765625u,
                                                   7450580596923828125u};
    uint64_t five = power[e < 0 ? -e : e];
    if (e >= 0) return (double)((unsigned __int128)mantissa * five) * power_of_two(e);
    /* Divide the mantissa, shifted to the top of 128 bits, by 5^-e; the lowest bit records a remainder. */
    int zeros = __builtin_clzll(mantissa);
    unsigned __int128 top = (unsigned __int128)(mantissa << zeros) << 64;
    unsigned __int128 quotient = top / five;
    quotient |= quotient * five != top;
    return (double)quotient * power_of_two(e - 64 - zeros);
}

static double value_of(const struct decimal *d)
{
    static const double power[POWER_EXACT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t e = d->exponent;
    if (d->digits == 0) return 0;
    if (d->digits > DIGITS_FAST || e > POWER_FIVE || e < -POWER_FIVE) return value_by_strtod(d);
    if (d->mantissa <= UINT64_C(1) << 53 && e >= -POWER_EXACT && e <= POWER_EXACT)
        return e < 0 ? (double)d->mantissa / power[-e] : (double)d->mantissa * power[e];
    return value_by_128_bits(d->mantissa, (int)e);
}

/* Reads #INF, #QNAN, #SNAN or #IND, and digits behind it, as Microsoft's printf wrote them behind `1.` until 2015.
 * NULL: it is none of them. */
static const char *read_microsoft(const char *p, const char *end, double *value)
{
    static const char *const words[] = {"#INF", "#QNAN", "#SNAN", "#IND"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        const size_t length = strlen(words[k]);
        if ((size_t)(end - p) < length || memcmp(p, words[k], length) != 0) continue;
        *value = k == 0 ? INFINITY : NAN;
        for (p += length; p < end && is_digit(*p);) p++;
        return p;
    }
    return NULL;
}

const char *bi_number_read(const char *p, const char *end, double *value)
{
    struct decimal d = {0};
    if (p < end && (*p == '-' || *p == '+')) d.negative = *p++ == '-';
    const char *q = read_digits(p, end, &d);
    if (!q) return read_word(p, end, d.negative, value);
    double x;
    const char *special = q < end && *q == '#' && q[-1] == '.' ? read_microsoft(q, end, &x) : NULL;
    if (!special) {
        q = read_exponent(q, end, &d);
        x = value_of(&d);
    }
    *value = d.negative ? -x : x;
    return special ? special : q;
}

bool bi_number_is_beyond(const char *p, double value)
{
    if (*p == '-' || *p == '+') p++;
    return isinf(value) && (is_digit(*p) || *p == '.') && memcmp(p, "1.#", 3) != 0; /* such numbers have 5 letters */
}

/* ---- writing ---- */

char *bi_integer_write(char *p, bool negative, uint64_t size)
{
    char digits[20];
    int count = 0;
    if (negative) *p++ = '-';
    do digits[count++] = (char)('0' + size % 10);
    while (size /= 10);
    while (count) *p++ = digits[--count];
    return p;
}

char *bi_signed_write(char *p, int64_t x) { return bi_integer_write(p, x < 0, x < 0 ? 0 - (uint64_t)x : (uint64_t)x); }

/* Writes the number rounded to this many digits, as d.ddde+xx without trailing zeros. */
static char *write_scientific(char *p, double x, int digits)
{
    char text[48];
    int seen = 0;
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    for (const char *q = text; *q; q++) {
        bool digit = *q >= '0' && *q <= '9';
        if (*q == 'e')
            while (p[-1] == '0' && p[-2] != '.') p--;
        if (digit || *q == '-' || *q == '+' || *q == 'e') *p++ = *q;
        if (digit && ++seen == 1) *p++ = '.';
    }
    return p;
}

/* True if `back`, read from the text, equals the number. */
static bool is_same(double back, double x, bool single) { return single ? (float)back == (float)x : back == x; }

/* Writes a number of at most six decimals. The text reads as a quotient of two exact doubles, so one division tests
 * it. NULL for other numbers. */
static char *write_decimals(char *p, double x, bool single)
{
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    for (int k = 0; k <= 6; k++) {
        double scaled = fabs(x) * (double)power[k];
        if (!(scaled < 1e15)) return NULL; /* integers below 2^53 are exact, also after adding 0.5 */
        uint64_t whole = (uint64_t)(scaled + 0.5);
        if (!is_same((double)whole / (double)power[k], fabs(x), single)) continue;
        p = bi_integer_write(p, signbit(x), whole / power[k]);
        *p++ = '.';
        for (int digit = k ? k - 1 : 0; digit >= 0; digit--)
            *p++ = (char)('0' + whole / power[digit] % 10 * (k > 0)); /* k = 0: the digit 0 */
        return p;
    }
    return NULL;
}

char *bi_number_write(char *p, double x, bool single)
{
    if (isinf(x)) return p + sprintf(p, x < 0 ? "-inf" : "inf");
    char *end = write_decimals(p, x, single);
    if (end) return end;
    double back;
    end = write_scientific(p, x, single ? FLT_DIG : DBL_DIG);
    if (bi_number_read(p, end, &back) && is_same(back, x, single)) return end;
    return write_scientific(p, x, single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG);
}
