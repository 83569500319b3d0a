/* Which node of a distributed k-d tree stands for which row: nodes go to the homes of their ids, the ranks that gave
 * these rows to the build, and rows ask the homes of the ids that they equal. */
#include "core/call.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/exchange/route.h"
#include "ranks/steps/steps.h"

struct finding {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    const struct bi_ranks_steps *steps;
    int64_t *starts; /* (ranks + 1), backend memory: the first row of each rank */
    int64_t nodes;   /* of this rank */
    const void *ids; /* of them */
    bool wide;
    int64_t *node_of; /* (given): the node of each row that has one */
    uint64_t *tally;  /* (given): how many rows equal it */
    int64_t *inverse, *counts;
};

bosc_status bi_ranks_kdtree_check_firsts(bosc_ctx *ctx, const bosc_ranks_kdtree *tree)
{
    if (!tree->side || tree->opts.duplicates != BOSC_KDTREE_DUPLICATES_REMOVE) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "tree: the published build of two ranks forgets which rows it removes");
}

bosc_status bi_ranks_kdtree_share_starts(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                         int64_t *starts)
{
    const int64_t *all = tree->comm->gather;
    BI_TRY(bi_comm_agree(ctx, tree->comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, tree->comm, &tree->first, sizeof tree->first, tree->comm->gather));
    for (int32_t r = 0; r < tree->comm->rank_count; r++) starts[r] = all[r];
    starts[tree->comm->rank_count] = tree->n;
    return BOSC_OK;
}

static bosc_status find_homes(const struct finding *f, const void *ids, bool wide, int64_t n, uint32_t **owners)
{
    BI_TRY(bi_scratch_of(f->ctx, n, sizeof **owners, owners));
    const struct bi_ranks_kdtree_homes homes = {ids, wide, f->starts, f->tree->comm->rank_count, *owners};
    return n ? f->steps->kdtree_homes(f->ctx, n, &homes) : BOSC_OK;
}

/* ---- rows that equal others ask ---- */

static bosc_status look_up(const struct finding *f, const int64_t *asked, int64_t count, int64_t **answers)
{
    BI_TRY(bi_scratch_of(f->ctx, count, sizeof **answers, answers));
    const struct bi_ranks_kdtree_look_up step = {asked, true, 1, f->tree->first, f->node_of, true, f->tally, *answers};
    return count ? f->steps->kdtree_look_up(f->ctx, count, &step) : BOSC_OK;
}

static bosc_status ask(const struct finding *f, bosc_status local_status)
{
    const int64_t n = f->tree->given;
    const int64_t *firsts = f->tree->firsts.data;
    struct bi_ranks_route route;
    uint32_t *owners = NULL;
    void *asked;
    int64_t *answers = NULL;
    if (local_status == BOSC_OK) local_status = find_homes(f, firsts, true, n, &owners);
    bosc_status status = bi_ranks_route_to_owners(f->ctx, f->tree->comm, local_status, owners, n, &route);
    local_status = BOSC_OK;
    if (status == BOSC_OK)
        status = bi_ranks_route_move(f->ctx, f->tree->comm, &local_status, &route, sizeof *firsts, firsts, &asked);
    if (status == BOSC_OK && local_status == BOSC_OK) local_status = look_up(f, asked, route.x.received, &answers);
    if (status == BOSC_OK)
        status =
            bi_ranks_route_answers(f->ctx, f->tree->comm, local_status, &route, sizeof *answers, answers, f->inverse);
    bi_ranks_route_end(f->ctx, &route);
    return status;
}

/* Each row equals itself alone. */
static bosc_status take_own(const struct finding *f)
{
    const size_t bytes = (size_t)f->tree->given * sizeof *f->inverse;
    return bytes ? f->ctx->backend->copy(f->ctx, f->inverse, f->node_of, bytes) : BOSC_OK;
}

/* ---- nodes at home ---- */

