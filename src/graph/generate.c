/* Generates graphs. Kinds without a known number of edges first count the edges of each vertex; a scan then gives the
 * output positions. */
#include <string.h>

#include "base/bits.h"
#include "core/call.h"
#include "graph/drivers.h"

struct generate {
    bosc_ctx *ctx;
    const struct bi_graph_steps *steps;
    bosc_graph_generate_opts opts; /* every field set */
    int64_t n, m, capacity;
    void *u, *v; /* the caller's arrays */
    int64_t *weights;
    struct bi_graph_edges_out out;
    struct bi_out outputs[3];
};

static bool has_outputs(const struct generate *g) { return g->u || g->v || g->weights; }

/* Checks and sets the sizes; stages the requested output arrays. */
static bosc_status prepare_edges(struct generate *g, int64_t n, int64_t m)
{
    size_t id_bytes = (size_t)g->opts.id_bits / 8;
    bool staged = false;
    g->n = n;
    g->m = m;
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(g->ctx, BOSC_ERR_LIMIT, "n: %lld vertices; a graph has less than 2^32 - 1", (long long)n);
    if (m >= (int64_t)1 << 40)
        return bi_fail(g->ctx, BOSC_ERR_LIMIT, "m: %lld edges; a graph has less than 2^40", (long long)m);
    if (!has_outputs(g)) return BOSC_OK; /* only the sizes are requested */
    if (g->capacity < m)
        return bi_fail(g->ctx, BOSC_ERR_SPACE, "capacity: %lld elements, but there are %lld edges",
                       (long long)g->capacity, (long long)m);
    BI_TRY(bi_stage_out(g->ctx, g->u, (size_t)m * id_bytes, &g->outputs[0], &staged));
    BI_TRY(bi_stage_out(g->ctx, g->v, (size_t)m * id_bytes, &g->outputs[1], &staged));
    BI_TRY(bi_stage_out(g->ctx, g->weights, (size_t)m * sizeof *g->weights, &g->outputs[2], &staged));
    const bosc_graph_generate_opts *o = &g->opts;
    g->out = (struct bi_graph_edges_out){.draw = {o->seed, o->kind},
                                         .u = g->outputs[0].reachable,
                                         .v = g->outputs[1].reachable,
                                         .is_64bit = o->id_bits == 64,
                                         .weights = g->outputs[2].reachable,
                                         .least = o->least,
                                         .range = (uint64_t)o->most - (uint64_t)o->least + 1};
    return BOSC_OK;
}

static bosc_status finish_edges(struct generate *g)
{
    if (g->m > 0 && has_outputs(g))
        for (int i = 0; i < 3; i++) BI_TRY(bi_stage_back(g->ctx, &g->outputs[i]));
    return g->ctx->backend->sync(g->ctx);
}

/* Exclusive scan of counts[0] to counts[n - 1], in place; *total = their sum. Capacity n + 1. */
static bosc_status sum_counts(struct generate *g, int64_t *counts, int64_t n, int64_t *total)
{
    BI_TRY(g->ctx->backend->fill(g->ctx, counts + n, 0, sizeof *counts));
    BI_TRY(g->ctx->backend->core->scan(g->ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, counts, n + 1, counts));
    return bi_read_back(g->ctx, total, counts + n, sizeof *total);
}

/* The integer square root, exact. */
static int64_t square_root(int64_t x)
{
    int64_t root = (int64_t)bi_sqrt((double)x);
    while (root * root > x) root--;
    while ((root + 1) * (root + 1) <= x) root++;
    return root;
}

/* Returns the order of n numbers with the keys of a purpose. */
static struct bi_graph_order random_order(const struct bi_graph_draw *draw, int purpose, int64_t n)
{
    struct bi_graph_order order = {.n = n, .bits = n > 1 ? bi_bit_length((uint64_t)n - 1) : 1};
    for (int round = 0; round < 3; round++)
        order.keys[round] = bi_graph_first_half(bi_graph_draw_block(draw, purpose, round, 0));
    return order;
}

static bosc_status make_random(struct generate *g)
{
    const bosc_graph_generate_opts *o = &g->opts;
    BI_TRY(prepare_edges(g, o->n, o->m));
    struct bi_graph_make_pairs args = {.out = g->out, .n = o->n};
    return has_outputs(g) ? g->steps->graph_make_random(g->ctx, g->m, &args) : BOSC_OK;
}

