/* Boruvka's rounds over ranks with replicated components and distributed edges. In each round every rank records the
 * lightest of its edges at each component. The components are divided among the ranks; each reads the records of its
 * own from the memory of all ranks, and writes the other ends to all. All ranks then contract and number the components
 * alike, and each lists its own among the chosen edges. Labels follow from the tree of rounds, or are merged from the
 * labels of each rank's edges.
 *
 * The first round over rows reads the rows, the next ones a list of light edges: heavier edges cannot be chosen while
 * a component has a light one. A component without any remains until the heavy edges between components are listed;
 * most vertices are in one component then, whose rows are not read. */
#include <string.h>

#include "core/call.h"
#include "ranks/forest/forest.h"

/* ---- rounds ---- */

enum {
    FEW_LIGHT = 64,  /* vertices per light edge from which heavy edges are listed; 4 and 10^8 took longer */
    FEW_JOINED = 256 /* if fewer components join, few edges may be left, so the list is compacted; not measured */
};

struct round_state {
    bosc_ctx *ctx;
    bosc_comm *comm; /* NULL: alone */
    const struct bi_ranks_forest_slice *slice;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core;
    struct bi_ranks_rounds *r;
    struct bi_ranks_list spare;
    struct bi_ranks_forest_filter filter; /* of rounds over rows */
    struct bi_mark lists;                 /* of the arena, before the lists of such rounds */
    bool has_heavy;             /* heavy edges are not listed yet: a component without an edge may be no whole tree */
    int64_t components, joined; /* joined: by the last round */
    bool is_compact;            /* the list has no edges within a component */
    uint32_t *parent;           /* n: by component */
    uint32_t *survives;         /* n: 1 for roots; then its prefix sums */
    uint64_t *best, *best_id;   /* n: keys and ids of edges; best_id only if edges have ids */
    uint8_t *flags;             /* n: by component */
    uint8_t *edge_flags;
    uint64_t *records; /* n: this rank's lightest edge at each component */
    uint32_t *others;  /* n: the other end of the lightest edge of all ranks */
    uint8_t *is_own;   /* n: 1 if it is this rank's */
    int64_t *counter;
    int64_t nodes; /* nodes of earlier rounds */
};

static int64_t record_bytes(const struct round_state *s)
{
    return bi_ranks_record_words(s->r->is_64bit) * (int64_t)sizeof(uint64_t);
}

static bosc_status allocate_arrays(struct round_state *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->r->n;
    const bool with_ids =
        s->r->from_rows ? s->slice->rows.keys_64bit || s->slice->rows.is_64bit : s->r->edges.ids != NULL;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s->parent, &s->parent));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s->survives, &s->survives));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s->best, &s->best));
    if (with_ids) BI_TRY(bi_scratch_of(ctx, n, sizeof *s->best_id, &s->best_id));
    BI_TRY(bi_scratch_of(ctx, n, 1, &s->flags));
    BI_TRY(bi_scratch_of(ctx, n, (size_t)record_bytes(s), &s->records));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s->others, &s->others));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s->is_own, &s->is_own));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *s->counter, &s->counter));
    s->lists = bi_arena_mark(ctx);
    return BOSC_OK;
}

/* Allocates the memory of bi_ranks_forest_relabel_edges. */
static bosc_status allocate_spare(struct round_state *s)
{
    const struct bi_ranks_list *edges = &s->r->edges;
    s->spare = s->r->spare;
    if (!s->spare.keys) BI_TRY(bi_ranks_forest_allocate_list(s->ctx, edges->count, edges->ids != NULL, &s->spare));
    return bi_scratch_of(s->ctx, edges->count, 1, &s->edge_flags);
}

/* Writes the records of this rank's edges. */
static bosc_status choose_in_list(struct round_state *s)
{
    const struct bi_ranks_list *list = &s->r->edges;
    const struct bi_ranks_forest_edges edges = {list->keys, list->ends, list->ids, s->r->first};
    const struct bi_ranks_forest_choose choose = {edges, s->best, s->best_id};
    const struct bi_ranks_forest_record record = {edges, s->best, s->best_id, s->r->is_64bit, s->records};
    const size_t bytes = (size_t)s->components * sizeof *s->best;
    BI_TRY(s->ctx->backend->fill(s->ctx, s->records, 0xff, (size_t)(s->components * record_bytes(s))));
    BI_TRY(s->ctx->backend->fill(s->ctx, s->best, 0xff, bytes));
    BI_TRY(s->steps->forest_min_key(s->ctx, list->count, &choose));
    if (list->ids) {
        BI_TRY(s->ctx->backend->fill(s->ctx, s->best_id, 0xff, bytes));
        BI_TRY(s->steps->forest_min_id(s->ctx, list->count, &choose));
    }
    return s->steps->forest_write_records(s->ctx, list->count, &record);
}

