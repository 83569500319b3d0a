/* A rank's slice of a graph: the arguments that must be equal on all ranks, and lists of the rank's edges. */
#include "core/call.h"
#include "ranks/forest/forest.h"

bosc_status bi_ranks_forest_check(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                  struct bi_ranks_forest_slice *slice)
{
    slice->graph = graph;
    BI_TRY(bi_graph_view_of(ctx, graph, &slice->view));
    return bi_msf_check_opts(ctx, &slice->view, opts, &slice->opts);
}

/* ---- arguments that must be equal ---- */

/* Values that the ranks exchange. Those before ENTRIES must be equal. */
enum { VERTICES, WEIGHT, ID_BITS, MAXIMUM, TREES, REPLICATED, LIMIT, VERTEX_MASK, ENTRIES, VALUES };

static const struct {
    const char *name;
    bool shows_values; /* the message shows the values */
} shared[ENTRIES] = {
    [VERTICES] = {"graph: vertices", true}, [WEIGHT] = {"graph: weight type", true},
    [ID_BITS] = {"graph: id_bits", true},   [MAXIMUM] = {"opts: maximum", true},
    [TREES] = {"opts: trees", true},        [REPLICATED] = {"opts: replicated_bytes", true},
    [LIMIT] = {"opts: limit", false},       [VERTEX_MASK] = {"opts: vertex_mask", false},
};

static bosc_status compare_values(bosc_ctx *ctx, const int64_t *values, const int64_t *others)
{
    for (int k = 0; k < ENTRIES; k++) {
        if (values[k] == others[k]) continue;
        if (!shared[k].shows_values) return bi_fail(ctx, BOSC_ERR_ARG, "%s: not that of rank 0", shared[k].name);
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is not the %lld of rank 0", shared[k].name, (long long)values[k],
                       (long long)others[k]);
    }
    return BOSC_OK;
}

/* Computes a number that identifies the set of excluded vertices. */
static bosc_status hash_mask(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t *hash)
{
    struct bi_ranks_forest_hash_mask args = {rows->order.vertex_mask, NULL};
    void *sum;
    *hash = 0;
    if (!args.mask || rows->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rows->n, sizeof(uint64_t), &args.hashes));
    BI_TRY(bi_scratch(ctx, sizeof *hash, &sum));
    BI_TRY(ctx->ops->ranks->steps->forest_hash_mask(ctx, rows->n, &args));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, args.hashes, rows->n, sum));
    return bi_read_back(ctx, hash, sum, sizeof *hash);
}

/* Sets this rank's values, and the rows of its graph; masks come within reach. */
static bosc_status set_values(bosc_ctx *ctx, struct bi_ranks_forest_slice *slice, int64_t values[VALUES])
{
    const struct bi_graph_view *view = &slice->view;
    BI_TRY(bi_msf_rows_of(ctx, view, &slice->opts, &slice->rows));
    slice->opts.vertex_mask = slice->rows.order.vertex_mask;
    slice->opts.edge_mask = slice->rows.order.edge_mask;
    values[VERTICES] = view->n;
    values[WEIGHT] = view->weight;
    values[ID_BITS] = view->id_bits;
    values[MAXIMUM] = slice->opts.maximum != 0;
    values[TREES] = slice->opts.trees;
    values[REPLICATED] = slice->opts.replicated_bytes;
    values[LIMIT] = (int64_t)slice->rows.order.limit;
    values[ENTRIES] = view->entries;
    BI_TRY_WITH_SCRATCH(ctx, hash_mask(ctx, &slice->rows, &values[VERTEX_MASK]));
    return BOSC_OK;
}

static bosc_status allocate_lists(bosc_ctx *ctx, int32_t ranks, struct bi_ranks_forest_slice *slice)
{
    slice->list_bytes = 5 * (size_t)(ranks + 1) * sizeof *slice->entry_begins;
    slice->entry_begins = bi_host_alloc(ctx, slice->list_bytes);
    if (!slice->entry_begins) return BOSC_ERR_NOMEM;
    slice->sent_offsets = slice->entry_begins + (ranks + 1);
    slice->received_offsets = slice->sent_offsets + (ranks + 1);
    slice->counts = slice->received_offsets + (ranks + 1);
    slice->requests = slice->counts + (ranks + 1);
    return BOSC_OK;
}

static bosc_status check_entries(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice)
{
    if (slice->view.id_bits == 64 || slice->entries < (int64_t)UINT32_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "graph: %lld entries over all ranks do not fit ids of 32 bits",
                   (long long)slice->entries);
}

