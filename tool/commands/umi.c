/* boscage umi: counts barcodes, and groups the variants that sequencing errors made of one. */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/commands.h"
#include "tool/commands/umi.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- tables ---- */

/* A text being written, with room for all of it. */
struct table {
    char *text, *end;
    char separator;
};

static char separator_of(const char *path)
{
    return path_has_ending(path, ".csv") ? ',' : path_has_ending(path, ".txt") ? ' ' : '\t';
}

static void add_text(struct table *t, const char *text, int64_t size, char behind)
{
    memcpy(t->end, text, (size_t)size);
    t->end += size;
    *t->end++ = behind;
}

static void add_integer(struct table *t, int64_t value, char behind)
{
    char digits[20];
    int64_t at = sizeof digits;
    do digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    add_text(t, digits + at, (int64_t)sizeof digits - at, behind);
}

/* Adds a field, in double quotes if it has a separator or a quote. */
static void add_quoted(struct table *t, const char *text, int64_t size)
{
    bool quotes = size == 0;
    for (int64_t i = 0; i < size; i++) quotes |= text[i] == t->separator || text[i] == '"' || text[i] == '#';
    if (quotes) *t->end++ = '"';
    for (int64_t i = 0; i < size; i++) {
        if (text[i] == '"') *t->end++ = '"';
        *t->end++ = text[i];
    }
    if (quotes) *t->end++ = '"';
    *t->end++ = t->separator;
}

/* Adds the columns of a key, or their names, which tabs separate. */
static void add_columns(struct table *t, const char *text, int64_t size)
{
    for (int64_t begin = 0, end; begin <= size; begin = end + 1) {
        for (end = begin; end < size && text[end] != '\t';) end++;
        add_quoted(t, text + begin, end - begin);
    }
}

/* Adds names, which blanks separate, as the first line, behind those of the key's columns. */
static void add_names(struct table *t, const bosc_sequences *s, const char *names)
{
    if (s->keys) add_columns(t, s->key_names, (int64_t)strlen(s->key_names));
    add_text(t, names, (int64_t)strlen(names), '\n');
    for (char *p = t->end - strlen(names) - 1; p < t->end; p++)
        if (*p == ' ') *p = t->separator;
}

/* Returns a bound of the bytes that add_columns writes for `size` bytes: a quote becomes two, a tab between empty
 * columns a separator and two quotes. */
static size_t columns_bytes(size_t size) { return 3 * size + 3; }

/* Bytes of a line besides barcodes and keys: two numbers, four separators. */
enum { LINE_BYTES = 44, NAMES_BYTES = 64 };

/* The data of both tables. */
struct umi_result {
    const bosc_sequences *sequences;
    const struct umi_opts *opts;
    const struct umi_barcodes *barcodes;
    const struct umi_groups *groups;
};

static void add_barcode(struct table *t, const struct umi_result *r, int64_t barcode, char behind)
{
    const int64_t sequence = r->barcodes->barcodes[barcode].first;
    add_text(t, r->sequences->letters + r->sequences->offsets[sequence], umi_length(r->sequences, r->opts, sequence),
             behind);
}

/* Adds the columns of a barcode's key, if there are keys. */
static void add_key(struct table *t, const struct umi_result *r, int64_t barcode)
{
    const bosc_sequences *s = r->sequences;
    if (!s->keys) return;
    const int64_t *at = s->key_offsets + umi_key(s, r->barcodes->barcodes[barcode].first);
    add_columns(t, s->key_letters + at[0], at[1] - at[0]);
}

/* Allocates a table for a line a barcode, each with two barcodes of one length. */
static int allocate_table(const struct umi_result *r, const char *path, struct table *t)
{
    const bosc_sequences *s = r->sequences;
    size_t size = NAMES_BYTES + (s->keys ? columns_bytes(strlen(s->key_names)) : 0);
    for (int64_t v = 0; v < r->barcodes->count; v++) {
        const int64_t first = r->barcodes->barcodes[v].first;
        size += LINE_BYTES + 2 * (size_t)umi_length(s, r->opts, first);
        if (!s->keys) continue;
        size += columns_bytes((size_t)(s->key_offsets[s->keys[first] + 1] - s->key_offsets[s->keys[first]]));
    }
    t->separator = separator_of(path);
    t->text = t->end = job_alloc(size, 1);
    return t->text ? EXIT_DONE : EXIT_FAILED;
}

