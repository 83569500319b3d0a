/* The proof of distances and predecessors. */
#include "base/bits.h"
#include "paths/drivers.h"

struct proof {
    struct bi_paths_call *c;
    struct bi_paths_proof steps_args;
    struct bi_paths_faults *device;
    struct bi_paths_faults faults; /* host */
};

static bosc_status read_faults(struct proof *p)
{
    return bi_read_back(p->c->ctx, &p->faults, p->device, sizeof p->faults);
}

/* If each predecessor is at a smaller distance, all lead to sources. Otherwise pointer jumping finds the roots. */
static bosc_status check_roots(struct proof *p)
{
    if (p->faults.flat == 0) return BOSC_OK;
    BI_TRY(bi_paths_find_roots(p->c, p->steps_args.above));
    BI_TRY(p->c->steps->paths_verify_roots(p->c->ctx, p->c->rows.n, &p->steps_args));
    return read_faults(p);
}

/* Without the caller's predecessors: builds a tree; a vertex that it does not reach has a wrong distance. */
static bosc_status check_attained(struct proof *p)
{
    uint64_t unrooted;
    BI_TRY(bi_paths_find_tree(p->c, p->steps_args.distances, p->steps_args.above, false, &unrooted));
    if (unrooted == 0) return BOSC_OK;
    BI_TRY(p->c->steps->paths_verify_roots(p->c->ctx, p->c->rows.n, &p->steps_args));
    return read_faults(p);
}

static bool has_fault(const struct bi_paths_faults *f)
{
    return f->source != INT64_MAX || f->number != INT64_MAX || f->arc != INT64_MAX || f->vertex != INT64_MAX ||
           f->loose != INT64_MAX || f->unrooted != INT64_MAX;
}

/* Stops at the first kind of fault found. */
static bosc_status prove_paths(struct proof *p)
{
    struct bi_paths_call *c = p->c;
    bosc_ctx *ctx = c->ctx;
    struct bi_paths_proof *a = &p->steps_args;
    const int64_t n = c->rows.n;
    p->faults = (struct bi_paths_faults){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, 0};
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *p->device, &p->device));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->above, &a->above));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->attained, &a->attained));
    BI_TRY(ctx->backend->copy(ctx, p->device, &p->faults, sizeof p->faults));
    a->rows = c->rows;
    a->is_64bit = c->id_bits == 64;
    a->sources = c->sources;
    a->faults = p->device;
    /* 1. Vertices and sources, then arcs. */
    BI_TRY(c->steps->paths_verify_vertex(ctx, n, a));
    BI_TRY(c->steps->paths_verify_source(ctx, c->source_count, a));
    BI_TRY(read_faults(p));
    if (has_fault(&p->faults)) return BOSC_OK;
    BI_TRY_WITH_COST(ctx, BI_PATHS_ITEM_ARCS,
                     c->steps->paths_verify_arcs(ctx, bi_div_up(c->rows.arcs, BI_PATHS_ITEM_ARCS), a));
    BI_TRY(read_faults(p));
    if (has_fault(&p->faults)) return BOSC_OK;
    /* 2. Every distance is attained. */
    if (!a->predecessors) return check_attained(p);
    BI_TRY(c->steps->paths_verify_attained(ctx, n, a));
    BI_TRY(read_faults(p));
    if (has_fault(&p->faults)) return BOSC_OK;
    return check_roots(p);
}

/* BOSC_ERR_DATA if a source is no vertex. */
static bosc_status check_sources(struct bi_paths_call *c)
{
    bosc_ctx *ctx = c->ctx;
    int64_t bad = INT64_MAX;
    struct bi_paths_convert a = {
        .neighbours = c->sources, .neighbours_64bit = c->id_bits == 64, .n = (uint64_t)c->rows.n};
    if (c->source_count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof bad, &a.bad));
    BI_TRY(ctx->backend->copy(ctx, a.bad, &bad, sizeof bad));
    BI_TRY(c->steps->paths_convert(ctx, c->source_count, &a));
    BI_TRY(bi_read_back(ctx, &bad, a.bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "sources: number %lld is no vertex", (long long)bad);
}

static bosc_status stage_and_prove(struct proof *p, const void *distances, const void *predecessors)
{
    struct bi_paths_call *c = p->c;
    const void *reachable;
    bool staged = false;
    BI_TRY(bi_stage_in(c->ctx, distances, (size_t)c->rows.n * sizeof(uint64_t), &reachable, &staged));
    p->steps_args.distances = reachable;
    if (predecessors)
        BI_TRY(bi_stage_in(c->ctx, predecessors, (size_t)c->rows.n * (size_t)c->id_bits / 8,
                           &p->steps_args.predecessors, &staged));
    BI_TRY(bi_paths_check_data(c));
    BI_TRY(check_sources(c));
    BI_TRY(prove_paths(p));
    return has_fault(&p->faults) ? BOSC_OK : bi_paths_check_overflow(c, p->steps_args.distances);
}

