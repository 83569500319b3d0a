/* Boruvka's rounds over ranks whose components are spread over the ranks. A rank names those that its edges have and
 * sends the lightest of its edges at each to the component's owner, who keeps the lightest of all. Owners join their
 * components by pointer jumping, and tell the ranks that ask what became of them. */
#include "ranks/forest/sharded.h"

#include "base/bits.h"
#include "core/call.h"
#include "ranks/exchange/route.h"

enum { RECORD = 3 * sizeof(uint64_t) };

/* ---- a rank's own edges ---- */

bosc_status bi_ranks_sharded_collect(struct bi_ranks_sharded *s)
{
    const bool with_ids = s->part->rows.wide_keys || s->part->rows.wide;
    BI_TRY(bi_ranks_forest_take_list(s->ctx, s->part->view.m, with_ids, &s->edges));
    BI_RETURN_WITH_SCRATCH(s->ctx, bi_ranks_forest_collect(s->ctx, s->part, NULL, &s->edges));
}

/* The lightest edge at each component that has a name, and whose that is. */
static bosc_status choose(struct bi_ranks_sharded *s, uint64_t **records, uint32_t **owners)
{
    const struct bi_ranks_list *list = &s->edges;
    const size_t bytes = (size_t)s->name_count * sizeof(uint64_t);
    const struct bi_ranks_forest_edges edges = {list->keys, list->ends, list->ids, (uint64_t)s->part->first};
    struct bi_ranks_forest_choose choose = {edges, NULL, NULL};
    BI_TRY(bi_scratch_of(s->ctx, s->name_count, RECORD, records));
    BI_TRY(bi_scratch_of(s->ctx, s->name_count, sizeof **owners, owners));
    if (list->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&choose.best));
    BI_TRY(s->ctx->backend->fill(s->ctx, choose.best, 0xff, bytes));
    BI_TRY(s->steps->forest_choose(s->ctx, list->count, &choose));
    if (list->ids) {
        BI_TRY(bi_scratch(s->ctx, bytes, (void **)&choose.best_id));
        BI_TRY(s->ctx->backend->fill(s->ctx, choose.best_id, 0xff, bytes));
        BI_TRY(s->steps->forest_choose_id(s->ctx, list->count, &choose));
    }
    const struct bi_ranks_forest_record record = {edges, choose.best, choose.best_id, true, *records};
    const struct bi_ranks_sharded_candidates candidates = {s->names.names, *records, s->levels[s->rounds].each,
                                                           *owners};
    BI_TRY(s->steps->forest_record(s->ctx, list->count, &record));
    return s->steps->sharded_candidates(s->ctx, s->name_count, &candidates);
}

/* What the flags let of an array over edges. */
static bosc_status keep(struct bi_ranks_sharded *s, const uint64_t *from, const uint8_t *flags, uint64_t *to)
{
    return s->core->compact(s->ctx, sizeof *from, from, flags, s->edges.count, to, s->counted);
}

/* Ends become what the components of names have become (next NULL: they stay); edges within one go. */
static bosc_status relabel(struct bi_ranks_sharded *s, const uint32_t *next)
{
    struct bi_ranks_list *edges = &s->edges, spare = s->spare;
    struct bi_ranks_forest_relabel relabel = {next, edges->ends, NULL};
    if (edges->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(s->ctx, edges->count, 1, &relabel.stays));
    BI_TRY(s->steps->forest_relabel(s->ctx, edges->count, &relabel));
    BI_TRY(keep(s, edges->keys, relabel.stays, spare.keys));
    BI_TRY(keep(s, edges->ends, relabel.stays, spare.ends));
    if (edges->ids) BI_TRY(keep(s, edges->ids, relabel.stays, spare.ids));
    BI_TRY(bi_read_back(s->ctx, &spare.count, s->counted, sizeof spare.count));
    s->spare = *edges;
    *edges = spare;
    return BOSC_OK;
}

/* ---- an owner's part ---- */

/* The records of this rank's components, from the candidates that came. */
static bosc_status compare(const struct bi_ranks_sharded *s, const uint64_t *candidates, int64_t count,
                           uint64_t *records)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    const size_t bytes = (size_t)level->own * sizeof *records;
    struct bi_ranks_sharded_least least = {candidates, level->first, NULL, NULL, records};
    if (level->own == 0) return BOSC_OK;
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&least.best));
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&least.best_id));
    BI_TRY(s->ctx->backend->fill(s->ctx, least.best, 0xff, bytes));
    BI_TRY(s->ctx->backend->fill(s->ctx, least.best_id, 0xff, bytes));
    BI_TRY(s->ctx->backend->fill(s->ctx, records, 0xff, 3 * bytes));
    BI_TRY(s->steps->sharded_least(s->ctx, count, &least));
    BI_TRY(s->steps->sharded_least_id(s->ctx, count, &least));
    return s->steps->sharded_keep(s->ctx, count, &least);
}

