/* Cell graphs refuse bad arguments; they can be rebuilt without allocating, and outlive contexts. */
#include "cellgraph/cellgraph.h"
#include "cases/plan/cells_data.h"
#include "support/counted.h"
#include "support/faults.h"

static const bosc_cellgraph_opts good = {.size = sizeof good, .length = 100};

static void create(bosc_ctx *ctx)
{
    /* Each bad option is refused by its name, and no graph is made. */
    bosc_cellgraph *graph = NULL;
    bosc_cellgraph_opts o = good;
    static const int32_t lengths[] = {0, -1, 65537, INT32_MAX, INT32_MIN},
                         letters[] = {-1, 9, 64, INT32_MAX, INT32_MIN};
    static const int32_t bits[] = {1, 16, 33, 128, -64}, pivots[] = {-1, 17, INT32_MAX, INT32_MIN, 1000};
    static const int methods[] = {-1, 6, 5, 99, INT32_MIN}, searches[] = {-1, 4, 5, 99, INT32_MIN};
    CHECK_EQ(bosc_cellgraph_create(NULL, &o, &graph), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cellgraph_create(ctx, NULL, &graph), "opts");
    CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, NULL), "graph");
    for (int i = 0; i < 5; i++, o = good) {
        o.length = lengths[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: length");
        CHECK_EQ(bosc_cellgraph_words(lengths[i], 1), 0);
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.letter_bits = letters[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: letter_bits");
        CHECK_EQ(bosc_cellgraph_words(1, letters[i]), 0);
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.id_bits = bits[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: id_bits");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.pivots = pivots[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: pivots");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.method = (bosc_cellgraph_method)methods[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: method");
    }
    for (int32_t letter = 1; letter <= 8; letter++, o = good) { /* words too long for TABLE */
        o.method = BOSC_CELLGRAPH_TABLE;
        o.letter_bits = letter;
        o.length = BOSC_CELLGRAPH_TABLE_BITS / letter + 1;
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: method TABLE");
        o.length--;
        CHECK_OK(ctx, bosc_cellgraph_create(ctx, &o, &graph));
        CHECK_ARG(ctx, bosc_cellgraph_reset(ctx, graph, 65536), "opts: method TABLE");
        bosc_cellgraph_free(graph);
        graph = NULL;
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.trie_search = (bosc_cellgraph_trie_search)searches[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: trie_search");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.heuristic_search = (bosc_cellgraph_heuristic_search)(searches[i] == 4 ? 3 : searches[i]);
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: heuristic_search");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.blocks = -1 - i * 1000;
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: blocks");
    }
    for (int i = 1; i < 5; i++, o = good) {
        o.threads = lengths[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: threads");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.keep_memory = searches[i] == 4 ? 2 : searches[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: keep_memory");
        o = good;
        o.trie_by_values = searches[i];
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: trie_by_values");
    }
    for (int32_t digit = -1; digit < 30; digit += digit < 0 ? 10 : 7, o = good) {
        o.digit_bits = digit;
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: digit_bits");
        o.digit_bits = 4;
        o.letter_bits = 3;
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: digit_bits");
    }
    for (int64_t bytes = -1; bytes > -((int64_t)1 << 60); bytes *= 4096) {
        o.max_bytes = bytes;
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: max_bytes");
    }
    o = good;
    o.trie_search = BOSC_CELLGRAPH_TRIE_DOBROWOLSKI;
    if (has_device_memory(ctx)) CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: trie_search");
    o = good;
    for (size_t size = 0; size < 3 * sizeof o; size += size < sizeof o ? 7 : sizeof o) {
        o.size = size;
        if (size >= sizeof(size_t) && size <= sizeof o) continue;
        CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: size");
    }
    CHECK(graph == NULL);
    bosc_cellgraph_free(NULL);
    /* Words of a row: letters do not cross words. */
    CHECK_EQ(bosc_cellgraph_words(1, 1), 1);
    CHECK_EQ(bosc_cellgraph_words(64, 1), 1);
    CHECK_EQ(bosc_cellgraph_words(65, 1), 2);
    CHECK_EQ(bosc_cellgraph_words(21, 3), 1);
    CHECK_EQ(bosc_cellgraph_words(22, 3), 2);
    CHECK_EQ(bosc_cellgraph_words(65536, 8), 8192);
}

static void builds(bosc_ctx *ctx)
{
    uint64_t rows[21] = {0};
    bosc_cellgraph *graph = NULL;
    bosc_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &good, &graph));
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, rows, 10, 0));
    CHECK_EQ(bosc_cellgraph_build(NULL, graph, rows, 10, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cellgraph_build(ctx, NULL, rows, 10, 0), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_build(ctx, graph, NULL, 10, 0), "vectors");
    CHECK_ARG(ctx, bosc_cellgraph_build(ctx, graph, NULL, 1, 2), "vectors");
    for (int off = 1; off < 8; off++)
        CHECK_ARG(ctx, bosc_cellgraph_build(ctx, graph, (void *)((char *)rows + off), 9, 0), "vectors: not aligned");
    static const int64_t sizes[] = {-1, -2, INT64_MIN}, strides[] = {1, -1, -2, INT64_MIN};
    for (int i = 0; i < 3; i++) CHECK_ARG(ctx, bosc_cellgraph_build(ctx, graph, rows, sizes[i], 0), "n");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_cellgraph_build(ctx, graph, rows, 10, strides[i]), "stride");
    CHECK_ARG(ctx, bosc_cellgraph_build(ctx, graph, rows, 10, INT64_MAX / 8), "n: 10 rows");
    CHECK_ARG(ctx, bosc_cellgraph_build(ctx, graph, rows, 2, INT64_MAX), "n: 2 rows");
    CHECK_STATUS(ctx, bosc_cellgraph_build(ctx, graph, rows, UINT32_MAX, 0), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_cellgraph_build(ctx, graph, rows, INT64_MAX, 0), BOSC_ERR_LIMIT);
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK); /* the graph is as it was */
    CHECK_EQ(info.n, 10);
    CHECK_EQ(info.vertices, 1);
    info.size = 0;
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_ERR_ARG);
    info.size = sizeof info + 1;
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_get_info(ctx, NULL, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, NULL), BOSC_ERR_ARG);
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, NULL, 0, 0));
    bosc_cellgraph_free(graph);
}

