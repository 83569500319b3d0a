/* Saves planets, and reads saved ones. Input is untrusted: memory grows with the bytes read, the checksum must match,
 * options and heights must be valid, and nodes must be the leaves of a conforming bisection. */
#include "planet/save.h"

#include "core/check.h"
#include "planet/tiles.h"

/* ---- chunks: some rows, or part of one ---- */

/* Heights of a raster read by tiles are saved and compared in chunks of at most CHUNK samples, in order:
 * as many as a tile of the default size has. */
enum { CHUNK = 1 << 16 };

static int64_t rows_of_chunk(int64_t width) { return width < CHUNK ? CHUNK / width : 1; }

static int64_t chunks_of_row(int64_t width) { return (width + CHUNK - 1) / CHUNK; }

static int64_t chunk_count(int64_t width, int64_t height)
{
    const int64_t rows = rows_of_chunk(width);
    return (height + rows - 1) / rows * chunks_of_row(width);
}

static struct bi_planet_rectangle chunk_at(int64_t width, int64_t height, int64_t k)
{
    const int64_t rows = rows_of_chunk(width), across = chunks_of_row(width);
    struct bi_planet_rectangle p = {k / across * rows, k % across * CHUNK, rows, CHUNK};
    if (p.rows > height - p.row) p.rows = height - p.row;
    if (p.columns > width - p.column) p.columns = width - p.column;
    return p;
}

/* Memory for one chunk. */
struct chunk_memory {
    void *values;   /* the host's, CHUNK x 4 bytes each */
    float *samples; /* the backend's */
};

static bosc_status allocate_chunk(bosc_ctx *ctx, struct chunk_memory *memory)
{
    BI_TRY(bi_host_scratch(ctx, CHUNK * sizeof(float), &memory->values));
    return bi_scratch_of(ctx, CHUNK, sizeof *memory->samples, &memory->samples);
}

/* ---- saving ---- */

static bosc_status write_chunks(struct bi_saver *s, const bosc_planet *planet)
{
    const int64_t width = planet->view.width, height = planet->view.height;
    struct chunk_memory memory;
    BI_TRY(allocate_chunk(s->ctx, &memory));
    for (int64_t k = 0; k < chunk_count(width, height); k++) {
        const struct bi_planet_rectangle p = chunk_at(width, height, k);
        BI_TRY(bi_planet_read_rectangle(s->ctx, planet->cache, &p, memory.values, memory.samples, p.columns));
        BI_TRY(bi_save_array(s, memory.samples, (size_t)(p.rows * p.columns) * sizeof(float)));
    }
    return BOSC_OK;
}

static int64_t samples_of_insets(const bosc_planet *planet)
{
    return bi_planet_total_samples(planet) - (int64_t)planet->view.width * planet->view.height;
}

static bosc_status write_insets(struct bi_saver *s, const bosc_planet *planet)
{
    const int32_t count = planet->view.inset_count;
    for (int32_t k = 0; k < count; k++) {
        const struct bi_planet_inset_memory *from = &planet->inset[k];
        const struct bi_planet_saved_inset to = {.width = from->width,
                                                 .height = from->height,
                                                 .border = (uint32_t)from->border,
                                                 .west = from->west,
                                                 .south = from->south,
                                                 .east = from->east,
                                                 .north = from->north};
        BI_TRY(bi_save_bytes(s, &to, sizeof to));
    }
    for (int32_t k = 0; k < count; k++) {
        const struct bi_planet_inset_memory *from = &planet->inset[k];
        BI_TRY(bi_save_array(s, from->heights.data, (size_t)(from->width * from->height) * sizeof(float)));
    }
    return BOSC_OK;
}

