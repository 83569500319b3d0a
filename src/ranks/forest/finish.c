/* The edges of a forest over ranks, each on the rank that has it: sorted, cut to the requested number of trees, and
 * summed as on one context. Ids ascend over the ranks. */
#include <boscage/ranks/prims.h>

#include "core/call.h"
#include "ranks/forest/forest.h"
#include "ranks/prims/sort.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* True if this rank can run rounds over edges that it gathers from all ranks (gathered.c). */
static bool can_gather(bosc_ctx *ctx, const struct bi_ranks_forest_slice *slice)
{
    return ctx->ops->forest->gathered && !slice->rows.keys_64bit && !slice->rows.is_64bit &&
           (slice->view.arcs == 0 || ctx->ops->forest->msf_admits(&slice->view));
}

bosc_status bi_ranks_forest_share_requests(struct bi_ranks_forest_call *f, bosc_status local_status)
{
    int64_t *requests = f->slice->requests;
    int64_t own = (f->labels ? BI_RANKS_REQUEST_LABELS : 0) | (f->sum ? BI_RANKS_REQUEST_SUM : 0);
    if (!can_gather(f->ctx, f->slice)) own |= BI_RANKS_CANNOT_GATHER;
    BI_TRY(bi_comm_agree(f->ctx, f->comm, local_status));
    BI_TRY(bi_comm_all_gather(f->ctx, f->comm, &own, sizeof own, requests));
    f->requests = 0;
    for (int32_t r = 0; r < f->comm->rank_count; r++) f->requests |= requests[r];
    return BOSC_OK;
}

/* Lists the ids of records, ascending, and the keys where a cut or a sum needs them. */
static bosc_status sort_edges(const struct bi_ranks_forest_call *f, const struct bi_msf_rows *rows,
                              const uint64_t *records, bool is_64bit, struct bi_msf_found *found)
{
    const int64_t count = found->count;
    struct bi_ranks_forest_list_weights list = {rows->order, records, is_64bit, rows->keys_64bit, NULL, NULL};
    const struct bi_core_ops *core = f->ctx->backend->core;
    const bool needs_keys = (f->requests & BI_RANKS_REQUEST_SUM) || f->slice->opts.trees > 0;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof *list.ids, &list.ids));
    if (needs_keys) BI_TRY(bi_scratch_of(f->ctx, count, rows->keys_64bit ? 8 : 4, &list.keys));
    BI_TRY(f->ctx->ops->ranks->steps->forest_list_weights(f->ctx, count, &list));
    found->ids = list.ids;
    found->keys = list.keys;
    if (needs_keys) return bi_msf_sort_found(f->ctx, rows, found);
    return core->sort_keys(f->ctx, BOSC_U64, list.ids, count, list.ids, 0, bi_bit_length((uint64_t)f->slice->entries));
}

/* ---- a cut to the requested number of trees ---- */

/* Sorts the weights' ranks of this rank's edges. */
static bosc_status sort_ranks(bosc_ctx *ctx, const struct bi_msf_rows *rows, const struct bi_msf_found *found,
                              void **sorted)
{
    const size_t size = rows->keys_64bit ? 8 : 4;
    void *ranks;
    BI_TRY(bi_scratch_of(ctx, found->count, size, sorted));
    BI_TRY(bi_scratch_of(ctx, found->count, size, &ranks));
    const struct bi_msf_ranks rank = {rows->order, found->keys, ranks, rows->keys_64bit};
    if (found->count == 0) return BOSC_OK;
    BI_TRY(ctx->ops->forest->steps->msf_ranks(ctx, found->count, &rank));
    return ctx->backend->core->sort_keys(ctx, rows->keys_64bit ? BOSC_U64 : BOSC_U32, ranks, found->count, *sorted, 0,
                                         (int)(8 * size));
}

/* *count: number of this rank's edges among the `limit` lightest of all `all`. Ids ascend over the ranks, so of equal
 * weights those of lower ranks come first. */
static bosc_status count_lightest(const struct bi_ranks_forest_call *f, const struct bi_msf_rows *rows,
                                  const struct bi_msf_found *found, int64_t limit, int64_t all, int64_t *count)
{
    int64_t *offsets = f->slice->sent_offsets, *splitters = f->slice->received_offsets; /* as buffers */
    const int32_t ranks = f->comm->rank_count;
    const struct bi_ranks_slices slices = {f->comm->rank, ranks, offsets, NULL, all};
    void *sorted = NULL;
    /* The splitter between ranks 0 and 1 is at `limit`; the others do not matter. */
    for (int32_t r = 0; r <= ranks; r++) offsets[r] = r == 0 ? 0 : r < ranks ? limit : all;
    const bosc_status local_status = sort_ranks(f->ctx, rows, found, &sorted);
    BI_TRY(bi_ranks_find_splitters(f->ctx, f->comm, local_status, &slices, rows->keys_64bit ? BOSC_U64 : BOSC_U32,
                                   sorted, found->count, splitters));
    *count = splitters[1];
    return BOSC_OK;
}