/* Writes a line a barcode, group by group: its group, letters, reads and representative. */
static int write_groups(const struct umi_result *r, const char *path, struct table *t)
{
    const struct umi_barcodes *b = r->barcodes;
    int64_t *begins = job_alloc((size_t)r->groups->count + 1, sizeof *begins);
    int64_t *sorted = begins ? job_alloc((size_t)b->count, sizeof *sorted) : NULL;
    int code = sorted ? allocate_table(r, path, t) : EXIT_FAILED;
    if (!code) {
        /* 1. Sort the barcodes by group. */
        memset(begins, 0, ((size_t)r->groups->count + 1) * sizeof *begins);
        for (int64_t v = 0; v < b->count; v++) begins[r->groups->number[v] + 1]++;
        for (int64_t g = 0; g < r->groups->count; g++) begins[g + 1] += begins[g];
        for (int64_t v = 0; v < b->count; v++) sorted[begins[r->groups->number[v]]++] = v;
        /* 2. The lines. */
        add_names(t, r->sequences, "group barcode count representative");
        for (int64_t i = 0; i < b->count; i++) {
            const int64_t v = sorted[i];
            add_key(t, r, v);
            add_integer(t, r->groups->number[v], t->separator);
            add_barcode(t, r, v, t->separator);
            add_integer(t, b->barcodes[v].reads, t->separator);
            add_barcode(t, r, r->groups->representative[v], '\n');
        }
    }
    free(begins);
    free(sorted);
    return code;
}

/* Writes a line a group: its representative, the reads of all its barcodes, and their number. */
static int write_counts(const struct umi_result *r, const char *path, struct table *t)
{
    const struct umi_barcodes *b = r->barcodes;
    int64_t *reads = job_alloc((size_t)r->groups->count, sizeof *reads);
    int64_t *members = reads ? job_alloc((size_t)r->groups->count, sizeof *members) : NULL;
    int code = members ? allocate_table(r, path, t) : EXIT_FAILED;
    if (!code) {
        /* 1. The sums. */
        memset(reads, 0, (size_t)r->groups->count * sizeof *reads);
        memset(members, 0, (size_t)r->groups->count * sizeof *members);
        for (int64_t v = 0; v < b->count; v++) {
            reads[r->groups->number[v]] += b->barcodes[v].reads;
            members[r->groups->number[v]]++;
        }
        /* 2. The lines. Representatives are in the order of their groups. */
        add_names(t, r->sequences, "representative count barcodes");
        for (int64_t v = 0; v < b->count; v++) {
            if (r->groups->representative[v] != v) continue;
            add_key(t, r, v);
            add_barcode(t, r, v, t->separator);
            add_integer(t, reads[r->groups->number[v]], t->separator);
            add_integer(t, members[r->groups->number[v]], '\n');
        }
    }
    free(reads);
    free(members);
    return code;
}

/* Writes a line a key with barcodes: its groups and reads. Barcodes are in the order of their keys. */
static int write_totals(const struct umi_result *r, const char *path, struct table *t)
{
    const struct umi_barcodes *b = r->barcodes;
    int code = allocate_table(r, path, t);
    if (code) return code;
    add_names(t, r->sequences, "groups reads");
    for (int64_t begin = 0, end; begin < b->count; begin = end) {
        const int64_t key = umi_key(r->sequences, b->barcodes[begin].first);
        int64_t groups = 0, reads = 0;
        for (end = begin; end < b->count && umi_key(r->sequences, b->barcodes[end].first) == key; end++) {
            groups += r->groups->representative[end] == end;
            reads += b->barcodes[end].reads;
        }
        add_key(t, r, begin);
        add_integer(t, groups, t->separator);
        add_integer(t, reads, '\n');
    }
    return EXIT_DONE;
}

