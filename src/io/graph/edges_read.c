/* Reads graph files: DIMACS, Matrix Market, lists of edges, pairs of an array; others by their own parsers. Sources:
 * 2nd DIMACS Implementation Challenge, Clique and Coloring (1993), and 9th, Shortest Paths (2006); Boisvert, Pozo,
 * Remington, The Matrix Market Exchange Formats (1996). */
#include "io/graph/edge_list.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/file/structure.h"
#include "io/graph/edge_names.h"
#include "io/graph/parse_edges.h"
#include "io/npy/npy.h"
#include "io/text/number.h"
#include "io/text/row.h"

static bool is_blank_line(struct bi_line line)
{
    while (line.begin < line.end && (*line.begin == ' ' || *line.begin == '\t')) line.begin++;
    return line.begin == line.end;
}

static bosc_status fail_header(const struct bi_bytes *in, const char *what, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", in->name, what);
}

/* ---- DIMACS ---- */

bosc_status bi_gr_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error)
{
    struct bi_edge_form form = {
        .tag = 'a', .comments = "c", .first = 1, .weights = BI_WEIGHTS_I32, .widest = BI_WEIGHTS_F64};
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line, word;
    bosc_status status;
    /* 1. The problem line. */
    do {
        if (!bi_lines_next(&lines, &line))
            return fail_header(in, "no line of the problem (p sp VERTICES EDGES)", error);
    } while (is_blank_line(line) || *line.begin == 'c');
    if (!bi_word_next(&line, &word) || !bi_word_is_any_case(&word, "p"))
        return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error,
                          "%s where the problem line (p sp VERTICES EDGES) should be",
                          bi_quote(word.begin, word.end).text);
    bi_word_next(&line, &word);
    if (bi_word_is_any_case(&word, "edge") || bi_word_is_any_case(&word, "col")) {
        form.tag = 'e';
        form.weights = form.widest = BI_WEIGHTS_NONE;
    } else if (!bi_word_is_any_case(&word, "sp")) {
        return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error, "the problem is %s, but must be sp, edge or col",
                          bi_quote(word.begin, word.end).text);
    }
    /* 2. The sizes, and the edges. */
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
        if (bi_word_is_any_case(&word, choices[i])) return BOSC_OK;
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", choices[i]);
    }
    return bi_fail_at(in, 1, BOSC_ERR_FORMAT, error, "the %s %s is not supported (%s)", what,
                      bi_quote(word.begin, word.end).text, list);
}

