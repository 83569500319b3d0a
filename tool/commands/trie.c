/* boscage trie: looks up vectors, prefixes, longest matches, or neighbours at Hamming distance one; saves tries. */
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>

#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* A trie of the vectors, and the queries. */
struct trie_query {
    enum option search; /* OPT_FIND, OPT_PREFIX, OPT_LONGEST or OPT_NEIGHBOURS */
    int64_t bits, letters, digit;
    bosc_vectors rows, queries;
    bosc_trie *trie;
    bosc_trie_info info;
};

/* Reports queries with the wrong length or letters. */
static int report_mismatch(const struct job *job, const char *path, const char *queries, const char *rows,
                           const struct trie_query *d)
{
    const bosc_vectors *q = &d->queries, *v = &d->rows;
    return report_error(EXIT_FAILED, "%s: %s %d letters of %d bit%s, but %s of %s have %d of %d bit%s", path, queries,
                        q->length, q->letter_bits, q->letter_bits == 1 ? "" : "s", rows, job->operands[0], v->length,
                        v->letter_bits, v->letter_bits == 1 ? "" : "s");
}

/* Reads prefixes; in a text they have their own length. Shorter rows are padded with zero words to the length of the
 * keys. */
static int read_prefixes(struct job *job, const char *path, struct trie_query *d)
{
    bosc_vectors *q = &d->queries;
    bool packed = path_has_ending(path, ".npy");
    int code = vectors_read(job, path, packed ? d->bits : 0, q);
    if (code) return code;
    if (q->letter_bits != d->rows.letter_bits || q->length > d->rows.length)
        return report_mismatch(job, path, "prefixes of", "the vectors", d);
    if (d->letters > q->length)
        return report_error(EXIT_FAILED, "--letters: %lld is more than the %d of %s", (long long)d->letters, q->length,
                            path);
    size_t from = (size_t)bosc_cellgraph_words(q->length, q->letter_bits), to = (size_t)d->info.words;
    if (!d->letters) d->letters = q->length;
    uint64_t *padded = job_alloc((size_t)q->n, to * sizeof *padded);
    if (!padded) return EXIT_FAILED;
    memset(padded, 0, (size_t)q->n * to * sizeof *padded);
    for (size_t i = 0; i < (size_t)q->n; i++) memcpy(padded + i * to, q->rows + i * from, from * sizeof *padded);
    free(q->rows);
    q->rows = padded;
    return EXIT_DONE;
}

static int read_queries(struct job *job, struct trie_query *d)
{
    const char *path = job->value[d->search];
    if (d->search == OPT_PREFIX) return read_prefixes(job, path, d);
    int code = vectors_read(job, path, d->bits, &d->queries);
    if (code) return code;
    if (d->queries.letter_bits == d->rows.letter_bits && d->queries.length == d->rows.length) return EXIT_DONE;
    return report_mismatch(job, path, "vectors of", "those", d);
}

