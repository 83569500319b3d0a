/* boscage hash lookup, member, unique */
#include <stdlib.h>
#include <string.h>

#include <boscage/hash.h>

#include "tool/commands/commands.h"
#include "tool/commands/graphs.h"
#include "tool/commands/hash_keys.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Narrows an array of 32 bits to a type of 8 or 16 bits, in place. */
static void narrow_values(bosc_array *a, bosc_dtype type)
{
    size_t size = bosc_dtype_size(type);
    for (int64_t i = 0; i < a->shape[0]; i++) {
        uint32_t x = ((const uint32_t *)a->data)[i];
        uint16_t low16 = (uint16_t)x;
        uint8_t low8 = (uint8_t)x;
        memcpy((char *)a->data + (size_t)i * size, size == 1 ? (const void *)&low8 : &low16, size);
    }
    a->dtype = type;
}

/* Columns and options of a lookup, and its answers. */
struct table_work {
    struct input_rows keys, values, queries;
    bosc_names words;      /* of queries from a text */
    uint8_t *absent;       /* marks of the rows in queries.array that no key equals; NULL: there are none */
    bosc_array out, found; /* values, out: empty for a set */
    bosc_hash_opts opts;
    bosc_ranks_hash_info info;
};

/* A lookup command. */
struct lookup {
    struct table_work work;
    struct ranks ranks;
    bosc_hash *table;
    bosc_hash_info saved; /* of a table from a file */
};

/* Refuses options of a build beside a saved table, and requires the columns without one. */
static int check_inputs(const struct job *job)
{
    static const enum option of_build[] = {OPT_KEYS, OPT_VALUES, OPT_LAYOUT,     OPT_FUNCTIONS, OPT_GO_LEFT,
                                           OPT_LOAD, OPT_RANKS,  OPT_DUPLICATES, OPT_DEVICES};
    const bool has_values = job->command->run == run_hash_lookup;
    if (job->operand_count) return refuse_options(job, of_build, sizeof of_build / sizeof of_build[0], "a saved table");
    for (int i = 0; i < 1 + has_values; i++)
        if (!job->value[of_build[i]]) return report_error(EXIT_USAGE, "%s: is missing", option_flag(of_build[i]));
    return EXIT_DONE;
}

/* Reads keys, values and queries; or the saved table, and queries. The queries get the type of the keys. */
static int read_columns(struct job *job, struct lookup *l)
{
    const char *keys = job->value[OPT_KEYS], *values = job->value[OPT_VALUES], *queries = job->value[OPT_QUERIES];
    bosc_dtype type = BOSC_U32;
    int code;
    /* 1. The table, or its columns. */
    if (job->operand_count)
        code = hash_load_table(job, &l->table, &l->saved);
    else if (!(code = hash_read_keys(job, &l->ranks, keys, &l->work.keys, &type)) && values)
        code = hash_read_column(job, &l->ranks, values, &l->work.values);
    if (code) return code;
    if (values && l->work.values.total != l->work.keys.total)
        return report_error(EXIT_FAILED, "%s: %lld values, but %lld keys", values, (long long)l->work.values.total,
                            (long long)l->work.keys.total);
    /* 2. The queries. */
    const int32_t bits = l->table ? l->saved.key_bits : hash_key_bits(&l->work.keys.array);
    return hash_read_queries(job, &l->ranks, queries, bits, l->table ? NULL : &type, &l->work.queries, &l->work.absent,
                             &l->work.words);
}

/* Clears the answers of absent queries among `count` queries from row `first` of the input. */
static void clear_absent(struct table_work *w, int64_t first, int64_t count)
{
    if (!w->absent) return;
    size_t size = w->out.data ? bosc_dtype_size(w->out.dtype) : 0;
    for (int64_t i = first; i < first + count; i++) {
        if (!w->absent[i - w->queries.first]) continue;
        ((uint8_t *)w->found.data)[i] = 0;
        if (size) memset((char *)w->out.data + (size_t)i * size, 0, size);
    }
}

static int build_table(struct job *job, struct lookup *l)
{
    const double start = job_now();
    bosc_status status = bosc_hash_create(job->ctx, &l->work.opts, &l->table);
    if (status == BOSC_OK)
        status =
            bosc_hash_build(job->ctx, l->table, l->work.keys.array.data, l->work.values.array.data, l->work.keys.total);
    job_add_seconds(job, "build", start);
    return status == BOSC_OK ? EXIT_DONE : report_argument_error(job->ctx, status, "keys", job->value[OPT_KEYS]);
}

