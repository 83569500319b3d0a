/* The proof that edges are the minimum spanning tree of points. Boruvka's rounds run over the given edges. In each
 * round the lightest given edge that leaves a component bounds a search for the nearest points outside; the component
 * passes if the search finds that edge. Then the cut property puts the edge into the tree, and the round joins the
 * components at its ends. After the last round all given edges have passed: n - 1 edges join n points. */
#include "forest/emst.h"

#include "base/bits.h"
#include "base/union_find.h"
#include "core/call.h"
#include "core/check.h"
#include "kdtree/nearest.h"

/* The caller's arrays, and the fault found. */
struct proof {
    const void *pairs;
    bosc_emst_fault *fault;
};

/* Given edges on the host, once one is known to be wrong. */
struct given {
    int64_t n;
    const uint64_t *pairs, *words;
};

/* --- Faults ------------------------------------------------------------------------------------------------------- */

/* Copies the given edges to host scratch. *rest = `spare` bytes behind them. */
static bosc_status copy_given(bosc_ctx *ctx, const struct bi_emst_proof *a, size_t spare, struct given *g, void **rest)
{
    const size_t edges = (size_t)(a->n - 1), bytes = edges * sizeof(uint64_t);
    uint64_t *memory;
    BI_TRY(bi_host_scratch(ctx, 2 * bytes + spare, (void **)&memory));
    BI_TRY(ctx->backend->copy(ctx, memory, a->pairs, bytes));
    BI_TRY(ctx->backend->copy(ctx, memory + edges, a->words, bytes));
    *g = (struct given){a->n, memory, memory + edges};
    *rest = memory + 2 * edges;
    return ctx->backend->sync(ctx);
}

/* Reports the first row that closes a cycle. */
static bosc_status report_cycle(bosc_ctx *ctx, const struct bi_emst_proof *a, bosc_emst_fault *fault)
{
    struct given g;
    void *rest;
    BI_TRY(copy_given(ctx, a, (size_t)a->n * sizeof(uint32_t), &g, &rest));
    uint32_t *parent = rest;
    for (int64_t v = 0; v < g.n; v++) parent[v] = (uint32_t)v;
    for (int64_t i = 0; i < g.n - 1; i++) {
        const uint32_t u = (uint32_t)(g.pairs[i] >> 32), v = (uint32_t)g.pairs[i];
        if (bi_uf_find(parent, u) == bi_uf_find(parent, v)) {
            fault->row = i;
            return bi_fail(ctx, BOSC_ERR_DATA, "pairs: no tree: row %lld closes a cycle", (long long)i);
        }
        bi_uf_union(parent, u, v);
    }
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "a tree has no edge between its components");
}

/* Stores the edges at every point: those of v are rows[begin[v]] to rows[begin[v + 1] - 1]. */
static void list_edges(const struct given *g, uint64_t *begin, uint32_t *rows)
{
    const int64_t edges = g->n - 1;
    for (int64_t v = 0; v <= g->n; v++) begin[v] = 0;
    for (int64_t i = 0; i < edges; i++) {
        begin[g->pairs[i] >> 32]++;
        begin[(uint32_t)g->pairs[i]]++;
    }
    for (int64_t v = 1; v <= g->n; v++) begin[v] += begin[v - 1];
    for (int64_t i = edges; i-- > 0;) {
        rows[--begin[g->pairs[i] >> 32]] = (uint32_t)i;
        rows[--begin[(uint32_t)g->pairs[i]]] = (uint32_t)i;
    }
}

/* Returns the last edge, by (squared length, pair), of the path from the first point of `pair` to the second. `from`
 * and `queue`: n each. */
