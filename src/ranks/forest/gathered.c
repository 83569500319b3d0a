/* Minimum spanning forests over ranks by edges that every rank gathers: fewer exchanges than rounds over ranks
 * (rounds.c), and the rounds of one device.
 *
 * Round 0 is shared: each rank finds its lightest edge of every vertex and lists its light edges, and the records are
 * reduced. All ranks then read the lists of all, and run the same rounds. With two levels each lists the heavy edges
 * between its components of level 0; these numbers differ between ranks, so the listed ends are vertices. Every rank
 * marks the edges of the whole forest and lists its own. */
#include "core/call.h"
#include "ranks/forest/forest.h"

struct gathered_call {
    struct bi_ranks_forest_call *f;
    bosc_ctx *ctx;
    const struct bi_ranks_forest_slice *slice;
    const struct bi_msf_gathered_ops *ops;
    struct bi_msf_gathered g;
    struct bi_ranks_forest_filter filter;
    bosc_status local_status; /* this rank's own, exchanged at the next agreement */
    bool are_shared;          /* kernels can read the lists of all ranks */
};

/* ---- a level ---- */

/* Describes the lists of all ranks; the lengths are exchanged. */
static bosc_status count_edges(struct gathered_call *c, const struct bi_ranks_list *list,
                               struct bi_msf_gathered_lists *lists)
{
    const int32_t ranks = c->f->comm->rank_count;
    int64_t *counts = c->slice->counts, *received = c->slice->received_offsets;
    int64_t *begins = (int64_t *)(c->slice->blocks + 2 * ranks);
    for (int32_t r = 0; r < ranks; r++) counts[r] = list->count;
    BI_TRY(bi_comm_count(c->ctx, c->f->comm, c->local_status, counts, received));
    *lists = (struct bi_msf_gathered_lists){
        .ranks = ranks, .table = (const void *const *)c->slice->blocks, .firsts = c->slice->entry_begins};
    for (int32_t r = 0; r < ranks; r++) {
        begins[r] = lists->count;
        lists->count += received[r];
    }
    begins[ranks] = lists->count;
    return BOSC_OK;
}

/* Gathers the lists of all ranks and runs the rounds of a level. */
static bosc_status run_level(struct gathered_call *c, const struct bi_ranks_list *list, int level)
{
    struct bi_ranks_forest_call *f = c->f;
    const struct bi_exchange x = {.rank_count = f->comm->rank_count, .blocks = (char **)c->slice->blocks};
    struct bi_windows windows = {.access = BI_WINDOW_READ_WHOLE,
                                 .count = 2,
                                 .of = {{.item_size = sizeof *list->keys, .items = list->keys},
                                        {.item_size = sizeof *list->ends, .items = list->ends}}};
    struct bi_msf_gathered_lists lists;
    void *edges = NULL;
    /* 1. Read the lists of all ranks. */
    BI_TRY(count_edges(c, list, &lists));
    c->local_status = bi_scratch_of(c->ctx, lists.count, 16, &edges);
    BI_TRY(bi_exchange_open_windows(c->ctx, f->comm, &c->local_status, &x, &windows));
    c->are_shared = windows.are_shared;
    if (c->are_shared) BI_IF_OK(c->local_status, c->ops->gather(c->ctx, &c->g, &lists, level, edges));
    BI_TRY(bi_exchange_close_windows(c->ctx, f->comm, c->local_status, &x, &windows));
    /* 2. Run the rounds. */
    if (c->are_shared)
        c->local_status =
            c->ops->run_rounds(c->ctx, &c->slice->view, &c->slice->rows.order, &c->g, level, lists.count, edges);
    return BOSC_OK;
}

/* ---- light edges ---- */

/* Chooses this rank's lightest edge of every vertex, and lists its light edges. */
static bosc_status choose_edges(struct gathered_call *c, struct bi_ranks_forest_reduction *reduction,
                                struct bi_ranks_list *light)
{
    const int64_t n = c->slice->view.n;
    BI_TRY(bi_scratch_of(c->ctx, n, 2 * sizeof *reduction->records, &reduction->records));
    BI_TRY(bi_scratch_of(c->ctx, n, sizeof *reduction->others, &reduction->others));
    BI_TRY(bi_scratch_of(c->ctx, n, sizeof *reduction->is_own, &reduction->is_own));
    return bi_ranks_forest_choose_at_vertices(c->ctx, c->slice, &c->filter, reduction->records, light);
}

