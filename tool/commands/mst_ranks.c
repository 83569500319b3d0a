/* boscage mst and components over ranks. Each rank builds a graph of its slice of the edges. */
#include "tool/commands/over_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "tool/commands/graphs.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Shared by the ranks of a process. */
struct graph_work {
    bosc_edges edges;             /* all edges; with is_part the part read by this process */
    bool is_part, is_saved;       /* is_saved: the edges come from a saved graph */
    bool has_gaps;                /* entries are missing in the saved graph, loops among them */
    int64_t first, m;             /* entry of the file that is entry 0 of `edges`; number of entries of the file */
    int64_t kept;                 /* number of entries that the saved graph stores */
    bosc_graph **graphs;          /* (ranks): parts of a saved graph, `edges` then has only sizes; otherwise NULL */
    bosc_ranks_graph_info *parts; /* (ranks) */
    const char *file;
    bosc_msf_opts opts;
    int32_t id_bits;
    int64_t *ids; /* (edges): those of a rank begin where its slice begins */
    void *labels; /* (vertices), of id_bits; NULL: none */
    int64_t components;
    bosc_msf_info found; /* as rank 0 found it */
    const char *path;    /* file of the ids to verify */
    struct input_rows ids_to_verify;
};

/* Lists the entries of a saved graph without the ending .bosc, or from a pipe. */
static int expand_saved_graph(struct job *job, bosc_graph *graph, struct graph_work *w)
{
    bosc_graph_info info = {.size = sizeof info};
    bosc_graph_get_info(job->ctx, graph, &info);
    int code = graph_get_entries(job, job->operands[0], graph, &info, &w->edges);
    bosc_graph_free(graph);
    w->m = info.entries;
    w->kept = info.m;
    w->is_saved = true;
    w->has_gaps = info.m < info.entries && info.loops == 0;
    return code;
}

