/* Euclidean minimum spanning trees: Boruvka's rounds over the nearest points of other components. Edges are ordered by
 * (squared length, smaller point, greater point), so that the tree is unique. Among equally near points the smallest
 * id makes the first pair, on either side of the point.
 *
 * Every point begins with a short list of its nearest points. The first one of another component is its nearest
 * foreign point. A point whose list is exhausted searches the k-d tree, but only if its component could use an edge as
 * short as the last list entry. Source: March, Ram, Gray, Fast Euclidean Minimum Spanning Tree (KDD 2010), with a
 * single-point search in place of the dual tree.
 *
 * Under mutual reachability the length of an edge is the largest of the distance and both core distances: of a point to
 * its min_samples-th nearest, itself counted. Lists and boxes are by that length; the rounds are the same. Source:
 * Campello, Moulavi, Zimek, Sander, Hierarchical Density Estimates (2015). */
#include "forest/emst.h"

#include "base/bits.h"
#include "core/call.h"
#include "kdtree/copies.h"
#include "kdtree/nearest.h"

enum {
    FURTHER = 8,     /* list entries beyond the core distance; other numbers not measured */
    MOST_USED = 255, /* list entries that count: their index has 8 bits */
    NEAR = 8         /* points in a list. More: fewer searches of the tree, more memory; other lengths not measured */
};

bosc_status bi_emst_check_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree, bool is_64bit)
{
    if (tree->magnitude == BI_KDTREE_ORDINARY) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT,
                   "points: squares of their distances are out of the range of %s; multiply them by a power of two",
                   is_64bit ? "double" : "float");
}

bosc_status bi_emst_sort_edges(bosc_ctx *ctx, int64_t edges, uint64_t *pairs, uint64_t *words)
{
    BI_RETURN_WITH_SCRATCH(ctx,
                           ctx->backend->core->sort_pairs(ctx, BOSC_U64, pairs, 8, words, edges, pairs, words, 0, 64));
}

/* Finds the edges of n points, in any order; arguments as of bi_emst_of_tree. */
static bosc_status find_edges_of(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, struct bi_emst_lengths lengths,
                                 uint64_t *pairs, uint64_t *words)
{
    struct bi_emst_rounds e = {.ctx = ctx,
                               .steps = ctx->ops->forest->steps,
                               .tree = tree,
                               .n = n,
                               .p = lengths.p,
                               .args = {.is_64bit = lengths.is_64bit, .k = NEAR, .length = NEAR},
                               .pairs = pairs,
                               .words = words};
    if (n < 2) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, bi_emst_find_edges(&e));
}

int64_t bi_emst_list_length(int64_t n, int64_t min_samples)
{
    if (min_samples == 0) return NEAR;
    return min_samples + FURTHER < n ? min_samples + FURTHER : n;
}

/* The same under mutual reachability, and the core distances unless they are known. */
static bosc_status find_mutual_edges(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, int64_t min_samples,
                                     struct bi_emst_lengths lengths, void *core, uint64_t *pairs, uint64_t *words)
{
    const int64_t k = bi_emst_list_length(n, min_samples);
    struct bi_emst_rounds e = {.ctx = ctx,
                               .steps = ctx->ops->forest->steps,
                               .tree = tree,
                               .n = n,
                               .mutual = true,
                               .has_cores = lengths.has_cores,
                               .p = lengths.p,
                               .args = {.is_64bit = lengths.is_64bit,
                                        .k = (int32_t)k,
                                        .length = (int32_t)(k < MOST_USED ? k : MOST_USED),
                                        .core_at = (int32_t)(min_samples - 1),
                                        .core = core},
                               .pairs = pairs,
                               .words = words};
    if (n < 2 && lengths.has_cores) return BOSC_OK;
    if (n < 2) return ctx->backend->fill(ctx, core, 0, (size_t)n * (lengths.is_64bit ? 8 : 4));
    BI_RETURN_WITH_SCRATCH(ctx, bi_emst_find_edges(&e));
}

/* --- Points with many copies ---------------------------------------------------------------------------------------
 *
 * The smallest edge of a copy i, by (length, smaller point, greater point), leads to the smallest row t at distance 0,
 * so that edge is in the tree. Any other edge (i, x) is the largest of the cycle (i, t), (t, x), (x, i), as t is as far
 * from x and smaller. So the remaining edges are those of the tree of the other rows. */