static bosc_status read_banner(const struct bi_bytes *in, struct bi_lines *lines, struct bi_edge_form *form,
                               bosc_io_error *error)
{
    static const char *const objects[] = {"matrix", NULL}, *const formats[] = {"coordinate", NULL};
    static const char *const fields[] = {"pattern", "integer", "unsigned-integer", "real", "complex", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
    static const enum bi_weights kinds[] = {BI_WEIGHTS_NONE, BI_WEIGHTS_I32, BI_WEIGHTS_I32, BI_WEIGHTS_F64,
                                            BI_WEIGHTS_NONE};
    static const enum bi_weights widest[] = {BI_WEIGHTS_NONE, BI_WEIGHTS_I64, BI_WEIGHTS_I64, BI_WEIGHTS_F64,
                                             BI_WEIGHTS_NONE};
    static const int values_per_entry[] = {0, 1, 1, 1, 2};
    struct bi_line line, word;
    int only, field = 0, symmetry = 0;
    bosc_status status;
    if (!bi_lines_next(lines, &line) || !bi_word_next(&line, &word) || !bi_word_is_any_case(&word, "%%MatrixMarket"))
        return fail_header(in, "does not begin with %%MatrixMarket", error);
    if ((status = read_choice(in, &line, "object", objects, &only, error)) != BOSC_OK ||
        (status = read_choice(in, &line, "format", formats, &only, error)) != BOSC_OK ||
        (status = read_choice(in, &line, "field", fields, &field, error)) != BOSC_OK ||
        (status = read_choice(in, &line, "symmetry", symmetries, &symmetry, error)) != BOSC_OK)
        return status;
    /* An edge has one real weight for both directions, so complex, skew-symmetric and hermitian matrices give their
     * pattern. */
    bool pattern = field == 4 || symmetry >= 2;
    form->weights = pattern ? BI_WEIGHTS_NONE : kinds[field];
    form->widest = pattern ? BI_WEIGHTS_NONE : widest[field];
    form->ignored = pattern ? values_per_entry[field] : 0;
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

/* Names of the columns of both vertices, in any case. */
static const char *const vertex_names[][2] = {
    {"Source", "Target"}, {"From", "To"}, {"Src", "Dst"}, {"Node1", "Node2"}, {"u", "v"}}; /* u and v: the last */
enum { VERTEX_NAMES = sizeof vertex_names / sizeof vertex_names[0] };

/* Returns the number of the column with this name; 0: there is none; -1: there are several. */
static int64_t find_named(const struct bi_line *header, char separator, int64_t unnamed, bool names, const char *name)
{
    struct bi_reason ignored;
    struct bi_columns chosen;
    if (bi_columns_choose(name, header, separator, names, unnamed, &chosen, &ignored)) return chosen.number[0];
    return chosen.repeated ? -1 : 0;
}

/* Chooses the columns of a list that names both vertices, as Gephi, igraph and OSMnx do, and a weight or none.
 * False: it has no such names, or has the columns of a list without names: both vertices, then a weight of any
 * name. The key of parallel edges is none. *repeated: a name of several columns, or NULL. */
static bool choose_columns(const struct bi_line *header, char separator, int64_t fields, int64_t unnamed,
                           struct bi_edge_form *form, const char **repeated)
{
    const bool names = form->names != NULL;
    int64_t columns[3] = {0};
    int pair = 0;
    for (; pair < VERTEX_NAMES && (!columns[0] || !columns[1]); pair++) {
        const char *const of[3] = {vertex_names[pair][0], vertex_names[pair][1], "Weight"};
        for (int c = 0; c < 3; c++) {
            columns[c] = find_named(header, separator, unnamed, names, of[c]);
            if (columns[c] < 0) *repeated = of[c];
        }
        if (!columns[0] || !columns[1]) *repeated = NULL;
    }
    if (!columns[0] || !columns[1]) return false;
    const bool in_order = columns[0] == form->index + 1 && columns[1] == form->index + 2;
    const bool swapped = columns[1] == form->index + 1 && columns[0] == form->index + 2;
    const bool positional = fields == 3 || (pair == VERTEX_NAMES && !columns[2]);
    const bool has_key = find_named(header, separator, unnamed, names, "key") != 0;
    if (positional && in_order && !has_key) return false;
    if (fields == 3 && swapped && !has_key) columns[2] = form->index + 3; /* a weight of any name */
    memcpy(form->columns, columns, sizeof columns);
    form->index = 0;
    return true;
}

/* Chooses the columns that the caller wants: both vertices, and a weight or none. header: NULL: none. */
static bool choose_wanted(const char *wanted, const struct bi_line *header, char separator, int64_t unnamed,
                          struct bi_edge_form *form, struct bi_reason *reason)
{
    struct bi_columns chosen;
    if (!bi_columns_choose(wanted, header, separator, form->names != NULL, unnamed, &chosen, reason)) return false;
    if (chosen.count < 2 || chosen.count > 3) {
        snprintf(reason->text, sizeof reason->text, "%d columns are requested, not two vertices and at most a weight",
                 (int)chosen.count);
        return false;
    }
    memset(form->columns, 0, sizeof form->columns);
    for (int64_t k = 0; k < chosen.count; k++) form->columns[k] = chosen.number[k];
    form->index = 0;
    return true;
}

/* True if a list of columns has names, not numbers alone. */
static bool has_names(const char *columns)
{
    struct bi_line list = {columns, columns + strlen(columns)}, column;
    int64_t number;
    while (bi_field_next(&list, ',', false, &column))
        if (!bi_word_count(&column, &number)) return true;
    return false;
}

/* True if a first line names the columns of vertices with names: its first two fields, behind `index` others, are
 * source and target, from and to, or the like. Other words would be vertices, also u and v. */
static bool names_vertices(struct bi_line line, char separator, int index)
{
    struct bi_line first, second;
    for (int i = 0; i < index && bi_field_next(&line, separator, true, &first); i++) continue;
    if (!bi_field_next(&line, separator, true, &first) || !bi_field_next(&line, separator, true, &second)) return false;
    for (int i = 0; i < VERTEX_NAMES - 1; i++)
        if (bi_word_is_any_case(&first, vertex_names[i][0]) && bi_word_is_any_case(&second, vertex_names[i][1]))
            return true;
    return false;
}

/* True if the third field, behind `index` others, is a number, or a word for a missing one: a weight, so no name. */
static bool has_weight(struct bi_line line, char separator, int index)
{
    struct bi_line field = {0};
    double weight;
    for (int i = 0; i < index + 3; i++)
        if (!bi_field_next(&line, separator, true, &field)) return false;
    return bi_number_read(field.begin, field.end, &weight) == field.end || bi_word_is_missing(&field);
}

/* Finds the fields of the lines by the first ones, and parses all. */
static bosc_status parse_list(const struct bi_bytes *in, struct bi_edge_form *form, bosc_edges *edges,
                              bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in), ahead = lines, behind;
    struct bi_line first, line, data = {0};
    const bosc_status status = bi_text_check(in, error);
    if (status != BOSC_OK) return status;
    if (!next_row(&ahead, &first)) return bi_edge_lines_parse(in, &lines, form, edges, error);
    /* 1. The separator, and the number of fields; data of networkx is one of them. */
    form->has_data = bi_edge_data_split(&first, &data);
    const bool names = form->names != NULL;
    char separator = bi_separator_of(first, names);
    if (separator == ',' || separator == ';' || names) form->separator = separator;
    const char between = form->separator ? separator : ' ';
    int64_t fields = bi_fields_count(first, between, names) + form->has_data, unnamed = 0;
    behind = ahead;
    /* 2. Names of columns. They have as many fields as the row below, or omit its quoted name. If no row follows, only
     * commas or semicolons make them names. */
    const bool may_be_edge = names && fields <= 3; /* names of vertices may be numbers */
    bool named = fields >= 2 && !form->has_data && bi_is_header(first, may_be_edge ? NULL : &ahead, separator);
    const bool more = named && next_row(&ahead, &line);
    if (more) form->has_data = bi_edge_data_split(&line, &data);
    if (named) /* one field more than two names may be a weight */
        form->index = (int)bi_index_columns(first, more ? &line : NULL, between, names, fields == 2, &unnamed);
    fields += unnamed;
    const char *repeated = NULL;
    const int64_t own = fields - form->index;
    if (names && named && own <= 3) { /* the first row may be an edge, but then its third field is a number */
        named = names_vertices(first, between, form->index) || unnamed ||
                (more && own == 3 && !has_weight(first, between, form->index));
        if (!named) form->index = 0;
    }
    const char *wanted = in->columns;
    struct bi_reason reason;
    named |= wanted && names && has_names(wanted);
    if (wanted && !choose_wanted(wanted, named ? &first : NULL, between, unnamed, form, &reason))
        return bi_fail_at(in, behind.number, BOSC_ERR_FORMAT, error, "%s", reason.text);
    const bool chosen = wanted || (named && own >= 3 && choose_columns(&first, between, own, unnamed, form, &repeated));
    if (repeated)
        return bi_fail_at(in, behind.number, BOSC_ERR_FORMAT, error, "several columns are named '%s'", repeated);
    if (chosen && separator == '\t') form->separator = separator; /* fields may be empty */
    /* 3. The line of names is skipped. One of numbered vertices without a choice must fit the row below, which may end
     * in an empty field. */
    const bool must_fit = named && !chosen && !names;
    if (must_fit && more)
        named = bi_fields_count(line, between, false) + form->has_data == fields ||
                (form->separator && bi_count_separators(&line, separator) > bi_count_separators(&first, separator));
    else if (must_fit)
        named = form->separator;
    if (named) lines = behind;
    /* 4. Weights, by the first edge: a column, or an attribute of the data. */
    const bool weighted = chosen ? form->columns[2] > 0 : fields - form->index - form->has_data > 2;
    form->has_data &= !wanted; /* else data is a field that was not chosen */
    form->data_weight = form->has_data && !weighted && !is_blank_line(data);
    form->named_weight = form->data_weight && bi_edge_data_has_weight(data);
    form->weights = weighted || form->data_weight ? BI_WEIGHTS_I32 : BI_WEIGHTS_NONE;
    return bi_edge_lines_parse(in, &lines, form, edges, error);
}

bosc_status bi_edge_names_parse(const struct bi_bytes *in, struct bi_edge_names *names, bosc_edges *edges,
                                bosc_io_error *error)
{
    struct bi_edge_form form = {.comments = "#%", .n = -1, .m = -1, .widest = BI_WEIGHTS_F64, .names = names};
    return parse_list(in, &form, edges, error);
}

bosc_status bi_edge_list_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error)
{
    struct bi_edge_form form = {.comments = "#%", .n = -1, .m = -1, .widest = BI_WEIGHTS_F64};
    return parse_list(in, &form, edges, error);
}

