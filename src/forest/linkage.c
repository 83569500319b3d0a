/* Single-linkage dendrograms of spanning trees, without a serial merge. Edges have ranks in the order of (length, row).
 *
 * 1. Boruvka's rounds contract the tree: every node chooses its lightest edge, and the components of the chosen edges
 *    are the nodes of the next round. At least half of the nodes disappear in each round.
 * 2. A chosen edge belongs to the chain of one node: the first one above it in later rounds with heavier edges only.
 *    The edges of a chain, in the order of their ranks, are successive merges of one cluster: the first one joins the
 *    two nodes that chose it, any other one adds the node that chose it. The added node is complete, as its own chain
 *    holds lighter edges only.
 * 3. So one sort by (chain, rank) gives both children of every merge. Sums along chains, round after round, give the
 *    sizes.
 *
 * Few threads of a CPU merge the clusters by one edge after the other instead, in the order of the ranks.
 *
 * Source: Sao, Prokopenko, Lebrun-Grandie, PANDORA: A Parallel Dendrogram Construction Algorithm for Single Linkage
 * Clustering on GPU (ICPP 2024), which contracts the same edges. */
#include "base/bits.h"
#include "core/call.h"
#include "forest/drivers.h"

struct linkage {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    int64_t n;
    int64_t edges;                        /* of the round */
    int32_t rounds;                       /* complete ones */
    int64_t begin[BI_MSF_MAX_ROUNDS + 2]; /* round r has the nodes begin[r] to begin[r + 1] - 1 */
    struct bi_linkage args;
    uint64_t *other_ends;
    uint32_t *other_ranks;
    double *lengths;
    uint32_t *chain_at, *rank_at;
    int64_t *count;
};

/* Allocates the arrays of the edges, without contents. */
static bosc_status allocate_edges(struct linkage *l)
{
    struct bi_linkage *a = &l->args;
    const int64_t edges = l->n - 1;
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *l->lengths, &l->lengths));
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *a->ends, &a->ends));
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *a->ranks, &a->ranks));
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *a->ranks, &l->other_ranks));
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *l->rank_at, &l->rank_at));
    return bi_scratch_of(l->ctx, 2, sizeof *a->bad, &a->bad);
}

/* Allocates the arrays of the rounds, without contents. */
static bosc_status allocate_rounds(struct linkage *l)
{
    struct bi_linkage *a = &l->args;
    const int64_t edges = l->n - 1, nodes = 2 * l->n;
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *a->ends, &l->other_ends));
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *a->keep, &a->keep));
    BI_TRY(bi_scratch_of(l->ctx, nodes, sizeof *a->lightest, &a->lightest));
    BI_TRY(bi_scratch_of(l->ctx, nodes, sizeof *a->parent, &a->parent));
    BI_TRY(bi_scratch_of(l->ctx, nodes, sizeof *a->first, &a->first));
    BI_TRY(bi_scratch_of(l->ctx, nodes, sizeof *a->last, &a->last));
    BI_TRY(bi_scratch_of(l->ctx, l->n, sizeof *a->number, &a->number));
    for (int k = 0; k < 2; k++) BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *a->side[k], &a->side[k]));
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *l->chain_at, &l->chain_at));
    BI_TRY(bi_scratch_of(l->ctx, 1, sizeof *a->flag, &a->flag));
    return bi_scratch_of(l->ctx, 1, sizeof *l->count, &l->count);
}

/* Fails if a length is NaN. */
static bosc_status check_lengths(struct linkage *l, const double *lengths)
{
    int64_t bad = INT64_MAX;
    const struct bi_linkage_find_nan find = {lengths, l->args.bad};
    BI_TRY(l->ctx->backend->copy(l->ctx, l->args.bad, &bad, sizeof bad));
    BI_TRY(l->steps->linkage_find_nan(l->ctx, l->n - 1, &find));
    BI_TRY(bi_read_back(l->ctx, &bad, l->args.bad, sizeof bad));
    return bad == INT64_MAX ? BOSC_OK : bi_fail(l->ctx, BOSC_ERR_DATA, "lengths: row %lld is NaN", (long long)bad);
}

/* Sorts the edges by (length, row), and lists them as those of round 0. */
static bosc_status list_edges(struct linkage *l, const double *lengths)
{
    struct bi_linkage *a = &l->args;
    const struct bi_backend *backend = l->ctx->backend;
    const int64_t none[2] = {INT64_MAX, INT64_MAX};
    int64_t bad;
    BI_TRY(check_lengths(l, lengths));
    BI_TRY(backend->core->iota(l->ctx, 4, l->other_ranks, l->n - 1));
    BI_TRY(backend->core->sort_pairs(l->ctx, BOSC_F64, lengths, sizeof *l->rank_at, l->other_ranks, l->n - 1,
                                     l->lengths, l->rank_at, 0, 64));
    a->row_of = l->rank_at; /* which has no positions before sort_chains() */
    a->lengths = l->lengths;
    BI_TRY(backend->copy(l->ctx, a->bad, none, sizeof none));
    BI_TRY(l->steps->linkage_list_edges(l->ctx, l->n - 1, a));
    BI_TRY(bi_read_back(l->ctx, &bad, a->bad, sizeof bad));
    l->edges = l->n - 1;
    return bad == INT64_MAX ? BOSC_OK
                            : bi_fail(l->ctx, BOSC_ERR_DATA, "pairs: row %lld does not name two of %lld vertices",
                                      (long long)bad, (long long)l->n);
}