static bosc_status list_nodes(const struct finding *f, int64_t **items, uint32_t **owners)
{
    BI_TRY(bi_scratch_of(f->ctx, f->nodes, 2 * sizeof **items, items));
    const struct bi_ranks_kdtree_node_items list = {f->ids, f->wide, f->tree->begin, *items};
    if (f->nodes) BI_TRY(f->steps->kdtree_node_items(f->ctx, f->nodes, &list));
    return find_homes(f, f->ids, f->wide, f->nodes, owners);
}

static bool are_removed(const struct finding *f) { return f->tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE; }

static bosc_status place(struct finding *f, const int64_t *items, int64_t count)
{
    const struct bi_ranks_kdtree_place_nodes step = {items, f->tree->first, f->node_of, f->tally, !are_removed(f)};
    return count ? f->steps->kdtree_place_nodes(f->ctx, count, &step) : BOSC_OK;
}

/* The counts of nodes that came, in the order in which they came. */
static bosc_status count(const struct finding *f, const int64_t *items, int64_t came, int64_t **counts)
{
    BI_TRY(bi_scratch_of(f->ctx, came, sizeof **counts, counts));
    const struct bi_ranks_kdtree_look_up step = {items, true, 2, f->tree->first, f->tally, true, NULL, *counts};
    return came ? f->steps->kdtree_look_up(f->ctx, came, &step) : BOSC_OK;
}

static bosc_status find_at_home(struct finding *f, const struct bi_ranks_route *route, const int64_t *items)
{
    bosc_comm *comm = f->tree->comm;
    void *came;
    int64_t *counts = NULL;
    bosc_status local_status = BOSC_OK;
    BI_TRY(bi_ranks_route_move(f->ctx, comm, &local_status, route, 2 * sizeof *items, items, &came));
    if (local_status == BOSC_OK) local_status = place(f, came, route->x.received);
    if (are_removed(f)) {
        BI_TRY_WITH_SCRATCH(f->ctx, ask(f, local_status));
        local_status = BOSC_OK;
    } else if (local_status == BOSC_OK) {
        local_status = take_own(f);
    }
    if (local_status == BOSC_OK) local_status = count(f, came, route->x.received, &counts);
    return bi_ranks_route_answers(f->ctx, comm, local_status, route, sizeof *counts, counts, f->counts);
}

static bosc_status take(struct finding *f, const int64_t *starts)
{
    const int64_t ranks = f->tree->comm->rank_count;
    BI_TRY(bi_scratch_of(f->ctx, ranks + 1, sizeof *f->starts, &f->starts));
    BI_TRY(bi_scratch_of(f->ctx, f->tree->given, sizeof *f->node_of, &f->node_of));
    BI_TRY(bi_scratch_of(f->ctx, f->tree->given, sizeof *f->tally, &f->tally));
    BI_TRY(f->ctx->backend->copy(f->ctx, f->starts, starts, (size_t)(ranks + 1) * sizeof *starts));
    return f->ctx->backend->sync(f->ctx);
}

static bosc_status find(struct finding *f, bosc_status local_status, const int64_t *starts)
{
    struct bi_ranks_route route;
    int64_t *items = NULL;
    uint32_t *owners = NULL;
    if (local_status == BOSC_OK) local_status = take(f, starts);
    if (local_status == BOSC_OK) local_status = list_nodes(f, &items, &owners);
    bosc_status status = bi_ranks_route_to_owners(f->ctx, f->tree->comm, local_status, owners, f->nodes, &route);
    if (status == BOSC_OK) status = find_at_home(f, &route, items);
    bi_ranks_route_end(f->ctx, &route);
    return status;
}

bosc_status bi_ranks_kdtree_find_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                            const void *ids, bool wide, const int64_t *starts, int64_t *inverse,
                                            int64_t *counts)
{
    struct finding f = {.ctx = ctx,
                        .tree = tree,
                        .steps = ctx->ops->dist->steps,
                        .nodes = tree->end - tree->begin,
                        .ids = ids,
                        .wide = wide,
                        .inverse = inverse,
                        .counts = counts};
    BI_RETURN_WITH_SCRATCH(ctx, find(&f, local_status, starts));
}

