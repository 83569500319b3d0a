/* Boruvka's rounds over ranks. Vertices and components are replicated, edges are not. In each round every rank chooses
 * the lightest of its edges at each component; the ranks share the components out, and each finds the lightest of all
 * for its own and tells the others. Then all ranks join and number components alike. */
#include "core/call.h"
#include "ranks/forest/forest.h"

struct rounds {
    bosc_ctx *ctx;
    bosc_comm *comm; /* NULL: alone */
    const struct bi_ranks_part *part;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core;
    struct bi_ranks_rounds *r;
    struct bi_ranks_list spare;
    int64_t components, each; /* each: of a rank, at most */
    int32_t ranks;
    uint32_t *parent;         /* n: by component */
    uint32_t *numbers;        /* n: those of the next round */
    uint64_t *best, *best_id; /* n: of edges; best_id only where edges have ids */
    uint8_t *flags;           /* as many as edges or vertices */
    uint64_t *records, *other_records;
    int64_t *count;
    int64_t nodes; /* of the rounds before */
};

static int64_t record_bytes(const struct rounds *s)
{
    return bi_ranks_record_words(s->r->wide) * (int64_t)sizeof(uint64_t);
}

static bosc_status take_room(struct rounds *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->r->n, most = s->r->edges.count > n ? s->r->edges.count : n;
    const int64_t records = bi_div_up(n, s->ranks) * s->ranks;
    s->spare = s->r->spare;
    if (!s->spare.keys) BI_TRY(bi_ranks_forest_take_list(ctx, s->r->edges.count, s->r->edges.ids != NULL, &s->spare));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s->parent, &s->parent));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s->numbers, &s->numbers));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *s->best, &s->best));
    if (s->r->edges.ids) BI_TRY(bi_scratch_of(ctx, n, sizeof *s->best_id, &s->best_id));
    BI_TRY(bi_scratch_of(ctx, most, 1, &s->flags));
    BI_TRY(bi_scratch_of(ctx, records, (size_t)record_bytes(s), &s->records));
    BI_TRY(bi_scratch_of(ctx, records, (size_t)record_bytes(s), &s->other_records));
    return bi_scratch_of(ctx, 1, sizeof *s->count, &s->count);
}

/* The records of this rank's edges, and records without an edge behind the last one. */
static bosc_status choose(struct rounds *s)
{
    const struct bi_ranks_list *list = &s->r->edges;
    const struct bi_ranks_forest_edges edges = {list->keys, list->ends, list->ids, s->r->first};
    const struct bi_ranks_forest_choose choose = {edges, s->best, s->best_id};
    const struct bi_ranks_forest_record record = {edges, s->best, s->best_id, s->r->wide, s->records};
    const size_t bytes = (size_t)s->components * sizeof *s->best;
    s->each = bi_div_up(s->components, s->ranks);
    BI_TRY(s->ctx->backend->fill(s->ctx, s->records, 0xff, (size_t)(s->each * s->ranks * record_bytes(s))));
    BI_TRY(s->ctx->backend->fill(s->ctx, s->best, 0xff, bytes));
    BI_TRY(s->steps->forest_choose(s->ctx, list->count, &choose));
    if (list->ids) {
        BI_TRY(s->ctx->backend->fill(s->ctx, s->best_id, 0xff, bytes));
        BI_TRY(s->steps->forest_choose_id(s->ctx, list->count, &choose));
    }
    return s->steps->forest_record(s->ctx, list->count, &record);
}

static bosc_status exchange(struct rounds *s)
{
    int64_t *offsets = s->part->sent_offsets;
    for (int32_t k = 0; k <= s->ranks; k++) offsets[k] = k * s->each * record_bytes(s);
    return bi_comm_all_to_all(s->ctx, s->comm, false, s->records, offsets, s->other_records, offsets);
}

/* s->records become those of all ranks' edges. *local_status is how this rank is: all go on. */
static bosc_status share(struct rounds *s, bosc_status *local_status)
{
    const struct bi_ranks_forest_least least = {s->other_records, s->each, s->ranks, s->r->wide, s->records};
    uint64_t *records = s->records;
    *local_status = exchange(s);
    if (*local_status == BOSC_OK) *local_status = s->steps->forest_least(s->ctx, s->each, &least);
    BI_TRY(bi_comm_agree(s->ctx, s->comm, *local_status));
    *local_status = exchange(s);
    s->records = s->other_records;
    s->other_records = records;
    return BOSC_OK;
}

