/* Reads parts of heights on demand: from lines of the file, from lines of a temporary file that it is unpacked to, or
 * from strips and tiles ("blocks") of a TIFF. Compressed blocks are unpacked as a whole into a cache; samples of other
 * blocks are read directly. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include "io/raster/heights.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/file/file.h"
#include "io/npy/npy.h"
#include "io/raster/aux_file.h"
#include "io/raster/mask.h"
#include "io/raster/tiff.h"
#include "io/raster/world_file.h"

enum {
    CACHE_BYTES = 1 << 26, /* least size of the cache of blocks, as boscage/io.h says */
    BLOCK_LIMIT = 1 << 29  /* largest block that is unpacked, as boscage/io.h says */
};

struct tiff_blocks {
    struct bi_tiff tiff;
    struct bi_tiff_layout layout;
    struct bi_tiff_blocks band; /* the blocks of the band */
    bool plain;                 /* samples of the band are stored uncompressed, one after the other */
    int32_t *slots;             /* slot of each block, or -1 */
    int64_t capacity, next;     /* number of slots; the slot that is replaced next, in a cycle */
    struct slot {
        char *samples;
        int64_t block; /* or -1 */
    } * cache;
};

/* A line of the file is a row of the raster, or a column in Fortran order. */
struct bosc_heights_file {
    struct bi_file file;
    char *name;
    bosc_io_error error; /* of the last failed read */
    int64_t width, height;
    /* Type of the samples, and offset of the first one if they follow each other line by line. */
    struct bi_npy samples;
    double none;      /* no-data value; NaN: none */
    float aux_none;   /* that of an auxiliary file, of samples as floats; NaN: none */
    float no_data;    /* that of the caller, likewise */
    bool keeps_voids; /* false: parts with a void are refused */
    int64_t most;     /* larger samples are refused; 0: no maximum */
    int fd;           /* of the temporary file with unpacked rows; -1: rows are in `file` */
    struct tiff_blocks *tiff;
    bool to_west, to_north; /* columns run westwards, rows northwards; false: as on a map */
    double scale, offset;   /* height = sample * scale + offset */
    bosc_heights place;     /* without data: place, units and spacings */
};

/* ---- samples that follow each other in a file ---- */

/* Reads `count` samples from offset `at` as floats; those equal to f->none become NaN. buffer: 16 bytes per sample, at
 * most 8 as in the file and 8 converted. */
static bosc_status copy_samples(struct bosc_heights_file *f, size_t at, int64_t count, char *buffer, float *values)
{
    struct bi_backing_file unpacked = {.fd = f->fd, .size = SIZE_MAX};
    const struct bi_bytes rows = {.name = f->name, .backing = &unpacked};
    const struct bi_bytes *in = f->fd < 0 ? &f->file.bytes : &rows;
    /* 1. Read the elements behind the space for their converted values. */
    struct bi_npy line = f->samples;
    const int64_t native = (int64_t)bosc_dtype_size(line.dtype);
    char *elements = buffer + count * native;
    const int number = bi_bytes_copy(in, at, elements, (size_t)(count * line.width));
    if (number) return bi_bytes_fail(in, number, &f->error);
    /* 2. Convert them: byte order and half floats, then no-data values and the type. */
    line.fortran = false;
    line.shape[0] = line.shape[2] = line.shape[3] = 1;
    line.shape[1] = count;
    line.bytes = (size_t)(count * line.width);
    const bool plain = bi_npy_is_plain(&line);
    if (!plain && !bi_npy_gather(&line, elements, buffer)) return BOSC_ERR_CANCELLED;
    bi_samples_read_but((struct bi_sample_type){line.kind, (int)native}, plain ? elements : buffer, native, count,
                        f->none, values);
    return BOSC_OK;
}

/* ---- blocks of a TIFF: opening ---- */

static bosc_status fail_damaged(struct bosc_heights_file *f, bosc_io_error *error)
{
    const struct bi_tiff *t = &f->tiff->tiff;
    if (t->number) return bi_bytes_fail(&f->file.bytes, t->number, error);
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged TIFF: %s", f->name,
                      t->reason.text[0] ? t->reason.text : "truncated");
}