static bosc_status write_planet(struct bi_saver *s, const void *structure)
{
    const bosc_planet *planet = structure;
    const bosc_planet_opts *o = &planet->opts;
    struct bi_planet_header h = {.depth = (uint32_t)o->depth,
                                 .octaves = (uint32_t)o->detail_octaves,
                                 .radius = o->radius,
                                 .amplitude = o->detail_amplitude,
                                 .wavelength = o->detail_wavelength,
                                 .seed = o->detail_seed,
                                 .width = planet->view.width,
                                 .height = planet->view.height,
                                 .leaves = bi_planet_pool(planet)->leaves,
                                 .insets = (uint64_t)planet->view.inset_count};
    const size_t samples = (size_t)(h.width * h.height) * sizeof(float), leaves = (size_t)h.leaves * sizeof(uint64_t),
                 insets = (size_t)samples_of_insets(planet) * sizeof(float);
    bi_progress_set_total(s->ctx, bi_save_items(samples + insets + leaves));
    BI_TRY(
        bi_save_header(s, &h, sizeof h, BI_PLANET_SAVE_MAGIC, h.insets ? BI_PLANET_SAVE_INSETS : BI_PLANET_SAVE_PLAIN));
    if (planet->cache)
        BI_TRY_WITH_SCRATCH(s->ctx, write_chunks(s, planet));
    else
        BI_TRY(bi_save_array(s, planet->view.heights, samples));
    BI_TRY(write_insets(s, planet));
    return bi_save_array(s, bi_planet_pool(planet)->nodes, leaves);
}

bosc_status bosc_planet_write(bosc_ctx *ctx, const bosc_planet *planet, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_mesh(ctx, planet));
    return bi_save(ctx, write, user, write_planet, planet);
}

/* ---- reading: the header ---- */

enum { HEIGHTS, INSETS, INSET_HEIGHTS, NODES, ARRAYS };

struct reader {
    struct bi_loader loader; /* first: see struct bi_load_kind */
    struct bi_planet_header header;
    bosc_planet_opts opts;
    struct bi_loaded arrays[ARRAYS];
    const bosc_planet_tiles *tiles; /* the source of heights; NULL: the saved heights become the raster */
    uint64_t heights;               /* with a source: hash of the saved heights */
};

/* Sets the options from the header. 0 would mean a default, which is never saved. */
static bool set_opts(struct reader *r)
{
    const struct bi_planet_header *h = &r->header;
    const bosc_planet_opts opts = {.size = sizeof opts,
                                   .radius = h->radius,
                                   .depth = (int32_t)h->depth,
                                   .detail_octaves = (int32_t)h->octaves,
                                   .detail_amplitude = h->amplitude,
                                   .detail_wavelength = h->wavelength,
                                   .detail_seed = h->seed};
    return h->radius != 0 && h->depth != 0 && h->octaves != 0 &&
           bi_planet_check_opts(r->loader.ctx, &opts, &r->opts) == BOSC_OK;
}

static bosc_status get_header(struct reader *r)
{
    struct bi_planet_header *h = &r->header;
    struct bi_planet_view view;
    BI_TRY(bi_load_header_versions(&r->loader, h, sizeof *h, BI_PLANET_SAVE_MAGIC, BI_PLANET_SAVE_PLAIN,
                                   BI_PLANET_SAVE_INSETS));
    uint64_t unused = h->reserved | (h->version == BI_PLANET_SAVE_PLAIN ? h->insets : 0);
    for (int i = 0; i < 4; i++) unused |= h->unused[i];
    if (unused) return bi_load_malformed(&r->loader, "the header has unknown fields");
    if (!set_opts(r)) return bi_load_malformed(&r->loader, "its options are out of range");
    if (bi_planet_set_layout(r->loader.ctx, h->width, h->height, &view) != BOSC_OK)
        return bi_load_malformed(&r->loader, "the size of its raster is out of range");
    if (h->leaves < BI_PLANET_ROOTS || h->leaves > BI_BISECTOR_MAX_LEAVES)
        return bi_load_malformed(&r->loader, "its number of triangles is out of range");
    if (h->version == BI_PLANET_SAVE_INSETS && (h->insets == 0 || h->insets > BOSC_PLANET_INSETS))
        return bi_load_malformed(&r->loader, "its number of insets is out of range");
    return BOSC_OK;
}

/* ---- heights of a raster read by tiles ---- */

static void combine_hash(uint64_t *all, const void *bytes, size_t count)
{
    const uint64_t both[2] = {*all, bi_xxh3(bytes, count)};
    *all = bi_xxh3(both, sizeof both);
}

