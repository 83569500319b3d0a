/* The proof over ranks that edges are the minimum spanning forest. Each input edge is found on the rank that has it.
 * Rounds run over the input edges, and every edge of the graph is compared with the heaviest input edge between its
 * ends. Source: King, A Simpler Minimum Spanning Tree Verification Algorithm (1997), section 2. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

enum {
    PATH_COST = 8,    /* estimated: cost of the path of an arc, in simple items */
    PROOF_BYTES = 270 /* scratch for each vertex if all are replicated, upper bound */
};

/* Faults, in the order in which they are reported. */
enum fault {
    ABSENT,   /* an input edge is not in the graph, or the options leave it out */
    REPEATED, /* an input edge occurs twice */
    CYCLE,    /* an input edge closes a cycle */
    APART,    /* an edge of the graph connects two trees of the input */
    LIGHTER,  /* an edge of the graph is lighter than an input edge between its ends */
    FAULTS
};

struct proof {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core;
    struct bi_ranks_forest_slice *slice;
    const void *input; /* the caller's ids */
    int64_t count;

    struct bi_exchange exchange; /* ended by the public call, after a failure too */
    struct bi_ranks_edges edges; /* all input edges, ascending by (rank, id) */
    struct bi_ranks_rounds rounds;
    uint32_t *labels; /* of the input forest's trees */
    int64_t *faults;  /* backend memory: the smallest edge id of each kind; none: INT64_MAX */
    int64_t found[FAULTS];
};

/* ---- faults ---- */

/* True if no fault was found so far. */
static bool is_valid(const struct proof *p)
{
    for (int k = 0; k < FAULTS; k++)
        if (p->found[k] != INT64_MAX) return false;
    return true;
}

/* p->found becomes the faults of all ranks so far. */
static bosc_status reduce_faults(struct proof *p, bosc_status local_status)
{
    int64_t own[FAULTS];
    const int64_t *all = p->comm->gather;
    BI_IF_OK(local_status, bi_read_back(p->ctx, own, p->faults, sizeof own));
    BI_TRY(bi_comm_agree(p->ctx, p->comm, local_status));
    BI_TRY(bi_comm_all_gather(p->ctx, p->comm, own, sizeof own, p->comm->gather));
    for (int k = 0; k < FAULTS; k++) {
        p->found[k] = INT64_MAX;
        for (int32_t r = 0; r < p->comm->rank_count; r++)
            if (all[r * FAULTS + k] < p->found[k]) p->found[k] = all[r * FAULTS + k];
    }
    return BOSC_OK;
}

/* ---- the input: edges to the ranks that have them ---- */

/* The input edges of a rank, ascending by id, and their index, if there are any. */
struct input {
    struct bi_ranks_edges own;
    struct bi_ranks_forest_word *words;
};

/* Sorts the input ids. */
static bosc_status sort_input_ids(struct proof *p, uint64_t **ids)
{
    const bool is_64bit = p->slice->view.id_bits == 64;
    const void *input;
    bool staged = false;
    uint64_t *unsorted;
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof **ids, ids));
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof **ids, &unsorted));
    BI_TRY(bi_stage_in(p->ctx, p->input, (size_t)p->count * (is_64bit ? 8 : 4), &input, &staged));
    const struct bi_ranks_forest_read_ids args = {input, is_64bit, p->slice->entries, unsorted, p->faults + ABSENT};
    BI_TRY(p->steps->forest_read_ids(p->ctx, p->count, &args));
    if (p->count == 0) return BOSC_OK;
    return p->core->sort_keys(p->ctx, BOSC_U64, unsorted, p->count, *ids, 0, 64);
}

/* counts[r] = number of the ids that rank r has; every id belongs to some rank. */
static bosc_status count_by_owner(struct proof *p, const uint64_t *ids, int64_t *counts)
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
static bosc_status look_up_edges(struct proof *p, const uint64_t *received, struct input *input)
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
    const struct bi_ranks_forest_check_ids check = {ids, found, p->faults + ABSENT, p->faults + REPEATED};
    return p->steps->forest_check_ids(p->ctx, count, &check);
}

