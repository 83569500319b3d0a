/* Lower bounds of tours by 1-trees. A 1-tree is a spanning tree of all vertices but one, s, and two edges of s; every
 * tour is one. Prices p of vertices lengthen an edge (i, j) to d(i, j) + p[i] + p[j], and every tour by 2 sum p. So a
 * minimum 1-tree less 2 sum p bounds all tours (Held and Karp 1970). Here s is a leaf of the minimum spanning tree: the
 * tree of the others is the same without its edge.
 *
 * Edges are those to the k nearest points. Any other pair (i, j) is at least as long as the distances r[i] and r[j] to
 * the k-th nearest, so it costs at least a[i] + a[j], where a = r / 2 + p. A minimum spanning tree with pairs of these
 * costs needs, of them, only those of the vertex m with the least a: a pair (i, j) is the longest edge of the cycle
 * i, m, j. So n - 1 more edges stand for all other pairs, and the bound holds for tours of any pairs. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <boscage/forest.h>

#include "core/arena.h"
#include "core/carve.h"
#include "core/check.h"
#include "tour/tour.h"

enum { NEAR = 16 /* nearest points of a point. With 10 the bound of 100,000 uniform points is 9 % less */ };

/* Of 100,000 uniform points .15, .25 and .35 give bounds of 224.2, 224.4 and 224.3; without it 222.9. */
static const double LEAST_PRICE = 0.25;

struct bound {
    bosc_ctx *ctx;
    int64_t n, near_edges, edges; /* edges: near_edges, then n - 1 to vertex m, unless all pairs are near */
    int32_t rounds;
    struct bi_tour_space space;
    double *length;                /* (near_edges): distances */
    double *weight;                /* (edges) */
    uint32_t *u, *v;               /* (edges) */
    uint32_t *tree;                /* (n - 1): edges of the spanning tree */
    double *price;                 /* (n) */
    double *reach;                 /* (n): the distance to the k-th nearest point */
    double *leaf_edge;             /* (n): the weight of the last tree edge of each vertex */
    int32_t *degree, *last_degree; /* (n): edges of the 1-tree, in this round and in the one before */
};

static size_t carve_arrays(struct bound *b, void *base)
{
    struct bi_carver c = {base, 0};
    BI_CARVE(&c, b->length, b->near_edges);
    BI_CARVE(&c, b->weight, b->edges);
    BI_CARVE(&c, b->u, b->edges);
    BI_CARVE(&c, b->v, b->edges);
    BI_CARVE(&c, b->tree, b->n);
    BI_CARVE(&c, b->price, b->n);
    BI_CARVE(&c, b->reach, b->n);
    BI_CARVE(&c, b->leaf_edge, b->n);
    BI_CARVE(&c, b->degree, b->n);
    BI_CARVE(&c, b->last_degree, b->n);
    return c.used;
}

static bool lists(const struct bi_tour_space *s, uint32_t i, uint32_t j)
{
    for (int32_t c = 0; c < s->k; c++)
        if (s->near[(int64_t)i * s->k + c] == j) return true;
    return false;
}

/* Lists each pair of near points once: from the lower point, or from the point that alone lists the other. Returns
 * their number. u, v: may be NULL. */
static int64_t list_pairs(const struct bi_tour_space *s, uint32_t *u, uint32_t *v)
{
    int64_t m = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int32_t c = 0; c < s->k; c++) {
            const uint32_t j = s->near[i * s->k + c];
            if (j < i && lists(s, j, (uint32_t)i)) continue;
            if (u) u[m] = (uint32_t)i;
            if (v) v[m] = j;
            m++;
        }
    return m;
}

/* Computes what no price changes. */
static void measure_pairs(struct bound *b)
{
    const struct bi_tour_space *s = &b->space;
    list_pairs(s, b->u, b->v);
    for (int64_t e = 0; e < b->near_edges; e++) b->length[e] = bi_tour_distance(s, b->u[e], b->v[e]);
    for (int64_t i = 0; i < b->n; i++) {
        b->reach[i] = bi_tour_distance(s, (uint32_t)i, s->near[i * s->k + s->k - 1]);
        b->price[i] = 0;
        b->last_degree[i] = 2;
    }
}

/* ---- a round ---- */

