/* Graphs and forests of the commands: read, built, listed; weights among the results. */
#include "tool/commands/graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/memory.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* ---- graphs ---- */

enum {
    VERTICES_PER_EDGE_MAX = 16
}; /* with more vertices per edge the vertex count may be an error in the file; chosen */

/* A few bytes of a file can declare billions of vertices. That is legal, but refused if memory is short: with
 * overcommit the kernel would kill a process instead. */
static int check_vertices(struct job *job, const char *path, const bosc_edges *edges, const bosc_graph_opts *opts)
{
    bosc_ctx_info info = {.size = sizeof info};
    int64_t kept, scratch, available = memory_available();
    if (edges->n / VERTICES_PER_EDGE_MAX <= edges->m || available < 0) return EXIT_DONE;
    if (bosc_ctx_get_info(job->ctx, &info) != BOSC_OK || info.backend != BOSC_BACKEND_CPU) return EXIT_DONE;
    if (bosc_graph_bytes(job->ctx, opts, edges->n, edges->m, &kept, &scratch) != BOSC_OK) return EXIT_DONE;
    if (kept + scratch <= available) return EXIT_DONE;
    return report_error(
        EXIT_FAILED, "%s: %lld vertices (with %lld edges) need %.1f GB of memory, of which %.1f GB are left", path,
        (long long)edges->n, (long long)edges->m, 1e-9 * (double)(kept + scratch), 1e-9 * (double)available);
}

bosc_graph_opts edges_graph_opts(const bosc_edges *edges)
{
    return (bosc_graph_opts){.size = sizeof(bosc_graph_opts), .weight = edges->dtype, .id_bits = 32};
}

int report_edges_error(struct job *job, const char *path, const bosc_edges *edges, bosc_status status)
{
    if (status == BOSC_ERR_NOMEM)
        return report_error(status_exit_code(status), "%s: %lld vertices, %lld edges: %s", path, (long long)edges->n,
                            (long long)edges->m, bosc_ctx_message(job->ctx));
    return report_error(status_exit_code(status), "%s: %s", path, bosc_ctx_message(job->ctx));
}

int graph_build(struct job *job, const char *path, const bosc_edges *edges, bosc_graph **graph)
{
    bosc_graph *built = NULL;
    const bosc_graph_opts opts = edges_graph_opts(edges);
    int code = check_vertices(job, path, edges, &opts);
    if (code) return code;
    double start = job_now();
    bosc_status status = bosc_graph_create(job->ctx, &opts, &built);
    if (status == BOSC_OK)
        status = bosc_graph_build(job->ctx, built, edges->u, edges->v, edges->weights, edges->n, edges->m);
    job_add_seconds(job, "build", start);
    if (status == BOSC_OK) {
        *graph = built;
        return EXIT_DONE;
    }
    code = report_edges_error(job, path, edges, status);
    bosc_graph_free(built);
    return code;
}

int check_edge_columns(const char *path, const struct job *job)
{
    static const char *const endings[] = {".gr", ".mtx", ".graph", ".metis", ".npy", ".bosc"};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (job->value[OPT_COLUMNS] && path_has_ending(path, endings[k]))
            return report_error(EXIT_USAGE,
                                "--columns: %s has none: only edge lists have columns, such as .csv, .tsv, .txt", path);
    return EXIT_DONE;
}

int graph_or_edges_read(struct job *job, const char *path, bosc_graph **graph, bosc_edges *edges)
{
    bosc_io_error error;
    if (check_edge_columns(path, job)) return EXIT_USAGE;
    double start = job_now();
    bosc_status status = bosc_graph_or_edges_read(job->ctx, path, job->value[OPT_COLUMNS], graph, edges, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK && path_is_text(path) && strstr(error.text, "' is not a vertex"))
        return report_error(status_exit_code(status), "%s (--names reads words)", error.text);
    if (status != BOSC_OK) return report_io_error(status, &error);
    if (*graph) return EXIT_DONE;
    const bosc_graph_opts opts = edges_graph_opts(edges);
    return check_vertices(job, path, edges, &opts);
}

/* ---- names of vertices ---- */

