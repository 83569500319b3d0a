/* Decimals of all lengths and exponents, halves between two doubles and their neighbours among them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/number.h"
#include "soak/soak.h"

enum { TEXT = 900 };

static int random_digits(char *to, struct suite_random *r)
{
    static const int most[] = {1, 5, 15, 16, 17, 18, 19, 20, 25, 60, 400};
    int digits = 1 + (int)suite_below(r, (uint64_t)most[suite_below(r, 11)]);
    int point = suite_below(r, 2) ? -1 : (int)suite_below(r, (uint64_t)digits + 1), used = 0;
    for (int i = 0; i < digits; i++) {
        if (i == point) to[used++] = '.';
        to[used++] = (char)('0' + (suite_below(r, 8) ? suite_below(r, 10) : suite_below(r, 2) * 9));
    }
    if (suite_below(r, 3)) used += snprintf(to + used, 16, "e%d", (int)suite_below(r, 700) - 350);
    return used;
}

/* The number halfway between two doubles, to its last digit, or one next to it. */
static int random_half(char *to, struct suite_random *r)
{
    uint64_t bits = suite_next(r) & 0x7fffffffffffffffU;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) x = 1;
    long double half = ((long double)x + (long double)nextafter(x, INFINITY)) / 2;
    int used = snprintf(to, TEXT - 4, "%.780Le", half);
    char *end = strchr(to, 'e');
    if (suite_below(r, 2) && end) { /* a digit far behind decides */
        memmove(end + 1, end, strlen(end) + 1);
        *end = '1';
        used++;
    }
    return used;
}

void soak_decimals(uint64_t seed)
{
    struct suite_random r = {seed};
    char text[TEXT];
    for (int i = 0; i < 1000000; i++) {
        int used = suite_below(&r, 50) ? random_digits(text, &r) : random_half(text, &r);
        text[used] = 0;
        double right = strtod(text, NULL), got = -1;
        const char *end = bi_number_read(text, text + used, &got);
        if (end != text + used || memcmp(&got, &right, sizeof got) != 0)
            suite_fail(__FILE__, __LINE__, "%s is read as %.17g, not %.17g", text, got, right);
    }
}
