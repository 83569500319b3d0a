/* Forests and components over ranks that share memory on the CPU. The graphs of all ranks are parts of one, which rank
 * 0 processes by the method of one context with the threads of all; the others wait, and then copy their answers.
 * Rounds over ranks (rounds.c) would pass over all components on every rank. */
#include "base/search.h"
#include "core/call.h"
#include "ranks/exchange/pool.h"
#include "ranks/forest/forest.h"

/* A rank shares its graph with the others, and rank 0 the answer. */
struct shared {
    struct bi_msf_part part;
    struct bi_msf_found found; /* of a forest: ids ascend */
    const uint32_t *labels;    /* of components */
    int64_t components;
};

/* This rank's edges: ids over all ranks of 64 bits, and keys where they are requested. */
struct own_forest {
    uint64_t *ids;
    void *keys;
    uint32_t *labels;
    int64_t count;
};

struct pool {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_forest_slice *slice;
    const struct bi_ranks_forest_call *f; /* NULL: components */
    struct shared own;
    /* The copies. */
    struct own_forest forest;
    uint32_t *labels; /* (n): of components */
    int64_t components;
};

static const struct shared *shared_by(const struct pool *p, int32_t rank) { return p->slice->blocks[rank]; }

/* True if the keys of the forest's edges are requested: for their sum, or for a cut. */
static bool needs_keys(const struct bi_ranks_forest_call *f)
{
    return (f->requests & BI_RANKS_REQUEST_SUM) || f->slice->opts.trees > 0;
}

/* ---- rank 0 ---- */

static bosc_status find_forest(struct pool *p, const struct bi_msf_parts *parts)
{
    const struct bi_msf_rows rows = bi_msf_rows_in(&parts->of[0].view, &parts->of[0].order);
    const struct bi_msf_request request = {
        .ids = true, .keys = needs_keys(p->f), .labels = p->f->requests & BI_RANKS_REQUEST_LABELS};
    BI_TRY(p->ctx->ops->forest->msf_parts(p->ctx, parts, &request, &p->own.found));
    return bi_msf_sort_found(p->ctx, &rows, &p->own.found);
}

static bosc_status find_components(struct pool *p, const struct bi_msf_parts *parts)
{
    uint32_t *labels;
    BI_TRY(bi_scratch_of(p->ctx, p->slice->view.n, sizeof *labels, &labels));
    p->own.labels = labels;
    return p->ctx->ops->forest->components_parts(p->ctx, parts, labels, &p->own.components);
}

/* Finds the answer for the graphs of all ranks, in scratch. */
static bosc_status find_answer(bosc_ctx *ctx, void *user)
{
    struct pool *p = user;
    const int32_t ranks = p->comm->rank_count;
    struct bi_msf_part *of;
    BI_TRY(bi_scratch_of(ctx, ranks, sizeof *of, &of));
    for (int32_t r = 0; r < ranks; r++) of[r] = shared_by(p, r)->part;
    const struct bi_msf_parts parts = {of, ranks, p->slice->entries};
    return p->f ? find_forest(p, &parts) : find_components(p, &parts);
}

/* ---- all ranks ---- */

/* Pools the threads, and copies this rank's answer by `copy`. */
static bosc_status run_pool(struct pool *p, bosc_status local_status, bosc_status (*copy)(bosc_ctx *ctx, void *user))
{
    const struct bi_ranks_pooled_call call = {&p->own, p->slice->blocks, find_answer, copy, p};
    p->own.part = (struct bi_msf_part){p->slice->view, p->slice->rows.order, (uint32_t)p->slice->first_entry};
    return bi_ranks_pool(p->ctx, p->comm, local_status, &call);
}

/* Scratch of rank 0 for each vertex, and for each entry of all ranks; estimates. */
enum { BYTES_OF_VERTEX = 120, BYTES_OF_ENTRY = 40 };

/* True if replicated_bytes admits the method. */
static bool has_room(const struct bi_ranks_forest_slice *slice)
{
    const int64_t limit = slice->opts.replicated_bytes;
    return limit == 0 ||
           (double)slice->view.n * BYTES_OF_VERTEX + (double)slice->entries * BYTES_OF_ENTRY <= (double)limit;
}

