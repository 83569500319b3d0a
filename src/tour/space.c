/* Points of a tour: coordinates as doubles of one scale, and lists of nearest points by a k-d tree. */
#include <math.h>
#include <string.h>

#include <boscage/kdtree.h>

#include "core/arena.h"
#include "core/check.h"
#include "tour/tour.h"

enum { MOST_DIM = 1024, MOST_KICKS = 10000, MOST_ROUNDS = 100000 };

static bosc_status check_opts(bosc_ctx *ctx, const bosc_tour_search_opts *o)
{
    if (o->dtype != BOSC_F32 && o->dtype != BOSC_F64 && o->dtype != BOSC_I32 && o->dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is none of F32, F64, I32, I64", (int)o->dtype);
    if (o->dim < 1 || o->dim > MOST_DIM)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to %d", (int)o->dim, MOST_DIM);
    if (o->id_bits != 32 && o->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)o->id_bits);
    if (o->kicks < -1 || o->kicks > MOST_KICKS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: kicks %d is not in -1 to %d", (int)o->kicks, MOST_KICKS);
    if (o->rounds < 1 || o->rounds > MOST_ROUNDS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: rounds %d is not in 0 to %d", (int)o->rounds, MOST_ROUNDS);
    return BOSC_OK;
}

bosc_status bi_tour_check(bosc_ctx *ctx, const void *points, int64_t n, int64_t *stride,
                          const bosc_tour_search_opts *opts, bosc_tour_search_opts *full)
{
    enum { ROUNDS = 60, KICKS = 5 };
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but dim has no default");
    BI_TRY(bi_read_opts(ctx, "bosc_tour_search_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->kicks == 0) full->kicks = KICKS;
    if (full->rounds == 0) full->rounds = ROUNDS;
    BI_TRY(check_opts(ctx, full));
    if (n < 0 || n > (int64_t)1 << 31) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is not in 0 to 2^31", (long long)n);
    if (*stride == 0) *stride = full->dim;
    if (*stride < full->dim || *stride > INT64_MAX / 8 / (n + 1))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than %d, or more than memory can hold",
                       (long long)*stride, (int)full->dim);
    if (n > 0 && !points) return bi_fail(ctx, BOSC_ERR_ARG, "points: NULL");
    return bi_check_aligned(ctx, "points", points, bosc_dtype_size(full->dtype));
}

double bi_tour_distance(const struct bi_tour_space *s, uint32_t a, uint32_t b)
{
    const double *p = s->x + (int64_t)a * s->dim, *q = s->x + (int64_t)b * s->dim;
    double sum = 0;
    for (int64_t c = 0; c < s->dim; c++) sum += (p[c] - q[c]) * (p[c] - q[c]);
    return sqrt(sum);
}

static double element_of(const void *points, bosc_dtype dtype, int64_t i)
{
    switch (dtype) {
    case BOSC_F32: return (double)((const float *)points)[i];
    case BOSC_F64: return ((const double *)points)[i];
    case BOSC_I32: return ((const int32_t *)points)[i];
    default: return (double)((const int64_t *)points)[i];
    }
}

/* Reads coordinates, and multiplies all by the power of two that makes the greatest one less than 1. */
static bosc_status read_points(bosc_ctx *ctx, const void *points, int64_t stride, bosc_dtype dtype,
                               const uint32_t *rows, struct bi_tour_space *s)
{
    double most = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t row = rows[i];
        for (int64_t c = 0; c < s->dim; c++) {
            const double x = element_of(points, dtype, row * stride + c);
            if (!isfinite(x))
                return bi_fail(ctx, BOSC_ERR_DATA, "points: coordinate %lld of row %lld is no finite number",
                               (long long)c, (long long)row);
            most = fmax(most, fabs(x));
            s->x[i * s->dim + c] = x;
        }
    }
    if (most > 0) frexp(most, &s->exponent);
    for (int64_t e = 0; e < s->n * s->dim; e++) s->x[e] = ldexp(s->x[e], -s->exponent);
    return BOSC_OK;
}

/* Writes the nearest points of each point without itself. ids: (n, k + 1), with it; of equal points it may lack. */
static void drop_self(const struct bi_tour_space *s, const uint32_t *ids)
{
    for (int64_t i = 0; i < s->n; i++) {
        const uint32_t *from = ids + i * (s->k + 1);
        for (int32_t c = 0, at = 0; at <= s->k && c < s->k; at++)
            if (from[at] != i) s->near[i * s->k + c++] = from[at];
    }
}

static bosc_status find_near(bosc_ctx *ctx, const struct bi_tour_space *s, uint32_t *ids)
{
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = (int32_t)s->dim, .id_bits = 32};
    bosc_kdtree *tree = NULL;
    bosc_status status = bosc_kdtree_create(ctx, &opts, &tree);
    if (status == BOSC_OK) status = bosc_kdtree_build(ctx, tree, s->x, s->n, 0);
    if (status == BOSC_OK) status = bosc_kdtree_knn_self(ctx, tree, s->k + 1, ids, NULL);
    if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
    bosc_kdtree_free(tree);
    if (status == BOSC_OK) drop_self(s, ids);
    return status;
}

/* first[i] = the least row equal to row i. nodes: (n): scratch. */
static bosc_status find_copies(bosc_ctx *ctx, const struct bi_tour_space *s, uint32_t *first, uint32_t *nodes)
{
    const bosc_kdtree_opts opts = {.size = sizeof opts,
                                   .dtype = BOSC_F64,
                                   .dim = (int32_t)s->dim,
                                   .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE,
                                   .id_bits = 32};
    bosc_kdtree *tree = NULL;
    bosc_status status = bosc_kdtree_create(ctx, &opts, &tree);
    if (status == BOSC_OK) status = bosc_kdtree_build(ctx, tree, s->x, s->n, 0);
    if (status == BOSC_OK) status = bosc_kdtree_get_nodes(ctx, tree, NULL, nodes);
    if (status == BOSC_OK) status = bosc_kdtree_get_duplicates(ctx, tree, first, NULL);
    if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
    bosc_kdtree_free(tree);
    for (int64_t i = 0; i < s->n && status == BOSC_OK; i++) first[i] = nodes[first[i]];
    return status;
}

/* Keeps the first of equal points, and numbers the kept ones. first: the least row equal to each; receives its
 * number. */
static void drop_copies(struct bi_tour_space *s, uint32_t *rows, uint32_t *first)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (first[i] < i) {
            first[i] = first[first[i]];
            continue;
        }
        memmove(s->x + kept * s->dim, s->x + i * s->dim, (size_t)s->dim * sizeof *s->x);
        rows[kept] = rows[i];
        first[i] = (uint32_t)kept++;
    }
    s->n = kept;
    if (s->k >= kept) s->k = (int32_t)kept - 1;
}

