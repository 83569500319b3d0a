/* Lists of edges as (key, id) during a build: selected, checked and sorted. */
#include "graph/drivers.h"

bosc_status bi_graph_clear_result(struct bi_graph_build *b, int byte)
{
    return b->ctx->backend->fill(b->ctx, b->result, byte, 64);
}

bosc_status bi_graph_select_edges(struct bi_graph_build *b, const void *all_ids, const uint8_t *flags,
                                  struct bi_graph_edge_list *list)
{
    BI_TRY(b->ctx->backend->core->compact(b->ctx, bi_graph_word_bytes(b), all_ids, flags, b->entries.m, list->ids,
                                          b->result));
    BI_TRY(bi_read_back(b->ctx, &list->count, b->result, sizeof list->count));
    struct bi_graph_edge_keys keys = {b->entries, list->ids, b->is_64bit, b->bits, list->keys};
    return BI_GRAPH_STEP(b, edge_keys, list->count, &keys);
}

bosc_status bi_graph_read_order(struct bi_graph_build *b, const struct bi_graph_edge_list *list, uint32_t *found)
{
    struct bi_graph_check_order check = {list->keys, list->ids, b->is_64bit, b->bits, b->result};
    BI_TRY(bi_graph_clear_result(b, 0));
    BI_TRY(BI_GRAPH_STEP(b, check_order, list->count, &check));
    return bi_read_back(b->ctx, found, b->result, sizeof *found);
}

bosc_status bi_graph_sort_by_key(struct bi_graph_build *b, const struct bi_graph_edge_list *from,
                                 const struct bi_graph_edge_list *to, uint32_t order)
{
    return b->ctx->backend->core->sort_pairs(b->ctx, BOSC_U64, from->keys, bi_graph_word_bytes(b), from->ids,
                                             from->count, to->keys, to->ids, order & BI_GRAPH_LARGER_FALL ? 0 : b->bits,
                                             2 * b->bits);
}
