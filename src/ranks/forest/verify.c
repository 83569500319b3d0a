/* The proof over ranks that edges are the minimum spanning forest. Where vertices fit one rank, every rank gets all
 * edges given and makes the tree of Boruvka's rounds over them; each compares its own edges with the heaviest given
 * between their ends. Source: King, A Simpler Minimum Spanning Tree Verification Algorithm (1997), section 2. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

enum {
    CLIMB = 8,        /* simple items that take as long as a climb from the ends of an arc, about */
    PROOF_BYTES = 270 /* of scratch for each vertex where all are replicated, at most */
};

/* The rounds over the edges given, which take their turns for ranks. */
static bosc_status run_rounds(struct bi_ranks_msf_proof *p)
{
    struct bi_ranks_rounds *r = &p->rounds;
    const int64_t count = p->edges.count;
    BI_TRY(bi_ranks_forest_take_list(p->ctx, count, false, &r->edges));
    const struct bi_ranks_forest_turns turns = {p->edges.edges, r->edges.keys, r->edges.ends};
    BI_TRY(p->steps->forest_turns(p->ctx, count, &turns));
    return bi_ranks_forest_run_rounds(p->ctx, NULL, p->part, BOSC_OK, r);
}

static bosc_status grow_tree(struct bi_ranks_msf_proof *p)
{
    struct bi_ranks_rounds *r = &p->rounds;
    const int64_t n = p->part->view.n;
    *r = (struct bi_ranks_rounds){.n = n};
    BI_TRY(bi_ranks_forest_take_rounds(p->ctx, r));
    BI_TRY(bi_scratch_of(p->ctx, n, 2 * sizeof *r->nodes, &r->nodes));
    BI_TRY(bi_scratch_of(p->ctx, n, sizeof *p->labels, &p->labels));
    BI_TRY_WITH_SCRATCH(p->ctx, run_rounds(p));
    BI_RETURN_WITH_SCRATCH(p->ctx, bi_ranks_forest_label_rounds(p->ctx, r, p->labels));
}

/* Edges given that the rounds did not choose. */
static bosc_status find_cycles(struct bi_ranks_msf_proof *p)
{
    uint8_t *chosen;
    if (p->edges.count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(p->ctx, (size_t)p->edges.count, (void **)&chosen));
    BI_TRY(p->ctx->backend->fill(p->ctx, chosen, 0, (size_t)p->edges.count));
    const struct bi_ranks_forest_mark mark = {p->rounds.records, chosen};
    const struct bi_ranks_forest_unchosen unchosen = {chosen, p->edges.edges, p->faults + BI_RANKS_MSF_CYCLE};
    BI_TRY(p->steps->forest_mark(p->ctx, p->rounds.found, &mark));
    return p->steps->forest_unchosen(p->ctx, p->edges.count, &unchosen);
}

/* This rank's edges against the heaviest given between their ends. */
static bosc_status climb(struct bi_ranks_msf_proof *p)
{
    struct bi_ranks_forest_climb climb = {.rows = p->part->rows,
                                          .first = (uint64_t)p->part->first,
                                          .nodes = p->rounds.nodes,
                                          .labels = p->labels,
                                          .edges = p->edges.edges,
                                          .ranks = p->edges.ranks,
                                          .apart = p->faults + BI_RANKS_MSF_APART,
                                          .lighter = p->faults + BI_RANKS_MSF_LIGHTER};
    for (int32_t k = 0; k < p->rounds.count; k++) climb.begin[k] = p->rounds.begin[k];
    BI_TRY_WITH_COST(p->ctx, CLIMB * BI_MSF_ITEM_ARCS,
                     p->steps->forest_climb(p->ctx, bi_div_up(p->part->view.arcs, BI_MSF_ITEM_ARCS), &climb));
    return BOSC_OK;
}

