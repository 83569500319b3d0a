/* Boruvka's rounds over ranks with distributed components. A rank gives its edges' components compact ids, and sends
 * the lightest of its edges at each to the component's owner, which keeps the lightest of all. Owners contract their
 * components by pointer jumping; ranks query them for the new numbers. Once the components fit each rank, they are
 * replicated. */
#include "ranks/forest/sharded.h"

#include "base/bits.h"
#include "core/call.h"
#include "ranks/exchange/route.h"

enum { RECORD = 3 * sizeof(uint64_t) }; /* bytes; see steps/forest_sharded.h */

/* ---- compact ids of the components that a rank's edges have, by bits and prefix counts, without a sort ---- */

/* Replaces the components in the edges' ends by compact ids: *count of them. */
static bosc_status compact_ends(struct bi_ranks_sharded *s, const struct bi_ranks_list *edges,
                                struct bi_ranks_sharded_compact *compact, int64_t *count)
{
    const int64_t words = bi_div_up(s->levels[s->rounds].count, 64);
    *count = 0;
    if (edges->count == 0) return BOSC_OK;
    compact->ends = edges->ends;
    BI_TRY(s->ctx->backend->fill(s->ctx, compact->bits, 0, (size_t)words * sizeof *compact->bits));
    BI_TRY(s->ctx->backend->fill(s->ctx, compact->prefix + words, 0, sizeof *compact->prefix));
    /* 1. Mark the components. 2. Prefix counts of the marks. 3. Replace the ends, and list the components. */
    BI_TRY(s->steps->sharded_mark_components(s->ctx, edges->count, compact));
    BI_TRY(s->steps->sharded_count_bits(s->ctx, words, compact));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, compact->prefix, words + 1, compact->prefix));
    BI_TRY(s->steps->sharded_compact_ends(s->ctx, edges->count, compact));
    BI_TRY(s->steps->sharded_list_components(s->ctx, words, compact));
    return bi_read_back(s->ctx, count, compact->prefix + words, sizeof *count);
}

/* ---- queries about components that other ranks own: items of the owners' tables ---- */

/* Components are owned in runs of level->each. */
static bosc_status find_component_owners(const struct bi_ranks_sharded *s, const struct bi_ranks_sharded_level *level,
                                         const uint32_t *components, int64_t count, uint32_t **owners)
{
    BI_TRY(bi_scratch_of(s->ctx, count, sizeof **owners, owners));
    const struct bi_ranks_sharded_owners find = {components, level->each, (uint32_t)s->comm->rank, *owners};
    return s->steps->sharded_owners(s->ctx, count, &find);
}

struct table_query {
    const struct bi_ranks_sharded *s;
    int64_t first; /* component of the owner's table */
    const void *table;
    size_t item_size;
};

/* On the owner: fetches the requested items of the table. */
static bosc_status look_up_items(bosc_ctx *ctx, const void *user, const void *requested, int64_t count, void *out)
{
    const struct table_query *q = user;
    const struct bi_ranks_sharded_lookup lookup = {requested, q->first, q->table, (int64_t)q->item_size, out};
    if (count) BI_TRY(ctx->backend->fill(ctx, out, 0, (size_t)count * q->item_size));
    return q->s->steps->sharded_lookup(ctx, count, &lookup);
}

static bosc_status query_tables(const struct bi_ranks_sharded *s, bosc_status local_status,
                                const struct bi_ranks_sharded_level *level, const uint32_t *components, int64_t count,
                                const struct table_query *tables, void *answers)
{
    uint32_t *owners = NULL;
    BI_IF_OK(local_status, find_component_owners(s, level, components, count, &owners));
    const struct bi_ranks_owner_query query = {.n = count,
                                               .owners = owners,
                                               .items = components,
                                               .item_size = sizeof *components,
                                               .answer_size = tables->item_size,
                                               .answer = look_up_items,
                                               .user = tables,
                                               .out = answers};
    return bi_ranks_query_owners(s->ctx, s->comm, local_status, &query);
}