static bosc_status send_candidates(struct bi_ranks_sharded *s, bosc_status *local_status, uint64_t *records)
{
    struct bi_ranks_route route;
    uint64_t *own = NULL;
    uint32_t *owners = NULL;
    void *candidates;
    if (*local_status == BOSC_OK) *local_status = bi_ranks_sharded_name_ends(s, &s->edges, &s->names, &s->name_count);
    if (*local_status == BOSC_OK) *local_status = choose(s, &own, &owners);
    bosc_status status = bi_ranks_route_to_owners(s->ctx, s->comm, *local_status, owners, s->name_count, &route);
    if (status == BOSC_OK)
        status = bi_ranks_route_move(s->ctx, s->comm, local_status, &route, RECORD, own, &candidates);
    if (status == BOSC_OK && *local_status == BOSC_OK)
        *local_status = compare(s, candidates, route.x.received, records);
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

/* ---- rounds ---- */

/* The components that the ranks share; the next level's arrays stand behind this one's. */
static void set_level(struct bi_ranks_sharded *s, int32_t level, int64_t count, int64_t at)
{
    const int64_t ranks = s->comm->rank_count, each = count ? bi_div_up(count, ranks) : 1;
    const int64_t first = s->comm->rank * each < count ? s->comm->rank * each : count;
    const int64_t end = first + each < count ? first + each : count;
    s->levels[level] = (struct bi_ranks_sharded_level){count, each, first, end - first, at};
}

/* Room for the components that a rank owns in all rounds, each of which at least halves them; but for the last level
 * after a rest, which is as large as the one before. */
static int64_t most_owned(const struct bi_ranks_sharded *s)
{
    return 2 * bi_div_up(s->part->view.n, s->comm->rank_count) + BI_RANKS_FOREST_LEVELS;
}

static bosc_status start(struct bi_ranks_sharded *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->part->view.n, words = bi_div_up(n, 64), edges = s->edges.count, owned = most_owned(s);
    BI_TRY(bi_ranks_forest_take_list(ctx, edges, s->edges.ids != NULL, &s->spare));
    BI_TRY(bi_scratch_of(ctx, words, sizeof *s->names.bits, &s->names.bits));
    BI_TRY(bi_scratch_of(ctx, words + 1, sizeof *s->names.places, &s->names.places));
    BI_TRY(bi_scratch_of(ctx, n < 2 * edges ? n : 2 * edges, sizeof *s->names.names, &s->names.names));
    BI_TRY(bi_scratch_of(ctx, owned, RECORD, &s->found));
    BI_TRY(bi_scratch_of(ctx, owned, sizeof *s->next, &s->next));
    if (s->labels) BI_TRY(bi_scratch_of(ctx, owned, sizeof *s->smallest, &s->smallest));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *s->counted, &s->counted));
    s->rounds = s->rest = 0;
    s->found_count = 0;
    set_level(s, 0, n, 0);
    return s->climb ? relabel(s, NULL) : BOSC_OK; /* among edges that are to be proved there may be self loops */
}

/* The rounds that are left, as one. */
static bosc_status run_rest(struct bi_ranks_sharded *s, bosc_status *local_status)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    BI_TRY(bi_ranks_sharded_finish(s, local_status));
    set_level(s, s->rounds + 1, level->count, level->at + level->own);
    s->rounds++;
    return BOSC_OK;
}

/* *local_status is how this rank is: all go on, or none. */
static bosc_status run_round(struct bi_ranks_sharded *s, bosc_status *local_status)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    uint32_t *next = s->next + level->at, *renamed = NULL;
    uint64_t *records = NULL;
    int64_t components = 0;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, level->own, RECORD, &records);
    BI_TRY_WITH_SCRATCH(s->ctx, send_candidates(s, local_status, records));
    BI_TRY_WITH_SCRATCH(s->ctx, bi_ranks_sharded_join(s, local_status, records, next, &components));
    if (s->climb) BI_TRY_WITH_SCRATCH(s->ctx, bi_ranks_sharded_climb(s, local_status, records, next));
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, s->name_count, sizeof *renamed, &renamed);
    BI_TRY(bi_ranks_sharded_ask(s, local_status, level, s->names.names, s->name_count, next, sizeof *next, renamed));
    if (*local_status == BOSC_OK) *local_status = relabel(s, renamed);
    set_level(s, s->rounds + 1, components, level->at + level->own);
    s->rounds++;
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_run(struct bi_ranks_sharded *s, bosc_status local_status)
{
    if (local_status == BOSC_OK) local_status = start(s);
    for (;;) {
        int64_t left = s->edges.count;
        BI_TRY(bi_comm_sum(s->ctx, s->comm, local_status, &left, 1));
        if (left == 0) return BOSC_OK;
        BI_TRY_WITH_SCRATCH(s->ctx, (!s->climb && bi_ranks_sharded_fits(s) ? run_rest : run_round)(s, &local_status));
    }
}
