/* The proof over ranks with distributed vertices. Rounds run over the input edges, which stay on their ranks. A rank's
 * edges follow the rounds: in each, they query the owners of their ends' components for the chosen edges, so no tree
 * is kept. Source: King, A Simpler Minimum Spanning Tree Verification Algorithm (1997), section 2, for the heaviest
 * edge on a path. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

struct sharded_proof {
    struct bi_ranks_msf_proof *p;
    const struct bi_ranks_msf_input *input;
    struct bi_ranks_sharded s;
};

/* Lists the input edges of this rank. Self loops are dropped later; they close cycles. */
static bosc_status list_input(struct sharded_proof *q)
{
    struct bi_ranks_sharded *s = &q->s;
    const struct bi_ranks_edges *own = &q->input->own;
    const bool with_ids = s->slice->rows.keys_64bit || s->slice->rows.is_64bit;
    BI_TRY(bi_ranks_forest_allocate_list(s->ctx, own->count, with_ids, &s->edges));
    const struct bi_ranks_path_max_input list = {
        own->edges, own->ranks, {s->edges.keys, s->edges.ends, s->edges.ids, (uint64_t)s->slice->first_entry}};
    return own->count ? s->steps->path_max_input(s->ctx, own->count, &list) : BOSC_OK;
}

/* Lists all edges of this rank, which follow the rounds. */
static bosc_status list_followers(struct sharded_proof *q, struct bi_ranks_sharded_path_max *path_max)
{
    struct bi_ranks_sharded all = q->s;
    BI_TRY(bi_ranks_sharded_list_edges(&all));
    path_max->edges = all.edges;
    path_max->faults = q->p->faults;
    const int64_t count = path_max->edges.count, n = q->s.slice->view.n;
    const size_t bytes = (size_t)count * 2 * sizeof *path_max->heaviest;
    BI_TRY(bi_scratch(q->s.ctx, bytes, (void **)&path_max->heaviest));
    BI_TRY(bi_scratch_of(q->s.ctx, n < 2 * count ? n : 2 * count, sizeof *path_max->components, &path_max->components));
    return bytes ? q->s.ctx->backend->fill(q->s.ctx, path_max->heaviest, 0, bytes) : BOSC_OK;
}

/* Reports input edges that the rounds did not choose. */
static bosc_status find_cycles(struct sharded_proof *q, const uint64_t *found, int64_t count)
{
    const struct bi_ranks_sharded *s = &q->s;
    const struct bi_ranks_edges *own = &q->input->own;
    uint8_t *is_chosen;
    if (own->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(s->ctx, (size_t)own->count, (void **)&is_chosen));
    BI_TRY(s->ctx->backend->fill(s->ctx, is_chosen, 0, (size_t)own->count));
    const struct bi_ranks_forest_mark_own mark = {
        found, true, q->input->words, (uint64_t)s->slice->first_entry, (uint64_t)s->slice->view.entries, is_chosen};
    const struct bi_ranks_forest_find_cycle unchosen = {is_chosen, own->edges, q->p->faults + BI_RANKS_MSF_CYCLE};
    if (count) BI_TRY(s->steps->forest_mark_own(s->ctx, count, &mark));
    return s->steps->forest_find_cycle(s->ctx, own->count, &unchosen);
}

bosc_status bi_ranks_msf_prove_sharded(struct bi_ranks_msf_proof *p, const struct bi_ranks_msf_input *input)
{
    struct bi_ranks_sharded_path_max path_max = {.components = NULL};
    struct sharded_proof q = {.p = p, .input = input};
    uint64_t *found = NULL;
    int64_t count = 0;
    q.s = (struct bi_ranks_sharded){
        .ctx = p->ctx, .comm = p->comm, .slice = p->slice, .steps = p->steps, .core = p->core, .path_max = &path_max};
    bosc_status local_status = list_followers(&q, &path_max);
    if (local_status == BOSC_OK) local_status = list_input(&q);
    BI_TRY(bi_ranks_sharded_run_rounds(&q.s, local_status));
    BI_TRY(bi_ranks_sharded_return_edges(&q.s, &found, &count));
    local_status = find_cycles(&q, found, count);
    if (local_status == BOSC_OK) local_status = bi_ranks_sharded_finish_path_max(&q.s);
    return bi_ranks_msf_reduce_faults(p, local_status);
}
