/* Values of options: numbers, choices, endings of files. */
#include "tool/options/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/options/option_table.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { LAUNCH_BLOCKS = 65535, LAUNCH_THREADS = 1024 }; /* limits of CUDA, and of the library's options */

/* ---- integers ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns 3, 6 and 9 for the suffixes k, M and G; otherwise 0. */
static int suffix_zeros(char letter)
{
    return letter == 'k' || letter == 'K' ? 3 : letter == 'M' ? 6 : letter == 'G' ? 9 : 0;
}

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

int option_launch(const struct job *job, enum option id, int32_t *blocks, int32_t *threads)
{
    const char *text = job->value[id], *p = text;
    int64_t b, t;
    if (!text) return EXIT_DONE;
    bool good = read_signed(&p, 'x', &b) == NUMBER_INTEGER;
    if (!good || (p++, read_signed(&p, 0, &t)) != NUMBER_INTEGER)
        return report_error(EXIT_USAGE, "%s: '%s' is not BxT, such as 64x1024", option_flag(id), text);
    if (b < 1 || b > LAUNCH_BLOCKS)
        return report_error(EXIT_USAGE, "%s: %lld blocks are not 1 to %d", option_flag(id), (long long)b,
                            LAUNCH_BLOCKS);
    if (t < 32 || t > LAUNCH_THREADS || t % 32)
        return report_error(EXIT_USAGE, "%s: %lld threads are no multiple of 32 up to %d", option_flag(id),
                            (long long)t, LAUNCH_THREADS);
    *blocks = (int32_t)b;
    *threads = (int32_t)t;
    return EXIT_DONE;
}

/* ---- other values ---- */

int check_ending(const char *what, const char *path, const char *ending)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (path_has_ending(path, ending) || path_is_stdio(path) || !strchr(name, '.')) return EXIT_DONE;
    return report_error(EXIT_USAGE, "%s: %s does not end in %s", what, path, ending);
}

int check_array_name(const char *what, const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (path_has_ending(path, ".npy") || path_is_text(path) || path_is_stdio(path) || !strchr(name, '.'))
        return EXIT_DONE;
    return report_error(EXIT_USAGE, "%s: %s does not end in one of .npy, .csv, .tsv, .txt", what, path);
}

int option_number(const struct job *job, enum option id, double min, double *value)
{
    const char *text = job->value[id];
    if (!text) return EXIT_DONE;
    char *end;
    double x = strtod(text, &end);
    int zeros = end > text ? suffix_zeros(*end) : 0;
    x *= zeros == 3 ? 1e3 : zeros == 6 ? 1e6 : zeros == 9 ? 1e9 : 1;
    end += zeros > 0;
    if (*text == ' ' || *end || x != x)
        return report_error(EXIT_USAGE, "%s: '%s' is not a number", option_flag(id), text);
    if (x - x != 0 && strpbrk(text, "0123456789"))
        return report_error(EXIT_USAGE, "%s: %s is beyond the range of f8", option_flag(id), text);
    if (x < min) return report_error(EXIT_USAGE, "%s: %s is less than %g", option_flag(id), text, min);
    *value = x;
    return EXIT_DONE;
}

int option_numbers(const struct job *job, enum option id, int count, double *values)
{
    const char *p = job->value[id];
    char *end;
    if (!p) return EXIT_DONE;
    for (int i = 0; i < count; i++) {
        values[i] = strtod(p, &end);
        bool good = end > p && *p != ' ' && values[i] - values[i] == 0 && *end == (i + 1 < count ? ',' : 0);
        if (!good && count == 1)
            return report_error(EXIT_USAGE, "%s: '%s' is not a finite number", option_flag(id), job->value[id]);
        if (!good)
            return report_error(EXIT_USAGE, "%s: '%s' is not %d numbers separated by commas", option_flag(id),
                                job->value[id], count);
        p = end + 1;
    }
    return EXIT_DONE;
}

int option_ending(const struct job *job, enum option id, const char *const *endings)
{
    const char *path = job->value[id];
    char list[128] = "";
    if (!path || path_is_stdio(path)) return EXIT_DONE;
    for (int i = 0; endings[i]; i++) {
        if (path_has_ending(path, endings[i])) return EXIT_DONE;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", endings[i]);
    }
    return report_error(EXIT_USAGE, "%s: %s %s %s", option_flag(id), path,
                        endings[1] ? "does not end in one of" : "does not end in", list);
}

int refuse_options(const struct job *job, const enum option *ids, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (job->value[ids[i]]) return report_error(EXIT_USAGE, "%s: not beside %s", option_flag(ids[i]), what);
    return EXIT_DONE;
}

int option_choice(const struct job *job, enum option id, int *choice)
{
    const char *text = job->value[id], *const *names = resolve_option(job->command, id).choices;
    char list[128] = "";
    if (!text) return EXIT_DONE;
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *choice = i;
            return EXIT_DONE;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return report_error(EXIT_USAGE, "%s: '%s' is not one of %s", option_flag(id), text, list);
}
