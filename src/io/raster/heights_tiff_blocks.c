/* Reads parts of TIFFs. Compressed strips and tiles ("blocks") are unpacked as a whole into a cache; samples of
 * other blocks are read directly. */
#include <stdlib.h>
#include <string.h>

#include "io/file/bytes.h"
#include "io/npy/npy.h"
#include "io/raster/heights_parts.h"
#include "io/raster/tiff.h"

enum {
    CACHE_BYTES = 1 << 26,
    BLOCK_LIMIT = 1 << 29
}; /* least size of the cache; largest block; as boscage/io.h says */

struct bi_tiff_blocks {
    struct bi_tiff tiff;
    struct bi_tiff_layout layout;
    int64_t across, down;   /* samples of a block in a row, in a column */
    int64_t columns, count; /* blocks in a row of blocks, in all */
    tmsize_t bytes;         /* of a block */
    bool tiled, plain;      /* plain: samples are stored uncompressed */
    int32_t *slots;         /* slot of each block, or -1 */
    int64_t capacity, next; /* number of slots; the slot that is replaced next, in a cycle */
    struct slot {
        char *samples;
        int64_t block; /* or -1 */
    } * cache;
};

/* ---- opening ---- */

static bosc_status fail_damaged(struct bosc_heights_file *f, bosc_io_error *error)
{
    const struct bi_tiff *t = &f->tiff->tiff;
    if (t->number) return bi_bytes_fail(&f->file.bytes, t->number, error);
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged TIFF: %s", f->name,
                      t->reason.text[0] ? t->reason.text : "truncated");
}

/* Reads the sizes of blocks; false if they are inconsistent. */
static bool read_block_sizes(struct bi_tiff_blocks *b)
{
    TIFF *handle = b->tiff.handle;
    const struct bi_tiff_layout *l = &b->layout;
    uint32_t across = l->width, down = l->height;
    b->tiled = TIFFIsTiled(handle) != 0;
    if (b->tiled &&
        (!TIFFGetField(handle, TIFFTAG_TILEWIDTH, &across) || !TIFFGetField(handle, TIFFTAG_TILELENGTH, &down)))
        return false;
    if (!b->tiled) TIFFGetField(handle, TIFFTAG_ROWSPERSTRIP, &down);
    if (!b->tiled && down > l->height) down = l->height;
    if (across == 0 || down == 0) return false;
    b->bytes = b->tiled ? TIFFTileSize(handle) : TIFFStripSize(handle);
    b->across = across;
    b->down = down;
    b->columns = (l->width + b->across - 1) / b->across;
    b->count = b->columns * ((l->height + b->down - 1) / b->down);
    return b->bytes > 0 && b->across * b->down <= b->bytes / l->type.width &&
           b->count <= (b->tiled ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle));
}

/* Returns the number of rows in a block. The last strip may have fewer; tiles are complete. */
static int64_t rows_of(const struct bi_tiff_blocks *b, int64_t block)
{
    const int64_t left = b->layout.height - block / b->columns * b->down;
    return !b->tiled && left < b->down ? left : b->down;
}

static bool is_plain(const struct bi_tiff_blocks *b)
{
    uint16_t order = FILLORDER_MSB2LSB;
    TIFFGetFieldDefaulted(b->tiff.handle, TIFFTAG_FILLORDER, &order);
    return b->layout.ratio == 1 && order == FILLORDER_MSB2LSB;
}

/* True if all samples of all blocks are within the file. */
static bool is_complete(const struct bi_tiff_blocks *b)
{
    for (int64_t k = 0; k < b->count; k++) {
        const uint64_t at = TIFFGetStrileOffset(b->tiff.handle, (uint32_t)k),
                       bytes = (uint64_t)(rows_of(b, k) * b->across * b->layout.type.width);
        if (bytes > b->tiff.size || at > b->tiff.size - bytes) return false;
    }
    return true;
}

static void set_samples(struct bosc_heights_file *f, const struct bi_tiff_blocks *b, const struct bi_geotiff *geo)
{
    static const bosc_dtype real[] = {BOSC_F32, BOSC_F64}, whole[][4] = {{BOSC_I8, BOSC_I16, BOSC_I32, BOSC_I64},
                                                                         {BOSC_U8, BOSC_U16, BOSC_U32, BOSC_U64}};
    const struct bi_tiff_layout *l = &b->layout;
    const int log2_width = l->type.width == 1 ? 0 : l->type.width == 2 ? 1 : l->type.width == 4 ? 2 : 3;
    f->width = l->width;
    f->height = l->height;
    f->samples =
        (struct bi_npy){.kind = l->type.kind,
                        .width = l->type.width,
                        .big = TIFFIsBigEndian(b->tiff.handle) != 0,
                        .dtype = l->type.kind == 'f' ? real[log2_width == 3] : whole[l->type.kind == 'u'][log2_width]};
    f->none = l->none;
    f->to_west = geo->to_west;
    f->to_north = geo->to_north;
    f->scale = geo->scale;
    f->offset = geo->offset;
}

