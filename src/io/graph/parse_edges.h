/* Parsers of lines of edges. The fast parser accepts the plain form: one blank between numbers of few digits. It
 * reports no errors; the general parser handles every line that it declines. */
#ifndef BI_IO_GRAPH_PARSE_EDGES_H
#define BI_IO_GRAPH_PARSE_EDGES_H

#include <math.h>
#include <string.h>

#include "io/graph/edge_list.h"
#include "io/text/number.h"
#include "io/text/row.h"

/* Parses lines of edges from `lines` on. */
bosc_status bi_edge_lines_parse(const struct bi_bytes *in, const struct bi_lines *lines,
                                const struct bi_edge_form *form, bosc_edges *edges, bosc_io_error *error);

struct bi_edge {
    int64_t u, v; /* from 0 */
    union {
        int64_t integer;
        double real;
    } weight;
};

enum bi_line_kind { BI_LINE_EDGE, BI_LINE_EMPTY, BI_LINE_WIDER, BI_LINE_NAMED, BI_LINE_BAD };

/* Splits the data of networkx, {...}, from the end of a line. *data: the text between the braces. False: none. */
bool bi_edge_data_split(struct bi_line *line, struct bi_line *data);

/* True if such data has an attribute with the name `weight`. */
bool bi_edge_data_has_weight(struct bi_line data);

/* Parses any line: an edge, no edge (blank, comment), a weight that needs a wider type, an attribute `weight` where the
 * form has another one, or an error. */
enum bi_line_kind bi_edge_line_read(const struct bi_edge_form *form, struct bi_line line, struct bi_edge *edge,
                                    bosc_status *status, struct bi_reason *reason);

#if defined(BI_ONE_COPY) /* see base/step.h */
#define BI_INLINE static inline
#else
#define BI_INLINE static inline __attribute__((always_inline))
#endif

/* Returns the value of 8 digits, the first in the lowest byte, each minus '0'. Source: Lemire, Number Parsing at a
 * Gigabyte per Second (2021), after Muła. */
BI_INLINE uint64_t bi_eight_digits(uint64_t x)
{
    x = x * 10 + (x >> 8);
    return (((x & 0x000000ff000000ffu) * 0x000f424000000064u) +
            (((x >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
           32;
}

/* Returns the number of leading digits among 8 bytes; *digits: the bytes minus '0'. */
BI_INLINE int bi_leading_digits(const char *p, uint64_t *digits)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    x ^= 0x3030303030303030u;
    uint64_t non_digits = ((x + 0x0606060606060606u) | x) & 0xf0f0f0f0f0f0f0f0u; /* exact up to the first non-digit */
    *digits = x;
    return non_digits ? __builtin_ctzll(non_digits) >> 3 : 8;
}

/* Reads 1 to 15 digits. False for other texts, and within 16 bytes of the end. */
BI_INLINE bool bi_digits_fast(const char **p, const char *end, uint64_t *value)
{
    static const uint32_t power[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t digits;
    if (end - *p < 16) return false;
    int count = bi_leading_digits(*p, &digits);
    /* Shift the digits to the high bytes; the zero bytes below them are leading zeros. */
    if (count < 8) {
        if (count == 0) return false;
        *value = bi_eight_digits(digits << (64 - 8 * count));
        *p += count;
        return true;
    }
    uint64_t first = bi_eight_digits(digits);
    count = bi_leading_digits(*p + 8, &digits);
    if (count == 8) return false;
    *value = first * power[count] + (count ? bi_eight_digits(digits << (64 - 8 * count)) : 0);
    *p += 8 + count;
    return true;
}

/* Reads a real. A number of at most 15 digits is the quotient of two exact doubles (Clinger 1990), so one division
 * rounds it correctly; other numbers go to bi_number_read. False, *p unchanged: no number, NaN, or 2^53 and more. */
BI_INLINE bool bi_real_fast(const char **p, const char *end, double *value)
{
    static const double power[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *q = *p;
    uint64_t whole, fraction = 0;
    bool negative = q < end && *q == '-';
    q += negative;
    const char *begin = q;
    if (bi_digits_fast(&q, end, &whole)) {
        int64_t digits = q - begin, behind = 0;
        bool good = true;
        if (*q == '.') {
            begin = ++q;
            good = bi_digits_fast(&q, end, &fraction);
            behind = q - begin;
        }
        if (good && digits + behind <= 15 && (*q == '\n' || *q == '\r')) {
            double x = ((double)whole * power[behind] + (double)fraction) / power[behind];
            *value = negative ? -x : x;
            *p = q;
            return true;
        }
    }
    q = bi_number_read(*p, end, value);
    if (!q || *value - *value != 0) return false; /* NaN, infinity */
    if (fabs(*value) >= 0x1p53) return false;     /* may be an integer that is rounded */
    *p = q;
    return true;
}

/* Parses a plain line at *at and moves behind it. Numbers have one separator between them (0: a blank or tab), and
 * vertices, less `first`, are below `limit`. False, with *at unchanged, for other lines and near the end of the text:
 * the general parser reads these. *edge may then be written in part. Constant arguments specialise the function. */
BI_INLINE bool bi_edge_line_fast(const char **at, const char *end, bool tagged, enum bi_weights weights, char separator,
                                 uint64_t first, uint64_t limit, struct bi_edge *edge)
{
    const char *p = *at, blank = separator ? separator : ' ', tab = separator ? separator : '\t';
    uint64_t u, v, w;
    /* 1. The tag and the vertices. */
    if (tagged) {
        if (end - p < 2 || p[0] != 'a' || p[1] != ' ') return false;
        p += 2;
    }
    if (!bi_digits_fast(&p, end, &u) || (*p != blank && *p != tab)) return false;
    p++;
    if (!bi_digits_fast(&p, end, &v)) return false;
    /* 2. The weight. */
    if (weights != BI_WEIGHTS_NONE) {
        if (*p != blank && *p != tab) return false;
        p++;
    }
    if (weights == BI_WEIGHTS_F64) {
        if (!bi_real_fast(&p, end, &edge->weight.real)) return false;
    } else if (weights != BI_WEIGHTS_NONE) {
        bool negative = p < end && *p == '-';
        p += negative;
        if (!bi_digits_fast(&p, end, &w) || (weights == BI_WEIGHTS_I32 && w > INT32_MAX)) return false;
        edge->weight.integer = negative ? -(int64_t)w : (int64_t)w;
    }
    /* 3. The end of the line, and the range of the vertices. */
    if (p < end && *p == '\r') p++;
    /* A vertex below `first` wraps to a huge number. */
    if (p == end || *p != '\n' || u - first >= limit || v - first >= limit) return false;
    edge->u = (int64_t)(u - first);
    edge->v = (int64_t)(v - first);
    *at = p + 1;
    return true;
}

#endif