/* Loads a saved trie; the vectors that it holds have no rows here, but their length and letters. */
static int load_trie(struct job *job, struct trie_query *d)
{
    bosc_io_error error;
    const double start = job_now();
    bosc_status status = bosc_trie_load(job->ctx, job->operands[0], &d->trie, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    d->info.size = sizeof d->info;
    status = bosc_trie_get_info(job->ctx, d->trie, &d->info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    if (d->info.value_bits != 64)
        return report_error(EXIT_FAILED, "%s: a trie with values of %d bits; read are those of 64", job->operands[0],
                            (int)d->info.value_bits);
    d->rows.length = d->info.length;
    d->rows.letter_bits = d->info.letter_bits;
    if (!d->bits && d->info.letter_bits == 1) d->bits = d->info.length;
    job_set_integer(job, "n", d->info.rows);
    job_set_integer(job, "unique", d->info.keys);
    return EXIT_DONE;
}

static int build_trie(struct job *job, struct trie_query *d, int layout)
{
    if (path_has_ending(job->operands[0], ".bosc")) return load_trie(job, d);
    int code = vectors_read(job, job->operands[0], d->bits, &d->rows);
    if (code) return code;
    const bosc_trie_opts opts = {.size = sizeof opts,
                                 .length = d->rows.length,
                                 .letter_bits = d->rows.letter_bits,
                                 .layout = (bosc_trie_layout)layout,
                                 .by_values = job->value[OPT_BY_VALUES] != NULL,
                                 .digit_bits = (int32_t)d->digit};
    if (opts.digit_bits % opts.letter_bits)
        return report_error(EXIT_USAGE, "--digit: %d is no multiple of the %d bits of a letter", (int)opts.digit_bits,
                            (int)opts.letter_bits);
    double start = job_now();
    bosc_status status = bosc_trie_create(job->ctx, &opts, &d->trie);
    if (status == BOSC_OK) status = bosc_trie_build(job->ctx, d->trie, d->rows.rows, d->rows.file_rows, d->rows.n, 0);
    job_add_seconds(job, "build", start);
    d->info.size = sizeof d->info;
    if (status == BOSC_OK) status = bosc_trie_get_info(job->ctx, d->trie, &d->info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "n", d->rows.file_n);
    job_set_integer(job, "unique", d->info.keys);
    return EXIT_DONE;
}

/* Finds the row of each query; -1: absent. */
static int find_vectors(struct job *job, const struct trie_query *d, bosc_array *out)
{
    int64_t m = d->queries.n, hits = 0;
    *out = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {m, 1, 1, 1}};
    out->data = job_alloc((size_t)m, sizeof(int64_t));
    uint8_t *found = out->data ? job_alloc((size_t)m, 1) : NULL;
    if (!found) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_trie_find(job->ctx, d->trie, d->queries.rows, m, 0, NULL, out->data, found);
    job_add_seconds(job, "find", start);
    int64_t *rows = out->data;
    for (int64_t i = 0; i < m && status == BOSC_OK; i++) {
        hits += found[i];
        if (!found[i]) rows[i] = -1;
    }
    free(found);
    job_set_integer(job, "found", hits);
    return status == BOSC_OK ? vectors_expand(&d->queries, out) : report_ctx_error(job->ctx, status);
}

/* Finds the longest match of each query: its letters, and the row of the first key with it; -1: an empty trie. Both
 * numbers of a query that was left out are -1. */
static int find_longest(struct job *job, const struct trie_query *d, bosc_array *out)
{
    const int64_t m = d->queries.n, *file_rows = d->queries.file_rows, rows = file_rows ? d->queries.file_n : m;
    /* 1. Memory. */
    *out = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {rows, 2, 1, 1}};
    out->data = job_alloc((size_t)rows, 2 * sizeof(int64_t));
    int32_t *lengths = out->data ? job_alloc((size_t)m, sizeof *lengths) : NULL;
    int64_t *begins = lengths ? job_alloc((size_t)m, 2 * sizeof *begins) : NULL, *pairs = out->data;
    bosc_status status = BOSC_OK;
    /* 2. The matches. */
    if (begins) {
        const double start = job_now();
        status = bosc_trie_longest(job->ctx, d->trie, d->queries.rows, m, 0, lengths, begins, NULL);
        if (status == BOSC_OK && d->info.keys) status = bosc_trie_get_values(job->ctx, d->trie, begins, m, begins + m);
        job_add_seconds(job, "find", start);
    }
    /* 3. The rows of the file. */
    for (int64_t i = 0; i < 2 * rows && begins; i++) pairs[i] = -1;
    for (int64_t q = 0; q < m && begins && status == BOSC_OK; q++) {
        int64_t *pair = pairs + 2 * (file_rows ? file_rows[q] : q);
        pair[0] = lengths[q];
        pair[1] = d->info.keys ? begins[m + q] : -1;
    }
    const int code = !begins ? EXIT_FAILED : status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    free(lengths);
    free(begins);
    return code;
}

static int compare_rows(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Lists the pairs (q, row), ascending. Query q has the keys of ranks begins[q] .. ends[q] - 1, or of the elements of
 * `ranks` at these indices, if it is not NULL. The caller frees *out, after a failure too. */
static int list_pairs(struct job *job, const struct trie_query *d, const int64_t *begins, const int64_t *ends,
                      const int64_t *ranks, bosc_array *out)
{
    /* 1. Sizes. */
    int64_t total = 0, max_count = 0;
    for (int64_t q = 0; q < d->queries.n; q++) {
        total += ends[q] - begins[q];
        if (ends[q] - begins[q] > max_count) max_count = ends[q] - begins[q];
    }
    *out = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {total, 2, 1, 1}};
    out->data = job_alloc((size_t)total, 2 * sizeof(int64_t));
    int64_t *row_of = out->data ? job_alloc((size_t)d->info.keys, sizeof *row_of) : NULL;
    int64_t *rows = row_of ? job_alloc((size_t)max_count, sizeof *rows) : NULL, *pair = out->data;
    bosc_status status = rows ? bosc_trie_get_keys(job->ctx, d->trie, 0, d->info.keys, NULL, row_of, NULL) : BOSC_OK;
    /* 2. Rows of each query, sorted. */
    for (int64_t q = 0; q < d->queries.n && rows && status == BOSC_OK; q++) {
        int64_t count = ends[q] - begins[q];
        for (int64_t i = 0; i < count; i++) rows[i] = row_of[ranks ? ranks[begins[q] + i] : begins[q] + i];
        qsort(rows, (size_t)count, sizeof *rows, compare_rows);
        for (int64_t i = 0; i < count; i++) {
            *pair++ = d->queries.file_rows ? d->queries.file_rows[q] : q;
            *pair++ = rows[i];
        }
    }
    int code = !rows ? EXIT_FAILED : status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    free(row_of);
    free(rows);
    job_set_integer(job, "found", total);
    return code;
}

