/* Parses lines of edges in parallel. Each thread parses a chunk of the text into its own memory. Once the edges of the
 * earlier chunks are counted, it copies its edges to their final position. */
#include "io/graph/parse_edges.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/chunks.h"
#include "io/file/file.h"
#include "io/graph/edge_names.h"
#include "io/text/number.h"
#include "io/text/row.h"

/* ---- any line, with its errors ---- */

/* A line being read, and the outputs of a failure. */
struct line_reader {
    const struct bi_edge_form *form;
    struct bi_line remainder, data; /* data: of networkx; NULL: the line has none */
    bosc_status *status;
    struct bi_reason *reason;
    struct bi_line chosen[3]; /* with columns: fields; begin: NULL: missing */
    int chosen_count;         /* fields read of them; -1: fields are read in order */
};

__attribute__((format(printf, 3, 4))) static enum bi_line_kind refuse(const struct line_reader *r, bosc_status status,
                                                                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->reason->text, sizeof r->reason->text, format, args);
    va_end(args);
    *r->status = status;
    return BI_LINE_BAD;
}

static bool next_field(struct line_reader *r, char separator, struct bi_line *field)
{
    return bi_field_next(&r->remainder, separator, r->form->names != NULL, field);
}

static bool next_word(struct line_reader *r, struct bi_line *word)
{
    if (r->chosen_count >= 0) {
        if (r->chosen_count == 3) return false;
        *word = r->chosen[r->chosen_count++];
        return word->begin != NULL;
    }
    if (!r->form->separator) /* a comment may end a line of the formats that have lines of `#` */
        return bi_word_next(&r->remainder, word) && (*word->begin != '#' || !strchr(r->form->comments, '#'));
    return next_field(r, r->form->separator, word);
}

/* Finds the fields of the form's columns, which are read next. */
static void choose_fields(struct line_reader *r)
{
    struct bi_line field;
    const char between = r->form->separator ? r->form->separator : ' ';
    for (int64_t number = 1; next_field(r, between, &field); number++)
        for (int k = 0; k < 3; k++)
            if (r->form->columns[k] == number) r->chosen[k] = field;
    r->chosen_count = 0;
}

/* Reads a vertex of a list that is written as a real: as 1.0, as pandas does in columns with missing values, or as
 * 1.0e+00, as numpy.savetxt and MATLAB do. */
static enum bi_line_kind read_real_vertex(struct line_reader *r, struct bi_line word, uint64_t *value)
{
    const struct bi_quoted quoted = bi_quote(word.begin, word.end);
    const bool is_list = r->form->n < 0;
    const char *at = word.begin, *zeros;
    double real;
    /* 1. Digits, a point with zeros, or others. */
    while (at < word.end && *at >= '0' && *at <= '9') at++;
    struct bi_line whole = {word.begin, at};
    if (at < word.end && *at == '.') at++;
    for (zeros = at; zeros < word.end && *zeros == '0';) zeros++;
    if (is_list && zeros == word.end && bi_word_digits(&whole, value)) return BI_LINE_EDGE;
    while (at < word.end && *at >= '0' && *at <= '9') at++;
    /* 2. Without an exponent the digits decide, as a double may have rounded a fraction away. */
    const bool has_exponent = at < word.end && (*at == 'e' || *at == 'E');
    if (!is_list || whole.begin == whole.end || (!has_exponent && at < word.end) ||
        bi_number_read(word.begin, word.end, &real) != word.end)
        return refuse(r, BOSC_ERR_FORMAT, "%s is not a vertex", quoted.text);
    if (!has_exponent || real != floor(real))
        return refuse(r, BOSC_ERR_FORMAT, "the vertex %s is no integer", quoted.text);
    *value = real < 0x1p63 ? (uint64_t)real : UINT64_MAX;
    return BI_LINE_EDGE;
}

/* Sets *vertex to the number of a name. */
static enum bi_line_kind read_name(struct line_reader *r, const char *which, struct bi_line word, int64_t *vertex)
{
    if (word.begin == word.end) return refuse(r, BOSC_ERR_FORMAT, "the name of the %s vertex is empty", which);
    if (memchr(word.begin, '\0', (size_t)(word.end - word.begin)))
        return refuse(r, BOSC_ERR_FORMAT, "the name of the %s vertex has a zero byte", which);
    *vertex = bi_edge_names_find(r->form->names, word.begin, word.end);
    if (*vertex < 0) return refuse(r, BOSC_ERR_NOMEM, "out of memory for the names");
    if (*vertex >= BI_EDGES_LIMIT)
        return refuse(r, BOSC_ERR_LIMIT, "more than %lld names of vertices", (long long)BI_EDGES_LIMIT);
    return BI_LINE_EDGE;
}

