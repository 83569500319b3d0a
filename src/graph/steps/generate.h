/* The steps of the generators. All random numbers are Philox blocks at counters given by the item's number, so that an
 * edge depends on the options alone. */
#ifndef BI_GRAPH_STEPS_GENERATE_H
#define BI_GRAPH_STEPS_GENERATE_H

#include <boscage/graph.h>

#include "base/elementary.h"
#include "base/philox.h"
#include "base/zipf.h"
#include "graph/entries.h"

/* Purposes of random blocks. Kinds are below 16: bits 28 to 31 of a stream count further blocks of a draw. */
enum {
    BI_GRAPH_DRAW_ENDS,
    BI_GRAPH_DRAW_WEIGHT,
    BI_GRAPH_DRAW_SIZE,
    BI_GRAPH_DRAW_COPIES,
    BI_GRAPH_DRAW_COIN,
    BI_GRAPH_DRAW_DISTANCE,
    BI_GRAPH_DRAW_ORDER,
    BI_GRAPH_DRAW_EDGE_ORDER
};

struct bi_graph_draw {
    uint64_t seed;
    bosc_graph_kind kind;
};

/* Returns the stream of block 0 of a purpose. The streams differ from those of bosc_random_bits. */
BI_FN uint64_t bi_graph_draw_stream(const struct bi_graph_draw *d, int purpose)
{
    return 0xb05c6a9600000000ull | (uint64_t)d->kind << 24 | (uint64_t)purpose << 16;
}

/* Block `block` (below 2^16) of item `index`. */
BI_FN struct bi_philox bi_graph_draw_block(const struct bi_graph_draw *d, int purpose, int64_t index, uint32_t block)
{
    return bi_philox_at(d->seed, bi_graph_draw_stream(d, purpose) | block, (uint64_t)index);
}

BI_FN uint64_t bi_graph_first_half(struct bi_philox b) { return (uint64_t)b.v[0] << 32 | b.v[1]; }
BI_FN uint64_t bi_graph_second_half(struct bi_philox b) { return (uint64_t)b.v[2] << 32 | b.v[3]; }

/* A number below `bound` from 64 random bits: the upper half of their product. */
BI_FN uint64_t bi_graph_below(uint64_t bits, uint64_t bound)
{
    uint64_t a = bits >> 32, b = bits & UINT32_MAX, c = bound >> 32, d = bound & UINT32_MAX;
    uint64_t low = b * d, middle = a * d + (low >> 32), other = b * c + (middle & UINT32_MAX);
    return a * c + (middle >> 32) + (other >> 32);
}

/* The output arrays and the range of the weights. */
struct bi_graph_edges_out {
    struct bi_graph_draw draw;
    void *u, *v; /* either may be NULL, as may weights */
    bool is_64bit;
    int64_t *weights;
    int64_t least;
    uint64_t range; /* of weights; 0: all 2^64 */
};

BI_FN void bi_graph_write_ends(const struct bi_graph_edges_out *o, int64_t i, uint64_t a, uint64_t b)
{
    if (o->u) bi_set_word(o->u, o->is_64bit, i, a < b ? a : b);
    if (o->v) bi_set_word(o->v, o->is_64bit, i, a < b ? b : a);
}

BI_FN void bi_graph_write_edge(const struct bi_graph_edges_out *o, int64_t i, uint64_t a, uint64_t b)
{
    bi_graph_write_ends(o, i, a, b);
    if (!o->weights) return;
    uint64_t bits = bi_graph_first_half(bi_graph_draw_block(&o->draw, BI_GRAPH_DRAW_WEIGHT, i, 0));
    o->weights[i] = (int64_t)((uint64_t)o->least + (o->range ? bi_graph_below(bits, o->range) : bits));
}

/* ---- random orders ---- */

/* A pseudorandom bijection of the numbers below n. */
struct bi_graph_order {
    int64_t n;
    int bits; /* of a number */
    uint64_t keys[3];
};

/* Returns the image of i. Each round has an odd factor, a keyed addend and an xor with a shift: a bijection of the
 * numbers of `bits` bits. It is repeated until the result is below n. */
