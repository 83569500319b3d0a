/* Reads names, one of each line of a text. */
#include <stdio.h>
#include <stdlib.h>

#include "io/file/file.h"
#include "io/graph/edge_names.h"
#include "io/text/row.h"
#include "io/text/words.h"

struct growing_names {
    bosc_names list;
    int64_t used, text_capacity, capacity;
};

/* Adds the name of a line: field `number`, or the only one if it is 0. */
static bosc_status add_name(struct growing_names *g, struct bi_line line, char separator, int64_t number,
                            struct bi_reason *reason)
{
    struct bi_line name = {line.begin, line.begin}, remainder = line;
    bool found = true;
    /* 1. Find the field. */
    for (int64_t k = 0; found && k < (number ? number : 1); k++)
        found = bi_field_next(&remainder, separator, true, &name);
    if (!found || name.begin == name.end) {
        snprintf(reason->text, sizeof reason->text, "a name is missing");
        return BOSC_ERR_FORMAT;
    }
    if (number == 0 && (found = bi_field_next(&remainder, separator, true, &line))) {
        snprintf(reason->text, sizeof reason->text, "several names; quote names with blanks, or choose a column");
        return BOSC_ERR_FORMAT;
    }
    if (memchr(name.begin, 0, (size_t)(name.end - name.begin))) {
        snprintf(reason->text, sizeof reason->text, "a name has a zero byte");
        return BOSC_ERR_FORMAT;
    }
    /* 2. Copy it. */
    if (!bi_array_reserve(&g->list.text, g->used + (name.end - name.begin) + 1, &g->text_capacity, 1) ||
        !bi_array_reserve(&g->list.begins, g->list.n + 1, &g->capacity, sizeof *g->list.begins))
        return bi_numbers_refuse(reason);
    g->list.begins[g->list.n++] = g->used;
    g->used += (int64_t)bi_name_copy(g->list.text + g->used, name.begin, name.end);
    g->list.text[g->used++] = '\0';
    return BOSC_OK;
}

static bosc_status parse_names(const struct bi_bytes *in, const char *column, struct growing_names *g,
                               bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line;
    struct bi_reason reason;
    struct bi_columns chosen = {.count = 1};
    bosc_status status = BOSC_OK;
    /* 1. The separator, the column and the header. */
    bi_lines_report_progress(&lines);
    if (!bi_lines_next_content(&lines, &line)) return BOSC_OK;
    const char separator = bi_separator_of(line, true);
    bool is_header = false;
    if (column) {
        if (!bi_columns_choose(column, &line, separator, true, 0, &chosen, &reason))
            return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error, "%s", reason.text);
        if (chosen.count != 1)
            return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error, "%lld columns are requested, not one",
                              (long long)chosen.count);
        is_header = !bi_columns_choose(column, NULL, separator, true, 0, &(struct bi_columns){.count = 0}, &reason);
    }
    /* 2. The names. */
    if (is_header && !bi_lines_next_content(&lines, &line)) return BOSC_OK;
    do status = add_name(g, line, separator, chosen.number[0], &reason);
    while (status == BOSC_OK && bi_lines_next_content(&lines, &line));
    return status == BOSC_OK ? BOSC_OK : bi_fail_at(in, lines.number, status, error, "%s", reason.text);
}

bosc_status bosc_names_read(const char *path, const char *column, bosc_names *names, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    struct growing_names g = {.used = 0};
    if (!names) return bi_io_fail(error, BOSC_ERR_ARG, "names: NULL");
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    status = parse_names(&file.bytes, column, &g, error);
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *names = g.list;
    else
        bosc_names_free(&g.list);
    return status;
}