static bool is_plain(const struct tiff_blocks *b)
{
    uint16_t order = FILLORDER_MSB2LSB;
    TIFFGetFieldDefaulted(b->tiff.handle, TIFFTAG_FILLORDER, &order);
    return b->layout.ratio == 1 && order == FILLORDER_MSB2LSB && (b->layout.bands == 1 || b->layout.separate);
}

/* Returns the offset of a block of the band in the file. */
static uint64_t offset_of(const struct tiff_blocks *b, int64_t block)
{
    return TIFFGetStrileOffset(b->tiff.handle, b->band.first + (uint32_t)block);
}

/* True if all samples of all blocks are within the file. */
static bool is_complete(const struct tiff_blocks *b)
{
    for (int64_t k = 0; k < b->band.count; k++) {
        const uint64_t at = offset_of(b, k), bytes = (uint64_t)(bi_tiff_rows_of(&b->band, k) * b->band.row_bytes);
        if (bytes > b->tiff.size || at > b->tiff.size - bytes) return false;
    }
    return true;
}

static void set_samples(struct bosc_heights_file *f, const struct tiff_blocks *b, const struct bi_geotiff *geo)
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
    f->place = geo->place;
    bi_geotiff_metres(geo, &f->scale, &f->offset);
}

/* f->tiff is zeroed. After a failure free_blocks closes it. */
static bosc_status open_blocks(struct bosc_heights_file *f, int32_t band, bosc_io_error *error)
{
    struct tiff_blocks *b = f->tiff;
    struct bi_geotiff geo;
    /* 1. Open, read and check the layout. */
    b->tiff = (struct bi_tiff){.name = f->name, .in = &f->file.bytes, .size = bi_bytes_total(&f->file.bytes)};
    if (!bi_tiff_open(&b->tiff, "rm")) { /* m: no memory map */
        if (b->tiff.number) return bi_bytes_fail(&f->file.bytes, b->tiff.number, error);
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a TIFF: %s", f->name,
                          b->tiff.reason.text[0] ? b->tiff.reason.text : "out of memory");
    }
    const char *reason = bi_tiff_read_layout(&b->tiff, band, &b->layout, &geo);
    if (reason && b->tiff.number) return bi_bytes_fail(&f->file.bytes, b->tiff.number, error);
    if (reason) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", f->name, reason);
    if (!bi_tiff_read_band_blocks(b->tiff.handle, &b->layout, &b->band)) return fail_damaged(f, error);
    bosc_status status = bi_tiff_fit(&b->tiff, &b->layout, b->band.bytes, error);
    if (status == BOSC_OK) status = bi_geotiff_apply_beside(f->name, &geo, error);
    if (status != BOSC_OK) return status;
    set_samples(f, b, &geo);
    if (bi_tiff_has_pages(&b->tiff)) f->place.assumed |= BOSC_HEIGHTS_ASSUMED_PAGE;
    if (!TIFFSetDirectory(b->tiff.handle, 0) || b->tiff.number) return fail_damaged(f, error); /* to the first image */
    status = bi_mask_apply_inner(&f->file.bytes, f->width, f->height, NULL, error);
    if (status != BOSC_OK) return status;
    /* 2. Prepare direct reads, or the table of cached blocks. */
    b->plain = is_plain(b);
    if (b->plain) return is_complete(b) ? BOSC_OK : fail_damaged(f, error);
    if (b->band.bytes > BLOCK_LIMIT)
        return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: a strip or tile of %lld bytes is unpacked as a whole; %d at most",
                          f->name, (long long)b->band.bytes, BLOCK_LIMIT);
    b->slots = bi_io_alloc((size_t)b->band.count * sizeof *b->slots);
    if (!b->slots) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    memset(b->slots, 0xff, (size_t)b->band.count * sizeof *b->slots);
    return BOSC_OK;
}

static bosc_status open_tiff(struct bosc_heights_file *f, int32_t band, bosc_io_error *error)
{
    f->tiff = bi_io_alloc(sizeof *f->tiff);
    if (!f->tiff) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    memset(f->tiff, 0, sizeof *f->tiff);
    return open_blocks(f, band, error);
}

static void free_blocks(struct tiff_blocks *b)
{
    if (!b) return;
    if (b->tiff.handle) TIFFClose(b->tiff.handle);
    for (int64_t s = 0; s < b->capacity; s++) free(b->cache[s].samples);
    free(b->cache);
    free(b->slots);
    free(b);
}

