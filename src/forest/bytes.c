/* Memory of spanning trees of points and of dendrograms, in advance. */
#include "base/bits.h"
#include "core/check.h"
#include "forest/emst.h"

/* Bytes a node, above what allocations and collectives took at their peak (tests: emst_bytes, hdbscan). */
enum {
    FIXED = 112,       /* labels, components, edges, and the sort of these */
    BY_SIZE = 10,      /* distances and bounds */
    BY_COORDINATE = 5, /* copies of the points in search orders, boxes of blocks, and the caller's points */
    MERGE = 168,       /* a merge of a dendrogram, with the caller's arrays */
    SLACK = 2 << 20    /* counters, collectives and alignment */
};

/* Returns the scratch of the search for the lists of n nodes. */
static int64_t count_search(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t list)
{
    const struct bi_kdtree_ops *ops = ctx->ops->kdtree;
    const bosc_kdtree tree = {.opts = *opts, .ops = ops, .nodes = n};
    return (int64_t)ops->query_bytes(ctx, &tree, n, list);
}

bosc_status bosc_emst_bytes(const bosc_ctx *ctx, const bosc_emst_opts *opts, int64_t n, int64_t min_samples,
                            int64_t *bytes)
{
    bosc_ctx *messages = (bosc_ctx *)ctx; /* only its message is written */
    bosc_emst_opts o;
    int64_t kept, building;
    BI_ENTER(messages);
    /* 1. Check the arguments. */
    BI_TRY(bi_emst_check_opts(messages, opts, &o));
    if (n < 0) return bi_fail(messages, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (min_samples != 0) BI_TRY(bi_emst_check_min_samples(messages, min_samples, n));
    if (!bytes) return bi_fail(messages, BOSC_ERR_ARG, "bytes: NULL");
    const bosc_kdtree_opts tree = {.size = sizeof tree, .dtype = o.dtype, .dim = o.dim, .id_bits = 32};
    BI_TRY(bosc_kdtree_bytes(ctx, &tree, n, &kept, &building));
    /* 2. A tree of all points, one without copies, the nodes of the rounds, and the search for their lists. */
    const int64_t size = o.dtype == BOSC_F32 ? 4 : 8, coordinate = (int64_t)bosc_dtype_size(o.dtype),
                  list = bi_emst_list_length(n, min_samples),
                  node = FIXED + BY_SIZE * size + BY_COORDINATE * coordinate * o.dim + list * (4 + size);
    const int64_t fixed = 2 * kept + building + SLACK;
    const bool fits = n == 0 || node <= (INT64_MAX - fixed) / n;
    const int64_t search = fits ? count_search(ctx, &tree, n, list) : 0;
    if (!fits || search > INT64_MAX - fixed - n * node)
        return bi_fail(messages, BOSC_ERR_LIMIT, "min_samples: lists of %lld neighbours take more than memory can hold",
                       (long long)list);
    *bytes = fixed + n * node + search;
    return BOSC_OK;
}

bosc_status bosc_linkage_bytes(const bosc_ctx *ctx, const bosc_linkage_opts *opts, int64_t n, int64_t *bytes)
{
    bosc_ctx *messages = (bosc_ctx *)ctx;
    bosc_linkage_opts full;
    BI_ENTER(messages);
    BI_TRY(bi_read_opts(messages, "bosc_linkage_opts", opts, &full, sizeof full));
    BI_TRY(bi_forest_check_id_bits(messages, full.id_bits ? full.id_bits : 64));
    if (n < 0) return bi_fail(messages, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > (int64_t)1 << 31)
        return bi_fail(messages, BOSC_ERR_LIMIT, "n: %lld vertices; there may be 2^31 at most", (long long)n);
    if (!bytes) return bi_fail(messages, BOSC_ERR_ARG, "bytes: NULL");
    *bytes = n * MERGE + SLACK;
    return BOSC_OK;
}
