/* A rank's slice of a graph: the arguments that must be equal on all ranks, and lists of the rank's edges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/call.h"
#include "ranks/forest/forest.h"

enum {
    EDGE_SAMPLES = 4096, /* of all ranks: 1.25 edges of 16 are light by 320 samples, so with an error of 6 % */
    LEAST_SAMPLES = 16,  /* of each rank */
    LABEL_SAMPLES = 256
};
/* The filter saves nothing if more edges are light. From forest/cuda/msf.cu, as are the rooms: for light edges a
 * vertex, and the share of heavy ones. A list that is too short costs a second pass. */
static const double MOST_LIGHT = 0.6, LIGHT_ROOM = 1.6, HEAVY_ROOM = 0.25;

struct weighed_sample {
    struct bi_ranks_forest_threshold edge;
    double weight;
};

bosc_status bi_ranks_forest_check(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                  struct bi_ranks_forest_slice *slice)
{
    slice->graph = graph;
    BI_TRY(bi_graph_view_of(ctx, graph, &slice->view));
    return bi_msf_check_opts(ctx, &slice->view, opts, &slice->opts);
}

/* ---- arguments that must be equal ---- */

/* Values that the ranks exchange. Those before ENTRIES must be equal. */
enum { VERTICES, WEIGHT, ID_BITS, MAXIMUM, TREES, REPLICATED, LIMIT, VERTEX_MASK, ENTRIES, CAN_POOL, VALUES };

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
    values[CAN_POOL] = bi_ranks_forest_can_pool(ctx, view);
    BI_TRY_WITH_SCRATCH(ctx, hash_mask(ctx, &slice->rows, &values[VERTEX_MASK]));
    return BOSC_OK;
}

static bosc_status allocate_lists(bosc_ctx *ctx, int32_t ranks, struct bi_ranks_forest_slice *slice)
{
    slice->list_bytes = 8 * (size_t)(ranks + 1) * sizeof *slice->entry_begins;
    slice->entry_begins = bi_host_alloc(ctx, slice->list_bytes);
    if (!slice->entry_begins) return BOSC_ERR_NOMEM;
    slice->sent_offsets = slice->entry_begins + (ranks + 1);
    slice->received_offsets = slice->sent_offsets + (ranks + 1);
    slice->counts = slice->received_offsets + (ranks + 1);
    slice->requests = slice->counts + (ranks + 1);
    slice->blocks = (void **)(slice->requests + (ranks + 1));
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
    slice->can_pool = true;
    BI_IF_OK(local_status, allocate_lists(ctx, ranks, slice));
    BI_IF_OK(local_status, set_values(ctx, slice, values));
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, values, sizeof values, comm->gather));
    for (int32_t r = 0; r < ranks; r++) {
        slice->entry_begins[r] = slice->entries;
        slice->entries += all[r * VALUES + ENTRIES];
        slice->can_pool = slice->can_pool && all[r * VALUES + CAN_POOL];
    }
    slice->entry_begins[ranks] = slice->entries;
    slice->first_entry = slice->entry_begins[comm->rank];
    local_status = compare_values(ctx, values, all);
    return bi_comm_agree(ctx, comm, local_status == BOSC_OK ? check_entries(ctx, slice) : local_status);
}

