/* Builds the CSR rows of a graph from the sorted list of its edges. */
#include "base/bits.h"
#include "core/call.h"
#include "graph/drivers.h"

/* Reads one word of the build's width. */
static bosc_status read_word(struct bi_graph_build *b, const void *array, int64_t i, int64_t *word)
{
    uint64_t bits = 0;
    BI_TRY(
        bi_read_back(b->ctx, &bits, (const char *)array + (size_t)i * bi_graph_word_bytes(b), bi_graph_word_bytes(b)));
    *word = (int64_t)bits;
    return BOSC_OK;
}

/* Turns marked ends of runs into offsets by a maximum scan; unmarked offsets must be 0. */
static bosc_status finish_offsets(struct bi_graph_build *b, void *offsets)
{
    return b->ctx->backend->core->scan(b->ctx, BOSC_MAX, BOSC_INCLUSIVE, bi_graph_word_type(b), offsets,
                                       b->entries.n + 1, offsets);
}

static bosc_status allocate_offsets(struct bi_graph_build *b, void **offsets)
{
    int64_t n = b->entries.n + 1;
    BI_TRY(bi_scratch_of(b->ctx, n, bi_graph_word_bytes(b), offsets));
    return b->ctx->backend->fill(b->ctx, *offsets, 0, (size_t)n * bi_graph_word_bytes(b));
}

/* Sorts the list of back arcs by radix. */
static bosc_status sort_back(struct bi_graph_build *b, const struct bi_graph_back_list *sorted)
{
    int64_t count = b->edges.count;
    struct bi_graph_back_list list = *sorted;
    BI_TRY(bi_scratch_of(b->ctx, count, sizeof(uint32_t), (void **)&list.from));
    BI_TRY(bi_scratch_of(b->ctx, count, bi_graph_word_bytes(b), &list.positions));
    BI_TRY(BI_GRAPH_STEP(b, back_list, count, &list));
    return b->ctx->backend->core->sort_pairs(b->ctx, BOSC_U32, list.from, bi_graph_word_bytes(b), list.positions, count,
                                             sorted->from, sorted->positions, 0, bi_bit_length(list.n));
}

/* The same, and the offsets of the back arcs. */
static bosc_status sort_back_arcs(struct bi_graph_build *b, const struct bi_graph_back_list *sorted, void *back)
{
    int64_t count = b->edges.count;
    BI_TRY_WITH_SCRATCH(b->ctx, sort_back(b, sorted));
    struct bi_graph_back_ends ends = {sorted->from, count, sorted->n, b->is_64bit, back};
    BI_TRY(BI_GRAPH_STEP(b, back_ends, count, &ends));
    return finish_offsets(b, back);
}

/* Builds the back half of the rows: larger vertices, sorted, and the positions of their edges in the list. */
static bosc_status build_back_half(struct bi_graph_build *b, struct bi_graph_arc_writer *writer, int64_t *backs)
{
    const struct bi_graph_ops *ops = b->ctx->ops->graph;
    int64_t count = b->edges.count;
    void *back;
    bool handled = false;
    struct bi_graph_back_list list = {b->edges.keys, b->bits, (uint32_t)b->entries.n, b->is_64bit, NULL, NULL};
    BI_TRY(bi_scratch_of(b->ctx, count, sizeof(uint32_t), (void **)&list.from));
    BI_TRY(bi_scratch_of(b->ctx, count, bi_graph_word_bytes(b), &list.positions));
    BI_TRY(allocate_offsets(b, &back));
    if (ops->back_arcs) BI_TRY_WITH_SCRATCH(b->ctx, ops->back_arcs(b->ctx, &list, count, back, &handled));
    if (!handled) BI_TRY(sort_back_arcs(b, &list, back));
    writer->from = list.from;
    writer->positions = list.positions;
    writer->halves.back = back;
    return read_word(b, back, b->entries.n, backs);
}

static bosc_status build_halves(struct bi_graph_build *b, struct bi_graph_arc_writer *writer, int64_t *backs)
{
    void *forward;
    *writer = (struct bi_graph_arc_writer){.entries = b->entries, .weights = b->weights};
    writer->halves = (struct bi_graph_halves){
        .keys = b->edges.keys, .ids = b->edges.ids, .count = b->edges.count, .bits = b->bits, .is_64bit = b->is_64bit};
    BI_TRY(allocate_offsets(b, &forward));
    struct bi_graph_forward_ends ends = {b->edges.keys, b->edges.count, b->bits, b->is_64bit, forward};
    BI_TRY(BI_GRAPH_STEP(b, forward_ends, b->edges.count, &ends));
    BI_TRY(finish_offsets(b, forward));
    writer->halves.forward = forward;
    return build_back_half(b, writer, backs);
}

