/* Finds the node that represents each row of a k-d tree over ranks. Nodes go to the owners of their ids, the ranks
 * that contributed these rows; every row queries the owner of its representative. */
#include "core/call.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/exchange/route.h"
#include "ranks/steps/steps.h"

struct duplicate_query {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    const struct bi_ranks_steps *steps;
    int64_t *row_begins; /* (ranks + 1), backend memory: the first row of each rank */
    int64_t nodes;       /* of this rank */
    const void *ids;     /* of the nodes */
    bool is_64bit;
    int64_t *node_of; /* (input_count): the node of each row that has one */
    uint64_t *tally;  /* (input_count): number of rows that equal it */
    int64_t *inverse, *counts;
};

bosc_status bi_ranks_kdtree_check_representatives(bosc_ctx *ctx, const bosc_ranks_kdtree *tree)
{
    if (!tree->side || tree->opts.duplicates != BOSC_KDTREE_DUPLICATES_REMOVE) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "tree: the published build forgets which rows it removes");
}

bosc_status bi_ranks_kdtree_gather_row_begins(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                              int64_t *row_begins)
{
    const int64_t *all = tree->comm->gather;
    BI_TRY(bi_comm_agree(ctx, tree->comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, tree->comm, &tree->row_begin, sizeof tree->row_begin, tree->comm->gather));
    for (int32_t r = 0; r < tree->comm->rank_count; r++) row_begins[r] = all[r];
    row_begins[tree->comm->rank_count] = tree->n;
    return BOSC_OK;
}

static bosc_status find_owners(const struct duplicate_query *f, const void *ids, bool is_64bit, int64_t n,
                               uint32_t **owners)
{
    BI_TRY(bi_scratch_of(f->ctx, n, sizeof **owners, owners));
    const struct bi_ranks_kdtree_id_owners step = {ids, is_64bit, f->row_begins, f->tree->comm->rank_count, *owners};
    return n ? f->steps->kdtree_id_owners(f->ctx, n, &step) : BOSC_OK;
}

/* ---- rows query their representatives ---- */

/* On the owner: looks up the nodes of requested representatives, and counts the requests. */
static bosc_status look_up_nodes(bosc_ctx *ctx, const void *user, const void *requested, int64_t count, void *answers)
{
    const struct duplicate_query *f = user;
    const struct bi_ranks_kdtree_look_up step = {requested,  true, 1,        f->tree->row_begin,
                                                 f->node_of, true, f->tally, answers};
    return count ? f->steps->kdtree_look_up(ctx, count, &step) : BOSC_OK;
}

/* f->inverse = the node of each row, from the owner of the row's representative. */
static bosc_status query_representatives(const struct duplicate_query *f, bosc_status local_status)
{
    const int64_t n = f->tree->input_count;
    const int64_t *representative_ids = f->tree->representative_ids.data;
    uint32_t *owners = NULL;
    BI_IF_OK(local_status, find_owners(f, representative_ids, true, n, &owners));
    const struct bi_ranks_owner_query query = {.n = n,
                                               .owners = owners,
                                               .items = representative_ids,
                                               .item_size = sizeof *representative_ids,
                                               .answer_size = sizeof *f->inverse,
                                               .answer = look_up_nodes,
                                               .user = f,
                                               .out = f->inverse};
    return bi_ranks_query_owners(f->ctx, f->tree->comm, local_status, &query);
}

/* Without removal, each row is its own representative. */
static bosc_status copy_own_nodes(const struct duplicate_query *f)
{
    const size_t bytes = (size_t)f->tree->input_count * sizeof *f->inverse;
    return bytes ? f->ctx->backend->copy(f->ctx, f->inverse, f->node_of, bytes) : BOSC_OK;
}

/* ---- nodes on the owners of their rows ---- */

/* Lists this rank's nodes as pairs (id, node), and the owners of the ids. */
static bosc_status list_nodes(const struct duplicate_query *f, int64_t **items, uint32_t **owners)
{
    BI_TRY(bi_scratch_of(f->ctx, f->nodes, 2 * sizeof **items, items));
    const struct bi_ranks_kdtree_node_items list = {f->ids, f->is_64bit, f->tree->begin, *items};
    if (f->nodes) BI_TRY(f->steps->kdtree_node_items(f->ctx, f->nodes, &list));
    return find_owners(f, f->ids, f->is_64bit, f->nodes, owners);
}

