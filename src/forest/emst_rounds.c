/* Boruvka's rounds over the nearest points of other components. emst.c states the method. */
#include "forest/emst.h"

#include "base/bits.h"
#include "core/call.h"
#include "kdtree/nearest.h"

/* Allocates the arrays of the rounds as scratch of e->ctx, not initialised. Distances are doubles if is_64bit, else
 * floats. */
bosc_status bi_emst_allocate(struct bi_emst_rounds *e)
{
    struct bi_emst *a = &e->args;
    size_t size = a->is_64bit ? 8 : 4;
    /* Neighbour lists. */
    BI_TRY(bi_scratch_of(e->ctx, e->n * a->k, sizeof *a->near, &a->near));
    BI_TRY(bi_scratch_of(e->ctx, e->n * a->k, size, &a->near_dist2));
    /* By point: list position, component, nearest foreign point, search bound and result. */
    BI_TRY(bi_scratch_of(e->ctx, e->n, 1, &a->at));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *a->label, &a->label));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *a->other, &a->other));
    BI_TRY(bi_scratch_of(e->ctx, e->n, size, &a->dist2));
    BI_TRY(bi_scratch_of(e->ctx, e->n, size, &a->bounds));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *e->found, &e->found));
    BI_TRY(bi_scratch_of(e->ctx, e->n, size, &e->found_dist2));
    /* By component: shortest edge, parent, and the list of components with their edges. */
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *a->best, &a->best));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *a->pair, &a->pair));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *a->parent, &a->parent));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *a->roots, &a->roots));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *e->other_roots, &e->other_roots));
    BI_TRY(bi_scratch_of(e->ctx, e->n, 1, &a->joins));
    BI_TRY(bi_scratch_of(e->ctx, e->n, 1, &a->stays));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *a->pairs, &a->pairs));
    BI_TRY(bi_scratch_of(e->ctx, e->n, sizeof *a->words, &a->words));
    BI_TRY(bi_scratch_of(e->ctx, 1, sizeof *a->flag, &a->flag));
    a->found = e->found;
    a->found_dist2 = e->found_dist2;
    a->isolated = UINT32_MAX;
    return bi_scratch_of(e->ctx, 1, sizeof *e->count, &e->count);
}

bosc_status bi_emst_run_flag_step(struct bi_emst_rounds *e, bi_step_fn step, bool *raised)
{
    uint32_t flag;
    BI_TRY(e->ctx->backend->fill(e->ctx, e->args.flag, 0, sizeof flag));
    BI_TRY(step(e->ctx, e->components, &e->args));
    BI_TRY(bi_read_back(e->ctx, &flag, e->args.flag, sizeof flag));
    *raised = flag != 0;
    return BOSC_OK;
}

bosc_status bi_emst_search(struct bi_emst_rounds *e)
{
    const struct bi_kdtree_shared_bounds shared = {e->args.bounds, e->args.dist2, e->args.best};
    bool edgeless;
    BI_TRY(e->steps->emst_set_bounds(e->ctx, e->n, &e->args));
    BI_TRY(bi_kdtree_nearest_other_in(e->ctx, &e->order, &e->blocks, &shared, e->found, e->found_dist2));
    BI_TRY(e->steps->emst_update(e->ctx, e->n, &e->args));
    BI_TRY_WITH_COST(e->ctx, BI_EMST_LOOKUP_ITEMS, e->steps->emst_break_ties(e->ctx, e->n, &e->args));
    BI_TRY(bi_emst_run_flag_step(e, e->steps->emst_find_edgeless, &edgeless));
    return edgeless ? bi_fail(e->ctx, BOSC_ERR_INTERNAL, "a component has no edge to another") : BOSC_OK;
}

/* Finds the shortest edge of every component. Neighbours in the tree's order bound it (Prokopenko, Sao,
 * Lebrun-Grandie, A Single-Tree Algorithm to Compute the Euclidean Minimum Spanning Tree on GPUs, 2022). Each search
 * lowers the bound of its component's other points. */