/* Writes the tables whose files are named. */
static int write_tables(struct job *job, const struct umi_result *r)
{
    enum { TABLES = 3 };
    static const enum option options[TABLES] = {OPT_OUTPUT, OPT_COUNTS, OPT_TOTALS};
    static int (*const write[TABLES])(const struct umi_result *, const char *,
                                      struct table *) = {write_groups, write_counts, write_totals};
    struct table tables[TABLES] = {{.text = NULL}};
    const char *paths[TABLES];
    bosc_text texts[TABLES];
    bosc_io_error error;
    int32_t count = 0;
    int code = EXIT_DONE;
    double start = job_now();
    for (int k = 0; k < TABLES && !code; k++) {
        const char *path = job->value[options[k]];
        if (!path) continue;
        code = write[k](r, paths[count] = path, &tables[k]);
        texts[count++] = (bosc_text){tables[k].text, tables[k].end - tables[k].text};
    }
    if (count > 0 && !code) {
        bosc_status status = bosc_texts_write(paths, texts, count, &error);
        if (status != BOSC_OK) code = report_io_error(status, &error);
        job_add_seconds(job, "write", start);
    }
    for (int k = 0; k < TABLES; k++) free(tables[k].text);
    return code;
}

/* ---- the command ---- */

/* Refuses options that choose the barcodes twice, or depend on one that is missing. */
static int check_source(const struct job *job)
{
    static const enum option alone[] = {OPT_PATTERN, OPT_NAME_SEPARATOR, OPT_COLUMN};
    static const struct {
        enum option option, needed;
    } depend[] = {{OPT_PER_CELL, OPT_NAME_SEPARATOR}, {OPT_BY, OPT_COLUMN}, {OPT_COUNT_COLUMN, OPT_COLUMN}};
    for (size_t k = 0; k < 3; k++)
        for (size_t m = k + 1; m < 3; m++)
            if (job->value[alone[k]] && job->value[alone[m]])
                return report_error(EXIT_USAGE, "--%s: cannot be combined with --%s", option_name(alone[m]),
                                    option_name(alone[k]));
    for (size_t k = 0; k < 3; k++)
        if (job->value[depend[k].option] && !job->value[depend[k].needed])
            return report_error(EXIT_USAGE, "--%s: needs --%s", option_name(depend[k].option),
                                option_name(depend[k].needed));
    if (job->value[OPT_PATTERN] && job->value[OPT_LETTERS])
        return report_error(EXIT_USAGE, "--letters: cannot be combined with --pattern");
    return EXIT_DONE;
}

/* Reads where the file has barcodes. */
static int read_source(const struct job *job, bosc_sequences_opts *source)
{
    const char *pattern = job->value[OPT_PATTERN], *separator = job->value[OPT_NAME_SEPARATOR];
    const int code = check_source(job);
    if (code) return code;
    if (pattern && (pattern[strspn(pattern, "CNX")] || !strchr(pattern, 'N')))
        return report_error(EXIT_USAGE, "--pattern: '%s' does not consist of C, X and at least one N", pattern);
    if (separator && (strlen(separator) != 1 || *separator <= ' ' || *separator > '~'))
        return report_error(EXIT_USAGE, "--name-separator: '%s' is not one character", separator);
    if (job->value[OPT_TOTALS] && !job->value[OPT_PER_CELL] && !job->value[OPT_BY] &&
        !(pattern && strchr(pattern, 'C')))
        return report_error(EXIT_USAGE, "--totals: needs cells: --pattern with C, --per-cell, or --by");
    *source = (bosc_sequences_opts){.size = sizeof *source,
                                    .pattern = pattern,
                                    .name_separator = separator ? *separator : 0,
                                    .keys_in_names = job->value[OPT_PER_CELL] != NULL,
                                    .column = job->value[OPT_COLUMN],
                                    .key_columns = job->value[OPT_BY],
                                    .count_column = job->value[OPT_COUNT_COLUMN]};
    return EXIT_DONE;
}

