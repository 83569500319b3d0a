/* Cell graphs over ranks, concatenated from rank to rank, equal the graph of one context. */
#include "cases/plan/cells_data.h"
#include "cases/ranks/ranks_data.h"
#include "core/call.h"

/* The answers of one context for all rows. */
struct answer {
    bosc_cellgraph_info info;
    unsigned char *vectors, *representatives, *multiplicities, *vertex_of, *pairs, *positions, *labels;
    unsigned char *mask, *masked_labels;
    int64_t components, masked_components;
};

struct problem {
    struct reference_cells cells;
    bosc_cellgraph_opts opts;
    uint64_t seed;
    bool on_device;
    struct answer answer;
};

/* Excludes every fifth vertex; with odd seeds, also a quarter of the range. */
static unsigned char *mask_of(size_t vertices, uint64_t seed)
{
    unsigned char *mask = suite_alloc(vertices);
    for (size_t v = 0; v < vertices; v++)
        mask[v] = (v + seed) % 5 == 0 || (seed % 2 && v / (vertices / 4 + 1) == seed / 2 % 4) ? 0 : (v % 255) + 1;
    return mask;
}

static struct answer answer_of(bosc_ctx *ctx, const struct reference_cells *c, int32_t id_bits, uint64_t seed)
{
    struct answer a = {.info = {.size = sizeof a.info}};
    bosc_cellgraph *graph = cells_graph(ctx, c, BOSC_CELLGRAPH_AUTO, 0, id_bits);
    CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &a.info));
    const size_t vertices = (size_t)a.info.vertices, edges = (size_t)a.info.edges, id = (size_t)id_bits / 8;
    a.vectors = suite_alloc(vertices * (size_t)a.info.words * 8);
    a.representatives = suite_alloc(vertices * id);
    a.multiplicities = suite_alloc(vertices * 8);
    a.vertex_of = suite_alloc((size_t)c->n * id);
    a.pairs = suite_alloc(edges * 2 * id);
    a.positions = suite_alloc(edges * 4);
    a.labels = suite_alloc(vertices * id);
    CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, (uint64_t *)(void *)a.vectors, a.representatives,
                                              (int64_t *)(void *)a.multiplicities, a.vertex_of));
    CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, a.pairs, (uint32_t *)(void *)a.positions));
    CHECK_OK(ctx, bosc_cellgraph_components(ctx, graph, a.labels, &a.components));
    a.mask = mask_of(vertices, seed);
    a.masked_labels = suite_alloc(vertices * id);
    CHECK_OK(ctx, bosc_cellgraph_components_masked(ctx, graph, a.mask, a.masked_labels, &a.masked_components));
    bosc_cellgraph_free(graph);
    return a;
}

static void answer_free(struct answer *a)
{
    void *const blocks[] = {a->vectors,   a->representatives, a->multiplicities, a->vertex_of,    a->pairs,
                            a->positions, a->labels,          a->mask,           a->masked_labels};
    for (int i = 0; i < 9; i++) free(blocks[i]);
}

/* ---- a rank ---- */

static bosc_status build_slice(struct rank *r, bosc_ranks_cellgraph *graph, const struct problem *p,
                               struct ranks_trial_slice s)
{
    const struct reference_cells *c = &p->cells;
    const int64_t words = bosc_cellgraph_words(c->length, c->letter_bits);
    /* the last row ends with its words */
    const size_t bytes = s.n ? (size_t)((s.n - 1) * c->stride + words) * 8 : 0;
    struct array rows = array_make(r->ctx, c->rows + s.begin * c->stride, bytes, p->on_device);
    const bosc_status status = bosc_ranks_cellgraph_build(r->ctx, graph, rows.p, s.n, c->stride);
    array_free(r->ctx, &rows);
    return status;
}

static void check_info(struct rank *r, const struct problem *p, const bosc_ranks_cellgraph_info *info,
                       struct ranks_trial_slice s)
{
    const bosc_cellgraph_info *want = &p->answer.info;
    CHECK_EQ(info->n, want->n);
    CHECK_EQ(info->vertices, want->vertices);
    CHECK_EQ(info->edges, want->edges);
    CHECK_EQ(info->own_n, s.n);
    CHECK_EQ(info->first_row, s.begin);
    CHECK_EQ(info->words, want->words);
    CHECK(info->length == want->length && info->letter_bits == want->letter_bits && info->id_bits == want->id_bits);
    CHECK(info->first_vertex + info->own_vertices <= info->vertices);
    CHECK(info->first_edge + info->own_edges <= info->edges);
    if (r->rank == 0) CHECK(info->first_vertex == 0 && info->first_edge == 0);
    if (r->rank == r->rank_count - 1) {
        CHECK_EQ(info->first_vertex + info->own_vertices, info->vertices);
        CHECK_EQ(info->first_edge + info->own_edges, info->edges);
    }
}

