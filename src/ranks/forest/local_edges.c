/* A rank's part of a graph: what must be equal on all ranks, and the rank's edges by themselves. */
#include <string.h>

#include "core/call.h"
#include "ranks/forest/forest.h"

bosc_status bi_ranks_forest_check(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                  struct bi_ranks_part *part)
{
    part->graph = graph;
    BI_TRY(bi_graph_view_of(ctx, graph, &part->view));
    return bi_msf_check_opts(ctx, &part->view, opts, &part->opts);
}

/* ---- what must be equal ---- */

enum { VERTICES, WEIGHT, ID_BITS, MAXIMUM, TREES, REPLICATED, LIMIT, VERTEX_MASK, ENTRIES, VALUES };

static const struct {
    const char *what;
    bool tell; /* the values say something */
} equal[ENTRIES] = {
    [VERTICES] = {"graph: vertices", true}, [WEIGHT] = {"graph: weight type", true},
    [ID_BITS] = {"graph: id_bits", true},   [MAXIMUM] = {"opts: maximum", true},
    [TREES] = {"opts: trees", true},        [REPLICATED] = {"opts: replicated_bytes", true},
    [LIMIT] = {"opts: limit", false},       [VERTEX_MASK] = {"opts: vertex_mask", false},
};

static bosc_status compare(bosc_ctx *ctx, const int64_t *values, const int64_t *others)
{
    for (int k = 0; k < ENTRIES; k++) {
        if (values[k] == others[k]) continue;
        if (!equal[k].tell) return bi_fail(ctx, BOSC_ERR_ARG, "%s: not that of rank 0", equal[k].what);
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is not the %lld of rank 0", equal[k].what, (long long)values[k],
                       (long long)others[k]);
    }
    return BOSC_OK;
}

/* A number that tells which vertices the mask leaves out. */
static bosc_status hash_mask(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t *hash)
{
    struct bi_ranks_forest_hash_mask args = {rows->order.vertex_mask, NULL};
    void *sum;
    *hash = 0;
    if (!args.mask || rows->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rows->n, sizeof(uint64_t), &args.hashes));
    BI_TRY(bi_scratch(ctx, sizeof *hash, &sum));
    BI_TRY(ctx->ops->dist->steps->forest_hash_mask(ctx, rows->n, &args));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, args.hashes, rows->n, sum));
    return bi_read_back(ctx, hash, sum, sizeof *hash);
}

static bosc_status describe(bosc_ctx *ctx, struct bi_ranks_part *part, int64_t values[VALUES])
{
    const struct bi_graph_view *view = &part->view;
    BI_TRY(bi_msf_rows_of(ctx, view, &part->opts, &part->rows));
    part->opts.vertex_mask = part->rows.order.vertex_mask;
    part->opts.edge_mask = part->rows.order.edge_mask;
    values[VERTICES] = view->n;
    values[WEIGHT] = view->weight;
    values[ID_BITS] = view->id_bits;
    values[MAXIMUM] = part->opts.maximum != 0;
    values[TREES] = part->opts.trees;
    values[REPLICATED] = part->opts.replicated_bytes;
    values[LIMIT] = (int64_t)part->rows.order.limit;
    values[ENTRIES] = view->entries;
    BI_TRY_WITH_SCRATCH(ctx, hash_mask(ctx, &part->rows, &values[VERTEX_MASK]));
    return BOSC_OK;
}

static bosc_status take_lists(bosc_ctx *ctx, int32_t ranks, struct bi_ranks_part *part)
{
    part->list_bytes = 5 * (size_t)(ranks + 1) * sizeof *part->firsts;
    part->firsts = bi_host_alloc(ctx, part->list_bytes);
    if (!part->firsts) return BOSC_ERR_NOMEM;
    part->sent_offsets = part->firsts + (ranks + 1);
    part->received_offsets = part->sent_offsets + (ranks + 1);
    part->numbers = part->received_offsets + (ranks + 1);
    part->wanted = part->numbers + (ranks + 1);
    return BOSC_OK;
}

static bosc_status check_entries(bosc_ctx *ctx, const struct bi_ranks_part *part)
{
    if (part->view.id_bits == 64 || part->entries < (int64_t)UINT32_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "graph: %lld entries over all ranks do not fit ids of 32 bits",
                   (long long)part->entries);
}