/* ---- blocks of a TIFF: reading ---- */

/* Makes the cache large enough that parts of this many rows, read from west to east and then from north to south,
 * unpack each block about once: slots for twice the rows, and for partial blocks at their borders, over the full
 * width. */
static bosc_status reserve_cache(struct bosc_heights_file *f, int64_t rows)
{
    struct tiff_blocks *b = f->tiff;
    int64_t needed = (2 * (rows / b->band.down) + 3) * b->band.columns;
    if (b->plain) return BOSC_OK;
    if (needed < CACHE_BYTES / b->band.bytes) needed = CACHE_BYTES / b->band.bytes;
    if (needed > b->band.count) needed = b->band.count;
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
    struct tiff_blocks *b = f->tiff;
    struct slot *slot = b->cache + b->next;
    if (!slot->samples) slot->samples = bi_io_alloc((size_t)b->band.bytes);
    if (!slot->samples) return bi_io_fail(&f->error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    if (slot->block >= 0) b->slots[slot->block] = -1;
    slot->block = -1;
    b->tiff.reason.text[0] = 0;
    b->tiff.number = 0;
    if (!bi_tiff_unpack_block(b->tiff.handle, &b->band, block, slot->samples)) return fail_damaged(f, &f->error);
    slot->block = block;
    b->slots[block] = (int32_t)b->next;
    b->next = (b->next + 1) % b->capacity;
    return BOSC_OK;
}

/* Reads a part of a row, in the order of the file. */
static bosc_status copy_block_samples(struct bosc_heights_file *f, int64_t row, int64_t column, int64_t count,
                                      char *buffer, float *values)
{
    const struct tiff_blocks *b = f->tiff;
    const struct bi_tiff_layout *l = &b->layout;
    const int64_t step = bi_tiff_sample_step(l), first = l->separate ? 0 : l->band * l->type.width;
    for (int64_t done = 0, run; done < count; done += run) {
        const int64_t x = (column + done) % b->band.across,
                      block = row / b->band.down * b->band.columns + (column + done) / b->band.across;
        const size_t at = (size_t)((row % b->band.down * b->band.across + x) * step + first);
        /* A run ends at the border of its block. */
        bosc_status status = BOSC_OK;
        run = b->band.across - x < count - done ? b->band.across - x : count - done;
        if (b->plain) {
            const size_t begin = (size_t)offset_of(b, block);
            status = copy_samples(f, begin + at, run, buffer, values + done);
        } else {
            if (b->slots[block] < 0) status = load_block(f, block);
            if (status == BOSC_OK)
                bi_samples_read_but(l->type, b->cache[b->slots[block]].samples + at, step, run, f->none, values + done);
        }
        if (status != BOSC_OK) return status;
    }
    return BOSC_OK;
}

/* ---- lines of the file ---- */

/* Sets the size and the type of samples that follow each other from offset `at`. */
static void set_lines(struct bosc_heights_file *f, int64_t width, int64_t height, int64_t at, struct bi_npy samples)
{
    f->width = width;
    f->height = height;
    f->samples = samples;
    f->samples.at = (size_t)at;
}

static const struct bi_npy f4 = {.dtype = BOSC_F32, .kind = 'f', .width = 4},
                           u1 = {.dtype = BOSC_U8, .kind = 'u', .width = 1},
                           u2 = {.dtype = BOSC_U16, .kind = 'u', .width = 2, .big = true},
                           i2 = {.dtype = BOSC_I16, .kind = 'i', .width = 2, .big = true};

static bosc_status open_npy(struct bosc_heights_file *f, bosc_io_error *error)
{
    const struct bi_bytes *in = &f->file.bytes;
    struct bi_npy npy;
    bosc_status status = bi_heights_npy_open(in, &npy, error);
    if (status != BOSC_OK) return status;
    set_lines(f, npy.shape[1], npy.shape[0], (int64_t)npy.at, npy);
    return BOSC_OK;
}

static bosc_status open_pgm(struct bosc_heights_file *f, bosc_io_error *error)
{
    struct bi_pgm_head head;
    bosc_status status = bi_heights_pgm_head(&f->file.bytes, &head, error);
    if (status != BOSC_OK) return status;
    set_lines(f, head.width, head.height, head.at, head.most > 255 ? u2 : u1);
    f->most = head.most;
    return BOSC_OK;
}

static bosc_status open_hgt(struct bosc_heights_file *f, bosc_io_error *error)
{
    int64_t width, height;
    bosc_status status = bi_heights_hgt_size(&f->file.bytes, &width, &height, error);
    if (status != BOSC_OK) return status;
    set_lines(f, width, height, 0, i2);
    f->place = (bosc_heights){.width = width, .height = height};
    bi_heights_hgt_place(f->name, &f->place);
    f->none = BI_HGT_NONE;
    return BOSC_OK;
}

/* ---- lines of a temporary file ---- */

static int open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
    if (!bi_fault(BI_FAULT_UNNAMED)) return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
    (void)folder;
#endif
    return -1;
}