static enum bi_line_kind read_vertex(struct line_reader *r, const char *which, int64_t *vertex)
{
    struct bi_line word;
    uint64_t value;
    const struct bi_edge_form *form = r->form;
    uint64_t first = (uint64_t)form->first, limit = (uint64_t)(form->n < 0 ? BI_EDGES_LIMIT : form->n);
    if (!next_word(r, &word)) return refuse(r, BOSC_ERR_FORMAT, "the %s vertex is missing", which);
    if (form->names) return read_name(r, which, word, vertex);
    struct bi_quoted quoted = bi_quote(word.begin, word.end);
    if (!bi_word_digits(&word, &value) && read_real_vertex(r, word, &value) != BI_LINE_EDGE) return BI_LINE_BAD;
    if (value - first < limit && value >= first) {
        *vertex = (int64_t)(value - first);
        return BI_LINE_EDGE;
    }
    if (limit == 0) return refuse(r, BOSC_ERR_FORMAT, "vertex %s of a graph without vertices", quoted.text);
    return refuse(r, BOSC_ERR_FORMAT, "vertex %s is not from %" PRIu64 " to %" PRIu64, quoted.text, first,
                  limit - 1 + first);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static struct bi_line trim(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin)) begin++;
    while (end > begin && is_blank(end[-1])) end--;
    return (struct bi_line){begin, end};
}

bool bi_edge_data_split(struct bi_line *line, struct bi_line *data)
{
    const struct bi_line whole = trim(line->begin, line->end);
    if (whole.begin == whole.end || whole.end[-1] != '}') return false;
    const char *brace = memchr(whole.begin, '{', (size_t)(whole.end - whole.begin));
    if (!brace) return false;
    *data = (struct bi_line){brace + 1, whole.end - 1};
    *line = trim(line->begin, brace);
    if (line->end > line->begin && (line->end[-1] == ',' || line->end[-1] == ';')) line->end--;
    return true;
}

static const char ONE[] = "1", ZERO[] = "0"; /* the weight of an edge without one, and of False */

/* Returns the number in a value of Python: that of np.float64(0.5), 1 for True and 0 for False. */
static struct bi_line find_number(struct bi_line value)
{
    const char *open = memchr(value.begin, '(', (size_t)(value.end - value.begin));
    if (open && value.end[-1] == ')' && value.end - value.begin > 3 && memcmp(value.begin, "np.", 3) == 0)
        value = trim(open + 1, value.end - 1);
    if (bi_word_is(&value, "True")) return (struct bi_line){ONE, ONE + 1};
    if (bi_word_is(&value, "False")) return (struct bi_line){ZERO, ZERO + 1};
    return value;
}

/* Finds the weight in the data of networkx, the text of a dict: the attribute `weight` (*named), or the only one. */
static bool find_weight(struct bi_line data, struct bi_line *weight, bool *named)
{
    int64_t count = 0;
    *named = false;
    for (const char *p = data.begin; p < data.end && !*named; p++) {
        const char *begin = p, *colon = NULL;
        char quote = 0;
        int depth = 0; /* of brackets */
        /* 1. The colon and the end of an attribute. */
        for (; p < data.end && (quote || depth || *p != ','); p++) {
            if (quote && *p == '\\' && p + 1 < data.end)
                p++; /* an escaped quote ends no text */
            else if (quote)
                quote = *p == quote ? 0 : quote;
            else if (*p == '\'' || *p == '"')
                quote = *p;
            else if (*p == '(' || *p == '[' || *p == '{')
                depth++;
            else if (*p == ')' || *p == ']' || *p == '}')
                depth--;
            else if (*p == ':' && !colon)
                colon = p;
        }
        if (!colon) return false;
        /* 2. Its name and value. */
        const struct bi_line name = trim(begin, colon);
        *weight = find_number(trim(colon + 1, p));
        *named = name.end - name.begin == 8 && memcmp(name.begin + 1, "weight", 6) == 0;
        count++;
    }
    return *named || count == 1;
}

