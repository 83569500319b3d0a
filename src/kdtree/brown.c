/* The published method as published: Brown, Building a Balanced k-d Tree in O(k n log n) Time (JCGT 2015); Robinson,
 * KdTreeGPU. References, which are row numbers, are merge sorted by each superkey; duplicates, which are adjacent,
 * are removed from each list; then level by level the median of one list becomes the node and the other lists
 * are partitioned around it by superkey. build.c does the same with radix sorts.
 *
 * With sort_halves there is one list until the root is known: then the rows of its two sides are sorted by the other
 * superkeys separately, as in the published build on two devices. With 2, 4, 8, ... ranks each builds a subtree
 * (ranks/kdtree/published.c), whose rows arrive sorted by one superkey. */
#include "base/clock.h"
#include "core/call.h"
#include "kdtree/drivers.h"
#include "kdtree/shape.h"

/* The state of a build: the lists, and the runs of equal rows if duplicates are removed. */
struct brown {
    bosc_ctx *ctx;
    bosc_kdtree *next;
    struct bi_kdtree_references lists;
    bool unique, halves;
    bool last_sorted; /* rows are in the order of the last superkey */
    void *keys[32];   /* of the lists' own coordinates, for the removal of duplicates; NULL: none */
    struct bi_kdtree_runs runs;
    int64_t *found; /* backend: the first position out of order, then the number of references that each list keeps */
};

static bosc_status allocate_lists(struct brown *b, const struct bi_kdtree_rows *rows)
{
    const bosc_kdtree_opts *opts = &b->next->opts;
    struct bi_kdtree_references *l = &b->lists;
    int levels = bi_kdtree_last_list_level(rows->n) + 1;
    *l = (struct bi_kdtree_references){.rows = *rows, .dtype = opts->dtype, .dim = opts->dim, .n = rows->n};
    l->used = opts->dim < levels ? opts->dim : levels;
    if (opts->builder == BOSC_KDTREE_BROWN) {
        l->blocks = opts->blocks;
        l->threads = opts->threads;
    }
    for (int32_t p = 0; p < l->used; p++) BI_TRY(bi_scratch_of(b->ctx, rows->n, sizeof(uint32_t), &l->list[p]));
    BI_TRY(bi_scratch_of(b->ctx, rows->n, sizeof(uint32_t), &l->spare));
    if (!b->unique) return BOSC_OK;
    BI_TRY(bi_scratch_of(b->ctx, l->used + 1, sizeof *b->found, &b->found));
    return bi_kdtree_allocate_runs(b->ctx, rows->n, &b->runs);
}

/* out = the rows' references in the order of superkey p, and their keys of coordinate p. */
static bosc_status sort_list(bosc_ctx *ctx, const struct bi_kdtree_references *l, const struct bi_kdtree_rows *rows,
                             int32_t p, uint32_t *out, void *keys)
{
    BI_RETURN_WITH_SCRATCH(
        ctx, ctx->backend->core->sort_superkey(ctx, l->dtype, rows->data, rows->n, l->dim, rows->stride, p, out, keys));
}

/* --- Duplicates --------------------------------------------------------------------------------------------------- */

/* Removes duplicates from list p. The full list 0 remains as `perm`, from which equal rows are found later. */
static bosc_status remove_from_list(struct brown *b, int32_t p)
{
    struct bi_kdtree_references *l = &b->lists;
    uint32_t *from = l->list[p];
    if (p == 0) {
        l->list[0] = b->runs.names;
        b->runs.perm = from;
    }
    struct bi_kdtree_removal removal = {.rows = l->rows,
                                        .dtype = l->dtype,
                                        .dim = l->dim,
                                        .first = p,
                                        .n = l->rows.n,
                                        .from = from,
                                        .keys = b->keys[p],
                                        .to = l->list[p],
                                        .spare = l->spare,
                                        .ranks = p == 0 ? b->runs.ranks : NULL,
                                        .count = b->found + 1 + p,
                                        .bad = b->found};
    BI_RETURN_WITH_SCRATCH(b->ctx, b->next->ops->remove_duplicates(b->ctx, &removal));
}

/* Removes duplicates from all lists; each keeps the same rows. */
static bosc_status remove_duplicates(struct brown *b, int32_t lists)
{
    bosc_ctx *ctx = b->ctx;
    int64_t found[33], none = INT64_MAX;
    BI_TRY(ctx->backend->copy(ctx, b->found, &none, sizeof none));
    for (int32_t p = 0; p < lists; p++) BI_TRY(remove_from_list(b, p));
    BI_TRY(
        ctx->backend->copy(ctx, found, b->found, (size_t)(lists + 1) * sizeof *found)); /* too large for bi_read_back */
    BI_TRY(ctx->backend->sync(ctx));
    b->lists.n = b->runs.count = found[1];
    bool agree = found[0] == INT64_MAX;
    for (int32_t p = 1; p < lists; p++) agree &= found[1 + p] == found[1];
    if (!agree) /* reached only if a sort failed */
        return bi_fail(ctx, BOSC_ERR_INTERNAL, "deduplicate: unsorted at %lld", (long long)found[0]);
    struct bi_kdtree_run_starts starts = {b->runs.ranks, b->runs.n, b->runs.starts};
    return b->next->ops->steps->run_starts(ctx, b->runs.n, &starts);
}