/* Writes the edges of the kept rows. */
static bosc_status join_kept(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_copies *copies,
                             struct bi_emst_lengths lengths, uint64_t *pairs, uint64_t *words)
{
    const struct bi_emst_rename rename = {copies->kept_rows, pairs};
    bosc_kdtree *kept;
    BI_TRY(bi_kdtree_build_kept(ctx, tree, copies, &kept));
    bosc_status status = find_edges_of(ctx, kept, copies->kept, lengths, pairs, words);
    bosc_kdtree_free(kept);
    if (status != BOSC_OK) return status;
    return ctx->ops->forest->steps->emst_rename(ctx, copies->kept - 1, &rename);
}

/* Writes an edge of length 0 for each copy. */
static bosc_status join_each_copy(bosc_ctx *ctx, const struct bi_kdtree_copies *copies, int64_t n, uint64_t *pairs,
                                  uint64_t *words)
{
    struct bi_emst_copy_edges edges = {.first = copies->first};
    int64_t *count;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *edges.pairs, &edges.pairs));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(ctx->ops->forest->steps->emst_copy_edges(ctx, n, &edges));
    BI_TRY(ctx->backend->fill(ctx, words, 0, (size_t)(n - copies->kept) * sizeof *words));
    return ctx->backend->core->compact(ctx, sizeof *pairs, edges.pairs, copies->is_copy, n, pairs, count);
}

/* Writes the edges of the kept rows, then those of the copies. */
static bosc_status join_rows(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, struct bi_emst_lengths lengths,
                             uint64_t *pairs, uint64_t *words)
{
    struct bi_kdtree_copies copies;
    BI_TRY(bi_kdtree_find_copies(ctx, tree, &copies));
    const int64_t joined = copies.kept - 1;
    BI_TRY(join_kept(ctx, tree, &copies, lengths, pairs, words));
    return join_each_copy(ctx, &copies, n, pairs + joined, words + joined);
}

static bosc_status join_copies(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, struct bi_emst_lengths lengths,
                               uint64_t *pairs, uint64_t *words)
{
    BI_RETURN_WITH_SCRATCH(ctx, join_rows(ctx, tree, n, lengths, pairs, words));
}

/* --- Copies under mutual reachability ------------------------------------------------------------------------------
 *
 * Equal rows beyond the first min_samples have core distance 0, as do the first ones, so the argument above holds for
 * them: each has an edge of length 0 to the first of all. A core distance is the min_samples-th least distance, so rows
 * that stay have the same one without the others. */

/* Writes the edges of the kept rows, and their core distances unless these are known. */
static bosc_status join_kept_mutual(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_copies *copies,
                                    int64_t min_samples, struct bi_emst_lengths lengths, void *core, uint64_t *pairs,
                                    uint64_t *words)
{
    const struct bi_forest_steps *steps = ctx->ops->forest->steps;
    const struct bi_emst_rename rename = {copies->kept_rows, pairs};
    const size_t size = lengths.is_64bit ? 8 : 4;
    void *kept_core;
    bosc_kdtree *kept;
    BI_TRY(bi_scratch_of(ctx, copies->kept, size, &kept_core));
    const struct bi_emst_move_core move = {copies->kept_rows, kept_core, core, lengths.is_64bit};
    if (lengths.has_cores) BI_TRY(steps->emst_gather_core(ctx, copies->kept, &move));
    BI_TRY(bi_kdtree_build_kept(ctx, tree, copies, &kept));
    bosc_status status = find_mutual_edges(ctx, kept, copies->kept, min_samples, lengths, kept_core, pairs, words);
    bosc_kdtree_free(kept);
    if (status != BOSC_OK) return status;
    BI_TRY(steps->emst_rename(ctx, copies->kept - 1, &rename));
    if (lengths.has_cores) return BOSC_OK;
    BI_TRY(ctx->backend->fill(ctx, core, 0, (size_t)tree->nodes * size));
    return steps->emst_scatter_core(ctx, copies->kept, &move);
}

/* Writes the edges of the kept rows, then those of the excess; the usual ones if there is none. */
static bosc_status join_mutual(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, int64_t min_samples,
                               struct bi_emst_lengths lengths, void *core, uint64_t *pairs, uint64_t *words)
{
    struct bi_kdtree_copies copies;
    BI_TRY(bi_emst_keep_rows(ctx, tree, min_samples, &copies));
    const int64_t joined = copies.kept - 1;
    if (copies.kept == n) return find_mutual_edges(ctx, tree, n, min_samples, lengths, core, pairs, words);
    BI_TRY(join_kept_mutual(ctx, tree, &copies, min_samples, lengths, core, pairs, words));
    return join_each_copy(ctx, &copies, n, pairs + joined, words + joined);
}

