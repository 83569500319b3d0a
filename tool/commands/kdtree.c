/* boscage kdtree build, verify */
#include "tool/commands/commands.h"
#include "tool/commands/over_ranks.h"
#include "tool/commands/points.h"
#include "tool/commands/trees.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Adds the stages that the published programs print. Their "build" is the stage after the sorts; it is named
 * "partition" here, since "build" is the whole build. */
static void report_stages(struct job *job, const bosc_kdtree *tree)
{
    bosc_kdtree_times t = {.size = sizeof t};
    if (bosc_kdtree_get_times(job->ctx, tree, &t) != BOSC_OK) return;
    json_object_set_new(job->seconds, "init", json_real(t.init));
    json_object_set_new(job->seconds, "sort", json_real(t.sort));
    json_object_set_new(job->seconds, "deduplicate", json_real(t.deduplicate));
    json_object_set_new(job->seconds, "partition", json_real(t.build));
    json_object_set_new(job->seconds, "verify", json_real(t.verify));
}

static int build_tree(struct job *job, const bosc_kdtree_opts *opts, bosc_kdtree **tree)
{
    bosc_array points = {0};
    int code = points_read(job, job->operands[0], &points);
    if (code) return code;
    code = tree_build(job, job->operands[0], &points, opts, tree);
    bosc_array_free(&points);
    if (code || opts->builder == BOSC_KDTREE_AUTO) return code;
    bosc_status status = bosc_kdtree_verify(job->ctx, *tree, NULL);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    report_stages(job, *tree);
    return EXIT_DONE;
}

static int save_tree(struct job *job, const bosc_kdtree *tree)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_kdtree_save(job->ctx, tree, job->value[OPT_OUTPUT], &error);
    job_add_seconds(job, "write", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    bosc_kdtree_info info = {.size = sizeof info};
    bosc_kdtree_get_info(job->ctx, tree, &info);
    job_set_integer(job, "n", info.n);
    job_set_integer(job, "nodes", info.nodes);
    job_set_integer(job, "depth", info.depth);
    job_set_integer(job, "duplicates", info.duplicates);
    return EXIT_DONE;
}

static int build_and_save(struct job *job, const bosc_kdtree_opts *opts)
{
    bosc_kdtree *tree = NULL;
    int code = build_tree(job, opts, &tree);
    if (!code) code = save_tree(job, tree);
    bosc_kdtree_free(tree);
    return code;
}

int run_kdtree_build(struct job *job)
{
    struct ranks ranks;
    int builder = 0, code;
    int32_t blocks = 0, threads = 0;
    if ((code = option_choice(job, OPT_BUILDER, &builder)) ||
        (code = option_launch(job, OPT_LAUNCH, &blocks, &threads)))
        return code;
    if (blocks && builder != BOSC_KDTREE_BROWN) return report_error(EXIT_USAGE, "--launch: needs --builder brown");
    if ((code = job_open(job))) return code;
    const bosc_kdtree_opts opts = {.blocks = blocks,
                                   .threads = threads,
                                   .builder = (bosc_kdtree_builder)builder,
                                   .duplicates = job->value[OPT_UNIQUE] ? BOSC_KDTREE_DUPLICATES_REMOVE
                                                                        : BOSC_KDTREE_DUPLICATES_KEEP};
    code = ranks_open(job, &ranks);
    if (!code && job->value[OPT_FULL_COORDINATES] && !ranks.count)
        code = report_error(EXIT_USAGE, "--full-coordinates: needs --ranks 2, 4, 8, ...");
    if (!code) code = ranks.count ? kdtree_build_over_ranks(job, &ranks, &opts) : build_and_save(job, &opts);
    ranks_close(&ranks, code);
    return code;
}

static int verify_tree(struct job *job)
{
    int code = EXIT_DONE;
    bosc_io_error error;
    bosc_kdtree *tree = NULL;
    double start = job_now();
    bosc_status status = bosc_kdtree_load(job->ctx, job->operands[0], &tree, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    bosc_kdtree_info info = {.size = sizeof info};
    bosc_kdtree_get_info(job->ctx, tree, &info);
    start = job_now();
    status = bosc_kdtree_verify(job->ctx, tree, NULL);
    job_add_seconds(job, "verify", start);
    if (status != BOSC_OK)
        code = report_error(status_exit_code(status), "%s: %s", job->operands[0], bosc_ctx_message(job->ctx));
    job_set_integer(job, "nodes", info.nodes);
    job_set_integer(job, "depth", info.depth);
    bosc_kdtree_free(tree);
    return code;
}

int run_kdtree_verify(struct job *job)
{
    struct ranks ranks;
    int code = job_open(job);
    if (code) return code;
    code = ranks_open(job, &ranks);
    if (!code) code = ranks.count ? kdtree_verify_over_ranks(job, &ranks) : verify_tree(job);
    ranks_close(&ranks, code);
    return code;
}
