#include "tool/options/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/options/number.h"
#include "tool/options/option_table.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

int check_ending(const char *what, const char *path, const char *ending)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (path_has_ending(path, ending) || path_is_stdio(path) || !strchr(name, '.')) return EXIT_DONE;
    return report_error(EXIT_USAGE, "%s: %s does not end in %s", what, path, ending);
}

int check_array_name(const char *what, const char *path)
{
    static const char *const endings[] = {".npy", ".csv", ".tsv", ".txt"};
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (path_has_ending(path, endings[i])) return EXIT_DONE;
    if (path_is_stdio(path) || !strchr(name, '.')) return EXIT_DONE;
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
