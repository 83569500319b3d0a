/* Boruvka's rounds over ranks. Vertices and components are replicated, edges are not. In each round every rank chooses
 * the lightest of its edges at each component; the ranks share the components out, and each finds the lightest of all
 * for its own and tells the others. Then all ranks join and number components alike. */
#include "core/call.h"
#include "dist/forest.h"

struct rounds {
    bosc_ctx *ctx;
    bosc_comm *comm; /* NULL: alone */
    const struct bi_dist_part *part;
    const struct bi_dist_steps *steps;
    const struct bi_core_ops *core;
    struct bi_dist_rounds *r;
    struct bi_dist_edges spare;
    int64_t components, each; /* each: of a rank, at most */
    int32_t ranks;
    uint32_t *vertex_of, *next_vertex_of; /* n: by component, the vertex that stands for it */
    uint32_t *component_of;               /* n: by such a vertex */
    uint32_t *best;                       /* n */
    uint8_t *flags;                       /* as many as edges or vertices */
    uint64_t *records, *other_records;
    int64_t *counts; /* 2 */
    int64_t nodes;
};

static int64_t record_bytes(const struct rounds *s) { return (s->r->wide ? 3 : 2) * (int64_t)sizeof(uint64_t); }

static bosc_status take_room(struct rounds *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->r->n, most = s->r->edges.count > n ? s->r->edges.count : n;
    const int64_t records = bi_div_up(n, s->ranks) * s->ranks;
    BI_TRY(bi_dist_forest_take_edges(ctx, s->r->edges.count, &s->spare));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &s->vertex_of));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &s->next_vertex_of));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &s->component_of));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &s->best));
    BI_TRY(bi_scratch_of(ctx, most, 1, &s->flags));
    BI_TRY(bi_scratch_of(ctx, records, (size_t)record_bytes(s), &s->records));
    BI_TRY(bi_scratch_of(ctx, records, (size_t)record_bytes(s), &s->other_records));
    return bi_scratch_of(ctx, 2, sizeof(int64_t), &s->counts);
}

/* The records of this rank's edges. */
static bosc_status choose(struct rounds *s)
{
    const struct bi_dist_edges *edges = &s->r->edges;
    const struct bi_dist_forest_choose choose = {edges->edges, s->best};
    const struct bi_dist_forest_record record = {edges->edges,  edges->ranks, s->best,
                                                 s->components, s->r->wide,   s->records};
    s->each = bi_div_up(s->components, s->ranks);
    BI_TRY(s->ctx->backend->fill(s->ctx, s->best, 0xff, (size_t)s->components * sizeof *s->best));
    BI_TRY(s->steps->forest_choose(s->ctx, edges->count, &choose));
    return s->steps->forest_record(s->ctx, s->each * s->ranks, &record);
}

static bosc_status exchange(struct rounds *s)
{
    int64_t *offsets = s->part->sent_offsets;
    for (int32_t k = 0; k <= s->ranks; k++) offsets[k] = k * s->each * record_bytes(s);
    return bi_comm_all_to_all(s->ctx, s->comm, false, s->records, offsets, s->other_records, offsets);
}

/* s->records become those of all ranks' edges. *mine is how this rank is: all go on. */
static bosc_status share(struct rounds *s, bosc_status *mine)
{
    const struct bi_dist_forest_least least = {s->other_records, s->each, s->ranks, s->r->wide, s->records};
    uint64_t *records = s->records;
    *mine = exchange(s);
    if (*mine == BOSC_OK) *mine = s->steps->forest_least(s->ctx, s->each, &least);
    BI_TRY(bi_comm_agree(s->ctx, s->comm, *mine));
    *mine = exchange(s);
    s->records = s->other_records;
    s->other_records = records;
    return BOSC_OK;
}

/* Lists the edges chosen, and joins components by them. */
static bosc_status join(struct rounds *s)
{
    struct bi_dist_rounds *r = s->r;
    uint64_t *ranks = s->other_records, *ids = ranks + s->components;
    const struct bi_dist_forest_join join = {s->records, r->wide, s->vertex_of, r->parent, ranks, ids, s->flags};
    const struct bi_dist_forest_compress compress = {s->vertex_of, r->parent};
    BI_TRY(s->steps->forest_join(s->ctx, s->components, &join));
    BI_TRY(s->core->compact(s->ctx, sizeof *ranks, ranks, s->flags, s->components, r->ranks + r->found, s->counts));
    BI_TRY(s->core->compact(s->ctx, sizeof *ids, ids, s->flags, s->components, r->ids + r->found, s->counts));
    return s->steps->forest_compress(s->ctx, s->components, &compress);
}