bool bi_edge_data_has_weight(struct bi_line data)
{
    struct bi_line weight;
    bool named;
    return find_weight(data, &weight, &named) && named;
}

/* True for a word of digits, an integer, other than the double that was read from it. */
static bool is_rounded(struct bi_line word, double real)
{
    char text[320]; /* the largest double has 309 digits */
    uint64_t size;
    if (word.begin < word.end && (*word.begin == '-' || *word.begin == '+')) word.begin++;
    if (!bi_word_digits(&word, &size) || size >> 53 == 0) return false; /* 2^64 - 1 stands for more */
    while (*word.begin == '0') word.begin++;
    const int length = snprintf(text, sizeof text, "%.0f", fabs(real));
    return length != word.end - word.begin || memcmp(text, word.begin, (size_t)length) != 0;
}

static enum bi_line_kind read_weight(struct line_reader *r, struct bi_edge *edge)
{
    struct bi_line word;
    int64_t integer;
    double real;
    const struct bi_edge_form *form = r->form;
    /* 1. An integer. */
    if (form->data_weight) {
        bool named;
        const bool found = find_weight(r->data, &word, &named);
        if (named && !form->named_weight) return BI_LINE_NAMED; /* the edges before it have another attribute */
        if (form->named_weight && !named && r->data.begin)
            word = (struct bi_line){ONE, ONE + 1}; /* as networkx has it */
        else if (!found)
            return refuse(r, BOSC_ERR_FORMAT, "the data has no attribute 'weight'");
    }
    if (!form->data_weight && !next_word(r, &word)) return refuse(r, BOSC_ERR_FORMAT, "the weight is missing");
    if (form->weights != BI_WEIGHTS_F64 && bi_word_integer(&word, &integer)) {
        if (form->weights == BI_WEIGHTS_I32 && integer != (int32_t)integer) return BI_LINE_WIDER;
        edge->weight.integer = integer;
        return BI_LINE_EDGE;
    }
    /* 2. A real. */
    struct bi_quoted quoted = bi_quote(word.begin, word.end);
    if (bi_number_read(word.begin, word.end, &real) != word.end)
        return refuse(r, BOSC_ERR_FORMAT, "the weight %s is not a number", quoted.text);
    if (real != real) return refuse(r, BOSC_ERR_DATA, "the weight is NaN");
    if (bi_number_is_beyond(word.begin, real))
        return refuse(r, BOSC_ERR_DATA, "the weight %s is beyond the range of f8", quoted.text);
    uint64_t digits;
    if (form->widest != BI_WEIGHTS_F64 && bi_word_digits(&word, &digits))
        return refuse(r, BOSC_ERR_FORMAT, "the weight %s exceeds 2^63 - 1; a real matrix may have it", quoted.text);
    if (form->widest != BI_WEIGHTS_F64)
        return refuse(r, BOSC_ERR_FORMAT, "the weight %s is not a signed integer of 64 bits", quoted.text);
    if (form->weights != BI_WEIGHTS_F64) return BI_LINE_WIDER;
    if (form->widened && is_rounded(word, real))
        return refuse(r, BOSC_ERR_DATA,
                      "the weight %s would be rounded: others make all weights reals (a fraction, an exponent, or 2^63 "
                      "and more); a point behind it permits that",
                      quoted.text);
    edge->weight.real = real;
    return BI_LINE_EDGE;
}

static enum bi_line_kind skip_number(struct line_reader *r)
{
    struct bi_line word;
    double value;
    if (!next_word(r, &word)) return refuse(r, BOSC_ERR_FORMAT, "a number of the entry is missing");
    if (bi_number_read(word.begin, word.end, &value) == word.end) return BI_LINE_EDGE;
    return refuse(r, BOSC_ERR_FORMAT, "%s is not a number", bi_quote(word.begin, word.end).text);
}

