/* Compares every method of cell graphs with all pairs. The first bytes choose the letters and the length; a row is
 * an earlier one with a changed byte, or new bytes. */
#include "reference/cellgraph.c"
#include "fuzz.h"

enum { ROWS = 48 };

static void read_rows(struct input *in, struct reference_cells *c)
{
    for (c->n = 0; c->n < ROWS && in->size > 0; c->n++) {
        uint64_t *row = c->rows + c->n * c->stride;
        uint32_t from = next_byte(in);
        if (c->n > 0 && from < 224) { /* an earlier row, with one byte or none changed */
            memcpy(row, c->rows + from % c->n * c->stride, (size_t)c->stride * 8);
            ((uint8_t *)row)[next_byte(in) % (uint32_t)(c->stride * 8)] ^= (uint8_t)next_byte(in);
            continue;
        }
        for (int64_t b = 0; b < c->stride * 8; b++) ((uint8_t *)row)[b] = (uint8_t)next_byte(in);
    }
}

static void check(const struct reference_cells *c, bosc_cellgraph_method method, int64_t edges, const int64_t *expected)
{
    bosc_cellgraph_opts o = {.size = sizeof o, .length = c->length, .letter_bits = c->letter_bits, .method = method};
    bosc_cellgraph_info info = {.size = sizeof info};
    bosc_cellgraph *graph = NULL;
    if (bosc_cellgraph_create(fuzz_context(), &o, &graph) != BOSC_OK) abort();
    if (bosc_cellgraph_build(fuzz_context(), graph, c->rows, c->n, c->stride) != BOSC_OK) abort();
    if (bosc_cellgraph_get_info(fuzz_context(), graph, &info) != BOSC_OK || info.edges != edges) abort();
    int64_t *pairs = malloc((size_t)edges * 16 + 1), length;
    if (!pairs || bosc_cellgraph_get_pairs(fuzz_context(), graph, pairs, NULL) != BOSC_OK) abort();
    if (memcmp(pairs, expected, (size_t)edges * 16) != 0) abort();
    if (c->n > 0 && bosc_cellgraph_path(fuzz_context(), graph, 0, info.vertices - 1, NULL, 0, &length) != BOSC_OK)
        abort();
    free(pairs);
    bosc_cellgraph_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct reference_cells c = {.letter_bits = (int32_t)(next_byte(&in) % 8) + 1};
    c.length = (int32_t)(next_byte(&in) % 200) + 1;
    c.stride = bosc_cellgraph_words(c.length, c.letter_bits) + next_byte(&in) % 2;
    c.rows = calloc(ROWS * (size_t)c.stride, 8);
    int64_t representative_ids[ROWS], vertex_of[ROWS], counts[ROWS];
    int64_t *expected = malloc(ROWS * ROWS * 16);
    int32_t *positions = malloc(ROWS * ROWS * 4);
    if (!c.rows || !expected || !positions) abort();
    read_rows(&in, &c);
    int64_t vertices = reference_vertices(&c, representative_ids, vertex_of, counts);
    int64_t edges = reference_cell_pairs(&c, representative_ids, vertices, expected, positions);
    const int last = c.length * c.letter_bits <= BOSC_CELLGRAPH_TABLE_BITS ? BOSC_CELLGRAPH_TABLE : BOSC_CELLGRAPH_JOIN;
    for (int method = BOSC_CELLGRAPH_AUTO; method <= last; method++)
        check(&c, (bosc_cellgraph_method)method, edges, expected);
    free(c.rows);
    free(expected);
    free(positions);
    return 0;
}