/* Writes the records of this rank's rows, and lists its light edges. */
static bosc_status choose_at_vertices(struct round_state *s)
{
    BI_TRY(bi_ranks_forest_choose_at_vertices(s->ctx, s->slice, &s->filter, s->records, &s->r->edges));
    return allocate_spare(s);
}

/* s->survives = the current component of each vertex. */
static bosc_status label_vertices(struct round_state *s)
{
    struct bi_ranks_forest_current current = {
        .tree = {.next = s->r->next}, .begin = 1, .end = s->r->count, .out = s->parent};
    memcpy(current.tree.level_begin, s->r->level_begin, sizeof current.tree.level_begin);
    /* 1. Of the components of round 1, through all later rounds. 2. Of the vertices, through these. */
    if (s->r->count > 1) {
        const int64_t count = s->r->level_begin[2] - s->r->level_begin[1];
        BI_TRY(s->steps->forest_current(s->ctx, count, &current));
        current.later = s->parent;
    }
    current.begin = 0;
    current.end = 1;
    current.out = s->survives;
    return s->steps->forest_current(s->ctx, s->r->n, &current);
}

/* Lists the heavy edges between components; if light ones are left, all edges. */
static bosc_status list_heavy(struct round_state *s, bool light_left)
{
    struct bi_ranks_forest_filter filter = s->filter;
    filter.labels = s->survives;
    filter.has_threshold = !light_left;
    bi_arena_rewind(s->ctx, s->lists);
    BI_TRY(label_vertices(s));
    BI_TRY(bi_ranks_forest_list_heavy(s->ctx, s->slice, &filter, &s->r->edges));
    return allocate_spare(s);
}

/* Reduces the records over all ranks. All ranks have agreed before. */
static bosc_status reduce_records(struct round_state *s)
{
    const struct bi_ranks_forest_reduction reduction = {.ctx = s->ctx,
                                                        .comm = s->comm,
                                                        .components = s->components,
                                                        .is_64bit = s->r->is_64bit,
                                                        .records = s->records,
                                                        .others = s->others,
                                                        .is_own = s->is_own,
                                                        .counts = s->slice->counts,
                                                        .blocks = s->slice->blocks};
    return bi_ranks_forest_reduce_records(&reduction);
}

/* ---- contraction ---- */

/* Appends this rank's chosen edges to the result, and numbers the components of the next round. is_unfinished:
 * components without an edge survive. */
static bosc_status contract_components(struct round_state *s, bool is_unfinished, uint32_t *next, int64_t *components)
{
    struct bi_ranks_rounds *r = s->r;
    const int64_t count = s->components, words = record_bytes(s) / (int64_t)sizeof *r->records;
    uint32_t *survives = s->survives;
    int64_t counts[2] = {0, 0}; /* listed edges; roots, in the low half */
    const struct bi_ranks_forest_join join = {s->others, s->is_own, s->parent, survives, s->flags, is_unfinished};
    const struct bi_ranks_forest_number number = {s->others, s->parent, survives, next, is_unfinished};
    /* 1. Link the components and append the listed edges. 2. Number the roots by a prefix sum. */
    BI_TRY(s->steps->forest_join(s->ctx, count, &join));
    BI_TRY(s->core->compact(s->ctx, (size_t)record_bytes(s), s->records, s->flags, count, r->records + r->found * words,
                            s->counter));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, survives, count, survives));
    BI_TRY(s->steps->forest_number(s->ctx, count, &number));
    BI_TRY(s->ctx->backend->copy(s->ctx, s->counter + 1, survives + (count - 1), sizeof *survives));
    BI_TRY(bi_read_back(s->ctx, counts, s->counter, sizeof counts));
    r->found += counts[0];
    *components = (uint32_t)counts[1];
    return BOSC_OK;
}

static bosc_status relabel(struct round_state *s, const uint32_t *next)
{
    return bi_ranks_forest_relabel_edges(s->ctx, next, &s->r->edges, &s->spare, s->edge_flags, s->counter);
}

/* Relabels the edges. Edges within a component are dropped if many or nearly all components have joined; else they
 * stay, with equal ends, as few are. */
