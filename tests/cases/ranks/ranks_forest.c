/* Minimum spanning forests and components over ranks equal those of one context for the whole graph, for any partition
 * of the edges. */
#include "cases/ranks/ranks_forest_data.h"
#include "comm/comm.h"
#include "forest/forest.h"
#include "support/counted.h"

static void check_labels(const struct partitioned_graph *d, const void *labels, const void *expected)
{
    CHECK(memcmp(labels, expected, (size_t)d->e.n * (size_t)d->graph_opts.id_bits / 8) == 0);
}

static void check_info(const bosc_msf_info *info, const bosc_msf_info *expected)
{
    CHECK_EQ(info->edges, expected->edges);
    CHECK_EQ(info->trees, expected->trees);
    CHECK_EQ(info->weight_low, expected->weight_low);
    CHECK_EQ(info->weight_high, expected->weight_high);
    CHECK(memcmp(&info->weight, &expected->weight, sizeof info->weight) == 0);
    CHECK(info->rounds >= 0 && info->rounds <= 33 && info->rounds_recorded == 0);
}

/* This rank's edges are those of the whole forest that lie in its slice. */
static void check_edges(const struct partitioned_graph *d, const struct graph_slice *p, const void *edges,
                        int64_t count)
{
    const int32_t bits = d->graph_opts.id_bits;
    int64_t at = 0, found = 0;
    while (at < d->info.edges && forest_id(d->edges, bits, at) < p->begin) at++;
    for (; at < d->info.edges && forest_id(d->edges, bits, at) < p->end; at++, found++)
        if (found < count) CHECK_EQ(forest_id(edges, bits, found), forest_id(d->edges, bits, at));
    CHECK_EQ(count, found);
}

static void forest(struct rank *r)
{
    const struct partitioned_graph *d = r->user;
    const int64_t n = d->e.n, size = d->graph_opts.id_bits / 8;
    struct graph_slice p = build_graph_slice(r);
    const int64_t room = n - 1 < p.end - p.begin ? n - 1 : p.end - p.begin;
    const bool on_device = (r->rank + d->seed) % 2;
    struct array edges = array_make(r->ctx, NULL, (size_t)((room > 0 ? room : 0) * size), on_device);
    struct array labels = array_make(r->ctx, NULL, (size_t)(n * size), on_device);
    int64_t count = -1;
    bosc_msf_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_msf_compute(r->ctx, r->comm, p.graph, &p.opts, edges.p, &count, labels.p, &info));
    check_edges(d, &p, array_get(r->ctx, &edges), count);
    check_labels(d, array_get(r->ctx, &labels), d->labels);
    check_info(&info, &d->info);
    /* Some outputs are left out, not the same ones on all ranks. */
    count = -1;
    CHECK_OK(r->ctx, bosc_ranks_msf_compute(r->ctx, r->comm, p.graph, &p.opts, NULL, r->rank ? &count : NULL,
                                            r->rank == 1 ? labels.p : NULL, NULL));
    if (r->rank) check_edges(d, &p, array_get(r->ctx, &edges), count);
    check_labels(d, array_get(r->ctx, &labels), d->labels);
    array_free(r->ctx, &edges);
    array_free(r->ctx, &labels);
    bosc_graph_free(p.graph);
}

static void components(struct rank *r)
{
    const struct partitioned_graph *d = r->user;
    struct graph_slice p = build_graph_slice(r);
    struct array labels = array_make(r->ctx, NULL, (size_t)(d->e.n * d->graph_opts.id_bits / 8), r->rank % 2);
    int64_t count = -1;
    CHECK_OK(r->ctx, bosc_ranks_components_compute(r->ctx, r->comm, p.graph, &p.opts, labels.p, &count));
    check_labels(d, array_get(r->ctx, &labels), d->components);
    CHECK_EQ(count, d->component_count);
    CHECK_OK(r->ctx, bosc_ranks_components_compute(r->ctx, r->comm, p.graph, &p.opts, NULL, NULL));
    array_free(r->ctx, &labels);
    bosc_graph_free(p.graph);
}

/* True if fewer graphs suffice: calls are slow here, or another configuration runs the same code in full. */
static bool quick(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    return suite_slow(ctx) || info.threads > 1 || info.cpu_level != bosc_cpu_best_level();
}