static int read_whole(struct job *job, struct graph_work *w)
{
    bosc_io_error error;
    bosc_graph *graph = NULL;
    const char *path = job->operands[0];
    if (check_edge_columns(path, job)) return EXIT_USAGE;
    bosc_status status = bosc_graph_or_edges_read(job->ctx, path, job->value[OPT_COLUMNS], &graph, &w->edges, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    w->kept = w->m = w->edges.m;
    return graph ? expand_saved_graph(job, graph, w) : EXIT_DONE;
}

/* Weights of a part of an edge list, in the order of width. */
enum weight_kind { NO_EDGES, NO_WEIGHTS, OF_I32, OF_I64, OF_F64 };

static enum weight_kind weight_kind_of(const bosc_edges *e)
{
    if (e->m == 0) return NO_EDGES;
    if (!e->weights) return NO_WEIGHTS;
    return e->dtype == BOSC_I32 ? OF_I32 : e->dtype == BOSC_I64 ? OF_I64 : OF_F64;
}

/* Returns the weight of an edge of a part whose weights are integers, or 1 if it has none. */
static int64_t integer_weight(const bosc_edges *e, int64_t i)
{
    if (!e->weights) return 1;
    return e->dtype == BOSC_I32 ? ((const int32_t *)e->weights)[i] : ((const int64_t *)e->weights)[i];
}

/* True for an integer that no double equals. */
static bool is_rounded(int64_t n)
{
    const double real = (double)n;
    return real >= 0x1p63 || (int64_t)real != n;
}

/* Widens the weights to the kind of all parts. A part without edges gets an empty array if others have weights, and
 * edges without networkx's weight get 1. As by one process, integers of an edge list that would be rounded are
 * refused. */
static int widen_weights(const struct job *job, bool is_edge_list, struct graph_work *w, enum weight_kind to)
{
    bosc_edges *e = &w->edges;
    const bosc_dtype type = to == OF_F64 ? BOSC_F64 : to == OF_I64 ? BOSC_I64 : BOSC_I32;
    if (e->m > 0 && e->dtype == type && (e->weights || to == NO_WEIGHTS)) return EXIT_DONE;
    /* 1. The weights in their new type. */
    double *widened = to >= OF_I32 ? job_alloc((size_t)e->m, sizeof *widened) : NULL;
    if (to >= OF_I32 && !widened) return EXIT_FAILED;
    for (int64_t i = 0; i < e->m; i++) {
        const int64_t n = integer_weight(e, i);
        if (to == OF_I32)
            ((int32_t *)(void *)widened)[i] = (int32_t)n;
        else if (to == OF_I64)
            memcpy(&widened[i], &n, sizeof n);
        else
            widened[i] = (double)n;
        if (to != OF_F64 || !is_edge_list || !is_rounded(n)) continue;
        free(widened);
        return report_error(EXIT_FAILED,
                            "%s: edge %lld: the weight %lld would be rounded: others make all weights reals; a point "
                            "behind it permits that",
                            job->operands[0], (long long)(w->first + i), (long long)n);
    }
    /* 2. In place of the old ones. */
    free(e->weights);
    e->weights = widened;
    e->dtype = type;
    return EXIT_DONE;
}

/* Agrees on the parts of all processes: first entry of this part, number of entries, number of vertices, type of
 * weights. */
static int combine_parts(struct job *job, const struct ranks *ranks, int64_t declared, struct graph_work *w)
{
    /* 1. Entries; the number must be the declared one. */
    int64_t *counts = ranks->counts, widest = NO_EDGES;
    counts[ranks->first] = w->edges.m;
    int code = ranks_sum_counts(ranks);
    if (code) return code;
    w->first = ranks->begins[ranks->first];
    w->kept = w->m = ranks->begins[ranks->count];
    if (declared >= 0 && w->m < declared)
        return report_error(EXIT_FAILED, "%s: ends after %lld of %lld edges", job->operands[0], (long long)w->m,
                            (long long)declared);
    if (declared >= 0 && w->m > declared)
        return report_error(EXIT_FAILED, "%s: more than the %lld edges that the header declares", job->operands[0],
                            (long long)declared);
    /* 2. Vertices: the maximum. */
    counts[ranks->first] = w->edges.n;
    if ((code = ranks_sum_counts(ranks))) return code;
    for (int32_t r = 0; r < ranks->count; r++)
        if (counts[r] > w->edges.n) w->edges.n = counts[r];
    /* 3. Weights: the widest kind. */
    counts[ranks->first] = weight_kind_of(&w->edges);
    if ((code = ranks_sum_counts(ranks))) return code;
    for (int32_t r = 0; r < ranks->count; r++)
        if (counts[r] > widest) widest = counts[r];
    return widen_weights(job, declared < 0, w, (enum weight_kind)widest);
}

/* A process that is one rank reads its part of the lines. */
static int read_part(struct job *job, const struct ranks *ranks, struct graph_work *w)
{
    bosc_io_error error;
    bosc_slice slice = {.part = ranks->first, .parts = ranks->count};
    if (check_edge_columns(job->operands[0], job)) return EXIT_USAGE;
    bosc_status status = bosc_edges_read_slice(job->operands[0], job->value[OPT_COLUMNS], &slice, &w->edges, &error);
    return status == BOSC_OK ? combine_parts(job, ranks, slice.rows, w) : report_io_error(status, &error);
}

static bosc_status load_part(const struct rank *r, void *user)
{
    struct graph_work *w = user;
    w->parts[r->number].size = sizeof *w->parts;
    return bosc_ranks_graph_load(r->ctx, r->comm, w->file, &w->graphs[r->number], &w->parts[r->number], r->error);
}

/* Loads a saved graph: each rank reads its part of the file. */
static int load_parts(struct job *job, const struct ranks *ranks, struct graph_work *w)
{
    bosc_graph_info info = {.size = sizeof info};
    w->file = job->operands[0];
    w->graphs = ranks_alloc(ranks, sizeof *w->graphs);
    w->parts = w->graphs ? ranks_alloc(ranks, sizeof *w->parts) : NULL;
    if (!w->parts) return EXIT_FAILED;
    int code = ranks_run(job, ranks, "read", load_part, w);
    if (code) return code;
    const bosc_ranks_graph_info *first = &w->parts[ranks->first];
    bosc_graph_get_info(job->ctx, w->graphs[ranks->first], &info);
    w->first = first->first_entry;
    w->m = first->entries;
    w->kept = first->m;
    w->edges.n = first->n;
    w->edges.dtype = info.weight;
    w->id_bits = info.id_bits;
    for (int32_t r = ranks->first; r < ranks->first + ranks->local; r++) w->edges.m += w->parts[r].own_entries;
    return EXIT_DONE;
}

static int read_edges(struct job *job, const struct ranks *ranks, struct graph_work *w)
{
    const bool is_saved = path_has_ending(job->operands[0], ".bosc");
    w->is_part = ranks->local < ranks->count && !is_saved;
    const double start = job_now();
    int code = is_saved ? load_parts(job, ranks, w) : w->is_part ? read_part(job, ranks, w) : read_whole(job, w);
    if (!is_saved) job_add_seconds(job, "read", start);
    if (code) return code;
    job_set_integer(job, "n", w->edges.n);
    job_set_integer(job, "m", w->kept);
    return EXIT_DONE;
}

/* Returns the number of entries of a rank and sets the first one in `edges`. */
static int64_t rank_entries(const struct rank *r, const struct graph_work *w, int64_t *begin)
{
    *begin = w->parts ? w->parts[r->number].first_entry - w->first : 0;
    if (w->parts) return w->parts[r->number].own_entries;
    return w->is_part ? w->edges.m : rank_slice(r, w->m, begin);
}

/* Sets the graph of this rank's edges: the loaded one, or builds it. */
static bosc_status build_slice(const struct rank *r, const struct graph_work *w, bosc_graph **graph, int64_t *begin)
{
    const bosc_edges *e = &w->edges;
    const bosc_graph_opts opts = {.size = sizeof opts,
                                  .weight = e->dtype,
                                  .id_bits = 32,
                                  .drop_loops = w->has_gaps,
                                  .nan = w->is_saved ? BOSC_GRAPH_NAN_LAST : BOSC_GRAPH_NAN_REFUSE};
    const int64_t count = rank_entries(r, w, begin);
    *graph = w->graphs ? w->graphs[r->number] : NULL;
    if (*graph) return BOSC_OK;
    const size_t at = (size_t)*begin * bosc_dtype_size(e->dtype);
    bosc_status status = bosc_graph_create(r->ctx, &opts, graph);
    if (status != BOSC_OK) return status;
    return bosc_graph_build(r->ctx, *graph, e->u + *begin, e->v + *begin,
                            e->weights ? (const char *)e->weights + at : NULL, e->n, count);
}

/* Frees a built graph; a loaded one stays. */
static void free_slice(const struct graph_work *w, bosc_graph *graph)
{
    if (!w->graphs) bosc_graph_free(graph);
}

static bosc_status compute_forest(const struct rank *r, void *user)
{
    struct graph_work *w = user;
    bosc_graph *graph = NULL;
    bosc_msf_info found = {.size = sizeof found};
    int64_t begin, *count = r->found;
    bosc_status status = build_slice(r, w, &graph, &begin);
    if (status == BOSC_OK)
        status = bosc_ranks_msf_compute(r->ctx, r->comm, graph, &w->opts, w->ids + begin, count, NULL, &found);
    if (status == BOSC_OK) widen_ids(w->id_bits, w->ids + begin, *count);
    if (status == BOSC_OK && r->number == 0) w->found = found;
    free_slice(w, graph);
    return status;
}

static bosc_status compute_components(const struct rank *r, void *user)
{
    struct graph_work *w = user;
    bosc_graph *graph = NULL;
    int64_t begin, count = 0;
    bosc_status status = build_slice(r, w, &graph, &begin);
    void *labels = r->number == 0 ? w->labels : NULL; /* all ranks have the same */
    if (status == BOSC_OK) status = bosc_ranks_components_compute(r->ctx, r->comm, graph, &w->opts, labels, &count);
    if (status == BOSC_OK && r->number == 0) w->components = count;
    free_slice(w, graph);
    return status;
}

/* Verifies this rank's slice of the ids. */
static bosc_status verify_slice(const struct rank *r, void *user)
{
    struct graph_work *w = user;
    bosc_graph *graph = NULL;
    int64_t begin, at;
    const int64_t count = rank_slice(r, w->ids_to_verify.total, &at);
    bosc_status status = build_slice(r, w, &graph, &begin);
    const char *ids = (const char *)w->ids_to_verify.array.data + (at - w->ids_to_verify.first) * (w->id_bits / 8);
    if (status == BOSC_OK) status = bosc_ranks_msf_verify(r->ctx, r->comm, graph, &w->opts, ids, count, NULL);
    if (status == BOSC_ERR_DATA)
        snprintf(r->error->text, sizeof r->error->text, "%s: %s", w->path, bosc_ctx_message(r->ctx));
    free_slice(w, graph);
    return status;
}

static int verify_forest(struct job *job, const struct ranks *ranks, struct graph_work *w)
{
    w->path = job->value[OPT_VERIFY];
    int code = read_forest_ids(job, ranks, w->id_bits, w->m, &w->ids_to_verify);
    if (!code) code = ranks_run(job, ranks, "verify", verify_slice, w);
    job_set_integer(job, "edges", w->ids_to_verify.total);
    job_set_integer(job, "components", w->edges.n - w->ids_to_verify.total);
    bosc_array_free(&w->ids_to_verify.array);
    return code;
}

/* ---- the forest, on the first process ---- */

/* Gathers the ids of all ranks. */
static int gather_ids(const struct ranks *ranks, struct graph_work *w, int64_t *ids)
{
    int64_t at;
    for (int32_t r = ranks->first; r < ranks->first + ranks->local; r++) {
        rank_entries(&(struct rank){.number = r, .count = ranks->count}, w, &at);
        for (int64_t i = 0; i < ranks->counts[r]; i++) ids[ranks->begins[r] + i] = w->ids[at + i];
    }
    return ranks_gather_in_place(ranks, ids, sizeof *ids);
}

/* Copies the edges with the ids from a rank's loaded graph to the forest, from edge `at` on. */
static int copy_rank_edges(bosc_ctx *ctx, const bosc_graph *graph, int64_t first, const int64_t *ids, int64_t count,
                           const bosc_edges *forest, int64_t at)
{
    bosc_graph_info info = {.size = sizeof info};
    bosc_graph_get_info(ctx, graph, &info);
    const size_t m = (size_t)info.m, weight_size = bosc_dtype_size(info.weight);
    int64_t *all = job_alloc(3 * m, sizeof *all);
    char *weights = all ? job_alloc(m, weight_size) : NULL;
    int code = weights ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        const bosc_status status = bosc_graph_get_edges(ctx, graph, all, all + m, all + 2 * m, weights);
        if (status != BOSC_OK) code = report_ctx_error(ctx, status);
    }
    for (int k = 0; k < 3 && !code; k++) widen_ids(info.id_bits, all + (size_t)k * m, info.m);
    for (size_t i = 0, found = 0; !code && found < (size_t)count; i++) {
        if (first + all[i] != ids[found]) continue;
        forest->u[(size_t)at + found] = (uint32_t)all[m + i];
        forest->v[(size_t)at + found] = (uint32_t)all[2 * m + i];
        memcpy((char *)forest->weights + ((size_t)at + found) * weight_size, weights + i * weight_size, weight_size);
        found++;
    }
    free(all);
    free(weights);
    return code;
}

