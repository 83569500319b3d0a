/* Searches by any metric, in periodic boxes, within bounds: checks their options and converts them for the steps. The
 * backend's own searches answer calls that they support. */
#include "kdtree/metric.h"

#include <math.h>

#include "base/radius.h"
#include "core/call.h"
#include "core/csr.h"
#include "kdtree/inside.h"
#include "kdtree/nearest.h"

/* --- Options ------------------------------------------------------------------------------------------------------ */

static bosc_status check_periods(bosc_ctx *ctx, int32_t dim, bosc_kdtree_query_opts *o)
{
    bool periodic = false;
    for (int32_t c = 0; o->periods && c < dim; c++) {
        if (!(o->periods[c] >= 0 && o->periods[c] < INFINITY))
            return bi_fail(ctx, BOSC_ERR_ARG, "opts: periods: %g, of coordinate %d, is not 0 or more and finite",
                           o->periods[c], (int)c);
        periodic |= o->periods[c] > 0;
    }
    if (!periodic) o->periods = NULL;
    return BOSC_OK;
}

bosc_status bi_kdtree_check_query_opts(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                       bosc_kdtree_query_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_kdtree_query_opts", opts, full, sizeof *full));
    if (full->p == 0) full->p = 2;
    if (!(full->p >= 1)) return bi_fail(ctx, BOSC_ERR_ARG, "opts: p: %g is less than 1", full->p);
    if (!(full->epsilon >= 0 && full->epsilon < INFINITY))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: epsilon: %g is not 0 or more and finite", full->epsilon);
    BI_TRY(bi_check_aligned(ctx, "opts: periods", full->periods, sizeof *full->periods));
    return check_periods(ctx, tree->opts.dim, full);
}

bosc_status bi_kdtree_check_bounds(bosc_ctx *ctx, const char *name, const double *bounds, const char *count_name,
                                   int64_t count, int64_t query_count)
{
    if (count != 1 && count != query_count)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is neither 1 nor query_count, %lld", count_name, (long long)count,
                       (long long)query_count);
    if (!bounds) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, bounds, sizeof *bounds);
}

bosc_status bi_kdtree_check_pair_opts(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                      bosc_kdtree_query_opts *full)
{
    BI_TRY(bi_kdtree_check_query_opts(ctx, tree, opts, full));
    if (full->bounds) return bi_fail(ctx, BOSC_ERR_ARG, "opts: bounds: not for pairs");
    if (full->self || full->exclude_self)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: %s: not for pairs", full->self ? "self" : "exclude_self");
    return BOSC_OK;
}

bosc_status bi_kdtree_check_other(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other)
{
    BI_TRY(bi_check_handle(ctx, "other", other ? &other->memory : NULL));
    if (other->opts.dtype != tree->opts.dtype)
        return bi_fail(ctx, BOSC_ERR_ARG, "other: its points are %s, those of tree %s",
                       bosc_dtype_name(other->opts.dtype), bosc_dtype_name(tree->opts.dtype));
    if (other->opts.dim != tree->opts.dim)
        return bi_fail(ctx, BOSC_ERR_ARG, "other: its dim is %d, that of tree %d", (int)other->opts.dim,
                       (int)tree->opts.dim);
    return BOSC_OK;
}

/* Measures `extents` by two reductions for each coordinate. */
static bosc_status measure_extents(bosc_ctx *ctx, const bosc_kdtree *tree, double *extents)
{
    static const bosc_op ends[2] = {BOSC_MIN, BOSC_MAX};
    const int32_t dim = tree->opts.dim;
    struct bi_kdtree_coordinates column = {.view = tree->ops->view(tree)};
    double *reduced;
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *column.to, &column.to));
    BI_TRY(bi_scratch_of(ctx, 2 * (int64_t)dim, sizeof *reduced, &reduced));
    for (column.c = 0; column.c < dim; column.c++) {
        BI_TRY(tree->ops->steps->coordinates(ctx, tree->nodes, &column));
        for (int32_t e = 0; e < 2; e++)
            BI_TRY_WITH_SCRATCH(ctx, ctx->backend->core->reduce(ctx, ends[e], BOSC_F64, column.to, tree->nodes,
                                                                reduced + e * dim + column.c));
    }
    BI_TRY(ctx->backend->copy(ctx, extents, reduced, 2 * (size_t)dim * sizeof *extents));
    return ctx->backend->sync(ctx);
}