static void add(bosc_ctx *ctx)
{
    uint64_t rows[21] = {0};
    bosc_cellgraph *graph = NULL;
    bosc_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &good, &graph));
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, rows, 10, 0));
    CHECK_EQ(bosc_cellgraph_add(NULL, graph, rows, 10, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cellgraph_add(ctx, NULL, rows, 10, 0), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_add(ctx, graph, NULL, 10, 0), "vectors");
    for (int off = 1; off < 8; off++)
        CHECK_ARG(ctx, bosc_cellgraph_add(ctx, graph, (void *)((char *)rows + off), 9, 0), "vectors: not aligned");
    static const int64_t sizes[] = {-1, -2, INT64_MIN}, strides[] = {1, -1, -2, INT64_MIN};
    for (int i = 0; i < 3; i++) CHECK_ARG(ctx, bosc_cellgraph_add(ctx, graph, rows, sizes[i], 0), "n");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_cellgraph_add(ctx, graph, rows, 10, strides[i]), "stride");
    CHECK_ARG(ctx, bosc_cellgraph_add(ctx, graph, rows, 10, INT64_MAX / 8), "n: 10 rows");
    CHECK_STATUS(ctx, bosc_cellgraph_add(ctx, graph, rows, (int64_t)UINT32_MAX - 10, 0), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_cellgraph_add(ctx, graph, rows, INT64_MAX, 0), BOSC_ERR_LIMIT);
    CHECK_OK(ctx, bosc_cellgraph_add(ctx, graph, NULL, 0, 0));
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK); /* the graph is as it was */
    CHECK_EQ(info.n, 10);
    CHECK_EQ(info.vertices, 1);
    bosc_cellgraph_free(graph);
}

