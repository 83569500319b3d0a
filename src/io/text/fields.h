/* Fields of rows of text, without separators and quotes. */
#ifndef BI_IO_TEXT_FIELDS_H
#define BI_IO_TEXT_FIELDS_H

#include "io/text/row.h"

/* Reads the next field of a line: text between separators or in double quotes, without surrounding blanks. A `#` or
 * trailing separators end the line. The separator ' ' is any run of blanks. False behind the last field. */
bool bi_field_next(struct bi_line *line, char separator, struct bi_line *field);

/* Returns the separator of a text, by its first line: ';', else ',', else a tab, else ' '. */
char bi_separator_of(struct bi_line line);

/* True if a first line names columns: it begins like a name or with two slashes, and has no number. */
bool bi_is_header(struct bi_line line, char separator);

/* Chosen columns, numbered from 1. */
enum { BI_COLUMNS_MAX = 1024 };
struct bi_columns {
    int64_t number[BI_COLUMNS_MAX];
    int64_t count;
};

/* Parses a list of column numbers and names, separated by commas. header: NULL: none. On failure sets the reason. */
bool bi_columns_choose(const char *list, const struct bi_line *header, char separator, struct bi_columns *columns,
                       struct bi_reason *reason);

/* Appends the numbers of a line's fields, or of the chosen columns, as bi_row_read does. */
bosc_status bi_fields_read(struct bi_line line, char separator, const struct bi_columns *columns,
                           struct bi_numbers *numbers, struct bi_reason *reason);

#endif
