/* Labels of distributed vertices: the smallest vertex of each component ascends the tree of rounds; the labels of
 * whole trees descend. */
#include "core/call.h"
#include "ranks/forest/sharded.h"
#include "ranks/exchange/route.h"

static struct bi_ranks_sharded_labels label_step(const struct bi_ranks_sharded *s, int32_t level)
{
    return (struct bi_ranks_sharded_labels){.next = s->next + s->levels[level].at,
                                            .smallest = s->smallest + s->levels[level].at,
                                            .each = s->levels[level + 1].each,
                                            .rank = (uint32_t)s->comm->rank};
}

/* ---- up the tree of rounds ---- */

static bosc_status pack_smallest(const struct bi_ranks_sharded *s, int32_t level,
                                 struct bi_ranks_sharded_labels *labels)
{
    const int64_t own = s->levels[level].own;
    BI_TRY(bi_scratch_of(s->ctx, own, sizeof *labels->items, &labels->items));
    BI_TRY(bi_scratch_of(s->ctx, own, sizeof *labels->owners, &labels->owners));
    return s->steps->sharded_send_smallest(s->ctx, own, labels);
}

static bosc_status reduce_smallest(const struct bi_ranks_sharded *s, int32_t level, const uint64_t *items,
                                   int64_t count)
{
    const struct bi_ranks_sharded_level *to = &s->levels[level];
    const struct bi_ranks_sharded_min_vertex reduce = {items, to->first, s->smallest + to->at};
    if (to->own == 0) return BOSC_OK;
    BI_TRY(s->ctx->backend->fill(s->ctx, reduce.smallest, 0xff, (size_t)to->own * sizeof *reduce.smallest));
    return s->steps->sharded_min_vertex(s->ctx, count, &reduce);
}

static bosc_status ascend_level(const struct bi_ranks_sharded *s, int32_t level, bosc_status *local_status)
{
    struct bi_ranks_sharded_labels labels = label_step(s, level);
    struct bi_ranks_route route;
    void *items;
    if (*local_status == BOSC_OK) *local_status = pack_smallest(s, level, &labels);
    bosc_status status =
        bi_ranks_route_to_owners(s->ctx, s->comm, *local_status, labels.owners, s->levels[level].own, &route);
    if (status == BOSC_OK)
        status = bi_ranks_route_move(s->ctx, s->comm, local_status, &route, sizeof *labels.items, labels.items, &items);
    if (status == BOSC_OK && *local_status == BOSC_OK)
        *local_status = reduce_smallest(s, level + 1, items, route.x.received);
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

/* ---- down ---- */

static bosc_status descend_level(const struct bi_ranks_sharded *s, int32_t level, bosc_status *local_status)
{
    struct bi_ranks_sharded_labels labels = label_step(s, level);
    const struct bi_ranks_sharded_level *above = &s->levels[level + 1];
    const int64_t own = s->levels[level].own;
    uint32_t *answers = NULL;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *answers, &answers);
    labels.answers = answers;
    BI_TRY(bi_ranks_sharded_query(s, local_status, above, labels.next, own, s->smallest + above->at, sizeof *answers,
                                  answers));
    if (*local_status == BOSC_OK) *local_status = s->steps->sharded_label(s->ctx, own, &labels);
    return BOSC_OK;
}

/* ---- all labels, on the ranks that request them ---- */

/* Copies this rank's labels once for each request. */
static bosc_status copy_per_request(const struct bi_ranks_sharded *s, const struct bi_exchange *x, uint32_t **copies)
{
    const int64_t own = s->levels[0].own;
    BI_TRY(bi_scratch_of(s->ctx, x->sent, sizeof **copies, copies));
    for (int64_t at = 0; at < x->sent; at += own)
        BI_TRY(s->ctx->backend->copy(s->ctx, *copies + at, s->smallest, (size_t)own * sizeof **copies));
    return BOSC_OK;
}

static bosc_status gather_labels(const struct bi_ranks_sharded *s, bosc_status local_status, const int64_t *requested,
                                 uint32_t *labels)
{
    struct bi_exchange x;
    uint32_t *copies = NULL;
    int64_t *counts = s->slice->counts;
    for (int32_t r = 0; r < s->comm->rank_count; r++) counts[r] = requested[r] ? s->levels[0].own : 0;
    bosc_status status = bi_exchange_begin(s->ctx, s->comm, local_status, counts, &x);
    if (status == BOSC_OK) {
        local_status = copy_per_request(s, &x, &copies);
        status = bi_exchange_items(s->ctx, s->comm, local_status, &x, sizeof *labels, copies, labels);
    }
    bi_exchange_end(s->ctx, &x);
    return status;
}

static bosc_status label_vertices(const struct bi_ranks_sharded *s, bosc_status local_status, const int64_t *requested,
                                  uint32_t *labels)
{
    const struct bi_ranks_sharded_init_labels vertices = {s->levels[0].first, s->smallest};
    if (local_status == BOSC_OK) local_status = s->steps->sharded_init_labels(s->ctx, s->levels[0].own, &vertices);
    for (int32_t level = 0; level < s->rounds; level++)
        BI_TRY_WITH_SCRATCH(s->ctx, ascend_level(s, level, &local_status));
    for (int32_t level = s->rounds - 1; level >= 0; level--)
        BI_TRY_WITH_SCRATCH(s->ctx, descend_level(s, level, &local_status));
    return gather_labels(s, local_status, requested, labels);
}

bosc_status bi_ranks_sharded_label_vertices(const struct bi_ranks_sharded *s, bosc_status local_status,
                                            const int64_t *requested, uint32_t *labels)
{
    BI_RETURN_WITH_SCRATCH(s->ctx, label_vertices(s, local_status, requested, labels));
}