/* Finds the input edges in the graph, each on its own rank. */
static bosc_status find_input(struct proof *p, struct input *input)
{
    uint64_t *ids = NULL, *received = NULL;
    int64_t *counts = p->slice->counts;
    /* 1. Sort the ids; stop if one is out of range. 2. Send each to the rank of its entry. 3. Look it up there. */
    bosc_status local_status = sort_input_ids(p, &ids);
    BI_TRY(reduce_faults(p, local_status));
    if (!is_valid(p)) return BOSC_OK;
    local_status = count_by_owner(p, ids, counts);
    BI_TRY(bi_exchange_begin(p->ctx, p->comm, local_status, counts, &p->exchange));
    local_status = bi_ranks_forest_allocate_edges(p->ctx, p->exchange.received, &input->own);
    BI_IF_OK(local_status, bi_scratch_of(p->ctx, p->exchange.received, sizeof *received, &received));
    BI_TRY(bi_exchange_items(p->ctx, p->comm, local_status, &p->exchange, sizeof *ids, ids, received));
    bi_exchange_end(p->ctx, &p->exchange);
    return reduce_faults(p, look_up_edges(p, received, input));
}

/* ---- the proof with all vertices on every rank ----
 *
 * Every rank gets all input edges and the tree of Boruvka's rounds over them. */

/* Allocates room for all edges, and copies this rank's to their position. */
static bosc_status allocate_and_copy(struct proof *p, const struct bi_ranks_edges *own, struct bi_ranks_edges *all)
{
    const struct bi_backend *backend = p->ctx->backend;
    const int64_t first = p->exchange.received_offsets[p->comm->rank];
    BI_TRY(bi_ranks_forest_allocate_edges(p->ctx, p->exchange.received, all));
    if (own->count == 0) return BOSC_OK;
    BI_TRY(backend->copy(p->ctx, all->edges + first, own->edges, (size_t)own->count * sizeof *own->edges));
    return backend->copy(p->ctx, all->ranks + first, own->ranks, (size_t)own->count * sizeof *own->ranks);
}

static bosc_status replicate_edges(struct proof *p, const struct bi_ranks_edges *own)
{
    struct bi_ranks_edges all;
    int64_t *counts = p->slice->counts;
    for (int32_t r = 0; r < p->comm->rank_count; r++) counts[r] = own->count;
    BI_TRY(bi_exchange_begin(p->ctx, p->comm, BOSC_OK, counts, &p->exchange));
    const int64_t *offsets = p->exchange.received_offsets;
    const bosc_status local_status = allocate_and_copy(p, own, &all);
    BI_TRY(bi_comm_all_gather_blocks(p->ctx, p->comm, local_status, offsets, sizeof *all.edges, all.edges));
    BI_TRY(bi_comm_all_gather_blocks(p->ctx, p->comm, BOSC_OK, offsets, sizeof *all.ranks, all.ranks));
    bi_exchange_end(p->ctx, &p->exchange);
    return bi_comm_agree(p->ctx, p->comm, bi_ranks_forest_sort(p->ctx, p->slice, &all, &p->edges));
}

/* Replicates the input edges on all ranks: p->edges, which has room. */
static bosc_status replicate_input(struct proof *p, const struct bi_ranks_edges *own)
{
    BI_RETURN_WITH_SCRATCH(p->ctx, replicate_edges(p, own));
}

/* Runs the rounds over the input edges; positions in sorted order serve as ranks. */
static bosc_status run_input_rounds(struct proof *p)
{
    struct bi_ranks_rounds *r = &p->rounds;
    const int64_t count = p->edges.count;
    BI_TRY(bi_ranks_forest_allocate_list(p->ctx, count, false, &r->edges));
    const struct bi_ranks_forest_positions positions = {p->edges.edges, r->edges.keys, r->edges.ends};
    BI_TRY(p->steps->forest_positions(p->ctx, count, &positions));
    return bi_ranks_forest_run_rounds(p->ctx, NULL, p->slice, BOSC_OK, r);
}

/* Builds the tree of rounds over the input edges, and labels the vertices by the input's trees. */
static bosc_status build_round_tree(struct proof *p)
{
    struct bi_ranks_rounds *r = &p->rounds;
    const int64_t n = p->slice->view.n;
    *r = (struct bi_ranks_rounds){.n = n, .most_edges = n};
    BI_TRY(bi_ranks_forest_allocate_rounds(p->ctx, r));
    BI_TRY(bi_scratch_of(p->ctx, n, 2 * sizeof *r->nodes, &r->nodes));
    BI_TRY(bi_scratch_of(p->ctx, n, sizeof *p->labels, &p->labels));
    BI_TRY_WITH_SCRATCH(p->ctx, run_input_rounds(p));
    BI_RETURN_WITH_SCRATCH(p->ctx, bi_ranks_forest_label_rounds(p->ctx, r, p->labels));
}