int named_edges_read(struct job *job, const char *path, const char *columns, bosc_edges *edges, bosc_names *names)
{
    bosc_io_error error;
    const double start = job_now();
    const bosc_status status = bosc_edges_read_names(path, columns, edges, names, &error);
    job_add_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Writes a name: in quotes, its own doubled, if it has a quote, the separator, a blank or a comment. */
static void write_name(FILE *file, const bosc_names *names, int64_t i, char separator)
{
    const char *name = names->text + names->begins[i];
    const char special[] = {separator, ' ', '#', '%', ';', ',', '"', '{', '}', '\0'};
    if (!name[strcspn(name, special)]) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++) {
        if (*name == '"') fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

/* Writes a number of a type with the fewest digits that read back as it is. */
static void write_real(FILE *file, bosc_dtype dtype, double number)
{
    char text[32];
    for (int digits = dtype == BOSC_F32 ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        const double back = strtod(text, NULL);
        if (dtype == BOSC_F32 ? (float)back == (float)number : back == number) break;
    }
    fputs(text, file);
}

/* Writes number i of an array. */
static void write_number(FILE *file, bosc_dtype dtype, const void *numbers, int64_t i)
{
    switch (dtype) {
    case BOSC_F32: write_real(file, dtype, (double)((const float *)numbers)[i]); break;
    case BOSC_F64: write_real(file, dtype, ((const double *)numbers)[i]); break;
    case BOSC_I8: fprintf(file, "%d", ((const int8_t *)numbers)[i]); break;
    case BOSC_I16: fprintf(file, "%d", ((const int16_t *)numbers)[i]); break;
    case BOSC_I32: fprintf(file, "%d", (int)((const int32_t *)numbers)[i]); break;
    case BOSC_I64: fprintf(file, "%lld", (long long)((const int64_t *)numbers)[i]); break;
    case BOSC_U8: fprintf(file, "%u", ((const uint8_t *)numbers)[i]); break;
    case BOSC_U16: fprintf(file, "%u", ((const uint16_t *)numbers)[i]); break;
    case BOSC_U32: fprintf(file, "%u", (unsigned)((const uint32_t *)numbers)[i]); break;
    case BOSC_U64: fprintf(file, "%llu", (unsigned long long)((const uint64_t *)numbers)[i]); break;
    }
}

/* Writes the text of a stream in memory to a file, and frees it. */
static int write_text(struct job *job, const char *path, FILE *file, char **data, const size_t *size)
{
    bosc_io_error error;
    const bool failed = ferror(file) != 0;
    int code = fclose(file) || failed ? report_error(EXIT_FAILED, "out of memory") : EXIT_DONE;
    const bosc_text text = {*data, (int64_t)*size};
    const double start = job_now();
    if (!code) {
        const bosc_status status = bosc_texts_write(&path, &text, 1, &error);
        if (status != BOSC_OK) code = report_io_error(status, &error);
    }
    job_add_seconds(job, "write", start);
    free(*data);
    return code;
}

int named_edges_write(struct job *job, const bosc_edges *edges, const bosc_names *names)
{
    char *data = NULL;
    size_t size = 0;
    const bool csv = path_has_ending(job->value[OPT_OUTPUT], ".csv");
    const char separator = csv ? ',' : '\t';
    FILE *file = open_memstream(&data, &size);
    if (!file) return report_error(EXIT_FAILED, "out of memory");
    fprintf(file, "source%ctarget%s%s\n", separator, edges->weights ? (csv ? "," : "\t") : "",
            edges->weights ? "weight" : "");
    for (int64_t i = 0; i < edges->m; i++) {
        write_name(file, names, edges->u[i], separator);
        fputc(separator, file);
        write_name(file, names, edges->v[i], separator);
        if (edges->weights) {
            fputc(separator, file);
            write_number(file, edges->dtype, edges->weights, i);
        }
        fputc('\n', file);
    }
    return write_text(job, job->value[OPT_OUTPUT], file, &data, &size);
}

/* Writes a line for each name to memory: the name, and its number or, of vertices, the name of its vertex; none for
 * -1. */
static void print_column(FILE *file, const char *title, const struct named_column *column, const bosc_names *names)
{
    const char separator = path_has_ending(column->path, ".csv") ? ',' : '\t';
    fprintf(file, "%s%c%s\n", title, separator, column->name);
    for (int64_t i = 0; i < names->n; i++) {
        write_name(file, names, i, separator);
        fputc(separator, file);
        if (!column->vertices)
            write_number(file, column->numbers->dtype, column->numbers->data, i);
        else if (column->vertices[i] >= 0)
            write_name(file, names, column->vertices[i], separator);
        fputc('\n', file);
    }
}

int named_columns_write(struct job *job, const char *title, const struct named_column *columns, int count,
                        const bosc_names *names)
{
    bosc_io_error error;
    bosc_text texts[NAMED_COLUMNS_MAX] = {{NULL, 0}};
    const char *paths[NAMED_COLUMNS_MAX];
    char *data[NAMED_COLUMNS_MAX] = {NULL};
    int code = EXIT_DONE;
    if (job->silent) return EXIT_DONE; /* as arrays_write */
    /* 1. The texts. */
    for (int k = 0; k < count && !code; k++) {
        size_t size = 0;
        FILE *file = open_memstream(&data[k], &size);
        if (file) print_column(file, title, &columns[k], names);
        const bool failed = !file || ferror(file);
        if ((file && fclose(file)) || failed) code = report_error(EXIT_FAILED, "out of memory");
        texts[k] = (bosc_text){data[k], (int64_t)size};
        paths[k] = columns[k].path;
    }
    /* 2. Their files, all or none. */
    const double start = job_now();
    if (!code && count) {
        const bosc_status status = bosc_texts_write(paths, texts, count, &error);
        if (status != BOSC_OK) code = report_io_error(status, &error);
    }
    if (count) job_add_seconds(job, "write", start);
    for (int k = 0; k < count; k++) free(data[k]);
    return code;
}

int named_route_write(struct job *job, const bosc_array *route, const bosc_names *names)
{
    char *data = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&data, &size);
    if (!file) return report_error(EXIT_FAILED, "out of memory");
    for (int64_t i = 0; i < route->shape[0]; i++)
        fprintf(file, "%s\n", names->text + names->begins[((const int64_t *)route->data)[i]]);
    return write_text(job, job->value[OPT_STOPS], file, &data, &size);
}

/* Orders names byte by byte. */
static int compare_names(const void *a, const void *b)
{
    const struct vertex_name *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

int64_t find_named_vertices(const bosc_names *names, struct vertex_name *wanted, int64_t count)
{
    int64_t distinct = 0;
    /* 1. The names in order, each once. */
    qsort(wanted, (size_t)count, sizeof *wanted, compare_names);
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && compare_names(&wanted[k], &wanted[distinct - 1]) == 0) continue;
        wanted[distinct] = wanted[k];
        wanted[distinct++].vertex = -1;
    }
    /* 2. Search each vertex's name among them. */
    for (int64_t i = 0; i < names->n; i++) {
        const char *text = names->text + names->begins[i];
        const struct vertex_name *found = search_name(wanted, distinct, text);
        if (found) wanted[found - wanted].vertex = i;
    }
    return distinct;
}

