/* Edges that follow the rounds over other edges, for a proof: they query which edges the components of their ends have
 * chosen. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

static bosc_status update_edges(const struct bi_ranks_sharded *s, const uint64_t *answers)
{
    const struct bi_ranks_sharded_path_max *path = s->path_max;
    const struct bi_ranks_path_max_update update = {
        {path->edges.keys, path->edges.ends, path->edges.ids, (uint64_t)s->slice->first_entry},
        answers,
        path->heaviest,
        path->faults + BI_RANKS_MSF_APART,
        path->faults + BI_RANKS_MSF_LIGHTER};
    if (path->edges.count == 0) return BOSC_OK;
    return (answers ? s->steps->path_max_update : s->steps->path_max_finish)(s->ctx, path->edges.count, &update);
}

bosc_status bi_ranks_sharded_update_path_max(struct bi_ranks_sharded *s, bosc_status *local_status, uint64_t *records,
                                             const uint32_t *next)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    const struct bi_ranks_path_max_publish publish = {records, next};
    struct bi_ranks_sharded_compact compact = s->compact;
    uint64_t *answers = NULL;
    int64_t count = 0;
    const size_t size = 3 * sizeof *records;
    compact.components = s->path_max->components;
    if (*local_status == BOSC_OK) *local_status = s->steps->path_max_publish(s->ctx, level->own, &publish);
    if (*local_status == BOSC_OK)
        *local_status = bi_ranks_sharded_compact_ends(s, &s->path_max->edges, &compact, &count);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, count, size, &answers);
    BI_TRY(bi_ranks_sharded_query(s, local_status, level, compact.components, count, records, size, answers));
    if (*local_status == BOSC_OK && count) *local_status = update_edges(s, answers);
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_finish_path_max(const struct bi_ranks_sharded *s) { return update_edges(s, NULL); }