/* ---- pairs of an array ---- */

/* Converts a vertex. False: it is not from 0 to BI_EDGES_LIMIT - 1. */
static bool convert_vertex(const bosc_array *pairs, int64_t i, uint32_t *vertex)
{
    uint64_t value = 0;
    switch (pairs->dtype) {
    case BOSC_I8: value = (uint64_t)((const int8_t *)pairs->data)[i]; break;
    case BOSC_U8: value = ((const uint8_t *)pairs->data)[i]; break;
    case BOSC_I16: value = (uint64_t)((const int16_t *)pairs->data)[i]; break;
    case BOSC_U16: value = ((const uint16_t *)pairs->data)[i]; break;
    case BOSC_I32: value = (uint64_t)((const int32_t *)pairs->data)[i]; break;
    case BOSC_U32: value = ((const uint32_t *)pairs->data)[i]; break;
    default: value = ((const uint64_t *)pairs->data)[i]; break; /* a negative one is beyond the limit */
    }
    *vertex = (uint32_t)value;
    return value < (uint64_t)BI_EDGES_LIMIT;
}

/* Makes edges of an array of pairs; n becomes the largest vertex + 1. */
static bosc_status convert_pairs(const char *name, const bosc_array *pairs, bosc_edges *edges, bosc_io_error *error)
{
    const int64_t m = pairs->shape[0];
    const bool integers = pairs->dtype != BOSC_F32 && pairs->dtype != BOSC_F64;
    if (pairs->rank != 2 || pairs->shape[1] != 2 || !integers || m > BI_EDGES_LIMIT)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not pairs of vertices: an array (m, 2) of integers", name);
    bosc_status status = bi_edges_new(name, BI_WEIGHTS_NONE, m, edges, error);
    if (status != BOSC_OK) return status;
    for (int64_t i = 0; i < m; i++) {
        uint32_t *u = edges->u + i, *v = edges->v + i;
        if (!convert_vertex(pairs, 2 * i, u) || !convert_vertex(pairs, 2 * i + 1, v)) {
            bosc_edges_free(edges);
            return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: row %lld: a vertex is not from 0 to %lld", name,
                              (long long)i, (long long)BI_EDGES_LIMIT - 1);
        }
        if (*u >= edges->n) edges->n = (int64_t)*u + 1;
        if (*v >= edges->n) edges->n = (int64_t)*v + 1;
    }
    edges->m = m;
    return BOSC_OK;
}