static void outputs(bosc_ctx *ctx)
{
    /* Each bad argument is refused by its name; nothing is written. Outputs may be left out. */
    struct suite_random r = {61};
    int64_t ids[200], count = 7;
    struct reference_cells c = cells_make(&r, CELLS_WALK, 100, 1, 10, 0);
    bosc_cellgraph *graph = cells_graph(ctx, &c, BOSC_CELLGRAPH_AUTO, 0, 64);
    memset(ids, 0x55, sizeof ids);
    CHECK_EQ(bosc_cellgraph_get_vertices(NULL, graph, NULL, ids, ids, ids), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_get_pairs(NULL, graph, ids, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_get_rows(NULL, graph, ids, NULL, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cellgraph_get_vertices(ctx, NULL, NULL, ids, ids, ids), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_get_pairs(ctx, NULL, ids, NULL), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_get_rows(ctx, NULL, ids, NULL, NULL), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_components(ctx, NULL, ids, &count), "graph");
    CHECK_EQ(bosc_cellgraph_components(NULL, graph, ids, &count), BOSC_ERR_ARG);
    for (int off = 1; off < 8; off++) {
        void *odd = (char *)ids + off;
        CHECK_ARG(ctx, bosc_cellgraph_get_vertices(ctx, graph, odd, NULL, NULL, NULL), "vectors");
        CHECK_ARG(ctx, bosc_cellgraph_get_vertices(ctx, graph, NULL, odd, NULL, NULL), "representatives");
        CHECK_ARG(ctx, bosc_cellgraph_get_vertices(ctx, graph, NULL, NULL, odd, NULL), "multiplicities");
        CHECK_ARG(ctx, bosc_cellgraph_get_vertices(ctx, graph, NULL, NULL, NULL, odd), "vertex_of");
        CHECK_ARG(ctx, bosc_cellgraph_get_pairs(ctx, graph, odd, NULL), "pairs");
        CHECK_ARG(ctx, bosc_cellgraph_get_rows(ctx, graph, odd, NULL, NULL), "offsets");
        CHECK_ARG(ctx, bosc_cellgraph_get_rows(ctx, graph, NULL, odd, NULL), "neighbours");
        CHECK_ARG(ctx, bosc_cellgraph_components(ctx, graph, odd, &count), "labels");
        if (off == 4) continue;
        CHECK_ARG(ctx, bosc_cellgraph_get_pairs(ctx, graph, ids, odd), "positions");
        CHECK_ARG(ctx, bosc_cellgraph_get_rows(ctx, graph, ids, NULL, odd), "positions");
    }
    for (int i = 0; i < 200; i++) CHECK_EQ(ids[i], 0x5555555555555555);
    CHECK_EQ(count, 7);
    CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, NULL, NULL, NULL, NULL));
    CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, NULL, NULL));
    CHECK_OK(ctx, bosc_cellgraph_get_rows(ctx, graph, NULL, NULL, NULL));
    bosc_cellgraph_free(graph);
    free(c.rows);
}

