/* The edges that a proof is given: each is found on the rank that has it, and then all ranks may get all. */
#include "core/call.h"
#include "ranks/forest/proof.h"

/* ---- the edges given go to the ranks that have them ---- */

/* The ids, ascending. */
static bosc_status read_given(struct bi_ranks_msf_proof *p, uint64_t **ids)
{
    const bool wide = p->part->view.id_bits == 64;
    const void *given;
    bool staged = false;
    uint64_t *unsorted;
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof **ids, ids));
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof **ids, &unsorted));
    BI_TRY(bi_stage_in(p->ctx, p->given, (size_t)p->count * (wide ? 8 : 4), &given, &staged));
    const struct bi_ranks_forest_given args = {given, wide, p->part->entries, unsorted,
                                               p->faults + BI_RANKS_MSF_ABSENT};
    BI_TRY(p->steps->forest_given(p->ctx, p->count, &args));
    if (p->count == 0) return BOSC_OK;
    return p->core->sort_keys(p->ctx, BOSC_U64, unsorted, p->count, *ids, 0, 64);
}

/* How many of the ids, which all ranks together have, each rank has. */
static bosc_status count_by_owner(struct bi_ranks_msf_proof *p, const uint64_t *ids, int64_t *counts)
{
    const int64_t queries = (int64_t)p->comm->rank_count + 1;
    const size_t bytes = (size_t)queries * sizeof *counts;
    void *firsts, *places;
    for (int64_t r = 0; r < queries; r++) counts[r] = 0;
    if (p->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(p->ctx, bytes, &firsts));
    BI_TRY(bi_scratch(p->ctx, bytes, &places));
    BI_TRY(p->ctx->backend->copy(p->ctx, firsts, p->part->firsts, bytes));
    BI_TRY(p->core->search_sorted(p->ctx, BOSC_U64, ids, p->count, firsts, queries, places));
    BI_TRY(p->ctx->backend->copy(p->ctx, counts, places, bytes));
    BI_TRY(p->ctx->backend->sync(p->ctx));
    for (int64_t r = 0; r + 1 < queries; r++) counts[r] = counts[r + 1] - counts[r];
    return BOSC_OK;
}

/* Looks this rank's edges up, which are all that have these ids. */
static bosc_status look_up(struct bi_ranks_msf_proof *p, const uint64_t *received, struct bi_ranks_msf_given *given)
{
    const int64_t count = given->own.count;
    uint64_t *ids;
    uint8_t *found;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(p->ctx, count, sizeof *ids, &ids));
    BI_TRY(bi_scratch(p->ctx, (size_t)count, (void **)&found));
    BI_TRY(p->core->sort_keys(p->ctx, BOSC_U64, received, count, ids, 0, 64));
    BI_TRY(bi_ranks_forest_index(p->ctx, p->part, ids, count, &given->words));
    BI_TRY(bi_ranks_forest_fetch(p->ctx, p->part, given->words, ids, count, &given->own, found));
    const struct bi_ranks_forest_look look = {ids, found, p->faults + BI_RANKS_MSF_ABSENT,
                                              p->faults + BI_RANKS_MSF_REPEATED};
    return p->steps->forest_look(p->ctx, count, &look);
}

bosc_status bi_ranks_msf_find_given(struct bi_ranks_msf_proof *p, struct bi_ranks_msf_given *given)
{
    uint64_t *ids = NULL, *received = NULL;
    int64_t *counts = p->part->numbers;
    bosc_status local_status = read_given(p, &ids);
    BI_TRY(bi_ranks_msf_share_faults(p, local_status));
    if (!bi_ranks_msf_is_right(p)) return BOSC_OK;
    local_status = count_by_owner(p, ids, counts);
    BI_TRY(bi_exchange_begin(p->ctx, p->comm, local_status, counts, &p->exchange));
    local_status = bi_ranks_forest_take_edges(p->ctx, p->exchange.received, &given->own);
    if (local_status == BOSC_OK)
        local_status = bi_scratch_of(p->ctx, p->exchange.received, sizeof *received, &received);
    BI_TRY(bi_exchange_items(p->ctx, p->comm, local_status, &p->exchange, sizeof *ids, ids, received));
    bi_exchange_end(p->ctx, &p->exchange);
    return bi_ranks_msf_share_faults(p, look_up(p, received, given));
}

/* ---- all ranks get all edges given ---- */

/* The items as often as there are ranks. */
static bosc_status repeat(struct bi_ranks_msf_proof *p, const void *items, size_t bytes, void *copies)
{
    for (int32_t r = 0; r < p->comm->rank_count && bytes; r++)
        BI_TRY(p->ctx->backend->copy(p->ctx, (char *)copies + (size_t)r * bytes, items, bytes));
    return BOSC_OK;
}

static bosc_status take_and_repeat(struct bi_ranks_msf_proof *p, const struct bi_ranks_edges *own,
                                   struct bi_ranks_edges *copies, struct bi_ranks_edges *all)
{
    BI_TRY(bi_ranks_forest_take_edges(p->ctx, p->exchange.received, all));
    BI_TRY(bi_ranks_forest_take_edges(p->ctx, p->exchange.sent, copies));
    BI_TRY(repeat(p, own->edges, (size_t)own->count * sizeof *own->edges, copies->edges));
    return repeat(p, own->ranks, (size_t)own->count * sizeof *own->ranks, copies->ranks);
}

static bosc_status replicate(struct bi_ranks_msf_proof *p, const struct bi_ranks_edges *own)
{
    struct bi_ranks_edges copies, all;
    int64_t *counts = p->part->numbers;
    for (int32_t r = 0; r < p->comm->rank_count; r++) counts[r] = own->count;
    BI_TRY(bi_exchange_begin(p->ctx, p->comm, BOSC_OK, counts, &p->exchange));
    bosc_status local_status = take_and_repeat(p, own, &copies, &all);
    BI_TRY(bi_exchange_items(p->ctx, p->comm, local_status, &p->exchange, sizeof *all.edges, copies.edges, all.edges));
    BI_TRY(bi_exchange_items(p->ctx, p->comm, local_status, &p->exchange, sizeof *all.ranks, copies.ranks, all.ranks));
    bi_exchange_end(p->ctx, &p->exchange);
    return bi_comm_agree(p->ctx, p->comm, bi_ranks_forest_sort(p->ctx, p->part, &all, &p->edges));
}

bosc_status bi_ranks_msf_replicate(struct bi_ranks_msf_proof *p, const struct bi_ranks_edges *own)
{
    BI_RETURN_WITH_SCRATCH(p->ctx, replicate(p, own));
}