static bosc_status parse_pairs(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error)
{
    bosc_array pairs = {0};
    bosc_status status = bi_npy_parse(in, &pairs, error);
    if (status == BOSC_OK) status = convert_pairs(in->name, &pairs, edges, error);
    bosc_array_free(&pairs);
    return status;
}

/* ---- formats ---- */

static bool begins(const struct bi_bytes *in, const char *text)
{
    size_t length = strlen(text);
    return in->size >= length && strncasecmp(in->data, text, length) == 0;
}

/* Returns the format by the first bytes, after blanks; else a list if columns are chosen. */
static enum bi_edges_format format_of_bytes(const struct bi_bytes *in)
{
    if (bi_structure_is(BI_STRUCTURE_graph, in)) return BI_EDGES_SAVED;
    if (begins(in, "%%MatrixMarket")) return BI_EDGES_MTX;
    if (bi_npy_is(in)) return BI_EDGES_NPY;
    const char *p = in->data, *end = in->data + in->size;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
    if (p == end) {
        if (in->backing) in->backing->whole_needed = true; /* more than blanks may follow */
        return BI_EDGES_UNKNOWN;
    }
    bool word = p + 1 == end || p[1] == ' ' || p[1] == '\t' || p[1] == '\r' || p[1] == '\n';
    if ((*p == 'c' || *p == 'p') && word) return BI_EDGES_GR;
    const bool is_list = *p == '#' || (*p >= '0' && *p <= '9') || (in->columns && !bi_structure_name(in));
    return is_list ? BI_EDGES_LIST : BI_EDGES_UNKNOWN; /* no other format has columns to choose */
}