BI_FN uint64_t bi_graph_order_at(const struct bi_graph_order *o, int64_t i)
{
    uint64_t x = (uint64_t)i, mask = ((uint64_t)1 << o->bits) - 1;
    do {
        for (int round = 0; round < 3; round++) {
            x = (x * 0x9e3779b97f4a7c15ull + o->keys[round]) & mask;
            x ^= x >> (o->bits / 2 + 1);
        }
    } while (x >= (uint64_t)o->n);
    return x;
}

/* ---- RANDOM, EQUAL, RMAT: item i is edge i ---- */

struct bi_graph_make_pairs {
    struct bi_graph_edges_out out;
    int64_t n;
    int levels; /* n = 2^levels */
};

BI_FN void bi_step_graph_make_random(const struct bi_graph_make_pairs *a, int64_t i)
{
    struct bi_philox block = bi_graph_draw_block(&a->out.draw, BI_GRAPH_DRAW_ENDS, i, 0);
    uint64_t u = bi_graph_below(bi_graph_first_half(block), (uint64_t)a->n);
    uint64_t v = bi_graph_below(bi_graph_second_half(block), (uint64_t)a->n - 1);
    bi_graph_write_edge(&a->out, i, u, v + (v >= u));
}

/* One quadrant a level, with probabilities .45 .15 .15 .25 as thresholds of 2^32 (R-MAT, 2004). */
BI_FN void bi_graph_rmat_pair(const struct bi_graph_make_pairs *a, int64_t i, uint32_t attempt, uint32_t *u,
                              uint32_t *v)
{
    struct bi_philox block = {{0, 0, 0, 0}};
    *u = *v = 0;
    for (int level = 0; level < a->levels; level++) {
        if (level % 4 == 0)
            block = bi_graph_draw_block(&a->out.draw, BI_GRAPH_DRAW_ENDS, i, attempt << 4 | (uint32_t)level / 4);
        uint32_t r = block.v[level % 4];
        int quadrant = (r >= 1932735283u) + (r >= 2576980378u) + (r >= 3221225472u);
        *u = *u << 1 | (uint32_t)(quadrant >> 1);
        *v = *v << 1 | (uint32_t)(quadrant & 1);
    }
}

BI_FN void bi_step_graph_make_rmat(const struct bi_graph_make_pairs *a, int64_t i)
{
    enum { MOST_ATTEMPTS = 256 }; /* equal ends are drawn again; with two vertices .7 of the pairs are */
    uint32_t u, v, attempt = 0;
    do {
        bi_graph_rmat_pair(a, i, attempt, &u, &v);
    } while (u == v && ++attempt < MOST_ATTEMPTS);
    bi_graph_write_edge(&a->out, i, u, u == v ? v ^ 1 : v);
}

/* ---- STAR, PATH, HUBS, BIPARTITE, TREES: item i is edge i ---- */

enum { BI_GRAPH_TREE = 16 /* vertices of a tree of TREES; part of the output */ };

struct bi_graph_make_shape {
    struct bi_graph_edges_out out;
    int64_t n;
    struct bi_graph_order vertices, edges; /* of PATH and TREES */
    struct bi_zipf hubs;                   /* of HUBS */
};

BI_FN void bi_step_graph_make_star(const struct bi_graph_make_shape *a, int64_t i)
{
    bi_graph_write_edge(&a->out, i, 0, (uint64_t)i + 1);
}

BI_FN void bi_step_graph_make_path(const struct bi_graph_make_shape *a, int64_t i)
{
    const int64_t at = (int64_t)bi_graph_order_at(&a->edges, i); /* along the path */
    bi_graph_write_edge(&a->out, i, bi_graph_order_at(&a->vertices, at), bi_graph_order_at(&a->vertices, at + 1));
}

BI_FN void bi_step_graph_make_hubs(const struct bi_graph_make_shape *a, int64_t i)
{
    const struct bi_graph_draw *draw = &a->out.draw;
    const uint64_t hub =
        bi_zipf_rank(&a->hubs, draw->seed, bi_graph_draw_stream(draw, BI_GRAPH_DRAW_SIZE), (uint64_t)i) - 1;
    struct bi_philox block = bi_graph_draw_block(draw, BI_GRAPH_DRAW_ENDS, i, 0);
    const uint64_t v = bi_graph_below(bi_graph_first_half(block), (uint64_t)a->n - 1);
    bi_graph_write_edge(&a->out, i, hub, v + (v >= hub));
}

