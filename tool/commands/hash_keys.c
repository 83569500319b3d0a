/* Typed keys of hash tables, widened values, and the options of tables. */
#include "tool/commands/hash_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"

static bool is_float(bosc_dtype type) { return type == BOSC_F32 || type == BOSC_F64; }

static bool is_signed(bosc_dtype type)
{
    return type == BOSC_I8 || type == BOSC_I16 || type == BOSC_I32 || type == BOSC_I64;
}

bosc_dtype hash_key_type(bosc_dtype type, int32_t key_bits)
{
    const bool is_64bit = key_bits == 64;
    if (is_float(type)) return is_64bit ? BOSC_F64 : BOSC_F32;
    if (is_signed(type)) return is_64bit ? BOSC_I64 : BOSC_I32;
    return is_64bit ? BOSC_U64 : BOSC_U32;
}

/* Makes floats equal in their bits where they are equal: -0 is 0, and NaNs are one. */
static void unify_floats(bosc_array *keys)
{
    float *f4 = keys->data;
    double *f8 = keys->data;
    for (int64_t i = 0; i < keys->shape[0] && keys->dtype == BOSC_F32; i++)
        f4[i] = isnan(f4[i]) ? (float)NAN : f4[i] + 0.0F;
    for (int64_t i = 0; i < keys->shape[0] && keys->dtype == BOSC_F64; i++) f8[i] = isnan(f8[i]) ? NAN : f8[i] + 0.0;
}