/* True if the ranks of a case may pool their threads (ranks/forest/pooled.c). */
static bool may_pool(const bosc_ctx *ctx) { return ctx->ops->forest->msf_parts != NULL; }

/* One graph on `ranks` ranks. Vertices are replicated or, in the second form, distributed to the end or until few are
 * left. The second form takes more exchanges, so not every graph runs both. Ranks that may pool their threads also run
 * rounds, with memory for replicated vertices only. */
static void check_on(bosc_ctx *ctx, struct partitioned_graph *d, struct suite_random *r, int32_t ranks)
{
    const int forms = suite_below(r, quick(ctx) ? 5 : 2) == 0 ? 2 : 1;
    for (int form = 0; form < forms; form++) {
        if (form)
            d->opts.replicated_bytes = suite_below(r, 2) ? 1 : 1 + 170 * (d->e.n / (int64_t)(2 + suite_below(r, 3)));
        else if (may_pool(ctx))
            d->opts.replicated_bytes = suite_below(r, 2) ? 0 : 1 + 170 * d->e.n;
        ranks_run(ctx, ranks, 0, forest, d);
        ranks_run(ctx, ranks, 0, components, d);
    }
    d->opts.replicated_bytes = 0;
}

/* One graph on the next number of ranks, in slices of any length; or (`each`) on every number, in two partitions. */
static void check(bosc_ctx *ctx, struct partitioned_graph *d, struct suite_random *r, bool each)
{
    compute_expected(ctx, d);
    for (int i = 0; i < 5; i++) {
        if (!each && i != d->seed % 5) continue;
        check_on(ctx, d, r, rank_counts[i]);
        if (!each) continue;
        d->seed = i % 2 ? ALL_TO_LAST : (int64_t)suite_below(r, 100);
        check_on(ctx, d, r, rank_counts[i]);
    }
    free_expected(d);
}

static void kinds(bosc_ctx *ctx)
{
    struct suite_random r = {71};
    for (int shape = 0; shape < FOREST_SHAPES; shape++)
        for (int weights = 0; weights < WEIGHTS_KINDS; weights += quick(ctx) ? 2 : 1) {
            if (suite_leaves_out()) continue;
            const int64_t n = 2 + (int64_t)suite_below(&r, suite_slow(ctx) ? 12 : 150);
            const bosc_dtype type = weight_types[suite_below(&r, 6)];
            const bosc_msf_opts opts = {.size = sizeof opts, .maximum = (int32_t)suite_below(&r, 2)};
            struct forest_graph g = forest_make(&r, (enum forest_shape)shape, (enum forest_weights)weights, type, n);
            struct partitioned_graph d =
                partition_graph(&g.e, &opts, suite_below(&r, 2) ? 64 : 32, 1 + (int64_t)suite_below(&r, 99));
            check(ctx, &d, &r, false);
            forest_free(&g);
        }
}

/* Weights of every type, minimum and maximum, on every number of ranks. */
static void types(bosc_ctx *ctx)
{
    struct suite_random r = {72};
    for (int t = 0; t < 6; t++) {
        if (suite_leaves_out()) continue;
        struct forest_graph g = forest_make(&r, FOREST_RANDOM, t % 2 ? WEIGHTS_EXTREME : WEIGHTS_FEW, weight_types[t],
                                            suite_slow(ctx) ? 10 : 200);
        for (int32_t maximum = 0; maximum < 2; maximum++) {
            struct partitioned_graph d =
                partition_graph(&g.e, &(bosc_msf_opts){.size = sizeof d.opts, .maximum = maximum}, 64, 0);
            d.graph_opts.wide = maximum;
            check(ctx, &d, &r, !quick(ctx));
        }
        forest_free(&g);
    }
}

/* NaNs, which compare equal and greatest; parallel edges: in a minimum forest each rank keeps the lightest one. */
static void nan_and_parallel(bosc_ctx *ctx)
{
    struct suite_random r = {73};
    struct forest_graph g = forest_make(&r, FOREST_PARALLEL, WEIGHTS_FEW, BOSC_F64, suite_slow(ctx) ? 20 : 90);
    for (int64_t i = 0; i < g.e.m; i += 3) ((double *)g.w)[i] = i % 2 ? (double)NAN : -(double)NAN;
    for (int which = 0; which < 3; which++) {
        struct partitioned_graph d =
            partition_graph(&g.e, &(bosc_msf_opts){.size = sizeof d.opts, .maximum = which % 2}, 32, which + 5);
        d.graph_opts.parallel = which / 2 ? BOSC_GRAPH_PARALLEL_MIN : BOSC_GRAPH_PARALLEL_KEEP;
        check(ctx, &d, &r, !quick(ctx));
    }
    forest_free(&g);
}

