/* Handles of k-d trees over ranks: creation, release, information, and staging of points. */
#include "core/check.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/exchange/slices.h"
#include "ranks/steps/steps.h"

bosc_status bi_ranks_kdtree_check(bosc_ctx *ctx, const bosc_ranks_kdtree *tree)
{
    return bi_check_handle(ctx, "tree", tree ? &tree->memory : NULL);
}

bool bi_ranks_kdtree_may_have_nan(const bosc_ranks_kdtree *tree)
{
    return !tree->opts.assume_valid && (tree->opts.dtype == BOSC_F32 || tree->opts.dtype == BOSC_F64);
}

bosc_status bi_ranks_kdtree_stage(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const char *array, int64_t row_begin,
                                  bool checks_nan, struct bi_kdtree_rows *rows)
{
    const bosc_kdtree_opts *o = &tree->opts;
    struct bi_kdtree_findings found;
    bool staged;
    if (rows->n == 0) return BOSC_OK;
    const size_t bytes = (size_t)((rows->n - 1) * rows->stride + o->dim) * bosc_dtype_size(o->dtype);
    BI_TRY(bi_stage_in(ctx, rows->data, bytes, &rows->data, &staged));
    if (!checks_nan) return BOSC_OK;
    BI_TRY(ctx->ops->kdtree->find_beyond(ctx, o->dtype, o->dim, rows, (double)INFINITY, &found));
    if (found.beyond == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds a NaN", array, (long long)(row_begin + found.beyond));
}

/* ---- create and free ---- */

/* True for the published build, in which each rank sorts its share of the points. */
static bool is_published(const bosc_kdtree_opts *o) { return o->builder == BOSC_KDTREE_BROWN && o->sort_halves; }

bosc_status bi_ranks_kdtree_check_opts(bosc_ctx *ctx, const bosc_comm *comm, const bosc_kdtree_opts *opts,
                                       bosc_kdtree_opts *full)
{
    BI_TRY(bi_kdtree_check_opts(ctx, opts, full));
    const int32_t ranks = comm->rank_count;
    if (!is_published(full) || (ranks > 1 && (ranks & (ranks - 1)) == 0)) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "opts: sort_halves: %d ranks are not 2, 4, 8, ...", (int)ranks);
}

bosc_status bi_ranks_kdtree_check_total(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const char *argument,
                                        int64_t total)
{
    if (total < (int64_t)UINT32_MAX || (opts->id_bits != 32 && !opts->full_coordinates)) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld points of all ranks; %s name less than 2^32 - 1", argument,
                   (long long)total, opts->id_bits == 32 ? "ids of 32 bits" : "ranks with full_coordinates");
}

static bosc_status check_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const bosc_kdtree_opts *o)
{
    const struct bi_ranks_argument shared[] = {{"opts: dtype", o->dtype},
                                               {"opts: dim", o->dim},
                                               {"opts: duplicates", o->duplicates},
                                               {"opts: id_bits", o->id_bits},
                                               {"opts: sort_halves", is_published(o)},
                                               {"opts: full_coordinates", o->full_coordinates != 0}};
    return bi_ranks_check_same(ctx, comm, local_status, shared, 6);
}

bosc_kdtree_opts bi_ranks_kdtree_shard_opts(const bosc_kdtree_opts *opts)
{
    bosc_kdtree_opts shard = *opts;
    shard.duplicates = BOSC_KDTREE_DUPLICATES_KEEP;
    shard.id_bits = 32;
    shard.full_coordinates = 0;
    if (is_published(opts)) shard.builder = BOSC_KDTREE_AUTO;
    return shard;
}