enum bi_edges_format bi_edges_format_of(const char *path, const struct bi_bytes *in)
{
    static const struct {
        const char *ending;
        enum bi_edges_format format;
    } endings[] = {{".gr", BI_EDGES_GR},    {".mtx", BI_EDGES_MTX},     {".txt", BI_EDGES_LIST},
                   {".el", BI_EDGES_LIST},  {".snap", BI_EDGES_LIST},   {".tsv", BI_EDGES_LIST},
                   {".csv", BI_EDGES_LIST}, {".graph", BI_EDGES_METIS}, {".metis", BI_EDGES_METIS}};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (bi_path_ends_in(path, endings[i].ending)) return endings[i].format;
    if (in) return format_of_bytes(in);
    return bi_path_ends_in(path, ".bosc") ? BI_EDGES_SAVED : BI_EDGES_UNKNOWN;
}

bosc_status bi_edges_parse(enum bi_edges_format format, const struct bi_bytes *in, bosc_edges *edges,
                           bosc_io_error *error)
{
    switch (format) {
    case BI_EDGES_GR: return bi_gr_parse(in, edges, error);
    case BI_EDGES_MTX: return bi_mtx_parse(in, edges, error);
    case BI_EDGES_LIST: return bi_edge_list_parse(in, edges, error);
    case BI_EDGES_METIS: return bi_metis_parse(in, edges, error);
    case BI_EDGES_NPY: return parse_pairs(in, edges, error);
    case BI_EDGES_SAVED: return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: a saved graph, not a list of edges", in->name);
    case BI_EDGES_UNKNOWN: break;
    }
    const char *structure = bi_structure_name(in);
    if (structure) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: a saved %s, not a graph", in->name, structure);
    return bi_io_fail(
        error, BOSC_ERR_FORMAT,
        "%s: not a graph by its ending (.gr, .mtx, .txt, .el, .snap, .tsv, .csv, .graph, .metis, .npy, .bosc) or "
        "first bytes",
        in->name);
}

/* ---- public functions ---- */

static bosc_status read_columns(const char *path, const char *columns, bosc_edges *edges, bosc_io_error *error)
{
    struct bi_file file;
    bosc_edges fresh = {0};
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    file.bytes.columns = columns;
    do status = bi_edges_parse(bi_edges_format_of(path, &file.bytes), &file.bytes, &fresh, error);
    while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *edges = fresh;
    else
        bosc_edges_free(&fresh);
    return status;
}

bosc_status bosc_edges_read(const char *path, bosc_edges *edges, bosc_io_error *error)
{
    BI_IO_ENTER;
    return read_columns(path, NULL, edges, error);
}

bosc_status bosc_edges_read_columns(const char *path, const char *columns, bosc_edges *edges, bosc_io_error *error)
{
    BI_IO_ENTER;
    return read_columns(path, columns, edges, error);
}