void bi_ranks_forest_end(bosc_ctx *ctx, struct bi_ranks_forest_slice *slice)
{
    if (slice->entry_begins) (void)ctx->backend->sync(ctx); /* after a failure: queued copies may read the lists */
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

/* True if keys cannot contain the entry beside the rank. */
static bool has_separate_ids(const struct bi_ranks_forest_slice *slice)
{
    return slice->rows.keys_64bit || slice->rows.is_64bit;
}

static int compare_labels(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Number of items of the steps over arcs. */
static int64_t chunk_count(const struct bi_ranks_forest_slice *slice)
{
    return bi_div_up(slice->view.arcs, BI_RANKS_FOREST_ARCS);
}

/* The component in which most sampled arcs end; it holds most vertices. A wrong choice costs time alone. */
static bosc_status find_largest(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice, const uint32_t *labels,
                                uint32_t *largest)
{
    uint32_t sampled[LABEL_SAMPLES], run = 0, longest = 0;
    struct bi_ranks_forest_sample sample = {.rows = slice->rows, .labels = labels};
    BI_TRY(bi_scratch(ctx, sizeof sampled, (void **)&sample.sampled_labels));
    BI_TRY(ctx->ops->ranks->steps->forest_sample(ctx, LABEL_SAMPLES, &sample));
    BI_TRY(bi_read_back(ctx, sampled, sample.sampled_labels, sizeof sampled));
    qsort(sampled, LABEL_SAMPLES, sizeof *sampled, compare_labels);
    for (int i = 0; i < LABEL_SAMPLES; i++) {
        run = i > 0 && sampled[i] == sampled[i - 1] ? run + 1 : 1;
        if (run <= longest) continue;
        longest = run;
        *largest = sampled[i];
    }
    return BOSC_OK;
}

bosc_status bi_ranks_forest_list_edges(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                       const struct bi_ranks_forest_filter *filter, struct bi_ranks_list *list)
{
    const struct bi_ranks_steps *steps = ctx->ops->ranks->steps;
    const int64_t chunks = chunk_count(slice);
    struct bi_ranks_forest_collect_edges collect = {.rows = slice->rows,
                                                    .words = filter->words,
                                                    .first = (uint64_t)slice->first_entry,
                                                    .has_threshold = filter->has_threshold,
                                                    .threshold = filter->threshold,
                                                    .labels = filter->labels};
    int64_t count = 0;
    BI_TRY(bi_ranks_forest_allocate_list(ctx, 0, false, list));
    if (chunks == 0) return BOSC_OK;
    if (filter->labels) BI_TRY(find_largest(ctx, slice, filter->labels, &collect.skipped));
    BI_TRY(bi_scratch_of(ctx, bi_div_up(slice->view.arcs, 64), sizeof *collect.arc_bits, &collect.arc_bits));
    BI_TRY(bi_scratch_of(ctx, chunks + 1, sizeof *collect.chunk_begins, &collect.chunk_begins));
    BI_TRY(ctx->backend->fill(ctx, collect.chunk_begins + chunks, 0, sizeof *collect.chunk_begins));
    /* 1. Mark and count the edges of each chunk. 2. Scan to offsets. 3. Write the edges. */
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS, steps->forest_count_edges(ctx, chunks, &collect));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, collect.chunk_begins, chunks + 1,
                                    collect.chunk_begins));
    BI_TRY(bi_read_back(ctx, &count, collect.chunk_begins + chunks, sizeof count));
    BI_TRY(bi_ranks_forest_allocate_list(ctx, count, has_separate_ids(slice), list));
    collect.keys = list->keys;
    collect.ends = list->ends;
    collect.ids = list->ids;
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS, steps->forest_collect_edges(ctx, chunks, &collect));
    return BOSC_OK;
}

/* ---- light edges, by a threshold that all ranks share ---- */

static bool is_less(const struct weighed_sample *x, const struct weighed_sample *y)
{
    return x->edge.rank < y->edge.rank || (x->edge.rank == y->edge.rank && x->edge.id < y->edge.id);
}

/* Samples this rank's arcs. Without arcs the ids are all ones. */
static bosc_status sample_edges(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice, int64_t count,
                                struct bi_ranks_forest_threshold *samples)
{
    struct bi_ranks_forest_sample sample = {.rows = slice->rows, .first = (uint64_t)slice->first_entry};
    const size_t bytes = (size_t)count * sizeof *samples;
    memset(samples, 0xff, bytes);
    if (slice->view.arcs == 0) return BOSC_OK;
    BI_TRY(bi_scratch(ctx, bytes, (void **)&sample.samples));
    BI_TRY(ctx->ops->ranks->steps->forest_sample(ctx, count, &sample));
    return bi_read_back(ctx, samples, sample.samples, bytes);
}

static void swap_samples(struct weighed_sample *a, struct weighed_sample *b)
{
    const struct weighed_sample other = *a;
    *a = *b;
    *b = other;
}

/* Returns the least sample such that samples of weight `below` are up to it; all ones if they weigh less. Their order
 * changes. Source: Hoare, Algorithm 65: FIND (1961). */
