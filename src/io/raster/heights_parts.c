/* Locates the samples of a file: in lines of the file, in lines of a temporary file that it is unpacked to, or in
 * blocks of a TIFF. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include "io/raster/heights_parts.h"
#include "io/file/bytes.h"
#include "io/file/file.h"
#include "io/npy/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"

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
    int64_t side;
    bosc_status status = bi_heights_hgt_side(&f->file.bytes, &side, error);
    if (status != BOSC_OK) return status;
    set_lines(f, side, side, 0, i2);
    f->none = BI_HGT_NONE;
    return BOSC_OK;
}

/* ---- unpacked to a temporary file ---- */

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
                                       bosc_heights_encoding encoding, bosc_io_error *error)
{
    const struct bi_bytes *in = &f->file.bytes;
    bosc_heights line = {0};
    struct bi_heights_rows rows = {&line, open_temporary()};
    f->fd = rows.fd;
    if (rows.fd < 0)
        return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot be unpacked to a temporary file: %s", f->name,
                          strerror(errno));
    bosc_status status =
        format == BI_HEIGHTS_PNG ? bi_heights_png(in, encoding, &rows, error) : bi_heights_pgm(in, &rows, error);
    if (status == BOSC_OK) status = bi_bytes_unchanged(in, error);
    set_lines(f, line.width, line.height, 0, f4);
    bosc_heights_free(&line);
    bi_file_close(&f->file);
    return status;
}

/* ---- all formats ---- */

static bool is_text(const struct bi_bytes *in) { return in->size >= 2 && memcmp(in->data, "P2", 2) == 0; }

bosc_status bi_heights_parts_open(struct bosc_heights_file *f, bosc_heights_encoding encoding, bosc_io_error *error)
{
    const struct bi_bytes *in = &f->file.bytes;
    const enum bi_heights_format format = bi_heights_format_of(f->name, in);
    f->fd = -1;
    f->none = NAN;
    f->scale = 1;
    if (encoding == BOSC_HEIGHTS_TERRAIN_RGB && format != BI_HEIGHTS_PNG)
        return bi_io_fail(error, BOSC_ERR_FORMAT, BI_HEIGHTS_NOT_PNG, in->name);
    switch (format) {
    case BI_HEIGHTS_NPY: return open_npy(f, error);
    case BI_HEIGHTS_PGM: return is_text(in) ? unpack_to_temporary(f, format, encoding, error) : open_pgm(f, error);
    case BI_HEIGHTS_HGT: return open_hgt(f, error);
    case BI_HEIGHTS_TIFF: return bi_tiff_blocks_open(f, error);
    case BI_HEIGHTS_PNG: return unpack_to_temporary(f, format, encoding, error);
    case BI_HEIGHTS_UNKNOWN: break;
    }
    return bi_io_fail(error, BOSC_ERR_FORMAT, BI_HEIGHTS_NO_FORMAT, in->name);
}