/* Reads the edges of an open file. All of its lines are one chunk, so that names are numbered in their order. */
static bosc_status parse_names(const struct bi_file *file, struct bi_edge_names *names, bosc_edges *edges,
                               bosc_io_error *error)
{
    struct bi_bytes in = file->bytes;
    const enum bi_edges_format format = bi_edges_format_of(in.name, NULL);
    in.chunk_bytes = in.size + 1;
    if (format == BI_EDGES_LIST || format == BI_EDGES_UNKNOWN) return bi_edge_names_parse(&in, names, edges, error);
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: vertices have numbers in this format, not names", in.name);
}

bosc_status bosc_edges_read_names(const char *path, const char *columns, bosc_edges *edges, bosc_names *names,
                                  bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    struct bi_edge_names fresh_names = {.used = 0};
    bosc_edges fresh = {0};
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    if (!names) return bi_io_fail(error, BOSC_ERR_ARG, "names: NULL");
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    file.bytes.columns = columns;
    status = parse_names(&file, &fresh_names, &fresh, error);
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK) {
        *edges = fresh;
        *names = fresh_names.list;
        fresh_names.list = (bosc_names){0};
    } else {
        bosc_edges_free(&fresh);
    }
    bi_edge_names_free(&fresh_names);
    return status;
}

/* Trims edges to the slice, after reading the whole file. */
static void trim_to_slice(bosc_slice *slice, bosc_edges *edges)
{
    const size_t each = bosc_dtype_size(edges->dtype);
    const int64_t m = bi_slice_set_range(slice, edges->m);
    const size_t at = (size_t)slice->begin, count = (size_t)m;
    if (count) {
        memmove(edges->u, edges->u + at, count * sizeof *edges->u);
        memmove(edges->v, edges->v + at, count * sizeof *edges->v);
        if (edges->weights) memmove(edges->weights, (char *)edges->weights + at * each, count * each);
    }
    edges->m = m;
    bi_edges_shrink(edges);
}

static bosc_status parse_slice(const char *path, struct bi_file *file, bosc_slice *slice, bosc_edges *edges,
                               bosc_io_error *error)
{
    const enum bi_edges_format format = bi_edges_format_of(path, &file->bytes);
    file->bytes.slice = format == BI_EDGES_METIS || format == BI_EDGES_NPY ? NULL : slice;
    const bosc_status status = bi_edges_parse(format, &file->bytes, edges, error);
    if (status == BOSC_OK && !file->bytes.slice) trim_to_slice(slice, edges);
    return status;
}

bosc_status bosc_edges_read_slice(const char *path, const char *columns, bosc_slice *slice, bosc_edges *edges,
                                  bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_edges list = {0};
    bosc_status status = bi_slice_check(slice, error);
    if (status != BOSC_OK) return status;
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    if ((status = bi_file_open_head(path, &file, error)) != BOSC_OK) return bi_io_end(status, error);
    file.bytes.columns = columns;
    do status = parse_slice(path, &file, slice, &list, error);
    while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *edges = list;
    else
        bosc_edges_free(&list);
    return status;
}

bosc_status bosc_graph_or_edges_read(bosc_ctx *ctx, const char *path, const char *columns, bosc_graph **graph,
                                     bosc_edges *edges, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    void *fresh = NULL;
    bosc_edges list = {0};
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!graph) return bi_io_fail(error, BOSC_ERR_ARG, "graph: NULL");
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    file.bytes.columns = columns;
    /* Only one of `fresh` and `list` is set. */
    if (bi_structure_is(BI_STRUCTURE_graph, &file.bytes))
        status = bi_structure_parse(BI_STRUCTURE_graph, ctx, &file.bytes, &fresh, error);
    else
        do status = bi_edges_parse(bi_edges_format_of(path, &file.bytes), &file.bytes, &list, error);
        while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK && fresh) *graph = fresh;
    if (status == BOSC_OK && !fresh) *edges = list;
    if (status != BOSC_OK) bosc_graph_free(fresh);
    if (status != BOSC_OK) bosc_edges_free(&list);
    return status;
}