int hash_convert_keys(const char *path, struct input_rows *rows, bosc_dtype *type)
{
    bosc_io_error error;
    bosc_array *keys = &rows->array;
    bosc_status status = BOSC_OK;
    if (bosc_dtype_size(keys->dtype) < 4)
        status = bosc_slice_convert(path, &rows->slice, keys, hash_key_type(keys->dtype, 32), 0, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    unify_floats(keys);
    *type = keys->dtype;
    keys->dtype = bosc_dtype_size(*type) == 4 ? BOSC_U32 : BOSC_U64;
    return EXIT_DONE;
}

/* Returns an element, exactly: long double has 64 bits of precision or more where the tool runs. */
static long double element_at(const bosc_array *a, int64_t i)
{
    switch (a->dtype) {
    case BOSC_F32: return (long double)((const float *)a->data)[i];
    case BOSC_F64: return (long double)((const double *)a->data)[i];
    case BOSC_I8: return ((const int8_t *)a->data)[i];
    case BOSC_I16: return ((const int16_t *)a->data)[i];
    case BOSC_I32: return ((const int32_t *)a->data)[i];
    case BOSC_I64: return (long double)((const int64_t *)a->data)[i];
    case BOSC_U8: return ((const uint8_t *)a->data)[i];
    case BOSC_U16: return ((const uint16_t *)a->data)[i];
    case BOSC_U32: return ((const uint32_t *)a->data)[i];
    default: return (long double)((const uint64_t *)a->data)[i];
    }
}

/* Stores x as element i of an array; false: its type has no such number. */
static bool store_element(long double x, const bosc_array *to, int64_t i)
{
    static const long double ends[][2] = {[BOSC_I32] = {INT32_MIN, INT32_MAX},
                                          [BOSC_U32] = {0, UINT32_MAX},
                                          [BOSC_I64] = {(long double)INT64_MIN, (long double)INT64_MAX},
                                          [BOSC_U64] = {0, (long double)UINT64_MAX}};
    if (to->dtype == BOSC_F32) {
        ((float *)to->data)[i] = (float)x;
        return isnan(x) || (long double)(float)x == x;
    }
    if (to->dtype == BOSC_F64) {
        ((double *)to->data)[i] = (double)x;
        return isnan(x) || (long double)(double)x == x;
    }
    if (!(x >= ends[to->dtype][0] && x <= ends[to->dtype][1]) || x != truncl(x)) return false;
    const uint64_t bits = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
    if (bosc_dtype_size(to->dtype) == 4)
        ((uint32_t *)to->data)[i] = (uint32_t)bits;
    else
        ((uint64_t *)to->data)[i] = bits;
    return true;
}

int hash_convert_queries(const char *path, struct input_rows *rows, bosc_dtype type, uint8_t **absent)
{
    bosc_array *queries = &rows->array;
    const int64_t n = queries->shape[0];
    const int32_t bits = 8 * (int32_t)bosc_dtype_size(type);
    bosc_dtype same;
    if (bosc_dtype_size(queries->dtype) <= 4 ? hash_key_type(queries->dtype, 32) == type : queries->dtype == type)
        return hash_convert_keys(path, rows, &same);
    bosc_array converted = {.dtype = type, .rank = 1, .shape = {n, 1, 1, 1}};
    converted.data = job_alloc((size_t)n, (size_t)bits / 8);
    uint8_t *marks = converted.data ? job_alloc((size_t)n, 1) : NULL;
    if (!marks) {
        free(converted.data);
        return EXIT_FAILED;
    }
    memset(converted.data, 0, (size_t)n * ((size_t)bits / 8));
    for (int64_t i = 0; i < n; i++) {
        marks[i] = !store_element(element_at(queries, i), &converted, i);
        if (marks[i]) (void)store_element(0, &converted, i);
    }
    free(queries->data);
    *queries = converted;
    *absent = marks;
    return hash_convert_keys(path, rows, &same);
}

int hash_read_column(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows)
{
    bosc_array *column = &rows->array;
    int code = ranks_read_npy(job, ranks, path, rows);
    if (code) return code;
    if (column->rank == 2 && column->shape[1] == 1) column->rank = 1;
    if (column->rank != 1)
        return report_error(EXIT_FAILED, "%s: an array of %d dimensions, not one", path, column->rank);
    return EXIT_DONE;
}

static int64_t signed_element(const bosc_array *a, int64_t i)
{
    switch (a->dtype) {
    case BOSC_I8: return ((const int8_t *)a->data)[i];
    case BOSC_I16: return ((const int16_t *)a->data)[i];
    case BOSC_I32: return ((const int32_t *)a->data)[i];
    default: return ((const int64_t *)a->data)[i];
    }
}

/* Returns the type in which a table adds and compares values: it computes in 32 and 64 bits only. Narrowing a sum
 * afterwards gives the wrapped sum of the narrow type. */
static bosc_dtype widened_type(bosc_dtype type)
{
    return type == BOSC_I8 || type == BOSC_I16 ? BOSC_I32 : type == BOSC_U8 || type == BOSC_U16 ? BOSC_U32 : type;
}

static uint32_t widened_element(const bosc_array *a, int64_t i)
{
    switch (a->dtype) {
    case BOSC_U8: return ((const uint8_t *)a->data)[i];
    case BOSC_U16: return ((const uint16_t *)a->data)[i];
    default: return (uint32_t)signed_element(a, i);
    }
}

int hash_widen_values(bosc_array *a)
{
    if (widened_type(a->dtype) == a->dtype) return EXIT_DONE;
    uint32_t *widened = job_alloc((size_t)a->shape[0], sizeof *widened);
    if (!widened) return EXIT_FAILED;
    for (int64_t i = 0; i < a->shape[0]; i++) widened[i] = widened_element(a, i);
    free(a->data);
    a->data = widened;
    a->dtype = widened_type(a->dtype);
    return EXIT_DONE;
}

int hash_read_options(const struct job *job, bosc_hash_opts *opts)
{
    int layout = 0, policy = 0, code;
    int64_t functions = 0;
    uint64_t seed = 0;
    if ((code = option_choice(job, OPT_LAYOUT, &layout)) || (code = option_choice(job, OPT_DUPLICATES, &policy)) ||
        (code = option_integer(job, OPT_FUNCTIONS, 2, 4, &functions)) || (code = option_seed(job, &seed)))
        return code;
    const bool cuckoo = layout == BOSC_HASH_CUCKOO, chained = layout == BOSC_HASH_CHAINED;
    if (functions && !cuckoo && !chained)
        return report_error(EXIT_USAGE, "--functions: requires --layout cuckoo or chained");
    if (job->value[OPT_GO_LEFT] && !chained) return report_error(EXIT_USAGE, "--go-left: requires --layout chained");
    if ((code = option_number(job, OPT_LOAD, cuckoo && functions == 2 ? 0.25 : 0.5, &opts->load_factor))) return code;
    if (opts->load_factor > 0 && (layout == BOSC_HASH_HYBRID || layout == BOSC_HASH_FKS || layout == BOSC_HASH_CHAINED))
        return report_error(EXIT_USAGE, "--load: the load factor of layout %s is fixed",
                            option_choice_name(job, OPT_LAYOUT, layout));
    double max_load = cuckoo && functions == 2 ? 0.5 : cuckoo && functions == 3 ? 0.91 : 0.97;
    if (opts->load_factor > max_load)
        return report_error(EXIT_USAGE, "--load: %s is more than %g", job->value[OPT_LOAD], max_load);
    opts->layout = (bosc_hash_layout)layout;
    opts->functions = (int32_t)functions;
    opts->go_left = job->value[OPT_GO_LEFT] != NULL;
    opts->duplicates = (bosc_hash_duplicates)policy;
    opts->seed = seed;
    return EXIT_DONE;
}
