/* Builds a saved tree from its rows. Each point goes to the owner of its id, so that ranks have rows in the order of
 * ids. Ids must be distinct. With duplicates removed, each row queries the rank that has its node for the id of its
 * representative; that rank checks the number of such rows against the node's count. */
#include "core/call.h"
#include "ranks/kdtree/load.h"
#include "ranks/exchange/route.h"
#include "ranks/steps/steps.h"

enum { OUT_OF_RANGE, REPEATED, NO_NODE, FOREIGN_ROW, COUNT, FAULTS };

struct row_load {
    struct bi_ranks_kdtree_loader *r;
    bosc_ctx *ctx;
    const struct bi_ranks_steps *steps;
    int64_t nodes, first_node; /* of this rank, as read */
    int64_t first, row_count;  /* rows of this rank */
    void *points;              /* of the nodes read; backend memory, as all below */
    uint32_t *ids, *positions; /* of these nodes; positions: among all nodes */
    uint32_t *inverse;         /* (row_count): the node of each row, if duplicates were removed */
    int64_t *faults;           /* (FAULTS): the first item with each fault; none: INT64_MAX */
};

static bosc_status check_faults(const struct row_load *load)
{
    static const char *const reasons[FAULTS] = {
        [OUT_OF_RANGE] = "an id is out of range",
        [REPEATED] = "an id is repeated",
        [NO_NODE] = "a row stands for no node",
        [FOREIGN_ROW] = "a node is named for another's row",
        [COUNT] = "a count is wrong",
    };
    int64_t found[FAULTS];
    BI_TRY(bi_read_back(load->ctx, found, load->faults, sizeof found));
    for (int k = 0; k < FAULTS; k++)
        if (found[k] != INT64_MAX) return bi_load_malformed(&load->r->loader, reasons[k]);
    return BOSC_OK;
}

/* ---- the arrays read, in reach ---- */

static bosc_status move_to_backend(bosc_ctx *ctx, const struct bi_loaded *a, void **to)
{
    BI_TRY(bi_scratch(ctx, a->bytes, to));
    return a->bytes ? ctx->backend->copy(ctx, *to, a->data, a->bytes) : BOSC_OK;
}

static bosc_status check_points(const struct row_load *load)
{
    const struct bi_kdtree_header *h = &load->r->header;
    const struct bi_kdtree_rows points = {load->points, load->nodes, h->dim};
    int64_t row;
    if (load->nodes == 0 || h->dtype == BOSC_I32 || h->dtype == BOSC_I64) return BOSC_OK;
    BI_TRY(load->ctx->ops->kdtree->find_nan(load->ctx, (bosc_dtype)h->dtype, (int32_t)h->dim, &points, &row));
    if (row == INT64_MAX) return BOSC_OK;
    return bi_fail(load->ctx, BOSC_ERR_DATA, "saved tree: node %lld holds a NaN", (long long)(load->first_node + row));
}