bosc_status bi_ranks_sharded_query(const struct bi_ranks_sharded *s, bosc_status *local_status,
                                   const struct bi_ranks_sharded_level *level, const uint32_t *components,
                                   int64_t count, const void *table, size_t item_size, void *answers)
{
    const struct table_query tables = {s, level->first, table, item_size};
    const bosc_status own_status = *local_status;
    *local_status = BOSC_OK;
    BI_RETURN_WITH_SCRATCH(s->ctx, query_tables(s, own_status, level, components, count, &tables, answers));
}

/* ---- the lightest edge at each component ---- */

bosc_status bi_ranks_sharded_list_edges(struct bi_ranks_sharded *s)
{
    const struct bi_ranks_forest_filter all = {.words = NULL};
    return bi_ranks_forest_list_edges(s->ctx, s->slice, &all, &s->edges);
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

/* Relabels the ends by compact id (next NULL: they stay), and drops edges within a component. */
static bosc_status relabel(struct bi_ranks_sharded *s, const uint32_t *next)
{
    uint8_t *flags;
    if (s->edges.count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(s->ctx, s->edges.count, 1, &flags));
    return bi_ranks_forest_relabel_edges(s->ctx, next, &s->edges, &s->spare, flags, s->counter);
}

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

/* Sends the lightest edge at each of this rank's components to the owner. records: the lightest of all at the
 * components that this rank owns. */
static bosc_status send_candidates(struct bi_ranks_sharded *s, bosc_status *local_status, uint64_t *records)
{
    struct bi_ranks_route route;
    uint64_t *own = NULL;
    uint32_t *owners = NULL;
    void *candidates;
    BI_IF_OK(*local_status, compact_ends(s, &s->edges, &s->compact, &s->compact_count));
    BI_IF_OK(*local_status, choose_edges(s, &own, &owners));
    bosc_status status = bi_ranks_route_to_owners(s->ctx, s->comm, *local_status, owners, s->compact_count, &route);
    BI_IF_OK(status, bi_ranks_route_items(s->ctx, s->comm, BOSC_OK, &route, RECORD, own, &candidates));
    if (status == BOSC_OK) *local_status = reduce_candidates(s, candidates, route.x.received, records);
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

/* ---- contraction ----
 *
 * Each component points to the other end of its edge, and pointer jumping finds the numbers of the roots. Source:
 * Wyllie, The Complexity of Parallel Computations (1979), for the jumps. */

struct contraction {
    struct bi_ranks_sharded *s;
    const struct bi_ranks_sharded_level *level;
    const uint64_t *records;
    uint32_t *parent, *survives, *numbers;
};

/* Finds the roots, and lists the edges of the other components. */
static bosc_status list_edges(struct contraction *j, const struct bi_ranks_sharded_link *link)
{
    struct bi_ranks_sharded *s = j->s;
    int64_t listed;
    if (j->level->own == 0) return BOSC_OK;
    BI_TRY(s->steps->sharded_link(s->ctx, j->level->own, link));
    BI_TRY(s->core->compact(s->ctx, RECORD, j->records, link->listed, j->level->own, s->found + 3 * s->found_count,
                            s->counter));
    BI_TRY(bi_read_back(s->ctx, &listed, s->counter, sizeof listed));
    s->found_count += listed;
    return BOSC_OK;
}

/* Queries the owners of the other ends for their edges' ids, and links the components. */
static bosc_status link_components(struct contraction *j, bosc_status *local_status)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_link link = {
        .records = j->records, .first = j->level->first, .parent = j->parent, .survives = j->survives};
    uint64_t *ids = NULL, *other_ids = NULL;
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *link.other_ends, &link.other_ends));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *link.listed, &link.listed));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *ids, &ids));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *other_ids, &other_ids));
    link.ids = ids;
    link.other_ids = other_ids;
    BI_IF_OK(*local_status, s->steps->sharded_list_others(s->ctx, own, &link));
    BI_TRY(bi_ranks_sharded_query(s, local_status, j->level, link.other_ends, own, ids, sizeof *ids, other_ids));
    BI_IF_OK(*local_status, list_edges(j, &link));
    return BOSC_OK;
}

