/* The handle of neighbour lists: options, checks, memory and info. */
#include "neighborlist/handle.h"

#include <string.h>

#define MAX_LENGTH 0x1p300
#define MIN_LENGTH 0x1p-300

enum { SYSTEMS, ATOMS, SYSTEM_OF, BUILT_AT, OFFSETS, ENTRIES, BLOCKS };

bosc_status bi_neighborlist_check(bosc_ctx *ctx, const bosc_neighborlist *list)
{
    return bi_check_handle(ctx, "list", list ? &list->memory : NULL);
}

static bosc_status check_opts(bosc_ctx *ctx, const bosc_neighborlist_opts *opts, bosc_neighborlist_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL");
    BI_TRY(bi_read_opts(ctx, "bosc_neighborlist_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->dtype != BOSC_F32 && full->dtype != BOSC_F64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is neither F32 nor F64", (int)full->dtype);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    if (!(full->cutoff >= MIN_LENGTH) || full->cutoff > MAX_LENGTH)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: cutoff %g is not from 2^-300 to 2^300", full->cutoff);
    if (!(full->skin >= 0) || full->skin > MAX_LENGTH)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: skin %g is not from 0 to 2^300", full->skin);
    if (full->reserved) return bi_fail(ctx, BOSC_ERR_ARG, "opts: reserved %d is not 0", (int)full->reserved);
    return BOSC_OK;
}

bosc_status bosc_neighborlist_create(bosc_ctx *ctx, const bosc_neighborlist_opts *opts, bosc_neighborlist **list)
{
    bosc_neighborlist_opts full;
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    if (!list) return bi_fail(ctx, BOSC_ERR_ARG, "list: NULL");
    return BI_NEW_HANDLE(ctx, list, .opts = full);
}

void bosc_neighborlist_free(bosc_neighborlist *list)
{
    if (!list) return;
    struct bi_block *const blocks[BLOCKS] = {&list->systems,  &list->atoms,   &list->system_of,
                                             &list->built_at, &list->offsets, &list->entries};
    for (int b = 0; b < BLOCKS; b++) bi_block_free(&list->memory, blocks[b]);
    bi_memory_release(&list->host, list, sizeof *list);
}

/* ---- checks of arguments ---- */

static bosc_status check_sizes(bosc_ctx *ctx, int64_t n, int64_t system_count)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (system_count < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "system_count: %lld is less than 0", (long long)system_count);
    if (n >= (int64_t)UINT32_MAX || system_count >= (int64_t)UINT32_MAX - n)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld atoms and %lld systems; a list holds less than 2^32 - 1",
                       (long long)n, (long long)system_count);
    return BOSC_OK;
}

