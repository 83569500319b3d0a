/* Reads sequences of any lengths from reads, from the names of reads, or from a table, with their keys and marks.
 *
 * Source of patterns and of names with barcodes: Smith, Heger, Sudbery, UMI-tools: Modeling Sequencing Errors in Unique
 * Molecular Identifiers to Improve Quantification Accuracy (2017). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/graph/sequences.h"
#include "io/text/words.h"

void bosc_sequences_free(bosc_sequences *sequences)
{
    if (!sequences) return;
    free(sequences->letters);
    free(sequences->offsets);
    free(sequences->counts);
    free(sequences->keys);
    free(sequences->key_letters);
    free(sequences->key_offsets);
    free(sequences->key_names);
    free(sequences->marks);
    *sequences = (bosc_sequences){0};
}

/* ---- sequences that grow ---- */

struct growing {
    const bosc_sequences_opts *opts;
    struct bi_alphabet alphabet;
    bosc_sequences s;
    int64_t letters; /* used */
    int64_t letters_capacity, offsets_capacity, counts_capacity, keys_capacity, marks_capacity;
    struct bi_words keys, marks;
    char *scratch; /* a key, or the marks of a sequence */
    int64_t scratch_capacity;
};

static void free_growing(struct growing *g)
{
    bosc_sequences_free(&g->s);
    bi_words_free(&g->keys);
    bi_words_free(&g->marks);
    free(g->scratch);
}

static bosc_status refuse_memory(const struct growing *g, struct bi_reason *reason)
{
    bi_sequences_refuse(reason, "out of memory for %lld sequences", (long long)g->s.n + 1);
    return BOSC_ERR_NOMEM;
}

static bool has_keys(const bosc_sequences_opts *opts)
{
    return (opts->pattern && strchr(opts->pattern, 'C')) || opts->keys_in_names || opts->key_columns;
}

/* Makes room for another sequence. */
static bool reserve_sequence(struct growing *g, int64_t letters)
{
    return bi_array_reserve(&g->s.letters, g->letters + letters + 1, &g->letters_capacity, 1) &&
           bi_array_reserve(&g->s.offsets, g->s.n + 2, &g->offsets_capacity, sizeof *g->s.offsets) &&
           bi_array_reserve(&g->s.counts, g->s.n + 2, &g->counts_capacity, sizeof *g->s.counts) &&
           bi_array_reserve(&g->s.keys, g->s.n + 2, &g->keys_capacity, sizeof *g->s.keys) &&
           bi_array_reserve(&g->s.marks, g->s.n + 2, &g->marks_capacity, sizeof *g->s.marks);
}