bosc_status bi_kdtree_extents(bosc_ctx *ctx, const bosc_kdtree *tree, const double **extents)
{
    double **cached = &((bosc_kdtree *)tree)->query_cache.extents, *found = __atomic_load_n(cached, __ATOMIC_ACQUIRE),
           *none = NULL;
    *extents = found;
    if (found) return BOSC_OK;
    double *fresh = bi_memory_alloc(&tree->host, bi_kdtree_extents_size(tree));
    if (!fresh)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "out of host memory: %zu bytes were refused", bi_kdtree_extents_size(tree));
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = measure_extents(ctx, tree, fresh));
    if (status == BOSC_OK &&
        __atomic_compare_exchange_n(cached, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        *extents = fresh;
    else {
        bi_memory_release(&tree->host, fresh, bi_kdtree_extents_size(tree));
        *extents = none; /* the failed exchange stored those of another thread in it; NULL if measuring failed */
    }
    return status;
}

/* True if all nodes share coordinate c, exactly: large I64 numbers may only round to the same double. */
static bool is_flat(const bosc_kdtree *tree, const double *extents, int32_t c)
{
    const double low = extents[c], high = extents[tree->opts.dim + c];
    return low == high && (tree->opts.dtype != BOSC_I64 || fabs(low) < 0x1p53);
}

/* Finds the flat coordinates among the first `used`: the extents show them, or the backend knows them. */
static bosc_status find_flat(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count, int32_t used,
                             struct bi_kdtree_split_axes *axes)
{
    /* Fewer nodes are not worth the extents, nor are fewer queries than a share of the nodes. Not measured. */
    enum { SMALL_TREE = 64, NODES_PER_QUERY = 4 };
    const double *extents = __atomic_load_n(&tree->query_cache.extents, __ATOMIC_ACQUIRE);
    if (tree->nodes < SMALL_TREE) return BOSC_OK;
    if (!extents && tree->ops->find_flat) {
        const bosc_kdtree_view view = tree->ops->view(tree);
        axes->flat = tree->ops->find_flat(tree);
        for (int32_t c = 0; axes->flat && c < used; c++) axes->value[c] = bosc_kdtree_coordinate(&view, 0, c);
        return BOSC_OK;
    }
    if (!extents && query_count < tree->nodes / NODES_PER_QUERY) return BOSC_OK;
    BI_TRY(bi_kdtree_extents(ctx, tree, &extents));
    for (int32_t c = 0; c < used; c++) {
        axes->value[c] = extents[c];
        if (is_flat(tree, extents, c)) axes->flat |= (uint32_t)1 << c;
    }
    return BOSC_OK;
}

bosc_status bi_kdtree_find_split_axes(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                      struct bi_kdtree_split_axes *axes)
{
    const int32_t dim = tree->opts.dim, used = dim < BI_KDTREE_MOST_LEVELS ? dim : BI_KDTREE_MOST_LEVELS;
    /* 1. Coordinates without extent. */
    *axes = (struct bi_kdtree_split_axes){.flat = 0};
    BI_TRY(find_flat(ctx, tree, query_count, used, axes));
    if (!axes->flat) return BOSC_OK;
    /* 2. The first coordinate of each level's superkey that is not flat. Walks know the first `used` alone. */
    for (int32_t l = 0; l < BI_KDTREE_MOST_LEVELS; l++) {
        const int32_t own = (l + tree->first) % dim;
        int32_t c = own;
        for (int32_t t = 0; t < dim && c < used && axes->flat >> c & 1; t++) c = c + 1 == dim ? 0 : c + 1;
        axes->of_level[l] = (uint8_t)(c < used ? c : own);
    }
    return BOSC_OK;
}

/* Fails with the first row outside the periods, if any. */
static bosc_status check_inside(bosc_ctx *ctx, const char *name, const bosc_kdtree *tree, const double *periods,
                                const double *reachable)
{
    const int32_t dim = tree->opts.dim;
    const double *extents;
    bool inside = true;
    if (tree->nodes == 0) return BOSC_OK;
    BI_TRY(bi_kdtree_extents(ctx, tree, &extents));
    for (int32_t c = 0; c < dim; c++)
        inside &= !(periods[c] > 0) || (extents[c] >= 0 && extents[dim + c] <= periods[c]);
    if (inside) return BOSC_OK;
    const int64_t none = INT64_MAX;
    struct bi_kdtree_outside outside = {tree->ops->view(tree), reachable, NULL};
    int64_t row;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof none, &outside.id));
    BI_TRY(ctx->backend->copy(ctx, outside.id, &none, sizeof none));
    BI_TRY(tree->ops->steps->outside(ctx, tree->nodes, &outside));
    BI_TRY(bi_read_back(ctx, &row, outside.id, sizeof row));
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld is outside the periodic box", name, (long long)row);
}

