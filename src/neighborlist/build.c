/* Builds a neighbour list: axes of the systems, bins of atoms, one sort, then two searches around every atom, which
 * count and fill the rows. Small systems are searched without bins and sort, where the backend can. */
#include "neighborlist/handle.h"
#include "neighborlist/steps/steps.h"

/* Cost of a search in simple items, for progress; estimated. */
enum { SEARCH_COST = 64 };

/* Stages the caller's arrays. */
static bosc_status stage_systems(bosc_ctx *ctx, struct bi_neighborlist_input *in)
{
    bool staged = false;
    const size_t size = in->is_f64 ? sizeof(double) : sizeof(float), systems = (size_t)in->system_count;
    const size_t elements = in->n ? (size_t)((in->n - 1) * in->stride + BI_NEIGHBORLIST_DIM) : 0;
    const void *offsets = in->offsets, *cells = in->cells, *periodic = in->periodic;
    BI_TRY(bi_stage_in(ctx, in->positions, elements * size, &in->positions, &staged));
    if (offsets) BI_TRY(bi_stage_in(ctx, offsets, (systems + 1) * sizeof *in->offsets, &offsets, &staged));
    if (cells) BI_TRY(bi_stage_in(ctx, cells, systems * 9 * sizeof *in->cells, &cells, &staged));
    if (periodic) BI_TRY(bi_stage_in(ctx, periodic, systems * 3, &periodic, &staged));
    in->offsets = offsets;
    in->cells = cells;
    in->periodic = periodic;
    return BOSC_OK;
}

/* Reads systems and atoms, shapes the bins, and finds the first bin of each system. */
static bosc_status read_systems(bosc_ctx *ctx, const struct bi_neighborlist_frames *frames)
{
    const struct bi_neighborlist_steps *steps = ctx->ops->neighborlist->steps;
    const int64_t n = frames->input.n, systems = frames->input.system_count;
    BI_TRY(ctx->backend->fill(ctx, frames->found, 0xff, BI_NEIGHBORLIST_FOUND * sizeof *frames->found));
    BI_TRY(steps->frame(ctx, systems, frames));
    if (n > 0) BI_TRY(steps->read_atom(ctx, n, frames));
    BI_TRY(steps->shape_bins(ctx, systems, frames));
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, frames->bin_count, systems,
                                    frames->bin_count);
}

/* Sorts the atoms by bin, and finds the start of each bin. */
static bosc_status sort_atoms(bosc_ctx *ctx, struct bi_neighborlist_bins *bins)
{
    const struct bi_neighborlist_steps *steps = ctx->ops->neighborlist->steps;
    const int64_t n = bins->view.n, most = n + bins->view.system_count;
    /* 1. Bins of the atoms. */
    BI_TRY(bi_scratch_of(ctx, most + 1, sizeof *bins->starts, &bins->starts));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *bins->keys, &bins->keys));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *bins->ids, &bins->ids));
    BI_TRY(bi_scratch_of(ctx, n + BI_NEIGHBORLIST_PADDING, sizeof *bins->x, &bins->x));
    BI_TRY(bi_scratch_of(ctx, n + BI_NEIGHBORLIST_PADDING, sizeof *bins->y, &bins->y));
    BI_TRY(bi_scratch_of(ctx, n + BI_NEIGHBORLIST_PADDING, sizeof *bins->z, &bins->z));
    BI_TRY(steps->bin(ctx, n, bins));
    /* 2. Sort; starts. */
    BI_TRY_WITH_SCRATCH(ctx, ctx->backend->core->sort_pairs(ctx, BOSC_U32, bins->keys, sizeof *bins->ids, bins->ids, n,
                                                            bins->keys, bins->ids, 0, bi_bit_length((uint64_t)most)));
    BI_TRY(ctx->backend->fill(ctx, bins->starts, 0, (size_t)(most + 1) * sizeof *bins->starts));
    BI_TRY(steps->mark_bin_end(ctx, n, bins));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, bins->starts, most + 1, bins->starts));
    /* 3. Positions in the sorted order. */
    return steps->gather(ctx, n, bins);
}

static bosc_status report_bad_input(bosc_ctx *ctx, const bosc_neighborlist *list, const uint64_t *found)
{
    const double cutoff = list->opts.cutoff + list->opts.skin;
    const uint64_t bad = found[BI_NEIGHBORLIST_BAD_SYSTEM]; /* as bi_step_frame writes it */
    if (bad != UINT64_MAX && bad % 2 == 0)
        return bi_fail(ctx, BOSC_ERR_DATA, "systems: the offsets of system %llu do not ascend from 0 to n",
                       (unsigned long long)bad / 2);
    if (bad != UINT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA,
                       "systems: the periodic vectors of system %llu are 0, not finite or nearly dependent",
                       (unsigned long long)bad / 2);
    if (found[BI_NEIGHBORLIST_BAD_ATOM] != UINT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "positions: row %llu is not finite, above 2^300 or 2^20 cells away",
                       (unsigned long long)found[BI_NEIGHBORLIST_BAD_ATOM]);
    if (found[BI_NEIGHBORLIST_BAD_IMAGES] != UINT64_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "cutoff: %g is more than %d times the height of the cell of system %llu",
                       cutoff, (int)BI_NEIGHBORLIST_IMAGES, (unsigned long long)found[BI_NEIGHBORLIST_BAD_IMAGES]);
    return BOSC_OK;
}