/* Allocates the handle and its trees; `side` and `root` for the published build only. */
static bosc_status allocate_tree(bosc_ctx *ctx, bosc_comm *comm, const bosc_kdtree_opts *opts, bosc_ranks_kdtree **tree)
{
    const bosc_kdtree_opts shard = bi_ranks_kdtree_shard_opts(opts);
    bosc_kdtree_opts side = shard;
    side.builder = BOSC_KDTREE_BROWN;
    side.sort_halves = 0;
    bosc_ranks_kdtree *fresh;
    BI_TRY(BI_NEW_HANDLE(ctx, &fresh, .comm = comm, .opts = *opts));
    bosc_status status = bosc_kdtree_create(ctx, &shard, &fresh->shard);
    if (status == BOSC_OK && is_published(opts)) status = bosc_kdtree_create(ctx, &side, &fresh->side);
    if (status == BOSC_OK && is_published(opts)) status = bosc_kdtree_create(ctx, &shard, &fresh->root);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_ranks_kdtree_free(fresh);
    return status;
}

bosc_status bosc_ranks_kdtree_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_kdtree_opts *opts,
                                     bosc_ranks_kdtree **tree)
{
    bosc_kdtree_opts full = {0};
    bosc_ranks_kdtree *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = bi_ranks_kdtree_check_opts(ctx, comm, opts, &full);
    if (local_status == BOSC_OK && !tree) local_status = bi_fail(ctx, BOSC_ERR_ARG, "tree: NULL");
    BI_TRY(check_same(ctx, comm, local_status, &full));
    bosc_status status = bi_comm_agree(ctx, comm, allocate_tree(ctx, comm, &full, &fresh));
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_ranks_kdtree_free(fresh);
    return status;
}

void bosc_ranks_kdtree_free(bosc_ranks_kdtree *tree)
{
    if (!tree) return;
    bosc_kdtree_free(tree->shard);
    bosc_kdtree_free(tree->side);
    bosc_kdtree_free(tree->root);
    bi_block_free(&tree->memory, &tree->ids);
    bi_block_free(&tree->memory, &tree->cuts);
    bi_block_free(&tree->memory, &tree->boxes);
    bi_block_free(&tree->memory, &tree->subtree_boxes);
    bi_block_free(&tree->memory, &tree->representative_ids);
    bi_memory_release(&tree->host, tree, sizeof *tree);
}

bosc_status bosc_ranks_kdtree_get_info(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_ranks_kdtree_info *info)
{
    bosc_kdtree_info shard = {.size = sizeof shard}, side = {.size = sizeof side}, root = {.size = sizeof root};
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_ranks_kdtree_info));
    BI_TRY(bosc_kdtree_get_info(ctx, tree->shard, &shard));
    if (tree->side) BI_TRY(bosc_kdtree_get_info(ctx, tree->side, &side));
    if (tree->root) BI_TRY(bosc_kdtree_get_info(ctx, tree->root, &root));
    const bosc_ranks_kdtree_info full = {.n = tree->n,
                                         .nodes = tree->nodes,
                                         .begin = tree->begin,
                                         .end = tree->end,
                                         .first_row = tree->row_begin,
                                         .own_n = tree->input_count,
                                         .dim = tree->opts.dim,
                                         .depth = bi_kdtree_depth(tree->nodes),
                                         .dtype = tree->opts.dtype,
                                         .id_bits = tree->opts.id_bits,
                                         .bytes =
                                             shard.bytes + side.bytes + root.bytes +
                                             (int64_t)(tree->ids.bytes + tree->cuts.bytes + tree->boxes.bytes +
                                                       tree->subtree_boxes.bytes + tree->representative_ids.bytes)};
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

bosc_status bosc_ranks_kdtree_get_times(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_ranks_kdtree_times *times)
{
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    if (!times) return bi_fail(ctx, BOSC_ERR_ARG, "times: NULL");
    BI_TRY(bi_check_info(ctx, "times", "bosc_ranks_kdtree_times", times->size, sizeof *times));
    bosc_ranks_kdtree_times full = {.init = tree->times.init,
                                    .sort = tree->times.sort,
                                    .pivot = tree->times.pivot,
                                    .merge = tree->times.merge,
                                    .deduplicate = tree->times.deduplicate,
                                    .build = tree->times.build,
                                    .shard = tree->times.shard};
    __atomic_load(&((bosc_ranks_kdtree *)tree)->times.verify, &full.verify, __ATOMIC_RELAXED);
    bi_copy_info(times, &full, sizeof full);
    return BOSC_OK;
}
