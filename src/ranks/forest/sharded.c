/* Boruvka's rounds over ranks with distributed components. A rank gives its edges' components compact ids, and sends
 * the lightest of its edges at each to the component's owner, which keeps the lightest of all. Owners contract their
 * components by pointer jumping; ranks query them for the new numbers. */
#include "ranks/forest/sharded.h"

#include "base/bits.h"
#include "core/call.h"
#include "ranks/exchange/route.h"

enum { RECORD = 3 * sizeof(uint64_t) };

/* ---- a rank's edges ---- */

bosc_status bi_ranks_sharded_list_edges(struct bi_ranks_sharded *s)
{
    const bool with_ids = s->slice->rows.keys_64bit || s->slice->rows.is_64bit;
    BI_TRY(bi_ranks_forest_allocate_list(s->ctx, s->slice->view.m, with_ids, &s->edges));
    BI_RETURN_WITH_SCRATCH(s->ctx, bi_ranks_forest_list_edges(s->ctx, s->slice, NULL, &s->edges));
}

/* Chooses the lightest edge at each of this rank's components, and finds the components' owners. */
static bosc_status choose_edges(struct bi_ranks_sharded *s, uint64_t **records, uint32_t **owners)
{
    const struct bi_ranks_list *list = &s->edges;
    const size_t bytes = (size_t)s->compact_count * sizeof(uint64_t);
    const struct bi_ranks_forest_edges edges = {list->keys, list->ends, list->ids, (uint64_t)s->slice->first_entry};
    struct bi_ranks_forest_choose choose = {edges, NULL, NULL};
    BI_TRY(bi_scratch_of(s->ctx, s->compact_count, RECORD, records));
    BI_TRY(bi_scratch_of(s->ctx, s->compact_count, sizeof **owners, owners));
    if (list->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&choose.best));
    BI_TRY(s->ctx->backend->fill(s->ctx, choose.best, 0xff, bytes));
    BI_TRY(s->steps->forest_min_key(s->ctx, list->count, &choose));
    if (list->ids) {
        BI_TRY(bi_scratch(s->ctx, bytes, (void **)&choose.best_id));
        BI_TRY(s->ctx->backend->fill(s->ctx, choose.best_id, 0xff, bytes));
        BI_TRY(s->steps->forest_min_id(s->ctx, list->count, &choose));
    }
    const struct bi_ranks_forest_record record = {edges, choose.best, choose.best_id, true, *records};
    const struct bi_ranks_sharded_candidates candidates = {s->compact.components, *records, s->levels[s->rounds].each,
                                                           *owners};
    BI_TRY(s->steps->forest_write_records(s->ctx, list->count, &record));
    return s->steps->sharded_candidates(s->ctx, s->compact_count, &candidates);
}

/* Compacts an array over edges by the flags. */
static bosc_status compact_kept(struct bi_ranks_sharded *s, const uint64_t *from, const uint8_t *flags, uint64_t *to)
{
    return s->core->compact(s->ctx, sizeof *from, from, flags, s->edges.count, to, s->counter);
}

/* Relabels the ends by compact id (next NULL: they stay), and drops edges within a component. */
static bosc_status relabel(struct bi_ranks_sharded *s, const uint32_t *next)
{
    struct bi_ranks_list *edges = &s->edges, spare = s->spare;
    struct bi_ranks_forest_relabel relabel = {next, edges->ends, NULL};
    if (edges->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(s->ctx, edges->count, 1, &relabel.is_kept));
    BI_TRY(s->steps->forest_relabel(s->ctx, edges->count, &relabel));
    BI_TRY(compact_kept(s, edges->keys, relabel.is_kept, spare.keys));
    BI_TRY(compact_kept(s, edges->ends, relabel.is_kept, spare.ends));
    if (edges->ids) BI_TRY(compact_kept(s, edges->ids, relabel.is_kept, spare.ids));
    BI_TRY(bi_read_back(s->ctx, &spare.count, s->counter, sizeof spare.count));
    s->spare = *edges;
    *edges = spare;
    return BOSC_OK;
}

/* ---- owners ---- */

/* Reduces the received candidates to the records of this rank's components. */
static bosc_status reduce_candidates(const struct bi_ranks_sharded *s, const uint64_t *candidates, int64_t count,
                                     uint64_t *records)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    const size_t bytes = (size_t)level->own * sizeof *records;
    struct bi_ranks_sharded_min_record least = {candidates, level->first, NULL, NULL, records};
    if (level->own == 0) return BOSC_OK;
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&least.best));
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&least.best_id));
    BI_TRY(s->ctx->backend->fill(s->ctx, least.best, 0xff, bytes));
    BI_TRY(s->ctx->backend->fill(s->ctx, least.best_id, 0xff, bytes));
    BI_TRY(s->ctx->backend->fill(s->ctx, records, 0xff, 3 * bytes));
    BI_TRY(s->steps->sharded_min_rank(s->ctx, count, &least));
    BI_TRY(s->steps->sharded_min_id(s->ctx, count, &least));
    return s->steps->sharded_write_records(s->ctx, count, &least);
}