bosc_status bi_emst_find_shortest(struct bi_emst_rounds *e)
{
    BI_TRY(bi_kdtree_label_blocks(e->ctx, &e->order, e->args.label, &e->blocks));
    BI_TRY(e->steps->emst_clear(e->ctx, e->components, &e->args));
    BI_TRY_WITH_COST(e->ctx, BI_EMST_LOOKUP_ITEMS, e->steps->emst_advance(e->ctx, e->n, &e->args));
    BI_TRY(bi_kdtree_bound_labels(e->ctx, &e->order, &e->blocks, e->args.best));
    return bi_emst_search(e);
}

/* Points every component at its root: each pass follows up to 64 parents, so 8 passes are enough for 2^32 components.
 */
static bosc_status find_roots(struct bi_emst_rounds *e)
{
    bool more = true;
    for (int times = 0; more && times < BI_UF_MAX_ASCENTS; times++)
        BI_TRY(bi_emst_run_flag_step(e, e->steps->emst_ascend, &more));
    return more ? bi_fail(e->ctx, BOSC_ERR_INTERNAL, "the components' edges make a cycle") : BOSC_OK;
}

bosc_status bi_emst_join(struct bi_emst_rounds *e)
{
    const struct bi_core_ops *core = e->ctx->backend->core;
    struct bi_emst *a = &e->args;
    uint32_t *roots = a->roots;
    int64_t added;
    BI_TRY_WITH_COST(e->ctx, BI_EMST_LOOKUP_ITEMS, e->steps->emst_join(e->ctx, e->components, a));
    BI_TRY(core->compact(e->ctx, 8, a->words, a->joins, e->components, e->words + e->edges, e->count));
    BI_TRY(core->compact(e->ctx, 8, a->pairs, a->joins, e->components, e->pairs + e->edges, e->count));
    BI_TRY(bi_read_back(e->ctx, &added, e->count, sizeof added));
    BI_TRY(find_roots(e));
    BI_TRY(e->steps->emst_label(e->ctx, e->n, a));
    BI_TRY(core->compact(e->ctx, sizeof *roots, roots, a->stays, e->components, e->other_roots, e->count));
    a->roots = e->other_roots;
    e->other_roots = roots;
    e->components -= added;
    e->edges += added;
    return BOSC_OK;
}

/* Finds the neighbour lists of the n rows of a tree. */
static bosc_status find_lists(const struct bi_emst_rounds *e, const bosc_kdtree *tree, int64_t n)
{
    const struct bi_emst *a = &e->args;
    const bosc_kdtree_query_opts opts = {.size = sizeof opts, .p = e->p, .self = 1};
    if (!(e->p > 0)) return bosc_kdtree_knn_self(e->ctx, tree, a->k, a->near, a->near_dist2);
    const bosc_status status = bosc_kdtree_knn_metric(e->ctx, tree, NULL, n, 0, a->k, &opts, a->near, a->near_dist2);
    if (status != BOSC_ERR_LIMIT) return status;
    return bi_fail(e->ctx, status, "points: a distance is more than a double holds"); /* the caller has no tree */
}

/* Finds the core distances of kept rows, and scatters them; other rows have 0, as min_samples rows equal them. */
static bosc_status find_kept_cores(struct bi_emst_rounds *e)
{
    struct bi_emst kept = e->args;
    struct bi_kdtree_copies copies;
    bosc_kdtree *tree;
    BI_TRY(bi_emst_keep_rows(e->ctx, e->tree, kept.k, &copies));
    BI_TRY(bi_scratch_of(e->ctx, copies.kept, kept.is_64bit ? 8 : 4, &kept.core));
    BI_TRY(bi_kdtree_build_kept(e->ctx, e->tree, &copies, &tree));
    const bosc_status status = find_lists(e, tree, copies.kept);
    bosc_kdtree_free(tree);
    if (status != BOSC_OK) return status;
    const struct bi_emst_move_core scatter = {copies.kept_rows, kept.core, e->args.core, kept.is_64bit};
    BI_TRY(e->steps->emst_find_core(e->ctx, copies.kept, &kept));
    BI_TRY(e->ctx->backend->fill(e->ctx, e->args.core, 0, (size_t)e->n * (kept.is_64bit ? 8 : 4)));
    return e->steps->emst_scatter_core(e->ctx, copies.kept, &scatter);
}