static bosc_status run_light_level(struct gathered_call *c)
{
    struct bi_ranks_forest_reduction reduction = {.ctx = c->ctx,
                                                  .comm = c->f->comm,
                                                  .components = c->slice->view.n,
                                                  .counts = c->slice->counts,
                                                  .blocks = c->slice->blocks};
    struct bi_ranks_list light = {.count = 0};
    /* 1. The lightest edge of each vertex, of this rank and then of all. */
    BI_IF_OK(c->local_status, choose_edges(c, &reduction, &light));
    BI_TRY(bi_comm_agree(c->ctx, c->f->comm, c->local_status));
    BI_TRY(bi_ranks_forest_reduce_records(&reduction));
    /* 2. Components by these edges. */
    c->g.records = reduction.records;
    c->g.others = reduction.others;
    c->g.is_own = reduction.is_own;
    c->local_status = c->ops->contract(c->ctx, &c->slice->view, &c->slice->rows.order, &c->g);
    /* 3. Rounds over the light edges. */
    return run_level(c, &light, 0);
}

/* ---- heavy edges ---- */

/* Lists this rank's heavy edges between components. */
static bosc_status list_heavy(struct gathered_call *c, struct bi_ranks_list *heavy)
{
    uint32_t *labels;
    BI_TRY(bi_scratch_of(c->ctx, c->slice->view.n, sizeof *labels, &labels));
    BI_TRY(c->ops->list_components(c->ctx, &c->slice->view, &c->g, labels));
    c->filter.labels = labels;
    return bi_ranks_forest_list_heavy(c->ctx, c->slice, &c->filter, heavy);
}

static bosc_status run_heavy_level(struct gathered_call *c)
{
    struct bi_ranks_list heavy = {.count = 0};
    BI_IF_OK(c->local_status, list_heavy(c, &heavy));
    return run_level(c, &heavy, 1);
}

/* ---- all ---- */

static bosc_status run_levels(struct gathered_call *c)
{
    c->g.two_levels = c->filter.has_threshold;
    BI_IF_OK(c->local_status, c->ops->allocate(c->ctx, &c->slice->view, &c->g));
    BI_TRY_WITH_SCRATCH(c->ctx, run_light_level(c));
    if (c->g.two_levels && c->are_shared) BI_TRY_WITH_SCRATCH(c->ctx, run_heavy_level(c));
    return BOSC_OK;
}

/* Lists this rank's edges, and labels the trees if this rank requests labels. */
static bosc_status list_results(struct gathered_call *c, struct bi_msf_found *found)
{
    struct bi_ranks_forest_call *f = c->f;
    if (f->labels) BI_TRY(bi_scratch_of(c->ctx, c->slice->view.n, sizeof *f->tree_of, &f->tree_of));
    return c->ops->finish(c->ctx, &c->slice->view, &c->slice->rows.order, &c->g, found, f->tree_of, &f->info.rounds);
}

/* Scratch of a rank for each vertex, and for each entry of all ranks: an edge of a list, its mark and its key. */
enum { BYTES_OF_VERTEX = 62, BYTES_OF_ENTRY = 21 };

/* True if replicated_bytes admits this scratch. */
static bool has_room(const struct bi_ranks_forest_slice *slice)
{
    const int64_t limit = slice->opts.replicated_bytes;
    return limit == 0 ||
           (double)slice->view.n * BYTES_OF_VERTEX + (double)slice->entries * BYTES_OF_ENTRY <= (double)limit;
}

bosc_status bi_ranks_forest_gather(struct bi_ranks_forest_call *f, bool *is_found)
{
    const struct bi_msf_gathered_ops *ops = f->ctx->ops->forest->gathered;
    struct bi_msf_found found = {.count = 0};
    struct gathered_call c = {.f = f,
                              .ctx = f->ctx,
                              .slice = f->slice,
                              .ops = ops,
                              .g = {.entries = f->slice->entries,
                                    .first = (uint64_t)f->slice->first_entry,
                                    .keys = (f->requests & BI_RANKS_REQUEST_SUM) || f->slice->opts.trees > 0}};
    *is_found = false;
    /* 1. Decide, alike on all ranks. */
    if (f->requests & BI_RANKS_CANNOT_GATHER) return BOSC_OK;
    const int levels = has_room(f->slice) ? ops->levels(f->slice->view.n, f->slice->entries) : 0;
    BI_TRY(bi_comm_find_sharing(f->ctx, f->comm));
    if (levels == 0 || f->comm->sharing < BI_SHARES_ADDRESSES) return BOSC_OK;
    /* 2. Find the forest, unless ranks cannot read each other's lists. */
    if (levels > 1) BI_TRY(bi_ranks_forest_choose_threshold(f->ctx, f->comm, f->slice, BOSC_OK, &c.filter));
    c.filter.lists_vertices = true;
    BI_TRY(run_levels(&c));
    if (!c.are_shared) return bi_comm_agree(f->ctx, f->comm, c.local_status);
    /* 3. Finish it. */
    BI_IF_OK(c.local_status, list_results(&c, &found));
    *is_found = true;
    return bi_ranks_forest_finish_sorted(f, c.local_status, &found);
}
