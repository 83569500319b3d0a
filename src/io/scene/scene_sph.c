/* Parses sphere trees (.sph). Source: Bradshaw, O'Sullivan, Adaptive Medial-Axis Approximation for Sphere-Tree
 * Construction (2004), and their tools. The first line has the number of levels and of children per node. Then each
 * node has a line, level by level: x, y, z, radius and a flag. An absent node has a radius of 0 or less. Options may
 * follow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/scene/scene.h"
#include "io/text/row.h"

enum { LEVELS_MAX = 64 }; /* of two children or more, the nodes of 64 levels exceed any file */

/* The range of nodes on a level. */
struct level {
    int64_t first, count;
};

/* Reads the first line, and finds the nodes of the requested level (1: the root; 0: the deepest). Products are limited
 * by the size of the file. */
static bosc_status read_header(const struct bi_bytes *in, struct bi_lines *lines, int32_t level_number,
                               struct level *level, bosc_io_error *error)
{
    struct bi_line line, word;
    int64_t levels = 0, degree = 0;
    if (!bi_lines_next_content(lines, &line))
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "no sphere tree");
    if (!bi_line_word(&line, &word) || !bi_word_count(&word, &levels) || levels < 1 || levels > LEVELS_MAX)
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "the number of levels is not from 1 to 64");
    if (!bi_line_word(&line, &word) || !bi_word_count(&word, &degree) || degree < 1)
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "the number of children is not above 0");
    if (bi_line_word(&line, &word))
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "more than two counts");
    if (level_number > levels)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: level %d of a tree of %lld levels", in->name, (int)level_number,
                          (long long)levels);
    /* The shortest node is "0 0 0 0 0\n", which bounds the number of nodes and keeps the products from overflowing. */
    int64_t most = (int64_t)(in->size / 10) + 1, nodes = 1, total = 0;
    for (int64_t i = 1; i <= levels; i++) {
        if (i == level_number || level_number == 0) *level = (struct level){total, nodes};
        total += nodes;
        if (total > most)
            return bi_io_fail(error, BOSC_ERR_FORMAT,
                              "%s: truncated: %lld levels of %lld children do not fit in %zu bytes", in->name,
                              (long long)levels, (long long)degree, in->size);
        nodes = degree > most ? most + 1 : nodes * degree;
    }
    return BOSC_OK;
}

static bosc_status check_node(const double *node, struct bi_reason *reason)
{
    for (int c = 0; c < 4; c++)
        if (!isfinite(node[c])) {
            snprintf(reason->text, sizeof reason->text, "a ball is not finite");
            return BOSC_ERR_DATA;
        }
    return BOSC_OK;
}

/* Reads the first node_limit nodes, and appends the balls of the level: four numbers each. The caller frees *balls,
 * after a failure too. */
static bosc_status read_nodes(const struct bi_bytes *in, struct bi_lines *lines, int64_t node_limit,
                              const struct level *level, struct bi_numbers *balls, bosc_io_error *error)
{
    struct bi_line line;
    struct bi_reason reason = {""};
    struct bi_numbers row = {0};
    static const bool needed[4] = {true, true, true, true}; /* not the flag */
    bosc_status status = BOSC_OK;
    for (int64_t i = 0; i < node_limit && status == BOSC_OK; i++) {
        /* 1. Read a line of five numbers. */
        row.count = 0;
        if (!bi_lines_next_content(lines, &line)) {
            status = bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "truncated in the nodes");
            break;
        }
        status = bi_row_read_needed(line.begin, line.end, ' ', needed, 4, &row, &reason);
        if (status == BOSC_OK && row.count != 5) {
            snprintf(reason.text, sizeof reason.text, "%zu numbers where x, y, z, radius and a flag are needed",
                     row.count);
            status = BOSC_ERR_FORMAT;
        }
        if (status == BOSC_OK) status = check_node(row.data, &reason);
        /* 2. Store it if it is a ball of the level. */
        bool requested = i >= level->first && i < level->first + level->count && status == BOSC_OK && row.data[3] > 0;
        if (requested && !bi_numbers_reserve(balls, balls->count + 4)) status = bi_numbers_refuse(&reason);
        if (status != BOSC_OK) {
            bi_fail_at(in, lines->number, status, error, "%s", reason.text);
        } else if (requested) {
            memcpy(balls->data + balls->count, row.data, 4 * sizeof(double));
            balls->count += 4;
        }
    }
    bi_numbers_free(&row);
    return status;
}

bosc_status bi_sph_parse(const struct bi_bytes *in, int32_t level_number, struct bi_body *body, bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_numbers balls = {0};
    struct level level = {0, 0};
    bosc_status status = read_header(in, &lines, level_number, &level, error);
    if (status == BOSC_OK) status = read_nodes(in, &lines, level.first + level.count, &level, &balls, error);
    if (status == BOSC_OK && balls.count == 0)
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no balls on the level", in->name);
    if (status == BOSC_OK) *body = (struct bi_body){.balls = bi_numbers_to_array(&balls, (int64_t)balls.count / 4, 4)};
    bi_numbers_free(&balls);
    return status;
}
