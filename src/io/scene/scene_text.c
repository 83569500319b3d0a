/* Reads bodies and placements as text, in the form of older tools of motion planning, and writes bodies: numbers
 * separated by blanks and line ends; `#` begins a comment. */
#include "io/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/text/number.h"
#include "io/text/row.h"

/* Iterator over the words of a text, across lines. */
struct words {
    const struct bi_bytes *in;
    struct bi_lines lines;
    struct bi_line line;
};

static struct words begin_words(const struct bi_bytes *in)
{
    return (struct words){.in = in, .lines = bi_lines_begin(in), .line = {in->data, in->data}};
}

static bool next_word(struct words *w, struct bi_line *word)
{
    while (!bi_line_word(&w->line, word))
        if (!bi_lines_next_content(&w->lines, &w->line)) return false;
    return true;
}

static bosc_status fail_at(const struct words *w, bosc_status status, const char *reason, bosc_io_error *error)
{
    return bi_fail_at(w->in, w->lines.number, status, error, "%s", reason);
}

static bosc_status fail_truncated(const struct words *w, const char *where, bosc_io_error *error)
{
    return bi_fail_at(w->in, w->lines.number, BOSC_ERR_FORMAT, error, "truncated %s", where);
}

/* Reads a count of things that take at least `bytes` each. Refuses more than fit in the file, before memory is
 * allocated. */
static bosc_status next_count(struct words *w, const char *what, size_t bytes, int64_t *count, bosc_io_error *error)
{
    struct bi_line word;
    int64_t number = 0;
    if (!next_word(w, &word))
        return bi_fail_at(w->in, w->lines.number, BOSC_ERR_FORMAT, error, "truncated before the number of %s", what);
    if (!bi_word_count(&word, &number))
        return bi_fail_at(w->in, w->lines.number, BOSC_ERR_FORMAT, error, "%s is not a number of %s",
                          bi_quote(word.begin, word.end).text, what);
    size_t left = (size_t)(w->in->data + w->in->size - word.end) + 1;
    if (number == 0) return bi_fail_at(w->in, w->lines.number, BOSC_ERR_FORMAT, error, "no %s", what);
    if ((uint64_t)number > left / bytes)
        return bi_fail_at(w->in, w->lines.number, BOSC_ERR_FORMAT, error, "truncated: %lld %s do not fit in %zu bytes",
                          (long long)number, what, left);
    *count = number;
    return BOSC_OK;
}

static bosc_status next_number(struct words *w, const char *where, double *value, bosc_io_error *error)
{
    struct bi_line word;
    struct bi_reason reason;
    if (!next_word(w, &word)) return fail_truncated(w, where, error);
    if (bi_number_read(word.begin, word.end, value) != word.end) {
        snprintf(reason.text, sizeof reason.text, "%s is not a number", bi_quote(word.begin, word.end).text);
        return fail_at(w, BOSC_ERR_FORMAT, reason.text, error);
    }
    if (isfinite(*value)) return BOSC_OK;
    snprintf(reason.text, sizeof reason.text, "%s is not finite", bi_quote(word.begin, word.end).text);
    return fail_at(w, BOSC_ERR_DATA, isnan(*value) ? "NaN" : reason.text, error);
}

static bosc_status expect_end(struct words *w, const char *what, bosc_io_error *error)
{
    struct bi_line word;
    if (!next_word(w, &word)) return BOSC_OK;
    return bi_fail_at(w->in, w->lines.number, BOSC_ERR_FORMAT, error, "%s after the %s",
                      bi_quote(word.begin, word.end).text, what);
}

/* ---- reading bodies ---- */

static bosc_status read_vertices(struct words *w, bosc_array *vertices, bosc_io_error *error)
{
    int64_t count = 0;
    bosc_status status = next_count(w, "vertices", 6, &count, error); /* "0 0 0 " */
    if (status == BOSC_OK && count > (int64_t)UINT32_MAX)
        status = fail_at(w, BOSC_ERR_LIMIT, "the vertices are not below 2^32", error);
    if (status == BOSC_OK)
        status = bi_array_new(w->in->name, BOSC_F64, 2, (const int64_t[]){count, 3}, vertices, error);
    for (int64_t i = 0; i < 3 * count && status == BOSC_OK; i++)
        status = next_number(w, "in the vertices", (double *)vertices->data + i, error);
    return status;
}

static bosc_status next_corner(struct words *w, int64_t vertices, uint32_t *corner, bosc_io_error *error)
{
    struct bi_line word;
    int64_t number = 0;
    if (!next_word(w, &word)) return fail_truncated(w, "in the triangles", error);
    if (!bi_word_count(&word, &number) || number >= vertices)
        return bi_fail_at(w->in, w->lines.number, BOSC_ERR_FORMAT, error, "%s is none of the vertices 0 to %lld",
                          bi_quote(word.begin, word.end).text, (long long)vertices - 1);
    *corner = (uint32_t)number;
    return BOSC_OK;
}

