/* The rows of a saved tree: each point goes to the rank of its id, so that ranks have rows in the order of their ids,
 * from which the tree is built. Ids must be distinct. Where duplicates were removed, each row learns the id of the one
 * that stands for it from the rank that has its node; that there are as many as the node counts is checked there. */
#include "core/call.h"
#include "ranks/kdtree/load.h"
#include "ranks/exchange/route.h"
#include "ranks/steps/steps.h"

enum { OUT_OF_RANGE, REPEATED, NO_NODE, OTHERS_ROW, COUNT, FAULTS };

struct rows {
    struct bi_ranks_kdtree_reading *r;
    bosc_ctx *ctx;
    const struct bi_ranks_steps *steps;
    int64_t nodes, first_node; /* of this rank, as they were read */
    int64_t first, given;      /* rows of this rank */
    void *points;              /* of the nodes that were read; backend memory, as all below */
    uint32_t *ids, *places;    /* of these nodes; places: among all nodes */
    uint32_t *inverse;         /* (given): the node of each row, where duplicates were removed */
    int64_t *faults;           /* (FAULTS): the first item with each; none: INT64_MAX */
};

static bosc_status check(const struct rows *rows)
{
    static const char *const reasons[FAULTS] = {
        [OUT_OF_RANGE] = "an id is out of range",
        [REPEATED] = "an id is repeated",
        [NO_NODE] = "a row stands for no node",
        [OTHERS_ROW] = "a node is named for another's row",
        [COUNT] = "a count is wrong",
    };
    int64_t found[FAULTS];
    BI_TRY(bi_read_back(rows->ctx, found, rows->faults, sizeof found));
    for (int k = 0; k < FAULTS; k++)
        if (found[k] != INT64_MAX) return bi_load_malformed(&rows->r->loader, reasons[k]);
    return BOSC_OK;
}

/* ---- what was read, in reach ---- */

static bosc_status move_to_backend(bosc_ctx *ctx, const struct bi_loaded *a, void **place)
{
    BI_TRY(bi_scratch(ctx, a->bytes, place));
    return a->bytes ? ctx->backend->copy(ctx, *place, a->data, a->bytes) : BOSC_OK;
}

static bosc_status check_points(const struct rows *rows)
{
    const struct bi_kdtree_header *h = &rows->r->header;
    const struct bi_kdtree_rows points = {rows->points, rows->nodes, h->dim};
    int64_t row;
    if (rows->nodes == 0 || h->dtype == BOSC_I32 || h->dtype == BOSC_I64) return BOSC_OK;
    BI_TRY(rows->ctx->ops->kdtree->find_nan(rows->ctx, (bosc_dtype)h->dtype, (int32_t)h->dim, &points, &row));
    if (row == INT64_MAX) return BOSC_OK;
    return bi_fail(rows->ctx, BOSC_ERR_DATA, "saved tree: node %lld holds a NaN", (long long)(rows->first_node + row));
}

