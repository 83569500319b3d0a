/* Numbers the clusters of all ranks. A set of core points that is on one rank alone is a cluster. Open sets are on
 * several ranks: each core point of a halo is an edge between its set here and that on its own rank, and the components
 * of these edges are clusters. The rank that numbered the first set of a component is the component's owner.
 *
 * 1. Number the open sets, and find the components. 2. Send the smallest id of each open set to its component's owner.
 * 3. Send the smallest id of each cluster to the rank that contributed this row, which marks it: its number is the
 * number of marks before it. 4. Return the numbers the same ways. */
#include <boscage/ranks/forest.h>

#include "ranks/cluster/cluster.h"

struct numbering {
    struct bi_ranks_dbscan *s;
    struct bi_ranks_cluster_sets sets;
    int64_t open, total;  /* open sets of this rank and of all */
    int64_t *begins;      /* (ranks + 1), host: their first numbers */
    uint32_t *root_least; /* (open): of clusters that this rank owns: the smallest id; NO_SET: no cluster's root */
    uint8_t *is_root;
    uint32_t *root_numbers; /* (open): numbers of these clusters */
    int64_t clusters;       /* result */
};

/* --- Open sets ---------------------------------------------------------------------------------------------------- */

/* Marks the sets with core rows in halos, here or elsewhere, and sums the marks. */
static bosc_status mark_open(struct numbering *m)
{
    const struct bi_ranks_dbscan *s = m->s;
    bosc_ctx *ctx = s->ctx;
    struct bi_ranks_cluster_sets *a = &m->sets;
    uint32_t count;
    *a = (struct bi_ranks_cluster_sets){.sets = s->sets, .ids = s->ids, .numbers = s->numbers};
    BI_TRY(bi_scratch_of(ctx, s->rows + 1, sizeof *a->index, &a->index));
    BI_TRY(bi_scratch_of(ctx, s->rows, sizeof *a->open, &a->open));
    BI_TRY(bi_scratch_of(ctx, s->rows, sizeof *a->is_closed, &a->is_closed));
    BI_TRY(ctx->backend->fill(ctx, a->index, 0, (size_t)(s->rows + 1) * sizeof *a->index));
    a->order = s->halo.order;
    BI_TRY(s->steps->cluster_mark_open(ctx, s->halo.x.sent, a));
    a->order = NULL;
    a->begin = s->own;
    BI_TRY(s->steps->cluster_mark_open(ctx, s->rows - s->own, a));
    BI_TRY(s->core_ops->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a->index, s->rows + 1, a->index));
    BI_TRY(bi_read_back(ctx, &count, a->index + s->rows, sizeof count));
    m->open = count;
    return BOSC_OK;
}

/* Gathers the numbers of open sets of all ranks. */
static bosc_status gather_begins(struct numbering *m, bosc_status local_status)
{
    const struct bi_ranks_dbscan *s = m->s;
    const int64_t *counts = s->comm->gather;
    BI_TRY(bi_comm_agree(s->ctx, s->comm, local_status));
    BI_TRY(bi_comm_all_gather(s->ctx, s->comm, &m->open, sizeof m->open, s->comm->gather));
    for (int32_t r = 0; r < s->comm->rank_count; r++) {
        m->begins[r] = m->total;
        m->total += counts[r];
    }
    m->begins[s->comm->rank_count] = m->total;
    if (m->total < (int64_t)UINT32_MAX) return BOSC_OK;
    return bi_fail(s->ctx, BOSC_ERR_LIMIT, "eps: %lld sets of core points are near the borders of shards",
                   (long long)m->total);
}

/* Lists the edges to sets of other ranks: *u and *v. other: the numbers of the sets of the halo's rows there. */
static bosc_status list_edges(const struct numbering *m, const uint32_t *other, uint32_t **u, uint32_t **v,
                              int64_t *count)
{
    const struct bi_ranks_dbscan *s = m->s;
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->rows - s->own;
    struct bi_ranks_cluster_edges edges = {.open = m->sets.open + s->own, .other = other};
    int64_t *found;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *edges.is_edge, &edges.is_edge));
    BI_TRY(bi_scratch_of(ctx, n, sizeof **u, u));
    BI_TRY(bi_scratch_of(ctx, n, sizeof **v, v));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *found, &found));
    BI_TRY(s->steps->cluster_mark_edges(ctx, n, &edges));
    BI_TRY(s->core_ops->compact(ctx, sizeof **u, edges.open, edges.is_edge, n, *u, found));
    BI_TRY(s->core_ops->compact(ctx, sizeof **v, edges.other, edges.is_edge, n, *v, found));
    return bi_read_back(ctx, count, found, sizeof *count);
}