bosc_status bi_ranks_forest_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                  struct bi_ranks_forest_slice *slice)
{
    const int32_t ranks = comm->rank_count;
    int64_t values[VALUES] = {0};
    const int64_t *all = comm->gather;
    slice->entry_begins = NULL;
    slice->entries = 0;
    BI_IF_OK(local_status, allocate_lists(ctx, ranks, slice));
    BI_IF_OK(local_status, set_values(ctx, slice, values));
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, values, sizeof values, comm->gather));
    for (int32_t r = 0; r < ranks; r++) {
        slice->entry_begins[r] = slice->entries;
        slice->entries += all[r * VALUES + ENTRIES];
    }
    slice->entry_begins[ranks] = slice->entries;
    slice->first_entry = slice->entry_begins[comm->rank];
    local_status = compare_values(ctx, values, all);
    return bi_comm_agree(ctx, comm, local_status == BOSC_OK ? check_entries(ctx, slice) : local_status);
}

void bi_ranks_forest_end(bosc_ctx *ctx, struct bi_ranks_forest_slice *slice)
{
    bi_memory_release(&ctx->host, slice->entry_begins, slice->list_bytes);
}

/* ---- lists of edges ---- */

bosc_status bi_ranks_forest_allocate_edges(bosc_ctx *ctx, int64_t count, struct bi_ranks_edges *list)
{
    list->count = count;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list->edges, &list->edges));
    return bi_scratch_of(ctx, count, sizeof *list->ranks, &list->ranks);
}

bosc_status bi_ranks_forest_index(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice, const uint64_t *ids,
                                  int64_t count, struct bi_ranks_forest_word **words)
{
    const int64_t word_count = bi_div_up(slice->view.entries, 64);
    BI_TRY(bi_scratch_of(ctx, word_count, sizeof **words, words));
    const struct bi_ranks_forest_index_ids index = {ids, count, (uint64_t)slice->first_entry, *words};
    return ctx->ops->ranks->steps->forest_index_ids(ctx, word_count, &index);
}

bosc_status bi_ranks_forest_allocate_list(bosc_ctx *ctx, int64_t count, bool with_ids, struct bi_ranks_list *list)
{
    *list = (struct bi_ranks_list){.count = count};
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list->keys, &list->keys));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list->ends, &list->ends));
    return with_ids ? bi_scratch_of(ctx, count, sizeof *list->ids, &list->ids) : BOSC_OK;
}

/* Number of items of the steps over arcs. */
static int64_t chunk_count(const struct bi_ranks_forest_slice *slice)
{
    return bi_div_up(slice->view.arcs, BI_RANKS_FOREST_ARCS);
}

bosc_status bi_ranks_forest_list_edges(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                       const struct bi_ranks_forest_word *words, struct bi_ranks_list *list)
{
    const struct bi_ranks_steps *steps = ctx->ops->ranks->steps;
    const int64_t chunks = chunk_count(slice);
    struct bi_ranks_forest_collect_edges collect = {.rows = slice->rows,
                                                    .words = words,
                                                    .first = (uint64_t)slice->first_entry,
                                                    .keys = list->keys,
                                                    .ends = list->ends,
                                                    .ids = list->ids};
    if (list->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, bi_div_up(slice->view.arcs, 64), sizeof *collect.arc_bits, &collect.arc_bits));
    BI_TRY(bi_scratch_of(ctx, chunks + 1, sizeof *collect.chunk_begins, &collect.chunk_begins));
    BI_TRY(ctx->backend->fill(ctx, collect.chunk_begins + chunks, 0, sizeof *collect.chunk_begins));
    /* 1. Mark and count the edges of each chunk. 2. Scan to offsets. 3. Write the edges. */
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS, steps->forest_count_edges(ctx, chunks, &collect));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, collect.chunk_begins, chunks + 1,
                                    collect.chunk_begins));
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS, steps->forest_collect_edges(ctx, chunks, &collect));
    return words ? BOSC_OK : bi_read_back(ctx, &list->count, collect.chunk_begins + chunks, sizeof list->count);
}

bosc_status bi_ranks_forest_fetch(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                  const struct bi_ranks_forest_word *words, const uint64_t *ids, int64_t count,
                                  struct bi_ranks_edges *list, uint8_t *found)
{
    const struct bi_ranks_forest_fetch_edges fetch = {.rows = slice->rows,
                                                      .words = words,
                                                      .ids = ids,
                                                      .first = (uint64_t)slice->first_entry,
                                                      .edges = list->edges,
                                                      .ranks = list->ranks,
                                                      .found = found};
    if (count == 0) return BOSC_OK;
    BI_TRY(ctx->backend->fill(ctx, found, 0, (size_t)count));
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS,
                     ctx->ops->ranks->steps->forest_fetch_edges(ctx, chunk_count(slice), &fetch));
    return BOSC_OK;
}

bosc_status bi_ranks_forest_sort(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                 const struct bi_ranks_edges *from, struct bi_ranks_edges *to)
{
    to->count = from->count;
    if (from->count == 0) return BOSC_OK;
    return ctx->backend->core->sort_pairs(ctx, BOSC_U64, from->ranks, sizeof *from->edges, from->edges, from->count,
                                          to->ranks, to->edges, 0, slice->rows.keys_64bit ? 64 : 32);
}
