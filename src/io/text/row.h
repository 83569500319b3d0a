/* Lines, words, fields and rows of numbers of a text. */
#ifndef BI_IO_TEXT_ROW_H
#define BI_IO_TEXT_ROW_H

#include "io/file/file.h"

/* A growing array of numbers. */
struct bi_numbers {
    double *data;
    size_t count, capacity;
    bool keeps_nan; /* rows append NaN, also of empty fields and of words such as NA, #N/A and null */
};
bool bi_numbers_reserve(struct bi_numbers *numbers, size_t capacity); /* false: out of memory */
void bi_numbers_free(struct bi_numbers *numbers);

bosc_status bi_numbers_refuse(struct bi_reason *reason); /* "out of memory" */

/* Appends the numbers of a line, separated by blanks or by single separators (' ': blanks only). A `#` ends the line,
 * and trailing separators are ignored. Fails with a reason for anything else, NaN, and numbers beyond a double. */
bosc_status bi_row_read(const char *begin, const char *end, char separator, struct bi_numbers *numbers,
                        struct bi_reason *reason);

/* The same where only some numbers are needed: number k of the line if k < count and needed[k]. The others may be
 * NaN or beyond a double. needed: NULL: all. */
bosc_status bi_row_read_needed(const char *begin, const char *end, char separator, const bool *needed, size_t count,
                               struct bi_numbers *numbers, struct bi_reason *reason);

/* True if #N/A or #NA begins at p, which Excel and pandas write for a missing number: no comment. */
bool bi_begins_missing(const char *p, const char *end);

/* Of a row that begins with three coordinates, and then has normals or colours. */
extern const bool bi_row_coordinates[3];

/* Refuses NaN, unless it is kept, and infinities written with digits. */
bosc_status bi_value_check(const char *p, const char *end, double value, bool keeps_nan, struct bi_reason *reason);

/* Moves n x dim numbers, which are all, into an array. */
bosc_array bi_numbers_to_array(struct bi_numbers *numbers, int64_t n, int64_t dim);

/* Lines of a text without their ends (LF, CR LF or CR). `number`: of the line read last, from 1. */
struct bi_lines {
    const char *next, *end;
    const char *feed;     /* the first LF at or behind `next`, or `end`; before `next`: to be searched */
    const char *carriage; /* the first CR at or behind `next`, or the end of the bytes searched; the same */
    int64_t number;
    struct bi_backing_file *backing; /* not NULL: more lines follow in the file; reading them sets whole_needed */
    const char *progress_begin;      /* not NULL: the reported phase starts here */
};
struct bi_line {
    const char *begin, *end;
};

/* Returns the complete lines in memory, behind a byte order mark and Excel's line `sep=;`, if they are there. */
struct bi_lines bi_lines_begin(const struct bi_bytes *in);
bool bi_lines_next(struct bi_lines *lines, struct bi_line *line);

/* Refuses a text of 16-bit characters, by its byte order mark. */
bosc_status bi_text_check(const struct bi_bytes *in, bosc_io_error *error);

/* Starts a phase in which bi_lines_next reports progress. The lines end early if the call is cancelled. */
void bi_lines_report_progress(struct bi_lines *lines);

/* As bi_lines_next, but skips blank lines and lines with only a `#` comment. */
bool bi_lines_next_content(struct bi_lines *lines, struct bi_line *line);

/* Reads the next word of a line, a run of non-blank characters; false at the end or at a `#`. */
bool bi_line_word(struct bi_line *line, struct bi_line *word);
bool bi_word_is(const struct bi_line *word, const char *text);
bool bi_word_is_any_case(const struct bi_line *word, const char *text);
bool bi_word_is_missing(const struct bi_line *word); /* NA and other words of programs for a missing number */
bool bi_word_count(const struct bi_line *word, int64_t *count); /* digits only, up to about 2^62 */

/* The same where `#` begins no comment. */
bool bi_word_next(struct bi_line *line, struct bi_line *word);
bool bi_word_digits(const struct bi_line *word, uint64_t *value); /* digits only; UINT64_MAX if they exceed it */
bool bi_word_integer(const struct bi_line *word, int64_t *value); /* false: not a 64-bit integer */

/* Fails with "NAME:LINE: reason". */
bosc_status bi_fail_at(const struct bi_bytes *in, int64_t line, bosc_status status, bosc_io_error *error,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A word for a message: printable, cut to 24 characters, in quotes. */
struct bi_quoted {
    char text[32];
};
struct bi_quoted bi_quote(const char *begin, const char *end);

/* ---- fields, without separators and quotes ---- */

/* Reads the next field of a line: text between separators or in double quotes, without surrounding blanks. A comment or
 * trailing separators end the line. The separator ' ' is any run of blanks. False behind the last field.
 * names: false: `#` begins a comment. True: `#` may be a part of a name; it begins a comment behind a blank only, if
 * blanks are the separator. */
bool bi_field_next(struct bi_line *line, char separator, bool names, struct bi_line *field);

/* Returns the separator of a text, by its first line: ';', else ',', else a tab, else ' '. */
char bi_separator_of(struct bi_line line, bool names);

/* True if a first line names columns: it begins like a name or with two slashes, and has no number; or numbers are
 * below two of its names. Or the names are pandas' for columns without names: 0, 1, 2, ... behind an empty one.
 * below: the lines behind it; NULL: numbers are no names. */
bool bi_is_header(struct bi_line line, const struct bi_lines *below, char separator);

/* Chosen columns, numbered from 1. */
enum { BI_COLUMNS_MAX = 1024 };
struct bi_columns {
    int64_t number[BI_COLUMNS_MAX];
    int64_t count;
    bool repeated; /* refused: several columns have a requested name */
};

int64_t bi_fields_count(struct bi_line line, char separator, bool names);

/* Counts the separators at the end of a line or before its comment: each follows a field, so that a last one may be
 * empty. 0 where blanks separate fields, as they enclose no empty ones. */
int64_t bi_count_separators(const struct bi_line *line, char separator);

/* Returns the number of columns that hold numbers or names of rows: the first ones, if the header has empty names for
 * them (pandas), or one that the header omits, if the first row has a field more (R). A header that ends in a
 * separator omits none, unless the row begins with quotes; nor does one that begins with two slashes.
 * row: NULL: none. quoted: the row's first field must be in quotes then. *unnamed: number of columns that the header
 * omits. */
int64_t bi_index_columns(struct bi_line header, const struct bi_line *row, char separator, bool names, bool quoted,
                         int64_t *unnamed);

/* Returns the names of a header, without blanks before them and the two slashes that CloudCompare writes. */
struct bi_line bi_header_names(struct bi_line header, char separator);

/* Parses a list of column numbers and names, separated by commas. header: NULL: none; it omits the first `unnamed`
 * columns; `names` is of its fields. On failure sets the reason. */
bool bi_columns_choose(const char *list, const struct bi_line *header, char separator, bool names, int64_t unnamed,
                       struct bi_columns *columns, struct bi_reason *reason);

/* Appends the numbers of a line's fields, or of the chosen columns, as bi_row_read does. */
bosc_status bi_fields_read(struct bi_line line, char separator, const struct bi_columns *columns,
                           struct bi_numbers *numbers, struct bi_reason *reason);

#endif
