/* boscage hash build, insert, erase: a saved table. */
#include <stdlib.h>
#include <string.h>

#include <boscage/hash.h>

#include "tool/commands/commands.h"
#include "tool/commands/hash_keys.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"

/* A table, and the columns that change it. */
struct table_change {
    bosc_hash *table;
    bosc_hash_info info; /* before the change */
    struct input_rows keys, values;
    uint8_t *absent; /* keys.array[i] is none of the table's type */
};

int hash_load_table(struct job *job, bosc_hash **table, bosc_hash_info *info)
{
    bosc_io_error error;
    const char *path = job->operands[0];
    const double start = job_now();
    bosc_status status = bosc_hash_load(job->ctx, path, table, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    info->size = sizeof *info;
    status = bosc_hash_get_info(job->ctx, *table, info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    if (info->kind == BOSC_HASH_MAP) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: a multimap; only maps and sets are read", path);
}

int hash_value_type(const struct job *job, const bosc_hash_info *info, bosc_dtype *type)
{
    if (info->value_size == 0)
        return report_error(EXIT_FAILED, "%s: a set, which has no values (see boscage hash member)", job->operands[0]);
    *type = info->value_dtype;
    if ((size_t)info->value_size == bosc_dtype_size(*type)) return EXIT_DONE;
    *type = info->value_size == 4 ? BOSC_U32 : BOSC_U64;
    if (info->value_size == 4 || info->value_size == 8) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: values of %d bytes; read are those of 4 or 8", job->operands[0],
                        (int)info->value_size);
}

/* Writes the table to -o, or to its own file, and reports it. */
static int save_table(struct job *job, const bosc_hash *table)
{
    bosc_io_error error;
    bosc_hash_info info = {.size = sizeof info};
    const char *path = job->value[OPT_OUTPUT] ? job->value[OPT_OUTPUT] : job->operands[0];
    bosc_status status = bosc_hash_get_info(job->ctx, table, &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    const double start = job_now();
    status = bosc_hash_save(job->ctx, table, path, &error);
    job_add_seconds(job, "write", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    job_set_integer(job, "keys", info.keys);
    job_set_number(job, "load", info.load_factor);
    job_set_integer(job, "bytes", info.bytes);
    job_set_text(job, "layout", option_choice_name(job, OPT_LAYOUT, (int)info.layout));
    return EXIT_DONE;
}

/* Reads --values, one for each key. */
static int read_values(struct job *job, struct table_change *c)
{
    const char *path = job->value[OPT_VALUES];
    const struct ranks none = {0};
    const int code = hash_read_column(job, &none, path, &c->values);
    if (code || c->values.total == c->keys.total) return code;
    return report_error(EXIT_FAILED, "%s: %lld values, but %lld keys", path, (long long)c->values.total,
                        (long long)c->keys.total);
}

static void free_change(struct table_change *c)
{
    bosc_hash_free(c->table);
    bosc_array_free(&c->keys.array);
    bosc_array_free(&c->values.array);
    free(c->absent);
}

static int build_table(struct job *job, struct table_change *c, bosc_hash_opts *opts)
{
    bosc_dtype type = BOSC_U32;
    const struct ranks none = {0};
    int code = hash_read_keys(job, &none, job->value[OPT_KEYS], &c->keys, &type);
    if (!code && job->value[OPT_VALUES]) code = read_values(job, c);
    /* Files hold no types of values of 8 and 16 bits. */
    if (!code && job->value[OPT_VALUES]) code = hash_widen_values(&c->values.array);
    if (code) return code;
    opts->key_bits = hash_key_bits(&c->keys.array);
    opts->value_dtype = c->values.array.dtype;
    opts->value_size = job->value[OPT_VALUES] ? (int32_t)bosc_dtype_size(c->values.array.dtype) : 0;
    const double start = job_now();
    bosc_status status = bosc_hash_create(job->ctx, opts, &c->table);
    if (status == BOSC_OK)
        status = bosc_hash_build(job->ctx, c->table, c->keys.array.data, c->values.array.data, c->keys.total);
    job_add_seconds(job, "build", start);
    job_set_integer(job, "n", c->keys.total);
    return status == BOSC_OK ? EXIT_DONE : report_argument_error(job->ctx, status, "keys", job->value[OPT_KEYS]);
}

int run_hash_build(struct job *job)
{
    struct table_change c = {.table = NULL};
    bosc_hash_opts opts = {.size = sizeof opts};
    int code;
    if (job->value[OPT_DUPLICATES] && !job->value[OPT_VALUES])
        return report_error(EXIT_USAGE, "--duplicates: requires --values");
    if ((code = hash_read_options(job, &opts)) || (code = job_open(job))) return code;
    code = build_table(job, &c, &opts);
    if (!code) code = save_table(job, c.table);
    free_change(&c);
    return code;
}

/* Reads the table, and keys of its type. */
static int read_change(struct job *job, struct table_change *c)
{
    const char *path = job->value[OPT_KEYS];
    const struct ranks none = {0};
    int code = job_open(job);
    if (!code && !job->value[OPT_OUTPUT] && path_is_stdio(job->operands[0]))
        code = report_error(EXIT_USAGE, "-o: is missing, but the table is standard input");
    if (!code) code = hash_load_table(job, &c->table, &c->info);
    return code ? code : hash_read_queries(job, &none, path, c->info.key_bits, NULL, &c->keys, &c->absent, NULL);
}

/* Reads the values, of the type of the table's. */
static int read_new_values(struct job *job, struct table_change *c)
{
    bosc_dtype type = BOSC_U32;
    bosc_io_error error;
    if (c->info.value_size && !job->value[OPT_VALUES]) return report_error(EXIT_USAGE, "--values: is missing");
    if (!c->info.value_size && !job->value[OPT_VALUES]) return EXIT_DONE;
    int code = hash_value_type(job, &c->info, &type);
    if (!code) code = read_values(job, c);
    if (code) return code;
    const bosc_status status = bosc_array_convert(job->value[OPT_VALUES], &c->values.array, type, 0, &error);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int run_hash_insert(struct job *job)
{
    struct table_change c = {.table = NULL};
    int code = read_change(job, &c);
    for (int64_t i = 0; !code && c.absent && i < c.keys.total; i++)
        if (c.absent[i])
            code = report_error(EXIT_FAILED, "%s: row %lld: the table has keys of %d bits, and none is this %s",
                                job->value[OPT_KEYS], (long long)i, (int)c.info.key_bits,
                                c.info.key_bits == 128 ? "word" : "number");
    if (!code) code = read_new_values(job, &c);
    if (!code) {
        const double start = job_now();
        const bosc_status status =
            bosc_hash_insert(job->ctx, c.table, c.keys.array.data, c.values.array.data, c.keys.total);
        job_add_seconds(job, "insert", start);
        if (status != BOSC_OK) code = report_argument_error(job->ctx, status, "keys", job->value[OPT_KEYS]);
    }
    if (!code) code = save_table(job, c.table);
    if (!code)
        job_set_integer(job, "inserted", json_integer_value(json_object_get(job->results, "keys")) - c.info.keys);
    free_change(&c);
    return code;
}

/* Removes the keys that the table cannot have from the list. */
static void compact_keys(struct table_change *c)
{
    const size_t size = (size_t)c->info.key_bits / 8;
    int64_t count = 0;
    if (!c->absent) return;
    for (int64_t i = 0; i < c->keys.total; i++)
        if (!c->absent[i])
            memmove((char *)c->keys.array.data + size * (size_t)count++, (char *)c->keys.array.data + size * (size_t)i,
                    size);
    c->keys.total = count;
}

int run_hash_erase(struct job *job)
{
    struct table_change c = {.table = NULL};
    int64_t erased = 0;
    int code = read_change(job, &c);
    if (!code) {
        compact_keys(&c);
        const double start = job_now();
        const bosc_status status = bosc_hash_erase(job->ctx, c.table, c.keys.array.data, c.keys.total, &erased);
        job_add_seconds(job, "erase", start);
        if (status != BOSC_OK) code = report_argument_error(job->ctx, status, "keys", job->value[OPT_KEYS]);
    }
    if (!code) code = save_table(job, c.table);
    if (!code) job_set_integer(job, "erased", erased);
    free_change(&c);
    return code;
}