static bosc_status open_blocks(struct bosc_heights_file *f, bosc_io_error *error)
{
    struct bi_tiff_blocks *b = f->tiff;
    struct bi_geotiff geo;
    /* 1. Open, read and check the layout. */
    b->tiff = (struct bi_tiff){.name = f->name, .in = &f->file.bytes, .size = bi_bytes_total(&f->file.bytes)};
    if (!bi_tiff_open(&b->tiff, "rm")) {
        if (b->tiff.number) return bi_bytes_fail(&f->file.bytes, b->tiff.number, error);
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a TIFF: %s", f->name,
                          b->tiff.reason.text[0] ? b->tiff.reason.text : "out of memory");
    }
    const char *reason = bi_tiff_read_layout(b->tiff.handle, &b->layout, &geo);
    if (reason) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", f->name, reason);
    if (!read_block_sizes(b)) return fail_damaged(f, error);
    bosc_status status = bi_tiff_fit(&b->tiff, &b->layout, b->bytes, error);
    if (status != BOSC_OK) return status;
    set_samples(f, b, &geo);
    /* 2. Prepare direct reads, or the table of cached blocks. */
    b->plain = is_plain(b);
    if (b->plain) return is_complete(b) ? BOSC_OK : fail_damaged(f, error);
    if (b->bytes > BLOCK_LIMIT)
        return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: a strip or tile of %lld bytes is unpacked as a whole; %d at most",
                          f->name, (long long)b->bytes, BLOCK_LIMIT);
    b->slots = bi_io_alloc((size_t)b->count * sizeof *b->slots);
    if (!b->slots) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    memset(b->slots, 0xff, (size_t)b->count * sizeof *b->slots);
    return BOSC_OK;
}

bosc_status bi_tiff_blocks_open(struct bosc_heights_file *f, bosc_io_error *error)
{
    f->tiff = bi_io_alloc(sizeof *f->tiff);
    if (!f->tiff) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    memset(f->tiff, 0, sizeof *f->tiff);
    return open_blocks(f, error);
}

void bi_tiff_blocks_free(struct bi_tiff_blocks *b)
{
    if (!b) return;
    if (b->tiff.handle) TIFFClose(b->tiff.handle);
    for (int64_t s = 0; s < b->capacity; s++) free(b->cache[s].samples);
    free(b->cache);
    free(b->slots);
    free(b);
}

/* ---- reading ---- */

/* Reserves slots for twice the rows of the part, and for partial blocks at their borders, over the full width. */
bosc_status bi_tiff_blocks_reserve(struct bosc_heights_file *f, int64_t rows)
{
    struct bi_tiff_blocks *b = f->tiff;
    int64_t needed = (2 * (rows / b->down) + 3) * b->columns;
    if (b->plain) return BOSC_OK;
    if (needed < CACHE_BYTES / b->bytes) needed = CACHE_BYTES / b->bytes;
    if (needed > b->count) needed = b->count;
    if (needed <= b->capacity) return BOSC_OK;
    struct slot *cache = bi_io_realloc(b->cache, (size_t)needed * sizeof *cache);
    if (!cache) return bi_io_fail(&f->error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    for (int64_t s = b->capacity; s < needed; s++) cache[s] = (struct slot){NULL, -1};
    b->next = b->capacity;
    b->cache = cache;
    b->capacity = needed;
    return BOSC_OK;
}

/* Unpacks a block into the next slot. */
static bosc_status load_block(struct bosc_heights_file *f, int64_t block)
{
    struct bi_tiff_blocks *b = f->tiff;
    struct slot *slot = b->cache + b->next;
    if (!slot->samples) slot->samples = bi_io_alloc((size_t)b->bytes);
    if (!slot->samples) return bi_io_fail(&f->error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    if (slot->block >= 0) b->slots[slot->block] = -1;
    slot->block = -1;
    b->tiff.reason.text[0] = 0;
    b->tiff.number = 0;
    const tmsize_t bytes = b->tiled ? b->bytes : (tmsize_t)(rows_of(b, block) * b->across * b->layout.type.width);
    const tmsize_t got = b->tiled ? TIFFReadEncodedTile(b->tiff.handle, (uint32_t)block, slot->samples, bytes)
                                  : TIFFReadEncodedStrip(b->tiff.handle, (uint32_t)block, slot->samples, bytes);
    if (got != bytes) return fail_damaged(f, &f->error);
    slot->block = block;
    b->slots[block] = (int32_t)b->next;
    b->next = (b->next + 1) % b->capacity;
    return BOSC_OK;
}

bosc_status bi_tiff_blocks_copy(struct bosc_heights_file *f, int64_t row, int64_t column, int64_t count, char *buffer,
                                float *values)
{
    const struct bi_tiff_blocks *b = f->tiff;
    const int64_t width = b->layout.type.width;
    for (int64_t done = 0, run; done < count; done += run) {
        const int64_t x = (column + done) % b->across, block = row / b->down * b->columns + (column + done) / b->across;
        const size_t at = (size_t)((row % b->down * b->across + x) * width);
        /* A run ends at the border of its block. */
        bosc_status status = BOSC_OK;
        run = b->across - x < count - done ? b->across - x : count - done;
        if (b->plain) {
            const size_t begin = (size_t)TIFFGetStrileOffset(b->tiff.handle, (uint32_t)block);
            status = bi_heights_parts_copy(f, begin + at, run, buffer, values + done);
        } else {
            if (b->slots[block] < 0) status = load_block(f, block);
            if (status == BOSC_OK)
                bi_samples_read_but(b->layout.type, b->cache[b->slots[block]].samples + at, run, f->none,
                                    values + done);
        }
        if (status != BOSC_OK) return status;
    }
    return BOSC_OK;
}
