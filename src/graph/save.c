/* Writes graphs: the same bytes on every backend. */
#include "core/call.h"
#include "graph/save.h"

#include <string.h>

static bosc_status write_header(struct bi_saver *s, const bosc_graph *graph)
{
    const bosc_graph_opts *o = &graph->opts;
    struct bi_graph_header h = {.version = BI_GRAPH_SAVE_VERSION,
                                .weight = (uint32_t)o->weight,
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
    memcpy(h.magic, BI_GRAPH_SAVE_MAGIC, sizeof h.magic);
    h.hash = bi_xxh3(&h, offsetof(struct bi_graph_header, hash));
    return bi_save_bytes(s, &h, sizeof h);
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