static int64_t find_longest(const struct given *g, uint64_t pair, const uint64_t *begin, const uint32_t *rows,
                            uint32_t *from, uint32_t *queue)
{
    const uint32_t first = (uint32_t)(pair >> 32), second = (uint32_t)pair;
    int64_t longest = -1, end = 0;
    /* 1. Search from the first point; from[v]: the edge to v. */
    for (int64_t v = 0; v < g->n; v++) from[v] = UINT32_MAX;
    queue[end++] = first;
    for (int64_t at = 0; at < end && from[second] == UINT32_MAX; at++) {
        const uint32_t v = queue[at];
        for (uint64_t k = begin[v]; k < begin[v + 1]; k++) {
            const uint64_t edge = g->pairs[rows[k]];
            const uint32_t other = (uint32_t)(edge >> 32) == v ? (uint32_t)edge : (uint32_t)(edge >> 32);
            if (other == first || from[other] != UINT32_MAX) continue;
            from[other] = rows[k];
            queue[end++] = other;
        }
    }
    /* 2. Go back along the path. */
    for (uint32_t v = second; v != first && from[v] != UINT32_MAX;) {
        const int64_t i = from[v];
        const uint64_t edge = g->pairs[i];
        if (longest < 0 || g->words[i] > g->words[longest] ||
            (g->words[i] == g->words[longest] && edge > g->pairs[longest]))
            longest = i;
        v = (uint32_t)(edge >> 32) == v ? (uint32_t)edge : (uint32_t)(edge >> 32);
    }
    return longest;
}

/* The length of a word, of the points as given; squared for bosc_emst_verify. */
static double length_of(const struct bi_emst_points *p, uint64_t word)
{
    const bool is_f32 = p->opts->dtype == BOSC_F32;
    const double length = is_f32 ? (double)bi_f32_from_bits((uint32_t)word) : bi_f64_from_bits(word);
    return p->p > 0 ? length : bi_emst_unscaled(length, 1 / p->scale, p->roots);
}

/* Reports the edge that a better one replaces. */
static bosc_status report_longer(bosc_ctx *ctx, const struct bi_emst_points *p, const struct bi_emst_proof *a,
                                 const uint64_t better[2], bosc_emst_fault *fault)
{
    const size_t n = (size_t)a->n, bytes = (n + 1) * sizeof(uint64_t) + 4 * n * sizeof(uint32_t);
    struct given g;
    void *rest;
    BI_TRY(copy_given(ctx, a, bytes, &g, &rest));
    uint64_t *begin = rest;
    uint32_t *rows = (uint32_t *)(begin + n + 1), *from = rows + 2 * n;
    list_edges(&g, begin, rows);
    const int64_t row = find_longest(&g, better[1], begin, rows, from, from + n);
    if (row < 0) return report_cycle(ctx, a, fault); /* no path: some edges are not in any round so far */
    fault->row = row;
    fault->better[0] = (int64_t)(better[1] >> 32);
    fault->better[1] = (int64_t)(uint32_t)better[1];
    fault->dist2 = length_of(p, g.words[row]);
    fault->better_dist2 = length_of(p, better[0]);
    return bi_fail(ctx, BOSC_ERR_DATA, "pairs: row %lld (%lld, %lld) is not minimal: (%lld, %lld) replaces it",
                   (long long)row, (long long)(g.pairs[row] >> 32), (long long)(uint32_t)g.pairs[row],
                   (long long)fault->better[0], (long long)fault->better[1]);
}

/* --- Rounds ------------------------------------------------------------------------------------------------------- */

/* Reads and measures the given edges. */
static bosc_status read_edges(bosc_ctx *ctx, const struct bi_emst_points *p, struct bi_emst_proof *a,
                              bosc_emst_fault *fault)
{
    struct bi_kdtree_rows rows = {NULL, p->n, p->opts->dim};
    int64_t bad = INT64_MAX;
    BI_TRY(bi_kdtree_own_rows(ctx, p->tree, &rows));
    a->points = rows.data;
    BI_TRY(ctx->backend->copy(ctx, a->bad, &bad, sizeof bad));
    BI_TRY(ctx->ops->forest->steps->emst_read_edge(ctx, p->n - 1, a));
    BI_TRY(bi_read_back(ctx, &bad, a->bad, sizeof bad));
    if (bad == INT64_MAX && !(p->p > 0)) return BOSC_OK;
    if (bad == INT64_MAX) BI_RETURN_WITH_SCRATCH(ctx, bi_emst_refuse_infinite(ctx, a->words, p->n - 1));
    fault->row = bad;
    return bi_fail(ctx, BOSC_ERR_DATA, "pairs: row %lld does not name two of %lld points", (long long)bad,
                   (long long)p->n);
}

