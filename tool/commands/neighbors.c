/* boscage neighbors: pairs of atoms nearer than a cutoff, in periodic cells. */
#include <boscage/neighborlist.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { AXES = 3, CELL = AXES * AXES };
enum { PAIRS, SHIFTS, DISTANCES, OFFSETS, OUTPUTS };

/* The systems of bosc_neighborlist_systems. */
struct system_input {
    bosc_array points;
    double *cells;     /* (systems x 3 x 3); NULL: not periodic */
    uint8_t *periodic; /* (systems x 3) */
    int64_t *offsets;  /* (systems + 1) */
    int64_t count;     /* of systems */
};

static void free_input(struct system_input *in)
{
    bosc_array_free(&in->points);
    free(in->cells);
    free(in->periodic);
    free(in->offsets);
}

static int read_array(struct job *job, const char *path, bosc_array *array)
{
    bosc_io_error error;
    const double start = job_now();
    const bosc_status status = bosc_npy_read(path, array, &error);
    job_add_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

static int convert_points(const char *path, bosc_array *points)
{
    if (points->shape[1] == AXES) return points_make_real(path, points);
    return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, but atoms have 3", path,
                        (long long)points->shape[1]);
}

/* ---- systems ---- */

/* Reads --systems: the first atom of each system, then the number of atoms. Without it there is one system. */
static int read_offsets(struct job *job, struct system_input *in)
{
    return offsets_read(job, job->value[OPT_SYSTEMS], in->points.shape[0], "atoms", &in->offsets, &in->count);
}

/* Reads the vectors of a file: (3, 3) for all systems, or (systems, 3, 3). */
static int read_cell_file(struct job *job, struct system_input *in)
{
    const char *path = job->value[OPT_CELL];
    bosc_array input = {0};
    int code = read_array(job, path, &input);
    if (code) return code;
    const bool each =
        input.rank == 3 && input.shape[0] == in->count && input.shape[1] == AXES && input.shape[2] == AXES;
    const bool one = input.rank == 2 && input.shape[0] == AXES && input.shape[1] == AXES;
    if (!each && !one)
        code =
            report_error(EXIT_FAILED, "%s: its shape is neither (3, 3) nor (%lld, 3, 3)", path, (long long)in->count);
    if (!code) code = points_make_real(path, &input);
    for (int64_t e = 0; e < in->count * CELL && !code; e++) in->cells[e] = coordinate(&input, one ? e % CELL : e);
    bosc_array_free(&input);
    return code;
}

