/* boscage cellgraph and its components over ranks. Each rank holds a slice of the vectors and lists the pairs whose
 * lower row it holds. */
#include "tool/commands/over_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "tool/job.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Shared by the ranks of a process. */
struct cellgraph_work {
    const bosc_vectors *vectors;
    const uint8_t *allowed; /* (rows) 0: excluded; NULL: all rows are allowed */
    const bosc_cellgraph_opts *opts;
    bosc_ranks_cellgraph **graphs;  /* (ranks): set for those of this process */
    bosc_ranks_cellgraph_info info; /* of the process's first rank */
    int64_t first;                  /* rank of this process */
    int64_t *pairs;                 /* of all ranks, in rank order */
    /* For components; of all ranks, in rank order. */
    int64_t *labels, *first_rows; /* (vertices) */
    int64_t *vertex_of;           /* (rows) */
    uint8_t *mask;                /* (vertices) 0: excluded; NULL: all are allowed */
    int64_t components;
};

static bosc_status build_slice(const struct rank *r, void *user)
{
    struct cellgraph_work *w = user;
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    int64_t at, n = rank_slice(r, w->vectors->n, &at);
    const int64_t words = bosc_cellgraph_words(w->opts->length, w->opts->letter_bits);
    bosc_ranks_cellgraph **graph = &w->graphs[r->number];
    bosc_status status = bosc_ranks_cellgraph_create(r->ctx, r->comm, w->opts, graph);
    if (status == BOSC_OK) status = bosc_ranks_cellgraph_build(r->ctx, *graph, w->vectors->rows + at * words, n, 0);
    if (status == BOSC_OK) status = bosc_ranks_cellgraph_get_info(r->ctx, *graph, &info);
    *r->found = info.own_edges;
    if (r->number == w->first) w->info = info;
    return status;
}

static bosc_status get_pairs(const struct rank *r, void *user)
{
    const struct cellgraph_work *w = user;
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    const bosc_ranks_cellgraph *graph = w->graphs[r->number];
    const bosc_status status = bosc_ranks_cellgraph_get_info(r->ctx, graph, &info);
    return status == BOSC_OK ? bosc_ranks_cellgraph_get_pairs(r->ctx, graph, w->pairs + 2 * info.first_edge, NULL)
                             : status;
}

static int build_graphs(struct job *job, const struct ranks *ranks, struct cellgraph_work *w)
{
    int code = ranks_run(job, ranks, "build", build_slice, w);
    if (code) return code;
    job_set_integer(job, "n", w->info.n);
    job_set_integer(job, "unique", w->info.vertices);
    job_set_integer(job, "edges", w->info.edges);
    return EXIT_DONE;
}

static int find_pairs(struct job *job, const struct ranks *ranks, struct cellgraph_work *w, bosc_array *pairs)
{
    int code = build_graphs(job, ranks, w);
    if (code) return code;
    *pairs = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {w->info.edges, 2, 1, 1}};
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    w->pairs = pairs->data = job_alloc((size_t)w->info.edges, 2 * sizeof(int64_t));
    if (!pairs->data) return EXIT_FAILED;
    code = ranks_run(job, ranks, "pairs", get_pairs, w);
    return code ? code : ranks_gather_in_place(ranks, pairs->data, 2 * sizeof(int64_t));
}

/* ---- components ---- */

static bosc_status get_vertices(const struct rank *r, void *user)
{
    const struct cellgraph_work *w = user;
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    const bosc_ranks_cellgraph *graph = w->graphs[r->number];
    const bosc_status status = bosc_ranks_cellgraph_get_info(r->ctx, graph, &info);
    *r->found = info.own_vertices;
    return status == BOSC_OK ? bosc_ranks_cellgraph_get_vertices(r->ctx, graph, NULL, w->first_rows + info.first_vertex,
                                                                 NULL, w->vertex_of + info.first_row)
                             : status;
}

static bosc_status label_vertices(const struct rank *r, void *user)
{
    struct cellgraph_work *w = user;
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    const bosc_ranks_cellgraph *graph = w->graphs[r->number];
    int64_t count;
    bosc_status status = bosc_ranks_cellgraph_get_info(r->ctx, graph, &info);
    if (status == BOSC_OK)
        status = bosc_ranks_cellgraph_components_masked(r->ctx, graph, w->mask ? w->mask + info.first_vertex : NULL,
                                                        w->labels + info.first_vertex, &count);
    if (status == BOSC_OK && r->number == w->first) w->components = count;
    return status;
}