/* Copies the forest edges of this process's ranks from their loaded graphs. */
static int copy_loaded_edges(const struct ranks *ranks, const struct graph_work *w, const int64_t *ids,
                             const bosc_edges *forest)
{
    int code = EXIT_DONE;
    for (int32_t r = ranks->first; !code && r < ranks->first + ranks->local; r++)
        code = copy_rank_edges(ranks->contexts[r - ranks->first], w->graphs[r], w->parts[r].first_entry,
                               ids + ranks->begins[r], ranks->counts[r], forest, ranks->begins[r]);
    return code;
}

/* Copies the edges with the ids of this process's ranks, and gathers those of all ranks. */
static int gather_edges(const struct ranks *ranks, struct graph_work *w, const int64_t *ids, bosc_edges *forest)
{
    const size_t weight_size = bosc_dtype_size(w->edges.dtype), m = (size_t)ranks->begins[ranks->count];
    const bool has_weights = w->graphs || w->edges.weights;
    *forest = (bosc_edges){.n = w->edges.n, .m = (int64_t)m, .dtype = w->edges.dtype};
    forest->u = job_alloc(m, sizeof *forest->u);
    forest->v = forest->u ? job_alloc(m, sizeof *forest->v) : NULL;
    char *weights = forest->v && has_weights ? job_alloc(m, weight_size) : NULL;
    forest->weights = weights;
    if (!forest->v || (has_weights && !weights)) return EXIT_FAILED;
    int code = w->graphs ? copy_loaded_edges(ranks, w, ids, forest) : EXIT_DONE;
    for (int64_t i = ranks->begins[ranks->first]; !w->graphs && i < ranks->begins[ranks->first + ranks->local]; i++) {
        const size_t entry = (size_t)(ids[i] - w->first);
        forest->u[i] = w->edges.u[entry];
        forest->v[i] = w->edges.v[entry];
        if (has_weights)
            memcpy(weights + (size_t)i * weight_size, (const char *)w->edges.weights + entry * weight_size,
                   weight_size);
    }
    if (!code) code = ranks_gather_in_place(ranks, forest->u, sizeof *forest->u);
    if (!code) code = ranks_gather_in_place(ranks, forest->v, sizeof *forest->v);
    return code || !has_weights ? code : ranks_gather_in_place(ranks, weights, weight_size);
}