static bosc_status take_arrays(struct rows *rows)
{
    static const int64_t none[FAULTS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    struct bi_loaded *arrays = rows->r->arrays;
    void *ids, *inverse;
    BI_TRY(bi_scratch(rows->ctx, sizeof none, (void **)&rows->faults));
    BI_TRY(rows->ctx->backend->copy(rows->ctx, rows->faults, none, sizeof none));
    BI_TRY(move_to_backend(rows->ctx, &arrays[BI_RANKS_POINTS], &rows->points));
    BI_TRY(move_to_backend(rows->ctx, &arrays[BI_RANKS_IDS], &ids));
    BI_TRY(move_to_backend(rows->ctx, &arrays[BI_RANKS_INVERSE], &inverse));
    BI_TRY(bi_scratch_of(rows->ctx, rows->nodes, sizeof *rows->places, &rows->places));
    rows->ids = ids;
    rows->inverse = inverse;
    const struct bi_ranks_kdtree_count_from number = {(uint32_t)rows->first_node, rows->places};
    if (rows->nodes) BI_TRY(rows->steps->kdtree_count_from(rows->ctx, rows->nodes, &number));
    return check_points(rows);
}

/* The rank of each item whose number among `count` is given. */
static bosc_status find_owners(const struct rows *rows, const uint32_t *numbers, int64_t n, int64_t count,
                               uint32_t **owners)
{
    BI_TRY(bi_scratch_of(rows->ctx, n, sizeof **owners, owners));
    const struct bi_ranks_kdtree_owner_of_id owner = {numbers, count, (uint32_t)rows->r->comm->rank_count, *owners};
    return n ? rows->steps->kdtree_owner_of_id(rows->ctx, n, &owner) : BOSC_OK;
}

/* ---- the rows that nodes stand for ---- */

/* The ids of the nodes that are asked for, which must be so many for each as it counts. */
static bosc_status answer(const struct rows *rows, const uint32_t *asked, int64_t count, int64_t **answers)
{
    uint64_t *tally;
    void *counts;
    BI_TRY(bi_scratch_of(rows->ctx, count, sizeof **answers, answers));
    if (rows->nodes == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(rows->ctx, rows->nodes, sizeof *tally, &tally));
    BI_TRY(move_to_backend(rows->ctx, &rows->r->arrays[BI_RANKS_COUNTS], &counts));
    BI_TRY(rows->ctx->backend->fill(rows->ctx, tally, 0, (size_t)rows->nodes * sizeof *tally));
    const struct bi_ranks_kdtree_look_up look = {asked, false, 1, rows->first_node, rows->ids, false, tally, *answers};
    const struct bi_ranks_kdtree_check_counts compare = {tally, counts, rows->faults + COUNT};
    if (count) BI_TRY(rows->steps->kdtree_look_up(rows->ctx, count, &look));
    BI_TRY(rows->steps->kdtree_check_counts(rows->ctx, rows->nodes, &compare));
    return check(rows);
}

/* firsts: (given): the ids that the rows of this rank equal. */
static bosc_status find_firsts(struct rows *rows, bosc_status local_status, int64_t *firsts)
{
    bosc_comm *comm = rows->r->comm;
    struct bi_ranks_route route;
    uint32_t *owners = NULL;
    void *asked;
    int64_t *answers = NULL;
    if (local_status == BOSC_OK)
        local_status = find_owners(rows, rows->inverse, rows->given, rows->r->header.nodes, &owners);
    bosc_status status = bi_ranks_route_to_owners(rows->ctx, comm, local_status, owners, rows->given, &route);
    local_status = BOSC_OK;
    if (status == BOSC_OK)
        status =
            bi_ranks_route_move(rows->ctx, comm, &local_status, &route, sizeof *rows->inverse, rows->inverse, &asked);
    if (status == BOSC_OK && local_status == BOSC_OK) local_status = answer(rows, asked, route.x.received, &answers);
    if (status == BOSC_OK)
        status = bi_ranks_route_answers(rows->ctx, comm, local_status, &route, sizeof *answers, answers, firsts);
    bi_ranks_route_end(rows->ctx, &route);
    return status;
}

/* ---- points at their rows ---- */

/* What came for this rank's rows, and then in their order. */
struct nodes {
    int64_t n;
    void *points;
    uint32_t *ids, *places;
};

static bosc_status take_nodes(const struct rows *rows, struct nodes *nodes)
{
    const struct bi_kdtree_header *h = &rows->r->header;
    BI_TRY(bi_scratch_of(rows->ctx, nodes->n * (int64_t)h->dim, bosc_dtype_size((bosc_dtype)h->dtype), &nodes->points));
    BI_TRY(bi_scratch_of(rows->ctx, nodes->n, sizeof *nodes->ids, &nodes->ids));
    return bi_scratch_of(rows->ctx, nodes->n, sizeof *nodes->places, &nodes->places);
}

static bosc_status check_rows(struct rows *rows, const struct nodes *sorted)
{
    const struct bi_ranks_kdtree_check_kept ids = {sorted->ids, rows->first, rows->first + rows->given,
                                                   rows->faults + OUT_OF_RANGE, rows->faults + REPEATED};
    const struct bi_ranks_kdtree_check_runs runs = {sorted->ids,
                                                    sorted->places,
                                                    rows->inverse,
                                                    rows->first,
                                                    (uint64_t)rows->r->header.nodes,
                                                    rows->faults + NO_NODE,
                                                    rows->faults + OTHERS_ROW};
    if (sorted->n) BI_TRY(rows->steps->kdtree_check_kept(rows->ctx, sorted->n, &ids));
    BI_TRY(check(rows));
    if (!rows->inverse) return BOSC_OK;
    BI_TRY(rows->steps->kdtree_check_inverse(rows->ctx, rows->given, &runs));
    if (sorted->n) BI_TRY(rows->steps->kdtree_check_runs(rows->ctx, sorted->n, &runs));
    return check(rows);
}

/* *sorted: the nodes in the order of their ids, which must be this rank's. */
static bosc_status sort_rows(struct rows *rows, const struct nodes *came, struct nodes *sorted)
{
    const struct bi_kdtree_header *h = &rows->r->header;
    bosc_ctx *ctx = rows->ctx;
    const bool wide = bosc_dtype_size((bosc_dtype)h->dtype) == 8;
    const int64_t n = came->n, dim = h->dim;
    uint32_t *numbers, *order;
    sorted->n = n;
    if (n == 0) return check_rows(rows, sorted);
    BI_TRY(take_nodes(rows, sorted));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *numbers, &numbers));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *order, &order));
    const struct bi_ranks_kdtree_iota iota = {numbers};
    const struct bi_ranks_kdtree_rows points = {came->points, sorted->points, order, dim, dim, 0, wide},
                                      places = {came->places, sorted->places, order, 1, 1, 0, false};
    BI_TRY(rows->steps->kdtree_iota(ctx, n, &iota));
    BI_TRY(
        ctx->backend->core->sort_pairs(ctx, BOSC_U32, came->ids, sizeof *order, numbers, n, sorted->ids, order, 0, 32));
    BI_TRY(rows->steps->kdtree_gather(ctx, n * dim, &points));
    BI_TRY(rows->steps->kdtree_gather(ctx, n, &places));
    return check_rows(rows, sorted);
}

