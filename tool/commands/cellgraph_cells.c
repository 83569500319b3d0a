/* boscage cellgraph cells: all cells of an arrangement of planes or lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/arrangement.h>

#include "render/arrangement_picture.h"
#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { PLANES_MOST = 65536, WIDTH_DEFAULT = 1200 };

/* The planes of a file, and their arrangement. */
struct cells {
    bosc_array planes; /* (kept, dim + 1) f8 */
    int64_t n;         /* rows of the file */
    int32_t *plane;    /* with --merge (n): the plane of each row; ~k: plane k with its sides exchanged */
    bosc_cellgraph *graph;
    bosc_arrangement_info info;
    bosc_array packed, walls; /* (cells, bytes) u1; (walls, 2) i8 */
    uint64_t *vectors;
};

/* Converts the numbers to double. Fails for integers beyond 2^53, which might change. */
static int convert_planes(const char *path, bosc_array *planes)
{
    const int64_t count = planes->shape[0] * planes->shape[1];
    double *to = job_alloc((size_t)count, sizeof *to);
    if (!to) return EXIT_FAILED;
    for (int64_t i = 0; i < count; i++) {
        const int64_t integer = planes->dtype == BOSC_I64 ? ((const int64_t *)planes->data)[i] : 0;
        to[i] = planes->dtype == BOSC_F64   ? ((const double *)planes->data)[i]
                : planes->dtype == BOSC_F32 ? (double)((const float *)planes->data)[i]
                : planes->dtype == BOSC_I32 ? (double)((const int32_t *)planes->data)[i]
                                            : (double)integer;
        if (planes->dtype == BOSC_I64 && (integer > 1ll << 53 || integer < -(1ll << 53))) {
            free(to);
            return report_error(EXIT_FAILED, "%s: row %lld: %lld is beyond 2^53, so it may change as a double", path,
                                (long long)(i / planes->shape[1]), (long long)integer);
        }
    }
    const bosc_array converted = {
        .dtype = BOSC_F64, .rank = 2, .shape = {planes->shape[0], planes->shape[1], 1, 1}, .data = to};
    bosc_array_free(planes);
    *planes = converted;
    return EXIT_DONE;
}

static int read_planes(struct job *job, struct cells *c)
{
    const char *path = job->operands[0];
    const int code = points_read(job, path, &c->planes);
    if (code) return code;
    const int64_t n = c->planes.shape[0], columns = c->planes.shape[1];
    if (columns < 2 || columns > 4)
        return report_error(EXIT_FAILED,
                            "%s: %lld numbers a row, not 2 to 4: a normal of 1 to 3 coordinates, a constant", path,
                            (long long)columns);
    if (n < 1 || n > PLANES_MOST)
        return report_error(EXIT_FAILED, "%s: %lld planes, not 1 to %d", path, (long long)n, PLANES_MOST);
    if (job->value[OPT_PNG] && columns != 3)
        return report_error(EXIT_FAILED, "--png: needs lines, of three numbers, but %s has %lld", path,
                            (long long)columns);
    job_set_integer(job, "n", c->n = n);
    return convert_planes(path, &c->planes);
}

/* Checks a plane as bosc_arrangement_build does, which numbers merged planes only. */
static int check_plane(const char *path, const double *plane, int64_t columns, int64_t row)
{
    bool is_plane = false;
    for (int64_t c = 0; c < columns; c++) {
        const double size = fabs(plane[c]);
        if (size != 0 && !(size >= 0x1p-200 && size <= 0x1p200))
            return report_error(EXIT_FAILED,
                                "%s: planes: coefficient %lld of plane %lld is neither 0 nor of magnitude 2^-200 to "
                                "2^200",
                                path, (long long)c, (long long)row);
        is_plane |= c < columns - 1 && size != 0;
    }
    if (is_plane) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: planes: the normal of plane %lld is 0", path, (long long)row);
}

/* True if two products of doubles of magnitude 2^-200 to 2^200 are equal: exact, as a product's rounding error is a
 * double. */
static bool are_equal_products(double a, double b, double c, double d)
{
    return a * b == c * d && fma(a, b, -(a * b)) == fma(c, d, -(c * d));
}

/* Returns 1 or -1 if plane b is a positive or negative multiple of plane a, else 0. */
static int compare_planes(const double *a, const double *b, int64_t columns)
{
    int64_t first = 0;
    while (first < columns && a[first] == 0) first++;
    if (first == columns || b[first] == 0) return 0;
    for (int64_t c = 0; c < columns; c++)
        if (!are_equal_products(a[c], b[first], b[c], a[first])) return 0;
    return (a[first] > 0) == (b[first] > 0) ? 1 : -1;
}

/* Keeps the first of equal planes. */
static int merge_planes(struct job *job, struct cells *c)
{
    const int64_t columns = c->planes.shape[1];
    double *rows = c->planes.data;
    int64_t kept = 0;
    if (!job->value[OPT_MERGE]) return EXIT_DONE;
    c->plane = job_alloc((size_t)c->n, sizeof *c->plane);
    if (!c->plane) return EXIT_FAILED;
    for (int64_t i = 0; i < c->n; i++) {
        const double *row = rows + i * columns;
        int64_t k = 0;
        int sides = 0;
        const int code = check_plane(job->operands[0], row, columns, i);
        if (code) return code;
        while (k < kept && !(sides = compare_planes(rows + k * columns, row, columns))) k++;
        if (k == kept) memmove(rows + kept++ * columns, row, (size_t)columns * sizeof *row);
        c->plane[i] = (int32_t)(sides < 0 ? ~k : k);
    }
    c->planes.shape[0] = kept;
    job_set_integer(job, "merged", c->n - kept);
    return EXIT_DONE;
}

