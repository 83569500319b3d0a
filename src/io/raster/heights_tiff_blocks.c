/* Parts of TIFFs. What is compressed is unpacked by strips and tiles, of which a number are kept; other samples are
 * read where they lie. */
#include <stdlib.h>
#include <string.h>

#include "io/raster/heights_parts.h"
#include "io/raster/tiff.h"

enum { KEPT = 1 << 26, MOST_BLOCK = 1 << 29 }; /* bytes: of blocks that are kept at least; of one */

struct bi_tiff_blocks {
    struct bi_tiff tiff;
    struct bi_tiff_layout layout;
    int64_t across, down, columns, count; /* samples of a block from west to east, from north to south; blocks of a row
                                           * of them, and in all */
    tmsize_t bytes;                       /* of a block */
    bool tiled, plain;                    /* plain: samples lie in the file as in memory, but for their byte order */
    int32_t *slots;                       /* of each block, or -1 */
    int64_t capacity, next;               /* slots; the one that is filled next, round and round */
    struct slot {
        char *samples;
        int64_t block; /* or -1 */
    } * held;
};

/* ---- opening ---- */

static bosc_status damaged(struct bosc_heights_file *f, bosc_io_error *error)
{
    const struct bi_tiff *t = &f->tiff->tiff;
    if (t->number) return bi_bytes_fail(&f->file.bytes, t->number, error);
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged TIFF: %s", f->name,
                      t->reason.text[0] ? t->reason.text : "truncated");
}

/* How the raster is cut; false: in no way that makes sense. */
static bool cut(struct bi_tiff_blocks *b)
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

/* Rows that a block has: of the last strip there are fewer, while tiles are whole. */
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

/* Whether the file has all samples of all blocks. */
static bool is_whole(const struct bi_tiff_blocks *b)
{
    for (int64_t k = 0; k < b->count; k++) {
        const uint64_t at = TIFFGetStrileOffset(b->tiff.handle, (uint32_t)k),
                       bytes = (uint64_t)(rows_of(b, k) * b->across * b->layout.type.width);
        if (bytes > b->tiff.size || at > b->tiff.size - bytes) return false;
    }
    return true;
}

static void describe(struct bosc_heights_file *f, const struct bi_tiff_blocks *b, const struct bi_geotiff *geo)
{
    static const bosc_dtype real[] = {BOSC_F32, BOSC_F64}, whole[][4] = {{BOSC_I8, BOSC_I16, BOSC_I32, BOSC_I64},
                                                                         {BOSC_U8, BOSC_U16, BOSC_U32, BOSC_U64}};
    const struct bi_tiff_layout *l = &b->layout;
    const int log = l->type.width == 1 ? 0 : l->type.width == 2 ? 1 : l->type.width == 4 ? 2 : 3;
    f->width = l->width;
    f->height = l->height;
    f->samples = (struct bi_npy){.kind = l->type.kind,
                                 .width = l->type.width,
                                 .big = TIFFIsBigEndian(b->tiff.handle) != 0,
                                 .dtype = l->type.kind == 'f' ? real[log == 3] : whole[l->type.kind == 'u'][log]};
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
    b->tiff = (struct bi_tiff){.name = f->name, .in = &f->file.bytes, .size = bi_bytes_total(&f->file.bytes)};
    if (!bi_tiff_open(&b->tiff, "rm")) {
        if (b->tiff.number) return bi_bytes_fail(&f->file.bytes, b->tiff.number, error);
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a TIFF: %s", f->name,
                          b->tiff.reason.text[0] ? b->tiff.reason.text : "out of memory");
    }
    const char *reason = bi_tiff_get_raster(b->tiff.handle, &b->layout, &geo);
    if (reason) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", f->name, reason);
    if (!cut(b)) return damaged(f, error);
    bosc_status status = bi_tiff_fit(&b->tiff, &b->layout, b->bytes, error);
    if (status != BOSC_OK) return status;
    describe(f, b, &geo);
    b->plain = is_plain(b);
    if (b->plain) return is_whole(b) ? BOSC_OK : damaged(f, error);
    if (b->bytes > MOST_BLOCK)
        return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: a strip or tile of %lld bytes is unpacked as a whole; %d at most",
                          f->name, (long long)b->bytes, MOST_BLOCK);
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
    for (int64_t s = 0; s < b->capacity; s++) free(b->held[s].samples);
    free(b->held);
    free(b->slots);
    free(b);
}

/* ---- reading ---- */

/* The rows that are read now and those that border on them, all across. */
bosc_status bi_tiff_blocks_reserve(struct bosc_heights_file *f, int64_t rows)
{
    struct bi_tiff_blocks *b = f->tiff;
    int64_t wanted = (2 * (rows / b->down) + 3) * b->columns;
    if (b->plain) return BOSC_OK;
    if (wanted < KEPT / b->bytes) wanted = KEPT / b->bytes;
    if (wanted > b->count) wanted = b->count;
    if (wanted <= b->capacity) return BOSC_OK;
    struct slot *held = bi_io_realloc(b->held, (size_t)wanted * sizeof *held);
    if (!held) return bi_io_fail(&f->error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    for (int64_t s = b->capacity; s < wanted; s++) held[s] = (struct slot){NULL, -1};
    b->next = b->capacity;
    b->held = held;
    b->capacity = wanted;
    return BOSC_OK;
}

/* Unpacks a block into the next slot. */
static bosc_status load(struct bosc_heights_file *f, int64_t block)
{
    struct bi_tiff_blocks *b = f->tiff;
    struct slot *slot = b->held + b->next;
    if (!slot->samples) slot->samples = bi_io_alloc((size_t)b->bytes);
    if (!slot->samples) return bi_io_fail(&f->error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    if (slot->block >= 0) b->slots[slot->block] = -1;
    slot->block = -1;
    b->tiff.reason.text[0] = 0;
    b->tiff.number = 0;
    const tmsize_t bytes = b->tiled ? b->bytes : (tmsize_t)(rows_of(b, block) * b->across * b->layout.type.width);
    const tmsize_t got = b->tiled ? TIFFReadEncodedTile(b->tiff.handle, (uint32_t)block, slot->samples, bytes)
                                  : TIFFReadEncodedStrip(b->tiff.handle, (uint32_t)block, slot->samples, bytes);
    if (got != bytes) return damaged(f, &f->error);
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
    for (int64_t done = 0, here; done < count; done += here) {
        const int64_t x = (column + done) % b->across, block = row / b->down * b->columns + (column + done) / b->across;
        const size_t at = (size_t)((row % b->down * b->across + x) * width);
        bosc_status status = BOSC_OK;
        here = b->across - x < count - done ? b->across - x : count - done;
        if (b->plain) {
            const size_t begin = (size_t)TIFFGetStrileOffset(b->tiff.handle, (uint32_t)block);
            status = bi_heights_parts_copy(f, begin + at, here, buffer, values + done);
        } else {
            if (b->slots[block] < 0) status = load(f, block);
            if (status == BOSC_OK)
                bi_samples_read_but(b->layout.type, b->held[b->slots[block]].samples + at, here, f->none,
                                    values + done);
        }
        if (status != BOSC_OK) return status;
    }
    return BOSC_OK;
}
