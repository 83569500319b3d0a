/* Writes graphs, the same bytes on every backend, and reads them. A file is not trusted: arrays grow by slices that
 * were really read, the checksum must match, and every offset, neighbour, id and weight is checked before use. */
#include "base/bits.h"
#include "core/call.h"
#include "graph/drivers.h"
#include "graph/save.h"
#include "graph/view.h"

/* ---- writing ---- */

static bosc_status write_header(struct bi_saver *s, const bosc_graph *graph)
{
    const bosc_graph_opts *o = &graph->opts;
    struct bi_graph_header h = {.weight = (uint32_t)o->weight,
                                .id_bits = (uint32_t)o->id_bits,
                                .arcs_are = (uint32_t)o->arcs,
                                .parallel = (uint32_t)o->parallel,
                                .nan = (uint32_t)o->nan,
                                .n = graph->n,
                                .entries = graph->entries,
                                .m = graph->m,
                                .arcs = graph->arcs};
    h.flags = (graph->is_64bit ? BI_GRAPH_SAVE_WIDE : 0) | (o->drop_loops ? BI_GRAPH_SAVE_DROP_LOOPS : 0) |
              (o->wide ? BI_GRAPH_SAVE_ALWAYS_WIDE : 0);
    return bi_save_header(s, &h, sizeof h, BI_GRAPH_SAVE_MAGIC, BI_GRAPH_SAVE_VERSION);
}

static bosc_status write_graph(struct bi_saver *s, const void *structure)
{
    const bosc_graph *graph = structure;
    bosc_ctx *ctx = s->ctx;
    size_t arcs = (size_t)graph->arcs, word = graph->is_64bit ? 8 : 4, size = bosc_dtype_size(graph->opts.weight);
    const void *offsets = graph->offsets.data;
    void *weights, *zero;
    bi_progress_set_total(ctx, (double)arcs +
                                   bi_save_items((size_t)graph->n * word + arcs * (sizeof(uint32_t) + size + word)));
    BI_TRY(bi_scratch(ctx, arcs * size, &weights));
    BI_TRY(bi_scratch(ctx, sizeof(uint64_t), &zero));
    struct bi_graph_copy_weights copy = {graph->keys.data, graph->opts.weight, weights};
    BI_TRY(ctx->ops->graph->steps->graph_copy_weights(ctx, graph->arcs, &copy));
    if (graph->n == 0) { /* it may have no offsets yet */
        BI_TRY(ctx->backend->fill(ctx, zero, 0, sizeof(uint64_t)));
        offsets = zero;
    }
    BI_TRY(write_header(s, graph));
    BI_TRY(bi_save_padded(s, offsets, ((size_t)graph->n + 1) * word));
    BI_TRY(bi_save_padded(s, graph->neighbours.data, arcs * sizeof(uint32_t)));
    BI_TRY(bi_save_padded(s, weights, arcs * size));
    return bi_save_padded(s, graph->edge_ids.data, arcs * word);
}

bosc_status bosc_graph_write(bosc_ctx *ctx, const bosc_graph *graph, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    return bi_save(ctx, write, user, write_graph, graph);
}

/* ---- reading ---- */

enum { OFFSETS, NEIGHBOURS, WEIGHTS, IDS, ARRAYS };

struct reader {
    struct bi_loader loader; /* must be first: core/save.h */
    struct bi_graph_header header;
    struct bi_loaded arrays[ARRAYS];
    uint32_t *found; /* scratch: fault bits or results of steps */
};

static bosc_status malformed(struct reader *r, const char *reason) { return bi_load_malformed(&r->loader, reason); }

static bosc_status check_sizes(struct bi_loader *l, const struct bi_graph_header *h)
{
    int64_t most = h->flags & BI_GRAPH_SAVE_WIDE ? (int64_t)1 << 41 : (int64_t)UINT32_MAX;
    if (h->n < 0 || h->n >= (int64_t)UINT32_MAX) return bi_load_malformed(l, "its vertices are out of range");
    if (h->entries < 0 || h->entries >= (int64_t)1 << 40 || h->entries >= most)
        return bi_load_malformed(l, "its entries are out of range");
    if (h->id_bits == 32 && h->entries >= (int64_t)UINT32_MAX)
        return bi_load_malformed(l, "its ids do not fit 32 bits");
    if (h->m < 0 || h->m > h->entries || h->arcs < h->m || h->arcs > 2 * h->m || h->arcs >= most ||
        (h->n == 0 && h->m > 0))
        return bi_load_malformed(l, "its number of arcs is out of range");
    return BOSC_OK;
}