enum bi_line_kind bi_edge_line_read(const struct bi_edge_form *form, struct bi_line line, struct bi_edge *edge,
                                    bosc_status *status, struct bi_reason *reason)
{
    struct line_reader r = {.form = form, .remainder = line, .status = status, .reason = reason, .chosen_count = -1};
    const char tag[2] = {form->tag};
    if (form->has_data) bi_edge_data_split(&r.remainder, &r.data);
    const struct line_reader whole = r;
    struct bi_line word;
    enum bi_line_kind kind;
    const bool has_word = next_word(&r, &word);
    const struct bi_line content = trim(line.begin, line.end); /* with quotes, behind which no comment begins */
    if (content.begin < content.end && *content.begin && strchr(form->comments, *content.begin)) return BI_LINE_EMPTY;
    if (!has_word && r.data.begin) return refuse(&r, BOSC_ERR_FORMAT, "data without vertices before it");
    if (!has_word) return BI_LINE_EMPTY;
    /* 1. The tag. */
    if (!form->tag) r = whole;
    if (form->tag && bi_word_is(&word, "p")) return refuse(&r, BOSC_ERR_FORMAT, "a second line of the problem");
    if (form->tag && !bi_word_is(&word, tag))
        return refuse(&r, BOSC_ERR_FORMAT, "%s begins no line of a graph (c, p, %s do)",
                      bi_quote(word.begin, word.end).text, tag);
    /* 2. Fields to skip, the vertices, the weight, and numbers to skip. */
    const char between = form->separator ? form->separator : ' ';
    if (form->columns[0]) choose_fields(&r);
    for (int i = 0; i < form->index && next_field(&r, between, &word); i++) continue; /* quoted blanks */
    if ((kind = read_vertex(&r, "first", &edge->u)) != BI_LINE_EDGE) return kind;
    if ((kind = read_vertex(&r, "second", &edge->v)) != BI_LINE_EDGE) return kind;
    if (form->weights != BI_WEIGHTS_NONE && (kind = read_weight(&r, edge)) != BI_LINE_EDGE) return kind;
    for (int i = 0; i < form->ignored; i++)
        if ((kind = skip_number(&r)) != BI_LINE_EDGE) return kind;
    bool more = next_word(&r, &word);
    const bool is_weighted = form->weights == BI_WEIGHTS_NONE && form->has_data && bi_edge_data_has_weight(r.data);
    if (!more && is_weighted) return BI_LINE_WIDER; /* the edges before it have none */
    if (!more && !form->data_weight) more = bi_word_next(&r.data, &word);
    if (more) return refuse(&r, BOSC_ERR_FORMAT, "%s is one word too many", bi_quote(word.begin, word.end).text);
    return BI_LINE_EDGE;
}

/* ---- lines in parallel ---- */

/* Result of a chunk. */
struct batch {
    bosc_edges edges; /* counts unused */
    int64_t capacity, count;
    int64_t lines;      /* number of lines read; the last one may have failed */
    int64_t max_vertex; /* -1: no edge */
    int64_t position;   /* of its first edge among all edges */
    bool wider;         /* a weight needs a wider type */
    bool named;         /* an attribute is named `weight`, which the form does not know */
    bosc_status status;
    struct bi_reason reason;
};

/* Joined result of all chunks. */
struct reading {
    const struct bi_bytes *in;
    const struct bi_edge_form *form;
    const struct bi_chunks *chunks;
    bosc_edges edges; /* m: number of edges in the joined chunks */
    int64_t capacity;
    bool grows;        /* false: the arrays hold all edges that the header declares, and do not move */
    bool wider, named; /* as in the batch that ended the reading */
    int64_t lines, max_vertex;
};

/* Parses the lines of a chunk, up to `limit` edges, for which batch->edges has room. Stops behind the first bad line
 * (batch->status), or one that needs another form (batch->wider, batch->named); both count as lines. `tagged` and
 * `weights` are constants of the callers, so the loop is compiled for each combination. */
