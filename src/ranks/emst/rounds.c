/* Boruvka's rounds over ranks with replicated components; points and edges are not. In each round one point per
 * component, the nearest to another shard, queries for its nearest foreign point. The ranks then know an upper bound
 * of each component's shortest edge, and all points that may be as near query. */
#include "base/bits.h"
#include "core/call.h"
#include "ranks/emst/emst.h"

struct round_state {
    struct bi_ranks_emst *e;
    struct bi_ranks_emst_components c;
    uint32_t *shard_labels; /* by rank: the one component of its points, or BI_FOREST_NONE */
    uint32_t *label_range;  /* two: the least and the greatest label of this rank's points */
    int64_t *offsets;       /* (ranks + 1), host */
};

/* ---- minima over ranks ---- */

/* Exchanges items of `size` bytes, `each` for each rank. */
static bosc_status exchange_items(const struct round_state *s, size_t size, const void *sent, void *received)
{
    for (int64_t r = 0; r <= s->c.ranks; r++) s->offsets[r] = r * s->c.each * (int64_t)size;
    return bi_comm_all_to_all(s->e->ctx, s->e->comm, false, sent, s->offsets, received, s->offsets);
}

/* Reduces c.best to the minima over ranks. *local_status: this rank's own status; all ranks continue. */
static bosc_status reduce_lengths(struct round_state *s, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = s->e;
    struct bi_ranks_emst_components *c = &s->c;
    const struct bi_ranks_emst_min_words least = {c->other_records, c->each, (int32_t)c->ranks, c->records};
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange_items(s, sizeof *c->best, c->best, c->other_records);
    if (*local_status == BOSC_OK) *local_status = e->steps->emst_min_words(e->ctx, c->each, &least);
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange_items(s, sizeof *c->best, c->records, c->best);
    return BOSC_OK;
}

/* Reduces c.records over all ranks. Likewise. */
static bosc_status reduce_records(struct round_state *s, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = s->e;
    struct bi_ranks_emst_components *c = &s->c;
    const size_t size = (size_t)bi_ranks_record_words(true) * sizeof *c->records;
    const struct bi_ranks_forest_min_record least = {c->other_records, c->each, (int32_t)c->ranks, true, c->records};
    uint64_t *records = c->records;
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange_items(s, size, c->records, c->other_records);
    if (*local_status == BOSC_OK) *local_status = e->steps->forest_min_record(e->ctx, c->each, &least);
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange_items(s, size, c->records, c->other_records);
    c->records = c->other_records;
    c->other_records = records;
    return BOSC_OK;
}

/* ---- labels of shards ---- */

