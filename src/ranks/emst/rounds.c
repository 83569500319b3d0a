/* Boruvka's rounds over ranks. The components are replicated; their points and edges are not. In each round the point
 * of each component that is nearest to another shard asks for its nearest foreign point; then all ranks know how long
 * an edge of each component need be at most, and all points ask to which a foreign one may be so near. */
#include "base/bits.h"
#include "core/call.h"
#include "ranks/emst/emst.h"

struct rounds {
    struct bi_ranks_emst *e;
    struct bi_ranks_emst_components c;
    uint32_t *shard_labels; /* by rank: the one component of its points, or BI_FOREST_NONE */
    uint32_t *label_ends;   /* two: the least and the greatest of this rank's points */
    int64_t *offsets;       /* (ranks + 1), host */
};

/* ---- the least of all ranks ---- */

/* Items of `size` bytes, ranks x each. */
static bosc_status exchange(const struct rounds *s, size_t size, const void *sent, void *received)
{
    for (int64_t r = 0; r <= s->c.ranks; r++) s->offsets[r] = r * s->c.each * (int64_t)size;
    return bi_comm_all_to_all(s->e->ctx, s->e->comm, false, sent, s->offsets, received, s->offsets);
}

/* c.best become the least that ranks have. *local_status is how this rank is: all go on. */
static bosc_status share_lengths(struct rounds *s, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = s->e;
    struct bi_ranks_emst_components *c = &s->c;
    const struct bi_ranks_emst_least least = {c->other_records, c->each, (int32_t)c->ranks, c->records};
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange(s, sizeof *c->best, c->best, c->other_records);
    if (*local_status == BOSC_OK) *local_status = e->steps->emst_least(e->ctx, c->each, &least);
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange(s, sizeof *c->best, c->records, c->best);
    return BOSC_OK;
}

/* c.records become those of all ranks' edges. Likewise. */
static bosc_status share_records(struct rounds *s, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = s->e;
    struct bi_ranks_emst_components *c = &s->c;
    const size_t size = (size_t)bi_ranks_record_words(true) * sizeof *c->records;
    const struct bi_ranks_forest_least least = {c->other_records, c->each, (int32_t)c->ranks, true, c->records};
    uint64_t *records = c->records;
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange(s, size, c->records, c->other_records);
    if (*local_status == BOSC_OK) *local_status = e->steps->forest_least(e->ctx, c->each, &least);
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    *local_status = exchange(s, size, c->records, c->other_records);
    c->records = c->other_records;
    c->other_records = records;
    return BOSC_OK;
}

/* ---- labels of shards ---- */