/* Returns how distances of an order are measured. */
static enum bi_kdtree_metric_kind kind_of_metric(const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                                 bool ordinary)
{
    if (opts->p == 1) return BI_KDTREE_SUM;
    if (opts->p == INFINITY) return BI_KDTREE_LARGEST;
    if (opts->p != 2) return BI_KDTREE_POWER;
    if (tree->opts.dtype != BOSC_F32) return ordinary ? BI_KDTREE_SQUARES : BI_KDTREE_ROOTS;
    if (opts->periods) return BI_KDTREE_SQUARES;
    return ordinary ? BI_KDTREE_SQUARES_F32 : BI_KDTREE_SQUARES_F24;
}

bosc_status bi_kdtree_stage_metric(bosc_ctx *ctx, const char *name, const bosc_kdtree *tree,
                                   const bosc_kdtree_query_opts *opts, bool ordinary, struct bi_kdtree_metric *metric)
{
    const double p = opts->p, slack = 1 + opts->epsilon;
    bool staged = false;
    *metric = (struct bi_kdtree_metric){.kind = kind_of_metric(tree, opts, ordinary),
                                        .p = p,
                                        .inverse = 1 / p,
                                        .shrink = p == 2 ? slack * slack : slack,
                                        .grow = 1};
    if (metric->kind == BI_KDTREE_ROOTS) metric->shrink = slack;
    if (metric->kind == BI_KDTREE_POWER) {
        *metric = bi_kdtree_power_metric(p);
        metric->shrink *= slack;
    }
    if (!opts->periods) return BOSC_OK;
    const void *reachable;
    BI_TRY(bi_stage_in(ctx, opts->periods, (size_t)tree->opts.dim * sizeof *opts->periods, &reachable, &staged));
    metric->periods = reachable;
    return check_inside(ctx, name, tree, opts->periods, metric->periods);
}

bosc_status bi_kdtree_metric_count(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                   struct bi_kdtree_metric_search *search, int64_t *counts)
{
    search->counts = counts;
    BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, tree->ops->steps->query_count(ctx, query_count, search));
    return BOSC_OK;
}

bosc_status bi_kdtree_metric_fill(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                  struct bi_kdtree_metric_search *search, const struct bi_csr_rows *to)
{
    search->offsets = to->offsets;
    search->ids = to->columns[0];
    search->distances = to->columns[1];
    search->bad = to->bad;
    BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, tree->ops->steps->query_fill(ctx, query_count, search));
    return BOSC_OK;
}

bosc_status bi_kdtree_backend_fill(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query,
                                   const struct bi_csr_rows *to)
{
    struct bi_kdtree_roots roots = {.values = to->columns[1]};
    query->offsets = to->offsets;
    query->ids = to->columns[0];
    query->bad = to->bad;
    query->dist2 = to->columns[1];
    if (query->dist2 && query->order == 0 && tree->opts.dtype == BOSC_F32) {
        BI_TRY(bi_scratch_of(ctx, to->total, sizeof *roots.squares, &query->dist2));
        roots.squares = query->dist2;
    }
    BI_TRY(tree->ops->radius_fill(ctx, tree, query));
    return roots.values && query->order == 0 ? tree->ops->steps->roots(ctx, to->total, &roots) : BOSC_OK;
}

/* --- Searches ----------------------------------------------------------------------------------------------------- */

/* A search, with the arguments of its call. */
struct search {
    const bosc_kdtree *tree;
    bosc_kdtree_query_opts opts; /* bounds: the radii, in searches by radius */
    struct bi_kdtree_rows rows;
    bool ordinary; /* no square overflows, and not all underflow */
    double limit;  /* the largest (squared) distance that counts, if the backend's searches support the call; else -1 */
    const double *limits; /* that of each query, in reach; NULL: limit */
    double order;         /* of these: see bi_kdtree_query */
    int64_t k;
    void *ids;
    double *distances;
    int64_t *counts;
};

