/* Arrangements of planes: all cells, as the vertices of a cell graph. Every cell has a piece of a line that planes have
 * in common; the steps write the cells around each piece, and the graph removes repeated ones. */
#include <math.h>

#include "arrangement/steps/steps.h"
#include "core/check.h"

enum { MAX_PLANES = 65536, MAX_DIM = 3 };

/* Planes whose normals have full rank: the caller's, in as many coordinates as the rank of their normals. */
struct reduced {
    double *planes; /* (n x (rank + 1)), host */
    int64_t n;
    int32_t rank;
};

static bosc_status check_graph(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t n)
{
    bosc_cellgraph_info info = {.size = sizeof info};
    BI_TRY(bosc_cellgraph_get_info(ctx, graph, &info));
    if (info.length == n && info.letter_bits == 1) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG,
                   "graph: its vectors have %d letters of %d bits, not one of 1 bit for each of %lld planes",
                   (int)info.length, (int)info.letter_bits, (long long)n);
}

static bool is_coefficient(double x) { return x == 0 || (fabs(x) >= 0x1p-200 && fabs(x) <= 0x1p200); }

static bosc_status check_planes(bosc_ctx *ctx, const double *planes, int64_t n, int32_t dim)
{
    for (int64_t k = 0; k < n; k++) {
        const double *plane = planes + k * (dim + 1);
        bool is_plane = false;
        for (int32_t c = 0; c <= dim; c++) {
            if (!is_coefficient(plane[c]))
                return bi_fail(ctx, BOSC_ERR_DATA,
                               "planes: coefficient %d of plane %lld is neither 0 nor of magnitude 2^-200 to 2^200",
                               (int)c, (long long)k);
            is_plane |= c < dim && plane[c] != 0;
        }
        if (!is_plane) return bi_fail(ctx, BOSC_ERR_DATA, "planes: the normal of plane %lld is 0", (long long)k);
    }
    return BOSC_OK;
}

/* Returns the sign of the determinant of chosen planes in chosen coordinates. */
static int sign_of(const double *planes, int32_t dim, const int64_t *chosen, const int32_t *columns, int32_t count)
{
    struct bi_determinant d;
    d.count = count;
    for (int32_t i = 0; i < count; i++) {
        d.rows[i] = planes + chosen[i] * (dim + 1);
        d.columns[i] = columns[i];
    }
    return bi_determinant_sign(&d);
}

/* Sets columns to the next `count` of dim coordinates, in lexicographic order; false after the last ones. */
static bool next_columns(int32_t *columns, int32_t count, int32_t dim)
{
    int32_t i = count - 1;
    while (i >= 0 && columns[i] == dim - count + i) i--;
    if (i < 0) return false;
    columns[i]++;
    for (; i + 1 < count; i++) columns[i + 1] = columns[i] + 1;
    return true;
}

/* Finds the first plane whose normal is independent of the normals of `count` chosen planes: appends it to
 * `chosen`. Sets columns to coordinates in which they are independent. False if there is none. */
static bool extend_basis(const double *planes, int64_t n, int32_t dim, int64_t *chosen, int32_t count, int32_t *columns)
{
    int32_t tried[MAX_DIM] = {0, 1, 2};
    do {
        for (chosen[count] = 0; chosen[count] < n; chosen[count]++)
            if (sign_of(planes, dim, chosen, tried, count + 1) != 0) {
                for (int32_t c = 0; c <= count; c++) columns[c] = tried[c];
                return true;
            }
    } while (next_columns(tried, count + 1, dim));
    return false;
}

/* Finds the rank of the normals, and keeps as many coordinates in which they have it. Cells are the same: each value of
 * all planes' sums is taken where the other coordinates are 0. */
static bosc_status reduce_planes(bosc_ctx *ctx, const double *planes, int64_t n, int32_t dim, struct reduced *r)
{
    int64_t chosen[MAX_DIM + 1];
    int32_t columns[MAX_DIM + 1];
    r->n = n;
    r->rank = 0;
    while (r->rank < dim && extend_basis(planes, n, dim, chosen, r->rank, columns)) r->rank++;
    columns[r->rank] = dim;
    BI_TRY(bi_host_scratch(ctx, (size_t)(n * (r->rank + 1)) * sizeof *planes, (void **)&r->planes));
    for (int64_t k = 0; k < n; k++)
        for (int32_t c = 0; c <= r->rank; c++) r->planes[k * (r->rank + 1) + c] = planes[k * (dim + 1) + columns[c]];
    return BOSC_OK;
}

/* Fails if two planes are equal: cells on both sides would differ in two letters. */
static bosc_status check_equal(bosc_ctx *ctx, const struct bi_arrangement *a)
{
    uint64_t pair;
    BI_TRY(bi_read_back(ctx, &pair, a->equal, sizeof pair));
    if (pair == UINT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "planes: plane %lld is equal to plane %lld", (long long)(pair >> 32),
                   (long long)(uint32_t)pair);
}

