/* The proof over ranks that edges are the minimum spanning forest. If vertices fit one rank, every rank gets all input
 * edges and the tree of Boruvka's rounds over them, and compares its own edges with the heaviest input edge between
 * their ends. Source: King, A Simpler Minimum Spanning Tree Verification Algorithm (1997), section 2. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

enum {
    PATH_COST = 8,    /* estimated: cost of the path of an arc, in simple items */
    PROOF_BYTES = 270 /* scratch for each vertex if all are replicated, upper bound */
};

/* Runs the rounds over the input edges; positions in sorted order serve as ranks. */
static bosc_status run_input_rounds(struct bi_ranks_msf_proof *p)
{
    struct bi_ranks_rounds *r = &p->rounds;
    const int64_t count = p->edges.count;
    BI_TRY(bi_ranks_forest_allocate_list(p->ctx, count, false, &r->edges));
    const struct bi_ranks_forest_positions positions = {p->edges.edges, r->edges.keys, r->edges.ends};
    BI_TRY(p->steps->forest_positions(p->ctx, count, &positions));
    return bi_ranks_forest_run_rounds(p->ctx, NULL, p->slice, BOSC_OK, r);
}

static bosc_status build_round_tree(struct bi_ranks_msf_proof *p)
{
    struct bi_ranks_rounds *r = &p->rounds;
    const int64_t n = p->slice->view.n;
    *r = (struct bi_ranks_rounds){.n = n};
    BI_TRY(bi_ranks_forest_allocate_rounds(p->ctx, r));
    BI_TRY(bi_scratch_of(p->ctx, n, 2 * sizeof *r->nodes, &r->nodes));
    BI_TRY(bi_scratch_of(p->ctx, n, sizeof *p->labels, &p->labels));
    BI_TRY_WITH_SCRATCH(p->ctx, run_input_rounds(p));
    BI_RETURN_WITH_SCRATCH(p->ctx, bi_ranks_forest_label_rounds(p->ctx, r, p->labels));
}

/* Reports input edges that the rounds did not choose. */
static bosc_status find_cycles(struct bi_ranks_msf_proof *p)
{
    uint8_t *is_chosen;
    if (p->edges.count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(p->ctx, (size_t)p->edges.count, (void **)&is_chosen));
    BI_TRY(p->ctx->backend->fill(p->ctx, is_chosen, 0, (size_t)p->edges.count));
    const struct bi_ranks_forest_mark_chosen mark = {p->rounds.records, is_chosen};
    const struct bi_ranks_forest_find_cycle unchosen = {is_chosen, p->edges.edges, p->faults + BI_RANKS_MSF_CYCLE};
    BI_TRY(p->steps->forest_mark_chosen(p->ctx, p->rounds.found, &mark));
    return p->steps->forest_find_cycle(p->ctx, p->edges.count, &unchosen);
}

/* Compares this rank's edges with the heaviest input edge between their ends. */
static bosc_status check_edges(struct bi_ranks_msf_proof *p)
{
    struct bi_ranks_forest_path_max step = {.rows = p->slice->rows,
                                            .first = (uint64_t)p->slice->first_entry,
                                            .nodes = p->rounds.nodes,
                                            .labels = p->labels,
                                            .edges = p->edges.edges,
                                            .ranks = p->edges.ranks,
                                            .apart = p->faults + BI_RANKS_MSF_APART,
                                            .lighter = p->faults + BI_RANKS_MSF_LIGHTER};
    for (int32_t k = 0; k < p->rounds.count; k++) step.level_begin[k] = p->rounds.level_begin[k];
    BI_TRY_WITH_COST(p->ctx, PATH_COST * BI_MSF_ITEM_ARCS,
                     p->steps->forest_path_max(p->ctx, bi_div_up(p->slice->view.arcs, BI_MSF_ITEM_ARCS), &step));
    return BOSC_OK;
}

static bosc_status init_faults(struct bi_ranks_msf_proof *p)
{
    static const int64_t none[BI_RANKS_MSF_FAULTS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    BI_TRY(bi_scratch(p->ctx, sizeof none, (void **)&p->faults));
    return p->ctx->backend->copy(p->ctx, p->faults, none, sizeof none);
}

/* The proof with all vertices on every rank. */
static bosc_status prove_replicated(struct bi_ranks_msf_proof *p, const struct bi_ranks_msf_input *input)
{
    BI_TRY(bi_ranks_msf_replicate_input(p, &input->own));
    bosc_status local_status = build_round_tree(p);
    if (local_status == BOSC_OK) local_status = find_cycles(p);
    BI_TRY(bi_ranks_msf_reduce_faults(p, local_status));
    return bi_ranks_msf_is_valid(p) ? bi_ranks_msf_reduce_faults(p, check_edges(p)) : BOSC_OK;
}

static bosc_status run_proof(struct bi_ranks_msf_proof *p, bosc_status local_status)
{
    struct bi_ranks_msf_input input = {.words = NULL};
    int64_t total = p->count;
    BI_TRY(bi_ranks_forest_begin(p->ctx, p->comm, local_status, p->slice));
    local_status = init_faults(p);
    BI_TRY(bi_comm_sum(p->ctx, p->comm, local_status, &total, 1));
    if (total >= (int64_t)UINT32_MAX)
        return bi_fail(p->ctx, BOSC_ERR_LIMIT, "count: %lld edges; a forest has less than 2^32 - 1", (long long)total);
    const bool sharded = bi_ranks_forest_is_sharded(p->slice, PROOF_BYTES);
    if (!sharded) local_status = bi_ranks_forest_allocate_edges(p->ctx, total, &p->edges);
    BI_TRY(bi_comm_agree(p->ctx, p->comm, local_status));
    BI_TRY(bi_ranks_msf_find_input(p, &input));
    if (!bi_ranks_msf_is_valid(p)) return BOSC_OK;
    return sharded ? bi_ranks_msf_prove_sharded(p, &input) : prove_replicated(p, &input);
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
    BI_TRY(bi_ranks_forest_check(ctx, graph, opts, p->slice));
    if (p->slice->opts.trees)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: trees is %lld, not 0", (long long)p->slice->opts.trees);
    if (p->count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "count: %lld is less than 0", (long long)p->count);
    if (p->count >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "count: %lld edges; a forest has less than 2^32 - 1", (long long)p->count);
    if (p->count > 0 && !p->input) return bi_fail(ctx, BOSC_ERR_ARG, "edges: NULL");
    return bi_forest_check_ids(ctx, &p->slice->view, "edges", p->input);
}

bosc_status bosc_ranks_msf_verify(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph, const bosc_msf_opts *opts,
                                  const void *edges, int64_t count, int64_t *edge)
{
    struct bi_ranks_forest_slice slice = {0};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    struct bi_ranks_msf_proof p = {.ctx = ctx,
                                   .comm = comm,
                                   .steps = ctx->ops->dist->steps,
                                   .core = ctx->backend->core,
                                   .slice = &slice,
                                   .input = edges,
                                   .count = count};
    bosc_status local_status = check(&p, graph, opts);
    bi_progress_set_total(ctx, (8 + 2 * PATH_COST) * (double)slice.view.m + 40 * (double)slice.view.n);
    BI_WITH_SCRATCH(ctx, status = run_proof(&p, local_status));
    bi_exchange_end(ctx, &p.exchange);
    bi_ranks_forest_end(ctx, &slice);
    return status == BOSC_OK ? explain(ctx, p.found, edge) : status;
}