/* Keeps only the lightest edges if more trees are requested; f->is_cut is then true. */
static bosc_status cut_forest(struct bi_ranks_forest_call *f, bosc_status local_status, const struct bi_msf_rows *rows,
                              struct bi_msf_found *found)
{
    int64_t all = found->count;
    const int64_t trees = f->components_only ? 0 : f->slice->opts.trees;
    int64_t present = 0, count = 0;
    if (local_status == BOSC_OK)
        BI_WITH_SCRATCH(f->ctx, local_status = bi_msf_count_roots(f->ctx, rows, NULL, &present));
    BI_TRY(bi_comm_sum(f->ctx, f->comm, local_status, &all, 1));
    const int64_t limit = present < trees ? 0 : present - trees;
    f->is_cut = trees > 0 && all > limit;
    if (f->is_cut) {
        BI_TRY_WITH_SCRATCH(f->ctx, count_lightest(f, rows, found, limit, all, &count));
        if (found->count) local_status = bi_msf_select_lightest(f->ctx, rows, count, found);
        BI_IF_OK(local_status, bi_msf_sort_found(f->ctx, rows, found));
    }
    f->info.edges = f->is_cut ? limit : all;
    f->info.trees = present - f->info.edges;
    return bi_comm_agree(f->ctx, f->comm, local_status);
}

/* ---- sums ---- */

static bosc_status sum_integers(struct bi_ranks_forest_call *f, const struct bi_msf_rows *rows,
                                const struct bi_msf_found *found)
{
    const uint64_t *all = f->comm->gather;
    uint128 sum = 0;
    BI_TRY(bi_comm_agree(f->ctx, f->comm, bi_msf_sum(f->ctx, &f->slice->view, rows, found, &f->info)));
    const uint64_t own[2] = {f->info.weight_low, (uint64_t)f->info.weight_high};
    BI_TRY(bi_comm_all_gather(f->ctx, f->comm, own, sizeof own, f->comm->gather));
    for (int64_t r = 0; r < f->comm->rank_count; r++) sum += (uint128)all[2 * r + 1] << 64 | all[2 * r];
    f->info.weight_low = (uint64_t)sum;
    f->info.weight_high = (int64_t)(uint64_t)(sum >> 64);
    f->info.weight = (double)(int128)sum;
    return BOSC_OK;
}

/* Sums along the tree of one context, since ids ascend over the ranks. */
static bosc_status sum_floats(struct bi_ranks_forest_call *f, const struct bi_msf_found *found)
{
    struct bi_msf_doubles weights = {found->keys, f->slice->view.weight, NULL};
    bosc_status local_status = bi_scratch_of(f->ctx, found->count, sizeof(double), (void **)&weights.out);
    if (local_status == BOSC_OK && found->count)
        local_status = f->ctx->ops->forest->steps->msf_doubles(f->ctx, found->count, &weights);
    BI_TRY(bi_comm_agree(f->ctx, f->comm, local_status));
    return bosc_ranks_reduce(f->ctx, f->comm, BOSC_SUM, BOSC_F64, weights.out, found->count, &f->info.weight);
}

static bosc_status sum_weights(struct bi_ranks_forest_call *f, const struct bi_msf_rows *rows,
                               const struct bi_msf_found *found)
{
    const bosc_dtype type = f->slice->view.weight;
    return type == BOSC_F32 || type == BOSC_F64 ? sum_floats(f, found) : sum_integers(f, rows, found);
}

/* ---- all ---- */

static bosc_status cut_and_sum(struct bi_ranks_forest_call *f, bosc_status local_status, const struct bi_msf_rows *rows,
                               struct bi_msf_found *found)
{
    BI_TRY(cut_forest(f, local_status, rows, found));
    f->ids = found->ids;
    f->count = found->count;
    return f->requests & BI_RANKS_REQUEST_SUM ? sum_weights(f, rows, found) : BOSC_OK;
}

/* The slice's rows, with ids over all ranks. */
static struct bi_msf_rows rows_of_all(const struct bi_ranks_forest_slice *slice)
{
    struct bi_msf_rows rows = slice->rows;
    rows.is_64bit = true;
    return rows;
}

bosc_status bi_ranks_forest_finish(struct bi_ranks_forest_call *f, const uint64_t *records, bool is_64bit,
                                   int64_t count)
{
    const struct bi_msf_rows rows = rows_of_all(f->slice);
    struct bi_msf_found found = {.count = count};
    const bosc_status local_status = f->components_only ? BOSC_OK : sort_edges(f, &rows, records, is_64bit, &found);
    return cut_and_sum(f, local_status, &rows, &found);
}

bosc_status bi_ranks_forest_finish_sorted(struct bi_ranks_forest_call *f, bosc_status local_status,
                                          struct bi_msf_found *found)
{
    const struct bi_msf_rows rows = rows_of_all(f->slice);
    return cut_and_sum(f, local_status, &rows, found);
}
