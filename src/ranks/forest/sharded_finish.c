/* The last rounds of distributed components: once they fit each rank, they become the vertices of rounds of the first
 * form, which take fewer exchanges. Edges stay on their ranks. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

bool bi_ranks_sharded_fits_replicated(const struct bi_ranks_sharded *s)
{
    return s->levels[s->rounds].count <= s->slice->opts.replicated_bytes / BI_RANKS_FOREST_BYTES;
}

/* Appends this rank's share of the chosen edges, which all ranks have. */
static bosc_status append_own_share(struct bi_ranks_sharded *s, const struct bi_ranks_rounds *rounds)
{
    const int64_t ranks = s->comm->rank_count, begin = rounds->found * s->comm->rank / ranks,
                  limit = rounds->found * (s->comm->rank + 1) / ranks;
    const size_t record = 3 * sizeof *s->found;
    uint64_t *to = s->found + 3 * s->found_count;
    s->found_count += limit - begin;
    if (begin == limit) return BOSC_OK;
    return s->ctx->backend->copy(s->ctx, to, rounds->records + 3 * begin, (size_t)(limit - begin) * record);
}

/* Writes the trees of this rank's components: the number of the smallest component in each. */
static bosc_status number_trees(struct bi_ranks_sharded *s, const struct bi_ranks_rounds *rounds)
{
    const struct bi_ranks_sharded_level *level = &s->levels[s->rounds];
    uint32_t *trees;
    BI_TRY(bi_scratch_of(s->ctx, rounds->n, sizeof *trees, &trees));
    BI_TRY(bi_ranks_forest_label_rounds(s->ctx, rounds, trees));
    if (level->own == 0) return BOSC_OK;
    return s->ctx->backend->copy(s->ctx, s->next + level->at, trees + level->first, (size_t)level->own * sizeof *trees);
}

bosc_status bi_ranks_sharded_run_replicated(struct bi_ranks_sharded *s, bosc_status *local_status)
{
    struct bi_ranks_rounds rounds = {.n = s->levels[s->rounds].count,
                                     .is_64bit = true, /* records of this form have three words */
                                     .edges = s->edges,
                                     .spare = s->spare,
                                     .first = (uint64_t)s->slice->first_entry};
    if (*local_status == BOSC_OK) *local_status = bi_ranks_forest_allocate_rounds(s->ctx, &rounds);
    BI_TRY(bi_ranks_forest_run_rounds(s->ctx, s->comm, s->slice, *local_status, &rounds));
    *local_status = append_own_share(s, &rounds);
    if (*local_status == BOSC_OK && s->labels) BI_WITH_SCRATCH(s->ctx, *local_status = number_trees(s, &rounds));
    s->edges.count = 0;
    s->replicated_rounds = rounds.count - 1;
    return BOSC_OK;
}
