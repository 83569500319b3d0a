/* Decimal numbers of text files, correctly rounded whatever the locale, and rows of them. */
#ifndef BI_IO_TEXT_NUMBER_H
#define BI_IO_TEXT_NUMBER_H

#include "io/io.h"

/* Reads the number that begins at p: digits with an optional point and exponent, or inf, infinity, nan in any case.
 * Returns one past it, or NULL where no number begins. */
const char *bi_number_read(const char *p, const char *end, double *value);

/* Whether a number read as infinite is written with digits, and so too large for a double. */
bool bi_number_is_beyond(const char *p, double value);

/* Writes a number at p, at most 25 characters without an end, and returns one past them: as few digits as bring back
 * the same double, or float if `single`; with a point or an exponent, so that it reads as a real. */
char *bi_number_write(char *p, double x, bool single);
char *bi_integer_write(char *p, bool negative, uint64_t size);

/* Numbers that grow as they are read. */
struct bi_numbers {
    double *data;
    size_t count, capacity;
};
bool bi_numbers_reserve(struct bi_numbers *numbers, size_t capacity); /* false: no memory */
void bi_numbers_free(struct bi_numbers *numbers);

bosc_status bi_numbers_refuse(struct bi_reason *reason); /* "out of memory" */

/* Appends the numbers of one line, separated by blanks or by single separators, which may be ' ' for none; `#` ends it,
 * and so do separators with nothing behind them. The reason for anything else, for NaN, and for what is beyond a
 * double. */
bosc_status bi_row_read(const char *begin, const char *end, char separator, struct bi_numbers *numbers,
                        struct bi_reason *reason);

/* Refuses NaN, and infinities written with digits. */
bosc_status bi_value_check(const char *p, const char *end, double value, struct bi_reason *reason);

/* Turns n x dim numbers (all that were read) into an array, which owns them from now on. */
bosc_array bi_numbers_take(struct bi_numbers *numbers, int64_t n, int64_t dim);

/* Lines of a text without their ends (LF or CR LF). `number` is that of the line last read, from 1. */
struct bi_lines {
    const char *next, *end;
    int64_t number;
    struct bi_rest *rest; /* not NULL: more lines follow that are not in memory; who asks for them is told */
    const char *told;     /* not NULL: where the phase that is told begins */
};
struct bi_line {
    const char *begin, *end;
};
/* The lines behind a byte order mark, if there is one; those that are whole in memory. */
struct bi_lines bi_lines_of(const struct bi_bytes *in);
bool bi_lines_next(struct bi_lines *lines, struct bi_line *line);

/* From now on lines are told of as a phase: all of them, read one by one. Where the caller wants to stop, they end. */
void bi_lines_report_progress(struct bi_lines *lines);

/* As bi_lines_next, but passes over lines that are blank or only a `#` comment. */
bool bi_lines_next_content(struct bi_lines *lines, struct bi_line *line);

/* The next word of a line: runs of characters other than blanks; false at the end or at a `#`. */
bool bi_line_word(struct bi_line *line, struct bi_line *word);
bool bi_word_is(const struct bi_line *word, const char *text);
bool bi_word_count(const struct bi_line *word, int64_t *count); /* digits only, up to about 2^62 */

/* A word for a message: printable, cut to 24 characters, in quotes. */
struct bi_quoted {
    char text[32];
};
struct bi_quoted bi_quote(const char *begin, const char *end);

#endif