/* Counts the rows, reserves their entries, and fills them. */
static bosc_status search(bosc_ctx *ctx, bosc_neighborlist *list, const struct bi_neighborlist_bins *bins,
                          uint64_t *found)
{
    const struct bi_neighborlist_ops *ops = ctx->ops->neighborlist;
    struct bi_neighborlist_view *v = &list->view;
    const int64_t n = bins->view.n;
    int64_t words[1 + BI_NEIGHBORLIST_FOUND]; /* the last offset, and the words behind it */
    struct bi_neighborlist_search search = {.view = bins->view,
                                            .square = bi_neighborlist_square(list->opts.cutoff + list->opts.skin),
                                            .half = list->opts.half != 0,
                                            .first_bin = bins->first_bin,
                                            .ids = bins->ids,
                                            .starts = bins->starts,
                                            .x = bins->x,
                                            .y = bins->y,
                                            .z = bins->z,
                                            .found = found};
    /* 1. Count. */
    BI_TRY_WITH_COST(ctx, SEARCH_COST, ops->count_rows(ctx, n, &search));
    BI_TRY(ctx->backend->fill(ctx, v->offsets + n, 0, sizeof *v->offsets));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, v->offsets, n + 1, v->offsets));
    BI_TRY(bi_read_back(ctx, words, v->offsets + n, sizeof words));
    BI_TRY(report_bad_input(ctx, list, (const uint64_t *)(words + 1)));
    /* 2. Fill. */
    BI_TRY(bi_neighborlist_reserve_entries(ctx, list, words[0]));
    search.view = *v;
    search.view.n = n;
    BI_TRY_WITH_COST(ctx, SEARCH_COST, ops->fill_rows(ctx, n, &search));
    v->pairs = words[0];
    return BOSC_OK;
}

/* ---- small systems ---- */

/* True if the backend has a search for systems of such a mean size. */
static bool are_small(const struct bi_neighborlist_ops *ops, const struct bi_neighborlist_input *in)
{
    if (!ops->count_systems) return false;
    if (in->system_count == 1) return in->n <= ops->small_system;
    return in->n / in->system_count < ops->small_system / 2; /* the largest of many is mostly below twice the mean */
}

/* Builds without bins. Fills the memory of earlier entries without a wait for the number of pairs, and again if it was
 * too small. *built: false if a system was too large. */
static bosc_status build_small(bosc_ctx *ctx, bosc_neighborlist *list, const struct bi_neighborlist_frames *frames,
                               bool *built)
{
    const struct bi_neighborlist_ops *ops = ctx->ops->neighborlist;
    struct bi_neighborlist_view *v = &list->view;
    const int64_t n = frames->input.n;
    int64_t words[1 + BI_NEIGHBORLIST_FOUND]; /* the last offset, and the words behind it */
    struct bi_neighborlist_small small = {.frames = *frames,
                                          .square = bi_neighborlist_square(frames->cutoff),
                                          .capacity = (int64_t)(list->entries.bytes / sizeof *v->entries),
                                          .half = list->opts.half != 0};
    /* 1. Count. */
    BI_TRY(ctx->backend->fill(ctx, frames->found, 0xff, BI_NEIGHBORLIST_FOUND * sizeof *frames->found));
    BI_TRY(ops->count_systems(ctx, &small));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, v->offsets, n + 1, v->offsets));
    /* 2. Fill, and read the number of pairs. */
    if (small.capacity > 0) BI_TRY(ops->fill_systems(ctx, &small));
    BI_TRY(bi_read_back(ctx, words, v->offsets + n, sizeof words));
    *built = words[1 + BI_NEIGHBORLIST_TOO_LARGE] == -1;
    if (!*built) return BOSC_OK;
    BI_TRY(report_bad_input(ctx, list, (const uint64_t *)(words + 1)));
    if (words[0] > small.capacity) {
        BI_TRY(bi_neighborlist_reserve_entries(ctx, list, words[0]));
        small.frames.view.entries = v->entries;
        small.capacity = words[0];
        BI_TRY(ops->fill_systems(ctx, &small));
    }
    v->pairs = words[0];
    return BOSC_OK;
}