BI_INLINE void parse_specialised(struct batch *batch, const struct bi_edge_form *form, const struct bi_chunk *chunk,
                                 bool tagged, enum bi_weights weights, int64_t limit)
{
    const char *next = chunk->begin, *end = chunk->end;
    const uint64_t first = (uint64_t)form->first;
    /* Lines with other fields, data or tags are left to the general parser: with a limit of 0 the fast one declines
     * every vertex. */
    const uint64_t vertex_limit =
        form->names || form->ignored || form->index || form->columns[0] || form->data_weight || form->tag == 'e'
            ? 0
            : (uint64_t)(form->n < 0 ? BI_EDGES_LIMIT : form->n);
    const char separator = form->separator;
    int64_t lines = 0, count = 0, max_vertex = -1;
    uint32_t *u = batch->edges.u, *v = batch->edges.v;
    void *w = batch->edges.weights;
    bool wider = false, named = false;
    struct bi_lines remainder = {.next = next, .end = end};
    while (next < end && count < limit) {
        struct bi_edge edge;
        /* 1. Parse a line. */
        lines++;
        if (!bi_edge_line_fast(&next, end, tagged, weights, separator, first, vertex_limit, &edge)) {
            struct bi_line text;
            remainder.next = next;
            bi_lines_next(&remainder, &text);
            enum bi_line_kind kind = bi_edge_line_read(form, text, &edge, &batch->status, &batch->reason);
            next = remainder.next;
            if (kind == BI_LINE_EMPTY) continue;
            wider = kind == BI_LINE_WIDER;
            named = kind == BI_LINE_NAMED;
            if (kind != BI_LINE_EDGE) break;
        }
        /* 2. Store the edge. */
        u[count] = (uint32_t)edge.u;
        v[count] = (uint32_t)edge.v;
        if (weights == BI_WEIGHTS_I32) ((int32_t *)w)[count] = (int32_t)edge.weight.integer;
        if (weights == BI_WEIGHTS_I64) ((int64_t *)w)[count] = edge.weight.integer;
        if (weights == BI_WEIGHTS_F64) ((double *)w)[count] = edge.weight.real;
        if (edge.u > max_vertex) max_vertex = edge.u;
        if (edge.v > max_vertex) max_vertex = edge.v;
        count++;
    }
    batch->lines = lines;
    batch->wider = wider;
    batch->named = named;
    batch->count = count;
    batch->max_vertex = max_vertex;
}

static void parse_lines(struct batch *batch, const struct bi_edge_form *form, const struct bi_chunk *chunk,
                        int64_t limit)
{
    if (form->tag == 'a') {
        switch (form->weights) {
        case BI_WEIGHTS_NONE: return; /* unreached: such lines have weights */
        case BI_WEIGHTS_I32: parse_specialised(batch, form, chunk, true, BI_WEIGHTS_I32, limit); return;
        case BI_WEIGHTS_I64: parse_specialised(batch, form, chunk, true, BI_WEIGHTS_I64, limit); return;
        case BI_WEIGHTS_F64: parse_specialised(batch, form, chunk, true, BI_WEIGHTS_F64, limit); return;
        }
    }
    switch (form->weights) {
    case BI_WEIGHTS_NONE: parse_specialised(batch, form, chunk, false, BI_WEIGHTS_NONE, limit); return;
    case BI_WEIGHTS_I32: parse_specialised(batch, form, chunk, false, BI_WEIGHTS_I32, limit); return;
    case BI_WEIGHTS_I64: parse_specialised(batch, form, chunk, false, BI_WEIGHTS_I64, limit); return;
    case BI_WEIGHTS_F64: parse_specialised(batch, form, chunk, false, BI_WEIGHTS_F64, limit); return;
    }
}

static size_t weight_size(const struct bi_edge_form *form)
{
    return form->weights == BI_WEIGHTS_NONE ? 0 : form->weights == BI_WEIGHTS_I32 ? 4 : 8;
}

static void parse_chunk(void *own, const void *all, const struct bi_chunk *chunk)
{
    struct batch *batch = own;
    const struct reading *r = all;
    int64_t capacity = (chunk->end - chunk->begin + 1) / 4; /* the shortest line: "1 2\n" */
    batch->status = BOSC_OK;
    batch->count = 0;
    if (!bi_edges_reserve(&batch->edges, weight_size(r->form), &batch->capacity, capacity))
        batch->status = bi_numbers_refuse(&batch->reason);
    else
        parse_lines(batch, r->form, chunk, INT64_MAX);
}

/* Copies the edges of a chunk to their position. */
static void copy_edges(void *own, void *all)
{
    const struct batch *batch = own;
    const struct reading *r = all;
    size_t each = weight_size(r->form), position = (size_t)batch->position, n = (size_t)batch->count;
    if (n == 0) return;
    memcpy(r->edges.u + position, batch->edges.u, n * sizeof *r->edges.u);
    memcpy(r->edges.v + position, batch->edges.v, n * sizeof *r->edges.v);
    if (each) memcpy((char *)r->edges.weights + position * each, batch->edges.weights, n * each);
}

/* Fails with "NAME:LINE: reason", for a line counted from the first chunk read. */
static bosc_status fail_at(const struct reading *r, int64_t line, bosc_status status, const char *reason,
                           bosc_io_error *error)
{
    const int number = bi_chunks_count_lines_before(r->chunks, &line);
    return number ? bi_bytes_fail(r->in, number, error) : bi_fail_at(r->in, line, status, error, "%s", reason);
}