/* Reports input edges that the rounds did not choose. */
static bosc_status find_cycles(struct proof *p)
{
    uint8_t *is_chosen;
    if (p->edges.count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(p->ctx, (size_t)p->edges.count, (void **)&is_chosen));
    BI_TRY(p->ctx->backend->fill(p->ctx, is_chosen, 0, (size_t)p->edges.count));
    const struct bi_ranks_forest_mark_chosen mark = {p->rounds.records, is_chosen};
    const struct bi_ranks_forest_find_cycle unchosen = {is_chosen, p->edges.edges, p->faults + CYCLE};
    BI_TRY(p->steps->forest_mark_chosen(p->ctx, p->rounds.found, &mark));
    return p->steps->forest_find_cycle(p->ctx, p->edges.count, &unchosen);
}

/* Compares this rank's edges with the heaviest input edge between their ends. */
static bosc_status check_edges(struct proof *p)
{
    struct bi_ranks_forest_path_max step = {.rows = p->slice->rows,
                                            .first = (uint64_t)p->slice->first_entry,
                                            .nodes = p->rounds.nodes,
                                            .labels = p->labels,
                                            .edges = p->edges.edges,
                                            .ranks = p->edges.ranks,
                                            .apart = p->faults + APART,
                                            .lighter = p->faults + LIGHTER};
    for (int32_t k = 0; k < p->rounds.count; k++) step.level_begin[k] = p->rounds.level_begin[k];
    BI_TRY_WITH_COST(p->ctx, PATH_COST * BI_MSF_ITEM_ARCS,
                     p->steps->forest_path_max(p->ctx, bi_div_up(p->slice->view.arcs, BI_MSF_ITEM_ARCS), &step));
    return BOSC_OK;
}

/* The proof with all vertices on every rank. */
static bosc_status prove_replicated(struct proof *p, const struct input *input)
{
    BI_TRY(replicate_input(p, &input->own));
    bosc_status local_status = build_round_tree(p);
    BI_IF_OK(local_status, find_cycles(p));
    BI_TRY(reduce_faults(p, local_status));
    return is_valid(p) ? reduce_faults(p, check_edges(p)) : BOSC_OK;
}

/* ---- the proof with distributed vertices ----
 *
 * Rounds run over the input edges, which stay on their ranks. A rank's edges follow the rounds: in each, they query the
 * owners of their ends' components for the chosen edges, so no tree is kept. */

struct sharded_proof {
    struct proof *p;
    const struct input *input;
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
    path_max->apart = q->p->faults + APART;
    path_max->lighter = q->p->faults + LIGHTER;
    const int64_t count = path_max->edges.count, n = q->s.slice->view.n;
    const size_t bytes = (size_t)count * 2 * sizeof *path_max->heaviest;
    BI_TRY(bi_scratch(q->s.ctx, bytes, (void **)&path_max->heaviest));
    BI_TRY(bi_scratch_of(q->s.ctx, n < 2 * count ? n : 2 * count, sizeof *path_max->components, &path_max->components));
    return bytes ? q->s.ctx->backend->fill(q->s.ctx, path_max->heaviest, 0, bytes) : BOSC_OK;
}

/* Reports input edges that the rounds did not choose. */
static bosc_status find_sharded_cycles(struct sharded_proof *q, const uint64_t *found, int64_t count)
{
    const struct bi_ranks_sharded *s = &q->s;
    const struct bi_ranks_edges *own = &q->input->own;
    uint8_t *is_chosen;
    if (own->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(s->ctx, (size_t)own->count, (void **)&is_chosen));
    BI_TRY(s->ctx->backend->fill(s->ctx, is_chosen, 0, (size_t)own->count));
    const struct bi_ranks_forest_mark_own mark = {
        found, true, q->input->words, (uint64_t)s->slice->first_entry, (uint64_t)s->slice->view.entries, is_chosen};
    const struct bi_ranks_forest_find_cycle unchosen = {is_chosen, own->edges, q->p->faults + CYCLE};
    if (count) BI_TRY(s->steps->forest_mark_own(s->ctx, count, &mark));
    return s->steps->forest_find_cycle(s->ctx, own->count, &unchosen);
}

