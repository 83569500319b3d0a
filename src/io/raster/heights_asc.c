/* Parses ESRI's ASCII grids: lines of keywords and values, then the heights from north to south. Sources: ESRI, ASCII
 * raster format; GDAL, Arc/Info ASCII Grid, for dx and dy. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "io/file/file.h"
#include "io/raster/heights.h"
#include "io/raster/world_file.h"
#include "io/text/number.h"
#include "io/text/row.h"

enum { DEFAULT_NONE = -9999 }; /* no height, in the format; a file may give another number */

enum keyword { COLUMNS, ROWS, X_CORNER, X_CENTRE, Y_CORNER, Y_CENTRE, CELL, CELL_X, CELL_Y, NO_DATA, KEYWORDS };

static const char *const keywords[KEYWORDS] = {"ncols",     "nrows",    "xllcorner", "xllcenter", "yllcorner",
                                               "yllcenter", "cellsize", "dx",        "dy",        "nodata_value"};

/* The text from p on. */
struct grid {
    const struct bi_bytes *in;
    const char *p, *end;
    int64_t line; /* of p, from 1 */
    bool given[KEYWORDS];
    double value[KEYWORDS];
    int64_t width, height;
};

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Reads the next word; false at the end. Lines end in LF, CR LF or CR. */
static bool next_word(struct grid *g, struct bi_line *word)
{
    for (; g->p < g->end && is_space(*g->p); g->p++)
        g->line += *g->p == '\n' || (*g->p == '\r' && !(g->p + 1 < g->end && g->p[1] == '\n'));
    word->begin = g->p;
    while (g->p < g->end && !is_space(*g->p)) g->p++;
    word->end = g->p;
    return word->begin < word->end;
}

/* True if the whole word is a number. */
static bool read_number(const struct bi_line *word, double *value)
{
    return bi_number_read(word->begin, word->end, value) == word->end;
}

/* ---- the header ---- */

static enum keyword find_keyword(const struct bi_line *word)
{
    int k = 0;
    while (k < KEYWORDS && !bi_word_is_any_case(word, keywords[k])) k++;
    return (enum keyword)k;
}

/* Reads the value of a keyword. Counts are whole numbers, sizes of cells more than 0, others finite; only the number
 * for no height may be NaN. */
static bosc_status read_value(struct grid *g, enum keyword k, bosc_io_error *error)
{
    struct bi_line word;
    double *value = &g->value[k];
    const bool count = k == COLUMNS || k == ROWS, size = k == CELL || k == CELL_X || k == CELL_Y;
    if (g->given[k]) return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "%s occurs twice", keywords[k]);
    if (!next_word(g, &word))
        return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "truncated: %s has no value", keywords[k]);
    const bool number = read_number(&word, value);
    if (!number || (k != NO_DATA && !isfinite(*value)))
        return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "%s: %s is not a number", keywords[k],
                          bi_quote(word.begin, word.end).text);
    if (count && !(*value >= 1 && *value <= INT32_MAX && *value == floor(*value)))
        return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "%s: %s is not a whole number from 1 to %d",
                          keywords[k], bi_quote(word.begin, word.end).text, INT32_MAX);
    if (size && !(*value > 0))
        return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "%s: %s is not more than 0", keywords[k],
                          bi_quote(word.begin, word.end).text);
    g->given[k] = true;
    return BOSC_OK;
}

/* Checks that the header is complete: one size of cells, and both coordinates of the position or none. */
static bosc_status check_header(struct grid *g, bosc_io_error *error)
{
    const bool x = g->given[X_CORNER] || g->given[X_CENTRE], y = g->given[Y_CORNER] || g->given[Y_CENTRE];
    const bool both = g->given[CELL_X] && g->given[CELL_Y], any = g->given[CELL_X] || g->given[CELL_Y];
    const char *missing = !g->given[COLUMNS]         ? "ncols"
                          : !g->given[ROWS]          ? "nrows"
                          : !g->given[CELL] && !both ? "cellsize"
                          : x && !y                  ? "yllcorner or yllcenter"
                          : y && !x                  ? "xllcorner or xllcenter"
                                                     : NULL;
    if (missing) return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "%s is missing", missing);
    if ((g->given[CELL] && any) || (g->given[X_CORNER] && g->given[X_CENTRE]) ||
        (g->given[Y_CORNER] && g->given[Y_CENTRE]))
        return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error,
                          "both cellsize and dx or dy, or both a corner and a center");
    g->width = (int64_t)g->value[COLUMNS];
    g->height = (int64_t)g->value[ROWS];
    if (!g->given[NO_DATA]) g->value[NO_DATA] = DEFAULT_NONE;
    return BOSC_OK;
}

