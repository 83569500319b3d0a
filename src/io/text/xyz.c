/* Reads .xyz files: points, with or without colours, and molecules. Source of molecules: the XMol manual, Minnesota
 * Supercomputer Center (1990). In extended files the comment line names the columns. */
#include <stdio.h>
#include <string.h>

#include "io/file/bytes.h"
#include "io/text/fields.h"
#include "io/text/row.h"
#include "io/text/text.h"

/* True for a molecule: line 1 is a single number, unlike a row of three coordinates, and line 3 has a symbol and
 * three numbers. Moves *lines to the first atom. */
static bool begins_molecule(struct bi_lines *lines, int64_t *atoms, struct bi_line *comment)
{
    struct bi_lines ahead = *lines;
    struct bi_line line, word, extra;
    if (!bi_lines_next(&ahead, &line) || !bi_line_word(&line, &word) || !bi_word_count(&word, atoms)) return false;
    if (bi_line_word(&line, &extra) || !bi_lines_next(&ahead, comment)) return false;
    *lines = ahead;
    if (!bi_lines_next(&ahead, &line)) return false;
    int words = 0;
    while (words < 4 && bi_line_word(&line, &word)) words++;
    return words == 4;
}

/* True for a comment that names no columns, or names symbol and coordinates first. */
static bool has_standard_columns(const struct bi_line *comment)
{
    static const char key[] = "Properties=", plain[] = "species:S:1:pos:R:3";
    for (const char *p = comment->begin; comment->end - p >= (ptrdiff_t)sizeof key - 1; p++) {
        if (memcmp(p, key, sizeof key - 1) != 0) continue;
        p += sizeof key - 1;
        return comment->end - p >= (ptrdiff_t)sizeof plain - 1 && memcmp(p, plain, sizeof plain - 1) == 0;
    }
    return true;
}

static bosc_status read_atoms(struct bi_lines *lines, int64_t atoms, struct bi_numbers *numbers,
                              struct bi_reason *reason)
{
    static const struct bi_columns columns = {.number = {2, 3, 4}, .count = 3};
    struct bi_line line;
    for (int64_t i = 0; i < atoms; i++) {
        if (!bi_lines_next(lines, &line)) {
            snprintf(reason->text, sizeof reason->text, "ends after %lld of %lld atoms", (long long)i,
                     (long long)atoms);
            return BOSC_ERR_FORMAT;
        }
        bosc_status status = bi_fields_read(line, ' ', &columns, numbers, reason);
        if (status != BOSC_OK) return status;
    }
    if (!bi_lines_next_content(lines, &line)) return BOSC_OK;
    snprintf(reason->text, sizeof reason->text, "text after the %lld atoms; one molecule is read", (long long)atoms);
    return BOSC_ERR_FORMAT;
}

bosc_status bi_xyz_parse(const struct bi_bytes *in, const char *columns, bosc_array *points, bosc_io_error *error)
{
    const struct bi_text_opts opts = {.columns = columns, .most = columns ? 0 : 3};
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line comment;
    struct bi_numbers numbers = {0};
    struct bi_reason reason;
    int64_t atoms;
    if (!begins_molecule(&lines, &atoms, &comment)) return bi_text_parse(in, &opts, points, error);
    if (!has_standard_columns(&comment))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s:2: the columns are not species:S:1:pos:R:3 and others behind",
                          in->name);
    if (atoms == 0) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no points", in->name);
    bi_lines_report_progress(&lines);
    bosc_status status = read_atoms(&lines, atoms, &numbers, &reason);
    if (bi_bytes_whole_needed(in))
        status = BOSC_ERR_FORMAT;
    else if (status != BOSC_OK)
        status = bi_io_fail(error, status, "%s:%lld: %s", in->name, (long long)lines.number, reason.text);
    else
        *points = bi_numbers_to_array(&numbers, atoms, 3);
    bi_numbers_free(&numbers);
    return status;
}