bosc_status bi_emst_of_tree_mutual(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, int64_t min_samples,
                                   struct bi_emst_lengths lengths, void *core, uint64_t *pairs, uint64_t *words)
{
    bool many = false;
    if (!(lengths.p > 0)) BI_TRY(bi_emst_check_magnitude(ctx, tree, lengths.is_64bit));
    if (n > 1) BI_TRY(bi_kdtree_has_many_copies(ctx, tree, &many));
    if (many)
        BI_TRY_WITH_SCRATCH(ctx, join_mutual(ctx, tree, n, min_samples, lengths, core, pairs, words));
    else
        BI_TRY(find_mutual_edges(ctx, tree, n, min_samples, lengths, core, pairs, words));
    return n > 1 ? bi_emst_sort_edges(ctx, n - 1, pairs, words) : BOSC_OK;
}

bosc_status bi_emst_of_tree(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, struct bi_emst_lengths lengths,
                            uint64_t *pairs, uint64_t *words)
{
    bool many;
    if (!(lengths.p > 0)) BI_TRY(bi_emst_check_magnitude(ctx, tree, lengths.is_64bit));
    if (n < 2) return BOSC_OK;
    BI_TRY(bi_kdtree_has_many_copies(ctx, tree, &many));
    BI_TRY((many ? join_copies : find_edges_of)(ctx, tree, n, lengths, pairs, words));
    return bi_emst_sort_edges(ctx, n - 1, pairs, words);
}

bosc_status bi_emst_stage(bosc_ctx *ctx, const bosc_emst_opts *opts, void *pairs, void *dist2, int64_t edges,
                          struct bi_emst_outputs *out)
{
    const size_t count = (size_t)edges;
    bool staged = false;
    out->ids_64bit = opts->id_bits == 64;
    out->is_64bit = opts->dtype != BOSC_F32;
    out->lengths = dist2 != NULL;
    out->roots = false;
    BI_TRY(bi_stage_out(ctx, pairs, 2 * count * (out->ids_64bit ? 8 : 4), &out->pairs, &staged));
    return bi_stage_out(ctx, dist2, dist2 ? count * (out->is_64bit ? 8 : 4) : 0, &out->dist2, &staged);
}

bosc_status bi_emst_store(bosc_ctx *ctx, const uint64_t *pairs, const uint64_t *words, int64_t edges,
                          const struct bi_emst_outputs *out)
{
    const struct bi_emst_write write = {pairs,
                                        words,
                                        out->ids_64bit,
                                        out->is_64bit,
                                        out->roots,
                                        out->pairs.reachable,
                                        out->lengths ? out->dist2.reachable : NULL};
    BI_TRY(ctx->ops->forest->steps->emst_write(ctx, edges, &write));
    BI_TRY(bi_stage_back(ctx, &out->pairs));
    if (out->lengths) BI_TRY(bi_stage_back(ctx, &out->dist2));
    return ctx->backend->sync(ctx);
}

bosc_status bi_emst_check_opts(bosc_ctx *ctx, const bosc_emst_opts *opts, bosc_emst_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_emst_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->dtype != BOSC_F32 && full->dtype != BOSC_F64 && full->dtype != BOSC_I32 && full->dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is none of F32, F64, I32, I64", (int)full->dtype);
    if (full->dim < 1 || full->dim > 1024)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to 1024", (int)full->dim);
    return bi_forest_check_id_bits(ctx, full->id_bits);
}