bool bi_kdtree_searches_order(const bosc_kdtree *tree, double p)
{
    return tree->ops->searches_orders && (p <= BI_KDTREE_MOST_EXPONENT || p == INFINITY);
}

/* Checks the arguments common to all searches. */
static bosc_status check_search(bosc_ctx *ctx, const void *queries, int64_t query_count, int64_t stride,
                                const bosc_kdtree_query_opts *opts, struct search *s)
{
    BI_TRY(bi_kdtree_check_tree(ctx, s->tree));
    BI_TRY(bi_kdtree_check_query_opts(ctx, s->tree, opts, &s->opts));
    if (!s->opts.self)
        return bi_kdtree_check_rows(ctx, s->tree, "queries", queries, "query_count", query_count, stride, &s->rows);
    BI_TRY(bi_kdtree_check_has_rows(ctx, s->tree));
    if (queries) return bi_fail(ctx, BOSC_ERR_ARG, "queries: not NULL, but opts->self is set");
    if (query_count != s->tree->nodes)
        return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is not the number of points, %lld", (long long)query_count,
                       (long long)s->tree->nodes);
    s->rows = (struct bi_kdtree_rows){NULL, query_count, s->tree->opts.dim};
    return BOSC_OK;
}

/* True if the backend's own searches support the call. Only Euclidean ones ignore epsilon, on all backends. */
static bool is_backend_search(const struct search *s)
{
    const bosc_kdtree_query_opts *o = &s->opts;
    if (!s->ordinary || o->periods || (o->exclude_self && s->k == 0)) return false; /* k is 0 in searches by radius */
    if (o->bounds && o->bound_count != 1 && !s->tree->ops->searches_limits) return false;
    if (o->p == 2) return true;
    return bi_kdtree_searches_order(s->tree, o->p) && o->epsilon == 0;
}

/* Sets s->limits, by a bound for each query. */
static bosc_status find_limits(bosc_ctx *ctx, struct search *s)
{
    struct bi_kdtree_measures measures;
    const void *bounds;
    bool staged = false;
    BI_TRY(bi_kdtree_stage_metric(ctx, "tree", s->tree, &s->opts, true, &measures.metric));
    BI_TRY(bi_stage_in(ctx, s->opts.bounds, (size_t)s->opts.bound_count * sizeof(double), &bounds, &staged));
    BI_TRY(bi_scratch_of(ctx, s->opts.bound_count, sizeof *measures.to, &measures.to));
    measures.bounds = bounds;
    s->limits = measures.to;
    return s->tree->ops->steps->measures(ctx, s->opts.bound_count, &measures);
}

/* Sets s->order and s->limit, by the caller's bound if there is one for all queries; else s->limits. */
static bosc_status find_limit(bosc_ctx *ctx, struct search *s)
{
    const bosc_kdtree_query_opts *o = &s->opts;
    double bound = INFINITY;
    s->limit = -1;
    if (!is_backend_search(s)) return BOSC_OK;
    if (o->bounds && o->bound_count > 1) {
        BI_TRY(find_limits(ctx, s));
    } else if (o->bounds) {
        const void *reachable; /* bi_read_back needs reachable memory */
        bool staged = false;
        BI_TRY(bi_stage_in(ctx, o->bounds, sizeof bound, &reachable, &staged));
        BI_TRY(bi_read_back(ctx, &bound, reachable, sizeof bound));
    }
    if (o->p == 2) {
        s->limit = bi_square_limit(bound, s->tree->opts.dtype == BOSC_F32);
    } else {
        s->order = o->p;
        s->limit = bound >= 0 ? bound : -1;
    }
    return BOSC_OK;
}

/* Stages and checks the queries; sets s->ordinary and s->limit. */
static bosc_status prepare_search(bosc_ctx *ctx, struct search *s)
{
    bool staged = false;
    s->ordinary = true;
    if (!s->opts.self) BI_TRY(bi_kdtree_stage_queries(ctx, s->tree, &s->rows, &s->ordinary, &staged));
    s->ordinary &= s->tree->magnitude == BI_KDTREE_ORDINARY;
    return find_limit(ctx, s);
}