static bosc_status relabel_list(struct round_state *s, const uint32_t *next)
{
    struct bi_ranks_list *edges = &s->r->edges;
    const struct bi_ranks_forest_relabel in_place = {next, edges->ends, NULL};
    s->is_compact = s->joined >= s->components || s->joined < FEW_JOINED;
    if (s->is_compact) return relabel(s, next);
    return s->steps->forest_relabel(s->ctx, edges->count, &in_place);
}

/* Makes every vertex a component. Self loops among input edges are never chosen, like other edges within a
 * component. */
static bosc_status init_rounds(struct round_state *s)
{
    struct bi_ranks_rounds *r = s->r;
    BI_TRY(allocate_arrays(s));
    if (!r->from_rows) BI_TRY(allocate_spare(s));
    r->found = 0;
    r->count = 0;
    s->components = r->n;
    return BOSC_OK;
}

/* Contracts by the reduced edges, alike on all ranks. */
static bosc_status finish_round(struct round_state *s, bool is_unfinished)
{
    struct bi_ranks_rounds *r = s->r;
    uint32_t *next = r->next + s->nodes;
    int64_t components;
    BI_TRY(contract_components(s, is_unfinished, next, &components));
    s->joined = s->components - components;
    BI_TRY(relabel_list(s, next));
    if (r->nodes) {
        const struct bi_ranks_forest_append_nodes grow = {s->records, r->is_64bit, next, r->nodes + s->nodes};
        BI_TRY(s->steps->forest_append_nodes(s->ctx, s->components, &grow));
    }
    r->level_begin[r->count++] = s->nodes;
    s->nodes += s->components;
    r->level_begin[r->count] = s->nodes;
    s->components = components;
    return BOSC_OK;
}

/* Lists the heavy edges once few light ones are left on all ranks, or the 3 n nodes have no room for another round of
 * light ones and the rounds after it, which at least halve the components. As long as a light edge is left, components
 * join. A list with edges within components counts as n edges.
 * *local_status: this rank's own status; all ranks continue, or none. */
static bosc_status finish_light_rounds(struct round_state *s, bosc_status *local_status)
{
    int64_t left = s->is_compact ? s->r->edges.count : s->r->n;
    BI_TRY(bi_comm_sum(s->ctx, s->comm, *local_status, &left, 1));
    s->has_heavy = left > s->r->n / FEW_LIGHT && s->nodes + 3 * s->components <= 3 * s->r->n;
    if (!s->has_heavy && s->components > 0) *local_status = list_heavy(s, left > 0);
    return BOSC_OK;
}

/* Chooses the lightest of this rank's edges at each component. */
static bosc_status choose_edges(struct round_state *s, bool at_vertices)
{
    return at_vertices ? choose_at_vertices(s) : choose_in_list(s);
}

/* Runs rounds until no component is left: whole trees leave the numbering (BI_FOREST_NONE). */
static bosc_status run_rounds(struct round_state *s, bosc_status local_status)
{
    BI_IF_OK(local_status, init_rounds(s));
    if (s->r->from_rows) {
        BI_TRY(bi_ranks_forest_choose_threshold(s->ctx, s->comm, s->slice, local_status, &s->filter));
        s->has_heavy = s->filter.has_threshold;
    }
    for (bool is_first = true;; is_first = false) {
        if (s->has_heavy && !is_first) BI_TRY(finish_light_rounds(s, &local_status));
        /* The agreement is also the exit: all ranks know the number of components. */
        if (local_status == BOSC_OK && s->components > 0) local_status = choose_edges(s, is_first && s->r->from_rows);
        BI_TRY(s->comm ? bi_comm_agree(s->ctx, s->comm, local_status) : local_status);
        if (s->components == 0) break;
        BI_TRY(reduce_records(s));
        local_status = finish_round(s, s->has_heavy && !is_first);
    }
    s->r->node_count = s->nodes;
    return BOSC_OK;
}

bosc_status bi_ranks_forest_relabel_edges(bosc_ctx *ctx, const uint32_t *next, struct bi_ranks_list *edges,
                                          struct bi_ranks_list *spare, uint8_t *flags, int64_t *counter)
{
    struct bi_ranks_list kept = *spare;
    const struct bi_ranks_forest_relabel step = {next, edges->ends, flags};
    const uint64_t *const from[] = {edges->keys, edges->ends, edges->ids};
    uint64_t *const to[] = {kept.keys, kept.ends, kept.ids};
    if (edges->count == 0) return BOSC_OK;
    BI_TRY(ctx->ops->ranks->steps->forest_relabel(ctx, edges->count, &step));
    for (int i = 0; i < 3; i++)
        if (from[i])
            BI_TRY(ctx->backend->core->compact(ctx, sizeof *from[i], from[i], flags, edges->count, to[i], counter));
    BI_TRY(bi_read_back(ctx, &kept.count, counter, sizeof kept.count));
    *spare = *edges;
    *edges = kept;
    return BOSC_OK;
}