static bosc_status stage_arrays(struct row_load *load)
{
    static const int64_t none[FAULTS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    struct bi_loaded *arrays = load->r->arrays;
    void *ids, *inverse;
    BI_TRY(bi_scratch(load->ctx, sizeof none, (void **)&load->faults));
    BI_TRY(load->ctx->backend->copy(load->ctx, load->faults, none, sizeof none));
    BI_TRY(move_to_backend(load->ctx, &arrays[BI_RANKS_POINTS], &load->points));
    BI_TRY(move_to_backend(load->ctx, &arrays[BI_RANKS_IDS], &ids));
    BI_TRY(move_to_backend(load->ctx, &arrays[BI_RANKS_INVERSE], &inverse));
    BI_TRY(bi_scratch_of(load->ctx, load->nodes, sizeof *load->positions, &load->positions));
    load->ids = ids;
    load->inverse = inverse;
    const struct bi_ranks_kdtree_number_from number = {(uint32_t)load->first_node, load->positions};
    if (load->nodes) BI_TRY(load->steps->kdtree_number_from(load->ctx, load->nodes, &number));
    return check_points(load);
}

/* Finds the owner of each item by its number among `count`. */
static bosc_status find_owners(const struct row_load *load, const uint32_t *numbers, int64_t n, int64_t count,
                               uint32_t **owners)
{
    BI_TRY(bi_scratch_of(load->ctx, n, sizeof **owners, owners));
    const struct bi_ranks_kdtree_owner_of_id owner = {numbers, count, (uint32_t)load->r->comm->rank_count, *owners};
    return n ? load->steps->kdtree_owner_of_id(load->ctx, n, &owner) : BOSC_OK;
}

/* ---- representatives ---- */

/* Looks up the ids of requested nodes. Each must be requested as often as its count says. */
static bosc_status look_up_ids(const struct row_load *load, const uint32_t *requested, int64_t count, int64_t **answers)
{
    uint64_t *tally;
    void *counts;
    BI_TRY(bi_scratch_of(load->ctx, count, sizeof **answers, answers));
    if (load->nodes == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(load->ctx, load->nodes, sizeof *tally, &tally));
    BI_TRY(move_to_backend(load->ctx, &load->r->arrays[BI_RANKS_COUNTS], &counts));
    BI_TRY(load->ctx->backend->fill(load->ctx, tally, 0, (size_t)load->nodes * sizeof *tally));
    const struct bi_ranks_kdtree_look_up look_up = {requested, false, 1,     load->first_node,
                                                    load->ids, false, tally, *answers};
    const struct bi_ranks_kdtree_check_counts compare = {tally, counts, load->faults + COUNT};
    if (count) BI_TRY(load->steps->kdtree_look_up(load->ctx, count, &look_up));
    BI_TRY(load->steps->kdtree_check_counts(load->ctx, load->nodes, &compare));
    return check_faults(load);
}

/* representative_ids: (row_count): by row of this rank. */
static bosc_status find_representatives(struct row_load *load, bosc_status local_status, int64_t *representative_ids)
{
    bosc_comm *comm = load->r->comm;
    struct bi_ranks_route route;
    uint32_t *owners = NULL;
    void *requested;
    int64_t *answers = NULL;
    if (local_status == BOSC_OK)
        local_status = find_owners(load, load->inverse, load->row_count, load->r->header.nodes, &owners);
    bosc_status status = bi_ranks_route_to_owners(load->ctx, comm, local_status, owners, load->row_count, &route);
    local_status = BOSC_OK;
    if (status == BOSC_OK)
        status = bi_ranks_route_move(load->ctx, comm, &local_status, &route, sizeof *load->inverse, load->inverse,
                                     &requested);
    if (status == BOSC_OK && local_status == BOSC_OK)
        local_status = look_up_ids(load, requested, route.x.received, &answers);
    if (status == BOSC_OK)
        status =
            bi_ranks_route_answers(load->ctx, comm, local_status, &route, sizeof *answers, answers, representative_ids);
    bi_ranks_route_end(load->ctx, &route);
    return status;
}

/* ---- points at their rows ---- */

/* Nodes received for this rank's rows, or the same sorted by id. */
struct nodes {
    int64_t n;
    void *points;
    uint32_t *ids, *positions;
};

static bosc_status allocate_nodes(const struct row_load *load, struct nodes *nodes)
{
    const struct bi_kdtree_header *h = &load->r->header;
    BI_TRY(bi_scratch_of(load->ctx, nodes->n * (int64_t)h->dim, bosc_dtype_size((bosc_dtype)h->dtype), &nodes->points));
    BI_TRY(bi_scratch_of(load->ctx, nodes->n, sizeof *nodes->ids, &nodes->ids));
    return bi_scratch_of(load->ctx, nodes->n, sizeof *nodes->positions, &nodes->positions);
}

static bosc_status check_rows(struct row_load *load, const struct nodes *sorted)
{
    const struct bi_ranks_kdtree_check_ids ids = {sorted->ids, load->first, load->first + load->row_count,
                                                  load->faults + OUT_OF_RANGE, load->faults + REPEATED};
    const struct bi_ranks_kdtree_check_nodes runs = {sorted->ids,
                                                     sorted->positions,
                                                     load->inverse,
                                                     load->first,
                                                     (uint64_t)load->r->header.nodes,
                                                     load->faults + NO_NODE,
                                                     load->faults + FOREIGN_ROW};
    if (sorted->n) BI_TRY(load->steps->kdtree_check_ids(load->ctx, sorted->n, &ids));
    BI_TRY(check_faults(load));
    if (!load->inverse) return BOSC_OK;
    BI_TRY(load->steps->kdtree_check_inverse(load->ctx, load->row_count, &runs));
    if (sorted->n) BI_TRY(load->steps->kdtree_check_nodes(load->ctx, sorted->n, &runs));
    return check_faults(load);
}

/* *sorted: the nodes in the order of their ids, which must be this rank's rows. */
static bosc_status sort_rows(struct row_load *load, const struct nodes *received, struct nodes *sorted)
{
    const struct bi_kdtree_header *h = &load->r->header;
    bosc_ctx *ctx = load->ctx;
    const bool is_64bit = bosc_dtype_size((bosc_dtype)h->dtype) == 8;
    const int64_t n = received->n, dim = h->dim;
    uint32_t *numbers, *order;
    sorted->n = n;
    if (n == 0) return check_rows(load, sorted);
    BI_TRY(allocate_nodes(load, sorted));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *numbers, &numbers));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *order, &order));
    const struct bi_ranks_kdtree_iota iota = {numbers};
    const struct bi_ranks_kdtree_rows points = {received->points, sorted->points, order, dim, dim, 0, is_64bit},
                                      positions = {received->positions, sorted->positions, order, 1, 1, 0, false};
    BI_TRY(load->steps->kdtree_iota(ctx, n, &iota));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, received->ids, sizeof *order, numbers, n, sorted->ids, order,
                                          0, 32));
    BI_TRY(load->steps->kdtree_gather(ctx, n * dim, &points));
    BI_TRY(load->steps->kdtree_gather(ctx, n, &positions));
    return check_rows(load, sorted);
}

