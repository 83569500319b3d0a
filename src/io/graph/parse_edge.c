/* Parses a line of an edge in any allowed form, and reports errors in it. */
#include "io/graph/parse_edge.h"
#include "io/text/fields.h"
#include "io/text/number.h"
#include "io/text/row.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A line being read, and the place for the failure. */
struct reading {
    const struct bi_edge_form *form;
    struct bi_line remainder;
    bosc_status *status;
    struct bi_reason *reason;
};

__attribute__((format(printf, 3, 4))) static enum bi_line_kind refuse(const struct reading *r, bosc_status status,
                                                                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->reason->text, sizeof r->reason->text, format, args);
    va_end(args);
    *r->status = status;
    return BI_LINE_BAD;
}

bool bi_word_next(struct bi_line *line, struct bi_line *word)
{
    const char *p = line->begin;
    while (p < line->end && (*p == ' ' || *p == '\t')) p++;
    word->begin = p;
    while (p < line->end && *p != ' ' && *p != '\t') p++;
    word->end = line->begin = p;
    return word->end > word->begin;
}

/* Reads the digits of [p, end), saturated at UINT64_MAX; false for none or for other characters. */
static bool read_digits(const char *p, const char *end, uint64_t *value)
{
    *value = 0;
    if (p == end) return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9') return false;
        *value = *value > (UINT64_MAX - 9) / 10 ? UINT64_MAX : *value * 10 + (uint64_t)(*p - '0');
    }
    return true;
}

bool bi_word_integer(const struct bi_line *word, int64_t *value)
{
    uint64_t size;
    const char *p = word->begin;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (!read_digits(p, word->end, &size) || size > (uint64_t)INT64_MAX + negative) return false;
    *value = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

static bool next_word(struct reading *r, struct bi_line *word)
{
    return r->form->separator ? bi_field_next(&r->remainder, r->form->separator, word)
                              : bi_word_next(&r->remainder, word);
}

static enum bi_line_kind read_vertex(struct reading *r, const char *which, int64_t *vertex)
{
    struct bi_line word;
    uint64_t value;
    const struct bi_edge_form *form = r->form;
    uint64_t first = (uint64_t)form->first, limit = (uint64_t)(form->n < 0 ? BI_EDGES_LIMIT : form->n);
    if (!next_word(r, &word)) return refuse(r, BOSC_ERR_FORMAT, "the %s vertex is missing", which);
    struct bi_quoted quoted = bi_quote(word.begin, word.end);
    if (!read_digits(word.begin, word.end, &value))
        return refuse(r, BOSC_ERR_FORMAT, "%s is not a vertex", quoted.text);
    if (value - first < limit && value >= first) {
        *vertex = (int64_t)(value - first);
        return BI_LINE_EDGE;
    }
    if (limit == 0) return refuse(r, BOSC_ERR_FORMAT, "vertex %s of a graph without vertices", quoted.text);
    return refuse(r, BOSC_ERR_FORMAT, "vertex %s is not from %" PRIu64 " to %" PRIu64, quoted.text, first,
                  limit - 1 + first);
}

static enum bi_line_kind read_weight(struct reading *r, struct bi_edge *edge)
{
    struct bi_line word;
    int64_t integer;
    double real;
    const struct bi_edge_form *form = r->form;
    if (!next_word(r, &word)) return refuse(r, BOSC_ERR_FORMAT, "the weight is missing");
    if (form->weights != BI_WEIGHTS_F64 && bi_word_integer(&word, &integer)) {
        if (form->weights == BI_WEIGHTS_I32 && integer != (int32_t)integer) return BI_LINE_WIDER;
        edge->weight.integer = integer;
        return BI_LINE_EDGE;
    }
    struct bi_quoted quoted = bi_quote(word.begin, word.end);
    if (bi_number_read(word.begin, word.end, &real) != word.end)
        return refuse(r, BOSC_ERR_FORMAT, "the weight %s is not a number", quoted.text);
    if (real != real) return refuse(r, BOSC_ERR_DATA, "NaN");
    if (bi_number_is_beyond(word.begin, real))
        return refuse(r, BOSC_ERR_DATA, "the weight %s is beyond the range of f8", quoted.text);
    if (form->widest != BI_WEIGHTS_F64)
        return refuse(r, BOSC_ERR_FORMAT, "the weight %s is not an integer of 64 bits", quoted.text);
    if (form->weights != BI_WEIGHTS_F64) return BI_LINE_WIDER;
    edge->weight.real = real;
    return BI_LINE_EDGE;
}

static enum bi_line_kind skip_number(struct reading *r)
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
    struct reading r = {form, line, status, reason}, whole = r;
    struct bi_line word;
    enum bi_line_kind kind;
    if (!next_word(&r, &word) || (*word.begin && strchr(form->comments, *word.begin))) return BI_LINE_EMPTY;
    /* 1. The tag. */
    if (!form->tagged) r = whole;
    if (form->tagged && bi_word_is(&word, "p")) return refuse(&r, BOSC_ERR_FORMAT, "a second line of the problem");
    if (form->tagged && !bi_word_is(&word, "a"))
        return refuse(&r, BOSC_ERR_FORMAT, "%s begins no line of a graph (c, p, a do)",
                      bi_quote(word.begin, word.end).text);
    /* 2. The vertices, the weight, and numbers to skip. */
    if ((kind = read_vertex(&r, "first", &edge->u)) != BI_LINE_EDGE) return kind;
    if ((kind = read_vertex(&r, "second", &edge->v)) != BI_LINE_EDGE) return kind;
    if (form->weights != BI_WEIGHTS_NONE && (kind = read_weight(&r, edge)) != BI_LINE_EDGE) return kind;
    for (int i = 0; i < form->ignored; i++)
        if ((kind = skip_number(&r)) != BI_LINE_EDGE) return kind;
    if (next_word(&r, &word))
        return refuse(&r, BOSC_ERR_FORMAT, "%s is one number too many", bi_quote(word.begin, word.end).text);
    return BI_LINE_EDGE;
}