/* labels: room for those of this rank's vertices. */
static void check_masked(struct rank *r, const bosc_ranks_cellgraph *graph, const struct problem *p,
                         struct ranks_trial_slice v, struct array *labels)
{
    const struct answer *a = &p->answer;
    const size_t id = (size_t)p->opts.id_bits / 8;
    struct array mask = ranks_array(r, a->mask, 1, v, p->on_device);
    int64_t components = -1;
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_components_masked(r->ctx, graph, mask.p, labels->p, &components));
    CHECK_EQ(components, a->masked_components);
    CHECK(ranks_equals(r, labels, a->masked_labels, id, v));
    /* Each rank has a mask or none. */
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_components_masked(r->ctx, graph, r->rank ? mask.p : NULL, NULL, NULL));
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_components_masked(r->ctx, graph, NULL, labels->p, &components));
    CHECK_EQ(components, a->components);
    CHECK(ranks_equals(r, labels, a->labels, id, v));
    array_free(r->ctx, &mask);
}

static void check_parts(struct rank *r, const bosc_ranks_cellgraph *graph, const struct problem *p,
                        struct ranks_trial_slice s)
{
    /* Each of the seven arrays of this rank is its range of one context's array. */
    const struct answer *a = &p->answer;
    const size_t id = (size_t)p->opts.id_bits / 8;
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_info(r->ctx, graph, &info));
    check_info(r, p, &info, s);
    const struct ranks_trial_slice v = {info.first_vertex, info.own_vertices}, e = {info.first_edge, info.own_edges};
    const size_t sizes[] = {(size_t)info.words * 8, id, 8, id, 2 * id, 4, id};
    const struct ranks_trial_slice slices[] = {v, v, v, s, e, e, v};
    const void *const want[] = {a->vectors, a->representatives, a->multiplicities, a->vertex_of,
                                a->pairs,   a->positions,       a->labels};
    struct array got[7];
    int64_t components = -1;
    for (int i = 0; i < 7; i++) got[i] = ranks_array(r, NULL, sizes[i], slices[i], p->on_device);
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_vertices(r->ctx, graph, got[0].p, got[1].p, got[2].p, got[3].p));
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_pairs(r->ctx, graph, got[4].p, got[5].p));
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_components(r->ctx, graph, got[6].p, &components));
    CHECK_EQ(components, a->components);
    for (int i = 0; i < 7; i++)
        if (!ranks_equals(r, &got[i], want[i], sizes[i], slices[i]))
            suite_fail(__FILE__, __LINE__, "array %d of rank %d of %d differs", i, (int)r->rank, (int)r->rank_count);
    /* Outputs may be left out. */
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_vertices(r->ctx, graph, NULL, NULL, NULL, NULL));
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_pairs(r->ctx, graph, NULL, got[5].p));
    CHECK(ranks_equals(r, &got[5], want[5], sizes[5], e));
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_components(r->ctx, graph, NULL, NULL));
    check_masked(r, graph, p, v, &got[6]);
    for (int i = 0; i < 7; i++) array_free(r->ctx, &got[i]);
}

/* Memory that a graph and its context hold. */
static int64_t bytes_of(struct rank *r, const bosc_ranks_cellgraph *graph)
{
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    bosc_ctx_info ctx_info = {.size = sizeof ctx_info};
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_info(r->ctx, graph, &info));
    CHECK_OK(r->ctx, bosc_ctx_get_info(r->ctx, &ctx_info));
    return info.bytes + ctx_info.scratch_bytes;
}

/* A rebuild replaces all that the graph held: first the rows of a few ranks, then all rows. A third build allocates
 * nothing. */
static void build_again(struct rank *r)
{
    const struct problem *p = r->user;
    bosc_ranks_cellgraph *graph = NULL;
    const struct ranks_trial_slice s = ranks_slice_of(r, p->seed, p->cells.n), none = {0, 0};
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_create(r->ctx, r->comm, &p->opts, &graph));
    if (p->seed % 2) CHECK_OK(r->ctx, build_slice(r, graph, p, r->rank % 2 ? s : none));
    CHECK_OK(r->ctx, build_slice(r, graph, p, s));
    check_parts(r, graph, p, s);
    const int64_t bytes = bytes_of(r, graph);
    CHECK_OK(r->ctx, build_slice(r, graph, p, s));
    CHECK_EQ(bytes_of(r, graph), bytes);
    check_parts(r, graph, p, s);
    bosc_ranks_cellgraph_free(graph);
}

/* ---- cases ---- */

