#include "paper/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_SIZE = 64, COLUMNS_MAX = 16, NOTES_MAX = 8, NOTE_SIZE = 400, TITLE_SIZE = 160, OPTIONS_MAX = 8 };

enum cell_kind { CELL_NONE, CELL_TEXT, CELL_INTEGER, CELL_NUMBER };

struct cell {
    enum cell_kind kind;
    char text[CELL_SIZE];
    double number;
};

struct table {
    const char *name;
    char title[TITLE_SIZE];
    char columns[COLUMNS_MAX][CELL_SIZE];
    int column_count, note_count;
    struct cell *cells;
    int64_t cell_count, capacity;
    char notes[NOTES_MAX][NOTE_SIZE];
    int plot_first, plot_last; /* 0: no picture */
    enum table_axes axes;
    const char *y_name;
};

static struct {
    double scale;
    bool keeps_sizes;
    const char *path;
    FILE *file;
} paper = {.scale = 1};

/* --- The program -------------------------------------------------------------------------------------------------- */

void paper_open(int argc, char **argv, const struct bench_option *own, int count)
{
    struct bench_option all[OPTIONS_MAX] = {
        {'s', BENCH_NUMBER, &paper.scale, "scale of the paper's sizes (1)"},
        {'o', BENCH_TEXT, &paper.path, "file of the tables as JSON, one a line"},
    };
    for (int k = 0; k < count; k++) all[2 + k] = own[k];
    bench.repeats = bench.repeats ? bench.repeats : 3;
    bench_options(argc, argv, "(not used)", all, 2 + count);
    if (!(paper.scale > 0 && paper.scale <= 16)) bench_fail("-s: %g is not above 0 and at most 16", paper.scale);
    if (paper.path && !(paper.file = fopen(paper.path, "w"))) bench_fail("%s: cannot be written", paper.path);
    bench_open();
}

double paper_scale(void) { return paper.scale; }

void paper_keep_sizes(void) { paper.keeps_sizes = true; }

static bool has_other_sizes(void) { return paper.scale != 1 && !paper.keeps_sizes; }

int64_t paper_size(int64_t size, int64_t least)
{
    int64_t scaled = (int64_t)((double)size * paper.scale + 0.5);
    return scaled > least ? scaled : least;
}

int paper_close(void)
{
    int failed = paper.file && fclose(paper.file) != 0;
    return bench_close() || failed;
}

/* --- Filling ------------------------------------------------------------------------------------------------------ */

struct table *table_open(const char *name, const char *title, const char *columns)
{
    struct table *t = bench_host(sizeof *t);
    *t = (struct table){.name = name};
    snprintf(t->title, sizeof t->title, "%s", title);
    for (const char *at = columns; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        int length = (int)strcspn(at, "|");
        if (t->column_count == COLUMNS_MAX || length >= CELL_SIZE) bench_fail("%s: too many columns", name);
        snprintf(t->columns[t->column_count++], CELL_SIZE, "%.*s", length, at);
    }
    return t;
}

static struct cell *next_cell(struct table *t, enum cell_kind kind)
{
    if (t->cell_count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        t->cells = realloc(t->cells, (size_t)t->capacity * sizeof t->cells[0]);
        if (!t->cells) bench_fail("out of memory");
    }
    struct cell *cell = &t->cells[t->cell_count++];
    *cell = (struct cell){.kind = kind};
    return cell;
}

void table_text(struct table *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(next_cell(t, CELL_TEXT)->text, CELL_SIZE, format, list);
    va_end(list);
}

void table_integer(struct table *t, int64_t x)
{
    struct cell *cell = next_cell(t, CELL_INTEGER);
    cell->number = (double)x;
    snprintf(cell->text, CELL_SIZE, "%" PRId64, x);
}

void table_none(struct table *t) { snprintf(next_cell(t, CELL_NONE)->text, CELL_SIZE, "-"); }

/* Three significant digits, but never less than the whole part. */
void table_number(struct table *t, double x)
{
    if (isnan(x)) {
        table_none(t);
        return;
    }
    struct cell *cell = next_cell(t, CELL_NUMBER);
    int digits = x == 0 ? 0 : 2 - (int)floor(log10(fabs(x)));
    cell->number = x;
    snprintf(cell->text, CELL_SIZE, "%.*f", digits < 0 ? 0 : digits > 6 ? 6 : digits, x);
}

void table_ms(struct table *t, struct bench_times times) { table_number(t, 1e3 * times.median); }

void table_answer(struct table *t, bool right, const char *compared)
{
    bench_check(right, "%s: row %" PRId64, t->name, t->cell_count / t->column_count + 1);
    table_text(t, "%s", right ? compared : "WRONG");
}