static int read_options(const struct job *job, struct umi_opts *opts)
{
    static const char *const endings[] = {".tsv", ".csv", ".txt", NULL};
    int method = UMI_DIRECTIONAL, codes = UMI_SKIP, alphabet = 0, code;
    opts->distance = 1;
    if ((code = option_choice(job, OPT_METHOD, &method)) || (code = option_choice(job, OPT_N, &codes)) ||
        (code = option_choice(job, OPT_ALPHABET, &alphabet)) ||
        (code = option_integer(job, OPT_LETTERS, 1, VECTOR_LENGTH_MAX, &opts->letters)) ||
        (code = option_integer(job, OPT_DISTANCE, 1, UMI_DISTANCE_MAX, &opts->distance)) ||
        (code = option_ending(job, OPT_OUTPUT, endings)) || (code = option_ending(job, OPT_COUNTS, endings)) ||
        (code = option_ending(job, OPT_TOTALS, endings)) || (code = read_source(job, &opts->source)))
        return code;
    opts->method = (enum umi_method)method;
    opts->codes = (enum umi_codes)codes;
    opts->amino_acids = alphabet == 1;
    opts->source.alphabet = opts->amino_acids ? BOSC_ALPHABET_AMINO_ACIDS : BOSC_ALPHABET_BASES;
    if (opts->method == UMI_UNIQUE && job->value[OPT_DISTANCE])
        return report_error(EXIT_USAGE, "--distance: cannot be combined with --method unique");
    return EXIT_DONE;
}

static int read_sequences(struct job *job, const struct umi_opts *opts, bosc_sequences *sequences)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_sequences_read(job->operands[0], &opts->source, sequences, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    const size_t size = (size_t)sequences->offsets[sequences->n];
    if (!opts->amino_acids && size > 0 && memchr(sequences->letters, 'U', size) &&
        memchr(sequences->letters, 'T', size))
        job_set_note(job, "barcodes", "U and T are one letter, written as in the first read of a barcode");
    return EXIT_DONE;
}

/* Returns the number of keys with barcodes, which are in the order of their keys. */
static int64_t count_keys(const bosc_sequences *sequences, const struct umi_barcodes *barcodes)
{
    int64_t count = 0;
    for (int64_t v = 0, last = -1; v < barcodes->count; v++) {
        const int64_t key = umi_key(sequences, barcodes->barcodes[v].first);
        count += key != last;
        last = key;
    }
    return count;
}

int run_umi(struct job *job)
{
    struct umi_opts opts = {.letters = 0};
    bosc_sequences sequences = {0};
    struct umi_barcodes barcodes = {.count = 0};
    struct umi_groups groups = {.count = 0};
    int code;
    /* 1. Read. */
    if ((code = read_options(job, &opts)) || (code = job_open(job))) return code;
    code = read_sequences(job, &opts, &sequences);
    /* 2. Count and group. */
    double start = job_now();
    if (!code) code = umi_barcodes_find(job, &sequences, &opts, &barcodes);
    if (!code) job_add_seconds(job, "count", start);
    start = job_now();
    if (!code) code = umi_groups_find(&barcodes, opts.method, &groups);
    if (!code) {
        job_add_seconds(job, "group", start);
        job_set_integer(job, "reads", barcodes.reads);
        job_set_integer(job, "ambiguous", barcodes.ambiguous);
        job_set_integer(job, "skipped", barcodes.skipped);
        if (sequences.keys) job_set_integer(job, "cells", count_keys(&sequences, &barcodes));
        job_set_integer(job, "barcodes", barcodes.count);
        job_set_integer(job, "groups", groups.count);
        /* 3. Write. */
        const struct umi_result result = {&sequences, &opts, &barcodes, &groups};
        code = write_tables(job, &result);
    }
    bosc_sequences_free(&sequences);
    umi_barcodes_free(&barcodes);
    umi_groups_free(&groups);
    return code;
}
