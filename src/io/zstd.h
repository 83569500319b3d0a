/* Files that zstd packs: read wherever others are, by the ending .zst, where libzstd was there when this was built.
 * They are not written. */
#ifndef BI_IO_ZSTD_H
#define BI_IO_ZSTD_H

#include "io/io.h"

bool bi_zstd_is_named(const char *path); /* by its ending */

/* Whether the bytes are to be unpacked: their name ends in .zst, or they come from standard input and begin so. */
bool bi_zstd_is(const struct bi_bytes *in);

/* Unpacks all frames into memory of the file, no more than `most` bytes in all: BOSC_ERR_LIMIT. */
bosc_status bi_zstd_unpack(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error);

#endif
