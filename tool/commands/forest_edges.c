/* Forests given as edges, for --verify: finds the entries of the graph that they are. */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/graphs.h"
#include "tool/job.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* An edge by its ends and weight, and its number. */
struct listed_edge {
    uint32_t low, high;
    long double weight; /* holds integers of 64 bits */
    int64_t number;
};

static int compare_ends(const struct listed_edge *a, const struct listed_edge *b)
{
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

static int compare_edges(const void *x, const void *y)
{
    const struct listed_edge *a = x, *b = y;
    const int order = compare_ends(a, b);
    if (order) return order;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Lists edges in order. vertices: those of the numbers in the edges; NULL: the same. descending: heavier ones first.
 * NULL: no memory, which is reported. */
static struct listed_edge *list_edges(const bosc_edges *edges, const int64_t *vertices, bool descending)
{
    struct listed_edge *list = job_alloc((size_t)edges->m, sizeof *list);
    for (int64_t i = 0; list && i < edges->m; i++) {
        const uint32_t u = vertices ? (uint32_t)vertices[edges->u[i]] : edges->u[i];
        const uint32_t v = vertices ? (uint32_t)vertices[edges->v[i]] : edges->v[i];
        long double weight = 1;
        if (edges->weights && edges->dtype == BOSC_I32) weight = ((const int32_t *)edges->weights)[i];
        if (edges->weights && edges->dtype == BOSC_I64) weight = (long double)((const int64_t *)edges->weights)[i];
        if (edges->weights && edges->dtype == BOSC_F64) weight = ((const double *)edges->weights)[i];
        list[i] = (struct listed_edge){u < v ? u : v, u < v ? v : u, descending ? -weight : weight, i};
    }
    if (list) qsort(list, (size_t)edges->m, sizeof *list, compare_edges);
    return list;
}

/* Finds the graph's vertex of each name of the file; reports the first one without. */
static int find_vertices(const char *path, const bosc_names *graph_names, const bosc_names *names, int64_t *vertices)
{
    int code = EXIT_DONE;
    int64_t distinct;
    struct vertex_name *wanted = find_same_names(graph_names, names, &distinct);
    if (!wanted) return EXIT_FAILED;
    for (int64_t k = 0; k < distinct; k++) {
        if (wanted[k].vertex < 0 && !code)
            code = report_error(EXIT_FAILED, "%s: the graph has no vertex '%s'", path, wanted[k].text);
        vertices[wanted[k].number] = wanted[k].vertex;
    }
    free(wanted);
    return code;
}

/* Sets ids[i] to the entry that given edge i is. The k-th of equal ones is the k-th of the graph; edges without weights
 * are the lightest. */
static int match_edges(const char *path, const bosc_edges *edges, const bosc_edges *given, const int64_t *vertices,
                       bool descending, int64_t *ids)
{
    int code = EXIT_DONE;
    struct listed_edge *entries = list_edges(edges, NULL, descending);
    struct listed_edge *wanted = entries ? list_edges(given, vertices, descending) : NULL;
    if (!wanted) code = EXIT_FAILED;
    for (int64_t i = 0, j = 0; !code && i < given->m; i++) {
        const struct listed_edge *w = &wanted[i];
        const bool weighted = given->weights != NULL;
        while (j < edges->m && (compare_ends(&entries[j], w) < 0 ||
                                (weighted && compare_ends(&entries[j], w) == 0 && entries[j].weight < w->weight)))
            j++;
        if (j == edges->m || compare_ends(&entries[j], w) || (weighted && entries[j].weight != w->weight))
            code = report_error(EXIT_FAILED, "%s: edge %lld: the graph has no such edge, or fewer of them", path,
                                (long long)w->number);
        else
            ids[w->number] = entries[j++].number;
    }
    free(entries);
    free(wanted);
    return code;
}

int read_forest_edges(struct job *job, const bosc_edges *edges, const bosc_names *names, bosc_array *ids)
{
    const char *path = job->value[OPT_VERIFY];
    const bool named = job->value[OPT_NAMES] && path_is_text(path);
    bosc_edges given = {0};
    bosc_names given_names = {0};
    bosc_io_error error;
    int64_t *vertices = NULL;
    /* 1. The edges, and their vertices. */
    int code = named ? named_edges_read(job, path, NULL, &given, &given_names) : EXIT_DONE;
    if (!named) {
        const double start = job_now();
        const bosc_status status = bosc_edges_read(path, &given, &error);
        job_add_seconds(job, "read", start);
        if (status != BOSC_OK) code = report_io_error(status, &error);
    }
    if (!code && named && !(vertices = job_alloc((size_t)given_names.n, sizeof *vertices))) code = EXIT_FAILED;
    if (!code && named) code = find_vertices(path, names, &given_names, vertices);
    /* 2. Their entries. */
    *ids = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {given.m, 1, 1, 1}};
    if (!code && !(ids->data = job_alloc((size_t)given.m, sizeof(int64_t)))) code = EXIT_FAILED;
    if (!code) code = match_edges(path, edges, &given, vertices, job->value[OPT_MAX] != NULL, ids->data);
    bosc_edges_free(&given);
    bosc_names_free(&given_names);
    free(vertices);
    return code;
}