static bosc_status prove_sharded(struct proof *p, const struct input *input)
{
    struct bi_ranks_sharded_path_max path_max = {.components = NULL};
    struct sharded_proof q = {.p = p, .input = input};
    uint64_t *found = NULL;
    int64_t count = 0;
    q.s = (struct bi_ranks_sharded){
        .ctx = p->ctx, .comm = p->comm, .slice = p->slice, .steps = p->steps, .core = p->core, .path_max = &path_max};
    bosc_status local_status = list_followers(&q, &path_max);
    BI_IF_OK(local_status, list_input(&q));
    BI_TRY(bi_ranks_sharded_run_rounds(&q.s, local_status));
    BI_TRY(bi_ranks_sharded_return_edges(&q.s, &found, &count));
    local_status = find_sharded_cycles(&q, found, count);
    BI_IF_OK(local_status, bi_ranks_sharded_finish_path_max(&q.s));
    return reduce_faults(p, local_status);
}

/* ---- the call ---- */

static bosc_status init_faults(struct proof *p)
{
    static const int64_t none[FAULTS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    BI_TRY(bi_scratch(p->ctx, sizeof none, (void **)&p->faults));
    return p->ctx->backend->copy(p->ctx, p->faults, none, sizeof none);
}

/* Finds the input on all ranks, then proves it in the form that the options select. */
static bosc_status run_proof(struct proof *p, bosc_status local_status)
{
    struct input input = {.words = NULL};
    int64_t total = p->count;
    BI_TRY(bi_ranks_forest_begin(p->ctx, p->comm, local_status, p->slice));
    local_status = init_faults(p);
    BI_TRY(bi_comm_sum(p->ctx, p->comm, local_status, &total, 1));
    if (total >= (int64_t)UINT32_MAX)
        return bi_fail(p->ctx, BOSC_ERR_LIMIT, "count: %lld edges; a forest has less than 2^32 - 1", (long long)total);
    const bool sharded = bi_ranks_forest_is_sharded(p->slice, PROOF_BYTES);
    if (!sharded) local_status = bi_ranks_forest_allocate_edges(p->ctx, total, &p->edges);
    BI_TRY(bi_comm_agree(p->ctx, p->comm, local_status));
    BI_TRY(find_input(p, &input));
    if (!is_valid(p)) return BOSC_OK;
    return sharded ? prove_sharded(p, &input) : prove_replicated(p, &input);
}

/* Reports the first fault, in the order of enum fault. */
static bosc_status report_fault(bosc_ctx *ctx, const int64_t found[FAULTS], int64_t *edge)
{
    static const char *const reasons[FAULTS] = {
        [ABSENT] = "it is given, but is no edge of the graph as the options leave it",
        [REPEATED] = "it is given more than once",
        [CYCLE] = "it is the heaviest of a cycle of edges given",
        [APART] = "its ends are in two trees of the edges given",
        [LIGHTER] = "it is not given, but lighter than an edge given between its ends",
    };
    for (int k = 0; k < FAULTS; k++) {
        if (found[k] == INT64_MAX) continue;
        if (edge) *edge = found[k];
        return bi_fail(ctx, BOSC_ERR_DATA, "edge %lld: %s", (long long)found[k], reasons[k]);
    }
    return BOSC_OK;
}

static bosc_status check(struct proof *p, const bosc_graph *graph, const bosc_msf_opts *opts)
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
    struct proof p = {.ctx = ctx,
                      .comm = comm,
                      .steps = ctx->ops->ranks->steps,
                      .core = ctx->backend->core,
                      .slice = &slice,
                      .input = edges,
                      .count = count};
    bosc_status local_status = check(&p, graph, opts);
    bi_progress_set_total(ctx, (8 + 2 * PATH_COST) * (double)slice.view.m + 40 * (double)slice.view.n);
    BI_WITH_SCRATCH(ctx, status = run_proof(&p, local_status));
    bi_exchange_end(ctx, &p.exchange);
    bi_ranks_forest_end(ctx, &slice);
    return status == BOSC_OK ? report_fault(ctx, p.found, edge) : status;
}