static struct bi_ranks_forest_threshold select_sample(struct weighed_sample *samples, int64_t count, double below)
{
    while (count > 0) {
        const struct weighed_sample pivot = samples[count / 2];
        int64_t less = 0, at = 0, greater = count; /* ends of the samples less than the pivot, and equal to it */
        double less_weight = 0, equal_weight = 0;
        while (at < greater)
            if (is_less(&samples[at], &pivot)) {
                less_weight += samples[at].weight;
                swap_samples(&samples[less++], &samples[at++]);
            } else if (is_less(&pivot, &samples[at])) {
                swap_samples(&samples[at], &samples[--greater]);
            } else {
                equal_weight += samples[at++].weight;
            }
        if (below <= less_weight && less > 0) {
            count = less;
            continue;
        }
        if (below <= less_weight + equal_weight) return pivot.edge;
        below -= less_weight + equal_weight;
        samples += greater;
        count -= greater;
    }
    return (struct bi_ranks_forest_threshold){UINT64_MAX, UINT64_MAX};
}

/* The sample up to which lies `fraction` of the edges. Samples of rank r stand for its entries. */
static struct bi_ranks_forest_threshold select_quantile(const struct bi_ranks_forest_slice *slice, int32_t ranks,
                                                        int64_t count, double fraction,
                                                        const struct bi_ranks_forest_threshold *samples,
                                                        struct weighed_sample *weighed)
{
    int64_t present = 0;
    double weight = 0;
    for (int64_t i = 0; i < ranks * count; i++) {
        if (samples[i].id == UINT64_MAX) continue;
        const int64_t r = i / count;
        weighed[present++] =
            (struct weighed_sample){samples[i], (double)(slice->entry_begins[r + 1] - slice->entry_begins[r])};
        weight += weighed[present - 1].weight;
    }
    return select_sample(weighed, present, fraction * weight);
}

bosc_status bi_ranks_forest_choose_threshold(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                             bosc_status local_status, struct bi_ranks_forest_filter *filter)
{
    /* 1.25 light edges a vertex. Measured: with 0.86 four ranks list five times as many heavy edges. */
    const double vertices = (double)slice->view.n, entries = (double)slice->entries,
                 fraction = entries > 0 ? 1.25 * vertices / entries : 1;
    const int32_t ranks = comm->rank_count;
    const int64_t count =
        bi_div_up(EDGE_SAMPLES, ranks) > LEAST_SAMPLES ? bi_div_up(EDGE_SAMPLES, ranks) : LEAST_SAMPLES;
    const size_t bytes = (size_t)count * sizeof(struct bi_ranks_forest_threshold),
                 all_bytes = (size_t)(ranks + 1) * bytes + (size_t)(ranks * count) * sizeof(struct weighed_sample);
    *filter = (struct bi_ranks_forest_filter){.has_threshold = fraction < MOST_LIGHT};
    if (!filter->has_threshold) return bi_comm_agree(ctx, comm, local_status);
    struct bi_ranks_forest_threshold *own = local_status == BOSC_OK ? bi_host_alloc(ctx, all_bytes) : NULL;
    if (local_status == BOSC_OK && !own) local_status = BOSC_ERR_NOMEM;
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(ctx, local_status = sample_edges(ctx, slice, count, own));
    bosc_status status = bi_comm_agree(ctx, comm, local_status);
    BI_IF_OK(status, bi_comm_all_gather(ctx, comm, own, bytes, own + count));
    if (status == BOSC_OK)
        filter->threshold = select_quantile(slice, ranks, count, fraction, own + count,
                                            (struct weighed_sample *)(own + (ranks + 1) * count));
    /* Weights of the lowest rank, 0, are all light: share_of, which compares this rank's own ids, has none below it. */
    if (filter->threshold.rank == 0) filter->threshold.id = UINT64_MAX;
    bi_memory_release(&ctx->host, own, all_bytes);
    return status;
}

/* ---- the lightest edge at each vertex, and the two lists, by the backend's kernels or by steps ---- */