/* Fills *fault with the edge of a faulty arc, from the rows. */
static bosc_status find_edge(struct bi_paths_call *c, const struct bi_graph_view *graph, int64_t arc,
                             bosc_paths_fault *fault)
{
    bosc_ctx *ctx = c->ctx;
    const struct bi_paths_rows *r = &c->rows;
    const size_t word = graph->is_64bit ? 8 : 4;
    uint64_t id = 0;
    uint32_t v, narrow;
    int64_t low = 0, high = r->n; /* offsets[low] <= arc < offsets[high] */
    BI_TRY(bi_read_back(ctx, &v, r->neighbours + arc, sizeof v));
    BI_TRY(bi_read_back(ctx, &narrow, (const char *)r->edge_ids + (size_t)arc * word, sizeof narrow));
    id = narrow;
    if (word == 8) BI_TRY(bi_read_back(ctx, &id, (const char *)r->edge_ids + (size_t)arc * word, word));
    while (high - low > 1) {
        const int64_t mid = low + (high - low) / 2;
        uint64_t begin = 0;
        uint32_t begin_32 = 0;
        if (word == 8)
            BI_TRY(bi_read_back(ctx, &begin, (const uint64_t *)r->offsets + mid, word));
        else
            BI_TRY(bi_read_back(ctx, &begin_32, (const uint32_t *)r->offsets + mid, word));
        if ((int64_t)(word == 8 ? begin : begin_32) <= arc)
            low = mid;
        else
            high = mid;
    }
    *fault = (bosc_paths_fault){.size = sizeof *fault, .vertex = v, .from = low, .edge = (int64_t)id};
    return BOSC_OK;
}

/* Turns the first fault into an error message, and into *fault. */
static bosc_status report_fault(struct proof *p, const struct bi_graph_view *graph, bosc_paths_fault *fault)
{
    bosc_ctx *ctx = p->c->ctx;
    const struct bi_paths_faults *f = &p->faults;
    const struct {
        int64_t vertex;
        const char *what;
    } kinds[] = {
        {f->source, "it is a source, but not at distance 0 without a predecessor"},
        {f->number, "its distance is no number of a distance, or beyond the limit"},
        {f->vertex, "its predecessor is no vertex, or it has one without a distance"},
        {f->loose, "no edge from its predecessor attains its distance"},
        {f->unrooted, "no path from a source attains its distance"},
    };
    if (f->arc != INT64_MAX) {
        BI_TRY(find_edge(p->c, graph, f->arc, fault));
        return bi_fail(ctx, BOSC_ERR_DATA,
                       "edge %lld: from vertex %lld it leads to vertex %lld at less than its distance",
                       (long long)fault->edge, (long long)fault->from, (long long)fault->vertex);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (kinds[k].vertex == INT64_MAX) continue;
        fault->vertex = kinds[k].vertex;
        return bi_fail(ctx, BOSC_ERR_DATA, "vertex %lld: %s", (long long)fault->vertex, kinds[k].what);
    }
    return BOSC_OK;
}

enum { ARC_COST = 6, VERTEX_COST = 6 }; /* items of progress */

bosc_status bosc_paths_verify(bosc_ctx *ctx, const bosc_graph *graph, const void *sources, int64_t source_count,
                              const bosc_paths_opts *opts, const void *distances, const void *predecessors,
                              bosc_paths_fault *fault)
{
    bosc_paths_fault found = {.size = sizeof found, .vertex = -1, .from = -1, .edge = -1};
    struct bi_graph_view view;
    BI_ENTER(ctx);
    struct bi_paths_call c = {.ctx = ctx, .steps = ctx->ops->paths->steps};
    struct proof p = {.c = &c};
    BI_TRY(bi_graph_view_of(ctx, graph, &view));
    c.id_bits = view.id_bits;
    BI_TRY(bi_paths_check_opts(&c, opts, view.weight, false));
    BI_TRY(bi_paths_check_sources(&c, sources, source_count, view.n));
    if (c.opts.each) return bi_fail(ctx, BOSC_ERR_ARG, "opts: each is not 0; a proof is of one search");
    if (view.n > 0 && !distances) return bi_fail(ctx, BOSC_ERR_ARG, "distances: NULL");
    BI_TRY(bi_paths_check_array(ctx, "distances", distances, 64));
    BI_TRY(bi_paths_check_array(ctx, "predecessors", predecessors, view.id_bits));
    if (fault) BI_TRY(bi_check_info(ctx, "fault", "bosc_paths_fault", fault->size, sizeof *fault));
    bi_paths_set_rows(&c, &view);
    bi_progress_set_total(ctx, ARC_COST * (double)view.arcs + VERTEX_COST * (double)view.n);
    BI_TRY_WITH_SCRATCH(ctx, stage_and_prove(&p, distances, predecessors));
    const bosc_status status = report_fault(&p, &view, &found);
    if (fault && (status == BOSC_OK || status == BOSC_ERR_DATA)) bi_copy_info(fault, &found, sizeof found);
    return status;
}