/* --- Halves ------------------------------------------------------------------------------------------------------- */

/* Sorts the references of one side of the root, list[0][begin, end), by the other superkeys. Equal rows keep their
 * order, which is that of their numbers. */
static bosc_status sort_half(struct brown *b, struct bi_kdtree_range half)
{
    struct bi_kdtree_references *l = &b->lists;
    const struct bi_kdtree_steps *steps = b->next->ops->steps;
    int64_t n = half.end - half.begin;
    int32_t size = (int32_t)bosc_dtype_size(l->dtype);
    uint32_t *perm, *references = l->list[0] + half.begin;
    void *packed;
    BI_TRY(bi_scratch_of(b->ctx, n, sizeof *perm, &perm));
    BI_TRY(bi_scratch_of(b->ctx, n, (size_t)size * (size_t)l->dim, &packed));
    struct bi_kdtree_gather_rows gather = {l->rows, l->dim, size, references, packed};
    struct bi_kdtree_rows rows = {packed, n, l->dim};
    BI_TRY(steps->gather_rows(b->ctx, n * l->dim, &gather));
    for (int32_t p = 1; p < l->used; p++) {
        struct bi_kdtree_name_nodes name = {perm, l->list[p] + half.begin, 1, references, NULL};
        BI_TRY(sort_list(b->ctx, l, &rows, p, perm, NULL));
        BI_TRY(steps->name_nodes(b->ctx, n, &name));
    }
    return BOSC_OK;
}

static bosc_status sort_halves(struct brown *b)
{
    struct bi_kdtree_range all = {0, b->lists.n};
    b->lists.level = 1;
    if (bi_kdtree_last_list_level(b->lists.n) == 0) return BOSC_OK; /* no list but the first is used */
    BI_TRY_WITH_SCRATCH(b->ctx, sort_half(b, bi_kdtree_less(all)));
    BI_RETURN_WITH_SCRATCH(b->ctx, sort_half(b, bi_kdtree_greater(all)));
}

/* --- The build ---------------------------------------------------------------------------------------------------- */

/* Stores the tree whose node i is row order[i]. */
static bosc_status store_tree(struct brown *b, uint32_t *order)
{
    struct bi_kdtree_rows nodes = {b->lists.nodes, b->lists.n, b->lists.dim};
    struct bi_kdtree_stored stored = {b->lists.rows, order, NULL};
    if (nodes.data) stored = (struct bi_kdtree_stored){nodes, NULL, order};
    return bi_kdtree_store_nodes(b->ctx, b->next, &b->runs, &stored);
}

static bosc_status make_tree(struct brown *b)
{
    uint32_t *order;
    b->next->nodes = b->lists.n;
    BI_TRY(bi_scratch_of(b->ctx, b->lists.n, sizeof *order, &order));
    BI_TRY(b->next->ops->partition_by_superkey(b->ctx, &b->lists, order));
    return store_tree(b, order);
}

/* Sorts list p. The last list of sorted rows is 0, 1, 2, ..., and has no keys. */
static bosc_status make_list(struct brown *b, const struct bi_kdtree_rows *rows, int32_t p)
{
    if (b->last_sorted && p == b->lists.dim - 1)
        return b->ctx->backend->core->iota(b->ctx, 4, b->lists.list[p], rows->n);
    if (b->unique) BI_TRY(bi_scratch_of(b->ctx, rows->n, bosc_dtype_size(b->lists.dtype), &b->keys[p]));
    return sort_list(b->ctx, &b->lists, rows, p, b->lists.list[p], b->keys[p]);
}

/* Sorts the first lists and removes duplicates. */
static bosc_status make_lists(struct brown *b, const struct bi_kdtree_rows *rows, double *since)
{
    int32_t lists = b->halves ? 1 : b->lists.used;
    for (int32_t p = 0; p < lists; p++) BI_TRY(make_list(b, rows, p));
    BI_TRY(bi_kdtree_end_stage(b->ctx, since, &b->next->times.sort));
    if (b->unique) BI_TRY(remove_duplicates(b, lists));
    return bi_kdtree_end_stage(b->ctx, since, &b->next->times.deduplicate);
}

bosc_status bi_kdtree_build_brown(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows, bool last_sorted)
{
    struct brown b = {.ctx = ctx,
                      .next = next,
                      .unique = next->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE,
                      .halves = next->opts.sort_halves != 0,
                      .last_sorted = last_sorted};
    double since = bi_now();
    BI_TRY(allocate_lists(&b, rows));
    BI_TRY(bi_kdtree_end_stage(ctx, &since, &next->times.init));
    BI_TRY_WITH_SCRATCH(ctx, make_lists(&b, rows, &since));
    if (b.halves) BI_TRY(sort_halves(&b));
    BI_TRY(bi_kdtree_end_stage(ctx, &since, &next->times.sort));
    BI_TRY(make_tree(&b));
    return bi_kdtree_end_stage(ctx, &since, &next->times.build);
}