static bosc_status widen_ids(const struct row_load *load, const struct nodes *nodes, int64_t **ids)
{
    BI_TRY(bi_scratch_of(load->ctx, nodes->n, sizeof **ids, ids));
    const struct bi_ranks_kdtree_widen_ids step = {nodes->ids, *ids};
    return nodes->n ? load->steps->kdtree_widen_ids(load->ctx, nodes->n, &step) : BOSC_OK;
}

static bosc_status receive_nodes(struct row_load *load, const struct bi_ranks_scatter *scatter, struct nodes *received)
{
    const struct bi_kdtree_header *h = &load->r->header;
    bosc_comm *comm = load->r->comm;
    const int64_t dim = h->dim;
    const size_t size = bosc_dtype_size((bosc_dtype)h->dtype);
    const struct bi_kdtree_rows points = {load->points, scatter->x.sent, dim}, ids = {load->ids, scatter->x.sent, 1},
                                positions = {load->positions, scatter->x.sent, 1};
    received->n = scatter->x.received;
    const bosc_status local_status = allocate_nodes(load, received);
    BI_TRY(bi_ranks_kdtree_scatter_rows(load->ctx, comm, local_status, scatter, &points, dim, size, received->points));
    BI_TRY(
        bi_ranks_kdtree_scatter_rows(load->ctx, comm, BOSC_OK, scatter, &ids, 1, sizeof *received->ids, received->ids));
    return bi_ranks_kdtree_scatter_rows(load->ctx, comm, BOSC_OK, scatter, &positions, 1, sizeof *received->positions,
                                        received->positions);
}

static bosc_status build_tree(struct row_load *load, const struct bi_ranks_scatter *scatter, bosc_ranks_kdtree *tree)
{
    const struct bi_kdtree_header *h = &load->r->header;
    struct bi_ranks_points points = {.first = load->first, .input_count = load->row_count, .total = h->n};
    struct nodes received, sorted = {0};
    int64_t *ids = NULL;
    /* 1. Receive this rank's rows and sort them by id. */
    BI_TRY(receive_nodes(load, scatter, &received));
    bosc_status local_status = sort_rows(load, &received, &sorted);
    if (local_status == BOSC_OK) local_status = widen_ids(load, &sorted, &ids);
    points.ids = ids;
    points.rows = (struct bi_kdtree_rows){sorted.points, sorted.n, h->dim};
    /* 2. Find the representative of each row, if duplicates were removed. */
    if (bi_ranks_kdtree_is_deduplicated(load->r)) {
        if (local_status == BOSC_OK)
            local_status = bi_scratch_of(load->ctx, load->row_count, sizeof *points.representative_ids,
                                         &points.representative_ids);
        BI_TRY_WITH_SCRATCH(load->ctx, find_representatives(load, local_status, points.representative_ids));
        local_status = BOSC_OK;
    }
    return bi_ranks_kdtree_build_distinct(load->ctx, tree, local_status, &points, h->nodes);
}

bosc_status bi_ranks_kdtree_build_loaded(struct bi_ranks_kdtree_loader *r, bosc_ranks_kdtree *tree)
{
    const int64_t rank = r->comm->rank;
    struct row_load load = {.r = r,
                            .ctx = r->ctx,
                            .steps = r->ctx->ops->dist->steps,
                            .nodes = (int64_t)(r->arrays[BI_RANKS_IDS].bytes / sizeof(uint32_t)),
                            .first_node = bi_ranks_kdtree_chunk_begin(r, rank, r->header.nodes),
                            .first = bi_ranks_kdtree_chunk_begin(r, rank, r->header.n),
                            .row_count = bi_ranks_kdtree_chunk_begin(r, rank + 1, r->header.n)};
    struct bi_ranks_scatter scatter;
    uint32_t *owners = NULL;
    load.row_count -= load.first;
    bosc_status local_status = stage_arrays(&load);
    if (local_status == BOSC_OK) local_status = find_owners(&load, load.ids, load.nodes, r->header.n, &owners);
    bosc_status status =
        bi_ranks_kdtree_begin_scatter(r->ctx, r->comm, local_status, owners, NULL, load.nodes, &scatter);
    if (status == BOSC_OK) status = build_tree(&load, &scatter, tree);
    bi_exchange_end(r->ctx, &scatter.x);
    return status;
}
