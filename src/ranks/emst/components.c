/* Components of Euclidean spanning trees over ranks: their shortest edges, and contraction by these. */
#include "base/bits.h"
#include "ranks/emst/emst.h"

enum { RECORD = 3 }; /* words */

bosc_status bi_ranks_emst_allocate(const struct bi_ranks_emst *e, int64_t count, int32_t ranks,
                                   struct bi_ranks_emst_components *c)
{
    bosc_ctx *ctx = e->ctx;
    const int64_t padded = bi_div_up(count, ranks) * ranks, edges = 2 * e->n, larger = edges > count ? edges : count;
    *c = (struct bi_ranks_emst_components){.count = count, .ranks = ranks, .each = bi_div_up(count, ranks)};
    BI_TRY(bi_scratch_of(ctx, padded, sizeof *c->best, &c->best));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->best_id, &c->best_id));
    BI_TRY(bi_scratch_of(ctx, padded, RECORD * sizeof *c->records, &c->records));
    if (ranks > 1) BI_TRY(bi_scratch_of(ctx, padded, RECORD * sizeof *c->records, &c->other_records));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->parent, &c->parent));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->survives, &c->survives));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *c->next, &c->next));
    BI_TRY(bi_scratch_of(ctx, larger, 1, &c->flags));
    return bi_scratch_of(ctx, 1, sizeof *c->counter, &c->counter);
}

static struct bi_ranks_forest_edges edges_of(const struct bi_ranks_emst *e)
{
    return (struct bi_ranks_forest_edges){e->edges.keys, e->edges.ends, e->edges.ids, 0};
}

bosc_status bi_ranks_emst_find_shortest(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_forest_choose choose = {edges_of(e), c->best, c->best_id};
    BI_TRY(e->ctx->backend->fill(e->ctx, c->best, 0xff, (size_t)(c->each * c->ranks) * sizeof *c->best));
    return e->steps->forest_min_key(e->ctx, e->edges.count, &choose);
}

bosc_status bi_ranks_emst_record_edges(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_forest_choose choose = {edges_of(e), c->best, c->best_id};
    const struct bi_ranks_forest_record record = {edges_of(e), c->best, c->best_id, true, c->records};
    const size_t words = (size_t)(c->each * c->ranks) * RECORD;
    BI_TRY(e->ctx->backend->fill(e->ctx, c->records, 0xff, words * sizeof *c->records));
    BI_TRY(e->ctx->backend->fill(e->ctx, c->best_id, 0xff, (size_t)c->count * sizeof *c->best_id));
    BI_TRY(bi_ranks_emst_find_shortest(e, c));
    BI_TRY(e->steps->forest_min_id(e->ctx, e->edges.count, &choose));
    return e->steps->forest_write_records(e->ctx, e->edges.count, &record);
}

/* Compacts an array over edges by the flags. */
static bosc_status compact_kept(const struct bi_ranks_emst *e, const struct bi_ranks_emst_components *c,
                                const uint64_t *from, uint64_t *to)
{
    return e->core->compact(e->ctx, sizeof *from, from, c->flags, e->edges.count, to, c->counter);
}

bosc_status bi_ranks_emst_relabel(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c)
{
    const struct bi_ranks_emst_relabel_points rename = {e->points, c->next};
    const struct bi_ranks_forest_relabel relabel = {c->next, e->edges.ends, c->flags};
    struct bi_ranks_list spare = e->spare;
    BI_TRY(e->steps->emst_relabel_points(e->ctx, e->n, &rename));
    if (e->edges.count == 0) return BOSC_OK;
    BI_TRY(e->steps->forest_relabel(e->ctx, e->edges.count, &relabel));
    BI_TRY(compact_kept(e, c, e->edges.keys, spare.keys));
    BI_TRY(compact_kept(e, c, e->edges.ends, spare.ends));
    BI_TRY(compact_kept(e, c, e->edges.ids, spare.ids));
    BI_TRY(bi_read_back(e->ctx, &spare.count, c->counter, sizeof spare.count));
    e->spare = e->edges;
    e->edges = spare;
    return BOSC_OK;
}

/* Appends the edges listed by components `first` to `limit` - 1. */
static bosc_status list_edges(const struct bi_ranks_emst *e, const struct bi_ranks_emst_components *c, int64_t first,
                              int64_t limit, struct bi_ranks_emst_found *found)
{
    int64_t listed;
    if (first >= limit) return BOSC_OK;
    BI_TRY(e->core->compact(e->ctx, RECORD * sizeof *c->records, c->records + RECORD * first, c->flags + first,
                            limit - first, found->records + RECORD * found->count, c->counter));
    BI_TRY(bi_read_back(e->ctx, &listed, c->counter, sizeof listed));
    found->count += listed;
    return BOSC_OK;
}

bosc_status bi_ranks_emst_merge_components(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c, int64_t first,
                                           int64_t limit, struct bi_ranks_emst_found *found)
{
    const int64_t count = c->count;
    const struct bi_ranks_forest_link link = {c->records, true, c->parent, c->survives, c->flags, c->is_unfinished};
    const struct bi_ranks_forest_renumber renumber = {c->records,  true,    c->parent,
                                                      c->survives, c->next, c->is_unfinished};
    uint32_t last;
    /* 1. Link the components and append the listed edges. 2. Number the roots by a prefix sum. 3. Relabel. */
    BI_TRY(e->steps->forest_link_components(e->ctx, count, &link));
    BI_TRY(list_edges(e, c, first, limit, found));
    BI_TRY(e->core->scan(e->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, c->survives, count, c->survives));
    BI_TRY(e->steps->forest_renumber(e->ctx, count, &renumber));
    BI_TRY(bi_read_back(e->ctx, &last, c->survives + (count - 1), sizeof last));
    c->count = last;
    c->each = bi_div_up(c->count, c->ranks);
    return bi_ranks_emst_relabel(e, c);
}