/* Weights whose key has all bits set; some ranks have no edge. */
static void heaviest(bosc_ctx *ctx)
{
    struct suite_random r = {78};
    for (int t = 0; t < 6; t++) {
        if (suite_leaves_out()) continue;
        struct forest_graph g = forest_make(&r, FOREST_PATH_SHUFFLED, WEIGHTS_EQUAL, weight_types[t], 12);
        for (int64_t i = 0; i < g.e.m; i++)
            forest_set_weight(g.w, g.e.dtype, i, t == 2 || t == 5 ? (double)NAN : 0x1p80);
        struct partitioned_graph d = partition_graph(&g.e, &(bosc_msf_opts){.size = sizeof d.opts}, 64, ALL_TO_LAST);
        check(ctx, &d, &r, true);
        forest_free(&g);
    }
}

/* Number of trees without a cut. */
static int64_t trees_of(const struct reference_edges *e, const bosc_msf_opts *opts)
{
    int64_t *edges = suite_alloc((size_t)e->n * 8), *labels = suite_alloc((size_t)e->n * 8), trees = 0;
    reference_msf(e, opts, edges, labels);
    for (int64_t v = 0; v < e->n; v++) trees += labels[v] == v;
    free(edges);
    free(labels);
    return trees;
}

/* Masks, limits and a requested number of trees, in all combinations. */
static void options(bosc_ctx *ctx)
{
    struct suite_random r = {74};
    for (int which = 0; which < 32; which += quick(ctx) ? 5 : 1) {
        if (suite_leaves_out()) continue;
        const int64_t n = suite_slow(ctx) ? 16 : 60;
        struct forest_graph g = forest_make(&r, which % 3 ? FOREST_RANDOM : FOREST_SPARSE,
                                            which % 2 ? WEIGHTS_FEW : WEIGHTS_RANDOM, weight_types[which % 6], n);
        uint8_t *vertices = suite_alloc((size_t)n), *edges = suite_alloc((size_t)g.e.m);
        for (int64_t i = 0; i < n; i++) vertices[i] = suite_below(&r, 6) > 0;
        for (int64_t i = 0; i < g.e.m; i++) edges[i] = suite_below(&r, 4) > 0;
        bosc_msf_opts o = {.size = sizeof o, .maximum = which & 1, .algorithm = (bosc_msf_algorithm)(which % 3)};
        if (which & 2) o.vertex_mask = vertices;
        if (which & 4) o.edge_mask = edges;
        if (which & 8) o.limit = (const char *)g.w + 3 * bosc_dtype_size(g.e.dtype);
        if (which & 16)
            o.trees = which % 3 ? trees_of(&g.e, &o) + which % 3 : 1 + (int64_t)suite_below(&r, (uint64_t)n + 3);
        struct partitioned_graph d = partition_graph(&g.e, &o, which % 4 ? 64 : 32, 1 + which);
        check(ctx, &d, &r, false);
        forest_free(&g);
        free(vertices);
        free(edges);
    }
}

/* Nothing, one vertex, self loops alone, more ranks than edges. */
static void degenerate_graphs(bosc_ctx *ctx)
{
    static const int64_t u[] = {0, 0, 1, 0}, v[] = {0, 0, 0, 1};
    static const float w[] = {2, -1, 1, 1};
    struct suite_random r = {75};
    for (int64_t n = 0; n <= 3; n++)
        for (int64_t m = 0; m <= (n > 1 ? 4 : 2 * n); m += quick(ctx) ? 2 : 1) {
            if (suite_leaves_out()) continue;
            const struct reference_edges e = {n, m, u, v, BOSC_F32, w};
            struct partitioned_graph d = partition_graph(&e, &(bosc_msf_opts){.size = sizeof d.opts}, 64, 3);
            check(ctx, &d, &r, true);
        }
}

/* ---- graphs of many edges a vertex, which are processed as light and heavy ones ---- */

