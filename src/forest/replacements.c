/* The best replacement of every edge of a spanning tree of points: the first pair, by (squared length, i, j), that
 * joins what the tree without the edge leaves apart.
 *
 * By the cut property all replacements are in the spanning tree of the other pairs. Boruvka's rounds find it, with
 * given pairs excluded. Each of its pairs covers a path of the given tree, and the first one that covers an
 * edge replaces it. Paths are two overlapping runs of a power of two, and runs of a level are halved down to edges:
 * O(log n) for each pair and vertex. Source of the cover: Tarjan, Sensitivity Analysis of Minimum Spanning Trees and
 * Shortest Path Trees (1982). */
#include <math.h>

#include "base/bits.h"
#include "core/call.h"
#include "core/check.h"
#include "forest/emst.h"

/* The caller's arrays. */
struct replaced {
    const void *given;
    void *pairs, *dist2;
};

/* Finds the vertex of all edges; UINT32_MAX: none. It has no other pairs. Without one, the others connect the points of
 * 4 or more. */
static bosc_status find_hub(bosc_ctx *ctx, const struct bi_rooted_tree *tree, int64_t n, uint32_t *hub)
{
    struct bi_emst_find_hub find = {tree->first, tree->last, n - 1, NULL};
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *find.hub, &find.hub));
    BI_TRY(ctx->backend->fill(ctx, find.hub, 0xff, sizeof *find.hub));
    BI_TRY(ctx->ops->forest->steps->emst_find_hub(ctx, n, &find));
    return bi_read_back(ctx, hub, find.hub, sizeof *hub);
}

/* Finds the spanning tree of all pairs but the edges of `tree`; *edges = their number. Lists of neighbours serve
 * core distances alone: with args.length 0 no round reads them. */
static bosc_status find_others(bosc_ctx *ctx, const struct bi_emst_points *p, const struct bi_rooted_tree *tree,
                               uint64_t *pairs, uint64_t *words, int64_t *edges)
{
    const int64_t k = p->min_samples ? p->min_samples : 1;
    struct bi_emst_rounds e = {
        .ctx = ctx,
        .steps = ctx->ops->forest->steps,
        .tree = p->tree,
        .n = p->n,
        .components = p->n,
        .p = p->p,
        .args = {.is_64bit = p->opts->dtype != BOSC_F32, .k = (int32_t)k, .core_at = (int32_t)(k - 1)},
        .pairs = pairs,
        .words = words};
    /* 1. Make the blocks of the searches, with the exclusions. */
    BI_TRY(bi_emst_allocate(&e));
    BI_TRY(bi_kdtree_order_nodes(ctx, p->tree, &e.order));
    BI_TRY(bi_kdtree_make_labelled_blocks(ctx, &e.order, &e.blocks));
    e.blocks.p = p->p;
    e.blocks.excluded = (struct bi_kdtree_excluded){tree->arcs, tree->first, tree->last};
    if (p->min_samples) BI_TRY(bi_emst_find_cores(&e));
    BI_TRY(find_hub(ctx, tree, p->n, &e.args.isolated));
    /* 2. Run the rounds. */
    const int64_t last = e.args.isolated == UINT32_MAX ? 1 : 2;
    BI_TRY(e.steps->emst_init_points(ctx, e.n, &e.args));
    while (e.components > last) {
        BI_TRY(bi_emst_find_shortest(&e));
        BI_TRY(bi_emst_join(&e));
    }
    *edges = e.edges;
    return BOSC_OK;
}