struct vertex_name *find_same_names(const bosc_names *names, const bosc_names *others, int64_t *count)
{
    struct vertex_name *wanted = job_alloc((size_t)others->n, sizeof *wanted);
    for (int64_t i = 0; wanted && i < others->n; i++) {
        const char *text = others->text + others->begins[i];
        wanted[i] = (struct vertex_name){.text = text, .length = strlen(text), .number = i};
    }
    if (wanted) *count = find_named_vertices(names, wanted, others->n);
    return wanted;
}

const struct vertex_name *search_name(const struct vertex_name *names, int64_t count, const char *text)
{
    const struct vertex_name name = {.text = text, .length = strlen(text)};
    return bsearch(&name, names, (size_t)count, sizeof *names, compare_names);
}

static uint64_t element_at(const bosc_array *words, int64_t i)
{
    return words->dtype == BOSC_U64 ? ((const uint64_t *)words->data)[i] : ((const uint32_t *)words->data)[i];
}

/* Writes each stored edge to its entry; the other entries stay loops of vertex 0. */
static void scatter_entries(const bosc_graph_info *info, const bosc_array kept[4], bosc_edges *edges)
{
    const size_t size = bosc_dtype_size(info->weight);
    for (int64_t i = 0; i < info->m; i++) {
        const size_t id = (size_t)element_at(&kept[0], i);
        edges->u[id] = (uint32_t)element_at(&kept[1], i);
        edges->v[id] = (uint32_t)element_at(&kept[2], i);
        memcpy((char *)edges->weights + id * size, (const char *)kept[3].data + (size_t)i * size, size);
    }
}

/* Lists the entries of a graph for a job over several ranks, each a thread or process with a slice of the entries. The
 * graphs of the ranks have 32-bit edge ids, which limits the number of entries. Entries that the graph has dropped are
 * loops of vertex 0 with weight 0. The caller frees *edges, after a failure too; it is set unless there are too many
 * entries. */