static bosc_status choose_by_steps(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice, bool is_64bit,
                                   uint64_t *records)
{
    const struct bi_ranks_steps *steps = ctx->ops->ranks->steps;
    const int64_t chunks = chunk_count(slice);
    struct bi_ranks_forest_choose_rows choose = {
        .rows = slice->rows, .first = (uint64_t)slice->first_entry, .is_64bit = is_64bit, .records = records};
    const size_t bytes = (size_t)(slice->view.n * bi_ranks_record_words(is_64bit)) * sizeof *records;
    if (bytes) BI_TRY(ctx->backend->fill(ctx, records, 0xff, bytes));
    if (chunks == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, chunks, 3 * sizeof *choose.heads, &choose.heads));
    BI_TRY(bi_scratch_of(ctx, chunks, 3 * sizeof *choose.tails, &choose.tails));
    BI_TRY_WITH_COST(ctx, BI_RANKS_FOREST_ARCS, steps->forest_choose_rows(ctx, chunks, &choose));
    return steps->forest_choose_split(ctx, chunks, &choose);
}

/* The share of the forest's kernels. The threshold becomes one of this rank's entries, whose ids kernels compare. */
static struct bi_msf_share share_of(const struct bi_ranks_forest_slice *slice,
                                    const struct bi_ranks_forest_filter *filter)
{
    const uint64_t first = (uint64_t)slice->first_entry, entries = (uint64_t)slice->view.entries;
    struct bi_msf_share share = {.first = first,
                                 .rank = UINT64_MAX,
                                 .id = UINT32_MAX,
                                 .labels = filter->labels,
                                 .lists_light = !filter->has_threshold,
                                 .lists_vertices = filter->lists_vertices};
    if (!filter->has_threshold) return share;
    share.rank = filter->threshold.rank;
    if (filter->threshold.id < first)
        share.rank--; /* all entries of that rank are heavy; it is not 0 */
    else if (filter->threshold.id - first < entries)
        share.id = (uint32_t)(filter->threshold.id - first);
    return share;
}

/* Runs the kernels with a list for `capacity` edges, again with a longer one if there are more. */
static bosc_status run_share(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice, struct bi_msf_share *share,
                             double capacity, struct bi_ranks_list *list)
{
    const struct bi_mark mark = bi_arena_mark(ctx);
    const int64_t m = slice->view.m;
    int64_t room = capacity < (double)m ? (int64_t)capacity + 1 : m;
    for (;;) {
        BI_TRY(bi_ranks_forest_allocate_list(ctx, room, has_separate_ids(slice), list));
        share->keys = list->keys;
        share->ends = list->ends;
        share->ids = list->ids;
        share->capacity = room;
        BI_TRY_WITH_SCRATCH(ctx, ctx->ops->forest->msf_share(ctx, &slice->view, &slice->rows.order, share));
        list->count = share->listed;
        if (share->listed <= room) return BOSC_OK;
        room = share->listed;
        bi_arena_rewind(ctx, mark);
    }
}

static bool has_kernels(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice)
{
    return ctx->ops->forest->msf_share && ctx->ops->forest->msf_admits(&slice->view);
}

bosc_status bi_ranks_forest_choose_at_vertices(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                               const struct bi_ranks_forest_filter *filter, uint64_t *records,
                                               struct bi_ranks_list *list)
{
    if (has_kernels(ctx, slice)) {
        struct bi_msf_share share = share_of(slice, filter);
        share.records = records;
        return run_share(ctx, slice, &share, filter->has_threshold ? LIGHT_ROOM * (double)slice->view.n : INFINITY,
                         list);
    }
    BI_TRY_WITH_SCRATCH(ctx, choose_by_steps(ctx, slice, slice->rows.keys_64bit, records));
    return bi_ranks_forest_list_edges(ctx, slice, filter, list);
}

bosc_status bi_ranks_forest_list_heavy(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice,
                                       const struct bi_ranks_forest_filter *filter, struct bi_ranks_list *list)
{
    if (!has_kernels(ctx, slice)) return bi_ranks_forest_list_edges(ctx, slice, filter, list);
    struct bi_msf_share share = share_of(slice, filter);
    return run_share(ctx, slice, &share, HEAVY_ROOM * (double)slice->view.m, list);
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