static void searches(bosc_ctx *ctx)
{
    /* Each bad argument is refused by its name; nothing is written. */
    struct suite_random r = {63};
    int64_t ids[32], count = 7, depth = 7;
    struct reference_cells c = cells_make(&r, CELLS_WALK, 100, 1, 10, 0);
    bosc_cellgraph *graph = cells_graph(ctx, &c, BOSC_CELLGRAPH_AUTO, 0, 64);
    bosc_cellgraph_info info = {.size = sizeof info};
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
    const int64_t strangers[] = {-1, -2, INT64_MIN, info.vertices, info.vertices + 1, UINT32_MAX, INT64_MAX};
    memset(ids, 0x55, sizeof ids);
    CHECK_EQ(bosc_cellgraph_levels(NULL, graph, 0, ids, ids, &count, &depth), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_path(NULL, graph, 0, 1, ids, 32, &count), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_prepare(NULL, graph), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cellgraph_prepare(ctx, NULL), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_levels(ctx, NULL, 0, ids, ids, &count, &depth), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_path(ctx, NULL, 0, 1, ids, 32, &count), "graph");
    for (int i = 0; i < 7; i++) {
        CHECK_ARG(ctx, bosc_cellgraph_levels(ctx, graph, strangers[i], ids, NULL, &count, &depth), "source");
        CHECK_ARG(ctx, bosc_cellgraph_path(ctx, graph, strangers[i], 0, ids, 32, &count), "from");
        CHECK_ARG(ctx, bosc_cellgraph_path(ctx, graph, 0, strangers[i], ids, 32, &count), "to");
        void *odd = (char *)ids + i + 1;
        CHECK_ARG(ctx, bosc_cellgraph_levels(ctx, graph, 0, odd, NULL, &count, &depth), "levels");
        CHECK_ARG(ctx, bosc_cellgraph_levels(ctx, graph, 0, NULL, odd, &count, &depth), "parents");
        CHECK_ARG(ctx, bosc_cellgraph_path(ctx, graph, 0, 1, odd, 31, &count), "path");
    }
    /* The same with a mask. */
    const uint8_t mask[32] = {1};
    CHECK_EQ(bosc_cellgraph_levels_masked(NULL, graph, 0, mask, ids, ids, &count, &depth), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_path_masked(NULL, graph, 0, 1, mask, ids, 32, &count), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_components_masked(NULL, graph, mask, ids, &count), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cellgraph_levels_masked(ctx, NULL, 0, mask, ids, ids, &count, &depth), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_path_masked(ctx, NULL, 0, 1, mask, ids, 32, &count), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_components_masked(ctx, NULL, mask, ids, &count), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_components_masked(ctx, graph, mask, (char *)ids + 1, &count), "labels");
    for (int i = 0; i < 7; i++) {
        CHECK_ARG(ctx, bosc_cellgraph_levels_masked(ctx, graph, strangers[i], mask, ids, NULL, NULL, NULL), "source");
        CHECK_ARG(ctx, bosc_cellgraph_path_masked(ctx, graph, strangers[i], 0, mask, ids, 32, &count), "from");
        CHECK_ARG(ctx, bosc_cellgraph_path_masked(ctx, graph, 0, strangers[i], mask, ids, 32, &count), "to");
        void *odd = (char *)ids + i + 1;
        CHECK_ARG(ctx, bosc_cellgraph_levels_masked(ctx, graph, 0, mask, odd, NULL, &count, &depth), "levels");
        CHECK_ARG(ctx, bosc_cellgraph_levels_masked(ctx, graph, 0, mask, NULL, odd, &count, &depth), "parents");
        CHECK_ARG(ctx, bosc_cellgraph_path_masked(ctx, graph, 0, 1, mask, odd, 31, &count), "path");
    }
    CHECK_ARG(ctx, bosc_cellgraph_path_masked(ctx, graph, 0, 1, mask, ids, -1, &count), "capacity");
    CHECK_ARG(ctx, bosc_cellgraph_path_masked(ctx, graph, 0, 1, mask, ids, 32, NULL), "length");
    CHECK_ARG(ctx, bosc_cellgraph_path(ctx, graph, 0, 1, ids, -1, &count), "capacity");
    CHECK_ARG(ctx, bosc_cellgraph_path(ctx, graph, 0, 1, ids, INT64_MIN, &count), "capacity");
    CHECK_ARG(ctx, bosc_cellgraph_path(ctx, graph, 0, 1, ids, 32, NULL), "length");
    for (int i = 0; i < 32; i++) CHECK_EQ(ids[i], 0x5555555555555555);
    CHECK(count == 7 && depth == 7);
    /* An empty graph has no vertex to search from. */
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, NULL, 0, 0));
    CHECK_OK(ctx, bosc_cellgraph_prepare(ctx, graph));
    CHECK_ARG(ctx, bosc_cellgraph_levels(ctx, graph, 0, NULL, NULL, NULL, NULL), "source");
    CHECK_ARG(ctx, bosc_cellgraph_path(ctx, graph, 0, 0, NULL, 0, &count), "from");
    bosc_cellgraph_free(graph);
    free(c.rows);
}

/* The recorded device of the memory decides; here it is changed to another one. */
static void other_device(bosc_ctx *ctx)
{
    bosc_cellgraph *graph = NULL;
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &good, &graph));
    graph->memory.device++;
    CHECK_ARG(ctx, bosc_cellgraph_build(ctx, graph, NULL, 0, 0), "graph: it is on device");
    CHECK_ARG(ctx, bosc_cellgraph_reserve(ctx, graph, 1, 1), "graph: it is on device");
    CHECK_ARG(ctx, bosc_cellgraph_get_pairs(ctx, graph, NULL, NULL), "graph: it is on device");
    CHECK_ARG(ctx, bosc_cellgraph_add(ctx, graph, NULL, 0, 0), "graph: it is on device");
    CHECK_ARG(ctx, bosc_cellgraph_components(ctx, graph, NULL, NULL), "graph: it is on device");
    CHECK_ARG(ctx, bosc_cellgraph_prepare(ctx, graph), "graph: it is on device");
    CHECK_ARG(ctx, bosc_cellgraph_levels(ctx, graph, 0, NULL, NULL, NULL, NULL), "graph: it is on device");
    graph->memory.device--;
    bosc_cellgraph_free(graph);
}