/* Builds from systems that may become staged copies. The view's sizes are set last. */
static bosc_status build_staged(bosc_ctx *ctx, bosc_neighborlist *list, struct bi_neighborlist_input *in)
{
    struct bi_neighborlist_view *v = &list->view;
    struct bi_neighborlist_frames frames = {.cutoff = list->opts.cutoff + list->opts.skin,
                                            .bins_per_cutoff = ctx->ops->neighborlist->bins_per_cutoff};
    bool built = false;
    BI_TRY(stage_systems(ctx, in));
    BI_TRY(bi_neighborlist_reserve_atoms(ctx, list, in->n, in->system_count));
    frames.input = *in;
    frames.view = *v;
    frames.view.n = in->n;
    frames.view.system_count = in->system_count;
    frames.found = (uint64_t *)(v->offsets + in->n + 1);
    BI_TRY(bi_scratch_of(ctx, in->system_count + 1, sizeof *frames.bin_count, &frames.bin_count));
    if (are_small(ctx->ops->neighborlist, in)) BI_TRY(build_small(ctx, list, &frames, &built));
    if (!built) {
        BI_TRY(read_systems(ctx, &frames));
        struct bi_neighborlist_bins bins = {.view = frames.view, .first_bin = frames.bin_count};
        if (in->n > 0) BI_TRY(sort_atoms(ctx, &bins));
        BI_TRY(search(ctx, list, &bins, frames.found));
    }
    v->n = in->n;
    v->system_count = in->system_count;
    list->moved = false;
    return BOSC_OK;
}

static bosc_status build_or_clear(bosc_ctx *ctx, bosc_neighborlist *list, struct bi_neighborlist_input *in)
{
    struct bi_neighborlist_view *v = &list->view;
    v->n = v->system_count = v->pairs = 0;
    bosc_status status = build_staged(ctx, list, in);
    if (status != BOSC_OK) v->n = v->system_count = v->pairs = 0;
    return status;
}

bosc_status bosc_neighborlist_build(bosc_ctx *ctx, bosc_neighborlist *list, const bosc_neighborlist_systems *systems)
{
    struct bi_neighborlist_input in;
    BI_ENTER(ctx);
    BI_TRY(bi_neighborlist_check(ctx, list));
    BI_TRY(bi_neighborlist_check_systems(ctx, list, systems, &in));
    bi_progress_set_total(ctx, (2 * SEARCH_COST + 16) * (double)in.n);
    BI_RETURN_WITH_SCRATCH(ctx, build_or_clear(ctx, list, &in));
}

/* ---- moves ---- */

/* Replaces the positions, unless one is too far from that of the build. */
static bosc_status move_atoms(bosc_ctx *ctx, bosc_neighborlist *list, struct bi_neighborlist_move *move,
                              int32_t *needs_build)
{
    const struct bi_neighborlist_steps *steps = ctx->ops->neighborlist->steps;
    const int64_t n = list->view.n;
    bool staged = false;
    uint32_t far;
    const size_t size = move->input.is_f64 ? sizeof(double) : sizeof(float);
    BI_TRY(bi_stage_in(ctx, move->input.positions, (size_t)((n - 1) * move->input.stride + BI_NEIGHBORLIST_DIM) * size,
                       &move->input.positions, &staged));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *move->far, &move->far));
    BI_TRY(ctx->backend->fill(ctx, move->far, 0, sizeof *move->far));
    BI_TRY(steps->check_move(ctx, n, move));
    BI_TRY(bi_read_back(ctx, &far, move->far, sizeof far));
    if (far == 0) {
        BI_TRY_UNINTERRUPTIBLE(ctx, steps->move(ctx, n, move));
        list->moved = true;
        if (staged) BI_TRY(ctx->backend->sync(ctx));
    }
    *needs_build = far != 0;
    return BOSC_OK;
}

bosc_status bosc_neighborlist_move(bosc_ctx *ctx, bosc_neighborlist *list, const void *positions, int64_t stride,
                                   int32_t *needs_build)
{
    BI_ENTER(ctx);
    BI_TRY(bi_neighborlist_check(ctx, list));
    BI_TRY(bi_neighborlist_check_positions(ctx, list, positions, list->view.n, &stride));
    if (!needs_build) return bi_fail(ctx, BOSC_ERR_ARG, "needs_build: NULL");
    struct bi_neighborlist_move move = {
        .view = list->view, .half_skin = list->opts.skin / 2, .range = list->opts.cutoff + list->opts.skin};
    move.input = (struct bi_neighborlist_input){
        .positions = positions, .n = list->view.n, .stride = stride, .is_f64 = list->opts.dtype == BOSC_F64};
    bi_progress_set_total(ctx, 2 * (double)list->view.n);
    if (list->view.n == 0) *needs_build = 0;
    if (list->view.n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, move_atoms(ctx, list, &move, needs_build));
}