/* Makes the arguments of a general search but the queries, and stages bounds. */
static bosc_status stage_options(bosc_ctx *ctx, const struct search *s, struct bi_kdtree_metric_search *a)
{
    const void *bounds;
    bool staged = false;
    *a = (struct bi_kdtree_metric_search){.view = s->tree->ops->view(s->tree),
                                          .bound_step = s->opts.bound_count > 1,
                                          .limit = INFINITY,
                                          .exclude_self = s->opts.exclude_self != 0,
                                          .k = s->k,
                                          .wide_ids = s->tree->opts.id_bits == 64};
    BI_TRY(bi_kdtree_stage_metric(ctx, "tree", s->tree, &s->opts, s->ordinary, &a->metric));
    size_t size = s->opts.bounds ? (size_t)s->opts.bound_count * sizeof(double) : 0;
    BI_TRY(bi_stage_in(ctx, s->opts.bounds, size, &bounds, &staged));
    a->bounds = bounds;
    return BOSC_OK;
}

/* Makes the queries of a general search. */
static bosc_status place_search_queries(bosc_ctx *ctx, const struct search *s, struct bi_kdtree_metric_search *a)
{
    if (s->opts.self) return bi_kdtree_place_nodes(ctx, s->tree, &a->metric, &a->queries, &a->numbers);
    return bi_kdtree_place_rows(ctx, s->tree, &s->rows, &a->metric, &a->queries);
}

static bosc_status stage_search(bosc_ctx *ctx, const struct search *s, struct bi_kdtree_metric_search *a)
{
    BI_TRY(stage_options(ctx, s, a));
    return place_search_queries(ctx, s, a);
}

/* *squares = room for the distances of the backend's search: the caller's, or for squares of F32 floats in scratch. */
static bosc_status allocate_squares(bosc_ctx *ctx, const struct search *s, double *distances, int64_t count,
                                    void **squares)
{
    *squares = distances;
    if (!distances || s->tree->opts.dtype != BOSC_F32 || s->order != 0) return BOSC_OK;
    return bi_scratch_of(ctx, count, sizeof(float), squares);
}

/* Converts squared distances to distances; those of other orders are distances. */
static bosc_status convert_to_roots(bosc_ctx *ctx, const struct search *s, const void *squares, double *distances,
                                    int64_t count)
{
    struct bi_kdtree_roots roots = {distances, squares == distances ? NULL : squares};
    return distances && s->order == 0 ? s->tree->ops->steps->roots(ctx, count, &roots) : BOSC_OK;
}

/* Searches for one neighbour more, and skips the id of the query, or else the last neighbour. */
static bosc_status backend_knn_without_self(bosc_ctx *ctx, const struct search *s)
{
    const int64_t entries = s->rows.n * (s->k + 1);
    const size_t size = s->tree->opts.dtype == BOSC_F32 && s->order == 0 ? sizeof(float) : sizeof(double);
    struct bi_kdtree_query query = {.rows = s->rows,
                                    .k = s->k + 1,
                                    .within = true,
                                    .r2 = s->limit,
                                    .limits = s->limits,
                                    .order = s->order,
                                    .self = s->opts.self != 0};
    BI_TRY(bi_scratch_of(ctx, entries, (size_t)s->tree->opts.id_bits / 8, &query.ids));
    if (s->distances) BI_TRY(bi_scratch_of(ctx, entries, size, &query.dist2));
    BI_TRY(bi_kdtree_nearest(ctx, s->tree, &query));
    struct bi_kdtree_skip_self skip = {.k = s->k,
                                       .ids = query.ids,
                                       .measures = query.dist2,
                                       .single = size == sizeof(float),
                                       .squared = s->order == 0,
                                       .wide_ids = s->tree->opts.id_bits == 64,
                                       .to_ids = s->ids,
                                       .to_distances = s->distances};
    return s->tree->ops->steps->skip_self(ctx, s->rows.n, &skip);
}

static bosc_status backend_knn(bosc_ctx *ctx, const struct search *s)
{
    if (s->opts.exclude_self) return backend_knn_without_self(ctx, s);
    struct bi_kdtree_query query = {.rows = s->rows,
                                    .k = s->k,
                                    .within = true,
                                    .r2 = s->limit,
                                    .limits = s->limits,
                                    .ids = s->ids,
                                    .order = s->order,
                                    .self = s->opts.self != 0};
    BI_TRY(allocate_squares(ctx, s, s->distances, s->rows.n * s->k, &query.dist2));
    BI_TRY(bi_kdtree_nearest(ctx, s->tree, &query));
    return convert_to_roots(ctx, s, query.dist2, s->distances, s->rows.n * s->k);
}