bosc_status bi_emst_check_arrays(bosc_ctx *ctx, const bosc_emst_opts *o, int64_t n, int64_t room, const void *pairs,
                                 const void *dist2)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (room > 0 && !pairs) return bi_fail(ctx, BOSC_ERR_ARG, "pairs: NULL");
    if ((uintptr_t)pairs % (uintptr_t)(o->id_bits / 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "pairs: not aligned to elements of %d bits", (int)o->id_bits);
    if ((uintptr_t)dist2 % (o->dtype == BOSC_F32 ? 4 : 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "dist2: not aligned to its elements");
    return BOSC_OK;
}

bosc_status bi_emst_unscale_lengths(bosc_ctx *ctx, const struct bi_emst_points *p, const uint64_t *pairs,
                                    uint64_t *words, bool lengths)
{
    const int64_t none[2] = {INT64_MAX, INT64_MAX};
    int64_t bad[2];
    struct bi_kdtree_rows rows = {NULL, p->n, p->opts->dim};
    struct bi_emst_unscale step = {.pairs = pairs,
                                   .words = words,
                                   .is_64bit = p->opts->dtype != BOSC_F32,
                                   .roots = p->roots,
                                   .dim = p->opts->dim,
                                   .exact = p->exact,
                                   .inverse = 1 / p->scale};
    /* 1. Convert the lengths, and find the first bad edges. */
    BI_TRY(bi_kdtree_own_rows(ctx, p->tree, &rows));
    step.points = rows.data;
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *step.bad, &step.bad));
    BI_TRY(ctx->backend->copy(ctx, step.bad, none, sizeof none));
    BI_TRY(ctx->ops->forest->steps->emst_unscale(ctx, p->n - 1, &step));
    BI_TRY(bi_read_back(ctx, bad, step.bad, sizeof bad));
    /* 2. Report them. */
    if (bad[0] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT,
                       "points: those of edge %lld differ by too little beside the largest coordinate",
                       (long long)bad[0]);
    if (bad[1] != INT64_MAX && lengths)
        return bi_fail(ctx, BOSC_ERR_LIMIT,
                       "points: the %s of edge %lld is out of the range of %s; multiply the points by a power of two",
                       step.roots ? "length" : "squared length", (long long)bad[1], step.is_64bit ? "double" : "float");
    return BOSC_OK;
}

/* Core distances of the scaled points, and the caller's array for them. */
struct cores {
    void *scaled;
    struct bi_out out;
};

/* Finds the edges under mutual reachability, and the core distances of the scaled points. */
static bosc_status compute_mutual(bosc_ctx *ctx, const struct bi_emst_points *p, struct cores *cores, uint64_t *pairs,
                                  uint64_t *words)
{
    const struct bi_emst_lengths lengths = {.is_64bit = p->opts->dtype != BOSC_F32, .p = p->p};
    const size_t size = lengths.is_64bit ? 8 : 4;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, p->core_dist2, p->core_dist2 ? (size_t)p->n * size : 0, &cores->out, &staged));
    BI_TRY(bi_scratch_of(ctx, p->n, size, &cores->scaled));
    return bi_emst_of_tree_mutual(ctx, p->tree, p->n, p->min_samples, lengths, cores->scaled, pairs, words);
}

/* Writes the core distances of the points as given to the caller's array. */
static bosc_status store_cores(bosc_ctx *ctx, const struct bi_emst_points *p, const struct cores *cores)
{
    const struct bi_emst_write_core write = {cores->scaled, p->opts->dtype != BOSC_F32, p->roots, 1 / p->scale,
                                             cores->out.reachable};
    BI_TRY(ctx->ops->forest->steps->emst_write_core(ctx, p->n, &write));
    return bi_stage_back(ctx, &cores->out);
}

/* The caller's arrays. */
struct outputs {
    void *pairs, *dist2;
};

bosc_status bi_emst_refuse_infinite(bosc_ctx *ctx, const uint64_t *words, int64_t edges)
{
    uint64_t *longest, word; /* lengths are not negative, so their bits order as they do */
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *longest, &longest));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_MAX, BOSC_U64, words, edges, longest));
    BI_TRY(bi_read_back(ctx, &word, longest, sizeof word));
    if (word < bi_f64_bits((double)INFINITY)) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "points: the length of an edge is more than a double holds");
}