static bosc_status send_candidates(struct bi_ranks_sharded *s, bosc_status *local_status, uint64_t *records)
{
    struct bi_ranks_route route;
    uint64_t *own = NULL;
    uint32_t *owners = NULL;
    void *candidates;
    if (*local_status == BOSC_OK)
        *local_status = bi_ranks_sharded_compact_ends(s, &s->edges, &s->compact, &s->compact_count);
    if (*local_status == BOSC_OK) *local_status = choose_edges(s, &own, &owners);
    bosc_status status = bi_ranks_route_to_owners(s->ctx, s->comm, *local_status, owners, s->compact_count, &route);
    if (status == BOSC_OK)
        status = bi_ranks_route_move(s->ctx, s->comm, local_status, &route, RECORD, own, &candidates);
    if (status == BOSC_OK && *local_status == BOSC_OK)
        *local_status = reduce_candidates(s, candidates, route.x.received, records);
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

/* ---- rounds ---- */

/* Divides `count` components among the ranks. This rank's begin at `at` of the arrays over levels. */
static void set_level(struct bi_ranks_sharded *s, int32_t level, int64_t count, int64_t at)
{
    const int64_t ranks = s->comm->rank_count, each = count ? bi_div_up(count, ranks) : 1;
    const int64_t first = s->comm->rank * each < count ? s->comm->rank * each : count;
    const int64_t limit = first + each < count ? first + each : count;
    s->levels[level] = (struct bi_ranks_sharded_level){count, each, first, limit - first, at};
}

/* Upper bound of the components that a rank owns over all levels: each round at least halves them, but the level after
 * the replicated rounds is as large as the one before. */
static int64_t max_owned(const struct bi_ranks_sharded *s)
{
    return 2 * bi_div_up(s->slice->view.n, s->comm->rank_count) + BI_RANKS_FOREST_LEVELS;
}

static bosc_status init_rounds(struct bi_ranks_sharded *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->slice->view.n, words = bi_div_up(n, 64), edges = s->edges.count, owned = max_owned(s);
    BI_TRY(bi_ranks_forest_allocate_list(ctx, edges, s->edges.ids != NULL, &s->spare));
    BI_TRY(bi_scratch_of(ctx, words, sizeof *s->compact.bits, &s->compact.bits));
    BI_TRY(bi_scratch_of(ctx, words + 1, sizeof *s->compact.prefix, &s->compact.prefix));
    BI_TRY(bi_scratch_of(ctx, n < 2 * edges ? n : 2 * edges, sizeof *s->compact.components, &s->compact.components));
    BI_TRY(bi_scratch_of(ctx, owned, RECORD, &s->found));
    BI_TRY(bi_scratch_of(ctx, owned, sizeof *s->next, &s->next));
    if (s->labels) BI_TRY(bi_scratch_of(ctx, owned, sizeof *s->smallest, &s->smallest));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *s->counter, &s->counter));
    s->rounds = s->replicated_rounds = 0;
    s->found_count = 0;
    set_level(s, 0, n, 0);
    return s->path_max ? relabel(s, NULL) : BOSC_OK; /* input edges of a proof may include self loops */
}

/* Runs the remaining rounds with replicated components, as one level. */
static bosc_status run_replicated(struct bi_ranks_sharded *s, bosc_status *local_status)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    BI_TRY(bi_ranks_sharded_run_replicated(s, local_status));
    set_level(s, s->rounds + 1, level->count, level->at + level->own);
    s->rounds++;
    return BOSC_OK;
}

/* Runs one round. *local_status: this rank's own status; all ranks continue, or none. */
static bosc_status run_round(struct bi_ranks_sharded *s, bosc_status *local_status)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    uint32_t *next = s->next + level->at, *new_ids = NULL;
    uint64_t *records = NULL;
    int64_t components = 0;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, level->own, RECORD, &records);
    /* 1. Owners get the lightest edge of each component, and contract. */
    BI_TRY_WITH_SCRATCH(s->ctx, send_candidates(s, local_status, records));
    BI_TRY_WITH_SCRATCH(s->ctx, bi_ranks_sharded_contract(s, local_status, records, next, &components));
    if (s->path_max) BI_TRY_WITH_SCRATCH(s->ctx, bi_ranks_sharded_update_path_max(s, local_status, records, next));
    /* 2. Query the owners for the components' new numbers, and relabel the edges. */
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, s->compact_count, sizeof *new_ids, &new_ids);
    BI_TRY(bi_ranks_sharded_query(s, local_status, level, s->compact.components, s->compact_count, next, sizeof *next,
                                  new_ids));
    if (*local_status == BOSC_OK) *local_status = relabel(s, new_ids);
    set_level(s, s->rounds + 1, components, level->at + level->own);
    s->rounds++;
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_run_rounds(struct bi_ranks_sharded *s, bosc_status local_status)
{
    if (local_status == BOSC_OK) local_status = init_rounds(s);
    for (;;) {
        int64_t left = s->edges.count;
        BI_TRY(bi_comm_sum(s->ctx, s->comm, local_status, &left, 1));
        if (left == 0) return BOSC_OK;
        BI_TRY_WITH_SCRATCH(s->ctx, (!s->path_max && bi_ranks_sharded_fits_replicated(s) ? run_replicated : run_round)(
                                        s, &local_status));
    }
}
