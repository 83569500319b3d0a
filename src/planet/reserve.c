/* Memory of planets in advance: of a raster, of insets, of a mesh. */
#include "core/arena.h"
#include "core/check.h"
#include "planet/steps/criterion.h"
#include "planet/steps/raster.h"
#include "planet/tiles.h"

/* Bytes of scratch a leaf; SLACK: a margin for alignment and scans. */
enum {
    SLACK = 1 << 17,
    LEAF = sizeof(struct bi_planet_leaf),
    COMMAND = 1,
    SOURCES = 4 * 8,           /* of at most 4 new leaves */
    SAVED_LEAF = 8 + 12 + LEAF /* a search by a budget copies node, neighbours and leaf */
};
enum { MULTIPLE_COUNTS = 4 * BI_PLANET_MULTIPLES, SCRATCH = COMMAND + SOURCES + SAVED_LEAF };

/* ---- sizes ---- */

/* The sizes of a planet. */
struct sizes {
    struct bi_planet_view raster; /* its layout */
    const int64_t (*insets)[2];   /* (inset_count) width and height */
    int32_t inset_count;
    int64_t triangles;
};

static bosc_status set_inset_layout(bosc_ctx *ctx, const struct sizes *s, int32_t k, struct bi_planet_view *layout)
{
    *layout = (struct bi_planet_view){0};
    return bi_planet_set_inset_layout(ctx, "inset_sizes", s->insets[k][0], s->insets[k][1], layout);
}

static bosc_status check_sizes(bosc_ctx *ctx, int64_t width, int64_t height, const int64_t *inset_sizes,
                               int32_t inset_count, int64_t triangles, struct sizes *s)
{
    struct bi_planet_view layout;
    *s = (struct sizes){
        .insets = (const int64_t(*)[2])(const void *)inset_sizes, .inset_count = inset_count, .triangles = triangles};
    BI_TRY(bi_planet_set_layout(ctx, width, height, &s->raster));
    if (inset_count < 0 || inset_count > BOSC_PLANET_INSETS)
        return bi_fail(ctx, BOSC_ERR_ARG, "inset_count: %d is not in 0 to %d", (int)inset_count, BOSC_PLANET_INSETS);
    if (inset_count > 0 && !inset_sizes) return bi_fail(ctx, BOSC_ERR_ARG, "inset_sizes: NULL");
    BI_TRY(bi_check_aligned(ctx, "inset_sizes", inset_sizes, sizeof *inset_sizes));
    for (int32_t k = 0; k < inset_count; k++) BI_TRY(set_inset_layout(ctx, s, k, &layout));
    if (triangles >= 0) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "triangles: %lld is less than 0", (long long)triangles);
}

/* Bytes of a pool with this many leaves. */
static bosc_status pool_bytes(const bosc_ctx *ctx, int32_t depth, int64_t triangles, int64_t *kept, int64_t *scratch)
{
    const bosc_bisectors_opts pool = {.size = sizeof pool, .depth = depth, .root_count = BI_PLANET_ROOTS};
    return bosc_bisectors_bytes(ctx, &pool, triangles, kept, scratch);
}

static int64_t scratch_bytes(int64_t triangles) { return SCRATCH * triangles + MULTIPLE_COUNTS + SLACK; }

static bosc_status inset_bytes(bosc_ctx *ctx, const struct sizes *s, int64_t *bytes)
{
    struct bi_planet_view layout;
    *bytes = s->inset_count ? (int64_t)bi_planet_insets_bytes() : 0;
    for (int32_t k = 0; k < s->inset_count; k++) {
        BI_TRY(set_inset_layout(ctx, s, k, &layout));
        *bytes += (int64_t)(bi_planet_sample_bytes(&layout) + bi_planet_cell_bytes(&layout));
    }
    return BOSC_OK;
}

bosc_status bosc_planet_bytes(const bosc_ctx *ctx, const bosc_planet_opts *opts, int64_t width, int64_t height,
                              const int64_t *inset_sizes, int32_t inset_count, int64_t triangles, int64_t *kept,
                              int64_t *scratch)
{
    bosc_planet_opts full;
    struct sizes s;
    int64_t pool_kept, pool_scratch, insets;
    bosc_ctx *message_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(message_ctx);
    BI_TRY(bi_planet_check_opts(message_ctx, opts, &full));
    BI_TRY(check_sizes(message_ctx, width, height, inset_sizes, inset_count, triangles, &s));
    BI_TRY(pool_bytes(ctx, full.depth, triangles, &pool_kept, &pool_scratch));
    BI_TRY(inset_bytes(message_ctx, &s, &insets));
    const int64_t noise = full.detail_amplitude > 0 ? BI_PLANET_NOISE * (int64_t)sizeof(struct bi_planet_noise) : 0;
    const int64_t raster = (int64_t)(bi_planet_sample_bytes(&s.raster) + bi_planet_cell_bytes(&s.raster));
    if (kept) *kept = pool_kept + raster + insets + noise + 2 * (int64_t)sizeof(double) + 2 * LEAF * triangles;
    if (scratch) *scratch = pool_scratch + scratch_bytes(triangles);
    return BOSC_OK;
}

/* ---- reserves ---- */

/* Grows the blocks of raster and mesh; contents in use move. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_planet *planet, const struct sizes *s)
{
    struct bi_block *const blocks[] = {&planet->heights, &planet->cells, &planet->current, &planet->next};
    const size_t leaves = (size_t)s->triangles * LEAF;
    const size_t bytes[] = {bi_planet_sample_bytes(&s->raster), bi_planet_cell_bytes(&s->raster), leaves, leaves};
    /* A raster read by tiles has its samples in its cache. */
    const bool has = planet->view.width > 0, tiled = planet->cache != NULL;
    const size_t used[] = {has && !tiled ? bi_planet_sample_bytes(&planet->view) : 0,
                           has ? bi_planet_cell_bytes(&planet->view) : 0,
                           has && !planet->stale ? (size_t)bi_planet_pool(planet)->leaves * LEAF : 0, 0};
    BI_TRY(bi_blocks_grow(ctx, &planet->memory, blocks, 4, bytes, used));
    if (!tiled) planet->view.heights = planet->heights.data;
    planet->view.cells = planet->cells.data;
    return BOSC_OK;
}

static bosc_status reserve_insets(bosc_ctx *ctx, bosc_planet *planet, const struct sizes *s)
{
    struct bi_planet_view layout;
    if (s->inset_count == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &planet->insets, bi_planet_insets_bytes()));
    for (int32_t k = 0; k < s->inset_count; k++) {
        BI_TRY(set_inset_layout(ctx, s, k, &layout));
        BI_TRY(bi_planet_reserve_inset(ctx, planet, k, &layout));
    }
    return BOSC_OK;
}

bosc_status bosc_planet_reserve(bosc_ctx *ctx, bosc_planet *planet, int64_t width, int64_t height,
                                const int64_t *inset_sizes, int32_t inset_count, int64_t triangles)
{
    struct sizes s;
    int64_t scratch;
    void *memory;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    BI_TRY(check_sizes(ctx, width, height, inset_sizes, inset_count, triangles, &s));
    BI_TRY(pool_bytes(ctx, planet->opts.depth, triangles, NULL, &scratch));
    scratch += scratch_bytes(triangles);
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &memory));
    BI_TRY(bosc_bisectors_reserve(ctx, planet->pool, triangles));
    BI_TRY(grow_blocks(ctx, planet, &s));
    return reserve_insets(ctx, planet, &s);
}