/* Checks the answers of a search that is not ordinary, and writes their squared distances to dist2 (NULL: none). Fails
 * with the first entry whose distance or square does not fit. */
static bosc_status check_entries(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                 const struct bi_kdtree_metric_search *a, void *dist2)
{
    const bool single = tree->opts.dtype == BOSC_F32;
    const int64_t none = INT64_MAX;
    int64_t bad;
    uint32_t *nodes;
    struct bi_kdtree_check_entries check = {.search = *a, .dist2 = dist2, .small = tree->magnitude == BI_KDTREE_SMALL};
    check.squares.kind = single ? BI_KDTREE_SQUARES_F32 : BI_KDTREE_SQUARES;
    BI_TRY(bi_scratch_of(ctx, tree->n, sizeof *nodes, &nodes));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof bad, &check.bad));
    BI_TRY(ctx->backend->copy(ctx, check.bad, &none, sizeof none));
    struct bi_kdtree_place_ids place = {a->view.ids, a->view.id_stride, nodes};
    BI_TRY(tree->ops->steps->place_ids(ctx, tree->nodes, &place));
    check.nodes = nodes;
    BI_TRY(tree->ops->steps->check_entries(ctx, query_count, &check));
    BI_TRY(bi_read_back(ctx, &bad, check.bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    if (!dist2)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "tree: the distance of entry %lld is more than a double holds",
                       (long long)bad);
    return bi_fail(ctx, BOSC_ERR_LIMIT,
                   "dist2: entry %lld, the square of a distance, is out of the range of %s; multiply the points by a "
                   "power of two",
                   (long long)bad, single ? "float" : "double");
}

/* Allocates scratch for the entries of a search, so that a failed check leaves the caller's arrays as they are. */
static bosc_status allocate_entries(bosc_ctx *ctx, int64_t entries, struct bi_kdtree_metric_search *a)
{
    BI_TRY(bi_scratch_of(ctx, entries, a->wide_ids ? 8 : 4, &a->ids));
    return bi_scratch_of(ctx, entries, sizeof *a->distances, &a->distances);
}

static bosc_status general_knn(bosc_ctx *ctx, const struct search *s)
{
    const int64_t entries = s->rows.n * s->k;
    int64_t query_count = s->rows.n;
    struct bi_kdtree_metric_search a;
    BI_TRY(stage_options(ctx, s, &a));
    a.ids = s->ids;
    a.distances = s->distances;
    if (!s->ordinary)
        BI_TRY(allocate_entries(ctx, entries, &a));
    else if (!a.distances)
        BI_TRY(bi_scratch_of(ctx, entries, sizeof *a.distances, &a.distances));
    const bool plain_first = s->ordinary && bi_kdtree_can_search_inside(s->tree, &a, query_count);
    if (plain_first)
        BI_TRY(bi_kdtree_search_inside(ctx, s->tree, &s->rows, s->opts.self != 0, s->opts.periods, &a, &query_count));
    else
        BI_TRY(place_search_queries(ctx, s, &a));
    if (query_count == 0) return BOSC_OK;
    BI_TRY(bi_kdtree_find_split_axes(ctx, s->tree, query_count, &a.axes));
    BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, s->tree->ops->steps->query_knn(ctx, query_count, &a));
    if (s->ordinary) return BOSC_OK;
    BI_TRY(check_entries(ctx, s->tree, s->rows.n, &a, NULL));
    BI_TRY(ctx->backend->copy(ctx, s->ids, a.ids, (size_t)entries * (a.wide_ids ? 8 : 4)));
    if (!s->distances) return BOSC_OK;
    return ctx->backend->copy(ctx, s->distances, a.distances, (size_t)entries * sizeof *a.distances);
}