/* Points every node of the round at its root. */
static bosc_status find_roots(struct linkage *l)
{
    uint32_t more = 1;
    for (int times = 0; more && times < BI_UF_MAX_ASCENTS; times++) {
        BI_TRY(l->ctx->backend->fill(l->ctx, l->args.flag, 0, sizeof more));
        BI_TRY(l->steps->linkage_ascend(l->ctx, l->args.end - l->args.begin, &l->args));
        BI_TRY(bi_read_back(l->ctx, &more, l->args.flag, sizeof more));
    }
    return more ? bi_fail(l->ctx, BOSC_ERR_INTERNAL, "the chosen edges make a cycle") : BOSC_OK;
}

/* Numbers the roots as the nodes of the next round; *count = their number. */
static bosc_status number_roots(struct linkage *l, uint32_t *count)
{
    struct bi_linkage *a = &l->args;
    const int64_t nodes = a->end - a->begin;
    BI_TRY(find_roots(l));
    BI_TRY(l->steps->linkage_mark_roots(l->ctx, nodes, a));
    BI_TRY(l->ctx->backend->core->scan(l->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, a->number, nodes, a->number));
    BI_TRY(l->steps->linkage_number(l->ctx, nodes, a));
    return bi_read_back(l->ctx, count, a->number + nodes - 1, sizeof *count);
}

/* Keeps the edges that no node chose, with their ends in the next round. */
static bosc_status keep_unchosen(struct linkage *l)
{
    const struct bi_core_ops *core = l->ctx->backend->core;
    struct bi_linkage *a = &l->args;
    uint64_t *ends = a->ends;
    uint32_t *ranks = a->ranks;
    BI_TRY(core->compact(l->ctx, sizeof *ends, ends, a->keep, l->edges, l->other_ends, l->count));
    BI_TRY(core->compact(l->ctx, sizeof *ranks, ranks, a->keep, l->edges, l->other_ranks, l->count));
    BI_TRY(bi_read_back(l->ctx, &l->edges, l->count, sizeof l->edges));
    a->ends = l->other_ends;
    a->ranks = l->other_ranks;
    l->other_ends = ends;
    l->other_ranks = ranks;
    return l->steps->linkage_relabel(l->ctx, l->edges, a);
}

/* Reports the edge of a rank that closes a cycle. */
static bosc_status report_cycle(struct linkage *l, int64_t rank)
{
    uint32_t row;
    BI_TRY(bi_read_back(l->ctx, &row, l->args.row_of + rank, sizeof row));
    return bi_fail(l->ctx, BOSC_ERR_DATA, "pairs: no tree: row %lld closes a cycle", (long long)row);
}

/* Contracts the tree to one node. An edge that closes a cycle is the heaviest of the cycle, which no node chooses. */
static bosc_status contract_tree(struct linkage *l)
{
    struct bi_linkage *a = &l->args;
    int64_t bad[2];
    BI_TRY(l->ctx->backend->fill(l->ctx, a->lightest, 0xff, 2 * (size_t)l->n * sizeof *a->lightest));
    BI_TRY(l->ctx->backend->core->iota(l->ctx, 4, a->parent, 2 * l->n));
    l->begin[1] = l->n;
    while (l->edges > 0) {
        uint32_t count;
        a->begin = l->begin[l->rounds];
        a->end = l->begin[l->rounds + 1];
        BI_TRY(l->steps->linkage_propose(l->ctx, l->edges, a));
        BI_TRY(l->steps->linkage_choose(l->ctx, l->edges, a));
        BI_TRY(number_roots(l, &count));
        BI_TRY(keep_unchosen(l));
        l->rounds++;
        l->begin[l->rounds + 1] = a->end + count;
    }
    BI_TRY(bi_read_back(l->ctx, bad, a->bad, sizeof bad));
    return bad[1] == INT64_MAX ? BOSC_OK : report_cycle(l, bad[1]);
}

/* Sorts the edges by (chain, rank). The arrays of the rounds are free by now and serve again. */
static bosc_status sort_chains(struct linkage *l)
{
    struct bi_linkage *a = &l->args;
    const int bits = bi_bit_length((uint64_t)l->begin[l->rounds + 1]);
    a->chain = a->ranks;
    BI_TRY(l->steps->linkage_find_chains(l->ctx, l->n - 1, a));
    BI_TRY(l->ctx->backend->core->iota(l->ctx, 4, l->other_ranks, l->n - 1));
    BI_TRY(l->ctx->backend->core->sort_pairs(l->ctx, BOSC_U32, a->chain, sizeof *l->rank_at, l->other_ranks, l->n - 1,
                                             l->chain_at, l->rank_at, 0, bits));
    a->chain_at = l->chain_at;
    a->rank_at = l->rank_at;
    a->before = a->ranks;
    a->size = l->other_ranks;
    return l->steps->linkage_link_chains(l->ctx, l->n - 1, a);
}