/* Numbers the roots. *components: number of roots on all ranks. */
static bosc_status number_roots(struct contraction *j, bosc_status *local_status, int64_t *components)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_number_roots numbers = {j->survives, j->numbers, 0, j->numbers};
    uint32_t own_roots = 0;
    if (*local_status == BOSC_OK && own) {
        *local_status = s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, j->survives, own, j->numbers);
        BI_IF_OK(*local_status, bi_read_back(s->ctx, &own_roots, j->numbers + (own - 1), sizeof own_roots));
    }
    BI_TRY(bi_comm_offset(s->ctx, s->comm, *local_status, own_roots, &numbers.first_number, components));
    *local_status = s->steps->sharded_number_roots(s->ctx, own, &numbers);
    return BOSC_OK;
}

/* Applies the answers of a jump. *count: number of components that query again. */
static bosc_status apply_answers(const struct contraction *j, const struct bi_ranks_sharded_jump *jump, int64_t *count)
{
    const struct bi_ranks_sharded *s = j->s;
    BI_TRY(s->steps->sharded_jump(s->ctx, j->level->own, jump));
    BI_TRY(s->core->compact(s->ctx, 1, jump->is_unresolved, jump->is_unresolved, j->level->own, NULL, s->counter));
    return bi_read_back(s->ctx, count, s->counter, sizeof *count);
}

/* Each jump halves the paths to the roots. next: the root numbers of this rank's components. */
static bosc_status jump_to_roots(struct contraction *j, bosc_status *local_status, uint32_t *next)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_jump jump = {
        .first = j->level->first, .parent = j->parent, .numbers = j->numbers, .next = next};
    uint64_t *answers = NULL;
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *jump.pointers, &jump.pointers));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *jump.targets, &jump.targets));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *jump.is_unresolved, &jump.is_unresolved));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *answers, &answers));
    jump.answers = answers;
    BI_IF_OK(*local_status, s->steps->sharded_init_jumps(s->ctx, own, &jump));
    for (int64_t unresolved = 1; unresolved > 0;) {
        BI_TRY(bi_ranks_sharded_query(s, local_status, j->level, jump.targets, own, jump.pointers,
                                      sizeof *jump.pointers, answers));
        unresolved = 0;
        BI_IF_OK(*local_status, apply_answers(j, &jump, &unresolved));
        BI_TRY(bi_comm_sum(s->ctx, s->comm, *local_status, &unresolved, 1));
    }
    *local_status = s->steps->sharded_finish_jumps(s->ctx, own, &jump);
    return BOSC_OK;
}

/* Contracts components by the records of this rank's: lists the chosen edges and numbers the roots. next: (this rank's
 * components) the new numbers, BI_FOREST_NONE for whole trees. *components: number of roots on all ranks. */
static bosc_status contract(struct bi_ranks_sharded *s, bosc_status *local_status, const uint64_t *records,
                            uint32_t *next, int64_t *components)
{
    struct contraction j = {.s = s, .level = &s->levels[s->rounds], .records = records};
    const int64_t own = j.level->own;
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *j.parent, &j.parent));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *j.survives, &j.survives));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *j.numbers, &j.numbers));
    BI_TRY_WITH_SCRATCH(s->ctx, link_components(&j, local_status));
    BI_TRY(number_roots(&j, local_status, components));
    BI_RETURN_WITH_SCRATCH(s->ctx, jump_to_roots(&j, local_status, next));
}

/* ---- edges that follow the rounds over other edges, for a proof ----
 *
 * They query which edges the components of their ends have chosen. */