/* Lists the edges chosen, and numbers the components of the next round. */
static bosc_status join(struct rounds *s, uint32_t *next, int64_t *components)
{
    struct bi_ranks_rounds *r = s->r;
    const bool wide = r->wide;
    const int64_t count = s->components, words = record_bytes(s) / (int64_t)sizeof *r->records;
    uint32_t *numbers = s->numbers, last;
    int64_t listed;
    const struct bi_ranks_forest_link link = {s->records, wide, s->parent, numbers, s->flags, false};
    const struct bi_ranks_forest_renumber renumber = {s->records, wide, s->parent, numbers, next, false};
    BI_TRY(s->steps->forest_link(s->ctx, count, &link));
    BI_TRY(s->core->compact(s->ctx, (size_t)record_bytes(s), s->records, s->flags, count, r->records + r->found * words,
                            s->count));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, numbers, count, numbers));
    BI_TRY(s->steps->forest_renumber(s->ctx, count, &renumber));
    BI_TRY(bi_read_back(s->ctx, &listed, s->count, sizeof listed));
    BI_TRY(bi_read_back(s->ctx, &last, numbers + (count - 1), sizeof last));
    r->found += listed;
    *components = last;
    return BOSC_OK;
}

/* What the flags let of an array over edges. */
static bosc_status keep(struct rounds *s, const uint64_t *from, uint64_t *to)
{
    return s->core->compact(s->ctx, sizeof *from, from, s->flags, s->r->edges.count, to, s->count);
}

/* Edges between components of the next round; next NULL: of this one. */
static bosc_status relabel(struct rounds *s, const uint32_t *next)
{
    struct bi_ranks_list *edges = &s->r->edges, spare = s->spare;
    const struct bi_ranks_forest_relabel relabel = {next, edges->ends, s->flags};
    if (edges->count == 0) return BOSC_OK;
    BI_TRY(s->steps->forest_relabel(s->ctx, edges->count, &relabel));
    BI_TRY(keep(s, edges->keys, spare.keys));
    BI_TRY(keep(s, edges->ends, spare.ends));
    if (edges->ids) BI_TRY(keep(s, edges->ids, spare.ids));
    BI_TRY(bi_read_back(s->ctx, &spare.count, s->count, sizeof spare.count));
    s->spare = *edges;
    *edges = spare;
    return BOSC_OK;
}

/* Every vertex is a component. Among edges that are to make a tree of rounds there may be self loops: they go. */
static bosc_status start(struct rounds *s)
{
    struct bi_ranks_rounds *r = s->r;
    BI_TRY(take_room(s));
    r->found = 0;
    r->count = 0;
    s->components = r->n;
    return r->nodes ? relabel(s, NULL) : BOSC_OK;
}

/* What follows from the records, on all ranks alike. */
static bosc_status contract(struct rounds *s)
{
    struct bi_ranks_rounds *r = s->r;
    uint32_t *next = r->next + s->nodes;
    int64_t components;
    BI_TRY(join(s, next, &components));
    BI_TRY(relabel(s, next));
    if (r->nodes) {
        const struct bi_ranks_forest_grow grow = {s->records, r->wide, next, r->nodes + s->nodes};
        BI_TRY(s->steps->forest_grow(s->ctx, s->components, &grow));
    }
    r->begin[r->count++] = s->nodes;
    s->nodes += s->components;
    s->components = components;
    return BOSC_OK;
}

static bosc_status run(struct rounds *s, bosc_status local_status)
{
    if (local_status == BOSC_OK) local_status = start(s);
    for (;;) {
        if (local_status == BOSC_OK && s->components > 0) local_status = choose(s);
        BI_TRY(s->comm ? bi_comm_agree(s->ctx, s->comm, local_status) : local_status);
        if (s->components == 0) return BOSC_OK;
        if (s->ranks > 1) BI_TRY(share(s, &local_status));
        if (local_status == BOSC_OK) local_status = contract(s);
    }
}

bosc_status bi_ranks_forest_take_rounds(bosc_ctx *ctx, struct bi_ranks_rounds *rounds)
{
    const size_t words = (size_t)bi_ranks_record_words(rounds->wide);
    BI_TRY(bi_scratch_of(ctx, rounds->n, 2 * sizeof *rounds->next, &rounds->next));
    return bi_scratch_of(ctx, rounds->n, words * sizeof *rounds->records, &rounds->records);
}

bosc_status bi_ranks_forest_run_rounds(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_part *part,
                                       bosc_status local_status, struct bi_ranks_rounds *rounds)
{
    struct rounds s = {.ctx = ctx,
                       .comm = comm,
                       .part = part,
                       .steps = ctx->ops->dist->steps,
                       .core = ctx->backend->core,
                       .r = rounds,
                       .ranks = comm ? comm->rank_count : 1};
    BI_RETURN_WITH_SCRATCH(ctx, run(&s, local_status));
}
