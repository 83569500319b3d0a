/* Fields of rows of text: what stands between separators, quotes left out. */
#ifndef BI_IO_TEXT_FIELDS_H
#define BI_IO_TEXT_FIELDS_H

#include "io/text/number.h"

/* The next field of a line: between separators or within double quotes, without the blanks around it; `#` ends the
 * line, and so do separators with nothing behind them. The separator ' ' is any run of blanks. False behind the
 * last. */
bool bi_field_next(struct bi_line *line, char separator, struct bi_line *field);

/* The separator of a text, by its first line: ';', else ',', else a tab, else ' '. */
char bi_separator_of(struct bi_line line);

/* Whether a first line names columns: it begins as a name does, or with two slashes, and has no number. */
bool bi_is_header(struct bi_line line, char separator);

/* Chosen columns, numbered from 1. */
enum { BI_COLUMNS_MAX = 1024 };
struct bi_columns {
    int64_t number[BI_COLUMNS_MAX];
    int64_t count;
};

/* Reads a list, separated by commas, of numbers and of names in the header, which may be NULL. False: a reason. */
bool bi_columns_choose(const char *list, const struct bi_line *header, char separator, struct bi_columns *columns,
                       struct bi_reason *reason);

/* Appends the numbers of a line's fields, or of those in the columns alone, as bi_row_read does. */
bosc_status bi_fields_read(struct bi_line line, char separator, const struct bi_columns *columns,
                           struct bi_numbers *numbers, struct bi_reason *reason);

#endif