/* Reads keywords and values until the first number. */
static bosc_status read_header(struct grid *g, bosc_io_error *error)
{
    struct bi_line word;
    bosc_status status = BOSC_OK;
    if (bi_bytes_begin(g->in, "\xef\xbb\xbf", 3)) g->p += 3; /* a byte order mark */
    for (;;) {
        const struct grid before = *g;
        double first;
        const enum keyword k = next_word(g, &word) ? find_keyword(&word) : KEYWORDS;
        if (k == KEYWORDS && (word.begin == word.end || read_number(&word, &first))) {
            g->p = before.p;
            g->line = before.line;
            return check_header(g, error);
        }
        if (k == KEYWORDS)
            return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error,
                              "%s is neither a keyword of an ASCII grid nor a number",
                              bi_quote(word.begin, word.end).text);
        if ((status = read_value(g, k, error)) != BOSC_OK) return status;
    }
}

/* Sets the place and the spacings by the map of the header. */
static bosc_status apply_map(const struct grid *g, bosc_heights *h, bosc_io_error *error)
{
    const double x = g->value[g->given[CELL] ? CELL : CELL_X], y = g->value[g->given[CELL] ? CELL : CELL_Y];
    double map[BI_WORLD_NUMBERS] = {0};
    map[BI_WORLD_CELL_X] = x;
    map[BI_WORLD_CELL_Y] = -y;
    map[BI_WORLD_X] = g->given[X_CENTRE] ? g->value[X_CENTRE] : g->given[X_CORNER] ? g->value[X_CORNER] + x / 2 : NAN;
    /* The header has the last row, the map the first one. */
    const double last = g->given[Y_CENTRE] ? g->value[Y_CENTRE] : g->given[Y_CORNER] ? g->value[Y_CORNER] + y / 2 : NAN;
    map[BI_WORLD_Y] = last + y * (double)(g->height - 1);
    return bi_world_numbers_apply(g->in->name, map, h, error);
}

/* ---- heights ---- */

/* Reads the next height; NaN where there is none. */
static bosc_status read_height(struct grid *g, int64_t i, float *height, bosc_io_error *error)
{
    struct bi_line word;
    double value;
    if (!next_word(g, &word))
        return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "truncated: %lld of %lld x %lld numbers",
                          (long long)i, (long long)g->width, (long long)g->height);
    if (!read_number(&word, &value))
        return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "%s is not a number",
                          bi_quote(word.begin, word.end).text);
    const double none = g->value[NO_DATA];
    *height = value == none || (float)value == (float)none ? NAN : (float)value;
    return BOSC_OK;
}

static bosc_status read_heights(struct grid *g, const struct bi_heights_rows *rows, bosc_io_error *error)
{
    struct bi_line word;
    bosc_status status = BOSC_OK;
    bi_io_phase(0.9, (double)g->width * (double)g->height);
    for (int64_t y = 0; y < g->height && status == BOSC_OK; y++) {
        float *row = bi_heights_row(rows, y);
        for (int64_t x = 0; x < g->width && status == BOSC_OK; x++) {
            const int64_t i = y * g->width + x;
            if (i % BI_IO_REPORT_NUMBERS == 0 && !bi_io_set_done((double)i)) return BOSC_ERR_CANCELLED;
            status = read_height(g, i, row + x, error);
        }
        if (status == BOSC_OK) status = bi_heights_row_end(rows, g->in->name, y, error);
    }
    if (status != BOSC_OK || !next_word(g, &word)) return status;
    return bi_fail_at(g->in, g->line, BOSC_ERR_FORMAT, error, "%s follows %lld x %lld numbers",
                      bi_quote(word.begin, word.end).text, (long long)g->width, (long long)g->height);
}

bosc_status bi_heights_asc(const struct bi_bytes *in, struct bi_heights_rows *rows, bosc_io_error *error)
{
    struct grid g = {.in = in, .p = in->data, .end = in->data + in->size, .line = 1};
    bosc_status status = read_header(&g, error);
    /* A height takes a digit and a blank at least, the last one a digit. */
    const uint64_t left = (uint64_t)(g.end - g.p) + 1;
    if (status == BOSC_OK) status = bi_heights_fit(in, g.width, g.height, 2, left, error);
    if (status == BOSC_OK) status = bi_heights_rows_begin(rows, in->name, g.width, g.height, error);
    if (status == BOSC_OK) status = apply_map(&g, rows->heights, error);
    return status == BOSC_OK ? read_heights(&g, rows, error) : status;
}
