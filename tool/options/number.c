/* Numbers of options: 1000000, 1e6, 1M, 2.5k. */
#include <string.h>

#include "tool/tool.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

int suffix_zeros(char letter) { return letter == 'k' || letter == 'K' ? 3 : letter == 'M' ? 6 : letter == 'G' ? 9 : 0; }

/* The exponent behind the digits, with the zeros that a letter stands for. */
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

/* size * 10^exponent, if that is an integer of 64 bits. */
static enum number_kind scale(uint64_t *size, int exponent)
{
    if (*size == 0) return NUMBER_INTEGER;
    for (; exponent < 0; exponent++) {
        if (*size % 10) return NUMBER_NONE;
        *size /= 10;
    }
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(*size, UINT64_C(10), size)) return NUMBER_LARGE;
    return NUMBER_INTEGER;
}

enum number_kind number_read(const char **text, bool *negative, uint64_t *size)
{
    const char *p = *text;
    bool any = false, large = false;
    int exponent = 0;
    *negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    *size = 0;
    for (bool point = false; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        exponent -= point;
        large |= __builtin_mul_overflow(*size, UINT64_C(10), size) ||
                 __builtin_add_overflow(*size, (uint64_t)(*p - '0'), size);
    }
    if (!any) return NUMBER_NONE;
    *text = read_exponent(p, &exponent);
    return large ? NUMBER_LARGE : scale(size, exponent);
}

/* Reads all of the text, or, where `stop` is not 0, all before it. */
static enum number_kind read_signed(const char **text, char stop, int64_t *value)
{
    bool negative;
    uint64_t size;
    enum number_kind kind = number_read(text, &negative, &size);
    if (kind == NUMBER_NONE || **text != stop) return NUMBER_NONE;
    if (kind == NUMBER_INTEGER && size <= (uint64_t)INT64_MAX + negative)
        *value = negative ? (int64_t)(0 - size) : (int64_t)size;
    else
        kind = negative ? NUMBER_SMALL : NUMBER_LARGE;
    return kind;
}

int option_integer(const struct job *job, enum option id, int64_t least, int64_t most, int64_t *value)
{
    const char *text = job->value[id], *end = text;
    int64_t x = 0;
    if (!text) return EXIT_DONE;
    enum number_kind kind = read_signed(&end, 0, &x);
    if (kind == NUMBER_NONE) return say(EXIT_USAGE, "%s: '%s' is not an integer", option_flag(id), text);
    if (kind == NUMBER_LARGE || (kind == NUMBER_INTEGER && x > most))
        return say(EXIT_USAGE, "%s: %s is more than %lld", option_flag(id), text, (long long)most);
    if (kind == NUMBER_SMALL || x < least)
        return say(EXIT_USAGE, "%s: %s is less than %lld", option_flag(id), text, (long long)least);
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
    if (kind == NUMBER_NONE || *end) return say(EXIT_USAGE, "--seed: '%s' is not an integer", text);
    if (negative && (x || kind == NUMBER_LARGE)) return say(EXIT_USAGE, "--seed: %s is less than 0", text);
    if (kind == NUMBER_LARGE)
        return say(EXIT_USAGE, "--seed: %s is more than %llu", text, (unsigned long long)UINT64_MAX);
    *seed = x;
    return EXIT_DONE;
}

int option_range(const struct job *job, enum option id, int64_t *least, int64_t *most)
{
    const char *text = job->value[id], *p = text;
    int64_t a, b;
    if (!text) return EXIT_DONE;
    bool good = read_signed(&p, ':', &a) == NUMBER_INTEGER;
    if (!good || (p++, read_signed(&p, 0, &b)) != NUMBER_INTEGER)
        return say(EXIT_USAGE, "%s: '%s' is not LO:HI, two integers", option_flag(id), text);
    if (a > b) return say(EXIT_USAGE, "%s: %lld is more than %lld", option_flag(id), (long long)a, (long long)b);
    *least = a;
    *most = b;
    return EXIT_DONE;
}