/* The components of the next round. */
static bosc_status number(struct rounds *s, int64_t *components)
{
    const struct bi_dist_forest_stay stay = {s->records, s->r->wide, s->vertex_of, s->r->parent, s->flags};
    const struct bi_dist_forest_number number = {s->next_vertex_of, s->component_of};
    int64_t counts[2];
    BI_TRY(s->steps->forest_stay(s->ctx, s->components, &stay));
    BI_TRY(s->core->compact(s->ctx, sizeof *s->vertex_of, s->vertex_of, s->flags, s->components, s->next_vertex_of,
                            s->counts + 1));
    BI_TRY(bi_read_back(s->ctx, counts, s->counts, sizeof counts));
    s->r->found += counts[0];
    *components = counts[1];
    return s->steps->forest_number(s->ctx, counts[1], &number);
}

/* Edges between components of the next round. */
static bosc_status relabel(struct rounds *s, const struct bi_dist_forest_renaming *renaming)
{
    struct bi_dist_edges *edges = &s->r->edges, spare = s->spare;
    const struct bi_dist_forest_relabel relabel = {*renaming, edges->edges, s->flags};
    if (edges->count == 0) return BOSC_OK;
    BI_TRY(s->steps->forest_relabel(s->ctx, edges->count, &relabel));
    BI_TRY(
        s->core->compact(s->ctx, sizeof *edges->edges, edges->edges, s->flags, edges->count, spare.edges, s->counts));
    BI_TRY(
        s->core->compact(s->ctx, sizeof *edges->ranks, edges->ranks, s->flags, edges->count, spare.ranks, s->counts));
    BI_TRY(bi_read_back(s->ctx, &spare.count, s->counts, sizeof spare.count));
    s->spare = *edges;
    *edges = spare;
    return BOSC_OK;
}

/* Every vertex is a component. Among edges that are to make a tree of rounds there may be self loops: they go. */
static bosc_status start(struct rounds *s)
{
    struct bi_dist_rounds *r = s->r;
    BI_TRY(take_room(s));
    r->found = 0;
    r->count = 0;
    s->components = r->n;
    BI_TRY(bi_dist_forest_reset_labels(s->ctx, r->n, s->vertex_of));
    BI_TRY(bi_dist_forest_reset_labels(s->ctx, r->n, s->component_of));
    BI_TRY(bi_dist_forest_reset_labels(s->ctx, r->n, r->parent));
    const struct bi_dist_forest_renaming identity = {s->vertex_of, r->parent, s->component_of};
    return r->nodes ? relabel(s, &identity) : BOSC_OK;
}

/* What follows from the records, on all ranks alike. */
static bosc_status contract(struct rounds *s)
{
    struct bi_dist_rounds *r = s->r;
    uint32_t *vertex_of = s->vertex_of;
    int64_t components;
    BI_TRY(join(s));
    BI_TRY(number(s, &components));
    const struct bi_dist_forest_renaming renaming = {vertex_of, r->parent, s->component_of};
    BI_TRY(relabel(s, &renaming));
    if (r->nodes) {
        const struct bi_dist_forest_grow grow = {renaming, s->records, r->wide, r->nodes + s->nodes};
        r->begin[r->count] = s->nodes;
        s->nodes += s->components;
        BI_TRY(s->steps->forest_grow(s->ctx, s->components, &grow));
    }
    s->vertex_of = s->next_vertex_of;
    s->next_vertex_of = vertex_of;
    s->components = components;
    r->count++;
    return BOSC_OK;
}

static bosc_status run(struct rounds *s, bosc_status mine)
{
    if (mine == BOSC_OK) mine = start(s);
    for (;;) {
        if (mine == BOSC_OK && s->components > 0) mine = choose(s);
        BI_TRY(s->comm ? bi_comm_agree(s->ctx, s->comm, mine) : mine);
        if (s->components == 0) return BOSC_OK;
        if (s->ranks > 1) BI_TRY(share(s, &mine));
        if (mine == BOSC_OK) mine = contract(s);
    }
}

bosc_status bi_dist_forest_run_rounds(bosc_ctx *ctx, bosc_comm *comm, const struct bi_dist_part *part, bosc_status mine,
                                      struct bi_dist_rounds *rounds)
{
    struct rounds s = {.ctx = ctx,
                       .comm = comm,
                       .part = part,
                       .steps = ctx->ops->dist->steps,
                       .core = ctx->backend->core,
                       .r = rounds,
                       .ranks = comm ? comm->rank_count : 1};
    BI_RETURN_WITH_SCRATCH(ctx, run(&s, mine));
}