static int find_prefixes(struct job *job, const struct trie_query *d, bosc_array *out)
{
    int64_t m = d->queries.n, *begins = job_alloc((size_t)m, sizeof *begins);
    int64_t *ends = begins ? job_alloc((size_t)m, sizeof *ends) : NULL;
    int32_t *lengths = ends ? job_alloc((size_t)m, sizeof *lengths) : NULL;
    int code = lengths ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        for (int64_t q = 0; q < m; q++) lengths[q] = (int32_t)d->letters;
        double start = job_now();
        bosc_status status = bosc_trie_prefix(job->ctx, d->trie, d->queries.rows, lengths, m, 0, begins, ends);
        job_add_seconds(job, "find", start);
        code = status == BOSC_OK ? list_pairs(job, d, begins, ends, NULL, out) : report_ctx_error(job->ctx, status);
    }
    free(begins);
    free(ends);
    free(lengths);
    return code;
}

static int find_neighbours(struct job *job, const struct trie_query *d, bosc_array *out)
{
    int64_t m = d->queries.n, *offsets = job_alloc((size_t)m + 1, sizeof *offsets), *ranks = NULL;
    int code = offsets ? EXIT_DONE : EXIT_FAILED;
    double start = job_now();
    bosc_status status = BOSC_OK;
    if (!code) status = bosc_trie_neighbours(job->ctx, d->trie, d->queries.rows, m, 0, offsets, NULL, NULL, 0);
    if (!code && status == BOSC_OK && !(ranks = job_alloc((size_t)offsets[m], sizeof *ranks))) code = EXIT_FAILED;
    if (!code && status == BOSC_OK)
        status = bosc_trie_neighbours(job->ctx, d->trie, d->queries.rows, m, 0, offsets, ranks, NULL, offsets[m]);
    job_add_seconds(job, "find", start);
    if (!code)
        code = status == BOSC_OK ? list_pairs(job, d, offsets, offsets + 1, ranks, out)
                                 : report_ctx_error(job->ctx, status);
    free(offsets);
    free(ranks);
    return code;
}

static int read_trie_options(const struct job *job, struct trie_query *d, int *layout)
{
    static const enum option of_build[] = {OPT_LAYOUT, OPT_BY_VALUES, OPT_DIGIT};
    int code;
    if (path_has_ending(job->operands[0], ".bosc") &&
        (code = refuse_options(job, of_build, sizeof of_build / sizeof of_build[0], "a saved trie")))
        return code;
    if ((code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &d->bits)) ||
        (code = option_integer(job, OPT_LETTERS, 1, VECTOR_LENGTH_MAX, &d->letters)) ||
        (code = option_integer(job, OPT_DIGIT, 1, 8, &d->digit)))
        return code;
    code = option_choice(job, OPT_LAYOUT, layout);
    if (!code && job->value[OPT_BY_VALUES] && *layout != BOSC_TRIE_PUBLISHED)
        return report_error(EXIT_USAGE, "--by-values: needs --layout published");
    return code;
}

static int read_options(const struct job *job, struct trie_query *d, int *layout)
{
    static const enum option searches[] = {OPT_FIND, OPT_PREFIX, OPT_LONGEST, OPT_NEIGHBOURS};
    int count = 0;
    for (int i = 0; i < 4; i++) {
        if (!job->value[searches[i]]) continue;
        if (count++)
            return report_error(EXIT_USAGE, "%s and %s: one search is done at a time", option_flag(d->search),
                                option_flag(searches[i]));
        d->search = searches[i];
    }
    if (!count)
        return report_error(EXIT_USAGE, "%s: one of --find, --prefix, --longest and --neighbours is needed",
                            job->command->room);
    if (job->value[OPT_LETTERS] && d->search != OPT_PREFIX)
        return report_error(EXIT_USAGE, "--letters: needs --prefix");
    return read_trie_options(job, d, layout);
}

static void free_query(struct trie_query *d)
{
    bosc_trie_free(d->trie);
    bosc_vectors_free(&d->rows);
    bosc_vectors_free(&d->queries);
}