/* Finds the components of the open sets: roots. */
static bosc_status find_components(const struct numbering *m, const uint32_t *other, uint32_t *roots)
{
    const struct bi_ranks_dbscan *s = m->s;
    const bosc_graph_opts opts = {.size = sizeof opts, .id_bits = 32, .assume_valid = 1};
    bosc_graph *graph = NULL;
    uint32_t *u, *v;
    int64_t count = 0;
    bosc_status local_status = list_edges(m, other, &u, &v, &count);
    BI_IF_OK(local_status, bosc_graph_create(s->ctx, &opts, &graph));
    BI_IF_OK(local_status, bosc_graph_build(s->ctx, graph, u, v, NULL, m->total, count));
    bosc_status status = bi_comm_agree(s->ctx, s->comm, local_status);
    BI_IF_OK(status, bosc_ranks_components_compute(s->ctx, s->comm, graph, NULL, roots, NULL));
    bosc_graph_free(graph);
    return status;
}

/* Numbers the open sets over all ranks, and finds their components. */
static bosc_status number_open(struct numbering *m)
{
    const struct bi_ranks_dbscan *s = m->s;
    bosc_ctx *ctx = s->ctx;
    const struct bi_kdtree_rows open = {m->sets.open, s->own, 1};
    uint32_t *other = NULL, *roots = NULL;
    m->sets.first = (uint32_t)m->begins[s->comm->rank];
    bosc_status local_status = s->steps->cluster_number_open(ctx, s->rows, &m->sets);
    BI_IF_OK(local_status, bi_scratch_of(ctx, m->total, sizeof *roots, &roots));
    m->sets.roots = roots;
    BI_IF_OK(local_status, bi_scratch_of(ctx, s->rows - s->own, sizeof *other, &other));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, s->comm, local_status, &s->halo, &open, 1, sizeof *other, other));
    BI_RETURN_WITH_SCRATCH(ctx, find_components(m, other, roots));
}

/* --- Owners of keys ----------------------------------------------------------------------------------------------- */

bosc_status bi_ranks_dbscan_scatter(const struct bi_ranks_dbscan *s, const uint32_t *in, const uint32_t *order,
                                    int64_t n, uint32_t *out)
{
    const struct bi_ranks_kdtree_rows scatter = {in, out, order, 1, 1, 0, false};
    return s->steps->kdtree_scatter(s->ctx, n, &scatter);
}

bosc_status bi_ranks_dbscan_find_owners(const struct bi_ranks_dbscan *s, const uint32_t *keys, int64_t n,
                                        const int64_t *begins, uint32_t **owners)
{
    const size_t bytes = (size_t)(s->comm->rank_count + 1) * sizeof *begins;
    int64_t *reachable;
    BI_TRY(bi_scratch_of(s->ctx, s->comm->rank_count + 1, sizeof *begins, &reachable));
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof **owners, owners));
    BI_TRY(s->ctx->backend->copy(s->ctx, reachable, begins, bytes));
    const struct bi_ranks_kdtree_id_owners step = {keys, false, reachable, s->comm->rank_count, *owners};
    return s->steps->kdtree_id_owners(s->ctx, n, &step);
}

/* --- Rows of the smallest ids ------------------------------------------------------------------------------------- */

/* The clusters that this rank numbers: its closed sets, then the components that it owns. */
struct held {
    int64_t closed, count;
    uint32_t *ids;       /* (count): the smallest */
    uint32_t *positions; /* (count): the row that names the set; the component's position in root_least */
    uint32_t *numbers;   /* (count) */
};

/* Lists the entries of `values` that have a flag, and their positions; adds to *count. */
static bosc_status append_held(const struct bi_ranks_dbscan *s, const uint32_t *values, const uint8_t *flags, int64_t n,
                               struct held *h)
{
    uint32_t *all;
    int64_t *found, count;
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof *all, &all));
    BI_TRY(bi_scratch_of(s->ctx, 1, sizeof *found, &found));
    BI_TRY(s->core_ops->iota(s->ctx, sizeof *all, all, n));
    BI_TRY(s->core_ops->compact(s->ctx, sizeof *values, values, flags, n, h->ids + h->count, found));
    BI_TRY(s->core_ops->compact(s->ctx, sizeof *all, all, flags, n, h->positions + h->count, found));
    BI_TRY(bi_read_back(s->ctx, &count, found, sizeof count));
    h->count += count;
    return BOSC_OK;
}

