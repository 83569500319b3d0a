/* The proof over ranks whose vertices are spread over the ranks. Rounds go over the edges given, each of which stays on
 * the rank that has it; the edges that a rank has go along, asking the owners of their ends' components in each round
 * for the edges that these have chosen, so that no tree is kept. Source: King, A Simpler Minimum Spanning Tree
 * Verification Algorithm (1997), section 2, for what the heaviest of these is. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

struct proof {
    struct bi_ranks_msf_proof *p;
    const struct bi_ranks_msf_given *given;
    struct bi_ranks_sharded s;
};

/* The edges given that this rank has, without self loops, which close cycles. */
static bosc_status take_given(struct proof *q)
{
    struct bi_ranks_sharded *s = &q->s;
    const struct bi_ranks_edges *own = &q->given->own;
    const bool with_ids = s->part->rows.wide_keys || s->part->rows.wide;
    BI_TRY(bi_ranks_forest_take_list(s->ctx, own->count, with_ids, &s->edges));
    const struct bi_ranks_climb_given list = {
        own->edges, own->ranks, {s->edges.keys, s->edges.ends, s->edges.ids, (uint64_t)s->part->first}};
    return own->count ? s->steps->climb_given(s->ctx, own->count, &list) : BOSC_OK;
}

/* All edges of this rank, which go along. */
static bosc_status take_climbing(struct proof *q, struct bi_ranks_sharded_climb *climb)
{
    struct bi_ranks_sharded all = q->s;
    BI_TRY(bi_ranks_sharded_collect(&all));
    climb->edges = all.edges;
    climb->faults = q->p->faults;
    const int64_t count = climb->edges.count, n = q->s.part->view.n;
    const size_t bytes = (size_t)count * 2 * sizeof *climb->heaviest;
    BI_TRY(bi_scratch(q->s.ctx, bytes, (void **)&climb->heaviest));
    BI_TRY(bi_scratch_of(q->s.ctx, n < 2 * count ? n : 2 * count, sizeof *climb->names, &climb->names));
    return bytes ? q->s.ctx->backend->fill(q->s.ctx, climb->heaviest, 0, bytes) : BOSC_OK;
}

/* Edges given that the rounds did not choose. */
static bosc_status find_cycles(struct proof *q, const uint64_t *found, int64_t count)
{
    const struct bi_ranks_sharded *s = &q->s;
    const struct bi_ranks_edges *own = &q->given->own;
    uint8_t *chosen;
    if (own->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(s->ctx, (size_t)own->count, (void **)&chosen));
    BI_TRY(s->ctx->backend->fill(s->ctx, chosen, 0, (size_t)own->count));
    const struct bi_ranks_forest_own mark = {
        found, true, q->given->words, (uint64_t)s->part->first, (uint64_t)s->part->view.entries, chosen};
    const struct bi_ranks_forest_unchosen unchosen = {chosen, own->edges, q->p->faults + BI_RANKS_MSF_CYCLE};
    if (count) BI_TRY(s->steps->forest_own(s->ctx, count, &mark));
    return s->steps->forest_unchosen(s->ctx, own->count, &unchosen);
}

bosc_status bi_ranks_msf_prove_sharded(struct bi_ranks_msf_proof *p, const struct bi_ranks_msf_given *given)
{
    struct bi_ranks_sharded_climb climb = {.names = NULL};
    struct proof q = {.p = p, .given = given};
    uint64_t *found = NULL;
    int64_t count = 0;
    q.s = (struct bi_ranks_sharded){
        .ctx = p->ctx, .comm = p->comm, .part = p->part, .steps = p->steps, .core = p->core, .climb = &climb};
    bosc_status local_status = take_climbing(&q, &climb);
    if (local_status == BOSC_OK) local_status = take_given(&q);
    BI_TRY(bi_ranks_sharded_run(&q.s, local_status));
    BI_TRY(bi_ranks_sharded_send_home(&q.s, &found, &count));
    local_status = find_cycles(&q, found, count);
    if (local_status == BOSC_OK) local_status = bi_ranks_sharded_end_climb(&q.s);
    return bi_ranks_msf_share_faults(p, local_status);
}