bool bi_ranks_forest_can_pool(const bosc_ctx *ctx, const struct bi_graph_view *view)
{
    return ctx->ops->forest->msf_parts && view->n > 0 && !view->is_64bit;
}

/* Sets *is_possible, alike on all ranks: true if they may pool their threads. */
static bosc_status find_possible(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                 bool *is_possible)
{
    const bool can_pool = slice->can_pool && 2 * slice->entries < (int64_t)UINT32_MAX && has_room(slice);
    return bi_ranks_can_pool(ctx, comm, can_pool, is_possible);
}

/* ---- forests ---- */

static bosc_status allocate_forest(struct pool *p)
{
    struct own_forest *own = &p->forest;
    const struct bi_graph_view *view = &p->slice->view;
    const int64_t most = view->m < view->n ? view->m : view->n;
    BI_TRY(bi_scratch_of(p->ctx, most, sizeof *own->ids, &own->ids));
    BI_TRY(bi_scratch_of(p->ctx, most, p->slice->rows.keys_64bit ? 8 : 4, &own->keys));
    return p->f->labels ? bi_scratch_of(p->ctx, view->n, sizeof *own->labels, &own->labels) : BOSC_OK;
}

static bosc_status copy_forest(bosc_ctx *ctx, void *user)
{
    struct pool *p = user;
    struct own_forest *own = &p->forest;
    const struct bi_msf_found *all = &shared_by(p, 0)->found;
    const uint32_t *ids = all->ids, begin = (uint32_t)p->slice->first_entry,
                   end = begin + (uint32_t)p->slice->view.entries;
    const int64_t first = bi_lower_bound_u32(ids, all->count, begin);
    const size_t size = p->slice->rows.keys_64bit ? 8 : 4;
    own->count = bi_lower_bound_u32(ids, all->count, end) - first;
    if (own->labels)
        BI_TRY(ctx->backend->copy(ctx, own->labels, all->labels, (size_t)p->slice->view.n * sizeof *own->labels));
    if (own->count == 0) return BOSC_OK;
    if (all->keys)
        BI_TRY(ctx->backend->copy(ctx, own->keys, (const char *)all->keys + (size_t)first * size,
                                  (size_t)own->count * size));
    return bi_graph_convert_words(ctx, ids + first, false, own->ids, true, own->count);
}

bosc_status bi_ranks_forest_pool(struct bi_ranks_forest_call *f, bool *is_found)
{
    const struct bi_ranks_forest_slice *slice = f->slice;
    struct pool p = {.ctx = f->ctx, .comm = f->comm, .slice = slice, .f = f};
    BI_TRY(find_possible(f->ctx, f->comm, slice, is_found));
    if (!*is_found) return BOSC_OK;
    bosc_status local_status = allocate_forest(&p);
    BI_TRY_WITH_SCRATCH(f->ctx, run_pool(&p, local_status, copy_forest));
    f->tree_of = p.forest.labels;
    f->info.rounds = 1;
    struct bi_msf_found found = {
        .count = p.forest.count, .ids = p.forest.ids, .keys = needs_keys(f) ? p.forest.keys : NULL, .ascending = true};
    return bi_ranks_forest_finish_sorted(f, BOSC_OK, &found);
}

/* ---- components ---- */

static bosc_status copy_components(bosc_ctx *ctx, void *user)
{
    struct pool *p = user;
    p->components = shared_by(p, 0)->components;
    return ctx->backend->copy(ctx, p->labels, shared_by(p, 0)->labels, (size_t)p->slice->view.n * sizeof *p->labels);
}

bosc_status bi_ranks_components_pool(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                     uint32_t **labels, int64_t *count, bool *is_found)
{
    struct pool p = {.ctx = ctx, .comm = comm, .slice = slice};
    BI_TRY(find_possible(ctx, comm, slice, is_found));
    if (!*is_found) return BOSC_OK;
    bosc_status local_status = bi_scratch_of(ctx, slice->view.n, sizeof *p.labels, &p.labels);
    BI_TRY_WITH_SCRATCH(ctx, run_pool(&p, local_status, copy_components));
    *labels = p.labels;
    *count = p.components;
    return BOSC_OK;
}