static char to_capital(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

/* Returns the number of the marks of a sequence; -1: out of memory. Number 0 stands for none. */
static int64_t number_marks(struct growing *g, const char *letters, int64_t length)
{
    if (g->marks.count == 0 && bi_words_add(&g->marks, "", 0) < 0) return -1;
    if (!bi_array_reserve(&g->scratch, length + 1, &g->scratch_capacity, 1)) return -1;
    for (int64_t i = 0; i < length; i++) {
        const char c = letters[i];
        g->scratch[i] = c == '+' || c == '-' || (c >= '0' && c <= '9') ? c : 'x';
    }
    return bi_words_add(&g->marks, g->scratch, length);
}

/* Adds a sequence with a key; -1: none. */
static bosc_status add_letters(struct growing *g, struct bi_line letters, int64_t count, int64_t key,
                               struct bi_reason *reason)
{
    const int64_t length = letters.end - letters.begin;
    bool has_marks = false;
    if (!reserve_sequence(g, length)) return refuse_memory(g, reason);
    char *out = g->s.letters + g->letters;
    for (int64_t i = 0; i < length; i++) {
        const char c = letters.begin[i];
        out[i] = to_capital(c);
        has_marks |= c == '+' || c == '-';
    }
    const int64_t marks = has_marks ? number_marks(g, out, length) : 0;
    if (marks < 0) return refuse_memory(g, reason);
    g->s.offsets[g->s.n] = g->letters;
    g->s.counts[g->s.n] = count;
    g->s.keys[g->s.n] = key;
    g->s.marks[g->s.n++] = marks;
    g->letters += length;
    return BOSC_OK;
}

/* Moves the sequences to the caller; arrays of keys and marks only if there are any. */
static void move_sequences(struct growing *g, bosc_sequences *sequences)
{
    g->s.offsets[g->s.n] = g->letters;
    g->s.mark_count = g->marks.count ? g->marks.count : 1;
    if (g->marks.count == 0) {
        free(g->s.marks);
        g->s.marks = NULL;
    }
    if (!has_keys(g->opts)) {
        free(g->s.keys);
        g->s.keys = NULL;
    }
    g->s.key_count = g->keys.count;
    g->s.key_letters = g->keys.text;
    g->s.key_offsets = g->keys.offsets;
    g->keys.text = NULL;
    g->keys.offsets = NULL;
    *sequences = g->s;
    g->s = (bosc_sequences){0};
}

/* ---- reads, and names of reads ---- */

static bosc_status add_read(void *to, struct bi_line name, struct bi_line letters, int64_t count,
                            struct bi_reason *reason)
{
    (void)name;
    return add_letters(to, letters, count, -1, reason);
}

/* Adds the letters of a read where the pattern has N; the letters where it has C are their key. A read shorter than the
 * pattern has no letters. */
static bosc_status add_by_pattern(void *to, struct bi_line name, struct bi_line letters, int64_t count,
                                  struct bi_reason *reason)
{
    struct growing *g = to;
    const char *pattern = g->opts->pattern;
    const int64_t length = (int64_t)strlen(pattern);
    (void)name;
    if (letters.end - letters.begin < length) return add_letters(g, (struct bi_line){"", ""}, count, -1, reason);
    if (!bi_array_reserve(&g->scratch, 2 * length, &g->scratch_capacity, 1)) return refuse_memory(g, reason);
    char *key_end = g->scratch, *begin = g->scratch + length, *end = begin;
    for (int64_t k = 0; k < length; k++) {
        if (pattern[k] == 'C') *key_end++ = to_capital(letters.begin[k]);
        if (pattern[k] == 'N') *end++ = letters.begin[k];
    }
    const int64_t key = has_keys(g->opts) ? bi_words_add(&g->keys, g->scratch, key_end - g->scratch) : 0;
    return key < 0 ? refuse_memory(g, reason) : add_letters(g, (struct bi_line){begin, end}, count, key, reason);
}

/* Returns the part of a name behind the last separator, which it removes; begin: NULL: it has no separator. */
static struct bi_line split_name(struct bi_line *name, char separator)
{
    const char *p = name->end;
    while (p > name->begin && p[-1] != separator) p--;
    if (p == name->begin) return (struct bi_line){NULL, NULL};
    const struct bi_line part = {p, name->end};
    name->end = p - 1;
    return part;
}

/* Adds the barcode at the end of a read's name, and the key before it if the options choose one. */
static bosc_status add_by_name(void *to, struct bi_line name, struct bi_line letters, int64_t count,
                               struct bi_reason *reason)
{
    struct growing *g = to;
    const char separator = (char)g->opts->name_separator;
    struct bi_line word = {name.begin, name.begin}, key = word;
    int64_t number = 0;
    (void)letters;
    bi_word_next(&name, &word); /* comments may follow the name */
    const struct bi_line whole = word, barcode = split_name(&word, separator);
    if (barcode.begin && g->opts->keys_in_names) key = split_name(&word, separator);
    if (!barcode.begin || !key.begin)
        return bi_sequences_refuse(reason, "the name %s has no '%c' before its %s",
                                   bi_quote(whole.begin, whole.end).text, separator, barcode.begin ? "key" : "barcode");
    const bosc_status status = bi_marked_letters_check(&g->alphabet, barcode, reason);
    if (status != BOSC_OK) return status;
    if (g->opts->keys_in_names) number = bi_words_add(&g->keys, key.begin, key.end - key.begin);
    return number < 0 ? refuse_memory(g, reason) : add_letters(g, barcode, count, number, reason);
}

/* True for a FASTQ or FASTA of no bytes, which a sample without reads has. Other empty files are refused. */
static bool is_without_reads(const struct bi_bytes *in)
{
    static const char *const endings[] = {".fq", ".fastq", ".fa", ".fasta"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (in->size == 0 && bi_path_ends_in(in->name, endings[i])) return true;
    return false;
}

static bosc_status read_records(const struct bi_bytes *in, struct growing *g, bosc_io_error *error)
{
    const bosc_sequences_opts *opts = g->opts;
    const struct bi_sequence_start start = bi_sequences_begin(in);
    /* 1. The first sequence, if there is one. */
    const bool empty = !start.line && is_without_reads(in);
    if (!start.line && !empty) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no sequences", in->name);
    if (opts->name_separator && start.format == BI_SEQUENCE_LINES && !empty)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: lines have no names of reads, as FASTQ and FASTA have",
                          in->name);
    const struct bi_sequence_receiver receiver = {.alphabet = &g->alphabet,
                                                  .has_codes = true,
                                                  .has_counts = true,
                                                  .has_empty = true,
                                                  .has_marks = !opts->pattern,
                                                  .reads_names = opts->name_separator != 0,
                                                  .add = opts->pattern          ? add_by_pattern
                                                         : opts->name_separator ? add_by_name
                                                                                : add_read,
                                                  .to = g};
    /* 2. The name of the keys, then the sequences. */
    if (has_keys(opts)) {
        static const char name[] = "cell";
        if (!(g->s.key_names = bi_io_alloc(sizeof name)))
            return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
        memcpy(g->s.key_names, name, sizeof name);
    }
    if (!empty) return bi_sequences_receive(in, start.format, &receiver, error);
    return reserve_sequence(g, 1) ? BOSC_OK : bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
}

/* ---- tables ---- */

/* The columns of a table. */
struct table {
    char separator;
    int64_t barcode, count; /* numbers of columns; count: 0: none */
    struct bi_columns keys;
    int64_t last; /* the largest number */
    /* The first line names columns, all but the first `unnamed` ones. */
    bool has_names;
    int64_t unnamed;
};

/* Sets *field to field `number` of a line, from 1. False: it has fewer. */
static bool find_field(struct bi_line line, char separator, int64_t number, struct bi_line *field)
{
    while (number > 0 && bi_field_next(&line, separator, false, field)) number--;
    return number == 0;
}

/* Chooses one column. */
static bool choose_column(const char *name, struct bi_line header, const struct table *t, int64_t *number,
                          struct bi_reason *reason)
{
    struct bi_columns chosen;
    if (!bi_columns_choose(name, &header, t->separator, false, t->unnamed, &chosen, reason)) return false;
    *number = chosen.number[0];
    if (chosen.count > 1)
        bi_sequences_refuse(reason, "'%.64s' are %lld columns, not one", name, (long long)chosen.count);
    return chosen.count == 1;
}

/* Returns the column that a header names as one of counts; 0: none. */
static int64_t find_counts(struct bi_line header, const struct table *t)
{
    struct bi_line field;
    for (int64_t k = 1; bi_field_next(&header, t->separator, false, &field); k++)
        if (bi_word_names_counts(&field)) return k + t->unnamed;
    return 0;
}

static bool is_by_name(const char *columns) { return columns && columns[strspn(columns, "0123456789, ")] != '\0'; }

/* True if the first line names columns: rows have columns that it leaves unnamed, a column is chosen by its name, or
 * its own field of the barcode is malformed. */
static bool has_names(const struct growing *g, struct bi_line first, const struct table *t)
{
    const bosc_sequences_opts *opts = g->opts;
    struct bi_line field;
    struct bi_reason ignored;
    return t->unnamed > 0 || is_by_name(opts->column) || is_by_name(opts->key_columns) ||
           is_by_name(opts->count_column) || !find_field(first, t->separator, t->barcode, &field) ||
           bi_marked_letters_check(&g->alphabet, field, &ignored) != BOSC_OK;
}

/* second: NULL: the table has one line */
static bosc_status choose_columns(const struct growing *g, struct bi_line first, const struct bi_line *second,
                                  struct table *t, struct bi_reason *reason)
{
    const bosc_sequences_opts *opts = g->opts;
    t->separator = bi_separator_of(first, false);
    bi_index_columns(first, second, t->separator, false, true, &t->unnamed);
    if (!choose_column(opts->column, first, t, &t->barcode, reason) ||
        (opts->count_column && !choose_column(opts->count_column, first, t, &t->count, reason)) ||
        (opts->key_columns &&
         !bi_columns_choose(opts->key_columns, &first, t->separator, false, t->unnamed, &t->keys, reason)))
        return BOSC_ERR_FORMAT;
    t->has_names = has_names(g, first, t);
    if (t->has_names && !second) return bi_sequences_refuse(reason, "no sequences follow the names of columns");
    if (t->has_names && !opts->count_column) t->count = find_counts(first, t);
    t->last = t->barcode > t->count ? t->barcode : t->count;
    for (int64_t k = 0; k < t->keys.count; k++)
        if (t->keys.number[k] > t->last) t->last = t->keys.number[k];
    return BOSC_OK;
}

/* Appends a field and `behind` to the scratch. Two quotes mean one. Tabs separate columns, so a field's own become
 * blanks. */
static bool append_field(struct growing *g, int64_t *size, struct bi_line field, char behind)
{
    if (!bi_array_reserve(&g->scratch, *size + (field.end - field.begin) + 1, &g->scratch_capacity, 1)) return false;
    char *out = g->scratch + *size;
    for (const char *p = field.begin; p < field.end; p++) {
        *out++ = *p == '\t' ? ' ' : *p;
        if (*p == '"' && p + 1 < field.end && p[1] == '"') p++;
    }
    *out++ = behind;
    *size = out - g->scratch;
    return true;
}

/* Sets the names of the key columns: those of the first line, or their numbers. */
static bool set_key_names(struct growing *g, const struct table *t, struct bi_line first)
{
    int64_t size = 0;
    for (int64_t k = 0; k < t->keys.count; k++) {
        char text[32];
        const int64_t number = t->keys.number[k];
        struct bi_line field = first;
        if (!t->has_names || !find_field(first, t->separator, number - t->unnamed, &field) || field.begin == field.end)
            field = (struct bi_line){text, text + snprintf(text, sizeof text, "column%lld", (long long)number)};
        if (!append_field(g, &size, field, k + 1 < t->keys.count ? '\t' : '\0')) return false;
    }
    g->s.key_names = size > 0 ? bi_io_alloc((size_t)size) : NULL;
    if (g->s.key_names) memcpy(g->s.key_names, g->scratch, (size_t)size);
    return size == 0 || g->s.key_names;
}

/* True if a line has at least `number` fields, 2 or more, with empty ones at its end. Blanks separate no empty ones. */
static bool has_field(struct bi_line line, char separator, int64_t number)
{
    bool quoted = false;
    for (const char *p = line.begin; p < line.end && separator != ' '; p++) {
        if (*p == '"') quoted = !quoted;
        if (*p == separator && !quoted && --number <= 1) return true;
    }
    return false;
}

/* Adds the barcode of a row, with its count and key. */
static bosc_status add_row(struct growing *g, const struct table *t, struct bi_line line, struct bi_reason *reason)
{
    struct bi_line field = line, barcode = line, count_field = line, remainder = line;
    int64_t count = 1, fields = 0, size = 0, key = 0;
    /* 1. Find the barcode and the count. */
    while (fields < t->last && bi_field_next(&remainder, t->separator, false, &field)) {
        fields++;
        if (fields == t->barcode) barcode = field;
        if (fields == t->count) count_field = field;
    }
    if (fields < t->last && (fields < t->barcode || fields < t->count || !has_field(line, t->separator, t->last)))
        return bi_sequences_refuse(reason, "%lld field%s, but column %lld is requested", (long long)fields,
                                   fields == 1 ? "" : "s", (long long)t->last);
    /* 2. Check them. */
    bosc_status status = bi_marked_letters_check(&g->alphabet, barcode, reason);
    if (status == BOSC_OK && t->count) status = bi_sequence_count(count_field, &count, reason);
    if (status != BOSC_OK) return status;
    /* 3. Add the key, in the order of the chosen columns, and the barcode. */
    for (int64_t k = 0; k < t->keys.count; k++) {
        if (!find_field(line, t->separator, t->keys.number[k], &field)) field = (struct bi_line){line.end, line.end};
        if (!append_field(g, &size, field, '\t')) return refuse_memory(g, reason);
    }
    if (size > 0) key = bi_words_add(&g->keys, g->scratch, size - 1);
    return key < 0 ? refuse_memory(g, reason) : add_letters(g, barcode, count, key, reason);
}

static bosc_status read_table(const struct bi_bytes *in, struct growing *g, bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line, second;
    struct bi_reason reason;
    struct table t = {.keys.count = 0};
    /* 1. The columns. */
    if (!bi_lines_next_content(&lines, &line)) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no sequences", in->name);
    if (*line.begin == '>' || *line.begin == '@')
        return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error, "FASTA and FASTQ have no columns");
    struct bi_lines ahead = lines;
    const bool more = bi_lines_next_content(&ahead, &second);
    bosc_status status = choose_columns(g, line, more ? &second : NULL, &t, &reason);
    if (status == BOSC_OK && !set_key_names(g, &t, line)) status = refuse_memory(g, &reason);
    /* 2. The rows. */
    bi_lines_report_progress(&lines);
    if (status == BOSC_OK && !t.has_names) status = add_row(g, &t, line, &reason);
    while (status == BOSC_OK && bi_lines_next_content(&lines, &line)) status = add_row(g, &t, line, &reason);
    return status == BOSC_OK ? BOSC_OK : bi_sequences_fail(in, lines.number, status, &reason, error);
}

