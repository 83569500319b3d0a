/* Files that zstd packs: read and written wherever others are, by the ending .zst, where libzstd was there when this
 * was built. */
#ifndef BI_IO_FILE_ZSTD_H
#define BI_IO_FILE_ZSTD_H

#include "io/io.h"

/* Whether the bytes are to be unpacked: their name ends in .zst, or they come from standard input and begin so. */
bool bi_zstd_is(const struct bi_bytes *in);

/* Unpacks all frames into memory of the file, no more than `most` bytes in all: BOSC_ERR_LIMIT. */
bosc_status bi_zstd_unpack(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error);

/* What packs the bytes that go to a file. */
struct bi_zstd;
bool bi_zstd_is_named(const char *path); /* whether the ending asks for it */
bosc_status bi_zstd_new(const char *path, struct bi_zstd **zstd, bosc_io_error *error);
/* Packs more bytes, the last ones included if `last`, and writes what comes of it. Not 0: the writing failed. */
int bi_zstd_put(struct bi_zstd *zstd, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user);
void bi_zstd_free(struct bi_zstd *zstd);

#endif