static bosc_status widen(const struct rows *rows, const struct nodes *nodes, int64_t **ids)
{
    BI_TRY(bi_scratch_of(rows->ctx, nodes->n, sizeof **ids, ids));
    const struct bi_ranks_kdtree_widen_ids step = {nodes->ids, *ids};
    return nodes->n ? rows->steps->kdtree_widen_ids(rows->ctx, nodes->n, &step) : BOSC_OK;
}

static bosc_status receive(struct rows *rows, const struct bi_ranks_deal *deal, struct nodes *came)
{
    const struct bi_kdtree_header *h = &rows->r->header;
    bosc_comm *comm = rows->r->comm;
    const int64_t dim = h->dim;
    const size_t size = bosc_dtype_size((bosc_dtype)h->dtype);
    const struct bi_kdtree_rows points = {rows->points, deal->x.sent, dim}, ids = {rows->ids, deal->x.sent, 1},
                                places = {rows->places, deal->x.sent, 1};
    came->n = deal->x.received;
    const bosc_status local_status = take_nodes(rows, came);
    BI_TRY(bi_ranks_kdtree_send(rows->ctx, comm, local_status, deal, &points, dim, size, came->points));
    BI_TRY(bi_ranks_kdtree_send(rows->ctx, comm, BOSC_OK, deal, &ids, 1, sizeof *came->ids, came->ids));
    return bi_ranks_kdtree_send(rows->ctx, comm, BOSC_OK, deal, &places, 1, sizeof *came->places, came->places);
}

static bosc_status build(struct rows *rows, const struct bi_ranks_deal *deal, bosc_ranks_kdtree *tree)
{
    const struct bi_kdtree_header *h = &rows->r->header;
    struct bi_ranks_points points = {.first = rows->first, .given = rows->given, .total = h->n};
    struct nodes came, sorted = {0};
    int64_t *ids = NULL;
    BI_TRY(receive(rows, deal, &came));
    bosc_status local_status = sort_rows(rows, &came, &sorted);
    if (local_status == BOSC_OK) local_status = widen(rows, &sorted, &ids);
    points.ids = ids;
    points.rows = (struct bi_kdtree_rows){sorted.points, sorted.n, h->dim};
    if (bi_ranks_kdtree_lacks_rows(rows->r)) {
        if (local_status == BOSC_OK)
            local_status = bi_scratch_of(rows->ctx, rows->given, sizeof *points.firsts, &points.firsts);
        BI_TRY_WITH_SCRATCH(rows->ctx, find_firsts(rows, local_status, points.firsts));
        local_status = BOSC_OK;
    }
    return bi_ranks_kdtree_build_kept(rows->ctx, tree, local_status, &points, h->nodes);
}

bosc_status bi_ranks_kdtree_build_read(struct bi_ranks_kdtree_reading *r, bosc_ranks_kdtree *tree)
{
    const int64_t rank = r->comm->rank;
    struct rows rows = {.r = r,
                        .ctx = r->ctx,
                        .steps = r->ctx->ops->dist->steps,
                        .nodes = (int64_t)(r->arrays[BI_RANKS_IDS].bytes / sizeof(uint32_t)),
                        .first_node = bi_ranks_kdtree_share(r, rank, r->header.nodes),
                        .first = bi_ranks_kdtree_share(r, rank, r->header.n),
                        .given = bi_ranks_kdtree_share(r, rank + 1, r->header.n)};
    struct bi_ranks_deal deal;
    uint32_t *owners = NULL;
    rows.given -= rows.first;
    bosc_status local_status = take_arrays(&rows);
    if (local_status == BOSC_OK) local_status = find_owners(&rows, rows.ids, rows.nodes, r->header.n, &owners);
    bosc_status status = bi_ranks_kdtree_deal(r->ctx, r->comm, local_status, owners, NULL, rows.nodes, &deal);
    if (status == BOSC_OK) status = build(&rows, &deal, tree);
    bi_exchange_end(r->ctx, &deal.x);
    return status;
}