/* answers: by compact id, the published triples; NULL after the last round. */
static bosc_status update_edges(const struct bi_ranks_sharded *s, const uint64_t *answers)
{
    const struct bi_ranks_sharded_path_max *path = s->path_max;
    const struct bi_ranks_path_max_update update = {
        {path->edges.keys, path->edges.ends, path->edges.ids, (uint64_t)s->slice->first_entry},
        answers,
        path->heaviest,
        path->apart,
        path->lighter};
    if (path->edges.count == 0) return BOSC_OK;
    return (answers ? s->steps->path_max_update : s->steps->path_max_finish)(s->ctx, path->edges.count, &update);
}

/* Updates s->path_max after a round, by the records of this rank's components (overwritten) and their numbers in the
 * next round. */
static bosc_status update_path_max(struct bi_ranks_sharded *s, bosc_status *local_status, uint64_t *records,
                                   const uint32_t *next)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    const struct bi_ranks_path_max_publish publish = {records, next};
    struct bi_ranks_sharded_compact compact = s->compact;
    uint64_t *answers = NULL;
    int64_t count = 0;
    compact.components = s->path_max->components;
    BI_IF_OK(*local_status, s->steps->path_max_publish(s->ctx, level->own, &publish));
    BI_IF_OK(*local_status, compact_ends(s, &s->path_max->edges, &compact, &count));
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, count, RECORD, &answers));
    BI_TRY(bi_ranks_sharded_query(s, local_status, level, compact.components, count, records, RECORD, answers));
    if (*local_status == BOSC_OK && count) *local_status = update_edges(s, answers);
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_finish_path_max(const struct bi_ranks_sharded *s) { return update_edges(s, NULL); }

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

/* ---- the last rounds ----
 *
 * Once the components fit each rank, they become the vertices of rounds of the first form, which take fewer exchanges.
 * Edges stay on their ranks. */

/* True if the remaining components may be replicated on each rank. */
static bool fits_replicated(const struct bi_ranks_sharded *s)
{
    return s->levels[s->rounds].count <= s->slice->opts.replicated_bytes / BI_RANKS_FOREST_BYTES;
}

/* Appends this rank's chosen edges. */
static bosc_status append_found(struct bi_ranks_sharded *s, const struct bi_ranks_rounds *rounds)
{
    uint64_t *to = s->found + 3 * s->found_count;
    s->found_count += rounds->found;
    if (rounds->found == 0) return BOSC_OK;
    return s->ctx->backend->copy(s->ctx, to, rounds->records, (size_t)rounds->found * RECORD);
}

/* Writes the trees of this rank's components: the number of the smallest component in each. */
static bosc_status number_trees(struct bi_ranks_sharded *s, const struct bi_ranks_rounds *rounds)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    uint32_t *trees;
    BI_TRY(bi_scratch_of(s->ctx, rounds->n, sizeof *trees, &trees));
    BI_TRY(bi_ranks_forest_label_rounds(s->ctx, rounds, trees));
    if (level->own == 0) return BOSC_OK;
    return s->ctx->backend->copy(s->ctx, s->next + level->at, trees + level->first, (size_t)level->own * sizeof *trees);
}

/* Runs the remaining rounds with replicated components, as one level, which keeps the numbers of the one before. */
static bosc_status run_replicated(struct bi_ranks_sharded *s, bosc_status *local_status)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    struct bi_ranks_rounds rounds = {.n = level->count,
                                     .is_64bit = true, /* records of this form have three words */
                                     .edges = s->edges,
                                     .spare = s->spare,
                                     .most_edges = s->edges.count,
                                     .first = (uint64_t)s->slice->first_entry};
    BI_IF_OK(*local_status, bi_ranks_forest_allocate_rounds(s->ctx, &rounds));
    BI_TRY(bi_ranks_forest_run_rounds(s->ctx, s->comm, s->slice, *local_status, &rounds));
    *local_status = append_found(s, &rounds);
    if (*local_status == BOSC_OK && s->labels) BI_WITH_SCRATCH(s->ctx, *local_status = number_trees(s, &rounds));
    s->edges.count = 0;
    s->replicated_rounds = rounds.count - 1;
    set_level(s, s->rounds + 1, level->count, level->at + level->own);
    s->rounds++;
    return BOSC_OK;
}