bosc_status bi_emst_find_cores(struct bi_emst_rounds *e)
{
    bool many;
    BI_TRY(bi_scratch_of(e->ctx, e->n, e->args.is_64bit ? 8 : 4, &e->args.core));
    BI_TRY(bi_kdtree_has_many_copies(e->ctx, e->tree, &many));
    if (many) {
        BI_TRY_WITH_SCRATCH(e->ctx, find_kept_cores(e));
    } else {
        BI_TRY(find_lists(e, e->tree, e->n));
        BI_TRY(e->steps->emst_find_core(e->ctx, e->n, &e->args));
    }
    return bi_kdtree_set_cores(e->ctx, &e->order, e->args.core, &e->blocks);
}

/* Finds the core distances, and replaces the distances of lists and boxes by those under mutual reachability. */
static bosc_status set_cores(struct bi_emst_rounds *e)
{
    if (!e->has_cores) BI_TRY(e->steps->emst_find_core(e->ctx, e->n, &e->args));
    BI_TRY_WITH_COST(e->ctx, BI_EMST_LOOKUP_ITEMS, e->steps->emst_sort_mutual(e->ctx, e->n, &e->args));
    return bi_kdtree_set_cores(e->ctx, &e->order, e->args.core, &e->blocks);
}

/* Finds the core distances alone. */
static bosc_status find_cores_alone(struct bi_emst_rounds *e)
{
    struct bi_emst_rounds lists = *e;
    struct bi_emst *a = &lists.args;
    a->k = a->core_at + 1;
    BI_TRY(bi_scratch_of(e->ctx, e->n * a->k, sizeof *a->near, &a->near));
    BI_TRY(bi_scratch_of(e->ctx, e->n * a->k, a->is_64bit ? 8 : 4, &a->near_dist2));
    BI_TRY(find_lists(&lists, e->tree, e->n));
    return e->steps->emst_find_core(e->ctx, e->n, a);
}

/* Finds the edges by the backend's method for many dimensions, if it prefers that: *is_grown. */
static bosc_status grow_by_prim(struct bi_emst_rounds *e, bool *is_grown)
{
    const struct bi_forest_ops *ops = e->ctx->ops->forest;
    const bosc_kdtree_opts *o = &e->tree->opts;
    struct bi_emst_prim args = {
        .n = e->n, .dim = o->dim, .is_64bit = e->args.is_64bit, .pairs = e->pairs, .words = e->words};
    struct bi_kdtree_rows rows = {NULL, e->n, o->dim};
    *is_grown = false;
    if (!ops->grow_tree || e->p > 0 || (o->dtype != BOSC_F32 && o->dtype != BOSC_F64)) return BOSC_OK;
    if (!ops->admits_prim(e->n, o->dim)) return BOSC_OK;
    /* 1. Sample the points. */
    BI_TRY(bi_kdtree_own_rows(e->ctx, e->tree, &rows));
    args.rows = rows.data;
    BI_TRY_WITH_SCRATCH(e->ctx, ops->prefers_prim(e->ctx, &args, is_grown));
    if (!*is_grown) return BOSC_OK;
    /* 2. Find the core distances, as no search for lists follows that would find them. 3. Grow the tree. */
    if (e->mutual && !e->has_cores) BI_TRY_WITH_SCRATCH(e->ctx, find_cores_alone(e));
    if (e->mutual) args.core = e->args.core;
    return ops->grow_tree(e->ctx, &args);
}

bosc_status bi_emst_find_edges(struct bi_emst_rounds *e)
{
    bool is_grown;
    BI_TRY_WITH_SCRATCH(e->ctx, grow_by_prim(e, &is_grown));
    if (is_grown) return BOSC_OK;
    BI_TRY(bi_emst_allocate(e));
    BI_TRY(find_lists(e, e->tree, e->n));
    BI_TRY(bi_kdtree_order_nodes(e->ctx, e->tree, &e->order));
    BI_TRY(bi_kdtree_make_labelled_blocks(e->ctx, &e->order, &e->blocks));
    e->blocks.p = e->p;
    if (e->mutual) BI_TRY(set_cores(e));
    BI_TRY(e->steps->emst_init_points(e->ctx, e->n, &e->args));
    e->components = e->n;
    while (e->components > 1) {
        BI_TRY(bi_emst_find_shortest(e));
        BI_TRY(bi_emst_join(e));
    }
    return BOSC_OK;
}
