/* Minimum spanning forests over ranks whose vertices are spread over the ranks: rounds, and then the edges found go
 * home to the ranks that have them. */
#include "ranks/exchange/route.h"
#include "ranks/forest/sharded.h"

#include <boscage/ranks/prims.h>

#include "core/call.h"
#include "ranks/prims/splitters.h"

__extension__ typedef __int128 wide_sum;
__extension__ typedef unsigned __int128 wide_count;

bool bi_ranks_forest_is_sharded(const struct bi_ranks_part *part, int64_t bytes)
{
    const int64_t most = part->opts.replicated_bytes;
    return most > 0 && part->view.n > most / bytes;
}

/* ---- the edges found ---- */

/* Who has the edges of records. */
static bosc_status find_homes(const struct bi_ranks_sharded *s, uint32_t **owners)
{
    const size_t bytes = (size_t)(s->comm->rank_count + 1) * sizeof *s->part->firsts;
    int64_t *firsts;
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&firsts));
    BI_TRY(bi_scratch_of(s->ctx, s->found_count, sizeof **owners, owners));
    BI_TRY(s->ctx->backend->copy(s->ctx, firsts, s->part->firsts, bytes));
    const struct bi_ranks_sharded_home home = {s->found, firsts, s->comm->rank_count, *owners};
    return s->steps->sharded_home(s->ctx, s->found_count, &home);
}

/* Ids and keys of records, ascending by id. */
static bosc_status take_home(const struct bi_ranks_sharded *s, const struct bi_msf_rows *rows, const uint64_t *records,
                             int64_t count, struct bi_msf_found *found)
{
    struct bi_ranks_forest_list list = {rows->order, records, true, rows->wide_keys, NULL, NULL};
    BI_TRY(bi_scratch_of(s->ctx, count, sizeof *list.ids, &list.ids));
    BI_TRY(bi_scratch_of(s->ctx, count, rows->wide_keys ? 8 : 4, &list.keys));
    BI_TRY(s->steps->forest_list(s->ctx, count, &list));
    *found = (struct bi_msf_found){.count = count, .ids = list.ids, .keys = list.keys};
    return bi_msf_sort_found(s->ctx, rows, found);
}