int graph_get_entries(struct job *job, const char *path, const bosc_graph *graph, const bosc_graph_info *info,
                      bosc_edges *edges)
{
    const size_t m = (size_t)info->m, entries = (size_t)info->entries, size = bosc_dtype_size(info->weight);
    bosc_array kept[4]; /* ids, u, v, weights */
    int code = EXIT_DONE;
    if (info->entries >= (int64_t)UINT32_MAX)
        return report_error(EXIT_FAILED, "%s: %lld edges; ranks take less than 2^32 - 1", path,
                            (long long)info->entries);
    /* 1. Arrays of the stored edges, and of all entries. */
    for (int k = 0; k < 4; k++) {
        kept[k] = (bosc_array){.dtype = info->id_bits == 64 ? BOSC_U64 : BOSC_U32};
        kept[k].data = job_alloc(m, k == 3 ? size : bosc_dtype_size(kept[k].dtype));
        if (!kept[k].data) code = EXIT_FAILED;
    }
    *edges = (bosc_edges){.n = info->n, .m = info->entries, .dtype = info->weight};
    edges->u = job_alloc(entries, sizeof *edges->u);
    edges->v = job_alloc(entries, sizeof *edges->v);
    edges->weights = job_alloc(entries, size);
    if (!edges->u || !edges->v || !edges->weights) code = EXIT_FAILED;
    /* 2. Fetch and scatter. */
    if (!code) {
        const bosc_status status =
            bosc_graph_get_edges(job->ctx, graph, kept[0].data, kept[1].data, kept[2].data, kept[3].data);
        if (status != BOSC_OK) code = report_ctx_error(job->ctx, status);
    }
    if (!code) {
        memset(edges->u, 0, entries * sizeof *edges->u);
        memset(edges->v, 0, entries * sizeof *edges->v);
        memset(edges->weights, 0, entries * size);
        scatter_entries(info, kept, edges);
    }
    for (int k = 0; k < 4; k++) bosc_array_free(&kept[k]);
    return code;
}

/* ---- forests ---- */

bool has_assumed_weights(const bosc_edges *edges) { return edges->m > 0 && edges->u && !edges->weights; }

/* Integer weights have an exact sum of 128 bits: reported as an integer if it fits 64 bits, otherwise as the nearest
 * double and as text. Sums of reals are doubles. */
void report_weight(struct job *job, bosc_dtype weight, bool assumed, const bosc_msf_info *found)
{
    bool real = weight == BOSC_F32 || weight == BOSC_F64;
    if (assumed)
        job_set_note(job, "weight",
                     job->value[OPT_COLUMNS] ? "assumed: no column of weights is chosen, each edge counts 1"
                                             : "assumed: the file has no weights, each edge counts 1");
    int64_t high = found->weight_high;
    if (!real && high == ((int64_t)found->weight_low < 0 ? -1 : 0)) {
        job_set_integer(job, "weight", (int64_t)found->weight_low);
        return;
    }
    job_set_number(job, "weight", found->weight);
    if (real) return;
    unsigned __int128 magnitude = (unsigned __int128)(uint64_t)high << 64 | found->weight_low;
    char text[48], *p = text + sizeof text;
    if (high < 0) magnitude = 0 - magnitude;
    *--p = 0;
    do *--p = (char)('0' + (int)(magnitude % 10));
    while (magnitude /= 10);
    if (high < 0) *--p = '-';
    job_set_text(job, "weight_exact", p);
}

int read_forest_ids(struct job *job, const struct ranks *ranks, int32_t id_bits, int64_t entries,
                    struct input_rows *rows)
{
    bosc_io_error error;
    const char *path = job->value[OPT_VERIFY];
    bosc_array *ids = &rows->array;
    int code = ranks_read_npy(job, ranks, path, rows);
    if (code) return code;
    if (ids->dtype == BOSC_F32 || ids->dtype == BOSC_F64 || ids->rank != 1)
        return report_error(EXIT_FAILED, "%s: edge ids are integers in one dimension, but this array is %s in %d", path,
                            dtype_code(ids->dtype), ids->rank);
    bosc_status status = bosc_slice_convert(path, &rows->slice, ids, BOSC_I64, 0, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    const int64_t *ids64 = ids->data;
    uint32_t *ids32 = ids->data; /* in place */
    for (int64_t i = 0; i < ids->shape[0]; i++) {
        if (ids64[i] < 0 || ids64[i] >= entries)
            return report_error(EXIT_FAILED, "%s: row %lld: there is no edge %lld", path, (long long)(rows->first + i),
                                (long long)ids64[i]);
        if (id_bits == 32) ids32[i] = (uint32_t)ids64[i];
    }
    return EXIT_DONE;
}

int replicated_bytes(const struct job *job, const struct ranks *ranks, int64_t *bytes)
{
    *bytes = 0;
    if (!job->value[OPT_REPLICATED]) return EXIT_DONE;
    if (!ranks->count) return report_error(EXIT_USAGE, "--replicated: requires --ranks, --devices or mpirun");
    return option_integer(job, OPT_REPLICATED, 1, INT64_MAX, bytes);
}