BI_FN void bi_step_graph_make_bipartite(const struct bi_graph_make_shape *a, int64_t i)
{
    struct bi_philox block = bi_graph_draw_block(&a->out.draw, BI_GRAPH_DRAW_ENDS, i, 0);
    const uint64_t left = (uint64_t)a->n / 2, right = (uint64_t)a->n - left;
    bi_graph_write_edge(&a->out, i, bi_graph_below(bi_graph_first_half(block), left),
                        left + bi_graph_below(bi_graph_second_half(block), right));
}

/* Each vertex of a tree but the first has an edge to an earlier one, chosen uniformly. */
BI_FN void bi_step_graph_make_trees(const struct bi_graph_make_shape *a, int64_t i)
{
    const int64_t at = (int64_t)bi_graph_order_at(&a->edges, i), tree = at / (BI_GRAPH_TREE - 1) * BI_GRAPH_TREE;
    const int64_t k = at % (BI_GRAPH_TREE - 1) + 1;
    struct bi_philox block = bi_graph_draw_block(&a->out.draw, BI_GRAPH_DRAW_ENDS, at, 0);
    const int64_t parent = tree + (int64_t)bi_graph_below(bi_graph_first_half(block), (uint64_t)k);
    bi_graph_write_edge(&a->out, i, bi_graph_order_at(&a->vertices, tree + k), bi_graph_order_at(&a->vertices, parent));
}

/* ---- GRID: item i is edge i. Edges ascend by (u, v), as they do in ROAD and GEOMETRIC ---- */

struct bi_graph_make_grid {
    struct bi_graph_edges_out out;
    int64_t side;
};

BI_FN void bi_step_graph_make_grid(const struct bi_graph_make_grid *a, int64_t i)
{
    int64_t s = a->side, row = i / (2 * s - 1), remainder = i % (2 * s - 1);
    bool last = row + 1 == s;
    int64_t column = last ? remainder : remainder / 2, u = row * s + column;
    bool right = last || (remainder % 2 == 0 && column + 1 < s);
    bi_graph_write_edge(&a->out, i, (uint64_t)u, (uint64_t)(right ? u + 1 : u + s));
}

/* ---- ROAD: item x is a vertex of the coarse grid ---- */

struct bi_graph_make_road {
    struct bi_graph_edges_out out;
    int64_t side;
    int64_t *vertices, *edges; /* counts, then offsets, by coarse vertex */
};

/* Number of vertices on the coarse edge from x to the right (0) or down (1); -1 if the edge does not exist. Their mean
 * is 1.31, as in the road network of the western USA. */
BI_FN int bi_graph_road_cuts(const struct bi_graph_make_road *a, int64_t x, int down)
{
    if (down ? x / a->side + 1 >= a->side : x % a->side + 1 >= a->side) return -1;
    struct bi_philox block = bi_graph_draw_block(&a->out.draw, BI_GRAPH_DRAW_ENDS, x, 0);
    uint32_t presence = block.v[2 * down], cut = block.v[2 * down + 1] % 100;
    if (presence >= 3650722201u) return -1; /* .85 of 2^32: 15 % of the coarse edges are missing */
    return cut < 28 ? 0 : cut < 56 ? 1 : cut < 85 ? 2 : 3;
}

BI_FN void bi_step_graph_count_road(const struct bi_graph_make_road *a, int64_t x)
{
    int right = bi_graph_road_cuts(a, x, 0), down = bi_graph_road_cuts(a, x, 1);
    a->vertices[x] = 1 + (right > 0 ? right : 0) + (down > 0 ? down : 0);
    a->edges[x] = (right + 1) + (down + 1);
}

/* Writes the edges from x, smaller end first; then the edges along the subdivided coarse edges to the right and down.
 * Index 0 is right, 1 down: far is the coarse neighbour, near the first vertex on the way to it. */