/* *label = the component of all of this rank's points, if they are in one. */
static bosc_status find_shard_label(const struct round_state *s, uint32_t *label)
{
    const struct bi_ranks_emst *e = s->e;
    uint32_t range[2];
    *label = BI_FOREST_NONE;
    if (e->n == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(e->ctx, e->core->reduce(e->ctx, BOSC_MIN, BOSC_U32, e->points.label, e->n, s->label_range));
    BI_TRY_WITH_SCRATCH(e->ctx, e->core->reduce(e->ctx, BOSC_MAX, BOSC_U32, e->points.label, e->n, s->label_range + 1));
    BI_TRY(bi_read_back(e->ctx, range, s->label_range, sizeof range));
    if (range[0] == range[1]) *label = range[0];
    return BOSC_OK;
}

static bosc_status gather_shard_labels(const struct round_state *s, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = s->e;
    uint32_t label = BI_FOREST_NONE;
    if (*local_status == BOSC_OK) *local_status = find_shard_label(s, &label);
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    BI_TRY(bi_comm_all_gather(e->ctx, e->comm, &label, sizeof label, e->comm->gather));
    *local_status = e->ctx->backend->copy(e->ctx, s->shard_labels, e->comm->gather, (size_t)s->c.ranks * sizeof label);
    if (*local_status == BOSC_OK) *local_status = e->ctx->backend->sync(e->ctx);
    return BOSC_OK;
}

/* ---- rounds ---- */

/* Finds a round's edges, as far as any component needs them. */
static bosc_status find_edges(struct round_state *s, bosc_status *local_status)
{
    BI_TRY(gather_shard_labels(s, local_status));
    if (*local_status == BOSC_OK) *local_status = bi_ranks_emst_find_shortest(s->e, &s->c);
    /* 1. One point per component queries: this bounds the shortest edge of every component. */
    BI_TRY(bi_ranks_emst_query_shards(s->e, &s->c, s->shard_labels, true, local_status));
    if (*local_status == BOSC_OK) *local_status = bi_ranks_emst_find_shortest(s->e, &s->c);
    /* 2. With the bounds of all ranks, all points within their bound query. */
    BI_TRY(reduce_lengths(s, local_status));
    return bi_ranks_emst_query_shards(s->e, &s->c, s->shard_labels, false, local_status);
}

/* Contracts the components; this rank lists the edges of its share of them. */
static bosc_status contract_components(struct round_state *s, struct bi_ranks_emst_found *found)
{
    const int64_t first = s->e->comm->rank * s->c.each, limit = first + s->c.each;
    return bi_ranks_emst_merge_components(s->e, &s->c, first, limit < s->c.count ? limit : s->c.count, found);
}

static bosc_status run_rounds(struct round_state *s, bosc_status local_status, struct bi_ranks_emst_found *found)
{
    for (;;) {
        BI_TRY(bi_comm_agree(s->e->ctx, s->e->comm, local_status));
        if (s->c.count == 1) return BOSC_OK;
        BI_TRY(find_edges(s, &local_status));
        if (local_status == BOSC_OK) local_status = bi_ranks_emst_record_edges(s->e, &s->c);
        BI_TRY(reduce_records(s, &local_status));
        if (local_status == BOSC_OK) local_status = contract_components(s, found);
    }
}

/* Allocates the components of all ranks. This rank's are numbered from `first` on. */
static bosc_status init_rounds(struct round_state *s, int64_t components, int64_t first, int64_t count)
{
    const struct bi_ranks_emst *e = s->e;
    struct bi_ranks_emst_number_components number = {NULL, (uint32_t)first};
    BI_TRY(bi_scratch_of(e->ctx, e->comm->rank_count, sizeof *s->shard_labels, &s->shard_labels));
    BI_TRY(bi_scratch_of(e->ctx, 2, sizeof *s->label_range, &s->label_range));
    BI_TRY(bi_ranks_emst_allocate(e, components, e->comm->rank_count, &s->c));
    number.next = s->c.next;
    BI_TRY(e->steps->emst_number_components(e->ctx, count, &number));
    return bi_ranks_emst_relabel(s->e, &s->c);
}

bosc_status bi_ranks_emst_run_rounds(struct bi_ranks_emst *e, bosc_status local_status, int64_t count,
                                     struct bi_ranks_emst_found *found)
{
    enum { ROUNDS = 33 }; /* fewer than 2^32 components; rounding up of each round's share */
    const int32_t ranks = e->comm->rank_count;
    const size_t bytes = (size_t)(ranks + 1) * sizeof(int64_t), record = (size_t)bi_ranks_record_words(true) * 8;
    struct round_state s = {.e = e};
    int64_t first, components;
    *found = (struct bi_ranks_emst_found){.count = 0};
    BI_TRY(bi_comm_offset(e->ctx, e->comm, local_status, count, &first, &components));
    /* A rank lists at most its share of each round's components, which at least halve. */
    local_status = bi_scratch_of(e->ctx, 2 * bi_div_up(components, ranks) + ROUNDS, record, &found->records);
    if (local_status == BOSC_OK && !(s.offsets = bi_host_alloc(e->ctx, bytes))) local_status = BOSC_ERR_NOMEM;
    const struct bi_mark mark = bi_arena_mark(e->ctx);
    if (local_status == BOSC_OK) local_status = init_rounds(&s, components, first, count);
    const bosc_status status = run_rounds(&s, local_status, found);
    bi_arena_rewind(e->ctx, mark);
    bi_memory_release(&e->ctx->host, s.offsets, bytes);
    return status;
}