/* Computes the counts that bosc_graph_get_info returns. */
static bosc_status count_graph(struct bi_graph_build *b, const struct bi_graph_halves *halves, int64_t backs)
{
    const struct bi_core_ops *core = b->ctx->backend->core;
    bosc_graph *g = b->next;
    int64_t n = b->entries.n, found[4], *result = b->result;
    uint32_t order = 0;
    g->n = n;
    g->entries = b->entries.m;
    g->m = b->edges.count;
    g->arcs = g->m + backs;
    g->loops = g->m - backs;
    g->is_64bit = b->is_64bit;
    struct bi_graph_degrees degrees = {.halves = *halves, .loops = g->loops > 0};
    struct bi_graph_mark_parallel parallel = {b->edges.keys, b->is_64bit, NULL};
    /* 1. Do ids ascend in row order? */
    if (!b->ascending) BI_TRY(bi_graph_read_order(b, &b->edges, &order));
    g->ids_in_order = !(order & BI_GRAPH_IDS_FALL);
    /* 2. Degrees, isolated vertices and parallel edges by steps and reductions. */
    BI_TRY(bi_scratch_of(b->ctx, n, sizeof *degrees.degrees, (void **)&degrees.degrees));
    BI_TRY(bi_scratch_of(b->ctx, n, sizeof *degrees.isolated, (void **)&degrees.isolated));
    BI_TRY(bi_scratch_of(b->ctx, g->m, bi_graph_word_bytes(b), &parallel.flags));
    BI_TRY(bi_graph_clear_result(b, 0));
    BI_TRY(BI_GRAPH_STEP(b, degrees, n, &degrees));
    BI_TRY(BI_GRAPH_STEP(b, mark_parallel, g->m, &parallel));
    BI_TRY(core->reduce(b->ctx, BOSC_SUM, bi_graph_word_type(b), parallel.flags, g->m, &result[0]));
    BI_TRY(core->reduce(b->ctx, BOSC_SUM, BOSC_U32, degrees.isolated, n, &result[1]));
    BI_TRY(core->reduce(b->ctx, BOSC_MIN, BOSC_I64, degrees.degrees, n, &result[2]));
    BI_TRY(core->reduce(b->ctx, BOSC_MAX, BOSC_I64, degrees.degrees, n, &result[3]));
    BI_TRY(bi_read_back(b->ctx, found, b->result, sizeof found));
    g->parallel = found[0];
    g->isolated = found[1];
    g->least_degree = found[2];
    g->most_degree = found[3];
    return BOSC_OK;
}

/* Writes the graph's blocks. Allocates no scratch. */
static bosc_status write_arcs(struct bi_graph_build *b, struct bi_graph_arc_writer *writer)
{
    bosc_graph *g = b->next;
    struct bi_graph_add_offsets offsets = {writer->halves, g->offsets.data};
    writer->neighbours = g->neighbours.data;
    writer->keys = g->keys.data;
    writer->ids = g->edge_ids.data;
    BI_TRY(BI_GRAPH_STEP(b, add_offsets, g->n + 1, &offsets));
    BI_TRY(BI_GRAPH_STEP(b, write_forward, g->m, writer));
    BI_TRY(BI_GRAPH_STEP(b, write_back, g->arcs - g->m, writer));
    return b->ctx->backend->sync(b->ctx);
}

bosc_status bi_graph_write_rows(struct bi_graph_build *b, const bosc_graph *graph)
{
    struct bi_graph_arc_writer writer;
    int64_t backs;
    BI_TRY(build_halves(b, &writer, &backs));
    BI_TRY(count_graph(b, &writer.halves, backs));
    if (!b->is_64bit && bosc_dtype_size(graph->opts.weight) == 4)
        BI_TRY(bi_scratch_of(b->ctx, b->edges.count, 3 * sizeof(uint32_t), (void **)&writer.shared));
    BI_TRY(bi_graph_reserve_blocks(b->ctx, graph, b->entries.n, b->entries.m, b->next));
    return write_arcs(b, &writer);
}