/* Finds the lightest given edge that leaves each component. */
static bosc_status find_given(struct bi_emst_rounds *e, struct bi_emst_proof *a, bosc_emst_fault *fault)
{
    bool edgeless;
    BI_TRY(e->steps->emst_clear(e->ctx, e->components, &e->args));
    BI_TRY_WITH_COST(e->ctx, BI_EMST_LOOKUP_ITEMS, e->steps->emst_propose_given(e->ctx, e->n - 1, a));
    BI_TRY_WITH_COST(e->ctx, BI_EMST_LOOKUP_ITEMS, e->steps->emst_break_given_ties(e->ctx, e->n - 1, a));
    BI_TRY(bi_emst_run_flag_step(e, e->steps->emst_find_edgeless, &edgeless));
    if (edgeless) return report_cycle(e->ctx, a, fault);
    return e->steps->emst_store_given(e->ctx, e->components, a);
}

/* Compares the lightest given edges with the shortest ones, by the searches. */
static bosc_status compare_edges(struct bi_emst_rounds *e, const struct bi_emst_points *p, struct bi_emst_proof *a,
                                 bosc_emst_fault *fault)
{
    const uint64_t none[2] = {UINT64_MAX, UINT64_MAX};
    uint64_t better[2];
    BI_TRY(e->ctx->backend->copy(e->ctx, a->better, none, sizeof none));
    BI_TRY(e->steps->emst_compare(e->ctx, e->components, a));
    BI_TRY(e->steps->emst_compare_ties(e->ctx, e->components, a));
    BI_TRY(bi_read_back(e->ctx, better, a->better, sizeof better));
    return better[0] == UINT64_MAX ? BOSC_OK : report_longer(e->ctx, p, a, better, fault);
}

/* A round: every component's lightest given edge is its shortest one. */
static bosc_status prove_round(struct bi_emst_rounds *e, const struct bi_emst_points *p, struct bi_emst_proof *a,
                               bosc_emst_fault *fault)
{
    a->rounds = e->args; /* lists of components alternate */
    BI_TRY(bi_kdtree_label_blocks(e->ctx, &e->order, e->args.label, &e->blocks));
    BI_TRY(find_given(e, a, fault));
    BI_TRY(e->steps->emst_advance(e->ctx, e->n, &e->args)); /* drops neighbours of the point's own component */
    BI_TRY(bi_emst_search(e));
    BI_TRY(compare_edges(e, p, a, fault));
    return bi_emst_join(e);
}

static bosc_status allocate_proof(bosc_ctx *ctx, int64_t n, struct bi_emst_proof *a)
{
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->pairs, &a->pairs));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->words, &a->words));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->lightest_pairs, &a->lightest_pairs));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->lightest_words, &a->lightest_words));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->bad, &a->bad));
    return bi_scratch_of(ctx, 2, sizeof *a->better, &a->better);
}