bosc_status bi_ranks_sharded_send_home(const struct bi_ranks_sharded *s, uint64_t **records, int64_t *count)
{
    struct bi_ranks_route route;
    uint32_t *owners = NULL;
    void *came = NULL;
    bosc_status local_status = find_homes(s, &owners);
    bosc_status status = bi_ranks_route_to_owners(s->ctx, s->comm, local_status, owners, s->found_count, &route);
    if (status == BOSC_OK)
        status = bi_ranks_route_items(s->ctx, s->comm, local_status, &route, 3 * sizeof *s->found, s->found, &came);
    *records = came;
    *count = route.x.received;
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

static bosc_status send_home(const struct bi_ranks_sharded *s, const struct bi_msf_rows *rows,
                             struct bi_msf_found *found)
{
    uint64_t *records;
    int64_t count;
    BI_TRY(bi_ranks_sharded_send_home(s, &records, &count));
    return bi_comm_agree(s->ctx, s->comm, take_home(s, rows, records, count, found));
}

/* ---- fewer edges, where there shall be more trees ---- */

/* The ranks of this rank's edges, ascending. */
static bosc_status sort_ranks(bosc_ctx *ctx, const struct bi_msf_rows *rows, const struct bi_msf_found *found,
                              void **sorted)
{
    const size_t size = rows->wide_keys ? 8 : 4;
    void *ranks;
    BI_TRY(bi_scratch_of(ctx, found->count, size, sorted));
    BI_TRY(bi_scratch_of(ctx, found->count, size, &ranks));
    const struct bi_msf_ranks rank = {rows->order, found->keys, ranks, rows->wide_keys};
    if (found->count == 0) return BOSC_OK;
    BI_TRY(ctx->ops->forest->steps->msf_ranks(ctx, found->count, &rank));
    return ctx->backend->core->sort_keys(ctx, rows->wide_keys ? BOSC_U64 : BOSC_U32, ranks, found->count, *sorted, 0,
                                         (int)(8 * size));
}

/* How many of this rank's edges are among the `most` lightest of all, of which there are `all`. Ids ascend over the
 * ranks: of edges that weigh the same, those of lower ranks come first. */
static bosc_status count_lightest(const struct bi_ranks_sharded_forest *f, const struct bi_msf_rows *rows,
                                  const struct bi_msf_found *found, int64_t most, int64_t all, int64_t *count)
{
    int64_t *offsets = f->part->sent_offsets, *cuts = f->part->received_offsets;
    const int32_t ranks = f->comm->rank_count;
    const struct bi_ranks_slices slices = {f->comm->rank, ranks, offsets, NULL, all};
    void *sorted = NULL;
    for (int32_t r = 0; r <= ranks; r++) offsets[r] = r == 0 ? 0 : r < ranks ? most : all;
    const bosc_status local_status = sort_ranks(f->ctx, rows, found, &sorted);
    BI_TRY(bi_ranks_find_cuts(f->ctx, f->comm, local_status, &slices, rows->wide_keys ? BOSC_U64 : BOSC_U32, sorted,
                              found->count, cuts));
    *count = cuts[1];
    return BOSC_OK;
}

/* `all`: this rank's part of the edges found. *is_cut: whether some are left out. */
static bosc_status cut(struct bi_ranks_sharded_forest *f, const struct bi_msf_rows *rows, int64_t all,
                       struct bi_msf_found *found, bool *is_cut)
{
    const int64_t trees = f->trees_alone ? 0 : f->part->opts.trees;
    int64_t present = 0, count = 0;
    bosc_status local_status = BOSC_OK;
    BI_WITH_SCRATCH(f->ctx, local_status = bi_msf_count_roots(f->ctx, rows, NULL, &present));
    BI_TRY(bi_comm_sum(f->ctx, f->comm, local_status, &all, 1));
    const int64_t most = present < trees ? 0 : present - trees;
    *is_cut = trees > 0 && all > most;
    if (*is_cut) {
        BI_TRY_WITH_SCRATCH(f->ctx, count_lightest(f, rows, found, most, all, &count));
        if (found->count) local_status = bi_msf_keep_lightest(f->ctx, rows, count, found);
        if (local_status == BOSC_OK) local_status = bi_msf_sort_found(f->ctx, rows, found);
    }
    f->info.edges = *is_cut ? most : all;
    f->info.trees = present - f->info.edges;
    return bi_comm_agree(f->ctx, f->comm, local_status);
}

/* ---- sums ---- */

static bosc_status sum_integers(struct bi_ranks_sharded_forest *f, const struct bi_msf_rows *rows,
                                const struct bi_msf_found *found)
{
    const uint64_t *all = f->comm->gather;
    wide_count sum = 0;
    BI_TRY(bi_comm_agree(f->ctx, f->comm, bi_msf_sum(f->ctx, &f->part->view, rows, found, &f->info)));
    const uint64_t own[2] = {f->info.weight_low, (uint64_t)f->info.weight_high};
    BI_TRY(bi_comm_all_gather(f->ctx, f->comm, own, sizeof own, f->comm->gather));
    for (int64_t r = 0; r < f->comm->rank_count; r++) sum += (wide_count)all[2 * r + 1] << 64 | all[2 * r];
    f->info.weight_low = (uint64_t)sum;
    f->info.weight_high = (int64_t)(uint64_t)(sum >> 64);
    f->info.weight = (double)(wide_sum)sum;
    return BOSC_OK;
}

/* Along the tree of one context: ids ascend over the ranks. */
static bosc_status sum_floats(struct bi_ranks_sharded_forest *f, const struct bi_msf_found *found)
{
    struct bi_msf_doubles weights = {found->keys, f->part->view.weight, NULL};
    bosc_status local_status = bi_scratch_of(f->ctx, found->count, sizeof(double), (void **)&weights.out);
    if (local_status == BOSC_OK && found->count)
        local_status = f->ctx->ops->forest->steps->msf_doubles(f->ctx, found->count, &weights);
    BI_TRY(bi_comm_agree(f->ctx, f->comm, local_status));
    return bosc_ranks_reduce(f->ctx, f->comm, BOSC_SUM, BOSC_F64, weights.out, found->count, &f->info.weight);
}

static bosc_status sum(struct bi_ranks_sharded_forest *f, const struct bi_msf_rows *rows,
                       const struct bi_msf_found *found)
{
    const bosc_dtype type = f->part->view.weight;
    return type == BOSC_F32 || type == BOSC_F64 ? sum_floats(f, found) : sum_integers(f, rows, found);
}

/* ---- labels ---- */

/* The rounds over the edges that were left, for their labels alone. */
static bosc_status run_again(struct bi_ranks_sharded_forest *f, struct bi_ranks_sharded *s)
{
    struct bi_ranks_forest_word *words;
    bosc_status local_status = bi_ranks_forest_index(f->ctx, f->part, f->ids, f->count, &words);
    if (local_status == BOSC_OK)
        local_status = bi_ranks_forest_take_list(f->ctx, f->count, s->edges.ids != NULL, &s->edges);
    if (local_status == BOSC_OK)
        BI_WITH_SCRATCH(f->ctx, local_status = bi_ranks_forest_collect(f->ctx, f->part, words, &s->edges));
    return bi_ranks_sharded_run(s, local_status);
}

static bosc_status label(struct bi_ranks_sharded_forest *f, struct bi_ranks_sharded *s, const int64_t *wanted,
                         bool again)
{
    bosc_status local_status = BOSC_OK;
    if (again) BI_TRY(run_again(f, s));
    if (f->labels) local_status = bi_scratch_of(f->ctx, f->part->view.n, sizeof *f->tree_of, &f->tree_of);
    return bi_ranks_sharded_label(s, local_status, wanted, f->tree_of);
}

/* ---- the forest ---- */

/* What any rank asks for; wanted: (ranks): whether rank r asks for labels. */
static bosc_status share_wishes(const struct bi_ranks_sharded_forest *f, bosc_status local_status, int64_t *wanted,
                                bool *any_labels, bool *any_sum)
{
    const uint8_t own[2] = {f->labels, f->sum}, *all = f->comm->gather;
    BI_TRY(bi_comm_agree(f->ctx, f->comm, local_status));
    BI_TRY(bi_comm_all_gather(f->ctx, f->comm, own, sizeof own, f->comm->gather));
    *any_labels = *any_sum = false;
    for (int32_t r = 0; r < f->comm->rank_count; r++) {
        wanted[r] = all[2 * r];
        *any_labels |= all[2 * r] != 0;
        *any_sum |= all[2 * r + 1] != 0;
    }
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_compute(struct bi_ranks_sharded_forest *f)
{
    struct bi_ranks_sharded s = {.ctx = f->ctx,
                                 .comm = f->comm,
                                 .part = f->part,
                                 .steps = f->ctx->ops->dist->steps,
                                 .core = f->ctx->backend->core};
    struct bi_msf_rows rows = f->part->rows;
    struct bi_msf_found found = {0};
    int64_t *wanted = f->part->wanted;
    bool any_sum, is_cut;
    bosc_status local_status = bi_ranks_sharded_collect(&s);
    rows.wide = true; /* the words of ids over all ranks */
    BI_TRY(share_wishes(f, local_status, wanted, &s.labels, &any_sum));
    BI_TRY(bi_ranks_sharded_run(&s, BOSC_OK));
    f->info.rounds = s.rounds + s.rest;
    if (!f->trees_alone) BI_TRY(send_home(&s, &rows, &found));
    BI_TRY(cut(f, &rows, s.found_count, &found, &is_cut));
    f->ids = found.ids;
    f->count = found.count;
    if (any_sum) BI_TRY(sum(f, &rows, &found));
    return s.labels ? label(f, &s, wanted, is_cut) : BOSC_OK;
}
