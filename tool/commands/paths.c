/* boscage paths */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/paths.h>

#include "tool/commands/commands.h"
#include "tool/commands/graphs.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* The graph of a file, the sources, and the arrays of vertices. */
struct paths_input {
    const char *path;
    bosc_graph *graph;
    bosc_graph_info info;
    bosc_paths_opts opts;
    uint64_t limit;   /* a distance: an integer, or the bits of a double */
    bosc_names names; /* with --names */
    void *sources;    /* of the graph's id_bits */
    int64_t source_count;
    bool floats;    /* distances are doubles */
    int64_t target; /* of --route */
    bosc_array distances, predecessors, nearest, route;
};

static void free_input(struct paths_input *s)
{
    bosc_graph_free(s->graph);
    bosc_names_free(&s->names);
    free(s->sources);
    bosc_array_free(&s->distances);
    bosc_array_free(&s->predecessors);
    bosc_array_free(&s->nearest);
    bosc_array_free(&s->route);
}

/* ---- input ---- */

/* Reads the graph, or builds it of the edges of the file. */
static int read_graph(struct job *job, struct paths_input *s)
{
    bosc_edges edges = {0};
    bool is_assumed = false;
    s->path = job->operands[0];
    s->info.size = sizeof s->info;
    s->opts.size = sizeof s->opts;
    int code = job->value[OPT_NAMES] ? named_edges_read(job, s->path, job->value[OPT_COLUMNS], &edges, &s->names)
                                     : graph_or_edges_read(job, s->path, &s->graph, &edges);
    if (!code && !s->graph) {
        is_assumed = has_assumed_weights(&edges) && !job->value[OPT_UNWEIGHTED];
        code = graph_build(job, s->path, &edges, &s->graph);
    }
    bosc_edges_free(&edges);
    if (code) return code;
    bosc_graph_get_info(job->ctx, s->graph, &s->info);
    job_set_integer(job, "n", s->info.n);
    job_set_integer(job, "m", s->info.m);
    if (is_assumed) {
        job_set_note(job, "weights", "assumed: the file has none, each edge counts 1");
        job_set_integer(job, "weights", 1);
    }
    s->opts.unweighted = is_assumed || job->value[OPT_UNWEIGHTED];
    s->floats = !s->opts.unweighted && (s->info.weight == BOSC_F32 || s->info.weight == BOSC_F64);
    return EXIT_DONE;
}

/* Reads a name up to a comma or the end: in double quotes, its own doubled, which become single in place. Returns the
 * end; NULL: the quotes do not end there. */
static char *read_name(char *text, struct vertex_name *name)
{
    char *to = text + 1, *from = text + 1;
    *name = (struct vertex_name){.text = text, .length = strcspn(text, ",")};
    if (*text != '"') return text + name->length;
    for (; *from && (*from != '"' || from[1] == '"'); from++) {
        from += *from == '"';
        *to++ = *from;
    }
    *name = (struct vertex_name){.text = text + 1, .length = (size_t)(to - text) - 1};
    return *from == '"' && (!from[1] || from[1] == ',') ? from + 1 : NULL;
}

/* Reads --source: at most `most` names separated by commas. */
static int read_named_sources(struct job *job, struct paths_input *s, size_t most)
{
    struct vertex_name *names = job_alloc(most, sizeof *names);
    const struct vertex_name *missing = NULL; /* the first one in the option */
    const size_t size = strlen(job->value[OPT_SOURCE]) + 1;
    char *copy = names ? job_alloc(size, 1) : NULL;
    int64_t count = 0;
    int code = copy ? EXIT_DONE : EXIT_FAILED;
    /* 1. The names. */
    if (copy) memcpy(copy, job->value[OPT_SOURCE], size);
    for (char *end = copy; !code;) {
        end = read_name(end, &names[count++]);
        if (!end)
            code = report_error(EXIT_USAGE, "--source: a name in double quotes does not end in them: %s",
                                job->value[OPT_SOURCE]);
        else if (*end++ == '\0')
            break;
    }
    if (code) count = 0;
    /* 2. Their vertices. */
    s->source_count = find_named_vertices(&s->names, names, count);
    for (int64_t k = 0; k < s->source_count; k++) {
        ((uint32_t *)s->sources)[k] = (uint32_t)names[k].vertex; /* graphs of edge lists have 32 bits */
        if (names[k].vertex < 0 && (!missing || names[k].text < missing->text)) missing = &names[k];
    }
    if (missing)
        code = report_error(EXIT_USAGE, "--source: no vertex has the name '%.*s'", (int)missing->length, missing->text);
    free(names);
    free(copy);
    return code;
}

