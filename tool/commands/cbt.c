/* boscage cbt create, split, merge, decode: a concurrent binary tree in a file. */
#include <boscage/cbt.h>

#include "render/memory.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/tool.h"

static int load_tree(struct job *job, bosc_cbt **tree, bosc_cbt_info *info)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_cbt_load(job->ctx, job->operands[0], tree, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    info->size = sizeof *info;
    status = bosc_cbt_get_info(job->ctx, *tree, info);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

static int save_tree(struct job *job, const bosc_cbt *tree, bosc_cbt_info *info)
{
    bosc_io_error error;
    info->size = sizeof *info;
    bosc_status status = bosc_cbt_get_info(job->ctx, tree, info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    double start = job_now();
    status = bosc_cbt_save(job->ctx, tree, job->value[OPT_OUTPUT], &error);
    job_add_seconds(job, "write", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    job_set_integer(job, "depth", info->depth);
    job_set_integer(job, "leaves", info->leaves);
    return EXIT_DONE;
}

/* Refuses a tree larger than the available memory: with overcommit the kernel would kill a process instead. */
static int check_memory(const struct job *job, const bosc_cbt_opts *opts)
{
    bosc_ctx_info info = {.size = sizeof info};
    int64_t bytes, available = memory_available();
    if (available < 0 || bosc_ctx_get_info(job->ctx, &info) != BOSC_OK || info.backend != BOSC_BACKEND_CPU)
        return EXIT_DONE;
    if (bosc_cbt_bytes(job->ctx, opts, &bytes, NULL, NULL) != BOSC_OK || bytes <= available) return EXIT_DONE;
    return report_error(EXIT_FAILED, "--depth: %d needs %.1f GB of memory, of which %.1f GB are left", opts->depth,
                        1e-9 * (double)bytes, 1e-9 * (double)available);
}

int run_cbt_create(struct job *job)
{
    int64_t depth = 0, level = 0;
    int layout = 0, code;
    if ((code = option_integer(job, OPT_DEPTH, 0, BOSC_CBT_MAX_DEPTH, &depth)) ||
        (code = option_integer(job, OPT_LEVEL, 0, depth, &level)) || (code = option_choice(job, OPT_LAYOUT, &layout)) ||
        (code = job_open(job)))
        return code;
    const bosc_cbt_opts opts = {
        .size = sizeof opts, .depth = (int32_t)depth, .level = (int32_t)level, .layout = (bosc_cbt_layout)layout};
    bosc_cbt *tree = NULL;
    bosc_cbt_info info;
    if ((code = check_memory(job, &opts))) return code;
    double start = job_now();
    bosc_status status = bosc_cbt_create(job->ctx, &opts, &tree);
    job_add_seconds(job, "create", start);
    code = status == BOSC_OK ? save_tree(job, tree, &info) : report_ctx_error(job->ctx, status);
    bosc_cbt_free(tree);
    return code;
}

static uint64_t node_at(const bosc_array *a, int64_t i)
{
    switch (a->dtype) {
    case BOSC_U32: return ((const uint32_t *)a->data)[i];
    case BOSC_I32: return (uint64_t)((const int32_t *)a->data)[i];
    default: return ((const uint64_t *)a->data)[i];
    }
}

/* Reads --nodes and converts them to the tree's id_bits; nodes->dtype is U64 in both cases. Numbers that do not fit
 * become 0, which is no node. The caller frees *nodes, after a failure too. */
static int read_nodes(struct job *job, int32_t id_bits, bosc_array *nodes)
{
    const char *path = job->value[OPT_NODES];
    bosc_array input = {0};
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_npy_read(path, &input, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    /* 1. Integers of 32 or 64 bits. */
    bool integers =
        input.dtype == BOSC_I32 || input.dtype == BOSC_U32 || input.dtype == BOSC_I64 || input.dtype == BOSC_U64;
    int code = EXIT_DONE;
    if (!integers || input.rank != 1)
        code = report_error(EXIT_FAILED,
                            "%s: nodes are integers of 32 or 64 bits in one dimension, but this array is %s in %d",
                            path, dtype_code(input.dtype), input.rank);
    /* 2. Convert. */
    int64_t count = input.shape[0];
    *nodes = (bosc_array){.dtype = BOSC_U64, .rank = 1, .shape = {count, 1, 1, 1}};
    if (!code && !(nodes->data = job_alloc((size_t)count, sizeof(uint64_t)))) code = EXIT_FAILED;
    for (int64_t i = 0; !code && i < count; i++) {
        uint64_t node = node_at(&input, i);
        if (id_bits == 64)
            ((uint64_t *)nodes->data)[i] = node;
        else
            ((uint32_t *)nodes->data)[i] = node > UINT32_MAX ? 0 : (uint32_t)node;
    }
    bosc_array_free(&input);
    return code;
}

typedef bosc_status (*change_fn)(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count);

/* Splits or merges leaves and saves the new tree. result: name of the number of changed leaves. */
static int change_leaves(struct job *job, change_fn change, const char *result)
{
    bosc_cbt *tree = NULL;
    bosc_cbt_info old_info = {0}, new_info = {0};
    bosc_array nodes = {0};
    int code = job_open(job);
    if (!code) code = load_tree(job, &tree, &old_info);
    if (!code) code = read_nodes(job, old_info.id_bits, &nodes);
    if (!code) {
        double start = job_now();
        bosc_status status = change(job->ctx, tree, nodes.data, nodes.shape[0]);
        if (status == BOSC_OK) status = bosc_cbt_reduce(job->ctx, tree);
        job_add_seconds(job, "update", start);
        code = status == BOSC_OK ? save_tree(job, tree, &new_info) : report_ctx_error(job->ctx, status);
    }
    if (!code) {
        int64_t changed = new_info.leaves - old_info.leaves;
        job_set_integer(job, result, changed < 0 ? -changed : changed);
    }
    bosc_cbt_free(tree);
    bosc_array_free(&nodes);
    return code;
}

int run_cbt_split(struct job *job) { return change_leaves(job, bosc_cbt_split, "split"); }

int run_cbt_merge(struct job *job) { return change_leaves(job, bosc_cbt_merge, "merged"); }

static int decode_leaves(struct job *job, const bosc_cbt *tree, const bosc_cbt_info *info, bosc_array *nodes)
{
    *nodes = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {info->leaves, 1, 1, 1}};
    nodes->data = job_alloc((size_t)info->leaves, sizeof(int64_t));
    if (!nodes->data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_cbt_decode(job->ctx, tree, 0, info->leaves, nodes->data);
    job_add_seconds(job, "decode", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    widen_ids(info->id_bits, nodes->data, info->leaves);
    return EXIT_DONE;
}

int run_cbt_decode(struct job *job)
{
    bosc_cbt *tree = NULL;
    bosc_cbt_info info;
    bosc_array nodes = {0};
    int code = job_open(job);
    if (!code) code = load_tree(job, &tree, &info);
    if (!code) {
        job_set_integer(job, "depth", info.depth);
        job_set_integer(job, "leaves", info.leaves);
        if (job->value[OPT_OUTPUT]) code = decode_leaves(job, tree, &info, &nodes);
    }
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &nodes, 1);
    bosc_cbt_free(tree);
    bosc_array_free(&nodes);
    return code;
}