static bosc_status compute_pairs(bosc_ctx *ctx, const struct bi_emst_points *p, void *user)
{
    const struct outputs *to = user;
    uint64_t *found, *words;
    const struct bi_emst_lengths lengths = {.is_64bit = p->opts->dtype != BOSC_F32, .p = p->p};
    struct cores cores;
    struct bi_emst_outputs out;
    BI_TRY(bi_scratch_of(ctx, p->n, sizeof *found, &found));
    BI_TRY(bi_scratch_of(ctx, p->n, sizeof *words, &words));
    if (p->min_samples)
        BI_TRY(compute_mutual(ctx, p, &cores, found, words));
    else
        BI_TRY(bi_emst_of_tree(ctx, p->tree, p->n, lengths, found, words));
    if (p->p > 0) BI_TRY_WITH_SCRATCH(ctx, bi_emst_refuse_infinite(ctx, words, p->n - 1));
    if (p->scale != 1) BI_TRY(bi_emst_unscale_lengths(ctx, p, found, words, to->dist2 || p->core_dist2));
    BI_TRY(bi_emst_stage(ctx, p->opts, to->pairs, to->dist2, p->n - 1, &out));
    out.roots = p->roots && p->scale == 1; /* bi_emst_unscale_lengths has written the roots */
    if (p->min_samples && p->core_dist2) BI_TRY(store_cores(ctx, p, &cores));
    return bi_emst_store(ctx, found, words, p->n - 1, &out);
}

bosc_status bi_emst_with_tree(bosc_ctx *ctx, const void *points, int64_t stride, struct bi_emst_points *p,
                              bi_emst_use use, void *user)
{
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = p->opts->dtype, .dim = p->opts->dim, .id_bits = 32};
    bosc_kdtree *tree;
    BI_TRY(bosc_kdtree_create(ctx, &opts, &tree));
    p->tree = tree;
    bosc_status status = bosc_kdtree_build(ctx, tree, points, p->n, stride);
    p->scale = 1;
    if (status == BOSC_OK && p->n > 1 && !(p->p > 0)) status = bi_kdtree_make_ordinary(ctx, tree, &p->scale, &p->exact);
    if (status == BOSC_OK && p->n > 1) BI_WITH_SCRATCH(ctx, status = use(ctx, p, user));
    bosc_kdtree_free(tree);
    return status;
}

bosc_status bi_emst_check_min_samples(bosc_ctx *ctx, int64_t min_samples, int64_t n)
{
    if (min_samples < 1) return bi_fail(ctx, BOSC_ERR_ARG, "min_samples: %lld is less than 1", (long long)min_samples);
    if (n > 0 && min_samples > n)
        return bi_fail(ctx, BOSC_ERR_ARG, "min_samples: %lld is more than %lld points", (long long)min_samples,
                       (long long)n);
    if (min_samples > INT32_MAX - FURTHER) /* a list of neighbours has an int32_t length */
        return bi_fail(ctx, BOSC_ERR_LIMIT, "min_samples: %lld; it may be %d at most", (long long)min_samples,
                       INT32_MAX - FURTHER);
    return BOSC_OK;
}

bosc_status bosc_emst_compute(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride, const bosc_emst_opts *opts,
                              void *pairs, void *dist2)
{
    bosc_emst_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_emst_check_opts(ctx, opts, &full));
    BI_TRY(bi_emst_check_arrays(ctx, &full, n, n - 1, pairs, dist2));
    struct bi_emst_points scaled = {.n = n, .opts = &full};
    struct outputs to = {pairs, dist2};
    bi_progress_set_total(ctx, 400 * (double)n);
    return bi_emst_with_tree(ctx, points, stride, &scaled, compute_pairs, &to);
}

bosc_status bosc_emst_compute_mutual(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                     const bosc_emst_opts *opts, int64_t min_samples, void *pairs, void *dist2,
                                     void *core_dist2)
{
    const double one_point = 0; /* the core distance of a single point */
    bosc_emst_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_emst_check_opts(ctx, opts, &full));
    BI_TRY(bi_emst_check_arrays(ctx, &full, n, n - 1, pairs, dist2));
    BI_TRY(bi_check_aligned(ctx, "core_dist2", core_dist2, full.dtype == BOSC_F32 ? 4 : 8));
    BI_TRY(bi_emst_check_min_samples(ctx, min_samples, n));
    struct bi_emst_points scaled = {.n = n, .opts = &full, .min_samples = min_samples, .core_dist2 = core_dist2};
    struct outputs to = {pairs, dist2};
    bi_progress_set_total(ctx, 500 * (double)n);
    BI_TRY(bi_emst_with_tree(ctx, points, stride, &scaled, compute_pairs, &to));
    if (n != 1 || !core_dist2) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, core_dist2, &one_point, full.dtype == BOSC_F32 ? 4 : 8));
    return ctx->backend->sync(ctx);
}

/* --- Distances of order p ----------------------------------------------------------------------------------------- */

bosc_status bi_emst_check_order(bosc_ctx *ctx, double p)
{
    return p >= 1 ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "p: %g is less than 1", p);
}