/* Reserves the position of a chunk's edges. Chunks come in order, so the first bad line, or the first edge beyond the
 * number in the header, is reported. */
static bosc_status join_chunk(void *own, void *all, const struct bi_chunk *chunk, bosc_io_error *error)
{
    struct batch *batch = own;
    struct reading *r = all;
    const int64_t m = r->form->m, after = r->edges.m + batch->count;
    if (m >= 0 && after > m) {
        parse_lines(batch, r->form, chunk, m - r->edges.m + 1); /* again, up to the extra edge, for its line */
        snprintf(batch->reason.text, sizeof batch->reason.text, "more than the %lld edges that the header declares",
                 (long long)m);
        return fail_at(r, r->lines + batch->lines, BOSC_ERR_FORMAT, batch->reason.text, error);
    }
    if (batch->status != BOSC_OK) return fail_at(r, r->lines + batch->lines, batch->status, batch->reason.text, error);
    r->wider = batch->wider;
    r->named = batch->named;
    if (r->wider || r->named) return BOSC_ERR_FORMAT; /* the caller parses again in another form */
    if (r->grows && !bi_edges_reserve(&r->edges, weight_size(r->form), &r->capacity, after))
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %lld edges", r->in->name, (long long)after);
    batch->position = r->edges.m;
    r->edges.m = after;
    r->lines += batch->lines;
    if (batch->max_vertex > r->max_vertex) r->max_vertex = batch->max_vertex;
    if (r->grows) copy_edges(own, all);
    return BOSC_OK;
}

static void free_batch(void *own) { bosc_edges_free(&((struct batch *)own)->edges); }

static bosc_status read_all(const struct bi_chunks *chunks, struct reading *r, bosc_io_error *error)
{
    const int64_t room = (int64_t)((chunks->end - chunks->begin + 1) / 4), m = r->form->m;
    /* A header that declares more edges than the text can hold must not size the arrays. */
    r->grows = m < 0 || m > room || r->in->slice;
    bosc_status status = bi_edges_new(r->in->name, r->form->weights, r->grows ? 0 : m, &r->edges, error);
    if (status != BOSC_OK) return status;
    const struct bi_chunk_parser parser = {sizeof(struct batch), parse_chunk, join_chunk, r->grows ? NULL : copy_edges,
                                           free_batch};
    status = bi_chunks_parse(chunks, &parser, r, error);
    if (status != BOSC_OK) return status;
    if (r->edges.m < m && !r->in->slice)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: ends after %lld of %lld edges", r->in->name,
                          (long long)r->edges.m, (long long)m);
    if (r->edges.m > BI_EDGES_LIMIT)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: too many edges", r->in->name); /* unreached: 16 GB of text */
    return bi_bytes_unchanged(r->in, error);
}

bosc_status bi_edge_lines_parse(const struct bi_bytes *in, const struct bi_lines *lines,
                                const struct bi_edge_form *form, bosc_edges *edges, bosc_io_error *error)
{
    const struct bi_chunks chunks = bi_chunks_split(in, lines);
    struct bi_edge_form attempt = *form;
    if (bi_bytes_whole_needed(in))
        return BOSC_ERR_FORMAT; /* the first lines are not in memory; the caller loads them and tries again */
    /* Parse with the next wider type until all weights fit, and with the name `weight` if an attribute has it. */
    for (;;) {
        struct reading r = {.in = in, .form = &attempt, .chunks = &chunks, .lines = lines->number, .max_vertex = -1};
        bosc_status status = read_all(&chunks, &r, error);
        if (status == BOSC_OK) {
            r.edges.n = attempt.n < 0 ? r.max_vertex + 1 : attempt.n;
            bi_edges_shrink(&r.edges);
            /* The edges before the slice were not counted. */
            if (in->slice) in->slice->begin = -1, in->slice->rows = form->m;
            *edges = r.edges;
            return BOSC_OK;
        }
        bosc_edges_free(&r.edges);
        if (!r.wider && !r.named) return status;
        if (r.named || attempt.weights == BI_WEIGHTS_NONE) attempt.data_weight = attempt.named_weight = true;
        if (r.wider) attempt.weights++;
        attempt.widened = form->n < 0 && attempt.weights == BI_WEIGHTS_F64;
    }
}
