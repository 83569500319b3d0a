/* Writes graphs as text. Threads format batches of lines, which are written in order. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/graph/edge_list.h"
#include "io/text/number.h"

enum {
    BATCH = 4096,       /* lines of a thread's turn: BATCH * LINE_MAX_BYTES = 256 KB fit a cache of the second level */
    LINE_MAX_BYTES = 64 /* "a ", two numbers of 10 digits, a real of 25, blanks */
};

struct job {
    const bosc_edges *edges;
    enum bi_edges_format format;
    bool csv;
};

static char *append_text(char *p, const char *text)
{
    while (*text) *p++ = *text++;
    return p;
}

static char *format_weight(char *p, const bosc_edges *edges, int64_t i)
{
    switch (edges->dtype) {
    case BOSC_F32: return bi_number_write(p, (double)((const float *)edges->weights)[i], true);
    case BOSC_F64: return bi_number_write(p, ((const double *)edges->weights)[i], false);
    case BOSC_I32: return bi_signed_write(p, ((const int32_t *)edges->weights)[i]);
    case BOSC_I64: return bi_signed_write(p, ((const int64_t *)edges->weights)[i]);
    case BOSC_U32: return bi_integer_write(p, false, ((const uint32_t *)edges->weights)[i]);
    case BOSC_U64: return bi_integer_write(p, false, ((const uint64_t *)edges->weights)[i]);
    default: return p; /* unreached: refused before */
    }
}

static char *format_line(char *p, const struct job *job, int64_t i)
{
    const bosc_edges *edges = job->edges;
    bool list = job->format == BI_EDGES_LIST;
    char separator = job->csv ? ',' : list ? '\t' : ' ';
    uint64_t u = edges->u[i], v = edges->v[i], first = !list; /* vertices count from 1, in lists from 0 */
    /* Symmetric matrices list their lower triangle. */
    if (job->format == BI_EDGES_MTX && u < v) {
        u = edges->v[i];
        v = edges->u[i];
    }
    if (job->format == BI_EDGES_GR) p = append_text(p, "a ");
    p = bi_integer_write(p, false, u + first);
    *p++ = separator;
    p = bi_integer_write(p, false, v + first);
    if (edges->weights || job->format == BI_EDGES_GR) *p++ = separator;
    if (edges->weights)
        p = format_weight(p, edges, i);
    else if (job->format == BI_EDGES_GR)
        *p++ = '1';
    *p++ = '\n';
    return p;
}

/* True if readers parse the weights as reals: they are floats, or one exceeds a signed 64-bit integer. */
static bool are_real(const bosc_edges *edges)
{
    const uint64_t *unsigned_weights = edges->dtype == BOSC_U64 ? edges->weights : NULL;
    bool beyond = false;
    for (int64_t i = 0; unsigned_weights && i < edges->m && !beyond; i++)
        beyond = unsigned_weights[i] > (uint64_t)INT64_MAX;
    return beyond || edges->dtype == BOSC_F32 || edges->dtype == BOSC_F64;
}

static int write_header(struct bi_sink *sink, const struct job *job)
{
    char head[160];
    const bosc_edges *edges = job->edges;
    long long n = edges->n, m = edges->m;
    bool mtx = job->format == BI_EDGES_MTX;
    const char *field = !edges->weights ? "pattern" : mtx && are_real(edges) ? "real" : "integer";
    if (job->format == BI_EDGES_GR) snprintf(head, sizeof head, "p sp %lld %lld\n", n, m);
    if (job->format == BI_EDGES_LIST) snprintf(head, sizeof head, "# %lld vertices, %lld edges\n", n, m);
    if (job->csv) snprintf(head, sizeof head, "source,target%s\n", edges->weights ? ",weight" : "");
    if (mtx)
        snprintf(head, sizeof head, "%%%%MatrixMarket matrix coordinate %s symmetric\n%lld %lld %lld\n", field, n, n,
                 m);
    return bi_sink_write(sink, head, strlen(head));
}

/* Writes header and edges. A failure of the sink is left to bi_sink_finish. */
static bosc_status fill_edges(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const struct job *job = what;
    int64_t m = job->edges->m, threads = bi_io_threads((size_t)m / BATCH + 1);
    size_t used[BI_CHUNKS_MAX];
    char *text = bi_io_alloc((size_t)threads * BATCH * LINE_MAX_BYTES);
    if (!text) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
    int failed = write_header(sink, job);
    for (int64_t begin = 0; begin < m && !failed; begin += threads * BATCH) {
        /* 1. Format a batch per thread; 2. write the batches in order. */
        (void)bi_io_set_done((double)begin); /* the next write fails if cancelled */
#pragma omp parallel for num_threads((int)threads) schedule(static, 1)
        for (int t = 0; t < (int)threads; t++) {
            char *own = text + (size_t)t * BATCH * LINE_MAX_BYTES, *p = own;
            int64_t from = begin + t * BATCH, to = from + BATCH < m ? from + BATCH : m;
            for (int64_t i = from; i < to; i++) p = format_line(p, job, i);
            used[t] = (size_t)(p - own);
        }
        for (int t = 0; t < (int)threads && !failed; t++)
            failed = bi_sink_write(sink, text + (size_t)t * BATCH * LINE_MAX_BYTES, used[t]);
    }
    free(text);
    return BOSC_OK;
}

static bosc_status check(const bosc_edges *edges, bosc_io_error *error)
{
    if (edges->n < 0 || edges->n > BI_EDGES_LIMIT)
        return bi_io_fail(error, BOSC_ERR_ARG, "edges: n is %lld", (long long)edges->n);
    if (edges->m < 0 || edges->m > BI_EDGES_LIMIT)
        return bi_io_fail(error, BOSC_ERR_ARG, "edges: m is %lld", (long long)edges->m);
    if (edges->m && (!edges->u || !edges->v)) return bi_io_fail(error, BOSC_ERR_ARG, "edges: u or v is NULL");
    if (edges->weights && ((int)edges->dtype < BOSC_F32 || edges->dtype > BOSC_U64))
        return bi_io_fail(error, BOSC_ERR_ARG, "edges: dtype is %d", (int)edges->dtype);
    for (int64_t i = 0; i < edges->m; i++)
        if (edges->u[i] >= edges->n || edges->v[i] >= edges->n)
            return bi_io_fail(error, BOSC_ERR_ARG, "edges: entry %lld joins %lld and %lld, and n is %lld", (long long)i,
                              (long long)edges->u[i], (long long)edges->v[i], (long long)edges->n);
    struct bi_bytes name = {.name = "edges"};
    bosc_array weights = {.dtype = edges->dtype, .rank = 2, .shape = {edges->m, 1, 1, 1}, .data = edges->weights};
    return edges->weights ? bi_refuse_nan(&name, &weights, 0, error) : BOSC_OK;
}

bosc_status bosc_edges_write(const char *path, const bosc_edges *edges, bosc_io_error *error)
{
    BI_IO_ENTER;
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    bosc_status status = check(edges, error);
    if (status != BOSC_OK) return status;
    struct job job = {edges, strcmp(path, "-") == 0 ? BI_EDGES_GR : bi_edges_format_of(path, NULL),
                      bi_path_ends_in(path, ".csv")};
    if (job.format != BI_EDGES_GR && job.format != BI_EDGES_MTX && job.format != BI_EDGES_LIST)
        return bi_io_fail(error, BOSC_ERR_ARG,
                          "path: %s does not end in one of .gr, .mtx, .txt, .el, .snap, .tsv, .csv", path);
    const struct bi_output output = {path, fill_edges, &job, (double)edges->m};
    return bi_outputs_write(&output, 1, error);
}
