/* Parses headers of graph files: DIMACS's problem line, Matrix Market's banner and sizes, the first line of a list.
 * Sources: 9th DIMACS Implementation Challenge, Shortest Paths (2006); Boisvert, Pozo, Remington, The Matrix Market
 * Exchange Formats (1996). */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/file/bytes.h"
#include "io/graph/edge_list.h"
#include "io/text/fields.h"
#include "io/text/row.h"

static bool is_blank_line(struct bi_line line)
{
    while (line.begin < line.end && (*line.begin == ' ' || *line.begin == '\t')) line.begin++;
    return line.begin == line.end;
}

static bool word_is(const struct bi_line *word, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(word->end - word->begin) == length && strncasecmp(word->begin, text, length) == 0;
}

static bosc_status fail_header(const struct bi_bytes *in, const char *what, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", in->name, what);
}

/* ---- DIMACS ---- */

bosc_status bi_gr_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error)
{
    struct bi_edge_form form = {
        .tagged = true, .comments = "c", .first = 1, .weights = BI_WEIGHTS_I32, .widest = BI_WEIGHTS_F64};
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line, word;
    bosc_status status;
    do {
        if (!bi_lines_next(&lines, &line))
            return fail_header(in, "no line of the problem (p sp VERTICES EDGES)", error);
    } while (is_blank_line(line) || *line.begin == 'c');
    if (!bi_word_next(&line, &word) || !word_is(&word, "p"))
        return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error,
                          "%s where the problem line (p sp VERTICES EDGES) should be",
                          bi_quote(word.begin, word.end).text);
    if (!bi_word_next(&line, &word) || !word_is(&word, "sp"))
        return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error, "the problem is %s, but must be sp",
                          bi_quote(word.begin, word.end).text);
    if ((status = bi_edges_count(in, &lines, &line, "vertices", &form.n, error)) != BOSC_OK ||
        (status = bi_edges_count(in, &lines, &line, "edges", &form.m, error)) != BOSC_OK ||
        (status = bi_edges_line_end(in, &lines, &line, error)) != BOSC_OK)
        return status;
    return bi_edge_lines_parse(in, &lines, &form, edges, error);
}

/* ---- Matrix Market ---- */

/* Reads a word of the banner, which must be one of `choices`. */
static bosc_status read_choice(const struct bi_bytes *in, struct bi_line *line, const char *what,
                               const char *const *choices, int *choice, bosc_io_error *error)
{
    struct bi_line word;
    char list[96] = "";
    bi_word_next(line, &word);
    for (int i = 0; choices[i]; i++) {
        size_t used = strlen(list);
        *choice = i;
        if (word_is(&word, choices[i])) return BOSC_OK;
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", choices[i]);
    }
    return bi_fail_at(in, 1, BOSC_ERR_FORMAT, error, "the %s %s is not supported (%s)", what,
                      bi_quote(word.begin, word.end).text, list);
}

static bosc_status read_banner(const struct bi_bytes *in, struct bi_lines *lines, struct bi_edge_form *form,
                               bosc_io_error *error)
{
    static const char *const objects[] = {"matrix", NULL}, *const formats[] = {"coordinate", NULL};
    static const char *const fields[] = {"pattern", "integer", "real", "complex", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
    static const enum bi_weights kinds[] = {BI_WEIGHTS_NONE, BI_WEIGHTS_I32, BI_WEIGHTS_F64, BI_WEIGHTS_NONE};
    static const enum bi_weights widest[] = {BI_WEIGHTS_NONE, BI_WEIGHTS_I64, BI_WEIGHTS_F64, BI_WEIGHTS_NONE};
    static const int numbers[] = {0, 1, 1, 2};
    struct bi_line line, word;
    int only, field = 0, symmetry = 0;
    bosc_status status;
    if (!bi_lines_next(lines, &line) || !bi_word_next(&line, &word) || !word_is(&word, "%%MatrixMarket"))
        return fail_header(in, "does not begin with %%MatrixMarket", error);
    if ((status = read_choice(in, &line, "object", objects, &only, error)) != BOSC_OK ||
        (status = read_choice(in, &line, "format", formats, &only, error)) != BOSC_OK ||
        (status = read_choice(in, &line, "field", fields, &field, error)) != BOSC_OK ||
        (status = read_choice(in, &line, "symmetry", symmetries, &symmetry, error)) != BOSC_OK)
        return status;
    /* An edge has one real weight for both directions, so complex, skew-symmetric and hermitian matrices give their
     * pattern. */
    bool pattern = field == 3 || symmetry >= 2;
    form->weights = pattern ? BI_WEIGHTS_NONE : kinds[field];
    form->widest = pattern ? BI_WEIGHTS_NONE : widest[field];
    form->ignored = pattern ? numbers[field] : 0;
    return bi_edges_line_end(in, lines, &line, error);
}

bosc_status bi_mtx_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error)
{
    struct bi_edge_form form = {.comments = "", .first = 1};
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line;
    int64_t columns;
    bosc_status status = read_banner(in, &lines, &form, error);
    if (status != BOSC_OK) return status;
    do {
        if (!bi_lines_next(&lines, &line)) return fail_header(in, "no line of sizes (ROWS COLUMNS ENTRIES)", error);
    } while (is_blank_line(line) || *line.begin == '%');
    if ((status = bi_edges_count(in, &lines, &line, "rows", &form.n, error)) != BOSC_OK ||
        (status = bi_edges_count(in, &lines, &line, "columns", &columns, error)) != BOSC_OK ||
        (status = bi_edges_count(in, &lines, &line, "entries", &form.m, error)) != BOSC_OK ||
        (status = bi_edges_line_end(in, &lines, &line, error)) != BOSC_OK)
        return status;
    if (columns != form.n)
        return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error,
                          "%lld rows and %lld columns, but the matrix of a graph is square", (long long)form.n,
                          (long long)columns);
    return bi_edge_lines_parse(in, &lines, &form, edges, error);
}

/* ---- lists of edges ---- */

static int count_fields(struct bi_line line, char separator)
{
    struct bi_line field;
    int count = 0;
    while (bi_field_next(&line, separator, &field)) count++;
    return count;
}

/* Reads the next line that is no comment. */
static bool next_row(struct bi_lines *lines, struct bi_line *line)
{
    struct bi_line word, remainder;
    while (bi_lines_next_content(lines, line)) {
        remainder = *line;
        if (bi_word_next(&remainder, &word) && *word.begin != '%') return true;
    }
    return false;
}

bosc_status bi_edge_list_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error)
{
    struct bi_edge_form form = {.comments = "#%", .n = -1, .m = -1, .widest = BI_WEIGHTS_F64};
    struct bi_lines lines = bi_lines_begin(in), ahead = lines, behind;
    struct bi_line first, line;
    if (!next_row(&ahead, &first)) return bi_edge_lines_parse(in, &lines, &form, edges, error);
    char separator = bi_separator_of(first);
    if (separator == ',' || separator == ';') form.separator = separator;
    int fields = count_fields(first, form.separator ? separator : ' ');
    behind = ahead;
    bool named = fields >= 2 && bi_is_header(first, separator), more = named && next_row(&ahead, &line);
    if (more ? count_fields(line, form.separator ? separator : ' ') == fields : named && form.separator)
        lines = behind;                                           /* skip the line of column names */
    form.weights = fields > 2 ? BI_WEIGHTS_I32 : BI_WEIGHTS_NONE; /* by the first edge */
    return bi_edge_lines_parse(in, &lines, &form, edges, error);
}
