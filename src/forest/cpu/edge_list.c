/* Allocation of edge lists. */
#include "forest/cpu/msf_state.h"

bosc_status bi_msf_edge_list_allocate(bosc_ctx *ctx, bool long_keys, int64_t capacity, struct bi_msf_edge_list *list)
{
    *list = (struct bi_msf_edge_list){.capacity = capacity};
    BI_TRY(bi_scratch_of(ctx, capacity, sizeof *list->words, (void **)&list->words));
    BI_TRY(bi_scratch_of(ctx, capacity, sizeof *list->ends, (void **)&list->ends));
    return long_keys ? bi_scratch_of(ctx, capacity, sizeof *list->ids, (void **)&list->ids) : BOSC_OK;
}
