/* boscage umi: counts barcodes, and groups the variants that sequencing errors made of one. */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/commands.h"
#include "tool/commands/umi.h"
#include "tool/job.h"
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

/* Adds names, which blanks separate, as the first line. */
static void add_names(struct table *t, const char *names)
{
    add_text(t, names, (int64_t)strlen(names), '\n');
    for (char *p = t->end - strlen(names) - 1; p < t->end; p++)
        if (*p == ' ') *p = t->separator;
}

/* Bytes of a line besides barcodes: two numbers, four separators. */
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

/* Allocates a table for a line a barcode, each with two barcodes of one length. */
static int allocate_table(const struct umi_result *r, const char *path, struct table *t)
{
    size_t size = NAMES_BYTES;
    for (int64_t v = 0; v < r->barcodes->count; v++)
        size += LINE_BYTES + 2 * (size_t)umi_length(r->sequences, r->opts, r->barcodes->barcodes[v].first);
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
        add_names(t, "group barcode count representative");
        for (int64_t i = 0; i < b->count; i++) {
            const int64_t v = sorted[i];
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
        add_names(t, "representative count barcodes");
        for (int64_t v = 0; v < b->count; v++) {
            if (r->groups->representative[v] != v) continue;
            add_barcode(t, r, v, t->separator);
            add_integer(t, reads[r->groups->number[v]], t->separator);
            add_integer(t, members[r->groups->number[v]], '\n');
        }
    }
    free(reads);
    free(members);
    return code;
}

/* Writes the tables whose files are named. */
static int write_tables(struct job *job, const struct umi_result *r)
{
    struct table tables[2] = {{.text = NULL}, {.text = NULL}};
    const char *paths[2];
    bosc_text texts[2];
    bosc_io_error error;
    int32_t count = 0;
    int code = EXIT_DONE;
    double start = job_now();
    if (job->value[OPT_OUTPUT]) {
        code = write_groups(r, paths[count] = job->value[OPT_OUTPUT], &tables[0]);
        texts[count++] = (bosc_text){tables[0].text, tables[0].end - tables[0].text};
    }
    if (job->value[OPT_COUNTS] && !code) {
        code = write_counts(r, paths[count] = job->value[OPT_COUNTS], &tables[1]);
        texts[count++] = (bosc_text){tables[1].text, tables[1].end - tables[1].text};
    }
    if (count > 0 && !code) {
        bosc_status status = bosc_texts_write(paths, texts, count, &error);
        if (status != BOSC_OK) code = report_io_error(status, &error);
        job_add_seconds(job, "write", start);
    }
    free(tables[0].text);
    free(tables[1].text);
    return code;
}

/* ---- the command ---- */

static int read_options(const struct job *job, struct umi_opts *opts)
{
    static const char *const endings[] = {".tsv", ".csv", ".txt", NULL};
    int method = UMI_DIRECTIONAL, codes = UMI_SKIP, alphabet = 0, code;
    opts->distance = 1;
    if ((code = option_choice(job, OPT_METHOD, &method)) || (code = option_choice(job, OPT_N, &codes)) ||
        (code = option_choice(job, OPT_ALPHABET, &alphabet)) ||
        (code = option_integer(job, OPT_LETTERS, 1, VECTOR_LENGTH_MAX, &opts->letters)) ||
        (code = option_integer(job, OPT_DISTANCE, 1, UMI_DISTANCE_MAX, &opts->distance)) ||
        (code = option_ending(job, OPT_OUTPUT, endings)) || (code = option_ending(job, OPT_COUNTS, endings)))
        return code;
    opts->method = (enum umi_method)method;
    opts->codes = (enum umi_codes)codes;
    opts->amino_acids = alphabet == 1;
    if (opts->method == UMI_UNIQUE && job->value[OPT_DISTANCE])
        return report_error(EXIT_USAGE, "--distance: cannot be combined with --method unique");
    return EXIT_DONE;
}

static int read_sequences(struct job *job, const struct umi_opts *opts, bosc_sequences *sequences)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_sequences_read(
        job->operands[0], opts->amino_acids ? BOSC_ALPHABET_AMINO_ACIDS : BOSC_ALPHABET_BASES, sequences, &error);
    job_add_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
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