static bosc_status hash_saved_heights(struct reader *r)
{
    const int64_t width = r->header.width, height = r->header.height;
    void *chunk;
    BI_TRY(bi_host_scratch(r->loader.ctx, CHUNK * sizeof(float), &chunk));
    for (int64_t k = 0; k < chunk_count(width, height); k++) {
        const struct bi_planet_rectangle p = chunk_at(width, height, k);
        const size_t bytes = (size_t)(p.rows * p.columns) * sizeof(float);
        BI_TRY(bi_load_bytes(&r->loader, chunk, bytes, "heights"));
        combine_hash(&r->heights, chunk, bytes);
    }
    return BOSC_OK;
}

/* Fails unless the planet's raster has the saved heights. */
static bosc_status compare_heights(struct reader *r, const bosc_planet *planet)
{
    bosc_ctx *ctx = r->loader.ctx;
    const int64_t width = r->header.width, height = r->header.height;
    struct chunk_memory memory;
    uint64_t heights = 0;
    BI_TRY(allocate_chunk(ctx, &memory));
    for (int64_t k = 0; k < chunk_count(width, height); k++) {
        const struct bi_planet_rectangle p = chunk_at(width, height, k);
        const size_t bytes = (size_t)(p.rows * p.columns) * sizeof(float);
        BI_TRY(bi_planet_read_rectangle(ctx, planet->cache, &p, memory.values, memory.samples, p.columns));
        BI_TRY(ctx->backend->copy(ctx, memory.values, memory.samples, bytes));
        BI_TRY(ctx->backend->sync(ctx));
        combine_hash(&heights, memory.values, bytes);
    }
    if (heights == r->heights) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "tiles: the heights are not those of the saved planet");
}

static bosc_status check_size(struct reader *r)
{
    const bosc_planet_tiles *t = r->tiles;
    if (!t || (t->width == r->header.width && t->height == r->header.height)) return BOSC_OK;
    return bi_fail(r->loader.ctx, BOSC_ERR_ARG, "tiles: %lld x %lld heights, but the saved planet has %lld x %lld",
                   (long long)t->width, (long long)t->height, (long long)r->header.width, (long long)r->header.height);
}

/* ---- insets ---- */

/* Sets inset k as bosc_planet_add_inset needs it, without its heights. */
static bosc_status get_inset(struct reader *r, uint64_t k, bosc_planet_inset *inset)
{
    const struct bi_planet_saved_inset *saved =
        (const struct bi_planet_saved_inset *)(const void *)r->arrays[INSETS].data + k;
    /* Adding -0 keeps the sign of every height. */
    *inset = (bosc_planet_inset){.size = sizeof *inset,
                                 .width = saved->width,
                                 .height = saved->height,
                                 .border = (int32_t)saved->border,
                                 .offset = -0.0,
                                 .west = saved->west,
                                 .south = saved->south,
                                 .east = saved->east,
                                 .north = saved->north};
    /* A border of 0 would mean a default, which is never saved. */
    if (saved->reserved == 0 && saved->border != 0 && bi_planet_check_inset(r->loader.ctx, inset) == BOSC_OK)
        return BOSC_OK;
    return bi_load_malformed(&r->loader, "the size or the place of an inset is out of range");
}

static bosc_status load_insets(struct reader *r, double cost)
{
    const uint64_t count = r->header.insets;
    size_t samples = 0;
    BI_TRY(
        bi_load_array(&r->loader, &r->arrays[INSETS], (size_t)count * sizeof(struct bi_planet_saved_inset), "insets"));
    for (uint64_t k = 0; k < count; k++) {
        bosc_planet_inset inset;
        BI_TRY(get_inset(r, k, &inset));
        samples += (size_t)(inset.width * inset.height);
    }
    bi_progress_set_total(r->loader.ctx, cost + (bi_save_items(sizeof(float)) + 3) * (double)samples);
    return bi_load_array(&r->loader, &r->arrays[INSET_HEIGHTS], samples * sizeof(float), "insets");
}

static bosc_status add_insets(struct reader *r, bosc_planet *planet)
{
    const float *heights = (const float *)(const void *)r->arrays[INSET_HEIGHTS].data;
    for (uint64_t k = 0; k < r->header.insets; k++) {
        bosc_planet_inset inset;
        BI_TRY(get_inset(r, k, &inset));
        inset.heights = heights;
        heights += inset.width * inset.height;
        const bosc_status status = bosc_planet_add_inset(r->loader.ctx, planet, &inset);
        if (status == BOSC_ERR_DATA)
            return bi_load_malformed(&r->loader, "a height of an inset is NaN, or half the radius or more");
        BI_TRY(status);
    }
    return BOSC_OK;
}

