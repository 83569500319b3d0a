/* Each allocation, copy and launch of cell graphs fails in turn. */
#include "cases/plan/cells_data.h"
#include "support/faults.h"

enum { ROWS = 90, CROWD = 300, WORDS = 2, EDGES = 8 * ROWS };

struct outputs {
    uint64_t vectors[ROWS * WORDS];
    int64_t firsts[ROWS], counts[ROWS], vertex_of[ROWS], offsets[ROWS + 1], ids[2 * EDGES];
    uint32_t positions[2 * EDGES];
    bosc_cellgraph_info info;
};

struct subject {
    struct reference_cells cells;
    bosc_cellgraph *graph;
    bosc_cellgraph_method method;
    bosc_cellgraph_trie_search search;
    bosc_cellgraph_heuristic_search heuristic;
    int which;
    uint8_t mask[ROWS];
    struct outputs out;
};

static bosc_cellgraph_opts options(const struct subject *s)
{
    return (bosc_cellgraph_opts){.size = sizeof(bosc_cellgraph_opts),
                                 .length = s->cells.length,
                                 .letter_bits = s->cells.letter_bits,
                                 .method = s->method,
                                 .pivots = 2,
                                 .heuristic_search = s->heuristic,
                                 .trie_search = s->search};
}

static void open_graph(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_cellgraph_opts o = options(s);
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &o, &s->graph));
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, s->graph, s->cells.rows, s->cells.n, s->cells.stride));
}

static void close_graph(void *user) { bosc_cellgraph_free(((struct subject *)user)->graph); }

/* A graph is made and built twice, or added to, or copied out. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    struct outputs *o = &s->out;
    bosc_cellgraph *graph = NULL;
    bosc_cellgraph_opts opts = options(s);
    bosc_status status;
    switch (s->which) {
    case 0:
        status = bosc_cellgraph_create(ctx, &opts, &graph);
        if (status == BOSC_OK) status = bosc_cellgraph_build(ctx, graph, s->cells.rows, ROWS / 2, s->cells.stride);
        if (status == BOSC_OK) status = bosc_cellgraph_reserve(ctx, graph, s->cells.n, 4 * ROWS);
        if (status == BOSC_OK) status = bosc_cellgraph_build(ctx, graph, s->cells.rows, s->cells.n, s->cells.stride);
        if (status == BOSC_OK) status = bosc_cellgraph_get_pairs(ctx, graph, o->ids, o->positions);
        bosc_cellgraph_free(graph);
        return status;
    case 4: /* rows are added: all that is there, then copies and a new one */
        status = bosc_cellgraph_create(ctx, &opts, &graph);
        if (status == BOSC_OK) status = bosc_cellgraph_add(ctx, graph, s->cells.rows, ROWS - 1, s->cells.stride);
        if (status == BOSC_OK)
            status = bosc_cellgraph_add(ctx, graph, s->cells.rows + (ROWS - 4) * s->cells.stride, 4, s->cells.stride);
        if (status == BOSC_OK) status = bosc_cellgraph_get_pairs(ctx, graph, o->ids, o->positions);
        bosc_cellgraph_free(graph);
        return status;
    case 6:
        status = bosc_cellgraph_prepare(ctx, s->graph);
        if (status == BOSC_OK)
            status = bosc_cellgraph_levels(ctx, s->graph, 3, o->ids, o->vertex_of, o->counts, o->offsets);
        return status;
    case 7: return bosc_cellgraph_path(ctx, s->graph, 0, 5, o->ids, EDGES, o->counts);
    case 8: /* from here on the first vertices are not there */
        return bosc_cellgraph_levels_masked(ctx, s->graph, 3, s->mask, o->ids, o->vertex_of, o->counts, o->offsets);
    case 9: return bosc_cellgraph_path_masked(ctx, s->graph, 5, 3, s->mask, o->ids, EDGES, o->counts);
    case 10: return bosc_cellgraph_components_masked(ctx, s->graph, s->mask, o->ids, o->counts);
    case 5: return bosc_cellgraph_components(ctx, s->graph, o->ids, o->counts);
    case 1: return bosc_cellgraph_get_vertices(ctx, s->graph, o->vectors, o->firsts, o->counts, o->vertex_of);
    case 2: return bosc_cellgraph_get_pairs(ctx, s->graph, o->ids, o->positions);
    default: return bosc_cellgraph_get_rows(ctx, s->graph, o->offsets, o->ids, o->positions);
    }
}