enum dense_kind {
    DENSE_RANDOM,
    DENSE_HALF,  /* light edges between the vertices of one half only, so that most edges at the others are heavy */
    DENSE_STAR,  /* a row longer than tiles of arcs */
    DENSE_ZEROS, /* all edges have the least weight */
    DENSE_FEW,   /* the light edges end among many of the same weight */
    DENSE_PAIRS, /* many components stay without light edges while the others need many rounds */
    DENSE_KINDS
};

/* Edge i of a graph of n vertices, n a power of two for DENSE_PAIRS; its weight is below 1000. */
static int64_t dense_edge(struct suite_random *r, enum dense_kind kind, int64_t n, int64_t i, int64_t *u, int64_t *v)
{
    const int64_t half = n / 2;
    int64_t weight = kind == DENSE_ZEROS ? 0 : 100 + (int64_t)suite_below(r, kind == DENSE_FEW ? 3 : 900);
    *u = (int64_t)suite_below(r, (uint64_t)n);
    *v = (int64_t)suite_below(r, (uint64_t)n);
    if (kind == DENSE_HALF && i % 4 == 0) {
        *u /= 2;
        *v /= 2;
        weight /= 100;
    }
    if (kind == DENSE_STAR && i % 2) *u = half;
    if (kind != DENSE_PAIRS || i >= 2 * n) return weight;
    if (i < half) { /* pairs */
        *u = 2 * i;
        *v = 2 * i + 1;
        return 0;
    }
    if (i >= n) { /* as many light edges as wanted, inside the pairs */
        *u = 2 * (i % half);
        *v = *u + 1;
        return 99;
    }
    /* Pairs of pairs, and so on, in one half. */
    int64_t k = i - half, size = 2;
    for (int64_t blocks = half / 4; blocks > 0 && k >= blocks; blocks /= 2) {
        k -= blocks;
        size *= 2;
    }
    *u = 2 * k * size % half;
    *v = (*u + size) % half;
    return size;
}

static void check_dense(bosc_ctx *ctx, struct suite_random *r, enum dense_kind kind, int trial)
{
    const int64_t n = 256, m = (kind == DENSE_STAR ? 20 : 12) * n;
    const bosc_dtype type = weight_types[(trial + 3 * kind) % 6];
    int64_t *u = suite_alloc((size_t)m * 8), *v = suite_alloc((size_t)m * 8);
    char *w = suite_alloc((size_t)m * 8);
    for (int64_t i = 0; i < m; i++) forest_set_weight(w, type, i, (double)dense_edge(r, kind, n, i, &u[i], &v[i]));
    const struct reference_edges e = {n, m, u, v, type, w};
    const bosc_msf_opts opts = {.size = sizeof opts, .maximum = kind == DENSE_FEW};
    struct partitioned_graph d = partition_graph(&e, &opts, 32 << (trial + kind) % 2, 0);
    d.seed = 5 * (int64_t)suite_below(r, 20) + 1 + (trial + kind) % 4; /* on 2, 3, 4 or 8 ranks */
    compute_expected(ctx, &d);
    ranks_run(ctx, rank_counts[d.seed % 5], 0, forest, &d);
    free_expected(&d);
    free(u);
    free(v);
    free(w);
}

static void dense_graphs(bosc_ctx *ctx)
{
    struct suite_random r = {79};
    for (int kind = 0; kind < DENSE_KINDS; kind++)
        for (int trial = 0; trial < (quick(ctx) ? 2 : 12); trial++)
            if (trial < 2 || !suite_leaves_out()) check_dense(ctx, &r, (enum dense_kind)kind, trial);
}

/* The graphs of the library's generators. */
static void generators(bosc_ctx *ctx)
{
    struct suite_random r = {76};
    for (int kind = BOSC_GRAPH_RANDOM; kind <= BOSC_GRAPH_GEOMETRIC; kind++) {
        if (suite_leaves_out()) continue;
        const bosc_graph_generate_opts o = {.size = sizeof o,
                                            .kind = (bosc_graph_kind)kind,
                                            .seed = 7,
                                            .n = suite_slow(ctx) ? 30
                                                 : quick(ctx)    ? 300
                                                                 : 3000,
                                            .m = kind == BOSC_GRAPH_SSCA2 ? 6
                                                 : suite_slow(ctx)        ? 60
                                                                          : 9000,
                                            .least = 1,
                                            .most = kind % 2 ? 5 : 1000};
        /* The first call gives the sizes, the second one the edges. */
        int64_t n, m;
        CHECK_OK(ctx, bosc_graph_generate(ctx, &o, &n, &m, NULL, NULL, NULL, 0));
        const size_t bytes = (size_t)m * 8;
        int64_t *u = suite_alloc(bytes), *v = suite_alloc(bytes), *w = suite_alloc(bytes);
        CHECK_OK(ctx, bosc_graph_generate(ctx, &o, &n, &m, u, v, w, m));
        const struct reference_edges e = {n, m, u, v, BOSC_I64, w};
        struct partitioned_graph d = partition_graph(&e, &(bosc_msf_opts){.size = sizeof d.opts}, 64, 1 + kind);
        check(ctx, &d, &r, !quick(ctx));
        free(u);
        free(v);
        free(w);
    }
}