int run_trie(struct job *job)
{
    struct trie_query d = {.bits = 0};
    bosc_array out = {0};
    int layout = 0, code;
    if ((code = read_options(job, &d, &layout)) || (code = job_open(job))) return code;
    code = build_trie(job, &d, layout);
    if (!code) code = read_queries(job, &d);
    if (!code)
        code = d.search == OPT_FIND      ? find_vectors(job, &d, &out)
               : d.search == OPT_PREFIX  ? find_prefixes(job, &d, &out)
               : d.search == OPT_LONGEST ? find_longest(job, &d, &out)
                                         : find_neighbours(job, &d, &out);
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &out, 1);
    free_query(&d);
    bosc_array_free(&out);
    return code;
}

/* ---- saved tries ---- */

/* Writes the trie to -o, or to its own file, and reports its keys. */
static int save_trie(struct job *job, const struct trie_query *d)
{
    bosc_io_error error;
    bosc_trie_info info = {.size = sizeof info};
    const char *path = job->value[OPT_OUTPUT] ? job->value[OPT_OUTPUT] : job->operands[0];
    bosc_status status = bosc_trie_get_info(job->ctx, d->trie, &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    const double start = job_now();
    status = bosc_trie_save(job->ctx, d->trie, path, &error);
    job_add_seconds(job, "write", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    job_set_integer(job, "unique", info.keys);
    return EXIT_DONE;
}

int run_trie_build(struct job *job)
{
    struct trie_query d = {.bits = 0};
    int layout = 0, code;
    if ((code = read_trie_options(job, &d, &layout)) || (code = job_open(job))) return code;
    code = build_trie(job, &d, layout);
    if (!code) code = save_trie(job, &d);
    free_query(&d);
    return code;
}

/* Numbers the rows of the vectors to insert. Their file continues behind all rows, and behind the largest row of a key,
 * which is larger if a file had skipped vectors. The caller frees *numbers, after a failure too. */
static int number_rows(struct job *job, const struct trie_query *d, int64_t **numbers)
{
    const int64_t *file_rows = d->queries.file_rows;
    int64_t first = d->info.rows;
    int64_t *rows = *numbers = job_alloc((size_t)(d->info.keys + d->queries.n), sizeof *rows);
    if (!rows) return EXIT_FAILED;
    const bosc_status status = bosc_trie_get_keys(job->ctx, d->trie, 0, d->info.keys, NULL, rows, NULL);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    for (int64_t i = 0; i < d->info.keys; i++)
        if (rows[i] >= first) first = rows[i] + 1;
    for (int64_t i = 0; i < d->queries.n; i++) rows[i] = first + (file_rows ? file_rows[i] : i);
    return EXIT_DONE;
}

/* Adds vectors to a saved trie, or removes them. */
static int change_trie(struct job *job, bool erases)
{
    struct trie_query d = {.bits = 0};
    int64_t erased = 0, *numbers = NULL;
    const char *path = job->operands[1];
    int code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &d.bits);
    /* 1. The trie, and vectors of its length. */
    if (!code && !job->value[OPT_OUTPUT] && path_is_stdio(job->operands[0]))
        code = report_error(EXIT_USAGE, "-o: is missing, but the trie is standard input");
    if (!code) code = job_open(job);
    if (!code) code = load_trie(job, &d);
    if (!code) code = vectors_read(job, path, d.bits, &d.queries);
    if (!code && (d.queries.length != d.rows.length || d.queries.letter_bits != d.rows.letter_bits))
        code = report_mismatch(job, path, "vectors of", "those", &d);
    if (!code && !erases) code = number_rows(job, &d, &numbers);
    /* 2. The change. */
    if (!code) {
        const double start = job_now();
        const bosc_status status = erases ? bosc_trie_erase(job->ctx, d.trie, d.queries.rows, d.queries.n, 0, &erased)
                                          : bosc_trie_insert(job->ctx, d.trie, d.queries.rows, numbers, d.queries.n, 0);
        job_add_seconds(job, erases ? "erase" : "insert", start);
        if (status != BOSC_OK) code = report_ctx_error(job->ctx, status);
    }
    if (!code) code = save_trie(job, &d);
    if (!code && erases) job_set_integer(job, "erased", erased);
    if (!code && !erases)
        job_set_integer(job, "inserted", json_integer_value(json_object_get(job->results, "unique")) - d.info.keys);
    free(numbers);
    free_query(&d);
    return code;
}

int run_trie_insert(struct job *job) { return change_trie(job, false); }

int run_trie_erase(struct job *job) { return change_trie(job, true); }