/* ---- the call ---- */

struct outputs {
    void *points, *ids; /* of the nodes */
    int64_t *inverse, *counts;
    void *resized;
    struct bi_out out[2];
};

static bosc_status prepare(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, struct outputs *o, void *inverse,
                           int64_t *counts)
{
    const int64_t nodes = tree->end - tree->begin;
    const size_t id_size = (size_t)tree->opts.id_bits / 8;
    bool staged = false;
    BI_TRY(bi_ranks_kdtree_check_firsts(ctx, tree));
    BI_TRY(bi_check_aligned(ctx, "inverse", inverse, id_size));
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    BI_TRY(bi_stage_out(ctx, inverse, inverse ? (size_t)tree->given * id_size : 0, &o->out[0], &staged));
    BI_TRY(bi_stage_out(ctx, counts, counts ? (size_t)nodes * sizeof *counts : 0, &o->out[1], &staged));
    BI_TRY(bi_scratch_of(ctx, tree->given, sizeof *o->inverse, &o->inverse));
    BI_TRY(bi_scratch_of(ctx, nodes, sizeof *o->counts, &o->counts));
    BI_TRY(bi_scratch_of(ctx, nodes, id_size, &o->ids));
    BI_TRY(bi_scratch_of(ctx, nodes * tree->opts.dim, bosc_dtype_size(tree->opts.dtype), &o->points));
    return bi_ranks_kdtree_nodes(ctx, tree, o->points, o->ids, id_size == 8);
}

static bosc_status give(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct outputs *o)
{
    const struct bi_ranks_resize_ids resize = {o->inverse, o->out[0].reachable, tree->opts.id_bits == 64};
    const int64_t nodes = tree->end - tree->begin;
    if (o->out[0].bytes) BI_TRY(ctx->ops->dist->steps->resize_ids(ctx, tree->given, &resize));
    if (o->out[1].bytes)
        BI_TRY(ctx->backend->copy(ctx, o->out[1].reachable, o->counts, (size_t)nodes * sizeof *o->counts));
    for (int i = 0; i < 2; i++)
        if (o->out[i].bytes) BI_TRY(bi_stage_back(ctx, &o->out[i]));
    return ctx->backend->sync(ctx);
}

static bosc_status get_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status, void *inverse,
                                  int64_t *counts)
{
    const size_t bytes = (size_t)(tree->comm->rank_count + 1) * sizeof(int64_t);
    struct outputs o = {0};
    int64_t *starts = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !starts) local_status = BOSC_ERR_NOMEM;
    if (local_status == BOSC_OK) local_status = prepare(ctx, tree, &o, inverse, counts);
    bosc_status status = bi_ranks_kdtree_share_starts(ctx, tree, local_status, starts);
    if (status == BOSC_OK)
        status = bi_ranks_kdtree_find_duplicates(ctx, tree, BOSC_OK, o.ids, tree->opts.id_bits == 64, starts, o.inverse,
                                                 o.counts);
    bi_memory_release(&ctx->host, starts, bytes);
    return status == BOSC_OK ? bi_comm_agree(ctx, tree->comm, give(ctx, tree, &o)) : status;
}

bosc_status bosc_ranks_kdtree_get_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *inverse,
                                             int64_t *counts)
{
    BI_ENTER(ctx);
    const bosc_status local_status = bi_ranks_kdtree_check(ctx, tree);
    if (!tree) return local_status;
    bi_progress_set_total(ctx, 60 * (double)(tree->end - tree->begin) + 20 * (double)tree->given);
    BI_RETURN_WITH_SCRATCH(ctx, get_duplicates(ctx, tree, local_status, inverse, counts));
}