static int write_forest(struct job *job, const struct ranks *ranks, struct graph_work *w)
{
    bosc_io_error error;
    const char *path = job->value[OPT_OUTPUT];
    const bool as_edges = path_is_text(path) || path_has_ending(path, ".gr") || path_has_ending(path, ".mtx");
    bosc_array ids = {.dtype = BOSC_I64, .rank = 1, .shape = {ranks->begins[ranks->count], 1, 1, 1}};
    bosc_edges forest = {0};
    ids.data = job_alloc((size_t)ids.shape[0], sizeof(int64_t));
    int code = ids.data ? gather_ids(ranks, w, ids.data) : EXIT_FAILED;
    if (!code && as_edges) code = gather_edges(ranks, w, ids.data, &forest);
    if (!code && !job->silent) {
        double start = job_now();
        bosc_status status = as_edges ? bosc_edges_write(path, &forest, &error) : bosc_npy_write(path, &ids, &error);
        job_add_seconds(job, "write", start);
        if (status != BOSC_OK) code = report_io_error(status, &error);
    }
    bosc_edges_free(&forest);
    bosc_array_free(&ids);
    return code;
}

static int report_forest(struct job *job, const struct ranks *ranks, struct graph_work *w)
{
    int code = ranks_sum_counts(ranks);
    if (code) return code;
    job_set_integer(job, "edges", w->found.edges);
    job_set_integer(job, "components", w->found.trees);
    report_weight(job, w->edges.dtype, !w->graphs && has_assumed_weights(&w->edges), &w->found);
    return job->value[OPT_OUTPUT] ? write_forest(job, ranks, w) : EXIT_DONE;
}

