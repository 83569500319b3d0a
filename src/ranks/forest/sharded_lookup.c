/* Queries of ranks about components that other ranks own: items of the owners' tables. */
#include "core/call.h"
#include "ranks/forest/sharded.h"
#include "ranks/exchange/route.h"

static bosc_status find_owners(const struct bi_ranks_sharded *s, const struct bi_ranks_sharded_level *level,
                               const uint32_t *components, int64_t count, uint32_t **owners)
{
    BI_TRY(bi_scratch_of(s->ctx, count, sizeof **owners, owners));
    const struct bi_ranks_sharded_owners find = {components, level->each, (uint32_t)s->comm->rank, *owners};
    return s->steps->sharded_owners(s->ctx, count, &find);
}

static bosc_status look_up_items(const struct bi_ranks_sharded *s, const struct bi_ranks_sharded_level *level,
                                 const uint32_t *requested, int64_t count, const void *table, size_t item_size,
                                 void **out)
{
    BI_TRY(bi_scratch_of(s->ctx, count, item_size, out));
    const struct bi_ranks_sharded_lookup lookup = {requested, level->first, table, (int64_t)item_size, *out};
    if (count) BI_TRY(s->ctx->backend->fill(s->ctx, *out, 0, (size_t)count * item_size));
    return s->steps->sharded_lookup(s->ctx, count, &lookup);
}

static bosc_status exchange_with_owners(const struct bi_ranks_sharded *s, bosc_status *local_status,
                                        const struct bi_ranks_sharded_level *level, const struct bi_ranks_route *route,
                                        const uint32_t *components, const void *table, size_t item_size, void *answers)
{
    void *requested, *out = NULL;
    BI_TRY(bi_ranks_route_move(s->ctx, s->comm, local_status, route, sizeof *components, components, &requested));
    if (*local_status == BOSC_OK)
        *local_status = look_up_items(s, level, requested, route->x.received, table, item_size, &out);
    return bi_ranks_route_move_back(s->ctx, s->comm, local_status, route, item_size, out, answers);
}

static bosc_status query_owners(const struct bi_ranks_sharded *s, bosc_status *local_status,
                                const struct bi_ranks_sharded_level *level, const uint32_t *components, int64_t count,
                                const void *table, size_t item_size, void *answers)
{
    struct bi_ranks_route route;
    uint32_t *owners = NULL;
    if (*local_status == BOSC_OK) *local_status = find_owners(s, level, components, count, &owners);
    bosc_status status = bi_ranks_route_to_owners(s->ctx, s->comm, *local_status, owners, count, &route);
    if (status == BOSC_OK)
        status = exchange_with_owners(s, local_status, level, &route, components, table, item_size, answers);
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

bosc_status bi_ranks_sharded_query(const struct bi_ranks_sharded *s, bosc_status *local_status,
                                   const struct bi_ranks_sharded_level *level, const uint32_t *components,
                                   int64_t count, const void *table, size_t item_size, void *answers)
{
    BI_RETURN_WITH_SCRATCH(s->ctx, query_owners(s, local_status, level, components, count, table, item_size, answers));
}