/* Makes the table of ancestors, and depths; *levels = the levels in use. */
static bosc_status find_ancestors(bosc_ctx *ctx, int64_t n, struct bi_emst_cover *a, int32_t *levels)
{
    const struct bi_forest_steps *steps = ctx->ops->forest->steps;
    uint32_t *depths, deeper = 1;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *depths, &depths));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->next_depths, &a->next_depths));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->flag, &a->flag));
    a->depths = depths;
    for (a->level = 0; deeper && a->level < BI_EMST_LEVELS; a->level++) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &a->ancestors[a->level]));
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &a->least[a->level]));
        BI_TRY(ctx->backend->fill(ctx, a->least[a->level], 0xff, (size_t)n * sizeof(uint32_t)));
        BI_TRY(ctx->backend->fill(ctx, a->flag, 0, sizeof deeper));
        BI_TRY((a->level == 0 ? steps->emst_set_parents : steps->emst_double_paths)(ctx, n, a));
        BI_TRY(bi_read_back(ctx, &deeper, a->flag, sizeof deeper));
        uint32_t *const before = (uint32_t *)a->depths;
        a->depths = a->next_depths;
        a->next_depths = before;
    }
    *levels = a->level;
    return deeper ? bi_fail(ctx, BOSC_ERR_INTERNAL, "a path to the root has a cycle") : BOSC_OK;
}

/* Finds the least rank that covers each edge; pairs are in the order of ranks. */
static bosc_status cover_edges(bosc_ctx *ctx, int64_t n, int64_t pairs, struct bi_emst_cover *a)
{
    const struct bi_forest_steps *steps = ctx->ops->forest->steps;
    int32_t levels;
    BI_TRY(find_ancestors(ctx, n, a, &levels));
    BI_TRY_WITH_COST(ctx, 2 * BI_EMST_LOOKUP_ITEMS, steps->emst_cover_paths(ctx, pairs, a));
    for (a->level = levels - 1; a->level > 0; a->level--) BI_TRY(steps->emst_split_runs(ctx, n, a));
    return BOSC_OK;
}

/* Writes the replacement of every given edge. */
static bosc_status replace_edges(bosc_ctx *ctx, const struct bi_emst_points *p, struct replaced *r)
{
    const bool ids_64bit = p->opts->id_bits == 64;
    struct bi_rooted_tree tree;
    struct bi_emst_replace write = {.ids_64bit = ids_64bit};
    struct bi_emst_outputs out;
    uint64_t *pairs, *words;
    int64_t others;
    bool staged = false;
    /* 1. Root the given tree. */
    BI_TRY(bi_stage_in(ctx, r->given, 2 * (size_t)(p->n - 1) * (ids_64bit ? 8 : 4), &write.given, &staged));
    BI_TRY(bi_tour_root_tree(ctx, write.given, ids_64bit, p->n, &tree));
    BI_TRY(bi_scratch_of(ctx, p->n, sizeof *pairs, &pairs));
    BI_TRY(bi_scratch_of(ctx, p->n, sizeof *words, &words));
    BI_TRY(bi_scratch_of(ctx, p->n, sizeof *write.found, &write.found));
    BI_TRY(bi_scratch_of(ctx, p->n, sizeof *write.found_words, &write.found_words));
    /* 2. Find the spanning tree of the other pairs, by (squared length, pair). */
    BI_TRY_WITH_SCRATCH(ctx, find_others(ctx, p, &tree, pairs, words, &others));
    BI_TRY(bi_emst_sort_edges(ctx, others, pairs, words));
    BI_TRY(bi_emst_sort_edges(ctx, others, words, pairs));
    /* 3. Cover the given edges. */
    struct bi_emst_cover cover = {.arcs = tree.arcs, .up = tree.up, .pairs = pairs};
    BI_TRY(cover_edges(ctx, p->n, others, &cover));
    write.parents = cover.ancestors[0];
    write.least = cover.least[0];
    write.pairs = pairs;
    write.words = words;
    BI_TRY(ctx->ops->forest->steps->emst_replace(ctx, p->n - 1, &write));
    /* 4. Store them. */
    if (p->p > 0) BI_TRY_WITH_SCRATCH(ctx, bi_emst_refuse_infinite(ctx, write.found_words, p->n - 1));
    if (p->scale != 1) BI_TRY(bi_emst_unscale_lengths(ctx, p, write.found, write.found_words, r->dist2));
    BI_TRY(bi_emst_stage(ctx, p->opts, r->pairs, r->dist2, p->n - 1, &out));
    out.roots = p->roots && p->scale == 1; /* bi_emst_unscale_lengths has written the roots */
    return bi_emst_store(ctx, write.found, write.found_words, p->n - 1, &out);
}

