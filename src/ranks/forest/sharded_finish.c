/* The last rounds of components that were spread over the ranks: once so few are left that each rank may have all of
 * them, they are the vertices of rounds of the first form, which take fewer exchanges. Edges stay where they are. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

bool bi_ranks_sharded_fits(const struct bi_ranks_sharded *s)
{
    return s->levels[s->rounds].count <= s->part->opts.replicated_bytes / BI_RANKS_FOREST_BYTES;
}

/* Of the edges found, which all ranks have, this rank keeps its part. */
static bosc_status keep_found(struct bi_ranks_sharded *s, const struct bi_ranks_rounds *rounds)
{
    const int64_t ranks = s->comm->rank_count, begin = rounds->found * s->comm->rank / ranks,
                  end = rounds->found * (s->comm->rank + 1) / ranks;
    const size_t record = 3 * sizeof *s->found;
    uint64_t *to = s->found + 3 * s->found_count;
    s->found_count += end - begin;
    if (begin == end) return BOSC_OK;
    return s->ctx->backend->copy(s->ctx, to, rounds->records + 3 * begin, (size_t)(end - begin) * record);
}

/* What became of this rank's components: the smallest one of each tree stays, by its number. */
static bosc_status name_trees(struct bi_ranks_sharded *s, const struct bi_ranks_rounds *rounds)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    uint32_t *trees;
    BI_TRY(bi_scratch_of(s->ctx, rounds->n, sizeof *trees, &trees));
    BI_TRY(bi_ranks_forest_label_rounds(s->ctx, rounds, trees));
    if (level->own == 0) return BOSC_OK;
    return s->ctx->backend->copy(s->ctx, s->next + level->at, trees + level->first, (size_t)level->own * sizeof *trees);
}

bosc_status bi_ranks_sharded_finish(struct bi_ranks_sharded *s, bosc_status *local_status)
{
    struct bi_ranks_rounds rounds = {.n = s->levels[s->rounds].count,
                                     .wide = true, /* as the records of this form are */
                                     .edges = s->edges,
                                     .spare = s->spare,
                                     .first = (uint64_t)s->part->first};
    if (*local_status == BOSC_OK) *local_status = bi_ranks_forest_take_rounds(s->ctx, &rounds);
    BI_TRY(bi_ranks_forest_run_rounds(s->ctx, s->comm, s->part, *local_status, &rounds));
    *local_status = keep_found(s, &rounds);
    if (*local_status == BOSC_OK && s->labels) BI_WITH_SCRATCH(s->ctx, *local_status = name_trees(s, &rounds));
    s->edges.count = 0;
    s->rest = rounds.count - 1;
    return BOSC_OK;
}
