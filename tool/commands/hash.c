/* boscage hash lookup, member, unique */
#include <stdlib.h>
#include <string.h>

#include <boscage/hash.h>

#include "tool/ranks.h"

/* Makes keys of other integer types those of u4 or u8; none may be negative. */
static int convert_keys(const char *path, struct rank_rows *rows)
{
    bosc_io_error error;
    bosc_array *keys = &rows->array;
    bosc_dtype type = keys->dtype == BOSC_I64 || keys->dtype == BOSC_U64 ? BOSC_U64 : BOSC_U32;
    if (keys->dtype == BOSC_F32 || keys->dtype == BOSC_F64)
        return say(EXIT_FAILED, "%s: the keys are %s, not integers", path, dtype_code(keys->dtype));
    bosc_status status = bosc_slice_convert(path, &rows->slice, keys, type, 0, &error);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

/* Reads a column of numbers, (n,) or (n, 1); if keys, as u4 or u8. */
static int column_read(struct job *job, const struct ranks *ranks, const char *path, bool keys, struct rank_rows *rows)
{
    bosc_array *column = &rows->array;
    int code = ranks_read_npy(job, ranks, path, rows);
    if (code) return code;
    if (column->rank == 2 && column->shape[1] == 1) column->rank = 1;
    if (column->rank != 1) return say(EXIT_FAILED, "%s: an array of %d dimensions, not one", path, column->rank);
    return keys ? convert_keys(path, rows) : EXIT_DONE;
}

/* The type that a table adds and compares for values of a type: it does so with 32 and 64 bits alone. The last 8 or 16
 * bits of a sum do not depend on how many more there are. */
static bosc_dtype wide_type(bosc_dtype type)
{
    return type == BOSC_I8 || type == BOSC_I16 ? BOSC_I32 : type == BOSC_U8 || type == BOSC_U16 ? BOSC_U32 : type;
}

static uint32_t widened(const bosc_array *a, int64_t i)
{
    switch (a->dtype) {
    case BOSC_I8: return (uint32_t)((const int8_t *)a->data)[i];
    case BOSC_I16: return (uint32_t)((const int16_t *)a->data)[i];
    case BOSC_U8: return ((const uint8_t *)a->data)[i];
    default: return ((const uint16_t *)a->data)[i];
    }
}

/* Replaces short integers by wide ones. */
static int widen(bosc_array *a)
{
    if (wide_type(a->dtype) == a->dtype) return EXIT_DONE;
    uint32_t *wide = job_alloc((size_t)a->shape[0], sizeof *wide);
    if (!wide) return EXIT_FAILED;
    for (int64_t i = 0; i < a->shape[0]; i++) wide[i] = widened(a, i);
    free(a->data);
    a->data = wide;
    a->dtype = wide_type(a->dtype);
    return EXIT_DONE;
}

/* Makes an array of 32 bits one of a shorter type, in its place. */
static void narrow(bosc_array *a, bosc_dtype type)
{
    size_t size = bosc_dtype_size(type);
    for (int64_t i = 0; i < a->shape[0]; i++) {
        uint32_t x = ((const uint32_t *)a->data)[i];
        uint16_t half = (uint16_t)x;
        uint8_t quarter = (uint8_t)x;
        memcpy((char *)a->data + (size_t)i * size, size == 1 ? (const void *)&quarter : &half, size);
    }
    a->dtype = type;
}

struct lookup {
    struct table_work at;
    struct ranks ranks;
    bosc_hash *table;
};

static int read_options(const struct job *job, bosc_hash_opts *opts)
{
    int layout = 0, policy = 0, code;
    int64_t functions = 0;
    uint64_t seed = 0;
    if ((code = option_choice(job, OPT_LAYOUT, &layout)) || (code = option_choice(job, OPT_DUPLICATES, &policy)) ||
        (code = option_integer(job, OPT_FUNCTIONS, 2, 4, &functions)) || (code = option_seed(job, &seed)))
        return code;
    bool cuckoo = layout == BOSC_HASH_CUCKOO;
    if (functions && !cuckoo) return say(EXIT_USAGE, "--functions: goes with --layout cuckoo alone");
    if ((code = option_number(job, OPT_LOAD, cuckoo && functions == 2 ? 0.25 : 0.5, &opts->load))) return code;
    if (opts->load > 0 && (layout == BOSC_HASH_HYBRID || layout == BOSC_HASH_FKS || layout == BOSC_HASH_CHAINED))
        return say(EXIT_USAGE, "--load: the layout %s has a fixed one", option_word(job, OPT_LAYOUT, layout));
    double most = cuckoo && functions == 2 ? 0.5 : cuckoo && functions == 3 ? 0.91 : 0.97;
    if (opts->load > most) return say(EXIT_USAGE, "--load: %s is more than %g", job->value[OPT_LOAD], most);
    opts->layout = (bosc_hash_layout)layout;
    opts->functions = (int32_t)functions;
    opts->duplicates = (bosc_hash_duplicates)policy;
    opts->seed = seed;
    return EXIT_DONE;
}

static int read_columns(struct job *job, struct lookup *l)
{
    const char *keys = job->value[OPT_KEYS], *values = job->value[OPT_VALUES], *queries = job->value[OPT_QUERIES];
    int code;
    if ((code = column_read(job, &l->ranks, keys, true, &l->at.keys)) ||
        (code = values ? column_read(job, &l->ranks, values, false, &l->at.values) : EXIT_DONE) ||
        (code = column_read(job, &l->ranks, queries, true, &l->at.queries)))
        return code;
    if (values && l->at.values.total != l->at.keys.total)
        return say(EXIT_FAILED, "%s: %lld values, but %lld keys", values, (long long)l->at.values.total,
                   (long long)l->at.keys.total);
    if (l->at.queries.array.dtype == l->at.keys.array.dtype) return EXIT_DONE;
    bosc_io_error error; /* of u4 and u8, both become u8 */
    bosc_status status = bosc_array_convert(keys, &l->at.keys.array, BOSC_U64, 0, &error);
    if (status == BOSC_OK) status = bosc_array_convert(queries, &l->at.queries.array, BOSC_U64, 0, &error);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

/* A message about the keys is one about their file. */
static int say_build(const struct job *job, bosc_status status)
{
    static const char about[] = "keys: ";
    const char *message = bosc_ctx_message(job->ctx);
    if (strncmp(message, about, sizeof about - 1) != 0) return say_ctx(job, status);
    return say(exit_code_of(status), "%s: %s", job->value[OPT_KEYS], message + sizeof about - 1);
}

static int build_and_find(struct job *job, struct lookup *l)
{
    int64_t m = l->at.queries.total, hits = 0;
    bosc_hash_info info = {.size = sizeof info};
    double start = job_now();
    bosc_status status = bosc_hash_create(job->ctx, &l->at.opts, &l->table);
    if (status == BOSC_OK)
        status = bosc_hash_build(job->ctx, l->table, l->at.keys.array.data, l->at.values.array.data, l->at.keys.total);
    job_seconds(job, "build", start);
    if (status != BOSC_OK) return say_build(job, status);
    start = job_now();
    status = bosc_hash_find(job->ctx, l->table, l->at.queries.array.data, m, l->at.out.data, l->at.found.data);
    job_seconds(job, "find", start);
    if (status == BOSC_OK) status = bosc_hash_get_info(job->ctx, l->table, &info);
    if (status != BOSC_OK) return say_ctx(job, status);
    for (int64_t i = 0; i < m; i++) hits += ((const uint8_t *)l->at.found.data)[i];
    job_integer(job, "n", l->at.keys.total);
    job_number(job, "load", info.load);
    job_integer(job, "bytes", info.bytes);
    job_integer(job, "found", hits);
    return EXIT_DONE;
}

/* Whether each query is a key. */
static int find_members(struct job *job, struct lookup *l)
{
    int64_t m = l->at.queries.total;
    l->at.opts.key_bits = l->at.keys.array.dtype == BOSC_U32 ? 32 : 64;
    l->at.found = (bosc_array){.dtype = BOSC_U8, .rank = 1, .shape = {m, 1, 1, 1}};
    l->at.found.data = job_alloc((size_t)m, 1);
    if (!l->at.found.data) return EXIT_FAILED;
    return l->ranks.count ? find_over_ranks(job, &l->ranks, &l->at) : build_and_find(job, l);
}

static int look_up(struct job *job, struct lookup *l)
{
    int code = read_columns(job, l);
    bosc_dtype type = l->at.values.array.dtype;
    bool computes = l->at.opts.duplicates == BOSC_HASH_SUM || l->at.opts.duplicates == BOSC_HASH_MIN;
    if (!code && computes) code = widen(&l->at.values.array);
    if (code) return code;
    size_t size = bosc_dtype_size(l->at.values.array.dtype);
    l->at.opts.value_size = (int32_t)size;
    l->at.opts.value_dtype = l->at.values.array.dtype;
    l->at.out = (bosc_array){.dtype = l->at.values.array.dtype, .rank = 1, .shape = {l->at.queries.total, 1, 1, 1}};
    l->at.out.data = job_alloc((size_t)l->at.queries.total, size);
    if (!l->at.out.data) return EXIT_FAILED;
    if ((code = find_members(job, l))) return code;
    if (l->at.out.dtype != type) narrow(&l->at.out, type);
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_FOUND]};
    return arrays_write(job, paths, (const bosc_array[]){l->at.out, l->at.found}, paths[1] ? 2 : 1);
}

