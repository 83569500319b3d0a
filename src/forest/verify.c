/* The proof that given edges are the minimum spanning forest. Boruvka's rounds over the given edges alone make a tree
 * whose leaves are the vertices; each node stores the edge that its component chose. The heaviest edge on the path
 * between two vertices of the forest is the heaviest on their paths up to the lowest common ancestor. Source: King, A
 * Simpler Minimum Spanning Tree Verification Algorithm (1997), section 2. */
#include "base/bits.h"
#include "core/call.h"
#include "forest/drivers.h"

enum { PATH_ITEMS = 8 /* progress weight: simple items that take as long as the two paths of an arc; estimated */ };

/* A given edge has a position in the caller's list and, once sorted by (rank, id), a turn. */
struct proof {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    const struct bi_core_ops *core;
    const struct bi_graph_view *graph;
    struct bi_msf_rows rows;
    const void *given; /* ids of the graph's id_bits */
    int64_t count;
    bool given_64bit;

    uint64_t *ends; /* by position in the caller's list */
    void *ranks;
    uint32_t *order;                 /* the position of each turn */
    void *sorted_ids, *sorted_ranks; /* by turn */
    struct bi_msf_tree tree;
    struct bi_msf_verify_faults *faults; /* in the backend's memory */
};

static int64_t tile_count(const struct proof *p) { return bi_div_up(p->rows.arcs, BI_MSF_ITEM_ARCS); }

static bosc_status read_faults(struct proof *p, struct bi_msf_verify_faults *faults)
{
    return bi_read_back(p->ctx, faults, p->faults, sizeof *faults);
}

/* Finds the given edges in the graph: each must count there and appear once. */
static bosc_status check_given(struct proof *p, struct bi_msf_verify_faults *faults)
{
    const struct bi_backend *backend = p->ctx->backend;
    struct bi_msf_verify_given given = {p->given, p->given_64bit, p->graph->entries, NULL, p->faults};
    struct bi_msf_verify_find find = {.rows = p->rows};
    BI_TRY(bi_scratch_of(p->ctx, p->graph->entries, sizeof(uint32_t), &given.position_of));
    BI_TRY(bi_scratch_of(p->ctx, p->count, 1, &find.seen));
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof *p->ends, &p->ends));
    BI_TRY(bi_scratch_of(p->ctx, p->count, bi_msf_word_bytes(p->rows.keys_64bit), &p->ranks));
    if (p->graph->entries) BI_TRY(backend->fill(p->ctx, given.position_of, 0xff, (size_t)p->graph->entries * 4));
    if (p->count) BI_TRY(backend->fill(p->ctx, find.seen, 0, (size_t)p->count));
    BI_TRY(p->steps->msf_verify_given(p->ctx, p->count, &given));
    BI_TRY(read_faults(p, faults));
    if (faults->absent != INT64_MAX) return BOSC_OK;
    find.position_of = given.position_of;
    find.ends = p->ends;
    find.ranks = p->ranks;
    struct bi_msf_verify_found found = {p->given, p->given_64bit, given.position_of, find.seen, p->faults};
    BI_TRY_WITH_COST(p->ctx, BI_MSF_ITEM_ARCS, p->steps->msf_verify_find(p->ctx, tile_count(p), &find));
    BI_TRY(p->steps->msf_verify_found(p->ctx, p->count, &found));
    return read_faults(p, faults);
}

/* Sorts the given edges by (rank, id): by id, then stably by rank. */
static bosc_status sort_given(struct proof *p)
{
    uint32_t *positions, *by_id;
    void *ids, *ids_by_id, *ranks_by_id;
    bool is_64bit = p->rows.is_64bit, keys_64bit = p->rows.keys_64bit;
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof *positions, &positions));
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof *by_id, &by_id));
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof *p->order, &p->order));
    BI_TRY(bi_scratch_of(p->ctx, p->count, bi_msf_word_bytes(is_64bit), &ids));
    BI_TRY(bi_scratch_of(p->ctx, p->count, bi_msf_word_bytes(is_64bit), &ids_by_id));
    BI_TRY(bi_scratch_of(p->ctx, p->count, bi_msf_word_bytes(is_64bit), &p->sorted_ids));
    BI_TRY(bi_scratch_of(p->ctx, p->count, bi_msf_word_bytes(keys_64bit), &ranks_by_id));
    BI_TRY(bi_scratch_of(p->ctx, p->count, bi_msf_word_bytes(keys_64bit), &p->sorted_ranks));
    struct bi_msf_verify_gather ranks = {p->ranks, by_id, ranks_by_id, keys_64bit},
                                sorted = {ids, p->order, p->sorted_ids, is_64bit};
    BI_TRY(p->ctx->backend->core->iota(p->ctx, 4, positions, p->count));
    BI_TRY(bi_graph_convert_words(p->ctx, p->given, p->given_64bit, ids, is_64bit, p->count));
    BI_TRY(p->core->sort_pairs(p->ctx, bi_msf_word_type(is_64bit), ids, 4, positions, p->count, ids_by_id, by_id, 0,
                               is_64bit ? 64 : 32));
    BI_TRY(p->steps->msf_verify_gather(p->ctx, p->count, &ranks));
    BI_TRY(p->core->sort_pairs(p->ctx, bi_msf_word_type(keys_64bit), ranks_by_id, 4, by_id, p->count, p->sorted_ranks,
                               p->order, 0, keys_64bit ? 64 : 32));
    return p->steps->msf_verify_gather(p->ctx, p->count, &sorted);
}

