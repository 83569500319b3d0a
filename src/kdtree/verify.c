/* Verifies every node against all its ancestors, and the ids; reports the first error in words. */
#include "base/clock.h"
#include "core/call.h"
#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

static bosc_status find_offender(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    int64_t *found;
    BI_TRY(bi_scratch(ctx, sizeof *found, (void **)&found));
    BI_TRY(tree->ops->verify(ctx, tree, found));
    return bi_read_back(ctx, node, found, sizeof *node);
}

/* The ordered key of coordinate c of a node, read back. */
static bosc_status read_key(bosc_ctx *ctx, const bosc_kdtree_view *v, int64_t node, int32_t c, uint64_t *key)
{
    uint64_t element = 0;
    size_t size = bosc_dtype_size(v->dtype);
    const char *at = (const char *)v->points + (size_t)bosc_kdtree_element(v, node, c) * size;
    BI_TRY(bi_read_back(ctx, &element, at, size));
    *key = bi_kdtree_key(&element, 0, v->dtype);
    return BOSC_OK;
}

/* Compares nodes i and j by values read back: *order as bi_kdtree_compare_nodes; *c = the deciding coordinate, -1 for
 * the id. */
static bosc_status compare_back(bosc_ctx *ctx, const bosc_kdtree_view *v, int64_t i, int64_t j, int32_t first,
                                int *order, int32_t *c)
{
    uint32_t a, b;
    *c = first;
    for (int32_t t = 0; t < v->dim; t++, *c = bi_kdtree_cycle(*c, v->dim)) {
        uint64_t x, y;
        BI_TRY(read_key(ctx, v, i, *c, &x));
        BI_TRY(read_key(ctx, v, j, *c, &y));
        *order = x < y ? -1 : x > y;
        if (*order) return BOSC_OK;
    }
    *c = -1;
    BI_TRY(bi_read_back(ctx, &a, v->ids + i * v->id_stride, sizeof a));
    BI_TRY(bi_read_back(ctx, &b, v->ids + j * v->id_stride, sizeof b));
    *order = a < b ? -1 : a > b;
    return BOSC_OK;
}

/* Reports the ancestor on whose wrong side the node is, or else the error of its id. */
static bosc_status report_error(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t node)
{
    bosc_kdtree_view v = tree->ops->view(tree);
    struct bi_kdtree_range r = {0, tree->nodes};
    /* 1. Compare with the ancestors from the root down. */
    for (int level = 0; bi_kdtree_mid(r) != node; level++) {
        int64_t mid = bi_kdtree_mid(r);
        bool less = node < mid;
        int order;
        int32_t c;
        BI_TRY(compare_back(ctx, &v, node, mid, level % v.dim, &order, &c));
        if (less ? order >= 0 : order <= 0)
            return bi_fail(
                ctx, BOSC_ERR_DATA,
                "node %lld is on the %s side of its ancestor %lld (level %d, coordinate %d), but is %s by %s %d",
                (long long)node, less ? "less" : "greater", (long long)mid, level, level % v.dim,
                order < 0   ? "less"
                : order > 0 ? "greater"
                            : "equal",
                c < 0 ? "id, not coordinate" : "coordinate", c < 0 ? level % v.dim : (int)c);
        r = less ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
    /* 2. All are in order, so the id is wrong. */
    uint32_t id;
    BI_TRY(bi_read_back(ctx, &id, v.ids + node * v.id_stride, sizeof id));
    return bi_fail(ctx, BOSC_ERR_DATA, "node %lld has the id %lu, which is %s", (long long)node, (unsigned long)id,
                   (int64_t)id >= tree->n ? "out of range" : "also that of a node before it");
}

bosc_status bosc_kdtree_verify(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    bi_progress_set_total(ctx, 3 * (double)tree->nodes); /* the steps of the check */
    int64_t offender = INT64_MAX;
    double begin = bi_now();
    BI_TRY_WITH_SCRATCH(ctx, tree->nodes ? find_offender(ctx, tree, &offender) : BOSC_OK);
    double seconds = bi_now() - begin; /* several contexts may verify one tree at once */
    __atomic_store(&((bosc_kdtree *)tree)->times.verify, &seconds, __ATOMIC_RELAXED);
    if (offender == INT64_MAX) return BOSC_OK;
    if (node) *node = offender;
    return report_error(ctx, tree, offender);
}