/* Writes the weights of all edges, and the ends of the last n - 1, which stand for distant pairs. */
static void price_edges(struct bound *b)
{
    for (int64_t e = 0; e < b->near_edges; e++) b->weight[e] = b->length[e] + b->price[b->u[e]] + b->price[b->v[e]];
    if (b->edges == b->near_edges) return;
    int64_t m = 0, e = b->near_edges;
    for (int64_t i = 1; i < b->n; i++)
        if (b->reach[i] / 2 + b->price[i] < b->reach[m] / 2 + b->price[m]) m = i;
    for (int64_t i = 0; i < b->n; i++) {
        if (i == m) continue;
        b->u[e] = (uint32_t)i;
        b->v[e] = (uint32_t)m;
        b->weight[e++] = b->reach[i] / 2 + b->price[i] + (b->reach[m] / 2 + b->price[m]);
    }
}

static bosc_status find_tree(struct bound *b)
{
    const bosc_graph_opts opts = {.size = sizeof opts, .weight = BOSC_F64, .id_bits = 32, .assume_valid = 1};
    BI_TRY(bosc_msf_compute_edges(b->ctx, &opts, NULL, b->u, b->v, b->weight, b->n, b->edges, b->tree, NULL, NULL));
    return bosc_ctx_sync(b->ctx);
}

/* The sum of the tree's weights, and the degrees of its vertices. *magnitude += the sum of absolute terms. */
static double sum_tree(struct bound *b, double *magnitude)
{
    double sum = 0;
    memset(b->degree, 0, (size_t)b->n * sizeof *b->degree);
    for (int64_t t = 0; t < b->n - 1; t++) {
        const uint32_t e = b->tree[t];
        sum += b->weight[e];
        *magnitude += fabs(b->weight[e]);
        b->degree[b->u[e]]++;
        b->degree[b->v[e]] += e < b->near_edges; /* an edge that stands for others is no edge of m */
        b->leaf_edge[b->u[e]] = b->leaf_edge[b->v[e]] = b->weight[e];
    }
    return sum;
}

/* A leaf of the spanning tree, and what its two least edges cost more than its tree edge, at least. */
struct leaf {
    int64_t vertex, second; /* second: the other end of the second edge; -1: a pair that is not near */
    double more;
};

/* Finds the two least edges of leaf i. least_price: of all vertices. */
static struct leaf measure_leaf(const struct bound *b, int64_t i, double least_price)
{
    const struct bi_tour_space *s = &b->space;
    const bool is_complete = b->edges == b->near_edges;
    double least[2] = {DBL_MAX, DBL_MAX};
    int64_t ends[2] = {-1, -1};
    for (int32_t c = 0; c < s->k; c++) {
        const uint32_t j = s->near[i * s->k + c];
        const double w = bi_tour_distance(s, (uint32_t)i, j) + b->price[i] + b->price[j];
        if (w >= least[1]) continue;
        const int at = w < least[0] ? 0 : 1;
        if (at == 0) least[1] = least[0], ends[1] = ends[0];
        least[at] = w;
        ends[at] = j;
    }
    const double other = b->reach[i] + b->price[i] + least_price; /* any other pair costs at least this */
    if (!is_complete && other < least[1]) least[1] = other, ends[1] = -1;
    if (!is_complete && other < least[0]) least[0] = other;
    return (struct leaf){i, ends[1], least[0] + least[1] - b->leaf_edge[i]};
}

/* Returns the leaf whose second edge adds most; the first of equal ones. */
static struct leaf choose_leaf(const struct bound *b)
{
    struct leaf best = {-1, -1, -DBL_MAX};
    double least_price = DBL_MAX;
    for (int64_t i = 0; i < b->n; i++) least_price = fmin(least_price, b->price[i]);
    for (int64_t i = 0; i < b->n; i++) {
        if (b->degree[i] != 1) continue;
        const struct leaf l = measure_leaf(b, i, least_price);
        if (l.more > best.more) best = l;
    }
    return best;
}

/* Returns the bound by the prices of this round, less its rounding. */
static double bound_of(struct bound *b)
{
    double magnitude = 0, prices = 0;
    const double tree = sum_tree(b, &magnitude);
    for (int64_t i = 0; i < b->n; i++) {
        prices += b->price[i];
        magnitude += 2 * fabs(b->price[i]);
    }
    const struct leaf l = choose_leaf(b);
    b->degree[l.vertex]++;
    if (l.second >= 0) b->degree[l.second]++;
    /* Sums of 2 n terms, each with the roundings of a distance. */
    const double roundings = (double)(4 * b->n + b->space.dim + 64);
    const double rounding = roundings * DBL_EPSILON * (magnitude + fabs(l.more));
    return tree + l.more - 2 * prices - rounding;
}

/* Changes the prices. step: falls from the first round to the last, as in Volgenant and Jonker. No price is below
 * -LEAST_PRICE times the reach: else a pair that is not near would cost less than tree edges. */