static void other_backend(void)
{
    bosc_ctx_opts cpu = {.size = sizeof cpu}, cuda = {.size = sizeof cuda, .backend = BOSC_BACKEND_CUDA};
    bosc_ctx *a = NULL, *b = NULL;
    bosc_cellgraph *graph = NULL;
    if (bosc_device_count() == 0) return;
    CHECK_EQ(bosc_ctx_create(&cpu, &a), BOSC_OK);
    CHECK_EQ(bosc_ctx_create(&cuda, &b), BOSC_OK);
    CHECK_OK(a, bosc_cellgraph_create(a, &good, &graph));
    CHECK_ARG(b, bosc_cellgraph_build(b, graph, NULL, 0, 0), "graph");
    CHECK_ARG(b, bosc_cellgraph_get_pairs(b, graph, NULL, NULL), "graph");
    CHECK_ARG(b, bosc_cellgraph_add(b, graph, NULL, 0, 0), "graph");
    CHECK_ARG(b, bosc_cellgraph_components(b, graph, NULL, NULL), "graph");
    CHECK_ARG(b, bosc_cellgraph_prepare(b, graph), "graph");
    CHECK_ARG(b, bosc_cellgraph_levels(b, graph, 0, NULL, NULL, NULL, NULL), "graph");
    bosc_cellgraph_free(graph);
    bosc_ctx_free(a);
    bosc_ctx_free(b);
}

/* Builds after the first allocate nothing. */
static void rebuilds(bosc_ctx *ctx)
{
    static const bosc_cellgraph_method methods[] = {BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_ZOBRIST,
                                                    BOSC_CELLGRAPH_HEURISTIC, BOSC_CELLGRAPH_HEURISTIC,
                                                    BOSC_CELLGRAPH_TABLE};
    for (int m = 0; m < 5; m++) {
        struct suite_random r = {62};
        int64_t live[2], before[2] = {0, 0};
        bosc_ctx *own = counted_context(ctx, live);
        bosc_cellgraph_opts o = good;
        bosc_cellgraph *graph = NULL;
        o.length = methods[m] == BOSC_CELLGRAPH_TABLE ? 12 : 100;
        struct reference_cells c = cells_make(&r, CELLS_CUBE, o.length, 1, 150, 0);
        o.method = methods[m];
        o.pivots = 2;
        if (m == 3) o.heuristic_search = BOSC_CELLGRAPH_HEURISTIC_PUBLISHED;
        CHECK_OK(own, bosc_cellgraph_create(own, &o, &graph));
        for (int k = 0; k < 4; k++) {
            CHECK_OK(own, bosc_cellgraph_build(own, graph, c.rows, c.n - k, 0));
            CHECK_OK(own, bosc_cellgraph_get_rows(own, graph, NULL, NULL, NULL));
            CHECK_OK(own, bosc_cellgraph_levels(own, graph, 1, NULL, NULL, NULL, NULL));
            CHECK_OK(own, bosc_cellgraph_prepare(own, graph));
            if (k > 0) CHECK(live[0] == before[0] && live[1] == before[1]);
            memcpy(before, live, sizeof live);
        }
        bosc_ctx_free(own); /* the graph outlives it */
        bosc_cellgraph_free(graph);
        free(c.rows);
        CHECK_EQ(live[0], 0);
        CHECK_EQ(live[1], 0);
    }
}

/* A build of some rows and additions of the others, until all are there. */
static void build_in_parts(bosc_ctx *ctx, bosc_cellgraph *graph, const struct reference_cells *c, int parts)
{
    int64_t done = 0;
    for (int p = 0; p < parts; p++) {
        int64_t upto = c->n * (p + 1) / parts;
        const uint64_t *rows = c->rows + done * c->stride;
        if (p == 0)
            CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, rows, upto, c->stride));
        else
            CHECK_OK(ctx, bosc_cellgraph_add(ctx, graph, rows, upto - done, c->stride));
        done = upto;
    }
}

/* Graphs with keep_memory allocate nothing for a second addition, after a reserve not even for the first, and keep no
 * more than promised. Without the option the memory is that of one graph. */