static bosc_status knn_staged(bosc_ctx *ctx, const struct search *call)
{
    struct search s = *call;
    struct bi_out ids, distances;
    bool staged = false;
    size_t entries = (size_t)(s.rows.n * s.k);
    BI_TRY(bi_stage_out(ctx, s.ids, entries * (size_t)s.tree->opts.id_bits / 8, &ids, &staged));
    BI_TRY(bi_stage_out(ctx, s.distances, s.distances ? entries * sizeof(double) : 0, &distances, &staged));
    s.ids = ids.reachable;
    s.distances = distances.reachable;
    BI_TRY(prepare_search(ctx, &s));
    BI_TRY(s.limit >= 0 ? backend_knn(ctx, &s) : general_knn(ctx, &s));
    BI_TRY(bi_stage_back(ctx, &ids));
    BI_TRY(bi_stage_back(ctx, &distances));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_kdtree_knn_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                   int64_t stride, int64_t k, const bosc_kdtree_query_opts *opts, void *ids,
                                   double *distances)
{
    struct search s = {.tree = tree, .k = k, .ids = ids, .distances = distances};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, queries, query_count, stride, opts, &s));
    if (s.opts.bounds)
        BI_TRY(bi_kdtree_check_bounds(ctx, "opts: bounds", s.opts.bounds, "opts: bound_count", s.opts.bound_count,
                                      query_count));
    BI_TRY(bi_kdtree_check_k(ctx, k, query_count));
    if (query_count > 0 && !ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)tree->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "distances", distances, sizeof *distances));
    if (query_count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (16 + BI_KDTREE_SEARCH_ITEMS + (double)k) * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, knn_staged(ctx, &s));
}

static bosc_status count_rows(bosc_ctx *ctx, void *search, int64_t *counts)
{
    struct search *s = search;
    struct bi_kdtree_metric_search a;
    BI_TRY(prepare_search(ctx, s));
    if (s->limit >= 0) {
        struct bi_kdtree_query query = {
            .rows = s->rows, .within = true, .r2 = s->limit, .limits = s->limits, .counts = counts, .order = s->order};
        if (s->opts.self) BI_TRY(bi_kdtree_query_own_nodes(ctx, s->tree, s->tree, &query));
        return s->tree->ops->radius_count(ctx, s->tree, &query);
    }
    BI_TRY(stage_search(ctx, s, &a));
    BI_TRY(bi_kdtree_find_split_axes(ctx, s->tree, s->rows.n, &a.axes));
    return bi_kdtree_metric_count(ctx, s->tree, s->rows.n, &a, counts);
}

static bosc_status fill_rows(bosc_ctx *ctx, void *search, const struct bi_csr_rows *to)
{
    struct search *s = search;
    struct bi_kdtree_metric_search a;
    BI_TRY(prepare_search(ctx, s));
    if (s->limit >= 0) {
        struct bi_kdtree_query query = {
            .rows = s->rows, .within = true, .r2 = s->limit, .limits = s->limits, .order = s->order};
        if (s->opts.self) BI_TRY(bi_kdtree_query_own_nodes(ctx, s->tree, s->tree, &query));
        return bi_kdtree_backend_fill(ctx, s->tree, &query, to);
    }
    BI_TRY(stage_search(ctx, s, &a));
    BI_TRY(bi_kdtree_find_split_axes(ctx, s->tree, s->rows.n, &a.axes));
    return bi_kdtree_metric_fill(ctx, s->tree, s->rows.n, &a, to);
}

/* Checks radii, which become the bounds. */
static bosc_status check_radii(bosc_ctx *ctx, const double *radii, int64_t radius_count, struct search *s)
{
    if (s->opts.bounds) return bi_fail(ctx, BOSC_ERR_ARG, "opts: bounds: radii are given instead");
    s->opts.bounds = radii;
    s->opts.bound_count = radius_count;
    if (s->rows.n == 0) return BOSC_OK;
    return bi_kdtree_check_bounds(ctx, "radii", radii, "radius_count", radius_count, s->rows.n);
}

bosc_status bosc_kdtree_radius_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                      int64_t stride, const double *radii, int64_t radius_count,
                                      const bosc_kdtree_query_opts *opts, int64_t *offsets, void *ids,
                                      double *distances, int64_t capacity)
{
    struct search s = {.tree = tree};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, queries, query_count, stride, opts, &s));
    BI_TRY(check_radii(ctx, radii, radius_count, &s));
    BI_TRY(bi_csr_check(ctx, query_count, offsets, ids != NULL, capacity));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)tree->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "distances", distances, sizeof *distances));
    bi_progress_set_total(ctx, (16 + BI_KDTREE_SEARCH_ITEMS) * (double)query_count);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, query_count, count_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)tree->opts.id_bits / 8},
                                                          {distances, sizeof *distances}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, query_count, offsets, capacity, columns, fill_rows, &s));
}