static bosc_status make_rmat(struct generate *g)
{
    const bosc_graph_generate_opts *o = &g->opts;
    int levels = o->n > 1 ? bi_bit_length((uint64_t)o->n - 1) : 0;
    BI_TRY(prepare_edges(g, o->n ? (int64_t)1 << levels : 0, o->m));
    struct bi_graph_make_pairs args = {.out = g->out, .n = g->n, .levels = levels};
    return has_outputs(g) ? g->steps->graph_make_rmat(g->ctx, g->m, &args) : BOSC_OK;
}

/* Returns the number of edges of a kind that make_shape makes. */
static int64_t shape_edges(const bosc_graph_generate_opts *o)
{
    switch (o->kind) {
    case BOSC_GRAPH_STAR:
    case BOSC_GRAPH_PATH: return o->n > 0 ? o->n - 1 : 0;
    case BOSC_GRAPH_TREES: return o->n - bi_div_up(o->n, BI_GRAPH_TREE);
    default: return o->m;
    }
}

static bosc_status make_shape(struct generate *g)
{
    const bosc_graph_generate_opts *o = &g->opts;
    BI_TRY(prepare_edges(g, o->n, shape_edges(o)));
    if (!has_outputs(g) || g->m == 0) return BOSC_OK;
    struct bi_graph_make_shape args = {.out = g->out, .n = o->n};
    args.vertices = random_order(&g->out.draw, BI_GRAPH_DRAW_ORDER, o->n);
    args.edges = random_order(&g->out.draw, BI_GRAPH_DRAW_EDGE_ORDER, g->m);
    switch (o->kind) {
    case BOSC_GRAPH_STAR: return g->steps->graph_make_star(g->ctx, g->m, &args);
    case BOSC_GRAPH_PATH: return g->steps->graph_make_path(g->ctx, g->m, &args);
    case BOSC_GRAPH_BIPARTITE: return g->steps->graph_make_bipartite(g->ctx, g->m, &args);
    case BOSC_GRAPH_TREES: return g->steps->graph_make_trees(g->ctx, g->m, &args);
    default: break;
    }
    const int64_t root = square_root(o->n);
    args.hubs = bi_zipf_of((uint32_t)(root * root < o->n ? root + 1 : root));
    return g->steps->graph_make_hubs(g->ctx, g->m, &args);
}

static bosc_status make_grid(struct generate *g)
{
    int64_t side = square_root(g->opts.n);
    BI_TRY(prepare_edges(g, side * side, side ? 2 * side * (side - 1) : 0));
    struct bi_graph_make_grid args = {.out = g->out, .side = side};
    return has_outputs(g) ? g->steps->graph_make_grid(g->ctx, g->m, &args) : BOSC_OK;
}

/* Roads subdivide a coarse grid: each of its vertices brings 2.23 others on average. */
static bosc_status make_road(struct generate *g)
{
    int64_t side = square_root(g->opts.n * 100 / 323), coarse, n, m;
    if (side == 0 && g->opts.n > 0) side = 1;
    coarse = side * side;
    struct bi_graph_make_road args = {.out = {.draw = {g->opts.seed, g->opts.kind}}, .side = side};
    BI_TRY(bi_scratch_of(g->ctx, coarse + 1, sizeof(int64_t), (void **)&args.vertices));
    BI_TRY(bi_scratch_of(g->ctx, coarse + 1, sizeof(int64_t), (void **)&args.edges));
    BI_TRY(g->steps->graph_count_road(g->ctx, coarse, &args));
    BI_TRY(sum_counts(g, args.vertices, coarse, &n));
    BI_TRY(sum_counts(g, args.edges, coarse, &m));
    BI_TRY(prepare_edges(g, n, m));
    args.out = g->out;
    return has_outputs(g) ? g->steps->graph_make_road(g->ctx, coarse, &args) : BOSC_OK;
}

/* Draws the sizes of enough cliques to cover n vertices and scans them to their first vertices. The first guess is
 * likely enough; n cliques always are. */
static bosc_status assign_cliques(struct generate *g, struct bi_graph_make_cliques *args)
{
    int64_t likely = 2 * args->n / (args->largest + 1) + args->n / 8 + 64, total;
    args->cliques = likely < args->n ? likely : args->n;
    for (;;) {
        BI_TRY(bi_scratch_of(g->ctx, args->cliques + 1, sizeof(int64_t), (void **)&args->first));
        BI_TRY(g->steps->graph_clique_sizes(g->ctx, args->cliques, args));
        BI_TRY(sum_counts(g, args->first, args->cliques, &total));
        if (total >= args->n) return BOSC_OK;
        args->cliques = args->n;
    }
}