BI_FN void bi_step_graph_make_road(const struct bi_graph_make_road *a, int64_t x)
{
    int64_t edge = a->edges[x], from = a->vertices[x], cut = from + 1;
    int64_t far[2] = {a->vertices[x + 1], 0}, near[2];
    int cuts[2] = {bi_graph_road_cuts(a, x, 0), bi_graph_road_cuts(a, x, 1)};
    if (cuts[1] >= 0) far[1] = a->vertices[x + a->side];
    near[0] = cuts[0] > 0 ? cut : far[0];
    near[1] = cuts[1] > 0 ? cut + (cuts[0] > 0 ? cuts[0] : 0) : far[1];
    int first = cuts[0] < 0 || (cuts[1] >= 0 && near[1] < near[0]);
    for (int k = 0; k < 2; k++)
        if (cuts[first ^ k] >= 0) bi_graph_write_edge(&a->out, edge++, (uint64_t)from, (uint64_t)near[first ^ k]);
    for (int down = 0; down < 2; down++)
        for (int c = 0; c < cuts[down]; c++, cut++)
            bi_graph_write_edge(&a->out, edge++, (uint64_t)cut, (uint64_t)(c + 1 < cuts[down] ? cut + 1 : far[down]));
}

/* ---- SSCA2: item i is a vertex, before they are renamed ---- */

struct bi_graph_make_cliques {
    struct bi_graph_edges_out out;
    int64_t n, largest, cliques;
    int64_t *first; /* sizes of cliques, then their first vertices */
    int64_t *edges; /* counts by vertex, then offsets */
    struct bi_graph_order names;
};

BI_FN void bi_step_graph_clique_sizes(const struct bi_graph_make_cliques *a, int64_t k)
{
    uint64_t bits = bi_graph_first_half(bi_graph_draw_block(&a->out.draw, BI_GRAPH_DRAW_SIZE, k, 0));
    a->first[k] = 1 + (int64_t)bi_graph_below(bits, (uint64_t)a->largest);
}

/* The clique of vertex i is [*begin, *end). */
BI_FN void bi_graph_find_clique(const struct bi_graph_make_cliques *a, int64_t i, int64_t *begin, int64_t *end)
{
    int64_t low = 0, high = a->cliques;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (a->first[mid] <= i)
            low = mid;
        else
            high = mid;
    }
    *begin = a->first[low];
    *end = high < a->cliques && a->first[high] < a->n ? a->first[high] : a->n;
}

/* The edges of vertex i: 1 to 3 to each earlier vertex of its clique; and, with probability 2^-t for each t, one at a
 * distance from 2^t to 1.5 2^t if that leaves the clique. Returns their number; if `write`, writes them from `at` on.
 */
BI_FN int64_t bi_graph_clique_edges(const struct bi_graph_make_cliques *a, int64_t i, int64_t at, bool write)
{
    const struct bi_graph_draw *draw = &a->out.draw;
    struct bi_philox block = {{0, 0, 0, 0}};
    int64_t begin, end, count = 0;
    uint64_t name = bi_graph_order_at(&a->names, i);
    bi_graph_find_clique(a, i, &begin, &end);
    for (int64_t j = begin; j < i; j++) {
        uint32_t k = (uint32_t)(j - begin);
        if (k % 4 == 0) block = bi_graph_draw_block(draw, BI_GRAPH_DRAW_COPIES, i, k / 4);
        for (uint32_t copies = 1 + block.v[k % 4] % 3; copies > 0; copies--, count++)
            if (write) bi_graph_write_edge(&a->out, at + count, name, bi_graph_order_at(&a->names, j));
    }
    for (uint32_t t = 1; (int64_t)2 << t <= a->n; t++) {
        if (t % 4 == 1) block = bi_graph_draw_block(draw, BI_GRAPH_DRAW_COIN, i, t / 4);
        if (block.v[(t - 1) % 4] >> (32 - t)) continue; /* the upper t bits are 0 with probability 2^-t */
        uint64_t bits = bi_graph_first_half(bi_graph_draw_block(draw, BI_GRAPH_DRAW_DISTANCE, i, t));
        int64_t j = (i + ((int64_t)1 << t) + (int64_t)bi_graph_below(bits, (uint64_t)1 << (t - 1))) % a->n;
        if (j >= begin && j < end) continue;
        if (write) bi_graph_write_edge(&a->out, at + count, name, bi_graph_order_at(&a->names, j));
        count++;
    }
    return count;
}

BI_FN void bi_step_graph_count_cliques(const struct bi_graph_make_cliques *a, int64_t i)
{
    a->edges[i] = bi_graph_clique_edges(a, i, 0, false);
}