/* Upper bound of this rank's edges that such rounds choose. */
static int64_t max_replicated(const struct bi_ranks_sharded *s)
{
    const int64_t components = s->slice->opts.replicated_bytes / BI_RANKS_FOREST_BYTES;
    return components < s->edges.count ? components : s->edges.count;
}

/* ---- all rounds ---- */

/* Makes every vertex a component. */
static bosc_status init_rounds(struct bi_ranks_sharded *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->slice->view.n, words = bi_div_up(n, 64), edges = s->edges.count, owned = max_owned(s);
    BI_TRY(bi_ranks_forest_allocate_list(ctx, edges, s->edges.ids != NULL, &s->spare));
    BI_TRY(bi_scratch_of(ctx, words, sizeof *s->compact.bits, &s->compact.bits));
    BI_TRY(bi_scratch_of(ctx, words + 1, sizeof *s->compact.prefix, &s->compact.prefix));
    BI_TRY(bi_scratch_of(ctx, n < 2 * edges ? n : 2 * edges, sizeof *s->compact.components, &s->compact.components));
    BI_TRY(bi_scratch_of(ctx, owned + max_replicated(s), RECORD, &s->found));
    BI_TRY(bi_scratch_of(ctx, owned, sizeof *s->next, &s->next));
    if (s->labels) BI_TRY(bi_scratch_of(ctx, owned, sizeof *s->smallest, &s->smallest));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *s->counter, &s->counter));
    s->rounds = s->replicated_rounds = 0;
    s->found_count = 0;
    set_level(s, 0, n, 0);
    return s->path_max ? relabel(s, NULL) : BOSC_OK; /* input edges of a proof may include self loops */
}

/* Runs one round. *local_status: this rank's own status; all ranks continue, or none. */
static bosc_status run_round(struct bi_ranks_sharded *s, bosc_status *local_status)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    uint32_t *next = s->next + level->at, *new_ids = NULL;
    uint64_t *records = NULL;
    int64_t components = 0;
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, level->own, RECORD, &records));
    /* 1. Owners get the lightest edge of each component, and contract. */
    BI_TRY_WITH_SCRATCH(s->ctx, send_candidates(s, local_status, records));
    BI_TRY_WITH_SCRATCH(s->ctx, contract(s, local_status, records, next, &components));
    if (s->path_max) BI_TRY_WITH_SCRATCH(s->ctx, update_path_max(s, local_status, records, next));
    /* 2. Query the owners for the components' new numbers, and relabel the edges. */
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, s->compact_count, sizeof *new_ids, &new_ids));
    BI_TRY(bi_ranks_sharded_query(s, local_status, level, s->compact.components, s->compact_count, next, sizeof *next,
                                  new_ids));
    BI_IF_OK(*local_status, relabel(s, new_ids));
    set_level(s, s->rounds + 1, components, level->at + level->own);
    s->rounds++;
    return BOSC_OK;
}

/* Runs rounds until no rank has an edge between components. Rounds of a proof keep their form, since edges follow
 * them. */
bosc_status bi_ranks_sharded_run_rounds(struct bi_ranks_sharded *s, bosc_status local_status)
{
    BI_IF_OK(local_status, init_rounds(s));
    for (;;) {
        int64_t left = s->edges.count;
        BI_TRY(bi_comm_sum(s->ctx, s->comm, local_status, &left, 1));
        if (left == 0) return BOSC_OK;
        BI_TRY_WITH_SCRATCH(s->ctx,
                            (!s->path_max && fits_replicated(s) ? run_replicated : run_round)(s, &local_status));
    }
}