static void additions(bosc_ctx *ctx)
{
    for (int t = 0; t < 12; t++) {
        struct suite_random r = {63};
        struct counted counted;
        const int parts = 2 + t % 4;
        bosc_cellgraph_opts o = good;
        bosc_cellgraph *graph = NULL, *whole = NULL;
        bosc_cellgraph_info info = {.size = sizeof info}, other = {.size = sizeof other};
        struct reference_cells c = cells_make(&r, CELLS_CUBE, 100, 1, 200, 0);
        int64_t kept, scratch;
        counted_open(&counted, ctx, 0);
        /* t < 4: memory kept, after a reserve; t < 8: memory kept, after a first addition; else not kept. */
        o.keep_memory = t < 8;
        CHECK_OK(counted.ctx, bosc_cellgraph_create(counted.ctx, &o, &whole));
        CHECK_OK(counted.ctx, bosc_cellgraph_build(counted.ctx, whole, c.rows, c.n, c.stride));
        CHECK_OK(counted.ctx, bosc_cellgraph_get_info(counted.ctx, whole, &other));
        CHECK_OK(counted.ctx, bosc_cellgraph_create(counted.ctx, &o, &graph));
        CHECK_OK(counted.ctx, bosc_cellgraph_bytes(counted.ctx, &o, c.n, other.edges, &kept, &scratch));
        if (t < 4)
            CHECK_OK(counted.ctx, bosc_cellgraph_reserve(counted.ctx, graph, c.n, other.edges));
        else
            build_in_parts(counted.ctx, graph, &c, parts);
        int64_t before = counted.allocations;
        build_in_parts(counted.ctx, graph, &c, parts);
        CHECK((counted.allocations == before) == (t < 8));
        CHECK_OK(counted.ctx, bosc_cellgraph_get_info(counted.ctx, graph, &info));
        CHECK(info.vertices == other.vertices && info.edges == other.edges);
        CHECK(info.bytes <= kept && (t >= 8) == (info.bytes < other.bytes * 6 / 5));
        if (t < 4) CHECK_EQ(info.bytes, kept);
        bosc_cellgraph_free(graph);
        bosc_cellgraph_free(whole);
        counted_close(&counted);
        free(c.rows);
    }
}

/* Reserved memory is enough for an addition of most rows: also of long ones, and with implied edges, whose memory does
 * not depend on the number of edges. */
static void reserved_additions(bosc_ctx *ctx)
{
    enum { LENGTH = 65536, FIRST = 20 };
    for (int32_t implied = 0; implied < 2; implied++) {
        struct suite_random r = {66};
        struct counted counted;
        bosc_cellgraph_opts o = good;
        bosc_cellgraph *graph = NULL;
        bosc_cellgraph_info info = {.size = sizeof info};
        bosc_ctx_info held = {.size = sizeof held};
        struct reference_cells c = cells_make(&r, CELLS_CUBE, LENGTH, 1, 300, 0);
        int64_t kept[2], scratch[2];
        o.length = LENGTH;
        o.keep_memory = 1;
        o.implied_edges = implied;
        counted_open(&counted, ctx, 0);
        /* 1. The bytes. */
        for (int k = 0; k < 2; k++)
            CHECK_OK(counted.ctx,
                     bosc_cellgraph_bytes(counted.ctx, &o, c.n, (9 + 990 * k) * c.n, &kept[k], &scratch[k]));
        CHECK((kept[0] == kept[1] && scratch[0] == scratch[1]) == (implied == 1));
        /* 2. Their reservation. */
        CHECK_OK(counted.ctx, bosc_cellgraph_create(counted.ctx, &o, &graph));
        CHECK_OK(counted.ctx, bosc_cellgraph_reserve(counted.ctx, graph, c.n, 9 * c.n));
        const int64_t before = counted.allocations;
        CHECK_OK(counted.ctx, bosc_cellgraph_build(counted.ctx, graph, c.rows, FIRST, c.stride));
        CHECK_OK(counted.ctx, bosc_cellgraph_add(counted.ctx, graph, c.rows + FIRST * c.stride, c.n - FIRST, c.stride));
        CHECK_EQ(counted.allocations, before);
        CHECK_OK(counted.ctx, bosc_cellgraph_get_info(counted.ctx, graph, &info));
        CHECK_OK(counted.ctx, bosc_ctx_get_info(counted.ctx, &held));
        CHECK_EQ(info.bytes, kept[0]);
        CHECK(held.scratch_bytes <= scratch[0] + 256);
        bosc_cellgraph_free(graph);
        counted_close(&counted);
        free(c.rows);
    }
}