/* Builds the arrangement and reports its numbers. */
static int build_cells(struct job *job, struct cells *c)
{
    const int64_t n = c->planes.shape[0];
    const bosc_cellgraph_opts opts = {.size = sizeof opts, .length = (int32_t)n};
    const double start = job_now();
    c->info.size = sizeof c->info;
    bosc_status status = bosc_cellgraph_create(job->ctx, &opts, &c->graph);
    if (status == BOSC_OK)
        status =
            bosc_arrangement_build(job->ctx, c->planes.data, n, (int32_t)c->planes.shape[1] - 1, c->graph, &c->info);
    job_add_seconds(job, "build", start);
    if (status == BOSC_ERR_DATA)
        return report_error(EXIT_FAILED, "%s: %s%s", job->operands[0], bosc_ctx_message(job->ctx),
                            strstr(bosc_ctx_message(job->ctx), " is equal to ") ? " (--merge counts them once)" : "");
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "rank", c->info.rank);
    job_set_integer(job, "corners", c->info.corners);
    job_set_integer(job, "pieces", c->info.pieces);
    job_set_integer(job, "walls", c->info.walls);
    job_set_integer(job, "cells", c->info.cells);
    return EXIT_DONE;
}

/* Packs vectors as files have them: the first row is the most significant bit of the first byte. */
static void pack_vectors(const struct cells *c)
{
    const int64_t bytes = c->packed.shape[1], words = (c->planes.shape[0] + 63) / 64;
    uint8_t *to = c->packed.data;
    memset(to, 0, (size_t)(c->info.cells * bytes));
    for (int64_t v = 0; v < c->info.cells; v++)
        for (int64_t i = 0; i < c->n; i++) {
            const bool opposite = c->plane && c->plane[i] < 0;
            const int64_t k = !c->plane ? i : opposite ? ~c->plane[i] : c->plane[i];
            const uint64_t bit = (c->vectors[v * words + k / 64] >> (k % 64) & 1) ^ opposite;
            to[v * bytes + i / 8] |= (uint8_t)(bit << (7 - i % 8));
        }
}

/* Copies the vectors and walls out, where an output needs them. */
static int copy_cells(struct job *job, struct cells *c)
{
    const int64_t n = c->planes.shape[0], words = (n + 63) / 64;
    bosc_cellgraph_info built = {.size = sizeof built};
    if (!job->value[OPT_OUTPUT] && !job->value[OPT_WALLS] && !job->value[OPT_PNG]) return EXIT_DONE;
    bosc_status status = bosc_cellgraph_get_info(job->ctx, c->graph, &built);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    c->packed = (bosc_array){.dtype = BOSC_U8, .rank = 2, .shape = {c->info.cells, (c->n + 7) / 8, 1, 1}};
    c->walls = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {built.edges, 2, 1, 1}};
    c->packed.data = job_alloc((size_t)c->info.cells, (size_t)c->packed.shape[1]);
    c->walls.data = c->packed.data ? job_alloc((size_t)built.edges, 2 * sizeof(int64_t)) : NULL;
    c->vectors = c->walls.data ? job_alloc((size_t)(c->info.cells * words), sizeof *c->vectors) : NULL;
    if (!c->vectors) return EXIT_FAILED;
    status = bosc_cellgraph_get_vertices(job->ctx, c->graph, c->vectors, NULL, NULL, NULL);
    if (status == BOSC_OK) status = bosc_cellgraph_get_pairs(job->ctx, c->graph, c->walls.data, NULL);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    pack_vectors(c);
    return EXIT_DONE;
}

static int draw_picture(struct job *job, const struct cells *c, int64_t width)
{
    struct canvas canvas;
    bosc_io_error error;
    if (!job->value[OPT_PNG] || job->silent) return EXIT_DONE;
    const double start = job_now();
    bosc_status status = BOSC_OK;
    if (!canvas_open(&canvas, (int)width, (int)width * 3 / 4, colour_of(0x101418)))
        return report_error(EXIT_FAILED, "out of memory");
    const bool drawn = arrangement_picture_draw(&canvas, c->planes.data, c->planes.shape[0], c->vectors, c->info.cells,
                                                c->walls.data, c->walls.shape[0]);
    if (drawn) status = canvas_write(&canvas, job->value[OPT_PNG], &error);
    canvas_close(&canvas);
    job_add_seconds(job, "picture", start);
    if (!drawn) return report_error(EXIT_FAILED, "out of memory");
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int run_cellgraph_cells(struct job *job)
{
    static const char *const endings[] = {".png", NULL};
    struct cells c = {.graph = NULL};
    int64_t width = WIDTH_DEFAULT;
    int code;
    if ((code = option_ending(job, OPT_PNG, endings)) || (code = option_integer(job, OPT_WIDTH, 64, 16384, &width)))
        return code;
    if (job->value[OPT_WIDTH] && !job->value[OPT_PNG]) return report_error(EXIT_USAGE, "--width: needs --png");
    if ((code = job_open(job))) return code;
    code = read_planes(job, &c);
    if (!code) code = merge_planes(job, &c);
    if (!code) code = build_cells(job, &c);
    if (!code) code = copy_cells(job, &c);
    const char *const paths[] = {job->value[OPT_OUTPUT], job->value[OPT_WALLS]};
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){c.packed, c.walls}, 2);
    if (!code) code = draw_picture(job, &c, width);
    bosc_cellgraph_free(c.graph);
    bosc_array_free(&c.planes);
    bosc_array_free(&c.packed);
    bosc_array_free(&c.walls);
    free(c.vectors);
    free(c.plane);
    return code;
}
