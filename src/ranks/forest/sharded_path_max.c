/* Edges that go along with the rounds over others, for a proof: they learn which edges the components of their ends
 * have chosen. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

static bosc_status learn(const struct bi_ranks_sharded *s, const uint64_t *answers)
{
    const struct bi_ranks_sharded_climb *c = s->climb;
    const struct bi_ranks_climb climb = {{c->edges.keys, c->edges.ends, c->edges.ids, (uint64_t)s->part->first},
                                         answers,
                                         c->heaviest,
                                         c->faults + BI_RANKS_MSF_APART,
                                         c->faults + BI_RANKS_MSF_LIGHTER};
    if (c->edges.count == 0) return BOSC_OK;
    return (answers ? s->steps->climb : s->steps->climb_end)(s->ctx, c->edges.count, &climb);
}

bosc_status bi_ranks_sharded_climb(struct bi_ranks_sharded *s, bosc_status *local_status, uint64_t *records,
                                   const uint32_t *next)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    const struct bi_ranks_climb_tell tell = {records, next};
    struct bi_ranks_sharded_names names = s->names;
    uint64_t *answers = NULL;
    int64_t count = 0;
    const size_t size = 3 * sizeof *records;
    names.names = s->climb->names;
    if (*local_status == BOSC_OK) *local_status = s->steps->climb_tell(s->ctx, level->own, &tell);
    if (*local_status == BOSC_OK) *local_status = bi_ranks_sharded_name_ends(s, &s->climb->edges, &names, &count);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, count, size, &answers);
    BI_TRY(bi_ranks_sharded_ask(s, local_status, level, names.names, count, records, size, answers));
    if (*local_status == BOSC_OK && count) *local_status = learn(s, answers);
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_end_climb(const struct bi_ranks_sharded *s) { return learn(s, NULL); }