bosc_status bi_graph_check_header(struct bi_loader *l, const struct bi_graph_header *h)
{
    uint64_t unused = h->reserved;
    for (int i = 0; i < 6; i++) unused |= h->unused[i];
    if (h->flags > BI_GRAPH_SAVE_FLAGS || unused) return bi_load_malformed(l, "the header has unknown flags");
    if (h->weight < BOSC_F32 || h->weight > BOSC_U64) return bi_load_malformed(l, "the type of its weights is unknown");
    if (h->id_bits != 32 && h->id_bits != 64) return bi_load_malformed(l, "its ids have neither 32 nor 64 bits");
    if (h->arcs_are > BOSC_GRAPH_ARCS_BOTH || h->parallel > BOSC_GRAPH_PARALLEL_FIRST || h->nan > BOSC_GRAPH_NAN_LAST)
        return bi_load_malformed(l, "its options are unknown");
    return check_sizes(l, h);
}

static bosc_status read_header(struct reader *r)
{
    BI_TRY(bi_load_header(&r->loader, &r->header, sizeof r->header, BI_GRAPH_SAVE_MAGIC, BI_GRAPH_SAVE_VERSION));
    return bi_graph_check_header(&r->loader, &r->header);
}

static bosc_status read_arrays(struct reader *r)
{
    const struct bi_graph_header *h = &r->header;
    size_t word = h->flags & BI_GRAPH_SAVE_WIDE ? 8 : 4, arcs = (size_t)h->arcs;
    size_t arc = sizeof(uint32_t) + bosc_dtype_size((bosc_dtype)h->weight) + word;
    bi_progress_set_total(r->loader.ctx, bi_save_items((size_t)h->n * word + arcs * arc));
    BI_TRY(bi_load_padded(&r->loader, &r->arrays[OFFSETS], ((size_t)h->n + 1) * word, "offsets"));
    BI_TRY(bi_load_padded(&r->loader, &r->arrays[NEIGHBOURS], arcs * sizeof(uint32_t), "neighbours"));
    BI_TRY(bi_load_padded(&r->loader, &r->arrays[WEIGHTS], arcs * bosc_dtype_size((bosc_dtype)h->weight), "weights"));
    BI_TRY(bi_load_padded(&r->loader, &r->arrays[IDS], arcs * word, "edge ids"));
    return bi_load_hash(&r->loader);
}

/* Moves an array to backend memory of the graph's, and frees the host's copy. */
static bosc_status move_array(struct reader *r, int which, const bosc_graph *graph, struct bi_block *block)
{
    struct bi_loaded *a = &r->arrays[which];
    if (a->bytes == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(r->loader.ctx, &graph->memory, block, a->bytes));
    BI_TRY(r->loader.ctx->backend->copy(r->loader.ctx, block->data, a->data, a->bytes));
    BI_TRY(r->loader.ctx->backend->sync(r->loader.ctx));
    bi_load_release(&r->loader, a);
    return BOSC_OK;
}

static bosc_status check_offsets(struct reader *r, const bosc_graph *graph)
{
    struct bi_graph_offsets_scan scan;
    BI_TRY(bi_graph_scan_offsets(r->loader.ctx, graph->offsets.data, graph->is_64bit, graph->n, (int64_t *)r->found,
                                 &scan));
    if (scan.first != 0 || scan.last != (uint64_t)graph->arcs || scan.bad != INT64_MAX)
        return malformed(r, "its offsets do not ascend from 0 to its arcs");
    return BOSC_OK;
}

static bosc_status read_found(struct reader *r, uint32_t *found)
{
    return bi_read_back(r->loader.ctx, found, r->found, sizeof *found);
}

static bosc_status encode_weights(struct reader *r, bosc_graph *graph)
{
    void *weights;
    struct bi_loaded *a = &r->arrays[WEIGHTS];
    BI_TRY(bi_scratch(r->loader.ctx, a->bytes, &weights));
    BI_TRY(bi_block_reserve(r->loader.ctx, &graph->memory, &graph->keys, a->bytes));
    if (a->bytes) BI_TRY(r->loader.ctx->backend->copy(r->loader.ctx, weights, a->data, a->bytes));
    struct bi_graph_encode_weights encode = {weights, graph->opts.weight, graph->opts.nan == BOSC_GRAPH_NAN_LAST,
                                             graph->keys.data, r->found};
    return r->loader.ctx->ops->graph->steps->graph_encode_weights(r->loader.ctx, graph->arcs, &encode);
}