static void compare(bosc_ctx *ctx, const struct reference_cells *c, bosc_cellgraph_opts opts, uint64_t seed)
{
    struct problem p = {.cells = *c, .opts = opts, .seed = seed, .on_device = seed % 3 == 1 && has_device_memory(ctx)};
    p.opts.size = sizeof p.opts;
    p.opts.length = c->length;
    p.opts.letter_bits = c->letter_bits;
    p.opts.id_bits = seed % 2 ? 32 : 64;
    p.answer = answer_of(ctx, c, p.opts.id_bits, seed);
    EACH_RANK_COUNT(seed, ranks) ranks_run(ctx, ranks, 0, build_again, &p);
    answer_free(&p.answer);
}

static void every_letter_size(bosc_ctx *ctx)
{
    static const int32_t lengths[] = {1, 2, 7, 20, 63, 64, 65, 130, 1000}; /* the last two for small alphabets */
    struct suite_random r = {61};
    uint64_t seed = 0;
    for (int shape = 0; shape < CELLS_SHAPES; shape++)
        for (int32_t bits = 1; bits <= 8; bits++, seed++) {
            if (suite_leaves_out()) continue;
            const int32_t length = lengths[suite_below(&r, bits < 3 ? 9 : 7)];
            const int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 60 : 400);
            struct reference_cells c =
                cells_make(&r, (enum cells_shape)shape, length, bits, n, (int64_t)suite_below(&r, 2));
            compare(ctx, &c, (bosc_cellgraph_opts){0}, seed);
            free(c.rows);
        }
}

/* No rows, one, fewer than ranks; vectors of one letter have an empty half. */
static void few_rows(bosc_ctx *ctx)
{
    struct suite_random r = {62};
    for (int64_t n = 0; n < 6; n++)
        for (int32_t length = 1; length < 4; length++) {
            struct reference_cells c = cells_make(&r, CELLS_WALK, length, 1 + (int32_t)n % 3, n, 0);
            compare(ctx, &c, (bosc_cellgraph_opts){0}, (uint64_t)(n + length));
            free(c.rows);
        }
}

/* All values of one letter, each with each: and the same beside a word of others. */
static void one_letter(bosc_ctx *ctx)
{
    struct suite_random r = {63};
    for (int32_t bits = 1; bits <= 8; bits += suite_slow(ctx) ? 3 : 1)
        for (int32_t length = 1; length < 40; length += 38) {
            struct reference_cells c = cells_make(&r, CELLS_EQUAL, length, bits, (2ll << bits) / (bits / 7 + 1), 0);
            for (int64_t i = 0; i < c.n; i++)
                reference_set_letter(&c, i, length / 2, (uint32_t)(i * 5) & ((1u << bits) - 1));
            compare(ctx, &c, (bosc_cellgraph_opts){0}, (uint64_t)bits);
            free(c.rows);
        }
}

/* Skew: letters vary in one half only, so all vertices are equal in the other half, which sends them to one rank. */
static void one_half(bosc_ctx *ctx)
{
    struct suite_random r = {64};
    for (int32_t half = 0; half < 2; half++)
        for (int32_t bits = 1; bits < 5; bits++) {
            struct reference_cells c = cells_make(&r, CELLS_EQUAL, 150, bits, suite_slow(ctx) ? 80 : 300, 1);
            for (int64_t i = 0; i < c.n; i++)
                for (int k = 0; k < 4; k++)
                    reference_set_letter(&c, i, 64 / bits * (k % 2) + 6 * k / 2 * 2 + half, cells_any(&r, 1));
            compare(ctx, &c, (bosc_cellgraph_opts){0}, (uint64_t)(2 * bits + half));
            free(c.rows);
        }
}

/* Edges in each half, in bulk: a cube over neighbouring letters, whose vertices have as many neighbours as it has
 * dimensions. */
static void cube(bosc_ctx *ctx)
{
    struct suite_random r = {65};
    const int32_t dim = suite_slow(ctx) ? 6 : 9;
    for (int32_t length = dim; length < 200; length += 150) {
        struct reference_cells c = cells_make(&r, CELLS_EQUAL, length, 1, 3ll << (dim - 1), 0);
        for (int64_t i = 0; i < c.n; i++)
            for (int32_t k = 0; k < dim; k++)
                reference_set_letter(&c, i, length / 2 - dim / 2 + k, (uint32_t)(i * 77 >> k) & 1);
        compare(ctx, &c, (bosc_cellgraph_opts){0}, (uint64_t)length);
        free(c.rows);
    }
}

