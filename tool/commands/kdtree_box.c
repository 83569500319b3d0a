/* boscage kdtree box */
#include "tool/clock.h"
#include "tool/commands/boxes.h"
#include "tool/commands/commands.h"
#include "tool/commands/kdtree_rows_ranks.h"
#include "tool/commands/points.h"
#include "tool/commands/trees.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

static int read_boxes(struct job *job, const bosc_kdtree_info *info, bosc_array *boxes)
{
    const char *path = job->value[OPT_BOXES];
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_npy_read(path, boxes, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    int code = boxes_check(path, boxes, info->dim);
    if (!code) code = match_points(job, path, boxes, info->dtype);
    return code ? code : boxes_reject_nan(path, boxes, 0);
}

static int find_in_boxes(struct job *job, const bosc_kdtree *tree, const bosc_array *boxes, bosc_array *offsets,
                         bosc_array *ids)
{
    int64_t m = boxes->shape[0];
    *offsets = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {m + 1, 1, 1, 1}};
    offsets->data = job_alloc((size_t)m + 1, sizeof(int64_t));
    if (!offsets->data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_kdtree_box(job->ctx, tree, boxes->data, m, offsets->data, NULL, 0);
    job_add_seconds(job, "count", start);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    int64_t pairs = ((const int64_t *)offsets->data)[m];
    job_set_integer(job, "pairs", pairs);
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    *ids = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {pairs, 1, 1, 1}};
    ids->data = job_alloc((size_t)pairs, sizeof(int64_t));
    if (!ids->data) return EXIT_FAILED;
    start = job_now();
    status = bosc_kdtree_box(job->ctx, tree, boxes->data, m, offsets->data, ids->data, pairs);
    job_add_seconds(job, "search", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
}

/* Reads tree and boxes, searches, and writes offsets and ids. */
static int search_boxes(struct job *job)
{
    bosc_kdtree_opts opts = {0};
    bosc_kdtree_info info = {.size = sizeof info};
    bosc_kdtree *tree = NULL;
    bosc_array boxes = {0}, offsets = {0}, ids = {0};
    int code = tree_read(job, job->operands[0], &opts, &tree);
    if (code) return code;
    bosc_kdtree_get_info(job->ctx, tree, &info);
    code = read_boxes(job, &info, &boxes);
    if (!code) code = find_in_boxes(job, tree, &boxes, &offsets, &ids);
    if (!code) {
        widen_ids(info.id_bits, ids.data, ids.shape[0]);
        const char *paths[] = {job->value[OPT_OFFSETS], job->value[OPT_OUTPUT]};
        code = arrays_write(job, paths, (const bosc_array[]){offsets, ids}, 2);
    }
    bosc_kdtree_free(tree);
    bosc_array_free(&boxes);
    bosc_array_free(&offsets);
    bosc_array_free(&ids);
    return code;
}

int run_kdtree_box(struct job *job)
{
    struct ranks ranks;
    int code;
    if (job->value[OPT_OUTPUT] && !job->value[OPT_OFFSETS])
        return report_error(EXIT_USAGE, "--offsets: is missing, but -o is given");
    if ((code = job_open(job))) return code;
    code = ranks_open(job, &ranks);
    if (!code) code = ranks.count ? search_over_ranks(job, &ranks, -1) : search_boxes(job);
    ranks_close(&ranks, code);
    return code;
}