bosc_status bi_ranks_forest_allocate_rounds(bosc_ctx *ctx, struct bi_ranks_rounds *rounds)
{
    const size_t words = (size_t)bi_ranks_record_words(rounds->is_64bit);
    const int64_t edges = rounds->most_edges < rounds->n ? rounds->most_edges : rounds->n;
    BI_TRY(bi_scratch_of(ctx, rounds->n, 3 * sizeof *rounds->next, &rounds->next));
    return bi_scratch_of(ctx, edges, words * sizeof *rounds->records, &rounds->records);
}

bosc_status bi_ranks_forest_run_rounds(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                       bosc_status local_status, struct bi_ranks_rounds *rounds)
{
    struct round_state s = {.ctx = ctx,
                            .comm = comm,
                            .slice = slice,
                            .steps = ctx->ops->ranks->steps,
                            .core = ctx->backend->core,
                            .r = rounds};
    BI_RETURN_WITH_SCRATCH(ctx, run_rounds(&s, local_status));
}

/* ---- labels of components ---- */

bosc_status bi_ranks_forest_reset_labels(bosc_ctx *ctx, int64_t n, uint32_t *parent)
{
    return ctx->backend->core->iota(ctx, 4, parent, n);
}

bosc_status bi_ranks_forest_flatten(bosc_ctx *ctx, int64_t n, uint32_t *parent)
{
    const struct bi_flatten flatten = {parent};
    return ctx->ops->forest->steps->flatten(ctx, n, &flatten);
}

bosc_status bi_ranks_forest_label_rounds(bosc_ctx *ctx, const struct bi_ranks_rounds *rounds, uint32_t *labels)
{
    struct bi_ranks_forest_tree tree = {.next = rounds->next, .labels = labels};
    if (rounds->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rounds->node_count, sizeof *tree.smallest, &tree.smallest));
    memcpy(tree.level_begin, rounds->level_begin, sizeof tree.level_begin);
    BI_TRY(ctx->backend->fill(ctx, tree.smallest, 0xff, (size_t)rounds->node_count * sizeof *tree.smallest));
    BI_TRY(ctx->ops->ranks->steps->forest_min_vertex(ctx, rounds->n, &tree));
    return ctx->ops->ranks->steps->forest_label(ctx, rounds->n, &tree);
}

/* Sends `bytes` bytes to the rank `distance` above this one, cyclically, and receives as many from the one below. */
static bosc_status exchange_cyclically(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                       int32_t distance, int64_t bytes, const void *sent, void *received)
{
    const int64_t ranks = comm->rank_count, to = (comm->rank + distance) % ranks,
                  from = (comm->rank + ranks - distance) % ranks;
    for (int64_t r = 0; r <= ranks; r++) {
        slice->sent_offsets[r] = r > to ? bytes : 0;
        slice->received_offsets[r] = r > from ? bytes : 0;
    }
    return bi_comm_all_to_all(ctx, comm, false, sent, slice->sent_offsets, received, slice->received_offsets);
}

/* Dissemination: each exchange doubles the number of ranks whose labels are merged here. Merging labels twice is
 * harmless, so any number of ranks works. */
static bosc_status merge_labels(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                bosc_status local_status, uint32_t *labels)
{
    const int64_t n = slice->view.n;
    uint32_t *other_labels = NULL;
    BI_IF_OK(local_status, bi_scratch_of(ctx, n, sizeof *other_labels, &other_labels));
    const struct bi_ranks_forest_union_labels unite = {other_labels, labels};
    for (int32_t distance = 1; distance < comm->rank_count; distance *= 2) {
        BI_TRY(bi_comm_agree(ctx, comm, local_status));
        local_status =
            exchange_cyclically(ctx, comm, slice, distance, n * (int64_t)sizeof *labels, labels, other_labels);
        BI_IF_OK(local_status, ctx->ops->ranks->steps->forest_union_labels(ctx, n, &unite));
    }
    if (local_status == BOSC_OK && comm->rank_count > 1) local_status = bi_ranks_forest_flatten(ctx, n, labels);
    return bi_comm_agree(ctx, comm, local_status);
}

bosc_status bi_ranks_forest_merge_labels(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                         bosc_status local_status, uint32_t *labels)
{
    BI_RETURN_WITH_SCRATCH(ctx, merge_labels(ctx, comm, slice, local_status, labels));
}