bosc_status bi_neighborlist_check_positions(bosc_ctx *ctx, const bosc_neighborlist *list, const void *positions,
                                            int64_t n, int64_t *stride)
{
    if (n > 0 && !positions) return bi_fail(ctx, BOSC_ERR_ARG, "positions: NULL");
    BI_TRY(bi_check_aligned(ctx, "positions", positions, bosc_dtype_size(list->opts.dtype)));
    if (*stride == 0) *stride = BI_NEIGHBORLIST_DIM;
    if (*stride < BI_NEIGHBORLIST_DIM)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than 3", (long long)*stride);
    if (n > 0 && *stride > INT64_MAX / 16 / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld: more than memory can hold", (long long)*stride);
    return BOSC_OK;
}

bosc_status bi_neighborlist_check_systems(bosc_ctx *ctx, const bosc_neighborlist *list,
                                          const bosc_neighborlist_systems *systems, struct bi_neighborlist_input *input)
{
    bosc_neighborlist_systems s = {0};
    if (!systems) return bi_fail(ctx, BOSC_ERR_ARG, "systems: NULL");
    /* 1. Sizes. */
    BI_TRY(bi_check_size(ctx, "systems", "bosc_neighborlist_systems", systems->size, sizeof s));
    memcpy(&s, systems, systems->size);
    if (s.system_count == 0) s.system_count = 1;
    BI_TRY(check_sizes(ctx, s.n, s.system_count));
    BI_TRY(bi_neighborlist_check_positions(ctx, list, s.positions, s.n, &s.stride));
    /* 2. Arrays. */
    if (!s.offsets && s.system_count > 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: NULL, but there are %lld systems", (long long)s.system_count);
    BI_TRY(bi_check_aligned(ctx, "offsets", s.offsets, sizeof *s.offsets));
    BI_TRY(bi_check_aligned(ctx, "cells", s.cells, sizeof *s.cells));
    if (s.periodic && !s.cells) return bi_fail(ctx, BOSC_ERR_ARG, "periodic: without cells");
    *input = (struct bi_neighborlist_input){.positions = s.positions,
                                            .offsets = s.offsets,
                                            .cells = s.cells,
                                            .periodic = s.periodic,
                                            .n = s.n,
                                            .stride = s.stride,
                                            .system_count = s.system_count,
                                            .is_f64 = list->opts.dtype == BOSC_F64};
    return BOSC_OK;
}

/* ---- memory ---- */

static void size_blocks(const bosc_neighborlist_opts *o, int64_t n, int64_t system_count, int64_t pairs,
                        size_t bytes[BLOCKS])
{
    bytes[SYSTEMS] = (size_t)system_count * sizeof(struct bi_neighborlist_system);
    bytes[ATOMS] = (size_t)n * sizeof(struct bi_neighborlist_atom);
    bytes[SYSTEM_OF] = (size_t)n * sizeof(uint32_t);
    bytes[BUILT_AT] = o->skin > 0 ? (size_t)n * BI_NEIGHBORLIST_DIM * sizeof(double) : 0;
    bytes[OFFSETS] = (size_t)(n + 1 + BI_NEIGHBORLIST_FOUND) * sizeof(int64_t);
    bytes[ENTRIES] = (size_t)pairs * sizeof(uint64_t);
}

static void set_view_blocks(bosc_neighborlist *list)
{
    struct bi_neighborlist_view *v = &list->view;
    v->systems = list->systems.data;
    v->atoms = list->atoms.data;
    v->system_of = list->system_of.data;
    v->built_at = list->built_at.data;
    v->offsets = list->offsets.data;
    v->entries = list->entries.data;
}

bosc_status bi_neighborlist_reserve_atoms(bosc_ctx *ctx, bosc_neighborlist *list, int64_t n, int64_t system_count)
{
    size_t bytes[BLOCKS];
    struct bi_block *const blocks[ENTRIES] = {&list->systems, &list->atoms, &list->system_of, &list->built_at,
                                              &list->offsets};
    size_blocks(&list->opts, n, system_count, 0, bytes);
    for (int b = 0; b < ENTRIES; b++) BI_TRY(bi_block_reserve(ctx, &list->memory, blocks[b], bytes[b]));
    set_view_blocks(list);
    return BOSC_OK;
}

bosc_status bi_neighborlist_reserve_entries(bosc_ctx *ctx, bosc_neighborlist *list, int64_t pairs)
{
    if (pairs > BI_NEIGHBORLIST_MAX_PAIRS)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "out of memory: %lld pairs are more than memory can hold",
                       (long long)pairs);
    BI_TRY(bi_block_reserve(ctx, &list->memory, &list->entries, (size_t)pairs * sizeof(uint64_t)));
    set_view_blocks(list);
    return BOSC_OK;
}

/* Scratch of a build, in the order of allocation: copies of the caller's arrays, then per atom keys and numbers, sorted
 * and not, positions in float, and a sort; per bin a word. SLACK: each array is rounded up to 256 bytes. */
static int64_t size_scratch(const bosc_ctx *ctx, const bosc_neighborlist_opts *o, int64_t n, int64_t system_count)
{
    enum { SLACK = 1 << 20, THREAD_BYTES = 1 << 18, ATOM_BYTES = 16 + 12 + 17, BIN_BYTES = 5 };
    const int64_t staged = 3 * n * (int64_t)bosc_dtype_size(o->dtype) + 83 * (system_count + 1);
    return staged + n * ATOM_BYTES + (n + 2 * system_count) * BIN_BYTES + SLACK + (int64_t)ctx->threads * THREAD_BYTES;
}

static bosc_status check_pairs(bosc_ctx *ctx, int64_t pairs)
{
    if (pairs < 0) return bi_fail(ctx, BOSC_ERR_ARG, "pairs: %lld is less than 0", (long long)pairs);
    if (pairs > BI_NEIGHBORLIST_MAX_PAIRS)
        return bi_fail(ctx, BOSC_ERR_ARG, "pairs: %lld are more than memory can hold", (long long)pairs);
    return BOSC_OK;
}

bosc_status bosc_neighborlist_bytes(bosc_ctx *ctx, const bosc_neighborlist_opts *opts, int64_t n, int64_t system_count,
                                    int64_t pairs, int64_t *kept, int64_t *scratch)
{
    bosc_neighborlist_opts full;
    size_t bytes[BLOCKS], total = 0;
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    BI_TRY(check_sizes(ctx, n, system_count));
    BI_TRY(check_pairs(ctx, pairs));
    size_blocks(&full, n, system_count, pairs, bytes);
    for (int b = 0; b < BLOCKS; b++) total += bytes[b];
    if (kept) *kept = (int64_t)total;
    if (scratch) *scratch = size_scratch(ctx, &full, n, system_count);
    return BOSC_OK;
}

bosc_status bosc_neighborlist_reserve(bosc_ctx *ctx, bosc_neighborlist *list, int64_t n, int64_t system_count,
                                      int64_t pairs)
{
    size_t bytes[BLOCKS], used[BLOCKS];
    void *scratch;
    BI_ENTER(ctx);
    BI_TRY(bi_neighborlist_check(ctx, list));
    BI_TRY(check_sizes(ctx, n, system_count));
    BI_TRY(check_pairs(ctx, pairs));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)size_scratch(ctx, &list->opts, n, system_count), &scratch));
    struct bi_block *const blocks[BLOCKS] = {&list->systems,  &list->atoms,   &list->system_of,
                                             &list->built_at, &list->offsets, &list->entries};
    const struct bi_neighborlist_view *v = &list->view;
    size_blocks(&list->opts, n, system_count, pairs, bytes);
    size_blocks(&list->opts, v->n, v->system_count, v->pairs, used);
    if (!v->offsets) used[OFFSETS] = 0;
    bosc_status status = bi_blocks_grow(ctx, &list->memory, blocks, BLOCKS, bytes, used);
    set_view_blocks(list);
    return status;
}

bosc_status bosc_neighborlist_get_info(bosc_ctx *ctx, const bosc_neighborlist *list, bosc_neighborlist_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_neighborlist_check(ctx, list));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_neighborlist_info));
    const bosc_neighborlist_opts *o = &list->opts;
    bosc_neighborlist_info full = {.n = list->view.n,
                                   .system_count = list->view.system_count,
                                   .pairs = list->view.pairs,
                                   .cutoff = o->cutoff,
                                   .skin = o->skin,
                                   .dtype = o->dtype,
                                   .id_bits = o->id_bits,
                                   .half = o->half};
    full.bytes = (int64_t)(list->systems.bytes + list->atoms.bytes + list->system_of.bytes + list->built_at.bytes +
                           list->offsets.bytes + list->entries.bytes);
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