static bosc_status count_staged(bosc_ctx *ctx, struct search *s)
{
    bool staged = false;
    struct bi_out counts;
    BI_TRY(bi_stage_out(ctx, s->counts, (size_t)s->rows.n * sizeof(int64_t), &counts, &staged));
    BI_TRY(count_rows(ctx, s, counts.reachable));
    BI_TRY(bi_stage_back(ctx, &counts));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_kdtree_radius_count_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                            int64_t query_count, int64_t stride, const double *radii,
                                            int64_t radius_count, const bosc_kdtree_query_opts *opts, int64_t *counts)
{
    struct search s = {.tree = tree, .counts = counts};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, queries, query_count, stride, opts, &s));
    BI_TRY(check_radii(ctx, radii, radius_count, &s));
    if (query_count > 0 && !counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    if (query_count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (16 + BI_KDTREE_SEARCH_ITEMS) * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, count_staged(ctx, &s));
}

/* --- Any magnitude ------------------------------------------------------------------------------------------------ */

/* Makes the arguments of a general search for a Euclidean one. */
static bosc_status stage_query(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                               struct bi_kdtree_metric_search *a)
{
    const bosc_kdtree_query_opts opts = {.size = sizeof opts, .p = 2};
    *a = (struct bi_kdtree_metric_search){
        .view = tree->ops->view(tree), .limit = INFINITY, .k = query->k, .wide_ids = tree->opts.id_bits == 64};
    BI_TRY(bi_kdtree_stage_metric(ctx, "tree", tree, &opts, false, &a->metric));
    if (query->within) a->limit = bi_kdtree_measure_of(&a->metric, query->radius);
    if (query->self) return bi_kdtree_place_nodes(ctx, tree, &a->metric, &a->queries, &a->numbers);
    return bi_kdtree_place_rows(ctx, tree, &query->rows, &a->metric, &a->queries);
}

/* Checks the answer, and copies it to the arrays of the query. Rows of a radius search without dist2 need no check. */
static bosc_status store_answer(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                                int64_t entries, const struct bi_kdtree_metric_search *a)
{
    void *dist2 = NULL;
    if (query->dist2) BI_TRY(bi_scratch_of(ctx, entries, bi_kdtree_dist2_size(tree), &dist2));
    if (dist2 || !a->offsets) BI_TRY(check_entries(ctx, tree, query->rows.n, a, dist2));
    BI_TRY(ctx->backend->copy(ctx, query->ids, a->ids, (size_t)entries * (a->wide_ids ? 8 : 4)));
    return dist2 ? ctx->backend->copy(ctx, query->dist2, dist2, (size_t)entries * bi_kdtree_dist2_size(tree)) : BOSC_OK;
}

bosc_status bi_kdtree_knn_of_any_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    const int64_t entries = query->rows.n * query->k;
    struct bi_kdtree_metric_search a;
    BI_TRY(stage_query(ctx, tree, query, &a));
    BI_TRY(allocate_entries(ctx, entries, &a));
    BI_TRY(tree->ops->steps->query_knn(ctx, query->rows.n, &a));
    return store_answer(ctx, tree, query, entries, &a);
}

bosc_status bi_kdtree_count_of_any_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree,
                                             const struct bi_kdtree_query *query)
{
    struct bi_kdtree_metric_search a;
    BI_TRY(stage_query(ctx, tree, query, &a));
    a.counts = query->counts;
    return tree->ops->steps->query_count(ctx, query->rows.n, &a);
}

bosc_status bi_kdtree_fill_of_any_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                                            int64_t total)
{
    int64_t bad;
    struct bi_kdtree_metric_search a;
    BI_TRY(stage_query(ctx, tree, query, &a));
    BI_TRY(allocate_entries(ctx, total, &a));
    a.offsets = query->offsets;
    a.bad = query->bad;
    BI_TRY(tree->ops->steps->query_fill(ctx, query->rows.n, &a));
    BI_TRY(bi_read_back(ctx, &bad, query->bad, sizeof bad));
    if (bad != INT64_MAX) return BOSC_OK; /* the caller reports offsets that do not fit */
    return store_answer(ctx, tree, query, total, &a);
}