static bosc_status make_cliques(struct generate *g)
{
    const bosc_graph_generate_opts *o = &g->opts;
    int64_t n = o->n, m;
    struct bi_graph_make_cliques args = {.out = {.draw = {o->seed, o->kind}}, .n = n, .largest = o->m};
    args.names = random_order(&args.out.draw, BI_GRAPH_DRAW_ORDER, n);
    if (n == 0) return prepare_edges(g, 0, 0);
    BI_TRY(assign_cliques(g, &args));
    BI_TRY(bi_scratch_of(g->ctx, n + 1, sizeof(int64_t), (void **)&args.edges));
    BI_TRY(g->steps->graph_count_cliques(g->ctx, n, &args));
    BI_TRY(sum_counts(g, args.edges, n, &m));
    BI_TRY(prepare_edges(g, n, m));
    args.out = g->out;
    return has_outputs(g) ? g->steps->graph_make_cliques(g->ctx, n, &args) : BOSC_OK;
}

/* The radius r within which two uniform points of the unit square lie with a given probability: r^2 (pi - 8 r / 3 +
 * r^2 / 2) for r <= 1. By bisection, so that every machine gets the same bits. */
static double radius_of(double chance)
{
    double low = 0, high = 1;
    if (chance >= 0.97) return 2; /* nearly all pairs: all */
    for (int i = 0; i < 100; i++) {
        double r = 0.5 * (low + high);
        if (r * r * (BI_PI - 8 * r / 3 + r * r / 2) < chance)
            low = r;
        else
            high = r;
    }
    return high;
}

/* Sorts the points by cell; a vertex is a point's position in this order. */
static bosc_status sort_points(struct generate *g, struct bi_graph_make_near *args)
{
    bosc_ctx *ctx = g->ctx;
    int64_t n = args->n, cells = args->side * args->side;
    void *sorted_cells, *sorted_points;
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), (void **)&args->cells));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), (void **)&args->points));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &sorted_cells));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &sorted_points));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(double), (void **)&args->x));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(double), (void **)&args->y));
    BI_TRY(bi_scratch_of(ctx, cells + 1, sizeof(uint32_t), (void **)&args->ends));
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof(int64_t), (void **)&args->edges));
    BI_TRY(g->steps->graph_cells_of_points(ctx, n, args));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, args->cells, sizeof(uint32_t), args->points, n, sorted_cells,
                                          sorted_points, 0, bi_bit_length((uint64_t)cells)));
    args->cells = sorted_cells;
    args->points = sorted_points;
    BI_TRY(g->steps->graph_fetch_points(ctx, n, args));
    BI_TRY(ctx->backend->fill(ctx, args->ends, 0, (size_t)(cells + 1) * sizeof(uint32_t)));
    BI_TRY(g->steps->graph_cell_ends(ctx, n, args));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, args->ends, cells + 1, args->ends);
}

static bosc_status make_near(struct generate *g)
{
    const bosc_graph_generate_opts *o = &g->opts;
    int64_t n = o->n, m;
    if (n < 2) return prepare_edges(g, n, 0);
    double radius = radius_of((double)o->m / ((double)n * (double)(n - 1) / 2));
    struct bi_graph_make_near args = {.out = {.draw = {o->seed, o->kind}},
                                      .n = n,
                                      .side = square_root(n),
                                      .radius = radius,
                                      .lengths = o->least == 0 && o->most == 0};
    /* Cells slightly wider than the radius, as rounding may move a point to a neighbouring cell. */
    double most = (1 - 1e-9) / radius;
    if (most < (double)args.side) args.side = most < 1 ? 1 : (int64_t)most;
    BI_TRY(sort_points(g, &args));
    BI_TRY(g->steps->graph_count_near(g->ctx, n, &args));
    BI_TRY(sum_counts(g, args.edges, n, &m));
    BI_TRY(prepare_edges(g, n, m));
    args.out = g->out;
    return has_outputs(g) ? g->steps->graph_make_near(g->ctx, n, &args) : BOSC_OK;
}