static int find_forest(struct job *job, const struct ranks *ranks, struct graph_work *w)
{
    w->ids = job_alloc((size_t)w->edges.m, sizeof *w->ids);
    if (!w->ids) return EXIT_FAILED;
    int code = ranks_run(job, ranks, "forest", compute_forest, w);
    return code ? code : report_forest(job, ranks, w);
}

static void free_work(const struct ranks *ranks, struct graph_work *w)
{
    for (int32_t r = 0; w->parts && r < ranks->count; r++) bosc_graph_free(w->graphs[r]);
    free(w->graphs);
    free(w->parts);
    bosc_edges_free(&w->edges);
}

int mst_over_ranks(struct job *job, const struct ranks *ranks, int64_t replicated)
{
    struct graph_work w = {
        .id_bits = 32,
        .opts = {.size = sizeof w.opts, .maximum = job->value[OPT_MAX] != NULL, .replicated_bytes = replicated}};
    int code = read_edges(job, ranks, &w);
    if (!code) code = job->value[OPT_VERIFY] ? verify_forest(job, ranks, &w) : find_forest(job, ranks, &w);
    free(w.ids);
    free_work(ranks, &w);
    return code;
}

int components_over_ranks(struct job *job, const struct ranks *ranks, int64_t replicated)
{
    struct graph_work w = {.id_bits = 32, .opts = {.size = sizeof w.opts, .replicated_bytes = replicated}};
    int code = read_edges(job, ranks, &w);
    bosc_array labels = {.dtype = BOSC_I64, .rank = 1, .shape = {w.edges.n, 1, 1, 1}};
    if (!code) labels.data = w.labels = job_alloc((size_t)w.edges.n, sizeof(int64_t));
    if (!code && !labels.data) code = EXIT_FAILED;
    if (!code) code = ranks_run(job, ranks, "components", compute_components, &w);
    if (!code && !job->silent) {
        widen_ids(w.id_bits, labels.data, w.edges.n);
        code = arrays_write(job, &job->value[OPT_OUTPUT], &labels, 1);
        job_set_integer(job, "components", w.components);
    }
    bosc_array_free(&labels);
    free_work(ranks, &w);
    return code;
}