/* Opens a named temporary file and removes the name. */
static int open_and_unlink(const char *folder)
{
    char name[64];
    snprintf(name, sizeof name, "%s/boscage-XXXXXX", folder);
    const int fd = mkstemp(name);
    if (fd >= 0) unlink(name);
    if (fd >= 0) (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Opens a temporary file in /var/tmp, which is for large files, or else in /tmp. */
static int open_temporary(void)
{
    static const char *const folders[] = {"/var/tmp", "/tmp"};
    int fd = -1;
    if (bi_fault(BI_FAULT_WRITE)) return errno = EIO, -1;
    for (int i = 0; i < 2 && fd < 0; i++) {
        fd = open_unnamed(folders[i]);
        if (fd < 0) fd = open_and_unlink(folders[i]);
    }
    return fd;
}

/* Writes the samples to a temporary file as f4, row by row. */
static bosc_status unpack_to_temporary(struct bosc_heights_file *f, enum bi_heights_format format,
                                       const bosc_heights_opts *opts, bosc_io_error *error)
{
    const struct bi_bytes *in = &f->file.bytes;
    bosc_heights line = {0};
    struct bi_heights_rows rows = {&line, open_temporary()};
    f->fd = rows.fd;
    if (rows.fd < 0)
        return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot be unpacked to a temporary file: %s", f->name,
                          strerror(errno));
    bosc_status status = format == BI_HEIGHTS_ASC ? bi_file_load(&f->file, error) : BOSC_OK;
    if (status == BOSC_OK)
        status = format == BI_HEIGHTS_PNG   ? bi_heights_png(in, opts, &rows, error)
                 : format == BI_HEIGHTS_ASC ? bi_heights_asc(in, &rows, error)
                                            : bi_heights_pgm(in, &rows, error);
    if (status == BOSC_OK) status = bi_bytes_unchanged(in, error);
    set_lines(f, line.width, line.height, 0, f4);
    f->place = line;
    f->place.data = NULL;
    bosc_heights_free(&line);
    bi_file_close(&f->file);
    return status;
}

/* ---- opening ---- */

static bool is_text(const struct bi_bytes *in) { return bi_bytes_begin(in, "P2", 2); }

/* Locates the samples in the open file. */
static bosc_status locate_samples(struct bosc_heights_file *f, const bosc_heights_opts *opts, bosc_io_error *error)
{
    const struct bi_bytes *in = &f->file.bytes;
    const enum bi_heights_format format = bi_heights_format_of(f->name, in);
    f->fd = -1;
    f->none = NAN;
    f->aux_none = NAN;
    f->no_data = bi_heights_no_data(opts);
    f->scale = 1;
    f->keeps_voids = opts->voids == BOSC_HEIGHTS_KEEP_VOIDS;
    bosc_status status = bi_heights_opts_fit(format, opts, in->name, error);
    if (status != BOSC_OK) return status;
    switch (format) {
    case BI_HEIGHTS_NPY: return open_npy(f, error);
    case BI_HEIGHTS_PGM: return is_text(in) ? unpack_to_temporary(f, format, opts, error) : open_pgm(f, error);
    case BI_HEIGHTS_HGT: return open_hgt(f, error);
    case BI_HEIGHTS_TIFF: return open_tiff(f, opts->band, error);
    case BI_HEIGHTS_PNG:
    case BI_HEIGHTS_ASC: return unpack_to_temporary(f, format, opts, error);
    case BI_HEIGHTS_UNKNOWN: break;
    }
    return bi_io_fail(error, BOSC_ERR_FORMAT, BI_HEIGHTS_NO_FORMAT, in->name);
}

static void close_all(struct bosc_heights_file *f)
{
    free_blocks(f->tiff);
    if (f->fd >= 0) close(f->fd);
    bi_file_close(&f->file);
    free(f->name);
    free(f);
}

/* Reads the values of the band from an auxiliary file; a TIFF holds them itself. */
static bosc_status read_aux(struct bosc_heights_file *f, const bosc_heights_opts *opts, bosc_io_error *error)
{
    struct bi_aux_values values;
    if (f->tiff) return BOSC_OK;
    const bosc_status status = bi_aux_read_values(f->name, opts, &f->place, &values, error);
    if (status != BOSC_OK) return status;
    f->aux_none = values.none;
    f->scale = values.scale;
    f->offset = values.offset;
    return BOSC_OK;
}

/* Reads the place of a raster that does not give it from a file beside it. */
static bosc_status find_place(struct bosc_heights_file *f, bosc_io_error *error)
{
    struct bi_world_changes changes;
    f->place.width = f->width;
    f->place.height = f->height;
    const bosc_status status = bi_world_file_read(f->name, &f->place, &changes, error);
    if (status != BOSC_OK) return status;
    f->to_north |= changes.to_north;
    f->to_west |= changes.to_west;
    f->scale *= changes.factor;
    f->offset *= changes.factor;
    return BOSC_OK;
}

static bosc_status open_file(const char *path, const bosc_heights_opts *opts, struct bosc_heights_file *f,
                             bosc_io_error *error)
{
    f->name = path ? bi_io_alloc(strlen(path) + 1) : NULL;
    if (path && !f->name) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", path);
    if (path) strcpy(f->name, path);
    bosc_status status = bi_file_open_head(f->name, &f->file, error);
    if (status == BOSC_OK) status = locate_samples(f, opts, error);
    if (status == BOSC_OK && (f->width < 1 || f->height < 1))
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: there are no samples", path);
    if (status == BOSC_OK) status = bi_mask_apply_beside(path, f->width, f->height, NULL, error);
    if (status == BOSC_OK) status = read_aux(f, opts, error);
    return status == BOSC_OK ? find_place(f, error) : status;
}

bosc_status bosc_heights_file_open_opts(const char *path, const bosc_heights_opts *caller_opts,
                                        bosc_heights_file **file, int64_t *width, int64_t *height, bosc_io_error *error)
{
    BI_IO_ENTER;
    bosc_heights_opts opts;
    bosc_status status = bi_heights_opts_read(caller_opts, &opts, error);
    if (status != BOSC_OK) return status;
    if (!file) return bi_io_fail(error, BOSC_ERR_ARG, "file: NULL");
    if (!width) return bi_io_fail(error, BOSC_ERR_ARG, "width: NULL");
    if (!height) return bi_io_fail(error, BOSC_ERR_ARG, "height: NULL");
    struct bosc_heights_file *fresh = bi_io_alloc(sizeof *fresh);
    if (!fresh) return bi_io_fail(error, BOSC_ERR_NOMEM, "out of memory");
    memset(fresh, 0, sizeof *fresh);
    fresh->fd = -1;
    status = bi_io_end(open_file(path, &opts, fresh, error), error);
    if (status != BOSC_OK) {
        close_all(fresh);
        return status;
    }
    *file = fresh;
    *width = fresh->width;
    *height = fresh->height;
    return BOSC_OK;
}

bosc_status bosc_heights_file_open(const char *path, bosc_heights_encoding encoding, bosc_heights_file **file,
                                   int64_t *width, int64_t *height, bosc_io_error *error)
{
    BI_IO_ENTER;
    const bosc_heights_opts opts = {.size = sizeof opts, .encoding = encoding};
    return bi_io_end(bosc_heights_file_open_opts(path, &opts, file, width, height, error), error);
}

void bosc_heights_file_close(bosc_heights_file *file)
{
    if (file) close_all(file);
}

const char *bosc_heights_file_message(const bosc_heights_file *file) { return file ? file->error.text : ""; }

bosc_status bosc_heights_file_describe(const bosc_heights_file *file, bosc_heights *heights, bosc_io_error *error)
{
    if (!file) return bi_io_fail(error, BOSC_ERR_ARG, "file: NULL");
    if (!heights) return bi_io_fail(error, BOSC_ERR_ARG, "heights: NULL");
    *heights = file->place;
    return BOSC_OK;
}

/* ---- reading parts ---- */

/* A part of the raster, and its range of lines and samples in the file. */
struct part {
    int64_t row, column, rows, columns;
    int64_t first_line, lines, begin, count;
    float *values;
};

/* Sets the range in the file, where rows may run northwards, columns westwards, and lines may be columns. */
static void locate_in_file(const struct bosc_heights_file *f, struct part *p)
{
    const bool fortran = f->samples.fortran;
    const int64_t row = f->to_north ? f->height - p->row - p->rows : p->row,
                  column = f->to_west ? f->width - p->column - p->columns : p->column;
    p->first_line = fortran ? column : row;
    p->lines = fortran ? p->columns : p->rows;
    p->begin = fortran ? row : column;
    p->count = fortran ? p->rows : p->columns;
}

/* Checks, scales and stores a sample, at its row and column in the part as stored in the file. */
static bosc_status store_sample(struct bosc_heights_file *f, const struct part *p, int64_t row, int64_t column, float z)
{
    const int64_t r = f->to_north ? p->rows - 1 - row : row, c = f->to_west ? p->columns - 1 - column : column;
    if (f->most && z > (float)f->most)
        return bi_io_fail(&f->error, BOSC_ERR_FORMAT, "%s: row %lld: %g is more than the maximum, %lld", f->name,
                          (long long)(p->row + r), (double)z, (long long)f->most);
    if (z == f->aux_none || z == f->no_data) z = NAN;
    if (f->scale != 1 || f->offset != 0) z = (float)((double)z * f->scale + f->offset);
    p->values[r * p->columns + c] = z;
    if (isfinite(z) || (f->keeps_voids && isnan(z))) return BOSC_OK;
    return bi_io_fail(&f->error, BOSC_ERR_DATA,
                      "%s: row %lld, column %lld: no height, or an infinite one; of parts none is filled in", f->name,
                      (long long)(p->row + r), (long long)(p->column + c));
}

static bosc_status read_line(struct bosc_heights_file *f, const struct part *p, int64_t i, char *buffer)
{
    const bool fortran = f->samples.fortran;
    const int64_t line = p->first_line + i, across = fortran ? f->height : f->width;
    float *values =
        (float *)(void *)(buffer + 16 * p->count); /* the buffer's first 16 bytes per sample are for conversion */
    bosc_status status = f->tiff
                             ? copy_block_samples(f, line, p->begin, p->count, buffer, values)
                             : copy_samples(f, f->samples.at + (size_t)((line * across + p->begin) * f->samples.width),
                                            p->count, buffer, values);
    for (int64_t j = 0; j < p->count && status == BOSC_OK; j++)
        status = store_sample(f, p, fortran ? j : i, fortran ? i : j, values[j]);
    return status;
}

static bosc_status read_part(struct bosc_heights_file *f, struct part *p)
{
    locate_in_file(f, p);
    bosc_status status = f->tiff ? reserve_cache(f, p->rows) : BOSC_OK;
    if (status != BOSC_OK) return status;
    char *buffer = bi_io_alloc((size_t)p->count * (16 + sizeof(float)));
    if (!buffer) return bi_io_fail(&f->error, BOSC_ERR_NOMEM, "%s: out of memory", f->name);
    for (int64_t i = 0; i < p->lines && status == BOSC_OK; i++) status = read_line(f, p, i, buffer);
    free(buffer);
    return status;
}

int bosc_heights_file_read(void *file, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    BI_IO_ENTER;
    struct bosc_heights_file *f = file;
    struct part p = {.row = row, .column = column, .rows = rows, .columns = columns, .values = values};
    if (!f) return 1;
    f->error.text[0] = 0;
    bosc_status status;
    if (row < 0 || rows < 1 || row > f->height - rows || column < 0 || columns < 1 || column > f->width - columns)
        status = bi_io_fail(&f->error, BOSC_ERR_ARG, "row, column: this part is not in %lld rows of %lld heights",
                            (long long)f->height, (long long)f->width);
    else if (!values)
        status = bi_io_fail(&f->error, BOSC_ERR_ARG, "values: NULL");
    else
        status = read_part(f, &p);
    return bi_io_end(status, &f->error) != BOSC_OK;
}