/* *label = the component of all of this rank's points, if they are in one. */
static bosc_status find_label(const struct rounds *s, uint32_t *label)
{
    const struct bi_ranks_emst *e = s->e;
    uint32_t ends[2];
    *label = BI_FOREST_NONE;
    if (e->n == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(e->ctx, e->core->reduce(e->ctx, BOSC_MIN, BOSC_U32, e->points.label, e->n, s->label_ends));
    BI_TRY_WITH_SCRATCH(e->ctx, e->core->reduce(e->ctx, BOSC_MAX, BOSC_U32, e->points.label, e->n, s->label_ends + 1));
    BI_TRY(bi_read_back(e->ctx, ends, s->label_ends, sizeof ends));
    if (ends[0] == ends[1]) *label = ends[0];
    return BOSC_OK;
}

static bosc_status share_label(const struct rounds *s, bosc_status *local_status)
{
    const struct bi_ranks_emst *e = s->e;
    uint32_t label = BI_FOREST_NONE;
    if (*local_status == BOSC_OK) *local_status = find_label(s, &label);
    BI_TRY(bi_comm_agree(e->ctx, e->comm, *local_status));
    BI_TRY(bi_comm_all_gather(e->ctx, e->comm, &label, sizeof label, e->comm->gather));
    *local_status = e->ctx->backend->copy(e->ctx, s->shard_labels, e->comm->gather, (size_t)s->c.ranks * sizeof label);
    if (*local_status == BOSC_OK) *local_status = e->ctx->backend->sync(e->ctx);
    return BOSC_OK;
}

/* ---- rounds ---- */

/* The edges of a round are known, as far as any component needs them. */
static bosc_status find_edges(struct rounds *s, bosc_status *local_status)
{
    BI_TRY(share_label(s, local_status));
    if (*local_status == BOSC_OK) *local_status = bi_ranks_emst_shortest(s->e, &s->c);
    BI_TRY(bi_ranks_emst_ask(s->e, &s->c, s->shard_labels, true, local_status));
    if (*local_status == BOSC_OK) *local_status = bi_ranks_emst_shortest(s->e, &s->c);
    BI_TRY(share_lengths(s, local_status));
    return bi_ranks_emst_ask(s->e, &s->c, s->shard_labels, false, local_status);
}

/* Joins the components; this rank lists the edges of its share of them. */
static bosc_status join(struct rounds *s, struct bi_ranks_emst_found *found)
{
    const int64_t first = s->e->comm->rank * s->c.each, end = first + s->c.each;
    return bi_ranks_emst_join(s->e, &s->c, first, end < s->c.count ? end : s->c.count, found);
}

static bosc_status run(struct rounds *s, bosc_status local_status, struct bi_ranks_emst_found *found)
{
    for (;;) {
        BI_TRY(bi_comm_agree(s->e->ctx, s->e->comm, local_status));
        if (s->c.count == 1) return BOSC_OK;
        BI_TRY(find_edges(s, &local_status));
        if (local_status == BOSC_OK) local_status = bi_ranks_emst_record(s->e, &s->c);
        BI_TRY(share_records(s, &local_status));
        if (local_status == BOSC_OK) local_status = join(s, found);
    }
}

/* Takes scratch for the components of all ranks, of which this one's are numbered from `first` on. */
static bosc_status start(struct rounds *s, int64_t components, int64_t first, int64_t count)
{
    const struct bi_ranks_emst *e = s->e;
    struct bi_ranks_emst_number number = {NULL, (uint32_t)first};
    BI_TRY(bi_scratch_of(e->ctx, e->comm->rank_count, sizeof *s->shard_labels, &s->shard_labels));
    BI_TRY(bi_scratch_of(e->ctx, 2, sizeof *s->label_ends, &s->label_ends));
    BI_TRY(bi_ranks_emst_take(e, components, e->comm->rank_count, &s->c));
    number.next = s->c.next;
    BI_TRY(e->steps->emst_number(e->ctx, count, &number));
    return bi_ranks_emst_rename(s->e, &s->c);
}

bosc_status bi_ranks_emst_run_rounds(struct bi_ranks_emst *e, bosc_status local_status, int64_t count,
                                     struct bi_ranks_emst_found *found)
{
    enum { ROUNDS = 33 };
    const int32_t ranks = e->comm->rank_count;
    const size_t bytes = (size_t)(ranks + 1) * sizeof(int64_t), record = (size_t)bi_ranks_record_words(true) * 8;
    struct rounds s = {.e = e};
    int64_t first, components;
    *found = (struct bi_ranks_emst_found){.count = 0};
    BI_TRY(bi_comm_offset(e->ctx, e->comm, local_status, count, &first, &components));
    /* A rank lists at most its share of a round's components, which halve in each. */
    local_status = bi_scratch_of(e->ctx, 2 * bi_div_up(components, ranks) + ROUNDS, record, &found->records);
    if (local_status == BOSC_OK && !(s.offsets = bi_host_alloc(e->ctx, bytes))) local_status = BOSC_ERR_NOMEM;
    const struct bi_mark before = bi_arena_mark(e->ctx);
    if (local_status == BOSC_OK) local_status = start(&s, components, first, count);
    const bosc_status status = run(&s, local_status, found);
    bi_arena_rewind(e->ctx, before);
    bi_memory_release(&e->ctx->host, s.offsets, bytes);
    return status;
}