BI_FN void bi_step_graph_make_cliques(const struct bi_graph_make_cliques *a, int64_t i)
{
    (void)bi_graph_clique_edges(a, i, a->edges[i], true);
}

/* ---- GEOMETRIC: points in cells of a grid, at least as wide as the radius ---- */

struct bi_graph_make_near {
    struct bi_graph_edges_out out;
    int64_t n, side; /* side x side cells */
    double radius;
    bool lengths;    /* weights are the edges' lengths times 2^24 */
    uint32_t *cells; /* of each point; then sorted: a vertex is a position in this order */
    uint32_t *points;
    double *x, *y;  /* by vertex */
    uint32_t *ends; /* ends[c + 1] is the end of cell c, 0 if it is empty; after the scan, the start of cell c + 1 */
    int64_t *edges; /* counts by vertex, then offsets */
};

BI_FN void bi_graph_near_point(const struct bi_graph_make_near *a, int64_t i, double *x, double *y)
{
    struct bi_philox block = bi_graph_draw_block(&a->out.draw, BI_GRAPH_DRAW_ENDS, i, 0);
    *x = bi_unit_f64(block.v[0], block.v[1]);
    *y = bi_unit_f64(block.v[2], block.v[3]);
}

BI_FN int64_t bi_graph_cell_of(const struct bi_graph_make_near *a, double x)
{
    int64_t c = (int64_t)(x * (double)a->side);
    return c < a->side ? c : a->side - 1;
}

BI_FN void bi_step_graph_cells_of_points(const struct bi_graph_make_near *a, int64_t i)
{
    double x, y;
    bi_graph_near_point(a, i, &x, &y);
    a->cells[i] = (uint32_t)(bi_graph_cell_of(a, y) * a->side + bi_graph_cell_of(a, x));
    a->points[i] = (uint32_t)i;
}

BI_FN void bi_step_graph_fetch_points(const struct bi_graph_make_near *a, int64_t k)
{
    bi_graph_near_point(a, a->points[k], &a->x[k], &a->y[k]);
}

BI_FN void bi_step_graph_cell_ends(const struct bi_graph_make_near *a, int64_t k)
{
    if (k + 1 == a->n || a->cells[k + 1] != a->cells[k]) a->ends[a->cells[k] + 1] = (uint32_t)k + 1;
}

/* Counts, and if `write` writes, the edges from k to the vertices `from` to `to` - 1 within the radius. */
BI_FN int64_t bi_graph_near_range(const struct bi_graph_make_near *a, int64_t k, int64_t from, int64_t to, int64_t at,
                                  bool write)
{
    int64_t count = 0;
    for (int64_t j = from; j < to; j++) {
        double dx = a->x[j] - a->x[k], dy = a->y[j] - a->y[k], d2 = dx * dx + dy * dy;
        if (d2 > a->radius * a->radius) continue;
        if (write && a->lengths) {
            bi_graph_write_ends(&a->out, at + count, (uint64_t)k, (uint64_t)j);
            if (a->out.weights) a->out.weights[at + count] = (int64_t)bi_round_even(bi_sqrt(d2) * 0x1p24);
        } else if (write) {
            bi_graph_write_edge(&a->out, at + count, (uint64_t)k, (uint64_t)j);
        }
        count++;
    }
    return count;
}

/* Edges to later vertices: in the remainder of the own cell and the cell to the right, and in three cells of the next
 * row. */
BI_FN int64_t bi_graph_near_edges(const struct bi_graph_make_near *a, int64_t k, int64_t at, bool write)
{
    int64_t cell = a->cells[k], column = cell % a->side;
    int64_t left = column > 0, right = column + 1 < a->side;
    int64_t count = bi_graph_near_range(a, k, k + 1, a->ends[cell + right + 1], at, write);
    if (cell + a->side < a->side * a->side)
        count += bi_graph_near_range(a, k, a->ends[cell + a->side - left], a->ends[cell + a->side + right + 1],
                                     at + count, write);
    return count;
}

BI_FN void bi_step_graph_count_near(const struct bi_graph_make_near *a, int64_t k)
{
    a->edges[k] = bi_graph_near_edges(a, k, 0, false);
}

BI_FN void bi_step_graph_make_near(const struct bi_graph_make_near *a, int64_t k)
{
    (void)bi_graph_near_edges(a, k, a->edges[k], true);
}

#endif