bosc_status bi_tour_open_space(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                               const bosc_tour_search_opts *opts, uint32_t *rows, uint32_t *first, int32_t k,
                               struct bi_tour_space *s)
{
    *s = (struct bi_tour_space){.n = n, .dim = opts->dim, .k = n <= k ? (int32_t)(n - 1) : k};
    const size_t coordinates = (size_t)(n * s->dim) * sizeof *s->x, list = (size_t)n * sizeof *s->near;
    /* 1. Coordinates, and room for the lists. */
    s->bytes = coordinates + list * (size_t)s->k;
    s->x = bi_host_alloc(ctx, s->bytes);
    if (!s->x) return BOSC_ERR_NOMEM;
    s->near = (uint32_t *)(void *)((char *)s->x + coordinates);
    BI_TRY(read_points(ctx, points, stride, opts->dtype, rows, s));
    /* 2. Copies, then lists of the distinct points. */
    const size_t bytes = list * (size_t)(s->k + 1);
    uint32_t *ids = bi_host_alloc(ctx, bytes);
    if (!ids) return BOSC_ERR_NOMEM;
    bosc_status status = find_copies(ctx, s, first, ids);
    if (status == BOSC_OK) drop_copies(s, rows, first);
    if (status == BOSC_OK && s->k > 0) status = find_near(ctx, s, ids);
    bi_memory_release(&ctx->host, ids, bytes);
    return status;
}

void bi_tour_free_space(bosc_ctx *ctx, struct bi_tour_space *s)
{
    bi_memory_release(&ctx->host, s->x, s->bytes);
    s->x = NULL;
}