/* Lists both arcs of each given edge, sorted by their vertices. A turn is a 32-bit rank of its edge. */
static bosc_status list_given(struct proof *p, struct bi_msf_rounds *rounds)
{
    int64_t arcs = 2 * p->count;
    struct bi_msf_verify_arcs list = {.ends = p->ends, .order = p->order, .shift = bi_bit_length((uint64_t)p->rows.n)};
    void *count;
    for (int k = 0; k < 2; k++) {
        BI_TRY(bi_scratch_of(p->ctx, arcs, sizeof(uint64_t), &rounds->ends[k]));
        BI_TRY(bi_scratch_of(p->ctx, arcs, sizeof(uint32_t), &rounds->positions[k]));
    }
    BI_TRY(bi_scratch_of(p->ctx, arcs, 1, &list.keep));
    BI_TRY(bi_scratch_of(p->ctx, 1, sizeof(int64_t), &count));
    list.arcs = rounds->ends[0];
    list.turns = rounds->positions[0];
    rounds->list = (struct bi_msf_list){.rows = p->rows, .ranks = true, .shift = list.shift};
    if (p->count == 0) return BOSC_OK;
    BI_TRY(p->steps->msf_verify_arcs(p->ctx, p->count, &list));
    BI_TRY(p->core->compact(p->ctx, sizeof(uint64_t), list.arcs, list.keep, arcs, rounds->ends[1], count));
    BI_TRY(p->core->compact(p->ctx, sizeof(uint32_t), list.turns, list.keep, arcs, rounds->positions[1], count));
    BI_TRY(bi_read_back(p->ctx, &rounds->list.count, count, sizeof rounds->list.count));
    return p->core->sort_pairs(p->ctx, BOSC_U64, rounds->ends[1], 4, rounds->positions[1], rounds->list.count,
                               rounds->ends[0], rounds->positions[0], list.shift, 2 * list.shift);
}

/* Builds the tree of rounds over the given edges. An edge that no component chose closes a cycle. */
static bosc_status grow_tree(struct proof *p)
{
    struct bi_msf_rounds rounds = {.n = p->rows.n, .atomic = true, .keep_parallel = true, .tree = &p->tree};
    uint8_t *chosen;
    BI_TRY(list_given(p, &rounds));
    BI_TRY(bi_scratch_of(p->ctx, p->rows.n, sizeof(uint32_t), &p->tree.leaf));
    BI_TRY(bi_scratch_of(p->ctx, 2 * p->rows.n, sizeof(uint32_t), &p->tree.parent));
    BI_TRY(bi_scratch_of(p->ctx, 2 * p->rows.n, sizeof(uint32_t), &p->tree.rank));
    BI_TRY(bi_scratch_of(p->ctx, p->count, sizeof(uint32_t), &rounds.chosen));
    BI_TRY(bi_scratch_of(p->ctx, p->count, 1, &chosen));
    if (p->rows.n) BI_TRY(p->ctx->backend->fill(p->ctx, p->tree.leaf, 0xff, (size_t)p->rows.n * sizeof(uint32_t)));
    if (p->count) BI_TRY(p->ctx->backend->fill(p->ctx, chosen, 0, (size_t)p->count));
    BI_TRY(bi_msf_run_rounds(p->ctx, &rounds));
    struct bi_msf_mark_ids mark = {rounds.chosen, false, chosen};
    struct bi_msf_verify_unchosen unchosen = {chosen, p->sorted_ids, p->rows.is_64bit, p->faults};
    BI_TRY(p->steps->msf_mark_ids(p->ctx, rounds.found, &mark));
    return p->steps->msf_verify_unchosen(p->ctx, p->count, &unchosen);
}