static bosc_status make_kind(struct generate *g)
{
    switch (g->opts.kind) {
    case BOSC_GRAPH_RANDOM:
    case BOSC_GRAPH_EQUAL: return make_random(g);
    case BOSC_GRAPH_RMAT: return make_rmat(g);
    case BOSC_GRAPH_SSCA2: return make_cliques(g);
    case BOSC_GRAPH_GRID: return make_grid(g);
    case BOSC_GRAPH_ROAD: return make_road(g);
    case BOSC_GRAPH_GEOMETRIC: return make_near(g);
    default: return make_shape(g);
    }
}

static bosc_status generate_edges(struct generate *g)
{
    BI_TRY(make_kind(g));
    return finish_edges(g);
}

static bosc_status check_sizes(bosc_ctx *ctx, bosc_graph_generate_opts *o)
{
    enum { LARGEST_CLIQUE = 65536 };
    const bool by_ratio = o->kind == BOSC_GRAPH_HUBS || o->kind == BOSC_GRAPH_BIPARTITE; /* m is 4 n by default */
    const bool pairs =
        by_ratio || o->kind == BOSC_GRAPH_RANDOM || o->kind == BOSC_GRAPH_RMAT || o->kind == BOSC_GRAPH_EQUAL;
    if (o->n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: n %lld is less than 0", (long long)o->n);
    if (o->m < 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: m %lld is less than 0", (long long)o->m);
    if (o->n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "opts: n %lld; a graph has less than 2^32 - 1 vertices", (long long)o->n);
    if (o->m >= (int64_t)1 << 40)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "opts: m %lld; a graph has less than 2^40 edges", (long long)o->m);
    if (pairs && o->n < 2 && o->m > 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: n %lld has no pairs of different vertices", (long long)o->n);
    if (o->kind == BOSC_GRAPH_SSCA2 && o->m > LARGEST_CLIQUE)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "opts: m %lld; a clique has at most %d vertices", (long long)o->m,
                       LARGEST_CLIQUE);
    if (o->kind == BOSC_GRAPH_SSCA2 && o->m == 0) o->m = 8;
    if (o->kind == BOSC_GRAPH_GEOMETRIC && o->m == 0) o->m = 4 * o->n;
    if (by_ratio && o->m == 0 && o->n > 1) o->m = 4 * o->n;
    return BOSC_OK;
}

/* A checked copy of the caller's options with the defaults filled in. */
static bosc_status check_opts(bosc_ctx *ctx, const bosc_graph_generate_opts *opts, bosc_graph_generate_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL");
    BI_TRY(bi_read_opts(ctx, "bosc_graph_generate_opts", opts, full, sizeof *full));
    if ((int)full->kind < BOSC_GRAPH_RANDOM || full->kind > BOSC_GRAPH_EQUAL)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: kind %d is none", (int)full->kind);
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    if (full->least > full->most)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: least %lld is above most %lld", (long long)full->least,
                       (long long)full->most);
    if (full->kind == BOSC_GRAPH_EQUAL && full->least < full->most)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: least %lld and most %lld differ, but EQUAL has one weight",
                       (long long)full->least, (long long)full->most);
    if (full->least == 0 && full->most == 0 && full->kind != BOSC_GRAPH_GEOMETRIC) {
        full->least = 1;
        full->most = full->kind == BOSC_GRAPH_EQUAL ? 1 : ((int64_t)1 << 24) - 1;
    }
    return check_sizes(ctx, full);
}

bosc_status bosc_graph_generate(bosc_ctx *ctx, const bosc_graph_generate_opts *opts, int64_t *n, int64_t *m, void *u,
                                void *v, int64_t *weights, int64_t capacity)
{
    BI_ENTER(ctx);
    struct generate g = {
        .ctx = ctx, .steps = ctx->ops->graph->steps, .capacity = capacity, .u = u, .v = v, .weights = weights};
    BI_TRY(check_opts(ctx, opts, &g.opts));
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    size_t size = g.opts.id_bits == 32 ? sizeof(uint32_t) : sizeof(int64_t);
    BI_TRY(bi_graph_check_array(ctx, "u", u, 0, size));
    BI_TRY(bi_graph_check_array(ctx, "v", v, 0, size));
    BI_TRY(bi_graph_check_array(ctx, "weights", weights, 0, sizeof *weights));
    bi_progress_set_total(ctx, 8 * (double)g.opts.m);
    BI_TRY_WITH_SCRATCH(ctx, generate_edges(&g));
    if (n) *n = g.n;
    if (m) *m = g.m;
    return BOSC_OK;
}