static bosc_status start(struct bi_ranks_msf_proof *p)
{
    static const int64_t none[BI_RANKS_MSF_FAULTS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    BI_TRY(bi_scratch(p->ctx, sizeof none, (void **)&p->faults));
    return p->ctx->backend->copy(p->ctx, p->faults, none, sizeof none);
}

/* Every rank has all edges given. */
static bosc_status prove_replicated(struct bi_ranks_msf_proof *p, const struct bi_ranks_msf_given *given)
{
    BI_TRY(bi_ranks_msf_replicate(p, &given->own));
    bosc_status local_status = grow_tree(p);
    if (local_status == BOSC_OK) local_status = find_cycles(p);
    BI_TRY(bi_ranks_msf_share_faults(p, local_status));
    return bi_ranks_msf_is_right(p) ? bi_ranks_msf_share_faults(p, climb(p)) : BOSC_OK;
}

static bosc_status prove(struct bi_ranks_msf_proof *p, bosc_status local_status)
{
    struct bi_ranks_msf_given given = {.words = NULL};
    int64_t all = p->count;
    BI_TRY(bi_ranks_forest_begin(p->ctx, p->comm, local_status, p->part));
    local_status = start(p);
    BI_TRY(bi_comm_sum(p->ctx, p->comm, local_status, &all, 1));
    if (all >= (int64_t)UINT32_MAX)
        return bi_fail(p->ctx, BOSC_ERR_LIMIT, "count: %lld edges; a forest has less than 2^32 - 1", (long long)all);
    const bool sharded = bi_ranks_forest_is_sharded(p->part, PROOF_BYTES);
    if (!sharded) local_status = bi_ranks_forest_take_edges(p->ctx, all, &p->edges);
    BI_TRY(bi_comm_agree(p->ctx, p->comm, local_status));
    BI_TRY(bi_ranks_msf_find_given(p, &given));
    if (!bi_ranks_msf_is_right(p)) return BOSC_OK;
    return sharded ? bi_ranks_msf_prove_sharded(p, &given) : prove_replicated(p, &given);
}

static bosc_status explain(bosc_ctx *ctx, const int64_t found[BI_RANKS_MSF_FAULTS], int64_t *edge)
{
    static const char *const reasons[BI_RANKS_MSF_FAULTS] = {
        [BI_RANKS_MSF_ABSENT] = "it is given, but is no edge of the graph as the options leave it",
        [BI_RANKS_MSF_REPEATED] = "it is given more than once",
        [BI_RANKS_MSF_CYCLE] = "it is the heaviest of a cycle of edges given",
        [BI_RANKS_MSF_APART] = "its ends are in two trees of the edges given",
        [BI_RANKS_MSF_LIGHTER] = "it is not given, but lighter than an edge given between its ends",
    };
    for (int k = 0; k < BI_RANKS_MSF_FAULTS; k++) {
        if (found[k] == INT64_MAX) continue;
        if (edge) *edge = found[k];
        return bi_fail(ctx, BOSC_ERR_DATA, "edge %lld: %s", (long long)found[k], reasons[k]);
    }
    return BOSC_OK;
}

static bosc_status check(struct bi_ranks_msf_proof *p, const bosc_graph *graph, const bosc_msf_opts *opts)
{
    bosc_ctx *ctx = p->ctx;
    BI_TRY(bi_ranks_forest_check(ctx, graph, opts, p->part));
    if (p->part->opts.trees)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: trees is %lld, not 0", (long long)p->part->opts.trees);
    if (p->count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "count: %lld is less than 0", (long long)p->count);
    if (p->count >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "count: %lld edges; a forest has less than 2^32 - 1", (long long)p->count);
    if (p->count > 0 && !p->given) return bi_fail(ctx, BOSC_ERR_ARG, "edges: NULL");
    return bi_forest_check_ids(ctx, &p->part->view, "edges", p->given);
}

bosc_status bosc_ranks_msf_verify(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph, const bosc_msf_opts *opts,
                                  const void *edges, int64_t count, int64_t *edge)
{
    struct bi_ranks_part part = {0};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    struct bi_ranks_msf_proof p = {.ctx = ctx,
                                   .comm = comm,
                                   .steps = ctx->ops->dist->steps,
                                   .core = ctx->backend->core,
                                   .part = &part,
                                   .given = edges,
                                   .count = count};
    bosc_status local_status = check(&p, graph, opts);
    bi_progress_set_total(ctx, (8 + 2 * CLIMB) * (double)part.view.m + 40 * (double)part.view.n);
    BI_WITH_SCRATCH(ctx, status = prove(&p, local_status));
    bi_exchange_end(ctx, &p.exchange);
    bi_ranks_forest_end(ctx, &part);
    return status == BOSC_OK ? explain(ctx, p.found, edge) : status;
}