bosc_status bi_emst_check_rows(bosc_ctx *ctx, const bosc_emst_opts *opts, const void *points, int64_t n, int64_t stride)
{
    if (n > 0 && !points) return bi_fail(ctx, BOSC_ERR_ARG, "points: NULL");
    if (stride < 0 || (stride > 0 && stride < opts->dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than dim %d", (long long)stride, (int)opts->dim);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; there may be less than 2^32 - 1", (long long)n);
    if (n > 0 && stride > (INT64_MAX / 8 - opts->dim) / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "points: %lld rows of %lld elements are more than memory can hold",
                       (long long)n, (long long)stride);
    return bi_check_aligned(ctx, "points", points, bosc_dtype_size(opts->dtype));
}

bosc_status bi_emst_convert_rows(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                 const bosc_emst_opts *opts, int64_t first, const double **to)
{
    const int64_t none = INT64_MAX;
    struct bi_emst_convert a = {.stride = stride ? stride : opts->dim, .dtype = opts->dtype, .dim = opts->dim};
    const size_t elements = (size_t)((n - 1) * a.stride + a.dim);
    int64_t bad;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, points, elements * bosc_dtype_size(a.dtype), &a.rows, &staged));
    BI_TRY(bi_scratch_of(ctx, n * a.dim, sizeof *a.to, &a.to));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a.bad, &a.bad));
    BI_TRY(ctx->backend->copy(ctx, a.bad, &none, sizeof none));
    BI_TRY(ctx->ops->forest->steps->emst_convert(ctx, n * a.dim, &a));
    BI_TRY(bi_read_back(ctx, &bad, a.bad, sizeof bad));
    *to = a.to;
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "points: row %lld has an infinite coordinate", (long long)(first + bad));
}

/* Builds the tree of converted rows, and calls `use`. */
static bosc_status use_converted(bosc_ctx *ctx, const void *points, int64_t stride, const bosc_emst_opts *opts,
                                 struct bi_emst_points *rows, bi_emst_use use, void *user)
{
    const double *converted;
    BI_TRY(bi_emst_convert_rows(ctx, points, rows->n, stride, opts, 0, &converted));
    return bi_emst_with_tree(ctx, converted, 0, rows, use, user);
}

bosc_status bi_emst_with_order(bosc_ctx *ctx, const void *points, int64_t stride, const bosc_emst_opts *opts, double p,
                               const struct bi_emst_points *rows, bi_emst_use use, void *user)
{
    struct bi_emst_points converted = *rows;
    bosc_emst_opts doubles = *opts;
    doubles.dtype = BOSC_F64;
    converted.opts = &doubles;
    converted.p = p == 2 ? 0 : p;
    converted.roots = p == 2;
    if (rows->n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, use_converted(ctx, points, stride, opts, &converted, use, user));
}

bosc_status bosc_emst_compute_minkowski(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                        const bosc_emst_opts *opts, double p, int64_t min_samples, void *pairs,
                                        double *lengths, double *core_distances)
{
    const double one_point = 0; /* the core distance of a single point */
    bosc_emst_opts full;
    BI_ENTER(ctx);
    /* 1. Check the arguments; the call on converted rows checks no stride. */
    BI_TRY(bi_emst_check_opts(ctx, opts, &full));
    BI_TRY(bi_emst_check_order(ctx, p));
    BI_TRY(bi_emst_check_arrays(ctx, &full, n, n - 1, pairs, NULL));
    BI_TRY(bi_check_aligned(ctx, "lengths", lengths, sizeof *lengths));
    BI_TRY(bi_check_aligned(ctx, "core_distances", core_distances, sizeof *core_distances));
    if (min_samples != 0) BI_TRY(bi_emst_check_min_samples(ctx, min_samples, n));
    BI_TRY(bi_emst_check_rows(ctx, &full, points, n, stride));
    /* 2. Compute the tree. */
    struct bi_emst_points rows = {
        .n = n, .min_samples = min_samples, .core_dist2 = min_samples ? core_distances : NULL};
    struct outputs to = {pairs, lengths};
    bi_progress_set_total(ctx, 1000 * (double)n);
    BI_TRY(bi_emst_with_order(ctx, points, stride, &full, p, &rows, compute_pairs, &to));
    if (n != 1 || !core_distances || !min_samples) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, core_distances, &one_point, sizeof one_point));
    return ctx->backend->sync(ctx);
}
