/* Names for the components that a rank's edges have: turns among these, by bits and counts, without a sort. */
#include "base/bits.h"
#include "core/call.h"
#include "ranks/forest/sharded.h"

bosc_status bi_ranks_sharded_name_ends(struct bi_ranks_sharded *s, const struct bi_ranks_list *edges,
                                       struct bi_ranks_sharded_names *names, int64_t *count)
{
    const int64_t words = bi_div_up(s->levels[s->rounds].count, 64);
    *count = 0;
    if (edges->count == 0) return BOSC_OK;
    names->ends = edges->ends;
    BI_TRY(s->ctx->backend->fill(s->ctx, names->bits, 0, (size_t)words * sizeof *names->bits));
    BI_TRY(s->ctx->backend->fill(s->ctx, names->places + words, 0, sizeof *names->places));
    BI_TRY(s->steps->sharded_mark(s->ctx, edges->count, names));
    BI_TRY(s->steps->sharded_count(s->ctx, words, names));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, names->places, words + 1, names->places));
    BI_TRY(s->steps->sharded_rename(s->ctx, edges->count, names));
    BI_TRY(s->steps->sharded_name(s->ctx, words, names));
    return bi_read_back(s->ctx, count, names->places + words, sizeof *count);
}