/* ---- all sources ---- */

bosc_status bi_sequences_parse(const struct bi_bytes *in, const bosc_sequences_opts *opts, bosc_sequences *sequences,
                               bosc_io_error *error)
{
    struct growing g = {.opts = opts};
    bi_alphabet_set(&g.alphabet, opts->alphabet == BOSC_ALPHABET_AUTO ? BOSC_ALPHABET_BASES : opts->alphabet, true);
    const bosc_status status = opts->column ? read_table(in, &g, error) : read_records(in, &g, error);
    if (status == BOSC_OK) move_sequences(&g, sequences);
    free_growing(&g);
    return status;
}

/* Copies the caller's options, with defaults in the fields that it does not have, and checks them. */
static bosc_status check_opts(const bosc_sequences_opts *callers, bosc_sequences_opts *opts, bosc_io_error *error)
{
    const bosc_status status = bi_io_read_opts("bosc_sequences_opts", callers, opts, sizeof *opts, error);
    if (status != BOSC_OK) return status;
    if ((unsigned)opts->alphabet > BOSC_ALPHABET_AMINO_ACIDS)
        return bi_io_fail(error, BOSC_ERR_ARG, "alphabet: %d is no alphabet", (int)opts->alphabet);
    if (opts->pattern && (opts->pattern[strspn(opts->pattern, "CNX")] || !strchr(opts->pattern, 'N')))
        return bi_io_fail(error, BOSC_ERR_ARG, "pattern: '%.64s' does not consist of C, X and at least one N",
                          opts->pattern);
    if (opts->name_separator && (opts->name_separator <= ' ' || opts->name_separator > '~'))
        return bi_io_fail(error, BOSC_ERR_ARG, "name_separator: %d is no printable character",
                          (int)opts->name_separator);
    if (!!opts->pattern + !!opts->name_separator + !!opts->column > 1)
        return bi_io_fail(error, BOSC_ERR_ARG, "column: only one of pattern, name_separator and column may be set");
    if (opts->keys_in_names && !opts->name_separator)
        return bi_io_fail(error, BOSC_ERR_ARG, "keys_in_names: name_separator is 0");
    if ((opts->key_columns || opts->count_column) && !opts->column)
        return bi_io_fail(error, BOSC_ERR_ARG, "column: NULL, but other columns are chosen");
    return BOSC_OK;
}

bosc_status bosc_sequences_read(const char *path, const bosc_sequences_opts *opts, bosc_sequences *sequences,
                                bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_sequences s = {0};
    bosc_sequences_opts o;
    if (!sequences) return bi_io_fail(error, BOSC_ERR_ARG, "sequences: NULL");
    bosc_status status = check_opts(opts, &o, error);
    if (status == BOSC_OK) status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    status = bi_sequences_parse(&file.bytes, &o, &s, error);
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *sequences = s;
    else
        bosc_sequences_free(&s);
    return status;
}
