/* Writes numbers as text, with a point in every locale. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text/number.h"

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
        for (int digit = k ? k - 1 : 0; digit >= 0; digit--) *p++ = (char)('0' + whole / power[digit] % 10 * (k > 0));
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