static bool duplicates_are_removed(const struct duplicate_query *f)
{
    return f->tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
}

/* On the owner: without removal each row equals itself alone, so its tally is 1 already. */
static bosc_status record_nodes(struct duplicate_query *f, const int64_t *items, int64_t count)
{
    const struct bi_ranks_kdtree_record_nodes step = {items, f->tree->row_begin, f->node_of, f->tally,
                                                      !duplicates_are_removed(f)};
    return count ? f->steps->kdtree_record_nodes(f->ctx, count, &step) : BOSC_OK;
}

/* Looks up the counts of received nodes, in the order received. */
static bosc_status look_up_counts(const struct duplicate_query *f, const int64_t *items, int64_t received,
                                  int64_t **counts)
{
    BI_TRY(bi_scratch_of(f->ctx, received, sizeof **counts, counts));
    const struct bi_ranks_kdtree_look_up step = {items, true, 2, f->tree->row_begin, f->tally, true, NULL, *counts};
    return received ? f->steps->kdtree_look_up(f->ctx, received, &step) : BOSC_OK;
}

static bosc_status exchange_with_owners(struct duplicate_query *f, const struct bi_ranks_route *route,
                                        const int64_t *items)
{
    bosc_comm *comm = f->tree->comm;
    void *received;
    int64_t *counts = NULL;
    /* 1. Record the node of each row that is a representative. */
    BI_TRY(bi_ranks_route_items(f->ctx, comm, BOSC_OK, route, 2 * sizeof *items, items, &received));
    bosc_status local_status = record_nodes(f, received, route->x.received);
    /* 2. Every row finds its node; the owners count the rows of each representative. */
    if (duplicates_are_removed(f)) {
        BI_TRY_WITH_SCRATCH(f->ctx, query_representatives(f, local_status));
        local_status = BOSC_OK;
    } else if (local_status == BOSC_OK) {
        local_status = copy_own_nodes(f);
    }
    /* 3. Return the counts to the nodes. */
    BI_IF_OK(local_status, look_up_counts(f, received, route->x.received, &counts));
    return bi_ranks_route_answers(f->ctx, comm, local_status, route, sizeof *counts, counts, f->counts);
}

static bosc_status allocate_arrays(struct duplicate_query *f, const int64_t *row_begins)
{
    const int64_t ranks = f->tree->comm->rank_count;
    BI_TRY(bi_scratch_of(f->ctx, ranks + 1, sizeof *f->row_begins, &f->row_begins));
    BI_TRY(bi_scratch_of(f->ctx, f->tree->input_count, sizeof *f->node_of, &f->node_of));
    BI_TRY(bi_scratch_of(f->ctx, f->tree->input_count, sizeof *f->tally, &f->tally));
    return f->ctx->backend->copy(f->ctx, f->row_begins, row_begins, (size_t)(ranks + 1) * sizeof *row_begins);
}

static bosc_status run_query(struct duplicate_query *f, bosc_status local_status, const int64_t *row_begins)
{
    struct bi_ranks_route route;
    int64_t *items = NULL;
    uint32_t *owners = NULL;
    BI_IF_OK(local_status, allocate_arrays(f, row_begins));
    BI_IF_OK(local_status, list_nodes(f, &items, &owners));
    bosc_status status = bi_ranks_route_to_owners(f->ctx, f->tree->comm, local_status, owners, f->nodes, &route);
    BI_IF_OK(status, exchange_with_owners(f, &route, items));
    bi_ranks_route_end(f->ctx, &route);
    return status;
}

bosc_status bi_ranks_kdtree_find_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                            const void *ids, bool is_64bit, const int64_t *row_begins, int64_t *inverse,
                                            int64_t *counts)
{
    struct duplicate_query f = {.ctx = ctx,
                                .tree = tree,
                                .steps = ctx->ops->ranks->steps,
                                .nodes = tree->end - tree->begin,
                                .ids = ids,
                                .is_64bit = is_64bit,
                                .inverse = inverse,
                                .counts = counts};
    BI_RETURN_WITH_SCRATCH(ctx, run_query(&f, local_status, row_begins));
}