/* Writes that the only edge has no replacement, once it is known to be an edge. */
static bosc_status replace_none(bosc_ctx *ctx, const struct bi_emst_points *p, struct replaced *r)
{
    const double infinite = (double)INFINITY;
    const float infinite_float = INFINITY;
    const bool ids_64bit = p->opts->id_bits == 64, is_64bit = p->opts->dtype != BOSC_F32;
    struct bi_rooted_tree tree;
    struct bi_emst_outputs out;
    const void *given;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, r->given, 2 * (ids_64bit ? 8 : 4), &given, &staged));
    BI_TRY(bi_tour_root_tree(ctx, given, ids_64bit, 2, &tree));
    BI_TRY(bi_emst_stage(ctx, p->opts, r->pairs, r->dist2, 1, &out));
    BI_TRY(ctx->backend->fill(ctx, out.pairs.reachable, 0xff, 2 * (ids_64bit ? 8 : 4)));
    if (out.lengths)
        BI_TRY(ctx->backend->copy(ctx, out.dist2.reachable,
                                  is_64bit ? (const void *)&infinite : (const void *)&infinite_float,
                                  is_64bit ? 8 : 4));
    BI_TRY(bi_stage_back(ctx, &out.pairs));
    if (out.lengths) BI_TRY(bi_stage_back(ctx, &out.dist2));
    return ctx->backend->sync(ctx);
}

static bosc_status find_replacements(bosc_ctx *ctx, const struct bi_emst_points *p, void *user)
{
    if (!(p->p > 0)) BI_TRY(bi_emst_check_magnitude(ctx, p->tree, p->opts->dtype != BOSC_F32));
    return (p->n == 2 ? replace_none : replace_edges)(ctx, p, user);
}

/* Checks the arguments but for the points. */
static bosc_status check_arguments(bosc_ctx *ctx, const bosc_emst_opts *full, int64_t n, int64_t min_samples,
                                   const struct replaced *r)
{
    BI_TRY(bi_emst_check_arrays(ctx, full, n, n - 1, r->given, r->dist2));
    if (n > 1 && !r->pairs) return bi_fail(ctx, BOSC_ERR_ARG, "replacements: NULL");
    BI_TRY(bi_check_aligned(ctx, "replacements", r->pairs, (size_t)full->id_bits / 8));
    if (min_samples != 0) BI_TRY(bi_emst_check_min_samples(ctx, min_samples, n));
    if (n > (int64_t)1 << 31) /* its arcs have 32-bit positions */
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; there may be 2^31 at most", (long long)n);
    return BOSC_OK;
}

bosc_status bosc_emst_find_replacements(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                        const bosc_emst_opts *opts, int64_t min_samples, const void *pairs,
                                        void *replacements, void *dist2)
{
    struct replaced replaced = {pairs, replacements, dist2};
    bosc_emst_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_emst_check_opts(ctx, opts, &full));
    BI_TRY(check_arguments(ctx, &full, n, min_samples, &replaced));
    struct bi_emst_points scaled = {.n = n, .opts = &full, .min_samples = min_samples};
    bi_progress_set_total(ctx, 700 * (double)n);
    return bi_emst_with_tree(ctx, points, stride, &scaled, find_replacements, &replaced);
}

bosc_status bosc_emst_find_replacements_minkowski(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                                  const bosc_emst_opts *opts, double p, int64_t min_samples,
                                                  const void *pairs, void *replacements, double *lengths)
{
    struct replaced replaced = {pairs, replacements, NULL};
    bosc_emst_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_emst_check_opts(ctx, opts, &full));
    BI_TRY(bi_emst_check_order(ctx, p));
    BI_TRY(check_arguments(ctx, &full, n, min_samples, &replaced));
    BI_TRY(bi_check_aligned(ctx, "lengths", lengths, sizeof *lengths));
    BI_TRY(bi_emst_check_rows(ctx, &full, points, n, stride));
    replaced.dist2 = lengths;
    struct bi_emst_points rows = {.n = n, .min_samples = min_samples};
    bi_progress_set_total(ctx, 1400 * (double)n);
    return bi_emst_with_order(ctx, points, stride, &full, p, &rows, find_replacements, &replaced);
}