/* Bounds the bytes that ranks send, and the exchanges, by the cost that the header states. Pooled threads send nothing
 * but small messages. */
static void count_exchanges(struct rank *r)
{
    const struct partitioned_graph *d = r->user;
    const bool pools = may_pool(r->ctx) && ranks_share_memory();
    struct graph_slice p = build_graph_slice(r);
    bosc_comm_info before = {.size = sizeof before}, after = before;
    bosc_msf_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_comm_get_info(r->ctx, r->comm, &before));
    CHECK_OK(r->ctx, bosc_ranks_msf_compute(r->ctx, r->comm, p.graph, NULL, NULL, NULL, NULL, &info));
    CHECK_OK(r->ctx, bosc_comm_get_info(r->ctx, r->comm, &after));
    const int64_t ranks = r->rank_count, n = d->e.n;
    /* n + n / 2 + ... components of the others, samples of 16 bytes, and small messages */
    CHECK(after.bytes - before.bytes <= 21 * 2 * (n + 32 * ranks) * (ranks - 1) / ranks + 16 * 4096 + 1000 * ranks);
    CHECK(pools ? after.bytes - before.bytes <= 1000 * ranks
                : after.bytes - before.bytes >= 21 * n * (ranks - 1) / ranks);
    /* Gathered edges: two levels, and the sum of floats */
    if (r->ctx->ops->forest->gathered && r->comm->sharing >= BI_SHARES_ADDRESSES)
        CHECK(after.exchanges - before.exchanges <= 24 + 9);
    bosc_graph_free(p.graph);
}

static void exchanges(bosc_ctx *ctx)
{
    struct suite_random r = {77};
    struct forest_graph g = forest_make(&r, FOREST_RANDOM, WEIGHTS_RANDOM, BOSC_F32, suite_slow(ctx) ? 200 : 4000);
    struct partitioned_graph d = partition_graph(&g.e, &(bosc_msf_opts){.size = sizeof d.opts}, 64, 0);
    for (int32_t ranks = 2; ranks <= 4; ranks++) ranks_run(ctx, ranks, 0, count_exchanges, &d);
    forest_free(&g);
}

static void forest_hooked(struct rank *r)
{
    struct counted c;
    bosc_ctx *own = r->ctx;
    counted_open(&c, own, 0);
    r->ctx = c.ctx;
    forest(r);
    r->ctx = own;
    counted_close(&c);
}

/* Ranks that cannot read each other's memory: it comes from allocators of the caller. */
static void unreadable_memory(bosc_ctx *ctx)
{
    struct suite_random r = {80};
    struct forest_graph g = forest_make(&r, FOREST_RANDOM, WEIGHTS_RANDOM, BOSC_U32, suite_slow(ctx) ? 60 : 500);
    struct partitioned_graph d = partition_graph(&g.e, &(bosc_msf_opts){.size = sizeof d.opts}, 32, 1);
    compute_expected(ctx, &d);
    for (int32_t ranks = 2; ranks <= 3; ranks++) ranks_run(ctx, ranks, 0, forest_hooked, &d);
    free_expected(&d);
    forest_free(&g);
}

static const struct suite_case suite_cases_ranks_forest[] = {
    {"kinds", kinds, NULL},
    {"types", types, NULL},
    {"NaN and parallel edges", nan_and_parallel, NULL},
    {"heaviest weights", heaviest, NULL},
    {"options", options, NULL},
    {"small", degenerate_graphs, NULL},
    {"many edges", dense_graphs, NULL},
    {"generators", generators, NULL},
    {"exchanges", exchanges, NULL},
    {"unreadable memory", unreadable_memory, NULL},
};
SUITE(ranks_forest);