bosc_status bi_ranks_forest_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, struct bi_ranks_part *part)
{
    const int32_t ranks = comm->rank_count;
    int64_t values[VALUES] = {0};
    const int64_t *all = comm->gather;
    part->firsts = NULL;
    part->entries = 0;
    if (local_status == BOSC_OK) local_status = take_lists(ctx, ranks, part);
    if (local_status == BOSC_OK) local_status = describe(ctx, part, values);
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, values, sizeof values, comm->gather));
    for (int32_t r = 0; r < ranks; r++) {
        part->firsts[r] = part->entries;
        part->entries += all[r * VALUES + ENTRIES];
    }
    part->firsts[ranks] = part->entries;
    part->first = part->firsts[comm->rank];
    local_status = compare(ctx, values, all);
    return bi_comm_agree(ctx, comm, local_status == BOSC_OK ? check_entries(ctx, part) : local_status);
}

void bi_ranks_forest_end(bosc_ctx *ctx, struct bi_ranks_part *part)
{
    bi_memory_release(&ctx->host, part->firsts, part->list_bytes);
}

/* ---- edges by themselves ---- */

bosc_status bi_ranks_forest_take_edges(bosc_ctx *ctx, int64_t count, struct bi_ranks_edges *list)
{
    list->count = count;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list->edges, &list->edges));
    return bi_scratch_of(ctx, count, sizeof *list->ranks, &list->ranks);
}

bosc_status bi_ranks_forest_index(bosc_ctx *ctx, const struct bi_ranks_part *part, const uint64_t *ids, int64_t count,
                                  struct bi_ranks_forest_word **words)
{
    const int64_t word_count = bi_div_up(part->view.entries, 64);
    BI_TRY(bi_scratch_of(ctx, word_count, sizeof **words, words));
    const struct bi_ranks_forest_index index = {ids, count, (uint64_t)part->first, *words};
    return ctx->ops->dist->steps->forest_index(ctx, word_count, &index);
}

bosc_status bi_ranks_forest_take_list(bosc_ctx *ctx, int64_t count, bool with_ids, struct bi_ranks_list *list)
{
    *list = (struct bi_ranks_list){.count = count};
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list->keys, &list->keys));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *list->ends, &list->ends));
    return with_ids ? bi_scratch_of(ctx, count, sizeof *list->ids, &list->ids) : BOSC_OK;
}

static int64_t parts_of(const struct bi_ranks_part *part) { return bi_div_up(part->view.arcs, BI_RANKS_FOREST_ARCS); }

bosc_status bi_ranks_forest_collect(bosc_ctx *ctx, const struct bi_ranks_part *part,
                                    const struct bi_ranks_forest_word *words, struct bi_ranks_list *list)
{
    const struct bi_ranks_steps *steps = ctx->ops->dist->steps;
    const int64_t parts = parts_of(part);
    struct bi_ranks_forest_take take = {.rows = part->rows,
                                        .words = words,
                                        .first = (uint64_t)part->first,
                                        .keys = list->keys,
                                        .ends = list->ends,
                                        .ids = list->ids};
    if (list->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, bi_div_up(part->view.arcs, 64), sizeof *take.arcs, &take.arcs));
    BI_TRY(bi_scratch_of(ctx, parts + 1, sizeof *take.begins, &take.begins));
    BI_TRY(ctx->backend->fill(ctx, take.begins + parts, 0, sizeof *take.begins));
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS, steps->forest_count(ctx, parts, &take));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, take.begins, parts + 1, take.begins));
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS, steps->forest_take(ctx, parts, &take));
    return words ? BOSC_OK : bi_read_back(ctx, &list->count, take.begins + parts, sizeof list->count);
}

bosc_status bi_ranks_forest_fetch(bosc_ctx *ctx, const struct bi_ranks_part *part,
                                  const struct bi_ranks_forest_word *words, const uint64_t *ids, int64_t count,
                                  struct bi_ranks_edges *list, uint8_t *found)
{
    const struct bi_ranks_forest_fetch fetch = {.rows = part->rows,
                                                .words = words,
                                                .ids = ids,
                                                .first = (uint64_t)part->first,
                                                .edges = list->edges,
                                                .ranks = list->ranks,
                                                .found = found};
    if (count == 0) return BOSC_OK;
    BI_TRY(ctx->backend->fill(ctx, found, 0, (size_t)count));
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS, ctx->ops->dist->steps->forest_fetch(ctx, parts_of(part), &fetch));
    return BOSC_OK;
}

bosc_status bi_ranks_forest_sort(bosc_ctx *ctx, const struct bi_ranks_part *part, const struct bi_ranks_edges *from,
                                 struct bi_ranks_edges *to)
{
    to->count = from->count;
    if (from->count == 0) return BOSC_OK;
    return ctx->backend->core->sort_pairs(ctx, BOSC_U64, from->ranks, sizeof *from->edges, from->edges, from->count,
                                          to->ranks, to->edges, 0, part->rows.wide_keys ? 64 : 32);
}