bosc_status bi_graph_bad_arc(struct bi_loader *l, uint32_t found)
{
    if (found & BI_GRAPH_BAD_NEIGHBOUR) return bi_load_malformed(l, "a neighbour is out of range");
    if (found & BI_GRAPH_BAD_ID) return bi_load_malformed(l, "an edge id is out of range");
    if (found & BI_GRAPH_BAD_ORDER) return bi_load_malformed(l, "a row does not ascend");
    return found & BI_GRAPH_BAD_WEIGHT ? bi_load_malformed(l, "a weight is NaN") : BOSC_OK;
}

/* Checks that rows ascend and that every arc has its opposite. */
static bosc_status check_arcs(struct reader *r, const bosc_graph *graph)
{
    const struct bi_graph_steps *steps = r->loader.ctx->ops->graph->steps;
    struct bi_graph_check_arcs check = {
        .rows = bi_graph_csr_of(graph), .n = graph->n, .entries = graph->entries, .found = r->found};
    uint32_t found;
    void *row_of;
    BI_TRY(bi_scratch_of(r->loader.ctx, graph->arcs, sizeof(uint32_t), &row_of));
    BI_TRY(bi_graph_expand_rows(r->loader.ctx, graph->offsets.data, graph->is_64bit, graph->n, graph->arcs, row_of));
    check.row_of = row_of;
    BI_TRY(steps->graph_check_arcs(r->loader.ctx, graph->arcs, &check));
    BI_TRY(read_found(r, &found));
    BI_TRY(bi_graph_bad_arc(&r->loader, found));
    BI_TRY(steps->graph_check_partner(r->loader.ctx, graph->arcs, &check));
    BI_TRY(read_found(r, &found));
    return found ? malformed(r, "an arc lacks its way back") : BOSC_OK;
}

/* Checks that ids are distinct; records whether they ascend. If not, sorts them to find repetitions. */
static bosc_status check_ids(struct reader *r, bosc_graph *graph, const struct bi_graph_edges *edges)
{
    const struct bi_graph_steps *steps = r->loader.ctx->ops->graph->steps;
    struct bi_graph_check_ids check = {edges->ids, graph->is_64bit, r->found};
    uint32_t found;
    BI_TRY(steps->graph_check_ids(r->loader.ctx, edges->count, &check));
    BI_TRY(read_found(r, &found));
    graph->ids_in_order = !found;
    if (!found) return BOSC_OK;
    BI_TRY(r->loader.ctx->backend->fill(r->loader.ctx, r->found, 0, sizeof found));
    BI_TRY(r->loader.ctx->backend->core->sort_keys(r->loader.ctx, graph->is_64bit ? BOSC_U64 : BOSC_U32, edges->ids,
                                                   edges->count, edges->ids, 0,
                                                   bi_bit_length((uint64_t)graph->entries)));
    BI_TRY(steps->graph_check_ids(r->loader.ctx, edges->count, &check));
    BI_TRY(read_found(r, &found));
    return found ? malformed(r, "an edge id is repeated") : BOSC_OK;
}