/* Reads --source: vertices separated by commas. */
static int read_sources(struct job *job, struct paths_input *s)
{
    const char *text = job->value[OPT_SOURCE];
    size_t most = 1;
    for (const char *p = text; *p; p++) most += *p == ',';
    s->sources = job_alloc(most, sizeof(int64_t));
    if (!s->sources) return EXIT_FAILED;
    if (job->value[OPT_NAMES]) return read_named_sources(job, s, most);
    for (;; text++) {
        bool negative;
        uint64_t vertex;
        const enum number_kind kind = number_read(&text, &negative, &vertex);
        if (kind != NUMBER_INTEGER || (*text && *text != ','))
            return report_error(EXIT_USAGE, "--source: '%s' is no list of vertices, such as 0 or 0,17",
                                job->value[OPT_SOURCE]);
        if (s->info.n == 0)
            return report_error(EXIT_USAGE, "--source: '%s', but the graph has no vertices", job->value[OPT_SOURCE]);
        if (negative || vertex >= (uint64_t)s->info.n)
            return report_error(EXIT_USAGE, "--source: the graph has no vertex %s%llu, but 0 to %lld",
                                negative ? "-" : "", (unsigned long long)vertex, (long long)s->info.n - 1);
        if (s->info.id_bits == 64)
            ((uint64_t *)s->sources)[s->source_count++] = vertex;
        else
            ((uint32_t *)s->sources)[s->source_count++] = (uint32_t)vertex;
        if (!*text) return EXIT_DONE;
    }
}

/* Reads --within: a distance. Integer distances are compared with its floor. */
static int read_limit(struct job *job, struct paths_input *s)
{
    const char *text = job->value[OPT_WITHIN];
    if (!text) return EXIT_DONE;
    double number = 0;
    int64_t integer = 0;
    const bool digits = !text[strspn(text, "+-0123456789")]; /* which a double would round */
    const int code = !s->floats && digits ? option_integer(job, OPT_WITHIN, 0, INT64_MAX, &integer)
                                          : option_number(job, OPT_WITHIN, 0, &number);
    if (s->floats)
        memcpy(&s->limit, &number, sizeof s->limit);
    else
        s->limit = digits ? (uint64_t)integer : number < 0x1p63 ? (uint64_t)number : UINT64_MAX;
    s->opts.limit = &s->limit;
    return code;
}

/* Reads --route: the vertex to which the way is wanted. */
static int read_target(struct job *job, struct paths_input *s)
{
    const char *text = job->value[OPT_ROUTE];
    if (!text) return EXIT_DONE;
    if (!job->value[OPT_NAMES]) return option_integer(job, OPT_ROUTE, 0, s->info.n - 1, &s->target);
    struct vertex_name wanted = {.text = text, .length = strlen(text)};
    find_named_vertices(&s->names, &wanted, 1);
    s->target = wanted.vertex;
    return wanted.vertex < 0 ? report_error(EXIT_USAGE, "--route: no vertex has the name '%s'", text) : EXIT_DONE;
}

static int allocate_array(const struct paths_input *s, bosc_dtype dtype, bosc_array *array)
{
    *array = (bosc_array){.dtype = dtype, .rank = 1, .shape = {s->info.n, 1, 1, 1}};
    array->data = job_alloc((size_t)s->info.n, sizeof(int64_t));
    return array->data ? EXIT_DONE : EXIT_FAILED;
}

/* ---- computation ---- */