/* Reads the cell that an extended .xyz file of atoms gives, for all systems. */
static int read_own_cell(struct job *job, struct system_input *in)
{
    const char *path = job->operands[0];
    double vectors[CELL];
    uint8_t periodic[AXES];
    int32_t found = 0;
    bosc_io_error error;
    if (path_is_stdio(path)) { /* it cannot be read twice */
        job_set_text(job, "cell", "none");
        job_set_note(job, "cell", "a Lattice on standard input is not read; --cell gives it");
        return EXIT_DONE;
    }
    const bosc_status status = bosc_lattice_read(path, vectors, periodic, &found, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    if (!found) return EXIT_DONE;
    if (!(in->cells = job_alloc((size_t)in->count * CELL, sizeof *in->cells))) return EXIT_FAILED;
    if (!(in->periodic = job_alloc((size_t)in->count * AXES, 1))) return EXIT_FAILED;
    for (int64_t e = 0; e < in->count * CELL; e++) in->cells[e] = vectors[e % CELL];
    for (int64_t e = 0; e < in->count * AXES; e++) in->periodic[e] = periodic[e % AXES];
    job_set_text(job, "cell", "Lattice of the file");
    return EXIT_DONE;
}

/* Reads --cell: 1, 3 or 9 numbers for all systems, or a file; `none': nothing is periodic. */
static int read_cells(struct job *job, struct system_input *in)
{
    const char *text = job->value[OPT_CELL];
    double numbers[CELL] = {0}, cell[CELL] = {0};
    int count = 1, code;
    if (!text) return read_own_cell(job, in);
    if (strcmp(text, "none") == 0) return EXIT_DONE;
    if (!(in->cells = job_alloc((size_t)in->count * CELL, sizeof *in->cells))) return EXIT_FAILED;
    if (path_has_ending(text, ".npy")) return read_cell_file(job, in);
    for (const char *p = text; *p; p++) count += *p == ',';
    if (count != 1 && count != AXES && count != CELL)
        return report_error(EXIT_USAGE, "--cell: '%s' is neither a .npy file, nor 1, 3 or 9 numbers, nor none", text);
    if ((code = option_numbers(job, OPT_CELL, count, numbers))) return code;
    for (int k = 0; k < CELL; k++)
        cell[k] = count == CELL ? numbers[k] : k % (AXES + 1) ? 0 : numbers[count == 1 ? 0 : k / (AXES + 1)];
    for (int64_t e = 0; e < in->count * CELL; e++) in->cells[e] = cell[e % CELL];
    return EXIT_DONE;
}

/* Reads --periodic: the letters of the periodic vectors; all without it. */
static int read_periodic(struct job *job, struct system_input *in)
{
    const char *text = job->value[OPT_PERIODIC];
    if (!text) return EXIT_DONE;
    if (!in->cells) return report_error(EXIT_USAGE, "--periodic: needs --cell");
    if (!*text || text[strspn(text, "abc")])
        return report_error(EXIT_USAGE, "--periodic: '%s' is not made of a, b and c", text);
    if (!in->periodic && !(in->periodic = job_alloc((size_t)in->count * AXES, 1))) return EXIT_FAILED;
    for (int64_t e = 0; e < in->count * AXES; e++) in->periodic[e] = strchr(text, "abc"[e % AXES]) != NULL;
    return EXIT_DONE;
}

/* ---- pairs ---- */

/* Reports an error of the library with the name of the file or option that it is about. */
static int report_list_error(const struct job *job, bosc_status status)
{
    const char *text = bosc_ctx_message(job->ctx);
    if (strncmp(text, "positions:", 10) == 0)
        return report_argument_error(job->ctx, status, "positions", job->operands[0]);
    if (strncmp(text, "systems:", 8) == 0) return report_argument_error(job->ctx, status, "systems", "--cell");
    return report_argument_error(job->ctx, status, "cutoff", option_flag(OPT_CUTOFF));
}

/* Allocates the requested outputs. */
static int allocate_outputs(const struct job *job, const struct system_input *in, int64_t count,
                            bosc_array arrays[OUTPUTS], const char *paths[OUTPUTS])
{
    const enum option ids[OUTPUTS] = {OPT_OUTPUT, OPT_SHIFTS, OPT_DISTANCES, OPT_OFFSETS};
    const bosc_array shapes[OUTPUTS] = {{.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}},
                                        {.dtype = BOSC_I32, .rank = 2, .shape = {count, AXES, 1, 1}},
                                        {.dtype = in->points.dtype, .rank = 1, .shape = {count, 1, 1, 1}},
                                        {.dtype = BOSC_I64, .rank = 1, .shape = {in->points.shape[0] + 1, 1, 1, 1}}};
    for (int k = 0; k < OUTPUTS; k++) {
        paths[k] = job->value[ids[k]];
        arrays[k] = shapes[k];
        if (!paths[k]) continue;
        arrays[k].data = job_alloc((size_t)(shapes[k].shape[0] * shapes[k].shape[1]), bosc_dtype_size(shapes[k].dtype));
        if (!arrays[k].data) return EXIT_FAILED;
    }
    return EXIT_DONE;
}