/* Sums the vertices along the chains of one round after the other: their nodes' own chains are of earlier rounds. */
static bosc_status count_vertices(struct linkage *l)
{
    struct bi_linkage *a = &l->args;
    uint32_t end = 0;
    a->joined = (uint32_t *)a->ends;
    for (int32_t r = 1; r <= l->rounds; r++) {
        a->from = end;
        end = (uint32_t)(l->n - 1);
        if (r < l->rounds) BI_TRY(bi_read_back(l->ctx, &end, a->first + l->begin[r + 1], sizeof end));
        const int64_t count = end - a->from;
        BI_TRY(l->steps->linkage_count_joined(l->ctx, count, a));
        BI_TRY(l->ctx->backend->core->scan(l->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, a->joined, count, a->joined));
        BI_TRY(l->steps->linkage_store_sizes(l->ctx, count, a));
    }
    return BOSC_OK;
}

/* Merges the clusters by rounds, and writes the merges. */
static bosc_status run_rounds(struct linkage *l)
{
    BI_TRY(allocate_rounds(l));
    BI_TRY(contract_tree(l));
    BI_TRY(sort_chains(l));
    BI_TRY(count_vertices(l));
    return l->steps->linkage_write(l->ctx, l->n - 1, &l->args);
}

/* Merges the clusters by one edge after the other, and writes the merges. */
static bosc_status merge_in_order(struct linkage *l)
{
    const int64_t edges = l->n - 1;
    struct bi_linkage_merges merges = {.n = l->n, .ends = l->args.ends};
    for (int k = 0; k < 2; k++) BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *merges.clusters[k], &merges.clusters[k]));
    BI_TRY(bi_scratch_of(l->ctx, edges, sizeof *merges.sizes, &merges.sizes));
    BI_TRY_WITH_SCRATCH(l->ctx, l->ctx->ops->forest->merge_clusters(l->ctx, &merges));
    if (merges.cycle < edges) return report_cycle(l, merges.cycle);
    const struct bi_linkage_write_merge write = {
        {merges.clusters[0], merges.clusters[1]}, merges.sizes, l->lengths, l->args.z};
    return l->steps->linkage_write_merge(l->ctx, edges, &write);
}

static bosc_status compute_linkage(bosc_ctx *ctx, int64_t n, bool is_64bit, const void *pairs, const double *lengths,
                                   double *z)
{
    struct linkage l = {.ctx = ctx, .steps = ctx->ops->forest->steps, .n = n, .args = {.is_64bit = is_64bit, .n = n}};
    const size_t edges = (size_t)(n - 1);
    const void *sources[2] = {pairs, lengths};
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, pairs, 2 * edges * (is_64bit ? 8 : 4), &sources[0], &staged));
    BI_TRY(bi_stage_in(ctx, lengths, edges * sizeof *lengths, &sources[1], &staged));
    BI_TRY(bi_stage_out(ctx, z, 4 * edges * sizeof *z, &out, &staged));
    l.args.pairs = sources[0];
    l.args.z = out.reachable;
    BI_TRY(allocate_edges(&l));
    BI_TRY(list_edges(&l, sources[1]));
    const struct bi_forest_ops *ops = ctx->ops->forest;
    BI_TRY((ops->merge_clusters && ops->prefers_merges(ctx) ? merge_in_order : run_rounds)(&l));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_linkage_compute(bosc_ctx *ctx, const void *pairs, const double *lengths, int64_t n,
                                 const bosc_linkage_opts *opts, double *z)
{
    bosc_linkage_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_read_opts(ctx, "bosc_linkage_opts", opts, &full, sizeof full));
    int32_t id_bits = full.id_bits ? full.id_bits : 64;
    BI_TRY(bi_forest_check_id_bits(ctx, id_bits));
    BI_TRY(bi_forest_check_tree(ctx, pairs, n, id_bits));
    if (n > 1 && !lengths) return bi_fail(ctx, BOSC_ERR_ARG, "lengths: NULL");
    if (n > 1 && !z) return bi_fail(ctx, BOSC_ERR_ARG, "z: NULL");
    if ((uintptr_t)lengths % sizeof *lengths) return bi_fail(ctx, BOSC_ERR_ARG, "lengths: not aligned to doubles");
    if ((uintptr_t)z % sizeof *z) return bi_fail(ctx, BOSC_ERR_ARG, "z: not aligned to doubles");
    if (n < 2) return BOSC_OK;
    bi_progress_set_total(ctx, 30 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, compute_linkage(ctx, n, id_bits == 64, pairs, lengths, z));
}