/* Orders the planes along all flats, and writes the rows of all pieces: *rows of them, to a->rows. */
static bosc_status write_rows(bosc_ctx *ctx, const struct reduced *r, struct bi_arrangement *a, int64_t *rows)
{
    const struct bi_arrangement_steps *steps = ctx->ops->arrangement->steps;
    const int64_t n = r->n, flats = r->rank == 1 ? 1 : r->rank == 2 ? n : n * (n - 1) / 2;
    double *planes;
    *a = (struct bi_arrangement){.n = n, .words = bosc_cellgraph_words((int32_t)n, 1), .rank = r->rank};
    /* 1. Order the planes along each flat. */
    BI_TRY(bi_scratch_of(ctx, n * (r->rank + 1), sizeof *planes, &planes));
    BI_TRY(bi_scratch_of(ctx, flats * n, sizeof *a->order, &a->order));
    BI_TRY(bi_scratch_of(ctx, flats, sizeof *a->crosses, &a->crosses));
    BI_TRY(bi_scratch_of(ctx, flats, sizeof *a->members, &a->members));
    BI_TRY(bi_scratch_of(ctx, flats + 1, sizeof *a->begin, &a->begin));
    BI_TRY(bi_scratch_of(ctx, BI_ARRANGEMENT_COUNTS, sizeof *a->counts, &a->counts));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->equal, &a->equal));
    BI_TRY(ctx->backend->copy(ctx, planes, r->planes, (size_t)(n * (r->rank + 1)) * sizeof *planes));
    BI_TRY(ctx->backend->fill(ctx, a->counts, 0, BI_ARRANGEMENT_COUNTS * sizeof *a->counts));
    BI_TRY(ctx->backend->fill(ctx, a->equal, 0xff, sizeof *a->equal));
    BI_TRY(ctx->backend->fill(ctx, a->begin + flats, 0, sizeof *a->begin));
    a->planes = planes;
    BI_TRY(steps->arrangement_order_flat(ctx, flats, a));
    BI_TRY(check_equal(ctx, a));
    /* 2. Write the rows. */
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a->begin, flats + 1, a->begin));
    BI_TRY(bi_read_back(ctx, rows, a->begin + flats, sizeof *rows));
    if (*rows >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "planes: %lld cells around pieces of lines; at most 2^32 - 2 are possible",
                       (long long)*rows);
    BI_TRY(bi_scratch_of(ctx, *rows * a->words, sizeof *a->rows, &a->rows));
    return steps->arrangement_write_flat(ctx, flats, a);
}

/* Builds graph `all` of the rows, and copies its *cells vertices to scratch. */
static bosc_status copy_distinct(bosc_ctx *ctx, bosc_cellgraph *all, const struct bi_arrangement *a, int64_t rows,
                                 uint64_t **vectors, int64_t *cells)
{
    bosc_cellgraph_info built = {.size = sizeof built};
    BI_TRY(bosc_cellgraph_build(ctx, all, a->rows, rows, 0));
    BI_TRY(bosc_cellgraph_get_info(ctx, all, &built));
    *cells = built.vertices;
    BI_TRY(bi_scratch_of(ctx, *cells * a->words, sizeof **vectors, vectors));
    BI_TRY(bosc_cellgraph_get_vertices(ctx, all, *vectors, NULL, NULL, NULL));
    return ctx->backend->sync(ctx);
}

/* Finds the distinct rows as the vertices of a temporary graph of all rows. */
static bosc_status find_distinct(bosc_ctx *ctx, const struct bi_arrangement *a, int64_t rows, uint64_t **vectors,
                                 int64_t *cells)
{
    const bosc_cellgraph_opts opts = {.size = sizeof opts, .length = (int32_t)a->n};
    bosc_cellgraph *all;
    BI_TRY(bosc_cellgraph_create(ctx, &opts, &all));
    const bosc_status status = copy_distinct(ctx, all, a, rows, vectors, cells);
    bosc_cellgraph_free(all);
    return status;
}

/* Builds the graph, and describes the arrangement but for its dimension. */
static bosc_status build_cells(bosc_ctx *ctx, const double *planes, int64_t n, int32_t dim, bosc_cellgraph *graph,
                               bosc_arrangement_info *full)
{
    struct reduced r;
    struct bi_arrangement a;
    uint64_t counts[BI_ARRANGEMENT_COUNTS], *vectors;
    int64_t rows;
    /* 1. All cells around all pieces. */
    BI_TRY(reduce_planes(ctx, planes, n, dim, &r));
    BI_TRY(write_rows(ctx, &r, &a, &rows));
    BI_TRY(bi_read_back(ctx, counts, a.counts, sizeof counts));
    /* 2. Once each. */
    BI_TRY(find_distinct(ctx, &a, rows, &vectors, &full->cells));
    BI_TRY(bosc_cellgraph_build(ctx, graph, vectors, full->cells, 0));
    /* 3. Numbers; walls of space by Euler's relation. */
    full->rank = r.rank;
    full->corners = (int64_t)counts[BI_ARRANGEMENT_CORNERS];
    full->pieces = (int64_t)counts[BI_ARRANGEMENT_PIECES];
    full->walls = r.rank == 1   ? full->corners
                  : r.rank == 2 ? full->pieces
                                : full->cells + full->pieces - full->corners - 1;
    return BOSC_OK;
}

bosc_status bosc_arrangement_build(bosc_ctx *ctx, const double *planes, int64_t n, int32_t dim, bosc_cellgraph *graph,
                                   bosc_arrangement_info *info)
{
    bosc_arrangement_info full = {.size = sizeof full, .dim = dim};
    BI_ENTER(ctx);
    if (dim < 1 || dim > MAX_DIM) return bi_fail(ctx, BOSC_ERR_ARG, "dim: %d, not 1, 2 or 3", (int)dim);
    if (n < 1 || n > MAX_PLANES)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld planes, not 1 to %d", (long long)n, MAX_PLANES);
    if (!planes) return bi_fail(ctx, BOSC_ERR_ARG, "planes: NULL");
    BI_TRY(bi_check_aligned(ctx, "planes", planes, sizeof *planes));
    BI_TRY(check_graph(ctx, graph, n));
    if (info) BI_TRY(bi_check_info(ctx, "info", "bosc_arrangement_info", info->size, sizeof full));
    BI_TRY(check_planes(ctx, planes, n, dim));
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = build_cells(ctx, planes, n, dim, graph, &full));
    if (status == BOSC_OK && info) bi_copy_info(info, &full, sizeof full);
    return status;
}
