/* boscage emst */
#include "tool/commands/commands.h"
#include "tool/commands/emst_ranks.h"
#include "tool/commands/spanning_tree.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Reports the weight and writes the edges. */
static int report_tree(struct job *job, const struct spanning_tree *s)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_LENGTHS]};
    double weight = 0;
    bosc_status status = bosc_reduce(job->ctx, BOSC_SUM, BOSC_F64, s->lengths.data, s->lengths.shape[0], &weight);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    job_set_integer(job, "edges", s->edges.shape[0]);
    job_set_number(job, "weight", weight);
    return arrays_write(job, paths, (const bosc_array[]){s->edges, s->lengths}, paths[1] ? 2 : 1);
}

int run_emst(struct job *job)
{
    struct spanning_tree tree = {0};
    struct ranks ranks;
    int code = job_open(job);
    if (code) return code;
    code = ranks_open(job, &ranks);
    if (!code)
        code = ranks.count ? emst_over_ranks(job, &ranks, &tree) : spanning_tree_compute(job, job->operands[0], &tree);
    if (!code && !job->silent) code = report_tree(job, &tree);
    spanning_tree_free(&tree);
    ranks_close(&ranks, code);
    return code;
}