static int look_up_members(struct job *job, struct lookup *l)
{
    int code = read_columns(job, l);
    if (!code) code = find_members(job, l);
    return code || !job->value[OPT_OUTPUT] ? code : arrays_write(job, &job->value[OPT_OUTPUT], &l->at.found, 1);
}

static int run_lookup(struct job *job, int (*work)(struct job *job, struct lookup *l))
{
    struct lookup l = {.at = {.opts = {.size = sizeof l.at.opts}}};
    int code;
    if ((code = read_options(job, &l.at.opts)) || (code = job_open(job))) return code;
    code = ranks_open(job, &l.ranks);
    if (!code) code = work(job, &l);
    ranks_close(&l.ranks, code);
    bosc_hash_free(l.table);
    bosc_array_free(&l.at.keys.array);
    bosc_array_free(&l.at.values.array);
    bosc_array_free(&l.at.queries.array);
    bosc_array_free(&l.at.out);
    bosc_array_free(&l.at.found);
    return code;
}

int run_hash_lookup(struct job *job) { return run_lookup(job, look_up); }

int run_hash_member(struct job *job) { return run_lookup(job, look_up_members); }

static int find_unique(struct job *job, const bosc_array *keys, bosc_array *ids, bosc_array *unique)
{
    double start = job_now();
    bosc_status status = bosc_hash_unique(job->ctx, keys->data, keys->shape[0], keys->dtype == BOSC_U32 ? 32 : 64,
                                          ids->data, unique->data, &unique->shape[0]);
    job_seconds(job, "unique", start);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

/* type: of the keys in the file. */
static int number_keys(struct job *job, const struct ranks *ranks, const struct rank_rows *keys, bosc_dtype type,
                       bosc_array *ids, bosc_array *unique)
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
    job_integer(job, "n", keys->total);
    job_integer(job, "unique", unique->shape[0]);
    bosc_status status = bosc_array_convert(job->operands[0], unique, type, 0, &error);
    if (status != BOSC_OK) return say_io(status, &error);
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_KEYS_OUT]};
    return arrays_write(job, paths, (const bosc_array[]){*ids, *unique}, paths[1] ? 2 : 1);
}

int run_hash_unique(struct job *job)
{
    struct rank_rows keys = {.total = 0};
    bosc_array ids = {0}, unique = {0};
    struct ranks ranks = {0};
    int code = job_open(job);
    if (!code) code = ranks_open(job, &ranks);
    if (!code) code = column_read(job, &ranks, job->operands[0], false, &keys);
    bosc_dtype type = keys.array.dtype;
    if (!code) code = convert_keys(job->operands[0], &keys);
    if (!code) code = number_keys(job, &ranks, &keys, type, &ids, &unique);
    ranks_close(&ranks, code);
    bosc_array_free(&keys.array);
    bosc_array_free(&ids);
    bosc_array_free(&unique);
    return code;
}