void table_ahead(struct table *t, double printed, double published, double ours)
{
    static const char *const names[] = {"none", "published", "ours", "both"};
    if (has_other_sizes() || isnan(printed))
        table_none(t);
    else
        table_text(t, "%s, %.3g and %.3g times", names[2 * (ours < printed) + (published < printed)],
                   printed / published, printed / ours);
}

void table_plot(struct table *t, int first, int last, enum table_axes axes, const char *y_name)
{
    t->plot_first = first;
    t->plot_last = last;
    t->axes = axes;
    t->y_name = y_name;
}

void table_note(struct table *t, const char *format, ...)
{
    va_list list;
    if (t->note_count == NOTES_MAX) bench_fail("%s: too many notes", t->name);
    va_start(list, format);
    vsnprintf(t->notes[t->note_count++], NOTE_SIZE, format, list);
    va_end(list);
}

/* --- Printing ----------------------------------------------------------------------------------------------------- */

static int width_of(const struct table *t, int column)
{
    size_t width = strlen(t->columns[column]);
    for (int64_t i = column; i < t->cell_count; i += t->column_count)
        if (strlen(t->cells[i].text) > width) width = strlen(t->cells[i].text);
    return (int)width;
}

/* Texts are aligned left, numbers right. */
static void print_cell(const struct table *t, int column, const char *text, bool left)
{
    const int width = width_of(t, column);
    printf("  ");
    if (left)
        printf("%-*s", column + 1 == t->column_count ? 0 : width, text);
    else
        printf("%*s", width, text);
}

static bool is_left(const struct table *t, int column)
{
    for (int64_t i = column; i < t->cell_count; i += t->column_count)
        if (t->cells[i].kind == CELL_TEXT) return true;
    return false;
}

static void print_text(const struct table *t)
{
    printf("%s: %s\n", t->name, t->title);
    for (int c = 0; c < t->column_count; c++) print_cell(t, c, t->columns[c], is_left(t, c));
    printf("\n");
    for (int64_t i = 0; i < t->cell_count; i++) {
        const int c = (int)(i % t->column_count);
        print_cell(t, c, t->cells[i].text, is_left(t, c));
        if (c + 1 == t->column_count) printf("\n");
    }
    for (int k = 0; k < t->note_count; k++) printf("  %s\n", t->notes[k]);
    printf("\n");
    fflush(stdout);
}

static void write_string(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putc('\\', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void write_cell(FILE *out, const struct cell *cell)
{
    if (cell->kind == CELL_NONE)
        fputs("null", out);
    else if (cell->kind == CELL_TEXT)
        write_string(out, cell->text);
    else
        fprintf(out, "%.9g", cell->number);
}

static void write_strings(FILE *out, const char *name, const char *texts, int count, size_t size)
{
    fprintf(out, ", \"%s\": [", name);
    for (int k = 0; k < count; k++) {
        if (k) fputs(", ", out);
        write_string(out, texts + (size_t)k * size);
    }
    putc(']', out);
}

static void write_json(FILE *out, const struct table *t)
{
    fputs("{\"name\": ", out);
    write_string(out, t->name);
    fputs(", \"title\": ", out);
    write_string(out, t->title);
    write_strings(out, "columns", t->columns[0], t->column_count, CELL_SIZE);
    fputs(", \"rows\": [", out);
    for (int64_t i = 0; i < t->cell_count; i++) {
        fputs(i % t->column_count ? ", " : i ? "], [" : "[", out);
        write_cell(out, &t->cells[i]);
    }
    fputs(t->cell_count ? "]]" : "]", out);
    write_strings(out, "notes", t->notes[0], t->note_count, NOTE_SIZE);
    if (t->plot_first) {
        fprintf(out,
                ", \"plot\": {\"first\": %d, \"last\": %d, \"log_x\": %s, \"other_sizes\": %s, \"y\": ", t->plot_first,
                t->plot_last, t->axes == TABLE_LOG_LOG ? "true" : "false", has_other_sizes() ? "true" : "false");
        write_string(out, t->y_name);
        putc('}', out);
    }
    fputs("}\n", out);
    fflush(out);
}

void table_close(struct table *t)
{
    if (t->cell_count % t->column_count) bench_fail("%s: the last row is not full", t->name);
    if (has_other_sizes())
        table_note(t, "sizes here are %g times the paper's, whose figures stand as printed", paper.scale);
    if (bench.json)
        write_json(stdout, t);
    else
        print_text(t);
    if (paper.file) write_json(paper.file, t);
    free(t->cells);
    free(t);
}