/* Lists the clusters that this rank numbers. */
static bosc_status list_held(const struct numbering *m, struct held *h)
{
    const struct bi_ranks_dbscan *s = m->s;
    const int64_t room = s->rows + m->open;
    *h = (struct held){.count = 0};
    BI_TRY(bi_scratch_of(s->ctx, room, sizeof *h->ids, &h->ids));
    BI_TRY(bi_scratch_of(s->ctx, room, sizeof *h->positions, &h->positions));
    BI_TRY(bi_scratch_of(s->ctx, room, sizeof *h->numbers, &h->numbers));
    BI_TRY_WITH_SCRATCH(s->ctx, append_held(s, s->ids, m->sets.is_closed, s->rows, h));
    h->closed = h->count;
    BI_RETURN_WITH_SCRATCH(s->ctx, append_held(s, m->root_least, m->is_root, m->open, h));
}

/* On the ranks of the rows: marks them, and answers with their numbers. */
static bosc_status number_rows(struct numbering *m, const struct bi_ranks_scatter *scatter, const struct held *h,
                               uint32_t *replies)
{
    const struct bi_ranks_dbscan *s = m->s;
    bosc_ctx *ctx = s->ctx;
    const int64_t received = scatter->x.received;
    const struct bi_kdtree_rows ids = {h->ids, h->count, 1};
    struct bi_ranks_cluster_owned a = {.width = 1, .first = s->row_begins[s->comm->rank]};
    uint32_t *rows = NULL, marked = 0;
    int64_t offset;
    /* 1. Send the ids. */
    bosc_status local_status = bi_scratch_of(ctx, received, sizeof *rows, &rows);
    BI_IF_OK(local_status, bi_scratch_of(ctx, received, sizeof *a.answers, &a.answers));
    BI_IF_OK(local_status, bi_scratch_of(ctx, s->n + 1, sizeof *a.marks, &a.marks));
    BI_IF_OK(local_status, ctx->backend->fill(ctx, a.marks, 0, (size_t)(s->n + 1) * sizeof *a.marks));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, s->comm, local_status, scatter, &ids, 1, sizeof *rows, rows));
    a.received = rows;
    /* 2. Mark and number the rows. */
    local_status = s->steps->cluster_mark_row(ctx, received, &a);
    BI_IF_OK(local_status, s->core_ops->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a.marks, s->n + 1, a.marks));
    BI_IF_OK(local_status, bi_read_back(ctx, &marked, a.marks + s->n, sizeof marked));
    BI_TRY(bi_comm_offset(ctx, s->comm, local_status, marked, &offset, &m->clusters));
    /* 3. Answer. */
    a.offset = (uint32_t)offset;
    local_status = s->steps->cluster_answer_row(ctx, received, &a);
    return bi_exchange_replies(ctx, s->comm, local_status, &scatter->x, sizeof *replies, a.answers, replies);
}

/* Stores the numbers of closed sets at their rows, and those of components at their roots. */
static bosc_status store_numbers(const struct numbering *m, const struct bi_ranks_scatter *scatter,
                                 const struct held *h, const uint32_t *replies)
{
    const struct bi_ranks_dbscan *s = m->s;
    BI_TRY(bi_ranks_dbscan_scatter(s, replies, scatter->order, h->count, h->numbers));
    BI_TRY(bi_ranks_dbscan_scatter(s, h->numbers, h->positions, h->closed, s->numbers));
    return bi_ranks_dbscan_scatter(s, h->numbers + h->closed, h->positions + h->closed, h->count - h->closed,
                                   m->root_numbers);
}

/* Numbers the clusters that this rank holds. */
static bosc_status number_held(struct numbering *m, bosc_status local_status)
{
    const struct bi_ranks_dbscan *s = m->s;
    bosc_ctx *ctx = s->ctx;
    struct bi_ranks_scatter scatter;
    struct held h = {.count = 0};
    uint32_t *owners = NULL, *replies = NULL;
    BI_IF_OK(local_status, list_held(m, &h));
    BI_IF_OK(local_status, bi_scratch_of(ctx, h.count, sizeof *replies, &replies));
    BI_IF_OK(local_status, bi_ranks_dbscan_find_owners(s, h.ids, h.count, s->row_begins, &owners));
    bosc_status status = bi_ranks_kdtree_begin_scatter(ctx, s->comm, local_status, owners, NULL, h.count, &scatter);
    BI_IF_OK(status, number_rows(m, &scatter, &h, replies));
    BI_IF_OK(status, bi_comm_agree(ctx, s->comm, store_numbers(m, &scatter, &h, replies)));
    bi_exchange_end(ctx, &scatter.x);
    return status;
}

/* --- Owners of components ----------------------------------------------------------------------------------------- */