static void methods(bosc_ctx *ctx)
{
    struct suite_random r = {66};
    for (int method = BOSC_CELLGRAPH_HEURISTIC; method <= BOSC_CELLGRAPH_TABLE; method++)
        for (int trial = 0; trial < 3; trial++) {
            if (suite_leaves_out()) continue;
            const int32_t length = method == BOSC_CELLGRAPH_TABLE ? trial + 5 : 40 * trial + 5;
            struct reference_cells c = cells_make(&r, trial ? CELLS_WALK : CELLS_CLUSTERED, length, 1 + trial, 150, 0);
            const bosc_cellgraph_opts opts = {.method = (bosc_cellgraph_method)method, .pivots = trial};
            compare(ctx, &c, opts, (uint64_t)(method + 4 * trial));
            free(c.rows);
        }
}

/* ---- shares ---- */

enum { SHARED = 20000 };

/* Of random vectors no rank has much more than its share, of either half. */
static void share(struct rank *r)
{
    const struct problem *p = r->user;
    const struct ranks_trial_slice s = ranks_slice_of(r, 0, p->cells.n);
    bosc_ranks_cellgraph *graph = NULL;
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_create(r->ctx, r->comm, &p->opts, &graph));
    CHECK_OK(r->ctx, build_slice(r, graph, p, s));
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_info(r->ctx, graph, &info));
    CHECK(info.bytes * r->rank_count < 4 * p->answer.info.bytes);
    bosc_ranks_cellgraph_free(graph);
}

static void shares(bosc_ctx *ctx)
{
    struct suite_random r = {67};
    if (suite_slow(ctx)) return;
    struct problem p = {.cells = cells_make(&r, CELLS_RANDOM, 128, 1, SHARED, 0),
                        .opts = {.size = sizeof p.opts, .length = 128, .id_bits = 32}};
    p.answer = answer_of(ctx, &p.cells, 32, 3);
    ranks_run(ctx, 4, 0, share, &p);
    answer_free(&p.answer);
    free(p.cells.rows);
}

/* ---- cancellation on one rank ---- */

struct listener {
    int calls, stop_at;
};

static int on_progress(void *user, const char *stage, double fraction)
{
    struct listener *l = user;
    CHECK(strcmp(stage, "ranks_cellgraph_build") == 0 && fraction >= 0 && fraction <= 1);
    return l->calls++ == l->stop_at;
}

/* All ranks are cancelled, and their graphs are empty. A second build succeeds. */
static void stop_one(struct rank *r)
{
    const struct problem *p = r->user;
    const struct ranks_trial_slice s = ranks_slice_of(r, 0, p->cells.n);
    bosc_ranks_cellgraph *graph = NULL;
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_create(r->ctx, r->comm, &p->opts, &graph));
    for (int stop_at = 0; stop_at < 16; stop_at += 5) {
        struct listener l = {.stop_at = stop_at};
        bosc_ranks_cellgraph_info info = {.size = sizeof info};
        int64_t least, most;
        r->ctx->progress.function = r->rank == 1 ? on_progress : NULL;
        r->ctx->progress.user = &l;
        const int64_t status = build_slice(r, graph, p, s);
        r->ctx->progress.function = NULL;
        CHECK(status == BOSC_OK || status == BOSC_ERR_CANCELLED);
        if (stop_at == 0 && l.calls) CHECK_EQ(status, BOSC_ERR_CANCELLED);
        CHECK_OK(r->ctx, bosc_ranks_reduce(r->ctx, r->comm, BOSC_MIN, BOSC_I64, &status, 1, &least));
        CHECK_OK(r->ctx, bosc_ranks_reduce(r->ctx, r->comm, BOSC_MAX, BOSC_I64, &status, 1, &most));
        CHECK_EQ(least, most);
        CHECK_OK(r->ctx, bosc_ranks_cellgraph_get_info(r->ctx, graph, &info));
        CHECK_EQ(info.n, status == BOSC_OK ? p->cells.n : 0);
        CHECK_OK(r->ctx, build_slice(r, graph, p, s));
        check_parts(r, graph, p, s);
    }
    bosc_ranks_cellgraph_free(graph);
}

static void stopped(bosc_ctx *ctx)
{
    struct suite_random r = {68};
    struct problem p = {.cells = cells_make(&r, CELLS_WALK, 128, 1, suite_slow(ctx) ? 300 : SHARED, 0),
                        .opts = {.size = sizeof p.opts, .length = 128, .id_bits = 32}};
    p.answer = answer_of(ctx, &p.cells, 32, 3);
    ranks_run(ctx, 3, 0, stop_one, &p);
    answer_free(&p.answer);
    free(p.cells.rows);
}

static const struct suite_case suite_cases_ranks_cellgraph[] = {
    {"shapes", every_letter_size, NULL},
    {"small", few_rows, NULL},
    {"one letter", one_letter, NULL},
    {"one half", one_half, NULL},
    {"cube", cube, NULL},
    {"methods", methods, NULL},
    {"shares", shares, NULL},
    {"stopped", stopped, NULL},
};
SUITE(ranks_cellgraph);