/* Fills the outputs. Atoms i and j of the pairs arrive in two arrays. */
static int fill_outputs(struct job *job, const bosc_neighborlist *list, int64_t count, bosc_array arrays[OUTPUTS])
{
    int64_t *pairs = arrays[PAIRS].data, *atoms = pairs ? job_alloc((size_t)count, 2 * sizeof *atoms) : NULL;
    if (pairs && !atoms) return EXIT_FAILED;
    bosc_neighborlist_arrays to = {.size = sizeof to,
                                   .capacity = count,
                                   .centers = atoms,
                                   .neighbors = atoms ? atoms + count : NULL,
                                   .shifts = arrays[SHIFTS].data,
                                   .distances = arrays[DISTANCES].data};
    const double start = job_now();
    bosc_status status = bosc_neighborlist_pairs(job->ctx, list, 0, &to, &count);
    if (status == BOSC_OK && arrays[OFFSETS].data)
        status = bosc_neighborlist_rows(job->ctx, list, 0, arrays[OFFSETS].data);
    for (int64_t e = 0; e < count && status == BOSC_OK && pairs; e++) {
        pairs[2 * e] = atoms[e];
        pairs[2 * e + 1] = atoms[count + e];
    }
    job_add_seconds(job, "pairs", start);
    free(atoms);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Builds the list, and writes its outputs. */
static int list_pairs(struct job *job, const struct system_input *in, double cutoff)
{
    const bosc_neighborlist_opts opts = {
        .size = sizeof opts, .dtype = in->points.dtype, .cutoff = cutoff, .half = job->value[OPT_HALF] != NULL};
    const bosc_neighborlist_systems systems = {.size = sizeof systems,
                                               .positions = in->points.data,
                                               .n = in->points.shape[0],
                                               .system_count = in->count,
                                               .offsets = in->offsets,
                                               .cells = in->cells,
                                               .periodic = in->periodic};
    bosc_neighborlist *list = NULL;
    bosc_neighborlist_info info = {.size = sizeof info};
    bosc_array arrays[OUTPUTS] = {{0}};
    const char *paths[OUTPUTS];
    /* 1. Build. */
    const double start = job_now();
    bosc_status status = bosc_neighborlist_create(job->ctx, &opts, &list);
    if (status == BOSC_OK) status = bosc_neighborlist_build(job->ctx, list, &systems);
    if (status == BOSC_OK) status = bosc_neighborlist_get_info(job->ctx, list, &info);
    job_add_seconds(job, "build", start);
    int code = status == BOSC_OK ? EXIT_DONE : report_list_error(job, status);
    /* 2. Write. */
    if (!code) code = allocate_outputs(job, in, info.pairs, arrays, paths);
    if (!code && (paths[PAIRS] || paths[SHIFTS] || paths[DISTANCES] || paths[OFFSETS]))
        code = fill_outputs(job, list, info.pairs, arrays);
    if (!code) code = arrays_write(job, paths, arrays, OUTPUTS);
    job_set_integer(job, "pairs", info.pairs);
    for (int k = 0; k < OUTPUTS; k++) bosc_array_free(&arrays[k]);
    bosc_neighborlist_free(list);
    return code;
}

int run_neighbors(struct job *job)
{
    struct system_input in = {.cells = NULL};
    double cutoff = 0;
    int code;
    if ((code = option_number(job, OPT_CUTOFF, 0, &cutoff))) return code;
    if (!(cutoff >= 0x1p-300 && cutoff <= 0x1p300))
        return report_error(EXIT_USAGE, "--cutoff: %g is not from 2^-300 to 2^300", cutoff);
    if ((code = job_open(job))) return code;
    /* 1. The systems. */
    code = points_read(job, job->operands[0], &in.points);
    if (!code) code = convert_points(job->operands[0], &in.points);
    if (!code) code = read_offsets(job, &in);
    if (!code) code = read_cells(job, &in);
    if (!code) code = read_periodic(job, &in);
    /* 2. Their pairs. */
    if (!code) {
        job_set_integer(job, "n", in.points.shape[0]);
        job_set_integer(job, "systems", in.count);
        code = list_pairs(job, &in, cutoff);
    }
    free_input(&in);
    return code;
}