/* Computes the counts that bosc_graph_get_info returns, for n > 0. r->found serves as memory for the five results. */
static bosc_status count_graph(struct reader *r, bosc_graph *graph, const struct bi_graph_edges *edges)
{
    bosc_ctx *ctx = r->loader.ctx;
    const struct bi_graph_steps *steps = ctx->ops->graph->steps;
    const struct bi_core_ops *core = ctx->backend->core;
    bosc_dtype type = graph->is_64bit ? BOSC_U64 : BOSC_U32;
    struct bi_graph_count_arcs count = {.rows = bi_graph_csr_of(graph), .row_of = edges->row_of, .arcs = edges->arcs};
    struct bi_graph_row_degrees degrees = {bi_graph_csr_of(graph), NULL};
    struct bi_graph_mark_isolated isolated;
    int64_t *result = (int64_t *)r->found, totals[5];
    /* 1. Degrees: least, greatest, and isolated vertices. */
    BI_TRY(bi_scratch_of(ctx, edges->count, graph->is_64bit ? 8 : 4, &count.flags));
    BI_TRY(bi_scratch_of(ctx, graph->n, sizeof(int64_t), (void **)&degrees.degrees));
    BI_TRY(bi_scratch_of(ctx, graph->n, sizeof(uint32_t), (void **)&isolated.isolated));
    isolated.degrees = degrees.degrees;
    BI_TRY(ctx->backend->fill(ctx, result, 0, sizeof totals));
    BI_TRY(steps->graph_row_degrees(ctx, graph->n, &degrees));
    BI_TRY(steps->graph_mark_isolated(ctx, graph->n, &isolated));
    BI_TRY(core->reduce(ctx, BOSC_MIN, BOSC_I64, degrees.degrees, graph->n, &result[0]));
    BI_TRY(core->reduce(ctx, BOSC_MAX, BOSC_I64, degrees.degrees, graph->n, &result[1]));
    BI_TRY(core->reduce(ctx, BOSC_SUM, BOSC_U32, isolated.isolated, graph->n, &result[2]));
    /* 2. Self loops, then parallel edges. */
    for (int parallel = 0; parallel < 2; parallel++) {
        count.parallel = parallel;
        BI_TRY(steps->graph_count_arcs(ctx, edges->count, &count));
        BI_TRY(core->reduce(ctx, BOSC_SUM, type, count.flags, edges->count, &result[3 + parallel]));
    }
    BI_TRY(bi_read_back(ctx, totals, result, sizeof totals));
    graph->least_degree = totals[0];
    graph->most_degree = totals[1];
    graph->isolated = totals[2];
    graph->loops = totals[3];
    graph->parallel = totals[4];
    return BOSC_OK;
}

/* Moves the arrays to the graph and checks them, each before another check relies on it. */
static bosc_status fill_graph(void *state, void *fresh)
{
    struct reader *r = state;
    bosc_graph *graph = fresh;
    const struct bi_graph_header *h = &r->header;
    struct bi_graph_edges edges;
    graph->n = h->n;
    graph->entries = h->entries;
    graph->m = h->m;
    graph->arcs = h->arcs;
    graph->is_64bit = h->flags & BI_GRAPH_SAVE_WIDE;
    BI_TRY(bi_scratch(r->loader.ctx, 64, (void **)&r->found));
    BI_TRY(move_array(r, OFFSETS, graph, &graph->offsets));
    BI_TRY(move_array(r, NEIGHBOURS, graph, &graph->neighbours));
    BI_TRY(move_array(r, IDS, graph, &graph->edge_ids));
    BI_TRY(check_offsets(r, graph));
    BI_TRY(r->loader.ctx->backend->fill(r->loader.ctx, r->found, 0, 64));
    BI_TRY(encode_weights(r, graph));
    BI_TRY(check_arcs(r, graph));
    BI_TRY(bi_graph_list_edges(r->loader.ctx, graph, &edges));
    if (edges.count != graph->m) return malformed(r, "its number of edges is wrong");
    BI_TRY(check_ids(r, graph, &edges));
    return graph->n > 0 ? count_graph(r, graph, &edges) : BOSC_OK;
}

static bosc_status parse_graph(void *state)
{
    struct reader *r = state;
    BI_TRY(read_header(r));
    return read_arrays(r);
}

static bosc_status create_graph(void *state, void **fresh)
{
    struct reader *r = state;
    const struct bi_graph_header *h = &r->header;
    bosc_graph_opts opts = {.size = sizeof opts,
                            .weight = (bosc_dtype)h->weight,
                            .id_bits = (int32_t)h->id_bits,
                            .arcs = (bosc_graph_arcs)h->arcs_are,
                            .parallel = (bosc_graph_parallel)h->parallel,
                            .nan = (bosc_graph_nan)h->nan,
                            .drop_loops = !!(h->flags & BI_GRAPH_SAVE_DROP_LOOPS),
                            .wide = !!(h->flags & BI_GRAPH_SAVE_ALWAYS_WIDE)};
    bosc_graph *graph;
    BI_TRY(bi_graph_new(r->loader.ctx, &opts, &graph));
    *fresh = graph;
    return BOSC_OK;
}

static void free_graph(void *fresh) { bosc_graph_free(fresh); }

bosc_status bosc_graph_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_graph **graph)
{
    static const struct bi_load_kind kind = {"graph", "saved graph", parse_graph, create_graph, fill_graph, free_graph};
    struct reader r = {0};
    BI_ENTER(ctx);
    return bi_load_structure(ctx, read, user, &kind, &r, r.arrays, ARRAYS, graph);
}