/* Reports the distance of --route, and finds the vertices on the way. */
static int find_route(struct job *job, struct paths_input *s)
{
    const char *name = job->value[OPT_NAMES] ? job->value[OPT_ROUTE] : NULL;
    const int64_t n = s->info.n, target = s->target;
    int64_t length = 0;
    if (!job->value[OPT_ROUTE]) return EXIT_DONE;
    /* 1. Its distance. */
    if (s->floats)
        job_set_number(job, "distance", ((const double *)s->distances.data)[target]);
    else
        job_set_integer(job, "distance", ((const int64_t *)s->distances.data)[target]);
    const bool reached = ((const int64_t *)s->nearest.data)[target] >= 0;
    if (!reached && name) return report_error(EXIT_FAILED, "--route: no path leads to '%s'", name);
    if (!reached) return report_error(EXIT_FAILED, "--route: no path leads to vertex %lld", (long long)target);
    /* 2. Its vertices. */
    bosc_status status = bosc_paths_route(job->ctx, s->predecessors.data, n, 64, target, NULL, 0, &length);
    s->route = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {length, 1, 1, 1}};
    if (status == BOSC_OK) {
        s->route.data = job_alloc((size_t)length, sizeof(int64_t));
        if (!s->route.data) return EXIT_FAILED;
        status = bosc_paths_route(job->ctx, s->predecessors.data, n, 64, target, s->route.data, length, &length);
    }
    job_set_integer(job, "stops", length);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Refuses distances of 2^63 and more: results are integers with a sign, since -1 is the distance of vertices not
 * reached. */
static int check_distances(const struct paths_input *s)
{
    const uint64_t *distances = s->distances.data;
    for (int64_t v = 0; v < s->info.n && !s->floats; v++)
        if (distances[v] > INT64_MAX && distances[v] != UINT64_MAX)
            return report_error(EXIT_FAILED, "%s: vertex %lld: its distance is 2^63 or more; limit it by --within",
                                s->path, (long long)v);
    return EXIT_DONE;
}

/* Writes the arrays of vertices and the route; with --names those to text with names. */
static int write_arrays(struct job *job, const struct paths_input *s)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_PREDECESSORS], job->value[OPT_NEAREST],
                           job->value[OPT_STOPS]};
    const struct named_column columns[] = {{paths[0], "distance", &s->distances, NULL},
                                           {paths[1], "predecessor", NULL, s->predecessors.data},
                                           {paths[2], "nearest", NULL, s->nearest.data}};
    struct named_column named[NAMED_COLUMNS_MAX];
    int count = 0;
    for (int k = 0; k < 3 && job->value[OPT_NAMES]; k++)
        if (path_is_text(paths[k])) {
            named[count++] = columns[k];
            paths[k] = NULL;
        }
    const bool named_route = job->value[OPT_NAMES] && path_is_text(paths[3]);
    if (named_route) paths[3] = NULL;
    const bosc_array arrays[] = {s->distances, s->predecessors, s->nearest, s->route};
    int code = arrays_write(job, paths, arrays, 4);
    if (!code) code = named_columns_write(job, "vertex", named, count, &s->names);
    return code || !named_route ? code : named_route_write(job, &s->route, &s->names);
}

static int compute_paths(struct job *job, struct paths_input *s)
{
    bosc_paths_info info = {.size = sizeof info};
    const bool tree = job->value[OPT_PREDECESSORS] || job->value[OPT_ROUTE];
    const bool nearest = job->value[OPT_NEAREST] || job->value[OPT_ROUTE];
    const bool distances = job->value[OPT_OUTPUT] || job->value[OPT_ROUTE];
    /* 1. Compute what the options request. */
    int code = distances ? allocate_array(s, s->floats ? BOSC_F64 : BOSC_I64, &s->distances) : EXIT_DONE;
    if (!code && tree) code = allocate_array(s, BOSC_I64, &s->predecessors);
    if (!code && nearest) code = allocate_array(s, BOSC_I64, &s->nearest);
    if (code) return code;
    const double start = job_now();
    const bosc_status status =
        bosc_paths_compute(job->ctx, s->graph, s->sources, s->source_count, &s->opts, s->distances.data,
                           s->predecessors.data, NULL, s->nearest.data, &info);
    job_add_seconds(job, "paths", start);
    if (status != BOSC_OK) return report_error(status_exit_code(status), "%s: %s", s->path, bosc_ctx_message(job->ctx));
    job_set_integer(job, "reached", info.reached);
    if (distances && (code = check_distances(s))) return code;
    if (tree) widen_ids(s->info.id_bits, s->predecessors.data, s->info.n);
    if (nearest) widen_ids(s->info.id_bits, s->nearest.data, s->info.n);
    /* 2. Find the route before anything is written. */
    code = find_route(job, s);
    return code ? code : write_arrays(job, s);
}