/* Skips the normals of all corners, if they follow. */
static bosc_status skip_normals(struct words *w, int64_t triangles, bosc_io_error *error)
{
    struct words ahead = *w;
    struct bi_line word;
    double value;
    bosc_status status = BOSC_OK;
    if (!next_word(&ahead, &word)) return BOSC_OK;
    for (int64_t i = 0; i < 9 * triangles && status == BOSC_OK; i++) { /* any numbers, NaN too */
        if (!next_word(w, &word)) return fail_truncated(w, "in the normals", error);
        if (bi_number_read(word.begin, word.end, &value) != word.end)
            status = bi_fail_at(w->in, w->lines.number, BOSC_ERR_FORMAT, error, "%s is not a number",
                                bi_quote(word.begin, word.end).text);
    }
    return status == BOSC_OK ? expect_end(w, "normals", error) : status;
}

static bosc_status read_triangles(struct words *w, int64_t vertices, bosc_array *triangles, bosc_io_error *error)
{
    int64_t count = 0;
    bosc_status status = next_count(w, "triangles", 6, &count, error);
    if (status == BOSC_OK)
        status = bi_array_new(w->in->name, BOSC_U32, 2, (const int64_t[]){count, 3}, triangles, error);
    for (int64_t i = 0; i < 3 * count && status == BOSC_OK; i++)
        status = next_corner(w, vertices, (uint32_t *)triangles->data + i, error);
    return status == BOSC_OK ? skip_normals(w, count, error) : status;
}

bosc_status bi_body_parse(const struct bi_bytes *in, struct bi_body *body, bosc_io_error *error)
{
    struct words w = begin_words(in);
    struct bi_body fresh = {.balls.data = NULL};
    bosc_status status = read_vertices(&w, &fresh.vertices, error);
    if (status == BOSC_OK) status = read_triangles(&w, fresh.vertices.shape[0], &fresh.triangles, error);
    if (status == BOSC_OK)
        *body = fresh;
    else
        bi_body_free(&fresh);
    return status;
}

/* ---- reading placements ---- */

static double length_of(const double *q) { return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]); }

/* Converts a rotation matrix to a quaternion, by the one of four formulas with the largest divisor. Source: Shepperd,
 * Quaternion from Rotation Matrix (1978). */
static void matrix_to_rotation(const double m[16], double q[4])
{
    const double trace = m[0] + m[5] + m[10];
    const double squares[4] = {trace, m[0], m[5], m[10]};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[largest]) largest = i;
    const double xy = m[1] + m[4], xz = m[2] + m[8], yz = m[6] + m[9];
    const double wx = m[9] - m[6], wy = m[2] - m[8], wz = m[4] - m[1];
    const double candidates[4][4] = {{1 + trace, wx, wy, wz},
                                     {wx, 1 + m[0] - m[5] - m[10], xy, xz},
                                     {wy, xy, 1 + m[5] - m[0] - m[10], yz},
                                     {wz, xz, yz, 1 + m[10] - m[0] - m[5]}};
    double length = length_of(candidates[largest]);
    for (int i = 0; i < 4; i++) q[i] = candidates[largest][i] / length;
}

/* Returns the reason if a matrix is no rotation and translation, or NULL. */
static const char *check_matrix(const double m[16])
{
    const double slack = 1e-4; /* files have about nine digits and are rotations to six or seven */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double dot = m[i] * m[j] + m[4 + i] * m[4 + j] + m[8 + i] * m[8 + j];
            if (!(fabs(dot - (i == j)) <= slack)) return "the matrix is no rotation: it scales or shears";
        }
    double det =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    if (det < 0) return "the matrix is no rotation: it mirrors";
    bool affine = m[12] == 0 && m[13] == 0 && m[14] == 0 && m[15] == 1;
    return affine ? NULL : "the last row of the matrix is not 0 0 0 1";
}

static bosc_status read_placement(struct words *w, struct bi_placement *placement, bosc_io_error *error)
{
    double m[16];
    bosc_status status = BOSC_OK;
    for (int i = 0; i < 16 && status == BOSC_OK; i++) status = next_number(w, "in a matrix of 4 x 4", &m[i], error);
    if (status != BOSC_OK) return status;
    const char *reason = check_matrix(m);
    if (reason) return fail_at(w, BOSC_ERR_DATA, reason, error);
    matrix_to_rotation(m, placement->rotation);
    for (int i = 0; i < 3; i++) placement->translation[i] = m[4 * i + 3];
    return BOSC_OK;
}

