#include "tool/options/number.h"

#include <string.h>

#include "tool/options/option_table.h"
#include "tool/output/report.h"
#include "tool/tool.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

int suffix_zeros(char letter) { return letter == 'k' || letter == 'K' ? 3 : letter == 'M' ? 6 : letter == 'G' ? 9 : 0; }

/* Parses an exponent or a suffix letter behind the digits; adds its power of ten to *exponent. */
static const char *read_exponent(const char *p, int *exponent)
{
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1 + (p[1] == '-' || p[1] == '+');
        int value = 0;
        if (!is_digit(*q)) return p;
        for (; is_digit(*q); q++)
            if (value < 10000) value = value * 10 + (*q - '0');
        *exponent += p[1] == '-' ? -value : value;
        return q;
    }
    *exponent += suffix_zeros(*p);
    return p + (suffix_zeros(*p) > 0);
}

/* Multiplies by 10^exponent, if the product is an integer of 64 bits. */
static enum number_kind scale_by_power(uint64_t *magnitude, int exponent)
{
    if (*magnitude == 0) return NUMBER_INTEGER;
    for (; exponent < 0; exponent++) {
        if (*magnitude % 10) return NUMBER_NONE;
        *magnitude /= 10;
    }
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(*magnitude, UINT64_C(10), magnitude)) return NUMBER_LARGE;
    return NUMBER_INTEGER;
}

enum number_kind number_read(const char **text, bool *negative, uint64_t *magnitude)
{
    const char *p = *text;
    /* Digits with at most one point, which lowers the exponent; then the exponent. */
    bool any = false, large = false;
    int exponent = 0;
    *negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    *magnitude = 0;
    for (bool point = false; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        exponent -= point;
        large |= __builtin_mul_overflow(*magnitude, UINT64_C(10), magnitude) ||
                 __builtin_add_overflow(*magnitude, (uint64_t)(*p - '0'), magnitude);
    }
    if (!any) return NUMBER_NONE;
    *text = read_exponent(p, &exponent);
    return large ? NUMBER_LARGE : scale_by_power(magnitude, exponent);
}

/* Parses a signed integer up to the character `stop` (0: the end of the text). */
static enum number_kind read_signed(const char **text, char stop, int64_t *value)
{
    bool negative;
    uint64_t magnitude;
    enum number_kind kind = number_read(text, &negative, &magnitude);
    if (kind == NUMBER_NONE || **text != stop) return NUMBER_NONE;
    if (kind == NUMBER_INTEGER && magnitude <= (uint64_t)INT64_MAX + negative)
        *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    else
        kind = negative ? NUMBER_SMALL : NUMBER_LARGE;
    return kind;
}

int option_integer(const struct job *job, enum option id, int64_t min, int64_t max, int64_t *value)
{
    const char *text = job->value[id], *end = text;
    int64_t x = 0;
    if (!text) return EXIT_DONE;
    enum number_kind kind = read_signed(&end, 0, &x);
    if (kind == NUMBER_NONE) return report_error(EXIT_USAGE, "%s: '%s' is not an integer", option_flag(id), text);
    if (kind == NUMBER_LARGE || (kind == NUMBER_INTEGER && x > max))
        return report_error(EXIT_USAGE, "%s: %s is more than %lld", option_flag(id), text, (long long)max);
    if (kind == NUMBER_SMALL || x < min)
        return report_error(EXIT_USAGE, "%s: %s is less than %lld", option_flag(id), text, (long long)min);
    *value = x;
    return EXIT_DONE;
}

int option_seed(const struct job *job, uint64_t *seed)
{
    const char *text = job->value[OPT_SEED], *end = text;
    bool negative;
    uint64_t x;
    if (!text) return EXIT_DONE;
    enum number_kind kind = number_read(&end, &negative, &x);
    if (kind == NUMBER_NONE || *end) return report_error(EXIT_USAGE, "--seed: '%s' is not an integer", text);
    if (negative && (x || kind == NUMBER_LARGE)) return report_error(EXIT_USAGE, "--seed: %s is less than 0", text);
    if (kind == NUMBER_LARGE)
        return report_error(EXIT_USAGE, "--seed: %s is more than %llu", text, (unsigned long long)UINT64_MAX);
    *seed = x;
    return EXIT_DONE;
}

int option_range(const struct job *job, enum option id, int64_t *low, int64_t *high)
{
    const char *text = job->value[id], *p = text;
    int64_t a, b;
    if (!text) return EXIT_DONE;
    bool good = read_signed(&p, ':', &a) == NUMBER_INTEGER;
    if (!good || (p++, read_signed(&p, 0, &b)) != NUMBER_INTEGER)
        return report_error(EXIT_USAGE, "%s: '%s' is not LO:HI, two integers", option_flag(id), text);
    if (a > b)
        return report_error(EXIT_USAGE, "%s: %lld is more than %lld", option_flag(id), (long long)a, (long long)b);
    *low = a;
    *high = b;
    return EXIT_DONE;
}