/* ---- reading: the rest ---- */

static bosc_status parse(void *state)
{
    struct reader *r = state;
    BI_TRY(get_header(r));
    BI_TRY(check_size(r));
    const size_t samples = (size_t)(r->header.width * r->header.height) * sizeof(float),
                 leaves = (size_t)r->header.leaves * sizeof(uint64_t);
    const double cost = bi_save_items(samples + leaves) + 3 * (double)samples / sizeof(float);
    bi_progress_set_total(r->loader.ctx, cost);
    if (r->tiles)
        BI_TRY_WITH_SCRATCH(r->loader.ctx, hash_saved_heights(r));
    else
        BI_TRY(bi_load_array(&r->loader, &r->arrays[HEIGHTS], samples, "heights"));
    BI_TRY(load_insets(r, cost));
    BI_TRY(bi_load_array(&r->loader, &r->arrays[NODES], leaves, "nodes"));
    return bi_load_hash(&r->loader);
}

static bosc_status create(void *state, void **fresh)
{
    struct reader *r = state;
    bosc_planet *planet;
    BI_TRY(bosc_planet_create(r->loader.ctx, &r->opts, &planet));
    *fresh = planet;
    return BOSC_OK;
}

static bosc_status build_raster(struct reader *r, bosc_planet *planet)
{
    bosc_ctx *ctx = r->loader.ctx;
    if (r->tiles) {
        BI_TRY(bosc_planet_build_tiles(ctx, planet, r->tiles));
        return compare_heights(r, planet);
    }
    /* Adding -0 keeps the sign of every height. */
    const bosc_planet_raster raster = {.size = sizeof raster,
                                       .heights = r->arrays[HEIGHTS].data,
                                       .width = r->header.width,
                                       .height = r->header.height,
                                       .offset = -0.0};
    const bosc_status status = bosc_planet_build(ctx, planet, &raster);
    return status == BOSC_ERR_DATA ? bi_load_malformed(&r->loader, "a height is NaN, or half the radius or more")
                                   : status;
}

static bosc_status fill(void *state, void *fresh)
{
    struct reader *r = state;
    bosc_ctx *ctx = r->loader.ctx;
    bosc_planet *planet = fresh;
    BI_TRY(build_raster(r, planet));
    BI_TRY(add_insets(r, planet));
    bosc_status status = bosc_bisectors_set_nodes(
        ctx, planet->pool, (const uint64_t *)(const void *)r->arrays[NODES].data, r->header.leaves);
    if (status == BOSC_ERR_DATA)
        return bi_load_malformed(&r->loader, "its nodes are not the leaves of a conforming bisection");
    BI_TRY(status);
    planet->stale = true;
    BI_TRY(bi_planet_refresh(ctx, planet));
    return ctx->backend->sync(ctx);
}

static void release(void *fresh) { bosc_planet_free(fresh); }

static const struct bi_load_kind kind = {"planet", "saved planet", parse, create, fill, release};

bosc_status bosc_planet_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_planet **planet)
{
    struct reader r = {.header = {.version = 0}};
    BI_ENTER(ctx);
    return bi_load_structure(ctx, read, user, &kind, &r, r.arrays, ARRAYS, planet);
}

bosc_status bosc_planet_read_tiles(bosc_ctx *ctx, bosc_read_fn read, void *user, const bosc_planet_tiles *tiles,
                                   bosc_planet **planet)
{
    bosc_planet_tiles full;
    struct reader r = {.header = {.version = 0}, .tiles = &full};
    BI_ENTER(ctx);
    if (!tiles) return bi_fail(ctx, BOSC_ERR_ARG, "tiles: NULL");
    BI_TRY(bi_check_size(ctx, "tiles", "bosc_planet_tiles", tiles->size, sizeof full));
    BI_TRY(bi_read_opts(ctx, "bosc_planet_tiles", tiles, &full, sizeof full));
    full.size = sizeof full;
    return bi_load_structure(ctx, read, user, &kind, &r, r.arrays, ARRAYS, planet);
}