static void change_prices(struct bound *b, double step)
{
    for (int64_t i = 0; i < b->n; i++) {
        b->price[i] += step * (0.6 * (b->degree[i] - 2) + 0.4 * (b->last_degree[i] - 2));
        b->price[i] = fmax(b->price[i], -LEAST_PRICE * b->reach[i]);
        b->last_degree[i] = b->degree[i];
    }
}

static double step_of(double first, int32_t round, int32_t rounds)
{
    const double m = rounds, r = round + 1;
    if (rounds < 3) return first;
    return first * ((r - 1) * (2 * m - 5) / (2 * (m - 1)) - (r - 2) + (r - 1) * (r - 2) / (2 * (m - 1) * (m - 2)));
}

/* *best = the greatest bound of all rounds. */
static bosc_status raise_bound(struct bound *b, double *best)
{
    double first = 0;
    bi_progress_set_total(b->ctx, (double)b->rounds * (double)b->edges);
    for (int32_t round = 0; round < b->rounds; round++) {
        price_edges(b);
        BI_TRY(find_tree(b));
        const double bound = bound_of(b);
        if (round == 0) first = bound / (2 * (double)b->n);
        if (bound > *best) *best = bound;
        change_prices(b, step_of(first, round, b->rounds));
        BI_TRY(bi_progress_advance(b->ctx, (double)b->edges));
    }
    return BOSC_OK;
}

static bosc_status compute_bound(struct bound *b, double *best)
{
    const int64_t n = b->n;
    b->near_edges = list_pairs(&b->space, NULL, NULL);
    b->edges = b->near_edges + (b->space.k < n - 1 ? n - 1 : 0);
    const size_t bytes = carve_arrays(b, NULL);
    void *block = bi_host_alloc(b->ctx, bytes);
    if (!block) return BOSC_ERR_NOMEM;
    carve_arrays(b, block);
    measure_pairs(b);
    const bosc_status status = raise_bound(b, best);
    bi_memory_release(&b->ctx->host, block, bytes);
    return status;
}

/* Returns twice the extent of the coordinate with the greatest one, which a tour passes there and back. */
static double bound_by_extent(const struct bi_tour_space *s)
{
    double most = 0;
    for (int64_t c = 0; c < s->dim; c++) {
        double low = s->x[c], high = s->x[c];
        for (int64_t i = 1; i < s->n; i++) {
            low = fmin(low, s->x[i * s->dim + c]);
            high = fmax(high, s->x[i * s->dim + c]);
        }
        most = fmax(most, high - low);
    }
    return 2 * most * (1 - 4 * DBL_EPSILON);
}

/* Computes the bound of n > 0 rows. scratch: (n, 2). */
static bosc_status bound_rows(struct bound *b, const void *points, int64_t n, int64_t stride,
                              const bosc_tour_search_opts *opts, uint32_t *scratch, double *best)
{
    struct bi_tour_space *s = &b->space;
    for (int64_t i = 0; i < n; i++) scratch[i] = (uint32_t)i;
    BI_TRY(bi_tour_open_space(b->ctx, points, n, stride, opts, scratch, scratch + n, NEAR, s));
    b->n = s->n;
    *best = bound_by_extent(s);
    if (b->n == 2) *best = 2 * bi_tour_distance(s, 0, 1) * (1 - (double)(s->dim + 8) * DBL_EPSILON);
    return b->n > 2 ? compute_bound(b, best) : BOSC_OK;
}

bosc_status bosc_tour_bound(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                            const bosc_tour_search_opts *opts, double *bound)
{
    struct bound b = {.ctx = ctx};
    bosc_tour_search_opts full;
    double best = 0;
    BI_ENTER(ctx);
    /* 1. Arguments. */
    BI_TRY(bi_tour_check(ctx, points, n, &stride, opts, &full));
    if (!bound) return bi_fail(ctx, BOSC_ERR_ARG, "bound: NULL");
    b.rounds = full.rounds;
    if (n == 0) {
        *bound = 0;
        return BOSC_OK;
    }
    /* 2. The bound. */
    const size_t bytes = 2 * (size_t)n * sizeof(uint32_t);
    uint32_t *scratch = bi_host_alloc(ctx, bytes);
    if (!scratch) return BOSC_ERR_NOMEM;
    const bosc_status status = bound_rows(&b, points, n, stride, &full, scratch, &best);
    if (status == BOSC_OK) *bound = fmin(ldexp(best, b.space.exponent), DBL_MAX);
    bi_tour_free_space(ctx, &b.space);
    bi_memory_release(&ctx->host, scratch, bytes);
    return status;
}