/* Allocates the components that this rank may own, and lists the proposals of its open sets. */
static bosc_status list_proposals(struct numbering *m)
{
    const struct bi_ranks_dbscan *s = m->s;
    bosc_ctx *ctx = s->ctx;
    struct bi_ranks_cluster_sets *a = &m->sets;
    BI_TRY(bi_scratch_of(ctx, m->open, sizeof *m->root_least, &m->root_least));
    BI_TRY(bi_scratch_of(ctx, m->open, sizeof *m->is_root, &m->is_root));
    BI_TRY(bi_scratch_of(ctx, m->open, sizeof *m->root_numbers, &m->root_numbers));
    BI_TRY(bi_scratch_of(ctx, m->open, 2 * sizeof *a->proposals, &a->proposals));
    BI_TRY(bi_scratch_of(ctx, m->open, sizeof *a->owner_keys, &a->owner_keys));
    BI_TRY(ctx->backend->fill(ctx, m->root_least, 0xff, (size_t)m->open * sizeof *m->root_least));
    return s->steps->cluster_propose(ctx, s->rows, a);
}

/* Exchanges the proposals, numbers the clusters, and returns their numbers to the open sets. */
static bosc_status exchange_proposals(struct numbering *m, const struct bi_ranks_scatter *scatter)
{
    const struct bi_ranks_dbscan *s = m->s;
    bosc_ctx *ctx = s->ctx;
    const int64_t received = scatter->x.received;
    const struct bi_kdtree_rows proposals = {m->sets.proposals, m->open, 2};
    struct bi_ranks_cluster_owned a = {
        .width = 2, .first = m->begins[s->comm->rank], .least = m->root_least, .is_root = m->is_root};
    uint32_t *items = NULL, *replies = NULL, *numbers = NULL;
    /* 1. The smallest id of each component. */
    bosc_status local_status = bi_scratch_of(ctx, received, 2 * sizeof *items, &items);
    BI_IF_OK(local_status, bi_scratch_of(ctx, received, sizeof *a.answers, &a.answers));
    BI_IF_OK(local_status, bi_scratch_of(ctx, m->open, sizeof *replies, &replies));
    BI_IF_OK(local_status, bi_scratch_of(ctx, m->open, sizeof *numbers, &numbers));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, s->comm, local_status, scatter, &proposals, 2, sizeof *items, items));
    a.received = items;
    local_status = s->steps->cluster_lower_root(ctx, received, &a);
    BI_IF_OK(local_status, s->steps->cluster_mark_roots(ctx, m->open, &a));
    /* 2. The numbers of the clusters. */
    BI_TRY_WITH_SCRATCH(ctx, number_held(m, local_status));
    a.known = m->root_numbers;
    local_status = s->steps->cluster_answer_root(ctx, received, &a);
    BI_TRY(bi_exchange_replies(ctx, s->comm, local_status, &scatter->x, sizeof *replies, a.answers, replies));
    /* 3. Store the numbers of the open sets. */
    m->sets.open_numbers = numbers;
    local_status = bi_ranks_dbscan_scatter(s, replies, scatter->order, m->open, numbers);
    BI_IF_OK(local_status, s->steps->cluster_store_open(ctx, s->rows, &m->sets));
    return bi_comm_agree(ctx, s->comm, local_status);
}

/* Numbers the clusters: the ranks that own components collect their smallest ids. */
static bosc_status number_components(struct numbering *m)
{
    const struct bi_ranks_dbscan *s = m->s;
    struct bi_ranks_scatter scatter;
    uint32_t *owners = NULL;
    bosc_status local_status = list_proposals(m);
    BI_IF_OK(local_status, bi_ranks_dbscan_find_owners(s, m->sets.owner_keys, m->open, m->begins, &owners));
    bosc_status status = bi_ranks_kdtree_begin_scatter(s->ctx, s->comm, local_status, owners, NULL, m->open, &scatter);
    BI_IF_OK(status, exchange_proposals(m, &scatter));
    bi_exchange_end(s->ctx, &scatter.x);
    return status;
}

/* --- The call ----------------------------------------------------------------------------------------------------- */

/* Finds the open sets and their components, and numbers all clusters. */
static bosc_status number_sets(struct numbering *m, bosc_status local_status)
{
    const struct bi_ranks_dbscan *s = m->s;
    BI_IF_OK(local_status, mark_open(m));
    BI_TRY(gather_begins(m, local_status));
    if (m->total > 0)
        BI_TRY(number_open(m));
    else
        BI_TRY(bi_comm_agree(s->ctx, s->comm, s->steps->cluster_number_open(s->ctx, s->rows, &m->sets)));
    return number_components(m);
}

bosc_status bi_ranks_dbscan_number(struct bi_ranks_dbscan *s, bosc_status local_status, int64_t *clusters)
{
    struct numbering m = {.s = s, .begins = s->set_begins};
    bosc_status status;
    BI_WITH_SCRATCH(s->ctx, status = number_sets(&m, local_status));
    *clusters = m.clusters;
    return status;
}