/* ---- proof ---- */

/* Parses a distance: a double, or an integer, -1 for a vertex not reached. */
static bool parse_distance(const char *text, bool floats, void *to)
{
    char *end;
    errno = 0;
    if (floats)
        *(double *)to = strtod(text, &end);
    else
        *(int64_t *)to = strtoll(text, &end, 10);
    return end > text && !*end && errno == 0;
}

/* Stores the distances of a text with a name and a number a line, each vertex once. The reader of edges takes both
 * words of a line for names. */
static int store_named_distances(const struct paths_input *s, const char *path, const bosc_edges *lines,
                                 const bosc_names *words, const struct vertex_name *found, int64_t count, bool *seen)
{
    const char *first = words->n > 1 ? words->text + words->begins[1] : "";
    const int64_t begin = lines->m > 0 && strcmp(words->text, "vertex") == 0 && strcmp(first, "distance") == 0;
    for (int64_t i = begin; i < lines->m; i++) {
        const char *name = words->text + words->begins[lines->u[i]], *number = words->text + words->begins[lines->v[i]];
        const struct vertex_name *vertex = search_name(found, count, name);
        if (vertex->vertex < 0) return report_error(EXIT_FAILED, "%s: the graph has no vertex '%s'", path, name);
        if (seen[vertex->vertex]) return report_error(EXIT_FAILED, "%s: two distances of '%s'", path, name);
        if (!parse_distance(number, s->floats, (int64_t *)s->distances.data + vertex->vertex))
            return report_error(EXIT_FAILED, "%s: '%s' is no distance", path, number);
        seen[vertex->vertex] = true;
    }
    for (int64_t v = 0; v < s->info.n; v++)
        if (!seen[v])
            return report_error(EXIT_FAILED, "%s: no distance of '%s'", path, s->names.text + s->names.begins[v]);
    return EXIT_DONE;
}

/* Reads the distances that -o writes as text with names. */
static int read_named_distances(struct job *job, struct paths_input *s, const char *path)
{
    bosc_edges lines = {0};
    bosc_names words = {0};
    int64_t count = 0;
    struct vertex_name *wanted = NULL;
    bool *seen = NULL;
    int code = named_edges_read(job, path, NULL, &lines, &words);
    if (!code) code = allocate_array(s, s->floats ? BOSC_F64 : BOSC_I64, &s->distances);
    if (!code && !(wanted = find_same_names(&s->names, &words, &count))) code = EXIT_FAILED;
    if (!code && !(seen = job_alloc((size_t)s->info.n, sizeof *seen))) code = EXIT_FAILED;
    if (!code) {
        memset(seen, 0, (size_t)s->info.n * sizeof *seen);
        code = store_named_distances(s, path, &lines, &words, wanted, count, seen);
    }
    bosc_edges_free(&lines);
    bosc_names_free(&words);
    free(wanted);
    free(seen);
    return code;
}

