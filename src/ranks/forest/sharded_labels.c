/* Labels of vertices that are spread over ranks: the smallest vertex of each component goes up the tree of rounds, and
 * those of whole trees come down. */
#include "core/call.h"
#include "ranks/forest/sharded.h"
#include "ranks/exchange/route.h"

static struct bi_ranks_sharded_labels labels_of(const struct bi_ranks_sharded *s, int32_t level)
{
    return (struct bi_ranks_sharded_labels){.next = s->next + s->levels[level].at,
                                            .smallest = s->smallest + s->levels[level].at,
                                            .each = s->levels[level + 1].each,
                                            .rank = (uint32_t)s->comm->rank};
}

/* ---- up ---- */

static bosc_status write_items(const struct bi_ranks_sharded *s, int32_t level, struct bi_ranks_sharded_labels *labels)
{
    const int64_t own = s->levels[level].own;
    BI_TRY(bi_scratch_of(s->ctx, own, sizeof *labels->items, &labels->items));
    BI_TRY(bi_scratch_of(s->ctx, own, sizeof *labels->owners, &labels->owners));
    return s->steps->sharded_send_smallest(s->ctx, own, labels);
}

static bosc_status take_smallest(const struct bi_ranks_sharded *s, int32_t level, const uint64_t *items, int64_t count)
{
    const struct bi_ranks_sharded_level *to = &s->levels[level];
    const struct bi_ranks_sharded_smallest take = {items, to->first, s->smallest + to->at};
    if (to->own == 0) return BOSC_OK;
    BI_TRY(s->ctx->backend->fill(s->ctx, take.smallest, 0xff, (size_t)to->own * sizeof *take.smallest));
    return s->steps->sharded_smallest(s->ctx, count, &take);
}

static bosc_status lift(const struct bi_ranks_sharded *s, int32_t level, bosc_status *local_status)
{
    struct bi_ranks_sharded_labels labels = labels_of(s, level);
    struct bi_ranks_route route;
    void *items;
    if (*local_status == BOSC_OK) *local_status = write_items(s, level, &labels);
    bosc_status status =
        bi_ranks_route_to_owners(s->ctx, s->comm, *local_status, labels.owners, s->levels[level].own, &route);
    if (status == BOSC_OK)
        status = bi_ranks_route_move(s->ctx, s->comm, local_status, &route, sizeof *labels.items, labels.items, &items);
    if (status == BOSC_OK && *local_status == BOSC_OK)
        *local_status = take_smallest(s, level + 1, items, route.x.received);
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

/* ---- down ---- */

static bosc_status lower(const struct bi_ranks_sharded *s, int32_t level, bosc_status *local_status)
{
    struct bi_ranks_sharded_labels labels = labels_of(s, level);
    const struct bi_ranks_sharded_level *above = &s->levels[level + 1];
    const int64_t own = s->levels[level].own;
    uint32_t *answers = NULL;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *answers, &answers);
    labels.answers = answers;
    BI_TRY(bi_ranks_sharded_ask(s, local_status, above, labels.next, own, s->smallest + above->at, sizeof *answers,
                                answers));
    if (*local_status == BOSC_OK) *local_status = s->steps->sharded_label(s->ctx, own, &labels);
    return BOSC_OK;
}

/* ---- all of them, where they are wanted ---- */

/* This rank's labels as often as they are wanted. */
static bosc_status repeat(const struct bi_ranks_sharded *s, const struct bi_exchange *x, uint32_t **copies)
{
    const int64_t own = s->levels[0].own;
    BI_TRY(bi_scratch_of(s->ctx, x->sent, sizeof **copies, copies));
    for (int64_t at = 0; at < x->sent; at += own)
        BI_TRY(s->ctx->backend->copy(s->ctx, *copies + at, s->smallest, (size_t)own * sizeof **copies));
    return BOSC_OK;
}

static bosc_status gather(const struct bi_ranks_sharded *s, bosc_status local_status, const int64_t *wanted,
                          uint32_t *labels)
{
    struct bi_exchange x;
    uint32_t *copies = NULL;
    int64_t *counts = s->part->numbers;
    for (int32_t r = 0; r < s->comm->rank_count; r++) counts[r] = wanted[r] ? s->levels[0].own : 0;
    bosc_status status = bi_exchange_begin(s->ctx, s->comm, local_status, counts, &x);
    if (status == BOSC_OK) {
        local_status = repeat(s, &x, &copies);
        status = bi_exchange_items(s->ctx, s->comm, local_status, &x, sizeof *labels, copies, labels);
    }
    bi_exchange_end(s->ctx, &x);
    return status;
}

static bosc_status label(const struct bi_ranks_sharded *s, bosc_status local_status, const int64_t *wanted,
                         uint32_t *labels)
{
    const struct bi_ranks_sharded_vertices vertices = {s->levels[0].first, s->smallest};
    if (local_status == BOSC_OK) local_status = s->steps->sharded_vertices(s->ctx, s->levels[0].own, &vertices);
    for (int32_t level = 0; level < s->rounds; level++) BI_TRY_WITH_SCRATCH(s->ctx, lift(s, level, &local_status));
    for (int32_t level = s->rounds - 1; level >= 0; level--)
        BI_TRY_WITH_SCRATCH(s->ctx, lower(s, level, &local_status));
    return gather(s, local_status, wanted, labels);
}

bosc_status bi_ranks_sharded_label(const struct bi_ranks_sharded *s, bosc_status local_status, const int64_t *wanted,
                                   uint32_t *labels)
{
    BI_RETURN_WITH_SCRATCH(s->ctx, label(s, local_status, wanted, labels));
}