/* A graph that gets another length is as a new one, in the memory that it has. */
static void resets(bosc_ctx *ctx)
{
    static const bosc_cellgraph_method methods[] = {BOSC_CELLGRAPH_AUTO, BOSC_CELLGRAPH_TRIE};
    static const int32_t lengths[] = {200, 30, 130, 1}, bad[] = {0, -1, 65537, INT32_MAX, INT32_MIN};
    for (int m = 0; m < 2; m++) {
        struct suite_random r = {64};
        bosc_cellgraph_opts o = good;
        bosc_cellgraph *graph = NULL, *fresh = NULL;
        bosc_cellgraph_info info[2] = {{.size = sizeof info[0]}, {.size = sizeof info[1]}};
        o.method = methods[m];
        CHECK_OK(ctx, bosc_cellgraph_create(ctx, &o, &graph));
        for (int k = 0; k < 4; k++) {
            struct reference_cells c = cells_make(&r, CELLS_CUBE, lengths[k], 1, 120, 0);
            /* 1. A reset empties the graph and keeps its memory. */
            CHECK_OK(ctx, bosc_cellgraph_reset(ctx, graph, lengths[k]));
            CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &info[0]));
            CHECK(info[0].n == 0 && info[0].edges == 0 && info[0].length == lengths[k]);
            CHECK(k == 0 || m == 1 || info[0].bytes == info[1].bytes);
            /* 2. Built again, it equals a fresh graph. */
            o.length = lengths[k];
            CHECK_OK(ctx, bosc_cellgraph_create(ctx, &o, &fresh));
            CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, c.rows, c.n, c.stride));
            CHECK_OK(ctx, bosc_cellgraph_build(ctx, fresh, c.rows, c.n, c.stride));
            CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &info[0]));
            CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, fresh, &info[1]));
            CHECK(info[0].vertices == info[1].vertices && info[0].edges == info[1].edges && info[0].edges > 0);
            info[1].bytes = info[0].bytes;
            /* 3. A refused reset leaves it as it was. */
            for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_cellgraph_reset(ctx, graph, bad[i]), "opts: length");
            CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &info[0]));
            CHECK(memcmp(&info[0], &info[1], sizeof info[0]) == 0);
            bosc_cellgraph_free(fresh);
            free(c.rows);
        }
        bosc_cellgraph_free(graph);
    }
    CHECK_ARG(ctx, bosc_cellgraph_reset(ctx, NULL, 5), "graph");
}