bosc_status bi_placements_parse(const struct bi_bytes *in, struct bi_placement placements[2], int32_t *count,
                                bosc_io_error *error)
{
    struct words w = begin_words(in);
    struct bi_placement fresh[2] = {{.rotation = {1}}, {.rotation = {1}}};
    struct bi_line word;
    bosc_status status = read_placement(&w, &fresh[0], error);
    struct words ahead = w;
    bool second = status == BOSC_OK && next_word(&ahead, &word);
    if (second) status = read_placement(&w, &fresh[1], error);
    if (status == BOSC_OK) status = expect_end(&w, "second matrix", error);
    if (status != BOSC_OK) return status;
    placements[0] = fresh[0];
    placements[1] = fresh[1];
    *count = second ? 2 : 1;
    return BOSC_OK;
}

/* ---- writing bodies of triangles ---- */

static int64_t count_facets(const bosc_plan_bodies *b)
{
    return b->polytope_count > 0 ? b->polytope_offsets[b->polytope_count] : 0;
}

static void write_integers(struct bi_sink *sink, const int64_t *numbers, int count)
{
    char line[96], *p = line;
    for (int i = 0; i < count; i++) {
        p = bi_integer_write(p, false, (uint64_t)numbers[i]);
        *p++ = i + 1 < count ? ' ' : '\n';
    }
    bi_sink_write(sink, line, (size_t)(p - line));
}

/* Writes a body; facets become triangle fans around their first corners. */
static bosc_status fill_body(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_plan_bodies *b = what;
    int64_t facets = count_facets(b), triangles = b->triangle_count;
    if (facets) triangles += b->facet_offsets[facets] - 2 * facets;
    (void)error;
    /* 1. The vertices. */
    write_integers(sink, &b->vertex_count, 1);
    for (int64_t i = 0; i < b->vertex_count; i++) {
        char line[96], *p = line;
        for (int c = 0; c < 3; c++) {
            p = bi_number_write(p, b->vertices[3 * i + c], false);
            *p++ = c < 2 ? ' ' : '\n';
        }
        bi_sink_write(sink, line, (size_t)(p - line));
    }
    /* 2. The triangles, and the fans of the facets. */
    write_integers(sink, &triangles, 1);
    for (int64_t t = 0; t < b->triangle_count; t++) write_integers(sink, b->triangles + 3 * t, 3);
    for (int64_t f = 0; f < facets; f++) {
        const int64_t *v = b->facet_vertices + b->facet_offsets[f];
        for (int64_t k = 2; k < b->facet_offsets[f + 1] - b->facet_offsets[f]; k++)
            write_integers(sink, (const int64_t[]){v[0], v[k - 1], v[k]}, 3);
    }
    return BOSC_OK;
}

static bosc_status check_body(const char *name, const bosc_plan_bodies *b, bosc_io_error *error)
{
    if (b->ball_count != 0) return bi_io_fail(error, BOSC_ERR_ARG, "scene: %s: balls are not written", name);
    if (b->vertex_count < 1 || !b->vertices || b->triangle_count < 0 || b->polytope_count < 0 ||
        b->triangle_count + count_facets(b) < 1)
        return bi_io_fail(error, BOSC_ERR_ARG, "scene: %s: no triangles", name);
    return BOSC_OK;
}

bosc_status bosc_scene_write(const char *folder, const bosc_plan_scene *scene, bosc_io_error *error)
{
    BI_IO_ENTER;
    if (!folder) return bi_io_fail(error, BOSC_ERR_ARG, "folder: NULL");
    if (!scene) return bi_io_fail(error, BOSC_ERR_ARG, "scene: NULL");
    size_t size = strlen(folder) + sizeof "/obstacle.txt";
    char *robot = NULL, *obstacle = NULL;
    bosc_status status = check_body("robot", &scene->robot, error);
    if (status == BOSC_OK) status = check_body("obstacle", &scene->obstacle, error);
    if (status != BOSC_OK) return status;
    robot = bi_io_alloc(size);
    obstacle = bi_io_alloc(size);
    if (robot && obstacle) {
        snprintf(robot, size, "%s/robot.txt", folder);
        snprintf(obstacle, size, "%s/obstacle.txt", folder);
        const struct bi_output outputs[2] = {{robot, fill_body, &scene->robot, 1},
                                             {obstacle, fill_body, &scene->obstacle, 1}};
        status = bi_outputs_write(outputs, 2, error);
    } else {
        status = bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", folder);
    }
    free(robot);
    free(obstacle);
    return status;
}