/* Reads a text of a number a vertex, which is read as doubles. */
static int read_text_numbers(const char *path, bosc_array *array)
{
    bosc_io_error error;
    const bosc_status status = bosc_points_read(path, array, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    const double *x = array->data;
    if (array->shape[1] != 1) return report_error(EXIT_FAILED, "%s: more than one number a line", path);
    for (int64_t i = 0; i < array->shape[0]; i++)
        if (fabs(x[i]) >= 0x1p53 && isfinite(x[i]))
            return report_error(EXIT_FAILED, "%s: row %lld: a number of 2^53 or more; .npy has them exactly", path,
                                (long long)i);
    array->rank = 1;
    return EXIT_DONE;
}

/* Reads an array of a number a vertex: doubles, or integers of 64 bits. */
static int read_numbers(struct job *job, const struct paths_input *s, const char *path, bool floats, bosc_array *array)
{
    bosc_io_error error;
    const double start = job_now();
    const bool text = path_is_text(path);
    const bosc_status status = text ? BOSC_OK : bosc_npy_read(path, array, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    const int code = text ? read_text_numbers(path, array) : EXIT_DONE;
    if (code) return code;
    job_add_seconds(job, "read", start);
    const bool reals = !text && (array->dtype == BOSC_F32 || array->dtype == BOSC_F64);
    if (array->rank != 1 || array->shape[0] != s->info.n)
        return report_error(EXIT_FAILED, "%s: needs one number for each of the %lld vertices", path,
                            (long long)s->info.n);
    if (reals && !floats)
        return report_error(EXIT_FAILED, "%s: needs integers, but this array is %s", path, dtype_code(array->dtype));
    if (array->dtype == BOSC_U64 && !floats) return EXIT_DONE;
    const bosc_status converted = bosc_array_convert(path, array, floats ? BOSC_F64 : BOSC_I64, 0, &error);
    return converted == BOSC_OK ? EXIT_DONE : report_io_error(converted, &error);
}

/* Predecessors of 32 bits fill the front half of the array; others than vertices become none, or n. */
static void narrow_predecessors(const struct paths_input *s)
{
    const int64_t *given = s->predecessors.data, n = s->info.n;
    uint32_t *narrow = s->predecessors.data;
    if (s->info.id_bits == 64) return;
    for (int64_t v = 0; v < n; v++)
        narrow[v] = given[v] == -1 ? UINT32_MAX : given[v] < 0 || given[v] >= n ? (uint32_t)n : (uint32_t)given[v];
}

static int verify_paths(struct job *job, struct paths_input *s)
{
    const char *path = job->value[OPT_VERIFY], *tree = job->value[OPT_PREDECESSORS];
    int code = job->value[OPT_NAMES] && path_is_text(path) ? read_named_distances(job, s, path)
                                                           : read_numbers(job, s, path, s->floats, &s->distances);
    if (!code && tree) code = read_numbers(job, s, tree, false, &s->predecessors);
    if (code) return code;
    if (tree) narrow_predecessors(s);
    bosc_paths_fault fault = {.size = sizeof fault, .vertex = -1};
    const double start = job_now();
    const bosc_status status = bosc_paths_verify(job->ctx, s->graph, s->sources, s->source_count, &s->opts,
                                                 s->distances.data, s->predecessors.data, &fault);
    job_add_seconds(job, "verify", start);
    if (status == BOSC_OK) return EXIT_DONE;
    if (fault.vertex < 0) path = s->path; /* the graph is wrong, not the distances */
    return report_error(status_exit_code(status), "%s: %s", path, bosc_ctx_message(job->ctx));
}

/* Refuses invalid combinations of options. */
static int check_outputs(const struct job *job)
{
    static const enum option written[] = {OPT_OUTPUT, OPT_NEAREST, OPT_ROUTE};
    static const char *const names[] = {"-o", "--nearest", "--route"};
    for (int k = 0; k < 3 && job->value[OPT_VERIFY]; k++)
        if (job->value[written[k]]) return report_error(EXIT_USAGE, "%s: --verify writes nothing", names[k]);
    if (job->value[OPT_STOPS] && !job->value[OPT_ROUTE]) return report_error(EXIT_USAGE, "--stops: needs --route");
    return EXIT_DONE;
}

int run_paths(struct job *job)
{
    struct paths_input s = {.path = NULL};
    int code = check_outputs(job);
    if (code || (code = job_open(job))) return code;
    code = read_graph(job, &s);
    if (!code) code = read_sources(job, &s);
    if (!code) code = read_limit(job, &s);
    if (!code) code = read_target(job, &s);
    if (!code) code = job->value[OPT_VERIFY] ? verify_paths(job, &s) : compute_paths(job, &s);
    free_input(&s);
    return code;
}