static void sizes(bosc_ctx *ctx)
{
    /* Bad sizes are refused by name and no output is written; the largest sizes do not overflow. */
    static const int64_t bad[] = {-1, INT64_MIN, -1000, -(1ll << 32), -2};
    int64_t kept = 7, scratch = 7, more;
    bosc_cellgraph *graph = NULL;
    bosc_cellgraph_opts o = good;
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &good, &graph));
    CHECK_EQ(bosc_cellgraph_bytes(NULL, &good, 10, 10, &kept, &scratch), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cellgraph_reserve(NULL, graph, 10, 10), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cellgraph_reserve(ctx, NULL, 10, 10), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_bytes(ctx, NULL, 10, 10, &kept, &scratch), "opts");
    for (int i = 0; i < 5; i++) {
        CHECK_ARG(ctx, bosc_cellgraph_reserve(ctx, graph, bad[i], 10), "n");
        CHECK_ARG(ctx, bosc_cellgraph_reserve(ctx, graph, 10, bad[i]), "edges");
        CHECK_ARG(ctx, bosc_cellgraph_bytes(ctx, &good, bad[i], 10, &kept, &scratch), "n");
        CHECK_ARG(ctx, bosc_cellgraph_bytes(ctx, &good, 10, bad[i], &kept, &scratch), "edges");
        o.length = (int32_t)bad[i];
        CHECK_ARG(ctx, bosc_cellgraph_bytes(ctx, &o, 10, 10, &kept, &scratch), "opts: length");
    }
    CHECK_ARG(ctx, bosc_cellgraph_reserve(ctx, graph, 10, INT64_MAX), "edges");
    CHECK_ARG(ctx, bosc_cellgraph_bytes(ctx, &good, 10, INT64_MAX / 255, &kept, &scratch), "edges");
    CHECK_STATUS(ctx, bosc_cellgraph_reserve(ctx, graph, INT64_MAX, 10), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_cellgraph_bytes(ctx, &good, UINT32_MAX, 10, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK(kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_cellgraph_bytes(ctx, &good, 1000, 2000, &kept, NULL));
    CHECK_EQ(kept, 1000 * (16 + 20) + 16 + 2000 * 12);
    o = good;
    o.length = 65536;
    o.method = BOSC_CELLGRAPH_TRIE;
    CHECK_OK(ctx, bosc_cellgraph_bytes(ctx, &o, INT32_MAX, 0, &more, &scratch));
    CHECK(more > kept && scratch > more / 4);
    o.method = BOSC_CELLGRAPH_AUTO;
    CHECK_OK(ctx, bosc_cellgraph_bytes(ctx, &o, (int64_t)UINT32_MAX - 1, INT64_MAX / 256, &more, &scratch));
    CHECK(more > 0 && scratch > 0);
    bosc_cellgraph_free(graph);
}

/* Builds after a reserve allocate nothing and take no more than promised; a larger reserve keeps the graph. */
static void reserved(bosc_ctx *ctx)
{
    struct suite_random r = {63};
    for (int k = 0; k < 6 * CELLS_SHAPES; k++) {
        if (suite_leaves_out()) continue;
        const bool table = k % 6 == BOSC_CELLGRAPH_TABLE;
        const int32_t bits = 1 + k % 2, short_length = (table ? cells_table_bits(ctx) : 60) / bits;
        const int32_t length = k % 4 == 0 || table ? short_length : k % 4 == 1 ? 100 : 700;
        int64_t live[2] = {0, 0}, n = suite_slow(ctx) ? 200 : 1200, kept, scratch, before;
        bosc_cellgraph_opts o = good;
        bosc_cellgraph_info info = {.size = sizeof info};
        bosc_ctx_info held = {.size = sizeof held};
        bosc_cellgraph *graph = NULL;
        struct reference_cells c = cells_make(&r, (enum cells_shape)(k / 6), length, bits, n, 0);
        bosc_ctx *own = counted_context(ctx, live);
        o.length = length;
        o.letter_bits = bits;
        o.method = (bosc_cellgraph_method)(k % 6);
        o.pivots = o.method == BOSC_CELLGRAPH_HEURISTIC ? 2 : 0;
        CHECK_OK(own, bosc_cellgraph_create(own, &o, &graph));
        /* 1. Reserve, and build three times without an allocation. */
        CHECK_OK(own, bosc_cellgraph_reserve(own, graph, n, 20 * n));
        CHECK_OK(own, bosc_cellgraph_bytes(own, &o, n, 20 * n, &kept, &scratch));
        before = live[0] + live[1];
        CHECK_OK(own, bosc_cellgraph_build(own, graph, c.rows, n, 0));
        CHECK_OK(own, bosc_cellgraph_build(own, graph, c.rows, n / 2, 0));
        CHECK_OK(own, bosc_cellgraph_build(own, graph, c.rows, n, 0));
        CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
        CHECK_OK(own, bosc_ctx_get_info(own, &held));
        CHECK(info.edges <= 20 * n);
        CHECK_EQ(live[0] + live[1], before);
        CHECK(info.bytes <= kept && held.scratch_bytes <= scratch + 256);
        /* 2. Reserve more: the edges stay. */
        uint32_t *want = suite_alloc((size_t)info.edges * 4), *got = suite_alloc((size_t)info.edges * 4);
        CHECK_OK(own, bosc_cellgraph_get_pairs(own, graph, NULL, want));
        CHECK_OK(own, bosc_cellgraph_reserve(own, graph, 2 * n, 50 * n));
        CHECK_OK(own, bosc_cellgraph_get_pairs(own, graph, NULL, got));
        CHECK(info.edges == 0 || memcmp(want, got, (size_t)info.edges * 4) == 0);
        free(want);
        free(got);
        bosc_ctx_free(own);
        bosc_cellgraph_free(graph);
        CHECK(live[0] == 0 && live[1] == 0);
        free(c.rows);
    }
}

static const struct suite_case suite_cases_cellgraph_args[] = {
    {"create", create, NULL},
    {"build", builds, NULL},
    {"add", add, NULL},
    {"outputs", outputs, NULL},
    {"searches", searches, NULL},
    {"another device", other_device, NULL},
    {"another backend", NULL, other_backend},
    {"rebuilds", rebuilds, NULL},
    {"additions", additions, NULL},
    {"reserved additions", reserved_additions, NULL},
    {"resets", resets, NULL},
    {"sizes", sizes, NULL},
    {"reserved", reserved, NULL},
};
SUITE(cellgraph_args);
