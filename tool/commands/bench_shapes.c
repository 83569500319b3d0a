/* Shapes of data that benchmark programs have, and the choice of --shape. */
#include "tool/commands/bench_shapes.h"

#include <stdio.h>
#include <string.h>

#include "tool/options/shapes.h"
#include "tool/output/report.h"

const struct bench_shapes bench_points = {"-s", {SHAPE_LIST(POINT_SHAPES)}};

/* Without half-equal points: they have n^2 / 8 pairs within any radius, and nanoflann visits n / 2 for a query. */
const struct bench_shapes bench_clouds = {"-s", {SHAPE_LIST_BUT_LAST(POINT_SHAPES)}};

const struct bench_shapes bench_graphs = {"-k", {SHAPE_LIST(GRAPH_SHAPES)}};
const struct bench_shapes bench_keys = {"-s", {SHAPE_LIST(KEY_SHAPES)}};
const struct bench_shapes bench_words = {"-s", {SHAPE_LIST(SCENE_SHAPES), SHAPE_LIST(WORD_SHAPES)}};

/* Moves *list behind its next name. Returns the name's begin and length, or NULL at the end. */
static const char *next_name(const char **list, size_t *length)
{
    const char *name = *list;
    if (!name) return NULL;
    *length = strcspn(name, ",");
    *list = name[*length] ? name + *length + 1 : NULL;
    return name;
}

static bool is_name(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(name, other, length) == 0;
}

bool bench_shape_chosen(const struct job *job, const char *shape)
{
    const char *list = job->value[OPT_SHAPE], *name;
    size_t length;
    while ((name = next_name(&list, &length)))
        if (is_name(name, length, "all") || is_name(name, length, shape)) return true;
    return false;
}

static bool has_shape(const struct bench_shapes *shapes, const char *name, size_t length)
{
    for (const char *const *known = shapes->names; *known; known++)
        if (is_name(name, length, *known)) return true;
    return false;
}

/* True if list number k has the shape, and no list before it. */
static bool is_first_mention(const struct bench_shapes *const *lists, int k, const char *shape)
{
    for (int i = 0; i < k; i++)
        if (lists[i] && has_shape(lists[i], shape, strlen(shape))) return false;
    return true;
}

int check_bench_shapes(const struct job *job, const struct bench_shapes *const *lists, int count)
{
    const char *list = job->value[OPT_SHAPE], *name;
    char known[512] = "all";
    size_t length;
    /* 1. All names there are. */
    for (int k = 0; k < count; k++)
        for (const char *const *shape = lists[k] ? lists[k]->names : NULL; shape && *shape; shape++) {
            const size_t used = strlen(known);
            if (is_first_mention(lists, k, *shape)) snprintf(known + used, sizeof known - used, ", %s", *shape);
        }
    if (list && strcmp(known, "all") == 0)
        return report_error(EXIT_USAGE, "--shape: the benchmarks of this room have no shapes of data");
    /* 2. Each name of the option. */
    while ((name = next_name(&list, &length))) {
        bool found = is_name(name, length, "all");
        for (int k = 0; k < count && !found; k++) found = lists[k] && has_shape(lists[k], name, length);
        if (!found) return report_error(EXIT_USAGE, "--shape: '%.*s' is not one of %s", (int)length, name, known);
    }
    return EXIT_DONE;
}
