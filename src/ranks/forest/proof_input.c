/* The input of a proof: each edge is found on the rank that has it; all edges may then be replicated. */
#include "core/call.h"
#include "ranks/forest/proof.h"

/* ---- edges to the ranks that have them ---- */

/* Sorts the input ids. */
static bosc_status sort_input_ids(struct bi_ranks_msf_proof *p, uint64_t **ids)
{
    const bool is_64bit = p->slice->view.id_bits == 64;
    const void *input;
    bool staged = false;
    uint64_t *unsorted;
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof **ids, ids));
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof **ids, &unsorted));
    BI_TRY(bi_stage_in(p->ctx, p->input, (size_t)p->count * (is_64bit ? 8 : 4), &input, &staged));
    const struct bi_ranks_forest_read_ids args = {input, is_64bit, p->slice->entries, unsorted,
                                                  p->faults + BI_RANKS_MSF_ABSENT};
    BI_TRY(p->steps->forest_read_ids(p->ctx, p->count, &args));
    if (p->count == 0) return BOSC_OK;
    return p->core->sort_keys(p->ctx, BOSC_U64, unsorted, p->count, *ids, 0, 64);
}

/* counts[r] = number of the ids that rank r has; every id belongs to some rank. */
static bosc_status count_by_owner(struct bi_ranks_msf_proof *p, const uint64_t *ids, int64_t *counts)
{
    const int64_t queries = (int64_t)p->comm->rank_count + 1;
    const size_t bytes = (size_t)queries * sizeof *counts;
    void *entry_begins, *positions;
    for (int64_t r = 0; r < queries; r++) counts[r] = 0;
    if (p->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(p->ctx, bytes, &entry_begins));
    BI_TRY(bi_scratch(p->ctx, bytes, &positions));
    BI_TRY(p->ctx->backend->copy(p->ctx, entry_begins, p->slice->entry_begins, bytes));
    BI_TRY(p->core->search_sorted(p->ctx, BOSC_U64, ids, p->count, entry_begins, queries, positions));
    BI_TRY(p->ctx->backend->copy(p->ctx, counts, positions, bytes));
    BI_TRY(p->ctx->backend->sync(p->ctx));
    for (int64_t r = 0; r + 1 < queries; r++) counts[r] = counts[r + 1] - counts[r];
    return BOSC_OK;
}

/* Looks up this rank's edges by all ids that the ranks sent. */
static bosc_status look_up_edges(struct bi_ranks_msf_proof *p, const uint64_t *received,
                                 struct bi_ranks_msf_input *input)
{
    const int64_t count = input->own.count;
    uint64_t *ids;
    uint8_t *found;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(p->ctx, count, sizeof *ids, &ids));
    BI_TRY(bi_scratch(p->ctx, (size_t)count, (void **)&found));
    BI_TRY(p->core->sort_keys(p->ctx, BOSC_U64, received, count, ids, 0, 64));
    BI_TRY(bi_ranks_forest_index(p->ctx, p->slice, ids, count, &input->words));
    BI_TRY(bi_ranks_forest_fetch(p->ctx, p->slice, input->words, ids, count, &input->own, found));
    const struct bi_ranks_forest_check_ids check = {ids, found, p->faults + BI_RANKS_MSF_ABSENT,
                                                    p->faults + BI_RANKS_MSF_REPEATED};
    return p->steps->forest_check_ids(p->ctx, count, &check);
}

bosc_status bi_ranks_msf_find_input(struct bi_ranks_msf_proof *p, struct bi_ranks_msf_input *input)
{
    uint64_t *ids = NULL, *received = NULL;
    int64_t *counts = p->slice->counts;
    /* 1. Sort the ids; stop if one is out of range. 2. Send each to the rank of its entry. 3. Look it up there. */
    bosc_status local_status = sort_input_ids(p, &ids);
    BI_TRY(bi_ranks_msf_reduce_faults(p, local_status));
    if (!bi_ranks_msf_is_valid(p)) return BOSC_OK;
    local_status = count_by_owner(p, ids, counts);
    BI_TRY(bi_exchange_begin(p->ctx, p->comm, local_status, counts, &p->exchange));
    local_status = bi_ranks_forest_allocate_edges(p->ctx, p->exchange.received, &input->own);
    if (local_status == BOSC_OK)
        local_status = bi_scratch_of(p->ctx, p->exchange.received, sizeof *received, &received);
    BI_TRY(bi_exchange_items(p->ctx, p->comm, local_status, &p->exchange, sizeof *ids, ids, received));
    bi_exchange_end(p->ctx, &p->exchange);
    return bi_ranks_msf_reduce_faults(p, look_up_edges(p, received, input));
}

/* ---- replication ---- */

/* Copies the items once for each rank. */
static bosc_status copy_per_rank(struct bi_ranks_msf_proof *p, const void *items, size_t bytes, void *copies)
{
    for (int32_t r = 0; r < p->comm->rank_count && bytes; r++)
        BI_TRY(p->ctx->backend->copy(p->ctx, (char *)copies + (size_t)r * bytes, items, bytes));
    return BOSC_OK;
}

static bosc_status allocate_and_copy(struct bi_ranks_msf_proof *p, const struct bi_ranks_edges *own,
                                     struct bi_ranks_edges *copies, struct bi_ranks_edges *all)
{
    BI_TRY(bi_ranks_forest_allocate_edges(p->ctx, p->exchange.received, all));
    BI_TRY(bi_ranks_forest_allocate_edges(p->ctx, p->exchange.sent, copies));
    BI_TRY(copy_per_rank(p, own->edges, (size_t)own->count * sizeof *own->edges, copies->edges));
    return copy_per_rank(p, own->ranks, (size_t)own->count * sizeof *own->ranks, copies->ranks);
}

static bosc_status replicate_edges(struct bi_ranks_msf_proof *p, const struct bi_ranks_edges *own)
{
    struct bi_ranks_edges copies, all;
    int64_t *counts = p->slice->counts;
    for (int32_t r = 0; r < p->comm->rank_count; r++) counts[r] = own->count;
    BI_TRY(bi_exchange_begin(p->ctx, p->comm, BOSC_OK, counts, &p->exchange));
    bosc_status local_status = allocate_and_copy(p, own, &copies, &all);
    BI_TRY(bi_exchange_items(p->ctx, p->comm, local_status, &p->exchange, sizeof *all.edges, copies.edges, all.edges));
    BI_TRY(bi_exchange_items(p->ctx, p->comm, local_status, &p->exchange, sizeof *all.ranks, copies.ranks, all.ranks));
    bi_exchange_end(p->ctx, &p->exchange);
    return bi_comm_agree(p->ctx, p->comm, bi_ranks_forest_sort(p->ctx, p->slice, &all, &p->edges));
}

bosc_status bi_ranks_msf_replicate_input(struct bi_ranks_msf_proof *p, const struct bi_ranks_edges *own)
{
    BI_RETURN_WITH_SCRATCH(p->ctx, replicate_edges(p, own));
}
