/* Files packed by zstd (.zst). All readers and writers accept them if libzstd was found when this was built. */
#ifndef BI_IO_FILE_ZSTD_H
#define BI_IO_FILE_ZSTD_H

#include "io/file/bytes.h"
#include "io/file/file.h"

/* True if the bytes must be unpacked: the name ends in .zst, or standard input begins as zstd. */
bool bi_zstd_is(const struct bi_bytes *in);

/* Unpacks all frames into memory of the file; BOSC_ERR_LIMIT beyond `most` bytes. */
bosc_status bi_zstd_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error);

/* Compressor of the bytes written to a file. */
struct bi_zstd;
bool bi_zstd_is_named(const char *path); /* true for the ending .zst */
bosc_status bi_zstd_new(const char *path, struct bi_zstd **zstd, bosc_io_error *error);
/* Packs bytes and writes the result; `last`: these are the last ones. Returns nonzero if `write` failed. */
int bi_zstd_compress(struct bi_zstd *zstd, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user);
void bi_zstd_free(struct bi_zstd *zstd);

#endif
