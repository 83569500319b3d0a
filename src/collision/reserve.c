/* Bytes that a frame needs, and their reservation. */
#include <string.h>

#include "collision/handle.h"
#include "collision/steps/steps.h"
#include "core/arena.h"

static bosc_status check_count(bosc_ctx *ctx, const char *name, int64_t count)
{
    if (count >= 0) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "sizes: %s %lld is less than 0", name, (long long)count);
}

static bosc_status check_limit(bosc_ctx *ctx, const char *name, int64_t count, int64_t limit)
{
    BI_TRY(check_count(ctx, name, count));
    if (count < limit) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "sizes: %s %lld is not below %lld", name, (long long)count, (long long)limit);
}

static bosc_status check_memory(bosc_ctx *ctx, const char *name, int64_t count)
{
    BI_TRY(check_count(ctx, name, count));
    if (count <= INT64_MAX / 256) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "sizes: %s %lld are more than memory can hold", name, (long long)count);
}

static int64_t min_count(int64_t count, int64_t most) { return count < most ? count : most; }

/* Checks the caller's sizes, and cuts them to possible ones. */
static bosc_status check_sizes(bosc_ctx *ctx, const bosc_collision_sizes *sizes, bosc_collision_sizes *full)
{
    if (!sizes) return bi_fail(ctx, BOSC_ERR_ARG, "sizes: NULL");
    BI_TRY(bi_check_size(ctx, "sizes", "bosc_collision_sizes", sizes->size, sizeof *full));
    memset(full, 0, sizeof *full);
    memcpy(full, sizes, sizes->size);
    BI_TRY(check_limit(ctx, "vertices", full->vertices, ((int64_t)1 << 33) - 1));
    BI_TRY(check_limit(ctx, "triangles", full->triangles, (int64_t)UINT32_MAX));
    BI_TRY(check_count(ctx, "near_count", full->near_count));
    BI_TRY(check_count(ctx, "box_voxels", full->box_voxels));
    BI_TRY(check_count(ctx, "entries", full->entries));
    BI_TRY(check_memory(ctx, "candidates", full->candidates));
    BI_TRY(check_memory(ctx, "pairs", full->pairs));
    full->near_count = min_count(full->near_count, full->triangles);
    full->box_voxels = min_count(full->box_voxels, bi_collision_max_voxels(full->near_count));
    full->entries = min_count(full->entries, full->box_voxels);
    return BOSC_OK;
}

/* Scratch of a scan, a compaction or a reduction of n items. */
static int64_t scan_bytes(int64_t n) { return n / 64; }

/* Scratch of an in-place sort of n items of this many bytes: a copy, another one on a device, and counts. */
static int64_t sort_bytes(int64_t n, int64_t bytes) { return n * (2 * bytes + 1); }

/* Scratch of the candidates and their tests. */
static int64_t size_candidates(int64_t entries, int64_t n)
{
    const int64_t work = BI_COLLISION_WORK * (int64_t)sizeof(double) * min_count(n, BI_COLLISION_EXACT_ITEMS);
    const int64_t sort = sort_bytes(n, 8), test = n + work + 8 * n + scan_bytes(n);
    return 8 * entries + scan_bytes(entries) + 8 * n + (sort > test ? sort : test);
}

/* Scratch of a build, in the order of allocation. SLACK: each array is rounded up to 256 bytes. */
static int64_t size_scratch(const bosc_ctx *ctx, const bosc_collision_opts *o, const bosc_collision_sizes *s)
{
    enum { SLACK = 1 << 20, THREAD_BYTES = 1 << 18, CORNERS = BI_COLLISION_CORNERS * sizeof(double) };
    const int64_t staged = 3 * s->vertices * (int64_t)bosc_dtype_size(o->dtype) + 3 * s->triangles * o->index_bits / 8;
    const int64_t meshes = s->vertices * BI_COLLISION_DIM * (int64_t)sizeof(double) + 9 * s->triangles;
    const int64_t soup = s->near_count * (CORNERS + 16) + scan_bytes(s->near_count);
    const int64_t tables = 2 * BI_COLLISION_DIRECT_FACTOR * 4 * (int64_t)bi_collision_table_words(s->box_voxels);
    const int64_t slices = s->box_voxels / BI_COLLISION_SLICE;
    const int64_t sort = sort_bytes(s->entries, 12), candidates = size_candidates(s->entries, s->candidates);
    return staged + meshes + scan_bytes(s->triangles) + soup + tables + 8 * slices + scan_bytes(slices) +
           12 * s->entries + (sort > candidates ? sort : candidates) + SLACK + (int64_t)ctx->threads * THREAD_BYTES;
}

static size_t size_pairs(int64_t pairs) { return (size_t)pairs * 2 * sizeof(uint32_t); }

bosc_status bosc_collision_bytes(bosc_ctx *ctx, const bosc_collision_opts *opts, const bosc_collision_sizes *sizes,
                                 int64_t *kept, int64_t *scratch)
{
    bosc_collision_opts full;
    bosc_collision_sizes possible;
    BI_ENTER(ctx);
    BI_TRY(bi_collision_check_opts(ctx, opts, &full));
    BI_TRY(check_sizes(ctx, sizes, &possible));
    if (kept) *kept = (int64_t)size_pairs(possible.pairs);
    if (scratch) *scratch = size_scratch(ctx, &full, &possible);
    return BOSC_OK;
}

bosc_status bosc_collision_reserve(bosc_ctx *ctx, bosc_collision *collision, const bosc_collision_sizes *sizes)
{
    bosc_collision_sizes possible;
    void *scratch;
    BI_ENTER(ctx);
    BI_TRY(bi_collision_check(ctx, collision));
    BI_TRY(check_sizes(ctx, sizes, &possible));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)size_scratch(ctx, &collision->opts, &possible), &scratch));
    struct bi_block *const blocks[] = {&collision->pairs};
    const size_t bytes[] = {size_pairs(possible.pairs)}, used[] = {size_pairs(collision->info.pairs)};
    return bi_blocks_grow(ctx, &collision->memory, blocks, 1, bytes, used);
}