/* ---- the call ---- */

struct outputs {
    void *points, *ids; /* of the nodes */
    int64_t *inverse, *counts;
    struct bi_out out[2];
};

/* Stages the outputs, and computes this rank's nodes, in scratch. */
static bosc_status prepare(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, struct outputs *o, void *inverse,
                           int64_t *counts)
{
    const int64_t nodes = tree->end - tree->begin;
    const size_t id_size = (size_t)tree->opts.id_bits / 8;
    bool staged = false;
    BI_TRY(bi_ranks_kdtree_check_representatives(ctx, tree));
    BI_TRY(bi_check_aligned(ctx, "inverse", inverse, id_size));
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    BI_TRY(bi_stage_out(ctx, inverse, inverse ? (size_t)tree->input_count * id_size : 0, &o->out[0], &staged));
    BI_TRY(bi_stage_out(ctx, counts, counts ? (size_t)nodes * sizeof *counts : 0, &o->out[1], &staged));
    BI_TRY(bi_scratch_of(ctx, tree->input_count, sizeof *o->inverse, &o->inverse));
    BI_TRY(bi_scratch_of(ctx, nodes, sizeof *o->counts, &o->counts));
    BI_TRY(bi_scratch_of(ctx, nodes, id_size, &o->ids));
    BI_TRY(bi_scratch_of(ctx, nodes * tree->opts.dim, bosc_dtype_size(tree->opts.dtype), &o->points));
    return bi_ranks_kdtree_write_nodes(ctx, tree, o->points, o->ids, id_size == 8);
}

static bosc_status write_outputs(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct outputs *o)
{
    const struct bi_ranks_resize_ids resize = {o->inverse, o->out[0].reachable, tree->opts.id_bits == 64};
    const int64_t nodes = tree->end - tree->begin;
    if (o->out[0].bytes) BI_TRY(ctx->ops->ranks->steps->resize_ids(ctx, tree->input_count, &resize));
    if (o->out[1].bytes)
        BI_TRY(ctx->backend->copy(ctx, o->out[1].reachable, o->counts, (size_t)nodes * sizeof *o->counts));
    for (int i = 0; i < 2; i++)
        if (o->out[i].bytes) BI_TRY(bi_stage_back(ctx, &o->out[i]));
    return ctx->backend->sync(ctx);
}

static bosc_status query_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                    void *inverse, int64_t *counts)
{
    const size_t bytes = (size_t)(tree->comm->rank_count + 1) * sizeof(int64_t);
    struct outputs o = {0};
    int64_t *row_begins = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !row_begins) local_status = BOSC_ERR_NOMEM;
    BI_IF_OK(local_status, prepare(ctx, tree, &o, inverse, counts));
    bosc_status status = bi_ranks_kdtree_gather_row_begins(ctx, tree, local_status, row_begins);
    BI_IF_OK(status, bi_ranks_kdtree_find_duplicates(ctx, tree, BOSC_OK, o.ids, tree->opts.id_bits == 64, row_begins,
                                                     o.inverse, o.counts));
    BI_IF_OK(status, bi_comm_agree(ctx, tree->comm, write_outputs(ctx, tree, &o)));
    if (status != BOSC_OK) (void)ctx->backend->sync(ctx); /* a queued copy may read the list */
    bi_memory_release(&ctx->host, row_begins, bytes);
    return status;
}

bosc_status bosc_ranks_kdtree_get_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *inverse,
                                             int64_t *counts)
{
    BI_ENTER(ctx);
    const bosc_status local_status = bi_ranks_kdtree_check(ctx, tree);
    if (!tree) return local_status;
    bi_progress_set_total(ctx, 60 * (double)(tree->end - tree->begin) + 20 * (double)tree->input_count);
    BI_RETURN_WITH_SCRATCH(ctx, query_duplicates(ctx, tree, local_status, inverse, counts));
}
