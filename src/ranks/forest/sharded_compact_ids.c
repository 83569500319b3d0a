/* Compact ids of the components that a rank's edges have, by bits and prefix counts, without a sort. */
#include "base/bits.h"
#include "core/call.h"
#include "ranks/forest/sharded.h"

bosc_status bi_ranks_sharded_compact_ends(struct bi_ranks_sharded *s, const struct bi_ranks_list *edges,
                                          struct bi_ranks_sharded_compact *compact, int64_t *count)
{
    const int64_t words = bi_div_up(s->levels[s->rounds].count, 64);
    *count = 0;
    if (edges->count == 0) return BOSC_OK;
    compact->ends = edges->ends;
    BI_TRY(s->ctx->backend->fill(s->ctx, compact->bits, 0, (size_t)words * sizeof *compact->bits));
    BI_TRY(s->ctx->backend->fill(s->ctx, compact->prefix + words, 0, sizeof *compact->prefix));
    /* 1. Mark the components. 2. Prefix counts of the marks. 3. Replace the ends, and list the components. */
    BI_TRY(s->steps->sharded_mark_components(s->ctx, edges->count, compact));
    BI_TRY(s->steps->sharded_count_bits(s->ctx, words, compact));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, compact->prefix, words + 1, compact->prefix));
    BI_TRY(s->steps->sharded_compact_ends(s->ctx, edges->count, compact));
    BI_TRY(s->steps->sharded_list_components(s->ctx, words, compact));
    return bi_read_back(s->ctx, count, compact->prefix + words, sizeof *count);
}
