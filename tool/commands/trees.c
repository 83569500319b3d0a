/* k-d trees of the commands, and pairs of close points from the neighbours of every point. */
#include "tool/commands/trees.h"

#include <math.h>

#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- trees ---- */

int tree_build(struct job *job, const char *path, const bosc_array *points, const bosc_kdtree_opts *opts,
               bosc_kdtree **tree)
{
    if (points->shape[1] > DIM_MAX)
        return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, but a tree takes at most %d", path,
                            (long long)points->shape[1], DIM_MAX);
    bosc_kdtree_opts tree_opts = *opts;
    bosc_kdtree *built = NULL;
    double start = job_now();
    tree_opts.size = sizeof tree_opts;
    tree_opts.dtype = points->dtype;
    tree_opts.dim = (int32_t)points->shape[1];
    bosc_status status = bosc_kdtree_create(job->ctx, &tree_opts, &built);
    if (status == BOSC_OK) status = bosc_kdtree_build(job->ctx, built, points->data, points->shape[0], 0);
    job_add_seconds(job, "build", start);
    if (status == BOSC_OK) {
        *tree = built;
        return EXIT_DONE;
    }
    int code = report_ctx_error(job->ctx, status);
    bosc_kdtree_free(built);
    return code;
}

/* Refuses a --dtype other than the type of a saved tree. */
static int check_tree_dtype(const struct job *job, const char *path, const bosc_kdtree *tree)
{
    bosc_kdtree_info info = {.size = sizeof info};
    int type = 0, code = option_choice(job, OPT_DTYPE, &type);
    bosc_kdtree_get_info(job->ctx, tree, &info);
    if (code || !job->value[OPT_DTYPE] || info.dtype == (bosc_dtype)(type + 1)) return code;
    return report_error(EXIT_FAILED, "%s: a tree of %s, which --dtype cannot make one of %s", path,
                        dtype_code(info.dtype), job->value[OPT_DTYPE]);
}

int tree_read(struct job *job, const char *path, const bosc_kdtree_opts *opts, bosc_kdtree **tree)
{
    bosc_array points = {0};
    int code = tree_or_points_read(job, path, tree, &points);
    if (code) return code;
    if (*tree) return check_tree_dtype(job, path, *tree);
    code = points_convert(job, path, NULL, &points);
    if (!code) code = tree_build(job, path, &points, opts, tree);
    bosc_array_free(&points);
    return code;
}

int tree_check_k(struct job *job, int64_t k, int64_t points)
{
    enum { MISSING_MAX = 1 << 20 }; /* ids of -1 a query; chosen: a larger k is taken for a typing error */
    if (k > points && k - points > MISSING_MAX)
        return report_error(EXIT_USAGE, "-k: %lld is far more than the %lld points", (long long)k, (long long)points);
    if (k > points) job_set_note(job, "k", "more than the points: the ids behind them are -1");
    return EXIT_DONE;
}

/* ---- pairs ---- */

/* A point at infinity is not its own neighbour (its distance is NaN) unless the radius is infinite. */
int64_t count_own_neighbours(const bosc_array *points, int64_t first, int64_t n, double radius)
{
    int64_t dim = points->shape[1], own = 0;
    if (isinf(points->dtype == BOSC_F32 ? (double)(float)radius : radius)) return n;
    for (int64_t i = first; i < first + n; i++) {
        bool finite = true;
        for (int64_t c = 0; c < dim && finite; c++) finite = isfinite(coordinate(points, i * dim + c));
        own += finite;
    }
    return own;
}

int64_t list_later_neighbours(int64_t first, int64_t n, const int64_t *offsets, const int64_t *ids, int64_t *pairs)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
            if (ids[e] <= first + i) continue;
            pairs[2 * kept] = first + i;
            pairs[2 * kept++ + 1] = ids[e];
        }
    return kept;
}