/* Looks the queries up in the table, and reports it. */
static int find_in_table(struct job *job, struct lookup *l)
{
    int64_t m = l->work.queries.total, hits = 0;
    bosc_hash_info info = {.size = sizeof info};
    const double start = job_now();
    bosc_status status =
        bosc_hash_find(job->ctx, l->table, l->work.queries.array.data, m, l->work.out.data, l->work.found.data);
    job_add_seconds(job, "find", start);
    if (status == BOSC_OK) status = bosc_hash_get_info(job->ctx, l->table, &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    clear_absent(&l->work, 0, m);
    for (int64_t i = 0; i < m; i++) hits += ((const uint8_t *)l->work.found.data)[i];
    job_set_integer(job, "n", job->operand_count ? info.keys : l->work.keys.total);
    job_set_number(job, "load", info.load_factor);
    job_set_integer(job, "bytes", info.bytes);
    job_set_integer(job, "found", hits);
    job_set_text(job, "layout", option_choice_name(job, OPT_LAYOUT, (int)info.layout));
    return EXIT_DONE;
}

/* Builds a table of this rank's slice of the keys, and looks up its slice of the queries. */
static bosc_status look_up_slice(const struct rank *r, void *user)
{
    struct table_work *w = user;
    bosc_ranks_hash *table = NULL;
    bosc_ranks_hash_info info = {.size = sizeof info};
    int64_t k, q, n = rank_slice(r, w->keys.total, &k), m = rank_slice(r, w->queries.total, &q);
    bosc_status status = bosc_ranks_hash_create(r->ctx, r->comm, &w->opts, &table);
    if (status == BOSC_OK)
        status = bosc_ranks_hash_build(r->ctx, table, input_row(&w->keys, k), input_row(&w->values, k), n);
    if (status == BOSC_OK)
        status = bosc_ranks_hash_find(r->ctx, table, input_row(&w->queries, q), m, array_row(&w->out, q),
                                      (uint8_t *)array_row(&w->found, q));
    if (status == BOSC_OK) clear_absent(w, q, m);
    if (status == BOSC_OK) status = bosc_ranks_hash_get_info(r->ctx, table, &info);
    if (status == BOSC_OK && r->number == 0) w->info = info;
    bosc_ranks_hash_free(table);
    return status;
}

static int lookup_over_ranks(struct job *job, const struct ranks *ranks, struct table_work *w)
{
    int64_t hits = 0;
    int code = ranks_run(job, ranks, "find", look_up_slice, w);
    if (!code) code = ranks_gather_array(ranks, &w->out, bosc_dtype_size(w->out.dtype));
    if (!code) code = ranks_gather_array(ranks, &w->found, 1);
    if (code) return code;
    for (int64_t i = 0; i < w->queries.total; i++) hits += ((const uint8_t *)w->found.data)[i];
    job_set_integer(job, "n", w->keys.total);
    job_set_number(job, "load", w->info.load_factor);
    job_set_integer(job, "bytes", w->info.bytes);
    job_set_integer(job, "found", hits);
    return EXIT_DONE;
}

/* Looks up the queries: sets found, and out unless it is empty. */
static int look_up_queries(struct job *job, struct lookup *l)
{
    int64_t m = l->work.queries.total;
    l->work.opts.key_bits = hash_key_bits(&l->work.keys.array);
    l->work.found = (bosc_array){.dtype = BOSC_U8, .rank = 1, .shape = {m, 1, 1, 1}};
    l->work.found.data = job_alloc((size_t)m, 1);
    if (!l->work.found.data) return EXIT_FAILED;
    if (l->ranks.count) return lookup_over_ranks(job, &l->ranks, &l->work);
    const int code = l->table ? EXIT_DONE : build_table(job, l);
    return code ? code : find_in_table(job, l);
}

/* Writes values and marks to their paths, NULL for none; to texts behind the words that were looked up. */
static int write_answers(struct job *job, const struct table_work *w, const char *out, const char *found)
{
    const char *paths[] = {out, found};
    const struct named_column columns[] = {{out, "value", &w->out, NULL}, {found, "found", &w->found, NULL}};
    const bosc_array arrays[] = {w->out, w->found};
    struct named_column named[2];
    const bool are_words = w->queries.array.rank == 2;
    int count = 0;
    for (int k = 0; k < 2; k++)
        if (are_words && path_is_text(paths[k])) {
            named[count++] = columns[k];
            paths[k] = NULL;
        }
    const int code = paths[0] || paths[1] ? arrays_write(job, paths, arrays, 2) : EXIT_DONE;
    return code ? code : named_columns_write(job, "key", named, count, &w->words);
}

static int look_up_values(struct job *job, struct lookup *l)
{
    int code = read_columns(job, l);
    if (!code && l->table) code = hash_value_type(job, &l->saved, &l->work.values.array.dtype);
    bosc_dtype type = l->work.values.array.dtype;
    bool is_computed = l->work.opts.duplicates == BOSC_HASH_SUM || l->work.opts.duplicates == BOSC_HASH_MIN;
    if (!code && is_computed) code = hash_widen_values(&l->work.values.array);
    if (code) return code;
    size_t size = bosc_dtype_size(l->work.values.array.dtype);
    l->work.opts.value_size = (int32_t)size;
    l->work.opts.value_dtype = l->work.values.array.dtype;
    l->work.out =
        (bosc_array){.dtype = l->work.values.array.dtype, .rank = 1, .shape = {l->work.queries.total, 1, 1, 1}};
    l->work.out.data = job_alloc((size_t)l->work.queries.total, size);
    if (!l->work.out.data) return EXIT_FAILED;
    if ((code = look_up_queries(job, l))) return code;
    /* Sums keep 32 bits, which a saved table has, too. */
    if (l->work.out.dtype != type && l->work.opts.duplicates != BOSC_HASH_SUM) narrow_values(&l->work.out, type);
    return write_answers(job, &l->work, job->value[OPT_OUTPUT], job->value[OPT_FOUND]);
}

static int look_up_members(struct job *job, struct lookup *l)
{
    int code = read_columns(job, l);
    if (!code) code = look_up_queries(job, l);
    return code ? code : write_answers(job, &l->work, NULL, job->value[OPT_OUTPUT]);
}

static int run_lookup(struct job *job, int (*look_up)(struct job *job, struct lookup *l))
{
    struct lookup l = {.work = {.opts = {.size = sizeof l.work.opts}}};
    int code;
    if ((code = check_inputs(job)) || (code = hash_read_options(job, &l.work.opts)) || (code = job_open(job)))
        return code;
    code = ranks_open(job, &l.ranks);
    if (!code) code = look_up(job, &l);
    ranks_close(&l.ranks, code);
    bosc_hash_free(l.table);
    bosc_array_free(&l.work.keys.array);
    bosc_array_free(&l.work.values.array);
    bosc_array_free(&l.work.queries.array);
    bosc_names_free(&l.work.words);
    free(l.work.absent);
    bosc_array_free(&l.work.out);
    bosc_array_free(&l.work.found);
    return code;
}

int run_hash_lookup(struct job *job) { return run_lookup(job, look_up_values); }

int run_hash_member(struct job *job) { return run_lookup(job, look_up_members); }

static int find_unique(struct job *job, const bosc_array *keys, bosc_array *ids, bosc_array *unique)
{
    double start = job_now();
    bosc_status status = bosc_hash_unique(job->ctx, keys->data, keys->shape[0], keys->dtype == BOSC_U32 ? 32 : 64,
                                          ids->data, unique->data, &unique->shape[0]);
    job_add_seconds(job, "unique", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

struct unique_work {
    const struct input_rows *keys;
    bosc_array *ids, *unique;
};

/* Numbers the keys of this rank's slice. It finds the distinct keys that occur first in it. */
static bosc_status number_slice(const struct rank *r, void *user)
{
    const struct unique_work *w = user;
    int64_t at, n = rank_slice(r, w->keys->total, &at);
    return bosc_ranks_unique(r->ctx, r->comm, input_row(w->keys, at), n, w->keys->array.dtype == BOSC_U32 ? 32 : 64,
                             (int64_t *)array_row(w->ids, at), array_row(w->unique, at), r->found, NULL);
}

static int unique_over_ranks(struct job *job, const struct ranks *ranks, const struct input_rows *keys, bosc_array *ids,
                             bosc_array *unique)
{
    struct unique_work w = {keys, ids, unique};
    int code = ranks_run(job, ranks, "unique", number_slice, &w);
    if (!code) code = ranks_gather_array(ranks, ids, sizeof(int64_t));
    if (code) return code;
    return ranks_gather_rows(ranks, keys->total, unique->data, bosc_dtype_size(unique->dtype), &unique->shape[0]);
}

/* Numbers the distinct keys and writes ids and keys. type: type of the keys in the file; bits: their type
 * after hash_convert_keys. */
static int number_keys(struct job *job, const struct ranks *ranks, const struct input_rows *keys, bosc_dtype type,
                       bosc_dtype bits, bosc_array *ids, bosc_array *unique)
{
    bosc_io_error error;
    size_t n = (size_t)keys->total;
    *ids = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {keys->total, 1, 1, 1}};
    *unique = (bosc_array){.dtype = keys->array.dtype, .rank = 1, .shape = {0, 1, 1, 1}};
    ids->data = job_alloc(n, sizeof(int64_t));
    unique->data = ids->data ? job_alloc(n, bosc_dtype_size(keys->array.dtype)) : NULL;
    if (!unique->data) return EXIT_FAILED;
    int code =
        ranks->count ? unique_over_ranks(job, ranks, keys, ids, unique) : find_unique(job, &keys->array, ids, unique);
    if (code) return code;
    job_set_integer(job, "n", keys->total);
    job_set_integer(job, "unique", unique->shape[0]);
    unique->dtype = bits;
    bosc_status status = bosc_array_convert(job->operands[0], unique, type, 0, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_KEYS_OUT]};
    return arrays_write(job, paths, (const bosc_array[]){*ids, *unique}, paths[1] ? 2 : 1);
}

int run_hash_unique(struct job *job)
{
    struct input_rows keys = {.total = 0};
    bosc_array ids = {0}, unique = {0};
    struct ranks ranks = {0};
    int code = job_open(job);
    if (!code) code = ranks_open(job, &ranks);
    if (!code) code = hash_read_column(job, &ranks, job->operands[0], &keys);
    bosc_dtype type = keys.array.dtype, bits = type;
    if (!code) code = hash_convert_keys(job->operands[0], &keys, &bits);
    if (!code) code = number_keys(job, &ranks, &keys, type, bits, &ids, &unique);
    ranks_close(&ranks, code);
    bosc_array_free(&keys.array);
    bosc_array_free(&ids);
    bosc_array_free(&unique);
    return code;
}