/* Masks the vertices without an allowed row, and sets the first allowed row of the others. Needs the vertices of all
 * rows. */
static int mask_vertices(struct cellgraph_work *w)
{
    w->mask = job_alloc((size_t)w->info.vertices, 1);
    if (!w->mask) return EXIT_FAILED;
    memset(w->mask, 0, (size_t)w->info.vertices);
    for (int64_t i = w->info.n - 1; i >= 0; i--) {
        if (!w->allowed[i]) continue;
        w->mask[w->vertex_of[i]] = 1;
        w->first_rows[w->vertex_of[i]] = i;
    }
    return EXIT_DONE;
}

/* Gathers the vertices of all rows, on every process if it masks them, and the first rows of all vertices. */
static int gather_vertices(const struct ranks *ranks, struct cellgraph_work *w)
{
    const size_t size = sizeof *w->vertex_of;
    int code = ranks_gather_in_place(ranks, w->first_rows, sizeof *w->first_rows);
    if (!code)
        code = (w->allowed ? ranks_all_gather_slices : ranks_gather_slices)(ranks, w->info.n, w->vertex_of, size);
    return code || !w->allowed ? code : mask_vertices(w);
}

/* out: for each row the first allowed row of its component. */
static int find_components(struct job *job, const struct ranks *ranks, struct cellgraph_work *w, bosc_array *out)
{
    int code = build_graphs(job, ranks, w);
    if (code) return code;
    *out = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {w->info.n, 1, 1, 1}};
    w->labels = job_alloc((size_t)w->info.vertices, sizeof *w->labels);
    w->first_rows = w->labels ? job_alloc((size_t)w->info.vertices, sizeof *w->first_rows) : NULL;
    out->data = w->vertex_of = w->first_rows ? job_alloc((size_t)w->info.n, sizeof *w->vertex_of) : NULL;
    if (!w->vertex_of) return EXIT_FAILED;
    /* Vertices, labels of vertices, labels of rows. */
    code = ranks_run(job, ranks, "components", get_vertices, w);
    if (!code) code = gather_vertices(ranks, w);
    if (!code) code = ranks_run(job, ranks, "components", label_vertices, w);
    if (!code) code = ranks_gather_in_place(ranks, w->labels, sizeof *w->labels);
    if (code) return code;
    job_set_integer(job, "components", w->components);
    for (int64_t v = 0; v < w->info.vertices && !job->silent; v++)
        if (w->labels[v] >= 0 && w->first_rows[v] < w->first_rows[w->labels[v]])
            w->first_rows[w->labels[v]] = w->first_rows[v];
    for (int64_t i = 0; i < w->info.n && !job->silent; i++)
        w->vertex_of[i] = w->allowed && !w->allowed[i] ? -1 : w->first_rows[w->labels[w->vertex_of[i]]];
    return EXIT_DONE;
}

typedef int (*cellgraph_result)(struct job *job, const struct ranks *ranks, struct cellgraph_work *w, bosc_array *out);

/* Runs a command over the work that it has set, and frees the work. */
static int run_work(struct job *job, const struct ranks *ranks, struct cellgraph_work *w, cellgraph_result find,
                    bosc_array *out)
{
    w->first = ranks->first;
    w->graphs = ranks_alloc(ranks, sizeof(bosc_ranks_cellgraph *));
    int code = w->graphs ? find(job, ranks, w, out) : EXIT_FAILED;
    for (int32_t r = 0; w->graphs && r < ranks->count; r++) bosc_ranks_cellgraph_free(w->graphs[r]);
    free(w->graphs);
    free(w->labels);
    free(w->first_rows);
    free(w->mask);
    return code;
}

int cellgraph_pairs_over_ranks(struct job *job, const struct ranks *ranks, const bosc_vectors *vectors,
                               const bosc_cellgraph_opts *opts, bosc_array *pairs)
{
    struct cellgraph_work w = {.vectors = vectors, .opts = opts};
    return run_work(job, ranks, &w, find_pairs, pairs);
}

int cellgraph_components_over_ranks(struct job *job, const struct ranks *ranks, const bosc_vectors *vectors,
                                    const uint8_t *allowed, const bosc_cellgraph_opts *opts, bosc_array *labels)
{
    struct cellgraph_work w = {.vectors = vectors, .allowed = allowed, .opts = opts};
    return run_work(job, ranks, &w, find_components, labels);
}
