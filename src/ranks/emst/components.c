/* Components of Euclidean spanning trees over ranks: their shortest edges, and how these join them. */
#include "base/bits.h"
#include "ranks/emst/emst.h"

enum { RECORD = 3 }; /* words */

bosc_status bi_ranks_emst_take(const struct bi_ranks_emst *e, int64_t count, int32_t ranks,
                               struct bi_ranks_emst_components *c)
{
    bosc_ctx *ctx = e->ctx;
    const int64_t padded = bi_div_up(count, ranks) * ranks, edges = 2 * e->n, most = edges > count ? edges : count;
    *c = (struct bi_ranks_emst_components){.count = count, .ranks = ranks, .each = bi_div_up(count, ranks)};
    BI_TRY(bi_scratch_of(ctx, padded, sizeof *c->best, &c->best));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->best_id, &c->best_id));
    BI_TRY(bi_scratch_of(ctx, padded, RECORD * sizeof *c->records, &c->records));
    if (ranks > 1) BI_TRY(bi_scratch_of(ctx, padded, RECORD * sizeof *c->records, &c->other_records));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->parent, &c->parent));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->numbers, &c->numbers));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->next, &c->next));
    BI_TRY(bi_scratch_of(ctx, most, 1, &c->flags));
    return bi_scratch_of(ctx, 1, sizeof *c->counted, &c->counted);
}

static struct bi_ranks_forest_edges edges_of(const struct bi_ranks_emst *e)
{
    return (struct bi_ranks_forest_edges){e->edges.keys, e->edges.ends, e->edges.ids, 0};
}

bosc_status bi_ranks_emst_shortest(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_forest_choose choose = {edges_of(e), c->best, c->best_id};
    BI_TRY(e->ctx->backend->fill(e->ctx, c->best, 0xff, (size_t)(c->each * c->ranks) * sizeof *c->best));
    return e->steps->forest_choose(e->ctx, e->edges.count, &choose);
}

bosc_status bi_ranks_emst_record(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_forest_choose choose = {edges_of(e), c->best, c->best_id};
    const struct bi_ranks_forest_record record = {edges_of(e), c->best, c->best_id, true, c->records};
    const size_t words = (size_t)(c->each * c->ranks) * RECORD;
    BI_TRY(e->ctx->backend->fill(e->ctx, c->records, 0xff, words * sizeof *c->records));
    BI_TRY(e->ctx->backend->fill(e->ctx, c->best_id, 0xff, (size_t)c->count * sizeof *c->best_id));
    BI_TRY(bi_ranks_emst_shortest(e, c));
    BI_TRY(e->steps->forest_choose_id(e->ctx, e->edges.count, &choose));
    return e->steps->forest_record(e->ctx, e->edges.count, &record);
}

/* What the flags let of an array over edges. */
static bosc_status keep(const struct bi_ranks_emst *e, const struct bi_ranks_emst_components *c, const uint64_t *from,
                        uint64_t *to)
{
    return e->core->compact(e->ctx, sizeof *from, from, c->flags, e->edges.count, to, c->counted);
}

bosc_status bi_ranks_emst_rename(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_emst_rename rename = {e->points, c->next};
    const struct bi_ranks_forest_relabel relabel = {c->next, e->edges.ends, c->flags};
    struct bi_ranks_list spare = e->spare;
    BI_TRY(e->steps->emst_rename(e->ctx, e->n, &rename));
    if (e->edges.count == 0) return BOSC_OK;
    BI_TRY(e->steps->forest_relabel(e->ctx, e->edges.count, &relabel));
    BI_TRY(keep(e, c, e->edges.keys, spare.keys));
    BI_TRY(keep(e, c, e->edges.ends, spare.ends));
    BI_TRY(keep(e, c, e->edges.ids, spare.ids));
    BI_TRY(bi_read_back(e->ctx, &spare.count, c->counted, sizeof spare.count));
    e->spare = e->edges;
    e->edges = spare;
    return BOSC_OK;
}

/* Those of the edges that this rank lists. */
static bosc_status list(const struct bi_ranks_emst *e, const struct bi_ranks_emst_components *c, int64_t first,
                        int64_t end, struct bi_ranks_emst_found *found)
{
    int64_t listed;
    if (first >= end) return BOSC_OK;
    BI_TRY(e->core->compact(e->ctx, RECORD * sizeof *c->records, c->records + RECORD * first, c->flags + first,
                            end - first, found->records + RECORD * found->count, c->counted));
    BI_TRY(bi_read_back(e->ctx, &listed, c->counted, sizeof listed));
    found->count += listed;
    return BOSC_OK;
}

bosc_status bi_ranks_emst_join(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c, int64_t first, int64_t end,
                               struct bi_ranks_emst_found *found)
{
    const int64_t count = c->count;
    const struct bi_ranks_forest_link link = {c->records, true, c->parent, c->numbers, c->flags, c->unfinished};
    const struct bi_ranks_forest_renumber renumber = {c->records, true, c->parent, c->numbers, c->next, c->unfinished};
    uint32_t last;
    BI_TRY(e->steps->forest_link(e->ctx, count, &link));
    BI_TRY(list(e, c, first, end, found));
    BI_TRY(e->core->scan(e->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, c->numbers, count, c->numbers));
    BI_TRY(e->steps->forest_renumber(e->ctx, count, &renumber));
    BI_TRY(bi_read_back(e->ctx, &last, c->numbers + (count - 1), sizeof last));
    c->count = last;
    c->each = bi_div_up(c->count, c->ranks);
    return bi_ranks_emst_rename(e, c);
}