/* Compares every edge of the graph with the heaviest given edge on the path between its ends. */
static bosc_status compare_paths(struct proof *p)
{
    struct bi_msf_verify_compare_paths compare_paths = {
        .rows = p->rows, .ids = p->sorted_ids, .ranks = p->sorted_ranks, .faults = p->faults};
    int64_t nodes = p->tree.begin[p->tree.levels];
    struct bi_msf_verify_pack_nodes pack = {p->tree.rank, p->tree.parent, NULL};
    BI_TRY(bi_scratch_of(p->ctx, nodes, sizeof(uint64_t), &pack.nodes));
    BI_TRY(p->steps->msf_verify_pack_nodes(p->ctx, nodes, &pack));
    struct bi_msf_verify_leaf_nodes leaves = {p->tree.leaf, pack.nodes, NULL};
    BI_TRY(bi_scratch_of(p->ctx, p->rows.n, sizeof(uint64_t), &leaves.entry));
    BI_TRY(p->steps->msf_verify_leaf_nodes(p->ctx, p->rows.n, &leaves));
    compare_paths.nodes = pack.nodes;
    compare_paths.entry = leaves.entry;
    for (int32_t k = 0; k < BI_MSF_VERIFY_LEVELS + 2; k++)
        compare_paths.begin[k] = p->tree.begin[k < p->tree.levels ? k : p->tree.levels];
    BI_TRY_WITH_COST(p->ctx, PATH_ITEMS * BI_MSF_ITEM_ARCS,
                     p->steps->msf_verify_compare_paths(p->ctx, tile_count(p), &compare_paths));
    return BOSC_OK;
}

/* Stops at the first kind of fault found. */
static bosc_status prove_forest(struct proof *p, struct bi_msf_verify_faults *faults)
{
    static const struct bi_msf_verify_faults none = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    BI_TRY(bi_scratch_of(p->ctx, 1, sizeof none, &p->faults));
    BI_TRY(p->ctx->backend->copy(p->ctx, p->faults, &none, sizeof none));
    BI_TRY(check_given(p, faults));
    if (faults->absent != INT64_MAX || faults->repeated != INT64_MAX) return BOSC_OK;
    BI_TRY(sort_given(p));
    BI_TRY(grow_tree(p));
    BI_TRY(read_faults(p, faults));
    if (faults->cycle != INT64_MAX) return BOSC_OK;
    BI_TRY(compare_paths(p));
    return read_faults(p, faults);
}

/* Turns the first fault into an error message; *edge = its edge. */
static bosc_status report_fault(bosc_ctx *ctx, const struct bi_msf_verify_faults *faults, int64_t *edge)
{
    const struct {
        int64_t id;
        const char *what;
    } kinds[] = {
        {faults->absent, "it is given, but is no edge of the graph as the options leave it"},
        {faults->repeated, "it is given more than once"},
        {faults->cycle, "it is the heaviest of a cycle of edges given"},
        {faults->apart, "its ends are in two trees of the edges given"},
        {faults->lighter, "it is not given, but lighter than an edge given between its ends"},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (kinds[k].id == INT64_MAX) continue;
        if (edge) *edge = kinds[k].id;
        return bi_fail(ctx, BOSC_ERR_DATA, "edge %lld: %s", (long long)kinds[k].id, kinds[k].what);
    }
    return BOSC_OK;
}

static bosc_status stage_and_prove(struct proof *p, const bosc_msf_opts *opts, const void *edges,
                                   struct bi_msf_verify_faults *faults)
{
    bool staged = false;
    BI_TRY(bi_msf_rows_of(p->ctx, p->graph, opts, &p->rows));
    BI_TRY(bi_stage_in(p->ctx, edges, (size_t)p->count * bi_msf_word_bytes(p->given_64bit), &p->given, &staged));
    return prove_forest(p, faults);
}

bosc_status bosc_msf_verify(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, const void *edges,
                            int64_t count, int64_t *edge)
{
    struct bi_graph_view view;
    bosc_msf_opts full;
    struct bi_msf_verify_faults faults;
    BI_ENTER(ctx);
    BI_TRY(bi_graph_view_of(ctx, graph, &view));
    BI_TRY(bi_msf_check_opts(ctx, &view, opts, &full));
    if (full.trees) return bi_fail(ctx, BOSC_ERR_ARG, "opts: trees is %lld, not 0", (long long)full.trees);
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "count: %lld is less than 0", (long long)count);
    if (count >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "count: %lld edges; a forest has less than 2^32 - 1", (long long)count);
    if (count > 0 && !edges) return bi_fail(ctx, BOSC_ERR_ARG, "edges: NULL");
    BI_TRY(bi_forest_check_ids(ctx, &view, "edges", edges));
    bi_progress_set_total(ctx, (50 + 2 * PATH_ITEMS) * (double)view.m);
    struct proof p = {.ctx = ctx,
                      .steps = ctx->ops->forest->steps,
                      .core = ctx->backend->core,
                      .graph = &view,
                      .count = count,
                      .given_64bit = view.id_bits == 64};
    BI_TRY_WITH_SCRATCH(ctx, stage_and_prove(&p, &full, edges, &faults));
    return report_fault(ctx, &faults, edge);
}