/* Rows that agree in all words but one, which are too many for a join's group; each has a neighbour in it, and some
 * have one in another word. */
static struct reference_cells crowd(struct suite_random *r, int32_t length)
{
    struct reference_cells c = cells_make(r, CELLS_EQUAL, length, 1, CROWD, 0);
    const int64_t crowded = c.stride / 2;
    for (int64_t i = 0; i < CROWD; i++) {
        uint64_t *row = c.rows + i * c.stride;
        row[crowded] = i % 2 ? row[crowded - c.stride] ^ 2 : suite_next(r) >> 32;
        if (i % 10 == 3 && c.stride > 1) {
            row[crowded] = row[crowded - c.stride];
            row[0] ^= 1;
        }
    }
    return c;
}

static void sweep(bosc_ctx *ctx, struct subject *s)
{
    struct fault_sweep sweep = {.call = call,
                                .open = open_graph,
                                .close = close_graph,
                                .user = s,
                                .outputs = &s->out,
                                .output_bytes = sizeof s->out};
    bosc_cellgraph_info info = {.size = sizeof info};
    open_graph(ctx, s);
    CHECK_EQ(bosc_cellgraph_get_info(ctx, s->graph, &info), BOSC_OK);
    CHECK(info.edges > 0 && info.edges <= EDGES);
    close_graph(s);
    if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
    free(s->cells.rows);
}

/* Joins that go on by halves. */
static void crowded(bosc_ctx *ctx)
{
    static const int32_t lengths[] = {60, 600};
    struct subject *s = suite_alloc(sizeof *s);
    for (int kind = 0; kind < 2; kind++) {
        struct suite_random r = {(uint64_t)kind};
        memset(s, 0, sizeof *s);
        s->method = BOSC_CELLGRAPH_JOIN;
        s->cells = crowd(&r, lengths[kind]);
        sweep(ctx, s);
    }
    free(s);
}

static void faults(bosc_ctx *ctx)
{
    static const bosc_cellgraph_method methods[] = {BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_ZOBRIST,
                                                    BOSC_CELLGRAPH_HEURISTIC};
    struct subject *s = suite_alloc(sizeof *s);
    /* Of tries from 10 on, of the published heuristic (14), masked from 15 on, of tables from 18 on, of the
     * published launches from 20 on. */
    for (int kind = 0; kind < 22; kind++) {
        struct suite_random r = {(uint64_t)kind};
        memset(s, 0, sizeof *s);
        s->which = kind < 3 ? 0 : kind - 2;
        s->method = methods[kind % 3];
        if (kind >= 20) {
            s->which = 0;
            s->method = kind == 20 ? BOSC_CELLGRAPH_HEURISTIC : BOSC_CELLGRAPH_TRIE;
            s->heuristic = BOSC_CELLGRAPH_HEURISTIC_BLOCKS;
            s->search = BOSC_CELLGRAPH_TRIE_BLOCKS;
        } else if (kind >= 18) {
            s->which = kind == 18 ? 0 : 4;
            s->method = BOSC_CELLGRAPH_TABLE;
        } else if (kind == 14) {
            s->which = 0;
            s->heuristic = BOSC_CELLGRAPH_HEURISTIC_PUBLISHED;
        } else if (kind >= 15) {
            s->which = kind - 7;
            for (int v = 0; v < ROWS; v++) s->mask[v] = v > 1;
        } else if (kind >= 10) {
            s->which = kind == 13 ? 4 : 0;
            s->method = BOSC_CELLGRAPH_TRIE;
            s->search = (bosc_cellgraph_trie_search)((kind - 10) % 3);
            if (s->search == BOSC_CELLGRAPH_TRIE_DOBROWOLSKI && has_device_memory(ctx)) continue;
        }
        s->cells = cells_make(&r, CELLS_CUBE, kind == 18 || kind == 19 ? 16 : 100, 1, ROWS, 0);
        sweep(ctx, s);
    }
    free(s);
}

static const struct suite_case suite_cases_cellgraph_faults[] = {{"faults", faults, NULL}, {"crowded", crowded, NULL}};
SUITE(cellgraph_faults);