static bosc_status prove_tree(bosc_ctx *ctx, const struct bi_emst_points *p, void *user)
{
    const struct proof *proof = user;
    const bool is_64bit = p->opts->dtype != BOSC_F32, ids_64bit = p->opts->id_bits == 64;
    const int64_t k = p->min_samples ? p->min_samples : 1;
    bool staged = false;
    struct bi_emst_rounds e = {.ctx = ctx,
                               .steps = ctx->ops->forest->steps,
                               .tree = p->tree,
                               .n = p->n,
                               .components = p->n,
                               .p = p->p,
                               .args = {.is_64bit = is_64bit, .k = (int32_t)k, .core_at = (int32_t)(k - 1)}};
    struct bi_emst_proof a = {
        .ids_64bit = ids_64bit, .dtype = p->opts->dtype, .dim = p->opts->dim, .p = p->p, .n = p->n};
    if (!(p->p > 0)) BI_TRY(bi_emst_check_magnitude(ctx, p->tree, is_64bit));
    /* 1. Stage the edges, and allocate. */
    BI_TRY(bi_stage_in(ctx, proof->pairs, 2 * (size_t)(p->n - 1) * (ids_64bit ? 8 : 4), &a.given, &staged));
    BI_TRY(bi_emst_allocate(&e));
    BI_TRY(allocate_proof(ctx, p->n, &a));
    BI_TRY(bi_scratch_of(ctx, p->n, sizeof *e.pairs, &e.pairs));
    BI_TRY(bi_scratch_of(ctx, p->n, sizeof *e.words, &e.words));
    /* 2. Make the blocks of the searches, and measure the edges. Lists of neighbours serve core distances alone: with
     * args.length 0 no round reads them. */
    BI_TRY(bi_kdtree_order_nodes(ctx, p->tree, &e.order));
    BI_TRY(bi_kdtree_make_labelled_blocks(ctx, &e.order, &e.blocks));
    e.blocks.p = p->p;
    if (p->min_samples) BI_TRY(bi_emst_find_cores(&e));
    a.rounds = e.args;
    BI_TRY(read_edges(ctx, p, &a, proof->fault));
    /* 3. Prove round after round. */
    BI_TRY(e.steps->emst_init_points(ctx, e.n, &e.args));
    while (e.components > 1) BI_TRY(prove_round(&e, p, &a, proof->fault));
    return BOSC_OK;
}

/* Checks the arguments of a proof but for the points. */
static bosc_status check_proof(bosc_ctx *ctx, const bosc_emst_opts *opts, bosc_emst_opts *full, int64_t n,
                               int64_t min_samples, const void *pairs, const bosc_emst_fault *fault)
{
    BI_TRY(bi_emst_check_opts(ctx, opts, full));
    BI_TRY(bi_emst_check_arrays(ctx, full, n, n - 1, pairs, NULL));
    if (min_samples != 0) BI_TRY(bi_emst_check_min_samples(ctx, min_samples, n));
    return fault ? bi_check_info(ctx, "fault", "bosc_emst_fault", fault->size, sizeof *fault) : BOSC_OK;
}

bosc_status bosc_emst_verify(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride, const bosc_emst_opts *opts,
                             int64_t min_samples, const void *pairs, bosc_emst_fault *fault)
{
    bosc_emst_opts full;
    bosc_emst_fault found = {.size = sizeof found, .row = -1, .better = {-1, -1}};
    BI_ENTER(ctx);
    BI_TRY(check_proof(ctx, opts, &full, n, min_samples, pairs, fault));
    struct bi_emst_points scaled = {.n = n, .opts = &full, .min_samples = min_samples};
    struct proof proof = {pairs, &found};
    bi_progress_set_total(ctx, 500 * (double)n);
    const bosc_status status = bi_emst_with_tree(ctx, points, stride, &scaled, prove_tree, &proof);
    if (fault && (status == BOSC_OK || status == BOSC_ERR_DATA)) bi_copy_info(fault, &found, sizeof found);
    return status;
}

bosc_status bosc_emst_verify_minkowski(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                       const bosc_emst_opts *opts, double p, int64_t min_samples, const void *pairs,
                                       bosc_emst_fault *fault)
{
    bosc_emst_opts full;
    bosc_emst_fault found = {.size = sizeof found, .row = -1, .better = {-1, -1}};
    BI_ENTER(ctx);
    BI_TRY(check_proof(ctx, opts, &full, n, min_samples, pairs, fault));
    BI_TRY(bi_emst_check_order(ctx, p));
    BI_TRY(bi_emst_check_rows(ctx, &full, points, n, stride));
    struct bi_emst_points rows = {.n = n, .min_samples = min_samples};
    struct proof proof = {pairs, &found};
    bi_progress_set_total(ctx, 1000 * (double)n);
    const bosc_status status = bi_emst_with_order(ctx, points, stride, &full, p, &rows, prove_tree, &proof);
    if (fault && (status == BOSC_OK || status == BOSC_ERR_DATA)) bi_copy_info(fault, &found, sizeof found);
    return status;
}
